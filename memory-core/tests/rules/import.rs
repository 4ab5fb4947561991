//! Import of transcripts as specified: text only, truncated responses, duplicates recognised by
//! content.

use std::collections::HashSet;
use std::path::Path;

use recallite::EventKind;
use recallite::text::keys::dedupe_key;
use recallite::transcript::{ImportOptions, TranscriptReader};
use serde_json::{Value, json};

use super::Runner;
use super::compare::{equal, text};

/// The vector files of this module.
pub const FILES: &[(&str, Runner)] = &[("import_jsonl", import)];

fn import(input: &Value, expected: &Value) -> Result<(), String> {
    let session = Path::new(text(input, "session_file"))
        .file_stem()
        .and_then(|stem| stem.to_str())
        .ok_or("no session file")?;
    let mut options = ImportOptions::specified();
    options.limit = input["limit"].as_u64().map(|n| n as usize);
    let mut reader = TranscriptReader::new(text(input, "jsonl").as_bytes(), session, options);
    let mut seen = HashSet::new();
    let mut stored = Vec::new();
    while let Some(item) = reader.next() {
        let item = item.map_err(|e| e.to_string())?;
        let is_duplicate = !seen.insert(dedupe_key(&item.session_id, &item.content));
        reader.counters_mut().count(item.kind, is_duplicate);
        stored.push(json!({
            "kind": match item.kind {
                EventKind::UserPrompt => "prompt",
                _ => "response",
            },
            "content": item.content,
            "duplicate": is_duplicate,
        }));
    }
    let counters = reader.counters();
    let got = json!({
        "total_messages": counters.total_messages,
        "imported_prompts": counters.imported_prompts,
        "imported_responses": counters.imported_responses,
        "skipped_duplicates": counters.skipped_duplicates,
        "errors": counters.errors,
        "stored": stored,
    });
    equal(&got, expected)
}
