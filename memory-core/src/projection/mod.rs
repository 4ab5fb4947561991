//! Folds the log into rows: each event changes a few rows, and nothing else ever does.
//! Appends and rebuilds use the same function, so both produce the same rows.

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
use crate::store::projected::{ProjectedMut, RowKind, Rows};
use crate::store::record::RecordView;
use crate::store::touches::{Token, Touch};
use crate::store::{ReadTx, WriteTx};
use payloads::Payload;

/// Applies one live event to the projections. Every event is folded exactly once.
///
/// Never fails because of a payload: one that cannot be read (its content was erased, or a
/// newer library wrote it) changes nothing.
///
/// # Errors
/// `corrupt` or `io` when rows cannot be read or written.
pub(crate) fn fold(tx: &WriteTx<'_>, event: &Event) -> Result<()> {
    fold_touching(tx, event).map(drop)
}

/// Like [`fold`]; returns what the fold touched.
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

/// Changes the rows for one event. Depends only on the rows and on which events are live, so
/// that part of the log can be folded separately.
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

/// Why the fold skips an event: its payload is the library's own but cannot be read. `None`
/// if it is folded or changes no projection.
pub(crate) fn refusal(event: &Event) -> Option<Error> {
    if !concerns(event.kind) || event.kind.is_conversation() {
        return None;
    }
    Payload::of(event).err()
}

/// Appends drafts and folds the new events in order.
///
/// # Errors
/// As [`WriteTx::append`] and [`fold`].
pub(crate) fn append(tx: &mut WriteTx<'_>, drafts: &[Draft]) -> Result<Vec<Appended>> {
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
    tx.counting_moves(sessions, |tx| append_and_fold(tx, drafts, known, partials))
}

fn append_and_fold(
    tx: &mut WriteTx<'_>,
    drafts: &[Draft],
    known: &DedupeLookup,
    partials: &[PartialIndex],
) -> Result<Stored> {
    let stored = tx.append_looked_up(drafts, known, partials)?;
    // A record of another store with a clock far ahead may rank after them.
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

/// Whether events of this kind can change a projection.
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

/// Whether the record at a position is folded in the current state: conversations are only
/// folded in endless mode.
fn is_folded(tx: &WriteTx<'_>, rows: &dyn Rows, seq: u64, kind: EventKind) -> Result<bool> {
    let is_idle = kind.is_conversation() && endless::mode(rows)? != MemoryMode::Endless;
    Ok(concerns(kind) && !is_idle && !tx.is_deleted(seq)?)
}

#[cfg(test)]
thread_local! {
    /// How often this thread has folded everything again.
    pub(crate) static REFOLDS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Clears all projected rows and folds the live events of the log again: to rebuild, to
/// check, and when too much depends on what was forgotten.
///
/// # Errors
/// As [`fold`].
pub(crate) fn refold(tx: &WriteTx<'_>) -> Result<()> {
    #[cfg(test)]
    REFOLDS.set(REFOLDS.get() + 1);
    tx.clear_projected()?;
    let mut rows = tx.projected()?;
    for seq in order::of_log(tx)? {
        tx.with_record(seq, |view| fold_record(tx, &mut rows, view))?;
        tx.running.count_units(1)?;
    }
    // A search for insights may have been due, or an insight may have gone with one of its events.
    if rows.facts(RowKind::LevelOf)?.rows > 0 {
        levels::insights_are_due(&mut rows, tx.state.last_seq)?;
    }
    rows.finish(i64::MIN)
}

/// Folds one of many records, unless it changes nothing or is gone.
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

/// Folds the log of `old` into `new`, a store without a log of its own that has every table
/// that [`WriteTx::replay`] creates, to compare the two.
///
/// # Errors
/// As [`fold`]; `corrupt` when a record cannot be read.
pub(crate) fn fold_apart(old: &ReadTx, new: &WriteTx<'_>) -> Result<()> {
    let mut rows = new.projected()?;
    if old.has_foreign()? {
        for seq in order::of_other_log(old)? {
            old.with_record(seq, |view| fold_record(new, &mut rows, view))?;
            new.running.count_units(1)?;
        }
    } else {
        old.each_record(|_, view, _| {
            fold_record(new, &mut rows, view)?;
            new.running.count_units(1)
        })?;
    }
    rows.finish(i64::MIN)
}
