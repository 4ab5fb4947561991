//! Citations: an event with its neighbours and its use, the most used ones, and
//! who was given one.

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::{self};
use crate::owned::{give_list, give_one};
use crate::status::recallite_status;
use crate::text::{recallite_str, recallite_string_list};

/// Reads an event by what people type, with the events before and after it in
/// its session and with how it was used.
///
/// @param[in] memory the memory.
/// @param[in] text "a7Bc3x", "mem:a7Bc3x", "[mem:a7Bc3x]" or an event id.
/// @param[out] detail the event and what stands beside it, to be freed with
///     recallite_citation_detail_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_event_get.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_citation_detail_get(
    memory: *mut recallite_memory,
    text: recallite_str,
    detail: *mut *mut recallite_citation_detail,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (text, detail) = unsafe { (text.required("text")?, out("detail", detail)?) };
        let found = memory.citations().detail(text)?;
        detail.set(give_one(found));
        Ok(())
    })
}

/// The citations that were given to agents most often, the most used first; of
/// equally used ones the one used last comes first.
///
/// @param[in] memory the memory.
/// @param[in] limit at most this many, 1 to 1,000.
/// @param[in] window_days look only at that many days until now; 0 at all.
/// @param[out] citations the citations, to be freed with
///     recallite_popular_citation_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when limit is out of range;
///     RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_popular_citations(
    memory: *mut recallite_memory,
    limit: usize,
    window_days: u32,
    citations: *mut *mut recallite_popular_citation_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let citations = unsafe { out("citations", citations) }?;
        let window = (window_days != 0).then_some(window_days);
        let found = memory.citations().popular(limit, window)?;
        citations.set(give_list(found));
        Ok(())
    })
}

/// The sessions that an event was given to, each once, the latest first.
///
/// @param[in] memory the memory.
/// @param[in] citation "a7Bc3x", "mem:a7Bc3x", "[mem:a7Bc3x]" or an event id.
/// @param[out] sessions the sessions' names, to be freed with
///     recallite_string_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_event_get.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_citing_sessions(
    memory: *mut recallite_memory,
    citation: recallite_str,
    sessions: *mut *mut recallite_string_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (citation, sessions) =
            unsafe { (citation.required("citation")?, out("sessions", sessions)?) };
        let found = memory.citations().citing_sessions(citation)?;
        sessions.set(owned::give(|parts| {
            let (items, len) = parts.values(found);
            recallite_string_list { items, len }
        }));
        Ok(())
    })
}
