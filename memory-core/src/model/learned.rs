//! What a search finds in addition to events: entries, tasks, insights and consolidated
//! memories, each with its state and the events that prove it.

use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::read::words;
use crate::model::time::Timestamp;

words! {
    /// What kind of statement an entry makes.
    EntryType ("type") {
        /// Something that is true.
        Fact = "fact",
        /// Something that was decided.
        Decision = "decision",
        /// Something that was realised.
        Insight = "insight",
        /// Something about a task.
        TaskNote = "task_note",
        /// Where to find something.
        Reference = "reference",
        /// What somebody likes or wants.
        Preference = "preference",
        /// Something that occurs again and again.
        Pattern = "pattern",
        /// What the work must or must not do.
        Constraint = "constraint",
    }
}

words! {
    /// How well an entry is supported by evidence.
    Stage ("stage") {
        /// As extracted.
        Raw = "raw",
        /// Well-formed.
        Working = "working",
        /// Typed, and its quotes were searched for.
        Candidate = "candidate",
        /// Every quote was found in the source.
        Verified = "verified",
        /// Somebody confirmed it.
        Certified = "certified",
    }
}

words! {
    /// The level of a memory, which rises through use.
    Level ("level") {
        /// Stored, and not used yet.
        L0 = "L0",
        /// Used at least once.
        L1 = "L1",
        /// Used at least 3 times, once from another session.
        L2 = "L2",
        /// Used at least 5 times, from two other sessions.
        L3 = "L3",
        /// Used at least 10 times, from three other sessions.
        L4 = "L4",
    }
}

impl Level {
    /// Returns the next higher level, or `None` at the top.
    pub fn next(self) -> Option<Level> {
        let at = Level::ALL.iter().position(|&level| level == self)?;
        Level::ALL.get(at + 1).copied()
    }

    /// Returns the next lower level, or `None` at the bottom.
    pub fn previous(self) -> Option<Level> {
        let at = Level::ALL.iter().position(|&level| level == self)?;
        Level::ALL.get(at.checked_sub(1)?).copied()
    }
}

words! {
    /// The kind of a learned item.
    LearnedKind ("learned_kinds") {
        /// A learned entry, for example a decision, a fact or a preference.
        Entry = "entry",
        /// A task.
        Task = "task",
        /// An insight, found from repeated use of events.
        Insight = "insight",
        /// A consolidated memory, which summarises several events.
        Memory = "memory",
    }
}

impl LearnedKind {
    /// A distinct bit.
    pub(crate) fn bit(self) -> u64 {
        1 << self as u64
    }
}

words! {
    /// The state of a learned item.
    LearnedState ("state") {
        /// It is valid.
        InForce = "in_force",
        /// Another entry contradicts it, and the conflict is not resolved.
        Contested = "contested",
        /// Another entry replaced it.
        Superseded = "superseded",
        /// It was taken back.
        Deprecated = "deprecated",
        /// A task that has not been started.
        Pending = "pending",
        /// A task that is in progress.
        InProgress = "in_progress",
        /// A task that is blocked.
        Blocked = "blocked",
        /// A task that is done.
        Done = "done",
        /// A task that was cancelled.
        Cancelled = "cancelled",
    }
}

impl LearnedState {
    /// Returns true if it currently holds: it is in force or contested, or it is a task that is not
    /// finished.
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

/// An event that proves a learned item, and the words in it that do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proof {
    /// The event's id.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// The session it belongs to.
    pub session: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The quoted part of the content.
    pub quote: String,
    /// Where the quote begins in the content, as an offset in UTF-8 bytes.
    pub start: usize,
    /// Where the quote ends, as an offset in UTF-8 bytes, exclusive.
    pub end: usize,
}

/// A learned item found by a search.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearnedHit {
    /// Its kind, which determines the call that returns more about it by its id.
    pub kind: LearnedKind,
    /// The type of an entry; `None` for other kinds.
    pub entry_type: Option<EntryType>,
    /// Its id.
    pub id: String,
    /// A one-line title.
    pub title: String,
    /// The full text: an entry's content, a task's description, or a memory's summary.
    /// Empty if the title says everything.
    pub text: String,
    /// Its state.
    pub state: LearnedState,
    /// How well an entry is supported by evidence; `None` for other kinds.
    pub stage: Option<Stage>,
    /// The entry that replaced it.
    pub superseded_by: Option<String>,
    /// The entries that contradict it.
    pub contested_with: Vec<String>,
    /// What blocks a blocked task, in words.
    pub blockers: Vec<String>,
    /// The highest level of the events that prove it.
    pub level: Level,
    /// How likely it is to help with the query, from 0 to 1: the fraction of the question
    /// that it covers, reduced if it is doubtful or no longer counts.
    pub relevance: f32,
    /// How sure its source was, from 0 to 1: the extractor of an entry, or the rule behind an
    /// insight or a consolidated memory. `None` for a task, and for an entry written by hand.
    pub confidence: Option<f64>,
    /// When it was learned or, for a task, when it last changed.
    pub timestamp: Timestamp,
    /// The project it belongs to; empty if there is none.
    pub project: String,
    /// The session it was learned from; empty if it comes from several.
    pub session: String,
    /// The citation to show for it: that of the first proof or, if nothing was quoted, of
    /// the record that created it.
    pub citation: CitationId,
    /// The events that prove it, in the order in which they were quoted.
    pub proofs: Vec<Proof>,
}
