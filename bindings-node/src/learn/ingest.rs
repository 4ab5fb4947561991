//! Takes in what a language model extracted from a session.

use std::collections::HashMap;

use napi::Either;
use napi_derive::napi;
use recallite::rules::align::QuoteSpan;
use recallite::rules::entries::EvidenceReport;
use recallite::rules::extraction::{EXTRACTION_PROMPT, EXTRACTION_SCHEMA};
use recallite::{Error, EventRef, IngestOptions, IngestReport, Memory, Result};

use super::each;
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::outcome::{Failure, Outcome};
use crate::output::{self, NativeEvent, number, size};

/// The JSON Schema of an extraction, as JSON text.
#[napi]
pub fn extraction_schema() -> &'static str {
    EXTRACTION_SCHEMA
}

/// The prompt that explains an extraction to a language model.
#[napi]
pub fn extraction_prompt() -> &'static str {
    EXTRACTION_PROMPT
}

/// What the host tells about an extraction.
#[napi(object, object_to_js = false)]
pub struct NativeIngestOptions {
    pub extractor_model: Option<String>,
    pub extractor_prompt: Option<String>,
    pub extraction_ms: Option<f64>,
    pub project: Option<String>,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeSessionMessage {
    pub index: f64,
    pub event: Option<NativeEvent>,
}

/// Where a quote stands; `start` and `end` count UTF-16 code units and are
/// absent when the message cannot be read any more.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEvidenceSpan {
    pub message_index: f64,
    pub quote_hash: String,
    pub start: Option<f64>,
    pub end: Option<f64>,
    pub start_byte: f64,
    pub end_byte: f64,
    pub confidence: f64,
    pub method: String,
    pub event_id: Option<String>,
}

#[napi(object, object_from_js = false)]
pub struct NativeMissingQuote {
    pub message_index: f64,
    pub quote_hash: String,
    pub reason: String,
}

#[napi(object, object_from_js = false)]
pub struct NativeEvidenceReport {
    pub is_aligned: bool,
    pub aligned: Vec<NativeEvidenceSpan>,
    pub failed: Vec<NativeMissingQuote>,
}

#[napi(object, object_from_js = false)]
pub struct NativeIngestedEntry {
    pub local_id: String,
    pub entry_id: String,
    pub is_new: bool,
    pub stage: String,
    pub evidence: NativeEvidenceReport,
}

#[napi(object, object_from_js = false)]
pub struct NativeIngestedTask {
    pub local_id: String,
    pub task_id: String,
    pub is_new: bool,
    pub acts: f64,
    pub evidence: NativeEvidenceReport,
}

#[napi(object, object_from_js = false)]
pub struct NativeIngestReport {
    pub build_id: String,
    pub session: String,
    pub already_ingested: bool,
    pub entries: Vec<NativeIngestedEntry>,
    pub tasks: Vec<NativeIngestedTask>,
    pub events: f64,
}

/// So many messages are kept for the quotes of one call.
const KEPT_MESSAGES: usize = 64;

/// The messages that evidence lies in: their text says where a span of bytes
/// lies in UTF-16.
pub struct Messages<'m> {
    memory: &'m Memory,
    contents: HashMap<String, Option<String>>,
}

impl<'m> Messages<'m> {
    /// Messages of this memory, none of them read yet.
    pub fn new(memory: &'m Memory) -> Self {
        Messages {
            memory,
            contents: HashMap::new(),
        }
    }

    /// Evidence with its places in UTF-16.
    pub fn evidence(&mut self, report: &EvidenceReport) -> Result<NativeEvidenceReport> {
        Ok(NativeEvidenceReport {
            is_aligned: report.is_aligned(),
            aligned: each(&report.aligned, |quote| {
                let bytes = usize::try_from(quote.span_start).unwrap_or(usize::MAX)
                    ..usize::try_from(quote.span_end).unwrap_or(usize::MAX);
                let span = match &quote.event_id {
                    Some(id) => self
                        .content(id)?
                        .and_then(|content| QuoteSpan::of_bytes(content, bytes)),
                    None => None,
                };
                Ok(NativeEvidenceSpan {
                    message_index: f64::from(quote.message_index),
                    quote_hash: quote.quote_hash.clone(),
                    start: span.map(|span| size(span.utf16.start)).transpose()?,
                    end: span.map(|span| size(span.utf16.end)).transpose()?,
                    start_byte: number(quote.span_start)?,
                    end_byte: number(quote.span_end)?,
                    confidence: quote.confidence,
                    method: quote.method.as_str().to_owned(),
                    event_id: quote.event_id.clone(),
                })
            })?,
            failed: report
                .failed
                .iter()
                .map(|quote| NativeMissingQuote {
                    message_index: f64::from(quote.message_index),
                    quote_hash: quote.quote_hash.clone(),
                    reason: quote.reason.clone(),
                })
                .collect(),
        })
    }

    /// The text of an event; `None` when it was forgotten.
    fn content(&mut self, id: &str) -> Result<Option<&str>> {
        if !self.contents.contains_key(id) {
            if self.contents.len() >= KEPT_MESSAGES {
                self.contents.clear();
            }
            let content = match id.parse::<EventRef>() {
                Ok(event) => self.memory.event(event)?.map(|event| event.content),
                Err(_) => None,
            };
            self.contents.insert(id.to_owned(), content);
        }
        Ok(self.contents.get(id).and_then(Option::as_deref))
    }
}

fn session_messages(memory: &Memory, session: String) -> Result<Vec<NativeSessionMessage>> {
    each(memory.session_messages(&session)?, |message| {
        Ok(NativeSessionMessage {
            index: size(message.index)?,
            event: message.event.map(output::event).transpose()?,
        })
    })
}

fn ingest(
    memory: &Memory,
    session: String,
    extraction: String,
    options: NativeIngestOptions,
) -> Result<Outcome<NativeIngestReport>> {
    let options = IngestOptions {
        extractor_model: options.extractor_model.unwrap_or_default(),
        extractor_prompt: options.extractor_prompt.unwrap_or_default(),
        extraction_ms: options.extraction_ms,
        project: options.project,
        ..IngestOptions::default()
    };
    match memory.ingest_with(&session, &extraction, &options) {
        Ok(done) => report(memory, done).map(Either::A),
        Err(error) if is_in_extraction(&error) => Ok(Either::B(Failure::in_json(&error))),
        Err(error) => Err(error),
    }
}

/// Whether an error names a place inside the extraction, whose JSON has the
/// spelling of the published schema.
fn is_in_extraction(error: &Error) -> bool {
    error.argument().is_some_and(|place| {
        ["schema_version", "entries", "tasks", "relations"]
            .iter()
            .any(|field| place.starts_with(field))
    })
}

fn report(memory: &Memory, report: IngestReport) -> Result<NativeIngestReport> {
    let mut messages = Messages::new(memory);
    Ok(NativeIngestReport {
        build_id: report.build_id,
        session: report.session,
        already_ingested: report.already_ingested,
        entries: each(report.entries, |entry| {
            Ok(NativeIngestedEntry {
                local_id: entry.local_id,
                entry_id: entry.entry_id.as_str().to_owned(),
                is_new: entry.is_new,
                stage: entry.stage.as_str().to_owned(),
                evidence: messages.evidence(&entry.evidence)?,
            })
        })?,
        tasks: each(report.tasks, |task| {
            Ok(NativeIngestedTask {
                local_id: task.local_id,
                task_id: task.task_id.as_str().to_owned(),
                is_new: task.is_new,
                acts: size(task.acts)?,
                evidence: messages.evidence(&task.evidence)?,
            })
        })?,
        events: size(report.events)?,
    })
}

methods! {
    session_messages / session_messages_sync(session: [String])
        -> [Vec<NativeSessionMessage>] as "Promise<Array<NativeSessionMessage> | Failure>"
        = session_messages;
    ingest / ingest_sync(session: [String], extraction: [String], options: [NativeIngestOptions])
        -> [Outcome<NativeIngestReport>] as "Promise<NativeIngestReport | Failure>" = ingest;
}
