//! Which records of the log are hidden, as its tombstones say.

use std::collections::BTreeMap;

use crate::model::error::Result;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::missing_record;
use crate::store::log::record::RecordView;
use crate::store::log::tombstone::{self, named_ranges};
use crate::store::running::Running;

/// Which tombstone hides which log positions.
pub(super) struct Hidden {
    /// First and last position, and the newest tombstone that names them, sorted.
    runs: Vec<(u64, u64, u64)>,
    /// The positions of the tombstones, sorted.
    tombstones: Vec<u64>,
}

impl Hidden {
    pub(super) fn of(
        events: &impl ReadableTable<u64, &'static [u8]>,
        running: &Running,
    ) -> Result<Hidden> {
        let mut named = Vec::new();
        for (next, entry) in (1..).zip(events.iter()?) {
            let (seq, bytes) = entry?;
            let seq = seq.value();
            if seq != next {
                return Err(missing_record(next));
            }
            let view = RecordView::new(seq, bytes.value())?;
            if is_tombstone(&view)
                && let Ok(ranges) = named_ranges(seq, &view.archive()?)
            {
                named.push((seq, ranges));
            }
            running.tick()?;
        }
        Ok(Hidden {
            runs: runs(&named),
            tombstones: named.into_iter().map(|(seq, _)| seq).collect(),
        })
    }

    /// Every hidden position with its tombstone, sorted. A tombstone never hides another
    /// one.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u64, u64)> {
        let all = self
            .runs
            .iter()
            .flat_map(|(from, to, tombstone)| (*from..=*to).map(|seq| (seq, *tombstone)));
        all.filter(|(seq, _)| !self.is_tombstone(*seq))
    }

    /// Whether a position is hidden.
    pub(super) fn contains(&self, seq: u64) -> bool {
        let after = self.runs.partition_point(|(from, _, _)| *from <= seq);
        let is_named = self.runs[..after]
            .last()
            .is_some_and(|(_, to, _)| seq <= *to);
        is_named && !self.is_tombstone(seq)
    }

    fn is_tombstone(&self, seq: u64) -> bool {
        self.tombstones.binary_search(&seq).is_ok()
    }
}

/// For every position that is named by any tombstone, the newest of them.
fn runs(named: &[(u64, Vec<(u64, u64)>)]) -> Vec<(u64, u64, u64)> {
    // The start of a range, and the place after its end.
    let mut borders: Vec<(u64, bool, u64)> = Vec::new();
    for (tombstone, ranges) in named {
        for (from, to) in ranges {
            borders.push((*from, true, *tombstone));
            borders.push((*to + 1, false, *tombstone));
        }
    }
    borders.sort_unstable();
    let mut runs = Vec::new();
    // How many ranges of each tombstone cover the positions before the next boundary.
    let mut open: BTreeMap<u64, u64> = BTreeMap::new();
    let mut at = 0;
    for (border, begins, tombstone) in borders {
        if border > at
            && let Some((newest, _)) = open.last_key_value()
        {
            runs.push((at, border - 1, *newest));
        }
        at = border;
        let count = open.entry(tombstone).or_default();
        match begins {
            true => *count += 1,
            // At the same place, ends come before starts, but never before their own.
            false => *count -= 1,
        }
        if *count == 0 {
            open.remove(&tombstone);
        }
    }
    runs
}

pub(super) fn is_tombstone(view: &RecordView<'_>) -> bool {
    !view.is_erased() && tombstone::is_tombstone(view.kind())
}
