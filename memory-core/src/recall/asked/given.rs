//! What a session already has in its context: what was said in it and what it was given.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::engine::Engine;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{Event, EventKind};
use crate::model::learned::LearnedHit;
use crate::model::query::Skipped;
use crate::model::time::Timestamp;
use crate::store::log::scan::Wanted;

/// What a session has come to know since a moment, and whether all of its records could be read.
pub(in crate::recall) fn known_to(
    engine: &Engine,
    session: &str,
    since: Timestamp,
) -> Result<(Skipped, bool)> {
    let mut given = Given::default();
    engine.injections.each(session, &mut |draft| {
        if draft.timestamp >= since
            && let Some(said) = &draft.event.metadata
        {
            given.add(said.as_str(), draft.timestamp);
        }
    });
    let records = Wanted {
        session: Some(session.to_owned()),
        kinds: vec![EventKind::Injected],
        from: Some(since),
        ..Wanted::default()
    };
    // Begun after the waiting ones were seen: what is stored meanwhile is seen twice, not missed.
    let read = engine.store.read()?;
    let mut is_whole = true;
    for seq in read.newest_candidates(&records, usize::MAX)? {
        let seen = read.with_record(seq, |view| {
            let record = view.archive()?;
            if let Some(said) = record.metadata {
                let at = Timestamp::from_millis_clamped(record.timestamp_ms);
                given.add(said.as_str(), at);
            }
            Ok(())
        });
        match seen {
            Err(error) if error.code() == ErrorCode::Corrupt => is_whole = false,
            seen => _ = seen?,
        }
    }
    let skipped = Skipped {
        seqs: given.seqs,
        cited: given.cited,
        session: Some((session.to_owned(), since)),
        ..Skipped::default()
    };
    Ok((skipped, is_whole))
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
    pub(in crate::recall) fn has(&self, event: &Event) -> bool {
        self.has_said(&event.session, event.timestamp) || self.seqs.contains(&event.seq.0)
    }

    /// Whether the session knows a learned item: all of its proofs or, if it has none, the record
    /// that created it, unless the item changed since that was given.
    pub(in crate::recall) fn has_learned(&self, hit: &LearnedHit) -> bool {
        if hit.proofs.is_empty() {
            let given = self.cited.get(hit.citation.as_str());
            return given.is_some_and(|at| *at >= hit.timestamp);
        }
        hit.proofs.iter().all(|proof| {
            self.has_said(&proof.session, proof.timestamp) || self.seqs.contains(&proof.seq.0)
        })
    }

    pub(in crate::recall) fn has_said(&self, session: &str, at: Timestamp) -> bool {
        self.session
            .as_ref()
            .is_some_and(|(name, since)| name == session && at >= *since)
    }
}
