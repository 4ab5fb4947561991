//! What is given to an agent before its prompt.

use crate::model::event::{EventKind, Origin};
use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::learned::{LearnedHit, LearnedState};
use crate::model::query::MatchClass;
use crate::model::time::Timestamp;

/// One memory in a context.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContextItem {
    /// The event's id.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// What kind of event it is.
    pub kind: EventKind,
    /// The session it belongs to.
    pub session: String,
    /// Who said or did it.
    pub actor: String,
    /// Where the text came from.
    pub origin: Origin,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The part of the content that is shown.
    pub text: String,
    /// Where that part begins in the content, as an offset in UTF-8 bytes.
    pub start: usize,
    /// Where that part ends, as an offset in UTF-8 bytes, exclusive.
    pub end: usize,
    /// Whether the content has more text before that part. The context marks it with "…".
    pub has_more_before: bool,
    /// Whether the content has more text after that part. The context marks it with "…".
    pub has_more_after: bool,
    /// How likely it is to answer the query, from 0 to 1; `None` for a pinned event.
    pub relevance: Option<f32>,
    /// The state of what was learned from it, if none of that holds any more or it is in doubt:
    /// superseded, contested, done or cancelled; for a task that this event says is blocked but
    /// that is not, its present status. The text says so.
    pub state: Option<LearnedState>,
    /// The citation of the event that changed this state.
    pub(crate) changed_by: Option<CitationId>,
    /// What was called, where the text is from the middle of a tool's output.
    pub(crate) call: Option<String>,
}

/// Context for an agent's prompt.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// The fenced text; empty if nothing is good enough or nothing fits.
    pub text: String,
    /// The citations in the text, in its order; empty if the format shows none.
    pub citations: Vec<CitationId>,
    /// The number of tokens in the text.
    pub tokens: usize,
    /// How certain the best match is: none, suggested (the text says so) or high.
    pub confidence: MatchClass,
    /// The events in the text, in its order.
    pub items: Vec<ContextItem>,
    /// The learned items in the text, in its order. They come after what is pinned and
    /// before the other events.
    pub learned: Vec<LearnedHit>,
    /// True if a deadline or damage kept part of the memory from being searched.
    pub degraded: bool,
}

impl Context {
    /// Returns true if there is nothing to inject.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}
