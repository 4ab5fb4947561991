//! Filters whole events: every text of an event that reaches the log passes through here,
//! and the log accepts nothing else.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::filter::{Clean, Filtered, PrivacyFilter, head_of_clean};
use super::names::{MASKED_NAME_WARNING, NAME_LIMIT};
use super::scanned::visit;
use super::tool_input::{Numbers, SecretKeys, mask_value};
use super::words::REDACTED;
use crate::model::error::{Error, Result};
use crate::model::event::{Dedupe, EventKind, NewEvent, Origin, PrivacyReport, ToolUse};
use crate::model::json::{Json, canonical_text};
use crate::model::time::Timestamp;
use crate::text::tool::{
    FilteredCall, TRUNCATED, ToolLimits, kept_output, succeeded, tool_content, tool_metadata,
};

/// An event with all texts filtered: the input of an append.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CleanEvent {
    pub(crate) kind: EventKind,
    /// A name, masked earlier.
    pub(crate) session: String,
    /// A name, masked earlier.
    pub(crate) project: Option<String>,
    pub(crate) actor: Option<Clean>,
    pub(crate) origin: Option<Origin>,
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) content: Clean,
    /// The text of a JSON object.
    pub(crate) metadata: Option<Clean>,
    pub(crate) dedupe: Dedupe,
    /// See [`NewEvent::stays_forgotten`].
    pub(crate) stays_forgotten: bool,
    pub(crate) tool: Option<CleanTool>,
    /// The sum over all texts of the event.
    pub(crate) privacy: PrivacyReport,
    /// How many bytes of tool output were cut off, after filtering.
    pub(crate) truncated_bytes: u64,
    pub(crate) warnings: Vec<String>,
}

impl CleanEvent {
    /// How many bytes of text it has; names are short.
    pub(crate) fn text_len(&self) -> usize {
        let tool = self.tool.as_ref().map_or(0, |tool| {
            let optional = [&tool.input, &tool.error].into_iter().flatten();
            let texts = optional.chain([&tool.output, &tool.metadata]);
            texts.map(|text| text.as_str().len()).sum()
        });
        let metadata = self.metadata.as_ref().map_or(0, |text| text.as_str().len());
        self.content.as_str().len() + metadata + tool
    }

    /// Adds one of the library's own fields to the metadata, unless the caller supplied one
    /// of that name.
    pub(crate) fn note(&mut self, name: &str, id: &str) {
        let known = self.metadata.as_ref().map(AsRef::as_ref);
        let Ok(Value::Object(mut fields)) = serde_json::from_str(known.unwrap_or("{}")) else {
            return;
        };
        fields.entry(name).or_insert_with(|| id.into());
        let text = canonical_text(&Value::Object(fields));
        self.metadata = Some(Clean::made_of_clean_parts(text));
    }

    /// Counts what was removed from a name of the event, and warns about it.
    pub(crate) fn count_name(&mut self, report: &PrivacyReport) {
        let all = &mut self.privacy;
        all.private_count = all.private_count.saturating_add(report.private_count);
        all.secret_count = all.secret_count.saturating_add(report.secret_count);
        all.anonymized_count = all.anonymized_count.saturating_add(report.anonymized_count);
        if !self.warnings.iter().any(|w| w == MASKED_NAME_WARNING) {
            self.warnings.push(MASKED_NAME_WARNING.to_owned());
        }
    }
}

/// The filtered parts of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CleanTool {
    pub(crate) name: Clean,
    /// JSON text.
    pub(crate) input: Option<Clean>,
    /// Cut to the limits.
    pub(crate) output: Clean,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) success: bool,
    pub(crate) error: Option<Clean>,
    pub(crate) prompt_index: Option<u32>,
    pub(crate) tool_index: Option<u32>,
    /// JSON object text derived from the call.
    pub(crate) metadata: Clean,
}

/// Sums up what the filter did to the parts of one event.
struct Parts<'f> {
    filter: &'f PrivacyFilter,
    report: PrivacyReport,
    warnings: Vec<String>,
}

impl Parts<'_> {
    fn add(&mut self, filtered: Filtered, measured: bool) -> Clean {
        let report = filtered.report;
        self.count(
            report.private_count,
            report.secret_count,
            report.anonymized_count,
        );
        if measured {
            self.measure(report.original_bytes, report.filtered_bytes);
        }
        for warning in filtered.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        filtered.text
    }

    fn count(&mut self, private: u32, secret: u32, anonymized: u32) {
        let report = &mut self.report;
        report.private_count = report.private_count.saturating_add(private);
        report.secret_count = report.secret_count.saturating_add(secret);
        report.anonymized_count = report.anonymized_count.saturating_add(anonymized);
    }

    fn measure(&mut self, original: u64, filtered: u64) {
        self.report.original_bytes = self.report.original_bytes.saturating_add(original);
        self.report.filtered_bytes = self.report.filtered_bytes.saturating_add(filtered);
    }

    /// A text whose length is counted.
    fn text(&mut self, text: &str) -> Clean {
        let filtered = self.filter.text(text);
        self.add(filtered, true)
    }

    /// A text whose length is not counted.
    fn name(&mut self, text: &str) -> Clean {
        let filtered = self.filter.text(text);
        self.add(filtered, false)
    }

    /// A name: what masks make longer is cut to the limit of names.
    fn short_name(&mut self, text: &str) -> Clean {
        let clean = self.name(text);
        match clean.len() > NAME_LIMIT {
            true => {
                Clean::made_of_clean_parts(head_of_clean(clean.as_str(), NAME_LIMIT).to_owned())
            }
            false => clean,
        }
    }

    /// The metadata of an event. Numbers in what the library records are its own: times and
    /// positions.
    fn metadata(&mut self, json: &Json, kind: EventKind) -> Value {
        match kind.is_appendable() {
            true => self.json(json),
            false => self.json_with(json, Numbers::Kept),
        }
    }

    fn json(&mut self, json: &Json) -> Value {
        let numbers = match self.filter.reaches_numbers() {
            true => Numbers::Filtered,
            false => Numbers::Kept,
        };
        self.json_with(json, numbers)
    }

    fn json_with(&mut self, json: &Json, numbers: Numbers) -> Value {
        let mut value = json.to_value();
        let keys = if self.filter.config().code_aware {
            SecretKeys::Words
        } else {
            SecretKeys::Substring
        };
        let mut masked = 0;
        mask_value(&mut value, keys, numbers, &mut masked, &mut |text| {
            self.name(text).into_string()
        });
        rename_keys(&mut value, &mut |name| self.name(name).into_string());
        self.count(0, masked, 0);
        self.measure(json.as_str().len() as u64, value.to_string().len() as u64);
        value
    }
}

/// Object keys are text too.
fn rename_keys(value: &mut Value, filter: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rename_keys(item, filter)),
        Value::Object(fields) => {
            let mut masked = Vec::new();
            for (name, mut field) in std::mem::take(fields) {
                rename_keys(&mut field, filter);
                let clean = filter(&name);
                match clean == name {
                    true => {
                        fields.insert(name, field);
                    }
                    false => masked.push((clean, field)),
                }
            }
            insert_masked(fields, masked);
        }
        _ => {}
    }
}

/// Adds fields whose names were masked. Different names masked alike must not become one field,
/// so they are numbered: `[REDACTED]`, `[REDACTED]~2`, `[REDACTED]~3`. Each number is tried once,
/// which keeps the work linear in the number of fields.
fn insert_masked(fields: &mut Map<String, Value>, masked: Vec<(String, Value)>) {
    let mut last_numbers: HashMap<String, u64> = HashMap::new();
    for (clean, field) in masked {
        let number = last_numbers.entry(clean.clone()).or_default();
        let name = loop {
            *number += 1;
            let name = match *number {
                1 => clean.clone(),
                number => format!("{clean}~{number}"),
            };
            visit(name.len());
            if !fields.contains_key(&name) {
                break name;
            }
        };
        fields.insert(name, field);
    }
}

impl PrivacyFilter {
    /// Filters every text of an event: content, actor, metadata, and the name, input,
    /// output and error of a tool call. Output is filtered before it is cut to the limits,
    /// so that no secret is split and missed. Empty content is made from the tool call.
    ///
    /// # Errors
    /// `invalid_argument` naming `metadata` if it is not a JSON object.
    pub(crate) fn clean_event(&self, event: NewEvent, limits: &ToolLimits) -> Result<CleanEvent> {
        let mut parts = Parts {
            filter: self,
            report: PrivacyReport::default(),
            warnings: Vec::new(),
        };
        let mut content = parts.text(&event.content);
        let actor = event.actor.as_deref().map(|actor| parts.short_name(actor));
        let metadata = match &event.metadata {
            None => None,
            Some(json) => match parts.metadata(json, event.kind) {
                object @ Value::Object(_) => {
                    Some(Clean::made_of_clean_parts(canonical_text(&object)))
                }
                _ => return Err(Error::invalid("metadata", "must be a JSON object")),
            },
        };
        let mut truncated_bytes = 0;
        let tool = event.tool.map(|tool| {
            let (tool, made, cut_bytes) = clean_tool(&mut parts, &tool, limits, content.is_empty());
            truncated_bytes = cut_bytes;
            if let Some(made) = made {
                content = made;
            }
            tool
        });
        Ok(CleanEvent {
            kind: event.kind,
            session: event.session,
            project: event.project,
            actor,
            origin: event.origin,
            timestamp: event.timestamp,
            content,
            metadata,
            dedupe: event.dedupe,
            stays_forgotten: event.stays_forgotten,
            tool,
            privacy: parts.report,
            truncated_bytes,
            warnings: parts.warnings,
        })
    }
}

/// Payload fields that the library fills with identities derived from filtered texts. If a
/// pattern masked part of them, two items could become one.
fn is_identity(name: &str) -> bool {
    name.ends_with("_id")
        || name.ends_with("_hash")
        || matches!(
            name,
            "canonical_key" | "project" | "session" | "home_session" | "key" | "extraction_key"
        )
}

fn filter_strings(value: &mut Value, filter: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::String(text) => *text = filter(text),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| filter_strings(item, filter)),
        Value::Object(fields) => {
            for (name, field) in fields {
                if !is_identity(name) || !field.is_string() {
                    filter_strings(field, filter);
                }
            }
        }
        _ => {}
    }
}

impl PrivacyFilter {
    /// Filters an event that the library records about itself. Its field names are the
    /// library's own, so only values are filtered, and identities are kept.
    pub(crate) fn clean_system_event(
        &self,
        kind: EventKind,
        session: String,
        content: &str,
        mut payload: Value,
        dedupe: Dedupe,
    ) -> CleanEvent {
        let mut parts = Parts {
            filter: self,
            report: PrivacyReport::default(),
            warnings: Vec::new(),
        };
        let content = parts.name(content);
        filter_strings(&mut payload, &mut |text| parts.name(text).into_string());
        CleanEvent {
            kind,
            session,
            project: None,
            actor: None,
            origin: Some(Origin::System),
            timestamp: None,
            content,
            metadata: Some(Clean::made_of_clean_parts(canonical_text(&payload))),
            dedupe,
            stays_forgotten: false,
            tool: None,
            // What was filtered was counted with the texts it came from.
            privacy: PrivacyReport::default(),
            truncated_bytes: 0,
            warnings: parts.warnings,
        }
    }

    /// Filters a JSON object that a caller attached to something.
    pub(crate) fn clean_json(&self, json: &Json) -> Json {
        let mut parts = Parts {
            filter: self,
            report: PrivacyReport::default(),
            warnings: Vec::new(),
        };
        Json::from_value(&parts.json(json))
    }
}

/// The filtered call, the content made from it if wanted, and how many bytes of output were
/// cut off.
fn clean_tool(
    parts: &mut Parts<'_>,
    tool: &ToolUse,
    limits: &ToolLimits,
    wants_content: bool,
) -> (CleanTool, Option<Clean>, u64) {
    let mut name = parts.short_name(&tool.name);
    if name.as_str().trim().is_empty() {
        // A call always has a name.
        name = Clean::made_of_clean_parts(REDACTED.to_owned());
    }
    let input = tool.input.as_ref().map(|input| parts.json(input));
    let whole = parts.text(&tool.output);
    let error = tool.error.as_deref();
    let error = error.filter(|error| !error.trim().is_empty());
    let error = error.map(|error| parts.text(error));
    let success = succeeded(tool);
    let input_json = input.as_ref().map(Json::from_value);
    // Counts describe what the tool returned, so they are taken before the cut.
    let metadata = tool_metadata(name.as_str(), input_json.as_ref(), whole.as_str(), success);
    let output = kept_output(name.as_str(), whole.as_str(), success, limits).into_owned();
    let markers = output.matches(TRUNCATED).count() * TRUNCATED.len();
    let kept = output.len().saturating_sub(markers);
    let truncated_bytes = if output.len() == whole.len() && output == whole.as_str() {
        0
    } else {
        whole.len().saturating_sub(kept).max(1) as u64
    };
    let content = wants_content.then(|| {
        let call = FilteredCall {
            tool_name: name.as_str(),
            input: input.as_ref().unwrap_or(&Value::Null),
            metadata: &metadata,
            output: &output,
            error: error.as_ref().map(Clean::as_str),
            success,
        };
        Clean::made_of_clean_parts(tool_content(&call, limits))
    });
    let clean = CleanTool {
        name,
        input: input_json.map(|json| Clean::made_of_clean_parts(json.as_str().to_owned())),
        output: Clean::made_of_clean_parts(output),
        duration_ms: tool.duration_ms,
        success,
        error,
        prompt_index: tool.prompt_index,
        tool_index: tool.tool_index,
        metadata: Clean::made_of_clean_parts(metadata.as_str().to_owned()),
    };
    (clean, content, truncated_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{PrivacyConfig, scanned};
    use serde_json::json;

    const SECRET: &str = "q8Zr2LwX9vTn4KpB";

    fn clean(event: NewEvent) -> CleanEvent {
        PrivacyFilter::default()
            .clean_event(event, &ToolLimits::default())
            .unwrap()
    }

    #[test]
    fn no_text_of_an_event_escapes_the_filter() {
        let leak = || format!("password={SECRET}");
        let mut event = NewEvent::new(EventKind::ToolObservation, "s", leak())
            .actor(leak())
            .metadata(Json::from_value(
                &json!({"a": [leak()], (leak()): 1, "token": SECRET}),
            ));
        event.tool = Some(ToolUse {
            name: leak(),
            input: Some(Json::from_value(
                &json!({"x": {"y": [leak()]}, "password": SECRET}),
            )),
            output: leak(),
            error: Some(leak()),
            ..ToolUse::default()
        });
        let event = clean(event);
        assert!(!format!("{event:?}").contains(SECRET), "{event:?}");
        assert_eq!(event.privacy.secret_count, 10);
    }

    #[test]
    fn settings_reach_numbers_as_they_reach_strings() {
        let arguments = || json!({"card": 4111111111111111u64, "lines": [12, 1.5], "retries": 3});
        let input = |config: PrivacyConfig| {
            let mut event = NewEvent::tool("s", ToolUse::default());
            let tool = event.tool.as_mut().unwrap();
            tool.name = "pay".into();
            tool.input = Some(Json::from_value(&arguments()));
            let filter = PrivacyFilter::new(config).unwrap();
            let event = filter.clean_event(event, &ToolLimits::default()).unwrap();
            let masked = event.privacy.secret_count + event.privacy.anonymized_count;
            let text = event.tool.unwrap().input.unwrap().into_string();
            let is_shown = event.content.as_str().contains("4111");
            assert!(!is_shown || text.contains("4111"));
            (masked, serde_json::from_str::<Value>(&text).unwrap())
        };
        let kept = (0, arguments());
        assert_eq!(input(PrivacyConfig::default()), kept);
        let patterns = |is_on: bool| PrivacyConfig {
            auto_detect: is_on,
            auto_detect_patterns: vec![r"\d{16}".into()],
            ..PrivacyConfig::default()
        };
        assert_eq!(input(patterns(false)), kept);
        let mut masked = arguments();
        masked["card"] = "[REDACTED]".into();
        assert_eq!(input(patterns(true)), (1, masked));
        let numbers = json!({"hotline": 1588.1234, "line": 8443});
        let mut event = NewEvent::new(EventKind::UserPrompt, "s", "call me");
        event.metadata = Some(Json::from_value(&numbers));
        let filter = PrivacyFilter::new(PrivacyConfig {
            anonymize: true,
            ..PrivacyConfig::default()
        });
        let clean = filter.unwrap().clean_event(event, &ToolLimits::default());
        assert_eq!(
            clean.unwrap().metadata.unwrap().as_str(),
            r#"{"hotline":"[PHONE]","line":8443}"#
        );
    }

    #[test]
    fn content_of_a_tool_call_is_readable_text() {
        let event = clean(NewEvent::tool(
            "s",
            ToolUse {
                name: "Bash".into(),
                input: Some(Json::from_value(
                    &json!({"command": "mysql --password tiger1 x", "description": "표를 본다"}),
                )),
                output: "ok".into(),
                ..ToolUse::default()
            },
        ));
        assert_eq!(
            event.content.as_str(),
            "Tool: Bash\nCommand: mysql --password [REDACTED] x\nResult: Success\ndescription: 표를 본다\n\nok"
        );
        let metadata = event.tool.unwrap().metadata.into_string();
        assert!(metadata.contains("\"exitCode\":0"), "{metadata}");
    }

    #[test]
    fn output_is_filtered_before_it_is_cut() {
        let output = format!("{}token={SECRET}{}", "x ".repeat(2496), " y".repeat(4000));
        let event = clean(NewEvent::tool(
            "s",
            ToolUse {
                name: "Bash".into(),
                output,
                ..ToolUse::default()
            },
        ));
        let tool = event.tool.unwrap();
        assert!(!tool.output.as_str().contains("q8Zr"));
        assert!(event.truncated_bytes > 0);
        assert_eq!(event.content.as_str().matches("TRUNCATED").count(), 1);
    }

    #[test]
    fn whole_output_is_kept_when_asked_for() {
        let output = "line\n".repeat(500);
        let event = NewEvent::tool(
            "s",
            ToolUse {
                name: "Bash".into(),
                output: output.clone(),
                ..ToolUse::default()
            },
        );
        let limits = ToolLimits {
            keep_whole_output: true,
            ..ToolLimits::default()
        };
        let event = PrivacyFilter::default()
            .clean_event(event, &limits)
            .unwrap();
        assert_eq!(event.tool.unwrap().output.as_str(), output);
        assert_eq!(event.truncated_bytes, 0);
    }

    #[test]
    fn names_masked_alike_stay_different_fields() {
        let metadata = json!({
            "<private>a</private>": 1,
            "<private>b</private>": 2,
            "[PRIVATE]": 3,
            "[PRIVATE]~2": 4,
            "plain": 5,
        });
        let event =
            NewEvent::new(EventKind::UserPrompt, "s", "x").metadata(Json::from_value(&metadata));
        assert_eq!(
            clean(event).metadata.unwrap().as_str(),
            r#"{"[PRIVATE]":3,"[PRIVATE]~2":4,"[PRIVATE]~3":1,"[PRIVATE]~4":2,"plain":5}"#
        );
    }

    #[test]
    fn names_masked_alike_take_linear_work_and_space() {
        let measured = |count: usize| {
            let fields: Map<String, Value> = (0..count)
                .map(|i| (format!("<private>{i:06}</private>"), json!(0)))
                .collect();
            let json = Json::from_value(&Value::Object(fields));
            let size = json.as_str().len();
            scanned::reset();
            let cleaned = PrivacyFilter::default().clean_json(&json);
            assert!(cleaned.as_str().len() <= size);
            let kept: Map<String, Value> = serde_json::from_str(cleaned.as_str()).unwrap();
            assert_eq!(kept.len(), count);
            scanned::count()
        };
        let (few, many) = (measured(10_000), measured(100_000));
        assert!(many < 11 * few, "{few} -> {many}");
    }

    #[test]
    fn metadata_that_is_no_object_is_refused() {
        let event =
            NewEvent::new(EventKind::UserPrompt, "s", "x").metadata(Json::from_value(&json!([1])));
        let error = PrivacyFilter::default()
            .clean_event(event, &ToolLimits::default())
            .unwrap_err();
        assert_eq!(error.argument(), Some("metadata"));
    }
}
