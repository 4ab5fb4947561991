//! What a caller may do to entries: supersede, contradict, settle, certify,
//! take back.

use recallite::rules::entries::EntryId;

use crate::call::{optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::{give_list, give_one};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// Says that one entry takes the place of another, which stops holding when the
/// newer one began to hold. Saying it twice changes nothing.
///
/// @param[in] memory the memory.
/// @param[in] older the entry that is replaced.
/// @param[in] newer the entry that replaces it.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND naming the entry; RECALLITE_INVALID_ARGUMENT
///     when both are the same; RECALLITE_INVARIANT_VIOLATION when another entry
///     took the older one's place already or the two would replace each other
///     in a circle; RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the
///     store cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_supersede(
    memory: *mut recallite_memory,
    older: recallite_str,
    newer: recallite_str,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (older, newer) = unsafe { (older.required("older")?, newer.required("newer")?) };
        memory
            .knowledge()
            .supersede(&EntryId::new(older), &EntryId::new(newer))
    })
}

/// Says that two entries disagree. Both count less until the conflict is
/// resolved. Saying it twice gives the conflict that is there.
///
/// @param[in] memory the memory.
/// @param[in] older the entry that was there first.
/// @param[in] newer the entry that disagrees with it.
/// @param[in] reason why this is believed; absent to say nothing.
/// @param[out] conflict the conflict, to be freed with recallite_conflict_free;
///     may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND naming the entry; RECALLITE_INVALID_ARGUMENT
///     when both are the same; RECALLITE_INVARIANT_VIOLATION when one no longer
///     counts or they hold at different times; RECALLITE_BUSY, RECALLITE_FULL
///     or RECALLITE_IO when the store cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_contradict(
    memory: *mut recallite_memory,
    older: recallite_str,
    newer: recallite_str,
    reason: recallite_str,
    conflict: *mut *mut recallite_conflict,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (older, newer, reason, conflict) = unsafe {
            (
                older.required("older")?,
                newer.required("newer")?,
                reason.optional("reason")?,
                optional_out("conflict", conflict)?,
            )
        };
        let found =
            memory
                .knowledge()
                .contradict(&EntryId::new(older), &EntryId::new(newer), reason)?;
        if conflict.is_wanted() {
            conflict.set(give_one(found));
        }
        Ok(())
    })
}

/// Ends a conflict in favour of one entry; the other is taken back.
///
/// @param[in] memory the memory.
/// @param[in] conflict_id the conflict.
/// @param[in] in_favour_of the entry that was right.
/// @param[in] resolution what was found.
/// @param[in] resolved_by who found it.
/// @param[out] conflict the conflict as it is now, to be freed with
///     recallite_conflict_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such conflict;
///     RECALLITE_INVALID_ARGUMENT when the entry is no part of it or a text is
///     blank; RECALLITE_INVALID_TRANSITION when it has ended already;
///     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot be
///     written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_resolve_conflict(
    memory: *mut recallite_memory,
    conflict_id: recallite_str,
    in_favour_of: recallite_str,
    resolution: recallite_str,
    resolved_by: recallite_str,
    conflict: *mut *mut recallite_conflict,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (conflict_id, in_favour_of, resolution, resolved_by, conflict) = unsafe {
            (
                conflict_id.required("conflict_id")?,
                in_favour_of.required("in_favour_of")?,
                resolution.required("resolution")?,
                resolved_by.required("resolved_by")?,
                optional_out("conflict", conflict)?,
            )
        };
        let winner = EntryId::new(in_favour_of);
        let ended =
            memory
                .knowledge()
                .resolve_conflict(conflict_id, &winner, resolution, resolved_by)?;
        if conflict.is_wanted() {
            conflict.set(give_one(ended));
        }
        Ok(())
    })
}

/// The conflicts between entries, the one found first in front.
///
/// @param[in] memory the memory.
/// @param[out] conflicts the list, to be freed with recallite_conflict_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_conflicts(
    memory: *mut recallite_memory,
    conflicts: *mut *mut recallite_conflict_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let conflicts = unsafe { out("conflicts", conflicts) }?;
        let found = memory.knowledge().conflicts()?;
        conflicts.set(give_list(found));
        Ok(())
    })
}

/// Raises a verified entry to certified: somebody vouches for it.
///
/// @param[in] memory the memory.
/// @param[in] id the entry.
/// @param[in] certified_by who vouches.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such entry;
///     RECALLITE_INVARIANT_VIOLATION with the reason when it is not verified or
///     does not count; RECALLITE_INVALID_ARGUMENT for a blank name;
///     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot be
///     written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_certify(
    memory: *mut recallite_memory,
    id: recallite_str,
    certified_by: recallite_str,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (id, certified_by) =
            unsafe { (id.required("id")?, certified_by.required("certified_by")?) };
        memory.knowledge().certify(&EntryId::new(id), certified_by)
    })
}

/// Takes an entry back without a successor: it stops holding now.
///
/// @param[in] memory the memory.
/// @param[in] id the entry.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such entry; RECALLITE_BUSY,
///     RECALLITE_FULL or RECALLITE_IO when the store cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_deprecate(
    memory: *mut recallite_memory,
    id: recallite_str,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's text is absent or readable, as the header asks.
        let id = unsafe { id.required("id") }?;
        memory.knowledge().deprecate(&EntryId::new(id))
    })
}
