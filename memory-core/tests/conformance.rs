//! Runs the conformance vector files that this library supports, from `tests/conformance/` or from
//! the folder in `MEMORY_CONFORMANCE_DIR` (which must have some of them), and prints one line per file: `canonical_key: 99 cases`.
//!
//! Each module below supports some files: it maps a file's name to a function that runs a case's
//! `input` and compares the result with its `expected`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "rules/endless.rs"]
mod endless;
#[path = "rules/levels.rs"]
mod levels;
#[path = "rules/outbox.rs"]
mod outbox;
#[path = "rules/tasks.rs"]
mod tasks;

use std::path::PathBuf;

use serde_json::Value;

#[path = "rules/compare.rs"]
mod compare;
#[path = "rules/config.rs"]
mod config;
#[path = "rules/disclosure.rs"]
mod disclosure;
#[path = "rules/evidence.rs"]
mod evidence;
#[path = "rules/graph.rs"]
mod graph;
#[path = "rules/import.rs"]
mod import;
#[path = "rules/keys.rs"]
mod keys;
#[path = "rules/privacy.rs"]
mod privacy;
#[path = "rules/tools.rs"]
mod tools;

/// Runs one case: `Ok` if the result is as expected, otherwise the actual result.
type Runner = fn(input: &Value, expected: &Value) -> Result<(), String>;

fn folder() -> PathBuf {
    std::env::var_os("MEMORY_CONFORMANCE_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance"),
        PathBuf::from,
    )
}

fn known_files() -> Vec<(&'static str, Runner)> {
    let mut files: Vec<(&'static str, Runner)> = Vec::new();
    files.extend(keys::FILES);
    files.extend(disclosure::FILES);
    files.extend(import::FILES);
    files.extend(evidence::FILES);
    files.extend(graph::FILES);
    files.extend(config::FILES);
    files.extend([
        ("private_tags", privacy::private_tags as Runner),
        ("privacy_filter", privacy::privacy_filter),
        ("secret_masking", privacy::secret_masking),
        ("mask_tool_input", privacy::mask_input),
        ("tool_output_truncate", tools::output_truncate),
        ("tool_metadata", tools::metadata),
        ("tool_embedding_text", tools::embedding_text),
    ]);
    files.extend(endless::FILES);
    files.extend(levels::FILES);
    files.extend(outbox::FILES);
    files.extend(tasks::FILES);
    files
}

#[test]
fn every_known_vector_file_passes() {
    let folder = folder();
    let mut failures = Vec::new();
    let mut ran = 0;
    for (name, run) in known_files() {
        let path = folder.join(format!("{name}.json"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{name}: no such file in {}", folder.display());
            continue;
        };
        let cases: Vec<Value> = serde_json::from_str(&text)
            .unwrap_or_else(|e| panic!("{} is not a JSON array of cases: {e}", path.display()));
        for case in &cases {
            let outcome = std::panic::catch_unwind(|| run(&case["input"], &case["expected"]))
                .unwrap_or_else(|_| Err("panicked".to_owned()));
            if let Err(problem) = outcome {
                failures.push(format!(
                    "{name}/{}: {problem}",
                    case["name"].as_str().unwrap_or("?")
                ));
            }
        }
        ran += cases.len();
        println!("{name}: {} cases", cases.len());
    }
    assert!(ran > 0, "no vectors in {}", folder.display());
    assert!(
        failures.is_empty(),
        "{} of {ran} cases failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
