//! Codex rollouts: one JSON value per line, `{timestamp, type, payload}`.

use std::collections::HashMap;
use std::io::BufRead;

use recallite::transcript::repair_json;
use recallite::{Dedupe, EventKind, Json, NewEvent, Timestamp, ToolUse};
use serde_json::{Value, json};

use super::broken::Broken;
use super::projects::Projects;
use super::storing::Storing;
use crate::agents::{
    PARENT_SESSION, by_agent, codex_exit_code, exit_code_error, is_by_codex, is_subagent,
    json_or_text, message_text, subagent_session, tool_key, unfinished_tool_key,
};
use crate::failure::Outcome;
use crate::transcript_lines::{Lines, Unread, read_json};

/// Stores the messages and tool calls of a rollout; returns the lines that could not be read.
pub(super) fn read(input: impl BufRead, storing: &mut Storing<'_>) -> Result<Unread, Broken> {
    let mut rollout = Rollout::default();
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next_value()? {
        for event in rollout.line(&line) {
            push(event, storing)?;
        }
    }
    if let Some(answer) = rollout.answer.take() {
        push(answer, storing)?;
    }
    for event in rollout.unfinished() {
        storing.push_seen(event)?;
    }
    Ok(lines.unread)
}

/// Stores a message or a finished call.
fn push(mut event: NewEvent, storing: &mut Storing<'_>) -> Outcome {
    if event.tool.is_none()
        && let Some(at) = event.timestamp
    {
        let moment = format!("codex {} {at} {}", event.session, event.kind);
        event.dedupe = storing.placed(moment, &event.content);
    }
    storing.push_said(event)
}

/// The state of reading a rollout.
#[derive(Default)]
struct Rollout {
    session: Option<String>,
    /// Of an agent that another one started, the session of that one.
    parent: Option<String>,
    project: Option<String>,
    projects: Projects,
    /// Calls that wait for their output, by id.
    calls: HashMap<String, (Timestamp, ToolUse)>,
    /// The last answer, until the next line says that it is none: of a compaction, the summary that
    /// the model wrote for itself comes first.
    answer: Option<NewEvent>,
}

impl Rollout {
    /// What is known to have been said and done after this line.
    fn line(&mut self, line: &Value) -> Vec<NewEvent> {
        if line["type"] == "compacted" {
            let answer = self.answer.take();
            let is_answer = |said: &NewEvent| !is_summary(&said.content, &line["payload"]);
            return answer.filter(is_answer).into_iter().collect();
        }
        let found = self.read(line);
        if found.is_empty() {
            return found;
        }
        let mut events: Vec<NewEvent> = self.answer.take().into_iter().chain(found).collect();
        let is_answer = |event: &mut NewEvent| event.kind == EventKind::AgentResponse;
        self.answer = events.pop_if(is_answer);
        events
    }

    fn read(&mut self, line: &Value) -> Vec<NewEvent> {
        let payload = &line["payload"];
        let at = time(line);
        match (line["type"].as_str(), payload["type"].as_str()) {
            (Some("session_meta"), _) => {
                // A resumed or forked rollout repeats the header of the original one.
                if self.session.is_none() {
                    self.begin(payload);
                }
                self.working_folder(payload);
                Vec::new()
            }
            (Some("turn_context"), _) => {
                self.working_folder(payload);
                Vec::new()
            }
            (Some("response_item"), Some("message")) => {
                self.message(payload, at).into_iter().collect()
            }
            (Some("response_item"), Some("function_call" | "custom_tool_call")) => {
                self.call(payload, at);
                Vec::new()
            }
            (Some("response_item"), Some("function_call_output" | "custom_tool_call_output")) => {
                self.output(payload).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn begin(&mut self, header: &Value) {
        let Some(id) = header["id"].as_str() else {
            return;
        };
        let subagent = &header["source"]["subagent"];
        if subagent.is_null() && header["thread_source"] != "subagent" {
            self.session = Some(id.to_owned());
            return;
        }
        // As hooks name it.
        self.session = Some(subagent_session(id));
        self.parent = header["parent_thread_id"]
            .as_str()
            .or(subagent["thread_spawn"]["parent_thread_id"].as_str())
            .map(str::to_owned);
    }

    fn working_folder(&mut self, payload: &Value) {
        if let Some(folder) = payload["cwd"].as_str() {
            self.project = Some(self.projects.of(folder));
        }
    }

    fn message(&self, payload: &Value, at: Option<Timestamp>) -> Option<NewEvent> {
        let text = message_text(&payload["content"]);
        let kind = match payload["role"].as_str()? {
            "user" => EventKind::UserPrompt,
            "assistant" => EventKind::AgentResponse,
            _ => return None,
        };
        if text.trim().is_empty()
            || kind == EventKind::UserPrompt && (is_by_codex(&text) || !is_typed(payload))
        {
            return None;
        }
        let event = NewEvent::new(kind, self.session.clone()?, text);
        Some(self.placed(event, at))
    }

    fn call(&mut self, payload: &Value, at: Option<Timestamp>) {
        let Some(id) = payload["call_id"].as_str() else {
            return;
        };
        let arguments = payload["arguments"].as_str().or(payload["input"].as_str());
        let input = arguments.and_then(|text| json_or_text(&repair_json(text.as_bytes())));
        let mut tool = ToolUse::new(tool_name(payload));
        tool.input = input;
        self.calls
            .insert(id.to_owned(), (at.unwrap_or_default(), tool));
    }

    fn output(&mut self, payload: &Value) -> Option<NewEvent> {
        let id = payload["call_id"].as_str()?;
        let (at, mut tool) = self.calls.remove(id)?;
        // In older rollouts, the output is JSON text that contains the actual text.
        let output = &payload["output"];
        let nested = output
            .as_str()
            .and_then(|text| read_json(text.as_bytes()).ok());
        let nested_text = nested.as_ref().and_then(|value| value["output"].as_str());
        tool.output = nested_text.map_or_else(|| crate::agents::text_of(output), str::to_owned);
        let exit_code = nested
            .as_ref()
            .and_then(|value| value["metadata"]["exit_code"].as_i64())
            .or_else(|| codex_exit_code(&tool.output));
        tool.success = exit_code.map(|code| code == 0);
        tool.error = exit_code.filter(|code| *code != 0).map(exit_code_error);
        self.tool_event(tool_key(id), at, tool)
    }

    fn tool_event(&self, key: String, at: Timestamp, tool: ToolUse) -> Option<NewEvent> {
        let event = NewEvent::tool(self.session.clone()?, tool).dedupe(Dedupe::Key(key));
        Some(self.placed(event, Some(at)))
    }

    /// Calls without output, earliest first.
    fn unfinished(&mut self) -> Vec<NewEvent> {
        let mut calls: Vec<_> = std::mem::take(&mut self.calls).into_iter().collect();
        calls.sort_by(|a, b| (a.1.0, &a.0).cmp(&(b.1.0, &b.0)));
        calls
            .into_iter()
            .filter_map(|(id, (at, tool))| self.tool_event(unfinished_tool_key(&id), at, tool))
            .collect()
    }

    fn placed(&self, mut event: NewEvent, at: Option<Timestamp>) -> NewEvent {
        event.timestamp = at.filter(|at| *at != Timestamp::default());
        event.project = self.project.clone();
        let mut metadata = json!({});
        if let Some(parent) = &self.parent {
            metadata[PARENT_SESSION] = parent.as_str().into();
        }
        if event.kind == EventKind::UserPrompt && is_subagent(&event.session) {
            by_agent(&mut event, &mut metadata);
        }
        if metadata != json!({}) {
            event.metadata = Json::parse("metadata", &metadata.to_string()).ok();
        }
        event
    }
}

/// The name of a tool as hooks are told it: that of an MCP server stands before the tool's own.
fn tool_name(call: &Value) -> String {
    let name = call["name"].as_str().unwrap_or("tool");
    let server = call["namespace"].as_str();
    match server.filter(|namespace| namespace.starts_with("mcp__")) {
        Some(server) => format!("{server}__{name}"),
        None => name.to_owned(),
    }
}

/// Whether a person typed a message of the role `user`, as far as it says where it comes from:
/// hooks of others and Codex itself write such messages too.
fn is_typed(message: &Value) -> bool {
    const TYPED: &str = "user.";
    let marks = &message["internal_chat_message_metadata_passthrough"]["content_item_kinds"];
    let Some(kinds) = marks.as_array().filter(|kinds| !kinds.is_empty()) else {
        return true;
    };
    let is_typed = |kind: &Value| kind.as_str().is_none_or(|kind| kind.starts_with(TYPED));
    kinds.iter().any(is_typed)
}

/// Whether an answer is what a compaction says was summarised, behind words of Codex.
fn is_summary(answer: &str, compaction: &Value) -> bool {
    let summary = compaction["message"].as_str().unwrap_or_default();
    summary.trim_end().ends_with(answer.trim())
}

fn time(line: &Value) -> Option<Timestamp> {
    line["timestamp"].as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use recallite::Origin;

    use super::*;

    #[test]
    fn a_rollout_becomes_what_was_said_and_done() {
        let line = |kind: &str, payload: Value| json!({"timestamp": "2026-01-30T14:05:00Z", "type": kind, "payload": payload});
        let message = |role: &str, text: &str| {
            line(
                "response_item",
                json!({"type": "message", "role": role,
                "content": [{"type": "input_text", "text": text}]}),
            )
        };
        let mut rollout = Rollout::default();
        let lines = [
            line("session_meta", json!({"id": "c1", "cwd": "/nowhere/shop"})),
            message(
                "user",
                "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
            ),
            message("developer", "You are an agent."),
            message("user", "배포는 언제 하지?"),
            line(
                "response_item",
                json!({"type": "function_call", "name": "shell",
                "arguments": "{\"command\":[\"ls\"]}", "call_id": "k1"}),
            ),
            line(
                "response_item",
                json!({"type": "function_call_output", "call_id": "k1",
                "output": "{\"output\":\"a.rs\",\"metadata\":{\"exit_code\":0}}"}),
            ),
            message("assistant", "On Fridays."),
            line(
                "event_msg",
                json!({"type": "user_message", "message": "배포는 언제 하지?"}),
            ),
        ];
        let mut events: Vec<NewEvent> = lines.iter().flat_map(|line| rollout.line(line)).collect();
        events.extend(rollout.answer.take());
        let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
        assert_eq!(kinds, ["user_prompt", "tool_observation", "agent_response"]);
        assert_eq!(events[0].content, "배포는 언제 하지?");
        assert_eq!(events[0].project.as_deref(), Some("/nowhere/shop"));
        assert_eq!(
            events[1].tool.as_ref().map(|tool| tool.output.as_str()),
            Some("a.rs")
        );
        assert!(events.iter().all(|event| event.session == "c1"));
        assert!(rollout.unfinished().is_empty());
    }

    #[test]
    fn the_summary_of_a_compaction_is_no_answer() {
        let mut rollout = Rollout {
            session: Some("c1".to_owned()),
            ..Rollout::default()
        };
        let said = |role: &str, text: &str| {
            json!({"type": "response_item", "payload": {"type": "message", "role": role,
                "content": [{"type": "output_text", "text": text}]}})
        };
        let compacted =
            |message: &str| json!({"type": "compacted", "payload": {"message": message}});
        let uninteresting = json!({"type": "event_msg", "payload": {"type": "token_count"}});
        let mut told: Vec<String> = [
            said("user", "Say the otter thing."),
            said("assistant", "Otters it is."),
            said("assistant", "The user wants otters."),
            uninteresting.clone(),
            compacted("Another model wrote this summary:\nThe user wants otters.\n"),
            said("assistant", "An answer after it."),
            uninteresting,
            // Compacted by the server, which keeps the summary.
            compacted(""),
            said("assistant", "The last one."),
        ]
        .iter()
        .flat_map(|line| rollout.line(line))
        .map(|event| event.content)
        .collect();
        told.extend(rollout.answer.take().map(|event| event.content));
        let kept = [
            "Say the otter thing.",
            "Otters it is.",
            "An answer after it.",
            "The last one.",
        ];
        assert_eq!(told, kept);
    }

    #[test]
    fn only_what_a_person_typed_is_said_by_the_user() {
        let mut rollout = Rollout {
            session: Some("c1".to_owned()),
            ..Rollout::default()
        };
        let said = |text: &str, kinds: Value| {
            json!({"role": "user", "content": [{"text": text}],
                "internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}})
        };
        let is_said = |rollout: &Rollout, message: &Value| rollout.message(message, None).is_some();
        assert!(is_said(&rollout, &said("hello", json!(["user.text"]))));
        assert!(is_said(&rollout, &said("hello", Value::Null)));
        assert!(!is_said(&rollout, &said("hello", json!(["hook.prompt"]))));
        let hook = "<hook_prompt hook_run_id=\"1\">We decided it</hook_prompt>";
        assert!(!is_said(&rollout, &said(hook, Value::Null)));

        // The parent agent writes the prompt of another agent.
        rollout.session = Some(subagent_session("a1"));
        let prompt = rollout
            .message(&said("Find it.", Value::Null), None)
            .unwrap();
        assert_eq!(prompt.origin, Some(Origin::Assistant));
        assert!(prompt.metadata.unwrap().as_str().contains("isSidechain"));
    }

    #[test]
    fn a_tool_of_this_memory_is_known_by_its_server() {
        let mut rollout = Rollout {
            session: Some("c1".to_owned()),
            ..Rollout::default()
        };
        rollout.call(
            &json!({"call_id": "k1", "name": "search", "namespace": "mcp__recallite",
                "arguments": "{}"}),
            None,
        );
        let event = rollout.output(&json!({"call_id": "k1", "output": "recalled"}));
        assert_eq!(event.unwrap().tool.unwrap().name, "mcp__recallite__search");
    }

    #[test]
    fn a_command_that_failed_is_a_failure() {
        let failed =
            "Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno";
        for (output, error) in [
            (
                json!(r#"{"output":"no such file","metadata":{"exit_code":1}}"#),
                Some("exit code 1"),
            ),
            (
                json!("Exit code: 127\nWall time: 0 seconds\nOutput:\n"),
                Some("exit code 127"),
            ),
            (json!(failed), Some("exit code 2")),
            (
                json!("Exit code: 0\nWall time: 0 seconds\nOutput:\nExit code: 1"),
                None,
            ),
            (json!("What it says: Exit code: 1"), None),
            (
                json!([{"type": "input_image", "image_url": "data:image/png;base64,iVBORw0="}]),
                None,
            ),
        ] {
            let mut rollout = Rollout {
                session: Some("c1".to_owned()),
                ..Rollout::default()
            };
            rollout.call(
                &json!({"call_id": "k1", "name": "shell", "arguments": "{}"}),
                None,
            );
            let event = rollout.output(&json!({"call_id": "k1", "output": output}));
            let tool = event.unwrap().tool.unwrap();
            assert_eq!(tool.error.as_deref(), error, "{output}");
            assert_ne!(tool.success, Some(error.is_some()), "{output}");
            assert!(!tool.output.contains("base64"), "{output}");
        }
    }
}
