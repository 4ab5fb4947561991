//! Validates a record from another store, field by field, before any of it is stored.

use serde_json::Value;

use crate::index::lexical::searchable;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Dedupe, EventKind, MAX_DURATION_MS, Origin, PrivacyReport};
use crate::model::ids::{EventId, parse_citation};
use crate::model::json::{canonical_text, is_too_deep};
use crate::model::time::Timestamp;
use crate::privacy::{Clean, CleanEvent, CleanTool, check_name};
use crate::share::is_shared;
use crate::share::lines::{SharedRecord, SharedTool};
use crate::store::log::append::{Draft, ForeignDraft, Words};
use crate::store::log::tombstone::is_tombstone;
use crate::store::shared::record_order::{ACCEPTED_AHEAD_MS, ForeignName};
use crate::store::shared::remote_deletes::{Targets, arrived_targets};
use crate::store::shared::store_key::StoreKey;
use crate::text::fence::recalled_spans;
use crate::text::tool::observed_file;
use crate::write::prepare::CONTENT_LIMIT;

/// No record is later than the year 9999.
const LAST_STAMP_MS: i64 = 253_402_300_799_999;

/// The store that a batch came from.
pub(super) struct Author {
    pub(super) key: StoreKey,
    pub(super) identity: String,
    /// Whether its orders apply to what other stores recorded.
    pub(super) reaches_all: bool,
}

/// A validated record.
pub(super) struct Incoming {
    pub(super) draft: ForeignDraft,
    /// What it hides, if it is an order.
    pub(super) targets: Option<Vec<Targets>>,
}

impl Incoming {
    pub(super) fn new(
        author: &Author,
        record: &SharedRecord,
        secret: &[u8; 32],
        now: Timestamp,
    ) -> Result<Incoming> {
        let Ok(kind) = record.kind.parse() else {
            return Err(newer_kind(author, record));
        };
        let checked = Checked::of(record, kind, now).map_err(|problem| {
            Error::invalid(
                "batch",
                format_args!(
                    "the record at position {} of store {} {problem}",
                    record.position, author.identity
                ),
            )
        })?;
        Ok(Incoming {
            targets: checked.targets,
            draft: ForeignDraft {
                draft: draft(record, checked.kind, checked.origin, checked.tool, secret),
                id: checked.id,
                salt: [0; 16],
                name: ForeignName {
                    store: author.key,
                    position: record.position,
                    stamp_ms: record.stamp,
                    citation: checked.citation,
                },
            },
        })
    }
}

/// Every kind that this library knows is one that it can read.
fn newer_kind(author: &Author, record: &SharedRecord) -> Error {
    Error::new(
        ErrorCode::NewerFormat,
        format!(
            "the record at position {} of store {} has an unknown kind, so a newer library wrote \
             it; update the library",
            record.position, author.identity
        ),
    )
    .with_argument("batch")
}

/// The parsed and validated fields of a record.
struct Checked {
    kind: EventKind,
    id: EventId,
    citation: String,
    origin: Origin,
    tool: Option<CleanTool>,
    targets: Option<Vec<Targets>>,
}

impl Checked {
    /// Validates a record; the error says what is wrong with it.
    fn of(
        record: &SharedRecord,
        kind: EventKind,
        now: Timestamp,
    ) -> std::result::Result<Self, &'static str> {
        if !is_shared(kind) || kind.as_str() != record.kind {
            return Err("has a kind that is not shared");
        }
        check_times_and_texts(record, kind)?;
        if record.stamp > now.millis().saturating_add(ACCEPTED_AHEAD_MS) {
            return Err(
                "was stamped by a clock that is more than a century ahead of this one; forget it \
                 where it was recorded, or correct the clock here",
            );
        }
        check_session(record, kind)?;
        let origin: Origin = record.origin.parse().map_err(|_| "has an invalid origin")?;
        if !kind.is_conversation() && origin != Origin::System {
            return Err("has an origin other than system");
        }
        let tool = match (&record.tool, kind) {
            (Some(tool), EventKind::ToolObservation) => {
                Some(clean_tool(tool).ok_or("has an invalid tool call")?)
            }
            (None, _) => None,
            (Some(_), _) => return Err("has a tool call but is not a tool observation"),
        };
        let targets = match is_tombstone(kind) {
            true => {
                let named = record.metadata.as_deref().and_then(arrived_targets);
                Some(named.ok_or("does not name the events it hides")?)
            }
            false => None,
        };
        Ok(Checked {
            kind,
            id: record.id.parse().map_err(|_| "has an invalid event id")?,
            citation: parse_citation(&record.citation)
                .filter(|citation| *citation == record.citation)
                .ok_or("has an invalid citation id")?,
            origin,
            tool,
            targets,
        })
    }
}

fn check_times_and_texts(
    record: &SharedRecord,
    kind: EventKind,
) -> std::result::Result<(), &'static str> {
    let is_time = |ms: i64| Timestamp::from_millis(ms).is_ok();
    if !(0..=LAST_STAMP_MS).contains(&record.stamp) || !is_time(record.timestamp) {
        return Err("has a timestamp out of range");
    }
    let names = [&record.session, &record.project, &record.actor];
    if names.iter().any(|name| check_name("name", name).is_err()) {
        return Err("has a name that is too long or contains control characters");
    }
    if has_text_longer_than(record, CONTENT_LIMIT) {
        return Err("is larger than an event may be");
    }
    // An order may be long, and is read as what it is.
    if is_tombstone(kind) {
        return Ok(());
    }
    match record.metadata.as_deref().map(object) {
        Some(None) => Err("has metadata that is not a JSON object"),
        Some(Some(payload)) if !kind.is_conversation() && has_name_with_nul(&payload) => {
            Err("has a name that contains a NUL character")
        }
        _ => Ok(()),
    }
}

/// Whether any of a record's texts has more bytes; names are short.
fn has_text_longer_than(record: &SharedRecord, most: usize) -> bool {
    let tool = record.tool.as_ref().into_iter();
    let of_tool = tool.flat_map(|tool| {
        let optional = tool.input.iter().chain(&tool.error);
        optional.chain([&tool.output, &tool.metadata])
    });
    let mut texts = record
        .metadata
        .iter()
        .chain([&record.content])
        .chain(of_tool);
    texts.any(|text| text.len() > most)
}

/// Whether a name or an id in the payload of a record contains the character that separates names
/// in keys.
fn has_name_with_nul(payload: &Value) -> bool {
    let is_name = |name: &str| {
        matches!(name, "project" | "session" | "home_session") || name.ends_with("_id")
    };
    match payload {
        Value::Object(fields) => fields.iter().any(|(name, value)| match value {
            Value::String(text) => is_name(name) && text.contains('\0'),
            value => has_name_with_nul(value),
        }),
        Value::Array(items) => items.iter().any(has_name_with_nul),
        _ => false,
    }
}

fn check_session(record: &SharedRecord, kind: EventKind) -> std::result::Result<(), &'static str> {
    let needs_session = kind.is_conversation() || kind == EventKind::SessionChanged;
    if needs_session && record.session.trim().is_empty() {
        return Err("has no session");
    }
    if is_tombstone(kind) && !record.session.is_empty() {
        return Err("is a tombstone, which must not have a session");
    }
    Ok(())
}

/// The record as a draft for the log.
fn draft(
    record: &SharedRecord,
    kind: EventKind,
    origin: Origin,
    tool: Option<CleanTool>,
    secret: &[u8; 32],
) -> Draft {
    let event = CleanEvent {
        kind,
        session: record.session.clone(),
        project: None,
        actor: None,
        origin: Some(origin),
        timestamp: None,
        content: Clean::from_log(record.content.clone()),
        metadata: record.metadata.clone().map(Clean::from_log),
        dedupe: Dedupe::None,
        stays_forgotten: false,
        tool,
        privacy: PrivacyReport::of_figures(record.privacy),
        truncated_bytes: 0,
        warnings: Vec::new(),
    };
    let timestamp = Timestamp::from_millis_clamped(record.timestamp);
    let tool = event.tool.as_ref();
    Draft {
        words: words(&event, &record.actor, timestamp, secret),
        file: tool.and_then(|tool| observed_file(tool.metadata.as_str())),
        event,
        project: record.project.clone(),
        actor: record.actor.clone(),
        origin,
        timestamp,
    }
}

fn object(json: &str) -> Option<Value> {
    if is_too_deep(json) {
        return None;
    }
    let value: Value = serde_json::from_str(json).ok()?;
    (value.is_object() && canonical_text(&value) == json).then_some(value)
}

fn clean_tool(tool: &SharedTool) -> Option<CleanTool> {
    let is_json = |json: &str| {
        !is_too_deep(json)
            && serde_json::from_str::<Value>(json).is_ok_and(|value| canonical_text(&value) == json)
    };
    let is_sound = check_name("name", &tool.name).is_ok()
        && tool.input.as_deref().is_none_or(is_json)
        && object(&tool.metadata).is_some();
    is_sound.then(|| CleanTool {
        name: Clean::from_log(tool.name.clone()),
        input: tool.input.clone().map(Clean::from_log),
        output: Clean::from_log(tool.output.clone()),
        duration_ms: tool.duration_ms.map(|ms| ms.min(MAX_DURATION_MS)),
        success: tool.success,
        error: tool.error.clone().map(Clean::from_log),
        prompt_index: tool.prompt_index,
        tool_index: tool.tool_index,
        metadata: Clean::from_log(tool.metadata.clone()),
    })
}

fn words(event: &CleanEvent, actor: &str, at: Timestamp, secret: &[u8; 32]) -> Words {
    if !event.kind.is_conversation() {
        return Words::None;
    }
    let content = event.content.as_str();
    let recalled = recalled_spans(secret, content);
    Words::Forward(searchable::forward_body(event, actor, at, &recalled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_a_record_has_a_limit() {
        let tool = |change: fn(&mut SharedTool)| {
            let mut tool = SharedTool::default();
            change(&mut tool);
            SharedRecord {
                tool: Some(tool),
                ..SharedRecord::default()
            }
        };
        let five = || "12345".to_owned();
        let records = [
            SharedRecord {
                content: five(),
                ..SharedRecord::default()
            },
            SharedRecord {
                metadata: Some(five()),
                ..SharedRecord::default()
            },
            tool(|tool| tool.input = Some("12345".to_owned())),
            tool(|tool| tool.output = "12345".to_owned()),
            tool(|tool| tool.error = Some("12345".to_owned())),
            tool(|tool| tool.metadata = "12345".to_owned()),
        ];
        for record in &records {
            assert!(has_text_longer_than(record, 4), "{record:?}");
            assert!(!has_text_longer_than(record, 5), "{record:?}");
        }
    }
}
