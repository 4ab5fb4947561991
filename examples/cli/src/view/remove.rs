//! Forgetting and erasing: counts first, acts when the count is confirmed, and returns a receipt.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use recallite::{EventRef, Memory, Selector};
use serde_json::{Value, json};

use super::asked::Given;
use super::refused::{Answer, Document, Refused};
use super::shapes;
use super::viewer::Viewer;
use crate::failure::Outcome;
use crate::removal::Removal;

/// How many of the selected memories are shown before anything is done.
const SHOWN: usize = 5;

/// `{"action": "forget" | "erase", "selector": {…}}` counts; with `"confirm": COUNT`, the count
/// that the person saw, it acts.
pub(super) async fn remove(State(viewer): State<Arc<Viewer>>, body: Bytes) -> Answer {
    let given = Given::new(&body, &["action", "selector", "confirm"])?;
    let removal = match given.text("action")? {
        Some("forget") => Removal::Forget,
        Some("erase") => Removal::Erase,
        _ => return Err(Refused::wrong("action: must be forget or erase")),
    };
    let (selector, named) = selector(&given)?;
    let confirmed = given.count("confirm")?;
    let removing = Arc::clone(&viewer);
    let answer = viewer.ask(move |memory| {
        // Whoever confirms the same count at the same time is told that it has changed.
        let _one = confirmed.map(|_| removing.removing.lock());
        let count = removal.count(memory, &selector)?;
        Ok(match confirmed {
            None => Ok(preview(memory, count, &named)?),
            Some(shown) if shown != count => Err(Refused::new(
                StatusCode::CONFLICT,
                "count_changed",
                format!(
                    "there are now {count} memories, not {shown}; count again before you confirm"
                ),
            )),
            Some(_) => Ok(done(memory, removal, &selector)?),
        })
    });
    answer.await?
}

fn selector(given: &Given) -> Result<(Selector, Vec<EventRef>), Refused> {
    let wanted = given.inside(
        "selector",
        &[
            "ids",
            "sessionId",
            "eventType",
            "before",
            "project",
            "everything",
        ],
    )?;
    let mut selector = match wanted.flag("everything")? {
        true => Selector::everything(),
        false => Selector::new(),
    };
    let mut named = Vec::new();
    if let Some(ids) = wanted.texts("ids")? {
        for id in ids {
            let id = id.parse::<EventRef>();
            named.push(id.map_err(|error| Refused::from(error.about("ids")))?);
        }
        selector = selector.ids(named.iter().cloned());
    }
    let kinds = wanted.kinds("eventType")?;
    if !kinds.is_empty() {
        selector = selector.kinds(kinds);
    }
    if let Some(session) = wanted.text("sessionId")? {
        selector = selector.session(session);
    }
    if let Some(before) = wanted.moment("before")? {
        selector = selector.before(before);
    }
    Ok((selector.project(wanted.scope()?), named))
}

fn preview(memory: &Memory, count: u64, named: &[EventRef]) -> Outcome<Document> {
    let mut sample: Vec<Value> = Vec::new();
    for id in named.iter().take(SHOWN) {
        if let Some(event) = memory.event(id.clone())? {
            sample.push(shapes::event_line(&event));
        }
    }
    Ok(Document(json!({ "wouldRemove": count, "sample": sample })))
}

fn done(memory: &Memory, removal: Removal, selector: &Selector) -> Outcome<Document> {
    Ok(Document(match removal {
        Removal::Forget => {
            let receipt = memory.forget(selector)?;
            json!({ "receipt": {
                "action": removal.as_str(),
                "count": receipt.count,
                "contentBytes": receipt.content_bytes,
                "sessions": receipt.sessions,
                "segmentsWaiting": receipt.segments_waiting,
                "tombstone": receipt.tombstone.map(|seq| seq.0),
            } })
        }
        Removal::Erase => {
            let receipt = memory.erase(selector)?;
            json!({ "receipt": {
                "action": removal.as_str(),
                "count": receipt.count,
                "dependents": receipt.dependents,
                "reduced": receipt.reduced,
                "isComplete": receipt.is_complete,
                "places": receipt.places,
                "uncleanPlaces": receipt.unclean_places,
                "tombstone": receipt.tombstone.map(|seq| seq.0),
            } })
        }
    }))
}
