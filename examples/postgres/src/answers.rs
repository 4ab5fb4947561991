//! What a store says of itself besides its records: its progress, and its answers to those who ordered
//! erasures.

use std::collections::HashMap;

use postgres::Transaction;
use serde::Deserialize;

use crate::error::{Error, Failed, Result};

/// The answer to one store.
#[derive(Debug, Deserialize)]
struct Answer {
    answer_to: String,
    carried_out: u64,
    #[serde(default)]
    declined: Vec<u64>,
    declined_changes: u64,
}

/// The parts of a batch that a memory has made.
pub(crate) struct Parts<'a> {
    /// The header, which is the progress if the batch has no records.
    pub(crate) header: &'a str,
    pub(crate) answers: Vec<&'a str>,
    pub(crate) records: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(batch: &'a str) -> Parts<'a> {
        let mut lines = batch.lines();
        let header = lines.next().unwrap_or_default();
        let is_answer = |line: &&str| line.starts_with("{\"answer_to\":");
        let (answers, records) = lines.partition(is_answer);
        Parts {
            header,
            answers,
            records,
        }
    }
}

/// Writes the answers that say anything new; gives how many do.
pub(crate) fn write(
    tx: &mut Transaction<'_>,
    identity: &str,
    store: i32,
    answers: &[&str],
    failed: Failed<'_>,
) -> Result<u64> {
    let statement = "SELECT recipient, line FROM recallite.answer WHERE store = $1";
    let rows = tx.query(statement, &[&store]).map_err(failed)?;
    let there: HashMap<&str, &str> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let (mut recipients, mut lines) = (Vec::new(), Vec::new());
    for line in answers {
        let answer = read(line).ok_or_else(|| Error::Damaged {
            identity: identity.to_owned(),
            problem: "has an answer that cannot be read".to_owned(),
        })?;
        let before = there.get(answer.answer_to.as_str());
        if !before.is_some_and(|before| before == line || says(before, &answer)) {
            recipients.push(answer.answer_to);
            lines.push(*line);
        }
    }
    if lines.is_empty() {
        return Ok(0);
    }
    let statement = "INSERT INTO recallite.answer (store, recipient, line) \
                     SELECT $1, recipient, line FROM unnest($2::text[], $3::text[]) \
                     AS given (recipient, line) \
                     ON CONFLICT (store, recipient) DO UPDATE SET line = EXCLUDED.line";
    tx.execute(statement, &[&store, &recipients, &lines])
        .map_err(failed)
}

fn read(line: &str) -> Option<Answer> {
    serde_json::from_str(line).ok()
}

/// Whether an earlier line says the same as an answer. That something else was declined since, of whatever
/// store, is nothing that its recipient waits for.
fn says(line: &str, answer: &Answer) -> bool {
    read(line).is_some_and(|before| {
        (before.carried_out, &before.declined) == (answer.carried_out, &answer.declined)
            && before.declined_changes < answer.declined_changes
    })
}
