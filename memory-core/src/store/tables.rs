//! Defines every table of a store file: name, key and value. The byte layouts are described
//! in `docs/design.md`.
//!
//! Keys are integers, or bytes in the desired order: numbers inside byte keys are
//! big-endian.

use redb::TableDefinition;

use crate::model::event::EventKind;
use crate::text::keys::canonical_key;

type Bytes = &'static [u8];

/// Single records of the store: `meta` (format, feature bits, generation) and `state`
/// (counters, last position, chain).
pub(crate) const META: TableDefinition<'_, &str, Bytes> = TableDefinition::new("meta");

/// The log, the only source of truth: `seq -> record` (envelope and archive).
pub(crate) const EVENTS: TableDefinition<'_, u64, Bytes> = TableDefinition::new("events");

/// `event id (16) -> seq`.
pub(crate) const EVENT_IDS: TableDefinition<'_, Bytes, u64> = TableDefinition::new("event_ids");

/// `citation id -> seq`, and [`citation_elsewhere_key`] `-> seq`.
pub(crate) const CITATIONS: TableDefinition<'_, Bytes, u64> = TableDefinition::new("citations");

/// `keyed hash of the dedupe key (16) -> seq`.
pub(crate) const DEDUPE: TableDefinition<'_, Bytes, u64> = TableDefinition::new("dedupe");

/// `timestamp (8, sign flipped) seq (8) -> ()`.
pub(crate) const BY_TIME: TableDefinition<'_, Bytes, ()> = TableDefinition::new("by_time");

/// `facet (1) name number (4) timestamp (8) seq (8) -> ()`: events by kind, project, tool,
/// file, session (only library records), actor and prompt, and failed calls, each in time order.
pub(crate) const BY_FACET: TableDefinition<'_, Bytes, ()> = TableDefinition::new("by_facet");

/// `facet (1) name -> number`: the dictionary of projects, tools, files, sessions and
/// actors. Prompts have numbers but no names.
pub(crate) const NAMES: TableDefinition<'_, Bytes, u32> = TableDefinition::new("names");

/// `facet (1) number (4) -> name`.
pub(crate) const NAME_OF: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("name_of");

/// `three bytes of a path (3) number (4) -> ()`: the files whose paths contain them.
pub(crate) const FILE_TRIGRAMS: TableDefinition<'_, Bytes, ()> =
    TableDefinition::new("file_trigrams");

/// `session number -> session row`.
pub(crate) const SESSIONS: TableDefinition<'_, u32, Bytes> = TableDefinition::new("sessions");

/// `project number (4) last event (8, sign flipped) session number (4) -> ()`: sessions
/// with live events, by their last one.
pub(crate) const PROJECT_SESSIONS: TableDefinition<'_, Bytes, ()> =
    TableDefinition::new("project_sessions");

/// `session number (4) timestamp (8) seq (8) -> ()`: conversation events in time order.
pub(crate) const SESSION_EVENTS: TableDefinition<'_, Bytes, ()> =
    TableDefinition::new("session_events");

/// `session number (4) turn (4) -> seq`: prompts and responses, in order.
pub(crate) const SESSION_TURNS: TableDefinition<'_, Bytes, u64> =
    TableDefinition::new("session_turns");

/// `store (16) position (8) -> seq`: records that other stores recorded.
pub(crate) const ORIGINS: TableDefinition<'_, Bytes, u64> = TableDefinition::new("origins");

/// `seq -> stamp`: this store's own records whose stamp differs from the time in their id;
/// see [`super::shared::record_order`].
pub(crate) const STAMPS: TableDefinition<'_, u64, i64> = TableDefinition::new("stamps");

/// `store (16) first position (8) seq of the order (8) -> last position (8)`: records of
/// any store that other stores' orders hide; see [`super::shared::record_order`].
pub(crate) const ORDERED: TableDefinition<'_, Bytes, u64> = TableDefinition::new("ordered");

/// `name -> row`: the store's identity as a member, the other members, what is withheld
/// from them and how far each was received; see [`crate::store::shared::sharing`].
pub(crate) const SHARING: TableDefinition<'_, &str, Bytes> = TableDefinition::new("sharing");

/// `facet (1) number (4) timestamp (8) seq (8) -> ()`: forgotten events that are not erased, by
/// kind, project (also the empty one) and session, each in time order. An erasure selects them.
pub(crate) const FORGOTTEN: TableDefinition<'_, Bytes, ()> = TableDefinition::new("forgotten");

/// `seq -> seq of the tombstone`: forgotten and erased events.
pub(crate) const TOMBSTONES: TableDefinition<'_, u64, u64> = TableDefinition::new("tombstones");

/// `seq -> forward entry`: events that are not in a segment yet.
pub(crate) const LEXICAL_MEMTABLE: TableDefinition<'_, u64, Bytes> =
    TableDefinition::new("lexical_memtable");

/// `segment -> segment descriptor`: the live segments of the lexical index.
pub(crate) const LEXICAL_SEGMENTS: TableDefinition<'_, u64, Bytes> =
    TableDefinition::new("lexical_segments");

/// `segment (8) section (1) block (4) -> block`: of those segments, and of the learned
/// index, see [`crate::store::index_tables::learned`].
pub(crate) const LEXICAL_BLOCKS: TableDefinition<'_, Bytes, Bytes> =
    TableDefinition::new("lexical_blocks");

/// `job id -> job row`: what still has to be embedded.
pub(crate) const OUTBOX: TableDefinition<'_, u64, Bytes> = TableDefinition::new("outbox");

/// `item kind (1) item (8) embedding version number (4) -> job id`.
pub(crate) const OUTBOX_ITEMS: TableDefinition<'_, Bytes, u64> =
    TableDefinition::new("outbox_items");

/// `embedding version number (4) queue (1) time (8) job id (8) -> ()`: jobs by status, the
/// next due first; new jobs and retried ones have separate queues.
pub(crate) const OUTBOX_QUEUE: TableDefinition<'_, Bytes, ()> =
    TableDefinition::new("outbox_queue");

/// `embedding version number -> row of the version`; under 0 the active version.
pub(crate) const EMBEDDINGS: TableDefinition<'_, u32, Bytes> = TableDefinition::new("embeddings");

/// `embedding version number -> sum of its vectors`, for their mean.
pub(crate) const VECTOR_SUMS: TableDefinition<'_, u32, Bytes> = TableDefinition::new("vector_sums");

/// `embedding version number (4) seq (8) window (2) -> passage start (4), passage length
/// (4), numbers (f32)`. A source of truth: the model that made them may be gone.
pub(crate) const VECTORS: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("vectors");

/// `embedding version number (4) ordinal (8) -> seq`: the order in which events got their
/// vectors, by which side files say what they cover.
pub(crate) const VECTOR_ORDER: TableDefinition<'_, Bytes, u64> =
    TableDefinition::new("vector_order");

/// `commit (8) kind (1) table, key -> ()`: rows changed while a generation is built, see
/// [`crate::store::generations::changes`]. It exists only during that time, belongs to the file rather than the
/// store, and is not in [`every_table`].
pub(crate) const CHANGES: TableDefinition<'_, Bytes, ()> = TableDefinition::new("changes");

/// Calls `$call!(NAME, role, erasure)` for every table of a store, so that creating, copying,
/// hashing, rebuilding and erasing cannot miss one. Roles:
///
/// - `truth`: the log and the records about it; nothing rebuilds it,
/// - `projection`: made from the log, rebuilt, and part of the state hash,
/// - `physical`: made from the log and rebuilt, but laid out by chance (when a
///   segment was folded), so not part of the state hash,
/// - `work`: what is still to be done; copied, neither rebuilt nor hashed.
///
/// What the generation that an erasure builds gets of it (`generations/erasing.rs`):
///
/// - `built`: what the builder of the file writes: format, state and open orders,
/// - `reduced`: the log without what is erased,
/// - `replayed`: what is left of the log gives, or what is filled in afterwards (`copied_words`,
///   `WriteTx::copy_projected`),
/// - `kept`: all of it,
/// - `embedded`: all of it, which is numbers only, unless the vectors are left out,
/// - `filtered`: what holds nothing erased, unless the vectors are left out,
/// - `settled`: totals, which are computed last (`settle_embeddings`).
macro_rules! every_table {
    ($call:ident) => {
        $call!(META, truth, built);
        $call!(SHARING, truth, kept);
        $call!(EVENTS, truth, reduced);
        $call!(EVENT_IDS, projection, replayed);
        $call!(CITATIONS, projection, replayed);
        $call!(DEDUPE, projection, replayed);
        $call!(BY_TIME, projection, replayed);
        $call!(BY_FACET, projection, replayed);
        $call!(NAMES, projection, replayed);
        $call!(NAME_OF, projection, replayed);
        $call!(FILE_TRIGRAMS, projection, replayed);
        $call!(SESSIONS, projection, replayed);
        $call!(PROJECT_SESSIONS, projection, replayed);
        $call!(SESSION_EVENTS, projection, replayed);
        $call!(SESSION_TURNS, projection, replayed);
        $call!(ORIGINS, projection, replayed);
        $call!(STAMPS, projection, replayed);
        $call!(ORDERED, projection, replayed);
        $call!(TOMBSTONES, projection, replayed);
        $call!(FORGOTTEN, projection, replayed);
        $call!(LEXICAL_MEMTABLE, physical, replayed);
        $call!(LEXICAL_SEGMENTS, physical, replayed);
        $call!(LEXICAL_BLOCKS, physical, replayed);
        $call!(OUTBOX, work, filtered);
        $call!(OUTBOX_ITEMS, work, embedded);
        $call!(OUTBOX_QUEUE, work, embedded);
        // An embedder's output is not a function of the log.
        $call!(EMBEDDINGS, work, settled);
        $call!(VECTOR_SUMS, work, settled);
        $call!(VECTORS, work, filtered);
        $call!(VECTOR_ORDER, work, embedded);
        // Its row kinds say what is derived; it is folded again as a whole, and compared
        // and hashed separately: see `store/projected_rows/row_digest.rs`.
        $call!(PROJECTED, work, replayed);
        // Folded again together with the projections.
        $call!(CITATION_USAGE, work, replayed);
        $call!(USAGE_BY_TIME, work, replayed);
        $call!(USAGE_BY_SPAN, work, replayed);
        $call!(CITATION_TOTALS, work, replayed);
        $call!(CITATION_RANKS, work, replayed);
        $call!(SESSION_INJECTIONS, work, replayed);
    };
}
pub(crate) use every_table;

/// How many tables a store has.
pub(crate) const COUNT: usize = {
    let mut tables = 0;
    macro_rules! count {
        ($name:ident, $role:ident, $erasure:ident) => {
            tables += 1;
        };
    }
    every_table!(count);
    tables
};

/// `kind of row (1) key -> row`: the results of folding the log; see
/// [`crate::store::projected_rows::projected::RowKind`].
pub(crate) const PROJECTED: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("projected");

/// `seq of a cited event (8) seq of the injection (8) -> used at (8) session
/// number (4)`: derived from the injections of the log.
pub(crate) const CITATION_USAGE: TableDefinition<'_, Bytes, Bytes> =
    TableDefinition::new("citation_usage");

/// `used at (8, sign flipped) seq (8) seq of the injection (8) -> ()`.
pub(crate) const USAGE_BY_TIME: TableDefinition<'_, Bytes, ()> =
    TableDefinition::new("usage_by_time");

/// `length of the span in days (1) number of the span (4, sign flipped) seq (8) -> uses in the
/// span (8) when last (8)`.
pub(crate) const USAGE_BY_SPAN: TableDefinition<'_, Bytes, Bytes> =
    TableDefinition::new("usage_by_span");

/// `seq of a cited event -> how often it was used (8) when last (8)`.
pub(crate) const CITATION_TOTALS: TableDefinition<'_, u64, Bytes> =
    TableDefinition::new("citation_totals");

/// `uses (8, most first) last used (8, newest first) seq (8) -> ()`: cited events, most
/// used first.
pub(crate) const CITATION_RANKS: TableDefinition<'_, Bytes, ()> =
    TableDefinition::new("citation_ranks");

/// `session number -> injection (8) reused bits (8) responses left (1) judged (1)`: the
/// latest injection into a session, while responses are compared with it.
pub(crate) const SESSION_INJECTIONS: TableDefinition<'_, u32, Bytes> =
    TableDefinition::new("session_injections");

/// The facets by which events are indexed, and the kinds of dictionary names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Facet {
    Kind = 1,
    Project = 2,
    Tool = 3,
    File = 4,
    /// In `by_facet`: library records in a session. Conversation events are in
    /// `session_events`.
    Session = 5,
    Actor = 7,
    /// In `by_facet`: user prompts by [`prompt_number`]. It has no names.
    Prompt = 8,
    /// In `by_facet`, with number 0: calls that failed, which are few. It has no names.
    Failed = 9,
}

/// The number by which repetitions of a user prompt are found: the first bytes of a hash of
/// its canonical key. Different prompts may share a number. `None` for other kinds, and for
/// a prompt without letters or digits.
pub(crate) fn prompt_number(kind: EventKind, content: &str) -> Option<u32> {
    if kind != EventKind::UserPrompt {
        return None;
    }
    prompt_number_of_key(&canonical_key(content, None))
}

/// Like [`prompt_number`], for the canonical key of a prompt.
pub(crate) fn prompt_number_of_key(key: &str) -> Option<u32> {
    let hash = blake3::hash(key.as_bytes());
    let number = hash.as_bytes().first_chunk().copied()?;
    (!key.is_empty()).then(|| u32::from_be_bytes(number))
}

/// The number at the end of a key.
pub(crate) fn last_number(key: &[u8]) -> u32 {
    key.last_chunk().map_or(0, |n| u32::from_be_bytes(*n))
}

/// Sixteen bytes that sort by time, then by position. Flipping the sign bit sorts times
/// before 1970 correctly.
pub(crate) fn time_key(timestamp_ms: i64, seq: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&((timestamp_ms as u64) ^ (1 << 63)).to_be_bytes());
    key[8..].copy_from_slice(&seq.to_be_bytes());
    key
}

pub(crate) fn facet_key(facet: Facet, number: u32, time_key: &[u8; 16]) -> [u8; 21] {
    let mut key = [0; 21];
    key[0] = facet as u8;
    key[1..5].copy_from_slice(&number.to_be_bytes());
    key[5..].copy_from_slice(time_key);
    key
}

/// The keys of a forgotten event in [`FORGOTTEN`].
pub(crate) fn forgotten_keys(
    kind: u32,
    project: u32,
    session: Option<u32>,
    time_key: &[u8; 16],
) -> impl Iterator<Item = [u8; 21]> {
    [
        (Facet::Kind, Some(kind)),
        (Facet::Project, Some(project)),
        (Facet::Session, session),
    ]
    .into_iter()
    .filter_map(|(facet, number)| Some(facet_key(facet, number?, time_key)))
}

pub(crate) fn name_key(facet: Facet, name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + name.len());
    key.push(facet as u8);
    key.extend_from_slice(name.as_bytes());
    key
}

/// The key in [`CITATIONS`] of a record of another store whose citation there is taken here.
/// No citation holds a zero byte.
pub(crate) fn citation_elsewhere_key(there: &str, seq: u64) -> String {
    format!("{there}\0{seq:016x}")
}

pub(crate) fn origin_key(store: &[u8; 16], position: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..16].copy_from_slice(store);
    key[16..].copy_from_slice(&position.to_be_bytes());
    key
}

/// The store in a key of [`origin_key`].
pub(crate) fn store_of(key: &[u8]) -> [u8; 16] {
    key.first_chunk().copied().unwrap_or_default()
}

/// The position in a key of [`origin_key`].
pub(crate) fn position_of(key: &[u8]) -> u64 {
    order_of(key)
}

pub(crate) fn ordered_key(store: &[u8; 16], first: u64, order: u64) -> [u8; 32] {
    let mut key = [0; 32];
    key[..24].copy_from_slice(&origin_key(store, first));
    key[24..].copy_from_slice(&order.to_be_bytes());
    key
}

/// The order number in a key of [`ordered_key`].
pub(crate) fn order_of(key: &[u8]) -> u64 {
    key.last_chunk()
        .map_or(0, |order| u64::from_be_bytes(*order))
}

pub(crate) fn number_key(facet: Facet, number: u32) -> [u8; 5] {
    let mut key = [0; 5];
    key[0] = facet as u8;
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

pub(crate) fn file_trigram_key(trigram: [u8; 3], file: u32) -> [u8; 7] {
    let mut key = [0; 7];
    key[..3].copy_from_slice(&trigram);
    key[3..].copy_from_slice(&file.to_be_bytes());
    key
}

/// The key of a session in `project_sessions`.
pub(crate) type ProjectSessionKey = [u8; 16];

pub(crate) fn project_session_key(project: u32, last_ms: i64, session: u32) -> ProjectSessionKey {
    let mut key = [0; 16];
    key[..4].copy_from_slice(&project.to_be_bytes());
    key[4..12].copy_from_slice(&time_key(last_ms, 0)[..8]);
    key[12..].copy_from_slice(&session.to_be_bytes());
    key
}

pub(crate) fn session_event_key(session: u32, time_key: &[u8; 16]) -> [u8; 20] {
    let mut key = [0; 20];
    key[..4].copy_from_slice(&session.to_be_bytes());
    key[4..].copy_from_slice(time_key);
    key
}

pub(crate) fn session_turn_key(session: u32, turn: u32) -> [u8; 8] {
    let mut key = [0; 8];
    key[..4].copy_from_slice(&session.to_be_bytes());
    key[4..].copy_from_slice(&turn.to_be_bytes());
    key
}

pub(crate) fn outbox_item_key(item_kind: u8, item: u64, version: u32) -> [u8; 13] {
    let mut key = [0; 13];
    key[0] = item_kind;
    key[1..9].copy_from_slice(&item.to_be_bytes());
    key[9..].copy_from_slice(&version.to_be_bytes());
    key
}

pub(crate) fn usage_key(seq: u64, injection: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&seq.to_be_bytes());
    key[8..].copy_from_slice(&injection.to_be_bytes());
    key
}

pub(crate) fn usage_time_key(at_ms: i64, seq: u64, injection: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..16].copy_from_slice(&time_key(at_ms, seq));
    key[16..].copy_from_slice(&injection.to_be_bytes());
    key
}

pub(crate) fn usage_span_key(days: u8, span: i32, seq: u64) -> [u8; 13] {
    let mut key = [days; 13];
    key[1..5].copy_from_slice(&((span as u32) ^ (1 << 31)).to_be_bytes());
    key[5..].copy_from_slice(&seq.to_be_bytes());
    key
}

pub(crate) fn citation_rank_key(uses: u64, last_ms: i64, seq: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..8].copy_from_slice(&(!uses).to_be_bytes());
    key[8..].copy_from_slice(&time_key(!last_ms, seq));
    key
}

/// The time in milliseconds and the cited event of a [`usage_time_key`].
pub(crate) fn usage_time_of(key: &[u8]) -> (i64, u64) {
    let number = |at: usize| {
        key.get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u64::from_be_bytes)
    };
    ((number(0) ^ (1 << 63)) as i64, number(8))
}

pub(crate) fn outbox_queue_key(version: u32, status: u8, at_ms: i64, job: u64) -> [u8; 21] {
    let mut key = [0; 21];
    key[..4].copy_from_slice(&version.to_be_bytes());
    key[4] = status;
    key[5..].copy_from_slice(&time_key(at_ms, job));
    key
}

pub(crate) fn vector_key(version: u32, seq: u64, window: u16) -> [u8; 14] {
    let mut key = [0; 14];
    key[..4].copy_from_slice(&version.to_be_bytes());
    key[4..12].copy_from_slice(&seq.to_be_bytes());
    key[12..].copy_from_slice(&window.to_be_bytes());
    key
}

pub(crate) fn vector_order_key(version: u32, ordinal: u64) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&version.to_be_bytes());
    key[4..].copy_from_slice(&ordinal.to_be_bytes());
    key
}

/// The event's position: the last 8 bytes of an index key.
pub(crate) fn seq_of(key: &[u8]) -> u64 {
    key.len()
        .checked_sub(8)
        .and_then(|at| key[at..].try_into().ok())
        .map_or(0, u64::from_be_bytes)
}
