//! The vectors of one embedding version as this process searches them: immutable
//! side files, and a tail of those that came after.
//!
//! A side file is named after what it holds:
//! `vectors.<generation>.<version>.<after>.<to>.<process>.bin` has the events that
//! got their vectors after one ordinal and up to another. Files that continue
//! each other from 0 on are used; whatever they do not cover is read from the
//! store into the tail. A missing or damaged file therefore only costs time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::vector_graphs::{GraphCounts, Graphs};
use crate::index::vector::cascade;
use crate::index::vector::file::{self, FileInfo, VectorFile, VectorSource};
use crate::index::vector::graph::Graph;
use crate::index::vector::tail::{Tail, merge};
use crate::index::vector::{Filter, Neighbour, Query, Tombstones, VectorId};
use crate::model::error::{Error, ErrorCode, Result};
use crate::store::ReadTx;
use crate::store::folder::create_private;
use crate::store::outbox::EmbeddingRow;
use crate::store::vectors::Vectors;

/// How many events wait in the tail before they are folded into a file. An exact
/// scan of so many vectors takes well under a millisecond.
pub(crate) const FOLD_EVENTS: u64 = 2_048;
/// A recall that meets a tail so many times longer (the files were deleted) folds
/// it first: scanning that much each time would cost more.
const FOLD_BEFORE_SEARCH: u64 = 4 * FOLD_EVENTS;
/// A new file takes in older ones that are at most this many times as large.
const MERGE_FACTOR: usize = 2;

const PREFIX: &str = "vectors";
const SUFFIX: &str = "bin";

/// A side file.
#[derive(Clone)]
struct Part {
    /// The last ordinal that it covers; it begins after that of the part before.
    to: u64,
    path: PathBuf,
    file: Arc<VectorFile>,
    /// Only in the snapshot of a search, where this process has built one.
    graph: Option<Arc<Graph>>,
}

/// Which vectors there are to search, as one transaction sees them.
#[derive(Clone)]
pub(crate) struct VectorSnapshot {
    parts: Vec<Part>,
    tail: Arc<Tail>,
    removed: Arc<Tombstones>,
}

struct Current {
    generation: u64,
    version: u32,
    /// Forgotten and erased events when `removed` was read.
    dead: u64,
    /// The ordinal up to which files and tail go.
    to: u64,
    snapshot: VectorSnapshot,
}

/// The vector index as this process knows it.
pub(crate) struct VectorIndex {
    folder: PathBuf,
    current: Mutex<Option<Current>>,
    pub(super) graphs: Graphs,
}

impl VectorIndex {
    /// Files of at least `graph_from` vectors get a graph, none for 0.
    pub(crate) fn new(folder: PathBuf, graph_from: usize) -> Self {
        VectorIndex {
            folder,
            current: Mutex::new(None),
            graphs: Graphs::new(graph_from),
        }
    }

    /// The vectors of a version as the transaction sees them.
    pub(crate) fn snapshot(
        &self,
        read: &ReadTx,
        version: u32,
        row: &EmbeddingRow,
    ) -> Result<VectorSnapshot> {
        let mut current = self.refreshed(read, version, row)?;
        if current.uncovered() > FOLD_BEFORE_SEARCH {
            // Where the folder cannot be written the tail answers, slowly.
            let _ = self.fold(read, version, row, &mut current);
        }
        let mut snapshot = current.snapshot.clone();
        self.put_back(current);
        for part in &mut snapshot.parts {
            part.graph = self.graphs.of(&part.file);
        }
        Ok(snapshot)
    }

    /// Writes the tail into a side file when it has grown long. Returns whether
    /// it did. Runs outside any write transaction: files are derived.
    pub(crate) fn fold_if_due(
        &self,
        read: &ReadTx,
        version: u32,
        row: &EmbeddingRow,
    ) -> Result<bool> {
        let mut current = self.refreshed(read, version, row)?;
        let is_due = current.uncovered() >= FOLD_EVENTS;
        let result = if is_due {
            self.fold(read, version, row, &mut current)
        } else {
            Ok(())
        };
        self.put_back(current);
        self.graphs.free_unused();
        result.map(|()| is_due)
    }

    /// Whether large files get graphs.
    pub(crate) fn has_graphs(&self) -> bool {
        self.graphs.is_on()
    }

    /// Puts up to `most` vectors of large files into graphs, while `has_time` says
    /// so. Gives how many. Call it after [`VectorIndex::fold_if_due`] and outside
    /// every transaction.
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

    /// How many vectors the graphs of this process hold, and how many wait.
    pub(crate) fn graph_counts(&self) -> GraphCounts {
        self.graphs.counts()
    }

    /// Forgets what is open, after a file turned out to be damaged: the file is
    /// removed, and what it held comes from the store until the next fold.
    pub(crate) fn drop_damaged(&self, snapshot: &VectorSnapshot) {
        self.current.lock().take();
        self.graphs.set_files(std::iter::empty());
        for part in &snapshot.parts {
            if part.file.verify().is_err() {
                // If it cannot be removed it is met, and found damaged, again.
                let _ = std::fs::remove_file(&part.path);
            }
        }
    }

    fn put_back(&self, current: Current) {
        let mut slot = self.current.lock();
        // Another thread may have put back a newer one meanwhile.
        if slot
            .as_ref()
            .is_none_or(|other| other.version != current.version || other.to <= current.to)
        {
            let parts = current.snapshot.parts.iter();
            self.graphs.set_files(parts.map(|part| &part.file));
            *slot = Some(current);
        }
    }

    fn refreshed(&self, read: &ReadTx, version: u32, row: &EmbeddingRow) -> Result<Current> {
        let generation = read.generation();
        let state = read.state()?;
        let dead = state.forgotten_events + state.erased_events;
        let known = self.current.lock().take().filter(|known| {
            (known.generation, known.version) == (generation, version) && known.to <= row.written
        });
        let mut current = match known {
            Some(current) => current,
            None => {
                let parts = self.open_parts(generation, version, row);
                Current {
                    generation,
                    version,
                    dead: 0,
                    to: parts.last().map_or(0, |part| part.to),
                    snapshot: VectorSnapshot {
                        parts,
                        tail: Arc::new(Tail::new(row.dimensions as usize)?),
                        removed: Arc::default(),
                    },
                }
            }
        };
        if current.dead != dead {
            current.dead = dead;
            current.snapshot.removed = Arc::new(read.dead_seqs()?.into_iter().collect());
        }
        if current.to < row.written {
            let vectors = read.vectors(version, row)?;
            let tail = Arc::make_mut(&mut current.snapshot.tail);
            for seq in read.vector_order(version, current.to, row.written)? {
                vectors.each_of(seq, |vector| {
                    let id = VectorId {
                        seq,
                        passage: vector.window,
                    };
                    tail.upsert(id, &vector.values().collect::<Vec<f32>>())
                })?;
            }
            current.to = row.written;
        }
        Ok(current)
    }

    /// The files that continue each other from ordinal 0 on. Those that cannot be
    /// used are passed over; damaged ones are removed, since they are derived.
    fn open_parts(&self, generation: u64, version: u32, row: &EmbeddingRow) -> Vec<Part> {
        let mut names: Vec<Named> = list(&self.folder)
            .filter(|named| {
                (named.generation, named.version) == (generation, u64::from(version))
                    && named.to <= row.written
            })
            .collect();
        // Of those that begin at one place, the one that reaches furthest.
        names.sort_unstable_by(|a, b| (a.after, b.to, &a.path).cmp(&(b.after, a.to, &b.path)));
        let mut parts: Vec<Part> = Vec::new();
        for Named {
            after, to, path, ..
        } in names
        {
            if after != parts.last().map_or(0, |part| part.to) || to <= after {
                continue;
            }
            match VectorFile::open(&path) {
                Ok(file) => {
                    let info = file.info();
                    let fits = info.generation == generation
                        && info.embedding_version == version
                        && info.dimensions == row.dimensions
                        && info.watermark == to;
                    if fits {
                        parts.push(Part {
                            to,
                            path,
                            file: Arc::new(file),
                            graph: None,
                        });
                    }
                }
                Err(error) if error.code() == ErrorCode::Corrupt => {
                    let _ = std::fs::remove_file(&path);
                }
                Err(_) => {}
            }
        }
        parts
    }

    fn fold(
        &self,
        read: &ReadTx,
        version: u32,
        row: &EmbeddingRow,
        current: &mut Current,
    ) -> Result<()> {
        let parts = &mut current.snapshot.parts;
        let mut kept = parts.len();
        let mut size = current.snapshot.tail.len();
        while kept > 0 && parts[kept - 1].file.len() <= MERGE_FACTOR * size {
            kept -= 1;
            size += parts[kept].file.len();
        }
        let after = kept.checked_sub(1).map_or(0, |last| parts[last].to);
        let to = current.to;
        let vectors = read.vectors(version, row)?;
        let mut source = StoreSource {
            ids: Vec::with_capacity(size),
            vectors: &vectors,
        };
        let mut seqs = read.vector_order(version, after, to)?;
        seqs.sort_unstable();
        seqs.dedup();
        for seq in seqs {
            if current.snapshot.removed.contains(seq) {
                continue;
            }
            vectors.each_of(seq, |vector| {
                source.ids.push(VectorId {
                    seq,
                    passage: vector.window,
                });
                Ok(())
            })?;
        }
        if !self.folder.is_dir() {
            create_private(&self.folder)?;
        }
        let path = self.folder.join(format!(
            "{PREFIX}.{}.{version}.{after}.{to}.{}.{SUFFIX}",
            current.generation,
            std::process::id()
        ));
        let info = FileInfo {
            generation: current.generation,
            embedding_version: version,
            dimensions: row.dimensions,
            watermark: to,
        };
        file::write(&path, info, &mut source)?;
        let file = Arc::new(VectorFile::open(&path)?);
        parts.truncate(kept);
        parts.push(Part {
            to,
            path: path.clone(),
            file,
            graph: None,
        });
        current.snapshot.tail = Arc::new(Tail::new(row.dimensions as usize)?);
        // What the new file covers, and what belongs to generations that are gone.
        // Processes that have them mapped keep them; where that forbids removal
        // they stay until the next fold.
        for old in list(&self.folder) {
            let is_covered = (old.generation, old.version)
                == (current.generation, u64::from(version))
                && old.after >= after
                && old.to <= to
                && old.path != path;
            if is_covered || old.generation < current.generation {
                let _ = std::fs::remove_file(old.path);
            }
        }
        Ok(())
    }
}

impl Current {
    /// How many events got vectors that no file covers.
    fn uncovered(&self) -> u64 {
        let covered = self.snapshot.parts.last().map_or(0, |part| part.to);
        self.to - covered.min(self.to)
    }
}

impl VectorSnapshot {
    /// The nearest windows, best first.
    ///
    /// # Errors
    /// `corrupt` when a file is damaged: see [`VectorIndex::drop_damaged`].
    pub(crate) fn search(
        &self,
        query: &Query,
        k: usize,
        filter: Filter<'_>,
    ) -> Result<Vec<Neighbour>> {
        let mut found = vec![self.tail.search(query, k, filter, &self.removed)?];
        for part in self.parts.iter().rev() {
            // With a filter the cascade reads the rows that fit, often few of them.
            let graph = match filter {
                Filter::All => part.graph.as_deref(),
                Filter::Matching(_) | Filter::Seqs(_) => None,
            };
            let by_graph = graph
                .map(|graph| graph.search(query, k, &self.removed))
                .transpose()?
                .flatten();
            found.push(match by_graph {
                Some(found) => found,
                None => cascade::search(&part.file, query, k, filter, &self.removed)?,
            });
        }
        Ok(merge(k, &found))
    }
}

/// What the name of a side file says.
struct Named {
    generation: u64,
    version: u64,
    after: u64,
    to: u64,
    path: PathBuf,
}

/// The side files in a folder; none when it cannot be read.
fn list(folder: &Path) -> impl Iterator<Item = Named> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = entry.file_name();
        let name = name.to_str()?.strip_prefix(PREFIX)?.strip_prefix('.')?;
        let mut words = name.strip_suffix(SUFFIX)?.split('.');
        let mut number = || words.next()?.parse::<u64>().ok();
        Some(Named {
            generation: number()?,
            version: number()?,
            after: number()?,
            to: number()?,
            path: entry.path(),
        })
    })
}

/// Vectors of the store, from which a file is written.
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
                format!("a vector of event {} vanished within a read", id.seq),
            )
        })
    }
}
