//! The limits of the endless mode, and how the log records them.

use serde_json::{Value, json};

use crate::model::error::{Error, Result};
use crate::model::number::share;
use crate::rules::endless::{ConsolidationPolicy, InjectionPolicy, WorkingSetPolicy};

/// The limits of the endless mode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndlessConfig {
    /// What is in the working set.
    pub working_set: WorkingSetPolicy,
    /// When and how memories are made of it.
    pub consolidation: ConsolidationPolicy,
    /// How much an agent is given.
    pub injection: InjectionPolicy,
}

/// The limits that the log recorded; what it does not name has its default.
pub(crate) fn config_from(value: &Value) -> EndlessConfig {
    let mut config = EndlessConfig::default();
    let size = |name: &str, old: usize| {
        value[name]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(old)
    };
    let ms = |name: &str, old: i64| value[name].as_i64().unwrap_or(old);
    let unit = |name: &str, old: f64| value[name].as_f64().unwrap_or(old);
    let set = &mut config.working_set;
    set.max_events = size("max_events", set.max_events);
    set.time_window_ms = ms("time_window_ms", set.time_window_ms);
    set.min_relevance_score = unit("min_relevance_score", set.min_relevance_score);
    let rule = &mut config.consolidation;
    rule.trigger_interval_ms = ms("trigger_interval_ms", rule.trigger_interval_ms);
    rule.trigger_event_count = size("trigger_event_count", rule.trigger_event_count);
    rule.trigger_idle_ms = ms("trigger_idle_ms", rule.trigger_idle_ms);
    rule.min_events = size("min_events", rule.min_events);
    rule.max_summary_chars = size("max_summary_chars", rule.max_summary_chars);
    let given = &mut config.injection;
    given.min_relevance = unit("min_relevance", given.min_relevance);
    given.max_events = size("max_injected_events", given.max_events);
    given.max_memories = size("max_injected_memories", given.max_memories);
    config
}

/// The limits as the log records them.
pub(crate) fn config_value(config: &EndlessConfig) -> Value {
    let (set, rule, given) = (
        &config.working_set,
        &config.consolidation,
        &config.injection,
    );
    json!({
        "max_events": set.max_events,
        "time_window_ms": set.time_window_ms,
        "min_relevance_score": set.min_relevance_score,
        "trigger_interval_ms": rule.trigger_interval_ms,
        "trigger_event_count": rule.trigger_event_count,
        "trigger_idle_ms": rule.trigger_idle_ms,
        "min_events": rule.min_events,
        "max_summary_chars": rule.max_summary_chars,
        "min_relevance": given.min_relevance,
        "max_injected_events": given.max_events,
        "max_injected_memories": given.max_memories,
    })
}

/// Refuses limits that are out of range, naming the first.
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
    share("injection.min_relevance", config.injection.min_relevance)
}
