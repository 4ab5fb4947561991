//! Validates settings: names, types and ranges. Errors name the key and what it accepts.

use serde_json::Value;

use super::keys::{KEYS, find};
use crate::model::error::{Error, Result};
use crate::rules::align::similarity;

/// The argument name for the settings as a whole.
pub(crate) const ARGUMENT: &str = "settings";

/// Longer paths are not misspellings.
const MAX_PATH_LENGTH: usize = 200;
/// The minimum similarity for a suggestion.
const NEAR_ENOUGH: f64 = 0.5;

/// The paths and values of all given keys, in text order.
///
/// # Errors
/// `invalid_argument` naming the first path that does not exist, or whose value has the wrong
/// type or is out of range.
pub(crate) fn given(settings: &Value) -> Result<Vec<(&'static str, Value)>> {
    let mut found = Vec::new();
    collect("", settings, &mut found)?;
    Ok(found)
}

/// The same settings with whole numbers as integers: in JSON, `5.0` is 5, and some programs write
/// it so.
pub(crate) fn with_whole_numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => whole(number).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(with_whole_numbers).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| (name.clone(), with_whole_numbers(value)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number from 0 to 2^53"
)]
fn whole(number: &serde_json::Number) -> Option<u64> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    let is_exact = float.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&float);
    is_exact.then_some(float as u64)
}

fn collect(path: &str, value: &Value, found: &mut Vec<(&'static str, Value)>) -> Result<()> {
    if let Some(key) = find(path) {
        let value = &with_whole_numbers(value);
        if !key.shape.holds(value) {
            return Err(Error::invalid(
                path,
                format_args!("must be {}, not {}", key.shape.expected(), shown(value)),
            ));
        }
        if found.iter().any(|(known, _)| *known == key.path) {
            return Err(Error::invalid(
                path,
                "is given twice, in its section and with its whole name; only one would count",
            ));
        }
        found.push((key.path, value.clone()));
        return Ok(());
    }
    let argument = if path.is_empty() { ARGUMENT } else { path };
    let section = format!("{path}.");
    if !path.is_empty() && !KEYS.iter().any(|key| key.path.starts_with(&section)) {
        return Err(unknown(path));
    }
    let Some(fields) = value.as_object() else {
        return Err(Error::invalid(
            argument,
            format_args!("must be an object of settings, not {}", shown(value)),
        ));
    };
    for (name, value) in fields {
        // An empty name is shown, as it stands in the file.
        let part = if name.is_empty() { "\"\"" } else { name };
        let inner = match path {
            "" => part.to_owned(),
            _ => format!("{path}.{part}"),
        };
        if name.is_empty() {
            return Err(Error::invalid(&inner, UNKNOWN));
        }
        collect(&inner, value, found)?;
    }
    Ok(())
}

/// What is said of a setting that is like no other.
const UNKNOWN: &str = "unknown setting; see docs/guides/settings.md";

fn unknown(path: &str) -> Error {
    match nearest(path) {
        Some(near) => Error::invalid(path, format_args!("unknown setting; did you mean {near}?")),
        None => Error::invalid(path, UNKNOWN),
    }
}

/// The key or section most similar to a path.
fn nearest(path: &str) -> Option<String> {
    if path.len() > MAX_PATH_LENGTH {
        return None;
    }
    let depth = path.split('.').count();
    let mut names: Vec<String> = Vec::new();
    for key in KEYS {
        let parts: Vec<&str> = key.path.split('.').collect();
        // Sections are as likely to be misspelled as keys.
        for length in [parts.len(), depth.min(parts.len())] {
            let name = parts[..length].join(".");
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let wanted = path.to_lowercase();
    let last = wanted.rsplit('.').next().unwrap_or_default().to_owned();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let own = name.rsplit('.').next().unwrap_or_default();
        // The same name in another section is a likelier intent than another name here.
        similarity(&wanted, &name).max(0.95 * similarity(&last, own))
    };
    let best = names
        .into_iter()
        .map(|name| (likeness(&name), name))
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)))?;
    (best.0 >= NEAR_ENOUGH).then_some(best.1)
}

/// A value as an error shows it. It may be a secret, so strings are shown only by kind.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.is_empty() => "an empty string".to_owned(),
        Value::String(_) => "this string".to_owned(),
        Value::Array(_) => "this list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
