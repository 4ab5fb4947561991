//! One hash of everything that two stores must agree on once they have exchanged their
//! records.
//!
//! Included: every live shared record, and what was learned from the log. Excluded: positions and
//! citations that each store assigns itself, dedupe hashes, how memories were used, and what is
//! never shared.

use serde_json::Value;

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::hex::hex;
use crate::model::json::canonical_text;
use crate::model::session::Session;
use crate::model::time::Timestamp;
use crate::projection::rows;
use crate::share::is_shared;
use crate::store::ReadTx;
use crate::store::log::record::{Text, ToolFields};
use crate::store::log::session::SessionRow;
use crate::store::log::tombstone::is_tombstone;
use crate::store::projected_rows::projected::{RowKind, Rows as _};

/// The kinds of rows that all stores agree on, and in each the fields that differ between
/// stores.
pub(super) const LEARNED: [(RowKind, &[&str]); 12] = [
    (RowKind::Task, &[]),
    (RowKind::Condition, &[]),
    (RowKind::Artifact, &[]),
    (RowKind::EntityKey, &[]),
    (RowKind::KeyOfEntity, &[]),
    (RowKind::Entry, &["seq"]),
    (RowKind::Edge, &[]),
    (RowKind::Decision, &[]),
    (RowKind::Conflict, &[]),
    (RowKind::Consolidated, &["accessed_at", "access_count"]),
    (RowKind::Resolution, &[]),
    (RowKind::Placeholder, &[]),
];

/// [`Sharing::shared_hash`](crate::Sharing::shared_hash).
pub(crate) fn shared_hash(engine: &Engine) -> Result<String> {
    let read = engine.store.read()?;
    let mut hasher = blake3::Hasher::new();
    update(&mut hasher, records(&read)?);
    update(&mut hasher, sessions(&read)?);
    for (row_kind, own) in LEARNED {
        hasher.update(&[row_kind as u8]);
        update(&mut hasher, learned(&read, row_kind, own)?);
    }
    Ok(hex(hasher.finalize().as_bytes()))
}

/// Combines hashes independently of their order.
fn update(hasher: &mut blake3::Hasher, mut hashes: Vec<[u8; 32]>) {
    hashes.sort_unstable();
    hasher.update(&(hashes.len() as u64).to_le_bytes());
    for hash in hashes {
        hasher.update(&hash);
    }
}

fn records(read: &ReadTx) -> Result<Vec<[u8; 32]>> {
    let mut hashes = Vec::new();
    let orders = read.record_orders()?;
    read.each_record(|seq, view, is_hidden| {
        let kind = view.kind();
        if is_hidden || view.is_erased() || !is_shared(kind) || is_tombstone(kind) {
            return Ok(());
        }
        let record = view.archive()?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&record.id);
        hasher.update(&kind.number().to_le_bytes());
        hasher.update(&record.timestamp_ms.to_le_bytes());
        // The rows already cover what the library itself recorded, and an erasure may have
        // left only part of such a record, here or at its origin.
        if kind.is_conversation() {
            hasher.update(&[record.origin]);
            let place = orders.of(seq, &record)?;
            hasher.update(&place.stamp_ms.to_le_bytes());
            hasher.update(&place.position.to_le_bytes());
            for text in [record.session, record.project, record.actor, record.content] {
                add_text(&mut hasher, text);
            }
            add_optional(&mut hasher, record.metadata, add_text);
            add_optional(&mut hasher, record.tool, add_tool);
        }
        hashes.push(*hasher.finalize().as_bytes());
        Ok(())
    })?;
    Ok(hashes)
}

fn add_text(hasher: &mut blake3::Hasher, text: Text<'_>) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn add_optional<T>(
    hasher: &mut blake3::Hasher,
    value: Option<T>,
    add: impl FnOnce(&mut blake3::Hasher, T),
) {
    hasher.update(&[u8::from(value.is_some())]);
    if let Some(value) = value {
        add(hasher, value);
    }
}

fn add_tool(hasher: &mut blake3::Hasher, tool: ToolFields<'_>) {
    let number = |hasher: &mut blake3::Hasher, number: u64| {
        hasher.update(&number.to_le_bytes());
    };
    add_text(hasher, tool.name);
    add_optional(hasher, tool.input, add_text);
    add_text(hasher, tool.output);
    add_optional(hasher, tool.duration_ms, number);
    hasher.update(&[u8::from(tool.success)]);
    add_optional(hasher, tool.error, add_text);
    add_optional(hasher, tool.prompt_index.map(u64::from), number);
    add_optional(hasher, tool.tool_index.map(u64::from), number);
    add_text(hasher, tool.metadata);
}

/// Sessions in which, or about which, anything shared was recorded.
pub(super) fn shared_sessions(read: &ReadTx) -> Result<Vec<Session>> {
    let rows = read.every_session()?.into_iter();
    let is_shared = |row: &SessionRow| {
        let is_changed = row.ended_ms.is_some() || row.summary.is_some() || !row.tags.is_empty();
        row.events > 0 || is_changed || row.is_start_set || row.is_project_set
    };
    rows.filter(is_shared)
        .map(|row| {
            // Without a message, only what was set is shared.
            let is_told = row.events > 0;
            let (has_start, has_project) = (row.is_start_set, row.is_project_set);
            let mut session = read.public_session(row)?;
            if !is_told {
                session.last_event = Timestamp::MIN;
                if !has_start {
                    session.started = Timestamp::MIN;
                }
                if !has_project {
                    session.project = String::new();
                }
            }
            Ok(session)
        })
        .collect()
}

fn sessions(read: &ReadTx) -> Result<Vec<[u8; 32]>> {
    let hash_of = |session: Session| {
        let ms = |at: Timestamp| at.millis();
        let line = serde_json::json!([
            session.id,
            session.project,
            ms(session.started),
            session.ended.map(ms),
            ms(session.last_event),
            session.summary,
            session.tags,
            session.events,
        ]);
        *blake3::hash(line.to_string().as_bytes()).as_bytes()
    };
    Ok(shared_sessions(read)?.into_iter().map(hash_of).collect())
}

/// The part of a row that all stores agree on: without `own` fields, and without the numbers of
/// quoted messages. These count the messages of a session that a store knew when it learned
/// something or erased some of them; the id of each is there as well.
pub(super) fn agreed(mut row: Value, own: &[&str]) -> Value {
    if let Some(fields) = row.as_object_mut() {
        fields.retain(|name, _| !own.contains(&name.as_str()));
    }
    without_message_numbers(&mut row);
    row
}

fn has_message_number(row: &[u8]) -> bool {
    let name = b"\"message_index\"";
    row.windows(name.len()).any(|part| part == name)
}

fn without_message_numbers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_message_numbers),
        Value::Object(fields) => {
            if fields.contains_key("event_id") {
                fields.remove("message_index");
            }
            fields.values_mut().for_each(without_message_numbers);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn learned(read: &ReadTx, row_kind: RowKind, own: &[&str]) -> Result<Vec<[u8; 32]>> {
    let mut hashes = Vec::new();
    let projected = read.projected()?;
    projected.scan(row_kind, &[], None, &mut |key, row| {
        let mut hasher = blake3::Hasher::new();
        // The key of an edge is a number local to the store.
        if row_kind != RowKind::Edge {
            hasher.update(&(key.len() as u64).to_le_bytes());
            hasher.update(key);
        }
        // Not every row is JSON, and most are the same everywhere.
        match own.is_empty() && !has_message_number(row) {
            true => hasher.update(row),
            false => {
                let value = serde_json::from_slice(row).map_err(|e| rows::broken(row_kind, e))?;
                hasher.update(canonical_text(&agreed(value, own)).as_bytes())
            }
        };
        hashes.push(*hasher.finalize().as_bytes());
        Ok(true)
    })?;
    Ok(hashes)
}
