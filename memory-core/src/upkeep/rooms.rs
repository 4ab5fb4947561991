//! Every room in which text can lie, and how an erasure clears it: kinds of
//! records, rows of projections, side files, and what waits in memory. Tables are
//! in `store/erasing.rs`, which copies them by the same rule. Of the side files
//! ([`KINDS`](crate::index::side_file::KINDS)) those of vectors lose the vectors of the events that
//! the store notes, and those of segments go when no live row names them
//! ([`Store::clean_files`](crate::store::Store::clean_files)); whatever else lies there is removed.
//!
//! There is no wildcard here: who adds a kind of record or of row decides what an
//! erasure does with it, or nothing compiles.

use crate::model::event::EventKind;
#[cfg(test)]
use crate::store::projected::RowKind;

/// What goes of a record that names something erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A part of a conversation: it goes when it is selected, never by itself.
    Spoken,
    /// A tombstone: positions and fixed words.
    Numbers,
    /// One thing said about one subject: all of it goes.
    Whole,
    /// Things that stand for themselves: those that name something erased go, and
    /// the others stay. When nothing else is left, or what is left still names
    /// something erased, all of it goes.
    Lists {
        /// Where the lists are; `*` is each item of a list.
        lists: &'static [&'static str],
        /// Texts that are blanked where they name something erased.
        blanks: &'static [&'static str],
        /// Whether the record says something without any item.
        stands_alone: bool,
    },
    /// Facts of a session that later text changed: see [`SESSION_TEXTS`].
    Session,
}

/// The fields of a change of a session that are made of what was said in it. They
/// go when something is erased that was there before them; the rest stays.
pub(crate) const SESSION_TEXTS: [&str; 2] = ["summary", "tags"];

const fn lists(lists: &'static [&'static str]) -> Part {
    Part::Lists {
        lists,
        blanks: &[],
        stands_alone: false,
    }
}

/// What of a record of this kind goes with what it names.
pub(crate) fn part_of(kind: EventKind) -> Part {
    match kind {
        EventKind::UserPrompt
        | EventKind::AgentResponse
        | EventKind::SessionSummary
        | EventKind::ToolObservation => Part::Spoken,
        EventKind::Forgotten | EventKind::Erased => Part::Numbers,
        // An extraction: names, counts and the local names of one entry or task.
        EventKind::SessionIngested
        | EventKind::MemoryExtracted
        | EventKind::EvidenceAligned
        // An entry's title and content, and who replaced it.
        | EventKind::EntryChanged
        // What was decided on which evidence; reasons of a disagreement.
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
        | EventKind::MemoryResolved => Part::Whole,
        EventKind::IdrisChecked => lists(&["checked"]),
        EventKind::EdgeChanged => lists(&["added", "removed"]),
        EventKind::LevelChanged => lists(&["levels", "insights"]),
        EventKind::PinChanged => lists(&["pins"]),
        EventKind::BuildRun => Part::Lists {
            lists: &["resolved", "report/entries", "report/tasks"],
            blanks: &[],
            stands_alone: true,
        },
        // The words that named a blocker, and titles that it may mean.
        EventKind::TaskBlockersSet => Part::Lists {
            lists: &["blockers/*/candidates", "blockers"],
            blanks: &[],
            stands_alone: true,
        },
        EventKind::TaskStatusChanged => Part::Lists {
            lists: &[
                "blockers/*/candidates",
                "blocker_suggestions/*/candidates",
                "blockers",
                "blocker_suggestions",
            ],
            blanks: &[],
            stands_alone: true,
        },
        EventKind::ConditionDeclared => Part::Lists {
            lists: &["candidates"],
            blanks: &[],
            stands_alone: true,
        },
        EventKind::Accessed => Part::Lists {
            lists: &["accesses", "memories"],
            // Who asked may be gone while what was asked for stays.
            blanks: &["accesses/*/session"],
            stands_alone: false,
        },
        EventKind::Injected => Part::Lists {
            lists: &["items"],
            blanks: &["reason", "query"],
            stands_alone: false,
        },
        EventKind::SettingChanged => Part::Lists {
            lists: &["working_set", "refreshed", "pruned"],
            // A pause goes on when the session that it is for was erased.
            blanks: &["pauses/*/name"],
            stands_alone: true,
        },
        // What a text was about: files and names that stand in the text.
        EventKind::ContinuityScored => Part::Lists {
            lists: &["current/files", "current/entities", "current/topics"],
            blanks: &["current/id", "from_context_id", "to_context_id"],
            stands_alone: true,
        },
        EventKind::SessionChanged => Part::Session,
    }
}

/// What the rows of a kind hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg(test)]
pub(crate) enum Row {
    /// Text or names that came from events. An erasure copies the row only where nothing
    /// that is erased had a part in it; otherwise it is made again from what is left of
    /// the log.
    Text,
    /// Numbers only.
    Numbers,
}

/// What lies on a kind of the projections.
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
        | RowKind::ConditionResolved
        | RowKind::TaskTitle
        | RowKind::History
        | RowKind::Resolved
        | RowKind::Entry
        | RowKind::EntryByAge
        | RowKind::EntryOfSession
        | RowKind::EntryOfProject
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
        | RowKind::Access
        | RowKind::Level
        | RowKind::LevelOf
        | RowKind::Insight
        | RowKind::Pin
        | RowKind::Working
        | RowKind::Consolidated
        | RowKind::ConsolidatedEvent
        | RowKind::Continuity
        | RowKind::LevelDue
        | RowKind::Unread
        // Ids, and a hash of the text.
        | RowKind::LearnedChange
        | RowKind::LearnedDocument
        | RowKind::LearnedOf => Row::Text,
        // Touches are keyed hashes.
        RowKind::Count | RowKind::Cursor | RowKind::Touched | RowKind::LearnedSegment => {
            Row::Numbers
        }
    }
}
