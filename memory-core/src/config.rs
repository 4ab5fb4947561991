//! The settings of the specification and their defaults, read from JSON.
//!
//! These are the names and numbers that hosts keep in their configuration files
//! (specification, section 25). In JSON the names are in camel case. Any part may be
//! missing and then gets its defaults. [`crate::MemoryBuilder::settings`] opens a memory
//! with such settings; there, a missing key means the library's own default, and
//! `docs/guides/settings.md` says where the two differ.

pub(crate) mod keys;
pub(crate) mod reading;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::error::{Error, Result};
use crate::model::json::Json;

/// Declares a section: its fields with their defaults beside them.
macro_rules! section {
    ($(#[$meta:meta])* $name:ident {
        $($(#[$field_meta:meta])* $field:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }
    };
}

section! {
    /// All settings, by section.
    Settings {
        /// Where memories are kept.
        storage: StorageSettings = StorageSettings::default(),
        /// How texts become vectors.
        embedding: EmbeddingSettings = EmbeddingSettings::default(),
        /// What a plain retrieval returns.
        retrieval: RetrievalSettings = RetrievalSettings::default(),
        /// When a match is good enough to use.
        matching: MatchingSettings = MatchingSettings::default(),
        /// What is never stored.
        privacy: PrivacySettings = PrivacySettings::default(),
        /// Which tool calls are stored, and how much of them.
        tool_observation: ToolObservationSettings = ToolObservationSettings::default(),
        /// Which parts of the memory are enabled.
        features: FeatureSettings = FeatureSettings::default(),
        /// Whether memory ends with the session.
        mode: MemoryMode = MemoryMode::Session,
        /// The endless mode.
        endless: EndlessSettings = EndlessSettings::default(),
        /// How much of a result is shown at once.
        progressive_disclosure: DisclosureSettings = DisclosureSettings::default(),
        /// How memories are cited.
        citations: CitationSettings = CitationSettings::default(),
        /// The queue of texts waiting to be embedded.
        outbox: OutboxSettings = OutboxSettings::default(),
        /// How quotes are located in their sources.
        evidence: EvidenceSettings = EvidenceSettings::default(),
        /// Where a viewer listens.
        viewer: ViewerSettings = ViewerSettings::default(),
    }
}

section! {
    /// Where memories are kept.
    StorageSettings {
        /// The folder of the store.
        path: String = "~/.claude-code/memory".to_owned(),
        /// The size of the store, in megabytes, above which receipts carry a warning.
        #[serde(rename = "maxSizeMB")]
        max_size_mb: u64 = 500,
    }
}

section! {
    /// How texts become vectors.
    EmbeddingSettings {
        /// Who computes the vectors.
        provider: EmbeddingProvider = EmbeddingProvider::Local,
        /// The local model.
        model: String = "all-MiniLM-L6-v2".to_owned(),
        /// The model to use if the provider is `openai`.
        openai_model: String = "text-embedding-3-small".to_owned(),
        /// The number of texts to embed at once.
        batch_size: u64 = 32,
    }
}

section! {
    /// What a plain retrieval returns.
    RetrievalSettings {
        /// The number of memories to return.
        top_k: u64 = 5,
        /// The minimum score, from 0 to 1.
        min_score: f64 = 0.7,
        /// The token budget of the context.
        max_tokens: u64 = 2000,
    }
}

section! {
    /// When a match is good enough to use.
    MatchingSettings {
        /// The minimum score of a high match.
        min_combined_score: f64 = 0.92,
        /// The minimum lead of a high match over the second candidate.
        min_gap: f64 = 0.03,
        /// The minimum score of a suggested match.
        suggestion_threshold: f64 = 0.75,
        /// The weight of each part of a match.
        weights: MatchingWeightSettings = MatchingWeightSettings::default(),
    }
}

section! {
    /// The weight of each part of a match.
    MatchingWeightSettings {
        /// The weight of semantic similarity.
        semantic_similarity: f64 = 0.4,
        /// The weight of the lexical score.
        fts_score: f64 = 0.25,
        /// The weight of recency.
        recency_bonus: f64 = 0.2,
        /// The weight of being active.
        status_weight: f64 = 0.15,
    }
}

section! {
    /// What is never stored.
    PrivacySettings {
        /// Words whose values are masked.
        exclude_patterns: Vec<String> = strings(&["password", "secret", "api_key", "token", "bearer"]),
        /// Whether addresses, telephone numbers and user names are replaced. The
        /// specification does not define how.
        #[serde(rename = "anonymize")]
        is_anonymized: bool = false,
        /// Sections that an author marked as private.
        private_tags: PrivateTagSettings = PrivateTagSettings::default(),
        /// Secrets that are recognised by their form.
        auto_detect: AutoDetectSettings = AutoDetectSettings::default(),
    }
}

section! {
    /// Secrets that are recognised by their form.
    AutoDetectSettings {
        /// Whether such secrets are masked.
        #[serde(rename = "enabled")]
        is_enabled: bool = true,
        /// Regular expressions whose matches are masked as well.
        patterns: Vec<String> = Vec::new(),
    }
}

section! {
    /// Sections that an author marked as private.
    PrivateTagSettings {
        /// Whether private sections are removed.
        #[serde(rename = "enabled")]
        is_enabled: bool = true,
        /// What replaces a private section.
        marker: PrivateMarker = PrivateMarker::Private,
        /// Whether the line breaks of a removed section are kept.
        #[serde(rename = "preserveLineCount")]
        preserves_line_count: bool = false,
        /// Which tags are recognised.
        supported_formats: Vec<PrivateTagFormat> = vec![PrivateTagFormat::Xml],
    }
}

section! {
    /// Which tool calls are stored, and how much of them.
    ToolObservationSettings {
        /// Whether tool calls are stored.
        #[serde(rename = "enabled")]
        is_enabled: bool = true,
        /// Tools whose calls are not stored.
        excluded_tools: Vec<String> = strings(&["TodoWrite", "TodoRead"]),
        /// The maximum number of characters to keep of an output.
        max_output_length: u64 = 10000,
        /// The maximum number of lines to keep of an output.
        max_output_lines: u64 = 100,
        /// Whether failed calls are skipped.
        #[serde(rename = "storeOnlyOnSuccess")]
        stores_only_on_success: bool = false,
    }
}

section! {
    /// Which parts of the memory are enabled.
    FeatureSettings {
        /// Whether hooks store what they see.
        #[serde(rename = "autoSave")]
        has_auto_save: bool = true,
        /// Whether a session is summarised when it ends.
        #[serde(rename = "sessionSummary")]
        has_session_summary: bool = true,
        /// Whether insights are extracted.
        #[serde(rename = "insightExtraction")]
        has_insight_extraction: bool = true,
        /// Whether projects can see the memories of other projects.
        #[serde(rename = "crossProjectLearning")]
        has_cross_project_learning: bool = false,
        /// Whether vectors are written by one writer at a time.
        #[serde(rename = "singleWriterMode")]
        has_single_writer_mode: bool = true,
    }
}

section! {
    /// The endless mode.
    EndlessSettings {
        /// Whether the endless mode is enabled.
        #[serde(rename = "enabled")]
        is_enabled: bool = false,
        /// The working set.
        working_set: WorkingSetSettings = WorkingSetSettings::default(),
        /// When events become consolidated memories.
        consolidation: ConsolidationSettings = ConsolidationSettings::default(),
        /// When two contexts belong together.
        continuity: ContinuitySettings = ContinuitySettings::default(),
    }
}

section! {
    /// The working set of the endless mode.
    WorkingSetSettings {
        /// The maximum number of events.
        max_events: u64 = 100,
        /// How long an event stays, in hours.
        time_window_hours: u64 = 24,
        /// The minimum relevance, from 0 to 1.
        min_relevance_score: f64 = 0.5,
    }
}

section! {
    /// When events become consolidated memories. Any one of the conditions is enough.
    ConsolidationSettings {
        /// The time since the last consolidation, in milliseconds.
        trigger_interval_ms: u64 = 3_600_000,
        /// The number of events in the working set.
        trigger_event_count: u64 = 100,
        /// The time without events, in milliseconds.
        trigger_idle_ms: u64 = 1_800_000,
        /// Whether the host's model writes the summaries.
        #[serde(rename = "useLLMSummarization")]
        uses_llm_summarization: bool = false,
    }
}

section! {
    /// When two contexts belong together.
    ContinuitySettings {
        /// The minimum score of a seamless transition.
        min_score_for_seamless: f64 = 0.7,
        /// How quickly topics lose weight, in hours.
        topic_decay_hours: f64 = 48.0,
        /// The weight of each shared topic.
        topic_weight: f64 = 0.3,
        /// The weight of each shared file.
        file_weight: f64 = 0.2,
        /// The weight of closeness in time.
        time_weight: f64 = 0.3,
        /// The weight of each shared entity.
        entity_weight: f64 = 0.2,
        /// The minimum score of a topic shift; anything lower is a break.
        min_score_for_topic_shift: f64 = 0.4,
    }
}

section! {
    /// How much of a result is shown at once.
    DisclosureSettings {
        /// Whether results are disclosed in layers.
        #[serde(rename = "enabled")]
        is_enabled: bool = true,
        /// The index of results.
        layer1: IndexLayerSettings = IndexLayerSettings::default(),
        /// When results are expanded automatically.
        auto_expand: AutoExpandSettings = AutoExpandSettings::default(),
        /// The token budgets.
        token_budget: TokenBudgetSettings = TokenBudgetSettings::default(),
        /// How long disclosed layers are cached.
        cache: DisclosureCacheSettings = DisclosureCacheSettings::default(),
    }
}

section! {
    /// The index of results (layer 1).
    IndexLayerSettings {
        /// The number of results.
        top_k: u64 = 10,
        /// The minimum score, from 0 to 1.
        min_score: f64 = 0.7,
    }
}

section! {
    /// When results are expanded automatically.
    AutoExpandSettings {
        /// Whether results are expanded automatically.
        #[serde(rename = "enabled")]
        is_enabled: bool = true,
        /// The minimum score of a single result.
        high_confidence_threshold: f64 = 0.92,
        /// The minimum lead of the best result over the second.
        score_gap_threshold: f64 = 0.1,
        /// The maximum number of results to expand.
        max_auto_expand_count: u64 = 3,
    }
}

section! {
    /// The token budgets.
    TokenBudgetSettings {
        /// The maximum number of tokens of all layers together.
        max_total_tokens: u64 = 2000,
        /// The estimated number of tokens of a line of the index.
        layer1_per_item: u64 = 50,
        /// The estimated number of tokens of a line of a timeline.
        layer2_per_item: u64 = 40,
        /// The estimated number of tokens of the details of a memory.
        layer3_per_item: u64 = 500,
    }
}

section! {
    /// How long disclosed layers are cached, and how many.
    DisclosureCacheSettings {
        /// How long layer 1 is cached, in milliseconds.
        #[serde(rename = "layer1Ttl")]
        layer1_ttl_ms: u64 = 60_000,
        /// The maximum number of cached entries of layer 1.
        layer1_max_size: u64 = 100,
        /// How long layer 2 is cached, in milliseconds.
        #[serde(rename = "layer2Ttl")]
        layer2_ttl_ms: u64 = 300_000,
        /// The maximum number of cached entries of layer 2.
        layer2_max_size: u64 = 500,
        /// How long layer 3 is cached, in milliseconds.
        #[serde(rename = "layer3Ttl")]
        layer3_ttl_ms: u64 = 1_800_000,
        /// The maximum number of cached entries of layer 3.
        layer3_max_size: u64 = 200,
    }
}

section! {
    /// How memories are cited.
    CitationSettings {
        /// Whether memories are cited.
        #[serde(rename = "enabled")]
        is_enabled: bool = true,
        /// The usual length of a citation id, in characters.
        id_length: u64 = 6,
        /// Whether injected context shows its citations.
        #[serde(rename = "includeInContext")]
        is_in_context: bool = true,
        /// Whether uses are recorded.
        #[serde(rename = "trackUsage")]
        tracks_usage: bool = true,
        /// How a block of cited memories is laid out.
        format: CitationStyle = CitationStyle::Inline,
    }
}

section! {
    /// The queue of texts waiting to be embedded.
    OutboxSettings {
        /// The number of texts to embed at once.
        batch_size: u64 = 32,
        /// How long a worker waits when there is nothing to do, in milliseconds.
        poll_interval_ms: u64 = 1000,
        /// How often a failed text is retried.
        max_retries: u64 = 3,
        /// How long finished jobs are kept, in days.
        cleanup_days: u64 = 7,
        /// The name of the version of the vectors.
        embedding_version: String = "v1".to_owned(),
    }
}

section! {
    /// How quotes are located in their sources.
    EvidenceSettings {
        /// The minimum similarity of a fuzzy match, from 0 to 1.
        fuzzy_threshold: f64 = 0.85,
        /// The maximum length of a quote, in characters.
        max_quote_length: u64 = 500,
    }
}

section! {
    /// Where a viewer listens.
    ViewerSettings {
        /// The port.
        port: u64 = 37777,
        /// The address.
        hostname: String = "127.0.0.1".to_owned(),
    }
}

/// Whether memory ends with the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum MemoryMode {
    /// Each session stands on its own.
    #[serde(rename = "session")]
    Session,
    /// One working set continues across sessions.
    #[serde(rename = "endless")]
    Endless,
}

/// Who computes vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EmbeddingProvider {
    /// This machine.
    #[serde(rename = "local")]
    Local,
    /// A service, through the host's callback.
    #[serde(rename = "openai")]
    OpenAi,
}

/// What replaces a private section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PrivateMarker {
    /// `[PRIVATE]`
    #[serde(rename = "[PRIVATE]")]
    Private,
    /// `[REDACTED]`
    #[serde(rename = "[REDACTED]")]
    Redacted,
    /// Nothing.
    #[serde(rename = "")]
    Nothing,
}

/// How private sections are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PrivateTagFormat {
    /// `<private>…</private>`
    #[serde(rename = "xml")]
    Xml,
    /// `[private]…[/private]`
    #[serde(rename = "bracket")]
    Bracket,
    /// `<!-- private -->…<!-- /private -->`
    #[serde(rename = "comment")]
    Comment,
}

/// How a block of cited memories is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CitationStyle {
    /// Citations beside each memory.
    #[serde(rename = "inline")]
    Inline,
    /// Numbers beside the memories, with the citations at the end.
    #[serde(rename = "footnote")]
    Footnote,
    /// Memories and citations in two lists.
    #[serde(rename = "reference")]
    Reference,
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

impl Settings {
    /// Returns the default of one setting or section, by its JSON path, or `None` if there
    /// is no such setting.
    ///
    /// ```
    /// use recallite::config::Settings;
    /// let value = Settings::default_value("endless.workingSet.maxEvents");
    /// assert_eq!(value.expect("it exists").as_str(), "100");
    /// ```
    pub fn default_value(path: &str) -> Option<Json> {
        path.split('.')
            .try_fold(&Settings::default().to_value(), |value, name| {
                value.get(name)
            })
            .map(Json::from_value)
    }

    /// Reads settings from JSON. Missing settings have their defaults, section by section.
    ///
    /// # Errors
    /// `invalid_argument` naming the path of the setting that does not exist, is
    /// of the wrong type, or is none of the names that are allowed there.
    pub fn from_json(text: &str) -> Result<Self> {
        crate::model::json::check_depth(reading::ARGUMENT, text)?;
        let partial: Value = serde_json::from_str(text)
            .map_err(|e| Error::invalid(reading::ARGUMENT, format_args!("is not JSON: {e}")))?;
        Settings::from_value(&partial)
    }

    /// The same from a value.
    pub(crate) fn from_value(partial: &Value) -> Result<Self> {
        reading::given(partial)?;
        serde_json::from_value(reading::with_whole_numbers(partial))
            .map_err(|e| Error::invalid(reading::ARGUMENT, e))
    }

    /// Returns all settings as JSON.
    pub fn to_json(&self) -> Json {
        Json::from_value(&self.to_value())
    }

    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("settings are plain data with text keys")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_configuration_is_completed_section_by_section() {
        let settings = Settings::from_json(
            r#"{"mode":"endless","endless":{"workingSet":{"maxEvents":7}},"storage":{}}"#,
        )
        .expect("valid settings");
        let mut expected = Settings {
            mode: MemoryMode::Endless,
            ..Settings::default()
        };
        expected.endless.working_set.max_events = 7;
        assert_eq!(settings, expected);
        assert_eq!(
            Settings::from_json(settings.to_json().as_str()).expect("its own JSON"),
            settings
        );
    }

    #[test]
    fn errors_name_the_path() {
        for (text, path) in [
            (r#"{"citations":{"format":"marginal"}}"#, "citations.format"),
            (
                r#"{"mode":"session","privacy":{"anonymize":true,"privateTags":{"marker":"[X]"}}}"#,
                "privacy.privateTags.marker",
            ),
            (
                r#"{"privacy":{"privateTags":{"supportedFormats":["xml","yaml"]}}}"#,
                "privacy.privateTags.supportedFormats",
            ),
            (r#"{"retrieval":{"topK":-1}}"#, "retrieval.topK"),
            (r#"{"retrieval":{"topk":1}}"#, "retrieval.topk"),
            (r#"{"retrieval":5}"#, "retrieval"),
            ("[]", "settings"),
            ("{", "settings"),
        ] {
            let error = Settings::from_json(text).expect_err(text);
            assert_eq!(error.argument(), Some(path), "{text}");
        }
    }

    #[test]
    fn the_table_of_keys_names_every_setting() {
        fn leaves(path: &str, value: &Value, found: &mut Vec<String>) {
            match value.as_object() {
                Some(fields) => {
                    for (name, value) in fields {
                        let separator = if path.is_empty() { "" } else { "." };
                        leaves(&format!("{path}{separator}{name}"), value, found);
                    }
                }
                None => found.push(path.to_owned()),
            }
        }
        let defaults = Settings::default().to_value();
        let mut declared = Vec::new();
        leaves("", &defaults, &mut declared);
        declared.sort();
        let mut listed: Vec<String> = keys::KEYS.iter().map(|key| key.path.to_owned()).collect();
        listed.sort();
        assert_eq!(listed, declared);
        for key in keys::KEYS {
            let default = keys::value_at(&defaults, key.path).unwrap();
            assert!(key.shape.holds(&default), "{}", key.path);
            let ours = key.our_default(&defaults);
            assert!(ours.is_null() || key.shape.holds(&ours), "{}", key.path);
        }
    }

    #[test]
    fn errors_say_what_would_be_right() {
        for (text, says) in [
            (
                r#"{"retrieval":{"topk":3}}"#,
                "retrieval.topk: unknown setting; did you mean retrieval.topK?",
            ),
            (
                r#"{"retrieval.topK":5,"retrieval":{"topK":3}}"#,
                "retrieval.topK: is given twice, in its section and with its whole name; only one \
                 would count",
            ),
            (
                r#"{"retreival":{"topK":3}}"#,
                "retreival: unknown setting; did you mean retrieval?",
            ),
            (
                r#"{"maxTokens":3}"#,
                "maxTokens: unknown setting; did you mean retrieval.maxTokens?",
            ),
            (
                r#"{"retrieval":{"maxAutoExpandCount":3}}"#,
                "retrieval.maxAutoExpandCount: unknown setting; did you mean progressiveDisclosure.autoExpand.maxAutoExpandCount?",
            ),
            (
                r#"{"zzzzqqqq":3}"#,
                "zzzzqqqq: unknown setting; see docs/guides/settings.md",
            ),
            (
                r#"{"retrieval":{"topK":"3"}}"#,
                "retrieval.topK: must be a whole number from 1 to 64, not this string",
            ),
            (
                r#"{"retrieval":{"minScore":1.5}}"#,
                "retrieval.minScore: must be a number from 0 to 1, not 1.5",
            ),
            (
                r#"{"citations":{"enabled":1}}"#,
                "citations.enabled: must be true or false, not 1",
            ),
            (
                r#"{"mode":"forever"}"#,
                r#"mode: must be one of "session", "endless", not this string"#,
            ),
            (
                r#"{"privacy":[]}"#,
                "privacy: must be an object of settings, not this list",
            ),
        ] {
            let error = Settings::from_json(text).expect_err(text);
            assert_eq!(error.to_string(), says);
        }
        let long = format!(r#"{{"{}":1}}"#, "x".repeat(1 << 20));
        assert!(Settings::from_json(&long).is_err());
    }

    #[test]
    fn unknown_paths_have_no_default() {
        assert!(Settings::default_value("citations.color").is_none());
        assert!(Settings::default_value("").is_none());
        assert_eq!(
            Settings::default_value("privacy.privateTags.marker").map(|v| v.to_string()),
            Some(r#""[PRIVATE]""#.to_owned())
        );
    }

    #[test]
    fn defaults_agree_with_the_rules_that_use_them() {
        use crate::rules::matching::{MatchThresholds, MatchWeights};
        let matching = MatchingSettings::default();
        let thresholds = MatchThresholds::default();
        assert_eq!(matching.min_combined_score, thresholds.high);
        assert_eq!(matching.min_gap, thresholds.gap);
        assert_eq!(matching.suggestion_threshold, thresholds.suggested);
        let weights = MatchWeights::default();
        assert_eq!(matching.weights.semantic_similarity, weights.semantic);
        assert_eq!(matching.weights.fts_score, weights.lexical);
        assert_eq!(matching.weights.recency_bonus, weights.recency);
        assert_eq!(matching.weights.status_weight, weights.status);
    }
}
