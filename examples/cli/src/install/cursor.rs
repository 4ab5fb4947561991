//! Cursor: its MCP servers are in one JSON file, which may contain comments.

use std::path::PathBuf;

use super::called::Called;
use super::done::Done;
use super::servers;
use crate::agent_folders;
use crate::failure::Outcome;

pub(super) const SERVERS: &str = "mcpServers";

pub(super) fn file() -> Outcome<PathBuf> {
    Ok(agent_folders::CURSOR.path()?.join("mcp.json"))
}

/// Adds or repairs our server, and keeps all others and all comments.
pub(super) fn install(called: &Called) -> Outcome<Done> {
    let added = servers::add(file()?, SERVERS, called)?;
    Ok(Done {
        changed: vec![added.file],
        replaced: added.replaced,
        next: "restart Cursor; its hooks cannot provide context, so ask it to search the memory",
    })
}

/// Removes our server and keeps all others.
pub(super) fn uninstall() -> Outcome<Done> {
    Ok(Done {
        changed: servers::remove(file()?, SERVERS)?.into_iter().collect(),
        ..Done::default()
    })
}
