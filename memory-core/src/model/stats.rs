//! Figures about a store: how much each layer holds and when it last moved.

use super::time::Timestamp;

/// What [`crate::Memory::stats`] gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
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
    /// The time of the oldest live event.
    pub oldest: Option<Timestamp>,
    /// The time of the newest live event.
    pub newest: Option<Timestamp>,
    /// Bytes of text in live events.
    pub payload_bytes: u64,
    /// Bytes of records in the log.
    pub log_bytes: u64,
    /// Bytes of all files of the store.
    pub size_bytes: u64,
    /// The size above which receipts warn, in bytes.
    pub quota_bytes: u64,
    /// Whether the store is larger than that.
    pub is_over_quota: bool,
    /// When something was last appended.
    pub last_append: Option<Timestamp>,
    /// Sessions of which nothing is recorded for now; see [`crate::Memory::pauses`].
    pub paused_sessions: u64,
    /// Projects of which nothing is recorded for now.
    pub paused_projects: u64,
    /// What the privacy filter took out so far.
    pub privacy: PrivacyTotals,
    /// The lexical index.
    pub lexical: LexicalStats,
    /// The active embedder's vectors and jobs; `None` until one is configured.
    pub embedding: Option<EmbeddingStats>,
    /// What was learned: each derived layer by its name.
    pub layers: Vec<LayerStats>,
    /// What was given to agents, and whether they took it up.
    pub injections: InjectionStats,
    /// Erasures that are not complete; 0 as a rule. `unclean_places` says what they
    /// wait for; `maintain` goes on with them.
    pub open_erasures: u64,
    /// Files that may still hold erased text, in plain words.
    pub unclean_places: Vec<String>,
}

/// How one derived layer stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerStats {
    /// The layer, for example `tasks` or `working_set`.
    pub name: &'static str,
    /// How much it holds.
    pub size: u64,
    /// How much waits to be moved into it by `maintain`.
    pub backlog: u64,
    /// When it last moved; `None` when it never did.
    pub last_moved: Option<Timestamp>,
}

/// What was given to agents as context, and whether later responses took it up.
///
/// An injected text counts as reused when one of the next three responses of
/// the session, within a day, holds a good part of its words that the query did
/// not hold: see `docs/recall.md`. It is an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InjectionStats {
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
    /// When context was last given.
    pub last: Option<Timestamp>,
}

/// What the privacy filter took out of the whole store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivacyTotals {
    /// Private sections.
    pub private_sections: u64,
    /// Sessions with at least one private section.
    pub sessions: u64,
    /// Masked secrets.
    pub secrets_masked: u64,
    /// Bytes that were not stored because of it.
    pub bytes_filtered: u64,
}

/// How the lexical index stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LexicalStats {
    /// Immutable segments.
    pub segments: u64,
    /// Events in them.
    pub flushed_events: u64,
    /// Events that wait in the memtable; they are found as well.
    pub memtable_events: u64,
    /// When events were last folded into a segment.
    pub last_flush: Option<Timestamp>,
    /// Segments that a search of this process found damaged. Searches leave
    /// them out and are marked degraded until the index is rebuilt.
    pub damaged_segments: u64,
    /// Events in the memtable whose index entry is damaged; as above.
    pub damaged_events: u64,
}

/// How the embedding of events stands, for the active embedder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbeddingStats {
    /// The embedding version: the embedder's id and fingerprint.
    pub version: String,
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
    /// How long successful jobs took on average, in milliseconds.
    pub average_processing_ms: Option<u64>,
    /// When a job was last done.
    pub last_processed: Option<Timestamp>,
    /// When the oldest waiting job was enqueued; an hour ago means that nothing
    /// calls the worker.
    pub oldest_pending: Option<Timestamp>,
    /// Vectors in graphs of this process, which its searches use; see
    /// [`vector_graph_from`](crate::MemoryBuilder::vector_graph_from).
    pub graph_vectors: u64,
    /// Vectors in files that are large enough for a graph and whose graph this
    /// process has not finished; what `maintain` put into it is not counted.
    pub graph_waiting: u64,
}
