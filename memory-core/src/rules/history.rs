//! The history of the learning pipeline: which run made what, what was decided
//! on which evidence, what disagrees, what rose, and how long each stage took.

use serde_json::{Value, json};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::json::Json;
use crate::model::read::{Element, words};
use crate::model::time::Timestamp;
use crate::rules::entries::{EntryId, Stage};

/// The tools of a run: enough to tell later why its results differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildTools {
    /// Which language model extracted.
    pub extractor_model: String,
    /// The hash of its prompt.
    pub extractor_prompt_hash: String,
    /// Which embedder made the vectors.
    pub embedder_model: String,
    /// The embedder's fingerprint.
    pub embedding_version: String,
    /// Which type checker looked at the entries.
    pub idris_version: String,
    /// Which extraction schema was used.
    pub schema_version: String,
}

/// How a run stands; only a finished one has an end, only a failed one an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildOutcome {
    /// It goes on.
    Running,
    /// It ended well.
    Success {
        /// When.
        finished_at: Timestamp,
    },
    /// It ended badly.
    Failed {
        /// When.
        finished_at: Timestamp,
        /// What went wrong.
        error: String,
    },
}

impl BuildOutcome {
    /// `running`, `success` or `failed`.
    pub fn as_str(&self) -> &'static str {
        match self {
            BuildOutcome::Running => "running",
            BuildOutcome::Success { .. } => "success",
            BuildOutcome::Failed { .. } => "failed",
        }
    }
}

/// One run of the pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRun {
    /// Its identity; what it makes carries it.
    pub build_id: String,
    /// When it began.
    pub started_at: Timestamp,
    /// What it used.
    pub tools: BuildTools,
    /// How it stands.
    pub outcome: BuildOutcome,
}

impl BuildRun {
    /// When it ended; `None` while it runs.
    pub fn finished_at(&self) -> Option<Timestamp> {
        match &self.outcome {
            BuildOutcome::Running => None,
            BuildOutcome::Success { finished_at } | BuildOutcome::Failed { finished_at, .. } => {
                Some(*finished_at)
            }
        }
    }

    /// What went wrong; only a failed run has one.
    pub fn error(&self) -> Option<&str> {
        match &self.outcome {
            BuildOutcome::Failed { error, .. } => Some(error),
            BuildOutcome::Running | BuildOutcome::Success { .. } => None,
        }
    }

    /// The run after it ended; `error` is what went wrong, if anything did.
    ///
    /// # Errors
    /// `invalid_transition` when it had ended already; `invalid_argument`
    /// naming `finished_at` when that is before its beginning.
    pub fn finish(&self, finished_at: Timestamp, error: Option<String>) -> Result<BuildRun> {
        if self.outcome != BuildOutcome::Running {
            return Err(Error::new(
                ErrorCode::InvalidTransition,
                format!("build run {} has ended already", self.build_id),
            ));
        }
        if finished_at < self.started_at {
            return Err(Error::invalid("finished_at", "is before started_at"));
        }
        Ok(BuildRun {
            outcome: match error {
                None => BuildOutcome::Success { finished_at },
                Some(error) => BuildOutcome::Failed { finished_at, error },
            },
            ..self.clone()
        })
    }

    /// The payload as the log keeps it.
    pub fn to_json(&self) -> Json {
        let (status, finished_at, error) = match &self.outcome {
            BuildOutcome::Running => ("running", None, None),
            BuildOutcome::Success { finished_at } => ("success", Some(finished_at), None),
            BuildOutcome::Failed { finished_at, error } => {
                ("failed", Some(finished_at), Some(error))
            }
        };
        Json::from_value(&json!({
            "build_id": self.build_id,
            "started_at": self.started_at.millis(),
            "finished_at": finished_at.map(|at| at.millis()),
            "extractor_model": self.tools.extractor_model,
            "extractor_prompt_hash": self.tools.extractor_prompt_hash,
            "embedder_model": self.tools.embedder_model,
            "embedding_version": self.tools.embedding_version,
            "idris_version": self.tools.idris_version,
            "schema_version": self.tools.schema_version,
            "status": status,
            "error": error,
        }))
    }

    /// Reads what the log kept.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let value = json.to_value();
        let root = Element::root("build_run", &value);
        let tool = |name: &str| Ok::<_, Error>(root.optional_string(name)?.unwrap_or_default());
        let started_at = root.required("started_at")?.time()?;
        let finished = || -> Result<Timestamp> {
            let element = root.required("finished_at")?;
            let finished_at = element.time()?;
            if finished_at < started_at {
                return Err(element.error("is before started_at"));
            }
            Ok(finished_at)
        };
        let status = root.required("status")?;
        Ok(BuildRun {
            build_id: root.required("build_id")?.text()?,
            started_at,
            tools: BuildTools {
                extractor_model: tool("extractor_model")?,
                extractor_prompt_hash: tool("extractor_prompt_hash")?,
                embedder_model: tool("embedder_model")?,
                embedding_version: tool("embedding_version")?,
                idris_version: tool("idris_version")?,
                schema_version: tool("schema_version")?,
            },
            outcome: match status.str()? {
                "running" => BuildOutcome::Running,
                "success" => BuildOutcome::Success {
                    finished_at: finished()?,
                },
                "failed" => BuildOutcome::Failed {
                    finished_at: finished()?,
                    error: root.required("error")?.string()?,
                },
                _ => return Err(status.error("must be running, success or failed")),
            },
        })
    }
}

words! {
    /// What a decision's evidence is.
    EvidenceKind ("evidence_kind") {
        /// A learned entry.
        Entry = "entry",
        /// A task, condition or artifact.
        Entity = "entity",
    }
}

words! {
    /// The stages that can carry a decision.
    ProvenStage ("evidence_stage") {
        /// Every quote was found.
        Verified = "verified",
        /// Somebody vouched for it.
        Certified = "certified",
    }
}

impl ProvenStage {
    /// The proven stage, if this is one.
    pub fn of(stage: Stage) -> Option<ProvenStage> {
        match stage {
            Stage::Verified => Some(ProvenStage::Verified),
            Stage::Certified => Some(ProvenStage::Certified),
            Stage::Raw | Stage::Working | Stage::Candidate => None,
        }
    }
}

/// One piece of evidence of a decision. It can only be of a proven stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionEvidence {
    /// What it is.
    pub kind: EvidenceKind,
    /// Which one.
    pub evidence_id: String,
    /// How well it was proved when the decision was made.
    pub stage: ProvenStage,
    /// What it does for the decision, for example `supports`.
    pub role: String,
    /// When it was known.
    pub known_at: Timestamp,
}

impl DecisionEvidence {
    /// A learned entry as evidence.
    ///
    /// # Errors
    /// `invariant_violation` when the entry is not verified or certified.
    pub fn entry(
        id: &EntryId,
        stage: Stage,
        role: impl Into<String>,
        known_at: Timestamp,
    ) -> Result<Self> {
        let stage = ProvenStage::of(stage).ok_or_else(|| {
            Error::new(
                ErrorCode::InvariantViolation,
                format!("entry {id} is {stage}: a decision needs verified or certified evidence"),
            )
        })?;
        Ok(DecisionEvidence {
            kind: EvidenceKind::Entry,
            evidence_id: id.as_str().to_owned(),
            stage,
            role: role.into(),
            known_at,
        })
    }
}

/// Something that was decided, and on what.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Its identity.
    pub decision_id: String,
    /// When it was made.
    pub decided_at: Timestamp,
    /// Who made it.
    pub actor: String,
    /// What was decided.
    pub action: String,
    /// What came of it.
    pub outcome: Option<Json>,
    /// How sure, from 0 to 1.
    pub confidence: Option<f64>,
    /// The run that it belongs to.
    pub build_id: Option<String>,
    /// What it rests on.
    pub evidence: Vec<DecisionEvidence>,
}

impl Decision {
    /// Checks the decision: named, and resting only on what was known before.
    ///
    /// # Errors
    /// `invalid_argument` naming the element, for example
    /// `evidence[1].known_at`.
    pub fn check(&self) -> Result<()> {
        for (name, text) in [
            ("decision_id", &self.decision_id),
            ("actor", &self.actor),
            ("action", &self.action),
        ] {
            if text.trim().is_empty() {
                return Err(Error::invalid(name, "must not be blank"));
            }
        }
        check_confidence(self.confidence)?;
        for (index, evidence) in self.evidence.iter().enumerate() {
            if evidence.known_at > self.decided_at {
                return Err(Error::invalid(
                    format!("evidence[{index}].known_at"),
                    "is after the decision: evidence comes first",
                ));
            }
            if evidence.evidence_id.trim().is_empty() {
                return Err(Error::invalid(
                    format!("evidence[{index}].evidence_id"),
                    "must not be blank",
                ));
            }
        }
        Ok(())
    }

    /// The payload as the log keeps it.
    pub fn to_json(&self) -> Json {
        let evidence: Vec<Value> = self
            .evidence
            .iter()
            .map(|one| {
                json!({
                    "evidence_kind": one.kind.as_str(),
                    "evidence_id": one.evidence_id,
                    "evidence_stage": one.stage.as_str(),
                    "role": one.role,
                    "known_at": one.known_at.millis(),
                })
            })
            .collect();
        Json::from_value(&json!({
            "decision_id": self.decision_id,
            "decided_at": self.decided_at.millis(),
            "actor": self.actor,
            "action": self.action,
            "outcome": self.outcome.as_ref().map(Json::to_value),
            "confidence": self.confidence,
            "build_id": self.build_id,
            "evidence": evidence,
        }))
    }

    /// Reads and checks what the log kept.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong, for example an
    /// evidence of stage `candidate`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let value = json.to_value();
        let root = Element::root("", &value);
        let decision = Decision {
            decision_id: root.required("decision_id")?.text()?,
            decided_at: root.required("decided_at")?.time()?,
            actor: root.required("actor")?.text()?,
            action: root.required("action")?.text()?,
            outcome: root.optional("outcome")?.map(|e| e.json()),
            confidence: root.optional("confidence")?.map(|e| e.unit()).transpose()?,
            build_id: root.optional_string("build_id")?,
            evidence: root
                .items("evidence")?
                .iter()
                .map(|one| {
                    Ok(DecisionEvidence {
                        kind: one.required("evidence_kind")?.parse()?,
                        evidence_id: one.required("evidence_id")?.text()?,
                        stage: one.required("evidence_stage")?.parse()?,
                        role: one.required("role")?.string()?,
                        known_at: one.required("known_at")?.time()?,
                    })
                })
                .collect::<Result<_>>()?,
        };
        decision.check()?;
        Ok(decision)
    }
}

/// How a disagreement ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictResolution {
    /// When.
    pub resolved_at: Timestamp,
    /// What was found.
    pub resolution: String,
    /// Who found it.
    pub resolved_by: String,
}

/// Two entries that disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Its identity.
    pub conflict_id: String,
    /// The entry that was there first.
    pub older_id: EntryId,
    /// The entry that disagrees with it.
    pub newer_id: EntryId,
    /// In what way, for example `contradicts`.
    pub conflict_type: String,
    /// Why this is believed.
    pub reason: Option<String>,
    /// When it was found.
    pub detected_at: Timestamp,
    /// How it ended, once it has.
    pub resolved: Option<ConflictResolution>,
}

impl Conflict {
    /// The conflict after it ended.
    ///
    /// # Errors
    /// `invalid_transition` when it had ended already; `invalid_argument`
    /// naming `resolved_at` or `resolution`.
    pub fn resolve(&self, resolution: ConflictResolution) -> Result<Conflict> {
        if self.resolved.is_some() {
            return Err(Error::new(
                ErrorCode::InvalidTransition,
                format!("conflict {} is resolved already", self.conflict_id),
            ));
        }
        let conflict = Conflict {
            resolved: Some(resolution),
            ..self.clone()
        };
        conflict.check()?;
        Ok(conflict)
    }

    /// Checks the conflict.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn check(&self) -> Result<()> {
        if self.older_id == self.newer_id {
            return Err(Error::invalid(
                "newer_id",
                "an entry cannot disagree with itself",
            ));
        }
        if let Some(end) = &self.resolved {
            if end.resolved_at < self.detected_at {
                return Err(Error::invalid("resolved_at", "is before detected_at"));
            }
            if end.resolution.trim().is_empty() {
                return Err(Error::invalid("resolution", "must not be blank"));
            }
        }
        Ok(())
    }

    /// The payload as the log keeps it.
    pub fn to_json(&self) -> Json {
        let end = self.resolved.as_ref();
        Json::from_value(&json!({
            "conflict_id": self.conflict_id,
            "older_id": self.older_id.as_str(),
            "newer_id": self.newer_id.as_str(),
            "conflict_type": self.conflict_type,
            "reason": self.reason,
            "detected_at": self.detected_at.millis(),
            "resolved_at": end.map(|end| end.resolved_at.millis()),
            "resolution": end.map(|end| &end.resolution),
            "resolved_by": end.map(|end| &end.resolved_by),
        }))
    }

    /// Reads and checks what the log kept.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let value = json.to_value();
        let root = Element::root("", &value);
        let conflict = Conflict {
            conflict_id: root.required("conflict_id")?.text()?,
            older_id: EntryId::new(root.required("older_id")?.text()?),
            newer_id: EntryId::new(root.required("newer_id")?.text()?),
            conflict_type: root.required("conflict_type")?.text()?,
            reason: root.optional_string("reason")?,
            detected_at: root.required("detected_at")?.time()?,
            resolved: match root.optional_time("resolved_at")? {
                Some(resolved_at) => Some(ConflictResolution {
                    resolved_at,
                    resolution: root.required("resolution")?.string()?,
                    resolved_by: root.required("resolved_by")?.string()?,
                }),
                None => None,
            },
        };
        conflict.check()?;
        Ok(conflict)
    }
}

/// An entry that rose, or was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromotionRecord {
    /// The entry.
    pub entry_id: EntryId,
    /// Where it stood.
    pub from: Stage,
    /// Where it rose, or would have.
    pub to: Stage,
    /// Whether it was refused.
    pub is_blocked: bool,
    /// Why it rose or was refused.
    pub reason: String,
    /// The run that it belongs to.
    pub build_id: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl PromotionRecord {
    /// The payload as the log keeps it.
    pub fn to_json(&self) -> Json {
        Json::from_value(&json!({
            "entry_id": self.entry_id.as_str(),
            "from_stage": self.from.as_str(),
            "to_stage": self.to.as_str(),
            "promotion_blocked": self.is_blocked,
            "reason": self.reason,
            "build_id": self.build_id,
            "at": self.at.millis(),
        }))
    }

    /// Reads and checks what the log kept: a promotion is exactly one stage up.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let value = json.to_value();
        let root = Element::root("", &value);
        let to = root.required("to_stage")?;
        let record = PromotionRecord {
            entry_id: EntryId::new(root.required("entry_id")?.text()?),
            from: root.required("from_stage")?.parse()?,
            to: to.parse()?,
            is_blocked: root.required("promotion_blocked")?.bool()?,
            reason: root.required("reason")?.string()?,
            build_id: root.optional_string("build_id")?,
            at: root.required("at")?.time()?,
        };
        if record.to as usize != record.from as usize + 1 {
            return Err(to.error("must be the stage after from_stage"));
        }
        Ok(record)
    }
}

words! {
    /// The stages of the pipeline that are timed.
    PipelineStage ("stage") {
        /// The messages of a session were taken in.
        Ingest = "ingest",
        /// A language model extracted.
        Extraction = "extraction",
        /// Quotes were looked up.
        Align = "align",
        /// Entries were type checked.
        Check = "check",
        /// Entries became records.
        Materialize = "materialize",
        /// Tasks were resolved.
        Resolve = "resolve",
        /// Events were folded into tables.
        Project = "project",
        /// Vectors and postings were written.
        Index = "index",
    }
}

/// How long one stage took.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineMetric {
    /// The stage.
    pub stage: PipelineStage,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub latency_ms: f64,
    /// What went wrong; `None` when it went well.
    pub error: Option<String>,
    /// The session that it was about.
    pub session: Option<String>,
}

impl PipelineMetric {
    /// The payload as the log keeps it.
    pub fn to_json(&self) -> Json {
        Json::from_value(&json!({
            "stage": self.stage.as_str(),
            "at": self.at.millis(),
            "latency_ms": self.latency_ms,
            "success": self.error.is_none(),
            "error": self.error,
            "session_id": self.session,
        }))
    }

    /// Reads what the log kept.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let value = json.to_value();
        let root = Element::root("", &value);
        let latency = root.required("latency_ms")?;
        let latency_ms = latency.f64()?;
        if latency_ms < 0.0 {
            return Err(latency.error("must not be negative"));
        }
        let success = root.required("success")?;
        let error = root.optional_string("error")?;
        if success.bool()? != error.is_none() {
            return Err(success.error("must be true exactly when there is no error"));
        }
        Ok(PipelineMetric {
            stage: root.required("stage")?.parse()?,
            at: root.required("at")?.time()?,
            latency_ms,
            error,
            session: root.optional_string("session_id")?,
        })
    }
}

fn check_confidence(confidence: Option<f64>) -> Result<()> {
    match confidence {
        Some(number) if !(0.0..=1.0).contains(&number) => {
            Err(Error::invalid("confidence", "must be between 0 and 1"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).expect("in range")
    }

    fn decision() -> Decision {
        let entry = EntryId::new("e1");
        Decision {
            decision_id: "d1".into(),
            decided_at: at(100),
            actor: "Ada".into(),
            action: "배포를 미룬다".into(),
            outcome: Some(Json::parse("outcome", r#"{"moved":true}"#).expect("JSON")),
            confidence: Some(0.8),
            build_id: None,
            evidence: vec![
                DecisionEvidence::entry(&entry, Stage::Verified, "supports", at(100))
                    .expect("verified"),
            ],
        }
    }

    #[test]
    fn a_decision_rests_on_proven_evidence_only() {
        let entry = EntryId::new("e1");
        for stage in [Stage::Raw, Stage::Working, Stage::Candidate] {
            let error =
                DecisionEvidence::entry(&entry, stage, "supports", at(1)).expect_err("not proven");
            assert_eq!(error.code(), ErrorCode::InvariantViolation);
        }
        let text = decision()
            .to_json()
            .to_string()
            .replace("verified", "candidate");
        let error =
            Decision::from_json(&Json::parse("x", &text).expect("JSON")).expect_err("not proven");
        assert_eq!(error.argument(), Some("evidence[0].evidence_stage"));
    }

    #[test]
    fn evidence_comes_before_the_decision() {
        let mut decision = decision();
        assert_eq!(
            Decision::from_json(&decision.to_json()).ok(),
            Some(decision.clone())
        );
        decision.evidence[0].known_at = at(101);
        let error = decision.check().expect_err("too late");
        assert_eq!(error.argument(), Some("evidence[0].known_at"));
        assert!(Decision::from_json(&decision.to_json()).is_err());
    }

    #[test]
    fn a_run_ends_once() {
        let run = BuildRun {
            build_id: "b".into(),
            started_at: at(10),
            tools: BuildTools::default(),
            outcome: BuildOutcome::Running,
        };
        assert!(run.finish(at(9), None).is_err());
        let failed = run.finish(at(11), Some("no model".into())).expect("ends");
        assert!(failed.finish(at(12), None).is_err());
        for run in [run.clone(), failed, run.finish(at(10), None).expect("ends")] {
            assert_eq!(BuildRun::from_json(&run.to_json()).ok(), Some(run));
        }
    }

    #[test]
    fn a_conflict_has_two_sides_and_one_end() {
        let conflict = Conflict {
            conflict_id: "c".into(),
            older_id: EntryId::new("a"),
            newer_id: EntryId::new("b"),
            conflict_type: "contradicts".into(),
            reason: None,
            detected_at: at(5),
            resolved: None,
        };
        let end = |millis| ConflictResolution {
            resolved_at: at(millis),
            resolution: "newer_wins".into(),
            resolved_by: "Ada".into(),
        };
        assert!(conflict.resolve(end(4)).is_err());
        let resolved = conflict.resolve(end(6)).expect("resolves");
        assert!(resolved.resolve(end(7)).is_err());
        assert_eq!(
            Conflict::from_json(&resolved.to_json()).ok(),
            Some(resolved.clone())
        );
        let same = Conflict {
            newer_id: EntryId::new("a"),
            ..resolved
        };
        assert!(Conflict::from_json(&same.to_json()).is_err());
    }

    #[test]
    fn a_promotion_is_one_stage_and_a_metric_agrees_with_itself() {
        let mut record = PromotionRecord {
            entry_id: EntryId::new("e"),
            from: Stage::Candidate,
            to: Stage::Verified,
            is_blocked: true,
            reason: crate::rules::entries::EVIDENCE_FAILED_REASON.into(),
            build_id: None,
            at: at(1),
        };
        assert_eq!(
            PromotionRecord::from_json(&record.to_json()).ok(),
            Some(record.clone())
        );
        record.to = Stage::Certified;
        assert!(PromotionRecord::from_json(&record.to_json()).is_err());

        let metric = PipelineMetric {
            stage: PipelineStage::Align,
            at: at(1),
            latency_ms: 0.25,
            error: None,
            session: Some("s".into()),
        };
        assert_eq!(
            PipelineMetric::from_json(&metric.to_json()).ok(),
            Some(metric.clone())
        );
        let torn = metric.to_json().to_string().replace("true", "false");
        assert!(PipelineMetric::from_json(&Json::parse("x", &torn).expect("JSON")).is_err());
    }
}
