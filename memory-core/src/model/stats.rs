//! Figures about a store: how much each layer holds and when it last changed.

use super::time::Timestamp;

/// Figures about a store, returned by [`crate::Memory::stats`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of live events of every kind.
    pub events: u64,
    /// The number of live prompts.
    pub prompts: u64,
    /// The number of live responses.
    pub responses: u64,
    /// The number of live session summaries.
    pub summaries: u64,
    /// The number of live tool observations.
    pub tools: u64,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of projects, not counting "no project".
    pub projects: u64,
    /// The number of forgotten events.
    pub forgotten: u64,
    /// The number of erased events.
    pub erased: u64,
    /// The last position of the log; 0 if the store is empty.
    pub last_seq: u64,
    /// The time of the oldest live event.
    pub oldest: Option<Timestamp>,
    /// The time of the newest live event.
    pub newest: Option<Timestamp>,
    /// The size of the text in live events, in bytes.
    pub payload_bytes: u64,
    /// The size of the records in the log, in bytes.
    pub log_bytes: u64,
    /// The size of all files of the store, in bytes.
    pub size_bytes: u64,
    /// The size above which receipts carry a warning, in bytes.
    pub quota_bytes: u64,
    /// Whether the store is larger than its quota.
    pub is_over_quota: bool,
    /// When something was last appended.
    pub last_append: Option<Timestamp>,
    /// The number of sessions that are paused; see [`Pauses::list`](crate::Pauses::list).
    pub paused_sessions: u64,
    /// The number of projects that are paused.
    pub paused_projects: u64,
    /// What the privacy filter has removed so far.
    pub privacy: PrivacyTotals,
    /// The state of the lexical index.
    pub lexical: LexicalStats,
    /// The vectors and jobs of the active embedder; `None` until one is configured.
    pub embedding: Option<EmbeddingStats>,
    /// What was learned: one item for each derived layer.
    pub layers: Vec<LayerStats>,
    /// How often memories were given to agents, and whether they were used.
    pub injections: InjectionStats,
    /// The number of erasures that are not complete; normally 0. `unclean_places` says what
    /// they wait for, and `maintain` continues them.
    pub open_erasures: u64,
    /// How many of these are yet to be carried out, because the process that ordered them was
    /// killed or failed; `maintain` without a time limit does.
    pub requested_erasures: u64,
    /// Files that may still contain text that was to be erased, in plain words.
    pub unclean_places: Vec<String>,
}

/// The state of one derived layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerStats {
    /// The name of the layer, for example `tasks` or `working_set`.
    pub name: &'static str,
    /// The number of items in it.
    pub size: u64,
    /// The number of items that `maintain` has yet to move into it.
    pub backlog: u64,
    /// When it last changed; `None` if it never did.
    pub last_moved: Option<Timestamp>,
}

/// How often context was given to agents, and whether later responses used it.
///
/// An injected text counts as reused if one of the next three responses of the session,
/// within a day, contains a good part of those of its words that were not in the query; see
/// `docs/recall.md`. This is an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InjectionStats {
    /// How many times context was given.
    pub injections: u64,
    /// The number of memories given, in total.
    pub memories: u64,
    /// The number of tokens given, in total.
    pub tokens: u64,
    /// The number of injections that were followed by a response.
    pub judged: u64,
    /// The number of injections of which at least one memory was reused.
    pub reused: u64,
    /// The number of memories in the injections counted by `judged`.
    pub judged_memories: u64,
    /// The number of memories that were reused.
    pub reused_memories: u64,
    /// When context was last given.
    pub last: Option<Timestamp>,
}

/// What the privacy filter has removed, over the whole store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivacyTotals {
    /// The number of private sections.
    pub private_sections: u64,
    /// The number of sessions with at least one private section.
    pub sessions: u64,
    /// The number of masked secrets.
    pub secrets_masked: u64,
    /// The number of bytes that were not stored because of the filter.
    pub bytes_filtered: u64,
}

/// The state of the lexical index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LexicalStats {
    /// The number of immutable segments.
    pub segments: u64,
    /// The number of events in segments.
    pub flushed_events: u64,
    /// The number of events in the memtable, waiting to be flushed. Searches find them too.
    pub memtable_events: u64,
    /// When events were last flushed to a segment.
    pub last_flush: Option<Timestamp>,
    /// The number of segments that a search of this process found damaged. Searches skip
    /// them, and their results are marked as degraded, until the index is rebuilt.
    pub damaged_segments: u64,
    /// The number of events in the memtable whose index entry is damaged. Searches skip
    /// them in the same way.
    pub damaged_events: u64,
}

/// The state of the embedding of events, for the active embedder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbeddingStats {
    /// The embedding version: the embedder's id and fingerprint.
    pub version: String,
    /// The number of dimensions of each vector.
    pub dimensions: u32,
    /// The number of stored vectors of events.
    pub vectors: u64,
    /// The number of waiting jobs.
    pub pending: u64,
    /// The number of jobs that a worker is processing.
    pub processing: u64,
    /// The number of jobs that are done and not yet cleaned up.
    pub done: u64,
    /// The number of jobs whose last attempt failed. Ten or more suggest that the embedder
    /// is broken.
    pub failed: u64,
    /// The number of log positions from before this embedder was configured, and of learned
    /// items that were written or changed, that have yet to be looked through.
    pub to_enqueue: u64,
    /// The average duration of successful jobs, in milliseconds.
    pub average_processing_ms: Option<u64>,
    /// When a job was last completed.
    pub last_processed: Option<Timestamp>,
    /// When the oldest waiting job was enqueued. If that was an hour ago, nothing is
    /// calling the worker.
    pub oldest_pending: Option<Timestamp>,
    /// The number of vectors in graphs of this process, which its searches use; see
    /// [`vector_graph_from`](crate::MemoryBuilder::vector_graph_from).
    pub graph_vectors: u64,
    /// The number of vectors in files that are large enough for a graph but whose graph
    /// this process has not finished. Vectors that `maintain` has already added to a graph
    /// are not counted.
    pub graph_waiting: u64,
}
