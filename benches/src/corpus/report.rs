//! Reports a run over a corpus: retrieval quality, and how reliable its relevance is.

use std::collections::BTreeMap;

use recallite::MatchClass;

use crate::score::Measures;
use crate::statistics::{
    Estimate, auc, calibration_error, debiased_calibration_error, estimate, estimate_of_two,
    macro_mean, mean, micro_mean,
};

/// The relevance from which a hit counts as certain.
const SURE: f64 = 0.75;
/// The printed columns, with the index of each measure in [`Measures::at_ten`].
const COLUMNS: [(&str, usize); 3] = [("R@10", 1), ("nDCG@10", 2), ("hit@10", 0)];

/// The outcome of a question.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) category: String,
    pub(crate) has_answer: bool,
    /// The relevance of the first hit; 0 if there is none.
    pub(crate) relevance: f64,
    pub(crate) is_right: bool,
    pub(crate) confidence: MatchClass,
    /// Whether a hit has a higher relevance than the one above it.
    pub(crate) rises: bool,
    /// The measures of each system, Recallite first.
    pub(crate) measures: Vec<(&'static str, Measures)>,
}

/// All questions of a run.
#[derive(Debug, Default)]
pub(crate) struct Answers(Vec<Answer>);

impl Answers {
    pub(crate) fn add(&mut self, answer: Answer) {
        self.0.push(answer);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn print(&self) {
        let (answerable, others): (Vec<Answer>, Vec<Answer>) =
            self.0.iter().cloned().partition(|answer| answer.has_answer);
        print_measures(&answerable);
        print_intervals(&answerable);
        print_gains(&answerable);
        print_relevance(&answerable, &others);
        let rises = self.0.iter().filter(|answer| answer.rises).count();
        println!(
            "relevance rises with the rank in {rises} of {} searches",
            self.0.len()
        );
    }
}

fn print_measures(answers: &[Answer]) {
    let Some(first) = answers.first() else {
        return;
    };
    let mut by_category: BTreeMap<&str, Vec<&Answer>> = BTreeMap::new();
    for answer in answers {
        by_category
            .entry(&answer.category)
            .or_default()
            .push(answer);
    }
    println!("recall@10 / nDCG@10 / hit@10");
    print!("{:26} {:>5}", "", "n");
    for (name, _) in &first.measures {
        print!("  {name:^23}");
    }
    println!();
    let systems = first.measures.len();
    let row = |name: &str, count: usize, figure: &dyn Fn(usize, usize) -> f64| {
        print!("{name:26} {count:>5}");
        for system in 0..systems {
            let figures = COLUMNS.map(|(_, column)| format!("{:.3}", figure(system, column)));
            print!("  {:^23}", figures.join(" / "));
        }
        println!();
    };
    for (category, group) in &by_category {
        row(category, group.len(), &|system, column| {
            mean(group.iter().map(|answer| at_ten(answer, system, column)))
        });
    }
    row("macro", by_category.len(), &|system, column| {
        macro_mean(&with_categories(answers, system, column))
    });
    row("micro", answers.len(), &|system, column| {
        micro_mean(&with_categories(answers, system, column))
    });
}

/// Prints the means of Recallite with their intervals.
fn print_intervals(answers: &[Answer]) {
    if answers.is_empty() {
        return;
    }
    for (name, figure) in [
        ("macro", macro_mean as fn(&[_]) -> f64),
        ("micro", micro_mean),
    ] {
        print!("recallite, {name}:");
        for (measure, column) in COLUMNS {
            let estimate = estimate(&with_categories(answers, 0, column), figure);
            print!(" {measure} {estimate}");
        }
        println!();
    }
}

/// The measures of a system with the questions' categories.
fn with_categories(answers: &[Answer], system: usize, column: usize) -> Vec<(&str, f64)> {
    answers
        .iter()
        .map(|answer| (&*answer.category, at_ten(answer, system, column)))
        .collect()
}

fn at_ten(answer: &Answer, system: usize, column: usize) -> f64 {
    answer.measures[system].1.at_ten()[column]
}

/// Prints the differences to every baseline, question by question.
fn print_gains(answers: &[Answer]) {
    let systems = answers.first().map_or(0, |first| first.measures.len());
    for system in 1..systems {
        print!("gain over {}:", answers[0].measures[system].0);
        for (name, column) in COLUMNS {
            let gains: Vec<f64> = answers
                .iter()
                .map(|answer| at_ten(answer, 0, column) - at_ten(answer, system, column))
                .collect();
            let gain = estimate(&gains, |gains| mean(gains.iter().copied()));
            print!(" {name} {gain}");
        }
        println!();
    }
}

fn print_relevance(answerable: &[Answer], others: &[Answer]) {
    if answerable.is_empty() {
        return;
    }
    let first: Vec<(f64, bool)> = answerable
        .iter()
        .map(|answer| (answer.relevance, answer.is_right))
        .collect();
    println!(
        "first hit: right {:.3}, mean relevance {:.3}; calibration error {:.3}, debiased {}",
        mean(first.iter().map(|(_, is_right)| share(*is_right))),
        mean(first.iter().map(|(relevance, _)| *relevance)),
        calibration_error(&first),
        estimate(&first, debiased_calibration_error)
    );
    println!(
        "relevance of at least {SURE}: right {}, covering {}",
        estimate(&first, right_of_sure),
        estimate(&first, |first| {
            mean(first.iter().map(|(relevance, _)| share(*relevance >= SURE)))
        }),
    );
    println!("\"none\" for answerable questions: {}", none(answerable));
    if others.is_empty() {
        return;
    }
    let top = |answers: &[Answer]| -> Vec<f64> {
        answers.iter().map(|answer| answer.relevance).collect()
    };
    println!(
        "answerable above unanswerable ({}): AUC {}; \"none\" for unanswerable: {}; high: {:.3}",
        others.len(),
        estimate_of_two(&top(answerable), &top(others), auc),
        none(others),
        mean(
            others
                .iter()
                .map(|answer| share(answer.confidence == MatchClass::High))
        )
    );
}

fn right_of_sure(first: &[(f64, bool)]) -> f64 {
    let sure = first.iter().filter(|(relevance, _)| *relevance >= SURE);
    mean(sure.map(|(_, is_right)| share(*is_right)))
}

fn none(answers: &[Answer]) -> Estimate {
    estimate(answers, |answers| {
        mean(
            answers
                .iter()
                .map(|answer| share(answer.confidence == MatchClass::None)),
        )
    })
}

fn share(is: bool) -> f64 {
    f64::from(u8::from(is))
}
