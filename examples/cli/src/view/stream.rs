//! The live stream: shows what any process appends as it happens.
//!
//! Server-sent events, each `{"channel", "data"}` as in the specification, section 24. The id of an
//! event is its position in the log, so that a browser that reconnects continues where it was.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{Stream, unfold};
use recallite::{Event, EventKind, Seq};
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;

use super::asked::Asked;
use super::refused::Refused;
use super::shapes;
use super::viewer::Viewer;
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
    let seen = headers
        .get("last-event-id")
        .and_then(|id| id.to_str().ok()?.parse().ok());
    let after = match (seen, asked.text("after")) {
        (Some(seen), _) => Seq(seen),
        (None, Some(_)) => Seq(asked.number("after", 0, 0..=usize::MAX)? as u64),
        (None, None) => {
            let last = viewer.ask(|memory| Ok(memory.stats()?.last_seq)).await?;
            Seq(last)
        }
    };
    let mut followed = Followed {
        viewer,
        wanted,
        after,
        ready: VecDeque::from([Message::default().retry(RETRY)]),
        _permit: permit,
    };
    followed.say(
        "events",
        json!({ "type": "connected", "lastSeq": after.0 }),
        after,
    );
    let messages = Sse::new(followed.messages());
    Ok(messages.keep_alive(KeepAlive::default()).into_response())
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
    wanted: Wanted,
    after: Seq,
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
                followed.wait().await.ok()?;
            }
        })
    }

    /// Waits for something new for a while, and turns it into messages.
    async fn wait(&mut self) -> Result<(), Refused> {
        let after = self.after;
        let last = self
            .viewer
            .ask(move |memory| Ok(memory.wait_for_change(after, WAIT)?))
            .await?;
        if last <= after {
            return Ok(());
        }
        tokio::time::sleep(GATHER).await;
        let (events, stats) = self
            .viewer
            .ask(move |memory| {
                let events = memory.changes_since(after, BATCH)?;
                Ok((events, memory.stats()?))
            })
            .await?;
        // Only positions that were erased meanwhile: continue after them.
        self.after = events.last().map_or(last, |event| event.seq);
        for event in &events {
            if let Some(data) = self.told(event) {
                self.say("events", data, event.seq);
            }
        }
        if self.wanted.stats {
            let figures = json!({ "type": "stats", "events": stats.events, "sessions":
                stats.sessions, "sizeBytes": stats.size_bytes });
            self.say("stats", figures, self.after);
        }
        if self.wanted.outbox && stats.embedding.is_some() {
            let mut jobs = shapes::embeddings(&stats);
            jobs["type"] = json!("outbox_update");
            self.say("outbox", jobs, self.after);
        }
        Ok(())
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

    fn say(&mut self, channel: &str, data: Value, seq: Seq) {
        let text = harmless_json(&json!({ "channel": channel, "data": data }));
        let message = Message::default().id(seq.0.to_string()).data(text);
        self.ready.push_back(message);
    }
}
