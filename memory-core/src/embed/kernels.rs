//! Dot products of 4-bit rows with 8-bit vectors: the innermost loop of query expansion,
//! with a vector path chosen at run time and a portable fallback.
#![allow(unsafe_code)]

/// Dimensions of a row.
const DIMENSIONS: usize = 128;

/// A vector of 8-bit codes, split into even and odd dimensions to match the nibble order of
/// a packed row.
#[derive(Clone, Debug)]
pub struct Split {
    even: [i8; DIMENSIONS / 2],
    odd: [i8; DIMENSIONS / 2],
    /// 8 × the sum of all codes, to cancel the offset of 8 in the rows.
    offset: i32,
}

impl Split {
    /// Splits a vector.
    pub fn new(codes: &[i8; DIMENSIONS]) -> Self {
        let mut split = Split {
            even: [0; DIMENSIONS / 2],
            odd: [0; DIMENSIONS / 2],
            offset: 8 * codes.iter().map(|&c| c as i32).sum::<i32>(),
        };
        for (i, pair) in codes.as_chunks::<2>().0.iter().enumerate() {
            split.even[i] = pair[0];
            split.odd[i] = pair[1];
        }
        split
    }

    /// Σ vector · (code − 8) over a packed row (low nibble = even dimension).
    #[inline]
    pub fn dot(&self, row: &[u8; DIMENSIONS / 2]) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was just found to have AVX2.
            return unsafe { self.dot_avx2(row) };
        }
        self.dot_portable(row)
    }

    fn dot_portable(&self, row: &[u8; DIMENSIONS / 2]) -> i32 {
        let mut sum = 0i32;
        for ((&byte, &even), &odd) in row.iter().zip(&self.even).zip(&self.odd) {
            sum += (byte & 15) as i32 * even as i32 + (byte >> 4) as i32 * odd as i32;
        }
        sum - self.offset
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn dot_avx2(&self, row: &[u8; DIMENSIONS / 2]) -> i32 {
        use std::arch::x86_64::*;
        let mask = _mm256_set1_epi8(15);
        let ones = _mm256_set1_epi16(1);
        let mut sum = _mm256_setzero_si256();
        for half in [0, 32] {
            // SAFETY: each array has 64 bytes, so 32 bytes from 0 and from 32
            // are inside; unaligned loads are used.
            let (bytes, even, odd) = unsafe {
                (
                    _mm256_loadu_si256(row.as_ptr().add(half).cast()),
                    _mm256_loadu_si256(self.even.as_ptr().add(half).cast()),
                    _mm256_loadu_si256(self.odd.as_ptr().add(half).cast()),
                )
            };
            let low = _mm256_and_si256(bytes, mask);
            let high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), mask);
            // At most 2 · 15 · 127 = 3810 per 16-bit lane: no saturation.
            let products = _mm256_add_epi16(
                _mm256_maddubs_epi16(low, even),
                _mm256_maddubs_epi16(high, odd),
            );
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, ones));
        }
        horizontal_sum(sum) - self.offset
    }
}

/// Adds `factor` times the codes of a packed row (code − 8) to a sum, whose first half
/// holds the even dimensions and whose second half the odd ones. Every path gives the same
/// bits.
#[inline]
pub fn add_row(sum: &mut [f32; DIMENSIONS], row: &[u8; DIMENSIONS / 2], factor: f32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was just found to have AVX2.
        return unsafe { add_row_avx2(sum, row, factor) };
    }
    add_row_portable(sum, row, factor);
}

fn add_row_portable(sum: &mut [f32; DIMENSIONS], row: &[u8; DIMENSIONS / 2], factor: f32) {
    let (even, odd) = sum.split_at_mut(DIMENSIONS / 2);
    for ((&byte, even), odd) in row.iter().zip(even).zip(odd) {
        *even += ((byte & 15) as i32 - 8) as f32 * factor;
        *odd += ((byte >> 4) as i32 - 8) as f32 * factor;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_row_avx2(sum: &mut [f32; DIMENSIONS], row: &[u8; DIMENSIONS / 2], factor: f32) {
    use std::arch::x86_64::*;
    let (mask, eight) = (_mm256_set1_epi32(15), _mm256_set1_epi32(8));
    let factor = _mm256_set1_ps(factor);
    let sum = sum.as_mut_ptr();
    for part in 0..DIMENSIONS / 16 {
        // SAFETY: 8 bytes from a multiple of 8 below 64 are inside the row; 8
        // values from the same place in either half are inside the sum.
        unsafe {
            let bytes = _mm_loadl_epi64(row.as_ptr().add(part * 8).cast());
            let bytes = _mm256_cvtepu8_epi32(bytes);
            let low = _mm256_sub_epi32(_mm256_and_si256(bytes, mask), eight);
            let high = _mm256_sub_epi32(_mm256_srli_epi32(bytes, 4), eight);
            for (codes, at) in [(low, part * 8), (high, DIMENSIONS / 2 + part * 8)] {
                // Not fused, because the portable path rounds twice.
                let product = _mm256_mul_ps(_mm256_cvtepi32_ps(codes), factor);
                let place = sum.add(at);
                _mm256_storeu_ps(place, _mm256_add_ps(_mm256_loadu_ps(place), product));
            }
        }
    }
}

/// Dot products of a vector of 8-bit codes with consecutive rows of such codes.
/// Codes are at least −127.
pub fn dot_codes(
    vector: &[i8; DIMENSIONS],
    rows: &[[u8; DIMENSIONS]],
    mut put: impl FnMut(usize, i32),
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was just found to have AVX2.
        return unsafe { dot_codes_avx2(vector, rows, put) };
    }
    for (at, row) in rows.iter().enumerate() {
        put(at, dot_codes_portable(vector, row));
    }
}

fn dot_codes_portable(a: &[i8; DIMENSIONS], b: &[u8; DIMENSIONS]) -> i32 {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| x as i32 * (y as i8) as i32)
        .sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_codes_avx2(
    vector: &[i8; DIMENSIONS],
    rows: &[[u8; DIMENSIONS]],
    mut put: impl FnMut(usize, i32),
) {
    use std::arch::x86_64::*;
    const PARTS: usize = DIMENSIONS / 32;
    let mut codes = [_mm256_setzero_si256(); PARTS];
    let mut sizes = codes;
    for part in 0..PARTS {
        // SAFETY: 32 bytes from a multiple of 32 below 128 are inside the array.
        codes[part] = unsafe { _mm256_loadu_si256(vector.as_ptr().add(part * 32).cast()) };
        sizes[part] = _mm256_abs_epi8(codes[part]);
    }
    let ones = _mm256_set1_epi16(1);
    let dot = |row: &[u8; DIMENSIONS]| {
        let mut sum = _mm256_setzero_si256();
        for part in 0..PARTS {
            // SAFETY: as above, inside the row.
            let other = unsafe { _mm256_loadu_si256(row.as_ptr().add(part * 32).cast()) };
            // At most 2 · 127 · 127 = 32258 per 16-bit lane: no saturation.
            let products = _mm256_maddubs_epi16(sizes[part], _mm256_sign_epi8(other, codes[part]));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, ones));
        }
        sum
    };
    let (fours, rest) = rows.as_chunks::<4>();
    for (at, four) in fours.iter().enumerate() {
        let low = _mm256_hadd_epi32(dot(&four[0]), dot(&four[1]));
        let high = _mm256_hadd_epi32(dot(&four[2]), dot(&four[3]));
        let sums = _mm256_hadd_epi32(low, high);
        let sums = _mm_add_epi32(
            _mm256_castsi256_si128(sums),
            _mm256_extracti128_si256(sums, 1),
        );
        put(at * 4, _mm_extract_epi32(sums, 0));
        put(at * 4 + 1, _mm_extract_epi32(sums, 1));
        put(at * 4 + 2, _mm_extract_epi32(sums, 2));
        put(at * 4 + 3, _mm_extract_epi32(sums, 3));
    }
    for (at, row) in rest.iter().enumerate() {
        put(fours.len() * 4 + at, horizontal_sum(dot(row)));
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn horizontal_sum(sum: std::arch::x86_64::__m256i) -> i32 {
    use std::arch::x86_64::*;
    let four = _mm_add_epi32(
        _mm256_castsi256_si128(sum),
        _mm256_extracti128_si256(sum, 1),
    );
    let two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0b01_00_11_10));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32(two, 0b10_11_00_01));
    _mm_cvtsi128_si32(one)
}

/// Bit masks over 64 bytes of ASCII, lowest bit first: letters, digits or underscores;
/// capitals or underscores; and `.`, `!` or `?`.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn word_bits(bytes: &[u8; 64]) -> [u64; 3] {
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { word_bits_sse2(bytes) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn word_bits_sse2(bytes: &[u8; 64]) -> [u64; 3] {
    use std::arch::x86_64::*;
    let all = |byte: u8| _mm_set1_epi8(byte as i8);
    let or = |a, b| _mm_or_si128(a, b);
    let is = |bytes, byte| _mm_cmpeq_epi8(bytes, all(byte));
    // Signed comparisons are fine: ASCII bytes are below 128.
    let in_range = |bytes, first: u8, last: u8| {
        _mm_and_si128(
            _mm_cmpgt_epi8(bytes, all(first - 1)),
            _mm_cmplt_epi8(bytes, all(last + 1)),
        )
    };
    let bits = |high| u64::from(_mm_movemask_epi8(high) as u16);
    let mut found = [0; 3];
    for (at, sixteen) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let number = u128::from_le_bytes(*sixteen);
        let sixteen = _mm_set_epi64x((number >> 64) as i64, number as i64);
        let letter = in_range(or(sixteen, all(0x20)), b'a', b'z');
        let underscore = is(sixteen, b'_');
        let word = or(or(letter, underscore), in_range(sixteen, b'0', b'9'));
        let capital = _mm_and_si128(letter, _mm_cmplt_epi8(sixteen, all(b'a')));
        let ends = or(or(is(sixteen, b'.'), is(sixteen, b'!')), is(sixteen, b'?'));
        found[0] |= bits(word) << (at * 16);
        found[1] |= bits(or(capital, underscore)) << (at * 16);
        found[2] |= bits(ends) << (at * 16);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_vector_path_equals_the_portable_one(
            codes in proptest::collection::vec(-127i8..=127, DIMENSIONS),
            row in proptest::collection::vec(any::<u8>(), DIMENSIONS / 2),
        ) {
            let codes: [i8; DIMENSIONS] = codes.try_into().unwrap();
            let row: [u8; DIMENSIONS / 2] = row.try_into().unwrap();
            let exact: i32 = (0..DIMENSIONS)
                .map(|d| {
                    let nibble = if d % 2 == 0 { row[d / 2] & 15 } else { row[d / 2] >> 4 };
                    codes[d] as i32 * (nibble as i32 - 8)
                })
                .sum();
            let split = Split::new(&codes);
            prop_assert_eq!(split.dot_portable(&row), exact);
            prop_assert_eq!(split.dot(&row), exact);
            let (mut fast, mut slow) = ([0.5; DIMENSIONS], [0.5; DIMENSIONS]);
            add_row(&mut fast, &row, 0.37);
            add_row_portable(&mut slow, &row, 0.37);
            prop_assert_eq!(fast.map(f32::to_bits), slow.map(f32::to_bits));
            let long: [u8; DIMENSIONS] = std::array::from_fn(|d| row[d / 2].wrapping_mul(d as u8 | 1));
            let rows: [[u8; DIMENSIONS]; 7] = std::array::from_fn(|r| {
                std::array::from_fn(|d| match long[(d + r) % DIMENSIONS].wrapping_add(r as u8) {
                    // Codes are at least −127.
                    128 => 129,
                    code => code,
                })
            });
            let mut seen = 0;
            dot_codes(&codes, &rows, |at, dot| {
                assert_eq!((at, dot), (seen, dot_codes_portable(&codes, &rows[at])));
                seen += 1;
            });
            prop_assert_eq!(seen, rows.len());
        }
    }
}
