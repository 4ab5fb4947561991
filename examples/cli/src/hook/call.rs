//! The input that each agent sends on standard input.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use recallite::Timestamp;
use recallite::privacy::PrivacyFilter;
use recallite::scope::project_of;
use serde_json::{Value, json};

use crate::agent_folders::COPILOT;
use crate::agent_names;
use crate::agents::{
    claude_code_folder, codex_exit_code, exit_code_error, gemini_exit_code, is_by_codex,
    said_to_gemini, subagent_session, text_of,
};
use crate::command_line::runs_this_program;
use crate::transcript_lines::read_json;

/// The agent that calls the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    ClaudeCode,
    Codex,
    GeminiCli,
    VsCode,
    CopilotCli,
    /// It has no sign of another one, and says a time, as Claude Code does not. It is served in the
    /// form of Claude Code.
    Unknown,
}

impl Host {
    pub(super) fn name(self) -> &'static str {
        match self {
            Host::ClaudeCode => agent_names::CLAUDE_CODE,
            Host::Codex => agent_names::CODEX,
            Host::GeminiCli => agent_names::GEMINI_CLI,
            Host::VsCode => agent_names::VSCODE,
            Host::CopilotCli => agent_names::COPILOT_CLI,
            Host::Unknown => agent_names::UNKNOWN,
        }
    }

    /// Identifies the host by what only it sends. Codex sends the same fields as Claude Code and is
    /// recognised by the transcript's path. Of the others, Claude Code says no time; Gemini CLI and
    /// VS Code name a transcript, Copilot CLI with few events and in its own folder. A time alone is
    /// no sign of any of them.
    fn of(event: &str, input: &Value) -> Host {
        let has = |field: &str| given(input, field).is_some();
        let tells_time = has("timestamp") && !has("permission_mode");
        let is_gemini = matches!(
            event,
            "BeforeAgent" | "AfterAgent" | "AfterTool" | "PreCompress"
        );
        let has_no_transcript_yet = input["transcript_path"] == "";
        if has("hookEventName") {
            Host::VsCode
        } else if is_gemini || is_under(input, ".gemini") || tells_time && has_no_transcript_yet {
            Host::GeminiCli
        } else if has("turn_id") || is_under(input, ".codex") {
            Host::Codex
        } else if tells_time && is_by_vscode(input) {
            Host::VsCode
        } else if tells_time && is_by_copilot_cli(event, input) {
            Host::CopilotCli
        } else if tells_time {
            Host::Unknown
        } else {
            Host::ClaudeCode
        }
    }
}

/// A field that says something: typed callers write null for what they leave out.
fn given<'v>(input: &'v Value, field: &str) -> Option<&'v Value> {
    input.get(field).filter(|value| !value.is_null())
}

/// Whether the transcript is in a folder with this name.
fn is_under(input: &Value, folder: &str) -> bool {
    Path::new(input["transcript_path"].as_str().unwrap_or_default())
        .components()
        .any(|part| part.as_os_str().eq_ignore_ascii_case(folder))
}

fn is_by_vscode(input: &Value) -> bool {
    given(input, "model").is_some()
        || ["GitHub.copilot-chat", "workspaceStorage", "globalStorage"]
            .iter()
            .any(|folder| is_under(input, folder))
}

/// By its folder, what it calls the result of a tool, fields in its other form, or how only it calls
/// a new session, for which others name a model or a transcript.
fn is_by_copilot_cli(event: &str, input: &Value) -> bool {
    let is_its_start = event == "SessionStart"
        && input["source"] == "new"
        && given(input, "transcript_path").is_none();
    is_under(input, ".copilot")
        || given(input, "tool_result").is_some()
        || given(input, "sessionId").is_some()
        || is_its_start
        || is_session_of_copilot(input)
}

/// Whether Copilot CLI keeps the state of the session in its own folder, where older versions have a
/// file.
fn is_session_of_copilot(input: &Value) -> bool {
    let session = input["session_id"].as_str().unwrap_or_default();
    let mut parts = Path::new(session).components();
    let is_name = matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(_)), None)
    );
    let is_kept = |folder: PathBuf| {
        let states = folder.join("session-state");
        states.join(session).is_dir() || states.join(format!("{session}.jsonl")).is_file()
    };
    is_name && COPILOT.path().is_ok_and(is_kept)
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// With an empty context.
    Fresh,
    /// With the conversation that it continues.
    Continued,
    /// With a copy of another conversation.
    Forked,
    /// After its conversation was compacted.
    Compacted,
}

/// A call of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct ToolCall {
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) output: String,
    pub(super) error: Option<String>,
    pub(super) duration_ms: Option<u64>,
    pub(super) id: Option<String>,
    /// Whether it is one of this memory's own tools, by the program of its server.
    pub(super) is_own: bool,
}

/// What the agent said, as far as its host sends it.
#[derive(Debug, PartialEq)]
pub(super) struct Answers {
    /// Oldest first, without blank ones.
    pub(super) said: Vec<Said>,
    /// Whether they are those of the whole session, sent again with every turn, rather than the last.
    pub(super) are_of_session: bool,
    /// Why it stopped, in the words of the host.
    pub(super) stop_reason: Option<String>,
}

/// One answer.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    pub(super) text: String,
    /// What identifies it in its session, where the host says so.
    pub(super) id: Option<String>,
    /// Its place among the messages of the session.
    pub(super) place: usize,
}

/// What happened.
#[derive(Debug, PartialEq)]
pub(super) enum Moment {
    Start {
        source: Beginning,
    },
    /// Until [`Call::keep_what_was_said`], the text includes what the host added to it.
    Prompt {
        text: String,
    },
    Tool(ToolCall),
    /// The agent has answered.
    Answered(Answers),
    /// The host is about to compact the conversation, and will not say so when it continues.
    Compacting,
    /// The session is over.
    End,
}

/// One call of the hook.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) host: Host,
    /// The event's name, as the host sent it.
    pub(super) event: String,
    pub(super) session: String,
    /// When it happened, where the host says so in a way that can be right.
    pub(super) at: Option<Timestamp>,
    /// The agent's working folder, as an absolute path.
    folder: PathBuf,
    pub(super) moment: Moment,
    /// Whether the host accepts context with a prompt.
    pub(super) takes_context_with_a_prompt: bool,
}

/// Why there is no call.
#[derive(Debug, PartialEq)]
pub(super) enum NotUnderstood {
    /// Nothing is wrong, but there is nothing to do.
    OfNoInterest,
    /// The input is invalid. Never contains any of it.
    Broken(String),
}

impl Call {
    pub(super) fn read(input: &[u8]) -> Result<Call, NotUnderstood> {
        let broken = |why: &str| NotUnderstood::Broken(why.to_owned());
        // The byte order mark that some shells put before a text.
        let input = input.strip_prefix("\u{feff}".as_bytes()).unwrap_or(input);
        if input.iter().all(u8::is_ascii_whitespace) {
            return Err(broken("standard input is empty"));
        }
        let input = read_json(input).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            NotUnderstood::Broken(format!(
                "standard input is not valid JSON (line {line}, column {column})"
            ))
        })?;
        if !input.is_object() {
            return Err(broken("standard input is not a JSON object"));
        }
        let event =
            event_of(&input).ok_or_else(|| broken("the event is missing (hook_event_name)"))?;
        let host = Host::of(event, &input);
        let moment = moment(host, event, &input)
            .filter(|moment| !is_of_program(host, moment))
            .ok_or(NotUnderstood::OfNoInterest)?;
        Ok(Call {
            host,
            event: event.to_owned(),
            session: session(&input)
                .ok_or_else(|| broken("the session is missing (session_id)"))?,
            // A clock that is ahead would make it the newest for a long time.
            at: time_of(&input["timestamp"]).filter(|at| *at <= crate::time::now()),
            folder: folder(host, &input).ok_or_else(|| broken("the folder is missing (cwd)"))?,
            moment,
            takes_context_with_a_prompt: match host {
                Host::ClaudeCode | Host::Codex | Host::GeminiCli | Host::Unknown => true,
                // The form of its first versions, which accept context only at the start.
                Host::VsCode => given(&input, "hookEventName").is_none(),
                Host::CopilotCli => false,
            },
        })
    }

    /// Removes from a prompt what nobody said.
    pub(super) fn keep_what_was_said(&mut self, filter: &PrivacyFilter) {
        if let Moment::Prompt { text } = &mut self.moment
            && self.event == "BeforeAgent"
        {
            *text = said_to_gemini(text, filter).into_owned();
        }
    }

    /// Whether the agent has given its last answer of a turn and waits for the hook.
    pub(super) fn ends_turn(&self) -> bool {
        matches!(self.event.as_str(), "Stop" | "AfterAgent")
    }

    /// The project of the agent's working folder. If the folder no longer exists, the nearest
    /// existing parent folder counts if it is in a repository; otherwise the name of the missing
    /// folder is the project.
    pub(super) fn project(&self) -> String {
        if let Ok(project) = project_of(&self.folder) {
            return project;
        }
        self.folder
            .ancestors()
            .skip(1)
            .find(|folder| folder.is_dir())
            .filter(|left| left.ancestors().any(|place| place.join(".git").exists()))
            .and_then(|left| project_of(left).ok())
            .unwrap_or_else(|| self.folder.to_string_lossy().replace('\\', "/"))
    }
}

/// Whether the agent's program, not a person, wrote a prompt.
fn is_of_program(host: Host, moment: &Moment) -> bool {
    matches!(moment, Moment::Prompt { text } if host == Host::Codex && is_by_codex(text))
}

/// The folder in which Claude Code was started, where it says so: the one in its input follows the
/// agent into other repositories, but the MCP server of the session stays. Otherwise the folder in
/// the input, or else the working folder of this process: without a folder, memories of every
/// project would be recalled.
fn folder(host: Host, input: &Value) -> Option<PathBuf> {
    if host == Host::ClaudeCode
        && let Some(folder) = claude_code_folder()
    {
        return Some(folder);
    }
    let named = Path::new(input["cwd"].as_str().unwrap_or_default());
    match named.is_absolute() {
        true => Some(named.to_owned()),
        false => Some(std::env::current_dir().ok()?.join(named)),
    }
}

/// The session. A subagent's turns are a separate conversation.
fn session(input: &Value) -> Option<String> {
    let text = |field: &str| input[field].as_str().filter(|text| !text.trim().is_empty());
    if let Some(agent) = text("agent_id") {
        return Some(subagent_session(agent));
    }
    text("session_id").or(text("sessionId")).map(str::to_owned)
}

/// The name of the event: the one that the input has, or else the one that its fields tell.
fn event_of(input: &Value) -> Option<&str> {
    match given(input, "hook_event_name").or(given(input, "hookEventName")) {
        Some(named) => named.as_str(),
        None => event_by_fields(input),
    }
}

/// The event that only an input with such fields reports; `None` if they fit none or several, such
/// as a call of a tool that may be about to begin.
fn event_by_fields(input: &Value) -> Option<&'static str> {
    const RESULTS: [&str; 4] = ["tool_output", "tool_error", "tool_response", "tool_result"];
    const ANSWERS: [&str; 4] = [
        "messages",
        "stop_reason",
        "last_assistant_message",
        "stop_hook_active",
    ];
    let has = |field: &&str| given(input, field).is_some();
    if has(&"tool_name") {
        return RESULTS.iter().any(has).then_some("PostToolUse");
    }
    let fits = [
        ("UserPromptSubmit", has(&"prompt")),
        ("Stop", ANSWERS.iter().any(has)),
        ("SessionStart", has(&"source")),
        ("SessionEnd", has(&"reason")),
    ];
    let mut events = fits
        .iter()
        .filter(|(_, fits)| *fits)
        .map(|(event, _)| *event);
    match (events.next(), events.next()) {
        (None, _) => event_without_fields(input),
        (one, None) => one,
        _ => None,
    }
}

/// A start and an end say nothing else than whose they are, and a start where.
fn event_without_fields(input: &Value) -> Option<&'static str> {
    const KNOWN: [&str; 3] = ["session_id", "cwd", "timestamp"];
    let mut said = input.as_object()?.iter();
    if said.any(|(name, value)| !value.is_null() && !KNOWN.contains(&name.as_str())) {
        return None;
    }
    given(input, "session_id")?;
    Some(match given(input, "cwd") {
        Some(_) => "SessionStart",
        None => "SessionEnd",
    })
}

/// A moment as a text, or in milliseconds since 1970. A time in seconds would be one in 1970, and is
/// none.
fn time_of(value: &Value) -> Option<Timestamp> {
    const OLDEST_MS: i64 = 1_000_000_000_000;
    let at: Timestamp = match value {
        Value::String(text) => text.parse().ok()?,
        _ => Timestamp::from_millis(value.as_i64()?).ok()?,
    };
    (at.millis() >= OLDEST_MS).then_some(at)
}

fn moment(host: Host, event: &str, input: &Value) -> Option<Moment> {
    let text = |field: &str| input[field].as_str().map(str::to_owned);
    Some(match event {
        "SessionStart" => Moment::Start {
            source: match input["source"].as_str() {
                Some("resume") => Beginning::Continued,
                Some("fork") => Beginning::Forked,
                Some("compact") => Beginning::Compacted,
                _ => Beginning::Fresh,
            },
        },
        "UserPromptSubmit" | "BeforeAgent" => Moment::Prompt {
            text: text("prompt")?,
        },
        "PostToolUse" | "PostToolUseFailure" | "AfterTool" => Moment::Tool(tool_call(host, input)?),
        "Stop" | "SubagentStop" | "AfterAgent" => Moment::Answered(Answers {
            said: answers(input),
            are_of_session: input["messages"].is_array(),
            stop_reason: text("stop_reason").filter(|reason| !reason.trim().is_empty()),
        }),
        "PreCompress" => Moment::Compacting,
        "SessionEnd" => Moment::End,
        _ => return None,
    })
}

/// What the agent said, without blank texts. A last answer that the messages do not have yet comes
/// after them.
fn answers(input: &Value) -> Vec<Said> {
    let messages = input["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let mut ids: HashMap<&str, usize> = HashMap::new();
    let mut said = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        if message["role"] != "assistant" {
            continue;
        }
        let text = words_of(&message["content"]);
        if text.trim().is_empty() {
            continue;
        }
        let id = message["id"].as_str().or(message["uuid"].as_str());
        // The parts of an answer may be messages with the same id.
        let id = id.filter(|id| !id.trim().is_empty()).map(|id| {
            let part = ids.entry(id).or_default();
            *part += 1;
            format!("{id} {part}")
        });
        said.push(Said { text, id, place });
    }
    let last = input["last_assistant_message"].as_str();
    let last = last.or(input["prompt_response"].as_str());
    if let Some(last) = last.filter(|last| !last.trim().is_empty())
        && said
            .last()
            .is_none_or(|said| said.text.trim() != last.trim())
    {
        said.push(Said {
            text: last.to_owned(),
            id: None,
            place: messages.len(),
        });
    }
    said
}

/// The words of an agent's message, without its thoughts and calls of tools.
fn words_of(content: &Value) -> String {
    let of_part = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        _ => match part["type"].as_str() {
            None | Some("text" | "output_text") => part["text"].as_str().map(str::to_owned),
            Some(_) => None,
        },
    };
    match content {
        Value::Array(parts) => parts
            .iter()
            .filter_map(of_part)
            .collect::<Vec<_>>()
            .join("\n"),
        one => of_part(one).unwrap_or_default(),
    }
}

fn tool_call(host: Host, input: &Value) -> Option<ToolCall> {
    let output = match given(input, "tool_result") {
        Some(result) => text_of(&result["text_result_for_llm"]),
        None => text_of(given(input, "tool_response").unwrap_or(&input["tool_output"])),
    };
    let name = input["tool_name"].as_str()?;
    Some(ToolCall {
        name: name.to_owned(),
        is_own: is_of_own_server(&input["mcp_context"]),
        input: input["tool_input"].clone(),
        error: error_of_call(host, name, input, &output),
        output,
        duration_ms: input["duration_ms"].as_u64().or_else(|| took_ms(input)),
        id: input["tool_use_id"].as_str().map(str::to_owned),
    })
}

/// Why a call failed, where the host says so in a field or in the output.
fn error_of_call(host: Host, name: &str, input: &Value, output: &str) -> Option<String> {
    let response = &input["tool_response"];
    let exit_code = match host {
        Host::Codex => codex_exit_code(output).filter(|code| *code != 0),
        Host::GeminiCli => gemini_exit_code(name, output),
        _ => None,
    };
    let failed = input["tool_result"]["result_type"]
        .as_str()
        .filter(|kind| *kind != "success")
        .or((response["isError"] == true).then_some("failed"));
    [&input["error"], &input["tool_error"], &response["error"]]
        .into_iter()
        .find_map(error_text)
        .or_else(|| exit_code.map(exit_code_error))
        .or_else(|| failed.map(str::to_owned))
}

/// How long a call took of which only the begin and the end are told.
fn took_ms(input: &Value) -> Option<u64> {
    let [begun, ended] = ["started_at", "ended_at"].map(|field| time_of(&input[field]));
    u64::try_from(ended?.millis() - begun?.millis()).ok()
}

/// Whether the program of an MCP server is this one, whatever the server is called.
fn is_of_own_server(server: &Value) -> bool {
    let arguments = server["args"].as_array().into_iter().flatten();
    let words: Vec<&Value> = std::iter::once(&server["command"])
        .chain(arguments)
        .collect();
    runs_this_program(&json!({ "command": words }))
}

/// What went wrong, if a field says that something did.
fn error_text(error: &Value) -> Option<String> {
    let text = match error {
        Value::Null | Value::Bool(false) => String::new(),
        Value::Bool(true) => "failed".to_owned(),
        Value::Array(parts) if parts.is_empty() => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Object(fields) => text_of(fields.get("message").unwrap_or(error)),
        other => text_of(other),
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(input: &Value) -> Result<Call, NotUnderstood> {
        Call::read(input.to_string().as_bytes())
    }

    #[test]
    fn every_host_is_known_by_its_words() {
        let claude = json!({"session_id": "s", "transcript_path": "/h/.claude/projects/p/s.jsonl",
            "cwd": "/p", "permission_mode": "default", "hook_event_name": "UserPromptSubmit",
            "prompt": "hello"});
        let codex = json!({"session_id": "s", "turn_id": "t", "transcript_path": null,
            "cwd": "/p", "hook_event_name": "UserPromptSubmit", "model": "m",
            "permission_mode": "default", "prompt": "hello"});
        let codex_start = json!({"session_id": "s", "cwd": "/p", "hook_event_name": "SessionStart",
            "transcript_path": "/h/.codex/sessions/2026/01/30/rollout-x.jsonl", "source": "startup"});
        let gemini = json!({"session_id": "s", "transcript_path": "", "cwd": "/p",
            "hook_event_name": "BeforeAgent", "timestamp": "2026-01-30T14:05:00Z", "prompt": "hello"});
        let gemini_start = json!({"session_id": "s", "transcript_path": "", "cwd": "/p",
            "hook_event_name": "SessionStart", "timestamp": "2026-01-30T14:05:00Z",
            "source": "startup"});
        let old_vscode = json!({"sessionId": "s", "hookEventName": "UserPromptSubmit",
            "cwd": "/p", "timestamp": "2026-01-30T14:05:00Z", "prompt": "hello"});
        let vscode = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/p",
            "transcript_path": "/h/.config/Code/User/workspaceStorage/x/GitHub.copilot-chat/t.jsonl",
            "timestamp": "2026-01-30T14:05:00.000Z", "prompt": "hello"});
        let vscode_start = json!({"session_id": "s", "hook_event_name": "SessionStart",
            "timestamp": "2026-01-30T14:05:00.000Z", "model": "m", "source": "new"});
        let copilot = json!({"session_id": "s", "hook_event_name": "PostToolUse", "cwd": "/p",
            "timestamp": "2026-01-30T14:05:00.000Z", "tool_name": "bash", "tool_input": {},
            "tool_result": {"result_type": "success", "text_result_for_llm": "a.rs"}});
        let copilot_start = json!({"session_id": "s", "hook_event_name": "SessionStart",
            "cwd": "/p", "timestamp": "2026-01-30T14:05:00.000Z", "source": "new"});
        let copilot_by_itself = json!({"sessionId": "s", "cwd": "/p", "prompt": "hello",
            "timestamp": 1_769_781_900_000_i64});
        let unknown_start = json!({"session_id": "s", "hook_event_name": "SessionStart",
            "cwd": "/p", "timestamp": "2026-01-30T14:05:00.000Z", "source": "startup"});
        let unknown_start_by_fields = json!({"session_id": "s", "cwd": "/p",
            "timestamp": 1_769_781_900_000_i64});
        let without_time = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit",
            "timestamp": null, "turn_id": null, "hookEventName": null, "tool_result": null,
            "prompt": "hello"});
        let unknown = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit",
            "timestamp": "2026-01-30T14:05:00.000Z", "prompt": "hello"});
        let copilot_end = json!({"session_id": "s", "hook_event_name": "Stop", "cwd": "/p",
            "transcript_path": "/h/.copilot/session-state/s/events.jsonl",
            "timestamp": "2026-01-30T14:05:00.000Z", "stop_reason": "end_turn"});
        for (input, host) in [
            (claude, Host::ClaudeCode),
            (codex, Host::Codex),
            (codex_start, Host::Codex),
            (gemini, Host::GeminiCli),
            (gemini_start, Host::GeminiCli),
            (old_vscode, Host::VsCode),
            (vscode, Host::VsCode),
            (vscode_start, Host::VsCode),
            (copilot, Host::CopilotCli),
            (copilot_start, Host::CopilotCli),
            (copilot_by_itself, Host::CopilotCli),
            (unknown, Host::Unknown),
            (unknown_start, Host::Unknown),
            (unknown_start_by_fields, Host::Unknown),
            (without_time, Host::ClaudeCode),
            (copilot_end, Host::CopilotCli),
        ] {
            let call = read(&input).unwrap();
            assert_eq!(call.host, host, "{input}");
            assert_eq!(call.session, "s");
        }
    }

    #[test]
    fn events_that_we_were_not_made_for_are_let_go() {
        for event in ["PreToolUse", "Notification", "PreCompact", "SomethingNew"] {
            let input = json!({"session_id": "s", "hook_event_name": event});
            assert_eq!(read(&input).unwrap_err(), NotUnderstood::OfNoInterest);
        }
    }

    /// Fields that fit no event or several do not tell which it is.
    #[test]
    fn an_event_without_a_name_is_known_by_its_fields() {
        for (fields, event) in [
            (
                json!({"prompt": "hello", "timestamp": "2026-01-30T14:05:00Z"}),
                Some("UserPromptSubmit"),
            ),
            (
                json!({"tool_name": "Bash", "tool_input": {}, "tool_output": ""}),
                Some("PostToolUse"),
            ),
            (
                json!({"stop_reason": "end_turn", "messages": []}),
                Some("Stop"),
            ),
            (json!({"source": "startup"}), Some("SessionStart")),
            (json!({"reason": "exit", "cwd": "/p"}), Some("SessionEnd")),
            (json!({"cwd": "/p"}), Some("SessionStart")),
            (json!({}), Some("SessionEnd")),
            // Fields that are null say nothing.
            (
                json!({"prompt": "hello", "messages": null, "stop_reason": null}),
                Some("UserPromptSubmit"),
            ),
            (
                json!({"hook_event_name": null, "hookEventName": "Stop"}),
                Some("Stop"),
            ),
            (
                json!({"cwd": "/p", "prompt": null, "timestamp": null}),
                Some("SessionStart"),
            ),
            (json!({"cwd": null}), Some("SessionEnd")),
            // It may be about to begin.
            (json!({"tool_name": "Bash", "tool_input": {}}), None),
            (
                json!({"tool_name": "Bash", "tool_input": {}, "tool_output": null,
                    "tool_error": null}),
                None,
            ),
            (json!({"prompt": "hello", "stop_reason": "end_turn"}), None),
            (json!({"source": "new", "reason": "exit"}), None),
            (json!({"message": "waiting"}), None),
            (json!({"prompt": "hello", "hook_event_name": 7}), None),
        ] {
            let mut input = fields;
            input["session_id"] = "s".into();
            let read = read(&input);
            assert_eq!(
                read.as_ref().ok().map(|call| call.event.as_str()),
                event,
                "{input}"
            );
            if event.is_none() {
                assert!(matches!(read, Err(NotUnderstood::Broken(_))), "{input}");
            }
        }
    }

    #[test]
    fn an_event_has_the_time_of_its_host_if_that_can_be_read() {
        for (timestamp, at) in [
            (json!("2026-01-30T14:05:00Z"), Some(1_769_781_900_000)),
            (json!(1_769_781_900_000_i64), Some(1_769_781_900_000)),
            (json!("2026-01-30 14:05"), None),
            (json!("5000-01-30T14:05:00Z"), None),
            (json!(i64::MAX), None),
            // In seconds.
            (json!(1_769_781_900), None),
            (json!(-1_769_781_900_000_i64), None),
            (json!("1970-01-21T11:36:21Z"), None),
            (json!(null), None),
            (json!([]), None),
        ] {
            let input = json!({"session_id": "s", "hook_event_name": "Stop",
                "timestamp": timestamp});
            let at = at.map(Timestamp::from_millis_clamped);
            assert_eq!(read(&input).unwrap().at, at, "{input}");
        }
    }

    #[test]
    fn an_answer_is_its_words() {
        let of = |role: &str, content: Value| json!({"role": role, "content": content});
        let messages = json!([
            of("user", json!("Where?")),
            of("assistant", json!("Let me look.")),
            of(
                "assistant",
                json!([{"type": "tool_use", "name": "Read", "input": {"text": 1}}])
            ),
            of("assistant", json!(" \n")),
            of("assistant", json!(null)),
            of(
                "assistant",
                json!([{"type": "thinking", "thinking": "Hm."},
                {"type": "text", "text": "In Redis,"}, {"type": "text", "text": "as said."}])
            ),
        ]);
        let texts = |input: &Value| {
            let said = answers(input).into_iter();
            said.map(|said| said.text).collect::<Vec<_>>()
        };
        let said = ["Let me look.", "In Redis,\nas said."];
        for (last, all) in [
            (json!(null), &said[..]),
            (json!(" "), &said),
            (json!("In Redis,\nas said. "), &said),
            (json!("Done."), &[said[0], said[1], "Done."]),
        ] {
            let input = json!({"messages": messages, "last_assistant_message": last});
            assert_eq!(texts(&input), all, "{input}");
        }
        assert_eq!(texts(&json!({"messages": "In Redis."})), [""; 0]);
        // What comes after the words says nothing.
        for after in [
            json!(" "),
            json!([{"type": "tool_use", "name": "Read", "input": {}}]),
            json!([{"type": "reasoning", "text": "Hm."}, {"type": "summary_text", "text": "Hm."}]),
        ] {
            let input = json!({"messages": [of("assistant", json!("In Redis.")),
                of("assistant", after)], "last_assistant_message": "In Redis."});
            assert_eq!(texts(&input), ["In Redis."], "{input}");
        }
        let parts = json!([{"type": "reasoning", "text": "Hm."}, "In", {"text": "Redis,"},
            {"type": "output_text", "text": "as said."}]);
        let input = json!({"messages": [of("assistant", parts)]});
        assert_eq!(texts(&input), ["In\nRedis,\nas said."]);
    }

    #[test]
    fn an_answer_has_the_place_and_the_id_of_its_message() {
        let of = |fields: Value| {
            let mut message = json!({"role": "assistant", "content": "In Redis."});
            for (name, value) in fields.as_object().unwrap() {
                message[name] = value.clone();
            }
            message
        };
        let input = json!({"messages": [{"role": "user", "content": "Where?"},
            of(json!({"id": "m1"})), of(json!({"id": "m1"})), of(json!({"uuid": "u1"})),
            of(json!({"id": " ", "uuid": null})), of(json!({"id": 7}))],
            "last_assistant_message": "Done."});
        let said = answers(&input);
        let said: Vec<_> = said.iter().map(|it| (it.place, it.id.as_deref())).collect();
        let all = [
            (1, Some("m1 1")),
            (2, Some("m1 2")),
            (3, Some("u1 1")),
            (4, None),
            (5, None),
            (6, None),
        ];
        assert_eq!(said, all);
    }

    #[test]
    fn broken_input_is_told_without_its_words() {
        for input in ["", " \n", "secret", "{\"a\":", "[]", "{}", "\u{feff}{}"] {
            match Call::read(input.as_bytes()) {
                Err(NotUnderstood::Broken(why)) => assert!(!why.contains("secret"), "{why}"),
                other => panic!("{input:?} gave {other:?}"),
            }
        }
        assert!(matches!(
            Call::read(b"\xff\xfe{"),
            Err(NotUnderstood::Broken(_))
        ));
    }

    #[test]
    fn a_mark_before_the_input_is_read_over() {
        let input = json!({"session_id": "s", "hook_event_name": "Stop"});
        let call = Call::read(format!("\u{feff}{input}").as_bytes()).unwrap();
        assert_eq!(call.session, "s");
    }

    #[test]
    fn a_tool_call_keeps_its_error() {
        let input = json!({"session_id": "s", "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_use_id": "t1",
            "error": "Exit code 1", "duration_ms": 12});
        let Moment::Tool(call) = read(&input).unwrap().moment else {
            panic!("no tool call");
        };
        assert_eq!(call.error.as_deref(), Some("Exit code 1"));
        assert_eq!(call.duration_ms, Some(12));
        let input = json!({"session_id": "s", "turn_id": "t", "hook_event_name": "PostToolUse",
            "tool_name": "exec_command", "tool_input": {"cmd": "ls /x"}, "tool_use_id": "t1",
            "tool_response": "Exit code: 2\nWall time: 0 seconds\nOutput:\nno /x"});
        let Moment::Tool(call) = read(&input).unwrap().moment else {
            panic!("no tool call");
        };
        assert_eq!(call.error.as_deref(), Some("exit code 2"));
        let call = |begun: &str, ended: &str| {
            let input = json!({"tool_name": "Bash", "tool_input": {"command": "npm test"},
                "tool_output": {"stdout": "3 failed", "stderr": ""}, "tool_error": "exit 1",
                "started_at": begun, "ended_at": ended});
            tool_call(Host::ClaudeCode, &input).unwrap()
        };
        let (begun, ended) = ("2026-01-30T10:00:00Z", "2026-01-30T12:00:02+02:00");
        let said = call(begun, ended);
        assert_eq!(
            (said.output.as_str(), said.error.as_deref()),
            ("3 failed", Some("exit 1"))
        );
        assert_eq!(said.duration_ms, Some(2_000));
        for (begun, ended) in [(ended, begun), ("", ended), (begun, "soon")] {
            assert_eq!(call(begun, ended).duration_ms, None, "{begun} {ended}");
        }
        for (error, text) in [
            (json!(null), None),
            (json!(false), None),
            (json!({}), None),
            (json!([]), None),
            (json!(" "), None),
            (json!(true), Some("failed")),
            (json!("no such file"), Some("no such file")),
            (
                json!({"message": "no such file", "type": "file_not_found"}),
                Some("no such file"),
            ),
            (json!({"code": 2}), Some("{\"code\":2}")),
        ] {
            let input = json!({"tool_name": "read_file", "tool_response": {"error": error}});
            let call = tool_call(Host::ClaudeCode, &input).unwrap();
            assert_eq!(call.error.as_deref(), text, "{input}");
        }
    }

    #[test]
    fn what_codex_writes_itself_is_no_prompt() {
        let prompt = |text: &str| {
            read(&json!({"session_id": "s", "turn_id": "t", "cwd": "/p",
                "hook_event_name": "UserPromptSubmit", "prompt": text}))
        };
        let notice = "<subagent_notification>\n{}\n</subagent_notification>";
        assert_eq!(prompt(notice).unwrap_err(), NotUnderstood::OfNoInterest);
        assert!(prompt("Why was there a <subagent_notification>?").is_ok());
    }

    #[test]
    fn a_subagent_has_a_conversation_of_its_own() {
        let input = json!({"session_id": "s", "agent_id": "a1", "hook_event_name": "SubagentStop",
            "last_assistant_message": "done"});
        assert_eq!(read(&input).unwrap().session, "agent-a1");
    }
}
