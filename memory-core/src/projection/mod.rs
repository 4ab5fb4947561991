//! Folds: each event of the log changes a few rows, and nothing else ever
//! does. The same function runs when an event is appended and when everything
//! is rebuilt, so both give the same rows.

pub(crate) mod edges;
pub(crate) mod endless;
pub(crate) mod entries;
pub(crate) mod history;
pub(crate) mod learned;
pub(crate) mod levels;
pub(crate) mod memories;
pub(crate) mod order;
pub(crate) mod pauses;
mod payloads;
pub(crate) mod pins;
pub(crate) mod resolved;
mod row_types;
pub(crate) mod rows;
pub(crate) mod take_back;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod usage;

use crate::index::lexical::batch_inverter::PartialIndex;
use crate::model::error::{Error, Result};
use crate::model::event::{Appended, Event, EventKind};
use crate::rules::endless::MemoryMode;
use crate::store::append::{DedupeLookup, Draft, Stored};
use crate::store::projected::{ProjectedMut, Rows};
use crate::store::record::RecordView;
use crate::store::touches::{Token, Touch};
use crate::store::{ReadTx, WriteTx};
use payloads::Payload;

/// Applies one live event of the log to the projections. Events are folded in
/// the order of the log, each once.
///
/// It never fails on what an event says: a payload that cannot be read (its
/// content was erased, or a newer library wrote it) changes nothing.
///
/// # Errors
/// `corrupt` or `io` when rows cannot be read or written.
pub(crate) fn fold(tx: &WriteTx<'_>, event: &Event) -> Result<()> {
    fold_touching(tx, event).map(drop)
}

/// As [`fold`]; gives what the fold touched.
fn fold_touching(tx: &WriteTx<'_>, event: &Event) -> Result<Vec<(Token, Touch)>> {
    if !concerns(event.kind) {
        return Ok(Vec::new());
    }
    let mut rows = tx.folding(event.seq.0, tx)?;
    apply(&mut rows, event)?;
    let touched = rows.touched();
    rows.finish(event.timestamp.millis())?;
    Ok(touched)
}

/// What one event does to rows: nothing else than the rows, and which events
/// live, decides it, so that a part of the log can be folded apart.
fn apply(rows: &mut ProjectedMut<'_>, event: &Event) -> Result<()> {
    if event.kind.is_conversation() {
        return endless::fold_conversation(rows, event);
    }
    let Ok(payload) = Payload::of(event) else {
        return Ok(());
    };
    match payload {
        Payload::Task(act) => tasks::fold(rows, event, &act),
        Payload::Ingested(ingested) => history::fold_ingested(rows, event, &ingested),
        Payload::Entry(change) => entries::fold(rows, event, *change),
        Payload::BuildRun(run) => history::fold_build_run(rows, event, *run),
        Payload::Decision(decision) => history::fold_decision(rows, &decision),
        Payload::Conflict(conflict) => history::fold_conflict(rows, &conflict),
        Payload::Metric(metric) => history::fold_metric(rows, event, &metric),
        Payload::Edges(changed) => edges::fold(rows, event, changed),
        Payload::Accesses(accesses) => levels::fold_accessed(rows, &accesses),
        Payload::Levels(changed) => levels::fold_level(rows, event, changed),
        Payload::Consolidated(made) => endless::fold_consolidated(rows, event, made),
        Payload::Continuity(scored) => endless::fold_continuity(rows, event, *scored),
        Payload::Setting(changed) => endless::fold_setting(rows, event, changed),
        Payload::Memory(said) => memories::fold(rows, event, said),
        Payload::Pins(changed) => pins::fold(rows, event, &changed),
        Payload::Nothing => Ok(()),
    }
}

/// Why the fold passes over an event: the payload of an event of the library's own
/// that cannot be read. `None` when it is folded, or changes no projection.
pub(crate) fn refusal(event: &Event) -> Option<Error> {
    if !concerns(event.kind) || event.kind.is_conversation() {
        return None;
    }
    Payload::of(event).err()
}

/// Appends drafts and folds what is new, in order.
///
/// # Errors
/// As [`WriteTx::append`] and [`fold`].
pub(crate) fn append(tx: &mut WriteTx<'_>, drafts: &[Draft]) -> Result<Vec<Appended>> {
    let known = tx.look_up_duplicates(drafts, None)?;
    Ok(append_looked_up(tx, drafts, &known, &[])?.receipts)
}

/// As [`append`], of drafts whose duplicates the transaction has looked up; `partials` hold
/// the words that were inverted.
///
/// # Errors
/// As [`append`].
pub(crate) fn append_looked_up(
    tx: &mut WriteTx<'_>,
    drafts: &[Draft],
    known: &DedupeLookup,
    partials: &[PartialIndex],
) -> Result<Stored> {
    let stored = tx.append_looked_up(drafts, known, partials)?;
    // A record of another store may rank behind them: its clock was far ahead.
    if tx.state.is_ahead_of_own() {
        let is_new = |receipt: &&Appended| !receipt.duplicate;
        let seqs: Vec<u64> = stored
            .receipts
            .iter()
            .filter(is_new)
            .map(|receipt| receipt.seq.0)
            .collect();
        order::fold_received(tx, &seqs)?;
        tx.settle_after(&seqs)?;
        return Ok(stored);
    }
    // Conversations only matter to the fold in the endless mode.
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

/// Whether events of this kind change a projection at all.
fn concerns(kind: EventKind) -> bool {
    kind.is_conversation()
        || !matches!(
            kind,
            EventKind::MemoryExtracted
                | EventKind::EvidenceAligned
                | EventKind::IdrisChecked
                | EventKind::SessionChanged
                | EventKind::Injected
                | EventKind::Forgotten
                | EventKind::Erased
        )
}

/// Whether the record at a position is folded, as things stand: conversations only matter
/// to the fold in the endless mode.
fn is_folded(tx: &WriteTx<'_>, rows: &dyn Rows, seq: u64, kind: EventKind) -> Result<bool> {
    let is_idle = kind.is_conversation() && endless::mode(rows)? != MemoryMode::Endless;
    Ok(concerns(kind) && !is_idle && !tx.is_deleted(seq)?)
}

/// Takes every projected row away and folds the live events of the log again:
/// to rebuild, to check, and when too much hangs on what was forgotten.
///
/// # Errors
/// As [`fold`].
pub(crate) fn refold(tx: &WriteTx<'_>) -> Result<()> {
    tx.clear_projected()?;
    let mut rows = tx.projected()?;
    for seq in order::of_log(tx)? {
        tx.with_record(seq, |view| fold_record(tx, &mut rows, view))?;
    }
    rows.finish(i64::MIN)
}

/// Folds a record among many, unless it changes nothing or is gone.
fn fold_record<'t>(
    tx: &'t WriteTx<'_>,
    rows: &mut ProjectedMut<'t>,
    view: &RecordView<'_>,
) -> Result<()> {
    let (kind, seq) = (view.kind(), view.seq());
    if !is_folded(tx, rows, seq, kind)? {
        return Ok(());
    }
    let event = view.to_event()?;
    let at_ms = event.timestamp.millis();
    rows.fold_one(tx, seq, at_ms, |rows| apply(rows, &event))
}

/// Folds the log of `old` into `new`, a store without a log of its own that has
/// every table which [`WriteTx::replay`] makes: to compare the two.
///
/// # Errors
/// As [`fold`]; `corrupt` when a record cannot be read.
pub(crate) fn fold_apart(old: &ReadTx, new: &WriteTx<'_>) -> Result<()> {
    let mut rows = new.projected()?;
    if old.has_foreign()? {
        for seq in order::of_other_log(old)? {
            old.with_record(seq, |view| fold_record(new, &mut rows, view))?;
        }
    } else {
        old.each_record(|_, view, _| fold_record(new, &mut rows, view))?;
    }
    rows.finish(i64::MIN)
}
