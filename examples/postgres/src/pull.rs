//! Receives what others have for this memory.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::time::{Duration, Instant};

use postgres::types::ToSql;
use recallite::{ErrorCode, Memory, Pulled, Received};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::push::{from_sql, to_sql};
use crate::server::{MOST_STRANGERS, Server};

/// The maximum number of records in a batch.
const BATCH_ROWS: i64 = 1_000;
/// A batch ends with the record that makes it this large, in bytes.
const BATCH_BYTES: i64 = 4 << 20;
/// The maximum length of [`Seen`] on the server, in bytes: room for some 4,000 stores.
const SEEN_BYTES: usize = 64 << 10;
/// How often a pull notes how far it has come.
const KEPT_EVERY: Duration = Duration::from_secs(1);

/// Another store in the shared log.
struct Other {
    id: i32,
    identity: String,
    /// Its progress, signed; empty before its first push.
    progress: String,
    /// How often records of it came to be about other projects.
    regrouped: i64,
}

impl Other {
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
struct Progress {
    through: u64,
}

/// What was read of the others. With other rights, records that were not visible before may be
/// anywhere in a log, so every log is read once more; and so is a log of which records came to be
/// about other projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    /// The rights of this account at that time.
    access: String,
    /// The stores that were not read once more to the end, by their ids, each with the position
    /// after which to go on.
    unfinished: BTreeMap<i32, u64>,
    /// How often records of each store had come to be about other projects, if they ever had.
    regrouped: BTreeMap<i32, i64>,
}

impl Seen {
    /// Reads what [`fmt::Display`] wrote. Anything else counts as nothing seen.
    fn parse(text: &str) -> Seen {
        Self::read(text).unwrap_or_default()
    }

    fn read(text: &str) -> Option<Seen> {
        let (access, stores) = text.split_once(' ').unwrap_or((text, ""));
        let mut seen = Seen {
            access: access.to_owned(),
            ..Seen::default()
        };
        for store in stores.split_whitespace() {
            if let Some((id, position)) = store.split_once(':') {
                seen.unfinished
                    .insert(id.parse().ok()?, position.parse().ok()?);
            } else {
                let (id, times) = store.split_once('=')?;
                seen.regrouped.insert(id.parse().ok()?, times.parse().ok()?);
            }
        }
        Some(seen)
    }
}

/// A pull under way.
struct Pulling<'m> {
    memory: &'m Memory,
    own: String,
    seen: Seen,
    /// What of it is on the server, and since when.
    kept: Seen,
    kept_at: Instant,
    pulled: Pulled,
}

impl Pulling<'_> {
    /// Whether everything up to a position was received.
    fn has_passed(&self, other: &Other, through: u64) -> Result<bool> {
        let marks = self.memory.sharing().watermarks()?;
        let mut of = marks.iter().filter(|mark| mark.identity == other.identity);
        Ok(of.any(|mark| mark.position >= through))
    }

    /// With other rights than before, all that was received is read once more, and so is what was
    /// received of a store whose records came to be about other projects. What was not received yet
    /// is read as it is now in any case.
    fn begin(&mut self, access: &str, others: &[Other]) -> Result<()> {
        let has_other_rights = self.seen.access != access;
        if has_other_rights {
            self.seen.access = access.to_owned();
            self.seen.unfinished.clear();
        }
        let marks = self.memory.sharing().watermarks()?.into_iter();
        let begun = marks.filter(|mark| mark.position > 0);
        let begun: HashSet<String> = begun.map(|mark| mark.identity).collect();
        let former = std::mem::take(&mut self.seen.regrouped);
        for other in others {
            if other.regrouped > 0 {
                self.seen.regrouped.insert(other.id, other.regrouped);
            }
            let is_regrouped = former.get(&other.id).copied().unwrap_or(0) != other.regrouped;
            if begun.contains(&other.identity) && (has_other_rights || is_regrouped) {
                self.seen.unfinished.insert(other.id, 0);
            }
        }
        let is_there = |id: &i32| others.iter().any(|other| other.id == *id);
        self.seen.unfinished.retain(|id, _| is_there(id));
        Ok(())
    }

    /// Notes where to go on with a store. After what was received, the memory itself knows.
    fn came_to(&mut self, store: i32, position: u64, received: u64) {
        match position < received {
            true => self.seen.unfinished.insert(store, position),
            false => self.seen.unfinished.remove(&store),
        };
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.access)?;
        for (id, position) in &self.unfinished {
            write!(f, " {id}:{position}")?;
        }
        for (id, times) in &self.regrouped {
            write!(f, " {id}={times}")?;
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
    /// [`Error::NotAnnounced`]; [`Error::Connection`]; [`Error::Damaged`] or [`Error::Memory`],
    /// naming store and position, when what the server gives is not what its store signed: what
    /// came before it was taken, and that of all others.
    pub fn pull(&mut self, memory: &Memory) -> Result<Pulled> {
        let sharing = memory.sharing();
        let own = sharing.identity()?;
        let members: Vec<String> = sharing
            .members()?
            .into_iter()
            .map(|member| member.identity)
            .collect();
        let (access, before, others) = self.participants(&own, &members)?;
        let mut pulling = Pulling {
            memory,
            own,
            seen: before.clone(),
            kept: before,
            kept_at: Instant::now(),
            pulled: Pulled::default(),
        };
        pulling.begin(&access, &others)?;
        self.keep_seen(&mut pulling)?;
        let mut first_problem = None;
        for other in others {
            if !members.contains(&other.identity) {
                // If it becomes a member again, all of it is read.
                pulling.seen.unfinished.remove(&other.id);
                pulling.pulled.strangers.push(other.identity);
                continue;
            }
            match self.pull_store(&mut pulling, &other) {
                Ok(()) => {}
                Err(lost) if lost.is_transient() => return Err(lost),
                // An error in one store's records must not block those of the others.
                Err(problem) => {
                    first_problem.get_or_insert(problem);
                }
            }
        }
        self.keep_seen(&mut pulling)?;
        first_problem.map_or(Ok(pulling.pulled), Err)
    }

    /// Keeps what was read. If that is too long, what was kept before stays, and more is read again
    /// than necessary.
    fn keep_seen(&mut self, pulling: &mut Pulling<'_>) -> Result<()> {
        pulling.kept_at = Instant::now();
        let text = pulling.seen.to_string();
        if pulling.seen == pulling.kept || text.len() > SEEN_BYTES {
            return Ok(());
        }
        self.in_transaction(|tx, failed| {
            let statement = "UPDATE recallite.store SET access_seen = $2 WHERE identity = $1";
            tx.execute(statement, &[&pulling.own, &text])
                .map_err(failed)
        })?;
        pulling.kept = pulling.seen.clone();
        Ok(())
    }

    /// The rights of this account, what this store has read, and all other stores. Records of
    /// non-members are not requested, and of more than 1,000 of these, only the first are listed.
    fn participants(
        &mut self,
        own: &str,
        members: &[String],
    ) -> Result<(String, Seen, Vec<Other>)> {
        self.in_transaction(|tx, failed| {
            // An account also sees whatever its own stores have pushed.
            let statement = "SELECT coalesce(md5(string_agg(mark, '' ORDER BY mark)), '-') FROM ( \
                             SELECT mark::text FROM recallite.access \
                             WHERE role = to_regrole(quote_ident(current_user)) \
                             UNION ALL SELECT id::text || ';' FROM recallite.store \
                             WHERE role = to_regrole(quote_ident(current_user)) \
                             AND identity <> $1) AS seen (mark)";
            let access: String = tx.query_one(statement, &[&own]).map_err(failed)?.get(0);
            let statement = "SELECT id, identity, \
                             CASE WHEN identity = ANY ($1) THEN progress ELSE '' END, \
                             CASE WHEN identity = $2 THEN access_seen ELSE '' END, \
                             CASE WHEN identity = ANY ($1) THEN regrouped ELSE 0 END \
                             FROM recallite.store \
                             WHERE identity = ANY ($1) OR identity = $2 OR id IN ( \
                             SELECT id FROM recallite.store WHERE identity <> ALL ($1) \
                             ORDER BY id LIMIT $3) \
                             ORDER BY identity";
            let arguments: [&(dyn ToSql + Sync); 3] = [&members, &own, &MOST_STRANGERS];
            let rows = tx.query(statement, &arguments).map_err(failed)?;
            let mut others = Vec::new();
            let mut seen: Option<String> = None;
            for row in rows {
                let other = Other {
                    id: row.get(0),
                    identity: row.get(1),
                    progress: row.get(2),
                    regrouped: row.get(4),
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

    /// Takes a store's records after those that were received, or once more those where an earlier
    /// pull has not finished.
    fn pull_store(&mut self, pulling: &mut Pulling<'_>, other: &Other) -> Result<()> {
        if other.progress.is_empty() {
            pulling.seen.unfinished.remove(&other.id);
            return Ok(());
        }
        let sharing = pulling.memory.sharing();
        let damaged = |problem: &str| Error::Damaged {
            identity: other.identity.clone(),
            problem: problem.to_owned(),
        };
        // The response, and whether the other store offers again what it had withheld.
        let answer = sharing
            .receive(&other.progress)
            .map_err(|problem| other.progress_failed(problem))?;
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
        pulling.pulled += &answer;
        let again = pulling.seen.unfinished.get(&other.id).copied();
        let mut since = again.map_or(received, |after| after.min(received));
        pulling.came_to(other.id, since, received);
        let mut conflict = None;
        while since < last {
            let (rows, through) = self.rows(other, since, last)?;
            let mut taking = Taking {
                pulling,
                other,
                received,
                conflict: None,
            };
            taking.take(&rows, since, through)?;
            conflict = conflict.or(taking.conflict);
            since = through;
            pulling.came_to(other.id, since, received);
            if pulling.kept_at.elapsed() >= KEPT_EVERY {
                self.keep_seen(pulling)?;
            }
        }
        conflict.map_or(Ok(()), |error| Err(error.into()))
    }

    /// The server's records of a store after a position, and the position up to which these are all
    /// that this account may see.
    fn rows(&mut self, other: &Other, since: u64, last: u64) -> Result<(Vec<Row>, u64)> {
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
        let rows: Vec<Row> = rows
            .iter()
            .map(|row| Row {
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
struct Row {
    position: u64,
    line: String,
}

/// Takes the records of one store.
struct Taking<'p, 'm> {
    pulling: &'p mut Pulling<'m>,
    other: &'p Other,
    /// The position up to which its records were received before.
    received: u64,
    /// The first record with the id of another store's.
    conflict: Option<recallite::Error>,
}

impl Taking<'_, '_> {
    /// Takes the records after a position up to another one. If they are refused together, those
    /// before the one that is to blame are taken without it.
    fn take(&mut self, rows: &[Row], since: u64, through: u64) -> Result<()> {
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

    fn receive(&self, rows: &[Row], since: u64, through: u64) -> recallite::Result<Received> {
        let mut batch = self.other.progress.clone();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_kept_as_text() {
        for text in ["", "-", "d41d8cd9 1:0 12:98000", "d41d8cd9 3:7 2=5 12=1"] {
            assert_eq!(Seen::parse(text).to_string(), text);
        }
        let seen = Seen::parse("d41d8cd9 1:0 12:98000");
        assert_eq!(seen.unfinished, BTreeMap::from([(1, 0), (12, 98_000)]));
        let seen = Seen::parse("d41d8cd9 2=5");
        assert_eq!(seen.regrouped, BTreeMap::from([(2, 5)]));
        for text in [
            "d41d8cd9 1",
            "d41d8cd9 1:x",
            "d41d8cd9 1=x",
            "d41d8cd9 1:0 :",
        ] {
            assert_eq!(Seen::parse(text), Seen::default(), "{text}");
        }
    }
}
