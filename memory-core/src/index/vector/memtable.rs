//! Vectors that are not flushed to a file yet, scanned exactly, and the merging of results.

use crate::embed::{MAX_DIMENSIONS, normalise};
use crate::index::vector::kernels::Kernels;
use crate::index::vector::{Neighbour, Tombstones, TopK, VectorFilter, VectorId, VectorQuery};
use crate::model::error::{Error, Result};
use std::collections::{HashMap, HashSet};

/// The vectors that are in no file.
#[derive(Clone, Debug)]
pub(crate) struct VectorMemtable {
    dimensions: usize,
    ids: Vec<VectorId>,
    floats: Vec<f32>,
    row_of: HashMap<VectorId, usize>,
}

impl VectorMemtable {
    /// An empty memtable for vectors of `dimensions` numbers.
    ///
    /// # Errors
    /// `InvalidArgument` when there are no dimensions or more than [`MAX_DIMENSIONS`].
    pub(crate) fn new(dimensions: usize) -> Result<VectorMemtable> {
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return Err(Error::invalid(
                "dimensions",
                format_args!("must be between 1 and {MAX_DIMENSIONS}, not {dimensions}"),
            ));
        }
        Ok(VectorMemtable {
            dimensions,
            ids: Vec::new(),
            floats: Vec::new(),
            row_of: HashMap::new(),
        })
    }

    /// Adds a vector, scaled to length 1. Replaces the one with the same id, so that there is
    /// exactly one vector per id (specification, vector outbox: upsert).
    ///
    /// # Errors
    /// `InvalidArgument` for another number of dimensions or a non-finite number.
    pub(crate) fn upsert(&mut self, id: VectorId, vector: &[f32]) -> Result<()> {
        if vector.len() != self.dimensions {
            return Err(Error::invalid(
                "vector",
                format_args!(
                    "of event {} has {} dimensions instead of {}",
                    id.seq,
                    vector.len(),
                    self.dimensions
                ),
            ));
        }
        let mut unit = vector.to_vec();
        if !normalise(&mut unit) {
            return Err(Error::invalid(
                "vector",
                format_args!("of event {} holds a number that is not finite", id.seq),
            ));
        }
        match self.row_of.get(&id) {
            Some(&row) => {
                self.floats[row * self.dimensions..][..self.dimensions].copy_from_slice(&unit);
            }
            None => {
                self.row_of.insert(id, self.ids.len());
                self.ids.push(id);
                self.floats.extend(unit);
            }
        }
        Ok(())
    }

    /// The number of vectors.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The `k` nearest vectors, best first, ties by id; none for the zero query.
    ///
    /// # Errors
    /// `InvalidArgument` if the query has another number of dimensions.
    pub(crate) fn search(
        &self,
        query: &VectorQuery,
        k: usize,
        filter: VectorFilter<'_>,
        removed: &Tombstones,
    ) -> Result<Vec<Neighbour>> {
        query.check_dimensions(self.dimensions)?;
        let mut top = TopK::new(k);
        if query.is_zero() {
            return Ok(Vec::new());
        }
        let kernels = Kernels::best();
        for (&id, floats) in self
            .ids
            .iter()
            .zip(self.floats.chunks_exact(self.dimensions))
        {
            if removed.contains(id.seq) || !filter.allows(id.seq) {
                continue;
            }
            let cosine = kernels.dot_f32(query.unit(), floats).clamp(-1.0, 1.0);
            top.offer(Neighbour { id, cosine });
        }
        Ok(top.into_sorted())
    }
}

/// Merges the results of several sources, best first, at most `k`.
///
/// If several sources have the same id, the newest one wins, whatever its cosine.
pub(crate) fn merge(k: usize, newest_first: &[Vec<Neighbour>]) -> Vec<Neighbour> {
    let mut top = TopK::new(k);
    let mut seen = HashSet::new();
    for neighbour in newest_first.iter().flatten() {
        if seen.insert(neighbour.id) {
            top.offer(*neighbour);
        }
    }
    top.into_sorted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::testing::{Random, exact, id_of};

    #[test]
    fn the_tail_answers_like_the_exact_scan() {
        let mut random = Random::new(61);
        let vectors = random.clustered(300, 48, 10, 0.5, 0.0);
        let mut memtable = VectorMemtable::new(48).expect("valid");
        for row in (0..300).rev() {
            memtable.upsert(id_of(row), &vectors[row]).expect("valid");
        }
        let removed: Tombstones = [3, 4].into_iter().collect();
        let is_odd = |seq: u64| seq % 2 == 1;
        let odd: Vec<u64> = (0..300).filter(|seq| is_odd(*seq)).collect();
        let query = VectorQuery::new(&vectors[5]).expect("finite");
        let found = memtable
            .search(&query, 10, VectorFilter::Seqs(&odd), &removed)
            .expect("same dimensions");
        let expected = exact(&vectors, query.unit(), 10, |seq| {
            is_odd(seq) && !removed.contains(seq)
        });
        let ids = |list: &[Neighbour]| list.iter().map(|n| n.id).collect::<Vec<_>>();
        assert_eq!(ids(&found), ids(&expected));
    }

    #[test]
    fn upsert_replaces() {
        let mut memtable = VectorMemtable::new(2).expect("valid");
        memtable.upsert(id_of(4), &[1.0, 0.0]).expect("valid");
        memtable.upsert(id_of(1), &[1.0, 0.0]).expect("valid");
        memtable.upsert(id_of(4), &[0.0, 2.0]).expect("valid");
        assert_eq!(memtable.len(), 2);
        let query = VectorQuery::new(&[0.0, 1.0]).expect("finite");
        let found = memtable
            .search(&query, 1, VectorFilter::All, &Tombstones::default())
            .expect("same dimensions");
        assert_eq!((found[0].id, found[0].cosine), (id_of(4), 1.0));
    }

    #[test]
    fn bad_vectors_are_refused_and_change_nothing() {
        let mut memtable = VectorMemtable::new(2).expect("valid");
        assert!(memtable.upsert(id_of(0), &[1.0]).is_err());
        assert!(memtable.upsert(id_of(0), &[1.0, f32::NAN]).is_err());
        assert_eq!(memtable.len(), 0);
        assert!(VectorMemtable::new(0).is_err());
        let query = VectorQuery::new(&[1.0, 0.0, 0.0]).expect("finite");
        assert!(
            memtable
                .search(&query, 1, VectorFilter::All, &Tombstones::default())
                .is_err()
        );
    }

    #[test]
    fn merging_prefers_the_newest_source_and_orders_the_rest() {
        let neighbour = |row, cosine| Neighbour {
            id: id_of(row),
            cosine,
        };
        let newest = vec![neighbour(2, 0.3)];
        let older = vec![neighbour(2, 0.9), neighbour(6, 0.5), neighbour(4, 0.5)];
        let merged = merge(3, &[newest, older]);
        assert_eq!(
            merged,
            [neighbour(4, 0.5), neighbour(6, 0.5), neighbour(2, 0.3)]
        );
        assert_eq!(merge(0, &[vec![neighbour(1, 1.0)]]), []);
    }
}
