//! The lexical index of one open store: which segments are live, what waits in
//! the memtable, and when a part of the memtable is flushed into a segment.
//!
//! Everything is read through a transaction, so a search sees one moment of the
//! store whatever other processes do; what was decoded stays in a cache that
//! segments, being immutable, never make stale.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::index::lexical::block::{BlockCache, BlockKey, BlockSink, BlockSource};
use crate::index::lexical::memtable::{FLUSH_EVENTS, Memtable};
use crate::index::lexical::merge::{FACTOR, choose_merge, merge_segments};
use crate::index::lexical::segment::{Blocks, SegmentInfo, SegmentReader};
use crate::index::lexical::segment_writer::build_segment;
use crate::model::error::{ErrorCode, Result};
use crate::store::word_files::{FILE_EVENTS, FilesTurn};
use crate::store::{ReadTx, State, Store, WriteTx};

/// The largest merge, in events, that follows a flush; larger ones wait for
/// `maintain`, or until there are [`MANY_SEGMENTS`].
const MERGE_ON_THE_WAY: u64 = 4_096;

/// With more segments than this an append merges whatever is due, because
/// every recall pays for each segment.
const MANY_SEGMENTS: usize = 24;

/// So many segments a transaction merges at once: what it makes of them is in memory
/// until they are no longer read.
const MERGED_AT_ONCE: usize = 2 * FACTOR;

/// How large a merge may be, and where what it makes lies.
#[derive(Clone, Copy)]
pub(crate) struct MergeLimits {
    /// The largest merge, in events, while there are few segments.
    pub(crate) most_events: u64,
    /// From so many events on what is merged lies in a file.
    pub(crate) files_from: u64,
}

/// What a search needs, as of one transaction.
pub(crate) struct Snapshot {
    pub(crate) segments: Vec<Arc<SegmentReader>>,
    pub(crate) memtable: Arc<Memtable>,
    /// Whether a part of the index is left out because it is damaged.
    pub(crate) is_damaged: bool,
    /// Segments whose files could not be opened. Where the store has changed since, they may
    /// have been merged.
    pub(crate) missing: Vec<u64>,
}

/// The state that tells whether a snapshot is still right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Version {
    generation: u64,
    /// Every write counts: one that only takes a segment away changes nothing else.
    commits: u64,
    last_seq: u64,
    /// How far the segments reach. A rebuild that makes no segment takes all of
    /// them back into the memtable and changes none of the other numbers.
    flushed_seq: u64,
    next_segment: u64,
    deleted: u64,
}

#[derive(Default)]
struct Current {
    version: Version,
    segments: Vec<Arc<SegmentReader>>,
    /// Segments that could not be opened.
    unreadable: Vec<u64>,
    /// Those of them that lie in files.
    missing: Vec<u64>,
    memtable: Arc<Memtable>,
    /// Entries of the memtable that could not be read.
    damaged_entries: u64,
}

/// The index as this process knows it.
pub(crate) struct LexicalIndex {
    cache: BlockCache,
    current: Mutex<Option<Current>>,
    /// Segments that could not be read: searches leave them out.
    damaged: Mutex<BTreeSet<u64>>,
}

impl LexicalIndex {
    pub(crate) fn new(cache_bytes: usize) -> Self {
        LexicalIndex {
            cache: BlockCache::new(cache_bytes),
            current: Mutex::new(None),
            damaged: Mutex::default(),
        }
    }

    pub(crate) fn blocks<'a>(&'a self, source: &'a dyn BlockSource) -> Blocks<'a> {
        Blocks {
            source,
            cache: &self.cache,
        }
    }

    /// The segments and the memtable as the transaction sees them.
    pub(crate) fn snapshot(&self, read: &ReadTx) -> Result<Snapshot> {
        let state = read.state()?;
        let version = Version {
            generation: read.generation(),
            commits: state.commits,
            last_seq: state.last_seq,
            flushed_seq: state.flushed_seq,
            next_segment: state.next_segment,
            deleted: state.forgotten_events + state.erased_events,
        };
        let known = self.current.lock().take();
        let current = match known {
            Some(current) if current.version == version => current,
            known => self.refresh(read, known, version)?,
        };
        let segments = {
            let damaged = self.damaged.lock();
            let is_whole = |segment: &&Arc<SegmentReader>| !damaged.contains(&segment.id());
            let whole: Vec<_> = current.segments.iter().filter(is_whole).cloned().collect();
            whole
        };
        let snapshot = Snapshot {
            // Only what this moment of the store misses counts: another thread may
            // have noted a segment that is not in it.
            is_damaged: segments.len() < current.segments.len()
                || !current.unreadable.is_empty()
                || current.damaged_entries > 0,
            missing: current.missing.clone(),
            segments,
            memtable: current.memtable.clone(),
        };
        let mut slot = self.current.lock();
        // Another thread may have put back a newer one meanwhile.
        let moment = |version: &Version| (version.generation, version.commits);
        if slot
            .as_ref()
            .is_none_or(|other| moment(&other.version) <= moment(&current.version))
        {
            *slot = Some(current);
        }
        Ok(snapshot)
    }

    fn refresh(&self, read: &ReadTx, known: Option<Current>, version: Version) -> Result<Current> {
        let known = known.filter(|known| {
            // Segment numbers are never given twice, so nothing here could be
            // mistaken for another segment; a new generation just has few of them.
            let same = known.version.generation == version.generation;
            if !same {
                self.damaged.lock().clear();
                known
                    .segments
                    .iter()
                    .for_each(|segment| self.cache.forget_segment(segment.id()));
            }
            same
        });
        let (mut segments, mut unreadable) = (Vec::new(), Vec::new());
        let mut missing = Vec::new();
        let live = read.segments()?;
        self.damaged
            .lock()
            .retain(|id| live.iter().any(|info| info.id == *id));
        for info in live {
            let open = known.as_ref().and_then(|known| {
                known
                    .segments
                    .iter()
                    .find(|segment| segment.id() == info.id)
            });
            segments.push(match open {
                Some(segment) => segment.clone(),
                None => match SegmentReader::open_any(&info, self.blocks(read)) {
                    Ok(segment) => Arc::new(segment),
                    Err(error) if error.code() == ErrorCode::Corrupt => {
                        missing.extend(info.file.map(|_| info.id));
                        self.note_damaged(info.id);
                        unreadable.push(info.id);
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            });
        }
        if let Some(known) = &known {
            for segment in &known.segments {
                if !segments.iter().any(|live| live.id() == segment.id()) {
                    self.cache.forget_segment(segment.id());
                }
            }
        }
        let damaged_entries;
        let memtable = match known {
            // Only new events: the memtable grows in place.
            Some(known)
                if known.version.next_segment == version.next_segment
                    && known.version.flushed_seq == version.flushed_seq
                    && known.version.deleted == version.deleted
                    && known.version.last_seq <= version.last_seq =>
            {
                let after = known.version.last_seq;
                let mut memtable = known.memtable;
                match Arc::get_mut(&mut memtable) {
                    Some(memtable) => {
                        damaged_entries = known.damaged_entries + fill(memtable, read, after)?;
                    }
                    None => (memtable, damaged_entries) = fresh_memtable(read)?,
                }
                memtable
            }
            _ => {
                let (memtable, damaged) = fresh_memtable(read)?;
                damaged_entries = damaged;
                memtable
            }
        };
        Ok(Current {
            version,
            segments,
            unreadable,
            missing,
            memtable,
            damaged_entries,
        })
    }

    /// Lets go of the blocks of a segment that is not there any more.
    pub(crate) fn forget_blocks(&self, segment: u64) {
        self.cache.forget_segment(segment);
    }

    /// Lets go of segments that are not there any more, so that their files can be overwritten
    /// and removed. Searches under way keep theirs.
    pub(crate) fn release(&self, gone: &[u64]) {
        self.damaged.lock().retain(|id| !gone.contains(id));
        let mut current = self.current.lock();
        let has_gone = |current: &mut Current| {
            let mut open = current.segments.iter();
            open.any(|segment| gone.contains(&segment.id()))
        };
        // Taken out first: closing files needs no lock.
        let released = current.take_if(has_gone);
        drop(current);
        drop(released);
    }

    /// Lets go of everything that is open. Searches under way keep theirs.
    pub(crate) fn release_all(&self) {
        let released = self.current.lock().take();
        drop(released);
    }

    /// Leaves a segment out of later searches. It is used again after a rebuild
    /// has replaced it.
    pub(crate) fn note_damaged(&self, segment: u64) {
        self.damaged.lock().insert(segment);
    }

    /// How many parts of the index are left out.
    pub(crate) fn damaged_count(&self) -> u64 {
        let (segments, entries) = self.damaged();
        segments.len() as u64 + entries
    }

    /// The segments that are known to be damaged, and how many events of the
    /// memtable are.
    pub(crate) fn damaged(&self) -> (Vec<u64>, u64) {
        let entries = self
            .current
            .lock()
            .as_ref()
            .map_or(0, |current| current.damaged_entries);
        (self.damaged.lock().iter().copied().collect(), entries)
    }

    /// Flushes the memtable into a segment when it is long, and merges segments when
    /// that is cheap: in a transaction for which nobody waits.
    pub(crate) fn flush_if_due(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        match self.flush_if_long(tx)? {
            true => self.merge_on_the_way(tx),
            false => Ok(()),
        }
    }

    /// As [`LexicalIndex::flush_if_due`], without merging: part of an append's
    /// transaction. True when it flushed.
    pub(crate) fn flush_if_long(&self, tx: &mut WriteTx<'_>) -> Result<bool> {
        match tx.state.memtable_events < FLUSH_EVENTS {
            true => Ok(false),
            false => self.flush(tx),
        }
    }

    /// Merges what is due after a flush, when that is cheap. Nobody waits for it but
    /// the caller, whose events are stored: what fails is left to a later merge.
    pub(crate) fn merge_after_flush(&self, store: &Store) {
        let limits = MergeLimits {
            most_events: MERGE_ON_THE_WAY,
            files_from: MERGE_ON_THE_WAY + 1,
        };
        while let Ok(true) = self.merge_apart(store, limits) {}
    }

    /// Puts a segment whose blocks are stored behind all others, with nothing in
    /// the memtable before it: the words of a large batch.
    pub(crate) fn add_segment(&self, tx: &mut WriteTx<'_>, info: &SegmentInfo) -> Result<()> {
        tx.put_segment(info)?;
        tx.state.next_segment = info.id;
        tx.state.flushed_seq = info.seq_to;
        Ok(())
    }

    /// Merges what is due after a flush, when that is cheap: in a transaction for which
    /// nobody waits.
    pub(crate) fn merge_on_the_way(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        loop {
            match self.merge_once(tx, MERGE_ON_THE_WAY) {
                Ok(true) => {}
                // A merge reads everything before it writes. What is damaged
                // waits for a rebuild; the append is stored.
                Err(error) if error.code() == ErrorCode::Corrupt => break,
                other => {
                    other?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Flushes the whole memtable into one segment. False when there was no memtable.
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

    /// Merges the segments that are due. False when none is, or when the merge
    /// would be larger than `most_events` and there are few segments.
    fn merge_once(&self, tx: &mut WriteTx<'_>, most_events: u64) -> Result<bool> {
        let Some(mut chosen) = due_for_merge(&tx.segments()?, most_events) else {
            return Ok(false);
        };
        chosen.truncate(MERGED_AT_ONCE);
        self.merge(tx, &chosen)?;
        Ok(true)
    }

    /// As [`LexicalIndex::merge_once`], apart from the store: others wait only while
    /// the merged segment is put in place. False also when a segment changed meanwhile, or
    /// another one builds: then all stay, and the merge is due again.
    pub(crate) fn merge_apart(&self, store: &Store, limits: MergeLimits) -> Result<bool> {
        let due = |all: &[SegmentInfo]| due_for_merge(all, limits.most_events);
        self.merge_chosen(store, Some(limits.files_from), &due)
    }

    /// Moves a segment that lies in the store, and has events for it, into a file. False
    /// when there is none, or another one builds.
    pub(crate) fn move_into_file(&self, store: &Store) -> Result<bool> {
        let large = |segment: &&SegmentInfo| {
            segment.file.is_none() && u64::from(segment.events) >= FILE_EVENTS
        };
        let choose = |all: &[SegmentInfo]| all.iter().find(large).map(|one| vec![*one]);
        self.merge_chosen(store, None, &choose)
    }

    /// Makes one segment of those that are chosen; it lies in a file from so many events on, or
    /// in any case for `None`: then it is not made at all where it cannot.
    fn merge_chosen(
        &self,
        store: &Store,
        files_from: Option<u64>,
        choose: &dyn Fn(&[SegmentInfo]) -> Option<Vec<SegmentInfo>>,
    ) -> Result<bool> {
        let Some(chosen) = choose(&store.read()?.segments()?) else {
            return Ok(false);
        };
        // Before the snapshot, so that nothing is read that another one removes. What lies in
        // files stays there.
        let is_large = files_from.is_none_or(|from| count_events(&chosen) >= from);
        let turn = match is_large || chosen.iter().any(|segment| segment.file.is_some()) {
            true => store.files_turn(Duration::ZERO),
            false => FilesTurn::Unsupported,
        };
        if matches!(turn, FilesTurn::Taken) || (files_from.is_none() && !turn.is_mine()) {
            return Ok(false);
        }
        // Numbers of segments are never given twice.
        let id = store.write(|tx| {
            tx.state.next_segment += 1;
            Ok(tx.state.next_segment)
        })?;
        let read = store.read()?;
        let Some(chosen) = choose(&read.segments()?) else {
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
        let (generation, deleted) = (read.generation(), deleted_events(&read.state()?));
        drop(tombstones);
        drop(read);
        let put = store.write(|tx| {
            let live = tx.segments()?;
            let is_there = |old: &SegmentInfo| live.iter().any(|info| info.id == old.id);
            let is_as_it_was = tx.generation() == generation
                && deleted_events(&tx.state) == deleted
                && chosen.iter().all(is_there);
            if is_as_it_was {
                put_merged(tx, &chosen, &merged, made)?;
            }
            Ok(is_as_it_was)
        });
        let is_whole = u64::from(merged.events) == count_events(&chosen);
        if turn.is_mine() {
            if matches!(put, Ok(true)) && is_whole {
                store.discard_files(&chosen);
            }
            let gone: Vec<u64> = chosen.iter().map(|segment| segment.id).collect();
            self.clean_files(store, &turn, &gone);
        }
        put
    }

    /// Lets go of segments that are not there any more, and removes the files that nobody names,
    /// for who has the turn. What cannot be removed now is left to a later call.
    pub(crate) fn clean_files(&self, store: &Store, turn: &FilesTurn, gone: &[u64]) {
        self.release(gone);
        let _ = store.clean_files(turn, Duration::ZERO);
    }

    /// Writes a segment again without what is deleted; a segment of which nothing
    /// is left goes. False when the segment held nothing deleted.
    pub(crate) fn rewrite(&self, tx: &mut WriteTx<'_>, segment: &SegmentInfo) -> Result<bool> {
        let (mut live, mut deleted) = (0u32, 0u32);
        {
            let source = tx.block_source()?;
            let cache = BlockCache::new(1 << 20);
            let blocks = Blocks {
                source: &source,
                cache: &cache,
            };
            let reader = SegmentReader::open_any(segment, blocks)?;
            reader.each_event(blocks, 0..segment.events, |_, row| {
                match source.is_deleted(row.facts.seq) {
                    true => deleted += 1,
                    false => live += 1,
                }
            })?;
        }
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

    /// Writes a segment again without what is deleted as a transaction sees it, apart
    /// from the store: nobody has to wait for that. `id` is a number that no segment
    /// has. `None` when the segment is not there any more.
    pub(crate) fn rewrite_apart(
        &self,
        store: &Store,
        (turn, read): (&FilesTurn, &ReadTx),
        segment: u64,
        id: u64,
    ) -> Result<Option<Rewritten>> {
        let Some(old) = read.segments()?.into_iter().find(|info| info.id == segment) else {
            return Ok(None);
        };
        let tombstones = read.tombstones()?;
        // A cache of its own: the segment is about to go.
        let cache = BlockCache::new(8 << 20);
        let blocks = Blocks {
            source: read,
            cache: &cache,
        };
        let reader = SegmentReader::open_any(&old, blocks)?;
        let (mut live, mut gone) = (0u32, 0u32);
        reader.each_event(blocks, 0..old.events, |_, row| {
            match tombstones.contains(row.facts.seq) {
                true => gone += 1,
                false => live += 1,
            }
        })?;
        let is_deleted = |seq: u64| tombstones.contains(seq);
        let (new, made) = match (live, gone) {
            (_, 0) => (Some(old), Vec::new()),
            (0, _) => (None, Vec::new()),
            _ => {
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

    /// Puts a segment that was written again in place of the old one. Gives the number
    /// under which something deleted may still be in it, which is so when events were deleted
    /// meanwhile, and whether anything changed.
    pub(crate) fn put_rewritten(
        &self,
        tx: &mut WriteTx<'_>,
        rewritten: Rewritten,
    ) -> Result<(Option<u64>, bool)> {
        let Rewritten {
            old, new, blocks, ..
        } = rewritten;
        let is_clean = deleted_events(&tx.state) == rewritten.deleted;
        // A merge on the way may have done the work already.
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

    /// Merges neighbouring segments into one without what is deleted.
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
                // Whoever goes on without the merge finds nothing of it.
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

/// The segments to merge now; none when nothing is due, or when the merge would be
/// larger than `most_events` and there are few segments.
pub(super) fn due_for_merge(
    segments: &[SegmentInfo],
    most_events: u64,
) -> Option<Vec<SegmentInfo>> {
    let chosen = segments[choose_merge(segments)?].to_vec();
    (count_events(&chosen) <= most_events || segments.len() > MANY_SEGMENTS).then_some(chosen)
}

fn count_events(segments: &[SegmentInfo]) -> u64 {
    let events = segments.iter().map(|segment| u64::from(segment.events));
    events.sum()
}

/// Merges segments into the one with this number, whose blocks go to `made`.
pub(super) fn merge_into(
    source: &dyn BlockSource,
    id: u64,
    chosen: &[SegmentInfo],
    is_deleted: &dyn Fn(u64) -> bool,
    made: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    // A cache of its own: the merged segments are about to go. Each is read in a few
    // streams.
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

/// A segment that was written again apart from the store.
pub(crate) struct Rewritten {
    old: SegmentInfo,
    /// Nothing when nothing is left of it; the old one when nothing in it is deleted.
    new: Option<SegmentInfo>,
    blocks: Vec<(BlockKey, Vec<u8>)>,
    /// How many events were deleted in the store.
    deleted: u64,
}

/// How many events were deleted: whoever writes segments apart asks again in the end.
pub(crate) fn deleted_events(state: &State) -> u64 {
    state.forgotten_events + state.erased_events
}

/// Adds the entries after a position; gives the number of those that are damaged.
fn fill(memtable: &mut Memtable, read: &ReadTx, after: u64) -> Result<u64> {
    let mut damaged = 0;
    read.forward_entries(after, |entry| match memtable.add(entry) {
        Err(error) if error.code() == ErrorCode::Corrupt => {
            damaged += 1;
            Ok(())
        }
        other => other,
    })?;
    Ok(damaged)
}

fn fresh_memtable(read: &ReadTx) -> Result<(Arc<Memtable>, u64)> {
    let mut memtable = Memtable::new();
    let damaged = fill(&mut memtable, read, 0)?;
    Ok((Arc::new(memtable), damaged))
}
