//! `install` and `uninstall`: adds the memory to a coding agent, and removes it.
//!
//! If an agent loads whole folders, one folder of our own is written and nothing of the user's is
//! touched. If it has a single configuration file, only our entry is added or removed, and a file
//! that cannot be parsed is left alone.

mod called;
mod codex;
mod codex_hooks;
mod configured;
mod cursor;
mod done;
mod folders;
mod handlers;
mod json;
mod marketplace;
mod servers;
mod vscode;

use std::path::PathBuf;

pub(crate) use called::shell_line;
pub(crate) use configured::Configured;

use crate::agent_names;
use crate::arguments::{Host, Place};
use crate::failure::{Failure, Outcome};
use crate::hook::troubles;
use crate::output::Output;
use called::Called;
use done::tell;

pub(crate) fn install(place: &Place, host: Host, output: &mut Output) -> Outcome {
    if place.project.is_some() || place.all_projects {
        return Err(Failure::usage(
            "--project, --all-projects: an agent has the memory of the project in whose folder it \
             works; omit them",
        ));
    }
    // An agent would be told of nothing, and have no memory.
    if place.settings.is_some() {
        place.builder().preview_settings()?;
    }
    let called = Called::of(place)?;
    let done = match host {
        Host::ClaudeCode => folders::CLAUDE_CODE.install(&called)?,
        Host::GeminiCli => folders::GEMINI_CLI.install(&called)?,
        Host::Codex => codex::install(&called)?,
        Host::Cursor => cursor::install(&called)?,
        Host::Vscode => vscode::install(&called)?,
    };
    troubles::keep_room();
    let name = agent_names::of(host);
    let said = match called.place.is_empty() {
        true => format!("installed in {name}"),
        false => format!("installed in {name}, with {}", called.options()),
    };
    let warning = folder_off_path()
        .filter(|_| matches!(host, Host::ClaudeCode | Host::GeminiCli))
        .map(|folder| {
            format!(
                "its slash commands and skill call `recallite`, which is not on the PATH; add \
                 {folder} to it"
            )
        });
    tell(name, &said, &done, warning.as_deref(), output);
    Ok(())
}

/// The folder of this program, if its name is not found on the search path: hooks have its whole
/// path, but commands and skills are texts that a model and permissions compare with its name.
pub(crate) fn folder_off_path() -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["recallite", "recallite.exe", "recallite.cmd"];
    let is_there = |folder: PathBuf| names.iter().any(|name| folder.join(name).is_file());
    if std::env::split_paths(&path).any(is_there) {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    Some(program.parent()?.display().to_string())
}

pub(crate) fn uninstall(host: Host, output: &mut Output) -> Outcome {
    let done = match host {
        Host::ClaudeCode => folders::CLAUDE_CODE.uninstall()?,
        Host::GeminiCli => folders::GEMINI_CLI.uninstall()?,
        Host::Codex => codex::uninstall()?,
        Host::Cursor => cursor::uninstall()?,
        Host::Vscode => vscode::uninstall()?,
    };
    let name = agent_names::of(host);
    let said = match done.changed.is_empty() {
        true => format!("not installed in {name}"),
        false => format!("removed from {name}; stored memories are kept"),
    };
    tell(name, &said, &done, None, output);
    Ok(())
}
