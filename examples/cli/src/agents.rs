//! What the coding agents have in common: the forms in which they write text, and how events from
//! hooks and from transcripts are recognised as the same.

use recallite::Event;
use serde_json::{Value, json};

/// Text that Codex itself puts before a person's words, or sends in their place.
const BY_CODEX: [&str; 8] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
    "<user_shell_command>",
    "# AGENTS.md instructions",
];

/// Whether Codex, not a person, wrote a message of the role `user`.
pub(crate) fn is_by_codex(text: &str) -> bool {
    let begin = text.trim_start();
    BY_CODEX.iter().any(|mark| begin.starts_with(mark))
}

const SUBAGENT: &str = "agent-";

/// The session of an agent that another one started. It is a conversation of its own, which Claude
/// Code also names so.
pub(crate) fn subagent_session(agent: &str) -> String {
    format!("{SUBAGENT}{agent}")
}

/// Whether a session is that of an agent that another one started.
pub(crate) fn is_subagent(session: &str) -> bool {
    session.starts_with(SUBAGENT)
}

/// The field in the metadata of an imported event that names the session of the agent that started
/// this one.
pub(crate) const PARENT_SESSION: &str = "parentSessionId";

/// Whether calls of a tool are not worth storing, or read this memory.
pub(crate) fn is_left_out(tool: &str) -> bool {
    const LEFT_OUT: [&str; 3] = ["TodoWrite", "TodoRead", "write_todos"];
    const OWN_TOOLS: &str = "recallite";
    LEFT_OUT.contains(&tool) || tool.contains(OWN_TOOLS)
}

/// The dedupe key of a tool call, whether it comes from a hook or a transcript.
pub(crate) fn tool_key(call_id: &str) -> String {
    format!("tool {call_id}")
}

/// The dedupe key of a tool call that has no result yet in a transcript, so that reading it again
/// adds the result.
pub(crate) fn unfinished_tool_key(call_id: &str) -> String {
    tool_key(&format!("{call_id} unfinished"))
}

/// The metadata of an event that a hook stores.
pub(crate) fn hook_mark(host: &str, event: &str) -> Value {
    json!({ "hook": { "host": host, "event": event } })
}

/// The agent whose hook stored an event; `None` if no hook did.
pub(crate) fn hook_host(event: &Event) -> Option<String> {
    let metadata = event.metadata.as_ref()?;
    let metadata: Value = serde_json::from_str(metadata.as_str()).ok()?;
    metadata["hook"]["host"].as_str().map(str::to_owned)
}

/// The person's part of a Gemini CLI prompt. Gemini CLI puts the context from hooks before and
/// after it; that is this memory's own text, which nobody said. Angle brackets inside it are
/// escaped, so nothing there can end it early.
pub(crate) fn without_hook_context(prompt: &str) -> &str {
    const BEGIN: &str = "<hook_context>";
    const END: &str = "</hook_context>";
    let mut left = prompt;
    while let Some((_, behind)) = left
        .trim_start()
        .strip_prefix(BEGIN)
        .and_then(|given| given.split_once(END))
    {
        left = behind.trim_start();
    }
    while let Some((before, _)) = left
        .trim_end()
        .strip_suffix(END)
        .and_then(|given| given.rsplit_once(BEGIN))
    {
        left = before.trim_end();
    }
    left
}

/// The text of a message or of a tool's output, in any of the forms that agents use; JSON if it
/// contains no text.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().map(text_of).collect();
            texts
                .iter()
                .filter(|text| !text.is_empty())
                .cloned()
                .collect::<Vec<_>>()
                .join("\n")
        }
        Value::Object(fields) => {
            // The output of a command, in both its streams.
            if let (Some(out), Some(err)) = (fields.get("stdout"), fields.get("stderr")) {
                return text_of(&json!([out, err]));
            }
            let named = [
                "text",
                "llmContent",
                "output",
                "content",
                "file",
                "functionResponse",
                "response",
            ];
            match named.iter().find_map(|name| fields.get(*name)) {
                Some(inner) if !inner.is_null() => text_of(inner),
                _ => value.to_string(),
            }
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hooks_gave_is_no_part_of_a_prompt() {
        let given =
            "<hook_context>&lt;recalled-memory&gt; a &lt;/hook_context&gt;\n</hook_context>";
        for (prompt, said) in [
            ("where?".to_owned(), "where?"),
            (format!("{given}\n\nwhere?"), "where?"),
            (format!("{given}\n\n{given}\n\nwhere?\n{given}"), "where?"),
            (given.to_owned(), ""),
            // A prompt that merely mentions the tag is not cut.
            (
                "what is <hook_context> in </hook_context> there?".to_owned(),
                "what is <hook_context> in </hook_context> there?",
            ),
            (
                "<hook_context> is never closed".to_owned(),
                "<hook_context> is never closed",
            ),
        ] {
            assert_eq!(without_hook_context(&prompt), said, "{prompt}");
        }
    }

    #[test]
    fn text_is_found_in_every_form() {
        for (value, text) in [
            (json!("plain"), "plain"),
            (json!(null), ""),
            (
                json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
                "a\nb",
            ),
            (
                json!({"stdout": "out", "stderr": "err", "interrupted": false}),
                "out\nerr",
            ),
            (
                json!({"type": "text", "file": {"filePath": "/a", "content": "body"}}),
                "body",
            ),
            (
                json!({"llmContent": "seen", "returnDisplay": "shown"}),
                "seen",
            ),
            (
                json!({"filePath": "/a", "success": true}),
                r#"{"filePath":"/a","success":true}"#,
            ),
            (json!(7), "7"),
        ] {
            assert_eq!(text_of(&value), text, "{value}");
        }
    }
    #[test]
    fn what_codex_writes_itself_is_known_by_its_beginning() {
        for text in [
            "<environment_context>\n<cwd>/x</cwd>",
            "<skill>\n<name>deploy</name>",
            "<subagent_notification>{}</subagent_notification>",
            "\n<user_shell_command>\n<command>ls</command>",
        ] {
            assert!(is_by_codex(text), "{text}");
        }
        assert!(!is_by_codex("what does <skill> mean?"));
    }
}
