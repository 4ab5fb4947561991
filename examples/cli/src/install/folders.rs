//! Agents that load a folder as a plugin: we write one folder and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Called, Done, Shell, agent_folder, servers};
use crate::failure::{Failure, Outcome};
use crate::files;

/// A plugin that is part of this program.
pub(super) struct Plugin {
    variable: Option<&'static str>,
    /// The folder of the agent in the user's home.
    agent: &'static str,
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
    variable: Some("CLAUDE_CONFIG_DIR"),
    agent: ".claude",
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
    variable: None,
    agent: ".gemini",
    below: "extensions/recallite",
    manifest: "gemini-extension.json",
    servers: "gemini-extension.json",
    files: files!["gemini-cli":
        "gemini-extension.json",
        "hooks/hooks.json",
        "skills/memory/SKILL.md",
    ],
    shell: Shell::OF_GEMINI_CLI,
    next: "your next session loads it; `/hooks panel` lists its hooks",
};

impl Plugin {
    fn folder(&self) -> Outcome<PathBuf> {
        Ok(agent_folder(self.variable, self.agent)?.join(self.below))
    }

    /// Writes the folder, with the paths of the program and its memory.
    pub(super) fn install(&self, called: &Called) -> Outcome<Done> {
        let folder = self.folder()?;
        if folder.exists() && !self.is_ours(&folder) {
            return Err(Failure::said(format!(
                "{} already exists and was not installed by recallite; move it away and try again",
                folder.display()
            )));
        }
        for (name, text) in self.files {
            let text = match name.ends_with(".json") {
                true => with_program(text, called, self.shell),
                false => with_place(text, called),
            };
            files::write(&folder.join(name), &text)?;
        }
        Ok(Done {
            changed: vec![folder],
            next: self.next,
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

    /// The program that the installed plugin calls.
    pub(super) fn program(&self) -> Option<String> {
        let folder = self.folder().ok()?;
        self.is_ours(&folder)
            .then(|| servers::program(folder.join(self.servers), "mcpServers"))?
    }

    /// The version of the installed plugin.
    pub(super) fn version(&self) -> Option<String> {
        let text = fs::read_to_string(self.folder().ok()?.join(self.manifest)).ok()?;
        let manifest: Value = serde_json::from_str(&text).ok()?;
        manifest["version"].as_str().map(str::to_owned)
    }

    fn is_ours(&self, folder: &Path) -> bool {
        let Ok(text) = fs::read_to_string(folder.join(self.manifest)) else {
            return false;
        };
        serde_json::from_str::<Value>(&text).is_ok_and(|manifest| manifest["name"] == "recallite")
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
