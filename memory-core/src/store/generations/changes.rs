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

use std::collections::BTreeSet;
use std::ops::Bound;

use crate::model::error::Result;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::{catch_panic, damaged_because};
use crate::store::generations::change_marks::{MARK_KEY, Mark, decode, mark_in};
use crate::store::generations::changed_keys::{ChangedKeys, MAX_ROWS};
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

/// Segment numbers reserved for the generation being built. Caches identify segments by
/// number, so numbers must never be reused.
const SEGMENTS_LEFT: u64 = 1 << 32;

/// How many notes are read at a time.
#[cfg(not(test))]
const PAGE_ROWS: usize = 50_000;
#[cfg(test)]
const PAGE_ROWS: usize = 500;

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
    pub(in crate::store) fn end_noting(&mut self, maker: Option<[u8; 16]>) -> Result<()> {
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

    /// How many rows were noted after a commit, about; `None` if they are no longer noted for
    /// `maker`. A table of which every row changed counts as the most that is noted.
    pub(in crate::store) fn count_changes_after(
        &self,
        maker: [u8; 16],
        commit: u64,
    ) -> Result<Option<u64>> {
        catch_panic(|| {
            let mark = mark_in(&self.transaction.open_table(tables::META)?)?;
            if mark.is_none_or(|mark| mark.maker != maker) {
                return Ok(None);
            }
            let table = self.transaction.open_table(tables::CHANGES)?;
            let first = notes_after(commit);
            let mut rows = 0;
            for entry in table.range((Bound::Included(first.as_slice()), Bound::Unbounded))? {
                let (key, _) = entry?;
                rows += match key.value().get(8) {
                    Some(0) => MAX_ROWS,
                    _ => 1,
                };
                self.running.tick()?;
            }
            Ok(Some(rows))
        })
    }

    /// Hands over the rows that were noted after a commit, some at a time, because there may be
    /// very many, until `take` returns false. Returns whether it took all.
    pub(in crate::store) fn each_change_after(
        &self,
        commit: u64,
        take: &mut dyn FnMut(&ChangedKeys) -> Result<bool>,
    ) -> Result<bool> {
        // These are up to date in the snapshot, however often they were noted.
        let mut whole = BTreeSet::new();
        let mut next = Some(notes_after(commit));
        while let Some(first) = next {
            let (rows, after) = catch_panic(|| self.changes_from(&first))?;
            let rows = rows.except(&whole);
            if !take(&rows)? {
                return Ok(false);
            }
            whole.extend(rows.whole_tables().cloned());
            next = after;
        }
        Ok(true)
    }

    /// The notes from a key on, and the key of the first that is left.
    fn changes_from(&self, first: &[u8]) -> Result<(ChangedKeys, Option<Vec<u8>>)> {
        let table = self.transaction.open_table(tables::CHANGES)?;
        let mut rows = ChangedKeys::default();
        for (at, entry) in table
            .range((Bound::Included(first), Bound::Unbounded))?
            .enumerate()
        {
            let (key, _) = entry?;
            if at == PAGE_ROWS {
                return Ok((rows, Some(key.value().to_vec())));
            }
            decode(key.value(), &mut rows)
                .ok_or_else(|| damaged_because("a change note is malformed"))?;
        }
        Ok((rows, None))
    }
}

/// The start of the keys of notes after a commit.
fn notes_after(commit: u64) -> Vec<u8> {
    (commit + 1).to_be_bytes().to_vec()
}
