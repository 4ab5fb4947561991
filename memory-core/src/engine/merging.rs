//! When the memtable is flushed into a segment, which segments are merged, and how each is
//! rewritten without its deleted events.

use std::time::Duration;

use crate::engine::lexical::LexicalIndex;
use crate::index::lexical::block::{BlockCache, BlockKey, BlockSink, BlockSource};
use crate::index::lexical::memtable::{FLUSH_BYTES, FLUSH_EVENTS, LONG_ENTRY_BYTES};
use crate::index::lexical::merge::{FACTOR, choose_merge, merge_segments};
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::lexical::segment_writer::build_segment;
use crate::model::error::{ErrorCode, Result};
use crate::store::index_tables::word_files::{FILE_EVENTS, FilesLock};
use crate::store::{ReadTx, State, Store, WriteTx};

/// The largest merge of an append, in passages: some ten milliseconds. Larger ones wait for
/// `maintain`, or until there are [`MANY_SEGMENTS`].
const MERGE_ON_THE_WAY: u64 = 1_024;

/// Above this number of segments, an append also merges up to [`MERGE_OF_MANY`] passages, because
/// every recall pays for each segment.
const MANY_SEGMENTS: usize = 24;

/// The largest merge of an append when there are many segments, in passages.
const MERGE_OF_MANY: u64 = 4_096;

/// The largest merge, in events, on the way of an import or a rebuild; larger ones wait for
/// `maintain`, or until there are [`MANY_SEGMENTS`].
const MERGE_ON_A_LONG_WAY: u64 = 4_096;

/// How many segments a transaction merges at once: the result stays in memory while they are read.
const MERGED_AT_ONCE: usize = 2 * FACTOR;

/// How large a merge may be, and where its result is stored.
#[derive(Clone, Copy)]
pub(crate) struct MergeLimits {
    /// The largest merge, in events, unless there are many segments.
    pub(crate) most_events: u64,
    /// From this many events on, the result is written to a file.
    pub(crate) files_from: u64,
}

impl LexicalIndex {
    /// Flushes the memtable into a segment if it is long, and merges segments if that is cheap. For
    /// transactions that nobody waits for.
    pub(crate) fn flush_if_due(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        match self.flush_if_long(tx)? {
            true => self.merge_on_the_way(tx),
            false => Ok(()),
        }
    }

    /// Like [`LexicalIndex::flush_if_due`], but without merging. True if it flushed.
    pub(crate) fn flush_if_long(&self, tx: &mut WriteTx<'_>) -> Result<bool> {
        let is_long = tx.state.memtable_events >= FLUSH_EVENTS
            || (tx.newest_entry_bytes()? >= LONG_ENTRY_BYTES
                && tx.memtable_bytes()? >= FLUSH_BYTES);
        match is_long {
            true => self.flush(tx),
            false => Ok(false),
        }
    }

    /// Looks after the index in the transaction of an append: flushes the memtable if it is long.
    /// The append after a flush, which found `before` events in the memtable, runs a merge instead
    /// if one is due, and at most one. What is left waits for a later append or for `maintain`.
    pub(crate) fn after_append(&self, tx: &mut WriteTx<'_>, before: u64) -> Result<()> {
        self.flush_if_long(tx)?;
        if before > 0 {
            return Ok(());
        }
        let Some(chosen) = due_on_the_way(&tx.segments()?, 0) else {
            return Ok(());
        };
        unless_damaged(self.merge(tx, &chosen))
    }

    /// Runs one merge, if it is due and costs little beside the `events` that the caller has just
    /// stored. Only the caller waits; a merge that fails is left for later.
    pub(crate) fn merge_after_batch(&self, store: &Store, events: u64) {
        let due = |all: &[SegmentInfo]| due_on_the_way(all, events);
        let _ = self.merge_chosen(store, Some(u64::MAX), &due);
    }

    /// Runs the merges that are due during an import. Only the caller waits; a merge that fails is
    /// left for later.
    pub(crate) fn merge_after_import(&self, store: &Store) {
        let limits = MergeLimits {
            most_events: MERGE_ON_A_LONG_WAY,
            files_from: MERGE_ON_A_LONG_WAY + 1,
        };
        while let Ok(true) = self.merge_apart(store, limits) {}
    }

    /// Adds a segment whose blocks are stored after all others. The memtable must be empty before
    /// it: these are the words of a large batch.
    pub(crate) fn add_segment(&self, tx: &mut WriteTx<'_>, info: &SegmentInfo) -> Result<()> {
        tx.put_segment(info)?;
        tx.state.next_segment = info.id;
        tx.state.flushed_seq = info.seq_to;
        Ok(())
    }

    /// Runs the merges due after a flush if they are cheap. For transactions that nobody waits for.
    pub(crate) fn merge_on_the_way(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        while unless_damaged(self.merge_once(tx, MERGE_ON_A_LONG_WAY))? {}
        Ok(())
    }

    /// Flushes the whole memtable into one segment. False if it was empty.
    pub(crate) fn flush(&self, tx: &mut WriteTx<'_>) -> Result<bool> {
        let memtable = tx.take_memtable()?;
        let Some((first, last)) = memtable
            .first()
            .zip(memtable.last())
            .map(|(a, b)| (a.0, b.0))
        else {
            return Ok(false);
        };
        let id = tx.state.next_segment + 1;
        let mut sink = tx.block_sink()?;
        let info = build_segment(
            id,
            first..=last,
            memtable.iter().map(|(_, entry)| &**entry),
            &mut sink,
        )?;
        drop(sink);
        tx.put_segment(&info)?;
        tx.state.next_segment = id;
        tx.state.flushed_seq = last;
        Ok(true)
    }

    /// Merges the segments that are due. False if none is, or if the merge would exceed
    /// `most_events` and there are few segments.
    fn merge_once(&self, tx: &mut WriteTx<'_>, most_events: u64) -> Result<bool> {
        let Some(mut chosen) = due_for_merge(&tx.segments()?, most_events) else {
            return Ok(false);
        };
        chosen.truncate(MERGED_AT_ONCE);
        self.merge(tx, &chosen)?;
        Ok(true)
    }

    /// Like [`LexicalIndex::merge_once`], but outside of a write transaction: others wait only
    /// while the merged segment is committed. Also false if a segment changed meanwhile or another
    /// process is building; the merge then stays due.
    pub(crate) fn merge_apart(&self, store: &Store, limits: MergeLimits) -> Result<bool> {
        let due = |all: &[SegmentInfo]| due_for_merge(all, limits.most_events);
        self.merge_chosen(store, Some(limits.files_from), &due)
    }

    /// Moves a large segment from the store into a file. False if there is none, or if another
    /// process is building.
    pub(crate) fn move_into_file(&self, store: &Store) -> Result<bool> {
        let large = |segment: &&SegmentInfo| {
            segment.file.is_none() && u64::from(segment.events) >= FILE_EVENTS
        };
        let choose = |all: &[SegmentInfo]| all.iter().find(large).map(|one| vec![*one]);
        self.merge_chosen(store, None, &choose)
    }

    /// Merges the chosen segments. The result goes to a file from `files_from` events on; with
    /// `None` it must go to a file, and nothing is merged if it cannot.
    fn merge_chosen(
        &self,
        store: &Store,
        files_from: Option<u64>,
        choose: &dyn Fn(&[SegmentInfo]) -> Option<Vec<SegmentInfo>>,
    ) -> Result<bool> {
        let Some(chosen) = choose(&store.read()?.segments()?) else {
            return Ok(false);
        };
        // Taken before the snapshot, so that no file is read that another process removes. Segments
        // that are in files stay in files.
        let needs_turn = |chosen: &[SegmentInfo]| {
            files_from.is_none_or(|from| count_events(chosen) >= from)
                || chosen.iter().any(|segment| segment.file.is_some())
        };
        let has_asked = needs_turn(&chosen);
        let turn = match has_asked {
            true => store.lock_files(Duration::ZERO),
            false => FilesLock::Unsupported,
        };
        if matches!(turn, FilesLock::Busy) || (files_from.is_none() && !turn.is_held()) {
            return Ok(false);
        }
        // Segment numbers are never reused.
        let id = store.write(|tx| {
            tx.state.next_segment += 1;
            Ok(tx.state.next_segment)
        })?;
        let read = store.read()?;
        // What is due may have changed meanwhile, and need the lock now.
        let chosen = choose(&read.segments()?).filter(|chosen| has_asked || !needs_turn(chosen));
        let Some(chosen) = chosen else {
            return Ok(false);
        };
        let tombstones = read.tombstones()?;
        let is_deleted = |seq: u64| tombstones.contains(seq);
        let (merged, made) =
            store.write_apart(&turn, (id, count_events(&chosen)), &mut |sink| {
                merge_into(&read, id, &chosen, &is_deleted, sink)
            })?;
        if files_from.is_none() && merged.file.is_none() {
            return Ok(false);
        }
        let before = read.deletions()?;
        drop(tombstones);
        drop(read);
        let put = store.write(|tx| {
            let live = tx.segments()?;
            let is_there = |old: &SegmentInfo| live.iter().any(|info| info.id == old.id);
            let is_as_it_was = tx.deletions() == before && chosen.iter().all(is_there);
            if is_as_it_was {
                put_merged(tx, &chosen, &merged, made)?;
            }
            Ok(is_as_it_was)
        });
        let is_whole = u64::from(merged.events) == count_events(&chosen);
        if turn.is_held() {
            if matches!(put, Ok(true)) && is_whole {
                store.discard_files(&chosen);
            }
            let gone: Vec<u64> = chosen.iter().map(|segment| segment.id).collect();
            self.clean_files(store, &turn, &gone);
        }
        put
    }

    /// Closes segments that no longer exist and removes files without a descriptor; the caller must
    /// hold the lock. What cannot be removed now is left to a later call.
    pub(crate) fn clean_files(&self, store: &Store, turn: &FilesLock, gone: &[u64]) {
        self.release(gone);
        let _ = store.clean_files(turn, Duration::ZERO);
    }

    /// Rewrites a segment without deleted events, or removes it if nothing is left. False if it
    /// contained none.
    pub(crate) fn rewrite(&self, tx: &mut WriteTx<'_>, segment: &SegmentInfo) -> Result<bool> {
        let (live, deleted) = {
            let source = tx.block_source()?;
            let cache = BlockCache::new(1 << 20);
            let blocks = Blocks {
                source: &source,
                cache: &cache,
            };
            let reader = SegmentReader::open_any(segment, blocks)?;
            count_deleted(&reader, blocks, |seq| source.is_deleted(seq))?
        };
        match (live, deleted) {
            (_, 0) => Ok(false),
            (0, _) => {
                tx.remove_segment(segment)?;
                Ok(true)
            }
            _ => {
                self.merge(tx, std::slice::from_ref(segment))?;
                Ok(true)
            }
        }
    }

    /// Rewrites a segment without the events that are deleted in this transaction, but outside of
    /// the store, so that nobody has to wait. `id` is an unused segment number. `None` if the
    /// segment no longer exists.
    pub(crate) fn rewrite_apart(
        &self,
        store: &Store,
        (turn, read): (&FilesLock, &ReadTx),
        segment: u64,
        id: u64,
    ) -> Result<Option<Rewritten>> {
        let Some(old) = read.segments()?.into_iter().find(|info| info.id == segment) else {
            return Ok(None);
        };
        let tombstones = read.tombstones()?;
        // A separate cache: the segment is about to be removed.
        let cache = BlockCache::new(8 << 20);
        let blocks = Blocks {
            source: read,
            cache: &cache,
        };
        let reader = SegmentReader::open_any(&old, blocks)?;
        let is_deleted = |seq: u64| tombstones.contains(seq);
        let (new, made) = match count_deleted(&reader, blocks, is_deleted)? {
            (_, 0) => (Some(old), Vec::new()),
            (0, _) => (None, Vec::new()),
            (live, _) => {
                let (new, made) = store.write_apart(turn, (id, u64::from(live)), &mut |sink| {
                    merge_segments(id, &[&reader], blocks, &is_deleted, sink)
                })?;
                (Some(new), made)
            }
        };
        Ok(Some(Rewritten {
            old,
            new,
            blocks: made,
            deleted: deleted_events(&read.state()?),
        }))
    }

    /// Replaces a segment by its rewritten form. Returns the number of the segment that may still
    /// contain deleted events, which happens if events were deleted meanwhile, and whether anything
    /// changed.
    pub(crate) fn put_rewritten(
        &self,
        tx: &mut WriteTx<'_>,
        rewritten: Rewritten,
    ) -> Result<(Option<u64>, bool)> {
        let Rewritten {
            old, new, blocks, ..
        } = rewritten;
        let is_clean = deleted_events(&tx.state) == rewritten.deleted;
        // A merge may have removed the deleted events already.
        let is_there = tx.segments()?.iter().any(|info| info.id == old.id);
        let Some(new) = new.filter(|_| is_there) else {
            if is_there {
                tx.remove_segment(&old)?;
            }
            return Ok((None, is_there));
        };
        let unclean = (!is_clean).then_some(new.id);
        if new.id == old.id {
            return Ok((unclean, false));
        }
        tx.put_blocks(blocks)?;
        tx.remove_segment(&old)?;
        tx.put_segment(&new)?;
        Ok((unclean, true))
    }

    /// Merges adjacent segments into one, without deleted events.
    pub(crate) fn merge(&self, tx: &mut WriteTx<'_>, chosen: &[SegmentInfo]) -> Result<()> {
        let id = tx.state.next_segment + 1;
        let merged = {
            let blocks = tx.block_source()?;
            let is_deleted = |seq| blocks.is_deleted(seq);
            let mut write =
                |sink: &mut dyn BlockSink| merge_into(&blocks, id, chosen, &is_deleted, sink);
            match tx.write_file((id, count_events(chosen)), &mut write) {
                Ok(None) => write(&mut &blocks),
                Ok(Some(merged)) => Ok(merged),
                Err(error) => Err(error),
            }
        };
        let merged = match merged {
            Ok(merged) => merged,
            Err(error) => {
                // The caller may continue without the merge, so none of its blocks may be left.
                tx.remove_blocks(id)?;
                return Err(error);
            }
        };
        for segment in chosen {
            tx.remove_segment(segment)?;
        }
        tx.put_segment(&merged)?;
        tx.state.next_segment = id;
        Ok(())
    }
}

/// The segments to merge now; empty if nothing is due, or if the merge would exceed `most_events`
/// and there are few segments.
pub(super) fn due_for_merge(
    segments: &[SegmentInfo],
    most_events: u64,
) -> Option<Vec<SegmentInfo>> {
    let chosen = segments[choose_merge(segments)?].to_vec();
    (count_events(&chosen) <= most_events || segments.len() > MANY_SEGMENTS).then_some(chosen)
}

/// The segments for an append of so many events to merge: those that are due, or the cheapest
/// neighbours among them; `None` if that would take long. Those in files are left to `maintain`,
/// because an append writes and syncs no second file.
pub(super) fn due_on_the_way(segments: &[SegmentInfo], events: u64) -> Option<Vec<SegmentInfo>> {
    let most = match segments.len() > MANY_SEGMENTS {
        true => MERGE_OF_MANY,
        false => MERGE_ON_THE_WAY,
    };
    // A batch may merge as many as it would take to merge it with others like it.
    let most = most.max(events.saturating_mul(FACTOR as u64));
    let due = &segments[choose_merge(segments)?];
    let cost =
        |chosen: &&[SegmentInfo]| -> u64 { chosen.iter().map(|one| u64::from(one.passages)).sum() };
    let is_cheap = |chosen: &&[SegmentInfo]| {
        cost(chosen) <= most && chosen.iter().all(|one| one.file.is_none())
    };
    let some = || due.windows(FACTOR).filter(is_cheap).min_by_key(cost);
    Some(due).filter(is_cheap).or_else(some).map(<[_]>::to_vec)
}

/// How many events of a segment are live, and how many deleted.
fn count_deleted(
    reader: &SegmentReader,
    blocks: Blocks<'_>,
    is_deleted: impl Fn(u64) -> Result<bool>,
) -> Result<(u32, u32)> {
    let (mut live, mut deleted) = (0, 0);
    let rows = reader.event_rows(blocks, 0..reader.events() as u32)?;
    for row in rows.iter() {
        match is_deleted(row.decode().facts.seq)? {
            true => deleted += 1,
            false => live += 1,
        }
    }
    Ok((live, deleted))
}

fn count_events(segments: &[SegmentInfo]) -> u64 {
    let events = segments.iter().map(|segment| u64::from(segment.events));
    events.sum()
}

/// Merges segments into a segment with the given number, whose blocks go to `made`.
pub(super) fn merge_into(
    source: &dyn BlockSource,
    id: u64,
    chosen: &[SegmentInfo],
    is_deleted: &dyn Fn(u64) -> Result<bool>,
    made: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    // A separate cache: the merged segments are about to be removed. Each is read in a few streams.
    let cache = BlockCache::new(2 << 20);
    let blocks = Blocks {
        source,
        cache: &cache,
    };
    let readers: Vec<SegmentReader> = chosen
        .iter()
        .map(|segment| SegmentReader::open_any(segment, blocks))
        .collect::<Result<_>>()?;
    let readers: Vec<&SegmentReader> = readers.iter().collect();
    merge_segments(id, &readers, blocks, is_deleted, made)
}

fn put_merged(
    tx: &mut WriteTx<'_>,
    old: &[SegmentInfo],
    merged: &SegmentInfo,
    blocks: Vec<(BlockKey, Vec<u8>)>,
) -> Result<()> {
    tx.put_blocks(blocks)?;
    for segment in old {
        tx.remove_segment(segment)?;
    }
    tx.put_segment(merged)
}

/// A segment that was rewritten outside of the store.
pub(crate) struct Rewritten {
    old: SegmentInfo,
    /// `None` if no event is left; the old one if it contains no deleted event.
    new: Option<SegmentInfo>,
    blocks: Vec<(BlockKey, Vec<u8>)>,
    /// The number of deleted events in the store at that time.
    deleted: u64,
}

/// The number of deleted events. Compared at the end of a rewrite to detect events that were
/// deleted meanwhile.
fn deleted_events(state: &State) -> u64 {
    state.forgotten_events + state.erased_events
}

/// The outcome of a merge in the transaction of an append. It reads everything before it writes,
/// so the append is stored even if a segment is damaged, which is left for a rebuild.
fn unless_damaged<T: Default>(merged: Result<T>) -> Result<T> {
    match merged {
        Err(error) if error.code() == ErrorCode::Corrupt => Ok(T::default()),
        merged => merged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::lexical::segment_info::SegmentFileInfo;

    fn segment(seqs: std::ops::RangeInclusive<u64>, passages: u32) -> SegmentInfo {
        SegmentInfo {
            id: *seqs.start(),
            seq_from: *seqs.start(),
            seq_to: *seqs.end(),
            events: (seqs.end() - seqs.start() + 1) as u32,
            passages,
            terms: 1,
            blocks: 1,
            size_bytes: 1,
            file: None,
        }
    }

    #[test]
    fn an_append_merges_little_even_if_nothing_is_ever_maintained() {
        let passages_of =
            |all: &[SegmentInfo]| -> u64 { all.iter().map(|one| u64::from(one.passages)).sum() };
        for each in [1, 3] {
            let mut segments: Vec<SegmentInfo> = Vec::new();
            for flush in 0..300_000 / FLUSH_EVENTS {
                let first = flush * FLUSH_EVENTS + 1;
                let passages = FLUSH_EVENTS as u32 * each;
                segments.push(segment(first..=first + FLUSH_EVENTS - 1, passages));
                let Some(chosen) = due_on_the_way(&segments, 0) else {
                    continue;
                };
                let merged = passages_of(&chosen);
                assert!(merged <= MERGE_OF_MANY, "{merged} passages at once");
                let at = segments.iter().position(|one| *one == chosen[0]).unwrap();
                assert_eq!(segments[at..at + chosen.len()], chosen, "no neighbours");
                let seqs = chosen[0].seq_from..=chosen[chosen.len() - 1].seq_to;
                segments.splice(at..at + chosen.len(), [segment(seqs, merged as u32)]);
            }
            let full = passages_of(&segments) / (MERGE_OF_MANY / 2);
            let most = full as usize + MANY_SEGMENTS;
            assert!(segments.len() <= most, "{} segments", segments.len());
        }
    }

    #[test]
    fn a_batch_merges_as_much_as_it_is_itself_and_an_append_no_file() {
        let large = |number: u64| segment(number * 10_000 + 1..=(number + 1) * 10_000, 10_000);
        let mut segments: Vec<SegmentInfo> = (0..4).map(large).collect();
        assert_eq!(due_on_the_way(&segments, 0), None);
        assert_eq!(due_on_the_way(&segments, 10_000), Some(segments.clone()));
        segments[2].file = Some(SegmentFileInfo {
            unique: 1,
            length: 1,
            checks: 1,
        });
        assert_eq!(due_on_the_way(&segments, 10_000), None);
    }
}
