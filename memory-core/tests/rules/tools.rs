//! Conformance of tool observations: truncation, metadata, embedding text.

use recallite::Json;
use recallite::text::tool::{tool_embedding_text, tool_metadata, truncate_output};
use serde_json::Value;

fn compare(actual: &Value, expected: &Value) -> Result<(), String> {
    if actual == expected {
        Ok(())
    } else {
        Err(format!("gave {actual}, expected {expected}"))
    }
}

fn json(value: &Value) -> Result<Json, String> {
    Json::parse("value", &value.to_string()).map_err(|e| e.to_string())
}

fn limit(value: &Value, default: usize) -> usize {
    value
        .as_u64()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(default)
}

pub fn output_truncate(input: &Value, expected: &Value) -> Result<(), String> {
    let cut = truncate_output(
        input["output"].as_str().unwrap_or_default(),
        limit(&input["max_length"], 10_000),
        limit(&input["max_lines"], 100),
    );
    compare(&Value::from(cut.into_owned()), expected)
}

pub fn metadata(input: &Value, expected: &Value) -> Result<(), String> {
    let arguments = json(&input["tool_input"])?;
    let metadata = tool_metadata(
        input["tool_name"].as_str().unwrap_or_default(),
        Some(&arguments),
        input["tool_output"].as_str().unwrap_or_default(),
        input["success"].as_bool().unwrap_or(true),
    );
    let actual = serde_json::from_str(metadata.as_str()).map_err(|e| e.to_string())?;
    compare(&actual, expected)
}

pub fn embedding_text(input: &Value, expected: &Value) -> Result<(), String> {
    let text = tool_embedding_text(
        input["tool_name"].as_str().unwrap_or_default(),
        &json(&input["metadata"])?,
        input["success"].as_bool().unwrap_or(true),
    );
    compare(&Value::from(text), expected)
}
