//! Sharing through a folder: what is written to it, what is read from it, and what others leave
//! there.

use super::*;

#[test]
fn files_that_a_stranger_names_like_a_batch_stop_neither_push_nor_pull() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    laptop.append(prompt("s", "apples")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let identity = laptop.sharing().identity().unwrap();
    let store_folder = folder.path().join("recallite-share").join(identity);
    let last = laptop.stats().unwrap().last_seq;
    let forged = format!("{last:016x}-{:016x}-{}.jsonl", u64::MAX, "0".repeat(32));
    std::fs::write(store_folder.join(&forged), "").unwrap();
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(pulled.records, 1);
    laptop.append(prompt("s", "pears")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    assert!(!store_folder.join(forged).exists());
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(pulled.records, 1);

    // A name that fits the log and its own content, which this store did not sign.
    let forged = "{}\n{\"position\":1,\"id\":\"x\"}\n";
    let hash = &blake3::hash(forged.as_bytes()).to_hex()[..32];
    let forged_file = store_folder.join(format!("{:016x}-{last:016x}-{hash}.jsonl", 0));
    std::fs::write(&forged_file, forged).unwrap();
    laptop.append(prompt("s", "grapes")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    assert!(!forged_file.exists());
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(pulled.records, 1);

    let checked = store_folder.join("checked.json");
    let text = std::fs::read_to_string(&checked).unwrap();
    let mut fields: serde_json::Value = serde_json::from_str(&text).unwrap();
    fields["seq"] = 999_999_999.into();
    std::fs::write(&checked, fields.to_string()).unwrap();
    laptop.append(prompt("s", "plums")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(pulled.records, 1);
}

/// The files of all stores in a shared folder, with their contents.
pub(super) fn files_of(folder: &std::path::Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for store_folder in std::fs::read_dir(folder.join("recallite-share")).unwrap() {
        for file in std::fs::read_dir(store_folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.to_string_lossy().into_owned();
            files.insert(name, std::fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn a_folder_carries_everything_and_loses_what_is_erased() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (laptop.sharing(), desktop.sharing());
    let error = b.pull_folder(folder.path()).unwrap_err();
    assert_eq!(error.argument(), Some("folder"));
    a.announce(folder.path(), "the laptop").unwrap();
    let announced = b.announced(folder.path()).unwrap();
    assert_eq!(announced[0].identity, a.identity().unwrap());
    assert_eq!(announced[0].name, "the laptop");

    let told = laptop.append(prompt("s", "zqerasing soon")).unwrap();
    laptop.append(prompt("s", "to be kept")).unwrap();
    let pushed = a.push_folder(folder.path()).unwrap();
    assert_eq!((pushed.files, pushed.records, pushed.rewritten), (1, 2, 0));
    let before = files_of(folder.path());
    assert_eq!(a.push_folder(folder.path()).unwrap().files, 0);
    assert_eq!(files_of(folder.path()), before);
    let pulled = b.pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.files, pulled.records), (1, 2));
    assert_eq!(b.pull_folder(folder.path()).unwrap().files, 0);

    // The other owner erases it; its author's files lose it once the author receives the
    // order.
    desktop.erase(&Selector::new().id(told.id)).unwrap();
    b.push_folder(folder.path()).unwrap();
    let pulled = a.pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.forgotten, pulled.to_erase), (1, 1));
    let pushed = a.push_folder(folder.path()).unwrap();
    assert_eq!((pushed.files, pushed.rewritten), (0, 1));
    for (name, bytes) in files_of(folder.path()) {
        assert!(!bytes.windows(9).any(|part| part == b"zqerasing"), "{name}");
    }
    // The desktop waits for the laptop's answer, which comes once it has erased it.
    let waiting = |memory: &Memory| -> usize {
        let open = memory.sharing().unanswered_erasures(None).unwrap();
        open.iter().map(|erasure| erasure.waiting_for.len()).sum()
    };
    b.pull_folder(folder.path()).unwrap();
    assert_eq!(waiting(desktop), 1);
    let erased = a.erase_ordered().unwrap();
    assert!(erased.count == 1 && erased.is_complete, "{erased:?}");
    let again = a.erase_ordered().unwrap();
    assert!(again.count == 0 && again.is_complete, "{again:?}");
    a.push_folder(folder.path()).unwrap();
    b.pull_folder(folder.path()).unwrap();
    assert_eq!(waiting(desktop), 0);
    assert_alike(&stores, "over a folder");
}

/// Everything in a folder, with when each file was written.
fn written_in(folder: &std::path::Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let with_time = |(name, bytes): (String, Vec<u8>)| {
        let written = std::fs::metadata(&name).unwrap().modified().unwrap();
        (name, (bytes, written))
    };
    files_of(folder).into_iter().map(with_time).collect()
}

#[test]
fn a_store_that_only_receives_writes_nothing_and_answers_only_who_ordered() {
    let stores = stores(3, MemberRole::Owner);
    let folder = tempfile::tempdir().unwrap();
    let exchange = |store: &Store| {
        store.sharing().push_folder(folder.path()).unwrap();
        store.sharing().pull_folder(folder.path()).unwrap();
        store.sharing().erase_ordered().unwrap();
        store.sharing().push_folder(folder.path()).unwrap();
    };
    let [laptop, desktop, tablet] = &stores[..] else {
        unreachable!()
    };
    for store in &stores {
        let said = store.append(prompt("s", "to be erased")).unwrap();
        store.erase(&Selector::new().id(said.id)).unwrap();
    }
    for _ in 0..3 {
        stores.iter().for_each(exchange);
    }
    laptop.append(prompt("s", "a message")).unwrap();
    exchange(laptop);
    let before = written_in(folder.path());
    exchange(desktop);
    exchange(tablet);
    assert_eq!(desktop.stats().unwrap().prompts, 1);
    assert_eq!(written_in(folder.path()), before);
    // An erasure changes the answers to whoever ordered it.
    let said = desktop.append(prompt("s", "another message")).unwrap();
    exchange(desktop);
    exchange(laptop);
    exchange(tablet);
    let before = written_in(folder.path());
    desktop.erase(&Selector::new().id(said.id)).unwrap();
    exchange(desktop);
    let own = desktop.sharing().identity().unwrap();
    for store in [laptop, tablet] {
        exchange(store);
        let identity = store.sharing().identity().unwrap();
        let answers = |files: &BTreeMap<String, (Vec<u8>, std::time::SystemTime)>| {
            let of = files.iter().filter(|(name, _)| name.contains(&identity));
            let of = of.filter(|(name, _)| name.contains("answer-"));
            let of = of.filter(|(name, _)| !name.contains(&format!("{identity}/answer-{own}")));
            of.map(|(name, file)| (name.clone(), file.clone()))
                .collect::<Vec<_>>()
        };
        let after = written_in(folder.path());
        assert_eq!(answers(&after), answers(&before));
        assert_ne!(after, before);
    }
    exchange(desktop);
    assert!(
        desktop
            .sharing()
            .unanswered_erasures(None)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn several_pushers_of_one_store_write_each_record_once() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (memory, folder) = (&laptop.memory, folder.path());
            scope.spawn(move || {
                for step in 0..10 {
                    let text = format!("note {step} of {thread}");
                    memory.append(prompt("s", &text)).unwrap();
                    // On a busy machine the others may take longer than it waits.
                    while let Err(error) = memory.sharing().push_folder(folder) {
                        assert_eq!(error.code(), ErrorCode::Busy, "{error}");
                    }
                }
            });
        }
    });
    let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.records, pulled.duplicates), (40, 0));
    assert_alike(&stores, "several pushers");
}

#[test]
fn what_is_not_shared_leaves_no_gap_between_the_files() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    for step in 0..6 {
        laptop.append(prompt("s", &format!("note {step}"))).unwrap();
        laptop.sharing().push_folder(folder.path()).unwrap();
        // A local setting of the laptop, and a push without news.
        laptop
            .pauses()
            .pause(ScopeKind::Session, &format!("other {step}"))
            .unwrap();
        let pushed = laptop.sharing().push_folder(folder.path()).unwrap();
        assert_eq!(pushed.files, 0);
        let pulled = desktop.sharing().pull_folder(folder.path()).unwrap();
        assert_eq!((pulled.files, pulled.records, pulled.duplicates), (1, 1, 0));
    }
    let marks = desktop.sharing().watermarks().unwrap();
    assert_eq!(marks[0].position, laptop.stats().unwrap().last_seq - 1);
    // Read in one go, from the first file on, it is the same.
    let late = tempfile::tempdir().unwrap();
    let late = Memory::open(late.path()).unwrap();
    let identity = laptop.sharing().identity().unwrap();
    late.sharing()
        .add_member(&identity, "laptop", MemberRole::Writer)
        .unwrap();
    let pulled = late.sharing().pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.files, pulled.records), (6, 6));
    assert_eq!(late.sharing().pull_folder(folder.path()).unwrap().files, 0);
}

#[test]
fn a_folder_with_wrong_files_gives_nothing_wrong() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let sharing = desktop.sharing();
    laptop.append(prompt("s", "the only one")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let (name, bytes) = files_of(folder.path())
        .into_iter()
        .find(|(name, _)| name.ends_with(".jsonl"))
        .unwrap();
    let path = std::path::PathBuf::from(&name);
    // Half of a file, as a synchronised folder may expose it.
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = sharing.pull_folder(folder.path()).unwrap_err();
    assert_eq!(error.argument(), Some("folder"), "{error}");
    // The files of one store in the folder of another.
    std::fs::write(&path, &bytes).unwrap();
    let store_folder = path.parent().unwrap();
    let third = tempfile::tempdir().unwrap();
    let third = Memory::open(third.path()).unwrap();
    let stranger = third.sharing().identity().unwrap();
    let other = store_folder.parent().unwrap().join(&stranger);
    std::fs::create_dir(&other).unwrap();
    std::fs::copy(&path, other.join(path.file_name().unwrap())).unwrap();
    std::fs::write(other.join("member.json"), "{}").unwrap();
    let pulled = sharing.pull_folder(folder.path()).unwrap();
    assert_eq!(
        (pulled.records, pulled.strangers.as_slice()),
        (1, &[stranger.clone()][..])
    );
    assert_eq!(sharing.announced(folder.path()).unwrap(), []);
    sharing
        .add_member(&stranger, "third", MemberRole::Writer)
        .unwrap();
    let error = sharing.pull_folder(folder.path()).unwrap_err();
    assert!(error.message().contains("another store"), "{error}");
    assert_eq!(desktop.stats().unwrap().prompts, 1);
}

#[test]
fn an_answer_with_a_wrong_signature_holds_back_no_file() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    laptop.append(prompt("s", "apples")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let names = files_of(folder.path()).into_keys();
    let answer = names
        .into_iter()
        .find(|name| name.ends_with("offers.jsonl"));
    let answer = answer.unwrap();
    let text = std::fs::read_to_string(&answer).unwrap();
    let mut header: serde_json::Value = serde_json::from_str(&text).unwrap();
    header["signature"] = "00".repeat(64).into();
    std::fs::write(&answer, format!("{header}\n")).unwrap();
    let error = desktop.sharing().pull_folder(folder.path()).unwrap_err();
    assert!(error.message().contains("offers.jsonl"), "{error}");
    assert_eq!(desktop.stats().unwrap().prompts, 1);
}

/// A program that synchronises the folder keeps copies under names of its own.
#[test]
fn copies_of_its_files_are_removed_from_its_folder() {
    let stores = stores(2, MemberRole::Writer);
    let folder = tempfile::tempdir().unwrap();
    let laptop = &stores[0];
    let told = laptop.append(prompt("s", "zqerasing soon")).unwrap();
    laptop.append(prompt("s", "to be kept")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let (name, bytes) = files_of(folder.path())
        .into_iter()
        .find(|(name, bytes)| name.ends_with(".jsonl") && !bytes.is_empty())
        .unwrap();
    let path = std::path::PathBuf::from(&name);
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let copies = [
        format!("{stem} (conflicted copy 2026-11-25).jsonl"),
        format!("{stem}.sync-conflict-20261125-101112-ABCDEFG.jsonl"),
        format!("{stem} (1).jsonl"),
        format!(".{stem}.jsonl.Ab12Cd"),
    ];
    for copy in &copies {
        std::fs::write(path.with_file_name(copy), &bytes).unwrap();
    }
    let others = [
        "offers (conflicted copy).jsonl",
        "offers.sync-conflict-20261125-101112-ABCDEFG.jsonl",
        "answer-0f3c (conflicted copy).jsonl",
        "member (1).json",
        "checked-desktop.json",
    ];
    for copy in others {
        std::fs::write(path.with_file_name(copy), "{}").unwrap();
    }
    std::fs::write(path.with_file_name("notes.txt"), "of the user").unwrap();
    // Some programs copy a whole folder.
    let own = path.parent().unwrap();
    let beside = |name: &str| {
        let identity = own.file_name().unwrap().to_str().unwrap();
        let copy = own.with_file_name(format!("{identity}{name}"));
        std::fs::create_dir(&copy).unwrap();
        for file in std::fs::read_dir(own).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), copy.join(file.file_name())).unwrap();
        }
        copy
    };
    let (whole, with_notes) = (beside(" (1)"), beside(" - Copy"));
    std::fs::remove_file(whole.join("notes.txt")).unwrap();
    laptop.erase(&Selector::new().id(told.id)).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let files = files_of(folder.path());
    for (name, bytes) in &files {
        assert!(!bytes.windows(9).any(|part| part == b"zqerasing"), "{name}");
    }
    for copy in copies.iter().map(String::as_str).chain(others) {
        assert!(!files.keys().any(|name| name.contains(copy)), "{copy}");
    }
    for (name, bytes) in files {
        assert!(!name.ends_with("notes.txt") || bytes == b"of the user");
    }
    assert!(!whole.exists());
    for folder in [own, &with_notes] {
        assert!(folder.join("notes.txt").exists());
    }
    assert_eq!(std::fs::read_dir(&with_notes).unwrap().count(), 1);
    stores[1].sharing().pull_folder(folder.path()).unwrap();
    assert_eq!(stores[1].stats().unwrap().prompts, 1);
}

/// Whether a push ends by itself.
#[cfg(unix)]
fn pushes_in_time(store: &Store, folder: &std::path::Path) -> bool {
    let (memory, folder) = (store.memory.clone(), folder.to_owned());
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(memory.sharing().push_folder(&folder).map(drop)));
    let pushed = told.recv_timeout(std::time::Duration::from_secs(60));
    pushed.is_ok_and(|pushed| pushed.is_ok())
}

/// Whoever may write into the shared folder must not reach files outside it.
#[cfg(unix)]
#[test]
fn links_in_a_shared_folder_are_not_followed() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    let stores = stores(1, MemberRole::Writer);
    let folder = tempfile::tempdir().unwrap();
    let laptop = &stores[0];
    laptop.append(prompt("s", "a note")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    let identity = laptop.sharing().identity().unwrap();
    let store_folder = folder.path().join("recallite-share").join(&identity);
    // A link that is followed, or a pipe that is read, blocks for ever.
    let pipe = outside.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for name in ["offers.jsonl", "checked.json"] {
        std::fs::remove_file(store_folder.join(name)).unwrap();
        symlink(&pipe, store_folder.join(name)).unwrap();
    }
    assert!(pushes_in_time(laptop, folder.path()));
    for name in ["offers.jsonl", "checked.json"] {
        let there = store_folder.join(name);
        assert!(std::fs::symlink_metadata(&there).unwrap().is_file());
        std::fs::remove_file(&there).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&there).status();
        assert!(made.unwrap().success());
    }
    assert!(pushes_in_time(laptop, folder.path()));
    for name in [
        "x.partial-1",
        "0000000000000009-000000000000000a-0123456789abcdef0123456789abcdef (1).jsonl",
    ] {
        symlink(&victim, store_folder.join(name)).unwrap();
    }
    // Another name of the same file.
    std::fs::hard_link(&victim, store_folder.join("y.partial-1")).unwrap();
    laptop.sharing().announce(folder.path(), "laptop").unwrap();
    laptop.append(prompt("s", "another note")).unwrap();
    laptop.sharing().push_folder(folder.path()).unwrap();
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    let names = files_of(folder.path()).into_keys();
    let left: Vec<_> = names
        .filter(|name| name.contains("partial") || name.contains("(1)"))
        .collect();
    assert!(left.is_empty(), "{left:?}");

    // The folder itself.
    let elsewhere = outside.path().join("elsewhere");
    std::fs::rename(&store_folder, &elsewhere).unwrap();
    symlink(&elsewhere, &store_folder).unwrap();
    let before = files_of(folder.path());
    laptop.append(prompt("s", "a third note")).unwrap();
    let error = laptop.sharing().push_folder(folder.path()).unwrap_err();
    assert_eq!(error.argument(), Some("folder"), "{error}");
    assert_eq!(files_of(folder.path()), before);

    // The folder of all stores.
    let (other, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    symlink(outside.path(), other.path().join("recallite-share")).unwrap();
    for done in [
        laptop.sharing().push_folder(other.path()).map(drop),
        laptop.sharing().announce(other.path(), "laptop"),
    ] {
        let error = done.unwrap_err();
        assert_eq!(error.argument(), Some("folder"), "{error}");
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_store_is_announced_while_it_pushes() {
    let stores = stores(1, MemberRole::Writer);
    let laptop = &stores[0];
    let folder = tempfile::tempdir().unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                // On a busy machine it may wait for too long.
                if let Err(error) = laptop.sharing().push_folder(folder.path()) {
                    assert_eq!(error.code(), ErrorCode::Busy, "{error}");
                }
            }
        });
        let mut problem = None;
        for number in 0..100 {
            let announced = laptop
                .sharing()
                .announce(folder.path(), &format!("{number}"));
            let failed = announced
                .err()
                .filter(|error| error.code() != ErrorCode::Busy);
            problem = problem.or(failed);
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(problem.map(|error| error.to_string()), None);
    });
    assert_eq!(laptop.sharing().announced(folder.path()).unwrap().len(), 1);
}

#[test]
fn what_is_offered_again_is_read_even_if_it_no_longer_fits_into_one_file() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (laptop.sharing(), desktop.sharing());
    a.withhold(ScopeKind::Session, "diary").unwrap();
    let days = (0..10_000).map(|day| prompt("diary", &format!("day {day}")));
    laptop.append_batch(days.collect()).unwrap();
    laptop.append(prompt("s", "of all")).unwrap();
    assert_eq!(a.push_folder(folder.path()).unwrap().files, 1);
    assert_eq!(b.pull_folder(folder.path()).unwrap().records, 1);
    a.offer(ScopeKind::Session, "diary").unwrap();
    assert_eq!(a.push_folder(folder.path()).unwrap().records, 10_001);
    let pulled = b.pull_folder(folder.path()).unwrap();
    assert_eq!((pulled.records, pulled.duplicates), (10_000, 1));
    assert_eq!(a.push_folder(folder.path()).unwrap().files, 0);
}

#[test]
fn a_file_that_is_being_written_again_stops_no_pull() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    sender.append(prompt("s", "apples")).unwrap();
    sender.sharing().push_folder(&folder).unwrap();
    let store_folder = folder
        .path()
        .join("recallite-share")
        .join(sender.sharing().identity().unwrap());
    let files = || -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(&store_folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.to_string_lossy().matches('-').count() > 2)
            .collect()
    };
    let whole = files();
    // The state between writing the new file and removing the old one.
    let name = whole[0].file_name().unwrap().to_str().unwrap();
    let (range, _) = name.rsplit_once('-').unwrap();
    let old = store_folder.join(format!("{range}-{}.jsonl", "0".repeat(32)));
    std::fs::write(&old, [0; 300]).unwrap();
    assert_eq!(receiver.sharing().pull_folder(&folder).unwrap().records, 1);
    assert!(finds(receiver, "apples"));
    // On its own it is damage, and reported.
    let third = self::stores(1, MemberRole::Owner);
    let identity = sender.sharing().identity().unwrap();
    let sharing = third[0].sharing();
    sharing
        .add_member(&identity, "m", MemberRole::Owner)
        .unwrap();
    std::fs::remove_file(&whole[0]).unwrap();
    let error = sharing.pull_folder(&folder).unwrap_err();
    assert_eq!(error.argument(), Some("folder"), "{error}");
    // The next push writes what is missing.
    sender.sharing().push_folder(&folder).unwrap();
    assert_eq!(files(), whole);
    assert_eq!(sharing.pull_folder(&folder).unwrap().records, 1);
}

#[test]
fn files_that_somebody_took_away_are_written_again() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    let mut listed = Vec::new();
    for text in ["apples", "pears", "plums"] {
        sender.append(prompt("s", text)).unwrap();
        sender.sharing().push_folder(&folder).unwrap();
        let store_folder = folder.path().join("recallite-share");
        let store_folder = store_folder.join(sender.sharing().identity().unwrap());
        listed = std::fs::read_dir(store_folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().matches('-').count() > 2)
            .collect::<Vec<_>>();
        listed.sort();
    }
    assert_eq!(listed.len(), 3);
    std::fs::remove_file(&listed[1]).unwrap();
    sender.sharing().push_folder(&folder).unwrap();
    assert_eq!(receiver.sharing().pull_folder(&folder).unwrap().records, 3);
    for text in ["apples", "pears", "plums"] {
        assert!(finds(receiver, text));
    }
}
