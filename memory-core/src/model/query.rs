//! What a search asks for and what it gives.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::model::event::{EventKind, Origin};
use crate::model::filter::{ToolOutcome, narrowed_by};
use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::learned::{EntryType, LearnedHit, LearnedKind, Level};
use crate::model::project::ProjectScope;
use crate::model::time::Timestamp;

/// The most hits that one search gives.
pub const MAX_SEARCH_LIMIT: usize = 1_000;

/// The longest query, in bytes; what is longer is cut at a character border.
pub const MAX_QUERY_BYTES: usize = 16 << 10;

/// A search: a text and what narrows it.
///
/// ```
/// use recallite::Query;
/// let query = Query::new("which port does the test server use?").limit(5).session("s1");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Query {
    /// The question or the words to look for, in any language.
    pub text: String,
    /// At most this many hits, 1 to [`MAX_SEARCH_LIMIT`]. Default: 10.
    pub limit: Option<usize>,
    /// Where the memories lie that are looked for, as the memory's embedder would
    /// say it, instead of asking it about `text`. The text may then be blank.
    /// Default: the embedder is asked.
    pub vector: Option<Vec<f32>>,
    /// Only this session.
    pub session: Option<String>,
    /// Only these projects.
    pub project: ProjectScope,
    /// Only these conversation kinds; empty means all four.
    pub kinds: Vec<EventKind>,
    /// Only events at this time or later.
    pub from: Option<Timestamp>,
    /// Only events before this time.
    pub until: Option<Timestamp>,
    /// Only calls of these tools, at most
    /// [`MAX_FILTER_TOOLS`](crate::MAX_FILTER_TOOLS), and what was learned from them;
    /// empty means any event. A tool that nobody called has none.
    pub tools: Vec<String>,
    /// Only calls of tools on a file whose path contains this, 1 to
    /// [`MAX_FILTER_BYTES`](crate::MAX_FILTER_BYTES) bytes, and what was learned from
    /// them.
    pub file_contains: Option<String>,
    /// Only calls of tools that ended so, and what was learned from them.
    pub tool_outcome: Option<ToolOutcome>,
    /// Only events that have risen to this level or higher, and what was learned from
    /// one of them; by the levels of today, also with `as_of`. Default: all.
    pub min_level: Option<Level>,
    /// Only hits whose relevance is at least this (0 to 1). Default: all.
    pub min_relevance: Option<f32>,
    /// When it is over, the result so far is given, marked degraded.
    pub deadline: Option<Duration>,
    /// Whether recalled text that came back is found too. Default: false, or a
    /// memory would soon find its own answers.
    pub include_recalled: bool,
    /// Whether what was learned is found beside the events. Default: true.
    pub learned: bool,
    /// Only these kinds of learned things; empty means all four.
    pub learned_kinds: Vec<LearnedKind>,
    /// Only entries of these types; empty means all.
    pub entry_types: Vec<EntryType>,
    /// As it was known at this moment: events until then, entries that held then,
    /// tasks as they stood then. Default: now.
    pub as_of: Option<Timestamp>,
    /// At most this many learned things; `limit` when not given.
    pub(crate) learned_limit: Option<usize>,
    /// Events that are passed over, for example the prompt that is the query.
    pub(crate) skipped: Skipped,
}

/// Events that a search passes over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    /// Their positions.
    pub(crate) seqs: BTreeSet<u64>,
    /// Everything of a session from a moment on.
    pub(crate) session: Option<(String, Timestamp)>,
    /// Prompts that are the question itself, whoever asked it.
    pub(crate) question: bool,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            text: String::new(),
            limit: None,
            vector: None,
            session: None,
            project: ProjectScope::default(),
            kinds: Vec::new(),
            from: None,
            until: None,
            tools: Vec::new(),
            file_contains: None,
            tool_outcome: None,
            min_level: None,
            min_relevance: None,
            deadline: None,
            include_recalled: false,
            learned: true,
            learned_kinds: Vec::new(),
            entry_types: Vec::new(),
            as_of: None,
            learned_limit: None,
            skipped: Skipped::default(),
        }
    }
}

impl Query {
    /// A search for `text` with every setting at its default.
    pub fn new(text: impl Into<String>) -> Self {
        Query {
            text: text.into(),
            ..Query::default()
        }
    }

    narrowed_by!();

    /// The vector of what is looked for, of the memory's embedder.
    #[must_use]
    pub fn vector(mut self, vector: impl Into<Vec<f32>>) -> Self {
        self.vector = Some(vector.into());
        self
    }

    /// Only events at this level or higher, and what was learned from one of them.
    #[must_use]
    pub fn min_level(mut self, level: Level) -> Self {
        self.min_level = Some(level);
        self
    }

    /// Only hits whose relevance is at least this.
    #[must_use]
    pub fn min_relevance(mut self, relevance: f32) -> Self {
        self.min_relevance = Some(relevance);
        self
    }

    /// Finds recalled text that came back too.
    #[must_use]
    pub fn include_recalled(mut self) -> Self {
        self.include_recalled = true;
        self
    }

    /// Whether what was learned is found beside the events.
    #[must_use]
    pub fn learned(mut self, learned: bool) -> Self {
        self.learned = learned;
        self
    }

    /// Only these kinds of learned things.
    #[must_use]
    pub fn learned_kinds(mut self, kinds: impl IntoIterator<Item = LearnedKind>) -> Self {
        self.learned_kinds = kinds.into_iter().collect();
        self
    }

    /// Only entries of these types.
    #[must_use]
    pub fn entry_types(mut self, types: impl IntoIterator<Item = EntryType>) -> Self {
        self.entry_types = types.into_iter().collect();
        self
    }

    /// As it was known at this moment.
    #[must_use]
    pub fn as_of(mut self, at: Timestamp) -> Self {
        self.as_of = Some(at);
        self
    }

    /// Gives what was found when this many milliseconds are over.
    #[must_use]
    pub fn deadline_ms(mut self, ms: u64) -> Self {
        self.deadline = Some(Duration::from_millis(ms));
        self
    }
}

impl From<&str> for Query {
    fn from(text: &str) -> Self {
        Query::new(text)
    }
}

impl From<String> for Query {
    fn from(text: String) -> Self {
        Query::new(text)
    }
}

words! {
    /// What may be done with a match.
    #[derive(Default)]
    MatchClass ("class") {
        /// Use it without asking.
        High = "high",
        /// Offer it and ask.
        Suggested = "suggested",
        /// There is no match.
        #[default]
        None = "none",
    }
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SearchResult {
    /// The hits, best first.
    pub items: Vec<Hit>,
    /// What was learned and helps, best first: entries, tasks, insights and
    /// consolidated memories, at most as many as hits. Empty when nothing was
    /// learned, or when the query did not want it.
    pub learned: Vec<LearnedHit>,
    /// How sure the best hit is: inject it (high), offer it (suggested), or
    /// neither (none). "None" is an answer.
    pub confidence: MatchClass,
    /// True when the deadline ended the search early or a part of the index
    /// could not be read: there may be better hits.
    pub degraded: bool,
    /// How many events matched, before `limit`: exact up to 1,000, then at least so many.
    pub total_matches: usize,
}

/// One event that was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The event's id.
    pub id: EventId,
    /// The event's position in the log.
    pub seq: Seq,
    /// The event's citation.
    pub citation: CitationId,
    /// What the event records.
    pub kind: EventKind,
    /// The conversation it belongs to.
    pub session: String,
    /// The project it belongs to; empty for none.
    pub project: String,
    /// Who said or did it.
    pub actor: String,
    /// Where the text came from.
    pub origin: Origin,
    /// When it happened.
    pub timestamp: Timestamp,
    /// One line of at most 100 characters.
    pub summary: String,
    /// The passage that matched best.
    pub passage: Passage,
    /// Orders the hits of one search; comparable only within it.
    pub rank_score: f32,
    /// The specified match score, 0 to 1.
    pub match_score: f32,
    /// How likely the hit answers the query, 0 to 1, calibrated.
    pub relevance: f32,
}

/// A part of an event's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// The text of the passage.
    pub text: String,
    /// Where it begins in the content, in UTF-8 bytes.
    pub start: usize,
    /// Where it ends in the content, in UTF-8 bytes, exclusive.
    pub end: usize,
}
