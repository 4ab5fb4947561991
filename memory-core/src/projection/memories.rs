//! The fold of uncertain memories: placeholders for missing context, and what
//! became of the questions about a memory.

use serde_json::Value;

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::json::Json;
use crate::model::read::Element;
use crate::model::time::Timestamp;
use crate::projection::rows;
use crate::rules::entries::{MemoryResolution, Placeholder};
use crate::store::projected::{ProjectedMut, RowKind, Rows};

fn row_of(event: &Event, payload: &Value) -> Value {
    let mut row = payload.clone();
    if row.is_object() {
        row["at"] = event.timestamp.millis().into();
    }
    row
}

/// Refuses what is neither an answer nor a placeholder.
pub(crate) fn check(event: &Event, payload: &Value) -> Result<()> {
    let row = Json::from_value(&row_of(event, payload));
    match &payload["placeholder_of"] {
        Value::Null => resolution_from(&row).map(drop),
        _ => placeholder_from(&row).map(drop),
    }
}

/// Folds an answer, or a placeholder.
pub(crate) fn fold(rows: &mut ProjectedMut<'_>, event: &Event, payload: &Value) -> Result<()> {
    let row = row_of(event, payload);
    if let Some(event_id) = payload["placeholder_of"].as_str() {
        if rows.live_seq(event_id)?.is_some() {
            rows::put(rows, RowKind::Placeholder, event_id.as_bytes(), &row)?;
        }
        return Ok(());
    }
    if let Some(memory) = payload["condition_id"].as_str() {
        rows::put(rows, RowKind::Resolution, memory.as_bytes(), &row)?;
        if payload["resolution_type"] != "pending" {
            rows.remove(RowKind::Placeholder, memory.as_bytes())?;
        }
    }
    Ok(())
}

/// The last answer about a memory.
pub(crate) fn resolution(rows: &dyn Rows, memory: &str) -> Result<Option<MemoryResolution>> {
    rows::get_typed(
        rows,
        RowKind::Resolution,
        memory.as_bytes(),
        resolution_from,
    )
}

pub(crate) fn resolution_from(json: &Json) -> Result<MemoryResolution> {
    let value = json.to_value();
    let root = Element::root("memory_resolved", &value);
    Ok(MemoryResolution {
        condition_id: root.required("condition_id")?.text()?,
        resolved_to: root.optional_string("resolved_to")?,
        kind: root.required("resolution_type")?.parse()?,
        confidence: root.required("confidence")?.unit()?,
        resolved_at: root.required("at")?.time()?,
    })
}

pub(crate) fn placeholder_from(json: &Json) -> Result<Placeholder> {
    let value = json.to_value();
    let root = Element::root("placeholder", &value);
    Ok(Placeholder {
        id: root.required("id")?.text()?,
        event_id: root.required("placeholder_of")?.text()?,
        created_at: Timestamp::from_millis_clamped(value["at"].as_i64().unwrap_or(0)),
    })
}
