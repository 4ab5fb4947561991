//! Sessions: the list, a single one with its turns, and the projects.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use recallite::scope::ProjectScope;
use recallite::text::summary::preview;
use recallite::text::tokens::estimate_tokens;
use recallite::{EventFilter, EventKind, Memory, Session};
use serde_json::{Value, json};

use super::asked::Asked;
use super::refused::{Answer, Document};
use super::shapes;
use super::viewer::Viewer;
use crate::failure::{Failure, Outcome};
use crate::time::now;

/// How much of a turn is returned in the list of a session's turns, in characters.
const TURN_CHARS: usize = 2_000;

/// The conversations, the most recently active one first.
pub(super) async fn list(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&["page", "pageSize", "project", "text", "status"])?;
    let page = asked.number("page", 1, 1..=usize::MAX)?;
    let size = asked.number("pageSize", 20, 1..=200)?;
    let text = asked.text("text").map(str::to_lowercase);
    let status = asked.text("status").map(str::to_owned);
    if status
        .as_deref()
        .is_some_and(|s| s != "active" && s != "ended")
    {
        return Err(super::refused::Refused::wrong(
            "status: must be active or ended",
        ));
    }
    let scope = asked.scope();
    viewer
        .ask(move |memory| {
            let now = now();
            let mut sessions = spoken(memory, scope)?;
            sessions.retain(|session| {
                let state = if shapes::is_active(session, now) {
                    "active"
                } else {
                    "ended"
                };
                text.as_ref().is_none_or(|text| mentions(session, text))
                    && status.as_ref().is_none_or(|status| status == state)
            });
            let total = sessions.len();
            let from = (page - 1).saturating_mul(size).min(total);
            let shown = &sessions[from..(from + size).min(total)];
            let mut listed = Vec::with_capacity(shown.len());
            for session in shown {
                let mut value = shapes::session(session, now);
                value["title"] = json!(title(memory, session)?);
                listed.push(value);
            }
            Ok(Document(json!({
                "sessions": listed,
                "total": total,
                "page": page,
                "pageSize": size,
                "hasMore": from + shown.len() < total,
            })))
        })
        .await
}

/// The title of a conversation: its summary, or its first prompt. Its name is often a meaningless
/// number.
fn title(memory: &Memory, session: &Session) -> Outcome<Option<String>> {
    if let Some(summary) = &session.summary {
        return Ok(Some(preview(summary)));
    }
    let first = EventFilter::new()
        .session(&session.id)
        .project(ProjectScope::All)
        .kinds([EventKind::UserPrompt])
        .limit(1);
    let prompt = memory.events(first)?.next().transpose()?;
    Ok(prompt.map(|prompt| preview(&prompt.content)))
}

/// Leaves out sessions that only received context and have no events of their own yet.
pub(super) fn spoken(memory: &Memory, scope: ProjectScope) -> Outcome<Vec<Session>> {
    let mut sessions = memory.sessions(scope, Some(usize::MAX))?;
    sessions.retain(|session| session.events > 0);
    Ok(sessions)
}

fn mentions(session: &Session, text: &str) -> bool {
    let is_in = |part: &str| part.to_lowercase().contains(text);
    is_in(&session.id)
        || is_in(&session.project)
        || session.summary.as_deref().is_some_and(is_in)
        || session.tags.iter().any(|tag| is_in(tag))
}

/// A conversation with a page of its turns, oldest first.
pub(super) async fn one(
    State(viewer): State<Arc<Viewer>>,
    Path(id): Path<String>,
    asked: Asked,
) -> Answer {
    asked.only(&["offset", "limit"])?;
    let offset = asked.number("offset", 0, 0..=usize::MAX)?;
    let limit = asked.number("limit", 100, 1..=500)?;
    viewer
        .ask(move |memory| {
            let session = memory
                .session(&id)?
                .ok_or_else(|| Failure::not_found("no such session"))?;
            turns(memory, &session, offset, limit)
        })
        .await
}

fn turns(memory: &Memory, session: &Session, offset: usize, limit: usize) -> Outcome<Document> {
    let filter = EventFilter::new()
        .session(&session.id)
        .project(ProjectScope::All);
    let (mut events, mut tokens, mut total) = (Vec::new(), 0, 0);
    for event in memory.events(filter)? {
        let event = event?;
        tokens += estimate_tokens(&event.content);
        if total >= offset && events.len() < limit {
            events.push(shapes::event(&event, TURN_CHARS));
        }
        total += 1;
    }
    Ok(Document(json!({
        "session": shapes::session(session, now()),
        "hasMore": offset + events.len() < total,
        "events": events,
        "total": total,
        "stats": {
            "promptCount": session.prompts,
            "responseCount": session.responses,
            "toolCount": session.tools,
            "totalTokens": tokens,
        },
    })))
}

/// The projects, the one with the most conversations first.
pub(super) async fn projects(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&[])?;
    viewer
        .ask(|memory| {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for session in spoken(memory, ProjectScope::All)? {
                *counts.entry(session.project).or_default() += 1;
            }
            let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
            counts.sort_by_key(|(_, sessions)| std::cmp::Reverse(*sessions));
            let projects: Vec<Value> = counts
                .into_iter()
                .map(|(name, sessions)| json!({ "name": name, "sessions": sessions }))
                .collect();
            Ok(Document(json!({ "projects": projects })))
        })
        .await
}
