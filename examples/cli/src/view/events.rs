//! Events: the list, and a single one with its neighbours, its uses, and the entries that it
//! proves.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use recallite::scope::ProjectScope;
use recallite::{EntryFilter, Event, EventFilter, EventRef, Memory, Seq, Timestamp};
use serde_json::{Value, json};

use super::asked::{Asked, Given};
use super::refused::{Answer, Document};
use super::shapes;
use super::viewer::Viewer;
use crate::as_json;
use crate::evidence;
use crate::failure::Outcome;

/// How much of an event is returned unless all of it is requested, in characters.
const EVENT_CHARS: usize = 20_000;

/// Conversation events, newest first: after the first `offset`, or those after the event `before`,
/// to which it seeks directly.
pub(super) async fn list(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&["sessionId", "type", "project", "limit", "offset", "before"])?;
    let limit = asked.number("limit", 100, 1..=500)?;
    let offset = asked.number("offset", 0, 0..=usize::MAX)?;
    let (kinds, scope) = (asked.kinds("type")?, asked.scope());
    let session = asked.text("sessionId").map(str::to_owned);
    let before = asked.text("before").map(str::to_owned);
    viewer
        .ask(move |memory| {
            let mut filter = EventFilter::new()
                .kinds(kinds)
                .project(scope)
                .newest_first();
            if let Some(session) = &session {
                filter = filter.session(session);
            }
            let total = memory.count_events(&filter)?;
            let events = match &before {
                None => lines(memory.events(filter.offset(offset).limit(limit))?)?,
                Some(named) => {
                    let named = named.parse::<EventRef>();
                    let named = named.map_err(|error| error.about("before"))?;
                    let behind = place(memory, named)?;
                    // Events of the same millisecond are distinguished here.
                    let until = Timestamp::from_millis_clamped(behind.0.millis() + 1);
                    let all = memory.events(filter.until(until))?;
                    let is_left = |event: &recallite::Result<Event>| match event {
                        Ok(event) => (event.timestamp, event.seq) < behind,
                        Err(_) => true,
                    };
                    lines(all.filter(is_left).skip(offset).take(limit))?
                }
            };
            Ok(Document(json!({ "events": events, "total": total })))
        })
        .await
}

/// The lines of the list.
fn lines(events: impl Iterator<Item = recallite::Result<Event>>) -> Outcome<Vec<Value>> {
    let mut lines = Vec::new();
    for event in events {
        lines.push(shapes::event_line(&event?));
    }
    Ok(lines)
}

/// The position of an event in the order of events.
fn place(memory: &Memory, event: EventRef) -> Outcome<(Timestamp, Seq)> {
    let event = memory.citations().detail(event)?.event;
    Ok((event.timestamp, event.seq))
}

/// One event, by its citation or its id.
pub(super) async fn one(
    State(viewer): State<Arc<Viewer>>,
    Path(id): Path<String>,
    asked: Asked,
) -> Answer {
    asked.only(&["full"])?;
    let max_chars = match asked.flag("full")? {
        true => usize::MAX,
        false => EVENT_CHARS,
    };
    viewer
        .ask(move |memory| {
            let named: EventRef = id.parse()?;
            described(memory, named, max_chars)
        })
        .await
}

/// `{"pinned": true | false}`: whether a memory is at the top of its project's context.
pub(super) async fn pin(
    State(viewer): State<Arc<Viewer>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Answer {
    let given = Given::new(&body, &["pinned"])?;
    let wants_pin = given.required_flag("pinned")?;
    viewer
        .ask(move |memory| {
            let named: EventRef = id.parse()?;
            let levels = memory.levels();
            match wants_pin {
                true => levels.pin(named.clone())?,
                false => levels.unpin(named.clone())?,
            };
            let is_pinned = levels.get(named)?.is_pinned;
            Ok(Document(json!({ "isPinned": is_pinned })))
        })
        .await
}

fn described(memory: &Memory, event: EventRef, max_chars: usize) -> Outcome<Document> {
    let citations = memory.citations();
    let detail = citations.detail(event)?;
    let event = &detail.event;
    let full = memory.details(&[event.id.into()])?;
    let level = memory.levels().get(event.id)?;
    let used = level.usage.as_ref().map(|usage| {
        json!({
            "accessCount": usage.access_count,
            "confidence": usage.confidence,
            "otherSessions": usage.cross_session_refs,
        })
    });
    Ok(Document(json!({
        "citation": shapes::citation(event),
        "event": shapes::event(event, max_chars),
        "source": memory.sharing().source(event.id)?.as_ref().map(as_json::source),
        "tokenCount": full.first().map(|detail| detail.token_count),
        "files": full.first().map(|detail| detail.files.clone()),
        "related": {
            "previous": detail.previous.as_ref().map(shapes::neighbour),
            "next": detail.next.as_ref().map(shapes::neighbour),
        },
        "usage": {
            "count": detail.usage_count,
            "lastUsed": detail.last_used.map(shapes::time),
            "sessions": citations.citing_sessions(event.id, None)?,
            "level": level.level.as_str(),
            "isPinned": level.is_pinned,
            "found": used,
        },
        "proves": proves(memory, event)?,
    })))
}

/// The entries that quote an event, with the quotes.
fn proves(memory: &Memory, event: &Event) -> Outcome<Vec<Value>> {
    let learned = memory.knowledge().entries(
        &EntryFilter::default()
            .project(ProjectScope::All)
            .session(event.session.clone()),
    )?;
    let id = event.id.to_string();
    let quoting = learned.iter().filter_map(|learned| {
        let quotes: Vec<&str> = evidence::spans(learned)
            .iter()
            .filter(|span| span.event_id.as_deref() == Some(&id))
            .filter_map(|span| evidence::words(event, span))
            .collect();
        (!quotes.is_empty()).then(|| {
            let mut value = shapes::entry(learned);
            value["quotes"] = json!(quotes);
            value
        })
    });
    Ok(quoting.collect())
}
