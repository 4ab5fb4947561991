//! Decides the order in which events are folded.
//!
//! A store folds its own records in log order. Records of other stores arrive in any order,
//! yet all stores must end up with the same rows, so the order is the record order
//! (`store/shared/record_order.rs`). A record that arrives late is folded in place if nothing that comes
//! after it touched the same rows; otherwise everything is folded again, which is always
//! correct.

use crate::model::error::Result;
use crate::projection::endless;
use crate::projection::fold::{fold, fold_touching, is_folded};
use crate::projection::refold::refold;
use crate::store::WriteTx;
use crate::store::projected_rows::projected::{RowKind, TouchedRows as _};
use crate::store::projected_rows::touches::{FoldPart, Token, Touch};
use crate::store::shared::record_order::{RecordOrder, by_record_order};

/// Rows touched by more folds than this are not examined.
const MAX_TOUCHES: usize = 4_096;

/// Whether ascending positions are in record order too.
pub(super) fn is_in_record_order(tx: &WriteTx<'_>, seqs: &[u64]) -> Result<bool> {
    Ok(tx.record_orders_of(seqs)?.is_sorted())
}

/// Folds records at the end of the log.
///
/// # Errors
/// As [`super::fold`].
pub(crate) fn fold_new(tx: &WriteTx<'_>, seqs: &[u64]) -> Result<()> {
    if tx.state.may_be_reordered() {
        return fold_received(tx, seqs).map(drop);
    }
    for &seq in seqs {
        if let Some(event) = tx.event_at(seq)? {
            fold(tx, &event)?;
        }
    }
    Ok(())
}

/// Folds records at the end of the log, some of which came from other stores. True if this
/// required folding everything again.
///
/// # Errors
/// As [`super::fold`].
pub(crate) fn fold_received(tx: &WriteTx<'_>, seqs: &[u64]) -> Result<bool> {
    let is_late = fold_unless_late(tx, seqs)?;
    if is_late {
        refold(tx)?;
    }
    Ok(is_late)
}

/// Folds records at the end of the log, some of which came from other stores. True if one of them
/// came too late to be folded in place: then the rows are incomplete until the caller has called
/// [`refold`].
///
/// # Errors
/// As [`super::fold`].
pub(crate) fn fold_unless_late(tx: &WriteTx<'_>, seqs: &[u64]) -> Result<bool> {
    let orders = tx.record_orders_of(seqs)?;
    let mut setters = None;
    for seq in by_record_order(seqs.to_vec(), &orders) {
        let Some(event) = tx.recorded_event(seq)? else {
            continue;
        };
        if was_asked_for(tx, &event.id)? {
            return Ok(true);
        }
        if event.kind.is_conversation() {
            let setters = match &mut setters {
                Some(known) => known,
                none => none.insert(Setters::of(tx)?),
            };
            match setters.since(tx, seq)? {
                Since::Unchanged => {}
                Since::FirstSet => continue,
                Since::Changed => return Ok(true),
            }
        }
        if !is_folded(tx, &tx.projected()?, seq, event.kind)? {
            continue;
        }
        let touched = fold_touching(tx, &event)?;
        if !event.kind.is_conversation() {
            // It may have set one.
            setters = None;
        }
        if !comes_last(tx, seq, &touched)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What became of the settings on which the fold of a conversation depends, since a record of it.
/// Folds do not note that they read them, because every conversation does.
enum Since {
    /// They are as they were.
    Unchanged,
    /// Endless mode was never on before, so that the record is not folded.
    FirstSet,
    Changed,
}

/// The records that set the settings on which the fold of a conversation depends, each with whether
/// it set the mode.
struct Setters(Vec<(RecordOrder, bool)>);

impl Setters {
    fn of(tx: &WriteTx<'_>) -> Result<Self> {
        let rows = tx.projected()?;
        let mut setters = Vec::new();
        for name in endless::READ_BY_FOLDS {
            let token = tx.tokens().of_row(RowKind::Setting, name.as_bytes());
            rows.each_touch(token, FIRST, false, &mut |part, touch| {
                if !touch.only_looks() {
                    setters.push((part.seq, name == endless::MODE));
                }
                Ok(true)
            })?;
        }
        let seqs: Vec<u64> = setters.iter().map(|(seq, _)| *seq).collect();
        let orders = tx.record_orders_of(&seqs)?.into_iter();
        let sets_mode = setters.iter().map(|(_, sets_mode)| *sets_mode);
        Ok(Setters(orders.zip(sets_mode).collect()))
    }

    fn since(&self, tx: &WriteTx<'_>, seq: u64) -> Result<Since> {
        if self.0.is_empty() {
            return Ok(Since::Unchanged);
        }
        let own = tx.record_orders_of(&[seq])?[0];
        let is_changed = self.0.iter().any(|(order, _)| *order >= own);
        let had_mode = self
            .0
            .iter()
            .any(|(order, is_mode)| *is_mode && *order < own);
        Ok(match (is_changed, had_mode) {
            (false, _) => Since::Unchanged,
            (true, false) => Since::FirstSet,
            (true, true) => Since::Changed,
        })
    }
}

/// Whether a fold looked for an event before one with its id existed.
fn was_asked_for(tx: &WriteTx<'_>, id: &crate::model::ids::EventId) -> Result<bool> {
    is_touched(tx, tx.tokens().of_unknown(id))
}

/// Whether a fold asked whether the record at a position is live.
pub(crate) fn was_asked_about(tx: &WriteTx<'_>, seq: u64) -> Result<bool> {
    is_touched(tx, tx.tokens().of_life(seq))
}

fn is_touched(tx: &WriteTx<'_>, token: Token) -> Result<bool> {
    let mut was_asked = false;
    tx.projected()?
        .each_touch(token, FIRST, false, &mut |_, _| {
            was_asked = true;
            Ok(false)
        })?;
    Ok(was_asked)
}

const FIRST: FoldPart = FoldPart { seq: 0, part: 0 };

/// Whether nothing that comes after the record touched what its fold touched.
fn comes_last(tx: &WriteTx<'_>, seq: u64, touched: &[(Token, Touch)]) -> Result<bool> {
    let rows = tx.projected()?;
    let mut others = Vec::new();
    for (token, touch) in touched {
        let mut count = 0;
        rows.each_touch(*token, FIRST, false, &mut |part, other| {
            if part.seq != seq && !(touch.only_looks() && other.only_looks()) {
                others.push(part.seq);
            }
            count += 1;
            Ok(count < MAX_TOUCHES)
        })?;
        if count == MAX_TOUCHES {
            return Ok(false);
        }
    }
    others.sort_unstable();
    others.dedup();
    let own = tx.record_orders_of(&[seq])?;
    Ok(tx
        .record_orders_of(&others)?
        .iter()
        .all(|order| own[0] > *order))
}
