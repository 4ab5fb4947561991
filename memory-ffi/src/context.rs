//! Context for an agent's prompt.

use std::ffi::c_void;

use recallite::{CitationFormat, ContextItem, ContextOptions, Error, Query, Recording, Result};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::input::{self, Input};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::search::{self, recallite_query};
use crate::status::{confidence, recallite_status};
use crate::text::recallite_str;
use crate::tokens::{Counting, recallite_count_tokens_callback};

/// How the citations of a context are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_citation_format {
    /// Each memory quoted, with its citation below it.
    RECALLITE_CITATION_FORMAT_INLINE = 0,
    /// Each memory followed by [n], the citations listed at the end.
    RECALLITE_CITATION_FORMAT_FOOTNOTE = 1,
    /// The memories in one list, the citations in another.
    RECALLITE_CITATION_FORMAT_REFERENCE = 2,
}

/// When the record that context was given is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_recording {
    /// With the next append or close of this process: it costs no write of its
    /// own, and is lost when the process is killed before.
    RECALLITE_RECORDING_LATER = 0,
    /// Before the call returns: for short-lived processes that append nothing.
    RECALLITE_RECORDING_NOW = 1,
    /// Never: usage figures do not count it.
    RECALLITE_RECORDING_NEVER = 2,
}

/// What a context is made for. Begin with
/// RECALLITE_INIT(recallite_context_options); a field that is zero has its
/// default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_context_options {
    /// sizeof(recallite_context_options).
    pub struct_size: usize,
    /// The session that the context is for; its own prompt is not found.
    /// Default: unknown.
    pub session: recallite_str,
    /// The most tokens of the whole text, fence and headings included. Default:
    /// 2,000.
    pub budget_tokens: usize,
    /// At most this many memories, 1 to 64; it replaces the query's limit.
    /// Default: 5.
    pub k: usize,
    /// Events that come first whatever the search finds, ids or citations.
    /// Unknown and forgotten ones are passed over.
    pub pinned: *const recallite_str,
    /// How many such events.
    pub pinned_len: usize,
    /// How tokens are counted. Default (NULL): a quarter of the UTF-16 code
    /// units.
    pub count_tokens: recallite_count_tokens_callback,
    /// Given to count_tokens.
    pub user_data: *mut c_void,
    /// Why context is given, for the record. Default: how sure the match is.
    pub reason: recallite_str,
    /// How citations are shown: one of recallite_citation_format.
    pub format: i32,
    /// When it is recorded that context was given: one of recallite_recording.
    pub recording: i32,
    /// Memories with a lower relevance are left out, 0 to 1. Default: all that
    /// the search gives, when its best one is good enough.
    pub min_relevance: f32,
}

// SAFETY: repr(C), the size comes first; integers, floats and raw pointers take
// every bit pattern, and zero is NULL, the `None` of a function pointer.
unsafe impl Input for recallite_context_options {
    const FIRST_SIZE: usize = size_of::<recallite_context_options>();
}

/// One memory of a context.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_context_item {
    /// The event's id, 36 characters.
    pub id: recallite_str,
    /// Its citation, for example "a7Bc3x"; people read [mem:a7Bc3x].
    pub citation: recallite_str,
    /// Its position in the log.
    pub seq: u64,
    /// When it happened, in milliseconds since 1970 UTC.
    pub timestamp_ms: i64,
    /// What it records: one of recallite_event_kind.
    pub kind: i32,
    /// Where its text came from: one of recallite_origin.
    pub origin: i32,
    /// Its session.
    pub session: recallite_str,
    /// Who said or did it.
    pub actor: recallite_str,
    /// The part of its content that is shown.
    pub text: recallite_str,
    /// Where that part begins in the content, in bytes.
    pub start: usize,
    /// Where it ends, exclusive.
    pub end: usize,
    /// How likely it answers the query, 0 to 1; 0 unless has_relevance.
    pub relevance: f32,
    /// Whether it was found by the search; a pinned event was not.
    pub has_relevance: bool,
}

/// Text for an agent's prompt. Free it with recallite_context_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_context {
    /// The fenced text; empty when nothing is good enough or fits.
    pub text: recallite_str,
    /// The tokens of the text.
    pub tokens: usize,
    /// The citations in the text, in its order.
    pub citations: *const recallite_str,
    /// How many citations.
    pub citations_len: usize,
    /// Pointers to the memories in the text, in its order.
    pub items: *const *const recallite_context_item,
    /// How many memories.
    pub len: usize,
    /// How sure the best match is: one of recallite_confidence.
    pub confidence: i32,
    /// True when a deadline or damage kept something from being searched.
    pub degraded: bool,
}

/// The memories that help with a query, as text for an agent's prompt.
///
/// The text stands in a fence that nothing inside can close: it is data, not
/// instructions. Each memory names where it came from and its citation. Nothing
/// is given when the best match is not good enough; when it is only suggested,
/// the text says so. The whole text keeps within the token budget.
///
/// @param[in] memory the memory.
/// @param[in] query what is looked for; its filters hold, its limit is replaced
///     by k.
/// @param[in] options what it is made for; NULL for the defaults.
/// @param[out] context the text and its memories, to be freed with
///     recallite_context_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_search; RECALLITE_INVALID_ARGUMENT for a k or
///     min_relevance out of range or a session name that is too long;
///     RECALLITE_CALLBACK when count_tokens failed; as recallite_append when
///     recording at once fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_context_get(
    memory: *mut recallite_memory,
    query: *const recallite_query,
    options: *const recallite_context_options,
    context: *mut *mut recallite_context,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (mut options, counting, context) = unsafe {
            let query = input::read("query", query)?;
            let options = input::read_or_default("options", options)?;
            (
                context_options(search::query(&query)?, &options)?,
                Counting::new(options.count_tokens, options.user_data),
                out("context", context)?,
            )
        };
        options.count_tokens = counting.counter();
        let given = memory.context(options)?;
        counting.check()?;
        context.set(owned::give(|parts| {
            let citations = given.citations.iter().map(|id| id.as_str().to_owned());
            let (citations, citations_len) = parts.texts(citations);
            let (items, len) = parts.list(given.items, item);
            recallite_context {
                text: parts.text(given.text),
                tokens: given.tokens,
                citations,
                citations_len,
                items,
                len,
                confidence: confidence(given.confidence),
                degraded: given.degraded,
            }
        }));
        Ok(())
    })
}

/// Frees a context. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_context_free(context: *mut recallite_context) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(context) });
}

fn item(parts: &mut Parts, item: ContextItem) -> recallite_context_item {
    recallite_context_item {
        id: parts.text(item.id.to_string()),
        citation: parts.text(item.citation.as_str()),
        seq: item.seq.0,
        timestamp_ms: item.timestamp.millis(),
        kind: item.kind.number().into(),
        origin: item.origin as i32,
        session: parts.text(item.session),
        actor: parts.text(item.actor),
        text: parts.text(item.text),
        start: item.start,
        end: item.end,
        relevance: item.relevance.unwrap_or(0.0),
        has_relevance: item.relevance.is_some(),
    }
}

/// # Safety
/// The texts and events of `options` are absent or readable.
unsafe fn context_options(
    query: Query,
    options: &recallite_context_options,
) -> Result<ContextOptions> {
    let mut wanted = ContextOptions::new(query)
        .format(format(options.format)?)
        .recording(recording(options.recording)?);
    // SAFETY: the caller keeps the same condition, for each text below.
    unsafe {
        wanted.session = options.session.optional("session")?.map(str::to_owned);
        wanted.reason = options.reason.optional("reason")?.map(str::to_owned);
        wanted.pinned = input::event_refs("pinned", options.pinned, options.pinned_len)?;
    }
    if options.budget_tokens != 0 {
        wanted.budget_tokens = options.budget_tokens;
    }
    if options.k != 0 {
        wanted.k = options.k;
    }
    if options.min_relevance != 0.0 {
        wanted.min_relevance = Some(options.min_relevance);
    }
    Ok(wanted)
}

fn format(number: i32) -> Result<CitationFormat> {
    use recallite_citation_format::*;
    match number {
        n if n == RECALLITE_CITATION_FORMAT_INLINE as i32 => Ok(CitationFormat::Inline),
        n if n == RECALLITE_CITATION_FORMAT_FOOTNOTE as i32 => Ok(CitationFormat::Footnote),
        n if n == RECALLITE_CITATION_FORMAT_REFERENCE as i32 => Ok(CitationFormat::Reference),
        n => Err(Error::invalid(
            "format",
            format_args!("{n} is no recallite_citation_format"),
        )),
    }
}

fn recording(number: i32) -> Result<Recording> {
    use recallite_recording::*;
    match number {
        n if n == RECALLITE_RECORDING_LATER as i32 => Ok(Recording::Later),
        n if n == RECALLITE_RECORDING_NOW as i32 => Ok(Recording::Now),
        n if n == RECALLITE_RECORDING_NEVER as i32 => Ok(Recording::Never),
        n => Err(Error::invalid(
            "recording",
            format_args!("{n} is no recallite_recording"),
        )),
    }
}
