//! Codex: hooks in `hooks.json`, MCP servers in `config.toml`, each a single file for everything.
//! Both are read before either is written.

use std::path::PathBuf;

use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::called::{Called, named_store, shell_line};
use super::codex_hooks::{self, HOOKS};
use super::done::Done;
use super::handlers::{EVENTS, TIMEOUT_S, is_our_handler, our_handler};
use super::json::{self, BYTE_ORDER_MARK, JsonFile, Syntax, object};
use super::marketplace::is_of_marketplace;
use super::servers::NAME;
use crate::agent_folders;
use crate::failure::Outcome;
use crate::files;

const SERVERS: &str = "mcp_servers";

/// The events of Codex beside those of every agent.
const FURTHER_EVENTS: [(&str, &[&str]); 2] = [
    ("SubagentStop", &["hook"]),
    ("SessionEnd", &["hook", "--deadline-ms", "1200"]),
];

/// Shown if all hooks are switched off.
const SWITCHED_OFF: &str = "hooks are turned off in config.toml (`[features] hooks = false`); \
                            remove that line, start Codex and trust the hooks with /hooks";

/// Shown if somebody wrote our hooks into the other place that Codex reads.
const HOOKS_TWICE: &str = "its hooks are in config.toml, too, so each may run twice; run \
                           `recallite install codex` again, which removes them there";

const TRUST: &str = "start Codex and trust the hooks with /hooks; until then, it skips them";

/// Shown if there are hooks of others in the other place.
const TRUST_AND_WARNING: &str = "start Codex and trust the hooks with /hooks; until then, it skips \
                                 them. Because config.toml has hooks, too, Codex warns at every \
                                 start that they are in two files, and runs both";

fn file(name: &str) -> Outcome<PathBuf> {
    Ok(agent_folders::CODEX.path()?.join(name))
}

pub(super) fn install(called: &Called) -> Outcome<Done> {
    let (hooks, config) = (read_hooks()?, file("config.toml")?);
    remove_hooks(&hooks.root);
    let events = hooks.object(HOOKS)?;
    for (event, arguments) in EVENTS.into_iter().chain(FURTHER_EVENTS) {
        let groups = events.array_value_or_create(event).ok_or_else(|| {
            files::unreadable(&hooks.path, format_args!("{event} is not an array"))
        })?;
        // More is clamped, and said to the person at every start.
        let timeout_s = match event {
            "SessionEnd" => 3,
            _ => TIMEOUT_S,
        };
        groups.append(group(&called.line(arguments), timeout_s));
    }
    let mut config = TomlFile::read(config)?;
    let servers = config.document.entry(SERVERS).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers
        .as_table_like_mut()
        .ok_or_else(|| files::unreadable(&config.path, "mcp_servers is not a table"))?;
    let replaced = add_server(servers, called);
    codex_hooks::remove_ours(&mut config.document);
    hooks.write()?;
    config.write()?;
    Ok(Done {
        replaced,
        next: match are_switched_off(&config.document) {
            true => SWITCHED_OFF,
            false if codex_hooks::has_any(&config.document) => TRUST_AND_WARNING,
            false => TRUST,
        },
        changed: vec![hooks.path, config.path],
    })
}

/// Adds our server, or repairs how it is called; what else the user set for it stays. An entry that
/// calls no program is replaced whole. Returns how it was called, if otherwise.
fn add_server(servers: &mut dyn TableLike, called: &Called) -> Option<String> {
    let replaced = servers.get(NAME).map(command_line);
    let calls_program = |server: &Item| server.get("command").is_some();
    if !servers.get(NAME).is_some_and(calls_program) {
        servers.insert(NAME, Item::Table(Table::new()));
    }
    let server = servers.get_mut(NAME).and_then(Item::as_table_like_mut);
    let server = server.expect("what was no table was replaced by one");
    set(server, "command", called.program.as_str().into());
    let arguments = Array::from_iter(called.arguments(&["mcp"]));
    set(server, "args", arguments.into());
    replaced.filter(|line| *line != called.line(&["mcp"]))
}

/// How an entry calls its server: the command line of a program, or the entry itself.
fn command_line(server: &Item) -> String {
    let words = || {
        let mut words = vec![server.get("command")?.as_str()?];
        for argument in server
            .get("args")
            .and_then(Item::as_array)
            .into_iter()
            .flatten()
        {
            words.push(argument.as_str()?);
        }
        Some(words)
    };
    match words() {
        Some(words) => shell_line(words.into_iter()),
        None => server.to_string().trim().to_owned(),
    }
}

/// Sets a value; a comment beside it stays.
fn set(table: &mut dyn TableLike, name: &str, mut new: Value) {
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(value) => {
            *new.decor_mut() = value.decor().clone();
            *value = new;
        }
        None => {
            table.insert(name, Item::Value(new));
        }
    }
}

pub(super) fn uninstall() -> Outcome<Done> {
    let (hooks, config) = (read_hooks()?, file("config.toml")?);
    let had_hooks = remove_hooks(&hooks.root);
    let mut config = TomlFile::read(config)?;
    let had_server = config
        .document
        .get_mut(SERVERS)
        .and_then(Item::as_table_like_mut)
        .is_some_and(|servers| servers.remove(NAME).is_some());
    let had_others = codex_hooks::remove_ours(&mut config.document);
    let mut done = Done::default();
    if had_hooks {
        hooks.write_unless_empty(HOOKS)?;
        done.changed.push(hooks.path);
    }
    if had_server || had_others {
        match config.document.to_string().trim().is_empty() {
            true => json::remove(&config.path, "")?,
            false => config.write()?,
        }
        done.changed.push(config.path);
    }
    Ok(done)
}

/// What `config.toml` says about the memory.
pub(super) struct Config {
    /// The program of the MCP server.
    pub(super) program: Option<String>,
    /// The store that it is given.
    pub(super) store: Option<PathBuf>,
    /// What prevents the hooks from running.
    pub(super) hindered: Option<&'static str>,
    pub(super) has_plugin: bool,
}

pub(super) fn configured() -> Outcome<Config> {
    let document = TomlFile::read(file("config.toml")?)?.document;
    let server = document.get(SERVERS).and_then(|servers| servers.get(NAME));
    let arguments = server.and_then(|server| server.get("args")?.as_array());
    let words = arguments.into_iter().flatten().filter_map(Value::as_str);
    let calls_hooks = codex_hooks::has_ours(&document);
    let plugins = document.get("plugins").and_then(Item::as_table_like);
    let is_on = |plugin: &Item| plugin.get("enabled").and_then(Item::as_bool) != Some(false);
    Ok(Config {
        program: server.and_then(|server| Some(server.get("command")?.as_str()?.to_owned())),
        store: named_store(words.map(str::to_owned)),
        hindered: match are_switched_off(&document) {
            true => Some(SWITCHED_OFF),
            false => calls_hooks.then_some(HOOKS_TWICE),
        },
        has_plugin: plugins.is_some_and(|plugins| {
            let mut plugins = plugins.iter();
            plugins.any(|(name, plugin)| is_of_marketplace(name) && is_on(plugin))
        }),
    })
}

fn hooks_file() -> Outcome<PathBuf> {
    file("hooks.json")
}

/// The events for which Codex calls us.
pub(super) fn events() -> Vec<String> {
    let events = EVENTS.into_iter().chain(FURTHER_EVENTS);
    events.map(|(event, _)| event.to_owned()).collect()
}

fn are_switched_off(config: &DocumentMut) -> bool {
    let switch = config
        .get("features")
        .and_then(|features| features.get("hooks"));
    switch.and_then(Item::as_bool) == Some(false)
}

/// A TOML file that was read to be changed and written back.
struct TomlFile {
    path: PathBuf,
    document: DocumentMut,
    has_mark: bool,
    /// Whether its lines end as on Windows. The document forgets that.
    has_carriage_returns: bool,
}

/// What is wrong with a file, and where. The parser's own message quotes the line, and nobody's
/// configuration belongs in our output.
fn invalid(text: &str, error: &toml_edit::TomlError) -> String {
    let begin = error.span().map(|span| span.start.min(text.len()));
    match begin.and_then(|begin| text.get(..begin)) {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            format!("not valid TOML at line {line}")
        }
        None => "not valid TOML".to_owned(),
    }
}

impl TomlFile {
    /// Reads a file; a missing one is empty.
    fn read(path: PathBuf) -> Outcome<TomlFile> {
        let text = files::read(&path)?.unwrap_or_default();
        let plain = text.strip_prefix(BYTE_ORDER_MARK);
        let plain_text = plain.unwrap_or(&text);
        let document = plain_text.parse();
        Ok(TomlFile {
            document: document
                .map_err(|error| files::unreadable(&path, invalid(plain_text, &error)))?,
            has_mark: plain.is_some(),
            has_carriage_returns: text.contains("\r\n"),
            path,
        })
    }

    fn write(&self) -> Outcome {
        let mut text = self.document.to_string().replace("\r\n", "\n");
        if self.has_carriage_returns {
            text = text.replace('\n', "\r\n");
        }
        if self.has_mark {
            text.insert(0, BYTE_ORDER_MARK);
        }
        files::write(&self.path, &text)
    }
}

fn group(command: &str, timeout_s: u32) -> CstInputValue {
    let handler = our_handler(command, timeout_s);
    object([(HOOKS, CstInputValue::Array(vec![handler]))])
}

/// The file of hooks. Codex reads none of it if it has anything that Codex does not know.
pub(super) fn read_hooks() -> Outcome<JsonFile> {
    const KNOWN: [&str; 2] = ["description", HOOKS];
    let file = JsonFile::read(hooks_file()?, Syntax::Strict)?;
    let top = file.root.object_value();
    let names = top.iter().flat_map(CstObject::properties);
    let unknown = names
        .filter_map(|field| field.decoded_name())
        .find(|name| !KNOWN.contains(&name.as_str()));
    match unknown {
        Some(name) => Err(files::unreadable(
            &file.path,
            format_args!("Codex knows no field {name:?}"),
        )),
        None => Ok(file),
    }
}

/// Removes our handlers, and groups and events that become empty; returns whether there were any.
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
            let ours: Vec<CstNode> = handlers
                .elements()
                .into_iter()
                .filter(is_our_handler)
                .collect();
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
