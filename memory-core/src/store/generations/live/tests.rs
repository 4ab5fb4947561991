//! Tests that a store which is refused is left as it was, to the byte.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::event::{EventKind, NewEvent};
use crate::store::meta::{FORMAT, META_KEY, Meta};
use crate::store::tables;
use crate::{ErrorCode, MaintainBudget, Memory, Selector, Seq};

/// A store of which this was changed, as if by a newer library.
fn store_of(change: impl Fn(&mut Meta)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let event = NewEvent::new(EventKind::UserPrompt, "s1", "the heron is blue");
    memory.append(event).unwrap();
    let changed = memory.engine.store.write(|tx| {
        change(&mut tx.meta);
        let mut table = tx.transaction.open_table(tables::META)?;
        table.insert(META_KEY, tx.meta.encode().as_slice())?;
        Ok(())
    });
    changed.unwrap();
    folder
}

/// The names and contents of the files of a store.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.display().to_string(), std::fs::read(&path).unwrap())),
        }
    }
    found
}

/// Opens a store in every way; returns the code with which all of them are refused, if they are.
fn refusal(folder: &Path) -> Option<ErrorCode> {
    let mut codes = Vec::new();
    for (create, exclusive) in [(false, false), (true, false), (false, true), (true, true)] {
        let builder = Memory::builder().create(create).exclusive(exclusive);
        match builder.open(folder) {
            Ok(_) => return None,
            Err(error) => codes.push(error.code()),
        }
    }
    codes.dedup();
    assert_eq!(codes.len(), 1, "{codes:?}");
    codes.pop()
}

const NEWER: [fn(&mut Meta); 2] = [
    |meta| meta.format = FORMAT + 1,
    |meta| meta.incompatible = 1 << 40,
];

#[test]
fn a_store_of_a_newer_format_is_left_untouched() {
    for change in NEWER {
        let folder = store_of(change);
        let before = files(folder.path());
        assert_eq!(refusal(folder.path()), Some(ErrorCode::NewerFormat));
        assert!(files(folder.path()) == before);
        // Its first generation is found without `CURRENT`, too.
        std::fs::remove_file(folder.path().join("CURRENT")).unwrap();
        let before = files(folder.path());
        assert_eq!(refusal(folder.path()), Some(ErrorCode::NewerFormat));
        assert!(files(folder.path()) == before);
    }
}

#[test]
fn a_store_of_a_newer_format_that_was_not_closed_is_left_untouched() {
    for change in NEWER {
        let folder = store_of(|_| {});
        let memory = Memory::open(folder.path()).unwrap();
        memory
            .engine
            .store
            .write(|tx| {
                change(&mut tx.meta);
                let mut table = tx.transaction.open_table(tables::META)?;
                table.insert(META_KEY, tx.meta.encode().as_slice())?;
                Ok(())
            })
            .unwrap();
        // As a process leaves it that is killed.
        let copy = tempfile::tempdir().unwrap();
        for (name, content) in files(folder.path()) {
            let name = Path::new(&name).strip_prefix(folder.path()).unwrap();
            let path = copy.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        let before = files(copy.path());
        assert_eq!(refusal(copy.path()), Some(ErrorCode::NewerFormat));
        assert!(files(copy.path()) == before);
        drop(memory);
    }
}

#[test]
fn a_file_of_another_program_is_left_untouched() {
    let folder = store_of(|_| {});
    let file = folder.path().join("memory.1.redb");
    let whole = std::fs::read(&file).unwrap();
    let foreign = |begin: &[u8]| [begin, &whole[begin.len()..]].concat();
    let contents = [
        foreign(b"SQLite format 3\0"),
        // Nothing but the first bytes is wrong.
        foreign(b"redc"),
        b"SQLite format 3\0".repeat(1_000),
        whole[..4_096].to_vec(),
        whole[..100].to_vec(),
        whole[..whole.len() / 2].to_vec(),
        Vec::new(),
    ];
    for (number, content) in contents.iter().enumerate() {
        std::fs::write(&file, content).unwrap();
        let before = files(folder.path());
        assert_eq!(refusal(folder.path()), Some(ErrorCode::Corrupt), "{number}");
        assert!(files(folder.path()) == before, "{number}");
    }
}

#[test]
fn a_damaged_store_that_is_refused_is_left_untouched() {
    let folder = store_of(|_| {});
    let file = folder.path().join("memory.1.redb");
    let whole = std::fs::read(&file).unwrap();
    let is_blank = |page: &[u8]| page.iter().all(|byte| *byte == 0);
    let mut refused = 0;
    for (page, content) in whole.chunks(4_096).enumerate() {
        if is_blank(content) {
            continue;
        }
        let mut damaged = whole.clone();
        for byte in &mut damaged[page * 4_096..][..content.len()] {
            *byte ^= 0x5a;
        }
        std::fs::write(&file, &damaged).unwrap();
        let before = files(folder.path());
        if let Some(code) = refusal(folder.path()) {
            assert_eq!(code, ErrorCode::Corrupt, "page {page}");
            assert!(files(folder.path()) == before, "page {page}");
            refused += 1;
        }
    }
    assert!(refused > 3, "{refused}");
}

#[test]
fn a_store_that_can_only_be_read_is_read_and_not_written() {
    let folder = store_of(|meta| meta.read_only_compatible = 1 << 40);
    let memory = Memory::builder().create(false).open(folder.path()).unwrap();
    let state = || {
        let stats = memory.stats().unwrap();
        // Locking creates empty files.
        let names = files(folder.path()).into_keys();
        let names: Vec<String> = names.filter(|name| !name.ends_with(".lock")).collect();
        (stats.last_seq, stats.prompts, names)
    };
    let before = state();
    assert_eq!(memory.search("heron").unwrap().items.len(), 1);
    let one = || Selector::new().id(Seq(1));
    let event = NewEvent::new(EventKind::UserPrompt, "s1", "the heron is grey");
    let refused = [
        memory.append(event).map(drop),
        memory.maintain(MaintainBudget::default()).map(drop),
        memory.forget(&one()).map(drop),
        memory.erase(&one()).map(drop),
        memory.compact().map(drop),
    ];
    for (number, refused) in refused.into_iter().enumerate() {
        let code = refused.unwrap_err().code();
        assert_eq!(code, ErrorCode::NewerFormat, "{number}");
    }
    assert_eq!(memory.search("heron").unwrap().items.len(), 1);
    assert_eq!(state(), before);
}
