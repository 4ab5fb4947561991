//! Opening: what is refused, with which code, and that nothing is damaged.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;

use recallite::{ErrorCode, EventKind, Memory, NewEvent};

fn code(result: recallite::Result<Memory>) -> ErrorCode {
    match result {
        Ok(_) => panic!("the store opened"),
        Err(error) => {
            assert!(!error.message().is_empty());
            error.code()
        }
    }
}

#[test]
fn a_file_an_empty_path_and_a_missing_store_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "text").unwrap();
    assert_eq!(code(Memory::open(&file)), ErrorCode::InvalidArgument);
    assert_eq!(code(Memory::open("")), ErrorCode::InvalidArgument);
    let missing = folder.path().join("missing");
    assert_eq!(
        code(Memory::builder().create(false).open(&missing)),
        ErrorCode::NotFound
    );
    assert!(!missing.exists());
    fs::create_dir(&missing).unwrap();
    assert_eq!(
        code(Memory::builder().create(false).open(&missing)),
        ErrorCode::NotFound
    );
}

#[test]
fn foreign_truncated_and_garbled_files_are_corrupt_and_stay_as_they_are() {
    for content in [
        b"this is not a store".to_vec(),
        vec![0; 4096],
        vec![0xff; 100_000],
        b"SQLite format 3\0".repeat(1000),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory.1.redb");
        fs::write(&file, &content).unwrap();
        fs::write(folder.path().join("CURRENT"), "1\n").unwrap();
        assert_eq!(code(Memory::open(folder.path())), ErrorCode::Corrupt);
        assert_eq!(fs::read(&file).unwrap(), content);
    }
}

#[test]
fn a_truncated_store_is_an_error_at_every_length() {
    let folder = tempfile::tempdir().unwrap();
    {
        let memory = Memory::open(folder.path()).unwrap();
        memory
            .append(NewEvent::new(EventKind::UserPrompt, "s", "remember this"))
            .unwrap();
    }
    let file = folder.path().join("memory.1.redb");
    let whole = fs::read(&file).unwrap();
    for part in 1..16 {
        let copy = tempfile::tempdir().unwrap();
        let length = whole.len() * part / 16;
        fs::write(copy.path().join("memory.1.redb"), &whole[..length]).unwrap();
        fs::write(copy.path().join("CURRENT"), "1\n").unwrap();
        // Either it is refused, or what can be read is right.
        if let Ok(memory) = Memory::open(copy.path()) {
            for event in memory
                .events(Default::default())
                .into_iter()
                .flatten()
                .flatten()
            {
                assert_eq!(event.content, "remember this");
            }
        }
    }
}

#[test]
fn a_current_file_that_names_nothing_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    drop(Memory::open(folder.path()).unwrap());
    fs::write(folder.path().join("CURRENT"), "one\n").unwrap();
    assert_eq!(code(Memory::open(folder.path())), ErrorCode::Corrupt);
}

#[cfg(unix)]
#[test]
fn the_folder_and_its_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/memory");
    let memory = Memory::open(&path).unwrap();
    memory
        .append(NewEvent::new(EventKind::UserPrompt, "s", "text"))
        .unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for entry in fs::read_dir(&path).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
        }
    }
}

#[test]
fn a_synchronised_folder_is_refused_unless_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Dropbox/memory");
    let error = Memory::open(&path).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Unsupported);
    assert!(error.message().contains("Dropbox"));
    Memory::builder()
        .allow_network_folder(true)
        .open(&path)
        .unwrap();
}

#[test]
fn an_exclusive_store_works_and_reopens() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..3u64 {
        let memory = Memory::builder()
            .exclusive(true)
            .open(folder.path())
            .unwrap();
        memory
            .append(NewEvent::new(
                EventKind::UserPrompt,
                "s",
                format!("round {round}"),
            ))
            .unwrap();
        assert_eq!(memory.stats().unwrap().events, round + 1);
    }
}
