//! Smart search: results, and as much of what happened around them as a token budget
//! allows.

use recallite::SmartSearchOptions;

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::tokens::counter;

/// Searches, and adds a timeline or the details of the results if they are clear enough,
/// within a token budget.
///
/// Growth: Logarithmic, as that of recallite_search.
///
/// @param[in] memory the memory.
/// @param[in] query what to search for; its filters apply, and so does its limit if the
///     options have none.
/// @param[in] options how to expand results; NULL for the defaults.
/// @param[out] result the layers, to be freed with
///     recallite_smart_search_result_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_search; RECALLITE_INVALID_ARGUMENT for a limit,
///     min_relevance or window out of range; RECALLITE_CALLBACK when count_tokens
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
        let (query, mut options, count, result) = unsafe {
            let options = input::read_or_default("options", options)?;
            (
                recallite_query::taken("query", query)?,
                options.set("", SmartSearchOptions::default())?,
                counter(options.count_tokens, options.user_data),
                out("result", result)?,
            )
        };
        options.count_tokens = count;
        let found = memory.smart_search(query, options)?;
        result.set(give_one(found));
        Ok(())
    })
}
