//! Tests the guarantees of stores that share: erased text is gone, nothing reaches further
//! than allowed, and nothing is lost, even if clocks, copies, rights and the order of
//! arrival work against them.

use std::path::Path;

use super::folder::files_of;
use super::*;
use crate::model::event::Dedupe;
use crate::model::hex::hex;
use crate::rules::endless::MemoryMode;
use crate::rules::entries::EntryId;

fn ended(summary: &str) -> SessionUpdate {
    SessionUpdate {
        ended: Some("2026-03-01T10:00:00Z".parse().unwrap()),
        summary: Some(summary.to_owned()),
        ..SessionUpdate::default()
    }
}

/// Whether any file of a store contains a text.
pub(super) fn is_in_files(store: &Memory, text: &str) -> bool {
    let is_in = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    std::fs::read_dir(store.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .any(|path| path.is_file() && is_in(&path))
}

#[test]
fn a_store_that_comes_after_an_erasure_has_the_same_hash() {
    let mut stores = stores(2, MemberRole::Owner);
    let told = stores[0].append(prompt("s", "zqword spoken")).unwrap();
    stores[0].append(prompt("s", "spoken afterwards")).unwrap();
    stores[0].update_session("s", ended("of zqword")).unwrap();
    settle(&stores);
    stores[0].erase(&Selector::new().id(told.id)).unwrap();
    settle(&stores);
    let third = newcomer(&stores);
    stores.push(third);
    assert_alike(&stores, "a newcomer");
}

#[test]
fn a_task_is_not_refused_because_another_store_was_at_the_same_position() {
    let stores = stores(2, MemberRole::Owner);
    let task = |title: &str| NewTask {
        title: title.to_owned(),
        ..NewTask::default()
    };
    stores[0].append(prompt("s", "one")).unwrap();
    stores[0].tasks().create(&task("water the plants")).unwrap();
    send(&stores[0], &stores[1]).unwrap();
    // Its log is as long as the other one was: the next call of either may conflict.
    for number in 0..4 {
        let title = format!("task number {number}");
        stores[0].tasks().create(&task(&title)).unwrap();
        send(&stores[0], &stores[1]).unwrap();
        let title = format!("another task {number}");
        stores[1].tasks().create(&task(&title)).unwrap();
    }
    // What one store did in a call goes without what another one did in one of its own.
    let act = stores[0].changes_since(crate::Seq(0), 100).unwrap();
    let created = act
        .iter()
        .find(|event| event.kind == EventKind::TaskCreated)
        .unwrap();
    stores[0].erase(&Selector::new().id(created.id)).unwrap();
    settle(&stores);
    let all = TaskFilter {
        project: ProjectScope::All,
        ..TaskFilter::default()
    };
    assert_eq!(stores[1].tasks().list(&all).unwrap().len(), 8);
    assert_alike(&stores, "tasks at the same positions");
}

#[test]
fn a_clock_years_ahead_leaves_all_stores_alike() {
    let (far, far_clock) = store_at("2040-01-01T00:00:00Z");
    let (near, _) = store_at("2026-01-01T00:00:00Z");
    trust(&far, &near, MemberRole::Owner);
    trust(&near, &far, MemberRole::Owner);
    let title = "water the plants".to_owned();
    let task = near
        .tasks()
        .create(&NewTask {
            title,
            ..NewTask::default()
        })
        .unwrap();
    let stores = [far, near];
    settle(&stores);
    let [far, near] = &stores;
    far.tasks()
        .change_status(&task.id, TaskStatus::InProgress, &[])
        .unwrap();
    send(far, near).unwrap();
    // It comes after events from the future, which came before it.
    near.tasks().rename(&task.id, "water all plants").unwrap();
    let _ = near.tasks().change_status(&task.id, TaskStatus::Done, &[]);
    near.knowledge()
        .add_entry(&NewEntry::new(EntryType::Fact, "s", "plants", "need water"))
        .unwrap();
    assert_eq!(near.check().unwrap().first_divergence, None);
    settle(&stores);
    assert_alike(&stores, "a clock ahead");
    let rebuilt = stores[1]
        .rebuild(Timestamp::from_millis_clamped(0))
        .unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    // The clock is corrected.
    far_clock.advance_ms(-14 * 365 * 24 * 60 * 60 * 1000);
    let [far, near] = &stores;
    far.tasks().rename(&task.id, "renamed in time").unwrap();
    near.tasks().rename(&task.id, "renamed at last").unwrap();
    settle(&stores);
    assert_alike(&stores, "a clock set right");
}

/// A copy of a store's folder, including its identity.
pub(super) fn twin(store: &Memory) -> Store {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(store.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    Store {
        memory: Memory::open(folder.path()).unwrap(),
        _folder: folder,
    }
}

#[test]
fn a_copied_folder_is_told_over_files_and_spoils_none() {
    let stores = stores(2, MemberRole::Owner);
    let (laptop, desktop) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    laptop.append(prompt("s", "before the copy")).unwrap();
    laptop.sharing().push_folder(&folder).unwrap();
    let copy = twin(laptop);
    laptop.append(prompt("s", "on the laptop")).unwrap();
    laptop.sharing().push_folder(&folder).unwrap();
    let before = files_of(folder.path());
    // Behind, equal to, and ahead of what the laptop wrote; and as the only one that still
    // knows what was compared.
    let refused = |code: ErrorCode| {
        let error = copy.sharing().push_folder(&folder).unwrap_err();
        assert_eq!(
            (error.code(), error.argument()),
            (code, Some("folder")),
            "{error}"
        );
        let mut after = files_of(folder.path());
        let mut before = before.clone();
        after.retain(|name, _| !name.ends_with("checked.json"));
        before.retain(|name, _| !name.ends_with("checked.json"));
        assert_eq!(after, before);
    };
    refused(ErrorCode::InvalidArgument);
    copy.append(prompt("s", "on the copy")).unwrap();
    refused(ErrorCode::AlreadyExists);
    for number in 0..5 {
        copy.append(prompt("s", &format!("on the copy, number {number}")))
            .unwrap();
        refused(ErrorCode::AlreadyExists);
    }
    for (name, _) in files_of(folder.path()) {
        if name.ends_with("checked.json") {
            std::fs::remove_file(name).unwrap();
        }
    }
    refused(ErrorCode::AlreadyExists);
    // With its own identity, everything from both arrives.
    copy.sharing().renew_identity().unwrap();
    copy.sharing().push_folder(&folder).unwrap();
    trust(desktop, &copy, MemberRole::Owner);
    desktop.sharing().pull_folder(&folder).unwrap();
    for text in ["before the copy", "on the laptop", "on the copy, number 4"] {
        assert!(finds(desktop, text), "{text}");
    }
}

#[test]
fn a_damaged_file_is_written_again() {
    let stores = stores(2, MemberRole::Owner);
    let (laptop, desktop) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    laptop.append(prompt("s", "apples")).unwrap();
    laptop.sharing().push_folder(&folder).unwrap();
    let files = files_of(folder.path());
    let (name, bytes) = files
        .iter()
        .find(|(name, _)| name.ends_with(".jsonl"))
        .unwrap();
    std::fs::write(name, &bytes[..bytes.len() / 2]).unwrap();
    desktop.sharing().pull_folder(&folder).unwrap_err();
    let pushed = laptop.sharing().push_folder(&folder).unwrap();
    assert_eq!((pushed.files, pushed.rewritten), (0, 1));
    assert_eq!(&std::fs::read(name).unwrap(), bytes);
    assert_eq!(desktop.sharing().pull_folder(&folder).unwrap().records, 1);
    assert_eq!(laptop.sharing().push_folder(&folder).unwrap().rewritten, 0);
}

/// Puts a batch in a store's folder of a shared folder, in place of another one.
fn put_in_place(folder: &Path, of: &Memory, lines: &str) {
    let identity = of.sharing().identity().unwrap();
    let is_batch = |name: &String| {
        name.contains(&identity) && name.ends_with(".jsonl") && !name.ends_with("offers.jsonl")
    };
    let old = files_of(folder).into_keys().find(is_batch);
    let old = old.unwrap();
    let (range, _) = old.rsplit_once('-').unwrap();
    let hash = hex(&blake3::hash(lines.as_bytes()).as_bytes()[..16]);
    std::fs::remove_file(&old).unwrap();
    std::fs::write(format!("{range}-{hash}.jsonl"), lines).unwrap();
}

#[test]
fn what_lies_behind_a_file_that_cannot_be_taken_is_read_once() {
    let stores = stores(2, MemberRole::Writer);
    let (laptop, desktop) = (&stores[0], &stores[1]);
    let identity = laptop.sharing().identity().unwrap();
    let folder = tempfile::tempdir().unwrap();
    // A file is full with 1,000 records.
    let apples = (0..3_500).map(|number| prompt("s", &format!("apple {number}")));
    laptop.append_batch(apples.collect()).unwrap();
    assert_eq!(laptop.sharing().push_folder(&folder).unwrap().files, 4);
    let is_second = |name: &&String| name.contains("/00000000000003e8-");
    let names: Vec<String> = files_of(folder.path()).into_keys().collect();
    let second = names.iter().find(is_second).unwrap();
    let whole = std::fs::read(second).unwrap();
    std::fs::write(second, "no batch").unwrap();
    desktop.sharing().pull_folder(&folder).unwrap_err();
    assert_eq!(desktop.stats().unwrap().events, 2_500);
    assert_eq!(desktop.sharing().watermarks().unwrap()[0].position, 1_000);
    // Nothing else is read: it could not be.
    for name in names.iter().filter(|name| name.contains("/0000")) {
        if name != second {
            std::fs::write(name, "no batch either").unwrap();
        }
    }
    let error = desktop.sharing().pull_folder(&folder).unwrap_err();
    assert!(error.message().contains(second), "{error}");
    std::fs::write(second, &whole).unwrap();
    let pulled = desktop.sharing().pull_folder(&folder).unwrap();
    assert_eq!((pulled.files, pulled.records), (1, 1_000));
    assert_eq!(desktop.sharing().watermarks().unwrap()[0].position, 3_500);
    assert_eq!(desktop.sharing().pull_folder(&folder).unwrap().files, 0);
    // Added again, all of it is read.
    assert_eq!(laptop.sharing().push_folder(&folder).unwrap().rewritten, 3);
    desktop.sharing().remove_member(&identity).unwrap();
    trust(desktop, laptop, MemberRole::Writer);
    let pulled = desktop.sharing().pull_folder(&folder).unwrap();
    assert_eq!((pulled.files, pulled.duplicates), (4, 3_500));
}

#[test]
fn what_cannot_be_taken_from_a_folder_is_told_with_its_file_store_and_position() {
    let stores = stores(2, MemberRole::Writer);
    let (laptop, desktop) = (&stores[0], &stores[1]);
    laptop.append(prompt("s", "apples")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    laptop.sharing().push_folder(&folder).unwrap();
    let lines = laptop.sharing().batch_since(0, 10).unwrap().lines;
    let newer_kind = SharedRecord {
        kind: "dream".to_owned(),
        ..records_of(laptop).remove(0)
    };
    let identity = laptop.sharing().identity().unwrap();
    let newer = "\"recallite_share\":7";
    let cases = [
        (
            lines.replace("\"recallite_share\":1", newer),
            ErrorCode::NewerFormat,
            "up to 1",
        ),
        (
            signed_by(laptop, BatchHeader::default(), vec![newer_kind]),
            ErrorCode::NewerFormat,
            "position 1",
        ),
        (
            "{}\n".to_owned(),
            ErrorCode::InvalidArgument,
            "0000000000000001",
        ),
    ];
    for (lines, code, place) in cases {
        put_in_place(folder.path(), laptop, &lines);
        let error = desktop.sharing().pull_folder(&folder).unwrap_err();
        assert_eq!((error.code(), error.argument()), (code, Some("folder")));
        for part in [identity.as_str(), place, ".jsonl"] {
            assert!(error.message().contains(part), "{part}: {error}");
        }
    }
    // Whoever has only the lines learns whose they are.
    let error = desktop
        .sharing()
        .receive(&lines.replace("\"recallite_share\":1", newer));
    let error = error.unwrap_err();
    assert!(error.message().contains(&identity), "{error}");
    desktop.sharing().remove_member(&identity).unwrap();
    let error = desktop.sharing().receive(&lines).unwrap_err();
    assert!(error.message().contains("up to 1,"), "{error}");
    // An identity that is none is not repeated.
    let rude = format!("{{{newer},\"identity\":\"zqrude\"}}");
    let error = desktop.sharing().receive(&rude).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NewerFormat);
    assert!(!error.message().contains("zqrude"), "{error}");
}

/// The identities that an erasure of a store is waiting for, and those that declined it.
pub(super) fn open_erasures(store: &Memory) -> (Vec<String>, Vec<String>) {
    let open = store.sharing().unanswered_erasures(None).unwrap();
    let waiting = open.iter().flat_map(|it| it.waiting_for.clone()).collect();
    let declined = open.iter().flat_map(|it| it.declined_by.clone()).collect();
    (waiting, declined)
}

#[test]
fn what_is_declined_is_told_and_carried_out_when_its_author_becomes_an_owner() {
    let stores = stores(2, MemberRole::Writer);
    let (laptop, desktop) = (&stores[0], &stores[1]);
    let told = desktop.append(prompt("s", "zqdeclined word")).unwrap();
    let later = desktop.append(prompt("s", "another word")).unwrap();
    settle(&stores);
    let name = desktop.sharing().identity().unwrap();
    laptop.erase(&Selector::new().id(told.id)).unwrap();
    send(laptop, desktop).unwrap();
    desktop.sharing().erase_ordered().unwrap();
    send(desktop, laptop).unwrap();
    assert_eq!(open_erasures(laptop), (vec![], vec![name.clone()]));
    assert!(desktop.event(told.id).unwrap().is_some());
    // Forgotten ones as well, and those still to come.
    laptop.forget(&Selector::new().id(later.id)).unwrap();
    send(laptop, desktop).unwrap();
    assert!(desktop.event(later.id).unwrap().is_some());
    trust(desktop, laptop, MemberRole::Owner);
    assert!(desktop.event(told.id).unwrap().is_none());
    assert!(desktop.event(later.id).unwrap().is_none());
    send(desktop, laptop).unwrap();
    assert_eq!(open_erasures(laptop), (vec![], vec![name]));
    assert_eq!(desktop.sharing().erase_ordered().unwrap().count, 1);
    send(desktop, laptop).unwrap();
    assert_eq!(open_erasures(laptop), (vec![], vec![]));
    assert!(!is_in_files(desktop, "zqdeclined"));
    assert_alike(&stores, "carried out at last");
    // The store that it came from is an owner to the one that comes later, or is not.
    for role in [MemberRole::Owner, MemberRole::Writer] {
        let mut made = self::stores(1, MemberRole::Owner);
        let third = made.remove(0);
        trust(&third, laptop, role);
        let orders = laptop.sharing().batch_since(0, 1_000).unwrap();
        third.sharing().receive(&orders.lines).unwrap();
        assert!(third.check().unwrap().ok);
        trust(&third, laptop, MemberRole::Owner);
        trust(&third, desktop, MemberRole::Owner);
        assert!(third.check().unwrap().ok);
    }
}

#[test]
fn what_was_declined_is_settled_once_nothing_of_it_is_left() {
    for is_erased_by_itself in [false, true] {
        let stores = stores(2, MemberRole::Writer);
        let (laptop, desktop) = (&stores[0], &stores[1]);
        let told = laptop.append(prompt("s", "the gate is zqgreen")).unwrap();
        settle(&stores);
        let entry = NewEntry {
            event: Some(told.id.into()),
            ..NewEntry::new(EntryType::Fact, "s", "gate", "the gate is zqgreen")
        };
        desktop.knowledge().add_entry(&entry).unwrap();
        let said = desktop.append(prompt("t", "zqgreen it is")).unwrap();
        settle(&stores);
        laptop.erase(&Selector::new().id(told.id)).unwrap();
        if is_erased_by_itself {
            laptop.erase(&Selector::new().id(said.id)).unwrap();
        }
        let name = desktop.sharing().identity().unwrap();
        send(laptop, desktop).unwrap();
        send(desktop, laptop).unwrap();
        let (waiting, declined) = open_erasures(laptop);
        assert!(waiting.contains(&name) && declined.contains(&name));
        // It erases its entry with what that quotes.
        desktop.sharing().erase_ordered().unwrap();
        send(desktop, laptop).unwrap();
        let mut left = Vec::new();
        if is_erased_by_itself {
            left.push(name);
        }
        assert_eq!(open_erasures(laptop), (vec![], left));
        if is_erased_by_itself {
            desktop.erase(&Selector::new().id(said.id)).unwrap();
            send(desktop, laptop).unwrap();
            assert!(!is_in_files(desktop, "zqgreen"));
        }
        assert_eq!(open_erasures(laptop), (vec![], vec![]));
    }
}

#[test]
fn an_order_is_answered_when_no_file_holds_the_text_any_more() {
    let stores = stores(2, MemberRole::Owner);
    let (laptop, desktop) = (&stores[0], &stores[1]);
    let told = laptop.append(prompt("s", "zqstill there")).unwrap();
    laptop.append(prompt("s", "to be kept")).unwrap();
    settle(&stores);
    laptop.erase(&Selector::new().id(told.id)).unwrap();
    send(laptop, desktop).unwrap();
    let name = desktop.sharing().identity().unwrap();
    let reader = desktop.enter().unwrap().store.read().unwrap();
    for _ in 0..2 {
        let erased = desktop.sharing().erase_ordered().unwrap();
        assert!(!erased.is_complete, "{erased:?}");
        send(desktop, laptop).unwrap();
        assert_eq!(open_erasures(laptop), (vec![name.clone()], vec![]));
    }
    drop(reader);
    assert!(desktop.sharing().erase_ordered().unwrap().is_complete);
    assert!(!is_in_files(desktop, "zqstill"));
    send(desktop, laptop).unwrap();
    assert_eq!(open_erasures(laptop), (vec![], vec![]));
}

#[test]
fn an_order_is_not_passed_on_by_those_who_obey_it() {
    let stores = stores(4, MemberRole::Writer);
    let [owner, author, middle, careful] = &stores[..] else {
        unreachable!()
    };
    trust(middle, owner, MemberRole::Owner);
    trust(careful, middle, MemberRole::Owner);
    let told = author.append(prompt("s", "what the author said")).unwrap();
    let late = author.append(prompt("s", "what arrives late")).unwrap();
    send(author, owner).unwrap();
    send(author, careful).unwrap();
    let first = author.sharing().batch_since(0, 1).unwrap();
    middle.sharing().receive(&first.lines).unwrap();
    for id in [told.id, late.id] {
        owner.erase(&Selector::new().id(id)).unwrap();
    }
    send(owner, middle).unwrap();
    assert_eq!(send(author, middle).unwrap().refused, 1);
    middle.sharing().erase_ordered().unwrap();
    assert!(middle.event(told.id).unwrap().is_none());
    // What it refuses comes again under another name.
    author.sharing().renew_identity().unwrap();
    for store in [middle, careful] {
        trust(store, author, MemberRole::Writer);
        assert_eq!(send(author, store).unwrap().duplicates, 2);
    }
    send(middle, careful).unwrap();
    send(owner, careful).unwrap();
    careful.sharing().erase_ordered().unwrap();
    for id in [told.id, late.id] {
        assert!(careful.event(id).unwrap().is_some());
    }
    // What the one who obeys recorded about it goes everywhere: that is its own.
    for store in &stores {
        assert!(store.check().unwrap().ok);
    }
}

#[test]
fn own_words_are_recorded_although_a_member_recorded_the_same_and_outlast_its_erasure() {
    let key = Dedupe::Key("message 1".to_owned());
    for (dedupe, is_renewed) in [
        (Dedupe::Content, false),
        (Dedupe::Content, true),
        (key, false),
    ] {
        let stores = stores(2, MemberRole::Writer);
        let [writer, reader] = &stores[..] else {
            unreachable!()
        };
        let same = || prompt("s", "zqsame words").dedupe(dedupe.clone());
        let theirs = writer.append(same()).unwrap();
        send(writer, reader).unwrap();
        let own = reader.append(same()).unwrap();
        assert!(!own.duplicate && own.id != theirs.id, "{dedupe:?}");
        if is_renewed {
            reader.sharing().renew_identity().unwrap();
            trust(writer, reader, MemberRole::Writer);
        }
        settle(&stores);
        for store in &stores {
            let again = store.append(same()).unwrap();
            let first = if std::ptr::eq(store, reader) {
                &own
            } else {
                &theirs
            };
            assert_eq!((again.duplicate, again.id), (true, first.id), "{dedupe:?}");
        }
        writer.erase(&Selector::new().id(theirs.id)).unwrap();
        settle(&stores);
        assert!(reader.event(theirs.id).unwrap().is_none());
        for store in &stores {
            let event = store.event(own.id).unwrap().unwrap();
            assert_eq!(event.content, "zqsame words");
            assert!(finds(store, "zqsame"));
        }
        assert!(reader.append(same()).unwrap().duplicate);
        assert_alike(&stores, "the same words twice");
        let rebuilt = reader.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
        assert!(reader.append(same()).unwrap().duplicate);
    }
}

#[test]
fn a_store_cannot_claim_what_another_one_made_and_have_it_erased() {
    let stores = stores(2, MemberRole::Writer);
    let (author, victim) = (&stores[0], &stores[1]);
    let entry = NewEntry::new(EntryType::Fact, "s", "gate", "The gate is green.");
    let entry = victim.knowledge().add_entry(&entry).unwrap();
    let other = NewEntry::new(EntryType::Fact, "s", "fence", "The fence is red.");
    author.knowledge().add_entry(&other).unwrap();
    let batch = author.sharing().batch_since(0, 10).unwrap();
    let line = batch
        .lines
        .lines()
        .find(|line| line.contains("entry created"))
        .unwrap();
    let signer = crate::share::keys::signer(author.enter().unwrap()).unwrap();
    // It claims to have made the victim's entry, long before.
    let mut claim: SharedRecord = serde_json::from_str(line).unwrap();
    let mut payload: serde_json::Value =
        serde_json::from_str(claim.metadata.as_deref().unwrap()).unwrap();
    payload["entry_id"] = entry.entry.id.as_str().into();
    claim.metadata = Some(crate::model::json::canonical_text(&payload));
    claim.id = "01800000-0000-7000-8000-000000000001".to_owned();
    (claim.position, claim.stamp) = (107, 1);
    claim.signature = claim.signed_by(&signer);
    let own = hex(&crate::store::shared::store_key::store_key(
        &signer.public_key(),
    ));
    let mut order = SharedRecord {
        position: 108,
        kind: "erased".to_owned(),
        id: "01800000-0000-7000-8000-000000000002".to_owned(),
        session: String::new(),
        metadata: Some(format!(
            "{{\"targets\":[{{\"ranges\":[[107,107]],\"store\":\"{own}\"}}]}}"
        )),
        ..claim.clone()
    };
    order.citation = "aaaaaa".to_owned();
    order.signature = order.signed_by(&signer);
    let header = BatchHeader {
        from: 106,
        through: 108,
        ..BatchHeader::default()
    };
    let lines = lines::write(&signer, header, &[], &[claim, order]).unwrap();
    let received = victim.sharing().receive(&lines).unwrap();
    assert_eq!((received.records, received.to_erase), (2, 1));
    assert_eq!(victim.sharing().erase_ordered().unwrap().count, 1);
    let kept = victim.knowledge().entry(&entry.entry.id).unwrap().unwrap();
    assert_eq!(kept.entry.title, "gate");
    assert!(victim.check().unwrap().ok);
}

#[test]
fn what_rests_on_what_is_withheld_is_not_sent_either() {
    let stores = stores(2, MemberRole::Owner);
    let (laptop, desktop) = (&stores[0], &stores[1]);
    for (scope, name) in [
        (ScopeKind::Session, "diary"),
        (ScopeKind::Project, "secret"),
    ] {
        laptop.sharing().withhold(scope, name).unwrap();
    }
    laptop.endless().set_mode(MemoryMode::Endless).unwrap();
    for number in 0..12 {
        let text = format!("zqdiary of {number} about the roses in the garden, src/roses.rs");
        laptop.append(prompt("diary", &text)).unwrap();
    }
    laptop.endless().consolidate().unwrap();
    let made = laptop.changes_since(crate::Seq(0), 1_000).unwrap();
    assert!(
        made.iter()
            .any(|event| event.kind == EventKind::Consolidated)
    );
    let fact = |session: &str, title: &str| {
        let entry = NewEntry::new(EntryType::Fact, session, title, title);
        laptop.knowledge().add_entry(&entry).unwrap().entry.id
    };
    let (hidden, open, other) = (
        fact("diary", "zqhidden"),
        fact("s", "open"),
        fact("s", "other"),
    );
    let edge = |from: &EntryId, to: &EntryId| EdgeEnds {
        source_type: NodeType::Entry,
        source_id: from.as_str().to_owned(),
        relation: Relation::DerivedFrom,
        destination_type: NodeType::Entry,
        destination_id: to.as_str().to_owned(),
    };
    let knowledge = laptop.knowledge();
    knowledge.add_edge(&edge(&open, &hidden), None).unwrap();
    knowledge.add_edge(&edge(&open, &other), None).unwrap();
    knowledge
        .contradict(&open, &hidden, Some("zqreason"))
        .unwrap();
    let batch = laptop.sharing().batch_since(0, 1_000).unwrap();
    for word in ["zqdiary", "zqhidden", "zqreason", hidden.as_str()] {
        assert!(!batch.lines.contains(word), "{word}: {}", batch.lines);
    }
    send(laptop, desktop).unwrap();
    assert_eq!(
        desktop
            .knowledge()
            .entries(&Default::default())
            .unwrap()
            .len(),
        2
    );
    // Offered again, all of it arrives.
    for (scope, name) in [
        (ScopeKind::Session, "diary"),
        (ScopeKind::Project, "secret"),
    ] {
        laptop.sharing().offer(scope, name).unwrap();
    }
    send(laptop, desktop).unwrap();
    send(laptop, desktop).unwrap();
    assert_alike(&stores, "offered again");
}

/// A store made from the backup of another one.
fn restored(store: &Memory) -> Store {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("restored");
    store.backup(&place).unwrap();
    Store {
        memory: Memory::open(&place).unwrap(),
        _folder: folder,
    }
}

#[test]
fn orders_reach_what_is_known_under_a_former_identity() {
    for is_renewed in [false, true] {
        let mut stores = stores(3, MemberRole::Owner);
        let say = |text: &str| stores[0].append(prompt("s", text)).unwrap().id;
        let ids = [
            say("zqfirst"),
            say("zqsecond"),
            say("zqthird"),
            say("the rest"),
        ];
        settle(&stores);
        let copy = match is_renewed {
            true => {
                stores[0].sharing().renew_identity().unwrap();
                stores.remove(0)
            }
            false => {
                let copy = restored(&stores[0]);
                // It was erased after the backup.
                stores[1].erase(&Selector::new().id(ids[2])).unwrap();
                settle(&stores);
                stores.remove(0);
                copy
            }
        };
        for other in &stores {
            trust(other, &copy, MemberRole::Owner);
        }
        stores.insert(0, copy);
        let copy = &stores[0];
        settle(&stores);
        copy.erase(&Selector::new().id(ids[0])).unwrap();
        stores[1].erase(&Selector::new().id(ids[1])).unwrap();
        settle(&stores);
        let is_here = |store: &Memory| ids.map(|id| store.event(id).unwrap().is_some());
        for store in &stores {
            assert_eq!(
                is_here(store),
                [false, false, is_renewed, true],
                "{is_renewed}"
            );
            assert!(!is_in_files(store, "zqfirst") && !is_in_files(store, "zqsecond"));
        }
        assert_alike(&stores, "a former identity");
        let third = newcomer(&stores);
        assert_eq!(is_here(&third), [false, false, is_renewed, true]);
        assert!(third.check().unwrap().ok);
    }
}

#[test]
fn an_erasure_that_a_backup_does_not_know_is_ordered_again() {
    let mut stores = stores(2, MemberRole::Owner);
    let told = stores[0].append(prompt("s", "zqrevived")).unwrap().id;
    stores[0].append(prompt("s", "the rest")).unwrap();
    settle(&stores);
    let copy = restored(&stores[0]);
    stores[0].erase(&Selector::new().id(told)).unwrap();
    settle(&stores);
    stores.remove(0);
    trust(&stores[0], &copy, MemberRole::Owner);
    stores.push(copy);
    assert!(stores[1].event(told).unwrap().is_some());
    settle(&stores);
    assert!(stores[1].event(told).unwrap().is_none());
    assert!(!is_in_files(&stores[1], "zqrevived"));
    assert_alike(&stores, "restored");
}

#[test]
fn sessions_are_the_same_everywhere() {
    let stores = stores(3, MemberRole::Owner);
    let [a, b, c] = &stores[..] else {
        unreachable!()
    };
    let of = |text: &str, project: &str| prompt("s", text).project(project);
    a.append(of("first of all", "shop")).unwrap();
    let update = SessionUpdate {
        started: Some("2020-01-02T03:04:05Z".parse().unwrap()),
        ..ended("a summary")
    };
    send(a, b).unwrap();
    b.update_session("s", update).unwrap();
    b.append(of("a little later", "bank")).unwrap();
    // It comes to what was said last before what was said first.
    send(b, c).unwrap();
    c.append(of("last", "garden")).unwrap();
    settle(&stores);
    let moved = SessionUpdate {
        project: Some("archive".to_owned()),
        ..SessionUpdate::default()
    };
    for (is_moved, project) in [(false, "shop"), (true, "archive")] {
        if is_moved {
            c.update_session("s", moved.clone()).unwrap();
            settle(&stores);
        }
        for store in &stores {
            let named = ProjectScope::Named(project.to_owned());
            let session = &store.sessions(&named, None).unwrap()[0];
            assert_eq!(Some(session.started), "2020-01-02T03:04:05Z".parse().ok());
            assert_eq!(session.events, 3);
        }
        assert_alike(&stores, "sessions");
    }
    for store in &stores {
        let rebuilt = store.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    }
    assert_alike(&stores, "sessions made again");
}

#[test]
fn who_repeats_what_another_store_signed_reaches_no_more_by_that() {
    let stores = stores(3, MemberRole::Writer);
    let [author, victim, thief] = &stores[..] else {
        unreachable!()
    };
    let own = victim.append(prompt("s", "the victim's own")).unwrap();
    let told = author.append(prompt("s", "a word")).unwrap();
    let told = [told, author.append(prompt("s", "another word")).unwrap()];
    send(author, victim).unwrap();
    let signer = crate::share::keys::signer(thief.enter().unwrap()).unwrap();
    let key = hex(&crate::store::shared::store_key::store_key(
        &signer.public_key(),
    ));
    let claims = [(1, own.id), (1, told[0].id), (2, told[1].id)];
    for (number, (position, id)) in claims.into_iter().enumerate() {
        let mut stolen = SharedRecord {
            position,
            stamp: 1,
            kind: "user_prompt".to_owned(),
            id: id.to_string(),
            citation: "aaaaaa".to_owned(),
            origin: "user".to_owned(),
            session: "s".to_owned(),
            ..SharedRecord::default()
        };
        stolen.signature = stolen.signed_by(&signer);
        let mut order = SharedRecord {
            position: 10 + number as u64,
            kind: "erased".to_owned(),
            id: format!("01900000-0000-7000-8000-{number:012x}"),
            origin: "system".to_owned(),
            session: String::new(),
            metadata: Some(format!(
                "{{\"targets\":[{{\"ranges\":[[1,2]],\"store\":\"{key}\"}}]}}"
            )),
            ..stolen.clone()
        };
        order.signature = order.signed_by(&signer);
        let header = BatchHeader {
            from: position - 1,
            through: 12,
            ..BatchHeader::default()
        };
        let lines = lines::write(&signer, header, &[], &[stolen, order]).unwrap();
        let error = victim.sharing().receive(&lines).unwrap_err();
        assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
        victim.sharing().erase_ordered().unwrap();
        assert_eq!(open_count(victim), 3, "{position}");
    }
    assert!(victim.check().unwrap().ok);
}

/// How many conversation events are live.
fn open_count(store: &Memory) -> u64 {
    store.stats().unwrap().prompts
}

#[test]
fn what_was_said_at_the_same_moment_has_one_order_everywhere() {
    // Whichever of the two keys is lower, one of the stores does not have it.
    let (a, _) = store_at("2026-01-01T00:00:00Z");
    let (b, _) = store_at("2026-01-01T00:00:00Z");
    let stores = [a, b];
    trust(&stores[0], &stores[1], MemberRole::Owner);
    trust(&stores[1], &stores[0], MemberRole::Owner);
    for (store, project) in stores.iter().zip(["shop", "bank"]) {
        store.append(prompt("s", project).project(project)).unwrap();
    }
    settle(&stores);
    assert_alike(&stores, "the same moment");
    let project = |store: &Memory| store.session("s").unwrap().unwrap().project;
    assert_eq!(project(&stores[0]), project(&stores[1]));
}

/// The records that a store shares, as signed.
pub(super) fn records_of(store: &Memory) -> Vec<SharedRecord> {
    let batch = store.sharing().batch_since(0, 1_000).unwrap();
    let records = batch.lines.lines().skip(1);
    records
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A batch of records that a store signs, whether or not they are in its log.
pub(super) fn signed_by(
    store: &Memory,
    header: BatchHeader,
    mut records: Vec<SharedRecord>,
) -> String {
    let signer = crate::share::keys::signer(store.enter().unwrap()).unwrap();
    for record in &mut records {
        record.signature = record.signed_by(&signer);
    }
    let header = BatchHeader {
        through: header
            .through
            .max(records.last().map_or(0, |record| record.position)),
        ..header
    };
    lines::write(&signer, header, &[], &records).unwrap()
}

pub(super) fn key_of(store: &Memory) -> String {
    let signer = crate::share::keys::signer(store.enter().unwrap()).unwrap();
    hex(&signer.store)
}

/// A prompt that nobody said.
fn invented(position: u64) -> SharedRecord {
    SharedRecord {
        position,
        stamp: 1,
        kind: "user_prompt".to_owned(),
        id: format!("01800000-0000-7000-8000-{position:012x}"),
        citation: "aaaaaa".to_owned(),
        origin: "user".to_owned(),
        session: "s".to_owned(),
        content: format!("junk {position}"),
        ..SharedRecord::default()
    }
}

/// An erasure of positions of one store.
pub(super) fn erasure_of(position: u64, store: &str, ranges: &str) -> SharedRecord {
    SharedRecord {
        kind: "erased".to_owned(),
        origin: "system".to_owned(),
        session: String::new(),
        content: String::new(),
        metadata: Some(format!(
            "{{\"targets\":[{{\"ranges\":{ranges},\"store\":\"{store}\"}}]}}"
        )),
        ..invented(position)
    }
}

#[test]
fn an_order_about_a_members_records_reaches_no_others_though_it_repeats_one_of_them() {
    let stores = stores(5, MemberRole::Writer);
    let [owner, author, thief, reader, late] = &stores[..] else {
        unreachable!()
    };
    trust(reader, owner, MemberRole::Owner);
    let say = |number: u64| {
        let told = author.append(prompt("s", &format!("word {number}")));
        told.unwrap().id
    };
    let told: Vec<EventId> = (1..=6).map(say).collect();
    send(author, reader).unwrap();
    let mut records: Vec<SharedRecord> = (1..=5).map(invented).collect();
    records.push(records_of(author).remove(5));
    let batch = signed_by(thief, BatchHeader::default(), records);
    let received = reader.sharing().receive(&batch).unwrap();
    assert_eq!((received.records, received.duplicates), (5, 1));
    for store in [owner, late] {
        store.sharing().receive(&batch).unwrap();
    }
    // To this one, the author repeats what the thief said.
    send(author, late).unwrap();
    for store in [owner, late] {
        for position in 1..=5 {
            let id: EventId = invented(position).id.parse().unwrap();
            store.erase(&Selector::new().id(id)).unwrap();
        }
        let batch = store.sharing().batch_since(0, 1_000).unwrap();
        assert!(!batch.lines.contains(&key_of(author)), "{}", batch.lines);
    }
    send(owner, reader).unwrap();
    assert_eq!(reader.sharing().erase_ordered().unwrap().count, 5);
    for (index, id) in told.into_iter().enumerate() {
        let event = reader.event(id).unwrap().unwrap();
        assert_eq!(event.content, format!("word {}", index + 1));
    }
    // At a position where a record is known under another name, there is no other one.
    let other = signed_by(
        thief,
        BatchHeader {
            from: 5,
            ..BatchHeader::default()
        },
        vec![invented(6)],
    );
    let error = reader.sharing().receive(&other).unwrap_err();
    assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
    assert!(reader.check().unwrap().ok);
}

#[test]
fn a_record_with_the_id_of_another_members_neither_replaces_nor_silences_it() {
    let stores = stores(3, MemberRole::Writer);
    let [author, thief, reader] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    for text in ["zqfirst", "zqsecond"] {
        author.append(prompt("s", text)).unwrap();
        author.sharing().push_folder(&folder).unwrap();
    }
    // Everything but one field is that of the other member's record.
    let stolen = records_of(author).remove(0);
    let changes: [fn(&mut SharedRecord); 5] = [
        |record| record.content = "zqforged".to_owned(),
        |record| record.metadata = Some("{}".to_owned()),
        |record| record.stamp += 1,
        |record| record.timestamp += 1,
        |record| record.position += 7,
    ];
    let forged = |change: fn(&mut SharedRecord)| {
        let mut record = stolen.clone();
        change(&mut record);
        let header = BatchHeader::default();
        signed_by(thief, header, vec![record, invented(9)])
    };
    let both = [author, thief].map(|store| store.sharing().identity().unwrap());
    let assert_told = |error: crate::Error| {
        assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
        for identity in &both {
            assert!(error.message().contains(identity), "{error}");
        }
    };
    // The forged record comes second: the right one stays.
    send(author, reader).unwrap();
    for (number, change) in changes.into_iter().enumerate() {
        let batch = forged(change);
        assert_told(reader.sharing().receive(&batch).unwrap_err());
        assert!(finds(reader, "zqfirst") && !finds(reader, "zqforged"));
        // The rest of the batch was stored.
        let id: EventId = invented(9).id.parse().unwrap();
        assert!(reader.event(id).unwrap().is_some(), "{number}");
    }
    // The forged one comes first: that is told, and everything else arrives.
    let made = self::stores(1, MemberRole::Writer);
    let late = &made[0];
    for other in [author, thief] {
        trust(late, other, MemberRole::Writer);
    }
    late.sharing().receive(&forged(changes[0])).unwrap();
    assert_told(late.sharing().pull_folder(&folder).unwrap_err());
    assert!(finds(late, "zqsecond"));
    author.append(prompt("s", "zqthird")).unwrap();
    author.sharing().push_folder(&folder).unwrap();
    late.sharing().pull_folder(&folder).unwrap();
    assert!(finds(late, "zqthird"));
    // Two records of one batch with one id.
    let mut twice = vec![invented(20), invented(21)];
    twice[1].id = twice[0].id.clone();
    let batch = signed_by(thief, BatchHeader::default(), twice);
    let error = late.sharing().receive(&batch).unwrap_err();
    assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
}

#[test]
fn an_older_answer_does_not_hide_that_an_erasure_was_declined() {
    let stores = stores(2, MemberRole::Writer);
    let (laptop, desktop) = (&stores[0], &stores[1]);
    let own = laptop.append(prompt("s", "said on the laptop")).unwrap();
    let told = desktop.append(prompt("s", "said on the desktop")).unwrap();
    settle(&stores);
    let answer = || {
        send(laptop, desktop).unwrap();
        desktop.sharing().erase_ordered().unwrap();
        let last = desktop.stats().unwrap().last_seq;
        desktop.sharing().batch_since(last, 1).unwrap().lines
    };
    laptop.erase(&Selector::new().id(own.id)).unwrap();
    let before = answer();
    laptop.erase(&Selector::new().id(told.id)).unwrap();
    let declined = answer();
    trust(desktop, laptop, MemberRole::Owner);
    let carried_out = answer();
    let name = desktop.sharing().identity().unwrap();
    let is_declined = [vec![name], vec![]];
    for (header, left) in [
        (&before, &is_declined[1]),
        (&declined, &is_declined[0]),
        (&before, &is_declined[0]),
        (&carried_out, &is_declined[1]),
        (&declined, &is_declined[1]),
        (&before, &is_declined[1]),
    ] {
        laptop.sharing().receive(header).unwrap();
        assert_eq!(&open_erasures(laptop).1, left);
    }
    assert_eq!(open_erasures(laptop), (vec![], vec![]));
}

#[test]
fn what_is_offered_again_is_not_lost_to_an_older_file() {
    for is_alone in [true, false] {
        let stores = stores(2, MemberRole::Owner);
        let (sender, receiver) = (&stores[0], &stores[1]);
        let folder = tempfile::tempdir().unwrap();
        let sharing = sender.sharing();
        sharing.withhold(ScopeKind::Session, "diary").unwrap();
        sender.append(prompt("diary", "apples")).unwrap();
        sender.append(prompt("work", "pears")).unwrap();
        sharing.push_folder(&folder).unwrap();
        let batches = || {
            let mut files = files_of(folder.path());
            files.retain(|name, _| name.matches('-').count() > 2 && name.ends_with(".jsonl"));
            files
        };
        let older = batches();
        sharing.offer(ScopeKind::Session, "diary").unwrap();
        sharing.push_folder(&folder).unwrap();
        let newer = batches();
        assert_eq!((older.len(), newer.len()), (1, 1));
        // A program that synchronises the folder brings the answer before the file, or has not
        // removed the older file yet.
        for (name, bytes) in &older {
            std::fs::write(name, bytes).unwrap();
        }
        if is_alone {
            for name in newer.keys() {
                std::fs::remove_file(name).unwrap();
            }
            assert_eq!(receiver.sharing().pull_folder(&folder).unwrap().records, 1);
            assert!(finds(receiver, "pears") && !finds(receiver, "apples"));
            for (name, bytes) in &newer {
                std::fs::write(name, bytes).unwrap();
            }
        }
        receiver.sharing().pull_folder(&folder).unwrap();
        assert!(finds(receiver, "apples"), "{is_alone}");
    }
}

#[test]
fn a_pull_reads_nothing_again_after_an_offer_was_taken_back() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    let sharing = sender.sharing();
    sharing.withhold(ScopeKind::Session, "diary").unwrap();
    sender.append(prompt("work", "pears")).unwrap();
    sharing.push_folder(&folder).unwrap();
    sharing.offer(ScopeKind::Session, "diary").unwrap();
    sharing.withhold(ScopeKind::Session, "diary").unwrap();
    sharing.push_folder(&folder).unwrap();
    receiver.sharing().pull_folder(&folder).unwrap();
    let pulled = receiver.sharing().pull_folder(&folder).unwrap();
    assert_eq!(pulled.files, 0);
}

#[test]
fn an_order_that_another_one_names_is_carried_out_whichever_comes_first() {
    for is_named_first in [true, false] {
        let stores = stores(3, MemberRole::Owner);
        let [author, other, reader] = &stores[..] else {
            unreachable!()
        };
        let told = author.append(prompt("s", "zqhidden")).unwrap();
        send(author, reader).unwrap();
        author.forget(&Selector::new().id(told.id)).unwrap();
        let order = records_of(author).pop().unwrap();
        assert_eq!(order.kind, "forgotten");
        let ranges = format!("[[{0},{0}]]", order.position);
        let naming = erasure_of(9, &key_of(author), &ranges);
        let naming = signed_by(other, BatchHeader::default(), vec![naming]);
        if is_named_first {
            send(author, reader).unwrap();
        }
        reader.sharing().receive(&naming).unwrap();
        send(author, reader).unwrap();
        reader.sharing().erase_ordered().unwrap();
        assert!(reader.event(told.id).unwrap().is_none(), "{is_named_first}");
        assert!(reader.check().unwrap().ok);
    }
}

#[test]
fn what_is_recorded_about_a_withheld_project_by_a_handle_of_another_is_not_sent() {
    let stores = stores(1, MemberRole::Owner);
    let laptop = &stores[0];
    let sharing = laptop.sharing();
    sharing.withhold(ScopeKind::Project, "secret").unwrap();
    laptop.endless().set_mode(MemoryMode::Endless).unwrap();
    for number in 0..12 {
        let text = format!("zqsecret of {number} about the roses in the garden, src/roses.rs");
        laptop.append(prompt("s", &text).project("secret")).unwrap();
    }
    // The handle belongs to no project.
    laptop.update_session("s", ended("zqsummary")).unwrap();
    let entry = NewEntry::new(EntryType::Fact, "s", "zqfact", "zqfact");
    laptop.knowledge().add_entry(&entry).unwrap();
    laptop.endless().consolidate().unwrap();
    let made = laptop.changes_since(crate::Seq(0), 1_000).unwrap();
    let kinds = [
        EventKind::Consolidated,
        EventKind::SessionChanged,
        EventKind::EntryChanged,
    ];
    for kind in kinds {
        assert!(made.iter().any(|event| event.kind == kind), "{kind}");
    }
    let changed = made.iter().filter(|event| event.kind == kinds[1]);
    for event in changed {
        assert_eq!(event.project, "secret");
    }
    let batch = sharing.batch_since(0, 1_000).unwrap();
    assert_eq!(batch.records, 0, "{}", batch.lines);
    // A session that is moved there takes what was recorded about it along.
    laptop.append(prompt("t", "open")).unwrap();
    let entry = NewEntry::new(EntryType::Fact, "t", "zqmoved", "zqmoved");
    laptop.knowledge().add_entry(&entry).unwrap();
    laptop.update_session("t", ended("zqmoved")).unwrap();
    let moved = SessionUpdate {
        project: Some("secret".to_owned()),
        ..SessionUpdate::default()
    };
    laptop.update_session("t", moved).unwrap();
    let batch = sharing.batch_since(0, 1_000).unwrap();
    assert_eq!(batch.records, 1, "{}", batch.lines);
    // Random names may contain a shorter marker.
    for text in ["zqsecret", "zqsummary", "zqfact", "zqmoved"] {
        assert!(!batch.lines.contains(text), "{}", batch.lines);
    }
}

/// All orders in which so many batches can arrive.
fn arrivals(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let with_last = |shorter: Vec<usize>| {
        (0..count).map(move |at| {
            let mut longer = shorter.clone();
            longer.insert(at, count - 1);
            longer
        })
    };
    arrivals(count - 1)
        .into_iter()
        .flat_map(with_last)
        .collect()
}

#[test]
fn a_record_that_two_stores_signed_is_taken_away_by_both_or_by_an_owner_whatever_comes_first() {
    let made = stores(3, MemberRole::Writer);
    let [author, thief, owner] = &made[..] else {
        unreachable!()
    };
    author.append(prompt("s", "zqcopied")).unwrap();
    let record = records_of(author);
    let sign = |store: &Memory, records| signed_by(store, BatchHeader::default(), records);
    let order = |store: &Memory, kind: &str, named: &Memory| {
        let order = SharedRecord {
            kind: kind.to_owned(),
            ..erasure_of(7, &key_of(named), "[[1,1]]")
        };
        sign(store, vec![order])
    };
    let said = [sign(author, record.clone()), sign(thief, record)];
    let by_author = |kind| order(author, kind, author);
    let by_thief = |kind| order(thief, kind, thief);
    let cases: [(Vec<String>, bool); 8] = [
        (vec![], true),
        (vec![by_thief("erased")], true),
        (vec![by_author("erased")], true),
        // The same order, about what is not its signer's.
        (vec![order(thief, "erased", author)], true),
        (vec![by_author("erased"), by_thief("erased")], false),
        (vec![by_author("forgotten"), by_thief("erased")], false),
        (vec![order(owner, "erased", thief)], false),
        (vec![order(owner, "forgotten", author)], false),
    ];
    for (number, (orders, is_found)) in cases.into_iter().enumerate() {
        let batches: Vec<&String> = said.iter().chain(&orders).collect();
        let mut readers = Vec::new();
        for arrival in arrivals(batches.len()) {
            let reader = stores(1, MemberRole::Writer).remove(0);
            trust(&reader, author, MemberRole::Writer);
            trust(&reader, thief, MemberRole::Writer);
            trust(&reader, owner, MemberRole::Owner);
            for &at in &arrival {
                reader.sharing().receive(batches[at]).unwrap();
                reader.sharing().erase_ordered().unwrap();
            }
            // All of it arrives once more.
            for batch in &batches {
                let again = reader.sharing().receive(batch).unwrap();
                assert_eq!(again.records + again.refused, 0, "{number}, {arrival:?}");
            }
            assert_eq!(
                finds(&reader, "zqcopied"),
                is_found,
                "{number}, {arrival:?}"
            );
            readers.push(reader);
        }
        assert_alike(&readers, &format!("case {number}"));
        readers.truncate(2);
        for reader in &readers {
            let rebuilt = reader.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
            assert_eq!(rebuilt.hash_before, rebuilt.hash_after, "{number}");
        }
        assert_alike(&readers, &format!("case {number}, rebuilt"));
    }
}

#[test]
fn what_rests_on_a_record_comes_back_with_it_whatever_came_first() {
    let made = stores(3, MemberRole::Writer);
    let [author, copier, learner] = &made[..] else {
        unreachable!()
    };
    let told = author.append(prompt("s", "the gate is green")).unwrap();
    let record = records_of(author);
    let sign = |store: &Memory, records| signed_by(store, BatchHeader::default(), records);
    let order = SharedRecord {
        kind: "forgotten".to_owned(),
        ..erasure_of(7, &key_of(author), "[[1,1]]")
    };
    send(author, learner).unwrap();
    let learn = |title: &str, event: Option<EventRef>| {
        let entry = NewEntry {
            event,
            ..NewEntry::new(EntryType::Fact, "s", title, "the gate is green")
        };
        learner.knowledge().add_entry(&entry).unwrap().entry.id
    };
    let (red, green) = (learn("red", None), learn("green", Some(told.id.into())));
    learner.knowledge().supersede(&red, &green).unwrap();
    let learned = learner.sharing().batch_since(0, 1_000).unwrap().lines;
    let batches = [
        sign(author, record.clone()),
        sign(copier, record),
        sign(author, vec![order]),
        learned,
    ];
    let mut readers = Vec::new();
    for arrival in arrivals(batches.len()) {
        let reader = stores(1, MemberRole::Writer).remove(0);
        for other in &made {
            trust(&reader, other, MemberRole::Writer);
        }
        for &at in &arrival {
            reader.sharing().receive(&batches[at]).unwrap();
            let report = reader.check().unwrap();
            assert!(report.ok, "{arrival:?}: {:?}", report.first_divergence);
        }
        assert!(reader.event(told.id).unwrap().is_some(), "{arrival:?}");
        let entry = reader.knowledge().entry(&red).unwrap().unwrap();
        assert_eq!(entry.entry.superseded_by(), Some(&green), "{arrival:?}");
        readers.push(reader);
    }
    assert_alike(&readers, "a record that came back");
}

#[test]
fn an_order_that_cannot_be_read_is_not_stored() {
    use crate::privacy::Clean;
    use crate::share::incoming::{Author, Incoming};

    let stores = stores(2, MemberRole::Writer);
    let (author, reader) = (&stores[0], &stores[1]);
    let signer = crate::share::keys::signer(author.enter().unwrap()).unwrap();
    let by = Author {
        key: signer.store,
        identity: signer.identity(),
        reaches_all: false,
    };
    let order = erasure_of(9, &key_of(author), "[[1,1]]");
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let mut incoming = Incoming::new(&by, &order, &[0; 32], now).unwrap();
    let unreadable = r#"{"seqs":[],"targets":7}"#.to_owned();
    incoming.draft.draft.event.metadata = Some(Clean::from_log(unreadable));
    let store = &reader.enter().unwrap().store;
    let stored = store.write(|tx| tx.append_foreign(std::slice::from_ref(&incoming.draft)));
    let error = stored.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Corrupt);
    assert!(error.message().contains("position 9"), "{error}");
    assert_eq!(reader.stats().unwrap().last_seq, 0);
}

#[test]
fn who_repeats_an_order_neither_stops_it_nor_reaches_more_by_it() {
    for (role, is_thief_first, is_retargeted) in [
        (MemberRole::Owner, true, false),
        (MemberRole::Owner, false, false),
        (MemberRole::Writer, true, false),
        (MemberRole::Writer, true, true),
        (MemberRole::Writer, false, true),
    ] {
        let what = format!("{role:?}, {is_thief_first}, {is_retargeted}");
        let stores = stores(3, MemberRole::Writer);
        let [author, thief, reader] = &stores[..] else {
            unreachable!()
        };
        trust(reader, author, role);
        let own = reader.append(prompt("s", "the reader's own")).unwrap();
        let told = author.append(prompt("s", "zqordered")).unwrap();
        assert_eq!(own.seq, told.seq);
        author.append(prompt("s", "the rest")).unwrap();
        settle(&stores);
        author.erase(&Selector::new().id(told.id)).unwrap();
        let mut stolen = records_of(author).pop().unwrap();
        assert_eq!(stolen.kind, "erased");
        if is_retargeted {
            let named = stolen.metadata.as_ref().unwrap();
            stolen.metadata = Some(named.replace(&key_of(author), &key_of(reader)));
        }
        let header = BatchHeader {
            from: stolen.position - 1,
            ..BatchHeader::default()
        };
        let stolen = signed_by(thief, header, vec![stolen]);
        let steal = || {
            reader.sharing().receive(&stolen).unwrap();
        };
        if is_thief_first {
            steal();
        }
        send(author, reader).unwrap();
        if !is_thief_first {
            steal();
        }
        // Not told as done while the text is there.
        send(reader, author).unwrap();
        let name = reader.sharing().identity().unwrap();
        assert!(open_erasures(author).0.contains(&name), "{what}");
        trust(reader, author, MemberRole::Owner);
        reader.sharing().erase_ordered().unwrap();
        assert!(!is_in_files(reader, "zqordered"), "{what}");
        assert!(reader.event(own.id).unwrap().is_some(), "{what}");
        send(reader, author).unwrap();
        let (waiting, declined) = open_erasures(author);
        assert!(!waiting.contains(&name) && declined.is_empty(), "{what}");
        assert!(reader.check().unwrap().ok, "{what}");
    }
}

#[test]
fn an_order_keeps_its_id_from_no_record_and_a_record_from_no_order() {
    let stores = stores(4, MemberRole::Writer);
    let [author, thief, first, second] = &stores[..] else {
        unreachable!()
    };
    let told = author.append(prompt("s", "zqfirst")).unwrap();
    author.append(prompt("s", "zqsecond")).unwrap();
    author.forget(&Selector::new().id(told.id)).unwrap();
    let records = records_of(author);
    let [said, order] = &records[..] else {
        unreachable!()
    };
    let as_order = SharedRecord {
        id: said.id.clone(),
        ..erasure_of(8, &key_of(thief), "[[1,1]]")
    };
    let as_record = SharedRecord {
        id: order.id.clone(),
        ..invented(9)
    };
    let stolen = signed_by(thief, BatchHeader::default(), vec![as_order, as_record]);
    let first_said = SharedRecord {
        content: "zqfirst".to_owned(),
        id: told.id.to_string(),
        position: told.seq.0,
        ..said.clone()
    };
    let earlier = signed_by(author, BatchHeader::default(), vec![first_said]);
    for reader in [first, second] {
        reader.sharing().receive(&earlier).unwrap();
        if std::ptr::eq(reader, first) {
            reader.sharing().receive(&stolen).unwrap();
        }
        send(author, reader).unwrap();
        reader.sharing().receive(&stolen).unwrap();
        assert!(!finds(reader, "zqfirst") && finds(reader, "zqsecond"));
        assert!(finds(reader, "junk 9"));
        let id: EventId = said.id.parse().unwrap();
        assert_eq!(reader.event(id).unwrap().unwrap().content, "zqsecond");
    }
    assert_alike(&stores[2..], "ids");
}
