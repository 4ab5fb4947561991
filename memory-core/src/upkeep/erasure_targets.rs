//! Lists every place that may contain text, and how an erasure clears it: kinds of records, rows of
//! projections, side files, and records that are still in memory. The tables are in
//! `store/generations/erasing.rs`, which copies them by the same rule. Of the side files
//! ([`KINDS`](crate::index::side_file::KINDS)), those of vectors lose the vectors of erased events,
//! and segment files are removed once no live descriptor refers to them
//! ([`Store::clean_files`](crate::store::Store::clean_files)); all other files in that folder are
//! removed.
//!
//! There is no wildcard here: a new kind of record or row does not compile until someone has
//! decided what an erasure does with it.

use crate::model::event::EventKind;
#[cfg(test)]
use crate::store::projected_rows::projected::RowKind;

/// What is removed from a record that refers to something erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemovedPart {
    /// Part of a conversation: erased only if it is selected.
    Spoken,
    /// A tombstone: positions and fixed words.
    Numbers,
    /// One statement about one subject: erased completely.
    Whole,
    /// Independent items: those that refer to something erased are removed, and the others stay. If
    /// no item is left, or if the rest still refers to something erased, the record is erased
    /// completely.
    Lists {
        /// The paths of the lists; `*` stands for each item of a list.
        lists: &'static [&'static str],
        /// The paths of texts that are blanked if they refer to something erased.
        blanks: &'static [&'static str],
        /// Whether the record is meaningful without any item.
        stands_alone: bool,
    },
    /// Session fields that depend on earlier text: see [`SESSION_TEXTS`].
    Session,
}

/// The fields of a session change that are made from the conversation. They are removed if an
/// earlier event of the session is erased; the other fields stay.
pub(crate) const SESSION_TEXTS: [&str; 2] = ["summary", "tags"];

const fn lists(lists: &'static [&'static str]) -> RemovedPart {
    RemovedPart::Lists {
        lists,
        blanks: &[],
        stands_alone: false,
    }
}

/// What is removed from a record of this kind if it refers to something erased.
pub(crate) fn part_of(kind: EventKind) -> RemovedPart {
    match kind {
        EventKind::UserPrompt
        | EventKind::AgentResponse
        | EventKind::SessionSummary
        | EventKind::ToolObservation => RemovedPart::Spoken,
        EventKind::Forgotten | EventKind::Erased => RemovedPart::Numbers,
        // An extraction: names, counts and the local names of an entry or a task.
        EventKind::MemoryExtracted
        | EventKind::EvidenceAligned
        // An entry's title and content, and the entry that replaced it.
        | EventKind::EntryChanged
        // A decision and its evidence; the reasons of a conflict.
        | EventKind::DecisionMade
        | EventKind::ConflictChanged
        // The session's name.
        | EventKind::PipelineMetric
        // Titles, descriptions and reasons.
        | EventKind::TaskCreated
        | EventKind::TaskPriorityChanged
        | EventKind::TaskTransitionRejected
        | EventKind::ArtifactDeclared
        | EventKind::ConditionResolvedTo
        | EventKind::TaskTitleChanged
        // A summary of its source events.
        | EventKind::Consolidated
        | EventKind::MemoryResolved => RemovedPart::Whole,
        // How far a session was read, or else what is left of it would be read again.
        EventKind::SessionIngested => RemovedPart::Lists {
            lists: &["reports"],
            blanks: &["first_event_id", "last_event_id"],
            stands_alone: true,
        },
        EventKind::EntriesChecked => lists(&["checked"]),
        EventKind::EdgeChanged => lists(&["added", "removed"]),
        EventKind::LevelChanged => lists(&["levels", "insights"]),
        EventKind::PinChanged => lists(&["pins"]),
        EventKind::BuildRun => RemovedPart::Lists {
            lists: &["resolved", "report/entries", "report/tasks"],
            blanks: &[],
            stands_alone: true,
        },
        // The words for a blocker, and the titles that they may refer to.
        EventKind::TaskBlockersSet => RemovedPart::Lists {
            lists: &["blockers/*/candidates", "blockers"],
            blanks: &[],
            stands_alone: true,
        },
        EventKind::TaskStatusChanged => RemovedPart::Lists {
            lists: &[
                "blockers/*/candidates",
                "blocker_suggestions/*/candidates",
                "blockers",
                "blocker_suggestions",
            ],
            blanks: &[],
            stands_alone: true,
        },
        EventKind::ConditionDeclared => RemovedPart::Lists {
            lists: &["candidates"],
            blanks: &[],
            stands_alone: true,
        },
        EventKind::Accessed => RemovedPart::Lists {
            lists: &["accesses", "memories"],
            // The session that asked may be erased while the accessed event stays.
            blanks: &["accesses/*/session"],
            stands_alone: false,
        },
        EventKind::Injected => RemovedPart::Lists {
            lists: &["items"],
            blanks: &["reason", "query"],
            stands_alone: false,
        },
        EventKind::SettingChanged => RemovedPart::Lists {
            lists: &["working_set", "refreshed", "pruned"],
            // A pause continues even if its session was erased.
            blanks: &["pauses/*/name"],
            stands_alone: true,
        },
        // What a text was about: files and names that occur in it.
        EventKind::ContinuityScored => RemovedPart::Lists {
            lists: &["current/files", "current/entities", "current/topics"],
            blanks: &["current/id", "from_context_id", "to_context_id"],
            stands_alone: true,
        },
        EventKind::SessionChanged => RemovedPart::Session,
    }
}

/// What the rows of a kind contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg(test)]
pub(crate) enum Row {
    /// Text or names from events. An erasure copies the row only if nothing erased contributed to
    /// it; otherwise it is derived again from the rest of the log.
    Text,
    /// Numbers only.
    Numbers,
}

/// What the rows of each kind of projection contain.
#[cfg(test)]
pub(crate) fn row_of(kind: RowKind) -> Row {
    match kind {
        RowKind::Setting
        | RowKind::Task
        | RowKind::Condition
        | RowKind::Artifact
        | RowKind::EntityKey
        | RowKind::KeyOfEntity
        | RowKind::TaskByStatus
        | RowKind::TaskBlocked
        | RowKind::ConditionResolved
        | RowKind::ConditionOfProject
        | RowKind::TaskTitle
        | RowKind::History
        | RowKind::Resolved
        | RowKind::Entry
        | RowKind::EntryByAge
        | RowKind::EntryOfSession
        | RowKind::EntryOfProject
        | RowKind::EntryByState
        | RowKind::Edge
        | RowKind::EdgeTuple
        | RowKind::EdgeOut
        | RowKind::EdgeIn
        | RowKind::EdgePastOut
        | RowKind::EdgePastIn
        | RowKind::BuildRun
        | RowKind::Ingested
        | RowKind::Decision
        | RowKind::Conflict
        | RowKind::Promotion
        | RowKind::Metric
        | RowKind::SessionIngested
        | RowKind::SessionRead
        | RowKind::Placeholder
        | RowKind::Resolution
        | RowKind::Report
        | RowKind::Access
        | RowKind::Level
        | RowKind::LevelOf
        | RowKind::Insight
        | RowKind::Pin
        | RowKind::Working
        | RowKind::Unconsolidated
        | RowKind::Consolidated
        | RowKind::ConsolidatedByAge
        | RowKind::ConsolidatedByConfidence
        | RowKind::ConsolidatedEvent
        | RowKind::Continuity
        | RowKind::LevelDue
        | RowKind::Unread
        // Ids, and a hash of the text.
        | RowKind::LearnedChange
        | RowKind::LearnedDocument
        | RowKind::LearnedOf
        | RowKind::LearnedWord
        | RowKind::LearnedPiece
        | RowKind::LearnedWords
        | RowKind::LearnedToEmbed
        | RowKind::LearnedVector => Row::Text,
        // Touches are keyed hashes.
        RowKind::Count | RowKind::Cursor | RowKind::Touched | RowKind::LearnedSegment => {
            Row::Numbers
        }
    }
}
