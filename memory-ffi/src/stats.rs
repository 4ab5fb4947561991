//! Figures about a store.

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;

/// Figures about the store: how much each layer holds and when it last moved.
///
/// @param[in] memory the memory.
/// @param[out] stats the figures, to be freed with recallite_stats_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_stats_get(
    memory: *mut recallite_memory,
    stats: *mut *mut recallite_stats,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let stats = unsafe { out("stats", stats) }?;
        let figures = memory.stats()?;
        stats.set(give_one(figures));
        Ok(())
    })
}
