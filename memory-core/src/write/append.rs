//! Appending: events and everything derived from them become durable in one transaction.

use std::time::Duration;

use crate::engine::Engine;
use crate::index::lexical::batch_inverter::PartialIndex;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Appended, NewEvent, SkipReason};
use crate::projection::{self, usage::fold_appended};
use crate::store::WriteTx;
use crate::store::index_tables::word_files::{FILE_EVENTS, FilesLock};
use crate::store::log::append::{Draft, Hashes};
use crate::write::accesses::Flushing;
use crate::write::injections::{forget_erased, put_back};
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
    let prepared = prepare::prepare_batch(engine, events, skipped)?;
    let mut injections = engine.injections.take();
    let mut batch = Batch::new(prepared, std::mem::take(&mut injections.drafts));
    let flushing = Flushing::due(engine);
    // Held until the descriptor of the segment file is committed.
    let turn = match batch.inverted_events() >= FILE_EVENTS {
        true => engine.store.lock_files(Duration::ZERO),
        false => FilesLock::Unsupported,
    };
    let result = engine.store.write(|tx| {
        tx.use_files(&turn);
        tx.citation_length = engine.tuning.citation_length;
        forget_erased(&injections, tx, &mut batch.drafts)?;
        let stored = batch.store(engine, tx, &flushing)?;
        along(tx)?;
        Ok(stored)
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
            let mut receipts = with_skipped(batch.paused, receipts.split_off(batch.buffered))?;
            if let Some(warning) = space {
                warn_stored(&mut receipts, &warning);
            }
            Ok(receipts)
        }
        Err(error) => {
            batch.drafts.truncate(batch.buffered);
            injections.drafts = batch.drafts;
            put_back(engine, injections);
            Err(error)
        }
    }
}

/// Adds a warning to the receipts of the events that were stored now.
fn warn_stored(receipts: &mut [Appended], warning: &str) {
    let stored = receipts
        .iter_mut()
        .filter(|receipt| !receipt.duplicate && receipt.skipped.is_none());
    for receipt in stored {
        receipt.warnings.push(warning.to_owned());
    }
}

/// A prepared batch, behind the injections that are logged with it.
struct Batch {
    /// Earlier injections are logged first, because the new events may be the responses to them.
    drafts: Vec<Draft>,
    /// How many of the drafts are injections.
    buffered: usize,
    partials: Vec<PartialIndex>,
    hashes: Option<Hashes>,
    /// Why events are left out because of a pause that began after they were prepared.
    paused: Vec<Option<SkipReason>>,
}

impl Batch {
    fn new(prepared: prepare::PreparedBatch, injections: Vec<Draft>) -> Self {
        let mut hashes = prepared.hashes;
        if let Some(hashes) = &mut hashes {
            hashes.put_before(&injections);
        }
        let buffered = injections.len();
        let mut drafts = injections;
        drafts.extend(prepared.drafts);
        Batch {
            drafts,
            buffered,
            partials: prepared.partials,
            hashes,
            paused: Vec::new(),
        }
    }

    /// How many events form a segment of their own.
    fn inverted_events(&self) -> u64 {
        let events: usize = self.partials.iter().map(PartialIndex::len).sum();
        events as u64
    }

    /// Stores the drafts and everything derived from them. Returns the receipts, and how many
    /// events the new segment has.
    fn store(
        &mut self,
        engine: &Engine,
        tx: &mut WriteTx<'_>,
        flushing: &Flushing<'_>,
    ) -> Result<(Vec<Appended>, u64)> {
        let is_paused = self.leave_out_paused(tx)?;
        let secret = self.hashes.as_ref().map_or([0; 32], |made| made.secret);
        let hashes = self.hashes.take().filter(|_| !is_paused);
        let known = tx.look_up_duplicates(&self.drafts, hashes)?;
        let before = tx.state.memtable_events;
        let mut new = known.is_new().skip(self.buffered);
        let is_whole = !is_paused && new.all(|is_new| is_new);
        if !self.partials.is_empty() && !is_whole {
            prepare::analyse_again(&mut self.drafts, &known, &secret);
            self.partials.clear();
        }
        working_set::mark(tx, &mut self.drafts[self.buffered..])?;
        if !self.partials.is_empty() {
            // Segments are in log order, so the memtable must be flushed first.
            engine.lexical.flush(tx)?;
        }
        let stored = projection::append_looked_up(tx, &self.drafts, &known, &self.partials)?;
        fold_appended(tx, &self.drafts, &stored.receipts)?;
        flushing.write(tx)?;
        match &stored.segment {
            Some(segment) => engine.lexical.add_segment(tx, segment)?,
            None => engine.lexical.after_append(tx, before)?,
        }
        let added = stored.segment.map_or(0, |segment| segment.events);
        Ok((stored.receipts, u64::from(added)))
    }

    /// Leaves out the events whose session or project is paused by now; whether there are any.
    fn leave_out_paused(&mut self, tx: &WriteTx<'_>) -> Result<bool> {
        self.paused = paused_now(tx, &self.drafts[self.buffered..])?;
        let is_paused = self.paused.iter().any(Option::is_some);
        if is_paused {
            let kept = std::iter::repeat_n(true, self.buffered);
            let mut kept = kept.chain(self.paused.iter().map(Option::is_none));
            self.drafts.retain(|_| kept.next().unwrap_or(true));
        }
        Ok(is_paused)
    }
}
