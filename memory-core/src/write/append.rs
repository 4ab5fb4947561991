//! Appending: events and everything derived from them become durable in one transaction.

use std::time::Duration;

use crate::engine::Engine;
use crate::index::lexical::batch_inverter::PartialIndex;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Appended, NewEvent, SkipReason};
use crate::projection::{self, usage::fold_appended};
use crate::store::WriteTx;
use crate::store::index_tables::word_files::{FILE_EVENTS, FilesLock};
use crate::write::accesses::Flushing;
use crate::write::injections::forget_erased;
use crate::write::prepare;
use crate::write::skip::{paused_now, skipped};
use crate::write::working_set;

/// A small step of upkeep that runs in the transaction of an append.
pub(crate) type Along<'a> = &'a dyn Fn(&mut WriteTx<'_>) -> Result<()>;

/// [`Memory::append_batch`](crate::Memory::append_batch).
pub(crate) fn append_batch(
    engine: &Engine,
    events: Vec<NewEvent>,
    along: Along<'_>,
) -> Result<Vec<Appended>> {
    let skipped = skipped(engine, &events)?;
    if skipped.iter().all(Option::is_none) {
        return append_all(engine, events, &skipped, along);
    }
    let wanted = events
        .into_iter()
        .zip(&skipped)
        .filter(|(_, reason)| reason.is_none())
        .map(|(event, _)| event)
        .collect();
    let stored = append_all(engine, wanted, &skipped, along)?;
    with_skipped(skipped, stored)
}

/// The receipts of a batch, of which some events were not stored for these reasons.
fn with_skipped(reasons: Vec<Option<SkipReason>>, stored: Vec<Appended>) -> Result<Vec<Appended>> {
    let mut stored = stored.into_iter();
    reasons
        .into_iter()
        .map(|reason| match reason {
            Some(reason) => Ok(Appended::skipped(reason)),
            None => stored
                .next()
                .ok_or_else(|| Error::new(ErrorCode::Internal, "append returned no receipt")),
        })
        .collect()
}

/// Appends those events of a batch that are not `skipped`.
fn append_all(
    engine: &Engine,
    events: Vec<NewEvent>,
    skipped: &[Option<SkipReason>],
    along: Along<'_>,
) -> Result<Vec<Appended>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let space = engine.check_space()?;
    let batch = prepare::prepare_batch(engine, events, skipped)?;
    // Earlier injections are logged first, because the new events may be the responses to them.
    let mut injections = engine.injections.take();
    let mut drafts = std::mem::take(&mut injections.drafts);
    let buffered = drafts.len();
    let mut hashes = batch.hashes;
    let secret = hashes.as_ref().map_or([0; 32], |hashes| hashes.secret);
    if let Some(hashes) = &mut hashes {
        hashes.put_before(&drafts);
    }
    drafts.extend(batch.drafts);
    let mut partials = batch.partials;
    let flushing = Flushing::due(engine);
    let words: usize = partials.iter().map(PartialIndex::len).sum();
    // Held until the descriptor of the segment file is committed.
    let turn = match words as u64 >= FILE_EVENTS {
        true => engine.store.lock_files(Duration::ZERO),
        false => FilesLock::Unsupported,
    };
    let mut paused = Vec::new();
    let result = engine.store.write(|tx| {
        tx.use_files(&turn);
        tx.citation_length = engine.tuning.citation_length;
        forget_erased(&injections, tx, &mut drafts)?;
        paused = paused_now(tx, &drafts[buffered..])?;
        let is_paused = paused.iter().any(Option::is_some);
        if is_paused {
            let kept = std::iter::repeat_n(true, buffered);
            let mut kept = kept.chain(paused.iter().map(Option::is_none));
            drafts.retain(|_| kept.next().unwrap_or(true));
        }
        let hashes = hashes.filter(|_| !is_paused);
        let known = tx.look_up_duplicates(&drafts, hashes)?;
        let before = tx.state.memtable_events;
        let is_whole = !is_paused && known.is_new().skip(buffered).all(|is_new| is_new);
        if !partials.is_empty() && !is_whole {
            prepare::analyse_again(&mut drafts, &known, &secret);
            partials.clear();
        }
        working_set::mark(tx, &mut drafts[buffered..])?;
        if !partials.is_empty() {
            // Segments are in log order, so the memtable must be flushed first.
            engine.lexical.flush(tx)?;
        }
        let stored = projection::append_looked_up(tx, &drafts, &known, &partials)?;
        fold_appended(tx, &drafts, &stored.receipts)?;
        flushing.write(tx)?;
        match &stored.segment {
            Some(segment) => engine.lexical.add_segment(tx, segment)?,
            None => engine.lexical.after_append(tx, before)?,
        }
        along(tx)?;
        let added = stored.segment.map_or(0, |segment| segment.events);
        Ok((stored.receipts, u64::from(added)))
    });
    if result.is_err() && turn.is_held() {
        // The file of the failed batch may contain text that was not stored.
        engine.lexical.clean_files(&engine.store, &turn, &[]);
    }
    drop(turn);
    match result {
        Ok((mut receipts, added)) => {
            flushing.done();
            if added > 0 {
                engine.lexical.merge_after_batch(&engine.store, added);
            }
            let mut receipts = with_skipped(paused, receipts.split_off(buffered))?;
            if let Some(warning) = space {
                for receipt in receipts
                    .iter_mut()
                    .filter(|receipt| !receipt.duplicate && receipt.skipped.is_none())
                {
                    receipt.warnings.push(warning.clone());
                }
            }
            Ok(receipts)
        }
        Err(error) => {
            drafts.truncate(buffered);
            injections.drafts = drafts;
            engine.injections.put_back(injections);
            Err(error)
        }
    }
}
