//! Finding learned entries by what they say.

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::learn::entry::{entry_filter, recallite_entry_filter};
use crate::open::recallite_memory;
use crate::owned::give_list;
use crate::status::recallite_status;
use crate::text::recallite_str;

/// Learned entries that answer a question or hold some words, best first.
/// Related words and other forms count, as in recallite_search.
///
/// Entries that were superseded or deprecated are left out unless the filter
/// asks for their status or for a moment (as_of_ms); contested ones count less.
/// An entry that was confirmed to mean another one is replaced by it.
///
/// @param[in] memory the memory.
/// @param[in] query the question or the words.
/// @param[in] filter which, at most 10 unless its limit is set; NULL for the
///     entries of the memory's project.
/// @param[out] hits what was found, to be freed with
///     recallite_entry_hit_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a blank query or a wrong filter;
///     RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_search_entries(
    memory: *mut recallite_memory,
    query: recallite_str,
    filter: *const recallite_entry_filter,
    hits: *mut *mut recallite_entry_hit_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (query, filter, hits) = unsafe {
            let query = query.required("query")?;
            let filter = input::read_or_default("filter", filter)?;
            (query, entry_filter(&filter)?, out("hits", hits)?)
        };
        let found = memory.knowledge().search(query, &filter)?;
        hits.set(give_list(found));
        Ok(())
    })
}
