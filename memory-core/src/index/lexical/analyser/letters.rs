//! How a run of letters is taken apart: scripts, marks, pairs of letters, the parts of identifiers.

use unicode_general_category::{GeneralCategory, get_general_category};

use crate::text::scripts::{is_hangul, is_unspaced};

/// How a script writes words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Spaced,
    Unspaced,
    Hangul,
}

pub(super) fn classify(c: char) -> Class {
    if c < '\u{e00}' {
        Class::Spaced
    } else if is_hangul(c) {
        Class::Hangul
    } else if is_unspaced(c) {
        Class::Unspaced
    } else {
        Class::Spaced
    }
}

/// Whether the character only modifies the letter before it.
pub(crate) fn is_mark(c: char) -> bool {
    c >= '\u{300}'
        && matches!(
            get_general_category(c),
            GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
                | GeneralCategory::EnclosingMark
        )
}

/// Overlapping pairs of letters (with their marks); a single letter if there is only one.
pub(super) fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let mut starts = run
        .char_indices()
        .filter(|&(_, c)| !is_mark(c))
        .map(|(at, _)| at)
        .chain([run.len()]);
    let mut first = starts.next().map(|_| 0);
    let mut second = starts.next();
    let mut is_first = true;
    std::iter::from_fn(move || {
        let (from, middle) = (first?, second?);
        let third = starts.next();
        let to = match third {
            Some(to) => to,
            None if is_first => middle,
            None => return None,
        };
        is_first = false;
        (first, second) = (Some(middle), third);
        Some(&run[from..to])
    })
}

/// The parts of an identifier: `HTTPServer_v2` gives `HTTP`, `Server`, `v`, `2`.
pub(super) struct Parts<'a> {
    pub(super) rest: &'a str,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let word = self.rest.trim_start_matches('_');
        let kind = |c: char| -> u8 {
            match c {
                '_' => 0,
                c if c.is_uppercase() => 1,
                c if c.is_numeric() => 3,
                _ => 2,
            }
        };
        let mut chars = word.char_indices();
        let (_, first) = chars.next()?;
        let mut end = word.len();
        let mut now = kind(first);
        let mut last = 0;
        for (at, c) in chars {
            let next = if is_mark(c) { now } else { kind(c) };
            if next != now {
                if (now, next) == (1, 2) && last == 0 {
                    now = 2;
                    continue;
                }
                // The last of a run of capitals before a lower-case letter belongs to the next
                // part.
                end = if (now, next) == (1, 2) { last } else { at };
                break;
            }
            last = at;
        }
        let part = &word[..end];
        self.rest = &word[end..];
        Some(part)
    }
}
