//! The weights of recall that are options: their defaults, and why they have these values.
//!
//! The options are ten parts of the ranking that a program may have a reason to change. The other
//! parts are in [`fixed_weights`](crate::model::fixed_weights).

use crate::model::error::{Error, Result};
use crate::model::fixed_weights::FixedWeights;

/// Declares the weights with name, default and maximum.
macro_rules! weights {
    ($($(#[$meta:meta])* $field:ident = $default:literal, 0 to $most:literal;)*) => {
        /// The weights that recall uses for ranking. Pass them to
        /// [`MemoryBuilder::recall_weights`](crate::MemoryBuilder::recall_weights). Nothing
        /// that is stored depends on them.
        ///
        /// **0 switches a feature off**, in every field. Boosts are fractions of the score of the
        /// best passage: a weight of 0.25 adds a quarter of that score to a hit. Shares are
        /// fractions of the value that they apply to. The other parts of the ranking are fixed.
        ///
        /// The defaults were chosen on chats and coding transcripts together. "Without it" says
        /// what changes when the feature is off, as printed by `recallite-benches quality
        /// --ablation` and `transcripts --ablation`: recall@10 for chats and hit@10 for
        /// transcripts, in percentage points. Differences below 0.5 and 3 points, respectively, are
        /// noise. `docs/measurements.md` has the whole table.
        ///
        /// [`Hit::relevance`](crate::Hit::relevance) is calibrated for the defaults. With
        /// other weights a higher relevance still means a more likely answer, but a
        /// relevance of 0.75 no longer means that three hits out of four are right.
        ///
        /// ```
        /// # fn main() -> recallite::Result<()> {
        /// # let folder = tempfile::tempdir().unwrap();
        /// use recallite::{Memory, RecallWeights};
        /// let mut weights = RecallWeights::default();
        /// weights.context_scores = 0.25;
        /// let memory = Memory::builder().recall_weights(weights).open(folder.path())?;
        /// # Ok(())
        /// # }
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct RecallWeights {
            $(
                $(#[$meta])*
                #[doc = concat!("\n\n0 to ", $most, "; default ", $default, ".")]
                pub $field: f32,
            )*
            pub(crate) fixed: FixedWeights,
        }

        impl Default for RecallWeights {
            fn default() -> Self {
                RecallWeights { $($field: $default,)* fixed: FixedWeights::MEASURED }
            }
        }

        impl RecallWeights {
            /// The name of every weight, in the order of the fields.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field),)*];

            /// Returns weights with every feature off, including the fixed parts: passages are
            /// ranked only by the words of the question that they contain.
            pub fn none() -> Self {
                RecallWeights { $($field: 0.0,)* fixed: FixedWeights::NONE }
            }

            /// Returns the weight with a name of [`RecallWeights::NAMES`], or `None` for
            /// any other name.
            pub fn get(&self, name: &str) -> Option<f32> {
                match name {
                    $(stringify!($field) => Some(self.$field),)*
                    _ => None,
                }
            }

            /// Sets the weight with a name of [`RecallWeights::NAMES`], for example one
            /// from a configuration file.
            ///
            /// # Errors
            /// `invalid_argument` for an unknown name, or a weight that is not finite or out of its
            /// range. Nothing is changed then.
            pub fn set(&mut self, name: &str, weight: f32) -> Result<()> {
                match name {
                    $(stringify!($field) => {
                        check(name, weight, $most)?;
                        self.$field = weight;
                    })*
                    _ => {
                        return Err(Error::invalid(
                            format!("recall_weights.{name}"),
                            format_args!("unknown weight; use one of {}", Self::NAMES.join(", ")),
                        ));
                    }
                }
                Ok(())
            }

            /// Whether each weight is finite and within its range.
            pub(crate) fn check(&self) -> Result<()> {
                $(check(stringify!($field), self.$field, $most)?;)*
                Ok(())
            }
        }
    };
}

weights! {
    /// How much words count that are only similar to a word of the question, as a fraction
    /// of their similarity in the static table. At 0, a question finds only its own words
    /// and their other forms.
    ///
    /// Without it: chats -3.6, transcripts -12.3.
    query_expansion = 1.0, 0 to 1;
    /// The boost for the passage that is most similar to the question as a whole, by the static
    /// embeddings of their words; others get it in proportion. It depends on how many of the
    /// question's words the table contains. If there are vectors of an embedder, they replace it.
    ///
    /// Without it: chats -0.9, transcripts -2.7.
    similarity_by_words = 0.15, 0 to 10;
    /// The boost for the event that is most similar to the question by the embedder's vectors;
    /// others get it in proportion. At 0, the embedder is not asked and nothing is found by its
    /// vector alone. Measured with all-MiniLM-L6-v2: values from 0.4 to 0.6 perform equally well.
    similarity_by_vectors = 0.5, 0 to 10;
    /// How much the scores of the surrounding turns count for a turn, in total.
    ///
    /// Without it: chats -2.5, transcripts -1.4; without any context -10.5 and -1.4.
    context_scores = 0.5, 0 to 10;
    /// How much it counts when the surrounding turns contain words of the question that a
    /// turn lacks. For example, "thirty seconds" answers a question whose subject is named
    /// only in the turn before.
    ///
    /// Without it: chats -2.6, transcripts -1.4.
    context_words = 0.5, 0 to 10;
    /// The boost for turns of a speaker whom the question names, if it names exactly one.
    ///
    /// Without it: chats -4.5, transcripts 0.
    named_actor = 0.35, 0 to 10;
    /// The boost for prompts when a short question is about the person asking it ("how far away do
    /// my parents live?"), who said it themselves. It has no effect if the question names a
    /// speaker.
    ///
    /// Without it: assistants' dialogues (BEAM) -2.8 (nDCG@10 -4.1), chats 0, transcripts 0.
    own_prompts = 0.2, 0 to 10;
    /// The boost for an event that happened at the time the question names, decreasing with
    /// distance, or that mentions a day the question names.
    ///
    /// Without it: chats -0.5 (nDCG@10 -1.2), transcripts 0.
    date = 0.3, 0 to 10;
    /// The share of its score that a near copy of a better hit loses, so that ten hits are
    /// not ten copies of one tool output.
    ///
    /// Without it: chats 0, transcripts -4.1.
    duplicate_demotion = 0.3, 0 to 1;
    /// The share of its score and its relevance that an event loses while what was learned
    /// from it is contested, or no longer holds. The default corresponds to the specification's
    /// factor of 0.7.
    contested_demotion = 0.3, 0 to 1;
}

impl RecallWeights {
    /// The fixed parts of the ranking, to measure what they gain.
    #[cfg(any(test, feature = "measuring"))]
    #[doc(hidden)]
    pub fn fixed(&mut self) -> &mut FixedWeights {
        &mut self.fixed
    }

    /// Whether the turns around a turn count at all.
    pub(crate) fn has_context(&self) -> bool {
        self.context_scores > 0.0 || self.context_words > 0.0
    }
}

fn check(name: &str, weight: f32, most: u8) -> Result<()> {
    if (0.0..=f32::from(most)).contains(&weight) {
        return Ok(());
    }
    Err(Error::invalid(
        format!("recall_weights.{name}"),
        format_args!("must be between 0 and {most}, not {weight}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_reach_every_weight() {
        let mut weights = RecallWeights::none();
        for (at, name) in RecallWeights::NAMES.iter().enumerate() {
            assert_eq!(weights.get(name), Some(0.0));
            weights.set(name, at as f32 / 32.0).unwrap();
            assert_eq!(weights.get(name), Some(at as f32 / 32.0));
        }
        assert_eq!(weights.get("colour"), None);
        let error = weights.set("colour", 0.5).unwrap_err();
        assert_eq!(error.argument(), Some("recall_weights.colour"));
    }

    #[test]
    fn weights_out_of_range_are_refused() {
        let mut weights = RecallWeights::default();
        weights.check().unwrap();
        for name in RecallWeights::NAMES {
            for wrong in [f32::NAN, f32::INFINITY, -0.1, 10.1] {
                let error = weights.set(name, wrong).unwrap_err();
                assert_eq!(error.argument(), Some(&*format!("recall_weights.{name}")));
            }
        }
        assert_eq!(weights, RecallWeights::default());
        weights.query_expansion = 1.5;
        let error = weights.check().unwrap_err();
        assert_eq!(error.argument(), Some("recall_weights.query_expansion"));
    }

    #[test]
    fn the_defaults_are_those_of_the_lexical_search() {
        let weights = RecallWeights::default();
        let boosts = crate::index::lexical::search::Boosts::default();
        assert_eq!(weights.query_expansion, boosts.query_expansion);
        assert_eq!(weights.fixed.phrase_proximity, boosts.phrase_proximity);
    }

    #[test]
    fn the_demotions_are_the_factors_of_the_specification() {
        let weights = RecallWeights::default();
        let factor = crate::rules::entries::CONTESTED_PENALTY as f32;
        assert_eq!(1.0 - weights.contested_demotion, factor);
        assert_eq!(1.0 - weights.duplicate_demotion, 0.7);
    }
}
