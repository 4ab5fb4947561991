//! The weights that recall uses for ranking.

use recallite::RecallWeights;

use crate::call::guard;
use crate::error::recallite_error;
use crate::generated::recallite_recall_weights;
use crate::generated::recallite_status;
use crate::input;

/// Sets every weight to its default.
///
/// @param[in,out] weights begin with RECALLITE_INIT(recallite_recall_weights).
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when weights is NULL or has a wrong
///     struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_recall_weights_default(
    weights: *mut recallite_recall_weights,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        let mut defaults = recallite_recall_weights::of(&RecallWeights::default());
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        defaults.struct_size = unsafe { input::read("weights", weights) }?.struct_size;
        // SAFETY: `read` checked the pointer, and that the size that the caller claims to
        // be writable does not exceed this struct.
        unsafe {
            std::ptr::copy_nonoverlapping(
                std::ptr::from_ref(&defaults).cast::<u8>(),
                weights.cast::<u8>(),
                defaults.struct_size,
            );
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn what_an_older_struct_lacks_is_at_its_default() {
        let mut weights = recallite_recall_weights::of(&RecallWeights::none());
        // As if the first version had only had the first two weights.
        let size = offset_of!(recallite_recall_weights, similarity_by_vectors);
        weights.struct_size = size;
        let base = recallite_recall_weights::of(&RecallWeights::default());
        // SAFETY: the struct is larger than its `struct_size` says.
        let read = unsafe { input::overlaid(&weights, size, base) }.made();
        let mut expected = RecallWeights::default();
        expected.query_expansion = 0.0;
        expected.similarity_by_words = 0.0;
        assert_eq!(read, expected);
    }
}
