//! Three memories as three processes, whatever happens to them: random operations, no
//! network for a while, kill -9 of any of them and of the server, rows that the server loses, a backup
//! that is put back; then quiet, and all of them know the same.
//!
//! The test program starts itself again as a machine; the test named `machine` does
//! nothing unless it was started that way. `RECALLITE_TEST_SEED` and
//! `RECALLITE_TEST_HISTORIES` choose others.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{OWNER, Postgres};
use fastrand::Rng;
use recallite::rules::entries::EntryType;
use recallite::rules::tasks::{Priority, TaskStatus};
use recallite::scope::ProjectScope;
use recallite::{
    ErrorCode, EventKind, EventRef, MemberRole, Memory, NewEntry, NewEvent, NewTask, Query,
    Selector, Seq, TaskFilter,
};
use recallite_postgres::Server;

const STORE: &str = "RECALLITE_TEST_STORE";
const PLACE: &str = "RECALLITE_TEST_PLACE";
const SEED: &str = "RECALLITE_TEST_MACHINE_SEED";
/// How much a machine does when nobody kills it.
const STEPS: usize = 14;
/// How often each machine is switched on.
const ROUNDS: usize = 3;
/// What is talked about: a search for one of these words finds many texts.
const TOPICS: [&str; 4] = ["harbour", "lighthouse", "ferry", "anchor"];

/// Where memories meet.
#[derive(Clone)]
enum Place {
    Server(String),
    Folder(PathBuf),
}

impl Place {
    fn parse(text: &str) -> Place {
        match text.contains("://") {
            true => Place::Server(text.to_owned()),
            false => Place::Folder(text.into()),
        }
    }

    fn text(&self) -> String {
        match self {
            Place::Server(url) => url.clone(),
            Place::Folder(folder) => folder.display().to_string(),
        }
    }

    /// Pushes and pulls; a server that is gone is no mistake.
    fn exchange(&self, memory: &Memory) -> Result<(), recallite_postgres::Error> {
        match self {
            Place::Server(url) => {
                let mut server = Server::connect(url)?;
                server.push(memory)?;
                server.pull(memory)?;
            }
            Place::Folder(folder) => {
                memory.sharing().push_folder(folder)?;
                memory.sharing().pull_folder(folder)?;
            }
        }
        memory.sharing().erase_ordered()?;
        Ok(())
    }

    fn announce(&self, memory: &Memory) {
        match self {
            Place::Server(url) => {
                let mut server = Server::connect(url).unwrap();
                server.init().unwrap();
                server.announce(memory, "m").unwrap();
            }
            Place::Folder(folder) => memory.sharing().announce(folder, "m").unwrap(),
        }
    }
}

fn open(folder: &Path) -> Memory {
    Memory::builder().project("shop").open(folder).unwrap()
}

/// Says what was begun or acknowledged.
fn say(words: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{words}").unwrap();
    out.flush().unwrap();
}

#[test]
fn machine() {
    let Ok(store) = std::env::var(STORE) else {
        return;
    };
    let place = Place::parse(&std::env::var(PLACE).unwrap());
    let seed: u64 = std::env::var(SEED).unwrap().parse().unwrap();
    let mut random = Rng::with_seed(seed);
    let memory = open(Path::new(&store));
    for step in 0..STEPS {
        match random.usize(..4) {
            0 => match place.exchange(&memory) {
                Err(error) if !error.is_transient() => say(&format!("broken {error}")),
                _ => say("exchanged"),
            },
            _ => {
                let topic = TOPICS[random.usize(..TOPICS.len())];
                let said = format!("zq{seed}x{step}zq is about the {topic}");
                act(&memory, &mut random, &said);
            }
        }
    }
    say("done");
}

/// The word of a text that is in no other, but for what quotes it.
fn marker(text: &str) -> &str {
    text.split(' ').find(|word| word.starts_with("zq")).unwrap()
}

/// Something happens on a machine.
fn act(memory: &Memory, random: &mut Rng, said: &str) {
    let session = format!("s{}", random.usize(..3));
    let events: Vec<_> = memory
        .changes_since(Seq(0), 10_000)
        .unwrap()
        .into_iter()
        .filter(|event| event.kind.is_conversation())
        .collect();
    let tasks = memory
        .tasks()
        .list(&TaskFilter::default().project(ProjectScope::All))
        .unwrap();
    let entries = memory.knowledge().entries(&Default::default()).unwrap();
    let event = (!events.is_empty()).then(|| events[random.usize(..events.len())].clone());
    let task = (!tasks.is_empty()).then(|| tasks[random.usize(..tasks.len())].clone());
    let result = match (random.usize(..10), event, task) {
        (0, Some(event), _) => {
            say(&format!("erasing {}", event.content));
            let selector = Selector::new().id(EventRef::Id(event.id));
            let erased = memory.erase(&selector);
            if erased.is_ok() {
                say(&format!("erased {}", event.content));
            }
            erased.map(drop)
        }
        (1, Some(event), _) => {
            say(&format!("erasing {}", event.content));
            let selector = Selector::new().id(EventRef::Id(event.id));
            memory.forget(&selector).map(drop)
        }
        (2, _, Some(task)) => {
            let to = TaskStatus::ALL[random.usize(..TaskStatus::ALL.len())];
            memory.tasks().change_status(&task.id, to, &[]).map(drop)
        }
        (3, _, Some(task)) => {
            let to = Priority::ALL[random.usize(..Priority::ALL.len())];
            memory.tasks().set_priority(&task.id, to).map(drop)
        }
        (4, _, Some(task)) => {
            let title = format!("renamed {}", random.usize(..4));
            memory.tasks().rename(&task.id, &title).map(drop)
        }
        (2..=4, _, _) => memory
            .tasks()
            .create(&NewTask::new(format!("task {}", random.usize(..5))))
            .map(drop),
        (5, _, _) if entries.len() > 1 => {
            let (a, b) = (random.usize(..entries.len()), random.usize(..entries.len()));
            let (a, b) = (&entries[a].entry.id, &entries[b].entry.id);
            memory.knowledge().contradict(a, b, None).map(drop)
        }
        (5 | 6, _, _) => {
            let title = format!("fact {said}");
            let entry = NewEntry::new(EntryType::Fact, &session, &title, &title);
            memory.knowledge().add_entry(&entry).map(drop)
        }
        _ => {
            let event = NewEvent::new(EventKind::UserPrompt, &session, said);
            let stored = memory.append(event);
            if stored.is_ok() {
                say(&format!("stored {said}"));
            }
            stored.map(drop)
        }
    };
    if let Err(error) = result {
        let is_refusal = matches!(
            error.code(),
            ErrorCode::InvalidArgument
                | ErrorCode::NotFound
                | ErrorCode::InvalidTransition
                | ErrorCode::InvariantViolation
                | ErrorCode::AlreadyExists
        );
        if !is_refusal {
            say(&format!("broken {error}"));
        }
    }
}

fn start(store: &Path, place: &Place, seed: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["machine", "--exact", "--nocapture", "--test-threads=1"])
        .env(STORE, store)
        .env(PLACE, place.text())
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What machines said.
#[derive(Default)]
struct Said {
    stored: BTreeSet<String>,
    /// Perhaps forgotten or erased.
    touched: BTreeSet<String>,
    erased: BTreeSet<String>,
    kills: usize,
}

impl Said {
    fn hear(&mut self, line: &str, history: &str) {
        match line.split_once(' ') {
            Some(("stored", marker)) => drop(self.stored.insert(marker.to_owned())),
            Some(("erasing", marker)) => drop(self.touched.insert(marker.to_owned())),
            Some(("erased", marker)) => drop(self.erased.insert(marker.to_owned())),
            Some(("broken", why)) => panic!("{history}: {why}"),
            _ => {}
        }
    }

    /// Lets a machine run, and kills it after so many words if it has not ended by then.
    fn listen(&mut self, mut machine: Child, words: usize, history: &str) {
        let out = BufReader::new(machine.stdout.take().unwrap());
        let mut heard = 0;
        let mut is_done = false;
        for line in out.lines().map_while(Result::ok) {
            self.hear(&line, history);
            heard += usize::from(line.starts_with("stored") || line.starts_with("erasing"));
            is_done |= line == "done";
            if heard == words {
                let _ = machine.kill();
                // What it said before it died counts.
                heard += 1;
            }
        }
        let ended = machine.wait().unwrap();
        self.kills += usize::from(!is_done);
        assert!(is_done || !ended.success(), "{history}: a machine gave up");
    }
}

/// Whether a file below a folder holds a text.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => holds(&path, text),
            false => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                bytes
                    .windows(text.len())
                    .any(|part| part == text.as_bytes())
            }
        }
    })
}

/// The contents of all live events.
fn contents(memory: &Memory) -> BTreeSet<String> {
    memory
        .changes_since(Seq(0), 10_000)
        .unwrap()
        .into_iter()
        .filter(|event| event.kind.is_conversation())
        .map(|event| event.content)
        .collect()
}

/// What a search for a word finds by it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    /// The ids of events, and their texts.
    events: BTreeSet<(String, String)>,
    /// The ids, the titles and the states of entries and tasks.
    learned: BTreeSet<(String, String, &'static str)>,
}

/// What a search for a word finds by it. Which other turns of the session come along may differ: each
/// machine has them in the order in which it received them.
fn search(memory: &Memory, word: &str) -> Found {
    // More than there are, so that no tie decides which of them are left out.
    let query = Query::new(word).limit(1_000);
    let found = memory.search(query).unwrap();
    let events = found.items.into_iter();
    let events = events.map(|hit| (hit.id.to_string(), hit.passage.text));
    let learned = found.learned.into_iter();
    let learned = learned.map(|hit| (hit.id, hit.title, hit.state.as_str()));
    Found {
        events: events.filter(|(_, text)| text.contains(word)).collect(),
        learned: learned
            .filter(|(_, title, _)| title.contains(word))
            .collect(),
    }
}

/// One history. `disturb` is called while machines run.
fn history(seed: u64, place: &Place, mut disturb: impl FnMut(&mut Rng)) -> usize {
    let name = format!("history {seed}");
    let mut random = Rng::with_seed(seed);
    let folders: Vec<tempfile::TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let memories: Vec<Memory> = folders.iter().map(|folder| open(folder.path())).collect();
    for memory in &memories {
        place.announce(memory);
        for other in &memories {
            let identity = other.sharing().identity().unwrap();
            if identity != memory.sharing().identity().unwrap() {
                let sharing = memory.sharing();
                sharing
                    .add_member(&identity, "m", MemberRole::Owner)
                    .unwrap();
            }
        }
    }
    drop(memories);
    let mut said = Said::default();
    let nowhere = Place::Server("postgres://nobody@127.0.0.1:1/none".to_owned());
    for round in 0..ROUNDS {
        let mut running = Vec::new();
        for (number, folder) in folders.iter().enumerate() {
            let seed = seed * 100 + (round * 10 + number) as u64;
            // Now and then a machine has no network.
            let place = match random.usize(..4) {
                0 => &nowhere,
                _ => place,
            };
            let words = match random.usize(..2) {
                0 => 1 + random.usize(..STEPS / 2),
                _ => usize::MAX,
            };
            running.push((start(folder.path(), place, seed), words));
        }
        disturb(&mut random);
        for (machine, words) in running {
            said.listen(machine, words, &name);
        }
    }
    quiet(&name, place, &folders, &said);
    said.kills
}

/// Nobody does anything any more, and all that is known goes everywhere.
fn quiet(name: &str, place: &Place, folders: &[tempfile::TempDir], said: &Said) {
    let memories: Vec<Memory> = folders.iter().map(|folder| open(folder.path())).collect();
    // What a killed machine had begun to erase is erased by the next upkeep.
    for memory in &memories {
        memory.maintain(Default::default()).unwrap();
    }
    // An order may have each machine erase what quotes it, which is an order of its own and
    // is answered like all: the limit only ends a test that would never end.
    for round in 0..20 {
        for memory in &memories {
            place.exchange(memory).unwrap();
        }
        let is_answered = |memory: &Memory| {
            let open = memory.sharing().unanswered_erasures(None).unwrap();
            open.is_empty()
        };
        if round > 1 && memories.iter().all(is_answered) {
            break;
        }
    }
    // What was told with the last answers.
    for memory in &memories {
        place.exchange(memory).unwrap();
    }
    let hashes: BTreeSet<String> = memories
        .iter()
        .map(|memory| memory.sharing().shared_hash().unwrap())
        .collect();
    assert_eq!(hashes.len(), 1, "{name}: they know different things");
    let known = contents(&memories[0]);
    let words: Vec<&str> = known
        .iter()
        .map(|text| marker(text))
        .chain(TOPICS)
        .collect();
    for &word in &words {
        let found = search(&memories[0], word);
        let texts: BTreeSet<&str> = found.events.iter().map(|(_, text)| text.as_str()).collect();
        let with_word = known.iter().filter(|text| text.contains(word));
        assert_eq!(
            texts,
            with_word.map(String::as_str).collect(),
            "{name}: {word}"
        );
        for memory in &memories[1..] {
            assert_eq!(search(memory, word), found, "{name}: {word}");
        }
    }
    for memory in &memories {
        assert_eq!(contents(memory), known, "{name}");
        let report = memory.check().unwrap();
        assert!(report.ok, "{name}: {report:?}");
        let open = memory.sharing().unanswered_erasures(None).unwrap();
        assert!(open.is_empty(), "{name}: {open:?}");
    }
    for marker in said.stored.difference(&said.touched) {
        assert!(known.contains(marker), "{name}: {marker} is lost");
    }
    for marker in &said.erased {
        assert!(!known.contains(marker), "{name}: {marker} is back");
    }
    for memory in memories {
        memory.maintain(Default::default()).unwrap();
        memory.close().unwrap();
    }
    for text in &said.erased {
        let marker = marker(text);
        for folder in folders {
            assert!(!holds(folder.path(), marker), "{name}: {marker} is left");
        }
        match place {
            Place::Folder(folder) => {
                assert!(!holds(folder, marker), "{name}: {marker} is in the folder");
            }
            Place::Server(url) => {
                let mut sql = postgres::Client::connect(url, postgres::NoTls).unwrap();
                let statement = "SELECT (SELECT count(*) FROM recallite.record \
                                 WHERE strpos(line, $1) > 0) + (SELECT count(*) \
                                 FROM recallite.store \
                                 WHERE strpos(announcement || progress, $1) > 0) \
                                 + (SELECT count(*) FROM recallite.answer \
                                 WHERE strpos(line, $1) > 0)";
                let rows: i64 = sql.query_one(statement, &[&marker]).unwrap().get(0);
                assert_eq!(rows, 0, "{name}: {marker} is on the server");
            }
        }
    }
}

fn chosen() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let first = number("RECALLITE_TEST_SEED").unwrap_or(1);
    first..first + number("RECALLITE_TEST_HISTORIES").unwrap_or(8)
}

/// What happens to a server, and how often it did.
#[derive(Debug, Default)]
struct Disturbed {
    killed: usize,
    robbed: usize,
    restored: usize,
}

impl Disturbed {
    /// Something happens to the server, or nothing.
    fn disturb(
        &mut self,
        postgres: &Postgres,
        url: &str,
        backup: &mut Option<tempfile::TempDir>,
        random: &mut Rng,
    ) {
        match random.usize(..8) {
            0 | 1 => {
                postgres.kill();
                postgres.up();
                self.killed += 1;
            }
            2 => {
                let mut sql = postgres::Client::connect(url, postgres::NoTls).unwrap();
                let statement = match random.usize(..4) {
                    0 => "TRUNCATE recallite.record",
                    1 => "TRUNCATE recallite.answer",
                    _ => "DELETE FROM recallite.record WHERE random() < 0.3",
                };
                sql.batch_execute(statement).unwrap();
                self.robbed += 1;
            }
            3 | 4 => match backup.take() {
                Some(backup) => {
                    postgres.restore(&backup);
                    self.restored += 1;
                }
                None => *backup = Some(postgres.backup()),
            },
            _ => {}
        }
    }
}

#[test]
fn random_histories_over_a_server_end_alike() {
    let postgres = Postgres::start();
    let (mut kills, mut disturbed) = (0, Disturbed::default());
    for seed in chosen() {
        let database = format!("history_{seed}");
        let create = format!("CREATE DATABASE {database}");
        postgres.sql(OWNER).batch_execute(&create).unwrap();
        let url = postgres.url(OWNER);
        let url = url.replace("/postgres", &format!("/{database}"));
        let mut backup = None;
        kills += history(seed, &Place::Server(url.clone()), |random| {
            disturbed.disturb(&postgres, &url, &mut backup, random);
        });
    }
    println!(
        "histories {:?} over a server: {kills} machines killed; the server {disturbed:?}",
        chosen()
    );
}

#[test]
fn random_histories_over_a_folder_end_alike() {
    let mut kills = 0;
    for seed in chosen() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::Folder(folder.path().to_owned());
        kills += history(seed, &place, |_| {});
    }
    println!(
        "histories {:?} over a folder: {kills} machines killed",
        chosen()
    );
}
