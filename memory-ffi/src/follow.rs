//! Following a store that others write to.

use std::time::Duration;

use recallite::Seq;

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::open::recallite_memory;
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
