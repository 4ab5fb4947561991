//! The methods of `Memory` that forget, check, follow and maintain.

// Python's keyword arguments are Rust's positional ones.
#![allow(clippy::too_many_arguments)]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use recallite::rules::outbox::MAX_RETRIES;
use recallite::{Error, ErrorCode, MaintainBudget, Selector, Seq, Timestamp};

use crate::areas::Upkeep;
use crate::argument::{self, Given, optional};
use crate::convert::give;
use crate::failure::{invalid, raise};
use crate::memory::Memory;

/// How long a wait goes on before Ctrl-C is looked at.
const SIGNAL_PAUSE: Duration = Duration::from_millis(100);

/// What selects events, as the caller gave it.
pub(crate) struct Selection<'a, 'py> {
    pub(crate) events: &'a Given<'py>,
    pub(crate) session: &'a Given<'py>,
    pub(crate) before: &'a Given<'py>,
    pub(crate) project: &'a Given<'py>,
    pub(crate) kinds: &'a Given<'py>,
    pub(crate) everything: &'a Given<'py>,
}

impl Selection<'_, '_> {
    /// Whether nothing was given at all.
    pub(crate) fn is_empty(&self) -> bool {
        [
            self.events,
            self.session,
            self.before,
            self.project,
            self.kinds,
            self.everything,
        ]
        .into_iter()
        .all(|given| given.as_ref().is_none_or(|value| value.is_none()))
    }

    pub(crate) fn selector(&self, py: Python<'_>) -> PyResult<Selector> {
        let mut selector = Selector::new();
        if let Some(events) = optional(self.events, "events", argument::event_refs)? {
            // To the core no ids are no condition, and the other conditions would
            // select more than the caller named.
            if events.is_empty() {
                return Err(invalid(py, "events", "is empty; it selects nothing"));
            }
            selector.ids = events;
        }
        selector.session = optional(self.session, "session", argument::text)?;
        selector.before = optional(self.before, "before", argument::timestamp)?;
        selector.project = optional(self.project, "project", argument::scope)?.unwrap_or_default();
        if let Some(kinds) = optional(self.kinds, "kinds", argument::kinds)? {
            if kinds.is_empty() {
                return Err(invalid(py, "kinds", "is empty; it selects nothing"));
            }
            selector.kinds = kinds;
        }
        selector.everything =
            optional(self.everything, "everything", argument::boolean)?.unwrap_or_default();
        Ok(selector)
    }
}

/// The core's words for a refused selection are Rust's.
pub(crate) fn in_python(error: Error) -> Error {
    if error.code() == ErrorCode::InvalidArgument && error.argument() == Some("selector") {
        return Error::invalid(
            "events",
            "no event, session, time, project or kind is named; \
             give everything=True to select all",
        );
    }
    error
}

fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_millis_clamped(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[pymethods]
impl Memory {
    /// Forgets events: no read, search or count shows them again. Their records
    /// stay in the log until they are erased.
    ///
    /// `events` is one or several ids, citations, positions or results; every
    /// condition that is given must hold, and one must be given. `everything=True`
    /// selects all events of the project. Without `kinds`, conversation events are
    /// meant. Forgetting what is forgotten counts nothing.
    #[pyo3(
        signature = (
            events=None, *, session=None, before=None, project=None, kinds=None, everything=None
        ),
        text_signature = "($self, events=None, *, session=None, before=None, project=None, \
                          kinds=None, everything=False)"
    )]
    fn forget<'py>(
        &self,
        py: Python<'py>,
        events: Given<'py>,
        session: Given<'py>,
        before: Given<'py>,
        project: Given<'py>,
        kinds: Given<'py>,
        everything: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let selection = Selection {
            events: &events,
            session: &session,
            before: &before,
            project: &project,
            kinds: &kinds,
            everything: &everything,
        };
        self.call(
            py,
            "forget",
            || selection.selector(py),
            |memory, selector| memory.forget(&selector).map_err(in_python),
            give,
        )
    }

    /// Erases events: their content, metadata, names and everything recorded about
    /// them leave the log and every file of the store. It costs as much as a
    /// rebuild. Backups, exports and the same words in other events are the
    /// caller's. The arguments are those of `forget`.
    #[pyo3(
        signature = (
            events=None, *, session=None, before=None, project=None, kinds=None, everything=None
        ),
        text_signature = "($self, events=None, *, session=None, before=None, project=None, \
                          kinds=None, everything=False)"
    )]
    fn erase<'py>(
        &self,
        py: Python<'py>,
        events: Given<'py>,
        session: Given<'py>,
        before: Given<'py>,
        project: Given<'py>,
        kinds: Given<'py>,
        everything: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let selection = Selection {
            events: &events,
            session: &session,
            before: &before,
            project: &project,
            kinds: &kinds,
            everything: &everything,
        };
        self.call(
            py,
            "erase",
            || selection.selector(py),
            |memory, selector| memory.erase(&selector).map_err(in_python),
            give,
        )
    }

    /// Makes every derived table again from the log, in one transaction. `as_of`
    /// is the moment at which what depends on time is judged; by default now.
    #[pyo3(signature = (*, as_of=None), text_signature = "($self, *, as_of=None)")]
    fn rebuild<'py>(&self, py: Python<'py>, as_of: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "rebuild",
            || Ok(optional(&as_of, "as_of", argument::timestamp)?.unwrap_or_else(now)),
            |memory, as_of| memory.rebuild(as_of),
            give,
        )
    }

    /// Waits until the log is longer than `after` (a `seq`), at most `timeout_ms`,
    /// and gives its last position: not greater than `after` when the time ran out.
    /// Appends of every process count.
    #[pyo3(signature = (after, timeout_ms), text_signature = "($self, after, timeout_ms)")]
    fn wait_for_change(
        &self,
        py: Python<'_>,
        after: &Bound<'_, PyAny>,
        timeout_ms: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        self.watched(py, "wait_for_change", || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            let after = Seq(argument::whole(after, "after")?);
            let timeout = Duration::from_millis(argument::whole(timeout_ms, "timeout_ms")?);
            let begun = Instant::now();
            loop {
                let left = timeout.saturating_sub(begun.elapsed());
                let step = left.min(SIGNAL_PAUSE);
                let last = py
                    .detach(|| memory.wait_for_change(after, step))
                    .map_err(|error| raise(py, &error))?;
                if last > after || step == left {
                    return Ok(last.0);
                }
                py.check_signals()?;
            }
        })
    }

    /// Does what may wait, a bounded step of each: flushes and merges the index,
    /// graduates, consolidates, learns by rules from sessions that ended or fell
    /// silent, embeds, and builds graphs of vectors where the memory was opened with
    /// `vector_graph_from`. Call it when the host is idle, until
    /// `has_more` is false. Nothing new is begun after `time_ms` milliseconds. What
    /// the embedder does wrong is counted in `jobs_failed`.
    #[pyo3(
        signature = (
            *, graduate_events=None, merges=None, merge_events=None, jobs=None,
            graph_vectors=None, learn_messages=None, time_ms=None
        ),
        text_signature = "($self, *, graduate_events=500, merges=4, merge_events=100000, \
                          jobs=64, graph_vectors=500, learn_messages=200, time_ms=None)"
    )]
    fn maintain<'py>(
        &self,
        py: Python<'py>,
        graduate_events: Given<'py>,
        merges: Given<'py>,
        merge_events: Given<'py>,
        jobs: Given<'py>,
        graph_vectors: Given<'py>,
        learn_messages: Given<'py>,
        time_ms: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let mut budget = MaintainBudget::default();
            if let Some(events) = optional(&graduate_events, "graduate_events", argument::size)? {
                budget.graduate_events = events;
            }
            if let Some(merges) = optional(&merges, "merges", argument::size)? {
                budget.merges = merges;
            }
            if let Some(events) = optional(&merge_events, "merge_events", argument::whole)? {
                budget.merge_events = events;
            }
            if let Some(jobs) = optional(&jobs, "jobs", argument::size)? {
                budget.jobs = jobs;
            }
            if let Some(vectors) = optional(&graph_vectors, "graph_vectors", argument::size)? {
                budget.graph_vectors = vectors;
            }
            if let Some(messages) = optional(&learn_messages, "learn_messages", argument::size)? {
                budget.learn_messages = messages;
            }
            budget.time_ms = optional(&time_ms, "time_ms", argument::whole)?;
            Ok(budget)
        };
        self.call(
            py,
            "maintain",
            arguments,
            |memory, budget| memory.maintain(budget),
            give,
        )
    }

    /// Embeds waiting events, at most `limit` of them. Call it when there is time,
    /// until `processed` is 0; several processes may at once. What the embedder does
    /// wrong stands in `errors`. Raises `Unsupported` without an embedder.
    #[pyo3(signature = (*, limit=None), text_signature = "($self, *, limit=100)")]
    fn process_outbox<'py>(
        &self,
        py: Python<'py>,
        limit: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "process_outbox",
            || Ok(optional(&limit, "limit", argument::size)?.unwrap_or(100)),
            |memory, limit| memory.process_outbox(limit),
            give,
        )
    }
}

#[pymethods]
impl Upkeep {
    /// How many live events `forget` would forget. Changes nothing. The arguments
    /// are those of `forget`.
    #[pyo3(
        signature = (
            events=None, *, session=None, before=None, project=None, kinds=None, everything=None
        ),
        text_signature = "($self, events=None, *, session=None, before=None, project=None, \
                          kinds=None, everything=False)"
    )]
    fn count_selected<'py>(
        &self,
        py: Python<'py>,
        events: Given<'py>,
        session: Given<'py>,
        before: Given<'py>,
        project: Given<'py>,
        kinds: Given<'py>,
        everything: Given<'py>,
    ) -> PyResult<u64> {
        let selection = Selection {
            events: &events,
            session: &session,
            before: &before,
            project: &project,
            kinds: &kinds,
            everything: &everything,
        };
        self.call(
            py,
            "upkeep.count_selected",
            || selection.selector(py),
            |memory, selector| memory.upkeep().count_selected(&selector).map_err(in_python),
            |_, count| Ok(count),
        )
    }

    /// Gives failed jobs that were tried fewer than `max_retries` times another
    /// attempt at once, and says how many.
    #[pyo3(
        signature = (*, max_retries=None),
        text_signature = "($self, *, max_retries=3)"
    )]
    fn retry_outbox(&self, py: Python<'_>, max_retries: Given<'_>) -> PyResult<usize> {
        self.call(
            py,
            "upkeep.retry_outbox",
            || Ok(optional(&max_retries, "max_retries", argument::small)?.unwrap_or(MAX_RETRIES)),
            |memory, max_retries| memory.upkeep().retry_outbox(max_retries),
            |_, count| Ok(count),
        )
    }
}
