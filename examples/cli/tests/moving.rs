//! Import and export as a person meets them: what coding agents left is found,
//! taken in once, and comes out again.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{World, ran};
use recallite::{EventKind, Memory, NewEvent};
use serde_json::{Value, json};

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

fn claude_code(world: &World) -> String {
    let cwd = world.project("shop");
    lines(&[
        json!({"type": "user", "sessionId": "c1", "uuid": "u1", "cwd": cwd,
            "timestamp": "2026-01-30T14:05:00Z",
            "message": {"role": "user", "content": "세션은 Redis에 두자."}}),
        json!({"type": "assistant", "sessionId": "c1", "uuid": "u2", "cwd": cwd,
            "timestamp": "2026-01-30T14:05:09Z",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Redis it is."}]}}),
    ])
}

fn codex(world: &World) -> String {
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-02-01T09:00:00Z", "type": kind, "payload": payload});
    lines(&[
        line(
            "session_meta",
            json!({"id": "x1", "cwd": world.project("blog")}),
        ),
        line(
            "response_item",
            json!({"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": "The blog moves to Hugo."}]}),
        ),
        line(
            "response_item",
            json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "Moved."}]}),
        ),
    ])
}

fn gemini_cli() -> String {
    lines(&[
        json!({"sessionId": "g1", "projectHash": "h", "startTime": "2026-03-01T09:00:00Z"}),
        json!({"id": "m1", "type": "user", "timestamp": "2026-03-01T09:00:00Z",
            "content": [{"text": "<hook_context>&lt;recalled&gt;</hook_context>\n\nUse tabs in Makefiles."},
                {"text": "<hook_context>&lt;recalled again&gt;</hook_context>"}]}),
        json!({"id": "m2", "type": "user", "timestamp": "2026-03-01T08:59:00Z",
            "content": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}),
        json!({"$set": {"summary": "x"}}),
    ])
}

/// Puts conversations where the agents keep them.
fn left_by_agents(world: &World) {
    world.write(
        "home/.claude/projects/-work-shop/c1.jsonl",
        &claude_code(world),
    );
    world.write(
        "home/.codex/sessions/2026/02/01/rollout-x1.jsonl",
        &codex(world),
    );
    world.write(
        "home/.gemini/tmp/shop/chats/session-g1.jsonl",
        &gemini_cli(),
    );
    let root = world.project("shop");
    world.write(
        "home/.gemini/tmp/shop/.project_root",
        root.to_str().unwrap(),
    );
    world.write(
        "home/.gemini/tmp/shop/logs.json",
        "[{\"sessionId\":\"g1\"}]",
    );
}

#[test]
fn what_the_agents_left_is_imported_without_being_named() {
    let world = World::new();
    left_by_agents(&world);
    let report = world.run(&["import", "--json"]).json();
    assert_eq!(report["files"], 3, "{report}");
    assert_eq!(
        (&report["prompts"], &report["responses"]),
        (&json!(3), &json!(2)),
        "{report}"
    );
    let shop = world.run(&["history"]).ok();
    assert!(
        shop.contains("Redis") && shop.contains("Makefiles") && !shop.contains("Hugo"),
        "{shop}"
    );
    assert!(
        !shop.contains("recalled") && !shop.contains("_context"),
        "{shop}"
    );
    let blog = world.run_in("blog", &["history"]).ok();
    assert!(blog.contains("Hugo") && !blog.contains("Redis"), "{blog}");
    let again = world.run(&["import", "--json"]).json();
    assert_eq!(
        (&again["prompts"], &again["duplicates"]),
        (&json!(0), &json!(5)),
        "{again}"
    );
    let said = world.run(&["import"]).ok();
    assert!(
        said.contains("nothing new") && said.contains("5 already in the store"),
        "{said}"
    );
}

#[test]
fn a_project_that_is_named_is_that_of_every_conversation() {
    let world = World::new();
    left_by_agents(&world);
    let report = world
        .run(&["import", "--project", "archive", "--json"])
        .json();
    assert_eq!(report["prompts"], 3, "{report}");
    let found = world
        .run(&["history", "--project", "archive", "--json"])
        .json();
    assert_eq!(found["items"].as_array().unwrap().len(), 5, "{found}");
    for project in ["shop", "blog"] {
        let found = world.run_in(project, &["history", "--json"]).json();
        assert_eq!(found["items"], json!([]), "{found}");
    }
}

#[test]
fn broken_files_are_told_and_the_others_imported() {
    let world = World::new();
    let good = world.write("in/good.jsonl", &(codex(&world) + "{\"half\": \n\u{0}\n"));
    world.write("in/notes.txt", "no transcript");
    world.write("in/empty.jsonl", "");
    world.write("in/strange.json", "{\"sessionId\": 7, \"messages\": 8}");
    let folder = good.parent().unwrap().to_str().unwrap();
    let ran = world.run(&["import", folder, "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let report = ran.json();
    assert_eq!(
        (&report["prompts"], &report["broken_lines"]),
        (&json!(1), &json!(2)),
        "{report}"
    );
    let broken = &report["broken_files"][0];
    assert_eq!(broken["path"], json!(good.to_str().unwrap()));
    let lines: Vec<_> = broken["first"].as_array().unwrap().iter().collect();
    assert_eq!(lines.len(), 2, "{report}");
    let told = world.run(&["import", folder]).out;
    let last = lines[1]["line"].as_u64().unwrap();
    assert!(told.contains(&format!("line {last}: not JSON")), "{told}");
    assert_eq!(
        report["failed_files"].as_array().unwrap().len(),
        1,
        "{report}"
    );
    let nothing = world.write("none/notes.txt", "x");
    let ran = world.run(&["import", nothing.to_str().unwrap()]);
    assert_eq!(ran.code, 3, "{ran:?}");
}

#[test]
fn a_conversation_that_begins_with_a_picture_is_imported() {
    let world = World::new();
    let picture = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png",
        "data": "iVBORw0K".repeat(500_000)}});
    let text = json!({"type": "text", "text": "Why is the button red?"});
    let line = json!({"type": "user", "sessionId": "c1", "uuid": "u1", "cwd": world.project("shop"),
        "timestamp": "2026-01-30T14:05:00Z",
        "message": {"role": "user", "content": [picture, text]}});
    let file = world.write("in/c1.jsonl", &lines(&[line]));
    let folder = file.parent().unwrap().to_str().unwrap();
    let report = world.run(&["import", folder, "--json"]).json();
    assert_eq!(report["prompts"], 1, "{report}");
    let found = world.run(&["search", "red button"]).ok();
    assert!(found.contains("Why is the button red?"), "{found}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let world = World::new();
    let pipe = world.pipe("pipe.jsonl");
    assert_eq!(world.run(&["import", pipe.to_str().unwrap()]).code, 3);
}

const NOTES: &str = "# Deploys\n\nWe deploy on Fridays.\n\n- The staging port is 8443.\n";

#[test]
fn notes_of_agents_are_imported_with_their_file_and_line() {
    let world = World::new();
    let file = world.write("work/shop/CLAUDE.md", NOTES);
    world.write("work/shop/node_modules/other/AGENTS.md", "# Not ours");
    world.write("work/shop/README.md", "# No note for an agent");
    world.write(
        "work/shop/.cursor/rules/style.mdc",
        "---\nx: y\n---\nUse tabs.\n",
    );
    // Instructions for an agent, in a folder that is called as one of notes.
    for file in ["SKILL.md", "memory/more.md"] {
        world.write(&format!("work/shop/skills/memory/{file}"), "# How to ask");
    }
    let folder = world.project("shop");
    let folder = folder.to_str().unwrap();
    let said = world.run(&["import", folder]).ok();
    assert!(said.starts_with("imported 3 notes from 2 files"), "{said}");
    let found = world.run(&["search", "--json", "staging port"]).json();
    let citation = found["items"][0]["citation"].as_str().unwrap();
    let shown = world.run(&["show", citation]).ok();
    assert!(shown.contains("    The staging port is 8443."), "{shown}");
    let place = file.canonicalize().unwrap();
    assert!(
        shown.contains(&format!("from {}:5", place.display())),
        "{shown}"
    );
    assert!(shown.contains("    Deploys"), "{shown}");
    // Only what is new, from whatever folder.
    fs::write(&file, NOTES.to_owned() + "- The live port is 443.\n").unwrap();
    let again = world.run_in("blog", &["import", folder, "--json"]).json();
    assert_eq!(
        (&again["notes"], &again["duplicates"]),
        (&json!(1), &json!(3)),
        "{again}"
    );
    assert!(world.run(&["search", "live port"]).ok().contains("443"));
    let readme = world.project("shop").join("README.md");
    let named = world.run(&["import", readme.to_str().unwrap()]);
    assert!(
        named.out.contains("nothing new"),
        "a heading alone is no note: {named:?}"
    );
}

#[test]
fn notes_in_the_users_home_are_imported_without_being_named() {
    let world = World::new();
    left_by_agents(&world);
    world.write("home/.claude/CLAUDE.md", "- I like short answers.");
    world.write(
        "home/.claude/projects/-work-shop/memory/MEMORY.md",
        "- [Ports](ports.md)\n",
    );
    world.write(
        "home/.claude/projects/-work-shop/memory/ports.md",
        "The port is 8443.",
    );
    world.write("home/.codex/AGENTS.md", "- I like long answers.");
    world.write(
        "home/.codex/memories/MEMORY.md",
        "- [The deploy](https://x.example) runs on Fridays.",
    );
    // From these Codex makes the other.
    world.write("home/.codex/memories/raw_memories.md", "- a draft");
    world.write(
        "home/.codex/memories/rollout_summaries/x1.md",
        "- a summary",
    );
    let report = world.run(&["import", "--json"]).json();
    assert_eq!(
        (&report["notes"], &report["prompts"]),
        (&json!(4), &json!(3)),
        "{report}"
    );
    // The transcripts beside a memory folder say whose it is.
    let shop = world.run(&["history", "--json"]).json();
    let of = |text: &str| {
        let items = shop["items"].as_array().unwrap();
        items.iter().find(|it| it["content"] == text).cloned()
    };
    assert_eq!(of("The port is 8443.").unwrap()["actor"], "assistant");
    assert!(of("I like short answers.").is_none());
    let all = world.run(&["history", "-a"]).ok();
    assert!(
        all.contains("short answers") && all.contains("long answers"),
        "{all}"
    );
    assert!(
        !all.contains("a draft") && !all.contains("a summary"),
        "{all}"
    );
    let all = world.run(&["history", "-a", "--json"]).json();
    let mut all = all["items"].as_array().unwrap().iter();
    let deploy = all.find(|it| it["content"].as_str().unwrap().contains("Fridays"));
    let deploy = deploy.unwrap();
    assert_eq!(
        (&deploy["actor"], &deploy["project"]),
        (&json!("assistant"), &json!("")),
        "{deploy}"
    );
}

#[cfg(unix)]
#[test]
fn hostile_notes_are_refused_or_bounded() {
    let world = World::new();
    world.write("in/CLAUDE.md", "- The good one.");
    let secret = world.write("secret.md", "- my secret");
    std::os::unix::fs::symlink(&secret, world.path().join("in/AGENTS.md")).unwrap();
    // A second name of a file in the folder is nothing to tell.
    std::os::unix::fs::symlink("CLAUDE.md", world.path().join("in/GEMINI.md")).unwrap();
    std::os::unix::fs::symlink("/", world.path().join("in/memory")).unwrap();
    let huge = world.write("in/1/CLAUDE.md", "- huge");
    let file = fs::OpenOptions::new().write(true).open(huge).unwrap();
    file.set_len(1 << 30).unwrap();
    fs::write(world.write("in/2/CLAUDE.md", ""), b"\x7fELF\0\xff").unwrap();
    world.write("in/3/CLAUDE.md", &"- a bullet of many\n".repeat(50_000));
    let bullets: String = (0..3_000).map(|n| format!("- bullet {n}\n")).collect();
    world.write("in/4/CLAUDE.md", &bullets);
    world.write("in/5/CLAUDE.md", &"> ".repeat(300_000));
    for pipe in ["in/6.md", "in/6/CLAUDE.md"] {
        let pipe = world.path().join(pipe);
        fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
    }
    let folder = world.path().join("in");
    let ran = world.run(&[
        "import",
        folder.to_str().unwrap(),
        "--project",
        "shop",
        "--json",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let report = ran.json();
    assert_eq!(report["notes"], 1 + 1 + 2_000, "{report}");
    let failed = report["failed_files"].as_array().unwrap();
    assert_eq!(failed.len(), 2, "{report}");
    let refused = report["refused"].to_string();
    assert!(
        refused.contains("in/AGENTS.md: is a link that points outside"),
        "{refused}"
    );
    assert!(
        refused.contains("skipped those from line 2001 on"),
        "{refused}"
    );
    assert!(!refused.contains("GEMINI"), "{refused}");
    assert!(!world.run(&["history", "-a"]).ok().contains("secret"));
    let pipe = world.path().join("in/6.md");
    assert_eq!(world.run(&["import", pipe.to_str().unwrap()]).code, 3);
}

#[test]
fn an_export_can_be_imported_elsewhere() {
    let world = World::new();
    left_by_agents(&world);
    world.run(&["import"]).ok();
    let file = world.path().join("all.jsonl");
    let said = world
        .run(&["export", "-a", "-o", file.to_str().unwrap()])
        .ok();
    assert!(said.contains("exported 5 events"), "{said}");
    let taken = world.run(&["export", "-a", "-o", file.to_str().unwrap()]);
    assert_eq!(taken.code, 1);
    assert!(taken.err.contains("already exists"), "{taken:?}");
    let other = World::new();
    let said = other.run(&["import", file.to_str().unwrap()]).ok();
    assert!(said.starts_with("imported 5 events from 1 file"), "{said}");
    let history = other.run(&["history", "-a", "--json"]).json();
    assert_eq!(history["items"].as_array().unwrap().len(), 5);
    let all = other.run(&["history", "-a"]).ok();
    assert!(all.contains("Redis") && all.contains("Hugo"), "{all}");
}

#[test]
fn an_export_of_a_damaged_store_keeps_what_can_be_read() {
    let world = World::new();
    let long = "lighthouse ".repeat(300);
    for word in ["apples", "zqpears", "plums"] {
        // Each record has a page of its own.
        world
            .run(&["remember", &format!("{long}{word} {long}")])
            .ok();
    }
    world.damage(b"lighthouse zqpears lighthouse");
    let file = world.path().join("all.jsonl");
    let file = file.to_str().unwrap();
    let ran = world.run(&["export", "--whole", "-o", file]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.err.contains("were written"), "{ran:?}");
    let other = World::new();
    other.run(&["import", file]).ok();
    let all = fs::read_to_string(file).unwrap();
    for (word, is_there) in [("apples", true), ("zqpears", false), ("plums", true)] {
        assert_eq!(all.contains(word), is_there, "{word}");
    }
    assert_eq!(other.run(&["stats", "--json"]).json()["events"], 2);
}

#[test]
fn a_document_for_people_quotes_what_was_said() {
    let world = World::new();
    world
        .run(&[
            "remember",
            "# not a chapter\n## nor this",
            "--session",
            "s1",
        ])
        .ok();
    let text = world.run(&["export", "--format", "markdown"]).ok();
    assert!(
        text.contains("## s1 (") && text.contains("> \\# not a chapter\n> \\## nor this"),
        "{text}"
    );
    let other = ["remember", "Good morning.", "--session", "s2"];
    world.run(&other).ok();
    let none = world
        .run(&["export", "--format", "markdown", "--session", "s2"])
        .ok();
    assert!(!none.contains("chapter"), "{none}");
}

#[test]
fn a_document_for_people_has_what_was_learned_and_the_tasks() {
    let world = World::new();
    let said = "We keep sessions in Redis.";
    world.run(&["remember", said, "--session", "s1"]).ok();
    world
        .run(&[
            "task",
            "add",
            "Warm the [cache](x)",
            "--blocked-by",
            "OPS-7",
        ])
        .ok();
    let entry = json!({ "id": "e1", "type": "decision",
        "title": "Sessions live in Redis", "content": said,
        "quotes": [{ "message_index": 0, "quote": said }] });
    world.ingest("s1", &json!({ "schema_version": 1, "entries": [entry] }));
    let text = world.run(&["export", "--format", "markdown"]).ok();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("## Learned") < at("Sessions live in Redis"), "{text}");
    let quote = text.split("Sessions live in Redis\n").nth(1).unwrap();
    let quote = quote.split("## Tasks").next().unwrap();
    let is_cited = quote.lines().any(|line| line.starts_with("mem:"));
    assert!(is_cited && quote.matches(said).count() == 2, "{quote}");
    assert!(at("## Tasks") < at("Warm the \\[cache\\](x)"), "{text}");
    assert!(at("OPS-7") < at("## s1 ("), "{text}");
    let morning = ["remember", "Good morning.", "--session", "s2"];
    world.run(&morning).ok();
    let other = ["export", "--format", "markdown", "--session", "s2"];
    let other = world.run(&other).ok();
    assert!(
        !other.contains("Redis") && !other.contains("cache"),
        "{other}"
    );
}

/// What is listed can be cited, looked up and forgotten.
#[test]
fn learned_entries_are_listed_with_their_proof() {
    let world = World::new();
    let said = "We keep sessions in Redis.";
    world.run(&["remember", said, "--session", "s1"]).ok();
    let citation = world.citation(said);
    let entry = json!({ "id": "e1", "type": "decision",
        "title": "Sessions live in Redis", "content": "Sessions live in Redis, nowhere else.",
        "quotes": [{ "message_index": 0, "quote": said }] });
    world.ingest("s1", &json!({ "schema_version": 1, "entries": [entry] }));
    let listed = world.run(&["entries"]).ok();
    let evidence = listed.lines().find(|line| line.contains("evidence"));
    let evidence = evidence.unwrap_or_else(|| panic!("{listed}")).trim();
    // The moment of the message stands between.
    assert!(
        evidence.starts_with(&format!("evidence {citation} ")) && evidence.ends_with(said),
        "{listed}"
    );
    let items = world.run(&["entries", "--json"]).json()["items"].clone();
    let record = items[0]["citation"].as_str().unwrap();
    assert!(
        listed.starts_with(&format!("{record}  decision")),
        "{listed}"
    );
    let proof = &items[0]["proofs"][0];
    assert_eq!(
        (&proof["citation"], &proof["quote"]),
        (&json!(citation), &json!(said))
    );
    assert_eq!(items[0]["contested_with"], json!([]));
    world.run(&["show", record]).ok();
    world.run(&["forget", &citation, "--confirm"]).ok();
    let left = world.run(&["entries"]).ok();
    assert!(!left.contains(said), "{left}");
}

/// Codex moves and packs old conversations.
#[test]
fn archived_sessions_are_imported_and_packed_ones_named() {
    let world = World::new();
    let folder = "home/.codex/archived_sessions/";
    world.write(&format!("{folder}rollout-x1.jsonl"), &codex(&world));
    let packed = world.write(&format!("{folder}rollout-x2.jsonl.zst"), "(\u{b5}/\u{fd}");
    let said = world.run(&["import"]).ok();
    assert!(said.contains(" from 1 file"), "{said}");
    let told = format!("{}: is compressed", packed.display());
    assert!(said.contains(&told), "{said}");
    let named = world.run(&["import", packed.to_str().unwrap()]).ok();
    assert!(
        named.contains(&told) && named.contains("zstd -d"),
        "{named}"
    );
}

/// The variable of Gemini CLI names what takes the place of the home.
#[test]
fn the_folder_of_gemini_cli_is_where_its_variable_says() {
    let world = World::new();
    let home = world.path().join("elsewhere");
    let run = |arguments: &[&str]| {
        let mut command = world.command_in("shop", arguments);
        command.env("GEMINI_CLI_HOME", &home);
        ran(command.output().unwrap())
    };
    world.write(
        "elsewhere/.gemini/tmp/p1/chats/session-1.jsonl",
        &gemini_cli(),
    );
    let said = run(&["import"]).ok();
    assert!(said.contains(" from 1 file"), "{said}");
    run(&["install", "gemini-cli"]).ok();
    assert!(
        home.join(".gemini/extensions/recallite/gemini-extension.json")
            .is_file()
    );
    assert!(!world.home().join(".gemini").exists());
    let settings = run(&["config", "--json"]).json()["settings"].clone();
    let all = settings.as_array().unwrap();
    let row = all.iter().find(|row| row["name"] == "gemini-cli").unwrap();
    assert_eq!(row["value"], json!(home.join(".gemini")));
    assert_eq!(row["set_by"], "GEMINI_CLI_HOME");
}

/// A document with private sections over every kind of block.
const PRIVATE_NOTES: &str = "\
# Deploy <private>tiger1</private>

We deploy on Fridays.

<private>

The vault opens with tiger2.

</private>

- one
- <private>tiger3
- tiger4</private>
- The staging port is 8443.

## A <private>heading that is cut before its end, because it is longer than the hundred and sixty characters \
that a heading keeps, which is why nobody sees the end of the section about tiger5</private>

Backups run at midnight.

&lt;private&gt;

## tiger6

Text about tiger7.

&lt;/private&gt;

## End

Logs rotate weekly.
";

#[test]
fn private_sections_of_notes_are_left_out_wherever_they_are() {
    let world = World::new();
    let file = world.write("work/shop/CLAUDE.md", PRIVATE_NOTES);
    let file = file.to_str().unwrap();
    let report = world.run(&["import", "--json", file]).json();
    assert_eq!(report["notes"], 6, "{report}");
    let all = world.run(&["export", "--whole"]).ok();
    assert!(!all.contains("tiger"), "{all}");
    let told = report["warnings"].to_string();
    assert!(told.contains("looks like a private tag"), "{report}");
    for (words, line) in [
        ("staging port", 14),
        ("backups midnight", 18),
        ("logs rotate", 30),
    ] {
        let shown = world.run(&["show", &world.citation(words)]).ok();
        assert!(shown.contains(&format!("CLAUDE.md:{line}")), "{shown}");
    }
}

#[test]
fn notes_are_filtered_with_the_settings_of_the_store() {
    let world = World::new();
    let settings = world.write("settings.json", BRACKETS);
    let file = world.write(
        "work/shop/CLAUDE.md",
        "# Deploy [private]tiger1[/private]\n\n[private]\n\ntiger2\n\n[/private]\n\n\
         - [private]tiger3\n- tiger4[/private]\n- On Fridays.\n",
    );
    let import = ["--settings", settings.to_str().unwrap(), "import"];
    let named = [file.to_str().unwrap()];
    world.run(&[&import[..], &named].concat()).ok();
    let all = world.run(&["export", "--whole"]).ok();
    assert!(all.contains("Fridays") && !all.contains("tiger"), "{all}");
}

const BRACKETS: &str = r#"{"privacy": {"privateTags": {"supportedFormats": ["bracket"]}}}"#;

#[test]
fn an_error_of_a_tool_is_filtered_with_the_settings_of_the_store() {
    let world = World::new();
    let settings = world.write("settings.json", BRACKETS);
    let output = format!("[private]{} tiger\nof two lines[/private]", "x ".repeat(30));
    let cwd = world.project("shop");
    let file = world.write(
        "c1.jsonl",
        &lines(&[
            json!({"type": "assistant", "sessionId": "c1", "uuid": "u1", "cwd": cwd,
                "timestamp": "2026-01-30T14:05:00Z", "message": {"content": [
                    {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]}}),
            json!({"type": "user", "sessionId": "c1", "uuid": "u2", "cwd": cwd,
                "timestamp": "2026-01-30T14:05:09Z", "message": {"content": [
                    {"type": "tool_result", "tool_use_id": "t1", "is_error": true,
                        "content": output}]}}),
        ]),
    );
    let settings = ["--settings", settings.to_str().unwrap()];
    let file = ["import", file.to_str().unwrap(), "--json"];
    let report = world.run(&[&settings[..], &file].concat()).json();
    assert_eq!(report["tools"], 1, "{report}");
    let all = world.run(&["export", "--whole"]).ok();
    assert!(!all.contains("tiger"), "{all}");
}

#[test]
fn warnings_about_private_tags_are_shown_whatever_the_format() {
    let world = World::new();
    let half = "We deploy. <private> The vault opens with tiger.";
    let said = json!({"role": "user", "content": half, "session": "s"});
    world.write("in/chat.jsonl", &lines(&[said]));
    world.write("in/CLAUDE.md", &format!("# Deploys\n\n{half}\n"));
    world.write(
        "in/c1.jsonl",
        &claude_code(&world).replace("Redis it is.", half),
    );
    world.write("in/x1.jsonl", &codex(&world).replace("Moved.", half));
    world.write("in/g1.jsonl", &gemini_cli().replace("Use tabs in", half));
    let folder = world.path().join("in");
    let ran = world.run(&["import", folder.to_str().unwrap()]);
    let said = ran.ok();
    for file in [
        "chat.jsonl",
        "CLAUDE.md",
        "c1.jsonl",
        "x1.jsonl",
        "g1.jsonl",
    ] {
        let warned = said.lines().any(|line| {
            line.starts_with("warning: ")
                && line.contains(file)
                && line.contains("Unclosed private tag detected")
        });
        assert!(warned, "{file}: {said}");
    }
}

/// What JavaScript writes when it has cut a text inside an emoji, and a byte that is no UTF-8.
#[test]
fn half_a_character_costs_no_message() {
    let world = World::new();
    let broken = |text: &str| {
        let text = text.replace("Redis it", "half \\ud83d is");
        let text = text.replace("Moved", "moved half \\ud83d");
        text.replace("Makefiles", "Makefiles half \\ud83d")
            .into_bytes()
    };
    world.write("in/c1.jsonl", "");
    let folder = world.path().join("in");
    let put = |name: &str, bytes: Vec<u8>| fs::write(folder.join(name), bytes).unwrap();
    put("c1.jsonl", broken(&claude_code(&world)));
    put("x1.jsonl", broken(&codex(&world)));
    put("g1.jsonl", broken(&gemini_cli()));
    put(
        "g2.json",
        br#"{"sessionId": "g2", "projectHash": "h", "messages":
            [{"type": "user", "content": "chat half \ud83d"}]}"#
            .to_vec(),
    );
    let mut line = br#"{"role": "user", "session": "s", "content": "line half \ud83d "#.to_vec();
    line.extend(b"\xff\"}\n");
    put("s.jsonl", line);
    let report = world
        .run(&["import", folder.to_str().unwrap(), "--json"])
        .json();
    assert_eq!(report["broken_lines"], 0, "{report}");
    assert_eq!(report["failed_files"], json!([]), "{report}");
    let all = world.run(&["export", "--whole"]).ok();
    assert_eq!(all.matches("half \u{fffd}").count(), 5, "{all}");
}

/// Ten refusals are listed, and the others are counted.
#[test]
fn every_refused_event_is_counted() {
    let world = World::new();
    let long = "s".repeat(5_000);
    let refused = |at: u32| {
        json!({"role": "user", "session": format!("{long}{at}"), "content": "x"}).to_string() + "\n"
    };
    let lines: String = (0..25).map(refused).collect();
    let good = r#"{"role": "user", "session": "s", "content": "The good one."}"#;
    let file = world.write("in/s.jsonl", &format!("{lines}{good}\n"));
    let import = ["import", file.to_str().unwrap(), "--json"];
    let report = world.run(&import).json();
    assert_eq!(report["prompts"], 1, "{report}");
    assert_eq!(report["refused_count"], 25, "{report}");
    assert_eq!(report["refused"].as_array().unwrap().len(), 10, "{report}");
    let said = world.run(&import[..2]).ok();
    assert!(said.contains("skipped 15 more"), "{said}");
}

/// What an earlier path has says nothing about this one.
#[test]
fn a_path_with_nothing_to_import_is_named_whatever_came_before() {
    let world = World::new();
    let packed = world.write("a/rollout-x.jsonl.zst", "packed");
    let empty = world.write("b/nothing.txt", "x");
    let [a, b] = [&packed, &empty].map(|file| file.parent().unwrap().to_str().unwrap());
    let ran = world.run(&["import", a, b]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.err.contains(&format!("{b}: found nothing to import")),
        "{ran:?}"
    );
}

/// What the library does not take is told or kept as a text, and never dropped in silence.
#[test]
fn what_is_nested_too_deep_is_told_or_kept() {
    let world = World::new();
    let deep = format!("{}1{}", "[".repeat(90), "]".repeat(90));
    let line = format!(
        "{{\"role\": \"user\", \"session\": \"s\", \"content\": \"x\", \"metadata\": {{\"a\": {deep}}}}}"
    );
    let file = world.write("in/s.jsonl", &line);
    let report = world
        .run(&["import", file.to_str().unwrap(), "--json"])
        .json();
    assert_eq!(report["prompts"], 1, "{report}");
    let warning = report["warnings"][0]["warning"].as_str().unwrap();
    assert!(warning.contains("metadata"), "{report}");
    let chat = format!(
        "{{\"sessionId\": \"g1\", \"projectHash\": \"h\"}}\n{{\"id\": \"m1\", \"type\": \"gemini\", \"content\": \"\", \
         \"toolCalls\": [{{\"id\": \"k1\", \"name\": \"web_fetch\", \"args\": {{\"a\": {deep}}}, \
         \"status\": \"success\", \"result\": \"seen\"}}]}}\n"
    );
    let file = world.write("in/chats/g1.jsonl", &chat);
    world.run(&["import", file.to_str().unwrap()]).ok();
    let call = &world
        .run(&["history", "-a", "--session", "g1", "--json"])
        .json()["items"][0];
    assert!(call["tool"]["input"].to_string().contains("[[["), "{call}");
    // Strangers wrote it, whichever agent fetched it.
    assert_eq!(call["origin"], "web", "{call}");
}

/// An agent asked its subagent; no person did.
#[test]
fn what_an_agent_asks_another_is_not_said_by_the_user() {
    let world = World::new();
    let line = json!({"type": "user", "sessionId": "s1", "uuid": "u1", "isSidechain": true,
        "agentId": "a77", "cwd": world.project("shop"), "timestamp": "2026-01-30T14:05:00Z",
        "message": {"role": "user", "content": "We use Kafka. Check the code for RabbitMQ."}});
    let file = world.write("p/s1/subagents/agent-a77.jsonl", &format!("{line}\n"));
    world.run(&["import", file.to_str().unwrap()]).ok();
    let said = &world.run(&["history", "-a", "--json"]).json()["items"][0];
    assert_eq!(
        (&said["origin"], &said["actor"]),
        (&json!("assistant"), &json!("assistant"))
    );
}

/// A project's folder as an attacker leaves it: reading its marks must end.
#[cfg(unix)]
#[test]
fn a_mark_that_never_ends_is_not_read() {
    let world = World::new();
    let chat = world.write("in/shop/chats/g1.jsonl", &gemini_cli());
    let mark = world.path().join("in/shop/.project_root");
    std::os::unix::fs::symlink("/dev/zero", &mark).unwrap();
    let import = ["import", chat.to_str().unwrap(), "--json"];
    assert_eq!(world.run(&import).json()["prompts"], 1);
    fs::remove_file(&mark).unwrap();
    world.pipe("in/shop/.project_root");
    assert_eq!(world.run(&import).json()["duplicates"], 1);
}

/// What an export of everything contains comes back, and not only what was said.
#[test]
fn a_whole_export_is_restored_exactly() {
    let world = World::new();
    left_by_agents(&world);
    world.run(&["import"]).ok();
    world
        .run(&["task", "add", "Ship it", "--blocked-by", "legal"])
        .ok();
    world.run(&["pin", &world.citation("Redis")]).ok();
    let decision = json!({ "schema_version": 1, "entries": [{ "id": "e1", "type": "decision",
        "title": "Sessions live in Redis", "content": "Sessions live in Redis.",
        "quotes": [{ "message_index": 0, "quote": "Redis" }] }] });
    world.ingest("c1", &decision);
    let file = world.path().join("whole.jsonl");
    let file = file.to_str().unwrap();
    let said = world.run(&["export", "--whole", "-o", file]).ok();
    assert!(said.contains("recallite restore"), "{said}");

    let other = World::new();
    let said = other.run(&["import", file]).ok();
    assert!(said.contains("`recallite restore`"), "{said}");
    let full = other.run(&["restore", file]);
    assert_eq!((full.code, full.out.as_str()), (1, ""), "{full:?}");
    assert!(full.err.contains("--store"), "{full:?}");

    let other = World::new();
    let said = other.run(&["restore", file]).ok();
    assert!(said.starts_with("restored "), "{said}");
    for arguments in [
        &["tasks", "-a"][..],
        &["entries", "-a"],
        &["pinned", "-a"],
        &["history", "-a"],
        &["sessions", "-a"],
    ] {
        let of = |world: &World| world.run(arguments).ok();
        let here = of(&world);
        assert!(!here.is_empty() && !here.starts_with("no "), "{here}");
        assert_eq!(of(&other), here, "{arguments:?}");
    }
    let state = |world: &World| world.run(&["check", "--json"]).json()["state_hash"].clone();
    assert_eq!(state(&other), state(&world));
}

#[test]
fn what_cannot_be_restored_is_told_and_makes_no_store() {
    let world = World::new();
    world.run(&["remember", "We deploy on Fridays."]).ok();
    let some = world.path().join("some.jsonl");
    let some = some.to_str().unwrap();
    world.run(&["export", "-a", "-o", some]).ok();
    let strange = world.write("strange.jsonl", "{\"role\": \"user\"}\n");
    let other = World::new();
    for (file, code, says) in [
        (some, 1, "--whole"),
        (strange.to_str().unwrap(), 1, "not an export"),
        ("/nowhere/whole.jsonl", 3, "/nowhere/whole.jsonl"),
    ] {
        let ran = other.run(&["restore", file]);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{ran:?}");
        assert!(ran.err.contains(says), "{ran:?}");
    }
    assert!(!other.store().exists());
    // A file that is cut leaves the store empty.
    let whole = world.run(&["export", "--whole"]).ok();
    let cut = world.write("cut.jsonl", whole.lines().next().unwrap());
    let cut = other.run(&["restore", cut.to_str().unwrap()]);
    assert_eq!(cut.code, 1, "{cut:?}");
    let report = other.run(&["restore", "--json", "-"]);
    assert_eq!(report.code, 3, "{report:?}");
    let whole = world.write("whole.jsonl", &whole);
    let report = other.run(&["restore", "--json", whole.to_str().unwrap()]);
    assert!(report.json()["events"].as_u64().unwrap() >= 1, "{report:?}");
}

#[test]
fn a_file_that_is_named_is_read_whatever_its_ending() {
    let world = World::new();
    world.run(&["remember", "We deploy on Fridays."]).ok();
    let copies = ["memory", "memory.txt", "memory.ndjson", "MEMORY.JSONL"];
    for name in copies {
        let file = world.path().join(name);
        let file = file.to_str().unwrap();
        world.run(&["export", "-a", "-o", file]).ok();
        for more in [&["--from", "jsonl"][..], &[]] {
            let other = World::new();
            let arguments = [&["import", file], more].concat();
            let said = other.run(&arguments).ok();
            assert!(said.starts_with("imported 1 event "), "{name}: {said}");
        }
    }
    let claude = world.write("saved/c1.jsonl.bak", &claude_code(&world));
    let report = world.run(&["import", "--json", claude.to_str().unwrap()]);
    let report = report.json();
    assert_eq!(
        (&report["prompts"], &report["responses"]),
        (&json!(1), &json!(1)),
        "{report}"
    );
    let ran = world.run(&[
        "import",
        "--from",
        "codex",
        world.project("shop").to_str().unwrap(),
    ]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(!ran.err.contains("--from"), "{ran:?}");
}

/// A transcript of each agent in which the same is said again.
fn repeated(world: &World) -> Vec<(&'static str, &'static str, String)> {
    let cwd = world.project("shop");
    let at = |minute: usize| format!("2026-02-01T09:0{minute}:00Z");
    let said = ["yes", "Done.", "yes", "Done.", "Done."];
    let role = |text: &str| if text == "yes" { "user" } else { "assistant" };
    let turns = || {
        said.iter()
            .enumerate()
            .map(|(n, text)| (n, *text, role(text)))
    };
    let mut codex = vec![json!({"timestamp": at(0), "type": "session_meta",
        "payload": {"id": "x2", "cwd": cwd}})];
    codex.extend(turns().map(|(n, text, role)| {
        json!({"timestamp": at(n), "type": "response_item", "payload": {"type": "message",
            "role": role, "content": [{"type": "input_text", "text": text}]}})
    }));
    let mut gemini =
        vec![json!({"sessionId": "g2", "projectHash": "h", "startTime": "2026-03-01T09:00:00Z"})];
    gemini.extend(turns().map(|(n, text, role)| {
        let kind = if role == "user" { "user" } else { "gemini" };
        json!({"id": format!("m{n}"), "type": kind, "timestamp": at(n), "content": text})
    }));
    // Gemini CLI writes a message again when it knows more about it.
    gemini.push(gemini[1].clone());
    let claude: Vec<Value> = turns()
        .map(|(n, text, role)| {
            json!({"type": role, "sessionId": "c2", "uuid": format!("r{n}"), "cwd": cwd,
                "timestamp": at(n), "message": {"role": role, "content": text}})
        })
        .collect();
    [
        ("codex", "x2", codex),
        ("gemini", "g2", gemini),
        ("claude", "c2", claude),
    ]
    .map(|(name, session, values)| (name, session, lines(&values)))
    .to_vec()
}

/// Imports a file twice: so many prompts and responses are new, and then nothing.
fn is_imported_once(world: &World, file: &Path, new: [u64; 2]) {
    for [prompts, responses] in [new, [0, 0]] {
        let imported = world.run(&["import", "--json", file.to_str().unwrap()]);
        let report = imported.json();
        let found = ["prompts", "responses", "tools"].map(|name| report[name].as_u64().unwrap());
        assert_eq!(
            found,
            [prompts, responses, 0],
            "{}: {report}",
            file.display()
        );
    }
}

#[test]
fn what_was_said_twice_is_imported_twice_and_only_once() {
    let world = World::new();
    for (name, _, text) in repeated(&world) {
        let file = world.write(&format!("in/{name}.jsonl"), &text);
        is_imported_once(&world, &file, [2, 3]);
    }
}

/// Hooks store a repeated message once.
#[test]
fn what_hooks_stored_once_stands_for_one_message() {
    let world = World::new();
    let cwd = world.project("shop");
    for (_, session, text) in repeated(&world) {
        // Only the prompt: each agent reports its answers in its own way.
        let input = json!({"session_id": session, "cwd": cwd, "prompt": "yes",
            "hook_event_name": "UserPromptSubmit", "transcript_path": "/nowhere.jsonl",
            "permission_mode": "default"});
        common::session::hook(&world, &input.to_string());
        let file = world.write(&format!("in/{session}.jsonl"), &text);
        is_imported_once(&world, &file, [1, 3]);
    }
}

/// On a new machine, a person copies the memory and the folders of the agents.
#[test]
fn transcripts_add_nothing_to_an_export_of_themselves() {
    let world = World::new();
    left_by_agents(&world);
    for (name, _, text) in repeated(&world) {
        world.write(
            &format!("home/.claude/projects/-work-shop/{name}.jsonl"),
            &text,
        );
    }
    let cwd = world.project("shop");
    let tool = |id: &str, output: Option<&str>| {
        let call = json!([{"type": "tool_use", "id": id, "name": "Bash",
            "input": {"command": "cargo test", "env": "API_KEY=zq8Xw3Lk9Pv2Rt6Y"}}]);
        let line = |kind: &str, uuid: &str, content: Value| {
            json!({"type": kind, "sessionId": "c3", "uuid": uuid, "cwd": cwd,
                "timestamp": "2026-01-30T14:05:00Z",
                "message": {"role": kind, "content": content}})
        };
        let mut all = vec![line("assistant", &format!("{id}-a"), call)];
        if let Some(output) = output {
            let result = json!([{"type": "tool_result", "tool_use_id": id, "content": output}]);
            all.push(line("user", &format!("{id}-b"), result));
        }
        lines(&all)
    };
    let calls = tool("t1", Some("ok")) + &tool("t2", Some("ok")) + &tool("t3", None);
    let transcript = "home/.claude/projects/-work-shop/c3.jsonl";
    world.write(transcript, &calls);
    world.run(&["import"]).ok();
    let events = world.run(&["stats", "--json"]).json()["events"].clone();
    let file = world.path().join("all.jsonl");
    world
        .run(&["export", "-a", "-o", file.to_str().unwrap()])
        .ok();

    fs::remove_dir_all(world.store()).unwrap();
    world.run(&["import", file.to_str().unwrap()]).ok();
    assert_eq!(world.run(&["stats", "--json"]).json()["events"], events);
    let again = world.run(&["import", "--json"]).json();
    assert_eq!(
        world.run(&["stats", "--json"]).json()["events"],
        events,
        "{again}"
    );
    // What went on since is added.
    let more = calls + &tool("t3", Some("ok")) + &tool("t4", Some("ok"));
    world.write(transcript, &more);
    let report = world.run(&["import", "--json"]).json();
    assert_eq!(report["tools"], 2, "{report}");
    let report = world.run(&["import", "--json"]).json();
    assert_eq!(report["tools"], 0, "{report}");
}

/// An agent may go from one repository to another.
#[test]
fn a_document_has_what_was_said_in_a_session_that_began_elsewhere() {
    let world = World::new();
    world
        .run(&["remember", "Redis it is.", "--session", "s1"])
        .ok();
    world
        .run_in("blog", &["remember", "Hugo it is.", "--session", "s1"])
        .ok();
    for arguments in [&[][..], &["--session", "s1"]] {
        let arguments = [&["export", "--format", "markdown"], arguments].concat();
        let text = world.run_in("blog", &arguments).ok();
        assert!(
            text.contains("## s1 (") && text.contains("> Hugo it is."),
            "{text}"
        );
        let blog = world.project("blog");
        assert!(!text.contains("Redis"), "{text}");
        assert!(
            text.contains(&format!("Project: {}", blog.display())),
            "{text}"
        );
    }
    let none = world
        .run_in("third", &["export", "--format", "markdown"])
        .ok();
    assert!(!none.contains("s1"), "{none}");
}

/// In every format, and however the import ended before.
#[test]
fn what_was_forgotten_of_an_import_stays_forgotten() {
    let world = World::new();
    let said = |number: usize| {
        format!("{{\"role\":\"user\",\"session\":\"s\",\"content\":\"Renew zyzzyva {number}.\"}}\n")
    };
    let messages: String = (0..3).map(said).collect();
    let notes = "# Zyzzyva\n\nNever prune it in May.\n";
    for (name, text, format) in [
        ("said.jsonl", messages.as_str(), "jsonl"),
        ("notes.md", notes, "markdown"),
    ] {
        let file = world.write(name, text);
        let import = ["import", "--from", format, file.to_str().unwrap()];
        world.run(&import).ok();
        let found = || {
            let found = world.run(&["search", "zyzzyva", "--all-projects", "--json"]);
            found.json()["items"].as_array().unwrap().len()
        };
        assert!(found() > 0, "{name}");
        let everything = ["forget", "--everything", "--all-projects", "--confirm"];
        world.run(&everything).ok();
        let again = world.run(&import).ok();
        assert!(again.contains("already in the store"), "{again}");
        assert_eq!(found(), 0, "{name}");
    }
}

/// Hooks are not told by which keys the transcripts identify what was said.
#[test]
fn what_hooks_stored_and_a_person_forgot_is_not_imported() {
    let world = World::new();
    let cwd = world.project("shop");
    for (name, session, text) in repeated(&world) {
        let event = match name {
            "gemini" => "BeforeAgent",
            _ => "UserPromptSubmit",
        };
        let input = json!({"session_id": session, "cwd": cwd, "prompt": "yes",
            "hook_event_name": event, "transcript_path": "/nowhere.jsonl",
            "permission_mode": "default"});
        common::session::hook(&world, &input.to_string());
        let forget = ["forget", "--session", session, "--confirm"];
        world.run(&forget).ok();
        let file = world.write(&format!("in/{session}.jsonl"), &text);
        is_imported_once(&world, &file, [0, 3]);
    }
}

#[test]
fn what_was_erased_of_a_transcript_is_not_imported_again() {
    let world = World::new();
    let file = world.write("in/c1.jsonl", &claude_code(&world));
    is_imported_once(&world, &file, [1, 1]);
    let erase = ["erase", "--session", "c1", "--confirm"];
    let erased = world.run(&erase).ok();
    assert!(erased.contains("recallite import"), "{erased}");
    is_imported_once(&world, &file, [0, 0]);
    let found = world.run(&["search", "Redis", "--all-projects", "--json"]);
    assert_eq!(found.json()["items"], json!([]));
}

/// The key of a line without an id is not made of its text: its hash outlives the erasure.
#[test]
fn what_was_erased_of_lines_without_ids_is_not_imported_again() {
    let world = World::new();
    let line = |minute: usize, text: &str| {
        json!({"role": "user", "session": "s1", "content": text,
            "timestamp": format!("2026-01-30T14:0{minute}:00Z")})
    };
    // The same words at another time are another message, and a line may stand there twice.
    let said = [
        line(5, "yes"),
        line(5, "no"),
        line(5, "yes"),
        line(6, "yes"),
    ];
    let file = world.write("said.jsonl", &lines(&said));
    is_imported_once(&world, &file, [3, 0]);
    let erase = ["erase", "--session", "s1", "--all-projects", "--confirm"];
    world.run(&erase).ok();
    is_imported_once(&world, &file, [0, 0]);
    // Whoever has the store and the file cannot try which words were there.
    let guessed = [line(5, "zyzzyva"), line(5, "quokka")];
    let file = world.write("guessed.jsonl", &lines(&guessed));
    is_imported_once(&world, &file, [0, 0]);
    let file = world.write("later.jsonl", &lines(&[line(7, "yes")]));
    is_imported_once(&world, &file, [1, 0]);
}

/// Lines that know only their day do not stand for those of another file of the same session.
#[test]
fn lines_of_one_day_in_two_files_are_all_imported() {
    let world = World::new();
    let of = |texts: [&str; 2]| {
        let line = |text| json!({"role": "user", "session": "s1", "content": text, "timestamp": "2026-01-30"});
        lines(&texts.map(line))
    };
    for (name, texts) in [("one", ["first", "second"]), ("two", ["third", "fourth"])] {
        let file = world.write(&format!("{name}.jsonl"), &of(texts));
        is_imported_once(&world, &file, [2, 0]);
    }
}

/// Gemini CLI ends a prompt with the files that it names. The marks of the files may stand in a
/// private section, which must not lose its end.
#[test]
fn a_private_section_is_removed_before_a_prompt_is_cut() {
    let world = World::new();
    let prompt = "Look: <private>\nexplain @a.rs: zyzzyva\n--- Content from referenced files ---\n\
                  quokka\n</private>";
    let cwd = world.project("shop");
    let input = json!({"session_id": "g8", "cwd": cwd, "prompt": prompt,
        "hook_event_name": "BeforeAgent", "transcript_path": "/nowhere.json"});
    common::session::hook(&world, &input.to_string());
    let chat = lines(&[
        json!({"sessionId": "g9", "projectHash": "h", "startTime": "2026-03-01T09:00:00Z"}),
        json!({"id": "m1", "type": "user", "timestamp": "2026-03-01T09:00:00Z", "content": prompt}),
    ]);
    let file = world.write("in/g9.jsonl", &chat);
    is_imported_once(&world, &file, [1, 0]);
    let stored = world.run(&["history", "-a", "--json"]).out;
    for word in ["zyzzyva", "quokka"] {
        assert!(!stored.contains(word), "{stored}");
    }
    assert_eq!(stored.matches("Look: ").count(), 2, "{stored}");
}

/// A document for people is no note, and its sentences are remembered already.
#[test]
fn a_document_of_the_memory_is_not_imported() {
    let world = World::new();
    world.run(&["remember", "We deploy on Mondays."]).ok();
    world
        .run(&["export", "--format", "markdown", "-o", "memory.md"])
        .ok();
    let imported = world.run(&["import", "memory.md"]);
    assert_eq!(imported.code, 1, "{imported:?}");
    assert!(
        imported.out.contains("recallite export -o FILE.jsonl"),
        "{imported:?}"
    );
    assert!(world.run(&["history"]).ok().matches("Mondays").count() == 1);
}

/// An import that is interrupted stores what it has read, and learns nothing.
#[test]
fn an_import_learns_what_an_interrupted_one_left() {
    let world = World::new();
    let shop = world.project("shop");
    let (at, said) = (
        "2026-01-30T10:00:00Z",
        "We still need to rotate the signing keys.",
    );
    let memory = Memory::open(world.store()).unwrap();
    let event = NewEvent::new(EventKind::UserPrompt, "s1", said);
    let event = event.project(shop.to_str().unwrap());
    memory.append(event.timestamp(at.parse().unwrap())).unwrap();
    memory.close().unwrap();
    let file = world.write("notes/README.md", "# Nothing\n");
    let imported = world.run(&["import", file.to_str().unwrap()]).ok();
    assert!(imported.contains("nothing new"), "{imported}");
    assert!(
        imported.contains("learned 0 entries and 1 task"),
        "{imported}"
    );
    let tasks = world.run(&["tasks"]).ok();
    assert!(tasks.contains("rotate the signing keys"), "{tasks}");
}

/// What an interrupted copy leaves would hold the secret of the store, and no erasure would reach it.
#[cfg(unix)]
#[test]
fn an_interrupted_copy_leaves_nothing() {
    let world = World::new();
    let lines: Vec<String> = (0..3_000)
        .map(|number| {
            let words = format!("The tide of day {number} was high. {}", "lorem ".repeat(60));
            json!({ "role": "user", "session": "s", "content": words }).to_string()
        })
        .collect();
    let file = world.write("in.jsonl", &lines.join("\n"));
    world.run(&["import", file.to_str().unwrap()]).ok();
    let target = world.path().join("copies");
    fs::create_dir_all(&target).unwrap();
    let names = || -> Vec<String> {
        let found = fs::read_dir(&target).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        found
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    };
    for (arguments, signal, stopped) in [
        (&["backup", "folder"][..], "-INT", 130),
        (&["backup", "folder"], "-TERM", 143),
        (&["export", "--output=out.jsonl"], "-INT", 130),
        (
            &["export", "--format=markdown", "--output=out.md"],
            "-INT",
            130,
        ),
    ] {
        let mut command = world.command_in("shop", &[]);
        command.args(arguments).current_dir(&target);
        let mut child = command.spawn().unwrap();
        while names().is_empty() {
            std::thread::yield_now();
        }
        let id = child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        let status = child.wait().unwrap();
        let left = names();
        // It may have been complete before.
        match status.code() {
            Some(code) if code == stopped => assert!(left.is_empty(), "{arguments:?}: {left:?}"),
            code => {
                let is_whole = ["folder", "out.jsonl", "out.md"].contains(&left[0].as_str());
                assert!(code.unwrap_or(0) == 0 && is_whole, "{code:?}: {left:?}");
            }
        }
        assert!(sent.success() || status.success());
        for name in left {
            let path = target.join(name);
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
    }
    assert_eq!(world.run(&["check"]).code, 0);
}
