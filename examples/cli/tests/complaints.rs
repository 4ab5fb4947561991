//! What users of such tools complain about most, each as a test. Those that need many
//! of them are in files of their own: a failing memory in `hooks.rs`, memories of the
//! wrong project in `hooks.rs` and `commands.rs`, no way to delete in `commands.rs`, no
//! export in `moving.rs`, a broken configuration in `install.rs`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::path::Path;

use common::session::{Session, tokens};
use common::{World, program};
use serde_json::{Value, json};

/// A session of Claude Code from its start to its end; gives what it was given.
fn whole_session(session: &Session<'_>) -> [String; 2] {
    let given = [
        session.start("startup"),
        session.turn("where does the cache live?", "In Redis."),
    ];
    session.hook(
        "PostToolUse",
        json!({ "tool_name": "Bash", "tool_use_id": "t1",
            "tool_input": { "command": "cargo test" }, "tool_response": "3 passed" }),
    );
    session.hook("SessionEnd", json!({ "reason": "other" }));
    given
}

/// No model, no Python, no server: an empty search path and an empty home are enough,
/// and nothing appears there.
#[test]
fn nothing_is_installed_or_fetched() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let session = Session::of(&world);
    let [_, given] = whole_session(&session);
    assert!(given.contains("Redis"), "{given}");
    world.run(&["maintain"]).ok();
    let left: Vec<_> = std::fs::read_dir(world.home()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let mut beside: Vec<_> = std::fs::read_dir(world.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    beside.sort();
    assert_eq!(beside, ["home", "store", "work"]);
}

/// However much there is to tell.
#[test]
fn the_context_of_a_start_stays_small() {
    let world = World::new();
    let old = Session::of(&world);
    let long = "The long story of the cache goes on. ".repeat(3_000);
    for turn in 0..3 {
        old.turn(&format!("{turn}? {long}"), &format!("{turn}! {long}"));
    }
    let title = "Move the cache to another server, ".repeat(12);
    for number in 0..12 {
        let title = format!("{number}: {title}");
        let blocker = format!("the word of team {number}, {title}");
        world
            .run(&["task", "add", &title, "--blocked-by", &blocker])
            .ok();
    }
    world
        .run(&["remember", &"We decide. ".repeat(9), "--session", "s9"])
        .ok();
    let decided: Vec<Value> = (0..9)
        .map(|number| {
            json!({ "id": format!("e{number}"), "type": "decision",
                "title": format!("{number}: {title}"), "content": format!("{number}: {title}"),
                "quotes": [{ "message_index": 0, "quote": "We decide." }] })
        })
        .collect();
    world.ingest("s9", &json!({ "schema_version": 1, "entries": decided }));

    let new = |id| Session { id, ..old };
    for given in [
        new("s2").start("startup"),
        new("s3").start("clear"),
        old.start("compact"),
    ] {
        for part in ["task: ", "decided: ", "long story"] {
            assert!(given.contains(part), "{given}");
        }
        // Each can be cited and looked up, and a task changed by its id.
        for line in given.lines() {
            let is_task = line.contains(" task: ") && line.starts_with("> ");
            let is_known = line.starts_with("> [mem:") && (!is_task || line.contains("] [task_"));
            let stands = is_task || line.contains("] decided: ");
            assert!(!stands || is_known, "{line}");
        }
        let citation = &given[given.find("> [mem:").unwrap() + 3..];
        let citation = citation.split(']').next().unwrap();
        world.run(&["show", citation]).ok();
        assert!(tokens(&given) <= 1_500, "{} tokens", tokens(&given));
    }
    let given = new("s4").prompt("how does the long story of the cache go on?");
    assert!(given.contains("long story"), "{given}");
    assert!(tokens(&given) <= 800, "{} tokens", tokens(&given));
}

/// The same in Korean, a character of which is about a token of a model.
#[test]
fn the_context_of_a_korean_session_stays_small() {
    let world = World::new();
    let old = Session::of(&world);
    for (question, answer) in [
        ("캐시는 레디스에 두자.", "레디스를 설치했습니다."),
        ("배포는 금요일에 하자.", "일정을 적어 두었습니다."),
        ("로그는 하루만 보관하자.", "보관 기간을 바꾸었습니다."),
    ] {
        old.turn(&question.repeat(150), answer);
    }
    for number in 0..12 {
        let title = "결제 화면의 글꼴을 바꾸고 시험을 다시 돌린다 ".repeat(4);
        world
            .run(&["task", "add", &format!("{number} {title}")])
            .ok();
    }
    let given = Session { id: "s2", ..old }.start("startup");
    for part in ["task: ", "배포는 금요일에"] {
        assert!(given.contains(part), "{given}");
    }
    assert!(tokens(&given) <= 1_500, "{} tokens", tokens(&given));
    let given = Session { id: "s3", ..old }.prompt("캐시는 어디에 두나?");
    assert!(given.contains("레디스"), "{given}");
    assert!(tokens(&given) <= 800, "{} tokens", tokens(&given));
}

/// A start tells what was decided, not what was forgotten, made up or has expired.
#[test]
fn a_start_tells_only_what_stands() {
    let world = World::new();
    world
        .run(&[
            "remember",
            "We keep the ledger in SQLite, and Ada moves it.",
            "--session",
            "s1",
        ])
        .ok();
    let decision = |id: &str, title: &str, quote: &str| {
        json!({ "id": id, "type": "decision", "title": title, "content": title,
            "quotes": [{ "message_index": 0, "quote": quote }] })
    };
    let mut expired = decision("e3", "Freeze of last year", "We keep the ledger in SQLite");
    expired["valid_to"] = json!("2020-01-01T00:00:00Z");
    let extraction = json!({ "schema_version": 1,
        "entries": [
            decision("e1", "Ledger in SQLite", "We keep the ledger in SQLite"),
            decision("e2", "Books on paper", "nobody ever wrote this"),
            expired,
        ],
        "tasks": [{ "id": "t1", "title": "Move the ledger", "status": "blocked",
            "blocked_by": ["OPS-1"],
            "quotes": [{ "message_index": 0, "quote": "Ada moves it" }] }] });
    world.ingest("s1", &extraction);
    world.run(&["task", "add", "Call the bank"]).ok();
    let session = Session {
        world: &world,
        project: "shop",
        id: "s2",
    };
    let lists: [&[&str]; 4] = [
        &["tasks"],
        &["blocked"],
        &["entries"],
        &["export", "--format", "markdown"],
    ];
    let told = session.start("startup");
    for part in [
        "decided: Ledger in SQLite",
        "task: Move the ledger",
        "Call the bank",
    ] {
        assert!(told.contains(part), "{told}");
    }
    for part in ["on paper", "Freeze"] {
        assert!(!told.contains(part), "{told}");
    }
    let listed = |list: &[&str]| world.run(list).ok();
    assert!(lists.iter().all(|list| listed(list).contains("edger")));

    world.run(&["forget", "--session", "s1", "--confirm"]).ok();
    let told = session.start("startup");
    assert!(told.contains("Call the bank"), "{told}");
    assert!(!told.contains("edger"), "{told}");
    for list in lists {
        assert!(!listed(list).contains("edger"), "{list:?}");
    }
    for list in ["tasks", "entries"] {
        assert!(listed(&[list, "--forgotten"]).contains("edger"), "{list}");
    }
}

/// Hosts repeat calls, and people repeat themselves.
#[test]
fn nothing_is_stored_or_given_twice() {
    let world = World::new();
    for session in ["s1", "s2", "s3", "s4"] {
        world
            .run(&[
                "remember",
                "The cache lives in Redis.",
                "--session",
                session,
            ])
            .ok();
    }
    let session = Session {
        world: &world,
        project: "shop",
        id: "s5",
    };
    let given = session.prompt("where does the cache live?");
    assert_eq!(given.matches("Redis").count(), 1, "{given}");
    session.prompt("where does the cache live?");
    for _ in 0..2 {
        session.answer("In Redis, I think.");
        session.hook(
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_use_id": "t1",
                "tool_input": { "command": "ls" }, "tool_response": "a.rs" }),
        );
    }
    let stats = world.run(&["stats", "--json"]).json();
    let counted = ["prompts", "responses", "tools"].map(|kind| stats[kind].as_u64().unwrap());
    // The notes are prompts of their sessions.
    assert_eq!(counted, [4 + 1, 1, 1], "{stats}");
}

/// A script or another program between the host and the command is what opens a window on Windows,
/// and what fails where it is not installed. Claude Code starts the program itself; the other hosts
/// give a command line to their shell.
#[test]
fn hosts_start_nothing_but_the_command() {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins");
    let mut commands = Vec::new();
    for name in [
        "claude-code/hooks/hooks.json",
        "claude-code/.mcp.json",
        "codex/hooks/hooks.json",
        "codex/.mcp.json",
        "gemini-cli/hooks/hooks.json",
        "gemini-cli/gemini-extension.json",
    ] {
        let text = std::fs::read_to_string(plugins.join(name)).unwrap();
        let before = commands.len();
        collect(&serde_json::from_str(&text).unwrap(), &mut commands);
        assert!(commands.len() > before, "{name} starts nothing");
    }
    for words in commands {
        assert_eq!(words[0], "recallite", "{words:?}");
        let plain = |word: &String| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        assert!(words.iter().all(plain), "a shell's sign in {words:?}");
    }
    let hooks = plugins.join("claude-code/hooks/hooks.json");
    let hooks: Value = serde_json::from_str(&std::fs::read_to_string(hooks).unwrap()).unwrap();
    for group in hooks["hooks"].as_object().unwrap().values() {
        let hook = &group[0]["hooks"][0];
        assert!(
            hook["command"] == "recallite" && hook["args"].is_array(),
            "{hook}"
        );
    }
}

/// What npm puts on the search path is a script; `install` writes the program that it starts.
#[test]
fn an_installation_calls_the_program_by_its_path() {
    let world = World::new();
    for (host, files) in [
        (
            "claude-code",
            &[
                ".claude/skills/recallite/hooks/hooks.json",
                ".claude/skills/recallite/.mcp.json",
            ][..],
        ),
        ("codex", &[".codex/hooks.json"]),
        (
            "gemini-cli",
            &[
                ".gemini/extensions/recallite/hooks/hooks.json",
                ".gemini/extensions/recallite/gemini-extension.json",
            ],
        ),
        ("cursor", &[".cursor/mcp.json"]),
        ("vscode", &[".copilot/hooks/recallite.json"]),
    ] {
        world.run(&["install", host]).ok();
        for file in files {
            let text = std::fs::read_to_string(world.home().join(file)).unwrap();
            let mut commands = Vec::new();
            collect(&serde_json::from_str(&text).unwrap(), &mut commands);
            assert!(!commands.is_empty(), "{file}");
            for words in commands {
                assert_eq!(words[0], program(), "{words:?}");
            }
        }
    }
    let config = std::fs::read_to_string(world.home().join(".codex/config.toml")).unwrap();
    let program = format!("command = \"{}\"", program());
    assert!(config.contains(&program), "{config}");
}

/// Every command of a configuration, as its words.
fn collect(value: &Value, found: &mut Vec<Vec<String>>) {
    if let Some(command) = value["command"].as_str() {
        let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let arguments = value["args"].as_array().into_iter().flatten();
        words.extend(arguments.map(|word| word.as_str().unwrap().to_owned()));
        found.push(words);
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}

#[cfg(target_os = "linux")]
mod traced {
    use std::process::{Child, Command, Stdio};

    use super::common::session::{PATIENT, is_in_time};
    use super::common::{Ran, skip, with_input};
    use super::*;

    /// The command under strace, which writes down the calls of these kinds.
    fn traced(world: &World, arguments: &[&str], options: &[&str]) -> Command {
        let plain = world.command_in("shop", arguments);
        let mut command = Command::new("strace");
        command
            .args(["-f", "-qq", "-o"])
            .arg(log(world))
            .args(options)
            .arg("--")
            .arg(plain.get_program())
            .args(plain.get_args())
            .current_dir(plain.get_current_dir().unwrap())
            .env_clear()
            .envs(plain.get_envs().map(|(name, value)| (name, value.unwrap())))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn log(world: &World) -> std::path::PathBuf {
        world.path().join("strace.log")
    }

    fn cannot_trace() -> bool {
        let works = Command::new("strace")
            .args(["-o", "/dev/null", "true"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !works {
            skip("strace is missing or may not trace here");
        }
        !works
    }

    /// That the traced program started threads at most, and opened no socket.
    fn assert_alone(world: &World, ran: &Ran) {
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
        let text = std::fs::read_to_string(log(world)).unwrap();
        let mut programs = 0;
        for line in text.lines() {
            let (_, call) = line.split_once(' ').unwrap();
            let call = call.trim_start();
            let name = call.split('(').next().unwrap();
            let is_fine = match name {
                "execve" => {
                    programs += 1;
                    programs == 1
                }
                "clone" | "clone3" => call.contains("CLONE_THREAD"),
                "exit" | "exit_group" => true,
                // Two ends inside the program, by which it learns of signals.
                "socketpair" => call.contains("AF_UNIX"),
                // The end of a call that was judged at its beginning, or no call.
                // (strace writes `???` of a thread that ended while it looked.)
                _ => ["<", "+++", "---", "???"]
                    .iter()
                    .any(|begin| call.starts_with(begin)),
            };
            assert!(is_fine, "{line}");
        }
        assert_eq!(programs, 1, "{text}");
    }

    /// No daemon, no port, no other program: neither in a hook nor in the MCP server.
    #[test]
    fn nothing_is_started_and_no_port_is_opened() {
        if cannot_trace() {
            return;
        }
        const CALLS: [&str; 2] = ["-e", "trace=%network,%process"];
        let world = World::new();
        world.run(&["remember", "The cache lives in Redis."]).ok();
        let session = Session::of(&world);
        for (event, more) in [
            ("SessionStart", json!({ "source": "startup" })),
            (
                "UserPromptSubmit",
                json!({ "prompt": "where does the cache live?" }),
            ),
            ("Stop", json!({ "last_assistant_message": "In Redis." })),
            ("SessionEnd", json!({ "reason": "other" })),
        ] {
            let input = session.input(event, more).to_string();
            let ran = with_input(traced(&world, &PATIENT, &CALLS), input.as_bytes());
            assert_alone(&world, &ran);
        }
        let calls = [
            json!({ "method": "initialize", "params": { "protocolVersion": "2025-06-18",
                "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } }),
            json!({ "method": "tools/call",
                "params": { "name": "search", "arguments": { "query": "cache" } } }),
        ];
        let lines: String = (1..)
            .zip(calls)
            .map(|(id, mut call)| {
                call["jsonrpc"] = json!("2.0");
                call["id"] = json!(id);
                format!("{call}\n")
            })
            .collect();
        let ran = with_input(traced(&world, &["mcp"], &CALLS), lines.as_bytes());
        assert!(ran.out.contains("Redis"), "{ran:?}");
        assert_alone(&world, &ran);
    }

    /// A process that stands still in the middle of its commit.
    struct Stopped {
        strace: Child,
        pid: String,
    }

    impl Stopped {
        fn writer(world: &World) -> Stopped {
            let options = ["-e", "trace=fdatasync"];
            // The first is of the opening, the third of the commit.
            let at = ["-e", "inject=fdatasync:signal=SIGSTOP:when=3"];
            let mut command = traced(world, &["remember", "slow"], &[options, at].concat());
            let mut strace = command.spawn().unwrap();
            loop {
                let text = std::fs::read_to_string(log(world)).unwrap_or_default();
                if let Some(line) = text
                    .lines()
                    .find(|line| line.contains("stopped by SIGSTOP"))
                {
                    let pid = line.split(' ').next().unwrap().to_owned();
                    return Stopped { strace, pid };
                }
                assert!(strace.try_wait().unwrap().is_none(), "it never stopped");
                std::thread::yield_now();
            }
        }

        fn signal(&self, signal: &str) {
            let kill = Command::new("kill").args([signal, &self.pid]).status();
            assert!(kill.unwrap().success());
        }
    }

    impl Drop for Stopped {
        fn drop(&mut self) {
            if self.strace.try_wait().is_ok_and(|ended| ended.is_none()) {
                self.signal("-KILL");
                let _ = self.strace.wait();
            }
        }
    }

    /// The agent goes on, `doctor` tells of it, and nothing is lost that was told.
    #[test]
    fn a_store_that_is_held_stops_no_agent() {
        if cannot_trace() {
            return;
        }
        let world = World::new();
        world.run(&["remember", "The cache lives in Redis."]).ok();
        let mut stopped = Stopped::writer(&world);
        let session = Session::of(&world);
        let mut failed = 0;
        for (event, more) in [
            ("SessionStart", json!({ "source": "startup" })),
            (
                "UserPromptSubmit",
                json!({ "prompt": "where does the cache live?" }),
            ),
            ("Stop", json!({ "last_assistant_message": "In Redis." })),
        ] {
            let input = session.input(event, more).to_string();
            let ended = is_in_time(|| {
                let ran = world.with_input(&["hook"], input.as_bytes());
                assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{event}: {ran:?}");
                failed += 1;
            });
            assert!(ended, "{event}");
            assert!(stopped.strace.try_wait().unwrap().is_none());
        }
        // The time for upkeep after a turn is not spent on waiting for the store.
        let more = json!({ "last_assistant_message": "In Redis, I said." });
        let input = session.input("Stop", more).to_string();
        let ran = world.with_input(&["hook", "--deadline-ms", "10000"], input.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
        let last = world.run(&["doctor"]).out;
        assert!(!last.contains("within 10000 ms"), "{last}");
        stopped.signal("-CONT");
        assert!(stopped.strace.wait().unwrap().success());
        let doctor = world.run(&["doctor"]).ok();
        let counts = doctor.split("hooks     failed ").skip(1);
        let counts = counts.map(|rest| rest.split(' ').next().unwrap());
        let failures: usize = counts.map(|count| count.parse::<usize>().unwrap()).sum();
        assert!(
            failures == failed + 1 && doctor.contains("(claude-code)"),
            "{doctor}"
        );
        assert!(world.run(&["check"]).ok().starts_with("ok: "));
        assert!(world.run(&["history"]).ok().contains("slow"));
        assert!(
            session
                .prompt("where does the cache live?")
                .contains("Redis")
        );
    }
}
