//! The tools with their names, arguments and descriptions. Every client pays for these words in
//! each conversation, so they are few.

use std::sync::LazyLock;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

/// What can be done with tasks.
pub(super) const TASK_ACTIONS: [&str; 8] = [
    "list", "blocked", "show", "add", "start", "done", "block", "cancel",
];

/// What a search can be narrowed to, in the words that are shown and in those that are stored.
pub(super) const KINDS: [&str; 8] = [
    "prompt",
    "response",
    "tool",
    "insight",
    "user_prompt",
    "agent_response",
    "tool_observation",
    "session_summary",
];

/// Made once: every call is looked up in them.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(made);

/// The tools, as a client lists them.
pub(super) fn all() -> Vec<Tool> {
    TOOLS.clone()
}

/// Whether there is a tool with this name.
pub(super) fn is_tool(name: &str) -> bool {
    named(name).is_some()
}

/// Whether a tool changes nothing.
pub(super) fn only_reads(name: &str) -> bool {
    let hints = named(name).and_then(|tool| tool.annotations.as_ref());
    hints.and_then(|hints| hints.read_only_hint) == Some(true)
}

/// The names of a tool's arguments.
pub(super) fn arguments_of(name: &str) -> Vec<&'static str> {
    let properties = named(name).and_then(|tool| tool.input_schema.get("properties"));
    let properties = properties.and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect()
}

fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

fn made() -> Vec<Tool> {
    vec![
        reading(
            "search",
            "Search for memories that answer a question. Returns the best matches first, each \
             with its citation and how likely it is to answer.",
            json!({
                "query": text("The question, in the user's own words"),
                "limit": number(1, "Maximum number of results; default 5"),
                "kind": {
                    "type": "string",
                    "enum": KINDS,
                    "description": "Only events of this kind, and nothing that was learned",
                },
                "since": text("Only from this time on: 2026-01-30 or 7d (7 days ago)"),
                "session": text("Only this session, by id"),
                "tool": text("Only calls of this tool"),
                "file": text("Only tool calls on files whose path contains this text"),
                "failed": { "type": "boolean", "description": "Only failed tool calls" },
                "project": project(),
            }),
            &["query"],
        ),
        reading(
            "timeline",
            "Show what happened before and after memories, in chronological order.",
            json!({
                "memories": citations(),
                "window": number(0, "Events before and after each memory; default 3"),
            }),
            &["memories"],
        ),
        reading(
            "details",
            "Read the full text of memories; a very long one in parts.",
            json!({
                "memories": citations(),
                "offset": number(0, "First character of the part to read; default 0"),
            }),
            &["memories"],
        ),
        reading(
            "context",
            "Get the memories that help with a task, within a token budget; nothing if none is \
             relevant enough.",
            json!({
                "query": text("The task or prompt"),
                "budget_tokens": number(1, "Maximum tokens to return; default 800"),
                "project": project(),
            }),
            &["query"],
        ),
        writing(
            "remember",
            "Store a note for later conversations to find.",
            json!({
                "text": text("The note, in one or two complete sentences"),
                "project": text("Folder or name of another project"),
            }),
            &["text"],
        ),
        writing(
            "tasks",
            "List open or blocked tasks, or show, add or change one.",
            json!({
                "action": {
                    "type": "string",
                    "enum": TASK_ACTIONS,
                    "description": "Default: list",
                },
                "task": text("Title or id of the task, or the title of the task to add"),
                "blocked_by": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "What the task waits for, with add or block",
                },
                "offset": number(0, "Tasks of a list to skip; default 0"),
                "project": project(),
            }),
            &[],
        ),
        writing(
            "ingest",
            "Learn from a session, in two calls. Without extraction, it returns messages and \
             instructions for extracting decisions, facts and tasks. With extraction, it stores \
             them.",
            json!({
                "session": text("Id of the session; default: the newest, which the answer names"),
                "extraction": {
                    "type": "object",
                    "description": "Your result of following the instructions",
                },
                "project": text("Project of the session, if not the current one"),
            }),
            &[],
        ),
        removing(
            "forget",
            "Forget memories. Only counts them unless confirm is true.",
            json!({
                "memories": citations(),
                "confirm": {
                    "type": "boolean",
                    "description": "Forget them; ask the user first",
                },
            }),
            &["memories"],
        ),
        reading(
            "stats",
            "Get statistics about the whole memory, or about one project.",
            json!({ "project": text("Folder or name of the project; default: all") }),
            &[],
        ),
    ]
}

fn text(says: &str) -> Value {
    json!({ "type": "string", "description": says })
}

fn number(least: u64, says: &str) -> Value {
    json!({ "type": "integer", "minimum": least, "description": says })
}

fn citations() -> Value {
    json!({
        "type": "array",
        "items": { "type": "string" },
        "description": "Citations of the memories, such as mem:a7Bc3x",
    })
}

fn project() -> Value {
    text("Folder or name of another project; * for all")
}

fn tool(name: &'static str, says: &'static str, properties: Value, required: &[&str]) -> Tool {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Tool::new(name, says, schema)
}

fn reading(name: &'static str, says: &'static str, properties: Value, required: &[&str]) -> Tool {
    let hints = ToolAnnotations::new().read_only(true).open_world(false);
    tool(name, says, properties, required).with_annotations(hints)
}

fn writing(name: &'static str, says: &'static str, properties: Value, required: &[&str]) -> Tool {
    let hints = ToolAnnotations::new().destructive(false).open_world(false);
    tool(name, says, properties, required).with_annotations(hints)
}

fn removing(name: &'static str, says: &'static str, properties: Value, required: &[&str]) -> Tool {
    let hints = ToolAnnotations::new().destructive(true).open_world(false);
    tool(name, says, properties, required).with_annotations(hints)
}
