//! What a session already has in its context: what was said in it and what it was given.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use crate::engine::Engine;
use crate::model::error::{ErrorCode, Result, unless_damaged};
use crate::model::event::EventKind;
use crate::model::ids::Seq;
use crate::model::learned::LearnedHit;
use crate::model::query::Skipped;
use crate::model::time::Timestamp;
use crate::projection::usage::Injected;
use crate::store::log::event_view::EventView;
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
    let Given {
        mut seqs,
        mut parts,
        cited,
    } = given;
    parts.retain(|seq, _| !seqs.contains(seq));
    for (&seq, ranges) in &mut parts {
        ranges.sort_by_key(|part| part.start);
        let length = read.with_record(seq, |view| Ok(view.archive()?.content.len()));
        let length = unless_damaged(length)?.unwrap_or(0);
        if length.saturating_sub(covered(ranges, 0..length)) <= HARDLY_MORE {
            seqs.insert(seq);
        }
    }
    parts.retain(|seq, _| !seqs.contains(seq));
    let skipped = Skipped {
        seqs,
        parts,
        cited,
        session: Some((session.to_owned(), since)),
        ..Skipped::default()
    };
    Ok((skipped, is_whole))
}

/// An event of which no more bytes are left than these is known.
pub(in crate::recall) const HARDLY_MORE: usize = 80;

/// The share of a passage from which it repeats what was given.
const REPEATS: f64 = 0.5;

/// How many bytes of a range sorted parts cover.
pub(in crate::recall) fn covered(parts: &[Range<usize>], range: Range<usize>) -> usize {
    let (mut sum, mut from) = (0, range.start);
    for part in parts {
        let start = part.start.max(from);
        let end = part.end.min(range.end);
        sum += end.saturating_sub(start);
        from = from.max(end);
    }
    sum
}

/// What the records of injections list.
#[derive(Default)]
struct Given {
    seqs: BTreeSet<u64>,
    parts: BTreeMap<u64, Vec<Range<usize>>>,
    /// When each was last given.
    cited: BTreeMap<String, Timestamp>,
}

impl Given {
    fn add(&mut self, payload: &str, at: Timestamp) {
        let said: Value = serde_json::from_str(payload).unwrap_or_default();
        for item in said["items"].as_array().into_iter().flatten() {
            let Some(item) = Injected::read(item) else {
                continue;
            };
            match item.parts.is_empty() {
                true => _ = self.seqs.insert(item.seq),
                false => self.parts.entry(item.seq).or_default().extend(item.parts),
            }
            let last = self.cited.entry(item.citation).or_insert(at);
            *last = at.max(*last);
        }
        let proofs = said["further_proofs"].as_array().into_iter().flatten();
        self.seqs.extend(proofs.filter_map(Value::as_u64));
    }
}

impl Skipped {
    /// Whether the session knows the event or was given a part of it.
    pub(in crate::recall) fn has_some_of(&self, event: &EventView<'_>) -> bool {
        self.has_said(event.session(), event.timestamp())
            || self.seqs.contains(&event.seq().0)
            || self.parts.contains_key(&event.seq().0)
    }

    /// Whether the session was given so much of a part of an event that the rest is little.
    pub(in crate::recall) fn has_part(&self, seq: Seq, part: Range<usize>) -> bool {
        let length = part.len().max(1);
        self.seqs.contains(&seq.0)
            || self
                .parts
                .get(&seq.0)
                .is_some_and(|given| covered(given, part) as f64 >= REPEATS * length as f64)
    }

    /// Whether the session knows a learned item: all of its proofs or, if it has none, the record
    /// that created it, unless the item changed since that was given.
    pub(in crate::recall) fn has_learned(&self, hit: &LearnedHit) -> bool {
        if hit.proofs.is_empty() {
            let given = self.cited.get(hit.citation.as_str());
            return given.is_some_and(|at| *at >= hit.timestamp);
        }
        hit.proofs.iter().all(|proof| {
            self.has_said(&proof.session, proof.timestamp)
                || self.has_part(proof.seq, proof.start..proof.end)
        })
    }

    pub(in crate::recall) fn has_said(&self, session: &str, at: Timestamp) -> bool {
        self.session
            .as_ref()
            .is_some_and(|(name, since)| name == session && at >= *since)
    }
}
