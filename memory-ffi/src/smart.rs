//! Smart search: results, and as much of what stands around them as a token
//! budget pays for.

use std::ffi::{c_char, c_void};

use recallite::rules::disclosure::ExpansionReason;
use recallite::{IndexItem, Result, SmartSearchOptions};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::input::{self, Input, boolean, c_bool};
use crate::layers::{self, recallite_detail, recallite_timeline_item};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::search::{self, recallite_query};
use crate::status::{confidence, recallite_status};
use crate::text::recallite_str;
use crate::tokens::{Counting, recallite_count_tokens_callback};

/// Why a smart search expanded its results, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_expansion_reason {
    /// Nothing is good enough, or there is nothing.
    RECALLITE_EXPANSION_LOW_CONFIDENCE = 0,
    /// There is one result, and it is surely meant.
    RECALLITE_EXPANSION_HIGH_CONFIDENCE = 1,
    /// The first result is clearly better than the second.
    RECALLITE_EXPANSION_CLEAR_WINNER = 2,
    /// Several results are good: their surroundings help to choose.
    RECALLITE_EXPANSION_AMBIGUOUS_RESULTS = 3,
}

/// How a smart search expands what it finds. Begin with
/// RECALLITE_INIT(recallite_smart_search_options); a field that is zero has its
/// default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_smart_search_options {
    /// sizeof(recallite_smart_search_options).
    pub struct_size: usize,
    /// At most this many results, 1 to 1,000; it replaces the query's limit.
    /// Default: 10.
    pub top_k: usize,
    /// The tokens that index, timeline and details may have together. Default:
    /// 2,000.
    pub max_total_tokens: usize,
    /// At most this many results are expanded; read when
    /// has_max_auto_expand_count is set. Default: 3.
    pub max_auto_expand_count: usize,
    /// How many events a timeline shows before and after its target, 0 to 100;
    /// read when has_window is set. Default: RECALLITE_DEFAULT_WINDOW.
    pub window: usize,
    /// How tokens are counted. Default (NULL): a quarter of the UTF-16 code
    /// units.
    pub count_tokens: recallite_count_tokens_callback,
    /// Given to count_tokens.
    pub user_data: *mut c_void,
    /// Only results whose relevance is at least this, 0 to 1. Default: all.
    pub min_score: f32,
    /// Whether max_auto_expand_count is given.
    pub has_max_auto_expand_count: c_bool,
    /// Whether window is given.
    pub has_window: c_bool,
    /// Add no timelines.
    pub skip_timeline: c_bool,
    /// Add no details.
    pub skip_details: c_bool,
}

// SAFETY: repr(C), the size comes first; integers, floats, bytes and raw
// pointers take every bit pattern, and zero is NULL, the `None` of a function
// pointer.
unsafe impl Input for recallite_smart_search_options {
    const FIRST_SIZE: usize = size_of::<recallite_smart_search_options>();
}

/// One line of the index of a smart search.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_index_item {
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
    /// How likely it answers the query, 0 to 1.
    pub score: f32,
    /// Its session.
    pub session: recallite_str,
    /// One line of at most 100 characters.
    pub summary: recallite_str,
}

/// What a smart search gives: three layers, each only as far as it helps. Free
/// it with recallite_smart_search_result_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_smart_search_result {
    /// Layer 1: pointers to the results, best first.
    pub index: *const *const recallite_index_item,
    /// How many results.
    pub index_len: usize,
    /// Layer 2: pointers to what happened around some of them.
    pub timeline: *const *const recallite_timeline_item,
    /// How many events; 0 when nothing was added.
    pub timeline_len: usize,
    /// Layer 3: pointers to some of them in full.
    pub details: *const *const recallite_detail,
    /// How many; 0 when nothing was added.
    pub details_len: usize,
    /// How many events matched at all.
    pub total_matches: usize,
    /// How many results a timeline or details are shown for.
    pub expanded_count: usize,
    /// The tokens of the three layers in their Markdown form.
    pub estimated_tokens: usize,
    /// Why results were expanded, or not: one of recallite_expansion_reason.
    pub expansion_reason: i32,
    /// How sure the best result is: one of recallite_confidence.
    pub confidence: i32,
    /// What to tell the reader about seeing more; empty when enough was shown or
    /// nothing was found.
    pub hint: recallite_str,
    /// The layers that are there as Markdown, one below the other, and the hint.
    pub markdown: recallite_str,
    /// Layer 1 as Markdown.
    pub index_markdown: recallite_str,
    /// Layer 2 as Markdown; empty without a timeline.
    pub timeline_markdown: recallite_str,
    /// Layer 3 as Markdown; empty without details.
    pub details_markdown: recallite_str,
    /// True when a deadline or damage kept something from being searched.
    pub degraded: bool,
}

/// Searches, and adds the timeline around the results or their details when the
/// results are clear enough, within a token budget.
///
/// @param[in] memory the memory.
/// @param[in] query what to look for; its filters hold, its limit is replaced by
///     top_k.
/// @param[in] options how results are expanded; NULL for the defaults.
/// @param[out] result the layers, to be freed with
///     recallite_smart_search_result_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_search; RECALLITE_INVALID_ARGUMENT for a top_k,
///     min_score or window out of range; RECALLITE_CALLBACK when count_tokens
///     failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_smart_search(
    memory: *mut recallite_memory,
    query: *const recallite_query,
    options: *const recallite_smart_search_options,
    result: *mut *mut recallite_smart_search_result,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (query, mut options, counting, result) = unsafe {
            let query = input::read("query", query)?;
            let options = input::read_or_default("options", options)?;
            (
                search::query(&query)?,
                smart_search_options(&options)?,
                Counting::new(options.count_tokens, options.user_data),
                out("result", result)?,
            )
        };
        options.count_tokens = counting.counter();
        let found = memory.smart_search(query, options)?;
        counting.check()?;
        result.set(owned::give(|parts| {
            let (markdown, hint) = (parts.text(found.markdown()), parts.text(found.hint));
            let index_markdown = parts.text(found.index_markdown());
            let timeline_markdown = parts.text(found.timeline_markdown());
            let details_markdown = parts.text(found.details_markdown());
            let (index, index_len) = parts.list(found.index, index_item);
            let (timeline, timeline_len) = parts.list(found.timeline, layers::item);
            let (details, details_len) = parts.list(found.details, layers::detail);
            recallite_smart_search_result {
                index,
                index_len,
                timeline,
                timeline_len,
                details,
                details_len,
                total_matches: found.meta.total_matches,
                expanded_count: found.meta.expanded_count,
                estimated_tokens: found.meta.estimated_tokens,
                expansion_reason: reason(found.meta.expansion_reason) as i32,
                confidence: confidence(found.confidence),
                hint,
                markdown,
                index_markdown,
                timeline_markdown,
                details_markdown,
                degraded: found.degraded,
            }
        }));
        Ok(())
    })
}

/// Frees what a smart search gave, all layers of it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_smart_search_result_free(
    result: *mut recallite_smart_search_result,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(result) });
}

/// The stable name of an expansion reason, for example "clear_winner";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_expansion_reason_name(reason: i32) -> *const c_char {
    use recallite_expansion_reason::*;
    let is = |wanted: recallite_expansion_reason| reason == wanted as i32;
    let name = if is(RECALLITE_EXPANSION_LOW_CONFIDENCE) {
        c"low_confidence"
    } else if is(RECALLITE_EXPANSION_HIGH_CONFIDENCE) {
        c"high_confidence"
    } else if is(RECALLITE_EXPANSION_CLEAR_WINNER) {
        c"clear_winner"
    } else if is(RECALLITE_EXPANSION_AMBIGUOUS_RESULTS) {
        c"ambiguous_results"
    } else {
        c"unknown"
    };
    name.as_ptr()
}

fn reason(reason: ExpansionReason) -> recallite_expansion_reason {
    use recallite_expansion_reason::*;
    match reason {
        ExpansionReason::LowConfidence => RECALLITE_EXPANSION_LOW_CONFIDENCE,
        ExpansionReason::HighConfidence => RECALLITE_EXPANSION_HIGH_CONFIDENCE,
        ExpansionReason::ClearWinner => RECALLITE_EXPANSION_CLEAR_WINNER,
        ExpansionReason::AmbiguousResults => RECALLITE_EXPANSION_AMBIGUOUS_RESULTS,
    }
}

fn index_item(parts: &mut Parts, item: IndexItem) -> recallite_index_item {
    recallite_index_item {
        id: parts.text(item.id.to_string()),
        citation: parts.text(item.citation.as_str()),
        seq: item.seq.0,
        timestamp_ms: item.timestamp.millis(),
        kind: item.kind.number().into(),
        score: item.score,
        session: parts.text(item.session),
        summary: parts.text(item.summary),
    }
}

fn smart_search_options(options: &recallite_smart_search_options) -> Result<SmartSearchOptions> {
    let mut wanted = SmartSearchOptions::default()
        .min_score(options.min_score)
        .auto_expand_timeline(!boolean("skip_timeline", options.skip_timeline)?)
        .auto_expand_details(!boolean("skip_details", options.skip_details)?);
    if options.top_k != 0 {
        wanted = wanted.top_k(options.top_k);
    }
    if options.max_total_tokens != 0 {
        wanted = wanted.max_total_tokens(options.max_total_tokens);
    }
    if boolean(
        "has_max_auto_expand_count",
        options.has_max_auto_expand_count,
    )? {
        wanted = wanted.max_auto_expand_count(options.max_auto_expand_count);
    }
    if boolean("has_window", options.has_window)? {
        wanted = wanted.window(options.window);
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn reasons_have_the_names_of_the_core() {
        for of_core in [
            ExpansionReason::LowConfidence,
            ExpansionReason::HighConfidence,
            ExpansionReason::ClearWinner,
            ExpansionReason::AmbiguousResults,
        ] {
            let name = recallite_expansion_reason_name(reason(of_core) as i32);
            // SAFETY: the function gives static, zero-terminated text.
            let name = unsafe { CStr::from_ptr(name) };
            assert_eq!(name.to_str().unwrap(), of_core.as_str());
        }
    }
}
