//! Reads the log: an event by any of its names, and events that match a filter in
//! chronological order.

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::Event;
use crate::model::filter::{EventFilter, ToolOutcome, check_calls};
use crate::model::ids::{CitationId, EventRef};
use crate::model::query::MAX_QUERY_BYTES;
use crate::model::shorten::short;
use crate::privacy::without_markers;
use crate::store::ReadTx;
use crate::store::index_tables::calls::WantedCall;
use crate::store::log::event_view::{EventGuard, EventView};
use crate::store::log::scan::{Scan, Wanted};
use crate::text::fence::{may_hold_fence, outside_fences};
use crate::text::keys::canonical_key;
use crate::write::prepare;

/// [`Memory::event`](crate::Memory::event).
pub(crate) fn event(engine: &Engine, event: &EventRef) -> Result<Option<Event>> {
    engine.store.read()?.event(event)
}

/// [`Views::guard`](crate::Views::guard).
pub(crate) fn guard(engine: &Engine, event: &EventRef) -> Result<Option<EventGuard>> {
    engine.store.read()?.guard(event)
}

/// A question after the privacy filter.
pub(crate) struct FilteredQuestion {
    /// As it would be stored.
    pub(crate) stored: String,
    /// What is searched, cached and embedded: the same without what the library itself put in,
    /// which are the markers of what was hidden and the contexts of earlier questions. Blank if
    /// nothing else was asked.
    pub(crate) searched: String,
}

impl FilteredQuestion {
    /// Filters a question. Its parts are hidden before it is cut, because a section that loses
    /// its end hides nothing.
    pub(crate) fn of(engine: &Engine, text: &str) -> Result<Self> {
        let filtered = engine.filter.text(text);
        let mut stored = filtered.text.into_string();
        // A marker is part of what the token of a fence is made from, so the fences go first.
        let mut searched = match may_hold_fence(&stored) {
            true => outside_fences(engine.store.read()?.secret(), &stored).into_owned(),
            false => stored.clone(),
        };
        if filtered.report.changed() {
            searched = without_markers(&searched);
        }
        for text in [&mut stored, &mut searched] {
            text.truncate(text.floor_char_boundary(MAX_QUERY_BYTES));
        }
        Ok(FilteredQuestion { stored, searched })
    }
}

/// Whether a stored text is a question, given as [`FilteredQuestion::stored`].
pub(crate) fn is_question(text: &str, question: &str) -> bool {
    let cut = &text[..text.floor_char_boundary(MAX_QUERY_BYTES)];
    [text, cut]
        .iter()
        .any(|text| text.trim() == question.trim())
}

/// The event named by the caller's argument `event`, or `not_found`.
pub(crate) fn required_event(engine: &Engine, named: &EventRef) -> Result<Event> {
    event(engine, named)?.ok_or_else(|| not_here(named))
}

/// The error for an argument `event` that names nothing.
pub(crate) fn not_here(named: &EventRef) -> Error {
    let problem = format!("event {named} does not exist or was forgotten");
    Error::new(ErrorCode::NotFound, problem).with_argument("event")
}

/// An id as the ledgers and the graph have it: that of an event may also be given as its citation.
pub(crate) fn full_id(engine: &Engine, argument: &str, id: &str) -> Result<String> {
    let citation = match id.parse::<CitationId>() {
        Ok(citation) if citation.to_string() == id => EventRef::Citation(citation),
        _ => return Ok(id.to_owned()),
    };
    match event(engine, &citation)? {
        Some(event) => Ok(event.id.to_string()),
        None => Err(not_here(&citation).about(argument)),
    }
}

/// [`Memory::citation`](crate::Memory::citation).
pub(crate) fn citation(engine: &Engine, text: &str) -> Result<Event> {
    let name: EventRef = text.parse().map_err(|error: Error| error.about("text"))?;
    event(engine, &name)?.ok_or_else(|| {
        Error::new(
            ErrorCode::NotFound,
            format!(
                "event {} does not exist or was forgotten",
                short(text.trim())
            ),
        )
        .with_argument("text")
    })
}

/// The tool calls that a filter selects, by their stored names.
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

/// The canonical key of a text as it would be stored.
fn repeated_key(engine: &Engine, text: Option<&str>) -> Result<Option<String>> {
    let Some(text) = text else {
        return Ok(None);
    };
    let kept = engine.filter.text(text).text.into_string();
    let key = canonical_key(&kept, None);
    match key.is_empty() {
        true => Err(Error::invalid(
            "repeats",
            "needs at least one letter or digit that is not private",
        )),
        false => Ok(Some(key)),
    }
}

/// [`Memory::count_events`](crate::Memory::count_events).
pub(crate) fn count_events(engine: &Engine, filter: &EventFilter) -> Result<u64> {
    let mut walk = Walk::new(engine, filter.clone())?;
    let read = engine.store.read()?;
    if let Some(count) = read.counted_events(walk.scan.wanted())? {
        let behind = count.saturating_sub(walk.offset as u64);
        return Ok(behind.min(walk.left as u64));
    }
    Ok(walk.skip_in(&read, usize::MAX)? as u64)
}

/// The position of a walk through the events.
#[derive(Debug)]
pub(crate) struct Walk {
    scan: Scan,
    /// How many are to be skipped before the next one is returned.
    offset: usize,
    /// How many more may be returned.
    left: usize,
    /// True after the end or an error.
    is_over: bool,
}

impl Walk {
    /// A walk through the events that match a filter.
    pub(crate) fn new(engine: &Engine, filter: EventFilter) -> Result<Self> {
        let wanted = Wanted {
            project: prepare::wanted_project(engine, &filter.project)?,
            session: prepare::read_session_option(engine, filter.session.as_deref())?,
            kinds: filter.kinds,
            from: filter.from,
            until: filter.until,
            call: wanted_call(
                engine,
                &filter.tools,
                filter.file_contains.as_deref(),
                filter.tool_outcome,
            )?,
            repeats: repeated_key(engine, filter.repeats.as_deref())?,
            newest_first: filter.newest_first,
        };
        Ok(Walk {
            scan: Scan::new(wanted),
            offset: filter.offset,
            left: filter.limit.unwrap_or(usize::MAX),
            is_over: false,
        })
    }

    /// The next event, as it is stored now.
    pub(crate) fn next(&mut self, engine: Result<&Engine>) -> Option<Result<Event>> {
        if self.is_over {
            return None;
        }
        let read = engine.and_then(|engine| engine.store.read());
        let step = read.and_then(|read| self.step(&read)).transpose();
        self.is_over = !matches!(step, Some(Ok(_)));
        step.map(|step| step.and_then(|guard| Ok(guard.view()?.to_event())))
    }

    /// Skips so many events without reading them; false at the end.
    ///
    /// # Errors
    /// As [`Walk::next`]; the walk is over then.
    pub(crate) fn skip(&mut self, engine: Result<&Engine>, count: usize) -> Result<bool> {
        if self.is_over || count == 0 {
            return Ok(!self.is_over);
        }
        let skipped = engine
            .and_then(|engine| engine.store.read())
            .and_then(|read| self.skip_in(&read, count));
        self.is_over |= skipped.is_err();
        Ok(skipped? == count)
    }

    /// Skips at most so many events, as a transaction sees them. Returns how many there were.
    fn skip_in(&mut self, read: &ReadTx, count: usize) -> Result<usize> {
        self.skip_offset(read)?;
        let skipped = match self.is_over {
            true => 0,
            false => read.scan_skip(&mut self.scan, count.min(self.left))?,
        };
        self.left -= skipped;
        self.is_over |= skipped < count;
        Ok(skipped)
    }

    fn skip_offset(&mut self, read: &ReadTx) -> Result<()> {
        if self.offset > 0 && self.left > 0 && !self.is_over {
            self.is_over = read.scan_skip(&mut self.scan, self.offset)? < self.offset;
            self.offset = 0;
        }
        Ok(())
    }

    /// The page of the next event, as a transaction sees it; `None` at the end.
    pub(in crate::recall) fn step(&mut self, read: &ReadTx) -> Result<Option<EventGuard>> {
        self.skip_offset(read)?;
        if self.left == 0 || self.is_over {
            return Ok(None);
        }
        let step = read.scan_next(&mut self.scan)?;
        match step {
            Some(_) => self.left -= 1,
            None => self.is_over = true,
        }
        Ok(step)
    }

    /// Goes back to just after an event, since which so many were returned.
    pub(in crate::recall) fn go_back_to(&mut self, event: &EventView<'_>, given_since: usize) {
        self.scan.go_back_to(event.timestamp(), event.seq().0);
        self.left = self.left.saturating_add(given_since);
        self.is_over = false;
    }
}
