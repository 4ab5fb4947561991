//! What a selector means.

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::status::recallite_status;

/// How many live events a selector means: what recallite_forget would forget.
/// Changes nothing.
///
/// @param[in] memory the memory.
/// @param[in] selector which events.
/// @param[out] count how many.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a selector without a condition or an
///     event of another project; RECALLITE_NOT_FOUND for an event that never
///     was; RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_count_selected(
    memory: *mut recallite_memory,
    selector: *const recallite_selector,
    count: *mut u64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (wanted, count) = unsafe {
            (
                recallite_selector::taken("selector", selector)?,
                out("count", count)?,
            )
        };
        count.set(memory.upkeep().count_selected(&wanted)?);
        Ok(())
    })
}
