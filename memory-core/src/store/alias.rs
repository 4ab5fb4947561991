//! Aliases of records: after a restore from a backup, or after getting a new identity, a
//! store signs with a new key what others know under its former one.
//!
//! Positions are the same under both keys, and if one record is the same, so are all before
//! it, because the log is a chain. A row says up to which position: `alias/<key>/<known>`,
//! where `known` is the key by which this store knows the records, or zeros if it recorded
//! them itself. A backup writes one for the identity that it leaves behind; all others are
//! written when a record arrives whose id is already here under another key.
//!
//! An alias is not proven: a member may repeat what another one signed. So an alias must
//! never extend what a member can reach.

use super::checked::ReadableTable;
use super::meta::{Reader, seal};
use super::net::sound;
use super::origin::StoreKey;
use super::tables;
use super::{ReadTx, WriteTx};
use crate::model::error::Result;
use crate::model::hex::{hex, unhex};

const ALIAS: &str = "alias/";

/// For records of this store itself.
pub(crate) const THIS_STORE: StoreKey = [0; 16];

/// What `known` recorded up to a position was also recorded by `key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) key: StoreKey,
    pub(crate) known: StoreKey,
    pub(crate) through: u64,
    /// Up to which position this store itself signed with that key before it was given
    /// another; 0 if others claim to have recorded the same.
    pub(crate) former_through: u64,
    /// The end of this log when the alias was last noted: earlier orders do not use the
    /// name.
    pub(crate) noted_at: u64,
}

impl Alias {
    fn read(name: &str, row: &[u8]) -> Result<Option<Alias>> {
        let Some((key, known)) = name
            .strip_prefix(ALIAS)
            .and_then(|name| name.split_once('/'))
        else {
            return Ok(None);
        };
        let (Some(key), Some(known)) = (unhex(key), unhex(known)) else {
            return Ok(None);
        };
        let mut from = Reader::unseal("alias of a store", row)?;
        Ok(Some(Alias {
            key,
            known,
            through: from.u64()?,
            former_through: from.u64()?,
            noted_at: from.u64()?,
        }))
    }
}

fn all(table: &impl ReadableTable<&'static str, &'static [u8]>) -> Result<Vec<Alias>> {
    let mut aliases = Vec::new();
    for entry in table.range(ALIAS..)? {
        let (name, row) = entry?;
        if !name.value().starts_with(ALIAS) {
            break;
        }
        aliases.extend(Alias::read(name.value(), row.value())?);
    }
    Ok(aliases)
}

impl ReadTx {
    /// All aliases, ordered by key.
    pub(crate) fn aliases(&self) -> Result<Vec<Alias>> {
        sound(|| all(&self.transaction.open_table(tables::SHARING)?))
    }
}

impl WriteTx<'_> {
    /// Like [`ReadTx::aliases`].
    pub(crate) fn aliases(&self) -> Result<Vec<Alias>> {
        all(&self.transaction.open_table(tables::SHARING)?)
    }

    /// Notes up to which position `key` recorded what `known` did. Returns the alias as it
    /// is now known.
    pub(crate) fn note_alias(
        &mut self,
        key: StoreKey,
        known: StoreKey,
        position: u64,
    ) -> Result<Alias> {
        let is_same = |alias: &Alias| (alias.key, alias.known) == (key, known);
        let before = self.aliases()?.into_iter().find(is_same);
        if let Some(alias) = before.filter(|alias| position <= alias.through) {
            return Ok(alias);
        }
        let alias = Alias {
            key,
            known,
            through: position,
            former_through: before.map_or(0, |alias| alias.former_through),
            noted_at: self.state.last_seq,
        };
        self.put_alias(&alias)?;
        Ok(alias)
    }

    /// Notes that everything this store has recorded so far is signed with `key`, and
    /// nothing that follows is.
    pub(super) fn note_former(&mut self, key: StoreKey) -> Result<()> {
        let through = self.state.last_seq;
        let alias = self.note_alias(key, THIS_STORE, through)?;
        self.put_alias(&Alias {
            former_through: through,
            ..alias
        })
    }

    fn put_alias(&self, alias: &Alias) -> Result<()> {
        let numbers = [alias.through, alias.former_through, alias.noted_at];
        let row = numbers.map(u64::to_le_bytes).concat();
        let name = format!("{ALIAS}{}/{}", hex(&alias.key), hex(&alias.known));
        let mut table = self.transaction.open_table(tables::SHARING)?;
        table.insert(name.as_str(), seal(row).as_slice())?;
        Ok(())
    }
}
