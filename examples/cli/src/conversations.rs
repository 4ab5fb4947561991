//! The conversations of a project: sessions in which a person spoke with an agent.

use recallite::scope::ProjectScope;
use recallite::{Event, EventFilter, Memory};
use serde_json::Value;

use crate::agents::{PARENT_SESSION, is_subagent};

/// The most recent conversation of the memory's project, except notes, subagents and one session.
pub(crate) fn last_conversation(
    memory: &Memory,
    besides: Option<&str>,
) -> recallite::Result<Option<String>> {
    // Mostly among the newest few.
    for limit in [Some(20), None] {
        let sessions = memory.sessions(ProjectScope::Own, limit)?;
        let is_all = limit.is_none_or(|limit| sessions.len() < limit);
        for session in sessions {
            // VS Code sends no answers, and an agent that was stopped has given none.
            let is_answered = session.responses > 0 || session.tools > 0;
            let is_conversation = session.prompts > 0 && (is_answered || session.prompts > 1);
            if besides != Some(&session.id)
                && is_conversation
                && !is_of_subagent(memory, &session.id)?
            {
                return Ok(Some(session.id));
            }
        }
        if is_all {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Whether another agent began a session. Of an imported one, the events name the session of that
/// agent; the newest decides, because a conversation may begin with a copy of the one it continues.
fn is_of_subagent(memory: &Memory, session: &str) -> recallite::Result<bool> {
    if is_subagent(session) {
        return Ok(true);
    }
    let metadata = newest(memory, session)?.and_then(|event| event.metadata);
    let metadata = metadata.and_then(|it| serde_json::from_str::<Value>(it.as_str()).ok());
    Ok(metadata.is_some_and(|metadata| metadata[PARENT_SESSION].is_string()))
}

/// The newest event of a session, in whatever project.
pub(crate) fn newest(memory: &Memory, session: &str) -> recallite::Result<Option<Event>> {
    let newest = EventFilter::new()
        .session(session)
        .project(ProjectScope::All)
        .newest_first()
        .limit(1);
    memory.events(newest)?.next().transpose()
}
