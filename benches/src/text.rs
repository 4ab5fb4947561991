//! Synthetic text with a natural distribution: words from the vocabulary of the static table by
//! Zipf's law, the same in every run.

/// A small, fast, seeded random number generator (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in 0..1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.unit() * limit as f64) as usize
    }
}

/// Generates sentences.
pub(crate) struct Author {
    random: Random,
    words: Vec<String>,
}

impl Author {
    pub(crate) fn new(seed: u64) -> Self {
        let words = recallite::testing::vocabulary()
            .filter(|word| word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphabetic()))
            .map(str::to_owned)
            .collect();
        Author {
            random: Random::new(seed),
            words,
        }
    }

    /// A random word. The vocabulary is ordered by frequency, and the nth word occurs about 1/n as
    /// often as the first.
    pub(crate) fn word(&mut self) -> &str {
        let ln = (self.words.len() as f64).ln();
        let rank = ((self.random.unit() * ln).exp() as usize).saturating_sub(1);
        &self.words[rank.min(self.words.len() - 1)]
    }

    /// About `bytes` bytes of sentences, with an occasional code identifier.
    pub(crate) fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 32);
        let mut in_sentence = 0;
        while text.len() < bytes {
            if in_sentence > 0 {
                text.push(' ');
            }
            if self.random.below(40) == 0 {
                let (a, b) = (self.word().to_owned(), self.word().to_owned());
                text.push_str(&format!("{a}_{b}"));
            } else {
                let word = self.word().to_owned();
                text.push_str(&word);
            }
            in_sentence += 1;
            if in_sentence >= 8 + self.random.below(10) {
                text.push_str(". ");
                in_sentence = 0;
            }
        }
        text
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }
}
