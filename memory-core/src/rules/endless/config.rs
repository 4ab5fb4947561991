//! The limits of the endless mode, and how the log records them.

use serde::{Deserialize, Serialize};

use crate::model::codec::Refused;
use crate::model::error::{Error, Result};
use crate::model::number::share;
use crate::model::setters::setters;
use crate::rules::endless::{
    ConsolidationPolicy, ContinuityPolicy, InjectionPolicy, WorkingSetPolicy,
};

/// The limits of the endless mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ConfigForm", into = "ConfigForm")]
#[non_exhaustive]
pub struct EndlessConfig {
    /// The limits of the working set.
    pub working_set: WorkingSetPolicy,
    /// When and how the working set is consolidated.
    pub consolidation: ConsolidationPolicy,
    /// How much to give to an agent.
    pub injection: InjectionPolicy,
    /// How to compare two contexts.
    pub continuity: ContinuityPolicy,
}

impl EndlessConfig {
    setters! {
        /// Sets the limits of the working set.
        working_set: WorkingSetPolicy;
        /// Sets when and how the working set is consolidated.
        consolidation: ConsolidationPolicy;
        /// Sets how much to give to an agent.
        injection: InjectionPolicy;
        /// Sets how to compare two contexts.
        continuity: ContinuityPolicy;
    }
}

/// The limits as stored in the log; missing ones have their defaults.
#[derive(Serialize, Deserialize)]
#[serde(default)]
struct ConfigForm {
    max_events: usize,
    time_window_ms: i64,
    min_relevance_score: f64,
    trigger_interval_ms: i64,
    trigger_event_count: usize,
    trigger_idle_ms: i64,
    min_events: usize,
    max_summary_chars: usize,
    min_relevance: f64,
    max_injected_events: usize,
    max_injected_memories: usize,
    is_left_to_host: bool,
    topic_weight: f64,
    file_weight: f64,
    time_weight: f64,
    entity_weight: f64,
    time_decay_ms: i64,
    min_score_for_seamless: f64,
    min_score_for_topic_shift: f64,
}

impl Default for ConfigForm {
    fn default() -> Self {
        EndlessConfig::default().into()
    }
}

impl From<EndlessConfig> for ConfigForm {
    fn from(config: EndlessConfig) -> Self {
        let (set, rule, given) = (config.working_set, config.consolidation, config.injection);
        let joined = config.continuity;
        ConfigForm {
            max_events: set.max_events,
            time_window_ms: set.time_window_ms,
            min_relevance_score: set.min_relevance_score,
            trigger_interval_ms: rule.trigger_interval_ms,
            trigger_event_count: rule.trigger_event_count,
            trigger_idle_ms: rule.trigger_idle_ms,
            min_events: rule.min_events,
            max_summary_chars: rule.max_summary_chars,
            min_relevance: given.min_relevance,
            max_injected_events: given.max_events,
            max_injected_memories: given.max_memories,
            is_left_to_host: rule.is_left_to_host,
            topic_weight: joined.topic_weight,
            file_weight: joined.file_weight,
            time_weight: joined.time_weight,
            entity_weight: joined.entity_weight,
            time_decay_ms: joined.time_decay_ms,
            min_score_for_seamless: joined.min_score_for_seamless,
            min_score_for_topic_shift: joined.min_score_for_topic_shift,
        }
    }
}

impl TryFrom<ConfigForm> for EndlessConfig {
    type Error = Refused;

    fn try_from(form: ConfigForm) -> Result<Self, Refused> {
        let config = EndlessConfig {
            working_set: WorkingSetPolicy {
                max_events: form.max_events,
                time_window_ms: form.time_window_ms,
                min_relevance_score: form.min_relevance_score,
            },
            consolidation: ConsolidationPolicy {
                trigger_interval_ms: form.trigger_interval_ms,
                trigger_event_count: form.trigger_event_count,
                trigger_idle_ms: form.trigger_idle_ms,
                min_events: form.min_events,
                max_summary_chars: form.max_summary_chars,
                is_left_to_host: form.is_left_to_host,
            },
            injection: InjectionPolicy {
                min_relevance: form.min_relevance,
                max_events: form.max_injected_events,
                max_memories: form.max_injected_memories,
            },
            continuity: ContinuityPolicy {
                topic_weight: form.topic_weight,
                file_weight: form.file_weight,
                time_weight: form.time_weight,
                entity_weight: form.entity_weight,
                time_decay_ms: form.time_decay_ms,
                min_score_for_seamless: form.min_score_for_seamless,
                min_score_for_topic_shift: form.min_score_for_topic_shift,
            },
        };
        check_config(&config)?;
        Ok(config)
    }
}

/// Refuses the first limit that is out of range.
pub(crate) fn check_config(config: &EndlessConfig) -> Result<()> {
    let at_least_1 = |argument: &str, number: i64| {
        if number < 1 {
            return Err(Error::invalid(argument, "must be at least 1"));
        }
        Ok(())
    };
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    at_least_1(
        "working_set.max_events",
        count(config.working_set.max_events),
    )?;
    if config.working_set.max_events > 10_000 {
        return Err(Error::invalid(
            "working_set.max_events",
            "must be at most 10000",
        ));
    }
    at_least_1(
        "working_set.time_window_ms",
        config.working_set.time_window_ms,
    )?;
    share(
        "working_set.min_relevance_score",
        config.working_set.min_relevance_score,
    )?;
    let rule = &config.consolidation;
    at_least_1(
        "consolidation.trigger_interval_ms",
        rule.trigger_interval_ms,
    )?;
    at_least_1(
        "consolidation.trigger_event_count",
        count(rule.trigger_event_count),
    )?;
    at_least_1("consolidation.trigger_idle_ms", rule.trigger_idle_ms)?;
    at_least_1("consolidation.min_events", count(rule.min_events))?;
    at_least_1(
        "consolidation.max_summary_chars",
        count(rule.max_summary_chars),
    )?;
    share("injection.min_relevance", config.injection.min_relevance)?;
    let joined = &config.continuity;
    at_least_1("continuity.time_decay_ms", joined.time_decay_ms)?;
    for (argument, number) in [
        ("continuity.topic_weight", joined.topic_weight),
        ("continuity.file_weight", joined.file_weight),
        ("continuity.time_weight", joined.time_weight),
        ("continuity.entity_weight", joined.entity_weight),
        (
            "continuity.min_score_for_seamless",
            joined.min_score_for_seamless,
        ),
        (
            "continuity.min_score_for_topic_shift",
            joined.min_score_for_topic_shift,
        ),
    ] {
        share(argument, number)?;
    }
    Ok(())
}
