//! What a language model is told of extracting.

use napi_derive::napi;
use recallite::rules::model_answer::{EXTRACTION_PROMPT, EXTRACTION_SCHEMA};

/// The JSON Schema of an extraction, as JSON text.
#[napi]
pub fn extraction_schema() -> &'static str {
    EXTRACTION_SCHEMA
}

/// The prompt that explains an extraction to a language model.
#[napi]
pub fn extraction_prompt() -> &'static str {
    EXTRACTION_PROMPT
}
