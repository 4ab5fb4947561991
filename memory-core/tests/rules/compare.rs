//! Reading a case's input and comparing with what it expects.

use serde_json::Value;

/// A text field of the input; empty when it is missing.
pub fn text<'a>(input: &'a Value, name: &str) -> &'a str {
    input[name].as_str().unwrap_or("")
}

/// A list field of the input; empty when it is missing.
pub fn list<'a>(input: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    input[name].as_array().into_iter().flatten()
}

/// Whether two values are equal, numbers to within 1e-9.
pub fn equal(got: &Value, expected: &Value) -> Result<(), String> {
    if is_equal(got, expected) {
        Ok(())
    } else {
        Err(format!("got {got}, expected {expected}"))
    }
}

fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9,
            _ => false,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| is_equal(a, b)))
        }
        _ => a == b,
    }
}
