//! Searches one vector file by sign bits, then int8, then floats, widening until the answer is
//! exact.
//!
//! 1. The Hamming distances of all sign bits propose a few hundred rows.
//! 2. Their int8 dot products rank them; the best fifty get their exact cosine.
//! 3. The k-th exact cosine bounds the Hamming distance of any better row
//!    ([`VectorFile::distance_bound`]). If that exceeds the radius of stage 1, the rows in between
//!    go through stage 2 as well; when signs discriminate poorly, that is a full int8 scan.
//! 4. Every row whose int8 score is within the rounding error of the k-th cosine gets its exact
//!    cosine too.
//!
//! Small files, and filters that leave few rows, are scanned exactly.

use crate::index::vector::file::VectorFile;
use crate::index::vector::kernels::{BLOCK_ROWS, Kernels};
use crate::index::vector::quantise::error_bound;
use crate::index::vector::rotate::bits_for;
use crate::index::vector::{Neighbour, Tombstones, TopK, VectorFilter, VectorQuery};
use crate::model::error::Result;

/// Up to this many rows an exact scan is as fast as the cascade.
const EXACT_ROWS: usize = 2_000;
/// Rows that stage 1 proposes initially.
const PROPOSED_ROWS: usize = 256;
/// Rows that get their exact cosine before the bound is computed.
const EXACT_CANDIDATES: usize = 50;
/// Rows per batch of distances, small enough for the L1 cache.
const CHUNK_ROWS: usize = 1_024;

/// The work a search did, for benches and tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Rows whose sign bits were compared.
    pub bit_rows: usize,
    /// Rows whose int8 dot product was taken.
    pub int8_rows: usize,
    /// Rows whose exact cosine was taken.
    pub float_rows: usize,
}

/// The `k` nearest vectors of the file, best first, ties by id.
///
/// The zero query has no neighbours.
///
/// # Errors
/// `InvalidArgument` if the query has another number of dimensions than the file; `Corrupt` if a
/// part of the file that the answer depends on is damaged.
pub(crate) fn search(
    file: &VectorFile,
    query: &VectorQuery,
    k: usize,
    filter: VectorFilter<'_>,
    removed: &Tombstones,
) -> Result<Vec<Neighbour>> {
    Ok(search_with_effort(file, query, k, filter, removed)?.0)
}

/// [`search`], which also returns its effort.
///
/// # Errors
/// As [`search`].
pub(crate) fn search_with_effort(
    file: &VectorFile,
    query: &VectorQuery,
    k: usize,
    filter: VectorFilter<'_>,
    removed: &Tombstones,
) -> Result<(Vec<Neighbour>, Effort)> {
    query.check_dimensions(file.dimensions())?;
    let mut search = Search {
        file,
        query,
        kernels: Kernels::best(),
        // There are no more results than rows, and a huge `k` must not overflow.
        k: k.min(file.len()),
        effort: Effort::default(),
    };
    if k == 0 || query.is_zero() || file.is_empty() {
        return Ok((Vec::new(), search.effort));
    }
    let found = match allowed_rows(file, filter, removed) {
        Some(rows) if rows.len() <= EXACT_ROWS => {
            search.exact_scan(rows.iter().map(|&row| row as usize))?
        }
        Some(rows) => {
            let mut mask = vec![false; file.len()];
            for row in rows {
                mask[row as usize] = true;
            }
            search.cascade(|row| mask[row])?
        }
        None if file.len() <= EXACT_ROWS => search.exact_scan(0..file.len())?,
        None => search.cascade(|_| true)?,
    };
    Ok((found, search.effort))
}

/// The exact cosines of rows proposed by another method, best first.
///
/// # Errors
/// As [`search`].
pub(crate) fn rescore(
    file: &VectorFile,
    query: &VectorQuery,
    k: usize,
    rows: impl Iterator<Item = usize>,
) -> Result<Vec<Neighbour>> {
    query.check_dimensions(file.dimensions())?;
    Search {
        file,
        query,
        kernels: Kernels::best(),
        k,
        effort: Effort::default(),
    }
    .exact_scan(rows)
}

/// The rows that a search may return, ascending; `None` if all may be.
fn allowed_rows(
    file: &VectorFile,
    filter: VectorFilter<'_>,
    removed: &Tombstones,
) -> Option<Vec<u32>> {
    let mut rows: Vec<u32> = Vec::new();
    match filter {
        VectorFilter::All => {
            let hides_a_row = removed.iter().any(|seq| !file.rows_of(seq).is_empty());
            if !hides_a_row {
                return None;
            }
            rows.extend(0..file.len() as u32);
        }
        VectorFilter::Seqs(seqs) => {
            let mut from = 0;
            for &seq in seqs {
                let first = gallop(file, from, seq);
                from = first;
                while from < file.len() && file.id_unchecked(from).seq == seq {
                    rows.push(from as u32);
                    from += 1;
                }
            }
        }
    }
    if !removed.is_empty() {
        rows.retain(|&row| !removed.contains(file.id_unchecked(row as usize).seq));
    }
    Some(rows)
}

/// The first row from `from` on whose event is not before `seq`, by exponential search: a long list
/// of events walks the ids once, a short one skips over them.
fn gallop(file: &VectorFile, from: usize, seq: u64) -> usize {
    let mut step = 1;
    let mut low = from;
    while low + step < file.len() && file.id_unchecked(low + step).seq < seq {
        low += step;
        step *= 2;
    }
    file.partition_point(low, |id| id.seq < seq)
}

struct Search<'a> {
    file: &'a VectorFile,
    query: &'a VectorQuery,
    kernels: Kernels,
    k: usize,
    effort: Effort,
}

/// A row on its way through the stages.
#[derive(Clone, Copy)]
struct CascadeRow {
    row: u32,
    int8_cosine: f32,
    /// A bound of the error of the int8 cosine.
    error: f32,
    is_exact: bool,
}

impl Search<'_> {
    fn exact_scan(&mut self, rows: impl Iterator<Item = usize>) -> Result<Vec<Neighbour>> {
        let mut top = TopK::new(self.k);
        for row in rows {
            self.offer_exact(row, &mut top)?;
        }
        Ok(top.into_sorted())
    }

    fn offer_exact(&mut self, row: usize, top: &mut TopK) -> Result<()> {
        self.effort.float_rows += 1;
        let floats = self.file.float_row(row)?;
        let cosine = self
            .kernels
            .dot_f32_le(self.query.unit(), floats)
            .clamp(-1.0, 1.0);
        if cosine >= top.threshold() {
            let id = self.file.id(row)?;
            top.offer(Neighbour { id, cosine });
        }
        Ok(())
    }

    fn cascade(&mut self, allows: impl Fn(usize) -> bool) -> Result<Vec<Neighbour>> {
        let bits = bits_for(self.file.dimensions());
        let (distances, histogram) = self.distances(&allows)?;
        let wanted = PROPOSED_ROWS.max(self.k.saturating_mul(4));
        let first_radius = radius_of(&histogram, wanted);

        let mut candidates = Vec::with_capacity(wanted * 2);
        self.collect(&distances, &allows, 0..=first_radius, &mut candidates)?;
        let mut top = TopK::new(self.k);
        self.refine(&mut candidates, &mut top)?;

        let radius = match top.threshold() {
            f32::NEG_INFINITY => bits as u32,
            cosine => self.file.distance_bound(self.query, cosine),
        };
        if radius > first_radius {
            self.collect(
                &distances,
                &allows,
                first_radius + 1..=radius,
                &mut candidates,
            )?;
            self.refine(&mut candidates, &mut top)?;
        }
        for candidate in &candidates {
            // Ties matter too: the lower id wins.
            if !candidate.is_exact && candidate.int8_cosine + candidate.error >= top.threshold() {
                self.offer_exact(candidate.row as usize, &mut top)?;
            }
        }
        Ok(top.into_sorted())
    }

    /// The distances of all rows, and a histogram of those of the allowed rows.
    fn distances(&mut self, allows: &impl Fn(usize) -> bool) -> Result<(Vec<u16>, Vec<u32>)> {
        let count = self.file.len();
        let blocks = self.file.bits()?;
        let query = self.file.query_bits(self.query);
        let block_bytes = query.len() * 8 * BLOCK_ROWS;
        let mut histogram = vec![0u32; query.len() * 64 + 1];
        let mut distances = Vec::with_capacity(count.next_multiple_of(BLOCK_ROWS));
        let mut chunk = [0u32; CHUNK_ROWS];
        for blocks in blocks.chunks(CHUNK_ROWS / BLOCK_ROWS * block_bytes) {
            let chunk = &mut chunk[..blocks.len() / block_bytes * BLOCK_ROWS];
            self.kernels.hamming_blocks(&query, blocks, chunk);
            let first = distances.len();
            // There are at most 16,384 bits, so a distance fits in a u16.
            distances.extend(chunk.iter().map(|&distance| distance as u16));
            for (row, &distance) in (first..count).zip(chunk.iter()) {
                histogram[distance as usize] += u32::from(allows(row));
            }
        }
        distances.truncate(count);
        self.effort.bit_rows += count;
        Ok((distances, histogram))
    }

    /// Adds the int8 cosine of every allowed row at one of these distances.
    fn collect(
        &mut self,
        distances: &[u16],
        allows: &impl Fn(usize) -> bool,
        radius: std::ops::RangeInclusive<u32>,
        candidates: &mut Vec<CascadeRow>,
    ) -> Result<()> {
        let query = &self.query.int8;
        let (low, width) = (
            *radius.start() as u16,
            (radius.end() - radius.start()) as u16,
        );
        for (row, &distance) in distances.iter().enumerate() {
            // One comparison checks both ends: distances below `low` wrap around to a large number.
            if distance.wrapping_sub(low) > width || !allows(row) {
                continue;
            }
            let (values, scale) = self.file.int8_row(row)?;
            let product = self.kernels.dot_i8(&query.values, values);
            candidates.push(CascadeRow {
                row: row as u32,
                int8_cosine: product as f32 * scale * query.scale,
                error: error_bound(scale, query.scale),
                is_exact: false,
            });
            self.effort.int8_rows += 1;
        }
        Ok(())
    }

    /// Computes the exact cosines of the best candidates by int8.
    fn refine(&mut self, candidates: &mut [CascadeRow], top: &mut TopK) -> Result<()> {
        if candidates.is_empty() {
            return Ok(());
        }
        let wanted = EXACT_CANDIDATES
            .max(self.k.saturating_mul(2))
            .min(candidates.len());
        candidates.select_nth_unstable_by(wanted - 1, |a, b| {
            b.int8_cosine
                .total_cmp(&a.int8_cosine)
                .then(a.row.cmp(&b.row))
        });
        for candidate in &mut candidates[..wanted] {
            if !candidate.is_exact {
                candidate.is_exact = true;
                self.offer_exact(candidate.row as usize, top)?;
            }
        }
        Ok(())
    }
}

/// The smallest distance within which there are at least `wanted` rows, or the largest possible
/// one.
fn radius_of(histogram: &[u32], wanted: usize) -> u32 {
    let mut rows = 0;
    for (distance, &count) in histogram.iter().enumerate() {
        rows += count as usize;
        if rows >= wanted {
            return distance as u32;
        }
    }
    histogram.len() as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::VectorId;
    use crate::index::vector::testing::{Random, exact, file_of, id_of};
    use crate::model::error::ErrorCode;
    use crate::testing::every;

    fn near(random: &mut Random, vector: &[f32], spread: f32) -> VectorQuery {
        let noise = random.unit_vector(vector.len());
        let moved: Vec<f32> = vector
            .iter()
            .zip(noise)
            .map(|(x, n)| x + spread * n)
            .collect();
        VectorQuery::new(&moved).expect("finite")
    }

    /// The stored floats were rounded once, so neighbours may swap if their cosines differ by less
    /// than that; nothing else may differ.
    fn assert_same(found: &[Neighbour], expected: &[Neighbour]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!(
                a.id == b.id || (a.cosine - b.cosine).abs() < 1e-6,
                "{a:?} instead of {b:?}"
            );
        }
        assert!(
            found
                .windows(2)
                .all(|pair| pair[0].ranking(&pair[1]).is_lt())
        );
    }

    #[test]
    fn answers_are_those_of_the_exact_scan_whatever_the_data() {
        let mut random = Random::new(41);
        // Topics; no structure at all; one narrow cone; near duplicates.
        let shapes = [
            (200, 0.6, 0.0),
            (6000, 0.0, 0.0),
            (50, 0.7, 3.0),
            (20, 0.05, 0.2),
        ];
        for (dimensions, (topics, spread, lean)) in [64, 100, 128, 384]
            .into_iter()
            .zip(shapes)
            .chain([(384, shapes[2])])
        {
            let vectors = random.clustered(6000, dimensions, topics, spread, lean);
            let file = file_of(&vectors);
            for trial in 0..30 / every(3) {
                let base = vectors[random.below(vectors.len())].clone();
                let query = near(&mut random, &base, [0.0, 0.5, 1.5][trial % 3]);
                let found = search(&file, &query, 10, VectorFilter::All, &Tombstones::default());
                let expected = exact(&vectors, query.unit(), 10, |_| true);
                assert_same(&found.expect("sound"), &expected);
            }
        }
    }

    #[test]
    fn near_queries_touch_few_rows() {
        let mut random = Random::new(43);
        let vectors = random.clustered(20_000 / every(2), 384, 500 / every(2), 0.7, 0.2);
        let file = file_of(&vectors);
        for _ in 0..10 {
            let base = vectors[random.below(vectors.len())].clone();
            let query = near(&mut random, &base, 0.5);
            let (_, effort) =
                search_with_effort(&file, &query, 10, VectorFilter::All, &Tombstones::default())
                    .expect("sound");
            assert!(effort.int8_rows < vectors.len() / 10, "{effort:?}");
            assert!(effort.float_rows < 200, "{effort:?}");
        }
    }

    #[test]
    fn filters_and_tombstones_hold_however_many_rows_they_leave() {
        let mut random = Random::new(47);
        let vectors = random.clustered(9_000, 96, 60, 0.5, 0.2);
        let file = file_of(&vectors);
        let query = near(&mut random, &vectors[77].clone(), 0.4);
        let removed: Tombstones = exact(&vectors, query.unit(), 4, |_| true)
            .iter()
            .map(|neighbour| neighbour.id.seq)
            .collect();
        for modulus in [1, 2, 7, 900, 1_000_000] {
            let matches = |seq: u64| seq.is_multiple_of(modulus);
            let seqs: Vec<u64> = (0..6_000).filter(|&seq| matches(seq)).collect();
            for removed in [&Tombstones::default(), &removed] {
                let allows = |seq| matches(seq) && !removed.contains(seq);
                let expected = exact(&vectors, query.unit(), 12, allows);
                let filter = VectorFilter::Seqs(&seqs);
                let found = search(&file, &query, 12, filter, removed).expect("sound");
                assert_same(&found, &expected);
            }
        }
        let found = search(&file, &query, 12, VectorFilter::All, &removed).expect("sound");
        let expected = exact(&vectors, query.unit(), 12, |seq| !removed.contains(seq));
        assert_same(&found, &expected);
    }

    #[test]
    fn equal_vectors_are_answered_in_the_order_of_their_ids() {
        let mut random = Random::new(53);
        let mut vectors = random.clustered(5_000, 128, 10, 0.5, 0.0);
        let copy = random.unit_vector(128);
        for row in (0..5_000).rev().step_by(3) {
            vectors[row] = copy.clone();
        }
        let file = file_of(&vectors);
        let query = VectorQuery::new(&copy).expect("finite");
        let found =
            search(&file, &query, 20, VectorFilter::All, &Tombstones::default()).expect("sound");
        let expected: Vec<VectorId> = (0..5_000)
            .filter(|row| (4_999 - row) % 3 == 0)
            .map(id_of)
            .take(20)
            .collect();
        let ids: Vec<VectorId> = found.iter().map(|neighbour| neighbour.id).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn odd_arguments_get_sensible_answers() {
        let mut random = Random::new(59);
        let vectors = random.clustered(2_500, 64, 10, 0.5, 0.0);
        let file = file_of(&vectors);
        let none = Tombstones::default();
        let query = VectorQuery::new(&vectors[0]).expect("finite");
        let all = |k| {
            search(&file, &query, k, VectorFilter::All, &none)
                .expect("sound")
                .len()
        };
        assert_eq!(all(0), 0);
        assert_eq!(all(2_500), 2_500);
        assert_eq!(all(usize::MAX), 2_500);
        assert_eq!(
            search(&file, &query, 5, VectorFilter::Seqs(&[]), &none).expect("sound"),
            []
        );
        let zero = VectorQuery::new(&[0.0; 64]).expect("finite");
        assert_eq!(
            search(&file, &zero, 5, VectorFilter::All, &none).expect("sound"),
            []
        );
        let other = VectorQuery::new(&[1.0; 65]).expect("finite");
        let error =
            search(&file, &other, 5, VectorFilter::All, &none).expect_err("other dimensions");
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
    }
}
