//! Exposes the vector index to the benches, together with an exhaustive search as the reference.
//! Not part of the library's interface.

use std::path::Path;
use std::sync::Arc;

use crate::embed::{MAX_DIMENSIONS, normalise, static_table};
use crate::index::vector::cascade;
use crate::index::vector::file::{FileInfo, VectorFile};
use crate::index::vector::file_writer::{self, VectorSource};
#[cfg(feature = "graph")]
use crate::index::vector::hnsw;
use crate::index::vector::kernels::Kernels;
use crate::index::vector::{Neighbour, Tombstones, TopK, VectorFilter, VectorId, VectorQuery};
use crate::model::error::{Error, Result};

/// The dimensions of [`static_embedding`].
pub const STATIC_DIMENSIONS: usize = static_table::DIMENSIONS;

/// The mean of the static vectors of a text's words, not scaled; `None` if no word is in the table.
pub fn static_embedding(text: &str) -> Option<Vec<f32>> {
    static_table::text_vector(text).map(Vec::from)
}

/// The kernels chosen for this processor: `avx512`, `avx2`, `neon` or `portable`.
pub fn kernels() -> &'static str {
    Kernels::best().name()
}

/// A contiguous array of non-zero vectors of equal dimensions.
#[derive(Clone, Debug)]
pub struct Vectors {
    numbers: Vec<f32>,
    dimensions: usize,
}

impl Vectors {
    /// Takes concatenated vectors and scales each to length 1.
    ///
    /// # Errors
    /// `InvalidArgument` if there are none, if the length is not a multiple of `dimensions`, or if
    /// a vector is zero or has a non-finite number.
    pub fn new(mut numbers: Vec<f32>, dimensions: usize) -> Result<Vectors> {
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return Err(Error::invalid(
                "dimensions",
                format_args!("must be between 1 and {MAX_DIMENSIONS}, not {dimensions}"),
            ));
        }
        if numbers.is_empty() || !numbers.len().is_multiple_of(dimensions) {
            return Err(Error::invalid(
                "numbers",
                format_args!(
                    "{} are not whole vectors of {dimensions} dimensions",
                    numbers.len()
                ),
            ));
        }
        for (row, vector) in numbers.chunks_exact_mut(dimensions).enumerate() {
            if !normalise(vector) || vector.iter().all(|&x| x == 0.0) {
                return Err(Error::invalid(
                    "numbers",
                    format_args!("vector {row} has no direction"),
                ));
            }
        }
        Ok(Vectors {
            numbers,
            dimensions,
        })
    }

    /// The number of vectors.
    #[allow(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.numbers.len() / self.dimensions
    }

    /// Numbers per vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The unit vector of a row.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.numbers[row * self.dimensions..][..self.dimensions]
    }
}

/// The rows that a search may return: all, or those of an ascending list.
pub type Rows<'a> = Option<&'a [u64]>;

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The rows, best first.
    pub rows: Vec<u64>,
    /// Their cosines with the query.
    pub cosines: Vec<f32>,
    /// The number of int8 dot products computed.
    pub int8_rows: usize,
    /// The number of exact cosines computed.
    pub float_rows: usize,
}

impl Found {
    fn of(neighbours: Vec<Neighbour>) -> Found {
        Found {
            rows: neighbours.iter().map(|found| found.id.seq).collect(),
            cosines: neighbours.iter().map(|found| found.cosine).collect(),
            ..Found::default()
        }
    }
}

/// A vector file as a store writes and opens it; row n is event n.
pub struct Index {
    file: Arc<VectorFile>,
}

struct RowsInOrder<'a>(&'a Vectors);

impl VectorSource for RowsInOrder<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn read(&mut self, row: usize, vector: &mut Vec<f32>) -> Result<VectorId> {
        vector.clear();
        vector.extend_from_slice(self.0.row(row));
        Ok(id_of(row as u64))
    }
}

fn id_of(row: u64) -> VectorId {
    VectorId {
        seq: row,
        passage: 0,
    }
}

/// Writes the vectors to a new vector file and opens it.
///
/// # Errors
/// `Io`, `Full` or `PermissionDenied` from the disk.
pub fn build(path: &Path, vectors: &Vectors) -> Result<Index> {
    let info = FileInfo {
        embedding_version: 1,
        dimensions: vectors.dimensions as u32,
        after: 0,
        to: 0,
        last_seq: 0,
    };
    let file = file_writer::write(path, info, &mut RowsInOrder(vectors))?;
    Ok(Index {
        file: Arc::new(file),
    })
}

/// The `k` nearest rows, as found by a store.
///
/// # Errors
/// `InvalidArgument` for a query of other dimensions or with a non-finite number; `Corrupt` if the
/// file is damaged.
pub fn search(index: &Index, query: &[f32], k: usize, rows: Rows<'_>) -> Result<Found> {
    let filter = rows.map_or(VectorFilter::All, VectorFilter::Seqs);
    let query = VectorQuery::new(query)?;
    let (neighbours, effort) =
        cascade::search_with_effort(&index.file, &query, k, filter, &Tombstones::default())?;
    Ok(Found {
        int8_rows: effort.int8_rows,
        float_rows: effort.float_rows,
        ..Found::of(neighbours)
    })
}

/// The `k` nearest rows by exhaustive search: the dot products with all float vectors, which are
/// contiguous in memory, by the same kernels as [`search`].
///
/// # Errors
/// `InvalidArgument` for a query of other dimensions or with a non-finite number, and for a row
/// that does not exist.
pub fn exact(vectors: &Vectors, query: &[f32], k: usize, rows: Rows<'_>) -> Result<Found> {
    let query = VectorQuery::new(query)?;
    if query.dimensions() != vectors.dimensions {
        return Err(Error::invalid(
            "query",
            format_args!(
                "has {} dimensions instead of {}",
                query.dimensions(),
                vectors.dimensions
            ),
        ));
    }
    let kernels = Kernels::best();
    let mut top = TopK::new(k);
    let mut offer = |row: u64, vector: &[f32]| {
        let cosine = kernels.dot_f32(query.unit(), vector).clamp(-1.0, 1.0);
        if cosine >= top.threshold() {
            top.offer(Neighbour {
                id: id_of(row),
                cosine,
            });
        }
    };
    let float_rows = match rows {
        None => {
            let all = vectors.numbers.chunks_exact(vectors.dimensions);
            (0..).zip(all).for_each(|(row, vector)| offer(row, vector));
            vectors.len()
        }
        Some(rows) => {
            if rows.iter().any(|&row| row >= vectors.len() as u64) {
                return Err(Error::invalid("rows", "contains a row that does not exist"));
            }
            rows.iter()
                .for_each(|&row| offer(row, vectors.row(row as usize)));
            rows.len()
        }
    };
    Ok(Found {
        float_rows,
        ..Found::of(top.into_sorted())
    })
}

/// A graph of an index.
#[cfg(feature = "graph")]
pub struct HnswGraph(hnsw::HnswGraph);

/// The parameters of a graph: links per vector and layer (M), candidates while building, and the
/// minimum number of candidates of a search (ef).
#[cfg(feature = "graph")]
pub const GRAPH_PARAMETERS: [usize; 3] = hnsw::PARAMETERS;

/// Builds the graph of an index on the current thread, with these numbers of links per vector and
/// layer and of candidates.
///
/// # Errors
/// `Corrupt` if the file is damaged; `Internal` if the graph library fails.
#[cfg(feature = "graph")]
pub fn build_graph(index: &Index, links: usize, candidates: usize) -> Result<HnswGraph> {
    let mut builder = hnsw::HnswBuilder::with(Arc::clone(&index.file), links, candidates);
    while !builder.step(usize::MAX)? {}
    let graph = builder.finish().ok_or_else(|| {
        Error::new(
            crate::model::error::ErrorCode::Internal,
            "the graph is incomplete after its last step",
        )
    })?;
    Ok(HnswGraph(graph))
}

/// The `k` nearest rows as found by the graph with at least this many candidates.
///
/// # Errors
/// As [`search`]; `Unsupported` if the graph leaves the answer to the index.
#[cfg(feature = "graph")]
pub fn search_graph(
    graph: &HnswGraph,
    query: &[f32],
    k: usize,
    candidates: usize,
) -> Result<Found> {
    let removed = Tombstones::default();
    let found = graph
        .0
        .search_with(&VectorQuery::new(query)?, k, &removed, candidates)?;
    found.map(Found::of).ok_or_else(|| {
        Error::new(
            crate::model::error::ErrorCode::Unsupported,
            "the index is too small for a graph, or the graph is broken",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::testing::Random;

    fn some(count: usize) -> Vectors {
        let rows = Random::new(97).clustered(count, 64, 30, 0.8, 0.3);
        Vectors::new(rows.concat(), 64).expect("finite")
    }

    #[test]
    fn the_index_and_the_definition_agree_with_and_without_a_filter() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vectors = some(5_000);
        let index = build(&folder.path().join("some.bin"), &vectors).expect("written");
        let third: Vec<u64> = (0..5_000).step_by(3).collect();
        for rows in [None, Some(&third[..]), Some(&[][..])] {
            let query = vectors.row(77);
            let found = search(&index, query, 10, rows).expect("sound");
            let expected = exact(&vectors, query, 10, rows).expect("sound");
            assert_eq!(found.rows, expected.rows);
            assert_eq!(found.rows.len(), rows.map_or(10, |rows| rows.len().min(10)));
        }
    }

    #[test]
    fn what_cannot_be_searched_is_refused_by_name() {
        let argument = |error: Error| error.argument().map(str::to_owned);
        for (numbers, dimensions, name) in [
            (vec![1.0; 3], 0, "dimensions"),
            (vec![1.0; 3], 2, "numbers"),
            (vec![], 2, "numbers"),
            (vec![1.0, 0.0, 0.0, 0.0], 2, "numbers"),
            (vec![1.0, f32::NAN], 2, "numbers"),
        ] {
            let error = Vectors::new(numbers, dimensions).expect_err(name);
            assert_eq!(argument(error).as_deref(), Some(name));
        }
        let vectors = some(10);
        let error = exact(&vectors, vectors.row(0), 5, Some(&[10])).expect_err("no such row");
        assert_eq!(argument(error).as_deref(), Some("rows"));
        let error = exact(&vectors, &[1.0; 63], 5, None).expect_err("other dimensions");
        assert_eq!(argument(error).as_deref(), Some("query"));
    }

    #[test]
    fn texts_without_known_words_have_no_embedding() {
        assert_eq!(static_embedding(""), None);
        let vector = static_embedding("we deploy on Fridays").expect("known words");
        assert_eq!(vector.len(), STATIC_DIMENSIONS);
    }
}
