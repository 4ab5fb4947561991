//! The history of the pipeline: runs, promotions, conflicts, decisions, and the
//! questions about uncertain memories.

use napi_derive::napi;
use recallite::rules::history::{
    BuildOutcome, BuildRun, Conflict, Decision, DecisionEvidence, PipelineMetric, PromotionRecord,
};
use recallite::{Json, Memory, Result};

use super::{each, word};
use crate::input::{self, Name, Time};
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::output::ms;

#[napi(object, object_from_js = false)]
pub struct NativeBuildTools {
    pub extractor_model: String,
    pub extractor_prompt_hash: String,
    pub embedder_model: String,
    pub embedding_version: String,
    pub idris_version: String,
    pub schema_version: String,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeBuildRun {
    pub build_id: String,
    pub started_at: f64,
    pub finished_at: Option<f64>,
    pub status: String,
    pub error: Option<String>,
    pub tools: NativeBuildTools,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativePipelineMetric {
    pub stage: String,
    pub at: f64,
    pub latency_ms: f64,
    pub error: Option<String>,
    pub session: Option<String>,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativePromotion {
    pub entry_id: String,
    pub from: String,
    pub to: String,
    pub is_blocked: bool,
    pub reason: String,
    pub build_id: Option<String>,
    pub at: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeConflictResolution {
    pub resolved_at: f64,
    pub resolution: String,
    pub resolved_by: String,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeConflict {
    pub conflict_id: String,
    pub older_id: String,
    pub newer_id: String,
    pub conflict_type: String,
    pub reason: Option<String>,
    pub detected_at: f64,
    pub resolved: Option<NativeConflictResolution>,
}

/// A decision to be recorded; `outcome_json` is JSON text.
#[napi(object, object_to_js = false)]
pub struct NativeNewDecision {
    pub decision_id: String,
    pub decided_at: Time,
    pub actor: String,
    pub action: String,
    pub outcome_json: Option<String>,
    pub confidence: Option<f64>,
    pub build_id: Option<String>,
    pub evidence: Vec<NativeNewDecisionEvidence>,
}

#[napi(object, object_to_js = false)]
pub struct NativeNewDecisionEvidence {
    pub kind: String,
    pub evidence_id: String,
    pub stage: String,
    pub role: String,
    pub known_at: Time,
}

#[napi(object, object_from_js = false)]
pub struct NativeDecisionEvidence {
    pub kind: String,
    pub evidence_id: String,
    pub stage: String,
    pub role: String,
    pub known_at: f64,
}

/// A recorded decision; `outcome_json` is JSON text.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeDecision {
    pub decision_id: String,
    pub decided_at: f64,
    pub actor: String,
    pub action: String,
    pub outcome_json: Option<String>,
    pub confidence: Option<f64>,
    pub build_id: Option<String>,
    pub evidence: Vec<NativeDecisionEvidence>,
}

#[napi(object, object_from_js = false)]
pub struct NativePlaceholder {
    pub id: String,
    pub event_id: String,
    pub created_at: f64,
}

/// An answer to what an uncertain memory means.
#[napi(object, object_to_js = false)]
pub struct NativeMemoryAnswer {
    pub kind: String,
    pub resolved_to: Option<String>,
    pub confidence: f64,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeMemoryResolution {
    pub condition_id: String,
    pub resolved_to: Option<String>,
    pub kind: String,
    pub confidence: f64,
    pub resolved_at: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeEffectiveMemory {
    pub effective_id: String,
    pub status: String,
}

fn build_run(run: BuildRun) -> NativeBuildRun {
    let (status, finished_at, error) = match run.outcome {
        BuildOutcome::Running => ("running", None, None),
        BuildOutcome::Success { finished_at } => ("success", Some(finished_at), None),
        BuildOutcome::Failed { finished_at, error } => ("failed", Some(finished_at), Some(error)),
    };
    NativeBuildRun {
        build_id: run.build_id,
        started_at: ms(run.started_at),
        finished_at: finished_at.map(ms),
        status: status.to_owned(),
        error,
        tools: NativeBuildTools {
            extractor_model: run.tools.extractor_model,
            extractor_prompt_hash: run.tools.extractor_prompt_hash,
            embedder_model: run.tools.embedder_model,
            embedding_version: run.tools.embedding_version,
            idris_version: run.tools.idris_version,
            schema_version: run.tools.schema_version,
        },
    }
}

/// A conflict of the core.
pub fn conflict(conflict: Conflict) -> NativeConflict {
    NativeConflict {
        conflict_id: conflict.conflict_id,
        older_id: conflict.older_id.as_str().to_owned(),
        newer_id: conflict.newer_id.as_str().to_owned(),
        conflict_type: conflict.conflict_type,
        reason: conflict.reason,
        detected_at: ms(conflict.detected_at),
        resolved: conflict.resolved.map(|end| NativeConflictResolution {
            resolved_at: ms(end.resolved_at),
            resolution: end.resolution,
            resolved_by: end.resolved_by,
        }),
    }
}

fn decision(decision: Decision) -> NativeDecision {
    NativeDecision {
        decision_id: decision.decision_id,
        decided_at: ms(decision.decided_at),
        actor: decision.actor,
        action: decision.action,
        outcome_json: decision.outcome.map(|json| json.as_str().to_owned()),
        confidence: decision.confidence,
        build_id: decision.build_id,
        evidence: decision
            .evidence
            .into_iter()
            .map(|evidence| NativeDecisionEvidence {
                kind: evidence.kind.as_str().to_owned(),
                evidence_id: evidence.evidence_id,
                stage: evidence.stage.as_str().to_owned(),
                role: evidence.role,
                known_at: ms(evidence.known_at),
            })
            .collect(),
    }
}

impl NativeNewDecision {
    fn decision(self) -> Result<Decision> {
        Ok(Decision {
            decision_id: self.decision_id,
            decided_at: input::time("decided_at", self.decided_at)?,
            actor: self.actor,
            action: self.action,
            outcome: input::optional("outcome", self.outcome_json.as_deref(), Json::parse)?,
            confidence: self.confidence,
            build_id: self.build_id,
            evidence: each(
                self.evidence.into_iter().enumerate(),
                |(index, evidence)| {
                    let at = |field: &str| format!("evidence[{index}].{field}");
                    Ok(DecisionEvidence {
                        kind: word(&at("kind"), &evidence.kind)?,
                        evidence_id: evidence.evidence_id,
                        stage: word(&at("stage"), &evidence.stage)?,
                        role: evidence.role,
                        known_at: input::time(&at("known_at"), evidence.known_at)?,
                    })
                },
            )?,
        })
    }
}

fn build_runs(memory: &Memory) -> Result<Vec<NativeBuildRun>> {
    Ok(memory
        .history()
        .build_runs()?
        .into_iter()
        .map(build_run)
        .collect())
}

fn pipeline_metrics(memory: &Memory) -> Result<Vec<NativePipelineMetric>> {
    let metric = |metric: PipelineMetric| NativePipelineMetric {
        stage: metric.stage.as_str().to_owned(),
        at: ms(metric.at),
        latency_ms: metric.latency_ms,
        error: metric.error,
        session: metric.session,
    };
    Ok(memory
        .history()
        .pipeline_metrics()?
        .into_iter()
        .map(metric)
        .collect())
}

fn promotions(memory: &Memory) -> Result<Vec<NativePromotion>> {
    let promotion = |record: PromotionRecord| NativePromotion {
        entry_id: record.entry_id.as_str().to_owned(),
        from: record.from.as_str().to_owned(),
        to: record.to.as_str().to_owned(),
        is_blocked: record.is_blocked,
        reason: record.reason,
        build_id: record.build_id,
        at: ms(record.at),
    };
    Ok(memory
        .history()
        .promotions()?
        .into_iter()
        .map(promotion)
        .collect())
}

fn conflicts(memory: &Memory) -> Result<Vec<NativeConflict>> {
    Ok(memory
        .knowledge()
        .conflicts()?
        .into_iter()
        .map(conflict)
        .collect())
}

fn decisions(memory: &Memory) -> Result<Vec<NativeDecision>> {
    Ok(memory
        .history()
        .decisions()?
        .into_iter()
        .map(decision)
        .collect())
}

fn record_decision(memory: &Memory, decision: NativeNewDecision) -> Result<()> {
    memory.history().record_decision(&decision.decision()?)
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
    let found = memory.knowledge().placeholders()?.into_iter();
    Ok(found
        .map(|placeholder| NativePlaceholder {
            id: placeholder.id,
            event_id: placeholder.event_id,
            created_at: ms(placeholder.created_at),
        })
        .collect())
}

fn memory_resolutions(memory: &Memory) -> Result<Vec<NativeMemoryResolution>> {
    let found = memory.knowledge().memory_resolutions()?.into_iter();
    Ok(found
        .map(|resolution| NativeMemoryResolution {
            condition_id: resolution.condition_id,
            resolved_to: resolution.resolved_to,
            kind: resolution.kind.as_str().to_owned(),
            confidence: resolution.confidence,
            resolved_at: ms(resolution.resolved_at),
        })
        .collect())
}

fn effective_memory(memory: &Memory, uncertain: String) -> Result<NativeEffectiveMemory> {
    let found = memory.knowledge().effective_memory(&uncertain)?;
    Ok(NativeEffectiveMemory {
        effective_id: found.effective_id,
        status: found.status.as_str().to_owned(),
    })
}

methods! {
    build_runs / build_runs_sync()
        -> [Vec<NativeBuildRun>] as "Promise<Array<NativeBuildRun> | Failure>" = build_runs;
    pipeline_metrics / pipeline_metrics_sync()
        -> [Vec<NativePipelineMetric>] as "Promise<Array<NativePipelineMetric> | Failure>"
        = pipeline_metrics;
    promotions / promotions_sync()
        -> [Vec<NativePromotion>] as "Promise<Array<NativePromotion> | Failure>" = promotions;
    conflicts / conflicts_sync()
        -> [Vec<NativeConflict>] as "Promise<Array<NativeConflict> | Failure>" = conflicts;
    decisions / decisions_sync()
        -> [Vec<NativeDecision>] as "Promise<Array<NativeDecision> | Failure>" = decisions;
    record_decision / record_decision_sync(decision: [NativeNewDecision])
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
