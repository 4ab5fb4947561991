//! The endless mode: its settings, the working set, consolidated memories and
//! continuity.

use napi_derive::napi;
use recallite::rules::endless::{
    ConsolidationPolicy, Continuity, InjectionPolicy, WorkingItem, WorkingSetPolicy,
};
use recallite::{ConsolidatedMemory, EndlessConfig, Memory, Result};

use super::{each, word};
use crate::input;
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::output::{self, NativeEvent, ms, number, size};

/// The limits of the working set; what is absent has its default.
#[napi(object)]
pub struct NativePolicyOfWorkingSet {
    pub max_events: Option<f64>,
    pub time_window_ms: Option<f64>,
    pub min_relevance_score: Option<f64>,
}

/// When and how to consolidate; what is absent has its default.
#[napi(object)]
pub struct NativePolicyOfConsolidation {
    pub trigger_interval_ms: Option<f64>,
    pub trigger_event_count: Option<f64>,
    pub trigger_idle_ms: Option<f64>,
    pub min_events: Option<f64>,
    pub max_summary_chars: Option<f64>,
}

/// How much an agent is given; what is absent has its default.
#[napi(object)]
pub struct NativePolicyOfInjection {
    pub min_relevance: Option<f64>,
    pub max_events: Option<f64>,
    pub max_memories: Option<f64>,
}

#[napi(object)]
pub struct NativeEndlessConfig {
    pub working_set: Option<NativePolicyOfWorkingSet>,
    pub consolidation: Option<NativePolicyOfConsolidation>,
    pub injection: Option<NativePolicyOfInjection>,
}

#[napi(object, object_from_js = false)]
pub struct NativeWorkingItem {
    pub event_id: String,
    pub added_at: f64,
    pub relevance: f64,
    pub topics: Vec<String>,
    pub expires_at: f64,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeConsolidatedMemory {
    pub memory_id: String,
    pub summary: String,
    pub topics: Vec<String>,
    pub source_events: Vec<String>,
    pub confidence: f64,
    pub is_continuation: bool,
    pub created_at: f64,
    pub accessed_at: Option<f64>,
    pub access_count: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeContinuityEntry {
    pub from_context_id: String,
    pub to_context_id: String,
    pub score: f64,
    pub transition: String,
    pub at: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeContinuity {
    pub score: f64,
    pub transition: String,
    pub is_logged: bool,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEndlessStatus {
    pub mode: String,
    pub config: NativeEndlessConfig,
    pub working_set: f64,
    pub last_activity: Option<f64>,
    pub active_topics: Vec<String>,
    pub active_files: Vec<String>,
    pub active_entities: Vec<String>,
    pub continuity_score: f64,
    pub consolidated: f64,
    pub last_consolidation: Option<f64>,
}

#[napi(object, object_from_js = false)]
pub struct NativeEndlessContext {
    pub working_set: Vec<NativeEvent>,
    pub consolidated: Vec<NativeConsolidatedMemory>,
    pub continuity_score: f64,
}

/// Puts a number that was given into its place.
fn set<T>(
    place: &mut T,
    argument: String,
    given: Option<f64>,
    convert: impl FnOnce(&str, f64) -> Result<T>,
) -> Result<()> {
    if let Some(given) = given {
        *place = convert(&argument, given)?;
    }
    Ok(())
}

fn unit(_: &str, given: f64) -> Result<f64> {
    // The core says what is out of range.
    Ok(given)
}

impl NativePolicyOfConsolidation {
    /// The core's policy; errors name the fields behind `prefix`.
    pub fn policy(self, prefix: &str) -> Result<ConsolidationPolicy> {
        let mut policy = ConsolidationPolicy::default();
        let at = |field: &str| format!("{prefix}.{field}");
        set(
            &mut policy.trigger_interval_ms,
            at("trigger_interval_ms"),
            self.trigger_interval_ms,
            input::milliseconds,
        )?;
        set(
            &mut policy.trigger_event_count,
            at("trigger_event_count"),
            self.trigger_event_count,
            input::size,
        )?;
        set(
            &mut policy.trigger_idle_ms,
            at("trigger_idle_ms"),
            self.trigger_idle_ms,
            input::milliseconds,
        )?;
        set(
            &mut policy.min_events,
            at("min_events"),
            self.min_events,
            input::size,
        )?;
        set(
            &mut policy.max_summary_chars,
            at("max_summary_chars"),
            self.max_summary_chars,
            input::size,
        )?;
        Ok(policy)
    }
}

impl NativeEndlessConfig {
    fn config(self) -> Result<EndlessConfig> {
        let mut config = EndlessConfig::default();
        if let Some(given) = self.working_set {
            let policy: &mut WorkingSetPolicy = &mut config.working_set;
            let at = |field: &str| format!("working_set.{field}");
            set(
                &mut policy.max_events,
                at("max_events"),
                given.max_events,
                input::size,
            )?;
            set(
                &mut policy.time_window_ms,
                at("time_window_ms"),
                given.time_window_ms,
                input::milliseconds,
            )?;
            set(
                &mut policy.min_relevance_score,
                at("min_relevance_score"),
                given.min_relevance_score,
                unit,
            )?;
        }
        if let Some(given) = self.consolidation {
            config.consolidation = given.policy("consolidation")?;
        }
        if let Some(given) = self.injection {
            let policy: &mut InjectionPolicy = &mut config.injection;
            let at = |field: &str| format!("injection.{field}");
            set(
                &mut policy.min_relevance,
                at("min_relevance"),
                given.min_relevance,
                unit,
            )?;
            set(
                &mut policy.max_events,
                at("max_events"),
                given.max_events,
                input::size,
            )?;
            set(
                &mut policy.max_memories,
                at("max_memories"),
                given.max_memories,
                input::size,
            )?;
        }
        Ok(config)
    }
}

fn native_config(config: &EndlessConfig) -> Result<NativeEndlessConfig> {
    let (table, rule, given) = (
        &config.working_set,
        &config.consolidation,
        &config.injection,
    );
    Ok(NativeEndlessConfig {
        working_set: Some(NativePolicyOfWorkingSet {
            max_events: Some(size(table.max_events)?),
            time_window_ms: Some(table.time_window_ms as f64),
            min_relevance_score: Some(table.min_relevance_score),
        }),
        consolidation: Some(NativePolicyOfConsolidation {
            trigger_interval_ms: Some(rule.trigger_interval_ms as f64),
            trigger_event_count: Some(size(rule.trigger_event_count)?),
            trigger_idle_ms: Some(rule.trigger_idle_ms as f64),
            min_events: Some(size(rule.min_events)?),
            max_summary_chars: Some(size(rule.max_summary_chars)?),
        }),
        injection: Some(NativePolicyOfInjection {
            min_relevance: Some(given.min_relevance),
            max_events: Some(size(given.max_events)?),
            max_memories: Some(size(given.max_memories)?),
        }),
    })
}

/// A continuity of the core.
pub fn continuity_of(found: Continuity) -> NativeContinuity {
    NativeContinuity {
        score: found.score,
        transition: found.transition.as_str().to_owned(),
        is_logged: found.is_logged,
    }
}

fn consolidated(memory: ConsolidatedMemory) -> Result<NativeConsolidatedMemory> {
    Ok(NativeConsolidatedMemory {
        memory_id: memory.memory_id,
        summary: memory.summary,
        topics: memory.topics,
        source_events: memory.source_events,
        confidence: memory.confidence,
        is_continuation: memory.is_continuation,
        created_at: ms(memory.created_at),
        accessed_at: memory.accessed_at.map(ms),
        access_count: number(memory.access_count)?,
    })
}

fn mode(memory: &Memory) -> Result<String> {
    Ok(memory.endless().mode()?.as_str().to_owned())
}

fn session_now(memory: &Memory, session: String) -> Result<String> {
    memory.endless().session_now(&session)
}

fn set_mode(memory: &Memory, mode: String) -> Result<()> {
    memory.endless().set_mode(word("mode", &mode)?)
}

fn endless_config(memory: &Memory) -> Result<NativeEndlessConfig> {
    native_config(&memory.endless().config()?)
}

fn set_endless_config(memory: &Memory, config: NativeEndlessConfig) -> Result<()> {
    memory.endless().set_config(&config.config()?)
}

fn working_set(memory: &Memory) -> Result<Vec<NativeWorkingItem>> {
    let item = |item: WorkingItem| NativeWorkingItem {
        event_id: item.event_id,
        added_at: ms(item.added_at),
        relevance: item.relevance,
        topics: item.topics,
        expires_at: ms(item.expires_at),
    };
    Ok(memory
        .endless()
        .working_set()?
        .into_iter()
        .map(item)
        .collect())
}

fn consolidated_memories(
    memory: &Memory,
    text: Option<String>,
) -> Result<Vec<NativeConsolidatedMemory>> {
    each(memory.endless().memories(text.as_deref())?, consolidated)
}

fn continuity_log(memory: &Memory) -> Result<Vec<NativeContinuityEntry>> {
    let log = memory.endless().continuity_log()?.into_iter();
    Ok(log
        .map(|entry| NativeContinuityEntry {
            from_context_id: entry.from_context_id,
            to_context_id: entry.to_context_id,
            score: entry.score,
            transition: entry.transition.as_str().to_owned(),
            at: ms(entry.at),
        })
        .collect())
}

fn score_continuity(memory: &Memory, context_id: String, text: String) -> Result<NativeContinuity> {
    Ok(continuity_of(
        memory.endless().score_continuity(&context_id, &text)?,
    ))
}

fn endless_status(memory: &Memory) -> Result<NativeEndlessStatus> {
    let status = memory.endless().status()?;
    Ok(NativeEndlessStatus {
        mode: status.mode.as_str().to_owned(),
        config: native_config(&status.config)?,
        working_set: size(status.working_set)?,
        last_activity: status.last_activity.map(ms),
        active_topics: status.active_topics,
        active_files: status.active_files,
        active_entities: status.active_entities,
        continuity_score: status.continuity_score,
        consolidated: number(status.consolidated)?,
        last_consolidation: status.last_consolidation.map(ms),
    })
}

fn endless_context(memory: &Memory) -> Result<NativeEndlessContext> {
    let context = memory.endless().context()?;
    Ok(NativeEndlessContext {
        working_set: each(context.working_set, output::event)?,
        consolidated: each(context.consolidated, consolidated)?,
        continuity_score: context.continuity_score,
    })
}

methods! {
    mode / mode_sync()
        -> [String] as "Promise<string | Failure>" = mode;
    session_now / session_now_sync(session: [String])
        -> [String] as "Promise<string | Failure>" = session_now;
    set_mode / set_mode_sync(mode: [String])
        -> [()] as "Promise<undefined | Failure>" = set_mode;
    endless_config / endless_config_sync()
        -> [NativeEndlessConfig] as "Promise<NativeEndlessConfig | Failure>" = endless_config;
    set_endless_config / set_endless_config_sync(config: [NativeEndlessConfig])
        -> [()] as "Promise<undefined | Failure>" = set_endless_config;
    working_set / working_set_sync()
        -> [Vec<NativeWorkingItem>] as "Promise<Array<NativeWorkingItem> | Failure>"
        = working_set;
    consolidated_memories / consolidated_memories_sync(text: [Option<String>])
        -> [Vec<NativeConsolidatedMemory>]
        as "Promise<Array<NativeConsolidatedMemory> | Failure>" = consolidated_memories;
    continuity_log / continuity_log_sync()
        -> [Vec<NativeContinuityEntry>] as "Promise<Array<NativeContinuityEntry> | Failure>"
        = continuity_log;
    score_continuity / score_continuity_sync(context_id: [String], text: [String])
        -> [NativeContinuity] as "Promise<NativeContinuity | Failure>" = score_continuity;
    endless_status / endless_status_sync()
        -> [NativeEndlessStatus] as "Promise<NativeEndlessStatus | Failure>" = endless_status;
    endless_context / endless_context_sync()
        -> [NativeEndlessContext] as "Promise<NativeEndlessContext | Failure>"
        = endless_context;
}
