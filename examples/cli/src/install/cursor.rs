//! Cursor: its MCP servers stand in one JSON file, which may hold comments.

use std::path::PathBuf;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};

use super::{Done, agent_folder};
use crate::failure::Outcome;
use crate::files;

const NAME: &str = "recallite";

fn file() -> Outcome<PathBuf> {
    Ok(agent_folder(None, ".cursor")?.join("mcp.json"))
}

/// Adds our server, or mends it, and keeps every other and every comment.
pub(super) fn install(program: &str) -> Outcome<Done> {
    let path = file()?;
    let before = files::read(&path)?.unwrap_or_default();
    let unreadable = |why: &str| files::unreadable(&path, why);
    let root = CstRootNode::parse(&before, &ParseOptions::default())
        .map_err(|error| unreadable(&error.to_string()))?;
    let servers = root
        .object_value_or_create()
        .and_then(|object| object.object_value_or_create("mcpServers"))
        .ok_or_else(|| unreadable("its mcpServers are no object"))?;
    let entry = CstInputValue::Object(vec![
        (
            "command".to_owned(),
            CstInputValue::String(program.to_owned()),
        ),
        (
            "args".to_owned(),
            CstInputValue::Array(vec![CstInputValue::String("mcp".to_owned())]),
        ),
    ]);
    match servers.get(NAME) {
        Some(known) => known.set_value(entry),
        None => {
            servers.append(NAME, entry);
        }
    }
    files::write(&path, &root.to_string())?;
    Ok(Done {
        changed: vec![path],
        next: "restart Cursor; it has no hooks that give context, so ask it to search",
    })
}

/// Removes our server and keeps every other.
pub(super) fn uninstall() -> Outcome<Done> {
    let path = file()?;
    let mut done = Done::default();
    let Some(before) = files::read(&path)? else {
        return Ok(done);
    };
    let root = CstRootNode::parse(&before, &ParseOptions::default())
        .map_err(|error| files::unreadable(&path, error))?;
    let known = root
        .object_value()
        .and_then(|object| object.object_value("mcpServers"))
        .and_then(|servers| servers.get(NAME));
    if let Some(known) = known {
        known.remove();
        files::write(&path, &root.to_string())?;
        done.changed.push(path);
    }
    Ok(done)
}
