//! Searching.

use recallite::embed::MAX_DIMENSIONS;
use recallite::{Error, Hit, Query, Result};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::{confidence, recallite_status};
use crate::text::recallite_str;

/// A search: a text and what narrows it. Begin with
/// RECALLITE_INIT(recallite_query); text must be given, a field that is zero
/// has its default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_query {
    /// sizeof(recallite_query).
    pub struct_size: usize,
    /// The question or the words to look for, in any language.
    pub text: recallite_str,
    /// At most this many hits, 1 to 1,000. Default: 10.
    pub limit: usize,
    /// Only this session.
    pub session: recallite_str,
    /// The project for RECALLITE_SCOPE_NAMED; absent otherwise.
    pub project: recallite_str,
    /// Only these kinds, each one of recallite_event_kind; none means the four
    /// conversation kinds.
    pub kinds: *const i32,
    /// How many kinds.
    pub kinds_len: usize,
    /// Only events at this time or later, in milliseconds since 1970 UTC; read
    /// when has_from is set.
    pub from_ms: i64,
    /// Only events before this time, in milliseconds since 1970 UTC; read when
    /// has_until is set.
    pub until_ms: i64,
    /// When it is over, the result so far is given, marked degraded; in
    /// milliseconds. Default: no deadline.
    pub deadline_ms: u64,
    /// Only hits whose relevance is at least this, 0 to 1. Default: all.
    pub min_relevance: f32,
    /// Which projects: one of recallite_scope.
    pub scope: i32,
    /// Whether from_ms is given.
    pub has_from: c_bool,
    /// Whether until_ms is given.
    pub has_until: c_bool,
    /// Find recalled text that came back, too. Otherwise a memory would soon
    /// find its own answers.
    pub include_recalled: c_bool,
    /// The vector of what is looked for, as the memory's embedder would give it,
    /// instead of asking it about text, which may then be empty; NULL when not
    /// given.
    pub vector: *const f32,
    /// How many numbers vector has.
    pub vector_len: usize,
}

// SAFETY: repr(C), the size comes first, and integers, floats, bytes and raw
// pointers take every bit pattern.
unsafe impl Input for recallite_query {
    const FIRST_SIZE: usize = size_of::<recallite_query>();
}

/// A part of an event's content.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_passage {
    /// The text of the passage.
    pub text: recallite_str,
    /// Where it begins in the content, in bytes.
    pub start: usize,
    /// Where it ends in the content, in bytes, exclusive.
    pub end: usize,
}

/// One event that was found.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_hit {
    /// The event's id, 36 characters.
    pub id: recallite_str,
    /// The event's citation, for example "a7Bc3x"; people read [mem:a7Bc3x].
    pub citation: recallite_str,
    /// The event's position in the log.
    pub seq: u64,
    /// When it happened, in milliseconds since 1970 UTC.
    pub timestamp_ms: i64,
    /// What the event records: one of recallite_event_kind.
    pub kind: i32,
    /// Orders the hits of one search; comparable only within it.
    pub rank_score: f32,
    /// The specified match score, 0 to 1.
    pub match_score: f32,
    /// How likely the hit answers the query, 0 to 1, calibrated.
    pub relevance: f32,
    /// The conversation it belongs to.
    pub session: recallite_str,
    /// The project it belongs to; empty for none.
    pub project: recallite_str,
    /// Who said or did it.
    pub actor: recallite_str,
    /// One line of at most 100 characters.
    pub summary: recallite_str,
    /// The passage that matched best.
    pub passage: recallite_passage,
    /// Where the text came from: one of recallite_origin.
    pub origin: i32,
}

/// What a search found. Free it with recallite_search_result_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_search_result {
    /// Pointers to the hits, best first.
    pub items: *const *const recallite_hit,
    /// How many hits.
    pub len: usize,
    /// How many events matched at all, before the limit.
    pub total_matches: usize,
    /// How sure the best hit is: one of recallite_confidence.
    pub confidence: i32,
    /// True when the deadline ended the search early or a part of the index
    /// could not be read: there may be better hits.
    pub degraded: bool,
}

/// Finds events, best first.
///
/// @param[in] memory the memory.
/// @param[in] query what to look for.
/// @param[out] result the hits, to be freed with recallite_search_result_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a blank text, a limit above 1,000 or
///     a relevance outside 0 to 1; RECALLITE_CORRUPT or RECALLITE_IO when the
///     store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_search(
    memory: *mut recallite_memory,
    query: *const recallite_query,
    result: *mut *mut recallite_search_result,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (wanted, result) = unsafe {
            let query = input::read("query", query)?;
            (self::query(&query)?, out("result", result)?)
        };
        let found = memory.search(wanted)?;
        result.set(owned::give(|parts| {
            let (items, len) = parts.list(found.items, hit);
            recallite_search_result {
                items,
                len,
                total_matches: found.total_matches,
                confidence: confidence(found.confidence),
                degraded: found.degraded,
            }
        }));
        Ok(())
    })
}

/// Frees what a search found. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_search_result_free(result: *mut recallite_search_result) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(result) });
}

fn hit(parts: &mut Parts, hit: Hit) -> recallite_hit {
    recallite_hit {
        id: parts.text(hit.id.to_string()),
        citation: parts.text(hit.citation.as_str()),
        seq: hit.seq.0,
        timestamp_ms: hit.timestamp.millis(),
        kind: hit.kind.number().into(),
        rank_score: hit.rank_score,
        match_score: hit.match_score,
        relevance: hit.relevance,
        session: parts.text(hit.session),
        project: parts.text(hit.project),
        actor: parts.text(hit.actor),
        summary: parts.text(hit.summary),
        passage: recallite_passage {
            text: parts.text(hit.passage.text),
            start: hit.passage.start,
            end: hit.passage.end,
        },
        origin: hit.origin as i32,
    }
}

/// # Safety
/// The texts and kinds of `query` are absent or readable.
pub(crate) unsafe fn query(query: &recallite_query) -> Result<Query> {
    // SAFETY: the caller keeps the same condition, for each text below.
    let mut wanted = unsafe {
        let mut wanted = Query::new(match query.vector.is_null() {
            true => query.text.required("text")?,
            false => query.text.optional("text")?.unwrap_or_default(),
        });
        if !query.vector.is_null() || query.vector_len > 0 {
            if query.vector_len > MAX_DIMENSIONS {
                return Err(Error::invalid(
                    "vector",
                    format_args!(
                        "{} numbers are too many; no vector has more than {MAX_DIMENSIONS}",
                        query.vector_len
                    ),
                ));
            }
            let numbers = input::array("vector", query.vector, query.vector_len)?;
            wanted.vector = Some(numbers.to_vec());
        }
        wanted.session = query.session.optional("session")?.map(str::to_owned);
        wanted.project = input::scope("scope", query.scope, "project", query.project)?;
        wanted.kinds = input::kinds("kinds", query.kinds, query.kinds_len)?;
        wanted
    };
    wanted.limit = (query.limit != 0).then_some(query.limit);
    wanted.from = input::time("from", query.has_from, query.from_ms)?;
    wanted.until = input::time("until", query.has_until, query.until_ms)?;
    wanted.include_recalled = boolean("include_recalled", query.include_recalled)?;
    if query.deadline_ms != 0 {
        wanted = wanted.deadline_ms(query.deadline_ms);
    }
    if query.min_relevance != 0.0 {
        wanted = wanted.min_relevance(query.min_relevance);
    }
    Ok(wanted)
}
