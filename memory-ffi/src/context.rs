//! Context for an agent's prompt.

use std::ffi::c_void;

use recallite::{ContextOptions, Query, Result};

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input, c_bool};
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::search::{self, recallite_query};
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::tokens::{Counting, recallite_count_tokens_callback};
use crate::words::{self};

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
    /// At most this many memories, 1 to 64. Default: the query's limit, or 5.
    pub limit: usize,
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
    /// Whether skip_known_since_ms is given.
    pub has_skip_known_since: c_bool,
    /// Leaves out what the session knows: what was said in it from this moment on,
    /// in milliseconds since 1970, and what it was given from then on, pinned events
    /// among it. Needs a session.
    pub skip_known_since_ms: i64,
}

// SAFETY: repr(C), the size comes first; integers, floats and raw pointers take
// every bit pattern, and zero is NULL, the `None` of a function pointer.
unsafe impl Input for recallite_context_options {
    const FIRST_SIZE: usize = size_of::<recallite_context_options>();
}

/// The memories that help with a query, as text for an agent's prompt.
///
/// The text stands in a fence that nothing inside can close: it is data, not
/// instructions. Each memory names where it came from and its citation. Nothing
/// is given when the best match is not good enough; when it is only suggested,
/// the text says so. The whole text keeps within the token budget.
///
/// @param[in] memory the memory.
/// @param[in] query what is looked for; its filters hold, and its limit where the
///     options have none.
/// @param[in] options what it is made for; NULL for the defaults.
/// @param[out] context the text and its memories, to be freed with
///     recallite_context_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_search; RECALLITE_INVALID_ARGUMENT for a limit or
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
        context.set(give_one(given));
        Ok(())
    })
}

/// # Safety
/// The texts and events of `options` are absent or readable.
unsafe fn context_options(
    query: Query,
    options: &recallite_context_options,
) -> Result<ContextOptions> {
    let mut wanted = ContextOptions::new(query);
    wanted.format = words::optional("format", options.format)?;
    wanted.recording = words::optional("recording", options.recording)?;
    // SAFETY: the caller keeps the same condition, for each text below.
    unsafe {
        wanted.session = options.session.optional("session")?.map(str::to_owned);
        wanted.reason = options.reason.optional("reason")?.map(str::to_owned);
        wanted.pinned = input::event_refs("pinned", options.pinned, options.pinned_len)?;
    }
    wanted.skip_known_since = input::time(
        "skip_known_since",
        options.has_skip_known_since,
        options.skip_known_since_ms,
    )?;
    wanted.budget_tokens = (options.budget_tokens != 0).then_some(options.budget_tokens);
    wanted.limit = (options.limit != 0).then_some(options.limit);
    if options.min_relevance != 0.0 {
        wanted.min_relevance = Some(options.min_relevance);
    }
    Ok(wanted)
}
