//! Proving a store, making its derived tables again, and giving space back.

use recallite::Timestamp;

use crate::call::{optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;
use crate::text::{give_text, recallite_string};

/// Proves the store as it is at this moment: that the log's chain of checksums
/// holds and every record is what was stored; that each derived table is exactly
/// what the log gives when it is made again; and that the search index holds
/// exactly the live conversation events. Others may read and write meanwhile.
///
/// @param[in] memory the memory.
/// @param[out] report what was found, to be freed with
///     recallite_check_report_free. Damage is a finding, not a failure.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_IO or RECALLITE_BUSY when the store cannot be read at all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_check(
    memory: *mut recallite_memory,
    report: *mut *mut recallite_check_report,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let report = unsafe { out("report", report) }?;
        let found = memory.check()?;
        report.set(give_one(found));
        Ok(())
    })
}

/// Makes every derived table again from the log, in one transaction: indexes,
/// names, sessions, tombstones, counters and the search index. Others go on
/// reading; writers wait. Jobs that wait, and vectors that a model made, are
/// kept.
///
/// @param[in] memory the memory.
/// @param[in] as_of_ms the moment that the hashes belong to, in milliseconds
///     since 1970 UTC, years 1 to 9999.
/// @param[out] rebuilt what was done, to be freed with recallite_rebuilt_free;
///     may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when as_of_ms is out of range;
///     RECALLITE_CORRUPT when the log itself is damaged (nothing is changed
///     then); as recallite_append.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_rebuild(
    memory: *mut recallite_memory,
    as_of_ms: i64,
    rebuilt: *mut *mut recallite_rebuilt,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let rebuilt = unsafe { optional_out("rebuilt", rebuilt) }?;
        let done = memory.rebuild(as_of(as_of_ms)?)?;
        if rebuilt.is_wanted() {
            rebuilt.set(give_one(done));
        }
        Ok(())
    })
}

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

/// Copies the store into a new generation of its file and puts that in place, so
/// that space which is no longer used goes back to the disk. Forgotten events
/// keep their records until they are erased. Others go on reading; writers wait.
/// Needs free space for a second copy.
///
/// @param[in] memory the memory.
/// @param[out] compacted what was done, to be freed with
///     recallite_compacted_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_BUSY when another writer holds the store; RECALLITE_FULL,
///     RECALLITE_IO or RECALLITE_CORRUPT: the store then stays as it was.
///     RECALLITE_NEEDS_REOPEN when the last step failed: after reopening, the
///     store is the old or the new one, whole.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_compact(
    memory: *mut recallite_memory,
    compacted: *mut *mut recallite_compacted,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let compacted = unsafe { optional_out("compacted", compacted) }?;
        let done = memory.compact()?;
        if compacted.is_wanted() {
            compacted.set(give_one(done));
        }
        Ok(())
    })
}

fn as_of(millis: i64) -> recallite::Result<Timestamp> {
    Timestamp::from_millis(millis).map_err(|error| error.about("as_of_ms"))
}
