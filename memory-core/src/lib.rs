//! Recallite, the SQLite of agent memory: a library that remembers what people and
//! agents said and did, finds it again in milliseconds, and cites its source.
//!
//! A memory is a folder. There is no server, no thread in the background, no model to
//! download and no call to a language model. This page walks through what a
//! program does with it; every step is a link to the whole story.
//!
//! # Remember
//!
//! [`Memory::open`] opens a folder, [`Memory::builder`] does so with settings. What is
//! said or done is an event, and [`Memory::append`] has it on the disk when it returns.
//! Private sections and secrets are taken out before ([`privacy`]); the same event
//! handed over twice is stored once ([`Dedupe`]).
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
//! Several threads and several processes may use one folder at once. Transcripts of a
//! coding agent come in by [`Memory::import_claude_code`].
//!
//! # Recall
//!
//! [`Memory::search`] gives events that answer a question, best first, each with its
//! passage, its citation, and how likely it is right ([`Hit::relevance`]).
//! [`Memory::context`] makes a prompt's memory of them: cited, fenced, within a budget of
//! tokens. Between the two stands [`Memory::smart_search`], which shows an index first,
//! and [`Memory::timeline`] and [`Memory::details`] when more is wanted.
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
//! An [`embed::Embedder`] of the program's own adds its vectors to the words; recall
//! never waits for them.
//!
//! # Learn
//!
//! A host that has a language model hands its extraction to [`Memory::ingest`]: entries,
//! tasks and relations, each with the quote that proves it. A quote that does not stand
//! in the session proves nothing. What was learned is grouped by area:
//!
//! | area | what is there |
//! |---|---|
//! | [`Memory::tasks`] | tasks, what blocks them, and what resolved it |
//! | [`Memory::knowledge`] | entries, edges, lineage, conflicts |
//! | [`Memory::levels`] | how far memories have risen by being used |
//! | [`Memory::endless`] | a working set and summaries across sessions |
//! | [`Memory::citations`] | what a citation names, and how it was used |
//! | [`Memory::history`] | runs, figures, promotions, decisions |
//! | [`Memory::pauses`] | sessions and projects of which nothing is recorded |
//! | [`Memory::sharing`] | one memory in several stores |
//!
//! # Keep
//!
//! Call [`Memory::maintain`] when there is time, for example when a session ends: it does
//! in bounded steps what may wait. [`Memory::forget`] hides events at once,
//! [`Memory::erase`] leaves no byte of their text in the folder. [`Memory::check`]
//! compares everything with the log, [`Memory::rebuild`] makes it anew from there,
//! [`Memory::compact`] gives space back, and [`Memory::backup`],
//! [`Memory::export_jsonl`] and [`Memory::restore_jsonl`] take a memory elsewhere.
//!
//! # Errors
//!
//! Every call returns [`Result`]. An [`Error`] has a stable [`ErrorCode`], names the
//! argument that was wrong, says what to do next, and holds no stored text.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `fastembed` | real embedding models from a folder, through ONNX Runtime |
//! | `fastembed-download` | lets it fetch models from a hub |
//! | `graph` | graphs of near vectors for very large stores |
//! | `testing` | clocks, ids and disks for the tests of programs that embed the library |

pub mod clock;
pub mod config;
pub mod embed;
mod engine;
mod index;
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

pub use engine::settings::{EffectiveSetting, SettingSource};
pub use learn::edges::{EdgeFilter, MAX_EDGES_PER_CALL};
pub use learn::endless::{ConsolidationReport, EndlessContext, EndlessStatus, Summarizer};
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
    Citations, Endless, Events, History, Knowledge, Levels, Memory, MemoryBuilder, Pauses, Sharing,
    Tasks, Upkeep,
};
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
pub use recall::citations::{
    CitationDetail, CitationNeighbour, MAX_POPULAR_CITATIONS, PopularCitation,
};
pub use recall::context::{Context, ContextItem, ContextOptions, Recording};
pub use recall::layers::{DEFAULT_TIMELINE_WINDOW, MAX_TIMELINE_WINDOW};
pub use recall::pins::PinnedEvent;
pub use recall::smart::{IndexItem, SmartSearchMeta, SmartSearchOptions, SmartSearchResult};
pub use rules::endless::{ConsolidatedMemory, ContinuityEntry, EndlessConfig};
pub use rules::entries::LearnedEntry;
pub use store::event_view::{EventGuard, EventView, ToolView};
pub use text::citation::CitationFormat;
pub use text::tokens::TokenCounter;
pub use upkeep::check::{CheckReport, Divergence, IgnoredRecord};
pub use upkeep::compact::Compacted;
pub use upkeep::erase::Erased;
pub use upkeep::export::{ExportFilter, Exported};
pub use upkeep::follow::Upgraded;
pub use upkeep::forget::Forgotten;
pub use upkeep::import::Imported;
pub use upkeep::maintain::{MaintainBudget, Maintained};
pub use upkeep::rebuild::Rebuilt;
pub use upkeep::select::Selector;
pub use write::import::{ImportFailure, ImportProgress, ImportReport};
pub use write::injections::UNKNOWN_SESSION;
pub use write::pauses::{Pause, PauseScope};
pub use write::transcript;
