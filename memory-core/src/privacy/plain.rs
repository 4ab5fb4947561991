//! Reads a text as a person sees it, and finds each place of that in the original: without colours
//! and escapes, and the strings of JSON as the texts that they hold.

use std::borrow::Cow;

use super::formats::Range;
use super::near_tags::half_width;
use super::scanned::visit;
use super::shape::{LOOK, head, looks_chosen, looks_random};
use super::tags::is_blank;
use super::told::is_told;
use super::words::run;
use crate::text::show::{colours_in, has_controls, is_invisible, links, parameters};

/// A text without the sequences that colour it and without invisible characters, which may stand
/// inside names and values, and with wide letters as ASCII. An agent is shown a text without most
/// of them too.
pub(super) struct Plain<'t> {
    pub(super) text: Cow<'t, str>,
    cuts: Vec<Cut>,
}

/// Where the plain text is shorter than the original.
struct Cut {
    /// The position in the plain text behind what is shorter.
    at: usize,
    length: usize,
    /// Whether it belongs to the letter before it, and was not taken out between two.
    is_of_letter: bool,
}

impl<'t> Plain<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let has_controls = has_controls(text);
        let mut changed: Vec<_> = colours_in(text, has_controls)
            .into_iter()
            .map(|range| (range.start, range.end, None))
            .collect();
        if has_controls {
            changed.extend(links(text).map(|range| (range.start, range.end, None)));
            changed.extend(padding(text).map(|at| (at, at + 1, None)));
        }
        if !text.is_ascii() {
            changed.extend(unusual(text.as_bytes()).filter_map(|at| {
                let c = text[at..].chars().next()?;
                let begin = at + c.len_utf8();
                // The same as `ESC [` in one character.
                if c == '\u{9b}' {
                    return Some((at, begin + parameters(&text.as_bytes()[begin..])?, None));
                }
                let letter = narrow_letter(c);
                (letter.is_some() || is_invisible(c)).then_some((at, begin, letter))
            }));
        }
        changed.extend(escaped_letters(text));
        changed.extend(referenced_letters(text));
        // Stable sorting joins the ordered lists in linear time. The escape of a colour is no letter.
        changed.sort();
        changed.dedup_by(|later, earlier| later.0 < earlier.1);
        Plain::changed(text, changed)
    }

    /// The text that the content of a string of JSON holds.
    pub(super) fn held(content: &'t str) -> Self {
        visit(content.len());
        let mut from = 0;
        let escapes = std::iter::from_fn(|| {
            loop {
                let at = from + content[from..].find('\\')?;
                let Some((letter, length)) = json_escape(&content[at..]) else {
                    from = at + 1;
                    continue;
                };
                from = at + length;
                return Some((at, from, Some(letter)));
            }
        });
        Plain::changed(content, escapes.collect())
    }

    /// The text with a letter or nothing in the place of each of these ranges, which are in order.
    fn changed(text: &'t str, changed: Vec<(usize, usize, Option<char>)>) -> Self {
        if changed.is_empty() {
            return Plain {
                text: Cow::Borrowed(text),
                cuts: Vec::new(),
            };
        }
        let mut plain = String::with_capacity(text.len());
        let mut cuts = Vec::with_capacity(changed.len());
        let mut copied_to = 0;
        for (start, end, letter) in changed {
            plain.push_str(&text[copied_to..start]);
            plain.extend(letter);
            copied_to = end;
            cuts.push(Cut {
                at: plain.len(),
                length: end - start - letter.map_or(0, char::len_utf8),
                is_of_letter: letter.is_some(),
            });
        }
        plain.push_str(&text[copied_to..]);
        Plain {
            text: Cow::Owned(plain),
            cuts,
        }
    }

    /// Turns positions in the plain text into those in the original.
    pub(super) fn locate(&self, ranges: &mut [Range]) {
        let mut cuts = self.cuts.iter().peekable();
        let mut removed = 0;
        for (start, end) in ranges {
            while let Some(cut) = cuts.next_if(|cut| cut.at <= *start) {
                removed += cut.length;
            }
            *start += removed;
            while let Some(cut) =
                cuts.next_if(|cut| cut.at < *end || cut.is_of_letter && cut.at == *end)
            {
                removed += cut.length;
            }
            *end += removed;
        }
    }
}

/// The quote or the sign of an assignment that servers log as an escape: `\x22`, `\x3d`.
fn escaped_sign(bytes: &[u8]) -> Option<char> {
    let [b'\\', b'x' | b'X', digits @ ..] = bytes else {
        return None;
    };
    match digits.first_chunk()? {
        b"22" => Some('"'),
        b"27" => Some('\''),
        b"3d" | b"3D" => Some('='),
        b"3a" | b"3A" => Some(':'),
        b"26" => Some('&'),
        _ => None,
    }
}

/// The NULs between the letters of a text in UTF-16 that was read as bytes.
fn padding(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    text.match_indices('\0').filter_map(|(at, _)| {
        let is_nul = |at: usize| bytes.get(at) == Some(&0);
        let is_alone = !is_nul(at + 1) && at.checked_sub(1).is_none_or(|before| !is_nul(before));
        let is_one_of_many = is_nul(at + 2) || at.checked_sub(2).is_some_and(is_nul);
        (is_alone && is_one_of_many).then_some(at)
    })
}

/// The letters of other scripts, and the signs of assignments, that JSON has as escapes
/// (`\ube44`, also escaped again as `\\ube44`): where each begins and ends, and what it is.
fn escaped_letters(text: &str) -> impl Iterator<Item = (usize, usize, Option<char>)> {
    const DIGITS: usize = 4;
    const SIGN: &str = "\\u";
    // A search for one sign is faster than one for a text.
    text.match_indices('\\').filter_map(|(at, _)| {
        if let Some(sign) = escaped_sign(&text.as_bytes()[at..]) {
            let escapes = run_of_backslashes_before(text.as_bytes(), at);
            let end = at + "\\x22".len();
            // In regular expressions and in strings of programs, names follow such a sign.
            let is_wanted = !matches!(sign, '=' | ':') || is_value(&text[end..]);
            return is_wanted.then_some((at - escapes, end, Some(sign)));
        }
        let rest = text.as_bytes()[at..].strip_prefix(SIGN.as_bytes())?;
        let digits = std::str::from_utf8(rest.get(..DIGITS)?).ok()?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
        let letter = half_width(char::from_u32(number)?);
        let is_wanted = !letter.is_ascii() && letter.is_alphanumeric()
            || number >= 0x80 && letter.is_ascii_graphic()
            || matches!(
                letter,
                '=' | '&' | '「' | '」' | '『' | '』' | '。' | '，' | '、'
            );
        let escapes = run_of_backslashes_before(text.as_bytes(), at);
        is_wanted.then_some((at - escapes, at + SIGN.len() + DIGITS, Some(letter)))
    })
}

/// The letters of other scripts, the quotes and the brackets that HTML has as references (`&#48708;`, `&quot;`):
/// where each begins and ends, and what it is.
fn referenced_letters(text: &str) -> impl Iterator<Item = (usize, usize, Option<char>)> {
    const MAX_DIGITS: usize = 6;
    text.match_indices('&').filter_map(|(at, _)| {
        let rest = &text.as_bytes()[at..];
        const NAMED: [(&str, char); 3] = [("&quot;", '"'), ("&lt;", '<'), ("&gt;", '>')];
        let named = NAMED
            .iter()
            .find(|(name, _)| rest.starts_with(name.as_bytes()));
        if let Some((name, letter)) = named {
            let end = at + name.len();
            let is_wanted = *letter != '>' || leads_to_value(&text[end..]);
            return is_wanted.then_some((at, end, Some(*letter)));
        }
        let digits = rest.strip_prefix(b"&#")?;
        let length = run(&digits[..digits.len().min(MAX_DIGITS)], |b| {
            b.is_ascii_digit()
        });
        let end = at + "&#".len() + length;
        let number = text[at + "&#".len()..end].parse().ok()?;
        let letter = half_width(char::from_u32(number)?);
        let is_wanted =
            letter.is_alphanumeric() && number >= 0x80 || matches!(letter, '"' | '\'' | ':' | '=');
        let is_closed = text.as_bytes().get(end) == Some(&b';');
        (is_wanted && is_closed).then_some((at, end + 1, Some(letter)))
    })
}

/// Whether a text begins with a value that a person or a program would choose, and not with a
/// quote, a part of a regular expression, or a word that says what stands there.
fn is_value(text: &str) -> bool {
    let text = head(text, LOOK);
    let ends = |c: char| is_blank(c) || "\"'\\&<".contains(c);
    let value = &text[..text.find(ends).unwrap_or(text.len())];
    value.is_empty() || looks_random(value) || looks_chosen(value) && !is_told(value)
}

/// Whether behind the sign that ends a tag another one begins, a line ends, or such a value stands.
fn leads_to_value(text: &str) -> bool {
    text.starts_with(is_blank) || is_value(text)
}

/// How many backslashes stand before a position.
fn run_of_backslashes_before(bytes: &[u8], at: usize) -> usize {
    const MAX: usize = 64;
    let near = &bytes[at.saturating_sub(MAX)..at];
    near.iter().rev().take_while(|b| **b == b'\\').count()
}

/// The positions of the bytes that are not usual. Most parts of most texts are ASCII.
fn unusual(bytes: &[u8]) -> impl Iterator<Item = usize> {
    const AT_ONCE: usize = 32;
    let parts = bytes.chunks(AT_ONCE).enumerate();
    let other = parts.filter(|(_, part)| !part.is_ascii());
    other.flat_map(|(index, part)| {
        let bytes = part.iter().enumerate();
        let found = bytes.filter(|(_, byte)| !is_usual(**byte));
        found.map(move |(at, _)| index * AT_ONCE + at)
    })
}

/// Whether a byte begins no character that is to be read in another way: ASCII, the most frequent
/// letters of Korean, Japanese and Chinese, and what only continues a character.
fn is_usual(byte: u8) -> bool {
    const FIRST_OF_SEVERAL: u8 = 0xc2;
    byte < FIRST_OF_SEVERAL || matches!(byte, 0xe5..=0xe9 | 0xeb | 0xec)
}

/// The ASCII letter, digit or sign of names that a Japanese or Chinese keyboard wrote wide, and the
/// blank that a page does not break.
fn narrow_letter(c: char) -> Option<char> {
    if c == '\u{a0}' {
        return Some(' ');
    }
    let narrow = half_width(c);
    let is_of_name = narrow.is_ascii_alphanumeric() || matches!(narrow, '_' | '-');
    (narrow != c && is_of_name).then_some(narrow)
}

/// The letter that an escape of JSON means at the start of a text, and the length of the escape.
fn json_escape(text: &str) -> Option<(char, usize)> {
    let letter = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        sign @ (b'"' | b'\\' | b'/') => char::from(*sign),
        b'u' => return escaped_unit(text),
        _ => return None,
    };
    Some((letter, 2))
}

/// `\ud83d\ude00` and `\u00e9`: the letter, and the length of its escape.
fn escaped_unit(text: &str) -> Option<(char, usize)> {
    const LENGTH: usize = 6;
    let unit = |from: usize| {
        let digits = text.get(from..from + LENGTH)?.strip_prefix("\\u")?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    };
    let first = unit(0)?;
    if let Some(letter) = char::from_u32(u32::from(first)) {
        return Some((letter, LENGTH));
    }
    let pair = [first, unit(LENGTH)?];
    let letter = char::decode_utf16(pair).next()?.ok()?;
    Some((letter, 2 * LENGTH))
}

/// The contents of the strings that are values of an object or an array of JSON, in order.
pub(super) fn values_of_json(text: &str) -> impl Iterator<Item = Range> {
    const MIN: usize = 8;
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = from + text[from..].find('"')? + 1;
            if !opens_value(&bytes[..begin - 1]) {
                from = begin;
                continue;
            }
            let end = string_end(bytes, begin);
            from = (end + 1).min(text.len());
            if end - begin >= MIN {
                return Some((begin, end));
            }
        }
    })
}

/// Whether a string that begins behind these bytes is a value: behind the name and the colon of a
/// field, or behind the start or another value of an array. (The name of a further field is read
/// too.)
fn opens_value(before: &[u8]) -> bool {
    let Some((sign, before)) = without_blanks(before).split_last() else {
        return false;
    };
    match sign {
        b':' => without_blanks(before).ends_with(b"\""),
        b',' => matches!(without_blanks(before).last(), Some(b'"' | b']' | b'}')),
        b'[' => true,
        _ => false,
    }
}

/// The bytes without the blanks and line ends at their end.
fn without_blanks(bytes: &[u8]) -> &[u8] {
    const MAX: usize = 256;
    let near = &bytes[bytes.len().saturating_sub(MAX)..];
    let blanks = near.len() - near.trim_ascii_end().len();
    visit(blanks);
    &bytes[..bytes.len() - blanks]
}

/// Where the content of a string ends: at its quote, or at the end of the line or the text that was
/// cut off there.
fn string_end(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\n' => break,
            b'\\'
                if bytes
                    .get(at + 1)
                    .is_some_and(|b| b.is_ascii() && *b != b'\n') =>
            {
                at += 2
            }
            _ => at += 1,
        }
    }
    visit(at - begin);
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_a_held_text_are_found_in_its_string() {
        let content = r#"a\\n\n"x\" \u00e9\ud83d\ude00 \q \u12"#;
        let held = Plain::held(content);
        assert_eq!(held.text, "a\\n\n\"x\" é😀 \\q \\u12");
        for (plain, original) in [
            ("\n\"", "\\n\""),
            ("é😀", "\\u00e9\\ud83d\\ude00"),
            ("q", "q"),
        ] {
            let at = held.text.find(plain).expect("it is there");
            let mut ranges = [(at, at + plain.len())];
            held.locate(&mut ranges);
            assert_eq!(&content[ranges[0].0..ranges[0].1], original);
        }
    }

    #[test]
    fn values_are_the_strings_after_names() {
        let text = r#"x {"a" : "one \" text","b":["this one", "and that one"], "c":"two texts\\", "d":

                    "cut off at"#;
        let values: Vec<&str> = values_of_json(text)
            .map(|(from, to)| &text[from..to])
            .collect();
        assert_eq!(
            values,
            [
                r#"one \" text"#,
                "this one",
                "and that one",
                r#"two texts\\"#,
                "cut off at"
            ]
        );
        assert_eq!(
            values_of_json("{\"a\":\"ends here\\\nx").next(),
            Some((6, 16))
        );
    }
}
