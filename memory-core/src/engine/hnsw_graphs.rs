//! Owns the HNSW graphs that this process has built over its vector files, and the one
//! being built.
//!
//! Only `maintain` builds, so a process that never calls it has none. A graph is an
//! accelerator: if it is missing or fails, the search falls back to the cascade.
//!
//! Lock order: `building`, then `state`. `building` is held while vectors are inserted, so
//! only upkeep takes it; `state` is held briefly, and is all that a search waits for.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::index::vector::file::VectorFile;
use crate::index::vector::hnsw::{self, HnswBuilder, HnswGraph};
use crate::model::error::{ErrorCode, Result};

/// Vectors inserted before the deadline and the lock are checked again: a few dozen
/// milliseconds in a large graph.
const STEP_VECTORS: usize = 16;

/// Which files get a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GraphLimits {
    /// Files with fewer vectors get no graph; 0 if no file gets one.
    pub(crate) from_vectors: usize,
    /// The most memory, in bytes, that all graphs may use together.
    pub(crate) most_bytes: usize,
}

impl GraphLimits {
    /// Whether any file may get a graph.
    pub(crate) fn is_on(&self) -> bool {
        self.from_vectors > 0
    }
}

impl Default for GraphLimits {
    fn default() -> Self {
        GraphLimits {
            from_vectors: 0,
            most_bytes: 1 << 30,
        }
    }
}

/// The graphs of one vector index.
pub(crate) struct HnswGraphs {
    limits: GraphLimits,
    building: Mutex<Option<HnswBuilder>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The files of the index that should have one.
    files: Vec<Arc<VectorFile>>,
    finished: Vec<Arc<HnswGraph>>,
    /// Those for which building a graph failed.
    refused: Vec<Arc<VectorFile>>,
    /// Vectors inserted into the unfinished graph.
    inserted: usize,
}

/// How many vectors the graphs of this process hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HnswCounts {
    /// Vectors in graphs that searches use.
    pub(crate) held: u64,
    /// Vectors in files whose graph is not finished.
    pub(crate) waiting: u64,
}

impl HnswGraphs {
    pub(crate) fn new(limits: GraphLimits) -> Self {
        HnswGraphs {
            limits,
            building: Mutex::new(None),
            state: Mutex::default(),
        }
    }

    /// Whether any file may get a graph.
    pub(crate) fn is_on(&self) -> bool {
        self.limits.is_on()
    }

    /// Sets the current files of the index, oldest first. Those that are large enough get a
    /// graph while memory allows.
    pub(crate) fn set_files<'a>(&self, files: impl Iterator<Item = &'a Arc<VectorFile>>) {
        if !self.is_on() {
            return;
        }
        let mut state = self.state.lock();
        let state = &mut *state;
        state.files.clear();
        let mut left = self.limits.most_bytes;
        for file in files {
            let bytes = hnsw::estimated_bytes(file);
            if file.len() >= self.limits.from_vectors && bytes <= left {
                left -= bytes;
                state.files.push(Arc::clone(file));
            }
        }
        let files = &state.files;
        state.refused.retain(|refused| is_among(refused, files));
    }

    /// The finished graph of a file.
    pub(crate) fn of(&self, file: &VectorFile) -> Option<Arc<HnswGraph>> {
        if !self.is_on() {
            return None;
        }
        let state = self.state.lock();
        state.graph_of(file).cloned()
    }

    /// Frees broken graphs and those whose file is gone. A graph in use by a search is kept
    /// until the next call: freeing it takes long.
    pub(crate) fn free_unused(&self) {
        if !self.is_on() {
            return;
        }
        let mut building = self.building.lock();
        let abandoned = building.take_if(|builder| !self.state.lock().wants(builder.file()));
        drop(building);
        let unused: Vec<Arc<HnswGraph>> = {
            let mut state = self.state.lock();
            if abandoned.is_some() {
                state.inserted = 0;
            }
            let State {
                files,
                finished,
                refused,
                ..
            } = &mut *state;
            finished
                .extract_if(.., |graph| {
                    let is_among = is_among(graph.file(), files);
                    if graph.is_broken() && is_among && !self::is_among(graph.file(), refused) {
                        // Building it again would fail again.
                        refused.push(Arc::clone(graph.file()));
                    }
                    // A graph can only be acquired under this lock.
                    (graph.is_broken() || !is_among) && Arc::strong_count(graph) == 1
                })
                .collect()
        };
        // Freed only after the locks are released.
        drop(unused);
    }

    /// Inserts up to `most` vectors into graphs, while `has_time` returns true. Returns how
    /// many.
    ///
    /// # Errors
    /// `corrupt` when a file is damaged.
    pub(crate) fn build(&self, most: usize, has_time: &dyn Fn() -> bool) -> Result<usize> {
        let mut done = 0;
        while done < most && has_time() {
            // Gives another building thread its turn between two steps.
            let mut building = self.building.lock();
            if building
                .as_ref()
                .is_some_and(|builder| !self.state.lock().wants(builder.file()))
            {
                *building = None;
            }
            if building.is_none() {
                let mut state = self.state.lock();
                state.inserted = 0;
                let Some(file) = state.next_file() else {
                    break;
                };
                drop(state);
                *building = Some(HnswBuilder::new(file)?);
            }
            let Some(builder) = building.as_mut() else {
                break;
            };
            let before = builder.progress().0;
            match builder.step(STEP_VECTORS.min(most - done)) {
                Ok(is_complete) => {
                    let (inserted, _) = builder.progress();
                    done += inserted - before;
                    let finished = match is_complete {
                        true => building.take().and_then(HnswBuilder::finish),
                        false => None,
                    };
                    let mut state = self.state.lock();
                    state.inserted = if finished.is_some() { 0 } else { inserted };
                    state.finished.extend(finished.map(Arc::new));
                }
                Err(error) => {
                    let file = Arc::clone(builder.file());
                    *building = None;
                    let mut state = self.state.lock();
                    state.inserted = 0;
                    state.refused.push(file);
                    if error.code() == ErrorCode::Corrupt {
                        return Err(error);
                    }
                }
            }
        }
        Ok(done)
    }

    /// How many vectors are in graphs, and how many are waiting.
    pub(crate) fn counts(&self) -> HnswCounts {
        let state = self.state.lock();
        let mut counts = HnswCounts::default();
        for file in &state.files {
            let vectors = file.len() as u64;
            if state.graph_of(file).is_some() {
                counts.held += vectors;
            } else if !is_among(file, &state.refused) {
                counts.waiting += vectors;
            }
        }
        counts.waiting = counts.waiting.saturating_sub(state.inserted as u64);
        counts
    }
}

impl State {
    fn graph_of(&self, file: &VectorFile) -> Option<&Arc<HnswGraph>> {
        let mut graphs = self.finished.iter();
        graphs.find(|graph| !graph.is_broken() && graph.file().is_same(file))
    }

    /// Whether the file still needs a graph.
    fn wants(&self, file: &VectorFile) -> bool {
        is_among(file, &self.files)
            && !is_among(file, &self.refused)
            && self.graph_of(file).is_none()
    }

    fn next_file(&self) -> Option<Arc<VectorFile>> {
        let mut files = self.files.iter();
        files.find(|file| self.wants(file)).cloned()
    }
}

fn is_among(file: &VectorFile, files: &[Arc<VectorFile>]) -> bool {
    files.iter().any(|other| other.is_same(file))
}

#[cfg(all(test, feature = "graph"))]
mod tests;
