//! Pauses or ends processes between two steps of a switch of generations while others continue:
//! nothing is lost, and the store opens.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{RandomIds, SystemClock};
use crate::memory::Memory;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::store::generations::fail_points;
use crate::store::{Store, StoreOptions};
use crate::upkeep::maintain::MaintainBudget;
use crate::upkeep::select::Selector;

/// The pause points between the steps, in order.
const PLACES: [&str; 4] = [BUILT, PLACED, RETIRED, NAMED];
const BUILT: &str = "the new generation is built";
const PLACED: &str = "the new generation has its name";
const RETIRED: &str = "CURRENT names the old generation";
const NAMED: &str = "the old generation is still there";

/// A handle like that of another process: it shares no state.
fn process(folder: &Path) -> Result<Memory> {
    let options = StoreOptions {
        create: true,
        exclusive: false,
        cache_bytes: 1 << 20,
        busy_timeout: Duration::from_millis(30),
        allow_network_folder: true,
    };
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
    Memory::on_test_store(Store::open_unshared(folder, &options, clock, ids)?)
}

fn say(memory: &Memory, text: &str) {
    let event = NewEvent::new(EventKind::UserPrompt, "s", text);
    memory.append(event).expect("an event is stored");
}

fn texts(memory: &Memory) -> Vec<String> {
    let events = memory.changes_since(Seq(0), 1_000).expect("events");
    events.into_iter().map(|event| event.content).collect()
}

/// The generation files of the folder, and the contents of `CURRENT`.
fn files(folder: &Path) -> (Vec<String>, String) {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter(|name| name.ends_with(".redb") || name.ends_with(".tmp"))
        .collect();
    names.sort();
    let current = std::fs::read_to_string(folder.join("CURRENT")).unwrap_or_default();
    (names, current.trim().to_owned())
}

/// Asserts that the file named by `CURRENT` exists alone and contains all texts.
fn assert_whole(folder: &Path, expected: &[&str]) {
    let memory = process(folder).expect("the store opens");
    assert_eq!(texts(&memory), expected);
    let report = memory.check().expect("a check");
    assert!(report.ok, "{:?}", report.first_divergence);
    drop(memory);
    let (names, current) = files(folder);
    assert_eq!(names, [format!("memory.{current}.redb")]);
}

fn or_busy<T>(result: Result<T>) -> bool {
    match result {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code(), ErrorCode::Busy, "{error}");
            false
        }
    }
}

#[test]
fn a_process_that_stands_still_in_a_switch_loses_nothing_when_it_goes_on() {
    for place in PLACES {
        for erases in [false, true] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().to_owned();
            let (slow, fast) = (
                process(&path).expect("opens"),
                process(&path).expect("opens"),
            );
            say(&slow, "one");
            say(&slow, "two");
            let others = fast.clone();
            fail_points::on_reaching(place, move || {
                let mut swapped = 0;
                for _ in 0..3 {
                    swapped += u32::from(or_busy(others.compact()));
                    swapped += u32::from(or_busy(others.erase(&Selector::new().id(Seq(2)))));
                    // Readers never wait for the paused process.
                    assert!(texts(&others).len() >= 2);
                    // Nor do new processes and writers, after the switch.
                    if matches!(place, RETIRED | NAMED) {
                        assert!(!texts(&process(&path).expect("a new process opens")).is_empty());
                        let event = NewEvent::new(EventKind::UserPrompt, "s", "three");
                        others.append(event).expect("others write");
                    }
                }
                assert_eq!(swapped, if place == NAMED { 6 } else { 0 }, "{place}");
            });
            match erases {
                false => drop(slow.compact().expect("a compaction")),
                true => drop(slow.erase(&Selector::new().id(Seq(1))).expect("an erasure")),
            }
            assert!(
                fail_points::not_reached().is_empty(),
                "{place} was not reached"
            );
            // An erasure that was told to try again is ordered all the same.
            slow.maintain(MaintainBudget::default())
                .expect("a maintenance");
            say(&fast, "last");
            say(&slow, "very last");
            let first = texts(&slow);
            drop((slow, fast));
            let first: Vec<&str> = first.iter().map(String::as_str).collect();
            assert!(first.ends_with(&["last", "very last"]));
            assert_whole(folder.path(), &first);
        }
    }
}

#[test]
fn a_process_that_dies_in_a_switch_leaves_the_old_generation_or_the_new_one() {
    for place in PLACES {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_owned();
        let memory = process(&path).expect("opens");
        say(&memory, "one");
        memory.compact().expect("a compaction");
        say(&memory, "two");
        // The files that a process dying here leaves in the folder.
        let ended = tempfile::tempdir().expect("a folder");
        let to = ended.path().to_owned();
        fail_points::on_reaching(place, move || {
            for entry in std::fs::read_dir(&path).expect("a folder") {
                let entry = entry.expect("an entry");
                if entry.path().is_file() {
                    std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
                }
            }
        });
        memory.compact().expect("a compaction");
        assert!(
            fail_points::not_reached().is_empty(),
            "{place} was not reached"
        );
        let (names, current) = files(ended.path());
        assert_eq!(names.len(), 2, "{names:?}");
        assert_eq!(current, if place == NAMED { "3" } else { "2" });
        // The name of the live generation may also be missing or garbage.
        for spoil in ["", "none", "rubbish"] {
            let copy = tempfile::tempdir().expect("a folder");
            for entry in std::fs::read_dir(ended.path()).expect("a folder") {
                let entry = entry.expect("an entry");
                let to = copy.path().join(entry.file_name());
                std::fs::copy(entry.path(), to).expect("a copy");
            }
            let current = copy.path().join("CURRENT");
            match spoil {
                "none" => std::fs::remove_file(&current).expect("CURRENT"),
                "rubbish" => std::fs::write(&current, "\0\0").expect("CURRENT"),
                _ => {}
            }
            assert_whole(copy.path(), &["one", "two"]);
        }
    }
}

#[test]
fn a_current_that_names_a_file_that_is_gone_is_healed() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = process(folder.path()).expect("opens");
    say(&memory, "one");
    for _ in 0..4 {
        memory.compact().expect("a compaction");
    }
    say(&memory, "two");
    drop(memory);
    for wrong in ["3\n", "1\n", "", "five"] {
        std::fs::write(folder.path().join("CURRENT"), wrong).expect("CURRENT");
        assert_whole(folder.path(), &["one", "two"]);
        assert_eq!(files(folder.path()).1, "5");
    }
    std::fs::remove_file(folder.path().join("CURRENT")).expect("CURRENT");
    assert_whole(folder.path(), &["one", "two"]);
    // A later file was the live one: it is not replaced by an older one.
    std::fs::write(folder.path().join("CURRENT"), "6\n").expect("CURRENT");
    let error = process(folder.path()).expect_err("the live file is missing");
    assert_eq!(error.code(), ErrorCode::Corrupt);
    assert!(error.message().contains("memory.6.redb"), "{error}");
    assert_eq!(files(folder.path()).0, ["memory.5.redb"]);
}

#[test]
fn a_slow_beginner_makes_no_second_store() {
    // A process saw an empty folder and is paused; others create a store, write to it and replace
    // its first generation.
    for replaced in [0, 1, 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_owned();
        fail_points::on_reaching("a store is begun", move || {
            let other = process(&path).expect("another process makes the store");
            say(&other, "one");
            for _ in 0..replaced {
                other.compact().expect("a compaction");
            }
        });
        let slow = process(folder.path()).expect("the slow process opens the store");
        assert!(fail_points::not_reached().is_empty());
        assert_eq!(texts(&slow), ["one"], "after {replaced} switches");
        drop(slow);
        assert_whole(folder.path(), &["one"]);
    }
}

#[test]
fn files_of_dead_processes_are_overwritten_and_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = process(folder.path()).expect("opens");
    say(&memory, "one");
    memory.compact().expect("a compaction");
    let live = std::fs::read(folder.path().join("memory.2.redb")).expect("the file");
    let left = [
        "memory.1.redb",
        "memory.3.redb",
        "retired.1.a.tmp",
        "building.1.b.tmp",
        "building.2.b.tmp",
        "scratch.0.c.tmp",
        "CURRENT.1.d.tmp",
    ];
    let put = || {
        for name in left {
            std::fs::write(folder.path().join(name), &live).expect("a file");
        }
    };
    let store = &memory.engine.store;
    put();
    assert_eq!(store.leftovers().expect("a list").len(), 3);
    assert!(store.clean_leftovers().expect("a list").is_empty());
    assert_eq!(files(folder.path()).0, ["memory.2.redb"]);
    put();
    memory.compact().expect("a compaction");
    assert_eq!(files(folder.path()).0, ["memory.3.redb"]);
    std::fs::write(folder.path().join("memory.2.redb"), &live).expect("a file");
    drop(memory);
    assert_whole(folder.path(), &["one"]);
    // A file that is open elsewhere stays, and is reported, until it is closed.
    let other = process(folder.path()).expect("opens");
    let memory = process(folder.path()).expect("opens");
    let reading = other.engine.store.read().expect("a reader");
    let erased = memory
        .erase(&Selector::new().id(Seq(1)))
        .expect("an erasure");
    assert!(!erased.was_overwritten);
    let left = memory.engine.store.clean_leftovers().expect("a list");
    assert_eq!(left.len(), 1);
    assert!(left[0].exists());
    drop((reading, other));
    assert!(
        memory
            .engine
            .store
            .clean_leftovers()
            .expect("a list")
            .is_empty()
    );
    assert!(!left[0].exists());
}
