use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::*;
use crate::MemoryBuilder;
use crate::embed::CallbackEmbedder;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::model::progress::{Operation, Progress};
use crate::model::time::Timestamp;
use crate::transcript::ImportOptions;
use crate::upkeep::maintain::MaintainBudget;
use crate::upkeep::select::Selector;

const AS_OF: i64 = 5;

fn builder() -> MemoryBuilder {
    let embedder = CallbackEmbedder::new("length-1", 2, |texts| {
        Ok(texts
            .iter()
            .map(|text| vec![text.len() as f32, 1.0])
            .collect())
    });
    Memory::builder().embedder(Arc::new(embedder.unwrap()))
}

/// Each row is a checkpoint, and each checkpoint tells the progress.
fn eager(memory: Memory) -> Memory {
    let is_eager = &memory.engine.operations.is_eager;
    is_eager.store(true, Ordering::Relaxed);
    memory
}

fn open(folder: &Path) -> Memory {
    eager(builder().open(folder.join("store")).unwrap())
}

fn prompt(number: usize) -> NewEvent {
    let text = format!("The lamp at pier {number} is lit.");
    NewEvent::new(EventKind::UserPrompt, format!("s{}", number % 2), text)
}

/// A store of a few events; one is forgotten, and some have vectors.
fn filled(folder: &Path) -> Memory {
    let memory = open(folder);
    memory.append_batch((0..4).map(prompt).collect()).unwrap();
    memory.process_outbox(2).unwrap();
    memory.forget(&Selector::new().id(Seq(2))).unwrap();
    memory
}

/// The files in a folder of the store, and folders beside it.
fn names(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        match entry.file_name().into_string().unwrap() {
            index if index == "index" => found.extend(names(&entry.path())),
            // Locks are made when they are first taken, and stay.
            lock if lock.ends_with(".lock") => {}
            name => drop(found.insert(name)),
        }
    }
    found
}

fn assert_sound(memory: &Memory) {
    memory.set_progress_handler(None);
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    assert!(memory.engine.store.leftovers().unwrap().is_empty());
}

/// What a handler was told.
type Told = Arc<Mutex<Vec<Progress>>>;

/// Sets a handler that stops at its `last` call.
fn stop_at(memory: &Memory, last: usize, stop: impl Fn() -> bool + Send + Sync + 'static) -> Told {
    let told = Told::default();
    let calls = told.clone();
    memory.set_progress_handler(Some(Arc::new(move |progress| {
        let mut calls = calls.lock().unwrap();
        calls.push(*progress);
        calls.len() < last || stop()
    })));
    told
}

/// Runs an operation again and again, stopped at its first checkpoint, then at its second, and
/// so on until it succeeds. Returns how often it was stopped.
fn stop_everywhere(
    operation: Operation,
    memory: &Memory,
    mut work: impl FnMut() -> Result<()>,
    mut after: impl FnMut(),
) -> usize {
    for last in 1.. {
        let told = stop_at(memory, last, || false);
        let result = work();
        memory.set_progress_handler(None);
        let told = told.lock().unwrap();
        assert_eq!(told[0].done, 0);
        for two in told.windows(2) {
            assert!(two[0].done <= two[1].done, "{two:?}");
        }
        for progress in told.iter() {
            assert_eq!(progress.operation, operation);
            assert!(progress.total.is_none_or(|total| progress.done <= total));
        }
        match result {
            Ok(()) => {
                let end = told.last().unwrap();
                assert_eq!(end.total, Some(end.done));
                return last - 1;
            }
            Err(error) => {
                assert_eq!(error.code(), ErrorCode::Interrupted, "{error}");
                assert_eq!(told.len(), last, "it went on");
                after();
            }
        }
    }
    unreachable!("it was stopped for ever");
}

#[test]
fn a_stopped_compaction_rebuild_check_or_export_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path());
    let as_of = Timestamp::from_millis_clamped(AS_OF);
    let hash = memory.upkeep().state_hash(as_of).unwrap();
    let before = names(&folder.path().join("store"));
    let unchanged = || {
        assert_eq!(memory.upkeep().state_hash(as_of).unwrap(), hash);
        assert_eq!(names(&folder.path().join("store")), before);
        assert_eq!(names(folder.path()).len(), 1, "{:?}", names(folder.path()));
        assert_sound(&memory);
    };
    let stops = |operation, work: &mut dyn FnMut() -> Result<()>| {
        stop_everywhere(operation, &memory, work, unchanged)
    };
    assert!(stops(Operation::Check, &mut || memory.check().map(drop)) > 20);
    let path = folder.path().join("export.jsonl");
    let export = || {
        memory
            .export_jsonl(&path, &crate::ExportOptions::new())
            .map(drop)
    };
    assert!(stops(Operation::Export, &mut { export }) > 6);
    std::fs::remove_file(&path).unwrap();
    let export = || {
        memory
            .export_jsonl(&path, &crate::ExportOptions::new().replace(true))
            .map(drop)
    };
    assert!(stops(Operation::Export, &mut { export }) > 6);
    std::fs::remove_file(&path).unwrap();
    // The folders that it creates go as well.
    let copy = folder.path().join("new/folder/copy");
    assert!(stops(Operation::Backup, &mut || memory.backup(&copy).map(drop)) > 50);
    std::fs::remove_dir_all(folder.path().join("new")).unwrap();
    assert!(stops(Operation::Compact, &mut || memory.compact().map(drop)) > 50);
    assert_sound(&memory);
    let before = names(&folder.path().join("store"));
    let rebuild = || memory.rebuild(as_of).map(drop);
    let stops = stop_everywhere(Operation::Rebuild, &memory, rebuild, || {
        assert_eq!(memory.upkeep().state_hash(as_of).unwrap(), hash);
        assert_eq!(names(&folder.path().join("store")), before);
        assert_sound(&memory);
    });
    assert!(stops > 20, "{stops}");
    assert_sound(&memory);
    assert_eq!(memory.upkeep().state_hash(as_of).unwrap(), hash);
}

/// The unfinished backup in a folder.
fn unfinished(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    paths.find(|path| path.to_string_lossy().contains(".partial-"))
}

/// Calls `act` once, with the unfinished backup beside the store, and then goes on or stops.
fn meet_backup(memory: &Memory, goes_on: bool, act: impl Fn(&Path) + Send + Sync + 'static) {
    let beside = memory.path().parent().unwrap().to_owned();
    let is_met = AtomicBool::new(false);
    memory.set_progress_handler(Some(Arc::new(move |_| {
        if let Some(partial) = unfinished(&beside)
            && !is_met.swap(true, Ordering::Relaxed)
        {
            act(&partial);
        }
        goes_on || !is_met.load(Ordering::Relaxed)
    })));
}

#[test]
#[cfg(unix)]
fn a_backup_neither_removes_nor_hands_over_what_took_the_place_of_its_folder() {
    for (is_link, goes_on) in [(false, false), (false, true), (true, false), (true, true)] {
        let folder = tempfile::tempdir().unwrap();
        let memory = filled(folder.path());
        let (moved, other) = (folder.path().join("moved"), folder.path().join("other"));
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join("letter"), "somebody else's").unwrap();
        let (to, from) = (moved.clone(), other.clone());
        meet_backup(&memory, goes_on, move |partial| {
            std::fs::rename(partial, &to).unwrap();
            match is_link {
                true => std::os::unix::fs::symlink(&from, partial).unwrap(),
                false => std::fs::rename(&from, partial).unwrap(),
            }
        });
        let copy = folder.path().join("copy");
        let error = memory.backup(&copy).unwrap_err();
        assert!(copy.symlink_metadata().is_err(), "{error}");
        let placed = unfinished(folder.path()).expect("it is somebody else's");
        let letter = std::fs::read_to_string(placed.join("letter")).unwrap();
        assert_eq!(letter, "somebody else's");
        assert_sound(&memory);
    }
}

#[test]
fn what_stands_in_the_way_of_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path());
    let copy = folder.path().join("copy");
    for name in ["memory.1.redb", "CURRENT"] {
        meet_backup(&memory, true, move |partial| {
            std::fs::create_dir(partial.join(name)).unwrap();
        });
        let error = memory.backup(&copy).unwrap_err();
        assert!(error.message().contains(name), "{error}");
        assert!(unfinished(folder.path()).is_none());
    }
    let to = copy.clone();
    meet_backup(&memory, true, move |_| {
        std::fs::create_dir_all(to.join("something")).unwrap();
    });
    let error = memory.backup(&copy).unwrap_err();
    assert!(error.message().contains("copy"), "{error}");
    assert!(unfinished(folder.path()).is_none());

    memory.set_progress_handler(None);
    let before = memory.engine.store.read().unwrap().generation();
    let next = format!("memory.{}.redb", before + 1);
    std::fs::create_dir(folder.path().join("store").join(&next)).unwrap();
    for error in [
        memory.compact().unwrap_err(),
        memory.erase(&Selector::new().id(Seq(1))).unwrap_err(),
    ] {
        assert!(error.message().contains(&next), "{error}");
    }
    assert_eq!(memory.engine.store.read().unwrap().generation(), before);
}

#[test]
fn a_stopped_erasure_stays_ordered_and_hides_its_events() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path());
    let before = names(&folder.path().join("store"));
    let secret = Selector::new().id(Seq(4));
    let erase = || memory.erase(&secret).map(drop);
    let (mut ordered, forgotten) = (0, memory.stats().unwrap().forgotten);
    let stops = stop_everywhere(Operation::Erase, &memory, erase, || {
        assert_eq!(names(&folder.path().join("store")), before);
        let stats = memory.stats().unwrap();
        ordered += stats.open_erasures;
        match stats.open_erasures {
            0 => {
                assert!(memory.event(Seq(4)).unwrap().is_some());
                assert_sound(&memory);
            }
            _ => {
                // It was stopped before it hid the event, or after that.
                assert_eq!(
                    memory.event(Seq(4)).unwrap().is_none(),
                    stats.forgotten > forgotten
                );
                let found = memory.check().unwrap().first_divergence.unwrap();
                assert_eq!(found.place, "erasures");
            }
        }
    });
    assert!(stops > 20 && ordered > 20, "{stops} {ordered}");
    assert!(memory.event(Seq(4)).unwrap().is_none());
    assert_eq!(memory.stats().unwrap().erased, 1);
    assert_sound(&memory);
}

#[test]
fn a_stopped_restore_leaves_the_store_empty() {
    let folder = tempfile::tempdir().unwrap();
    let mut export = Vec::new();
    let memory = filled(folder.path());
    memory.upkeep().export_jsonl_to(&mut export, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = open(folder.path());
    let before = names(&folder.path().join("store"));
    let restore = || copy.upkeep().restore_jsonl_from(&export[..]).map(drop);
    let stops = stop_everywhere(Operation::Restore, &copy, restore, || {
        assert_eq!(names(&folder.path().join("store")), before);
        assert_eq!(copy.stats().unwrap().last_seq, 0);
        assert_sound(&copy);
    });
    assert!(stops > 20, "{stops}");
    let last = copy.stats().unwrap().last_seq;
    assert_eq!(last, memory.stats().unwrap().last_seq);
    assert_sound(&copy);
}

#[test]
fn a_stopped_import_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    memory.append_batch((0..150).map(prompt).collect()).unwrap();
    let mut export = Vec::new();
    memory.upkeep().export_jsonl_to(&mut export, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = open(folder.path());
    let mut stored = BTreeSet::new();
    let import = || copy.upkeep().import_jsonl_from(&export[..]).map(drop);
    let stops = stop_everywhere(Operation::Import, &copy, import, || {
        stored.insert(copy.stats().unwrap().prompts);
    });
    assert!(stops > 150, "{stops}");
    assert!(stored.len() > 1 && stored.contains(&0), "{stored:?}");
    assert_eq!(copy.stats().unwrap().prompts, 150);
    assert_sound(&copy);
}

#[test]
fn a_stopped_import_of_transcripts_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let lines = (0..1_100).map(|number| {
        let text = format!("Which lamp is lit at pier {number}?");
        let line = serde_json::json!({
            "type": "user", "uuid": format!("u{number}"), "sessionId": "s",
            "timestamp": "2026-01-01T00:00:00Z", "message": { "role": "user", "content": text },
        });
        line.to_string() + "\n"
    });
    let transcript = folder.path().join("s.jsonl");
    std::fs::write(&transcript, lines.collect::<String>()).unwrap();
    let memory = open(folder.path());
    let import = || memory.import_claude_code(&transcript).map(drop);
    let stops = stop_everywhere(Operation::Import, &memory, import, || ());
    assert!(stops > 2, "{stops}");
    assert_eq!(memory.stats().unwrap().prompts, 1_100);
    // Its own callback ends it without an error, and an interrupt with one.
    let options = ImportOptions::default();
    let own = memory.import_claude_code_with(&transcript, &options, &mut |_| false);
    assert!(own.is_ok());
    let interrupting = memory.clone();
    let own = memory.import_claude_code_with(&transcript, &options, &mut |_| {
        interrupting.interrupt();
        true
    });
    assert_eq!(own.unwrap_err().code(), ErrorCode::Interrupted);
}

#[test]
fn stopped_forgetting_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    memory
        .append_batch((0..1_100).map(prompt).collect())
        .unwrap();
    let everything = Selector::everything();
    let mut left = BTreeSet::new();
    let forget = || memory.forget(&everything).map(drop);
    let stops = stop_everywhere(Operation::Forget, &memory, forget, || {
        left.insert(memory.stats().unwrap().prompts);
    });
    assert!(stops > 2, "{stops}");
    assert!(left.len() > 2, "{left:?}");
    assert_eq!(memory.stats().unwrap().prompts, 0);
    assert_sound(&memory);
}

#[test]
fn the_uses_of_many_forgotten_injections_go_though_the_call_is_stopped() {
    use crate::recall::shown::context::{ContextOptions, Recording};
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let said = memory.append(prompt(7)).unwrap().seq;
    for number in 0..70 {
        let mut options = ContextOptions::new("which lamp is lit?").session(format!("a{number}"));
        options.recording = Some(Recording::Now);
        memory.context(options).unwrap();
    }
    let uses = || {
        let read = memory.engine.store.read().unwrap();
        let total = read.total_usage(said.0).unwrap();
        let injections = memory.stats().unwrap().injections.injections;
        (total.map_or(0, |total| total.uses), injections)
    };
    assert_eq!(uses(), (70, 70));
    // The second call of the handler is that of the checkpoint before the first batch.
    let injections = Selector::new().kinds([EventKind::Injected]);
    stop_at(&memory, 3, || false);
    let error = memory.forget(&injections).unwrap_err();
    memory.set_progress_handler(None);
    assert_eq!(error.code(), ErrorCode::Interrupted, "{error}");
    // All of it is folded again once, by the next maintenance or the end of the call.
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(uses(), (6, 6));
    assert_eq!(memory.forget(&injections).unwrap().count, 6);
    assert_eq!(uses(), (0, 0));
    assert_sound(&memory);
}

#[test]
fn stopped_maintenance_and_embedding_go_on_where_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    memory.append_batch((0..80).map(prompt).collect()).unwrap();
    let waiting = || memory.stats().unwrap().embedding.unwrap().pending;
    let mut left = BTreeSet::new();
    let embed = || memory.process_outbox(100).map(drop);
    let stops = stop_everywhere(Operation::ProcessOutbox, &memory, embed, || {
        left.insert(waiting());
    });
    assert!(stops > 1, "{stops}");
    assert!(left.len() > 1, "{left:?}");
    assert_eq!(waiting(), 0);
    let embedding = memory.stats().unwrap().embedding.unwrap();
    assert_eq!(embedding.vectors, 80, "a job was lost");

    memory
        .append_batch((80..160).map(prompt).collect())
        .unwrap();
    let maintain = || memory.maintain(MaintainBudget::default()).map(drop);
    let stops = stop_everywhere(Operation::Maintain, &memory, maintain, || {
        assert_eq!(memory.stats().unwrap().prompts, 160);
    });
    assert!(stops > 5, "{stops}");
    while memory.maintain(MaintainBudget::default()).unwrap().has_more {}
    assert_eq!(memory.stats().unwrap().embedding.unwrap().vectors, 160);
    assert_sound(&memory);
}

#[test]
fn an_interrupt_stops_what_runs_and_nothing_that_begins_later() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path());
    memory.interrupt();
    assert!(memory.check().unwrap().ok);
    // From within the handler, through another handle, on another thread.
    let other = memory.clone();
    let told = stop_at(&memory, 7, move || {
        let other = other.clone();
        std::thread::spawn(move || other.interrupt())
            .join()
            .unwrap();
        true
    });
    let error = memory.compact().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Interrupted);
    assert_eq!(told.lock().unwrap().len(), 7);
    assert_sound(&memory);
    memory.compact().unwrap();

    // Other handles are not affected.
    let alone = eager(Memory::open(folder.path().join("store")).unwrap());
    let interrupting = memory.clone();
    let told = stop_at(&alone, 1, move || {
        interrupting.interrupt();
        true
    });
    assert!(alone.check().unwrap().ok);
    assert!(told.lock().unwrap().len() > 1);
}

#[test]
fn a_handler_can_read_and_its_panic_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path());
    let reading = memory.clone();
    let told = stop_at(&memory, 1, move || {
        reading.search("which lamp is lit?").unwrap();
        reading.event(Seq(1)).unwrap().is_some()
    });
    memory.compact().unwrap();
    assert!(told.lock().unwrap().len() > 50);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    memory.set_progress_handler(Some(Arc::new(move |_| {
        let is_third = counted.fetch_add(1, Ordering::Relaxed) == 2;
        assert!(!is_third, "the handler panics");
        true
    })));
    for stops in [true, false] {
        let result = memory.compact();
        assert_eq!(result.is_err(), stops);
        if let Err(error) = result {
            assert_eq!(error.code(), ErrorCode::Callback, "{error}");
        }
    }
    assert!(calls.load(Ordering::Relaxed) > 50);
    assert_sound(&memory);
}

#[test]
fn without_the_tests_knob_a_short_operation_tells_only_its_beginning_and_end() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("store")).unwrap();
    memory.append_batch((0..3).map(prompt).collect()).unwrap();
    let told = stop_at(&memory, usize::MAX, || true);
    memory
        .upkeep()
        .export_jsonl_to(std::io::sink(), None)
        .unwrap();
    let told = told.lock().unwrap();
    let (first, last) = (told.first().unwrap(), told.last().unwrap());
    assert_eq!((first.done, first.total), (0, None));
    assert_eq!((last.done, last.total), (3, Some(3)));
}
