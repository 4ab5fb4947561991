//! Stores what a language model extracted from a session.

use napi::Either;
use napi_derive::napi;
use recallite::rules::model_answer::{EXTRACTION_PROMPT, EXTRACTION_SCHEMA};
use recallite::{Error, IngestOptions, Memory, Result};

use crate::convert::{give, take};
use crate::generated::{NativeIngestOptions, NativeIngestReport};
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::outcome::{Failure, Outcome};

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

fn ingest(
    memory: &Memory,
    session: String,
    extraction: String,
    options: NativeIngestOptions,
) -> Result<Outcome<NativeIngestReport>> {
    let options: IngestOptions = take("", options)?;
    match memory.ingest_with(&session, &extraction, &options) {
        Ok(done) => give(memory, done).map(Either::A),
        Err(error) if is_in_extraction(&error) => Ok(Either::B(Failure::in_json(&error))),
        Err(error) => Err(error),
    }
}

/// Whether an error names a place inside the extraction, whose JSON is spelled as in the
/// published schema.
fn is_in_extraction(error: &Error) -> bool {
    error.argument().is_some_and(|place| {
        ["schema_version", "entries", "tasks", "relations"]
            .iter()
            .any(|field| place.starts_with(field))
    })
}

methods! {
    ingest / ingest_sync(session: [String], extraction: [String], options: [NativeIngestOptions])
        -> [Outcome<NativeIngestReport>] as "Promise<NativeIngestReport | Failure>" = ingest;
}
