//! The vector index: finds the passages with the highest cosine to a query, exactly.
//!
//! Vectors are stored in immutable [`file`]s, which [`cascade`] searches, and in a [`memtable`]
//! until they are flushed to a file. A graph (feature `graph`, opt-in) may propose candidates in a
//! long-lived process. Whatever proposes a candidate, its final score is the dot product of the
//! stored floats.

pub(crate) mod cascade;
pub(crate) mod file;
pub(crate) mod file_writer;
pub(crate) mod folder;
#[cfg_attr(not(feature = "graph"), path = "no_hnsw.rs")]
pub(crate) mod hnsw;
#[cfg(all(feature = "graph", unix, not(target_vendor = "apple")))]
mod hnsw_symbols;
pub(crate) mod kernels;
pub(crate) mod memtable;
pub(crate) mod quantise;
pub(crate) mod rotate;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod windows;

use crate::embed::MAX_DIMENSIONS;
use crate::model::error::{Error, Result};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

/// The passage that a vector belongs to, ordered by event, then passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VectorId {
    /// The event's sequence number.
    pub seq: u64,
    /// The passage's index in its event, from 0.
    pub passage: u16,
}

/// A search result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Neighbour {
    /// The passage.
    pub id: VectorId,
    /// The cosine with the query, from -1 to 1.
    pub cosine: f32,
}

impl Neighbour {
    /// Best first, ties by id, so that results do not depend on how the vectors are spread over
    /// files.
    pub(crate) fn ranking(&self, other: &Self) -> Ordering {
        other
            .cosine
            .total_cmp(&self.cosine)
            .then(self.id.cmp(&other.id))
    }
}

/// Which events a search may return.
#[derive(Clone, Copy)]
pub(crate) enum VectorFilter<'a> {
    /// Every event.
    All,
    /// The events in this ascending list of sequence numbers.
    Seqs(&'a [u64]),
}

impl VectorFilter<'_> {
    /// Whether the event may be returned.
    pub(crate) fn allows(&self, seq: u64) -> bool {
        match self {
            VectorFilter::All => true,
            VectorFilter::Seqs(seqs) => seqs.binary_search(&seq).is_ok(),
        }
    }
}

/// Events whose vectors are still in files but must not be found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tombstones {
    seqs: HashSet<u64>,
}

impl Tombstones {
    /// Whether the event is hidden.
    pub(crate) fn contains(&self, seq: u64) -> bool {
        !self.seqs.is_empty() && self.seqs.contains(&seq)
    }

    /// The number of hidden events.
    pub(crate) fn len(&self) -> usize {
        self.seqs.len()
    }

    /// Whether nothing is hidden.
    pub(crate) fn is_empty(&self) -> bool {
        self.seqs.is_empty()
    }

    /// The hidden events, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.seqs.iter().copied()
    }
}

impl FromIterator<u64> for Tombstones {
    fn from_iter<T: IntoIterator<Item = u64>>(seqs: T) -> Self {
        Tombstones {
            seqs: seqs.into_iter().collect(),
        }
    }
}

/// A query vector, validated and converted to the forms that the stages need.
#[derive(Clone, Debug)]
pub(crate) struct VectorQuery {
    unit: Vec<f32>,
    int8: quantise::Int8Vector,
}

impl VectorQuery {
    /// A query from an embedder's vector, which is scaled to length 1.
    ///
    /// # Errors
    /// `InvalidArgument` if it has no dimensions, too many, or a non-finite number.
    pub(crate) fn new(vector: &[f32]) -> Result<VectorQuery> {
        if vector.is_empty() || vector.len() > MAX_DIMENSIONS {
            return Err(Error::invalid(
                "vector",
                format_args!(
                    "has {} dimensions; 1 to {MAX_DIMENSIONS} are possible",
                    vector.len()
                ),
            ));
        }
        let mut unit = vector.to_vec();
        if !crate::embed::normalise(&mut unit) {
            return Err(Error::invalid(
                "vector",
                "holds a number that is not finite",
            ));
        }
        let int8 = quantise::Int8Vector::new(&unit);
        Ok(VectorQuery { unit, int8 })
    }

    /// The number of dimensions.
    pub(crate) fn dimensions(&self) -> usize {
        self.unit.len()
    }

    /// The unit vector.
    pub(crate) fn unit(&self) -> &[f32] {
        &self.unit
    }

    /// The unit vector in steps of its scale.
    pub(crate) fn int8(&self) -> &quantise::Int8Vector {
        &self.int8
    }

    /// Whether the query is the zero vector, which has no neighbours.
    pub(crate) fn is_zero(&self) -> bool {
        self.int8.scale == 0.0
    }

    /// Fails if the vectors come from different models.
    fn check_dimensions(&self, dimensions: usize) -> Result<()> {
        if self.dimensions() == dimensions {
            return Ok(());
        }
        Err(Error::invalid(
            "vector",
            format_args!(
                "has {} dimensions, but this index has {dimensions}",
                self.dimensions()
            ),
        ))
    }
}

/// Keeps the best `limit` of the neighbours offered.
pub(crate) struct TopK {
    limit: usize,
    /// A heap with the worst neighbour at the top.
    heap: BinaryHeap<WorstFirst>,
}

struct WorstFirst(Neighbour);

impl Ord for WorstFirst {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.ranking(&other.0)
    }
}

impl PartialOrd for WorstFirst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for WorstFirst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for WorstFirst {}

impl TopK {
    /// An empty selection of at most `limit` neighbours.
    pub(crate) fn new(limit: usize) -> Self {
        TopK {
            limit,
            heap: BinaryHeap::new(),
        }
    }

    /// Keeps a neighbour if it is among the best so far.
    pub(crate) fn offer(&mut self, neighbour: Neighbour) {
        if self.heap.len() < self.limit {
            self.heap.push(WorstFirst(neighbour));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && neighbour.ranking(&worst.0).is_lt()
        {
            *worst = WorstFirst(neighbour);
        }
    }

    /// The cosine that another neighbour must reach, or -∞ while there is room.
    pub(crate) fn threshold(&self) -> f32 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() >= self.limit => worst.0.cosine,
            _ => f32::NEG_INFINITY,
        }
    }

    /// The selection, best first.
    pub(crate) fn into_sorted(self) -> Vec<Neighbour> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .map(|worst| worst.0)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbour(seq: u64, cosine: f32) -> Neighbour {
        Neighbour {
            id: VectorId { seq, passage: 0 },
            cosine,
        }
    }

    #[test]
    fn top_k_keeps_the_best_and_breaks_ties_by_id() {
        let mut top = TopK::new(3);
        assert_eq!(top.threshold(), f32::NEG_INFINITY);
        for (seq, cosine) in [(9, 0.5), (2, 0.5), (7, 0.1), (5, 0.5), (1, 0.9)] {
            top.offer(neighbour(seq, cosine));
        }
        assert_eq!(top.threshold(), 0.5);
        let seqs: Vec<u64> = top.into_sorted().iter().map(|n| n.id.seq).collect();
        assert_eq!(seqs, [1, 2, 5]);
    }

    #[test]
    fn a_limit_of_zero_keeps_nothing() {
        let mut top = TopK::new(0);
        top.offer(neighbour(1, 1.0));
        assert!(top.into_sorted().is_empty());
    }

    #[test]
    fn queries_are_checked_and_normalised() {
        assert!(VectorQuery::new(&[]).is_err());
        assert!(VectorQuery::new(&[1.0, f32::NAN]).is_err());
        assert!(VectorQuery::new(&[f32::INFINITY]).is_err());
        assert!(
            VectorQuery::new(&[0.0, 0.0])
                .expect("zero is allowed")
                .is_zero()
        );
        let query = VectorQuery::new(&[3.0, 4.0]).expect("finite");
        assert_eq!(query.unit(), [0.6, 0.8]);
        // The largest floats neither overflow nor become zero.
        let query = VectorQuery::new(&[f32::MAX, f32::MAX]).expect("finite");
        assert!((query.unit()[0] - 0.5f32.sqrt()).abs() < 1e-6);
    }
}
