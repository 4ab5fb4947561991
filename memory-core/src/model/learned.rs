//! What a search finds beside events: entries, tasks, insights and consolidated
//! memories, each with its state and the events that prove it.

use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::read::words;
use crate::model::time::Timestamp;

words! {
    /// What an entry tells.
    EntryType ("type") {
        /// Something that is so.
        Fact = "fact",
        /// Something that was decided.
        Decision = "decision",
        /// Something that was understood.
        Insight = "insight",
        /// Something about a task.
        TaskNote = "task_note",
        /// Where something is to be found.
        Reference = "reference",
        /// What somebody likes or wants.
        Preference = "preference",
        /// What comes up again and again.
        Pattern = "pattern",
        /// What the work must or must not do.
        Constraint = "constraint",
    }
}

words! {
    /// How well an entry is proved.
    Stage ("stage") {
        /// As it was extracted.
        Raw = "raw",
        /// Well-formed.
        Working = "working",
        /// Typed, with its quotes looked up.
        Candidate = "candidate",
        /// Every quote was found in the source.
        Verified = "verified",
        /// Somebody vouched for it.
        Certified = "certified",
    }
}

words! {
    /// How far a memory has risen.
    Level ("level") {
        /// A raw event.
        L0 = "L0",
        /// Structured: extracted, with aligned evidence.
        L1 = "L1",
        /// A candidate: typed and validated.
        L2 = "L2",
        /// Verified: checked, without contradiction.
        L3 = "L3",
        /// Active: first choice for injection.
        L4 = "L4",
    }
}

impl Level {
    /// One higher; `None` at the top.
    pub fn next(self) -> Option<Level> {
        let at = Level::ALL.iter().position(|&level| level == self)?;
        Level::ALL.get(at + 1).copied()
    }

    /// One lower; `None` at the bottom.
    pub fn previous(self) -> Option<Level> {
        let at = Level::ALL.iter().position(|&level| level == self)?;
        Level::ALL.get(at.checked_sub(1)?).copied()
    }
}

words! {
    /// What a learned thing is.
    LearnedKind ("learned_kinds") {
        /// A learned entry: a decision, a fact, a preference, ...
        Entry = "entry",
        /// Something to do.
        Task = "task",
        /// What repeated use of events gave away.
        Insight = "insight",
        /// Several events put into words.
        Memory = "memory",
    }
}

impl LearnedKind {
    /// A bit of its own.
    pub(crate) fn bit(self) -> u64 {
        1 << self as u64
    }
}

words! {
    /// How a learned thing stands.
    LearnedState ("state") {
        /// It holds.
        InForce = "in_force",
        /// Another entry says otherwise, and nobody has settled it.
        Contested = "contested",
        /// Another entry took its place.
        Superseded = "superseded",
        /// It was taken back.
        Deprecated = "deprecated",
        /// A task that nobody has begun.
        Pending = "pending",
        /// A task that is being worked on.
        InProgress = "in_progress",
        /// A task that something holds up.
        Blocked = "blocked",
        /// A task that is finished.
        Done = "done",
        /// A task that was given up.
        Cancelled = "cancelled",
    }
}

impl LearnedState {
    /// Whether it counts now: in force or contested, or a task that is not over.
    pub fn is_current(self) -> bool {
        !matches!(
            self,
            LearnedState::Superseded
                | LearnedState::Deprecated
                | LearnedState::Done
                | LearnedState::Cancelled
        )
    }
}

/// An event that proves a learned thing, and the words in it that do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proof {
    /// The event's id.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// Its session.
    pub session: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The quoted part of its content.
    pub quote: String,
    /// Where that part begins in the content, in UTF-8 bytes.
    pub start: usize,
    /// Where it ends, exclusive.
    pub end: usize,
}

/// A learned thing that was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearnedHit {
    /// What it is, and so which call tells more of it by its id.
    pub kind: LearnedKind,
    /// The type of an entry; `None` for what is no entry.
    pub entry_type: Option<EntryType>,
    /// Its identity.
    pub id: String,
    /// In one line.
    pub title: String,
    /// In full: an entry's content, a task's description, a memory's summary.
    /// Empty when the title says all.
    pub text: String,
    /// How it stands.
    pub state: LearnedState,
    /// How well an entry is proved; `None` for what is no entry.
    pub stage: Option<Stage>,
    /// The entry that took its place.
    pub superseded_by: Option<String>,
    /// The entries that it disagrees with.
    pub contested_with: Vec<String>,
    /// What holds a blocked task up, in words.
    pub blockers: Vec<String>,
    /// How far the events that prove it have risen: the highest of them.
    pub level: Level,
    /// How likely it helps with the query, 0 to 1: the part of the question that it
    /// covers, less where it is doubtful or no longer counts.
    pub relevance: f32,
    /// When it was learned; of a task, when it last changed.
    pub timestamp: Timestamp,
    /// The project it belongs to; empty for none.
    pub project: String,
    /// The session it was learned from; empty when it comes from several.
    pub session: String,
    /// The citation to show for it: of the first proof, or of the record that made
    /// it when nothing was quoted.
    pub citation: CitationId,
    /// The events that prove it, in the order in which they were quoted.
    pub proofs: Vec<Proof>,
}
