//! Recognises identifiers in a question: `PROJ-4599`, `v1.2.14`, `10.0.7.7`,
//! `ERR_READ_TIMEOUT`, `flushRetryQueue`, `rs647161`.

use crate::text::scripts::{is_hangul, is_unspaced};

/// Any more are ignored: the question contains a pasted log.
const MAX_IDENTIFIERS: usize = 4;
/// Longer words are not identifiers that anyone searches for.
const MAX_BYTES: usize = 128;

/// An identifier in a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identifier {
    /// In lower case.
    pub(crate) text: String,
    /// Whether it is one word: letters, digits and `_`.
    pub(crate) is_word: bool,
}

/// The identifiers of a question. `rest` is the question in lower case without its times.
pub(crate) fn identifiers(question: &str, rest: &str) -> Vec<Identifier> {
    let mut found: Vec<Identifier> = Vec::new();
    let is_border = |c: char| !(is_word_char(c) || is_joiner(c));
    for chunk in question.split(is_border) {
        let chunk = chunk.trim_matches(is_joiner);
        if chunk.len() > MAX_BYTES || !names_one_thing(chunk) {
            continue;
        }
        let text = chunk.to_lowercase();
        let is_known = found.iter().any(|other| other.text == text);
        if is_known || !rest.contains(&*text) {
            continue;
        }
        let is_word = chunk.chars().all(is_word_char);
        found.push(Identifier { text, is_word });
        if found.len() > MAX_IDENTIFIERS {
            return Vec::new();
        }
    }
    found
}

/// Whether a lower-case text contains an identifier literally and not as part of a longer
/// word.
pub(crate) fn holds(text: &str, identifier: &str) -> bool {
    text.match_indices(identifier).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + identifier.len()..].chars();
        let (next, second) = (after.next(), after.next());
        // `v1.2` does not match in `v1.2.14`, nor `10.0.7` in `10.0.7.1`.
        let goes_on = next.is_some_and(is_joiner) && second.is_some_and(|c| c.is_ascii_digit());
        !before.is_some_and(is_word_char) && !next.is_some_and(is_word_char) && !goes_on
    })
}

/// A letter of Hangul or of a script without spaces ends an identifier: "PROJ-4599는",
/// "修复了v1.2.14吗".
fn is_word_char(c: char) -> bool {
    (c.is_alphanumeric() && !is_hangul(c) && !is_unspaced(c)) || c == '_'
}

/// Joins the words of one identifier. A path or web address counts as several.
fn is_joiner(c: char) -> bool {
    matches!(c, '.' | '-')
}

/// Accepts words with several digits (`v1.2.14`, `rs647161`, `c0ffee1`), three or more
/// numbers, or words joined as only code does. Rejects quantities (`30s`, `30-day`,
/// `9:30am`), numeric dates, and names such as `utf8` or `GPT-4`, which people also write in
/// other ways.
fn names_one_thing(chunk: &str) -> bool {
    let words: Vec<&str> = chunk
        .split(is_joiner)
        .filter(|word| !word.is_empty())
        .collect();
    let digits = chunk.bytes().filter(u8::is_ascii_digit).count();
    if !chunk.is_ascii() || words.is_empty() {
        return false;
    }
    if words
        .iter()
        .all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return words.len() > 2 && !chunk.contains('-');
    }
    if digits == 0 {
        return words.len() == 1 && is_code(words[0]);
    }
    let is_quantity =
        chunk.starts_with(|c: char| c.is_ascii_digit()) && words.iter().all(|word| is_amount(word));
    let numbers = chunk.split(|c: char| !c.is_ascii_digit());
    let numbers = numbers.filter(|number| !number.is_empty()).count();
    !is_quantity && (digits > 2 || numbers > 1)
}

/// Whether a word is only a number, a number with a unit, or letters.
fn is_amount(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = unit.len() < word.len();
    unit.bytes().all(|byte| byte.is_ascii_alphabetic()) && (!has_number || unit.len() < 3)
}

/// Whether a text without digits is `snake_case` or `camelCase`.
fn is_code(chunk: &str) -> bool {
    let bytes = chunk.as_bytes();
    let is_snake = bytes.windows(3).any(|three| {
        three[1] == b'_' && three[0].is_ascii_alphanumeric() && three[2].is_ascii_alphanumeric()
    });
    let is_camel = bytes[0].is_ascii_lowercase()
        && bytes
            .windows(2)
            .any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    is_snake || is_camel
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(question: &str) -> Vec<String> {
        let found = identifiers(question, &question.to_lowercase());
        found.into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn identifiers_are_told_from_words_and_quantities() {
        for (question, expected) in [
            ("why was PROJ-4599 closed?", "proj-4599"),
            ("what did v1.2.14 break", "v1.2.14"),
            ("who uses 10.0.7.7:", "10.0.7.7"),
            ("(see ERR_READ_TIMEOUT)", "err_read_timeout"),
            ("the flushRetryQueue call", "flushretryqueue"),
            ("variant rs647161.", "rs647161"),
            ("commit c0ffee1?", "c0ffee1"),
            ("worker-112 is down", "worker-112"),
            ("PROJ-4599는 왜 닫혔지?", "proj-4599"),
            ("修复了v1.2.14吗", "v1.2.14"),
            ("flushRetryQueueを直した", "flushretryqueue"),
            ("서버10.0.7.7에서", "10.0.7.7"),
            ("https://example.com/api/v1.2.3/list", "v1.2.3"),
            (
                "7f3a004d-11d2-4b01-9c1e-00a0c91e0385",
                "7f3a004d-11d2-4b01-9c1e-00a0c91e0385",
            ),
        ] {
            assert_eq!(texts(question), [expected], "{question}");
        }
        for question in [
            "the 30-day trial of 30s and 2nd-hand cars at 9:30am",
            "in 2024 we had 4/10 and 10.5 of 12,000",
            "147.5kg at utf8, UTF-8 and GPT-4; python3",
            "GitHub, JavaScript and e.g. well-known and/or names",
            "what is https://example.com/docs on localhost:8080",
            "src/main_loop.rs #4599 --",
            "30초 동안 3월 14일, 2024년, 12,000원, A4용지와 3D프린터",
            "２月３日と2024年5月8日、東京タワー333m",
            "",
        ] {
            assert_eq!(texts(question), [""; 0], "{question}");
        }
    }

    #[test]
    fn a_date_is_no_identifier() {
        assert!(identifiers("what broke on 21.01.2024", "what broke on  ").is_empty());
    }

    #[test]
    fn a_pasted_log_names_nothing() {
        assert!(texts("a1b1 b2c2 c3d3 d4e4 e5f5").is_empty());
        assert_eq!(texts("a1b1 b2c2 c3d3 d4e4").len(), 4);
    }

    #[test]
    fn an_identifier_is_held_whole() {
        assert!(holds("proj-4599 is closed", "proj-4599"));
        assert!(holds("see (v1.2.14).", "v1.2.14"));
        assert!(holds("proj-4599는 닫혔다", "proj-4599"));
        assert!(holds("在v1.2.14中修复", "v1.2.14"));
        assert!(!holds("proj-45991", "proj-4599"));
        assert!(!holds("v1.2.14", "v1.2"));
        assert!(!holds("110.0.7.7", "10.0.7.7"));
        assert!(!holds("err_read_timeout", "read_timeout"));
    }
}
