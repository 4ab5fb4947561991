//! Arguments that refer to what was learned: entries, tasks, conditions, artifacts and events by
//! their ids or by results, quotes and evidence.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use recallite::rules::align::EvidenceQuote;
use recallite::rules::entries::EntryId;
use recallite::rules::graph::{GraphNode, NodeType};
use recallite::rules::history::DecisionEvidence;
use recallite::rules::tasks::{EntityId, EntityKind, EntityRef};

use crate::argument::{self, Given, elements, word};
use crate::convert::{Class, FromPython};
use crate::failure::wrong_type;
use crate::fields::Fields;
use crate::stored::is_a;

/// A `dict`, another mapping or JSON text, converted to JSON text.
pub(crate) fn json_text(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    if value.is_instance_of::<PyString>() {
        return argument::text(value, name);
    }
    if value.is_instance_of::<PyDict>() {
        return Ok(argument::json(value, name)?.as_str().to_owned());
    }
    Err(wrong_type(name, "a dict or JSON text", value))
}

/// A list of items; `None` counts as empty.
pub(crate) fn each<'py, T>(
    value: &Given<'py>,
    name: &str,
    expected: &str,
    convert: impl Fn(&Bound<'py, PyAny>, &str) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let Some(value) = value.as_ref().filter(|value| !value.is_none()) else {
        return Ok(Vec::new());
    };
    elements(value, name, expected, convert)
}

/// What a result names.
enum Named {
    Entry(String),
    Entity(EntityKind, String),
    Event(String),
}

/// What a result names, if it names anything.
fn named(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Named>> {
    let Some((what, field)) = argument::what_is_named(value)? else {
        return Ok(None);
    };
    let found = value.getattr(field)?;
    if !found.is_instance_of::<PyString>() {
        return named(&found, name);
    }
    let id = argument::text(&found, name)?;
    let what = match what.strip_prefix('.') {
        Some(kind) => argument::text(&value.getattr(kind)?, name)?,
        None => what,
    };
    Ok(match what.as_str() {
        "entry" => Some(Named::Entry(id)),
        "event" => Some(Named::Event(id)),
        kind => kind.parse().ok().map(|kind| Named::Entity(kind, id)),
    })
}

/// An entry's id, or a result that names one.
pub(crate) fn entry_id(value: &Bound<'_, PyAny>, name: &str) -> PyResult<EntryId> {
    if value.is_instance_of::<PyString>() {
        return argument::text(value, name).map(EntryId::new);
    }
    match named(value, name)? {
        Some(Named::Entry(id)) => Ok(EntryId::new(id)),
        _ => Err(wrong_type(
            name,
            "an entry's id or a result that names an entry",
            value,
        )),
    }
}

/// The id of a task, condition or artifact, or a result that names one.
pub(crate) fn entity_id(value: &Bound<'_, PyAny>, name: &str) -> PyResult<EntityId> {
    entity(value, name).map(|(_, id)| id)
}

/// Like [`entity_id`], with the kind if a result says it.
fn entity(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(Option<EntityKind>, EntityId)> {
    if value.is_instance_of::<PyString>() {
        return argument::text(value, name).map(|id| (None, EntityId::new(id)));
    }
    match named(value, name)? {
        Some(Named::Entity(kind, id)) => Ok((Some(kind), EntityId::new(id))),
        _ => Err(wrong_type(
            name,
            "the id of a task, condition or artifact, or a result that names one",
            value,
        )),
    }
}

/// Like [`entity_id`], with the kind: a bare id is that of a task.
pub(crate) fn entity_ref(value: &Bound<'_, PyAny>, name: &str) -> PyResult<EntityRef> {
    let (kind, id) = entity(value, name)?;
    let kind = kind.unwrap_or(EntityKind::Task);
    Ok(EntityRef { kind, id })
}

/// A conflict or its id.
pub(crate) fn conflict(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    match is_a(value, "Conflict")? {
        true => argument::text(&value.getattr("conflict_id")?, name),
        false => argument::text(value, name),
    }
}

/// The id of an entry, entity or event, or a result that names one.
pub(crate) fn any_id(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    if value.is_instance_of::<PyString>() {
        return argument::text(value, name);
    }
    match named(value, name)? {
        Some(Named::Entry(id) | Named::Entity(_, id) | Named::Event(id)) => Ok(id),
        None => Err(wrong_type(
            name,
            "the id of an entry, entity or event, or a result that names one",
            value,
        )),
    }
}

/// A node of the graph: a pair of type and id, or a result that names one.
pub(crate) fn node(value: &Bound<'_, PyAny>, name: &str) -> PyResult<GraphNode> {
    if let Ok((kind, id)) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        return Ok(GraphNode {
            node_type: word(&kind, &format!("{name}[0]"))?,
            id: any_id(&id, &format!("{name}[1]"))?,
        });
    }
    match named(value, name)? {
        Some(Named::Entry(id)) => Ok(GraphNode::new(NodeType::Entry, id)),
        Some(Named::Entity(_, id)) => Ok(GraphNode::new(NodeType::Entity, id)),
        Some(Named::Event(id)) => Ok(GraphNode::new(NodeType::Event, id)),
        None => Err(wrong_type(
            name,
            "a pair of node type and id, or a result that names an entry, entity or event",
            value,
        )),
    }
}

/// A result that names an entity, or the id of a task.
impl FromPython for EntityRef {
    fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        entity_ref(value, name)
    }
}

/// A pair of message index and text, or an object with these fields.
impl FromPython for EvidenceQuote {
    fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if let Ok((index, text)) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
            let index = argument::made_up_index(&index, &format!("{name}[0]"))?;
            let text = argument::text(&text, &format!("{name}[1]"))?;
            return Ok(EvidenceQuote::new(index, text));
        }
        static CLASS: Class = Class::new("EvidenceQuote");
        let known = ["message_index", "quote"];
        let fields = Fields::of_class(value, name, &CLASS, None, &known)?;
        let quote: String = fields.take("quote")?;
        let index = fields.required("message_index", argument::made_up_index)?;
        Ok(EvidenceQuote::new(index, quote))
    }
}

/// Its evidence may be named by a result.
impl FromPython for DecisionEvidence {
    fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        static CLASS: Class = Class::new("DecisionEvidence");
        let known = ["kind", "evidence_id", "stage", "role", "known_at"];
        let fields = Fields::of_class(value, name, &CLASS, None, &known)?;
        Ok(DecisionEvidence::new(
            fields.take("kind")?,
            fields.required("evidence_id", any_id)?,
            fields.take("stage")?,
            fields.take::<String>("role")?,
            fields.take("known_at")?,
        ))
    }
}
