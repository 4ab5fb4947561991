//! Figures about a store.

use recallite::{EmbeddingStats, InjectionStats, LayerStats, Stats, Timestamp};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::recallite_str;

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
    pub flushed_events: u64,
    /// Events that wait in the memtable; they are found as well.
    pub memtable_events: u64,
    /// When events were last flushed into a segment, in milliseconds since 1970
    /// UTC; 0 unless has_last_flush.
    pub last_flush_ms: i64,
    /// Whether events were flushed yet.
    pub has_last_flush: bool,
}

/// How the embedding of events stands, for the memory's embedder.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_embedding_stats {
    /// The embedding version: the embedder's id and fingerprint.
    pub version: recallite_str,
    /// Numbers per vector.
    pub dimensions: u32,
    /// Vectors that are stored.
    pub vectors: u64,
    /// Jobs that wait.
    pub pending: u64,
    /// Jobs that a worker has.
    pub processing: u64,
    /// Jobs that are done and not yet cleaned up.
    pub done: u64,
    /// Jobs whose last attempt failed; ten or more mean that the embedder is
    /// probably broken.
    pub failed: u64,
    /// Positions of the log that were there before this embedder and are still
    /// to be looked through.
    pub to_enqueue: u64,
    /// How long successful jobs took on average, in milliseconds; 0 unless
    /// has_average_processing_ms.
    pub average_processing_ms: u64,
    /// When a job was last done, in milliseconds since 1970 UTC; 0 unless
    /// has_last_processed.
    pub last_processed_ms: i64,
    /// When the oldest waiting job was enqueued, in milliseconds since 1970 UTC;
    /// 0 unless has_oldest_pending. An hour ago means that nothing calls
    /// recallite_process_outbox.
    pub oldest_pending_ms: i64,
    /// Whether a job succeeded yet.
    pub has_average_processing_ms: bool,
    /// Whether a job was done yet.
    pub has_last_processed: bool,
    /// Whether a job waits.
    pub has_oldest_pending: bool,
    /// Vectors in graphs of this process, which its searches use; see
    /// vector_graph_from of recallite_open_options.
    pub graph_vectors: u64,
    /// Vectors in files that are large enough for a graph and whose graph this
    /// process has not finished; what recallite_maintain put into it is not
    /// counted.
    pub graph_waiting: u64,
}

/// How one layer stands that was made from the log.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_layer_stats {
    /// The layer, for example "tasks" or "working_set".
    pub name: recallite_str,
    /// How much it holds.
    pub size: u64,
    /// How much waits to be moved into it by recallite_maintain.
    pub backlog: u64,
    /// When it last moved, in milliseconds since 1970 UTC; 0 unless
    /// has_last_moved.
    pub last_moved_ms: i64,
    /// Whether it ever moved.
    pub has_last_moved: bool,
}

/// What was given to agents as context, and whether later responses took it up.
/// That is an estimate: a text counts as reused when one of the next three
/// responses of the session, within a day, holds a good part of its words that
/// the query did not hold.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_injection_stats {
    /// How often context was given.
    pub injections: u64,
    /// How many memories were given, all times together.
    pub memories: u64,
    /// How many tokens were given, all times together.
    pub tokens: u64,
    /// Injections that a response followed.
    pub judged: u64,
    /// Injections of which at least one memory was reused.
    pub reused: u64,
    /// Memories of the judged injections.
    pub judged_memories: u64,
    /// Memories that were reused.
    pub reused_memories: u64,
    /// When context was last given, in milliseconds since 1970 UTC; 0 unless
    /// has_last.
    pub last_ms: i64,
    /// Whether context was ever given.
    pub has_last: bool,
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
    /// Whether the store is larger than quota_bytes.
    pub is_over_quota: bool,
    /// The size above which receipts warn, in bytes.
    pub quota_bytes: u64,
    /// Segments of the lexical index that a search of this process found
    /// damaged. Searches leave them out and are marked degraded until
    /// recallite_rebuild.
    pub lexical_damaged_segments: u64,
    /// Events in the index's memtable whose entry is damaged; as above.
    pub lexical_damaged_events: u64,
    /// How the embedding of events stands; NULL without an embedder.
    pub embedding: *const recallite_embedding_stats,
    /// Pointers to what was learned: each layer by its name.
    pub layers: *const *const recallite_layer_stats,
    /// How many layers.
    pub layers_len: usize,
    /// What was given to agents, and whether they took it up; never NULL.
    pub injections: *const recallite_injection_stats,
    /// Erasures that are not complete; 0 as a rule. unclean_places says what they
    /// wait for; recallite_maintain goes on with them.
    pub open_erasures: u64,
    /// Files that may still hold erased text, in plain words.
    pub unclean_places: *const recallite_str,
    /// How many unclean places.
    pub unclean_places_len: usize,
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
        stats.set(owned::give(|parts| view(parts, figures)));
        Ok(())
    })
}

/// Frees figures that the caller owns. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_stats_free(stats: *mut recallite_stats) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(stats) });
}

fn millis(time: Option<Timestamp>) -> i64 {
    time.map_or(0, |time| time.millis())
}

fn view(parts: &mut Parts, stats: Stats) -> recallite_stats {
    let embedding = match stats.embedding {
        Some(figures) => {
            let figures = embedding(parts, figures);
            parts.one(figures)
        }
        None => std::ptr::null(),
    };
    let (layers, layers_len) = parts.list(stats.layers, layer);
    let injections = parts.one(injections(&stats.injections));
    let (unclean_places, unclean_places_len) = parts.texts(stats.unclean_places);
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
            flushed_events: stats.lexical.flushed_events,
            memtable_events: stats.lexical.memtable_events,
            last_flush_ms: millis(stats.lexical.last_flush),
            has_last_flush: stats.lexical.last_flush.is_some(),
        },
        has_events_time: stats.oldest.is_some() && stats.newest.is_some(),
        has_last_append: stats.last_append.is_some(),
        is_over_quota: stats.is_over_quota,
        quota_bytes: stats.quota_bytes,
        lexical_damaged_segments: stats.lexical.damaged_segments,
        lexical_damaged_events: stats.lexical.damaged_events,
        embedding,
        layers,
        layers_len,
        injections,
        open_erasures: stats.open_erasures,
        unclean_places,
        unclean_places_len,
    }
}

fn embedding(parts: &mut Parts, figures: EmbeddingStats) -> recallite_embedding_stats {
    recallite_embedding_stats {
        version: parts.text(figures.version),
        dimensions: figures.dimensions,
        vectors: figures.vectors,
        pending: figures.pending,
        processing: figures.processing,
        done: figures.done,
        failed: figures.failed,
        to_enqueue: figures.to_enqueue,
        average_processing_ms: figures.average_processing_ms.unwrap_or(0),
        last_processed_ms: millis(figures.last_processed),
        oldest_pending_ms: millis(figures.oldest_pending),
        has_average_processing_ms: figures.average_processing_ms.is_some(),
        has_last_processed: figures.last_processed.is_some(),
        has_oldest_pending: figures.oldest_pending.is_some(),
        graph_vectors: figures.graph_vectors,
        graph_waiting: figures.graph_waiting,
    }
}

fn layer(parts: &mut Parts, layer: LayerStats) -> recallite_layer_stats {
    recallite_layer_stats {
        name: parts.text(layer.name),
        size: layer.size,
        backlog: layer.backlog,
        last_moved_ms: millis(layer.last_moved),
        has_last_moved: layer.last_moved.is_some(),
    }
}

fn injections(figures: &InjectionStats) -> recallite_injection_stats {
    recallite_injection_stats {
        injections: figures.injections,
        memories: figures.memories,
        tokens: figures.tokens,
        judged: figures.judged,
        reused: figures.reused,
        judged_memories: figures.judged_memories,
        reused_memories: figures.reused_memories,
        last_ms: millis(figures.last),
        has_last: figures.last.is_some(),
    }
}
