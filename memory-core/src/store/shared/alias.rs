//! Aliases of records: after a restore from a backup, or after getting a new identity, a
//! store signs with a new key what others know under its former one.
//!
//! Positions are the same under both keys. A row says that there is such an alias:
//! `alias/<key>/<known>`, where `known` is the key by which this store knows the records, or
//! zeros if it recorded them itself. A backup writes one for the identity that it leaves behind;
//! all others are written when a record arrives whose id is already here under another key. For
//! these, `same/<key>/<known>/<row>` marks the positions of the records that did arrive so.
//!
//! An alias is not proven: a member may repeat what another one signed. So an alias must
//! never extend what a member can reach (see
//! [`remote_order_scope`](crate::store::shared::remote_order_scope)), and it holds for no position
//! but those marked: otherwise a member could repeat one record of another store, and an order about
//! its own earlier records would reach those of the other store. Orders have no aliases: each is
//! stored under the name of whoever signed it.

use crate::model::error::Result;
use crate::model::hex::{hex, unhex};
use crate::model::ids::EventId;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::catch_panic;
use crate::store::meta::{Reader, seal};
use crate::store::shared::store_key::StoreKey;
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

const ALIAS: &str = "alias/";
const SAME: &str = "same/";

/// The number of positions in a row of marks.
const ROW: u64 = 4_096;
const ROW_BYTES: usize = 512;

/// For records of this store itself.
pub(crate) const THIS_STORE: StoreKey = [0; 16];

/// Some of what `known` recorded was also recorded by `key`, at the same positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) key: StoreKey,
    pub(crate) known: StoreKey,
    /// Up to which position this store itself signed with that key before it was given
    /// another; 0 if others claim to have recorded the same.
    pub(crate) former_through: u64,
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
            former_through: from.u64()?,
        }))
    }

    fn row_name(&self) -> String {
        format!("{ALIAS}{}/{}", hex(&self.key), hex(&self.known))
    }

    /// The name of the row that has the mark of a position.
    fn marks_name(&self, position: u64) -> String {
        let (key, known) = (hex(&self.key), hex(&self.known));
        format!("{SAME}{key}/{known}/{:016x}", position / ROW)
    }

    /// Whether the record at a position is the same under both keys.
    fn holds(
        &self,
        table: &impl ReadableTable<&'static str, &'static [u8]>,
        position: u64,
    ) -> Result<bool> {
        if position <= self.former_through {
            return Ok(true);
        }
        let row = table.get(self.marks_name(position).as_str())?;
        let Some(row) = row else {
            return Ok(false);
        };
        let (byte, bit) = place_of(position);
        Ok(marks_in(row.value())?[byte] & bit != 0)
    }
}

/// The byte and the bit of a position in its row of marks.
fn place_of(position: u64) -> (usize, u8) {
    let at = (position % ROW) as usize;
    (at / 8, 1 << (at % 8))
}

fn marks_in(row: &[u8]) -> Result<[u8; ROW_BYTES]> {
    Reader::unseal("marks of an alias", row)?.array()
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
        catch_panic(|| all(&self.transaction.open_table(tables::SHARING)?))
    }

    /// Whether an alias holds for the record at a position.
    pub(crate) fn is_alias_of(&self, alias: &Alias, position: u64) -> Result<bool> {
        catch_panic(|| alias.holds(&self.transaction.open_table(tables::SHARING)?, position))
    }
}

impl WriteTx<'_> {
    /// Like [`ReadTx::aliases`].
    pub(crate) fn aliases(&self) -> Result<Vec<Alias>> {
        all(&self.transaction.open_table(tables::SHARING)?)
    }

    /// Like [`ReadTx::is_alias_of`].
    pub(crate) fn is_alias_of(&self, alias: &Alias, position: u64) -> Result<bool> {
        alias.holds(&self.transaction.open_table(tables::SHARING)?, position)
    }

    /// Whether what a store recorded at a position is here under another key.
    pub(crate) fn has_other_name(&self, key: &StoreKey, position: u64) -> Result<bool> {
        for alias in self.aliases()? {
            if alias.key == *key && self.is_alias_of(&alias, position)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether this store recorded the event with an id at a position itself, when it signed with a
    /// key that it has left.
    pub(crate) fn is_own_under(&self, key: &StoreKey, position: u64, id: &EventId) -> Result<bool> {
        let is_former = |alias: &Alias| {
            alias.key == *key && alias.known == THIS_STORE && position <= alias.former_through
        };
        Ok(self.aliases()?.iter().any(is_former) && self.id_at(position)? == Some(*id))
    }

    /// Notes that `key` recorded at a position what `known` did; true if that is new.
    pub(crate) fn note_alias(
        &mut self,
        key: StoreKey,
        known: StoreKey,
        position: u64,
    ) -> Result<bool> {
        let is_same = |alias: &Alias| (alias.key, alias.known) == (key, known);
        let alias = match self.aliases()?.into_iter().find(is_same) {
            Some(alias) => alias,
            None => {
                let former_through = 0;
                let made = Alias {
                    key,
                    known,
                    former_through,
                };
                self.put_alias(&made)?;
                made
            }
        };
        if self.is_alias_of(&alias, position)? {
            return Ok(false);
        }
        let name = alias.marks_name(position);
        let mut table = self.transaction.open_table(tables::SHARING)?;
        let mut marks = match table.get(name.as_str())? {
            Some(row) => marks_in(row.value())?,
            None => [0; ROW_BYTES],
        };
        let (byte, bit) = place_of(position);
        marks[byte] |= bit;
        table.insert(name.as_str(), seal(marks.to_vec()).as_slice())?;
        Ok(true)
    }

    /// Notes that everything this store has recorded so far is signed with `key`, and
    /// nothing that follows is.
    pub(in crate::store) fn note_former(&mut self, key: StoreKey) -> Result<()> {
        self.put_alias(&Alias {
            key,
            known: THIS_STORE,
            former_through: self.state.last_seq,
        })
    }

    fn put_alias(&self, alias: &Alias) -> Result<()> {
        let row = alias.former_through.to_le_bytes().to_vec();
        let mut table = self.transaction.open_table(tables::SHARING)?;
        table.insert(alias.row_name().as_str(), seal(row).as_slice())?;
        Ok(())
    }
}
