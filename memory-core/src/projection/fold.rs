//! Folds one event: each kind changes a few rows, and nothing else ever does.

use super::payloads::Payload;
use super::{edges, endless, entries, history, levels, memories, pins, tasks};
use crate::model::error::{Error, Result};
use crate::model::event::{Event, EventKind};
use crate::rules::endless::MemoryMode;
use crate::store::WriteTx;
use crate::store::projected_rows::projected::{ProjectedMut, Rows};
use crate::store::projected_rows::touches::{Token, Touch};

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
pub(super) fn fold_touching(tx: &WriteTx<'_>, event: &Event) -> Result<Vec<(Token, Touch)>> {
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
pub(super) fn apply(rows: &mut ProjectedMut<'_>, event: &Event) -> Result<()> {
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

/// Whether events of this kind can change a projection.
pub(super) fn concerns(kind: EventKind) -> bool {
    kind.is_conversation()
        || !matches!(
            kind,
            EventKind::MemoryExtracted
                | EventKind::EvidenceAligned
                | EventKind::EntriesChecked
                | EventKind::SessionChanged
                | EventKind::Injected
                | EventKind::Forgotten
                | EventKind::Erased
        )
}

/// Whether the record at a position is folded in the current state: conversations are only
/// folded in endless mode.
pub(super) fn is_folded(
    tx: &WriteTx<'_>,
    rows: &dyn Rows,
    seq: u64,
    kind: EventKind,
) -> Result<bool> {
    let is_idle = kind.is_conversation() && endless::mode(rows)? != MemoryMode::Endless;
    Ok(concerns(kind) && !is_idle && !tx.is_deleted(seq)?)
}
