//! Default settings.

use recallite::config::Settings;
use serde_json::Value;

use super::Runner;
use super::compare::{equal, text};

/// The vector files of this module.
pub const FILES: &[(&str, Runner)] = &[("config_defaults", |input, expected| {
    let path = text(input, "path");
    let value = Settings::default_value(path).ok_or(format!("no setting {path}"))?;
    let value: Value = serde_json::from_str(value.as_str()).map_err(|e| e.to_string())?;
    equal(&value, expected)
})];
