//! What a search asks for and what it returns.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use crate::model::event::{EventKind, Origin};
use crate::model::filter::{ToolOutcome, narrowed_by};
use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::learned::{EntryType, LearnedHit, LearnedKind, Level};
use crate::model::project::ProjectScope;
use crate::model::time::Timestamp;

/// The maximum number of hits that one search returns.
pub const MAX_SEARCH_LIMIT: usize = 1_000;

/// The maximum length of a query, in bytes; a longer one is cut at a character boundary.
pub const MAX_QUERY_BYTES: usize = 16 << 10;

/// A search: a text and conditions that narrow it.
///
/// ```
/// use recallite::Query;
/// let query = Query::new("which port does the test server use?").limit(5).session("s1");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Query {
    /// The question, or the words to look for, in any language.
    pub text: String,
    /// The maximum number of hits to return, from 1 to [`MAX_SEARCH_LIMIT`]. Default: 10.
    pub limit: Option<usize>,
    /// The vector to search for, in the vector space of the memory's embedder. If it is
    /// set, the embedder is not asked about `text`, and the text may be blank. Default: the
    /// embedder is asked.
    pub vector: Option<Vec<f32>>,
    /// Keeps only events of this session.
    pub session: Option<String>,
    /// Keeps only events of these projects.
    pub project: ProjectScope,
    /// Keeps only events of these kinds, which must be conversation kinds. Empty means
    /// all four.
    pub kinds: Vec<EventKind>,
    /// Keeps only events at or after this time.
    pub from: Option<Timestamp>,
    /// Keeps only events before this time (exclusive).
    pub until: Option<Timestamp>,
    /// Keeps only calls of these tools, and what was learned from them. At most
    /// [`MAX_FILTER_TOOLS`](crate::MAX_FILTER_TOOLS); empty means any event. A tool that
    /// was never called matches nothing.
    pub tools: Vec<String>,
    /// Keeps only tool calls on a file whose path contains this text, and what was
    /// learned from them. The text has 1 to [`MAX_FILTER_BYTES`](crate::MAX_FILTER_BYTES)
    /// bytes.
    pub file_contains: Option<String>,
    /// Keeps only tool calls with this outcome, and what was learned from them.
    pub tool_outcome: Option<ToolOutcome>,
    /// Keeps only events at this level or higher, and what was learned from any of them.
    /// The current levels are used, even with `as_of`. Default: all.
    pub min_level: Option<Level>,
    /// Keeps only hits whose relevance is at least this, from 0 to 1. Default: all.
    pub min_relevance: Option<f32>,
    /// The maximum duration of the search. When it is over, the results found so far are
    /// returned, marked as degraded.
    pub deadline: Option<Duration>,
    /// Whether to also find recalled text that came back as an event. Default: false,
    /// because otherwise a memory would soon find its own answers.
    pub include_recalled: bool,
    /// Whether to return what was learned, in addition to events. Default: true.
    pub learned: bool,
    /// Keeps only these kinds of learned items; empty means all four.
    pub learned_kinds: Vec<LearnedKind>,
    /// Keeps only entries of these types; empty means all.
    pub entry_types: Vec<EntryType>,
    /// Searches the memory as it was at this moment: events up to then, entries that were
    /// valid then, and tasks as they were then. Default: now.
    pub as_of: Option<Timestamp>,
    /// The maximum number of learned items. Default: `limit`.
    pub(crate) learned_limit: Option<usize>,
    /// Events that are passed over, for example the prompt that is the query.
    pub(crate) skipped: Skipped,
}

/// Events that a search leaves out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    /// By position: as if they were not stored.
    pub(crate) seqs: BTreeSet<u64>,
    /// By position: ranked with the others, so that what is left when the answer is known does not
    /// look like it, but not returned.
    pub(crate) known: BTreeSet<u64>,
    /// By position, the parts that were given of events of which there is more.
    pub(crate) parts: BTreeMap<u64, Vec<Range<usize>>>,
    /// Citations of what was given, and when; a learned item without proofs is known by that of
    /// its record.
    pub(crate) cited: BTreeMap<String, Timestamp>,
    /// Everything in a session from a moment on.
    pub(crate) session: Option<(String, Timestamp)>,
    /// Prompts with this text, in any session: the question as it is stored.
    pub(crate) question: Option<String>,
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
    /// Creates a search for `text` with default settings.
    pub fn new(text: impl Into<String>) -> Self {
        Query {
            text: text.into(),
            ..Query::default()
        }
    }

    narrowed_by!();

    /// Sets the vector to search for, as made by the memory's embedder.
    #[must_use]
    pub fn vector(mut self, vector: impl Into<Vec<f32>>) -> Self {
        self.vector = Some(vector.into());
        self
    }

    /// Keeps only events at this level or higher, and what was learned from any of them.
    #[must_use]
    pub fn min_level(mut self, level: Level) -> Self {
        self.min_level = Some(level);
        self
    }

    /// Keeps only hits whose relevance is at least this.
    #[must_use]
    pub fn min_relevance(mut self, relevance: f32) -> Self {
        self.min_relevance = Some(relevance);
        self
    }

    /// Also finds recalled text that came back as an event.
    #[must_use]
    pub fn include_recalled(mut self) -> Self {
        self.include_recalled = true;
        self
    }

    /// Whether to return what was learned, in addition to events.
    #[must_use]
    pub fn learned(mut self, learned: bool) -> Self {
        self.learned = learned;
        self
    }

    /// Keeps only these kinds of learned items.
    #[must_use]
    pub fn learned_kinds(mut self, kinds: impl IntoIterator<Item = LearnedKind>) -> Self {
        self.learned_kinds = kinds.into_iter().collect();
        self
    }

    /// Keeps only entries of these types.
    #[must_use]
    pub fn entry_types(mut self, types: impl IntoIterator<Item = EntryType>) -> Self {
        self.entry_types = types.into_iter().collect();
        self
    }

    /// Searches the memory as it was at this moment.
    #[must_use]
    pub fn as_of(mut self, at: Timestamp) -> Self {
        self.as_of = Some(at);
        self
    }

    /// Limits the duration of the search, in milliseconds. The results found by then are
    /// returned.
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
    /// How a match may be used.
    #[derive(Default)]
    MatchClass ("class") {
        /// Use it without asking.
        High = "high",
        /// Suggest it and ask.
        Suggested = "suggested",
        /// There is no match.
        #[default]
        None = "none",
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SearchResult {
    /// The hits, best first.
    pub items: Vec<Hit>,
    /// Learned items that help with the query, best first: entries, tasks, insights and
    /// consolidated memories. There are at most as many as hits were asked for. Empty if
    /// nothing was learned, or if the query did not ask for it.
    pub learned: Vec<LearnedHit>,
    /// How certain the best hit or learned item is: inject it (high), suggest it (suggested), or
    /// do neither (none). "None" is a valid answer.
    pub confidence: MatchClass,
    /// True if there may be better hits: the deadline ended the search early, part of the index
    /// or a record could not be read, vectors were missing, or the embedder failed. A store
    /// without any vector has not asked the embedder.
    pub degraded: bool,
    /// The number of events that matched, before `limit` was applied. It is exact up to 1,000; a
    /// larger number is a lower bound. Events that are in `items` only because they are next to a
    /// match do not count.
    pub total_matches: usize,
}

/// One event found by a search.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The event's id.
    pub id: EventId,
    /// The event's position in the log.
    pub seq: Seq,
    /// The event's citation.
    pub citation: CitationId,
    /// What kind of event it is.
    pub kind: EventKind,
    /// The session it belongs to.
    pub session: String,
    /// The project it belongs to; empty if there is none.
    pub project: String,
    /// Who said or did it.
    pub actor: String,
    /// Where the text came from.
    pub origin: Origin,
    /// When it happened.
    pub timestamp: Timestamp,
    /// A one-line summary of at most 100 characters: what a call of a known tool did,
    /// otherwise the first sentence.
    pub summary: String,
    /// The passage that matched best.
    pub passage: Passage,
    /// The score that the hits are ordered by; comparable only within one search.
    pub rank_score: f32,
    /// The match score of the specification, from 0 to 1.
    pub match_score: f32,
    /// The calibrated probability that the hit answers the query, from 0 to 1.
    pub relevance: f32,
    /// Whether the passage adds nothing to what was learned from it and is among
    /// [`SearchResult::learned`]. A combined list can leave it out.
    pub is_proof: bool,
}

/// A part of an event's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// The text of the passage.
    pub text: String,
    /// Where it begins in the content, as an offset in UTF-8 bytes.
    pub start: usize,
    /// Where it ends in the content, as an offset in UTF-8 bytes, exclusive.
    pub end: usize,
    /// Whether the content has more text before it.
    pub has_more_before: bool,
    /// Whether the content has more text after it.
    pub has_more_after: bool,
}

impl Passage {
    /// A part of a content.
    pub(crate) fn of(content: &str, part: Range<usize>) -> Self {
        Passage {
            text: content[part.clone()].to_owned(),
            has_more_before: !content[..part.start].trim().is_empty(),
            has_more_after: !content[part.end..].trim().is_empty(),
            start: part.start,
            end: part.end,
        }
    }
}
