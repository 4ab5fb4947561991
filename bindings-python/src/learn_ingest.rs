//! Taking in what a language model extracted from a session.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use recallite::IngestOptions;

use crate::argument;
use crate::convert::give_placed;
use crate::fields::Fields;
use crate::generated::{self, INGEST_OPTIONS};
use crate::learn_argument::json_text;
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
        signature = (session, extraction, **options),
        text_signature = "($self, session, extraction, *, extractor_model='', \
                          extractor_prompt='', extraction_ms=None, project=None, messages=())"
    )]
    fn ingest<'py>(
        &self,
        py: Python<'py>,
        session: &Bound<'py, PyAny>,
        extraction: &Bound<'py, PyAny>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let given = Fields::given_to(py, options, INGEST_OPTIONS)?;
            let options = generated::ingest_options(IngestOptions::default(), &given)?;
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
