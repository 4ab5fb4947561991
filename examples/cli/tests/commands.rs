//! The command as a person and a script meet it: the built program, its output
//! and its exit codes.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use common::{World, program, ran, with_input};
use recallite::clock::Clock;
use recallite::embed::CallbackEmbedder;
use recallite::{EventKind, Memory, NewEvent, Timestamp};
use serde_json::{Value, json};

#[test]
fn a_note_is_found_shown_and_cited() {
    let world = World::new();
    let said = world
        .run(&["remember", "We", "deploy", "on", "Fridays", "at", "noon."])
        .ok();
    assert!(said.starts_with("remembered as mem:"), "{said}");
    let citation = world.citation("when do we deploy?");
    assert!(
        world
            .run(&["search", "when do we deploy?"])
            .ok()
            .contains("Fridays at noon")
    );
    let shown = world.run(&["show", &citation]).ok();
    assert!(
        shown.contains("    We deploy on Fridays at noon."),
        "{shown}"
    );
    assert!(world.run(&["history"]).ok().contains(&citation));
    assert!(world.run(&["timeline", &citation]).ok().starts_with("> "));
    assert!(world.run(&["sessions"]).ok().contains("1 event"));
    let again = world
        .run(&["remember", "We deploy on Fridays at noon."])
        .ok();
    assert!(again.starts_with("already remembered"), "{again}");
}

#[test]
fn a_note_from_standard_input_loses_its_secrets_and_says_so() {
    let world = World::new();
    let note = b"The staging password=hunter2secret stays.\n<private>salary</private>";
    let said = world.with_input(&["remember", "-"], note).ok();
    assert!(
        said.contains("1 private section") && said.contains("1 secret"),
        "{said}"
    );
    let all = world.run(&["export"]).ok();
    assert!(
        !all.contains("hunter2secret") && !all.contains("salary"),
        "{all}"
    );
}

#[test]
fn a_note_that_is_too_long_is_refused_whole() {
    const MAX: usize = 16 << 20;
    let world = World::new();
    world.run(&["remember", "There is a store."]).ok();
    let events = || world.run(&["stats", "--json"]).json()["events"].clone();
    let before = events();
    let note = "word ".repeat(MAX / 5 + 1);
    let ran = world.with_input(&["remember", "-"], &note.as_bytes()[..=MAX]);
    assert_eq!((ran.code, ran.out.as_str()), (64, ""), "{}", ran.err);
    assert!(ran.err.contains("16777216 bytes"), "{}", ran.err);
    assert_eq!(events(), before);
}

#[test]
fn a_missing_settings_file_is_called_that() {
    let world = World::new();
    world.run(&["remember", "We deploy on Fridays."]).ok();
    for command in [["search", "when?"], ["remember", "More."]] {
        let arguments = [&["--settings", "/nowhere/s.json"], &command[..]].concat();
        let ran = world.run(&arguments);
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(ran.err.contains("/nowhere/s.json"), "{ran:?}");
        assert!(!ran.err.contains("no store found"), "{ran:?}");
    }
}

#[test]
fn what_is_not_understood_is_told_as_json_where_that_was_asked_for() {
    let world = World::new();
    for arguments in [
        &["--json", "bogus"][..],
        &["search", "--json"],
        &["--json", "search", "--limit", "x", "y"],
    ] {
        let ran = world.run(arguments);
        let error: Value = serde_json::from_str(&ran.err).unwrap();
        assert_eq!(error["error"]["code"], "invalid_argument", "{ran:?}");
        assert_eq!(ran.code, 64, "{ran:?}");
    }
}

/// Whatever the encoding of a terminal is.
#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_told_like_any_other() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    let with = |arguments: &[&str]| {
        let mut command = world.command_in("shop", arguments);
        command.arg(std::ffi::OsStr::from_bytes(b"caf\xe9"));
        ran(command.output().unwrap())
    };
    let told = with(&["remember"]);
    assert_eq!(told.code, 64, "{told:?}");
    assert!(told.err.contains("UTF-8"), "{told:?}");
    let told = with(&["--json", "remember"]);
    assert_eq!(told.code, 64, "{told:?}");
    let error: Value = serde_json::from_str(&told.err).unwrap();
    assert_eq!(error["error"]["code"], "invalid_argument", "{told:?}");
}

#[test]
fn no_copy_is_written_into_the_store() {
    let world = World::new();
    world.run(&["remember", "We deploy on Fridays."]).ok();
    let copy = world.store().join("copy");
    let path = copy.to_str().unwrap();
    for command in [
        &["backup", path][..],
        &["export", "--output", path],
        &["export", "--whole", "--output", path],
        &["export", "--format", "markdown", "--output", path],
    ] {
        let ran = world.run(command);
        assert_eq!(ran.code, 64, "{command:?}: {ran:?}");
        assert!(ran.err.contains("the store's own folder"), "{ran:?}");
        assert!(!copy.exists());
    }
}

#[test]
fn a_missing_store_is_told_and_not_made() {
    let world = World::new();
    for command in [
        &["search", "x"][..],
        &["history"],
        &["tasks"],
        &["stats"],
        &["forget", "--everything", "--confirm"],
        &["check"],
    ] {
        let ran = world.run(command);
        assert_eq!(ran.code, 3, "{command:?}: {ran:?}");
        assert!(ran.err.contains("no store found in"), "{ran:?}");
        assert!(ran.out.is_empty());
    }
    assert!(!world.store().exists());
    let doctor = world.run(&["doctor"]);
    assert_eq!(doctor.code, 0);
    assert!(doctor.out.contains("recallite import"), "{doctor:?}");
}

/// Hosts of hooks take the exit code 2 as "block".
#[test]
fn wrong_arguments_never_end_with_two() {
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    for command in [
        &["nonsense"][..],
        &["search"],
        &["search", "--limit", "many", "x"],
        &["search", "x", "--since", "yesterday"],
        &["forget"],
        &["show", "no citation at all"],
        &["task", "add"],
        &["export", "--whole", "--format", "markdown"],
        &[],
    ] {
        let ran = world.run(command);
        assert_eq!(ran.code, 64, "{command:?}: {ran:?}");
        assert!(!ran.err.is_empty());
    }
    assert_eq!(world.run(&["--help"]).code, 0);
    assert_eq!(world.run(&["--version"]).code, 0);
}

#[test]
fn what_is_unknown_ends_with_not_found() {
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    for command in [
        &["show", "mem:zzzzzz"][..],
        &["timeline", "mem:zzzzzz"],
        &["task", "show", "nothing"],
        &["import", "/nowhere/at/all"],
    ] {
        let ran = world.run(command);
        assert_eq!(ran.code, 3, "{command:?}: {ran:?}");
        let ran = world.run(&[command, &["--json"]].concat());
        let error: Value = serde_json::from_str(&ran.err).unwrap();
        assert_eq!(error["error"]["code"], "not_found", "{ran:?}");
    }
}

/// A session with a typo has nothing either, which must not look like an answer.
#[test]
fn a_session_that_never_was_is_not_taken_for_an_empty_one() {
    let world = World::new();
    world.run(&["remember", "x", "--session", "s1"]).ok();
    let file = world.path().join("export.jsonl");
    let file = file.to_str().unwrap();
    for command in [
        &["search", "x"][..],
        &["history"],
        &["entries"],
        &["entries", "x"],
        &["export"],
        &["export", "-o", file],
        &["export", "--format", "markdown"],
    ] {
        for more in [&[][..], &["--json"]] {
            let ran = world.run(&[command, &["--session", "nope"], more].concat());
            assert_eq!(
                (ran.code, ran.out.as_str()),
                (3, ""),
                "{command:?}: {ran:?}"
            );
            assert!(ran.err.contains("there is no session nope"), "{ran:?}");
        }
        assert!(!Path::new(file).exists());
    }
    // One that has nothing of what is wanted is empty.
    for command in [&["history", "--kind", "response"][..], &["entries"]] {
        world.run(&[command, &["--session", "s1"]].concat()).ok();
    }
    // A pause may come before anything is said.
    world.run(&["pause", "--session", "later"]).ok();
}

#[test]
fn projects_do_not_see_each_other_unless_asked() {
    let world = World::new();
    world
        .run_in(
            "shop",
            &["remember", "The database of the shop is Postgres."],
        )
        .ok();
    world
        .run_in("blog", &["remember", "The database of the blog is SQLite."])
        .ok();
    let found = world.run_in("blog", &["search", "which database?"]).ok();
    assert!(
        found.contains("SQLite") && !found.contains("Postgres"),
        "{found}"
    );
    let found = world
        .run_in("blog", &["search", "-a", "which database?"])
        .ok();
    assert!(
        found.contains("SQLite") && found.contains("Postgres"),
        "{found}"
    );
    let shop = world.project("shop");
    let found = world
        .run_in("blog", &["history", "--project", shop.to_str().unwrap()])
        .ok();
    assert!(
        found.contains("Postgres") && !found.contains("SQLite"),
        "{found}"
    );
    let nothing = world.run_in("empty", &["search", "database"]).ok();
    assert!(nothing.contains("--all-projects"), "{nothing}");
    assert_eq!(world.run(&["sessions", "-a", "--json"]).json()["total"], 2);
}

#[test]
fn insights_of_another_project_are_listed_only_with_all_projects() {
    let world = World::new();
    world.give_insights();
    for (project, other) in [("shop", "blog"), ("blog", "shop")] {
        let listed = world.run_in(project, &["insights"]).ok();
        assert!(
            listed.contains(project) && !listed.contains(other),
            "{listed}"
        );
        let all = world.run_in(project, &["insights", "-a", "--json"]).json();
        assert_eq!(all["items"].as_array().unwrap().len(), 2, "{all}");
    }
    let none = world.run_in("empty", &["insights"]).ok();
    assert!(none.contains("--all-projects"), "{none}");
}

#[test]
fn forgetting_counts_first_and_gives_a_receipt() {
    let world = World::new();
    world.run(&["remember", "my door code is 4711"]).ok();
    world.run(&["remember", "the sky is blue"]).ok();
    let citation = world.citation("door code");
    let counted = world.run(&["forget", &citation]);
    assert_eq!(counted.code, 6);
    assert!(counted.out.contains("would forget 1 memory"), "{counted:?}");
    assert!(world.run(&["search", "door code"]).ok().contains("4711"));
    let forgot = world.run(&["forget", &citation, "--confirm"]).ok();
    assert!(forgot.starts_with("forgot 1 memory"), "{forgot}");
    assert!(!world.run(&["search", "door code"]).ok().contains("4711"));
    // What is forgotten can still be erased.
    for (action, count) in [("forget", 1), ("erase", 2)] {
        let everything = world.run(&[action, "--everything", "--json"]);
        assert_eq!(
            (everything.code, &everything.json()["would_remove"]),
            (6, &json!(count))
        );
    }
}

/// Imports one message.
fn import(world: &World, said: &Value) {
    let file = world.write("said.jsonl", &said.to_string());
    let import = ["import", "--project", ".", file.to_str().unwrap()];
    world.run(&import).ok();
}

/// What a date removes does not depend on the machine.
#[test]
fn a_date_before_which_memories_are_removed_is_in_utc() {
    let world = World::new();
    let said = json!({"role": "user", "session": "s", "content": "It is noon.",
        "timestamp": "2026-01-29T12:00:00Z"});
    import(&world, &said);
    for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Midway"] {
        for (date, count) in [("2026-01-29", 0), ("2026-01-30", 1)] {
            for action in ["forget", "erase"] {
                let arguments = [action, "--before", date, "--json"];
                let mut command = world.command_in("shop", &arguments);
                command.env("TZ", zone);
                let counted = ran(command.output().unwrap());
                assert_eq!(counted.json()["would_remove"], count, "{zone} {counted:?}");
            }
        }
    }
}

#[test]
fn an_import_learns_and_leaves_nothing_to_learn() {
    let world = World::new();
    let said = json!({"role": "assistant", "session": "s", "timestamp": "2026-01-29T12:00:00Z",
        "content": "Done. We still need to expire old sessions after a day."});
    import(&world, &said);
    let tasks = world.run(&["-a", "tasks"]).ok();
    assert!(tasks.contains("expire old sessions"), "{tasks}");
    let again = json!({"role": "assistant", "session": "s", "timestamp": "2026-01-29T12:01:00Z",
        "content": "Done. We still need to rotate the signing keys."});
    let file = world.write("again.jsonl", &again.to_string());
    let told = world
        .run(&["import", "--project", ".", file.to_str().unwrap()])
        .ok();
    assert!(told.contains("learned 0 entries and 1 task"), "{told}");
    assert_eq!(
        world.run(&["maintain", "--json"]).json()["tasks_learned"],
        0
    );
}

/// A name with a typo removes nothing, which must not look like success.
#[test]
fn a_session_that_never_was_cannot_be_removed() {
    let world = two_sessions();
    for command in ["forget", "erase"] {
        for more in [&[][..], &["--confirm"]] {
            let ran = world.run(&[&[command, "--session", "nope"], more].concat());
            assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{ran:?}");
            assert!(ran.err.contains("there is no session nope"), "{ran:?}");
        }
        let ran = world.run(&[command, "--session", "nope", "--confirm", "--json"]);
        assert!(
            ran.err.contains("\"not_found\"") || ran.out.contains("\"not_found\""),
            "{ran:?}"
        );
    }
    // What is forgotten can still be erased.
    let session = world.run(&["sessions", "--json"]).json()["items"][0]["id"].clone();
    let session = session.as_str().unwrap();
    world
        .run(&["forget", "--session", session, "--confirm"])
        .ok();
    let counted = world.run(&["erase", "--session", session]);
    assert_eq!(counted.code, 6, "{counted:?}");
    assert!(
        counted.out.contains("would erase 2 memories"),
        "{counted:?}"
    );
    let erased = world
        .run(&["erase", "--session", session, "--confirm"])
        .ok();
    assert!(
        erased.starts_with("erased 2 memories") && erased.contains("no byte of their text"),
        "{erased}"
    );
    let comes_back =
        "stores again what hooks had stored, and every message of Codex and Gemini CLI";
    assert!(erased.contains(comes_back), "{erased}");
    let nothing = ["erase", "--kind", "session_summary", "--confirm"];
    let nothing = world.run(&nothing).ok();
    assert!(
        nothing.starts_with("erased 0 ") && !nothing.contains("no byte"),
        "{nothing}"
    );
}

/// Removing nothing, because the session belongs to another project, must not look like success.
#[test]
fn a_session_of_another_project_is_removed_only_with_all_projects() {
    let world = two_sessions();
    let session = world.run(&["sessions", "--json"]).json()["items"][0]["id"].clone();
    let session = session.as_str().unwrap();
    for command in ["forget", "erase"] {
        for more in [&[][..], &["--confirm"]] {
            let arguments = [&[command, "--session", session], more].concat();
            let ran = world.run_in("blog", &arguments);
            assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{ran:?}");
            assert!(ran.err.contains("--all-projects"), "{ran:?}");
        }
    }
    // It went on in another project.
    world
        .run_in("blog", &["remember", "Hugo it is.", "--session", session])
        .ok();
    let counted = world.run_in("blog", &["forget", "--session", session]);
    assert_eq!(counted.code, 6, "{counted:?}");
    assert!(
        counted.out.contains("would forget 1 memory")
            && counted.out.contains("2 memories are of this session"),
        "{counted:?}"
    );
    let named = world.citation("the first of s1");
    let ran = world.run_in("blog", &["forget", &named, "--confirm"]);
    assert_eq!(ran.code, 64, "{ran:?}");
    assert!(ran.err.contains("--all-projects"), "{ran:?}");
    let forgot = [
        "forget",
        "--session",
        session,
        "--all-projects",
        "--confirm",
    ];
    let forgot = world.run_in("blog", &forgot).ok();
    assert!(forgot.starts_with("forgot 3 memories"), "{forgot}");
}

/// Two sessions of two messages each.
fn two_sessions() -> World {
    let world = World::new();
    let line = |session: &str, role: &str, at: &str, text: &str| {
        let line = json!({ "session": session, "role": role, "timestamp": at, "content": text });
        format!("{line}\n")
    };
    let lines = [
        line("s1", "user", "2026-01-10T10:00:00Z", "the first of s1"),
        line(
            "s1",
            "assistant",
            "2026-01-20T10:00:00Z",
            "the second of s1",
        ),
        line("s2", "user", "2026-01-11T10:00:00Z", "the first of s2"),
        line("s2", "user", "2026-02-20T10:00:00Z", "the second of s2"),
    ];
    let file = world.write("said.jsonl", &lines.concat());
    let project = world.project("shop");
    let project = ["--project", project.to_str().unwrap()];
    let import = ["import", file.to_str().unwrap()];
    world.run(&[&import[..], &project].concat()).ok();
    world
}

/// What is selected by session, time or kind is counted first, and nothing else is removed.
#[test]
fn a_selection_is_counted_and_removed_alone() {
    let world = two_sessions();
    for word in ["forget", "erase"] {
        for (selection, count) in [
            (&["--session", "s1"][..], 2),
            (&["--before", "2026-01-15"], 2),
            (&["--kind", "response"], 1),
            (&["--kind", "prompt", "--session", "s2"], 2),
            (&["--session", "s2", "--before", "2026-01-15"], 1),
            (&["--session", "s2", "--before", "2020-01-15"], 0),
        ] {
            let ran = world.run(&[&[word, "--json"], selection].concat());
            let counted = &ran.json()["would_remove"];
            assert_eq!(
                (ran.code, counted),
                (6, &json!(count)),
                "{word} {selection:?}"
            );
        }
    }
    let left = || {
        let history = world.run(&["history", "--json"]).json();
        let items = history["items"].as_array().unwrap().clone();
        let texts = items.iter().map(|item| item["content"].as_str().unwrap());
        let mut texts: Vec<String> = texts.map(str::to_owned).collect();
        texts.sort();
        texts
    };
    let by_kind = ["forget", "--kind", "response", "--confirm", "--json"];
    assert_eq!(world.run(&by_kind).json()["count"], 1);
    assert_eq!(
        left(),
        ["the first of s1", "the first of s2", "the second of s2"]
    );
    let by_time = ["erase", "--before", "2026-01-11", "--confirm", "--json"];
    assert_eq!(world.run(&by_time).json()["count"], 1);
    assert_eq!(left(), ["the first of s2", "the second of s2"]);
    let by_session = ["erase", "--session", "s2", "--confirm", "--json"];
    assert_eq!(world.run(&by_session).json()["count"], 2);
    assert!(left().is_empty());
}

#[test]
fn erased_text_is_in_no_file_of_the_store() {
    let world = World::new();
    let secret = "zebracorn4711";
    world
        .run(&["remember", &format!("the word is {secret}")])
        .ok();
    world.run(&["remember", "the sky is blue"]).ok();
    assert!(holds(&world, secret));
    let citation = world.citation(secret);
    let erased = world
        .run(&["erase", &citation, "--confirm", "--json"])
        .json();
    assert_eq!(
        (&erased["count"], &erased["is_complete"]),
        (&json!(1), &json!(true))
    );
    assert!(!holds(&world, secret));
    assert!(world.run(&["history"]).ok().contains("sky"));
}

fn holds(world: &World, word: &str) -> bool {
    let mut folders = vec![world.store()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            if bytes
                .windows(word.len())
                .any(|part| part == word.as_bytes())
            {
                return true;
            }
        }
    }
    false
}

#[test]
fn a_task_goes_its_way() {
    let world = World::new();
    let made = world
        .run(&["task", "add", "Fix the login", "--priority", "high"])
        .ok();
    assert!(made.starts_with("pending"), "{made}");
    world
        .run(&["task", "add", "Write docs", "--blocked-by", "Fix the login"])
        .ok();
    let blocked = world.run(&["blocked"]).ok();
    assert!(
        blocked.contains("waits for Fix the login (pending)"),
        "{blocked}"
    );
    world.run(&["task", "start", "fix"]).ok();
    let done = world.run(&["task", "done", "fix the LOGIN"]).ok();
    assert!(done.starts_with("done"), "{done}");
    assert!(!world.run(&["tasks"]).ok().contains("done"));
    assert!(
        world
            .run(&["tasks", "--all"])
            .ok()
            .contains("Fix the login")
    );
    world
        .run(&["task", "block", "write", "--by", "OPS-12"])
        .ok();
    let shown = world.run(&["task", "show", "write", "--json"]).json();
    assert_eq!(shown["status"], "blocked");
    assert!(shown["history"].as_array().unwrap().len() >= 2);
    world.run(&["task", "add", "Write tests"]).ok();
    let several = world.run(&["task", "done", "write"]);
    assert_eq!(several.code, 64);
    for named in ["Write docs (task_", "; Write tests (task_"] {
        assert!(several.err.contains(named), "{several:?}");
    }
    world.run(&["task", "rename", "write t", "Try it"]).ok();
    assert!(
        world
            .run(&["task", "cancel", "try it"])
            .ok()
            .starts_with("cancelled")
    );
}

/// Whoever sees 20 lines must not believe that there are no more.
#[test]
fn a_list_that_is_cut_says_so() {
    let world = World::new();
    for n in 0..3 {
        world.run(&["task", "add", &format!("task {n}")]).ok();
        let note = format!("note {n}: we keep it in Redis.");
        world
            .run(&["remember", &note, "--session", &format!("s{n}")])
            .ok();
        let entry = json!({ "id": "e1", "type": "decision", "title": format!("Redis {n}"),
            "content": note, "quotes": [{ "message_index": 0, "quote": note }] });
        let extraction = json!({ "schema_version": 1, "entries": [entry] });
        world.ingest(&format!("s{n}"), &extraction);
    }
    for list in [
        &["history"][..],
        &["sessions"],
        &["tasks"],
        &["entries"],
        &["entries", "redis"],
    ] {
        for (limit, count, has_more) in [("2", 2, true), ("3", 3, false), ("4", 3, false)] {
            let asked = [list, &["-n", limit]].concat();
            let text = world.run(&asked).ok();
            assert_eq!(
                text.contains("use -n to show"),
                has_more,
                "{asked:?}: {text}"
            );
            let shown = world.run(&[&asked, &["--json"][..]].concat()).json();
            assert_eq!(shown["items"].as_array().unwrap().len(), count, "{asked:?}");
            assert_eq!(shown["has_more"], has_more, "{asked:?}");
        }
    }
}

#[test]
fn settings_say_where_they_come_from() {
    let world = World::new();
    let setting_with = |(variable, value): (&str, &str), arguments: &[&str], name: &str| {
        let mut command = world.command_in("shop", arguments);
        command.env(variable, value);
        let shown = ran(command.output().unwrap()).json();
        let all = shown["settings"].as_array().unwrap().clone();
        let found = all.into_iter().find(|it| it["name"] == name).unwrap();
        (found["value"].clone(), found["source"].clone())
    };
    let elsewhere = ("CLAUDE_CONFIG_DIR", "/elsewhere/claude");
    let setting = |arguments: &[&str], name: &str| setting_with(elsewhere, arguments, name);
    let plain = &["config", "--json"][..];
    let store = world.store();
    assert_eq!(
        setting(plain, "store"),
        (json!(store), json!("environment"))
    );
    let other = &["config", "--json", "--store", "/other"][..];
    assert_eq!(setting(other, "store"), (json!("/other"), json!("call")));
    // The same folder, but said by the caller.
    let same = &["--store", store.to_str().unwrap(), "config", "--json"][..];
    assert_eq!(setting(same, "store").1, "call");
    assert_eq!(setting(plain, "project").1, "working folder");
    let named = &["config", "--json", "--project", "blog"][..];
    assert_eq!(setting(named, "project"), (json!("blog"), json!("call")));
    let claude = (json!("/elsewhere/claude"), json!("environment"));
    assert_eq!(setting(plain, "claude-code"), claude);
    assert_eq!(setting(plain, "codex").1, "default");
    let deadline = |value: &str| {
        let variable = ("RECALLITE_HOOK_DEADLINE_MS", value);
        setting_with(variable, plain, "hook deadline")
    };
    assert_eq!(deadline("1000"), (json!("1000 ms"), json!("environment")));
    assert_eq!(deadline(""), (json!("300 ms"), json!("default")));
    assert_eq!(setting(plain, "endless"), (json!("off"), json!("default")));
    assert!(!world.store().exists());
    world.run(&["remember", "x"]).ok();
    world.run(&["endless", "start"]).ok();
    assert_eq!(setting(plain, "endless"), (json!("on"), json!("store")));
    let lines = world.run(&["config"]).ok();
    assert!(lines.contains("environment: RECALLITE_STORE"), "{lines}");
    let mut command = world.command_in("shop", &["config"]);
    let home = ran(command.env_remove("RECALLITE_STORE").output().unwrap()).ok();
    assert!(
        home.contains("default; set by --store or RECALLITE_STORE"),
        "{home}"
    );
}

#[test]
fn a_settings_file_acts_on_every_command() {
    let world = World::new();
    let file = world.write(
        "settings.json",
        r#"{"storage": {"path": "~/elsewhere"}, "retrieval": {"topK": 3, "maxTokens": 300}}"#,
    );
    let file = file.to_str().unwrap();
    let config = |more: &[&str]| {
        let mut command = world.command_in("shop", &["config", "--json"]);
        command.args(more).env_remove("RECALLITE_STORE");
        ran(command.output().unwrap()).json()
    };
    let find = |shown: &Value, name: &str| {
        let all = shown["settings"].as_array().unwrap().clone();
        let found = all.into_iter().find(|it| it["name"] == name).unwrap();
        (found["value"].clone(), found["source"].clone())
    };
    let shown = config(&["--settings", file]);
    let folder = world.home().join("elsewhere");
    assert_eq!(find(&shown, "store"), (json!(folder), json!("file")));
    assert_eq!(find(&shown, "settings"), (json!(file), json!("call")));
    assert_eq!(find(&shown, "retrieval.topK"), (json!(3), json!("file")));
    assert_eq!(find(&shown, "viewer.port").1, "default");
    assert!(!folder.exists());
    assert_eq!(find(&config(&[]), "retrieval.topK").1, "default");
    let remember = |text: &str| {
        let mut command = world.command_in("shop", &["remember", text]);
        command.env_remove("RECALLITE_STORE");
        ran(command.env("RECALLITE_SETTINGS", file).output().unwrap()).ok();
    };
    remember("We deploy on Fridays.");
    assert!(folder.exists() && !world.store().exists());
    let wrong = world.write("wrong.json", r#"{"retrieval": {"topk": 3}}"#);
    let refused = world.run(&["--settings", wrong.to_str().unwrap(), "stats"]);
    assert_eq!(refused.code, 64);
    assert!(
        refused.err.contains("did you mean retrieval.topK?"),
        "{refused:?}"
    );
}

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

#[test]
fn every_shell_gets_completions() {
    let world = World::new();
    for shell in SHELLS {
        let script = world.run(&["completions", shell]).ok();
        for word in ["search", "conditions", "all-projects", "min-relevance"] {
            assert!(script.contains(word), "{shell} {word}");
        }
    }
    assert_eq!(world.run(&["completions", "csh"]).code, 64);
}

/// What a person sees who presses the tabulator.
#[cfg(unix)]
#[test]
fn bash_completes_commands_and_values() {
    let world = World::new();
    let script = world.write(
        "completions.bash",
        &world.run(&["completions", "bash"]).ok(),
    );
    let complete = |words: &str, last: &str| {
        let ask = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _recallite recallite '{last}' ''; echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        ran(Command::new("bash").args(["-c", &ask]).output().unwrap()).ok()
    };
    assert_eq!(complete("recallite sea", "sea").trim(), "search");
    let hosts = complete("recallite install ''", "");
    assert!(
        hosts.contains("claude-code") && hosts.contains("cursor"),
        "{hosts}"
    );
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let world = World::new();
    let page = world.run(&["man"]).ok();
    for part in [
        ".TH recallite 1",
        "EXIT STATUS",
        "recallite\\-search(1)",
        "RECALLITE_STORE",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for code in ["0", "1", "3", "4", "5", "6", "64", "130", "143"] {
        assert!(page.contains(&format!(".TP\n{code}\n")), "{code}");
    }
    let folder = world.path().join("share/man/man1");
    let said = world.run(&["man", "-o", folder.to_str().unwrap()]).ok();
    let pages = std::fs::read_dir(&folder).unwrap().count();
    assert!(
        said.starts_with(&format!("wrote {pages} pages")),
        "{said} {pages}"
    );
    let task = std::fs::read_to_string(folder.join("recallite-task-add.1")).unwrap();
    assert!(task.contains("priority"), "{task}");
    for page in std::fs::read_dir(&folder).unwrap() {
        let page = std::fs::read_to_string(page.unwrap().path()).unwrap();
        assert_eq!(page.matches("EXIT STATUS").count(), 1, "{page}");
    }
}

#[test]
fn what_is_pinned_is_listed_until_it_is_unpinned() {
    let world = World::new();
    assert!(
        world
            .run(&["remember", "Never push on a Friday."])
            .ok()
            .contains("mem:")
    );
    let citation = world.citation("when may I push?");
    assert_eq!(
        world.run(&["pinned", "--json"]).json(),
        json!({ "items": [] })
    );
    let said = world.run(&["pin", &citation]).ok();
    assert!(said.starts_with("pinned mem:"), "{said}");
    let again = world.run(&["pin", &citation, "--json"]).json();
    assert_eq!(again["items"][0]["changed"], false);
    assert!(
        world
            .run(&["pinned"])
            .ok()
            .contains("Never push on a Friday.")
    );
    let listed = world.run(&["pinned", "--json"]).json();
    assert_eq!(listed["items"][0]["preview"], "Never push on a Friday.");
    let refused = world.run(&["pin", &citation, "mem:zzzzzz"]);
    assert!(refused.err.contains("zzzzzz"));
    assert!(
        world
            .run(&["unpin", &citation])
            .ok()
            .starts_with("unpinned mem:")
    );
    assert!(!world.run(&["pinned"]).ok().contains("Friday"));
}

/// Two decisions, each with its proof.
fn learn_two_decisions(world: &World) {
    let decision = |title: &str, quote: &str| {
        json!({ "id": "e1", "type": "decision", "title": title,
            "content": format!("{title}, by decision."),
            "quotes": [{ "message_index": 0, "quote": quote }] })
    };
    for (session, said, title) in [
        ("s1", "We keep sessions in Redis.", "Sessions live in Redis"),
        (
            "s2",
            "The cache is warmed at start.",
            "The cache is warmed at start",
        ),
    ] {
        world.run(&["remember", said, "--session", session]).ok();
        let extraction = json!({ "schema_version": 1, "entries": [decision(title, said)] });
        let learned = world.ingest(session, &extraction);
        assert!(learned.contains("e1: verified"), "{learned}");
    }
}

/// A conversation may be imported, and learned from, long after it was.
#[test]
fn what_was_learned_is_dated_by_when_it_was_said() {
    let world = World::new();
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../data/sample_transcript.jsonl"
    );
    let project = world.project("shop");
    world
        .run(&["--project", project.to_str().unwrap(), "import", file])
        .ok();
    world.run(&["maintain"]).ok();
    let said = world.run(&["search", "--json", "which cache did we choose?"]);
    let said = said.json()["learned"][0]["proofs"][0]["timestamp"].clone();
    let day = &said.as_str().unwrap()[..10];
    let found = world.run(&["search", "which cache did we choose?"]).ok();
    let listed = world.run(&["entries", "cache"]).ok();
    for text in [&found, &listed] {
        assert!(text.lines().next().unwrap().contains(day), "{text}");
    }
    let proof = found.lines().find(|line| line.contains("evidence mem:"));
    assert!(proof.unwrap().contains(day), "{found}");
}

#[test]
fn what_was_learned_comes_first_with_its_state_and_proof() {
    let world = World::new();
    learn_two_decisions(&world);
    let found = world.run(&["search", "where do sessions live?"]).ok();
    let first: Vec<&str> = found.lines().take(4).collect();
    assert!(first[0].contains("decision  in force"), "{found}");
    assert_eq!(first[1], "    Sessions live in Redis", "{found}");
    assert_eq!(first[2], "    Sessions live in Redis, by decision.");
    assert!(first[3].starts_with("    evidence mem:"), "{found}");
    assert!(first[3].ends_with("We keep sessions in Redis."), "{found}");
    let listed = world.run(&["entries", "sessions"]).ok();
    assert!(listed.contains("  Sessions live in Redis  "), "{listed}");
    let found = world
        .run(&["search", "--json", "where do sessions live?"])
        .json();
    let learned = &found["learned"][0];
    assert_eq!(
        (&learned["kind"], &learned["type"], &learned["state"]),
        (&json!("entry"), &json!("decision"), &json!("in_force")),
        "{found}"
    );
    let proof = &learned["proofs"][0];
    assert_eq!(proof["citation"], learned["citation"], "{found}");
    let shown = world
        .run(&["show", proof["citation"].as_str().unwrap(), "--json"])
        .json();
    let content = shown["items"][0]["content"].as_str().unwrap();
    let (start, end) = (&proof["start"], &proof["end"]);
    let range = start.as_u64().unwrap() as usize..end.as_u64().unwrap() as usize;
    assert_eq!(content.get(range), proof["quote"].as_str());
    // Before anything was learned, nothing was known.
    let before = world.run(&["search", "--as-of", "2020-01-30", "where do sessions live?"]);
    assert!(before.ok().contains("nothing found"));
}

/// What was learned from a message that is forgotten is hidden with it.
#[test]
fn conditions_of_forgotten_tasks_are_not_listed() {
    let world = World::new();
    let session = common::session::Session::of(&world);
    let said = "I must migrate the walrus tables; this waits until the DBA grants walrus access.";
    session.turn(said, "Noted.");
    let learned = json!({ "schema_version": 1, "entries": [], "tasks": [{ "id": "t1",
        "title": "Migrate the walrus tables", "status": "blocked",
        "blocked_by": ["the DBA grants walrus access"],
        "quotes": [{ "message_index": 0, "quote": said }] }] });
    world.ingest("s1", &learned);
    let open = world.run(&["conditions", "open"]).ok();
    assert!(open.contains("walrus"), "{open}");
    world.run(&["forget", "--session", "s1", "--confirm"]).ok();
    let open = world.run(&["conditions", "open"]).ok();
    assert!(!open.contains("walrus"), "{open}");
}

/// The settings say how many, and the call counts more.
#[test]
fn a_search_lists_as_many_as_the_settings_say() {
    let world = World::new();
    world.remember_caches(7);
    let settings = world.write("settings.json", r#"{"retrieval": {"topK": 6}}"#);
    let found = |arguments: &[&str]| {
        let asked = [&["search", "cache of the shop", "--json"], arguments].concat();
        let found = world.run(&asked).json();
        found["items"].as_array().unwrap().len()
    };
    assert_eq!(found(&[]), 5);
    let with = ["--settings", settings.to_str().unwrap()];
    assert_eq!(found(&with), 6);
    assert_eq!(found(&[&with[..], &["-n", "7"]].concat()), 7);
}

#[test]
fn a_condition_becomes_the_task_that_it_means() {
    let world = World::new();
    world.run(&["task", "add", "Repair the nightly job"]).ok();
    for title in ["Release it", "Announce it"] {
        let by = ["--blocked-by", "the night run is green again"];
        world.run(&[&["task", "add", title], &by[..]].concat()).ok();
    }
    let open = world.run(&["conditions", "open", "--json"]).json();
    assert_eq!(open["items"].as_array().unwrap().len(), 1, "{open}");
    assert_eq!(open["items"][0]["waiting"].as_array().unwrap().len(), 2);
    let nothing = world.run(&["conditions", "resolved"]).ok();
    assert!(nothing.contains("no resolved conditions"), "{nothing}");
    let resolve = ["conditions", "resolve", "the NIGHT run", "repair"];
    let resolved = world.run(&resolve).ok();
    assert!(
        resolved.contains("is  Repair the nightly job (pending)"),
        "{resolved}"
    );
    assert_eq!(world.run(&["conditions", "resolved"]).ok(), resolved);
    let blocked = world.run(&["blocked"]).ok();
    assert!(
        blocked.contains("waits for Repair the nightly job (pending)"),
        "{blocked}"
    );
    let open = world.run(&["conditions", "open"]).ok();
    assert!(open.contains("no open conditions"), "{open}");
    for (arguments, code) in [
        (["the night run", "repair"], 3),
        (["", "repair"], 64),
        (["the night run", "no such task"], 3),
    ] {
        let ran = world.run(&[&["conditions", "resolve"], &arguments[..]].concat());
        assert_eq!(ran.code, code, "{ran:?}");
    }
}

#[test]
fn a_condition_may_mean_a_task_that_was_added_later() {
    let world = World::new();
    for task in [
        &["Release it", "--blocked-by", "Repair the nightly job"][..],
        &["repair the nightly job"],
        &["Repair the nightly job of the shop"],
    ] {
        world.run(&[&["task", "add"], task].concat()).ok();
    }
    let open = world.run(&["conditions", "open"]).ok();
    let meant = "    may mean repair the nightly job (pending)  100%\n";
    assert_eq!(open.matches("may mean").count(), 1, "{open}");
    assert!(open.contains(meant), "{open}");
    let open = world.run(&["conditions", "open", "--json"]).json();
    let candidates = &open["items"][0]["candidates"];
    assert_eq!(candidates[0]["title"], "repair the nightly job", "{open}");
}

/// Those of the specification, which no help lists.
#[test]
fn options_and_commands_have_other_names() {
    let world = World::new();
    world.remember_caches(4);
    let question = "where does the cache of the shop live?";
    let found = |more: &[&str]| {
        let arguments = [&["search", question, "--json"], more].concat();
        world.run(&arguments).json()["items"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(found(&["-k", "3"]), 3);
    assert_eq!(found(&["--type", "user_prompt"]), 4);
    assert_eq!(found(&["--type", "insight"]), 0);
    assert_eq!(found(&["--threshold", "1"]), 0);
    let history = world
        .run(&["history", "--type", "response", "--json"])
        .json();
    assert_eq!(history["items"], json!([]), "{history}");
    for (word, mode) in [("enable", "endless"), ("disable", "session")] {
        let said = world.run(&["endless", word, "--json"]).json();
        assert_eq!(said["mode"], mode, "{said}");
    }
    for command in ["search", "endless"] {
        let help = world.run(&[command, "--help"]).ok();
        for name in ["-k", "--type", "--threshold", "enable", "disable"] {
            assert!(!help.contains(&format!(" {name}")), "{name}: {help}");
        }
    }
}

/// One of them carries out the orders of all.
#[test]
fn erasures_at_the_same_time_say_what_they_erased() {
    let world = World::new();
    let line = |n: usize| {
        let session = format!("s{}", n % 4);
        json!({ "role": "user", "session": session, "id": n.to_string(),
            "content": format!("message {n} of many") })
        .to_string()
    };
    let lines: Vec<String> = (0..1_200).map(line).collect();
    let file = world.write("many.jsonl", &lines.join("\n"));
    world
        .run(&["--project", "shop", "import", file.to_str().unwrap()])
        .ok();
    std::thread::scope(|threads| {
        for session in ["s1", "s2", "s3"] {
            let world = &world;
            threads.spawn(move || {
                let ask = ["erase", "--session", session, "--confirm", "--json"];
                let erased = world.run(&[&ask[..], &["--project", "shop"]].concat());
                let told = erased.json();
                assert_eq!(told["count"], 300, "{session}: {erased:?}");
                assert!(told["tombstone"].is_u64(), "{session}: {erased:?}");
            });
        }
    });
    let left = world
        .run(&["sessions", "--json", "--project", "shop"])
        .json();
    assert_eq!(left["items"].as_array().unwrap().len(), 1, "{left}");
}

#[test]
fn the_endless_mode_begins_and_ends_and_loses_nothing() {
    let world = World::new();
    world
        .run(&["remember", "We fix the parser bug first."])
        .ok();
    let status = world.run(&["endless", "status"]).ok();
    assert!(status.contains("recallite endless start"), "{status}");
    let started = world.run(&["endless", "start", "--json"]).json();
    assert_eq!(
        (
            &started["mode"],
            &started["changed"],
            &started["working_set"]
        ),
        (&json!("endless"), &json!(true), &json!(1)),
        "{started}"
    );
    let again = world.run(&["endless", "start"]).ok();
    assert!(again.contains("already on"), "{again}");
    world.run(&["remember", "Then the parser feature."]).ok();
    let context = world.run(&["endless", "context"]).ok();
    assert!(
        context.contains("the parser bug first") && context.contains("parser feature"),
        "{context}"
    );
    let empty = world.run(&["endless", "context", ""]);
    assert_eq!(empty.code, 64, "{empty:?}");
    let made = world.run(&["endless", "consolidate", "--json"]).json();
    assert!(made["memories"].is_array(), "{made}");
    let none = world.run(&["endless", "memories", "xylophone"]).ok();
    assert!(none.contains("no consolidated memories"), "{none}");
    let stopped = world.run(&["endless", "stop"]).ok();
    assert!(stopped.contains("its memories are kept"), "{stopped}");
    let status = world.run(&["endless", "status", "--json"]).json();
    assert_eq!(
        (&status["mode"], &status["working_set"]),
        (&json!("session"), &json!(2)),
        "{status}"
    );
    let settings = world.write("endless.json", r#"{ "mode": "endless" }"#);
    let settings = settings.to_str().unwrap();
    let stopped = world.run(&["--settings", settings, "endless", "stop"]).ok();
    assert!(
        stopped.contains("mode of the settings file switches it back"),
        "{stopped}"
    );
    let started = ["--settings", settings, "endless", "start"];
    let started = world.run(&started).ok();
    assert!(!started.contains("warning"), "{started}");
}

/// Escapes, lone carriage returns, marks that turn the writing direction, and
/// letters that nobody sees.
const HOSTILE: &str = "evil\u{1b}[2J\u{1b}]0;owned\u{7}\rover\u{9b}31m\u{202e}txt\u{e0041}\u{e0101}\u{200b}\u{3164}end";

fn is_harmful(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e0fff}' | '\u{200b}' | '\u{3164}')
}

#[test]
fn stored_text_never_reaches_the_terminal_as_control() {
    let world = World::new();
    let line = json!({ "role": "user", "session": HOSTILE, "actor": HOSTILE, "content": HOSTILE });
    let file = world.write("hostile.jsonl", &format!("{line}\n"));
    world
        .run(&[
            "import",
            "--from",
            "jsonl",
            "--project",
            "shop",
            file.to_str().unwrap(),
        ])
        .ok();
    world
        .run(&[
            "task",
            "add",
            // A title is one line.
            &format!("task {}", HOSTILE.replace(char::is_control, " ")),
            "--project",
            "shop",
        ])
        .ok();
    let found = world
        .run(&["search", "--json", "--project", "shop", "evil"])
        .json();
    let citation = found["items"][0]["citation"].as_str().unwrap().to_owned();
    for command in [
        &["search", "evil"][..],
        &["show", &citation],
        &["timeline", &citation],
        &["history"],
        &["sessions"],
        &["tasks"],
        &["task", "show", "task"],
        &["export"],
        &["export", "--whole"],
        &["export", "--format", "markdown"],
        &["forget", &citation],
    ] {
        for form in [
            &["--color", "always"][..],
            &["--color", "never"],
            &["--json"],
        ] {
            // The whole store has every project.
            let project = match command.contains(&"--whole") {
                true => &[][..],
                false => &["--project", "shop"],
            };
            let ran = world.run(&[command, form, project].concat());
            assert!(
                ran.out.contains("evil") || ran.code == 6,
                "{command:?} {ran:?}"
            );
            let plain = without_colours(&ran.out);
            assert!(
                !plain.contains(is_harmful),
                "{command:?} {form:?}: {:?}",
                ran.out
            );
        }
    }
}

/// The text without our own colours: `ESC [ digits m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('m') {
            Some((digits, rest)) if digits.bytes().all(|b| b.is_ascii_digit() || b == b';') => {
                out.push_str(rest);
            }
            _ => {
                out.push_str("\u{1b}[");
                out.push_str(part);
            }
        }
    }
    out
}

#[test]
fn a_pipe_gets_no_colours_and_may_be_closed() {
    let world = World::new();
    for n in 0..20 {
        let note = format!("note number {n} {}", "word ".repeat(1_000));
        world.run(&["remember", &note, "--session", "s"]).ok();
    }
    assert!(!world.run(&["history"]).ok().contains('\u{1b}'));
    assert!(
        world
            .run(&["history", "--color", "always"])
            .ok()
            .contains('\u{1b}')
    );
    for command in [
        &["export"][..],
        &["export", "--format", "markdown"],
        &["history", "--json"],
    ] {
        let mut child = world.command_in("shop", command).spawn().unwrap();
        let mut few = [0; 8];
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut few).unwrap();
        drop(out);
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{command:?}: {ended:?}");
        assert!(ended.stderr.is_empty(), "{command:?}: {ended:?}");
    }
}

/// Its lines are for `import`, whatever else is asked for.
#[test]
fn an_export_to_standard_output_has_its_lines_also_with_json() {
    let world = World::new();
    world.run(&["remember", "We deploy on Fridays."]).ok();
    // The first line has the time of the export.
    let lines = |arguments: &[&str]| -> Vec<String> {
        let exported = world.run(arguments).ok();
        exported.lines().skip(1).map(str::to_owned).collect()
    };
    assert_eq!(lines(&["export"]).len(), 2);
    assert_eq!(lines(&["export", "--json"]), lines(&["export"]));
}

#[test]
fn an_export_of_nothing_says_where_it_looked() {
    let world = World::new();
    world.run(&["remember", "We deploy on Fridays."]).ok();
    let file = world.store().with_extension("jsonl");
    let told = world
        .run_in("elsewhere", &["export", "-o", file.to_str().unwrap()])
        .ok();
    assert!(told.contains("exported 0 events"), "{told}");
    assert!(told.contains("elsewhere; use --all-projects"), "{told}");
}

#[test]
fn an_error_names_the_argument_as_it_was_typed() {
    let world = World::new();
    world.run(&["remember", "We deploy on Fridays."]).ok();
    let file = world.write("file", "no store");
    let inside = world.store().join("inside");
    let long = "p".repeat(5000);
    for (command, said) in [
        (&["remember", " "][..], "error: <WORDS>...: "),
        (&["search", " "], "error: <WORDS>...: "),
        (&["search", "x", "--limit", "99999999"], "error: --limit: "),
        (&["remember", "x", "--project", &long], "error: --project: "),
        (&["remember", "x", "--session", &long], "error: --session: "),
        (&["pause", "--session", &long], "error: --session: "),
        (
            &["search", "x", "--min-relevance", "7"],
            "error: --min-relevance: ",
        ),
        (&["task", "add", " "], "error: <TITLE>: "),
        (&["show", "99999"], "error: <MEMORIES>...: "),
        (&["pin", "99999"], "error: <MEMORIES>...: "),
        (&["backup", inside.to_str().unwrap()], "error: <PATH>: "),
        (
            &["stats", "--store", file.to_str().unwrap()],
            "error: --store: ",
        ),
    ] {
        let ran = world.run(command);
        assert_eq!(ran.code, 64, "{ran:?}");
        assert!(ran.err.starts_with(said), "{said}: {ran:?}");
    }
}

/// What was learned and the event that proves it do not both fill the list, unless the event says more.
#[test]
fn an_event_that_only_proves_what_is_shown_is_not_listed_again() {
    let world = World::new();
    let told = |session: &str, text: &str| {
        world.write(
            &format!("{session}.jsonl"),
            &format!(
                "{}\n",
                serde_json::json!({
                    "type": "user", "uuid": session, "sessionId": session,
                    "timestamp": "2026-01-05T09:00:00Z", "cwd": world.project("shop"),
                    "message": { "role": "user", "content": text },
                })
            ),
        )
    };
    let alone = told("a", "The staging database runs on port 5433.");
    let longer = told(
        "b",
        "Thanks a lot. We use pnpm for the frontend. Shall we go on?",
    );
    for file in [alone, longer] {
        let file = file.to_str().unwrap();
        world.run(&["import", file, "--from", "claude-code"]).ok();
    }
    world.run(&["maintain"]).ok();
    let lines = |question: &str, text: &str| {
        let found = world.run(&["search", question]).ok();
        found.lines().filter(|line| line.contains(text)).count()
    };
    // The entry and its proof.
    assert_eq!(lines("staging database port", "runs on port 5433"), 2);
    assert_eq!(lines("pnpm frontend", "We use pnpm for the frontend"), 3);
}

#[test]
fn help_may_be_asked_for_twice() {
    let world = World::new();
    let help = world.run(&["--help"]).ok();
    for flag in ["--help", "-h"] {
        let told = world.run(&["help", flag]);
        assert_eq!((told.code, told.err.as_str()), (0, ""));
        assert_eq!(told.out.lines().next(), help.lines().next());
    }
}

/// Commands that change something say in JSON what is so now.
#[test]
fn every_change_is_told_as_json() {
    let world = World::new();
    world.run(&["remember", "We deploy on Fridays."]).ok();
    let citation = world.citation("deploy");
    world.run(&["pin", &citation]).ok();
    let told = |arguments: &[&str]| {
        let ran = world.run(&[arguments, &["--json"]].concat());
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (0, ""),
            "{arguments:?}: {ran:?}"
        );
        ran.json()
    };
    let wait = "the night run is green";
    let made = told(&["task", "add", "Release it", "--blocked-by", wait]);
    assert_eq!(
        (&made["title"], &made["status"]),
        (&json!("Release it"), &json!("blocked"))
    );
    told(&["task", "add", "Repair the nightly job"]);
    let started = told(&["task", "start", "repair"]);
    assert_eq!(started["status"], "in_progress");
    let resolved = told(&["conditions", "resolve", wait, "repair"]);
    assert_eq!(
        resolved["resolved_to"]["entity_id"], started["task_id"],
        "{resolved}"
    );
    let blocked = told(&["task", "block", "repair", "--by", "OPS-12"]);
    assert_eq!(blocked["status"], "blocked");
    assert_eq!(blocked["blockers"][0]["raw_text"], "OPS-12");
    let done = told(&["task", "done", "repair"]);
    assert_eq!(done["status"], "done", "{done}");
    let renamed = told(&["task", "rename", "release", "Release all"]);
    assert_eq!(renamed["title"], "Release all");
    assert_eq!(told(&["task", "cancel", "release"])["status"], "cancelled");
    let unpinned = told(&["unpin", &citation]);
    let unpinned = &unpinned["items"][0];
    assert_eq!(
        (&unpinned["pinned"], &unpinned["changed"]),
        (&json!(false), &json!(true))
    );
    for (command, arguments) in [
        ("pause", &[][..]),
        ("resume", &[]),
        ("pause", &["--session", "s1"]),
        ("resume", &["--session", "s1"]),
    ] {
        let said = told(&[&[command], arguments].concat());
        assert!(said.is_object(), "{said}");
        let paused = told(&["paused"]);
        let count = paused["items"].as_array().unwrap().len();
        assert_eq!(count, usize::from(command == "pause"), "{paused}");
    }
    for command in ["install", "uninstall"] {
        let said = told(&[command, "cursor"]);
        let changed = &said["changed"][0];
        assert!(changed.as_str().unwrap().ends_with("mcp.json"), "{said}");
    }
}

#[test]
fn what_the_memory_does_is_told_on_request() {
    let world = World::new();
    world
        .run(&["remember", "the heron nests in the reeds"])
        .ok();
    assert_eq!(world.run(&["maintain", "--compact"]).err, "");
    let ran = world.run(&["maintain", "--compact", "--verbose", "--json"]);
    assert!(ran.json().is_object());
    assert!(ran.err.contains("info upkeep: compacted: "), "{ran:?}");
    assert!(
        !ran.err.contains("debug ") && !ran.err.contains("heron"),
        "{ran:?}"
    );
    let ran = world.run(&["-vv", "maintain"]);
    assert!(ran.err.contains("debug upkeep: maintain: "), "{ran:?}");
}

#[test]
fn damage_is_told_with_its_exit_code() {
    let world = World::new();
    for n in 0..6 {
        let note = format!("note {n} {}", "filler ".repeat(30));
        world.run(&["remember", &note]).ok();
    }
    let store = std::fs::read_dir(world.store())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "redb"))
        .unwrap();
    let mut bytes = std::fs::read(&store).unwrap();
    for (index, byte) in bytes.iter_mut().enumerate().skip(4096) {
        if index % 64 == 0 {
            *byte ^= 0xff;
        }
    }
    std::fs::write(&store, bytes).unwrap();
    for command in [&["check"][..], &["doctor", "--deep"]] {
        let ran = world.run(command);
        assert_eq!(ran.code, 5, "{command:?}: {ran:?}");
        assert!(!ran.err.contains("--store: "), "{command:?}: {ran:?}");
        assert!(!ran.out.contains("--store: "), "{command:?}: {ran:?}");
        // The store cannot be opened, so it can be neither checked nor rebuilt.
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("restore a backup"), "{command:?}: {ran:?}");
        assert!(!told.contains("recallite check"), "{command:?}: {ran:?}");
        assert!(!told.contains("--rebuild"), "{command:?}: {ran:?}");
    }
}

/// A store with a record of one page; its words are elsewhere in another form.
fn with_a_long_note() -> World {
    let world = World::new();
    let long = "LIGHTHOUSES ".repeat(300);
    let note = format!("{long}\n{long}\nzqpears {long}");
    world.run(&["remember", &note]).ok();
    world.run(&["remember", "another"]).ok();
    world
}

#[test]
fn whoever_has_a_damaged_store_is_told_commands() {
    // The log, and a table that is derived from it.
    for (damaged, remedy) in [
        (&b"zqpears LIGHTHOUSES"[..], "`recallite export`"),
        (b"lighthous", "`recallite maintain --rebuild`"),
    ] {
        let world = with_a_long_note();
        world.damage(damaged);
        for command in [
            &["check"][..],
            &["check", "--json"],
            &["doctor", "--deep"],
            &["doctor", "--deep", "--json"],
        ] {
            let ran = world.run(command);
            assert_eq!(ran.code, 5, "{command:?}: {ran:?}");
            assert!(ran.out.contains(remedy), "{command:?}: {ran:?}");
            assert!(!ran.out.contains("()"), "{command:?}: {ran:?}");
        }
    }
    let world = with_a_long_note();
    world.damage(b"lighthous");
    world.run(&["maintain", "--rebuild"]).ok();
    world.run(&["check"]).ok();
}

/// A pause is no reason to tell of tasks and pins.
#[test]
fn what_an_import_does_not_bring_is_told_with_its_reason() {
    let source = World::new();
    for said in ["The cache lives in Redis.", "The queue lives in NATS."] {
        source.run(&["remember", said]).ok();
    }
    let file = source.path().join("export.jsonl");
    let file = file.to_str().unwrap();
    source.run(&["export", "-o", file]).ok();

    let world = World::new();
    let project = source.project("shop");
    let project = project.to_str().unwrap();
    world.run(&["remember", "Another."]).ok();
    world.run(&["--project", project, "pause"]).ok();
    let said = world.run(&["import", file, "--json"]).json();
    let figures = ["exported", "unwanted", "left_out"].map(|name| &said[name]);
    assert_eq!(figures, [0, 2, 0], "{said}");
    let said = world.run(&["import", file]).ok();
    assert!(said.contains("skipped 2 events, because of"), "{said}");
    assert!(!said.contains("recallite restore"), "{said}");
}

/// Otherwise a transcript on a failing disk is missing, and nobody knows.
#[cfg(target_os = "linux")]
#[test]
fn what_an_import_cannot_read_is_told_and_is_a_failure() {
    let world = World::new();
    let line = |said: &str| json!({"role": "user", "session": said, "content": said}).to_string();
    let below = world.project("shop").join("logs").join("deeper");
    std::fs::create_dir_all(&below).unwrap();
    let unread = format!("{}.jsonl", "x".repeat(100));
    std::fs::write(below.join("read.jsonl"), line("Found.")).unwrap();
    std::fs::write(below.join(&unread), line("Unread.")).unwrap();
    let folder = below.join("y".repeat(100));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("z.jsonl"), line("Unseen.")).unwrap();
    // The system refuses paths of 4,096 bytes and more, to anybody.
    let long = format!("{}logs", "./".repeat(2_000));
    for asked in [&["import", &long][..], &["import", &long, "--json"]] {
        let ran = world.run(asked);
        assert_eq!(ran.code, 1, "{ran:?}");
        match asked.contains(&"--json") {
            true => {
                let failed = ran.json()["failed_files"].clone();
                let mut paths: Vec<&str> = failed
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|file| file["path"].as_str().unwrap())
                    .collect();
                paths.sort_unstable();
                assert_eq!(paths.len(), 2, "{failed}");
                assert!(paths[0].ends_with(&unread), "{failed}");
                assert!(paths[1].ends_with(&"y".repeat(100)), "{failed}");
            }
            false => {
                assert!(ran.out.contains("imported 1 prompt from 1 file"), "{ran:?}");
                assert_eq!(ran.out.matches("failed: ").count(), 2, "{ran:?}");
            }
        }
    }
    // A file that opens and cannot be read, named.
    let ran = world.run(&["import", "/proc/self/mem"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("failed: /proc/self/mem: "), "{ran:?}");
}

#[test]
fn what_is_not_stored_while_recording_is_paused_is_said() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    world.run(&["pause"]).ok();
    let refused = world.run(&["remember", "Not for the record."]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("recallite resume"), "{refused:?}");
    let line = r#"{"role": "user", "session": "s1", "content": "Nor is this."}"#;
    let file = world.write("lines.jsonl", line);
    let file = file.to_str().unwrap();
    let project = world.project("shop");
    let imported = world.run(&["--project", project.to_str().unwrap(), "import", file]);
    let said = imported.ok();
    assert!(
        said.contains("nothing new") && said.contains("skipped 1 event, because of"),
        "{said}"
    );
    world.run(&["resume"]).ok();
    world.run(&["remember", "For the record."]).ok();
    let history = world.run(&["history"]).ok();
    assert!(
        history.contains("For the record") && !history.contains("Not for"),
        "{history}"
    );
}

/// The README's lines on a machine where nothing is yet, one after the other, and a session of the
/// agent behind them. The first one, which installs the command, is run by `cargo xtask test`, and what
/// it installed is in the folder that a variable names.
#[cfg(unix)]
#[test]
#[expect(clippy::print_stdout, reason = "how long each line takes")]
fn the_first_lines_of_the_readme_work_on_a_fresh_machine() {
    let world = World::new();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let blocks: Vec<&str> = readme.split("```sh\n").skip(1).collect();
    let lines = |block: &str| -> Vec<String> {
        let text = block.split("```").next().unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let all: Vec<String> = [lines(blocks[0]), lines(blocks[1])].concat();
    assert!(all[0].starts_with("cargo install"), "{all:?}");
    let bin = match std::env::var_os("RECALLITE_TEST_INSTALLED") {
        Some(installed) => installed.into(),
        None => {
            let bin = world.path().join("bin");
            std::fs::create_dir(&bin).unwrap();
            let built = program();
            std::os::unix::fs::symlink(built, bin.join("recallite")).unwrap();
            bin
        }
    };
    let (mut ran_lines, mut times) = (0, Vec::new());
    let in_shell = |line: &str| {
        let mut command = Command::new("/bin/sh");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        command
            .arg("-c")
            .arg(line)
            .current_dir(world.project("shop"));
        command
            .env_clear()
            .env("HOME", world.home())
            .env("PATH", path);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    for line in all.iter().skip(1) {
        let begun = Instant::now();
        let ran = ran(in_shell(line).output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{line}: {ran:?}");
        times.push(format!("{line}: {:.1} s", begun.elapsed().as_secs_f32()));
        if line.starts_with("recallite search") {
            assert!(ran.out.contains("We deploy on Fridays"), "{ran:?}");
        }
        ran_lines += 1;
    }
    assert!(ran_lines >= 7, "{all:?}");
    let plugin = world.home().join(".claude/skills/recallite");
    for file in [
        ".claude-plugin/plugin.json",
        ".mcp.json",
        "commands/search.md",
        "hooks/hooks.json",
    ] {
        assert!(plugin.join(file).is_file(), "{file}");
    }
    let hooks = std::fs::read_to_string(plugin.join("hooks/hooks.json")).unwrap();
    let hooks: Value = serde_json::from_str(&hooks).unwrap();
    let session = |event: &str, more: (&str, &str)| {
        let hook = &hooks["hooks"][event][0]["hooks"][0];
        let program = hook["command"].as_str().unwrap();
        let whole = |path: &Path| path.canonicalize().unwrap();
        assert_eq!(whole(Path::new(program)), whole(&bin.join("recallite")));
        let mut command = Command::new(program);
        let words = hook["args"].as_array().unwrap().iter();
        command.args(words.map(|word| word.as_str().unwrap()));
        command.current_dir(world.project("shop")).env_clear();
        command.env("HOME", world.home());
        // A machine under load is no trouble of a hook.
        command.env("RECALLITE_HOOK_DEADLINE_MS", "60000");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let input = json!({ "session_id": "s1", "hook_event_name": event,
            "cwd": world.project("shop"), more.0: more.1 });
        with_input(command, input.to_string().as_bytes()).ok()
    };
    session("SessionStart", ("source", "startup"));
    let given = session("UserPromptSubmit", ("prompt", "on which day do we deploy?"));
    assert!(given.contains("We deploy on Fridays"), "{given}");
    session("Stop", ("last_assistant_message", "On Fridays, at noon."));
    let history = ran(in_shell("recallite history").output().unwrap()).ok();
    for said in ["on which day do we deploy?", "On Fridays, at noon."] {
        assert!(history.contains(said), "{history}");
    }
    println!("{}", times.join("\n"));
}

/// What is done must be told, also to a program.
#[cfg(unix)]
#[test]
fn a_path_that_is_no_text_is_told_as_json() {
    use std::os::unix::ffi::OsStrExt as _;

    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let odd = world.path().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir(&odd).unwrap();
    for (arguments, file, field) in [
        (vec!["backup", "--json"], "backup", "path"),
        (vec!["export", "--json", "-o"], "all.jsonl", "path"),
        (vec!["man", "--json", "-o"], "pages", "folder"),
    ] {
        let mut command = world.command_in("shop", &arguments);
        let ran = ran(command.arg(odd.join(file)).output().unwrap());
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        let path = ran.json()[field].as_str().unwrap().to_owned();
        assert!(path.ends_with(&format!("odd\u{fffd}/{file}")), "{path}");
    }
    let mut command = world.command_in("shop", &["stats", "--json"]);
    command.env("RECALLITE_STORE", odd.join("backup"));
    let stats = ran(command.output().unwrap());
    assert!(stats.json()["store"].is_string(), "{stats:?}");
    let mut command = world.command_in("shop", &["install", "cursor", "--json"]);
    command.env("HOME", &odd);
    let installed = ran(command.output().unwrap());
    assert!(installed.json()["changed"][0].is_string(), "{installed:?}");
}

#[cfg(unix)]
#[test]
fn a_search_whose_use_cannot_be_recorded_has_its_answer() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    // Nothing is written beyond the first blocks of a file, as on a full disk.
    let plain = world.command_in("shop", &["search", "cache"]);
    let mut command = common::in_shell("trap '' XFSZ; ulimit -f 4", &plain);
    let ran = ran(command.output().unwrap());
    assert!(ran.code == 0 && ran.out.contains("Redis"), "{ran:?}");
    assert!(ran.err.starts_with("warning: "), "{ran:?}");
}

/// A clock that is some hours slow.
#[derive(Debug)]
struct Slow(i64);

impl Clock for Slow {
    fn now(&self) -> Timestamp {
        let real = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let ms = i64::try_from(real.unwrap().as_millis()).unwrap();
        Timestamp::from_millis(ms - self.0 * 3_600_000).unwrap()
    }
}

#[test]
fn the_doctor_sees_an_embedder_that_fails_and_one_that_nobody_calls() {
    let world = World::new();
    let open = |hours: i64| {
        let broken = CallbackEmbedder::new("broken", 2, |_| Err("it is down".into())).unwrap();
        Memory::builder()
            .clock(Arc::new(Slow(hours)))
            .embedder(Arc::new(broken))
            .open(world.store())
            .unwrap()
    };
    let says = |memory: Memory| {
        memory.close().unwrap();
        let told = world.run(&["doctor"]).ok();
        let line = told.lines().find(|line| line.contains(" embedder "));
        line.unwrap_or_else(|| panic!("{told}")).to_owned()
    };
    let say = |memory: &Memory, text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, "s", text);
        memory.append(event).unwrap();
    };
    let memory = open(0);
    say(&memory, "The lighthouse is white.");
    assert!(says(memory).starts_with("ok "));

    let memory = open(2);
    say(&memory, "The lighthouse is red.");
    let told = says(memory);
    assert!(told.starts_with("warning "), "{told}");
    assert!(told.contains("2 jobs waiting, the oldest since"), "{told}");

    let memory = open(0);
    for number in 0..10 {
        say(&memory, &format!("The boat has number {number}."));
    }
    memory.process_outbox(64).unwrap();
    let told = says(memory);
    assert!(told.starts_with("warning "), "{told}");
    assert!(told.contains("12 jobs failed"), "{told}");
}

#[test]
fn the_doctor_sees_when_searches_do_not_work_and_names_what_helps() {
    let world = World::new();
    let line = |number| {
        let content = format!("note {number} about the lighthouse");
        json!({ "role": "user", "session": "s", "id": number, "content": content }).to_string()
    };
    let lines: Vec<String> = (0..5_000).map(line).collect();
    let file = world.write("notes.jsonl", &lines.join("\n"));
    world.run(&["import", file.to_str().unwrap()]).ok();
    world.run(&["maintain"]).ok();
    let index = world.store().join("index");
    let is_there = std::fs::read_dir(&index).unwrap().count();
    assert!(is_there > 0);
    let search = |world: &World| {
        let doctor = world.run(&["doctor"]);
        let mut lines = doctor
            .out
            .lines()
            .skip_while(|line| !line.contains(" search "));
        let found: Vec<&str> = lines.by_ref().take(2).map(str::trim).collect();
        (doctor.code, found.join("; "))
    };
    assert!(search(&world).1.starts_with("ok "));

    std::fs::remove_dir_all(&index).unwrap();
    let (code, said) = search(&world);
    let is_told = said.starts_with("warning ") && said.ends_with("run `recallite maintain`");
    assert!(code == 0 && is_told, "{said}");
    world.run(&["maintain"]).ok();
    assert!(search(&world).1.starts_with("ok "));

    std::fs::remove_dir_all(&index).unwrap();
    std::fs::write(&index, "no folder").unwrap();
    assert_eq!(world.run(&["search", "lighthouse", "-a"]).code, 1);
    let (code, said) = search(&world);
    let is_told = said.starts_with("bad ") && said.ends_with("`recallite maintain --rebuild`");
    assert!(code == 5 && is_told, "{said}");
    world.run(&["maintain", "--rebuild"]).ok();
    assert!(search(&world).1.starts_with("ok "));
    world.run(&["search", "lighthouse", "-a"]).ok();
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_home_folder_the_options_that_name_a_store_are_told() {
    let world = World::new();
    let mut command = world.command_in("shop", &["search", "cache"]);
    command.env_remove("RECALLITE_STORE").env_remove("HOME");
    let ran = ran(command.output().unwrap());
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.err.contains("--store or RECALLITE_STORE"), "{ran:?}");
}

#[test]
fn a_variable_that_is_empty_names_nothing() {
    let world = World::new();
    let stores = world.home().join("data");
    let run = |arguments: &[&str]| {
        let mut command = world.command_in("shop", arguments);
        command
            .env("RECALLITE_STORE", "")
            .env("RECALLITE_SETTINGS", "");
        command.env("XDG_DATA_HOME", &stores);
        ran(command.output().unwrap())
    };
    run(&["remember", "The cache lives in Redis."]).ok();
    assert!(run(&["search", "cache"]).ok().contains("Redis"));
    assert!(stores.join("recallite").is_dir());
    let empty = run(&["--store", "", "search", "cache"]);
    assert_eq!(empty.code, 64, "{empty:?}");
    assert!(
        empty.err.contains("--store: must not be empty"),
        "{empty:?}"
    );
}

/// A script whose variable is not set must not mean every project, or any session.
#[test]
fn an_option_that_is_empty_selects_nothing() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    for arguments in [
        &["forget", "--project", "", "--everything", "--confirm"][..],
        &["erase", "--project", " ", "--everything", "--confirm"],
        &["search", "--project", "", "cache"],
        &["export", "--session", ""],
        &["forget", "--session", "", "--confirm"],
        &["history", "--tool", ""],
        &["history", "--file="],
        &["entries", "--status", ""],
        &["task", "add", "Ship it", "--blocked-by", ""],
    ] {
        let ran = world.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (64, ""), "{ran:?}");
        assert!(ran.err.contains("must not be empty"), "{ran:?}");
    }
    assert!(world.run(&["search", "cache"]).ok().contains("Redis"));
}

/// Pausing one project only, silently, would record what was to stay private.
#[test]
fn all_projects_are_refused_where_one_is_written_to() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    for arguments in [
        &["pause", "-a"][..],
        &["resume", "-a"],
        &["share", "withhold", "-a"],
        &["share", "offer", "-a"],
        &["remember", "-a", "Tabs."],
        &["task", "add", "-a", "Ship it"],
        &["export", "--whole", "--project", "shop"],
    ] {
        let ran = world.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (64, ""), "{ran:?}");
        assert!(ran.err.contains("project"), "{ran:?}");
    }
    assert!(world.run(&["paused"]).ok().contains("nothing is paused"));
    // A session is one session wherever it takes place.
    for command in [
        &["pause"][..],
        &["resume"],
        &["share", "withhold"],
        &["share", "offer"],
    ] {
        let arguments = [command, &["-a", "--session", "s1"]].concat();
        world.run(&arguments).ok();
    }
}

/// A folder that is gone is not a store that is gone.
#[cfg(unix)]
#[test]
fn the_whole_store_is_reached_from_a_folder_that_was_deleted() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let copy = world.path().join("copy");
    let gone = world.path().join("gone");
    for (arguments, code) in [
        ("stats", 0),
        ("check", 0),
        ("doctor", 0),
        (&format!("backup {}", copy.display()), 0),
        ("search cache", 1),
        ("search -a cache", 1),
    ] {
        std::fs::create_dir(&gone).unwrap();
        let mut command = world.command_in("shop", &[]);
        let program = command.get_program().to_owned();
        let line = format!("rmdir ../gone && exec \"$0\" {arguments}");
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(line).arg(program).current_dir(&gone);
        shell.env_clear();
        for (name, value) in command.get_envs() {
            shell.env(name, value.unwrap());
        }
        let ran = ran(shell.output().unwrap());
        assert_eq!(ran.code, code, "{arguments}: {ran:?}");
        assert!(!ran.out.contains("no store in"), "{ran:?}");
        if code != 0 {
            assert!(ran.err.contains("the working folder"), "{ran:?}");
        }
        command.env_clear();
    }
}

#[test]
fn no_number_and_no_form_is_taken_for_another() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    for command in ["history", "sessions", "tasks", "entries"] {
        let ran = world.run(&[command, "-n", "0"]);
        assert_eq!(ran.code, 64, "{ran:?}");
        assert!(ran.err.contains("at least 1"), "{ran:?}");
    }
    let both = world
        .run(&["export", "--json", "--format", "markdown"])
        .json();
    assert!(both["text"].as_str().unwrap().contains("Redis"), "{both}");
    let file = world.path().join("memory.md");
    let to_file = [
        "export",
        "--json",
        "--format",
        "markdown",
        "-o",
        file.to_str().unwrap(),
    ];
    assert_eq!(world.run(&to_file).json()["events"], 1);
}

/// On a terminal, that is; a pipe gets nothing, as every other test sees.
#[cfg(target_os = "linux")]
#[test]
fn long_work_shows_that_it_goes_on() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let copy = world.path().join("copy");
    let export = world.path().join("all.jsonl");
    let lines: String = (0..4_000)
        .map(|n| format!("{{\"role\": \"user\", \"session\": \"s\", \"content\": \"note {n}\"}}\n"))
        .collect();
    let many = world.write("many.jsonl", &lines);
    let whole = world.path().join("whole.jsonl");
    let export_whole = ["export", "--whole", "-o", whole.to_str().unwrap()];
    world.run(&export_whole).ok();
    let restored = world.path().join("restored");
    let (shared, other) = (world.path().join("shared"), world.path().join("other"));
    std::fs::create_dir(&shared).unwrap();
    let shared = shared.display();
    for (line, sign) in [
        (
            format!("export -a -o {}", export.display()),
            "writing the export",
        ),
        // The bar moves within the only file.
        (format!("import {}", many.display()), "\u{2588}"),
        ("check".to_owned(), "checking the store"),
        ("maintain".to_owned(), "running maintenance"),
        (format!("backup {}", copy.display()), "copying the store"),
        (
            format!("restore {} --store {}", whole.display(), restored.display()),
            "restoring the export",
        ),
        (
            "maintain --compact --rebuild".to_owned(),
            "rebuilding derived data",
        ),
        (format!("share init {shared}"), "pushing new records"),
        (
            format!("share join {shared} --store {}", other.display()),
            "pulling new records",
        ),
        ("share push".to_owned(), "pushing new records"),
        ("share pull".to_owned(), "pulling new records"),
        ("forget -a --session s --confirm".to_owned(), "forgetting"),
        ("erase -a --session s --confirm".to_owned(), "erasing"),
    ] {
        let plain = world.command_in("shop", &[]);
        let line = format!("{} {line}", plain.get_program().display());
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]);
        command.current_dir(plain.get_current_dir().unwrap());
        let variables = plain.get_envs();
        command
            .env_clear()
            .envs(variables.filter_map(|(name, value)| Some((name, value?))));
        command.env("PATH", "/usr/bin:/bin").env("TERM", "xterm");
        let ran = ran(command.stdin(Stdio::null()).output().unwrap());
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.contains(sign), "{ran:?}");
        if line.contains(" import ") {
            // "64.00 KiB/160.00 KiB", at several moments.
            let sizes = ran
                .out
                .split(" KiB/")
                .filter_map(|it| it.rsplit(' ').next());
            let sizes: HashSet<&str> = sizes.collect();
            assert!(sizes.len() > 2, "{ran:?}");
        }
    }
    let piped = world.run(&["check"]);
    assert_eq!((piped.code, piped.err.as_str()), (0, ""), "{piped:?}");
}

/// What is asked for and was not learned is not answered with something else.
#[test]
fn entries_are_found_by_their_words_and_shown_by_their_own_citation() {
    let world = World::new();
    let said = "We decided that the sessions live in Redis, not in Postgres.";
    world.run(&["remember", said, "--session", "s0"]).ok();
    let extraction = json!({ "schema_version": 1,
        "entries": [{ "id": "e1", "type": "decision", "title": "Sessions live in Redis",
            "content": "Sessions live in Redis because lookups were slow.",
            "quotes": [{ "message_index": 0, "quote": "the sessions live in Redis" }] }] });
    world.ingest("s0", &extraction);
    for words in ["zebra", "zzzqq", "quantum physics"] {
        let none = world.run(&["entries", words]).ok();
        assert!(none.starts_with("no learned entries found"), "{none}");
    }
    for words in ["redis", "session lookup"] {
        let found = world.run(&["entries", words]).ok();
        assert!(found.contains("lookups were slow"), "{found}");
    }
    let listed = world.run(&["entries"]).ok();
    let citation = listed.split_whitespace().next().unwrap();
    let shown = world.run(&["show", citation]).ok();
    for part in [
        "lookups were slow",
        "evidence",
        "the sessions live in Redis",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// A command without the option would create or mend another store.
#[test]
fn what_the_doctor_advises_is_about_the_store_that_was_named() {
    let world = World::new();
    let folder = world.path().join("my memory");
    let told = world
        .run(&["--store", folder.to_str().unwrap(), "doctor"])
        .ok();
    let advice = format!("run `recallite --store '{}' import`", folder.display());
    assert!(told.contains(&advice), "{told}");
    let told = world.run(&["doctor"]).ok();
    assert!(told.contains("run `recallite import`"), "{told}");
}

/// The beginning of a title names a task wherever one is named, and a change is told with what it set.
#[test]
fn a_task_is_named_by_its_beginning_as_a_blocker_too() {
    let world = World::new();
    for title in ["Write the notes", "Freeze the translations", "Ship it"] {
        world.run(&["task", "add", title]).ok();
    }
    let block = |task: &str, by: &str| world.run(&["task", "block", task, "--by", by]);
    block("Write", "Freeze the tr").ok();
    let blocked = world.run(&["blocked"]).ok();
    assert!(
        blocked.contains("waits for Freeze the translations (pending)"),
        "{blocked}"
    );
    assert!(world.run(&["conditions", "open"]).ok().starts_with("no "));
    // A circle is noticed.
    assert_ne!(block("Freeze", "Write the").code, 0);
    // What names no task stays a condition.
    block("Ship", "the lawyers agree").ok();
    let shown = world.run(&["task", "show", "Ship"]).ok();
    assert!(shown.contains("task created: pending"), "{shown}");
    assert!(shown.contains(": waits for the lawyers agree"), "{shown}");
}

#[test]
fn relevance_is_told_with_what_it_means() {
    let world = World::new();
    let said = "We decided that the sessions live in Redis, not in Postgres.";
    world.run(&["remember", said, "--session", "s0"]).ok();
    let extraction = json!({ "schema_version": 1,
        "entries": [{ "id": "e1", "type": "decision", "title": "Sessions live in Redis",
            "content": "Sessions live in Redis because lookups were slow.",
            "quotes": [{ "message_index": 0, "quote": "the sessions live in Redis" }] }] });
    world.ingest("s0", &extraction);
    let found = world.run(&["search", "where do sessions live?"]).ok();
    assert!(
        found.contains("covers ") && found.contains("% likely"),
        "{found}"
    );
}

/// A project that is named by a folder is another one when the folder is renamed, which must be seen.
#[test]
fn what_keeps_a_project_from_its_memories_is_told() {
    let world = World::new();
    let old = world.project("invoicer");
    world
        .run_in("invoicer", &["remember", "We chose Prisma."])
        .ok();
    world.run_in("bank", &["remember", "We chose Diesel."]).ok();
    let listed = world.run(&["projects"]).ok();
    assert_eq!(listed.matches("1 session, 1 event").count(), 2, "{listed}");
    assert!(!listed.contains("gone"), "{listed}");
    let new = old.with_file_name("ledgerly");
    std::fs::rename(&old, &new).unwrap();
    let projects = world.run(&["projects", "--json"]).json();
    let gone: Vec<&str> = projects["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|project| project["folder_is_gone"] == true)
        .map(|project| project["name"].as_str().unwrap())
        .collect();
    assert_eq!(gone, [old.to_str().unwrap()]);
    let doctor = world.run_in("ledgerly", &["doctor"]).ok();
    let remedy = format!("recallite --project {} search", old.display());
    assert!(doctor.contains(&remedy), "{doctor}");
    assert!(!world.run_in("bank", &["doctor"]).ok().contains("gone"));
}

#[test]
fn a_name_of_a_repository_that_is_not_used_is_told() {
    let world = World::new();
    let path = std::env::var_os("PATH").unwrap();
    let with_git = |command: &str| {
        let mut command = world.command_in("shop", &[command]);
        ran(command.env("PATH", &path).output().unwrap()).ok()
    };
    let folder = world.project("shop");
    std::fs::remove_dir(folder.join(".git")).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let done = command
            .args(arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "--quiet"]);
    git(&["config", "recallite.project", "/old/shop"]);
    for command in ["config", "doctor"] {
        let said = with_git(command);
        assert!(
            said.contains("recallite.project /old/shop` is ignored"),
            "{said}"
        );
    }
    git(&["config", "recallite.project", "shop"]);
    for command in ["config", "doctor"] {
        assert!(!with_git(command).contains("is ignored"), "{command}");
    }
}

/// What the hooks of a session in a folder with a repository of its own get for a prompt.
fn prompted(world: &World, project: &str, session: &str) -> String {
    let call = json!({ "hook_event_name": "UserPromptSubmit", "session_id": session,
        "cwd": world.project(project), "prompt": "Which ORM did we choose for the invoices?" });
    let command = with_path(world.command_in(project, &["hook"]));
    with_input(command, call.to_string().as_bytes()).ok()
}

/// The command with the search path of the test, so that it finds git.
fn with_path(mut command: Command) -> Command {
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command
}

#[test]
fn a_folder_that_was_moved_keeps_its_project() {
    let world = World::new();
    let old = world.project("invoicer");
    let said = "We chose Prisma as the ORM for the invoices.";
    let run = |project: &str, arguments: &[&str]| {
        ran(with_path(world.command_in(project, arguments))
            .output()
            .unwrap())
    };
    run("invoicer", &["remember", said]).ok();
    run("invoicer", &["task", "add", "Rotate the keys"]).ok();
    let old_name = old.to_str().unwrap();
    let refused = run("shop", &["projects", "moved", old_name]);
    assert_eq!(refused.code, 64, "{refused:?}");
    assert!(refused.err.contains("is still there"), "{refused:?}");
    let new = old.with_file_name("ledgerly");
    std::fs::rename(&old, &new).unwrap();
    let doctor = run("ledgerly", &["doctor"]).ok();
    assert!(
        doctor.contains(&format!("recallite projects moved {old_name}")),
        "{doctor}"
    );
    assert!(!prompted(&world, "ledgerly", "s1").contains("Prisma"));
    let unknown = run("ledgerly", &["projects", "moved", "../unknown"]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
    // The prompt was stored under the name of the new folder.
    let counted = run("ledgerly", &["projects", "moved", "../invoicer"]);
    assert_eq!(counted.code, 6, "{counted:?}");
    assert!(
        counted.out.contains("1 session stored under the name"),
        "{counted:?}"
    );
    assert!(run("ledgerly", &["tasks"]).ok().contains("no open tasks"));
    for _ in 0..2 {
        let moved = run(
            "ledgerly",
            &["projects", "moved", "../invoicer", "--confirm"],
        )
        .ok();
        assert!(
            moved.contains(&format!("keeps the project {old_name}: 1 session")),
            "{moved}"
        );
    }
    assert!(prompted(&world, "ledgerly", "s2").contains("Prisma"));
    assert!(run("ledgerly", &["tasks"]).ok().contains("Rotate the keys"));
    assert!(!run("shop", &["tasks"]).ok().contains("Rotate the keys"));
    // What is new belongs to the same project, which is not gone.
    let listed = run("ledgerly", &["projects"]).ok();
    assert!(
        listed.contains(&format!("its folder is now {}", new.display())),
        "{listed}"
    );
    assert!(!listed.contains("is gone"), "{listed}");
    let stored = run("shop", &["--project", old_name, "sessions", "--json"]).json();
    assert_eq!(stored["items"].as_array().unwrap().len(), 2, "{stored}");
    // It moves on.
    let third = world.path().join("books");
    std::fs::rename(&new, &third).unwrap();
    let third = third.canonicalize().unwrap();
    let arguments = [
        "projects",
        "moved",
        new.to_str().unwrap(),
        third.to_str().unwrap(),
    ];
    run("shop", &arguments).ok();
    let found = run(
        "shop",
        &["--project", third.to_str().unwrap(), "search", "Which ORM?"],
    )
    .ok();
    assert!(found.contains("Prisma"), "{found}");

    // What is made at the first place is another project, also when it moves.
    let again = world.project("invoicer");
    assert_eq!(again, old);
    assert!(!prompted(&world, "invoicer", "s3").contains("Prisma"));
    run("invoicer", &["remember", "The logo is green."]).ok();
    run("invoicer", &["erase", "--everything", "--confirm"]).ok();
    run("invoicer", &["remember", "The logo is blue."]).ok();
    let of_third = |question: &str| {
        let arguments = ["--project", third.to_str().unwrap(), "search", question];
        run("shop", &arguments).ok()
    };
    assert!(of_third("Which ORM?").contains("Prisma"));
    assert!(!of_third("What colour is the logo?").contains("blue"));
    let listed = run("invoicer", &["projects"]).ok();
    let line = listed.lines().find(|line| line.contains("invoicer (2)"));
    assert!(
        line.is_some_and(|line| !line.contains("its folder")),
        "{listed}"
    );
    let fourth = old.with_file_name("fourth");
    std::fs::rename(&old, &fourth).unwrap();
    let moved = run("fourth", &["projects", "moved", "../invoicer"]).ok();
    assert!(moved.contains("(2): 1 session"), "{moved}");
    assert!(!moved.contains(&format!("project {old_name}:")), "{moved}");
    let logo = run("fourth", &["search", "What colour is the logo?"]).ok();
    assert!(logo.contains("blue"), "{logo}");
    assert!(of_third("Which ORM?").contains("Prisma"));
}

/// Whoever made a repository must not choose whose memories it gets.
#[test]
fn a_repository_cannot_say_that_it_was_moved() {
    let world = World::new();
    let bank = world.project("bank");
    world
        .run_in("bank", &["remember", "The vault opens at nine."])
        .ok();
    let shop = world.project("shop");
    let config = format!(
        "[recallite \"{}\"]\n\tproject = {}\n",
        shop.display(),
        bank.display()
    );
    std::fs::write(shop.join(".git/config"), &config).unwrap();
    assert!(
        !world
            .run(&["search", "When does the vault open?"])
            .ok()
            .contains("nine")
    );
    std::fs::write(world.home().join(".gitconfig"), &config).unwrap();
    assert!(
        world
            .run(&["search", "When does the vault open?"])
            .ok()
            .contains("nine")
    );
}

/// A folder of repositories was moved.
#[test]
fn all_projects_of_a_folder_move_with_it() {
    let world = World::new();
    for name in ["a", "b"] {
        world
            .run_in(name, &["remember", &format!("This is {name}.")])
            .ok();
    }
    let (work, src) = (world.path().join("work"), world.path().join("src"));
    std::fs::rename(&work, &src).unwrap();
    let arguments = [
        "projects",
        "moved",
        "--json",
        work.to_str().unwrap(),
        src.to_str().unwrap(),
    ];
    let moved = ran(with_path(world.command_in("shop", &arguments))
        .output()
        .unwrap());
    assert_eq!(
        moved.code, 64,
        "the test's own project is there again: {moved:?}"
    );
    let mut command = with_path(world.command_in("shop", &arguments));
    std::fs::remove_dir_all(&work).unwrap();
    let moved = ran(command.current_dir(world.path()).output().unwrap()).json();
    assert_eq!(moved["items"].as_array().unwrap().len(), 2, "{moved}");
    for name in ["a", "b"] {
        let folder = src.join(name);
        let found = world
            .run(&["--project", folder.to_str().unwrap(), "history"])
            .ok();
        assert!(found.contains(&format!("This is {name}.")), "{found}");
    }
}

#[test]
fn lists_tell_what_things_are() {
    let world = World::new();
    let said = "Yes. And never deploy on Fridays.";
    world.run(&["remember", said]).ok();
    let citation = world.citation("never deploy on Fridays");
    world.run(&["pin", &citation]).ok();
    let pinned = world.run(&["pinned"]).ok();
    assert!(pinned.contains(said), "{pinned}");
    assert!(world.run(&["sessions"]).ok().contains("Yes."));
    let sessions = world.run(&["sessions", "--json"]).json();
    assert!(
        sessions["items"][0]["title"]
            .as_str()
            .unwrap()
            .contains("Yes"),
        "{sessions}"
    );
    world.run(&["pause"]).ok();
    let paused = world.run(&["paused"]).ok();
    assert!(
        paused.as_bytes()[10] == b' ' && paused.contains("  project "),
        "{paused}"
    );
    let wrong = world.run(&["history", "--kind", "foo"]);
    assert!(
        wrong.err.contains("\"user_prompt\", \"agent_response\""),
        "{wrong:?}"
    );
}

#[test]
fn a_note_that_is_all_private_is_refused() {
    let world = World::new();
    world.run(&["remember", "We deploy on Mondays."]).ok();
    let refused = world.run(&["remember", "<private>the door code</private>"]);
    assert_eq!(refused.code, 64, "{refused:?}");
    assert!(refused.err.contains("all of it is private"), "{refused:?}");
    let kept = world
        .run(&["remember", "The code is <private>7</private>."])
        .ok();
    assert!(kept.contains("remembered as"), "{kept}");
    assert_eq!(
        world.run(&["history", "--json"]).json()["items"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[cfg(unix)]
#[test]
fn a_store_that_cannot_be_measured_is_not_said_to_be_empty() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let mut measured = 0;
    for files in 4..24 {
        let plain = world.command_in("shop", &["stats"]);
        let limited = common::in_shell(&format!("ulimit -n {files}"), &plain).output();
        let ran = ran(limited.unwrap());
        assert!(!ran.out.contains("size 0 B"), "{files}: {ran:?}");
        measured += u32::from(ran.out.contains(" KB of "));
    }
    assert!(measured > 0);
}

#[cfg(unix)]
#[test]
fn a_copy_that_cannot_be_written_names_its_place() {
    let world = World::new();
    let words = "The cache lives in Redis. ".repeat(2_000);
    world.run(&["remember", &words]).ok();
    for arguments in [
        &["backup", "copy"][..],
        &["export", "--format", "markdown", "--output", "copy.md"],
        &["export", "--output", "copy.jsonl"],
    ] {
        let plain = world.command_in("shop", arguments);
        let limited = common::in_shell("trap '' XFSZ; ulimit -f 4", &plain).output();
        let ran = ran(limited.unwrap());
        assert!(ran.code != 0 && ran.err.contains("copy"), "{ran:?}");
        let left: Vec<_> = std::fs::read_dir(world.project("shop")).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}
