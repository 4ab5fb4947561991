//! The context for the start of a session: the state of the work, and how the last conversation
//! ended.

use recallite::rules::small_talk::is_small_talk;
use recallite::scope::ProjectScope;
use recallite::{
    ContextOptions, Event, EventFilter, EventKind, EventRef, Memory, Origin, Query, Recording, Seq,
    Timestamp,
};

use super::call::{Beginning, Call};
use super::known::{AFTER_COMPACTION, COMPACTED, Known};
use super::open_items::OpenItems;
use super::recall::is_said;
use crate::conversations::{last_conversation, newest};
use crate::tokens::estimate_tokens;

/// The maximum size of the context, in tokens.
const BUDGET_TOKENS: usize = 1_500;
/// The recorded reason for how the last conversation ended.
const START: &str = "start";
/// The recorded reason for what stands.
const OPEN_ITEMS: &str = "open_items";
/// How many messages of a conversation are shown.
const MAX_MESSAGES: usize = 4;
/// How many of its latest events are searched for them.
const LOOKED_AT: usize = 100;

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
        Beginning::Continued | Beginning::Forked if is_known => return Ok(String::new()),
        Beginning::Forked => (None, START),
        Beginning::Compacted => (Some(call.session.clone()), AFTER_COMPACTION),
        _ => (last_conversation(memory, Some(&call.session))?, START),
    };
    let open_items = OpenItems::of(memory)?;
    let left = BUDGET_TOKENS.saturating_sub(estimate_tokens(&open_items.text) + 1);
    let mut messages = Vec::new();
    if let Some(session) = from {
        let (scope, known) = match source {
            Beginning::Compacted => (ProjectScope::All, Known::default()),
            _ => (ProjectScope::Own, Known::by(memory, &call.session)?),
        };
        messages = last_messages(memory, &session, scope, &known)?;
    }
    let recording = match open_items.told.is_empty() {
        true => Recording::Now,
        // With the record of what stands, in one write.
        false => Recording::Later,
    };
    let messages = only(call, messages, reason)
        .budget_tokens(left)
        .count_tokens(estimate_tokens)
        .recording(recording);
    let told = memory.context(messages)?.text;
    if source == Beginning::Compacted && told.is_empty() && open_items.told.is_empty() {
        mark_compaction(memory, call)?;
    }
    // What the agent knows since a compaction is recorded after it.
    let reason = if told.is_empty() { reason } else { OPEN_ITEMS };
    record(memory, call, open_items.told, reason)?;
    let mut parts = vec![told, open_items.text];
    parts.retain(|part| !part.is_empty());
    Ok(parts.join("\n"))
}

/// The summary of a conversation, or else its last turns, in order of time.
fn last_messages(
    memory: &Memory,
    session: &str,
    scope: ProjectScope,
    known: &Known,
) -> recallite::Result<Vec<EventRef>> {
    // The conversation may have moved on to another repository.
    let filter = EventFilter::new()
        .session(session)
        .project(scope)
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
    messages.retain(|event| !known.was_given(event));
    messages.truncate(MAX_MESSAGES);
    messages.reverse();
    Ok(messages.into_iter().map(|event| event.id.into()).collect())
}

/// The prompts and final responses, newest first: what an agent says between tool calls is useless
/// to a later session, and so is small talk.
fn turns(newest_first: &[Event]) -> Vec<&Event> {
    let mut messages = Vec::new();
    let mut answer = None;
    for event in newest_first {
        let is_small = is_small_talk(&event.content);
        if event.kind == EventKind::AgentResponse {
            answer = answer.or((!is_small).then_some(event));
        } else if event.origin != Origin::System && is_said(&event.content) {
            messages.extend(answer.take());
            messages.extend((!is_small).then_some(event));
        }
    }
    // The prompt of a long turn may be too far back.
    messages.extend(answer);
    messages
}

/// Records that the conversation was compacted, where nothing is given: what the session said and
/// was given before may then be given to it again. A record needs an event, such as the newest of
/// the session; without any, there is nothing to give again.
pub(super) fn mark_compaction(memory: &Memory, call: &Call) -> recallite::Result<()> {
    let mut event = newest(memory, &call.session, ProjectScope::All)?;
    if event.is_none() {
        let given = Known::by(memory, &call.session)?.given;
        for seq in given.into_keys().rev() {
            event = memory.event(Seq(seq))?;
            if event.is_some() {
                break;
            }
        }
    }
    let event = event.map(|event| event.id.into());
    record(memory, call, event.into_iter().collect(), COMPACTED)
}

/// Records that the session was told what these events say, so that no prompt gives it again. It
/// was told in other words, so the text is not used.
fn record(
    memory: &Memory,
    call: &Call,
    told: Vec<EventRef>,
    reason: &str,
) -> recallite::Result<()> {
    if told.is_empty() {
        return Ok(());
    }
    // All of it fits, and counts nothing.
    let mut options = only(call, told, reason)
        .count_tokens(|_| 0)
        .recording(Recording::Now);
    // Nothing was pinned in the store then.
    options.query.as_of = Some(Timestamp::MIN);
    memory.context(options).map(drop)
}

/// A context of only these events and pinned memories, fenced by the store. The search that it
/// includes is restricted to a time without events, so it does not run.
fn only(call: &Call, events: Vec<EventRef>, reason: &str) -> ContextOptions {
    let now = crate::time::now();
    let nothing = Query::new(reason).from(now).until(now);
    ContextOptions::new(nothing)
        .pinned(events)
        .session(&call.session)
        .reason(reason)
}
