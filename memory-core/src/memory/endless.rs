//! The endless mode: one conversation without end.

use crate::learn::endless;
use crate::learn::endless::ConsolidationReport;
use crate::learn::endless::EndlessContext;
use crate::learn::endless::EndlessStatus;
use crate::learn::endless::Summarizer;
use crate::learn::working_set;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::rules::endless::ConsolidatedMemory;
use crate::rules::endless::Continuity;
use crate::rules::endless::ContinuityEntry;
use crate::rules::endless::MemoryMode;
use crate::rules::endless::WorkingItem;
use crate::rules::endless::config::EndlessConfig;

/// The endless mode of a memory; see [`Memory::endless`].
#[derive(Clone, Copy, Debug)]
pub struct Endless<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// The endless mode: a working set, consolidated memories and continuity.
    pub fn endless(&self) -> Endless<'_> {
        Endless { memory: self }
    }
}

impl Endless<'_> {
    /// How the memory treats conversations.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn mode(&self) -> Result<MemoryMode> {
        endless::mode(self.memory.enter()?)
    }

    /// The session under which what happens now belongs: in the endless mode
    /// the day's, `endless_YYYY-MM-DD` by local time; otherwise `session`.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn session_now(&self, session: &str) -> Result<String> {
        endless::session_now(self.memory.enter()?, session)
    }

    /// Changes the mode. To the endless mode: the events of the last 7 days come
    /// in the working set, each session's summary becomes a memory, and one
    /// consolidation is run, unless it is left to the host. Back: only the mode changes,
    /// nothing is lost.
    ///
    /// # Growth
    /// Constant: what is taken over is bounded.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn set_mode(&self, mode: MemoryMode) -> Result<()> {
        endless::set_mode(self.memory.enter()?, mode)
    }

    /// The limits of the endless mode.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn config(&self) -> Result<EndlessConfig> {
        endless::config(self.memory.enter()?)
    }

    /// Changes the limits of the endless mode, all of them.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming the limit that is out of range.
    pub fn set_config(&self, config: &EndlessConfig) -> Result<()> {
        endless::set_config(self.memory.enter()?, config)
    }

    /// What is in the working set, the most relevant first, then the newest. What an event
    /// counts falls from its last use on, to half when its time is over. A use (a search
    /// found it, a context gave it, it was refreshed) that was surer than that brings it
    /// back, and it stays longer.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn working_set(&self) -> Result<Vec<WorkingItem>> {
        working_set::items(self.memory.enter()?)
    }

    /// Puts events of conversations into the working set, whatever the mode: what an agent
    /// goes back to, or what was said before the endless mode. `relevance` is how much they
    /// matter now, from 0 to 1; an event that is there already is used again. Returns how
    /// many are there now because of this: none where `relevance` is less than
    /// `min_relevance_score`.
    ///
    /// # Growth
    /// By the events that are given.
    ///
    /// # Errors
    /// `invalid_argument` naming `relevance`, `events` where they are more than 10,000, or
    /// the event that is of no conversation or not among the last 16,384 of the log;
    /// `not_found` naming the event; `busy`, `full` or `io` when the store cannot be written.
    pub fn add_to_working_set(&self, events: &[EventRef], relevance: f64) -> Result<usize> {
        working_set::add(self.memory.enter()?, events, relevance)
    }

    /// Takes note that events in the working set are still at hand: each is as relevant as
    /// one that was just said, and stays longer. It counts as no access. Returns how many of
    /// them were there; the others are passed over.
    ///
    /// # Growth
    /// By the events that are given.
    ///
    /// # Errors
    /// `invalid_argument` naming `events` where they are more than 10,000; `not_found` naming
    /// the event; `busy`, `full` or `io` when the store cannot be written.
    pub fn refresh_working_set(&self, events: &[EventRef]) -> Result<usize> {
        working_set::refresh(self.memory.enter()?, events)
    }

    /// Takes events out of the working set; they stay in the log. What was not made a memory
    /// of by then is not consolidated. Returns how many of them were there; the others are
    /// passed over.
    ///
    /// # Growth
    /// By the events that are given.
    ///
    /// # Errors
    /// As [`Endless::refresh_working_set`](crate::Endless::refresh_working_set).
    pub fn prune_working_set(&self, events: &[EventRef]) -> Result<usize> {
        working_set::prune(self.memory.enter()?, events)
    }

    /// The consolidated memories, the newest first; with `text` those that it finds by
    /// meaning, as a search does, the most relevant first.
    ///
    /// # Growth
    /// By result; with `text` as that of [`search`](crate::Memory::search).
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn memories(&self, text: Option<&str>) -> Result<Vec<ConsolidatedMemory>> {
        endless::memories(self.memory.enter()?, text)
    }

    /// The transitions that were scored last, at most `limit`, 1,000 by default, in the
    /// order of the log: those of the last 7 days, and of the last 16,384 events of the log.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn continuity_log(&self, limit: Option<usize>) -> Result<Vec<ContinuityEntry>> {
        endless::continuity_log(self.memory.enter()?, limit)
    }

    /// Scores how far a text (a prompt, or the beginning of a conversation)
    /// goes on from the context before it, and keeps it as the context for the
    /// next call, in whatever process that is.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `context_id` or `text` when it is blank.
    pub fn score_continuity(&self, context_id: &str, text: &str) -> Result<Continuity> {
        endless::score_continuity(self.memory.enter()?, context_id, text)
    }

    /// How the endless mode stands.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn status(&self) -> Result<EndlessStatus> {
        endless::status(self.memory.enter()?)
    }

    /// What to give an agent: events in the working set and consolidated memories. At its
    /// start these are the most relevant events and the surest memories; with `query` first
    /// the events of the working set that it finds, and only the memories that it finds.
    /// That they were given is noted, each event as sure as it is relevant.
    ///
    /// # Growth
    /// Constant; with `query` as that of [`search`](crate::Memory::search).
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn context(&self, query: Option<&str>) -> Result<EndlessContext> {
        endless::context(self.memory.enter()?, query)
    }

    /// Makes memories of what is in the working set, whether it is due or not.
    ///
    /// # Growth
    /// By result: the events of the working set.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn consolidate(&self) -> Result<ConsolidationReport> {
        endless::consolidate(self.memory.enter()?)
    }

    /// As [`Endless::consolidate`](crate::Endless::consolidate), with summaries in the host's own words. The
    /// callback is called outside of any transaction and lock, so that one which
    /// never answers holds up nobody else; its texts pass the privacy filter.
    ///
    /// # Growth
    /// By result: the events of the working set.
    ///
    /// # Errors
    /// As [`Endless::consolidate`](crate::Endless::consolidate); `closed` when the memory was closed while the
    /// callback ran: nothing is stored then, and the callback is not called again.
    pub fn consolidate_with(&self, summarize: Summarizer<'_>) -> Result<ConsolidationReport> {
        endless::consolidate_with(self.memory.enter()?, summarize)
    }
}
