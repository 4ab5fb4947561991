//! The conversations of a project: sessions in which a person spoke with an agent.

use std::collections::HashSet;

use recallite::rules::small_talk::is_small_talk;
use recallite::scope::ProjectScope;
use recallite::text::summary::preview;
use recallite::{Event, EventFilter, EventKind, Memory, Session, Timestamp};
use serde_json::Value;

use crate::agents::{NOTE, PARENT_SESSION, is_subagent};

/// Among how many of a project's newest prompts are those of conversations that began elsewhere.
const LOOKED_AT: usize = 64;

/// How many of a session's newest events tell whether it is only notes, or small talk.
const NEWEST_LOOKED_AT: usize = 64;

/// The title of a conversation: its summary, or its first prompt. Its name is often a meaningless
/// number.
pub(crate) fn title(memory: &Memory, session: &Session) -> recallite::Result<Option<String>> {
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

/// The most recent conversation of the memory's project, except notes, subagents and one session.
pub(crate) fn last_conversation(
    memory: &Memory,
    besides: Option<&str>,
) -> recallite::Result<Option<String>> {
    let own = begun_here(memory, besides)?;
    let Some((came, at)) = come_here(memory, besides)? else {
        return Ok(own);
    };
    let own_at = match &own {
        Some(own) => newest(memory, own, ProjectScope::Own)?.map(|event| event.timestamp),
        None => None,
    };
    Ok(match own_at {
        Some(own_at) if own_at >= at => own,
        _ => Some(came),
    })
}

/// The most recent conversation that began in the memory's project.
fn begun_here(memory: &Memory, besides: Option<&str>) -> recallite::Result<Option<String>> {
    // Mostly among the newest few.
    for limit in [Some(20), None] {
        let sessions = memory.sessions(&ProjectScope::Own, limit)?;
        let is_all = limit.is_none_or(|limit| sessions.len() < limit);
        for session in sessions {
            if is_conversation(memory, &session, besides)? {
                return Ok(Some(session.id));
            }
        }
        if is_all {
            return Ok(None);
        }
    }
    Ok(None)
}

/// The most recent conversation that began in another project and was resumed in the memory's, and
/// when something was last said of it here.
fn come_here(
    memory: &Memory,
    besides: Option<&str>,
) -> recallite::Result<Option<(String, Timestamp)>> {
    if memory.project().is_empty() {
        return Ok(None);
    }
    let prompts = EventFilter::new()
        .project(ProjectScope::Own)
        .kinds([EventKind::UserPrompt])
        .newest_first()
        .limit(LOOKED_AT);
    let mut seen = HashSet::new();
    let mut last: Option<(String, Timestamp)> = None;
    for prompt in memory.events(prompts)? {
        let prompt = prompt?;
        if !seen.insert(prompt.session.clone()) {
            continue;
        }
        let is_older = last.as_ref().is_some_and(|(_, at)| *at >= prompt.timestamp);
        if let Some(session) = memory.session(&prompt.session)?
            && session.project != memory.project()
            && !is_older
            && is_conversation(memory, &session, besides)?
        {
            last = Some((session.id, prompt.timestamp));
        }
    }
    Ok(last)
}

/// Whether a person spoke with an agent in a session of something, and it is not the one to leave
/// out.
fn is_conversation(
    memory: &Memory,
    session: &Session,
    besides: Option<&str>,
) -> recallite::Result<bool> {
    // VS Code sends no answers, and an agent that was stopped has given none.
    let is_answered = session.responses > 0 || session.tools > 0;
    let is_spoken = session.prompts > 0 && (is_answered || session.prompts > 1);
    Ok(is_spoken
        && besides != Some(&session.id)
        && !is_of_subagent(memory, &session.id)?
        && (is_answered || !is_of_notes(memory, &session.id)?)
        && (session.tools > 0 || !is_of_small_talk(memory, &session.id)?))
}

/// Whether nothing was said in a session but "hi" and "how can I help you?".
fn is_of_small_talk(memory: &Memory, session: &str) -> recallite::Result<bool> {
    let newest = EventFilter::new()
        .session(session)
        .project(ProjectScope::All)
        .kinds([EventKind::UserPrompt, EventKind::AgentResponse])
        .newest_first()
        .limit(NEWEST_LOOKED_AT);
    for event in memory.events(newest)? {
        if !is_small_talk(&event?.content) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a session has nothing but notes: remembered ones, or those of a Markdown file.
fn is_of_notes(memory: &Memory, session: &str) -> recallite::Result<bool> {
    let newest = EventFilter::new()
        .session(session)
        .project(ProjectScope::All)
        .newest_first()
        .limit(NEWEST_LOOKED_AT);
    for event in memory.events(newest)? {
        if !is_note(&event?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_note(event: &Event) -> bool {
    metadata(event).is_some_and(|metadata| metadata[NOTE] == true)
}

fn metadata(event: &Event) -> Option<Value> {
    serde_json::from_str(event.metadata.as_ref()?.as_str()).ok()
}

/// Whether another agent began a session. Of an imported one, the events name the session of that
/// agent; the newest decides, because a conversation may begin with a copy of the one it continues.
fn is_of_subagent(memory: &Memory, session: &str) -> recallite::Result<bool> {
    if is_subagent(session) {
        return Ok(true);
    }
    let newest = newest(memory, session, ProjectScope::All)?;
    let metadata = newest.as_ref().and_then(metadata);
    Ok(metadata.is_some_and(|metadata| metadata[PARENT_SESSION].is_string()))
}

/// The newest event of a session in these projects.
pub(crate) fn newest(
    memory: &Memory,
    session: &str,
    scope: ProjectScope,
) -> recallite::Result<Option<Event>> {
    let newest = EventFilter::new()
        .session(session)
        .project(scope)
        .newest_first()
        .limit(1);
    memory.events(newest)?.next().transpose()
}
