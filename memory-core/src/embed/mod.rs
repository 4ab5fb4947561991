//! Embedders, which turn text into vectors, and the guard between them and the store.
//!
//! An [`Embedder`] can be a model, a program's callback or a table; it can be slow, wrong
//! or stuck. The store calls it only through a [`GuardedEmbedder`], which validates every
//! answer, catches panics and limits the time. If it fails, recall continues with the
//! lexical retriever.

mod callback;
#[cfg(feature = "fastembed")]
pub mod fastembed;
mod guard;
#[cfg_attr(not(feature = "measuring"), doc(hidden))]
pub mod kernels;
mod options;
pub(crate) mod static_table;

pub use callback::CallbackEmbedder;
pub use guard::GuardedEmbedder;
pub use options::FastembedOptions;

use crate::model::error::Result;

/// The maximum number of dimensions of a vector.
pub const MAX_DIMENSIONS: usize = 16_384;

/// The batch size of an embedder that does not specify one (specification: batch 32).
pub const DEFAULT_MAX_BATCH: usize = 32;

/// Turns texts into vectors of a fixed number of dimensions.
///
/// Vectors need not have length 1; the library normalises them. Texts with a similar
/// meaning must get vectors with a high cosine similarity. The same text should always get
/// the same vector.
///
/// An embedder is called from several threads at once, but never while the library holds a
/// lock.
///
/// ```
/// use recallite::embed::{Embedder, embedding_version};
/// use recallite::Result;
///
/// /// Counts vowels: a poor model, but a complete one.
/// struct Vowels;
///
/// impl Embedder for Vowels {
///     fn id(&self) -> &str {
///         "vowels-1"
///     }
///     fn dimensions(&self) -> usize {
///         5
///     }
///     fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
///         let count = |text: &str, vowel| text.chars().filter(|&c| c == vowel).count() as f32;
///         Ok(texts
///             .iter()
///             .map(|text| ['a', 'e', 'i', 'o', 'u'].map(|v| count(text, v)).to_vec())
///             .collect())
///     }
/// }
///
/// assert!(embedding_version(&Vowels).starts_with("vowels-1@"));
/// ```
pub trait Embedder: Send + Sync {
    /// Returns the name of the model and its version, for example `"all-MiniLM-L6-v2"`: 1
    /// to 128 bytes, without control characters. Vectors of different names are never
    /// compared.
    fn id(&self) -> &str;

    /// Returns the number of dimensions of each vector, from 1 to [`MAX_DIMENSIONS`]. It
    /// never changes.
    fn dimensions(&self) -> usize;

    /// Returns one vector of [`dimensions`](Embedder::dimensions) finite numbers for each
    /// text, in the same order. A zero vector says that the text means nothing to this
    /// embedder.
    ///
    /// # Errors
    /// Any; the call may be made again later with the same texts.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;

    /// Returns the maximum number of texts in one call of [`embed`](Embedder::embed); at
    /// least 1.
    fn max_batch(&self) -> usize {
        DEFAULT_MAX_BATCH
    }

    /// Returns what distinguishes two models with the same id, for example 16 hexadecimal
    /// digits.
    ///
    /// This is called when a store is opened, so it must be quick and must not load the
    /// model. The default covers the id and the dimensions. An embedder with files should
    /// cover those too, so that changed weights are noticed.
    fn fingerprint(&self) -> String {
        fingerprint_of(self.id(), self.dimensions(), &[])
    }
}

/// Returns the name under which an embedder's vectors are stored, `id@fingerprint`. Vectors
/// of different versions are never mixed; for a new version, everything is embedded again
/// through the outbox.
pub fn embedding_version(embedder: &dyn Embedder) -> String {
    format!("{}@{}", embedder.id(), embedder.fingerprint())
}

/// Hashes an id, the dimensions and further parts; length prefixes keep different lists of parts
/// apart.
fn fingerprint_of(id: &str, dimensions: usize, parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    let dimensions = (dimensions as u64).to_le_bytes();
    for part in [id.as_bytes(), &dimensions].iter().chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Scales a vector to length 1; the zero vector stays as it is.
///
/// Returns false, and leaves the vector alone, when a number is not finite.
pub(crate) fn normalise(vector: &mut [f32]) -> bool {
    // In f64, a sum of squares of floats neither overflows nor vanishes.
    let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    if !square.is_finite() {
        return false;
    }
    if square > 0.0 {
        let length = square.sqrt();
        for x in vector {
            *x = (f64::from(*x) / length) as f32;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalising_handles_every_magnitude() {
        for magnitude in [1e-38f32, 1e-20, 1.0, 1e20, 3e38] {
            let mut vector = [magnitude, -magnitude];
            assert!(normalise(&mut vector));
            assert!((vector[0] - 0.5f32.sqrt()).abs() < 1e-6, "{magnitude}");
            assert!((vector[1] + 0.5f32.sqrt()).abs() < 1e-6, "{magnitude}");
        }
        let mut zero = [0.0, -0.0];
        assert!(normalise(&mut zero) && zero == [0.0, 0.0]);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(!normalise(&mut [1.0, bad]));
        }
    }

    #[test]
    fn fingerprints_depend_on_every_part() {
        let one = fingerprint_of("a", 3, &[b"xy", b"z"]);
        assert_eq!(one.len(), 16);
        for other in [
            fingerprint_of("b", 3, &[b"xy", b"z"]),
            fingerprint_of("a", 4, &[b"xy", b"z"]),
            fingerprint_of("a", 3, &[b"x", b"yz"]),
            fingerprint_of("a", 3, &[b"xyz"]),
        ] {
            assert_ne!(one, other);
        }
        assert_eq!(one, fingerprint_of("a", 3, &[b"xy", b"z"]));
    }
}
