//! What happened around an event, and an event in full.

use recallite::{Detail, EventId, TimelineItem};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::event::{self, recallite_event};
use crate::input;
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// How many items before and after its target a timeline shows by default in
/// the other languages.
pub const RECALLITE_DEFAULT_WINDOW: usize = 3;

/// One event of a timeline.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_timeline_item {
    /// The event's id, 36 characters.
    pub id: recallite_str,
    /// Its citation, for example "a7Bc3x"; people read [mem:a7Bc3x].
    pub citation: recallite_str,
    /// Its position in the log.
    pub seq: u64,
    /// When it happened, in milliseconds since 1970 UTC.
    pub timestamp_ms: i64,
    /// What it records: one of recallite_event_kind.
    pub kind: i32,
    /// Its session.
    pub session: recallite_str,
    /// Who said or did it.
    pub actor: recallite_str,
    /// One line of at most 200 characters.
    pub preview: recallite_str,
    /// Whether it is one of the events that were asked for.
    pub is_target: bool,
}

/// A timeline. Free it with recallite_timeline_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_timeline_list {
    /// Pointers to the items, in the order of time.
    pub items: *const *const recallite_timeline_item,
    /// How many.
    pub len: usize,
}

/// One event in full, with what stands beside it.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_detail {
    /// The event.
    pub event: *const recallite_event,
    /// Estimated tokens of its content.
    pub token_count: usize,
    /// Paths of files that the content names.
    pub files: *const recallite_str,
    /// How many files.
    pub files_len: usize,
    /// Tools that the content names.
    pub tools: *const recallite_str,
    /// How many tools.
    pub tools_len: usize,
    /// Id of the prompt that a response or tool observation answers; absent
    /// when there is none.
    pub parent: recallite_str,
    /// Id of the event before it in the session; absent when there is none.
    pub previous: recallite_str,
    /// Id of the event after it in the session; absent when there is none.
    pub next: recallite_str,
    /// Ids of the responses and tool observations that a prompt led to.
    pub children: *const recallite_str,
    /// How many children.
    pub children_len: usize,
    /// Whether the content holds a fenced block of code.
    pub has_code: bool,
}

/// Several details. Free it with recallite_detail_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_detail_list {
    /// Pointers to the details, in the order asked for.
    pub items: *const *const recallite_detail,
    /// How many.
    pub len: usize,
}

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
///     recallite_timeline_list_free.
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
    timeline: *mut *mut recallite_timeline_list,
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
        timeline.set(owned::give(|parts| {
            let (items, len) = parts.list(found, item);
            recallite_timeline_list { items, len }
        }));
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
        details.set(owned::give(|parts| {
            let (items, len) = parts.list(found, detail);
            recallite_detail_list { items, len }
        }));
        Ok(())
    })
}

/// Frees a timeline. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_timeline_list_free(timeline: *mut recallite_timeline_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(timeline) });
}

/// Frees a list of details and the events in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_detail_list_free(details: *mut recallite_detail_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(details) });
}

pub(crate) fn item(parts: &mut Parts, item: TimelineItem) -> recallite_timeline_item {
    recallite_timeline_item {
        id: parts.text(item.id.to_string()),
        citation: parts.text(item.citation.as_str()),
        seq: item.seq.0,
        timestamp_ms: item.timestamp.millis(),
        kind: item.kind.number().into(),
        session: parts.text(item.session),
        actor: parts.text(item.actor),
        preview: parts.text(item.preview),
        is_target: item.is_target,
    }
}

pub(crate) fn detail(parts: &mut Parts, detail: Detail) -> recallite_detail {
    let id = |id: EventId| id.to_string();
    let event = event::event(parts, detail.event);
    let (files, files_len) = parts.texts(detail.files);
    let (tools, tools_len) = parts.texts(detail.tools);
    let (children, children_len) = parts.texts(detail.relations.children.into_iter().map(id));
    recallite_detail {
        event: parts.one(event),
        token_count: detail.token_count,
        files,
        files_len,
        tools,
        tools_len,
        parent: parts.optional(detail.relations.parent.map(id)),
        previous: parts.optional(detail.relations.previous.map(id)),
        next: parts.optional(detail.relations.next.map(id)),
        children,
        children_len,
        has_code: detail.has_code,
    }
}
