//! What is read again: after other rights, after a member comes back, after a failure.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{OWNER, Postgres, Store, two};
use recallite::clock::IdSource;
use recallite::{ErrorCode, EventId, EventKind, Memory, NewEvent, ScopeKind, Timestamp};
use recallite_postgres::{Error, Server};

/// Ada, who owns the shared memory, and Bob, who sees the shop and takes Ada's records.
fn ada_and_bob(postgres: &Postgres) -> ([Store; 2], [Server; 2]) {
    postgres.accounts(&["bob"]);
    let stores = [Store::new(), Store::new()];
    stores[1].take(&[&stores[0]]);
    let mut servers = [postgres.connect(OWNER), postgres.connect("bob")];
    servers[0].init().unwrap();
    servers[0].grant("bob", Some("shop")).unwrap();
    for (store, server) in stores.iter().zip(&mut servers) {
        server.announce(&store.memory, "m").unwrap();
    }
    (stores, servers)
}

#[test]
fn a_member_that_comes_back_is_read_from_the_beginning() {
    let postgres = Postgres::start();
    let ([ada, bob], [mut owner, mut server]) = ada_and_bob(&postgres);
    ada.say("bank", "the vault opens at noon");
    ada.say("shop", "apples cost one euro");
    owner.push(&ada.memory).unwrap();
    assert_eq!(bob.pull(&mut server).records, 1);
    let members = bob.memory.sharing();
    members.remove_member(&ada.identity()).unwrap();
    // What was granted meanwhile lies before what was received.
    owner.grant("bob", Some("bank")).unwrap();
    let pulled = bob.pull(&mut server);
    assert_eq!((pulled.records, pulled.duplicates), (0, 0));
    assert_eq!(pulled.strangers, [ada.identity()]);
    ada.say("shop", "plums cost two euros");
    owner.push(&ada.memory).unwrap();
    assert_eq!(bob.pull(&mut server).records, 0, "nothing of a stranger");
    assert!(!bob.finds("plums"));
    bob.take(&[&ada]);
    let pulled = bob.pull(&mut server);
    assert_eq!((pulled.records, pulled.duplicates), (2, 1));
    assert_eq!(bob.hash(), ada.hash());
    let pulled = bob.pull(&mut server);
    assert_eq!((pulled.records, pulled.duplicates), (0, 0));
}

#[test]
fn rights_that_were_taken_back_and_given_again_are_read_once_more() {
    let postgres = Postgres::start();
    let ([ada, bob], [mut owner, mut server]) = ada_and_bob(&postgres);
    owner.grant("bob", Some("bank")).unwrap();
    ada.say("bank", "the vault opens at noon");
    owner.push(&ada.memory).unwrap();
    assert_eq!(bob.pull(&mut server).records, 1);
    for (pulls_meanwhile, text) in [(true, "the safe is red"), (false, "the door is green")] {
        assert!(owner.revoke("bob", Some("bank")).unwrap());
        ada.say("bank", text);
        ada.say("shop", "apples cost one euro");
        owner.push(&ada.memory).unwrap();
        if pulls_meanwhile {
            bob.pull(&mut server);
            assert!(bob.finds("apples") && !bob.finds(text));
        }
        owner.grant("bob", Some("bank")).unwrap();
        bob.pull(&mut server);
        assert!(bob.finds(text));
        assert_eq!(bob.hash(), ada.hash());
        let pulled = bob.pull(&mut server);
        assert_eq!((pulled.records, pulled.duplicates), (0, 0));
    }
}

#[test]
fn a_first_pull_that_was_interrupted_goes_on_where_it_was() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, _]) = two(&postgres);
    let long = |number: usize| {
        let text = format!("zq{number}zq {}", "-".repeat(1_400_000));
        NewEvent::new(EventKind::UserPrompt, "s", text)
    };
    laptop
        .memory
        .append_batch((0..9).map(long).collect())
        .unwrap();
    one.push(&laptop.memory).unwrap();
    // Three records are a batch, and the connection ends in the second one.
    let port = postgres.cut_after(7_000_000);
    let url = format!("postgres://{OWNER}@127.0.0.1:{port}/postgres");
    let mut two = Server::connect(&url).unwrap();
    let lost = two.pull(&desktop.memory).unwrap_err();
    assert!(lost.is_transient(), "{lost}");
    let taken = desktop.memory.sharing().watermarks().unwrap()[0].position;
    assert_eq!(taken, 3);
    let mut two = postgres.connect(OWNER);
    let pulled = desktop.pull(&mut two);
    assert_eq!((pulled.records, pulled.duplicates), (9 - taken, 0));
    assert_eq!(desktop.hash(), laptop.hash());
}

/// Ids that two stores have in common.
#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn event_id(&self, _: Timestamp) -> EventId {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let text = format!("01900000-0000-7000-8000-{number:012x}");
        text.parse().unwrap()
    }

    fn salt(&self) -> [u8; 16] {
        let mut salt = [0; 16];
        for byte in &mut salt {
            *byte = fastrand::u8(..);
        }
        salt
    }
}

#[test]
fn a_record_that_is_refused_does_not_have_all_read_again_forever() {
    let postgres = Postgres::start();
    let (stores, [mut owner, mut server]) = ada_and_bob(&postgres);
    let counted = || {
        let folder = tempfile::tempdir().unwrap();
        let ids = Arc::new(Counted::default());
        let memory = Memory::builder().ids(ids).open(folder.path()).unwrap();
        Store { memory, folder }
    };
    let (bob, dora, cleo) = (&stores[1], counted(), counted());
    bob.take(&[&dora, &cleo]);
    dora.say("shop", "apples cost one euro");
    cleo.say("bank", "the vault opens at noon");
    cleo.say("shop", "plums cost two euros");
    cleo.say("bank", "the safe is red");
    for store in [&dora, &cleo] {
        owner.announce(&store.memory, "m").unwrap();
        owner.push(&store.memory).unwrap();
    }
    assert_eq!(bob.pull(&mut server).records, 2);
    owner.grant("bob", Some("bank")).unwrap();
    let error = server.pull(&bob.memory).unwrap_err();
    let Error::Memory(error) = error else {
        panic!("{error}")
    };
    assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&cleo.identity()) && text.contains("position 1"),
        "{text}"
    );
    assert!(bob.finds("safe is red") && bob.finds("apples") && !bob.finds("vault"));
    let pulled = bob.pull(&mut server);
    assert_eq!((pulled.records, pulled.duplicates), (0, 0));
}

#[test]
fn what_is_offered_while_a_push_runs_reaches_the_others() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let project = ScopeKind::Project;
    laptop.memory.sharing().withhold(project, "diary").unwrap();
    laptop.say("diary", "the roses are in bloom");
    laptop.say("shop", "apples cost one euro");
    one.push(&laptop.memory).unwrap();
    desktop.pull(&mut two);
    laptop.say("shop", "plums cost two euros");

    // Another machine holds the row, so the push waits between its two steps.
    let mut holder = postgres.sql(OWNER);
    let mut held = holder.transaction().unwrap();
    let statement = "SELECT 1 FROM recallite.store WHERE identity = $1 FOR UPDATE";
    held.execute(statement, &[&laptop.identity()]).unwrap();
    std::thread::scope(|scope| {
        let push = scope.spawn(|| one.push(&laptop.memory));
        let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
        let mut watcher = postgres.sql(OWNER);
        while watcher.query_one(waiting, &[]).unwrap().get::<_, i64>(0) == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        laptop.memory.sharing().offer(project, "diary").unwrap();
        held.commit().unwrap();
        push.join().unwrap().unwrap();
    });
    desktop.pull(&mut two);
    one.push(&laptop.memory).unwrap();
    desktop.pull(&mut two);
    assert!(desktop.finds("roses are in bloom"));
    assert_eq!(desktop.hash(), laptop.hash());
}

#[test]
fn a_row_that_nobody_signed_holds_back_none_before_it() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    for number in 1..=9 {
        laptop.say("shop", &format!("zq{number}zq"));
    }
    one.push(&laptop.memory).unwrap();
    let mut sql = postgres.sql(OWNER);
    let mut damage = |position: i64, line: &str| {
        let statement = "UPDATE recallite.record SET line = $2 WHERE position = $1";
        sql.execute(statement, &[&position, &line]).unwrap();
    };
    damage(8, "{}");
    let error = two.pull(&desktop.memory).unwrap_err().to_string();
    assert!(error.contains(&laptop.identity()), "{error}");
    assert!(error.contains("position 8"), "{error}");
    assert_eq!(desktop.memory.stats().unwrap().prompts, 7);
    // One row with two lines, and a memory that comes later.
    damage(3, "{}\n{}");
    let late = Store::new();
    late.take(&[&laptop]);
    two.announce(&late.memory, "late").unwrap();
    let error = two.pull(&late.memory).unwrap_err().to_string();
    assert!(error.contains("position 3"), "{error}");
    assert_eq!(late.memory.stats().unwrap().prompts, 2);
}

#[test]
fn a_record_of_a_copied_folder_keeps_back_none_of_those_that_are_read_again() {
    let postgres = Postgres::start();
    let ([ada, bob], [mut owner, mut server]) = ada_and_bob(&postgres);
    ada.say("bank", "the vault opens at noon");
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(ada.folder.path()).unwrap().flatten() {
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    let memory = Memory::open(folder.path()).unwrap();
    let copy = Store { memory, folder };
    ada.say("shop", "apples cost one euro");
    copy.say("shop", "pears cost nothing");
    owner.push(&ada.memory).unwrap();
    assert_eq!(bob.pull(&mut server).records, 1);
    let other = copy.memory.sharing().batch_since(1, 10).unwrap().lines;
    let other = other.lines().nth(1).unwrap();
    let statement = "UPDATE recallite.record SET line = $1 WHERE position = 2";
    postgres.sql(OWNER).execute(statement, &[&other]).unwrap();
    owner.grant("bob", Some("bank")).unwrap();
    let error = server.pull(&bob.memory).unwrap_err().to_string();
    assert!(error.contains("position 2"), "{error}");
    assert!(bob.finds("vault opens at noon") && bob.finds("apples"));
    assert!(!bob.finds("pears"));
}

#[test]
fn a_connection_notices_that_the_tables_were_brought_to_a_newer_version() {
    let postgres = Postgres::start();
    let ([laptop, _], [mut one, _]) = two(&postgres);
    one.push(&laptop.memory).unwrap();
    let statement = "UPDATE recallite.schema_version SET version = 99";
    postgres.sql(OWNER).execute(statement, &[]).unwrap();
    laptop.say("shop", "apples cost one euro");
    for error in [
        one.push(&laptop.memory).err(),
        one.pull(&laptop.memory).err(),
    ] {
        let error = error.unwrap();
        assert!(
            matches!(error, Error::NewerSchema { found: 99, .. }),
            "{error}"
        );
    }
    assert_eq!(postgres.everything(), "");
}
