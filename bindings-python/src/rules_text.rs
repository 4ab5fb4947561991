//! Rules about texts that take a function.

use pyo3::prelude::*;
use recallite::text::citation::{self, CITATION_LENGTH, CITATION_MAX_LENGTH};

use crate::argument::{self, Given, optional};
use crate::failure::invalid;
use crate::rules::{plain, rule};

/// Returns a citation id of `length` characters (6 to 8) that is not among `taken`: the
/// plain id or one of ten salted ones. Returns `None` if all are taken.
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
