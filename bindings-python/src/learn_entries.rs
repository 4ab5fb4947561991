//! Learned entries: what is known, how well it is proved, and what disagrees.

// Python's keyword arguments are Rust's positional ones.
#![allow(clippy::too_many_arguments)]

use pyo3::prelude::*;
use recallite::rules::entries::{EntryId, EntryType, Stage};
use recallite::{EntryFilter, NewEntry};

use crate::areas::Knowledge;
use crate::argument::{self, Given, optional, word as given_word};
use crate::convert::{give, give_placed, is_a, rows_placed};
use crate::learn_argument::{any_id, entry_id};
use crate::places::Placed;

/// The keyword arguments that choose entries.
struct Chosen<'a, 'py> {
    project: &'a Given<'py>,
    entry_type: &'a Given<'py>,
    min_stage: &'a Given<'py>,
    status: &'a Given<'py>,
    session: &'a Given<'py>,
    as_of: &'a Given<'py>,
    text: &'a Given<'py>,
    limit: &'a Given<'py>,
}

impl Chosen<'_, '_> {
    fn filter(&self) -> PyResult<EntryFilter> {
        Ok(EntryFilter {
            project: optional(self.project, "project", argument::scope)?.unwrap_or_default(),
            entry_type: optional(self.entry_type, "entry_type", given_word::<EntryType>)?,
            min_stage: optional(self.min_stage, "min_stage", given_word::<Stage>)?,
            status: optional(self.status, "status", argument::text)?,
            session: optional(self.session, "session", argument::text)?,
            as_of: optional(self.as_of, "as_of", argument::timestamp)?,
            text: optional(self.text, "text", argument::text)?,
            limit: optional(self.limit, "limit", argument::size)?,
        })
    }
}

#[pymethods]
impl Knowledge {
    /// Learned entries that fit every filter that is given, the one learned last
    /// in front.
    ///
    /// `min_stage`: at least so well proved. `as_of`: holding at this moment,
    /// whatever became of it later. `text`: in the title or content, letter case
    /// ignored.
    #[pyo3(
        signature = (
            *, project=None, entry_type=None, min_stage=None, status=None, session=None,
            as_of=None, text=None, limit=None
        ),
        text_signature = "($self, *, project=None, entry_type=None, min_stage=None, status=None, \
                          session=None, as_of=None, text=None, limit=1000)"
    )]
    fn entries<'py>(
        &self,
        py: Python<'py>,
        project: Given<'py>,
        entry_type: Given<'py>,
        min_stage: Given<'py>,
        status: Given<'py>,
        session: Given<'py>,
        as_of: Given<'py>,
        text: Given<'py>,
        limit: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let chosen = Chosen {
            project: &project,
            entry_type: &entry_type,
            min_stage: &min_stage,
            status: &status,
            session: &session,
            as_of: &as_of,
            text: &text,
            limit: &limit,
        };
        self.call(
            py,
            "knowledge.entries",
            || chosen.filter(),
            |memory, filter| memory.knowledge().entries(&filter)?.placed(memory),
            rows_placed,
        )
    }

    /// Learned entries that answer a question or hold some words, best first.
    /// Related words and other forms count, as in `search`.
    ///
    /// Entries that were superseded or deprecated are left out unless `status` or
    /// `as_of` asks for them; contested ones count less. An entry that was
    /// confirmed to mean another one is replaced by it. The filters are those of
    /// `entries`.
    #[pyo3(
        signature = (
            query, *, project=None, entry_type=None, min_stage=None, status=None, session=None,
            as_of=None, text=None, limit=None
        ),
        text_signature = "($self, query, *, project=None, entry_type=None, min_stage=None, \
                          status=None, session=None, as_of=None, text=None, limit=10)"
    )]
    fn search<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        project: Given<'py>,
        entry_type: Given<'py>,
        min_stage: Given<'py>,
        status: Given<'py>,
        session: Given<'py>,
        as_of: Given<'py>,
        text: Given<'py>,
        limit: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let chosen = Chosen {
            project: &project,
            entry_type: &entry_type,
            min_stage: &min_stage,
            status: &status,
            session: &session,
            as_of: &as_of,
            text: &text,
            limit: &limit,
        };
        self.call(
            py,
            "knowledge.search",
            || Ok((argument::text(query, "query")?, chosen.filter()?)),
            |memory, (query, filter): (String, EntryFilter)| {
                memory.knowledge().search(&query, &filter)?.placed(memory)
            },
            rows_placed,
        )
    }

    /// Writes an entry without an extraction: a fact that a user states, a decision
    /// that was made elsewhere.
    ///
    /// `event` is the event of the session that proves it, whose words count as its
    /// quote; without one, the content is remembered as said by the user. The same
    /// entry again gives the one that is there.
    #[pyo3(
        signature = (
            title, content, *, session, entry_type=None, project=None, valid_from=None,
            valid_to=None, event=None
        ),
        text_signature = "($self, title, content, *, session, entry_type='fact', project=None, \
                          valid_from=None, valid_to=None, event=None)"
    )]
    fn add_entry<'py>(
        &self,
        py: Python<'py>,
        title: &Bound<'py, PyAny>,
        content: &Bound<'py, PyAny>,
        session: &Bound<'py, PyAny>,
        entry_type: Given<'py>,
        project: Given<'py>,
        valid_from: Given<'py>,
        valid_to: Given<'py>,
        event: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let entry_type = optional(&entry_type, "entry_type", given_word::<EntryType>)?;
            let mut entry = NewEntry::new(
                entry_type.unwrap_or(EntryType::Fact),
                argument::text(session, "session")?,
                argument::text(title, "title")?,
                argument::text(content, "content")?,
            );
            entry.project = optional(&project, "project", argument::text)?;
            entry.valid_from = optional(&valid_from, "valid_from", argument::timestamp)?;
            entry.valid_to = optional(&valid_to, "valid_to", argument::timestamp)?;
            entry.event = optional(&event, "event", argument::event_ref)?;
            Ok(entry)
        };
        self.call(
            py,
            "knowledge.add_entry",
            arguments,
            |memory, entry| memory.knowledge().add_entry(&entry)?.placed(memory),
            give_placed,
        )
    }

    /// What to give to a language model of your own so that it extracts what a session
    /// taught: the task, what is known already, and the messages that no model has read,
    /// within a budget of estimated tokens, at least 2,000.
    ///
    /// Give its answer to `ingest` with `messages=request.messages`; the next request
    /// goes on behind them. A first message that exceeds the budget alone is cut.
    #[pyo3(
        signature = (session, *, budget_tokens=None),
        text_signature = "($self, session, *, budget_tokens=8000)"
    )]
    fn extraction_request<'py>(
        &self,
        py: Python<'py>,
        session: &Bound<'py, PyAny>,
        budget_tokens: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok((
                argument::text(session, "session")?,
                optional(&budget_tokens, "budget_tokens", argument::size)?,
            ))
        };
        self.call(
            py,
            "knowledge.extraction_request",
            arguments,
            |memory, (session, budget): (String, _)| {
                memory.knowledge().extraction_request(&session, budget)
            },
            give,
        )
    }

    /// One learned entry, or `None`.
    #[pyo3(signature = (id, /))]
    fn entry<'py>(&self, py: Python<'py>, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "knowledge.entry",
            || entry_id(id, "id"),
            |memory, id| memory.knowledge().entry(&id)?.placed(memory),
            give_placed,
        )
    }

    /// Says that `newer` takes the place of `older`, which stops holding when the
    /// newer one began to hold. Saying it twice changes nothing.
    #[pyo3(signature = (older, newer))]
    fn supersede(
        &self,
        py: Python<'_>,
        older: &Bound<'_, PyAny>,
        newer: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.call(
            py,
            "knowledge.supersede",
            || Ok((entry_id(older, "older")?, entry_id(newer, "newer")?)),
            |memory, (older, newer)| memory.knowledge().supersede(&older, &newer),
            |_, ()| Ok(()),
        )
    }

    /// Says that two entries disagree. Both count less until the conflict is
    /// resolved. Saying it twice gives the conflict that is there.
    #[pyo3(signature = (older, newer, *, reason=None))]
    fn contradict<'py>(
        &self,
        py: Python<'py>,
        older: &Bound<'py, PyAny>,
        newer: &Bound<'py, PyAny>,
        reason: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok((
                entry_id(older, "older")?,
                entry_id(newer, "newer")?,
                optional(&reason, "reason", argument::text)?,
            ))
        };
        self.call(
            py,
            "knowledge.contradict",
            arguments,
            |memory, (older, newer, reason): (EntryId, EntryId, Option<String>)| {
                memory
                    .knowledge()
                    .contradict(&older, &newer, reason.as_deref())
            },
            give,
        )
    }

    /// Ends a conflict in favour of one entry; the other is taken back.
    /// `conflict` is its id or the `Conflict`. Raises `InvalidTransition` when it
    /// has ended already.
    #[pyo3(signature = (conflict, in_favour_of, resolution, resolved_by))]
    fn resolve_conflict<'py>(
        &self,
        py: Python<'py>,
        conflict: &Bound<'py, PyAny>,
        in_favour_of: &Bound<'py, PyAny>,
        resolution: &Bound<'py, PyAny>,
        resolved_by: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let id = if is_a(conflict, "Conflict")? {
                argument::text(&conflict.getattr("conflict_id")?, "conflict")?
            } else {
                argument::text(conflict, "conflict")?
            };
            Ok((
                id,
                entry_id(in_favour_of, "in_favour_of")?,
                argument::text(resolution, "resolution")?,
                argument::text(resolved_by, "resolved_by")?,
            ))
        };
        self.call(
            py,
            "knowledge.resolve_conflict",
            arguments,
            |memory, (id, in_favour_of, resolution, resolved_by)| {
                memory
                    .knowledge()
                    .resolve_conflict(&id, &in_favour_of, &resolution, &resolved_by)
                    .map_err(|error| argument::renamed(error, &[("conflict_id", "conflict")]))
            },
            give,
        )
    }

    /// Raises a verified entry to certified: somebody vouches for it. Raises
    /// `InvariantViolation` when it is not verified or does not count.
    #[pyo3(signature = (id, certified_by))]
    fn certify(
        &self,
        py: Python<'_>,
        id: &Bound<'_, PyAny>,
        certified_by: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.call(
            py,
            "knowledge.certify",
            || {
                Ok((
                    entry_id(id, "id")?,
                    argument::text(certified_by, "certified_by")?,
                ))
            },
            |memory, (id, certified_by)| memory.knowledge().certify(&id, &certified_by),
            |_, ()| Ok(()),
        )
    }

    /// Takes an entry back without a successor: it stops holding now.
    #[pyo3(signature = (id, /))]
    fn deprecate(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(
            py,
            "knowledge.deprecate",
            || entry_id(id, "id"),
            |memory, id| memory.knowledge().deprecate(&id),
            |_, ()| Ok(()),
        )
    }

    /// What an uncertain memory (an event, entry or condition) means now: itself,
    /// or what it was confirmed to be.
    #[pyo3(signature = (memory, /))]
    fn effective_memory<'py>(
        &self,
        py: Python<'py>,
        memory: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "knowledge.effective_memory",
            || any_id(memory, "memory"),
            |store, memory| store.knowledge().effective_memory(&memory),
            give,
        )
    }
}
