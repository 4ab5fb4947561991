//! Writes the learned index into the store: waiting items are flushed into segments, and
//! segments are merged and rewritten like those of events.

use crate::engine::learned_index::LearnedIndex;
use crate::engine::learned_index::pieces::stored_words;
use crate::engine::learned_index::snapshot::facts;
use crate::engine::merging::{due_for_merge, due_on_the_way, merge_into};
use crate::index::lexical::block::{BlockKey, BlockSink as _};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::lexical::segment_writer::build_segment;
use crate::model::error::{ErrorCode, Result};
use crate::projection::learned::{self as texts, LearnedText};
use crate::store::index_tables::learned::{
    self, LearnedChange, LearnedDocument, LearnedGroup, LearnedRow, LearnedSegment,
};
use crate::store::index_tables::learned_words::WordDocument;
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};
use crate::store::{Store, WriteTx};

/// With so many items waiting, the learning call itself flushes them, because the first
/// search of a process must read and analyse them.
const FLUSH_WAITING: u64 = 32;
/// Fewer than this are left for a later [`LearnedIndex::maintain`].
const MIN_WAITING: u64 = 8;
/// How many are flushed per transaction.
const FLUSH_AT_ONCE: usize = 256;
/// With more segments than this, a learning call that does not flush merges some.
const MANY_SEGMENTS: u64 = 12;
/// [`LearnedIndex::maintain`] keeps up to so many documents of a group in one segment:
/// every segment holds most of the group's words, all of which a question must look up, and
/// merging takes some 10 µs per document.
const ONE_SEGMENT: u64 = 2_048;
/// Segments with more than one in so many documents gone are rewritten.
const GONE_SHARE: u32 = 4;

/// The budget of [`LearnedIndex::maintain`], and what it did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Upkeep {
    pub(crate) is_flushed: bool,
    pub(crate) merges: usize,
    pub(crate) rewritten: usize,
    pub(crate) has_more: bool,
}

/// The limits of one call.
pub(crate) struct Limits<'a> {
    pub(crate) merges: usize,
    /// Segments to rewrite.
    pub(crate) rewrites: usize,
    /// The largest merge, in documents.
    pub(crate) merge_events: u64,
    pub(crate) has_time: &'a dyn Fn() -> bool,
}

/// How to apply a change.
struct Settling {
    row: LearnedRow,
    /// Its stale document.
    gone: Option<u64>,
    /// The text to index.
    text: Option<LearnedText>,
}

/// A difference between the index and a row.
fn settle(rows: &dyn Rows, row: LearnedRow) -> Result<Settling> {
    let text = texts::text(rows, &row)?;
    let document = learned::document(rows, &row)?;
    let is_same = match (&text, &document) {
        (Some(text), Some(document)) => text.hash() == document.hash,
        _ => false,
    };
    let (gone, text) = match is_same {
        true => (None, None),
        false => (document.map(|document| document.number), text),
    };
    Ok(Settling { row, gone, text })
}

/// The segments while documents are removed from them.
struct Segments {
    all: Vec<LearnedSegment>,
    changed: Vec<bool>,
}

impl Segments {
    fn read(rows: &dyn Rows) -> Result<Self> {
        let all = learned::segments(rows)?;
        let changed = vec![false; all.len()];
        Ok(Segments { all, changed })
    }

    fn take(&mut self, group: LearnedGroup, number: u64) {
        let holds = |segment: &LearnedSegment| {
            segment.group == group
                && (segment.info.seq_from..=segment.info.seq_to).contains(&number)
        };
        if let Some(at) = self.all.iter().position(holds) {
            self.all[at].gone += 1;
            self.changed[at] = true;
        }
    }

    /// Marks every segment with removed documents for rewriting.
    fn make_unclean(&mut self) {
        for (segment, is_changed) in self.all.iter_mut().zip(&mut self.changed) {
            if segment.gone > 0 && !segment.is_unclean {
                (segment.is_unclean, *is_changed) = (true, true);
            }
        }
    }

    /// Stores what changed; an empty segment is dropped.
    fn put(self, tx: &WriteTx<'_>, rows: &mut ProjectedMut<'_>) -> Result<()> {
        for (segment, is_changed) in self.all.iter().zip(self.changed) {
            if segment.gone >= segment.info.events {
                rows.remove_segment(segment.info.id)?;
                tx.remove_blocks(segment.info.id)?;
            } else if is_changed {
                rows.put_segment(segment)?;
            }
        }
        Ok(())
    }
}

impl LearnedIndex {
    /// Flushes waiting items if there are many, or else runs a merge that is due, if it is
    /// cheap, inside the transaction that learns.
    pub(crate) fn flush_if_long(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        let (waiting, segments) = {
            let rows = tx.projected()?;
            let segments = rows.facts(RowKind::LearnedSegment)?.rows;
            (learned::waiting(&rows)?, segments)
        };
        let done = if waiting >= FLUSH_WAITING {
            self.flush(tx, FLUSH_AT_ONCE).map(drop)
        } else if segments > MANY_SEGMENTS {
            self.merge_in(tx, &|all| due_in(all, &|infos| due_on_the_way(infos, 0)))
                .map(drop)
        } else {
            return Ok(());
        };
        match done {
            // Everything is read before anything is written. Damage is left to `maintain`
            // or a rebuild; what was learned is stored all the same.
            Err(error) if error.code() == ErrorCode::Corrupt => Ok(()),
            done => done,
        }
    }

    /// Marks every learned item as waiting, inside the transaction that rebuilds the index.
    pub(crate) fn begin_anew(&self, tx: &WriteTx<'_>) -> Result<()> {
        let mut rows = tx.projected()?;
        drop_index(tx, &mut rows)?;
        rows.finish(i64::MIN)
    }

    /// Flushes everything waiting, inside the transaction that rebuilds the store.
    pub(crate) fn flush_all(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        while self.flush(tx, FLUSH_AT_ONCE)? {
            while self.merge_in(tx, &|all| due(all, u64::MAX))? {}
        }
        Ok(())
    }

    /// Flushes so many waiting items into segments. False if none could be.
    fn flush(&self, tx: &mut WriteTx<'_>, most: usize) -> Result<bool> {
        let mut rows = tx.projected()?;
        let mut segments = Segments::read(&rows)?;
        let mut settled = Vec::new();
        for group in LearnedGroup::ALL {
            let left = most - settled.len();
            for change in learned::changes(&rows, group, left)? {
                match settle(&rows, change.row) {
                    Ok(done) => settled.push(done),
                    // Its row needs a rebuild, so the item keeps waiting.
                    Err(error) if error.code() == ErrorCode::Corrupt => {}
                    Err(error) => return Err(error),
                }
            }
        }
        let is_flushed = !settled.is_empty();
        let mut fresh: [Vec<(LearnedText, LearnedRow)>; 2] = Default::default();
        for Settling { row, gone, text } in settled {
            let group = LearnedGroup::of(row.row_kind);
            rows.remove_change(&row)?;
            if let Some(number) = gone {
                rows.remove_document(&row, number)?;
                segments.take(group, number);
            }
            if let Some(text) = text {
                fresh[usize::from(group == LearnedGroup::Others)].push((text, row));
            }
        }
        segments.put(tx, &mut rows)?;
        let mut id = tx.state.next_segment;
        for (group, mut fresh) in LearnedGroup::ALL.into_iter().zip(fresh) {
            if !fresh.is_empty() {
                id += 1;
                fresh.sort_by(|a, b| (a.0.at, &a.1).cmp(&(b.0.at, &b.1)));
                add_segment(tx, &mut rows, (group, id), &fresh)?;
            }
        }
        // Indexing does not change a layer.
        rows.finish(i64::MIN)?;
        tx.state.next_segment = id;
        Ok(is_flushed)
    }

    /// Removes from the index what a transaction has taken back: segments up to so many
    /// documents are rewritten at once, larger ones are noted for later. Returns how many
    /// of both.
    pub(crate) fn take_out(&self, tx: &mut WriteTx<'_>, at_once: u32) -> Result<(u64, u64)> {
        if learned::waiting(&tx.projected()?)? > FLUSH_AT_ONCE as u64 {
            // Everything was folded again, or the index was damaged.
            self.flush_all(tx)?;
        }
        match self.take_out_of_segments(tx, at_once) {
            // Nothing of it may remain, and all of it can be rebuilt.
            Err(error) if error.code() == ErrorCode::Corrupt => {
                let mut rows = tx.projected()?;
                drop_index(tx, &mut rows)?;
                rows.finish(i64::MIN)?;
                Ok((0, 0))
            }
            taken => taken,
        }
    }

    fn take_out_of_segments(&self, tx: &mut WriteTx<'_>, at_once: u32) -> Result<(u64, u64)> {
        let mut rows = tx.projected()?;
        let mut segments = Segments::read(&rows)?;
        for group in LearnedGroup::ALL {
            for LearnedChange { row, write } in learned::changes(&rows, group, usize::MAX)? {
                let is_now = write == rows.write();
                // Items that were only just added are in no segment.
                if !is_now && learned::document(&rows, &row)?.is_none() {
                    continue;
                }
                let Settling { row, gone, text } = settle(&rows, row)?;
                if let Some(number) = gone {
                    rows.remove_document(&row, number)?;
                    segments.take(group, number);
                }
                if text.is_none() {
                    rows.remove_change(&row)?;
                }
            }
        }
        segments.make_unclean();
        segments.put(tx, &mut rows)?;
        let unclean = learned::segments(&rows)?;
        let unclean = unclean.into_iter().filter(|segment| segment.is_unclean);
        let (mut rewritten, mut waiting) = (0, 0);
        let mut id = tx.state.next_segment;
        for segment in unclean {
            if segment.info.events > at_once {
                waiting += 1;
                continue;
            }
            id += 1;
            merge_here(tx, &mut rows, id, &[segment])?;
            rewritten += 1;
        }
        rows.finish(i64::MIN)?;
        tx.state.next_segment = id;
        Ok((rewritten, waiting))
    }

    /// Merges the chosen segments. False if none are.
    fn merge_in(
        &self,
        tx: &mut WriteTx<'_>,
        choose: &dyn Fn(&[LearnedSegment]) -> Option<Vec<LearnedSegment>>,
    ) -> Result<bool> {
        let mut rows = tx.projected()?;
        let Some(chosen) = choose(&learned::segments(&rows)?) else {
            return Ok(false);
        };
        let id = tx.state.next_segment + 1;
        merge_here(tx, &mut rows, id, &chosen)?;
        rows.finish(i64::MIN)?;
        tx.state.next_segment = id;
        Ok(true)
    }

    /// One bounded step: flushes waiting items, rewrites segments that contain words of
    /// removed ones, and merges. Damaged or missing segments are rebuilt.
    pub(crate) fn maintain(&self, store: &Store, limits: &Limits<'_>) -> Result<Upkeep> {
        let mut done = Upkeep::default();
        let is_damaged = self.damaged_count() > 0;
        if is_damaged || !learned::is_whole(&store.read()?.projected()?)? {
            self.make_again(store)?;
        }
        match self.step(store, limits, &mut done) {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                self.make_again(store)?;
                done = Upkeep::default();
                self.step(store, limits, &mut done)?;
            }
            step => step?,
        }
        Ok(done)
    }

    fn step(&self, store: &Store, limits: &Limits<'_>, done: &mut Upkeep) -> Result<()> {
        loop {
            let waiting = learned::waiting(&store.read()?.projected()?)?;
            if waiting < MIN_WAITING {
                break;
            }
            if !(limits.has_time)() {
                done.has_more = true;
                return Ok(());
            }
            if !store.write(|tx| self.flush(tx, FLUSH_AT_ONCE))? {
                break;
            }
            done.is_flushed = true;
        }
        while done.rewritten < limits.rewrites && (limits.has_time)() {
            match self.rewrite_one(store)? {
                Some(is_changed) => done.rewritten += usize::from(is_changed),
                None => break,
            }
        }
        while done.merges < limits.merges
            && (limits.has_time)()
            && put_apart(store, &|all| {
                small(all).or_else(|| due(all, limits.merge_events))
            })? == Some(true)
        {
            done.merges += 1;
        }
        done.has_more = (done.rewritten > 0 && done.rewritten == limits.rewrites)
            || (done.merges > 0 && done.merges == limits.merges);
        Ok(())
    }

    /// Rewrites every segment that contains words of removed items; returns how many.
    pub(crate) fn rewrite_all(&self, store: &Store) -> Result<u64> {
        let mut rewritten = 0;
        loop {
            match self.rewrite_one(store) {
                Ok(Some(is_changed)) => rewritten += u64::from(is_changed),
                Ok(None) => return Ok(rewritten),
                Err(error) if error.code() == ErrorCode::Corrupt => self.make_again(store)?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Rewrites one segment that contains words of removed items, outside the store; `None`
    /// if there is none, false if it changed in the meantime and must be rewritten again.
    fn rewrite_one(&self, store: &Store) -> Result<Option<bool>> {
        put_apart(store, &|all| {
            let due = |segment: &&LearnedSegment| {
                segment.is_unclean || segment.gone > segment.info.events / GONE_SHARE
            };
            all.iter().find(due).map(|segment| vec![*segment])
        })
    }

    /// Drops the index; every learned item waits to be indexed.
    fn make_again(&self, store: &Store) -> Result<()> {
        store.write(|tx| {
            let mut rows = tx.projected()?;
            drop_index(tx, &mut rows)?;
            rows.finish(i64::MIN)
        })?;
        self.forget_damage();
        Ok(())
    }
}

/// Removes the index; every learned item waits to be indexed.
fn drop_index(tx: &WriteTx<'_>, rows: &mut ProjectedMut<'_>) -> Result<()> {
    for segment in rows.clear_learned_index()? {
        tx.remove_blocks(segment)?;
    }
    for group in LearnedGroup::ALL {
        let mut all = Vec::new();
        texts::each(rows, group, &mut |row| all.push(row))?;
        for row in all {
            rows.put_change(&row)?;
        }
    }
    Ok(())
}

/// Makes a segment of texts, in their order; there must be at least one.
fn add_segment(
    tx: &WriteTx<'_>,
    rows: &mut ProjectedMut<'_>,
    (group, id): (LearnedGroup, u64),
    fresh: &[(LearnedText, LearnedRow)],
) -> Result<()> {
    let first = rows.next_documents(fresh.len())?;
    let mut entries = Vec::with_capacity(fresh.len());
    for (number, (text, row)) in (first..).zip(fresh) {
        let hash = text.hash();
        rows.put_document(row, LearnedDocument { number, hash })?;
        if matches!(row.row_kind, RowKind::Entry | RowKind::Task) {
            let document = WordDocument {
                number,
                at: text.at,
            };
            let lower = text.text.to_lowercase();
            rows.put_words(group, document, &stored_words(&lower))?;
        }
        entries.push(text.words().encode(&facts(number, row, text.at)));
    }
    let last = first + fresh.len() as u64 - 1;
    let mut sink = tx.block_sink()?;
    let entries = entries.iter().map(|entry| &**entry);
    let info = build_segment(id, first..=last, entries, &mut sink)?;
    rows.put_segment(&LearnedSegment {
        group,
        info,
        gone: 0,
        is_unclean: false,
    })
}

/// The segments of a group that is small enough for a single one.
fn small(all: &[LearnedSegment]) -> Option<Vec<LearnedSegment>> {
    LearnedGroup::ALL.into_iter().find_map(|group| {
        let mine = all.iter().filter(|segment| segment.group == group);
        let mine: Vec<LearnedSegment> = mine.copied().collect();
        let documents = mine.iter().map(|segment| u64::from(segment.info.events));
        (mine.len() > 1 && documents.sum::<u64>() <= ONE_SEGMENT).then_some(mine)
    })
}

/// The segments to merge now.
fn due(all: &[LearnedSegment], most: u64) -> Option<Vec<LearnedSegment>> {
    due_in(all, &|infos| due_for_merge(infos, most))
}

/// The segments of the first group of which some are chosen.
fn due_in(
    all: &[LearnedSegment],
    choose: &dyn Fn(&[SegmentInfo]) -> Option<Vec<SegmentInfo>>,
) -> Option<Vec<LearnedSegment>> {
    LearnedGroup::ALL.into_iter().find_map(|group| {
        let mine = all.iter().filter(|segment| segment.group == group);
        let infos: Vec<SegmentInfo> = mine.map(|segment| segment.info).collect();
        let chosen = choose(&infos)?;
        let is_chosen = |segment: &&LearnedSegment| chosen.contains(&segment.info);
        Some(all.iter().filter(is_chosen).copied().collect())
    })
}

/// Blocks of a segment that is not yet in place.
type Blocks = Vec<(BlockKey, Vec<u8>)>;

fn is_gone(rows: &dyn Rows, group: LearnedGroup, number: u64) -> Result<bool> {
    Ok(learned::learned_of(rows, group, number)?.is_none())
}

/// Merges segments of one group inside a transaction, dropping removed documents.
fn merge_here(
    tx: &WriteTx<'_>,
    rows: &mut ProjectedMut<'_>,
    id: u64,
    chosen: &[LearnedSegment],
) -> Result<()> {
    let Some(group) = chosen.first().map(|segment| segment.group) else {
        return Ok(());
    };
    let mut made = Blocks::new();
    let merged = {
        let source = tx.block_source()?;
        let infos: Vec<SegmentInfo> = chosen.iter().map(|segment| segment.info).collect();
        let is_gone = |number| is_gone(rows, group, number);
        merge_into(&source, id, &infos, &is_gone, &mut made)?
    };
    put_merged(tx, rows, chosen, (merged, made))
}

fn put_merged(
    tx: &WriteTx<'_>,
    rows: &mut ProjectedMut<'_>,
    old: &[LearnedSegment],
    (info, made): (SegmentInfo, Blocks),
) -> Result<()> {
    for segment in old {
        rows.remove_segment(segment.info.id)?;
        tx.remove_blocks(segment.info.id)?;
    }
    let Some(group) = old.first().map(|segment| segment.group) else {
        return Ok(());
    };
    if info.events == 0 {
        return Ok(());
    }
    let mut sink = tx.block_sink()?;
    for (key, bytes) in made {
        sink.put(key, &bytes)?;
    }
    rows.put_segment(&LearnedSegment {
        group,
        info,
        gone: 0,
        is_unclean: false,
    })
}

/// Merges the chosen segments into one, dropping removed documents. Other writers wait only
/// while it is put in place. `None` if none is chosen; false if one of them changed in the
/// meantime: then all stay.
fn put_apart(
    store: &Store,
    choose: &dyn Fn(&[LearnedSegment]) -> Option<Vec<LearnedSegment>>,
) -> Result<Option<bool>> {
    if choose(&learned::segments(&store.read()?.projected()?)?).is_none() {
        return Ok(None);
    }
    // Segment numbers are never reused.
    let id = store.write(|tx| {
        tx.state.next_segment += 1;
        Ok(tx.state.next_segment)
    })?;
    let read = store.read()?;
    let rows = read.projected()?;
    let Some(chosen) = choose(&learned::segments(&rows)?) else {
        return Ok(None);
    };
    let Some(group) = chosen.first().map(|segment| segment.group) else {
        return Ok(None);
    };
    let infos: Vec<SegmentInfo> = chosen.iter().map(|segment| segment.info).collect();
    let mut made = Blocks::new();
    let is_gone = |number| is_gone(&rows, group, number);
    let merged = merge_into(&read, id, &infos, &is_gone, &mut made)?;
    let generation = read.generation();
    drop((rows, read));
    store.write(|tx| {
        let mut rows = tx.projected()?;
        let live = learned::segments(&rows)?;
        let is_as_it_was =
            tx.generation() == generation && chosen.iter().all(|old| live.contains(old));
        if is_as_it_was {
            put_merged(tx, &mut rows, &chosen, (merged, made))?;
            rows.finish(i64::MIN)?;
        }
        Ok(Some(is_as_it_was))
    })
}
