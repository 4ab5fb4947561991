//! Figures over questions, with bootstrap confidence intervals.

use std::collections::BTreeMap;

use crate::text::Random;

const BINS: usize = 10;
/// The number of resamples for an interval.
const ROUNDS: usize = 1_000;
const SEED: u64 = 20_260;

/// A figure with the interval that contains 95 % of its bootstrap resamples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} [{:.3}, {:.3}]", self.value, self.low, self.high)
    }
}

/// Computes a figure over questions and over resamples of them.
pub(crate) fn estimate<T: Clone>(questions: &[T], figure: impl Fn(&[T]) -> f64) -> Estimate {
    let mut random = Random::new(SEED);
    let mut figures: Vec<f64> = (0..ROUNDS)
        .map(|_| figure(&resample(questions, &mut random)))
        .filter(|value| !value.is_nan())
        .collect();
    interval(figure(questions), &mut figures)
}

/// Computes a figure over two groups of questions, each resampled separately.
pub(crate) fn estimate_of_two<T: Clone>(
    first: &[T],
    second: &[T],
    figure: impl Fn(&[T], &[T]) -> f64,
) -> Estimate {
    let mut random = Random::new(SEED);
    let mut figures: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            figure(
                &resample(first, &mut random),
                &resample(second, &mut random),
            )
        })
        .collect();
    interval(figure(first, second), &mut figures)
}

fn resample<T: Clone>(questions: &[T], random: &mut Random) -> Vec<T> {
    (0..questions.len())
        .map(|_| questions[random.below(questions.len())].clone())
        .collect()
}

fn interval(value: f64, figures: &mut [f64]) -> Estimate {
    figures.sort_by(f64::total_cmp);
    let at = |share: f64| match figures.len() {
        0 => f64::NAN,
        count => figures[((count as f64 * share) as usize).min(count - 1)],
    };
    Estimate {
        value,
        low: at(0.025),
        high: at(0.975),
    }
}

/// The mean; NaN if there are no values.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values
        .into_iter()
        .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// The mean over all questions, given with their categories.
pub(crate) fn micro_mean(values: &[(&str, f64)]) -> f64 {
    mean(values.iter().map(|(_, value)| *value))
}

/// The mean over the means of the categories.
pub(crate) fn macro_mean(values: &[(&str, f64)]) -> f64 {
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (category, value) in values {
        groups.entry(category).or_default().push(*value);
    }
    mean(groups.into_values().map(mean))
}

/// How often a good value ranks above a bad one; ties count half.
pub(crate) fn auc(good: &[f64], bad: &[f64]) -> f64 {
    let mut sorted = bad.to_vec();
    sorted.sort_by(f64::total_cmp);
    mean(good.iter().map(|value| {
        let below = sorted.partition_point(|other| other < value);
        let upto = sorted.partition_point(|other| other <= value);
        (below + upto) as f64 / 2.0 / sorted.len() as f64
    }))
}

/// The expected calibration error of probabilities, in ten bins.
pub(crate) fn calibration_error(answers: &[(f64, bool)]) -> f64 {
    let bins = Bin::of(answers);
    let off = bins.iter().map(|bin| (bin.probability - bin.right).abs());
    off.sum::<f64>() / answers.len() as f64
}

/// The calibration error minus what chance adds to it: how much larger it becomes, on average, if
/// the answers of each bin are redrawn with the same proportion of right ones. Source: Kumar, Liang
/// and Ma, Verified Uncertainty Calibration, 2019.
pub(crate) fn debiased_calibration_error(answers: &[(f64, bool)]) -> f64 {
    const DRAWS: usize = 50;
    let mut random = Random::new(SEED);
    let bins = Bin::of(answers);
    let drawn = bins.iter().filter(|bin| bin.count > 0).map(|bin| {
        let share = bin.right / bin.count as f64;
        mean((0..DRAWS).map(|_| {
            let right = (0..bin.count).filter(|_| random.unit() < share).count();
            (bin.probability - right as f64).abs()
        }))
    });
    let drawn = drawn.sum::<f64>() / answers.len() as f64;
    (2.0 * calibration_error(answers) - drawn).max(0.0)
}

/// A bin of first hits with similar relevance.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: usize,
    /// The sum of their probabilities, and how many were right.
    probability: f64,
    right: f64,
}

impl Bin {
    fn of(answers: &[(f64, bool)]) -> [Bin; BINS] {
        let mut bins = [Bin::default(); BINS];
        for (probability, is_right) in answers {
            let bin = &mut bins[((probability * BINS as f64) as usize).min(BINS - 1)];
            bin.count += 1;
            bin.probability += probability;
            bin.right += f64::from(u8::from(*is_right));
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_count_pairs() {
        assert_eq!(auc(&[0.9, 0.5], &[0.1, 0.5]), 0.875);
        assert_eq!(auc(&[0.1], &[0.9]), 0.0);
    }

    #[test]
    fn an_error_of_calibration_is_what_chance_does_not_explain() {
        let right: Vec<(f64, bool)> = (0..1000).map(|n| (0.75, n % 4 != 0)).collect();
        assert!(calibration_error(&right) < 1e-9);
        let wrong: Vec<(f64, bool)> = (0..1000).map(|n| (0.75, n % 4 == 0)).collect();
        let error = debiased_calibration_error(&wrong);
        assert!((0.49..0.51).contains(&error), "{error}");
        let chance: Vec<(f64, bool)> = (0..20).map(|n| (0.5, n < 11)).collect();
        assert!(debiased_calibration_error(&chance) < calibration_error(&chance) / 2.0);
    }

    #[test]
    fn categories_count_alike_only_in_the_macro_mean() {
        let values = [("a", 1.0), ("a", 0.0), ("a", 0.5), ("b", 0.0)];
        assert_eq!(micro_mean(&values), 0.375);
        assert_eq!(macro_mean(&values), 0.25);
    }

    #[test]
    fn an_interval_holds_the_figure() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let found = estimate(&values, |values| mean(values.iter().copied()));
        assert!(found.low < found.value && found.value < found.high);
        assert!(found.high - found.low < 15.0);
    }
}
