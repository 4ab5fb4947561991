//! Records that have more than one name: a store that was restored from a backup, or that
//! was given a new identity, signs with another key what others know by its former one.
//!
//! The positions are the same under both keys, and where one record is the same, all before
//! it are, since the log is. A row says up to which position: `alias/<key>/<known>`, where
//! `known` is the key by which this store knows the records, zeros where it recorded them
//! itself. The backup writes one for the identity that it leaves behind; all others are
//! written when a record comes whose id is here under another key.
//!
//! Nobody proves that it was called otherwise: a member may repeat what another one signed.
//! So another name lets nobody reach more than without it.

use super::checked::ReadableTable;
use super::meta::{Reader, seal};
use super::net::sound;
use super::origin::StoreKey;
use super::tables;
use super::{ReadTx, WriteTx};
use crate::model::error::Result;
use crate::model::hex::{hex, unhex};

const ALIAS: &str = "alias/";

/// Where this store has the records itself.
pub(crate) const THIS_STORE: StoreKey = [0; 16];

/// What `known` recorded up to a position was recorded by `key` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) key: StoreKey,
    pub(crate) known: StoreKey,
    pub(crate) through: u64,
    /// Up to which position this store itself signed with that key, before it was given
    /// another; 0 when others say that they recorded the same.
    pub(crate) former_through: u64,
    /// The end of this log when that was last noted: orders from before do not use the name.
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
    /// Every other name of records, in the order of the keys.
    pub(crate) fn aliases(&self) -> Result<Vec<Alias>> {
        sound(|| all(&self.transaction.open_table(tables::SHARING)?))
    }
}

impl WriteTx<'_> {
    /// As [`ReadTx::aliases`].
    pub(crate) fn aliases(&self) -> Result<Vec<Alias>> {
        all(&self.transaction.open_table(tables::SHARING)?)
    }

    /// Notes up to which position `key` recorded what `known` did. Gives what is known of
    /// that now.
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

    /// Notes that all that this store recorded so far is signed with `key`, and nothing that
    /// is to come.
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
