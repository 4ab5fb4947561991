//! What uncertain memories mean: missing context, questions and their answers.

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::{give_list, give_one};
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words::{self};

/// Answers what an uncertain memory (an event, entry or condition, by its id)
/// means. The last answer counts.
///
/// @param[in] memory the memory.
/// @param[in] memory_id the uncertain memory.
/// @param[in] kind the answer: one of recallite_resolution_kind.
/// @param[in] resolved_to what it may mean; needed for
///     RECALLITE_RESOLUTION_KIND_CONFIRMED, otherwise it may be absent.
/// @param[in] confidence how sure, from 0 to 1.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a blank memory_id, for one that is
///     resolved_to itself, or for a confidence out of range; RECALLITE_BUSY,
///     RECALLITE_FULL or RECALLITE_IO when the store cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_resolve_memory(
    memory: *mut recallite_memory,
    memory_id: recallite_str,
    kind: i32,
    resolved_to: recallite_str,
    confidence: f64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (memory_id, resolved_to) = unsafe {
            (
                memory_id.required("memory_id")?,
                resolved_to.optional("resolved_to")?,
            )
        };
        let kind = words::word("kind", kind)?;
        memory
            .knowledge()
            .resolve_memory(memory_id, kind, resolved_to, confidence)
            .map_err(|error| match error.argument() {
                Some("memory") => error.about("memory_id"),
                _ => error,
            })
    })
}

/// Marks an event whose context is missing, to be resolved later.
///
/// @param[in] memory the memory.
/// @param[in] event an event id or citation.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such event; RECALLITE_BUSY,
///     RECALLITE_FULL or RECALLITE_IO when the store cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_mark_unknown_context(
    memory: *mut recallite_memory,
    event: recallite_str,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's text is absent or readable, as the header asks.
        let event = unsafe { input::event_ref("event", event) }?;
        memory.knowledge().mark_unknown_context(event)
    })
}

/// Events whose context is missing and not resolved yet.
///
/// @param[in] memory the memory.
/// @param[out] placeholders the list, to be freed with recallite_placeholder_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_placeholders(
    memory: *mut recallite_memory,
    placeholders: *mut *mut recallite_placeholder_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let placeholders = unsafe { out("placeholders", placeholders) }?;
        let found = memory.knowledge().placeholders()?;
        placeholders.set(give_list(found));
        Ok(())
    })
}

/// The last answer about each uncertain memory.
///
/// @param[in] memory the memory.
/// @param[out] resolutions the list, to be freed with recallite_memory_resolution_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_memory_resolutions(
    memory: *mut recallite_memory,
    resolutions: *mut *mut recallite_memory_resolution_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let resolutions = unsafe { out("resolutions", resolutions) }?;
        let found = memory.knowledge().memory_resolutions()?;
        resolutions.set(give_list(found));
        Ok(())
    })
}

/// What a memory means now: itself, or what it was confirmed to be.
///
/// @param[in] memory the memory.
/// @param[in] memory_id an event, entry or condition, by its id.
/// @param[out] meaning what it means, to be freed with
///     recallite_effective_memory_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_effective_memory_get(
    memory: *mut recallite_memory,
    memory_id: recallite_str,
    meaning: *mut *mut recallite_effective_memory,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (memory_id, meaning) =
            unsafe { (memory_id.required("memory_id")?, out("meaning", meaning)?) };
        let found = memory.knowledge().effective_memory(memory_id)?;
        meaning.set(give_one(found));
        Ok(())
    })
}
