//! Agents that load a folder as a plugin: one folder of ours, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Done, agent_folder, shell_line};
use crate::failure::{Failure, Outcome};
use crate::files;

/// A plugin that this program brings along.
pub(super) struct Plugin {
    variable: Option<&'static str>,
    /// The folder of the agent in the user's home.
    agent: &'static str,
    /// Where it looks for plugins.
    below: &'static str,
    /// The file that says whose folder it is.
    manifest: &'static str,
    files: &'static [(&'static str, &'static str)],
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
    next: "it is loaded by the next session; `/plugin` shows it as recallite@skills-dir",
};

pub(super) const GEMINI_CLI: Plugin = Plugin {
    variable: None,
    agent: ".gemini",
    below: "extensions/recallite",
    manifest: "gemini-extension.json",
    files: files!["gemini-cli":
        "gemini-extension.json",
        "hooks/hooks.json",
        "skills/memory/SKILL.md",
    ],
    next: "it is loaded by the next session; `/hooks panel` shows its hooks",
};

impl Plugin {
    fn folder(&self) -> Outcome<PathBuf> {
        Ok(agent_folder(self.variable, self.agent)?.join(self.below))
    }

    /// Writes the folder, with the program named by its path.
    pub(super) fn install(&self, program: &str) -> Outcome<Done> {
        let folder = self.folder()?;
        if folder.exists() && !self.is_ours(&folder) {
            return Err(Failure::said(format!(
                "{} is there already and is not ours; move it away and repeat",
                folder.display()
            )));
        }
        for (name, text) in self.files {
            let text = match name.ends_with(".json") {
                true => with_program(text, program),
                false => (*text).to_owned(),
            };
            files::write(&folder.join(name), &text)?;
        }
        Ok(Done {
            changed: vec![folder],
            next: self.next,
        })
    }

    /// Removes our files, and the folders that are empty then: what a user put
    /// beside them stays.
    pub(super) fn uninstall(&self) -> Outcome<Done> {
        let folder = self.folder()?;
        let mut done = Done::default();
        if !self.is_ours(&folder) {
            return Ok(done);
        }
        // The manifest goes last: as long as it is there, the rest is known as ours.
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

    fn is_ours(&self, folder: &Path) -> bool {
        let Ok(text) = fs::read_to_string(folder.join(self.manifest)) else {
            return false;
        };
        serde_json::from_str::<Value>(&text).is_ok_and(|manifest| manifest["name"] == "recallite")
    }
}

/// The same JSON with the program by its path, wherever a command stands.
fn with_program(text: &str, program: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else {
        return text.to_owned();
    };
    name_program(&mut value, program);
    format!("{value:#}\n")
}

fn name_program(value: &mut Value, program: &str) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| name_program(item, program)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match value {
                    Value::String(command) if name == "command" => {
                        if command == "recallite" {
                            *command = program.to_owned();
                        } else if let Some(rest) = command.strip_prefix("recallite ") {
                            *command = shell_line(program, &format!(" {rest}"));
                        }
                    }
                    other => name_program(other, program),
                }
            }
        }
        _ => {}
    }
}
