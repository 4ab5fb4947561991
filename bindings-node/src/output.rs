//! What the core gives, as plain JavaScript objects. An absent value is null,
//! a time is a number of milliseconds, an id is a string.

use napi_derive::napi;
use recallite::{Error, ErrorCode, Hit, ImportReport, Result, Timestamp};

use crate::generated::{NativeHit, NativePassage};
use crate::input::MAX_SAFE_INTEGER;

/// A count as a double, never rounded.
pub fn number(value: u64) -> Result<f64> {
    if value > MAX_SAFE_INTEGER {
        return Err(Error::new(
            ErrorCode::Unsupported,
            format!("{value} is more than a JavaScript number holds exactly"),
        ));
    }
    Ok(value as f64)
}

/// A time in milliseconds since 1970.
pub fn ms(time: Timestamp) -> f64 {
    // Years 1 to 9999 lie far within what a double holds exactly.
    time.millis() as f64
}

/// A count of things in memory.
pub fn size(value: usize) -> Result<f64> {
    number(value as u64)
}

/// A part of a content; `utf16_start` is how many UTF-16 code units lie before.
pub fn passage(
    text: String,
    start_byte: usize,
    end_byte: usize,
    utf16_start: usize,
) -> Result<NativePassage> {
    Ok(NativePassage {
        start: size(utf16_start)?,
        end: size(utf16_start + utf16_length(&text))?,
        start_byte: size(start_byte)?,
        end_byte: size(end_byte)?,
        text,
    })
}

/// A hit; `utf16_start` is how many UTF-16 code units lie before its passage.
pub fn hit(hit: Hit, utf16_start: usize) -> Result<NativeHit> {
    Ok(NativeHit {
        id: hit.id.to_string(),
        seq: number(hit.seq.0)?,
        citation: hit.citation.as_str().to_owned(),
        kind: hit.kind.as_str().to_owned(),
        session: hit.session,
        project: hit.project,
        actor: hit.actor,
        origin: hit.origin.as_str().to_owned(),
        timestamp: ms(hit.timestamp),
        summary: hit.summary,
        passage: passage(
            hit.passage.text,
            hit.passage.start,
            hit.passage.end,
            utf16_start,
        )?,
        rank_score: f64::from(hit.rank_score),
        match_score: f64::from(hit.match_score),
        relevance: f64::from(hit.relevance),
    })
}

/// How long a text is for JavaScript.
pub fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[napi(object, object_from_js = false)]
pub struct NativeFailedFile {
    pub path: String,
    pub reason: String,
}

/// What an import did; `progress_calls` is how often the callback was called,
/// so that the TypeScript layer can wait for the last one.
#[napi(object, object_from_js = false)]
pub struct NativeImportReport {
    pub files: f64,
    pub total_messages: f64,
    pub imported_prompts: f64,
    pub imported_responses: f64,
    pub imported_tools: f64,
    pub skipped_duplicates: f64,
    pub errors: f64,
    pub failed_files: Vec<NativeFailedFile>,
    pub refused: Vec<String>,
    pub progress_calls: f64,
}

pub fn import_report(report: ImportReport, progress_calls: u64) -> Result<NativeImportReport> {
    let counters = &report.counters;
    Ok(NativeImportReport {
        files: size(report.files)?,
        total_messages: number(counters.total_messages)?,
        imported_prompts: number(counters.imported_prompts)?,
        imported_responses: number(counters.imported_responses)?,
        imported_tools: number(counters.imported_tools)?,
        skipped_duplicates: number(counters.skipped_duplicates)?,
        errors: number(counters.errors)?,
        failed_files: report
            .failed_files
            .into_iter()
            .map(|(path, reason)| NativeFailedFile { path, reason })
            .collect(),
        refused: report.refused,
        progress_calls: number(progress_calls)?,
    })
}
