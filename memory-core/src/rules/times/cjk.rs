//! Parses times relative to now in Korean, Japanese and Chinese: fixed words, weekdays, and
//! counted units.

use std::ops::Range;

use super::calendar::{Calendar, Part, Unit};
use super::numbers::{FEW, Number, ends_in_number, numbers};
use super::span::{NamedTime, TimeSpan};
use crate::text::scripts::is_hangul;

/// What a fixed word means.
#[derive(Clone, Copy)]
enum Named {
    /// A day this many days ago.
    Day(i64),
    Part(i64, Part),
    /// A calendar unit this many units ago.
    Whole(Unit, i64),
    Weekend(i64),
}

/// Fixed words; at one position, the longest wins.
const WORDS: &[(&str, Named)] = &[
    // Korean.
    ("오늘", Named::Day(0)),
    ("어제", Named::Day(1)),
    ("그저께", Named::Day(2)),
    ("그제", Named::Day(2)),
    ("엊그제", Named::Day(2)),
    ("오늘 아침", Named::Part(0, Part::Morning)),
    ("오늘 오전", Named::Part(0, Part::Morning)),
    ("오늘 오후", Named::Part(0, Part::Afternoon)),
    ("오늘 저녁", Named::Part(0, Part::Evening)),
    ("오늘 밤", Named::Part(0, Part::Night)),
    ("어제 아침", Named::Part(1, Part::Morning)),
    ("어제 오전", Named::Part(1, Part::Morning)),
    ("어제 오후", Named::Part(1, Part::Afternoon)),
    ("어제 저녁", Named::Part(1, Part::Evening)),
    ("어제 밤", Named::Part(1, Part::Night)),
    ("어젯밤", Named::Part(1, Part::Night)),
    ("간밤", Named::Part(1, Part::Night)),
    ("이번 주", Named::Whole(Unit::Week, 0)),
    ("이번주", Named::Whole(Unit::Week, 0)),
    ("지난주", Named::Whole(Unit::Week, 1)),
    ("지난 주", Named::Whole(Unit::Week, 1)),
    ("저번 주", Named::Whole(Unit::Week, 1)),
    ("저번주", Named::Whole(Unit::Week, 1)),
    ("지지난주", Named::Whole(Unit::Week, 2)),
    ("지난 주말", Named::Weekend(1)),
    ("지난주말", Named::Weekend(1)),
    ("이번 주말", Named::Weekend(0)),
    ("이번 달", Named::Whole(Unit::Month, 0)),
    ("이번달", Named::Whole(Unit::Month, 0)),
    ("지난달", Named::Whole(Unit::Month, 1)),
    ("지난 달", Named::Whole(Unit::Month, 1)),
    ("저번 달", Named::Whole(Unit::Month, 1)),
    ("올해", Named::Whole(Unit::Year, 0)),
    ("작년", Named::Whole(Unit::Year, 1)),
    ("지난해", Named::Whole(Unit::Year, 1)),
    ("재작년", Named::Whole(Unit::Year, 2)),
    // Japanese, including what Chinese shares with it.
    ("今日", Named::Day(0)),
    ("本日", Named::Day(0)),
    ("きょう", Named::Day(0)),
    ("昨日", Named::Day(1)),
    ("きのう", Named::Day(1)),
    ("一昨日", Named::Day(2)),
    ("おととい", Named::Day(2)),
    ("今朝", Named::Part(0, Part::Morning)),
    ("けさ", Named::Part(0, Part::Morning)),
    ("今夜", Named::Part(0, Part::Night)),
    ("今晩", Named::Part(0, Part::Night)),
    ("昨夜", Named::Part(1, Part::Night)),
    ("昨晩", Named::Part(1, Part::Night)),
    ("ゆうべ", Named::Part(1, Part::Night)),
    ("昨日の朝", Named::Part(1, Part::Morning)),
    ("昨日の午前", Named::Part(1, Part::Morning)),
    ("昨日の午後", Named::Part(1, Part::Afternoon)),
    ("昨日の夜", Named::Part(1, Part::Night)),
    ("今週", Named::Whole(Unit::Week, 0)),
    ("先週", Named::Whole(Unit::Week, 1)),
    ("先々週", Named::Whole(Unit::Week, 2)),
    ("先週末", Named::Weekend(1)),
    ("先週の週末", Named::Weekend(1)),
    ("今月", Named::Whole(Unit::Month, 0)),
    ("先月", Named::Whole(Unit::Month, 1)),
    ("先々月", Named::Whole(Unit::Month, 2)),
    ("今年", Named::Whole(Unit::Year, 0)),
    ("昨年", Named::Whole(Unit::Year, 1)),
    ("去年", Named::Whole(Unit::Year, 1)),
    ("一昨年", Named::Whole(Unit::Year, 2)),
    ("おととし", Named::Whole(Unit::Year, 2)),
    // Chinese.
    ("今天", Named::Day(0)),
    ("昨天", Named::Day(1)),
    ("前天", Named::Day(2)),
    ("大前天", Named::Day(3)),
    ("今早", Named::Part(0, Part::Morning)),
    ("今天早上", Named::Part(0, Part::Morning)),
    ("今天上午", Named::Part(0, Part::Morning)),
    ("今天下午", Named::Part(0, Part::Afternoon)),
    ("今晚", Named::Part(0, Part::Night)),
    ("今天晚上", Named::Part(0, Part::Night)),
    ("昨天早上", Named::Part(1, Part::Morning)),
    ("昨天上午", Named::Part(1, Part::Morning)),
    ("昨天下午", Named::Part(1, Part::Afternoon)),
    ("昨晚", Named::Part(1, Part::Night)),
    ("昨天晚上", Named::Part(1, Part::Night)),
    ("本周", Named::Whole(Unit::Week, 0)),
    ("本週", Named::Whole(Unit::Week, 0)),
    ("这周", Named::Whole(Unit::Week, 0)),
    ("這週", Named::Whole(Unit::Week, 0)),
    ("这个星期", Named::Whole(Unit::Week, 0)),
    ("上周", Named::Whole(Unit::Week, 1)),
    ("上週", Named::Whole(Unit::Week, 1)),
    ("上个星期", Named::Whole(Unit::Week, 1)),
    ("上個星期", Named::Whole(Unit::Week, 1)),
    ("上星期", Named::Whole(Unit::Week, 1)),
    ("上礼拜", Named::Whole(Unit::Week, 1)),
    ("上禮拜", Named::Whole(Unit::Week, 1)),
    ("上个礼拜", Named::Whole(Unit::Week, 1)),
    ("这礼拜", Named::Whole(Unit::Week, 0)),
    ("这个礼拜", Named::Whole(Unit::Week, 0)),
    ("上上周", Named::Whole(Unit::Week, 2)),
    ("上周末", Named::Weekend(1)),
    ("上週末", Named::Weekend(1)),
    ("本月", Named::Whole(Unit::Month, 0)),
    ("这个月", Named::Whole(Unit::Month, 0)),
    ("這個月", Named::Whole(Unit::Month, 0)),
    ("上个月", Named::Whole(Unit::Month, 1)),
    ("上個月", Named::Whole(Unit::Month, 1)),
    ("上月", Named::Whole(Unit::Month, 1)),
    ("前年", Named::Whole(Unit::Year, 2)),
];

/// Counted units with the word for "ago"; spaces in between are ignored.
const AGO: &[(&str, Unit)] = &[
    ("분전", Unit::Minute),
    ("시간전", Unit::Hour),
    ("일전", Unit::Day),
    ("주전", Unit::Week),
    ("주일전", Unit::Week),
    ("개월전", Unit::Month),
    ("달전", Unit::Month),
    ("년전", Unit::Year),
    ("分前", Unit::Minute),
    ("時間前", Unit::Hour),
    ("日前", Unit::Day),
    ("週間前", Unit::Week),
    ("か月前", Unit::Month),
    ("ヶ月前", Unit::Month),
    ("ヵ月前", Unit::Month),
    ("カ月前", Unit::Month),
    ("ケ月前", Unit::Month),
    ("年前", Unit::Year),
    ("分钟前", Unit::Minute),
    ("分鐘前", Unit::Minute),
    ("小时前", Unit::Hour),
    ("小時前", Unit::Hour),
    ("个小时前", Unit::Hour),
    ("個小時前", Unit::Hour),
    ("天前", Unit::Day),
    ("周前", Unit::Week),
    ("週前", Unit::Week),
    ("个星期前", Unit::Week),
    ("個星期前", Unit::Week),
    ("个月前", Unit::Month),
    ("個月前", Unit::Month),
];

/// Counted units of a time that lasts until now.
const LASTING: &[(&str, Unit)] = &[
    ("분", Unit::Minute),
    ("분간", Unit::Minute),
    ("시간", Unit::Hour),
    ("일", Unit::Day),
    ("일간", Unit::Day),
    ("주", Unit::Week),
    ("주간", Unit::Week),
    ("주일", Unit::Week),
    ("개월", Unit::Month),
    ("달", Unit::Month),
    ("년", Unit::Year),
    ("分間", Unit::Minute),
    ("時間", Unit::Hour),
    ("日", Unit::Day),
    ("日間", Unit::Day),
    ("週間", Unit::Week),
    ("か月", Unit::Month),
    ("ヶ月", Unit::Month),
    ("ヵ月", Unit::Month),
    ("カ月", Unit::Month),
    ("ケ月", Unit::Month),
    ("年間", Unit::Year),
    ("分钟", Unit::Minute),
    ("分鐘", Unit::Minute),
    ("小时", Unit::Hour),
    ("小時", Unit::Hour),
    ("个小时", Unit::Hour),
    ("個小時", Unit::Hour),
    ("天", Unit::Day),
    ("周", Unit::Week),
    ("週", Unit::Week),
    ("个星期", Unit::Week),
    ("個星期", Unit::Week),
    ("个月", Unit::Month),
    ("個月", Unit::Month),
    ("年", Unit::Year),
];

/// Words in front of them.
const LAST: [&str; 11] = [
    "최근",
    "지난",
    "과거",
    "最近",
    "过去",
    "過去",
    "近",
    "ここ",
    "この",
    "最近の",
    "过去的",
];

/// Words that combine a number and days.
const DAYS: [(&str, i64); 6] = [
    ("하루", 1),
    ("이틀", 2),
    ("사흘", 3),
    ("나흘", 4),
    ("닷새", 5),
    ("일주일", 7),
];

/// Words for a few days.
const FEW_DAYS: [&str; 2] = ["며칠", "몇일"];
/// Words for the last few days.
const LAST_FEW_DAYS: [&str; 5] = ["前几天", "前幾天", "前些天", "这几天", "這幾天"];

/// The names of the weekdays from Monday on, with their prefix and suffix.
const WEEKDAYS: [(&str, [&str; 7], &str); 7] = [
    ("", ["월", "화", "수", "목", "금", "토", "일"], "요일"),
    ("", ["月", "火", "水", "木", "金", "土", "日"], "曜"),
    ("星期", ["一", "二", "三", "四", "五", "六", "日"], ""),
    ("礼拜", ["一", "二", "三", "四", "五", "六", "日"], ""),
    ("禮拜", ["一", "二", "三", "四", "五", "六", "日"], ""),
    ("周", ["一", "二", "三", "四", "五", "六", "日"], ""),
    ("週", ["一", "二", "三", "四", "五", "六", "日"], ""),
];

/// Prefixes of a weekday that select the week; the number is how many weeks ago.
const WEEKS: [(&str, i64); 16] = [
    ("지난주", 1),
    ("지난 주", 1),
    ("저번 주", 1),
    ("저번주", 1),
    ("지지난주", 2),
    ("지난", 1),
    ("이번 주", 0),
    ("이번주", 0),
    ("先週の", 1),
    ("先々週の", 2),
    ("上上", 2),
    ("今週の", 0),
    ("上个", 1),
    ("上", 1),
    ("这", 0),
    ("本", 0),
];

/// Prefixes that put a time in the future or make it recurring.
const NOT_PAST: [&str; 16] = [
    "다음",
    "다음 주",
    "다음주",
    "매주",
    "매",
    "来",
    "來",
    "来週",
    "来週の",
    "毎",
    "毎週",
    "毎週の",
    "每",
    "下个",
    "下",
    "次の",
];

/// The times in a lower-case question.
pub(super) fn times(lower: &str, calendar: &Calendar<'_>) -> Vec<NamedTime> {
    let mut found: Vec<NamedTime> = Vec::new();
    if lower.is_ascii() {
        return found;
    }
    // Where the text before a position ends without its spaces.
    let mut end_of_words = 0;
    for (start, c) in lower.char_indices() {
        if c.is_whitespace() {
            continue;
        }
        let before = &lower[..end_of_words];
        end_of_words = start + c.len_utf8();
        if found.last().is_some_and(|last| start < last.place.end) {
            continue;
        }
        let time = fixed(lower, start, calendar)
            .into_iter()
            .chain(weekday(lower, start, calendar))
            .chain(ago(lower, start, calendar))
            .chain(lasting(lower, start, calendar))
            .max_by_key(|time| time.place.end);
        let is_past = NOT_PAST.iter().all(|word| !before.ends_with(word));
        found.extend(time.filter(|_| is_past));
    }
    found
}

fn named(place: Range<usize>, span: TimeSpan) -> NamedTime {
    NamedTime {
        place,
        span,
        date: None,
    }
}

fn fixed(lower: &str, start: usize, calendar: &Calendar<'_>) -> Option<NamedTime> {
    let rest = &lower[start..];
    let (word, meant) = WORDS
        .iter()
        .filter(|(word, _)| rest.starts_with(word))
        .max_by_key(|(word, _)| word.len())?;
    let span = match *meant {
        Named::Day(ago) => calendar.day(ago),
        Named::Part(ago, part) => calendar.part(ago, part),
        Named::Whole(unit, ago) => calendar.whole(unit, ago),
        Named::Weekend(weeks_ago) => calendar.weekend(weeks_ago),
    };
    // Hangul and Han are written without spaces: if a word continues before it, it is a
    // different one.
    let before = lower[..start].chars().next_back();
    let begins = before.is_none_or(|c| !is_hangul(c) || !word.starts_with(is_hangul));
    begins.then(|| named(start..start + word.len(), span))
}

fn weekday(lower: &str, start: usize, calendar: &Calendar<'_>) -> Option<NamedTime> {
    let rest = &lower[start..];
    let weeks = WEEKS.iter().find_map(|(word, weeks_ago)| {
        let behind = rest.strip_prefix(word)?.trim_start_matches([' ', 'の']);
        Some((behind, *word, *weeks_ago)).filter(|(behind, ..)| bare_weekday(behind).is_some())
    });
    let (behind, which) = match weeks {
        Some((behind, word, weeks_ago)) => (behind, Some((word, weeks_ago))),
        None => (rest, None),
    };
    let (weekday, length) = bare_weekday(behind)?;
    let ago = match which {
        // "지난 월요일" is the last Monday, "지난주 월요일" that of last week.
        Some(("지난", _)) => calendar.weekday(weekday, true),
        Some((_, weeks_ago)) => calendar.weekday_of_week(weekday, weeks_ago),
        None => calendar.weekday(weekday, false),
    };
    let end = start + (rest.len() - behind.len()) + length;
    Some(named(start..end, calendar.day(ago)))
}

/// The weekday at the start of a text, 0 for Monday, and the length of its name.
fn bare_weekday(text: &str) -> Option<(i64, usize)> {
    for (first, days, last) in WEEKDAYS {
        let Some(rest) = text.strip_prefix(first) else {
            continue;
        };
        for (weekday, day) in days.iter().enumerate() {
            let behind = rest
                .strip_prefix(day)
                .and_then(|rest| rest.strip_prefix(last));
            if let Some(mut behind) = behind {
                // "月曜" and "月曜日".
                if last == "曜" {
                    behind = behind.strip_prefix('日').unwrap_or(behind);
                }
                return Some((weekday as i64, text.len() - behind.len()));
            }
        }
        // Sunday is also "星期天".
        if !first.is_empty()
            && let Some(behind) = rest.strip_prefix('天')
        {
            return Some((6, text.len() - behind.len()));
        }
    }
    None
}

/// "3일 전", "2週間前", "三天前", "이틀 전", "数日前".
fn ago(lower: &str, start: usize, calendar: &Calendar<'_>) -> Option<NamedTime> {
    let rest = &lower[start..];
    if !begins_number(lower, start) {
        return None;
    }
    let before_now = |word: &str| {
        let length = spelled(rest, word)?;
        let ago = ["전", "前"]
            .iter()
            .find_map(|ago| spelled(&rest[length..], ago))?;
        Some(start..start + length + ago)
    };
    for (word, days) in DAYS {
        if let Some(place) = before_now(word) {
            return Some(named(place, calendar.day(days)));
        }
    }
    if let Some(place) = FEW_DAYS.iter().find_map(|word| before_now(word)) {
        return Some(named(place, some_ago(Unit::Day, calendar)?));
    }
    let (number, unit, end) = counted(rest, AGO)?;
    let span = match number.is_vague {
        true => some_ago(unit, calendar)?,
        false => calendar.ago(unit, number.value),
    };
    Some(named(start..start + end, span))
}

/// "최근 3일", "ここ数日", "过去一周": until now.
fn lasting(lower: &str, start: usize, calendar: &Calendar<'_>) -> Option<NamedTime> {
    let rest = &lower[start..];
    let few_days = || calendar.last(Unit::Day, FEW + 2);
    if let Some(word) = LAST_FEW_DAYS.iter().find(|word| rest.starts_with(**word)) {
        return Some(named(start..start + word.len(), few_days()));
    }
    let last = LAST.iter().filter(|word| rest.starts_with(**word));
    let last = last.max_by_key(|word| word.len())?;
    let behind = rest[last.len()..].trim_start_matches(' ');
    let start_of_count = rest.len() - behind.len();
    let until = |length: usize| start..start + start_of_count + length;
    if let Some(length) = FEW_DAYS.iter().find_map(|word| spelled(behind, word)) {
        return Some(named(until(length), few_days()));
    }
    for (word, days) in DAYS {
        if let Some(length) = spelled(behind, word) {
            return Some(named(until(length), calendar.last(Unit::Day, days)));
        }
    }
    let (number, unit, end) = counted(behind, LASTING)?;
    let count = number.value + if number.is_vague { 2 } else { 0 };
    Some(named(until(end), calendar.last(unit, count)))
}

/// What people mean by some units ago; `None` if that is too vague.
fn some_ago(unit: Unit, calendar: &Calendar<'_>) -> Option<TimeSpan> {
    match unit {
        Unit::Minute | Unit::Hour => Some(calendar.last(unit, FEW + 2)),
        Unit::Day => Some(calendar.days(FEW + 2, 1)),
        Unit::Week => Some(calendar.days(7 * (FEW + 2), 7)),
        Unit::Month | Unit::Year => None,
    }
}

/// Whether a number that starts at a position is not the rest of another one or of a word.
fn begins_number(lower: &str, start: usize) -> bool {
    let before = &lower[..start];
    let goes_on = before.ends_with(is_hangul) && lower[start..].starts_with(is_hangul);
    !goes_on && !ends_in_number(before)
}

/// A number and the unit behind it, and where they end.
fn counted(text: &str, units: &[(&str, Unit)]) -> Option<(Number, Unit, usize)> {
    numbers(text).into_iter().find_map(|number| {
        let behind = &text[number.length..];
        let unit = units
            .iter()
            .filter_map(|(word, unit)| Some((*unit, spelled(behind, word)?)))
            .max_by_key(|(_, length)| *length);
        unit.map(|(unit, length)| (number, unit, number.length + length))
    })
}

/// How many bytes of a text spell a word, ignoring spaces between its characters.
fn spelled(text: &str, word: &str) -> Option<usize> {
    let mut at = 0;
    for wanted in word.chars() {
        at += text[at..].len() - text[at..].trim_start_matches(' ').len();
        let found = text[at..].chars().next()?;
        if found != wanted {
            return None;
        }
        at += found.len_utf8();
    }
    Some(at)
}
