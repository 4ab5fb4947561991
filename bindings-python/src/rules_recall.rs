//! Rules about recall that take several memories, or lists of one length.

use pyo3::prelude::*;
use recallite::rules::disclosure;
use recallite::rules::format::{self, ContextMemory};
use recallite::{EventKind, Timestamp};

use crate::argument::{self, Given, elements, number, optional};
use crate::convert::give;
use crate::failure::invalid;
use crate::fields::Fields;
use crate::rules::{class, plain, rule};

fn numbers(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
    elements(value, name, "several float", number)
}

/// Spends a token budget on results, from the best to the worst. `timeline_tokens`
/// and `detail_tokens` are the costs of each result, in the order of `scores`.
#[pyfunction]
#[pyo3(signature = (scores, *, budget_tokens, index_tokens, timeline_tokens, detail_tokens))]
pub(crate) fn plan_expansion<'py>(
    py: Python<'py>,
    scores: &Bound<'py, PyAny>,
    budget_tokens: &Bound<'py, PyAny>,
    index_tokens: &Bound<'py, PyAny>,
    timeline_tokens: &Bound<'py, PyAny>,
    detail_tokens: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let scores = numbers(scores, "scores")?;
        let costs = |value: &Bound<'py, PyAny>, name: &str| {
            let costs = elements(value, name, "several int", argument::size)?;
            if costs.len() != scores.len() {
                return Err(invalid(py, name, "must be as long as scores"));
            }
            Ok(costs)
        };
        let timelines = costs(timeline_tokens, "timeline_tokens")?;
        let details = costs(detail_tokens, "detail_tokens")?;
        Ok((
            scores,
            argument::size(budget_tokens, "budget_tokens")?,
            argument::size(index_tokens, "index_tokens")?,
            timelines,
            details,
        ))
    };
    rule(
        py,
        "plan_expansion",
        arguments,
        |(scores, budget, index, timelines, details)| {
            Ok(disclosure::plan_expansion(
                &scores,
                budget,
                index,
                |place| timelines[place],
                |place| details[place],
            ))
        },
        give,
    )
}

const MEMORY_FIELDS: &[&str] = &["kind", "content", "timestamp", "score", "session_context"];

/// A memory of the context, owned.
struct OwnedMemory {
    kind: EventKind,
    content: String,
    timestamp: Timestamp,
    score: f64,
    session_context: Option<String>,
}

fn memory(value: &Bound<'_, PyAny>, name: &str) -> PyResult<OwnedMemory> {
    let class = class(value.py(), "ContextMemory")?;
    let expected = "a ContextMemory or a dict";
    let prefix = format!("{name}.");
    let fields = Fields::of(value, name, prefix, &class, MEMORY_FIELDS, expected)?;
    Ok(OwnedMemory {
        kind: fields.required("kind", argument::kind)?,
        content: fields.required("content", argument::text)?,
        timestamp: fields.required("timestamp", argument::timestamp)?,
        score: fields.required("score", number)?,
        session_context: fields.optional("session_context", argument::text)?,
    })
}

/// The context for a prompt: memories (`ContextMemory`s or dicts) in the given
/// order until one would exceed `max_tokens`. Empty when nothing fits.
#[pyfunction]
#[pyo3(
    signature = (memories, *, max_tokens=None),
    text_signature = "(memories, *, max_tokens=2000)"
)]
pub(crate) fn format_context<'py>(
    py: Python<'py>,
    memories: &Bound<'py, PyAny>,
    max_tokens: Given<'py>,
) -> PyResult<String> {
    let arguments = || {
        Ok((
            elements(memories, "memories", "several ContextMemory", memory)?,
            optional(&max_tokens, "max_tokens", argument::size)?.unwrap_or(2000),
        ))
    };
    rule(
        py,
        "format_context",
        arguments,
        |(memories, max_tokens)| {
            let memories: Vec<ContextMemory<'_>> = memories
                .iter()
                .map(|memory| ContextMemory {
                    kind: memory.kind,
                    content: &memory.content,
                    timestamp: memory.timestamp,
                    score: memory.score,
                    session_context: memory.session_context.as_deref(),
                })
                .collect();
            Ok(format::format_context(&memories, max_tokens))
        },
        plain,
    )
}
