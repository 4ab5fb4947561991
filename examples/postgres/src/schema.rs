//! The tables, and their migrations.

use postgres::Transaction;

use crate::error::{Error, Failed, Result};

/// The version of the tables that this crate makes and uses.
pub const VERSION: i32 = 9;

/// The migrations from each version to the next.
const MIGRATIONS: [&str; VERSION as usize] = [
    include_str!("migrations/0001_shared_log.sql"),
    include_str!("migrations/0002_marks_of_rights.sql"),
    include_str!("migrations/0003_roles.sql"),
    include_str!("migrations/0004_taking_out.sql"),
    include_str!("migrations/0005_roles_and_limits.sql"),
    include_str!("migrations/0006_orders.sql"),
    include_str!("migrations/0007_orders_name_records.sql"),
    include_str!("migrations/0008_lost_rows.sql"),
    include_str!("migrations/0009_answers.sql"),
];

/// The advisory lock for two machines that create the tables at once; nothing else uses this
/// number.
const TURN: i64 = 0x7265_6361_6c6c_6974;

/// The version of the tables; 0 if there are none.
pub(crate) fn version(tx: &mut Transaction<'_>, failed: Failed<'_>) -> Result<i32> {
    let is_there = "SELECT to_regclass('recallite.schema_version') IS NOT NULL";
    let is_there: bool = tx.query_one(is_there, &[]).map_err(failed)?.get(0);
    if !is_there {
        return Ok(0);
    }
    noted_version(tx, failed)
}

/// The version of tables that are there.
fn noted_version(tx: &mut Transaction<'_>, failed: Failed<'_>) -> Result<i32> {
    let row = tx.query_one("SELECT max(version) FROM recallite.schema_version", &[]);
    Ok(row.map_err(failed)?.get::<_, Option<i32>>(0).unwrap_or(0))
}

/// Creates the tables, or upgrades them to this version.
pub(crate) fn migrate(tx: &mut Transaction<'_>, failed: Failed<'_>) -> Result<()> {
    check_encoding(tx, failed)?;
    // Any account could hold the lock and so keep others out.
    if version(tx, failed)? == VERSION {
        return Ok(());
    }
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&TURN])
        .map_err(failed)?;
    let found = version(tx, failed)?;
    if found > VERSION {
        let known = VERSION;
        return Err(Error::NewerSchema { found, known });
    }
    let done = usize::try_from(found).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(done) {
        tx.batch_execute(migration).map_err(failed)?;
    }
    if found < VERSION {
        let note = "UPDATE recallite.schema_version SET version = $1";
        tx.execute(note, &[&VERSION]).map_err(failed)?;
    }
    if found == 0 {
        let every = "INSERT INTO recallite.access VALUES (current_user, '', true) \
                     ON CONFLICT DO NOTHING";
        tx.execute(every, &[]).map_err(failed)?;
    }
    Ok(())
}

/// # Errors
/// [`Error::NotShared`], [`Error::NewerSchema`], [`Error::OlderSchema`], [`Error::Encoding`].
pub(crate) fn check(tx: &mut Transaction<'_>, failed: Failed<'_>) -> Result<()> {
    is_known(version(tx, failed)?)?;
    check_encoding(tx, failed)
}

/// Other encodings lack characters that a text may contain.
fn check_encoding(tx: &mut Transaction<'_>, failed: Failed<'_>) -> Result<()> {
    let row = tx.query_one("SHOW server_encoding", &[]).map_err(failed)?;
    let found: String = row.get(0);
    match found == "UTF8" {
        true => Ok(()),
        false => Err(Error::Encoding { found }),
    }
}

/// Like [`check`], for tables that were there before.
pub(crate) fn check_version(tx: &mut Transaction<'_>, failed: Failed<'_>) -> Result<()> {
    is_known(noted_version(tx, failed)?)
}

fn is_known(found: i32) -> Result<()> {
    let known = VERSION;
    match found {
        0 => Err(Error::NotShared),
        found if found > known => Err(Error::NewerSchema { found, known }),
        found if found < known => Err(Error::OlderSchema { found, known }),
        _ => Ok(()),
    }
}
