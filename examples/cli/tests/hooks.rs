//! Whole sessions through the real process, as the hosts drive it, and all the
//! ways in which a hook may go wrong without anybody noticing.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::process::{Command, Stdio};

use common::session::{PATIENT, Session, context, hook, is_in_time, tokens};
use common::{World, ran, with_input};
use recallite::{ContextOptions, EventRef, Memory, Query, Recording, Timestamp};
use serde_json::{Value, json};

/// When the newest session ended; null if it goes on.
fn ended(world: &World) -> Value {
    world.run(&["sessions", "--json"]).json()["items"][0]["ended"].clone()
}

#[test]
fn three_sessions_in_two_projects_remember_their_own() {
    let world = World::new();
    let of = |project, id| Session {
        world: &world,
        project,
        id,
    };
    let (first, other, second) = (of("shop", "s1"), of("blog", "b1"), of("shop", "s2"));
    assert_eq!(first.start("startup"), "");
    assert_eq!(other.start("startup"), "");
    first.turn(
        "The staging server of the shop listens on port 8443.",
        "Noted: port 8443.",
    );
    other.turn(
        "The staging server of the blog listens on port 9000.",
        "Noted: port 9000.",
    );
    first.hook(
        "PostToolUse",
        json!({"tool_name": "Bash", "tool_use_id": "t1",
        "tool_input": {"command": "cargo test"},
        "tool_response": {"stdout": "3 passed", "stderr": "", "interrupted": false}}),
    );
    first.hook("SessionEnd", json!({ "reason": "other" }));

    let start = second.start("startup");
    assert!(start.contains("8443") && !start.contains("9000"), "{start}");
    assert!(tokens(&start) <= 1_500);
    let history = world.run(&["history", "--json"]).json();
    let kinds: Vec<&str> = history["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["tool_observation", "agent_response", "user_prompt"]);
    let sessions = world.run(&["sessions", "--json"]).json();
    assert!(sessions["items"][0]["ended"].is_string(), "{sessions}");
    let found = of("blog", "b2").prompt("which port does the staging server listen on?");
    assert!(found.contains("9000") && !found.contains("8443"), "{found}");
    assert!(tokens(&found) <= 800);
}

#[test]
fn a_session_that_ends_is_summarised_when_the_settings_say_so() {
    let world = World::new();
    let file = world.write("settings.json", r#"{"features": {"sessionSummary": true}}"#);
    let tell = |call: Value, settings: bool| {
        let mut command = world.command_in("shop", &["hook", "--deadline-ms", "20000"]);
        if settings {
            command.env("RECALLITE_SETTINGS", &file);
        }
        let told = with_input(command, call.to_string().as_bytes());
        assert_eq!((told.code, told.err.as_str()), (0, ""));
    };
    let folder = world.project("shop");
    let ends = |session: &str| {
        json!({"hook_event_name": "SessionEnd", "session_id": session, "cwd": folder,
            "reason": "exit"})
    };
    let summaries = || {
        let history = world.run(&["history", "--json"]).json();
        let items = history["items"].as_array().unwrap().clone();
        let texts = items
            .into_iter()
            .filter(|item| item["kind"] == "session_summary");
        texts.map(|item| item.to_string()).collect::<Vec<_>>()
    };
    for session in ["s1", "s2"] {
        let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": session,
            "cwd": folder, "prompt": "Move the staging server to port 8443."});
        tell(prompt, false);
    }
    tell(ends("s1"), false);
    assert_eq!(summaries().len(), 0);
    tell(ends("s2"), true);
    // Told twice, and of a session that said nothing.
    tell(ends("s2"), true);
    tell(ends("s3"), true);
    let summaries = summaries();
    assert_eq!(summaries.len(), 1, "{summaries:?}");
    assert!(summaries[0].contains("staging server"), "{summaries:?}");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s2",
        "cwd": folder, "prompt": "And the test server to port 9000."});
    tell(prompt, false);
    tell(ends("s2"), true);
    // It is not the session's own, so the title stays, and what is forgotten is gone.
    let sessions = world.run(&["sessions", "--json"]).json();
    let mut items = sessions["items"].as_array().unwrap().iter();
    let session = items.find(|item| item["id"] == "s2").unwrap();
    let title = session["title"].as_str().unwrap();
    assert!(title.starts_with("Move the staging server"), "{session}");
    let own = Memory::open(world.store()).unwrap().session("s2").unwrap();
    assert_eq!(own.unwrap().summary, None);
}

#[test]
fn hooks_obey_the_settings() {
    let world = World::new();
    let file = world.write("settings.json", r#"{"features": {"autoSave": false}}"#);
    let call = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s1",
        "cwd": world.project("shop"), "prompt": "The staging server listens on port 8443."});
    let tell = |settings: bool| {
        let mut command = world.command_in("shop", &["hook", "--deadline-ms", "20000"]);
        if settings {
            command.env("RECALLITE_SETTINGS", &file);
        }
        let told = with_input(command, call.to_string().as_bytes());
        assert_eq!((told.code, told.err.as_str()), (0, ""));
    };
    let events = || {
        let history = world.run(&["history", "--json"]).json();
        history["items"].as_array().unwrap().len()
    };
    tell(true);
    assert_eq!(events(), 0);
    world.run(&["pause"]).ok();
    tell(false);
    assert_eq!(events(), 0);
    assert!(world.run(&["paused"]).ok().contains("project "));
    world.run(&["resume"]).ok();
    world.run(&["pause", "--session", "s1"]).ok();
    tell(false);
    assert_eq!(events(), 0);
    assert!(world.run(&["paused"]).ok().contains("session s1"));
    world.run(&["resume", "--session", "s1"]).ok();
    tell(false);
    assert_eq!(events(), 1);
}

/// What a person sets for recall counts wherever memories are recalled.
#[test]
fn hooks_obey_the_settings_of_recall() {
    let prompt = "where does the cache of the shop live?";
    let given = |settings: &str| {
        let world = World::new();
        world.remember_caches(4);
        let file = world.write("settings.json", settings);
        let mut command = world.command_in("shop", &PATIENT);
        command.env("RECALLITE_SETTINGS", file);
        let input = Session::of(&world).input("UserPromptSubmit", json!({ "prompt": prompt }));
        let ran = with_input(command, input.to_string().as_bytes());
        context(ran, "UserPromptSubmit")
            .matches("> The cache")
            .count()
    };
    assert_eq!(given("{}"), 4);
    assert_eq!(given(r#"{"retrieval": {"topK": 2}}"#), 2);
    assert_eq!(given(r#"{"retrieval": {"minScore": 1}}"#), 0);
    assert!(given(r#"{"retrieval": {"maxTokens": 150}}"#) < 4);
}

/// A longer answer becomes a file, of which the agent is shown the beginning: whatever the settings
/// allow, and with a warning about the prompt behind it. `context` looks at the length of each.
#[test]
fn no_settings_make_a_context_longer_than_an_agent_reads() {
    let world = World::new();
    let line = |host: u32| {
        let sentences = (1..=10).map(|line| {
            let port = 1_000 + host * 10 + line;
            format!("Of host{host}, port {port} is for customer {}.", port * 7)
        });
        let sentences: Vec<String> = sentences.collect();
        let said = format!(
            "The cache of the shop lives on host{host}. {}",
            sentences.join(" ")
        );
        json!({ "role": "user", "session": "old", "content": said }).to_string()
    };
    let lines: Vec<String> = (1..=40).map(line).collect();
    let old = world.write("old.jsonl", &lines.join("\n"));
    let project = world.project("shop");
    let project = ["--project", project.to_str().unwrap()];
    world
        .run(&[&["import", old.to_str().unwrap()][..], &project].concat())
        .ok();
    let settings = r#"{"retrieval": {"maxTokens": 100000, "topK": 64, "minScore": 0}}"#;
    let file = world.write("settings.json", settings);
    let mut command = world.command_in("shop", &PATIENT);
    command.env("RECALLITE_SETTINGS", file);
    let prompt = "where does the cache of the shop live? <private>it";
    let input = Session::of(&world).input("UserPromptSubmit", json!({ "prompt": prompt }));
    let ran = with_input(command, input.to_string().as_bytes());
    let given = context(ran, "UserPromptSubmit");
    let length = given.chars().count();
    assert!(length > 6_000, "{length}: {:?}", world.run(&["doctor"]));
    assert!(given.contains("Unclosed private tag"), "{given}");
}

/// A store that every folder would have of its own is none.
#[test]
fn a_store_that_the_settings_name_begins_beside_them() {
    let world = World::new();
    let settings = world.write(
        "etc/settings.json",
        r#"{"storage": {"path": "memory/store"}}"#,
    );
    for project in ["shop", "blog"] {
        let mut command = world.command_in(project, &PATIENT);
        command
            .env_remove("RECALLITE_STORE")
            .env("RECALLITE_SETTINGS", &settings);
        let session = Session {
            world: &world,
            project,
            id: project,
        };
        let input = session.input("UserPromptSubmit", json!({ "prompt": "Where is it kept?" }));
        assert_eq!(with_input(command, input.to_string().as_bytes()).code, 0);
        assert!(!world.project(project).join("memory").exists());
    }
    let memory = Memory::open(world.path().join("etc/memory/store")).unwrap();
    assert_eq!(memory.stats().unwrap().prompts, 2);
}

/// The doctor is asked when something is wrong, so it needs nothing to be right.
#[test]
fn the_doctor_tells_of_wrong_settings_and_who_failed_by_them() {
    let world = World::new();
    let settings = world.write("settings.json", r#"{"nope": 1}"#);
    let with = |arguments: &[&str]| {
        let mut command = world.command_in("shop", arguments);
        command.env("RECALLITE_SETTINGS", &settings);
        command
    };
    let input = Session::of(&world).input("Stop", json!({}));
    let told = with_input(with(&PATIENT), input.to_string().as_bytes());
    assert_eq!((told.code, told.out.as_str()), (0, ""), "{told:?}");
    let doctor = ran(with(&["doctor"]).output().unwrap());
    assert_eq!(doctor.code, 5, "{doctor:?}");
    for says in [
        "bad     settings  ",
        "correct the settings file",
        "settings.json: nope: unknown setting",
        "run `recallite config`",
        "ok      agents",
    ] {
        assert!(doctor.out.contains(says), "{says}: {doctor:?}");
    }
    let found = ran(with(&["doctor", "--json"]).output().unwrap());
    assert!(found.json()["findings"].is_array(), "{found:?}");
}

#[test]
fn a_wrong_deadline_in_the_environment_is_named() {
    let world = World::new();
    let mut command = world.command_in("shop", &["hook"]);
    command.env("RECALLITE_HOOK_DEADLINE_MS", "abc");
    let input = Session::of(&world).input("Stop", json!({}));
    let ran = with_input(command, input.to_string().as_bytes());
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    let doctor = world.run(&["doctor"]).out;
    assert!(
        doctor.contains("RECALLITE_HOOK_DEADLINE_MS: must be"),
        "{doctor}"
    );
    assert!(!doctor.contains("the plugin is newer"), "{doctor}");
}

/// A store that is no folder is named as the person names it, with what to do.
#[test]
fn the_remedy_of_a_failure_is_one_that_helps() {
    let world = World::new();
    std::fs::write(world.store(), "a file").unwrap();
    let input = Session::of(&world).input("Stop", json!({}));
    assert_eq!(hook(&world, &input.to_string()).code, 0);
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains("invalid_argument: --store: "), "{doctor}");
    assert!(
        doctor.contains("correct what the message names"),
        "{doctor}"
    );
    assert!(!doctor.contains("--deep"), "{doctor}");
}

/// One torn line must not make the file grow for ever, nor hide the others.
#[test]
fn a_torn_list_of_failures_is_still_shortened_and_read() {
    let world = World::new();
    let line = r#"{"at":"2026-01-01T00:00:00.000Z","code":"busy","message":"m"}"#;
    let mut lines = b"\xff\xfe torn\n".to_vec();
    while lines.len() < 80 << 10 {
        lines.extend_from_slice(line.as_bytes());
        lines.push(b'\n');
    }
    lines.extend_from_slice(b"\xff torn\n");
    let file = world.write("home/.local/state/recallite/hook-troubles.jsonl", "");
    std::fs::write(&file, &lines).unwrap();
    assert_eq!(hook(&world, "nonsense").code, 0);
    let left = std::fs::read(&file).unwrap();
    assert!(left.len() < 48 << 10, "{}", left.len());
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains("failed 1 time"), "{doctor}");
}

#[test]
fn the_doctor_says_which_store_a_hook_failed_in() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let other = world.path().join("other");
    let file = other.join("memory.1.redb");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(file, "no store").unwrap();
    let input = json!({ "hook_event_name": "UserPromptSubmit", "session_id": "s",
        "prompt": "where does the cache live?" });
    let mut command = world.command_in("shop", &PATIENT);
    command.env("RECALLITE_STORE", &other);
    assert_eq!(with_input(command, input.to_string().as_bytes()).code, 0);
    let of_other = format!("(store {}): corrupt", other.display());
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.contains(&of_other), "{doctor}");
    let own = ["--store", other.to_str().unwrap(), "doctor"];
    let doctor = world.run(&own).out;
    assert!(
        doctor.contains("failed 1 time") && !doctor.contains(&of_other),
        "{doctor}"
    );
}

#[test]
fn a_session_is_never_given_the_same_twice() {
    let world = World::new();
    for note in [
        "The cache lives in Redis.",
        "The cache expires after an hour.",
    ] {
        world.run(&["remember", note]).ok();
    }
    let session = Session::of(&world);
    let first = session.prompt("where does the cache live?");
    assert!(first.contains("Redis"), "{first}");
    // Another session may have it.
    let other = Session {
        id: "s2",
        ..session
    };
    assert!(other.prompt("where does the cache live?").contains("Redis"));
    let second = session.prompt("tell me where the cache lives and when it expires");
    assert!(!second.contains("Redis"), "{second}");
    world
        .run(&["remember", "The cache is shared by all servers."])
        .ok();
    let third = session.prompt("who shares the cache, and where does it live?");
    assert!(
        third.contains("shared by all") && !third.contains("Redis"),
        "{third}"
    );
    // Its own words are in its context already.
    assert!(!third.contains("tell me where"), "{third}");
}

/// Prompts that have nothing to do with a small store share a common word with it.
#[test]
fn a_common_word_alone_gives_a_prompt_nothing() {
    let world = World::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../data");
    for file in ["sample_transcript.jsonl", "sample_transcript_2.jsonl"] {
        let file = format!("{data}/{file}");
        let project = world.project("shop");
        let project = project.to_str().unwrap();
        world.run(&["--project", project, "import", &file]).ok();
    }
    world.run(&["maintain"]).ok();
    let ask = |id: &str, prompt: &str| Session::named(&world, id).prompt(prompt);
    for (id, prompt) in [
        ("a1", "write a haiku about spring"),
        ("a2", "what is 2+2?"),
        ("a3", "please summarise the weather forecast for Paris"),
        ("a4", "open a pull request for me"),
        // Asked again, the question itself is no answer.
        ("a5", "what is 2+2?"),
    ] {
        assert_eq!(ask(id, prompt), "", "{prompt}");
    }
    for (id, prompt, answer) in [
        ("b1", "which cache did we choose?", "process"),
        ("b2", "when may we deploy to production?", "Thursday"),
        ("b3", "어느 캐시를 쓰기로 했지?", "캐시"),
    ] {
        let given = ask(id, prompt);
        assert!(given.contains(answer), "{prompt}: {given}");
    }
}

/// A long answer has several facts, and a session is given them as it asks.
#[test]
fn what_was_not_shown_of_a_memory_is_given_later() {
    let world = World::new();
    let session = Session::of(&world);
    let filling = |what: &str| {
        let line =
            |part| format!("The {what} was reviewed, and nothing else changed in part {part}.");
        (0..30).map(line).collect::<Vec<_>>().join(" ")
    };
    let answer = format!(
        "The walrus database listens on port 5599.\n\n{}\n\nThe badger queue keeps its messages \
         for 14 days.\n\n{}\n\nBUT: do not deploy before Monday.",
        filling("walrus database"),
        filling("badger queue")
    );
    session.turn(
        "Report on the walrus database and the badger queue.",
        &answer,
    );
    let start = Session {
        id: "s3",
        ..session
    }
    .start("startup");
    assert!(start.contains("before Monday"), "{start}");
    let asks = |id, prompt: &str| Session { id, ..session }.prompt(prompt);
    let first = asks("s2", "Which port does the walrus database listen on?");
    assert!(first.contains("5599") && first.contains(" …"), "{first}");
    assert!(!first.contains("14 days"), "{first}");
    let second = asks("s2", "How long does the badger queue keep its messages?");
    assert!(second.contains("14 days"), "{second}");
    // A start has room for the rest of it.
    let start = Session {
        id: "s2",
        ..session
    }
    .start("startup");
    assert!(start.contains("before Monday"), "{start}");
    let found = world.run(&["search", "walrus database port"]).ok();
    assert!(found.contains(" …"), "{found}");
}

#[test]
fn a_pinned_memory_is_given_to_its_end() {
    let world = World::new();
    let rule = |at| format!("{at}. Rule number {at}: the otter comes first in the morning.\n");
    let rules: String = (1..=30).map(rule).collect();
    let note = format!("House rules.\n{rules}LAST RULE: never deploy on Friday.");
    world.run(&["remember", &note]).ok();
    world.run(&["pin", &world.citation("LAST RULE")]).ok();
    let start = Session::of(&world).start("startup");
    assert!(start.contains("never deploy on Friday"), "{start}");
}

/// All notes of a project are in one session, where they are no turns of a conversation.
#[test]
fn a_prompt_is_given_the_note_that_answers_it_and_not_its_neighbours() {
    let world = World::new();
    let notes = [
        "The staging port is 8443.",
        "Invoices are numbered by year.",
        "The billing service cache is Redis.",
        "Deploys happen on Fridays at noon.",
        "Anna owns the iOS release train.",
        "Use tabs in Makefiles.",
        "The logo is drawn in Inkscape.",
        "Backups are kept for ninety days.",
        "The office closes at seven.",
        "Feature flags live in Consul.",
        "Minji reviews every schema change.",
        "Errors are written in English.",
    ];
    for note in notes {
        world.run(&["remember", note]).ok();
    }
    let bullets: String = notes.iter().map(|note| format!("- {note}\n")).collect();
    world.write("work/blog/CLAUDE.md", &bullets);
    let folder = world.project("blog");
    world.run(&["import", folder.to_str().unwrap()]).ok();
    for project in ["shop", "blog"] {
        let session = Session {
            world: &world,
            project,
            id: project,
        };
        let given = session.prompt("Which cache does the billing service use?");
        let found: Vec<&str> = notes
            .into_iter()
            .filter(|note| given.contains(note))
            .collect();
        assert_eq!(found, ["The billing service cache is Redis."], "{given}");
    }
}

/// What stands is told at the start; a prompt that asks for it finds nothing new.
#[test]
fn a_decision_or_task_of_the_start_is_not_given_again() {
    let world = World::new();
    for said in ["세션은 Redis에 두자.", "다음 주에 옮기자."] {
        world.run(&["remember", said, "--session", "s0"]).ok();
    }
    let quote = |index: u64, words: &str| json!([{ "message_index": index, "quote": words }]);
    let extraction = json!({ "schema_version": 1,
        "entries": [{ "id": "e1", "type": "decision", "title": "Sessions live in Redis",
            "content": "Sessions live in Redis.", "quotes": quote(0, "세션은 Redis에 두자") }],
        "tasks": [{ "id": "t1", "title": "Move the sessions to Redis",
            "quotes": quote(1, "다음 주에 옮기자") }] });
    world.ingest("s0", &extraction);
    world.run(&["task", "add", "Renew the certificate"]).ok();
    let session = Session::of(&world);
    let told = [
        ("where do sessions live?", "Sessions live in Redis"),
        (
            "do we move the sessions to redis?",
            "Move the sessions to Redis",
        ),
        ("renew the certificate?", "Renew the certificate"),
    ];
    let start = session.start("startup");
    for (question, said) in told {
        assert!(start.contains(said), "{start}");
        let given = session.prompt(question);
        assert!(!given.contains(said), "{given}");
    }
    // Other sessions were told nothing at a start, and one that was compacted is told again.
    for (id, (question, said)) in ["s2", "s3", "s4"].into_iter().zip(told) {
        let given = Session { id, ..session }.prompt(question);
        assert!(given.contains(said), "{question}: {given}");
    }
    let compacted = session.start("compact");
    for (question, said) in told {
        assert!(compacted.contains(said), "{compacted}");
        let given = session.prompt(question);
        assert!(!given.contains(said), "{given}");
    }
    world.run(&["task", "start", "Renew"]).ok();
    let news = session.prompt("what about the certificate to renew?");
    assert!(
        news.contains("in progress: Renew the certificate"),
        "{news}"
    );
}

/// A greeting is no work, and thanks are not how it ended.
#[test]
fn small_talk_is_not_how_the_last_conversation_ended() {
    let world = World::new();
    let of = |id| Session::named(&world, id);
    let work = of("s1");
    work.turn(
        "Move the otter service to port 9000.",
        "It listens on 9000.",
    );
    work.turn("thanks, that's it for today", "See you tomorrow!");
    of("s2").turn("hi", "Hello! How can I help you today?");
    let start = of("s3").start("startup");
    assert!(
        start.contains("otter service") && start.contains("listens on 9000"),
        "{start}"
    );
    for said in ["thanks", "See you", "hi\n", "Hello"] {
        assert!(!start.contains(said), "{start}");
    }
}

/// The events that contain the word "open" are about other things.
#[test]
fn a_question_for_open_tasks_is_given_the_tasks_alone() {
    let world = World::new();
    let session = Session::of(&world);
    session.turn(
        "the otter test fails",
        "libnss3.so: cannot open shared object file, in the still image of the container.",
    );
    world.run(&["task", "add", "Renew the certificate"]).ok();
    let other = Session {
        id: "s2",
        ..session
    };
    let given = other.prompt("what is still open here?");
    assert!(given.contains("Renew the certificate"), "{given}");
    assert!(!given.contains("libnss3"), "{given}");
}

/// Rules of work are told before the work, and with the order that they are about.
#[test]
fn preferences_and_constraints_are_told_at_the_start_or_with_a_fitting_prompt() {
    let world = World::new();
    let rules = [
        ("preference", "I prefer small commits, one per fix."),
        (
            "constraint",
            "Heights are stored in millimetres, never as floats.",
        ),
    ];
    for (kind, rule) in rules {
        world.run(&["remember", rule, "--session", kind]).ok();
        let extraction = json!({ "schema_version": 1,
            "entries": [{ "id": "e1", "type": kind, "title": rule, "content": rule,
                "quotes": [{ "message_index": 0, "quote": rule }] }] });
        world.ingest(kind, &extraction);
    }
    let session = Session::of(&world);
    let start = session.start("startup");
    for (kind, rule) in rules {
        assert!(start.contains(&format!("{kind}: {rule}")), "{start}");
    }
    assert_eq!(session.prompt("commit this"), "");
    let other = Session {
        id: "s2",
        ..session
    };
    let given = other.prompt("commit this");
    assert!(
        given.contains("Preference, in force: I prefer small"),
        "{given}"
    );
    assert!(!given.contains("millimetres"), "{given}");
}

/// A thousand rules leave room for what is open.
#[test]
fn preferences_take_a_part_of_a_start() {
    let world = World::new();
    for at in 0..6 {
        let rule = format!(
            "I prefer the long way number {at}, {}",
            "and on ".repeat(30)
        );
        let session = format!("r{at}");
        world.run(&["remember", &rule, "--session", &session]).ok();
        let quotes = json!([{ "message_index": 0, "quote": rule }]);
        let extraction = json!({ "schema_version": 1, "entries": [{ "id": "e1",
            "type": "preference", "title": rule, "content": rule, "quotes": quotes }] });
        world.ingest(&session, &extraction);
    }
    for at in 0..3 {
        let title = format!("Paint the fence {at}");
        world.run(&["task", "add", &title]).ok();
    }
    let start = Session::of(&world).start("startup");
    assert!(
        start.contains("preference: I prefer the long way"),
        "{start}"
    );
    assert_eq!(start.matches("task: Paint the fence").count(), 3, "{start}");
    assert!(start.contains("and on and…\n"), "{start}");
}

/// What is left in the memory is not more relevant because a session knows the answer already.
#[test]
fn once_the_answer_is_known_a_prompt_is_given_no_junk() {
    let world = World::new();
    let of = |id| Session::named(&world, id);
    for (id, prompt, answer) in [
        (
            "s1",
            "Rate limiting and the job queue need a Redis. License trouble, so Valkey?",
            "Valkey 8 is a drop-in replacement; ioredis works unchanged.",
        ),
        (
            "s1",
            "Let's go with Valkey 8 for the queue. Port 6380, 6379 is taken here too.",
            "Valkey 8 runs on port 6380; BullMQ uses it through ioredis.",
        ),
        (
            "s1",
            "who owns the fly account btw? I always forget",
            "I can't see that from here.",
        ),
        (
            "s2",
            "add the rate limit to the login endpoint now, 5 attempts per 15 minutes per ip",
            "I've added rate limiting to the login endpoint, stored in Valkey.",
        ),
        (
            "s3",
            "ok use the ECB rates and cache them in the database for a day",
            "Rates are fetched once a day into the table `fx_rates`.",
        ),
    ] {
        of(id).turn(prompt, answer);
    }
    let session = of("s4");
    let first = session.turn("What port does valkey listen on?", "Let me look.");
    assert!(first.contains("6380"), "{first}");
    for prompt in [
        "so valkey is on which port?",
        "Tell me the port that valkey listens on",
        "no, the other one",
    ] {
        assert_eq!(session.prompt(prompt), "", "{prompt}");
    }
}

/// A start names a decision by its title only: what stands behind it is new to the session.
#[test]
fn what_a_title_of_the_start_left_out_is_given_to_the_prompt_that_asks() {
    let world = World::new();
    let said = "The walrus proxy answers on port 7443 from now on, because every lower port is \
                taken by the otter cluster, and Minji asked us to leave those alone.";
    world.run(&["remember", said, "--session", "s0"]).ok();
    let content = "The walrus proxy answers on port 7443: the otter cluster has the lower ports.";
    let extraction = json!({ "schema_version": 1,
        "entries": [{ "id": "e1", "type": "decision", "title": "Port of the walrus proxy",
            "content": content,
            "quotes": [{ "message_index": 0, "quote": "answers on port 7443 from now on" }] }] });
    world.ingest("s0", &extraction);
    let session = Session::of(&world);
    let start = session.start("startup");
    assert!(start.contains("Port of the walrus proxy"), "{start}");
    assert!(!start.contains("7443"), "{start}");
    let given = session.prompt("which port does the walrus proxy answer on?");
    assert!(given.contains("7443"), "{given}");
    let again = session.prompt("tell me the port of the walrus proxy");
    assert!(!again.contains("7443"), "{again}");
}

#[test]
fn a_resumed_session_knows_itself_and_a_compacted_one_is_reminded() {
    let world = World::new();
    let session = Session::of(&world);
    session.turn(
        "We name branches after tickets.",
        "Branches are named after tickets.",
    );
    world.run(&["task", "add", "Rename the branches"]).ok();
    assert_eq!(session.start("resume"), "");
    let compacted = session.start("compact");
    assert!(compacted.contains("after tickets"), "{compacted}");
    assert!(
        compacted.contains("task: Rename the branches"),
        "{compacted}"
    );
    assert_eq!(session.hook("PreCompact", json!({"trigger": "auto"})), "");
    // What it said before was compacted away, so that it may be found again, once
    // more than it was given at the compaction.
    let again = session.prompt("how do we name branches?");
    assert!(
        !again.contains("We name branches after tickets."),
        "{again}"
    );
}

#[test]
fn a_fork_has_the_conversation_that_it_copies() {
    let world = World::new();
    let session = Session::of(&world);
    session.turn(
        "We name branches after tickets.",
        "Branches are named after tickets.",
    );
    world.run(&["task", "add", "Rename the branches"]).ok();
    let fork = Session {
        id: "s2",
        ..session
    };
    let given = fork.start("fork");
    assert!(given.contains("task: Rename the branches"), "{given}");
    assert!(!given.contains("after tickets"), "{given}");
}

#[test]
fn a_compaction_in_another_repository_is_one_of_the_session() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let session = Session::of(&world);
    let ask = || session.prompt("where does the cache live?");
    assert!(ask().contains("Redis"));
    let elsewhere = Session {
        project: "blog",
        ..session
    };
    let compacted = elsewhere.start("compact");
    assert!(
        compacted.contains("where does the cache live?"),
        "{compacted}"
    );
    let again = ask();
    assert!(again.contains("Redis"), "{again}");
}

#[test]
fn notes_do_not_hide_how_the_last_conversation_ended() {
    let world = World::new();
    let session = Session::of(&world);
    session.turn(
        "Move the otter service to port 9000.",
        "It listens on port 9000 now.",
    );
    for note in ["Buy otter food.", "The otters are fed at nine."] {
        world.run(&["remember", note]).ok();
    }
    let file = world.write("work/shop/CLAUDE.md", "- Use tabs.\n- Write tests.\n");
    world.run(&["import", file.to_str().unwrap()]).ok();
    let given = Session {
        id: "s2",
        ..session
    }
    .start("startup");
    assert!(given.contains("9000 now"), "{given}");
    for note in ["otter food", "Use tabs"] {
        assert!(!given.contains(note), "{given}");
    }
}

#[test]
fn a_conversation_that_was_resumed_elsewhere_is_the_last_one_there() {
    let world = World::new();
    let session = Session::of(&world);
    session.turn("The shop's mascot is an otter.", "An otter it is.");
    let of = |id, project| Session {
        id,
        project,
        ..Session::of(&world)
    };
    let moved = of("s1", "blog");
    moved.start("resume");
    moved.turn("The blog's mascot is a heron.", "A heron it is.");
    let at_blog = of("s2", "blog").start("startup");
    assert!(at_blog.contains("heron"), "{at_blog}");
    assert!(!at_blog.contains("otter"), "{at_blog}");
    let at_shop = of("s3", "shop").start("startup");
    assert!(at_shop.contains("otter"), "{at_shop}");
    assert!(!at_shop.contains("heron"), "{at_shop}");
    of("s4", "blog").turn("The blog's colour is teal.", "Teal it is.");
    let later = of("s5", "blog").start("startup");
    assert!(later.contains("teal"), "{later}");
    assert!(!later.contains("heron"), "{later}");
}

#[test]
fn a_compaction_is_known_however_much_was_given_since() {
    let world = World::new();
    for note in ["The cache lives in Redis.", "Deploys are on Fridays."] {
        world.run(&["remember", note]).ok();
    }
    let session = Session::of(&world);
    assert!(
        session
            .prompt("where does the cache live?")
            .contains("Redis")
    );
    session.start("compact");
    let other = world.citation("when are deploys?");
    let memory = Memory::open(world.store()).unwrap();
    for _ in 0..210 {
        let nothing = Query::new("more").until(Timestamp::MIN);
        let options = ContextOptions::new(nothing)
            .pinned([other.parse::<EventRef>().unwrap()])
            .session("s1")
            .recording(Recording::Now);
        assert!(!memory.context(options).unwrap().is_empty());
    }
    memory.close().unwrap();
    let again = session.prompt("where does the cache live?");
    assert!(again.contains("Redis"), "{again}");
}

/// The agent may stand in a submodule of the repository in which it was started.
#[test]
fn a_session_of_claude_code_stays_in_the_project_in_which_it_began() {
    let world = World::new();
    let project = world.project("shop");
    let inner = world.project("shop/vendor/lib");
    let session = Session::of(&world);
    let prompt = |text: &str, folder: &str| {
        let mut command = world.command_in("shop", &PATIENT);
        command.env("CLAUDE_PROJECT_DIR", folder);
        let input = session.input("UserPromptSubmit", json!({ "cwd": inner, "prompt": text }));
        let ran = with_input(command, input.to_string().as_bytes());
        context(ran, "UserPromptSubmit")
    };
    let project = project.to_str().unwrap();
    prompt("We take Redis.", project);
    world.run(&["pause"]).ok();
    prompt("We take Memcached.", project);
    world.run(&["resume"]).ok();
    let history = world.run(&["history"]).ok();
    assert!(history.contains("We take Redis."), "{history}");
    // What is no folder does not count.
    prompt("We take redb.", "/nowhere");
    prompt("We take sled.", ".");
    let inside = world.run_in("shop/vendor/lib", &["history"]).ok();
    assert!(
        inside.contains("We take redb.") && inside.contains("We take sled."),
        "{inside}"
    );
    let all = world.run(&["history", "-a"]).ok();
    assert!(!all.contains("Memcached"), "{all}");

    let line = |uuid: &str, cwd: &std::path::Path, text: &str| {
        json!({"type": "user", "sessionId": "s1", "uuid": uuid, "cwd": cwd,
            "timestamp": "2026-01-30T14:05:00Z", "message": {"role": "user", "content": text}})
    };
    let lines = [
        line("u1", project.as_ref(), "Where are we?"),
        line("u2", &inner, "And now?"),
    ];
    assert_eq!(imported(&world, "p/s1.jsonl", &lines), (2, 0, 0));
    let history = world.run(&["history"]).ok();
    assert!(history.contains("And now?"), "{history}");
}

/// A copy of a memory in a tool's output would be found in its place, and outlive it.
#[test]
fn what_an_agent_reads_from_the_memory_is_not_stored_again() {
    let world = World::new();
    let session = Session::of(&world);
    session.prompt("The patient has a quetzalcoatl allergy.");
    let citation = world.citation("which allergy has the patient?");
    let command = "cd /tmp && recallite search 'patient allergy'";
    let output = "100 % The patient has a quetzalcoatl allergy.";
    session.hook(
        "PostToolUse",
        json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": command},
            "tool_response": {"stdout": output, "stderr": ""}}),
    );
    let cwd = world.project("shop");
    let line = |kind: &str, uuid: &str, content: Value| {
        json!({"type": kind, "sessionId": "s1", "uuid": uuid, "cwd": cwd,
            "timestamp": "2026-01-30T14:05:00Z", "message": {"role": kind, "content": content}})
    };
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Bash",
        "input": {"command": command}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": output}]);
    let lines = [line("assistant", "u1", call), line("user", "u2", result)];
    assert_eq!(imported(&world, "p/s1.jsonl", &lines), (0, 0, 0));
    // What asks to forget it would stay, too.
    for command in ["forget", "search"] {
        let asked = format!("/recallite:{command} everything about the quetzalcoatl allergy");
        assert_eq!(session.prompt(&asked), "");
        let said = format!(
            "<command-message>{command}</command-message>\n<command-name>/recallite:{command}\
             </command-name>\n<command-args>the quetzalcoatl allergy</command-args>"
        );
        let text = format!(
            "The command /recallite:{command} of the memory.\n\nWhat: the quetzalcoatl allergy"
        );
        let mut expanded = line("user", "u4", json!([{ "type": "text", "text": text }]));
        expanded["isMeta"] = json!(true);
        let lines = [line("user", "u3", json!(said)), expanded];
        assert_eq!(imported(&world, "p/s1.jsonl", &lines), (0, 0, 0));
    }
    let codex = [
        json!({"timestamp": "2026-02-01T09:00:00Z", "type": "session_meta",
            "payload": {"id": "x1", "cwd": cwd}}),
        json!({"timestamp": "2026-02-01T09:00:00Z", "type": "response_item",
            "payload": {"type": "function_call", "name": "shell", "call_id": "k1",
                "arguments": json!({"command": ["bash", "-lc", command]}).to_string()}}),
        json!({"timestamp": "2026-02-01T09:00:00Z", "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "k1", "output": output}}),
    ];
    assert_eq!(imported(&world, "x/rollout-x1.jsonl", &codex), (0, 0, 0));
    assert_eq!(world.run(&["stats", "--json"]).json()["tools"], 0);
    world.run(&["erase", &citation, "--confirm"]).ok();
    let left = world.run(&["search", "quetzalcoatl"]);
    assert!(!left.out.contains("quetzalcoatl"), "{left:?}");
    assert_eq!(
        world.run(&["history", "-a", "--json"]).json()["items"],
        json!([])
    );
}

#[test]
fn a_session_begins_with_what_was_asked_and_what_came_of_it() {
    let world = World::new();
    let old = Session::of(&world);
    for (prompt, answers) in [
        ("Which cache do we take?", vec!["We take Redis."]),
        (
            "Move the sessions there.",
            vec![
                "Let me look at the tests first.",
                "309 tests pass, now the migration.",
                "The sessions are in Redis now.",
            ],
        ),
        ("[Request interrupted by user]", vec![]),
    ] {
        old.prompt(prompt);
        answers.iter().for_each(|answer| old.answer(answer));
    }
    let given = Session { id: "s2", ..old }.start("startup");
    let at = |text: &str| {
        given
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {given}"))
    };
    assert!(at("Which cache") < at("We take Redis"));
    assert!(at("Move the sessions") < at("are in Redis now"));
    for left_out in ["Let me look", "309 tests", "interrupted"] {
        assert!(!given.contains(left_out), "{given}");
    }
}

#[test]
fn nothing_good_enough_gives_nothing() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let session = Session::of(&world);
    for prompt in [
        "xylophone quark",
        "/compact",
        "<system-reminder>cache</system-reminder>",
        " ",
    ] {
        assert_eq!(session.prompt(prompt), "", "{prompt}");
    }
    // Neither commands nor notices of the program are a memory.
    let history = world.run(&["history"]).ok();
    assert!(
        history.contains("xylophone") && !history.contains("compact"),
        "{history}"
    );
    assert!(!history.contains("reminder"), "{history}");
}

#[test]
fn every_host_is_served_in_its_own_words() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let cwd = world.project("shop");
    let codex = json!({"session_id": "x1", "turn_id": "t", "transcript_path": null, "cwd": cwd,
        "hook_event_name": "UserPromptSubmit", "model": "m", "permission_mode": "default",
        "prompt": "where does the cache live?"});
    assert!(context(hook(&world, &codex.to_string()), "UserPromptSubmit").contains("Redis"));
    let gemini = json!({"session_id": "g1", "transcript_path": "", "cwd": cwd,
        "hook_event_name": "BeforeAgent", "timestamp": "2026-08-01T10:00:00Z",
        "prompt": "where does the cache live?"});
    assert!(context(hook(&world, &gemini.to_string()), "BeforeAgent").contains("Redis"));
    let answered = json!({"session_id": "g1", "cwd": cwd, "hook_event_name": "AfterAgent",
        "prompt": "where?", "prompt_response": "In Redis.", "stop_hook_active": false});
    assert_eq!(context(hook(&world, &answered.to_string()), ""), "");
    let tool = json!({"session_id": "g1", "cwd": cwd, "hook_event_name": "AfterTool",
        "tool_name": "run_shell_command", "tool_input": {"command": "ls"},
        "tool_response": {"llmContent": "a.rs", "returnDisplay": "a.rs"}});
    assert_eq!(context(hook(&world, &tool.to_string()), ""), "");
    let stats = world.run(&["stats", "--json"]).json();
    assert_eq!(
        (&stats["prompts"], &stats["responses"], &stats["tools"]),
        (&json!(3), &json!(1), &json!(1))
    );
    // Gemini CLI says that it compresses a conversation, but not when that continues.
    let again = || context(hook(&world, &gemini.to_string()), "BeforeAgent");
    assert!(!again().contains("Redis"));
    let compress = json!({"session_id": "g1", "cwd": cwd, "hook_event_name": "PreCompress",
        "trigger": "auto"});
    assert_eq!(context(hook(&world, &compress.to_string()), ""), "");
    let given = again();
    assert!(given.contains("Redis"), "{given}");
}

/// Who uses only VS Code has no answers, and an agent that was stopped has given none.
#[test]
fn a_session_begins_with_a_conversation_that_has_no_answers() {
    let world = World::new();
    let tell = |id: &str, event: &str, more: Value| {
        let mut input = json!({"session_id": id, "hook_event_name": event, "model": "m",
            "cwd": world.project("shop"), "timestamp": "2026-08-01T10:00:00Z"});
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        context(hook(&world, &input.to_string()), event)
    };
    tell(
        "v1",
        "UserPromptSubmit",
        json!({"prompt": "Move the cache to Valkey."}),
    );
    // Another window has only begun.
    assert_eq!(tell("v2", "SessionStart", json!({"source": "new"})), "");
    let call = json!({"tool_name": "run_in_terminal", "tool_use_id": "t1",
        "tool_input": {"command": "ls"}, "tool_response": "a"});
    tell("v1", "PostToolUse", call);
    let start = tell("v3", "SessionStart", json!({"source": "new"}));
    assert!(start.contains("Move the cache to Valkey"), "{start}");
}

/// The fields that its source sends are those of Claude Code and a time; only its documents have
/// others. What a terminal of Claude Code left in the environment is not about it.
#[test]
fn vscode_is_known_in_the_form_that_it_sends() {
    let world = World::new();
    world
        .run_in("blog", &["remember", "The cache of the blog is Redis."])
        .ok();
    world
        .run(&["remember", "The cache of the shop is Valkey."])
        .ok();
    let mut command = world.command_in("blog", &PATIENT);
    command.env("CLAUDE_PROJECT_DIR", world.project("shop"));
    let input = json!({"session_id": "v2", "hook_event_name": "UserPromptSubmit", "model": "m",
        "timestamp": "2026-08-01T10:00:00.000Z", "cwd": world.project("blog"),
        "prompt": "what is the cache?"});
    let ran = with_input(command, input.to_string().as_bytes());
    let given = context(ran, "UserPromptSubmit");
    assert!(
        given.contains("Redis") && !given.contains("Valkey"),
        "{given}"
    );
    let history = world
        .run_in("blog", &["history", "--session", "v2", "--json"])
        .json();
    let host = &history["items"][0]["metadata"]["hook"]["host"];
    assert_eq!(host, "vscode", "{history}");
}

/// It reads the hooks file of VS Code, too, and calls the result of a tool by other names.
#[test]
fn copilot_cli_is_served_in_its_own_words() {
    let world = World::new();
    world.run(&["task", "add", "Move the cache to Valkey"]).ok();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let tell = |event: &str, more: Value| {
        let mut input = json!({"session_id": "c1", "hook_event_name": event,
            "cwd": world.project("shop"), "timestamp": "2026-08-01T10:00:00.000Z"});
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        let ran = hook(&world, &input.to_string());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
        ran.out
    };
    // The folder in which it keeps the session, by which its prompts are known.
    world.write("home/.copilot/session-state/c1/events.jsonl", "");
    let start = tell("SessionStart", json!({"source": "startup"}));
    let start: Value = serde_json::from_str(&start).unwrap();
    let given = start["additionalContext"].as_str().unwrap();
    assert!(given.contains("Valkey"), "{start}");
    let prompt = json!({"prompt": "where does the cache live?"});
    assert_eq!(tell("UserPromptSubmit", prompt), "");
    // Older versions keep a file.
    world.write("home/.copilot/session-state/c2.jsonl", "");
    let prompt = json!({"prompt": "where does the cache live?", "session_id": "c2"});
    assert_eq!(tell("UserPromptSubmit", prompt), "");
    let call = |kind: &str, text: &str| {
        json!({"tool_name": "bash", "tool_input": {"command": "redis-cli ping"},
            "tool_result": {"result_type": kind, "text_result_for_llm": text}})
    };
    assert_eq!(tell("PostToolUse", call("success", "PONG from it")), "");
    assert_eq!(tell("PostToolUse", call("failure", "no answer")), "");
    let history = world.run(&["history", "--session", "c1", "--json"]).json();
    let calls = history["items"].as_array().unwrap();
    let (failed, good) = (&calls[0], &calls[1]);
    assert!(
        good["content"].as_str().unwrap().contains("PONG from it"),
        "{history}"
    );
    assert_eq!(failed["tool"]["error"], "failure", "{history}");
    assert_eq!(
        failed["metadata"]["hook"]["host"], "copilot-cli",
        "{history}"
    );
    assert_eq!(calls.len(), 3, "{history}");
}

/// A caller of its own says only what happened, in the fields of the hooks of the specification.
#[test]
fn a_caller_without_a_name_is_served_by_its_fields() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let tell = |input: Value| {
        let ran = hook(&world, &input.to_string());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
        ran
    };
    let prompt = json!({"session_id": "s1", "prompt": "where does the cache live?",
        "timestamp": "2026-01-30T10:00:00Z"});
    assert!(context(tell(prompt), "UserPromptSubmit").contains("Redis"));
    tell(
        json!({"session_id": "s1", "conversation_id": "c", "tool_name": "Bash",
        "tool_input": {"command": "npm test"}, "tool_output": "3 zyzzyva", "tool_error": "exit 1",
        "started_at": "2026-01-30T10:00:00Z", "ended_at": "2026-01-30T10:00:02Z"}),
    );
    tell(json!({"session_id": "s1", "stop_reason": "end_turn",
        "messages": [{"role": "assistant", "content": "In Redis."}]}));
    let history = world.run(&["history", "--session", "s1", "--json"]).json();
    let items = history["items"].as_array().unwrap();
    let of = |kind: &str| {
        let item = items.iter().find(|item| item["kind"] == kind);
        item.unwrap_or_else(|| panic!("{kind}: {history}"))
    };
    assert_eq!(items.len(), 3, "{history}");
    let prompt = of("user_prompt");
    assert_eq!(prompt["timestamp"], "2026-01-30T10:00:00.000Z", "{prompt}");
    assert_eq!(prompt["metadata"]["hook"]["host"], "unknown", "{prompt}");
    let tool = of("tool_observation")["tool"].clone();
    assert_eq!(tool["output"], "3 zyzzyva", "{tool}");
    assert_eq!(
        (&tool["success"], &tool["error"]),
        (&json!(false), &json!("exit 1"))
    );
    assert_eq!(tool["duration_ms"], 2_000);
    assert!(ended(&world).is_null());
    tell(json!({"session_id": "s1"}));
    assert!(ended(&world).is_string());
}

/// A host that sends the whole session each time.
#[test]
fn every_answer_of_a_session_is_stored_once() {
    let world = World::new();
    let session = Session::of(&world);
    let of = |role: &str, content: Value| json!({"role": role, "content": content});
    let mut messages = vec![
        of("user", json!("Where does the cache live?")),
        of("assistant", json!("Let me look.")),
        of(
            "assistant",
            json!([{"type": "text", "text": "In Redis. <private>x</private>"}]),
        ),
        of("assistant", json!(" ")),
    ];
    let stop = |messages: &[Value]| {
        let more = json!({"messages": messages, "stop_reason": "end_turn"});
        assert_eq!(session.hook("Stop", more), "");
        answers(&world)
    };
    let first = ["Let me look.", "In Redis. [PRIVATE]"];
    assert_eq!(stop(&messages), first);
    assert_eq!(stop(&messages), first);
    // Said again, which is another answer.
    messages.push(of("user", json!("And the queue?")));
    messages.push(of("assistant", json!("Let me look.")));
    messages.push(of("assistant", json!("There, too.")));
    let all = [&first[..], &["Let me look.", "There, too."]].concat();
    assert_eq!(stop(&messages), all);
    assert_eq!(stop(&messages), all);
    // The transcript has them with ids, and one that the hook was not told.
    let said = [
        "Let me look.",
        "In Redis. <private>x</private>",
        "Let me look.",
        "There, too.",
        "Done.",
    ];
    let lines = transcript(&world, &said);
    assert_eq!(imported(&world, "p/s1.jsonl", &lines), (0, 1, 0));
    messages.push(of("assistant", json!("Done.")));
    assert_eq!(stop(&messages).len(), all.len() + 1);
    // What a person forgets does not come back with the next turn.
    remove(&world, "forget", "There, too.");
    let mut left = stop(&messages);
    left.sort_unstable();
    let kept = ["Done.", first[1], first[0], first[0]];
    assert_eq!(left, kept);
}

/// Forgets or erases what says this.
fn remove(world: &World, command: &str, text: &str) {
    let history = world.run(&["history", "--json"]).json();
    let items = history["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["content"] == text);
    let citation = item.unwrap_or_else(|| panic!("{text}: {history}"))["citation"].clone();
    world
        .run(&[command, citation.as_str().unwrap(), "--confirm"])
        .ok();
}

/// What agents answered, oldest first.
fn answers(world: &World) -> Vec<String> {
    let history = world
        .run(&["history", "--kind", "response", "--json"])
        .json();
    let items = history["items"].as_array().unwrap().iter().rev();
    let texts = items.map(|item| item["content"].as_str().unwrap().to_owned());
    texts.collect()
}

fn answered(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// The lines of a transcript of the session s1 with these answers.
fn transcript(world: &World, texts: &[&str]) -> Vec<Value> {
    let cwd = world.project("shop");
    let line = |(id, text): (usize, &&str)| {
        json!({"type": "assistant", "sessionId": "s1", "uuid": format!("u{id}"), "cwd": cwd,
            "timestamp": format!("2026-01-30T14:05:{id:02}Z"),
            "message": {"role": "assistant", "content": text}})
    };
    texts.iter().enumerate().map(line).collect()
}

/// Neither the next turn nor an import brings it back, whichever form of Stop stored it.
#[test]
fn an_answer_that_was_forgotten_stays_so_with_an_import_beside() {
    let world = World::new();
    let session = Session::of(&world);
    session.answer("Let me look.");
    let messages = [
        answered("Let me look."),
        answered("In Redis."),
        answered("Done.\n"),
    ];
    let stop = || session.hook("Stop", json!({ "messages": messages }));
    stop();
    assert_eq!(answers(&world), ["Let me look.", "In Redis.", "Done.\n"]);
    for text in ["Let me look.", "In Redis."] {
        remove(&world, "forget", text);
    }
    stop();
    assert_eq!(answers(&world), ["Done.\n"]);
    let lines = transcript(&world, &["Let me look.", "In Redis.", "Done.\n"]);
    assert_eq!(imported(&world, "p/s1.jsonl", &lines), (0, 0, 0));
    stop();
    assert_eq!(answers(&world), ["Done.\n"]);
}

/// What stays of an erased event is the hash of its key: one of an id brings nothing back, and there
/// is none of what is known by its text.
#[test]
fn an_answer_that_was_erased_stays_so_if_it_has_an_id() {
    let world = World::new();
    let session = Session::of(&world);
    let mut messages = vec![
        json!({"id": "m1", "role": "assistant", "content": "The port is 8443."}),
        json!({"id": "m1", "role": "assistant", "content": "And 9000."}),
        answered("In Redis."),
        answered("Done."),
        answered("Done."),
    ];
    let stop = |messages: &[Value]| session.hook("Stop", json!({ "messages": messages }));
    stop(&messages);
    let all = [
        "The port is 8443.",
        "And 9000.",
        "In Redis.",
        "Done.",
        "Done.",
    ];
    assert_eq!(answers(&world), all);
    for text in ["The port is 8443.", "And 9000."] {
        remove(&world, "erase", text);
    }
    messages.push(json!({"id": "m2", "role": "assistant", "content": "The port is 8443."}));
    stop(&messages);
    assert_eq!(
        answers(&world),
        ["In Redis.", "Done.", "Done.", "The port is 8443."]
    );
    // The host still sends it, and nothing is left by which it is known.
    remove(&world, "erase", "In Redis.");
    stop(&messages);
    assert_eq!(answers(&world).last().unwrap(), "In Redis.");
    assert_eq!(answers(&world).len(), 4);
}

/// A key applies to the whole store, and sessions may be alike.
#[test]
fn sessions_that_say_the_same_keep_their_own_answers() {
    let world = World::new();
    let messages = [
        answered("Done."),
        answered("Done."),
        json!({"id": "1", "role": "assistant", "content": "All done."}),
    ];
    for id in ["s1", "s2"] {
        let session = Session::named(&world, id);
        session.hook("Stop", json!({ "messages": messages }));
        session.hook("Stop", json!({ "messages": messages }));
    }
    assert_eq!(answers(&world).len(), 6, "{:?}", answers(&world));
}

/// Hosts and transcripts end a text with a line break or not, and a call of a tool is no answer.
#[test]
fn an_answer_is_the_same_with_blanks_around_it() {
    let world = World::new();
    let session = Session::of(&world);
    session.answer("In Redis.\n");
    let lines = transcript(&world, &["In Redis.", "Done."]);
    assert_eq!(imported(&world, "p/s1.jsonl", &lines), (0, 1, 0));
    let calls = json!({"role": "assistant", "content": [
        {"type": "reasoning", "text": "They want it in Redis."},
        {"type": "tool_use", "name": "Read", "input": {}}]});
    let messages = json!([
        answered("In Redis."),
        answered("Done.\n\n"),
        answered(" "),
        calls
    ]);
    let more = json!({"messages": messages, "last_assistant_message": "Done."});
    session.hook("Stop", more.clone());
    session.hook("Stop", more);
    let mut answers = answers(&world);
    answers.sort_unstable();
    assert_eq!(answers, ["Done.", "In Redis.\n"]);
}

/// The reason is that of the last answer, whichever are stored with it.
#[test]
fn a_stop_gives_its_reason_to_the_last_answer_alone() {
    let world = World::new();
    let session = Session::of(&world);
    let messages = [answered("Let me look."), answered("In Redis.")];
    let more = json!({"messages": messages, "stop_reason": "max_tokens"});
    session.hook("Stop", more);
    let history = world.run(&["history", "--json"]).json();
    let items = history["items"].as_array().unwrap().iter();
    let reasons: Vec<_> = items
        .map(|item| {
            assert_eq!(item["metadata"]["hook"]["event"], "Stop", "{item}");
            (
                item["content"].as_str().unwrap(),
                &item["metadata"]["stopReason"],
            )
        })
        .collect();
    let (reason, none) = (json!("max_tokens"), json!(null));
    assert_eq!(reasons, [("In Redis.", &reason), ("Let me look.", &none)]);
}

/// A caller of the specification that says a time is no other host by that.
#[test]
fn an_unknown_caller_that_says_a_time_is_served_in_the_usual_form() {
    let world = World::new();
    world.run(&["task", "add", "Move the cache to Valkey"]).ok();
    let folder = world.project("shop");
    let tell = |input: Value| hook(&world, &input.to_string());
    let start = json!({"session_id": "s1", "cwd": folder, "timestamp": "2026-01-30T10:00:00Z"});
    assert!(context(tell(start), "SessionStart").contains("Valkey"));
    // In seconds, which would be a day of 1970.
    let prompt = json!({"session_id": "s1", "cwd": folder, "prompt": "Where is the cache?",
        "messages": null, "stop_reason": null, "timestamp": 1_769_767_200});
    tell(prompt);
    let history = world.run(&["history", "--json"]).json();
    let prompt = &history["items"][0];
    assert_eq!(prompt["metadata"]["hook"]["host"], "unknown", "{history}");
    let year = &prompt["timestamp"].as_str().unwrap()[..4];
    assert!(year > "2025", "{history}");
    let ended = || ended(&world);
    // Before the prompt, by another clock.
    tell(json!({"session_id": "s1", "timestamp": "2026-01-30T10:00:00Z"}));
    assert_eq!(ended(), prompt["timestamp"]);
}

#[test]
fn a_session_ends_when_its_host_says_so() {
    let world = World::new();
    let tell = |input: Value| hook(&world, &input.to_string());
    let folder = world.project("shop");
    let prompt = json!({"session_id": "s1", "cwd": folder, "prompt": "Where is the cache?",
        "timestamp": "2026-01-30T10:00:00Z"});
    tell(prompt);
    tell(json!({"session_id": "s1", "cwd": folder, "reason": "exit",
        "timestamp": "2026-01-30T11:00:00Z"}));
    let ended = ended(&world);
    assert_eq!(ended, "2026-01-30T11:00:00.000Z");
}

/// A command that failed is a call that went well, and a server may have any name.
#[test]
fn the_calls_of_gemini_cli_are_told_apart() {
    let world = World::new();
    let tell = |more: Value| {
        let mut input = json!({"session_id": "g1", "hook_event_name": "AfterTool",
            "cwd": world.project("shop"), "transcript_path": "",
            "timestamp": "2026-08-01T10:00:00.000Z"});
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        assert_eq!(context(hook(&world, &input.to_string()), ""), "");
    };
    tell(
        json!({"tool_name": "run_shell_command", "tool_input": {"command": "make zyzzyva"},
        "tool_response": {"llmContent": "Output: no zyzzyva\nExit Code: 2\nProcess Group PGID: 7",
            "returnDisplay": "no zyzzyva"}}),
    );
    tell(
        json!({"tool_name": "search", "tool_input": {"query": "zyzzyva"},
        "tool_response": {"llmContent": "a zyzzyva that was recalled"},
        "mcp_context": {"server_name": "notes", "command": "/usr/bin/recallite",
            "args": ["mcp"]}}),
    );
    let history = world.run(&["history", "--json"]).json();
    assert_eq!(history["items"].as_array().unwrap().len(), 1, "{history}");
    let found = world
        .run(&["search", "zyzzyva", "--failed", "--json"])
        .json();
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found}");
}

/// The whole file as it was before each edit would be most of the memory.
#[test]
fn an_edit_is_stored_with_what_it_changed() {
    let world = World::new();
    let session = Session::of(&world);
    let response = json!({"filePath": "/a.rs", "oldString": "old", "newString": "new",
        "originalFile": "an outdated zyzzyva\nold", "userModified": false, "replaceAll": false,
        "structuredPatch": [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2,
            "lines": ["-old", "+new"]}]});
    session.hook(
        "PostToolUse",
        json!({"tool_name": "Edit", "tool_use_id": "t1", "tool_response": response,
            "tool_input": {"file_path": "/a.rs", "old_string": "old", "new_string": "new"}}),
    );
    let history = world.run(&["history", "--json"]).json();
    let content = history["items"][0]["content"].as_str().unwrap();
    assert!(content.contains("-old\n+new"), "{content}");
    assert!(!content.contains("zyzzyva"), "{content}");
}

/// It takes context at the start of a session, none with a prompt, and sends no answers.
#[test]
fn vscode_is_served_in_its_own_words() {
    let world = World::new();
    Session::named(&world, "c1").turn("Where does the cache live?", "The cache lives in Redis.");
    let tell = |event: &str, more: Value| {
        let mut input = json!({"sessionId": "v1", "hookEventName": event,
            "cwd": world.project("shop"), "timestamp": "2026-08-01T10:00:00Z"});
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        context(hook(&world, &input.to_string()), event)
    };
    let start = tell("SessionStart", json!({"source": "new"}));
    assert!(start.contains("lives in Redis"), "{start}");
    let prompt = json!({"prompt": "where does the cache live?"});
    assert_eq!(tell("UserPromptSubmit", prompt), "");
    let call = json!({"tool_name": "runInTerminal", "tool_use_id": "t1",
        "tool_input": {"command": "redis-cli ping"}, "tool_response": "PONG from the cache"});
    assert_eq!(tell("PostToolUse", call.clone()), "");
    assert_eq!(tell("PostToolUse", call), "");
    assert_eq!(tell("Stop", json!({"stop_hook_active": false})), "");
    let history = world.run(&["history", "--session", "v1", "--json"]).json();
    let stored: Vec<(&str, bool)> = history["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            let text = item["content"].as_str().unwrap();
            (item["kind"].as_str().unwrap(), text.contains("cache"))
        })
        .collect();
    let wanted = [("tool_observation", true), ("user_prompt", true)];
    assert_eq!(stored, wanted, "{history}");
}

#[test]
fn a_session_begins_with_what_is_pinned_and_is_not_told_it_again() {
    let world = World::new();
    world.run(&["remember", "Never push on a Friday."]).ok();
    let pinned = world.citation("when may I push?");
    world.run(&["pin", &pinned]).ok();
    world.run(&["task", "add", "Repair the push"]).ok();
    let session = Session::of(&world);
    let start = session.start("startup");
    assert!(start.contains("Never push on a Friday."), "{start}");
    assert!(start.contains("task: Repair the push"), "{start}");
    let given = session.prompt("on which day may I push?");
    assert!(!given.contains("Friday"), "{given}");
    let compacted = session.start("compact");
    assert!(compacted.contains("Never push on a Friday."), "{compacted}");
    let other = Session {
        project: "blog",
        id: "b1",
        ..session
    };
    assert_eq!(other.start("startup"), "");
}

/// Without a terminal Gemini CLI puts what the start was given into the prompt.
#[test]
fn what_a_start_was_given_is_no_part_of_the_prompt() {
    let world = World::new();
    let note = world.run(&["remember", "--json", "The cache lives in Redis."]);
    let note = note.json();
    let citation = note["citation"].as_str().unwrap();
    let given = format!("<hook_context>&lt;recalled&gt; [mem:{citation}]</hook_context>\n\n");
    let prompt = json!({"session_id": "g1", "cwd": world.project("shop"),
        "hook_event_name": "BeforeAgent", "timestamp": "2026-08-01T10:00:00Z",
        "prompt": format!("{given}Name the branches after tickets.")});
    assert_eq!(
        context(hook(&world, &prompt.to_string()), "BeforeAgent"),
        ""
    );
    let history = world.run(&["history"]).ok();
    assert!(
        history.contains("Name the branches") && !history.contains("hook_context"),
        "{history}"
    );
}

/// Gemini CLI adds the contents of the files that a prompt names.
#[test]
fn a_file_that_a_prompt_names_is_not_said_by_the_user() {
    let world = World::new();
    let typed = "Explain @src/parser.rs";
    let contents = [
        "\n--- Content from referenced files ---",
        "\nContent from @src/parser.rs:\n",
        "fn parse_xylophone() {}\n",
        "\n--- End of content ---",
    ];
    let prompt = json!({"session_id": "g1", "cwd": world.project("shop"),
        "hook_event_name": "BeforeAgent", "timestamp": "2026-03-01T09:00:01Z",
        "prompt": format!("{typed}{}", contents.concat())});
    context(hook(&world, &prompt.to_string()), "BeforeAgent");
    let parts: Vec<Value> = std::iter::once(&typed)
        .chain(&contents)
        .map(|text| json!({ "text": text }))
        .collect();
    let lines = [
        json!({"sessionId": "g1", "projectHash": "h", "startTime": "2026-03-01T09:00:00Z"}),
        json!({"id": "m1", "type": "user", "timestamp": "2026-03-01T09:00:02Z",
            "content": parts}),
    ];
    assert_eq!(imported(&world, "g/session-g1.jsonl", &lines), (0, 0, 0));
    let history = world.run(&["history", "-a", "--json"]).json();
    let said: Vec<_> = history["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, [typed], "{history}");
}

#[test]
fn what_a_hook_saw_is_not_imported_again() {
    let world = World::new();
    let session = Session::named(&world, "c1");
    session.turn("세션은 Redis에 두자.", "Redis it is.");
    let message = |kind: &str, uuid: &str, text: &str| {
        json!({"type": kind, "sessionId": "c1", "uuid": uuid, "cwd": world.project("shop"),
            "timestamp": "2026-01-30T14:05:00Z", "message": {"role": kind, "content": text}})
        .to_string()
    };
    let lines = [
        message("user", "u1", "세션은 Redis에 두자."),
        message("assistant", "u2", "Redis it is."),
        message("assistant", "u3", "And it expires."),
    ];
    let file = world.write("p/c1.jsonl", &lines.join("\n"));
    let report = world
        .run(&["import", file.to_str().unwrap(), "--json"])
        .json();
    assert_eq!(
        (&report["duplicates"], &report["responses"]),
        (&json!(2), &json!(1)),
        "{report}"
    );
}

/// What an import of a transcript adds: prompts, responses and tool calls.
fn imported(world: &World, file: &str, lines: &[Value]) -> (u64, u64, u64) {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let file = world.write(file, &text.join("\n"));
    let report = world
        .run(&["import", file.to_str().unwrap(), "--json"])
        .json();
    let count = |name: &str| report[name].as_u64().unwrap();
    (count("prompts"), count("responses"), count("tools"))
}

/// A backup or a copy of a transcript is of the session that its lines name.
#[test]
fn a_renamed_transcript_is_of_the_session_that_hooks_stored() {
    let world = World::new();
    let session = Session::named(&world, "11111111-2222-3333-4444-555555555555");
    session.turn("Where is the otter config?", "In config/otter.toml.");
    let line = |kind: &str, uuid: &str, text: &str| {
        json!({"type": kind, "sessionId": session.id, "uuid": uuid, "isSidechain": false,
            "cwd": world.project("shop"), "timestamp": "2026-01-30T14:05:00Z",
            "message": {"role": kind, "content": text}})
    };
    let mut lines = vec![
        line("user", "u1", "Where is the otter config?"),
        line("assistant", "u2", "In config/otter.toml."),
    ];
    assert_eq!(imported(&world, "backup.jsonl", &lines), (0, 0, 0));
    lines.push(line("user", "u3", "And the badger config?"));
    assert_eq!(imported(&world, "backup.jsonl", &lines), (1, 0, 0));
    let sessions = world.run(&["sessions", "--json"]).json();
    assert_eq!(sessions["items"].as_array().unwrap().len(), 1, "{sessions}");
    let next = Session {
        id: "s2",
        ..session
    };
    // It is no subagent's.
    let start = next.start("startup");
    assert!(start.contains("badger config"), "{start}");
    world
        .run(&["forget", "--session", session.id, "--confirm"])
        .ok();
    assert_eq!(imported(&world, "backup.jsonl", &lines), (0, 0, 0));
    assert_eq!(imported(&world, "other copy.jsonl", &lines), (0, 0, 0));
}

/// Claude Code starts an agent of its own to summarise a conversation.
#[test]
fn the_agent_that_summarises_a_compacted_conversation_is_not_imported() {
    let world = World::new();
    let line = |kind: &str, uuid: &str, text: &str| {
        json!({"type": kind, "sessionId": "s1", "uuid": uuid, "isSidechain": true,
            "agentId": "acompact-946d2b", "cwd": world.project("shop"),
            "timestamp": "2026-01-30T14:05:00Z", "message": {"role": kind, "content": text}})
    };
    let lines = [
        line("user", "u1", "Your task is to create a detailed summary."),
        line("assistant", "u2", "1. Primary Request: the otter."),
    ];
    let file = "s1/subagents/agent-acompact-946d2b.jsonl";
    assert_eq!(imported(&world, file, &lines), (0, 0, 0));
    let of_person = lines.map(|mut line| {
        line["agentId"] = "a12".into();
        line
    });
    let file = "s1/subagents/agent-a12.jsonl";
    assert_eq!(imported(&world, file, &of_person), (1, 1, 0));
}

/// Hooks may be installed in the middle of a session, and may miss something later.
#[test]
fn a_session_that_was_imported_goes_on_with_hooks_and_is_imported_again() {
    let world = World::new();
    let session = Session::named(&world, "c1");
    let cwd = world.project("shop");
    let line = |kind: &str, uuid: &str, content: Value| {
        json!({"type": kind, "sessionId": "c1", "uuid": uuid, "cwd": cwd,
            "timestamp": "2026-01-30T14:05:00Z", "message": {"role": kind, "content": content}})
    };
    let call = |uuid: &str, id: &str| {
        let call =
            json!([{"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": id}}]);
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": "seen"}]);
        [
            line("assistant", &format!("{uuid}-a"), call),
            line("user", &format!("{uuid}-b"), result),
        ]
    };
    let mut lines = vec![
        line("user", "u1", json!("yes")),
        line("assistant", "u2", json!("Redis it is.")),
    ];
    lines.extend(call("u3", "toolu_1"));
    // More than a reader would look through.
    for turn in 0..70 {
        lines.push(line(
            "user",
            &format!("p{turn}"),
            json!(format!("step {turn}")),
        ));
    }
    assert_eq!(imported(&world, "p/c1.jsonl", &lines), (71, 1, 1));

    session.turn("Does it expire?", "After an hour.");
    let read = |id: &str| {
        json!({"tool_name": "Read", "tool_input": {"file_path": id}, "tool_response": "seen",
            "tool_use_id": id})
    };
    session.hook("PostToolUse", read("toolu_2"));
    lines.push(line("user", "u4", json!("Does it expire?")));
    lines.extend(call("u5", "toolu_2"));
    lines.push(line("assistant", "u6", json!("After an hour.")));
    assert_eq!(imported(&world, "p/c1.jsonl", &lines), (0, 0, 0));

    // What the hooks missed is added once.
    lines.push(line("user", "u7", json!("And then?")));
    lines.extend(call("u8", "toolu_3"));
    lines.push(line("assistant", "u9", json!("It is fetched again.")));
    lines.push(line("user", "u10", json!("yes")));
    assert_eq!(imported(&world, "p/c1.jsonl", &lines), (2, 1, 1));
    assert_eq!(imported(&world, "p/c1.jsonl", &lines), (0, 0, 0));
    // Calls that read this memory are no news.
    let own = json!([{"type": "tool_use", "id": "toolu_4", "name": "mcp__recallite__search", "input": {}}]);
    lines.push(line("assistant", "u11", own));
    assert_eq!(imported(&world, "p/c1.jsonl", &lines), (0, 0, 0));
}

/// Gemini CLI does not tell its hooks the id of a call.
#[test]
fn a_tool_call_that_a_hook_of_gemini_cli_saw_is_not_imported_again() {
    let world = World::new();
    let cwd = world.project("shop");
    let seen = |command: &str, output: &str| {
        let input = json!({"session_id": "g1", "cwd": cwd, "hook_event_name": "AfterTool",
            "timestamp": "2026-03-01T09:00:01Z", "tool_name": "run_shell_command",
            "tool_input": {"command": command, "env": {"API_KEY": "zq8Xw3Lk9Pv2Rt6Y"}},
            "tool_response": {"llmContent": output, "returnDisplay": output}});
        context(hook(&world, &input.to_string()), "AfterTool");
    };
    seen("cargo test", "1 failed");
    seen("cargo test", "all passed");
    let call = |id: &str, command: &str, output: &str| {
        json!({"id": id, "name": "run_shell_command", "status": "success",
            "args": {"command": command, "env": {"API_KEY": "zq8Xw3Lk9Pv2Rt6Y"}},
            "resultDisplay": format!("{output} (shown)")})
    };
    let lines = [
        json!({"sessionId": "g1", "projectHash": "h", "startTime": "2026-03-01T09:00:00Z"}),
        json!({"id": "m1", "type": "gemini", "timestamp": "2026-03-01T09:00:02Z",
        "content": "Done.", "toolCalls": [
            call("run_shell_command-1", "cargo test", "1 failed"),
            call("run_shell_command-2", "cargo test", "all passed"),
            call("run_shell_command-3", "cargo doc", "made"),
        ]}),
    ];
    assert_eq!(imported(&world, "g/session-g1.jsonl", &lines), (0, 1, 1));
    assert_eq!(imported(&world, "g/session-g1.jsonl", &lines), (0, 0, 0));
    let stored = world.run(&["history", "--kind", "tool"]).ok();
    assert_eq!(stored.matches("cargo test").count(), 2, "{stored}");
    assert!(!stored.contains("zq8Xw3"), "{stored}");
}

/// What Codex writes of an agent that another one started.
fn codex_subagent(world: &World, id: &str) -> Vec<Value> {
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-02-01T09:00:00Z", "type": kind, "payload": payload});
    let message = |role: &str, text: &str| {
        let content = json!([{"type": "input_text", "text": text}]);
        line(
            "response_item",
            json!({"type": "message", "role": role, "content": content}),
        )
    };
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "x1", "depth": 1}}});
    vec![
        line(
            "session_meta",
            json!({"id": id, "cwd": world.project("shop"), "source": source}),
        ),
        message(
            "user",
            "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
        ),
        message("user", "<skill>\n<name>deploy</name>\n</skill>"),
        message(
            "user",
            "<subagent_notification>\n{}\n</subagent_notification>",
        ),
        message(
            "user",
            "<user_shell_command>\n<command>ls</command>\n</user_shell_command>",
        ),
        message("user", "Look up the port."),
        message("assistant", "The port is 8443."),
    ]
}

#[test]
fn an_agent_that_codex_starts_has_one_session_whoever_tells_of_it_first() {
    for imports_first in [true, false] {
        let world = World::new();
        let lines = codex_subagent(&world, "0199-a");
        let import = || imported(&world, "x/rollout-0199-a.jsonl", &lines);
        if imports_first {
            assert_eq!(import(), (1, 1, 0));
        }
        let stop = json!({"session_id": "x1", "turn_id": "t1", "agent_id": "0199-a",
            "transcript_path": "/h/.codex/sessions/rollout-x1.jsonl", "cwd": world.project("shop"),
            "hook_event_name": "SubagentStop", "last_assistant_message": "The port is 8443."});
        context(hook(&world, &stop.to_string()), "SubagentStop");
        if !imports_first {
            assert_eq!(import(), (1, 0, 0));
        }
        let sessions = world.run(&["sessions", "--json"]).json();
        let found: Vec<_> = sessions["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|session| (&session["id"], &session["responses"]))
            .collect();
        assert_eq!(found, [(&json!("agent-0199-a"), &json!(1))], "{sessions}");
    }
}

#[test]
fn what_an_agent_asks_another_one_is_not_said_by_the_user() {
    let world = World::new();
    let prompt = json!({"session_id": "x1", "turn_id": "t1", "agent_id": "0199-a",
        "transcript_path": "/h/.codex/sessions/rollout-x1.jsonl", "cwd": world.project("shop"),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "We decided to use Kafka for the event bus."});
    context(hook(&world, &prompt.to_string()), "UserPromptSubmit");
    let cwd = world.project("shop");
    let asked = json!({"type": "user", "sessionId": "c1", "uuid": "u1", "cwd": cwd,
        "timestamp": "2026-01-30T14:05:00Z", "isSidechain": true, "agentId": "a2",
        "message": {"role": "user", "content": "We decided to use Redis for the cache."}});
    assert_eq!(
        imported(&world, "p/c1/subagents/agent-a2.jsonl", &[asked]),
        (1, 0, 0)
    );
    let history = world.run(&["-a", "history", "--json"]).json();
    let items = history["items"].as_array().unwrap().iter();
    let by: Vec<_> = items
        .map(|event| (&event["origin"], &event["actor"]))
        .collect();
    let agent = json!("assistant");
    assert_eq!(by, [(&agent, &agent); 2], "{history}");
    world.run(&["-a", "maintain"]).ok();
    let entries = world.run(&["-a", "entries", "--json"]).json();
    assert_eq!(entries["items"], json!([]), "{entries}");
}

/// Claude Code copies the messages of a conversation that is forked, with their ids, into the
/// transcript of the fork. Hooks are not told these ids.
#[test]
fn a_fork_brings_nothing_again_that_hooks_stored_or_that_was_forgotten() {
    for is_forgotten in [false, true] {
        let world = World::new();
        let parent = Session::of(&world);
        parent.turn("Do the otter thing.", "The otter is done.");
        let cwd = world.project("shop");
        let line = |session: &str, kind: &str, uuid: &str, text: &str| {
            let line = json!({"type": kind, "sessionId": session, "uuid": uuid, "cwd": cwd,
                "timestamp": "2026-01-30T14:05:00Z", "message": {"role": kind, "content": text}});
            format!("{line}\n")
        };
        let said = |session: &str| {
            line(session, "user", "u1", "Do the otter thing.")
                + &line(session, "assistant", "u2", "The otter is done.")
        };
        let transcript = |session: &str| format!("p/{session}.jsonl");
        world.write(&transcript(parent.id), &said(parent.id));
        let fork = Session {
            id: "a-fork",
            ..parent
        };
        fork.turn("And the heron?", "The heron too.");
        if is_forgotten {
            world
                .run(&["forget", "--session", parent.id, "--confirm"])
                .ok();
        }
        let of_fork = said(fork.id)
            + &line(fork.id, "user", "u3", "And the heron?")
            + &line(fork.id, "assistant", "u4", "The heron too.");
        let file = world.write(&transcript(fork.id), &of_fork);
        let folder = file.parent().unwrap().to_str().unwrap();
        let report = world.run(&["import", folder, "--json"]).json();
        let new = (&report["prompts"], &report["responses"]);
        assert_eq!(new, (&json!(0), &json!(0)), "{is_forgotten}: {report}");
    }
}

#[test]
fn a_session_does_not_begin_with_what_another_agent_was_asked() {
    let world = World::new();
    let session = Session::named(&world, "c1");
    session.turn("Where is the render cache?", "In redb.");
    let cwd = world.project("shop");
    let lines = |session: &str| {
        let line = |kind: &str, uuid: &str, text: &str| {
            json!({"type": kind, "sessionId": "c1", "uuid": format!("{session}-{uuid}"),
                "cwd": cwd, "timestamp": "2099-01-30T14:05:00Z", "isSidechain": true,
                "agentId": "a1", "message": {"role": kind, "content": text}})
        };
        [
            line("user", "u1", "Search the folder."),
            line("assistant", "u2", "Nothing is there."),
        ]
    };
    // The second has a name of another version.
    for name in ["agent-a1", "sub-a2"] {
        let file = format!("p/c1/subagents/{name}.jsonl");
        assert_eq!(imported(&world, &file, &lines(name)), (1, 1, 0));
    }
    let next = Session {
        id: "c2",
        ..session
    };
    let given = next.start("startup");
    assert!(
        given.contains("In redb.") && !given.contains("Nothing is there."),
        "{given}"
    );
}

#[test]
fn what_the_agents_program_writes_is_no_prompt() {
    let world = World::new();
    let session = Session::named(&world, "c1");
    world.run(&["remember", "The night job is green."]).ok();
    for text in [
        "<task-notification>\n<task-id>b1</task-id>\nThe night job ended.",
        "This session is being continued from a previous conversation that ran out of context. \
         The night job was repaired.",
    ] {
        assert_eq!(session.prompt(text), "");
    }
    let prompt = json!({"session_id": "x1", "turn_id": "t1", "cwd": world.project("shop"),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "<user_shell_command>\nnight job\n</user_shell_command>"});
    assert_eq!(
        context(hook(&world, &prompt.to_string()), "UserPromptSubmit"),
        ""
    );
    assert_eq!(world.run(&["stats", "--json"]).json()["events"], 1);
}

#[test]
fn a_session_that_is_resumed_has_not_ended() {
    let world = World::new();
    let session = Session::named(&world, "c1");
    let ended = || ended(&world);
    session.turn("Where is the render cache?", "In redb.");
    assert!(ended().is_null());
    session.hook("SessionEnd", json!({ "reason": "other" }));
    assert!(ended().is_string());
    session.turn("And the font cache?", "There too.");
    assert!(ended().is_null());
    session.hook("SessionEnd", json!({ "reason": "other" }));
    assert!(ended().is_string());
}

/// Input that no agent sends.
#[test]
fn bad_input_is_harmless_and_told_by_the_doctor() {
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    let huge = format!("{{\"prompt\": \"{}\"}}", "a".repeat(17 << 20));
    let nested = "[".repeat(100_000);
    let inputs: [&[u8]; 10] = [
        b"",
        b"  \n",
        b"not json",
        b"[]",
        b"null",
        b"{}",
        b"{\"hook_event_name\": 7}",
        b"\xff\xfe\x00",
        nested.as_bytes(),
        huge.as_bytes(),
    ];
    for input in inputs {
        let ran = world.with_input(&PATIENT, input);
        let shown = String::from_utf8_lossy(&input[..input.len().min(40)]).into_owned();
        assert_eq!(
            (ran.code, ran.out.as_str(), ran.err.as_str()),
            (0, "", ""),
            "{shown}"
        );
    }
    let session = Session::of(&world);
    for event in ["SomethingNew", "PreToolUse", "Notification"] {
        assert_eq!(session.hook(event, json!({})), "");
    }
    for arguments in [
        &["hook", "--bogus"][..],
        &["hook", "extra"],
        &["--store"],
        &["hook", "--store"],
    ] {
        let ran = world.run(arguments);
        let code = if arguments.contains(&"hook") { 0 } else { 64 };
        assert_eq!(ran.code, code, "{ran:?}");
    }
    let doctor = world.run(&["doctor"]).ok();
    // Of each kind, with its own remedy.
    for (count, remedy) in [
        ("hooks     failed 9 times", "update recallite and the agent"),
        ("hooks     failed 1 time ", "recallite import"),
        ("hooks     failed 3 times", "the plugin is newer"),
    ] {
        let rest = doctor.split(count).nth(1);
        let next = rest.and_then(|rest| rest.lines().nth(1));
        assert!(next.is_some_and(|next| next.contains(remedy)), "{doctor}");
    }
    assert_eq!(world.run(&["stats", "--json"]).json()["events"], 1);
}

/// A host that names no folder starts the hook in it; nothing of another project is given.
#[test]
fn without_a_folder_the_project_is_that_of_the_process() {
    let world = World::new();
    world
        .run_in("blog", &["remember", "The cache of the blog is Memcached."])
        .ok();
    world.run(&["remember", "The cache is Redis."]).ok();
    let prompt = |session: &str, cwd: Value| {
        let input = json!({"session_id": session, "cwd": cwd, "permission_mode": "default",
            "hook_event_name": "UserPromptSubmit", "prompt": "Which cache is it?"});
        context(hook(&world, &input.to_string()), "UserPromptSubmit")
    };
    let folders = [
        json!(null),
        json!(""),
        json!("."),
        json!(7),
        json!("../shop"),
    ];
    for (n, cwd) in folders.into_iter().enumerate() {
        let given = prompt(&format!("s{n}"), cwd.clone());
        assert!(given.contains("Redis"), "{cwd}: {given}");
        assert!(!given.contains("Memcached"), "{cwd}: {given}");
    }
    let asked = world.run(&["history", "--json", "--kind", "prompt"]).json();
    // The note is a prompt too.
    assert_eq!(asked["items"].as_array().unwrap().len(), 6, "{asked}");
}

/// A folder that was removed under the process is no reason to recall everything.
#[cfg(target_os = "linux")]
#[test]
fn without_any_folder_nothing_is_given_or_stored() {
    let world = World::new();
    world.run(&["remember", "The cache is Redis."]).ok();
    let gone = world.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let mut command = world.command_in("shop", &[]);
    let program = command.get_program().to_owned();
    let script = "rmdir \"$1\" && exec \"$0\" hook --deadline-ms 60000";
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(script).arg(program).arg(&gone);
    shell.env_clear().envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    shell.current_dir(&gone);
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    command = shell;
    let input = json!({"session_id": "s1", "hook_event_name": "UserPromptSubmit",
        "prompt": "which cache is it?"});
    let ran = with_input(command, input.to_string().as_bytes());
    let given = (ran.code, ran.out.as_str(), ran.err.as_str());
    assert_eq!(given, (0, "", ""), "{ran:?}");
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.contains("the folder is missing (cwd)"), "{doctor}");
    assert_eq!(world.run(&["stats", "--json"]).json()["events"], 1);
}

/// On a full disk nothing can be appended to the notes either, and a person would learn of nothing.
#[cfg(target_os = "linux")]
#[test]
fn what_fails_is_told_even_if_no_file_can_grow() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    world.run(&["install", "cursor"]).ok();
    let notes = world
        .home()
        .join(".local/state/recallite/hook-troubles.jsonl");
    let before = std::fs::metadata(&notes).unwrap().len();
    assert!(world.run(&["doctor"]).ok().contains("no failures"));
    for times in 1..4 {
        let input = json!({"session_id": "s1", "hook_event_name": "UserPromptSubmit",
            "cwd": world.project("shop"), "prompt": format!("which cache is number {times}?")});
        let plain = world.command_in("shop", &["hook", "--deadline-ms", "60000"]);
        // A limit on the size of files in place of a full disk.
        let command = common::in_shell("trap '' XFSZ; ulimit -f 4", &plain);
        let ran = with_input(command, input.to_string().as_bytes());
        let given = (ran.code, ran.out.as_str(), ran.err.as_str());
        assert_eq!(given, (0, "", ""), "{ran:?}");
        assert_eq!(std::fs::metadata(&notes).unwrap().len(), before);
        let doctor = world.run(&["doctor"]).ok();
        assert!(doctor.contains(&format!("failed {times} time")), "{doctor}");
    }
}

/// A full disk may cut a line off in its middle.
#[test]
fn a_note_that_was_cut_off_takes_no_other_with_it() {
    let world = World::new();
    let torn = "{\"at\":\"2026-01-01";
    world.write("home/.local/state/recallite/hook-troubles.jsonl", torn);
    for _ in 0..2 {
        assert_eq!(hook(&world, "nonsense").code, 0);
    }
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains("failed 2 times"), "{doctor}");
}

/// What cannot be recorded as given would be given again with every prompt.
#[cfg(unix)]
#[test]
fn nothing_is_given_that_cannot_be_recorded() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let input = json!({"session_id": "s1", "hook_event_name": "UserPromptSubmit",
        "cwd": world.project("shop"), "prompt": "where does the cache live?"});
    // Nothing is written beyond the first blocks of a file; the signal of it is left out or
    // ends the process.
    for trap in ["trap '' XFSZ; ", ""] {
        let plain = world.command_in("shop", &["hook", "--deadline-ms", "60000"]);
        let command = common::in_shell(&format!("{trap}ulimit -f 4"), &plain);
        let ran = with_input(command, input.to_string().as_bytes());
        let given = (ran.code, ran.out.as_str(), ran.err.as_str());
        assert_eq!(given, (0, "", ""), "{trap}: {ran:?}");
    }
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.contains("failed 2 times"), "{doctor}");
    assert!(doctor.contains("`ulimit -f`"), "{doctor}");
    let given = context(hook(&world, &input.to_string()), "UserPromptSubmit");
    assert!(given.contains("Redis"), "{given}");
}

#[test]
fn where_nothing_is_stored_a_session_is_not_given_the_same_twice_either() {
    let world = World::new();
    let file = world.write("settings.json", r#"{"features": {"autoSave": false}}"#);
    world.run(&["remember", "The cache lives in Redis."]).ok();
    for (session, is_paused) in [("s1", false), ("s2", true)] {
        if is_paused {
            world.run(&["pause"]).ok();
        }
        let tell = |event: &str, (name, value): (&str, &str)| {
            let mut command = world.command_in("shop", &PATIENT);
            if !is_paused {
                command.env("RECALLITE_SETTINGS", &file);
            }
            let input = json!({"session_id": session, "hook_event_name": event,
                "cwd": world.project("shop"), name: value});
            context(with_input(command, input.to_string().as_bytes()), event)
        };
        let prompt = || {
            let question = ("prompt", "where does the cache live?");
            tell("UserPromptSubmit", question)
        };
        // The second time after a compaction, after which there is nothing to tell.
        for _ in 0..2 {
            let first = prompt();
            assert!(first.contains("Redis"), "{first}");
            assert_eq!(prompt(), "", "{session}");
            assert_eq!(tell("SessionStart", ("source", "compact")), "");
        }
    }
    assert_eq!(world.run(&["stats", "--json"]).json()["prompts"], 1);
}

/// The word alone makes no hook: the user would believe that the note was taken.
#[test]
fn a_mistyped_command_that_names_a_hook_is_refused() {
    let world = World::new();
    for arguments in [
        &["remember", "hook", "--bogus"][..],
        &["search", "--bogus", "hook"],
        &["--json", "search", "hook", "--limit", "x"],
        &["--project", "hook", "search"],
        &["--store", "hook", "--bogus"],
        &["install", "hook"],
    ] {
        let ran = world.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (64, ""), "{ran:?}");
        assert!(!ran.err.is_empty(), "{ran:?}");
    }
    for arguments in [
        &["--store", "x", "hook", "--bogus"][..],
        &["--json", "hook", "--deadline-ms", "soon"],
    ] {
        let ran = world.run(arguments);
        let given = (ran.code, ran.out.as_str(), ran.err.as_str());
        assert_eq!(given, (0, "", ""), "{ran:?}");
    }
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.contains("failed 2 times"), "{doctor}");
}

/// Paths of the transcript are never opened, the working folder only looked at.
#[test]
fn paths_that_are_gone_or_strange_are_harmless() {
    let world = World::new();
    let session = Session::of(&world);
    for path in [
        "/nowhere/x.jsonl",
        "/dev/zero",
        "../../etc/passwd",
        "",
        "\0",
    ] {
        let more = json!({ "transcript_path": path, "last_assistant_message": format!("a{path}") });
        assert_eq!(session.hook("Stop", more), "", "{path}");
    }
    #[cfg(unix)]
    {
        let pipe = world.pipe("home/.claude/projects/x/s1.jsonl");
        let more = json!({ "transcript_path": pipe, "last_assistant_message": "from a pipe" });
        assert_eq!(session.hook("Stop", more), "");
        let more = json!({ "cwd": pipe, "prompt": "the folder is a pipe" });
        session.hook("UserPromptSubmit", more);
        let stats = world.run(&["stats", "--json"]).json();
        assert_eq!(
            (&stats["responses"], &stats["prompts"]),
            (&json!(6), &json!(1))
        );
    }
    let gone = world.project("shop").join("deleted/deeper");
    session.hook(
        "UserPromptSubmit",
        json!({ "cwd": gone, "prompt": "from a deleted folder" }),
    );
    assert!(
        world
            .run(&["history"])
            .ok()
            .contains("from a deleted folder")
    );
    session.hook(
        "UserPromptSubmit",
        json!({ "cwd": "/nowhere", "prompt": "from nowhere" }),
    );
    let nowhere = world.run(&["history", "--project", "/nowhere"]).ok();
    assert!(nowhere.contains("from nowhere"), "{nowhere}");
}

#[cfg(unix)]
#[test]
fn a_read_only_store_never_shows_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let file = world.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let session = Session::of(&world);
    let input = session.input(
        "UserPromptSubmit",
        json!({ "prompt": "where is the cache?" }),
    );
    let set = |mode| {
        let _ = std::fs::set_permissions(world.store(), PermissionsExt::from_mode(mode));
    };
    set(0o500);
    // Root may write all the same; a file in the place of the folder stops anybody.
    for store in [world.store(), file.clone(), file.join("below")] {
        let mut command = world.command_in("shop", &PATIENT);
        command.env("RECALLITE_STORE", store);
        let ran = with_input(command, input.to_string().as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    }
    set(0o700);
    assert!(world.run(&["doctor"]).ok().contains("warning hooks"));
}

/// The same for a user who may read the store and not write it, in place of root, who may.
#[cfg(target_os = "linux")]
#[test]
fn a_store_of_another_user_never_shows_an_error() {
    use std::os::unix::fs::PermissionsExt;
    const NOBODY: [&str; 3] = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    // Whoever is not root has the test before this one.
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout.trim_ascii() != b"0" {
        return;
    }
    let world = World::new();
    // The built program may be where nobody else may go.
    let program = world.path().join("program");
    std::fs::copy(common::program(), &program).unwrap();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let as_nobody = |arguments: &[&str]| {
        let plain = world.command_in("shop", arguments);
        let mut command = Command::new("setpriv");
        command.args(NOBODY).arg(&program);
        command.args(plain.get_args());
        command.current_dir(plain.get_current_dir().unwrap());
        let variables = plain.get_envs();
        command
            .env_clear()
            .envs(variables.filter_map(|(name, value)| Some((name, value?))));
        command.env("PATH", "/usr/bin:/bin");
        command.env("XDG_STATE_HOME", world.path().join("state"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let state = world.path().join("state");
    std::fs::create_dir(&state).unwrap();
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    set(&state, 0o777);
    set(world.path(), 0o755);
    set(&world.store(), 0o755);
    for entry in std::fs::read_dir(world.store()).unwrap() {
        let path = entry.unwrap().path();
        set(&path, if path.is_dir() { 0o755 } else { 0o644 });
    }
    let tried = as_nobody(&["--version"]).stdin(Stdio::null()).output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        return common::skip("cannot run the program as another user");
    }
    let session = Session::of(&world);
    for (event, more) in [
        ("SessionStart", json!({ "source": "startup" })),
        (
            "UserPromptSubmit",
            json!({ "prompt": "where is the cache?" }),
        ),
        ("Stop", json!({ "last_assistant_message": "In Redis." })),
    ] {
        let input = session.input(event, more).to_string();
        let ran = with_input(as_nobody(&PATIENT), input.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{event}: {ran:?}");
    }
    let mut doctor = world.command_in("shop", &["doctor"]);
    doctor.env("XDG_STATE_HOME", &state);
    let told = ran(doctor.output().unwrap()).ok();
    assert!(
        told.contains("warning hooks") && told.contains("(claude-code)"),
        "{told}"
    );
    assert_eq!(world.run(&["stats", "--json"]).json()["events"], 1);
}

#[test]
fn a_damaged_store_never_shows_an_error() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    for entry in std::fs::read_dir(world.store()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::write(&path, b"damaged").unwrap();
        }
    }
    let session = Session::of(&world);
    assert_eq!(session.start("startup"), "");
    assert_eq!(session.prompt("where is the cache?"), "");
    session.answer("somewhere");
    // Nor does it hold an agent up, with the deadline that a prompt has.
    let input = session.input("UserPromptSubmit", json!({ "prompt": "where is it?" }));
    assert!(is_in_time(|| {
        let ran = world.with_input(&["hook"], input.to_string().as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    }));
    let doctor = world.run(&["doctor"]);
    assert_eq!(doctor.code, 5, "{doctor:?}");
    assert!(doctor.out.contains("warning hooks"), "{doctor:?}");
}

/// The deadline holds whatever blocks: here the caller, which never ends its
/// input. The hook is left alone, and ends by itself.
#[test]
fn a_caller_that_never_ends_its_input_is_not_waited_for() {
    for (options, variable, told) in [
        (&["--deadline-ms", "50"][..], "60000", "within 50 ms"),
        (&[], "50", "within 50 ms"),
        (&[], "", "within 300 ms"),
    ] {
        let world = World::new();
        let wait = || {
            let mut command = world.command_in("shop", &[&["hook"], options].concat());
            command.env("RECALLITE_HOOK_DEADLINE_MS", variable);
            let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
            let input = child.stdin.take();
            let ended = child.wait_with_output().unwrap();
            drop(input);
            assert!(ended.status.success() && ended.stdout.is_empty() && ended.stderr.is_empty());
        };
        assert!(is_in_time(wait), "{options:?} {variable}");
        let doctor = world.run(&["doctor"]).ok();
        assert!(doctor.contains(told), "{doctor}");
    }
}

/// Sessions are killed at every moment, while others go on.
#[test]
fn killed_hooks_leave_a_sound_store() {
    let world = World::new();
    let session = Session::of(&world);
    session.turn("The first word.", "The first answer.");
    for round in 0..25u64 {
        let input = session.input(
            "UserPromptSubmit",
            json!({"prompt": format!("word {round}")}),
        );
        let mut child = world
            .command_in("shop", &PATIENT)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(
            &mut child.stdin.take().unwrap(),
            input.to_string().as_bytes(),
        )
        .unwrap();
        for _ in 0..round * 40 {
            std::thread::yield_now();
        }
        // The process may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
        session.answer(&format!("answer {round}"));
    }
    assert!(world.run(&["check"]).ok().starts_with("ok: "));
    let stats = world.run(&["stats", "--json"]).json();
    assert_eq!(stats["responses"], 26, "{stats}");
}

/// Several sessions at once: each is served, nothing of theirs is lost.
#[test]
fn sessions_at_once_lose_nothing() {
    let world = World::new();
    let ids = ["s1", "s2", "s3"];
    std::thread::scope(|scope| {
        for (project, id) in ["shop", "shop", "blog"].into_iter().zip(ids) {
            let session = Session {
                world: &world,
                project,
                id,
            };
            scope.spawn(move || {
                for turn in 0..8 {
                    session.turn(
                        &format!("{id} asks {turn}"),
                        &format!("{id} answers {turn}"),
                    );
                }
            });
        }
    });
    let stats = world.run(&["stats", "--json"]).json();
    assert_eq!(
        (&stats["prompts"], &stats["responses"]),
        (&json!(24), &json!(24)),
        "{stats}"
    );
    assert!(world.run(&["check"]).ok().starts_with("ok: "));
    assert!(world.run(&["doctor"]).ok().contains("no failures"));
}

/// A process that writes holds the store; `flock` of the shell is not at hand
/// everywhere, so another `recallite` does it: a long import.
#[test]
fn a_store_that_is_written_to_still_answers() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let lines: String = (0..4_000)
        .map(|n| {
            format!("{{\"role\":\"user\",\"session\":\"i\",\"content\":\"line {n} of many\"}}\n")
        })
        .collect();
    let file = world.write("many.jsonl", &lines);
    let mut import: Command = world.command_in("shop", &["import", file.to_str().unwrap()]);
    let mut import = import.spawn().unwrap();
    let session = Session::of(&world);
    let mut asked = 0;
    while import.try_wait().unwrap().is_none() && asked < 20 {
        asked += 1;
        let input = session.input(
            "UserPromptSubmit",
            json!({"prompt": format!("cache {asked}?")}),
        );
        let ran = world.with_input(&["hook"], input.to_string().as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    }
    assert!(import.wait().unwrap().success());
    assert!(asked > 0);
    assert!(world.run(&["check"]).ok().starts_with("ok: "));
}

#[test]
fn a_search_is_narrowed_by_the_calls_that_hooks_recorded() {
    let world = World::new();
    let session = Session::of(&world);
    session.turn(
        "How big is the invoice table?",
        "I look at the invoice table.",
    );
    session.hook(
        "PostToolUse",
        json!({"tool_name": "Read", "tool_use_id": "t1",
        "tool_input": {"file_path": "/srv/db/invoice.sql"},
        "tool_response": {"file": {"content": "create table invoice"}}}),
    );
    session.hook(
        "PostToolUseFailure",
        json!({"tool_name": "Bash", "tool_use_id": "t2",
        "tool_input": {"command": "psql -c 'select * from invoice'"},
        "error": "Exit code 1: no table invoice"}),
    );
    let found = |options: &[&str]| -> Vec<String> {
        let arguments = [&["search", "--json", "invoice table"], options].concat();
        let found = world.run(&arguments).json();
        let items = found["items"].as_array().unwrap().iter();
        let mut actors: Vec<String> = items
            .map(|item| item["actor"].as_str().unwrap().to_owned())
            .collect();
        actors.sort();
        actors
    };
    assert_eq!(found(&[]), ["Bash", "Read", "assistant", "user"]);
    assert_eq!(found(&["--tool", "Bash", "--tool", "Edit"]), ["Bash"]);
    assert_eq!(found(&["--file", "invoice.sql"]), ["Read"]);
    assert_eq!(found(&["--failed"]), ["Bash"]);
    assert_eq!(found(&["--succeeded"]), ["Read"]);
    assert!(found(&["--level", "L1"]).is_empty());
    let history = world.run(&["history", "--json", "--failed"]).json();
    assert_eq!(history["items"].as_array().unwrap().len(), 1);
    let both = ["search", "x", "--failed", "--succeeded"];
    assert_eq!(world.run(&both).code, 64);
    assert_eq!(world.run(&["search", "x", "--level", "L9"]).code, 64);
    let refused = world.run(&["search", "x", "--tool", ""]);
    assert!(
        refused.code == 64 && refused.err.contains("--tool"),
        "{}",
        refused.err
    );
}

/// Node cuts a text at half an emoji and writes that half as an escape alone.
#[test]
fn half_a_character_does_not_cost_the_event() {
    let world = World::new();
    let session = Session::of(&world);
    let input = session.input("UserPromptSubmit", json!({"prompt": "half MARK prompt"}));
    let input = input.to_string().replace("MARK", "\\ud83d");
    assert_eq!(hook(&world, &input).code, 0);
    let input = session.input(
        "Stop",
        json!({"last_assistant_message": "half MARK answer"}),
    );
    let input = input.to_string().into_bytes();
    let at = input.windows(4).position(|it| it == b"MARK").unwrap();
    let input = [&input[..at], b"\xff", &input[at + 4..]].concat();
    assert_eq!(world.with_input(&PATIENT, &input).code, 0);
    let history = world.run(&["history", "--json"]).json();
    let texts: Vec<_> = history["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["content"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        ["half \u{fffd} answer", "half \u{fffd} prompt"],
        "{history}"
    );
}

#[test]
fn arguments_without_end_do_not_cost_the_call() {
    let world = World::new();
    let session = Session::of(&world);
    for (id, levels) in [("t1", 100), ("t2", 200), ("t3", 1_000_000)] {
        let input = session.input(
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": "MARK",
                "tool_response": {"stdout": format!("{levels} passed"), "stderr": ""}}),
        );
        let deep = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let input = input.to_string().replace("\"MARK\"", &deep);
        assert_eq!(hook(&world, &input).code, 0);
        let found = world.run(&["history", "--json"]).json();
        let last = found["items"][0]["content"].as_str().unwrap_or_default();
        assert!(last.contains(&format!("{levels} passed")), "{found}");
    }
}

/// The text is stored, so whoever wrote it must know.
#[test]
fn a_private_tag_that_hides_nothing_is_told() {
    let world = World::new();
    let session = Session::of(&world);
    for (prompt, says) in [
        ("<private>the key is in the safe", "NOT filtered"),
        (
            "What does `<private>x</private>` do?",
            "in code hides nothing",
        ),
        ("[private]x[/private] stays here", "not switched on"),
    ] {
        let given = session.prompt(prompt);
        assert!(
            given.contains("Tell the user") && given.contains(says),
            "{given}"
        );
    }
    assert_eq!(session.prompt("<private>x</private> is hidden"), "");
    // A tag that is not exact, but hid its text, is no reason to erase anything.
    let hid = session.prompt("hello <private >quagga</private > there");
    assert!(
        hid.contains("was hidden") && !hid.contains("erase"),
        "{hid}"
    );
    assert!(!world.run(&["history"]).ok().contains("quagga"));
    // Agents and tools write about tags.
    session.answer("`<private>x</private>` hides x.");
    let doctor = world.run(&["doctor"]).out;
    assert!(
        doctor.contains("warned 3 times") && doctor.contains("recallite erase"),
        "{doctor}"
    );
    assert!(
        doctor.contains("warned 1 time") && doctor.contains("the text was hidden"),
        "{doctor}"
    );
}

/// What a start tells is fenced by the store: an agent that repeats it says nothing new.
#[test]
fn an_echo_of_a_start_is_recognised() {
    let world = World::new();
    world
        .run(&["task", "add", "Call the bank about zyzzyva"])
        .ok();
    let session = Session::of(&world);
    let told = session.start("startup");
    assert!(told.contains("zyzzyva"), "{told}");
    session.answer(&format!("As I was told: {told}"));
    let memory = world.run(&["search", "zyzzyva", "--json"]).json();
    assert_eq!(memory["items"], json!([]), "{memory}");
}
