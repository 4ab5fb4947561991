//! Retrieval measures over ranked lists with binary relevance.

use std::collections::{BTreeMap, HashSet};

/// The relevance of the hits, rounded to four digits.
pub(crate) fn relevance(hits: &[recallite::Hit]) -> Vec<f64> {
    hits.iter()
        .map(|hit| (f64::from(hit.relevance) * 1e4).round() / 1e4)
        .collect()
}

/// The measures of one question, or their sums.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measures {
    count: f64,
    recall5: f64,
    recall10: f64,
    recall20: f64,
    hit10: f64,
    all10: f64,
    reciprocal: f64,
    ndcg10: f64,
}

impl Measures {
    /// The measures of one ranking; recall@k cannot reach 1 if there is more evidence than k.
    pub(crate) fn of(ranked: &[String], evidence: &[String]) -> Self {
        let wanted: HashSet<&String> = evidence.iter().collect();
        let mut seen = HashSet::new();
        let right: Vec<bool> = ranked
            .iter()
            .filter(|id| seen.insert(*id))
            .take(100)
            .map(|id| wanted.contains(id))
            .collect();
        let within = |k: usize| right.iter().take(k).filter(|r| **r).count() as f64;
        let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let ideal: f64 = (0..wanted.len().min(10)).map(gain).sum();
        let found: f64 = right
            .iter()
            .take(10)
            .enumerate()
            .filter(|(_, r)| **r)
            .map(|(rank, _)| gain(rank))
            .sum();
        let n = wanted.len().max(1) as f64;
        Measures {
            count: 1.0,
            recall5: within(5) / n,
            recall10: within(10) / n,
            recall20: within(20) / n,
            hit10: f64::from(within(10) > 0.0),
            all10: f64::from(within(10) as usize == wanted.len()),
            reciprocal: right
                .iter()
                .position(|r| *r)
                .map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
            ndcg10: if ideal > 0.0 { found / ideal } else { 0.0 },
        }
    }

    /// The averages over questions: hit@10, recall@10 and nDCG@10.
    pub(crate) fn at_ten(&self) -> [f64; 3] {
        [self.hit10, self.recall10, self.ndcg10].map(|sum| sum / self.count.max(1.0))
    }

    pub(crate) fn add(&mut self, other: &Measures) {
        self.count += other.count;
        self.recall5 += other.recall5;
        self.recall10 += other.recall10;
        self.recall20 += other.recall20;
        self.hit10 += other.hit10;
        self.all10 += other.all10;
        self.reciprocal += other.reciprocal;
        self.ndcg10 += other.ndcg10;
    }
}

/// Measures by group, printed as a table.
#[derive(Debug, Default)]
pub(crate) struct Table(BTreeMap<String, Measures>);

impl Table {
    pub(crate) fn add(&mut self, group: &str, measures: &Measures) {
        self.0.entry(group.to_owned()).or_default().add(measures);
    }

    pub(crate) fn print(&self) {
        println!(
            "{:28} {:>5} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
            "group", "n", "R@5", "R@10", "R@20", "hit@10", "all@10", "MRR", "nDCG@10"
        );
        for (group, sums) in &self.0 {
            let mean = |sum: f64| sum / sums.count.max(1.0);
            println!(
                "{:28} {:>5} {:>7.4} {:>7.4} {:>7.4} {:>7.4} {:>7.4} {:>7.4} {:>7.4}",
                group,
                sums.count,
                mean(sums.recall5),
                mean(sums.recall10),
                mean(sums.recall20),
                mean(sums.hit10),
                mean(sums.all10),
                mean(sums.reciprocal),
                mean(sums.ndcg10)
            );
        }
    }
}
