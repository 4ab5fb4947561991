//! Codex: hooks in `hooks.json`, MCP servers in `config.toml`, one of each for
//! everything. Both are read before either is written.

use std::path::PathBuf;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::{Done, agent_folder, is_our_hook, shell_line};
use crate::failure::Outcome;
use crate::files;

const NAME: &str = "recallite";
const SERVERS: &str = "mcp_servers";

/// The events that we serve, and how long the agent may wait there.
const EVENTS: [(&str, &str); 4] = [
    ("SessionStart", " hook"),
    ("UserPromptSubmit", " hook"),
    ("PostToolUse", " hook"),
    ("Stop", " hook --deadline-ms 1000"),
];

fn file(name: &str) -> Outcome<PathBuf> {
    Ok(agent_folder(Some("CODEX_HOME"), ".codex")?.join(name))
}

pub(super) fn install(program: &str) -> Outcome<Done> {
    let (hooks, config) = (file("hooks.json")?, file("config.toml")?);
    let new_hooks = {
        let root = parsed(&hooks)?;
        remove_hooks(&root);
        let events = root
            .object_value_or_create()
            .and_then(|object| object.object_value_or_create("hooks"))
            .ok_or_else(|| files::unreadable(&hooks, "its hooks are no object"))?;
        for (event, rest) in EVENTS {
            let groups = events
                .array_value_or_create(event)
                .ok_or_else(|| files::unreadable(&hooks, format_args!("{event} is no array")))?;
            groups.append(group(&shell_line(program, rest)));
        }
        root.to_string()
    };
    let mut document = toml(&config)?;
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let mut server = Table::new();
    server.insert("command", value(program));
    server.insert("args", value(Array::from_iter(["mcp"])));
    servers
        .as_table_like_mut()
        .ok_or_else(|| files::unreadable(&config, "its mcp_servers are no table"))?
        .insert(NAME, Item::Table(server));
    files::write(&hooks, &new_hooks)?;
    files::write(&config, &document.to_string())?;
    Ok(Done {
        changed: vec![hooks, config],
        next: "start Codex and trust the hooks with /hooks: it skips them until then",
    })
}

pub(super) fn uninstall() -> Outcome<Done> {
    let (hooks, config) = (file("hooks.json")?, file("config.toml")?);
    let root = parsed(&hooks)?;
    let had_hooks = remove_hooks(&root);
    let mut document = toml(&config)?;
    let had_server = document
        .get_mut(SERVERS)
        .and_then(Item::as_table_like_mut)
        .is_some_and(|servers| servers.remove(NAME).is_some());
    let mut done = Done::default();
    if had_hooks {
        files::write(&hooks, &root.to_string())?;
        done.changed.push(hooks);
    }
    if had_server {
        files::write(&config, &document.to_string())?;
        done.changed.push(config);
    }
    Ok(done)
}

fn parsed(path: &std::path::Path) -> Outcome<CstRootNode> {
    let text = files::read(path)?.unwrap_or_default();
    CstRootNode::parse(&text, &ParseOptions::default())
        .map_err(|error| files::unreadable(path, error))
}

fn toml(path: &std::path::Path) -> Outcome<DocumentMut> {
    let text = files::read(path)?.unwrap_or_default();
    // The parser's message shows the line; nobody's configuration belongs in ours.
    text.parse()
        .map_err(|_| files::unreadable(path, "it is no TOML"))
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
