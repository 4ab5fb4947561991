//! From a `dict`, keyword arguments or a `NewEvent` to an event for the core.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyMapping, PyString};
use recallite::{Dedupe, NewEvent, ToolUse};

use crate::argument;
use crate::argument::{Given, optional};
use crate::failure::{invalid, not_of_type, wrong_type};
use crate::stored::records;

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

const TOOL_FIELDS: &[&str] = &[
    "name",
    "input",
    "output",
    "duration_ms",
    "success",
    "error",
    "prompt_index",
    "tool_index",
];

/// The fields of one event or tool call, and how errors name them.
struct Fields<'py> {
    given: Bound<'py, PyDict>,
    /// For example `events[3].`; empty for keyword arguments.
    prefix: String,
}

impl<'py> Fields<'py> {
    fn new(given: Bound<'py, PyDict>, prefix: String, known: &[&str]) -> PyResult<Self> {
        let py = given.py();
        for key in given.keys() {
            let name = argument::text(&key, prefix.trim_end_matches('.'))?;
            if !known.contains(&name.as_str()) {
                let argument = format!("{prefix}{name}");
                return Err(not_of_type(
                    py,
                    &argument,
                    format_args!(
                        "there is no such field; the fields are {}",
                        known.join(", ")
                    ),
                ));
            }
        }
        Ok(Fields { given, prefix })
    }

    fn name(&self, field: &str) -> String {
        format!("{}{field}", self.prefix)
    }

    fn get(&self, field: &str) -> PyResult<Given<'py>> {
        self.given.get_item(field)
    }

    fn required<T>(
        &self,
        field: &str,
        convert: impl FnOnce(&Bound<'py, PyAny>, &str) -> PyResult<T>,
    ) -> PyResult<T> {
        let name = self.name(field);
        match self.get(field)? {
            Some(value) => convert(&value, &name),
            None => Err(not_of_type(self.given.py(), &name, "is missing")),
        }
    }

    fn optional<T>(
        &self,
        field: &str,
        convert: impl FnOnce(&Bound<'py, PyAny>, &str) -> PyResult<T>,
    ) -> PyResult<Option<T>> {
        optional(&self.get(field)?, &self.name(field), convert)
    }
}

/// One event from keyword arguments.
pub(crate) fn from_keywords(given: Bound<'_, PyDict>) -> PyResult<NewEvent> {
    event(Fields::new(given, String::new(), EVENT_FIELDS)?)
}

/// Several events, each a `NewEvent` or a `dict` of the same fields.
pub(crate) fn from_sequence(given: &Bound<'_, PyAny>) -> PyResult<Vec<NewEvent>> {
    let expected = "several NewEvent or dict";
    if given.is_instance_of::<PyString>() || given.cast::<PyDict>().is_ok() {
        return Err(wrong_type("events", expected, given));
    }
    let class = records(given.py())?.new_event.bind(given.py());
    given
        .try_iter()
        .map_err(|_| wrong_type("events", expected, given))?
        .enumerate()
        .map(|(index, item)| {
            let name = format!("events[{index}]");
            let fields = fields_of(&item?, &name, class, EVENT_FIELDS, "a NewEvent or a dict")?;
            event(Fields::new(fields, format!("{name}."), EVENT_FIELDS)?)
        })
        .collect()
}

fn fields_of<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    class: &Bound<'py, PyAny>,
    known: &[&str],
    expected: &str,
) -> PyResult<Bound<'py, PyDict>> {
    if let Ok(fields) = value.cast::<PyDict>() {
        return Ok(fields.clone());
    }
    let fields = PyDict::new(value.py());
    if value.is_instance(class)? {
        for field in known {
            fields.set_item(field, value.getattr(*field)?)?;
        }
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        fields.update(mapping)?;
    } else {
        return Err(wrong_type(name, expected, value));
    }
    Ok(fields)
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
    event.tool = fields.optional("tool", tool)?;
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

fn tool(value: &Bound<'_, PyAny>, name: &str) -> PyResult<ToolUse> {
    let py = value.py();
    let class = records(py)?.tool_use.bind(py);
    let given = fields_of(value, name, class, TOOL_FIELDS, "a ToolUse or a dict")?;
    let fields = Fields::new(given, format!("{name}."), TOOL_FIELDS)?;
    let tool = ToolUse {
        name: fields.required("name", argument::text)?,
        input: fields.optional("input", argument::json)?,
        output: fields
            .optional("output", argument::text)?
            .unwrap_or_default(),
        duration_ms: fields.optional("duration_ms", argument::whole)?,
        success: fields.optional("success", argument::boolean)?,
        error: fields.optional("error", argument::text)?,
        prompt_index: fields.optional("prompt_index", argument::small)?,
        tool_index: fields.optional("tool_index", argument::small)?,
    };
    if tool.name.is_empty() {
        return Err(invalid(py, &fields.name("name"), "must not be empty"));
    }
    Ok(tool)
}
