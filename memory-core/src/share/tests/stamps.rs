//! Stores whose clocks are wrong.

use super::batches::signed_anew;
use super::*;

#[test]
fn a_stamp_that_nobody_could_follow_is_refused() {
    let stores = stores(2, MemberRole::Writer);
    let [author, victim] = &stores[..] else {
        unreachable!()
    };
    author.append(prompt("s", "one")).unwrap();
    let lines = signed_anew(author, |record| record.stamp = 253_402_300_799_999);
    let error = victim.sharing().receive(&lines).unwrap_err();
    assert!(error.message().contains("a century ahead"), "{error}");
    assert_eq!(send(author, victim).unwrap().records, 1);
}

#[test]
fn a_store_whose_clock_was_centuries_ahead_goes_on_sharing() {
    let (fast, clock) = store_at("2276-01-01T00:00:00Z");
    let (other, _) = store_at("2026-01-01T00:00:00Z");
    trust(&fast, &other, MemberRole::Owner);
    trust(&other, &fast, MemberRole::Owner);
    let new = NewTask {
        title: "paint the gate".to_owned(),
        ..NewTask::default()
    };
    let task = fast.tasks().create(&new).unwrap().id;
    let wrong = fast.stats().unwrap().last_seq;
    let years = -250 * 365 * 24 * 60 * 60 * 1_000;
    clock.advance_ms(years);
    // On its own, it folds what follows as if that had been recorded before.
    let started = TaskStatus::InProgress;
    fast.tasks().change_status(&task, started, &[]).unwrap();
    fast.append(prompt("s", "the port is 7")).unwrap();
    fast.update_session("s", SessionUpdate::default()).unwrap();
    let is_sound = |store: &Store| {
        let report = store.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
        let rebuilt = store.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    };
    is_sound(&fast);
    let refused = send(&fast, &other).unwrap_err();
    assert!(refused.message().contains("forget it where"), "{refused}");
    let later = fast.sharing().batch_since(wrong, 100).unwrap();
    assert!(other.sharing().receive(&later.lines).unwrap().records > 0);
    assert!(finds(&other, "the port is 7"));
    // An answer, and what is recorded after it.
    other.append(prompt("s", "no, it is 9")).unwrap();
    send(&other, &fast).unwrap();
    fast.append(prompt("s", "so it is 9")).unwrap();
    is_sound(&fast);
    let stores = [fast, other];
    stores[0].forget(&Selector::everything()).unwrap();
    stores[0].append(prompt("s", "it is 5 now")).unwrap();
    settle(&stores);
    assert_alike(&stores, "a clock that was centuries ahead");
    stores.iter().for_each(is_sound);
}

#[test]
fn what_follows_a_record_of_a_fast_clock_takes_effect() {
    let (fast, clock) = store_at("2036-01-01T00:00:00Z");
    let (slow, _) = store_at("2026-01-01T00:00:00Z");
    trust(&fast, &slow, MemberRole::Writer);
    trust(&slow, &fast, MemberRole::Writer);
    let new = NewTask {
        title: "paint the gate".to_owned(),
        ..NewTask::default()
    };
    let id = fast.tasks().create(&new).unwrap().id;
    let stores = [fast, slow];
    settle(&stores);
    let started = TaskStatus::InProgress;
    stores[1].tasks().change_status(&id, started, &[]).unwrap();
    // The clock is corrected.
    clock.advance_ms(-10 * 365 * 24 * 60 * 60 * 1_000);
    settle(&stores);
    for store in &stores {
        let task = store.tasks().get(&id).unwrap().unwrap().task;
        assert_eq!(task.status(), started);
    }
}
