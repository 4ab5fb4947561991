//! Tests segment files: which segments are written to files, what searches find, and what happens
//! if files are missing, damaged, cannot be written, or are mapped by another process.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::MaintainBudget;
use crate::Memory;
use crate::clock::{RandomIds, SystemClock};
use crate::index::side_file::faults;
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::model::time::Timestamp;
use crate::store::generations::fail_points::{self, Failure};
use crate::store::index_tables::word_files::FILE_EVENTS;
use crate::store::{Store, StoreOptions};
use crate::testing::every;
use crate::upkeep::select::Selector;

const MARKER: &str = "quetzalcoatl";
/// The event of each batch that contains the marker.
const MARKED: u64 = 7;
/// The time at which questions are asked.
const NOW_MS: i64 = 1_769_781_900_000;
/// What `holders` returns once the marker is gone.
const NOWHERE: [PathBuf; 0] = [];
const STORE: &str = "RECALLITE_TEST_WORDS_STORE";
const STEP: &str = "RECALLITE_TEST_WORDS_STEP";

/// A handle that shares nothing with others, as if in another process.
fn open(folder: &Path) -> Memory {
    let options = StoreOptions {
        create: true,
        exclusive: false,
        cache_bytes: 4 << 20,
        busy_timeout: Duration::from_secs(60),
        allow_network_folder: true,
    };
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
    Memory::on_test_store(Store::open_unshared(folder, &options, clock, ids).unwrap()).unwrap()
}

fn say(batch: u64, number: u64) -> NewEvent {
    let kind = match number % 3 {
        0 => EventKind::AgentResponse,
        _ => EventKind::UserPrompt,
    };
    let text = match number {
        MARKED => format!("In part {batch} we met {MARKER} at the lake."),
        _ => format!(
            "Part {batch}: ship {number} was moored at pier {}.",
            number % 40
        ),
    };
    let at = Timestamp::from_millis_clamped(NOW_MS - 86_400_000);
    NewEvent::new(kind, format!("session {}", number % 5), text)
        .project("harbour")
        .timestamp(at)
}

/// Appends batches, each of which becomes a segment file.
fn fill(memory: &Memory, batches: u64) {
    for batch in 0..batches {
        let events = (0..FILE_EVENTS).map(|number| say(batch, number));
        memory.append_batch(events.collect()).unwrap();
    }
}

fn index(memory: &Memory) -> PathBuf {
    memory.engine.store.folder().index()
}

/// The names in the folder of side files, sorted.
fn files(memory: &Memory) -> Vec<String> {
    let entries = std::fs::read_dir(index(memory)).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The files of the live segments, sorted.
fn named(memory: &Memory) -> Vec<String> {
    let segments = memory.engine.store.read().unwrap().segments().unwrap();
    let mut names: Vec<String> = segments
        .iter()
        .filter_map(|info| info.file_name())
        .collect();
    names.sort();
    names
}

/// The events found, with their scores.
fn found(memory: &Memory) -> Vec<Vec<(u64, f32)>> {
    let questions = [
        "which ship was moored at pier 7?",
        MARKER,
        "part 1 ship 300",
        "late ones",
    ];
    let hits = questions.map(|question| {
        let now = Timestamp::from_millis_clamped(NOW_MS);
        let query = crate::Query::new(question).as_of(now).limit(20);
        let found = memory.search(query).unwrap();
        assert!(!found.degraded, "{question}");
        found
            .items
            .iter()
            .map(|hit| (hit.seq.0, hit.relevance))
            .collect()
    });
    hits.to_vec()
}

fn maintain(memory: &Memory) -> crate::Maintained {
    memory.maintain(MaintainBudget::default()).unwrap()
}

fn assert_sound(memory: &Memory) {
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    assert_eq!(files(memory), named(memory));
}

/// The files below a folder that contain the marker, in upper or lower case.
fn holders(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holders(&path));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap().to_ascii_lowercase();
        let marker = MARKER.as_bytes();
        if bytes.windows(marker.len()).any(|part| part == marker) {
            found.push(path);
        }
    }
    found
}

/// The events that contain the marker.
fn marked(batches: u64) -> Selector {
    Selector::new().ids((0..batches).map(|batch| Seq(batch * FILE_EVENTS + MARKED + 1)))
}

#[test]
fn a_large_batch_lies_in_a_file_and_single_appends_write_none() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    for few in 0..24 {
        let events = (64 * few..64 * few + 64).map(|number| say(9, number));
        memory.append_batch(events.collect()).unwrap();
    }
    assert!(memory.stats().unwrap().lexical.segments > 0);
    assert_eq!(files(&memory), [""; 0]);
    fill(&memory, 1);
    assert_eq!(files(&memory).len(), 1);
    assert_sound(&memory);
    // The segments that appends have merged are large enough for files by now.
    while maintain(&memory).has_more {}
    let segments = memory.engine.store.read().unwrap().segments().unwrap();
    let is_large = |info: &&crate::index::lexical::segment_info::SegmentInfo| {
        u64::from(info.events) >= FILE_EVENTS
    };
    assert!(
        segments
            .iter()
            .filter(is_large)
            .all(|info| info.file.is_some())
    );
    assert!(found(&memory).iter().all(|hits| !hits.is_empty()));
    assert_sound(&memory);
}

#[test]
fn a_small_store_has_no_folder_for_files() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let events = (0..300).map(|number| say(0, number));
    memory.append_batch(events.collect()).unwrap();
    memory.forget(&Selector::new().id(Seq(30))).unwrap();
    while maintain(&memory).has_more {}
    memory.erase(&Selector::new().id(Seq(20))).unwrap();
    memory.compact().unwrap();
    memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert!(!index(&memory).exists());
    assert_sound(&memory);
}

#[test]
fn files_answer_as_the_store_does() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 2);
    assert_eq!(named(&memory).len(), 2);
    let place = tempfile::tempdir().unwrap();
    memory.backup(place.path().join("backup")).unwrap();
    // The blocks of a backup are in its store.
    let copy = open(&place.path().join("backup"));
    assert_eq!(files(&copy), [""; 0]);
    assert_eq!(found(&copy), found(&memory));
    // `maintain` moves them into files. It runs on both stores, because it does more than that.
    while maintain(&copy).has_more {}
    while maintain(&memory).has_more {}
    assert_eq!((files(&copy).len(), files(&memory).len()), (2, 2));
    assert_eq!(found(&copy), found(&memory));
    assert_sound(&copy);
}

#[test]
fn a_file_that_cannot_be_written_fails_no_call() {
    let mut failed = 0;
    for kind in [ErrorKind::StorageFull, ErrorKind::Other] {
        for for_ever in [false, true] {
            for at in (0..).step_by(every(11)) {
                let folder = tempfile::tempdir().unwrap();
                let memory = open(folder.path());
                faults::fail(&index(&memory), at, for_ever, kind);
                fill(&memory, 1);
                maintain(&memory);
                memory.forget(&marked(1)).unwrap();
                maintain(&memory);
                memory
                    .erase(&Selector::new().id(Seq(20)))
                    .unwrap_or_default();
                let was_reached = faults::heal(&index(&memory)) > at;
                assert_eq!(
                    memory.stats().unwrap().prompts + memory.stats().unwrap().responses,
                    FILE_EVENTS - 1 - memory.stats().unwrap().erased
                );
                assert!(!memory.search("ship at pier 3").unwrap().degraded, "{at}");
                if at % 3 == 0 || !was_reached {
                    while maintain(&memory).has_more {}
                    assert_eq!(memory.stats().unwrap().open_erasures, 0);
                    assert_sound(&memory);
                }
                if !was_reached {
                    break;
                }
                failed += 1;
            }
        }
    }
    assert!(failed >= 40 / every(11), "{failed}");
}

#[test]
fn deleting_the_folder_costs_time_and_no_data() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 3);
    memory.append(say(4, 1)).unwrap();
    memory.forget(&Selector::new().id(Seq(30))).unwrap();
    // The forgotten event's segment becomes too small for a file, and its words count in the
    // weights until they are gone.
    while maintain(&memory).has_more {}
    let before = found(&memory);
    std::fs::remove_dir_all(index(&memory)).unwrap();
    // A process that has the files mapped still sees them; another one reports what is missing.
    let other = open(folder.path());
    let lacking = other.search("part 4 ship").unwrap();
    assert!(
        lacking.degraded
            && lacking
                .items
                .iter()
                .any(|hit| hit.seq.0 == 3 * FILE_EVENTS + 1)
    );
    assert_eq!(other.stats().unwrap().lexical.damaged_segments, 2);
    let report = other.check().unwrap();
    let divergence = report.first_divergence.unwrap();
    assert_eq!(divergence.place, "lexical");
    assert!(
        divergence.problem.contains("words."),
        "{}",
        divergence.problem
    );
    assert_eq!(maintain(&other).rewritten, 2);
    assert_eq!(other.stats().unwrap().lexical.damaged_segments, 0);
    assert_eq!(found(&other), before);
    assert_eq!(found(&memory), before);
    assert_sound(&other);
}

#[test]
fn segments_that_are_made_again_are_those_that_a_rebuild_makes() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 2);
    memory.forget(&Selector::new().id(Seq(30))).unwrap();
    let facts = |memory: &Memory| {
        let read = memory.engine.store.read().unwrap();
        let cache = crate::index::lexical::block::BlockCache::new(1 << 20);
        let blocks = crate::index::lexical::segment::Blocks {
            source: &read,
            cache: &cache,
        };
        let mut facts = Vec::new();
        for info in read.segments().unwrap() {
            let reader =
                crate::index::lexical::segment::SegmentReader::open_any(&info, blocks).unwrap();
            let add = |_, row: crate::index::lexical::inverted::EventRow| facts.push(row.facts);
            reader.each_event(blocks, 0..info.events, add).unwrap();
        }
        facts
    };
    while maintain(&memory).has_more {}
    let before = facts(&memory);
    std::fs::remove_dir_all(index(&memory)).unwrap();
    maintain(&memory);
    assert_eq!(facts(&memory), before);
    memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert_eq!(facts(&memory), before);
    assert_sound(&memory);
}

#[test]
fn a_damaged_file_is_left_out_named_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 2);
    let before = found(&memory);
    drop(memory);
    let path = {
        let memory = open(folder.path());
        index(&memory).join(&files(&memory)[0])
    };
    let whole = std::fs::read(&path).unwrap();
    for block in 0..whole.len().div_ceil(4_096) {
        let mut bytes = whole.clone();
        bytes[block * 4_096 + 20] ^= 0x10;
        std::fs::write(&path, &bytes).unwrap();
        let memory = open(folder.path());
        let report = memory.check().unwrap();
        assert!(!report.ok, "block {block}");
        let _ = memory.search(MARKER).unwrap();
    }
    for cut in [0, 1, 4_096, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let memory = open(folder.path());
        assert!(memory.search(MARKER).unwrap().degraded);
        assert!(!memory.check().unwrap().ok);
    }
    let memory = open(folder.path());
    assert_eq!(maintain(&memory).rewritten, 1);
    assert_eq!(found(&memory), before);
    assert_sound(&memory);
    // `check` finds it although no search has read it.
    let path = index(&memory).join(&files(&memory)[0]);
    drop(memory);
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let memory = open(folder.path());
    assert!(!memory.check().unwrap().ok);
    assert_eq!(maintain(&memory).rewritten, 1);
    assert_eq!(found(&memory), before);
    assert_sound(&memory);
}

#[test]
fn words_of_forgotten_events_leave_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 2);
    assert_eq!(holders(&index(&memory)).len(), 2);
    assert!(!found(&memory)[1].is_empty());
    memory.forget(&marked(2)).unwrap();
    while maintain(&memory).has_more {}
    assert_eq!(holders(&index(&memory)), NOWHERE);
    let is_marked = |(seq, _): &(u64, f32)| (seq - 1) % FILE_EVENTS == MARKED;
    assert!(!found(&memory)[1].iter().any(is_marked));
    assert_sound(&memory);
}

#[test]
fn an_erasure_waits_for_who_has_a_file_mapped_and_is_completed_then() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 2);
    let other = open(folder.path());
    found(&other);
    let held: Vec<_> = {
        let read = other.engine.store.read().unwrap();
        other.engine.lexical.snapshot(&read).unwrap().segments
    };
    let first = Selector::new().id(Seq(MARKED + 1));
    let receipt = memory.erase(&first).unwrap();
    assert!(!receipt.is_complete);
    assert!(
        receipt
            .unclean_places
            .iter()
            .any(|place| place.contains("words.")),
        "{:?}",
        receipt.unclean_places
    );
    // The old file still contains the text, unchanged.
    assert_eq!(memory.stats().unwrap().open_erasures, 1);
    found(&other);
    drop(held);
    assert_eq!(maintain(&memory).erasures_completed, 1);
    assert_eq!(holders(&index(&memory)).len(), 1);
    memory.erase(&marked(2)).unwrap();
    drop(other);
    maintain(&memory);
    assert_eq!(memory.stats().unwrap().open_erasures, 0);
    assert_eq!(holders(folder.path()), NOWHERE);
    assert_sound(&memory);
}

#[test]
fn a_file_that_is_mapped_keeps_no_other_from_being_removed() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let events = (0..2 * FILE_EVENTS).map(|number| say(0, number));
    memory.append_batch(events.collect()).unwrap();
    let mapped = named(&memory);
    let other = open(folder.path());
    found(&other);
    for seq in [30, 31, 32] {
        memory.forget(&Selector::new().id(Seq(seq))).unwrap();
        maintain(&memory);
    }
    let mut expected = [mapped, named(&memory)].concat();
    expected.sort();
    assert_eq!(expected.len(), 2);
    assert_eq!(files(&memory), expected);
    drop(other);
    maintain(&memory);
    assert_sound(&memory);
}

#[test]
fn every_way_to_a_new_generation_leaves_the_files_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 3);
    let before = (found(&memory), named(&memory));
    memory.compact().unwrap();
    // Nothing has changed.
    assert_eq!((found(&memory), named(&memory)), before);
    assert_sound(&memory);
    let files_of = named(&memory);
    // The last event of its session, so no numbers change and one segment is rewritten.
    memory
        .erase(&Selector::new().id(Seq(3 * FILE_EVENTS)))
        .unwrap();
    assert_sound(&memory);
    let kept = named(&memory)
        .iter()
        .filter(|name| files_of.contains(name))
        .count();
    assert!(kept > 0 && kept < files_of.len(), "{kept}");
    let before = found(&memory);
    memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert_eq!(found(&memory), before);
    assert_sound(&memory);
    let mut export = Vec::new();
    memory.upkeep().export_jsonl_to(&mut export, None).unwrap();
    let restored = tempfile::tempdir().unwrap();
    let restored = open(restored.path());
    restored.upkeep().restore_jsonl_from(&export[..]).unwrap();
    assert_eq!(found(&restored), found(&memory));
    assert_sound(&restored);
}

#[test]
fn a_backup_needs_no_file_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 2);
    let before = found(&memory);
    for is_whole in [true, false] {
        if !is_whole {
            std::fs::remove_file(index(&memory).join(&files(&memory)[0])).unwrap();
        }
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("backup");
        memory.backup(&path).unwrap();
        let copy = open(&path);
        assert_eq!(found(&copy), before);
        assert_sound(&copy);
    }
}

#[test]
fn a_file_that_is_about_to_be_named_is_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 3);
    // As left behind by a process that was killed.
    let stray = index(&memory).join("words.77.0123.bin");
    std::fs::write(&stray, MARKER).unwrap();
    let other = open(folder.path());
    let left = stray.clone();
    fail_points::on_reaching("a file of words has its name", move || {
        maintain(&other);
        assert!(left.exists(), "another one builds");
    });
    let budget = MaintainBudget::default();
    let events = (0..FILE_EVENTS).map(|number| say(3, number));
    memory.append_batch(events.collect()).unwrap();
    memory.maintain(budget).unwrap();
    assert_eq!(fail_points::not_reached(), [""; 0]);
    assert!(!stray.exists());
    assert_sound(&memory);
}

#[test]
fn a_search_lacks_nothing_while_others_merge() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 4);
    let writer = open(folder.path());
    let searching = std::thread::spawn(move || {
        let mut searches = 0;
        while memory.stats().unwrap().events < 12 * FILE_EVENTS {
            let found = memory.search("which ship was moored at pier 7?").unwrap();
            assert!(!found.degraded && !found.items.is_empty());
            searches += 1;
        }
        searches
    });
    for batch in 4..12 {
        maintain(&writer);
        let events = (0..FILE_EVENTS).map(|number| say(batch, number));
        writer.append_batch(events.collect()).unwrap();
    }
    assert!(searching.join().unwrap() > 0);
    maintain(&writer);
    assert_sound(&writer);
}

/// The calls that are stopped at each of their steps.
fn act(memory: &Memory) -> crate::model::error::Result<()> {
    let events = (0..FILE_EVENTS).map(|number| say(3, number));
    memory.append_batch(events.collect())?;
    memory.maintain(MaintainBudget::default())?;
    memory.forget(&marked(1))?;
    memory.maintain(MaintainBudget::default())?;
    memory.erase(&marked(4))?;
    memory.rebuild(Timestamp::from_millis_clamped(0)).map(drop)
}

/// Whatever was stopped, the store is intact, and continuing leaves nothing of the erased text.
fn is_sound_after(folder: &Path, step: u32) {
    let memory = open(folder);
    assert!(
        !memory.search("ship at pier 3").unwrap().degraded,
        "step {step}"
    );
    while maintain(&memory).has_more {}
    memory.erase(&marked(4)).unwrap();
    assert_eq!(memory.stats().unwrap().open_erasures, 0, "step {step}");
    maintain(&memory);
    assert_sound(&memory);
    drop(memory);
    assert_eq!(holders(folder), NOWHERE, "step {step}");
}

#[test]
fn what_fails_at_any_step_leaves_a_sound_store() {
    for step in (0..).step_by(every(7)) {
        let folder = tempfile::tempdir().unwrap();
        let memory = open(folder.path());
        fill(&memory, 3);
        fail_points::plan(Some((step, Failure::Fail)));
        let _ = act(&memory);
        let was_reached = fail_points::passed() > step;
        fail_points::plan(None);
        drop(memory);
        is_sound_after(folder.path(), step);
        if !was_reached {
            assert!(step >= 20, "{step} steps");
            break;
        }
    }
}

/// Does nothing unless the test below started it.
#[test]
fn child_that_ends_in_the_middle() {
    let (Ok(store), Ok(step)) = (std::env::var(STORE), std::env::var(STEP)) else {
        return;
    };
    let memory = Memory::open(store).unwrap();
    fill(&memory, 3);
    fail_points::plan(Some((step.parse().unwrap(), Failure::Abort)));
    let _ = act(&memory);
}

#[test]
fn a_process_that_ends_at_any_step_leaves_a_sound_store() {
    for step in (0..).step_by(every(7)) {
        let folder = tempfile::tempdir().unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["upkeep::words::tests::child_that_ends_in_the_middle"])
            .args(["--exact", "--test-threads=1", "--quiet"])
            .env(STORE, folder.path())
            .env(STEP, step.to_string())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        is_sound_after(folder.path(), step);
        if status.success() {
            assert!(step >= 20, "{step} steps");
            break;
        }
    }
}

#[test]
fn a_check_reads_the_segments_that_were_live_when_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 3);
    let writer = open(folder.path());
    let before = named(&memory);
    fail_points::on_reaching("check the log", move || {
        // The fourth batch makes a merge due, which removes the files of the first three.
        let events = (0..FILE_EVENTS).map(|number| say(3, number));
        writer.append_batch(events.collect()).unwrap();
        maintain(&writer);
    });
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    assert_eq!(fail_points::not_reached(), [""; 0]);
    let after = named(&memory);
    assert!(before.iter().all(|name| !after.contains(name)), "{after:?}");
    assert_sound(&memory);
}

#[test]
fn a_damaged_record_keeps_maintain_from_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 1);
    let store = &memory.engine.store;
    store.write(|tx| tx.damage_record_for_test(3)).unwrap();
    for name in files(&memory) {
        std::fs::remove_file(index(&memory).join(name)).unwrap();
    }
    let events = (0..40).map(|number| say(9, number));
    memory.append_batch(events.collect()).unwrap();
    let budget = MaintainBudget {
        learn_messages: 0,
        ..MaintainBudget::default()
    };
    let done = memory.maintain(budget).unwrap();
    assert!(done.flushed && done.rewritten == 0, "{done:?}");
    let read = store.read().unwrap();
    assert_eq!(store.missing_files(&read).unwrap().len(), 1);
}

#[test]
fn a_compaction_can_be_stopped_while_it_rebuilds_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    fill(&memory, 1);
    for name in files(&memory) {
        std::fs::remove_file(index(&memory).join(name)).unwrap();
    }
    let is_eager = &memory.engine.operations.is_eager;
    is_eager.store(true, std::sync::atomic::Ordering::Release);
    let calls = std::sync::atomic::AtomicUsize::new(0);
    memory.set_progress_handler(Some(Arc::new(move |_| {
        calls.fetch_add(1, std::sync::atomic::Ordering::AcqRel) == 0
    })));
    let stopped = memory.compact().unwrap_err();
    assert_eq!(stopped.code(), crate::ErrorCode::Interrupted);
    assert!(files(&memory).is_empty(), "it was rebuilt before");
    memory.set_progress_handler(None);
    memory.compact().unwrap();
    assert_sound(&memory);
}

#[test]
fn a_damaged_record_keeps_maintain_neither_from_learning_nor_from_erasing() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let event = |text: &str| NewEvent::new(EventKind::UserPrompt, "s", text);
    memory.append(event("one")).unwrap();
    let gone = memory.append(event("two")).unwrap();
    memory.append(event("three")).unwrap();
    let store = &memory.engine.store;
    let reader = store.read().unwrap();
    let erased = memory.erase(&Selector::new().id(gone.id)).unwrap();
    assert!(!erased.is_complete);
    drop(reader);
    store.write(|tx| tx.damage_record_for_test(3)).unwrap();
    let done = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!((done.erasures_completed, done.open_erasures), (1, 0));
}
