//! The endless mode: one conversation that never ends.

use crate::learn::endless::{
    self, ConsolidationReport, EndlessContext, EndlessStatus, PreparedConsolidation, Summarizer,
};
use crate::learn::working_set;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::rules::endless::config::EndlessConfig;
use crate::rules::endless::{
    ConsolidatedMemory, Continuity, ContinuityEntry, MemoryMode, WorkingItem,
};

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
    /// Returns how the memory treats conversations.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn mode(&self) -> Result<MemoryMode> {
        endless::mode(self.memory.enter()?)
    }

    /// Returns the session that something happening now belongs to. In the endless mode
    /// this is the session of the day, `endless_YYYY-MM-DD` by local time, unless recording of
    /// `session` is paused: nothing is then stored under its own name, which is
    /// returned, as in the other mode.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` for a blank or too long `session`; `corrupt` or `io`.
    pub fn session_now(&self, session: &str) -> Result<String> {
        endless::session_now(self.memory.enter()?, session)
    }

    /// Changes the mode. Switching to the endless mode moves the events of the last 7 days into the
    /// working set (the newest, as many as it holds), turns the summary of each session into a
    /// memory, and runs one consolidation, unless consolidation is left to the host. The summary of
    /// a session is the one that [`Memory::update_session`](crate::Memory::update_session) set,
    /// otherwise its newest event of the kind [`SessionSummary`](crate::EventKind::SessionSummary),
    /// notes aside. A memory made from a summary is removed when the session is forgotten or
    /// erased. Switching back changes only the mode; nothing is lost.
    ///
    /// # Growth
    /// By store if the mode changes to endless, for the summaries of all sessions; otherwise
    /// constant.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn set_mode(&self, mode: MemoryMode) -> Result<()> {
        endless::set_mode(self.memory.enter()?, mode)
    }

    /// Returns the limits of the endless mode.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn config(&self) -> Result<EndlessConfig> {
        endless::config(self.memory.enter()?)
    }

    /// Replaces all limits of the endless mode. What is left out has its default from then on: to
    /// change a single limit, change what [`Endless::config`](crate::Endless::config) returns.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming the limit that is out of range.
    pub fn set_config(&self, config: &EndlessConfig) -> Result<()> {
        endless::set_config(self.memory.enter()?, config)
    }

    /// Returns what is in the working set, most relevant first, then newest first. The
    /// relevance of an event falls from its last use on, to half by the time it expires. A
    /// use with a higher confidence than that (a search found it, a context included it, it
    /// was refreshed) raises it again and keeps it longer.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn working_set(&self) -> Result<Vec<WorkingItem>> {
        working_set::items(self.memory.enter()?)
    }

    /// Adds conversation events to the working set, in any mode: for example what an agent
    /// is returning to, or what was said before the endless mode began. `relevance` is how
    /// much they matter now, from 0 to 1. An event that is already there counts as used
    /// again. Returns how many are there now because of this call; that is 0 if `relevance`
    /// is less than `min_relevance_score`.
    ///
    /// # Growth
    /// By the events that are given.
    ///
    /// # Errors
    /// `invalid_argument` naming `relevance`, naming `events` if there are more than 10,000, or
    /// naming an event that does not belong to a conversation or is not among the last 16,384 of
    /// the log; `not_found` naming the event; `busy`, `full` or `io` when the store cannot be
    /// written.
    pub fn add_to_working_set(&self, events: &[EventRef], relevance: f64) -> Result<usize> {
        working_set::add(self.memory.enter()?, events, relevance)
    }

    /// Marks events in the working set as still in use: each becomes as relevant as an
    /// event that was just said, and stays longer. This does not count as an access.
    /// Returns how many of the events were in the working set; the others are ignored.
    ///
    /// # Growth
    /// By the events that are given.
    ///
    /// # Errors
    /// `invalid_argument` naming `events` if there are more than 10,000; `not_found` naming the
    /// event; `busy`, `full` or `io` when the store cannot be written.
    pub fn refresh_working_set(&self, events: &[EventRef]) -> Result<usize> {
        working_set::refresh(self.memory.enter()?, events)
    }

    /// Removes events from the working set; they stay in the log. Events that were not
    /// consolidated by then are not consolidated any more. Returns how many of the events
    /// were in the working set; the others are ignored.
    ///
    /// # Growth
    /// By the events that are given.
    ///
    /// # Errors
    /// As [`Endless::refresh_working_set`](crate::Endless::refresh_working_set).
    pub fn prune_working_set(&self, events: &[EventRef]) -> Result<usize> {
        working_set::prune(self.memory.enter()?, events)
    }

    /// Returns the consolidated memories, newest first. With `text`, returns only those
    /// that match it by meaning, as in a search, most relevant first. At most `limit` are
    /// returned, 1,000 by default.
    ///
    /// # Growth
    /// By result; with `text` as that of [`search`](crate::Memory::search).
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn memories(
        &self,
        text: Option<&str>,
        limit: Option<usize>,
    ) -> Result<Vec<ConsolidatedMemory>> {
        endless::memories(self.memory.enter()?, text, limit)
    }

    /// Returns the transitions that were scored last, in log order. At most `limit` are
    /// returned, 1,000 by default. They cover the last 7 days and the last 16,384 positions of
    /// the log.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn continuity_log(&self, limit: Option<usize>) -> Result<Vec<ContinuityEntry>> {
        endless::continuity_log(self.memory.enter()?, limit)
    }

    /// Scores how far a text (a prompt, or the beginning of a conversation) continues the
    /// context before it. The text is then kept as the context for the next call, in any
    /// process. While recording is paused for the project, or for a session with the name
    /// `context_id`, the text is scored and nothing of it is kept.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `context_id` or `text` when it is blank.
    pub fn score_continuity(&self, context_id: &str, text: &str) -> Result<Continuity> {
        endless::score_continuity(self.memory.enter()?, context_id, text)
    }

    /// Returns the current state of the endless mode.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn status(&self) -> Result<EndlessStatus> {
        endless::status(self.memory.enter()?)
    }

    /// Returns what to give to an agent: events of the working set and consolidated
    /// memories. Without a `query`, as at the start of a session, these are the most
    /// relevant events and the memories with the highest confidence. With a `query`, the
    /// events of the working set that match it come first, and only matching memories are
    /// included. Giving them is recorded as a use of each event, with the event's relevance
    /// as its confidence.
    ///
    /// # Growth
    /// Constant; with `query` as that of [`search`](crate::Memory::search).
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn context(&self, query: Option<&str>) -> Result<EndlessContext> {
        endless::context(self.memory.enter()?, query)
    }

    /// Consolidates the working set into memories now, whether or not it is due: the oldest events
    /// that wait, as many as the working set holds. The report says how many still wait.
    ///
    /// # Growth
    /// By the events of the working set and the consolidated memories.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn consolidate(&self) -> Result<ConsolidationReport> {
        endless::consolidate(self.memory.enter()?)
    }

    /// Like [`Endless::consolidate`](crate::Endless::consolidate), with summaries written by the
    /// host. The callback is called outside of any transaction and lock, so one that never returns
    /// blocks nobody else. Its texts pass through the privacy filter. If one of the events was
    /// forgotten or erased in the meantime, the summary is not stored, and the other events wait
    /// for the next consolidation.
    ///
    /// # Growth
    /// By the events of the working set and the consolidated memories.
    ///
    /// # Errors
    /// As [`Endless::consolidate`](crate::Endless::consolidate); `closed` when the memory was
    /// closed while the callback ran, and `invalid_argument` naming `summarize` when a summary has
    /// more than 20,000 characters; the callback's own error when it fails: nothing is stored then,
    /// and the callback is not called again.
    pub fn consolidate_with(&self, summarize: Summarizer<'_>) -> Result<ConsolidationReport> {
        endless::consolidate_with(self.memory.enter()?, summarize)
    }

    /// The first step of a consolidation for hosts whose model answers later, and for which
    /// no thread should wait: the groups of events to summarise, as they are now. What is
    /// appended until they are stored belongs to a later consolidation. Nothing is stored,
    /// and nothing is held open.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// let prepared = memory.endless().prepare_consolidation()?;
    /// let summaries = prepared.groups().iter().map(|group| Some(group.texts.join("\n")));
    /// memory.endless().store_consolidation(&prepared, summaries.collect())?;
    /// # Ok::<(), recallite::Error>(())
    /// ```
    ///
    /// # Growth
    /// By the events of the working set and the consolidated memories.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn prepare_consolidation(&self) -> Result<PreparedConsolidation> {
        endless::prepare(self.memory.enter()?)
    }

    /// Stores a prepared consolidation with the host's summaries, one for each group; `None` means
    /// the summary made by rules. Otherwise like
    /// [`Endless::consolidate_with`](crate::Endless::consolidate_with): if one of the events was
    /// forgotten, erased or consolidated in the meantime, the summary is not stored.
    ///
    /// # Growth
    /// By the events of the groups.
    ///
    /// # Errors
    /// As [`Endless::consolidate`](crate::Endless::consolidate); `invalid_argument` naming
    /// `summaries` if their number is wrong, and naming `summarize` when one has more than
    /// 20,000 characters.
    pub fn store_consolidation(
        &self,
        prepared: &PreparedConsolidation,
        summaries: Vec<Option<String>>,
    ) -> Result<ConsolidationReport> {
        endless::store_prepared(self.memory.enter()?, prepared, summaries)
    }
}
