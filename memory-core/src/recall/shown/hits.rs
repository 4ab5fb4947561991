//! A hit as a search returns it.

use std::ops::Range;

use crate::model::event::Event;
use crate::model::query::{Hit, Passage};
use crate::rules::relevance;
use crate::text::summary::event_summary;

/// Whether returning a hit counts as an access of its event.
pub(in crate::recall) fn is_sure(hit: &Hit) -> bool {
    hit.relevance >= relevance::NONE
}

/// A hit that shows part of its event's content.
pub(in crate::recall) fn hit(
    secret: &[u8; 32],
    event: Event,
    span: Range<usize>,
    rank: f32,
    relevance: f32,
) -> Hit {
    let passage = Passage::of(&event.content, span);
    Hit {
        summary: event_summary(secret, &event),
        id: event.id,
        seq: event.seq,
        citation: event.citation,
        kind: event.kind,
        session: event.session,
        project: event.project,
        actor: event.actor,
        origin: event.origin,
        timestamp: event.timestamp,
        passage,
        rank_score: rank,
        match_score: 0.0,
        relevance,
        is_proof: false,
    }
}
