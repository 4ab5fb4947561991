//! What the second and third layer of disclosure give: the events around one, and
//! an event in full.

use crate::model::event::{Event, EventKind};
use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::time::Timestamp;

/// One event of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimelineItem {
    /// The event's id.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// What it records.
    pub kind: EventKind,
    /// Its session.
    pub session: String,
    /// Who said or did it.
    pub actor: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// One line of at most 200 characters.
    pub preview: String,
    /// Whether it is one of the events that were asked for.
    pub is_target: bool,
}

/// One event in full, with what stands beside it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Detail {
    /// The event.
    pub event: Event,
    /// Estimated tokens of its content.
    pub token_count: usize,
    /// Whether the content holds a fenced block of code.
    pub has_code: bool,
    /// Paths of files that the content names.
    pub files: Vec<String>,
    /// Tools that the content names.
    pub tools: Vec<String>,
    /// The events it belongs to.
    pub relations: Relations,
}

/// How an event stands to others of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relations {
    /// The prompt that a response or tool observation answers: the last one before it in
    /// its session.
    pub parent: Option<EventId>,
    /// The responses and tool observations that a prompt led to, up to the next prompt
    /// of its session, in the order of time.
    pub children: Vec<EventId>,
    /// The event before it in the session.
    pub previous: Option<EventId>,
    /// The event after it in the session.
    pub next: Option<EventId>,
}
