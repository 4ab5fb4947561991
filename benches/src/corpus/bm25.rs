//! BM25 computed by its formula over whole events, as a baseline for a corpus.

use std::collections::{HashMap, HashSet};

/// The stop words of bm25s.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];
const K1: f64 = 1.5;
const B: f64 = 0.75;

/// Splits a text into the words to count.
pub(crate) type Words = fn(&str) -> Vec<String>;

/// An index over texts.
pub(crate) struct Bm25 {
    words: Words,
    postings: HashMap<String, Vec<(usize, f64)>>,
    /// The length normalisation of each text, including K1.
    norms: Vec<f64>,
}

impl Bm25 {
    pub(crate) fn new(texts: &[String], words: Words) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::with_capacity(texts.len());
        for (row, text) in texts.iter().enumerate() {
            let found = words(text);
            lengths.push(found.len() as f64);
            let mut counts: HashMap<String, f64> = HashMap::new();
            for word in found {
                *counts.entry(word).or_default() += 1.0;
            }
            for (word, count) in counts {
                postings.entry(word).or_default().push((row, count));
            }
        }
        let mean = (lengths.iter().sum::<f64>() / lengths.len().max(1) as f64).max(1.0);
        let norms = lengths
            .iter()
            .map(|length| K1 * (1.0 - B + B * length / mean))
            .collect();
        Bm25 {
            words,
            postings,
            norms,
        }
    }

    /// The rows before `before` that contain a word of the question, best first.
    pub(crate) fn rank(&self, question: &str, before: usize, limit: usize) -> Vec<usize> {
        let mut scores: HashMap<usize, f64> = HashMap::new();
        // In the order of the question, so that sums do not depend on a hash seed.
        let mut seen = HashSet::new();
        for word in (self.words)(question) {
            let Some(found) = self.postings.get(&word) else {
                continue;
            };
            if !seen.insert(word) {
                continue;
            }
            let (n, df) = (self.norms.len() as f64, found.len() as f64);
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            for &(row, count) in found.iter().filter(|(row, _)| *row < before) {
                *scores.entry(row).or_default() +=
                    idf * count * (K1 + 1.0) / (count + self.norms[row]);
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().take(limit).map(|(row, _)| row).collect()
    }
}

/// The words in lower case.
pub(crate) fn plain_words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// English stems without stop words; runs of Korean, Japanese and Chinese as character bigrams.
pub(crate) fn tuned_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in plain_words(text) {
        for run in word
            .chars()
            .collect::<Vec<_>>()
            .chunk_by(|a, b| is_cjk(*a) == is_cjk(*b))
        {
            let whole: String = run.iter().collect();
            if is_cjk(run[0]) {
                match run.len() {
                    1 => found.push(whole),
                    _ => found.extend(run.windows(2).map(|pair| pair.iter().collect::<String>())),
                }
            } else if run.len() > 1 && !STOP_WORDS.contains(&whole.as_str()) {
                found.push(recallite::testing::stem(&whole));
            }
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_as_each_baseline_wants_them() {
        assert_eq!(
            plain_words("The retry_limit, again!"),
            ["the", "retry_limit", "again"]
        );
        assert_eq!(
            tuned_words("The cats x 東大寺2 を"),
            ["cat", "東大", "大寺", "を"]
        );
    }

    #[test]
    fn rare_words_rank_first_and_what_comes_later_is_left_out() {
        let texts = ["red fox", "red red hen", "red dog", "fox"].map(str::to_owned);
        let index = Bm25::new(&texts, plain_words);
        assert_eq!(index.rank("red fox", 4, 10)[0], 0);
        assert_eq!(index.rank("fox", 3, 10), [0]);
        assert!(index.rank("cow", 4, 10).is_empty());
    }
}
