//! The log: remembering events, reading them back, and importing them.

use crate::memory::Memory;
use crate::write::import::ImportProgress;
use crate::write::import::ImportReport;
use crate::write::transcript::ImportOptions;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Appended, Event, NewEvent};
use crate::model::filter::EventFilter;
use crate::model::ids::{EventRef, Seq};
use crate::model::session::{Session, SessionUpdate};
use crate::recall::read::{self, Walk};
use crate::recall::visit;
use crate::scope::ProjectScope;
use crate::store::event_view::{EventGuard, EventView};
use crate::upkeep::follow;
use crate::upkeep::maintain::after_append;
use crate::write::{append, session};

use crate::write::import;

impl Memory {
    /// Remembers one event. When this returns, the event is on the disk.
    ///
    /// The text passes the privacy filter first. The same content in the same
    /// session is stored once, unless the event's `dedupe` says otherwise; the receipt
    /// says so.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` for an empty text, a kind that only the library records, a name
    /// that is too long or a time out of range; `busy`, `full` or `io` when the store cannot be written: nothing
    /// is stored then. `needs_reopen` when writing its file failed: the event may be
    /// stored or not; open the store again and repeat the call.
    pub fn append(&self, event: NewEvent) -> Result<Appended> {
        let mut receipts = self.append_batch(vec![event])?;
        receipts
            .pop()
            .ok_or_else(|| Error::new(ErrorCode::Internal, "an append gave no receipt"))
    }

    /// Remembers several events in one transaction: all of them or, when one
    /// is refused, none. Receipts are in the order of the events.
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

    /// Reads an event by id, citation or position. `None` when there is no such
    /// event or it was forgotten.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io` when the record cannot be read.
    pub fn event(&self, event: impl Into<EventRef>) -> Result<Option<Event>> {
        read::event(self.enter()?, &event.into())
    }

    /// Looks at an event where the store's page holds it: no text is copied, which
    /// counts for large events and for many. `look` gets a view that cannot outlive the
    /// call. `None` when there is no such event or it was forgotten.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventKind, NewEvent};
    ///
    /// let stored = memory.append(NewEvent::new(EventKind::UserPrompt, "s", "Port 8080."))?;
    /// let length = memory.with_event(stored.id, |event| event.content().len())?;
    /// assert_eq!(length, Some(10));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn with_event<T>(
        &self,
        event: impl Into<EventRef>,
        look: impl FnOnce(&EventView<'_>) -> T,
    ) -> Result<Option<T>> {
        let guard = self.event_guard(event)?;
        guard.map(|guard| Ok(look(&guard.view()?))).transpose()
    }

    /// Visits the events that [`Memory::events`] would give, in the same order, each where
    /// the store's page holds it, and gives how many were visited. The visit ends when
    /// `visit` breaks. It may call the memory, and what it forgets or erases is not
    /// visited any more; of what other processes do it may learn a millisecond later.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::EventFilter;
    /// use std::ops::ControlFlow;
    ///
    /// let mut characters = 0;
    /// memory.scan_events(EventFilter::new(), |event| {
    ///     characters += event.content().chars().count();
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By result, as [`Memory::events`].
    ///
    /// # Errors
    /// As [`Memory::events`]; what was visited before stays visited.
    pub fn scan_events(
        &self,
        filter: EventFilter,
        visit: impl FnMut(&EventView<'_>) -> ControlFlow<()>,
    ) -> Result<u64> {
        visit::scan_events(|| self.enter(), filter, visit)
    }

    /// Holds the page of an event in memory, for a view that lives as long as a value
    /// of the program's: what [`Memory::with_event`] is made of. Like an [`Event`], it
    /// stays what it was when the event is forgotten or erased, and when the memory is
    /// closed. No call waits for it, but space that others free meanwhile is not used
    /// again before it is dropped.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn event_guard(&self, event: impl Into<EventRef>) -> Result<Option<EventGuard>> {
        read::guard(self.enter()?, &event.into())
    }

    /// Reads an event by what people type: an event id, `a7Bc3x`, `mem:a7Bc3x`
    /// or `[mem:a7Bc3x]`.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` when the text is neither, `not_found` when there is
    /// no such event.
    pub fn citation(&self, text: &str) -> Result<Event> {
        read::citation(self.enter()?, text)
    }

    /// Events in the order of time that fit a filter, read as they are asked
    /// for. Each step sees what is stored at that moment: an event that was
    /// forgotten or erased before the step is not given, and one that was appended
    /// meanwhile is, when its place is still ahead. To append for each event that
    /// is read, collect them first or set [`EventFilter::until`].
    ///
    /// What is read follows the condition of the filter that the fewest events fulfil,
    /// not the store. Only a [`EventFilter::file_contains`] that hundreds of files fit, or
    /// of less than three bytes, and [`EventFilter::tool_outcome`] look at tool
    /// observations one by one.
    ///
    /// # Growth
    /// By result: the rarest of the conditions is walked, one event at a time.
    ///
    /// # Errors
    /// `invalid_argument` for more tools than
    /// [`MAX_FILTER_TOOLS`](crate::MAX_FILTER_TOOLS), and for an empty or too long name of
    /// a tool or part of a path. As [`Memory::event`], also from the iterator's items; `closed` from the
    /// first step after [`Memory::close`]. The iterator is at its end then.
    pub fn events(&self, filter: EventFilter) -> Result<Events> {
        let walk = Walk::new(self.enter()?, filter)?;
        Ok(Events {
            memory: self.clone(),
            walk,
        })
    }

    /// Events after a position of the log, in log order, of every kind and
    /// project: what a viewer or a cache needs to follow the store.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn changes_since(&self, after: Seq, limit: usize) -> Result<Vec<Event>> {
        self.enter()?.store.read()?.changes_since(after.0, limit)
    }

    /// Waits until the log is longer than `after`, at most `timeout`, and gives
    /// its last position: greater than `after` when there is something new for
    /// [`Memory::changes_since`], not greater when the time ran out. Appends of
    /// every process count. It looks at the store every 1 to 25 milliseconds
    /// and sleeps between.
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
    /// `closed` when the handle is closed meanwhile; `io`, `corrupt` or
    /// `needs_reopen` when the store cannot be read.
    pub fn wait_for_change(&self, after: Seq, timeout: Duration) -> Result<Seq> {
        follow::wait_for_change(self.enter()?, after, timeout)
    }

    /// The sessions of the store that have the newest events, at most `limit`, 1,000 by
    /// default; the one with the newest event first.
    ///
    /// # Growth
    /// By result; with every project wanted, also by their number.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn sessions(&self, project: ProjectScope, limit: Option<usize>) -> Result<Vec<Session>> {
        session::sessions(self.enter()?, &project, limit)
    }

    /// One session, or `None` when no event belongs to it.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn session(&self, id: &str) -> Result<Option<Session>> {
        session::session(self.enter()?, id)
    }

    /// Starts, ends, summarises or tags a session. Fields that are `None` stay
    /// as they are. The change itself is an event of the log.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::append`].
    pub fn update_session(&self, id: &str, update: SessionUpdate) -> Result<Session> {
        session::update_session(self.enter()?, id, update)
    }

    /// Imports Claude Code transcripts: a `.jsonl` file, a project's folder
    /// with its subagents' files, or the root of such folders.
    ///
    /// Events carry the time, session and message uuid of the transcript, so
    /// that importing again changes nothing and a session that goes on is
    /// completed by the next import. Lines that are half-written, not JSON or
    /// longer than 64 MB are counted and passed over.
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
    /// `full` when the store cannot be written (what was stored before stays).
    pub fn import_claude_code(&self, path: impl AsRef<Path>) -> Result<ImportReport> {
        self.import_claude_code_with(path, &ImportOptions::default(), &mut |_| true)
    }

    /// As [`Memory::import_claude_code`], with options and a progress callback
    /// that is called after each transaction; the import ends when it gives
    /// false.
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
        let engine = self.enter()?;
        let request = import::Request {
            path: path.as_ref(),
            options,
            along: &|tx| after_append(engine, tx),
        };
        import::import_claude_code(engine, &request, progress)
    }
}

/// Events, read as they are asked for. See [`Memory::events`].
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
}

impl std::iter::FusedIterator for Events {}
