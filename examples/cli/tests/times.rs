//! How long an agent waits for each hook, printed beside the floor. Nothing is asserted on time.
//! `RECALLITE_TEST_EVENTS` sets the size of the store; figures of a large one in a release build come
//! from `recallite-benches hosts`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use common::World;
use common::session::{Session, context};
use serde_json::{Value, json};

/// The events of the store, unless the environment names another number.
const EVENTS: usize = 2_000;
const SESSIONS: usize = 12;

fn events() -> usize {
    std::env::var("RECALLITE_TEST_EVENTS").map_or(EVENTS, |number| number.parse().unwrap())
}

const HOOKS: [&str; 5] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "Stop",
    "SessionEnd",
];

/// The arguments with which the plugin of Claude Code calls a hook.
fn arguments(event: &str) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/claude-code/hooks/hooks.json");
    let plugin: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let words = plugin["hooks"][event][0]["hooks"][0]["args"].as_array();
    let words = words.unwrap().iter();
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

/// A new process that says its version, and 600 bytes written and synced.
fn floor(world: &World) -> Duration {
    let begun = Instant::now();
    world.run(&["--version"]).ok();
    let mut file = std::fs::File::create(world.path().join("floor")).unwrap();
    file.write_all(&[7; 600]).unwrap();
    file.sync_data().unwrap();
    begun.elapsed()
}

/// The median and the time that one of a hundred is over, in milliseconds.
fn percentiles(times: &mut [Duration]) -> (f64, f64) {
    times.sort();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    (at(50).as_secs_f64() * 1e3, at(99).as_secs_f64() * 1e3)
}

#[test]
fn the_times_of_each_hook_are_printed_beside_the_floor() {
    let world = World::new();
    let events = events();
    let lines: String = (0..events)
        .map(|n| {
            let text = format!("Service number {n} keeps its records in database number {n}.");
            format!(
                "{}\n",
                json!({"role": "user", "session": "old", "content": text})
            )
        })
        .collect();
    let file = world.write("old.jsonl", &lines);
    let project = world.project("shop");
    let words = [
        "import",
        file.to_str().unwrap(),
        "--project",
        project.to_str().unwrap(),
    ];
    world.run(&words).ok();

    let mut floors = Vec::new();
    let mut times = vec![Vec::new(); HOOKS.len()];
    for round in 0..SESSIONS {
        floors.push(floor(&world));
        let id = format!("s{round}");
        let session = Session {
            world: &world,
            project: "shop",
            id: &id,
        };
        let prompt = format!("where does service number {} keep its records?", round * 7);
        let more = json!({"source": "startup", "prompt": prompt, "tool_name": "Bash",
            "tool_use_id": id, "tool_input": {"command": "ls"}, "reason": "other",
            "tool_response": {"stdout": "a.rs", "stderr": ""},
            "last_assistant_message": "In its database."});
        for (event, times) in HOOKS.iter().zip(&mut times) {
            let input = session.input(event, more.clone()).to_string();
            let words = arguments(event);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let begun = Instant::now();
            let ran = world.with_input(&words, input.as_bytes());
            times.push(begun.elapsed());
            context(ran, event);
        }
    }
    let (floor, slowest) = percentiles(&mut floors);
    let mut said = format!(
        "\nhooks at {events} events in a build that is not optimised, p50 and p99 of {SESSIONS}:\n  \
         {:<18} {floor:>6.1} {slowest:>6.1} ms\n",
        "the floor"
    );
    for (event, times) in HOOKS.iter().zip(&mut times) {
        let (p50, p99) = percentiles(times);
        let ratio = p50 / floor;
        writeln!(
            said,
            "  {event:<18} {p50:>6.1} {p99:>6.1} ms, {ratio:.1} times the floor"
        )
        .unwrap();
    }
    // Past the test's own runner, which keeps what a test prints to itself.
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}
