//! Does everything that others may do while a store is compacted, erased from or rebuilt, between
//! the snapshot that is copied and the switch, from a thread and from another process. All of it
//! must be acknowledged before the long call ends, and be neither lost, duplicated nor undone.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::embed::CallbackEmbedder;
use crate::memory::Memory;
use crate::model::error::ErrorCode;
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::model::session::SessionUpdate;
use crate::model::time::Timestamp;
use crate::recall::shown::context::ContextOptions;
use crate::store::generations::fail_points;
use crate::upkeep::maintain::MaintainBudget;
use crate::upkeep::select::Selector;

const STORE: &str = "RECALLITE_TEST_MEANWHILE_STORE";
const COPIED: &str = "a copy of a snapshot is made";
/// Occurs in every event that is erased.
const MARKER: &str = "quetzalcoatl";

fn open(path: &Path) -> Memory {
    let embedder = CallbackEmbedder::new("test", 4, |texts| {
        let vector = |text: &&str| vec![1.0, text.len() as f32, 0.5, 0.25];
        Ok(texts.iter().map(vector).collect())
    });
    Memory::builder()
        .embedder(Arc::new(embedder.unwrap()))
        .open(path)
        .unwrap()
}

fn say(memory: &Memory, session: &str, text: &str) -> Seq {
    let event = NewEvent::new(EventKind::UserPrompt, session, text);
    memory.append(event).unwrap().seq
}

fn learn(memory: &Memory, session: &str, id: &str, status: &str) {
    let extraction = format!(
        r#"{{"schema_version": 1,
            "entries": [{{"id": "e", "type": "fact", "title": "about {id}", "content": "it is {id}",
                "quotes": [{{"message_index": 0, "quote": "{id} is planned"}}]}}],
            "tasks": [{{"id": "t", "title": "Build {id}", "status": "{status}",
                "quotes": [{{"message_index": 0, "quote": "{id} is planned"}}]}}]}}"#
    );
    memory.ingest(session, &extraction).unwrap();
}

/// Fills a store with some of everything.
fn fill(memory: &Memory) {
    for number in 0..300 {
        say(
            memory,
            &format!("s{}", number % 5),
            &format!("old {number} walnut"),
        );
    }
    say(memory, "gone", &format!("we met {MARKER} at the lake"));
    say(memory, "gone", &format!("{MARKER} went home"));
    say(memory, "plans", "the tower is planned");
    learn(memory, "plans", "the tower", "in_progress");
    memory.process_outbox(100).unwrap();
    memory.forget(&Selector::new().id(Seq(7))).unwrap();
}

/// What others do; `name` distinguishes them.
fn others(memory: &Memory, name: &str) {
    for number in 0..120 {
        say(
            memory,
            &format!("s{}", number % 7),
            &format!("new {name} {number} hazel"),
        );
    }
    let batch = (0..20).map(|number| {
        let text = format!("batch {name} {number} hazel");
        NewEvent::new(EventKind::AgentResponse, format!("of {name}"), text)
    });
    memory.append_batch(batch.collect()).unwrap();
    // Forgets an old event, and one of those just written.
    let old = if name == "thread" { 11 } else { 12 };
    memory.forget(&Selector::new().id(Seq(old))).unwrap();
    let unsaid = say(memory, "s1", &format!("unsaid by {name}"));
    memory.forget(&Selector::new().id(unsaid)).unwrap();
    say(
        memory,
        &format!("plans of {name}"),
        &format!("{name} is planned"),
    );
    learn(memory, &format!("plans of {name}"), name, "in_progress");
    if name == "thread" {
        learn(memory, "plans", "the tower", "done");
    }
    let update = SessionUpdate {
        summary: Some(format!("what {name} did")),
        ..SessionUpdate::default()
    };
    memory.update_session("s2", update).unwrap();
    memory
        .context(ContextOptions::new("hazel walnut").session("s3"))
        .unwrap();
    memory.process_outbox(30).unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
}

/// Does nothing unless started by a test below.
#[test]
fn child_that_does_everything_meanwhile() {
    if let Ok(store) = std::env::var(STORE) {
        others(&open(Path::new(&store)), "process");
    }
}

fn in_another_process(store: &Path) {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["testing::meanwhile::child_that_does_everything_meanwhile"])
        .args(["--exact", "--test-threads=1", "--quiet"])
        .env(STORE, store)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

fn found(memory: &Memory, text: &str) -> bool {
    let result = memory.search(text).unwrap();
    assert!(!result.degraded);
    result
        .items
        .iter()
        .any(|item| item.passage.text.contains(text))
}

/// Asserts that everything acknowledged is present exactly once, and nothing else.
fn assert_all_there(memory: &Memory, has_gone: bool) {
    let events = memory.changes_since(Seq(0), 10_000).unwrap();
    let count = |text: &str| events.iter().filter(|event| event.content == text).count();
    for name in ["thread", "process"] {
        for number in 0..120 {
            assert_eq!(count(&format!("new {name} {number} hazel")), 1);
        }
        for number in 0..20 {
            assert_eq!(count(&format!("batch {name} {number} hazel")), 1);
        }
        assert_eq!(count(&format!("unsaid by {name}")), 0);
        assert!(found(memory, &format!("new {name} 77 hazel")), "{name}");
        assert!(!found(memory, &format!("unsaid by {name}")), "{name}");
    }
    for number in 0..300 {
        let is_live = ![6, 10, 11].contains(&number);
        assert_eq!(count(&format!("old {number} walnut")), usize::from(is_live));
    }
    assert_eq!(found(memory, &format!("{MARKER} went home")), has_gone);
    let mut tasks: Vec<(String, String)> = memory
        .tasks()
        .list(&crate::TaskFilter::default())
        .unwrap()
        .into_iter()
        .map(|task| (task.title.clone(), format!("{:?}", task.status())))
        .collect();
    tasks.sort();
    let expected = [
        ("Build process", "InProgress"),
        ("Build the tower", "Done"),
        ("Build thread", "InProgress"),
    ];
    let expected = expected.map(|(title, status)| (title.to_owned(), status.to_owned()));
    assert_eq!(tasks, expected);
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    assert_eq!(report.ignored_records.len(), 0);
    assert_rebuilds_to_itself(memory);
    while memory.process_outbox(1_000).unwrap().succeeded > 0 {}
    let stats = memory.stats().unwrap().embedding.unwrap();
    let conversation = events.iter().filter(|event| event.kind.is_conversation());
    assert_eq!(
        (stats.vectors, stats.pending),
        (conversation.count() as u64, 0)
    );
}

/// Asserts that rebuilding from the log reproduces every table.
fn assert_rebuilds_to_itself(memory: &Memory) {
    let look = || {
        let read = memory.engine.store.read().unwrap();
        let mut uses = Vec::new();
        let mut ranks = Vec::new();
        for (seq, total) in read.usage_since(i64::MIN).unwrap() {
            assert_eq!(read.total_usage(seq).unwrap(), Some(total));
            uses.push((seq, total));
        }
        let add = |seq, total| {
            ranks.push((seq, total));
            Ok(true)
        };
        read.each_most_used(add).unwrap();
        uses.sort_by_key(|(seq, total)| (std::cmp::Reverse((total.uses, total.last_ms)), *seq));
        assert_eq!(ranks, uses);
        (
            read.state_hash().unwrap(),
            read.projected_digest().unwrap(),
            uses,
        )
    };
    let before = look();
    memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert_eq!(look(), before);
}

/// Makes a long call while others write, and asserts that they were not blocked until its end.
fn with_others(act: impl FnOnce(&Memory)) -> (tempfile::TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory);
    let (thread, path) = (memory.clone(), folder.path().to_owned());
    let is_done = Arc::new(AtomicBool::new(false));
    let done = is_done.clone();
    fail_points::on_reaching(COPIED, move || {
        std::thread::scope(|scope| {
            scope.spawn(|| others(&thread, "thread"));
        });
        in_another_process(&path);
        done.store(true, Ordering::Release);
    });
    act(&memory);
    assert!(is_done.load(Ordering::Acquire), "others were kept waiting");
    (folder, memory)
}

#[test]
fn others_write_while_a_store_is_compacted() {
    let (_folder, memory) = with_others(|memory| {
        memory.compact().unwrap();
    });
    assert_all_there(&memory, true);
}

#[test]
fn others_write_while_events_are_erased() {
    let (folder, memory) = with_others(|memory| {
        let receipt = memory.erase(&Selector::new().session("gone")).unwrap();
        assert_eq!((receipt.count, receipt.is_complete), (2, true));
        let stats = memory.stats().unwrap();
        assert_eq!((stats.erased, stats.open_erasures), (2, 0));
    });
    assert_all_there(&memory, false);
    drop(memory);
    for entry in std::fs::read_dir(folder.path()).unwrap().flatten() {
        if entry.path().is_file() {
            let bytes = std::fs::read(entry.path()).unwrap();
            let mut windows = bytes.windows(MARKER.len());
            assert!(!windows.any(|part| part == MARKER.as_bytes()), "{entry:?}");
        }
    }
}

#[test]
fn others_write_while_a_store_is_rebuilt() {
    let (_folder, memory) = with_others(|memory| {
        memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    });
    assert_all_there(&memory, true);
}

#[test]
fn what_is_recorded_meanwhile_about_erased_events_goes_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory);
    let other = memory.clone();
    fail_points::on_reaching(COPIED, move || {
        // Nobody is given it any more, and nothing can be learned from it.
        assert!(!found(&other, &format!("{MARKER} went home")));
        let summary = SessionUpdate {
            summary: Some(format!("{MARKER} went home")),
            ..SessionUpdate::default()
        };
        other.update_session("gone", summary).unwrap();
        say(&other, "s1", "hazel");
        // The copy is not begun again.
        fail_points::on_reaching(COPIED, || unreachable!("a second copy"));
    });
    let receipt = memory.erase(&Selector::new().session("gone")).unwrap();
    assert_eq!(fail_points::not_reached(), [COPIED]);
    assert!(receipt.dependents > 0, "{receipt:?}");
    assert!(memory.check().unwrap().ok);
    let texts = memory.changes_since(Seq(0), 10_000).unwrap();
    assert!(texts.iter().any(|event| event.content == "hazel"));
    drop((memory, texts));
    let bytes = std::fs::read(folder.path().join("memory.2.redb")).unwrap();
    let mut windows = bytes.windows(MARKER.len());
    assert!(!windows.any(|part| part == MARKER.as_bytes()));
}

#[test]
fn what_another_call_has_erased_is_not_erased_again() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory);
    let other = memory.clone();
    fail_points::on_reaching("a copy is wanted", move || {
        let receipt = other.erase(&Selector::new().session("gone")).unwrap();
        assert_eq!((receipt.count, receipt.generation), (2, 2));
    });
    let receipt = memory.erase(&Selector::new().session("gone")).unwrap();
    assert!(fail_points::not_reached().is_empty());
    // The events of its own order are erased, whoever did it.
    assert_eq!((receipt.count, receipt.tombstone.is_some()), (2, true));
    assert!(receipt.is_complete, "{receipt:?}");
    let read = memory.engine.store.read().unwrap();
    assert_eq!(read.generation(), 2);
    drop(read);
    assert!(memory.check().unwrap().ok);
}

#[test]
fn the_name_of_a_session_erased_while_its_context_is_made_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory);
    let other = memory.clone();
    let is_erased = Arc::new(AtomicBool::new(false));
    let options = ContextOptions::new("hazel")
        .session("gone")
        .count_tokens(move |text| {
            if !is_erased.swap(true, Ordering::AcqRel) {
                other.erase(&Selector::new().session("gone")).unwrap();
            }
            text.len()
        });
    say(&memory, "s1", "hazel trees grow beside the river");
    let context = memory.context(options).unwrap();
    assert!(context.text.contains("hazel"), "{context:?}");
    while memory.maintain(MaintainBudget::default()).unwrap().has_more {}
    assert_eq!(memory.session("gone").unwrap(), None);
    let events = memory.changes_since(Seq(0), 10_000).unwrap();
    assert!(events.iter().all(|event| event.session != "gone"));
}

/// A memory whose writes hardly wait for the lock.
fn impatient(folder: &Path) -> Memory {
    Memory::builder().busy_timeout_ms(20).open(folder).unwrap()
}

#[test]
fn one_of_two_makers_is_told_to_try_again() {
    let folder = tempfile::tempdir().unwrap();
    let memory = impatient(folder.path());
    say(&memory, "s", "one");
    let other = memory.clone();
    fail_points::on_reaching(COPIED, move || {
        let act = |busy: Result<(), crate::Error>| {
            assert_eq!(busy.unwrap_err().code(), ErrorCode::Busy);
        };
        act(other.compact().map(drop));
        // It stays ordered, and hides the event.
        act(other.erase(&Selector::everything()).map(drop));
        act(other.rebuild(Timestamp::from_millis_clamped(0)).map(drop));
        say(&other, "s", "two");
    });
    memory.compact().unwrap();
    assert!(fail_points::not_reached().is_empty());
    let stats = memory.stats().unwrap();
    assert_eq!((stats.prompts, stats.forgotten), (1, 1));
    assert_eq!((stats.open_erasures, stats.unclean_places.len()), (1, 1));
    let done = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!((done.erasures_completed, done.open_erasures), (1, 0));
    let stats = memory.stats().unwrap();
    assert_eq!((stats.prompts, stats.forgotten, stats.erased), (1, 0, 1));
    assert!(memory.check().unwrap().ok);
}

#[test]
fn a_write_waits_only_as_long_as_it_was_told_and_reads_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let memory = impatient(folder.path());
    say(&memory, "s", "one");
    let store = memory.engine.store.clone();
    let held = store.write(|_| {
        let event = || NewEvent::new(EventKind::UserPrompt, "s", "two");
        let error = std::thread::scope(|scope| {
            let other = scope.spawn(|| memory.append(event()).unwrap_err());
            other.join().unwrap()
        });
        assert_eq!(error.code(), ErrorCode::Busy);
        assert!(error.is_retryable() && !error.needs_reopen());
        assert_eq!(memory.stats()?.events, 1);
        assert_eq!(memory.search("one")?.items.len(), 1);
        Ok(())
    });
    held.unwrap();
    say(&memory, "s", "two");
    assert_eq!(memory.stats().unwrap().events, 2);
}

/// Writes more than is noted while a copy is made, the next so many times.
fn outrun(other: Memory, what: &'static str, times: u32) {
    fail_points::on_reaching(COPIED, move || {
        for part in 0..6 {
            let batch = (0..500).map(|number| {
                NewEvent::new(
                    EventKind::UserPrompt,
                    "many",
                    format!("{what} {times} {part} {number}"),
                )
            });
            other.append_batch(batch.collect()).unwrap();
        }
        let read = other.engine.store.read().unwrap();
        assert!(!read.notes_changes().unwrap(), "the notes have an end");
        drop(read);
        if times > 1 {
            outrun(other, what, times - 1);
        }
    });
}

#[test]
fn what_is_appended_meanwhile_stays_even_if_an_erasure_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory);
    let other = memory.clone();
    fail_points::on_reaching(COPIED, move || {
        say(&other, "gone", "a later hazel");
        // It would give the agent events that are being erased.
        let options = ContextOptions::new(MARKER).session("s1");
        let context = other.context(options).unwrap();
        assert!(!context.text.contains(MARKER), "{context:?}");
        crate::write::flush_recorded(&other.engine).unwrap();
    });
    let receipt = memory.erase(&Selector::new().session("gone")).unwrap();
    assert!(fail_points::not_reached().is_empty());
    assert_eq!((receipt.count, receipt.is_complete), (2, true));
    let events = memory.changes_since(Seq(0), 10_000).unwrap();
    let of_session = events.iter().filter(|event| event.session == "gone");
    let texts: Vec<&str> = of_session.map(|event| event.content.as_str()).collect();
    assert_eq!(texts, ["a later hazel"]);
    assert!(memory.check().unwrap().ok);
}

#[test]
fn a_copy_that_is_being_made_does_not_fill_a_limited_store() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory);
    let size = memory.stats().unwrap().size_bytes;
    drop(memory);
    let limited = Memory::builder().size_limit_bytes(size * 3 / 2);
    let memory = limited.open(folder.path()).unwrap();
    let other = memory.clone();
    fail_points::on_reaching(COPIED, move || {
        say(&other, "s", "hazel");
        assert!(other.stats().unwrap().size_bytes >= size * 3 / 2);
    });
    memory.erase(&Selector::new().session("gone")).unwrap();
    assert!(fail_points::not_reached().is_empty());
    assert!(memory.check().unwrap().ok);
}

#[test]
fn others_read_while_an_exclusive_store_is_switched() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder().exclusive(true).open(folder.path());
    let memory = memory.unwrap();
    say(&memory, "s", "walnut");
    let other = memory.clone();
    fail_points::on_reaching("CURRENT names the old generation", move || {
        assert_eq!(other.search("walnut").unwrap().items.len(), 1);
    });
    memory.compact().unwrap();
    assert!(fail_points::not_reached().is_empty());
    say(&memory, "s", "hazel");
    assert!(found(&memory, "walnut") && found(&memory, "hazel"));
    assert!(memory.check().unwrap().ok);
}

#[test]
fn more_changes_than_are_noted_lead_to_another_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory);
    outrun(memory.clone(), "much", 1);
    memory.compact().unwrap();
    assert!(fail_points::not_reached().is_empty());
    assert!(memory.check().unwrap().ok);
    assert_eq!(memory.stats().unwrap().prompts, 302 + 3_000);
}

#[test]
fn a_copy_that_cannot_catch_up_locks_writers_out_only_to_erase() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory);
    outrun(memory.clone(), "compact", 3);
    let error = memory.compact().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Busy, "{error}");
    assert!(fail_points::not_reached().is_empty());
    let prompts = memory.stats().unwrap().prompts;
    assert_eq!(prompts, 302 + 3 * 3_000);
    assert!(memory.check().unwrap().ok);
    outrun(memory.clone(), "erase", 3);
    let receipt = memory.erase(&Selector::new().session("gone")).unwrap();
    assert!(receipt.count > 0 && receipt.is_complete, "{receipt:?}");
    assert!(memory.check().unwrap().ok);
}

#[test]
fn the_mark_of_a_dead_maker_goes() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    say(&memory, "s", "one");
    let notes = |memory: &Memory| memory.engine.store.read().unwrap().notes_changes().unwrap();
    let die = || {
        let store = &memory.engine.store;
        store.write(|tx| tx.begin_noting([7; 16])).unwrap();
        say(&memory, "s", "two");
        assert!(notes(&memory));
    };
    die();
    memory.maintain(MaintainBudget::default()).unwrap();
    assert!(!notes(&memory));
    die();
    memory.compact().unwrap();
    assert!(!notes(&memory) && memory.check().unwrap().ok);
}
