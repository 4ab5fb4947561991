//! Folds: each event of the log changes a few rows, and nothing else ever
//! does. The same function runs when an event is appended and when everything
//! is rebuilt, so both give the same rows.

pub(crate) mod edges;
pub(crate) mod endless;
pub(crate) mod entries;
pub(crate) mod ledgers;
pub(crate) mod levels;
pub(crate) mod memories;
pub(crate) mod rows;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;

use crate::index::gather::Share;
use crate::learn::endless::MemoryMode;
use crate::model::error::Result;
use crate::model::event::{Appended, Event, EventKind};
use crate::model::ids::EventId;
use crate::store::WriteTx;
use crate::store::append::{Draft, Recognised, Stored};
use rows::payload;

/// Applies one live event of the log to the projections. Events are folded in
/// the order of the log, each once.
///
/// It never fails on what an event says: a payload that cannot be read (its
/// content was erased, or a newer library wrote it) changes nothing.
///
/// # Errors
/// `corrupt` or `io` when rows cannot be read or written.
pub(crate) fn fold(tx: &WriteTx<'_>, event: &Event) -> Result<()> {
    if !concerns(event.kind) {
        return Ok(());
    }
    let mut rows = tx.projected()?;
    let at = event.timestamp;
    if event.kind.is_conversation() {
        endless::fold_conversation(&mut rows, event)?;
        return rows.finish(at.millis());
    }
    let payload = payload(event);
    let is_live = |id: &str| -> Result<bool> {
        let Ok(id) = id.parse::<EventId>() else {
            return Ok(false);
        };
        match tx.seq_of_id(&id)? {
            Some(seq) => Ok(!tx.is_dead(seq)?),
            None => Ok(false),
        }
    };
    match event.kind {
        EventKind::TaskCreated
        | EventKind::TaskStatusChanged
        | EventKind::TaskPriorityChanged
        | EventKind::TaskBlockersSet
        | EventKind::TaskTransitionRejected
        | EventKind::ConditionDeclared
        | EventKind::ArtifactDeclared
        | EventKind::ConditionResolvedTo
        | EventKind::TaskTitleChanged => tasks::fold(&mut rows, event)?,
        EventKind::SessionIngested => ledgers::fold_ingested(&mut rows, event)?,
        EventKind::EntryChanged => entries::fold(&mut rows, event, &payload)?,
        EventKind::BuildRun => ledgers::fold_build_run(&mut rows, event, &payload)?,
        EventKind::DecisionMade => ledgers::fold_decision(&mut rows, event)?,
        EventKind::ConflictChanged => ledgers::fold_conflict(&mut rows, event)?,
        EventKind::PipelineMetric => ledgers::fold_metric(&mut rows, event)?,
        EventKind::EdgeChanged => edges::fold(&mut rows, event, &payload)?,
        EventKind::Accessed => levels::fold_accessed(&mut rows, &payload, &is_live)?,
        EventKind::LevelChanged => levels::fold_level(&mut rows, event, &payload, &is_live)?,
        EventKind::Consolidated => {
            endless::fold_consolidated(&mut rows, event, &payload, &is_live)?
        }
        EventKind::ContinuityScored => endless::fold_continuity(&mut rows, event, &payload)?,
        EventKind::SettingChanged => endless::fold_setting(&mut rows, event, &payload, &is_live)?,
        EventKind::MemoryResolved => memories::fold(&mut rows, event, &payload, &is_live)?,
        _ => {}
    }
    rows.finish(at.millis())
}

/// Appends drafts and folds what is new, in order.
///
/// # Errors
/// As [`WriteTx::append`] and [`fold`].
pub(crate) fn append(tx: &mut WriteTx<'_>, drafts: &[Draft]) -> Result<Vec<Appended>> {
    let known = tx.recognise(drafts, None)?;
    Ok(append_recognised(tx, drafts, &known, &[])?.receipts)
}

/// As [`append`], of drafts that the transaction has recognised; `shares` hold
/// the words that were gathered.
///
/// # Errors
/// As [`append`].
pub(crate) fn append_recognised(
    tx: &mut WriteTx<'_>,
    drafts: &[Draft],
    known: &Recognised,
    shares: &[Share],
) -> Result<Stored> {
    let stored = tx.append_recognised(drafts, known, shares)?;
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

/// Takes every projected row away and folds the live events of the log again:
/// after events were forgotten, and to check.
///
/// # Errors
/// As [`fold`].
pub(crate) fn refold(tx: &WriteTx<'_>) -> Result<()> {
    tx.clear_projected()?;
    for seq in 1..=tx.state.last_seq {
        if let Some(event) = tx.event_at(seq)? {
            fold(tx, &event)?;
        }
    }
    Ok(())
}

/// [`refold`] after events were forgotten; nothing to do where nothing was
/// learned yet.
///
/// # Errors
/// As [`fold`].
pub(crate) fn refold_if_any(tx: &WriteTx<'_>) -> Result<()> {
    if tx.has_projected()? {
        refold(tx)
    } else {
        Ok(())
    }
}
