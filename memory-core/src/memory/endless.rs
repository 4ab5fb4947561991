//! The endless mode: one conversation without end.

use crate::learn::endless;
use crate::learn::endless::ConsolidationReport;
use crate::learn::endless::EndlessContext;
use crate::learn::endless::EndlessStatus;
use crate::learn::endless::Summarizer;
use crate::memory::Memory;
use crate::model::error::Result;
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
    /// consolidation is run. Back: only the mode changes, nothing is lost.
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

    /// What is in the working set, the most relevant first, then the newest.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn working_set(&self) -> Result<Vec<WorkingItem>> {
        endless::working_set(self.memory.enter()?)
    }

    /// The consolidated memories, the newest first. `text` is looked for in
    /// the summaries, letter case ignored; then the surest come first.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn memories(&self, text: Option<&str>) -> Result<Vec<ConsolidatedMemory>> {
        endless::memories(self.memory.enter()?, text)
    }

    /// The transitions that were scored last, at most `limit`, 1,000 by default, in the
    /// order of the log.
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

    /// What to give an agent at its start: events in the working set and consolidated
    /// memories. That the memories were given is noted.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn context(&self) -> Result<EndlessContext> {
        endless::context(self.memory.enter()?)
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
