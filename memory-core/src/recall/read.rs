//! Reading the log: an event by any of its names, and events in the order of time
//! that fit a filter.

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::Event;
use crate::model::filter::{EventFilter, ToolOutcome, check_calls};
use crate::model::ids::EventRef;
use crate::store::calls::WantedCall;
use crate::store::scan::{Scan, Wanted};
use crate::write::prepare;

/// [`Memory::event`](crate::Memory::event).
pub(crate) fn event(engine: &Engine, event: &EventRef) -> Result<Option<Event>> {
    engine.store.read()?.event(event)
}

/// An event that a caller names in the argument `event`; `not_found` when there
/// is none.
pub(crate) fn required_event(engine: &Engine, named: &EventRef) -> Result<Event> {
    event(engine, named)?.ok_or_else(|| {
        let problem = format!("there is no event {named}, or it was forgotten");
        Error::new(ErrorCode::NotFound, problem).with_argument("event")
    })
}

/// [`Memory::citation`](crate::Memory::citation).
pub(crate) fn citation(engine: &Engine, text: &str) -> Result<Event> {
    let name: EventRef = text.parse().map_err(|error: Error| error.about("text"))?;
    event(engine, &name)?.ok_or_else(|| {
        Error::new(ErrorCode::NotFound, format!("no event is named {text}")).with_argument("text")
    })
}

/// The calls of tools that a filter wants, by the names that they are kept under.
///
/// # Errors
/// `invalid_argument` for names that no call can have.
pub(crate) fn wanted_call(
    engine: &Engine,
    tools: &[String],
    file_contains: Option<&str>,
    outcome: Option<ToolOutcome>,
) -> Result<WantedCall> {
    check_calls(tools, file_contains)?;
    let clean = |name: &str| engine.filter.text(name).text.into_string();
    Ok(WantedCall {
        tools: tools.iter().map(|name| clean(name)).collect(),
        file_contains: file_contains.map(clean),
        outcome,
    })
}

/// How far a walk through the events has come.
#[derive(Debug)]
pub(crate) struct Walk {
    scan: Scan,
    /// How many may still be given; 0 after the end or an error.
    left: usize,
}

impl Walk {
    /// A walk through the events that fit a filter.
    pub(crate) fn new(engine: &Engine, filter: EventFilter) -> Result<Self> {
        let wanted = Wanted {
            project: prepare::wanted_project(engine, &filter.project)?,
            session: prepare::kept_option(engine, filter.session.as_deref())?,
            kinds: filter.kinds,
            from: filter.from,
            until: filter.until,
            call: wanted_call(
                engine,
                &filter.tools,
                filter.file_contains.as_deref(),
                filter.tool_outcome,
            )?,
            newest_first: filter.newest_first,
        };
        Ok(Walk {
            scan: Scan::new(wanted),
            left: filter.limit.unwrap_or(usize::MAX),
        })
    }

    /// The next event, as it is stored now.
    pub(crate) fn next(&mut self, engine: Result<&Engine>) -> Option<Result<Event>> {
        if self.left == 0 {
            return None;
        }
        let step = engine
            .and_then(|engine| engine.store.read())
            .and_then(|read| read.scan_next(&mut self.scan))
            .transpose();
        self.left = match step {
            Some(Ok(_)) => self.left - 1,
            Some(Err(_)) | None => 0,
        };
        step
    }
}
