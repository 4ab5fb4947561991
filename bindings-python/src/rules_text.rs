//! Rules about texts that take a function or several memories.

use pyo3::prelude::*;
use recallite::text::citation::{
    self, CITATION_LENGTH, CITATION_MAX_LENGTH, CitationFormat, CitedMemory,
};
use recallite::text::summary as summaries;
use recallite::{EventKind, Timestamp};

use crate::argument::{self, Given, elements, optional};
use crate::convert::is_a;
use crate::failure::{invalid, wrong_type};
use crate::fields::Fields;
use crate::rules::{class, plain, rule};

/// A citation id of `length` characters (6 to 8) that is not among `taken`: the
/// plain id or one of ten salted ones. `None` when all are taken.
#[pyfunction]
#[pyo3(
    signature = (event_id, taken, *, length=None),
    text_signature = "(event_id, taken, *, length=6)"
)]
pub(crate) fn unique_citation_id<'py>(
    py: Python<'py>,
    event_id: &Bound<'py, PyAny>,
    taken: &Bound<'py, PyAny>,
    length: Given<'py>,
) -> PyResult<Option<String>> {
    let arguments = || {
        let length = optional(&length, "length", argument::size)?.unwrap_or(CITATION_LENGTH);
        if !(CITATION_LENGTH..=CITATION_MAX_LENGTH).contains(&length) {
            let problem = format!("must be from {CITATION_LENGTH} to {CITATION_MAX_LENGTH}");
            return Err(invalid(py, "length", problem));
        }
        let taken = argument::texts(taken, "taken")?;
        Ok((
            argument::text(event_id, "event_id")?,
            taken.into_iter().collect::<std::collections::HashSet<_>>(),
            length,
        ))
    };
    rule(
        py,
        "unique_citation_id",
        arguments,
        |(event_id, taken, length)| {
            let is_taken = |id: &str| taken.contains(id);
            Ok(citation::unique_citation_id_of_length(
                &event_id, length, is_taken,
            ))
        },
        plain,
    )
}

const CITED_FIELDS: &[&str] = &["content", "citation_id", "timestamp", "session_id"];

/// A memory of a citation block, owned.
struct Cited {
    content: String,
    citation_id: String,
    timestamp: Timestamp,
    session_id: String,
}

fn cited(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Cited> {
    let py = value.py();
    if is_a(value, "Event")? {
        return Ok(Cited {
            content: argument::text(&value.getattr("content")?, name)?,
            citation_id: argument::text(&value.getattr("citation")?, name)?,
            timestamp: argument::timestamp(&value.getattr("timestamp")?, name)?,
            session_id: argument::text(&value.getattr("session")?, name)?,
        });
    }
    let class = class(py, "CitedMemory")?;
    let expected = "an Event, a CitedMemory or a dict";
    let fields = Fields::of(
        value,
        name,
        format!("{name}."),
        &class,
        CITED_FIELDS,
        expected,
    )?;
    Ok(Cited {
        content: fields.required("content", argument::text)?,
        citation_id: fields.required("citation_id", argument::text)?,
        timestamp: fields.required("timestamp", argument::timestamp)?,
        session_id: fields.required("session_id", argument::text)?,
    })
}

/// The block of cited memories that is put in front of an agent. `memories` are
/// `Event`s, `CitedMemory`s or dicts; `format` is `inline`, `footnote` or
/// `reference`.
#[pyfunction]
#[pyo3(
    signature = (memories, *, format=None),
    text_signature = "(memories, *, format='inline')"
)]
pub(crate) fn citation_block<'py>(
    py: Python<'py>,
    memories: &Bound<'py, PyAny>,
    format: Given<'py>,
) -> PyResult<String> {
    let arguments = || {
        Ok((
            elements(memories, "memories", "several Event or CitedMemory", cited)?,
            optional(&format, "format", argument::word::<CitationFormat>)?.unwrap_or_default(),
        ))
    };
    rule(
        py,
        "citation_block",
        arguments,
        |(memories, format)| {
            let memories: Vec<CitedMemory<'_>> = memories
                .iter()
                .map(|memory| CitedMemory {
                    content: &memory.content,
                    citation_id: &memory.citation_id,
                    timestamp: memory.timestamp,
                    session_id: &memory.session_id,
                })
                .collect();
            Ok(citation::citation_block(format, &memories))
        },
        plain,
    )
}

/// The kind and content of an `Event`, or of a pair of them.
fn kind_and_content(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(EventKind, String)> {
    if is_a(value, "Event")? {
        return Ok((
            argument::kind(&value.getattr("kind")?, name)?,
            argument::text(&value.getattr("content")?, name)?,
        ));
    }
    let pair = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
    let (kind, content) =
        pair.map_err(|_| wrong_type(name, "an Event, or a pair of kind and content", value))?;
    Ok((
        argument::kind(&kind, &format!("{name}[0]"))?,
        argument::text(&content, &format!("{name}[1]"))?,
    ))
}

/// The summary of a session that has ended: how many prompts and responses it
/// had, and the beginnings of its first three prompts. `events` are `Event`s or
/// pairs of kind and content.
#[pyfunction]
#[pyo3(signature = (events, /))]
pub(crate) fn session_summary_text(py: Python<'_>, events: &Bound<'_, PyAny>) -> PyResult<String> {
    rule(
        py,
        "session_summary_text",
        || elements(events, "events", "several Event", kind_and_content),
        |events| {
            let events = events.iter().map(|(kind, text)| (*kind, text.as_str()));
            Ok(summaries::session_summary_text(events))
        },
        plain,
    )
}
