//! The log: appending events, reading them back, and importing them.

use std::path::Path;
use std::time::Duration;

use crate::memory::Memory;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Appended, Event, NewEvent};
use crate::model::filter::EventFilter;
use crate::model::ids::{EventRef, Seq};
use crate::model::progress::Operation;
use crate::model::session::{Session, SessionUpdate};
use crate::recall::shown::read::{self, Walk};
use crate::scope::ProjectScope;
use crate::upkeep::follow;
use crate::upkeep::maintain::after_append;
use crate::write::import::{self, ImportProgress, ImportReport};
use crate::write::transcript::ImportOptions;
use crate::write::{append, session};

impl Memory {
    /// Appends one event. When this returns, the event is on disk.
    ///
    /// The text first passes through the privacy filter. The same content in the same
    /// session is stored only once, unless the event's `dedupe` says otherwise; the receipt
    /// says whether the event was a duplicate.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` for an empty text, a kind that only the library records, a name that is
    /// too long or a time out of range; `busy`, `full` or `io` when the store cannot be written:
    /// nothing is stored then. `needs_reopen` when writing its file failed: the event may be stored
    /// or not; open the store again and repeat the call.
    pub fn append(&self, event: NewEvent) -> Result<Appended> {
        let mut receipts = self.append_batch(vec![event])?;
        receipts
            .pop()
            .ok_or_else(|| Error::new(ErrorCode::Internal, "append returned no receipt"))
    }

    /// Appends several events in one transaction: either all of them or, if one is refused,
    /// none. Receipts are in the order of the events.
    ///
    /// # Growth
    /// By the events of the batch.
    ///
    /// # Errors
    /// As [`Memory::append`]; the message names the event's index when there
    /// is more than one.
    pub fn append_batch(&self, events: Vec<NewEvent>) -> Result<Vec<Appended>> {
        let engine = self.enter()?;
        append::append_batch(engine, events, &|tx| after_append(engine, tx))
    }

    /// Returns an event by its name, for example its id or its citation; `None` if it does
    /// not exist or was forgotten.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io` when the record cannot be read.
    pub fn event(&self, event: impl Into<EventRef>) -> Result<Option<Event>> {
        read::event(self.enter()?, &event.into())
    }

    /// Returns how many events [`Memory::events`] would return. For conditions on the session,
    /// project, kind, tool and time, only indexes are read. With `file_contains`,
    /// `tool_outcome` or `repeats`, the events that meet the other conditions are read as well.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventFilter, EventKind, NewEvent};
    ///
    /// memory.append(NewEvent::new(EventKind::UserPrompt, "s", "Which port?"))?;
    /// memory.append(NewEvent::new(EventKind::AgentResponse, "s", "Port 8080."))?;
    /// let prompts = EventFilter::new().kinds([EventKind::UserPrompt]);
    /// assert_eq!(memory.count_events(&prompts)?, 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By result: a row of an index for each event that is counted. Constant without conditions,
    /// and for a session or a conversation kind alone.
    ///
    /// # Errors
    /// As [`Memory::events`].
    pub fn count_events(&self, filter: &EventFilter) -> Result<u64> {
        read::count_events(self.enter()?, filter)
    }

    /// Returns an event by what people type: an event id, `a7Bc3x`, `mem:a7Bc3x` or
    /// `[mem:a7Bc3x]`.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` when the text is none of these, `not_found` when there is no such event.
    pub fn citation(&self, text: &str) -> Result<Event> {
        read::citation(self.enter()?, text)
    }

    /// Returns an iterator over the events that match a filter, in order of time. Events
    /// are read one by one as the iterator advances, and each step sees the store as it is
    /// at that moment: an event that was forgotten or erased before the step is not
    /// returned, and one that was appended in the meantime is, if its place is still ahead.
    /// To append something for each event that is read, collect the events first or set
    /// [`EventFilter::until`].
    ///
    /// The cost depends on the condition of the filter that the fewest events meet, not on
    /// the size of the store. Only two conditions look at tool observations one by one: an
    /// [`EventFilter::file_contains`] that matches hundreds of files or has fewer than
    /// three bytes, and [`EventFilter::tool_outcome`].
    ///
    /// # Growth
    /// By result: the rarest of the conditions is walked, one event at a time. Failed calls have an
    /// index; for successful ones, every call that meets the other conditions is read.
    ///
    /// # Errors
    /// `invalid_argument` for more tools than [`MAX_FILTER_TOOLS`](crate::MAX_FILTER_TOOLS), and
    /// for an empty or too long name of a tool or part of a path. As [`Memory::event`], also from
    /// the iterator's items; `closed` from the first step after [`Memory::close`]. The iterator is
    /// at its end then.
    pub fn events(&self, filter: EventFilter) -> Result<Events> {
        let walk = Walk::new(self.enter()?, filter)?;
        Ok(Events {
            memory: self.clone(),
            walk,
        })
    }

    /// Returns the events after a position of the log, in log order and of every kind and
    /// project. This is what a viewer or a cache needs to follow the store.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn changes_since(&self, after: Seq, limit: usize) -> Result<Vec<Event>> {
        self.enter()?.store.read()?.changes_since(after.0, limit)
    }

    /// Waits until the log is longer than `after`, for at most `timeout`, and returns the
    /// log's last position. If it is greater than `after`, there is something new for
    /// [`Memory::changes_since`]; otherwise the time ran out. Appends by every process
    /// count. The store is polled every 1 to 25 milliseconds.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// # memory.append(recallite::NewEvent::new(recallite::EventKind::UserPrompt, "s", "new"))?;
    /// use recallite::Seq;
    /// use std::time::Duration;
    ///
    /// let last = memory.wait_for_change(Seq(0), Duration::from_secs(1))?;
    /// assert_eq!(last, Seq(1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `closed` when the handle is closed in the meantime; `io`, `corrupt` or `needs_reopen` when
    /// the store cannot be read.
    pub fn wait_for_change(&self, after: Seq, timeout: Duration) -> Result<Seq> {
        follow::wait_for_change(self.enter()?, after, timeout)
    }

    /// Returns the sessions with the newest events, newest first. At most `limit` are
    /// returned, 1,000 by default. A session is listed under its own project, even if some of its
    /// events belong to others: [`Memory::events`] finds those.
    ///
    /// # Growth
    /// By result; with every project wanted, also by their number.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn sessions(&self, project: &ProjectScope, limit: Option<usize>) -> Result<Vec<Session>> {
        session::sessions(self.enter()?, project, limit)
    }

    /// Returns one session; `None` if no event belongs to it.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn session(&self, id: &str) -> Result<Option<Session>> {
        session::session(self.enter()?, id)
    }

    /// Starts, ends, summarises or tags a session. Fields that are `None` stay as they are.
    /// The change itself is recorded as an event in the log.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::append`]; `invalid_argument` naming `session` or `project` when recording is
    /// paused for it and the update has a summary or tags, naming `ended` when that is before the
    /// session's `started`, and naming `summary` when all of it is private.
    pub fn update_session(&self, id: &str, update: SessionUpdate) -> Result<Session> {
        session::update_session(self.enter()?, id, update)
    }

    /// Imports Claude Code transcripts from a `.jsonl` file, a project's folder with the
    /// files of its subagents, or the root of such folders.
    ///
    /// Events keep the time, session and message uuid of the transcript. Importing the same
    /// transcript again therefore changes nothing, and importing a session that has continued adds
    /// the rest. What has been forgotten since then stays forgotten and is counted as a duplicate.
    /// Lines that are incomplete, not JSON or longer than 64 MiB are counted and skipped.
    ///
    /// ```no_run
    /// # fn main() -> recallite::Result<()> {
    /// let memory = recallite::Memory::open("./memory")?;
    /// let report = memory.import_claude_code("/home/ada/.claude/projects")?;
    /// println!("{} prompts", report.counters.imported_prompts);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By what is imported.
    ///
    /// # Errors
    /// `not_found` when there is no transcript at `path`; `io`, `busy` or
    /// `full` when the store cannot be written (what was stored before stays); `interrupted`
    /// when the program stops it (that stays as well, and importing again adds the rest).
    pub fn import_claude_code(&self, path: impl AsRef<Path>) -> Result<ImportReport> {
        self.import_claude_code_with(path, &ImportOptions::default(), &mut |_| true)
    }

    /// Like [`Memory::import_claude_code`], with options and a progress callback. The
    /// callback is called after each transaction; the import ends when it returns false.
    ///
    /// # Growth
    /// By what is imported.
    ///
    /// # Errors
    /// As [`Memory::import_claude_code`].
    pub fn import_claude_code_with(
        &self,
        path: impl AsRef<Path>,
        options: &ImportOptions,
        progress: &mut dyn FnMut(ImportProgress) -> bool,
    ) -> Result<ImportReport> {
        self.run(Operation::Import, |engine, running| {
            let request = import::Request {
                path: path.as_ref(),
                options,
                along: &|tx| after_append(engine, tx),
                running,
            };
            import::import_claude_code(engine, &request, progress)
        })
    }
}

/// An iterator over events that reads them as it advances. See [`Memory::events`].
#[derive(Debug)]
pub struct Events {
    memory: Memory,
    walk: Walk,
}

impl Iterator for Events {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        self.walk.next(self.memory.enter())
    }

    /// Passes over events without reading them, so that [`Iterator::skip`] costs little. An
    /// error on the way is returned.
    fn nth(&mut self, count: usize) -> Option<Result<Event>> {
        match self.walk.skip(self.memory.enter(), count) {
            Ok(true) => self.next(),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl std::iter::FusedIterator for Events {}
