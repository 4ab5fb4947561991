//! What others have for this memory.

use recallite::Memory;
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::push::{from_sql, to_sql};
use crate::server::Server;

/// Rows of one answer of the server.
const ROWS: i64 = 256;
/// A batch is given to the memory when it has so many bytes, or the rows of four answers.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_ROWS: usize = 4 * ROWS as usize;

/// What [`Server::pull`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pulled {
    /// Records that are new here.
    pub records: u64,
    /// Records that were here already.
    pub duplicates: u64,
    /// Records that an order had forgotten or erased before they came.
    pub refused: u64,
    /// Events that orders hid.
    pub forgotten: u64,
    /// Orders to erase that
    /// [`Sharing::erase_ordered`](recallite::Sharing::erase_ordered) is still to carry out.
    pub to_erase: u64,
    /// Identities of stores that take part and are no members here: nothing of theirs was
    /// asked for.
    pub strangers: Vec<String>,
}

/// A store that takes part.
struct Other {
    id: i32,
    identity: String,
    /// How far it has come, signed; empty before its first push.
    progress: String,
}

/// What is read of that, once it was checked.
#[derive(Deserialize)]
struct Progress {
    through: u64,
}

impl Server {
    /// Takes what other members wrote and is not here yet, as far as this account may see
    /// it. A store that is no member is named in the result.
    ///
    /// # Errors
    /// [`Error::NotAnnounced`]; [`Error::Connection`]; [`Error::Memory`], naming store and
    /// position, when what the server gives is not what its store signed: what came before
    /// it was taken, and that of all others.
    pub fn pull(&mut self, memory: &Memory) -> Result<Pulled> {
        let sharing = memory.sharing();
        let own = sharing.identity()?;
        let (access, is_known, others) = self.participants(&own)?;
        let members = sharing.members()?;
        let mut pulled = Pulled::default();
        let mut first_problem = None;
        for other in others {
            if !members
                .iter()
                .any(|member| member.identity == other.identity)
            {
                pulled.strangers.push(other.identity);
                continue;
            }
            // With other rights, what was not seen before may lie anywhere.
            match self.pull_store(memory, &other, !is_known, &mut pulled) {
                Ok(()) => {}
                Err(lost) if lost.is_transient() => return Err(lost),
                // What is wrong with one store's records keeps nobody from the others'.
                Err(problem) => {
                    first_problem.get_or_insert(problem);
                }
            }
        }
        if let Some(problem) = first_problem {
            return Err(problem);
        }
        if !is_known {
            self.in_transaction(|tx, failed| {
                let statement = "UPDATE recallite.store SET access_seen = $2 WHERE identity = $1";
                tx.execute(statement, &[&own, &access]).map_err(failed)
            })?;
        }
        Ok(pulled)
    }

    /// The rights of this account, whether this store has read with them before, and all
    /// other stores.
    fn participants(&mut self, own: &str) -> Result<(String, bool, Vec<Other>)> {
        self.in_transaction(|tx, failed| {
            let statement = "SELECT coalesce(md5(string_agg(is_every::text || project, E'\\n' \
                             ORDER BY is_every, project)), '-') \
                             FROM recallite.access WHERE account = current_user";
            let access: String = tx.query_one(statement, &[]).map_err(failed)?.get(0);
            let statement = "SELECT id, identity, progress, access_seen FROM recallite.store \
                             ORDER BY identity";
            let rows = tx.query(statement, &[]).map_err(failed)?;
            let mut others = Vec::new();
            let mut seen: Option<String> = None;
            for row in rows {
                let other = Other {
                    id: row.get(0),
                    identity: row.get(1),
                    progress: row.get(2),
                };
                match other.identity == own {
                    true => seen = Some(row.get(3)),
                    false => others.push(other),
                }
            }
            let seen = seen.ok_or(Error::NotAnnounced)?;
            let is_known = seen == access;
            Ok((access, is_known, others))
        })
    }

    fn pull_store(
        &mut self,
        memory: &Memory,
        other: &Other,
        is_anew: bool,
        pulled: &mut Pulled,
    ) -> Result<()> {
        if other.progress.is_empty() {
            return Ok(());
        }
        let sharing = memory.sharing();
        let damaged = |problem: &str| Error::Damaged {
            identity: other.identity.clone(),
            problem: problem.to_owned(),
        };
        // What it answers, and whether it offers again what it had withheld.
        let answer = sharing.receive(&other.progress)?;
        if answer.identity != other.identity {
            return Err(damaged("says how far another store has come"));
        }
        let header = other.progress.lines().next().unwrap_or_default();
        let last = serde_json::from_str::<Progress>(header)
            .map_err(|_| damaged("does not say how far it has come"))?
            .through;
        let mut since = match is_anew {
            true => 0,
            false => answer.through,
        };
        pulled.to_erase = answer.to_erase;
        while since < last {
            let (batch, through) = self.batch(other, since, last)?;
            let received = sharing.receive_selected(&batch, since, through)?;
            pulled.records += received.records;
            pulled.duplicates += received.duplicates;
            pulled.refused += received.refused;
            pulled.forgotten += received.forgotten;
            pulled.to_erase = received.to_erase;
            since = through;
        }
        Ok(())
    }

    /// What the server gives of a store from behind a position on, and up to where that is
    /// all there is to see.
    fn batch(&mut self, other: &Other, since: u64, last: u64) -> Result<(String, u64)> {
        let mut batch = other.progress.clone();
        let (mut through, mut count) = (since, 0);
        while count < BATCH_ROWS && batch.len() < BATCH_BYTES {
            let rows = self.in_transaction(|tx, failed| {
                let statement = "SELECT position, line FROM recallite.record \
                                 WHERE store = $1 AND position > $2 AND position <= $3 \
                                 ORDER BY position LIMIT $4";
                let (first, last) = (to_sql(through), to_sql(last));
                tx.query(statement, &[&other.id, &first, &last, &ROWS])
                    .map_err(failed)
            })?;
            for row in &rows {
                let line: &str = row.get(1);
                if line.contains('\n') {
                    return Err(Error::Damaged {
                        identity: other.identity.clone(),
                        problem: format!("has a broken record at position {}", through + 1),
                    });
                }
                batch.push_str(line);
                batch.push('\n');
                through = from_sql(row.get(0));
            }
            count += rows.len();
            if rows.len() < ROWS as usize {
                return Ok((batch, last));
            }
        }
        Ok((batch, through))
    }
}
