//! Forgetting: adds a tombstone to the log and removes the event from everything it could
//! be found through, including the words of the search index.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::engine::learned_vectors;
use crate::engine::logger::{Target, counted};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Dedupe, EventKind, Origin, PrivacyReport};
use crate::model::ids::Seq;
use crate::privacy::{Clean, CleanEvent};
use crate::projection::usage;
use crate::projection::{self, pins};
use crate::rules::batch_size::BatchSize;
use crate::store::log::append::{Draft, Words};
use crate::store::log::tombstone::ranges;
use crate::store::running::Running;
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::embed;
use crate::upkeep::select;
use crate::upkeep::select::Selector;
use crate::upkeep::{TURN_WAIT, words};

/// Segments up to this many events are rewritten in the transaction that forgets; larger ones are
/// left to [`Memory::maintain`](crate::Memory::maintain), so that the cost depends on what is
/// forgotten. Searches hide forgotten events in either case.
const REWRITE_AT_ONCE: u32 = 256;

/// The largest number of events that one transaction forgets. More than the first batch has are
/// forgotten in several, between which others write.
const AT_ONCE: usize = 1_024;

/// What [`Memory::forget`](crate::Memory::forget) did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// The number of events that were live before and are now forgotten.
    pub count: u64,
    /// The size of their content, in bytes.
    pub content_bytes: u64,
    /// The number of sessions that they belonged to.
    pub sessions: u64,
    /// The number of waiting jobs for them that were dropped.
    pub jobs: u64,
    /// The number of segments of the search index that were rewritten without their words.
    pub segments: u64,
    /// The number of larger segments that still contain their words, which no search finds,
    /// until [`Memory::maintain`](crate::Memory::maintain),
    /// [`Memory::compact`](crate::Memory::compact) or a merge rewrites them.
    pub segments_waiting: u64,
    /// The position of the tombstone; `None` if nothing was selected.
    pub tombstone: Option<Seq>,
}

/// The stores in which a tombstone hides events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TombstoneScope<'s> {
    /// In every store that shares with this one.
    Everywhere,
    /// Everywhere, except for the events at these positions (sorted) that another store recorded,
    /// which are hidden in this store only: a third store ordered that, and not every store has to
    /// obey it.
    Obeying(&'s [u64]),
    /// In this store only: other stores have their own limits.
    Here,
}

/// The event that records which events were forgotten or erased. It has no session and no project.
pub(crate) fn tombstone(
    engine: &Engine,
    kind: EventKind,
    targets: &[u64],
    scope: TombstoneScope<'_>,
) -> Draft {
    let word = if kind == EventKind::Erased {
        "erased"
    } else {
        "forgot"
    };
    let named = TombstoneText {
        obeys: match scope {
            TombstoneScope::Obeying(named) => ranges(named),
            _ => Vec::new(),
        },
        seqs: ranges(targets),
        stays: matches!(scope, TombstoneScope::Here),
    };
    let seqs = serde_json::to_string(&named).unwrap_or_default();
    // Only numbers and fixed words, so there is nothing to filter, and the host's own patterns must
    // not be able to change which events a tombstone refers to.
    let content = Clean::from_log(format!("{word} {} events", targets.len()));
    Draft {
        event: CleanEvent {
            kind,
            session: String::new(),
            project: None,
            actor: None,
            origin: Some(Origin::System),
            timestamp: None,
            content,
            metadata: Some(Clean::from_log(seqs)),
            dedupe: Dedupe::None,
            stays_forgotten: false,
            tool: None,
            privacy: PrivacyReport::default(),
            truncated_bytes: 0,
            warnings: Vec::new(),
        },
        project: String::new(),
        actor: "system".to_owned(),
        origin: Origin::System,
        timestamp: engine.store.clock().now(),
        words: Words::None,
        file: None,
    }
}

/// The metadata of a tombstone, with its keys in order, as all JSON of the log has them.
#[derive(serde::Serialize)]
struct TombstoneText {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    obeys: Vec<(u64, u64)>,
    seqs: Vec<(u64, u64)>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stays: bool,
}

/// [`Memory::forget`](crate::Memory::forget).
pub(crate) fn forget(engine: &Engine, selector: &Selector, running: &Running) -> Result<Forgotten> {
    let spare = |_: &WriteTx<'_>, _: &mut Vec<u64>| Ok(());
    forget_selected(engine, selector, TombstoneScope::Everywhere, running, spare)
        .map(Forgotten::from)
}

/// Like [`forget`], but spares pinned events and applies to this store only.
pub(crate) fn forget_but_pinned(
    engine: &Engine,
    selector: &Selector,
    running: &Running,
) -> Result<TakenOut> {
    forget_selected(
        engine,
        selector,
        TombstoneScope::Here,
        running,
        |tx, targets| {
            let mut pinned = HashSet::new();
            for (id, _) in pins::all(&tx.projected()?)? {
                pinned.extend(tx.seq_of_id(&id)?);
            }
            targets.retain(|target| !pinned.contains(target));
            Ok(())
        },
    )
}

fn forget_selected(
    engine: &Engine,
    selector: &Selector,
    scope: TombstoneScope<'_>,
    running: &Running,
    spare: impl Fn(&WriteTx<'_>, &mut Vec<u64>) -> Result<()>,
) -> Result<TakenOut> {
    let selection = select::deletable(engine, selector)?;
    let selected = engine.store.read()?.select(&selection)?;
    running.set_total(selected.len() as u64);
    let mut total = TakenOut::default();
    let mut batch_size = BatchSize::up_to(AT_ONCE);
    let mut rest = &selected[..];
    while !rest.is_empty() {
        running.checkpoint()?;
        let (next, after) = rest.split_at(batch_size.events().min(rest.len()));
        let is_last = after.is_empty();
        let (taken_out, took) = engine.store.write(|tx| {
            let begun = Instant::now();
            let mut targets = tx.still_live(next)?;
            spare(tx, &mut targets)?;
            let taken_out = match targets.is_empty() {
                true => TakenOut::default(),
                false => forget_in(engine, tx, &targets, scope)?,
            };
            if is_last {
                usage::refold_if_stale(tx)?;
            }
            Ok((taken_out, begun.elapsed()))
        })?;
        total.add(taken_out);
        batch_size.took(took);
        running.count_units(next.len() as u64)?;
        rest = after;
    }
    embed::take_out_vectors(engine, TURN_WAIT)?;
    engine.logger.debug(Target::Upkeep, || {
        format!("forgot {}", counted(total.count, "event"))
    });
    Ok(total)
}

/// Forgets live events that an erasure is about to erase, so that nobody is given them meanwhile.
/// Returns what was done and how long others waited; `None`, and nothing is changed, if they would
/// wait for long, because the whole log would have to be folded again.
pub(crate) fn hide(engine: &Engine, seqs: &[u64]) -> Result<Option<(TakenOut, Duration)>> {
    let mut is_little = true;
    let hidden = engine.store.write(|tx| {
        let begun = Instant::now();
        let targets = tx.still_live(seqs)?;
        if targets.is_empty() {
            return Ok((TakenOut::default(), begun.elapsed()));
        }
        let tombstone = put_tombstone(engine, tx, &targets, TombstoneScope::Everywhere)?;
        // The erasure folds the usage again.
        let taken_out = take_out_with(engine, tx, &targets, tombstone, |tx| {
            is_little = projection::take_back::take_back_little(tx, &targets)?;
            match is_little {
                true => Ok(()),
                false => Err(Error::new(
                    ErrorCode::Busy,
                    "too much depends on the events",
                )),
            }
        })?;
        Ok((taken_out, begun.elapsed()))
    });
    match is_little {
        true => hidden.map(Some),
        false => Ok(None),
    }
}

/// Rewrites every segment that still contains words of forgotten events. Returns how many there
/// were.
pub(crate) fn rewrite_unclean(engine: &Engine, running: &Running) -> Result<u64> {
    let mut rewritten = 0;
    // A segment whose file is missing cannot be rewritten before it is rebuilt.
    words::make_again(engine, &|| true, running)?;
    running.checkpoint()?;
    while let Some(is_changed) = rewrite_one(engine)? {
        rewritten += u64::from(is_changed);
        running.checkpoint()?;
    }
    rewritten += engine.learned_index.rewrite_all(&engine.store)?;
    Ok(rewritten)
}

/// Rewrites one segment that still contains words of forgotten events; `None` if there is none. It
/// is written outside of the store, so that others wait only while it is put in place.
pub(crate) fn rewrite_one(engine: &Engine) -> Result<Option<bool>> {
    let store = &engine.store;
    let read = store.read()?;
    if read.unclean_segments()?.is_empty() {
        return Ok(None);
    }
    // Taken before the snapshot: see `store/index_tables/word_files.rs`.
    let events = read.state()?.last_seq;
    drop(read);
    let turn = store.lock_files_for(events, Duration::ZERO);
    // Segment numbers are never reused.
    let id = store.write(|tx| {
        tx.state.next_segment += 1;
        Ok(tx.state.next_segment)
    })?;
    let read = store.read()?;
    let Some(segment) = read.unclean_segments()?.pop() else {
        return Ok(None);
    };
    let made = engine
        .lexical
        .rewrite_apart(store, (&turn, &read), segment, id);
    let made = match made {
        // Another process replaced the segment, and its file with it.
        Err(error)
            if error.code() == ErrorCode::Corrupt && is_replaced(engine, &read, segment)? =>
        {
            return Ok(Some(false));
        }
        made => made?,
    };
    let generation = read.generation();
    drop(read);
    let put = store.write(|tx| {
        // A new generation has its own list of unclean segments.
        if tx.generation() != generation {
            return Ok(Some(false));
        }
        let mut unclean = tx.unclean_segments()?;
        unclean.retain(|id| *id != segment);
        let mut is_changed = false;
        if let Some(made) = made {
            let (left, was_there) = engine.lexical.put_rewritten(tx, made)?;
            unclean.extend(left);
            is_changed = was_there;
        }
        tx.set_unclean_segments(&unclean)?;
        Ok(Some(is_changed))
    });
    if turn.is_held() {
        engine.lexical.clean_files(store, &turn, &[segment]);
    }
    put
}

/// Whether a segment of a snapshot has been merged or rewritten since.
fn is_replaced(engine: &Engine, read: &ReadTx, id: u64) -> Result<bool> {
    let mut segments = read.segments()?;
    segments.retain(|segment| segment.id == id);
    Ok(!engine.store.are_live(&segments)?)
}

/// What was taken out, by name, because several transactions may take events from one session or
/// one segment.
#[derive(Default)]
pub(crate) struct TakenOut {
    count: u64,
    content_bytes: u64,
    jobs: u64,
    segments: u64,
    /// The events' sessions.
    sessions: BTreeSet<String>,
    /// The numbers of the larger segments.
    waiting: BTreeSet<u64>,
    /// How many segments of what was learned wait.
    learned_waiting: u64,
    tombstone: Option<u64>,
}

impl TakenOut {
    /// How many jobs waited for what was taken out.
    pub(crate) fn jobs(&self) -> u64 {
        self.jobs
    }

    /// Adds what [`take_out_learned`] did.
    fn add_learned(&mut self, (rewritten, waiting): (u64, u64)) {
        self.segments += rewritten;
        self.learned_waiting = waiting;
    }

    pub(crate) fn add(&mut self, later: TakenOut) {
        self.count += later.count;
        self.content_bytes += later.content_bytes;
        self.jobs += later.jobs;
        self.segments += later.segments;
        self.sessions.extend(later.sessions);
        self.waiting.extend(later.waiting);
        self.learned_waiting = self.learned_waiting.max(later.learned_waiting);
        self.tombstone = later.tombstone.or(self.tombstone);
    }
}

impl From<TakenOut> for Forgotten {
    fn from(taken_out: TakenOut) -> Forgotten {
        Forgotten {
            count: taken_out.count,
            content_bytes: taken_out.content_bytes,
            sessions: taken_out.sessions.len() as u64,
            jobs: taken_out.jobs,
            segments: taken_out.segments,
            segments_waiting: taken_out.waiting.len() as u64 + taken_out.learned_waiting,
            tombstone: taken_out.tombstone.map(Seq),
        }
    }
}

/// Writes the tombstone and removes the targets from every index; large segments are recorded for
/// later, and so is folding the usage again.
fn forget_in(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    targets: &[u64],
    scope: TombstoneScope<'_>,
) -> Result<TakenOut> {
    let tombstone = put_tombstone(engine, tx, targets, scope)?;
    take_out_with(engine, tx, targets, tombstone, |tx| {
        projection::take_back::take_back(tx, targets).map(drop)
    })
}

/// Removes events from every index, and with `take_back` what was learned of them. Folding the
/// usage again is left to the caller.
fn take_out_with(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    targets: &[u64],
    tombstone: u64,
    take_back: impl FnOnce(&WriteTx<'_>) -> Result<()>,
) -> Result<TakenOut> {
    let mut taken_out = take_out_but_usage(engine, tx, targets, tombstone)?;
    take_back(tx)?;
    taken_out.add_learned(take_out_learned(engine, tx)?);
    Ok(taken_out)
}

/// Writes the record that events are forgotten; returns its position.
pub(crate) fn put_tombstone(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    targets: &[u64],
    scope: TombstoneScope<'_>,
) -> Result<u64> {
    let draft = tombstone(engine, EventKind::Forgotten, targets, scope);
    tx.append(std::slice::from_ref(&draft))?;
    Ok(tx.state.last_seq)
}

/// Removes events, given in order, from every index. The record at `tombstone` says that they are
/// forgotten.
pub(crate) fn take_out(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    targets: &[u64],
    tombstone: u64,
) -> Result<TakenOut> {
    let taken_out = take_out_with(engine, tx, targets, tombstone, |tx| {
        projection::take_back::take_back(tx, targets).map(drop)
    })?;
    usage::refold_if_stale(tx)?;
    Ok(taken_out)
}

/// The part of [`take_out`] that is not about what was learned of the events, for a caller that
/// folds everything again and then calls [`take_out_learned`].
pub(crate) fn take_out_said(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    targets: &[u64],
    tombstone: u64,
) -> Result<TakenOut> {
    let taken_out = take_out_but_usage(engine, tx, targets, tombstone)?;
    usage::refold_if_stale(tx)?;
    Ok(taken_out)
}

fn take_out_but_usage(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    targets: &[u64],
    tombstone: u64,
) -> Result<TakenOut> {
    let mut has_injections = false;
    for seq in targets {
        has_injections |= tx.kind_at(*seq)? == Some(EventKind::Injected);
    }
    let deleted = tx.delete(targets, tombstone)?;
    let (mut unclean, mut segments) = (tx.unclean_segments()?, 0);
    let mut waiting = BTreeSet::new();
    for segment in tx.segments_with(targets)? {
        if segment.events <= REWRITE_AT_ONCE {
            segments += u64::from(engine.lexical.rewrite(tx, &segment)?);
            continue;
        }
        waiting.insert(segment.id);
        if !unclean.contains(&segment.id) {
            unclean.push(segment.id);
        }
    }
    tx.set_unclean_segments(&unclean)?;
    for seq in targets {
        tx.remove_usage(*seq)?;
    }
    if has_injections {
        // What they gave to agents is no longer known to have been given. All of it is folded
        // again, once for all transactions of a call.
        tx.set_usage_stale()?;
    }
    Ok(TakenOut {
        count: deleted.events,
        content_bytes: deleted.content_bytes,
        jobs: deleted.jobs,
        segments,
        sessions: deleted.sessions,
        waiting,
        learned_waiting: 0,
        tombstone: Some(tombstone),
    })
}

/// Removes what is no longer in the rows from the indexes of what was learned. Returns how many of
/// their segments were rewritten, and how many wait for it.
pub(crate) fn take_out_learned(engine: &Engine, tx: &mut WriteTx<'_>) -> Result<(u64, u64)> {
    learned_vectors::take_out(tx)?;
    engine.learned_index.take_out(tx, REWRITE_AT_ONCE)
}
