//! How likely a hit answers the question: features of a hit, and the logistic models
//! over them, one for recall by words and one for recall with the vectors of an
//! embedder, whose scores lie differently.

/// Declares the features once, for their values, their weights and their names.
macro_rules! features {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What says how likely a hit is right; also a weight for each.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Features {
            $($(#[$doc])* pub(crate) $name: f32,)*
        }

        impl Features {
            /// Every feature absent.
            const NONE: Features = Features { $($name: 0.0,)* };

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
    /// The part of the question's weight whose words the passage holds literally.
    exact,
    /// The part that the event and the turns around it cover, in whatever words.
    context,
    /// How far its rank is above that of the next that does not rank alike, in parts of
    /// the best.
    gap,
    /// The same, less where there are not ten candidates.
    lead,
    /// How far its rank is below the best, in the same measure.
    drop,
    /// How well it fits the date in the question.
    date,
    /// 1 when the question asks when, and the event says when.
    temporal,
    /// 1 for the first hit.
    first,
    /// How many words are searched for, in logarithms.
    log_words,
    /// 1 when the question names a speaker.
    named,
    /// How far the tenth rank is below the best, in parts of it; less where there are
    /// not ten.
    spread,
    /// The length of the question in characters, up to [`MOST_CHARS`], in logarithms.
    log_chars,
    /// How much of the question the store has never heard of: see [`lacking`].
    lacking,
    /// The share of the identifiers that the question names which no event holds; the more
    /// passages there are, the nearer to 1 when none holds a word of it that is invented.
    unknown_identifiers,
    /// How many of ten candidates are missing, 0 to .9: ranks tell little then.
    few,
    /// The part of the question's weight whose words the event holds literally, as far
    /// as candidates are few.
    few_exact,
}

/// The weights of the features, and what is added to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelevanceModel {
    weights: Features,
    constant: f32,
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
        context: 0.606,
        lead: 3.861,
        spread: 5.444,
        date: 0.999,
        temporal: 0.385,
        few_exact: 16.189,
        drop: -6.084,
        log_chars: 0.463,
        few: -0.418,
        lacking: -6.5,
        unknown_identifiers: -2.5,
        ..Features::NONE
    },
    constant: -4.901,
};

/// Source: fitted on chats and transcripts with all-MiniLM-L6-v2.
pub(crate) const WITH_VECTORS: RelevanceModel = RelevanceModel {
    weights: Features {
        exact: 0.115,
        context: 1.192,
        gap: 6.366,
        drop: -5.049,
        date: 0.363,
        temporal: 1.368,
        first: 0.676,
        log_words: 0.595,
        named: 0.184,
        spread: 0.0,
        unknown_identifiers: -2.5,
        ..Features::NONE
    },
    constant: -3.727,
};

/// From this relevance of the first hit on the result is "high".
pub(crate) const HIGH: f32 = 0.75;
/// Below this relevance of the first hit the result is "none".
///
/// Source: at most .03 of the answerable questions of every genre with 100 or more
/// have a first hit below it.
pub(crate) const NONE: f32 = 0.08;

/// Longer questions are no surer.
pub(crate) const MOST_CHARS: usize = 200;

/// In a store of so many passages an unknown word says half of what it says in a
/// large one: a small store has not heard of most words.
const FEW_PASSAGES: f32 = 50.0;

/// How much of a question the store lacks: the share of its words that no passage
/// holds, squared, because one unknown word in four is common and three are not.
pub(crate) fn lacking(unknown: usize, words: usize, passages: u64) -> f32 {
    let share = unknown as f32 / words.max(1) as f32;
    share * share * largeness(passages)
}

/// How much it says that none of so many passages holds a word, 0 to 1.
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
    fn every_feature_has_its_name_and_its_weight() {
        let features = Features {
            first: 1.0,
            ..Features::NONE
        };
        let at = Features::NAMES.iter().position(|name| *name == "first");
        assert_eq!(features.values()[at.unwrap()], 1.0);
        let model = RelevanceModel {
            weights: Features {
                first: 2.0,
                ..Features::NONE
            },
            constant: -2.0,
        };
        assert_eq!(model.relevance(&features), 0.5);
        assert!(model.relevance(&Features::NONE) < 0.2);
    }
}
