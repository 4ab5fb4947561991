//! The parts of the recipe of recall that are no options: their weights, and why they have
//! these values. Alone they gain nothing in recall@10 or hit@10 that is more than noise on chats
//! or transcripts, or are shares of a weight that is an option. Benches change them to measure
//! what they gain.

#[cfg(any(test, feature = "measuring"))]
use crate::model::error::{Error, Result};

/// Declares the weights with name and value.
macro_rules! fixed_weights {
    ($($(#[$meta:meta])* $field:ident = $value:literal;)*) => {
        /// The weights of recall that are no options. As everywhere, 0 switches a feature
        /// off.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct FixedWeights {
            $(
                $(#[$meta])*
                pub $field: f32,
            )*
        }

        impl FixedWeights {
            /// The values in force.
            pub(crate) const MEASURED: FixedWeights = FixedWeights { $($field: $value,)* };
            /// Every feature off.
            pub(crate) const NONE: FixedWeights = FixedWeights { $($field: 0.0,)* };

            /// Sets the weight with this name.
            ///
            /// # Errors
            /// `invalid_argument` for an unknown name, or a weight that is not finite or is
            /// negative.
            #[cfg(any(test, feature = "measuring"))]
            pub fn set(&mut self, name: &str, weight: f32) -> Result<()> {
                let field = match name {
                    $(stringify!($field) => &mut self.$field,)*
                    _ => return Err(refused(name, "is no fixed weight")),
                };
                if !(0.0..f32::INFINITY).contains(&weight) {
                    return Err(refused(name, "must be finite and at least 0"));
                }
                *field = weight;
                Ok(())
            }
        }
    };
}

fixed_weights! {
    /// The boost for a pair of adjacent words of the question that are also adjacent in a
    /// passage, as a fraction of their mean rarity. An event that contains the identifiers
    /// of the question (`PROJ-4599`, `v1.2.14`) letter for letter gets 1.2 times as much of
    /// the best score.
    ///
    /// Without it: chats +0.1 (nDCG@10 -0.6), transcripts 0 (nDCG@10 -2.6).
    phrase_proximity = 0.5;
    /// How much it counts when several passages of an event together cover more of the
    /// question than its best passage alone.
    ///
    /// Without it: chats 0, transcripts 0 (nDCG@10 -1.2).
    passage_union = 0.1;
    /// The share of the previous turn's score in `context_scores`.
    score_previous = 0.4;
    /// The share of the next turn's score in `context_scores`.
    score_next = 0.3;
    /// The share of the second previous turn's score in `context_scores`.
    score_second_previous = 0.3;
    /// The share of the second next turn's score in `context_scores`.
    score_second_next = 0.1;
    /// The boost for a turn that follows a question, as a fraction of that question's
    /// score: it is likely to be the answer. At 0, the question asked earlier may also rank
    /// above its answer.
    ///
    /// Without it: chats -0.3 (nDCG@10 -1.0), transcripts 0.
    after_question = 0.1;
    /// How much a word of the previous turn counts as a word of this turn.
    words_previous = 0.6;
    /// How much a word of the next turn counts as a word of this turn.
    words_next = 0.6;
    /// How much a word of the second previous turn counts as a word of this turn.
    words_second_previous = 0.5;
    /// How much a word of the second next turn counts as a word of this turn.
    words_second_next = 0.4;
    /// How quickly context loses weight for long turns, which need less of it: it is
    /// divided by 1 + this for every 25 words beyond the first 25.
    ///
    /// Without it: assistants' dialogues (BEAM) -3.6 (nDCG@10 -6.4), chats -0.3, transcripts -1.4
    /// (nDCG@10 -3.1).
    long_turn_damping = 0.2;
    /// The penalty for a turn that is itself a question. It is smaller from eight words on, because
    /// a long prompt says more than it asks.
    ///
    /// Without it: chats -0.2, assistants' dialogues (BEAM) +1.2 (nDCG@10 +1.0), transcripts 0.
    question_penalty = 0.1;
    /// The boost for a passage that defines a name made of words of the question, such as
    /// `def vector_norm`, in proportion to how much of each the other covers.
    ///
    /// Without it: questions about code -0.6 (nDCG@10 -0.7), chats 0, transcripts 0.
    definitions = 0.3;
    /// The boost for a passage whose comment documents a definition in words of the question, in
    /// the same proportion. Weights from 0.5 to 1 measure alike.
    ///
    /// Without it: questions about code -1.3 (nDCG@10 -0.2), chats 0, transcripts 0.
    doc_comments = 0.6;
    /// The boost for an event that contains a word about time when the question asks when.
    ///
    /// Without it: chats -0.4 (nDCG@10 -0.7), transcripts 0 (nDCG@10 -0.9).
    temporal = 0.2;
    /// The boost for the newest event if the query is a conversational message rather than a
    /// question; older events get less. Weights from 0.3 to 0.6 measure alike.
    ///
    /// Without it: assistants' dialogues (RealMem) -4.1 (nDCG@10 -3.4), chats 0, transcripts 0.
    recent = 0.4;
    /// The share of the scores of the two best other matches in its session that an event gains
    /// if the query is such a message, which is about a whole discussion rather than one fact.
    ///
    /// Without it: assistants' dialogues (RealMem) -1.4 (nDCG@10 -0.8), chats 0, transcripts 0.
    sessions = 0.2;
    /// The share of its own score that a prompt gains if it states a preference and the query asks
    /// for advice. Weights from 0.4 to 0.8 gain the same recall.
    ///
    /// Without it: assistants' dialogues (BEAM) -3.4 (nDCG@10 -2.6), chats 0, transcripts 0.
    preferences = 0.5;
    /// The boost for an event at the highest level, with lower levels in proportion: among
    /// about equally good events, those used often come first. It has no effect in stores
    /// that have not been used yet, such as those of the other measurements.
    level = 0.02;
}

impl FixedWeights {
    /// The shares of the scores of the previous, next, second previous and second
    /// next turn.
    pub(crate) fn score_shares(&self) -> [f32; 4] {
        [
            self.score_previous,
            self.score_next,
            self.score_second_previous,
            self.score_second_next,
        ]
    }

    /// The shares of their words, in the same order.
    pub(crate) fn word_shares(&self) -> [f32; 4] {
        [
            self.words_previous,
            self.words_next,
            self.words_second_previous,
            self.words_second_next,
        ]
    }
}

#[cfg(any(test, feature = "measuring"))]
fn refused(name: &str, why: &str) -> Error {
    Error::invalid(format!("fixed_weights.{name}"), why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_weights_that_exist_and_make_sense_are_set() {
        let mut weights = FixedWeights::MEASURED;
        for (name, wrong) in [("date", 0.1), ("level", -0.1), ("level", f32::NAN)] {
            let error = weights.set(name, wrong).unwrap_err();
            assert_eq!(error.argument(), Some(&*format!("fixed_weights.{name}")));
        }
        assert_eq!(weights, FixedWeights::MEASURED);
        weights.set("level", 0.5).unwrap();
        assert_eq!(weights.level, 0.5);
    }
}
