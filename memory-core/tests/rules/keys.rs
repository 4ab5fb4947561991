//! Canonical keys, entity keys, hashes, citation ids and match scores.

use recallite::text::citation::{citation_id, parse_citation, unique_citation_id_of_length};
use recallite::text::keys::{
    EntityKind, artifact_key, canonical_key, content_hash, dedupe_key, entity_key, parse_entity_key,
};
use serde_json::{Value, json};

use super::Runner;
use super::compare::{equal, text};

/// The vector files of this module.
pub const FILES: &[(&str, Runner)] = &[
    ("canonical_key", |i, e| {
        equal(
            &json!(canonical_key(text(i, "title"), i["project"].as_str())),
            e,
        )
    }),
    ("entity_key", |i, e| {
        let kind = match text(i, "entity_type") {
            "task" => EntityKind::Task,
            "condition" => EntityKind::Condition,
            "artifact" => EntityKind::Artifact,
            other => return Err(format!("unknown entity type {other}")),
        };
        let key = entity_key(kind, text(i, "identifier"), i["project"].as_str());
        equal(&json!(key), e)
    }),
    ("artifact_key", |i, e| {
        equal(&json!(artifact_key(text(i, "identifier"))), e)
    }),
    ("parse_entity_key", parse_entity_key_case),
    ("dedupe_key", |i, e| {
        equal(
            &json!(dedupe_key(text(i, "session_id"), text(i, "content"))),
            e,
        )
    }),
    ("content_hash", |i, e| {
        equal(&json!(content_hash(text(i, "content"))), e)
    }),
    ("citation_id", |i, e| {
        let length = i["length"].as_u64().unwrap_or(6) as usize;
        equal(&json!(citation_id(text(i, "event_id"), length)), e)
    }),
    ("citation_unique", citation_unique),
    ("citation_parse", |i, e| {
        equal(&json!(parse_citation(text(i, "text"))), e)
    }),
];

fn parse_entity_key_case(input: &Value, expected: &Value) -> Result<(), String> {
    let got = parse_entity_key(text(input, "key")).map(|parts| {
        let mut got = json!({
            "entity_type": parts.kind.as_str(),
            "identifier": parts.identifier,
        });
        if let Some(project) = parts.project {
            got["project"] = json!(project);
        }
        got
    });
    equal(&json!(got), expected)
}

/// The vectors cover only 6 characters, where a store would continue with 7.
fn citation_unique(input: &Value, expected: &Value) -> Result<(), String> {
    let taken: Vec<&str> = input["taken"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let id = unique_citation_id_of_length(text(input, "event_id"), 6, |id| taken.contains(&id));
    let got = match id {
        Some(id) => json!({ "id": id }),
        None => json!({ "error": "exhausted" }),
    };
    equal(&got, expected)
}
