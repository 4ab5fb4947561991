//! Figures about a store.

use recallite::{Stats, Timestamp};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::open::recallite_memory;
use crate::owned;
use crate::status::recallite_status;

/// What the privacy filter took out of the whole store.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_privacy_totals {
    /// Private sections.
    pub private_sections: u64,
    /// Masked secrets.
    pub secrets_masked: u64,
    /// Bytes that were not stored because of it.
    pub bytes_filtered: u64,
}

/// How the lexical index stands.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_lexical_stats {
    /// Immutable segments.
    pub segments: u64,
    /// Events in them.
    pub folded_events: u64,
    /// Events that wait in the tail; they are found as well.
    pub tail_events: u64,
    /// When events were last folded into a segment, in milliseconds since 1970
    /// UTC; 0 unless has_last_fold.
    pub last_fold_ms: i64,
    /// Whether events were folded yet.
    pub has_last_fold: bool,
}

/// Figures about a store: how much each layer holds and when it last moved.
/// Free it with recallite_stats_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_stats {
    /// Live events of every kind.
    pub events: u64,
    /// Live prompts.
    pub prompts: u64,
    /// Live responses.
    pub responses: u64,
    /// Live session summaries.
    pub summaries: u64,
    /// Live tool observations.
    pub tools: u64,
    /// Sessions.
    pub sessions: u64,
    /// Projects, not counting "no project".
    pub projects: u64,
    /// Events that were forgotten.
    pub forgotten: u64,
    /// Events that were erased.
    pub erased: u64,
    /// The last position of the log; 0 in an empty store.
    pub last_seq: u64,
    /// Bytes of text in live events.
    pub payload_bytes: u64,
    /// Bytes of records in the log.
    pub log_bytes: u64,
    /// Bytes of all files of the store.
    pub size_bytes: u64,
    /// The time of the oldest live event, in milliseconds since 1970 UTC; 0
    /// unless has_events_time.
    pub oldest_ms: i64,
    /// The time of the newest live event, in milliseconds since 1970 UTC; 0
    /// unless has_events_time.
    pub newest_ms: i64,
    /// When something was last appended, in milliseconds since 1970 UTC; 0
    /// unless has_last_append.
    pub last_append_ms: i64,
    /// What the privacy filter took out so far.
    pub privacy: recallite_privacy_totals,
    /// The lexical index.
    pub lexical: recallite_lexical_stats,
    /// Whether there is a live event, and so oldest_ms and newest_ms.
    pub has_events_time: bool,
    /// Whether something was ever appended.
    pub has_last_append: bool,
}

/// Figures about the store: how much each layer holds and when it last moved.
///
/// @param[in] memory the memory.
/// @param[out] stats the figures, to be freed with recallite_stats_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_stats_get(
    memory: *mut recallite_memory,
    stats: *mut *mut recallite_stats,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let stats = unsafe { out("stats", stats) }?;
        let figures = memory.stats()?;
        stats.set(owned::give(|_| view(&figures)));
        Ok(())
    })
}

/// Frees figures that the caller owns. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_stats_free(stats: *mut recallite_stats) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(stats) });
}

fn view(stats: &Stats) -> recallite_stats {
    let millis = |time: Option<Timestamp>| time.map_or(0, |time| time.millis());
    recallite_stats {
        events: stats.events,
        prompts: stats.prompts,
        responses: stats.responses,
        summaries: stats.summaries,
        tools: stats.tools,
        sessions: stats.sessions,
        projects: stats.projects,
        forgotten: stats.forgotten,
        erased: stats.erased,
        last_seq: stats.last_seq,
        payload_bytes: stats.payload_bytes,
        log_bytes: stats.log_bytes,
        size_bytes: stats.size_bytes,
        oldest_ms: millis(stats.oldest),
        newest_ms: millis(stats.newest),
        last_append_ms: millis(stats.last_append),
        privacy: recallite_privacy_totals {
            private_sections: stats.privacy.private_sections,
            secrets_masked: stats.privacy.secrets_masked,
            bytes_filtered: stats.privacy.bytes_filtered,
        },
        lexical: recallite_lexical_stats {
            segments: stats.lexical.segments,
            folded_events: stats.lexical.folded_events,
            tail_events: stats.lexical.tail_events,
            last_fold_ms: millis(stats.lexical.last_fold),
            has_last_fold: stats.lexical.last_fold.is_some(),
        },
        has_events_time: stats.oldest.is_some() && stats.newest.is_some(),
        has_last_append: stats.last_append.is_some(),
    }
}
