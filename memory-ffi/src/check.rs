//! Proving a store, making its derived tables again, and giving space back.

use recallite::{CheckReport, Compacted, Divergence, Rebuilt, Timestamp};

use crate::call::{guard_free, optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::{give_text, recallite_str, recallite_string};

/// Where a store is not what it should be, and what to do.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_divergence {
    /// The table or part: "events" is the log, "lexical" the search index.
    pub place: recallite_str,
    /// What is wrong, without any stored content.
    pub problem: recallite_str,
    /// What to do about it.
    pub remedy: recallite_str,
    /// The position of the event that is concerned; 0 for none.
    pub seq: u64,
}

/// What recallite_check found. Free it with recallite_check_report_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_check_report {
    /// Records in the log.
    pub events: u64,
    /// The first thing that is wrong; NULL when nothing is.
    pub first_divergence: *const recallite_divergence,
    /// The state hash at as_of_ms, as recallite_state_hash gives it.
    pub state_hash: recallite_str,
    /// The moment of the hash: the newest live event's time, in milliseconds
    /// since 1970 UTC.
    pub as_of_ms: i64,
    /// Whether everything is as it should be.
    pub ok: bool,
}

/// What recallite_rebuild did. Free it with recallite_rebuilt_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_rebuilt {
    /// Records of the log that were replayed.
    pub events: u64,
    /// The state hash before, 64 hexadecimal digits.
    pub hash_before: recallite_str,
    /// The state hash after. It differs from the one before only when the tables
    /// had been damaged.
    pub hash_after: recallite_str,
}

/// What recallite_compact did. Free it with recallite_compacted_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_compacted {
    /// Bytes of all files of the store before.
    pub before_bytes: u64,
    /// Bytes after.
    pub after_bytes: u64,
    /// The generation of the store's file that is live now.
    pub generation: u64,
}

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
        report.set(owned::give(|parts| check_report(parts, found)));
        Ok(())
    })
}

/// Frees what recallite_check found. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_check_report_free(report: *mut recallite_check_report) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(report) });
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
            rebuilt.set(owned::give(|parts| rebuilt_view(parts, done)));
        }
        Ok(())
    })
}

/// Frees what recallite_rebuild did. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_rebuilt_free(rebuilt: *mut recallite_rebuilt) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(rebuilt) });
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
            compacted.set(owned::give(|_| compacted_view(&done)));
        }
        Ok(())
    })
}

/// Frees what recallite_compact did. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_compacted_free(compacted: *mut recallite_compacted) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(compacted) });
}

fn as_of(millis: i64) -> recallite::Result<Timestamp> {
    Timestamp::from_millis(millis).map_err(|error| input::renamed("as_of_ms", error))
}

fn check_report(parts: &mut Parts, report: CheckReport) -> recallite_check_report {
    let first_divergence = match report.first_divergence {
        Some(found) => {
            let found = divergence(parts, found);
            parts.one(found)
        }
        None => std::ptr::null(),
    };
    recallite_check_report {
        events: report.events,
        first_divergence,
        state_hash: parts.text(report.state_hash),
        as_of_ms: report.as_of.millis(),
        ok: report.ok,
    }
}

fn divergence(parts: &mut Parts, found: Divergence) -> recallite_divergence {
    recallite_divergence {
        place: parts.text(found.place),
        problem: parts.text(found.problem),
        remedy: parts.text(found.remedy),
        seq: found.seq.map_or(0, |seq| seq.0),
    }
}

fn rebuilt_view(parts: &mut Parts, done: Rebuilt) -> recallite_rebuilt {
    recallite_rebuilt {
        events: done.events,
        hash_before: parts.text(done.hash_before),
        hash_after: parts.text(done.hash_after),
    }
}

fn compacted_view(done: &Compacted) -> recallite_compacted {
    recallite_compacted {
        before_bytes: done.before_bytes,
        after_bytes: done.after_bytes,
        generation: done.generation,
    }
}
