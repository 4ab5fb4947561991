//! Stores what a call reports, and runs upkeep in the remaining time.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use recallite::privacy::{
    INEXACT_TAG_WARNING, MISSPELT_TAG_WARNING, TAG_IN_CODE_WARNING, UNCLOSED_TAG_WARNING,
    UNWANTED_TAG_WARNING,
};
use recallite::scope::ProjectScope;
use recallite::text::keys::content_hash;
use recallite::text::show::Shown;
use recallite::text::summary::{SpokenEvent, session_summary_text};
use recallite::transcript::is_meta_text;
use recallite::{
    Dedupe, EventFilter, EventKind, Json, MaintainBudget, Memory, NewEvent, SessionUpdate, ToolUse,
};
use serde_json::{Value, json};

use super::call::{Answers, Call, Moment, Said, ToolCall};
use super::recall::is_said;
use crate::agents::{by_agent, hook_mark, is_left_out, is_subagent, json_or_text, tool_key};

/// Upkeep only begins if this much time is left, and gets a limit before the deadline.
const UPKEEP_FROM: Duration = Duration::from_millis(600);
/// The largest merge of index segments during a hook, in events.
const MERGE_EVENTS: u64 = 20_000;

/// As many answers are stored in one transaction: at the deadline those before are kept, and the next
/// call goes on.
const AT_ONCE: usize = 100;

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

impl Remembered {
    /// Stores events with the mark of the hook, where they have no other one.
    fn add(
        &mut self,
        memory: &Memory,
        call: &Call,
        mut events: Vec<NewEvent>,
        mark: &Value,
    ) -> recallite::Result<()> {
        let mark = metadata(mark)?;
        for event in &mut events {
            event.metadata.get_or_insert_with(|| mark.clone());
            event.timestamp = call.at;
        }
        for receipt in memory.append_batch(events)? {
            self.is_stored |= receipt.skipped.is_none();
            self.warnings.extend(receipt.warnings);
        }
        Ok(())
    }
}

/// Stores what the call reports.
pub(super) fn event(memory: &Memory, call: &Call) -> recallite::Result<Remembered> {
    let mut mark = hook_mark(call.host.name(), &call.event);
    let mut remembered = Remembered::default();
    match &call.moment {
        Moment::Prompt { text } if is_said(text) => {
            let mut event = NewEvent::new(EventKind::UserPrompt, &call.session, text);
            if is_subagent(&call.session) {
                by_agent(&mut event, &mut mark);
            }
            remembered.add(memory, call, vec![event], &mark)?;
        }
        Moment::Answered(answers) => answered(memory, call, answers, &mark, &mut remembered)?,
        Moment::Tool(tool) => {
            if let Some(event) = tool_event(call, tool) {
                remembered.add(memory, call, vec![event], &mark)?;
            }
        }
        Moment::End => end(memory, call)?,
        _ => {}
    }
    // Agents and tools quote tags that nobody meant.
    let is_prompt = matches!(call.moment, Moment::Prompt { .. });
    let is_shown = |warning: &str| is_prompt && OF_PRIVATE_TAGS.contains(&warning);
    remembered.warnings.retain(|warning| is_shown(warning));
    Ok(remembered)
}

fn metadata(mark: &Value) -> recallite::Result<Json> {
    Json::parse("metadata", &mark.to_string())
}

/// Stores what the agent said and is not stored yet.
fn answered(
    memory: &Memory,
    call: &Call,
    answers: &Answers,
    mark: &Value,
    remembered: &mut Remembered,
) -> recallite::Result<()> {
    let of_last = match &answers.stop_reason {
        Some(reason) => {
            let mut mark = mark.clone();
            mark["stopReason"] = reason.as_str().into();
            Some(metadata(&mark)?)
        }
        None => None,
    };
    let last = answers.said.last().map(|said| said.place);
    let mut known = match answers.are_of_session {
        true => Some(KnownAnswers::of(memory, &call.session)?),
        false => None,
    };
    let said = answers.said.iter().filter(|said| !is_meta_text(&said.text));
    // Only as fast as they are stored: the deadline may come before all were looked at.
    let mut new = said.filter_map(|said| {
        let dedupe = match &mut known {
            Some(known) => Some(known.dedupe_of_new(memory, call, said)?),
            None => None,
        };
        let mut event = NewEvent::new(EventKind::AgentResponse, &call.session, &said.text);
        if let Some(dedupe) = dedupe {
            // What is sent again with every turn stays forgotten.
            event = event.dedupe(dedupe).stays_forgotten(true);
        }
        if last == Some(said.place) {
            event.metadata.clone_from(&of_last);
        }
        Some(event)
    });
    loop {
        let events: Vec<NewEvent> = new.by_ref().take(AT_ONCE).collect();
        if events.is_empty() {
            return Ok(());
        }
        remembered.add(memory, call, events, mark)?;
    }
}

/// Which answers of a session are stored, by what they say without the blanks around it: each stands
/// for one of those that its host sends. Another hook or an import may have stored them, under keys
/// of their own.
struct KnownAnswers(HashMap<String, Times>);

/// How often an answer is stored and was not sent yet, and how often it was sent.
#[derive(Default)]
struct Times {
    left: usize,
    sent: usize,
}

impl KnownAnswers {
    fn of(memory: &Memory, session: &str) -> recallite::Result<KnownAnswers> {
        let filter = EventFilter::new()
            .session(session)
            .project(ProjectScope::All)
            .kinds([EventKind::AgentResponse]);
        let mut known: HashMap<String, Times> = HashMap::new();
        memory.views().scan(&filter, |event| {
            let said = event.content().trim().to_owned();
            known.entry(said).or_default().left += 1;
            ControlFlow::Continue(())
        })?;
        Ok(KnownAnswers(known))
    }

    /// By what an answer that is not stored yet is known; `None` if it is. What is said again is
    /// another answer.
    fn dedupe_of_new(&mut self, memory: &Memory, call: &Call, said: &Said) -> Option<Dedupe> {
        let text = said.text.trim();
        // Most have nothing private, and the filter takes longer than all else.
        if self.is_stored(text) {
            return None;
        }
        let kept = memory.privacy_filter().text(text).text.into_string();
        let kept = kept.trim();
        if kept != text && self.is_stored(kept) {
            return None;
        }
        let times = self.0.entry(kept.to_owned()).or_default();
        times.sent += 1;
        // A key applies to the whole store, and one that is made of the text would outlive its
        // erasure. Ids are whatever a host calls its messages and sessions.
        let key = |place: Value| {
            let place = json!([&call.session, place]).to_string();
            Dedupe::Key(format!("answer {}", content_hash(&place)))
        };
        Some(match (&said.id, times.sent) {
            (Some(id), _) => key(json!({ "id": id })),
            // An import knows by it what was forgotten, as with the last answer alone.
            (None, 1) => Dedupe::Content,
            (None, _) => key(json!({ "place": said.place })),
        })
    }

    fn is_stored(&mut self, kept: &str) -> bool {
        let Some(times) = self.0.get_mut(kept).filter(|times| times.left > 0) else {
            return false;
        };
        times.left -= 1;
        times.sent += 1;
        true
    }
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
    if let Some(session) = memory.session(&call.session)? {
        // By another clock than that of its events, it would seem to have gone on.
        let ended = call.at.unwrap_or_else(crate::time::now);
        let ended = ended.max(session.started).max(session.last_event);
        let update = SessionUpdate::default().ended(ended);
        memory.update_session(&call.session, update)?;
    }
    Ok(())
}

/// Stores the prompts of a session that ended as a summary event; none if there were no messages. It
/// is not the session's own summary: that would stay when the event or a prompt is forgotten, and
/// take the place of the first prompt as the title.
pub(super) fn summary(memory: &Memory, call: &Call) -> recallite::Result<()> {
    let (mut said, mut read) = (Vec::new(), 0);
    loop {
        let page = memory
            .knowledge()
            .session_messages(&call.session, Some(read), None)?;
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
    event.timestamp = memory
        .session(&call.session)?
        .and_then(|session| session.ended);
    event.metadata = Some(metadata(&hook_mark(call.host.name(), &call.event))?);
    memory.append(event)?;
    Ok(())
}

/// A step of upkeep when nobody waits: after a response and at the end of a session.
pub(super) fn upkeep(memory: &Memory, call: &Call, until: Instant) -> recallite::Result<()> {
    let left = until.saturating_duration_since(Instant::now());
    let is_quiet = matches!(call.moment, Moment::Answered(_) | Moment::End);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::call::Call;

    /// The hash of a key outlives an erasure, so a key of the text would tell who guesses it.
    #[test]
    fn no_key_is_made_of_what_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let keys = |words: &str| {
            let input = json!({"session_id": "s", "cwd": "/p", "hook_event_name": "Stop",
                "messages": [{"role": "assistant", "content": words},
                    {"role": "assistant", "content": words},
                    {"role": "assistant", "content": words, "id": "m1"},
                    {"role": "assistant", "content": words, "id": "\0".repeat(2_000)}]});
            let call = Call::read(input.to_string().as_bytes()).unwrap();
            let Moment::Answered(answers) = &call.moment else {
                panic!("no answers");
            };
            let mut known = KnownAnswers::of(&memory, &call.session).unwrap();
            let said = answers.said.iter();
            let all = said.map(|said| known.dedupe_of_new(&memory, &call, said).unwrap());
            all.collect::<Vec<_>>()
        };
        let all = keys("In Redis.");
        assert_eq!(keys("In Valkey."), all);
        let key = |dedupe: &Dedupe| match dedupe {
            Dedupe::Key(key) => key.clone(),
            _ => String::new(),
        };
        let distinct: std::collections::BTreeSet<String> = all.iter().map(key).collect();
        assert_eq!(distinct.len(), 4, "{all:?}");
        // What a host calls its messages is no name that a store refuses.
        assert!(
            distinct
                .iter()
                .all(|key| key.len() < 100 && !key.contains('\0'))
        );
    }
}
