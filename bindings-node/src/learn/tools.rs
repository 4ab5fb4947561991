//! What is kept of tool calls: functions that need no memory.

use std::sync::atomic::AtomicBool;

use napi_derive::napi;
use recallite::text::tool;
use recallite::{Json, Result};

use crate::input;
use crate::outcome::{Outcome, now};

fn quick<T>(call: impl FnOnce() -> Result<T>) -> Outcome<T> {
    now(&AtomicBool::new(false), call)
}

/// An output cut to lines and characters.
#[napi(catch_unwind)]
pub fn truncate_output(output: String, max_chars: f64, max_lines: f64) -> Outcome<String> {
    quick(|| {
        let max_chars = input::size("max_chars", max_chars)?;
        let max_lines = input::size("max_lines", max_lines)?;
        Ok(tool::truncate_output(&output, max_chars, max_lines).into_owned())
    })
}

/// What is derived from a call, as JSON text.
#[napi(catch_unwind)]
pub fn tool_metadata(
    name: String,
    input_json: Option<String>,
    output: String,
    success: bool,
) -> Outcome<String> {
    quick(|| {
        let arguments = input::optional("input", input_json.as_deref(), Json::parse)?;
        let metadata = tool::tool_metadata(&name, arguments.as_ref(), &output, success);
        Ok(metadata.as_str().to_owned())
    })
}

/// The text that is embedded for a call.
#[napi(catch_unwind)]
pub fn tool_embedding_text(name: String, metadata_json: String, success: bool) -> Outcome<String> {
    quick(|| {
        let metadata = Json::parse("metadata", &metadata_json)?;
        Ok(tool::tool_embedding_text(&name, &metadata, success))
    })
}

/// One line that says what a call did.
#[napi(catch_unwind)]
pub fn tool_summary(
    name: String,
    metadata_json: String,
    output: String,
    success: bool,
) -> Outcome<String> {
    quick(|| {
        let metadata = Json::parse("metadata", &metadata_json)?;
        Ok(tool::tool_summary(&name, &metadata, &output, success))
    })
}
