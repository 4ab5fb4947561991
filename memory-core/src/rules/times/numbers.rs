//! Numbers up to 999 as they are spoken and written in front of a unit, in Korean, Japanese and
//! Chinese: `3`, `３`, 열두, 스물다섯, 십오, 二十, 百二十.

use crate::text::scripts::is_hangul;

/// What a vague number ("a few") counts as.
pub(super) const FEW: i64 = 3;

/// Words for a vague number.
const VAGUE: [&str; 9] = ["몇", "수", "几", "幾", "数", "數", "好几", "なん", "何"];

/// Native Korean tens and units, in front of a unit.
const KOREAN_TENS: [(&str, i64); 6] = [
    ("열", 10),
    ("스무", 20),
    ("스물", 20),
    ("서른", 30),
    ("마흔", 40),
    ("쉰", 50),
];
const KOREAN_UNITS: [(&str, i64); 9] = [
    ("한", 1),
    ("두", 2),
    ("세", 3),
    ("네", 4),
    ("다섯", 5),
    ("여섯", 6),
    ("일곱", 7),
    ("여덟", 8),
    ("아홉", 9),
];

/// A number at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: i64,
    pub(super) is_vague: bool,
    /// Its length in bytes.
    pub(super) length: usize,
}

/// The numbers that a text can begin with, the longest first: 십일 전 is ten days ago, because
/// 일 is also the word for day.
pub(super) fn numbers(text: &str) -> Vec<Number> {
    let mut found: Vec<Number> = [digits(text), native(text)].into_iter().flatten().collect();
    found.extend(sino(text));
    found.extend(
        VAGUE
            .iter()
            .filter(|word| text.starts_with(**word))
            .map(|word| Number {
                value: FEW,
                is_vague: true,
                length: word.len(),
            }),
    );
    found.sort_by_key(|number| std::cmp::Reverse(number.length));
    found
}

/// Whether a text ends in a character of which numbers consist, so that what follows is the rest
/// of one.
pub(super) fn ends_in_number(text: &str) -> bool {
    let Some(last) = text.chars().next_back() else {
        return false;
    };
    digit(last).is_some()
        || !is_hangul(last)
            && (numeral(last).is_some() || "百千万萬億亿数數几幾余餘".contains(last))
}

/// One to three digits.
fn digits(text: &str) -> Option<Number> {
    const MAX: usize = 3;
    let (mut value, mut length, mut count) = (0, 0, 0);
    for c in text.chars() {
        let Some(digit) = digit(c) else { break };
        count += 1;
        if count > MAX {
            return None;
        }
        value = 10 * value + digit;
        length += c.len_utf8();
    }
    (value > 0).then_some(exact(value, length))
}

/// The value of an ASCII or full-width digit.
fn digit(c: char) -> Option<i64> {
    let wide = u32::from(c)
        .checked_sub('０' as u32)
        .filter(|value| *value < 10);
    c.to_digit(10).or(wide).map(i64::from)
}

/// Native Korean: 열, 열두, 스물다섯.
fn native(text: &str) -> Option<Number> {
    let one_of = |text: &str, words: &[(&str, i64)]| {
        let known = words.iter().find(|(word, _)| text.starts_with(word));
        known.map(|(word, value)| (word.len(), *value))
    };
    let (ten_length, tens) = one_of(text, &KOREAN_TENS).unwrap_or_default();
    let (unit_length, units) = one_of(&text[ten_length..], &KOREAN_UNITS).unwrap_or_default();
    (tens + units > 0).then_some(exact(tens + units, ten_length + unit_length))
}

/// Numbers in Han or Sino-Korean numerals, at each of their lengths.
fn sino(text: &str) -> Vec<Number> {
    let mut found = Vec::new();
    // The sum of hundreds and tens, and the digit that is not multiplied yet.
    let (mut sum, mut last, mut unit, mut length) = (0, None, 1_000, 0);
    for c in text.chars() {
        match numeral(c) {
            Some(Numeral::Digit(value)) if last.is_none() => last = Some(value),
            Some(Numeral::Unit(value)) if value < unit => {
                sum += last.take().unwrap_or(1) * value;
                unit = value;
            }
            _ => break,
        }
        length += c.len_utf8();
        found.push(exact(sum + last.unwrap_or(0), length));
    }
    found
}

#[derive(Clone, Copy)]
enum Numeral {
    Digit(i64),
    Unit(i64),
}

fn numeral(c: char) -> Option<Numeral> {
    const DIGITS: [&str; 9] = [
        "一일",
        "二이两兩",
        "三삼",
        "四사",
        "五오",
        "六육",
        "七칠",
        "八팔",
        "九구",
    ];
    if "十십".contains(c) {
        return Some(Numeral::Unit(10));
    }
    if "百백".contains(c) {
        return Some(Numeral::Unit(100));
    }
    let digit = DIGITS.iter().zip(1..).find(|(names, _)| names.contains(c));
    digit.map(|(_, value)| Numeral::Digit(value))
}

fn exact(value: i64, length: usize) -> Number {
    Number {
        value,
        is_vague: false,
        length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(text: &str) -> Option<(i64, &str)> {
        let number = *numbers(text).first()?;
        Some((number.value, &text[..number.length]))
    }

    #[test]
    fn numbers_of_several_words_are_read_whole() {
        for (text, value, whole) in [
            ("15日前", 15, "15"),
            ("３日前", 3, "３"),
            ("十五日前", 15, "十五"),
            ("二十天前", 20, "二十"),
            ("百二十日前", 120, "百二十"),
            ("九十九天", 99, "九十九"),
            ("两百天前", 200, "两百"),
            ("열두 시간", 12, "열두"),
            ("스물다섯 일", 25, "스물다섯"),
            ("스무 날", 20, "스무"),
            ("십오 일", 15, "십오"),
            ("几天", 3, "几"),
        ] {
            assert_eq!(longest(text), Some((value, whole)), "{text}");
        }
        for text in ["1234日前", "0分前", "千日前", "天", ""] {
            assert_eq!(longest(text), None, "{text}");
        }
    }

    #[test]
    fn what_follows_a_numeral_is_no_number_of_its_own() {
        for text in ["2", "２", "十", "千", "数"] {
            assert!(ends_in_number(text), "{text}");
        }
        for text in ["", "a", "約", "한", "중요"] {
            assert!(!ends_in_number(text), "{text}");
        }
    }
}
