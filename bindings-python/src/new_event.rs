//! From a `dict`, keyword arguments or a `NewEvent` to an event for the core.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use recallite::{Dedupe, NewEvent};

use crate::argument;
use crate::convert::Class;
use crate::failure::wrong_type;
use crate::fields::Fields;

const EVENT_FIELDS: &[&str] = &[
    "kind",
    "session",
    "content",
    "actor",
    "origin",
    "project",
    "timestamp",
    "metadata",
    "dedupe",
    "tool",
];

/// One event from keyword arguments.
pub(crate) fn from_keywords(given: Bound<'_, PyDict>) -> PyResult<NewEvent> {
    event(Fields::keywords(given, EVENT_FIELDS)?)
}

/// Several events, each a `NewEvent` or a `dict` of the same fields.
pub(crate) fn from_sequence(given: &Bound<'_, PyAny>) -> PyResult<Vec<NewEvent>> {
    let expected = "several NewEvent or dict";
    if given.is_instance_of::<PyString>() || given.cast::<PyDict>().is_ok() {
        return Err(wrong_type("events", expected, given));
    }
    static CLASS: Class = Class::new("NewEvent");
    let class = CLASS.get(given.py())?;
    given
        .try_iter()
        .map_err(|_| wrong_type("events", expected, given))?
        .enumerate()
        .map(|(index, item)| {
            let name = format!("events[{index}]");
            let prefix = format!("{name}.");
            let expected = "a NewEvent or a dict";
            event(Fields::of(
                &item?,
                &name,
                prefix,
                &[class],
                EVENT_FIELDS,
                expected,
            )?)
        })
        .collect()
}

fn event(fields: Fields<'_>) -> PyResult<NewEvent> {
    let mut event = NewEvent::new(
        fields.required("kind", argument::kind)?,
        fields.required("session", argument::text)?,
        fields
            .optional("content", argument::text)?
            .unwrap_or_default(),
    );
    event.actor = fields.optional("actor", argument::text)?;
    event.origin = fields.optional("origin", argument::origin)?;
    event.project = fields.optional("project", argument::text)?;
    event.timestamp = fields.optional("timestamp", argument::timestamp)?;
    event.metadata = fields.optional("metadata", argument::json_object)?;
    event.dedupe = fields.optional("dedupe", dedupe)?.unwrap_or_default();
    event.tool = fields.given("tool")?;
    Ok(event)
}

/// `True`: by content. `False`: never. A `str`: by this key.
fn dedupe(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Dedupe> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(if value.is_true() {
            Dedupe::Content
        } else {
            Dedupe::None
        });
    }
    if value.is_instance_of::<PyString>() {
        return argument::text(value, name).map(Dedupe::Key);
    }
    Err(wrong_type(name, "True, False or a key (str)", value))
}
