//! What the tools are called, what they take and what they do: every client pays for
//! these words in each conversation, so that they are few.

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

/// The tools, as a client lists them.
pub(super) fn all() -> Vec<Tool> {
    vec![
        reading(
            "search",
            "Find memories that answer a question, best first, each with its citation and how \
             likely it answers.",
            json!({
                "query": text("The question, in the words of the person"),
                "limit": number("At most so many; 5 by default"),
                "since": text("Only since then: 2026-01-30 or 7d"),
                "session": text("Only this conversation"),
                "tool": text("Only calls of this tool"),
                "file": text("Only tool calls on files whose path contains this"),
                "failed": { "type": "boolean", "description": "Only failed tool calls" },
                "project": project(),
            }),
            &["query"],
        ),
        reading(
            "timeline",
            "What happened around memories, in the order of time.",
            json!({
                "memories": citations(),
                "window": number("So many before and after each; 3 by default"),
            }),
            &["memories"],
        ),
        reading(
            "details",
            "Memories in full.",
            json!({ "memories": citations() }),
            &["memories"],
        ),
        reading(
            "context",
            "The memories that help with a task, within a token budget; empty when none is good \
             enough.",
            json!({
                "query": text("The task or prompt"),
                "budget_tokens": number("800 by default"),
                "project": project(),
            }),
            &["query"],
        ),
        writing(
            "remember",
            "Store a note that later conversations should find, in one or two whole sentences.",
            json!({ "text": text("The note"), "project": project() }),
            &["text"],
        ),
        writing(
            "tasks",
            "List the open tasks, or show or change one.",
            json!({
                "action": {
                    "type": "string",
                    "enum": ["list", "blocked", "show", "add", "start", "done", "block", "cancel"],
                    "description": "list by default",
                },
                "task": text("Its title or id, or the title of a new one"),
                "blocked_by": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "What it waits for",
                },
                "project": project(),
            }),
            &[],
        ),
        writing(
            "ingest",
            "Learn from a conversation. Without extraction: gives its messages and the task of \
             extracting from them. With it: takes your answer in.",
            json!({
                "session": text("The conversation's id"),
                "extraction": { "type": "object", "description": "Your answer to the task" },
                "project": text("Its project, if another"),
            }),
            &["session"],
        ),
        removing(
            "forget",
            "Forget memories. Counts only, unless confirm is true: ask the person first.",
            json!({ "memories": citations(), "confirm": { "type": "boolean" } }),
            &["memories"],
        ),
        reading(
            "stats",
            "Figures about the memory of all projects.",
            json!({}),
            &[],
        ),
    ]
}

fn text(says: &str) -> Value {
    json!({ "type": "string", "description": says })
}

fn number(says: &str) -> Value {
    json!({ "type": "integer", "minimum": 1, "description": says })
}

fn citations() -> Value {
    json!({
        "type": "array",
        "items": { "type": "string" },
        "description": "Citations, such as mem:a7Bc3x",
    })
}

fn project() -> Value {
    text("Another project's folder or name; * for all")
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
