//! How well a memory matches, and whether that is good enough to use it without asking.
//! Every number is from the specification, section 4.

pub use crate::model::query::MatchClass;
use crate::model::time::Timestamp;

/// The weight of each part of a match. The defaults add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchWeights {
    /// The weight of the semantic similarity; 0.4.
    pub semantic: f64,
    /// The weight of the lexical score; 0.25.
    pub lexical: f64,
    /// The weight of the recency; 0.2.
    pub recency: f64,
    /// The weight of the status's score; 0.15.
    pub status: f64,
}

impl Default for MatchWeights {
    fn default() -> Self {
        MatchWeights {
            semantic: 0.4,
            lexical: 0.25,
            recency: 0.2,
            status: 0.15,
        }
    }
}

/// The thresholds between the classes of matches; all are inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchThresholds {
    /// The minimum score of a high match; 0.92.
    pub high: f64,
    /// The minimum lead of a high match over the second candidate; 0.03.
    pub gap: f64,
    /// The minimum score of a suggested match; 0.75.
    pub suggested: f64,
}

impl Default for MatchThresholds {
    fn default() -> Self {
        MatchThresholds {
            high: 0.92,
            gap: 0.03,
            suggested: 0.75,
        }
    }
}

/// The age in days from which a memory gets no recency bonus.
pub const RECENCY_DAYS: f64 = 30.0;
/// The status score of an active memory.
pub const STATUS_ACTIVE: f64 = 1.0;
/// The status score of an inactive memory, for example a finished task.
pub const STATUS_INACTIVE: f64 = 0.7;
/// The number of candidates after the match that are offered as alternatives.
pub const MAX_ALTERNATIVES: usize = 3;

/// The parts of a match score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchParts {
    /// The semantic similarity, from 0 to 1.
    pub semantic: f64,
    /// The lexical score, from 0 to 1.
    pub lexical: f64,
    /// The age of the memory in days, 0 or more.
    pub age_days: f64,
    /// Whether the memory is still in force. Default: true.
    pub is_active: bool,
}

impl MatchParts {
    /// Creates the parts for a memory that is in force.
    pub fn new(semantic: f64, lexical: f64, age_days: f64) -> Self {
        MatchParts {
            semantic,
            lexical,
            age_days,
            is_active: true,
        }
    }
}

/// Returns the age of a memory in days. A memory from the future has age 0, so that its
/// date does not rank it above everything that has happened.
pub(crate) fn age_days(now: Timestamp, then: Timestamp) -> f64 {
    const DAY_MS: f64 = 86_400_000.0;
    (now.millis().saturating_sub(then.millis()).max(0) as f64) / DAY_MS
}

/// Returns how recent a memory is: 1 now, decreasing linearly to 0 at [`RECENCY_DAYS`] and
/// later. Ages come from [`age_days`]; a negative one gives more than 1, an unknown one
/// (NaN) gives 0.
pub(crate) fn recency(age_days: f64) -> f64 {
    (1.0 - age_days / RECENCY_DAYS).max(0.0)
}

/// Returns [`STATUS_ACTIVE`] or [`STATUS_INACTIVE`].
pub(crate) fn status_score(is_active: bool) -> f64 {
    if is_active {
        STATUS_ACTIVE
    } else {
        STATUS_INACTIVE
    }
}

/// Returns the match score, from 0 to 1: 0.4 semantic, 0.25 lexical, 0.2 recency, 0.15
/// status. Without lexical scores it cannot exceed 0.75, so nothing would be a high match.
pub fn match_score(parts: &MatchParts) -> f64 {
    match_score_by(parts, &MatchWeights::default())
}

/// [`match_score`] with custom weights.
pub(crate) fn match_score_by(parts: &MatchParts, weights: &MatchWeights) -> f64 {
    unit(
        parts.semantic * weights.semantic
            + parts.lexical * weights.lexical
            + recency(parts.age_days) * weights.recency
            + status_score(parts.is_active) * weights.status,
    )
}

/// The number clamped to 0 to 1; NaN becomes 0.
fn unit(value: f64) -> f64 {
    if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    }
}

/// Returns the class of the best candidate, given the score of the second best. It is high
/// from 0.92 on with a lead of at least 0.03, and suggested from 0.75 on.
///
/// The lead is the plain difference of the two numbers: 0.95 and 0.92 are less than 0.03
/// apart in binary, 0.93 and 0.90 are not.
pub fn classify(top: f64, second: Option<f64>) -> MatchClass {
    classify_by(top, second, &MatchThresholds::default())
}

fn classify_by(top: f64, second: Option<f64>, thresholds: &MatchThresholds) -> MatchClass {
    if top.is_nan() || top < thresholds.suggested {
        MatchClass::None
    } else if top >= thresholds.high && second.is_none_or(|s| top - s >= thresholds.gap) {
        MatchClass::High
    } else {
        MatchClass::Suggested
    }
}

/// The result of matching a list of candidates. Candidates are identified by their index in
/// the given list.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchList {
    /// The best candidate, unless the class is none.
    pub matched: Option<usize>,
    /// The class of the best candidate.
    pub match_class: MatchClass,
    /// The lead over the second candidate; `None` if there are fewer than two.
    pub gap: Option<f64>,
    /// The next best candidates, only if the class is suggested.
    pub alternatives: Vec<usize>,
}

/// Matches a list of candidates by their scores, in any order; see [`classify`]. Equal
/// scores keep their order; NaN comes last.
pub fn match_list(scores: &[f64]) -> MatchList {
    match_list_by(scores, &MatchThresholds::default())
}

/// [`match_list`] with custom thresholds.
pub(crate) fn match_list_by(scores: &[f64], thresholds: &MatchThresholds) -> MatchList {
    let order = descending(scores);
    let score_at = |rank: usize| order.get(rank).map(|&index| scores[index]);
    let Some(top) = score_at(0) else {
        return MatchList {
            matched: None,
            match_class: MatchClass::None,
            gap: None,
            alternatives: Vec::new(),
        };
    };
    let second = score_at(1);
    let class = classify_by(top, second, thresholds);
    MatchList {
        matched: (class != MatchClass::None).then(|| order[0]),
        match_class: class,
        gap: second.map(|s| top - s),
        alternatives: match class {
            MatchClass::Suggested => order
                .iter()
                .skip(1)
                .take(MAX_ALTERNATIVES)
                .copied()
                .collect(),
            MatchClass::High | MatchClass::None => Vec::new(),
        },
    }
}

/// The indices of the scores from best to worst; stable, NaN last.
pub(crate) fn descending(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let key = |index: usize| {
        if scores[index].is_nan() {
            f64::NEG_INFINITY
        } else {
            scores[index]
        }
    };
    order.sort_by(|&a, &b| key(b).partial_cmp(&key(a)).expect("no key is NaN"));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_lexical_scores_nothing_is_a_high_match() {
        let parts = MatchParts {
            semantic: 1.0,
            lexical: 0.0,
            age_days: 0.0,
            is_active: true,
        };
        let score = match_score(&parts);
        assert!((score - 0.75).abs() < 1e-9);
    }

    #[test]
    fn scores_stay_in_range_for_strange_parts() {
        for semantic in [f64::NAN, f64::INFINITY, -5.0, 7.0] {
            let parts = MatchParts {
                semantic,
                lexical: 1.0,
                age_days: -3.0,
                is_active: true,
            };
            let score = match_score(&parts);
            assert!((0.0..=1.0).contains(&score), "{semantic} gave {score}");
        }
        assert_eq!(recency(f64::NAN), 0.0);
    }

    #[test]
    fn a_memory_from_the_future_is_as_recent_as_one_from_now() {
        let now = Timestamp::from_millis_clamped(86_400_000);
        assert_eq!(age_days(now, Timestamp::MAX), 0.0);
        assert_eq!(age_days(now, Timestamp::default()), 1.0);
    }

    #[test]
    fn a_score_that_is_no_number_comes_last() {
        let list = match_list(&[f64::NAN, 0.8, 0.95]);
        assert_eq!(list.matched, Some(2));
        assert_eq!(descending(&[f64::NAN, 0.8, 0.95]), [2, 1, 0]);
        let none = match_list(&[f64::NAN]);
        assert_eq!(none.match_class, MatchClass::None);
    }

    proptest! {
        #[test]
        fn the_match_is_never_worse_than_an_alternative(
            scores in proptest::collection::vec(0.0f64..1.0, 0..8),
        ) {
            let list = match_list(&scores);
            prop_assert!(list.alternatives.len() <= MAX_ALTERNATIVES);
            prop_assert_eq!(list.gap.is_some(), scores.len() >= 2);
            if let Some(best) = list.matched {
                prop_assert!(scores.iter().all(|&s| s <= scores[best]));
            }
        }
    }
}
