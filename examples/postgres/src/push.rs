//! Sends what this memory has for others to the server.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use postgres::Transaction;
use recallite::{ErrorCode, Memory, Seq, SharedBatch};
use serde::Deserialize;

use crate::answers::{self, Parts};
use crate::error::{Error, Failed, Result};
use crate::positions::{from_sql, to_sql};
use crate::progress::Progress;
use crate::server::Server;

/// The maximum number of records in a transaction.
const BATCH: usize = 1_000;
/// The maximum length of a record, in bytes: the server refuses a longer one.
const MAX_LINE_BYTES: usize = 512 << 20;

/// The records on the server are counted by the first push of a connection, and then after so long.
pub(crate) const COUNTED_EVERY: Duration = Duration::from_secs(600);

/// What [`Server::push`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pushed {
    /// Records that are new on the server.
    pub records: u64,
    /// Records that left it: forgotten, erased or withheld since.
    pub removed: u64,
    /// Records that were written again, without the part of them that was erased since, or
    /// because they are about other projects since a session was moved or an edge was added.
    pub rewritten: u64,
}

/// The fields of a record that the server needs.
#[derive(Deserialize)]
struct Told {
    position: u64,
    id: String,
    kind: String,
    #[serde(default)]
    project: String,
}

/// Lines of records, as columns.
#[derive(Default)]
struct Lines<'a> {
    positions: Vec<i64>,
    /// The projects that each is about, as JSON.
    projects: Vec<String>,
    /// And their names.
    names: Vec<Vec<String>>,
    are_orders: Vec<bool>,
    ids: Vec<String>,
    lines: Vec<&'a str>,
}

/// What was written.
#[derive(Clone, Copy, Default)]
struct Written {
    new: u64,
    rewritten: u64,
}

impl<'a> Lines<'a> {
    /// The lines of a batch up to a position.
    fn of(
        memory: &Memory,
        identity: &str,
        batch: &'a SharedBatch,
        through: u64,
    ) -> Result<Lines<'a>> {
        let mut all = Lines::default();
        for line in Parts::of(&batch.lines).records {
            let told: Told = serde_json::from_str(line).map_err(|e| Error::Damaged {
                identity: identity.to_owned(),
                problem: format!("has a record that cannot be read: {e}"),
            })?;
            if told.position > through {
                break;
            }
            all.positions.push(to_sql(told.position));
            let names = projects_of(memory, &told)?;
            all.projects
                .push(
                    serde_json::to_string(&names).map_err(|e| Error::InvalidArgument {
                        argument: "project",
                        problem: e.to_string(),
                    })?,
                );
            all.names.push(names);
            all.ids.push(told.id);
            all.are_orders
                .push(told.kind == "forgotten" || told.kind == "erased");
            all.lines.push(line);
        }
        Ok(all)
    }
}

/// The projects that a record is about; never none.
fn projects_of(memory: &Memory, told: &Told) -> Result<Vec<String>> {
    let mut projects = match memory.sharing().projects_of(Seq(told.position)) {
        Ok(projects) => projects,
        // It was forgotten since the batch was made: the next push removes it.
        Err(error) if error.code() == ErrorCode::NotFound => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if projects.is_empty() {
        projects.push(told.project.clone());
    }
    // A text of the server holds no NUL, so nobody could be granted such a project.
    for project in &mut projects {
        *project = project.replace('\0', "\u{fffd}");
    }
    Ok(projects)
}

/// # Errors
/// [`Error::RecordTooLong`].
fn check_lengths(identity: &str, lines: &Lines<'_>, most: usize) -> Result<()> {
    let mut all = lines.positions.iter().zip(&lines.lines);
    match all.find(|(_, line)| line.len() > most) {
        Some((position, line)) => Err(Error::RecordTooLong {
            identity: identity.to_owned(),
            position: from_sql(*position),
            bytes: line.len(),
            most,
        }),
        None => Ok(()),
    }
}

/// Checks that the account may share the projects of the records that are new to the server. What
/// belongs to no project may always go there.
///
/// # Errors
/// [`Error::ProjectNotShared`].
fn check_granted(
    tx: &mut Transaction<'_>,
    identity: &str,
    store: i32,
    lines: &Lines<'_>,
    failed: Failed<'_>,
) -> Result<()> {
    let statement = "SELECT project, is_every FROM recallite.access \
                     WHERE role = to_regrole(quote_ident(current_user))";
    let rights = tx.query(statement, &[]).map_err(failed)?;
    if rights.iter().any(|right| right.get(1)) {
        return Ok(());
    }
    let granted: HashSet<&str> = rights.iter().map(|right| right.get(0)).collect();
    let is_shared = |name: &&String| name.is_empty() || granted.contains(name.as_str());
    let refused: Vec<(i64, &String)> = (0..lines.positions.len())
        .filter(|&index| !lines.are_orders[index])
        .filter_map(|index| {
            let project = lines.names[index].iter().find(|name| !is_shared(name))?;
            Some((lines.positions[index], project))
        })
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    let statement = "SELECT position FROM recallite.record \
                     WHERE store = $1 AND position = ANY ($2)";
    let positions: Vec<i64> = refused.iter().map(|(position, _)| *position).collect();
    let there = tx.query(statement, &[&store, &positions]).map_err(failed)?;
    let there: HashSet<i64> = there.iter().map(|row| row.get(0)).collect();
    match refused
        .into_iter()
        .find(|(position, _)| !there.contains(position))
    {
        Some((position, project)) => Err(Error::ProjectNotShared {
            identity: identity.to_owned(),
            position: from_sql(position),
            project: project.clone(),
        }),
        None => Ok(()),
    }
}

/// The state of the memory with which the records on the server were last compared.
struct Compared {
    /// How often withheld records had been offered again.
    offers: u64,
    mark: String,
}

/// What a push does after a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// There may be more after this position.
    Batch(u64),
    /// Something was forgotten, or something withheld was offered again, in the meantime: the
    /// records on the server must be compared before anyone is told.
    Comparison,
    Nothing,
}

/// How often the store has offered again what it had withheld, according to a header of its own.
fn offers_in(identity: &str, lines: &str) -> Result<u64> {
    #[derive(Deserialize)]
    struct Header {
        offers: u64,
    }
    let header = lines.lines().next().unwrap_or_default();
    let header: Header = serde_json::from_str(header).map_err(|e| Error::Damaged {
        identity: identity.to_owned(),
        problem: format!("has a header that cannot be read: {e}"),
    })?;
    Ok(header.offers)
}

/// The row of this store.
struct Own {
    id: i32,
    pushed_through: u64,
    /// The checksum of the log there; empty before the first push.
    pushed_checksum: String,
    progress: String,
    retraction_mark: String,
}

impl Own {
    /// How often withheld records had been offered again when others were last told; `None` if they
    /// were told nothing.
    fn offers(&self) -> Option<u64> {
        offers_in("", &self.progress).ok()
    }
}

/// Notes that there are more records of a store on the server, or fewer. `positions` is the sum of
/// their positions.
fn count(
    tx: &mut Transaction<'_>,
    store: i32,
    (records, positions): (i64, i64),
    failed: Failed<'_>,
) -> Result<()> {
    let statement = "UPDATE recallite.store SET record_count = record_count + $2::bigint, \
                     position_sum = position_sum + $3::bigint WHERE id = $1";
    tx.execute(statement, &[&store, &records, &positions])
        .map_err(failed)
        .map(drop)
}

/// Has everyone read the records of a store once more.
fn renew_edition(tx: &mut Transaction<'_>, store: i32, failed: Failed<'_>) -> Result<()> {
    let statement = "UPDATE recallite.store SET edition = DEFAULT WHERE id = $1";
    tx.execute(statement, &[&store]).map_err(failed).map(drop)
}

/// Takes records out of the server.
fn take_out(
    tx: &mut Transaction<'_>,
    store: i32,
    positions: &[i64],
    failed: Failed<'_>,
) -> Result<u64> {
    if positions.is_empty() {
        return Ok(0);
    }
    let statement = "SELECT recallite.take_out($1, $2)";
    let row = tx.query_one(statement, &[&store, &positions]);
    let removed: i64 = row.map_err(failed)?.get(0);
    // Only what nobody pushed can be that large, and then all are counted anew.
    let sum = positions.iter().copied().fold(0, i64::wrapping_add);
    count(tx, store, (-removed, sum.wrapping_neg()), failed)?;
    Ok(from_sql(removed))
}

/// Takes out the records after `from` and up to `through` that are not among the shared ones.
fn take_out_others(
    tx: &mut Transaction<'_>,
    store: i32,
    from: u64,
    through: u64,
    shared: &[i64],
    failed: Failed<'_>,
) -> Result<u64> {
    let statement = "SELECT position FROM recallite.record WHERE store = $1 \
                     AND position > $2 AND position <= $3 AND position <> ALL ($4)";
    let (first, last) = (to_sql(from), to_sql(through));
    let rows = tx
        .query(statement, &[&store, &first, &last, &shared])
        .map_err(failed)?;
    let positions: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    take_out(tx, store, &positions, failed)
}

impl Server {
    /// Writes what this memory shares and has not written yet, and takes away what was
    /// forgotten, erased or withheld since. Killed in the middle, it is called again. Several
    /// processes may push one memory at a time.
    ///
    /// # Errors
    /// [`Error::NotAnnounced`], [`Error::TwoMachines`], [`Error::SetBack`],
    /// [`Error::Connection`], [`Error::Busy`]; [`Error::ProjectNotShared`] when a record is of a
    /// project that the account was not granted, and [`Error::RecordTooLong`] when it takes more
    /// than 512 MiB as JSON: it stays here, as do those of its transaction, which are at most 1,000,
    /// and all later ones; [`Error::Memory`] when the memory fails.
    pub fn push(&mut self, memory: &Memory) -> Result<Pushed> {
        let mut pushed = Pushed::default();
        let identity = memory.sharing().identity()?;
        loop {
            // Both are taken before anything is read, so that a concurrent change is seen later.
            let compared = Compared {
                offers: offers_in(&identity, &memory.sharing().batch_since(0, 0)?.lines)?,
                mark: memory.sharing().retraction_mark()?,
            };
            let mark = &compared.mark;
            let own =
                self.in_transaction(|tx, failed| own_row(tx, memory, &identity, "", failed))?;
            let is_due = self.is_count_due(&identity);
            if is_due {
                self.answered.remove(&identity);
            }
            if own.retraction_mark != *mark || is_due && !self.is_whole(&identity)? {
                self.compare(memory, &identity, &compared, &mut pushed)?;
                self.in_transaction(|tx, failed| {
                    let own = own_row(tx, memory, &identity, "FOR UPDATE", failed)?;
                    let statement = "UPDATE recallite.store SET retraction_mark = $2, \
                                     record_count = found.records, position_sum = found.positions \
                                     FROM (SELECT count(*) AS records, \
                                     coalesce(sum(position), 0) AS positions \
                                     FROM recallite.record WHERE store = $1) AS found \
                                     WHERE id = $1";
                    tx.execute(statement, &[&own.id, mark]).map_err(failed)
                })?;
            }
            if is_due {
                self.counted.insert(identity.clone(), Instant::now());
            }
            let mut from = own.pushed_through;
            let total = last_position(memory)?.saturating_sub(from);
            let next = loop {
                match self.push_batch(memory, &identity, &compared, from, &mut pushed)? {
                    Next::Batch(through) => {
                        from = through;
                        let done = from.saturating_sub(own.pushed_through);
                        self.tell(Progress { done, total });
                    }
                    next => break next,
                }
            };
            if next == Next::Nothing {
                return Ok(pushed);
            }
        }
    }

    fn is_count_due(&self, identity: &str) -> bool {
        let counted = self.counted.get(identity);
        counted.is_none_or(|at| at.elapsed() >= COUNTED_EVERY)
    }

    /// Whether the server has all records that pushes have left there.
    fn is_whole(&mut self, identity: &str) -> Result<bool> {
        self.in_transaction(|tx, failed| {
            // One statement sees one state, also while another process pushes.
            let statement = "SELECT (record_count, position_sum) = (SELECT count(*), \
                             coalesce(sum(position), 0) FROM recallite.record \
                             WHERE record.store = store.id) \
                             FROM recallite.store WHERE identity = $1";
            let row = tx.query_one(statement, &[&identity]).map_err(failed)?;
            Ok(row.get(0))
        })
    }

    /// Sends the records after `from`, up to which everything is on the server, and the new
    /// progress, in one transaction.
    fn push_batch(
        &mut self,
        memory: &Memory,
        identity: &str,
        compared: &Compared,
        from: u64,
        pushed: &mut Pushed,
    ) -> Result<Next> {
        let sharing = memory.sharing();
        // The lines are made before the row is locked, so that nobody waits for that.
        let batch = sharing.batch_since(from, BATCH)?;
        let lines = Lines::of(memory, identity, &batch, batch.through)?;
        let checksum = sharing.log_checksum(batch.through)?;
        let known = self.answered.get(identity).cloned();
        let is_answered = |answers: &[&str]| {
            let known = known.iter().flatten();
            known.map(String::as_str).eq(answers.iter().copied())
        };
        let (written, next, answers) = self.in_transaction(|tx, failed| {
            // Locks the row: another process that pushes the same memory waits here.
            let own = own_row(tx, memory, identity, "FOR UPDATE", failed)?;
            if own.pushed_through != from {
                // Another process was faster.
                return Ok((
                    Written::default(),
                    Next::Batch(own.pushed_through),
                    Vec::new(),
                ));
            }
            let said = sharing.batch_since(batch.through, 0)?.lines;
            let Parts {
                header, answers, ..
            } = Parts::of(&said);
            let offers = offers_in(identity, header)?;
            // What was forgotten since the lines were made may have been compared already. And
            // others read everything once more when they see the progress, and not again later.
            if sharing.retraction_mark()? != compared.mark || offers != compared.offers {
                return Ok((Written::default(), Next::Comparison, Vec::new()));
            }
            let written = write(tx, identity, own.id, &lines, failed)?;
            let answered = match is_answered(&answers) {
                true => 0,
                false => answers::write(tx, identity, own.id, &answers, failed)?,
            };
            let has_news = !lines.positions.is_empty() || own.offers() != Some(offers);
            let through = to_sql(batch.through);
            if has_news {
                let statement = "UPDATE recallite.store SET pushed_through = $2, progress = $3, \
                                 pushed_checksum = $4 WHERE id = $1";
                let progress = format!("{header}\n");
                tx.execute(statement, &[&own.id, &through, &progress, &checksum])
                    .map_err(failed)?;
            } else if batch.through != own.pushed_through {
                // Others have nothing to read, so they keep the progress that they know.
                let statement = "UPDATE recallite.store SET pushed_through = $2, \
                                 pushed_checksum = $3 WHERE id = $1";
                tx.execute(statement, &[&own.id, &through, &checksum])
                    .map_err(failed)?;
            }
            if has_news || answered > 0 {
                tx.execute("SELECT pg_notify('recallite', $1)", &[&identity])
                    .map_err(failed)?;
            }
            let next = match batch.has_more {
                true => Next::Batch(batch.through),
                false => Next::Nothing,
            };
            let answers = answers.into_iter().map(str::to_owned).collect();
            Ok((written, next, answers))
        })?;
        self.answered.insert(identity.to_owned(), answers);
        pushed.records += written.new;
        pushed.rewritten += written.rewritten;
        Ok(next)
    }

    /// Goes through the records on the server: removes those that are no longer shared, replaces one
    /// that an erasure reduced by its rest, and sends those again that were lost.
    fn compare(
        &mut self,
        memory: &Memory,
        identity: &str,
        compared: &Compared,
        pushed: &mut Pushed,
    ) -> Result<()> {
        let sharing = memory.sharing();
        let (mut from, mut refused) = (0, None);
        loop {
            // Whoever changes something after the comparison began has it made once more.
            let batch = sharing.batch_since(from, BATCH)?;
            let (through, removed, lines, is_done) = self.in_transaction(|tx, failed| {
                let own = own_row(tx, memory, identity, "FOR UPDATE", failed)?;
                if from >= own.pushed_through {
                    // What lies behind is sent as if it was not there.
                    let removed = take_out_others(tx, own.id, from, u64::MAX, &[], failed)?;
                    return Ok((from, removed, None, true));
                }
                let through = batch.through.min(own.pushed_through);
                let lines = Lines::of(memory, identity, &batch, through)?;
                let shared = &lines.positions;
                let removed = take_out_others(tx, own.id, from, through, shared, failed)?;
                Ok((through, removed, Some(lines), through <= from))
            })?;
            pushed.removed += removed;
            if let Some(lines) = lines {
                // If something is refused, what was removed stays removed, and so does the rest.
                let written = self.in_transaction(|tx, failed| {
                    let own = own_row(tx, memory, identity, "FOR UPDATE", failed)?;
                    let written = write(tx, identity, own.id, &lines, failed)?;
                    // Others may have passed these positions. What was withheld and is offered
                    // again they learn by the new progress.
                    if written.new > 0 && own.offers() == Some(compared.offers) {
                        renew_edition(tx, own.id, failed)?;
                    }
                    Ok(written)
                });
                match written {
                    Ok(written) => {
                        pushed.records += written.new;
                        pushed.rewritten += written.rewritten;
                    }
                    Err(
                        problem @ (Error::ProjectNotShared { .. } | Error::RecordTooLong { .. }),
                    ) => {
                        refused.get_or_insert(problem);
                    }
                    Err(problem) => return Err(problem),
                }
            }
            from = through;
            if is_done {
                return refused.map_or(Ok(()), Err);
            }
        }
    }
}

/// The row of this store, which was pushed from this very log.
fn own_row(
    tx: &mut Transaction<'_>,
    memory: &Memory,
    identity: &str,
    lock: &str,
    failed: Failed<'_>,
) -> Result<Own> {
    let statement = format!(
        "SELECT id, pushed_through, progress, retraction_mark, pushed_checksum, \
         coalesce(role = to_regrole(quote_ident(current_user)), false) \
         FROM recallite.store WHERE identity = $1 {lock}"
    );
    let row = tx
        .query_opt(&statement, &[&identity])
        .map_err(failed)?
        .ok_or(Error::NotAnnounced)?;
    if !row.get::<_, bool>(5) {
        return Err(Error::OtherAccount {
            identity: identity.to_owned(),
        });
    }
    let own = Own {
        id: row.get(0),
        pushed_through: from_sql(row.get(1)),
        progress: row.get(2),
        retraction_mark: row.get(3),
        pushed_checksum: row.get(4),
    };
    check_same_log(memory, identity, &own)?;
    Ok(own)
}

/// Stores records. Existing ones are left as they are, except those that an erasure has reduced
/// since, or that are about other projects since a session was moved.
fn write(
    tx: &mut Transaction<'_>,
    identity: &str,
    store: i32,
    lines: &Lines<'_>,
    failed: Failed<'_>,
) -> Result<Written> {
    if lines.lines.is_empty() {
        return Ok(Written::default());
    }
    check_lengths(identity, lines, MAX_LINE_BYTES)?;
    check_granted(tx, identity, store, lines, failed)?;
    let Changed {
        positions: changed,
        is_regrouped,
    } = changed(tx, identity, store, lines, failed)?;
    let rewritten = take_out(tx, store, &changed, failed)?;
    if is_regrouped {
        renew_edition(tx, store, failed)?;
    }
    let statement = "WITH new AS ( \
                     INSERT INTO recallite.record (store, position, projects, is_order, line) \
                     SELECT $1, position, \
                     ARRAY(SELECT jsonb_array_elements_text(projects::jsonb)), is_order, line \
                     FROM unnest($2::bigint[], $3::text[], $4::boolean[], $5::text[]) \
                     AS given (position, projects, is_order, line) ON CONFLICT DO NOTHING \
                     RETURNING position) \
                     SELECT count(*), coalesce(sum(position), 0)::bigint FROM new";
    let Lines {
        positions,
        projects,
        are_orders,
        lines,
        ..
    } = lines;
    let row = tx
        .query_one(statement, &[&store, positions, projects, are_orders, lines])
        .map_err(failed)?;
    let inserted: (i64, i64) = (row.get(0), row.get(1));
    if inserted.0 > 0 {
        count(tx, store, inserted, failed)?;
    }
    Ok(Written {
        new: from_sql(inserted.0).saturating_sub(rewritten),
        rewritten,
    })
}

/// The records on the server whose line or projects have changed here since.
#[derive(Default)]
struct Changed {
    positions: Vec<i64>,
    /// Whether one of them is about other projects.
    is_regrouped: bool,
}

/// # Errors
/// [`Error::TwoMachines`] if one of them is a different record.
fn changed(
    tx: &mut Transaction<'_>,
    identity: &str,
    store: i32,
    lines: &Lines<'_>,
    failed: Failed<'_>,
) -> Result<Changed> {
    let statement = "SELECT r.position, r.line, r.projects <> new.projects \
                     FROM recallite.record AS r JOIN ( \
                     SELECT position, line, \
                     ARRAY(SELECT jsonb_array_elements_text(projects::jsonb)) AS projects \
                     FROM unnest($2::bigint[], $3::text[], $4::text[]) \
                     AS given (position, line, projects)) AS new USING (position) \
                     WHERE r.store = $1 AND (r.line <> new.line OR r.projects <> new.projects) \
                     ORDER BY position";
    let Lines {
        positions,
        projects,
        lines: texts,
        ..
    } = lines;
    let rows = tx
        .query(statement, &[&store, positions, texts, projects])
        .map_err(failed)?;
    let mut changed = Changed::default();
    for row in rows {
        let position: i64 = row.get(0);
        let here = lines.positions.iter().position(|at| *at == position);
        if !here.is_some_and(|at| is_record(row.get(1), &lines.ids[at])) {
            return Err(Error::TwoMachines {
                identity: identity.to_owned(),
                position: from_sql(position),
            });
        }
        changed.positions.push(position);
        changed.is_regrouped |= row.get::<_, bool>(2);
    }
    Ok(changed)
}

/// Whether a line is the record with this id. A record may have different lines, because an erasure
/// can reduce it.
fn is_record(line: &str, id: &str) -> bool {
    serde_json::from_str::<Told>(line).is_ok_and(|told| told.id == id)
}

/// The last position of a memory's log.
fn last_position(memory: &Memory) -> Result<u64> {
    // The statistics have it too, but count everything.
    let Seq(last) = memory.wait_for_change(Seq(0), Duration::ZERO)?;
    Ok(last)
}

/// Checks that this memory's log is the one that was pushed. It is not if the folder was copied, or
/// restored to an earlier state and continued.
fn check_same_log(memory: &Memory, identity: &str, own: &Own) -> Result<()> {
    let identity = identity.to_owned();
    let (pushed, last) = (own.pushed_through, last_position(memory)?);
    if pushed > last {
        return Err(Error::SetBack {
            identity,
            pushed,
            last,
        });
    }
    let is_same = own.pushed_checksum.is_empty()
        || memory.sharing().log_checksum(pushed)? == own.pushed_checksum;
    match is_same {
        true => Ok(()),
        false => Err(Error::TwoMachines {
            identity,
            position: pushed,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_too_long_is_named_by_its_position() {
        let lines = Lines {
            positions: vec![3, 7],
            lines: vec!["1234", "12345"],
            ..Lines::default()
        };
        assert!(check_lengths("ab", &lines, 5).is_ok());
        let error = check_lengths("ab", &lines, 4).expect_err("five bytes are more than four");
        let is_named = matches!(
            error,
            Error::RecordTooLong {
                position: 7,
                bytes: 5,
                most: 4,
                ..
            }
        );
        assert!(is_named, "{error}");
    }
}
