//! What a session already has in its context: what was said in it and what it was given.

use std::collections::{BTreeMap, BTreeSet};

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

/// What a session has come to know since a moment.
pub(super) fn known_to(engine: &Engine, session: &str, since: Timestamp) -> Result<Skipped> {
    let mut given = Given::default();
    engine.injections.each(session, &mut |draft| {
        if draft.timestamp >= since
            && let Some(said) = &draft.event.metadata
        {
            given.add(said.as_str(), draft.timestamp);
        }
    });
    let records = EventFilter::new()
        .session(session)
        .project(ProjectScope::All)
        .kinds([EventKind::Injected])
        .from(since);
    let mut walk = read::Walk::new(engine, records)?;
    while let Some(record) = walk.next(Ok(engine)).transpose()? {
        if let Some(said) = &record.metadata {
            given.add(said.as_str(), record.timestamp);
        }
    }
    Ok(Skipped {
        seqs: given.seqs,
        cited: given.cited,
        session: Some((session.to_owned(), since)),
        ..Skipped::default()
    })
}

/// What the records of injections list.
#[derive(Default)]
struct Given {
    seqs: BTreeSet<u64>,
    /// When each was last given.
    cited: BTreeMap<String, Timestamp>,
}

impl Given {
    fn add(&mut self, payload: &str, at: Timestamp) {
        let said: Value = serde_json::from_str(payload).unwrap_or_default();
        for item in said["items"].as_array().into_iter().flatten() {
            self.seqs.extend(item["seq"].as_u64());
            if let Some(citation) = item["citation"].as_str() {
                let last = self.cited.entry(citation.to_owned()).or_insert(at);
                *last = at.max(*last);
            }
        }
        let proofs = said["further_proofs"].as_array().into_iter().flatten();
        self.seqs.extend(proofs.filter_map(Value::as_u64));
    }
}

impl Skipped {
    /// Whether the session knows the event.
    pub(super) fn has(&self, event: &Event) -> bool {
        self.has_said(&event.session, event.timestamp) || self.seqs.contains(&event.seq.0)
    }

    /// Whether the session knows a learned item: all of its proofs or, if it has none, the record
    /// that created it, unless the item changed since that was given.
    pub(super) fn has_learned(&self, hit: &LearnedHit) -> bool {
        if hit.proofs.is_empty() {
            let given = self.cited.get(hit.citation.as_str());
            return given.is_some_and(|at| *at >= hit.timestamp);
        }
        hit.proofs.iter().all(|proof| {
            self.has_said(&proof.session, proof.timestamp) || self.seqs.contains(&proof.seq.0)
        })
    }

    fn has_said(&self, session: &str, at: Timestamp) -> bool {
        self.session
            .as_ref()
            .is_some_and(|(name, since)| name == session && at >= *since)
    }
}
