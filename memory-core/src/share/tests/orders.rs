//! Orders to hide and to erase, and what a store withholds.

use super::*;

#[test]
fn an_order_reaches_what_its_author_recorded_and_an_owner_everything() {
    for (role, reaches) in [(MemberRole::Writer, false), (MemberRole::Owner, true)] {
        let stores = stores(2, role);
        let [laptop, desktop] = &stores[..] else {
            unreachable!()
        };
        let own = laptop.append(prompt("s", "said on the laptop")).unwrap();
        let other = desktop.append(prompt("s", "said on the desktop")).unwrap();
        settle(&stores);
        for id in [own.id, other.id] {
            laptop.forget(&Selector::new().id(id)).unwrap();
        }
        settle(&stores);
        assert!(desktop.event(own.id).unwrap().is_none());
        assert_eq!(desktop.event(other.id).unwrap().is_none(), reaches);
        for store in &stores {
            assert!(store.check().unwrap().ok);
        }
    }
}

/// The third store hears of an erasure by the second before what it erases, which the first said:
/// its id, and the lines that are still to come.
fn erased_before_it_came([first, second, third]: [&Store; 3]) -> (EventId, String) {
    let told = first.append(prompt("s", "zqsecretly spoken")).unwrap();
    let early = first.sharing().batch_since(0, 10).unwrap();
    send(first, second).unwrap();
    second.erase(&Selector::new().id(told.id)).unwrap();
    send(second, third).unwrap();
    (told.id, early.lines)
}

#[test]
fn an_order_that_comes_before_what_it_hides_holds_and_nothing_of_it_is_stored() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, desktop, phone] = &stores[..] else {
        unreachable!()
    };
    let (told, early) = erased_before_it_came([laptop, desktop, phone]);
    let received = phone.sharing().receive(&early).unwrap();
    assert_eq!((received.records, received.refused), (0, 1));
    assert!(phone.event(told).unwrap().is_none());
    settle(&stores);
    assert_alike(&stores, "erased");
    for store in &stores {
        assert!(store.event(told).unwrap().is_none());
        store.compact().unwrap();
        assert!(!trust::is_in_files(store, "zqsecretly"));
    }
}

#[test]
fn what_an_order_refuses_while_a_store_is_rebuilt_is_counted_once() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, desktop, phone] = &stores[..] else {
        unreachable!()
    };
    let (_, early) = erased_before_it_came([laptop, desktop, phone]);
    phone.append(prompt("s", "something else")).unwrap();
    let other = phone.memory.clone();
    fail_points::on_reaching("a copy of a snapshot is made", move || {
        let received = other.sharing().receive(&early).unwrap();
        assert_eq!((received.records, received.refused), (0, 1));
    });
    phone.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert!(fail_points::not_reached().is_empty());
    let report = phone.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    let look = || {
        let read = phone.engine.store.read().unwrap();
        (read.state_hash().unwrap(), phone.stats().unwrap().events)
    };
    let before = look();
    phone.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
    assert_eq!(look(), before);
}

#[test]
fn what_is_withheld_is_not_sent() {
    let stores = stores(2, MemberRole::Writer);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let sharing = laptop.sharing();
    assert!(sharing.withhold(ScopeKind::Session, "diary").unwrap());
    assert!(sharing.withhold(ScopeKind::Project, "secret").unwrap());
    assert!(!sharing.withhold(ScopeKind::Project, "secret").unwrap());
    laptop.append(prompt("diary", "dear diary")).unwrap();
    laptop
        .append(prompt("s", "of the secret project").project("secret"))
        .unwrap();
    laptop.append(prompt("s", "of all")).unwrap();
    assert_eq!(send(laptop, desktop).unwrap().records, 1);
    assert!(sharing.is_withheld(ScopeKind::Session, "diary").unwrap());
    assert!(sharing.offer(ScopeKind::Session, "diary").unwrap());
    let all = sharing.batch_since(0, 10).unwrap();
    assert_eq!(desktop.sharing().receive(&all.lines).unwrap().records, 1);
}

#[test]
fn what_a_store_forgets_by_its_own_limits_stays_with_the_others() {
    let stores = stores(1, MemberRole::Owner);
    let folder = tempfile::tempdir().unwrap();
    let small = Memory::builder()
        .retention_ms(EventKind::UserPrompt, 1_000)
        .open(folder.path())
        .unwrap();
    let identity = small.sharing().identity().unwrap();
    let large = &stores[0];
    large
        .sharing()
        .add_member(&identity, "small", MemberRole::Owner)
        .unwrap();
    let old = prompt("s", "from long ago").timestamp("2020-01-01T00:00:00Z".parse().unwrap());
    let id = small.append(old).unwrap().id;
    send(&small, large).unwrap();
    assert_eq!(small.upkeep().apply_retention().unwrap().count, 1);
    let received = send(&small, large).unwrap();
    assert_eq!((received.records, received.forgotten), (0, 0));
    assert!(small.event(id).unwrap().is_none());
    assert!(large.event(id).unwrap().is_some());
}

#[test]
fn a_restored_backup_meets_the_orders_that_it_gave_before() {
    for erases in [false, true] {
        let stores = stores(2, MemberRole::Owner);
        let [laptop, desktop] = &stores[..] else {
            unreachable!()
        };
        let old = laptop.append(prompt("s", "zqold")).unwrap().id;
        laptop.append(prompt("s", "kept")).unwrap();
        send(laptop, desktop).unwrap();
        let selector = Selector::new().id(old);
        match erases {
            true => laptop.erase(&selector).map(drop).unwrap(),
            false => laptop.forget(&selector).map(drop).unwrap(),
        }
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("saved");
        laptop.backup(&place).unwrap();
        let after = laptop.append(prompt("s", "after the backup")).unwrap().id;
        send(laptop, desktop).unwrap();

        // The machine is lost; the others still have what it sent.
        let memory = Memory::open(&place).unwrap();
        let restored = Store {
            memory,
            _folder: folder,
        };
        for other in [laptop, desktop] {
            trust(&restored, other, MemberRole::Owner);
            trust(other, &restored, MemberRole::Owner);
        }
        let received = send(laptop, &restored).unwrap();
        assert_eq!((received.records, received.refused), (1, 0), "{erases}");
        assert!(restored.event(after).unwrap().is_some());
        assert!(restored.event(old).unwrap().is_none());
        let again = restored.append(prompt("s", "it goes on")).unwrap().id;
        let both = [restored, stores.into_iter().nth(1).unwrap()];
        settle(&both);
        assert!(both[1].event(again).unwrap().is_some());
        assert_alike(&both, "a restored backup");
    }
}

#[test]
fn the_retraction_mark_changes_with_whatever_must_leave() {
    let stores = stores(2, MemberRole::Owner);
    let (store, other) = (&stores[0], &stores[1]);
    let first = store.append(prompt("s", "one")).unwrap();
    let second = store.append(prompt("s", "two")).unwrap();
    let third = store.append(prompt("s", "three")).unwrap();
    send(store, other).unwrap();
    let mut seen = BTreeSet::new();
    let mut is_new = |what: &str| {
        let mark = store.sharing().retraction_mark().unwrap();
        assert!(seen.insert(mark), "{what}");
    };
    is_new("at the beginning");
    store.forget(&Selector::new().id(first.id)).unwrap();
    is_new("forgotten");
    store.erase(&Selector::new().id(first.id)).unwrap();
    is_new("what was forgotten is erased");
    store.erase(&Selector::new().id(second.id)).unwrap();
    is_new("erased");
    other.erase(&Selector::new().id(third.id)).unwrap();
    send(other, store).unwrap();
    is_new("hidden by another store's order");
    store.sharing().erase_ordered().unwrap();
    is_new("erased by another store's order");
    store.sharing().withhold(ScopeKind::Session, "s").unwrap();
    is_new("withheld");
    let before = store.sharing().retraction_mark().unwrap();
    store.append(prompt("t", "four")).unwrap();
    assert_eq!(store.sharing().retraction_mark().unwrap(), before);
    let moved = |project: &str| SessionUpdate {
        project: Some(project.to_owned()),
        ..SessionUpdate::default()
    };
    store.update_session("t", moved("shop")).unwrap();
    is_new("a session was moved");
    send(store, other).unwrap();
    other.update_session("t", moved("bank")).unwrap();
    send(other, store).unwrap();
    is_new("another store moved it");
    let before = store.sharing().retraction_mark().unwrap();
    store.update_session("t", moved("bank")).unwrap();
    assert_eq!(store.sharing().retraction_mark().unwrap(), before);
}

#[test]
fn what_is_offered_again_reaches_those_who_were_already_further() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    let folder = tempfile::tempdir().unwrap();
    sender
        .sharing()
        .withhold(ScopeKind::Session, "diary")
        .unwrap();
    sender.append(prompt("diary", "apples")).unwrap();
    sender.append(prompt("work", "pears")).unwrap();
    sender.sharing().push_folder(&folder).unwrap();
    receiver.sharing().pull_folder(&folder).unwrap();
    assert!(!finds(receiver, "apples"));
    sender.sharing().offer(ScopeKind::Session, "diary").unwrap();
    sender.sharing().push_folder(&folder).unwrap();
    receiver.sharing().pull_folder(&folder).unwrap();
    assert!(finds(receiver, "apples"));
    // Once: a second pull reads no file again.
    let pulled = receiver.sharing().pull_folder(&folder).unwrap();
    assert_eq!((pulled.files, pulled.records), (0, 0));
    // Through batches: the next one says so, and asking from the watermark returns
    // everything.
    sender
        .sharing()
        .withhold(ScopeKind::Session, "notes")
        .unwrap();
    sender.append(prompt("notes", "plums")).unwrap();
    send(sender, receiver).unwrap();
    sender.sharing().offer(ScopeKind::Session, "notes").unwrap();
    assert_eq!(send(sender, receiver).unwrap().through, 0);
    send(sender, receiver).unwrap();
    assert!(finds(receiver, "plums"));
    assert_eq!(
        receiver.sharing().shared_hash().unwrap(),
        sender.sharing().shared_hash().unwrap()
    );
}

#[test]
fn what_a_moved_session_no_longer_withholds_reaches_those_who_were_already_further() {
    let stores = stores(3, MemberRole::Owner);
    let [sender, receiver, late] = &stores[..] else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let sharing = sender.sharing();
    sharing.withhold(ScopeKind::Project, "secret").unwrap();
    sender
        .append(prompt("s", "apples").project("secret"))
        .unwrap();
    let entry = NewEntry {
        project: Some("shop".to_owned()),
        ..NewEntry::new(EntryType::Fact, "s", "zqgate", "The zqgate is green.")
    };
    sender.knowledge().add_entry(&entry).unwrap();
    sharing.push_folder(&folder).unwrap();
    receiver.sharing().pull_folder(&folder).unwrap();
    let known = |store: &Store| {
        let entries = store.knowledge().entries(&Default::default());
        entries.unwrap().len()
    };
    assert_eq!(known(receiver), 0);
    let moved = SessionUpdate {
        project: Some("shop".to_owned()),
        ..SessionUpdate::default()
    };
    sender.update_session("s", moved).unwrap();
    sharing.push_folder(&folder).unwrap();
    for store in [receiver, late] {
        store.sharing().pull_folder(&folder).unwrap();
        assert_eq!(known(store), 1);
    }
    let hash = |store: &Store| store.sharing().shared_hash().unwrap();
    assert_eq!(hash(receiver), hash(late));
}

#[test]
fn a_long_order_that_reaches_nothing_is_read_once_for_a_batch() {
    let stores = stores(3, MemberRole::Writer);
    let [author, thief, reader] = &stores[..] else {
        unreachable!()
    };
    let said: Vec<SharedRecord> = (1..=400)
        .map(|number| SharedRecord {
            position: number,
            stamp: 1,
            kind: "user_prompt".to_owned(),
            id: format!("01800000-0000-7000-8000-{number:012x}"),
            citation: "aaaaaa".to_owned(),
            origin: "user".to_owned(),
            session: "s".to_owned(),
            content: "word".to_owned(),
            ..SharedRecord::default()
        })
        .collect();
    let ranges: Vec<String> = (1..=20_000)
        .map(|at| format!("[{0},{0}]", 2 * at))
        .collect();
    let ranges = format!("[{}]", ranges.join(","));
    let orders = (900..904)
        .map(|position| trust::erasure_of(position, &trust::key_of(author), &ranges))
        .collect();
    let orders = trust::signed_by(thief, BatchHeader::default(), orders);
    let said = trust::signed_by(author, BatchHeader::default(), said);
    reader.sharing().receive(&orders).unwrap();
    let before = crate::store::shared::remote_order_scope::orders_read();
    assert_eq!(reader.sharing().receive(&said).unwrap().records, 400);
    assert_eq!(
        crate::store::shared::remote_order_scope::orders_read() - before,
        4
    );
}
