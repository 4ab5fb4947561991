//! Repairs JSON of other programs: what a strict parser refuses although the rest of the text
//! can be used.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// The deepest nesting that `serde_json` reads.
const MAX_LEVELS: usize = 127;
/// What stands for values that are nested deeper.
const TOO_DEEP: &str = "\"[nested too deeply]\"";

/// Returns JSON text in a form that strict parsers accept. Programs write such text when they
/// cut a string inside a character, and tools take arguments of any depth:
///
/// - a byte order mark at the start is left out;
/// - bytes that are not UTF-8, and escapes of half a character, become U+FFFD;
/// - what is nested deeper than 127 levels becomes the string `[nested too deeply]`;
/// - a number too large for a 64-bit float becomes the string of its digits.
///
/// Everything else stays as it is, including what is not JSON at all.
///
/// ```
/// use recallite::transcript::repair_json;
/// assert_eq!(repair_json(br#"{"a":"half \ud83d"}"#), r#"{"a":"half \ufffd"}"#);
/// ```
pub fn repair_json(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(without_byte_order_mark(bytes));
    let text = match replace_lone_surrogates(&text) {
        Cow::Owned(repaired) => Cow::Owned(repaired),
        Cow::Borrowed(_) => text,
    };
    let text = match replace_too_deep(&text) {
        Some(repaired) => Cow::Owned(repaired),
        None => text,
    };
    match quote_too_large(&text) {
        Some(repaired) => Cow::Owned(repaired),
        None => text,
    }
}

pub(super) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The text with [`TOO_DEEP`] in place of values below [`MAX_LEVELS`]; `None` if there are
/// none, or if their end is missing. Counting brackets needs no stack.
fn replace_too_deep(text: &str) -> Option<String> {
    let mut out = None;
    let (mut depth, mut copied) = (0usize, 0);
    for (at, byte) in outside_strings(text) {
        match byte {
            b'[' | b'{' => {
                if depth == MAX_LEVELS {
                    let out = out.get_or_insert_with(String::new);
                    out.push_str(&text[copied..at]);
                    out.push_str(TOO_DEEP);
                }
                depth += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == MAX_LEVELS {
                    copied = at + 1;
                }
            }
            _ => {}
        }
    }
    if depth > MAX_LEVELS {
        return None;
    }
    out.map(|out| out + &text[copied..])
}

/// The text with quotes around the numbers that a 64-bit float cannot hold; `None` if there are none.
fn quote_too_large(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_part = |b: &u8| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let is_apart = |byte: Option<&u8>| byte.is_none_or(|byte| b"[]{},: \t\r\n".contains(byte));
    let mut out = None;
    let (mut copied, mut end) = (0, 0);
    for (at, byte) in outside_strings(text) {
        // The rest of a number was read with its beginning.
        if at < end || !matches!(byte, b'-' | b'0'..=b'9') {
            continue;
        }
        end = at + bytes[at..].iter().take_while(|b| is_part(b)).count();
        let number = &text[at..end];
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if is_apart(before) && is_apart(bytes.get(end)) && is_too_large(number) {
            let out = out.get_or_insert_with(String::new);
            out.push_str(&text[copied..at]);
            out.push_str(&format!("\"{number}\""));
            copied = end;
        }
    }
    out.map(|out| out + &text[copied..])
}

/// The bytes of JSON text outside of its strings, each with its place. Closing quotes are among them.
fn outside_strings(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut in_string, mut is_escaped) = (false, false);
    text.bytes().enumerate().filter(move |&(_, byte)| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match byte {
            b'"' => in_string = !in_string,
            b'\\' => is_escaped = in_string,
            _ => {}
        }
        !in_string
    })
}

/// Whether a number of JSON is infinite as a 64-bit float.
fn is_too_large(number: &str) -> bool {
    let is_infinite = || number.parse::<f64>().is_ok_and(f64::is_infinite);
    is_infinite() && serde_json::from_str::<IgnoredAny>(number).is_ok()
}

/// Replaces an unpaired surrogate escape such as `\ud83d` by `\ufffd`. JavaScript writes
/// one when it cuts a string inside an emoji; JSON parsers reject it.
fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let escape = |at: usize| -> Option<u16> {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let (mut at, mut copied) = (0, 0);
    while let Some(next) = bytes[at..].iter().position(|&b| b == b'\\') {
        at += next;
        match escape(at) {
            Some(0xD800..=0xDBFF) if matches!(escape(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                let out = out.get_or_insert_default();
                out.push_str(&text[copied..at]);
                out.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // Skips the escaped character, which may itself be a backslash.
            _ => at = (at + 2).min(bytes.len()),
        }
    }
    match out {
        Some(mut out) => {
            out.push_str(&text[copied..]);
            Cow::Owned(out)
        }
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn nested(levels: usize, inner: &str) -> String {
        format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn values_of_any_depth_can_be_read() {
        for levels in [0, 1, 126, 127] {
            let text = nested(levels, r#""]\"}[""#);
            assert_eq!(repair_json(text.as_bytes()), text, "{levels}");
        }
        for levels in [128, 129, 1_000_000] {
            let text = format!(r#"{{"a":{},"b":"[{{"}}"#, nested(levels, r#""]\"}[""#));
            let repaired = repair_json(text.as_bytes());
            let value: Value = serde_json::from_str(&repaired).expect("JSON");
            assert_eq!(value["b"], "[{", "{levels}");
            assert_eq!(repaired.matches("nested too deeply").count(), 1, "{levels}");
        }
        let twice = format!("[{},{}]", nested(200, "1"), nested(200, "2"));
        let repaired = repair_json(twice.as_bytes());
        assert_eq!(repaired.matches("nested too deeply").count(), 2);
        assert!(serde_json::from_str::<Value>(&repaired).is_ok());
    }

    #[test]
    fn what_has_no_end_is_no_json() {
        for text in ["[".repeat(100_000), nested(200, "1")[..300].to_owned()] {
            assert!(serde_json::from_str::<Value>(&repair_json(text.as_bytes())).is_err());
        }
    }

    #[test]
    fn half_characters_bad_bytes_and_marks_are_repaired() {
        for (bytes, repaired) in [
            (br#""a\ud83d b\\ud83d""#.as_slice(), r#""a\ufffd b\\ud83d""#),
            (br#""\ud83c\udf89 \udc00""#, r#""\ud83c\udf89 \ufffd""#),
            (b"\xef\xbb\xbf\"a\xff\"", "\"a\u{fffd}\""),
            (b"no json", "no json"),
        ] {
            assert_eq!(repair_json(bytes), repaired);
        }
    }

    #[test]
    fn numbers_of_any_size_can_be_read() {
        let huge = "9".repeat(400);
        for number in ["1e999", "-1E+400", huge.as_str()] {
            let text = format!(r#"{{"a":[1,{number}],"b":"\",{number}","c":-2.5e3}}"#);
            let repaired = repair_json(text.as_bytes());
            let value: Value = serde_json::from_str(&repaired).expect("JSON");
            assert_eq!(value["a"], serde_json::json!([1, number]));
            assert_eq!(value["b"], format!("\",{number}"));
            assert_eq!(value["c"], -2500.0);
        }
        // What is no number, or fits, stays.
        for text in [
            "[1.e999]",
            "[01e999]",
            "[1e-999,1e308]",
            "[--1e999]",
            "[1e]",
            "abc1e999",
            "{x1e999:2}",
            "'1e999'",
        ] {
            assert_eq!(repair_json(text.as_bytes()), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_valid_stays(text in r#"[a-z0-9\\" é\[\]{}.-]{0,30}"#) {
            let json = serde_json::to_string(&text).expect("a string");
            prop_assert_eq!(repair_json(json.as_bytes()), json.as_str());
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = repair_json(&bytes);
        }
    }
}
