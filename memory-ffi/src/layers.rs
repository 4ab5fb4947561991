//! What happened around an event, and an event in full.

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::give_list;
use crate::status::recallite_status;
use crate::text::recallite_str;

/// How many items before and after its target a timeline shows by default in
/// the other languages.
pub const RECALLITE_DEFAULT_WINDOW: usize = 3;

/// What happened around some events: each with up to window events before and
/// after it in its session, without repetition, in the order of time. Events
/// that do not exist are left out.
///
/// @param[in] memory the memory.
/// @param[in] events ids or citations.
/// @param[in] events_len how many.
/// @param[in] window how many events on each side, 0 to 100;
///     RECALLITE_DEFAULT_WINDOW is a good choice.
/// @param[out] timeline the items, to be freed with
///     recallite_timeline_item_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when window is too large or an event is
///     neither an id nor a citation; RECALLITE_CORRUPT or RECALLITE_IO when the
///     store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_timeline(
    memory: *mut recallite_memory,
    events: *const recallite_str,
    events_len: usize,
    window: usize,
    timeline: *mut *mut recallite_timeline_item_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (events, timeline) = unsafe {
            (
                input::event_refs("events", events, events_len)?,
                out("timeline", timeline)?,
            )
        };
        let found = memory.timeline(&events, window)?;
        timeline.set(give_list(found));
        Ok(())
    })
}

/// Events in full, in the order asked for, with the events they belong to.
///
/// @param[in] memory the memory.
/// @param[in] events ids or citations.
/// @param[in] events_len how many.
/// @param[out] details the details, to be freed with
///     recallite_detail_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND naming the first event that does not exist;
///     RECALLITE_INVALID_ARGUMENT when one is neither an id nor a citation;
///     RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_details(
    memory: *mut recallite_memory,
    events: *const recallite_str,
    events_len: usize,
    details: *mut *mut recallite_detail_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (events, details) = unsafe {
            (
                input::event_refs("events", events, events_len)?,
                out("details", details)?,
            )
        };
        let found = memory.details(&events)?;
        details.set(give_list(found));
        Ok(())
    })
}
