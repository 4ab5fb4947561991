//! Notes which rows change while a generation is built next to the live one, so that its
//! builder can catch up without blocking writers.
//!
//! A marker in the meta table requests the notes. While it is there, every write of every
//! process notes the keys of the rows it changed, in the same transaction, under its commit
//! number. The rows themselves are not noted: the builder reads them from a later snapshot,
//! so noting too much does no harm.
//!
//! A killed builder leaves its marker behind. It is removed by whoever opens or maintains
//! the store while nobody builds, and by a write that would let the notes grow without
//! bound; a builder whose marker is gone starts over.

use std::ops::Bound;

use super::changed_keys::{ChangedKeys, MOST_ROWS};
use super::checked::{ReadableTable, WriteTransaction};
use super::meta::{Reader, seal};
use super::panics::{catch_panic, damaged_because};
use super::tables;
use super::{ReadTx, WriteTx};
use crate::model::error::Result;

/// Key of the marker in the meta table.
pub(super) const MARK_KEY: &str = "changes";

/// Segment numbers reserved for the generation being built. Caches identify segments by
/// number, so numbers must never be reused.
const SEGMENTS_LEFT: u64 = 1 << 32;

/// `commit (8) 0 or 1 (1) table, and with 1: 0 (1) key`.
fn encode(commit: u64, table: &str, key: Option<&[u8]>) -> Vec<u8> {
    let mut out = commit.to_be_bytes().to_vec();
    out.push(u8::from(key.is_some()));
    out.extend_from_slice(table.as_bytes());
    if let Some(key) = key {
        out.push(0);
        out.extend_from_slice(key);
    }
    out
}

fn decode(bytes: &[u8], rows: &mut ChangedKeys) -> Option<()> {
    let (kind, rest) = bytes.get(8..)?.split_first()?;
    if *kind == 0 {
        rows.add_all(std::str::from_utf8(rest).ok()?);
        return Some(());
    }
    let end = rest.iter().position(|byte| *byte == 0)?;
    rows.add(std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 1..]);
    Some(())
}

/// Who requested the notes, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) maker: [u8; 16],
    rows: u64,
}

impl Mark {
    fn encode(self) -> Vec<u8> {
        let mut out = self.maker.to_vec();
        out.extend_from_slice(&self.rows.to_le_bytes());
        seal(out)
    }
}

/// The marker in the meta table, if any.
pub(super) fn mark_in(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<Option<Mark>> {
    let Some(bytes) = table.get(MARK_KEY)? else {
        return Ok(None);
    };
    let mut from = Reader::unseal("change marker", bytes.value())?;
    Ok(Some(Mark {
        maker: from.array()?,
        rows: from.u64()?,
    }))
}

/// Notes the changes of a write for the owner of the marker.
pub(super) fn keep(transaction: &mut WriteTransaction, mark: Mark, commit: u64) -> Result<()> {
    let rows = transaction.changes();
    let mut table = transaction.open_table(tables::META)?;
    // The write itself may have removed the marker or set another one.
    if mark_in(&table)?.is_none_or(|now| now.maker != mark.maker) {
        return Ok(());
    }
    let mut noted = mark.rows;
    let mut changes = transaction.open_table(tables::CHANGES)?;
    for (name, rows) in &rows.0 {
        if rows.is_whole {
            changes.insert(encode(commit, name, None).as_slice(), ())?;
            noted += 1;
        }
        for key in &rows.keys {
            changes.insert(encode(commit, name, Some(key)).as_slice(), ())?;
            noted += 1;
        }
    }
    drop(changes);
    if noted > MOST_ROWS {
        table.remove(MARK_KEY)?;
        drop(table);
        transaction.delete_table(tables::CHANGES)?;
        return Ok(());
    }
    let mark = Mark {
        rows: noted,
        ..mark
    };
    table.insert(MARK_KEY, mark.encode().as_slice())?;
    Ok(())
}

impl WriteTx<'_> {
    /// From the next write on, notes changes for `maker`. Returns the number after which
    /// the maker may number segments.
    pub(crate) fn begin_noting(&mut self, maker: [u8; 16]) -> Result<u64> {
        self.transaction.delete_table(tables::CHANGES)?;
        self.transaction.open_table(tables::CHANGES)?;
        let mut table = self.transaction.open_table(tables::META)?;
        table.insert(MARK_KEY, Mark { maker, rows: 0 }.encode().as_slice())?;
        let left = self.state.next_segment;
        self.state.next_segment += SEGMENTS_LEFT;
        Ok(left)
    }

    /// Stops noting changes for `maker`, or for whoever requested it.
    pub(super) fn end_noting(&mut self, maker: Option<[u8; 16]>) -> Result<()> {
        let mut table = self.transaction.open_table(tables::META)?;
        let Some(mark) = mark_in(&table)? else {
            return Ok(());
        };
        if maker.is_none_or(|maker| maker == mark.maker) {
            table.remove(MARK_KEY)?;
            drop(table);
            self.transaction.delete_table(tables::CHANGES)?;
        }
        Ok(())
    }
}

impl ReadTx {
    /// Whether changes are being noted.
    pub(crate) fn notes_changes(&self) -> Result<bool> {
        catch_panic(|| Ok(mark_in(&self.transaction.open_table(tables::META)?)?.is_some()))
    }

    /// The rows changed after a commit; `None` if they are no longer noted for `maker`.
    pub(super) fn changes_after(
        &self,
        maker: [u8; 16],
        commit: u64,
    ) -> Result<Option<ChangedKeys>> {
        catch_panic(|| {
            let mark = mark_in(&self.transaction.open_table(tables::META)?)?;
            if mark.is_none_or(|mark| mark.maker != maker) {
                return Ok(None);
            }
            let table = self.transaction.open_table(tables::CHANGES)?;
            let after = (commit + 1).to_be_bytes();
            let mut rows = ChangedKeys::default();
            for entry in table.range((Bound::Included(after.as_slice()), Bound::Unbounded))? {
                let (key, ()) = {
                    let (key, value) = entry?;
                    (key, value.value())
                };
                decode(key.value(), &mut rows)
                    .ok_or_else(|| damaged_because("a change note is malformed"))?;
            }
            Ok(Some(rows))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_and_rubbish_is_no_note() {
        let mut rows = ChangedKeys::default();
        for (table, key) in [
            ("events", Some(&[0u8, 1, 0][..])),
            ("events", Some(&[][..])),
            ("projected", None),
        ] {
            decode(&encode(7, table, key), &mut rows).unwrap();
        }
        let events = rows.of("events").unwrap();
        assert_eq!((events.keys.len(), events.is_whole), (2, false));
        assert!(rows.of("projected").unwrap().is_whole);
        for rubbish in [
            &[][..],
            &[0; 8],
            &[1; 12],
            &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff],
        ] {
            assert_eq!(decode(rubbish, &mut ChangedKeys::default()), None);
        }
    }
}
