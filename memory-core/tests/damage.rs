//! Damaged store files: whatever happened to a page, every call returns `corrupt` or the right
//! answer, nothing is printed, the process survives, and whatever `check` declares intact reads
//! back as stored.
//!
//! The test program starts itself again with a part of the damages; the test named `child` does
//! nothing unless started that way. By default a few damages of every kind are tried.
//! `RECALLITE_TEST_DAMAGES=N` tries N of them, and `RECALLITE_TEST_SEED=N` selects others.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Debug;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use recallite::clock::{Clock, IdSource};
use recallite::scope::ProjectScope;
use recallite::{
    Error, ErrorCode, Event, EventFilter, EventId, EventKind, EventRef, MaintainBudget, Memory,
    NewEvent, Selector, Seq, SessionUpdate, Timestamp, ToolUse,
};

const MASTER: &str = "RECALLITE_DAMAGE_MASTER";
const SHARE: &str = "RECALLITE_DAMAGE_SHARE";
const COUNT: &str = "RECALLITE_TEST_DAMAGES";
const SEED: &str = "RECALLITE_TEST_SEED";
const DEFAULT_COUNT: u64 = 16;
const CHILDREN: u64 = 2;
const PAGE: usize = 4096;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// A small generator (SplitMix64), so that each damage is determined by its number.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Damages the image of a store file, and describes how.
fn damage(image: &mut Vec<u8>, number: u64) -> String {
    let mut random = Random(number.wrapping_mul(0x1_0000_0001).wrapping_add(1));
    let used: Vec<usize> = (0..image.len() / PAGE)
        .filter(|page| image[page * PAGE..][..PAGE].iter().any(|byte| *byte != 0))
        .collect();
    let page = used[random.below(used.len())];
    let other = used[random.below(used.len())];
    let (at, from) = (page * PAGE, other * PAGE);
    match random.below(8) {
        0 => {
            image[at..at + PAGE].fill(0);
            format!("page {page} is zero")
        }
        1 => {
            for byte in &mut image[at..at + PAGE] {
                *byte = random.next() as u8;
            }
            format!("page {page} is noise")
        }
        2 => {
            let there = image[from..from + PAGE].to_vec();
            image.copy_within(at..at + PAGE, from);
            image[at..at + PAGE].copy_from_slice(&there);
            format!("pages {page} and {other} changed places")
        }
        3 => {
            image.copy_within(from..from + PAGE, at);
            format!("page {page} holds page {other}")
        }
        4 => {
            image.truncate(at + random.below(PAGE));
            format!("the file ends in page {page}")
        }
        kind => {
            // The most important bytes are at the start of a page.
            let end = if kind == 5 { 64 } else { PAGE };
            let byte = random.below(end);
            let bit = random.below(8);
            image[at + byte] ^= 1 << bit;
            format!("page {page}: bit {bit} of byte {byte} is another")
        }
    }
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(1_770_000_000_000 + minute * 60_000).unwrap()
}

/// A stopped clock and consecutive ids, so that every run damages the same file.
#[derive(Debug, Default)]
struct Counting(AtomicU64);

impl Clock for Counting {
    fn now(&self) -> Timestamp {
        at(10_000)
    }
}

impl IdSource for Counting {
    fn event_id(&self, _: Timestamp) -> EventId {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        format!("01900000-0000-7000-8000-{number:012x}")
            .parse()
            .unwrap()
    }

    fn salt(&self) -> [u8; 16] {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        u128::from(number).to_le_bytes()
    }
}

fn fill(folder: &Path) {
    let memory = Memory::builder()
        .project("shop")
        .clock(Arc::new(Counting::default()))
        .ids(Arc::new(Counting::default()))
        .open(folder)
        .unwrap();
    let prompt = |session: &str, number: i64, text: String| {
        NewEvent::new(EventKind::UserPrompt, session, text)
            .timestamp(at(number))
            .project(if number % 3 == 0 { "blog" } else { "shop" })
    };
    for part in 0..3 {
        let events = (0..200).map(|n| {
            let number = part * 200 + n;
            let text = format!("Message {number}: the timeout of gateway {n} is {number} seconds.");
            prompt(&format!("s{}", n % 5), number, text)
        });
        memory.append_batch(events.collect()).unwrap();
    }
    for number in 600..640 {
        let tool = ToolUse::new(if number % 2 == 0 { "Read" } else { "Bash" })
            .input(
                recallite::Json::parse("input", &format!(r#"{{"file_path":"/src/{number}.rs"}}"#))
                    .unwrap(),
            )
            .output(format!("line {number}\n").repeat(40));
        let event = NewEvent::tool("s1", tool).timestamp(at(number));
        memory.append(event).unwrap();
    }
    let update = SessionUpdate::default()
        .summary("about timeouts")
        .tags(["gateway"]);
    memory.update_session("s1", update).unwrap();
    memory
        .forget(
            &Selector::new()
                .ids((30..40).map(Seq))
                .project(ProjectScope::All),
        )
        .unwrap();
    memory.context("which timeout has gateway 7?").unwrap();
    memory
        .erase(
            &Selector::new()
                .ids((50..60).map(Seq))
                .project(ProjectScope::All),
        )
        .unwrap();
    for number in 700..720 {
        let text = format!("A later message {number} about the heron.");
        memory.append(prompt("s9", number, text)).unwrap();
    }
    memory.close().unwrap();
}

fn store_file(folder: &Path) -> PathBuf {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "redb"))
        .collect();
    files.sort();
    files.pop().unwrap()
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// The results of the reading calls, as text; `None` for an expected failure.
#[derive(Default, PartialEq)]
struct Answers(Vec<(&'static str, Option<String>)>);

/// Makes every call on one damaged store.
struct Trial<'a> {
    what: String,
    progress: &'a Path,
    findings: Vec<String>,
}

impl Trial<'_> {
    /// Makes a call; an error must report that the store is damaged.
    fn run<T>(&mut self, name: &str, call: impl FnOnce() -> Result<T, Error>) -> Option<T> {
        fs::write(self.progress, format!("{}: {name}", self.what)).unwrap();
        match call() {
            Ok(value) => Some(value),
            Err(error) => {
                let helps = ["check", "backup", "rebuild", "compact", "move the folder"];
                let message = error.message();
                if error.code() != ErrorCode::Corrupt {
                    self.found(format_args!("{name} said {}: {message}", error.code()));
                } else if !helps.iter().any(|word| message.contains(word)) {
                    self.found(format_args!("{name} names no way out: {message}"));
                } else if message.contains("gateway") || message.contains("heron") {
                    self.found(format_args!("{name} tells what is stored: {message}"));
                }
                None
            }
        }
    }

    fn found(&mut self, problem: impl std::fmt::Display) {
        self.findings.push(format!("{}: {problem}", self.what));
    }

    fn read(&mut self, memory: &Memory) -> Answers {
        fn text<T: Debug>(value: Option<T>) -> Option<String> {
            value.map(|value| format!("{value:?}"))
        }
        let everything = || EventFilter::new().project(ProjectScope::All);
        let all =
            |filter: EventFilter| -> Result<Vec<Event>, Error> { memory.events(filter)?.collect() };
        let kinds = || EventKind::ALL.iter().copied();
        let citations: Vec<EventRef> = (61..700).step_by(50).map(|seq| Seq(seq).into()).collect();
        let mut answers = Answers::default();
        let mut put = |name: &'static str, answer: Option<String>| answers.0.push((name, answer));
        put("events", text(self.run("events", || all(everything()))));
        put(
            "events newest first",
            text(self.run("events newest first", || all(everything().newest_first()))),
        );
        put(
            "events of a session",
            text(self.run("events of a session", || all(everything().session("s1")))),
        );
        put(
            "events of a kind",
            text(self.run("events of a kind", || {
                all(everything().kinds([EventKind::ToolObservation]))
            })),
        );
        put(
            "events of a project",
            text(self.run("events of a project", || all(EventFilter::new()))),
        );
        put(
            "events of all kinds",
            text(self.run("events of all kinds", || all(everything().kinds(kinds())))),
        );
        put(
            "events of a file",
            text(self.run("events of a file", || {
                all(everything().file_contains("src/61"))
            })),
        );
        put(
            "events of a tool",
            text(self.run("events of a tool", || all(everything().tools(["Bash"])))),
        );
        put(
            "changes_since",
            text(self.run("changes_since", || memory.changes_since(Seq(0), usize::MAX))),
        );
        put(
            "event",
            text(self.run("event", || {
                (1..700)
                    .step_by(20)
                    .map(|seq| memory.event(Seq(seq)))
                    .collect::<Result<Vec<_>, _>>()
            })),
        );
        put(
            "sessions",
            text(self.run("sessions", || memory.sessions(&ProjectScope::All, None))),
        );
        put(
            "session",
            text(self.run("session", || memory.session("s1"))),
        );
        put(
            "details",
            // The related events leave out what is damaged.
            text(self.run("details", || {
                let found = memory.details(&citations)?;
                let parts = found.into_iter();
                Ok(parts
                    .map(|detail| (detail.event, detail.token_count, detail.files, detail.tools))
                    .collect::<Vec<_>>())
            })),
        );
        put(
            "timeline",
            self.run("timeline", || memory.timeline(&citations, 2))
                .map(|items| {
                    let lines = items.iter().map(|item| format!("{item:?}\n"));
                    lines.collect()
                }),
        );
        put(
            "stats",
            text(self.run("stats", || {
                let stats = memory.stats()?;
                Ok((
                    stats.events,
                    stats.sessions,
                    stats.last_seq,
                    stats.forgotten,
                ))
            })),
        );
        put(
            "search",
            text(self.run("search", || {
                let found = memory.search("which timeout has gateway 7?")?;
                let seqs: Vec<Seq> = found.items.iter().map(|hit| hit.seq).collect();
                Ok((seqs, found.degraded))
            })),
        );
        put(
            "state_hash",
            text(self.run("state_hash", || {
                memory
                    .upkeep()
                    .state_hash(Timestamp::from_millis(0).unwrap())
            })),
        );
        self.run("context", || memory.context("which timeout has gateway 7?"));
        self.run("export_jsonl", || {
            memory.upkeep().export_jsonl_to(Vec::new(), None)
        });
        self.run("tasks", || {
            memory.tasks().list(&recallite::TaskFilter::default())
        });
        self.run("entries", || {
            memory
                .knowledge()
                .entries(&recallite::EntryFilter::default())
        });
        answers
    }

    fn write(&mut self, memory: &Memory) {
        self.run("append", || {
            memory.append(NewEvent::new(
                EventKind::UserPrompt,
                "s1",
                "one more message",
            ))
        });
        self.run("append_batch", || {
            let many = (0..600).map(|n| {
                NewEvent::new(EventKind::AgentResponse, "s2", format!("answer number {n}"))
            });
            memory.append_batch(many.collect())
        });
        self.run("update_session", || {
            memory.update_session("s1", SessionUpdate::default())
        });
        self.run("forget", || {
            memory.forget(&Selector::new().session("s3").project(ProjectScope::All))
        });
        self.run("maintain", || memory.maintain(MaintainBudget::default()));
        self.run("close", || memory.close());
    }

    /// Follows the remedy in `check`'s report, which must work.
    fn follow(&mut self, remedy: &str, folder: &Path, as_of: Timestamp) {
        fs::write(self.progress, format!("{}: {remedy}", self.what)).unwrap();
        let Some(memory) = self.open(folder) else {
            return;
        };
        let mut export = Vec::new();
        let written = memory.upkeep().export_jsonl_to(&mut export, None);
        let fresh = tempfile::tempdir().unwrap();
        let other = Memory::open(fresh.path()).unwrap();
        if remedy.contains("call backup") {
            let copy = fresh.path().join("copy");
            let copied = memory.backup(&copy);
            match Memory::builder().project("shop").open(&copy) {
                Ok(copy) if can_append(&copy).is_ok() => {}
                other => self.found(format_args!("a backup is of no use: {copied:?}, {other:?}")),
            }
        } else if remedy.starts_with("call rebuild") {
            let rebuilt = memory.rebuild(as_of);
            if rebuilt.is_ok() {
                match memory.check() {
                    Ok(report) if report.ok => {}
                    report => self.found(format_args!("rebuild heals nothing: {report:?}")),
                }
            } else if written.is_err()
                || other
                    .upkeep()
                    .restore_jsonl_from(export.as_slice())
                    .is_err()
            {
                self.found(format_args!("neither helps: {rebuilt:?}, {written:?}"));
            }
        } else if remedy.contains("import_jsonl") {
            match other.upkeep().import_jsonl_from(export.as_slice()) {
                Ok(imported) if imported.events > 0 => {}
                result => self.found(format_args!("nothing is saved: {written:?}, {result:?}")),
            }
        } else if remedy.contains("no event in this store can be read")
            && other
                .upkeep()
                .import_jsonl_from(export.as_slice())
                .is_ok_and(|imported| imported.events > 0)
        {
            self.found(format_args!("something can be saved, and check says not"));
        }
    }

    /// Opens a copy of the damaged store.
    fn open(&mut self, folder: &Path) -> Option<Memory> {
        self.run("open", || {
            Memory::builder()
                .project("shop")
                .create(false)
                .clock(Arc::new(Counting::default()))
                .open(folder)
        })
    }
}

/// Whether a timeline only leaves out events around those that were asked for: a damaged neighbour
/// hides nothing else.
fn is_part_of_timeline(answer: &Option<String>, right: &Option<String>) -> bool {
    let lines = |text: &Option<String>| -> Vec<String> {
        let text = text.as_deref().unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    let (answer, right) = (lines(answer), lines(right));
    answer.iter().all(|item| right.contains(item))
        && right
            .iter()
            .all(|item| !item.contains("is_target: true") || answer.contains(item))
}

fn share(master: &Path, work: &Path, numbers: impl Iterator<Item = u64>) -> Vec<String> {
    let image = fs::read(store_file(master)).unwrap();
    let progress = work.join("progress");
    let (damaged, scratch) = (work.join("damaged"), work.join("scratch"));
    let as_of = Timestamp::from_millis(0).unwrap();
    let mut sound = Trial {
        what: "a sound store".into(),
        progress: &progress,
        findings: Vec::new(),
    };
    copy(master, &scratch);
    let memory = sound.open(&scratch).unwrap();
    let right = sound.read(&memory);
    drop(memory);
    assert!(sound.findings.is_empty(), "{:?}", sound.findings);
    let mut findings = Vec::new();
    for number in numbers {
        copy(master, &damaged);
        let mut broken = image.clone();
        let how = damage(&mut broken, number);
        fs::write(store_file(&damaged), &broken).unwrap();
        let mut trial = Trial {
            what: format!("damage {number} ({how})"),
            progress: &progress,
            findings: Vec::new(),
        };
        copy(&damaged, &scratch);
        let mut remedy = None;
        if let Some(memory) = trial.open(&scratch) {
            let answers = trial.read(&memory);
            let report = trial.run("check", || memory.check());
            let is_sound = report.as_ref().is_some_and(|report| report.ok);
            remedy = report
                .and_then(|report| report.first_divergence)
                .map(|found| found.remedy);
            for ((name, answer), (_, right)) in answers.0.iter().zip(&right.0) {
                let is_wrong = answer
                    .as_ref()
                    .is_some_and(|answer| Some(answer) != right.as_ref());
                // A search may skip what it cannot read, but must report that.
                let is_degraded = *name == "search"
                    && answer.as_ref().is_some_and(|text| text.ends_with("true)"));
                let has_gaps = *name == "timeline" && is_part_of_timeline(answer, right);
                if (is_sound && answer != right) || (is_wrong && !is_degraded && !has_gaps) {
                    trial.found(format_args!("{name} is wrong, check says ok: {is_sound}"));
                }
            }
            trial.run("backup", || {
                let _ = fs::remove_dir_all(work.join("backup"));
                memory.backup(work.join("backup"))
            });
            trial.write(&memory);
            fs::write(&progress, format!("{}: drop", trial.what)).unwrap();
        }
        type Call = fn(&Memory, Timestamp) -> Result<(), Error>;
        let heavy: [(&str, Call); 3] = [
            ("rebuild", |memory, as_of| memory.rebuild(as_of).map(drop)),
            ("compact", |memory, _| memory.compact().map(drop)),
            ("erase", |memory, _| {
                memory
                    .erase(&Selector::new().session("s3").project(ProjectScope::All))
                    .map(drop)
            }),
        ];
        if let Some(remedy) = remedy {
            copy(&damaged, &scratch);
            trial.follow(&remedy, &scratch, as_of);
        }
        for (name, call) in heavy {
            copy(&damaged, &scratch);
            if let Some(memory) = trial.open(&scratch) {
                trial.run(name, || call(&memory, as_of));
                fs::write(&progress, format!("{}: drop after {name}", trial.what)).unwrap();
            }
        }
        findings.append(&mut trial.findings);
    }
    findings
}

/// A small store in which something is stored in every part: learned, cited, forgotten, shared.
fn fill_every_part(folder: &Path) {
    let memory = Memory::builder()
        .project("shop")
        .clock(Arc::new(Counting::default()))
        .ids(Arc::new(Counting::default()))
        .open(folder)
        .unwrap();
    let events = (0..60).map(|number| {
        let text = format!("Message {number}: the gateway of shop {number} is slow.");
        NewEvent::new(EventKind::UserPrompt, format!("s{}", number % 3), text).timestamp(at(number))
    });
    memory.append_batch(events.collect()).unwrap();
    for number in 0..40 {
        let task = recallite::NewTask::new(format!("Mend the gateway of shop {number}"));
        memory.tasks().create(&task).unwrap();
    }
    memory.context("which gateway is slow?").unwrap();
    let gone = (10..16).map(Seq);
    memory.forget(&Selector::new().ids(gone)).unwrap();
    memory
        .sharing()
        .withhold(recallite::ScopeKind::Session, "s2")
        .unwrap();
    memory.close().unwrap();
}

/// Events of a store that was made from an export: their texts, of live ones only.
fn texts(memory: &Memory) -> Vec<String> {
    let events = memory.events(EventFilter::new().project(ProjectScope::All));
    events
        .unwrap()
        .map(|event| event.unwrap().content)
        .collect()
}

fn can_append(memory: &Memory) -> Result<(), Error> {
    let message = NewEvent::new(EventKind::UserPrompt, "s1", "one more message");
    memory.append(message).map(drop)
}

/// Whether a backup of a store that cannot be written is whole, and can be written.
fn backed_up(memory: &Memory, right: &[String]) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    let told = |error: Error| error.to_string();
    memory.backup(&copy).map_err(told)?;
    let copy = Memory::builder()
        .project("shop")
        .open(&copy)
        .map_err(told)?;
    if texts(&copy) != right {
        return Err("the backup is not whole".to_owned());
    }
    can_append(&copy).map_err(told)?;
    match copy.check() {
        Ok(report) if report.ok => Ok(()),
        report => Err(format!("of the backup: {report:?}")),
    }
}

/// What to do about one damaged page, tried out.
fn mend(damaged: &Path, scratch: &Path, right: &[String]) -> Result<(), String> {
    let open = |folder: &Path| Memory::builder().project("shop").create(false).open(folder);
    copy(damaged, scratch);
    let memory = match open(scratch) {
        Ok(memory) => memory,
        Err(error) => {
            // Only what finds everything else in the file is needed to open it.
            let told = error.message();
            let is_way = !told.contains("table") || told.contains("table meta");
            let is_honest = told.contains("restore a backup") && !told.contains("check()");
            return match is_way && is_honest {
                true => Ok(()),
                false => Err(format!("cannot be opened: {told}")),
            };
        }
    };
    let report = memory.check().map_err(|error| format!("check: {error}"))?;
    let Some(found) = report.first_divergence else {
        return can_append(&memory).map_err(|error| format!("check says ok, but {error}"));
    };
    if found.problem.contains("check()") {
        return Err(format!(
            "{} is told to check again: {}",
            found.place, found.problem
        ));
    }
    if found.place == "events" {
        return match found.remedy.contains("backup") {
            true => Ok(()),
            false => Err(format!("of a damaged log: {}", found.remedy)),
        };
    }
    if found.place == "file" {
        return backed_up(&memory, right).map_err(|error| format!("file: {error}"));
    }
    let mut export = Vec::new();
    let written = memory.upkeep().export_jsonl_to(&mut export, None);
    let fresh = tempfile::tempdir().unwrap();
    let restored = Memory::open(fresh.path()).unwrap();
    let lines = restored.upkeep().restore_jsonl_from(export.as_slice());
    if lines.is_err() || texts(&restored) != right {
        return Err(format!(
            "{}: the export is not whole: {written:?}, {lines:?}",
            found.place
        ));
    }
    if found.place == "sharing" {
        let names = written.is_err_and(|error| error.message().contains("withheld"));
        return match names && found.remedy.contains("restore") {
            true => Ok(()),
            false => Err(format!("sharing: {}", found.remedy)),
        };
    }
    let mut selected = Vec::new();
    let everything = Selector::everything().project(ProjectScope::All);
    let written = written.and_then(|_| {
        memory
            .upkeep()
            .export_jsonl_to(&mut selected, Some(&everything))
    });
    written.map_err(|error| format!("{}: export: {error}", found.place))?;
    let rebuilt = memory.rebuild(Timestamp::from_millis(0).unwrap());
    rebuilt.map_err(|error| format!("{}: rebuild: {error}", found.place))?;
    match memory.check() {
        Ok(report) if report.ok && texts(&memory) == right => Ok(()),
        report => Err(format!("{}: after the rebuild: {report:?}", found.place)),
    }
}

#[test]
fn what_is_made_from_the_log_is_made_again_wherever_it_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let master = folder.path().join("master");
    fill_every_part(&master);
    let right = texts(&Memory::builder().project("shop").open(&master).unwrap());
    let image = fs::read(store_file(&master)).unwrap();
    let used = (1..image.len() / PAGE).filter(|page| {
        let bytes = &image[page * PAGE..][..PAGE];
        bytes.iter().any(|byte| *byte != 0)
    });
    let (damaged, scratch) = (folder.path().join("damaged"), folder.path().join("scratch"));
    let mut problems = String::new();
    for page in used {
        let mut broken = image.clone();
        broken[page * PAGE + 100..][..64].fill(0xaa);
        copy(&master, &damaged);
        fs::write(store_file(&damaged), &broken).unwrap();
        if let Err(problem) = mend(&damaged, &scratch, &right) {
            problems += &format!("page {page}: {problem}\n");
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn child() {
    let Ok(master) = std::env::var(MASTER) else {
        return;
    };
    let own: u64 = number(SHARE, 0);
    let work = PathBuf::from(&master).with_file_name(format!("work-{own}"));
    fs::create_dir_all(&work).unwrap();
    let first = number(SEED, 0) + own;
    let numbers = (first..).step_by(CHILDREN as usize);
    let numbers = numbers.take((number(COUNT, DEFAULT_COUNT) / CHILDREN) as usize);
    let findings = share(Path::new(&master), &work, numbers);
    let mut out = fs::File::create(work.join("findings")).unwrap();
    for finding in findings {
        writeln!(out, "{finding}").unwrap();
    }
}

#[test]
fn a_damaged_file_is_corrupt_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let master = folder.path().join("master");
    fill(&master);
    let children: Vec<_> = (0..CHILDREN)
        .map(|own| {
            Command::new(std::env::current_exe().unwrap())
                .args(["child", "--exact", "--nocapture", "--test-threads=1"])
                .env(MASTER, &master)
                .env(SHARE, own.to_string())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut problems = String::new();
    for (own, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        let work = folder.path().join(format!("work-{own}"));
        let read = |name: &str| fs::read_to_string(work.join(name)).unwrap_or_default();
        if !output.status.success() {
            problems += &format!("{} at {}\n", output.status, read("progress"));
        }
        if !output.stderr.is_empty() {
            problems += &String::from_utf8_lossy(&output.stderr);
        }
        problems += &read("findings");
    }
    assert!(problems.is_empty(), "{problems}");
    let image = fs::read(store_file(&master)).unwrap();
    let used = image
        .chunks(PAGE)
        .filter(|page| page.iter().any(|byte| *byte != 0));
    println!(
        "{} damages (from seed {}) of a store file with {} used pages: no finding",
        number(COUNT, DEFAULT_COUNT) / CHILDREN * CHILDREN,
        number(SEED, 0),
        used.count()
    );
}
