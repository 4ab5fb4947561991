//! The live stream: shows what any process appends as it happens.
//!
//! Server-sent events, each `{"channel", "data"}` as in the specification, section 24. The id of an
//! event is its place in the log, so that a browser that reconnects continues where it was. If
//! the store holds another log by then, the browser is told to read everything anew.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{Stream, unfold};
use recallite::{Event, EventKind, Memory};
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;

use super::asked::Asked;
use super::log_place::LogPlace;
use super::refused::Refused;
use super::shapes;
use super::viewer::Viewer;
use crate::failure::Outcome;
use crate::output::harmless_json;

/// Changes within this time are sent together.
const GATHER: Duration = Duration::from_millis(100);
/// How long one check of the store waits for something new.
const WAIT: Duration = Duration::from_secs(1);
/// The maximum number of changes to read at once.
const BATCH: usize = 256;
/// How long a browser waits before it reconnects.
const RETRY: Duration = Duration::from_secs(3);

#[derive(Default)]
struct Wanted {
    events: bool,
    stats: bool,
    outbox: bool,
    session: Option<String>,
    kinds: Vec<EventKind>,
}

pub(super) async fn stream(
    State(viewer): State<Arc<Viewer>>,
    headers: HeaderMap,
    asked: Asked,
) -> Result<Response, Refused> {
    let wanted = wanted(&asked)?;
    let permit = Arc::clone(&viewer.streams).try_acquire_owned();
    let permit = permit.map_err(|_| {
        Refused::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too_many_streams",
            "ten live streams are already open; close another window",
        )
    })?;
    let seen = seen(&headers, &asked)?;
    // Before the memory is asked, so that one that is opened meanwhile is noticed.
    let opening = viewer.opening();
    let (after, is_known) = viewer.ask(move |memory| begin(memory, seen)).await?;
    let mut followed = Followed {
        viewer,
        opening,
        wanted,
        after: after.clone(),
        ready: VecDeque::from([Message::default().retry(RETRY)]),
        _permit: permit,
    };
    followed.say(
        "events",
        json!({ "type": "connected", "lastSeq": after.seq.0 }),
        &after,
    );
    if !is_known {
        followed.say("events", json!({ "type": "reload" }), &after);
    }
    let messages = Sse::new(followed.messages());
    Ok(messages.keep_alive(KeepAlive::default()).into_response())
}

/// Where a browser says that it was.
enum Seen {
    /// It comes for the first time.
    Nothing,
    Place(LogPlace),
    /// An id that this viewer does not give.
    Unknown,
}

fn seen(headers: &HeaderMap, asked: &Asked) -> Result<Seen, Refused> {
    if let Some(id) = headers.get("last-event-id") {
        let place = id.to_str().ok().and_then(|id| id.parse().ok());
        return Ok(place.map_or(Seen::Unknown, Seen::Place));
    }
    let Some(after) = asked.text("after") else {
        return Ok(Seen::Nothing);
    };
    let wrong = |()| Refused::wrong("after: must be a position of the log, or an id of the stream");
    after.parse().map(Seen::Place).map_err(wrong)
}

/// Where the stream begins, and whether the browser knows all that is before it.
fn begin(memory: &Memory, seen: Seen) -> Outcome<(LogPlace, bool)> {
    match seen {
        Seen::Nothing => Ok((LogPlace::last(memory)?, true)),
        Seen::Place(place) if place.is_in(memory)? => Ok((LogPlace::at(memory, place.seq)?, true)),
        Seen::Place(_) | Seen::Unknown => Ok((LogPlace::last(memory)?, false)),
    }
}

fn wanted(asked: &Asked) -> Result<Wanted, Refused> {
    asked.only(&["channels", "sessionId", "eventType", "after"])?;
    let mut wanted = Wanted {
        session: asked.text("sessionId").map(str::to_owned),
        kinds: asked.kinds("eventType")?,
        ..Wanted::default()
    };
    for channel in asked.text("channels").unwrap_or("events").split(',') {
        match channel {
            "events" => wanted.events = true,
            "stats" => wanted.stats = true,
            "outbox" => wanted.outbox = true,
            _ => return Err(Refused::wrong("channels: must be events, stats or outbox")),
        }
    }
    Ok(wanted)
}

/// A client that follows the log.
struct Followed {
    viewer: Arc<Viewer>,
    /// Which opening of the store `after` belongs to.
    opening: u64,
    wanted: Wanted,
    after: LogPlace,
    ready: VecDeque<Message>,
    _permit: OwnedSemaphorePermit,
}

impl Followed {
    fn messages(self) -> impl Stream<Item = Result<Message, Infallible>> {
        unfold(self, |mut followed| async move {
            loop {
                if let Some(message) = followed.ready.pop_front() {
                    return Some((Ok(message), followed));
                }
                // If the store cannot be read, the stream ends, and the browser tries again.
                followed.wait().await.ok()??;
            }
        })
    }

    /// Waits for something new for a while, and turns it into messages. `None` once the store was
    /// opened again: it may be another one, and the browser that connects again is told.
    async fn wait(&mut self) -> Result<Option<()>, Refused> {
        let after = self.after.seq;
        let last = self
            .viewer
            .ask(move |memory| Ok(memory.wait_for_change(after, WAIT)?))
            .await?;
        if self.viewer.opening() != self.opening {
            return Ok(None);
        }
        if last <= after {
            return Ok(Some(()));
        }
        tokio::time::sleep(GATHER).await;
        let (events, stats) = self
            .viewer
            .ask(move |memory| {
                let events = memory.changes_since(after, BATCH)?;
                Ok((events, memory.stats()?))
            })
            .await?;
        if self.viewer.opening() != self.opening {
            return Ok(None);
        }
        self.after = match events.last() {
            Some(event) => LogPlace::of(event),
            // Only positions that were erased meanwhile: continue after them.
            None => LogPlace::erased(last),
        };
        for event in &events {
            if let Some(data) = self.told(event) {
                self.say("events", data, &LogPlace::of(event));
            }
        }
        let after = self.after.clone();
        if self.wanted.stats {
            let figures = json!({ "type": "stats", "events": stats.events, "sessions":
                stats.sessions, "sizeBytes": stats.size_bytes });
            self.say("stats", figures, &after);
        }
        if self.wanted.outbox && stats.embedding.is_some() {
            let mut jobs = shapes::embeddings(&stats);
            jobs["type"] = json!("outbox_update");
            self.say("outbox", jobs, &after);
        }
        Ok(Some(()))
    }

    /// The message for a change: conversation events as a line; for everything else, only that
    /// there is something new.
    fn told(&self, event: &Event) -> Option<Value> {
        let wanted = &self.wanted;
        if !wanted.events {
            return None;
        }
        if !event.kind.is_conversation() {
            return Some(json!({ "type": "changed", "kind": event.kind.as_str() }));
        }
        let is_wanted = wanted.kinds.contains(&event.kind)
            && wanted
                .session
                .as_ref()
                .is_none_or(|session| *session == event.session);
        is_wanted.then(|| {
            let mut line = shapes::event_line(event);
            line["eventId"] = line["id"].clone();
            line["eventType"] = line["type"].clone();
            json!({ "type": "new_event", "event": line })
        })
    }

    fn say(&mut self, channel: &str, data: Value, place: &LogPlace) {
        let text = harmless_json(&json!({ "channel": channel, "data": data }));
        let message = Message::default().id(place.to_string()).data(text);
        self.ready.push_back(message);
    }
}
