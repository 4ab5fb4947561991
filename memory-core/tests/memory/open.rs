//! Opening: what is refused, with which code, and without damaging anything.

use std::cell::RefCell;
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

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_refused_in_clear_words() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
    let error = Memory::open(&link).map(drop).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
    assert_eq!(error.argument(), Some("path"));
    assert!(
        error.message().ends_with("is a link that leads nowhere"),
        "{error}"
    );
    let missing = Memory::builder().create(false).open(&link).map(drop);
    assert_eq!(missing.unwrap_err().code(), ErrorCode::NotFound);
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
        // It is either refused, or what can be read is correct.
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

fn store_of_five_generations() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory
        .append(NewEvent::new(EventKind::UserPrompt, "s", "remember this"))
        .unwrap();
    for _ in 0..4 {
        memory.compact().unwrap();
    }
    folder
}

#[test]
fn a_store_is_found_without_the_file_that_names_it() {
    for spoiled in [None, Some("one\n"), Some(""), Some("2\n")] {
        let folder = store_of_five_generations();
        let current = folder.path().join("CURRENT");
        match spoiled {
            None => fs::remove_file(&current).unwrap(),
            Some(text) => fs::write(&current, text).unwrap(),
        }
        let memory = Memory::open(folder.path()).unwrap();
        assert_eq!(memory.stats().unwrap().events, 1, "{spoiled:?}");
        assert_eq!(fs::read_to_string(&current).unwrap(), "5\n");
        assert!(!folder.path().join("memory.1.redb").exists());
        assert_eq!(memory.compact().unwrap().generation, 6);
        assert_eq!(memory.stats().unwrap().events, 1);
    }
    // With only the name left, no new store is created in its place.
    let folder = store_of_five_generations();
    fs::remove_file(folder.path().join("memory.5.redb")).unwrap();
    let error = Memory::open(folder.path()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Corrupt);
    assert!(error.message().contains("memory.5.redb"), "{error}");
}

#[test]
fn a_file_that_is_only_called_much_like_a_store_file_is_none() {
    let folder = store_of_five_generations();
    let names = ["0", "05", "+6", "18446744073709551615"];
    let files = names.map(|name| folder.path().join(format!("memory.{name}.redb")));
    for file in &files {
        fs::write(file, "the host's own").unwrap();
    }
    fs::remove_file(folder.path().join("CURRENT")).unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    assert_eq!(memory.stats().unwrap().events, 1);
    assert_eq!(memory.compact().unwrap().generation, 6);
    for file in &files {
        assert_eq!(fs::read_to_string(file).unwrap(), "the host's own");
    }
    // Without a store there is none in them either.
    let empty = tempfile::tempdir().unwrap();
    fs::write(empty.path().join("memory.0.redb"), "the host's own").unwrap();
    let refused = Memory::builder().create(false).open(empty.path());
    assert_eq!(code(refused), ErrorCode::NotFound);
}

#[test]
fn an_emptied_store_file_is_corrupt_and_an_interrupted_creation_goes_on() {
    for lost in [false, true] {
        let folder = store_of_five_generations();
        let file = folder.path().join("memory.5.redb");
        fs::write(&file, b"").unwrap();
        if lost {
            fs::remove_file(folder.path().join("CURRENT")).unwrap();
        }
        assert_eq!(code(Memory::open(folder.path())), ErrorCode::Corrupt);
        assert_eq!(fs::metadata(&file).unwrap().len(), 0);
    }
    let whole = {
        let folder = tempfile::tempdir().unwrap();
        drop(Memory::open(folder.path()).unwrap());
        fs::read(folder.path().join("memory.1.redb")).unwrap()
    };
    // The states of a file whose creation was interrupted: empty, only a length, a first page
    // without its magic number.
    let mut unmarked = vec![0; whole.len()];
    unmarked[9..64].copy_from_slice(&whole[9..64]);
    for begun in [Vec::new(), vec![0; whole.len()], unmarked] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory.1.redb");
        fs::write(&file, &begun).unwrap();
        let refused = Memory::builder().create(false).open(folder.path());
        assert_eq!(code(refused), ErrorCode::NotFound);
        let memory = Memory::open(folder.path()).unwrap();
        assert_eq!(memory.stats().unwrap().events, 0);
        drop(memory);
        // The same file next to a `CURRENT` was a store.
        fs::write(&file, &begun).unwrap();
        assert_eq!(code(Memory::open(folder.path())), ErrorCode::Corrupt);
    }
}

#[test]
fn a_store_file_that_is_cut_off_is_no_store_of_an_old_build() {
    let folder = store_of_five_generations();
    let file = folder.path().join("memory.5.redb");
    let whole = fs::read(&file).unwrap();
    for bytes in [
        1, 7, 8, 64, 2_000, 4_063, 4_064, 4_070, 4_096, 4_100, 4_104, 9_000,
    ] {
        fs::write(&file, &whole[..bytes]).unwrap();
        let error = Memory::open(folder.path()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Corrupt, "{bytes}: {error}");
    }
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_not_changed() {
    let folder = store_of_five_generations();
    let file = folder.path().join("memory.5.redb");
    let mut newer = fs::read(&file).unwrap();
    let mut marks = 0;
    while let Some(at) = newer.windows(8).position(|bytes| bytes == b"rcl-sum1") {
        newer[at + 7] = b'2';
        marks += 1;
    }
    assert_eq!(marks, 2);
    fs::write(&file, &newer).unwrap();
    for exclusive in [false, true] {
        let open = Memory::builder().exclusive(exclusive).open(folder.path());
        let error = open.unwrap_err();
        assert_eq!(error.code(), ErrorCode::NewerFormat, "{error}");
        assert_eq!(error.argument(), Some("path"));
        assert!(fs::read(&file).unwrap() == newer);
    }
    // One damaged page does not hide what it is.
    newer[4_096..8_192].fill(0);
    fs::write(&file, &newer).unwrap();
    assert_eq!(code(Memory::open(folder.path())), ErrorCode::NewerFormat);
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

#[cfg(unix)]
fn stored(memory: &Memory, text: &str) -> recallite::Result<u64> {
    let event = NewEvent::new(EventKind::UserPrompt, "s", text);
    Ok(memory.append(event)?.seq.0)
}

/// What a handle says whose folder is not the one it opened.
#[cfg(unix)]
fn assert_out_of_place(memory: &Memory) {
    let outcomes = [
        stored(memory, "lost").err(),
        memory.search("remember").err(),
        memory
            .events(Default::default())
            .and_then(|mut events| events.next().transpose())
            .err(),
        memory.stats().err(),
        memory.maintain(Default::default()).err(),
        memory.compact().err(),
        memory
            .rebuild(recallite::Timestamp::from_millis(0).unwrap())
            .err(),
        memory.erase(&recallite::Selector::everything()).err(),
        memory.check().err(),
    ];
    for (at, error) in outcomes.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("call {at} succeeded"));
        assert_eq!(error.code(), ErrorCode::NeedsReopen, "{at}: {error}");
        assert!(
            error.message().contains("was moved, removed or replaced"),
            "{error}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_was_removed_and_made_anew_is_another_store() {
    for exclusive in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory");
        let open = || Memory::builder().exclusive(exclusive).open(&path).unwrap();
        let old = open();
        stored(&old, "remember the old one").unwrap();
        // A use of recall waits to be recorded.
        assert_eq!(old.search("remember").unwrap().items.len(), 1);
        let mut begun = old.events(Default::default()).unwrap();
        assert!(begun.next().is_some());
        fs::remove_dir_all(&path).unwrap();
        assert_out_of_place(&old);
        assert!(!path.exists(), "a call made the folder again");
        let new = open();
        assert_eq!(new.stats().unwrap().events, 0);
        stored(&new, "remember the new one").unwrap();
        assert_out_of_place(&old);
        old.close().unwrap();
        drop((old, new, begun));
        let again = open();
        let contents = again.events(Default::default()).unwrap();
        let contents: Vec<_> = contents.map(|event| event.unwrap().content).collect();
        assert_eq!(contents, ["remember the new one"]);
        assert!(again.check().unwrap().ok);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_was_moved_away_and_back_is_the_same_store() {
    let folder = tempfile::tempdir().unwrap();
    let [path, aside] = ["memory", "aside"].map(|name| folder.path().join(name));
    let memory = Memory::open(&path).unwrap();
    stored(&memory, "remember this").unwrap();
    fs::rename(&path, &aside).unwrap();
    assert_out_of_place(&memory);
    let there = Memory::open(&aside).unwrap();
    stored(&there, "remember that").unwrap();
    drop(there);
    fs::rename(&aside, &path).unwrap();
    assert_eq!(stored(&memory, "remember it all").unwrap(), 3);
    // A link in its place leads to the same file.
    fs::rename(&path, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &path).unwrap();
    assert_eq!(stored(&memory, "remember the link").unwrap(), 4);
    assert!(memory.check().unwrap().ok);
}

#[cfg(unix)]
#[test]
fn a_backup_in_the_place_of_an_open_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [path, backup, aside] = ["memory", "backup", "aside"].map(|name| folder.path().join(name));
    let old = Memory::open(&path).unwrap();
    stored(&old, "remember this").unwrap();
    old.backup(&backup).unwrap();
    stored(&old, "remember that").unwrap();
    fs::rename(&path, &aside).unwrap();
    fs::rename(&backup, &path).unwrap();
    assert_out_of_place(&old);
    let restored = Memory::open(&path).unwrap();
    assert_eq!(restored.stats().unwrap().events, 1);
    assert_eq!(stored(&restored, "remember it all").unwrap(), 2);
    assert_out_of_place(&old);
    assert_eq!(Memory::open(&aside).unwrap().stats().unwrap().events, 2);
}

#[test]
fn a_memory_works_in_the_last_moments_of_a_thread() {
    struct Last(Option<Memory>);

    impl Drop for Last {
        fn drop(&mut self) {
            let memory = self.0.take().unwrap();
            stored(&memory, "remember the last words").unwrap();
            assert_eq!(memory.search("last words").unwrap().items[0].seq.0, 2);
            memory.close().unwrap();
        }
    }

    thread_local! {
        static LAST: RefCell<Last> = const { RefCell::new(Last(None)) };
    }
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    // Set before the library sets its own, and so destroyed after them; a static of C++ is, too.
    let at_end = memory.clone();
    let thread = std::thread::spawn(move || {
        LAST.with_borrow_mut(|last| last.0 = Some(at_end));
        stored(&memory, "remember the first words").unwrap();
        memory.search("first").unwrap();
    });
    thread.join().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    // Two events, and what recall had noted, which `close` writes.
    assert_eq!(memory.stats().unwrap().events, 3);
}

/// A backup's file under the name of a lost one would be replaced by a generation with a number of
/// its own, and what is erased would stay in it.
#[test]
fn a_store_file_under_another_name_is_refused_until_it_has_its_own_again() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory
        .append(NewEvent::new(EventKind::UserPrompt, "s", "hello"))
        .unwrap();
    memory.compact().unwrap();
    memory.close().unwrap();
    let own = folder.path().join("memory.2.redb");
    for (name, current) in [
        ("memory.5.redb", "5"),
        ("memory.3.redb", "3"),
        ("memory.1.redb", "1"),
    ] {
        let other = folder.path().join(name);
        fs::rename(&own, &other).unwrap();
        fs::write(folder.path().join("CURRENT"), current).unwrap();
        let error = Memory::open(folder.path()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Corrupt, "{error}");
        let told = format!("{name} was memory.2.redb when it was written");
        assert!(error.message().contains(&told), "{error}");
        fs::rename(&other, &own).unwrap();
    }
    fs::write(folder.path().join("CURRENT"), "2").unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    assert_eq!(memory.stats().unwrap().events, 1);
}

/// A folder in which a store with events lost all its files of events is not a new one.
#[test]
fn a_store_whose_files_are_all_gone_is_not_begun_anew() {
    for leaves_index in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let event = NewEvent::new(EventKind::UserPrompt, "s", "hello");
        memory.append(event).unwrap();
        memory.compact().unwrap();
        memory.close().unwrap();
        let index = folder.path().join("index");
        if leaves_index {
            fs::create_dir_all(&index).unwrap();
            fs::remove_file(folder.path().join("build.lock")).unwrap();
        } else if index.exists() {
            fs::remove_dir_all(&index).unwrap();
        }
        fs::remove_file(folder.path().join("CURRENT")).unwrap();
        fs::remove_file(folder.path().join("memory.2.redb")).unwrap();
        assert_eq!(code(Memory::open(folder.path())), ErrorCode::Corrupt);
        assert!(!folder.path().join("memory.1.redb").exists());
    }
}
