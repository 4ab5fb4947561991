//! Finds events that a question names by citation: they come first, whatever its words match.

use crate::engine::Engine;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::Event;
use crate::model::ids::{CitationId, EventRef};
use crate::model::query::Query;
use crate::rules::asking::named_citations;
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
