//! Reading events back: one, many by a cursor, and what is new.

use recallite::{Error, ErrorCode, Event, EventFilter, Memory, Result, Seq};

use crate::call::{guard_free, out, panic_error, report, with_memory};
use crate::error::{Failure, recallite_error};
use crate::generated::*;
use crate::handle::{CURSORS, MEMORIES};
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::{give_list, give_one};
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words;

/// Which events recallite_events gives. Begin with
/// RECALLITE_INIT(recallite_event_filter); a field that is zero narrows nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_event_filter {
    /// sizeof(recallite_event_filter).
    pub struct_size: usize,
    /// Only this session.
    pub session: recallite_str,
    /// The project for RECALLITE_SCOPE_NAMED; absent otherwise.
    pub project: recallite_str,
    /// Only these kinds, each one of recallite_event_kind; none means the four
    /// conversation kinds.
    pub kinds: *const i32,
    /// How many kinds.
    pub kinds_len: usize,
    /// Only calls of these tools, at most 64; none means any event.
    pub tools: *const recallite_str,
    /// How many tools.
    pub tools_len: usize,
    /// Only calls of tools on a file whose path contains this, 1 to 1,024 bytes.
    pub file_contains: recallite_str,
    /// Only events at this time or later, in milliseconds since 1970 UTC; read
    /// when has_from is set.
    pub from_ms: i64,
    /// Only events before this time, in milliseconds since 1970 UTC; read when
    /// has_until is set.
    pub until_ms: i64,
    /// At most this many events; 0 for all.
    pub limit: usize,
    /// Which projects: one of recallite_scope.
    pub scope: i32,
    /// Whether from_ms is given.
    pub has_from: c_bool,
    /// Whether until_ms is given.
    pub has_until: c_bool,
    /// Newest first instead of oldest first.
    pub newest_first: c_bool,
    /// Only calls of tools that ended so: one of recallite_tool_outcome.
    pub tool_outcome: i32,
}

// SAFETY: repr(C), the size comes first, and integers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_event_filter {
    const FIRST_SIZE: usize = size_of::<recallite_event_filter>();
}

/// Events that are read one after the other. Every thread may use it; each
/// event is given to one of them.
pub struct recallite_event_cursor {
    _opaque: [u8; 0],
}

/// Reads an event by id or citation.
///
/// @param[in] memory the memory.
/// @param[in] event an event id, "a7Bc3x", "mem:a7Bc3x" or "[mem:a7Bc3x]".
/// @param[out] found the event, to be freed with recallite_event_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when event is neither an id nor a
///     citation, RECALLITE_NOT_FOUND when there is no such event or it was
///     forgotten, RECALLITE_CORRUPT or RECALLITE_IO when it cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_get(
    memory: *mut recallite_memory,
    event: recallite_str,
    found: *mut *mut recallite_event,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (wanted, found) = unsafe { (input::event_ref("event", event)?, out("found", found)?) };
        let event = existing("event", memory.event(wanted)?)?;
        found.set(give_one(event));
        Ok(())
    })
}

/// Reads an event by its position in the log.
///
/// @param[in] memory the memory.
/// @param[in] seq the position, from 1 on.
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
        let event = existing("seq", memory.event(Seq(seq))?)?;
        found.set(give_one(event));
        Ok(())
    })
}

/// Events in the order of time that fit a filter, read as they are asked for.
/// Each step sees what is stored at that moment: an event that was forgotten or
/// erased before the step is not given, and one that was appended meanwhile is,
/// when its place is still ahead.
///
/// @param[in] memory the memory.
/// @param[in] filter which; NULL for every conversation event of the memory's
///     project, oldest first.
/// @param[out] cursor give it to recallite_event_cursor_next, and free it with
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
    // The cursor shares the memory's poison flag, so the handle itself is needed.
    let handle = MEMORIES.get("memory", memory.cast());
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (filter, cursor) = unsafe {
            let filter = input::read_or_default("filter", filter)?;
            (event_filter(&filter)?, out("cursor", cursor)?)
        };
        let events = memory.events(filter)?;
        cursor.set(CURSORS.add(handle?.cursor(events))?.cast());
        Ok(())
    })
}

/// Reads the next event.
///
/// @param[in] cursor the cursor.
/// @param[out] next the event, to be freed with recallite_event_free; NULL at
///     the end.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CLOSED when the memory was closed; RECALLITE_CORRUPT or
///     RECALLITE_IO when the event cannot be read: the cursor is at its end then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_cursor_next(
    cursor: *mut recallite_event_cursor,
    next: *mut *mut recallite_event,
    error: *mut *mut recallite_error,
) -> recallite_status {
    let outcome = crate::call::catch(|| {
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

/// Frees a cursor. NULL and a cursor that was freed before are fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_cursor_free(cursor: *mut recallite_event_cursor) {
    guard_free(|| drop(CURSORS.remove(cursor.cast())));
}

/// Events after a position of the log, in log order, of every kind and
/// project: what a viewer or a cache needs to follow the store.
///
/// @param[in] memory the memory.
/// @param[in] after the last position that is known; 0 for none.
/// @param[in] limit at most this many events.
/// @param[out] events the events, to be freed with recallite_event_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_changes_since(
    memory: *mut recallite_memory,
    after: u64,
    limit: usize,
    events: *mut *mut recallite_event_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory: &Memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let events = unsafe { out("events", events) }?;
        let found = memory.changes_since(Seq(after), limit)?;
        events.set(give_list(found));
        Ok(())
    })
}

fn existing(argument: &str, event: Option<Event>) -> Result<Event> {
    event.ok_or_else(|| {
        Error::new(
            ErrorCode::NotFound,
            format!("{argument}: there is no such event, or it was forgotten"),
        )
        .with_argument(argument)
    })
}

/// # Safety
/// The texts and kinds of `filter` are absent or readable.
pub(crate) unsafe fn event_filter(filter: &recallite_event_filter) -> Result<EventFilter> {
    let mut wanted = EventFilter::new();
    // SAFETY: the caller keeps the same condition, for each text below.
    unsafe {
        wanted.session = filter.session.optional("session")?.map(str::to_owned);
        wanted.project = input::scope("scope", filter.scope, "project", filter.project)?;
        wanted.kinds = input::kinds("kinds", filter.kinds, filter.kinds_len)?;
        wanted.tools = input::owned_texts("tools", filter.tools, filter.tools_len)?;
        wanted.file_contains = filter
            .file_contains
            .optional("file_contains")?
            .map(str::to_owned);
    }
    wanted.from = input::time("from", filter.has_from, filter.from_ms)?;
    wanted.until = input::time("until", filter.has_until, filter.until_ms)?;
    wanted.tool_outcome = words::optional("tool_outcome", filter.tool_outcome)?;
    wanted.newest_first = boolean("newest_first", filter.newest_first)?;
    wanted.limit = (filter.limit != 0).then_some(filter.limit);
    Ok(wanted)
}
