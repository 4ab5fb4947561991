//! Stores what a call reports, and runs upkeep in the remaining time.

use std::time::{Duration, Instant};

use recallite::privacy::{
    INEXACT_TAG_WARNING, MISSPELT_TAG_WARNING, TAG_IN_CODE_WARNING, UNCLOSED_TAG_WARNING,
    UNWANTED_TAG_WARNING,
};
use recallite::text::show::Shown;
use recallite::text::summary::{SpokenEvent, session_summary_text};
use recallite::transcript::is_meta_text;
use recallite::{
    Dedupe, EventKind, Json, MaintainBudget, Memory, NewEvent, SessionUpdate, ToolUse,
};

use super::call::{Call, Moment, ToolCall};
use super::recall::is_said;
use crate::agents::{by_agent, hook_mark, is_left_out, is_subagent, json_or_text, tool_key};

/// Upkeep only begins if this much time is left, and gets a limit before the deadline.
const UPKEEP_FROM: Duration = Duration::from_millis(600);
/// The largest merge of index segments during a hook, in events.
const MERGE_EVENTS: u64 = 20_000;

/// What became of the event of a call.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// Whether anything was stored, which records the injection too.
    pub(super) is_stored: bool,
    /// What a person must know about private tags in the prompt.
    pub(super) warnings: Vec<String>,
}

/// The warnings about text that was meant to be private.
const OF_PRIVATE_TAGS: [&str; 5] = [
    UNCLOSED_TAG_WARNING,
    INEXACT_TAG_WARNING,
    TAG_IN_CODE_WARNING,
    UNWANTED_TAG_WARNING,
    MISSPELT_TAG_WARNING,
];

/// Stores the event of the call.
pub(super) fn event(memory: &Memory, call: &Call) -> recallite::Result<Remembered> {
    let event = match &call.moment {
        Moment::Prompt { text } if is_said(text) => {
            Some(NewEvent::new(EventKind::UserPrompt, &call.session, text))
        }
        Moment::Answered { text: Some(text) } if !text.trim().is_empty() && !is_meta_text(text) => {
            Some(NewEvent::new(EventKind::AgentResponse, &call.session, text))
        }
        Moment::Tool(tool) => tool_event(call, tool),
        Moment::End => {
            end(memory, call)?;
            None
        }
        _ => None,
    };
    let Some(mut event) = event else {
        return Ok(Remembered::default());
    };
    let mut mark = hook_mark(call.host.name(), &call.event);
    let is_said = event.kind == EventKind::UserPrompt;
    if is_said && is_subagent(&call.session) {
        by_agent(&mut event, &mut mark);
    }
    event.metadata = Some(Json::parse("metadata", &mark.to_string())?);
    let receipt = memory.append(event)?;
    let mut warnings = receipt.warnings;
    // Agents and tools quote tags that nobody meant.
    warnings.retain(|warning| is_said && OF_PRIVATE_TAGS.contains(&warning.as_str()));
    Ok(Remembered {
        is_stored: receipt.skipped.is_none(),
        warnings,
    })
}

fn tool_event(call: &Call, tool: &ToolCall) -> Option<NewEvent> {
    if tool.is_own || is_left_out(&tool.name, &tool.input) {
        return None;
    }
    let mut used = ToolUse::new(tool.name.clone()).output(tool.output.clone());
    used.input = json_or_text(&tool.input.to_string());
    used.duration_ms = tool.duration_ms;
    used.error = tool.error.clone();
    let mut event = NewEvent::tool(&call.session, used);
    if let Some(id) = &tool.id {
        event.dedupe = Dedupe::Key(tool_key(id));
    }
    Some(event)
}

/// Ends the session, if anything is stored of it.
fn end(memory: &Memory, call: &Call) -> recallite::Result<()> {
    if memory.session(&call.session)?.is_some() {
        let update = SessionUpdate::default().ended(crate::time::now());
        memory.update_session(&call.session, update)?;
    }
    Ok(())
}

/// Stores the prompts of a session that ended as a summary event; none if there were no messages.
pub(super) fn summary(memory: &Memory, call: &Call) -> recallite::Result<()> {
    let (mut said, mut read) = (Vec::new(), 0);
    loop {
        let page = memory.session_messages(&call.session, Some(read), None)?;
        if page.is_empty() {
            break;
        }
        read += page.len();
        let events = page.into_iter().filter_map(|message| message.event);
        said.extend(events.map(|event| SpokenEvent {
            kind: event.kind,
            content: event.content,
        }));
    }
    if said.is_empty() {
        return Ok(());
    }
    let text = session_summary_text(&said, Shown::Harmless);
    let mut event = NewEvent::new(EventKind::SessionSummary, &call.session, text);
    event.dedupe = Dedupe::Content;
    // It is no sign that the session goes on.
    event.timestamp = memory.session(&call.session)?.and_then(|s| s.ended);
    let mark = hook_mark(call.host.name(), &call.event);
    event.metadata = Some(Json::parse("metadata", &mark.to_string())?);
    memory.append(event).map(drop)
}

/// A step of upkeep when nobody waits: after a response and at the end of a session.
pub(super) fn upkeep(memory: &Memory, call: &Call, until: Instant) -> recallite::Result<()> {
    let left = until.saturating_duration_since(Instant::now());
    let is_quiet = matches!(call.moment, Moment::Answered { .. } | Moment::End);
    if !is_quiet || left < UPKEEP_FROM {
        return Ok(());
    }
    let mut budget = MaintainBudget::default()
        .merges(1)
        .merge_events(MERGE_EVENTS);
    budget.time_ms = u64::try_from(left.as_millis() / 4).ok();
    memory.maintain(budget)?;
    Ok(())
}
