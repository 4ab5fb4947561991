//! Several processes share a store: all write, all see everything, and no write that was
//! acknowledged is lost when a process is killed.
//!
//! The test program starts itself again as the writers and readers; the test named `child` does
//! nothing unless started that way.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use recallite::scope::ProjectScope;
use recallite::{
    EventFilter, EventKind, MaintainBudget, Memory, NewEvent, Selector, Seq, Timestamp,
};

const ROLE: &str = "RECALLITE_TEST_ROLE";
const STORE: &str = "RECALLITE_TEST_STORE";
const NAME: &str = "RECALLITE_TEST_NAME";

fn start(role: &str, store: &Path, name: &str) -> Child {
    process(role, store, name).spawn().unwrap()
}

fn process(role: &str, store: &Path, name: &str) -> Command {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process
        .args(["child", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(STORE, store)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .stdin(Stdio::piped());
    process
}

#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let store = std::env::var(STORE).unwrap();
    let name = std::env::var(NAME).unwrap();
    // Four writers that rewrite the whole store may take long on a busy machine.
    let memory = Memory::builder()
        .busy_timeout_ms(120_000)
        .open(store)
        .unwrap();
    match role.as_str() {
        "write" => {
            for number in 0..40 {
                memory.append(event(&name, number)).unwrap();
            }
        }
        "write for ever" => {
            for number in 0.. {
                let receipt = memory.append(event(&name, number)).unwrap();
                // The line is the acknowledgement: it is printed only after the append has
                // returned.
                let mut out = std::io::stdout().lock();
                writeln!(out, "\nstored {} {}", receipt.seq, receipt.id).unwrap();
                out.flush().unwrap();
            }
        }
        "do everything for ever" => everything(&memory, &name),
        "look for ever" => look(&memory),
        "export slowly" => {
            let mut slow = Slow::default();
            memory.upkeep().export_jsonl_to(&mut slow, None).unwrap();
            say(&format!("exported {}", slow.lines));
        }
        "read for ever" => {
            let mut last = 0;
            loop {
                let events = memory.changes_since(Seq(last), 500).unwrap();
                for event in &events {
                    assert_eq!(event.seq.0, last + 1, "positions are dense");
                    last = event.seq.0;
                }
                assert!(memory.stats().unwrap().last_seq >= last);
            }
        }
        other => panic!("unknown role {other}"),
    }
}

/// A reader of an export that waits in the middle until it is told to go on.
#[derive(Default)]
struct Slow {
    lines: usize,
    has_waited: bool,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if !self.has_waited {
            self.has_waited = true;
            say("holding");
            std::io::stdin().read_line(&mut String::new())?;
        }
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Reports what is about to happen or what was acknowledged.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{line}").unwrap();
    out.flush().unwrap();
}

/// Appends, forgets, erases, compacts and rebuilds; the first writer also searches on a second
/// thread. Each event contains a unique word, which identifies it in the reports.
fn everything(memory: &Memory, name: &str) {
    let is_first = name.ends_with("w0");
    if is_first {
        let searching = memory.clone();
        std::thread::spawn(move || look(&searching));
    }
    for number in 0.. {
        let word = |number: u32| format!("{name}x{number}x");
        let event = |number| NewEvent::new(EventKind::UserPrompt, name, word(number));
        match number % 16 {
            7 if is_first => {
                // Large enough for a segment file.
                let from = number * 1_000;
                let many = (from..from + 1_100).map(event).collect();
                memory.append_batch(many).unwrap();
                (from..from + 1_100).for_each(|number| say(&format!("stored {}", word(number))));
            }
            5 | 10 => {
                let gone = word(number - 2);
                say(&format!("removing {gone}"));
                let found = memory.search(gone.as_str()).unwrap();
                let hit = found.items.iter().find(|hit| hit.summary == gone);
                let hit = hit.unwrap_or_else(|| panic!("{gone} is not found"));
                let selector = Selector::new().id(hit.id).project(ProjectScope::All);
                match number % 16 {
                    5 => drop(memory.forget(&selector).unwrap()),
                    _ => drop(memory.erase(&selector).unwrap()),
                }
                let verb = if number % 16 == 5 { "forgot" } else { "erased" };
                say(&format!("{verb} {gone}"));
            }
            12 => drop(memory.compact().unwrap()),
            13 => drop(memory.rebuild(Timestamp::from_millis(0).unwrap()).unwrap()),
            14 => drop(memory.maintain(MaintainBudget::default()).unwrap()),
            _ => {
                memory.append(event(number)).unwrap();
                say(&format!("stored {}", word(number)));
            }
        }
    }
}

/// Searches, iterates, follows and counts: nothing fails or is out of order.
fn look(memory: &Memory) {
    loop {
        memory.search("x1x").unwrap();
        memory.context("x2x").unwrap();
        let mut last = 0;
        for event in memory.changes_since(Seq(0), usize::MAX).unwrap() {
            assert!(event.seq.0 > last, "positions are in order");
            last = event.seq.0;
        }
        let mut before = Timestamp::MIN;
        for event in memory.events(EventFilter::new()).unwrap() {
            let event = event.unwrap();
            assert!(event.timestamp >= before, "times are in order");
            before = event.timestamp;
        }
        memory.stats().unwrap();
    }
}

fn event(name: &str, number: u32) -> NewEvent {
    NewEvent::new(
        EventKind::UserPrompt,
        name,
        format!("{name} wrote number {number}"),
    )
}

#[test]
fn processes_append_at_once_and_all_events_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["one", "two", "three"];
    let children: Vec<Child> = names
        .iter()
        .map(|name| start("write", folder.path(), name))
        .collect();
    let memory = Memory::builder()
        .busy_timeout_ms(20_000)
        .open(folder.path())
        .unwrap();
    for number in 0..40 {
        memory.append(event("parent", number)).unwrap();
    }
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(memory.stats().unwrap().events, 160);
    let seqs: Vec<u64> = memory
        .changes_since(Seq(0), usize::MAX)
        .unwrap()
        .iter()
        .map(|e| e.seq.0)
        .collect();
    assert_eq!(seqs, (1..=160).collect::<Vec<_>>());
    for name in names {
        let texts: Vec<String> = memory
            .events(EventFilter::new().session(name))
            .unwrap()
            .map(|event| event.unwrap().content)
            .collect();
        assert_eq!(texts.len(), 40);
    }
}

/// A snapshot that another process holds blocks nobody: others append, compact and erase, and only
/// the old file stays until it is dropped.
#[test]
fn a_snapshot_held_for_long_blocks_nobody_and_keeps_an_erasure_open() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let batch = |name: &str| (0..500).map(|number| event(name, number)).collect();
    for part in 0..4 {
        let name = format!("before {part}");
        memory.append_batch(batch(name.as_str())).unwrap();
    }
    let secret = NewEvent::new(EventKind::UserPrompt, "s", "the word is quetzalcoatl");
    let secret = memory.append(secret).unwrap().id;

    let mut child = start("export slowly", folder.path(), "");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = lines.by_ref().map_while(Result::ok);
    assert!(said.any(|line| line == "holding"));
    for part in 0..20 {
        let name = format!("after {part}");
        memory.append_batch(batch(name.as_str())).unwrap();
    }
    assert_eq!(memory.compact().unwrap().generation, 2);
    let erased = memory.erase(&Selector::new().id(secret)).unwrap();
    assert_eq!((erased.count, erased.is_complete), (1, false));
    let [place] = &erased.unclean_places[..] else {
        panic!("{:?}", erased.unclean_places);
    };
    assert!(place.contains("memory.1.redb"), "{place}");
    let done = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(done.open_erasures, 1);
    assert_eq!(memory.stats().unwrap().prompts, 12_000);

    writeln!(child.stdin.take().unwrap(), "go on").unwrap();
    let exported: Vec<String> = lines
        .map_while(Result::ok)
        .filter(|line| line.starts_with("exported"))
        .collect();
    assert!(child.wait().unwrap().success());
    // A header and an end, and the store as it was.
    assert_eq!(exported, ["exported 2003"]);
    let done = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!((done.erasures_completed, done.open_erasures), (1, 0));
    assert!(memory.check().unwrap().ok);
    drop(memory);
    for (file, text) in texts_of(folder.path()) {
        assert!(!text.contains("quetzalcoatl"), "{}", file.display());
    }
}

/// The files of a folder and of those in it, each with its text.
fn texts_of(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(place) = folders.pop() {
        for entry in std::fs::read_dir(place).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            found.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    found
}

/// Kills 4 writers and 2 readers at random moments, `RECALLITE_TEST_ROUNDS` times (`cargo xtask
/// reliability` uses 200).
#[test]
fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let rounds: u64 = match std::env::var("RECALLITE_TEST_ROUNDS") {
        Ok(text) => text.parse().expect("RECALLITE_TEST_ROUNDS is a number"),
        Err(_) => 6,
    };
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = HashSet::new();
    for round in 0..rounds {
        let mut writers: Vec<Child> = (0..4)
            .map(|writer| {
                start(
                    "write for ever",
                    folder.path(),
                    &format!("r{round}w{writer}"),
                )
            })
            .collect();
        let mut readers: Vec<Child> = (0..2)
            .map(|reader| start("read for ever", folder.path(), &format!("r{reader}")))
            .collect();
        let outputs: Vec<_> = writers
            .iter_mut()
            .map(|writer| {
                let out = BufReader::new(writer.stdout.take().unwrap());
                std::thread::spawn(move || {
                    out.lines()
                        .map_while(Result::ok)
                        .filter(|l| l.starts_with("stored"))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        std::thread::sleep(std::time::Duration::from_millis(250 + 70 * (round % 6)));
        for reader in &mut readers {
            assert!(
                reader.try_wait().unwrap().is_none(),
                "a reader met an error"
            );
        }
        for child in writers.iter_mut().chain(&mut readers) {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        for output in outputs {
            acknowledged.extend(output.join().unwrap());
        }
    }
    let memory = Memory::open(folder.path()).unwrap();
    let stored = memory.changes_since(Seq(0), usize::MAX).unwrap();
    let found: HashSet<String> = stored
        .iter()
        .map(|event| format!("stored {} {}", event.seq, event.id))
        .collect();
    assert_eq!(found.len(), stored.len(), "an event is there twice");
    let texts: HashSet<&str> = stored.iter().map(|event| event.content.as_str()).collect();
    assert_eq!(texts.len(), stored.len(), "an event was stored twice");
    let lost: Vec<_> = acknowledged.difference(&found).collect();
    assert!(
        lost.is_empty(),
        "{} of {} acknowledged events are lost",
        lost.len(),
        acknowledged.len()
    );
    println!(
        "{rounds} rounds of kill -9 among 4 writers and 2 readers: {} acknowledged, {} stored, \
         none lost, none twice",
        acknowledged.len(),
        stored.len()
    );
    assert!(!acknowledged.is_empty());
}

/// What the processes of some rounds reported.
#[derive(Default)]
struct Said {
    stored: HashSet<String>,
    /// Events whose removal had begun: they may or may not remain.
    removing: HashSet<String>,
    removed: HashSet<String>,
    erased: HashSet<String>,
}

impl Said {
    fn hear(&mut self, line: &str) {
        if let Some((verb, word)) = line.split_once(' ') {
            let word = word.to_owned();
            match verb {
                "stored" => drop(self.stored.insert(word)),
                "removing" => drop(self.removing.insert(word)),
                "forgot" => drop(self.removed.insert(word)),
                "erased" => {
                    self.removed.insert(word.clone());
                    self.erased.insert(word);
                }
                _ => {}
            }
        }
    }

    /// Compares the reports with the store and its files.
    fn compare(&self, folder: &Path) {
        let memory = Memory::open(folder).unwrap();
        let events = memory.changes_since(Seq(0), usize::MAX).unwrap();
        let found: Vec<&str> = events
            .iter()
            .filter(|event| event.kind == EventKind::UserPrompt)
            .map(|event| event.content.as_str())
            .collect();
        let set: HashSet<&str> = found.iter().copied().collect();
        assert_eq!(set.len(), found.len(), "an event is there twice");
        for word in self.stored.difference(&self.removing) {
            assert!(set.contains(word.as_str()), "{word} is lost");
        }
        for word in &self.removed {
            assert!(!set.contains(word.as_str()), "{word} is there again");
        }
        // It carries out what a killed process had ordered to erase.
        while memory.maintain(MaintainBudget::default()).unwrap().has_more {}
        let report = memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
        for (file, text) in texts_of(folder) {
            for word in &self.erased {
                let file = file.display();
                assert!(!text.contains(word.as_str()), "{word} is left in {file}");
            }
        }
    }
}

/// The same with writers that also forget, erase, compact and rebuild.
#[test]
fn a_killed_process_loses_nothing_among_erases_and_compactions() {
    let rounds: u64 = match std::env::var("RECALLITE_TEST_ROUNDS") {
        Ok(text) => text.parse().expect("RECALLITE_TEST_ROUNDS is a number"),
        Err(_) => 4,
    };
    let mut folder = tempfile::tempdir().unwrap();
    let mut said = Said::default();
    let mut total = [0; 3];
    for round in 0..rounds {
        let mut children: Vec<Child> = (0..4)
            .map(|writer| ("do everything for ever", format!("r{round}w{writer}")))
            .chain((0..2).map(|reader| ("look for ever", format!("r{reader}"))))
            .map(|(role, name)| start(role, folder.path(), &name))
            .collect();
        let (send, lines) = std::sync::mpsc::channel();
        for child in &mut children {
            let out = BufReader::new(child.stdout.take().unwrap());
            let send = send.clone();
            std::thread::spawn(move || {
                let lines = out.lines().map_while(Result::ok);
                lines.for_each(|line| drop(send.send(line)));
            });
        }
        drop(send);
        // Until this many acts are acknowledged, with others in progress.
        let mut acts = 0;
        while acts < 40 + 5 * (round % 9) {
            let line = lines.recv_timeout(std::time::Duration::from_secs(120));
            let line = line.expect("the writers stand still");
            acts += u64::from(
                ["stored ", "forgot ", "erased "]
                    .iter()
                    .any(|v| line.starts_with(v)),
            );
            said.hear(&line);
        }
        for child in &mut children {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "round {round}: a process met an error");
            child.kill().unwrap();
            child.wait().unwrap();
        }
        lines.iter().for_each(|line| said.hear(&line));
        said.compare(folder.path());
        // As the store grows, erasing takes longer.
        if round % 8 == 7 || round + 1 == rounds {
            let counts = [said.stored.len(), said.removed.len(), said.erased.len()];
            (0..3).for_each(|at| total[at] += counts[at]);
            (folder, said) = (tempfile::tempdir().unwrap(), Said::default());
        }
    }
    let [stored, removed, erased] = total;
    println!(
        "{rounds} rounds of kill -9 among 4 writers and 2 readers with erases and compactions: \
         {stored} acknowledged, {removed} removed, {erased} of them erased, none lost, none back"
    );
    assert!(stored > 0 && removed > 0);
}

#[test]
fn processes_go_on_while_the_store_is_compacted_under_them() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .busy_timeout_ms(20_000)
        .open(folder.path())
        .unwrap();
    let mut writers: Vec<Child> = ["w0", "w1"]
        .iter()
        .map(|name| start("write for ever", folder.path(), name))
        .collect();
    let mut readers: Vec<Child> = ["r0", "r1"]
        .iter()
        .map(|name| start("read for ever", folder.path(), name))
        .collect();
    let outputs: Vec<_> = writers
        .iter_mut()
        .map(|writer| {
            let out = BufReader::new(writer.stdout.take().unwrap());
            std::thread::spawn(move || {
                out.lines()
                    .map_while(Result::ok)
                    .filter(|line| line.starts_with("stored"))
                    .collect::<HashSet<_>>()
            })
        })
        .collect();
    let mut last = Seq(0);
    for round in 0..6 {
        // Each round continues only after the others have written again.
        let seen = memory
            .wait_for_change(Seq(last.0 + 5), std::time::Duration::from_secs(60))
            .unwrap();
        assert!(
            seen.0 > last.0 + 5,
            "round {round}: the writers stand still"
        );
        last = seen;
        assert_eq!(memory.compact().unwrap().generation, round + 2);
    }
    for child in writers.iter_mut().chain(&mut readers) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "a process met an error"
        );
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let acknowledged: HashSet<String> = outputs
        .into_iter()
        .flat_map(|output| output.join().unwrap())
        .collect();
    let found: HashSet<String> = memory
        .changes_since(Seq(0), usize::MAX)
        .unwrap()
        .iter()
        .map(|event| format!("stored {} {}", event.seq, event.id))
        .collect();
    assert_eq!(acknowledged.difference(&found).count(), 0);
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    println!("{} acknowledged across 6 generations", acknowledged.len());
}

#[test]
fn a_store_that_one_process_has_for_itself_is_refused_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .exclusive(true)
        .open(folder.path())
        .unwrap();
    memory.append(event("parent", 0)).unwrap();
    // Another process gets an error that the store is in use, and changes nothing.
    let output = process("write", folder.path(), "late")
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("code: Busy"), "{said}");
    assert_eq!(memory.stats().unwrap().events, 1);
}
