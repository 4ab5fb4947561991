//! Deterministic random vectors for the tests of the vector index.

use crate::index::vector::file::{FileInfo, VectorFile};
use crate::index::vector::file_writer::write;
use crate::index::vector::{Neighbour, TopK, VectorId};

/// A small pseudo-random generator (SplitMix64), determined by its seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        crate::index::vector::rotate::mix(self.0)
    }

    /// A uniform number in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.uniform() * limit as f64) as usize
    }

    /// A normally distributed number (Box-Muller).
    pub(crate) fn normal(&mut self) -> f32 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        (radius * (std::f64::consts::TAU * self.uniform()).cos()) as f32
    }

    pub(crate) fn unit_vector(&mut self, dimensions: usize) -> Vec<f32> {
        let mut vector: Vec<f32> = (0..dimensions).map(|_| self.normal()).collect();
        assert!(crate::embed::normalise(&mut vector));
        vector
    }

    /// Unit vectors clustered around `topics` centres, all biased towards one direction by `lean`.
    pub(crate) fn clustered(
        &mut self,
        count: usize,
        dimensions: usize,
        topics: usize,
        spread: f32,
        lean: f32,
    ) -> Vec<Vec<f32>> {
        let common = self.unit_vector(dimensions);
        let centres: Vec<Vec<f32>> = (0..topics).map(|_| self.unit_vector(dimensions)).collect();
        (0..count)
            .map(|_| {
                let centre = &centres[self.below(topics)];
                let noise = self.unit_vector(dimensions);
                let mut vector: Vec<f32> = (0..dimensions)
                    .map(|d| centre[d] + spread * noise[d] + lean * common[d])
                    .collect();
                assert!(crate::embed::normalise(&mut vector));
                vector
            })
            .collect()
    }
}

/// The ids of rows in tests: two passages per event.
pub(crate) fn id_of(row: usize) -> VectorId {
    VectorId {
        seq: row as u64 / 2 + 1,
        passage: (row % 2) as u16,
    }
}

/// The reference answer: all dot products, sorted.
pub(crate) fn exact(
    vectors: &[Vec<f32>],
    query: &[f32],
    k: usize,
    allows: impl Fn(u64) -> bool,
) -> Vec<Neighbour> {
    let kernels = crate::index::vector::kernels::Kernels::best();
    let mut top = TopK::new(k);
    for (row, vector) in vectors.iter().enumerate() {
        let id = id_of(row);
        if allows(id.seq) {
            let cosine = kernels.dot_f32(query, vector).clamp(-1.0, 1.0);
            top.offer(Neighbour { id, cosine });
        }
    }
    top.into_sorted()
}

/// A vector file of these vectors. Its folder is deleted right away, but the mapping stays valid.
pub(crate) fn file_of(vectors: &[Vec<f32>]) -> VectorFile {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("test.vec");
    let info = FileInfo {
        embedding_version: 1,
        dimensions: vectors[0].len() as u32,
        after: 0,
        to: 0,
        last_seq: 0,
    };
    let rows: Vec<(VectorId, Vec<f32>)> = vectors
        .iter()
        .enumerate()
        .map(|(row, vector)| (id_of(row), vector.clone()))
        .collect();
    write(&path, info, &mut rows.as_slice()).expect("valid vectors")
}
