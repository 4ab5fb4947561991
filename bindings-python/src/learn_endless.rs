//! The endless mode: one conversation without end, over a working set and
//! consolidated memories.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pyo3::prelude::*;
use pyo3::types::PyString;
use recallite::rules::endless::MemoryMode;
use recallite::{ConsolidationReport, EndlessConfig};

use crate::areas::Endless;
use crate::argument::{self, Given, optional, word as given_word};
use crate::convert::{give, rows};
use crate::failure::{raise, wrong_type};

#[pymethods]
impl Endless {
    /// How the memory treats conversations.
    #[pyo3(signature = ())]
    fn mode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless.mode",
            || Ok(()),
            |memory, ()| memory.endless().mode(),
            give,
        )
    }

    /// The session under which what happens now belongs: in the endless mode the
    /// day's, `endless_YYYY-MM-DD` by local time; otherwise `session`.
    #[pyo3(signature = (session, /))]
    fn session_now(&self, py: Python<'_>, session: &Bound<'_, PyAny>) -> PyResult<String> {
        self.call(
            py,
            "endless.session_now",
            || argument::text(session, "session"),
            |memory, session| memory.endless().session_now(&session),
            |_, session| Ok(session),
        )
    }

    /// Changes the mode. To the endless mode: the events of the last 7 days come
    /// in the working set, each session's summary becomes a memory, and one
    /// consolidation is run. Back: only the mode changes, nothing is lost.
    #[pyo3(signature = (mode, /))]
    fn set_mode(&self, py: Python<'_>, mode: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(
            py,
            "endless.set_mode",
            || given_word::<MemoryMode>(mode, "mode"),
            |memory, mode| memory.endless().set_mode(mode),
            |_, ()| Ok(()),
        )
    }

    /// The limits of the endless mode.
    #[pyo3(signature = ())]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless.config",
            || Ok(()),
            |memory, ()| memory.endless().config(),
            give,
        )
    }

    /// Changes the limits of the endless mode, all of them: an `EndlessConfig` or
    /// a `dict` of the same fields, where what is left out is the default. An
    /// error names the limit, for example `working_set.max_events`.
    #[pyo3(signature = (config, /))]
    fn set_config(&self, py: Python<'_>, config: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(
            py,
            "endless.set_config",
            || argument::bare::<EndlessConfig>(config, "config"),
            |memory, config| memory.endless().set_config(&config),
            |_, ()| Ok(()),
        )
    }

    /// What is in the working set, the most relevant first, then the newest.
    #[pyo3(signature = ())]
    fn working_set<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless.working_set",
            || Ok(()),
            |memory, ()| memory.endless().working_set(),
            rows,
        )
    }

    /// The consolidated memories, the newest first. `text` is looked for in the
    /// summaries, letter case ignored; then the surest come first.
    #[pyo3(signature = (text=None, /))]
    fn memories<'py>(&self, py: Python<'py>, text: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless.memories",
            || optional(&text, "text", argument::text),
            |memory, text| memory.endless().memories(text.as_deref()),
            rows,
        )
    }

    /// The transitions that were scored, in the order of the log.
    #[pyo3(signature = ())]
    fn continuity_log<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless.continuity_log",
            || Ok(()),
            |memory, ()| memory.endless().continuity_log(),
            rows,
        )
    }

    /// Scores how far a text (a prompt, or the beginning of a conversation) goes
    /// on from the context before it, and keeps it as the context for the next
    /// call, in whatever process that is.
    #[pyo3(signature = (context_id, text))]
    fn score_continuity<'py>(
        &self,
        py: Python<'py>,
        context_id: &Bound<'py, PyAny>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok((
                argument::text(context_id, "context_id")?,
                argument::text(text, "text")?,
            ))
        };
        self.call(
            py,
            "endless.score_continuity",
            arguments,
            |memory, (context_id, text)| memory.endless().score_continuity(&context_id, &text),
            give,
        )
    }

    /// How the endless mode stands.
    #[pyo3(signature = ())]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless.status",
            || Ok(()),
            |memory, ()| memory.endless().status(),
            give,
        )
    }

    /// What to give an agent at its start: events in the working set and consolidated
    /// memories. That they were given is noted.
    #[pyo3(signature = ())]
    fn context<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless.context",
            || Ok(()),
            |memory, ()| memory.endless().context(),
            give,
        )
    }

    /// Makes memories of what is in the working set, whether it is due or not.
    ///
    /// `summarize(topics, texts)` puts a group of events into words: it is given
    /// two lists of `str` and returns a `str`, or `None` for the summary made by
    /// rules. It runs outside of any transaction; its text passes the privacy
    /// filter. When it raises, nothing is written and its exception comes out.
    #[pyo3(signature = (*, summarize=None))]
    fn consolidate<'py>(
        &self,
        py: Python<'py>,
        summarize: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.watched(py, "endless.consolidate", || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            let summarize = optional(&summarize, "summarize", |value, name| {
                if value.is_callable() {
                    Ok(value.clone().unbind())
                } else {
                    Err(wrong_type(name, "a callable", value))
                }
            })?;
            let outcome = py.detach(|| match &summarize {
                None => Ok(memory.endless().consolidate()),
                Some(summarize) => consolidate_with(&memory, summarize),
            });
            let report = outcome?.map_err(|error| raise(py, &error))?;
            give(py, report)
        })
    }
}

/// The exception that a summarizer raised, on its way out of the core.
struct Raised(PyErr);

/// The core's callback cannot fail, so that an exception leaves it by unwinding.
/// The core holds no lock and has written nothing while the callback runs.
fn consolidate_with(
    memory: &recallite::Memory,
    summarize: &Py<PyAny>,
) -> PyResult<recallite::Result<ConsolidationReport>> {
    let run = AssertUnwindSafe(|| {
        memory.endless().consolidate_with(&mut |topics, texts| {
            summary(summarize, topics, texts)
                .unwrap_or_else(|error| resume_unwind(Box::new(Raised(error))))
        })
    });
    match catch_unwind(run) {
        Ok(outcome) => Ok(outcome),
        Err(payload) => match payload.downcast::<Raised>() {
            Ok(raised) => Err(raised.0),
            Err(panic) => resume_unwind(panic),
        },
    }
}

fn summary(summarize: &Py<PyAny>, topics: &[String], texts: &[String]) -> PyResult<Option<String>> {
    Python::attach(|py| {
        let answer = summarize.bind(py).call1((topics, texts))?;
        optional(&Some(answer), "summarize", |answer, _| {
            if answer.is_instance_of::<PyString>() {
                argument::text(answer, "summarize")
            } else {
                Err(wrong_type(
                    "summarize",
                    "a callable that returns a str or None",
                    answer,
                ))
            }
        })
    })
}
