//! Sessions: the list, a single one with its turns, and the projects.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use axum::extract::{Path, State};
use recallite::scope::ProjectScope;
use recallite::text::tokens::estimate_tokens;
use recallite::{EventFilter, Memory, Session};
use serde_json::{Value, json};

use super::asked::Asked;
use super::refused::{Answer, Document};
use super::shapes;
use super::viewer::Viewer;
use crate::conversations::title;
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
            if let Some(status) = status {
                let is_active = status == "active";
                sessions.retain(|session| shapes::is_active(session, now) == is_active);
            }
            if let Some(text) = text {
                sessions = mentioning(memory, sessions, &text)?;
            }
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

/// Leaves out sessions that only received context and have no events of their own yet.
pub(super) fn spoken(memory: &Memory, scope: ProjectScope) -> Outcome<Vec<Session>> {
    let mut sessions = memory.sessions(&scope, Some(usize::MAX))?;
    sessions.retain(|session| session.events > 0);
    Ok(sessions)
}

/// The sessions that contain a text in what the list shows of them, in their summary or in a tag.
fn mentioning(memory: &Memory, sessions: Vec<Session>, text: &str) -> Outcome<Vec<Session>> {
    let is_in = |part: &str| part.to_lowercase().contains(text);
    let mut found = Vec::new();
    for session in sessions {
        let is_found = is_in(&session.id)
            || is_in(&session.project)
            || session.summary.as_deref().is_some_and(is_in)
            || session.tags.iter().any(|tag| is_in(tag))
            || title(memory, &session)?.as_deref().is_some_and(is_in);
        if is_found {
            found.push(session);
        }
    }
    Ok(found)
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
    let total = memory.count_events(&filter)?;
    // All texts are read for it, so a further page has none.
    let mut tokens = None;
    if offset == 0 {
        memory.views().scan(&filter, |event| {
            *tokens.get_or_insert(0) += estimate_tokens(event.content());
            ControlFlow::Continue(())
        })?;
    }
    let mut events = Vec::new();
    for event in memory.events(filter.offset(offset).limit(limit))? {
        events.push(shapes::event(&event?, TURN_CHARS));
    }
    Ok(Document(json!({
        "session": shapes::session(session, now()),
        "hasMore": ((offset + events.len()) as u64) < total,
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
