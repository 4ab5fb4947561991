//! `install` and `uninstall`: the memory in a coding agent, and out of it again.
//!
//! Where an agent loads whole folders, one folder of our own is written and nothing
//! of the user's is touched. Where it has one configuration for everything, only our
//! entry is added or removed, and a file that cannot be read stays as it is.

mod codex;
mod cursor;
mod folders;

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::arguments::Host;
use crate::failure::{Failure, Outcome};
use crate::output::{Line, Look, Output};

/// What was done to the files of an agent.
#[derive(Debug, Default)]
struct Done {
    /// Files that were written, changed or removed.
    changed: Vec<PathBuf>,
    /// What the user does next.
    next: &'static str,
}

pub(crate) fn install(host: Host, output: &mut Output) -> Outcome {
    let program = program()?;
    let done = match host {
        Host::ClaudeCode => folders::CLAUDE_CODE.install(&program)?,
        Host::GeminiCli => folders::GEMINI_CLI.install(&program)?,
        Host::Codex => codex::install(&program)?,
        Host::Cursor => cursor::install(&program)?,
    };
    let said = format!("installed in {}", name(host));
    tell(host, &said, &done, output);
    Ok(())
}

pub(crate) fn uninstall(host: Host, output: &mut Output) -> Outcome {
    let done = match host {
        Host::ClaudeCode => folders::CLAUDE_CODE.uninstall()?,
        Host::GeminiCli => folders::GEMINI_CLI.uninstall()?,
        Host::Codex => codex::uninstall()?,
        Host::Cursor => cursor::uninstall()?,
    };
    let said = match done.changed.is_empty() {
        true => format!("was not installed in {}", name(host)),
        false => format!("removed from {}; the memory itself stays", name(host)),
    };
    tell(host, &said, &done, output);
    Ok(())
}

fn tell(host: Host, said: &str, done: &Done, output: &mut Output) {
    if output.is_json() {
        output.json(&json!({ "host": name(host), "changed": done.changed, "next": done.next }));
        return;
    }
    output.line(Line::new().add(Look::Good, said));
    for file in &done.changed {
        output.line(Line::new().plain("    ").plain(file.display()));
    }
    if !done.next.is_empty() {
        output.say(done.next);
    }
}

fn name(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => "claude-code",
        Host::Codex => "codex",
        Host::GeminiCli => "gemini-cli",
        Host::Cursor => "cursor",
    }
}

/// This program by its whole path: an agent that a desktop started often has
/// another search path than a terminal.
fn program() -> Outcome<String> {
    let path = std::env::current_exe()
        .map_err(|error| Failure::said(format!("cannot tell where this program lies: {error}")))?;
    if is_of_npx(&path) {
        return Err(Failure::said(
            "this program lies in a cache that npm clears, and the agent's hooks would fail then; \
             run `npm install --global recallite`, then `recallite install`",
        ));
    }
    path.into_os_string()
        .into_string()
        .map_err(|_| Failure::said("this program lies in a folder whose name is not UTF-8"))
}

/// Whether npx fetched a program only to run it once.
fn is_of_npx(program: &Path) -> bool {
    program.components().any(|part| part.as_os_str() == "_npx")
}

/// The folder of an agent in the user's home, or where its variable says.
pub(crate) fn agent_folder(variable: Option<&str>, folder: &str) -> Outcome<PathBuf> {
    let named = variable
        .and_then(std::env::var_os)
        .filter(|value| !value.is_empty());
    if let Some(named) = named {
        return Ok(named.into());
    }
    std::env::home_dir()
        .map(|home| home.join(folder))
        .ok_or_else(|| Failure::said("the system names no home folder"))
}

/// Whether a folder is where an agent keeps what belongs to the user, not to a project.
pub(crate) fn is_agent_folder(folder: &Path) -> bool {
    let known = [
        (Some("CLAUDE_CONFIG_DIR"), ".claude"),
        (Some("CODEX_HOME"), ".codex"),
        (None, ".gemini"),
        (None, ".cursor"),
    ];
    known.into_iter().any(|(variable, name)| {
        let place = agent_folder(variable, name).ok();
        place.is_some_and(|place| place.canonicalize().unwrap_or(place) == folder)
    })
}

/// A command line for a shell, with the program quoted where it must be.
fn shell_line(program: &str, rest: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:\\".contains(c);
    if program.chars().all(is_plain) && !program.contains('\\') {
        return format!("{program}{rest}");
    }
    match cfg!(windows) {
        true => format!("\"{program}\"{rest}"),
        false => format!("'{}'{rest}", program.replace('\'', "'\\''")),
    }
}

/// Whether a command line of a hook is ours, wherever the program lay.
fn is_our_hook(command: &str) -> bool {
    let program = command.split(" hook").next().unwrap_or_default();
    let program = program.trim_matches(['\'', '"']);
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    command.contains(" hook") && matches!(name, "recallite" | "recallite.exe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_hooks_are_known_wherever_the_program_lay() {
        for command in [
            "recallite hook",
            "/home/ada/.cargo/bin/recallite hook --deadline-ms 1000",
            "'/home/a da/recallite' hook",
            "\"C:\\Program Files\\recallite.exe\" hook",
        ] {
            assert!(is_our_hook(command), "{command}");
        }
        for command in [
            "",
            "recallite",
            "notrecallite hook",
            "echo recallite hooks are good",
        ] {
            assert!(!is_our_hook(command), "{command}");
        }
        let odd = shell_line("/home/a da/it's/recallite", " hook");
        assert_eq!(odd, "'/home/a da/it'\\''s/recallite' hook");
    }
}
