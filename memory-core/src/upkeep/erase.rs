//! Erasing: removes text from the log itself and from every file of the store, and returns
//! a receipt that says from where.

use std::collections::BTreeSet;

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::Seq;
use crate::store::changed_keys::ChangedKeys;
use crate::store::generation::Fill;
use crate::store::pending_erasures::{CLEAN_WAIT, PendingErasure};
use crate::store::running::Running;
use crate::store::tombstone::Selection;
use crate::store::word_files::FilesLock;
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::TURN_WAIT;
use crate::upkeep::anew;
use crate::upkeep::embed;
use crate::upkeep::forget;
use crate::upkeep::forget::{Reach, tombstone};
use crate::upkeep::provenance::{Traces, traces};
use crate::upkeep::select;
use crate::upkeep::select::Selector;
use crate::write::flush_recorded;

/// The receipt of [`Memory::erase`](crate::Memory::erase).
///
/// An erasure is a recorded order. It is written together with what it changes and stays
/// open until every file that held the text has been overwritten. Erasing again with the
/// same selector completes it and says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Erased {
    /// The number of events that were selected and are now erased, including forgotten
    /// ones.
    pub count: u64,
    /// The number of events that the library had recorded about them (quotes, entries,
    /// injected text, uses) and that were erased with them.
    pub dependents: u64,
    /// The number of the library's records that were only partly about them: that part is
    /// erased, and the rest, which is about others, stays.
    pub reduced: u64,
    /// The position of the event that records the erasure; `None` if nothing was selected.
    pub tombstone: Option<Seq>,
    /// The generation that is now live; 0 if nothing was selected.
    pub generation: u64,
    /// Whether the old files were overwritten with zeros and removed. False while one of
    /// them waits for a process that still has it open. Side files of vectors that another
    /// process has open are removed without being overwritten.
    pub was_overwritten: bool,
    /// Every place that was cleared, in plain words.
    pub places: Vec<String>,
    /// Whether nothing of this erasure, or of an earlier one, remains to be done. If false,
    /// `open_places` says what remains; opening the store,
    /// [`Memory::maintain`](crate::Memory::maintain),
    /// [`Memory::compact`](crate::Memory::compact) and the next call of
    /// [`Memory::erase`](crate::Memory::erase) continue it.
    pub is_complete: bool,
    /// Files that may still contain erased text, in plain words.
    pub open_places: Vec<String>,
    /// The number of earlier, unfinished erasures that this call completed.
    pub completed: u64,
}

/// [`Memory::erase`](crate::Memory::erase).
pub(crate) fn erase(engine: &Engine, selector: &Selector, running: &Running) -> Result<Erased> {
    let selection = select::selection(engine, selector)?;
    let none = BTreeSet::new();
    erase_selected(engine, Some(selection), none, By::ThisStore, running)
}

/// Who ordered an erasure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    ThisStore,
    /// Another store ordered it.
    Others,
}

/// Continues every erasure that was interrupted or could not finish.
pub(crate) fn complete(engine: &Engine) -> Result<Erased> {
    let mut receipt = Erased::default();
    finish_erasing(engine, &mut receipt)?;
    Ok(receipt)
}

/// Erases the selected events, including forgotten ones, and what refers to things with these ids,
/// which were erased earlier.
pub(crate) fn erase_selected(
    engine: &Engine,
    mut selection: Option<Selection>,
    erased_ids: BTreeSet<String>,
    by: By,
    running: &Running,
) -> Result<Erased> {
    if let Some(selection) = &mut selection {
        selection.with_deleted = true;
    }
    if erased_ids.is_empty() && selected(&engine.store.read()?, &selection)?.is_empty() {
        return complete(engine);
    }
    // Records that are still in memory refer to events and sessions too, so they are written to the
    // log first, where they are erased with everything else.
    flush_recorded(engine)?;
    let events = engine.store.read()?.state()?.last_seq;
    let mut filling = WithoutErased {
        engine,
        turn: engine.store.lock_files_for(events, TURN_WAIT),
        selection,
        through: events,
        erased_ids,
        by,
        selected: Vec::new(),
        traces: Traces::default(),
        is_pointless: false,
    };
    let swapped = engine.store.next_generation(true, &mut filling, running);
    // Other processes may write segment files again: those of this call are live or have no
    // descriptor.
    filling.turn = FilesLock::Unsupported;
    if swapped.is_err() {
        // What cannot be removed now is left to the next `maintain`.
        let _ = engine.store.tidy_files();
    }
    if filling.is_pointless {
        return complete(engine);
    }
    let swapped = swapped?;
    engine.forget_recalled();
    let (seq, jobs) = swapped.result;
    let (count, traces) = (filling.selected.len() as u64, filling.traces);
    let (dependents, reduced) = (traces.dependents, traces.erasure.reduced.len() as u64);
    let places = vec![
        format!(
            "log: {} records, and parts of {reduced} others",
            count + dependents
        ),
        "ids of content: hashes and salts".to_owned(),
        "names: projects, sessions, tools, files and speakers that nothing else uses".to_owned(),
        "sessions: rows, turns, summaries and tags".to_owned(),
        "search index: segments and memtable".to_owned(),
        format!("outbox: {jobs} jobs"),
    ];
    let mut receipt = Erased {
        count,
        dependents,
        reduced,
        tombstone: Some(Seq(seq)),
        generation: swapped.generation,
        places,
        ..Erased::default()
    };
    // The events are erased. What fails from here on stays an open order.
    let finished = forget::rewrite_unclean(engine, &Running::default());
    let finished = finished.and_then(|_| finish_erasing(engine, &mut receipt));
    if let Err(error) = finished {
        engine.logger.warn(Target::Upkeep, || {
            format!("erasing is not complete; call maintain() to finish it: {error}")
        });
        receipt.is_complete = false;
        receipt.open_places = vec![format!("files of earlier generations: {error}")];
    }
    Ok(receipt)
}

fn selected(read: &ReadTx, selection: &Option<Selection>) -> Result<Vec<u64>> {
    match selection {
        Some(selection) => read.select(selection),
        None => Ok(Vec::new()),
    }
}

/// Continues every open order and adds the outcome to the receipt.
fn finish_erasing(engine: &Engine, receipt: &mut Erased) -> Result<()> {
    embed::release_side_files(engine)?;
    engine.lexical.release_all();
    let cleaned = engine.store.go_on_erasing(CLEAN_WAIT)?;
    if receipt.tombstone.is_some() {
        engine.logger.info(Target::Upkeep, || {
            let events = counted(receipt.count, "event");
            let records = counted(receipt.dependents, "record");
            format!("erased {events} and {records} about them")
        });
    }
    receipt.is_complete = cleaned.open.is_empty();
    receipt.was_overwritten = receipt.is_complete && !cleaned.places.is_empty();
    // Only earlier orders are counted, not that of this call.
    let is_own_done = receipt.is_complete && receipt.tombstone.is_some();
    receipt.completed = cleaned.completed.saturating_sub(u64::from(is_own_done));
    engine.tell_erasing(receipt.completed, cleaned.open.len());
    receipt.places.extend(cleaned.places);
    receipt.open_places = cleaned.open;
    Ok(())
}

/// The log without what is erased, and everything derived from it.
struct WithoutErased<'a> {
    engine: &'a Engine,
    /// The lock for referring to segment files without erased events, and for writing others.
    turn: FilesLock,
    selection: Option<Selection>,
    /// The end of the log when the call began: what is appended later stays.
    through: u64,
    /// Ids of things that were erased earlier.
    erased_ids: BTreeSet<String>,
    by: By,
    /// The selected events, in order.
    selected: Vec<u64>,
    traces: Traces,
    /// Another call has erased everything that was selected while this one waited for its turn.
    is_pointless: bool,
}

impl Fill for WithoutErased<'_> {
    /// The position of the tombstone, and how many jobs were waiting for erased events.
    type Made = (u64, u64);
    const MAY_LOCK_OUT: bool = true;

    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()> {
        self.selected = selected(old, &self.selection)?;
        self.selected.retain(|seq| *seq <= self.through);
        self.traces = traces(old, &self.selected, &self.erased_ids)?;
        let erasure = &self.traces.erasure;
        self.is_pointless = erasure.erased.is_empty() && erasure.reduced.is_empty();
        if self.is_pointless {
            return Err(Error::new(
                ErrorCode::NotFound,
                "the selected events are erased already",
            ));
        }
        new.use_files(&self.turn);
        anew::begin(self.engine, old, new, &self.traces.erasure)
    }

    fn catch_up(
        &mut self,
        old: &ReadTx,
        changed: &ChangedKeys,
        new: &mut WriteTx<'_>,
    ) -> Result<bool> {
        for seq in new.state.last_seq + 1..=old.state()?.last_seq {
            let is_spared = old.with_record(seq, |view| self.traces.spare(seq, view))?;
            // Something about an erased event was recorded meanwhile and must be erased too.
            if is_spared != Some(true) {
                return Ok(false);
            }
        }
        new.use_files(&self.turn);
        anew::catch_up(self.engine, old, changed, new, &self.traces.erasure)?;
        Ok(true)
    }

    fn end(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<(u64, u64)> {
        let erasure = &self.traces.erasure;
        let jobs = anew::end(old, new, erasure)?;
        let reach = match self.by {
            By::ThisStore => Reach::Everywhere,
            By::Others => Reach::Obeying(&self.selected),
        };
        let draft = tombstone(self.engine, EventKind::Erased, &erasure.erased, reach);
        new.append(std::slice::from_ref(&draft))?;
        let seq = new.state.last_seq;
        new.mark_erased(&erasure.erased, seq)?;
        // Others may still send records that refer to it.
        if old.identity()?.is_some() {
            for id in self.traces.made() {
                new.note_gone(id)?;
            }
        }
        let mut orders = old.erase_orders()?;
        orders.push(PendingErasure {
            tombstone: seq,
            generation: new.generation(),
        });
        new.set_erase_orders(&orders)?;
        Ok((seq, jobs))
    }

    fn total(&self, old: &ReadTx) -> Result<Option<u64>> {
        anew::total(old).map(Some)
    }
}

#[cfg(test)]
mod tests;
