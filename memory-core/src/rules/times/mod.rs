//! Finds the times in a question: "yesterday", "last week", "on Monday", "two days ago", "in
//! March", in English, Korean, Japanese and Chinese. Pure: maps a text and the moment of the
//! question to intervals.
//!
//! Days follow a time zone and weeks begin on Monday. A weekday means the last one up to
//! today; a month or day without a year, the last one that has begun. Future times ("next
//! week", "until Friday") are ignored. Two times may be the ends of a range, and one may be the
//! beginning or the end of all that came after or before.

mod calendar;
mod cjk;
mod dates;
mod english;
mod frame;
mod numbers;
mod ranges;
mod span;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::model::time::Timestamp;
use crate::model::zone::Zone;
use calendar::Calendar;
use span::NamedTime;

pub(crate) use dates::{NamedDate, named_dates, overlap};
pub(crate) use span::TimeSpan;

/// The maximum number of times per question.
const MAX_TIMES: usize = 8;

/// The times that a question names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NamedTimes {
    /// All of them, in question order.
    pub(crate) spans: Vec<TimeSpan>,
    /// Relative times and ranges that are over: "yesterday".
    pub(crate) past: Vec<TimeSpan>,
    /// Relative times and ranges that include now: "today", "since May".
    pub(crate) current: Vec<TimeSpan>,
    /// Dates, possibly incomplete, other than the ends of ranges.
    pub(crate) dates: Vec<NamedDate>,
    /// The question in lower case without its times.
    pub(crate) rest: String,
    /// The time zone of the days.
    pub(crate) zone: Zone,
}

impl NamedTimes {
    /// Parses a question asked at a moment in a time zone.
    pub(crate) fn of(question: &str, now: Timestamp, zone: &Zone) -> Self {
        let calendar = Calendar::at(now, zone);
        let lower = lower_case(question);
        let mut relative = english::times(&lower, &calendar);
        relative.extend(cjk::times(&lower, &calendar));
        relative.sort_by_key(|time| time.place.start);
        relative.truncate(MAX_TIMES);
        let mut dates = named_dates(&lower);
        give_years(&lower, &mut relative, &mut dates, &calendar);
        dates.retain(|date| relative.iter().all(|time| !time.overlaps(&date.place)));
        let mut named = relative;
        named.extend(dates.iter().filter_map(|date| {
            Some(NamedTime {
                place: date.place.clone(),
                span: calendar.date(date)?,
                date: Some(date.clone()),
            })
        }));
        named.sort_by_key(|time| time.place.start);
        named.truncate(MAX_TIMES);
        let named = ranges::connected(&lower, named, &calendar);
        let undated = || named.iter().filter(|time| time.date.is_none());
        dates.retain(|date| undated().all(|time| !time.overlaps(&date.place)));
        let (current, past): (Vec<TimeSpan>, Vec<TimeSpan>) = undated()
            .map(|time| time.span)
            .partition(|span| span.contains(now));
        NamedTimes {
            spans: named.iter().map(|time| time.span).collect(),
            past,
            current,
            rest: without(&lower, &named),
            // Each candidate's day is compared with the dates.
            zone: match dates.is_empty() {
                true => zone.clone(),
                false => zone.as_it_is(),
            },
            dates,
        }
    }

    /// Whether a question asks only what happened then. `about` is the rest of it, in lower
    /// case. A date alone is searched for as text.
    pub(crate) fn are_all_that_is_asked(&self, about: &str) -> bool {
        let has_words = about.contains(char::is_alphabetic);
        !self.spans.is_empty() && (has_words || self.is_relative()) && frame::is_frame(about)
    }
}

impl NamedTimes {
    /// Whether a relative time or a range is named.
    pub(crate) fn is_relative(&self) -> bool {
        !(self.past.is_empty() && self.current.is_empty())
    }
}

impl NamedTime {
    fn overlaps(&self, place: &Range<usize>) -> bool {
        self.place.start < place.end && place.start < self.place.end
    }
}

/// Joins a date without a year to the year beside it: "May last year", 작년 5월, 去年五月.
fn give_years(
    lower: &str,
    relative: &mut Vec<NamedTime>,
    dates: &mut [NamedDate],
    calendar: &Calendar<'_>,
) {
    relative.retain(|time| {
        let Some(year) = calendar.year_named_by(&time.span) else {
            return true;
        };
        let date = dates.iter_mut().find(|date| {
            let (place, named) = (&time.place, &date.place);
            let between = lower
                .get(place.end..named.start)
                .or_else(|| lower.get(named.end..place.start));
            let is_beside =
                between.is_some_and(|text| matches!(text.trim(), "" | "," | "of" | "の" | "的"));
            date.year.is_none() && date.month.is_some() && is_beside
        });
        let Some(date) = date else { return true };
        date.year = Some(year);
        date.place = date.place.start.min(time.place.start)..date.place.end.max(time.place.end);
        false
    });
}

/// A text without the words of its times.
fn without(lower: &str, named: &[NamedTime]) -> String {
    let mut rest = String::with_capacity(lower.len());
    let mut at = 0;
    for time in named {
        if time.place.start >= at {
            rest.push_str(&lower[at..time.place.start]);
            rest.push(' ');
            at = time.place.end;
        }
    }
    rest.push_str(&lower[at..]);
    rest
}

/// A text in lower case with the same length, so that positions stay valid.
fn lower_case(text: &str) -> String {
    text.chars()
        .map(|c| {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) if one.len_utf8() == c.len_utf8() => one,
                _ => c,
            }
        })
        .collect()
}
