//! What the plugins promise their hosts: hooks that end in time, and slash commands that the
//! program knows.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::path::{Path, PathBuf};

use common::World;
use serde_json::Value;

/// Claude Code gives the end of a session this long, whatever a plugin asks for.
const SESSION_END_MS: u64 = 1_500;
/// How long a hook takes that is not told its deadline.
const DEFAULT_MS: u64 = 300;

fn plugins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins")
}

/// A hook of a manifest.
#[derive(Debug)]
struct Hook {
    event: String,
    deadline_ms: u64,
    timeout: u64,
    is_async: bool,
}

fn hooks_of(host: &str) -> Vec<Hook> {
    let file = plugins().join(host).join("hooks/hooks.json");
    let value: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut found = Vec::new();
    for (event, groups) in value["hooks"].as_object().unwrap() {
        for hook in groups.as_array().unwrap().iter().flat_map(|group| {
            let hooks = group["hooks"].as_array().unwrap();
            hooks.iter()
        }) {
            let mut words: Vec<&str> = hook["command"].as_str().unwrap().split(' ').collect();
            let arguments = hook["args"].as_array().into_iter().flatten();
            words.extend(arguments.map(|word| word.as_str().unwrap()));
            let told = words.iter().position(|word| *word == "--deadline-ms");
            found.push(Hook {
                event: event.clone(),
                deadline_ms: told.map_or(DEFAULT_MS, |at| words[at + 1].parse().unwrap()),
                timeout: hook["timeout"].as_u64().unwrap(),
                is_async: hook["async"] == true,
            });
        }
    }
    found
}

/// Text of a memory must not be able to have memories removed without a question.
#[test]
fn no_plugin_may_remove_memories_unasked() {
    let folder = plugins().join("claude-code/commands");
    let mut allowing = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text
            .lines()
            .filter(|line| line.starts_with("allowed-tools:"))
        {
            allowing += 1;
            for refused in ["forget", "erase", "--confirm", "recallite *"] {
                assert!(!line.contains(refused), "{line}");
            }
        }
    }
    assert!(allowing > 5);
}

/// A host that ends a hook shows an error; a hook ends by itself before.
#[test]
fn every_hook_ends_before_its_host_ends_it() {
    // Gemini CLI counts milliseconds, the others seconds.
    for (host, unit_ms) in [("claude-code", 1_000), ("codex", 1_000), ("gemini-cli", 1)] {
        let hooks = hooks_of(host);
        assert!(hooks.len() >= 4, "{host}: {hooks:?}");
        for hook in hooks {
            let timeout_ms = hook.timeout * unit_ms;
            assert!(
                (1_000..=60_000).contains(&timeout_ms) && hook.deadline_ms * 2 <= timeout_ms,
                "{host}: {hook:?}"
            );
            let is_waited_for = !hook.is_async && hook.event != "SessionEnd";
            assert!(
                !is_waited_for || hook.deadline_ms <= 1_000,
                "{host}: {hook:?}"
            );
            if host == "claude-code" && hook.event == "SessionEnd" {
                assert!(hook.deadline_ms < SESSION_END_MS, "{hook:?}");
            }
        }
    }
}

/// Calls of the program in a text, in code or as the pattern of what a command may run.
fn calls(text: &str) -> Vec<Vec<&str>> {
    ["`recallite ", "(recallite "]
        .into_iter()
        .flat_map(|begin| text.split(begin).skip(1))
        .map(|rest| {
            let end = rest.find(['`', ')', '"']).unwrap_or(rest.len());
            rest[..end].split_whitespace().collect()
        })
        .collect()
}

/// The options in a text, such as `--since`.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_lowercase() || c == '-'))
        .filter(|word| word.len() > 3 && word.starts_with("--") && !word.starts_with("---"))
}

#[test]
fn slash_commands_and_skills_name_only_what_there_is() {
    let world = World::new();
    let commands = plugins().join("claude-code/commands");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&commands)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    for folder in ["gemini-cli/commands/recallite", "codex/skills/learn"] {
        let folder = std::fs::read_dir(plugins().join(folder)).unwrap();
        files.extend(folder.map(|entry| entry.unwrap().path()));
    }
    files.push(plugins().join("claude-code/skills/memory/SKILL.md"));
    let mut seen = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut help = String::new();
        for words in calls(&text) {
            let ran = world.run(&[words[0], "--help"]);
            assert_eq!(ran.code, 0, "{}: {words:?}", file.display());
            help.push_str(&ran.out);
            if words[0] == "task" && words.len() > 1 && words[1] != "*" {
                let ran = world.run(&["task", words[1], "--help"]);
                assert_eq!(ran.code, 0, "{}: {words:?}", file.display());
                help.push_str(&ran.out);
            }
            seen += 1;
        }
        for option in options(&text) {
            let is_known =
                help.contains(&format!("{option} ")) || help.contains(&format!("{option}\n"));
            assert!(is_known, "{}: {option}", file.display());
        }
        for name in text.split("/recallite:").skip(1) {
            let name: String = name.chars().take_while(char::is_ascii_lowercase).collect();
            assert!(commands.join(format!("{name}.md")).is_file(), "{name}");
        }
    }
    assert!(seen > 40, "{seen}");
}

/// Each agent that has commands has the same ones. Gemini CLI sends a command's text as a prompt,
/// which the hook knows by its beginning.
#[test]
fn gemini_cli_has_the_commands_of_claude_code() {
    let names = |folder: &str| {
        let files = std::fs::read_dir(plugins().join(folder)).unwrap();
        let stem = |file: PathBuf| file.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut names: Vec<String> = files.map(|it| stem(it.unwrap().path())).collect();
        names.sort();
        names
    };
    let folder = "gemini-cli/commands/recallite";
    assert_eq!(names("claude-code/commands"), names(folder));
    let world = World::new();
    let store = world.path().join("o'hara's memory");
    world
        .run(&["install", "gemini-cli", "--store", store.to_str().unwrap()])
        .ok();
    let installed = world
        .home()
        .join(".gemini/extensions/recallite/commands/recallite");
    for name in names(folder) {
        for (place, folder) in [(false, plugins().join(folder)), (true, installed.clone())] {
            let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap();
            let command: toml_edit::DocumentMut = text.parse().unwrap();
            assert!(command["description"].as_str().unwrap().len() > 10);
            let prompt = command["prompt"].as_str().unwrap();
            let begin = format!("The command /recallite:{name} of the memory.\n");
            assert!(prompt.starts_with(&begin), "{prompt}");
            assert_eq!(prompt.contains("--store '"), place, "{prompt}");
            let claude = plugins().join(format!("claude-code/commands/{name}.md"));
            let claude = std::fs::read_to_string(claude).unwrap();
            assert!(claude.contains(&format!("---\n\n{begin}")), "{claude}");
        }
    }
}
