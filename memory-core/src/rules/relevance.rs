//! Estimates how likely a hit answers the question: its features, and logistic models over
//! them, one for recall by words and one for an embedder's vectors, whose scores are
//! distributed differently.

use crate::rules::matching::MatchClass;

/// Declares the features once, for values, weights and names.
macro_rules! features {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The features of a hit; also used for the weight of each.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Features {
            $($(#[$doc])* pub(crate) $name: f32,)*
        }

        impl Features {
            /// The names, in the order of [`Features::values`].
            #[cfg_attr(
                not(any(test, feature = "testing")),
                allow(dead_code, reason = "what the models are fitted by")
            )]
            pub(crate) const NAMES: &[&str] = &[$(stringify!($name),)*];

            pub(crate) fn values(&self) -> [f32; [$(stringify!($name),)*].len()] {
                [$(self.$name,)*]
            }
        }
    };
}

features! {
    /// The share that the event and the turns around it cover, in any wording.
    context,
    /// Its rank's lead over the next that is not a tie, relative to the best; reduced if there
    /// are fewer than ten candidates.
    lead,
    /// The distance of its rank from the best, on the same scale.
    drop,
    /// How well it fits the date in the question.
    date,
    /// 1 if the question asks when and the event says when.
    temporal,
    /// The distance of the tenth rank from the best, relative to it; reduced if there are
    /// fewer than ten.
    spread,
    /// The logarithm of the question's length in characters, up to [`MAX_CHARS`].
    log_chars,
    /// How much of the question is unknown to the store: see [`lacking`].
    lacking,
    /// The share of the question's identifiers that no event contains; grows with the number
    /// of passages if none contains a word of it that looks invented.
    unknown_identifiers,
    /// The share of ten candidates that are missing, 0 to .9: ranks say little then.
    few,
    /// The share of the question's weight whose words the event contains literally, scaled by
    /// how few candidates there are.
    few_exact,
}

/// The weights of the features and the intercept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelevanceModel {
    weights: Features,
    constant: f32,
    /// Whether words alone find a hit, so that one without the words of the question's subject is
    /// a suggestion at most.
    pub(crate) goes_by_words: bool,
}

impl RelevanceModel {
    /// The probability that a hit with these features is right.
    pub(crate) fn relevance(&self, features: &Features) -> f32 {
        let pairs = self.weights.values().into_iter().zip(features.values());
        let sum: f32 = pairs.map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(sum + self.constant)).exp())
    }
}

/// Source: fitted by `scripts/fit_relevance.py` on development sets of seven genres and on
/// small stores made from them; see `docs/measurements.md`.
pub(crate) const BY_WORDS: RelevanceModel = RelevanceModel {
    weights: Features {
        context: 0.569,
        lead: 3.585,
        spread: 5.392,
        date: 0.851,
        temporal: 0.532,
        few_exact: 16.644,
        drop: -6.405,
        log_chars: 0.458,
        few: -0.586,
        lacking: -6.5,
        unknown_identifiers: -2.5,
    },
    constant: -4.762,
    goes_by_words: true,
};

/// Source: fitted by `scripts/fit_relevance.py --with-vectors` on development sets of five genres
/// and on small stores made from them, with all-MiniLM-L6-v2; see `docs/measurements.md`. The weights
/// of `lacking` and `log_chars` are given: a question whose words the store lacks may be in another
/// language, and one of a single word may be answered in others.
pub(crate) const WITH_VECTORS: RelevanceModel = RelevanceModel {
    weights: Features {
        context: 0.798,
        lead: 0.625,
        spread: 6.593,
        date: 0.639,
        temporal: 0.261,
        few_exact: 0.0,
        drop: -7.009,
        log_chars: 0.3,
        few: 1.588,
        lacking: -2.5,
        unknown_identifiers: -2.5,
    },
    constant: -4.032,
    goes_by_words: false,
};

/// For a question that is only a vector, whose words tell nothing. Not fitted: the first hit is a
/// suggestion, and surer the more it stands out.
pub(crate) const BY_VECTOR_ALONE: RelevanceModel = RelevanceModel {
    weights: Features {
        context: 0.0,
        lead: 6.4,
        spread: 3.0,
        date: 0.0,
        temporal: 0.0,
        few_exact: 0.0,
        drop: -5.0,
        log_chars: 0.0,
        few: 0.0,
        lacking: 0.0,
        unknown_identifiers: 0.0,
    },
    constant: -2.2,
    goes_by_words: false,
};

/// The result is "high" from this relevance of the first hit on.
pub(crate) const HIGH: f32 = 0.75;
/// The result is "none" below this relevance of the first hit.
///
/// Source: in every genre with 100 or more answerable questions, at most .03 of them have a
/// first hit below it.
pub(crate) const NONE: f32 = 0.08;

/// The class of a result, by the relevance of its first hit.
pub(crate) fn class_of(first: Option<f32>) -> MatchClass {
    match first {
        Some(first) if first >= HIGH => MatchClass::High,
        Some(first) if first >= NONE => MatchClass::Suggested,
        _ => MatchClass::None,
    }
}

/// Beyond this length, a question gets no more certain.
pub(crate) const MAX_CHARS: usize = 200;

/// With this many passages, an unknown word counts half of what it does in a large store: a
/// small store lacks most words.
const FEW_PASSAGES: f32 = 50.0;

/// How much of a question the store lacks: the share of its words that no passage contains,
/// squared, because one unknown word in four is common and three are not.
pub(crate) fn lacking(unknown: usize, words: usize, passages: u64) -> f32 {
    let share = unknown as f32 / words.max(1) as f32;
    share * share * largeness(passages)
}

/// How significant it is that none of this many passages contains a word, 0 to 1.
pub(crate) fn largeness(passages: u64) -> f32 {
    let passages = passages as f32;
    passages / (passages + FEW_PASSAGES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_lacks_what_most_words_of_a_question_are() {
        assert_eq!(lacking(0, 4, 1_000), 0.0);
        assert_eq!(lacking(0, 0, 0), 0.0);
        assert!(lacking(1, 4, 1_000) < 0.1);
        assert!(lacking(4, 4, 1_000) > 0.9);
        assert!(lacking(4, 4, 5) < 0.1);
    }

    #[test]
    fn a_question_that_the_store_knows_nothing_of_is_none_with_either_model() {
        let strange = Features {
            log_chars: 50f32.ln(),
            lacking: 0.98,
            ..Features::default()
        };
        for model in [&BY_WORDS, &WITH_VECTORS] {
            assert!(model.relevance(&strange) < NONE);
        }
        let asked = |chars: f32, found: Features| {
            let question = Features {
                log_chars: chars.ln(),
                ..found
            };
            WITH_VECTORS.relevance(&question) >= NONE
        };
        // One word that only a vector finds, in a store of three events and in a large one.
        let (lead, spread) = (0.27, 0.27);
        let few = Features {
            lead,
            spread,
            few: 0.7,
            lacking: lacking(1, 1, 3),
            ..Features::default()
        };
        assert!(
            asked(5.0, few)
                && asked(
                    5.0,
                    Features {
                        few: 0.0,
                        lacking: 0.0,
                        ..few
                    }
                )
        );
        // One whose vector covers it and stands out is not.
        let translated = Features {
            context: 0.7,
            lead: 0.3,
            spread: 0.5,
            ..strange
        };
        assert!(WITH_VECTORS.relevance(&translated) >= NONE);
    }

    #[test]
    fn every_feature_has_its_name_and_its_weight() {
        let features = Features {
            lead: 1.0,
            ..Features::default()
        };
        let at = Features::NAMES.iter().position(|name| *name == "lead");
        assert_eq!(features.values()[at.unwrap()], 1.0);
        let model = RelevanceModel {
            weights: Features {
                lead: 2.0,
                ..Features::default()
            },
            constant: -2.0,
            goes_by_words: true,
        };
        assert_eq!(model.relevance(&features), 0.5);
        assert!(model.relevance(&Features::default()) < 0.2);
    }
}
