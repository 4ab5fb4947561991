//! Receives what others have for this memory.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use postgres::Row;
use postgres::types::ToSql;
use recallite::{ErrorCode, Memory, Pulled, Received};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::positions::{from_sql, to_sql};
use crate::progress::Progress;
use crate::read_once::{Known, ReadOnce};
use crate::seen::{Offered, Rights, Seen};
use crate::server::{MAX_STRANGERS, Server};

/// The maximum number of records in a batch.
const BATCH_ROWS: i64 = 1_000;
/// A batch ends with the record that makes it this large, in bytes.
const BATCH_BYTES: i64 = 4 << 20;
/// How often a pull notes how far it has come.
const KEPT_EVERY: Duration = Duration::from_secs(1);

/// Of so many stores, what they say of themselves is read at once.
const READ_AT_ONCE: usize = 500;

/// Another store in the shared log.
struct Other {
    id: i32,
    identity: String,
    /// Of its log on the server.
    edition: String,
    /// A hash of what it says.
    said_hash: String,
}

/// What another store says of itself.
struct Said {
    /// Its progress, signed; empty before its first push.
    progress: String,
    /// Its answer to this store; empty if there is none.
    answer: String,
    hash: String,
}

impl Other {
    /// Whether there is nothing that was not read on this connection.
    fn is_read(&self, once: &ReadOnce, received: u64, seen: &Seen) -> bool {
        let known = once.0.get(&self.identity);
        known.is_some_and(|known| known.hash == self.said_hash && known.through <= received)
            && seen.again_after(&self.identity).is_none()
    }

    /// An error about its progress, which does not name the store if it cannot be read at all.
    fn progress_failed(&self, problem: recallite::Error) -> Error {
        match problem.argument() == Some("batch") && !problem.message().contains(&self.identity) {
            true => Error::Damaged {
                identity: self.identity.clone(),
                problem: format!("has a progress on the server that is refused: {problem}"),
            },
            false => problem.into(),
        }
    }
}

/// The part of the progress that is read once its signature was verified.
#[derive(Deserialize)]
struct Through {
    through: u64,
}

impl Said {
    /// The last position that it says there is, before anyone has verified that.
    fn through(&self) -> Option<u64> {
        let header = self.progress.lines().next()?;
        let said: Through = serde_json::from_str(header).ok()?;
        Some(said.through)
    }
}

/// A pull under way.
struct Pulling<'m> {
    memory: &'m Memory,
    seen: Seen,
    kept_at: Instant,
    pulled: Pulled,
    progress: Progress,
}

impl Pulling<'_> {
    /// Whether everything up to a position was received.
    fn has_passed(&self, other: &Other, through: u64) -> Result<bool> {
        let marks = self.memory.sharing().watermarks()?;
        let mut of = marks.iter().filter(|mark| mark.identity == other.identity);
        Ok(of.any(|mark| mark.position >= through))
    }

    /// Keeps what was read so far.
    fn keep(&mut self) -> Result<()> {
        self.kept_at = Instant::now();
        self.seen.keep()
    }
}

impl Server {
    /// Takes what other members wrote and is not here yet, as far as this account may see
    /// it; [`Sharing::erase_ordered`](recallite::Sharing::erase_ordered) carries out what it
    /// has this memory erase. A store that is no member is named in the result.
    ///
    /// # Errors
    /// [`Error::NotAnnounced`]; [`Error::Connection`]; [`Error::Damaged`] or [`Error::Memory`],
    /// naming store and position, when what the server gives is not what its store signed: what
    /// came before it was taken, and that of all others.
    pub fn pull(&mut self, memory: &Memory) -> Result<Pulled> {
        let sharing = memory.sharing();
        let own = sharing.identity()?;
        let marks = sharing.watermarks()?.into_iter();
        let marks: HashMap<String, u64> =
            marks.map(|mark| (mark.identity, mark.position)).collect();
        let members: Vec<&str> = marks.keys().map(String::as_str).collect();
        let (rights, mut others) = self.participants(own.clone(), &members)?;
        let mut pulled = Pulled::default();
        let strangers = others.extract_if(.., |other| !marks.contains_key(&other.identity));
        pulled.strangers = strangers.map(|other| other.identity).collect();
        let offered: Vec<Offered<'_>> = others
            .iter()
            .map(|other| Offered {
                identity: &other.identity,
                edition: &other.edition,
            })
            .collect();
        let mut pulling = Pulling {
            memory,
            seen: Seen::begin(memory, rights, &offered)?,
            kept_at: Instant::now(),
            pulled,
            progress: Progress::default(),
        };
        let mut once = self.read.remove(&own).unwrap_or_default();
        let is_new = |other: &mut Other| {
            let received = marks.get(&other.identity).copied().unwrap_or(0);
            !other.is_read(&once, received, &pulling.seen)
        };
        let mut news: Vec<Other> = others.extract_if(.., is_new).collect();
        if news.is_empty() {
            // It tells what is left to be erased.
            news.extend(others.pop());
        }
        let mut first_problem = None;
        for part in news.chunks(READ_AT_ONCE) {
            let mut said = self.said(&own, part)?;
            for other in part {
                let last = said.get(&other.id).and_then(Said::through).unwrap_or(0);
                let received = marks.get(&other.identity).copied().unwrap_or(0);
                let since = pulling.seen.since(&other.identity, received);
                pulling.progress.total += last.saturating_sub(since);
            }
            for other in part {
                let Some(said) = said.remove(&other.id) else {
                    continue;
                };
                match self.pull_store(&mut pulling, other, &said) {
                    Ok(through) => {
                        let hash = said.hash;
                        let known = Known { hash, through };
                        once.0.insert(other.identity.clone(), known);
                    }
                    Err(lost) if lost.is_transient() => return Err(lost),
                    // An error in one store's records must not block those of the others.
                    Err(problem) => {
                        once.0.remove(&other.identity);
                        first_problem.get_or_insert(problem);
                    }
                }
            }
        }
        self.read.insert(own, once);
        pulling.keep()?;
        first_problem.map_or(Ok(pulling.pulled), Err)
    }

    /// What stores say of themselves, by their ids.
    fn said(&mut self, own: &str, stores: &[Other]) -> Result<HashMap<i32, Said>> {
        let ids: Vec<i32> = stores.iter().map(|store| store.id).collect();
        self.in_transaction(|tx, failed| {
            let statement = "SELECT id, progress, coalesce(line, ''), \
                             md5(progress || coalesce(line, '')) FROM recallite.store \
                             LEFT JOIN recallite.answer ON answer.store = id AND recipient = $1 \
                             WHERE id = ANY ($2)";
            let rows = tx.query(statement, &[&own, &ids]).map_err(failed)?;
            let said = |row: &Row| Said {
                progress: row.get(1),
                answer: match row.get(2) {
                    "" => String::new(),
                    line => format!("{line}\n"),
                },
                hash: row.get(3),
            };
            Ok(rows.iter().map(|row| (row.get(0), said(row))).collect())
        })
    }

    /// The rights of this account, and all other stores. Records of non-members are not requested,
    /// and of more than 1,000 of these, only the first are listed.
    fn participants(&mut self, identity: String, members: &[&str]) -> Result<(Rights, Vec<Other>)> {
        self.in_transaction(|tx, failed| {
            // An account also sees whatever its own stores have pushed.
            let statement = "SELECT (SELECT log::text FROM recallite.schema_version), \
                             EXISTS (SELECT FROM recallite.store WHERE identity = $1), \
                             coalesce(md5(string_agg(mark, '' ORDER BY mark)), '-') FROM ( \
                             SELECT mark::text FROM recallite.access \
                             WHERE role = to_regrole(quote_ident(current_user)) \
                             UNION ALL SELECT identity FROM recallite.store \
                             WHERE role = to_regrole(quote_ident(current_user)) \
                             AND identity <> $1) AS seen (mark)";
            let row = tx.query_one(statement, &[&identity]).map_err(failed)?;
            if !row.get::<_, bool>(1) {
                return Err(Error::NotAnnounced);
            }
            let (log, access) = (row.get(0), row.get(2));
            let statement = "SELECT id, identity, edition::text, \
                             md5(progress || coalesce(line, '')) FROM recallite.store \
                             LEFT JOIN recallite.answer ON answer.store = id AND recipient = $2 \
                             WHERE identity <> $2 AND (identity = ANY ($1) OR id IN ( \
                             SELECT id FROM recallite.store WHERE identity <> ALL ($1) \
                             ORDER BY id LIMIT $3)) \
                             ORDER BY identity";
            let arguments: [&(dyn ToSql + Sync); 3] = [&members, &identity, &MAX_STRANGERS];
            let rows = tx.query(statement, &arguments).map_err(failed)?;
            let others = rows.iter().map(|row| Other {
                id: row.get(0),
                identity: row.get(1),
                edition: row.get(2),
                said_hash: row.get(3),
            });
            let rights = Rights {
                log,
                identity,
                access,
            };
            Ok((rights, others.collect()))
        })
    }

    /// Takes a store's records after those that were received, or once more those where an earlier
    /// pull has not finished. Returns the position up to which there are any.
    fn pull_store(&mut self, pulling: &mut Pulling<'_>, other: &Other, said: &Said) -> Result<u64> {
        // It has still to push, perhaps once more.
        if said.progress.is_empty() {
            return Ok(0);
        }
        let sharing = pulling.memory.sharing();
        let damaged = |problem: &str| Error::Damaged {
            identity: other.identity.clone(),
            problem: problem.to_owned(),
        };
        // How far it has come with the erasures of this store, and whether it offers again what it had
        // withheld.
        let Said {
            progress, answer, ..
        } = said;
        let (received, problem) = match sharing.receive(&format!("{progress}{answer}")) {
            Ok(received) => (received, None),
            // Its records are good without the answer.
            Err(problem) => {
                let received = sharing.receive(progress);
                let received = received.map_err(|problem| other.progress_failed(problem))?;
                (received, Some(other.progress_failed(problem)))
            }
        };
        if received.identity != other.identity {
            return Err(damaged(
                "is listed on the server with the progress of another store",
            ));
        }
        let last = said
            .through()
            .ok_or_else(|| damaged("has no readable progress on the server"))?;
        pulling.pulled += &received;
        let received = received.through;
        let mut since = pulling.seen.since(&other.identity, received);
        pulling.seen.came_to(&other.identity, since, received);
        let mut conflict = None;
        while since < last {
            let (rows, through) = self.rows(other, since, last)?;
            let mut taking = Taking {
                pulling,
                other,
                progress,
                received,
                conflict: None,
            };
            taking.take(&rows, since, through)?;
            conflict = conflict.or(taking.conflict);
            pulling.progress.done += through.saturating_sub(since);
            self.tell(pulling.progress);
            since = through;
            pulling.seen.came_to(&other.identity, since, received);
            if pulling.kept_at.elapsed() >= KEPT_EVERY {
                pulling.keep()?;
            }
        }
        match conflict.map(Error::from).or(problem) {
            Some(problem) => Err(problem),
            None => Ok(last),
        }
    }

    /// The server's records of a store after a position, and the position up to which these are all
    /// that this account may see.
    fn rows(&mut self, other: &Other, since: u64, last: u64) -> Result<(Vec<Line>, u64)> {
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
        let rows: Vec<Line> = rows
            .iter()
            .map(|row| Line {
                position: from_sql(row.get(0)),
                line: row.get(1),
            })
            .collect();
        let bytes: usize = rows.iter().map(|row| row.line.len()).sum();
        let is_all = (rows.len() as i64) < BATCH_ROWS && (bytes as i64) < BATCH_BYTES;
        let through = match rows.last() {
            Some(row) if !is_all => row.position,
            _ => last,
        };
        Ok((rows, through))
    }
}

/// A record on the server.
struct Line {
    position: u64,
    line: String,
}

/// Takes the records of one store.
struct Taking<'p, 'm> {
    pulling: &'p mut Pulling<'m>,
    other: &'p Other,
    progress: &'p str,
    /// The position up to which its records were received before.
    received: u64,
    /// The first record with the id of another store's.
    conflict: Option<recallite::Error>,
}

impl Taking<'_, '_> {
    /// Takes the records after a position up to another one. If they are refused together, those
    /// before the one that is to blame are taken without it.
    fn take(&mut self, rows: &[Line], since: u64, through: u64) -> Result<()> {
        let problem = match self.receive(rows, since, through) {
            Ok(taken) => {
                self.pulling.pulled += &taken;
                return Ok(());
            }
            Err(problem) => problem,
        };
        let is_conflict = problem.code() == ErrorCode::AlreadyExists;
        // The record was left out, and the others were stored.
        if is_conflict && through > self.received && self.pulling.has_passed(self.other, through)? {
            self.conflict.get_or_insert(problem);
            return Ok(());
        }
        let is_refused = matches!(
            problem.code(),
            ErrorCode::InvalidArgument | ErrorCode::NewerFormat
        );
        if !is_conflict && !is_refused {
            return Err(problem.into());
        }
        match rows {
            [] => Err(problem.into()),
            // What was received before may be read once more without this record.
            [_] if is_conflict && through <= self.received => {
                self.conflict.get_or_insert(problem);
                Ok(())
            }
            [_] if is_conflict => Err(problem.into()),
            [row] => Err(Error::Damaged {
                identity: self.other.identity.clone(),
                problem: format!(
                    "has a record on the server, at position {}, that cannot be accepted: {problem}",
                    row.position
                ),
            }),
            rows => {
                let (first, rest) = rows.split_at(rows.len() / 2);
                let middle = first.last().map_or(since, |row| row.position);
                self.take(first, since, middle)?;
                self.take(rest, middle, through)
            }
        }
    }

    fn receive(&self, rows: &[Line], since: u64, through: u64) -> recallite::Result<Received> {
        let mut batch = self.progress.to_owned();
        for row in rows {
            // It would be read as several records; an empty one is refused where it is.
            let line = match row.line.contains('\n') {
                true => "",
                false => &row.line,
            };
            batch.push_str(line);
            batch.push('\n');
        }
        let sharing = self.pulling.memory.sharing();
        sharing.receive_selected(&batch, since, through)
    }
}
