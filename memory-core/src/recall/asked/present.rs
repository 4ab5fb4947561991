//! The moment of a call, and when next something that it looked at begins or ceases to hold.

use std::cell::Cell;

use crate::model::time::Timestamp;
use crate::rules::entries::Validity;

/// The moment of a call. Whatever depends on it is noted, because a cached answer is the same as
/// a fresh one only until then.
pub(crate) struct Present {
    pub(crate) now: Timestamp,
    changes_at: Cell<Option<Timestamp>>,
}

impl Present {
    pub(crate) fn at(now: Timestamp) -> Self {
        Present {
            now,
            changes_at: Cell::default(),
        }
    }

    /// Notes when this period will begin or end.
    pub(crate) fn note(&self, validity: &Validity) {
        let ahead = [validity.from, validity.to].into_iter().flatten();
        let next = ahead.filter(|at| *at > self.now).min();
        let known = self.changes_at.get();
        self.changes_at.set(known.into_iter().chain(next).min());
    }

    /// When the first of what was noted begins or ends, if any of it does.
    pub(crate) fn changes_at(&self) -> Option<Timestamp> {
        self.changes_at.get()
    }
}
