//! Connects the times of a question to ranges: "between March 3 and March 7", "March 3 to 7",
//! "since May", "3월 3일부터 3월 7일까지", 先週から.

use std::ops::Range;

use super::calendar::Calendar;
use super::dates::NamedDate;
use super::span::{NamedTime, TimeSpan};
use crate::model::time::Timestamp;
use crate::rules::pattern::Pattern;

/// Words that join the first and the last time of a range.
const TO: [&str; 15] = [
    "to", "until", "till", "through", "-", "–", "—", "~", "〜", "～", "부터", "에서", "から", "到",
    "至",
];
/// Words that do so only between others.
const AND: [&str; 7] = ["and", "와", "과", "と", "和", "与", "與"];
const BETWEEN: [&str; 1] = ["between"];
const BETWEEN_BEHIND: [&str; 5] = ["사이", "の間", "間", "之间", "之間"];

/// Words before or behind a time that begins there and lasts until now.
const SINCE: [&str; 7] = ["since", "after", "自从", "自從", "自", "从", "從"];
const SINCE_BEHIND: [&str; 12] = [
    "부터",
    "이후로",
    "이후",
    "から",
    "以来",
    "以來",
    "以降",
    "以后",
    "以後",
    "之后",
    "之後",
    "开始",
];
/// The same for a time that ends there.
const UNTIL: [&str; 4] = ["until", "till", "by", "截至"];
const UNTIL_BEHIND: [&str; 3] = ["까지", "まで", "为止"];
/// The same for a time that ends before.
const BEFORE: [&str; 1] = ["before"];
const BEFORE_BEHIND: [&str; 3] = ["이전", "以前", "之前"];

/// Units before "before": "the week before May 8" lies next to its date.
const UNITS: [&str; 11] = [
    "day", "days", "week", "weeks", "weekend", "month", "months", "year", "years", "hours", "night",
];
/// Words between such a word and its time.
const SMALL_WORDS: [&str; 4] = ["the", "on", "in", "from"];

/// Joins neighbouring times to ranges, and opens those that begin or end at a time.
pub(super) fn connected(
    lower: &str,
    times: Vec<NamedTime>,
    calendar: &Calendar<'_>,
) -> Vec<NamedTime> {
    let mut found = Vec::with_capacity(times.len());
    let mut times = with_bare_days(lower, times, calendar)
        .into_iter()
        .peekable();
    while let Some(time) = times.next() {
        let last = times.next_if(|next| are_joined(lower, &time, next));
        found.push(match last {
            Some(last) => joined(lower, time, last, calendar),
            None => opened(lower, time, calendar),
        });
    }
    found
}

/// The times, with the days of ranges that share the month of a date beside them: "March 3 to
/// 7", "3rd to 7th of March", "3월 3일부터 7일까지".
fn with_bare_days(lower: &str, times: Vec<NamedTime>, calendar: &Calendar<'_>) -> Vec<NamedTime> {
    let mut all: Vec<NamedTime> = Vec::with_capacity(times.len() + 1);
    let mut times = times.into_iter().peekable();
    while let Some(time) = times.next() {
        let since = all.last().map_or(0, |last| last.place.end);
        let until = times.peek().map_or(lower.len(), |next| next.place.start);
        let first = bare_day_before(lower, since, &time, calendar);
        let last = bare_day_behind(lower, until, &time, calendar);
        all.extend(first.filter(|first| are_joined(lower, first, &time)));
        let last = last.filter(|last| are_joined(lower, &time, last));
        all.push(time);
        all.extend(last);
    }
    all
}

fn bare_day_before(
    lower: &str,
    since: usize,
    time: &NamedTime,
    calendar: &Calendar<'_>,
) -> Option<NamedTime> {
    static DAY: Pattern = Pattern::new(r"(?:^|[\s(])((\d{1,2})(?:st|nd|rd|th)?)[^\d\n]{1,9}$");
    let date = time.date.as_ref().filter(|date| date.names_a_day())?;
    let before = lower.get(since..time.place.start)?;
    let found = DAY.for_text(before)?.captures(before)?;
    let place = found.get(1)?.range();
    let date = NamedDate {
        day: found[2].parse().ok(),
        place: since + place.start..since + place.end,
        ..date.clone()
    };
    dated(date, calendar)
}

fn bare_day_behind(
    lower: &str,
    until: usize,
    time: &NamedTime,
    calendar: &Calendar<'_>,
) -> Option<NamedTime> {
    static DAY: Pattern = Pattern::new(
        r"^[^\d\n]{1,9}?(?-u:\b)((\d{1,2})(?:\s?[일日号號]|(?:st|nd|rd|th)?(?:,?\s(20\d\d))?(?:$|[^\w:%/.-]|[.-](?:$|\s))))",
    );
    let date = time.date.as_ref().filter(|date| date.names_a_day())?;
    let behind = lower.get(time.place.end..until)?;
    let found = DAY.for_text(behind)?.captures(behind)?;
    let place = found.get(1)?.range();
    let year = found.get(3).and_then(|year| year.as_str().parse().ok());
    let text = found[1].trim_end_matches(|c: char| !c.is_alphanumeric());
    let start = time.place.end + place.start;
    let date = NamedDate {
        year: year.or(date.year),
        day: found[2].parse().ok(),
        place: start..start + text.len(),
        ..date.clone()
    };
    dated(date, calendar)
}

fn dated(date: NamedDate, calendar: &Calendar<'_>) -> Option<NamedTime> {
    Some(NamedTime {
        place: date.place.clone(),
        span: calendar.date(&date)?,
        date: Some(date),
    })
}

fn are_joined(lower: &str, first: &NamedTime, last: &NamedTime) -> bool {
    if first.place.end > last.place.start {
        return false;
    }
    let joint = without_small_words(&lower[first.place.end..last.place.start]).trim_start();
    let is_between = || {
        word_before(lower, first.place.start, &BETWEEN).is_some()
            || word_behind(lower, last.place.end, &BETWEEN_BEHIND).is_some()
    };
    TO.contains(&joint) || AND.contains(&joint) && is_between()
}

/// The range from one time to another. An end that would precede its beginning is still to
/// come: "from Monday to Friday", on a Wednesday.
fn joined(lower: &str, first: NamedTime, last: NamedTime, calendar: &Calendar<'_>) -> NamedTime {
    let from = beginning(&first, &last, calendar);
    let until = last.span.until;
    let start = [&BETWEEN[..], &SINCE, &["from"]]
        .iter()
        .find_map(|words| word_before(lower, first.place.start, words));
    let end = [&BETWEEN_BEHIND[..], &UNTIL_BEHIND]
        .iter()
        .find_map(|words| word_behind(lower, last.place.end, words));
    NamedTime {
        place: start.unwrap_or(first.place.start)..end.unwrap_or(last.place.end),
        span: match from < until {
            true => TimeSpan { from, until },
            false => calendar.since(first.span),
        },
        date: None,
    }
}

/// When a range begins; its first date has the year of the last one unless it names its own.
fn beginning(first: &NamedTime, last: &NamedTime, calendar: &Calendar<'_>) -> Timestamp {
    let own = first.date.as_ref().filter(|date| date.year.is_none());
    let year = last.date.as_ref().and_then(|date| date.year);
    let dated = own.zip(year).and_then(|(date, year)| {
        let mut date = date.clone();
        date.year = Some(year);
        calendar.date(&date)
    });
    dated.unwrap_or(first.span).from
}

/// A time with the words that let it last until now or begin at any time.
fn opened(lower: &str, time: NamedTime, calendar: &Calendar<'_>) -> NamedTime {
    let place = |before: &[&str], behind: &[&str]| {
        let start = word_before(lower, time.place.start, before);
        let end = word_behind(lower, time.place.end, behind);
        let is_open = start.is_some() || end.is_some();
        is_open.then(|| start.unwrap_or(time.place.start)..end.unwrap_or(time.place.end))
    };
    let ends = |until: Timestamp| TimeSpan {
        from: Timestamp::MIN,
        until,
    };
    let since = place(&SINCE, &SINCE_BEHIND).map(|place| (place, calendar.since(time.span)));
    let until = || Some((place(&UNTIL, &UNTIL_BEHIND)?, ends(time.span.until)));
    let is_beside =
        |place: &Range<usize>| strip_any(lower[..place.start].trim_end(), &UNITS).is_some();
    let before = || {
        let place = place(&BEFORE, &BEFORE_BEHIND).filter(|place| !is_beside(place))?;
        Some((place, ends(time.span.from)))
    };
    match since.or_else(until).or_else(before) {
        Some((place, span)) if span.from < span.until => NamedTime {
            place,
            span,
            date: None,
        },
        _ => time,
    }
}

/// Where one of the words begins that ends before a position.
fn word_before(text: &str, at: usize, words: &[&str]) -> Option<usize> {
    strip_any(without_small_words(&text[..at]), words).map(str::len)
}

fn without_small_words(text: &str) -> &str {
    let mut text = text.trim_end();
    while let Some(shorter) = strip_any(text, &SMALL_WORDS) {
        text = shorter.trim_end();
    }
    text
}

/// A text without one of the words at its end.
fn strip_any<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    words
        .iter()
        .filter_map(|word| text.strip_suffix(word))
        .find(|rest| !text.ends_with(is_word) || !rest.ends_with(is_word))
}

/// Where one of the words ends that begins behind a position.
fn word_behind(text: &str, at: usize, words: &[&str]) -> Option<usize> {
    let behind = text[at..].trim_start();
    let rest = words.iter().find_map(|word| behind.strip_prefix(word))?;
    Some(text.len() - rest.len())
}
