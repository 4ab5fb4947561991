//! The levels of memories, which rise as they are used.

use crate::learn::levels::{self, EventLevel, Graduated, LevelCounts};
use crate::learn::pins;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::recall::shown::pins::{self as pinned, PinnedEvent};
use crate::rules::levels::Insight;
use crate::scope::ProjectScope;

/// The levels of a memory; see [`Memory::levels`].
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Levels: how far events have risen through use, from raw (L0) to active (L4).
    pub fn levels(&self) -> Levels<'_> {
        Levels { memory: self }
    }
}

impl Levels<'_> {
    /// Returns the level of an event and how it was used.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn get(&self, event: impl Into<EventRef>) -> Result<EventLevel> {
        levels::get(self.memory.enter()?, event.into())
    }

    /// Returns how many conversation events are at each level.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn counts(&self) -> Result<LevelCounts> {
        levels::counts(self.memory.enter()?)
    }

    /// Records that events were used in a session, for hosts that recall by other means than
    /// [`Memory::search`](crate::Memory::search). The record is written with the next append,
    /// [`Memory::maintain`](crate::Memory::maintain) or [`Memory::close`](crate::Memory::close).
    ///
    /// # Growth
    /// By the events that are given.
    ///
    /// # Errors
    /// `invalid_argument` naming `confidence`, or `session` if it is blank or too long; `not_found`
    /// naming the event.
    pub fn record_access(&self, events: &[EventRef], session: &str, confidence: f64) -> Result<()> {
        levels::record_access(self.memory.enter()?, events, session, confidence)
    }

    /// Sets the half-life of memories: after this many days without an access, the value of a
    /// memory is halved, and it may drop a level; `None` (the default) disables this.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `half_life_days` unless it is positive.
    pub fn set_half_life_days(&self, half_life_days: Option<f64>) -> Result<()> {
        levels::set_half_life_days(self.memory.enter()?, half_life_days)
    }

    /// Evaluates at most `limit` events that were used since they were last evaluated. Each rises
    /// by at most one level. Then looks for insights in the events at L1 and above together.
    ///
    /// # Growth
    /// By `limit`.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn graduate(&self, limit: usize) -> Result<Graduated> {
        levels::graduate(self.memory.enter()?, limit)
    }

    /// Returns the insights that were found in any project, ordered by key. At most `limit`
    /// are returned, 1,000 by default.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn insights(&self, limit: Option<usize>) -> Result<Vec<Insight>> {
        levels::insights(self.memory.enter()?, limit)
    }

    /// Pins a conversation event. Until it is unpinned or forgotten, every context of its project
    /// begins with it, its level does not drop, and retention does not forget it. Pinned events
    /// take up to half of the budget, most recently pinned first; an event that does not fit into
    /// the rest of that half is left out. Returns false if the event was already pinned. To pin
    /// something that was learned, pin its citation.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such event; `invalid_argument` naming `event` when it does not
    /// belong to a conversation; `full` when [`MAX_PINNED`](crate::MAX_PINNED) events are pinned;
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn pin(&self, event: impl Into<EventRef>) -> Result<bool> {
        pins::set(self.memory.enter()?, &event.into(), true)
    }

    /// Unpins an event. Returns false if it was not pinned.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Levels::pin`], but never because too many are pinned.
    pub fn unpin(&self, event: impl Into<EventRef>) -> Result<bool> {
        pins::set(self.memory.enter()?, &event.into(), false)
    }

    /// Returns the pinned events of a project, most recently pinned first.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn pinned(&self, project: &ProjectScope) -> Result<Vec<PinnedEvent>> {
        pinned::pinned(self.memory.enter()?, project)
    }
}
