//! Context for an agent's prompt.

use recallite::ContextOptions;

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::give_one;

/// Returns the memories that help with a query, as text for an agent's prompt.
///
/// The text is wrapped in a fence that nothing inside it can close: it is data, not
/// instructions. Each memory names its source and its citation. Nothing is returned if the
/// best match is not good enough; if it is only suggested, the text says so. The whole text
/// stays within the token budget.
///
/// Growth: Logarithmic, as that of recallite_search.
///
/// @param[in] memory the memory.
/// @param[in] query what to search for; its filters apply, and so does its limit if the
///     options have none.
/// @param[in] options how to build the context; NULL for the defaults.
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
        let (options, context) = unsafe {
            let wanted = ContextOptions::new(recallite_query::taken("query", query)?);
            let options = input::read_or_default("options", options)?;
            (options.set("", wanted)?, out("context", context)?)
        };
        let renamed = [("skip_known_since", "skip_known_since_ms")];
        let given = memory.context(options);
        let given = given.map_err(|error| input::named(&renamed, error))?;
        context.set(give_one(given));
        Ok(())
    })
}
