//! Small hints in a question: a date, a "when", a name. Each is general and is kept because
//! it hurts neither chats nor coding transcripts (figures in `docs/measurements.md`).

use jiff::civil::Date;

use crate::index::lexical::forward::actor_hash;
use crate::model::error::Result;
use crate::model::time::Timestamp;
use crate::rules::advice::asks_advice;
use crate::rules::first_person::asks_own_words;
use crate::rules::identifiers::{Identifier, identifiers};
use crate::rules::message::is_message;
use crate::rules::pattern::Pattern;
use crate::rules::times::{NamedDate, NamedTimes, TimeSpan};
use crate::store::ReadTx;
use crate::store::tables::Facet;
use crate::text::scripts::{is_hangul, is_unspaced};

/// What the question hints at.
pub(crate) struct Cues {
    pub(crate) time: TimeCues,
    /// The one speaker that the question names.
    pub(crate) named: Option<u32>,
    /// The identifiers that the question names.
    pub(crate) identifiers: Vec<Identifier>,
    /// Whether the question is about what the person who asks said.
    pub(crate) asks_own_words: bool,
    /// Whether the query is a conversational message rather than a question.
    pub(crate) is_message: bool,
    /// Whether it asks for advice or help.
    pub(crate) asks_advice: bool,
}

impl Cues {
    pub(crate) fn new(read: &ReadTx, text: &str, times: NamedTimes) -> Result<Self> {
        Ok(Cues {
            named: named_actor(read, text)?,
            identifiers: identifiers(text, &times.rest),
            asks_own_words: asks_own_words(text),
            is_message: is_message(text),
            asks_advice: asks_advice(text),
            time: TimeCues::of(text, times),
        })
    }
}

/// The speaker named in the text, if there is exactly one.
fn named_actor(read: &ReadTx, text: &str) -> Result<Option<u32>> {
    const MAX_NAME_WORDS: usize = 3;
    const MAX_WORDS: usize = 64;
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().take(MAX_WORDS).collect();
    let is_actor = |name: &str| Ok(read.number(Facet::Actor, name)?.is_some());
    let mut names = names_in_runs(&lower, is_actor)?;
    for length in 1..=MAX_NAME_WORDS {
        for words in words.windows(length) {
            match name_of(&words.join(" "), is_actor)? {
                Some(name) => names.push(name),
                None if length == 1 => names.extend(names_joined(words[0], is_actor)?),
                None => {}
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(match &names[..] {
        [name] => Some(actor_hash(name)),
        _ => None,
    })
}

/// The speaker that the words name as a whole: as they stand, without punctuation at their
/// ends, without "'s", or without a Korean particle of one or two syllables.
fn name_of(words: &str, is_actor: impl Fn(&str) -> Result<bool>) -> Result<Option<String>> {
    let whole = words.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
    let owner = ["'s", "’s"].iter().find_map(|s| whole.strip_suffix(s));
    let shorter = owner.unwrap_or(whole).strip_suffix(is_hangul);
    let shortest = shorter.and_then(|shorter| shorter.strip_suffix(is_hangul));
    let forms = [Some(whole), owner, shorter, shortest];
    for name in forms.into_iter().flatten().filter(|name| !name.is_empty()) {
        if is_actor(name)? {
            return Ok(Some(name.to_owned()));
        }
    }
    Ok(None)
}

/// The speakers among words that punctuation joins: "alice/bob", "(alice)said".
fn names_joined(word: &str, is_actor: impl Fn(&str) -> Result<bool>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for part in word.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))) {
        if part.len() < word.len() {
            names.extend(name_of(part, &is_actor)?);
        }
    }
    Ok(names)
}

/// The speakers in runs of Han or kana, which have no spaces.
fn names_in_runs(text: &str, is_actor: impl Fn(&str) -> Result<bool>) -> Result<Vec<String>> {
    const NAME_LETTERS: [usize; 3] = [4, 3, 2];
    const MAX_LETTERS: usize = 128;
    let letters: Vec<char> = text.chars().take(MAX_LETTERS).collect();
    let mut names = Vec::new();
    for run in letters.split(|c| !is_unspaced(*c)) {
        let mut rest = run;
        while !rest.is_empty() {
            let mut name = None;
            for letters in NAME_LETTERS.iter().filter_map(|length| rest.get(..*length)) {
                let letters: String = letters.iter().collect();
                if is_actor(&letters)? {
                    name = Some(letters);
                    break;
                }
            }
            let length = name.as_ref().map_or(1, |name| name.chars().count());
            rest = &rest[length..];
            names.extend(name);
        }
    }
    Ok(names)
}

/// What a question says about time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeCues {
    times: NamedTimes,
    /// Whether the question asks for a time: "when", "how long", "what year".
    pub(crate) asks_when: bool,
}

impl TimeCues {
    pub(crate) fn of(question: &str, times: NamedTimes) -> Self {
        static ENGLISH: Pattern = Pattern::new(
            r"(?i)^\s*(?:(?:so|and|but|then|ok|okay|well)\b,?\s*)*(?:(?:in|on|at|since|until|from|by) )?(?:when|how long|how often|how many (?:minutes|hours|days|weeks|months|years)|(?:what|which) (?:date|day|week|month|year)|what time(?: (?:did|do|does|is|was|were|are|will|of)\b|\W*$))(?:\b|$)",
        );
        static OTHERS: Pattern = Pattern::new(
            r"언제|며칠|몇 (?:월|일|년|시)|いつ|何(?:月|日|年|時|曜日)|什么时候|什麼時候|何时|哪(?:天|年|一天|个月|個月)|[几幾](?:月|号|號|点|點)",
        );
        TimeCues {
            times,
            asks_when: ENGLISH.is_match(question) || OTHERS.is_match(question),
        }
    }

    pub(crate) fn names_a_time(&self) -> bool {
        self.times.is_relative() || !self.times.dates.is_empty()
    }

    /// How near an event is to the times of the question. For a time relative to now
    /// ("yesterday"): 1 within it, .5 while it is not over, because "today" is said of much
    /// that is not a memory. For a date: 1 for the day or the week after it (people talk
    /// about what has just happened), .5 for three weeks or the month after it, .3 for the
    /// right year alone.
    pub(crate) fn time_score(&self, at: Timestamp) -> f32 {
        let is_in = |spans: &[TimeSpan]| spans.iter().any(|span| span.contains(at));
        if is_in(&self.times.past) {
            return 1.0;
        }
        let at = self.times.zone.date_of(at);
        let mut best = if is_in(&self.times.current) {
            0.5
        } else {
            0f32
        };
        for date in &self.times.dates {
            // A date without a year may be of the year before or after.
            let years = match date.year {
                Some(named) => named..=named,
                None => at.year() - 1..=at.year() + 1,
            };
            let scores = years.map(|year| date_score(date, year, at));
            best = scores.fold(best, f32::max);
        }
        best
    }

    /// The dates of the question that name a day.
    pub(crate) fn days(&self) -> impl Iterator<Item = &NamedDate> {
        self.times.dates.iter().filter(|date| date.names_a_day())
    }
}

/// How near a day is to a date in a year.
fn date_score(date: &NamedDate, year: i16, at: Date) -> f32 {
    let Some(month) = date.month else {
        return if year == at.year() { 0.3 } else { 0.0 };
    };
    if let Some(day) = date.day {
        return match days_between(year, month, day, at) {
            Some(0..=7) => 1.0,
            Some(-1..=20) => 0.5,
            _ => 0.0,
        };
    }
    let months = |year: i16, month: i8| 12 * i32::from(year) + i32::from(month);
    match months(at.year(), at.month()) - months(year, month) {
        0 => 1.0,
        1 if at.day() <= 15 => 0.5,
        _ => 0.0,
    }
}

/// The days from a date to another; `None` if the date does not exist.
fn days_between(year: i16, month: i8, day: i8, at: Date) -> Option<i32> {
    let named = Date::new(year, month, day).ok()?;
    named.until(at).ok().map(|span| span.get_days())
}

#[cfg(test)]
mod tests {
    use crate::model::zone::Zone;
    use crate::recall::ranking::cues::*;

    fn utc() -> Zone {
        Zone::named("UTC").unwrap()
    }

    fn cues(question: &str) -> TimeCues {
        let now = "2026-11-23T12:00:00Z".parse().unwrap();
        TimeCues::of(question, NamedTimes::of(question, now, &utc()))
    }

    fn score(question: &str, at: &str) -> f32 {
        cues(question).time_score(at.parse().unwrap())
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
    fn the_distance_to_a_date_does_not_end_at_new_year() {
        for (question, at, expected) in [
            ("on December 30, 2023", "2024-01-02", 1.0),
            ("on December 30", "2024-01-02", 1.0),
            ("on December 20", "2024-01-05", 0.5),
            ("on January 1, 2024", "2023-12-31", 0.5),
            ("on January 1", "2023-12-31", 0.5),
            ("in December 2023", "2024-01-10", 0.5),
            ("in December", "2024-01-10", 0.5),
            ("in December 2023", "2024-01-20", 0.0),
            ("on December 30, 2022", "2024-01-02", 0.0),
            ("in January 2024", "2023-12-31", 0.0),
            ("in 2023", "2024-01-01", 0.0),
        ] {
            assert_eq!(score(question, at), expected, "{question}, {at}");
        }
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
            assert!(!cues(question).names_a_time(), "{question}");
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
            "So when did it fail?",
            "ok, and when was that",
            "in what year was it",
            "what time did it start?",
            "At what time?",
            "how many hours did it take",
            "會議是什麼時候?",
            "幾點開會",
            "哪個月",
        ] {
            assert!(cues(question).asks_when, "{question}");
        }
        for question in [
            "what happens when it fails",
            "what time zone do we use?",
            "someone said when",
        ] {
            assert!(!cues(question).asks_when, "{question}");
        }
    }
}
