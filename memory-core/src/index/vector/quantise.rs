//! Int8 quantisation, the middle stage of a search between sign bits and floats.

/// Standard deviations of rounding error that a search allows before it rejects a vector by its
/// int8 score. With six, fewer than one true result in a hundred million is lost.
const ERROR_DEVIATIONS: f32 = 6.0;

/// A vector quantised to `i8`, with its scale.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Int8Vector {
    /// From -127 to 127.
    pub values: Vec<i8>,
    /// The value of one step; 0 for the zero vector.
    pub scale: f32,
}

impl Int8Vector {
    /// Rounds a vector of finite numbers; the largest magnitude becomes 127.
    pub(crate) fn new(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0.0f32, |max, x| max.max(x.abs()));
        let scale = largest / 127.0;
        if scale == 0.0 || !scale.is_finite() {
            return Int8Vector {
                values: vec![0; vector.len()],
                scale: 0.0,
            };
        }
        let values = vector
            .iter()
            // A float-to-int cast saturates, so no input can wrap.
            .map(|x| (x / scale).round().clamp(-127.0, 127.0) as i8)
            .collect();
        Int8Vector { values, scale }
    }
}

/// A bound of the difference between the int8 dot product of two unit vectors and the true one.
///
/// Rounding moves each number by at most half a step, uniformly, so the error of the dot product
/// has the variance (a² + b²) / 12 for the steps a and b of the two vectors.
pub(crate) fn error_bound(scale_a: f32, scale_b: f32) -> f32 {
    ERROR_DEVIATIONS * ((scale_a * scale_a + scale_b * scale_b) / 12.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::kernels::Kernels;
    use crate::index::vector::testing::Random;

    #[test]
    fn dot_products_stay_within_the_error_bound() {
        let mut random = Random::new(5);
        for dimensions in [1, 2, 3, 16, 128, 384, 1024] {
            for _ in 0..500 {
                let (a, b) = (
                    random.unit_vector(dimensions),
                    random.unit_vector(dimensions),
                );
                let (x, y) = (Int8Vector::new(&a), Int8Vector::new(&b));
                let row: Vec<u8> = y.values.iter().map(|&v| v as u8).collect();
                let rounded = Kernels::best().dot_i8(&x.values, &row) as f32 * x.scale * y.scale;
                let exact = Kernels::best().dot_f32(&a, &b);
                assert!(
                    (rounded - exact).abs() <= error_bound(x.scale, y.scale),
                    "{dimensions}: {rounded} {exact}"
                );
            }
        }
    }

    #[test]
    fn zero_and_tiny_vectors_become_zero() {
        assert_eq!(Int8Vector::new(&[0.0, -0.0]).scale, 0.0);
        let tiny = Int8Vector::new(&[f32::MIN_POSITIVE / 1e6, 0.0]);
        assert!(tiny.scale.is_finite());
        assert_eq!(Int8Vector::new(&[]).values, Vec::<i8>::new());
    }
}
