//! The lexical index of one open store: the live segments and the memtable.
//!
//! Everything is read through a transaction, so a search sees one snapshot of the store regardless
//! of other processes. Decoded blocks are cached; they never become stale, because segments are
//! immutable.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::index::lexical::block::{BlockCache, BlockSource};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::model::error::{ErrorCode, Result};
use crate::store::ReadTx;

/// What a search needs, as one transaction sees it.
pub(crate) struct Snapshot {
    pub(crate) segments: Vec<Arc<SegmentReader>>,
    pub(crate) memtable: Arc<Memtable>,
    /// Whether a part of the index is left out because it is damaged.
    pub(crate) is_damaged: bool,
    /// Segments whose files could not be opened. If the store has changed since, they may have been
    /// merged.
    pub(crate) missing: Vec<SegmentInfo>,
}

/// Identifies the state of the store for which a snapshot is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Version {
    generation: u64,
    /// Counts every write, because one that only removes a segment changes nothing else here.
    commits: u64,
    last_seq: u64,
    /// The position up to which segments reach. A rebuild that writes no segment moves all events
    /// back into the memtable and changes none of the other numbers.
    flushed_seq: u64,
    next_segment: u64,
    deleted: u64,
}

impl Version {
    /// Whether a later one has new events and is otherwise the same.
    fn is_extended_by(&self, later: &Version) -> bool {
        self.next_segment == later.next_segment
            && self.flushed_seq == later.flushed_seq
            && self.deleted == later.deleted
            && self.last_seq <= later.last_seq
    }
}

/// The segments of a store, as far as they could be opened.
#[derive(Default)]
struct OpenSegments {
    segments: Vec<Arc<SegmentReader>>,
    /// Segments that could not be opened.
    unreadable: Vec<u64>,
    /// The unreadable segments that have files.
    missing: Vec<SegmentInfo>,
}

#[derive(Default)]
struct Current {
    version: Version,
    segments: Vec<Arc<SegmentReader>>,
    /// Segments that could not be opened.
    unreadable: Vec<u64>,
    /// The unreadable segments that have files.
    missing: Vec<SegmentInfo>,
    memtable: Arc<Memtable>,
    /// How many memtable entries could not be read.
    damaged_entries: u64,
}

/// The index as this process knows it.
pub(crate) struct LexicalIndex {
    cache: BlockCache,
    /// Held while the segments and the memtable are read, so that threads that search at the same
    /// time do not all read them. Locked before `current` and `damaged`.
    refreshing: Mutex<()>,
    current: Mutex<Option<Current>>,
    /// Segments that could not be read: searches leave them out.
    damaged: Mutex<BTreeSet<u64>>,
}

impl LexicalIndex {
    pub(crate) fn new(cache_bytes: usize) -> Self {
        LexicalIndex {
            cache: BlockCache::new(cache_bytes),
            refreshing: Mutex::new(()),
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
        let _one = self.refreshing.lock();
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
            // Only segments that this snapshot lacks count: another thread may have marked one as
            // damaged that is not part of it.
            is_damaged: segments.len() < current.segments.len()
                || !current.unreadable.is_empty()
                || current.damaged_entries > 0,
            missing: current.missing.clone(),
            segments,
            memtable: current.memtable.clone(),
        };
        let mut slot = self.current.lock();
        // Another thread may have stored a newer one meanwhile.
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
        let known = known.and_then(|known| self.of_generation(known, version.generation));
        let open = known.as_ref().map_or(&[][..], |known| &known.segments[..]);
        let OpenSegments {
            segments,
            unreadable,
            missing,
        } = self.open_live(read, open)?;
        for segment in open {
            if !segments.iter().any(|live| live.id() == segment.id()) {
                self.cache.forget_segment(segment.id());
            }
        }
        let (memtable, damaged_entries) = match known {
            Some(known) if known.version.is_extended_by(&version) => extended_memtable(known, read),
            _ => fresh_memtable(read),
        }?;
        Ok(Current {
            version,
            segments,
            unreadable,
            missing,
            memtable,
            damaged_entries,
        })
    }

    /// What is known, if it is of this generation; otherwise its blocks are dropped. Segment
    /// numbers are never reused, so no segment can be mistaken for another; a new generation just
    /// shares few of them.
    fn of_generation(&self, known: Current, generation: u64) -> Option<Current> {
        if known.version.generation == generation {
            return Some(known);
        }
        self.damaged.lock().clear();
        for segment in &known.segments {
            self.cache.forget_segment(segment.id());
        }
        None
    }

    /// Opens the segments of the store that are not `open` yet.
    fn open_live(&self, read: &ReadTx, open: &[Arc<SegmentReader>]) -> Result<OpenSegments> {
        let live = read.segments()?;
        self.damaged
            .lock()
            .retain(|id| live.iter().any(|info| info.id == *id));
        let mut found = OpenSegments::default();
        for info in live {
            let known = open.iter().find(|segment| segment.id() == info.id);
            found.segments.push(match known {
                Some(segment) => segment.clone(),
                None => match SegmentReader::open_any(&info, self.blocks(read)) {
                    Ok(segment) => Arc::new(segment),
                    Err(error) if error.code() == ErrorCode::Corrupt => {
                        found.missing.extend(info.file.map(|_| info));
                        self.note_damaged(info.id);
                        found.unreadable.push(info.id);
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            });
        }
        Ok(found)
    }

    /// Drops the cached blocks of a segment that no longer exists.
    pub(crate) fn forget_blocks(&self, segment: u64) {
        self.cache.forget_segment(segment);
    }

    /// Closes segments that no longer exist, so that their files can be overwritten and removed.
    /// Running searches keep theirs.
    pub(crate) fn release(&self, gone: &[u64]) {
        self.damaged.lock().retain(|id| !gone.contains(id));
        gone.iter().for_each(|id| self.cache.forget_segment(*id));
        let mut current = self.current.lock();
        let has_gone = |current: &mut Current| {
            let mut open = current.segments.iter();
            open.any(|segment| gone.contains(&segment.id()))
        };
        // Moved out of the lock: closing files does not need it.
        let released = current.take_if(has_gone);
        drop(current);
        drop(released);
    }

    /// Drops all cached blocks, which may contain words of erased events.
    pub(crate) fn forget_all_blocks(&self) {
        self.cache.clear();
    }

    /// The bytes of cached blocks.
    #[cfg(test)]
    pub(crate) fn cached_bytes(&self) -> usize {
        self.cache.size_bytes()
    }

    /// Closes all segments. Running searches keep theirs.
    pub(crate) fn release_all(&self) {
        let released = self.current.lock().take();
        drop(released);
    }

    /// Excludes a segment from later searches until a rebuild has replaced it.
    pub(crate) fn note_damaged(&self, segment: u64) {
        self.damaged.lock().insert(segment);
    }

    /// How many parts of the index are excluded.
    pub(crate) fn damaged_count(&self) -> u64 {
        let (segments, entries) = self.damaged();
        segments.len() as u64 + entries
    }

    /// The segments known to be damaged, and how many memtable entries are.
    pub(crate) fn damaged(&self) -> (Vec<u64>, u64) {
        let entries = self
            .current
            .lock()
            .as_ref()
            .map_or(0, |current| current.damaged_entries);
        (self.damaged.lock().iter().copied().collect(), entries)
    }
}

/// Adds the entries after a position; returns the number of damaged ones.
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

/// The memtable of an earlier snapshot with what was appended since: in place, unless a search
/// still uses it.
fn extended_memtable(known: Current, read: &ReadTx) -> Result<(Arc<Memtable>, u64)> {
    let mut memtable = known.memtable;
    let Some(own) = Arc::get_mut(&mut memtable) else {
        return fresh_memtable(read);
    };
    let damaged = fill(own, read, known.version.last_seq)?;
    Ok((memtable, known.damaged_entries + damaged))
}

fn fresh_memtable(read: &ReadTx) -> Result<(Arc<Memtable>, u64)> {
    let mut memtable = Memtable::new();
    let damaged = fill(&mut memtable, read, 0)?;
    Ok((Arc::new(memtable), damaged))
}
