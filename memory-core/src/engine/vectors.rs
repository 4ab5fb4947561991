//! The vectors of one embedding version as this process searches them: immutable side files, and a
//! memtable of the vectors added since.
//!
//! The files used are those that form a chain from ordinal 0; whatever they do not cover is read
//! from the store into the memtable, or only the newest vectors if there are many. A missing or
//! damaged file therefore only costs time. Searches never write a file; upkeep does, outside of
//! every transaction.
//!
//! Lock order: `refreshing`, then `current`. `refreshing` is held while the memtable is read from
//! the store, so that threads that need the same vectors do not all read them; `current` is only
//! held briefly.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

use crate::engine::hnsw_graphs::{GraphLimits, HnswCounts, HnswGraphs};
use crate::index::side_file::{self, BuildTurn};
use crate::index::vector::file::{FileInfo, VectorFile};
use crate::index::vector::file_writer::{self, VectorSource};
use crate::index::vector::folder::{self, NamedVectorFile};
use crate::index::vector::hnsw::HnswGraph;
use crate::index::vector::memtable::{VectorMemtable, merge};
use crate::index::vector::{Neighbour, Tombstones, VectorFilter, VectorId, VectorQuery, cascade};
use crate::model::error::{Error, ErrorCode, Result};
use crate::store::generations::folder::create_private;
use crate::store::index_tables::embedding_versions::EmbeddingRow;
use crate::store::index_tables::vectors::Vectors;
use crate::store::{ReadTx, Store};

/// How many events the memtable holds before they are flushed to a file. An exact scan of that many
/// vectors takes well under a millisecond.
pub(crate) const FLUSH_EVENTS: u64 = 2_048;
/// Long texts have many vectors, so the memtable is also flushed at this many vectors.
const FLUSH_VECTORS: usize = 4_096;
/// The maximum size of the memtable that a search reads and scans, in vectors: a few milliseconds.
/// If more vectors are waiting because files were deleted, it contains the newest.
const MEMTABLE_VECTORS: usize = 16_384;
/// A new file absorbs older ones that are at most this many times as large.
const MERGE_FACTOR: usize = 2;
/// The largest file, in vectors. Forgetting an event rewrites its file, so this bounds the cost: 60
/// MB for 384 dimensions.
const FILE_VECTORS: usize = 32_768;

/// A side file.
#[derive(Clone)]
struct Part {
    /// The last ordinal that it covers; it begins after that of the previous part.
    to: u64,
    path: PathBuf,
    file: Arc<VectorFile>,
    /// The forgotten and erased events that still have vectors in the file: nearly always none,
    /// while the store may have forgotten many in all.
    removed: Arc<Tombstones>,
    /// Set only in the snapshot of a search, if this process has built a graph.
    graph: Option<Arc<HnswGraph>>,
}

/// The vectors to search, as one transaction sees them.
#[derive(Clone)]
pub(crate) struct VectorSnapshot {
    parts: Vec<Part>,
    memtable: Arc<VectorMemtable>,
    removed: Arc<Tombstones>,
    /// Whether some vectors are in neither the files nor the memtable.
    is_partial: bool,
}

#[derive(Clone)]
struct Current {
    version: u32,
    /// The number of forgotten and erased events when `removed` was read.
    deleted: u64,
    /// The folder's modification time before it was listed.
    listed: Option<SystemTime>,
    /// The memtable contains the vectors after this ordinal: the end of the files, or later if it
    /// would become too long.
    from: u64,
    /// The last ordinal that files and memtable cover.
    to: u64,
    snapshot: VectorSnapshot,
}

/// The vector index as this process knows it.
pub(crate) struct VectorIndex {
    folder: PathBuf,
    refreshing: Mutex<()>,
    current: Mutex<Option<Current>>,
    pub(crate) graphs: HnswGraphs,
    /// The largest file, in vectors.
    file_vectors: usize,
}

impl VectorIndex {
    pub(crate) fn new(folder: PathBuf, graphs: GraphLimits) -> Self {
        VectorIndex {
            folder,
            refreshing: Mutex::new(()),
            current: Mutex::new(None),
            file_vectors: match graphs.is_on() {
                false => FILE_VECTORS,
                // A graph only pays for large files.
                true => usize::MAX,
            },
            graphs: HnswGraphs::new(graphs),
        }
    }

    /// The vectors of a version as this transaction, or a later one, sees them.
    pub(crate) fn snapshot(
        &self,
        read: &ReadTx,
        version: u32,
        row: &EmbeddingRow,
    ) -> Result<VectorSnapshot> {
        let mut snapshot = self.refreshed(read, version, row)?.snapshot;
        for part in &mut snapshot.parts {
            part.graph = self.graphs.of(&part.file);
        }
        Ok(snapshot)
    }

    /// Writes waiting vectors to side files if there are many, until `has_time` returns false.
    /// Returns whether it wrote any; it writes nothing while another thread or process is building.
    ///
    /// Runs outside any write transaction, because files are derived. The vectors of events that
    /// are forgotten meanwhile are removed again before it returns.
    pub(crate) fn flush_if_due(
        &self,
        store: &Store,
        name: &str,
        has_time: &dyn Fn() -> bool,
    ) -> Result<bool> {
        let mut has_folded = false;
        let mut covered = None;
        while self.waits_to_flush(store, name)? && (!has_folded || has_time()) {
            side_file::make_room(&self.folder)?;
            create_private(&self.folder)?;
            let Some(turn) =
                unless_gone(folder::take_turn(&self.folder, Duration::ZERO))?.flatten()
            else {
                break;
            };
            if !self.flush_in_turn(store, name, &turn, &mut covered)? {
                break;
            }
            has_folded = true;
        }
        self.graphs.free_unused();
        Ok(has_folded)
    }

    /// Whether there are enough vectors for a file. Its snapshot ends here, because a file is only
    /// written from one that began in the turn.
    fn waits_to_flush(&self, store: &Store, name: &str) -> Result<bool> {
        let read = store.read()?;
        let Some((version, row)) = read.embedding(name)? else {
            return Ok(false);
        };
        Ok(self.refreshed(&read, version, &row)?.waits_to_flush())
    }

    /// Writes the next file; false if there is nothing to write, or no progress.
    ///
    /// The snapshot begins after the turn. Whoever removed vectors from the store before that may
    /// already have found the files clean; whoever removes some later needs the turn to do so.
    fn flush_in_turn(
        &self,
        store: &Store,
        name: &str,
        turn: &BuildTurn,
        covered: &mut Option<u64>,
    ) -> Result<bool> {
        let read = store.read()?;
        let Some((version, row)) = read.embedding(name)? else {
            return Ok(false);
        };
        // Another builder may have written it while this one waited.
        let current = self.refreshed(&read, version, &row)?;
        // Stop if there is no progress: files may be being deleted by hand.
        if !current.waits_to_flush()
            || covered.replace(current.covered()) >= Some(current.covered())
        {
            return Ok(false);
        }
        if !self.flush(&read, version, &row, &current)? {
            return Ok(false);
        }
        drop(read);
        self.list_anew();
        // An event that is forgotten after this transaction began stays on the list until a
        // process that holds the build lock has checked the files.
        let unwanted = store.read()?.unwanted_vectors()?;
        if !unwanted.seqs.is_empty() || !unwanted.versions.contains(&version) {
            folder::take_out(&self.folder, &unwanted, Some(turn))?;
            self.list_anew();
        }
        Ok(true)
    }

    /// Whether large files get graphs.
    pub(crate) fn has_graphs(&self) -> bool {
        self.graphs.is_on()
    }

    /// Adds up to `most` vectors of large files to graphs, while `has_time` returns true. Returns
    /// how many. Call it after [`VectorIndex::flush_if_due`] and outside every transaction.
    pub(crate) fn build_graphs(&self, most: usize, has_time: &dyn Fn() -> bool) -> Result<usize> {
        let built = self.graphs.build(most, has_time);
        match built {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                let snapshot = self.current.lock().as_ref().map(|now| now.snapshot.clone());
                if let Some(snapshot) = snapshot {
                    self.drop_damaged(&snapshot);
                }
                Ok(0)
            }
            built => built,
        }
    }

    /// How many vectors are in the graphs of this process, and how many are waiting.
    pub(crate) fn graph_counts(&self) -> HnswCounts {
        self.graphs.counts()
    }

    /// Drops everything open after a file turned out to be damaged: the file is removed, and its
    /// vectors come from the store until the next flush.
    pub(crate) fn drop_damaged(&self, snapshot: &VectorSnapshot) {
        self.release();
        for part in &snapshot.parts {
            if part.file.verify().is_err() {
                // If the removal fails, the file is found damaged again.
                let _ = side_file::remove(&part.path);
            }
        }
    }

    /// Makes the next refresh list the folder. Its modification time may not reveal a change,
    /// because it counts in milliseconds.
    fn list_anew(&self) {
        if let Some(current) = self.current.lock().as_mut() {
            current.listed = None;
        }
    }

    /// Closes all files so that they can be overwritten and removed. Running searches keep theirs;
    /// the next one opens what is left.
    pub(crate) fn release(&self) {
        let current = self.current.lock().take();
        self.graphs.set_files(std::iter::empty());
        drop(current);
    }

    /// The cached state, brought up to the transaction.
    fn refreshed(&self, read: &ReadTx, version: u32, row: &EmbeddingRow) -> Result<Current> {
        let state = read.state()?;
        let deleted = state.forgotten_events + state.erased_events;
        let changed = changed_at(&self.folder);
        let is_fresh = |known: &Current| {
            known.version == version
                && known.to >= row.written
                && known.deleted >= deleted
                && known.listed == changed
        };
        if let Some(known) = self.current.lock().as_ref().filter(|known| is_fresh(known)) {
            return Ok(known.clone());
        }
        let _one = self.refreshing.lock();
        // Taken out, so that the memtable is not copied while no search uses it.
        let known = self.current.lock().take();
        let mut current = match known {
            Some(known) if is_fresh(&known) => known,
            Some(known) if known.version == version && known.to <= row.written => known,
            _ => Current {
                version,
                deleted: 0,
                listed: None,
                from: 0,
                to: 0,
                snapshot: VectorSnapshot {
                    parts: Vec::new(),
                    memtable: Arc::new(VectorMemtable::new(row.dimensions as usize)?),
                    removed: Arc::default(),
                    is_partial: false,
                },
            },
        };
        if !is_fresh(&current) {
            let mut is_changed = current.listed.is_none() || current.listed != changed;
            if is_changed {
                current.listed = changed;
                current.snapshot.parts =
                    self.open_parts(read, version, row, &current.snapshot.parts)?;
            }
            if current.deleted < deleted {
                current.deleted = deleted;
                current.snapshot.removed = Arc::new(read.deleted_seqs()?.into_iter().collect());
                is_changed = true;
            }
            if is_changed {
                current.snapshot.hide_removed();
            }
            current.read_memtable(read, row)?;
        }
        let parts = current.snapshot.parts.iter();
        self.graphs.set_files(parts.map(|part| &part.file));
        *self.current.lock() = Some(current.clone());
        Ok(current)
    }

    /// The files that form a chain from ordinal 0; those in `known` are not opened again. Unusable
    /// ones are skipped; damaged ones and those of another store are removed, because they are
    /// derived.
    fn open_parts(
        &self,
        read: &ReadTx,
        version: u32,
        row: &EmbeddingRow,
        known: &[Part],
    ) -> Result<Vec<Part>> {
        // What cannot be listed now is read from the store, like vectors without a file.
        let mut names = folder::list(&self.folder).unwrap_or_default();
        names.retain(|named| named.version == version && named.to <= row.written);
        // Of files that begin at the same ordinal, the one that reaches furthest comes first.
        names.sort_unstable_by(|a, b| (a.after, b.to, &a.path).cmp(&(b.after, a.to, &b.path)));
        let mut parts: Vec<Part> = Vec::new();
        for NamedVectorFile {
            after, to, path, ..
        } in names
        {
            if after != parts.last().map_or(0, |part| part.to) || to <= after {
                continue;
            }
            if let Some(part) = known.iter().find(|part| part.path == path) {
                parts.push(part.clone());
                continue;
            }
            let (of_version, dimensions) = (version, row.dimensions);
            match VectorFile::open(&path) {
                Ok(file) => {
                    let info = FileInfo {
                        embedding_version: of_version,
                        dimensions,
                        after,
                        to,
                        last_seq: last_of(&read.vector_order(version, to - 1, to)?),
                    };
                    if file.info() != info {
                        let _ = side_file::remove(&path);
                        continue;
                    }
                    parts.push(Part {
                        to,
                        path,
                        file: Arc::new(file),
                        removed: Arc::default(),
                        graph: None,
                    });
                }
                Err(error)
                    if matches!(error.code(), ErrorCode::Corrupt | ErrorCode::NewerFormat) =>
                {
                    let _ = side_file::remove(&path);
                }
                Err(_) => {}
            }
        }
        Ok(parts)
    }

    /// Writes the next file: the vectors after the last file, merged with older files that are not
    /// much larger. False if the folder was removed meanwhile.
    fn flush(
        &self,
        read: &ReadTx,
        version: u32,
        row: &EmbeddingRow,
        current: &Current,
    ) -> Result<bool> {
        let vectors = read.vectors(version, row)?;
        let parts = &current.snapshot.parts;
        let mut kept = parts.len();
        let mut after = parts.last().map_or(0, |part| part.to);
        let (mut ids, to) =
            self.next_ids(&read.vector_order(version, after, row.written)?, &vectors)?;
        let to = after + to;
        while kept > 0
            && parts[kept - 1].file.len() <= MERGE_FACTOR * ids.len()
            && parts[kept - 1].file.len() + ids.len() <= self.file_vectors
        {
            kept -= 1;
            let before = kept.checked_sub(1).map_or(0, |last| parts[last].to);
            for seq in read.vector_order(version, before, after)? {
                add_ids(&vectors, seq, &mut ids)?;
            }
            after = before;
        }
        ids.sort_unstable();
        ids.dedup();
        let info = FileInfo {
            embedding_version: version,
            dimensions: row.dimensions,
            after,
            to,
            last_seq: last_of(&read.vector_order(version, to - 1, to)?),
        };
        let path = folder::new_path(&self.folder, version, after, to);
        let mut source = StoreSource {
            ids,
            vectors: &vectors,
        };
        if unless_gone(file_writer::write(&path, info, &mut source))?.is_none() {
            return Ok(false);
        }
        // The files that the new one covers. A process that has one mapped keeps it; where that
        // prevents removal, it stays until the next flush.
        for old in folder::list(&self.folder).unwrap_or_default() {
            let is_covered = old.version == version && old.after >= after && old.to <= to;
            if is_covered && old.path != path {
                let _ = side_file::remove(&old.path);
            }
        }
        Ok(true)
    }

    /// The vectors of the first of these events, up to the size of one file, and how many events
    /// that are.
    fn next_ids(&self, seqs: &[u64], vectors: &Vectors) -> Result<(Vec<VectorId>, u64)> {
        let mut ids = Vec::new();
        let mut events = 0;
        for &seq in seqs {
            if events > 0 && ids.len() >= self.file_vectors {
                break;
            }
            add_ids(vectors, seq, &mut ids)?;
            events += 1;
        }
        Ok((ids, events))
    }
}

fn add_ids(vectors: &Vectors, seq: u64, ids: &mut Vec<VectorId>) -> Result<()> {
    vectors.each_of(seq, |vector| {
        ids.push(VectorId {
            seq,
            passage: vector.window,
        });
        Ok(())
    })
}

fn last_of(seqs: &[u64]) -> u64 {
    seqs.last().copied().unwrap_or(0)
}

/// The result of work on a folder, or `None` if the folder or a file in it was removed meanwhile,
/// by an erasure or by hand.
fn unless_gone<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// When an entry was last added to or removed from the folder.
fn changed_at(folder: &Path) -> Option<SystemTime> {
    std::fs::metadata(folder)
        .and_then(|found| found.modified())
        .ok()
}

impl Current {
    /// How many events have vectors that no file covers.
    fn uncovered(&self) -> u64 {
        self.to - self.covered().min(self.to)
    }

    /// Whether there are enough of them for a file.
    fn waits_to_flush(&self) -> bool {
        self.uncovered() >= FLUSH_EVENTS || self.snapshot.memtable.len() >= FLUSH_VECTORS
    }

    fn covered(&self) -> u64 {
        self.snapshot.parts.last().map_or(0, |part| part.to)
    }

    /// Reads the vectors that the files do not cover, up to the row's last ordinal.
    fn read_memtable(&mut self, read: &ReadTx, row: &EmbeddingRow) -> Result<()> {
        let covered = self.covered();
        let is_too_long = self.snapshot.memtable.len() > 2 * MEMTABLE_VECTORS;
        // If files appeared or disappeared, or the memtable grew too long, it must be read again
        // from another start.
        let is_continued = self.from == covered && self.from <= self.to && !is_too_long;
        let is_kept =
            is_continued || (self.snapshot.is_partial && self.from > covered && !is_too_long);
        if !is_kept {
            self.snapshot.memtable = Arc::new(VectorMemtable::new(row.dimensions as usize)?);
            (self.from, self.to) = (covered, covered);
        }
        let seqs = read.vector_order(self.version, self.to, row.written)?;
        let vectors = read.vectors(self.version, row)?;
        let mut first = seqs.len();
        let mut count = 0;
        while first > 0 && count < MEMTABLE_VECTORS {
            first -= 1;
            vectors.each_of(seqs[first], |_| {
                count += 1;
                Ok(())
            })?;
        }
        if first > 0 {
            self.snapshot.memtable = Arc::new(VectorMemtable::new(row.dimensions as usize)?);
            self.from = self.to + first as u64;
        }
        let memtable = Arc::make_mut(&mut self.snapshot.memtable);
        for &seq in &seqs[first..] {
            vectors.each_of(seq, |vector| {
                let id = VectorId {
                    seq,
                    passage: vector.window,
                };
                memtable.upsert(id, &vector.values().collect::<Vec<f32>>())
            })?;
        }
        self.to = self.to.max(row.written);
        self.snapshot.is_partial = self.from > covered;
        Ok(())
    }
}

impl VectorSnapshot {
    /// Finds the removed events that still have vectors in a file.
    fn hide_removed(&mut self) {
        for part in &mut self.parts {
            part.removed = Arc::new(part.file.events_of(&self.removed));
        }
    }

    /// Whether some vectors are not covered by this search.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// The nearest windows, best first.
    ///
    /// # Errors
    /// `corrupt` if a file is damaged: see [`VectorIndex::drop_damaged`].
    pub(crate) fn search(
        &self,
        query: &VectorQuery,
        k: usize,
        filter: VectorFilter<'_>,
    ) -> Result<Vec<Neighbour>> {
        let mut found = vec![self.memtable.search(query, k, filter, &self.removed)?];
        for part in self.parts.iter().rev() {
            // With a filter, the cascade only reads the matching rows, which are often few.
            let graph = match filter {
                VectorFilter::All => part.graph.as_deref(),
                VectorFilter::Seqs(_) => None,
            };
            let by_graph = graph
                .map(|graph| graph.search(query, k, &part.removed))
                .transpose()?
                .flatten();
            found.push(match by_graph {
                Some(found) => found,
                None => cascade::search(&part.file, query, k, filter, &part.removed)?,
            });
        }
        Ok(merge(k, &found))
    }
}

/// Vectors in the store, from which a file is written.
struct StoreSource<'a> {
    ids: Vec<VectorId>,
    vectors: &'a Vectors,
}

impl VectorSource for StoreSource<'_> {
    fn count(&self) -> usize {
        self.ids.len()
    }

    fn read(&mut self, row: usize, vector: &mut Vec<f32>) -> Result<VectorId> {
        let id = self.ids[row];
        vector.clear();
        let found = self
            .vectors
            .with(id, |stored| vector.extend(stored.values()))?;
        found.map(|()| id).ok_or_else(|| {
            Error::new(
                ErrorCode::Internal,
                format!("a vector of event {} disappeared during a read", id.seq),
            )
        })
    }
}

#[cfg(test)]
mod tests;
