//! Copies the rows of the folds into the file of another generation, and clears them.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::model::error::{Error, Result};
use crate::store::database::checked::{Held, ReadableTable};
use crate::store::projected_rows::projected::{open, sealed};
use crate::store::projected_rows::row_kind::{Counted, RowKind, RowKindFacts, Rows, is_work};
use crate::store::tables::PROJECTED;
use crate::store::{ReadTx, WriteTx};

/// Pending changes of rows, by full key: `None` for removed ones.
pub(crate) type ChangedRows = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

impl WriteTx<'_> {
    /// Copies the rows of another store file into this one, which has none, except what is
    /// `changed`. Pending work follows from what is kept: accesses wait to be judged if
    /// their rows are there; the progress of upkeep steps, and the learned index, are not
    /// copied.
    ///
    /// # Errors
    /// `corrupt` if a row is damaged.
    pub(crate) fn copy_projected(&self, old: &ReadTx, changed: &ChangedRows) -> Result<()> {
        let from = old.transaction.open_table(PROJECTED)?;
        let mut copy = RowsCopy::default();
        let mut table = self.transaction.open_table(PROJECTED)?;
        let cursor = table.unnoted().upper_bound_mut(Bound::<&[u8]>::Unbounded)?;
        let mut cursor = Held::new(cursor);
        let mut put = |copy: &mut RowsCopy, key: &[u8], row: &[u8]| {
            copy.count(key);
            cursor.insert_before(key, row).map_err(Error::from)
        };
        let mut changed = changed.iter().peekable();
        for entry in from.iter()? {
            let (key, row) = entry?;
            let (key, row) = (key.value(), row.value());
            self.running.tick()?;
            open(row)?;
            while let Some((new, now)) = changed.next_if(|(next, _)| next.as_slice() < key) {
                if let Some(now) = now {
                    put(&mut copy, new, &sealed(now))?;
                }
            }
            match changed.next_if(|(next, _)| next.as_slice() == key) {
                Some((_, None)) => {}
                Some((_, Some(now))) => put(&mut copy, key, &sealed(now))?,
                None if copy.takes(key, row)? => put(&mut copy, key, row)?,
                None => {}
            }
        }
        for (new, now) in changed {
            if let Some(now) = now {
                put(&mut copy, new, &sealed(now))?;
            }
        }
        cursor.into_inner().close()?;
        drop(table);
        copy.finish(self)
    }

    /// Removes every row, including the learned index, so that the log can be folded again.
    pub(crate) fn clear_projected(&self) -> Result<()> {
        let segments = self.projected()?.clear_learned_index()?;
        for segment in segments {
            self.remove_blocks(segment)?;
        }
        self.transaction.delete_table(PROJECTED)?;
        self.transaction.open_table(PROJECTED)?;
        Ok(())
    }
}

/// The state of copying rows.
#[derive(Default)]
struct RowsCopy {
    counts: BTreeMap<Counted, RowKindFacts>,
    /// What was waiting to be judged.
    due: Vec<Vec<u8>>,
}

impl RowsCopy {
    /// Whether a row is copied unchanged.
    fn takes(&mut self, key: &[u8], bytes: &[u8]) -> Result<bool> {
        let row_kind = key.first().copied().unwrap_or_default();
        if row_kind == RowKind::Count as u8 {
            // Rows are recounted; the date of the last change stays.
            let counted = Counted::of_count(key);
            let facts = RowKindFacts::decode(open(bytes)?);
            self.counts.entry(counted).or_default().moved_ms = facts.moved_ms;
            return Ok(false);
        }
        if row_kind == RowKind::LevelDue as u8 {
            self.due.push(key[1..].to_vec());
        }
        Ok(!is_work(row_kind) || row_kind == RowKind::Touched as u8)
    }

    pub(super) fn count(&mut self, key: &[u8]) {
        for counted in Counted::of_key(key) {
            self.counts.entry(counted).or_default().rows += 1;
        }
    }

    /// Writes the counts and the remaining work.
    pub(super) fn finish(self, tx: &WriteTx<'_>) -> Result<()> {
        let mut rows = tx.projected()?;
        rows.counts = self.counts;
        for id in self.due {
            if rows.get(RowKind::Access, &id)?.is_some() {
                rows.put(RowKind::LevelDue, &id, &[])?;
            }
        }
        rows.finish(i64::MIN)
    }
}
