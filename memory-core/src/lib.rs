//! Recallite is an embeddable memory for agents. It stores what people and agents say and
//! do, finds it again in milliseconds, and cites the source of everything it returns.
//!
//! Think of it as the SQLite of agent memory: a memory is a folder. There is no server, nothing
//! runs in the background, and there is no model to download and no call to a language model. This
//! page is a short tour of the API; follow the links for the details.
//!
//! # Remember
//!
//! [`Memory::open`] opens a folder with default settings; [`Memory::builder`] lets you choose them.
//! Everything that is said or done is an event. [`Memory::append`] stores one, and it is on disk
//! when the call returns. Private sections and recognisable secrets are removed before anything is
//! stored (see [`privacy`]), and an event that is appended twice is stored only once (see
//! [`Dedupe`]).
//!
//! ```
//! use recallite::{EventKind, Memory, NewEvent};
//!
//! # fn main() -> recallite::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path();
//! let memory = Memory::open(path)?;
//! let receipt = memory.append(NewEvent::new(
//!     EventKind::UserPrompt,
//!     "monday",
//!     "The payment service listens on port 8443. <private>The pin is 1234.</private>",
//! ))?;
//! let event = memory.event(receipt.id)?.unwrap();
//! assert!(!event.content.contains("1234"));
//! # Ok(())
//! # }
//! ```
//!
//! Several threads and several processes can use the same folder at once. To import the
//! transcripts of a coding agent, use [`Memory::import_claude_code`].
//!
//! # Recall
//!
//! [`Memory::search`] returns the events that answer a question, best first. Each hit has
//! its best passage, its citation, and an estimate of how likely it is to be right
//! ([`Hit::relevance`]). [`Memory::context`] turns them into text for a prompt: cited,
//! fenced off from instructions, and within a token budget. In between,
//! [`Memory::smart_search`] shows a compact index first, and [`Memory::timeline`] and
//! [`Memory::details`] show more on request.
//!
//! ```
//! # use recallite::{EventKind, Memory, NewEvent};
//! use recallite::ContextOptions;
//!
//! # fn main() -> recallite::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let memory = Memory::open(folder.path())?;
//! # memory.append(NewEvent::new(EventKind::UserPrompt, "monday", "The payment service listens on port 8443."))?;
//! let found = memory.search("which port does the payment service use?")?;
//! assert!(found.items[0].passage.text.contains("8443"));
//!
//! let question = ContextOptions::new("Open a tunnel to the payment service")
//!     .session("tuesday")
//!     .budget_tokens(400);
//! let context = memory.context(question)?;
//! assert!(context.tokens <= 400);
//! # Ok(())
//! # }
//! ```
//!
//! To search by meaning as well as by words, supply an embedding model of your own as an
//! [`embed::Embedder`]. Events can be found by their words before their vectors are ready.
//!
//! # Learn
//!
//! [`Memory::maintain`] learns by rules, without a model: decisions, preferences, constraints,
//! facts, tasks and what blocks them (see [`MemoryBuilder::learn_by_rules`]). A host that has
//! a language model finds more: it can let the model extract what a session taught and pass
//! the result to [`Memory::ingest`]: entries, tasks and relations, each with the quote that
//! proves it. A quote that does not occur in the session proves nothing. What the memory
//! has learned is grouped into areas:
//!
//! | area | what it holds |
//! |---|---|
//! | [`Memory::tasks`] | tasks, what blocks them, and how blockers were resolved |
//! | [`Memory::knowledge`] | learned entries, edges, lineage and conflicts |
//! | [`Memory::levels`] | the level of each memory, which rises as it is used |
//! | [`Memory::endless`] | a working set and summaries that span sessions |
//! | [`Memory::citations`] | cited events and how often they were used |
//! | [`Memory::history`] | pipeline runs, metrics, promotions and decisions |
//! | [`Memory::pauses`] | sessions and projects that are not being recorded |
//! | [`Memory::sharing`] | one memory shared by several stores |
//! | [`Memory::upkeep`] | rare upkeep: settings in force, retention, failed jobs, hashes, exports to a writer |
//! | [`Memory::views`] | events read in place, without copying their text |
//!
//! # Keep
//!
//! Call [`Memory::maintain`] when the program is idle, for example when a session ends: it
//! does deferred work in bounded steps. [`Memory::forget`] hides events at once, and
//! [`Memory::erase`] removes every byte of their text from the folder. [`Memory::check`]
//! verifies everything against the log, [`Memory::rebuild`] rebuilds it from the log, and
//! [`Memory::compact`] returns unused space to the disk. [`Memory::backup`],
//! [`Memory::export_jsonl`] and [`Memory::restore_jsonl`] move a memory elsewhere.
//!
//! Operations whose time grows with the store report their progress
//! ([`Memory::set_progress_handler`]) and can be stopped ([`Memory::interrupt`]).
//!
//! # Errors
//!
//! Every fallible call returns a [`Result`]. An [`Error`] has a stable [`ErrorCode`], names
//! the argument that was wrong, says what to do next, and never contains stored text.
//!
//! # Conventions
//!
//! What a call keeps is passed by value: the filter of an iterator, an event, a question, options
//! with a function of the program. What it only reads is passed by reference: other filters,
//! selectors, scopes and options.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `fastembed` | embedding models loaded from a folder, through ONNX Runtime |
//! | `fastembed-download` | lets `fastembed` download models from a hub |
//! | `graph` (default) | HNSW graphs of vectors, for very large stores; brings [C symbols](#c-symbols-of-the-feature-graph) |
//! | `testing` | clocks, ids and disks for testing programs that embed the library |
//! | `measuring` | the parts of recall that are no options, for benches; may change at any time |
//!
//! # C symbols of the feature `graph`
//!
//! `graph` takes in the crate `hnsw_rs`, whose `libext` defines 64 C functions without a prefix:
//!
//! `drop_hnsw_f32`, `drop_hnsw_u16`, `file_dump_f32`, `file_dump_i32`, `file_dump_u16`,
//! `file_dump_u32`, `file_dump_u8`, `get_hnswio`, `init_hnsw_f32`, `init_hnsw_i32`,
//! `init_hnsw_ptrdist_f32`, `init_hnsw_ptrdist_i32`, `init_hnsw_ptrdist_u16`,
//! `init_hnsw_ptrdist_u32`, `init_hnsw_ptrdist_u8`, `init_hnsw_u16`, `init_hnsw_u32`,
//! `init_hnsw_u8`, `init_rust_log`, `insert_f32`, `insert_i32`, `insert_u16`, `insert_u32`,
//! `insert_u8`, `load_hnsw_description`, `load_hnswdump_NoData_DistNoDist`,
//! `load_hnswdump_f32_DistCosine`, `load_hnswdump_f32_DistDot`, `load_hnswdump_f32_DistJeffreys`,
//! `load_hnswdump_f32_DistJensenShannon`, `load_hnswdump_f32_DistL1`, `load_hnswdump_f32_DistL2`,
//! `load_hnswdump_i32_DistHamming`, `load_hnswdump_i32_DistL1`, `load_hnswdump_i32_DistL2`,
//! `load_hnswdump_u16_DistHamming`, `load_hnswdump_u16_DistL1`, `load_hnswdump_u16_DistL2`,
//! `load_hnswdump_u16_DistLevenshtein`, `load_hnswdump_u32_DistHamming`,
//! `load_hnswdump_u32_DistJaccard`, `load_hnswdump_u32_DistL1`, `load_hnswdump_u32_DistL2`,
//! `load_hnswdump_u8_DistHamming`, `load_hnswdump_u8_DistJaccard`, `load_hnswdump_u8_DistL1`,
//! `load_hnswdump_u8_DistL2`, `new_hnsw_f32`, `new_hnsw_u16`, `parallel_insert_f32`,
//! `parallel_insert_i32`, `parallel_insert_u16`, `parallel_insert_u32`, `parallel_insert_u8`,
//! `parallel_search_neighbours_f32`, `parallel_search_neighbours_i32`,
//! `parallel_search_neighbours_u16`, `parallel_search_neighbours_u32`,
//! `parallel_search_neighbours_u8`, `search_neighbours_f32`, `search_neighbours_i32`,
//! `search_neighbours_u16`, `search_neighbours_u32`, `search_neighbours_u8`.
//!
//! On ELF platforms such as Linux they have hidden visibility, so no shared library that contains
//! this crate exports them, a host's own included. On macOS and Windows the exports of one library
//! do not replace those of another. In a program and in a static library they are symbols like any
//! other: a host that links another function with one of these names builds this crate with
//! `default-features = false`, which leaves out `hnsw_rs` and `vector_graph_from`.

// The standard streams belong to the host, and no stored text may reach them.
#![cfg_attr(
    not(test),
    deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)
)]

pub mod clock;
pub mod config;
pub mod embed;
mod engine;
mod index;
mod lazy;
mod learn;
mod memory;
mod model;
pub mod privacy;
mod projection;
mod recall;
pub mod rules;
pub mod scope;
mod share;
mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
mod upkeep;
mod write;

pub use engine::effective::{EffectiveSetting, SettingSource};
pub use learn::edges::{EdgeFilter, MAX_EDGES_PER_CALL};
pub use learn::endless::{
    ConsolidationReport, EndlessContext, EndlessStatus, PreparedConsolidation, Summarizer,
    SummaryRequest,
};
pub use learn::entries::EntryFilter;
pub use learn::entry_search::EntryHit;
pub use learn::extraction_request::{
    DEFAULT_EXTRACTION_BUDGET, ExtractionRequest, MIN_EXTRACTION_BUDGET,
};
pub use learn::levels::{EventLevel, Graduated, LevelChange, LevelCounts};
pub use learn::new_entry::NewEntry;
pub use learn::pins::MAX_PINNED;
pub use learn::pipeline::{
    IngestOptions, IngestReport, IngestedEntry, IngestedTask, SessionMessage,
};
pub use learn::tasks::{BlockedTask, Entity, NewTask, TaskDetail, TaskFilter};
pub use memory::{
    Citations, Endless, Events, HasOffsets, History, Knowledge, Levels, Memory, MemoryBuilder,
    Offsets, Pauses, Sharing, Tasks, TextUnit, Upkeep, Views,
};
pub use model::context::{Context, ContextItem};
pub use model::disclosed::{Detail, Relations, TimelineItem};
pub use model::error::{Error, ErrorCode, Result};
pub use model::event::{
    Appended, Dedupe, Event, EventKind, NewEvent, Origin, PrivacyReport, SkipReason, ToolRecord,
    ToolUse,
};
pub use model::filter::{EventFilter, MAX_FILTER_BYTES, MAX_FILTER_TOOLS, ToolOutcome};
pub use model::ids::{CitationId, EventId, EventRef, Seq};
pub use model::json::Json;
pub use model::learned::{LearnedHit, LearnedKind, LearnedState, Proof};
pub use model::log_record::{LogLevel, LogRecord};
#[doc(hidden)]
pub use model::message::respelled;
pub use model::progress::{Operation, Progress, ProgressHandler};
pub use model::query::{Hit, MAX_SEARCH_LIMIT, MatchClass, Passage, Query, SearchResult};
pub use model::session::{Session, SessionUpdate};
pub use model::sharing::{
    Announced, Member, MemberRole, Pulled, Pushed, Received, RecordSource, SharedBatch,
    UnansweredErasure, Watermark,
};
pub use model::stats::{
    EmbeddingStats, InjectionStats, LayerStats, LexicalStats, PrivacyTotals, Stats,
};
pub use model::time::Timestamp;
pub use model::weights::RecallWeights;
pub use recall::shown::citations::{
    CitationDetail, CitationNeighbour, MAX_POPULAR_CITATIONS, PopularCitation,
};
pub use recall::shown::context::{ContextOptions, Recording};
pub use recall::shown::layers::{DEFAULT_TIMELINE_WINDOW, MAX_TIMELINE_WINDOW};
pub use recall::shown::pins::PinnedEvent;
pub use recall::shown::smart::{IndexItem, SmartSearchMeta, SmartSearchOptions, SmartSearchResult};
pub use rules::endless::{ConsolidatedMemory, ContinuityEntry, EndlessConfig};
pub use rules::entries::LearnedEntry;
pub use store::log::event_view::{EventGuard, EventView, ToolView};
pub use text::citation::CitationFormat;
pub use text::tokens::TokenCounter;
pub use upkeep::check::{CheckReport, Divergence, IgnoredRecord};
pub use upkeep::compact::Compacted;
pub use upkeep::erase::Erased;
pub use upkeep::export::{ExportOptions, Exported};
pub use upkeep::follow::Upgraded;
pub use upkeep::forget::Forgotten;
pub use upkeep::import::Imported;
pub use upkeep::maintain::{MaintainBudget, Maintained};
pub use upkeep::rebuild::Rebuilt;
pub use upkeep::select::Selector;
pub use write::import::{ImportFailure, ImportProgress, ImportReport};
pub use write::injections::UNKNOWN_SESSION;
pub use write::pauses::{Pause, ScopeKind};
pub use write::transcript;

/// The programs of the README and the guides, compiled as documentation tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/guides/backup.md")]
    struct Backup;
    #[doc = include_str!("../../docs/guides/concepts.md")]
    struct Concepts;
    #[cfg(feature = "fastembed")]
    #[doc = include_str!("../../docs/guides/embedders.md")]
    struct Embedders;
    #[doc = include_str!("../../docs/guides/endless.md")]
    struct Endless;
    #[doc = include_str!("../../docs/guides/errors.md")]
    struct Errors;
    #[doc = include_str!("../../docs/guides/learning.md")]
    struct Learning;
    #[doc = include_str!("../../docs/guides/logging.md")]
    struct Logging;
}
