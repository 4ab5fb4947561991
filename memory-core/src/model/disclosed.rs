//! What the second and third layer of disclosure return: the events around an event, and an
//! event in full.

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
    /// What kind of event it is.
    pub kind: EventKind,
    /// Its session.
    pub session: String,
    /// Who said or did it.
    pub actor: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// A one-line preview of at most 200 characters.
    pub preview: String,
    /// Whether it is one of the requested events.
    pub is_target: bool,
}

/// One event in full, with what belongs to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Detail {
    /// The event.
    pub event: Event,
    /// The estimated number of tokens in its content.
    pub token_count: usize,
    /// Whether the content contains a fenced code block.
    pub has_code: bool,
    /// The file paths mentioned in the content.
    pub files: Vec<String>,
    /// The tools mentioned in the content.
    pub tools: Vec<String>,
    /// The events it is related to.
    pub relations: Relations,
}

/// How an event is related to other events of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relations {
    /// The prompt that a response or tool observation belongs to: the last prompt before it
    /// in its session.
    pub parent: Option<EventId>,
    /// The responses and tool observations that followed a prompt, up to the next prompt of
    /// its session, in order of time.
    pub children: Vec<EventId>,
    /// The previous event of the session.
    pub previous: Option<EventId>,
    /// The next event of the session.
    pub next: Option<EventId>,
}
