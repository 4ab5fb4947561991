//! A graph of near vectors (HNSW) for large files in long-lived processes. It proposes candidates,
//! whose exact cosines are then computed from the file.
//!
//! This is the only user of `hnsw_rs`, and avoids its pitfalls: it panics if a distance is negative
//! (ours is clamped at zero) or NaN (int8 vectors have none), calls `process::exit` for more than
//! 256 connections (we use [`CONNECTIONS`]) and for bad dump files (nothing is dumped or loaded),
//! cannot delete (tombstones are skipped, and more candidates fetched), and frees its memory on
//! threads that never end (see [`Links`]). Calls are nevertheless wrapped in `catch_unwind`,
//! because a graph is only an accelerator: if anything fails, the cascade answers.
//!
//! # What it is worth
//! The design expected it to win from 200,000 vectors on. According to `recallite-benches vectors`
//! (two shared cores, AVX-512, recall@10, each beside an exact scan in the same run;
//! `docs/measurements.md` has the table) it does not, at equal recall, at any size measured, so it
//! is opt-in. Vectors around topics (100,000 × 384): as good as the cascade, at a fifth of its
//! speed. Vectors with little structure (100,000 × 128), for which the cascade must read nearly all
//! int8 values: 2.5 times its speed, but recall@10 .90; with 400 candidates its speed and .95; with
//! 800, .97 in nearly twice its time. A vector takes up to 3 ms to insert, and about 3.5 KB for its
//! links: the library allocates every link separately, keeps visited nodes in a hash map, and takes
//! seconds to free it all.

use crate::index::vector::file::VectorFile;
use crate::index::vector::kernels::Kernels;
use crate::index::vector::{Neighbour, Tombstones, VectorQuery, cascade};
use crate::model::error::{Error, ErrorCode, Result};
use hnsw_rs::anndists::dist::distances::Distance;
use hnsw_rs::hnsw::Hnsw;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Links per vector and layer. The library exits the process above 256; 64 is our own limit.
const CONNECTIONS: usize = 24;
/// Candidates examined for the links of a new vector.
const BUILD_CANDIDATES: usize = 200;
/// Candidates examined for an answer, at least. More of them find more, as the figures above show,
/// but then the cascade is as fast.
const SEARCH_CANDIDATES: usize = 192;
/// Candidates examined per requested result, at least.
const CANDIDATES_PER_ANSWER: usize = 2;
/// Above this the time of a search, which grows with its candidates, is no longer worth it.
const MAX_CANDIDATES: usize = 512;
/// This many of the best candidates by int8, or twice the number requested, get their exact cosine.
const EXACT_CANDIDATES: usize = 64;
/// The library's own limit of layers.
const LAYERS: usize = 16;
/// Bytes of the scale that follows the int8 values of a vector.
const SCALE_BYTES: usize = 4;

/// The upper limit for connections.
const MAX_CONNECTIONS: usize = 64;

const _: () = assert!(CONNECTIONS <= MAX_CONNECTIONS);

/// [`CONNECTIONS`], [`BUILD_CANDIDATES`] and [`SEARCH_CANDIDATES`], for benches.
#[cfg(any(test, feature = "testing"))]
pub(crate) const PARAMETERS: [usize; 3] = [CONNECTIONS, BUILD_CANDIDATES, SEARCH_CANDIDATES];

/// One minus the cosine of two int8 vectors, each followed by the four bytes of its scale.
struct Int8Cosine {
    kernels: Kernels,
}

impl Distance<i8> for Int8Cosine {
    fn eval(&self, a: &[i8], b: &[i8]) -> f32 {
        // Both have the same length: only this module makes them, from the rows of one file and
        // from queries of the same dimensions.
        let Some((a, a_scale)) = split(a) else {
            return 2.0;
        };
        let Some((b, b_scale)) = split(b) else {
            return 2.0;
        };
        let product = self.kernels.dot_i8s(a, b) as f32;
        // Rounding may exceed the ends.
        #[expect(
            clippy::manual_clamp,
            reason = "these turn NaN into a number, clamp does not"
        )]
        let distance = (1.0 - product * a_scale * b_scale).max(0.0).min(2.0);
        distance
    }
}

fn split(vector: &[i8]) -> Option<(&[i8], f32)> {
    let (values, scale) = vector.split_last_chunk::<SCALE_BYTES>()?;
    Some((values, f32::from_le_bytes(scale.map(|byte| byte as u8))))
}

fn join(values: impl Iterator<Item = i8>, scale: f32, into: &mut Vec<i8>) {
    into.clear();
    into.extend(values);
    into.extend(scale.to_le_bytes().map(|byte| byte as i8));
}

/// Whether this build of the library has graphs.
pub(crate) const IS_BUILT_IN: bool = true;

/// The memory for a vector's links and their allocations, as measured (`docs/measurements.md`).
const LINK_BYTES: usize = 3_584;

/// An estimate of the memory that the graph of a file takes, in bytes.
pub(crate) fn estimated_bytes(file: &VectorFile) -> usize {
    let vector = file.dimensions() + SCALE_BYTES + LINK_BYTES;
    file.len().saturating_mul(vector)
}

type Hnsw8 = Hnsw<'static, i8, Int8Cosine>;

/// The library's graph. Its destructor runs on rayon threads. Without a pool of our own that would
/// be the global one, whose threads never end and which does not survive a `fork`.
struct Links {
    /// `Some` until dropped.
    hnsw: Option<Hnsw8>,
    /// The process that created it.
    process: u32,
}

impl Links {
    fn get(&self) -> &Hnsw8 {
        self.hnsw.as_ref().expect("only dropping takes it away")
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        let Some(hnsw) = self.hnsw.take() else {
            return;
        };
        if self.process != std::process::id() {
            // After a fork, a thread that does not exist in the child may hold a lock.
            std::mem::forget(hnsw);
            return;
        }
        let mut worker = None;
        let pool = rayon_core::ThreadPoolBuilder::new()
            .num_threads(1)
            .spawn_handler(|thread| {
                let name = "recallite-graph".to_owned();
                let started = std::thread::Builder::new()
                    .name(name)
                    .spawn(|| thread.run())?;
                worker = Some(started);
                Ok(())
            })
            .build();
        match pool {
            Ok(pool) => {
                // A panic during another one would abort the process; the rest is leaked.
                let _ = catch_unwind(AssertUnwindSafe(|| pool.install(move || drop(hnsw))));
            }
            // Without a thread the memory has to be leaked.
            Err(_) => std::mem::forget(hnsw),
        }
        if let Some(worker) = worker {
            let _ = worker.join();
        }
    }
}

/// Builds the graph of a file in bounded steps.
pub(crate) struct HnswBuilder {
    file: Arc<VectorFile>,
    links: Links,
    next_row: usize,
    is_broken: bool,
}

impl HnswBuilder {
    /// Prepares the graph of a file; nothing is read yet.
    ///
    /// # Errors
    /// `Unsupported` in a build without graphs, never in this one.
    pub(crate) fn new(file: Arc<VectorFile>) -> Result<HnswBuilder> {
        Ok(Self::with(file, CONNECTIONS, BUILD_CANDIDATES))
    }

    /// [`HnswBuilder::new`] with other parameters, for benches.
    pub(crate) fn with(
        file: Arc<VectorFile>,
        connections: usize,
        build_candidates: usize,
    ) -> HnswBuilder {
        #[cfg(all(unix, not(target_vendor = "apple")))]
        crate::index::vector::hnsw_symbols::take_in();
        let distance = Int8Cosine {
            kernels: Kernels::best(),
        };
        let hnsw = Hnsw::new(
            connections.min(MAX_CONNECTIONS),
            file.len().max(1),
            LAYERS,
            build_candidates,
            distance,
        );
        HnswBuilder {
            file,
            links: Links {
                hnsw: Some(hnsw),
                process: std::process::id(),
            },
            next_row: 0,
            is_broken: false,
        }
    }

    /// The graph's file.
    pub(crate) fn file(&self) -> &Arc<VectorFile> {
        &self.file
    }

    /// Inserts up to `budget` vectors, each 0.5 to 3 ms, more as the graph grows. Returns whether
    /// the graph is complete.
    ///
    /// # Errors
    /// `Corrupt` if a row is damaged; `Internal` if the graph library fails. The builder is
    /// unusable afterwards.
    pub(crate) fn step(&mut self, budget: usize) -> Result<bool> {
        let end = self.next_row.saturating_add(budget).min(self.file.len());
        let mut vector = Vec::new();
        while self.next_row < end {
            if self.is_broken {
                return Err(broken());
            }
            let (values, scale) = self.file.int8_row(self.next_row)?;
            let is_usable = scale.is_finite() && scale > 0.0;
            // A graph cannot place the zero vector, which has no neighbours.
            if is_usable {
                join(values.iter().map(|&byte| byte as i8), scale, &mut vector);
                let (hnsw, row) = (self.links.get(), self.next_row);
                let inserted = catch_unwind(AssertUnwindSafe(|| hnsw.insert_slice((&vector, row))));
                if inserted.is_err() {
                    self.is_broken = true;
                    return Err(broken());
                }
            }
            self.next_row += 1;
        }
        Ok(self.is_complete())
    }

    /// The number of vectors inserted so far, and of all.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.next_row, self.file.len())
    }

    fn is_complete(&self) -> bool {
        !self.is_broken && self.next_row == self.file.len()
    }

    /// The graph, or `None` if it is not complete.
    pub(crate) fn finish(mut self) -> Option<HnswGraph> {
        if !self.is_complete() {
            return None;
        }
        if let Some(hnsw) = &mut self.links.hnsw {
            hnsw.set_searching_mode(true);
        }
        Some(HnswGraph {
            file: self.file,
            links: self.links,
            is_broken: AtomicBool::new(false),
            #[cfg(test)]
            answered: Default::default(),
        })
    }
}

fn broken() -> Error {
    Error::new(
        ErrorCode::Internal,
        "the vector graph could not be built; searches continue without it",
    )
}

/// A complete graph of a file, which it keeps open.
pub(crate) struct HnswGraph {
    file: Arc<VectorFile>,
    links: Links,
    /// A search failed; the graph is not used again.
    is_broken: AtomicBool,
    #[cfg(test)]
    answered: std::sync::atomic::AtomicUsize,
}

impl HnswGraph {
    /// The number of searches answered.
    #[cfg(test)]
    pub(crate) fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(crate) fn break_for_test(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    /// The graph's file.
    pub(crate) fn file(&self) -> &Arc<VectorFile> {
        &self.file
    }

    /// Whether a search failed, so that the graph is unusable.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    /// The `k` nearest vectors, best first, ties by id. Nearly always the same as those of
    /// [`cascade::search`], which must answer if this returns `None`: when too many events are
    /// hidden, when `k` is too large for a graph to help, and when the graph or its file is broken.
    ///
    /// # Errors
    /// `InvalidArgument` if the query has another number of dimensions than the file.
    pub(crate) fn search(
        &self,
        query: &VectorQuery,
        k: usize,
        removed: &Tombstones,
    ) -> Result<Option<Vec<Neighbour>>> {
        self.search_within(query, k, removed, SEARCH_CANDIDATES, MAX_CANDIDATES)
    }

    /// [`HnswGraph::search`] with another number of candidates and no upper limit, for benches.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn search_with(
        &self,
        query: &VectorQuery,
        k: usize,
        removed: &Tombstones,
        candidates: usize,
    ) -> Result<Option<Vec<Neighbour>>> {
        self.search_within(query, k, removed, candidates, usize::MAX)
    }

    fn search_within(
        &self,
        query: &VectorQuery,
        k: usize,
        removed: &Tombstones,
        candidates: usize,
        most_candidates: usize,
    ) -> Result<Option<Vec<Neighbour>>> {
        query.check_dimensions(self.file.dimensions())?;
        if k == 0 || query.is_zero() {
            return Ok(Some(Vec::new()));
        }
        // Fetch twice and four times as many candidates if hidden events crowd out the others.
        let mut fetch = candidates.max(k.saturating_mul(CANDIDATES_PER_ANSWER));
        for _ in 0..3 {
            if fetch > most_candidates.min(self.file.len() / 8) || self.is_broken() {
                return Ok(None);
            }
            let Some(mut rows) = self.candidates(query, fetch) else {
                self.is_broken.store(true, Ordering::Relaxed);
                return Ok(None);
            };
            if !removed.is_empty() {
                rows.retain(|&row| !removed.contains(self.file.id_unchecked(row).seq));
            }
            if rows.len() >= fetch / 2 && rows.len() >= k {
                rows.truncate(EXACT_CANDIDATES.max(k.saturating_mul(2)));
                let found = cascade::rescore(&self.file, query, k, rows.into_iter());
                // The cascade searches the current file, and reports whether that one is damaged.
                self.is_broken.fetch_or(found.is_err(), Ordering::Relaxed);
                #[cfg(test)]
                self.answered.fetch_add(1, Ordering::Relaxed);
                return Ok(found.ok());
            }
            fetch *= 2;
        }
        Ok(None)
    }

    /// The rows that the graph considers nearest, best first by their int8 cosines.
    fn candidates(&self, query: &VectorQuery, fetch: usize) -> Option<Vec<usize>> {
        let mut vector = Vec::new();
        join(
            query.int8.values.iter().copied(),
            query.int8.scale,
            &mut vector,
        );
        let hnsw = self.links.get();
        let found = catch_unwind(AssertUnwindSafe(|| hnsw.search(&vector, fetch, fetch))).ok()?;
        Some(
            found
                .into_iter()
                .map(|neighbour| neighbour.d_id)
                .filter(|&row| row < self.file.len())
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::VectorFilter;
    use crate::index::vector::testing::{Random, exact, file_of};

    fn graph_of(vectors: &[Vec<f32>]) -> HnswGraph {
        let mut builder = HnswBuilder::new(Arc::new(file_of(vectors))).expect("built in");
        while !builder.step(500).expect("sound rows") {}
        builder.finish().expect("complete")
    }

    /// Searches like recall: the cascade answers if the graph does not.
    fn search(
        graph: &HnswGraph,
        query: &VectorQuery,
        k: usize,
        removed: &Tombstones,
    ) -> Vec<Neighbour> {
        match graph.search(query, k, removed).expect("the dimensions fit") {
            Some(found) => found,
            None => {
                cascade::search(graph.file(), query, k, VectorFilter::All, removed).expect("sound")
            }
        }
    }

    #[test]
    fn answers_have_exact_cosines_and_miss_hardly_any() {
        let mut random = Random::new(71);
        let vectors = random.clustered(1_200, 32, 30, 0.7, 0.3);
        let graph = graph_of(&vectors);
        let hidden: Tombstones = (0..600).filter(|seq| seq % 3 == 0).collect();
        let (mut found, mut wanted) = (0, 0);
        for row in (0..1_200).step_by(24) {
            let query = VectorQuery::new(&vectors[row]).expect("finite");
            for removed in [&Tombstones::default(), &hidden] {
                let answer = search(&graph, &query, 10, removed);
                let expected = exact(&vectors, query.unit(), 10, |seq| !removed.contains(seq));
                assert_eq!(answer.len(), 10);
                assert!(answer.iter().all(|n| !removed.contains(n.id.seq)));
                assert!(
                    answer
                        .windows(2)
                        .all(|pair| pair[0].ranking(&pair[1]).is_lt())
                );
                wanted += expected.len();
                found += expected
                    .iter()
                    .filter(|e| answer.iter().any(|a| a.id == e.id))
                    .count();
            }
        }
        assert!(found * 100 >= wanted * 99, "{found} of {wanted}");
    }

    #[test]
    fn equal_opposite_and_zero_vectors_do_not_stop_it() {
        let mut random = Random::new(73);
        let one = random.unit_vector(32);
        let opposite: Vec<f32> = one.iter().map(|x| -x).collect();
        let mut vectors = vec![one.clone(); 1_000];
        vectors.extend(vec![opposite; 1_000]);
        vectors.extend(vec![vec![0.0; 32]; 100]);
        let graph = graph_of(&vectors);
        let query = VectorQuery::new(&one).expect("finite");
        let answer = search(&graph, &query, 5, &Tombstones::default());
        assert_eq!(answer.len(), 5);
        assert!(answer.iter().all(|n| (n.cosine - 1.0).abs() < 1e-6));
        let zero = VectorQuery::new(&[0.0; 32]).expect("finite");
        let none = graph.search(&zero, 5, &Tombstones::default());
        assert_eq!(none.expect("sound"), Some(Vec::new()));
        let other = VectorQuery::new(&[1.0; 31]).expect("finite");
        assert!(graph.search(&other, 5, &Tombstones::default()).is_err());
    }

    #[test]
    fn steps_are_bounded_and_an_unfinished_graph_is_none() {
        let vectors = Random::new(79).clustered(100, 16, 10, 0.5, 0.0);
        let mut builder = HnswBuilder::new(Arc::new(file_of(&vectors))).expect("built in");
        assert!(!builder.step(0).expect("nothing to do"));
        assert!(!builder.step(60).expect("sound"));
        assert_eq!(builder.progress(), (60, 100));
        assert!(builder.finish().is_none());
        let mut builder = HnswBuilder::new(Arc::new(file_of(&vectors))).expect("built in");
        assert!(builder.step(usize::MAX).expect("sound"));
        assert!(builder.finish().is_some());
    }

    #[test]
    fn nearly_everything_hidden_still_gives_what_is_left() {
        let mut random = Random::new(83);
        let vectors = random.clustered(1_500, 32, 20, 0.5, 0.0);
        let graph = graph_of(&vectors);
        let removed: Tombstones = (0..1_000).filter(|seq| *seq != 700).collect();
        let query = VectorQuery::new(&vectors[0]).expect("finite");
        let answer = search(&graph, &query, 10, &removed);
        let seqs: Vec<u64> = answer.iter().map(|n| n.id.seq).collect();
        assert_eq!(seqs, [700, 700]);
    }
}
