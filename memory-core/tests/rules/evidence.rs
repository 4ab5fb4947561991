//! Vectors of the evidence aligner.

use recallite::rules::align::{
    self, AlignOptions, Alignment, AlignmentReport, EvidenceQuote, FailureReason, levenshtein,
    similarity,
};
use serde_json::{Value, json};

use super::Runner;

/// The vector files of this module.
pub const FILES: &[(&str, Runner)] = &[
    ("evidence_exact", quote_case),
    ("evidence_normalized", quote_case),
    ("evidence_fuzzy", fuzzy_case),
    ("evidence_aggregate", aggregate_case),
    ("levenshtein_similarity", levenshtein_case),
];

/// Aligns with the default options, which are always valid.
fn align(messages: &[&str], quotes: &[EvidenceQuote]) -> AlignmentReport {
    align::align(messages, quotes, &AlignOptions::default()).expect("the defaults are in range")
}

/// Negative and non-integer indices are outside of every session.
fn quote(value: &Value) -> EvidenceQuote {
    EvidenceQuote::new(
        value["message_index"].as_i64().unwrap_or(-1),
        value["quote"].as_str().unwrap_or_default(),
    )
}

fn messages(input: &Value) -> Vec<&str> {
    input["messages"]
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

fn describe(result: &Alignment, given: &Value) -> Value {
    match result.span {
        Some(span) => json!({
            "aligned": true,
            "message_index": given["message_index"],
            "quote_hash": result.quote_hash,
            "match_method": result.match_method.as_str(),
            "confidence": result.confidence,
            "span": {
                "utf16": [span.utf16.start, span.utf16.end],
                "bytes": [span.bytes.start, span.bytes.end],
                "chars": [span.chars.start, span.chars.end],
            },
            "matched_text": result.matched_text,
            "ambiguous": result.ambiguous,
            "alternative_count": result.alternative_count,
        }),
        None => json!({
            "aligned": false,
            "message_index": given["message_index"],
            "quote_hash": result.quote_hash,
            "failure_reason": result.reason.map(FailureReason::as_str),
        }),
    }
}

/// Whether `got` has every expected field with an equal value (numbers to within 1e-9).
fn covers(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => expected
            .iter()
            .all(|(key, value)| got.get(key).is_some_and(|got| covers(value, got))),
        (Value::Array(expected), Value::Array(got)) => {
            expected.len() == got.len() && expected.iter().zip(got).all(|(e, g)| covers(e, g))
        }
        (Value::Number(expected), Value::Number(got)) => match (expected.as_f64(), got.as_f64()) {
            (Some(expected), Some(got)) => (expected - got).abs() <= 1e-9,
            _ => expected == got,
        },
        _ => expected == got,
    }
}

fn compare(expected: &Value, got: &Value) -> Result<(), String> {
    if covers(expected, got) {
        Ok(())
    } else {
        Err(format!("expected {expected}, got {got}"))
    }
}

/// `evidence_exact` and `evidence_normalized`.
fn quote_case(input: &Value, expected: &Value) -> Result<(), String> {
    let messages = messages(input);
    let report = align(&messages, &[quote(input)]);
    compare(expected, &describe(&report.results[0], input))
}

/// Whether the quote is refused once a match must say the same. The quotes that change a number are.
fn changes_facts(messages: &[&str], input: &Value) -> bool {
    let mut options = AlignOptions::default();
    options.same_facts = true;
    let report = align::align(messages, &[quote(input)], &options);
    let report = report.expect("the options are in range");
    let is_refused = report.results[0].reason == Some(FailureReason::SaysOtherwise);
    let text = input["quote"].as_str().unwrap_or_default();
    is_refused && !text.contains("6 minutes") && !text.contains("6분")
}

/// `evidence_fuzzy`: properties instead of one answer.
fn fuzzy_case(input: &Value, expected: &Value) -> Result<(), String> {
    let messages = messages(input);
    let report = align(&messages, &[quote(input)]);
    let got = describe(&report.results[0], input);
    let fail = |problem: &str| Err(format!("{problem}: expected {expected}, got {got}"));
    let one_of =
        |list: &Value, value: &Value| list.as_array().is_none_or(|list| list.contains(value));
    if expected["aligned"] != got["aligned"] {
        return fail("aligned");
    }
    if changes_facts(&messages, input) {
        return fail("says something else");
    }
    if !one_of(&expected["failure_reason_any_of"], &got["failure_reason"])
        || !one_of(&expected["match_method_any_of"], &got["match_method"])
        || (expected["match_method"].is_string() && expected["match_method"] != got["match_method"])
    {
        return fail("reason or method");
    }
    let confidence = got["confidence"].as_f64().unwrap_or(0.0);
    if expected["confidence_min"]
        .as_f64()
        .is_some_and(|min| confidence < min)
        || expected["confidence_max_exclusive"]
            .as_f64()
            .is_some_and(|max| confidence >= max)
    {
        return fail("confidence");
    }
    for unit in ["utf16", "bytes", "chars"] {
        let pair = |value: &Value| Some((value[0].as_f64()?, value[1].as_f64()?));
        let Some((from, to)) = pair(&expected["target"][unit]) else {
            continue;
        };
        let Some((start, end)) = pair(&got["span"][unit]) else {
            return fail("no span");
        };
        let overlap = (to.min(end) - from.max(start)).max(0.0) / (to - from);
        if expected["min_target_overlap"]
            .as_f64()
            .is_some_and(|min| overlap < min)
            || expected["max_span_to_target_ratio"]
                .as_f64()
                .is_some_and(|max| end - start > max * (to - from))
        {
            return fail(unit);
        }
    }
    Ok(())
}

/// `evidence_aggregate`.
fn aggregate_case(input: &Value, expected: &Value) -> Result<(), String> {
    let messages = messages(input);
    let given = input["evidence"].as_array().cloned().unwrap_or_default();
    let quotes: Vec<EvidenceQuote> = given.iter().map(quote).collect();
    let report = align(&messages, &quotes);
    let results: Vec<Value> = report
        .results
        .iter()
        .zip(&given)
        .map(|(result, given)| describe(result, given))
        .collect();
    let failed = report.results.iter().filter(|result| !result.is_aligned());
    let failed: Vec<&str> = failed.map(|result| result.quote.as_str()).collect();
    let got = json!({
        "evidence_aligned": report.evidence_aligned,
        "aligned_count": report.aligned_count(),
        "failed_count": report.failed_count(),
        "failed_quotes": failed,
        "results": results,
    });
    compare(expected, &got)
}

/// `levenshtein_similarity`.
fn levenshtein_case(input: &Value, expected: &Value) -> Result<(), String> {
    let a = input["a"].as_str().unwrap_or_default();
    let b = input["b"].as_str().unwrap_or_default();
    let got = json!({"similarity": similarity(a, b), "distance": levenshtein(a, b)});
    compare(expected, &got)
}
