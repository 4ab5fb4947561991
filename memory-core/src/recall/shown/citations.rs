//! Serves citations: an event with its neighbours and its usage, the most used events, and
//! the sessions that were given one.

use std::collections::HashSet;

use crate::engine::Engine;
use crate::model::error::{Error, Result, unless_damaged};
use crate::model::event::{Event, EventKind};
use crate::model::ids::{CitationId, EventId, EventRef, Seq};
use crate::model::time::Timestamp;
use crate::recall::shown::read;
use crate::store::ReadTx;
use crate::store::index_tables::usage::Total;
use crate::store::tables::Facet;
use crate::text::summary::{event_preview, event_summary};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The maximum number of citations that [`Citations::popular`](crate::Citations::popular)
/// returns.
pub const MAX_POPULAR_CITATIONS: usize = 1_000;

/// An event next to a cited one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CitationNeighbour {
    /// The event's id.
    pub id: EventId,
    /// Its citation.
    pub citation: CitationId,
    /// What kind of event it is.
    pub kind: EventKind,
    /// When it happened.
    pub timestamp: Timestamp,
    /// A one-line preview of at most 200 characters.
    pub preview: String,
}

/// A cited event with its neighbours and how it was used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CitationDetail {
    /// The event.
    pub event: Event,
    /// The previous event of its session.
    pub previous: Option<CitationNeighbour>,
    /// The next event of its session.
    pub next: Option<CitationNeighbour>,
    /// How often it was given to an agent.
    pub usage_count: u64,
    /// When it was last given to an agent.
    pub last_used: Option<Timestamp>,
}

/// A citation that was given to agents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PopularCitation {
    /// The event's id.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// What kind of event it is.
    pub kind: EventKind,
    /// The session it belongs to.
    pub session: String,
    /// A one-line preview of at most 100 characters.
    pub preview: String,
    /// How often it was used in the window.
    pub usage_count: u64,
    /// When it was last used.
    pub last_used: Timestamp,
}

/// [`Citations::detail`](crate::Citations::detail).
pub(crate) fn detail(engine: &Engine, name: &EventRef) -> Result<CitationDetail> {
    let event = read::required_event(engine, name)?;
    let read = engine.store.read()?;
    let [previous, next] = beside(&read, &event)?;
    let total = read.total_usage(event.seq.0)?;
    Ok(CitationDetail {
        previous,
        next,
        usage_count: total.map_or(0, |total| total.uses),
        last_used: total.map(|total| Timestamp::from_millis_clamped(total.last_ms)),
        event,
    })
}

/// [`Citations::popular`](crate::Citations::popular).
pub(crate) fn popular(
    engine: &Engine,
    limit: usize,
    window_days: Option<u32>,
) -> Result<Vec<PopularCitation>> {
    if !(1..=MAX_POPULAR_CITATIONS).contains(&limit) {
        return Err(Error::invalid(
            "limit",
            format_args!("must be between 1 and {MAX_POPULAR_CITATIONS}, not {limit}"),
        ));
    }
    let read = engine.store.read()?;
    let mut popular = Vec::new();
    let mut add = |seq: u64, total: Total| -> Result<bool> {
        let event = read.event_at(seq)?;
        popular.extend(event.map(|event| PopularCitation {
            preview: event_summary(read.secret(), &event),
            id: event.id,
            seq: event.seq,
            citation: event.citation,
            kind: event.kind,
            session: event.session,
            usage_count: total.uses,
            last_used: Timestamp::from_millis_clamped(total.last_ms),
        }));
        Ok(popular.len() < limit)
    };
    let Some(days) = window_days else {
        read.each_most_used(add)?;
        return Ok(popular);
    };
    let now = engine.store.clock().now().millis();
    let since = now.saturating_sub(i64::from(days).saturating_mul(DAY_MS));
    let mut used: Vec<(u64, Total)> = read.usage_since(since)?.into_iter().collect();
    used.sort_by_key(|(seq, total)| (std::cmp::Reverse((total.uses, total.last_ms)), *seq));
    for (seq, total) in used {
        if !add(seq, total)? {
            break;
        }
    }
    Ok(popular)
}

/// The default number of sessions returned.
const CITING_SESSIONS: usize = 1_000;

/// [`Citations::citing_sessions`](crate::Citations::citing_sessions).
pub(crate) fn citing_sessions(
    engine: &Engine,
    name: &EventRef,
    limit: Option<usize>,
) -> Result<Vec<String>> {
    let event = read::required_event(engine, name)?;
    let limit = limit.unwrap_or(CITING_SESSIONS);
    let read = engine.store.read()?;
    let mut seen = HashSet::new();
    let mut sessions = Vec::new();
    read.each_usage_back(event.seq.0, |usage| {
        if sessions.len() < limit && seen.insert(usage.session) {
            sessions.extend(read.name(Facet::Session, usage.session)?);
        }
        Ok(sessions.len() < limit)
    })?;
    Ok(sessions)
}

/// The events before and after one in its session.
fn beside(read: &ReadTx, event: &Event) -> Result<[Option<CitationNeighbour>; 2]> {
    let Some((session, _)) = read.session(&event.session)? else {
        return Ok([None, None]);
    };
    let around = read.neighbours(session, event.timestamp, event.seq.0, 1, 1)?;
    let Some(here) = around.iter().position(|seq| *seq == event.seq.0) else {
        return Ok([None, None]);
    };
    let glance = |place: Option<usize>| -> Result<Option<CitationNeighbour>> {
        let seq = place.and_then(|place| around.get(place));
        // A damaged neighbour is left out.
        let found = seq.map_or(Ok(None), |seq| unless_damaged(read.event_at(*seq)))?;
        Ok(found.map(|event| CitationNeighbour {
            id: event.id,
            preview: event_preview(read.secret(), &event),
            citation: event.citation,
            kind: event.kind,
            timestamp: event.timestamp,
        }))
    };
    Ok([glance(here.checked_sub(1))?, glance(Some(here + 1))?])
}
