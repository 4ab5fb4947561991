//! JSON values as text, checked and compact, so that no JSON library's type
//! stands in the public interface.

use std::fmt;

use super::error::{Error, Result};

/// A valid JSON value, held as compact text, nested at most
/// [`Json::DEPTH_LIMIT`] levels deep.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(String);

impl Json {
    /// How many arrays and objects may stand inside each other. What is stored
    /// must be readable by every parser that meets it later, and exports and
    /// envelopes add levels: many parsers end at 128.
    pub const DEPTH_LIMIT: usize = 64;

    /// Checks and compacts JSON text. Object keys are put in order.
    ///
    /// # Errors
    /// `invalid_argument` naming `argument` when the text is not JSON or nested
    /// deeper than [`Json::DEPTH_LIMIT`].
    pub fn parse(argument: &str, text: &str) -> Result<Self> {
        check_depth(argument, text)?;
        let value: serde_json::Value = serde_json::from_str(text)
            .map_err(|e| Error::invalid(argument, format_args!("is not JSON: {e}")))?;
        Ok(Json::from_value(&value))
    }

    /// The compact JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn from_value(value: &serde_json::Value) -> Self {
        Json(value.to_string())
    }

    /// The value; when it is nested deeper than [`Json::DEPTH_LIMIT`], a JSON
    /// string that holds its text.
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

/// Refuses JSON text that is nested deeper than [`Json::DEPTH_LIMIT`].
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

/// Whether JSON text is nested deeper than [`Json::DEPTH_LIMIT`]. Counts brackets
/// outside of strings, so that it needs neither a stack nor valid JSON.
pub(crate) fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut in_string) = (0usize, false);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                bytes.next();
            }
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > Json::DEPTH_LIMIT {
                    return true;
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
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
