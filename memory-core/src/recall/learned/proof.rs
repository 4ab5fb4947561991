//! Looks up the events that prove a learned item: an item that rests on a forgotten event is
//! not shown.

use crate::model::error::{Result, unless_damaged};
use crate::model::event::Event;
use crate::model::ids::{EventId, EventRef};
use crate::model::learned::{LearnedHit, Proof};
use crate::projection::levels;
use crate::recall::learned::finder::Finder;
use crate::recall::learned::found::Found;
use crate::recall::learned::weight;
use crate::recall::ranking::candidate::first_of;

/// The maximum number of proofs returned for one item.
const MAX_PROOFS: usize = 16;

fn proof_of(secret: &[u8; 32], event: &Event, quoted: Option<(u64, u64)>) -> Proof {
    let content = event.content.as_str();
    let place = |byte: u64| {
        let byte = usize::try_from(byte).unwrap_or(usize::MAX);
        content.floor_char_boundary(byte)
    };
    let (start, end) = match quoted {
        Some((start, end)) => (place(start), place(end).max(place(start))),
        None => {
            let first = first_of(secret, event);
            (first.start, first.end)
        }
    };
    Proof {
        id: event.id,
        seq: event.seq,
        citation: event.citation.clone(),
        session: event.session.clone(),
        timestamp: event.timestamp,
        quote: content[start..end].to_owned(),
        start,
        end,
    }
}

impl Finder<'_> {
    /// The hit with its proofs; `None` if an event that it rests on is gone or nothing can be
    /// cited for it.
    pub(super) fn proved(&self, found: Found) -> Result<Option<LearnedHit>> {
        let Found {
            mut hit, evidence, ..
        } = found;
        let secret = self.read.secret();
        let mut is_in_session = self.query.session.is_none();
        let mut is_called = false;
        for (number, (id, quoted)) in evidence.quotes.iter().enumerate() {
            let Some(event) = self.live(id)? else {
                return Ok(None);
            };
            if self.query.as_of.is_some_and(|at| event.timestamp > at) {
                continue;
            }
            is_in_session |= self.query.session.as_ref() == Some(&event.session);
            if let Some(narrowing) = self.narrowing {
                is_called |= narrowing.is_wanted_proof(event.seq.0)?;
            }
            if evidence.is_all_there_is && !self.is_of_project(&event.project) {
                return Ok(None);
            }
            match number < MAX_PROOFS {
                true => hit.proofs.push(proof_of(secret, &event, *quoted)),
                // The levels of earlier proofs were included when it was ranked.
                false => hit.level = hit.level.max(levels::level(self.rows, id)?),
            }
        }
        if let Some(narrowing) = self.narrowing
            && !(narrowing.is_high_enough(hit.level) && (is_called || !narrowing.wants_calls()))
        {
            return Ok(None);
        }
        if evidence.is_all_there_is {
            if !is_in_session {
                return Ok(None);
            }
            if let Some(project) = &self.project {
                hit.project.clone_from(project);
            }
        }
        // An item without a session of its own takes that of its proofs, if they share one.
        if hit.session.is_empty()
            && let Some(first) = hit.proofs.first()
            && hit
                .proofs
                .iter()
                .all(|proof| proof.session == first.session)
        {
            hit.session.clone_from(&first.session);
        }
        let citation = match (hit.proofs.first(), evidence.record) {
            (Some(proof), _) => Some(proof.citation.clone()),
            (None, Some(record)) => self.read.event_at(record.0)?.map(|event| event.citation),
            (None, None) => None,
        };
        let Some(citation) = citation else {
            return Ok(None);
        };
        hit.citation = citation;
        Ok(Some(hit))
    }

    /// An event by the id in the evidence, unless it is gone.
    pub(super) fn live(&self, id: &str) -> Result<Option<Event>> {
        let Ok(id) = id.parse::<EventId>() else {
            return Ok(None);
        };
        // A damaged record proves nothing; check reports it.
        unless_damaged(self.read.event(&EventRef::Id(id)))
    }

    /// Raises an item to the highest level of its events, which decides between equals; the newest
    /// are asked for if the question names only their kind.
    pub(super) fn boost_by_level(&self, found: &mut Found) -> Result<()> {
        for (id, _) in found.evidence.quotes.iter().take(MAX_PROOFS) {
            let level = levels::level(self.rows, id)?;
            found.hit.level = found.hit.level.max(level);
        }
        if !self.asks_only_for_kinds {
            found.rank += weight::LEVEL * f32::from(found.hit.level as u8);
        }
        Ok(())
    }
}
