//! Smart search: results, and as much of what stands around them as a token
//! budget pays for.

use std::ffi::c_void;

use recallite::{Result, SmartSearchOptions};

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::search::{self, recallite_query};
use crate::status::recallite_status;
use crate::tokens::{Counting, recallite_count_tokens_callback};

/// How a smart search expands what it finds. Begin with
/// RECALLITE_INIT(recallite_smart_search_options); a field that is zero has its
/// default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_smart_search_options {
    /// sizeof(recallite_smart_search_options).
    pub struct_size: usize,
    /// At most this many results, 1 to 1,000. Default: the query's limit, or
    /// 10.
    pub limit: usize,
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

/// Searches, and adds the timeline around the results or their details when the
/// results are clear enough, within a token budget.
///
/// @param[in] memory the memory.
/// @param[in] query what to look for; its filters hold, and its limit where the
///     options have none.
/// @param[in] options how results are expanded; NULL for the defaults.
/// @param[out] result the layers, to be freed with
///     recallite_smart_search_result_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_search; RECALLITE_INVALID_ARGUMENT for a limit,
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
        result.set(give_one(found));
        Ok(())
    })
}

fn smart_search_options(options: &recallite_smart_search_options) -> Result<SmartSearchOptions> {
    let mut wanted = SmartSearchOptions::default();
    // Zero says nothing: the memory's settings may say something else then.
    wanted.min_score = (options.min_score != 0.0).then_some(options.min_score);
    wanted.auto_expand_timeline = boolean("skip_timeline", options.skip_timeline)?.then_some(false);
    wanted.auto_expand_details = boolean("skip_details", options.skip_details)?.then_some(false);
    wanted.limit = (options.limit != 0).then_some(options.limit);
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
