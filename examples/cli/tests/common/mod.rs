//! A home folder, a store and projects of their own for each test, and the built
//! command run in them.

#![allow(dead_code)]

pub(crate) mod session;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use recallite::scope::ProjectScope;
use recallite::{EventFilter, EventRef, Memory};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct World {
    folder: TempDir,
}

/// Says that a test cannot do its work here: a failure where everything is to be tested.
#[expect(clippy::print_stdout, reason = "who runs the test should know")]
pub(crate) fn skip(why: &str) {
    println!("skipped: {why}");
    let must_run = std::env::var_os("RECALLITE_TEST_EVERYTHING").is_some();
    assert!(!must_run, "skipped where everything is to be tested: {why}");
}

/// The path of the command under test, as the command itself knows it: cargo's target folder may be
/// named from elsewhere, with `..`.
pub(crate) fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let built = Path::new(env!("CARGO_BIN_EXE_recallite"));
        let clean = match built.components().any(|part| part == Component::ParentDir) {
            // Its canonical paths have a form of their own.
            true if cfg!(windows) => std::path::absolute(built).unwrap(),
            true => built.canonicalize().unwrap(),
            false => built.to_owned(),
        };
        clean.into_os_string().into_string().unwrap()
    });
    &PROGRAM
}

/// What a run of the command gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The standard output of a run that went well.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }
}

/// The same command after others of a shell, such as `ulimit`.
#[cfg(unix)]
pub(crate) fn in_shell(first: &str, plain: &Command) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(format!("{first} && exec \"$0\" \"$@\""));
    command.arg(plain.get_program()).args(plain.get_args());
    let variables = plain.get_envs();
    command
        .env_clear()
        .envs(variables.filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl World {
    pub(crate) fn new() -> World {
        let world = World {
            folder: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir_all(world.home()).unwrap();
        world.project("shop");
        world
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path().join("store")
    }

    /// The folder of a project, which is a repository.
    pub(crate) fn project(&self, name: &str) -> PathBuf {
        let folder = self.path().join("work").join(name);
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        folder.canonicalize().unwrap()
    }

    /// The command in a project's folder, with this world's home and store.
    pub(crate) fn command_in(&self, project: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(arguments)
            .current_dir(self.project(project))
            .env_clear();
        command.env("HOME", self.home()).env("TZ", "UTC");
        command.env("RECALLITE_STORE", self.store());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run_in(&self, project: &str, arguments: &[&str]) -> Ran {
        ran(self.command_in(project, arguments).output().unwrap())
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in("shop", arguments)
    }

    /// Stores notes that answer the same question, each with another host.
    pub(crate) fn remember_caches(&self, hosts: usize) {
        for host in 1..=hosts {
            let said = format!("The cache of the shop lives on host{host}.");
            self.run(&["remember", &said]).ok();
        }
    }

    pub(crate) fn with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        with_input(self.command_in("shop", arguments), input)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A pipe that nobody writes to: who opens it waits for ever.
    #[cfg(unix)]
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path
    }

    /// Takes an agent's extraction of a session in, as the MCP tool does that learns.
    pub(crate) fn ingest(&self, session: &str, extraction: &Value) -> String {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "ingest",
            "arguments": { "session": session, "extraction": extraction },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            } } });
        let mut command = self.command_in("shop", &["mcp"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{call}").unwrap();
        let mut line = String::new();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        answers.read_line(&mut line).unwrap();
        drop(input);
        assert!(child.wait().unwrap().success());
        let answer: Value = serde_json::from_str(&line).unwrap();
        let result = &answer["result"];
        assert!(
            result["isError"] != true && answer["error"].is_null(),
            "{answer}"
        );
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Damages every place of a text in the store's file.
    pub(crate) fn damage(&self, text: &[u8]) {
        let mut entries = std::fs::read_dir(self.store()).unwrap();
        let is_store = |path: &PathBuf| path.extension().is_some_and(|it| it == "redb");
        let store = entries.find_map(|entry| Some(entry.unwrap().path()).filter(is_store));
        let store = store.unwrap();
        let mut bytes = std::fs::read(&store).unwrap();
        let found: Vec<usize> = (0..bytes.len())
            .filter(|at| bytes[*at..].starts_with(text))
            .collect();
        assert!(!found.is_empty());
        for at in found {
            bytes[at] ^= 1;
        }
        std::fs::write(&store, bytes).unwrap();
    }

    /// An insight of the project `shop`, and one of `blog`.
    pub(crate) fn give_insights(&self) {
        for (project, said) in [
            ("shop", "I always want tabs in the shop."),
            ("blog", "I never want tabs in the blog."),
        ] {
            self.run_in(project, &["remember", said]).ok();
        }
        let memory = Memory::open(self.store()).unwrap();
        let all = EventFilter::new().project(ProjectScope::All);
        let events = memory.events(all).unwrap();
        let used: Vec<EventRef> = events.map(|event| event.unwrap().id.into()).collect();
        for reader in ["r1", "r2", "r3", "r4", "r5", "r6"] {
            let levels = memory.levels();
            levels.record_access(&used, reader, 0.95).unwrap();
        }
        memory.levels().graduate(500).unwrap();
        memory.close().unwrap();
    }

    /// The citation of the only memory that a search finds first.
    pub(crate) fn citation(&self, words: &str) -> String {
        let found = self.run(&["search", "--json", words]).json();
        found["items"][0]["citation"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn with_input(mut command: Command, input: &[u8]) -> Ran {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // The child may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    ran(child.wait_with_output().unwrap())
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Copies a folder and what it holds.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}
