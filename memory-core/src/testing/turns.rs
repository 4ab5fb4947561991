//! Fairness between many writing processes: each gets its turn.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::{RandomIds, SystemClock};
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::store::{Store, StoreOptions};

/// A handle like that of another process: it shares no state.
fn process(folder: &Path) -> Result<Memory> {
    let options = StoreOptions {
        create: true,
        exclusive: false,
        cache_bytes: 1 << 20,
        busy_timeout: Duration::from_secs(600),
        allow_network_folder: true,
    };
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
    Memory::on_test_store(Store::open_unshared(folder, &options, clock, ids)?)
}

fn say(memory: &Memory, text: String) {
    let event = NewEvent::new(EventKind::UserPrompt, "s", text);
    memory.append(event).expect("an event is stored");
}

/// Waits until some process holds the turn and waits for the store.
fn somebody_has_the_turn(folder: &Path) {
    let file = std::fs::File::open(folder.join("turn.lock")).expect("the file of the turn");
    while file.try_lock().is_ok() {
        file.unlock().expect("a lock that is held");
        // Leave it unlocked most of the time so that others can take it.
        (0..100).for_each(|_| std::thread::yield_now());
    }
}

#[test]
fn who_has_written_comes_after_who_waits() {
    const ROUNDS: usize = 10;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hurried = process(folder.path()).expect("a new store");
    let waiting = process(folder.path()).expect("the store opens");
    let mut passed_by = 0;
    for round in 0..ROUNDS {
        std::thread::scope(|scope| {
            let held = hurried.engine.store.write(|_| {
                scope.spawn(|| say(&waiting, format!("waiting {round}")));
                somebody_has_the_turn(folder.path());
                Ok(())
            });
            held.expect("a write");
            say(&hurried, format!("hurried {round}"));
        });
        let all = hurried.changes_since(Seq(0), 1_000).expect("events");
        let last = all.last().expect("an event");
        passed_by += usize::from(!last.content.starts_with("hurried"));
    }
    // On a busy machine a waiting thread may be scheduled late.
    assert!(
        passed_by <= ROUNDS / 3,
        "passed by in {passed_by} of {ROUNDS}"
    );
}

/// A hook is a new process each time, which opens and closes the store, and must not wait for all
/// of an import.
#[test]
fn who_opens_or_closes_the_store_is_not_passed_by_again_and_again() {
    /// Without its turn it is passed by until the other one stops. How often it is passed by with it
    /// depends on when the system wakes it up.
    const MAX: usize = 100;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hurried = process(folder.path()).expect("a new store");
    let is_closed = AtomicBool::new(false);
    let mut passed_by = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            drop(process(folder.path()).expect("the store opens"));
            is_closed.store(true, Ordering::Release);
        });
        while passed_by <= MAX && !is_closed.load(Ordering::Acquire) {
            let written = hurried.engine.store.write(|_| {
                std::thread::sleep(Duration::from_millis(20));
                Ok(())
            });
            written.expect("a write");
            passed_by += 1;
        }
    });
    assert!(passed_by <= MAX, "passed by more than {MAX} times");
}

#[test]
fn who_stands_still_with_the_turn_stops_nobody() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let memory = process(folder.path()).expect("a new store");
    let file = std::fs::File::open(folder.path().join("turn.lock")).expect("the file");
    file.lock().expect("the turn");
    for number in 0..3 {
        say(&memory, format!("event {number}"));
    }
    memory.compact().expect("a compaction");
    assert_eq!(memory.stats().expect("stats").events, 3);
}

const COMPACTING: u64 = 2;
const WRITING: u64 = 4;
const TURNS: u64 = 6;
/// The maximum number of others served while one waits. Concurrent waiters are served in any order,
/// so this is more than one round.
const PATIENCE: u64 = 8 * (COMPACTING + WRITING);

#[test]
fn a_process_that_waits_is_not_passed_by_again_and_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = process(folder.path()).expect("a new store");
    say(&first, "the first".into());
    let is_done = AtomicBool::new(false);
    let generation = |memory: &Memory| {
        let read = memory.engine.store.read().expect("a sound store");
        read.generation()
    };
    let longest = std::thread::scope(|scope| {
        for _ in 0..COMPACTING {
            scope.spawn(|| {
                let memory = process(folder.path()).expect("the store opens");
                // The loop ends even if no other process is ever served.
                for _ in 0..TURNS * WRITING * PATIENCE {
                    memory.compact().expect("a compaction");
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        let writers: Vec<_> = (0..WRITING)
            .map(|writer| {
                let (folder, generation) = (folder.path(), &generation);
                scope.spawn(move || {
                    let memory = process(folder).expect("the store opens");
                    let mut longest = 0;
                    for turn in 0..TURNS {
                        let before = generation(&memory);
                        say(&memory, format!("turn {turn} of {writer}"));
                        longest = longest.max(generation(&memory) - before);
                    }
                    longest
                })
            })
            .collect();
        let waited = writers
            .into_iter()
            .map(|writer| writer.join().expect("a writer"));
        let longest = waited.max().unwrap_or_default();
        is_done.store(true, Ordering::Relaxed);
        longest
    });
    println!("at most {longest} generations went by while one waited");
    assert!(longest <= PATIENCE, "{longest} generations went by");
    assert_eq!(first.stats().expect("stats").events, 1 + WRITING * TURNS);
}
