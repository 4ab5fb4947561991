//! A file of MCP servers: one entry is ours, and all others stay.

use std::path::PathBuf;

use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp};

use super::called::{Called, named_store, shell_line};
use super::json::{JsonFile, Syntax, members, object, text};
use crate::failure::Outcome;

pub(super) const NAME: &str = "recallite";

/// What adding our server did.
pub(super) struct Added {
    pub(super) file: PathBuf,
    /// The command line of the entry that had our name and called something else.
    pub(super) replaced: Option<String>,
}

/// Adds our server, or repairs how it is called; what else the user set for it stays. An entry that
/// calls no program is replaced whole.
pub(super) fn add(path: PathBuf, servers: &str, called: &Called) -> Outcome<Added> {
    let file = JsonFile::read(path, Syntax::WithComments)?;
    let arguments = called.arguments(&["mcp"]).map(text).collect();
    let call = [
        ("command", text(&called.program)),
        ("args", CstInputValue::Array(arguments)),
    ];
    let servers = file.object(servers)?;
    let mut known = members(&servers, NAME);
    let last = known.pop();
    // Agents read the last; those before it only mislead.
    known.into_iter().for_each(CstObjectProp::remove);
    let known = last;
    let replaced = known.as_ref().map(command_line);
    match known {
        Some(known) => match known.object_value() {
            Some(entry) if entry.get("command").is_some() => call
                .into_iter()
                .for_each(|(name, value)| set(&entry, name, value)),
            _ => known.set_value(object(call)),
        },
        None => {
            servers.append(NAME, object(call));
        }
    }
    file.write()?;
    Ok(Added {
        replaced: replaced.filter(|line| *line != called.line(&["mcp"])),
        file: file.path,
    })
}

/// How an entry calls its server: the command line of a program, or the entry itself.
fn command_line(entry: &CstObjectProp) -> String {
    let words = || {
        let entry = entry.object_value()?;
        let mut words = vec![entry.get("command")?.value()?];
        if let Some(arguments) = entry.array_value("args") {
            words.extend(arguments.elements());
        }
        let word = |node: CstNode| node.as_string_lit()?.decoded_value().ok();
        words.into_iter().map(word).collect::<Option<Vec<_>>>()
    };
    match words() {
        Some(words) => shell_line(words.iter().map(String::as_str)),
        None => entry.to_string(),
    }
}

fn set(entry: &CstObject, name: &str, value: CstInputValue) {
    match entry.get(name) {
        Some(known) => known.set_value(value),
        None => {
            entry.append(name, value);
        }
    }
}

/// Removes our server; returns the file that was changed, if it contained it.
pub(super) fn remove(path: PathBuf, servers: &str) -> Outcome<Option<PathBuf>> {
    let file = JsonFile::read(path, Syntax::WithComments)?;
    let known = file
        .object_if_there(servers)
        .map_or_else(Vec::new, |servers| members(&servers, NAME));
    if known.is_empty() {
        return Ok(None);
    }
    known.into_iter().for_each(CstObjectProp::remove);
    file.write_unless_empty(servers)?;
    Ok(Some(file.path))
}

/// The program of our server in a file.
pub(super) fn program(file: &JsonFile, servers: &str) -> Option<String> {
    let command = server(file, servers)?.get("command")?.value()?;
    command.as_string_lit()?.decoded_value().ok()
}

/// The store that our server is given; `None` if it is the user's own.
pub(super) fn store(file: &JsonFile, servers: &str) -> Option<PathBuf> {
    let arguments = server(file, servers)?.array_value("args")?.elements();
    let word = |node: CstNode| node.as_string_lit()?.decoded_value().ok();
    named_store(arguments.into_iter().filter_map(word))
}

fn server(file: &JsonFile, servers: &str) -> Option<CstObject> {
    members(&file.object_if_there(servers)?, NAME)
        .pop()?
        .object_value()
}
