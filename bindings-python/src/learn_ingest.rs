//! Taking in what a language model extracted from a session.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use recallite::IngestOptions;

use crate::argument;
use crate::convert::{Object, give_placed};
use crate::fields::Fields;
use crate::generated::{self, INGEST_OPTIONS};
use crate::learn_argument::json_text;
use crate::memory::Memory;
use crate::places::Placed;

/// Takes in a `dict` or JSON text.
pub(crate) fn ingest<'py>(
    memory: &Memory,
    py: Python<'py>,
    session: &Bound<'py, PyAny>,
    extraction: &Bound<'py, PyAny>,
    options: Option<Bound<'py, PyDict>>,
) -> Object<'py> {
    let arguments = || {
        let given = Fields::given_to(py, options, INGEST_OPTIONS)?;
        let options = generated::ingest_options(IngestOptions::default(), &given)?;
        Ok((
            argument::text(session, "session")?,
            json_text(extraction, "extraction")?,
            options,
        ))
    };
    memory.call(
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
