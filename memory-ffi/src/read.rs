//! Reading events: one at a time, or many with a cursor.

use recallite::Seq;

use crate::call::{out, report, with_handle, with_memory};
use crate::error::{Failure, recallite_error};
use crate::generated::*;
use crate::handle::{CURSORS, recallite_memory};
use crate::input;
use crate::owned::give_one;
use crate::panics::{catch, guard_free, panic_error};

/// The number of items that a timeline shows before and after an event by default in the
/// other languages.
pub const RECALLITE_DEFAULT_WINDOW: usize = 3;

/// A cursor over events, which are read one after the other. Every thread can use it; each
/// event is returned to one of them.
pub struct recallite_event_cursor {
    _opaque: [u8; 0],
}

/// Returns an event by its position in the log.
///
/// Growth: Constant.
///
/// @param[in] memory the memory.
/// @param[in] seq the position, starting at 1.
/// @param[out] found the event, to be freed with recallite_event_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no event at this position or it
///     was forgotten, RECALLITE_CORRUPT or RECALLITE_IO when it cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_at(
    memory: *mut recallite_memory,
    seq: u64,
    found: *mut *mut recallite_event,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let found = unsafe { out("found", found) }?;
        let event = input::existing("seq", memory.event(Seq(seq))?)?;
        found.set(give_one(event));
        Ok(())
    })
}

/// Opens a cursor over the events that match a filter, in order of time. Events are read
/// one by one as the cursor advances, and each step sees the store as it is at that moment:
/// an event that was forgotten or erased before the step is not returned, and one that was
/// appended in the meantime is, if its place is still ahead.
///
/// Growth: Constant; an offset, by result: like reading that many events under conditions that no
/// index decides.
///
/// @param[in] memory the memory.
/// @param[in] filter which events; NULL for every conversation event of the memory's
///     project, oldest first.
/// @param[out] cursor pass it to recallite_event_cursor_next, and free it with
///     recallite_event_cursor_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a wrong filter; RECALLITE_CORRUPT or
///     RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_events(
    memory: *mut recallite_memory,
    filter: *const recallite_event_filter,
    cursor: *mut *mut recallite_event_cursor,
    error: *mut *mut recallite_error,
) -> recallite_status {
    // The cursor shares the memory's poison flag.
    with_handle(memory, error, |handle| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (filter, cursor) = unsafe {
            (
                recallite_event_filter::taken("filter", filter)?,
                out("cursor", cursor)?,
            )
        };
        let events = handle.memory.events(filter)?;
        cursor.set(CURSORS.add(handle.cursor(events))?.cast());
        Ok(())
    })
}

/// Reads the next event.
///
/// Growth: By result: the rarest of the filter's conditions is walked, one event at a time.
///
/// @param[in] cursor the cursor.
/// @param[out] next the event, to be freed with recallite_event_free; NULL at
///     the end.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CLOSED when the memory was closed, RECALLITE_NEEDS_REOPEN when
///     the process was forked since; RECALLITE_CORRUPT or RECALLITE_IO when the
///     event cannot be read: the cursor is at its end then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_cursor_next(
    cursor: *mut recallite_event_cursor,
    next: *mut *mut recallite_event,
    error: *mut *mut recallite_error,
) -> recallite_status {
    let outcome = catch(|| {
        let handle = CURSORS.get("cursor", cursor.cast())?;
        handle.run(|| {
            // SAFETY: the caller's pointer is valid or NULL, as the header asks.
            let next = unsafe { out("next", next) }?;
            let event = handle.next()?;
            next.set(event.map_or(std::ptr::null_mut(), give_one));
            Ok(())
        })
    });
    match outcome {
        Ok(Ok(())) => recallite_status::RECALLITE_OK,
        Ok(Err(failure)) => report(error, failure),
        Err(_) => report(error, Failure::from(panic_error("free the cursor"))),
    }
}

/// Frees a cursor. NULL and a cursor that was already freed are allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_cursor_free(cursor: *mut recallite_event_cursor) {
    guard_free(|| drop(CURSORS.remove(cursor.cast())));
}
