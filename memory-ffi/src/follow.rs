//! Following a store that others write to, and moving it to a newer format.

use std::time::Duration;

use recallite::Seq;

use crate::call::{optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;

/// Waits until the log is longer than a known position. Appends of every process
/// count. Read them with recallite_changes_since.
///
/// @param[in] memory the memory.
/// @param[in] after the last position that is known; 0 for none.
/// @param[in] timeout_ms how long it waits at most, in milliseconds; 0 only
///     looks.
/// @param[out] last the last position of the log: greater than after when there
///     is something new, not greater when the time ran out.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CLOSED when the memory is closed meanwhile; RECALLITE_IO,
///     RECALLITE_CORRUPT or RECALLITE_NEEDS_REOPEN when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_wait_for_change(
    memory: *mut recallite_memory,
    after: u64,
    timeout_ms: u64,
    last: *mut u64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let last = unsafe { out("last", last) }?;
        let found = memory.wait_for_change(Seq(after), Duration::from_millis(timeout_ms))?;
        last.set(found.0);
        Ok(())
    })
}

/// Moves the store to the newest format that this library writes. Until it is
/// called, a newer library keeps writing the store's own format, so that
/// updating one program breaks no other that shares the store.
///
/// @param[in] memory the memory.
/// @param[out] upgraded what was done, to be freed with recallite_upgraded_free;
///     may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NEWER_FORMAT when the store is newer than this library; as
///     recallite_compact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_upgrade(
    memory: *mut recallite_memory,
    upgraded: *mut *mut recallite_upgraded,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let upgraded = unsafe { optional_out("upgraded", upgraded) }?;
        let done = memory.upkeep().upgrade()?;
        if upgraded.is_wanted() {
            upgraded.set(give_one(done));
        }
        Ok(())
    })
}
