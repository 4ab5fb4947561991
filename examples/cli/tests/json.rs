//! Every command with `--json`: one document, whatever it does.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;
#[cfg(target_os = "linux")]
#[path = "../../postgres/tests/common/server.rs"]
mod server;

use std::collections::BTreeSet;

use common::World;
#[cfg(target_os = "linux")]
use server::{OWNER, Postgres};

/// What speaks no document: programs that talk to others for as long as they run, of which the tests
/// are elsewhere.
const PROGRAMS: [&str; 4] = ["hook", "mcp", "share-watch", "view"];

/// Nothing was done, because `--confirm` is missing.
const UNCONFIRMED: i32 = 6;

/// The commands that were run, each as its page of the manual is called.
struct Asked<'w> {
    world: &'w World,
    done: BTreeSet<String>,
}

impl Asked<'_> {
    /// Runs a command whose name has so many words.
    fn of(&mut self, words: usize, arguments: &[&str], code: i32) -> String {
        let ran = self.world.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        assert!(ran.json().is_object(), "{arguments:?}");
        assert_eq!(ran.err, "", "{arguments:?}");
        self.done.insert(arguments[..words].join("-"));
        ran.out
    }

    fn one(&mut self, arguments: &[&str]) {
        self.of(1, arguments, 0);
    }

    fn two(&mut self, arguments: &[&str]) {
        self.of(2, arguments, 0);
    }
}

/// The names of all commands that do something by themselves, as the manual has them.
fn commands(world: &World) -> BTreeSet<String> {
    let folder = world.path().join("pages");
    world.run(&["man", "-o", folder.to_str().unwrap()]).ok();
    let pages = std::fs::read_dir(&folder).unwrap();
    let names = pages.filter_map(|page| {
        let name = page.unwrap().file_name().into_string().unwrap();
        let name = name.strip_prefix("recallite-")?.strip_suffix(".1")?;
        Some(name.to_owned())
    });
    let all: BTreeSet<String> = names.collect();
    // One with commands below it needs one of them, but for the list of projects.
    let is_group = |name: &String| {
        let below = format!("{name}-");
        name != "projects" && all.iter().any(|other| other.starts_with(&below))
    };
    let single = all.iter().filter(|name| !is_group(name));
    single.cloned().collect()
}

#[test]
fn every_command_speaks_json() {
    let world = World::new();
    let path = |name: &str| world.path().join(name).to_str().unwrap().to_owned();
    let mut asked = Asked {
        world: &world,
        done: BTreeSet::new(),
    };
    asked.one(&["remember", "We deploy on Fridays, once the review is done."]);
    let citation = world.citation("deploy");
    asked.one(&["search", "deploy"]);
    asked.one(&["show", &citation]);
    asked.one(&["history"]);
    asked.one(&["sessions"]);
    asked.one(&["projects"]);
    asked.one(&["timeline", &citation]);
    asked.two(&["task", "add", "Fix it", "--blocked-by", "the review"]);
    asked.two(&["task", "show", "fix"]);
    asked.two(&["task", "rename", "fix", "Repair it"]);
    asked.two(&["task", "start", "repair"]);
    asked.two(&["task", "block", "repair", "--by", "the other review"]);
    asked.two(&["task", "add", "Review it"]);
    asked.one(&["tasks"]);
    asked.one(&["blocked"]);
    asked.two(&["conditions", "open"]);
    let resolve = ["conditions", "resolve", "the other", "review it"];
    asked.two(&resolve);
    asked.two(&["conditions", "resolved"]);
    asked.two(&["task", "done", "review it"]);
    asked.two(&["task", "cancel", "repair"]);
    asked.one(&["entries"]);
    asked.one(&["entries", "deploy"]);
    asked.one(&["insights"]);
    for act in ["start", "status", "consolidate", "stop"] {
        asked.two(&["endless", act]);
    }
    asked.two(&["endless", "context", "deploy"]);
    asked.two(&["endless", "memories", "deploy"]);
    asked.one(&["pin", &citation]);
    asked.one(&["pinned"]);
    asked.one(&["unpin", &citation]);
    asked.one(&["pause"]);
    asked.one(&["paused"]);
    asked.one(&["resume"]);
    asked.one(&["config"]);
    asked.one(&["completions", "fish"]);
    asked.one(&["man"]);
    asked.one(&["export", "-o", &path("export.jsonl")]);
    asked.one(&["import", &path("export.jsonl")]);
    asked.one(&["export", "--whole", "-o", &path("whole.jsonl")]);
    let restored = path("restored");
    asked.one(&["restore", &path("whole.jsonl"), "--store", &restored]);
    asked.one(&["backup", &path("backup")]);
    asked.one(&["check"]);
    asked.one(&["maintain", "--compact", "--rebuild", "--for", "30s"]);
    asked.one(&["stats"]);
    asked.one(&["doctor", "--deep"]);
    asked.one(&["install", "codex"]);
    asked.one(&["uninstall", "codex"]);
    world
        .run_in("old", &["remember", "Of the old folder."])
        .ok();
    let (old, new) = (world.project("old"), world.path().join("moved"));
    std::fs::rename(&old, &new).unwrap();
    let moved = [
        "projects",
        "moved",
        old.to_str().unwrap(),
        new.to_str().unwrap(),
    ];
    asked.two(&moved);
    for act in ["forget", "erase"] {
        asked.of(1, &[act, "--everything"], UNCONFIRMED);
        asked.one(&["remember", "Of no use."]);
        let useless = world.citation("of no use");
        asked.one(&[act, &useless, "--confirm"]);
    }
    let place = world.path().join("place");
    std::fs::create_dir(&place).unwrap();
    share(&mut asked, place.to_str().unwrap());
    let done = &asked.done;
    let missing: Vec<String> = commands(&world)
        .into_iter()
        .filter(|name| !done.contains(name) && !PROGRAMS.contains(&name.as_str()))
        .filter(|name| name != "help")
        .collect();
    assert!(missing.is_empty(), "never run with --json: {missing:?}");
}

/// What is done where a memory is shared.
fn share(asked: &mut Asked<'_>, folder: &str) {
    asked.two(&["share", "init", folder]);
    asked.two(&["share", "join", folder]);
    for act in [
        "push", "pull", "status", "members", "withhold", "offer", "renew",
    ] {
        asked.two(&["share", act]);
    }
    for act in ["grant", "revoke", "access"] {
        asked.done.insert(format!("share-{act}"));
    }
    // A server is started for the tests on Linux alone.
    #[cfg(target_os = "linux")]
    {
        let postgres = Postgres::start();
        postgres.accounts(&["bob"]);
        asked.two(&["share", "init", &postgres.url(OWNER)]);
        asked.two(&["share", "grant", "bob"]);
        asked.two(&["share", "access"]);
        asked.two(&["share", "revoke", "bob"]);
        for act in ["push", "pull"] {
            asked.two(&["share", act]);
        }
    }
}
