//! Recallite, the SQLite of agent memory: an embeddable memory for AI agents.

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
mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
mod upkeep;
mod write;

pub use learn::edges::{EdgeFilter, MAX_EDGES_PER_CALL};
pub use learn::endless::{
    ConsolidatedMemory, ConsolidationReport, ContinuityEntry, EndlessContext, EndlessStatus,
    Summarizer,
};
pub use learn::entry_search::EntryHit;
pub use learn::knowledge::EntryFilter;
pub use learn::levels::{EventLevel, Graduated, LevelChange, LevelCounts};
pub use learn::pipeline::{
    IngestOptions, IngestReport, IngestedEntry, IngestedTask, SessionMessage,
};
pub use learn::tasks::{BlockedTask, Entity, TaskDetail, TaskFilter};
pub use memory::{
    Citations, Endless, Events, History, Knowledge, Levels, Memory, MemoryBuilder, Tasks,
};
pub use model::disclosed::{Detail, Relations, TimelineItem};
pub use model::error::{Error, ErrorCode, Result};
pub use model::event::{
    Appended, Dedupe, Event, EventKind, NewEvent, Origin, PrivacyReport, ToolRecord, ToolUse,
};
pub use model::filter::EventFilter;
pub use model::ids::{CitationId, EventId, EventRef, Seq};
pub use model::json::Json;
pub use model::query::{Hit, MAX_LIMIT, Passage, Query, SearchResult};
pub use model::session::{Session, SessionUpdate};
pub use model::stats::{
    EmbeddingStats, InjectionStats, LayerStats, LexicalStats, PrivacyTotals, Stats,
};
pub use model::time::Timestamp;
pub use model::weights::RecallWeights;
pub use recall::citations::{CitationDetail, CitationNeighbour, MAX_POPULAR, PopularCitation};
pub use recall::context::{Context, ContextItem, ContextOptions, Recording};
pub use recall::layers::{DEFAULT_TIMELINE_WINDOW, MAX_WINDOW};
pub use recall::smart::{IndexItem, SmartSearchMeta, SmartSearchOptions, SmartSearchResult};
pub use rules::endless::EndlessConfig;
pub use rules::entries::LearnedEntry;
pub use rules::matching::MatchClass;
pub use text::citation::CitationFormat;
pub use text::tokens::TokenCounter;
pub use upkeep::check::{CheckReport, Divergence, IgnoredRecord};
pub use upkeep::compact::Compacted;
pub use upkeep::erase::Erased;
pub use upkeep::export::{ExportFilter, Exported, Imported};
pub use upkeep::follow::Upgraded;
pub use upkeep::forget::Forgotten;
pub use upkeep::maintain::{MaintainBudget, Maintained};
pub use upkeep::rebuild::Rebuilt;
pub use upkeep::select::Selector;
pub use write::import::{ImportProgress, ImportReport};
pub use write::injections::UNKNOWN_SESSION;
pub use write::transcript;
