//! How far memories have risen by being used.

use crate::learn::levels;
use crate::learn::levels::EventLevel;
use crate::learn::levels::Graduated;
use crate::learn::levels::LevelCounts;
use crate::learn::pins;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::recall::pins::{self as pinned, PinnedEvent};
use crate::rules::levels::Insight;
use crate::scope::ProjectScope;

/// The levels of a memory; see [`Memory::levels`].
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Levels: how far events have risen, from raw (L0) to active (L4), by being used.
    pub fn levels(&self) -> Levels<'_> {
        Levels { memory: self }
    }
}

impl Levels<'_> {
    /// The level of an event and how it was used.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn get(&self, event: impl Into<EventRef>) -> Result<EventLevel> {
        levels::get(self.memory.enter()?, event.into())
    }

    /// How many conversation events lie at each level.
    ///
    /// # Growth
    /// By the events that rose above L0.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn counts(&self) -> Result<LevelCounts> {
        levels::counts(self.memory.enter()?)
    }

    /// Takes note that events were used in a session, for hosts that recall by
    /// other ways than `search`. It is written with the next append, `maintain`
    /// or `close`.
    ///
    /// # Growth
    /// By the events that are given.
    ///
    /// # Errors
    /// `invalid_argument` naming `confidence`; `not_found` naming the event.
    pub fn record_access(&self, events: &[EventRef], session: &str, confidence: f64) -> Result<()> {
        levels::record_access(self.memory.enter()?, events, session, confidence)
    }

    /// After so many days without an access a memory's worth is halved, and it
    /// may sink a level. `None` (the default) switches sinking off.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `half_life_days` unless it is positive.
    pub fn set_half_life_days(&self, half_life_days: Option<f64>) -> Result<()> {
        levels::set_half_life_days(self.memory.enter()?, half_life_days)
    }

    /// Judges at most `budget` events that were used since they were last
    /// judged: each rises at most one level. Then looks what those at L1 and
    /// higher, taken together, give away.
    ///
    /// # Growth
    /// Constant: by the budget.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn graduate(&self, budget: usize) -> Result<Graduated> {
        levels::graduate(self.memory.enter()?, budget)
    }

    /// The insights that were found, by their keys.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn insights(&self) -> Result<Vec<Insight>> {
        levels::insights(self.memory.enter()?)
    }

    /// Pins an event of a conversation: until it is unpinned or forgotten, every
    /// [`context`](Memory::context) of its project begins with it, in up to half of
    /// the budget, the latest pinned first; it sinks no level, and retention leaves it
    /// alone. False when it was pinned already. To pin something that was learned, pin
    /// its citation.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such event; `invalid_argument` naming `event` when
    /// it is of no conversation; `full` when [`MAX_PINNED`](crate::MAX_PINNED) events
    /// are pinned; `busy`, `full` or `io` when the store cannot be written.
    pub fn pin(&self, event: impl Into<EventRef>) -> Result<bool> {
        pins::set(self.memory.enter()?, &event.into(), true)
    }

    /// Takes back that an event is pinned. False when it was not.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Levels::pin`], but never because too many are pinned.
    pub fn unpin(&self, event: impl Into<EventRef>) -> Result<bool> {
        pins::set(self.memory.enter()?, &event.into(), false)
    }

    /// The events of a project that are pinned, the latest pinned first.
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
