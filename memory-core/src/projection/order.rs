//! In which order events are folded.
//!
//! Everything that one store recorded is folded in the order of its log. Records of
//! other stores arrive in any order, and all stores must come to the same rows: so the
//! order is that of their ranks (`store/origin.rs`). A record that arrives late is folded
//! where it is when nothing that comes after it by rank touched the same rows; otherwise
//! everything is folded again, which is right whatever happened.

use crate::model::error::Result;
use crate::projection::{concerns, fold, fold_touching, is_folded, refold};
use crate::store::origin::Rank;
use crate::store::projected::TouchedRows as _;
use crate::store::touches::{Part, Token, Touch};
use crate::store::{ReadTx, WriteTx};

/// A row that more folds touched than this is not looked through.
const MOST_TOUCHES: usize = 4_096;

/// Positions of the log in the order in which they are folded.
pub(super) fn of_log(tx: &WriteTx<'_>) -> Result<Vec<u64>> {
    let last = tx.state.last_seq;
    if !tx.has_foreign()? {
        return Ok((1..=last).collect());
    }
    let mut seqs = Vec::new();
    for seq in 1..=last {
        if tx.kind_at(seq)?.is_some_and(concerns) {
            seqs.push(seq);
        }
    }
    let ranks = tx.ranks_of(&seqs)?;
    Ok(by_rank(seqs, &ranks))
}

/// As [`of_log`], of the log of another store file.
pub(super) fn of_other_log(old: &ReadTx) -> Result<Vec<u64>> {
    let mut seqs = Vec::new();
    old.each_record(|seq, view, _| {
        if concerns(view.kind()) {
            seqs.push(seq);
        }
        Ok(())
    })?;
    let ranks = old.ranks_of(&seqs)?;
    Ok(by_rank(seqs, &ranks))
}

fn by_rank(seqs: Vec<u64>, ranks: &[Rank]) -> Vec<u64> {
    let mut ranked: Vec<(&Rank, u64)> = ranks.iter().zip(seqs).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, seq)| seq).collect()
}

/// Whether positions, which are in order, are in the order of their ranks too.
pub(super) fn is_by_rank(tx: &WriteTx<'_>, seqs: &[u64]) -> Result<bool> {
    Ok(tx.ranks_of(seqs)?.is_sorted())
}

/// Folds records at the end of the log.
///
/// # Errors
/// As [`super::fold`].
pub(crate) fn fold_new(tx: &WriteTx<'_>, seqs: &[u64]) -> Result<()> {
    if tx.has_foreign()? {
        return fold_received(tx, seqs).map(drop);
    }
    for &seq in seqs {
        if let Some(event) = tx.event_at(seq)? {
            fold(tx, &event)?;
        }
    }
    Ok(())
}

/// Folds records at the end of the log, some of which came from other stores. True when
/// everything was folded again for them.
///
/// # Errors
/// As [`super::fold`].
pub(crate) fn fold_received(tx: &WriteTx<'_>, seqs: &[u64]) -> Result<bool> {
    let ranks = tx.ranks_of(seqs)?;
    for seq in by_rank(seqs.to_vec(), &ranks) {
        let Some(event) = tx.recorded_event(seq)? else {
            continue;
        };
        if was_asked_for(tx, &event.id)? {
            refold(tx)?;
            return Ok(true);
        }
        if !is_folded(tx, &tx.projected()?, seq, event.kind)? {
            continue;
        }
        let touched = fold_touching(tx, &event)?;
        if !comes_last(tx, seq, &touched)? {
            refold(tx)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a fold asked after an event before there was one with its id.
fn was_asked_for(tx: &WriteTx<'_>, id: &crate::model::ids::EventId) -> Result<bool> {
    let mut was_asked = false;
    let token = tx.tokens().of_unknown(id);
    tx.projected()?
        .each_touch(token, FIRST, false, &mut |_, _| {
            was_asked = true;
            Ok(false)
        })?;
    Ok(was_asked)
}

const FIRST: Part = Part { seq: 0, part: 0 };

/// Whether nothing that ranks behind the record touched what its fold touched.
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
            Ok(count < MOST_TOUCHES)
        })?;
        if count == MOST_TOUCHES {
            return Ok(false);
        }
    }
    others.sort_unstable();
    others.dedup();
    let own = tx.ranks_of(&[seq])?;
    Ok(tx.ranks_of(&others)?.iter().all(|rank| own[0] > *rank))
}
