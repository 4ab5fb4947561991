//! Folds the log into rows: each event changes a few rows, and nothing else ever does.
//! Appends and rebuilds use the same function, so both produce the same rows.

pub(crate) mod about;
pub(crate) mod edges;
pub(crate) mod endless;
pub(crate) mod entries;
mod fold;
pub(crate) mod history;
pub(crate) mod insights_due;
pub(crate) mod learned;
pub(crate) mod levels;
pub(crate) mod memories;
pub(crate) mod order;
pub(crate) mod pauses;
mod payloads;
pub(crate) mod pins;
mod refold;
pub(crate) mod regrouped;
pub(crate) mod resolved;
mod row_types;
pub(crate) mod rows;
pub(crate) mod take_back;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod usage;

use crate::index::lexical::batch_inverter::PartialIndex;
use crate::model::error::Result;
use crate::model::event::Appended;
use crate::rules::endless::MemoryMode;
use crate::store::WriteTx;
use crate::store::log::append::{DedupeLookup, Draft, Stored};
use fold::concerns;
pub(crate) use fold::{fold, refusal};
#[cfg(test)]
pub(crate) use refold::REFOLDS;
pub(crate) use refold::{fold_apart, refold};
use regrouped::Before;

/// Appends drafts and folds the new events in order.
///
/// # Errors
/// As [`WriteTx::append`] and [`fold`].
pub(crate) fn append(tx: &mut WriteTx<'_>, drafts: &[Draft]) -> Result<Vec<Appended>> {
    // Opening the tables of the log takes longer than most that is asked in vain.
    if drafts.is_empty() {
        return Ok(Vec::new());
    }
    let known = tx.look_up_duplicates(drafts, None)?;
    Ok(append_looked_up(tx, drafts, &known, &[])?.receipts)
}

/// Like [`append`], for drafts whose duplicates are already looked up; `partials` hold their
/// inverted words.
///
/// # Errors
/// As [`append`].
pub(crate) fn append_looked_up(
    tx: &mut WriteTx<'_>,
    drafts: &[Draft],
    known: &DedupeLookup,
    partials: &[PartialIndex],
) -> Result<Stored> {
    // The first message of a session moves it to its project, if there was only a record about it.
    let messages = drafts
        .iter()
        .filter(|draft| draft.event.kind.is_conversation());
    let sessions = messages.map(|draft| draft.event.session.clone());
    let mut before = Before::default();
    before.of(tx, drafts)?;
    let stored = tx.counting_moves(sessions, |tx| append_and_fold(tx, drafts, known, partials))?;
    before.count(tx)?;
    Ok(stored)
}

fn append_and_fold(
    tx: &mut WriteTx<'_>,
    drafts: &[Draft],
    known: &DedupeLookup,
    partials: &[PartialIndex],
) -> Result<Stored> {
    let stored = tx.append_looked_up(drafts, known, partials)?;
    // A record of another store with a clock far ahead may come after them.
    if tx.state.is_ahead_of_own() {
        let is_new = |receipt: &&Appended| !receipt.duplicate;
        let seqs: Vec<u64> = stored
            .receipts
            .iter()
            .filter(is_new)
            .map(|receipt| receipt.seq.0)
            .collect();
        order::fold_received(tx, &seqs)?;
        tx.recompute_sessions_after(&seqs)?;
        return Ok(stored);
    }
    // The fold needs conversations only in endless mode.
    let wants_talk = drafts
        .iter()
        .any(|draft| draft.event.kind.is_conversation())
        && endless::mode(&tx.projected()?)? == MemoryMode::Endless;
    for (receipt, draft) in stored.receipts.iter().zip(drafts) {
        let kind = draft.event.kind;
        if !receipt.duplicate
            && concerns(kind)
            && (wants_talk || !kind.is_conversation())
            && let Some(event) = tx.event_at(receipt.seq.0)?
        {
            fold(tx, &event)?;
        }
    }
    Ok(stored)
}
