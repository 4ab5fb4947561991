//! Injections that wait to be written with the next append, flush or close.

use parking_lot::Mutex;

use crate::store::append::Draft;

/// Injections that wait to be written with the next append; when there are
/// more, they are written at once.
const MAX_PENDING: usize = 64;

/// An injection that waits to be written.
pub(crate) struct Pending {
    draft: Draft,
    /// How many events were erased when it was recorded.
    erased: u64,
}

/// Injections that wait to be written.
#[derive(Default)]
pub(crate) struct PendingInjections(Mutex<Vec<Pending>>);

/// Injections that were taken out to be written.
#[derive(Default)]
pub(crate) struct TakenInjections {
    /// As many as there were when they were taken.
    pub(crate) drafts: Vec<Draft>,
    /// Of each, how many events were erased when it was recorded.
    pub(crate) erased: Vec<u64>,
}

impl PendingInjections {
    pub(crate) fn take(&self) -> TakenInjections {
        let mut taken = TakenInjections::default();
        for pending in std::mem::take(&mut *self.0.lock()) {
            taken.drafts.push(pending.draft);
            taken.erased.push(pending.erased);
        }
        taken
    }

    /// Puts drafts back that could not be written, before newer ones.
    pub(crate) fn put_back(&self, taken: TakenInjections) {
        let mut pending = self.0.lock();
        let drafts = taken.drafts.into_iter().zip(taken.erased);
        let mut all: Vec<Pending> = drafts
            .map(|(draft, erased)| Pending { draft, erased })
            .collect();
        all.append(&mut pending);
        all.truncate(MAX_PENDING);
        *pending = all;
    }

    /// Visits those of a session.
    pub(crate) fn each(&self, session: &str, visit: &mut dyn FnMut(&Draft)) {
        for pending in &*self.0.lock() {
            if pending.draft.event.session == session {
                visit(&pending.draft);
            }
        }
    }

    /// Adds one; true when it is time to write them.
    pub(crate) fn push(&self, draft: Draft, erased: u64) -> bool {
        let mut pending = self.0.lock();
        pending.push(Pending { draft, erased });
        pending.len() >= MAX_PENDING
    }
}
