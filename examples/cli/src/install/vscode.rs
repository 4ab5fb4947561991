//! VS Code: our own hooks file in the user's Copilot folder, and an entry among the user's MCP
//! servers.

use std::path::PathBuf;

use jsonc_parser::cst::{CstInputValue, CstNode};

use super::called::Called;
use super::done::Done;
use super::handlers::{EVENTS, TIMEOUT_S, is_our_handler, our_handler};
use super::json::{self, JsonFile, Syntax, object};
use super::servers;
use crate::agent_folders;
use crate::failure::{Failure, Outcome};

pub(super) const SERVERS: &str = "servers";
const HOOKS: &str = "hooks";

pub(super) fn hooks_file() -> Outcome<PathBuf> {
    Ok(agent_folders::COPILOT.path()?.join("hooks/recallite.json"))
}

/// The MCP servers of the user's default profile.
pub(super) fn servers_file() -> Outcome<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    };
    let in_home = |folder: &str| std::env::home_dir().map(|home| home.join(folder));
    let settings = if cfg!(windows) {
        variable("APPDATA")
    } else if cfg!(target_os = "macos") {
        in_home("Library/Application Support")
    } else {
        variable("XDG_CONFIG_HOME").or_else(|| in_home(".config"))
    };
    settings
        .map(|folder| folder.join("Code/User/mcp.json"))
        .ok_or_else(|| Failure::said("cannot find the folder of VS Code's settings"))
}

pub(super) fn install(called: &Called) -> Outcome<Done> {
    let hooks = JsonFile::read(hooks_file()?, Syntax::WithComments)?;
    if hooks.path.exists() && !is_ours(&hooks) {
        return Err(Failure::said(format!(
            "{} already exists and was not installed by recallite; move it away and try again",
            hooks.path.display()
        )));
    }
    // The step that can fail comes first, so that both are written or neither.
    let added = servers::add(servers_file()?, SERVERS, called)?;
    // `Stop` sends no response here; it is for upkeep.
    let handlers = EVENTS.map(|(event, arguments)| {
        let handler = our_handler(&called.line(arguments), TIMEOUT_S);
        (event, CstInputValue::Array(vec![handler]))
    });
    hooks.root.set_value(object([
        ("version", CstInputValue::Number("1".to_owned())),
        (HOOKS, object(handlers)),
    ]));
    hooks.write()?;
    Ok(Done {
        changed: vec![hooks.path, added.file],
        replaced: added.replaced,
        next: "your next session runs the hooks, and so does the next one of Copilot CLI",
    })
}

pub(super) fn uninstall() -> Outcome<Done> {
    let hooks = JsonFile::read(hooks_file()?, Syntax::WithComments)?;
    let mut changed = Vec::new();
    changed.extend(servers::remove(servers_file()?, SERVERS)?);
    if is_ours(&hooks) {
        json::remove(&hooks.path, json::EMPTY)?;
        changed.push(hooks.path);
    }
    Ok(Done {
        changed,
        ..Done::default()
    })
}

/// Whether a file does nothing but call our hook.
fn is_ours(file: &JsonFile) -> bool {
    let Some(events) = file.object_if_there(HOOKS) else {
        return false;
    };
    let handlers: Vec<CstNode> = events
        .properties()
        .into_iter()
        .filter_map(|event| event.array_value())
        .flat_map(|handlers| handlers.elements())
        .collect();
    !handlers.is_empty() && handlers.iter().all(is_our_handler)
}
