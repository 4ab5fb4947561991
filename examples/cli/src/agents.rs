//! What the coding agents have in common: the forms in which they write text, and how events from
//! hooks and from transcripts are recognised as the same.

use std::borrow::Cow;
use std::path::PathBuf;

use recallite::privacy::{PrivacyFilter, UNCLOSED_TAG_WARNING};
use recallite::{Event, Json, NewEvent, Origin};
use serde_json::{Map, Value, json};

use crate::command_line::runs_this_program;

/// The least relevance of a memory that an agent is given as context: below this, a best hit counts
/// as none (`docs/recall.md`). The same question from an earlier session ranks first and answers
/// nothing, so the best hit alone does not decide.
pub(crate) const MIN_RELEVANCE: f32 = 0.08;

/// A prompt is given nothing unless one memory that its session does not know is at least so relevant:
/// in a store of a few hundred events, one common word makes a hit better than [`MIN_RELEVANCE`]. Of 20
/// prompts that had nothing to do with the store, 3 were given memories in one of 67 events and 3 in
/// one of 429, instead of 9 and 6; of 13 questions with an answer there, 2 weak ones lost it.
pub(crate) const MIN_BEST_RELEVANCE: f32 = 0.3;

/// Text that Codex itself puts before a person's words, or sends in their place.
const BY_CODEX: [&str; 14] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
    "<user_shell_command>",
    "# AGENTS.md instructions",
    "<hook_prompt",
    "<user_action>",
    "<context_window_reminder>",
    "<recommended_plugins>",
    "<codex_delegation>",
    "<realtime_delegation>",
];

/// Whether Codex, not a person, wrote a message of the role `user`.
pub(crate) fn is_by_codex(text: &str) -> bool {
    let begin = text.trim_start();
    BY_CODEX.iter().any(|mark| begin.starts_with(mark))
}

/// The exit code in the lines that Codex puts before the output of a command; `None` if there are
/// none.
pub(crate) fn codex_exit_code(output: &str) -> Option<i64> {
    const HEADS: [&str; 3] = ["Exit code: ", "Chunk ID: ", "Wall time: "];
    const CODES: [&str; 2] = ["Exit code: ", "Process exited with code "];
    if !HEADS.iter().any(|head| output.starts_with(head)) {
        return None;
    }
    output
        .lines()
        .take_while(|line| *line != "Output:")
        .find_map(|line| CODES.iter().find_map(|code| line.strip_prefix(code)))
        .and_then(|code| code.trim().parse().ok())
}

/// The tool of Gemini CLI that runs a command.
const GEMINI_SHELL: &str = "run_shell_command";

/// The exit code in the lines that Gemini CLI puts behind the output of a command, if it failed.
/// What the command printed may look the same, so only the last lines count.
pub(crate) fn gemini_exit_code(tool: &str, output: &str) -> Option<i64> {
    const BEHIND: [&str; 4] = [
        "Signal: ",
        "Background PIDs: ",
        "Process Group PGID: ",
        "</untrusted_context>",
    ];
    let mut lines = output.trim_end().lines().rev();
    let line = lines.find(|line| !BEHIND.iter().any(|known| line.starts_with(known)))?;
    let code = line.strip_prefix("Exit Code: ")?.trim().parse().ok()?;
    (tool == GEMINI_SHELL && code != 0).then_some(code)
}

/// What is said of a command that ended with an exit code.
pub(crate) fn exit_code_error(code: i64) -> String {
    format!("exit code {code}")
}

/// The folder in which Claude Code was started, as it tells the programs that it starts.
pub(crate) fn claude_code_folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("CLAUDE_PROJECT_DIR")?);
    (folder.is_absolute() && folder.is_dir()).then_some(folder)
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

/// The field in the metadata of an event that marks a note, which stands on its own: a search that
/// finds it does not bring its neighbours.
pub(crate) const NOTE: &str = "isNote";

/// Whether a tool call is not worth storing, or uses this memory: a copy of what it printed would
/// be found in place of the memory, and would stay when that is forgotten.
pub(crate) fn is_left_out(tool: &str, input: &Value) -> bool {
    const LEFT_OUT: [&str; 3] = ["TodoWrite", "TodoRead", "write_todos"];
    const OWN_TOOLS: &str = "recallite";
    LEFT_OUT.contains(&tool)
        || tool.contains(OWN_TOOLS)
        || calls_own_command(tool, input)
        || runs_this_program(input)
}

/// Whether an agent itself calls one of the commands or skills of this memory.
fn calls_own_command(tool: &str, input: &Value) -> bool {
    const OWN: &str = "recallite:";
    let named = match tool {
        "Skill" => input["skill"].as_str().or(input["command"].as_str()),
        "SlashCommand" => input["command"].as_str(),
        _ => None,
    };
    named.is_some_and(|name| name.trim_start_matches(['/', ' ']).starts_with(OWN))
}

/// The arguments of a tool as a value. What the library does not take as one, such as arguments that
/// are nested too deep, is a text.
pub(crate) fn json_or_text(arguments: &str) -> Option<Json> {
    let text = || Json::parse("input", &Value::from(arguments).to_string());
    Json::parse("input", arguments).or_else(|_| text()).ok()
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

/// Marks a prompt that an agent wrote to another one: no person has said it, so nothing is learned
/// from it and nobody is told that the user said so.
pub(crate) fn by_agent(prompt: &mut NewEvent, metadata: &mut Value) {
    prompt.origin = Some(Origin::Assistant);
    prompt.actor = Some("assistant".to_owned());
    metadata["isSidechain"] = true.into();
}

/// The agent whose hook stored an event; `None` if no hook did.
pub(crate) fn hook_host(event: &Event) -> Option<String> {
    let metadata = event.metadata.as_ref()?;
    let metadata: Value = serde_json::from_str(metadata.as_str()).ok()?;
    metadata["hook"]["host"].as_str().map(str::to_owned)
}

/// The person's part of a Gemini CLI prompt: Gemini CLI adds context from hooks, and what the
/// person only named. If the cut would take the end of a private section, the prompt is filtered
/// before: what was in front of the end must not be stored.
pub(crate) fn said_to_gemini<'p>(prompt: &'p str, filter: &PrivacyFilter) -> Cow<'p, str> {
    let said = own_words(prompt);
    let cuts_section = said.len() < prompt.len()
        && filter
            .text(said)
            .warnings
            .iter()
            .any(|warning| warning == UNCLOSED_TAG_WARNING);
    match cuts_section {
        true => own_words(filter.text(prompt).text.as_str())
            .to_owned()
            .into(),
        false => said.into(),
    }
}

fn own_words(prompt: &str) -> &str {
    match without_what_was_named(without_hook_context(prompt)) {
        command if is_own_command(command) => "",
        said => said,
    }
}

/// Whether a text calls one of the commands of this memory, or is what an agent makes of such a
/// call: a copy of what is looked for or to be forgotten would stay in the memory.
pub(crate) fn is_own_command(text: &str) -> bool {
    /// With which the texts of the commands begin.
    const TEXT: &str = "The command /recallite:";
    /// In the words of Claude Code's transcripts.
    const CALL: &str = "<command-name>/recallite:";
    let text = text.trim_start();
    text.starts_with(TEXT) || text.starts_with("<command-") && text.contains(CALL)
}

/// Gemini CLI puts the context from hooks before and after a prompt; that is this memory's own
/// text, which nobody said. Angle brackets inside it are escaped, so nothing there can end it early.
fn without_hook_context(prompt: &str) -> &str {
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
    while let Some(before) = before_last(left, BEGIN, END) {
        left = before;
    }
    left
}

/// Gemini CLI ends a prompt with a note about each `@agent` that it names, and the contents of each
/// `@file`. A file may contain the line that ends the contents, so they count to the end.
fn without_what_was_named(prompt: &str) -> &str {
    const FILES: &str = "\n--- Content from referenced files ---";
    const NOTE: &str = "\n<system_note>\nThe user has explicitly selected the following agent(s): ";
    const NOTE_END: &str = "</system_note>";
    let left = prompt
        .split_once(FILES)
        .map_or(prompt, |(before, _)| before.trim_end());
    before_last(left, NOTE, NOTE_END).unwrap_or(left)
}

/// What is before the last part of a text that has this begin and end, if the text ends with one.
fn before_last<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    let given = text.trim_end().strip_suffix(end)?;
    given
        .rsplit_once(begin)
        .map(|(before, _)| before.trim_end())
}

/// The text of a message or of a tool's output, in any of the forms that agents use; JSON if it
/// contains no text. Pictures and other files are only named.
pub(crate) fn text_of(value: &Value) -> String {
    if let Some(name) = file_name(value) {
        return name.to_owned();
    }
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
            if let Some(text) = text_of_claude_code(fields) {
                return text;
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
            let given = |name: &&str| fields.get(*name).filter(|inner| !inner.is_null());
            match named.iter().find_map(given) {
                Some(inner) => text_of(inner),
                None if value["type"] == "resource" && value["resource"].is_object() => {
                    text_of(&value["resource"])
                }
                None => without_files(value).to_string(),
            }
        }
        other => other.to_string(),
    }
}

/// The output of those tools of Claude Code whose result is a record of which a part is the output:
/// of an edit the lines that it changed, and not the whole file as it was.
fn text_of_claude_code(fields: &Map<String, Value>) -> Option<String> {
    let has = |name: &str| fields.contains_key(name);
    if let Some(hunks) = fields.get("structuredPatch").and_then(Value::as_array)
        && has("oldString") | has("edits")
    {
        let lines = hunks.iter().filter_map(|hunk| hunk["lines"].as_array());
        let lines: Vec<&str> = lines.flatten().filter_map(Value::as_str).collect();
        let path = fields.get("filePath").and_then(Value::as_str);
        return Some(
            format!("{}\n{}", path.unwrap_or_default(), lines.join("\n"))
                .trim()
                .to_owned(),
        );
    }
    // A page that was fetched, and names of files that were found.
    let part = match (has("codeText"), has("numFiles") && !has("content")) {
        (true, _) => "result",
        (_, true) => "filenames",
        _ => return None,
    };
    fields.get(part).map(text_of)
}

/// The text of a message, as a hook is given it: pictures beside the words are left out, and so are
/// the tags that Codex puts around each of them.
pub(crate) fn message_text(content: &Value) -> String {
    let is_tag = |text: &str| {
        text == "</image>"
            || text.starts_with("<image") && text.ends_with('>') && !text.contains('\n')
    };
    let words = content.as_array().map(|parts| {
        let is_word =
            |part: &&Value| file_name(part).is_none() && !part["text"].as_str().is_some_and(is_tag);
        text_of(&parts.iter().filter(is_word).cloned().collect())
    });
    match words {
        Some(words) if !words.trim().is_empty() => words,
        _ => text_of(content),
    }
}

const IMAGE: &str = "[image]";
const FILE: &str = "[file]";

/// What stands for a picture or another file that a message or a tool's output contains, in the
/// forms of Anthropic, OpenAI, Google and MCP; `None` for anything else. As text, it would be
/// nothing but base64.
fn file_name(value: &Value) -> Option<&'static str> {
    if let Value::String(text) = value {
        return name_of_data(text);
    }
    if !value.is_object() {
        return None;
    }
    let kind = value["type"].as_str().unwrap_or_default();
    let inline = [&value["inlineData"], &value["inline_data"]]
        .into_iter()
        .find(|inline| inline["data"].is_string());
    let holder = if let Some(inline) = inline {
        inline
    } else if value["source"]["type"] == "base64" {
        &value["source"]
    } else if value["file"]["base64"].is_string() {
        &value["file"]
    } else if value["blob"].is_string()
        || matches!(kind, "image" | "audio") && value["data"].is_string()
    {
        value
    } else {
        let is_image = matches!(kind, "input_image" | "image_url")
            || kind == "image" && (value["source"].is_object() || value["file"].is_object());
        return is_image.then_some(IMAGE);
    };
    let mime = ["mimeType", "mime_type", "media_type", "type"]
        .iter()
        .find_map(|name| holder[*name].as_str())
        .unwrap_or("image");
    Some(match mime.starts_with("image") {
        true => IMAGE,
        false => FILE,
    })
}

/// What stands for an address that contains its own data, such as `data:image/png;base64,…`.
fn name_of_data(text: &str) -> Option<&'static str> {
    let (mime, data) = text.strip_prefix("data:")?.split_once(";base64,")?;
    let is_address = !data.contains(char::is_whitespace);
    is_address.then_some(match mime.starts_with("image/") {
        true => IMAGE,
        false => FILE,
    })
}

/// The same JSON with every file in it only named.
fn without_files(value: &Value) -> Value {
    if let Some(name) = file_name(value) {
        return name.into();
    }
    match value {
        Value::Array(items) => items.iter().map(without_files).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), without_files(field)))
            .collect(),
        other => other.clone(),
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
            (
                format!("{given}\nThe command /recallite:forget of the memory.\n\nWhat: it"),
                "",
            ),
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
            assert_eq!(own_words(&prompt), said, "{prompt}");
        }
    }

    #[test]
    fn own_commands_are_known_by_their_texts() {
        for text in [
            "The command /recallite:forget of the memory.\n\nWhat to remove: it",
            "<command-name>/recallite:show</command-name>\n<command-args>it</command-args>",
            "<command-message>x</command-message>\n<command-name>/recallite:show</command-name>",
        ] {
            assert!(is_own_command(text), "{text}");
        }
        for text in [
            "What does the command /recallite:forget do?",
            "<command-name>/review</command-name>",
            "why <command-name>/recallite:show</command-name>?",
        ] {
            assert!(!is_own_command(text), "{text}");
        }
    }

    #[test]
    fn what_a_prompt_only_names_is_no_part_of_it() {
        let files = "\n--- Content from referenced files ---\nContent from @a.rs:\nfn a() {}\n\
                     --- End of content ---\nfn b() {}\n--- End of content ---";
        let note = "\n<system_note>\nThe user has explicitly selected the following agent(s): \
                    tester. Please use the following tool(s) to delegate the task: 'tester'.\n\
                    </system_note>\n";
        let given = "\n\n<hook_context>a</hook_context>";
        for (prompt, said) in [
            (format!("Explain @a.rs{files}"), "Explain @a.rs"),
            (format!("Explain @a.rs\n{files}{given}"), "Explain @a.rs"),
            (format!("@tester it{note}"), "@tester it"),
            (
                format!("@tester @a.rs{note}{files}{given}"),
                "@tester @a.rs",
            ),
            // A prompt that merely mentions them is not cut.
            (
                "what is --- Content from referenced files ---?".to_owned(),
                "what is --- Content from referenced files ---?",
            ),
            (
                "why\n<system_note>\nx</system_note>".to_owned(),
                "why\n<system_note>\nx</system_note>",
            ),
        ] {
            assert_eq!(own_words(&prompt), said, "{prompt}");
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
            (json!({"output": null, "content": "seen"}), "seen"),
            (
                json!({"filePath": "/a.rs", "oldString": "b", "newString": "c",
                    "originalFile": "a\nb\nthe rest", "userModified": false, "structuredPatch":
                    [{"oldStart": 1, "lines": [" a", "-b", "+c"]}, {"lines": ["+d"]}]}),
                "/a.rs\n a\n-b\n+c\n+d",
            ),
            (
                json!({"bytes": 9, "code": 200, "codeText": "OK", "result": "The page.",
                    "url": "https://x"}),
                "The page.",
            ),
            (
                json!({"durationMs": 5, "numFiles": 2, "filenames": ["a.rs", "b.rs"],
                    "truncated": false}),
                "a.rs\nb.rs",
            ),
            (
                json!([{"type": "resource", "resource": {"uri": "x", "text": "read"}}]),
                "read",
            ),
            (
                json!({"type": "resource", "resource":
                    {"uri": "x", "mimeType": "application/pdf", "blob": "AAAA"}}),
                "[file]",
            ),
            (json!(7), "7"),
        ] {
            assert_eq!(text_of(&value), text, "{value}");
        }
    }

    #[test]
    fn a_picture_is_named_and_its_data_is_no_text() {
        let image = json!({"type": "image", "source":
            {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}});
        for (value, text) in [
            (image.clone(), "[image]"),
            (
                json!([{"type": "text", "text": "Seen:"}, image]),
                "Seen:\n[image]",
            ),
            (
                json!({"type": "image", "file": {"base64": "iVBORw0KGgo=", "type": "image/png"}}),
                "[image]",
            ),
            (
                json!({"content": [{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]}),
                "[image]",
            ),
            (
                json!([{"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}]),
                "[image]",
            ),
            (
                json!({"llmContent": {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}}),
                "[image]",
            ),
            (
                json!({"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}}),
                "[file]",
            ),
            (
                json!({"shown": {"data": image_address(), "width": 1}}),
                r#"{"shown":{"data":"[image]","width":1}}"#,
            ),
            // Not a picture: a record about one.
            (
                json!({"type": "image", "name": "alpine"}),
                r#"{"name":"alpine","type":"image"}"#,
            ),
            (
                json!("data:image/png;base64,iVBORw0KGgo= is too long"),
                "data:image/png;base64,iVBORw0KGgo= is too long",
            ),
        ] {
            assert_eq!(text_of(&value), text, "{value}");
        }
    }

    #[test]
    fn arguments_that_are_nested_too_deep_are_a_text() {
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        let kept = json_or_text(&deep).unwrap();
        assert_eq!(kept.as_str(), Value::from(deep).to_string());
        assert_eq!(json_or_text(r#"{"a": 1}"#).unwrap().as_str(), r#"{"a":1}"#);
    }

    #[test]
    fn the_exit_code_of_gemini_cli_is_behind_the_output() {
        for (output, code) in [
            ("Output: no\nExit Code: 2\nProcess Group PGID: 77", Some(2)),
            (
                "Output: x\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)",
                Some(1),
            ),
            ("Output: x\nExit Code: 0\nSignal: (none)", None),
            (
                "<untrusted_context>\nOutput: x\nExit Code: 1\nProcess Group PGID: 7\n\
                 </untrusted_context>",
                Some(1),
            ),
            (
                "Output: Exit Code: 1\nall is well\nProcess Group PGID: 77",
                None,
            ),
            ("Output: (empty)", None),
            ("", None),
        ] {
            assert_eq!(
                gemini_exit_code("run_shell_command", output),
                code,
                "{output}"
            );
        }
        assert_eq!(gemini_exit_code("read_file", "Exit Code: 1"), None);
    }

    #[test]
    fn calls_of_the_memory_are_left_out_whatever_tool_makes_them() {
        for (tool, input) in [
            (
                "Skill",
                json!({"skill": "recallite:search", "args": "the allergy"}),
            ),
            (
                "SlashCommand",
                json!({"command": "/recallite:forget the allergy"}),
            ),
            ("mcp__recallite__search", json!({})),
        ] {
            assert!(is_left_out(tool, &input), "{tool}");
        }
        assert!(!is_left_out("Skill", &json!({"skill": "review"})));
        assert!(!is_left_out("Read", &json!({"skill": "recallite:search"})));
    }

    fn image_address() -> &'static str {
        "data:image/png;base64,iVBORw0KGgo="
    }

    #[test]
    fn a_message_is_its_words() {
        let picture = json!({"type": "input_image", "image_url": image_address()});
        let text = |text: &str| json!({"type": "input_text", "text": text});
        for (content, said) in [
            (json!("plain"), "plain"),
            (json!([text("What is this?"), picture]), "What is this?"),
            (
                json!([
                    text("<image name=[Image #1]>"),
                    picture,
                    text("</image>"),
                    text("And this?")
                ]),
                "And this?",
            ),
            (json!([picture]), "[image]"),
            (
                json!([text("<image> is a tag\nof SVG>")]),
                "<image> is a tag\nof SVG>",
            ),
        ] {
            assert_eq!(message_text(&content), said, "{content}");
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
