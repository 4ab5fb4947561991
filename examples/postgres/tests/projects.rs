//! What was learned of several projects is seen by those who may see all of them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use common::{OWNER, Postgres, Store};
use recallite::rules::entries::EntryType;
use recallite::rules::graph::{EdgeEnds, NodeType, Relation};
use recallite::{Memory, NewEntry, NewTask, SessionUpdate};
use recallite_postgres::{Pushed, Server};

/// An account that sees some projects, its memory, and a connection.
fn reader(postgres: &Postgres, ada: &Store, account: &str, projects: &[&str]) -> (Store, Server) {
    postgres.accounts(&[account]);
    let mut owner = postgres.connect(OWNER);
    for project in projects {
        owner.grant(account, Some(project)).unwrap();
    }
    let store = Store::new();
    store.take(&[ada]);
    let mut server = postgres.connect(account);
    server.announce(&store.memory, account).unwrap();
    (store, server)
}

/// The store of the account that owns the shared memory.
fn owner_of(postgres: &Postgres) -> (Store, Server) {
    let ada = Store::new();
    let mut owner = postgres.connect(OWNER);
    owner.init().unwrap();
    owner.announce(&ada.memory, "ada").unwrap();
    (ada, owner)
}

/// The same store, opened for the shop.
fn shop_of(store: &Store) -> Memory {
    let shop = Memory::builder().project("shop");
    shop.open(store.folder.path()).unwrap()
}

/// How many records that hold a text an account sees by SQL.
fn seen(postgres: &Postgres, account: &str, text: &str) -> i64 {
    let statement = "SELECT count(*) FROM recallite.record WHERE strpos(line, $1) > 0";
    let mut sql = postgres.sql(account);
    sql.query_one(statement, &[&text]).unwrap().get(0)
}

fn learn(memory: &Memory, session: &str, fact: &str) {
    let entry = NewEntry::new(EntryType::Fact, session, fact, fact);
    memory.knowledge().add_entry(&entry).unwrap();
}

fn update(memory: &Memory, session: &str, update: SessionUpdate) {
    memory.update_session(session, update).unwrap();
}

#[test]
fn an_account_sees_nothing_that_was_learned_of_a_project_it_was_not_granted() {
    let postgres = Postgres::start();
    let (ada, mut owner) = owner_of(&postgres);
    let shop = shop_of(&ada);
    ada.say("bank", "the zqvault opens at noon");
    // The handle is of the shop, the session of the bank.
    learn(&shop, "s", "the zqvault is green");
    learn(&shop, "t", "apples cost one euro");
    let ended = SessionUpdate::default().summary("about the zqvault");
    update(&shop, "s", ended);
    owner.push(&ada.memory).unwrap();

    let (bob, mut as_bob) = reader(&postgres, &ada, "bob", &["shop"]);
    let (eve, mut as_eve) = reader(&postgres, &ada, "eve", &["shop", "bank"]);
    assert_eq!(seen(&postgres, "bob", "zqvault"), 0);
    assert_eq!(
        seen(&postgres, "eve", "zqvault"),
        seen(&postgres, OWNER, "zqvault")
    );
    bob.pull(&mut as_bob);
    eve.pull(&mut as_eve);
    assert!(bob.finds("apples") && !bob.finds("zqvault"));
    let known = |store: &Store| {
        let entries = store.memory.knowledge().entries(&Default::default());
        entries.unwrap().len()
    };
    assert_eq!((known(&bob), known(&eve)), (1, 2));
    assert_eq!(eve.hash(), ada.hash());

    // A session that is moved takes along what was learned of it.
    let moved = SessionUpdate::default().project("bank");
    assert!(seen(&postgres, "bob", "apples") > 0);
    update(&shop, "t", moved);
    assert!(owner.push(&ada.memory).unwrap().rewritten > 0);
    assert_eq!(seen(&postgres, "bob", "apples"), 0);
    eve.pull(&mut as_eve);
    assert_eq!(eve.hash(), ada.hash());
    let pushed = owner.push(&ada.memory).unwrap();
    assert_eq!((pushed.removed, pushed.rewritten), (0, 0));
}

#[test]
fn a_task_of_no_project_stops_no_push_and_is_none_of_a_project_named_default() {
    let postgres = Postgres::start();
    let (ada, mut owner) = owner_of(&postgres);
    let (bob, mut as_bob) = reader(&postgres, &ada, "bob", &["shop"]);
    let task = |store: &Store, title: &str| {
        let task = NewTask::new(title);
        store.memory.tasks().create(&task).unwrap();
    };
    task(&bob, "water the zqroses");
    bob.say("shop", "apples cost one euro");
    as_bob.push(&bob.memory).unwrap();
    ada.take(&[&bob]);
    ada.pull(&mut owner);
    assert!(ada.finds("apples"));
    task(&ada, "paint the zqdoor");
    owner.push(&ada.memory).unwrap();
    let (_eve, _) = reader(&postgres, &ada, "eve", &["default"]);
    assert_eq!(seen(&postgres, "eve", "zqroses"), 0);
    assert_eq!(seen(&postgres, "eve", "zqdoor"), 0);
    owner.grant("eve", Some("")).unwrap();
    assert_eq!(seen(&postgres, "eve", "zqroses"), 1);
    assert_eq!(seen(&postgres, "eve", "zqdoor"), 1);
}

#[test]
fn what_is_moved_into_a_granted_project_is_read_though_later_records_were() {
    let postgres = Postgres::start();
    let (ada, mut owner) = owner_of(&postgres);
    let shop = shop_of(&ada);
    let moved = |project: &str| SessionUpdate::default().project(project);
    learn(&shop, "s", "the zqvault is green");
    update(&shop, "s", moved("bank"));
    learn(&shop, "t", "apples cost one euro");
    owner.push(&ada.memory).unwrap();
    let (bob, mut as_bob) = reader(&postgres, &ada, "bob", &["shop"]);
    bob.pull(&mut as_bob);
    let knows = |what: &str| {
        let known = bob.memory.knowledge().entries(&Default::default());
        let known = known.unwrap();
        known.iter().any(|entry| entry.entry.title.contains(what))
    };
    assert!(knows("apples") && !knows("zqvault"));
    let again = bob.pull(&mut as_bob);
    assert_eq!((again.records, again.duplicates), (0, 0));

    for (session, project) in [("s", "shop"), ("t", "bank"), ("t", "shop")] {
        update(&shop, session, moved(project));
        let pushed = owner.push(&ada.memory).unwrap();
        assert!(pushed.rewritten > 0, "{pushed:?}");
    }
    bob.pull(&mut as_bob);
    assert!(knows("zqvault"));
    // As somebody knows it who comes later, and read once.
    let (eve, mut as_eve) = reader(&postgres, &ada, "eve", &["shop"]);
    eve.pull(&mut as_eve);
    assert_eq!(bob.hash(), eve.hash());
    for (store, server) in [(&bob, &mut as_bob), (&eve, &mut as_eve)] {
        let again = store.pull(server);
        assert_eq!((again.records, again.duplicates), (0, 0));
    }
    // With other rights, all of it is read once more, and that is noted too.
    owner.grant("bob", Some("bank")).unwrap();
    bob.pull(&mut as_bob);
    assert_eq!(bob.hash(), ada.hash());
    let again = bob.pull(&mut as_bob);
    assert_eq!((again.records, again.duplicates), (0, 0));
}

#[test]
fn what_comes_to_be_about_a_project_that_was_not_granted_is_seen_no_more() {
    let postgres = Postgres::start();
    let (ada, mut owner) = owner_of(&postgres);
    let (bob, mut as_bob) = reader(&postgres, &ada, "bob", &["shop"]);
    learn(&shop_of(&ada), "t", "the zqgate is green");
    owner.push(&ada.memory).unwrap();
    assert!(seen(&postgres, "bob", "entry_changed") > 0);
    let said = ada.say("bank", "of the gate");
    let learned = ada.memory.knowledge().entries(&Default::default()).unwrap();
    let ends = EdgeEnds {
        source_type: NodeType::Event,
        source_id: said.id.to_string(),
        relation: Relation::SourceOf,
        destination_type: NodeType::Entry,
        destination_id: learned[0].entry.id.as_str().to_owned(),
    };
    ada.memory.knowledge().add_edge(&ends, None).unwrap();
    let pushed = owner.push(&ada.memory).unwrap();
    assert!(pushed.rewritten > 0, "{pushed:?}");
    assert_eq!(seen(&postgres, "bob", "entry_changed"), 0);
    bob.pull(&mut as_bob);
    let known = bob.memory.knowledge().entries(&Default::default());
    assert!(known.unwrap().is_empty());
    // Compared once.
    assert_eq!(owner.push(&ada.memory).unwrap(), Pushed::default());
}

#[test]
fn a_pull_leaves_nothing_on_the_server() {
    let postgres = Postgres::start();
    let (ada, mut owner) = owner_of(&postgres);
    ada.say("bank", "the vault opens at noon");
    owner.push(&ada.memory).unwrap();
    let (bob, mut as_bob) = reader(&postgres, &ada, "bob", &["bank"]);
    let rows = || {
        let statement = "SELECT string_agg(store::text, ' ' ORDER BY id) FROM recallite.store";
        let mut sql = postgres.sql("bob");
        sql.query_one(statement, &[]).unwrap().get::<_, String>(0)
    };
    let before = rows();
    assert_eq!(bob.pull(&mut as_bob).records, 1);
    owner.grant("bob", Some("shop")).unwrap();
    bob.pull(&mut as_bob);
    // Others would see with which rights he has read, and a backup of it would be out of date.
    assert_eq!(rows(), before);
}

#[test]
fn what_a_store_recorded_is_read_by_the_others_of_the_account_that_it_comes_to() {
    let postgres = Postgres::start();
    let (ada, _owner) = owner_of(&postgres);
    let (laptop, mut as_bob) = reader(&postgres, &ada, "bob", &["shop"]);
    let (desktop, mut as_both) = reader(&postgres, &ada, "bob2", &["shop"]);
    desktop.take(&[&laptop]);
    laptop.say("shop", "apples cost one euro");
    // What belongs to no project may always be pushed.
    laptop.say("", "the zqdiary is closed");
    as_bob.push(&laptop.memory).unwrap();
    desktop.pull(&mut as_both);
    assert!(desktop.finds("apples") && !desktop.finds("zqdiary"));
    let leave = "SELECT recallite.leave($1)";
    let mut sql = postgres.sql("bob");
    let has_left = sql.query_one(leave, &[&laptop.identity()]).unwrap();
    assert!(has_left.get::<_, bool>(0));
    let mut of_both = postgres.connect("bob2");
    of_both.announce(&laptop.memory, "laptop").unwrap();
    of_both.push(&laptop.memory).unwrap();
    desktop.pull(&mut as_both);
    assert!(desktop.finds("zqdiary"));
    assert_eq!(desktop.hash(), laptop.hash());
    let again = desktop.pull(&mut as_both);
    assert_eq!((again.records, again.duplicates), (0, 0));
}

#[test]
fn a_name_may_hold_whatever_names_hold() {
    let postgres = Postgres::start();
    let (ada, mut owner) = owner_of(&postgres);
    let names = [
        "",
        "NULL",
        "a,b",
        "{\"x\"}",
        "back\\slash",
        "caf\u{e9} \u{1f980}",
    ];
    for (number, name) in names.into_iter().enumerate() {
        ada.say(name, &format!("zq{number}zq"));
    }
    owner.push(&ada.memory).unwrap();
    for (number, name) in names.into_iter().enumerate() {
        let account = format!("reader{number}");
        let (store, mut server) = reader(&postgres, &ada, &account, &[name]);
        assert_eq!(store.pull(&mut server).records, 1, "{name:?}");
        assert!(store.finds(&format!("zq{number}zq")), "{name:?}");
    }
}

#[test]
fn what_was_learned_of_an_event_without_a_project_is_for_those_who_may_see_that_too() {
    let postgres = Postgres::start();
    let (ada, mut owner) = owner_of(&postgres);
    ada.say("shop", "apples cost one euro");
    let said = ada.say("", "the zqvault opens at noon");
    let entry = NewEntry::new(EntryType::Fact, "s", "zqvault", "the zqvault opens at noon")
        .event(said.id.into())
        .project("shop");
    let entry = ada.memory.knowledge().add_entry(&entry).unwrap();
    ada.memory.knowledge().deprecate(&entry.entry.id).unwrap();
    owner.push(&ada.memory).unwrap();
    let (_bob, _) = reader(&postgres, &ada, "bob", &["shop"]);
    let (_eve, _) = reader(&postgres, &ada, "eve", &["shop", ""]);
    assert_eq!(seen(&postgres, "bob", "zqvault"), 0);
    assert_eq!(
        seen(&postgres, "eve", "zqvault"),
        seen(&postgres, OWNER, "zqvault")
    );
}
