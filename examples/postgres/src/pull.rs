//! Receives what others have for this memory.

use std::collections::BTreeMap;
use std::fmt;

use recallite::{Memory, Pulled};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::push::{from_sql, to_sql};
use crate::server::Server;

/// The maximum number of records in a batch.
const BATCH_ROWS: i64 = 1_000;
/// A batch ends with the record that makes it this large, in bytes.
const BATCH_BYTES: i64 = 4 << 20;
/// The maximum length of [`Seen`] on the server, in bytes.
const SEEN_BYTES: usize = 64;

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

/// What was read of the others. With other rights, records that were not visible before may be
/// anywhere in a log, so every log is read once more.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    /// The rights of this account at that time.
    access: String,
    /// The stores that were not read once more to the end, by their ids, each with the position
    /// after which to go on.
    unfinished: BTreeMap<i32, u64>,
}

impl Seen {
    /// Reads what [`fmt::Display`] wrote. Anything else counts as nothing seen.
    fn parse(text: &str) -> Seen {
        let (access, unfinished) = text.split_once(' ').unwrap_or((text, ""));
        let one = |part: &str| -> Option<(i32, u64)> {
            let (id, position) = part.split_once(':')?;
            Some((id.parse().ok()?, position.parse().ok()?))
        };
        let unfinished: Option<BTreeMap<i32, u64>> =
            unfinished.split_whitespace().map(one).collect();
        unfinished.map_or_else(Seen::default, |unfinished| Seen {
            access: access.to_owned(),
            unfinished,
        })
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.access)?;
        for (id, position) in &self.unfinished {
            write!(f, " {id}:{position}")?;
        }
        Ok(())
    }
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
        let (access, before, others) = self.participants(&own, &members)?;
        let is_known = before.access == access;
        let mut pulled = Pulled::default();
        let mut first_problem = None;
        let mut unfinished = BTreeMap::new();
        for other in others {
            let mut again = match is_known {
                true => before.unfinished.get(&other.id).copied(),
                false => Some(0),
            };
            if members.contains(&other.identity) {
                match self.pull_store(memory, &other, &mut again, &mut pulled) {
                    Ok(()) => {}
                    Err(lost) if lost.is_transient() => return Err(lost),
                    // An error in one store's records must not block those of the others.
                    Err(problem) => {
                        first_problem.get_or_insert(problem);
                    }
                }
            } else {
                pulled.strangers.push(other.identity);
                // A former member may become one again.
                again = again.filter(|_| is_known);
            }
            unfinished.extend(again.map(|position| (other.id, position)));
        }
        let seen = Seen { access, unfinished };
        if seen != before {
            self.keep_seen(&own, &seen)?;
        }
        first_problem.map_or(Ok(pulled), Err)
    }

    /// Keeps what was read. If that is too long, what was kept before stays, and more is read again
    /// than necessary.
    fn keep_seen(&mut self, own: &str, seen: &Seen) -> Result<()> {
        let seen = seen.to_string();
        if seen.len() > SEEN_BYTES {
            return Ok(());
        }
        self.in_transaction(|tx, failed| {
            let statement = "UPDATE recallite.store SET access_seen = $2 WHERE identity = $1";
            tx.execute(statement, &[&own, &seen]).map_err(failed)
        })
        .map(drop)
    }

    /// The rights of this account, what this store has read, and all other stores. Records of
    /// non-members are not requested.
    fn participants(
        &mut self,
        own: &str,
        members: &[String],
    ) -> Result<(String, Seen, Vec<Other>)> {
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
            let seen = Seen::parse(&seen.ok_or(Error::NotAnnounced)?);
            Ok((access, seen, others))
        })
    }

    /// Takes a store's records after those that were received, or once more those after the
    /// position `again`. Sets `again` to where the next pull goes on, and to `None` when that is
    /// after those that were received.
    fn pull_store(
        &mut self,
        memory: &Memory,
        other: &Other,
        again: &mut Option<u64>,
        pulled: &mut Pulled,
    ) -> Result<()> {
        if other.progress.is_empty() {
            *again = None;
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
        let received = answer.through;
        *pulled += &answer;
        let mut since = again.map_or(received, |after| after.min(received));
        // After what was received, the memory itself knows where to go on.
        let before_received = |since: u64| (since < received).then_some(since);
        *again = before_received(since);
        while since < last {
            let (batch, through) = self.batch(other, since, last)?;
            *pulled += &sharing.receive_selected(&batch, since, through)?;
            since = through;
            *again = before_received(since);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_kept_as_text() {
        for text in ["", "-", "d41d8cd9 1:0 12:98000"] {
            assert_eq!(Seen::parse(text).to_string(), text);
        }
        let seen = Seen::parse("d41d8cd9 1:0 12:98000");
        assert_eq!(seen.unfinished, BTreeMap::from([(1, 0), (12, 98_000)]));
        for text in ["d41d8cd9 1", "d41d8cd9 1:x", "d41d8cd9 1:0 :"] {
            assert_eq!(Seen::parse(text), Seen::default(), "{text}");
        }
    }
}
