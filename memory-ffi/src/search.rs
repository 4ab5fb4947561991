//! Searching.

use recallite::embed::MAX_DIMENSIONS;
use recallite::{Error, Query, Result};

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words;

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
    /// Do not look for what was learned; the result's learned is empty then.
    pub skip_learned: c_bool,
    /// Whether as_of_ms is given.
    pub has_as_of: c_bool,
    /// As it was known at this moment, in milliseconds since 1970 UTC: events until
    /// then, entries that held then, tasks as they stood then. Read when has_as_of is
    /// set; otherwise now.
    pub as_of_ms: i64,
    /// Only these kinds of learned things, each one of recallite_learned_kind; none
    /// means all.
    pub learned_kinds: *const i32,
    /// How many learned_kinds.
    pub learned_kinds_len: usize,
    /// Only entries of these types, each one of recallite_entry_type; none means all.
    pub entry_types: *const i32,
    /// How many entry_types.
    pub entry_types_len: usize,
    /// Only calls of these tools, at most 64, and what was learned from them; none
    /// means any event.
    pub tools: *const recallite_str,
    /// How many tools.
    pub tools_len: usize,
    /// Only calls of tools on a file whose path contains this, 1 to 1,024 bytes, and
    /// what was learned from them.
    pub file_contains: recallite_str,
    /// Only calls of tools that ended so, and what was learned from them: one of
    /// recallite_tool_outcome.
    pub tool_outcome: i32,
    /// Only events that have risen to this level or higher, and what was learned from
    /// one of them, by the levels of today: one of recallite_level.
    pub min_level: i32,
}

// SAFETY: repr(C), the size comes first, and integers, floats, bytes and raw
// pointers take every bit pattern.
unsafe impl Input for recallite_query {
    const FIRST_SIZE: usize = size_of::<recallite_query>();
}

/// Finds events, best first.
///
/// @param[in] memory the memory.
/// @param[in] query what to look for.
/// @param[out] result the hits, to be freed with recallite_search_result_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a blank text, a limit above 1,000, a
///     relevance outside 0 to 1 or a tool without a name; RECALLITE_CORRUPT or RECALLITE_IO when the
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
        result.set(give_one(found));
        Ok(())
    })
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
        wanted.learned_kinds = input::words(
            "learned_kinds",
            query.learned_kinds,
            query.learned_kinds_len,
        )?;
        wanted.entry_types = input::words("entry_types", query.entry_types, query.entry_types_len)?;
        wanted.tools = input::owned_texts("tools", query.tools, query.tools_len)?;
        wanted.file_contains = query
            .file_contains
            .optional("file_contains")?
            .map(str::to_owned);
        wanted
    };
    wanted.limit = (query.limit != 0).then_some(query.limit);
    wanted.from = input::time("from", query.has_from, query.from_ms)?;
    wanted.until = input::time("until", query.has_until, query.until_ms)?;
    wanted.as_of = input::time("as_of", query.has_as_of, query.as_of_ms)?;
    wanted.tool_outcome = words::optional("tool_outcome", query.tool_outcome)?;
    wanted.min_level = words::optional("min_level", query.min_level)?;
    wanted.learned = !boolean("skip_learned", query.skip_learned)?;
    wanted.include_recalled = boolean("include_recalled", query.include_recalled)?;
    if query.deadline_ms != 0 {
        wanted = wanted.deadline_ms(query.deadline_ms);
    }
    if query.min_relevance != 0.0 {
        wanted = wanted.min_relevance(query.min_relevance);
    }
    Ok(wanted)
}
