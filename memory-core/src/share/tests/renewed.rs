//! Tests of a store that was given a new identity: what it and the others erase is erased
//! everywhere, and nothing of the other machine goes with it if its folder was a copy.

use super::trust::{is_in_files, open_erasures, twin};
use super::*;

/// Renews the identity of the first store, and makes the others accept the new one.
fn renewed(stores: &[Store], role: MemberRole) {
    stores[0].sharing().renew_identity().unwrap();
    for other in &stores[1..] {
        trust(other, &stores[0], role);
    }
}

#[test]
fn an_erasure_right_after_a_renewal_reaches_what_is_known_under_the_former_identity() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let told = laptop.append(prompt("s", "zqmarmalade")).unwrap().id;
    laptop.append(prompt("s", "the rest")).unwrap();
    settle(&stores);
    for number in 0..2 {
        // The second time, it is known under two former identities.
        renewed(&stores, MemberRole::Owner);
        laptop.append(prompt("s", &format!("{number}"))).unwrap();
    }
    laptop.erase(&Selector::new().id(told)).unwrap();
    send(laptop, desktop).unwrap();
    assert!(desktop.event(told).unwrap().is_none());
    assert!(is_in_files(desktop, "zqmarmalade"));
    // Not told as done before it is.
    send(desktop, laptop).unwrap();
    assert!(!open_erasures(laptop).0.is_empty());
    desktop.sharing().erase_ordered().unwrap();
    assert!(!is_in_files(desktop, "zqmarmalade"));
    settle(&stores);
    assert_eq!(open_erasures(laptop), (Vec::new(), Vec::new()));
    assert_alike(&stores, "renewed and erased");
    assert!(finds(desktop, "the rest"));
}

#[test]
fn what_the_others_erase_after_a_renewal_is_erased_in_the_renewed_store() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    let told = laptop.append(prompt("s", "zqmarmalade")).unwrap().id;
    settle(&stores);
    renewed(&stores, MemberRole::Owner);
    desktop.erase(&Selector::new().id(told)).unwrap();
    settle(&stores);
    assert!(laptop.event(told).unwrap().is_none());
    assert!(!is_in_files(laptop, "zqmarmalade"));
    let open = open_erasures(desktop).0;
    let renewed = laptop.sharing().identity().unwrap();
    assert!(!open.contains(&renewed), "{open:?}");
    assert_alike(&stores, "erased elsewhere");
}

#[test]
fn a_copy_with_a_new_identity_erases_nothing_of_the_machine_it_was_copied_from() {
    for role in [MemberRole::Owner, MemberRole::Writer] {
        let others = stores(2, MemberRole::Owner);
        let [laptop, desktop] = &others[..] else {
            unreachable!()
        };
        let common = laptop.append(prompt("s", "zqcommon")).unwrap();
        settle(&others);
        let copy = twin(laptop);
        let say = |store: &Store, text: &str| store.append(prompt("s", text)).unwrap();
        let (here, there) = (say(laptop, "zqhere"), say(&copy, "zqthere"));
        assert_eq!(here.seq, there.seq);
        send(laptop, desktop).unwrap();
        copy.sharing().renew_identity().unwrap();
        for other in [laptop, desktop] {
            trust(other, &copy, role);
            trust(&copy, other, MemberRole::Owner);
        }
        let erase = |id| copy.erase(&Selector::new().id(id)).unwrap().tombstone;
        let orders = [there.id, common.id].map(|id| erase(id).unwrap());
        for other in [laptop, desktop] {
            send(&copy, other).unwrap();
            other.sharing().erase_ordered().unwrap();
            assert!(other.event(here.id).unwrap().is_some(), "{role:?}");
            let is_there = other.event(common.id).unwrap().is_some();
            assert_eq!(is_there, role == MemberRole::Writer);
            send(other, &copy).unwrap();
        }
        // What only the copy had recorded is declined by nobody.
        let open = copy.sharing().unanswered_erasures(None).unwrap();
        let first = open.iter().find(|erasure| erasure.seq == orders[0]);
        assert_eq!(first, None, "{role:?}");
        let is_declined = open.iter().any(|erasure| !erasure.declined_by.is_empty());
        assert_eq!(is_declined, role == MemberRole::Writer);
        // The order also holds for what arrives after it, and for nothing else.
        let late = newcomer(&[]);
        for other in [&copy, laptop] {
            trust(&late, other, MemberRole::Owner);
            let batch = other.sharing().batch_since(0, 1_000).unwrap();
            late.sharing().receive(&batch.lines).unwrap();
        }
        assert!(late.event(here.id).unwrap().is_some());
        assert!(late.event(common.id).unwrap().is_none());
        let mut all: Vec<Store> = others.into_iter().collect();
        all.push(copy);
        if role == MemberRole::Owner {
            settle(&all);
            assert_alike(&all, "a copy");
        }
    }
}

#[test]
fn records_of_one_moment_keep_their_order_when_an_identity_changes() {
    // Whichever of the keys is lower: several draws.
    for draw in 0..6 {
        let (a, _) = store_at("2026-01-01T00:00:00Z");
        let (b, _) = store_at("2026-01-01T00:00:00Z");
        let mut stores = vec![a, b];
        trust(&stores[0], &stores[1], MemberRole::Owner);
        trust(&stores[1], &stores[0], MemberRole::Owner);
        for (store, name) in stores.iter().zip(["shop", "bank"]) {
            store.append(prompt("s", name).project(name)).unwrap();
            let task = NewTask {
                title: "one task".to_owned(),
                ..NewTask::default()
            };
            store.tasks().create(&task).unwrap();
        }
        settle(&stores);
        renewed(&stores, MemberRole::Owner);
        assert_alike(&stores, &format!("renewed, draw {draw}"));
        settle(&stores);
        assert_alike(&stores, &format!("exchanged, draw {draw}"));
        // One that comes later knows the new identity alone.
        let late = newcomer(&stores);
        stores.push(late);
        assert_alike(&stores, &format!("a newcomer, draw {draw}"));
        for store in &stores {
            let rebuilt = store.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
            assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
        }
    }
}

#[test]
fn an_erasure_that_nobody_had_answered_before_a_renewal_is_answered_after_it() {
    for role in [MemberRole::Owner, MemberRole::Writer] {
        let stores = stores(2, role);
        let [laptop, desktop] = &stores[..] else {
            unreachable!()
        };
        let told = laptop.append(prompt("s", "zqmarmalade")).unwrap().id;
        let other = desktop.append(prompt("s", "zqpeach")).unwrap().id;
        settle(&stores);
        laptop.erase(&Selector::new().ids([told, other])).unwrap();
        send(laptop, desktop).unwrap();
        renewed(&stores, role);
        send(laptop, desktop).unwrap();
        // It has arrived under both identities and is carried out under neither.
        send(desktop, laptop).unwrap();
        let desktop_alone = vec![desktop.sharing().identity().unwrap()];
        assert_eq!(open_erasures(laptop).0, desktop_alone, "{role:?}");
        desktop.sharing().erase_ordered().unwrap();
        assert!(!is_in_files(desktop, "zqmarmalade"));
        send(desktop, laptop).unwrap();
        let declined = match role {
            MemberRole::Owner => Vec::new(),
            MemberRole::Writer => desktop_alone,
        };
        assert_eq!(open_erasures(laptop), (Vec::new(), declined), "{role:?}");
        assert_eq!(is_in_files(desktop, "zqpeach"), role == MemberRole::Writer);
    }
}

/// What a store keeps from the others: they know it under its former identity alone.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kept {
    Forgotten,
    Withheld,
}

impl Kept {
    const ALL: [Kept; 2] = [Kept::Forgotten, Kept::Withheld];

    fn keep(self, store: &Store, event: EventId) {
        let sharing = store.sharing();
        match self {
            Kept::Forgotten => {
                let forgotten = store.forget(&Selector::new().id(event)).unwrap();
                assert_eq!(forgotten.count, 1);
            }
            Kept::Withheld => assert!(sharing.withhold(ScopeKind::Project, "shop").unwrap()),
        }
    }
}

#[test]
fn what_a_renewed_store_had_hidden_or_withheld_is_erased_there_too() {
    for kept in Kept::ALL {
        for erases_first in [true, false] {
            let what = format!("{kept:?}, erased before the renewal: {erases_first}");
            let stores = stores(2, MemberRole::Owner);
            let [laptop, desktop] = &stores[..] else {
                unreachable!()
            };
            let say = |text: &str| laptop.append(prompt("s", text).project("shop")).unwrap().id;
            let told = say("zqmarmalade");
            say("the rest");
            settle(&stores);
            kept.keep(laptop, told);
            let erase = || {
                let erased = desktop.erase(&Selector::new().id(told)).unwrap();
                assert_eq!(erased.count, 1, "{what}");
            };
            if erases_first {
                erase();
            }
            let former = laptop.sharing().identity().unwrap();
            renewed(&stores, MemberRole::Owner);
            if !erases_first {
                erase();
            }
            send(desktop, laptop).unwrap();
            assert!(laptop.event(told).unwrap().is_none(), "{what}");
            assert!(is_in_files(laptop, "zqmarmalade"), "{what}");
            // Not told as done before it is.
            send(laptop, desktop).unwrap();
            let renewed = laptop.sharing().identity().unwrap();
            assert!(open_erasures(desktop).0.contains(&renewed), "{what}");
            settle(&stores);
            assert!(!is_in_files(laptop, "zqmarmalade"), "{what}");
            // Nobody answers under the former identity.
            assert_eq!(open_erasures(desktop).0, [former.as_str()], "{what}");
            desktop.sharing().remove_member(&former).unwrap();
            assert_eq!(open_erasures(desktop), (Vec::new(), Vec::new()), "{what}");
            laptop.sharing().offer(ScopeKind::Project, "shop").unwrap();
            settle(&stores);
            assert_alike(&stores, &what);
            assert!(finds(desktop, "the rest"), "{what}");
        }
    }
}

#[test]
fn an_order_that_no_owner_gave_reaches_nothing_that_a_renewed_store_signed_before() {
    for kept in Kept::ALL {
        let stores = stores(2, MemberRole::Writer);
        let [laptop, desktop] = &stores[..] else {
            unreachable!()
        };
        let told = laptop.append(prompt("s", "zqmarmalade").project("shop"));
        let told = told.unwrap().id;
        settle(&stores);
        if kept == Kept::Withheld {
            kept.keep(laptop, told);
        }
        let former = laptop.sharing().identity().unwrap();
        renewed(&stores, MemberRole::Writer);
        desktop.erase(&Selector::new().id(told)).unwrap();
        settle(&stores);
        assert!(laptop.event(told).unwrap().is_some(), "{kept:?}");
        let renewed = laptop.sharing().identity().unwrap();
        let mut declined = open_erasures(desktop).1;
        declined.dedup();
        assert_eq!(declined, [renewed], "{kept:?}");
        // Once it has erased that itself, it declines nothing any more.
        let sharing = desktop.sharing();
        sharing.remove_member(&former).unwrap();
        laptop.erase(&Selector::new().id(told)).unwrap();
        settle(&stores);
        assert_eq!(open_erasures(desktop), (Vec::new(), Vec::new()), "{kept:?}");
    }
}

#[test]
fn what_a_machine_erases_is_erased_in_a_copy_of_its_folder_though_it_was_not_read_again() {
    for role in [MemberRole::Owner, MemberRole::Writer] {
        let laptop = stores(1, role).remove(0);
        let common = laptop.append(prompt("s", "zqcommon")).unwrap();
        // So the copy never sends it under its own key.
        laptop.forget(&Selector::new().id(common.id)).unwrap();
        let copy = twin(&laptop);
        let say = |store: &Store, text: &str| store.append(prompt("s", text)).unwrap();
        let (here, there) = (say(&laptop, "zqhere"), say(&copy, "zqthere"));
        assert_eq!(here.seq, there.seq);
        copy.sharing().renew_identity().unwrap();
        laptop
            .erase(&Selector::new().ids([common.id, here.id]))
            .unwrap();
        trust(&copy, &laptop, role);
        trust(&laptop, &copy, role);
        let both = [laptop, copy];
        settle(&both);
        let [laptop, copy] = &both;
        assert!(copy.event(there.id).unwrap().is_some(), "{role:?}");
        // Two stores signed it, so the copy obeys an owner only.
        let is_kept = role == MemberRole::Writer;
        assert_eq!(is_in_files(copy, "zqcommon"), is_kept, "{role:?}");
        let (waiting, mut declined) = open_erasures(laptop);
        declined.dedup();
        let expected = is_kept.then(|| copy.sharing().identity().unwrap());
        assert_eq!(waiting, [""; 0], "{role:?}");
        assert_eq!(declined, Vec::from_iter(expected), "{role:?}");
    }
}

/// The desktop learns the former identity alone, the third machine the new one alone.
#[test]
fn an_erasure_reaches_what_another_store_knows_under_another_identity_of_its_author() {
    let mut all = stores(2, MemberRole::Owner);
    let told = all[0].append(prompt("s", "zqmarmalade")).unwrap().id;
    settle(&all);
    renewed(&all, MemberRole::Owner);
    let third = newcomer(&all[..1]);
    for other in &all {
        trust(other, &third, MemberRole::Owner);
        trust(&third, other, MemberRole::Owner);
    }
    assert!(third.event(told).unwrap().is_some());
    all[0].forget(&Selector::new().id(told)).unwrap();
    all.push(third);
    let [laptop, desktop, third] = &all[..] else {
        unreachable!()
    };
    send(laptop, desktop).unwrap();
    assert!(is_in_files(desktop, "zqmarmalade"));
    third.erase(&Selector::new().id(told)).unwrap();
    // Whether its author is there or not.
    send(third, desktop).unwrap();
    desktop.sharing().erase_ordered().unwrap();
    assert!(!is_in_files(desktop, "zqmarmalade"));
    settle(&all);
    for store in &all {
        assert!(!is_in_files(store, "zqmarmalade"));
    }
    assert_alike(&all, "known under two identities");
}

#[test]
fn what_a_store_restored_from_an_export_had_hidden_or_withheld_is_erased_there_too() {
    for kept in Kept::ALL {
        let mut all = stores(2, MemberRole::Owner);
        let told = all[0].append(prompt("s", "zqmarmalade").project("shop"));
        let told = told.unwrap().id;
        settle(&all);
        kept.keep(&all[0], told);
        let mut export = Vec::new();
        all[0].upkeep().export_jsonl_to(&mut export, None).unwrap();
        let restored = stores(1, MemberRole::Owner).remove(0);
        restored.upkeep().restore_jsonl_from(&export[..]).unwrap();
        all[0] = restored;
        trust(&all[0], &all[1], MemberRole::Owner);
        trust(&all[1], &all[0], MemberRole::Owner);
        all[1].erase(&Selector::new().id(told)).unwrap();
        settle(&all);
        assert!(!is_in_files(&all[0], "zqmarmalade"), "{kept:?}");
    }
}
