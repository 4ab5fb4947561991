//! What a session already has in its context: what was said in it and what it was given.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::event::{Event, EventKind};
use crate::model::filter::EventFilter;
use crate::model::learned::LearnedHit;
use crate::model::query::Skipped;
use crate::model::time::Timestamp;
use crate::recall::read;
use crate::scope::ProjectScope;

/// How many of a session's latest records are examined.
const MOST_RECORDS: usize = 200;

/// What a session has come to know since a moment.
pub(super) fn known_to(engine: &Engine, session: &str, since: Timestamp) -> Result<Skipped> {
    let mut seqs = BTreeSet::new();
    engine.injections.each(session, &mut |draft| {
        if let Some(said) = &draft.event.metadata {
            seqs.extend(given_in(said.as_str()));
        }
    });
    let records = EventFilter::new()
        .session(session)
        .project(ProjectScope::All)
        .kinds([EventKind::Injected])
        .from(since)
        .newest_first()
        .limit(MOST_RECORDS);
    let mut walk = read::Walk::new(engine, records)?;
    while let Some(record) = walk.next(Ok(engine)).transpose()? {
        if let Some(said) = &record.metadata {
            seqs.extend(given_in(said.as_str()));
        }
    }
    Ok(Skipped {
        seqs,
        session: Some((session.to_owned(), since)),
        ..Skipped::default()
    })
}

/// The events listed in the record of an injection.
fn given_in(payload: &str) -> Vec<u64> {
    let said: Value = serde_json::from_str(payload).unwrap_or_default();
    let items = said["items"].as_array().into_iter().flatten();
    items.filter_map(|item| item["seq"].as_u64()).collect()
}

impl Skipped {
    /// Whether the session knows the event.
    pub(super) fn has(&self, event: &Event) -> bool {
        self.has_said(&event.session, event.timestamp) || self.seqs.contains(&event.seq.0)
    }

    /// Whether the session knows every proof of a learned item.
    pub(super) fn has_proofs_of(&self, hit: &LearnedHit) -> bool {
        !hit.proofs.is_empty()
            && hit.proofs.iter().all(|proof| {
                self.has_said(&proof.session, proof.timestamp) || self.seqs.contains(&proof.seq.0)
            })
    }

    fn has_said(&self, session: &str, at: Timestamp) -> bool {
        self.session
            .as_ref()
            .is_some_and(|(name, since)| name == session && at >= *since)
    }
}
