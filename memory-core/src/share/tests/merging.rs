//! Tests of small files that are merged in a shared folder.

use std::path::{Path, PathBuf};

use super::folder::files_of;
use super::*;
use crate::Appended;

/// How many small files there are at most.
const MAX_FILES: usize = 32;

/// The files of batches in a folder, in order.
fn batches_in(folder: &Path) -> Vec<PathBuf> {
    let names = files_of(folder).into_keys().map(PathBuf::from);
    let is_batch = |path: &PathBuf| path.to_string_lossy().matches('-').count() >= 3;
    names.filter(is_batch).collect()
}

/// Shares one more note through a folder.
fn push_note(store: &Store, folder: &Path, text: &str) -> Appended {
    let note = store.append(prompt("s", text)).unwrap();
    let pushed = store.sharing().push_folder(folder).unwrap();
    assert_eq!((pushed.files, pushed.records), (1, 1));
    note
}

/// A store that knows another one and has nothing of it.
fn reader_of(store: &Store) -> Store {
    let reader = stores(1, MemberRole::Writer).remove(0);
    trust(&reader, store, MemberRole::Writer);
    reader
}

#[test]
fn a_folder_has_few_files_after_many_rounds() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, quick, slow] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let mut gone = None;
    for round in 0..150 {
        let note = push_note(laptop, folder.path(), &format!("zqnote {round}"));
        gone = gone.or((round == 40).then_some(note.id));
        assert!(batches_in(folder.path()).len() <= MAX_FILES);
        let pulled = quick.sharing().pull_folder(folder.path()).unwrap();
        assert_eq!(pulled.records, 1, "{round}");
        // It has a part of what is merged before it comes again.
        if round % 47 == 0 {
            slow.sharing().pull_folder(folder.path()).unwrap();
        }
    }
    slow.sharing().pull_folder(folder.path()).unwrap();
    assert_alike(&stores, "after many rounds");
    for reader in [quick, slow] {
        let pulled = reader.sharing().pull_folder(folder.path()).unwrap();
        assert_eq!((pulled.files, pulled.records), (0, 0));
    }
    // A push without news changes nothing, and an erasure reaches the merged files.
    let before = files_of(folder.path());
    let pushed = laptop.sharing().push_folder(folder.path()).unwrap();
    assert_eq!((pushed.files, pushed.rewritten), (0, 0));
    assert_eq!(files_of(folder.path()), before);
    let gone = Selector::new().id(gone.unwrap());
    laptop.erase(&gone).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    for (name, bytes) in files_of(folder.path()) {
        assert!(!bytes.windows(9).any(|part| part == b"zqnote 40"), "{name}");
    }
    for reader in [quick, slow] {
        reader.sharing().pull_folder(folder.path()).unwrap();
        reader.sharing().erase_ordered().unwrap();
    }
    assert_alike(&stores, "after an erasure");
}

/// The merged file is in place before the others are removed, one after the other.
#[test]
fn a_push_that_is_killed_while_it_merges_loses_nothing() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, half] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    for round in 1..MAX_FILES {
        push_note(laptop, folder.path(), &format!("note {round}"));
        if round == MAX_FILES / 2 {
            half.sharing().pull_folder(folder.path()).unwrap();
        }
    }
    let mut small = files_of(folder.path());
    push_note(laptop, folder.path(), "the last one");
    let merged = files_of(folder.path());
    assert_eq!(batches_in(folder.path()).len(), 1);
    small.retain(|name, _| !merged.contains_key(name));
    assert_eq!(small.len(), MAX_FILES - 1);
    for removed in 0..=small.len() {
        for (at, (name, bytes)) in small.iter().enumerate() {
            match at {
                _ if at > removed => std::fs::write(name, bytes).unwrap(),
                // It was being overwritten.
                _ if at == removed => std::fs::write(name, vec![0; bytes.len()]).unwrap(),
                _ => assert!(!Path::new(name).exists()),
            }
        }
        // Whoever reads now takes everything, whatever it had before.
        let late = reader_of(laptop);
        let readers = match removed {
            0 => vec![&late, half],
            _ => vec![&late],
        };
        for reader in readers {
            reader.sharing().pull_folder(folder.path()).unwrap();
            assert_eq!(shared_by(reader), shared_by(laptop), "{removed}");
        }
        // The next push goes on with files that follow on each other.
        laptop.sharing().push_folder(folder.path()).unwrap();
        let again = reader_of(laptop);
        let pulled = again.sharing().pull_folder(folder.path()).unwrap();
        assert_eq!((pulled.records, pulled.duplicates), (MAX_FILES as u64, 0));
        let pulled = late.sharing().pull_folder(folder.path()).unwrap();
        assert_eq!(pulled.records, 0);
        for name in batches_in(folder.path()) {
            std::fs::remove_file(name).unwrap();
        }
        for (name, bytes) in &merged {
            std::fs::write(name, bytes).unwrap();
        }
    }
}

/// It listed the folder before the files were merged.
#[test]
fn a_reader_whose_file_is_gone_takes_the_merged_one() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    for round in 1..MAX_FILES {
        push_note(laptop, folder.path(), &format!("note {round}"));
    }
    let small = files_of(folder.path());
    push_note(laptop, folder.path(), "the last one");
    let merged = batches_in(folder.path());
    let whole = std::fs::read(&merged[0]).unwrap();
    // A program that synchronises the folder brings the merged file last, and the small ones that
    // are overwritten before that.
    std::fs::remove_file(&merged[0]).unwrap();
    let names: Vec<&String> = small
        .keys()
        .filter(|it| it.matches('-').count() >= 3)
        .collect();
    for name in &names[..4] {
        std::fs::write(name, &small[*name]).unwrap();
    }
    std::fs::write(names[2], vec![0; 300]).unwrap();
    let error = desktop.sharing().pull_folder(folder.path()).unwrap_err();
    assert!(error.message().contains("pull again later"), "{error}");
    assert_eq!(desktop.sharing().watermarks().unwrap()[0].position, 2);
    std::fs::write(&merged[0], &whole).unwrap();
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(
        (pulled.records, pulled.duplicates),
        (MAX_FILES as u64 - 3, 3)
    );
    assert_alike(&stores, "after a gap");
}
