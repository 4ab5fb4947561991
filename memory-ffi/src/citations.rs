//! Citations: an event with its neighbours and its use, the most used ones, and
//! who was given one.

use recallite::{CitationDetail, CitationNeighbour, PopularCitation};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::event::{self, recallite_event};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::{recallite_str, recallite_string_list};

/// An event that stands beside a cited one.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_citation_neighbour {
    /// The event's id, 36 characters.
    pub id: recallite_str,
    /// Its citation, for example "a7Bc3x"; people read [mem:a7Bc3x].
    pub citation: recallite_str,
    /// When it happened, in milliseconds since 1970 UTC.
    pub timestamp_ms: i64,
    /// What it records: one of recallite_event_kind.
    pub kind: i32,
    /// One line of at most 200 characters.
    pub preview: recallite_str,
}

/// A cited event with what stands beside it and how it was used. Free it with
/// recallite_citation_detail_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_citation_detail {
    /// The event.
    pub event: *const recallite_event,
    /// The event before it in its session; NULL when there is none.
    pub previous: *const recallite_citation_neighbour,
    /// The event after it in its session; NULL when there is none.
    pub next: *const recallite_citation_neighbour,
    /// How often it was given to an agent as context.
    pub usage_count: u64,
    /// When it was last given, in milliseconds since 1970 UTC; 0 unless
    /// has_last_used.
    pub last_used_ms: i64,
    /// Whether it was ever given.
    pub has_last_used: bool,
}

/// A citation that was given to agents.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_popular_citation {
    /// The event's id, 36 characters.
    pub id: recallite_str,
    /// Its citation, for example "a7Bc3x"; people read [mem:a7Bc3x].
    pub citation: recallite_str,
    /// Its position in the log.
    pub seq: u64,
    /// What it records: one of recallite_event_kind.
    pub kind: i32,
    /// Its session.
    pub session: recallite_str,
    /// One line of at most 100 characters.
    pub preview: recallite_str,
    /// How often it was given in the window.
    pub usage_count: u64,
    /// When it was last given, in milliseconds since 1970 UTC.
    pub last_used_ms: i64,
}

/// Several citations. Free it with recallite_popular_citation_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_popular_citation_list {
    /// Pointers to the citations, the most used first.
    pub items: *const *const recallite_popular_citation,
    /// How many.
    pub len: usize,
}

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
        detail.set(owned::give(|parts| view(parts, found)));
        Ok(())
    })
}

/// Frees a cited event and what stands beside it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_citation_detail_free(detail: *mut recallite_citation_detail) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(detail) });
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
        citations.set(owned::give(|parts| {
            let (items, len) = parts.list(found, popular);
            recallite_popular_citation_list { items, len }
        }));
        Ok(())
    })
}

/// Frees a list of citations. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_popular_citation_list_free(
    citations: *mut recallite_popular_citation_list,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(citations) });
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
            let (items, len) = parts.texts(found);
            recallite_string_list { items, len }
        }));
        Ok(())
    })
}

fn view(parts: &mut Parts, detail: CitationDetail) -> recallite_citation_detail {
    let event = event::event(parts, detail.event);
    let mut beside = |neighbour: Option<CitationNeighbour>| match neighbour {
        Some(neighbour) => {
            let view = recallite_citation_neighbour {
                id: parts.text(neighbour.id.to_string()),
                citation: parts.text(neighbour.citation.as_str()),
                timestamp_ms: neighbour.timestamp.millis(),
                kind: neighbour.kind.number().into(),
                preview: parts.text(neighbour.preview),
            };
            parts.one(view)
        }
        None => std::ptr::null(),
    };
    let (previous, next) = (beside(detail.previous), beside(detail.next));
    recallite_citation_detail {
        event: parts.one(event),
        previous,
        next,
        usage_count: detail.usage_count,
        last_used_ms: detail.last_used.map_or(0, |time| time.millis()),
        has_last_used: detail.last_used.is_some(),
    }
}

fn popular(parts: &mut Parts, citation: PopularCitation) -> recallite_popular_citation {
    recallite_popular_citation {
        id: parts.text(citation.id.to_string()),
        citation: parts.text(citation.citation.as_str()),
        seq: citation.seq.0,
        kind: citation.kind.number().into(),
        session: parts.text(citation.session),
        preview: parts.text(citation.preview),
        usage_count: citation.usage_count,
        last_used_ms: citation.last_used.millis(),
    }
}
