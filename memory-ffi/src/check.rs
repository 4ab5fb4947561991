//! Proving a store, making its derived tables again, and giving space back.

use recallite::Timestamp;

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::open::recallite_memory;
use crate::status::recallite_status;
use crate::text::{give_text, recallite_string};

/// A hash of all that was made from the log: the same log gives the same hash at
/// the same moment, in every process, after every rebuild and compaction.
///
/// @param[in] memory the memory.
/// @param[in] as_of_ms the moment that the hash belongs to, in milliseconds
///     since 1970 UTC, years 1 to 9999.
/// @param[out] hash 64 hexadecimal digits, to be freed with
///     recallite_string_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when as_of_ms is out of range;
///     RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_state_hash(
    memory: *mut recallite_memory,
    as_of_ms: i64,
    hash: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let hash = unsafe { out("hash", hash) }?;
        let found = memory.upkeep().state_hash(as_of(as_of_ms)?)?;
        hash.set(give_text(found));
        Ok(())
    })
}

fn as_of(millis: i64) -> recallite::Result<Timestamp> {
    Timestamp::from_millis(millis).map_err(|error| error.about("as_of_ms"))
}
