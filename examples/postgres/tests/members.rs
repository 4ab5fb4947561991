//! Who takes part with which rights: accounts that may only read, members that left, and stores
//! that were restored from one backup.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{OWNER, Postgres, Store, two};
use recallite::{Memory, Selector};
use recallite_postgres::{Error, Server};

#[test]
fn an_account_that_may_only_read_is_told_so_and_changes_nothing() {
    let postgres = Postgres::start();
    let ([laptop, reader], [mut one, _]) = two(&postgres);
    laptop.say("shop", "apples cost one euro");
    one.push(&laptop.memory).unwrap();
    postgres.accounts(&["rita"]);
    let mut owner = postgres.sql(OWNER);
    owner
        .batch_execute(
            "GRANT USAGE ON SCHEMA recallite TO rita; \
             GRANT SELECT ON ALL TABLES IN SCHEMA recallite TO rita",
        )
        .unwrap();
    let mut server = postgres.connect("rita");
    let stranger = Store::new();
    let error = server.announce(&stranger.memory, "rita").unwrap_err();
    assert!(matches!(error, Error::Denied(_)), "{error}");
    // The store of another account.
    let error = server.push(&reader.memory).unwrap_err();
    assert!(matches!(error, Error::OtherAccount { .. }), "{error}");
    let error = server.init().err();
    assert!(error.is_none_or(|error| matches!(error, Error::Denied(_))));
    let mut sql = postgres.sql("rita");
    let seen = sql.query("SELECT line FROM recallite.record", &[]).unwrap();
    assert!(seen.is_empty());
    assert!(postgres.everything().contains("apples"));
}

#[test]
fn a_server_that_takes_nothing_in_is_told_as_read_only() {
    let postgres = Postgres::start();
    let ([laptop, _], [mut server, _]) = two(&postgres);
    laptop.say("shop", "apples cost one euro");
    let mut owner = postgres.sql(OWNER);
    let set = "ALTER ROLE ALL SET default_transaction_read_only = ";
    owner.batch_execute(&[set, "on"].concat()).unwrap();
    let mut refused = postgres.connect(OWNER);
    for error in [
        refused.push(&laptop.memory).unwrap_err(),
        refused.announce(&laptop.memory, "m").unwrap_err(),
        refused.grant(OWNER, Some("shop")).unwrap_err(),
    ] {
        assert!(matches!(error, Error::ReadOnly { .. }), "{error}");
        let told = error.to_string();
        assert!(told.contains("is read-only"), "{told}");
    }
    // Nothing is lost meanwhile.
    assert_eq!(server.push(&laptop.memory).unwrap().records, 1);
}

#[test]
fn an_account_without_create_makes_nothing_in_an_empty_database() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob"]);
    let mut server = postgres.connect("bob");
    let store = Store::new();
    let error = server.announce(&store.memory, "bob").unwrap_err();
    assert!(matches!(error, Error::NotShared), "{error}");
    let error = server.init().unwrap_err();
    assert!(matches!(error, Error::Denied(_)), "{error}");
    let made = "SELECT count(*) FROM pg_namespace WHERE nspname = 'recallite'";
    let made: i64 = postgres.sql(OWNER).query_one(made, &[]).unwrap().get(0);
    assert_eq!(made, 0);
    // The same connection goes on once the owner has made it.
    let mut owner = postgres.connect(OWNER);
    owner.init().unwrap();
    owner.grant("bob", Some("shop")).unwrap();
    server.announce(&store.memory, "bob").unwrap();
    store.say("shop", "apples");
    assert_eq!(server.push(&store.memory).unwrap().records, 1);
}

#[test]
fn nothing_is_read_of_a_member_that_was_removed() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let folder = tempfile::tempdir().unwrap();
    laptop.say("shop", "apples cost one euro");
    one.push(&laptop.memory).unwrap();
    assert_eq!(desktop.pull(&mut two).records, 1);
    let sharing = desktop.memory.sharing();
    assert!(sharing.remove_member(&laptop.identity()).unwrap());
    laptop.say("shop", "pears cost two euros");
    one.push(&laptop.memory).unwrap();
    laptop.memory.sharing().push_folder(&folder).unwrap();
    for pulled in [
        desktop.pull(&mut two),
        sharing.pull_folder(&folder).unwrap(),
    ] {
        assert_eq!(pulled.strangers, [laptop.identity()]);
        assert_eq!((pulled.records, pulled.duplicates, pulled.files), (0, 0, 0));
    }
    assert!(desktop.finds("apples") && !desktop.finds("pears"));
}

#[test]
fn another_account_with_the_name_of_a_dropped_one_gets_none_of_its_rights() {
    let postgres = Postgres::start();
    let ([laptop, old], [mut owner, _]) = two(&postgres);
    laptop.say("shop", "apples cost one euro");
    laptop.say("bank", "the vault opens at noon");
    owner.push(&laptop.memory).unwrap();
    postgres.accounts(&["bob"]);
    owner.grant("bob", None).unwrap();
    let of_bob = Store::new();
    let mut server = postgres.connect("bob");
    server.announce(&of_bob.memory, "bob").unwrap();
    of_bob.say("bank", "pears cost two euros");
    server.push(&of_bob.memory).unwrap();
    drop((server, old));
    let mut sql = postgres.sql(OWNER);
    let replace = "DROP OWNED BY bob; DROP ROLE bob; CREATE ROLE bob LOGIN";
    sql.batch_execute(replace).unwrap();
    owner.grant("bob", Some("shop")).unwrap();
    assert_eq!(granted(&mut owner, "bob"), [Some("shop".to_owned())]);
    let mut as_bob = postgres.sql("bob");
    let seen = as_bob
        .query("SELECT line FROM recallite.record", &[])
        .unwrap();
    assert_eq!(seen.len(), 1);
    let ended = "SELECT recallite.leave(identity) FROM recallite.store";
    for row in as_bob.query(ended, &[]).unwrap() {
        assert!(!row.get::<_, bool>(0));
    }
    let error = postgres.connect("bob").push(&of_bob.memory).unwrap_err();
    assert!(matches!(error, Error::OtherAccount { .. }), "{error}");

    // The rights of an account that was dropped before are taken back by its name.
    drop(as_bob);
    sql.batch_execute("DROP OWNED BY bob; DROP ROLE bob")
        .unwrap();
    assert!(owner.revoke("bob", None).unwrap());
    assert_eq!(owner.accesses().unwrap().len(), 1);
    let error = owner.revoke("bob", None).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
}

/// The projects that an account was granted, by its present name.
fn granted(owner: &mut Server, account: &str) -> Vec<Option<String>> {
    let accesses = owner.accesses().unwrap().into_iter();
    accesses
        .filter(|access| access.account == account)
        .map(|access| access.project)
        .collect()
}

/// How many records an account sees by SQL.
fn seen(postgres: &Postgres, account: &str) -> usize {
    let select = "SELECT line FROM recallite.record";
    postgres.sql(account).query(select, &[]).unwrap().len()
}

#[test]
fn who_has_no_right_left_takes_part_no_more() {
    let postgres = Postgres::start();
    let ([laptop, _], [mut owner, _]) = two(&postgres);
    laptop.say("shop", "apples cost one euro");
    owner.push(&laptop.memory).unwrap();
    postgres.accounts(&["bob"]);
    owner.grant("bob", Some("shop")).unwrap();
    let of_bob = Store::new();
    let mut waiting = postgres.connect("bob");
    waiting.announce(&of_bob.memory, "bob").unwrap();
    of_bob.say("shop", "pears cost two euros");
    assert_eq!(waiting.push(&of_bob.memory).unwrap().records, 1);
    waiting.wait(Duration::from_millis(1)).unwrap();
    let mut sql = postgres.sql("bob");
    let own = "SELECT id FROM recallite.store WHERE account = 'bob'";
    let id: i32 = sql.query_one(own, &[]).unwrap().get(0);
    assert!(owner.revoke("bob", None).unwrap());
    for statement in [
        format!("SELECT recallite.take_out({id}, ARRAY[1]::bigint[])"),
        format!("SELECT recallite.leave('{}')", of_bob.identity()),
        format!("INSERT INTO recallite.record VALUES ({id}, 9, '{{shop}}', false, '{{}}')"),
        format!("UPDATE recallite.store SET regrouped = 1 WHERE id = {id}"),
        "SELECT line FROM recallite.record".to_owned(),
    ] {
        let denied = sql.execute(&statement, &[]);
        assert_eq!(refused(denied), "42501", "{statement}");
    }
    // A connection that was there before goes no further either.
    let error = waiting.pull(&of_bob.memory).unwrap_err();
    let is_out = matches!(error, Error::Denied(_) | Error::NotShared);
    assert!(is_out, "{error}");
    assert!(postgres.everything().contains("pears"));
}

#[test]
fn a_renamed_account_has_its_rights_under_its_new_name_alone() {
    let postgres = Postgres::start();
    let ([laptop, _], [mut owner, _]) = two(&postgres);
    laptop.say("shop", "apples cost one euro");
    laptop.say("bank", "the vault opens at noon");
    owner.push(&laptop.memory).unwrap();
    postgres.accounts(&["bob"]);
    owner.grant("bob", None).unwrap();
    owner.grant("bob", Some("shop")).unwrap();
    let mut sql = postgres.sql(OWNER);
    sql.batch_execute("ALTER ROLE bob RENAME TO rob; CREATE ROLE bob LOGIN")
        .unwrap();
    let shop = || Some("shop".to_owned());
    assert_eq!(granted(&mut owner, "rob"), [None, shop()]);
    assert_eq!(granted(&mut owner, "bob"), []);

    // What the new account of the former name is given and loses is its own.
    assert!(!owner.revoke("bob", None).unwrap());
    owner.grant("bob", Some("shop")).unwrap();
    assert_eq!(granted(&mut owner, "bob"), [shop()]);
    assert_eq!((seen(&postgres, "bob"), seen(&postgres, "rob")), (1, 2));
    assert!(owner.revoke("bob", Some("shop")).unwrap());
    assert!(owner.revoke("rob", None).unwrap());
    assert_eq!(granted(&mut owner, "rob"), []);
    // And what was taken back does not return with the next grant.
    owner.grant("rob", Some("shop")).unwrap();
    assert_eq!(granted(&mut owner, "rob"), [shop()]);
    assert_eq!((seen(&postgres, "bob"), seen(&postgres, "rob")), (0, 1));
}

#[test]
fn an_account_can_add_only_so_many_stores() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    laptop.say("shop", "apples cost one euro");
    one.push(&laptop.memory).unwrap();
    postgres.accounts(&["eve"]);
    one.grant("eve", Some("shop")).unwrap();
    let mut sql = postgres.sql("eve");
    let many = "INSERT INTO recallite.store (identity, announcement) \
                SELECT md5(n::text) || md5((-n)::text), repeat('x', 60000) \
                FROM generate_series(1, $1::integer) AS n";
    let error = sql.execute(many, &[&1_001]).unwrap_err();
    let code = error.code().unwrap().code().to_owned();
    assert_eq!(code, "53400", "{error}");
    sql.execute(many, &[&1_000]).unwrap();
    // Those that are there can be announced again.
    let again = format!("{many} ON CONFLICT DO NOTHING");
    assert_eq!(sql.execute(&again, &[&1_000]).unwrap(), 0);
    assert_eq!(desktop.pull(&mut two).records, 1);
    let announced = two.announced(&desktop.memory).unwrap();
    assert_eq!(announced.len(), 2);
}

/// The code with which the server refuses a statement.
fn refused(result: Result<u64, postgres::Error>) -> String {
    let error = result.unwrap_err();
    error.code().unwrap().code().to_owned()
}

#[test]
fn an_account_adds_no_more_stores_in_several_transactions_at_once() {
    let postgres = Postgres::start();
    let ([_laptop, _desktop], [mut one, _]) = two(&postgres);
    postgres.accounts(&["eve"]);
    one.grant("eve", Some("shop")).unwrap();
    let added = "INSERT INTO recallite.store (identity, announcement) \
                 SELECT md5(n::text) || md5((-n)::text), 'x' FROM generate_series($1::int, $2) AS n";
    let mut clients = [
        postgres.sql("eve"),
        postgres.sql("eve"),
        postgres.sql("eve"),
    ];
    let [first, second, third] = &mut clients;
    second.batch_execute("SET lock_timeout = '100ms'").unwrap();
    // Sees nothing of what the first one commits.
    let mut third = third
        .build_transaction()
        .isolation_level(postgres::IsolationLevel::RepeatableRead)
        .start()
        .unwrap();
    third.query("SELECT FROM recallite.store", &[]).unwrap();
    let mut begun = first.transaction().unwrap();
    assert_eq!(begun.execute(added, &[&1, &600]).unwrap(), 600);
    let waits = second.execute(added, &[&601, &1_200]);
    assert_eq!(refused(waits), "55P03");
    begun.commit().unwrap();
    assert_eq!(refused(second.execute(added, &[&601, &1_200])), "53400");
    assert_eq!(refused(third.execute(added, &[&1_201, &1_800])), "40001");
    drop(third);
    assert_eq!(second.execute(added, &[&601, &1_000]).unwrap(), 400);
}

#[test]
fn what_counts_the_stores_of_an_account_is_not_the_accounts_own() {
    let postgres = Postgres::start();
    let ([_laptop, _desktop], [mut one, _]) = two(&postgres);
    postgres.accounts(&["eve"]);
    one.grant("eve", Some("shop")).unwrap();
    let schema = "CREATE SCHEMA eve AUTHORIZATION eve";
    postgres.sql(OWNER).batch_execute(schema).unwrap();
    let mut sql = postgres.sql("eve");
    // A count that is always 0, and roles that are never the same.
    sql.batch_execute(
        "CREATE FUNCTION eve.none(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
         CREATE AGGREGATE eve.count(*) (sfunc = eve.none, stype = bigint, initcond = '0');
         CREATE FUNCTION eve.never(regrole, regrole) RETURNS boolean LANGUAGE sql
             AS 'SELECT false';
         CREATE OPERATOR eve.= (leftarg = regrole, rightarg = regrole, function = eve.never);
         SET search_path = eve, pg_catalog",
    )
    .unwrap();
    let many = "INSERT INTO recallite.store (identity, announcement) \
                SELECT md5(n::text) || md5((-n)::text), 'x' FROM generate_series(1, 1001) AS n";
    assert_eq!(refused(sql.execute(many, &[])), "53400");
}

#[test]
fn a_database_that_lacks_characters_is_refused() {
    let postgres = Postgres::start();
    let create = "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' \
                  TEMPLATE template0";
    postgres.sql(OWNER).batch_execute(create).unwrap();
    let url = postgres.url(OWNER).replace("/postgres", "/latin");
    let mut server = Server::connect(&url).unwrap();
    let error = server.init().unwrap_err();
    assert!(matches!(error, Error::Encoding { .. }), "{error}");
    assert!(error.to_string().contains("LATIN1"), "{error}");
}

/// A store restored from a backup.
fn restored(backup: &std::path::Path) -> Store {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("restored");
    Memory::open(backup).unwrap().backup(&place).unwrap();
    let memory = Memory::open(&place).unwrap();
    Store { memory, folder }
}

#[test]
fn two_stores_of_one_backup_share_as_two_members() {
    let postgres = Postgres::start();
    let ([laptop, desktop], [mut one, mut two]) = two(&postgres);
    let told = laptop.say("shop", "the word is marmalade");
    laptop.say("shop", "the shop opens at nine");
    one.push(&laptop.memory).unwrap();
    desktop.pull(&mut two);
    let saved = tempfile::tempdir().unwrap();
    let backup = saved.path().join("backup");
    laptop.memory.backup(&backup).unwrap();
    laptop.memory.close().unwrap();
    let stores = [restored(&backup), restored(&backup)];
    let mut servers = [postgres.connect(OWNER), postgres.connect(OWNER)];
    let all = [&stores[0], &stores[1], &desktop];
    for (store, server) in stores.iter().zip(&mut servers) {
        server.announce(&store.memory, "restored").unwrap();
    }
    for store in all {
        let others: Vec<&Store> = all
            .into_iter()
            .filter(|other| other.identity() != store.identity())
            .collect();
        store.take(&others);
    }
    stores[0].say("shop", "plums cost three euros");
    stores[1].say("shop", "figs cost four euros");
    stores[1]
        .memory
        .erase(&Selector::new().id(told.id))
        .unwrap();
    // A record that comes under another name has the order repeated, which is answered later.
    for _ in 0..6 {
        for (store, server) in stores.iter().zip(&mut servers) {
            server.push(&store.memory).unwrap();
            store.pull(server);
        }
        two.push(&desktop.memory).unwrap();
        desktop.pull(&mut two);
    }
    for store in all {
        assert_eq!(store.hash(), desktop.hash());
        assert!(store.finds("plums") && store.finds("figs") && !store.finds("marmalade"));
        let events = store.memory.stats().unwrap().prompts;
        assert_eq!(events, 3, "nothing is there twice");
    }
    for store in &stores {
        let open = store.memory.sharing().unanswered_erasures(None).unwrap();
        assert!(open.is_empty(), "{open:?}");
    }
}
