//! What the core gives, as plain JavaScript objects. An absent value is null,
//! a time is a number of milliseconds, an id is a string.

use napi_derive::napi;
use recallite::{
    Appended, Detail, Error, ErrorCode, Event, EventId, Hit, PrivacyReport, Result, Session, Stats,
    TimelineItem, Timestamp, ToolRecord,
};
use recallite::{ImportProgress, ImportReport};

use crate::input::MAX_SAFE_INTEGER;
use crate::layer_stats::{
    NativeEmbeddingStats, NativeInjectionStats, NativeLayerStats, embedding_stats, injection_stats,
    layer_stats,
};

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

#[napi(object, object_from_js = false)]
pub struct NativePrivacy {
    pub private_count: u32,
    pub secret_count: u32,
    pub anonymized_count: u32,
    pub original_bytes: f64,
    pub filtered_bytes: f64,
}

fn privacy(report: &PrivacyReport) -> Result<NativePrivacy> {
    Ok(NativePrivacy {
        private_count: report.private_count,
        secret_count: report.secret_count,
        anonymized_count: report.anonymized_count,
        original_bytes: number(report.original_bytes)?,
        filtered_bytes: number(report.filtered_bytes)?,
    })
}

#[napi(object, object_from_js = false)]
pub struct NativeAppended {
    pub id: String,
    pub seq: f64,
    pub citation: String,
    pub duplicate: bool,
    pub privacy: NativePrivacy,
    pub truncated_bytes: f64,
    pub warnings: Vec<String>,
}

pub fn appended(receipt: Appended) -> Result<NativeAppended> {
    Ok(NativeAppended {
        id: receipt.id.to_string(),
        seq: number(receipt.seq.0)?,
        citation: receipt.citation.as_str().to_owned(),
        duplicate: receipt.duplicate,
        privacy: privacy(&receipt.privacy)?,
        truncated_bytes: number(receipt.truncated_bytes)?,
        warnings: receipt.warnings,
    })
}

/// A stored tool call; `input_json` and `metadata_json` are JSON text.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeToolRecord {
    pub name: String,
    pub input_json: Option<String>,
    pub output: String,
    pub duration_ms: Option<f64>,
    pub success: bool,
    pub error: Option<String>,
    pub prompt_index: Option<u32>,
    pub tool_index: Option<u32>,
    pub metadata_json: String,
}

fn tool(record: ToolRecord) -> Result<NativeToolRecord> {
    Ok(NativeToolRecord {
        name: record.name,
        input_json: record.input.map(|json| json.as_str().to_owned()),
        output: record.output,
        duration_ms: record.duration_ms.map(number).transpose()?,
        success: record.success,
        error: record.error,
        prompt_index: record.prompt_index,
        tool_index: record.tool_index,
        metadata_json: record.metadata.as_str().to_owned(),
    })
}

/// An event; `metadata_json` is JSON text.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEvent {
    pub id: String,
    pub seq: f64,
    pub citation: String,
    pub kind: String,
    pub session: String,
    pub project: String,
    pub actor: String,
    pub origin: String,
    pub timestamp: f64,
    pub content: String,
    pub canonical_key: String,
    pub metadata_json: Option<String>,
    pub tool: Option<NativeToolRecord>,
    pub privacy: NativePrivacy,
}

pub fn event(event: Event) -> Result<NativeEvent> {
    Ok(NativeEvent {
        id: event.id.to_string(),
        seq: number(event.seq.0)?,
        citation: event.citation.as_str().to_owned(),
        kind: event.kind.as_str().to_owned(),
        session: event.session,
        project: event.project,
        actor: event.actor,
        origin: event.origin.as_str().to_owned(),
        timestamp: ms(event.timestamp),
        content: event.content,
        canonical_key: event.canonical_key,
        metadata_json: event.metadata.map(|json| json.as_str().to_owned()),
        tool: event.tool.map(tool).transpose()?,
        privacy: privacy(&event.privacy)?,
    })
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeSession {
    pub id: String,
    pub project: String,
    pub started: f64,
    pub ended: Option<f64>,
    pub last_event: f64,
    pub summary: Option<String>,
    pub tags: Vec<String>,
    pub events: f64,
    pub prompts: f64,
    pub responses: f64,
    pub tools: f64,
}

pub fn session(session: Session) -> Result<NativeSession> {
    Ok(NativeSession {
        id: session.id,
        project: session.project,
        started: ms(session.started),
        ended: session.ended.map(ms),
        last_event: ms(session.last_event),
        summary: session.summary,
        tags: session.tags,
        events: number(session.events)?,
        prompts: number(session.prompts)?,
        responses: number(session.responses)?,
        tools: number(session.tools)?,
    })
}

/// A part of a content; `start` and `end` count UTF-16 code units.
#[napi(object, object_from_js = false)]
pub struct NativePassage {
    pub text: String,
    pub start: f64,
    pub end: f64,
    pub start_byte: f64,
    pub end_byte: f64,
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

#[napi(object, object_from_js = false)]
pub struct NativeHit {
    pub id: String,
    pub seq: f64,
    pub citation: String,
    pub kind: String,
    pub session: String,
    pub project: String,
    pub actor: String,
    pub origin: String,
    pub timestamp: f64,
    pub summary: String,
    pub passage: NativePassage,
    pub rank_score: f64,
    pub match_score: f64,
    pub relevance: f64,
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
pub struct NativeSearchResult {
    pub items: Vec<NativeHit>,
    pub confidence: String,
    pub degraded: bool,
    pub total_matches: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeTimelineItem {
    pub id: String,
    pub seq: f64,
    pub citation: String,
    pub kind: String,
    pub session: String,
    pub actor: String,
    pub timestamp: f64,
    pub preview: String,
    pub is_target: bool,
}

pub fn timeline_item(item: TimelineItem) -> Result<NativeTimelineItem> {
    Ok(NativeTimelineItem {
        id: item.id.to_string(),
        seq: number(item.seq.0)?,
        citation: item.citation.as_str().to_owned(),
        kind: item.kind.as_str().to_owned(),
        session: item.session,
        actor: item.actor,
        timestamp: ms(item.timestamp),
        preview: item.preview,
        is_target: item.is_target,
    })
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeRelations {
    pub parent: Option<String>,
    pub children: Vec<String>,
    pub previous: Option<String>,
    pub next: Option<String>,
}

#[napi(object, object_from_js = false)]
pub struct NativeDetail {
    pub event: NativeEvent,
    pub token_count: f64,
    pub has_code: bool,
    pub files: Vec<String>,
    pub tools: Vec<String>,
    pub relations: NativeRelations,
}

pub fn detail(detail: Detail) -> Result<NativeDetail> {
    let id = |id: EventId| id.to_string();
    Ok(NativeDetail {
        event: event(detail.event)?,
        token_count: size(detail.token_count)?,
        has_code: detail.has_code,
        files: detail.files,
        tools: detail.tools,
        relations: NativeRelations {
            parent: detail.relations.parent.map(id),
            children: detail.relations.children.into_iter().map(id).collect(),
            previous: detail.relations.previous.map(id),
            next: detail.relations.next.map(id),
        },
    })
}

#[napi(object, object_from_js = false)]
pub struct NativePrivacyTotals {
    pub private_sections: f64,
    pub secrets_masked: f64,
    pub bytes_filtered: f64,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeLexicalStats {
    pub segments: f64,
    pub flushed_events: f64,
    pub memtable_events: f64,
    pub last_flush: Option<f64>,
    pub damaged_segments: f64,
    pub damaged_events: f64,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeStats {
    pub events: f64,
    pub prompts: f64,
    pub responses: f64,
    pub summaries: f64,
    pub tools: f64,
    pub sessions: f64,
    pub projects: f64,
    pub forgotten: f64,
    pub erased: f64,
    pub last_seq: f64,
    pub oldest: Option<f64>,
    pub newest: Option<f64>,
    pub payload_bytes: f64,
    pub log_bytes: f64,
    pub size_bytes: f64,
    pub quota_bytes: f64,
    pub is_over_quota: bool,
    pub last_append: Option<f64>,
    pub privacy: NativePrivacyTotals,
    pub lexical: NativeLexicalStats,
    pub embedding: Option<NativeEmbeddingStats>,
    pub layers: Vec<NativeLayerStats>,
    pub injections: NativeInjectionStats,
    pub open_erasures: f64,
    pub unclean_places: Vec<String>,
}

pub fn stats(stats: &Stats) -> Result<NativeStats> {
    Ok(NativeStats {
        events: number(stats.events)?,
        prompts: number(stats.prompts)?,
        responses: number(stats.responses)?,
        summaries: number(stats.summaries)?,
        tools: number(stats.tools)?,
        sessions: number(stats.sessions)?,
        projects: number(stats.projects)?,
        forgotten: number(stats.forgotten)?,
        erased: number(stats.erased)?,
        last_seq: number(stats.last_seq)?,
        oldest: stats.oldest.map(ms),
        newest: stats.newest.map(ms),
        payload_bytes: number(stats.payload_bytes)?,
        log_bytes: number(stats.log_bytes)?,
        size_bytes: number(stats.size_bytes)?,
        quota_bytes: number(stats.quota_bytes)?,
        is_over_quota: stats.is_over_quota,
        last_append: stats.last_append.map(ms),
        privacy: NativePrivacyTotals {
            private_sections: number(stats.privacy.private_sections)?,
            secrets_masked: number(stats.privacy.secrets_masked)?,
            bytes_filtered: number(stats.privacy.bytes_filtered)?,
        },
        lexical: NativeLexicalStats {
            segments: number(stats.lexical.segments)?,
            flushed_events: number(stats.lexical.flushed_events)?,
            memtable_events: number(stats.lexical.memtable_events)?,
            last_flush: stats.lexical.last_flush.map(ms),
            damaged_segments: number(stats.lexical.damaged_segments)?,
            damaged_events: number(stats.lexical.damaged_events)?,
        },
        embedding: stats.embedding.as_ref().map(embedding_stats).transpose()?,
        layers: stats
            .layers
            .iter()
            .map(layer_stats)
            .collect::<Result<_>>()?,
        injections: injection_stats(&stats.injections)?,
        open_erasures: number(stats.open_erasures)?,
        unclean_places: stats.unclean_places.clone(),
    })
}

/// How far an import has come. Sizes above 2^53 bytes do not exist, so that
/// this conversion cannot fail in the middle of an import.
#[napi(object, object_from_js = false)]
pub struct NativeImportProgress {
    pub files_done: f64,
    pub files_total: f64,
    pub bytes_done: f64,
    pub bytes_total: f64,
    pub events_stored: f64,
}

pub fn import_progress(progress: &ImportProgress) -> NativeImportProgress {
    NativeImportProgress {
        files_done: progress.files_done as f64,
        files_total: progress.files_total as f64,
        bytes_done: progress.bytes_done as f64,
        bytes_total: progress.bytes_total as f64,
        events_stored: progress.events_stored as f64,
    }
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
