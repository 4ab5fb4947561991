//! Shows events in the store's page to a callback.

use std::ffi::c_void;
use std::ops::ControlFlow;

use recallite::{Error, EventView, Result, ToolView};

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::handle::recallite_memory;
use crate::input;
use crate::owned::{Parts, Show as _};
use crate::text::recallite_str;
use crate::words;

/// Receives a view of an event in the store's page.
///
/// It is called during the call that it was passed to and on the same thread. It may call
/// the library. It must return: no exception and no longjmp.
///
/// event and its texts are valid during the callback only. The texts are not copied: no
/// zero byte follows them. canonical_key is absent; recallite_canonical_key computes it.
/// Return 0 to continue, anything else to end the visit.
pub type recallite_event_callback =
    Option<unsafe extern "C" fn(event: *const recallite_event, user_data: *mut c_void) -> i32>;

/// The caller's function.
struct Visitor {
    visit: unsafe extern "C" fn(*const recallite_event, *mut c_void) -> i32,
    user_data: *mut c_void,
}

impl Visitor {
    fn new(visit: recallite_event_callback, user_data: *mut c_void) -> Result<Visitor> {
        let visit = visit.ok_or_else(|| Error::invalid("visit", "must not be NULL"))?;
        Ok(Visitor { visit, user_data })
    }

    /// # Safety
    /// The function can be called until the end of the call.
    unsafe fn show(&self, event: &EventView<'_>) -> ControlFlow<()> {
        let id = event.id().to_string();
        let tool = event.tool().map(|tool| tool_record(&tool));
        let mut parts = Parts::default();
        let privacy = event.privacy().show(&mut parts);
        let shown = recallite_event {
            id: borrowed(&id),
            seq: event.seq().0,
            citation: borrowed(event.citation()),
            kind: words::number(&event.kind()),
            session: borrowed(event.session()),
            project: borrowed(event.project()),
            actor: borrowed(event.actor()),
            origin: words::number(&event.origin()),
            timestamp_ms: event.timestamp().millis(),
            content: borrowed(event.content()),
            canonical_key: recallite_str::ABSENT,
            metadata_json: optional(event.metadata()),
            tool: tool.as_ref().map_or(std::ptr::null(), std::ptr::from_ref),
            privacy: &raw const privacy,
        };
        // SAFETY: a function of the caller with this signature, within the call; what
        // is shown lives during the callback.
        match unsafe { (self.visit)(&raw const shown, self.user_data) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

fn borrowed(text: &str) -> recallite_str {
    recallite_str {
        ptr: text.as_ptr().cast(),
        len: text.len(),
    }
}

fn optional(text: Option<&str>) -> recallite_str {
    text.map_or(recallite_str::ABSENT, borrowed)
}

fn tool_record(tool: &ToolView<'_>) -> recallite_tool_record {
    recallite_tool_record {
        name: borrowed(tool.name()),
        input_json: optional(tool.input()),
        output: borrowed(tool.output()),
        duration_ms: tool.duration_ms().unwrap_or_default(),
        has_duration_ms: tool.duration_ms().is_some(),
        success: tool.success(),
        error: optional(tool.error()),
        prompt_index: tool.prompt_index().unwrap_or_default(),
        has_prompt_index: tool.prompt_index().is_some(),
        tool_index: tool.tool_index().unwrap_or_default(),
        has_tool_index: tool.tool_index().is_some(),
        metadata_json: borrowed(tool.metadata()),
    }
}

/// Calls visit with a view of an event in the store's page. No text is copied, which
/// matters for large events and for many of them.
///
/// Growth: Constant.
///
/// @param[in] memory the memory.
/// @param[in] event an event id, "a7Bc3x", "mem:a7Bc3x" or "[mem:a7Bc3x]".
/// @param[in] visit called once; its return value is ignored.
/// @param[in] user_data passed to visit.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_event_get, without having called visit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_visit(
    memory: *mut recallite_memory,
    event: recallite_str,
    visit: recallite_event_callback,
    user_data: *mut c_void,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let wanted = unsafe { input::event_ref("event", event)? };
        let visitor = Visitor::new(visit, user_data)?;
        let looked = memory.views().event(wanted, |event| {
            // SAFETY: within the call.
            let _ = unsafe { visitor.show(event) };
        })?;
        input::existing("event", looked)
    })
}

/// Calls visit with a view of each event that recallite_events would return, in the same
/// order and without copying. Events that visit forgets or erases are no longer visited.
/// Changes by other processes may be noticed a millisecond late.
///
/// Growth: By result, as recallite_event_cursor_next.
///
/// @param[in] memory the memory.
/// @param[in] filter which events; NULL for every conversation event of the memory's
///     project, oldest first.
/// @param[in] visit called for each event, until it returns anything other than 0.
/// @param[in] user_data passed to visit.
/// @param[out] visited the number of events that were visited; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_events; RECALLITE_CLOSED when the memory was closed
///     meanwhile. What was shown before stays shown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_events_visit(
    memory: *mut recallite_memory,
    filter: *const recallite_event_filter,
    visit: recallite_event_callback,
    user_data: *mut c_void,
    visited: *mut u64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (filter, visited) = unsafe {
            (
                recallite_event_filter::taken("filter", filter)?,
                optional_out("visited", visited)?,
            )
        };
        let visitor = Visitor::new(visit, user_data)?;
        // SAFETY: within the call.
        let count = memory
            .views()
            .scan(&filter, |event| unsafe { visitor.show(event) })?;
        visited.set(count);
        Ok(())
    })
}
