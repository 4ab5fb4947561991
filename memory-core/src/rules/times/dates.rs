//! Parses dates in a question as people write them: "May 8, 2023", `2026-02-03`, "2월 3일", a
//! month, a year.

use std::ops::Range;

use regex::Captures;

use super::numbers::numbers;
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

/// The dates in a lower-case question, in its order.
pub(crate) fn named_dates(lower: &str) -> Vec<NamedDate> {
    let has_digit = lower.contains(|c: char| c.is_ascii_digit() || is_wide_digit(c));
    let has_month = MONTHS
        .iter()
        .any(|month| lower.contains(if has_digit { &month[..3] } else { month }));
    // Most questions name no date and need no compiled pattern.
    let mut found = match has_month {
        true => english_dates(lower),
        false => Vec::new(),
    };
    if has_digit {
        let mut numeric = numeric_dates(lower);
        // Beside a month by its name, a bare year is a part of the same date or a number.
        let is_alone = found.is_empty();
        numeric.retain(|date| {
            let is_other = found
                .iter()
                .all(|known| !overlap(&known.place, &date.place));
            is_other && (is_alone || date.month.is_some())
        });
        found.append(&mut numeric);
    }
    found.extend(han_dates(lower));
    found.sort_by_key(|date| date.place.start);
    found
}

/// Whether two places share a byte.
pub(crate) fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

fn english_dates(lower: &str) -> Vec<NamedDate> {
    static DATE: Pattern = Pattern::written("", |_| {
        let (long, short) = (MONTHS.join("|"), MONTHS.map(|month| &month[..3]).join("|"));
        format!(
            r"(?:\b(20\d\d),?\s+)?(?:\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?\b({long}|{short}|sept)\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,?\s*(?:of )?(20\d\d))?"
        )
    });
    static BEFORE_MAY: Pattern =
        Pattern::new(r"\b(?:in|on|of|during|by|since|until|early|late|mid|this|last|next)\s+$");
    static AFTER_MAY: Pattern = Pattern::new(r"^(?: of)? (?:last|this) year\b");
    static AFTER_A_MARCH: Pattern =
        Pattern::new(r"^\s+(?:on|ahead|forward|through|into|towards?|against)\b");
    let mut found = Vec::new();
    let dates = DATE.for_text(lower).into_iter();
    for date in dates.flat_map(|dates| dates.captures_iter(lower)) {
        let number = |group: usize| date.get(group).and_then(|m| number_of(m.as_str()));
        let Some(name) = date.get(3) else { continue };
        let (before, after, year) = (number(2), number(4), number(5).or(number(1)));
        let has_number = before.is_some() || after.is_some() || year.is_some();
        // "may" is a verb far more often than a month, and "mar" or "jan" may be a name.
        let is_certain = match name.as_str() {
            "may" => {
                has_number
                    || BEFORE_MAY.is_match(&lower[..name.start()])
                    || AFTER_MAY.is_match(&lower[name.end()..])
            }
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
            day: small(before.or(after), 31),
            place: place_of(&date),
        });
    }
    found
}

/// `2026-02-03`, `03.02.2026`, `2/3/2026`, `2026-02`, `2026년 2월 3일`, `2026年2月3日`, `2월`, a
/// bare year.
fn numeric_dates(lower: &str) -> Vec<NamedDate> {
    // A day or month ends where no digit follows, whatever the script of the next letter.
    static NUMERIC: Pattern = Pattern::new(
        r"(?-u:\b)(20\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?:t\d[\d:.]*z?)?|(?-u:\b)(\d{1,2})([-/.])(\d{1,2})[-/.](20\d\d)|(?:([2２][0０]\d\d)\s*[년年]\s*)?(\d{1,2})\s*[월月](?:\s*(\d{1,2})\s*[일日号號])?|(?-u:\b)(20\d\d)-(0[1-9]|1[0-2])|([2２][0０]\d\d)\s*[년年]|\b(20\d\d)\b",
    );
    let dates = NUMERIC.for_text(lower).into_iter();
    dates
        .flat_map(|dates| dates.captures_iter(lower))
        .filter(|date| !goes_on(lower, whole(date).end))
        .map(|date| {
            let number = |group: usize| date.get(group).and_then(|m| number_of(m.as_str()));
            let first_of = |groups: &[usize]| groups.iter().copied().find_map(number);
            let (month, day) = match (number(4), number(6)) {
                // Only slashes put the month first, unless that number cannot be a month.
                (Some(first), Some(second)) => {
                    let is_month_first = &date[5] == "/" && first <= 12 || second > 12;
                    match is_month_first {
                        true => (Some(first), Some(second)),
                        false => (Some(second), Some(first)),
                    }
                }
                _ => (first_of(&[2, 9, 12]), first_of(&[3, 10])),
            };
            NamedDate {
                year: first_of(&[1, 7, 8, 11, 13, 14]),
                month: small(month, 12),
                day: small(day, 31),
                place: place_of(&date),
            }
        })
        .collect()
}

/// Months and days in Han numerals: 五月, 十二月三日.
fn han_dates(lower: &str) -> Vec<NamedDate> {
    let mut found = Vec::new();
    for (at, month) in lower.match_indices('月') {
        let Some((value, length)) = number_before(&lower[..at]) else {
            continue;
        };
        let Some(number) = small(value.try_into().ok(), 12) else {
            continue;
        };
        let behind = &lower[at + month.len()..];
        let day = numbers(behind).into_iter().find_map(|day| {
            let unit = behind[day.length..].chars().next()?;
            let is_day = !day.is_vague && "日号號".contains(unit);
            is_day.then_some((day.value, day.length + unit.len_utf8()))
        });
        let end = at + month.len() + day.map_or(0, |(_, length)| length);
        found.push(NamedDate {
            year: None,
            month: Some(number),
            day: day.and_then(|(day, _)| small(day.try_into().ok(), 31)),
            place: at - length..end,
        });
    }
    found
}

/// The number in Han numerals at the end of a text, and its length in bytes.
fn number_before(text: &str) -> Option<(i64, usize)> {
    let is_numeral = |c: &char| "一二三四五六七八九十".contains(*c);
    let count = text.chars().rev().take_while(is_numeral).count();
    let length = count * '一'.len_utf8();
    let number = *numbers(&text[text.len() - length..]).first()?;
    (number.length == length).then_some((number.value, length))
}

/// Whether a text has a digit on both sides of a position.
fn goes_on(text: &str, at: usize) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    text[..at].ends_with(is_digit) && text[at..].starts_with(is_digit)
}

/// A number of ASCII or full-width digits.
fn number_of(text: &str) -> Option<i16> {
    let ascii = |c: char| match is_wide_digit(c) {
        true => char::from_u32(c as u32 - '０' as u32 + '0' as u32),
        false => Some(c),
    };
    text.chars()
        .map(ascii)
        .collect::<Option<String>>()?
        .parse()
        .ok()
}

fn is_wide_digit(c: char) -> bool {
    ('０'..='９').contains(&c)
}

/// A number from 1 to `most`.
fn small(number: Option<i16>, most: i16) -> Option<i8> {
    let number = number.filter(|number| (1..=most).contains(number))?;
    i8::try_from(number).ok()
}

fn whole(date: &Captures<'_>) -> Range<usize> {
    date.get(0).expect("a match has a place").range()
}

/// The range of a match, without its trailing space.
fn place_of(date: &Captures<'_>) -> Range<usize> {
    let start = whole(date).start;
    start..start + date[0].trim_end().len()
}
