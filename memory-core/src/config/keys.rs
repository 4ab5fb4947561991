//! Defines every key of the settings file: its values, the library's default, and where it
//! takes effect.

use serde_json::Value;

use Effect::{Alone, Command, Opening, Store};
use Shape::{Flag, Number, OneOf, Text, Texts, TextsOf, Whole};

/// The values that a key accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Flag,
    /// A whole number with its minimum and maximum.
    Whole(u64, u64),
    /// A number with its minimum and maximum.
    Number(f64, f64),
    Text,
    OneOf(&'static [&'static str]),
    Texts,
    TextsOf(&'static [&'static str]),
}

/// Where a key takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// When a memory is opened; with the option that overrides the key, if there is one.
    Opening(Option<&'static str>),
    /// In the store, for every process.
    Store,
    /// Only in the command `recallite`.
    Command,
    /// Nowhere: only the value that matches the library's fixed behaviour is accepted. That
    /// value as JSON, and what to do instead.
    Alone(&'static str, &'static str),
}

/// A key of the settings file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// Its sections and name, separated by dots.
    pub(crate) path: &'static str,
    pub(crate) shape: Shape,
    pub(crate) effect: Effect,
    /// The library's default as JSON where it differs from the reference; `null` if it has
    /// none.
    pub(crate) ours: Option<&'static str>,
}

/// From 0 to 1.
const SHARE: Shape = Number(0.0, 1.0);
/// As many as there may be.
const COUNT: Shape = Whole(1, 1_000_000);
/// Milliseconds up to a year.
const TIME_MS: Shape = Whole(1, 31_536_000_000);

const OPENING: Effect = Opening(None);
const PRIVACY: Effect = Opening(Some("privacy"));
const POLICY: Effect = Opening(Some("tool_policy"));
const LIMITS: Effect = Opening(Some("tool_limits"));
const EMBEDDER: Effect = Opening(Some("embedder"));

const fn key(path: &'static str, shape: Shape, effect: Effect) -> Key {
    Key {
        path,
        shape,
        effect,
        ours: None,
    }
}

impl Key {
    const fn ours(mut self, value: &'static str) -> Key {
        self.ours = Some(value);
        self
    }
}

/// What to use instead of an estimated size.
const COUNTED: &str = "tokens are counted, not estimated; use progressiveDisclosure.tokenBudget.\
                       maxTotalTokens";

/// Every key, in the order of the specification.
pub(crate) const KEYS: &[Key] = &[
    key("storage.path", Text, Command).ours("null"),
    key(
        "storage.maxSizeMB",
        Whole(1, 1_000_000_000),
        Opening(Some("quota_bytes")),
    ),
    key("embedding.provider", OneOf(&["local", "openai"]), EMBEDDER),
    key("embedding.model", Text, EMBEDDER).ours("null"),
    key("embedding.openaiModel", Text, EMBEDDER).ours("null"),
    key("embedding.batchSize", Whole(1, 1_024), OPENING).ours("64"),
    key("retrieval.topK", Whole(1, 64), OPENING).ours("null"),
    key("retrieval.minScore", SHARE, OPENING).ours("null"),
    key("retrieval.maxTokens", COUNT, OPENING),
    key("matching.minCombinedScore", SHARE, OPENING).ours("null"),
    key("matching.minGap", SHARE, OPENING).ours("null"),
    key("matching.suggestionThreshold", SHARE, OPENING).ours("null"),
    key("matching.weights.semanticSimilarity", SHARE, OPENING),
    key("matching.weights.ftsScore", SHARE, OPENING),
    key("matching.weights.recencyBonus", SHARE, OPENING),
    key("matching.weights.statusWeight", SHARE, OPENING),
    key("privacy.excludePatterns", Texts, PRIVACY),
    key("privacy.anonymize", Flag, PRIVACY),
    key("privacy.privateTags.enabled", Flag, PRIVACY),
    key(
        "privacy.privateTags.marker",
        OneOf(&["[PRIVATE]", "[REDACTED]", ""]),
        PRIVACY,
    ),
    key("privacy.privateTags.preserveLineCount", Flag, PRIVACY),
    key(
        "privacy.privateTags.supportedFormats",
        TextsOf(&["xml", "bracket", "comment"]),
        PRIVACY,
    ),
    key("privacy.autoDetect.enabled", Flag, PRIVACY),
    key("privacy.autoDetect.patterns", Texts, PRIVACY),
    key("toolObservation.enabled", Flag, POLICY),
    key("toolObservation.excludedTools", Texts, POLICY).ours("[]"),
    key(
        "toolObservation.maxOutputLength",
        Whole(0, 268_435_456),
        LIMITS,
    ),
    key(
        "toolObservation.maxOutputLines",
        Whole(0, 268_435_456),
        LIMITS,
    ),
    key("toolObservation.storeOnlyOnSuccess", Flag, POLICY),
    key("features.autoSave", Flag, Command),
    key("features.sessionSummary", Flag, Command).ours("false"),
    key("features.insightExtraction", Flag, OPENING),
    key("features.crossProjectLearning", Flag, OPENING),
    key(
        "features.singleWriterMode",
        Flag,
        Alone("true", "a store always has one writer at a time"),
    ),
    key("mode", OneOf(&["session", "endless"]), Store),
    key("endless.enabled", Flag, Store),
    key("endless.workingSet.maxEvents", Whole(1, 10_000), Store),
    key(
        "endless.workingSet.timeWindowHours",
        Whole(1, 87_600),
        Store,
    ),
    key("endless.workingSet.minRelevanceScore", SHARE, Store),
    key("endless.consolidation.triggerIntervalMs", TIME_MS, Store),
    key("endless.consolidation.triggerEventCount", COUNT, Store),
    key("endless.consolidation.triggerIdleMs", TIME_MS, Store),
    key("endless.consolidation.useLLMSummarization", Flag, Store),
    key("endless.continuity.minScoreForSeamless", SHARE, Store),
    key(
        "endless.continuity.topicDecayHours",
        Number(0.001, 87_600.0),
        Store,
    )
    .ours("24.0"),
    key("endless.continuity.topicWeight", SHARE, Store),
    key("endless.continuity.fileWeight", SHARE, Store),
    key("endless.continuity.timeWeight", SHARE, Store),
    key("endless.continuity.entityWeight", SHARE, Store),
    key("endless.continuity.minScoreForTopicShift", SHARE, Store),
    key("progressiveDisclosure.enabled", Flag, OPENING),
    key(
        "progressiveDisclosure.layer1.topK",
        Whole(1, 1_000),
        OPENING,
    ),
    key("progressiveDisclosure.layer1.minScore", SHARE, OPENING).ours("0.0"),
    key("progressiveDisclosure.autoExpand.enabled", Flag, OPENING),
    key(
        "progressiveDisclosure.autoExpand.highConfidenceThreshold",
        SHARE,
        OPENING,
    ),
    key(
        "progressiveDisclosure.autoExpand.scoreGapThreshold",
        SHARE,
        OPENING,
    ),
    key(
        "progressiveDisclosure.autoExpand.maxAutoExpandCount",
        Whole(0, 1_000),
        OPENING,
    ),
    key(
        "progressiveDisclosure.tokenBudget.maxTotalTokens",
        COUNT,
        OPENING,
    ),
    key(
        "progressiveDisclosure.tokenBudget.layer1PerItem",
        COUNT,
        Alone("50", COUNTED),
    )
    .ours("null"),
    key(
        "progressiveDisclosure.tokenBudget.layer2PerItem",
        COUNT,
        Alone("40", COUNTED),
    )
    .ours("null"),
    key(
        "progressiveDisclosure.tokenBudget.layer3PerItem",
        COUNT,
        Alone("500", COUNTED),
    )
    .ours("null"),
    key("progressiveDisclosure.cache.layer1Ttl", TIME_MS, OPENING),
    key("progressiveDisclosure.cache.layer1MaxSize", COUNT, OPENING),
    key("progressiveDisclosure.cache.layer2Ttl", TIME_MS, OPENING),
    key("progressiveDisclosure.cache.layer2MaxSize", COUNT, OPENING),
    key("progressiveDisclosure.cache.layer3Ttl", TIME_MS, OPENING),
    key("progressiveDisclosure.cache.layer3MaxSize", COUNT, OPENING),
    key("citations.enabled", Flag, OPENING),
    key("citations.idLength", Whole(6, 8), OPENING),
    key("citations.includeInContext", Flag, OPENING),
    key("citations.trackUsage", Flag, OPENING),
    key(
        "citations.format",
        OneOf(&["inline", "footnote", "reference"]),
        OPENING,
    ),
    key("outbox.batchSize", Whole(1, 1_024), OPENING).ours("50"),
    key(
        "outbox.pollIntervalMs",
        TIME_MS,
        Alone(
            "1000",
            "nothing runs in the background; call maintain() as often as you like",
        ),
    )
    .ours("null"),
    key("outbox.maxRetries", Whole(0, 1_000), OPENING),
    key("outbox.cleanupDays", Whole(0, 36_500), OPENING),
    key(
        "outbox.embeddingVersion",
        Text,
        Alone(r#""v1""#, "the version of vectors is their embedder's own"),
    )
    .ours("null"),
    key("evidence.fuzzyThreshold", Number(0.5, 1.0), OPENING),
    key("evidence.maxQuoteLength", Whole(0, 500), OPENING),
    key("viewer.port", Whole(0, 65_535), Command).ours("null"),
    key(
        "viewer.hostname",
        Text,
        Alone(r#""127.0.0.1""#, "the viewer serves this machine alone"),
    ),
];

/// The key with this path.
pub(crate) fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

impl Key {
    /// The library's default; null if it has none.
    pub(crate) fn our_default(&self, reference: &Value) -> Value {
        match self.ours {
            Some(json) => serde_json::from_str(json).unwrap_or(Value::Null),
            None => value_at(reference, self.path).unwrap_or_default(),
        }
    }
}

/// The value at a path.
pub(crate) fn value_at(settings: &Value, path: &str) -> Option<Value> {
    path.split('.')
        .try_fold(settings, |value, name| value.get(name))
        .cloned()
}

impl Shape {
    /// Whether a value is of this shape.
    pub(crate) fn holds(self, value: &Value) -> bool {
        let is_text_of = |value: &Value, words: &[&str]| {
            value.as_str().is_some_and(|text| words.contains(&text))
        };
        match self {
            Flag => value.is_boolean(),
            Whole(least, most) => value
                .as_u64()
                .is_some_and(|number| (least..=most).contains(&number)),
            Number(least, most) => value
                .as_f64()
                .is_some_and(|number| (least..=most).contains(&number)),
            Text => value.is_string(),
            OneOf(words) => is_text_of(value, words),
            Texts => items(value).is_some_and(|items| items.iter().all(Value::is_string)),
            TextsOf(words) => {
                items(value).is_some_and(|items| items.iter().all(|item| is_text_of(item, words)))
            }
        }
    }

    /// A description of the accepted values.
    pub(crate) fn expected(self) -> String {
        let listed = |words: &[&str]| {
            let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            quoted.join(", ")
        };
        match self {
            Flag => "true or false".to_owned(),
            Whole(least, most) => format!("a whole number from {least} to {most}"),
            Number(least, most) => format!("a number from {least} to {most}"),
            Text => "a string".to_owned(),
            OneOf(words) => format!("one of {}", listed(words)),
            Texts => "a list of strings".to_owned(),
            TextsOf(words) => format!("a list of strings from {}", listed(words)),
        }
    }
}

fn items(value: &Value) -> Option<&Vec<Value>> {
    value.as_array()
}
