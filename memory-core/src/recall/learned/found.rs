//! A learned item that was found, before its proofs are looked up.

use crate::model::ids::{CitationId, Seq};
use crate::model::learned::{LearnedHit, LearnedKind, LearnedState};
use crate::model::time::Timestamp;
use crate::rules::entries::LearnedEntry;
use crate::rules::levels::Level;

/// An item that matches the query, before its proofs are looked up.
pub(super) struct Found {
    pub(super) hit: LearnedHit,
    pub(super) evidence: Evidence,
    pub(super) rank: f32,
}

/// Where a learned item comes from.
pub(super) struct Evidence {
    /// Events, with the quoted byte range; `None` for an event as a whole.
    pub(super) quotes: Vec<(String, Option<(u64, u64)>)>,
    /// The record that created it.
    pub(super) record: Option<Seq>,
    /// Whether the events alone decide the scope, because the item names no project or
    /// session: all must lie in the project, and one of them in the session.
    pub(super) is_all_there_is: bool,
}

impl Evidence {
    pub(super) fn of_entry(row: &LearnedEntry) -> Self {
        let aligned = row.entry.evidence().map_or(&[][..], |found| &found.aligned);
        Evidence {
            quotes: aligned
                .iter()
                .filter_map(|span| {
                    let event = span.event_id.clone()?;
                    Some((event, Some((span.span_start, span.span_end))))
                })
                .collect(),
            record: Some(row.seq),
            is_all_there_is: false,
        }
    }

    /// Evidence for an item made of whole events.
    pub(super) fn of_events(events: Vec<String>) -> Self {
        Evidence {
            quotes: events.into_iter().map(|id| (id, None)).collect(),
            record: None,
            is_all_there_is: true,
        }
    }
}

/// A hit that is filled in later.
pub(super) fn blank(kind: LearnedKind, id: &str, title: String, state: LearnedState) -> LearnedHit {
    LearnedHit {
        kind,
        entry_type: None,
        id: id.to_owned(),
        title,
        text: String::new(),
        state,
        stage: None,
        superseded_by: None,
        contested_with: Vec::new(),
        blockers: Vec::new(),
        level: Level::L0,
        relevance: 0.0,
        confidence: None,
        timestamp: Timestamp::default(),
        project: String::new(),
        session: String::new(),
        citation: CitationId::from_checked(String::new()),
        proofs: Vec::new(),
    }
}
