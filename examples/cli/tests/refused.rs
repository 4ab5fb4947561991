//! What a place where memories are shared does not give or take, as the command tells it: which store,
//! which position, and what helps.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;
#[path = "../../postgres/tests/common/server.rs"]
mod server;

use common::{Ran, World, copy_folder};
use server::{OWNER, Postgres};

/// Runs the command in a project that has the same name on all machines.
fn run(world: &World, arguments: &[&str]) -> Ran {
    world.run(&[arguments, &["--project", "shop"]].concat())
}

fn identity(world: &World) -> String {
    let status = run(world, &["share", "status", "--json"]).json();
    status["identity"].as_str().unwrap().to_owned()
}

/// That a command ends with a code, prints nothing else, and says all of these words.
fn assert_told(what: &str, ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, code, "{what}: {ran:?}");
    assert_eq!(ran.out, "", "{what}");
    for word in words {
        assert!(ran.err.contains(word), "{what}: {word} is missing: {ran:?}");
    }
}

/// Something that is wrong with a server, and how it is mended.
struct Harm<'a> {
    what: &'a str,
    harm: &'a str,
    mend: &'a str,
    /// What the desktop does.
    act: &'a str,
    /// What it is told.
    words: &'a [&'a str],
}

#[test]
fn what_a_server_refuses_is_told_with_origin_and_position() {
    let postgres = Postgres::start();
    let url = postgres.url(OWNER);
    let (laptop, desktop) = (World::new(), World::new());
    run(&laptop, &["share", "init", &url, "--name", "laptop"]).ok();
    run(&desktop, &["share", "join", &url, "--name", "desktop"]).ok();
    run(&laptop, &["share", "join", &url]).ok();
    run(
        &laptop,
        &["remember", "The gate opens with the copper key."],
    )
    .ok();
    run(&laptop, &["share", "push"]).ok();
    let mut sql = postgres.sql(OWNER);
    let statement = "SELECT position FROM recallite.record WHERE line LIKE '%copper%'";
    let position: i64 = sql.query_one(statement, &[]).unwrap().get(0);
    let position = format!("position {position}");
    let of_laptop = identity(&laptop);
    for Harm {
        what,
        harm,
        mend,
        act,
        words,
    } in [
        Harm {
            what: "a record that was changed",
            harm: "UPDATE recallite.record SET line = replace(line, 'copper', 'golden')",
            mend: "UPDATE recallite.record SET line = replace(line, 'golden', 'copper')",
            act: "pull",
            words: &[&of_laptop, &position, "cannot be accepted"],
        },
        Harm {
            what: "a record that is no record",
            harm: "UPDATE recallite.record SET line = 'x' || line WHERE line LIKE '%copper%'",
            mend: "UPDATE recallite.record SET line = substr(line, 2) WHERE line LIKE 'x%copper%'",
            act: "pull",
            words: &[&of_laptop, &position],
        },
        Harm {
            what: "a progress that nobody signed",
            harm: "UPDATE recallite.store SET progress = replace(progress, '\"offers\"', '\"offres\"')",
            mend: "UPDATE recallite.store SET progress = replace(progress, '\"offres\"', '\"offers\"')",
            act: "pull",
            words: &[&of_laptop, "progress"],
        },
        Harm {
            what: "tables of a newer version",
            harm: "UPDATE recallite.schema_version SET version = version + 90",
            mend: "UPDATE recallite.schema_version SET version = version - 90",
            act: "pull",
            words: &["supports versions up to", "update"],
        },
        Harm {
            what: "tables of an older version",
            harm: "UPDATE recallite.schema_version SET version = version - 1",
            mend: "UPDATE recallite.schema_version SET version = version + 1",
            act: "pull",
            words: &["its owner must upgrade it", "`recallite share init PLACE`"],
        },
        Harm {
            what: "a server that takes nothing in",
            harm: "ALTER DATABASE postgres SET default_transaction_read_only = on",
            mend: "ALTER DATABASE postgres SET default_transaction_read_only = off",
            act: "push",
            words: &["is read-only", "the primary server"],
        },
    ] {
        // Something for a push.
        run(&desktop, &["remember", what]).ok();
        sql.batch_execute(harm).unwrap();
        assert_told(what, &run(&desktop, &["share", act]), 1, words);
        let found = run(&desktop, &["search", "which key opens the gate?"]).ok();
        assert!(!found.contains("key"), "{what}: {found}");
        sql.batch_execute(mend).unwrap();
    }
    run(&desktop, &["share", "push"]).ok();
    run(&desktop, &["share", "pull"]).ok();
    let found = run(&desktop, &["search", "which key opens the gate?"]).ok();
    assert!(found.contains("copper key"), "{found}");
}

#[test]
fn what_an_account_may_not_do_is_told_with_store_and_project() {
    let postgres = Postgres::start();
    postgres.accounts(&["bob", "eve"]);
    let (ada, bob, eve) = (World::new(), World::new(), World::new());
    run(&ada, &["share", "init", &postgres.url(OWNER)]).ok();
    let ran = run(&eve, &["share", "join", &postgres.url("eve")]);
    let helps = ["`recallite share grant ACCOUNT`"];
    assert_told("an account without rights", &ran, 1, &helps);
    let ran = run(&eve, &["share", "init", &postgres.url("eve")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    run(&ada, &["share", "grant", "bob"]).ok();
    run(&bob, &["share", "init", &postgres.url("bob")]).ok();
    let said = ["remember", "The vault is green.", "--project", "bank"];
    bob.run(&said).ok();
    let of_bob = identity(&bob);
    let words = [
        of_bob.as_str(),
        "position 1",
        "\"bank\"",
        "`recallite share withhold`",
        "`recallite share grant ACCOUNT`",
    ];
    let ran = run(&bob, &["share", "push"]);
    assert_told("a project that is not shared", &ran, 1, &words);
    let rows = postgres.everything();
    assert!(!rows.contains("vault"), "{rows}");
    // Another account says that it is this machine.
    run(&ada, &["share", "grant", "eve"]).ok();
    let copy = World::new();
    copy_folder(&bob.store(), &copy.store());
    let ran = run(&copy, &["share", "init", &postgres.url("eve")]);
    let words = [of_bob.as_str(), "by another account"];
    assert_told("another account's identity", &ran, 1, &words);
}

#[test]
fn a_store_that_is_not_the_one_it_was_is_told_with_its_position() {
    let postgres = Postgres::start();
    let laptop = World::new();
    run(&laptop, &["share", "init", &postgres.url(OWNER)]).ok();
    run(&laptop, &["remember", "The attic is locked."]).ok();
    run(&laptop, &["share", "push"]).ok();
    let copy = World::new();
    copy_folder(&laptop.store(), &copy.store());
    run(&laptop, &["remember", "The shop opens at nine."]).ok();
    run(&laptop, &["share", "push"]).ok();
    let of_laptop = identity(&laptop);
    let set_back = [of_laptop.as_str(), "position", "`recallite share renew`"];
    let ran = run(&copy, &["share", "push"]);
    assert_told("a copy that was set back", &ran, 1, &set_back);
    for said in ["The cellar is dry.", "The roof is new."] {
        run(&copy, &["remember", said]).ok();
    }
    let both = [of_laptop.as_str(), "position", "both copies are in use"];
    let ran = run(&copy, &["share", "push"]);
    assert_told("two machines with one identity", &ran, 1, &both);
    let rows = postgres.everything();
    assert!(!rows.contains("cellar"), "{rows}");
}

#[test]
fn a_member_that_was_removed_and_a_changed_file_are_told_with_their_identity() {
    let (laptop, desktop) = (World::new(), World::new());
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    run(&laptop, &["share", "init", place, "--name", "laptop"]).ok();
    run(&desktop, &["share", "join", place]).ok();
    run(
        &laptop,
        &["remember", "The gate opens with the copper key."],
    )
    .ok();
    run(&laptop, &["share", "push"]).ok();
    let of_laptop = identity(&laptop);
    let room = folder.path().join("recallite-share").join(&of_laptop);
    let files = std::fs::read_dir(&room).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    let is_batch = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("0000")
    };
    let file = files.find(is_batch).unwrap();
    let intact = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, intact.replace("copper", "golden")).unwrap();
    let ran = run(&desktop, &["share", "pull"]);
    let words = [file.to_str().unwrap(), of_laptop.as_str(), "damaged"];
    assert_told("a changed file", &ran, 1, &words);
    std::fs::write(&file, intact).unwrap();
    run(&desktop, &["share", "members", "--remove", "laptop"]).ok();
    let pulled = run(&desktop, &["share", "pull"]).ok();
    let told = format!("ignored: {of_laptop} is not a member");
    assert!(pulled.contains(&told), "{pulled}");
    let found = run(&desktop, &["search", "which key opens the gate?"]).ok();
    assert!(!found.contains("key"), "{found}");
}
