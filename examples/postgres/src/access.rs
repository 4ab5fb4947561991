//! Which account sees the records of which projects.

use postgres::Transaction;

use crate::error::{Error, Failed, Result};
use crate::server::Server;

/// A right of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// The account of the server, by its present name.
    pub account: String,
    /// The project whose records it sees; `None` when it sees all of them.
    pub project: Option<String>,
}

/// The privileges of every account; row-level security restricts the rows. None of them allows to
/// lock a table: rows are taken out by functions.
const RIGHTS: [&str; 6] = [
    "USAGE ON SCHEMA recallite",
    "SELECT ON ALL TABLES IN SCHEMA recallite",
    "INSERT ON recallite.record",
    "INSERT, UPDATE (line) ON recallite.answer",
    "INSERT (identity, announcement), UPDATE (announcement, progress, pushed_through, \
     pushed_checksum, retraction_mark, record_count, position_sum, edition) ON recallite.store",
    "EXECUTE ON FUNCTION recallite.take_out(integer, bigint[]), recallite.leave(text)",
];

/// Whether a right is that of the role with this name now. Once a role is gone, its rights go by the
/// name that it had when they were granted.
const IS_OF_ACCOUNT: &str = "(role = to_regrole(quote_ident($1)) OR account = $1::text::name \
                             AND NOT EXISTS (SELECT FROM pg_roles WHERE oid = role))";

impl Server {
    /// Lets an account of the server take part, and see the records of a project, or with
    /// `None` those of all projects. It sees its own records without that. It keeps its rights
    /// when it is renamed. For the owner of the shared memory.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] naming `account` when the server has no such account;
    /// [`Error::Denied`].
    pub fn grant(&mut self, account: &str, project: Option<&str>) -> Result<()> {
        self.in_transaction(|tx, failed| {
            if !set_rights(tx, account, "GRANT", "TO", failed)? {
                return Err(no_account(account));
            }
            // Of an earlier account with this name, which is gone.
            let statement = "DELETE FROM recallite.access WHERE account = $1::text::name \
                             AND NOT EXISTS (SELECT FROM pg_roles WHERE oid = role)";
            tx.execute(statement, &[&account]).map_err(failed)?;
            let statement = "INSERT INTO recallite.access (account, project, is_every, role) \
                             VALUES ($1::text::name, $2, $3, to_regrole(quote_ident($1))) \
                             ON CONFLICT DO NOTHING";
            let (name, is_every) = (project.unwrap_or_default(), project.is_none());
            tx.execute(statement, &[&account, &name, &is_every])
                .map_err(failed)
        })
        .map(drop)
    }

    /// Takes a right back; with `None` all of them, and the account takes part no more.
    /// What it has read it keeps. Gives false when it had no such right. The account may have been
    /// dropped before.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] naming `account` when there is neither such an account nor a
    /// right of it, and naming `project` when it was granted all projects: it would still see this
    /// one; [`Error::Denied`].
    pub fn revoke(&mut self, account: &str, project: Option<&str>) -> Result<bool> {
        self.in_transaction(|tx, failed| match project {
            Some(project) => revoke_project(tx, account, project, failed),
            None => revoke_all(tx, account, failed),
        })
    }

    /// The rights that this account may see: the owner all of them, others their own.
    ///
    /// # Errors
    /// [`Error::NotShared`], [`Error::Denied`].
    pub fn accesses(&mut self) -> Result<Vec<Access>> {
        self.in_transaction(|tx, failed| {
            let statement = "SELECT coalesce(rolname, account)::text AS name, project, is_every \
                             FROM recallite.access LEFT JOIN pg_roles ON pg_roles.oid = role \
                             ORDER BY name, is_every DESC, project";
            let rows = tx.query(statement, &[]).map_err(failed)?;
            Ok(rows
                .iter()
                .map(|row| Access {
                    account: row.get(0),
                    project: (!row.get::<_, bool>(2)).then(|| row.get(1)),
                })
                .collect())
        })
    }
}

fn revoke_project(
    tx: &mut Transaction<'_>,
    account: &str,
    project: &str,
    failed: Failed<'_>,
) -> Result<bool> {
    let statement =
        format!("SELECT EXISTS (SELECT FROM recallite.access WHERE {IS_OF_ACCOUNT} AND is_every)");
    let sees_all = tx.query_one(&statement, &[&account]).map_err(failed)?;
    if sees_all.get(0) {
        return Err(Error::InvalidArgument {
            argument: "project",
            problem: format!(
                "{account:?} was granted all projects; take that back with revoke(), and grant \
                 those that remain"
            ),
        });
    }
    let statement = format!(
        "DELETE FROM recallite.access WHERE {IS_OF_ACCOUNT} AND project = $2 AND NOT is_every"
    );
    let removed = tx.execute(&statement, &[&account, &project]);
    Ok(removed.map_err(failed)? > 0)
}

fn revoke_all(tx: &mut Transaction<'_>, account: &str, failed: Failed<'_>) -> Result<bool> {
    let statement = format!("DELETE FROM recallite.access WHERE {IS_OF_ACCOUNT}");
    let removed = tx.execute(&statement, &[&account]).map_err(failed)?;
    let is_there = set_rights(tx, account, "REVOKE", "FROM", failed)?;
    match removed == 0 && !is_there {
        true => Err(no_account(account)),
        false => Ok(removed > 0),
    }
}

fn no_account(account: &str) -> Error {
    Error::InvalidArgument {
        argument: "account",
        problem: format!("the server has no account {account:?}"),
    }
}

/// Gives an account the privileges, or takes them; false if there is no such account.
fn set_rights(
    tx: &mut Transaction<'_>,
    account: &str,
    verb: &str,
    preposition: &str,
    failed: Failed<'_>,
) -> Result<bool> {
    let statement = "SELECT quote_ident(rolname) FROM pg_roles WHERE rolname = $1";
    let Some(row) = tx.query_opt(statement, &[&account]).map_err(failed)? else {
        return Ok(false);
    };
    let quoted: String = row.get(0);
    for right in RIGHTS {
        tx.batch_execute(&format!("{verb} {right} {preposition} {quoted}"))
            .map_err(failed)?;
    }
    Ok(true)
}
