//! One line of an export: a header, an event, or the end, each a JSON object.
//!
//! ```text
//! {"recallite":3,"store":"…","whole":true,…}      the header
//! {"seq":1,"kind":"user_prompt","id":"…",…}       one line for each event
//! {"end":true,"events":1,"checksum":"…"}          the end: a file without it is cut
//! ```
//!
//! The lines of a whole export contain everything in a record, including salt and
//! checksums, so that the log can be restored byte for byte.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{
    Dedupe, EventKind, MAX_DURATION_MS, NewEvent, Origin, PrivacyReport, ToolRecord, ToolUse,
};
use crate::model::hex::{self, hex};
use crate::model::ids::EventId;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::store::log::dedupe::dedupe_hash;
use crate::store::log::record::{
    Foreign, Form, Record, RecordView, Text, ToolFields, VERSION as RECORD_VERSION, encode,
    encode_left,
};

/// The format version that this library reads and writes. Builds from before the first
/// release wrote 1 and 2.
pub(crate) const VERSION: u32 = 3;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) recallite: u32,
    /// Whether this is the whole log and can be restored.
    pub(crate) whole: bool,
    pub(crate) exported: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) store: Option<String>,
    /// The key of the store's dedupe hashes; only in a whole export.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<String>,
    #[serde(default)]
    pub(crate) created_ms: i64,
    /// Keyed hashes of what is withheld from other stores; only in a whole export.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) withheld: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct End {
    pub(crate) end: bool,
    pub(crate) events: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) checksum: Option<String>,
}

/// What the checksum chain needs; only in a whole export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordProof {
    salt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dedupe: Option<String>,
    digest: String,
    checksum: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventLine {
    pub(crate) seq: u64,
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) citation: String,
    /// Milliseconds since 1970.
    pub(crate) timestamp: i64,
    pub(crate) origin: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) session: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) project: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) actor: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) content: String,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub(crate) metadata: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<ToolLine>,
    #[serde(default)]
    pub(crate) privacy: [u64; 5],
    /// How duplicates were recognised: `content`, `key` or `none`.
    #[serde(default)]
    pub(crate) dedupe: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) forgotten: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) erased: bool,
    /// Whether part of the record was erased.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) reduced: bool,
    /// The version of the record.
    #[serde(default = "first_version", skip_serializing_if = "is_first")]
    record: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proof: Option<RecordProof>,
    /// Its origin, if another store recorded it; only in a whole export.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    foreign: Option<ForeignLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ForeignLine {
    store: String,
    position: u64,
    stamp: i64,
    citation: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolLine {
    name: String,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    input: Option<Value>,
    output: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    success: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt_index: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_index: Option<u32>,
    metadata: Value,
}

/// Keeps `null` apart from a missing field: only the latter is `None`.
fn present<'de, D: Deserializer<'de>>(field: D) -> std::result::Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// The version of a record whose line names none, whatever the present version is.
const FIRST_RECORD_VERSION: u8 = 1;

fn first_version() -> u8 {
    FIRST_RECORD_VERSION
}

fn is_first(version: &u8) -> bool {
    *version == FIRST_RECORD_VERSION
}

pub(crate) fn unhex<const N: usize>(line: u64, name: &str, text: &str) -> Result<[u8; N]> {
    hex::unhex(text)
        .ok_or_else(|| wrong(line, format_args!("{name} is not {N} bytes in hexadecimal")))
}

/// An error about the caller's file that names the line, never its text.
pub(crate) fn wrong(line: u64, problem: impl std::fmt::Display) -> Error {
    Error::invalid("reader", format_args!("line {line}: {problem}"))
}

/// JSON text as a value that serialises to exactly this text.
fn value(seq: u64, text: &str) -> Result<Value> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    if Json::from_value(&value).as_str() == text {
        Ok(value)
    } else {
        Err(Error::new(
            ErrorCode::Corrupt,
            format!("record {seq} contains JSON that is not in its stored form; run check()"),
        ))
    }
}

fn optional_value(seq: u64, json: &Option<Json>) -> Result<Option<Value>> {
    json.as_ref()
        .map(|json| value(seq, json.as_str()))
        .transpose()
}

impl ToolLine {
    fn of_call(seq: u64, tool: &ToolRecord) -> Result<ToolLine> {
        Ok(ToolLine {
            name: tool.name.clone(),
            input: optional_value(seq, &tool.input)?,
            output: tool.output.clone(),
            duration_ms: tool.duration_ms,
            success: tool.success,
            error: tool.error.clone(),
            prompt_index: tool.prompt_index,
            tool_index: tool.tool_index,
            metadata: value(seq, tool.metadata.as_str())?,
        })
    }
}

impl EventLine {
    /// Converts a record to a line; `with_proof` for a whole export.
    pub(crate) fn of_record(
        seq: u64,
        view: &RecordView<'_>,
        is_forgotten: bool,
        secret: &[u8; 32],
        with_proof: bool,
    ) -> Result<EventLine> {
        let record = view.archive()?;
        let event = view.to_event()?;
        let by_content = dedupe_hash(secret, &event.session, &Dedupe::Content, &event.content);
        let stored = record.dedupe.as_ref();
        let dedupe = match stored {
            None => "none",
            Some(hash) if by_content.as_ref() == Some(hash) => "content",
            Some(_) => "key",
        };
        Ok(EventLine {
            seq,
            kind: view.kind().as_str().to_owned(),
            id: event.id.to_string(),
            citation: event.citation.as_str().to_owned(),
            timestamp: record.timestamp_ms,
            origin: event.origin.as_str().to_owned(),
            session: event.session,
            project: event.project,
            actor: event.actor,
            content: event.content,
            metadata: optional_value(seq, &event.metadata)?,
            tool: event
                .tool
                .as_ref()
                .map(|tool| ToolLine::of_call(seq, tool))
                .transpose()?,
            privacy: event.privacy.figures(),
            dedupe: dedupe.to_owned(),
            forgotten: is_forgotten && !view.is_erased(),
            erased: view.is_erased(),
            reduced: view.is_reduced(),
            record: RECORD_VERSION,
            proof: with_proof.then(|| RecordProof {
                salt: hex(&record.salt),
                dedupe: stored.map(|hash| hex(hash)),
                digest: hex(&view.digest()),
                checksum: hex(&view.checksum()),
            }),
            foreign: record
                .foreign
                .filter(|_| with_proof)
                .map(|foreign| ForeignLine {
                    store: hex(&foreign.store),
                    position: foreign.position,
                    stamp: foreign.stamp_ms,
                    citation: foreign.citation.as_str().to_owned(),
                }),
        })
    }

    /// The record that the line was made from, byte for byte, and the checksum for the next
    /// record to continue.
    pub(crate) fn to_record(&self, at: u64, previous: &[u8; 32]) -> Result<(Vec<u8>, [u8; 32])> {
        let proof = self.proof.as_ref().ok_or_else(|| {
            wrong(
                at,
                "has no checksums, so it can be imported but not restored",
            )
        })?;
        let kind: EventKind = self.kind.parse().map_err(|_| wrong(at, "unknown kind"))?;
        let id: EventId = self
            .id
            .parse()
            .map_err(|_| wrong(at, "id is not an event id"))?;
        let origin: Origin = self
            .origin
            .parse()
            .map_err(|_| wrong(at, "unknown origin"))?;
        if self.record != RECORD_VERSION {
            return Err(wrong(at, "has an unknown record version"));
        }
        let json = |value: &Option<Value>| value.as_ref().map(Value::to_string);
        let metadata = json(&self.metadata);
        let tool_input = self.tool.as_ref().and_then(|tool| json(&tool.input));
        let tool_metadata = self.tool.as_ref().map(|tool| tool.metadata.to_string());
        let record = Record {
            salt: unhex(at, "salt", &proof.salt)?,
            id: *id.as_bytes(),
            timestamp_ms: self.timestamp,
            origin: origin as u8,
            session: Text(&self.session),
            project: Text(&self.project),
            actor: Text(&self.actor),
            citation: Text(&self.citation),
            content: Text(&self.content),
            metadata: metadata.as_deref().map(Text),
            tool: self.tool.as_ref().map(|tool| ToolFields {
                name: Text(&tool.name),
                input: tool_input.as_deref().map(Text),
                output: Text(&tool.output),
                duration_ms: tool.duration_ms,
                success: tool.success,
                error: tool.error.as_deref().map(Text),
                prompt_index: tool.prompt_index,
                tool_index: tool.tool_index,
                metadata: Text(tool_metadata.as_deref().unwrap_or_default()),
            }),
            privacy: PrivacyReport::of_figures(self.privacy),
            dedupe: proof
                .dedupe
                .as_ref()
                .map(|text| unhex(at, "dedupe", text))
                .transpose()?,
            foreign: match &self.foreign {
                None => None,
                Some(foreign) => Some(Foreign {
                    store: unhex(at, "foreign.store", &foreign.store)?,
                    position: foreign.position,
                    stamp_ms: foreign.stamp,
                    citation: Text(&foreign.citation),
                }),
            },
        };
        self.encode_proved(at, kind, &record, proof, previous)
    }

    /// The bytes of the line's record, which must match the checksums of the line.
    fn encode_proved(
        &self,
        at: u64,
        kind: EventKind,
        record: &Record<'_>,
        proof: &RecordProof,
        previous: &[u8; 32],
    ) -> Result<(Vec<u8>, [u8; 32])> {
        let (digest, checksum): ([u8; 32], [u8; 32]) = (
            unhex(at, "digest", &proof.digest)?,
            unhex(at, "checksum", &proof.checksum)?,
        );
        let bytes = if self.erased {
            encode_left(kind, record, Form::Erased, &digest, &checksum)?
        } else if self.reduced {
            encode_left(kind, record, Form::Reduced, &digest, &checksum)?
        } else {
            encode(self.seq, kind, record, previous)?
        };
        let view = RecordView::new(self.seq, &bytes)?;
        if view.digest() != digest || view.checksum() != checksum || !view.continues(previous) {
            return Err(wrong(at, "does not match its checksum; export it again"));
        }
        Ok((bytes, checksum))
    }

    /// The event to import; `None` for what an import leaves out.
    pub(crate) fn to_new_event(&self, at: u64) -> Result<Option<NewEvent>> {
        let kind: EventKind = self.kind.parse().map_err(|_| wrong(at, "unknown kind"))?;
        if self.forgotten || self.erased || !kind.is_conversation() {
            return Ok(None);
        }
        let origin: Origin = self
            .origin
            .parse()
            .map_err(|_| wrong(at, "unknown origin"))?;
        let json = |value: &Value| Json::from_value(value);
        let mut event = NewEvent::new(kind, self.session.clone(), self.content.clone())
            .origin(origin)
            .project(self.project.clone())
            .stays_forgotten(true);
        event.actor = (!self.actor.is_empty()).then(|| self.actor.clone());
        event.timestamp = Some(
            Timestamp::from_millis(self.timestamp)
                .map_err(|_| wrong(at, "timestamp is out of range"))?,
        );
        let metadata = self.metadata.as_ref().filter(|value| !value.is_null());
        event.metadata = metadata.map(json);
        // Events deduplicated by content keep that; all others use their old id.
        event.dedupe = if self.dedupe == "content" {
            Dedupe::Content
        } else {
            Dedupe::Key(format!("recallite:{}", self.id))
        };
        event.tool = self.tool.as_ref().map(|tool| ToolUse {
            name: tool.name.clone(),
            input: tool.input.as_ref().map(json),
            output: tool.output.clone(),
            duration_ms: tool.duration_ms.map(|ms| ms.min(MAX_DURATION_MS)),
            success: Some(tool.success),
            error: tool.error.clone(),
            prompt_index: tool.prompt_index,
            tool_index: tool.tool_index,
        });
        Ok(Some(event))
    }
}
