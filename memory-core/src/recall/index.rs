//! The lexical index of one open store: which segments are live, what waits in
//! the tail, and when a part of the tail is folded into a segment.
//!
//! Everything is read through a transaction, so a search sees one moment of the
//! store whatever other processes do; what was decoded stays in a cache that
//! segments, being immutable, never make stale.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::index::block::{BlockCache, BlockKey, BlockSink, BlockSource};
use crate::index::merge::{choose_merge, merge_segments};
use crate::index::segment::{Blocks, SegmentInfo, SegmentReader};
use crate::index::segment_writer::build_segment;
use crate::index::tail::TailIndex;
use crate::model::error::Result;
use crate::store::{ReadTx, WriteTx};

/// How many events wait in the tail before they are folded into a segment.
pub(crate) const FOLD_EVENTS: u64 = 256;

/// The largest merge, in events, that an append does on the way; larger ones
/// wait for `maintain`, or until there are [`MANY_SEGMENTS`].
const MERGE_ON_THE_WAY: u64 = 4_096;

/// With more segments than this an append merges whatever is due, because
/// every recall pays for each segment.
const MANY_SEGMENTS: usize = 24;

/// What a search needs, as of one transaction.
pub(crate) struct Snapshot {
    pub(crate) segments: Vec<Arc<SegmentReader>>,
    pub(crate) tail: Arc<TailIndex>,
}

/// The state that tells whether a snapshot is still right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Version {
    generation: u64,
    last_seq: u64,
    next_segment: u64,
    dead: u64,
}

#[derive(Default)]
struct Current {
    version: Version,
    segments: Vec<Arc<SegmentReader>>,
    tail: Arc<TailIndex>,
}

/// The index as this process knows it.
pub(crate) struct LexicalIndex {
    cache: BlockCache,
    current: Mutex<Option<Current>>,
}

impl LexicalIndex {
    pub(crate) fn new(cache_bytes: usize) -> Self {
        LexicalIndex {
            cache: BlockCache::new(cache_bytes),
            current: Mutex::new(None),
        }
    }

    pub(crate) fn blocks<'a>(&'a self, source: &'a dyn BlockSource) -> Blocks<'a> {
        Blocks {
            source,
            cache: &self.cache,
        }
    }

    /// The segments and the tail as the transaction sees them.
    pub(crate) fn snapshot(&self, read: &ReadTx) -> Result<Snapshot> {
        let state = read.state()?;
        let version = Version {
            generation: read.generation(),
            last_seq: state.last_seq,
            next_segment: state.next_segment,
            dead: state.forgotten_events + state.erased_events,
        };
        let known = self.current.lock().take();
        let current = match known {
            Some(current) if current.version == version => current,
            known => self.refresh(read, known, version)?,
        };
        let snapshot = Snapshot {
            segments: current.segments.clone(),
            tail: current.tail.clone(),
        };
        let mut slot = self.current.lock();
        // Another thread may have put back a newer one meanwhile.
        if slot
            .as_ref()
            .is_none_or(|other| other.version.last_seq <= current.version.last_seq)
        {
            *slot = Some(current);
        }
        Ok(snapshot)
    }

    fn refresh(&self, read: &ReadTx, known: Option<Current>, version: Version) -> Result<Current> {
        let known = known.filter(|known| {
            // Block caches are keyed by segment number, which a new generation
            // gives anew.
            let same = known.version.generation == version.generation;
            if !same {
                known
                    .segments
                    .iter()
                    .for_each(|segment| self.cache.forget_segment(segment.id()));
            }
            same
        });
        let mut segments = Vec::new();
        for info in read.segments()? {
            let open = known.as_ref().and_then(|known| {
                known
                    .segments
                    .iter()
                    .find(|segment| segment.id() == info.id)
            });
            segments.push(match open {
                Some(segment) => segment.clone(),
                None => Arc::new(SegmentReader::open(info.id, self.blocks(read))?),
            });
        }
        if let Some(known) = &known {
            for segment in &known.segments {
                if !segments.iter().any(|live| live.id() == segment.id()) {
                    self.cache.forget_segment(segment.id());
                }
            }
        }
        let tail = match known {
            // Only new events: the tail grows in place.
            Some(known)
                if known.version.next_segment == version.next_segment
                    && known.version.dead == version.dead
                    && known.version.last_seq <= version.last_seq =>
            {
                let after = known.version.last_seq;
                let mut tail = known.tail;
                match Arc::get_mut(&mut tail) {
                    Some(tail) => {
                        read.tail_blobs(after, |blob| tail.add(blob))?;
                    }
                    None => tail = self.fresh_tail(read)?,
                }
                tail
            }
            _ => self.fresh_tail(read)?,
        };
        Ok(Current {
            version,
            segments,
            tail,
        })
    }

    fn fresh_tail(&self, read: &ReadTx) -> Result<Arc<TailIndex>> {
        let mut tail = TailIndex::new();
        read.tail_blobs(0, |blob| tail.add(blob))?;
        Ok(Arc::new(tail))
    }

    /// Folds the tail into a segment when it is long, and merges segments when
    /// that is cheap. Part of an append's transaction.
    pub(crate) fn fold_if_due(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        if tx.state.tail_events < FOLD_EVENTS {
            return Ok(());
        }
        self.fold(tx)?;
        while self.merge_once(tx, MERGE_ON_THE_WAY)? {}
        Ok(())
    }

    /// Folds the whole tail into one segment. False when there was no tail.
    pub(crate) fn fold(&self, tx: &mut WriteTx<'_>) -> Result<bool> {
        let tail = tx.take_tail()?;
        let Some((first, last)) = tail.first().zip(tail.last()).map(|(a, b)| (a.0, b.0)) else {
            return Ok(false);
        };
        let id = tx.state.next_segment + 1;
        let mut sink = tx.block_sink()?;
        let info = build_segment(
            id,
            first..=last,
            tail.iter().map(|(_, blob)| &**blob),
            &mut sink,
        )?;
        drop(sink);
        tx.put_segment(&info)?;
        tx.state.next_segment = id;
        tx.state.folded_seq = last;
        Ok(true)
    }

    /// Merges the segments that are due. False when none is, or when the merge
    /// would be larger than `most_events` and there are few segments.
    pub(crate) fn merge_once(&self, tx: &mut WriteTx<'_>, most_events: u64) -> Result<bool> {
        let segments = tx.segments()?;
        let Some(range) = choose_merge(&segments) else {
            return Ok(false);
        };
        let chosen: Vec<SegmentInfo> = segments[range].to_vec();
        let events: u64 = chosen.iter().map(|segment| u64::from(segment.events)).sum();
        if events > most_events && segments.len() <= MANY_SEGMENTS {
            return Ok(false);
        }
        self.merge(tx, &chosen)?;
        Ok(true)
    }

    /// Writes a segment again without what is dead; a segment of which nothing
    /// is left goes. False when the segment held nothing dead.
    pub(crate) fn rewrite(&self, tx: &mut WriteTx<'_>, segment: &SegmentInfo) -> Result<bool> {
        let (mut live, mut dead) = (0u32, 0u32);
        {
            let source = tx.block_source()?;
            let cache = BlockCache::new(1 << 20);
            let blocks = Blocks {
                source: &source,
                cache: &cache,
            };
            let reader = SegmentReader::open(segment.id, blocks)?;
            reader.each_event(blocks, 0..segment.events, |_, row| {
                match source.is_dead(row.facts.seq) {
                    true => dead += 1,
                    false => live += 1,
                }
            })?;
        }
        match (live, dead) {
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

    /// Merges neighbouring segments into one without what is dead.
    pub(crate) fn merge(&self, tx: &mut WriteTx<'_>, chosen: &[SegmentInfo]) -> Result<()> {
        let id = tx.state.next_segment + 1;
        let mut made = Buffer::default();
        let info = {
            let source = tx.block_source()?;
            // A cache of its own: the merged segments are about to go.
            let cache = BlockCache::new(8 << 20);
            let blocks = Blocks {
                source: &source,
                cache: &cache,
            };
            let readers: Vec<SegmentReader> = chosen
                .iter()
                .map(|segment| SegmentReader::open(segment.id, blocks))
                .collect::<Result<_>>()?;
            let readers: Vec<&SegmentReader> = readers.iter().collect();
            merge_segments(id, &readers, blocks, &|seq| source.is_dead(seq), &mut made)?
        };
        let mut sink = tx.block_sink()?;
        for (key, bytes) in made.0 {
            sink.put(key, &bytes)?;
        }
        drop(sink);
        for segment in chosen {
            tx.remove_segment(segment)?;
        }
        tx.put_segment(&info)?;
        tx.state.next_segment = id;
        Ok(())
    }
}

/// New blocks, held until the old ones are no longer read.
#[derive(Default)]
struct Buffer(Vec<(BlockKey, Vec<u8>)>);

impl BlockSink for Buffer {
    fn put(&mut self, key: BlockKey, bytes: &[u8]) -> Result<()> {
        self.0.push((key, bytes.to_vec()));
        Ok(())
    }
}
