//! Recallite, the SQLite of agent memory: an embeddable memory for AI agents.

pub mod clock;
pub mod embed;
mod index;
mod model;
pub mod privacy;
pub mod text;

pub use model::error::{Error, ErrorCode, Result};
pub use model::event::{
    Appended, Dedupe, Event, EventKind, NewEvent, Origin, PrivacyReport, ToolRecord, ToolUse,
};
pub use model::ids::{CitationId, EventId, EventRef, Seq};
pub use model::json::Json;
pub use model::time::Timestamp;
