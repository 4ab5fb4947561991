//! The fold of the endless mode: settings, the working set, consolidated
//! memories and the log of transitions.

use serde_json::{Value, json};

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::json::Json;
use crate::model::read::Element;
use crate::model::time::Timestamp;
use crate::projection::pauses;
use crate::projection::rows::{self, newest_first};
use crate::rules::endless::{
    ConsolidatedMemory, ContinuityEntry, MemoryMode, WorkingItem, WorkingSetPolicy, snapshot,
};
use crate::store::projected::{ProjectedMut, RowKind, Rows};

/// The setting that holds the mode.
pub(crate) const MODE: &str = "mode";
/// The setting that holds the limits of the endless mode.
pub(crate) const ENDLESS: &str = "endless";
/// The setting that holds what the last context was about.
pub(crate) const CONTEXT: &str = "context";
/// The setting that tells when something was last consolidated.
pub(crate) const CONSOLIDATED_AT: &str = "consolidated_at";
/// The settings that decide how conversations are folded, all of them.
pub(crate) const READ_BY_FOLDS: [&str; 2] = [MODE, ENDLESS];

/// A setting's value.
pub(crate) fn setting(rows: &dyn Rows, name: &str) -> Result<Option<Value>> {
    Ok(rows::get(rows, RowKind::Setting, name.as_bytes())?.map(|row| row["value"].clone()))
}

fn put_setting(
    rows: &mut ProjectedMut<'_>,
    name: &str,
    value: &Value,
    at: Timestamp,
) -> Result<()> {
    let row = json!({"value": value, "at": at.millis()});
    rows::put(rows, RowKind::Setting, name.as_bytes(), &row)
}

/// How the memory treats conversations.
pub(crate) fn mode(rows: &dyn Rows) -> Result<MemoryMode> {
    Ok(setting(rows, MODE)?
        .and_then(|value| value.as_str()?.parse().ok())
        .unwrap_or(MemoryMode::Session))
}

fn working_policy(rows: &dyn Rows) -> Result<WorkingSetPolicy> {
    let config = setting(rows, ENDLESS)?
        .map(|value| crate::rules::endless::config::config_from(&value))
        .unwrap_or_default();
    Ok(config.working_set)
}

pub(super) fn item_from(json: &Json) -> Result<WorkingItem> {
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

/// How many rows are looked through for the events in the working set, beside as many
/// as lie there: rows that expired stand between them after old conversations
/// were taken in.
const LOOKED_THROUGH: usize = 1_024;

/// The events in the working set: the newest in the log, as many as the working set holds,
/// whose time was not over when the last of them came.
pub(crate) fn working_items(rows: &dyn Rows) -> Result<Vec<WorkingItem>> {
    let most = working_policy(rows)?.max_events;
    let mut looked_through = 0;
    let mut items: Vec<WorkingItem> = Vec::new();
    let mut last = Timestamp::from_millis_clamped(i64::MIN);
    rows.scan(RowKind::Working, &[], None, &mut |_, row| {
        let item = rows::typed(RowKind::Working, row, item_from)?;
        looked_through += 1;
        if item.added_at > last {
            last = item.added_at;
            items.retain(|item| item.expires_at > last);
        }
        if item.expires_at > last {
            items.push(item);
        }
        Ok(items.len() < most && looked_through < most.saturating_add(LOOKED_THROUGH))
    })?;
    Ok(items)
}

/// Puts an event of a conversation into the working set, in the endless mode.
pub(crate) fn fold_conversation(rows: &mut ProjectedMut<'_>, event: &Event) -> Result<()> {
    let seq = event.seq.0;
    if !rows.is_in_window(seq) || mode(rows)? != MemoryMode::Endless {
        return Ok(());
    }
    let item = WorkingItem {
        event_id: event.id.to_string(),
        added_at: event.timestamp,
        relevance: 1.0,
        topics: topics_of(&event.content),
        expires_at: until(rows, event.timestamp)?,
    };
    put_item(rows, seq, &item)
}

/// When what is put into the working set now leaves it.
fn until(rows: &dyn Rows, at: Timestamp) -> Result<Timestamp> {
    let window_ms = working_policy(rows)?.time_window_ms;
    Ok(Timestamp::from_millis_clamped(
        at.millis().saturating_add(window_ms),
    ))
}

fn put_item(rows: &mut ProjectedMut<'_>, seq: u64, item: &WorkingItem) -> Result<()> {
    rows::put(
        rows,
        RowKind::Working,
        &newest_first(seq),
        &item_value(item),
    )
}

fn item(rows: &dyn Rows, seq: u64) -> Result<Option<WorkingItem>> {
    rows::get_typed(rows, RowKind::Working, &newest_first(seq), item_from)
}

/// Puts an event of before into the working set; one that is there already stays longer.
fn put_in_working_set(
    rows: &mut ProjectedMut<'_>,
    (seq, event_id): (u64, &str),
    topics: Vec<String>,
    at: Timestamp,
) -> Result<()> {
    let expires_at = until(rows, at)?;
    let mut row = item(rows, seq)?.unwrap_or_else(|| WorkingItem {
        event_id: event_id.to_owned(),
        added_at: at,
        relevance: 1.0,
        topics: Vec::new(),
        expires_at,
    });
    row.expires_at = row.expires_at.max(expires_at);
    for topic in topics {
        if !row.topics.contains(&topic) {
            row.topics.push(topic);
        }
    }
    put_item(rows, seq, &row)
}

/// What an event is about, for the working set and for consolidation.
pub(crate) fn topics_of(content: &str) -> Vec<String> {
    snapshot::topics(content, &snapshot::files(content))
}

/// Extends the time of an event in the working set that was used again.
pub(crate) fn refresh(rows: &mut ProjectedMut<'_>, seq: u64, at: Timestamp) -> Result<()> {
    if !rows.is_in_window(seq) {
        return Ok(());
    }
    match item(rows, seq)? {
        Some(mut row) if row.expires_at > at => {
            row.expires_at = row.expires_at.max(until(rows, at)?);
            put_item(rows, seq, &row)
        }
        _ => Ok(()),
    }
}

/// Reads a consolidated memory back.
pub(crate) fn memory_from(json: &Json) -> Result<ConsolidatedMemory> {
    let value = json.to_value();
    let root = Element::root("consolidated", &value);
    Ok(ConsolidatedMemory {
        memory_id: root.required("memory_id")?.text()?,
        summary: root.required("summary")?.string()?,
        topics: root.strings("topics")?,
        source_events: root.strings("source_events")?,
        confidence: root.required("confidence")?.unit()?,
        is_continuation: value["is_continuation"] == Value::Bool(true),
        created_at: root.required("created_at")?.time()?,
        accessed_at: root.optional_time("accessed_at")?,
        access_count: value["access_count"].as_u64().unwrap_or(0),
    })
}

/// Reads a scored transition back.
pub(crate) fn continuity_from(json: &Json) -> Result<ContinuityEntry> {
    let value = json.to_value();
    let root = Element::root("continuity", &value);
    Ok(ContinuityEntry {
        from_context_id: root.required("from_context_id")?.string()?,
        to_context_id: root.required("to_context_id")?.string()?,
        score: root.required("score")?.unit()?,
        transition: root.required("transition_type")?.parse()?,
        at: root.required("at")?.time()?,
    })
}

/// Counts that a consolidated memory was given to an agent.
pub(crate) fn memory_accessed(rows: &mut ProjectedMut<'_>, id: &str, at_ms: i64) -> Result<()> {
    let Some(mut row) = rows::get(rows, RowKind::Consolidated, id.as_bytes())? else {
        return Ok(());
    };
    row["accessed_at"] = row["accessed_at"]
        .as_i64()
        .unwrap_or(at_ms)
        .max(at_ms)
        .into();
    row["access_count"] = (row["access_count"].as_u64().unwrap_or(0) + 1).into();
    rows::put(rows, RowKind::Consolidated, id.as_bytes(), &row)
}

/// The row of a memory that was made of events.
pub(crate) fn consolidated_row(event: &Event, payload: &Value) -> Value {
    let mut row = payload.clone();
    if row.is_object() {
        row["created_at"] = event.timestamp.millis().into();
        row["access_count"] = 0.into();
    }
    row
}

/// The row of a scored transition.
pub(crate) fn continuity_row(event: &Event, payload: &Value) -> Value {
    let mut row = payload.clone();
    if row.is_object() {
        row["at"] = event.timestamp.millis().into();
    }
    row
}

/// Folds a memory that was made of events. When one of them was forgotten, the
/// memory goes with it, since it may tell what was forgotten.
pub(crate) fn fold_consolidated(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
) -> Result<()> {
    let sources = rows::strings(&payload["source_events"]);
    let mut is_whole = true;
    for source in &sources {
        match rows.live_seq(source)? {
            Some(seq) => rows.remove(RowKind::Working, &newest_first(seq))?,
            None => is_whole = false,
        }
    }
    put_setting(
        rows,
        CONSOLIDATED_AT,
        &event.timestamp.millis().into(),
        event.timestamp,
    )?;
    if !is_whole {
        return Ok(());
    }
    let Some(id) = payload["memory_id"].as_str() else {
        return Ok(());
    };
    let row = consolidated_row(event, payload);
    rows::put(rows, RowKind::Consolidated, id.as_bytes(), &row)?;
    for source in &sources {
        rows.put(RowKind::ConsolidatedEvent, source.as_bytes(), id.as_bytes())?;
    }
    Ok(())
}

/// Folds a scored transition and what the new context is about.
pub(crate) fn fold_continuity(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
) -> Result<()> {
    put_setting(rows, CONTEXT, &payload["current"], event.timestamp)?;
    if payload["is_logged"] == Value::Bool(true) {
        let row = continuity_row(event, payload);
        rows::put(rows, RowKind::Continuity, &event.seq.0.to_be_bytes(), &row)?;
    }
    Ok(())
}

/// Folds changed settings, and events that a migration put into the working set.
pub(crate) fn fold_setting(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
) -> Result<()> {
    if rows.next_part() {
        for (name, value) in payload["settings"].as_object().into_iter().flatten() {
            put_setting(rows, name, value, event.timestamp)?;
        }
        pauses::fold(rows, payload, event.timestamp)?;
    }
    for item in payload["working_set"].as_array().into_iter().flatten() {
        if rows.next_part()
            && let Some(id) = item["event_id"].as_str()
            && let Some(seq) = rows.live_seq(id)?
            && rows.is_in_window(seq)
        {
            let topics = rows::strings(&item["topics"]);
            put_in_working_set(rows, (seq, id), topics, event.timestamp)?;
        }
    }
    Ok(())
}
