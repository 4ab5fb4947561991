//! JSON values as validated, compact text, so that the public interface exposes no JSON
//! library's types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use super::error::{Error, Result};
use super::shorten::{quoted, short};

/// A valid JSON value, stored as compact text and nested at most [`Json::DEPTH_LIMIT`]
/// levels deep.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(String);

impl Json {
    /// The maximum nesting depth of arrays and objects. What is stored must be readable by
    /// every parser that meets it later, exports and envelopes add levels, and many parsers
    /// stop at 128.
    pub const DEPTH_LIMIT: usize = 64;

    /// Parses and compacts JSON text. Object keys are sorted.
    ///
    /// # Errors
    /// `invalid_argument` naming `argument` when the text is not JSON, nested deeper than
    /// [`Json::DEPTH_LIMIT`], holds an integer of more than 64 bits, which would be rounded, or
    /// an object with the same key twice, of which only the last would be kept.
    pub fn parse(argument: &str, text: &str) -> Result<Self> {
        check_depth(argument, text)?;
        if let Some(number) = too_large_integer(text) {
            return Err(Error::invalid(
                argument,
                format_args!(
                    "holds the integer {}, which has more than 64 bits; give it as a string",
                    short(number)
                ),
            ));
        }
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| not_json(argument, text, &e))?;
        serde_json::from_str::<KeysOnce>(text)
            .map_err(|error| Error::invalid(argument, format_args!("is ambiguous: {error}")))?;
        Ok(Json::from_value(&value))
    }

    /// Returns the compact JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn from_value(value: &serde_json::Value) -> Self {
        Json(canonical_text(value))
    }

    /// The value; if it is nested deeper than [`Json::DEPTH_LIMIT`], a JSON string that holds
    /// its text.
    pub(crate) fn flattened(value: &serde_json::Value) -> Self {
        let json = Json::from_value(value);
        if is_too_deep(json.as_str()) {
            return Json::from_value(&json.0.into());
        }
        json
    }

    pub(crate) fn from_checked(text: String) -> Self {
        Json(text)
    }

    pub(crate) fn to_value(&self) -> serde_json::Value {
        serde_json::from_str(&self.0).unwrap_or(serde_json::Value::Null)
    }
}

/// The compact text of a value with sorted keys. Sorting is explicit, because another crate
/// of the host may enable insertion order in `serde_json`, and texts of different hosts are
/// compared.
pub(crate) fn canonical_text(value: &serde_json::Value) -> String {
    serde_json::to_string(&Ordered(value)).expect("a JSON value has a text")
}

/// JSON without duplicate keys.
struct KeysOnce;

impl<'de> Deserialize<'de> for KeysOnce {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_any(KeysOnce)
    }
}

impl<'de> Visitor<'de> for KeysOnce {
    type Value = KeysOnce;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<KeysOnce, E> {
        Ok(KeysOnce)
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<KeysOnce, E> {
        Ok(KeysOnce)
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<KeysOnce, E> {
        Ok(KeysOnce)
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<KeysOnce, E> {
        Ok(KeysOnce)
    }

    fn visit_str<E>(self, _: &str) -> std::result::Result<KeysOnce, E> {
        Ok(KeysOnce)
    }

    fn visit_unit<E>(self) -> std::result::Result<KeysOnce, E> {
        Ok(KeysOnce)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<KeysOnce, A::Error> {
        while items.next_element::<KeysOnce>()?.is_some() {}
        Ok(KeysOnce)
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut fields: A,
    ) -> std::result::Result<KeysOnce, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = fields.next_key::<String>()? {
            fields.next_value::<KeysOnce>()?;
            if seen.contains(&key) {
                return Err(de::Error::custom(format_args!(
                    "the key {} occurs twice",
                    quoted(&key)
                )));
            }
            seen.insert(key);
        }
        Ok(KeysOnce)
    }
}

/// A value that is serialized with sorted keys.
struct Ordered<'v>(&'v serde_json::Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        match self.0 {
            serde_json::Value::Array(items) => to.collect_seq(items.iter().map(Ordered)),
            serde_json::Value::Object(fields) if fields.keys().is_sorted() => {
                to.collect_map(fields.iter().map(|(key, value)| (key, Ordered(value))))
            }
            serde_json::Value::Object(fields) => {
                let fields: BTreeMap<_, _> = fields.iter().collect();
                to.collect_map(fields.iter().map(|(key, value)| (key, Ordered(value))))
            }
            plain => plain.serialize(to),
        }
    }
}

/// The first integer of JSON text that fits neither `i64` nor `u64`.
fn too_large_integer(text: &str) -> Option<&str> {
    /// The digits of the largest number of which all fit.
    const ALL_FIT: usize = 18;
    let bytes = text.as_bytes();
    let is_of_number = |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E');
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let length = bytes[at..].iter().take_while(|b| is_of_number(b)).count();
                let number = &text[at..at + length];
                at += length;
                let is_integer = !number.contains(['.', 'e', 'E']);
                if is_integer
                    && length > ALL_FIT
                    && number.parse::<i64>().is_err()
                    && number.parse::<u64>().is_err()
                {
                    return Some(number);
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// The position after a JSON string that begins at `at`.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'"' => return end + 1,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The error for invalid JSON, reworded where the parser's is misleading.
fn not_json(argument: &str, text: &str, error: &serde_json::Error) -> Error {
    match lone_surrogate(text) {
        Some(at) => Error::invalid(
            argument,
            format_args!(
                "has half of a surrogate pair at byte {at}, which is not a character; add the \
                 other half or remove this one"
            ),
        ),
        None => Error::invalid(argument, format_args!("is not JSON: {error}")),
    }
}

/// The position of an escaped surrogate without its other half.
fn lone_surrogate(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while at < bytes.len() {
        at += match (bytes[at], unit(at)) {
            (b'\\', Some(0xd800..=0xdbff)) => match unit(at + 6) {
                Some(0xdc00..=0xdfff) => 12,
                _ => return Some(at),
            },
            (b'\\', Some(0xdc00..=0xdfff)) => return Some(at),
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    None
}

/// Refuses JSON text nested deeper than [`Json::DEPTH_LIMIT`].
///
/// # Errors
/// `invalid_argument` naming `argument`.
pub(crate) fn check_depth(argument: &str, text: &str) -> Result<()> {
    if is_too_deep(text) {
        return Err(Error::invalid(
            argument,
            format_args!(
                "is nested deeper than {} levels; flatten it, or store the inner part as a string",
                Json::DEPTH_LIMIT
            ),
        ));
    }
    Ok(())
}

/// Whether JSON text is nested deeper than [`Json::DEPTH_LIMIT`]. Counts brackets outside of
/// strings, which needs neither a stack nor valid JSON.
pub(crate) fn is_too_deep(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = end_of_string(bytes, at);
                continue;
            }
            b'[' | b'{' => {
                depth += 1;
                if depth > Json::DEPTH_LIMIT {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    false
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn an_object_has_each_key_once() {
        for (text, key) in [
            (r#"{"a":1,"a":1}"#, r#""a""#),
            (r#"{"b":[{"a":1,"\u0061":2}]}"#, r#""a""#),
            (r#"{"":1,"":2}"#, r#""""#),
        ] {
            let error = Json::parse("metadata", text).unwrap_err();
            assert_eq!(error.argument(), Some("metadata"));
            let wanted = format!("the key {key} occurs twice");
            assert!(error.message().contains(&wanted), "{error}");
        }
        for fine in [r#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, "null", "1e3"] {
            assert!(Json::parse("metadata", fine).is_ok(), "{fine}");
        }
        let key = "long ".repeat(500);
        let error = Json::parse("metadata", &format!("{{\"{key}\":1,\"{key}\":2}}")).unwrap_err();
        assert!(error.message().len() < 300, "{error}");
    }

    #[test]
    fn half_a_surrogate_pair_is_told_with_its_place() {
        for (text, at) in [
            (r#"{"a":"\ud83d"}"#, 6),
            (r#"{"a":"\ud83dx\ude00"}"#, 6),
            (r#"{"a":"b\udc00"}"#, 7),
            (r#"["\\\ud800\u0041"]"#, 4),
        ] {
            let error = Json::parse("metadata", text).unwrap_err();
            assert_eq!(error.argument(), Some("metadata"));
            assert!(error.message().contains(&format!("byte {at},")), "{error}");
        }
        assert!(Json::parse("a", r#"["\ud83d\ude00", "\\ud800"]"#).is_ok());
    }

    #[test]
    fn an_integer_that_would_be_rounded_is_refused() {
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "12345678901234567890123",
        ] {
            let text = format!(r#"{{"a":"1{number}","b":[1.5,{number}]}}"#);
            let error = Json::parse("metadata", &text).unwrap_err();
            assert_eq!(error.argument(), Some("metadata"));
            assert!(
                error.message().contains(&format!("integer {number},")),
                "{error}"
            );
        }
        for fine in [
            "18446744073709551615",
            "-9223372036854775808",
            "12345678901234567890123e1",
            "1.2345678901234567890123",
            r#""\\\"18446744073709551616""#,
        ] {
            assert!(Json::parse("a", fine).is_ok(), "{fine}");
        }
    }

    #[test]
    fn the_limit_is_kept_to_the_level_and_strings_do_not_count() {
        assert!(Json::parse("metadata", &nested(Json::DEPTH_LIMIT)).is_ok());
        for levels in [Json::DEPTH_LIMIT + 1, 127, 100_000] {
            let error = Json::parse("metadata", &nested(levels)).unwrap_err();
            assert_eq!(error.argument(), Some("metadata"), "{error}");
            assert!(error.message().contains("64 levels"), "{error}");
        }
        let brackets = format!(r#"{{"a":"\"{}"}}"#, "[".repeat(1000));
        assert_eq!(Json::parse("a", &brackets).unwrap().as_str(), brackets);
        let wide = format!("[{}[]]", "[],".repeat(1000));
        assert_eq!(Json::parse("a", &wide).unwrap().as_str(), wide);
    }
}
