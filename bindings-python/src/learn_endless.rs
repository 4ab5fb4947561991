//! The endless mode: one conversation without end, over a working set and
//! consolidated memories.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use recallite::rules::endless::{
    ConsolidationPolicy, Continuity, InjectionPolicy, MemoryMode, WorkingItem, WorkingSetPolicy,
};
use recallite::{
    ConsolidatedMemory, ConsolidationReport, ContinuityEntry, EndlessConfig, EndlessContext,
    EndlessStatus,
};

use crate::argument::{self, Given, number, optional, signed, word as given_word};
use crate::failure::{raise, wrong_type};
use crate::fields::Fields;
use crate::learn_record::{classes, list, word};
use crate::memory::Memory;
use crate::record::{self, Object, each, fields, make, maybe_time, time};

#[pymethods]
impl Memory {
    /// How the memory treats conversations.
    #[pyo3(signature = ())]
    fn mode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "mode",
            || Ok(()),
            |memory, ()| memory.endless().mode(),
            mode,
        )
    }

    /// The session under which what happens now belongs: in the endless mode the
    /// day's, `endless_YYYY-MM-DD` by local time; otherwise `session`.
    #[pyo3(signature = (session, /))]
    fn session_now(&self, py: Python<'_>, session: &Bound<'_, PyAny>) -> PyResult<String> {
        self.call(
            py,
            "session_now",
            || argument::text(session, "session"),
            |memory, session| memory.endless().session_now(&session),
            |_, session| Ok(session),
        )
    }

    /// Changes the mode. To the endless mode: the events of the last 7 days come
    /// on the table, each session's summary becomes a memory, and one
    /// consolidation is run. Back: only the mode changes, nothing is lost.
    #[pyo3(signature = (mode, /))]
    fn set_mode(&self, py: Python<'_>, mode: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(
            py,
            "set_mode",
            || given_word::<MemoryMode>(mode, "mode"),
            |memory, mode| memory.endless().set_mode(mode),
            |_, ()| Ok(()),
        )
    }

    /// The limits of the endless mode.
    #[pyo3(signature = ())]
    fn endless_config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless_config",
            || Ok(()),
            |memory, ()| memory.endless().config(),
            endless_config,
        )
    }

    /// Changes the limits of the endless mode, all of them: an `EndlessConfig` or
    /// a `dict` of the same fields, where what is left out is the default. An
    /// error names the limit, for example `working_set.max_events`.
    #[pyo3(signature = (config, /))]
    fn set_endless_config(&self, py: Python<'_>, config: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(
            py,
            "set_endless_config",
            || given_config(config),
            |memory, config| memory.endless().set_config(&config),
            |_, ()| Ok(()),
        )
    }

    /// What lies on the table, the most relevant first, then the newest.
    #[pyo3(signature = ())]
    fn working_set<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "working_set",
            || Ok(()),
            |memory, ()| memory.endless().working_set(),
            |py, set| list(py, set, working_item),
        )
    }

    /// The consolidated memories, the newest first. `text` is looked for in the
    /// summaries, letter case ignored; then the surest come first.
    #[pyo3(signature = (text=None, /))]
    fn consolidated_memories<'py>(
        &self,
        py: Python<'py>,
        text: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "consolidated_memories",
            || optional(&text, "text", argument::text),
            |memory, text| memory.endless().memories(text.as_deref()),
            |py, found| list(py, found, consolidated_memory),
        )
    }

    /// The transitions that were scored, in the order of the log.
    #[pyo3(signature = ())]
    fn continuity_log<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "continuity_log",
            || Ok(()),
            |memory, ()| memory.endless().continuity_log(),
            |py, log| list(py, log, continuity_entry),
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
            "score_continuity",
            arguments,
            |memory, (context_id, text)| memory.endless().score_continuity(&context_id, &text),
            continuity,
        )
    }

    /// How the endless mode stands.
    #[pyo3(signature = ())]
    fn endless_status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless_status",
            || Ok(()),
            |memory, ()| memory.endless().status(),
            endless_status,
        )
    }

    /// What to give an agent at its start: events on the table and consolidated
    /// memories. That they were given is noted.
    #[pyo3(signature = ())]
    fn endless_context<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "endless_context",
            || Ok(()),
            |memory, ()| memory.endless().context(),
            endless_context,
        )
    }

    /// Makes memories of what lies on the table, whether it is due or not.
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
        self.watched(py, "consolidate", || {
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
            consolidation_report(py, report)
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

const CONFIG_FIELDS: &[&str] = &["working_set", "consolidation", "injection"];
const WORKING_SET_FIELDS: &[&str] = &["max_events", "time_window_ms", "min_relevance_score"];
const CONSOLIDATION_FIELDS: &[&str] = &[
    "trigger_interval_ms",
    "trigger_event_count",
    "trigger_idle_ms",
    "min_events",
    "max_summary_chars",
];
const INJECTION_FIELDS: &[&str] = &["min_relevance", "max_events", "max_memories"];

fn given_config(value: &Bound<'_, PyAny>) -> PyResult<EndlessConfig> {
    let class = classes(value.py())?.endless_config.bind(value.py());
    let expected = "an EndlessConfig or a dict";
    let fields = Fields::of(
        value,
        "config",
        String::new(),
        class,
        CONFIG_FIELDS,
        expected,
    )?;
    Ok(EndlessConfig {
        working_set: fields
            .optional("working_set", working_set)?
            .unwrap_or_default(),
        consolidation: fields
            .optional("consolidation", consolidation)?
            .unwrap_or_default(),
        injection: fields.optional("injection", injection)?.unwrap_or_default(),
    })
}

/// A part of the limits: its record, or a mapping of the same fields.
fn part<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    class: &Py<PyAny>,
    known: &[&str],
) -> PyResult<Fields<'py>> {
    let class = class.bind(value.py());
    let prefix = format!("{name}.");
    Fields::of(value, name, prefix, class, known, "a policy or a dict")
}

fn working_set(value: &Bound<'_, PyAny>, name: &str) -> PyResult<WorkingSetPolicy> {
    let class = &classes(value.py())?.working_set_policy;
    let given = part(value, name, class, WORKING_SET_FIELDS)?;
    let default = WorkingSetPolicy::default();
    let count = given.optional("max_events", argument::size)?;
    let window = given.optional("time_window_ms", signed)?;
    let relevance = given.optional("min_relevance_score", number)?;
    Ok(WorkingSetPolicy {
        max_events: count.unwrap_or(default.max_events),
        time_window_ms: window.unwrap_or(default.time_window_ms),
        min_relevance_score: relevance.unwrap_or(default.min_relevance_score),
    })
}

pub(crate) fn consolidation(value: &Bound<'_, PyAny>, name: &str) -> PyResult<ConsolidationPolicy> {
    let class = &classes(value.py())?.consolidation_policy;
    let given = part(value, name, class, CONSOLIDATION_FIELDS)?;
    let default = ConsolidationPolicy::default();
    let interval = given.optional("trigger_interval_ms", signed)?;
    let count = given.optional("trigger_event_count", argument::size)?;
    let idle = given.optional("trigger_idle_ms", signed)?;
    let least = given.optional("min_events", argument::size)?;
    let chars = given.optional("max_summary_chars", argument::size)?;
    Ok(ConsolidationPolicy {
        trigger_interval_ms: interval.unwrap_or(default.trigger_interval_ms),
        trigger_event_count: count.unwrap_or(default.trigger_event_count),
        trigger_idle_ms: idle.unwrap_or(default.trigger_idle_ms),
        min_events: least.unwrap_or(default.min_events),
        max_summary_chars: chars.unwrap_or(default.max_summary_chars),
    })
}

fn injection(value: &Bound<'_, PyAny>, name: &str) -> PyResult<InjectionPolicy> {
    let class = &classes(value.py())?.injection_policy;
    let given = part(value, name, class, INJECTION_FIELDS)?;
    let default = InjectionPolicy::default();
    let relevance = given.optional("min_relevance", number)?;
    let events = given.optional("max_events", argument::size)?;
    let memories = given.optional("max_memories", argument::size)?;
    Ok(InjectionPolicy {
        min_relevance: relevance.unwrap_or(default.min_relevance),
        max_events: events.unwrap_or(default.max_events),
        max_memories: memories.unwrap_or(default.max_memories),
    })
}

fn mode(py: Python<'_>, mode: MemoryMode) -> Object<'_> {
    word(py, &classes(py)?.memory_mode, mode.as_str())
}

fn endless_config(py: Python<'_>, config: EndlessConfig) -> Object<'_> {
    let classes = classes(py)?;
    let (set, rule, given) = (config.working_set, config.consolidation, config.injection);
    let set = make(
        py,
        &classes.working_set_policy,
        (set.max_events, set.time_window_ms, set.min_relevance_score),
    )?;
    let rule = make(
        py,
        &classes.consolidation_policy,
        (
            rule.trigger_interval_ms,
            rule.trigger_event_count,
            rule.trigger_idle_ms,
            rule.min_events,
            rule.max_summary_chars,
        ),
    )?;
    let given = make(
        py,
        &classes.injection_policy,
        (given.min_relevance, given.max_events, given.max_memories),
    )?;
    make(py, &classes.endless_config, (set, rule, given))
}

fn working_item(py: Python<'_>, item: WorkingItem) -> Object<'_> {
    make(
        py,
        &classes(py)?.working_item,
        (
            item.event_id,
            time(py, item.added_at)?,
            item.relevance,
            PyTuple::new(py, item.topics)?,
            time(py, item.expires_at)?,
        ),
    )
}

fn consolidated_memory(py: Python<'_>, memory: ConsolidatedMemory) -> Object<'_> {
    let fields = fields![py;
        &memory.memory_id,
        &memory.summary,
        PyTuple::new(py, &memory.topics)?,
        PyTuple::new(py, &memory.source_events)?,
        memory.confidence,
        memory.is_continuation,
        time(py, memory.created_at)?,
        maybe_time(py, memory.accessed_at)?,
        memory.access_count,
    ];
    make(py, &classes(py)?.consolidated_memory, fields)
}

pub(crate) fn continuity(py: Python<'_>, found: Continuity) -> Object<'_> {
    let classes = classes(py)?;
    let transition = word(py, &classes.transition_type, found.transition.as_str())?;
    make(
        py,
        &classes.continuity,
        (found.score, transition, found.is_logged),
    )
}

fn continuity_entry(py: Python<'_>, entry: ContinuityEntry) -> Object<'_> {
    let classes = classes(py)?;
    make(
        py,
        &classes.continuity_entry,
        (
            entry.from_context_id,
            entry.to_context_id,
            entry.score,
            word(py, &classes.transition_type, entry.transition.as_str())?,
            time(py, entry.at)?,
        ),
    )
}

fn endless_status(py: Python<'_>, status: EndlessStatus) -> Object<'_> {
    let fields = fields![py;
        mode(py, status.mode)?,
        endless_config(py, status.config)?,
        status.working_set,
        maybe_time(py, status.last_activity)?,
        PyTuple::new(py, &status.active_topics)?,
        PyTuple::new(py, &status.active_files)?,
        PyTuple::new(py, &status.active_entities)?,
        status.continuity_score,
        status.consolidated,
        maybe_time(py, status.last_consolidation)?,
    ];
    make(py, &classes(py)?.endless_status, fields)
}

fn endless_context(py: Python<'_>, context: EndlessContext) -> Object<'_> {
    make(
        py,
        &classes(py)?.endless_context,
        (
            each(py, context.working_set, record::event)?,
            each(py, context.consolidated, consolidated_memory)?,
            context.continuity_score,
        ),
    )
}

fn consolidation_report(py: Python<'_>, report: ConsolidationReport) -> Object<'_> {
    make(
        py,
        &classes(py)?.consolidation_report,
        (
            report.ran,
            PyTuple::new(py, report.memories)?,
            report.waiting,
        ),
    )
}
