//! A fixed pseudo-random rotation before signs are taken, which makes the accuracy of sign bits
//! independent of the data.
//!
//! The signs of randomly rotated coordinates differ between two vectors in a fraction θ/π of the
//! bits, where θ is their angle (Charikar 2002). Raw coordinates of real models do not obey this.
//! Because rotated ones do, [`distance_bound`] can bound the distance of a vector with a given
//! cosine.
//!
//! The rotation is three rounds of random signs and a Walsh-Hadamard transform, which takes n log n
//! additions. The signs are part of the file format: they must never change.

use std::f64::consts::PI;

/// Standard deviations of Hamming distance that a search allows for; see [`distance_bound`].
const DISTANCE_DEVIATIONS: f64 = 4.0;

const ROUNDS: u64 = 3;

/// Sign bits per vector: the next power of two, which the transform needs, and at least one word.
pub(crate) fn bits_for(dimensions: usize) -> usize {
    dimensions.next_power_of_two().max(64)
}

/// The finaliser of SplitMix64: every bit of the result depends on every bit of the argument.
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Rotates vectors of one length, and takes the signs of the result.
pub(crate) struct Rotation {
    /// One factor of 1 or -1 per round and coordinate.
    signs: Vec<f32>,
    scratch: Vec<f32>,
}

impl Rotation {
    /// The rotation for vectors of `dimensions` numbers.
    pub(crate) fn new(dimensions: usize) -> Self {
        let bits = bits_for(dimensions);
        let signs = (0..ROUNDS * bits as u64)
            .map(
                |index| match mix(index.wrapping_add(0x52_6563_616c_6c69)) & 1 {
                    0 => 1.0,
                    _ => -1.0,
                },
            )
            .collect();
        Rotation {
            signs,
            scratch: vec![0.0; bits],
        }
    }

    /// The sign bits of the rotated difference of `vector` and `centre`, in words.
    pub(crate) fn sign_bits(&mut self, vector: &[f32], centre: &[f32]) -> Vec<u64> {
        let scratch = &mut self.scratch;
        scratch.fill(0.0);
        for ((slot, x), c) in scratch.iter_mut().zip(vector).zip(centre) {
            *slot = x - c;
        }
        for signs in self.signs.chunks_exact(scratch.len()) {
            for (x, sign) in scratch.iter_mut().zip(signs) {
                *x *= sign;
            }
            walsh_hadamard(scratch);
        }
        scratch
            .chunks_exact(64)
            .map(|chunk| {
                chunk
                    .iter()
                    .enumerate()
                    .fold(0, |word, (bit, &x)| word | u64::from(x >= 0.0) << bit)
            })
            .collect()
    }
}

/// The transform, unscaled since signs do not depend on scale. The length is a power of two. Three
/// rounds at the maximum length grow a number by 2^21, far below the limits of a float.
fn walsh_hadamard(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

/// The largest Hamming distance, with high probability, of two vectors with this cosine.
///
/// The distance of `bits` signs is nearly binomial with the probability θ/π. Four standard
/// deviations above its mean miss one vector in thirty thousand of those exactly at the cosine, and
/// fewer of the closer ones.
pub(crate) fn distance_bound(cosine: f64, bits: usize) -> u32 {
    let probability = cosine.clamp(-1.0, 1.0).acos() / PI;
    let bits = bits as f64;
    let deviation = (bits * probability * (1.0 - probability)).sqrt();
    // At least two: a cosine of 1 has no deviation, but rounding may flip signs near zero.
    (bits * probability + (DISTANCE_DEVIATIONS * deviation).max(2.0))
        .ceil()
        .min(bits) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::testing::Random;

    fn distance(a: &[u64], b: &[u64]) -> u32 {
        a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    #[test]
    fn distances_follow_the_angle_even_for_sparse_vectors() {
        let mut random = Random::new(11);
        for dimensions in [64, 100, 128, 384] {
            let mut rotation = Rotation::new(dimensions);
            let zero = vec![0.0; dimensions];
            let bits = bits_for(dimensions);
            let mut outside = 0;
            let trials = 400;
            for trial in 0..trials {
                // Every second pair is in the plane of two axes, the worst case for raw signs.
                let (mut a, mut b) = (vec![0.0; dimensions], vec![0.0; dimensions]);
                let cosine = random.uniform() * 1.8 - 0.9;
                let sine = (1.0 - cosine * cosine).sqrt();
                if trial % 2 == 0 {
                    let first = random.below(dimensions);
                    let second = (first + 1 + random.below(dimensions - 1)) % dimensions;
                    a[first] = 1.0;
                    b[first] = cosine as f32;
                    b[second] = sine as f32;
                } else {
                    a = random.unit_vector(dimensions);
                    let mut c = random.unit_vector(dimensions);
                    let dot: f32 = a.iter().zip(&c).map(|(x, y)| x * y).sum();
                    for (x, y) in c.iter_mut().zip(&a) {
                        *x -= dot * y;
                    }
                    assert!(crate::embed::normalise(&mut c));
                    for d in 0..dimensions {
                        b[d] = cosine as f32 * a[d] + sine as f32 * c[d];
                    }
                }
                let found = distance(
                    &rotation.sign_bits(&a, &zero),
                    &rotation.sign_bits(&b, &zero),
                );
                outside += u32::from(found > distance_bound(cosine, bits));
            }
            assert!(
                outside <= 1,
                "{outside} of {trials} at {dimensions} dimensions"
            );
        }
    }

    #[test]
    fn the_signs_of_the_format_never_change() {
        let vector: Vec<f32> = (0..100)
            .map(|d| ((d * 37 % 101) as f32 - 50.0) / 50.0)
            .collect();
        let bits = Rotation::new(100).sign_bits(&vector, &[0.0; 100]);
        assert_eq!(bits, FROZEN);
    }

    const FROZEN: [u64; 2] = [0x4969_47ae_e81c_e5de, 0xea52_ced5_7f46_6bf2];
}
