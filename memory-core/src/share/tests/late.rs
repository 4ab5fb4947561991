//! Tests of what arrives after an erasure and refers to what is erased, and of what an export
//! keeps of all that.

use super::trust::{is_in_files, records_of, signed_by};
use super::*;
use crate::rules::entries::EntryId;

#[test]
fn an_entry_has_one_hash_whether_it_came_before_or_after_an_erasure() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, first, late] = &stores[..] else {
        unreachable!()
    };
    let say = |text: &str| laptop.append(prompt("s", text)).unwrap().id;
    let (gone, _, told) = (say("zqgone"), say("plums"), say("apples are red"));
    let entry = NewEntry {
        event: Some(told.into()),
        ..NewEntry::new(EntryType::Fact, "s", "apples", "apples are red")
    };
    let entry = laptop.knowledge().add_entry(&entry).unwrap().entry.id;
    let learned = laptop.sharing().batch_since(0, 1_000).unwrap();
    laptop.erase(&Selector::new().id(gone)).unwrap();
    let order = laptop.sharing().batch_since(learned.through, 1_000);
    let order = order.unwrap();
    for (store, batches) in [(first, [&learned, &order]), (late, [&order, &learned])] {
        for batch in batches {
            store.sharing().receive(&batch.lines).unwrap();
        }
        store.sharing().erase_ordered().unwrap();
    }
    let number = |store: &Store| {
        let entry = store.knowledge().entry(&entry).unwrap().unwrap().entry;
        entry.evidence().unwrap().aligned[0].message_index
    };
    // An entry of one message numbers it 0. An erasure counts the messages of the session.
    assert_eq!([laptop, first, late].map(number), [1, 1, 0]);
    assert_alike(&stores, "erased and learned");
    // They are the same records when they come under another name.
    laptop.sharing().renew_identity().unwrap();
    for store in [first, late] {
        trust(store, laptop, MemberRole::Owner);
        let again = laptop.sharing().batch_since(0, 1_000).unwrap();
        store.sharing().receive(&again.lines).unwrap();
    }
    settle(&stores);
    assert_alike(&stores, "renewed");
}

#[test]
fn erasing_what_others_ordered_can_be_stopped_and_done_again() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let gone = laptop.append(prompt("s", "zqgone")).unwrap().id;
    send(laptop, desktop).unwrap();
    laptop.erase(&Selector::new().id(gone)).unwrap();
    send(laptop, desktop).unwrap();
    desktop.set_progress_handler(Some(Arc::new(|progress| progress.done == 0)));
    let is_eager = &desktop.engine.operations.is_eager;
    is_eager.store(true, std::sync::atomic::Ordering::Relaxed);
    let error = desktop.sharing().erase_ordered().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Interrupted, "{error}");
    desktop.set_progress_handler(None);
    assert_eq!(desktop.stats().unwrap().erased, 0);
    assert_eq!(desktop.sharing().erase_ordered().unwrap().count, 1);
    assert!(desktop.check().unwrap().ok);
}

fn derived_from(from: &EntryId, to: &EntryId) -> EdgeEnds {
    EdgeEnds {
        source_type: NodeType::Entry,
        source_id: from.as_str().to_owned(),
        relation: Relation::DerivedFrom,
        destination_type: NodeType::Entry,
        destination_id: to.as_str().to_owned(),
    }
}

/// An entry that is erased, two that stay, and a record of the desktop that was made before it
/// knew of the erasure: edges to one of both.
fn erased_meanwhile(laptop: &Store, desktop: &Store) -> (EventId, String) {
    let fact = |session: &str, title: &str| {
        let entry = NewEntry::new(EntryType::Fact, session, title, title);
        laptop.knowledge().add_entry(&entry).unwrap().entry.id
    };
    let (gone, red, green) = (fact("s", "zqtitle"), fact("t", "red"), fact("t", "green"));
    let told = laptop.changes_since(crate::Seq(0), 1).unwrap()[0].id;
    send(laptop, desktop).unwrap();
    let knowledge = desktop.knowledge();
    knowledge
        .add_edge(&derived_from(&red, &green), None)
        .unwrap();
    let mut records = records_of(desktop);
    let record = records.last_mut().unwrap();
    let mut payload: serde_json::Value =
        serde_json::from_str(record.metadata.as_deref().unwrap()).unwrap();
    let mut edge = payload["added"][0].clone();
    let text = edge.to_string().replace(green.as_str(), gone.as_str());
    edge = serde_json::from_str(&text).unwrap();
    edge["meta"] = serde_json::json!({"title": "of zqtitle"});
    payload["added"].as_array_mut().unwrap().push(edge);
    record.metadata = Some(crate::model::json::canonical_text(&payload));
    (told, signed_by(desktop, BatchHeader::default(), records))
}

#[test]
fn a_record_that_comes_after_an_erasure_loses_what_is_about_the_erased() {
    let mut stores = stores(4, MemberRole::Owner);
    let desktop = stores.remove(3);
    let [laptop, third, last] = &stores[..] else {
        unreachable!()
    };
    let (told, edges) = erased_meanwhile(laptop, &desktop);
    // The laptop has the edges before it erases; the third one carries the order out first; the
    // last one has the order and the edges before what is erased.
    send(laptop, third).unwrap();
    let learned = laptop.sharing().batch_since(0, 1_000).unwrap();
    laptop.sharing().receive(&edges).unwrap();
    laptop.erase(&Selector::new().id(told)).unwrap();
    send(laptop, third).unwrap();
    third.sharing().erase_ordered().unwrap();
    assert!(!is_in_files(third, "zqtitle"));
    third.sharing().receive(&edges).unwrap();
    let order = laptop.sharing().batch_since(learned.through, 1_000);
    for batch in [&order.unwrap().lines, &edges, &learned.lines] {
        last.sharing().receive(batch).unwrap();
    }
    for store in &stores {
        store.sharing().erase_ordered().unwrap();
        assert!(!is_in_files(store, "zqtitle"));
        let report = store.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
        let again = store.sharing().erase_ordered().unwrap();
        assert_eq!((again.count, again.tombstone), (0, None));
    }
    assert_alike(&stores, "edges to something erased");
    settle(&stores);
    assert_alike(&stores, "edges to something erased, settled");
}

#[test]
fn an_export_keeps_what_is_withheld_and_the_orders_to_erase() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let diary = ScopeKind::Session;
    desktop.sharing().withhold(diary, "diary").unwrap();
    desktop.append(prompt("diary", "zqdiary")).unwrap();
    let told = laptop.append(prompt("s", "zqtold")).unwrap();
    send(laptop, desktop).unwrap();
    laptop.erase(&Selector::new().id(told.id)).unwrap();
    assert_eq!(send(laptop, desktop).unwrap().to_erase, 1);

    let mut export = Vec::new();
    desktop.upkeep().export_jsonl_to(&mut export, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory.upkeep().restore_jsonl_from(&export[..]).unwrap();
    let restored = Store {
        memory,
        _folder: folder,
    };
    assert!(restored.sharing().is_withheld(diary, "diary").unwrap());
    let sent = restored.sharing().batch_since(0, 1_000).unwrap();
    assert!(!sent.lines.contains("zqdiary"));

    trust(laptop, &restored, MemberRole::Owner);
    trust(&restored, laptop, MemberRole::Owner);
    let waits_for = |store: &Store| {
        let identity = store.sharing().identity().unwrap();
        let open = laptop.sharing().unanswered_erasures(None).unwrap();
        open.iter().any(|it| it.waiting_for.contains(&identity))
    };
    send(laptop, &restored).unwrap();
    send(&restored, laptop).unwrap();
    assert!(waits_for(&restored));
    assert_eq!(restored.sharing().erase_ordered().unwrap().count, 1);
    assert!(!is_in_files(&restored, "zqtold"));
    send(&restored, laptop).unwrap();
    assert!(!waits_for(&restored));
}

#[test]
fn a_task_that_another_store_learned_is_erased_with_its_message() {
    for is_late in [false, true] {
        let stores = stores(2, MemberRole::Owner);
        let [laptop, desktop] = &stores[..] else {
            unreachable!()
        };
        let told = laptop
            .append(prompt("s", "mend the zqlantern soon"))
            .unwrap();
        laptop.append(prompt("s", "good morning")).unwrap();
        send(laptop, desktop).unwrap();
        let answer = serde_json::json!({
            "schema_version": 1,
            "entries": [],
            "tasks": [
                {"id": "t1", "title": "Mend the zqlantern", "description": "zqlantern",
                 "quotes": [{"message_index": 0, "quote": "mend the zqlantern soon"}]},
                // Without a proof, it may rest on either message.
                {"id": "t2", "title": "Buy oil for the zqlantern",
                 "quotes": [{"message_index": 0, "quote": "nobody said this"}]},
            ],
        });
        desktop.ingest("s", &answer.to_string()).unwrap();
        assert!(
            !desktop
                .tasks()
                .list(&Default::default())
                .unwrap()
                .is_empty()
        );
        let erase = || laptop.erase(&Selector::new().id(told.id)).unwrap();
        if is_late {
            erase();
            send(desktop, laptop).unwrap();
            laptop.sharing().erase_ordered().unwrap();
        } else {
            send(desktop, laptop).unwrap();
            assert!(!laptop.tasks().list(&Default::default()).unwrap().is_empty());
            assert!(erase().is_complete);
        }
        assert_eq!(laptop.tasks().list(&Default::default()).unwrap(), []);
        assert!(!is_in_files(laptop, "zqlantern"), "late: {is_late}");
        assert!(laptop.check().unwrap().ok);
        settle(&stores);
        assert_alike(&stores, "a task of an erased message");
        assert!(!is_in_files(desktop, "zqlantern"), "late: {is_late}");
    }
}
