//! Citations: what was cited, how often, and by whom.

use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::recall::shown::citations::{self, CitationDetail, PopularCitation};

/// The citations of a memory; see [`Memory::citations`].
#[derive(Clone, Copy, Debug)]
pub struct Citations<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Citations in detail: an event with its neighbours and how it was used.
    pub fn citations(&self) -> Citations<'_> {
        Citations { memory: self }
    }
}

impl Citations<'_> {
    /// Returns an event with the events before and after it in its session, and how it was
    /// used.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn detail(&self, event: impl Into<EventRef>) -> Result<CitationDetail> {
        citations::detail(self.memory.enter()?, &event.into())
    }

    /// Returns the citations of any project that were given to agents most often, most used
    /// first. Equally used ones are ordered by their last use, latest first.
    ///
    /// `window_days` counts only uses within that many days before now; `None` counts all
    /// of them.
    ///
    /// # Growth
    /// Constant; with `window_days`, by the events that were used within it: their uses are added
    /// up by day and by month.
    ///
    /// # Errors
    /// `invalid_argument` when `limit` is outside 1 to
    /// [`MAX_POPULAR_CITATIONS`](crate::MAX_POPULAR_CITATIONS); `corrupt` or `io`.
    pub fn popular(&self, limit: usize, window_days: Option<u32>) -> Result<Vec<PopularCitation>> {
        citations::popular(self.memory.enter()?, limit, window_days)
    }

    /// Returns the sessions that an event was given to, each once, latest first. At most
    /// `limit` are returned, 1,000 by default.
    ///
    /// # Growth
    /// By result, counting each time that it was given to one of them.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn citing_sessions(
        &self,
        event: impl Into<EventRef>,
        limit: Option<usize>,
    ) -> Result<Vec<String>> {
        citations::citing_sessions(self.memory.enter()?, &event.into(), limit)
    }
}
