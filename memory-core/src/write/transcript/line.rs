//! Reads one line of a transcript, tolerating any unexpected content.

use std::fmt;

use serde_json::Value;

use super::repair::{repair_json, without_byte_order_mark};
use crate::model::event::MAX_DURATION_MS;
use crate::model::json::Json;
use crate::model::time::Timestamp;

/// What kind of line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// A message to the agent: a person's prompt or the results of tools.
    User,
    /// A message from the agent.
    Assistant,
    /// The title of a conversation.
    Summary,
    /// Everything else: progress, snapshots, hooks, and kinds not known yet.
    Other,
}

/// One line of a transcript. Fields that are missing, or not of the expected type, are
/// `None`, false or empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The kind of line, from its `type`; the message's role is ignored.
    pub kind: LineKind,
    /// The message's own id.
    pub uuid: Option<String>,
    /// The id of the message it follows.
    pub parent_uuid: Option<String>,
    /// The session that the line names.
    pub session_id: Option<String>,
    /// When the message was written.
    pub timestamp: Option<Timestamp>,
    /// The folder that the agent worked in.
    pub cwd: Option<String>,
    /// The model that wrote an agent's message.
    pub model: Option<String>,
    /// The subagent that the message belongs to.
    pub agent_id: Option<String>,
    /// Whether the message belongs to a subagent's conversation.
    pub is_sidechain: bool,
    /// Whether the program, not a person, wrote the message.
    pub is_meta: bool,
    /// The content of a user's or agent's message, the title of a summary.
    pub blocks: Vec<ContentBlock>,
    /// How long the tool of a result ran, in milliseconds, if the line says so.
    pub tool_duration_ms: Option<u64>,
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentBlock {
    /// Text.
    Text(String),
    /// The agent's thinking.
    Thinking(String),
    /// A tool call.
    ToolUse {
        /// The id that its result refers to.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments.
        input: Json,
    },
    /// The result of a tool call.
    ToolResult {
        /// The id of the call.
        tool_use_id: String,
        /// The result's text; parts that are not text are named in brackets.
        output: String,
        /// Whether the call failed.
        is_error: bool,
    },
    /// A part of another type, for example an image.
    Other,
}

/// Why a line could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineProblem {
    /// The line is empty or blank.
    Blank,
    /// The line is not a JSON value. The last line of a running session may be incomplete.
    NotJson,
    /// The line is longer than the limit.
    TooLong,
}

impl fmt::Display for LineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineProblem::Blank => "the line is blank",
            LineProblem::NotJson => "the line is not JSON",
            LineProblem::TooLong => "the line is longer than the limit",
        })
    }
}

/// Parses one line, with or without its line break.
///
/// What a strict parser refuses is repaired as in [`repair_json`], because the output of a
/// tool may contain it.
///
/// [`repair_json`]: super::repair_json
///
/// # Errors
/// Says why the line is not a JSON value. Every JSON value is a line, if only of
/// the kind [`LineKind::Other`].
pub fn parse_line(bytes: &[u8]) -> Result<Line, LineProblem> {
    let bytes = without_byte_order_mark(bytes);
    if String::from_utf8_lossy(bytes).trim().is_empty() {
        return Err(LineProblem::Blank);
    }
    let value = serde_json::from_slice(bytes)
        .or_else(|_| serde_json::from_str(&repair_json(bytes)))
        .map_err(|_| LineProblem::NotJson)?;
    Ok(read_value(value))
}

fn read_value(mut value: Value) -> Line {
    let kind = match value["type"].as_str() {
        Some("user") => LineKind::User,
        Some("assistant") => LineKind::Assistant,
        Some("summary") => LineKind::Summary,
        _ => LineKind::Other,
    };
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let flag = |name: &str| value[name].as_bool().unwrap_or(false);
    let mut line = Line {
        kind,
        uuid: text("uuid"),
        parent_uuid: text("parentUuid"),
        session_id: text("sessionId"),
        timestamp: timestamp(&value["timestamp"]),
        cwd: text("cwd"),
        model: value["message"]["model"].as_str().map(str::to_owned),
        agent_id: text("agentId"),
        is_sidechain: flag("isSidechain"),
        is_meta: flag("isMeta") || flag("isCompactSummary") || flag("isVisibleInTranscriptOnly"),
        blocks: Vec::new(),
        tool_duration_ms: tool_duration_ms(&value["toolUseResult"]),
    };
    let content = match kind {
        LineKind::User | LineKind::Assistant => value
            .get_mut("message")
            .and_then(|message| message.get_mut("content"))
            .map(Value::take),
        LineKind::Summary => value.get_mut("summary").map(Value::take),
        LineKind::Other => None,
    };
    line.blocks = match content {
        Some(Value::String(text)) => vec![ContentBlock::Text(text)],
        Some(Value::Array(parts)) => parts.into_iter().map(read_block).collect(),
        _ => Vec::new(),
    };
    line
}

/// Smaller numbers are times in seconds, which would be in 1970.
const MIN_MILLIS: i64 = 1_000_000_000_000;

/// A moment as text or in milliseconds since 1970.
fn timestamp(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => {
            let millis = number
                .as_i64()
                .or_else(|| number.as_f64().map(|at| at as i64))?;
            let at = Timestamp::from_millis(millis).ok();
            at.filter(|at| at.millis() >= MIN_MILLIS)
        }
        _ => None,
    }
}

fn read_block(mut part: Value) -> ContentBlock {
    let mut text = |name: &str| match part.get_mut(name).map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    match text("type").as_str() {
        "text" => ContentBlock::Text(text("text")),
        "thinking" => ContentBlock::Thinking(text("thinking")),
        "tool_use" | "server_tool_use" => ContentBlock::ToolUse {
            id: text("id"),
            name: text("name"),
            // What a memory would refuse to store is kept as text.
            input: Json::flattened(&part["input"]),
        },
        "tool_result" => ContentBlock::ToolResult {
            tool_use_id: text("tool_use_id"),
            is_error: part["is_error"].as_bool().unwrap_or(false),
            output: result_text(part.get_mut("content").map_or(Value::Null, Value::take)),
        },
        _ => ContentBlock::Other,
    }
}

fn result_text(content: Value) -> String {
    let parts = match content {
        Value::String(text) => return text,
        Value::Array(parts) => parts,
        _ => return String::new(),
    };
    let texts: Vec<String> = parts
        .into_iter()
        .map(|mut part| match part.get_mut("text").map(Value::take) {
            Some(Value::String(text)) => text,
            _ => format!("[{}]", part["type"].as_str().unwrap_or("unknown")),
        })
        .collect();
    texts.join("\n")
}

/// Tools report their duration under different names.
fn tool_duration_ms(result: &Value) -> Option<u64> {
    let millis = result["durationMs"]
        .as_f64()
        .or_else(|| result["totalDurationMs"].as_f64())
        .or_else(|| result["durationSeconds"].as_f64().map(|s| s * 1000.0))?;
    // A float-to-int cast saturates; negative and NaN become 0.
    Some((millis.round() as u64).min(MAX_DURATION_MS))
}

/// Returns true if a user's text was written by the program: the wrappers of slash commands
/// and their output, of shell input, reminders, reports of background tasks, the summary of a
/// compacted conversation, and notes about an interruption.
pub fn is_meta_text(text: &str) -> bool {
    const WRAPPERS: [&str; 14] = [
        "<command-name>",
        "<command-message>",
        "<command-args>",
        "<local-command-stdout>",
        "<local-command-stderr>",
        "<local-command-caveat>",
        "<bash-input>",
        "<bash-stdout>",
        "<bash-stderr>",
        "<system-reminder>",
        "<task-notification>",
        "This session is being continued from a previous conversation",
        "Caveat: The messages below were generated by the user while running local commands",
        "[Request interrupted by user",
    ];
    let text = text.trim_start();
    WRAPPERS.iter().any(|wrapper| text.starts_with(wrapper))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Line {
        parse_line(text.as_bytes()).expect("a JSON line")
    }

    #[test]
    fn every_part_of_a_message_is_read() {
        let line = parse(
            r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s",
            "timestamp":"2026-02-12T14:11:57.667Z","cwd":"/w","isSidechain":true,"agentId":"a1",
            "message":{"role":"assistant","model":"m","content":[
              {"type":"thinking","thinking":"음"},{"type":"text","text":"답"},
              {"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/a"}},
              {"type":"image"}, 7]}}"#,
        );
        assert_eq!(line.kind, LineKind::Assistant);
        assert_eq!(line.model.as_deref(), Some("m"));
        assert!(line.is_sidechain && !line.is_meta);
        assert_eq!(
            line.timestamp.map(Timestamp::millis),
            Some(1_770_905_517_667)
        );
        assert_eq!(line.blocks.len(), 5);
        assert_eq!(line.blocks[1], ContentBlock::Text("답".to_owned()));
        let ContentBlock::ToolUse { id, name, input } = &line.blocks[2] else {
            panic!("a tool use: {:?}", line.blocks[2]);
        };
        assert_eq!((id.as_str(), name.as_str()), ("t1", "Read"));
        assert_eq!(input.as_str(), r#"{"file_path":"/a"}"#);
        assert_eq!(line.blocks[3..], [ContentBlock::Other, ContentBlock::Other]);
    }

    #[test]
    fn a_result_may_be_text_or_parts() {
        for (content, expected) in [
            (r#""plain""#, "plain"),
            (
                r#"[{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}]"#,
                "a\n[image]\nb",
            ),
            ("null", ""),
        ] {
            let line = parse(&format!(
                r#"{{"type":"user","toolUseResult":{{"durationMs":12}},"message":{{"content":[
                {{"type":"tool_result","tool_use_id":"t","is_error":true,"content":{content}}}]}}}}"#
            ));
            assert_eq!(
                line.blocks,
                [ContentBlock::ToolResult {
                    tool_use_id: "t".to_owned(),
                    output: expected.to_owned(),
                    is_error: true
                }]
            );
            assert_eq!(line.tool_duration_ms, Some(12));
        }
        let huge = parse(r#"{"type":"user","toolUseResult":{"durationMs":9223372036854775807}}"#);
        assert_eq!(huge.tool_duration_ms, Some(MAX_DURATION_MS));
    }

    #[test]
    fn fields_of_a_wrong_type_are_missing() {
        let line = parse(r#"{"type":"user","uuid":7,"timestamp":"soon","message":"hi"}"#);
        assert_eq!((line.uuid, line.timestamp), (None, None));
        assert!(line.blocks.is_empty());
        assert_eq!(parse("[1]").kind, LineKind::Other);
        assert_eq!(parse("null").kind, LineKind::Other);
    }

    #[test]
    fn a_time_may_be_text_or_milliseconds() {
        let at = |time: &str| parse(&format!(r#"{{"timestamp":{time}}}"#)).timestamp;
        let millis = |time: &str| at(time).map(Timestamp::millis);
        assert_eq!(millis("1770905517667"), Some(1_770_905_517_667));
        assert_eq!(millis("1770905517667.25"), Some(1_770_905_517_667));
        assert_eq!(at("1e300"), None);
        // In seconds, it would be one in 1970.
        assert_eq!(at("1770905517"), None);
        assert_eq!(at("1770905517.667"), None);
        assert_eq!(at("true"), None);
    }

    #[test]
    fn a_number_that_no_float_holds_loses_no_line() {
        let line = parse(r#"{"type":"user","message":{"content":"x"},"n":1e999}"#);
        assert_eq!(line.blocks, [ContentBlock::Text("x".to_owned())]);
        let line = parse(
            r#"{"type":"assistant","message":{"content":[
            {"type":"tool_use","id":"t1","name":"Wait","input":{"ms":-1e999}}]}}"#,
        );
        let ContentBlock::ToolUse { input, .. } = &line.blocks[0] else {
            panic!("a tool use: {:?}", line.blocks[0]);
        };
        assert_eq!(input.as_str(), r#"{"ms":"-1e999"}"#);
    }

    #[test]
    fn half_characters_and_bad_bytes_become_replacement_characters() {
        let line = parse(
            r#"{"type":"user","message":{"content":"a\ud83d b\\ud83d \ud83c\udf89 \udc00"}}"#,
        );
        assert_eq!(
            line.blocks,
            [ContentBlock::Text(
                "a\u{fffd} b\\ud83d 🎉 \u{fffd}".to_owned()
            )]
        );
        let line = parse_line(b"{\"type\":\"user\",\"message\":{\"content\":\"a\xff\"}}")
            .expect("bad bytes are replaced");
        assert_eq!(line.blocks, [ContentBlock::Text("a\u{fffd}".to_owned())]);
    }

    #[test]
    fn broken_lines_say_why() {
        assert_eq!(parse_line(b" \r\n"), Err(LineProblem::Blank));
        assert_eq!(parse_line(b"{\"type\":\"us"), Err(LineProblem::NotJson));
        assert_eq!(
            parse_line("[".repeat(100_000).as_bytes()),
            Err(LineProblem::NotJson)
        );
    }

    #[test]
    fn wrappers_of_commands_are_meta() {
        assert!(is_meta_text("\n<command-name>/mcp</command-name>"));
        assert!(is_meta_text("<system-reminder>x</system-reminder>"));
        assert!(is_meta_text("<bash-input>git status</bash-input>"));
        assert!(is_meta_text(
            "<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>"
        ));
        assert!(is_meta_text("[Request interrupted by user for tool use]"));
        assert!(is_meta_text("<task-notification>\n<task-id>b1</task-id>"));
        assert!(is_meta_text(
            "This session is being continued from a previous conversation that ran out of context."
        ));
        assert!(!is_meta_text("what does <command-name> mean?"));
        assert!(!is_meta_text("Is this session being continued?"));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = parse_line(&bytes);
        }

        #[test]
        fn no_escapes_panic(text in r#"(\\|u|d|8|"|c|0|é){0,40}"#) {
            let _ = parse_line(format!("{{\"type\":\"{text}\"}}").as_bytes());
        }
    }
}
