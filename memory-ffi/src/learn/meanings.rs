//! What uncertain memories mean: missing context, questions and their answers.

use std::ffi::c_char;

use recallite::rules::entries::{
    EffectiveMemory, EffectiveStatus, MemoryResolution, Placeholder, ResolutionKind,
};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::input::{self, renamed};
use crate::learn::give_list;
use crate::learn::word::{self, number, words};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// What became of an uncertain memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_resolution_kind {
    /// It is the other one.
    RECALLITE_MEMORY_CONFIRMED = 1,
    /// It is not the other one.
    RECALLITE_MEMORY_REJECTED = 2,
    /// Nobody has said yet.
    RECALLITE_MEMORY_PENDING = 3,
}

/// How a memory is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_effective_status {
    /// As another memory.
    RECALLITE_EFFECTIVE_RESOLVED = 1,
    /// As itself, and a question is open.
    RECALLITE_EFFECTIVE_PENDING = 2,
    /// As itself.
    RECALLITE_EFFECTIVE_DIRECT = 3,
}

words! {
    ResolutionKind => recallite_resolution_kind {
        Confirmed = RECALLITE_MEMORY_CONFIRMED c"confirmed",
        Rejected = RECALLITE_MEMORY_REJECTED c"rejected",
        Pending = RECALLITE_MEMORY_PENDING c"pending",
    }
    EffectiveStatus => recallite_effective_status {
        Resolved = RECALLITE_EFFECTIVE_RESOLVED c"resolved",
        Pending = RECALLITE_EFFECTIVE_PENDING c"pending",
        Direct = RECALLITE_EFFECTIVE_DIRECT c"direct",
    }
}

/// The stable name of a resolution kind, for example "confirmed";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_resolution_kind_name(kind: i32) -> *const c_char {
    word::name::<ResolutionKind>(kind)
}

/// The stable name of an effective status, for example "resolved";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_effective_status_name(status: i32) -> *const c_char {
    word::name::<EffectiveStatus>(status)
}

/// An event whose context is missing.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_placeholder {
    /// Its identity.
    pub id: recallite_str,
    /// The event that lacks context.
    pub event_id: recallite_str,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_ms: i64,
}

/// Several placeholders. Free it with recallite_placeholder_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_placeholder_list {
    /// Pointers to the placeholders.
    pub items: *const *const recallite_placeholder,
    /// How many.
    pub len: usize,
}

/// An answer to what an uncertain memory means.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_memory_resolution {
    /// The uncertain memory.
    pub condition_id: recallite_str,
    /// What it may mean; absent for nothing.
    pub resolved_to: recallite_str,
    /// How sure, from 0 to 1.
    pub confidence: f64,
    /// When it was answered, in milliseconds since 1970 UTC.
    pub resolved_ms: i64,
    /// What became of it: one of recallite_resolution_kind.
    pub kind: i32,
}

/// Several resolutions. Free it with recallite_memory_resolution_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_memory_resolution_list {
    /// Pointers to the resolutions.
    pub items: *const *const recallite_memory_resolution,
    /// How many.
    pub len: usize,
}

/// What a memory means now. Free it with recallite_effective_memory_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_effective_memory {
    /// The memory to show.
    pub effective_id: recallite_str,
    /// How that was found: one of recallite_effective_status.
    pub status: i32,
}

/// Answers what an uncertain memory (an event, entry or condition, by its id)
/// means. The last answer counts.
///
/// @param[in] memory the memory.
/// @param[in] memory_id the uncertain memory.
/// @param[in] kind the answer: one of recallite_resolution_kind.
/// @param[in] resolved_to what it may mean; needed for
///     RECALLITE_MEMORY_CONFIRMED, otherwise it may be absent.
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
        let kind = word::word("kind", kind)?;
        memory
            .knowledge()
            .resolve_memory(memory_id, kind, resolved_to, confidence)
            .map_err(|error| match error.argument() {
                Some("memory") => renamed("memory_id", error),
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
        placeholders.set(give_list!(recallite_placeholder_list, found, placeholder));
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
        resolutions.set(give_list!(
            recallite_memory_resolution_list,
            found,
            resolution
        ));
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
        meaning.set(owned::give(|parts| effective_memory(parts, found)));
        Ok(())
    })
}

/// Frees a list of placeholders. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_placeholder_list_free(
    placeholders: *mut recallite_placeholder_list,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(placeholders) });
}

/// Frees a list of answers. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_memory_resolution_list_free(
    resolutions: *mut recallite_memory_resolution_list,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(resolutions) });
}

/// Frees what a memory means. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_effective_memory_free(meaning: *mut recallite_effective_memory) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(meaning) });
}

fn placeholder(parts: &mut Parts, placeholder: Placeholder) -> recallite_placeholder {
    recallite_placeholder {
        id: parts.text(placeholder.id),
        event_id: parts.text(placeholder.event_id),
        created_ms: placeholder.created_at.millis(),
    }
}

fn resolution(parts: &mut Parts, resolution: MemoryResolution) -> recallite_memory_resolution {
    recallite_memory_resolution {
        condition_id: parts.text(resolution.condition_id),
        resolved_to: parts.optional(resolution.resolved_to),
        confidence: resolution.confidence,
        resolved_ms: resolution.resolved_at.millis(),
        kind: number(resolution.kind),
    }
}

fn effective_memory(parts: &mut Parts, meaning: EffectiveMemory) -> recallite_effective_memory {
    recallite_effective_memory {
        effective_id: parts.text(meaning.effective_id),
        status: number(meaning.status),
    }
}
