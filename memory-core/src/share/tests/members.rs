//! Who shares: the identity of a store, and the members that it knows.

use super::batches::assert_names;
use super::trust::signed_by;
use super::*;

#[test]
fn a_store_that_is_restored_into_keeps_its_identity_and_its_members() {
    let old = stores(1, MemberRole::Owner).remove(0);
    old.append(prompt("s", "zebras graze")).unwrap();
    let mut export = Vec::new();
    old.upkeep().export_jsonl_to(&mut export, None).unwrap();
    let stores = stores(3, MemberRole::Writer);
    let [new, other, late] = &stores[..] else {
        unreachable!()
    };
    let identity = new.sharing().identity().unwrap();
    let late = late.sharing().identity().unwrap();
    new.sharing().remove_member(&late).unwrap();
    let meanwhile = (new.memory.clone(), late.clone());
    fail_points::on_reaching("a copy of a snapshot is made", move || {
        let (new, late) = meanwhile;
        new.sharing()
            .add_member(&late, "late", MemberRole::Writer)
            .unwrap();
    });
    new.upkeep()
        .restore_jsonl_from(&mut export.as_slice())
        .unwrap();
    assert!(fail_points::not_reached().is_empty());
    assert_eq!(new.sharing().identity().unwrap(), identity);
    let members = new.sharing().members().unwrap();
    let mut members: Vec<&String> = members.iter().map(|member| &member.identity).collect();
    members.sort();
    let mut expected = [other.sharing().identity().unwrap(), late];
    expected.sort();
    assert_eq!(members, expected.iter().collect::<Vec<_>>());
    assert_eq!(send(new, other).unwrap().records, 1);
    assert!(new.check().unwrap().ok);
}

#[test]
fn a_copied_folder_is_noticed_and_a_backup_has_no_identity() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    laptop.append(prompt("s", "before")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let (copied, saved) = (place.path().join("copied"), place.path().join("saved"));
    laptop.backup(&saved).unwrap();
    std::fs::create_dir(&copied).unwrap();
    for entry in std::fs::read_dir(laptop.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), copied.join(entry.file_name())).unwrap();
        }
    }
    let twin = Memory::open(&copied).unwrap();
    let identity = laptop.sharing().identity().unwrap();
    assert_eq!(twin.sharing().identity().unwrap(), identity);
    let restored = Memory::open(&saved).unwrap();
    assert_ne!(restored.sharing().identity().unwrap(), identity);

    laptop.append(prompt("s", "on the laptop")).unwrap();
    twin.append(prompt("s", "on its twin")).unwrap();
    send(laptop, desktop).unwrap();
    let batch = twin.sharing().batch_since(0, 10).unwrap();
    for store in [desktop, laptop] {
        let error = store.sharing().receive(&batch.lines).unwrap_err();
        assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
        assert_names(&error, &identity, 2);
    }
    // With a new identity, common records are recognised and the rest is accepted.
    let identity = twin.sharing().renew_identity().unwrap();
    desktop
        .sharing()
        .add_member(&identity, "twin", MemberRole::Writer)
        .unwrap();
    let batch = twin.sharing().batch_since(0, 10).unwrap();
    let received = desktop.sharing().receive(&batch.lines).unwrap();
    assert_eq!((received.records, received.duplicates), (1, 1));
}

#[test]
fn an_announcement_is_believed_when_its_store_signed_it() {
    let stores = stores(1, MemberRole::Owner);
    let sharing = stores[0].sharing();
    let text = sharing.announcement("laptop").unwrap();
    let read = sharing.read_announcement(&text).unwrap();
    assert_eq!(read.identity, sharing.identity().unwrap());
    assert_eq!(read.name, "laptop");
    for wrong in [
        text.replace("laptop", "server"),
        text.replace('{', "["),
        String::new(),
        "x".repeat(100_000),
    ] {
        let error = sharing.read_announcement(&wrong).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("announcement"), "{error}");
    }
}

#[test]
fn a_key_that_no_store_can_have_is_no_member() {
    let stores = stores(1, MemberRole::Owner);
    let one = format!("01{}", "00".repeat(31));
    for identity in ["00".repeat(32), one, "x".repeat(64), String::new()] {
        let added = stores[0]
            .sharing()
            .add_member(&identity, "m", MemberRole::Writer);
        let error = added.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{identity}");
        assert_eq!(error.argument(), Some("identity"), "{identity}");
    }
    assert!(stores[0].sharing().members().unwrap().is_empty());
}

#[test]
fn what_another_store_calls_by_a_citation_that_is_taken_is_found_by_it() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let ours = desktop
        .append(prompt("s", "The key hangs beside the door."))
        .unwrap();
    desktop.append(prompt("other", "nothing of note")).unwrap();
    let record = SharedRecord {
        position: 1,
        stamp: 1,
        kind: "user_prompt".to_owned(),
        id: "01800000-0000-7000-8000-000000000001".to_owned(),
        citation: ours.citation.as_str().to_owned(),
        origin: "user".to_owned(),
        session: "t".to_owned(),
        content: "The gate is painted green.".to_owned(),
        ..SharedRecord::default()
    };
    let batch = signed_by(laptop, BatchHeader::default(), vec![record]);
    desktop.sharing().receive(&batch).unwrap();
    let theirs = desktop.search("green gate").unwrap().items.remove(0);
    assert_ne!(theirs.citation, ours.citation);
    let source = desktop.sharing().source(theirs.id).unwrap().unwrap();
    assert_eq!(source.citation, ours.citation);
    let sharing = desktop.sharing();
    let known = |event: EventId| sharing.cited_elsewhere(event).unwrap();
    assert_eq!(known(ours.id), [theirs.citation.as_str()]);
    assert_eq!(known(theirs.id), [""; 0]);
    assert_eq!(
        desktop.event(ours.citation.clone()).unwrap().unwrap().id,
        ours.id
    );
    let report = desktop.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    desktop.rebuild(report.as_of).unwrap();
    desktop.erase(&Selector::new().session("other")).unwrap();
    assert_eq!(known(ours.id), [theirs.citation.as_str()]);
    desktop.compact().unwrap();
    desktop.forget(&Selector::new().id(theirs.id)).unwrap();
    assert_eq!(known(ours.id), [""; 0]);
    assert!(desktop.check().unwrap().ok);
}
