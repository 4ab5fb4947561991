//! Making a store anew from its log, beside the live one, while others write: what
//! an erasure and a rebuild have in common.

use crate::engine::Engine;
use crate::model::error::{ErrorCode, Result};
use crate::projection;
use crate::projection::take_back;
use crate::projection::usage::{fold_usage, refold_usage};
use crate::store::changes::Rows;
use crate::store::erasing::Erasure;
use crate::store::replay::{Log, Source};
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::forget::take_out;
use crate::upkeep::rebuild::WithSearch;

/// Fills a new generation with the log of the live one but for what is erased, and
/// with everything that is made from it. Erased events are marked as gone from the
/// beginning, as if the next record were the one that says so.
pub(crate) fn begin(
    engine: &Engine,
    old: &ReadTx,
    new: &mut WriteTx<'_>,
    erasure: &Erasure,
) -> Result<()> {
    new.copy_erasing(old, erasure)?;
    replay(engine, old, new, erasure)?;
    new.mark_erased(&erasure.erased, old.state()?.last_seq + 1)?;
    project(engine, old, new, erasure)?;
    engine.learned_index.flush_all(new)?;
    refold_usage(new)
}

/// Replays the log. The words of what an erasure leaves are in the old segments already;
/// a rebuild, and an erasure that finds these damaged, analyses the texts.
fn replay(engine: &Engine, old: &ReadTx, new: &mut WriteTx<'_>, erasure: &Erasure) -> Result<()> {
    let (state, rules) = (old.state()?, WithSearch(&engine.lexical));
    if !erasure.erased.is_empty() {
        match new.replay(&Log::Own, &state, &rules, Source::Old(old, erasure)) {
            Err(error) if error.code() == ErrorCode::Corrupt => {}
            replayed => return replayed,
        }
    }
    new.replay(&Log::Own, &state, &rules, Source::Log)
}

/// Makes the rows of the projections: what was learned from what is left. Where it can be
/// told which rows hung on what is erased, the others are copied; otherwise the log is
/// folded again. Nothing of the erased texts stays in tasks, entries or working sets.
fn project(engine: &Engine, old: &ReadTx, new: &mut WriteTx<'_>, erasure: &Erasure) -> Result<()> {
    if !erasure.erased.is_empty() {
        match take_back::copy_without(old, new, erasure) {
            Ok(true) => return engine.learned_index.begin_anew(new),
            Err(error) if error.code() != ErrorCode::Corrupt => return Err(error),
            // What is damaged is made again.
            Ok(false) | Err(_) => {}
        }
    }
    projection::refold(new)
}

/// Takes in what was written since the snapshot before: the end of the log as if it
/// were appended here, and the rows of jobs and vectors that were changed.
pub(crate) fn catch_up(
    engine: &Engine,
    old: &ReadTx,
    changed: &Rows,
    new: &mut WriteTx<'_>,
    erasure: &Erasure,
) -> Result<()> {
    let log = old.log()?;
    let last = old.state()?.last_seq;
    while new.state.last_seq < last {
        let first = new.state.last_seq + 1;
        let hidden = new.take_in(&log, last, &WithSearch(&engine.lexical))?;
        let seqs: Vec<u64> = (first..=new.state.last_seq).collect();
        projection::order::fold_new(new, &seqs)?;
        for seq in seqs {
            if let Some(event) = new.event_at(seq)? {
                fold_usage(new, &event)?;
            }
        }
        if let Some((tombstone, targets)) = hidden {
            take_out(engine, new, &targets, tombstone)?;
        }
        engine.lexical.flush_if_due(new)?;
        engine.learned_index.flush_if_long(new)?;
    }
    new.copy_changed_erasing(old, changed, erasure)
}

/// What comes last, when nothing is written any more. Returns how many jobs waited
/// for what is erased.
pub(crate) fn end(old: &ReadTx, new: &mut WriteTx<'_>, erasure: &Erasure) -> Result<u64> {
    let before = old.state()?;
    new.state.last_append_ms = before.last_append_ms;
    new.state.next_job = before.next_job;
    new.state.commits = before.commits + 1;
    // Segments of the two generations have no number in common, and a cache that
    // knows the old one sees that this is another.
    new.state.next_segment = new.state.next_segment.max(before.next_segment) + 1;
    match erasure.without_vectors {
        true => Ok(0),
        false => new.settle_embeddings(old, &erasure.erased),
    }
}
