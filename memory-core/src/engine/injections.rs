//! Buffers injections until the next append, `maintain` or `close` writes them.

use parking_lot::Mutex;

use crate::store::log::append::Draft;

/// Maximum number of buffered injections; beyond it they are written at once.
const MAX_PENDING: usize = 64;

/// A buffered injection.
pub(crate) struct Pending {
    draft: Draft,
    /// How many events had been erased when it was recorded.
    erased: u64,
}

/// The buffered injections.
#[derive(Default)]
pub(crate) struct PendingInjections(Mutex<Vec<Pending>>);

/// Injections taken out of the buffer to be written.
#[derive(Default)]
pub(crate) struct TakenInjections {
    /// The drafts, oldest first.
    pub(crate) drafts: Vec<Draft>,
    /// For each, how many events had been erased when it was recorded.
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

    /// Puts drafts whose write failed back in front of newer ones. Returns how many of the oldest
    /// are dropped because too many wait: what was given last matters most.
    pub(crate) fn put_back(&self, taken: TakenInjections) -> usize {
        let mut pending = self.0.lock();
        let drafts = taken.drafts.into_iter().zip(taken.erased);
        let mut all: Vec<Pending> = drafts
            .map(|(draft, erased)| Pending { draft, erased })
            .collect();
        all.append(&mut pending);
        let dropped = all.len().saturating_sub(MAX_PENDING);
        all.drain(..dropped);
        *pending = all;
        dropped
    }

    /// Visits the injections of a session.
    pub(crate) fn each(&self, session: &str, visit: &mut dyn FnMut(&Draft)) {
        for pending in &*self.0.lock() {
            if pending.draft.event.session == session {
                visit(&pending.draft);
            }
        }
    }

    /// Adds one; true if it is time to write them.
    pub(crate) fn push(&self, draft: Draft, erased: u64) -> bool {
        let mut pending = self.0.lock();
        pending.push(Pending { draft, erased });
        pending.len() >= MAX_PENDING
    }
}
