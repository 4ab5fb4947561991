//! Recallite, the SQLite of agent memory: an embeddable memory for AI agents.

pub mod clock;
pub mod config;
pub mod embed;
mod index;
pub mod learn;
mod memory;
mod model;
pub mod privacy;
pub mod recall;
pub mod scope;
mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
pub mod upkeep;

pub use memory::{EventFilter, Events, Memory, MemoryBuilder};
pub use model::error::{Error, ErrorCode, Result};
pub use model::event::{
    Appended, Dedupe, Event, EventKind, NewEvent, Origin, PrivacyReport, ToolRecord, ToolUse,
};
pub use model::ids::{CitationId, EventId, EventRef, Seq};
pub use model::json::Json;
pub use model::session::{Session, SessionUpdate};
pub use model::stats::{EmbeddingStats, LexicalStats, PrivacyTotals, Stats};
pub use model::time::Timestamp;
pub use recall::layers::{Detail, Relations, TimelineItem};
pub use recall::query::{Hit, Passage, Query, SearchResult};
pub use recall::scores::MatchClass;
