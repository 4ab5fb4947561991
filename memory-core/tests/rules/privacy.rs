//! Conformance of private tags, secret patterns and the privacy filter.

use recallite::Json;
use recallite::privacy::{
    Marker, PrivacyConfig, PrivacyFilter, SecretKeys, TagFormat, TextLength, mask_tool_input,
    mask_word_patterns, remove_private_sections,
};
use serde_json::{Value, json};

fn compare(actual: &Value, expected: &Value) -> Result<(), String> {
    if actual == expected {
        Ok(())
    } else {
        Err(format!("gave {actual}, expected {expected}"))
    }
}

fn formats(value: &Value) -> Vec<TagFormat> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str()?.parse().ok())
        .collect()
}

fn marker(value: &Value) -> Marker {
    value
        .as_str()
        .unwrap_or("[PRIVATE]")
        .parse()
        .expect("a known marker")
}

pub fn private_tags(input: &Value, expected: &Value) -> Result<(), String> {
    let removed = remove_private_sections(
        input["text"].as_str().unwrap_or_default(),
        &formats(&input["formats"]),
        marker(&input["marker"]),
        input["preserve_line_count"].as_bool().unwrap_or(false),
    );
    compare(
        &json!({
            "content": removed.text,
            "private_count": removed.private_count,
            "has_private_sections": removed.private_count > 0,
        }),
        expected,
    )
}

/// The vectors pin the specification's own patterns, so this library's additional ones are
/// disabled.
pub fn privacy_filter(input: &Value, expected: &Value) -> Result<(), String> {
    let given = &input["config"];
    let tags = &given["privateTags"];
    let mut config = PrivacyConfig::default()
        .auto_detect(false)
        .code_aware(false);
    if let Some(patterns) = given["excludePatterns"].as_array() {
        config.exclude_patterns = patterns
            .iter()
            .filter_map(|p| p.as_str().map(str::to_owned))
            .filter(|pattern| is_usable(pattern))
            .collect();
    }
    config.private_tags = tags["enabled"].as_bool().unwrap_or(true);
    config.marker = marker(&tags["marker"]);
    config.preserve_line_count = tags["preserveLineCount"].as_bool().unwrap_or(false);
    if tags["supportedFormats"].is_array() {
        config.formats = formats(&tags["supportedFormats"]);
    }
    let text = input["text"].as_str().unwrap_or_default();
    let filter = PrivacyFilter::new(config).map_err(|e| e.to_string())?;
    let filtered = filter.text_with_exact_tags(text);
    let lengths = |text: &str| {
        let length = TextLength::of(text);
        json!({"utf16": length.utf16, "chars": length.chars, "bytes": length.bytes})
    };
    compare(
        &json!({
            "content": filtered.text.as_str(),
            "privacy": {
                "hasPrivateSections": filtered.report.private_count > 0,
                "privateCount": filtered.report.private_count,
                "originalLength": lengths(text),
                "filteredLength": lengths(filtered.text.as_str()),
            },
            "pattern_match_count": filtered.report.secret_count,
        }),
        expected,
    )
}

/// The specification skips a pattern that is no regular expression. This library refuses the whole
/// configuration, so that no host relies on a pattern that masks nothing.
fn is_usable(pattern: &str) -> bool {
    let alone = PrivacyConfig::default().exclude_patterns([pattern.to_owned()]);
    PrivacyFilter::new(alone).is_ok()
}

#[test]
fn a_pattern_that_is_no_regular_expression_is_left_out() {
    let config = json!({"excludePatterns": ["(", "pin"]});
    let lengths = |n: usize| json!({"utf16": n, "chars": n, "bytes": n});
    let expected = json!({
        "content": "[REDACTED]",
        "privacy": {"hasPrivateSections": false, "privateCount": 0,
            "originalLength": lengths(5), "filteredLength": lengths(10)},
        "pattern_match_count": 1,
    });
    let input = json!({"text": "pin=1", "config": config});
    assert_eq!(privacy_filter(&input, &expected), Ok(()));
}

pub fn secret_masking(input: &Value, expected: &Value) -> Result<(), String> {
    let masked = mask_word_patterns(input["text"].as_str().unwrap_or_default());
    compare(
        &json!({"text": masked.text, "match_count": masked.secret_count}),
        expected,
    )
}

pub fn mask_input(input: &Value, expected: &Value) -> Result<(), String> {
    let input = Json::parse("input", &input.to_string()).map_err(|e| e.to_string())?;
    let masked = mask_tool_input(&input, SecretKeys::Substring);
    let actual = serde_json::from_str(masked.input.as_str()).map_err(|e| e.to_string())?;
    compare(&actual, expected)
}
