//! Finds events that a question names by citation: they come first, whatever its words match.

use crate::engine::Engine;
use crate::index::lexical::passages;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::Event;
use crate::model::ids::{CitationId, EventRef};
use crate::model::query::{Hit, Query, SearchResult};
use crate::recall::narrowing::{Narrowing, before};
use crate::recall::retrieve::hit;
use crate::rules::asking::named_citations;
use crate::rules::matching::MatchClass;
use crate::store::ReadTx;
use crate::write::prepare::{kept_option, wanted_project};

/// The events that a question names.
#[derive(Default)]
pub(super) struct Named {
    /// In the order of the question.
    pub(super) events: Vec<Event>,
    /// Whether the question is a request to see one of them.
    pub(super) is_request: bool,
}

/// The events that a query names and that pass its filters, as the first hits of a search:
/// they are surely meant.
pub(super) fn named_hits(engine: &Engine, query: &Query) -> Result<Vec<Hit>> {
    if named_citations(&query.text).is_empty() {
        return Ok(Vec::new());
    }
    let read = engine.store.read()?;
    let events = named(engine, &read, query)?.events;
    let narrowing = Narrowing::of(engine, &read, query)?;
    let before = before(query);
    let mut hits = Vec::new();
    for event in events {
        let at = event.timestamp;
        let is_wanted = (query.kinds.is_empty() || query.kinds.contains(&event.kind))
            && query.from.is_none_or(|from| at >= from)
            && before.is_none_or(|before| at.millis() < before);
        let is_admitted = match &narrowing {
            Some(narrowing) if is_wanted => narrowing.admits(event.seq.0)?,
            _ => is_wanted,
        };
        if is_admitted {
            let shown = passages::first(&event.content);
            hits.push(Hit {
                match_score: 1.0,
                ..hit(event, shown, 1.0, 1.0)
            });
        }
    }
    Ok(hits)
}

/// Puts named events before everything else that a search found, at most `limit` in all.
pub(super) fn put_first(named: Vec<Hit>, found: &mut SearchResult, limit: usize) {
    if named.is_empty() {
        return;
    }
    let is_other = |hit: &Hit| named.iter().all(|first| first.seq != hit.seq);
    found.items.retain(is_other);
    found.items.splice(0..0, named);
    found.items.truncate(limit);
    found.confidence = MatchClass::High;
    found.total_matches = found.total_matches.max(found.items.len());
}

/// Looks up what a query names, within its projects and its session.
pub(super) fn named(engine: &Engine, read: &ReadTx, query: &Query) -> Result<Named> {
    let mut named = Named::default();
    let citations = named_citations(&query.text);
    if citations.is_empty() {
        return Ok(named);
    }
    let project = wanted_project(engine, &query.project)?;
    let session = kept_option(engine, query.session.as_deref())?;
    for citation in citations {
        let event = EventRef::Citation(CitationId::from_checked(citation.id));
        let event = match read.event(&event) {
            // Reading it by name reports the damage.
            Err(error) if error.code() == ErrorCode::Corrupt => None,
            event => event?,
        };
        let Some(event) = event else { continue };
        let is_wanted = event.kind.is_conversation()
            && project.as_ref().is_none_or(|own| event.project == *own)
            && session.as_ref().is_none_or(|own| event.session == *own)
            && named.events.iter().all(|known| known.seq != event.seq);
        if is_wanted {
            named.is_request |= citation.is_request;
            named.events.push(event);
        }
    }
    Ok(named)
}
