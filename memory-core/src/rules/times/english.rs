//! Parses times relative to now in English, with a small grammar over the words of a
//! question.

use std::ops::Range;

use super::calendar::{Calendar, Part, Unit};
use super::numbers::FEW;
use super::span::{NamedTime, TimeSpan};

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

const NUMBERS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

/// The tens from twenty on.
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// Words before a time that put it in the future or make it recurring.
const NOT_PAST: [&str; 9] = [
    "next",
    "every",
    "each",
    "until",
    "till",
    "by",
    "before",
    "coming",
    "following",
];

/// Words that turn a following weekday into another name.
const NAMES: [&str; 5] = ["black", "good", "cyber", "casual", "man"];

struct Word<'a> {
    text: &'a str,
    place: Range<usize>,
}

/// The times in a lower-case question.
pub(super) fn times(lower: &str, calendar: &Calendar<'_>) -> Vec<NamedTime> {
    let words = words(lower);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((mut span, count)) = time_at(
            &words[at..],
            at.checked_sub(1).map(|b| words[b].text),
            calendar,
        ) else {
            at += 1;
            continue;
        };
        let mut start = at;
        let mut is_past = true;
        // "since Monday" extends until now; "in the last week" is one time.
        while start > 0 {
            match words[start - 1].text {
                "since" | "from" => span = calendar.since(span),
                "on" | "in" | "during" | "over" | "within" | "for" | "of" | "the" => {}
                before => {
                    let is_end = is_end_of_range(&words, start - 1, found.last());
                    is_past = is_end || !NOT_PAST.contains(&before);
                    break;
                }
            }
            start -= 1;
        }
        if is_past {
            found.push(NamedTime {
                place: words[start].place.start..words[at + count - 1].place.end,
                span,
                date: None,
            });
        }
        at += count;
    }
    found
}

/// Whether a word joins a time to the one before it: "from Monday until Wednesday".
fn is_end_of_range(words: &[Word<'_>], at: usize, before: Option<&NamedTime>) -> bool {
    let is_joint = matches!(words[at].text, "until" | "till");
    is_joint && before.is_some_and(|time| at > 0 && time.place.end == words[at - 1].place.end)
}

/// The words of a text, except parts of identifiers, paths and addresses.
fn words(lower: &str) -> Vec<Word<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '\'' || c == '’';
    let mut words = Vec::new();
    let mut rest = 0;
    while let Some(first) = lower[rest..].find(is_word) {
        let start = rest + first;
        let length = lower[start..].find(|c| !is_word(c));
        let end = length.map_or(lower.len(), |length| start + length);
        rest = end;
        let before = lower[..start].chars().next_back();
        let mut after = lower[end..].chars();
        let (next, second) = (after.next(), after.next());
        let is_joined = before.is_some_and(|c| "_./\\#$@-".contains(c))
            || next.is_some_and(|c| "_/\\(=".contains(c))
            || next.is_some_and(|c| ".-:".contains(c))
                && second.is_some_and(|c| c.is_alphanumeric());
        let text = &lower[start..end];
        let text = text
            .strip_suffix("'s")
            .or_else(|| text.strip_suffix("’s"))
            .unwrap_or(text);
        let is_number = || is_part_of_number(lower, start..end);
        // A joined word is skipped, but still separates its neighbours.
        words.push(Word {
            text: if is_joined && !is_number() { "" } else { text },
            place: start..start + text.len(),
        });
        if let Some(word) = words.last_mut() {
            word.place.end = end;
        }
    }
    words
}

/// Whether a word is one of the two of a number like "twenty-one".
fn is_part_of_number(lower: &str, place: Range<usize>) -> bool {
    let (before, word, behind) = (
        &lower[..place.start],
        &lower[place.clone()],
        &lower[place.end..],
    );
    let is_unit = |word: &str| NUMBERS[1..10].contains(&word);
    let next = |text: &str| -> usize {
        text.find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(text.len())
    };
    if TENS.contains(&word) {
        let unit = behind.strip_prefix('-');
        return unit.is_some_and(|unit| is_unit(&unit[..next(unit)]));
    }
    let tens = before.strip_suffix('-').unwrap_or_default();
    is_unit(word) && TENS.iter().any(|ten| tens.ends_with(ten))
}

/// The time that starts with the first word, and its number of words.
fn time_at(
    words: &[Word<'_>],
    before: Option<&str>,
    calendar: &Calendar<'_>,
) -> Option<(TimeSpan, usize)> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text);
    let part_at = |at: usize| part(word(at));
    let day = |ago: i64, count: usize| match part_at(count) {
        Some(part) => (calendar.part(ago, part), count + 1),
        None => (calendar.day(ago), count),
    };
    match word(0) {
        "yesterday" => Some(day(1, 1)),
        "today" => Some((calendar.day(0), 1)),
        "tonight" => Some((calendar.part(0, Part::Night), 1)),
        "day" if word(1) == "before" && word(2) == "yesterday" => Some(day(2, 3)),
        "weekend" if before == Some("the") || before == Some("over") => {
            Some((calendar.weekend(1), 1))
        }
        "last" | "past" | "previous" | "this" | "earlier" | "recent" => determined(words, calendar),
        first => {
            if let Some(weekday) = WEEKDAYS.iter().position(|day| *day == first) {
                if before.is_some_and(|word| NAMES.contains(&word)) {
                    return None;
                }
                return Some(day(calendar.weekday(weekday as i64, false), 1));
            }
            // "Two thousand three days ago" is no three days ago.
            if before.is_some_and(|word| matches!(word, "hundred" | "thousand" | "million")) {
                return None;
            }
            counted(words, calendar)
        }
    }
}

/// "last week", "past three days", "this morning", "last Monday".
fn determined(words: &[Word<'_>], calendar: &Calendar<'_>) -> Option<(TimeSpan, usize)> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text);
    let is_this = word(0) == "this";
    let back = i64::from(!is_this);
    if let Some(part) = part(word(1)) {
        let is_named = is_this || (word(0) == "last" && part == Part::Night);
        return is_named.then(|| (calendar.part(back, part), 2));
    }
    if word(1) == "weekend" {
        return Some((calendar.weekend(back), 2));
    }
    if let Some(weekday) = WEEKDAYS.iter().position(|day| *day == word(1)) {
        let ago = calendar.weekday(weekday as i64, !is_this);
        return Some((calendar.day(ago), 2));
    }
    if let Some((unit, is_plural)) = unit(word(1))
        && !is_plural
    {
        let span = match (word(0), unit) {
            // "The past week" is until now, "last week" until Monday.
            ("past" | "recent", _) => calendar.last(unit, 1),
            (_, Unit::Minute | Unit::Hour | Unit::Day) => calendar.last(unit, 1),
            _ => calendar.whole(unit, back),
        };
        return Some((span, 2));
    }
    let (count, length) = number(words, 1)?;
    let (unit, _) = unit(word(1 + length))?;
    (!is_this).then(|| (calendar.last(unit, count), 2 + length))
}

/// "two days ago", "a week ago", "a couple of months ago".
fn counted(words: &[Word<'_>], calendar: &Calendar<'_>) -> Option<(TimeSpan, usize)> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text);
    if let ("half", "a" | "an", "ago") = (word(0), word(1), word(3)) {
        let (unit, _) = unit(word(2))?;
        return half_ago(unit, calendar).map(|span| (span, 4));
    }
    let (count, length) = number(words, 0)?;
    let (unit, _) = unit(word(length))?;
    if word(length + 1) != "ago" {
        return None;
    }
    let is_few = [0, 1]
        .iter()
        .any(|at| matches!(word(*at), "few" | "several"));
    let is_couple = [0, 1].iter().any(|at| word(*at) == "couple");
    let span = match unit {
        Unit::Day if is_few || is_couple => calendar.days(count + 2, 1),
        Unit::Week if is_few => calendar.days(7 * (count + 2), 7),
        // "A few years ago" is too vague.
        Unit::Month | Unit::Year if is_few => return None,
        unit => calendar.ago(unit, count),
    };
    Some((span, length + 2))
}

/// "Half a year ago".
fn half_ago(unit: Unit, calendar: &Calendar<'_>) -> Option<TimeSpan> {
    match unit {
        Unit::Hour => Some(calendar.ago(Unit::Minute, 30)),
        Unit::Day => Some(calendar.ago(Unit::Hour, 12)),
        Unit::Year => Some(calendar.ago(Unit::Month, 6)),
        Unit::Minute | Unit::Week | Unit::Month => None,
    }
}

/// The number at a word, and its number of words.
fn number(words: &[Word<'_>], at: usize) -> Option<(i64, usize)> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text);
    match (word(at), word(at + 1), word(at + 2)) {
        ("a", "couple", "of") => Some((2, 3)),
        ("a", "couple", _) | ("couple", "of", _) => Some((2, 2)),
        ("couple", ..) => Some((2, 1)),
        ("a", "few", _) => Some((FEW, 2)),
        ("few" | "several", ..) => Some((FEW, 1)),
        ("a", "hundred", _) => Some((100, 2)),
        ("a" | "an", ..) => Some((1, 1)),
        (text, ..) => hundreds(&word, at)
            .or_else(|| below_hundred(&word, at))
            .or_else(|| digits(text))
            .filter(|(count, _)| *count > 0),
    }
}

/// "Two hundred", "one hundred and three".
fn hundreds<'w>(word: &impl Fn(usize) -> &'w str, at: usize) -> Option<(i64, usize)> {
    let first = NUMBERS[1..10]
        .iter()
        .zip(1..)
        .find(|(name, _)| **name == word(at));
    if word(at + 1) != "hundred" {
        return None;
    }
    let hundred = 100 * first?.1;
    let and = usize::from(word(at + 2) == "and");
    Some(match below_hundred(word, at + 2 + and) {
        Some((rest, length)) => (hundred + rest, 2 + and + length),
        None => (hundred, 2),
    })
}

/// "Three", "thirty", "twenty one".
fn below_hundred<'w>(word: &impl Fn(usize) -> &'w str, at: usize) -> Option<(i64, usize)> {
    let named = |text: &str| -> Option<i64> {
        let number = NUMBERS.iter().position(|name| *name == text)?;
        i64::try_from(number).ok()
    };
    let Some(tens) = TENS.iter().zip(2..).find(|(name, _)| **name == word(at)) else {
        return named(word(at)).map(|number| (number, 1));
    };
    let unit = named(word(at + 1)).filter(|unit| (1..10).contains(unit));
    Some((
        10 * tens.1 + unit.unwrap_or(0),
        1 + usize::from(unit.is_some()),
    ))
}

fn digits(text: &str) -> Option<(i64, usize)> {
    let is_short = (1..=3).contains(&text.len());
    Some((text.parse().ok().filter(|_| is_short)?, 1))
}

fn unit(word: &str) -> Option<(Unit, bool)> {
    let unit = match word.strip_suffix('s').unwrap_or(word) {
        "minute" | "min" => Unit::Minute,
        "hour" | "hr" => Unit::Hour,
        "day" => Unit::Day,
        "week" => Unit::Week,
        "month" => Unit::Month,
        "year" => Unit::Year,
        _ => return None,
    };
    Some((unit, word.ends_with('s')))
}

fn part(word: &str) -> Option<Part> {
    Some(match word {
        "morning" => Part::Morning,
        "afternoon" => Part::Afternoon,
        "evening" => Part::Evening,
        "night" => Part::Night,
        _ => return None,
    })
}
