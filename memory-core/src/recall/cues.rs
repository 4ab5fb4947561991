//! Small hints in a question: a date, a "when", a name. Each is general and
//! each was kept because it does not hurt on chats or on coding transcripts
//! (figures in `docs/measurements.md`).

use std::sync::LazyLock;

use regex::Regex;

use crate::index::lexical::forward::actor_hash;
use crate::index::lexical::searchable::MONTHS;
use crate::model::error::Result;
use crate::model::time::Timestamp;
use crate::store::ReadTx;
use crate::store::tables::Facet;

/// What the question hints at.
pub(crate) struct Cues {
    pub(crate) time: TimeCues,
    /// The one speaker that the question names.
    pub(crate) named: Option<u32>,
}

impl Cues {
    pub(crate) fn new(read: &ReadTx, text: &str) -> Result<Self> {
        Ok(Cues {
            time: TimeCues::of(text),
            named: named_actor(read, text)?,
        })
    }
}

/// The speaker whose name stands in the text, when it is exactly one.
fn named_actor(read: &ReadTx, text: &str) -> Result<Option<u32>> {
    const LONGEST_NAME_WORDS: usize = 3;
    const MOST_WORDS: usize = 64;
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .map(|word| word.trim_end_matches("'s"))
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .collect();
    let mut named: Option<String> = None;
    for length in 1..=LONGEST_NAME_WORDS {
        for name in words.windows(length) {
            let name = name.join(" ");
            if read.number(Facet::Actor, &name)?.is_none() {
                continue;
            }
            match &named {
                Some(other) if *other != name => return Ok(None),
                _ => named = Some(name),
            }
        }
    }
    Ok(named.map(|name| actor_hash(&name)))
}

/// A date that a question names, as far as it names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NamedDate {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
}

/// What a question says about time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeCues {
    dates: Vec<NamedDate>,
    /// The question asks for a time: "when", "how long", "what year".
    pub(crate) asks_when: bool,
}

impl TimeCues {
    pub(crate) fn of(question: &str) -> Self {
        static ASKS: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"(?i)^\s*(?:when|how long|how often|how many (?:days|weeks|months|years)|(?:what|which) (?:date|day|month|year))\b|언제|며칠|몇 (?:월|일|년|시)|いつ|何(?:月|日|年|曜日)|什么时候|何时|哪(?:天|年|一天|个月)|几(?:月|号|点)",
            )
        });
        let has_digit = question.bytes().any(|byte| byte.is_ascii_digit());
        let lower = question.to_lowercase();
        let has_month = MONTHS
            .iter()
            .any(|month| lower.contains(if has_digit { &month[..3] } else { month }));
        TimeCues {
            // Most questions name no date: those compile no pattern.
            dates: if has_month {
                english_dates(&lower)
            } else if has_digit {
                numeric_dates(&lower)
            } else {
                Vec::new()
            },
            asks_when: ASKS.is_match(question),
        }
    }

    pub(crate) fn names_a_date(&self) -> bool {
        !self.dates.is_empty()
    }

    /// How near an event is to the dates of the question: 1 for the day or the
    /// week after it (people speak of what has just happened), .5 for three
    /// weeks or the month after, .3 for the right year alone.
    pub(crate) fn date_score(&self, at: Timestamp) -> f32 {
        let (year, month, day) = at.ymd_utc();
        let mut best = 0f32;
        for date in &self.dates {
            if date.year.is_some_and(|named| named != year) {
                continue;
            }
            let score = match (date.month, date.day) {
                (None, _) => 0.3,
                (Some(named), Some(named_day)) => match days_between(year, named, named_day, at) {
                    Some(0..=7) => 1.0,
                    Some(-1..=20) => 0.5,
                    _ => 0.0,
                },
                (Some(named), None) if named == month => 1.0,
                (Some(named), None) if (month - named).rem_euclid(12) == 1 && day <= 15 => 0.5,
                _ => 0.0,
            };
            best = best.max(score);
        }
        best
    }
}

fn days_between(year: i16, month: i8, day: i8, at: Timestamp) -> Option<i64> {
    let named: Timestamp = format!("{year:04}-{month:02}-{day:02}").parse().ok()?;
    Some((at.millis() - named.millis()).div_euclid(86_400_000))
}

fn english_dates(lower: &str) -> Vec<NamedDate> {
    static DATE: LazyLock<Regex> = LazyLock::new(|| {
        let (long, short) = (MONTHS.join("|"), MONTHS.map(|month| &month[..3]).join("|"));
        pattern(&format!(
            r"(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?\b({long}|{short}|sept)\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,?\s*(?:of )?(20\d\d))?"
        ))
    });
    static BEFORE_MAY: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b(?:in|on|of|during|by|since|until|early|late|mid|this|last|next)\s+$")
    });
    let mut found = Vec::new();
    for date in DATE.captures_iter(lower) {
        let number = |group: usize| date.get(group).and_then(|m| m.as_str().parse::<i16>().ok());
        let Some(name) = date.get(2) else { continue };
        let (before, after, year) = (number(1), number(3), number(4));
        let has_number = before.is_some() || after.is_some() || year.is_some();
        // "may" is a verb far more often than a month, and "mar" or "jan" may be a name.
        let is_certain = match name.as_str() {
            "may" => has_number || BEFORE_MAY.is_match(&lower[..name.start()]),
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
        });
    }
    if found.is_empty() {
        numeric_dates(lower)
    } else {
        found
    }
}

/// `2026-02-03`, `03.02.2026`, `2/3/2026`, `2026년 2월 3일`, `2026年2月3日`, `2월`, a bare
/// year.
fn numeric_dates(lower: &str) -> Vec<NamedDate> {
    static NUMERIC: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(20\d\d)[-/.](\d{1,2})[-/.](\d{1,2})\b|\b(\d{1,2})([-/.])(\d{1,2})[-/.](20\d\d)\b|(?:(20\d\d)\s*[년年]\s*)?(\d{1,2})\s*[월月](?:\s*(\d{1,2})\s*[일日号])?|\b(20\d\d)(?:\s*[년年]|\b)",
        )
    });
    NUMERIC
        .captures_iter(lower)
        .map(|date| {
            let number =
                |group: usize| date.get(group).and_then(|m| m.as_str().parse::<i16>().ok());
            let small = |n: Option<i16>, most: i16| {
                n.filter(|n| (1..=most).contains(n))
                    .and_then(|n| i8::try_from(n).ok())
            };
            let (month, day) = match (number(4), number(6)) {
                // Only slashes put the month first, unless it can be none.
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
            }
        })
        .collect()
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant and valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(question: &str, at: &str) -> f32 {
        TimeCues::of(question).date_score(at.parse().unwrap())
    }

    #[test]
    fn dates_are_read_in_several_forms() {
        assert_eq!(score("What happened on May 8, 2023?", "2023-05-08"), 1.0);
        assert_eq!(
            score("what did she do on 8th of May 2023", "2023-05-12"),
            1.0
        );
        assert_eq!(score("the trip in May 2023", "2023-06-03"), 0.5);
        assert_eq!(score("the trip in may", "2024-05-30"), 1.0);
        assert_eq!(score("2026년 2월 3일에 뭐 했지?", "2026-02-03"), 1.0);
        assert_eq!(score("2月の会議", "2026-02-20"), 1.0);
        assert_eq!(score("logs of 2026-02-03", "2026-02-10"), 1.0);
        assert_eq!(score("the call on 21.01.2024", "2024-01-21"), 1.0);
        assert_eq!(score("the call on 21.01.2024", "2024-09-21"), 0.0);
        assert_eq!(score("the call on 21/01/2024", "2024-01-21"), 1.0);
        assert_eq!(score("the call on 1/21/2024", "2024-01-21"), 1.0);
        assert_eq!(score("the call on 2/3/2024", "2024-02-03"), 1.0);
        assert_eq!(score("the call on 2-3-2024", "2024-03-02"), 1.0);
        assert_eq!(score("the call on Jan. 21, 2024", "2024-01-21"), 1.0);
        assert_eq!(score("what broke on 3rd Sept", "2024-09-03"), 1.0);
        assert_eq!(score("what broke in Dec 2023", "2023-12-20"), 1.0);
        assert_eq!(score("what changed in 2025?", "2025-09-09"), 0.3);
        assert_eq!(score("what changed in 2025?", "2024-09-09"), 0.0);
        assert_eq!(score("on February 31", "2024-02-28"), 0.0);
    }

    #[test]
    fn a_verb_a_port_and_a_number_are_no_dates() {
        for question in [
            "may I merge this?",
            "port 8080",
            "the 12 tests",
            "version 0.2.3",
            "what did Jan say about mar and dec?",
            "decide on the separate marble",
            "host 10.0.2.15",
            "",
        ] {
            assert!(!TimeCues::of(question).names_a_date(), "{question}");
        }
    }

    #[test]
    fn questions_for_a_time_are_noticed() {
        for question in [
            "When did it fail?",
            "How long did it take",
            "what year was it",
            "배포가 언제였지?",
            "会议是什么时候?",
            "いつ直した?",
        ] {
            assert!(TimeCues::of(question).asks_when, "{question}");
        }
        assert!(!TimeCues::of("what happens when it fails").asks_when);
    }
}
