//! Reads what is pinned.

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::event::{Event, EventKind};
use crate::model::ids::{CitationId, EventId, EventRef, Seq};
use crate::model::time::Timestamp;
use crate::projection::pins;
use crate::scope::ProjectScope;
use crate::store::ReadTx;
use crate::text::summary::event_summary;
use crate::write::prepare::wanted_project;

/// A pinned event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinnedEvent {
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
    /// The project it belongs to; empty if there is none.
    pub project: String,
    /// A one-line preview of at most 100 characters.
    pub preview: String,
    /// When it was pinned.
    pub pinned_at: Timestamp,
}

/// [`Levels::pinned`](crate::Levels::pinned).
pub(crate) fn pinned(engine: &Engine, scope: &ProjectScope) -> Result<Vec<PinnedEvent>> {
    let project = wanted_project(engine, scope)?;
    let is_wanted = |event: &Event| project.as_ref().is_none_or(|own| event.project == *own);
    let found = pinned_events(&engine.store.read()?, &is_wanted, usize::MAX)?;
    Ok(found
        .into_iter()
        .map(|(event, pinned_at)| PinnedEvent {
            preview: event_summary(&event),
            id: event.id,
            seq: event.seq,
            citation: event.citation,
            kind: event.kind,
            session: event.session,
            project: event.project,
            pinned_at,
        })
        .collect())
}

/// The wanted ones of the pinned events, the latest pinned first.
pub(crate) fn pinned_events(
    read: &ReadTx,
    is_wanted: &dyn Fn(&Event) -> bool,
    limit: usize,
) -> Result<Vec<(Event, Timestamp)>> {
    let mut found = Vec::new();
    for (id, at) in pins::all(&read.projected()?)? {
        if found.len() == limit {
            break;
        }
        let event = read.event(&EventRef::Id(id))?;
        found.extend(event.filter(is_wanted).map(|event| (event, at)));
    }
    Ok(found)
}
