//! Taking in what a language model extracted from a session.

// Python's keyword arguments are Rust's positional ones.
#![allow(clippy::too_many_arguments)]

use pyo3::prelude::*;
use recallite::{Error, EventId, IngestOptions};

use crate::argument::{self, Given, number, optional};
use crate::convert::give_placed;
use crate::failure::invalid;
use crate::learn_argument::{each, json_text};
use crate::memory::Memory;
use crate::places::Placed;

#[pymethods]
impl Memory {
    /// Takes in what a language model extracted from a session: a `dict` or
    /// JSON text after `recallite.EXTRACTION_SCHEMA`.
    ///
    /// Quotes are looked up, entries and tasks become records, and every step is
    /// an event. Taking in the same extraction again writes nothing. An error
    /// names the element that is wrong, for example
    /// `entries[3].quotes[0].message_index`.
    ///
    /// `messages` are the ids of the messages that the model was given, in the order of
    /// their numbers, as an `ExtractionRequest` has them; they count as read. By default
    /// those of `session_messages`.
    ///
    /// `extractor_model`, `extractor_prompt` (kept as a hash) and `extraction_ms`
    /// go to the ledger. `project` is by default the session's, else the
    /// memory's own.
    #[pyo3(
        signature = (
            session, extraction, *, extractor_model=None, extractor_prompt=None,
            extraction_ms=None, project=None, messages=None
        ),
        text_signature = "($self, session, extraction, *, extractor_model='', \
                          extractor_prompt='', extraction_ms=None, project=None, messages=())"
    )]
    fn ingest<'py>(
        &self,
        py: Python<'py>,
        session: &Bound<'py, PyAny>,
        extraction: &Bound<'py, PyAny>,
        extractor_model: Given<'py>,
        extractor_prompt: Given<'py>,
        extraction_ms: Given<'py>,
        project: Given<'py>,
        messages: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let options = IngestOptions {
                extractor_model: optional(&extractor_model, "extractor_model", argument::text)?
                    .unwrap_or_default(),
                extractor_prompt: optional(&extractor_prompt, "extractor_prompt", argument::text)?
                    .unwrap_or_default(),
                extraction_ms: optional(&extraction_ms, "extraction_ms", number)?,
                project: optional(&project, "project", argument::text)?,
                messages: each(&messages, "messages", "several ids", event_id)?,
            };
            Ok((
                argument::text(session, "session")?,
                json_text(extraction, "extraction")?,
                options,
            ))
        };
        self.call(
            py,
            "ingest",
            arguments,
            |memory, (session, extraction, options)| {
                memory
                    .ingest_with(&session, &extraction, &options)?
                    .placed(memory)
            },
            give_placed,
        )
    }
}

fn event_id(value: &Bound<'_, PyAny>, name: &str) -> PyResult<EventId> {
    argument::text(value, name)?
        .parse()
        .map_err(|error: Error| invalid(value.py(), name, error.problem()))
}
