//! How an agent calls this program: its path, its options, and command lines for a shell.

use std::path::{Path, PathBuf};

use crate::arguments::Place;
use crate::command_line::CALL;
use crate::failure::{Failure, Outcome};

/// How an agent calls this program.
#[derive(Debug)]
pub(super) struct Called {
    /// Its absolute path.
    pub(super) program: String,
    /// The options that select the memory; empty for the user's own.
    pub(super) place: Vec<String>,
}

impl Called {
    /// This program with the memory of these arguments: an agent that was started from the desktop
    /// has neither them nor a terminal's variables.
    pub(super) fn of(place: &Place) -> Outcome<Called> {
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
    pub(super) fn arguments<'a>(&'a self, own: &[&'a str]) -> impl Iterator<Item = &'a str> {
        let own = own.to_vec();
        own.into_iter().chain(self.place.iter().map(String::as_str))
    }

    /// A command line for the shell in which most agents run hooks.
    pub(super) fn line(&self, own: &[&str]) -> String {
        self.line_for(Shell::SYSTEM, own)
    }

    pub(super) fn line_for(&self, shell: Shell, own: &[&str]) -> String {
        let words = std::iter::once(self.program.as_str()).chain(self.arguments(own));
        let line = shell.line(words);
        match shell {
            // Without it, a quoted path is a text.
            Shell::Powershell => format!("{CALL} {line}"),
            Shell::Posix | Shell::Cmd => line,
        }
    }

    /// The options as a person would type them.
    pub(super) fn options(&self) -> String {
        shell_line(self.place.iter().map(String::as_str))
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
pub(super) enum Shell {
    Posix,
    Cmd,
    Powershell,
}

impl Shell {
    /// In which most agents run hooks.
    pub(super) const SYSTEM: Shell = match cfg!(windows) {
        true => Shell::Cmd,
        false => Shell::Posix,
    };
    /// In which Gemini CLI runs hooks.
    pub(super) const OF_GEMINI_CLI: Shell = match cfg!(windows) {
        true => Shell::Powershell,
        false => Shell::Posix,
    };

    /// A command line of these words.
    pub(super) fn line<'a>(self, words: impl Iterator<Item = &'a str>) -> String {
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

/// The store that the arguments of a call name.
pub(super) fn named_store(mut arguments: impl Iterator<Item = String>) -> Option<PathBuf> {
    arguments.find(|word| word == STORE)?;
    arguments.next().map(PathBuf::from)
}

const STORE: &str = "--store";
