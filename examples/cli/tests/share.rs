//! One memory on two machines, as people set it up: each world is a machine.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;
#[cfg(target_os = "linux")]
#[path = "../../postgres/tests/common/server.rs"]
mod server;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Ran, World, copy_folder, ran};
use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use server::{OWNER, Postgres};

/// Whether any file below a folder holds these bytes.
fn holds(folder: &Path, wanted: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, wanted);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(wanted.len()).any(|part| part == wanted)
    })
}

/// Runs the command in a project that has the same name on all machines: by itself a
/// project is called after its folder.
fn run(world: &World, arguments: &[&str]) -> Ran {
    world.run(&[arguments, &["--project", "shop"]].concat())
}

fn hash(world: &World) -> String {
    let status = world.run(&["share", "status", "--json"]).json();
    status["shared_hash"].as_str().unwrap().to_owned()
}

/// Two machines that share in a place, each the other's member.
fn shared_in(place: &str) -> (World, World) {
    let (laptop, desktop) = (World::new(), World::new());
    run(&laptop, &["share", "init", place, "--name", "laptop"]).ok();
    run(
        &desktop,
        &["share", "join", place, "--owner", "--name", "desktop"],
    )
    .ok();
    run(&laptop, &["share", "join", place, "--owner"]).ok();
    (laptop, desktop)
}

/// Two machines that share in a folder.
fn shared() -> (World, World, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (laptop, desktop) = shared_in(folder.path().to_str().unwrap());
    (laptop, desktop, folder)
}

#[test]
fn what_is_told_on_one_machine_is_known_on_the_other_and_erased_on_both() {
    let (laptop, desktop, folder) = shared();
    tell_and_erase(&laptop, &desktop);
    assert!(!holds(folder.path(), b"zqgarden"));
}

#[test]
#[cfg(target_os = "linux")]
fn the_same_over_a_server() {
    let postgres = Postgres::start();
    let (laptop, desktop) = shared_in(&postgres.url(OWNER));
    tell_and_erase(&laptop, &desktop);
    // With another spelling of the address, or another name of the server, it is the same place.
    let place = postgres.url(OWNER);
    let spelled = [&place, "?connect_timeout=9"].concat();
    let renamed = place.replace("127.0.0.1", "localhost");
    assert_ne!(renamed, place);
    for again in [spelled, renamed] {
        let again = run(&laptop, &["share", "join", &again]);
        assert!(
            !format!("{again:?}").contains("no longer shared"),
            "{again:?}"
        );
    }
    // Another database of the server is not.
    let mut sql = postgres.sql(OWNER);
    sql.batch_execute("CREATE DATABASE other").unwrap();
    let (server, _) = place.rsplit_once('/').unwrap();
    let other = format!("{server}/other");
    let moved = run(&laptop, &["share", "init", &other]);
    assert!(
        format!("{moved:?}").contains("no longer shared"),
        "{moved:?}"
    );
    let rows = postgres.everything();
    assert!(!rows.is_empty() && !rows.contains("zqgarden"));
}

#[test]
fn a_place_where_nobody_shares_is_not_joined_and_a_new_one_is_told() {
    let (laptop, _desktop, folder) = shared();
    let typo = folder.path().join("typo");
    let refused = run(&laptop, &["share", "join", typo.to_str().unwrap()]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.err.contains("nothing is shared there"),
        "{refused:?}"
    );
    assert!(!typo.exists(), "joining creates no folder");
    let empty = tempfile::tempdir().unwrap();
    let refused = run(&laptop, &["share", "join", empty.path().to_str().unwrap()]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.err.contains("nobody shares a memory"),
        "{refused:?}"
    );
    // It is shared where it was.
    let place = folder.path().canonicalize().unwrap();
    let status = run(&laptop, &["share", "status"]).ok();
    assert!(status.contains(place.to_str().unwrap()), "{status}");

    let told = run(&laptop, &["share", "init", empty.path().to_str().unwrap()]);
    let no_longer = format!("no longer shared through {}", place.display());
    assert!(format!("{told:?}").contains(&no_longer), "{told:?}");
    let stays = format!("to remove it, delete {}", room(&place, &laptop).display());
    assert!(format!("{told:?}").contains(&stays), "{told:?}");
}

#[test]
fn a_watch_follows_its_memory_to_another_place() {
    let (laptop, _desktop, folder) = shared();
    let (_watch, mut next) = Watch::heard(&laptop, &[]);
    let watching = next();
    assert!(watching.starts_with("watching "), "{watching}");
    let other = tempfile::tempdir().unwrap();
    let place = other.path().canonicalize().unwrap();
    run(&laptop, &["share", "init", place.to_str().unwrap()]).ok();
    let watching = next();
    assert_eq!(watching, format!("watching {}", place.display()));
    run(&laptop, &["remember", "The zqattic is locked."]).ok();
    let pushed = next();
    assert!(pushed.starts_with("pushed "), "{pushed}");
    assert!(holds(other.path(), b"zqattic"));
    assert!(!holds(folder.path(), b"zqattic"));
}

/// A program that read its lines and is gone leaves no process behind.
#[test]
fn a_watch_ends_when_nobody_reads_it() {
    let (laptop, _desktop, _folder) = shared();
    let mut command = laptop.command_in("shop", &["share", "watch"]);
    command.stderr(Stdio::null());
    let mut watch = Watch(command.spawn().unwrap());
    let mut lines = BufReader::new(watch.0.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("watching "));
    drop(lines);
    run(&laptop, &["remember", "The gate is green."]).ok();
    let begun = Instant::now();
    let mut ended = None;
    while ended.is_none() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::yield_now();
        ended = watch.0.try_wait().unwrap();
    }
    assert_eq!(ended.and_then(|ended| ended.code()), Some(0));
}

#[test]
fn a_memory_is_not_shared_through_its_own_folder() {
    let world = World::new();
    run(&world, &["remember", "The gate is green."]).ok();
    let inside = world.store().join("shared");
    let refused = run(&world, &["share", "init", inside.to_str().unwrap()]);
    assert_ne!(refused.code, 0, "{refused:?}");
    assert!(
        refused.err.contains("the store's own folder"),
        "{refused:?}"
    );
    assert!(!inside.exists());
}

/// Tells each of two machines something, and erases the one where it was not said.
fn tell_and_erase(laptop: &World, desktop: &World) {
    run(
        laptop,
        &["remember", "The zqgarden gate opens with the copper key."],
    )
    .ok();
    run(desktop, &["task", "add", "Oil the gate"]).ok();
    for world in [laptop, desktop] {
        run(world, &["share", "push"]).ok();
    }
    for world in [laptop, desktop] {
        run(world, &["share", "pull"]).ok();
        let found = run(world, &["search", "which key opens the gate?"]).ok();
        assert!(found.contains("copper key"), "{found}");
        let tasks = run(world, &["tasks"]).ok();
        assert!(tasks.contains("Oil the gate"), "{tasks}");
    }
    assert_eq!(hash(laptop), hash(desktop));
    let members = run(desktop, &["share", "members"]).ok();
    assert!(members.contains("laptop") && members.contains("owner"));

    // Where it was said is told where it was not.
    let found = run(desktop, &["search", "--json", "which key opens the gate?"]).json();
    let citation = found["items"][0]["citation"].as_str().unwrap();
    let shown = run(desktop, &["show", citation]).ok();
    assert!(shown.contains("from laptop"), "{shown}");
    let shown = run(desktop, &["show", citation, "--json"]).json();
    assert_eq!(shown["items"][0]["source"]["name"], "laptop");
    let shown = run(laptop, &["show", citation]).ok();
    assert!(!shown.contains("from "), "{shown}");

    // Erased where it was not said, it goes where it was.
    let receipt = run(desktop, &["erase", citation, "--confirm"]).ok();
    assert!(receipt.contains("`recallite share push` here"), "{receipt}");
    run(desktop, &["share", "push"]).ok();
    run(laptop, &["share", "pull"]).ok();
    run(laptop, &["share", "push"]).ok();
    for place in [laptop.store(), desktop.store()] {
        assert!(!holds(&place, b"zqgarden"), "{}", place.display());
    }
    assert_eq!(hash(laptop), hash(desktop));
    for world in [laptop, desktop] {
        run(world, &["check"]).ok();
    }
}

/// A watch in the background, ended with the test.
struct Watch(Child);

impl Watch {
    fn of(world: &World) -> Watch {
        let mut command = world.command_in("shop", &["share", "watch"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Watch(command.spawn().unwrap())
    }

    /// A watch with these options, and what gives the next line that it prints.
    fn heard(world: &World, options: &[&str]) -> (Watch, impl FnMut() -> String) {
        let mut command = world.command_in("shop", &["share", "watch"]);
        command.args(options).stderr(Stdio::null());
        let mut watch = Watch(command.spawn().unwrap());
        let mut lines = BufReader::new(watch.0.stdout.take().unwrap()).lines();
        (watch, move || lines.next().unwrap().unwrap())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether a search finds some words before a minute is over: the limit only ends a test
/// that would never end.
fn comes(world: &World, question: &str, words: &str) -> bool {
    comes_true(|| run(world, &["search", question]).ok().contains(words))
}

/// Whether something is so before a minute is over.
fn comes_true(is_so: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        let is_true = is_so();
        if is_true || begun.elapsed() > Duration::from_secs(60) {
            return is_true;
        }
    }
}

#[test]
fn a_watch_brings_news_and_another_one_takes_it_away() {
    let (laptop, desktop, _folder) = shared();
    let watches = [Watch::of(&laptop), Watch::of(&desktop)];
    let told = "The boiler is reset with the red knob.";
    run(&laptop, &["remember", told]).ok();
    assert!(comes(&desktop, "how is the boiler reset?", "red knob"));
    drop(watches);
    // What a killed watch left behind hinders nobody.
    run(&laptop, &["share", "push"]).ok();
    run(&desktop, &["share", "pull"]).ok();
    assert_eq!(hash(&laptop), hash(&desktop));
}

/// The folder into which a machine writes what it shares.
fn room(folder: &Path, world: &World) -> PathBuf {
    let status = world.run(&["share", "status", "--json"]).json();
    let identity = status["identity"].as_str().unwrap();
    folder.join("recallite-share").join(identity)
}

/// Makes the pushes of a machine fail: its store is set back to what it was before a push.
fn stop_pushes(world: &World) {
    let kept = world.path().join("kept");
    copy_folder(&world.store(), &kept);
    run(world, &["remember", "The attic is locked."]).ok();
    run(world, &["share", "push"]).ok();
    std::fs::remove_dir_all(world.store()).unwrap();
    std::fs::rename(&kept, world.store()).unwrap();
    // The arguments are not to blame.
    let ran = run(world, &["share", "push"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn a_damaged_file_of_one_member_stops_no_erasure_and_no_push() {
    let (laptop, desktop, folder) = shared();
    let place = folder.path().to_str().unwrap();
    let told = "The zqgarden gate opens with the copper key.";
    run(&laptop, &["remember", told]).ok();
    run(&laptop, &["share", "push"]).ok();
    run(&desktop, &["share", "pull"]).ok();
    assert!(holds(&desktop.store(), b"zqgarden"));

    let tablet = World::new();
    run(&tablet, &["remember", "The shop opens at nine."]).ok();
    run(&tablet, &["share", "join", place, "--name", "tablet"]).ok();
    let mut damaged = 0;
    for entry in std::fs::read_dir(room(folder.path(), &tablet)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("0000") && name.ends_with(".jsonl") {
            std::fs::write(&path, "half a fi").unwrap();
            damaged += 1;
        }
    }
    assert_eq!(damaged, 1);
    run(&desktop, &["remember", "The cellar is dry."]).ok();
    let joined = run(&desktop, &["share", "join", place]);
    assert!(joined.code == 1 && joined.err.contains("damaged"));
    run(&laptop, &["share", "pull"]).ok();
    let found = run(&laptop, &["search", "is the cellar dry?"]).ok();
    assert!(found.contains("cellar"), "{found}");

    let found = run(&laptop, &["search", "--json", "which key opens the gate?"]).json();
    let citation = found["items"][0]["citation"].as_str().unwrap();
    run(&laptop, &["erase", citation, "--confirm"]).ok();
    run(&laptop, &["share", "push"]).ok();
    let pulled = run(&desktop, &["share", "pull"]);
    assert!(pulled.code == 1 && pulled.err.contains("damaged"));
    assert!(!holds(&desktop.store(), b"zqgarden"));
    // The drive is not there.
    std::fs::rename(folder.path(), tablet.path().join("removed")).unwrap();
    for act in ["push", "pull", "status"] {
        let ran = run(&desktop, &["share", act]);
        assert!(
            ran.code == 1 && ran.err.contains("is not a folder"),
            "{act}: {ran:?}"
        );
    }
}

#[test]
fn a_watch_that_cannot_push_still_pulls() {
    let (laptop, desktop, _folder) = shared();
    stop_pushes(&desktop);
    let _watch = Watch::of(&desktop);
    let told = "The boiler is reset with the red knob.";
    run(&laptop, &["remember", told]).ok();
    run(&laptop, &["share", "push"]).ok();
    assert!(comes(&desktop, "how is the boiler reset?", "red knob"));
}

#[test]
fn a_watch_tells_a_lasting_problem_once() {
    let (laptop, desktop, _folder) = shared();
    stop_pushes(&desktop);
    let (_watch, mut next) = Watch::heard(&desktop, &[]);
    let problem = next();
    assert!(problem.starts_with("waiting: "), "{problem}");
    run(&laptop, &["remember", "The shop opens at nine."]).ok();
    run(&laptop, &["share", "push"]).ok();
    let pulled = next();
    assert!(pulled.starts_with("pulled "), "{pulled}");
}

#[test]
fn a_watch_goes_on_with_the_copy_that_replaced_its_store() {
    let (laptop, desktop, _folder) = shared();
    let (_watch, mut next) = Watch::heard(&desktop, &[]);
    let watching = next();
    assert!(watching.starts_with("watching "), "{watching}");
    let store = desktop.store();
    let [moved, copy] = ["moved", "copy"].map(|name| desktop.path().join(name));
    std::fs::rename(&store, &moved).unwrap();
    let problem = next();
    assert!(problem.starts_with("waiting: "), "{problem}");
    copy_folder(&moved, &copy);
    std::fs::rename(&copy, &store).unwrap();
    run(&laptop, &["remember", "The shop opens at nine."]).ok();
    run(&laptop, &["share", "push"]).ok();
    assert!(comes(&desktop, "when does the shop open?", "at nine"));
}

#[test]
fn a_watch_for_programs_prints_one_json_value_per_line() {
    let (laptop, desktop, _folder) = shared();
    run(&laptop, &["remember", "The shop opens at nine."]).ok();
    run(&laptop, &["share", "push"]).ok();
    stop_pushes(&desktop);
    let (_watch, mut line) = Watch::heard(&desktop, &["--json"]);
    let mut next = || -> Value {
        let line = line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    let pulled = next();
    assert!(pulled["pulled"]["records"].as_u64() > Some(0), "{pulled}");
    let problem = next();
    assert_eq!(problem["error"]["code"], "failed", "{problem}");
    run(&laptop, &["remember", "The shop closes at six."]).ok();
    run(&laptop, &["share", "push"]).ok();
    let pulled = next();
    assert!(pulled["pulled"]["records"].as_u64() > Some(0), "{pulled}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_watch_outlives_the_server() {
    let postgres = Postgres::start();
    let (laptop, desktop) = shared_in(&postgres.url(OWNER));
    let _watches = [Watch::of(&laptop), Watch::of(&desktop)];
    run(
        &laptop,
        &["remember", "The boiler is reset with the red knob."],
    )
    .ok();
    assert!(comes(&desktop, "how is the boiler reset?", "red knob"));
    postgres.kill();
    // What is known here is shown, and what is wrong is told.
    let status = run(&desktop, &["share", "status"]);
    assert_eq!(status.code, 1, "{status:?}");
    assert!(status.out.contains("laptop"), "{status:?}");
    assert!(status.err.contains("cannot connect"), "{status:?}");
    let status = run(&desktop, &["share", "status", "--json"]);
    let told = status.json();
    assert!(told["shared_hash"].is_string() && status.code == 1);
    assert!(
        told["error"]["message"]
            .to_string()
            .contains("cannot connect")
    );
    run(
        &desktop,
        &["remember", "The gate opens with the copper key."],
    )
    .ok();
    postgres.up();
    assert!(comes(&laptop, "which key opens the gate?", "copper key"));
}

/// As for one's own erasures: a script goes by the exit code.
#[test]
fn text_that_others_ordered_to_erase_and_that_is_still_in_a_file_is_told() {
    let (laptop, desktop, _folder) = shared();
    run(&laptop, &["remember", "The word is zebracorn."]).ok();
    run(&laptop, &["share", "push"]).ok();
    run(&desktop, &["share", "pull"]).ok();
    // An agent's server that has answered a call.
    let mut command = desktop.command_in("shop", &["--project", "shop", "mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    for (id, method, params) in [
        (
            1,
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" } }),
        ),
        (
            2,
            "tools/call",
            json!({ "name": "search", "arguments": { "query": "zebracorn" } }),
        ),
    ] {
        let ask = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{ask}").unwrap();
        let answer = output.next().unwrap().unwrap();
        assert!(answer.contains("\"result\""), "{answer}");
    }
    let found = run(&laptop, &["search", "zebracorn", "--json"]).json();
    let citation = found["items"][0]["citation"].as_str().unwrap();
    run(&laptop, &["erase", citation, "--confirm"]).ok();
    run(&laptop, &["share", "push"]).ok();
    let pulled = run(&desktop, &["share", "pull"]);
    assert_eq!(pulled.code, 1, "{pulled:?}");
    for told in [
        "1 forgotten by others",
        "not cleared: old generation",
        "close the programs that have these files open, then run `recallite maintain`",
    ] {
        assert!(pulled.out.contains(told), "{pulled:?}");
    }
    assert!(holds(&desktop.store(), b"zebracorn"));
    let again = run(&desktop, &["share", "pull", "--json"]);
    assert_eq!(again.code, 1, "{again:?}");
    let erased = &again.json()["erased"];
    assert_eq!(erased["is_complete"], false, "{erased}");
    assert_eq!(erased["unclean_places"].as_array().unwrap().len(), 1);
    drop(input);
    server.wait().unwrap();
    let pulled = run(&desktop, &["share", "pull", "--json"]);
    assert_eq!(pulled.code, 0, "{pulled:?}");
    assert_eq!(pulled.json()["erased"]["is_complete"], true, "{pulled:?}");
    assert!(!holds(&desktop.store(), b"zebracorn"));
    run(&desktop, &["share", "push"]).ok();
    run(&laptop, &["share", "pull"]).ok();
    let status = run(&laptop, &["share", "status"]).ok();
    assert!(!status.contains("not yet erased"), "{status}");
}

#[test]
fn a_finished_task_of_two_machines_is_renamed_once() {
    let (laptop, desktop, _folder) = shared();
    let exchange = || {
        for machine in [&laptop, &desktop, &laptop] {
            run(machine, &["share", "push"]).ok();
            run(machine, &["share", "pull"]).ok();
        }
    };
    for machine in [&laptop, &desktop] {
        run(machine, &["task", "add", "Write it"]).ok();
    }
    exchange();
    for arguments in [
        &["task", "start", "Write it"][..],
        &["task", "done", "Write it"],
        &["task", "rename", "Write it", "write it"],
        &["task", "rename", "write it", "Wrote it"],
    ] {
        run(&laptop, arguments).ok();
    }
    exchange();
    for machine in [&laptop, &desktop] {
        let listed = run(machine, &["tasks", "--all"]).ok();
        assert_eq!(listed.matches("rote it").count(), 1, "{listed}");
        assert_eq!(
            listed.to_lowercase().matches("write it").count(),
            0,
            "{listed}"
        );
    }
}

/// A program reads one document, and the exit code.
#[test]
fn the_status_of_a_place_that_is_gone_is_one_document() {
    let (laptop, _desktop, folder) = shared();
    std::fs::remove_dir_all(folder.path()).unwrap();
    let status = run(&laptop, &["share", "status", "--json"]);
    assert_ne!(status.code, 0, "{status:?}");
    assert!(status.err.is_empty(), "{status:?}");
    let told = status.json();
    assert!(told["error"]["message"].is_string(), "{told}");
    assert_eq!(told["members"].as_array().unwrap().len(), 1);
}

/// Names of what is withheld are not kept, so that erasing removes them.
#[test]
fn withholding_says_if_nothing_of_that_name_is_stored() {
    let (laptop, _desktop, _folder) = shared();
    run(&laptop, &["remember", "A word.", "--session", "there"]).ok();
    for (arguments, name, is_stored) in [
        (&["--session", "there"][..], "session there", true),
        (&["--session", "elsewhere"][..], "session elsewhere", false),
        (&["--project", "shop"][..], "project shop", true),
        (&["--project", "shpo"][..], "project shpo", false),
    ] {
        for act in ["withhold", "offer"] {
            let asked = [&["share", act], arguments].concat();
            let told = laptop.run(&asked).ok();
            assert!(told.contains(name), "{told}");
            let is_told = told.contains("nothing of it is stored here");
            assert_eq!(is_told, act == "withhold" && !is_stored, "{told}");
            let told = laptop.run(&[&asked[..], &["--json"]].concat()).json();
            assert_eq!(told["stored"], is_stored, "{told}");
        }
    }
}

#[test]
fn what_is_withheld_stays_and_a_stranger_is_named() {
    let (laptop, desktop) = (World::new(), World::new());
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    run(&laptop, &["share", "init", place]).ok();
    run(&laptop, &["share", "withhold"]).ok();
    let status = run(&laptop, &["share", "status"]).ok();
    assert!(
        status.contains("not shared with others: project "),
        "{status}"
    );
    let status = run(&laptop, &["share", "status", "--json"]).json();
    assert_eq!(status["withheld"][0]["scope"], "project", "{status}");
    run(&laptop, &["remember", "Only for this machine."]).ok();
    run(&desktop, &["share", "join", place]).ok();
    let pulled = run(&desktop, &["share", "pull", "--json"]).json();
    assert_eq!(pulled["records"], 0);
    run(&laptop, &["share", "offer"]).ok();
    let status = run(&laptop, &["share", "status"]).ok();
    assert!(!status.contains("not shared with others"), "{status}");
    run(&laptop, &["share", "push"]).ok();
    run(&desktop, &["share", "pull"]).ok();

    // The laptop was not told of the desktop.
    run(&desktop, &["remember", "By the desktop."]).ok();
    run(&desktop, &["share", "push"]).ok();
    let pulled = run(&laptop, &["share", "pull", "--json"]).json();
    let strangers = pulled["strangers"].as_array().unwrap();
    assert_eq!(strangers.len(), 1);
    let identity = strangers[0].as_str().unwrap();
    run(
        &laptop,
        &["share", "members", "--add", identity, "--name", "desktop"],
    )
    .ok();
    let pulled = run(&laptop, &["share", "pull", "--json"]).json();
    assert_eq!(pulled["records"], 1);
    run(&laptop, &["share", "members", "--remove", identity]).ok();
    let again = run(&laptop, &["share", "members", "--remove", identity]);
    assert_eq!(again.code, 3, "{again:?}");
}

#[test]
fn what_cannot_be_shared_in_is_said() {
    let world = World::new();
    run(&world, &["remember", "a note"]).ok();
    let ran = run(&world, &["share", "push"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    for place in [
        "ada:geheim@host:5432/memory",
        "mysql:ada:geheim@host/memory",
        "postgres;//ada:geheim@host/memory",
        "ada@host:5432/memory",
        "mysql://ada:geheim@host/memory",
        "jdbc:postgresql://host/memory?password=geheim",
        "host=localhost user=ada password=geheim",
        "postgres:/ada:geheim@host/memory",
        "postgres//ada:geheim@host/memory",
        "postgres://ada:ge@heim@host/memory",
        "",
    ] {
        let ran = run(&world, &["share", "init", place, "-vv"]);
        assert_eq!(ran.code, 64, "{place}: {ran:?}");
        assert!(!ran.err.contains("heim"), "{ran:?}");
    }
    let made = std::fs::read_dir(world.project("shop")).unwrap().count();
    assert_eq!(made, 1, "nothing beside the repository");
    let ran = run(
        &world,
        &["share", "init", "Postgres://ada:geheim@127.0.0.1:1/memory"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("127.0.0.1:1") && !ran.err.contains("geheim"));
    let ran = run(&world, &["share", "push"]);
    assert_eq!(ran.code, 3, "what could not be begun is not kept: {ran:?}");
    let file = world.write("a-file", "text");
    let ran = run(&world, &["share", "init", file.to_str().unwrap()]);
    assert_ne!(ran.code, 0, "{ran:?}");
    let ran = run(&world, &["share", "members", "--add", "nobody"]);
    assert_eq!(ran.code, 3, "{ran:?}");
}

#[test]
fn a_place_that_cannot_be_shared_through_leaves_no_memory_behind() {
    let (world, empty) = (World::new(), tempfile::tempdir().unwrap());
    for (act, place, code) in [
        ("join", "/nowhere/at/all", 3),
        ("join", empty.path().to_str().unwrap(), 3),
        ("init", "mysql://ada@host/memory", 64),
        ("init", "postgres://ada@127.0.0.1:1/memory", 1),
        ("join", "postgres://ada@127.0.0.1:1/memory", 1),
    ] {
        let ran = run(&world, &["share", act, place]);
        assert_eq!(ran.code, code, "{act} {place}: {ran:?}");
        assert!(!world.store().exists(), "{act} {place}");
    }
    // There is nobody yet whom it could make an owner.
    let place = empty.path().to_str().unwrap();
    let ran = run(&world, &["share", "init", place, "--owner"]);
    assert_eq!(ran.code, 64, "{ran:?}");
}

#[test]
fn where_a_memory_is_shared_is_read_or_the_error_says_why_not() {
    let (laptop, _desktop, _folder) = shared();
    let file = laptop.store().join("share.json");
    std::fs::remove_file(&file).unwrap();
    let ran = run(&laptop, &["share", "push"]);
    assert!(
        ran.code == 3 && ran.err.contains("is not shared"),
        "{ran:?}"
    );
    std::fs::write(&file, b"\xff").unwrap();
    let ran = run(&laptop, &["share", "push"]);
    assert!(ran.code == 1 && ran.err.contains("is damaged"), "{ran:?}");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let ran = run(&laptop, &["share", "push"]);
    assert!(ran.code == 1 && ran.err.contains("share.json"), "{ran:?}");
    assert!(!ran.err.contains("is not shared"), "{ran:?}");
}

#[test]
fn a_member_keeps_the_name_and_the_role_that_are_not_given() {
    let (laptop, desktop, folder) = shared();
    let members = |world: &World| {
        let members = world.run(&["share", "members", "--json"]).json();
        let of = |member: &Value| {
            let text = |name: &str| member[name].as_str().unwrap().to_owned();
            [text("identity"), text("name"), text("role")]
        };
        members["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(of)
            .collect::<Vec<_>>()
    };
    let [identity, name, role] = members(&laptop).remove(0);
    assert_eq!([name, role], ["desktop", "owner"]);
    let changed = |arguments: &[&str]| {
        let add = ["share", "members", "--add", &identity];
        run(&laptop, &[&add, arguments].concat()).ok();
        let [_, name, role] = members(&laptop).remove(0);
        format!("{name}, {role}")
    };
    assert_eq!(changed(&[]), "desktop, owner");
    assert_eq!(changed(&["--name", "tower"]), "tower, owner");
    run(&laptop, &["share", "members", "--remove", &identity]).ok();
    assert_eq!(changed(&["--name", "tower"]), "tower, writer");
    // Joining makes owners of new members only, and says so.
    let place = folder.path().to_str().unwrap();
    let joined = run(&laptop, &["share", "join", place, "--owner"]);
    let told = format!(
        "tower stays a writer; to make it an owner, run `recallite share members --add {identity} --owner`"
    );
    assert!(format!("{joined:?}").contains(&told), "{joined:?}");
    assert_eq!(changed(&["--owner"]), "tower, owner");
    let joined = run(&desktop, &["share", "join", place, "--owner"]);
    assert!(
        !format!("{joined:?}").contains("stays a writer"),
        "{joined:?}"
    );
}

#[test]
fn who_pulls_other_projects_only_is_told_how_they_get_one_name() {
    let laptop = World::new();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    run(
        &laptop,
        &["remember", "The gate opens with the copper key."],
    )
    .ok();
    run(&laptop, &["share", "init", place]).ok();
    for (project, is_told) in [("garden", true), ("shop", false)] {
        let desktop = World::new();
        let joined = desktop.run(&["share", "join", place, "--project", project]);
        let told = format!("{joined:?}");
        assert!(told.contains("pulled 1 record"), "{told}");
        let advice = "the project of this folder, garden, but to shop";
        assert_eq!(told.contains(advice), is_told, "{told}");
        assert_eq!(told.contains("git config recallite.project"), is_told);
    }
}

/// The identity of a machine, as its own `share status` prints it.
fn identity(world: &World) -> String {
    let status = world.run(&["share", "status", "--json"]).json();
    status["identity"].as_str().unwrap().to_owned()
}

#[test]
fn a_member_is_named_by_what_is_printed() {
    let (laptop, desktop, folder) = shared();
    let listed = run(&laptop, &["share", "members"]).ok();
    let whole = identity(&desktop);
    assert!(listed.contains(&whole), "{listed}");
    let place = folder.path().to_str().unwrap();
    // Two are ready to be added, and one of them is called after the digits of the other.
    let (tablet, forger) = (World::new(), World::new());
    run(&tablet, &["share", "join", place, "--name", "tablet"]).ok();
    let digits = identity(&tablet)[..16].to_owned();
    run(&forger, &["share", "join", place, "--name", &digits]).ok();
    let members = |act: &str, named: &str| run(&laptop, &["share", "members", act, named]);
    let ran = members("--add", &digits);
    assert_eq!(ran.code, 64, "{ran:?}");
    assert!(ran.err.contains(&identity(&forger)), "{ran:?}");
    for named in ["TABLET", &identity(&tablet)[..24], &identity(&tablet)] {
        let listed = members("--add", named).ok();
        assert!(listed.contains("  tablet  writer"), "{listed}");
        let listed = members("--remove", named).ok();
        assert!(!listed.contains("tablet"), "{listed}");
        assert_eq!(members("--remove", named).code, 3);
    }
    // Somebody could make keys until one begins with so few digits.
    assert_eq!(members("--remove", &whole[..15]).code, 3);
    // The place is needed for strangers alone.
    std::fs::remove_dir_all(folder.path()).unwrap();
    let owner = run(&laptop, &["share", "members", "--add", "desktop"]).ok();
    assert!(owner.contains("desktop  owner"), "{owner}");
    assert_ne!(members("--add", "tablet").code, 0);
}

#[test]
fn status_names_the_machines_that_have_not_erased() {
    let (laptop, desktop, folder) = shared();
    let tablet = World::new();
    let place = folder.path().to_str().unwrap();
    run(&tablet, &["share", "join", place, "--name", "tablet"]).ok();
    run(&laptop, &["share", "join", place]).ok();
    run(&desktop, &["share", "join", place, "--owner"]).ok();
    run(&laptop, &["remember", "The zqattic is locked."]).ok();
    run(&laptop, &["share", "push"]).ok();
    for world in [&tablet, &desktop] {
        run(world, &["share", "pull"]).ok();
    }
    let found = run(&desktop, &["search", "--json", "is the zqattic locked?"]).json();
    let citation = found["items"][0]["citation"].as_str().unwrap();
    run(&desktop, &["erase", citation, "--confirm"]).ok();
    run(&desktop, &["share", "push"]).ok();
    let of_desktop = || {
        run(&desktop, &["share", "pull"]).ok();
        run(&desktop, &["share", "status"]).ok()
    };
    let status = of_desktop();
    assert!(status.contains("waiting for laptop, tablet\n"), "{status}");
    // To the tablet the desktop is a writer, whose orders count for its own records only.
    run(&tablet, &["share", "pull"]).ok();
    run(&tablet, &["share", "push"]).ok();
    let status = of_desktop();
    let kept = "kept what other stores recorded, because this store is not an owner there: tablet";
    assert!(status.contains("waiting for laptop; "), "{status}");
    assert!(status.contains(kept), "{status}");
    // Of two with one name, the digits tell which is meant.
    let (first, second) = (identity(&laptop), identity(&tablet));
    let renamed = ["share", "members", "--add", &second, "--name", "laptop"];
    run(&desktop, &renamed).ok();
    let status = run(&desktop, &["share", "status"]).ok();
    for identity in [first, second] {
        let told = format!("laptop ({})", &identity[..16]);
        assert!(status.contains(&told), "{status}");
    }
}

#[test]
fn a_machine_says_again_who_it_is_in_a_folder_that_was_emptied() {
    let (laptop, desktop, folder) = shared();
    run(&laptop, &["remember", "The attic is locked."]).ok();
    std::fs::remove_dir_all(folder.path().join("recallite-share")).unwrap();
    run(&laptop, &["share", "push"]).ok();
    let tablet = World::new();
    let place = folder.path().to_str().unwrap();
    let joined = run(&tablet, &["share", "join", place, "--name", "tablet"]).ok();
    assert!(joined.contains("laptop"), "{joined}");
    let found = run(&tablet, &["search", "is the attic locked?"]).ok();
    assert!(found.contains("attic"), "{found}");
    run(&desktop, &["share", "push"]).ok();
    assert!(room(folder.path(), &desktop).join("member.json").exists());
}

#[test]
fn a_machine_says_again_who_it_is_if_that_was_damaged() {
    let (laptop, desktop, folder) = shared();
    let file = room(folder.path(), &laptop).join("member.json");
    let intact = std::fs::read(&file).unwrap();
    let of_desktop = std::fs::read(room(folder.path(), &desktop).join("member.json")).unwrap();
    for damage in [&b"garbage"[..], &of_desktop, b""] {
        std::fs::write(&file, damage).unwrap();
        run(&laptop, &["share", "push"]).ok();
        assert_eq!(std::fs::read(&file).unwrap(), intact);
    }
}

/// A line of the guide, run by a shell in the folder of a project.
#[cfg(unix)]
fn in_a_shell(world: &World, line: &str) -> Command {
    let plain = world.command_in("shop", &[]);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command.current_dir(plain.get_current_dir().unwrap());
    let variables = plain.get_envs();
    command
        .env_clear()
        .envs(variables.filter_map(|(name, value)| Some((name, value?))));
    let programs = Path::new(plain.get_program()).parent().unwrap();
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The commands of the guide, word for word but for the address of the server, on two machines whose
/// folders differ.
#[cfg(unix)]
fn follow_the_guide(block: usize, place: &Path, server: Option<&str>) {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/sharing.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let block = guide.split("```sh\n").nth(block).unwrap();
    let block = block.split("```").next().unwrap();
    let (laptop, desktop) = (World::new(), World::new());
    for world in [&laptop, &desktop] {
        ran(in_a_shell(world, "git init --quiet").output().unwrap()).ok();
        // Both see one folder.
        std::os::unix::fs::symlink(place, world.home().join("Sync")).unwrap();
    }
    let mut watches = Vec::new();
    let mut commands = 0;
    for line in block.lines() {
        let (line, comment) = line.split_once('#').unwrap_or((line, ""));
        let worlds = match comment {
            _ if comment.contains("laptop") => vec![&laptop],
            _ if comment.contains("desktop") => vec![&desktop],
            _ => {
                assert!(comment.contains("both"), "{line}{comment}");
                vec![&laptop, &desktop]
            }
        };
        commands += 1;
        let line = match server {
            Some(address) => line.replace("postgres://ada@db.example.org/memory", address),
            None => line.to_owned(),
        };
        for world in worlds {
            // It goes on until it is interrupted.
            match line.trim_end().ends_with(" watch") {
                true => {
                    let mut watch = in_a_shell(world, &format!("exec {line}"));
                    watch.stdout(Stdio::null()).stderr(Stdio::null());
                    watches.push(Watch(watch.spawn().unwrap()));
                }
                false => drop(ran(in_a_shell(world, &line).output().unwrap()).ok()),
            }
        }
    }
    assert_eq!((commands, watches.len()), (5, 2), "{block}");
    // Each in its own folder, and nobody names the project.
    let told = "The gate opens with the copper key.";
    laptop.run(&["remember", told]).ok();
    let finds = || {
        let found = desktop.run(&["search", "which key opens the gate?"]).ok();
        found.contains("copper key")
    };
    assert!(comes_true(finds));
    drop(watches);
    for act in ["push", "pull", "push"] {
        for world in [&laptop, &desktop] {
            world.run(&["share", act]).ok();
        }
    }
    assert_eq!(hash(&laptop), hash(&desktop));
    // Each is still called what it was called first.
    let tablet = World::new();
    let folder = place.join("memory");
    let place = server.unwrap_or_else(|| folder.to_str().unwrap());
    run(&tablet, &["share", "init", place, "--name", "tablet"]).ok();
    let status = tablet.run(&["share", "status", "--json"]).json();
    let others = status["strangers"].as_array().unwrap().iter();
    let mut names: Vec<&str> = others.filter_map(|one| one["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["desktop", "laptop"]);
}

#[test]
#[cfg(unix)]
fn the_commands_of_the_guide_make_two_memories_one() {
    let folder = tempfile::tempdir().unwrap();
    follow_the_guide(1, folder.path(), None);
}

#[test]
#[cfg(target_os = "linux")]
fn and_so_do_those_for_a_server() {
    let postgres = Postgres::start();
    let folder = tempfile::tempdir().unwrap();
    follow_the_guide(2, folder.path(), Some(&postgres.url(OWNER)));
}

/// That what one machine records is at the other within a second, where both watch. Load only makes it
/// later, so that one time is enough.
fn watches_are_quick(laptop: &World, desktop: &World) {
    let _watch = Watch::of(laptop);
    let (_other, mut line) = Watch::heard(desktop, &["--json"]);
    let mut times = Vec::new();
    for round in 0..8 {
        run(laptop, &["remember", &format!("Gate {round} is green.")]).ok();
        let begun = Instant::now();
        loop {
            let line: Value = serde_json::from_str(&line()).unwrap();
            if line["pulled"]["records"].as_u64() > Some(0) {
                break;
            }
        }
        times.push(begun.elapsed());
        if begun.elapsed() < Duration::from_secs(1) {
            return;
        }
    }
    panic!("never within a second: {times:?}");
}

#[test]
fn a_watch_brings_news_within_a_second() {
    let (laptop, desktop, _folder) = shared();
    watches_are_quick(&laptop, &desktop);
}

#[test]
#[cfg(target_os = "linux")]
fn and_so_does_one_over_a_server() {
    let postgres = Postgres::start();
    let (laptop, desktop) = shared_in(&postgres.url(OWNER));
    watches_are_quick(&laptop, &desktop);
}

#[test]
fn a_copied_folder_gets_an_identity_of_its_own() {
    let (laptop, desktop, folder) = shared();
    let copy = World::new();
    copy_folder(&laptop.store(), &copy.store());
    run(&laptop, &["remember", "The attic is locked."]).ok();
    run(&laptop, &["share", "push"]).ok();
    run(&copy, &["remember", "The cellar is dry."]).ok();
    let refused = run(&copy, &["share", "push"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("recallite share renew"), "{refused:?}");
    run(&copy, &["share", "renew"]).ok();
    let place = folder.path().to_str().unwrap();
    let name = |world: &World| {
        let member = std::fs::read_to_string(room(folder.path(), world).join("member.json"));
        let member: Value = serde_json::from_str(&member.unwrap()).unwrap();
        member["name"].as_str().unwrap().to_owned()
    };
    for world in [&copy, &desktop] {
        run(world, &["share", "join", place, "--owner"]).ok();
    }
    let found = run(&desktop, &["search", "is the cellar dry?"]).ok();
    assert!(found.contains("cellar"), "{found}");
    assert_eq!(name(&copy), "laptop");
    run(&copy, &["share", "join", place, "--name", "attic"]).ok();
    assert_eq!(name(&copy), "attic");
}

#[test]
#[cfg(target_os = "linux")]
fn an_account_is_given_projects() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob"]);
    let (ada, bob) = (World::new(), World::new());
    run(&ada, &["remember", "The gate opens with the copper key."]).ok();
    run(&ada, &["share", "init", &postgres.url(OWNER)]).ok();
    let ran = run(&bob, &["share", "join", &postgres.url("bob")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("recallite share grant"), "{ran:?}");
    run(&ada, &["share", "grant", "bob"]).ok();
    // Who begins there takes nobody.
    run(&bob, &["share", "init", &postgres.url("bob")]).ok();
    let members = run(&bob, &["share", "members", "--json"]).json();
    assert_eq!(members["items"].as_array().unwrap().len(), 0);
    let joined = run(&bob, &["share", "join", &postgres.url("bob")]).ok();
    assert!(joined.contains("pulled 1 record"), "{joined}");
    // The address may hold a password, and the place may have been another one before.
    let kept = ada.store().join("share.json");
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o644)).unwrap();
    run(&ada, &["share", "init", &postgres.url(OWNER)]).ok();
    let mode = std::fs::metadata(&kept).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let accesses = run(&ada, &["share", "access", "--json"]).json();
    assert_eq!(accesses["items"][1]["project"], "shop");
    run(&ada, &["share", "revoke", "bob"]).ok();
    assert_eq!(run(&ada, &["share", "revoke", "bob"]).code, 3);
    // Who was granted every project sees this one too, whether or not it was granted by itself.
    ada.run(&["share", "grant", "bob", "-a"]).ok();
    for _ in 0..2 {
        let refused = run(&ada, &["share", "revoke", "bob"]);
        assert_eq!(
            (refused.code, refused.out.as_str()),
            (64, ""),
            "{refused:?}"
        );
        assert!(
            refused.err.contains("share revoke ACCOUNT -a"),
            "{refused:?}"
        );
        run(&bob, &["share", "pull"]).ok();
        run(&ada, &["share", "grant", "bob"]).ok();
    }
    ada.run(&["share", "revoke", "bob", "-a"]).ok();
    assert_ne!(run(&bob, &["share", "pull"]).code, 0);
    let folder = tempfile::tempdir().unwrap();
    run(&bob, &["share", "init", folder.path().to_str().unwrap()]).ok();
    assert_eq!(run(&bob, &["share", "grant", "ada"]).code, 64);
}
