//! How much each part of the recipe of recall counts.

use recallite::{RecallWeights, Result};

use crate::call::guard;
use crate::error::recallite_error;
use crate::input::{self, Input};
use crate::status::recallite_status;

/// How much each part of the recipe of recall counts. 0 switches a part off, so
/// zero is not the default here: begin with
/// RECALLITE_INIT(recallite_recall_weights), call recallite_recall_weights_default,
/// and change what shall differ.
///
/// Scores are parts of the best passage's own score, shares are parts of the value
/// that they are taken of. docs/recall.md tells what each part gains. The relevance
/// of hits is calibrated for the defaults: with other weights a relevance of 0.75 no
/// longer means that three of four are right.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_recall_weights {
    /// sizeof(recallite_recall_weights).
    pub struct_size: usize,
    /// How far words count that are only like a word of the question, as a share
    /// of their likeness by the static table. At 0 a question finds its own words
    /// and their other forms alone.
    /// 0 to 1; default 1.0.
    pub soft_words: f32,
    /// What two neighbouring words of the question add when they are neighbours
    /// in a passage too, as a part of their mean rarity.
    /// 0 to 10; default 0.5.
    pub word_pairs: f32,
    /// What the passage gains that is nearest to the question as a whole by the
    /// directions of their words, others in proportion. Where there are vectors
    /// of an embedder they take its place.
    /// 0 to 10; default 0.15.
    pub nearness_by_words: f32,
    /// What the event gains that is nearest to the question by the embedder's
    /// vectors, others in proportion. At 0 the embedder is not asked, and nothing
    /// is found by its vector alone. Measured with all-MiniLM-L6-v2: 0.4 to 0.6 are
    /// alike.
    /// 0 to 10; default 0.5.
    pub nearness_by_vectors: f32,
    /// How much of what several passages of an event cover together counts beyond
    /// its best passage.
    /// 0 to 1; default 0.1.
    pub passage_union: f32,
    /// How much the scores of the turns around a turn count for it, all together.
    /// 0 to 10; default 0.5.
    pub context_scores: f32,
    /// The share of the previous turn's score in context_scores.
    /// 0 to 1; default 0.4.
    pub score_previous: f32,
    /// The share of the next turn's score in context_scores.
    /// 0 to 1; default 0.3.
    pub score_next: f32,
    /// The share of the score of the turn before the previous one.
    /// 0 to 1; default 0.3.
    pub score_second_previous: f32,
    /// The share of the score of the turn after the next one.
    /// 0 to 1; default 0.1.
    pub score_second_next: f32,
    /// What a turn gains of the score of the turn before it when that one is a
    /// question: it is likely the answer.
    /// 0 to 10; default 0.1.
    pub after_question: f32,
    /// How much it counts that the turns around a turn hold words of the question
    /// that it lacks: "thirty seconds" answers a question that only the turn
    /// before it names.
    /// 0 to 10; default 0.5.
    pub context_words: f32,
    /// How far a word of the previous turn counts as one of this turn.
    /// 0 to 1; default 0.6.
    pub words_previous: f32,
    /// How far a word of the next turn counts as one of this turn.
    /// 0 to 1; default 0.6.
    pub words_next: f32,
    /// How far a word of the turn before the previous one counts.
    /// 0 to 1; default 0.5.
    pub words_second_previous: f32,
    /// How far a word of the turn after the next one counts.
    /// 0 to 1; default 0.4.
    pub words_second_next: f32,
    /// How fast context counts less for long turns, which explain themselves: it
    /// is divided by 1 + this for every 25 words beyond the first 25.
    /// 0 to 10; default 0.2.
    pub long_turn_damping: f32,
    /// What a turn loses that is itself a question.
    /// 0 to 10; default 0.1.
    pub question_penalty: f32,
    /// What the turns of a speaker gain whom the question names, when it is one.
    /// 0 to 10; default 0.25.
    pub named_actor: f32,
    /// What an event gains that happened when the question says, less the farther
    /// from it.
    /// 0 to 10; default 0.3.
    pub date: f32,
    /// What an event gains that holds a word of time when the question asks when.
    /// 0 to 10; default 0.2.
    pub temporal: f32,
    /// The share of its score that a near copy of a better hit loses, so that ten
    /// hits are not ten copies of one tool output.
    /// 0 to 1; default 0.3.
    pub duplicate_demotion: f32,
    /// The share of its score and of its relevance that an event loses while what
    /// was learned from it is contested. The default is the specification's
    /// factor of 0.7.
    /// 0 to 1; default 0.3.
    pub contested_demotion: f32,
}

/// Writes the way to and from the core's weights, field by field.
macro_rules! both_ways {
    ($($field:ident,)*) => {
        impl recallite_recall_weights {
            fn of(weights: &RecallWeights) -> Self {
                recallite_recall_weights {
                    struct_size: size_of::<Self>(),
                    $($field: weights.$field,)*
                }
            }

            fn weights(&self) -> RecallWeights {
                let mut weights = RecallWeights::default();
                $(weights.$field = self.$field;)*
                weights
            }

            #[cfg(test)]
            const NAMES: &'static [&'static str] = &[$(stringify!($field),)*];
        }
    };
}

both_ways! {
    soft_words,
    word_pairs,
    nearness_by_words,
    nearness_by_vectors,
    passage_union,
    context_scores,
    score_previous,
    score_next,
    score_second_previous,
    score_second_next,
    after_question,
    context_words,
    words_previous,
    words_next,
    words_second_previous,
    words_second_next,
    long_turn_damping,
    question_penalty,
    named_actor,
    date,
    temporal,
    duplicate_demotion,
    contested_demotion,
}

// SAFETY: repr(C), the size comes first, and floats take every bit pattern.
unsafe impl Input for recallite_recall_weights {
    const FIRST_SIZE: usize = size_of::<recallite_recall_weights>();
}

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
        // SAFETY: `read` checked the pointer and that so many bytes, which the
        // caller says are there, are no more than this struct has.
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

/// The weights of the caller. What an older struct does not have is at its
/// default.
///
/// # Safety
/// `weights` is NULL or points to a struct whose first field tells its size.
pub(crate) unsafe fn recall_weights(
    argument: &str,
    weights: *const recallite_recall_weights,
) -> Result<RecallWeights> {
    let defaults = recallite_recall_weights::of(&RecallWeights::default());
    // SAFETY: the caller keeps the same condition.
    Ok(unsafe { input::read_over(argument, weights, defaults) }?.weights())
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn every_weight_of_the_core_has_a_field() {
        assert_eq!(recallite_recall_weights::NAMES, RecallWeights::NAMES);
    }

    #[test]
    fn what_an_older_struct_lacks_is_at_its_default() {
        let mut weights = recallite_recall_weights::of(&RecallWeights::none());
        // As if the first version had ended with the first two weights.
        let size = offset_of!(recallite_recall_weights, nearness_by_words);
        weights.struct_size = size;
        let base = recallite_recall_weights::of(&RecallWeights::default());
        // SAFETY: the struct is longer than it says.
        let read = unsafe { input::overlaid(&weights, size, base) }.weights();
        let mut expected = RecallWeights::default();
        expected.soft_words = 0.0;
        expected.word_pairs = 0.0;
        assert_eq!(read, expected);
    }
}
