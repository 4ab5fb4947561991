//! The specification's word patterns, implemented exactly: a sensitive word, `:` or `=`,
//! and a value; a bearer token; a private key block. They are applied in sequence, each to
//! the result of the previous one.

use std::borrow::Cow;

use super::scanned::visit;
use super::tags::is_blank;

/// What replaces a secret.
pub const REDACTED: &str = "[REDACTED]";

/// A text with its secrets masked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Masked<'t> {
    /// The text with `[REDACTED]` in place of each secret.
    pub text: Cow<'t, str>,
    /// The number of places that were masked.
    pub secret_count: u32,
}

impl<'t> Masked<'t> {
    pub(super) fn unchanged(text: &'t str) -> Self {
        Masked {
            text: Cow::Borrowed(text),
            secret_count: 0,
        }
    }

    /// Applies another step to the text and adds up the counts.
    pub(super) fn then(self, step: impl for<'a> FnOnce(&'a str) -> Masked<'a>) -> Masked<'t> {
        let Masked { text, secret_count } = self;
        match text {
            Cow::Borrowed(text) => {
                let next = step(text);
                Masked {
                    text: next.text,
                    secret_count: secret_count + next.secret_count,
                }
            }
            Cow::Owned(text) => {
                let next = step(&text);
                let count = secret_count + next.secret_count;
                let changed = match next.text {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(changed) => Some(changed),
                };
                Masked {
                    text: Cow::Owned(changed.unwrap_or(text)),
                    secret_count: count,
                }
            }
        }
    }
}

/// Replaces the given ranges (sorted, not overlapping) with `[REDACTED]`.
pub(super) fn redact<'t>(text: &'t str, ranges: &[(usize, usize)]) -> Masked<'t> {
    if ranges.is_empty() {
        return Masked::unchanged(text);
    }
    let mut out = String::with_capacity(text.len() + REDACTED.len());
    let mut copied_to = 0;
    for (start, end) in ranges {
        out.push_str(&text[copied_to..*start]);
        out.push_str(REDACTED);
        copied_to = *end;
    }
    out.push_str(&text[copied_to..]);
    Masked {
        text: Cow::Owned(out),
        secret_count: u32::try_from(ranges.len()).unwrap_or(u32::MAX),
    }
}

/// Masks secrets by the word patterns of the specification alone, regardless of the
/// surrounding text.
///
/// The patterns are applied in this order, ignoring letter case except for private keys:
/// `password`, `api_key`, `secret` and `token` with `:` or `=` and a value; `bearer` with a
/// value; AWS key assignments; a PEM private key from its BEGIN line to its END line or, if
/// that is missing, to the end of the text; `ghp_` and 36, `sk-` and 48 letters or digits.
/// The key word is masked together with its value, which ends at the first blank or quote.
///
/// ```
/// use recallite::privacy::mask_word_patterns;
/// let masked = mask_word_patterns("set password=abc123, then log in");
/// assert_eq!(masked.text, "set [REDACTED] then log in");
/// assert_eq!(masked.secret_count, 1);
/// ```
pub fn mask_word_patterns(text: &str) -> Masked<'_> {
    let mut masked = Masked::unchanged(text);
    for word in ["password", "api?key", "secret", "token"] {
        masked = masked.then(|t| mask_assignments(t, word));
    }
    mask_specified_keys(masked.then(mask_bearer))
}

/// The patterns of the specification that do not depend on the surrounding text.
pub(super) fn mask_specified_keys(masked: Masked<'_>) -> Masked<'_> {
    masked
        .then(|t| mask_assignments_where(t, "aws?access?key?id", ascii_alphanumeric_value))
        .then(|t| mask_assignments(t, "aws?secret?access?key"))
        .then(|t| redact(t, &pem_blocks(t)))
        .then(|t| mask_prefixed(t, "ghp_", 36))
        .then(|t| mask_prefixed(t, "sk-", 48))
}

/// Masks `word`, `:` or `=`, and a value. In `word`, `?` stands for an optional `_` or `-`;
/// everything else is literal, ignoring case.
pub(super) fn mask_assignments<'t>(text: &'t str, word: &str) -> Masked<'t> {
    mask_assignments_where(text, word, value_end)
}

fn mask_assignments_where<'t>(
    text: &'t str,
    word: &str,
    value_end: fn(&str) -> Option<usize>,
) -> Masked<'t> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some((start, word_end)) = find_word(text, word, at) {
        at = match after_operator(&text[word_end..])
            .and_then(|value| Some(word_end + value + value_end(&text[word_end + value..])?))
        {
            Some(end) => {
                ranges.push((start, end));
                end
            }
            None => start + 1,
        };
    }
    redact(text, &ranges)
}

/// The next occurrence of `word` at or after `from`, as start and end.
fn find_word(text: &str, word: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let first = word.as_bytes().first()?.to_ascii_lowercase();
    let upper = first.to_ascii_uppercase();
    let mut at = from;
    loop {
        at += bytes
            .get(at..)?
            .iter()
            .position(|b| *b == first || *b == upper)?;
        if let Some(end) = word_at(bytes, at, word) {
            return Some((at, end));
        }
        at += 1;
    }
}

fn word_at(bytes: &[u8], at: usize, word: &str) -> Option<usize> {
    let mut here = at;
    for wanted in word.bytes() {
        match (wanted, bytes.get(here)) {
            (b'?', Some(b'_' | b'-')) => here += 1,
            (b'?', _) => {}
            (_, Some(byte)) if byte.eq_ignore_ascii_case(&wanted) => here += 1,
            _ => return None,
        }
    }
    Some(here)
}

/// `\s*[:=]\s*`: the offset of what follows.
fn after_operator(rest: &str) -> Option<usize> {
    let operator = after_blanks(rest, 0);
    matches!(rest.as_bytes().get(operator), Some(b':' | b'='))
        .then(|| after_blanks(rest, operator + 1))
}

fn after_blanks(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    from + rest.len() - rest.trim_start_matches(is_blank).len()
}

/// `['"]?[^\s'"]+`: the offset of the end.
fn value_end(rest: &str) -> Option<usize> {
    let begin = usize::from(rest.starts_with(['\'', '"']));
    let length = rest[begin..]
        .find(|c| is_blank(c) || c == '\'' || c == '"')
        .unwrap_or(rest.len() - begin);
    (length > 0).then_some(begin + length)
}

/// `['"]?[A-Z0-9]+`: the offset of the end.
fn ascii_alphanumeric_value(rest: &str) -> Option<usize> {
    let begin = usize::from(rest.starts_with(['\'', '"']));
    let length = run(&rest.as_bytes()[begin..], |b| b.is_ascii_alphanumeric());
    (length > 0).then_some(begin + length)
}

fn mask_bearer(text: &str) -> Masked<'_> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some((start, word_end)) = find_word(text, "bearer", at) {
        let value = after_blanks(text, word_end);
        // Without a blank there is no value, so do not search for its end.
        let length = if value > word_end {
            run(&text.as_bytes()[value..], |b| {
                b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')
            })
        } else {
            0
        };
        at = if length > 0 {
            ranges.push((start, value + length));
            value + length
        } else {
            start + 1
        };
    }
    redact(text, &ranges)
}

/// A prefix and exactly `count` letters or digits; more may follow.
fn mask_prefixed<'t>(text: &'t str, prefix: &str, count: usize) -> Masked<'t> {
    let bytes = text.as_bytes();
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(prefix) {
        let start = at + offset;
        let body = start + prefix.len();
        let length = run(&bytes[body..bytes.len().min(body + count)], |b| {
            b.is_ascii_alphanumeric()
        });
        at = body;
        if length == count {
            ranges.push((start, body + count));
            at = body + count;
        }
    }
    redact(text, &ranges)
}

fn pem_blocks(text: &str) -> Vec<(usize, usize)> {
    const KINDS: [&str; 2] = ["PRIVATE KEY-----", "RSA PRIVATE KEY-----"];
    let begin = |rest: &str| after_any(rest, "-----BEGIN ", &KINDS);
    let end = |rest: &str| after_any(rest, "-----END ", &KINDS);
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some((start, body)) = begin(&text[at..]) {
        let close = end(&text[at + body..]).map_or(text.len(), |(_, close)| at + body + close);
        blocks.push((at + start, close));
        at = close;
    }
    blocks
}

/// The next place where `head` is followed by one of `tails`, as start and end.
fn after_any(text: &str, head: &str, tails: &[&str]) -> Option<(usize, usize)> {
    text.match_indices(head).find_map(|(start, _)| {
        let rest = &text[start + head.len()..];
        let tail = tails.iter().find(|tail| rest.starts_with(**tail))?;
        Some((start, start + head.len() + tail.len()))
    })
}

/// How many bytes at the start satisfy the test.
pub(super) fn run(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    let length = bytes.iter().take_while(|b| test(**b)).count();
    visit(length);
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn masked(text: &str) -> (String, u32) {
        let masked = mask_word_patterns(text);
        (masked.text.into_owned(), masked.secret_count)
    }

    #[test]
    fn later_patterns_see_the_result_of_earlier_ones() {
        assert_eq!(masked("token: secret=abc"), (REDACTED.to_owned(), 2));
    }

    #[test]
    fn unterminated_private_key_is_masked_to_the_end() {
        let text = "key\n-----BEGIN PRIVATE KEY-----\nMIIE\nmore";
        assert_eq!(masked(text), ("key\n[REDACTED]".to_owned(), 1));
    }

    #[test]
    fn empty_quoted_value_is_no_secret() {
        assert_eq!(masked("password=\"\""), ("password=\"\"".to_owned(), 0));
    }

    #[test]
    fn value_may_stand_in_any_script() {
        assert_eq!(masked("암호 password=호랑이 끝").0, "암호 [REDACTED] 끝");
    }

    proptest! {
        // The same patterns as regular expressions: the hand-written scanner
        // must agree with them on every text.
        #[test]
        fn scanner_agrees_with_the_regular_expressions(pieces in proptest::collection::vec(
            prop_oneof![
                Just("password"), Just("API-Key"), Just("apikey"), Just("secret"), Just("TOKEN"),
                Just("bearer"), Just("AWS_ACCESS_KEY_ID"), Just("aws-secret-access-key"),
                Just("="), Just(":"), Just(" "), Just("\n"), Just("\u{a0}"), Just("'"), Just("\""),
                Just("abc"), Just("호랑이"), Just("X1"), Just("/"), Just("."),
            ], 0..24)) {
            let text = pieces.concat();
            let mut expected = text.clone();
            for pattern in [
                r#"(?i)password\s*[:=]\s*['"]?[^\s'"]+"#,
                r#"(?i)api[_-]?key\s*[:=]\s*['"]?[^\s'"]+"#,
                r#"(?i)secret\s*[:=]\s*['"]?[^\s'"]+"#,
                r#"(?i)token\s*[:=]\s*['"]?[^\s'"]+"#,
                r"(?i-u:bearer)\s+[a-zA-Z0-9._-]+",
                r#"(?i)aws[_-]?access[_-]?key[_-]?id\s*[:=]\s*['"]?[A-Za-z0-9]+"#,
                r#"(?i)aws[_-]?secret[_-]?access[_-]?key\s*[:=]\s*['"]?[^\s'"]+"#,
            ] {
                expected = regex::Regex::new(pattern).unwrap()
                    .replace_all(&expected, REDACTED).into_owned();
            }
            prop_assert_eq!(masked(&text).0, expected);
        }
    }
}
