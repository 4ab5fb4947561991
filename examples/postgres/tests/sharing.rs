//! What a push and a pull promise, with a real server.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{OWNER, Postgres, Store, two};
use postgres::error::SqlState;
use recallite::{EventKind, Memory, NewEvent, ScopeKind, Selector};
use recallite_postgres::{Error, Pushed, Server};

#[test]
fn what_one_memory_records_the_other_finds() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let apples = (0..2_500).map(|number| {
        let text = format!("apples number {number}");
        NewEvent::new(EventKind::UserPrompt, "s", text).project("shop")
    });
    laptop.memory.append_batch(apples.collect()).unwrap();
    desktop.say("bank", "the vault opens at noon");
    assert_eq!(one.push(&laptop.memory).unwrap().records, 2_500);
    assert_eq!(two.push(&desktop.memory).unwrap().records, 1);
    assert_eq!(laptop.pull(&mut one).records, 1);
    assert_eq!(desktop.pull(&mut two).records, 2_500);
    assert!(laptop.finds("vault") && desktop.finds("apples number 2499"));
    assert_eq!(laptop.hash(), desktop.hash());
    // Once more there is nothing to do.
    assert_eq!(one.push(&laptop.memory).unwrap(), Pushed::default());
    let pulled = desktop.pull(&mut two);
    assert_eq!((pulled.records, pulled.duplicates), (0, 0));
    let names: Vec<String> = one
        .announced(&laptop.memory)
        .unwrap()
        .into_iter()
        .map(|member| member.identity)
        .collect();
    let mut expected = vec![laptop.identity(), desktop.identity()];
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn what_is_erased_leaves_every_store_and_every_row() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let told = laptop.say("shop", "the word is marmalade");
    laptop.say("shop", "the shop opens at nine");
    one.push(&laptop.memory).unwrap();
    desktop.pull(&mut two);
    assert!(desktop.finds("marmalade"));
    desktop.memory.erase(&Selector::new().id(told.id)).unwrap();
    two.push(&desktop.memory).unwrap();
    let open = desktop.memory.sharing().unanswered_erasures(None).unwrap();
    assert_eq!(open[0].waiting_for, [laptop.identity()]);
    assert!(postgres.everything().contains("marmalade"));
    laptop.pull(&mut one);
    assert!(!laptop.finds("marmalade"));
    assert_eq!(one.push(&laptop.memory).unwrap().removed, 1);
    assert!(!postgres.everything().contains("marmalade"));
    desktop.pull(&mut two);
    let open = desktop.memory.sharing().unanswered_erasures(None).unwrap();
    assert!(open.is_empty());
    assert_eq!(laptop.hash(), desktop.hash());
    // A third memory that comes later learns nothing of it.
    let third = Store::late(&postgres, &[&laptop, &desktop]);
    assert_eq!(third.hash(), laptop.hash());
    assert!(third.finds("opens at nine") && !third.finds("marmalade"));
}

#[test]
fn a_record_of_which_a_part_is_erased_is_written_again() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let told = laptop.say("shop", "the word is marmalade");
    laptop.say("shop", "the shop opens at nine");
    // The quote stands in the session's second message, and in its first one from the
    // erasure on.
    let extraction = r#"{"schema_version": 1, "entries": [{"id": "e1", "type": "fact",
        "title": "The shop opens at nine", "content": "The shop opens at nine.",
        "quotes": [{"message_index": 1, "quote": "the shop opens at nine"}]}]}"#;
    laptop.memory.ingest("s", extraction).unwrap();
    one.push(&laptop.memory).unwrap();
    desktop.pull(&mut two);
    laptop.memory.erase(&Selector::new().id(told.id)).unwrap();
    let pushed = one.push(&laptop.memory).unwrap();
    assert_eq!((pushed.removed, pushed.rewritten), (1, 1));
    assert!(!postgres.everything().contains("marmalade"));
    desktop.pull(&mut two);
    assert_eq!(laptop.hash(), desktop.hash());
    // Who comes later is given what is left.
    let third = Store::late(&postgres, &[&laptop, &desktop]);
    assert_eq!(third.hash(), laptop.hash());
    // And the log goes on.
    laptop.say("shop", "the shop closes at six");
    assert_eq!(one.push(&laptop.memory).unwrap().records, 1);
    desktop.pull(&mut two);
    assert!(desktop.finds("closes at six"));
}

/// The account is refused, rather than told that there was nothing to take out.
fn takes_out_nothing_of_others(account: &mut postgres::Client) {
    let others = "SELECT id FROM recallite.store WHERE account <> current_user";
    let others = account.query(others, &[]).unwrap();
    assert!(!others.is_empty());
    for other in others {
        let take_out = "SELECT recallite.take_out($1, ARRAY[1, 2, 3]::bigint[])";
        let refused = account.query_one(take_out, &[&other.get::<_, i32>(0)]);
        let refused = refused.unwrap_err();
        let code = refused.code().unwrap();
        assert_eq!(*code, SqlState::INSUFFICIENT_PRIVILEGE, "{refused}");
    }
}

#[test]
fn an_account_sees_its_projects_and_takes_out_only_its_own() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob", "eve", "\"Weird name\""]);
    let (ada, bob) = (Store::new(), Store::new());
    ada.take(&[&bob]);
    bob.take(&[&ada]);
    let mut owner = postgres.connect(OWNER);
    owner.init().unwrap();
    owner.announce(&ada.memory, "ada").unwrap();
    ada.say("shop", "apples cost one euro");
    ada.say("bank", "the vault opens at noon");
    owner.push(&ada.memory).unwrap();

    let mut server = postgres.connect("bob");
    let refused = server.announce(&bob.memory, "bob").unwrap_err();
    assert!(matches!(refused, Error::Denied(_)), "{refused}");
    owner.grant("bob", Some("shop")).unwrap();
    owner.grant("Weird name", None).unwrap();
    server.announce(&bob.memory, "bob").unwrap();
    assert_eq!(bob.pull(&mut server).records, 1);
    assert!(bob.finds("apples") && !bob.finds("vault"));
    assert_eq!(bob.pull(&mut server).records, 0);
    assert_eq!(server.accesses().unwrap().len(), 1);
    assert_eq!(owner.accesses().unwrap().len(), 3);

    // By SQL it gets no further.
    let mut sql = postgres.sql("bob");
    let seen: i64 = sql
        .query_one("SELECT count(*) FROM recallite.record", &[])
        .unwrap()
        .get(0);
    assert_eq!(seen, 1);
    takes_out_nothing_of_others(&mut sql);
    let leave = "SELECT recallite.leave($1)";
    let left = sql.query_one(leave, &[&ada.identity()]).unwrap();
    assert!(!left.get::<_, bool>(0));
    for statement in [
        "DELETE FROM recallite.record",
        "DELETE FROM recallite.store WHERE account <> 'bob'",
        "UPDATE recallite.record SET line = ''",
        "UPDATE recallite.store SET account = 'bob'",
        "INSERT INTO recallite.access VALUES ('bob', '', true)",
        "UPDATE recallite.schema_version SET version = 2",
        "TRUNCATE recallite.record CASCADE",
        "INSERT INTO recallite.record SELECT 1, 99, '{shop}', false, '{}'",
        "INSERT INTO recallite.store (identity, account, announcement) \
         VALUES (repeat('0', 64), 'ada', '')",
    ] {
        assert!(sql.batch_execute(statement).is_err(), "{statement}");
    }
    for table in ["record", "store", "access", "turn", "schema_version"] {
        // It would stop everybody else.
        let mut tx = sql.transaction().unwrap();
        let lock = format!("LOCK TABLE recallite.{table} IN SHARE MODE");
        let denied = tx.batch_execute(&lock).unwrap_err();
        let code = denied.code().unwrap();
        assert_eq!(*code, SqlState::INSUFFICIENT_PRIVILEGE, "{table}");
    }
    let changed = "UPDATE recallite.store SET progress = 'x'";
    assert_eq!(sql.execute(changed, &[]).unwrap(), 1, "its own row alone");
    let mut sql = postgres.sql("eve");
    assert!(sql.query("SELECT * FROM recallite.store", &[]).is_err());

    // With more rights it is given what it had passed by.
    owner.grant("bob", Some("bank")).unwrap();
    assert_eq!(bob.pull(&mut server).records, 1);
    assert!(bob.finds("vault"));
    // His own goes to the owner, who sees everything, and his order reaches nothing of hers.
    let plums = bob.say("shop", "plums cost two euros");
    bob.say("garden", "pears are ripe");
    let refused = server.push(&bob.memory).unwrap_err();
    let text = refused.to_string();
    let Error::ProjectNotShared {
        identity,
        position,
        project,
    } = refused
    else {
        panic!("{text}")
    };
    assert_eq!((identity, project.as_str()), (bob.identity(), "garden"));
    assert_eq!(position, plums.seq.0 + 1);
    assert!(
        text.contains("position") && text.contains("withhold"),
        "{text}"
    );
    assert!(!postgres.everything().contains("plums"), "a part of it");
    let garden = (ScopeKind::Project, "garden");
    bob.memory.sharing().withhold(garden.0, garden.1).unwrap();
    assert_eq!(server.push(&bob.memory).unwrap().records, 1);
    // Offered again, it is as new as the first time.
    bob.memory.sharing().offer(garden.0, garden.1).unwrap();
    let refused = server.push(&bob.memory).unwrap_err();
    assert!(
        matches!(refused, Error::ProjectNotShared { .. }),
        "{refused}"
    );
    owner.grant("bob", Some("garden")).unwrap();
    server.push(&bob.memory).unwrap();
    // What is there already may be taken out after the right to it is taken back.
    owner.revoke("bob", Some("garden")).unwrap();
    bob.memory.forget(&Selector::new().id(plums.id)).unwrap();
    assert_eq!(server.push(&bob.memory).unwrap().removed, 1);
    assert!(!postgres.everything().contains("plums"));
    ada.pull(&mut owner);
    assert!(ada.finds("pears"));
    assert!(owner.revoke("bob", Some("bank")).unwrap());
    assert!(!owner.revoke("bob", Some("bank")).unwrap());
    ada.say("bank", "a second vault");
    owner.push(&ada.memory).unwrap();
    bob.pull(&mut server);
    assert!(!bob.finds("second vault"));
    owner.revoke("bob", None).unwrap();
    assert!(matches!(
        server.pull(&bob.memory),
        Err(Error::NotShared | Error::Denied(_))
    ));
    // Who left is taken out by the owner, unread, unless it did so itself.
    let ended = "DELETE FROM recallite.store WHERE account = 'bob'";
    assert_eq!(postgres.sql(OWNER).execute(ended, &[]).unwrap(), 1);
    assert!(!postgres.everything().contains("pears"));
    assert_eq!(owner.announced(&ada.memory).unwrap().len(), 1);
    let unknown = owner.grant("nobody", None).unwrap_err();
    assert!(unknown.to_string().contains("nobody"), "{unknown}");
}

/// How many records an account sees by SQL.
fn visible(postgres: &Postgres, account: &str) -> i64 {
    let count = "SELECT count(*) FROM recallite.record";
    postgres.sql(account).query_one(count, &[]).unwrap().get(0)
}

#[test]
fn nobody_marks_a_text_as_an_order_that_everybody_sees() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob", "eve"]);
    let bob = Store::new();
    let mut owner = postgres.connect(OWNER);
    owner.init().unwrap();
    for account in ["bob", "eve"] {
        owner.grant(account, Some(account)).unwrap();
    }
    let mut server = postgres.connect("bob");
    server.announce(&bob.memory, "bob").unwrap();
    let told = bob.say("bob", "plums cost two euros");
    bob.say("bob", "pears are ripe");
    assert_eq!(server.push(&bob.memory).unwrap().records, 2);
    assert_eq!(visible(&postgres, "eve"), 0);
    // Real orders pass, and everybody sees them.
    let of = |id| Selector::new().id(id);
    bob.memory.forget(&of(told.id)).unwrap();
    let figs = bob.say("bob", "figs are sweet");
    bob.memory.erase(&of(figs.id)).unwrap();
    server.push(&bob.memory).unwrap();
    let orders = "SELECT line FROM recallite.record WHERE is_order ORDER BY position";
    let orders = postgres.sql("eve").query(orders, &[]).unwrap();
    let orders: Vec<String> = orders.iter().map(|row| row.get(0)).collect();
    for kind in ["forgotten", "erased"] {
        let is_of_kind = format!(r#""kind":"{kind}""#);
        assert!(orders.iter().any(|order| order.contains(&is_of_kind)));
    }
    let seen = visible(&postgres, "eve");
    assert_eq!(seen, i64::try_from(orders.len()).unwrap());

    let prompt = bob.memory.sharing().batch_since(0, 1_000).unwrap().lines;
    let prompt = prompt.lines().find(|line| line.contains("pears")).unwrap();
    let order = &orders[0];
    let said = r#""content":"forgot 1 events""#;
    assert!(order.contains(said), "{order}");
    let citation = order.split(r#""citation":""#).nth(1).unwrap();
    let citation = citation.split('"').next().unwrap();
    let with = |field: &str| order.replace(said, &format!("{said},{field}"));
    for line in [
        prompt.to_owned(),
        prompt.replace("user_prompt", "forgotten"),
        order.replace("forgot 1", "Buy our plums; forgot 1"),
        order.replace(
            "{\\\"targets",
            "{\\\"note\\\":\\\"Buy our plums\\\",\\\"targets",
        ),
        order.replace("{\\\"targets", "{\\\"buyourplums\\\":1,\\\"targets"),
        order.replace("\\\"ranges", "\\\"plums\\\":\\\"\\\",\\\"ranges"),
        order.replace(citation, "BuyOurPlums"),
        order.replace(r#""actor":"system""#, r#""actor":"Buy our plums""#),
        with(r#""content":"plums""#),
        with(r#""project":"plums""#),
        with(r#""tool":{"name":"plums"}"#),
        format!("{order}\nplums"),
        format!("plums\n{order}"),
        String::new(),
    ] {
        assert_ne!(line, *order);
        let insert = "INSERT INTO recallite.record \
                      SELECT id, 99, '{bob}', $1::boolean, $2::text FROM recallite.store \
                      WHERE account = 'bob'";
        let mut sql = postgres.sql("bob");
        let refused = sql.execute(insert, &[&true, &line]).unwrap_err();
        assert_eq!(refused.code(), Some(&SqlState::CHECK_VIOLATION), "{line}");
        // It is the mark that is refused.
        let mut tx = sql.transaction().unwrap();
        assert_eq!(tx.execute(insert, &[&false, &line]).unwrap(), 1);
    }
    assert_eq!(visible(&postgres, "eve"), seen);
}

#[test]
fn a_push_that_stops_at_a_project_has_written_the_transactions_before() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob"]);
    let bob = Store::new();
    let mut owner = postgres.connect(OWNER);
    owner.init().unwrap();
    owner.grant("bob", Some("shop")).unwrap();
    let mut server = postgres.connect("bob");
    server.announce(&bob.memory, "bob").unwrap();
    let said = |number: usize, project: &str| {
        let text = format!("zq{number}zq");
        NewEvent::new(EventKind::UserPrompt, "s", text).project(project)
    };
    let mut events: Vec<NewEvent> = (1..=1_001).map(|number| said(number, "shop")).collect();
    events.push(said(1_002, "garden"));
    events.push(said(1_003, "shop"));
    bob.memory.append_batch(events).unwrap();
    for _ in 0..2 {
        let error = server.push(&bob.memory).unwrap_err();
        let is_named = matches!(
            error,
            Error::ProjectNotShared {
                position: 1_002,
                ..
            }
        );
        assert!(is_named, "{error}");
        let there = postgres.everything();
        assert!(there.contains("zq1000zq") && !there.contains("zq1001zq"));
    }
    owner.grant("bob", Some("garden")).unwrap();
    assert_eq!(server.push(&bob.memory).unwrap().records, 3);
}

/// A third store on the server, whose records a store takes.
fn third(postgres: &Postgres, taker: &Store) -> (Store, Server) {
    let other = Store::new();
    taker.take(&[&other]);
    let mut server = postgres.connect(OWNER);
    server.announce(&other.memory, "other").unwrap();
    (other, server)
}

#[test]
fn what_the_server_changed_is_refused_and_all_else_is_taken() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let (other, mut server) = third(&postgres, &desktop);
    laptop.say("shop", "apples cost one euro");
    laptop.say("shop", "pears cost two euros");
    other.say("shop", "plums cost three euros");
    one.push(&laptop.memory).unwrap();
    server.push(&other.memory).unwrap();
    replace(&postgres, "two euros", "ten euros");
    let error = two.pull(&desktop.memory).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(&laptop.identity()) && text.contains("position 2"),
        "{text}"
    );
    assert!(!desktop.finds("ten euros") && desktop.finds("plums"));
    replace(&postgres, "ten euros", "two euros");
    desktop.pull(&mut two);
    assert!(desktop.finds("pears cost two euros"));
    // How far a store has come cannot be made up either.
    laptop.say("shop", "figs cost four euros");
    one.push(&laptop.memory).unwrap();
    let forged = "UPDATE recallite.store SET progress = replace(progress, '\"through\":3', \
                  '\"through\":900')";
    postgres.sql(OWNER).execute(forged, &[]).unwrap();
    assert!(two.pull(&desktop.memory).is_err());
    assert!(!desktop.finds("figs"));
}

/// Replaces a text in every record on the server.
fn replace(postgres: &Postgres, from: &str, to: &str) {
    let statement = "UPDATE recallite.record SET line = replace(line, $1, $2)";
    let mut sql = postgres.sql(OWNER);
    sql.execute(statement, &[&from, &to]).unwrap();
}

/// Of a long push or pull somebody wants to see that it goes on.
#[test]
fn a_push_and_a_pull_tell_how_far_they_have_come() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let events = (0..2_500).map(|number| {
        let said = format!("apples number {number}");
        NewEvent::new(EventKind::UserPrompt, "s", said)
    });
    laptop.memory.append_batch(events.collect()).unwrap();
    let last = laptop.memory.stats().unwrap().last_seq;
    let heard = |server: &mut Server| {
        let (told, heard) = std::sync::mpsc::channel();
        server.set_progress_handler(Some(Box::new(move |progress| {
            let _ = told.send((progress.done, progress.total));
        })));
        heard
    };
    let pushed = heard(&mut one);
    one.push(&laptop.memory).unwrap();
    let pulled = heard(&mut two);
    two.pull(&desktop.memory).unwrap();
    for heard in [pushed, pulled] {
        let told: Vec<(u64, u64)> = heard.try_iter().collect();
        assert!(told.len() > 1, "{told:?}");
        assert!(told.is_sorted(), "{told:?}");
        assert!(told.iter().all(|(done, total)| *done > 0 && *total == last));
    }
}

#[test]
fn a_damaged_record_lets_no_pull_start_over() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let (other, mut server) = third(&postgres, &desktop);
    laptop.say("shop", "apples cost one euro");
    other.say("shop", "plums cost three euros");
    one.push(&laptop.memory).unwrap();
    server.push(&other.memory).unwrap();
    replace(&postgres, "three euros", "nine euros");
    two.pull(&desktop.memory).unwrap_err();
    assert!(desktop.finds("apples") && !desktop.finds("plums"));
    // What was received is not requested again: it would be refused now.
    replace(&postgres, "one euro", "six euros");
    replace(&postgres, "nine euros", "three euros");
    assert_eq!(desktop.pull(&mut two).records, 1);
    assert!(desktop.finds("plums cost three euros"));
}

#[test]
fn with_more_rights_a_damaged_record_is_taken_once_it_is_repaired() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob"]);
    let (ada, cleo, bob) = (Store::new(), Store::new(), Store::new());
    bob.take(&[&ada, &cleo]);
    let mut owner = postgres.connect(OWNER);
    owner.init().unwrap();
    owner.grant("bob", Some("shop")).unwrap();
    let mut server = postgres.connect("bob");
    server.announce(&bob.memory, "bob").unwrap();
    for (store, secret) in [(&ada, "the vault is green"), (&cleo, "the safe is red")] {
        owner.announce(&store.memory, "m").unwrap();
        store.say("bank", secret);
        store.say("shop", "apples cost one euro");
        owner.push(&store.memory).unwrap();
    }
    bob.pull(&mut server);
    assert!(!bob.finds("vault") && !bob.finds("safe"));

    owner.grant("bob", Some("bank")).unwrap();
    replace(&postgres, "vault", "fault");
    server.pull(&bob.memory).unwrap_err();
    assert!(bob.finds("safe is red") && !bob.finds("fault"));
    // The other store was read to the end.
    replace(&postgres, "safe", "sofa");
    replace(&postgres, "fault", "vault");
    assert_eq!(bob.pull(&mut server).records, 1);
    assert!(bob.finds("vault is green"));
    // And now both were.
    replace(&postgres, "vault", "fault");
    let pulled = bob.pull(&mut server);
    assert_eq!((pulled.records, pulled.duplicates), (0, 0));
}

/// A copy of a store, and the store again.
fn copied(store: Store) -> ([Memory; 2], [tempfile::TempDir; 2]) {
    let copy = tempfile::tempdir().unwrap();
    store.memory.close().unwrap();
    copy_folder(store.folder.path(), copy.path());
    let memories = [store.folder.path(), copy.path()].map(|path| Memory::open(path).unwrap());
    (memories, [store.folder, copy])
}

fn say(memory: &Memory, text: &str) -> recallite::Appended {
    let event = NewEvent::new(EventKind::UserPrompt, "s", text);
    memory.append(event).unwrap()
}

#[test]
fn a_copied_folder_and_one_that_was_set_back_are_told() {
    let postgres = Postgres::start();
    let ([laptop, _desktop], [mut one, _]) = two(&postgres);
    laptop.say("shop", "one");
    one.push(&laptop.memory).unwrap();
    let ([laptop, copied], _folders) = copied(laptop);
    say(&laptop, "two, here");
    say(&laptop, "three, here");
    one.push(&laptop).unwrap();
    // The copy is behind, then has another record, then is ahead.
    assert!(matches!(one.push(&copied), Err(Error::SetBack { .. })));
    say(&copied, "two, there");
    say(&copied, "three, there");
    let error = one.push(&copied).unwrap_err();
    assert!(
        matches!(error, Error::TwoMachines { position: 3, .. }),
        "{error}"
    );
    say(&copied, "four, there");
    assert!(matches!(one.push(&copied), Err(Error::TwoMachines { .. })));
    copied.sharing().renew_identity().unwrap();
    assert!(matches!(one.push(&copied), Err(Error::NotAnnounced)));
    one.announce(&copied, "copy").unwrap();
    assert!(one.push(&copied).unwrap().records >= 3);
    assert_eq!(one.push(&laptop).unwrap(), Pushed::default());
}

#[test]
fn a_copied_folder_is_told_though_its_last_record_is_not_shared() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    laptop.say("shop", "one");
    let ([laptop, copied], _folders) = copied(laptop);
    say(&laptop, "two, here");
    say(&laptop, "three, here");
    one.push(&laptop).unwrap();
    // A pin is never shared.
    let second = say(&copied, "two, there");
    copied.levels().pin(second.id).unwrap();
    assert_eq!(copied.stats().unwrap().last_seq, 3);
    for number in 0..2 {
        let error = one.push(&copied).unwrap_err();
        assert!(matches!(error, Error::TwoMachines { .. }), "{error}");
        say(&copied, &format!("{number}, there"));
        // What must leave makes it go through all of its rows.
        let event = say(&copied, "forgotten");
        copied.forget(&Selector::new().id(event.id)).unwrap();
    }
    assert_eq!(desktop.pull(&mut two).records, 3);
    assert!(desktop.finds("two, here") && !desktop.finds("there"));
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => {
                std::fs::create_dir_all(&target).unwrap();
                copy_folder(&entry.path(), &target);
            }
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn an_account_that_holds_a_lock_keeps_nobody_out() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob"]);
    postgres.connect(OWNER).init().unwrap();
    let mut sql = postgres.sql("bob");
    // The number that those take who create or upgrade the tables.
    let lock = "SELECT pg_advisory_lock($1)";
    sql.execute(lock, &[&0x7265_6361_6c6c_6974_i64]).unwrap();
    postgres.connect(OWNER).init().unwrap();
}

#[test]
fn tables_of_another_version_and_none_are_told() {
    let postgres = Postgres::start();
    let store = Store::new();
    let mut server = postgres.connect(OWNER);
    let none = server.push(&store.memory).unwrap_err();
    assert!(matches!(none, Error::NotShared), "{none}");
    server.init().unwrap();
    server.init().unwrap();
    let stranger = server.push(&store.memory).unwrap_err();
    assert!(matches!(stranger, Error::NotAnnounced), "{stranger}");
    let newer = "UPDATE recallite.schema_version SET version = 99";
    postgres.sql(OWNER).batch_execute(newer).unwrap();
    let mut server = postgres.connect(OWNER);
    let error = server.push(&store.memory).unwrap_err();
    assert!(
        matches!(error, Error::NewerSchema { found: 99, .. }),
        "{error}"
    );
    assert!(matches!(server.init(), Err(Error::NewerSchema { .. })));
    postgres.accounts(&["bob"]);
    let error = postgres.connect("bob").init().unwrap_err();
    assert!(!matches!(error, Error::Server(_)), "{error}");
    let lost = Server::connect("postgres://ada@127.0.0.1:1/postgres").unwrap_err();
    assert!(lost.is_transient(), "{lost}");
}

#[test]
fn tables_of_the_first_version_are_upgraded() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob"]);
    let mut sql = postgres.sql(OWNER);
    let first = include_str!("../src/migrations/0001_shared_log.sql");
    sql.batch_execute(first).unwrap();
    sql.batch_execute(
        "UPDATE recallite.schema_version SET version = 1;
         INSERT INTO recallite.access VALUES (current_user, '', true);
         ALTER TABLE recallite.store NO FORCE ROW LEVEL SECURITY;
         INSERT INTO recallite.store (identity, account, announcement, access_seen)
             VALUES (repeat('0', 64), 'bob', '', md5('falseshop'));
         ALTER TABLE recallite.store FORCE ROW LEVEL SECURITY;",
    )
    .unwrap();
    let laptop = Store::new();
    let mut server = postgres.connect(OWNER);
    let error = server.announce(&laptop.memory, "m").unwrap_err();
    assert!(
        matches!(error, Error::OlderSchema { found: 1, .. }),
        "{error}"
    );
    let rights = "GRANT USAGE ON SCHEMA recallite TO bob;
                  GRANT SELECT, INSERT, DELETE ON recallite.record, recallite.store TO bob";
    sql.batch_execute(rights).unwrap();
    server.init().unwrap();
    let denied = postgres
        .sql("bob")
        .batch_execute("DELETE FROM recallite.record");
    let denied = denied.unwrap_err();
    assert_eq!(
        denied.code(),
        Some(&SqlState::INSUFFICIENT_PRIVILEGE),
        "{denied}"
    );
    server.announce(&laptop.memory, "m").unwrap();
    laptop.say("shop", "the gate is green");
    server.push(&laptop.memory).unwrap();
    assert!(Store::late(&postgres, &[&laptop]).finds("the gate is green"));
    assert_eq!(server.accesses().unwrap().len(), 1);
}

/// The migrations before the present one.
const FORMER: [&str; 5] = [
    include_str!("../src/migrations/0001_shared_log.sql"),
    include_str!("../src/migrations/0002_marks_of_rights.sql"),
    include_str!("../src/migrations/0003_roles.sql"),
    include_str!("../src/migrations/0004_taking_out.sql"),
    include_str!("../src/migrations/0005_roles_and_limits.sql"),
];

/// Tables of a former version in which two accounts were granted everything, of which the second
/// was renamed since.
fn former_tables(postgres: &Postgres, version: usize) {
    postgres.accounts(&["bob", "rita"]);
    let mut sql = postgres.sql(OWNER);
    for migration in &FORMER[..version] {
        sql.batch_execute(migration).unwrap();
    }
    let set = "UPDATE recallite.schema_version SET version = $1";
    sql.execute(set, &[&i32::try_from(version).unwrap()])
        .unwrap();
    sql.batch_execute(
        "INSERT INTO recallite.access VALUES (current_user, '', true);
         INSERT INTO recallite.access (account, project, is_every, role)
             VALUES ('bob', '', true, 'bob'::regrole), ('rita', '', true, 'rita'::regrole),
             ('rita', 'shop', false, 'rita'::regrole), ('gone', 'shop', false, NULL);
         ALTER ROLE rita RENAME TO erin;
         INSERT INTO recallite.access (account, project, is_every, role)
             VALUES ('erin', 'shop', false, 'erin'::regrole);
         GRANT USAGE ON SCHEMA recallite TO bob, erin;
         GRANT SELECT ON ALL TABLES IN SCHEMA recallite TO bob, erin;
         GRANT INSERT ON recallite.record TO bob, erin;
         GRANT INSERT (identity, announcement), UPDATE (announcement, progress, pushed_through,
             pushed_checksum, retraction_mark, access_seen) ON recallite.store TO bob, erin;",
    )
    .unwrap();
    if version < 4 {
        sql.batch_execute("GRANT DELETE ON recallite.record, recallite.store TO bob, erin, PUBLIC")
            .unwrap();
    }
}

/// What a former version wrote when an account announced its store and pushed.
fn pushed_before(postgres: &Postgres, account: &str, store: &Store) {
    let sharing = store.memory.sharing();
    let batch = sharing.batch_since(0, 1_000).unwrap();
    let through = i64::try_from(batch.through).unwrap();
    let header = sharing.batch_since(batch.through, 0).unwrap().lines;
    let mut sql = postgres.sql(account);
    let statement = "INSERT INTO recallite.store (identity, announcement) VALUES ($1, $2) \
                     RETURNING id";
    let announcement = sharing.announcement(account).unwrap();
    let id = sql.query_one(statement, &[&store.identity(), &announcement]);
    let id: i32 = id.unwrap().get(0);
    for (position, line) in (1i64..).zip(batch.lines.lines().skip(1)) {
        let statement = "INSERT INTO recallite.record VALUES ($1, $2, '{shop}', false, $3)";
        sql.execute(statement, &[&id, &position, &line]).unwrap();
    }
    let statement = "UPDATE recallite.store SET pushed_through = $2, progress = $3, \
                     pushed_checksum = $4, retraction_mark = $5 WHERE id = $1";
    let checksum = sharing.log_checksum(batch.through).unwrap();
    let mark = sharing.retraction_mark().unwrap();
    sql.execute(statement, &[&id, &through, &header, &checksum, &mark])
        .unwrap();
}

#[test]
fn what_an_account_had_marked_as_an_order_is_hidden_from_others() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob", "eve"]);
    let mut sql = postgres.sql(OWNER);
    for migration in FORMER {
        sql.batch_execute(migration).unwrap();
    }
    sql.batch_execute(
        "UPDATE recallite.schema_version SET version = 5;
         GRANT USAGE ON SCHEMA recallite TO bob, eve;
         GRANT SELECT ON ALL TABLES IN SCHEMA recallite TO bob, eve;
         GRANT INSERT ON recallite.record TO bob;
         GRANT INSERT (identity, announcement) ON recallite.store TO bob;",
    )
    .unwrap();
    let other = Store::new();
    let told = other.say("shop", "figs are sweet");
    other.say("shop", "nuts are hard");
    other.memory.forget(&Selector::new().id(told.id)).unwrap();
    let batch = other.memory.sharing().batch_since(0, 1_000).unwrap();
    // A prompt, a real order, and a line that is no record.
    let lines: Vec<&str> = batch.lines.lines().skip(1).chain(["{"]).collect();
    assert_eq!(lines.len(), 3);
    let mut bob = postgres.sql("bob");
    let announce = "INSERT INTO recallite.store (identity, announcement) \
                    VALUES (repeat('0', 64), '') RETURNING id";
    let store: i32 = bob.query_one(announce, &[]).unwrap().get(0);
    for (position, line) in (1i64..).zip(lines) {
        let insert = "INSERT INTO recallite.record VALUES ($1, $2, '{shop}', true, $3)";
        bob.execute(insert, &[&store, &position, &line]).unwrap();
    }
    assert_eq!(visible(&postgres, "eve"), 3);
    postgres.connect(OWNER).init().unwrap();
    assert_eq!(visible(&postgres, "eve"), 1);
    assert_eq!(visible(&postgres, "bob"), 3);
}

#[test]
fn accounts_and_rows_of_former_tables_go_on_in_those_of_today() {
    for version in [3, 4] {
        let postgres = Postgres::start();
        former_tables(&postgres, version);
        let stores = [Store::new(), Store::new()];
        stores[1].take(&[&stores[0]]);
        let plums = stores[0].say("shop", "plums cost two euros");
        stores[0].say("shop", "pears are ripe");
        for (account, store) in ["bob", "erin"].into_iter().zip(&stores) {
            pushed_before(&postgres, account, store);
        }
        let mut owner = postgres.connect(OWNER);
        owner.init().unwrap();
        let accesses = owner.accesses().unwrap().into_iter();
        let rights: Vec<_> = accesses
            .map(|access| (access.account, access.project))
            .collect();
        let shop = Some("shop".to_owned());
        let of = |account: &str| (account.to_owned(), None);
        let expected = [of(OWNER), of("bob"), of("erin"), ("erin".to_owned(), shop)];
        assert_eq!(rights, expected, "version {version}");

        let (mut bob, mut erin) = (postgres.connect("bob"), postgres.connect("erin"));
        assert_eq!(bob.push(&stores[0].memory).unwrap(), Pushed::default());
        assert_eq!(stores[1].pull(&mut erin).records, 2);
        let forgotten = Selector::new().id(plums.id);
        stores[0].memory.forget(&forgotten).unwrap();
        assert_eq!(bob.push(&stores[0].memory).unwrap().removed, 1);
        stores[1].pull(&mut erin);
        assert!(stores[1].finds("pears") && !stores[1].finds("plums"));
        assert_eq!(stores[0].hash(), stores[1].hash());
        let mut sql = postgres.sql("bob");
        let denied = sql.batch_execute("DELETE FROM recallite.record");
        let denied = denied.unwrap_err();
        let code = denied.code().unwrap();
        assert_eq!(*code, SqlState::INSUFFICIENT_PRIVILEGE, "{denied}");
    }
}

#[test]
fn an_account_takes_out_its_own_where_the_owner_is_no_superuser() {
    takes_out_its_own("GRANT CREATE ON DATABASE postgres TO cleo");
}

#[test]
fn an_account_takes_out_its_own_where_nobody_may_call_what_is_not_granted() {
    takes_out_its_own(
        "GRANT CREATE ON DATABASE postgres TO cleo; \
         ALTER DEFAULT PRIVILEGES FOR ROLE cleo REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC",
    );
}

/// Accounts push, forget and leave in the shared memory of one that is no superuser.
fn takes_out_its_own(prepared: &str) {
    let postgres = Postgres::start();
    postgres.accounts(&["cleo", "bob"]);
    postgres.sql(OWNER).batch_execute(prepared).unwrap();
    let (of_cleo, of_bob) = (Store::new(), Store::new());
    let mut cleo = postgres.connect("cleo");
    cleo.init().unwrap();
    cleo.grant("bob", Some("shop")).unwrap();
    let mut bob = postgres.connect("bob");
    cleo.announce(&of_cleo.memory, "cleo").unwrap();
    bob.announce(&of_bob.memory, "bob").unwrap();
    for (store, server) in [(&of_cleo, &mut cleo), (&of_bob, &mut bob)] {
        let told = store.say("shop", "apples cost one euro");
        store.say("shop", "pears cost two euros");
        assert_eq!(server.push(&store.memory).unwrap().records, 2);
        let forgotten = Selector::new().id(told.id);
        store.memory.forget(&forgotten).unwrap();
        assert_eq!(server.push(&store.memory).unwrap().removed, 1);
    }
    // Nobody's else, the owner's own rights included.
    for account in ["bob", "cleo"] {
        takes_out_nothing_of_others(&mut postgres.sql(account));
    }
    assert_eq!(postgres.everything().matches("pears").count(), 2);
    let leave = "SELECT recallite.leave($1)";
    let left = postgres
        .sql("bob")
        .query_one(leave, &[&of_bob.identity()])
        .unwrap();
    assert!(left.get::<_, bool>(0));
    let everything = postgres.everything();
    assert_eq!(everything.matches("pears").count(), 1);
}

#[test]
fn several_processes_push_one_memory_at_a_time() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [_, mut two]) = two(&postgres);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (postgres, laptop) = (&postgres, &laptop);
            scope.spawn(move || {
                let mut server = postgres.connect(OWNER);
                for number in 0..20 {
                    laptop.say("shop", &format!("apples {thread} {number}"));
                    server.push(&laptop.memory).unwrap();
                }
            });
        }
    });
    assert_eq!(desktop.pull(&mut two).records, 80);
    assert_eq!(laptop.hash(), desktop.hash());
}

#[test]
fn a_push_wakes_who_waits() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    assert!(
        two.wait(Duration::from_millis(1)).unwrap(),
        "something may have come before"
    );
    assert!(!two.wait(Duration::from_millis(1)).unwrap());
    laptop.say("shop", "apples");
    one.push(&laptop.memory).unwrap();
    assert!(two.wait(Duration::from_secs(60)).unwrap());
    desktop.pull(&mut two);
    assert!(desktop.finds("apples"));
    // A push without news wakes nobody.
    one.push(&laptop.memory).unwrap();
    assert!(!two.wait(Duration::from_millis(200)).unwrap());
}

#[test]
fn who_ordered_an_erasure_reads_the_answers_to_it_and_all_rows_stay_short() {
    let postgres = Postgres::start();
    let stores: Vec<Store> = (0..5).map(|_| Store::new()).collect();
    let mut servers: Vec<Server> = stores.iter().map(|_| postgres.connect(OWNER)).collect();
    servers[0].init().unwrap();
    for (store, server) in stores.iter().zip(&mut servers) {
        let own = store.identity();
        let others = stores.iter().filter(|other| other.identity() != own);
        store.take(&others.collect::<Vec<_>>());
        server.announce(&store.memory, "m").unwrap();
        let said = store.say("shop", "to be erased");
        let it = Selector::new().id(said.id);
        store.memory.erase(&it).unwrap();
    }
    for _ in 0..3 {
        for (store, server) in stores.iter().zip(&mut servers) {
            server.push(&store.memory).unwrap();
            store.pull(server);
            server.push(&store.memory).unwrap();
        }
    }
    for store in &stores {
        let open = store.memory.sharing().unanswered_erasures(None).unwrap();
        assert!(open.is_empty(), "{open:?}");
    }
    let mut sql = postgres.sql(OWNER);
    let mut rows = |text: &str| -> Vec<String> {
        let rows = sql.query(text, &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let progress = rows("SELECT progress FROM recallite.store");
    assert!(progress.iter().all(|row| row.len() < 500), "{progress:?}");
    let all = "SELECT ctid::text || xmin::text FROM recallite.answer ORDER BY store, recipient";
    let before = rows(all);
    assert_eq!(before.len(), 5 * 4);
    // What is received changes none of them, and an erasure one of each other store.
    let said = stores[0].say("shop", "a message");
    servers[0].push(&stores[0].memory).unwrap();
    for at in 1..5 {
        assert_eq!(stores[at].pull(&mut servers[at]).records, 1);
        servers[at].push(&stores[at].memory).unwrap();
    }
    assert_eq!(rows(all), before);
    let it = Selector::new().id(said.id);
    stores[0].memory.erase(&it).unwrap();
    servers[0].push(&stores[0].memory).unwrap();
    for at in 1..5 {
        stores[at].pull(&mut servers[at]);
        servers[at].push(&stores[at].memory).unwrap();
    }
    let after = rows(all);
    let changed = after.iter().filter(|row| !before.contains(row)).count();
    assert_eq!((after.len(), changed), (20, 4));
    let open = |store: &Store| store.memory.sharing().unanswered_erasures(None).unwrap();
    assert_eq!(open(&stores[0]).len(), 1);
    stores[0].pull(&mut servers[0]);
    assert!(open(&stores[0]).is_empty());
}

#[test]
fn an_answer_that_nobody_signed_is_told_and_holds_back_no_record() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let said = desktop.say("shop", "to be erased");
    let it = Selector::new().id(said.id);
    desktop.memory.erase(&it).unwrap();
    two.push(&desktop.memory).unwrap();
    laptop.pull(&mut one);
    laptop.say("shop", "apples cost one euro");
    one.push(&laptop.memory).unwrap();
    let forge = "UPDATE recallite.answer SET line = replace(line, '\"signature\":\"', \
                 '\"signature\":\"00')";
    postgres.sql(OWNER).batch_execute(forge).unwrap();
    let told = two.pull(&desktop.memory).unwrap_err().to_string();
    assert!(
        told.contains(&laptop.identity()) && told.contains("answer"),
        "{told}"
    );
    assert!(desktop.finds("apples"));
    // The next connection of its author says it again, and so it does when it is gone.
    for lost in ["SELECT 1", "TRUNCATE recallite.answer"] {
        postgres.sql(OWNER).batch_execute(lost).unwrap();
        postgres.connect(OWNER).push(&laptop.memory).unwrap();
        desktop.pull(&mut two);
        let answers = "SELECT count(*) FROM recallite.answer WHERE line NOT LIKE '%\"00%'";
        let answers = postgres.sql(OWNER).query_one(answers, &[]).unwrap();
        assert_eq!(answers.get::<_, i64>(0), 1);
    }
    let open = desktop.memory.sharing().unanswered_erasures(None).unwrap();
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn what_was_received_is_announced_to_nobody_unless_somebody_waits_for_it() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    // Both have ordered an erasure, and each has answered that of the other.
    let said = laptop.say("shop", "apples");
    let erase = |store: &Store, id| store.memory.erase(&Selector::new().id(id)).unwrap();
    erase(&laptop, said.id);
    let too = desktop.say("shop", "pears");
    erase(&desktop, too.id);
    let exchange = |one: &mut Server, two: &mut Server| {
        for _ in 0..2 {
            one.push(&laptop.memory).unwrap();
            desktop.pull(two);
            two.push(&desktop.memory).unwrap();
            laptop.pull(one);
        }
        one.push(&laptop.memory).unwrap();
    };
    exchange(&mut one, &mut two);
    let progress = || {
        let statement = "SELECT progress || coalesce((SELECT string_agg(line, '') \
                         FROM recallite.answer WHERE store = id), '') \
                         FROM recallite.store WHERE identity = $1";
        let mut sql = postgres.sql(OWNER);
        let of_desktop = sql.query_one(statement, &[&desktop.identity()]).unwrap();
        of_desktop.get::<_, String>(0)
    };
    let before = progress();
    laptop.say("shop", "a message");
    one.push(&laptop.memory).unwrap();
    desktop.pull(&mut two);
    while one.wait(Duration::from_millis(200)).unwrap() {}
    two.push(&desktop.memory).unwrap();
    assert!(!one.wait(Duration::from_millis(200)).unwrap());
    assert_eq!(progress(), before);
    // An erasure is waited for, and what is recorded afterwards arrives.
    let more = laptop.say("shop", "plums");
    erase(&laptop, more.id);
    exchange(&mut one, &mut two);
    assert_ne!(progress(), before);
    let unanswered = laptop.memory.sharing().unanswered_erasures(None).unwrap();
    assert!(unanswered.is_empty(), "{unanswered:?}");
    desktop.say("shop", "the last message");
    exchange(&mut one, &mut two);
    assert!(laptop.finds("the last message"));
    assert_eq!(laptop.hash(), desktop.hash());
}

#[test]
fn what_is_withheld_leaves_the_server_and_comes_back() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    laptop.say("diary", "apples");
    laptop.say("shop", "pears");
    one.push(&laptop.memory).unwrap();
    let sharing = laptop.memory.sharing();
    sharing.withhold(ScopeKind::Project, "diary").unwrap();
    laptop.say("diary", "plums");
    assert_eq!(one.push(&laptop.memory).unwrap().removed, 1);
    let everything = postgres.everything();
    assert!(!everything.contains("apples") && !everything.contains("plums"));
    assert_eq!(desktop.pull(&mut two).records, 1);
    sharing.offer(ScopeKind::Project, "diary").unwrap();
    one.push(&laptop.memory).unwrap();
    assert_eq!(desktop.pull(&mut two).records, 2);
    assert_eq!(laptop.hash(), desktop.hash());
}

/// Why no connection is made, which no repetition changes.
fn not_authenticated(url: &str) -> String {
    let error = Server::connect(url).unwrap_err();
    assert!(matches!(error, Error::Authentication { .. }), "{error}");
    assert!(!error.is_transient(), "{error}");
    error.to_string()
}

#[test]
fn who_cannot_log_in_is_told_why() {
    let postgres = Postgres::start_with(&[], |data| {
        let rules = "host all ada 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(data.join("pg_hba.conf"), rules).unwrap();
    });
    let create = "CREATE ROLE bob LOGIN PASSWORD 'geheim'";
    postgres.sql(OWNER).batch_execute(create).unwrap();
    let url =
        |login: &str, rest: &str| format!("postgres://{login}@127.0.0.1:{}/{rest}", postgres.port);
    Server::connect(&url("bob:geheim", "postgres")).unwrap();
    let wrong = not_authenticated(&url("bob:falsch", "postgres"));
    assert!(wrong.contains("password authentication failed"), "{wrong}");
    assert!(!wrong.contains("falsch"), "{wrong}");
    let missing = not_authenticated(&url("bob", "postgres"));
    assert!(missing.contains("password missing"), "{missing}");
    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known.pem");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&known, made.cert.pem()).unwrap();
    let parameters = format!("postgres?sslrootcert={}", known.display());
    let without = not_authenticated(&url("bob:geheim", &parameters));
    assert!(without.contains("does not support TLS"), "{without}");
    let error = Server::connect(&url(OWNER, "elsewhere")).unwrap_err();
    assert!(matches!(error, Error::Server(_)), "{error}");
    assert!(error.to_string().contains("elsewhere"), "{error}");
    let revoked = "REVOKE CONNECT ON DATABASE postgres FROM PUBLIC";
    postgres.sql(OWNER).batch_execute(revoked).unwrap();
    let denied = Server::connect(&url("bob:geheim", "postgres")).unwrap_err();
    assert!(matches!(denied, Error::Denied(_)), "{denied}");
    // There is no shared memory yet whose owner could help.
    assert!(denied.to_string().contains("administrator"), "{denied}");
    // What may pass is told with its reason as well.
    let lost = Server::connect("postgres://ada@127.0.0.1:1/postgres").unwrap_err();
    assert!(
        lost.is_transient() && lost.to_string().contains("refused"),
        "{lost}"
    );
}

#[test]
fn a_server_has_to_show_a_certificate_that_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let (known, other) = (
        folder.path().join("known.pem"),
        folder.path().join("other.pem"),
    );
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&known, made.cert.pem()).unwrap();
    let stranger = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&other, stranger.cert.pem()).unwrap();
    let postgres = Postgres::start_with(&["ssl=on"], |data| {
        std::fs::write(data.join("server.crt"), made.cert.pem()).unwrap();
        let key = data.join("server.key");
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    });
    let url = |host: &str, certificate: &std::path::Path| {
        format!(
            "postgres://{OWNER}@{host}:{}/postgres?sslmode=verify-full&sslrootcert={}",
            postgres.port,
            certificate.display()
        )
    };
    let mut server = Server::connect(&url("localhost", &known)).unwrap();
    server.init().unwrap();
    // Another certificate, and another name than that in the certificate.
    let untrusted = not_authenticated(&url("localhost", &other));
    assert!(untrusted.contains("certificate"), "{untrusted}");
    let other_name = not_authenticated(&url("127.0.0.1", &known));
    assert!(other_name.contains("not valid for name"), "{other_name}");
    let missing = Server::connect(&url("localhost", &folder.path().join("none"))).unwrap_err();
    assert!(matches!(missing, Error::Address(_)), "{missing}");
}

#[test]
fn nobody_makes_others_read_more_than_a_batch_at_a_time() {
    let postgres = Postgres::start();
    postgres.accounts(&["eve"]);
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    // What a store says of itself is bounded, whoever it is.
    one.grant("eve", None).unwrap();
    let eve = Store::new();
    postgres
        .connect("eve")
        .announce(&eve.memory, "eve")
        .unwrap();
    for column in [
        "progress",
        "announcement",
        "retraction_mark",
        "pushed_checksum",
    ] {
        let long = format!("UPDATE recallite.store SET {column} = repeat('x', 5000000)");
        assert!(
            postgres.sql("eve").batch_execute(&long).is_err(),
            "{column}"
        );
    }
    // And so is each of its rows.
    let own = "SELECT id FROM recallite.store WHERE account = 'eve'";
    let own: i32 = postgres.sql("eve").query_one(own, &[]).unwrap().get(0);
    let projects = "array_fill('shop'::text, ARRAY[65537])";
    let long = format!("INSERT INTO recallite.record VALUES ({own}, 1, {projects}, false, '{{}}')");
    let refused = postgres.sql("eve").batch_execute(&long).unwrap_err();
    assert_eq!(*refused.code().unwrap(), SqlState::CHECK_VIOLATION);
    // A line of that length is not made here: it would take half a gigabyte of memory.
    let limit =
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'line_is_bounded'";
    let limit: String = postgres.sql(OWNER).query_one(limit, &[]).unwrap().get(0);
    assert!(limit.contains("octet_length(line) <= 536870912"), "{limit}");
    // Long records come few at a time, and all of them.
    let events = (0..12).map(|number| {
        let text = format!("{number} {}", "lighthouse ".repeat(150_000));
        NewEvent::new(EventKind::UserPrompt, "s", text)
    });
    laptop.memory.append_batch(events.collect()).unwrap();
    laptop.say("shop", "the last one");
    one.push(&laptop.memory).unwrap();
    assert_eq!(desktop.pull(&mut two).records, 13);
    assert!(desktop.finds("the last one"));
    assert_eq!(laptop.hash(), desktop.hash());
}
