//! Rules about texts that take any collection.

use pyo3::prelude::*;
use recallite::rules::plain;
use recallite::text::citation::CITATION_LENGTH;

use crate::argument::{self, Given, optional};
use crate::rules::rule;

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
        Ok((
            argument::text(event_id, "event_id")?,
            argument::texts(taken, "taken")?,
            length,
        ))
    };
    rule(
        py,
        "unique_citation_id",
        arguments,
        |(event_id, taken, length)| plain::unique_citation_id(&event_id, &taken, length),
        |_, found| Ok(found),
    )
}
