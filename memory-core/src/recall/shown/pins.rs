//! Reads what is pinned.

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Event, EventKind};
use crate::model::ids::{CitationId, EventId, EventRef, Seq};
use crate::model::time::Timestamp;
use crate::projection::pins;
use crate::scope::ProjectScope;
use crate::store::ReadTx;
use crate::store::log::event_view::EventView;
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
    let is_wanted =
        |event: &EventView<'_>| project.as_ref().is_none_or(|own| event.project() == own);
    let read = engine.store.read()?;
    let found = pinned_events(&read, &is_wanted, usize::MAX)?;
    if let Some(damage) = found.damage {
        return Err(damage);
    }
    Ok(found
        .events
        .into_iter()
        .map(|(event, pinned_at)| PinnedEvent {
            preview: event_summary(read.secret(), &event),
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

/// What is pinned, as far as it can be read.
#[derive(Default)]
pub(in crate::recall) struct Pinned {
    /// The latest pinned first.
    pub(in crate::recall) events: Vec<(Event, Timestamp)>,
    /// Why one of them could not be read.
    pub(in crate::recall) damage: Option<Error>,
}

/// The wanted ones of the pinned events. The others are not copied: there may be many.
pub(in crate::recall) fn pinned_events(
    read: &ReadTx,
    is_wanted: &dyn Fn(&EventView<'_>) -> bool,
    limit: usize,
) -> Result<Pinned> {
    let mut found = Pinned::default();
    for (id, at) in pins::all(&read.projected()?)? {
        if found.events.len() == limit {
            break;
        }
        match wanted_event(read, id, is_wanted) {
            Err(error) if error.code() == ErrorCode::Corrupt => found.damage = Some(error),
            event => found.events.extend(event?.map(|event| (event, at))),
        }
    }
    Ok(found)
}

/// An event, if it is there and wanted.
fn wanted_event(
    read: &ReadTx,
    id: EventId,
    is_wanted: &dyn Fn(&EventView<'_>) -> bool,
) -> Result<Option<Event>> {
    let Some(guard) = read.guard(&EventRef::Id(id))? else {
        return Ok(None);
    };
    let event = guard.view()?;
    Ok(is_wanted(&event).then(|| event.to_event()))
}
