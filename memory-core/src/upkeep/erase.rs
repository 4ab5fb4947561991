//! Erasing: what was said is taken out of the log itself, and out of every file
//! of the store, and a receipt says from where.

use crate::engine::Engine;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::ids::Seq;
use crate::store::changes::Rows;
use crate::store::generation::Fill;
use crate::store::orders::{CLEAN_WAIT, EraseOrder};
use crate::store::tombstone::Selection;
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::anew;
use crate::upkeep::forget::tombstone;
use crate::upkeep::provenance::{Traces, traces};
use crate::upkeep::select::Selector;

/// The receipt of [`Memory::erase`].
///
/// An erasure is a recorded order: it is written together with what it changes,
/// and stays open until every file that held the text was overwritten. Erasing
/// again with the same selector completes it and says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Erased {
    /// Events that were selected and are erased now, forgotten ones included.
    pub count: u64,
    /// Events that the library had recorded about them (quotes, entries,
    /// injected text, uses) and that are erased with them.
    pub dependents: u64,
    /// Records of the library of which only a part was about them: that part is
    /// erased, and the rest, which is about others, stays.
    pub reduced: u64,
    /// The event that records the erasure; `None` when nothing was selected.
    pub tombstone: Option<Seq>,
    /// The generation that is live now; 0 when nothing was selected.
    pub generation: u64,
    /// Whether the old files were overwritten with zeros and removed; false while
    /// one of them waits for a process that still has it open. Side files of vectors
    /// that another process has open are removed as they are.
    pub was_overwritten: bool,
    /// Every place that was cleared, in plain words.
    pub places: Vec<String>,
    /// Whether nothing of this erasure, nor of one before it, is left to do. When
    /// false, `open_places` says what is: opening the store, [`Memory::maintain`],
    /// [`Memory::compact`] and the next call of [`Memory::erase`] go on with it.
    pub is_complete: bool,
    /// Files that may still hold erased text, in plain words.
    pub open_places: Vec<String>,
    /// Earlier erasures, interrupted or hindered, that this call completed.
    pub completed: u64,
}

impl Memory {
    /// Erases events: their content, metadata, tool calls, names, salts and
    /// dedupe keys leave the log, with all that the library recorded because of
    /// them, and every index is made again without them. Afterwards no byte of
    /// the text is in any file of the store.
    ///
    /// What was learned goes unless every quote of it stands in an event that
    /// stays: entries, tasks, conditions, memories, decisions and conflicts that
    /// rest on them. A summary and tags that were given to the session later go
    /// too. A record that is about others as well keeps that part.
    ///
    /// What stays of an event is its position, id, citation, kind and time, and
    /// the digest that the chain needs; the digest covered a random salt that is
    /// gone, so it tells nothing. Forgotten events are erased as well when the
    /// selector means them. Copies are the caller's: backups, exports, and the
    /// same words in other events, which were not selected: a response that
    /// repeats a prompt, or a stored [`EventKind::SessionSummary`].
    ///
    /// The cost is that of a rebuild: the whole store is written anew, while others
    /// read and write. What they append meanwhile stays, also where the selector would
    /// mean it, unless the library recorded it about what is erased.
    ///
    /// # Errors
    /// As [`Memory::forget`] and [`Memory::compact`]; the store stays as it was.
    pub fn erase(&self, selector: &Selector) -> Result<Erased> {
        self.enter()?;
        let inner = &self.inner;
        let mut selection = self.selection(selector)?;
        selection.with_dead = true;
        if inner.store.read()?.select(&selection)?.is_empty() {
            let mut receipt = Erased::default();
            self.finish_erasing(&mut receipt)?;
            return Ok(receipt);
        }
        // What waits in memory names events and sessions too: it goes into the log,
        // where it is erased with everything else.
        self.flush_recorded()?;
        let mut filling = WithoutErased {
            inner,
            selection,
            selected: 0,
            traces: Traces::default(),
        };
        let switched = inner.store.next_generation(true, &mut filling)?;
        inner.forget_recalled();
        self.rewrite_unclean()?;
        let (seq, jobs) = switched.result;
        let (count, traces) = (filling.selected, filling.traces);
        let (dependents, reduced) = (traces.dependents, traces.erasure.reduced.len() as u64);
        let places = vec![
            format!(
                "log: {} records, and parts of {reduced} others",
                count + dependents
            ),
            "ids of content: dedupe keys and salts".to_owned(),
            "names: projects, sessions, tools, files and speakers that nothing else uses"
                .to_owned(),
            "sessions: rows, turns, summaries and tags".to_owned(),
            "search index: segments and tail".to_owned(),
            format!("outbox: {jobs} jobs"),
        ];
        let mut receipt = Erased {
            count,
            dependents,
            reduced,
            tombstone: Some(Seq(seq)),
            generation: switched.generation,
            places,
            ..Erased::default()
        };
        self.finish_erasing(&mut receipt)?;
        // The order of this call is no earlier one.
        receipt.completed = receipt
            .completed
            .saturating_sub(u64::from(receipt.is_complete));
        Ok(receipt)
    }

    /// Goes on with every open order and says in the receipt how they stand.
    fn finish_erasing(&self, receipt: &mut Erased) -> Result<()> {
        self.release_side_files()?;
        let cleaned = self.inner.store.go_on_erasing(CLEAN_WAIT)?;
        receipt.is_complete = cleaned.open.is_empty();
        receipt.was_overwritten = receipt.is_complete && !cleaned.places.is_empty();
        receipt.completed = cleaned.completed;
        receipt.places.extend(cleaned.places);
        receipt.open_places = cleaned.open;
        Ok(())
    }
}

/// The log without what is erased, and everything made from it afresh.
struct WithoutErased<'a> {
    inner: &'a Engine,
    selection: Selection,
    selected: u64,
    traces: Traces,
}

impl Fill for WithoutErased<'_> {
    /// The position of the record that says what was erased, and how many jobs
    /// waited for that.
    type Made = (u64, u64);

    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()> {
        let selected = old.select(&self.selection)?;
        self.selected = selected.len() as u64;
        self.traces = traces(old, &selected)?;
        anew::begin(self.inner, old, new, &self.traces.erasure)
    }

    fn catch_up(&mut self, old: &ReadTx, changed: &Rows, new: &mut WriteTx<'_>) -> Result<bool> {
        for seq in new.state.last_seq + 1..=old.state()?.last_seq {
            let is_spared = old.with_record(seq, |view| self.traces.spare(seq, view))?;
            // Something was recorded of what is erased, which goes with it.
            if is_spared != Some(true) {
                return Ok(false);
            }
        }
        anew::catch_up(self.inner, old, changed, new, &self.traces.erasure)?;
        Ok(true)
    }

    fn end(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<(u64, u64)> {
        let erasure = &self.traces.erasure;
        let jobs = anew::end(old, new, erasure)?;
        let draft = tombstone(self.inner, EventKind::Erased, &erasure.erased);
        new.append(std::slice::from_ref(&draft))?;
        let seq = new.state.last_seq;
        new.mark_erased(&erasure.erased, seq)?;
        let mut orders = old.erase_orders()?;
        orders.push(EraseOrder {
            tombstone: seq,
            generation: new.generation(),
        });
        new.set_erase_orders(&orders)?;
        Ok((seq, jobs))
    }
}

#[cfg(test)]
mod tests;
