//! Rebuilds a store from its log, next to the live one, while others write; shared by
//! erasures and rebuilds.

use crate::engine::{Engine, learned_vectors};
use crate::model::error::{ErrorCode, Result};
use crate::projection;
use crate::projection::take_back;
use crate::projection::usage::{fold_usage, refold_usage};
use crate::store::generations::changed_keys::ChangedKeys;
use crate::store::generations::erasing::Erasure;
use crate::store::replaying::replay::{Log, Source};
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::forget::take_out;
use crate::upkeep::replay::WithSearch;

/// Fills a new generation with the live log, minus what is erased, and with everything
/// derived from it. Erased events are marked as gone from the start, as if the next record
/// were the order that erases them. Returns whether learned items are marked as to be embedded,
/// because their vectors are not copied.
pub(crate) fn begin(
    engine: &Engine,
    old: &ReadTx,
    new: &mut WriteTx<'_>,
    erasure: &Erasure,
) -> Result<bool> {
    let embeds = !erasure.without_vectors && old.active_embedding()?.is_some();
    new.use_embeds(embeds);
    new.copy_erasing(old, erasure)?;
    replay(engine, old, new, erasure)?;
    new.mark_erased(&erasure.erased, old.state()?.last_seq + 1)?;
    project(engine, old, new, erasure)?;
    engine.learned_index.flush_all(new)?;
    new.running.checkpoint()?;
    if embeds {
        learned_vectors::mark_all(new)?;
    }
    refold_usage(new)?;
    Ok(embeds)
}

/// How many rows and events [`begin`] counts, and the events that are read back.
pub(crate) fn total(old: &ReadTx) -> Result<u64> {
    let (rows, events) = old.rows_to_copy()?;
    // The log is replayed, folded and read back.
    Ok(rows + 3 * events)
}

/// Replays the log. For an erasure, the words of the remaining events are already in the
/// old segments; a rebuild, or an erasure that finds these damaged, analyses the texts.
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

/// Builds the rows of the projections from what is left. Rows known not to depend on what
/// is erased are copied; if that is unknown, the log is folded again. Nothing of the erased
/// texts stays in tasks, entries or working sets.
fn project(engine: &Engine, old: &ReadTx, new: &mut WriteTx<'_>, erasure: &Erasure) -> Result<()> {
    if !erasure.erased.is_empty() {
        match take_back::copy_without(old, new, erasure) {
            Ok(true) => {
                new.running.count_units(new.state.last_seq)?;
                return engine.learned_index.begin_anew(new);
            }
            Err(error) if error.code() != ErrorCode::Corrupt => return Err(error),
            // Damaged rows are rebuilt.
            Ok(false) | Err(_) => {}
        }
    }
    projection::refold(new)
}

/// Catches up with what was written since the previous snapshot: the end of the log as if
/// it were appended here, and the changed rows of jobs and vectors.
pub(crate) fn catch_up(
    engine: &Engine,
    old: &ReadTx,
    changed: &ChangedKeys,
    new: &mut WriteTx<'_>,
    (erasure, embeds): (&Erasure, bool),
) -> Result<()> {
    new.use_embeds(embeds);
    let log = old.log()?;
    let last = old.state()?.last_seq;
    // Of what arrived meanwhile, too, nothing erased is folded.
    let arrived = erasure
        .erased
        .partition_point(|seq| *seq <= new.state.last_seq);
    new.mark_erased(&erasure.erased[arrived..], last + 1)?;
    while new.state.last_seq < last {
        let first = new.state.last_seq + 1;
        let hidden = new.take_in(&log, last, &WithSearch(&engine.lexical), erasure)?;
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

/// The final step, with writers locked out. Returns how many jobs were waiting for what is
/// erased. `embeds` is what [`begin`] returned.
pub(crate) fn end(
    old: &ReadTx,
    new: &mut WriteTx<'_>,
    erasure: &Erasure,
    embeds: bool,
) -> Result<u64> {
    let before = old.state()?;
    new.state.last_append_ms = before.last_append_ms;
    new.state.next_job = before.next_job;
    new.state.commits = before.commits + 1;
    // The two generations share no segment number, so a cache of the old one cannot mistake
    // this one for it.
    new.state.next_segment = new.state.next_segment.max(before.next_segment) + 1;
    if erasure.without_vectors {
        return new.pass_over_embeddings(old).map(|()| 0);
    }
    let jobs = new.settle_embeddings(old, &erasure.erased)?;
    if !embeds && old.active_embedding()?.is_some() {
        // An embedder became active meanwhile.
        learned_vectors::mark_all(new)?;
    }
    Ok(jobs)
}
