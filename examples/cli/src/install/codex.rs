//! Codex: its hooks stand in one JSON file, which may hold comments.

use std::path::PathBuf;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstRootNode};

use super::{Done, agent_folder, files, is_our_hook, shell_line};
use crate::failure::Outcome;

/// The events that we serve, and how long the agent may wait there.
const EVENTS: [(&str, &str); 4] = [
    ("SessionStart", " hook"),
    ("UserPromptSubmit", " hook"),
    ("PostToolUse", " hook"),
    ("Stop", " hook --deadline-ms 1000"),
];

fn file() -> Outcome<PathBuf> {
    Ok(agent_folder(Some("CODEX_HOME"), ".codex")?.join("hooks.json"))
}

/// Adds our hooks, or mends them, and keeps every other and every comment.
pub(super) fn install(program: &str) -> Outcome<Done> {
    let path = file()?;
    let root = parsed(&path)?;
    remove_hooks(&root);
    let events = root
        .object_value_or_create()
        .and_then(|object| object.object_value_or_create("hooks"))
        .ok_or_else(|| files::unreadable(&path, "its hooks are no object"))?;
    for (event, rest) in EVENTS {
        let groups = events
            .array_value_or_create(event)
            .ok_or_else(|| files::unreadable(&path, format_args!("{event} is no array")))?;
        groups.append(group(&shell_line(program, rest)));
    }
    files::write(&path, &root.to_string())?;
    Ok(Done {
        changed: vec![path],
        next: "start Codex and trust the hooks with /hooks: it skips them until then",
    })
}

/// Removes our hooks and keeps every other.
pub(super) fn uninstall() -> Outcome<Done> {
    let path = file()?;
    let mut done = Done::default();
    let root = parsed(&path)?;
    if remove_hooks(&root) {
        files::write(&path, &root.to_string())?;
        done.changed.push(path);
    }
    Ok(done)
}

fn parsed(path: &std::path::Path) -> Outcome<CstRootNode> {
    let text = files::read(path)?.unwrap_or_default();
    CstRootNode::parse(&text, &ParseOptions::default())
        .map_err(|error| files::unreadable(path, error))
}

fn group(command: &str) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let handler = CstInputValue::Object(vec![
        ("type".to_owned(), text("command")),
        ("command".to_owned(), text(command)),
        ("timeout".to_owned(), CstInputValue::Number("5".to_owned())),
    ]);
    CstInputValue::Object(vec![(
        "hooks".to_owned(),
        CstInputValue::Array(vec![handler]),
    )])
}

/// Removes our handlers, and groups and events that are empty then; whether there
/// were any.
fn remove_hooks(root: &CstRootNode) -> bool {
    let Some(events) = root
        .object_value()
        .and_then(|object| object.object_value("hooks"))
    else {
        return false;
    };
    let mut found = false;
    for event in events.properties() {
        let Some(groups) = event.array_value() else {
            continue;
        };
        let mut emptied = false;
        for group in groups.elements() {
            let Some(handlers) = group
                .as_object()
                .and_then(|group| group.array_value("hooks"))
            else {
                continue;
            };
            let ours: Vec<CstNode> = handlers.elements().into_iter().filter(is_ours).collect();
            found |= !ours.is_empty();
            let all = ours.len() == handlers.elements().len();
            if !ours.is_empty() && all {
                group.remove();
                emptied = true;
            } else {
                ours.into_iter().for_each(CstNode::remove);
            }
        }
        if emptied && groups.elements().is_empty() {
            event.remove();
        }
    }
    found
}

fn is_ours(handler: &CstNode) -> bool {
    let command = handler
        .as_object()
        .and_then(|handler| handler.get("command"))
        .and_then(|command| command.value())
        .and_then(|value| value.as_string_lit())
        .and_then(|text| text.decoded_value().ok());
    command.is_some_and(|command| is_our_hook(&command))
}
