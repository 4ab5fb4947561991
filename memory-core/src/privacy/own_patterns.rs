//! Finds the matches of the patterns that a host gives the filter. A pattern with an optional tail, such
//! as `id(.*end)?`, would be looked for up to the end of the text at each of its matches, so how much
//! all searches of a text may read together is bounded.

use regex::Regex;

use super::formats::Range;
use super::scanned::visit;

/// How much the searches of a text may read, in bytes: per byte of it, and as a base.
const READS_PER_BYTE: usize = 96;
const READS_IN_ADVANCE: usize = 4 << 20;
/// How far a match may reach when that is used up, in bytes.
const REACH: usize = 1 << 10;

/// The matches of a pattern that are not empty, in order. `missed` is set if there may be others.
pub(super) fn matches_of(text: &str, pattern: &Regex, missed: &mut bool) -> Vec<Range> {
    let most = READS_IN_ADVANCE.saturating_add(READS_PER_BYTE.saturating_mul(text.len()));
    let most = match is_short(pattern.as_str()) {
        true => usize::MAX,
        false => most,
    };
    matches_within(text, pattern, most, missed)
}

/// Whether all matches of a pattern are short, so that little is read in vain: nothing in it may be
/// repeated without an end, or very often.
fn is_short(pattern: &str) -> bool {
    if pattern.contains(['*', '+', '#']) {
        return false;
    }
    let mut longest = pattern.len();
    let mut times = 1_usize;
    let mut before = "";
    for (at, part) in pattern.split('{').enumerate() {
        if at > 0 {
            let inside = part.split('}').next().unwrap_or_default();
            let mut numbers = inside.split(',').map(|number| number.parse().ok());
            // `{5,}` has no end, and `{Greek}` is no number.
            let Some(most) = numbers.try_fold(0_usize, |most, number| Some(most.max(number?)))
            else {
                return false;
            };
            match before.trim_end().ends_with([')', '}']) {
                true => times = times.saturating_mul(most),
                false => longest = longest.saturating_add(most),
            }
        }
        before = part;
    }
    longest.saturating_mul(times) <= REACH
}

/// The same with so many bytes that may be read more than once.
fn matches_within(text: &str, pattern: &Regex, left: usize, missed: &mut bool) -> Vec<Range> {
    let mut search = Search {
        text,
        pattern,
        left,
        follows: true,
        missed: false,
        at: 0,
    };
    let found = std::iter::from_fn(|| search.next()).collect();
    *missed |= search.missed;
    found
}

/// A search that goes through a text.
struct Search<'t> {
    text: &'t str,
    pattern: &'t Regex,
    /// How many bytes may still be read more than once.
    left: usize,
    /// Whether matches that are still open were found to go on so far.
    follows: bool,
    /// Whether a match may have been missed, or not followed to its end.
    missed: bool,
    at: usize,
}

impl Search<'_> {
    /// The next match that is not empty.
    fn next(&mut self) -> Option<Range> {
        while self.at <= self.text.len() {
            let (start, end) = match self.left {
                0 => self.near()?,
                _ => self.find(self.text.len())?,
            };
            // All behind the match may have been read in vain.
            self.left = self.left.saturating_sub(self.text.len() - end);
            if start < end {
                self.at = end;
                return Some((start, end));
            }
            self.at = self.text.ceil_char_boundary(end + 1).max(end + 1);
        }
        None
    }

    /// The first match from here on in the text up to a limit.
    fn find(&self, limit: usize) -> Option<Range> {
        let found = self.pattern.find_at(&self.text[..limit], self.at);
        // Up to its end, each byte of it is read once for all matches.
        visit(limit - self.at);
        found.map(|found| (found.start(), found.end()))
    }

    /// The first match from here on that reaches no further than its reach, or is still open there.
    fn near(&mut self) -> Option<Range> {
        loop {
            let limit = self.boundary(2 * REACH);
            let found = self.find(limit);
            let is_whole_text = limit == self.text.len();
            self.missed |= !is_whole_text;
            match found {
                Some((start, end)) if end == limit && !is_whole_text && start < self.at + REACH => {
                    return Some(self.followed((start, end)));
                }
                Some((start, _)) if start >= self.at + REACH && !is_whole_text => self.at = start,
                None if !is_whole_text => self.at = self.boundary(REACH),
                found => return found,
            }
        }
    }

    /// A match that goes on behind the end of what was read, up to its own end.
    fn followed(&mut self, (start, end): Range) -> Range {
        let mut end = end;
        let mut reach = 4 * REACH;
        while self.follows {
            let limit = self.boundary(reach);
            let longer = self
                .find(limit)
                .filter(|found| found.0 == start && found.1 >= end);
            // What was read belongs to the match, or has been read in vain for the last time.
            self.follows = longer.is_some();
            end = longer.map_or(end, |found| found.1);
            if end < limit || limit == self.text.len() {
                break;
            }
            reach *= 2;
        }
        (start, end)
    }

    /// The position so many bytes further on.
    fn boundary(&self, bytes: usize) -> usize {
        let at = (self.at + bytes).min(self.text.len());
        self.text.ceil_char_boundary(at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scanned;
    use super::*;

    fn found(text: &str, pattern: &str) -> Vec<Range> {
        matches_of(text, &Regex::new(pattern).unwrap(), &mut false)
    }

    /// What is read if little may be read more than once.
    fn work(text: &str, pattern: &str) -> u64 {
        scanned::reset();
        matches_within(
            text,
            &Regex::new(pattern).unwrap(),
            4 * text.len(),
            &mut false,
        );
        scanned::count()
    }

    #[test]
    fn work_is_linear_in_the_matches_of_a_pattern_with_an_optional_tail() {
        for pattern in ["a(?:.*b)?", "(?s)a(?:.*b)?", "a*", "a.*$|a", "(?s)a.*b|a"] {
            for unit in ["a", "a ", "é", "a\n", "aaaa é"] {
                let text = |bytes: usize| unit.repeat(bytes / unit.len());
                let (small, large) = (work(&text(1 << 14), pattern), work(&text(1 << 15), pattern));
                assert!(
                    large < small * 9 / 4,
                    "{pattern} {unit:?}: {small} -> {large}"
                );
            }
        }
    }

    #[test]
    fn matches_are_those_of_the_pattern_as_long_as_they_are_few() {
        let text = "id 1 end, ids, id 2\nend é";
        assert_eq!(found(text, "id(?:.*end)?"), [(0, 8), (10, 12), (15, 17)]);
        assert_eq!(found(text, "x*"), []);
        let long = format!("BEGIN{}END", "x".repeat(100_000));
        let mut missed = false;
        let pattern = Regex::new("BEGIN.*?END").unwrap();
        assert_eq!(matches_of(&long, &pattern, &mut missed), [(0, long.len())]);
        assert!(!missed);
    }

    #[test]
    fn a_pattern_is_short_if_its_matches_are() {
        for pattern in [
            r"EMP-\d{4}",
            "[A-Z]{2}[0-9]{2}(?: ?[0-9]{4}){4}",
            "x{0,1000}",
            "plain",
        ] {
            assert!(is_short(pattern), "{pattern}");
        }
        for pattern in [
            "a*",
            "a+",
            "a{5,}",
            "(?x)a{5, }",
            "x{1024}",
            "(?:a{99}){99}",
            "a{99}{99}",
            r"\p{Greek}",
        ] {
            assert!(!is_short(pattern), "{pattern}");
        }
    }

    /// Nothing that matches a short pattern is missed, however much there is of it.
    #[test]
    fn the_matches_of_a_short_pattern_have_no_bound() {
        const MANY: usize = 20_000;
        let text = "EMP-0042 and more\n".repeat(MANY);
        let pattern = Regex::new(r"EMP-\d{4}(?:-[a-z]{0,99} END)?").unwrap();
        let mut missed = false;
        assert_eq!(matches_of(&text, &pattern, &mut missed).len(), MANY);
        assert!(!missed);
    }

    /// What is left of a match that was not followed to its end is not passed over in silence.
    #[test]
    fn a_match_that_is_cut_is_told() {
        let long = "q".repeat(9_000);
        let vain = "x".repeat(9_000);
        let text = format!("{}{vain} y\nTOKq{long}", "id ".repeat(60_000));
        let pattern = Regex::new("id|x+$|TOKq+").unwrap();
        let mut missed = false;
        let last = matches_of(&text, &pattern, &mut missed).pop();
        assert!(last.is_some_and(|last| last.1 < text.len()));
        assert!(missed);
    }

    #[test]
    fn a_match_that_is_long_is_followed_to_its_end_among_very_many() {
        const MANY: usize = 1 << 10;
        let short = "é1 ".repeat(MANY);
        let long = format!("{short}2{} end", "é".repeat(30_000));
        let pattern = Regex::new("[0-9]é*").unwrap();
        let mut missed = false;
        let matches = matches_within(&long, &pattern, 0, &mut missed);
        assert!(missed);
        assert_eq!(matches.len(), MANY + 1);
        assert_eq!(matches[MANY], (short.len(), long.len() - " end".len()));
    }
}
