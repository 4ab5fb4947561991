//! Applies settings: what the keys of a settings file change when a memory is opened, and
//! where each value in force comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::config::keys::{Effect, KEYS, Key, find, value_at};
use crate::config::reading::{self, ARGUMENT};
use crate::config::{
    CitationStyle, EmbeddingProvider, EndlessSettings, MemoryMode, PrivateMarker, PrivateTagFormat,
    Settings as Values,
};
use crate::engine::effective::{EffectiveSetting, SettingSource};
use crate::engine::options::Settings;
use crate::engine::tuning::LayerTuning;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::json::Json;
use crate::model::shorten::{place, short};
use crate::privacy::{Marker, TagFormat};
use crate::rules::endless::{self, EndlessConfig};
use crate::rules::matching::MatchThresholds;
use crate::text::citation::CitationFormat;

/// The maximum size of a settings file.
const MAX_FILE_BYTES: u64 = 1 << 20;
const FILE_ARGUMENT: &str = "settings_file";
const HOUR_MS: f64 = 3_600_000.0;
const DAY_MS: u64 = 86_400_000;
const MEGABYTE: u64 = 1_000_000;

/// The settings given by the opener.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenSettings {
    pub(crate) settings: Option<Json>,
    pub(crate) file: Option<PathBuf>,
    /// The options that were set on opening and override keys.
    pub(crate) options: BTreeSet<&'static str>,
}

/// Parsed settings: their values, with the reference's defaults, and which keys were given.
pub(crate) struct ReadSettings {
    values: Values,
    sources: BTreeMap<&'static str, (Value, SettingSource)>,
    options: BTreeSet<&'static str>,
}

/// Settings that belong to the store and apply to every process.
#[derive(Clone, Debug)]
pub(crate) struct StoreSettings {
    pub(crate) mode: Option<endless::MemoryMode>,
    values: EndlessSettings,
    /// The given keys of the section `endless`.
    given: BTreeSet<&'static str>,
}

impl StoreSettings {
    /// Whether none was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.mode.is_none() && self.given.is_empty()
    }

    /// Applies the given keys to the limits of the endless mode.
    pub(crate) fn apply(&self, config: &mut EndlessConfig) {
        let (set, rule) = (&self.values.working_set, &self.values.consolidation);
        let joined = &self.values.continuity;
        let limits = &mut config.working_set;
        self.set("workingSet.maxEvents", &mut limits.max_events, || {
            size(set.max_events)
        });
        self.set(
            "workingSet.timeWindowHours",
            &mut limits.time_window_ms,
            || millis(set.time_window_hours.saturating_mul(3_600_000)),
        );
        let least = &mut limits.min_relevance_score;
        self.set("workingSet.minRelevanceScore", least, || {
            set.min_relevance_score
        });
        let limits = &mut config.consolidation;
        let interval = &mut limits.trigger_interval_ms;
        self.set("consolidation.triggerIntervalMs", interval, || {
            millis(rule.trigger_interval_ms)
        });
        let count = &mut limits.trigger_event_count;
        self.set("consolidation.triggerEventCount", count, || {
            size(rule.trigger_event_count)
        });
        let idle = &mut limits.trigger_idle_ms;
        self.set("consolidation.triggerIdleMs", idle, || {
            millis(rule.trigger_idle_ms)
        });
        let host = &mut limits.is_left_to_host;
        self.set("consolidation.useLLMSummarization", host, || {
            rule.uses_llm_summarization
        });
        let limits = &mut config.continuity;
        self.set(
            "continuity.topicDecayHours",
            &mut limits.time_decay_ms,
            || whole_millis(joined.topic_decay_hours * HOUR_MS),
        );
        for (key, place, value) in [
            (
                "continuity.minScoreForSeamless",
                &mut limits.min_score_for_seamless,
                joined.min_score_for_seamless,
            ),
            (
                "continuity.minScoreForTopicShift",
                &mut limits.min_score_for_topic_shift,
                joined.min_score_for_topic_shift,
            ),
            (
                "continuity.topicWeight",
                &mut limits.topic_weight,
                joined.topic_weight,
            ),
            (
                "continuity.fileWeight",
                &mut limits.file_weight,
                joined.file_weight,
            ),
            (
                "continuity.timeWeight",
                &mut limits.time_weight,
                joined.time_weight,
            ),
            (
                "continuity.entityWeight",
                &mut limits.entity_weight,
                joined.entity_weight,
            ),
        ] {
            self.set(key, place, || value);
        }
    }

    fn set<T>(&self, key: &str, place: &mut T, value: impl FnOnce() -> T) {
        if self.given.contains(key) {
            *place = value();
        }
    }
}

impl GivenSettings {
    /// Reads and checks what was given: the call's own settings win over the file's,
    /// key by key.
    ///
    /// # Errors
    /// `invalid_argument` naming the key that does not exist, whose value is of the
    /// wrong type or out of range, or that is not supported; `not_found`,
    /// `permission_denied` or `io` for a file that cannot be read.
    pub(crate) fn read(self) -> Result<ReadSettings> {
        let mut sources = BTreeMap::new();
        if let Some(path) = &self.file {
            let text = text_of(path)?;
            let given = parsed(&text).and_then(|value| reading::given(&value));
            for (key, value) in given.map_err(|error| in_file(path, &error))? {
                sources.insert(key, (value, SettingSource::File));
            }
        }
        if let Some(json) = &self.settings {
            for (key, value) in reading::given(&json.to_value())? {
                sources.insert(key, (value, SettingSource::Call));
            }
        }
        let mut whole = Values::default().to_value();
        for (key, (value, _)) in &sources {
            if let Some(place) = whole.pointer_mut(&format!("/{}", key.replace('.', "/"))) {
                *place = value.clone();
            }
        }
        let settings = ReadSettings {
            values: Values::from_value(&whole)?,
            sources,
            options: self.options,
        };
        settings.check()?;
        Ok(settings)
    }
}

fn parsed(text: &str) -> Result<Value> {
    let text = text.trim_start_matches('\u{feff}');
    Ok(Json::parse(ARGUMENT, text)?.to_value())
}

/// The same error, with the file that it is about.
fn in_file(path: &Path, error: &Error) -> Error {
    let message = format!("{}: {}", path.display(), error.message());
    let named = Error::new(error.code(), message);
    // A key is named as such; what is no JSON is the file's fault.
    match error.argument() {
        Some(key) if key != ARGUMENT => named.with_argument(key),
        _ => named.with_argument(FILE_ARGUMENT),
    }
}

fn text_of(path: &Path) -> Result<String> {
    let failed = |error: std::io::Error| {
        let code = match error.kind() {
            std::io::ErrorKind::InvalidData => ErrorCode::InvalidArgument,
            kind => ErrorCode::of_io(kind),
        };
        Error::new(code, format!("{}: {error}", place(path)))
            .with_argument(FILE_ARGUMENT)
            .with_source(error)
    };
    let name = path.as_os_str().as_encoded_bytes();
    if name.is_empty() {
        return Err(Error::invalid(FILE_ARGUMENT, "must not be empty"));
    }
    if name.contains(&0) {
        return Err(Error::invalid(
            FILE_ARGUMENT,
            "must not contain a NUL character",
        ));
    }
    let mut text = String::new();
    let mut file = File::open(path).map_err(failed)?.take(MAX_FILE_BYTES + 1);
    file.read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::invalid(
            FILE_ARGUMENT,
            format_args!("{} is larger than 1 MiB", path.display()),
        ));
    }
    Ok(text)
}

impl ReadSettings {
    fn has(&self, key: &str) -> bool {
        self.sources.contains_key(key)
    }

    /// Whether an option that overrides a key was set on opening.
    fn has_winner(&self, key: &Key) -> bool {
        matches!(key.effect, Effect::Opening(Some(option)) if self.options.contains(option))
    }

    /// Rejects settings that cannot take effect.
    fn check(&self) -> Result<()> {
        for (path, (value, _)) in &self.sources {
            let Some(key) = find(path) else { continue };
            let written = value.to_string();
            if let Effect::Alone(only, instead) = key.effect
                && written != only
            {
                return Err(not_supported(path, value, instead));
            }
        }
        self.check_embedding()?;
        let (mode, is_endless) = (self.values.mode, self.values.endless.is_enabled);
        let contradicts = (mode == MemoryMode::Endless) != is_endless;
        if contradicts && self.has("mode") && self.has("endless.enabled") {
            return Err(Error::invalid(
                "endless.enabled",
                format_args!("{is_endless} contradicts mode; leave one of them out"),
            ));
        }
        Ok(())
    }

    /// Without an embedder from the call, only the built-in word vectors or a model in a
    /// folder can be used.
    fn check_embedding(&self) -> Result<()> {
        if self.options.contains("embedder") {
            return Ok(());
        }
        let embedding = &self.values.embedding;
        if embedding.provider == EmbeddingProvider::OpenAi {
            return Err(not_supported(
                "embedding.provider",
                &"openai".into(),
                "give an embedder function instead",
            ));
        }
        let own = &crate::config::EmbeddingSettings::default().openai_model;
        if embedding.openai_model != *own {
            return Err(not_supported(
                "embedding.openaiModel",
                &embedding.openai_model.as_str().into(),
                "give an embedder function instead",
            ));
        }
        Ok(())
    }

    /// The model folder that the settings name, if the opener gave no embedder. The
    /// reference's default names the model from which the built-in word vectors were made,
    /// so it selects those.
    pub(crate) fn model_folder(&self) -> Option<&str> {
        let model = &self.values.embedding.model;
        let is_built_in = *model == crate::config::EmbeddingSettings::default().model;
        let is_given = self.has("embedding.model") && !self.options.contains("embedder");
        (is_given && !is_built_in).then_some(model.as_str())
    }

    /// The error for a model that is not a folder, or that this library cannot run.
    pub(crate) fn refused_model(name: &str, instead: &str) -> Error {
        not_supported("embedding.model", &name.into(), instead)
    }

    /// Applies the settings to how a memory is opened.
    pub(crate) fn apply(&self, settings: &mut Settings) {
        self.apply_limits(settings);
        self.apply_privacy(settings);
        self.apply_tools(settings);
        self.apply_recall(settings);
        self.apply_matching(settings);
        self.apply_disclosure(settings);
        self.apply_citations(settings);
        self.apply_learning(settings);
        settings.effective = self.effective(settings);
    }

    fn apply_limits(&self, settings: &mut Settings) {
        if self.has("storage.maxSizeMB") && !self.options.contains("quota_bytes") {
            let megabytes = self.values.storage.max_size_mb;
            settings.lifetime.quota_bytes = megabytes.saturating_mul(MEGABYTE);
        }
        let (embedding, outbox) = (&self.values.embedding, &self.values.outbox);
        let worker = &mut settings.tuning.worker;
        if self.has("embedding.batchSize") {
            worker.texts_at_once = size(embedding.batch_size);
        }
        if self.has("outbox.batchSize") {
            worker.claim_batch = size(outbox.batch_size);
        }
        worker.max_retries = u32::try_from(outbox.max_retries).unwrap_or(u32::MAX);
        worker.keep_done_ms = millis(outbox.cleanup_days.saturating_mul(DAY_MS));
        let cache = &self.values.progressive_disclosure.cache;
        let layer = |ttl_ms, capacity| LayerTuning {
            lifetime_ms: millis(ttl_ms),
            capacity: size(capacity),
        };
        let caches = &mut settings.tuning.caches;
        caches.searches = layer(cache.layer1_ttl_ms, cache.layer1_max_size);
        caches.timelines = layer(cache.layer2_ttl_ms, cache.layer2_max_size);
        caches.details = layer(cache.layer3_ttl_ms, cache.layer3_max_size);
    }

    fn apply_privacy(&self, settings: &mut Settings) {
        if self.options.contains("privacy") {
            return;
        }
        let given = &self.values.privacy;
        let privacy = &mut settings.privacy;
        privacy.exclude_patterns.clone_from(&given.exclude_patterns);
        privacy.anonymize = given.is_anonymized;
        privacy.private_tags = given.private_tags.is_enabled;
        privacy.marker = match given.private_tags.marker {
            PrivateMarker::Private => Marker::Private,
            PrivateMarker::Redacted => Marker::Redacted,
            PrivateMarker::Nothing => Marker::Empty,
        };
        privacy.preserve_line_count = given.private_tags.preserves_line_count;
        let formats = given.private_tags.supported_formats.iter();
        privacy.formats = formats
            .map(|format| match format {
                PrivateTagFormat::Xml => TagFormat::Xml,
                PrivateTagFormat::Bracket => TagFormat::Bracket,
                PrivateTagFormat::Comment => TagFormat::Comment,
            })
            .collect();
        privacy.auto_detect = given.auto_detect.is_enabled;
        privacy
            .auto_detect_patterns
            .clone_from(&given.auto_detect.patterns);
    }

    fn apply_tools(&self, settings: &mut Settings) {
        let given = &self.values.tool_observation;
        if !self.options.contains("tool_limits") {
            settings.tool_limits.max_output_chars = size(given.max_output_length);
            settings.tool_limits.max_output_lines = size(given.max_output_lines);
        }
        if !self.options.contains("tool_policy") {
            let policy = &mut settings.tool_policy;
            policy.enabled = given.is_enabled;
            policy.store_only_on_success = given.stores_only_on_success;
            if self.has("toolObservation.excludedTools") {
                policy.excluded_tools.clone_from(&given.excluded_tools);
            }
        }
    }

    fn apply_recall(&self, settings: &mut Settings) {
        let given = &self.values.retrieval;
        let recall = &mut settings.tuning.recall;
        if self.has("retrieval.topK") {
            recall.search_limit = size(given.top_k);
            recall.context_limit = size(given.top_k);
        }
        if self.has("retrieval.minScore") {
            recall.min_relevance = Some(share(given.min_score));
        }
        recall.budget_tokens = size(given.max_tokens);
        recall.crosses_projects = self.values.features.has_cross_project_learning;
    }

    fn apply_matching(&self, settings: &mut Settings) {
        let given = &self.values.matching;
        let recall = &mut settings.tuning.recall;
        recall.match_weights.semantic = given.weights.semantic_similarity;
        recall.match_weights.lexical = given.weights.fts_score;
        recall.match_weights.recency = given.weights.recency_bonus;
        recall.match_weights.status = given.weights.status_weight;
        let thresholds = [
            "matching.minCombinedScore",
            "matching.minGap",
            "matching.suggestionThreshold",
        ];
        if thresholds.iter().any(|key| self.has(key)) {
            recall.match_thresholds = Some(MatchThresholds {
                high: given.min_combined_score,
                gap: given.min_gap,
                suggested: given.suggestion_threshold,
            });
        }
    }

    fn apply_disclosure(&self, settings: &mut Settings) {
        let given = &self.values.progressive_disclosure;
        let disclosure = &mut settings.tuning.disclosure;
        disclosure.is_enabled = given.is_enabled;
        disclosure.auto_expands = given.auto_expand.is_enabled;
        disclosure.limit = size(given.layer1.top_k);
        if self.has("progressiveDisclosure.layer1.minScore") {
            disclosure.min_relevance = share(given.layer1.min_score);
        }
        disclosure.max_expanded = size(given.auto_expand.max_auto_expand_count);
        disclosure.budget_tokens = size(given.token_budget.max_total_tokens);
        disclosure.thresholds.single = given.auto_expand.high_confidence_threshold;
        disclosure.thresholds.gap = given.auto_expand.score_gap_threshold;
    }

    fn apply_citations(&self, settings: &mut Settings) {
        let given = &self.values.citations;
        let tuning = &mut settings.tuning;
        tuning.citation_length = size(given.id_length);
        tuning.recall.tracks_usage = given.is_enabled && given.tracks_usage;
        tuning.recall.citation_format = match given.format {
            _ if !given.is_enabled || !given.is_in_context => CitationFormat::None,
            CitationStyle::Inline => CitationFormat::Inline,
            CitationStyle::Footnote => CitationFormat::Footnote,
            CitationStyle::Reference => CitationFormat::Reference,
        };
    }

    fn apply_learning(&self, settings: &mut Settings) {
        let evidence = &self.values.evidence;
        let tuning = &mut settings.tuning;
        tuning.align.fuzzy_threshold = evidence.fuzzy_threshold;
        tuning.align.max_fuzzy_quote_chars = size(evidence.max_quote_length);
        tuning.finds_insights = self.values.features.has_insight_extraction;
    }

    /// Attributes an error about an option to the key that set it.
    pub(crate) fn by_key(&self, error: Error) -> Error {
        let argument = error.argument().unwrap_or_default();
        let key = match argument.split('[').next() {
            Some("exclude_patterns") => "privacy.excludePatterns",
            Some("auto_detect_patterns") => "privacy.autoDetect.patterns",
            _ => return error,
        };
        let key = match self.options.contains("privacy") {
            true => format!("privacy.{argument}"),
            false => key.to_owned(),
        };
        error.with_argument(key)
    }

    /// The settings to write to the store.
    pub(crate) fn for_store(&self) -> StoreSettings {
        let is_endless = self.values.mode == MemoryMode::Endless || self.values.endless.is_enabled;
        let mode = match is_endless {
            true => endless::MemoryMode::Endless,
            false => endless::MemoryMode::Session,
        };
        let has_mode = self.has("mode") || self.has("endless.enabled");
        let keys = self.sources.keys();
        StoreSettings {
            mode: has_mode.then_some(mode),
            values: self.values.endless.clone(),
            given: keys
                .filter_map(|key| key.strip_prefix("endless."))
                .collect(),
        }
    }

    /// Every key with its value in force, except those kept in the store.
    fn effective(&self, settings: &Settings) -> Vec<EffectiveSetting> {
        let reference = Values::default().to_value();
        let of_options = of_options(settings).to_value();
        let row = |key: &Key| {
            let (value, source) = match self.sources.get(key.path) {
                _ if self.has_winner(key) => (
                    value_at(&of_options, key.path).unwrap_or_default(),
                    SettingSource::Call,
                ),
                Some((value, source)) => (value.clone(), *source),
                None => (key.our_default(&reference), SettingSource::Default),
            };
            EffectiveSetting {
                key: key.path.to_owned(),
                value: Json::from_value(&value),
                source,
            }
        };
        KEYS.iter().map(row).collect()
    }
}

/// The settings in force: those fixed on opening, plus the current ones of the store in a folder.
pub(crate) fn in_force(
    on_opening: &[EffectiveSetting],
    folder: &Path,
    in_store: &[(&'static str, Value)],
) -> Vec<EffectiveSetting> {
    let reference = Values::default().to_value();
    let mut rows = on_opening.to_vec();
    for row in &mut rows {
        if row.key == "storage.path" {
            row.value = Json::from_value(&folder.to_string_lossy().into());
            row.source = SettingSource::Call;
        }
        let stored = in_store.iter().find(|(key, _)| *key == row.key);
        let Some((_, value)) = stored else { continue };
        let value = Json::from_value(value);
        let is_default = find(&row.key)
            .is_some_and(|key| is_same(&value.to_value(), &key.our_default(&reference)));
        if !is_same(&value.to_value(), &row.value.to_value())
            || row.source == SettingSource::Default
        {
            row.source = match is_default {
                true => SettingSource::Default,
                false => SettingSource::Store,
            };
            row.value = value;
        }
    }
    rows
}

/// Whether two values are the same setting: `48` and `48.0` are.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(name, value): (&String, &Value)| {
                other.get(name).is_some_and(|other| is_same(value, other))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}

/// The options that override keys, in the form of a settings file.
fn of_options(settings: &Settings) -> Values {
    let mut values = Values::default();
    values.storage.max_size_mb = settings.lifetime.quota_bytes / MEGABYTE;
    if let Some(embedder) = &settings.embedder {
        embedder.0.id().clone_into(&mut values.embedding.model);
        values.embedding.openai_model.clear();
    }
    let privacy = &mut values.privacy;
    let given = &settings.privacy;
    privacy.exclude_patterns.clone_from(&given.exclude_patterns);
    privacy.is_anonymized = given.anonymize;
    privacy.private_tags.is_enabled = given.private_tags;
    privacy.private_tags.marker = match given.marker {
        Marker::Private => PrivateMarker::Private,
        Marker::Redacted => PrivateMarker::Redacted,
        Marker::Empty => PrivateMarker::Nothing,
    };
    privacy.private_tags.preserves_line_count = given.preserve_line_count;
    let formats = given.formats.iter().map(|format| match format {
        TagFormat::Xml => PrivateTagFormat::Xml,
        TagFormat::Bracket => PrivateTagFormat::Bracket,
        TagFormat::Comment => PrivateTagFormat::Comment,
    });
    privacy.private_tags.supported_formats = formats.collect();
    privacy.auto_detect.is_enabled = given.auto_detect;
    privacy
        .auto_detect
        .patterns
        .clone_from(&given.auto_detect_patterns);
    let tools = &mut values.tool_observation;
    tools.is_enabled = settings.tool_policy.enabled;
    tools
        .excluded_tools
        .clone_from(&settings.tool_policy.excluded_tools);
    tools.stores_only_on_success = settings.tool_policy.store_only_on_success;
    let most = |limit: usize| match settings.tool_limits.keep_whole_output {
        true => u64::MAX,
        false => limit as u64,
    };
    tools.max_output_length = most(settings.tool_limits.max_output_chars);
    tools.max_output_lines = most(settings.tool_limits.max_output_lines);
    values
}

fn not_supported(path: &str, value: &Value, instead: &str) -> Error {
    Error::invalid(
        path,
        format_args!("{} is not supported; {instead}", short(&value.to_string())),
    )
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// At least one millisecond.
#[expect(clippy::cast_possible_truncation, reason = "at most ten years")]
fn whole_millis(number: f64) -> i64 {
    (number as i64).max(1)
}

fn millis(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "relevance is an f32")]
fn share(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(json: &str) -> Settings {
        let given = GivenSettings {
            settings: Some(Json::parse(ARGUMENT, json).unwrap()),
            ..GivenSettings::default()
        };
        let mut settings = Settings::default();
        given.read().unwrap().apply(&mut settings);
        settings
    }

    #[test]
    fn no_settings_change_nothing_of_what_is_the_default() {
        let shown = |settings: &Settings| {
            format!(
                "{:?} {:?} {:?} {:?} {:?}",
                settings.tuning,
                settings.privacy,
                settings.tool_limits,
                settings.tool_policy,
                settings.lifetime
            )
        };
        assert_eq!(shown(&applied("{}")), shown(&Settings::default()));
    }

    #[test]
    fn lifetimes_sizes_and_thresholds_reach_their_places() {
        let disclosure = applied(
            r#"{"outbox": {"cleanupDays": 2}, "progressiveDisclosure": {
                "autoExpand": {"highConfidenceThreshold": 0.5},
                "cache": {"layer1Ttl": 1, "layer1MaxSize": 2, "layer2Ttl": 3,
                    "layer2MaxSize": 4, "layer3Ttl": 5, "layer3MaxSize": 6}}}"#,
        );
        let tuning = disclosure.tuning;
        assert_eq!(tuning.worker.keep_done_ms, 2 * 86_400_000);
        assert_eq!(tuning.disclosure.thresholds.single, 0.5);
        let caches = [
            tuning.caches.searches,
            tuning.caches.timelines,
            tuning.caches.details,
        ];
        let sizes = caches.map(|layer| (layer.lifetime_ms, layer.capacity));
        assert_eq!(sizes, [(1, 2), (3, 4), (5, 6)]);
    }
}
