//! What a server has lost, or has again: rows that are gone, and the state of a backup.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use common::{OWNER, Postgres, Store, two};
use recallite::rules::entries::EntryType;
use recallite::{Memory, NewEntry, Pulled, Selector, SessionUpdate};
use recallite_postgres::{Error, Pushed};

/// Ada, who owns the shared memory, and Bob, who sees the shop and takes Ada's records.
fn ada_and_bob(postgres: &Postgres) -> [Store; 2] {
    postgres.accounts(&["bob"]);
    let stores = [Store::new(), Store::new()];
    stores[1].take(&[&stores[0]]);
    let mut owner = postgres.connect(OWNER);
    owner.init().unwrap();
    owner.grant("bob", Some("shop")).unwrap();
    for (store, account) in stores.iter().zip([OWNER, "bob"]) {
        let mut server = postgres.connect(account);
        server.announce(&store.memory, account).unwrap();
    }
    stores
}

fn push(postgres: &Postgres, store: &Store) -> Pushed {
    postgres.connect(OWNER).push(&store.memory).unwrap()
}

fn pull(postgres: &Postgres, store: &Store) -> Pulled {
    store.pull(&mut postgres.connect("bob"))
}

fn move_to(store: &Store, session: &str, project: &str) {
    let update = SessionUpdate::default().project(project);
    store.memory.update_session(session, update).unwrap();
}

/// Whether a memory has learned something with this title.
fn knows(store: &Store, title: &str) -> bool {
    let known = store.memory.knowledge().entries(&Default::default());
    known
        .unwrap()
        .iter()
        .any(|entry| entry.entry.title == title)
}

fn sql(postgres: &Postgres, statement: &str) {
    postgres.sql(OWNER).batch_execute(statement).unwrap();
}

#[test]
fn rows_that_were_lost_are_sent_again_also_to_who_has_passed_them() {
    let lost = [
        "TRUNCATE recallite.record",
        "DELETE FROM recallite.record WHERE position IN (3, 5)",
        // It compares them for another reason too.
        "DELETE FROM recallite.record WHERE position > 4; \
         UPDATE recallite.store SET retraction_mark = ''",
    ];
    for statement in lost {
        let postgres = Postgres::start();
        let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
        laptop.say("shop", "zq1zq");
        let erased = laptop.say("shop", "zq2zq");
        one.push(&laptop.memory).unwrap();
        assert_eq!(desktop.pull(&mut two).records, 2);
        laptop.memory.erase(&Selector::new().id(erased.id)).unwrap();
        for text in ["zq5zq", "zq6zq"] {
            laptop.say("shop", text);
        }
        let pushed = one.push(&laptop.memory).unwrap();
        assert_eq!(pushed.records, 4, "{pushed:?}");
        sql(&postgres, statement);
        // It sees no more than there is, and believes that this is all.
        let pulled = desktop.pull(&mut two);
        assert!(pulled.records < 4, "{statement}: {pulled:?}");
        let pushed = postgres.connect(OWNER).push(&laptop.memory).unwrap();
        assert!(pushed.records > 0, "{statement}: {pushed:?}");
        desktop.pull(&mut two);
        assert!(
            desktop.finds("zq5zq") && desktop.finds("zq6zq"),
            "{statement}"
        );
        assert!(!desktop.finds("zq2zq"), "{statement}");
        assert_eq!(desktop.hash(), laptop.hash(), "{statement}");
        // Once, and not for ever.
        let again = postgres.connect(OWNER).push(&laptop.memory).unwrap();
        assert_eq!(again, Pushed::default(), "{statement}");
        let again = desktop.pull(&mut two);
        assert_eq!((again.records, again.duplicates), (0, 0), "{statement}");
        assert_eq!(Store::late(&postgres, &[&laptop]).hash(), laptop.hash());
    }
}

#[test]
fn a_store_whose_row_was_lost_is_told_and_read_once_more() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    laptop.say("shop", "zq1zq");
    one.push(&laptop.memory).unwrap();
    desktop.pull(&mut two);
    sql(&postgres, "TRUNCATE recallite.store CASCADE");
    for error in [
        one.push(&laptop.memory).err(),
        two.pull(&desktop.memory).err(),
    ] {
        assert!(matches!(error, Some(Error::NotAnnounced)), "{error:?}");
    }
    one.announce(&laptop.memory, "laptop").unwrap();
    two.announce(&desktop.memory, "desktop").unwrap();
    desktop.pull(&mut two);
    laptop.say("shop", "zq2zq");
    assert_eq!(one.push(&laptop.memory).unwrap().records, 2);
    desktop.pull(&mut two);
    assert!(desktop.finds("zq2zq"));
    assert_eq!(desktop.hash(), laptop.hash());
}

#[test]
fn a_server_in_the_state_of_a_backup_makes_nobody_skip_what_comes() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    laptop.say("shop", "zq1zq");
    let erased = laptop.say("shop", "zq2zq");
    one.push(&laptop.memory).unwrap();
    desktop.pull(&mut two);
    let backup = postgres.backup();
    laptop.memory.erase(&Selector::new().id(erased.id)).unwrap();
    laptop.say("shop", "zq3zq");
    push(&postgres, &laptop);
    desktop.pull(&mut postgres.connect(OWNER));
    postgres.restore(&backup);
    // In the meantime, they see what was there.
    desktop.pull(&mut postgres.connect(OWNER));
    let early = Store::late(&postgres, &[&laptop]);
    laptop.say("shop", "zq5zq");
    push(&postgres, &laptop);
    assert!(!postgres.everything().contains("zq2zq"));
    for store in [&desktop, &early, &Store::late(&postgres, &[&laptop])] {
        store.pull(&mut postgres.connect(OWNER));
        assert!(store.finds("zq5zq") && !store.finds("zq2zq"));
        assert_eq!(store.hash(), laptop.hash());
    }
}

#[test]
fn what_was_passed_over_without_a_right_is_read_when_a_backup_brings_the_right_back() {
    let postgres = Postgres::start();
    let [ada, bob] = ada_and_bob(&postgres);
    let mut owner = postgres.connect(OWNER);
    owner.grant("bob", Some("bank")).unwrap();
    ada.say("bank", "zq1zq");
    push(&postgres, &ada);
    pull(&postgres, &bob);
    let backup = postgres.backup();
    let mut owner = postgres.connect(OWNER);
    assert!(owner.revoke("bob", Some("bank")).unwrap());
    ada.say("bank", "zq2zq");
    ada.say("shop", "zq3zq");
    push(&postgres, &ada);
    pull(&postgres, &bob);
    assert!(bob.finds("zq3zq") && !bob.finds("zq2zq"));
    postgres.restore(&backup);
    push(&postgres, &ada);
    pull(&postgres, &bob);
    assert!(bob.finds("zq2zq"));
    assert_eq!(bob.hash(), ada.hash());
    let again = pull(&postgres, &bob);
    assert_eq!((again.records, again.duplicates), (0, 0));
}

#[test]
fn what_was_moved_into_a_granted_project_is_read_whatever_the_server_has_forgotten() {
    let postgres = Postgres::start();
    let [ada, bob] = ada_and_bob(&postgres);
    let shop = Memory::builder().project("shop");
    let shop = shop.open(ada.folder.path()).unwrap();
    for session in ["a", "b", "c"] {
        let entry = NewEntry::new(EntryType::Fact, session, session, "the gate is green");
        shop.knowledge().add_entry(&entry).unwrap();
        move_to(&ada, session, "bank");
    }
    ada.say("shop", "zq1zq");
    push(&postgres, &ada);
    pull(&postgres, &bob);
    let backup = postgres.backup();
    move_to(&ada, "a", "shop");
    push(&postgres, &ada);
    pull(&postgres, &bob);
    assert!(knows(&bob, "a") && !knows(&bob, "b"));
    // One move before the backup was put back, and one after it.
    postgres.restore(&backup);
    move_to(&ada, "b", "shop");
    push(&postgres, &ada);
    pull(&postgres, &bob);
    assert!(knows(&bob, "a") && knows(&bob, "b") && !knows(&bob, "c"));
    // And one while its store had left.
    let leave = "SELECT recallite.leave($1)";
    let mut owner = postgres.sql(OWNER);
    owner.execute(leave, &[&ada.identity()]).unwrap();
    move_to(&ada, "c", "shop");
    let mut server = postgres.connect(OWNER);
    server.announce(&ada.memory, "ada").unwrap();
    pull(&postgres, &bob);
    push(&postgres, &ada);
    pull(&postgres, &bob);
    assert!(knows(&bob, "c"));
    let again = pull(&postgres, &bob);
    assert_eq!((again.records, again.duplicates), (0, 0));
}
