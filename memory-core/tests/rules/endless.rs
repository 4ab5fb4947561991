//! Runs the vectors of continuity and of the consolidation trigger.

use recallite::Timestamp;
use recallite::rules::endless::{
    ConsolidationPolicy, ConsolidationTrigger, ContextSnapshot, ContinuityPolicy, continuity,
};
use serde_json::{Value, json};

use super::Runner;

pub const FILES: &[(&str, Runner)] = &[
    ("continuity_score", score),
    ("consolidation_trigger", trigger),
];

fn list(value: &Value) -> Vec<String> {
    value
        .as_array()
        .map(|items| {
            items
                .iter()
                .map(|i| i.as_str().expect("text").to_owned())
                .collect()
        })
        .unwrap_or_default()
}

fn context(value: &Value) -> ContextSnapshot {
    ContextSnapshot {
        id: value["id"].as_str().unwrap_or_default().to_owned(),
        timestamp: Timestamp::from_millis(value["timestamp"].as_i64().expect("time"))
            .expect("in range"),
        topics: list(&value["topics"]),
        files: list(&value["files"]),
        entities: list(&value["entities"]),
    }
}

fn score(input: &Value, expected: &Value) -> Result<(), String> {
    let previous = input["previous"]
        .is_object()
        .then(|| context(&input["previous"]));
    let mut policy = ContinuityPolicy::default();
    if let Some(seamless) = input["min_score_for_seamless"].as_f64() {
        policy.min_score_for_seamless = seamless;
    }
    let found = continuity(&context(&input["current"]), previous.as_ref(), &policy);
    let same = (found.score - expected["score"].as_f64().expect("score")).abs() < 1e-9
        && found.transition.as_str() == expected["transition_type"];
    same.then_some(()).ok_or_else(|| format!("{found:?}"))
}

fn trigger(input: &Value, expected: &Value) -> Result<(), String> {
    let due = ConsolidationTrigger {
        since_last_ms: input["ms_since_last_consolidation"].as_i64().expect("ms"),
        working_set_size: usize::try_from(input["working_set_size"].as_u64().expect("size"))
            .expect("small"),
        idle_ms: input["idle_ms"].as_i64().expect("ms"),
    }
    .is_due(&ConsolidationPolicy::default());
    (json!(due) == *expected)
        .then_some(())
        .ok_or_else(|| due.to_string())
}
