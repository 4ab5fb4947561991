//! The rows of the folds that are a function of the log: their hash, and how two stores differ in
//! them.

use crate::model::error::Result;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::catch_panic;
use crate::store::projected_rows::projected::open;
use crate::store::projected_rows::row_kind::{RowKind, RowKindFacts, is_work};
use crate::store::replaying::difference::{Difference, differing};
use crate::store::tables::PROJECTED;
use crate::store::{ReadTx, WriteTx};

impl ReadTx {
    /// A hash over every row that is a function of the log: equal for two stores with the
    /// same log.
    pub(crate) fn projected_digest(&self) -> Result<[u8; 32]> {
        catch_panic(|| digest(&self.transaction.open_table(PROJECTED)?))
    }
}

impl WriteTx<'_> {
    /// Like [`ReadTx::projected_digest`], during a write.
    #[cfg(test)]
    pub(crate) fn projected_digest(&self) -> Result<[u8; 32]> {
        digest(&self.transaction.open_table(PROJECTED)?)
    }

    /// Visits the rows of the digest: kind, key and the hashed part of the row.
    #[cfg(test)]
    pub(crate) fn each_projected(&self, mut visit: impl FnMut(u8, &[u8], &[u8])) -> Result<()> {
        for entry in digested(&self.transaction.open_table(PROJECTED)?)? {
            let (key, row) = entry?;
            visit(key[0], &key[1..], &row);
        }
        Ok(())
    }
}

fn digest(table: &impl ReadableTable<&'static [u8], &'static [u8]>) -> Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    for entry in digested(table)? {
        let (key, row) = entry?;
        for part in [key, row] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(&part);
        }
    }
    Ok(*hasher.finalize().as_bytes())
}

/// A full key and the part of its row that is a function of the log.
type DigestedRow = (Vec<u8>, Vec<u8>);

/// The part that is a function of the log, in key order.
fn digested(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<impl Iterator<Item = Result<DigestedRow>>> {
    Ok(table.iter()?.filter_map(|entry| {
        entry
            .and_then(|(key, row)| digested_row(key.value(), row.value()))
            .transpose()
    }))
}

fn digested_row(key: &[u8], row: &[u8]) -> Result<Option<DigestedRow>> {
    let Some((&row_kind, rest)) = key.split_first() else {
        return Ok(None);
    };
    if is_work(row_kind) {
        return Ok(None);
    }
    let row = open(row)?;
    if row_kind != RowKind::Count as u8 {
        return Ok(Some((key.to_vec(), row.to_vec())));
    }
    // The date of a kind's last change is not a function of what is left of the log:
    // forgetting an event does not turn it back.
    let counted = RowKindFacts::decode(row).rows;
    let counts_work = rest.first().is_some_and(|row_kind| is_work(*row_kind));
    Ok((counted > 0 && !counts_work).then(|| (key.to_vec(), counted.to_le_bytes().to_vec())))
}

/// The name that `check` uses for the rows of a kind, for example
/// `projected.task_by_status`.
fn name_of(row_kind: u8) -> String {
    let known = RowKind::ALL.iter().find(|kind| **kind as u8 == row_kind);
    let Some(known) = known else {
        return "projected".to_owned();
    };
    let mut name = "projected".to_owned();
    for letter in format!("{known:?}").chars() {
        if letter.is_uppercase() {
            name.push(if name.len() == "projected".len() {
                '.'
            } else {
                '_'
            });
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// The first row that is a function of the log and differs from `right`, which was folded
/// from the same log.
pub(in crate::store) fn compare(found: &ReadTx, right: &ReadTx) -> Result<Option<Difference>> {
    let running = &found.running;
    let found = found.transaction.open_table(PROJECTED)?;
    if let Some(difference) = damaged(&found)? {
        return Ok(Some(difference));
    }
    let right = right.transaction.open_table(PROJECTED)?;
    let (mut found, mut right) = (digested(&found)?, digested(&right)?);
    loop {
        let (mine, wanted) = (found.next().transpose()?, right.next().transpose()?);
        if mine == wanted {
            match mine {
                None => return Ok(None),
                Some(_) => running.tick()?,
            }
            continue;
        }
        let ((key, _), problem) = differing(mine, wanted);
        let name = name_of(key.first().copied().unwrap_or_default());
        return Ok(Some(Difference::new(&name, None, problem)));
    }
}

/// The first row, including pending work, that does not match its seal.
fn damaged(table: &impl ReadableTable<&'static [u8], &'static [u8]>) -> Result<Option<Difference>> {
    for entry in table.iter()? {
        let (key, row) = entry?;
        if open(row.value()).is_err() {
            let name = name_of(key.value().first().copied().unwrap_or_default());
            let problem = "a row does not match its checksum";
            return Ok(Some(Difference::new(&name, None, problem)));
        }
    }
    Ok(None)
}
