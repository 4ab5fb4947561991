//! Finds the window of a text that best matches a quote that it does not contain literally.
//!
//! By definition, the quote is compared with every window of n, ⌊1.1n⌋ and ⌊1.2n⌋ characters
//! (sizes in this order, positions ascending), and the first of the best wins; its outer spaces
//! are then left out. The code gives the same answer faster: one bit-parallel pass
//! finds, for every end position, the smallest distance of the quote to *any* substring that
//! ends there. That is a lower bound for the windows, so only windows whose bound reaches the
//! threshold, and then the best window so far, are compared exactly.

use std::collections::HashMap;

use crate::rules::align::distance::{Pattern, ratio};

/// A quote this similar to some part of the text, without a window that reaches the
/// threshold, counts as nearly found.
const NEAR: f64 = 0.7;

/// With at least this many candidate positions, a second pass from the other side is cheaper
/// than comparing them all, and repetitions are worth detecting. (Small in tests, so that
/// their short texts take this path too.)
const MANY: usize = if cfg!(test) { 3 } else { 64 };

/// A window in characters of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// `1 - distance / longer length`.
    pub(crate) similarity: f64,
    /// How many other windows are equally good and overlap neither this one nor each other,
    /// counted from the left.
    pub(crate) alternatives: usize,
}

/// The outcome of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Search {
    /// A window reaches the threshold.
    Found(Window),
    /// No window reaches the threshold, but a part of the text comes close.
    Near,
    /// Nothing in the text resembles the quote.
    Far,
}

/// Searches a normalised text for a normalised quote.
///
/// The window found neither begins nor ends with a space. No window fits in a text shorter than
/// the quote. Takes ⌈n/64⌉ · text steps, plus
/// ⌈n/64⌉ · 1.2n for each position that could match: a handful in most texts, one per
/// position of the period in repetitive texts, all of them in the worst case.
pub(crate) fn search(text: &[char], quote: &[char], threshold: f64) -> Search {
    if text.is_empty() || quote.is_empty() {
        return Search::Far;
    }
    let mut finder = Finder::new(text, quote, threshold);
    let (mut candidates, nearest) = finder.candidates();
    if let Some(best) = finder.best(&mut candidates) {
        let alternatives = finder.alternatives(&mut candidates, best);
        let is_space = |at: usize| usize::from(text[at] == ' ');
        return Search::Found(Window {
            start: best.start + is_space(best.start),
            end: best.end - is_space(best.end - 1),
            alternatives,
            ..best
        });
    }
    if ratio(nearest, quote.len()) >= NEAR {
        Search::Near
    } else {
        Search::Far
    }
}

/// A position where a window may begin, with an upper bound on the similarity of windows
/// there.
#[derive(Clone, Copy)]
struct WindowStart {
    start: usize,
    bound: f64,
}

impl Window {
    /// Orders equally good windows: the smaller one, then the earlier.
    fn rank(&self) -> (usize, usize) {
        (self.end - self.start, self.start)
    }
}

/// Detects positions whose text equals that of an earlier one over the length of their
/// windows, so that nothing new can be found there.
struct Repeats {
    /// The polynomial hash of each prefix, modulo 2^64.
    prefixes: Vec<u64>,
    /// `BASE` to the power of the longest window's length.
    power: u64,
    reach: usize,
    /// The first start recorded for each hash.
    noted: HashMap<u64, usize>,
}

impl Repeats {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

    fn new(text: &[char], reach: usize) -> Self {
        let mut hash = 0u64;
        let prefixes = std::iter::once(0)
            .chain(text.iter().map(|c| {
                hash = hash
                    .wrapping_mul(Self::BASE)
                    .wrapping_add(u64::from(*c) + 1);
                hash
            }))
            .collect();
        Repeats {
            prefixes,
            power: (0..reach).fold(1, |power: u64, _| power.wrapping_mul(Self::BASE)),
            reach,
            noted: HashMap::new(),
        }
    }

    /// The characters that determine the windows at `start`: those of the longest. `None` near
    /// the end of the text, where fewer windows fit.
    fn extent(&self, text: &[char], start: usize) -> Option<std::ops::Range<usize>> {
        let end = start + self.reach;
        (end <= text.len()).then_some(start..end)
    }

    fn hash(&self, start: usize) -> u64 {
        self.prefixes[start + self.reach]
            .wrapping_sub(self.prefixes[start].wrapping_mul(self.power))
    }

    /// Whether the text at an earlier recorded start is the same.
    fn repeats(&self, text: &[char], start: usize) -> bool {
        let Some(here) = self.extent(text, start) else {
            return false;
        };
        self.noted.get(&self.hash(start)).is_some_and(|earlier| {
            *earlier < start
                && self
                    .extent(text, *earlier)
                    .is_some_and(|there| text[there] == text[here])
        })
    }

    fn note(&mut self, text: &[char], start: usize) {
        if self.extent(text, start).is_some() {
            self.noted.entry(self.hash(start)).or_insert(start);
        }
    }
}

struct Finder<'a> {
    text: &'a [char],
    quote: &'a [char],
    threshold: f64,
    sizes: [usize; 3],
    pattern: Pattern,
    symbols: Vec<u32>,
    steps: Vec<i8>,
    distances: Vec<usize>,
}

impl<'a> Finder<'a> {
    fn new(text: &'a [char], quote: &'a [char], threshold: f64) -> Self {
        let n = quote.len();
        let sizes = [n, n * 11 / 10, n * 12 / 10];
        let pattern = Pattern::new(quote);
        Finder {
            text,
            quote,
            threshold,
            sizes,
            symbols: pattern.symbols(text),
            pattern,
            steps: Vec::new(),
            distances: Vec::new(),
        }
    }

    /// The maximum similarity of a window with at least this distance.
    fn bound(&self, distance: usize, window: usize) -> f64 {
        let n = self.quote.len();
        ratio(distance.max(window.abs_diff(n)), window.max(n))
    }

    /// Every start of a window that may reach the threshold, once, ascending; and the
    /// smallest distance of the quote to any part of the text.
    fn candidates(&mut self) -> (Vec<WindowStart>, usize) {
        let mut found = Vec::new();
        let mut nearest = self.quote.len();
        let longest = self.sizes[2];
        let mut steps = std::mem::take(&mut self.steps);
        for (at, distance) in self
            .pattern
            .to_suffixes(&self.symbols, &mut steps)
            .enumerate()
        {
            nearest = nearest.min(distance);
            if ratio(distance, longest) < self.threshold {
                continue;
            }
            for size in self.sizes {
                let Some(start) = (at + 1).checked_sub(size) else {
                    continue;
                };
                let bound = self.bound(distance, size);
                if bound >= self.threshold {
                    found.push(WindowStart { start, bound });
                }
            }
        }
        self.steps = steps;
        found.sort_unstable_by(|a, b| a.start.cmp(&b.start).then(b.bound.total_cmp(&a.bound)));
        found.dedup_by_key(|candidate| candidate.start);
        if found.len() > MANY {
            self.prune_from_the_left(&mut found, longest);
        }
        (found, nearest)
    }

    /// Drops candidates at which no text of any length is similar enough.
    fn prune_from_the_left(&mut self, candidates: &mut Vec<WindowStart>, longest: usize) {
        let backwards: Vec<char> = self.quote.iter().rev().copied().collect();
        let pattern = Pattern::new(&backwards);
        let text: Vec<char> = self.text.iter().rev().copied().collect();
        let symbols = pattern.symbols(&text);
        let distances: Vec<usize> = pattern.to_suffixes(&symbols, &mut self.steps).collect();
        candidates.retain_mut(|candidate| {
            let distance = distances[self.text.len() - 1 - candidate.start];
            candidate.bound = candidate.bound.min(ratio(distance, longest));
            candidate.bound >= self.threshold
        });
    }

    /// Calls `visit` with each window at `start`, for exact comparison.
    fn windows_at(&mut self, start: usize, mut visit: impl FnMut(Window)) {
        let n = self.quote.len();
        let limit = self.text.len().min(start + self.sizes[2]);
        self.distances.clear();
        self.distances.extend(
            self.pattern
                .to_prefixes(&self.symbols[start..limit], &mut self.steps),
        );
        for size in self.sizes {
            let Some(distance) = self.distances.get(size - 1) else {
                continue;
            };
            visit(Window {
                start,
                end: start + size,
                similarity: ratio(*distance, n.max(size)),
                alternatives: 0,
            });
        }
    }

    /// The first of the best windows that reach the threshold.
    fn best(&mut self, candidates: &mut [WindowStart]) -> Option<Window> {
        candidates.sort_unstable_by(|a, b| b.bound.total_cmp(&a.bound).then(a.start.cmp(&b.start)));
        let threshold = self.threshold;
        let mut repeats = (candidates.len() > MANY).then(|| Repeats::new(self.text, self.sizes[2]));
        let mut best: Option<Window> = None;
        for candidate in candidates.iter() {
            if let Some(window) = &best {
                if candidate.bound < window.similarity {
                    break;
                }
                let earliest = (self.sizes[0], candidate.start);
                if candidate.bound == window.similarity && window.rank() < earliest {
                    continue;
                }
            }
            if let Some(repeats) = &mut repeats {
                // The earlier position has the same windows, and those come first.
                if repeats.repeats(self.text, candidate.start) {
                    continue;
                }
                repeats.note(self.text, candidate.start);
            }
            self.windows_at(candidate.start, |window| {
                let better = match &best {
                    None => window.similarity >= threshold,
                    Some(champion) => {
                        window.similarity > champion.similarity
                            || (window.similarity == champion.similarity
                                && window.rank() < champion.rank())
                    }
                };
                if better {
                    best = Some(window);
                }
            });
        }
        best
    }

    fn alternatives(&mut self, candidates: &mut Vec<WindowStart>, best: Window) -> usize {
        candidates.retain(|candidate| candidate.bound >= best.similarity);
        candidates.sort_unstable_by_key(|candidate| candidate.start);
        let shortest = self.sizes[0];
        let mut repeats = (candidates.len() > MANY).then(|| Repeats::new(self.text, self.sizes[2]));
        let (mut count, mut free_from) = (0, 0);
        for candidate in candidates.iter() {
            let overlaps =
                |window_end: usize| candidate.start < best.end && window_end > best.start;
            if candidate.start < free_from || overlaps(candidate.start + shortest) {
                continue;
            }
            if let Some(repeats) = &repeats
                && repeats.repeats(self.text, candidate.start)
            {
                continue;
            }
            let (mut end, mut any): (Option<usize>, bool) = (None, false);
            self.windows_at(candidate.start, |window| {
                any |= window.similarity == best.similarity;
                if window.similarity == best.similarity && !overlaps(window.end) {
                    end = Some(end.map_or(window.end, |shorter| shorter.min(window.end)));
                }
            });
            if let Some(end) = end {
                count += 1;
                free_from = end;
            }
            if let Some(repeats) = &mut repeats
                && !any
            {
                repeats.note(self.text, candidate.start);
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::align::distance::naive_distance;
    use proptest::prelude::*;

    /// The definition, implemented literally.
    fn naive(text: &[char], quote: &[char], threshold: f64) -> Option<Window> {
        let n = quote.len();
        let mut all = Vec::new();
        for size in [n, n * 11 / 10, n * 12 / 10] {
            for start in 0..(text.len() + 1).saturating_sub(size) {
                let end = start + size;
                let distance = naive_distance(quote, &text[start..end]);
                let similarity = 1.0 - distance as f64 / size as f64;
                all.push((start, end, similarity));
            }
        }
        let mut best: Option<(usize, usize, f64)> = None;
        for window in &all {
            if window.2 >= threshold && best.is_none_or(|best| window.2 > best.2) {
                best = Some(*window);
            }
        }
        let best = best?;
        all.retain(|w| w.2 == best.2 && (w.1 <= best.0 || w.0 >= best.1));
        all.sort_by_key(|w| (w.0, w.1));
        let (mut alternatives, mut free_from) = (0, 0);
        for window in all {
            if window.0 >= free_from {
                alternatives += 1;
                free_from = window.1;
            }
        }
        let mut span = best.0..best.1;
        if text[span.start] == ' ' {
            span.start += 1;
        }
        if text[span.end - 1] == ' ' {
            span.end -= 1;
        }
        Some(Window {
            start: span.start,
            end: span.end,
            similarity: best.2,
            alternatives,
        })
    }

    fn agree(text: &str, quote: &str, threshold: f64) -> Result<(), TestCaseError> {
        let text: Vec<char> = text.chars().collect();
        let quote: Vec<char> = quote.chars().collect();
        if text.is_empty() || quote.is_empty() {
            prop_assert_eq!(search(&text, &quote, threshold), Search::Far);
            return Ok(());
        }
        let expected = naive(&text, &quote, threshold);
        match search(&text, &quote, threshold) {
            Search::Found(window) => prop_assert_eq!(Some(window), expected),
            _ => prop_assert_eq!(None, expected),
        }
        Ok(())
    }

    /// Normalised: no outer spaces and no two spaces in a row.
    fn tidy(text: &str) -> String {
        text.split(' ')
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    const REAL: &str = "duckdb를 사용하여 이벤트 소싱 패턴을 구현하는 것이 좋습니다. 이벤트는 \
        불변이어야 하며, append-only 방식으로 저장합니다. 🎉 the add is not an upsert. we delete \
        by id first and then insert again, so exactly one record with that id exists afterwards. \
        we delete by id first and then insert it again. שלום עולם, this is mixed text 👨‍👩‍👧 東京 \
        タワーの高さは333メートルです。 retry limit 3, stuck threshold 5 minutes.";

    #[derive(Clone, Debug)]
    enum Edit {
        Insert(char),
        Delete,
        Substitute(char),
    }

    fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, Edit)>> {
        let letter = prop::sample::select(vec!['a', 'e', ' ', '는', '🎉', 'x']);
        let edit = prop_oneof![
            letter.clone().prop_map(Edit::Insert),
            Just(Edit::Delete),
            letter.prop_map(Edit::Substitute),
        ];
        prop::collection::vec((any::<prop::sample::Index>(), edit), 0..12)
    }

    fn apply(mut text: Vec<char>, edits: &[(prop::sample::Index, Edit)]) -> String {
        for (at, edit) in edits {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            match edit {
                Edit::Insert(c) => text.insert(at, *c),
                Edit::Delete => drop(text.remove(at)),
                Edit::Substitute(c) => text[at] = *c,
            }
        }
        tidy(&text.into_iter().collect::<String>())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn agrees_with_the_definition_on_small_alphabets(
            text in "[ab ]{0,90}", quote in "[ab ]{1,24}", threshold in 0.5f64..=1.0
        ) {
            agree(&tidy(&text), &tidy(&quote), threshold)?;
        }

        #[test]
        fn agrees_with_the_definition_on_repetitive_texts(
            unit in "[ab ]{4,24}", times in 1usize..8, noise in edits(), edits in edits()
        ) {
            let text = apply(unit.repeat(times).chars().collect(), &noise);
            let quote = apply(unit.chars().collect(), &edits);
            agree(&text, &quote, 0.85)?;
            agree(&text, &quote, 0.6)?;
        }

    }

    proptest! {
        // The reference takes a tenth of a second here.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn agrees_with_the_definition_on_real_text(
            start in any::<prop::sample::Index>(), len in 6usize..150, edits in edits()
        ) {
            let text: Vec<char> = REAL.chars().collect();
            let start = start.index(text.len() - 6);
            let piece = text[start..(start + len).min(text.len())].to_vec();
            agree(REAL, &apply(piece, &edits), 0.85)?;
        }
    }

    fn window(text: &str, quote: &str) -> Option<(String, f64, usize)> {
        let text: Vec<char> = text.chars().collect();
        let quote: Vec<char> = quote.chars().collect();
        match search(&text, &quote, 0.85) {
            Search::Found(window) => Some((
                text[window.start..window.end].iter().collect(),
                window.similarity,
                window.alternatives,
            )),
            _ => None,
        }
    }

    #[test]
    fn the_widest_window_catches_korean_particles() {
        let found = window("duckdb에서 jsonb 타입을 제거", "duckdb jsonb 타입 제거");
        assert_eq!(
            found,
            Some(("duckdb에서 jsonb 타입을 제거".into(), 1.0 - 3.0 / 21.0, 0))
        );
    }

    #[test]
    fn the_first_of_equal_windows_wins_and_the_others_are_counted() {
        let found = window(
            "retry limit is 5, retry limit is 6, retry limit is 7",
            "retry limit is 8",
        );
        assert_eq!(
            found,
            Some(("retry limit is 5".into(), 1.0 - 1.0 / 16.0, 2))
        );
    }

    #[test]
    fn no_window_fits_in_a_text_shorter_than_the_quote() {
        let quote = "remove jsonb from duckdb schema";
        assert_eq!(window(&quote[..quote.len() - 1], quote), None);
        let found = window("remove jsonb from duckdb schemas", quote);
        assert_eq!(found, Some((quote.to_owned(), 1.0, 0)));
    }

    #[test]
    fn the_spaces_around_a_window_count_and_are_not_shown() {
        let found = window("x retrie y", "retries");
        assert_eq!(found, Some(("retrie".to_owned(), 1.0 - 1.0 / 7.0, 0)));
        // Without the space, one of seven characters would differ, and none would be missing.
        assert_eq!(window("42 writes", "wraites"), None);
        assert_eq!(
            window("worker naïve 합니다 writes", "합나니다 writes"),
            None
        );
    }

    #[test]
    fn failure_tells_near_from_far() {
        let chars = |s: &str| s.chars().collect::<Vec<_>>();
        let text = chars("the retry limit is five for every worker");
        assert_eq!(
            search(&text, &chars("the retry count was five"), 0.85),
            Search::Near
        );
        assert_eq!(
            search(&text, &chars("zebra crossing rules"), 0.85),
            Search::Far
        );
        assert_eq!(search(&[], &chars("a"), 0.85), Search::Far);
    }
}
