//! Removes events from the projections without folding the whole log again.
//!
//! The store keeps what folds touched (`store/projected_rows/touches.rs`). The parts of folds on which the
//! forgotten events, and the rows that they fed, depend are run twice outside the store: once
//! as things were, once without what was forgotten. Where the results differ, later parts
//! that touched the row join in, until no more are found. Then the differing rows are
//! written. Their old values must equal the result of the first run; if not, or if too many
//! parts would have to run, the whole log is folded again, which is always correct.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::ids::EventId;
use crate::projection::endless::{MODE, READ_BY_FOLDS};
use crate::projection::fold::{apply, concerns};
use crate::projection::refold::refold;
use crate::projection::rows::{self, Cursor};
use crate::projection::{insights_due, order, pauses};
use crate::store::generations::erasing::Erasure;
use crate::store::projected_rows::copied_rows::ChangedRows;
use crate::store::projected_rows::projected::{
    Apart, ProjectedMut, RowKind, Rows, TouchedRows, full_key,
};
use crate::store::projected_rows::touches::{
    FoldPart, Liveness, Recorder, Token, Tokens, Touch, Trace,
};
use crate::store::{ReadTx, WriteTx};

/// This many parts may always run; beyond that, at most this share of the log.
const ALWAYS: usize = 1_024;
const SHARE: u64 = 8;
/// How often all of them may run again because an earlier one was missing.
const ROUNDS: usize = 4;

const FIRST: FoldPart = FoldPart { seq: 0, part: 0 };
const LAST: FoldPart = FoldPart {
    seq: u64::MAX,
    part: u32::MAX,
};

/// The outcome of taking back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TakenBack {
    /// How many folds of single events ran, repetitions included.
    pub(crate) folds: usize,
    /// Rows that were written or removed.
    pub(crate) rows: usize,
    /// Whether so much depends on them that the whole log is folded again.
    pub(crate) is_refolded: bool,
}

/// Brings the projections to the state they would have had these events, which were just
/// marked as forgotten, never been folded.
///
/// # Errors
/// As [`crate::projection::fold`].
pub(crate) fn take_back(tx: &WriteTx<'_>, forgotten: &[u64]) -> Result<TakenBack> {
    let taken_back = take_back_within(tx, forgotten, usual_limit(tx))?;
    if taken_back.is_refolded {
        refold(tx)?;
    }
    Ok(taken_back)
}

/// Like [`take_back`], but false, and the transaction must be aborted, if so much depends on the
/// events that others would wait for long.
///
/// # Errors
/// As [`take_back`].
pub(crate) fn take_back_little(tx: &WriteTx<'_>, forgotten: &[u64]) -> Result<bool> {
    Ok(!take_back_within(tx, forgotten, ALWAYS)?.is_refolded)
}

/// With more parts than this, folding the whole log again is hardly slower.
fn usual_limit(tx: &WriteTx<'_>) -> usize {
    let share = usize::try_from(tx.state.last_seq / SHARE).unwrap_or(usize::MAX);
    share.max(ALWAYS)
}

/// Runs at most `limit` parts.
fn take_back_within(tx: &WriteTx<'_>, forgotten: &[u64], limit: usize) -> Result<TakenBack> {
    if !tx.has_projected()? {
        return Ok(TakenBack::default());
    }
    let mut rows = tx.projected()?;
    let (changed, folds) = {
        let mut search = Search::new(tx, &rows, None, forgotten, limit)?;
        (search.changes()?, search.folds)
    };
    let Some(changed) = changed else {
        return Ok(TakenBack {
            folds,
            rows: 0,
            is_refolded: true,
        });
    };
    for (key, row) in &changed {
        match row {
            Some(row) => rows.put_full(key, row)?,
            None => rows.remove_full(key)?,
        }
    }
    if rows.facts(RowKind::LevelDue)?.rows > 0 {
        for &seq in forgotten {
            if let Some(event) = tx.recorded_event(seq)? {
                let id = event.id.to_string();
                rows.remove(RowKind::LevelDue, id.as_bytes())?;
            }
        }
    }
    look_for_insights(tx, &mut rows, &changed)?;
    // Being forgotten is not a change of its own.
    rows.finish(i64::MIN)?;
    let is_row = |key: &&Vec<u8>| !RowKind::is_work_key(key);
    Ok(TakenBack {
        folds,
        rows: changed.keys().filter(is_row).count(),
        is_refolded: false,
    })
}

/// The other events of an insight that went may still give one, and so may older events in the
/// place of one that had risen, and what a forgotten pause kept out.
fn look_for_insights(
    tx: &WriteTx<'_>,
    rows: &mut ProjectedMut<'_>,
    changed: &ChangedRows,
) -> Result<()> {
    const FEEDS: [u8; 2] = [RowKind::Insight as u8, RowKind::LevelOf as u8];
    let feeds = |key: &Vec<u8>| {
        key.first().is_some_and(|row_kind| FEEDS.contains(row_kind)) || pauses::is_key(key)
    };
    match changed.keys().any(feeds) {
        true => insights_due::note(rows, tx.state.last_seq),
        false => Ok(()),
    }
}

/// Copies the rows of another store file into this transaction, in the state they would have
/// had the erased events never been folded. This one has the log without them, everything
/// replayed from it, and none of these rows. False if that cannot be determined: the log must
/// then be folded.
///
/// # Errors
/// As [`take_back`].
pub(crate) fn copy_without(old: &ReadTx, tx: &WriteTx<'_>, erasure: &Erasure) -> Result<bool> {
    let changed = {
        let rows = old.projected()?;
        let mut erased = Vec::new();
        for &seq in &erasure.erased {
            // Events that were forgotten earlier were taken back then.
            if !old.is_hidden(seq)? {
                erased.push(seq);
            }
        }
        let mut search = Search::new(tx, &rows, Some(old), &erased, usual_limit(tx))?;
        for &seq in erasure.reduced.keys() {
            if !old.is_hidden(seq)? {
                search.reduced.insert(seq);
                search.plan.add_event(seq);
            }
        }
        search.changes()?
    };
    match changed {
        Some(changed) => {
            tx.copy_projected(old, &changed)?;
            let was_due: Option<Cursor> = rows::get(&old.projected()?, insights_due::INSIGHTS_DUE)?;
            let mut rows = tx.projected()?;
            match was_due {
                // An event that was forgotten before may have been the source of one.
                Some(_) => insights_due::note(&mut rows, tx.state.last_seq)?,
                None => look_for_insights(tx, &mut rows, &changed)?,
            }
            rows.finish(i64::MIN)?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// The first part of the range that contains a part.
fn range_with(ranges: &BTreeMap<FoldPart, FoldPart>, at: FoldPart) -> Option<FoldPart> {
    let (low, high) = ranges.range(..=at).next_back()?;
    (at <= *high).then_some(*low)
}

/// Which parts of which events to run.
#[derive(Default)]
struct Plan {
    /// No list means all parts.
    events: BTreeMap<u64, Option<BTreeSet<u32>>>,
    size: usize,
}

impl Plan {
    fn add_event(&mut self, seq: u64) {
        self.events.insert(seq, None);
        self.size += 1;
    }

    /// False if the plan already contains the part.
    fn add(&mut self, at: FoldPart) -> bool {
        let parts = self
            .events
            .entry(at.seq)
            .or_insert_with(|| Some(BTreeSet::new()));
        let is_new = parts.as_mut().is_some_and(|parts| parts.insert(at.part));
        self.size += usize::from(is_new);
        is_new
    }

    fn after(&self, seq: u64) -> Option<(u64, Option<BTreeSet<u32>>)> {
        let (seq, parts) = self.events.range(seq + 1..).next()?;
        Some((*seq, parts.clone()))
    }
}

/// The events that were live before something was forgotten.
struct Before<'a> {
    tx: &'a WriteTx<'a>,
    forgotten: &'a BTreeSet<u64>,
}

impl Liveness for Before<'_> {
    fn position(&self, id: &EventId) -> Result<Option<u64>> {
        self.tx.position(id)
    }

    fn lives(&self, seq: u64) -> Result<bool> {
        Ok(self.forgotten.contains(&seq) || self.tx.lives(seq)?)
    }
}

/// The two runs of the planned parts: as things were, and without what was forgotten.
#[derive(Default)]
struct Runs {
    before: Apart,
    after: Apart,
    traces: Vec<(Trace, Trace)>,
    /// A fold failed, because rows that it read did not exist yet.
    is_broken: bool,
}

impl Runs {
    /// The rows that differ, with their current values.
    fn changes(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>, Option<&[u8]>)> {
        let keys: BTreeSet<&[u8]> = self.before.keys().chain(self.after.keys()).collect();
        keys.into_iter()
            .map(|key| (key, self.before.get(key), self.after.get(key)))
            .filter(|(key, before, after)| before != after && !RowKind::is_work_key(key))
    }
}

/// The outcome of one round.
enum Round {
    Done(Runs),
    /// Parts before others that had already run turned out to be missing.
    Again,
    /// Too many parts depend on it.
    TooMuch,
}

/// The search for the parts that have to run.
struct Search<'a> {
    tx: &'a WriteTx<'a>,
    /// The rows before the change.
    rows: &'a dyn TouchedRows,
    /// Where to read events in their old form, if the transaction no longer has it.
    old: Option<&'a ReadTx>,
    tokens: Tokens,
    /// Full keys of the rows on which the fold of every conversation depends.
    read_by_all: Vec<Vec<u8>>,
    forgotten: BTreeSet<u64>,
    /// Events that the transaction has only in part.
    reduced: BTreeSet<u64>,
    plan: Plan,
    limit: usize,
    folds: usize,
    /// The ranges of parts in which every writer that determined a row's value is planned: the end
    /// of each by its beginning. What lies between two of them is not.
    reached_back: HashMap<Token, BTreeMap<FoldPart, FoldPart>>,
    /// The range of parts in which everything that touched a row is planned.
    reached_on: HashMap<Token, (FoldPart, FoldPart)>,
}

impl<'a> Search<'a> {
    fn new(
        tx: &'a WriteTx<'a>,
        rows: &'a dyn TouchedRows,
        old: Option<&'a ReadTx>,
        forgotten: &[u64],
        limit: usize,
    ) -> Result<Self> {
        let mut search = Search {
            tx,
            rows,
            old,
            tokens: tx.tokens(),
            read_by_all: READ_BY_FOLDS
                .iter()
                .map(|name| full_key(RowKind::Setting, name.as_bytes()))
                .collect(),
            forgotten: forgotten.iter().copied().collect(),
            reduced: BTreeSet::new(),
            plan: Plan::default(),
            limit,
            folds: 0,
            reached_back: HashMap::new(),
            reached_on: HashMap::new(),
        };
        // Conversations change nothing in a store where no mode was ever set.
        let mode = search.tokens.of_row(RowKind::Setting, MODE.as_bytes());
        let mut has_modes = false;
        search.rows.each_touch(mode, FIRST, false, &mut |_, _| {
            has_modes = true;
            Ok(false)
        })?;
        for &seq in forgotten {
            let kind = tx.kind_at(seq)?;
            if kind.is_some_and(|kind| concerns(kind) && (has_modes || !kind.is_conversation())) {
                search.plan.add_event(seq);
            }
            let life = search.tokens.of_life(seq);
            let asked = search.touched(life, FIRST, false, |_, _| false)?;
            search.add(&asked);
            if search.plan.size > search.limit {
                break;
            }
        }
        Ok(search)
    }

    /// The positions with planned parts, in order.
    fn planned(&self) -> Vec<u64> {
        self.plan.events.keys().copied().collect()
    }

    /// The differing rows and the touches of their folds, by full key; `None` if the log must
    /// be folded.
    fn changes(&mut self) -> Result<Option<ChangedRows>> {
        let Some(runs) = self.all_runs()? else {
            return Ok(None);
        };
        if self.tx.state.may_be_reordered() && !self.ran_in_record_order(&runs)? {
            return Ok(None);
        }
        self.differences(&runs)
    }

    /// Whether the parts ran in fold order. They ran in log order, and other parts that touch
    /// a row were searched for in that order too, but a late record comes after those that it
    /// was folded before.
    fn ran_in_record_order(&self, runs: &Runs) -> Result<bool> {
        if !order::is_in_record_order(self.tx, &self.planned())? {
            return Ok(false);
        }
        let traces = runs.traces.iter().flat_map(|(was, is)| [was, is]);
        let touches = traces.flat_map(|trace| trace.touches.iter());
        let tokens: BTreeSet<Token> = touches
            .filter(|(_, noted)| noted.is_kept)
            .map(|((_, token), _)| *token)
            .collect();
        for token in tokens {
            let mut seen = 0;
            let touched = self.touched(token, FIRST, false, |_, _| {
                seen += 1;
                seen > self.limit
            })?;
            let is_written = touched.iter().any(|(_, touch)| !touch.only_looks());
            let seqs: Vec<u64> = touched.into_iter().map(|(part, _)| part.seq).collect();
            if seen > self.limit || (is_written && !order::is_in_record_order(self.tx, &seqs)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An event in its old form.
    fn event_before(&self, seq: u64) -> Result<Option<Event>> {
        match self.old {
            Some(old) => old.with_record(seq, |view| view.to_event()),
            None => self.tx.recorded_event(seq),
        }
    }

    /// Runs the plan until nothing is missing; `None` if it grows too large.
    fn all_runs(&mut self) -> Result<Option<Runs>> {
        loop {
            match self.round()? {
                Round::Done(runs) => return Ok((!runs.is_broken).then_some(runs)),
                Round::Again => {}
                Round::TooMuch => return Ok(None),
            }
        }
    }

    /// Runs the planned parts once in log order; missing parts that come later run in the
    /// same round.
    fn round(&mut self) -> Result<Round> {
        let mut runs = Runs::default();
        let mut is_missing = false;
        let mut last = 0;
        while let Some((seq, parts)) = self.plan.after(last) {
            last = seq;
            self.tx.running.checkpoint()?;
            self.folds += 1;
            if self.plan.size > self.limit || self.folds > ROUNDS * self.limit {
                return Ok(Round::TooMuch);
            }
            let Some(event) = self.event_before(seq)? else {
                continue;
            };
            let traces = self.fold_twice(&mut runs, &event, parts.as_ref())?;
            for (trace, other) in [(&traces.0, &traces.1), (&traces.1, &traces.0)] {
                for (&(part, token), noted) in &trace.touches {
                    if matches!(noted.touch, Touch::Read | Touch::Changed) {
                        is_missing |= self.reach_back(token, FoldPart { seq, part })?;
                    }
                }
                for (key, written) in &trace.written {
                    let is_same = runs.before.get(key) == runs.after.get(key);
                    if !is_same && self.read_by_all.contains(key) {
                        return Ok(Round::TooMuch);
                    }
                    let Some(token) = written.token else {
                        continue;
                    };
                    let part = written.part;
                    // Where only one of the two wrote, the other keeps the old value.
                    if !is_same || !other.written.contains_key(key) {
                        is_missing |= self.reach_back(token, FoldPart { seq, part })?;
                    }
                    if !is_same {
                        is_missing |= self.reach_on(token, FoldPart { seq, part })?;
                    }
                }
            }
            runs.traces.push(traces);
        }
        Ok(if is_missing {
            Round::Again
        } else {
            Round::Done(runs)
        })
    }

    fn fold_twice(
        &self,
        runs: &mut Runs,
        event: &Event,
        parts: Option<&BTreeSet<u32>>,
    ) -> Result<(Trace, Trace)> {
        let before = Before {
            tx: self.tx,
            forgotten: &self.forgotten,
        };
        let mut fold = |apart: &mut Apart, liveness: &dyn Liveness, event: &Event| {
            let end = self.tx.window_end();
            let recorder = Recorder::new(self.tokens, event.seq.0, parts, liveness, end);
            let mut rows = ProjectedMut::apart(apart, recorder);
            runs.is_broken |= apply(&mut rows, event).is_err();
            rows.into_trace()
        };
        let was = fold(&mut runs.before, &before, event);
        let seq = event.seq.0;
        let reduced = match self.reduced.contains(&seq) {
            true => self.tx.recorded_event(seq)?,
            false => None,
        };
        let is = match self.forgotten.contains(&seq) {
            true => Trace::default(),
            false => fold(&mut runs.after, self.tx, reduced.as_ref().unwrap_or(event)),
        };
        Ok((was, is))
    }

    /// The parts of live events that touched a token before or after a part, up to the first
    /// for which `is_last` returns true.
    fn touched(
        &self,
        token: Token,
        from: FoldPart,
        is_before: bool,
        mut is_last: impl FnMut(FoldPart, Touch) -> bool,
    ) -> Result<Vec<(FoldPart, Touch)>> {
        let before = Before {
            tx: self.tx,
            forgotten: &self.forgotten,
        };
        let mut found = Vec::new();
        self.rows
            .each_touch(token, from, is_before, &mut |part, touch| {
                // Touches may remain of events that are gone.
                if !before.lives(part.seq)? {
                    return Ok(true);
                }
                found.push((part, touch));
                Ok(!is_last(part, touch))
            })?;
        Ok(found)
    }

    fn add(&mut self, found: &[(FoldPart, Touch)]) -> bool {
        let mut is_new = false;
        for (part, _) in found {
            is_new |= self.plan.add(*part);
        }
        is_new
    }

    /// Plans what determined a row's value before a part: its writers back to one that
    /// overwrote it unconditionally. True if one of them is new.
    fn reach_back(&mut self, token: Token, at: FoldPart) -> Result<bool> {
        let mut known = self.reached_back.remove(&token).unwrap_or_default();
        let mut found = Vec::new();
        if range_with(&known, at).is_none_or(|low| low == at) {
            found = self.touched(token, at, true, |part, touch| {
                touch == Touch::Replaced || range_with(&known, part).is_some()
            })?;
            let low = match found.last() {
                Some((part, Touch::Replaced)) => *part,
                Some((part, _)) => range_with(&known, *part).unwrap_or(FIRST),
                None => FIRST,
            };
            known.insert(low, at);
        }
        self.reached_back.insert(token, known);
        found.retain(|(_, touch)| *touch != Touch::Read);
        Ok(self.add(&found))
    }

    /// Plans what touched a row after a part that changed it, up to one that overwrote it
    /// unconditionally. True if one of the same event is new: the others have not run yet.
    fn reach_on(&mut self, token: Token, at: FoldPart) -> Result<bool> {
        if let Some((start, end)) = self.reached_on.get(&token)
            && at >= *start
            && at < *end
        {
            return Ok(false);
        }
        let found = self.touched(token, at, false, |_, touch| touch == Touch::Replaced)?;
        let end = match found.last() {
            Some((part, Touch::Replaced)) => *part,
            _ => LAST,
        };
        self.reached_on.insert(token, (at, end));
        let same = found.partition_point(|(part, _)| part.seq <= at.seq);
        let is_missing = self.add(&found[..same]);
        self.add(&found[same..]);
        Ok(is_missing)
    }

    /// The rows that differ and the touches of the folds. `None` if the store did not hold
    /// what the first run produced.
    fn differences(&self, runs: &Runs) -> Result<Option<ChangedRows>> {
        let mut changed = ChangedRows::new();
        for (key, before, after) in runs.changes() {
            if self.rows.get_full(key)?.as_deref() != before {
                return Ok(None);
            }
            changed.insert(key.to_vec(), after.map(<[u8]>::to_vec));
        }
        for (before, after) in &runs.traces {
            let kept: BTreeSet<[u8; 21]> = after.keys().collect();
            let known: BTreeSet<[u8; 21]> = before.keys().collect();
            let touched = |key: &[u8; 21]| full_key(RowKind::Touched, key);
            changed.extend(known.difference(&kept).map(|key| (touched(key), None)));
            let new = kept.difference(&known);
            changed.extend(new.map(|key| (touched(key), Some(Vec::new()))));
        }
        Ok(Some(changed))
    }
}
