//! The ledgers of the pipeline: runs, promotions, conflicts, decisions, and the
//! questions about uncertain memories.

use napi_derive::napi;
use recallite::{Memory, Result};

use super::word;
use crate::convert::{give, take};
use crate::generated::{
    NativeBuildRun, NativeConflict, NativeDecision, NativeDecisionInput, NativeEffectiveMemory,
    NativeMemoryResolution, NativePipelineMetric, NativePlaceholder, NativePromotionRecord,
};
use crate::input::{self, Name};
use crate::memory::NativeMemory;
use crate::methods::methods;

/// An answer to what an uncertain memory means.
#[napi(object, object_to_js = false)]
pub struct NativeMemoryAnswer {
    pub kind: String,
    pub resolved_to: Option<String>,
    pub confidence: f64,
}

fn build_runs(memory: &Memory) -> Result<Vec<NativeBuildRun>> {
    give(memory, memory.history().build_runs()?)
}

fn pipeline_metrics(memory: &Memory) -> Result<Vec<NativePipelineMetric>> {
    give(memory, memory.history().pipeline_metrics()?)
}

fn promotions(memory: &Memory) -> Result<Vec<NativePromotionRecord>> {
    give(memory, memory.history().promotions()?)
}

fn conflicts(memory: &Memory) -> Result<Vec<NativeConflict>> {
    give(memory, memory.knowledge().conflicts()?)
}

fn decisions(memory: &Memory) -> Result<Vec<NativeDecision>> {
    give(memory, memory.history().decisions()?)
}

fn record_decision(memory: &Memory, decision: NativeDecisionInput) -> Result<()> {
    memory.history().record_decision(&take("", decision)?)
}

fn resolve_memory(memory: &Memory, uncertain: String, answer: NativeMemoryAnswer) -> Result<()> {
    memory.knowledge().resolve_memory(
        &uncertain,
        word("kind", &answer.kind)?,
        answer.resolved_to.as_deref(),
        answer.confidence,
    )
}

fn mark_unknown_context(memory: &Memory, event: Name) -> Result<()> {
    memory
        .knowledge()
        .mark_unknown_context(input::name("event", event)?)
}

fn placeholders(memory: &Memory) -> Result<Vec<NativePlaceholder>> {
    give(memory, memory.knowledge().placeholders()?)
}

fn memory_resolutions(memory: &Memory) -> Result<Vec<NativeMemoryResolution>> {
    give(memory, memory.knowledge().memory_resolutions()?)
}

fn effective_memory(memory: &Memory, uncertain: String) -> Result<NativeEffectiveMemory> {
    give(memory, memory.knowledge().effective_memory(&uncertain)?)
}

methods! {
    build_runs / build_runs_sync()
        -> [Vec<NativeBuildRun>] as "Promise<Array<NativeBuildRun> | Failure>" = build_runs;
    pipeline_metrics / pipeline_metrics_sync()
        -> [Vec<NativePipelineMetric>] as "Promise<Array<NativePipelineMetric> | Failure>"
        = pipeline_metrics;
    promotions / promotions_sync()
        -> [Vec<NativePromotionRecord>] as "Promise<Array<NativePromotionRecord> | Failure>" = promotions;
    conflicts / conflicts_sync()
        -> [Vec<NativeConflict>] as "Promise<Array<NativeConflict> | Failure>" = conflicts;
    decisions / decisions_sync()
        -> [Vec<NativeDecision>] as "Promise<Array<NativeDecision> | Failure>" = decisions;
    record_decision / record_decision_sync(decision: [NativeDecisionInput])
        -> [()] as "Promise<undefined | Failure>" = record_decision;
    resolve_memory / resolve_memory_sync(uncertain: [String], answer: [NativeMemoryAnswer])
        -> [()] as "Promise<undefined | Failure>" = resolve_memory;
    mark_unknown_context / mark_unknown_context_sync(event: [Name])
        -> [()] as "Promise<undefined | Failure>" = mark_unknown_context;
    placeholders / placeholders_sync()
        -> [Vec<NativePlaceholder>] as "Promise<Array<NativePlaceholder> | Failure>"
        = placeholders;
    memory_resolutions / memory_resolutions_sync()
        -> [Vec<NativeMemoryResolution>] as "Promise<Array<NativeMemoryResolution> | Failure>"
        = memory_resolutions;
    effective_memory / effective_memory_sync(uncertain: [String])
        -> [NativeEffectiveMemory] as "Promise<NativeEffectiveMemory | Failure>"
        = effective_memory;
}
