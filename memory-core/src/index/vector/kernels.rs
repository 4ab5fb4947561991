//! The arithmetic inner loops of the vector index, chosen at run time for the processor.
//!
//! Apart from mmap (`side_file`), this is the only module of the index whose code is `unsafe`.
//! Every public function here is safe: it checks lengths, then calls the best variant that the
//! processor supports. The portable variant is the reference; the others give the same integers,
//! and floats that differ only by rounding.
#![allow(unsafe_code)]

use crate::lazy::RaceLazy;

/// The number of vectors whose sign bits are interleaved in a block; see [`hamming_blocks`].
pub(crate) const BLOCK_ROWS: usize = 8;

/// Bytes of one 64-bit word.
const WORD: usize = size_of::<u64>();

/// A set of inner loops for one level of processor features.
///
/// The function pointers are `unsafe` because they need those features; the constructors below make
/// a `Kernels` value only after detecting them.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    #[cfg_attr(
        not(any(test, feature = "testing")),
        expect(dead_code, reason = "only tests and benches show it")
    )]
    name: &'static str,
    hamming: unsafe fn(&[u64], &[u8], &mut [u32]),
    dot_i8: unsafe fn(&[i8], &[u8]) -> i32,
    dot_f32: unsafe fn(&[f32], &[f32]) -> f32,
    dot_f32_le: unsafe fn(&[f32], &[u8]) -> f32,
}

/// The kernels for this processor, detected once.
static BEST: RaceLazy<Kernels> = RaceLazy::new(|| Kernels::available()[0]);

impl Kernels {
    /// The best kernels for this processor.
    pub(crate) fn best() -> Kernels {
        *BEST
    }

    /// Every level that this processor supports, best first; the last is portable.
    fn available() -> Vec<Kernels> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(x86::avx512());
            levels.extend(x86::avx2());
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        levels.extend(neon::neon());
        levels.push(PORTABLE);
        levels
    }

    /// The level's name, for tests and benches: `avx512`, `avx2`, `neon` or `portable`.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Writes the Hamming distances between `query` and every vector of `blocks` to `out`.
    ///
    /// A block holds the sign bits of [`BLOCK_ROWS`] vectors, word by word: the first word of each
    /// of them, then the second of each, and so on, as little-endian `u64`. So one load fetches the
    /// same word of eight vectors, and no horizontal sum is needed.
    ///
    /// `query` has the words of one vector; `out` gets one distance per vector, including the
    /// padding rows of the last block.
    ///
    /// # Panics
    /// If the lengths do not match, which is a bug of the caller.
    pub(crate) fn hamming_blocks(&self, query: &[u64], blocks: &[u8], out: &mut [u32]) {
        assert_eq!(
            blocks.len(),
            out.len() * query.len() * WORD,
            "bits and distances must describe the same vectors"
        );
        assert_eq!(out.len() % BLOCK_ROWS, 0, "blocks are whole");
        // SAFETY: the features of this level were detected when the value was made, and the
        // lengths, which the kernels rely on, were checked above.
        unsafe { (self.hamming)(query, blocks, out) }
    }

    /// The dot product of `query` and `row`, whose bytes are two's-complement `i8`.
    ///
    /// # Panics
    /// If the lengths differ, which is a bug of the caller.
    pub(crate) fn dot_i8(&self, query: &[i8], row: &[u8]) -> i32 {
        assert_eq!(query.len(), row.len(), "int8 rows have the query's length");
        // SAFETY: the features of this level were detected, the lengths are equal.
        unsafe { (self.dot_i8)(query, row) }
    }

    /// The dot product of two int8 vectors.
    ///
    /// # Panics
    /// If the lengths differ, which is a bug of the caller.
    pub(crate) fn dot_i8s(&self, a: &[i8], b: &[i8]) -> i32 {
        // SAFETY: `i8` and `u8` have the same size and alignment and no invalid values, and the
        // slice keeps its length and lifetime.
        let b = unsafe { std::slice::from_raw_parts(b.as_ptr().cast::<u8>(), b.len()) };
        self.dot_i8(a, b)
    }

    /// The dot product of two float vectors.
    ///
    /// # Panics
    /// If the lengths differ, which is a bug of the caller.
    pub(crate) fn dot_f32(&self, a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len(), "float rows have the query's length");
        // SAFETY: the features of this level were detected, the lengths are equal.
        unsafe { (self.dot_f32)(a, b) }
    }

    /// The dot product of `query` and `row`, whose bytes are little-endian `f32` at any alignment.
    ///
    /// Returns the same float as [`Kernels::dot_f32`] for the same numbers.
    ///
    /// # Panics
    /// If the lengths do not match, which is a bug of the caller.
    pub(crate) fn dot_f32_le(&self, query: &[f32], row: &[u8]) -> f32 {
        assert_eq!(
            size_of_val(query),
            row.len(),
            "float rows have the query's length"
        );
        // SAFETY: the features of this level were detected, the lengths fit.
        unsafe { (self.dot_f32_le)(query, row) }
    }
}

/// The reference implementation of every kernel, in safe code.
const PORTABLE: Kernels = Kernels {
    name: "portable",
    hamming: portable::hamming,
    dot_i8: portable::dot_i8,
    dot_f32: portable::dot_f32,
    dot_f32_le: portable::dot_f32_le,
};

mod portable {
    use super::{BLOCK_ROWS, WORD};

    /// Independent sums, so that the compiler can use vector registers.
    const LANES: usize = 16;

    pub(super) fn hamming(query: &[u64], blocks: &[u8], out: &mut [u32]) {
        if query.is_empty() {
            out.fill(0);
            return;
        }
        let block_bytes = query.len() * BLOCK_ROWS * WORD;
        for (block, out) in blocks
            .chunks_exact(block_bytes)
            .zip(out.chunks_exact_mut(BLOCK_ROWS))
        {
            out.fill(0);
            for (words, q) in block.chunks_exact(BLOCK_ROWS * WORD).zip(query) {
                for (word, distance) in words.chunks_exact(WORD).zip(out.iter_mut()) {
                    let word = u64::from_le_bytes(word.try_into().expect("chunks are words"));
                    *distance += (word ^ q).count_ones();
                }
            }
        }
    }

    pub(super) fn dot_i8(query: &[i8], row: &[u8]) -> i32 {
        query
            .iter()
            .zip(row)
            .map(|(&a, &b)| i32::from(a) * i32::from(b as i8))
            .sum()
    }

    pub(super) fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
        sum(a.iter().copied().zip(b.iter().copied()))
    }

    pub(super) fn dot_f32_le(query: &[f32], row: &[u8]) -> f32 {
        let row = row
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("chunks are floats")));
        sum(query.iter().copied().zip(row))
    }

    fn sum(pairs: impl Iterator<Item = (f32, f32)>) -> f32 {
        let mut lanes = [0.0f32; LANES];
        for (index, (a, b)) in pairs.enumerate() {
            lanes[index % LANES] += a * b;
        }
        lanes.iter().sum()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BLOCK_ROWS, Kernels, WORD};
    use std::arch::x86_64::*;

    pub(super) fn avx512() -> Option<Kernels> {
        let detected = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("avx512vpopcntdq");
        detected.then_some(Kernels {
            name: "avx512",
            hamming: hamming_avx512,
            dot_i8: dot_i8_avx512,
            dot_f32: |a, b| {
                // SAFETY: made only after detection; `dot_f32` checked that the lengths are equal.
                unsafe { dot_f32_avx512(a, b.as_ptr().cast()) }
            },
            dot_f32_le: |a, b| {
                // SAFETY: made only after detection; `dot_f32_le` checked the lengths, and x86 is
                // little-endian, so the bytes are `f32` as stored.
                unsafe { dot_f32_avx512(a, b.as_ptr()) }
            },
        })
    }

    pub(super) fn avx2() -> Option<Kernels> {
        let detected = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        detected.then_some(Kernels {
            name: "avx2",
            hamming: hamming_avx2,
            dot_i8: dot_i8_avx2,
            dot_f32: |a, b| {
                // SAFETY: made only after detection; `dot_f32` checked that the lengths are equal.
                unsafe { dot_f32_avx2(a, b.as_ptr().cast()) }
            },
            dot_f32_le: |a, b| {
                // SAFETY: made only after detection; `dot_f32_le` checked the lengths, and x86 is
                // little-endian, so the bytes are `f32` as stored.
                unsafe { dot_f32_avx2(a, b.as_ptr()) }
            },
        })
    }

    /// # Safety
    /// AVX-512 F and VPOPCNTDQ; `blocks` holds `out.len() * query.len()` words and `out` whole
    /// blocks, as [`Kernels::hamming_blocks`] checks.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    unsafe fn hamming_avx512(query: &[u64], blocks: &[u8], out: &mut [u32]) {
        let step = BLOCK_ROWS * WORD;
        let mut base = blocks.as_ptr();
        for out in out.chunks_exact_mut(BLOCK_ROWS) {
            let mut sum = _mm512_setzero_si512();
            for &q in query {
                // SAFETY: one step of 64 bytes per word and block, which is all `blocks` holds.
                unsafe {
                    let words = _mm512_loadu_si512(base.cast());
                    let differs = _mm512_xor_si512(words, _mm512_set1_epi64(q as i64));
                    sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(differs));
                    base = base.add(step);
                }
            }
            // SAFETY: `out` has eight distances of four bytes.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(sum)) };
        }
    }

    /// # Safety
    /// AVX2; the same lengths as [`hamming_avx512`].
    #[target_feature(enable = "avx2")]
    unsafe fn hamming_avx2(query: &[u64], blocks: &[u8], out: &mut [u32]) {
        // The number of set bits of each half-byte value.
        let table = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2,
            3, 3, 4,
        );
        let low = _mm256_set1_epi8(0x0f);
        let zero = _mm256_setzero_si256();
        let mut base = blocks.as_ptr();
        for out in out.chunks_exact_mut(BLOCK_ROWS) {
            let mut sums = [zero; 2];
            for &q in query {
                let q = _mm256_set1_epi64x(q as i64);
                for sum in &mut sums {
                    // SAFETY: two steps of 32 bytes per word and block, which is all there is.
                    let words = unsafe { _mm256_loadu_si256(base.cast()) };
                    // SAFETY: as above; after the last step it points one past the end.
                    base = unsafe { base.add(32) };
                    let differs = _mm256_xor_si256(words, q);
                    let first = _mm256_shuffle_epi8(table, _mm256_and_si256(differs, low));
                    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(differs), low);
                    let counts = _mm256_add_epi8(first, _mm256_shuffle_epi8(table, high));
                    *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(counts, zero));
                }
            }
            let mut lanes = [0u64; BLOCK_ROWS];
            // SAFETY: `lanes` has 64 bytes, two times 32.
            unsafe {
                _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sums[0]);
                _mm256_storeu_si256(lanes.as_mut_ptr().add(4).cast(), sums[1]);
            }
            for (out, lane) in out.iter_mut().zip(lanes) {
                *out = lane as u32;
            }
        }
    }

    /// # Safety
    /// AVX-512 F, BW and VNNI; both slices have the same length.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn dot_i8_avx512(query: &[i8], row: &[u8]) -> i32 {
        // The instruction multiplies unsigned by signed bytes. Flipping the top bit of the row adds
        // 128 to each of its numbers, so 128 times the sum of the query is subtracted at the end.
        // Everything wraps modulo 2^32, so only the result must fit.
        let top = _mm512_set1_epi8(i8::MIN);
        let ones = _mm512_set1_epi8(1);
        let (mut products, mut sums) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        let mut at = 0;
        while at < query.len() {
            let left = query.len() - at;
            let mask = if left >= 64 { !0 } else { (1u64 << left) - 1 };
            // SAFETY: the mask keeps the loads inside both slices, which have the same length.
            let (q, r) = unsafe {
                (
                    _mm512_maskz_loadu_epi8(mask, query.as_ptr().add(at)),
                    _mm512_maskz_loadu_epi8(mask, row.as_ptr().add(at).cast()),
                )
            };
            // Masked lanes of the row become 128, but those of the query are zero.
            products = _mm512_dpbusd_epi32(products, _mm512_xor_si512(r, top), q);
            sums = _mm512_dpbusd_epi32(sums, ones, q);
            at += 64;
        }
        let shifted = _mm512_sub_epi32(products, _mm512_slli_epi32::<7>(sums));
        _mm512_reduce_add_epi32(shifted)
    }

    /// # Safety
    /// AVX2; both slices have the same length.
    #[target_feature(enable = "avx2")]
    unsafe fn dot_i8_avx2(query: &[i8], row: &[u8]) -> i32 {
        let mut sum = _mm256_setzero_si256();
        let whole = query.len() / 16 * 16;
        let mut at = 0;
        while at < whole {
            // SAFETY: `at + 16 <= whole <= len` of both slices.
            let (q, r) = unsafe {
                (
                    _mm_loadu_si128(query.as_ptr().add(at).cast()),
                    _mm_loadu_si128(row.as_ptr().add(at).cast()),
                )
            };
            let products = _mm256_madd_epi16(_mm256_cvtepi8_epi16(q), _mm256_cvtepi8_epi16(r));
            sum = _mm256_add_epi32(sum, products);
            at += 16;
        }
        let mut lanes = [0i32; 8];
        // SAFETY: `lanes` has 32 bytes.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
        lanes.iter().sum::<i32>() + super::portable::dot_i8(&query[whole..], &row[whole..])
    }

    /// # Safety
    /// AVX-512 F; `row` points to as many little-endian floats as `query` has.
    #[target_feature(enable = "avx512f")]
    unsafe fn dot_f32_avx512(query: &[f32], row: *const u8) -> f32 {
        let row: *const f32 = row.cast();
        let mut sums = [_mm512_setzero_ps(); 2];
        let mut at = 0;
        while at < query.len() {
            let left = query.len() - at;
            let mask = if left >= 16 { !0 } else { (1u16 << left) - 1 };
            // SAFETY: the mask keeps the loads inside both, and `loadu` needs no alignment.
            let (q, r) = unsafe {
                (
                    _mm512_maskz_loadu_ps(mask, query.as_ptr().add(at)),
                    _mm512_maskz_loadu_ps(mask, row.wrapping_add(at)),
                )
            };
            let sum = &mut sums[at / 16 % 2];
            *sum = _mm512_fmadd_ps(q, r, *sum);
            at += 16;
        }
        _mm512_reduce_add_ps(_mm512_add_ps(sums[0], sums[1]))
    }

    /// # Safety
    /// AVX2 and FMA; `row` points to as many little-endian floats as `query` has.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn dot_f32_avx2(query: &[f32], row: *const u8) -> f32 {
        let row: *const f32 = row.cast();
        let mut sums = [_mm256_setzero_ps(); 4];
        let whole = query.len() / 8 * 8;
        let mut at = 0;
        while at < whole {
            // SAFETY: `at + 8 <= whole <= len` of both; `loadu` needs no alignment.
            let (q, r) = unsafe {
                (
                    _mm256_loadu_ps(query.as_ptr().add(at)),
                    _mm256_loadu_ps(row.wrapping_add(at)),
                )
            };
            let sum = &mut sums[at / 8 % 4];
            *sum = _mm256_fmadd_ps(q, r, *sum);
            at += 8;
        }
        let total = _mm256_add_ps(
            _mm256_add_ps(sums[0], sums[1]),
            _mm256_add_ps(sums[2], sums[3]),
        );
        let mut lanes = [0f32; 8];
        // SAFETY: `lanes` has 32 bytes.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), total) };
        let mut result: f32 = lanes.iter().sum();
        for (offset, q) in query.iter().enumerate().skip(whole) {
            // SAFETY: `offset < query.len()`, the number of floats behind `row`.
            result += q * unsafe { row.wrapping_add(offset).read_unaligned() };
        }
        result
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon {
    use super::{BLOCK_ROWS, Kernels, WORD};
    use std::arch::aarch64::*;
    use std::arch::is_aarch64_feature_detected;

    pub(super) fn neon() -> Option<Kernels> {
        is_aarch64_feature_detected!("neon").then_some(Kernels {
            name: "neon",
            hamming: hamming_neon,
            dot_i8: dot_i8_neon,
            dot_f32: |a, b| {
                // SAFETY: made only after detection; `dot_f32` checked that the lengths are equal.
                unsafe { dot_f32_neon(a, b.as_ptr().cast()) }
            },
            dot_f32_le: |a, b| {
                // SAFETY: made only after detection; `dot_f32_le` checked the lengths, and this
                // module is compiled for little-endian targets only.
                unsafe { dot_f32_neon(a, b.as_ptr()) }
            },
        })
    }

    /// # Safety
    /// NEON; `blocks` holds `out.len() * query.len()` words and `out` whole blocks.
    #[target_feature(enable = "neon")]
    unsafe fn hamming_neon(query: &[u64], blocks: &[u8], out: &mut [u32]) {
        let mut base = blocks.as_ptr();
        for out in out.chunks_exact_mut(BLOCK_ROWS) {
            let mut sums = [vdupq_n_u64(0); BLOCK_ROWS / 2];
            for &q in query {
                let q = vreinterpretq_u8_u64(vdupq_n_u64(q));
                for sum in &mut sums {
                    // SAFETY: four steps of two words per word and block, which is all there is.
                    let words = unsafe { vld1q_u8(base) };
                    // SAFETY: as above; after the last step it points one past the end.
                    base = unsafe { base.add(2 * WORD) };
                    let counts = vcntq_u8(veorq_u8(words, q));
                    *sum = vpadalq_u32(*sum, vpaddlq_u16(vpaddlq_u8(counts)));
                }
            }
            for (pair, sum) in out.chunks_exact_mut(2).zip(sums) {
                pair[0] = vgetq_lane_u64::<0>(sum) as u32;
                pair[1] = vgetq_lane_u64::<1>(sum) as u32;
            }
        }
    }

    /// # Safety
    /// NEON; both slices have the same length.
    #[target_feature(enable = "neon")]
    unsafe fn dot_i8_neon(query: &[i8], row: &[u8]) -> i32 {
        let mut sum = vdupq_n_s32(0);
        let whole = query.len() / 16 * 16;
        let mut at = 0;
        while at < whole {
            // SAFETY: `at + 16 <= whole <= len` of both slices.
            let (q, r) = unsafe {
                (
                    vld1q_s8(query.as_ptr().add(at)),
                    vld1q_s8(row.as_ptr().add(at).cast()),
                )
            };
            sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(q), vget_low_s8(r)));
            sum = vpadalq_s16(sum, vmull_high_s8(q, r));
            at += 16;
        }
        vaddvq_s32(sum) + super::portable::dot_i8(&query[whole..], &row[whole..])
    }

    /// # Safety
    /// NEON; `row` points to as many little-endian floats as `query` has.
    #[target_feature(enable = "neon")]
    unsafe fn dot_f32_neon(query: &[f32], row: *const u8) -> f32 {
        let mut sums = [vdupq_n_f32(0.0); 4];
        let whole = query.len() / 4 * 4;
        let mut at = 0;
        while at < whole {
            // SAFETY: `at + 4 <= whole <= len` of both; the row is read as bytes, at any alignment.
            let (q, r) = unsafe {
                (
                    vld1q_f32(query.as_ptr().add(at)),
                    vreinterpretq_f32_u8(vld1q_u8(row.add(at * 4))),
                )
            };
            let sum = &mut sums[at / 4 % 4];
            *sum = vfmaq_f32(*sum, q, r);
            at += 4;
        }
        let total = vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3]));
        let mut result = vaddvq_f32(total);
        for (offset, q) in query.iter().enumerate().skip(whole) {
            // SAFETY: `offset < query.len()`, the number of floats behind `row`.
            result += q * unsafe { row.add(offset * 4).cast::<f32>().read_unaligned() };
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::testing::Random;

    /// The reference implementation, without blocks.
    fn hamming_of(query: &[u64], row: &[u64]) -> u32 {
        query
            .iter()
            .zip(row)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum()
    }

    #[test]
    fn hamming_distances_are_equal_on_every_level() {
        let mut random = Random::new(1);
        for words in 0..=33 {
            for blocks in [0, 1, 2, 5] {
                let query: Vec<u64> = (0..words).map(|_| random.next()).collect();
                let rows: Vec<Vec<u64>> = (0..blocks * BLOCK_ROWS)
                    .map(|_| (0..words).map(|_| random.next()).collect())
                    .collect();
                let mut bytes = vec![0xaa]; // an odd start, so that alignment is never assumed
                for block in rows.chunks(BLOCK_ROWS) {
                    for word in 0..words {
                        for row in block {
                            bytes.extend(row[word].to_le_bytes());
                        }
                    }
                }
                let expected: Vec<u32> = rows.iter().map(|row| hamming_of(&query, row)).collect();
                for kernels in Kernels::available() {
                    let mut out = vec![u32::MAX; rows.len()];
                    kernels.hamming_blocks(&query, &bytes[1..], &mut out);
                    assert_eq!(out, expected, "{} words={words}", kernels.name());
                }
            }
        }
    }

    #[test]
    fn int8_dot_products_are_equal_on_every_level_for_every_length() {
        let mut random = Random::new(2);
        for length in (0..=260).chain([383, 384, 385, 768, 1024, 4096]) {
            let query: Vec<i8> = (0..length).map(|_| random.next() as i8).collect();
            let row: Vec<u8> = (0..=length).map(|_| random.next() as u8).collect();
            let expected: i32 = query
                .iter()
                .zip(&row[1..])
                .map(|(&a, &b)| a as i32 * b as i8 as i32)
                .sum();
            for kernels in Kernels::available() {
                let found = kernels.dot_i8(&query, &row[1..]);
                assert_eq!(found, expected, "{} length={length}", kernels.name());
            }
        }
    }

    #[test]
    fn int8_dot_products_survive_the_extreme_values() {
        for length in [1, 63, 64, 65, 384, 16_384] {
            for (a, b) in [(i8::MIN, i8::MIN), (i8::MIN, i8::MAX), (127, 127), (-1, 1)] {
                let query = vec![a; length];
                let row = vec![b as u8; length];
                for kernels in Kernels::available() {
                    let expected = a as i32 * b as i32 * length as i32;
                    assert_eq!(kernels.dot_i8(&query, &row), expected, "{}", kernels.name());
                }
            }
        }
    }

    #[test]
    fn float_dot_products_are_close_on_every_level_for_every_length() {
        let mut random = Random::new(3);
        for length in (0..=130).chain([383, 384, 385, 1024]) {
            let a: Vec<f32> = (0..length).map(|_| random.normal()).collect();
            let b: Vec<f32> = (0..length).map(|_| random.normal()).collect();
            let mut bytes = vec![0xaa];
            bytes.extend(b.iter().flat_map(|x| x.to_le_bytes()));
            let exact: f64 = a.iter().zip(&b).map(|(&x, &y)| x as f64 * y as f64).sum();
            for kernels in Kernels::available() {
                let found = kernels.dot_f32(&a, &b);
                let tolerance = 1e-5 * (length as f64 + 1.0);
                assert!(
                    (found as f64 - exact).abs() <= tolerance,
                    "{} length={length}: {found} against {exact}",
                    kernels.name()
                );
                let from_bytes = kernels.dot_f32_le(&a, &bytes[1..]);
                assert_eq!(found.to_bits(), from_bytes.to_bits(), "{}", kernels.name());
            }
        }
    }

    #[test]
    #[should_panic(expected = "the query's length")]
    fn rows_of_another_length_are_refused() {
        Kernels::best().dot_f32(&[1.0, 2.0], &[1.0]);
    }
}
