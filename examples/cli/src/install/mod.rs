//! `install` and `uninstall`: adds the memory to a coding agent, and removes it.
//!
//! If an agent loads whole folders, one folder of our own is written and nothing of the user's is
//! touched. If it has a single configuration file, only our entry is added or removed, and a file
//! that cannot be parsed is left alone.

mod codex;
mod codex_hooks;
mod configured;
mod cursor;
mod folders;
mod json;
mod servers;
mod vscode;

use std::path::{Path, PathBuf};

use jsonc_parser::cst::{CstInputValue, CstNode};
use serde_json::json;

pub(crate) use configured::Configured;

use crate::agent_names;
use crate::arguments::{Host, Place};
use crate::command_line::{CALL, first_word, is_this_program};
use crate::failure::{Failure, Outcome};
use crate::output::{Line, Look, Output, path_json};
use json::JsonFile;

/// What was done to an agent's files.
#[derive(Debug, Default)]
struct Done {
    /// Files that were written, changed or removed.
    changed: Vec<PathBuf>,
    /// How the agent called the server that had our name before, if it was another.
    replaced: Option<String>,
    /// What the user has to do next.
    next: &'static str,
}

/// How an agent calls this program.
#[derive(Debug)]
struct Called {
    /// Its absolute path.
    program: String,
    /// The options that select the memory; empty for the user's own.
    place: Vec<String>,
}

impl Called {
    /// This program with the memory of these arguments: an agent that was started from the desktop
    /// has neither them nor a terminal's variables.
    fn of(place: &Place) -> Outcome<Called> {
        let mut options = Vec::new();
        for (option, path) in [(STORE, &place.store), ("--settings", &place.settings)] {
            if let Some(path) = path {
                let path = std::path::absolute(path).map_err(|error| Failure::io(path, &error))?;
                let path = path.into_os_string().into_string().map_err(|_| {
                    Failure::usage(format!("{option}: the path is not valid UTF-8"))
                })?;
                options.extend([option.to_owned(), path]);
            }
        }
        Ok(Called {
            program: program()?,
            place: options,
        })
    }

    /// The arguments of a call, with the options first.
    fn arguments<'a>(&'a self, own: &[&'a str]) -> impl Iterator<Item = &'a str> {
        let own = own.to_vec();
        own.into_iter().chain(self.place.iter().map(String::as_str))
    }

    /// A command line for the shell in which most agents run hooks.
    fn line(&self, own: &[&str]) -> String {
        self.line_for(Shell::SYSTEM, own)
    }

    fn line_for(&self, shell: Shell, own: &[&str]) -> String {
        let words = std::iter::once(self.program.as_str()).chain(self.arguments(own));
        let line = shell.line(words);
        match shell {
            // Without it, a quoted path is a text.
            Shell::Powershell => format!("{CALL} {line}"),
            Shell::Posix | Shell::Cmd => line,
        }
    }

    /// The options as a person would type them.
    fn options(&self) -> String {
        shell_line(self.place.iter().map(String::as_str))
    }
}

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
    let said = match called.place.is_empty() {
        true => format!("installed in {}", name(host)),
        false => format!("installed in {}, with {}", name(host), called.options()),
    };
    let warning = folder_off_path()
        .filter(|_| matches!(host, Host::ClaudeCode | Host::GeminiCli))
        .map(|folder| {
            format!(
                "its slash commands and skill call `recallite`, which is not on the PATH; add \
                 {folder} to it"
            )
        });
    tell(host, &said, &done, warning.as_deref(), output);
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
    let said = match done.changed.is_empty() {
        true => format!("not installed in {}", name(host)),
        false => format!("removed from {}; stored memories are kept", name(host)),
    };
    tell(host, &said, &done, None, output);
    Ok(())
}

fn tell(host: Host, said: &str, done: &Done, warning: Option<&str>, output: &mut Output) {
    if output.is_json() {
        output.json(&json!({
            "host": name(host),
            "changed": done.changed.iter().map(|file| path_json(file)).collect::<Vec<_>>(),
            "replaced": done.replaced,
            "next": done.next,
            "warning": warning,
        }));
        return;
    }
    output.line(Line::new().add(Look::Good, said));
    for file in &done.changed {
        output.line(Line::new().plain("    ").plain(file.display()));
    }
    if let Some(replaced) = &done.replaced {
        let line = Line::new().add(Look::Warning, "replaced: ");
        output.line(line.plain(format_args!(
            "the MCP server named recallite was: {replaced}"
        )));
    }
    if !done.next.is_empty() {
        output.say(done.next);
    }
    if let Some(warning) = warning {
        output.line(Line::new().add(Look::Warning, "warning: ").plain(warning));
    }
}

fn name(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => agent_names::CLAUDE_CODE,
        Host::Codex => agent_names::CODEX,
        Host::GeminiCli => agent_names::GEMINI_CLI,
        Host::Cursor => agent_names::CURSOR,
        Host::Vscode => agent_names::VSCODE,
    }
}

/// This program's absolute path: an agent that was started from the desktop often has another
/// search path than a terminal.
fn program() -> Outcome<String> {
    let path = std::env::current_exe()
        .map_err(|error| Failure::said(format!("cannot find this program's own path: {error}")))?;
    if is_passing(&path) {
        return Err(Failure::said(
            "this program is in a package manager's cache, and the agent's hooks would fail once \
             that is cleared; run `npm install --global recallite`, then `recallite install`",
        ));
    }
    path.into_os_string()
        .into_string()
        .map_err(|_| Failure::said("the path of this program is not valid UTF-8"))
}

/// Whether the program was fetched for a single run, by `npx`, `pnpm dlx`, `bunx` or `yarn dlx`.
fn is_passing(program: &Path) -> bool {
    let names = program
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    let is_cache = |name: &str| {
        matches!(name, "_npx" | "dlx") || name.starts_with("dlx-") || name.starts_with("bunx-")
    };
    // A folder of a person's may have such a name, but no packages in it.
    names
        .skip_while(|name| !is_cache(name))
        .any(|name| matches!(&*name, "node_modules" | ".yarn"))
}

/// The shell that reads a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    Posix,
    Cmd,
    Powershell,
}

impl Shell {
    /// In which most agents run hooks.
    const SYSTEM: Shell = match cfg!(windows) {
        true => Shell::Cmd,
        false => Shell::Posix,
    };
    /// In which Gemini CLI runs hooks.
    const OF_GEMINI_CLI: Shell = match cfg!(windows) {
        true => Shell::Powershell,
        false => Shell::Posix,
    };

    /// A command line of these words.
    fn line<'a>(self, words: impl Iterator<Item = &'a str>) -> String {
        words.map(|it| self.word(it)).collect::<Vec<_>>().join(" ")
    }

    /// A word of a command line, quoted where it must be.
    fn word(self, word: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            return word.to_owned();
        }
        match self {
            Shell::Posix => format!("'{}'", word.replace('\'', "'\\''")),
            Shell::Cmd => format!("\"{word}\""),
            Shell::Powershell => format!("'{}'", word.replace('\'', "''")),
        }
    }
}

/// A command line of these words for the shell in which most agents run hooks.
pub(crate) fn shell_line<'a>(words: impl Iterator<Item = &'a str>) -> String {
    Shell::SYSTEM.line(words)
}

/// Whether a hook's command line is ours, in whatever folder the program was.
fn is_our_hook(command: &str) -> bool {
    let command = command.trim_start();
    let (program, rest) = first_word(command.strip_prefix(CALL).unwrap_or(command));
    is_this_program(&program) && first_word(rest).0 == "hook"
}

/// The store that the arguments of a call name.
fn named_store(mut arguments: impl Iterator<Item = String>) -> Option<PathBuf> {
    arguments.find(|word| word == STORE)?;
    arguments.next().map(PathBuf::from)
}

const STORE: &str = "--store";

/// The events for which agents call us through a hooks file, with the arguments. Storing a response
/// may take longer than a prompt may wait.
const EVENTS: [(&str, &[&str]); 4] = [
    ("SessionStart", &["hook"]),
    ("UserPromptSubmit", &["hook"]),
    ("PostToolUse", &["hook"]),
    ("Stop", &["hook", "--deadline-ms", "1000"]),
];

/// An entry of a hooks file that calls our program.
fn our_handler(command: &str, timeout_s: u32) -> CstInputValue {
    json::object([
        ("type", json::text("command")),
        ("command", json::text(command)),
        ("timeout", CstInputValue::Number(timeout_s.to_string())),
    ])
}

/// The seconds after which an agent ends a hook; ours end long before.
const TIMEOUT_S: u32 = 5;

/// Whether an entry of a hooks file calls our program.
fn is_our_handler(handler: &CstNode) -> bool {
    our_program(handler).is_some()
}

/// The program of an entry of a hooks file, if it is ours: the first word of a command line, or a
/// command whose arguments are a list.
fn our_program(handler: &CstNode) -> Option<String> {
    let handler = handler.as_object()?;
    let command = handler.get("command")?.value()?;
    let command = command.as_string_lit()?.decoded_value().ok()?;
    if handler.get("args").is_some() {
        return is_this_program(&command).then_some(command);
    }
    is_our_hook(&command).then(|| {
        let command = command.trim_start();
        first_word(command.strip_prefix(CALL).unwrap_or(command)).0
    })
}

/// Whether a file of hooks calls our program.
fn calls_us(file: &JsonFile) -> bool {
    let mut programs = Vec::new();
    if let Some(hooks) = file.root.value() {
        programs_of(&hooks, &mut programs);
    }
    !programs.is_empty()
}

/// Our program in each handler below a node.
fn programs_of(node: &CstNode, programs: &mut Vec<String>) {
    if let Some(array) = node.as_array() {
        array
            .elements()
            .iter()
            .for_each(|item| programs_of(item, programs));
    } else if let Some(object) = node.as_object() {
        programs.extend(our_program(node));
        object
            .properties()
            .into_iter()
            .filter_map(|property| property.value())
            .for_each(|value| programs_of(&value, programs));
    }
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
            "'/home/ada/my hooks/bin/recallite' hook --deadline-ms 1000",
            "\"C:\\my hooks\\ada's\\recallite.exe\" hook",
            "& 'C:\\Program Files\\recallite.exe' hook --deadline-ms 1000",
        ] {
            assert!(is_our_hook(command), "{command}");
        }
        for command in [
            "",
            "recallite",
            "notrecallite hook",
            "echo recallite hooks are good",
            "recallite hooks",
            "recallite search hook",
            "'/home/ada/recallite hook'",
        ] {
            assert!(!is_our_hook(command), "{command}");
        }
        let odd = Called {
            program: "/home/a da/it's hooks/recallite".to_owned(),
            place: vec!["--store".to_owned(), "/a b".to_owned()],
        };
        let line = odd.line(&["hook"]);
        assert_eq!(
            line,
            "'/home/a da/it'\\''s hooks/recallite' hook --store '/a b'"
        );
        assert!(is_our_hook(&line));
    }

    #[test]
    fn powershell_calls_a_quoted_path() {
        let called = Called {
            program: r"C:\Users\Ada O'Hara\recallite.exe".to_owned(),
            place: vec!["--store".to_owned(), r"D:\my memory".to_owned()],
        };
        let line = called.line_for(Shell::Powershell, &["hook", "--deadline-ms", "1000"]);
        assert_eq!(
            line,
            r"& 'C:\Users\Ada O''Hara\recallite.exe' hook --deadline-ms 1000 --store 'D:\my memory'"
        );
        assert!(is_our_hook(&line));
        let line = called.line_for(Shell::Cmd, &["hook"]);
        assert!(
            line.starts_with(r#""C:\Users\Ada O'Hara\recallite.exe" hook"#),
            "{line}"
        );
    }
}
