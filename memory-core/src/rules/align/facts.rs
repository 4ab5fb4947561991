//! Whether a text that resembles a quote also says the same: the same numbers, as many
//! negations, and no other word in the place of one of its words.
//!
//! A similarity of letters cannot tell: "The budget is 3800 euros" is 95 % of "The budget is 2800
//! euros".

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::distance::similarity;
use crate::text::scripts::{is_hangul, is_unspaced};

/// A word in the place of another one is an error of spelling, or another form, if it is at least
/// this similar and begins the same: "Sunday" is no form of "Monday".
const SAME_WORD: f64 = 0.55;
const SAME_BEGINNING: usize = 3;
/// Shorter words, and these, stand for each other ("a" for "the") without a change of what is said.
const MIN_WORD_LENGTH: usize = 3;
const SMALL_WORDS: &[&str] = &[
    "the", "and", "for", "was", "were", "are", "has", "have", "had", "his", "her", "its", "our",
    "you", "your", "but", "can", "any", "all", "per", "via", "let", "this", "that", "these",
    "those", "with", "from", "will", "would",
];

/// Words that deny, without apostrophes: English, German, French, Spanish and Russian.
const DENIALS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nothing",
    "nobody",
    "neither",
    "nor",
    "without",
    "cannot",
    "cant",
    "wont",
    "dont",
    "doesnt",
    "didnt",
    "isnt",
    "arent",
    "aint",
    "wasnt",
    "werent",
    "hasnt",
    "havent",
    "hadnt",
    "couldnt",
    "wouldnt",
    "shouldnt",
    "shant",
    "mustnt",
    "neednt",
    "mightnt",
    "nicht",
    "nichts",
    "kein",
    "keine",
    "keinen",
    "keinem",
    "keiner",
    "nie",
    "niemals",
    "ohne",
    "pas",
    "jamais",
    "aucun",
    "aucune",
    "sans",
    "nunca",
    "nada",
    "sin",
    "ningún",
    "ninguna",
    "не",
    "нет",
    "без",
    "никогда",
];
/// The same in Korean, Japanese and Chinese, which write them as parts of words.
const PARTS_THAT_DENY: &[&str] = &[
    "않",
    "못",
    "없",
    "아니",
    "지 말",
    "지말",
    "ない",
    "ません",
    "なかっ",
    "なく",
    "なし",
    "不",
    "没",
    "沒",
    "未",
    "无",
    "無",
];

/// Whether the quote says what `message` says at `place`, which resembles it.
pub(super) fn says_the_same(quote: &str, message: &str, place: Range<usize>) -> bool {
    let quote = Said::of(quote);
    let there = Said::of(&message[whole_words(message, place)]);
    same_numbers(&quote.numbers, &there.numbers)
        && quote.denials == there.denials
        && has_same_words(&quote.words, &there.words)
}

/// A place widened to the words that it cuts. Text without spaces between words stays as it is, but
/// for numbers.
fn whole_words(text: &str, place: Range<usize>) -> Range<usize> {
    let goes_on = |inside: Option<char>, outside: char| {
        inside.is_some_and(|inside| match inside.is_numeric() {
            true => outside.is_numeric(),
            false => is_part_of_word(inside) && is_part_of_word(outside),
        })
    };
    let (before, within, after) = (
        &text[..place.start],
        &text[place.clone()],
        &text[place.end..],
    );
    let (mut start, mut first) = (place.start, within.chars().next());
    for c in before.chars().rev().take_while(|c| !c.is_whitespace()) {
        if !goes_on(first, c) {
            break;
        }
        (start, first) = (start - c.len_utf8(), Some(c));
    }
    let (mut end, mut last) = (place.end, within.chars().next_back());
    for c in after.chars().take_while(|c| !c.is_whitespace()) {
        if !goes_on(last, c) {
            break;
        }
        (end, last) = (end + c.len_utf8(), Some(c));
    }
    start..end
}

fn is_part_of_word(c: char) -> bool {
    (c.is_alphanumeric() || matches!(c, '\'' | '’')) && !is_unspaced(c)
}

/// What of a text a similarity of letters does not see.
struct Said {
    numbers: Vec<Number>,
    denials: usize,
    words: Vec<String>,
}

impl Said {
    fn of(text: &str) -> Said {
        let text = text.nfkc().flat_map(char::to_lowercase);
        let text: String = text.filter(|c| !matches!(c, '\'' | '’')).collect();
        let words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let parts = PARTS_THAT_DENY.iter();
        let korean = words.iter().filter(|word| *word == "안").count();
        let others = words
            .iter()
            .filter(|word| DENIALS.contains(&word.as_str()))
            .count();
        let denials = parts.map(|part| text.matches(part).count()).sum::<usize>();
        Said {
            numbers: numbers_of(&text),
            denials: denials + korean + others,
            words,
        }
    }
}

/// A number of a text, "2,800" as "2800".
#[derive(PartialEq)]
struct Number {
    digits: String,
    /// Whether it follows a letter, as in "v2".
    is_in_word: bool,
}

fn numbers_of(text: &str) -> Vec<Number> {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(|c| c.is_numeric());
    let mut numbers: Vec<Number> = Vec::new();
    let mut is_open = false;
    for (at, c) in chars.iter().enumerate() {
        let groups = *c == ',' && (1..=3).all(|next| digit(at + next)) && !digit(at + 4);
        match (c.is_numeric(), numbers.last_mut()) {
            (true, Some(number)) if is_open => number.digits.push(*c),
            (true, _) => numbers.push(Number {
                digits: c.to_string(),
                is_in_word: at > 0 && is_part_of_word(chars[at - 1]) && !is_hangul(chars[at - 1]),
            }),
            (false, _) => {}
        }
        is_open = c.is_numeric() || (is_open && groups);
    }
    numbers
}

/// A digit that only one of the texts has in a word is an error of spelling ("exist5").
fn same_numbers(quote: &[Number], there: &[Number]) -> bool {
    let of_their_own = |numbers: &[Number]| -> Vec<String> {
        let numbers = numbers.iter().filter(|number| !number.is_in_word);
        numbers.map(|number| number.digits.clone()).collect()
    };
    match quote.len() == there.len() {
        true => quote == there,
        false => of_their_own(quote) == of_their_own(there),
    }
}

/// Whether no word stands in the place of another one. Words that one of the texts lacks do not
/// count, nor do those of Korean, whose endings vary, and of languages without spaces.
fn has_same_words(quote: &[String], there: &[String]) -> bool {
    let mut lengths = vec![vec![0_u32; there.len() + 1]; quote.len() + 1];
    for (row, word) in quote.iter().enumerate().rev() {
        for (column, other) in there.iter().enumerate().rev() {
            lengths[row][column] = match word == other {
                true => lengths[row + 1][column + 1] + 1,
                false => lengths[row + 1][column].max(lengths[row][column + 1]),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let (mut gone, mut new) = (String::new(), String::new());
    while row < quote.len() || column < there.len() {
        let (word, other) = (quote.get(row), there.get(column));
        if word == other {
            if is_another(&gone, &new) {
                return false;
            }
            (gone, new) = (String::new(), String::new());
            (row, column) = (row + 1, column + 1);
        } else if column == there.len()
            || (row < quote.len() && lengths[row + 1][column] >= lengths[row][column + 1])
        {
            gone.push_str(&quote[row]);
            row += 1;
        } else {
            new.push_str(&there[column]);
            column += 1;
        }
    }
    !is_another(&gone, &new)
}

fn is_another(word: &str, other: &str) -> bool {
    let is_inflected = |c| is_hangul(c) || is_unspaced(c);
    let counts = |word: &str| {
        word.chars().count() >= MIN_WORD_LENGTH
            && !SMALL_WORDS.contains(&word)
            && !word.chars().any(is_inflected)
    };
    let beginning = |word: &str| word.chars().take(SAME_BEGINNING).collect::<String>();
    counts(word)
        && counts(other)
        && (beginning(word) != beginning(other) || similarity(word, other) < SAME_WORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(quote: &str, message: &str) -> bool {
        says_the_same(quote, message, 0..message.len())
    }

    #[test]
    fn other_numbers_denials_and_words_say_something_else() {
        for (quote, message) in [
            ("The budget is 3800 euros.", "The budget is 2800 euros."),
            ("예산은 3800만 원입니다", "예산은 2800만 원입니다"),
            ("The second is v3 now", "The second is v2 now"),
            ("Invoice TH-2026-03119", "Invoice TH-2026-03112"),
            ("We will use Redis here.", "We will not use Redis here."),
            ("We don't use Redis here.", "We do use Redis here."),
            ("Redis를 안 쓰기로 했어", "Redis를 쓰기로 했어"),
            ("Redisを使わないことにした", "Redisを使うことにした"),
            ("我们不用Redis存会话", "我们用Redis存会话"),
            ("Pay the invoice by Monday.", "Pay the invoice by Friday."),
            ("We keep orders in MySQL.", "We keep orders in Postgres."),
            ("We keep orders in MySQL.", "We keep orders in MSSQL."),
            ("We meet on Tuesday at noon", "We meet on Thursday at noon"),
            ("The cache is disabled here", "The cache is enabled here"),
            ("The price is in USD there", "The price is in GBP there"),
            ("Wir nutzen Redis hier nicht.", "Wir nutzen Redis hier."),
        ] {
            assert!(!same(quote, message), "{quote} | {message}");
        }
    }

    #[test]
    fn another_spelling_says_the_same() {
        for (quote, message) in [
            ("The budget is 2800 euro", "The budget is 2,800 euros"),
            ("It doesnt matter here", "It doesn’t matter here"),
            ("Remove it from DuckD8", "Remove it from DuckDB"),
            ("We optimized the path", "We optimised the path"),
            ("Remove a column of it", "Remove the column of it"),
            ("Move to other server", "Move to the other servers"),
            ("JSONB 타입 제거", "JSONB를 타입을 제거"),
            ("재시도는최대 3회", "재시도는 최대 ３회"),
            ("설정했어요", "설정했습니다"),
            ("Поиск работаит", "Поиск работает"),
        ] {
            assert!(same(quote, message), "{quote} | {message}");
        }
    }

    #[test]
    fn a_place_that_cuts_a_word_has_the_whole_word() {
        let message = "It is 115 and they don't wait.";
        let place = message.find("15").unwrap()..message.find("n't").unwrap();
        assert_eq!(&message[whole_words(message, place)], "115 and they don't");
        let message = "値は115です。";
        let place = message.find("15").unwrap()..message.len();
        assert_eq!(&message[whole_words(message, place)], "115です。");
    }
}
