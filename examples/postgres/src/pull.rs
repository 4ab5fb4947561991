//! Receives what others have for this memory.

use recallite::{Memory, Pulled};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::push::{from_sql, to_sql};
use crate::server::Server;

/// The maximum number of records in a batch.
const BATCH_ROWS: i64 = 1_000;
/// A batch ends with the record that makes it this large, in bytes.
const BATCH_BYTES: i64 = 4 << 20;

/// Another store in the shared log.
struct Other {
    id: i32,
    identity: String,
    /// Its progress, signed; empty before its first push.
    progress: String,
}

/// The part of the progress that is read once its signature was verified.
#[derive(Deserialize)]
struct Progress {
    through: u64,
}

impl Server {
    /// Takes what other members wrote and is not here yet, as far as this account may see
    /// it; [`Sharing::erase_ordered`](recallite::Sharing::erase_ordered) carries out what it
    /// has this memory erase. A store that is no member is named in the result.
    ///
    /// # Errors
    /// [`Error::NotAnnounced`]; [`Error::Connection`]; [`Error::Memory`], naming store and
    /// position, when what the server gives is not what its store signed: what came before
    /// it was taken, and that of all others.
    pub fn pull(&mut self, memory: &Memory) -> Result<Pulled> {
        let sharing = memory.sharing();
        let own = sharing.identity()?;
        let members: Vec<String> = sharing
            .members()?
            .into_iter()
            .map(|member| member.identity)
            .collect();
        let (access, is_known, others) = self.participants(&own, &members)?;
        let mut pulled = Pulled::default();
        let mut first_problem = None;
        for other in others {
            if !members.contains(&other.identity) {
                pulled.strangers.push(other.identity);
                continue;
            }
            // With other rights, records that were not visible before may be anywhere in the log.
            match self.pull_store(memory, &other, !is_known, &mut pulled) {
                Ok(()) => {}
                Err(lost) if lost.is_transient() => return Err(lost),
                // An error in one store's records must not block those of the others.
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

    /// The rights of this account, whether this store has read with them before, and all other
    /// stores. Records of non-members are not requested.
    fn participants(
        &mut self,
        own: &str,
        members: &[String],
    ) -> Result<(String, bool, Vec<Other>)> {
        self.in_transaction(|tx, failed| {
            let statement = "SELECT coalesce(md5(string_agg(is_every::text || project, E'\\n' \
                             ORDER BY is_every, project)), '-') \
                             FROM recallite.access WHERE account = current_user";
            let access: String = tx.query_one(statement, &[]).map_err(failed)?.get(0);
            let statement = "SELECT id, identity, \
                             CASE WHEN identity = ANY ($1) THEN progress ELSE '' END, \
                             access_seen FROM recallite.store ORDER BY identity";
            let rows = tx.query(statement, &[&members]).map_err(failed)?;
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
        // The response, and whether the other store offers again what it had withheld.
        let answer = sharing.receive(&other.progress)?;
        if answer.identity != other.identity {
            return Err(damaged(
                "is listed on the server with the progress of another store",
            ));
        }
        let header = other.progress.lines().next().unwrap_or_default();
        let last = serde_json::from_str::<Progress>(header)
            .map_err(|_| damaged("has no readable progress on the server"))?
            .through;
        let mut since = match is_anew {
            true => 0,
            false => answer.through,
        };
        *pulled += &answer;
        while since < last {
            let (batch, through) = self.batch(other, since, last)?;
            *pulled += &sharing.receive_selected(&batch, since, through)?;
            since = through;
        }
        Ok(())
    }

    /// The server's records of a store after a position, and the position up to which these are all
    /// that this account may see.
    fn batch(&mut self, other: &Other, since: u64, last: u64) -> Result<(String, u64)> {
        let rows = self.in_transaction(|tx, failed| {
            // Rows may be long, so only those that begin within the byte limit are requested.
            let statement = "SELECT position, line FROM ( \
                             SELECT position, line, sum(octet_length(line)) \
                             OVER (ORDER BY position) - octet_length(line) AS before \
                             FROM recallite.record \
                             WHERE store = $1 AND position > $2 AND position <= $3 \
                             ORDER BY position LIMIT $4) AS rows \
                             WHERE before < $5 ORDER BY position";
            let (first, last) = (to_sql(since), to_sql(last));
            tx.query(
                statement,
                &[&other.id, &first, &last, &BATCH_ROWS, &BATCH_BYTES],
            )
            .map_err(failed)
        })?;
        let mut batch = other.progress.clone();
        let (mut through, mut bytes) = (since, 0);
        for row in &rows {
            let line: &str = row.get(1);
            if line.contains('\n') {
                return Err(Error::Damaged {
                    identity: other.identity.clone(),
                    problem: format!("has a damaged record on the server after position {through}"),
                });
            }
            bytes += line.len() as i64;
            batch.push_str(line);
            batch.push('\n');
            through = from_sql(row.get(0));
        }
        let is_all = (rows.len() as i64) < BATCH_ROWS && bytes < BATCH_BYTES;
        Ok((batch, if is_all { last } else { through }))
    }
}
