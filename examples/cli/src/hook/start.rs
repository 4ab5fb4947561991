//! The context for the start of a session: the state of the work, and how the last conversation
//! ended.

use recallite::rules::entries::EntryType;
use recallite::text::show::harmless_line;
use recallite::text::tokens::estimate_tokens;
use recallite::{
    ContextOptions, EntryFilter, Event, EventFilter, EventKind, EventRef, Memory, Origin, Query,
    Recording, TaskFilter,
};

use super::call::{Beginning, Call};
use super::known::{AFTER_COMPACTION, Known};
use super::recall::is_said;
use crate::fence::fenced_here;

/// The maximum size of the context, in tokens.
const BUDGET_TOKENS: usize = 1_500;
/// The maximum part of it for tasks and decisions.
const STANDING_TOKENS: usize = 600;
const MOST_TASKS: usize = 8;
const MOST_DECISIONS: usize = 5;
/// How many messages of a conversation are shown.
const MOST_MESSAGES: usize = 4;
/// How many of its latest events are searched for them.
const LOOKED_AT: usize = 100;
/// The maximum length of a title, in characters.
const TITLE_CHARS: usize = 160;

/// The context for a new session; empty if there is none.
pub(super) fn context(
    memory: &Memory,
    call: &Call,
    source: Beginning,
) -> recallite::Result<String> {
    let own = memory.session(&call.session)?;
    let is_known = own.is_some_and(|session| session.events > 0);
    let (from, reason) = match source {
        // The agent still has the conversation in its context.
        Beginning::Continued if is_known => return Ok(String::new()),
        Beginning::Compacted => (Some(call.session.clone()), AFTER_COMPACTION),
        _ => (last_conversation(memory, &call.session)?, "start"),
    };
    let standing = standing(memory)?;
    let left = BUDGET_TOKENS.saturating_sub(estimate_tokens(&standing) + 1);
    let mut messages = Vec::new();
    if let Some(session) = from {
        let known = match source {
            Beginning::Compacted => Known::default(),
            _ => Known::by(memory, &call.session)?,
        };
        messages = last_messages(memory, &session, &known)?;
    }
    let mut parts = vec![
        messages_context(memory, call, messages, left, reason)?,
        standing,
    ];
    parts.retain(|part| !part.is_empty());
    Ok(parts.join("\n"))
}

/// The most recent conversation of this project, except notes and subagents.
fn last_conversation(memory: &Memory, own: &str) -> recallite::Result<Option<String>> {
    let sessions = memory.sessions(recallite::scope::ProjectScope::Own, None)?;
    Ok(sessions
        .into_iter()
        .find(|session| session.id != own && session.prompts > 0 && session.responses > 0)
        .map(|session| session.id))
}

/// The summary of a conversation, or else its last turns, in order of time.
fn last_messages(
    memory: &Memory,
    session: &str,
    known: &Known,
) -> recallite::Result<Vec<EventRef>> {
    let filter = EventFilter::new()
        .session(session)
        .kinds([
            EventKind::UserPrompt,
            EventKind::AgentResponse,
            EventKind::SessionSummary,
        ])
        .newest_first()
        .limit(LOOKED_AT);
    let events = memory
        .events(filter)?
        .collect::<recallite::Result<Vec<Event>>>()?;
    let summary = events
        .iter()
        .find(|event| event.kind == EventKind::SessionSummary);
    let mut messages = match summary {
        Some(summary) => vec![summary],
        None => turns(&events),
    };
    messages.retain(|event| !known.was_given(event.seq.0));
    messages.truncate(MOST_MESSAGES);
    messages.reverse();
    Ok(messages.into_iter().map(|event| event.id.into()).collect())
}

/// The prompts and final responses, newest first: what an agent says between tool calls is useless
/// to a later session.
fn turns(newest_first: &[Event]) -> Vec<&Event> {
    let mut messages = Vec::new();
    let mut answer = None;
    for event in newest_first {
        if event.kind == EventKind::AgentResponse {
            answer = answer.or(Some(event));
        } else if event.origin != Origin::System && is_said(&event.content) {
            messages.extend(answer.take());
            messages.push(event);
        }
    }
    // The prompt of a long turn may be too far back.
    messages.extend(answer);
    messages
}

/// The context of only these messages and pinned memories, fenced by the store. The search that it
/// includes is restricted to a time without events, so it does not run.
fn messages_context(
    memory: &Memory,
    call: &Call,
    messages: Vec<EventRef>,
    budget: usize,
    reason: &str,
) -> recallite::Result<String> {
    let now = crate::time::now();
    let nothing = Query::new(reason).from(now).until(now);
    let options = ContextOptions::new(nothing)
        .pinned(messages)
        .session(&call.session)
        .budget_tokens(budget)
        .reason(reason)
        .recording(Recording::Now);
    Ok(memory.context(options)?.text)
}

/// Open tasks and decisions, fenced; empty if there are none.
fn standing(memory: &Memory) -> recallite::Result<String> {
    let tasks = memory.tasks().list(&TaskFilter::default())?;
    let mut lines = Vec::new();
    for task in tasks
        .iter()
        .filter(|task| task.status().is_open())
        .take(MOST_TASKS)
    {
        let waits: Vec<&str> = task
            .blockers()
            .iter()
            .map(|by| by.raw_text.as_str())
            .collect();
        let waits = match waits.is_empty() {
            true => String::new(),
            false => format!(" (waits for: {})", waits.join("; ")),
        };
        lines.push(format!("> {} task: {}{waits}", task.status(), task.title));
    }
    let decisions = memory.knowledge().entries(&EntryFilter {
        entry_type: Some(EntryType::Decision),
        status: Some("active".to_owned()),
        limit: Some(MOST_DECISIONS),
        ..EntryFilter::default()
    })?;
    lines.extend(
        decisions
            .iter()
            .map(|known| format!("> decided: {}", known.entry.title)),
    );
    let mut body = String::new();
    for line in lines {
        let line: String = harmless_line(&line).chars().take(TITLE_CHARS).collect();
        if estimate_tokens(&body) + estimate_tokens(&line) + FENCE_TOKENS > STANDING_TOKENS {
            break;
        }
        body.push_str(&line);
        body.push('\n');
    }
    Ok(match body.is_empty() {
        true => body,
        false => fenced_here(body.trim_end()),
    })
}

/// The maximum size of the fence itself.
const FENCE_TOKENS: usize = 80;
