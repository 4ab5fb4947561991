//! JSON values as text, checked and compact, so that no JSON library's type
//! stands in the public interface.

use std::fmt;

use super::error::{Error, Result};

/// A valid JSON value, held as compact text.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(String);

impl Json {
    /// Checks and compacts JSON text. Object keys keep their order.
    ///
    /// # Errors
    /// `invalid_argument` naming `argument` when the text is not JSON.
    pub fn parse(argument: &str, text: &str) -> Result<Self> {
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

    pub(crate) fn from_checked(text: String) -> Self {
        Json(text)
    }

    pub(crate) fn to_value(&self) -> serde_json::Value {
        serde_json::from_str(&self.0).unwrap_or(serde_json::Value::Null)
    }
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
