//! A remembered event as C sees it.

use recallite::{Event, PrivacyReport, ToolRecord};

use crate::call::guard_free;
use crate::owned::{self, Parts};
use crate::text::recallite_str;

/// What the privacy filter did to one event.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_privacy_report {
    /// Private sections that were taken out.
    pub private_count: u32,
    /// Secrets that were masked.
    pub secret_count: u32,
    /// Personal data that was anonymised.
    pub anonymized_count: u32,
    /// Length of the text before filtering, in bytes.
    pub original_bytes: u64,
    /// Length of the text after filtering, in bytes.
    pub filtered_bytes: u64,
}

/// The stored form of a tool call: masked, cut, with what was derived from it.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_tool_record {
    /// The tool's name.
    pub name: recallite_str,
    /// The masked arguments, as JSON; absent when none were given.
    pub input_json: recallite_str,
    /// The masked output, cut to the limits in force when it was stored.
    pub output: recallite_str,
    /// The masked error message; absent when there was none.
    pub error: recallite_str,
    /// What was derived from the call (file path, exit code, ...), as a JSON
    /// object.
    pub metadata_json: recallite_str,
    /// How long it ran, in milliseconds; 0 unless has_duration_ms.
    pub duration_ms: u64,
    /// Which prompt of the session caused the call, counted from 0; 0 unless
    /// has_prompt_index.
    pub prompt_index: u32,
    /// Which call within that prompt this is, counted from 0; 0 unless
    /// has_tool_index.
    pub tool_index: u32,
    /// Whether it succeeded.
    pub success: bool,
    /// Whether duration_ms is known.
    pub has_duration_ms: bool,
    /// Whether prompt_index is known.
    pub has_prompt_index: bool,
    /// Whether tool_index is known.
    pub has_tool_index: bool,
}

/// A remembered event.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_event {
    /// Its identity, 36 characters.
    pub id: recallite_str,
    /// Its citation, for example "a7Bc3x"; people read [mem:a7Bc3x].
    pub citation: recallite_str,
    /// Its position in the log.
    pub seq: u64,
    /// When it happened, in milliseconds since 1970 UTC.
    pub timestamp_ms: i64,
    /// What it records: one of recallite_event_kind.
    pub kind: i32,
    /// Where the text came from: one of recallite_origin.
    pub origin: i32,
    /// The conversation it belongs to.
    pub session: recallite_str,
    /// The project it belongs to; empty when it has none.
    pub project: recallite_str,
    /// Who said or did it.
    pub actor: recallite_str,
    /// The filtered text, whole.
    pub content: recallite_str,
    /// The canonical key of the text.
    pub canonical_key: recallite_str,
    /// What the caller attached, as a JSON object; absent when nothing was.
    pub metadata_json: recallite_str,
    /// The tool call, for a tool observation; else NULL.
    pub tool: *const recallite_tool_record,
    /// What the privacy filter did when it was stored.
    pub privacy: recallite_privacy_report,
}

/// Several events. Free it with recallite_event_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_event_list {
    /// Pointers to the events.
    pub items: *const *const recallite_event,
    /// How many.
    pub len: usize,
}

/// Frees an event that the caller owns. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_free(event: *mut recallite_event) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(event) });
}

/// Frees a list of events and the events in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_list_free(events: *mut recallite_event_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(events) });
}

pub(crate) fn privacy(report: PrivacyReport) -> recallite_privacy_report {
    recallite_privacy_report {
        private_count: report.private_count,
        secret_count: report.secret_count,
        anonymized_count: report.anonymized_count,
        original_bytes: report.original_bytes,
        filtered_bytes: report.filtered_bytes,
    }
}

fn tool(parts: &mut Parts, tool: ToolRecord) -> recallite_tool_record {
    recallite_tool_record {
        name: parts.text(tool.name),
        input_json: parts.optional(tool.input.as_ref().map(|json| json.as_str())),
        output: parts.text(tool.output),
        error: parts.optional(tool.error),
        metadata_json: parts.text(tool.metadata.as_str()),
        duration_ms: tool.duration_ms.unwrap_or(0),
        prompt_index: tool.prompt_index.unwrap_or(0),
        tool_index: tool.tool_index.unwrap_or(0),
        success: tool.success,
        has_duration_ms: tool.duration_ms.is_some(),
        has_prompt_index: tool.prompt_index.is_some(),
        has_tool_index: tool.tool_index.is_some(),
    }
}

pub(crate) fn event(parts: &mut Parts, event: Event) -> recallite_event {
    let tool = match event.tool {
        Some(record) => {
            let record = tool(parts, record);
            parts.one(record)
        }
        None => std::ptr::null(),
    };
    recallite_event {
        id: parts.text(event.id.to_string()),
        citation: parts.text(event.citation.as_str()),
        seq: event.seq.0,
        timestamp_ms: event.timestamp.millis(),
        kind: event.kind.number().into(),
        origin: event.origin as i32,
        session: parts.text(event.session),
        project: parts.text(event.project),
        actor: parts.text(event.actor),
        content: parts.text(event.content),
        canonical_key: parts.text(event.canonical_key),
        metadata_json: parts.optional(event.metadata.as_ref().map(|json| json.as_str())),
        tool,
        privacy: privacy(event.privacy),
    }
}

pub(crate) fn list(parts: &mut Parts, events: Vec<Event>) -> recallite_event_list {
    let (items, len) = parts.list(events, event);
    recallite_event_list { items, len }
}
