//! The fold of the endless mode: settings, the working set, consolidated
//! memories and the log of transitions.

use serde_json::{Value, json};

use super::rows;
use crate::learn::endless::snapshot;
use crate::learn::endless::{
    ContextSnapshot, MemoryMode, WorkingItem, WorkingSet, WorkingSetPolicy,
};
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::json::Json;
use crate::model::read::Element;
use crate::model::time::Timestamp;
use crate::store::projected::{ProjectedMut, Rows, Shelf};

/// The setting that holds the mode.
pub(crate) const MODE: &str = "mode";
/// The setting that holds the limits of the endless mode.
pub(crate) const ENDLESS: &str = "endless";
/// The setting that holds what the last context was about.
pub(crate) const CONTEXT: &str = "context";
/// The setting that tells when something was last consolidated.
pub(crate) const CONSOLIDATED_AT: &str = "consolidated_at";

/// A setting's value.
pub(crate) fn setting(rows: &dyn Rows, name: &str) -> Result<Option<Value>> {
    Ok(rows::get(rows, Shelf::Setting, name.as_bytes())?.map(|row| row["value"].clone()))
}

fn put_setting(
    rows: &mut ProjectedMut<'_>,
    name: &str,
    value: &Value,
    at: Timestamp,
) -> Result<()> {
    let row = json!({"value": value, "at": at.millis()});
    rows::put(rows, Shelf::Setting, name.as_bytes(), &row)
}

/// How the memory treats conversations.
pub(crate) fn mode(rows: &dyn Rows) -> Result<MemoryMode> {
    Ok(setting(rows, MODE)?
        .and_then(|value| value.as_str()?.parse().ok())
        .unwrap_or(MemoryMode::Session))
}

fn working_policy(rows: &dyn Rows) -> Result<WorkingSetPolicy> {
    let config = setting(rows, ENDLESS)?
        .map(|value| crate::learn::endless_mode::config_from(&value))
        .unwrap_or_default();
    Ok(config.working_set)
}

fn item_from(json: &Json) -> Result<WorkingItem> {
    let value = json.to_value();
    let root = Element::root("working_item", &value);
    Ok(WorkingItem {
        event_id: root.required("event_id")?.text()?,
        added_at: root.required("added_at")?.time()?,
        relevance: root.required("relevance")?.unit()?,
        topics: root.strings("topics")?,
        expires_at: root.required("expires_at")?.time()?,
    })
}

fn item_value(item: &WorkingItem) -> Value {
    json!({
        "event_id": item.event_id,
        "added_at": item.added_at.millis(),
        "relevance": item.relevance,
        "topics": item.topics,
        "expires_at": item.expires_at.millis(),
    })
}

/// The events on the table, expired ones included.
pub(crate) fn working_items(rows: &dyn Rows) -> Result<Vec<WorkingItem>> {
    rows::all(rows, Shelf::Working, &[], item_from)
}

/// Puts an event of a conversation on the table, in the endless mode.
pub(crate) fn fold_conversation(rows: &mut ProjectedMut<'_>, event: &Event) -> Result<()> {
    if mode(rows)? != MemoryMode::Endless {
        return Ok(());
    }
    add_to_working_set(rows, &event.id.to_string(), &event.content, event.timestamp)
}

fn add_to_working_set(
    rows: &mut ProjectedMut<'_>,
    event_id: &str,
    content: &str,
    at: Timestamp,
) -> Result<()> {
    let topics = topics_of(content);
    change_working_set(rows, |set, policy| {
        // 1 is a relevance, so nothing can be refused.
        let _gone = set.add(policy, event_id, 1.0, &topics, at)?;
        Ok(())
    })
}

/// What an event is about, for the working set and for consolidation.
pub(crate) fn topics_of(content: &str) -> Vec<String> {
    snapshot::topics(content, &snapshot::files(content))
}

fn change_working_set(
    rows: &mut ProjectedMut<'_>,
    change: impl FnOnce(&mut WorkingSet, &WorkingSetPolicy) -> Result<()>,
) -> Result<()> {
    let policy = working_policy(rows)?;
    let before = working_items(rows)?;
    let mut set = WorkingSet::from_items(before.iter().cloned());
    change(&mut set, &policy)?;
    let after = set.items();
    for old in &before {
        if !after.contains_key(&old.event_id) {
            rows.remove(Shelf::Working, old.event_id.as_bytes())?;
        }
    }
    for (id, item) in after {
        if !before.contains(item) {
            rows::put(rows, Shelf::Working, id.as_bytes(), &item_value(item))?;
        }
    }
    Ok(())
}

/// Extends the time of an event on the table that was used again.
pub(crate) fn refresh(rows: &mut ProjectedMut<'_>, event_id: &str, at: Timestamp) -> Result<()> {
    if rows.get(Shelf::Working, event_id.as_bytes())?.is_none() {
        return Ok(());
    }
    change_working_set(rows, |set, policy| {
        set.refresh(policy, event_id, at);
        Ok(())
    })
}

/// Counts that a consolidated memory was given to an agent.
pub(crate) fn memory_accessed(rows: &mut ProjectedMut<'_>, id: &str, at_ms: i64) -> Result<()> {
    let Some(mut row) = rows::get(rows, Shelf::Consolidated, id.as_bytes())? else {
        return Ok(());
    };
    row["accessed_at"] = row["accessed_at"]
        .as_i64()
        .unwrap_or(at_ms)
        .max(at_ms)
        .into();
    row["access_count"] = (row["access_count"].as_u64().unwrap_or(0) + 1).into();
    rows::put(rows, Shelf::Consolidated, id.as_bytes(), &row)
}

/// Folds a memory that was made of events. When one of them was forgotten, the
/// memory goes with it, since it may tell what was forgotten.
pub(crate) fn fold_consolidated(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
    is_live: &dyn Fn(&str) -> Result<bool>,
) -> Result<()> {
    let sources = rows::strings(&payload["source_events"]);
    for source in &sources {
        rows.remove(Shelf::Working, source.as_bytes())?;
    }
    put_setting(
        rows,
        CONSOLIDATED_AT,
        &event.timestamp.millis().into(),
        event.timestamp,
    )?;
    for source in &sources {
        if !is_live(source)? {
            return Ok(());
        }
    }
    let Some(id) = payload["memory_id"].as_str() else {
        return Ok(());
    };
    let mut row = payload.clone();
    row["created_at"] = event.timestamp.millis().into();
    row["access_count"] = 0.into();
    rows::put(rows, Shelf::Consolidated, id.as_bytes(), &row)?;
    for source in &sources {
        rows.put(Shelf::ConsolidatedEvent, source.as_bytes(), id.as_bytes())?;
    }
    Ok(())
}

/// Folds a scored transition and what the new context is about.
pub(crate) fn fold_continuity(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
) -> Result<()> {
    if ContextSnapshot::from_json(&Json::from_value(&payload["current"])).is_ok() {
        put_setting(rows, CONTEXT, &payload["current"], event.timestamp)?;
    }
    if payload["is_logged"] == Value::Bool(true) {
        let mut row = payload.clone();
        row["at"] = event.timestamp.millis().into();
        rows::put(rows, Shelf::Continuity, &event.seq.0.to_be_bytes(), &row)?;
    }
    Ok(())
}

/// Folds changed settings, and events that a migration put on the table.
pub(crate) fn fold_setting(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
    is_live: &dyn Fn(&str) -> Result<bool>,
) -> Result<()> {
    if let Some(settings) = payload["settings"].as_object() {
        for (name, value) in settings {
            put_setting(rows, name, value, event.timestamp)?;
        }
    }
    for item in payload["working_set"].as_array().into_iter().flatten() {
        if let Some(id) = item["event_id"].as_str()
            && is_live(id)?
        {
            let topics = rows::strings(&item["topics"]);
            change_working_set(rows, |set, policy| {
                let _gone = set.add(policy, id, 1.0, &topics, event.timestamp)?;
                Ok(())
            })?;
        }
    }
    Ok(())
}
