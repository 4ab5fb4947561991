//! Erasing: removes text from the log itself and from every file of the store, and returns
//! a receipt that says from where.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::learn::entries::{entry_act, is_entry_live};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::Seq;
use crate::projection::edges::Way;
use crate::projection::{self, edges, entries};
use crate::rules::batch_size::BatchSize;
use crate::rules::entries::{EntryAct, EntryId};
use crate::rules::graph::Relation;
use crate::store::generations::changed_keys::ChangedKeys;
use crate::store::generations::generation::{Fill, Swapped};
use crate::store::generations::pending_erasures::{CLEAN_WAIT, EraseRequest, PendingErasure};
use crate::store::index_tables::word_files::FilesLock;
use crate::store::log::append::Draft;
use crate::store::projected_rows::projected::Rows;
use crate::store::running::Running;
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::TURN_WAIT;
use crate::upkeep::embed;
use crate::upkeep::forget;
use crate::upkeep::forget::{TombstoneScope, tombstone};
use crate::upkeep::next_generation;
use crate::upkeep::provenance::{Traces, traces};
use crate::upkeep::select;
use crate::upkeep::select::Selector;
use crate::write::flush_recorded;

/// The receipt of [`Memory::erase`](crate::Memory::erase).
///
/// An erasure is a recorded order. It is written before anything is changed and stays
/// open until every file that held the text has been overwritten. Erasing again with the
/// same selector completes it and says so. Another call that erases at the same time may carry it
/// out, too: its events are counted all the same, and of what else was erased and cleared, the part
/// of this call.
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
    /// The position of the event that records the erasure; `None` if nothing was erased.
    pub tombstone: Option<Seq>,
    /// The generation that is now live; 0 if nothing was erased.
    pub generation: u64,
    /// Whether the old files were overwritten with zeros and removed. False while one of
    /// them waits for a process that still has it open, and if one was removed that could not be
    /// overwritten because the disk was full. Side files of vectors that another
    /// process has open are removed without being overwritten.
    pub was_overwritten: bool,
    /// Every place that was cleared, in plain words.
    pub places: Vec<String>,
    /// Whether nothing of this erasure, or of an earlier one, remains to be done. If false,
    /// `unclean_places` says what remains; [`Memory::maintain`](crate::Memory::maintain) without a
    /// time limit, [`Memory::compact`](crate::Memory::compact) and the next call of
    /// [`Memory::erase`](crate::Memory::erase) continue it, and opening the store does if only
    /// files of earlier generations remain.
    pub is_complete: bool,
    /// Files that may still contain erased text, in plain words.
    pub unclean_places: Vec<String>,
    /// How to complete it, in plain words; after that, the calls named at `is_complete` continue
    /// it; `None` if it is complete.
    pub advice: Option<String>,
    /// The number of earlier, unfinished erasures that this call completed. `count` is only
    /// about what this call selected.
    pub completed: u64,
}

/// What an error says that stops an erasure after it was ordered.
const ORDER_STANDS: &str = "the erasure is recorded: maintain(), compact() or the next erase() \
    carries it out";
/// What completes an erasure that waits for a process.
pub(crate) const CLOSE_OTHERS: &str =
    "close the programs that have these files open, then call maintain()";
/// What completes one that is only ordered.
pub(crate) const GO_ON: &str = "call maintain()";

/// What completes an erasure that an error kept open.
fn after(error: &Error) -> &'static str {
    if error.is_of_full_disk() {
        return "make room on the disk, then call maintain()";
    }
    match error.code() {
        ErrorCode::Busy | ErrorCode::Interrupted => GO_ON,
        _ => "correct what the system reports, then call maintain()",
    }
}

/// An erasure hides what it erases before it builds the next generation. It spends at most this
/// long on it, so that erasing very much takes hardly longer than the building.
const HIDING: Duration = Duration::from_secs(2);
/// The largest number of events that one transaction hides.
const AT_ONCE: usize = 1_024;
/// About how long building a generation takes for each event of the log: 15 seconds for 200,000, in
/// `docs/performance.md`.
const BUILDING_AN_EVENT: Duration = Duration::from_micros(75);

/// [`Memory::erase`](crate::Memory::erase).
pub(crate) fn erase(engine: &Engine, selector: &Selector, running: &Running) -> Result<Erased> {
    let selection = select::erasable(engine, selector)?;
    let selected = engine.store.read()?.select(&selection)?;
    if selected.is_empty() {
        return complete(engine, running);
    }
    running.checkpoint()?;
    // From here on the erasure is ordered, whatever happens.
    let request = |tx: &mut WriteTx<'_>| tx.request_erasure(&selected);
    let (wanted, is_new) = engine.store.write(request)?;
    let asked = Asked {
        wanted,
        own_requests: u64::from(is_new),
        ..Asked::default()
    };
    carry_out(engine, asked, running).map_err(|error| error.with_note(ORDER_STANDS))
}

/// Continues every erasure that was interrupted or could not finish.
pub(crate) fn complete(engine: &Engine, running: &Running) -> Result<Erased> {
    carry_out(engine, Asked::default(), running)
}

/// Like [`complete`] for what was requested, if nobody builds a generation now and there is time.
pub(crate) fn complete_within(
    engine: &Engine,
    time_left: Option<Duration>,
    running: &Running,
) -> Result<Erased> {
    let read = engine.store.read()?;
    let is_requested = !read.erase_requests()?.is_empty();
    let events = u32::try_from(read.state()?.last_seq).unwrap_or(u32::MAX);
    drop(read);
    let has_time = time_left.is_none_or(|left| left >= BUILDING_AN_EVENT.saturating_mul(events));
    match is_requested && has_time && !engine.store.is_building()? {
        true => complete(engine, running),
        false => Ok(Erased::default()),
    }
}

/// Erases the events at these positions, which other stores have ordered, and what refers to things
/// with these ids, which were erased earlier.
pub(crate) fn erase_for_others(
    engine: &Engine,
    ordered: Vec<u64>,
    erased_ids: BTreeSet<String>,
    running: &Running,
) -> Result<Erased> {
    let asked = Asked {
        wanted: ordered,
        is_for_others: true,
        erased_ids,
        own_requests: 0,
    };
    carry_out(engine, asked, running)
}

/// What a call is to erase, besides what was requested.
#[derive(Default)]
struct Asked {
    /// The events that the receipt counts, in order.
    wanted: Vec<u64>,
    /// Whether other stores have ordered to erase these events.
    is_for_others: bool,
    /// Ids of things that were erased earlier.
    erased_ids: BTreeSet<String>,
    /// How many requests the call itself made.
    own_requests: u64,
}

impl Asked {
    /// The events that other stores have ordered to erase, in order.
    fn ordered(&self) -> &[u64] {
        match self.is_for_others {
            true => &self.wanted,
            false => &[],
        }
    }

    /// The events that the call itself has ordered to erase, in order: once there is nothing left to
    /// erase, all of them are erased.
    fn own(&self) -> &[u64] {
        match self.is_for_others {
            true => &[],
            false => &self.wanted,
        }
    }
}

/// Carries out every open request, and what else is asked.
fn carry_out(engine: &Engine, asked: Asked, running: &Running) -> Result<Erased> {
    let read = engine.store.read()?;
    let requests = read.erase_requests()?;
    let left = read.not_erased(&requests, asked.ordered())?;
    drop(read);
    if left.is_empty() && asked.erased_ids.is_empty() {
        return finish_only(engine, &requests, &asked);
    }
    // Records that are still in memory refer to events and sessions too, so they are written to the
    // log first, where they are erased with everything else.
    flush_recorded(engine)?;
    let hidden_jobs = hide(engine, &requests, running)?;
    let events = engine.store.read()?.state()?.last_seq;
    let mut filling = WithoutErased {
        engine,
        turn: engine.store.lock_files_for(events, TURN_WAIT),
        asked,
        requests: Vec::new(),
        selected: Vec::new(),
        obeyed: Vec::new(),
        traces: Traces::default(),
        embeds: false,
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
        return finish_only(engine, &requests, &filling.asked);
    }
    let swapped = swapped?;
    engine.forget_recalled();
    let mut receipt = filling.receipt(&swapped, hidden_jobs);
    engine.logger.info(Target::Upkeep, || {
        let events = counted(filling.selected.len() as u64, "event");
        let records = counted(receipt.dependents, "record");
        format!("erased {events} and {records} about them")
    });
    // The events are erased. What fails from here on stays an open order.
    let finished = forget::rewrite_unclean(engine, &running.unstoppable());
    let finished = finished.and_then(|_| finish_erasing(engine, &mut receipt));
    if let Err(error) = finished {
        engine.logger.warn(Target::Upkeep, || {
            format!("erasing is not complete; call maintain() to finish it: {error}")
        });
        receipt.is_complete = false;
        receipt.unclean_places = vec![format!("files of earlier generations: {error}")];
        receipt.advice = Some(after(&error).to_owned());
    } else if receipt.is_complete {
        receipt.completed += filling.earlier_requests();
    }
    Ok(receipt)
}

/// Continues open orders when there is nothing to build. What was requested may have been erased
/// for others, and what this call ordered by another one.
fn finish_only(engine: &Engine, requests: &[EraseRequest], asked: &Asked) -> Result<Erased> {
    if !requests.is_empty() {
        engine.store.write(|tx| tx.close_erase_requests())?;
    }
    let mut receipt = Erased::default();
    finish_erasing(engine, &mut receipt)?;
    if !asked.own().is_empty() {
        let read = engine.store.read()?;
        receipt.count = asked.own().len() as u64;
        receipt.generation = read.generation();
        for &seq in asked.own() {
            receipt.tombstone = receipt.tombstone.max(read.tombstone_of(seq)?.map(Seq));
        }
    }
    Ok(receipt)
}

/// Forgets the events of requests that are live, in batches between which others write. Returns how
/// many jobs waited for them. What would make others wait for long, and what is damaged, is hidden
/// only when the new generation is switched to.
fn hide(engine: &Engine, requests: &[EraseRequest], running: &Running) -> Result<u64> {
    let read = engine.store.read()?;
    let live = read.still_live(&read.not_erased(requests, &[])?)?;
    drop(read);
    let (begun, mut batch_size, mut jobs) = (Instant::now(), BatchSize::up_to(AT_ONCE), 0);
    let mut rest = &live[..];
    while !rest.is_empty() && begun.elapsed() < HIDING {
        running.checkpoint()?;
        let (next, after) = rest.split_at(batch_size.events().min(rest.len()));
        match forget::hide(engine, next) {
            Ok(Some((taken_out, took))) => {
                jobs += taken_out.jobs();
                batch_size.took(took);
            }
            Ok(None) => {}
            Err(error) if error.code() == ErrorCode::Corrupt => break,
            Err(error) => return Err(error),
        }
        rest = after;
    }
    Ok(jobs)
}

/// Continues every open order and adds the outcome to the receipt.
fn finish_erasing(engine: &Engine, receipt: &mut Erased) -> Result<()> {
    embed::release_side_files(engine)?;
    engine.lexical.release_all();
    let cleaned = engine.store.resume_erasures(CLEAN_WAIT)?;
    let mut open = cleaned.open;
    receipt.advice = (!open.is_empty()).then(|| CLOSE_OTHERS.to_owned());
    let read = engine.store.read()?;
    if !read.erase_requests()?.is_empty() {
        // Another call has just asked for more, or what it asked for cannot be erased.
        open.push(engine.store.live_name(read.generation()));
        receipt.advice.get_or_insert_with(|| GO_ON.to_owned());
    }
    drop(read);
    receipt.is_complete = open.is_empty();
    receipt.was_overwritten =
        receipt.is_complete && !cleaned.places.is_empty() && !cleaned.has_not_overwritten;
    // Only earlier orders are counted, not that of this call.
    let is_own_done = receipt.is_complete && receipt.tombstone.is_some();
    receipt.completed = cleaned.completed.saturating_sub(u64::from(is_own_done));
    engine.tell_erasing(receipt.completed, open.len());
    receipt.places.extend(cleaned.places);
    receipt.unclean_places = open;
    Ok(())
}

/// The log without what is erased, and everything derived from it.
struct WithoutErased<'a> {
    engine: &'a Engine,
    /// The lock for referring to segment files without erased events, and for writing others.
    turn: FilesLock,
    asked: Asked,
    /// The requests that are carried out.
    requests: Vec<EraseRequest>,
    /// The events of these requests, and those that others ordered, in order.
    selected: Vec<u64>,
    /// Those that only others ordered.
    obeyed: Vec<u64>,
    traces: Traces,
    /// Whether learned items are marked as to be embedded.
    embeds: bool,
    /// Another call has erased everything that was selected while this one waited for its turn.
    is_pointless: bool,
}

impl WithoutErased<'_> {
    fn receipt(&self, swapped: &Swapped<(u64, u64)>, hidden_jobs: u64) -> Erased {
        let (seq, jobs) = swapped.result;
        let (dependents, reduced) = (
            self.traces.dependents,
            self.traces.erasure.reduced.len() as u64,
        );
        let is_asked = |seq: &&u64| self.asked.wanted.binary_search(seq).is_ok();
        let count = match self.asked.own() {
            [] => self.selected.iter().filter(is_asked).count(),
            // Another call may have erased some of them.
            own => own.len(),
        } as u64;
        let places = vec![
            format!(
                "log: {} records, and parts of {reduced} others",
                self.selected.len() as u64 + dependents
            ),
            "ids of content: hashes and salts".to_owned(),
            "names: projects, sessions, tools, files and speakers that nothing else uses"
                .to_owned(),
            "sessions: rows, turns, summaries and tags".to_owned(),
            "search index: segments and memtable".to_owned(),
            format!("outbox: {} jobs", jobs + hidden_jobs),
        ];
        Erased {
            count,
            dependents,
            reduced,
            tombstone: Some(Seq(seq)),
            generation: swapped.generation,
            places,
            ..Erased::default()
        }
    }

    /// How many requests of earlier calls are carried out.
    fn earlier_requests(&self) -> u64 {
        (self.requests.len() as u64).saturating_sub(self.asked.own_requests)
    }

    /// In which stores the erasure applies.
    fn scope(&self) -> TombstoneScope<'_> {
        match self.asked.is_for_others {
            true => TombstoneScope::Obeying(&self.obeyed),
            false => TombstoneScope::Everywhere,
        }
    }
}

impl Fill for WithoutErased<'_> {
    /// The position of the tombstone, and how many jobs were waiting for erased events.
    type Made = (u64, u64);
    const MAY_LOCK_OUT: bool = true;

    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()> {
        self.requests = old.erase_requests()?;
        self.selected = old.not_erased(&self.requests, self.asked.ordered())?;
        self.obeyed = match self.asked.is_for_others {
            true => {
                let requested = old.not_erased(&self.requests, &[])?;
                let is_only_ordered = |seq: &u64| requested.binary_search(seq).is_err();
                self.selected
                    .iter()
                    .copied()
                    .filter(is_only_ordered)
                    .collect()
            }
            false => Vec::new(),
        };
        self.traces = traces(old, &self.selected, &self.asked.erased_ids)?;
        let erasure = &self.traces.erasure;
        self.is_pointless = erasure.erased.is_empty() && erasure.reduced.is_empty();
        if self.is_pointless {
            return Err(Error::new(
                ErrorCode::NotFound,
                "the selected events are erased already",
            ));
        }
        new.use_files(&self.turn);
        self.embeds = next_generation::begin(self.engine, old, new, &self.traces.erasure)?;
        Ok(())
    }

    fn catch_up(
        &mut self,
        old: &ReadTx,
        changed: &ChangedKeys,
        new: &mut WriteTx<'_>,
    ) -> Result<bool> {
        // What was recorded about an erased event meanwhile is erased too.
        let arrived = new.state.last_seq + 1..=old.state()?.last_seq;
        if !self.traces.take_in(old, arrived)? {
            return Ok(false);
        }
        new.use_files(&self.turn);
        let kept = (&self.traces.erasure, self.embeds);
        next_generation::catch_up(self.engine, old, changed, new, kept)?;
        Ok(true)
    }

    fn end(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<(u64, u64)> {
        let erasure = &self.traces.erasure;
        let jobs = next_generation::end(old, new, erasure, self.embeds)?;
        // Other stores get these from the one that gave the order.
        if !self.asked.is_for_others {
            let drafts = still_replaced(self.engine, old, new, self.traces.made())?;
            projection::append(new, &drafts)?;
        }
        let draft = tombstone(
            self.engine,
            EventKind::Erased,
            &erasure.erased,
            self.scope(),
        );
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
        // Others may have asked for more.
        let mut requests = old.erase_requests()?;
        requests.retain(|request| !self.requests.contains(request));
        new.set_erase_requests(&requests)?;
        Ok((seq, jobs))
    }

    fn total(&self, old: &ReadTx) -> Result<Option<u64>> {
        next_generation::total(old).map(Some)
    }
}

/// The acts by which what erased entries had replaced stays replaced: by what replaced these.
fn still_replaced<'i>(
    engine: &Engine,
    old: &ReadTx,
    new: &WriteTx<'_>,
    erased: impl Iterator<Item = &'i str>,
) -> Result<Vec<Draft>> {
    let (was, is) = (old.projected()?, new.projected()?);
    let mut acts = BTreeMap::new();
    for id in erased {
        let relation = Some(Relation::Supersedes);
        for edge in edges::at_node(&was, Way::Out, id, relation, None, usize::MAX)? {
            let Some(row) = entries::entry(&is, &EntryId::new(edge.ends.destination_id))? else {
                continue;
            };
            if row.entry.superseded_by().is_some() {
                continue;
            }
            if let Some(act) = last_replacement(&was, (new, &is), &row.entry.id)? {
                acts.insert(row.seq, entry_act(engine, &row, &act));
            }
        }
    }
    Ok(acts.into_values().collect())
}

/// The act by which an entry stays replaced: by the first of its successors that is still there.
fn last_replacement(
    was: &dyn Rows,
    (new, is): (&WriteTx<'_>, &dyn Rows),
    id: &EntryId,
) -> Result<Option<EntryAct>> {
    let (mut at, mut seen) = (id.clone(), BTreeSet::new());
    while seen.insert(at.clone())
        && let Some(row) = entries::entry(was, &at)?
        && let (Some(by), Some(end)) = (row.entry.superseded_by(), row.entry.valid_to())
    {
        if let Some(successor) = entries::entry(is, by)?
            && is_entry_live(new, &successor)?
        {
            let by = by.clone();
            return Ok(Some(EntryAct::Superseded { by, at: end }));
        }
        at = by.clone();
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
