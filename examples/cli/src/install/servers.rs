//! A file of MCP servers: one entry is ours, and all others stay.

use std::path::PathBuf;

use jsonc_parser::cst::{CstInputValue, CstObject};

use super::Called;
use super::json::{JsonFile, object, text};
use crate::failure::Outcome;

const NAME: &str = "recallite";

/// Adds our server, or repairs how it is called; what else the user set for it stays.
pub(super) fn add(path: PathBuf, servers: &str, called: &Called) -> Outcome<PathBuf> {
    let file = JsonFile::read(path)?;
    let arguments = called.arguments(&["mcp"]).map(text).collect();
    let call = [
        ("command", text(&called.program)),
        ("args", CstInputValue::Array(arguments)),
    ];
    let servers = file.object(servers)?;
    match servers.get(NAME) {
        Some(known) => match known.object_value() {
            Some(entry) => call
                .into_iter()
                .for_each(|(name, value)| set(&entry, name, value)),
            None => known.set_value(object(call)),
        },
        None => {
            servers.append(NAME, object(call));
        }
    }
    file.write()?;
    Ok(file.path)
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
    let file = JsonFile::read(path)?;
    let known = file
        .object_if_there(servers)
        .and_then(|servers| servers.get(NAME));
    let Some(known) = known else {
        return Ok(None);
    };
    known.remove();
    file.write_unless_empty(servers)?;
    Ok(Some(file.path))
}

/// The program of our server in a file.
pub(super) fn program(file: &JsonFile, servers: &str) -> Option<String> {
    let server = file.object_if_there(servers)?.object_value(NAME)?;
    let command = server.get("command")?.value()?;
    command.as_string_lit()?.decoded_value().ok()
}
