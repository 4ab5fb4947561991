//! Levenshtein distances over code points, 64 rows of the matrix at a time.
//!
//! The bit-parallel recurrence is Myers' (1999) in Hyyrö's form (2003). The matrix is cut
//! into strips of 64 pattern characters; each strip passes the horizontal differences of its
//! last row to the next. Time is ⌈pattern / 64⌉ · text; memory is one byte per text
//! character.

use std::collections::HashMap;

/// Returns the Levenshtein distance of two texts in code points: the smallest number of
/// insertions, deletions and substitutions that turns one into the other.
///
/// ```
/// assert_eq!(recallite::rules::align::levenshtein("kitten", "sitting"), 3);
/// ```
pub fn levenshtein(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    distance(&a, &b)
}

/// Returns how similar two texts are: `1 - levenshtein / length of the longer one`, in code
/// points; 1.0 for two empty texts.
///
/// ```
/// assert_eq!(recallite::rules::align::similarity("rate limiting", "rate-limitin"), 1.0 - 2.0 / 13.0);
/// ```
pub fn similarity(a: &str, b: &str) -> f64 {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    ratio(distance(&a, &b), a.len().max(b.len()))
}

/// `1 - distance / longer`. The only place that turns a distance into a score.
pub(crate) fn ratio(distance: usize, longer: usize) -> f64 {
    if longer == 0 {
        1.0
    } else {
        1.0 - distance as f64 / longer as f64
    }
}

fn distance(a: &[char], b: &[char]) -> usize {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if pattern.is_empty() {
        return text.len();
    }
    let alphabet = Alphabet::of(pattern);
    let rows = alphabet.symbols(pattern);
    let columns = alphabet.symbols(text);
    // All strips share one table: a dense table per strip would need memory proportional to
    // pattern length times alphabet.
    let mut table = vec![0u64; alphabet.len()];
    let mut steps = vec![1i8; columns.len()];
    for strip in rows.chunks(64) {
        for (bit, symbol) in strip.iter().enumerate() {
            table[*symbol as usize] |= 1 << bit;
        }
        advance(&table, strip.len(), &columns, &mut steps);
        for symbol in strip {
            table[*symbol as usize] = 0;
        }
    }
    let change: isize = steps.iter().map(|step| isize::from(*step)).sum();
    pattern.len().wrapping_add_signed(change)
}

/// Runs one strip of at most 64 pattern rows over all text columns.
///
/// On entry, `steps` holds the horizontal differences (-1, 0, 1) of the row above the strip;
/// on return, those of its last row.
fn advance(table: &[u64], rows: usize, text: &[u32], steps: &mut [i8]) {
    let last = rows - 1;
    let (mut plus, mut minus) = (!0u64, 0u64);
    for (symbol, step) in text.iter().zip(steps) {
        let above_up = u64::from(*step > 0);
        let above_down = u64::from(*step < 0);
        let equal = table[*symbol as usize];
        let vertical = equal | minus;
        let equal = equal | above_down;
        let horizontal = ((equal & plus).wrapping_add(plus) ^ plus) | equal;
        let mut up = minus | !(horizontal | plus);
        let mut down = plus & horizontal;
        *step = ((up >> last) & 1) as i8 - ((down >> last) & 1) as i8;
        up = (up << 1) | above_up;
        down = (down << 1) | above_down;
        plus = down | !(vertical | up);
        minus = up & vertical;
    }
}

/// Numbers the distinct characters of a pattern; 0 is any other character.
struct Alphabet {
    ascii: [u32; 128],
    others: HashMap<char, u32>,
    distinct: u32,
}

impl Alphabet {
    fn of(pattern: &[char]) -> Self {
        let mut alphabet = Alphabet {
            ascii: [0; 128],
            others: HashMap::new(),
            distinct: 0,
        };
        for c in pattern {
            let next = alphabet.distinct + 1;
            let slot = match alphabet.ascii.get_mut(*c as usize) {
                Some(slot) => slot,
                None => alphabet.others.entry(*c).or_insert(0),
            };
            if *slot == 0 {
                *slot = next;
                alphabet.distinct = next;
            }
        }
        alphabet
    }

    /// One more than the largest number assigned.
    fn len(&self) -> usize {
        self.distinct as usize + 1
    }

    fn symbols(&self, text: &[char]) -> Vec<u32> {
        text.iter()
            .map(|c| match self.ascii.get(*c as usize) {
                Some(symbol) => *symbol,
                None => self.others.get(c).copied().unwrap_or(0),
            })
            .collect()
    }
}

/// A pattern prepared for many comparisons with parts of one text.
pub(crate) struct Pattern {
    len: usize,
    alphabet: Alphabet,
    /// One table per strip of 64 characters, with its number of rows.
    strips: Vec<(Vec<u64>, usize)>,
}

impl Pattern {
    /// Prepares a non-empty pattern. Needs memory proportional to its length times its
    /// distinct characters, divided by 8.
    pub(crate) fn new(pattern: &[char]) -> Self {
        let alphabet = Alphabet::of(pattern);
        let strips = alphabet
            .symbols(pattern)
            .chunks(64)
            .map(|strip| {
                let mut table = vec![0u64; alphabet.len()];
                for (bit, symbol) in strip.iter().enumerate() {
                    table[*symbol as usize] |= 1 << bit;
                }
                (table, strip.len())
            })
            .collect();
        Pattern {
            len: pattern.len(),
            alphabet,
            strips,
        }
    }

    /// The text as the numbers that the comparisons take.
    pub(crate) fn symbols(&self, text: &[char]) -> Vec<u32> {
        self.alphabet.symbols(text)
    }

    /// The distances of the whole pattern to `text[..1]`, `text[..2]` and so on.
    pub(crate) fn to_prefixes<'a>(
        &self,
        text: &[u32],
        steps: &'a mut Vec<i8>,
    ) -> impl Iterator<Item = usize> + 'a {
        self.last_row(text, 1, steps)
    }

    /// For each end position, the smallest distance of the pattern to any substring that ends
    /// there: first for `text[..1]`, then `text[..2]` and so on.
    pub(crate) fn to_suffixes<'a>(
        &self,
        text: &[u32],
        steps: &'a mut Vec<i8>,
    ) -> impl Iterator<Item = usize> + 'a {
        self.last_row(text, 0, steps)
    }

    fn last_row<'a>(
        &self,
        text: &[u32],
        first_row_step: i8,
        steps: &'a mut Vec<i8>,
    ) -> impl Iterator<Item = usize> + 'a {
        steps.clear();
        steps.resize(text.len(), first_row_step);
        for (table, rows) in &self.strips {
            advance(table, *rows, text, steps);
        }
        let mut distance = self.len;
        steps.iter().map(move |step| {
            distance = distance.wrapping_add_signed(isize::from(*step));
            distance
        })
    }
}

/// The textbook matrix, as a reference for the tests.
#[cfg(test)]
pub(crate) fn naive_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    proptest! {
        #[test]
        fn distance_agrees_with_the_textbook(a in "[abㄱ🎉]{0,200}", b in "[abㄱ🎉]{0,200}") {
            prop_assert_eq!(levenshtein(&a, &b), naive_distance(&chars(&a), &chars(&b)));
        }

        #[test]
        fn prefixes_agree_with_the_textbook(a in "[abc]{1,140}", b in "[abcd]{0,160}") {
            let (a, b) = (chars(&a), chars(&b));
            let pattern = Pattern::new(&a);
            let mut steps = Vec::new();
            let text = pattern.symbols(&b);
            for (at, found) in pattern.to_prefixes(&text, &mut steps).enumerate() {
                prop_assert_eq!(found, naive_distance(&a, &b[..=at]));
            }
        }

        #[test]
        fn suffixes_agree_with_the_textbook(a in "[abc]{1,80}", b in "[abcd]{0,60}") {
            let (a, b) = (chars(&a), chars(&b));
            let pattern = Pattern::new(&a);
            let mut steps = Vec::new();
            let text = pattern.symbols(&b);
            for (at, found) in pattern.to_suffixes(&text, &mut steps).enumerate() {
                let best = (0..=at + 1).map(|start| naive_distance(&a, &b[start..=at])).min();
                prop_assert_eq!(Some(found), best);
            }
        }
    }

    #[test]
    fn huge_texts_of_distinct_characters_need_little_memory() {
        let a: String = ('\u{4e00}'..'\u{9000}').collect();
        let b: String = ('\u{4e01}'..'\u{9001}').collect();
        assert_eq!(levenshtein(&a, &b), 2);
        let reversed: String = a.chars().rev().collect();
        assert!(levenshtein(&a, &reversed) > a.chars().count() / 2);
    }

    #[test]
    fn similarity_of_nothing_and_nothing_is_one() {
        assert_eq!(similarity("", ""), 1.0);
        assert_eq!(similarity("", "x"), 0.0);
    }
}
