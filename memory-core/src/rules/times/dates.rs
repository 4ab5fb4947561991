//! Parses dates in a question as people write them: "May 8, 2023", `2026-02-03`, "2월 3일", a
//! month, a year.

use std::ops::Range;

use regex::Captures;

use crate::index::lexical::searchable::MONTHS;
use crate::rules::pattern::Pattern;

/// A date in a question, possibly incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedDate {
    pub(crate) year: Option<i16>,
    pub(crate) month: Option<i8>,
    pub(crate) day: Option<i8>,
    /// Its position in the question.
    pub(crate) place: Range<usize>,
}

impl NamedDate {
    /// Whether it names a day of a month.
    pub(crate) fn names_a_day(&self) -> bool {
        self.month.is_some() && self.day.is_some()
    }

    /// Whether two dates name the same day; years are compared only if both have one.
    pub(crate) fn is_same_day(&self, other: &NamedDate) -> bool {
        let years_differ = self.year.is_some() && other.year.is_some() && self.year != other.year;
        self.names_a_day() && (self.month, self.day) == (other.month, other.day) && !years_differ
    }
}

/// The dates in a lower-case question.
pub(crate) fn named_dates(lower: &str) -> Vec<NamedDate> {
    let has_digit = lower.bytes().any(|byte| byte.is_ascii_digit());
    let has_month = MONTHS
        .iter()
        .any(|month| lower.contains(if has_digit { &month[..3] } else { month }));
    // Most questions name no date and need no compiled pattern.
    if has_month {
        english_dates(lower)
    } else if has_digit {
        numeric_dates(lower)
    } else {
        Vec::new()
    }
}

fn english_dates(lower: &str) -> Vec<NamedDate> {
    static DATE: Pattern = Pattern::written("", |_| {
        let (long, short) = (MONTHS.join("|"), MONTHS.map(|month| &month[..3]).join("|"));
        format!(
            r"(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?\b({long}|{short}|sept)\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,?\s*(?:of )?(20\d\d))?"
        )
    });
    static BEFORE_MAY: Pattern =
        Pattern::new(r"\b(?:in|on|of|during|by|since|until|early|late|mid|this|last|next)\s+$");
    static AFTER_A_MARCH: Pattern =
        Pattern::new(r"^\s+(?:on|ahead|forward|through|into|towards?|against)\b");
    let mut found = Vec::new();
    let dates = DATE.for_text(lower).into_iter();
    for date in dates.flat_map(|dates| dates.captures_iter(lower)) {
        let number = |group: usize| date.get(group).and_then(|m| m.as_str().parse::<i16>().ok());
        let Some(name) = date.get(2) else { continue };
        let (before, after, year) = (number(1), number(3), number(4));
        let has_number = before.is_some() || after.is_some() || year.is_some();
        // "may" is a verb far more often than a month, and "mar" or "jan" may be a name.
        let is_certain = match name.as_str() {
            "may" => has_number || BEFORE_MAY.is_match(&lower[..name.start()]),
            "march" => has_number || !AFTER_A_MARCH.is_match(&lower[name.end()..]),
            name => has_number || MONTHS.contains(&name),
        };
        if !is_certain {
            continue;
        }
        let month = MONTHS
            .iter()
            .position(|month| month.starts_with(&name.as_str()[..3]));
        found.push(NamedDate {
            year,
            month: month.and_then(|index| i8::try_from(index + 1).ok()),
            day: before
                .or(after)
                .and_then(|day| i8::try_from(day).ok())
                .filter(|d| (1..=31).contains(d)),
            place: place_of(&date),
        });
    }
    if found.is_empty() {
        numeric_dates(lower)
    } else {
        found
    }
}

/// `2026-02-03`, `03.02.2026`, `2/3/2026`, `2026년 2월 3일`, `2026年2月3日`, `2월`, a bare year.
fn numeric_dates(lower: &str) -> Vec<NamedDate> {
    static NUMERIC: Pattern = Pattern::new(
        r"\b(20\d\d)[-/.](\d{1,2})[-/.](\d{1,2})\b|\b(\d{1,2})([-/.])(\d{1,2})[-/.](20\d\d)\b|(?:(20\d\d)\s*[년年]\s*)?(\d{1,2})\s*[월月](?:\s*(\d{1,2})\s*[일日号])?|\b(20\d\d)(?:\s*[년年]|\b)",
    );
    let dates = NUMERIC.for_text(lower).into_iter();
    dates
        .flat_map(|dates| dates.captures_iter(lower))
        .map(|date| {
            let number =
                |group: usize| date.get(group).and_then(|m| m.as_str().parse::<i16>().ok());
            let small = |n: Option<i16>, most: i16| {
                n.filter(|n| (1..=most).contains(n))
                    .and_then(|n| i8::try_from(n).ok())
            };
            let (month, day) = match (number(4), number(6)) {
                // Only slashes put the month first, unless that number cannot be a month.
                (Some(first), Some(second)) => {
                    let is_month_first = &date[5] == "/" && first <= 12 || second > 12;
                    match is_month_first {
                        true => (Some(first), Some(second)),
                        false => (Some(second), Some(first)),
                    }
                }
                _ => (number(2).or(number(9)), number(3).or(number(10))),
            };
            let years = [1, 7, 8, 11];
            NamedDate {
                year: years.into_iter().find_map(number),
                month: small(month, 12),
                day: small(day, 31),
                place: place_of(&date),
            }
        })
        .collect()
}

/// The range of a match, without its trailing space.
fn place_of(date: &Captures<'_>) -> Range<usize> {
    let whole = date.get(0).expect("a match has a place");
    whole.start()..whole.start() + whole.as_str().trim_end().len()
}
