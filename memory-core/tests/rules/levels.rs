//! Runs the vectors of graduation and of insights.

use recallite::rules::levels::{
    CueLanguages, EvidenceGate, GraduationPolicy, InsightEvent, Level, Usage, evaluate,
    extract_insights,
};
use serde_json::{Value, json};

use super::Runner;

pub const FILES: &[(&str, Runner)] = &[
    ("graduation_criteria", criteria),
    ("insight_extraction", insights),
];

fn criteria(input: &Value, expected: &Value) -> Result<(), String> {
    let level: Level = input["level"]
        .as_str()
        .expect("level")
        .parse()
        .expect("level");
    let metrics = &input["metrics"];
    let usage = metrics.is_object().then(|| Usage {
        access_count: metrics["access_count"].as_u64().expect("count"),
        confidence: metrics["confidence"].as_f64().expect("confidence"),
        cross_session_refs: metrics["cross_session_refs"].as_u64().expect("refs"),
        days_since_last_access: metrics["days_since_last_access"].as_f64().expect("days"),
    });
    let result = evaluate(
        &GraduationPolicy::default(),
        level,
        usage.as_ref(),
        EvidenceGate::NotNeeded,
    );
    let actual = json!({
        "next": result.next.map(Level::as_str),
        "passed": result.passed,
        "failed_on": result.failed_on.map(recallite::rules::levels::Criterion::as_str),
        "reason": result.reason,
    });
    let same = expected
        .as_object()
        .expect("object")
        .iter()
        .all(|(name, value)| actual[name] == *value);
    // A vector without a criterion means that none failed.
    let silent = expected.get("failed_on").is_some() || actual["failed_on"].is_null();
    (same && silent)
        .then_some(())
        .ok_or_else(|| actual.to_string())
}

fn insights(input: &Value, expected: &Value) -> Result<(), String> {
    let events = input["events"].as_array().expect("events");
    let text = |event: &'_ Value, name: &str| event[name].as_str().expect("text").to_owned();
    let events: Vec<InsightEvent> = events
        .iter()
        .map(|event| InsightEvent {
            id: text(event, "id"),
            is_user_prompt: event["event_type"] == "user_prompt",
            content: text(event, "content"),
            canonical_key: text(event, "canonical_key"),
        })
        .collect();
    let found = extract_insights(&events, CueLanguages::English);
    let wanted = expected.as_array().expect("list");
    let same = found.len() == wanted.len()
        && found.iter().zip(wanted).all(|(insight, wanted)| {
            insight.kind.as_str() == wanted["type"]
                && insight.key == wanted["key"]
                && insight.content == wanted["content"]
                && wanted["sources"] == json!(insight.sources)
                && (insight.confidence - wanted["confidence"].as_f64().expect("number")).abs()
                    < 1e-9
        });
    same.then_some(()).ok_or_else(|| format!("{found:?}"))
}
