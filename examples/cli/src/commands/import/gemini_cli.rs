//! Gemini CLI chats: a JSON document, or since 2026 one JSON value per line, with the session in
//! the first line.

use std::io::{BufRead, Read as _};
use std::path::Path;

use recallite::privacy::PrivacyFilter;
use recallite::{Dedupe, EventKind, NewEvent, Timestamp, ToolUse};
use serde_json::Value;

use super::broken::Broken;
use super::projects::project_at;
use super::storing::Storing;
use crate::agents::{
    exit_code_error, gemini_exit_code, json_or_text, message_text, said_to_gemini, text_of,
    tool_key,
};
use crate::transcript_lines::{Lines, MAX_BYTES, Unread, read_json};

/// The file in which Gemini CLI records the working folder of a chat folder.
const ROOT_MARK: &str = ".project_root";

/// The beginning of the message with facts about the machine and folder that Gemini CLI puts before
/// a chat.
const SESSION_CONTEXT: &str = "<session_context>";

/// Stores the messages and tool calls of a chat; returns the lines that could not be read.
pub(super) fn read(
    path: &Path,
    mut input: impl BufRead,
    storing: &mut Storing<'_>,
) -> Result<Unread, Broken> {
    let project = project_of_chat(path);
    if path.extension().is_some_and(|ending| ending == "json") {
        let mut text = Vec::new();
        input.by_ref().take(MAX_BYTES).read_to_end(&mut text)?;
        let chat =
            read_json(&text).map_err(|error| Broken::Reading(format!("not a chat: {error}")))?;
        let session = session_of(&chat).ok_or_else(nameless)?;
        for message in chat["messages"].as_array().into_iter().flatten() {
            store(message, &session, project.as_deref(), storing)?;
        }
        return Ok(Unread::default());
    }
    let mut lines = Lines::new(input);
    let mut session = None;
    while let Some(line) = lines.next_value()? {
        if session.is_none() {
            session = session_of(&line);
        }
        if let Some(session) = &session {
            store(&line, session, project.as_deref(), storing)?;
        }
    }
    session.map(|_| lines.unread).ok_or_else(nameless)
}

fn nameless() -> Broken {
    Broken::Reading("the session is missing".to_owned())
}

fn session_of(value: &Value) -> Option<String> {
    value["sessionId"]
        .as_str()
        .filter(|id| !id.trim().is_empty())
        .map(str::to_owned)
}

/// `<root>/<project>/chats/<file>`, with a marker file in the project's folder.
fn project_of_chat(path: &Path) -> Option<String> {
    path.ancestors().skip(1).take(4).find_map(|folder| {
        let root = crate::files::read(&folder.join(ROOT_MARK)).ok()??;
        let root = root.trim();
        (!root.is_empty()).then(|| project_at(root))
    })
}

fn store(
    message: &Value,
    session: &str,
    project: Option<&str>,
    storing: &mut Storing<'_>,
) -> Result<(), Broken> {
    for mut event in events_of(message, session, project, storing.filter()) {
        // A message that is continued is written again under its id.
        if event.tool.is_none()
            && let Some(id) = message["id"].as_str()
        {
            event.dedupe = storing.placed(format!("gemini {session} {id}"), &event.content);
        }
        storing.push_said(event)?;
    }
    Ok(())
}

fn events_of(
    message: &Value,
    session: &str,
    project: Option<&str>,
    filter: &PrivacyFilter,
) -> Vec<NewEvent> {
    let kind = match message["type"].as_str() {
        Some("user") => EventKind::UserPrompt,
        Some("gemini") => EventKind::AgentResponse,
        _ => return Vec::new(),
    };
    let at: Option<Timestamp> = message["timestamp"].as_str().and_then(|at| at.parse().ok());
    let placed = |mut event: NewEvent| {
        event.timestamp = at;
        event.project = project.map(str::to_owned);
        event
    };
    let mut events = Vec::new();
    for call in message["toolCalls"].as_array().into_iter().flatten() {
        events.push(placed(tool_event(call, session)));
    }
    let text = match kind {
        // What tools returned comes back as a message of the user.
        EventKind::UserPrompt => message_text(&without_results(&message["content"])),
        _ => message_text(&message["content"]),
    };
    let text = match kind {
        EventKind::UserPrompt => said_to_gemini(&text, filter),
        _ => text.as_str().into(),
    };
    if !text.trim().is_empty() && !text.starts_with(SESSION_CONTEXT) {
        events.push(placed(NewEvent::new(kind, session, text.as_ref())));
    }
    events
}

/// A message without the results of tools.
fn without_results(content: &Value) -> Value {
    const RESULT: &str = "functionResponse";
    match content {
        Value::Array(parts) => {
            let said = parts.iter().filter(|part| part.get(RESULT).is_none());
            said.cloned().collect()
        }
        part if part.get(RESULT).is_some() => Value::Null,
        part => part.clone(),
    }
}

fn tool_event(call: &Value, session: &str) -> NewEvent {
    let output = match &call["resultDisplay"] {
        Value::String(text) => text.clone(),
        _ => text_of(&call["result"]),
    };
    let mut tool = ToolUse::new(call["name"].as_str().unwrap_or("tool")).output(output);
    tool.input = json_or_text(&call["args"].to_string());
    tool.success = call["status"].as_str().map(|status| status == "success");
    // A command that failed is a call that went well.
    if let Some(code) = gemini_exit_code(&tool.name, &text_of(&call["result"])) {
        tool.success = Some(false);
        tool.error = Some(exit_code_error(code));
    }
    let event = NewEvent::tool(session, tool);
    match call["id"].as_str() {
        Some(id) => event.dedupe(Dedupe::Key(tool_key(id))),
        None => event,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_brings_its_tool_calls_before_its_text() {
        let message = json!({"id": "m1", "timestamp": "2026-01-30T14:05:00Z", "type": "gemini",
            "content": [{"text": "Done."}],
            "toolCalls": [{"id": "c1", "name": "read_file", "args": {"path": "a.rs"},
                "status": "success", "result": [{"functionResponse":
                    {"response": {"output": "fn main() {}"}}}]}]});
        let filter = PrivacyFilter::default();
        let events = events_of(&message, "g1", Some("shop"), &filter);
        let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
        assert_eq!(kinds, ["tool_observation", "agent_response"]);
        assert_eq!(events[1].content, "Done.");
        let tool = events[0].tool.as_ref().unwrap();
        assert!(tool.output.contains("fn main()"), "{}", tool.output);
        assert_eq!(tool.success, Some(true));
        let result = json!({"functionResponse": {"name": "web_fetch",
            "response": {"output": "We decided to disable TLS."}}});
        for content in [json!([result]), result.clone()] {
            let returned = json!({"id": "m2", "type": "user", "content": content});
            assert!(events_of(&returned, "g1", None, &filter).is_empty());
        }
        let said = json!({"id": "m3", "type": "user", "content": [result, {"text": "Go on."}]});
        assert_eq!(events_of(&said, "g1", None, &filter)[0].content, "Go on.");
        assert!(
            events_of(
                &json!({"type": "info", "content": "x"}),
                "g1",
                None,
                &filter
            )
            .is_empty()
        );
        assert!(events_of(&json!({"$set": {"summary": "x"}}), "g1", None, &filter).is_empty());
    }
}
