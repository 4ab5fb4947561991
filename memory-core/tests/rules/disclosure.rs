//! Match scores, disclosure rules, token estimates and what is displayed.

use recallite::rules::disclosure::{expansion_decision, plan_expansion};
use recallite::rules::format::{ContextMemory, format_context};
use recallite::rules::matching::{MatchParts, classify, match_list, match_score};
use recallite::text::citation::{CitationFormat, CitedMemory, citation_block};
use recallite::text::show::Shown;
use recallite::text::summary::{SpokenEvent, preview, session_summary_text, summary};
use recallite::text::tokens::{
    INDEX_ITEM_TOKENS, TIMELINE_ITEM_TOKENS, estimate_tokens, utf16_len,
};
use recallite::{EventKind, Timestamp};
use serde_json::{Value, json};

use super::Runner;
use super::compare::{equal, list, text};

/// The vector files of this module.
pub const FILES: &[(&str, Runner)] = &[
    ("matcher_score", |i, e| {
        let parts = MatchParts {
            semantic: number(i, "semantic"),
            lexical: number(i, "fts"),
            age_days: number(i, "recency_days"),
            is_active: i["is_active"].as_bool().unwrap_or(true),
        };
        equal(&json!(match_score(&parts)), e)
    }),
    ("matcher_classify", |i, e| {
        let class = match i["top"].as_f64() {
            Some(top) => classify(top, i["second"].as_f64()),
            None => match_list(&[]).match_class,
        };
        equal(&json!(class.as_str()), e)
    }),
    ("matcher_list", matcher_list),
    ("token_estimate", |i, e| {
        let items = i["items"].as_u64().unwrap_or(0) as usize;
        let tokens = match i["layer"].as_str() {
            None => estimate_tokens(text(i, "text")),
            Some("layer1") => items * INDEX_ITEM_TOKENS,
            Some("layer2") => items * TIMELINE_ITEM_TOKENS,
            Some(other) => return Err(format!("unknown layer {other}")),
        };
        equal(&json!(tokens), e)
    }),
    ("summary_preview", summary_preview),
    ("expansion_decision", expansion),
    ("expansion_budget", budget),
    ("retriever_context", retriever_context),
    ("citation_context_inline", citation_context),
    ("session_summary_text", |i, e| {
        let events = list(i, "events")
            .map(|event| {
                Ok(SpokenEvent {
                    kind: kind(event)?,
                    content: text(event, "content").to_owned(),
                })
            })
            .collect::<Result<Vec<_>, String>>()?;
        equal(&json!(session_summary_text(&events, Shown::Raw)), e)
    }),
];

fn number(input: &Value, name: &str) -> f64 {
    input[name].as_f64().unwrap_or(0.0)
}

fn kind(event: &Value) -> Result<EventKind, String> {
    text(event, "event_type")
        .parse()
        .map_err(|e: recallite::Error| e.to_string())
}

fn timestamp(memory: &Value) -> Result<Timestamp, String> {
    text(memory, "timestamp")
        .parse()
        .map_err(|e: recallite::Error| e.to_string())
}

/// The ids and scores of a scored list.
fn scored<'a>(input: &'a Value, name: &str) -> (Vec<&'a str>, Vec<f64>) {
    list(input, name)
        .map(|item| (text(item, "id"), number(item, "score")))
        .unzip()
}

fn matcher_list(input: &Value, expected: &Value) -> Result<(), String> {
    let (ids, scores) = scored(input, "candidates");
    let found = match_list(&scores);
    let alternatives: Vec<&str> = found.alternatives.iter().map(|&i| ids[i]).collect();
    let got = json!({
        "match": found.matched.map(|i| ids[i]),
        "confidence": found.match_class.as_str(),
        "gap": found.gap,
        "alternatives": alternatives,
    });
    equal(&got, expected)
}

fn summary_preview(input: &Value, expected: &Value) -> Result<(), String> {
    let content = text(input, "content");
    let short = match text(input, "kind") {
        "summary" => summary(content),
        "preview" => preview(content),
        other => return Err(format!("unknown kind {other}")),
    };
    let length = utf16_len(&short) as u64;
    let checks = [
        expected["equals"].as_str().is_none_or(|e| e == short),
        expected["max_utf16"]
            .as_u64()
            .is_none_or(|max| length <= max),
        expected["non_empty"].as_bool() != Some(true) || !short.is_empty(),
        expected["single_line"].as_bool() != Some(true) || !short.contains(['\n', '\r']),
    ];
    if checks.iter().all(|&ok| ok) {
        Ok(())
    } else {
        Err(format!("{short:?} is not {expected}"))
    }
}

fn expansion(input: &Value, expected: &Value) -> Result<(), String> {
    let (ids, scores) = scored(input, "results");
    let decision = expansion_decision(&scores);
    let targets: Vec<&str> = decision.targets.iter().map(|&i| ids[i]).collect();
    let mut got = json!({
        "expand": decision.is_expansion(),
        "reason": decision.reason.as_str(),
    });
    // The vectors name the layers only if one of them is omitted.
    for (name, value) in [
        ("ids", json!(targets)),
        ("expand_timeline", json!(decision.expands_timeline)),
        ("expand_details", json!(decision.expands_details)),
    ] {
        if expected.get(name).is_some() {
            got[name] = value;
        }
    }
    if !decision.is_expansion() && !targets.is_empty() {
        return Err("targets without an expansion".to_owned());
    }
    equal(&got, expected)
}

fn budget(input: &Value, expected: &Value) -> Result<(), String> {
    let (ids, scores) = scored(input, "items");
    let whole = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let plan = plan_expansion(
        &scores,
        whole(&input["budget"]),
        whole(&input["index_tokens"]),
        |i| whole(&input["timeline_tokens"][ids[i]]),
        |i| whole(&input["detail_tokens"][ids[i]]),
    );
    let details: Vec<&str> = plan.details_for.iter().map(|&i| ids[i]).collect();
    let got = json!({
        "timeline_for": plan.timeline_for.map(|i| ids[i]),
        "details_for": details,
        "used_tokens": plan.used_tokens,
    });
    equal(&got, expected)
}

fn retriever_context(input: &Value, expected: &Value) -> Result<(), String> {
    let memories = list(input, "memories")
        .map(|memory| {
            Ok(ContextMemory {
                kind: kind(memory)?,
                content: text(memory, "content").to_owned(),
                timestamp: timestamp(memory)?,
                score: number(memory, "score"),
                session_context: memory["session_context"].as_str().map(str::to_owned),
            })
        })
        .collect::<Result<Vec<_>, String>>()?;
    let max_tokens = input["max_tokens"].as_u64().unwrap_or(2000) as usize;
    equal(
        &json!(format_context(&memories, max_tokens, Shown::Raw)),
        expected,
    )
}

fn citation_context(input: &Value, expected: &Value) -> Result<(), String> {
    let memories = list(input, "memories")
        .map(|memory| {
            Ok(CitedMemory {
                content: text(memory, "content").to_owned(),
                citation: text(memory, "citation_id").to_owned(),
                timestamp: timestamp(memory)?,
                session: text(memory, "session_id").to_owned(),
            })
        })
        .collect::<Result<Vec<_>, String>>()?;
    equal(
        &json!(citation_block(
            &memories,
            CitationFormat::Inline,
            Shown::Raw
        )),
        expected,
    )
}
