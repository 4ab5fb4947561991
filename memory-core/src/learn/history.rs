//! The ledgers in the store: runs, decisions, conflicts, promotions and
//! metrics, and the questions about uncertain memories.

use serde_json::{Value, json};

use crate::memory::Memory;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::EventRef;
use crate::projection::{self, entries, memories, rows, tasks};
use crate::rules::entries::{
    EffectiveMemory, EntryId, MemoryResolution, Placeholder, ResolutionKind, effective_memory,
};
use crate::rules::ledgers::{
    BuildRun, Conflict, Decision, EvidenceKind, PipelineMetric, PromotionRecord, ProvenStage,
};
use crate::store::projected::{Rows, Shelf};
use crate::write::prepare::{SystemEvent, clean_text, kept_name, kept_option};

pub(crate) fn placeholder_payload(event_id: &str) -> Value {
    json!({
        "placeholder_of": event_id,
        "id": format!("placeholder_{event_id}"),
        "type": Placeholder::TYPE,
        "auto_placeholder": true,
    })
}

impl Memory {
    fn list<T>(&self, shelf: Shelf, read: impl Fn(&crate::Json) -> Result<T>) -> Result<Vec<T>> {
        self.enter()?;
        rows::all(&self.inner.store.read()?.projected()?, shelf, &[], read)
    }

    /// The runs of the pipeline, the one begun first in front.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn build_runs(&self) -> Result<Vec<BuildRun>> {
        let mut runs = self.list(Shelf::BuildRun, BuildRun::from_json)?;
        runs.sort_by(|a, b| (a.started_at, &a.build_id).cmp(&(b.started_at, &b.build_id)));
        Ok(runs)
    }

    /// How long each stage of the pipeline took, in the order of the log.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn pipeline_metrics(&self) -> Result<Vec<PipelineMetric>> {
        self.list(Shelf::Metric, PipelineMetric::from_json)
    }

    /// The promotions of entries and the refusals, in the order of the log.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn promotions(&self) -> Result<Vec<PromotionRecord>> {
        self.list(Shelf::Promotion, PromotionRecord::from_json)
    }

    /// The conflicts between entries, the one found first in front.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn conflicts(&self) -> Result<Vec<Conflict>> {
        let mut found = self.list(Shelf::Conflict, Conflict::from_json)?;
        found.sort_by(|a, b| (a.detected_at, &a.conflict_id).cmp(&(b.detected_at, &b.conflict_id)));
        Ok(found)
    }

    /// The decisions, the one made first in front.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn decisions(&self) -> Result<Vec<Decision>> {
        let mut found = self.list(Shelf::Decision, Decision::from_json)?;
        found.sort_by(|a, b| (a.decided_at, &a.decision_id).cmp(&(b.decided_at, &b.decision_id)));
        Ok(found)
    }

    /// Records a decision. Its evidence must be in the store, verified or
    /// certified, and known before the decision was made.
    ///
    /// # Errors
    /// `invalid_argument` naming the element, for example
    /// `evidence[1].known_at`; `not_found` naming `evidence[1].evidence_id`;
    /// `invariant_violation` when an entry is not of the stage that is claimed;
    /// `already_exists` when the decision was recorded before.
    pub fn record_decision(&self, decision: &Decision) -> Result<()> {
        self.enter()?;
        decision.check()?;
        let mut decision = decision.clone();
        decision.decision_id = kept_name(&self.inner, &decision.decision_id)?;
        decision.action = clean_text(&self.inner, "action", &decision.action)?;
        decision.actor = clean_text(&self.inner, "actor", &decision.actor)?;
        decision.outcome = decision
            .outcome
            .as_ref()
            .map(|outcome| self.inner.filter.clean_json(outcome));
        self.inner.store.write(|tx| {
            {
                let rows = tx.projected()?;
                if rows
                    .get(Shelf::Decision, decision.decision_id.as_bytes())?
                    .is_some()
                {
                    return Err(Error::new(
                        ErrorCode::AlreadyExists,
                        "a decision with this id was recorded before",
                    )
                    .with_argument("decision_id"));
                }
                check_evidence(&rows, &decision)?;
            }
            let draft = SystemEvent::new(
                &self.inner,
                EventKind::DecisionMade,
                format!("decision: {}", decision.action),
                decision.to_json().to_value(),
            )
            .draft(&self.inner);
            projection::append(tx, &[draft])?;
            Ok(())
        })
    }

    /// Answers what an uncertain memory (an event, entry or condition, by its
    /// id) means. The last answer counts.
    ///
    /// # Errors
    /// `invalid_argument` naming `memory`, `resolved_to` (needed when
    /// confirmed, and not the memory itself) or `confidence`.
    pub fn resolve_memory(
        &self,
        memory: &str,
        kind: ResolutionKind,
        resolved_to: Option<&str>,
        confidence: f64,
    ) -> Result<()> {
        self.enter()?;
        if memory.trim().is_empty() {
            return Err(Error::invalid("memory", "must not be blank"));
        }
        if resolved_to == Some(memory) {
            return Err(Error::invalid("resolved_to", "is the memory itself"));
        }
        if kind == ResolutionKind::Confirmed && resolved_to.is_none() {
            return Err(Error::invalid(
                "resolved_to",
                "is needed to confirm what a memory means",
            ));
        }
        if !(0.0..=1.0).contains(&confidence) {
            return Err(Error::invalid("confidence", "must be between 0 and 1"));
        }
        let memory = kept_name(&self.inner, memory)?;
        let resolved_to = kept_option(&self.inner, resolved_to)?;
        let payload = json!({
            "condition_id": memory,
            "resolved_to": resolved_to,
            "resolution_type": kind.as_str(),
            "confidence": confidence,
        });
        self.record(
            EventKind::MemoryResolved,
            &format!("memory {kind}"),
            payload,
        )
    }

    /// Marks an event whose context is missing, to be resolved later.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn mark_unknown_context(&self, event: impl Into<EventRef>) -> Result<()> {
        let found = self.event(event)?.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, "there is no such event").with_argument("event")
        })?;
        self.record(
            EventKind::MemoryResolved,
            "context is missing",
            placeholder_payload(&found.id.to_string()),
        )
    }

    /// Events whose context is missing and not resolved yet.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn placeholders(&self) -> Result<Vec<Placeholder>> {
        self.list(Shelf::Placeholder, memories::placeholder_from)
    }

    /// The last answer about each uncertain memory.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn memory_resolutions(&self) -> Result<Vec<MemoryResolution>> {
        self.list(Shelf::Resolution, memories::resolution_from)
    }

    /// What a memory means now: itself, or what it was confirmed to be.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn effective_memory(&self, memory: &str) -> Result<EffectiveMemory> {
        self.enter()?;
        let memory = &kept_name(&self.inner, memory)?;
        let rows = self.inner.store.read()?.projected()?;
        let resolution = memories::resolution(&rows, memory)?;
        Ok(effective_memory(memory, resolution.as_ref()))
    }

    pub(crate) fn record(&self, kind: EventKind, content: &str, payload: Value) -> Result<()> {
        let draft = SystemEvent::new(&self.inner, kind, content, payload).draft(&self.inner);
        self.inner.store.write(|tx| {
            projection::append(tx, &[draft])?;
            Ok(())
        })
    }
}

fn check_evidence(rows: &dyn Rows, decision: &Decision) -> Result<()> {
    for (index, evidence) in decision.evidence.iter().enumerate() {
        let path = format!("evidence[{index}].evidence_id");
        let missing = || {
            Error::new(ErrorCode::NotFound, format!("{path}: is not in the store"))
                .with_argument(path.as_str())
        };
        match evidence.kind {
            EvidenceKind::Entry => {
                let id = EntryId::new(evidence.evidence_id.as_str());
                let row = entries::entry(rows, &id)?.ok_or_else(missing)?;
                let stage = ProvenStage::of(row.entry.lifecycle.stage());
                if stage.is_none_or(|stage| stage < evidence.stage) {
                    return Err(Error::new(
                        ErrorCode::InvariantViolation,
                        format!(
                            "{path}: the entry is {}, not {}",
                            row.entry.lifecycle.stage(),
                            evidence.stage
                        ),
                    )
                    .with_argument(path));
                }
                if row.created_at > decision.decided_at {
                    return Err(Error::invalid(
                        format!("evidence[{index}].known_at"),
                        "the entry was learned after the decision",
                    ));
                }
            }
            EvidenceKind::Entity => {
                tasks::entity_kind(rows, &evidence.evidence_id)?.ok_or_else(missing)?;
            }
        }
    }
    Ok(())
}
