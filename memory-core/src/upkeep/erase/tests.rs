//! Tests erasures stopped at every step, by an error or the end of the process, and
//! completed by the next process.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::model::event::NewEvent;
use crate::store::generations::fail_points::{self, Failure};
use crate::{MaintainBudget, Memory};

const MARKER: &str = "quetzalcoatl";
const STORE: &str = "RECALLITE_TEST_ERASE_STORE";
const STEP: &str = "RECALLITE_TEST_ERASE_STEP";

fn fill(memory: &Memory) {
    let say = |session: &str, text: &str| {
        memory
            .append(NewEvent::new(EventKind::UserPrompt, session, text))
            .unwrap()
    };
    say("kept", "an ordinary event");
    say("gone", &format!("we met {MARKER} at the lake"));
    let index = memory.engine.store.folder().index();
    std::fs::create_dir_all(&index).unwrap();
    for name in ["vectors.1.1.0.9.7.bin", "vectors.1.1.9.12.7.tmp", "stray"] {
        std::fs::write(index.join(name), format!("a trace of {MARKER}")).unwrap();
    }
}

/// The files below a folder that contain the marker, in upper or lower case.
fn holders(folder: &Path) -> Vec<String> {
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
            found.push(path.display().to_string());
        }
    }
    found
}

/// The files in a folder whose names end so.
fn files_named(folder: &Path, ending: &str) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(ending)).collect()
}

fn gone() -> Selector {
    Selector::new().session("gone")
}

/// The invariant after a stopped erasure: it did not happen, or nobody is given the events any more
/// and opening the store and one more call complete it.
fn is_completed_later(folder: &Path, step: u32) -> bool {
    let memory = Memory::open(folder).unwrap();
    let stats = memory.stats().unwrap();
    let is_erased = stats.open_erasures > 0 || stats.erased > 0;
    if is_erased {
        assert_eq!(memory.search(MARKER).unwrap().items.len(), 0);
        memory.maintain(MaintainBudget::default()).unwrap();
        assert_eq!(holders(folder), [""; 0], "step {step}: maintain completes");
        let stats = memory.stats().unwrap();
        assert_eq!((stats.open_erasures, stats.unclean_places.len()), (0, 0));
        assert_eq!(stats.erased, 1);
    }
    let receipt = memory.erase(&gone()).unwrap();
    assert!(receipt.is_complete, "step {step}: {receipt:?}");
    assert_eq!(receipt.count, u64::from(!is_erased));
    assert_eq!(holders(folder), [""; 0], "step {step}: erase completes");
    let checked = memory.check().unwrap();
    assert!(checked.ok, "step {step}: {:?}", checked.first_divergence);
    assert_eq!(memory.stats().unwrap().prompts, 1);
    is_erased
}

#[test]
fn an_erasure_that_fails_at_any_step_is_completed_later() {
    let mut erased = 0;
    for step in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        fill(&memory);
        assert_eq!(holders(folder.path()).len(), 4);
        fail_points::plan(Some((step, Failure::Fail)));
        let receipt = memory.erase(&gone());
        let was_reached = fail_points::passed() > step;
        fail_points::plan(None);
        if !was_reached {
            assert!(receipt.unwrap().is_complete);
            assert!(step >= 8 && erased == step, "{step} steps, {erased} erased");
            break;
        }
        // Once the events are erased, a failure leaves the erasure incomplete.
        match receipt {
            Ok(receipt) => {
                assert_eq!((receipt.count, receipt.is_complete), (1, false));
                assert!(receipt.unclean_places[0].contains("a test made this step fail"));
            }
            Err(error) => {
                let told = error.message().to_owned();
                assert!(told.contains("a test made this step fail"), "{told}");
                assert!(told.contains("the erasure is recorded"), "{told}");
            }
        }
        drop(memory);
        erased += u32::from(is_completed_later(folder.path(), step));
    }
}

/// Does nothing unless the test below started it.
#[test]
fn child_that_ends_in_the_middle() {
    let (Ok(store), Ok(step)) = (std::env::var(STORE), std::env::var(STEP)) else {
        return;
    };
    let memory = Memory::open(store).unwrap();
    fill(&memory);
    fail_points::plan(Some((step.parse().unwrap(), Failure::Abort)));
    memory.erase(&gone()).unwrap();
}

#[test]
fn an_erasure_whose_process_ends_at_any_step_is_completed_later() {
    let mut erased = 0;
    for step in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["upkeep::erase::tests::child_that_ends_in_the_middle"])
            .args(["--exact", "--test-threads=1", "--quiet"])
            .env(STORE, folder.path())
            .env(STEP, step.to_string())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        if status.success() {
            assert!(step >= 8 && erased == step, "{step} steps, {erased} erased");
            break;
        }
        erased += u32::from(is_completed_later(folder.path(), step));
    }
}

#[test]
fn an_order_stays_open_while_somebody_reads_the_old_file() {
    for is_exclusive in [false, true] {
        stays_open_while_it_is_read(is_exclusive);
    }
}

fn stays_open_while_it_is_read(is_exclusive: bool) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .exclusive(is_exclusive)
        .open(folder.path())
        .unwrap();
    fill(&memory);
    let reader = memory.engine.store.read().unwrap();
    let receipt = memory.erase(&gone()).unwrap();
    assert_eq!((receipt.count, receipt.is_complete), (1, false));
    assert!(!receipt.was_overwritten);
    assert!(
        receipt.unclean_places[0].contains("memory.1.redb"),
        "{receipt:?}"
    );
    let advice = receipt.advice.clone().unwrap();
    assert!(advice.starts_with("close the programs"), "{advice}");
    let stats = memory.stats().unwrap();
    assert_eq!(stats.open_erasures, 1);
    assert_eq!(stats.unclean_places, receipt.unclean_places);
    let found = memory.check().unwrap().first_divergence.unwrap();
    assert_eq!(found.place, "erasures");
    let seen = reader.select(&Selector::new().session("gone").selection("").unwrap());
    assert_eq!(seen.unwrap().len(), 1, "what is read stays whole");
    // A second erasure and a compaction leave the first order open.
    let second = memory.erase(&Selector::new().session("kept")).unwrap();
    assert_eq!((second.count, second.completed), (1, 0));
    assert!(!second.is_complete);
    // The folder is not smaller, and the files that are still there are why.
    let left = memory.compact().unwrap().left_files;
    assert!(left[0].ends_with("memory.1.redb"), "{left:?}");
    assert_eq!(memory.stats().unwrap().open_erasures, 2);
    assert_ne!(holders(folder.path()), [""; 0]);
    // A backup never contained the files that the orders are waiting for.
    let place = tempfile::tempdir().unwrap();
    memory.backup(place.path().join("copy")).unwrap();
    let copy = Memory::open(place.path().join("copy")).unwrap();
    assert_eq!(copy.stats().unwrap().open_erasures, 0);
    drop(reader);
    let nothing = memory.erase(&gone()).unwrap();
    assert_eq!((nothing.count, nothing.completed), (0, 2));
    assert!(nothing.is_complete && nothing.was_overwritten);
    assert_eq!(holders(folder.path()), [""; 0]);
    assert!(memory.check().unwrap().ok);
    let again = memory.erase(&gone()).unwrap();
    assert_eq!((again.completed, again.places.len()), (0, 0));
}

/// A file that stayed would keep a full disk full, whatever is erased.
#[test]
fn what_cannot_be_overwritten_for_lack_of_room_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    fill(&memory);
    fail_points::refuse("a file is overwritten", Some(ErrorKind::StorageFull));
    let receipt = memory.erase(&gone());
    fail_points::refuse("a file is overwritten", None);
    let receipt = receipt.unwrap();
    assert_eq!(
        (receipt.count, receipt.is_complete),
        (1, true),
        "{receipt:?}"
    );
    // Nobody is told that its blocks are overwritten.
    assert!(!receipt.was_overwritten, "{receipt:?}");
    let told = "old generation memory.1.redb: removed; it could not be overwritten";
    assert!(
        receipt.places.iter().any(|place| place == told),
        "{receipt:?}"
    );
    assert_eq!(holders(folder.path()), [""; 0]);
    assert_eq!(files_named(folder.path(), ".tmp"), [""; 0]);
}

#[test]
fn an_unfinished_copy_does_not_stay_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    fill(&memory);
    for step in ["a copy of a snapshot is made", "a file is overwritten"] {
        fail_points::refuse(step, Some(ErrorKind::StorageFull));
    }
    let failed = memory.erase(&gone()).unwrap_err();
    assert_eq!(failed.code(), ErrorCode::Full, "{failed}");
    assert_eq!(files_named(folder.path(), ".tmp"), [""; 0]);
    for step in ["a copy of a snapshot is made", "a file is overwritten"] {
        fail_points::refuse(step, None);
    }
    assert_eq!(
        memory
            .maintain(MaintainBudget::default())
            .unwrap()
            .erasures_completed,
        1
    );
}

#[test]
fn a_receipt_says_what_completes_the_erasure() {
    for (kind, advice) in [
        (ErrorKind::StorageFull, "make room on the disk"),
        (ErrorKind::Other, "correct what the system reports"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        fill(&memory);
        fail_points::refuse("overwrite an old generation", Some(kind));
        let receipt = memory.erase(&gone());
        fail_points::refuse("overwrite an old generation", None);
        let receipt = receipt.unwrap();
        assert!(!receipt.is_complete, "{receipt:?}");
        let told = receipt.advice.clone().unwrap();
        assert!(told.starts_with(advice), "{told}");
        assert!(told.ends_with("then call maintain()"), "{told}");
        memory.maintain(MaintainBudget::default()).unwrap();
        let receipt = memory.erase(&gone()).unwrap();
        assert_eq!((receipt.is_complete, receipt.advice), (true, None));
    }
}

#[test]
fn a_generation_that_is_open_keeps_no_later_one() {
    let folder = tempfile::tempdir().unwrap();
    let told = std::sync::Arc::new(parking_lot::Mutex::new(Vec::new()));
    let sink = told.clone();
    let memory = Memory::builder()
        .log_level(crate::LogLevel::Warn)
        .on_log(move |record| {
            sink.lock()
                .push(format!("{}: {}", record.target, record.message))
        })
        .open(folder.path())
        .unwrap();
    fill(&memory);
    let options = crate::store::StoreOptions {
        create: false,
        exclusive: false,
        cache_bytes: 1 << 20,
        busy_timeout: Duration::from_secs(60),
        allow_network_folder: true,
    };
    let (clock, ids) = (
        std::sync::Arc::new(crate::clock::SystemClock),
        std::sync::Arc::new(crate::clock::RandomIds),
    );
    // As if it were open in another process.
    let other = crate::store::Store::open_unshared(folder.path(), &options, clock, ids).unwrap();
    assert!(!memory.erase(&gone()).unwrap().is_complete);
    let waits = "upkeep: erasing waits for 1 file open elsewhere; call maintain() to finish it";
    assert_eq!(std::mem::take(&mut *told.lock()), [waits]);
    let receipt = memory.erase(&Selector::new().session("kept")).unwrap();
    assert!(!receipt.is_complete);
    let [place] = receipt.unclean_places.try_into().unwrap();
    assert!(place.contains("memory.1.redb"), "{place}");
    assert!(!folder.path().join("memory.2.redb").exists());
    assert!(!folder.path().join("index/stray").exists());
    drop(other);
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(holders(folder.path()), [""; 0]);
}

#[test]
fn no_erased_word_stays_in_the_cache_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    fill(&memory);
    for number in 0..40 {
        let text = format!("the word number {number}");
        let event = NewEvent::new(EventKind::UserPrompt, "kept", text);
        memory.append(event).unwrap();
    }
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(memory.search(MARKER).unwrap().items.len(), 1);
    assert!(memory.engine.lexical.cached_bytes() > 0);
    assert!(memory.erase(&gone()).unwrap().is_complete);
    assert_eq!(memory.engine.lexical.cached_bytes(), 0);
}

#[test]
fn text_lies_only_in_the_rows_that_are_known_to_hold_it() {
    use crate::store::projected_rows::projected::{RowKind, Rows as _};
    use crate::upkeep::erasure_targets::{Row, row_of};

    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory
        .endless()
        .set_mode(crate::rules::endless::MemoryMode::Endless)
        .unwrap();
    fill(&memory);
    let extraction = format!(
        r#"{{"schema_version": 1, "entries": [{{"id": "e", "type": "fact", "title": "{MARKER}",
            "content": "{MARKER}", "quotes": [{{"message_index": 0, "quote": "{MARKER}"}}]}}],
            "tasks": [{{"id": "t", "title": "{MARKER}", "blocked_by": ["{MARKER} is here"], "quotes": []}}]}}"#
    );
    memory.ingest("gone", &extraction).unwrap();
    memory
        .endless()
        .score_continuity("gone", &format!("src/{MARKER}.rs"))
        .unwrap();
    let rows = memory.engine.store.read().unwrap().projected().unwrap();
    let mut holding = 0;
    for kind in RowKind::ALL {
        rows.scan(*kind, &[], None, &mut |key, row| {
            let holds = [key, row].into_iter().any(|bytes| {
                bytes
                    .windows(MARKER.len())
                    .any(|part| part == MARKER.as_bytes())
            });
            holding += u32::from(holds);
            assert!(!holds || row_of(*kind) == Row::Text, "{kind:?} holds text");
            Ok(true)
        })
        .unwrap();
    }
    assert!(holding >= 8, "{holding} rows");
}

#[test]
fn a_backup_of_a_store_that_waits_for_an_erasure_carries_it_out() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    fill(&memory);
    fail_points::plan(Some((0, Failure::Fail)));
    memory.erase(&gone()).unwrap_err();
    fail_points::plan(None);
    assert_eq!(memory.stats().unwrap().open_erasures, 1);
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("copy");
    memory.backup(&copy).unwrap();
    let copied = Memory::open(&copy).unwrap();
    copied.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(copied.stats().unwrap().open_erasures, 0);
    assert_eq!(copied.stats().unwrap().erased, 1);
    assert_eq!(holders(&copy), [""; 0]);
    assert!(copied.check().unwrap().ok);
}

#[test]
fn a_limit_of_time_leaves_an_ordered_erasure_to_a_call_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    fill(&memory);
    fail_points::plan(Some((0, Failure::Fail)));
    memory.erase(&gone()).unwrap_err();
    fail_points::plan(None);
    for _ in 0..3 {
        let hurried = MaintainBudget::default().time_ms(0);
        let done = memory.maintain(hurried).unwrap();
        assert_eq!((done.open_erasures, done.requested_erasures), (1, 1));
        let stats = memory.stats().unwrap();
        assert_eq!((stats.open_erasures, stats.requested_erasures), (1, 1));
    }
    let done = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!((done.open_erasures, done.requested_erasures), (0, 0));
    assert_eq!(done.erasures_completed, 1);
    assert_eq!(memory.stats().unwrap().requested_erasures, 0);
    drop(memory);
    assert_eq!(holders(folder.path()), [""; 0]);
}

#[test]
fn an_erasure_that_waits_for_a_reader_was_carried_out() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    fill(&memory);
    let reader = memory.engine.store.read().unwrap();
    let receipt = memory.erase(&gone()).unwrap();
    assert!(!receipt.is_complete);
    let done = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!((done.open_erasures, done.requested_erasures), (1, 0));
    drop(reader);
    let done = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!((done.open_erasures, done.requested_erasures), (0, 0));
}
