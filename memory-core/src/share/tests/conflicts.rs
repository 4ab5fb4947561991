//! What was learned of messages that an order hides, whichever arrives first.

use super::histories::assert_same_for_callers;
use super::*;

/// An entry learned before a conflict about it that arrives after the conflict.
#[test]
fn what_a_conflict_left_goes_with_it_whatever_came_first() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, late] = &stores[..] else {
        unreachable!()
    };
    let learn = |session: &str, fact: &str| {
        let entry = NewEntry::new(EntryType::Fact, session, fact, fact);
        laptop.knowledge().add_entry(&entry).unwrap().entry.id
    };
    let seven = learn("s", "the port is 7");
    let first = laptop.sharing().batch_since(0, 1_000).unwrap();
    let one = learn("t", "the port is 1");
    let learned = laptop.stats().unwrap().last_seq;
    laptop.knowledge().contradict(&seven, &one, None).unwrap();
    // The conflict, then one of the entries, and not yet the other.
    let conflict = laptop.sharing().batch_since(learned, 1_000).unwrap();
    for batch in [conflict, first] {
        late.sharing().receive(&batch.lines).unwrap();
    }
    // As stored: what contests it is not there.
    let status = || {
        let rows = late.engine.store.read().unwrap().projected().unwrap();
        let entry = crate::projection::entries::entry(&rows, &seven).unwrap();
        entry.unwrap().entry.status.as_str().to_owned()
    };
    assert_eq!(status(), "contested");
    // Only the order to erase what the conflict depends on.
    laptop.erase(&Selector::new().session("t")).unwrap();
    let last = laptop.stats().unwrap().last_seq;
    let order = laptop.sharing().batch_since(last - 1, 1).unwrap();
    late.sharing().receive(&order.lines).unwrap();
    assert_eq!(status(), "active");
    let report = late.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
}

/// What was learned of a message stays where the message is forgotten; so it does where the order
/// to forget it came first, and goes when the message is erased.
#[test]
fn what_was_learned_of_a_message_stays_whether_it_or_the_order_came_first() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, desktop, late] = &stores[..] else {
        unreachable!()
    };
    let said = laptop
        .append(prompt("s", "The zqgate is green."))
        .unwrap()
        .id;
    let entry = NewEntry {
        event: Some(said.into()),
        ..NewEntry::new(EntryType::Fact, "s", "zqgate", "The zqgate is green.")
    };
    let entry = laptop.knowledge().add_entry(&entry).unwrap().entry.id;
    let before = laptop.sharing().batch_since(0, 1_000).unwrap();
    send(laptop, desktop).unwrap();
    let forgotten = desktop.forget(&Selector::new().ids([said])).unwrap();
    assert_eq!(forgotten.count, 1);
    send(desktop, late).unwrap();
    let received = late.sharing().receive(&before.lines).unwrap();
    assert_eq!(received.refused, 1);
    settle(&stores);
    let is_known = |store: &Store| store.knowledge().entry(&entry).unwrap().is_some();
    assert!(stores.iter().all(is_known));
    assert_same_for_callers(&stores, "forgotten");
    assert_alike(&stores, "forgotten");
    let mut export = Vec::new();
    late.upkeep().export_jsonl_to(&mut export, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let restored = Memory::open(folder.path()).unwrap();
    restored.upkeep().restore_jsonl_from(&export[..]).unwrap();
    let report = restored.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    let deleted = |store: &Memory| {
        let stats = store.stats().unwrap();
        (stats.last_seq, stats.forgotten, stats.erased)
    };
    assert_eq!(deleted(&restored), deleted(late));
    assert_eq!(
        desktop.erase(&Selector::new().ids([said])).unwrap().count,
        1
    );
    settle(&stores);
    assert!(!stores.iter().any(is_known));
    assert_same_for_callers(&stores, "erased");
    assert_alike(&stores, "erased");
    for store in &stores {
        let rebuilt = store.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
        assert!(!is_known(store));
    }
}
