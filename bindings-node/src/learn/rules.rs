//! The rules that decide about matches, tasks, edges, levels and the endless
//! mode: functions that need no memory and are too quick for a worker.

use std::sync::atomic::AtomicBool;

use napi_derive::napi;
use recallite::rules::endless::{
    ConsolidationPolicy, ConsolidationTrigger, ContextSnapshot, continuity as score_contexts,
    continuity::MIN_SEAMLESS_SCORE,
};
use recallite::rules::graph::{NodeType, Relation};
use recallite::rules::levels::{
    CueLanguages, EvidenceGate, GraduationPolicy, InsightEvent, Level, evaluate,
    extract_insights as find_insights,
};
use recallite::rules::matching::{self, MatchParts, MatchThresholds, MatchWeights};
use recallite::rules::tasks::{TaskStatus, Transition};
use recallite::{Error, Result};

use super::each;
use crate::convert::{give_plain, take};
use crate::generated::{
    NativeConsolidationPolicyInput, NativeContinuity, NativeInsight, NativeUsageInput,
};
use crate::input::{self, Time, word};
use crate::outcome::{Outcome, now};
use crate::output::size;

fn quick<T>(call: impl FnOnce() -> Result<T>) -> Outcome<T> {
    now(&AtomicBool::new(false), call)
}

/// What a match score is made of.
#[napi(object, object_to_js = false)]
pub struct NativeMatchParts {
    pub semantic: f64,
    pub lexical: f64,
    pub age_days: f64,
    pub is_active: Option<bool>,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeMatchList {
    pub matched: Option<f64>,
    pub class: String,
    pub gap: Option<f64>,
    pub alternatives: Vec<f64>,
}

/// The match score of a candidate.
#[napi(catch_unwind)]
pub fn match_score(parts: NativeMatchParts) -> Outcome<f64> {
    quick(|| {
        let parts = MatchParts {
            semantic: parts.semantic,
            lexical: parts.lexical,
            age_days: parts.age_days,
            is_active: parts.is_active.unwrap_or(true),
        };
        Ok(matching::match_score(&parts, &MatchWeights::default()))
    })
}

/// What may be done with the best of several candidates.
#[napi(catch_unwind)]
pub fn match_list(candidates: Vec<f64>) -> Outcome<NativeMatchList> {
    quick(|| {
        let found = matching::match_list(&candidates, &MatchThresholds::default());
        Ok(NativeMatchList {
            matched: found.matched.map(size).transpose()?,
            class: found.class.as_str().to_owned(),
            gap: found.gap,
            alternatives: each(found.alternatives, size)?,
        })
    })
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeTransition {
    pub outcome: String,
    pub effective_status: String,
    pub rejected_reason: Option<String>,
}

/// What becomes of a task's requested move.
#[napi(catch_unwind)]
pub fn decide_transition(from: String, to: String) -> Outcome<NativeTransition> {
    quick(|| {
        let from: TaskStatus = word("from", &from)?;
        let decided = Transition::decide(from, word("to", &to)?);
        Ok(NativeTransition {
            outcome: decided.outcome().to_owned(),
            effective_status: decided.effective_status().as_str().to_owned(),
            rejected_reason: decided.rejected_reason().map(str::to_owned),
        })
    })
}

/// Whether an edge may lead from one type of node to another.
#[napi(catch_unwind)]
pub fn is_edge_allowed(
    source_type: String,
    relation: String,
    destination_type: String,
) -> Outcome<bool> {
    quick(|| {
        let source: NodeType = word("source_type", &source_type)?;
        let relation: Relation = word("relation", &relation)?;
        Ok(relation.allows(source, word("destination_type", &destination_type)?))
    })
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEvaluation {
    pub next: Option<String>,
    pub passed: bool,
    pub failed_on: Option<String>,
    pub reason: String,
}

/// Whether a memory rises one level.
#[napi(catch_unwind)]
pub fn evaluate_graduation(
    level: String,
    usage: Option<NativeUsageInput>,
    evidence: Option<String>,
) -> Outcome<NativeEvaluation> {
    quick(|| {
        let level: Level = word("level", &level)?;
        let gate = match evidence.as_deref() {
            None | Some("not_needed") => EvidenceGate::NotNeeded,
            Some("aligned") => EvidenceGate::Aligned,
            Some("failed") => EvidenceGate::Failed,
            Some(_) => {
                return Err(Error::invalid(
                    "evidence",
                    "unknown value; use one of not_needed, aligned, failed",
                ));
            }
        };
        let usage = usage.map(|usage| take("usage", usage)).transpose()?;
        let found = evaluate(&GraduationPolicy::default(), level, usage.as_ref(), gate);
        Ok(NativeEvaluation {
            next: found.next.map(|level| level.as_str().to_owned()),
            passed: found.passed,
            failed_on: found.failed_on.map(|one| one.as_str().to_owned()),
            reason: found.reason,
        })
    })
}

/// An event as the search for insights sees it.
#[napi(object, object_to_js = false)]
pub struct NativeInsightEvent {
    pub id: String,
    pub is_user_prompt: bool,
    pub content: String,
    pub canonical_key: String,
}

/// What events, taken together, give away.
#[napi(catch_unwind)]
pub fn extract_insights(
    events: Vec<NativeInsightEvent>,
    cues: Option<String>,
) -> Outcome<Vec<NativeInsight>> {
    quick(|| {
        let cues = match cues {
            Some(cues) => word("cues", &cues)?,
            None => CueLanguages::EnglishAndKorean,
        };
        let events: Vec<InsightEvent<'_>> = events
            .iter()
            .map(|event| InsightEvent {
                id: &event.id,
                is_user_prompt: event.is_user_prompt,
                content: &event.content,
                canonical_key: &event.canonical_key,
            })
            .collect();
        give_plain(find_insights(&events, cues))
    })
}

/// What the decision to consolidate looks at.
#[napi(object, object_to_js = false)]
pub struct NativeConsolidationTrigger {
    pub since_last_ms: f64,
    pub working_set_size: f64,
    pub idle_ms: f64,
}

/// Whether it is time to consolidate.
#[napi(catch_unwind)]
pub fn is_consolidation_due(
    trigger: NativeConsolidationTrigger,
    policy: Option<NativeConsolidationPolicyInput>,
) -> Outcome<bool> {
    quick(|| {
        let trigger = ConsolidationTrigger {
            since_last_ms: input::milliseconds("since_last_ms", trigger.since_last_ms)?,
            working_set_size: input::size("working_set_size", trigger.working_set_size)?,
            idle_ms: input::milliseconds("idle_ms", trigger.idle_ms)?,
        };
        let policy = match policy {
            Some(policy) => take("policy", policy)?,
            None => ConsolidationPolicy::default(),
        };
        Ok(trigger.is_due(&policy))
    })
}

/// What a stretch of conversation was about.
#[napi(object, object_to_js = false)]
pub struct NativeContextSnapshot {
    pub id: Option<String>,
    pub timestamp: Time,
    pub topics: Option<Vec<String>>,
    pub files: Option<Vec<String>>,
    pub entities: Option<Vec<String>>,
}

impl NativeContextSnapshot {
    fn snapshot(self, argument: &str) -> Result<ContextSnapshot> {
        Ok(ContextSnapshot {
            id: self.id.unwrap_or_default(),
            timestamp: input::time(&format!("{argument}.timestamp"), self.timestamp)?,
            topics: self.topics.unwrap_or_default(),
            files: self.files.unwrap_or_default(),
            entities: self.entities.unwrap_or_default(),
        })
    }
}

/// How far one context goes on from another.
#[napi(catch_unwind)]
pub fn continuity(
    current: NativeContextSnapshot,
    previous: Option<NativeContextSnapshot>,
    min_score_for_seamless: Option<f64>,
) -> Outcome<NativeContinuity> {
    quick(|| {
        let current = current.snapshot("current")?;
        let previous = previous
            .map(|previous| previous.snapshot("previous"))
            .transpose()?;
        let seamless = min_score_for_seamless.unwrap_or(MIN_SEAMLESS_SCORE);
        give_plain(score_contexts(&current, previous.as_ref(), seamless))
    })
}
