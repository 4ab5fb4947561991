//! Folds the whole log again, in the order on which all stores agree.

use super::fold::{apply, concerns, is_folded};
use super::insights_due;
use crate::model::error::Result;
use crate::store::log::record::RecordView;
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows as _};
use crate::store::shared::record_order::by_record_order;
use crate::store::{ReadTx, WriteTx};

#[cfg(test)]
thread_local! {
    /// How often this thread has folded everything again.
    pub(crate) static REFOLDS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Clears all projected rows and folds the live events of the log again: to rebuild, to
/// check, and when too much depends on what was forgotten.
///
/// # Errors
/// As [`super::fold`].
pub(crate) fn refold(tx: &WriteTx<'_>) -> Result<()> {
    #[cfg(test)]
    REFOLDS.set(REFOLDS.get() + 1);
    tx.clear_projected()?;
    let mut rows = tx.projected()?;
    for seq in of_log(tx)? {
        tx.with_record(seq, |view| fold_record(tx, &mut rows, view))?;
        tx.running.count_units(1)?;
    }
    // A search for insights may have been due, or an insight may have gone with one of its events.
    if rows.facts(RowKind::LevelOf)?.rows > 0 {
        insights_due::note(&mut rows, tx.state.last_seq)?;
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
/// As [`super::fold`]; `corrupt` when a record cannot be read.
pub(crate) fn fold_apart(old: &ReadTx, new: &WriteTx<'_>) -> Result<()> {
    let mut rows = new.projected()?;
    if old.may_be_reordered()? {
        for seq in of_other_log(old)? {
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

/// Log positions in fold order.
fn of_log(tx: &WriteTx<'_>) -> Result<Vec<u64>> {
    let last = tx.state.last_seq;
    if !tx.state.may_be_reordered() {
        return Ok((1..=last).collect());
    }
    let mut seqs = Vec::new();
    for seq in 1..=last {
        if tx.kind_at(seq)?.is_some_and(concerns) {
            seqs.push(seq);
        }
    }
    let orders = tx.record_orders_of(&seqs)?;
    Ok(by_record_order(seqs, &orders))
}

/// Like [`of_log`], for the log of another store file.
fn of_other_log(old: &ReadTx) -> Result<Vec<u64>> {
    let mut seqs = Vec::new();
    old.each_record(|seq, view, _| {
        if concerns(view.kind()) {
            seqs.push(seq);
        }
        Ok(())
    })?;
    old.in_record_order(seqs)
}
