use std::cell::Cell;

use super::*;
use crate::index::side_file::faults;
use crate::memory::Memory;
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::store::index_tables::vectors::WindowVector;
use crate::store::index_tables::word_files::FilesLock;
use crate::upkeep::select::Selector;

const NAME: &str = "test@1";
const DIMENSIONS: usize = 4;
const FILE: usize = 1_000;
/// What `holders` returns if there are none.
const NOWHERE: [PathBuf; 0] = [];

/// A memory without an embedder, with one vector for each of its events.
fn filled(path: &Path, events: usize) -> Memory {
    let memory = Memory::open(path).unwrap();
    let texts = (0..events).map(|n| NewEvent::new(EventKind::UserPrompt, "s", format!("w{n}")));
    memory.append_batch(texts.collect()).unwrap();
    let vectors: Vec<(u64, Vec<WindowVector>)> = (1..=events as u64)
        .map(|seq| {
            let window = WindowVector {
                window: 0,
                start: 0,
                length: 1,
                values: vec![1.0, seq as f32, 0.5, 0.25],
            };
            (seq, vec![window])
        })
        .collect();
    let store = &memory.engine.store;
    store
        .write(|tx| {
            let version = tx.activate_embedding(NAME, DIMENSIONS as u32)?;
            tx.put_vectors(version, &vectors)
        })
        .unwrap();
    memory
}

/// An index with small files.
fn index(memory: &Memory) -> VectorIndex {
    VectorIndex {
        file_vectors: FILE,
        ..VectorIndex::new(memory.engine.store.folder().index(), GraphLimits::default())
    }
}

/// The vector files, sorted.
fn paths(index: &VectorIndex) -> Vec<PathBuf> {
    let files = folder::list(&index.folder).unwrap().into_iter();
    let mut paths: Vec<PathBuf> = files.map(|named| named.path).collect();
    paths.sort();
    paths
}

/// The files with a vector of an event, sorted.
fn holders(index: &VectorIndex, seq: u64) -> Vec<PathBuf> {
    let seqs = [seq].into_iter().collect();
    let holds = |path: &PathBuf| VectorFile::open(path).unwrap().holds_any(&seqs).unwrap();
    paths(index).into_iter().filter(holds).collect()
}

/// Writes as many files as are due.
fn flush(memory: &Memory, index: &VectorIndex) {
    let store = &memory.engine.store;
    assert!(index.flush_if_due(store, NAME, &|| true).unwrap());
}

fn unclean(memory: &Memory) -> Vec<u64> {
    let read = memory.engine.store.read().unwrap();
    read.unclean_vectors().unwrap()
}

#[test]
fn what_is_forgotten_before_a_builder_has_the_turn_is_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path(), FILE + FLUSH_EVENTS as usize + 100);
    let (index, store) = (index(&memory), &memory.engine.store);
    let gone = FILE as u64 + 500;
    let is_forgotten = Cell::new(false);
    // Asked after the first file, while the turn is free.
    let has_time = || {
        if !is_forgotten.replace(true) {
            memory.forget(&Selector::new().id(Seq(gone))).unwrap();
            assert!(unclean(&memory).is_empty(), "no file had its vector");
        }
        true
    };
    assert!(index.flush_if_due(store, NAME, &has_time).unwrap());
    assert!(is_forgotten.get());
    assert_eq!(paths(&index).len(), 2);
    assert_eq!(holders(&index, gone), NOWHERE);
}

#[test]
fn files_without_vectors_of_forgotten_events_have_nothing_to_hide() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path(), FLUSH_EVENTS as usize);
    let (index, store) = (index(&memory), &memory.engine.store);
    flush(&memory, &index);
    let snapshot = || {
        let read = store.read().unwrap();
        let (version, row) = read.embedding(NAME).unwrap().unwrap();
        index.snapshot(&read, version, &row).unwrap()
    };
    let mut before = snapshot();
    memory.forget(&Selector::new().id(Seq(5))).unwrap();
    let after = snapshot();
    assert!(after.removed.contains(5) && !after.parts.is_empty());
    assert!(after.parts.iter().all(|part| part.removed.is_empty()));
    // The files of before still have its vector.
    before.removed = after.removed;
    before.hide_removed();
    let hidden: usize = before.parts.iter().map(|part| part.removed.len()).sum();
    assert_eq!(hidden, 1);
    let query = VectorQuery::new(&[1.0, 5.0, 0.5, 0.25]).unwrap();
    let found = before.search(&query, 3, VectorFilter::All).unwrap();
    assert!(found.len() == 3 && found.iter().all(|found| found.id.seq != 5));
    let all: Tombstones = (0..=FLUSH_EVENTS + 10).collect();
    for part in &before.parts {
        assert_eq!(part.file.events_of(&all).len(), part.file.len());
    }
}

#[test]
fn a_file_that_another_process_is_overwriting_is_not_clean_yet() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path(), FLUSH_EVENTS as usize);
    let (index, store) = (index(&memory), &memory.engine.store);
    flush(&memory, &index);
    index.release();
    let held = holders(&index, 5);
    let other = std::fs::File::open(&held[0]).unwrap();
    other.try_lock().unwrap();
    memory.forget(&Selector::new().id(Seq(5))).unwrap();
    assert_eq!(unclean(&memory), [5]);
    assert_eq!(store.unclean_side_files().unwrap(), held);
    // The other process died before it removed the file.
    drop(other);
    assert_eq!(holders(&index, 5), held);
    assert!(store.take_out_vectors(Duration::ZERO).unwrap());
    assert!(unclean(&memory).is_empty());
    assert_eq!(holders(&index, 5), NOWHERE);
}

#[test]
fn a_file_that_cannot_be_removed_keeps_no_other_and_is_copied_once() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path(), FILE + FLUSH_EVENTS as usize);
    let (index, store) = (index(&memory), &memory.engine.store);
    flush(&memory, &index);
    let before = paths(&index);
    let [kept] = holders(&index, 5).try_into().unwrap();
    // Another process has it mapped, and this is Windows.
    let mapped = VectorFile::open(&kept).unwrap();
    faults::put_out_of_reach(&kept);
    let both = Selector::new().id(Seq(5)).id(Seq(FILE as u64 + 5));
    memory.forget(&both).unwrap();
    assert_eq!(holders(&index, FILE as u64 + 5), NOWHERE);
    assert_eq!(unclean(&memory), [5, FILE as u64 + 5]);
    assert_eq!(paths(&index).len(), before.len() + 1);
    for _ in 0..2 {
        assert!(!store.take_out_vectors(Duration::ZERO).unwrap());
        assert_eq!(
            store.unclean_side_files().unwrap(),
            std::slice::from_ref(&kept)
        );
        assert_eq!(paths(&index).len(), before.len() + 1);
    }
    drop(mapped);
    faults::put_within_reach(&kept);
    assert!(store.take_out_vectors(Duration::ZERO).unwrap());
    assert_eq!(holders(&index, 5), NOWHERE);
    assert_eq!(paths(&index).len(), before.len());
}

#[test]
fn an_erasure_is_open_while_the_folder_cannot_be_listed() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path(), 10);
    let store = memory.engine.store.clone();
    let index = store.folder().index();
    create_private(&index).unwrap();
    let stray = index.join("stray");
    std::fs::write(&stray, "w3").unwrap();
    let orders = || store.read().unwrap().erase_orders().unwrap().len();
    faults::put_out_of_reach(&index);
    // The event is erased, so it is no error, but the receipt is not final.
    let receipt = memory.erase(&Selector::new().id(Seq(3))).unwrap();
    assert_eq!(
        (receipt.count, receipt.is_complete, orders()),
        (1, false, 1)
    );
    assert_eq!(receipt.unclean_places.len(), 1, "{receipt:?}");
    // Nor can the lock be trusted, as nobody knows what is in there.
    let turn = store.lock_files(Duration::ZERO);
    assert!(matches!(turn, FilesLock::Unreadable));
    let stopped = store.resume_erasures(Duration::ZERO).unwrap_err();
    assert_eq!(stopped.code(), ErrorCode::Io, "{stopped}");
    assert_eq!(orders(), 1);
    faults::put_within_reach(&index);
    let done = memory.maintain(crate::MaintainBudget::default()).unwrap();
    assert_eq!((done.erasures_completed, orders()), (1, 0));
    assert!(!stray.exists());
}

#[test]
fn a_rebuild_without_vectors_leaves_none_of_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let memory = filled(folder.path(), FLUSH_EVENTS as usize);
    let (index, store) = (index(&memory), &memory.engine.store);
    flush(&memory, &index);
    let [file] = paths(&index).try_into().unwrap();
    // The file outlives even the removal from the store of what is in it.
    faults::put_out_of_reach(&file);
    memory.forget(&Selector::new().id(Seq(5))).unwrap();
    let damage = |version| store.write(|tx| tx.damage_embedding_for_test(version));
    damage(1).unwrap();
    let at = crate::Timestamp::from_millis_clamped(0);
    memory.rebuild(at).unwrap();
    let unclean = store.unclean_side_files().unwrap();
    assert!(unclean.contains(&file), "{unclean:?}");
    // A worker of another process ends what it began with the old version.
    store.write(|tx| tx.with_outbox(1, |_| Ok(()))).unwrap();
    faults::put_within_reach(&file);
    assert!(store.take_out_vectors(Duration::ZERO).unwrap());
    assert_eq!(paths(&index), NOWHERE);
    // No process takes what it knows of the old version for the new one.
    let activate = || store.write(|tx| tx.activate_embedding(NAME, DIMENSIONS as u32));
    let second = activate().unwrap();
    assert!(second > 1);
    damage(second).unwrap();
    memory.rebuild(at).unwrap();
    assert!(activate().unwrap() > second);
    memory.forget(&Selector::new().id(Seq(6))).unwrap();
    let receipt = memory.erase(&Selector::new().id(Seq(7))).unwrap();
    assert!(receipt.is_complete && memory.check().unwrap().ok);
}
