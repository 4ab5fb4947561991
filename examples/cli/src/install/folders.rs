//! Agents that load a folder as a plugin: we write one folder and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml_edit::DocumentMut;

use super::called::{Called, Shell};
use super::done::Done;
use super::handlers::calls_us;
use super::json::{JsonFile, Syntax};
use super::servers;
use crate::agent_folders::{self, AgentFolder};
use crate::command_line::is_this_program;
use crate::failure::{Failure, Outcome};
use crate::files;

/// The object of a plugin's MCP servers.
pub(super) const SERVERS: &str = "mcpServers";
const HOOKS: &str = "hooks/hooks.json";

/// A plugin that is part of this program.
pub(super) struct Plugin {
    agent: AgentFolder,
    /// The folder in which it looks for plugins.
    below: &'static str,
    /// The file that identifies the owner of the folder.
    manifest: &'static str,
    /// The file that contains its MCP server.
    servers: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// In which the agent runs the hooks.
    shell: Shell,
    next: &'static str,
}

macro_rules! files {
    ($folder:literal: $($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../plugins/", $folder, "/", $file)))),*]
    };
}

pub(super) const CLAUDE_CODE: Plugin = Plugin {
    agent: agent_folders::CLAUDE_CODE,
    below: "skills/recallite",
    manifest: ".claude-plugin/plugin.json",
    servers: ".mcp.json",
    files: files!["claude-code":
        ".claude-plugin/plugin.json",
        ".mcp.json",
        "commands/decisions.md",
        "commands/forget.md",
        "commands/history.md",
        "commands/import.md",
        "commands/learn.md",
        "commands/search.md",
        "commands/show.md",
        "commands/stats.md",
        "commands/tasks.md",
        "hooks/hooks.json",
        "skills/memory/SKILL.md",
    ],
    shell: Shell::SYSTEM,
    next: "your next session loads it; `/plugin` lists it as recallite@skills-dir",
};

pub(super) const GEMINI_CLI: Plugin = Plugin {
    agent: agent_folders::GEMINI_CLI,
    below: "extensions/recallite",
    manifest: "gemini-extension.json",
    servers: "gemini-extension.json",
    files: files!["gemini-cli":
        "gemini-extension.json",
        "commands/recallite/decisions.toml",
        "commands/recallite/forget.toml",
        "commands/recallite/history.toml",
        "commands/recallite/import.toml",
        "commands/recallite/learn.toml",
        "commands/recallite/search.toml",
        "commands/recallite/show.toml",
        "commands/recallite/stats.toml",
        "commands/recallite/tasks.toml",
        "hooks/hooks.json",
        "skills/memory/SKILL.md",
    ],
    shell: Shell::OF_GEMINI_CLI,
    next: "your next session loads it; `/hooks panel` lists its hooks",
};

/// Whether anything stands in a place but empty folders and files of ours that were never finished:
/// an installation that was stopped early leaves these.
fn holds_files(place: &Path) -> bool {
    let is_folder = place.is_dir() && !place.is_symlink();
    match is_folder.then(|| fs::read_dir(place)) {
        Some(Ok(mut entries)) => {
            entries.any(|entry| entry.is_ok_and(|entry| holds_files(&entry.path())))
        }
        Some(Err(_)) => true,
        None => !files::is_unfinished(place),
    }
}

impl Plugin {
    /// Where the agent keeps its user's files.
    pub(super) fn agent_folder(&self) -> Outcome<PathBuf> {
        self.agent.path()
    }

    fn folder(&self) -> Outcome<PathBuf> {
        Ok(self.agent_folder()?.join(self.below))
    }

    /// Writes the folder, with the paths of the program and its memory.
    pub(super) fn install(&self, called: &Called) -> Outcome<Done> {
        let folder = self.folder()?;
        if folder.exists() && !self.is_ours(&folder) && holds_files(&folder) {
            return Err(Failure::said(format!(
                "{} already exists and was not installed by recallite; move it away and try again",
                folder.display()
            )));
        }
        for (name, text) in self.files {
            let text = match Path::new(name).extension().and_then(|it| it.to_str()) {
                Some("json") => with_program(text, called, self.shell),
                Some("toml") => with_place_in_prompt(text, called),
                _ => with_place(text, called),
            };
            files::write(&folder.join(name), &text)?;
        }
        Ok(Done {
            changed: vec![folder],
            next: self.next,
            ..Done::default()
        })
    }

    /// Removes our files, and folders that become empty: a user's own files stay.
    pub(super) fn uninstall(&self) -> Outcome<Done> {
        let folder = self.folder()?;
        let mut done = Done::default();
        if !self.is_ours(&folder) {
            return Ok(done);
        }
        // The manifest goes last: as long as it exists, the rest is recognised as ours.
        let (manifest, others): (Vec<_>, Vec<_>) = self
            .files
            .iter()
            .partition(|(name, _)| *name == self.manifest);
        for (name, _) in others.into_iter().chain(manifest) {
            let file = folder.join(name);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Failure::io(&file, &error));
                }
                _ => {}
            }
            let mut parent = file.parent();
            while let Some(empty) = parent.filter(|place| place.starts_with(&folder)) {
                if fs::remove_dir(empty).is_err() {
                    break;
                }
                parent = empty.parent();
            }
        }
        done.changed.push(folder);
        Ok(done)
    }

    /// The file of the installed plugin's MCP server.
    pub(super) fn servers_file(&self) -> Outcome<PathBuf> {
        Ok(self.folder()?.join(self.servers))
    }

    /// The file of the installed plugin's hooks.
    pub(super) fn hooks_file(&self) -> Outcome<PathBuf> {
        Ok(self.folder()?.join(HOOKS))
    }

    /// The events for which the plugin's hooks call us.
    pub(super) fn events(&self) -> Vec<String> {
        let shipped = self.files.iter().find(|(name, _)| *name == HOOKS);
        let hooks = shipped.and_then(|(_, text)| serde_json::from_str::<Value>(text).ok());
        let hooks = hooks.as_ref().and_then(|it| it["hooks"].as_object());
        hooks.map_or_else(Vec::new, |events| events.keys().cloned().collect())
    }

    /// The files of the plugin that are missing from its folder.
    pub(super) fn missing_files(&self) -> Vec<&'static str> {
        let Ok(folder) = self.folder() else {
            return Vec::new();
        };
        let names = self.files.iter().map(|(name, _)| *name);
        names.filter(|name| !folder.join(name).is_file()).collect()
    }

    /// The file that identifies the owner of the folder.
    pub(super) fn manifest_file(&self) -> Outcome<PathBuf> {
        Ok(self.folder()?.join(self.manifest))
    }

    /// Whether the folder is one that `install` wrote.
    pub(super) fn is_installed(&self) -> bool {
        self.folder().is_ok_and(|folder| self.is_ours(&folder))
    }

    /// The version of the installed plugin.
    pub(super) fn version(&self) -> Option<String> {
        let text = fs::read_to_string(self.folder().ok()?.join(self.manifest)).ok()?;
        let manifest: Value = serde_json::from_str(&text).ok()?;
        manifest["version"].as_str().map(str::to_owned)
    }

    /// Whether a folder is one that `install` wrote: its manifest says so or, if that is missing or
    /// damaged, the program that its hooks or its server call.
    fn is_ours(&self, folder: &Path) -> bool {
        let manifest = fs::read_to_string(folder.join(self.manifest)).ok();
        match manifest.and_then(|text| serde_json::from_str::<Value>(&text).ok()) {
            Some(manifest) => manifest["name"] == "recallite",
            None => [HOOKS, self.servers].into_iter().any(|name| {
                let file = JsonFile::read(folder.join(name), Syntax::Strict);
                file.is_ok_and(|file| {
                    let server = servers::program(&file, SERVERS);
                    server.is_some_and(|program| is_this_program(&program)) || calls_us(&file)
                })
            }),
        }
    }
}

/// The same text for an agent, with the options that select the memory.
fn with_place(text: &str, called: &Called) -> String {
    match called.place.is_empty() {
        true => text.to_owned(),
        false => format!(
            "{text}\nAdd `{}` to every `recallite` command, because this memory is not in the \
             default folder.\n",
            called.options()
        ),
    }
}

/// The same for a command of Gemini CLI, whose text is a value.
fn with_place_in_prompt(text: &str, called: &Called) -> String {
    let document = text.parse::<DocumentMut>().ok();
    let prompt = document.as_ref().and_then(|it| it.get("prompt")?.as_str());
    let prompt = prompt.map(|prompt| with_place(prompt, called));
    let (Some(mut document), Some(prompt)) = (document.clone(), prompt) else {
        return text.to_owned();
    };
    document["prompt"] = toml_edit::value(prompt);
    document.to_string()
}

/// The same JSON with the program's path in every command.
fn with_program(text: &str, called: &Called, shell: Shell) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else {
        return text.to_owned();
    };
    name_program(&mut value, called, shell);
    format!("{value:#}\n")
}

fn name_program(value: &mut Value, called: &Called, shell: Shell) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| name_program(item, called, shell)),
        Value::Object(fields) => match fields.get("command").and_then(Value::as_str) {
            // The arguments are a separate list.
            Some("recallite") => {
                fields["command"] = called.program.as_str().into();
                if let Some(Value::Array(arguments)) = fields.get_mut("args") {
                    arguments.extend(called.place.iter().map(|word| word.as_str().into()));
                }
            }
            Some(line) => {
                if let Some(rest) = line.strip_prefix("recallite ") {
                    let arguments: Vec<&str> = rest.split(' ').collect();
                    fields["command"] = called.line_for(shell, &arguments).into();
                }
            }
            None => fields
                .values_mut()
                .for_each(|value| name_program(value, called, shell)),
        },
        _ => {}
    }
}
