//! Finds events that a question names by citation: they come first, whatever its words match.

use crate::engine::Engine;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::Event;
use crate::model::ids::{CitationId, EventRef};
use crate::model::query::{Hit, Query, SearchResult};
use crate::recall::asked::narrowing::{Narrowing, before};
use crate::recall::asked::prepared::PreparedQuery;
use crate::recall::ranking::candidate::first_of;
use crate::recall::shown::hits::{hit, is_sure};
use crate::rules::asking::named_citations;
use crate::rules::matching::MatchClass;
use crate::store::ReadTx;

/// The events that a question names.
#[derive(Default)]
pub(in crate::recall) struct Named {
    /// In the order of the question.
    pub(in crate::recall) events: Vec<Event>,
    /// Whether the question is a request to see one of them.
    pub(in crate::recall) is_request: bool,
}

/// The named events as the first hits of a search: they are surely meant.
pub(in crate::recall) fn named_hits(engine: &Engine, named: Named) -> Result<Vec<Hit>> {
    if named.events.is_empty() {
        return Ok(Vec::new());
    }
    let read = engine.store.read()?;
    let sure = |event: Event| {
        let shown = first_of(read.secret(), &event);
        Hit {
            match_score: 1.0,
            ..hit(read.secret(), event, shown, 1.0, 1.0)
        }
    };
    Ok(named.events.into_iter().map(sure).collect())
}

/// Records the named events as accesses, except for those that the search found with some
/// confidence, and so recorded.
pub(in crate::recall) fn record_named(engine: &Engine, named: &Named, found: &[Hit]) {
    let is_noted = |event: &Event, hit: &Hit| hit.seq == event.seq && is_sure(hit);
    let unnoted = |event: &&Event| !found.iter().any(|hit| is_noted(event, hit));
    let sure = named.events.iter().filter(unnoted);
    let now = engine.store.clock().now();
    let sure = sure.map(|event| (event.seq.0, 1.0));
    engine.accesses.record_found(sure, now);
}

/// Puts named events before everything else that a search found, at most `limit` in all.
pub(in crate::recall) fn put_first(named: Vec<Hit>, found: &mut SearchResult, limit: usize) {
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

/// Like [`named`], in the present state of the store, which is only read if anything is named. At
/// most as many events as the query gives: no one sees the others.
pub(in crate::recall) fn named_now(engine: &Engine, asked: &PreparedQuery) -> Result<Named> {
    if named_citations(&asked.query.text).is_empty() {
        return Ok(Named::default());
    }
    let mut named = named(engine, &engine.store.read()?, &asked.query)?;
    named.events.truncate(asked.limit);
    Ok(named)
}

/// Looks up the events that a prepared query names and that pass its filters.
pub(in crate::recall) fn named(engine: &Engine, read: &ReadTx, query: &Query) -> Result<Named> {
    let mut named = Named::default();
    let citations = named_citations(&query.text);
    if citations.is_empty() {
        return Ok(named);
    }
    let narrowing = Narrowing::of(engine, read, query)?;
    let project = query.project.resolve(&engine.project);
    for citation in citations {
        let event = EventRef::Citation(CitationId::from_checked(citation.id));
        let event = match read.event(&event) {
            // Reading it by name reports the damage.
            Err(error) if error.code() == ErrorCode::Corrupt => None,
            event => event?,
        };
        let Some(event) = event else { continue };
        let is_known = named.events.iter().any(|known| known.seq == event.seq);
        if is_known || !is_wanted(&event, query, project.as_deref()) {
            continue;
        }
        if let Some(narrowing) = &narrowing
            && !narrowing.admits(event.seq.0)?
        {
            continue;
        }
        named.is_request |= citation.is_request;
        named.events.push(event);
    }
    Ok(named)
}

/// Whether an event passes the filters of a query that need no other record.
fn is_wanted(event: &Event, query: &Query, project: Option<&str>) -> bool {
    let at = event.timestamp;
    event.kind.is_conversation()
        && (query.kinds.is_empty() || query.kinds.contains(&event.kind))
        && project.is_none_or(|own| event.project == own)
        && query
            .session
            .as_ref()
            .is_none_or(|own| event.session == *own)
        && query.from.is_none_or(|from| at >= from)
        && before(query).is_none_or(|before| at.millis() < before)
}
