//! The history of the learning pipeline: which run created what, which decisions were made
//! on which evidence, what conflicts, what was promoted, and how long each stage took.

use serde::{Deserialize, Serialize};

use crate::model::codec::{self, Refused};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::json::Json;
use crate::model::read::words;
use crate::model::setters::setters;
use crate::model::time::Timestamp;
use crate::rules::entries::{EntryId, Stage};

/// The tools of a run, which help to explain later why its results differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildTools {
    /// The language model that made the extraction.
    pub extractor_model: String,
    /// The hash of the model's prompt.
    pub extractor_prompt_hash: String,
    /// The embedder that made the vectors.
    pub embedder_model: String,
    /// The embedder's fingerprint.
    pub embedding_version: String,
    /// The version of what checks entries.
    pub checker_version: String,
    /// The version of the extraction schema.
    pub schema_version: String,
}

/// The state of a run. Only a finished run has an end, and only a failed one has an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildOutcome {
    /// It is running.
    Running,
    /// It succeeded.
    Success {
        /// When it ended.
        finished_at: Timestamp,
    },
    /// It failed.
    Failed {
        /// When it ended.
        finished_at: Timestamp,
        /// What went wrong.
        error: String,
    },
}

impl BuildOutcome {
    pub(crate) fn status(&self) -> BuildStatus {
        match self {
            BuildOutcome::Running => BuildStatus::Running,
            BuildOutcome::Success { .. } => BuildStatus::Success,
            BuildOutcome::Failed { .. } => BuildStatus::Failed,
        }
    }

    /// Returns `running`, `success` or `failed`.
    pub fn as_str(&self) -> &'static str {
        match self {
            BuildOutcome::Running => "running",
            BuildOutcome::Success { .. } => "success",
            BuildOutcome::Failed { .. } => "failed",
        }
    }
}

/// One run of the pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BuildRunForm", into = "BuildRunForm")]
#[non_exhaustive]
pub struct BuildRun {
    /// The id of the run, which everything it creates carries.
    pub build_id: String,
    /// When it began.
    pub started_at: Timestamp,
    /// The tools it used.
    pub tools: BuildTools,
    /// The state of the run.
    pub outcome: BuildOutcome,
}

impl BuildRun {
    /// When it ended; `None` while it is running.
    pub fn finished_at(&self) -> Option<Timestamp> {
        match &self.outcome {
            BuildOutcome::Running => None,
            BuildOutcome::Success { finished_at } | BuildOutcome::Failed { finished_at, .. } => {
                Some(*finished_at)
            }
        }
    }

    /// What went wrong; only a failed run has this.
    pub fn error(&self) -> Option<&str> {
        match &self.outcome {
            BuildOutcome::Failed { error, .. } => Some(error),
            BuildOutcome::Running | BuildOutcome::Success { .. } => None,
        }
    }

    /// Returns the run after it ended. `error` is what went wrong, if anything did.
    ///
    /// # Errors
    /// `invalid_transition` when it had ended already; `invalid_argument`
    /// naming `finished_at` when that is before its beginning.
    pub fn finish(&self, finished_at: Timestamp, error: Option<String>) -> Result<BuildRun> {
        if self.outcome != BuildOutcome::Running {
            return Err(Error::new(
                ErrorCode::InvalidTransition,
                format!("build run {} has already ended", self.build_id),
            ));
        }
        if finished_at < self.started_at {
            return Err(Error::invalid(
                "finished_at",
                "must not be before `started_at`",
            ));
        }
        Ok(BuildRun {
            outcome: match error {
                None => BuildOutcome::Success { finished_at },
                Some(error) => BuildOutcome::Failed { finished_at, error },
            },
            ..self.clone()
        })
    }

    /// Returns the payload as stored in the log.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads the payload as stored in the log.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("build_run", json)
    }
}

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BuildStatus {
    Running,
    Success,
    Failed,
}

/// The stored form of a [`BuildRun`].
#[derive(Serialize, Deserialize)]
struct BuildRunForm {
    #[serde(deserialize_with = "codec::text")]
    build_id: String,
    started_at: Timestamp,
    finished_at: Option<Timestamp>,
    #[serde(default)]
    extractor_model: String,
    #[serde(default)]
    extractor_prompt_hash: String,
    #[serde(default)]
    embedder_model: String,
    #[serde(default)]
    embedding_version: String,
    #[serde(default)]
    checker_version: String,
    #[serde(default)]
    schema_version: String,
    status: BuildStatus,
    error: Option<String>,
}

impl From<BuildRun> for BuildRunForm {
    fn from(run: BuildRun) -> Self {
        let status = run.outcome.status();
        let finished_at = run.finished_at();
        let error = run.error().map(str::to_owned);
        BuildRunForm {
            build_id: run.build_id,
            started_at: run.started_at,
            finished_at,
            extractor_model: run.tools.extractor_model,
            extractor_prompt_hash: run.tools.extractor_prompt_hash,
            embedder_model: run.tools.embedder_model,
            embedding_version: run.tools.embedding_version,
            checker_version: run.tools.checker_version,
            schema_version: run.tools.schema_version,
            status,
            error,
        }
    }
}

impl TryFrom<BuildRunForm> for BuildRun {
    type Error = Refused;

    fn try_from(form: BuildRunForm) -> Result<Self, Refused> {
        let finished = || match form.finished_at {
            None => Err(Refused::new("finished_at", "is missing")),
            Some(at) if at < form.started_at => Err(Refused::new(
                "finished_at",
                "must not be before `started_at`",
            )),
            Some(at) => Ok(at),
        };
        let outcome = match form.status {
            BuildStatus::Running => BuildOutcome::Running,
            BuildStatus::Success => BuildOutcome::Success {
                finished_at: finished()?,
            },
            BuildStatus::Failed => BuildOutcome::Failed {
                finished_at: finished()?,
                error: form.error.ok_or(Refused::new("error", "is missing"))?,
            },
        };
        Ok(BuildRun {
            build_id: form.build_id,
            started_at: form.started_at,
            tools: BuildTools {
                extractor_model: form.extractor_model,
                extractor_prompt_hash: form.extractor_prompt_hash,
                embedder_model: form.embedder_model,
                embedding_version: form.embedding_version,
                checker_version: form.checker_version,
                schema_version: form.schema_version,
            },
            outcome,
        })
    }
}

words! {
    /// What kind of thing a decision's evidence is.
    EvidenceKind ("evidence_kind") {
        /// A learned entry.
        Entry = "entry",
        /// A task, condition or artifact.
        Entity = "entity",
    }
}

words! {
    /// The stages that can support a decision.
    ProvenStage ("evidence_stage") {
        /// Every quote was found.
        Verified = "verified",
        /// Somebody confirmed it.
        Certified = "certified",
    }
}

impl ProvenStage {
    /// Returns the proven stage, if this is one.
    pub fn of(stage: Stage) -> Option<ProvenStage> {
        match stage {
            Stage::Verified => Some(ProvenStage::Verified),
            Stage::Certified => Some(ProvenStage::Certified),
            Stage::Raw | Stage::Working | Stage::Candidate => None,
        }
    }
}

/// One piece of evidence for a decision. It must be of a proven stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DecisionEvidence {
    /// What kind of thing it is.
    #[serde(rename = "evidence_kind")]
    pub kind: EvidenceKind,
    /// The id of the entry or entity.
    #[serde(deserialize_with = "codec::text")]
    pub evidence_id: String,
    /// How well it was supported when the decision was made.
    #[serde(rename = "evidence_stage")]
    pub stage: ProvenStage,
    /// Its role in the decision, for example `supports`.
    pub role: String,
    /// When it became known.
    pub known_at: Timestamp,
}

impl DecisionEvidence {
    /// Creates evidence.
    pub fn new(
        kind: EvidenceKind,
        evidence_id: impl Into<String>,
        stage: ProvenStage,
        role: impl Into<String>,
        known_at: Timestamp,
    ) -> Self {
        DecisionEvidence {
            kind,
            evidence_id: evidence_id.into(),
            stage,
            role: role.into(),
            known_at,
        }
    }

    /// Creates evidence from a learned entry.
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

/// Something that was decided, and the evidence for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// The id of the decision.
    #[serde(deserialize_with = "codec::text")]
    pub decision_id: String,
    /// When it was made.
    pub decided_at: Timestamp,
    /// Who made it.
    #[serde(deserialize_with = "codec::text")]
    pub actor: String,
    /// What was decided.
    #[serde(deserialize_with = "codec::text")]
    pub action: String,
    /// The result of the decision.
    pub outcome: Option<Json>,
    /// How certain it is, from 0 to 1.
    #[serde(default, deserialize_with = "codec::optional_unit")]
    pub confidence: Option<f64>,
    /// The run that it belongs to.
    pub build_id: Option<String>,
    /// The evidence for it.
    #[serde(default)]
    pub evidence: Vec<DecisionEvidence>,
}

impl Decision {
    /// Creates a decision without an outcome or evidence.
    pub fn new(
        decision_id: impl Into<String>,
        decided_at: Timestamp,
        actor: impl Into<String>,
        action: impl Into<String>,
    ) -> Self {
        Decision {
            decision_id: decision_id.into(),
            decided_at,
            actor: actor.into(),
            action: action.into(),
            outcome: None,
            confidence: None,
            build_id: None,
            evidence: Vec::new(),
        }
    }

    setters! {
        /// Sets the result.
        outcome: some Json;
        /// Sets how certain it is, from 0 to 1.
        confidence: some f64;
        /// Sets the run that it belongs to.
        build_id: some text;
        /// Sets the evidence for it.
        evidence: list of DecisionEvidence;
    }

    /// Validates the decision: it must be named, and rest only on what was known before it.
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
                    "must not be after the decision",
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

    /// Returns the payload as stored in the log.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads and validates the payload as stored in the log.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong, for example an
    /// evidence of stage `candidate`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let decision: Decision = codec::from_json("", json)?;
        decision.check()?;
        Ok(decision)
    }
}

/// How a conflict was resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConflictResolution {
    /// When it was resolved.
    pub resolved_at: Timestamp,
    /// What was found.
    pub resolution: String,
    /// Who resolved it.
    pub resolved_by: String,
}

/// How to resolve a conflict. The texts pass through the privacy filter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConflictVerdict {
    /// The entry that is right; the other one is deprecated.
    pub in_favour_of: EntryId,
    /// What was found.
    pub resolution: String,
    /// Who resolved it.
    pub resolved_by: String,
}

impl ConflictVerdict {
    /// Creates a verdict in favour of this entry.
    pub fn new(
        in_favour_of: EntryId,
        resolution: impl Into<String>,
        resolved_by: impl Into<String>,
    ) -> Self {
        ConflictVerdict {
            in_favour_of,
            resolution: resolution.into(),
            resolved_by: resolved_by.into(),
        }
    }
}

/// Two entries that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ConflictForm", into = "ConflictForm")]
#[non_exhaustive]
pub struct Conflict {
    /// The id of the conflict.
    pub conflict_id: String,
    /// The entry that was there first.
    pub older_id: EntryId,
    /// The entry that contradicts it.
    pub newer_id: EntryId,
    /// The kind of conflict, for example `contradicts`.
    pub conflict_type: String,
    /// Why this is believed.
    pub reason: Option<String>,
    /// When it was found.
    pub detected_at: Timestamp,
    /// How it was resolved, once it has been.
    pub resolved: Option<ConflictResolution>,
}

impl Conflict {
    /// Returns the conflict after it was resolved.
    ///
    /// # Errors
    /// `invalid_transition` when it had ended already; `invalid_argument`
    /// naming `resolved_at` or `resolution`.
    pub fn resolve(&self, resolution: ConflictResolution) -> Result<Conflict> {
        if self.resolved.is_some() {
            return Err(Error::new(
                ErrorCode::InvalidTransition,
                format!("conflict {} is already resolved", self.conflict_id),
            )
            .with_argument("conflict_id"));
        }
        let conflict = Conflict {
            resolved: Some(resolution),
            ..self.clone()
        };
        conflict.check()?;
        Ok(conflict)
    }

    /// Validates the conflict.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn check(&self) -> Result<()> {
        if self.older_id == self.newer_id {
            return Err(Error::invalid(
                "newer_id",
                "must not be `older_id`: an entry cannot conflict with itself",
            ));
        }
        if let Some(end) = &self.resolved {
            if end.resolved_at < self.detected_at {
                return Err(Error::invalid(
                    "resolved_at",
                    "must not be before `detected_at`",
                ));
            }
            if end.resolution.trim().is_empty() {
                return Err(Error::invalid("resolution", "must not be blank"));
            }
        }
        Ok(())
    }

    /// Returns the payload as stored in the log.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads and validates the payload as stored in the log.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("", json)
    }
}

/// The stored form of a [`Conflict`].
#[derive(Serialize, Deserialize)]
struct ConflictForm {
    #[serde(deserialize_with = "codec::text")]
    conflict_id: String,
    older_id: EntryId,
    newer_id: EntryId,
    #[serde(deserialize_with = "codec::text")]
    conflict_type: String,
    reason: Option<String>,
    detected_at: Timestamp,
    resolved_at: Option<Timestamp>,
    resolution: Option<String>,
    resolved_by: Option<String>,
}

impl From<Conflict> for ConflictForm {
    fn from(conflict: Conflict) -> Self {
        let (resolved_at, resolution, resolved_by) = match conflict.resolved {
            Some(end) => (
                Some(end.resolved_at),
                Some(end.resolution),
                Some(end.resolved_by),
            ),
            None => (None, None, None),
        };
        ConflictForm {
            conflict_id: conflict.conflict_id,
            older_id: conflict.older_id,
            newer_id: conflict.newer_id,
            conflict_type: conflict.conflict_type,
            reason: conflict.reason,
            detected_at: conflict.detected_at,
            resolved_at,
            resolution,
            resolved_by,
        }
    }
}

impl TryFrom<ConflictForm> for Conflict {
    type Error = Refused;

    fn try_from(form: ConflictForm) -> Result<Self, Refused> {
        let missing = |name| Refused::new(name, "is missing");
        let resolved = match form.resolved_at {
            Some(resolved_at) => Some(ConflictResolution {
                resolved_at,
                resolution: form.resolution.ok_or_else(|| missing("resolution"))?,
                resolved_by: form.resolved_by.ok_or_else(|| missing("resolved_by"))?,
            }),
            None => None,
        };
        let conflict = Conflict {
            conflict_id: form.conflict_id,
            older_id: form.older_id,
            newer_id: form.newer_id,
            conflict_type: form.conflict_type,
            reason: form.reason,
            detected_at: form.detected_at,
            resolved,
        };
        conflict.check()?;
        Ok(conflict)
    }
}

/// The promotion of an entry, or its refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromotionRecord {
    /// The id of the entry.
    pub entry_id: EntryId,
    /// The stage it had.
    #[serde(rename = "from_stage")]
    pub from: Stage,
    /// The stage it was promoted to, or would have been.
    #[serde(rename = "to_stage")]
    pub to: Stage,
    /// Whether it was refused.
    #[serde(rename = "promotion_blocked")]
    pub is_blocked: bool,
    /// Why it was promoted or refused.
    pub reason: String,
    /// The run that it belongs to.
    pub build_id: Option<String>,
    /// When this happened.
    pub at: Timestamp,
}

impl PromotionRecord {
    /// Returns the payload as stored in the log.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads and validates the payload as stored in the log; a promotion is exactly one
    /// stage up.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let record: PromotionRecord = codec::from_json("", json)?;
        record.check()?;
        Ok(record)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.to as usize != self.from as usize + 1 {
            return Err(Error::invalid(
                "to_stage",
                "must be the stage after `from_stage`",
            ));
        }
        Ok(())
    }
}

words! {
    /// The stages of the pipeline that are timed.
    PipelineStage ("stage") {
        /// The messages of a session were taken in.
        Ingest = "ingest",
        /// A language model made an extraction.
        Extraction = "extraction",
        /// Quotes were located.
        Align = "align",
        /// Entries were checked against their evidence.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MetricForm", into = "MetricForm")]
#[non_exhaustive]
pub struct PipelineMetric {
    /// The stage of the pipeline.
    pub stage: PipelineStage,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub latency_ms: f64,
    /// What went wrong; `None` if it succeeded.
    pub error: Option<String>,
    /// The session it was for.
    pub session: Option<String>,
}

impl PipelineMetric {
    /// Returns the payload as stored in the log.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads the payload as stored in the log.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("", json)
    }
}

/// The stored form of a [`PipelineMetric`].
#[derive(Serialize, Deserialize)]
struct MetricForm {
    stage: PipelineStage,
    at: Timestamp,
    latency_ms: f64,
    success: bool,
    error: Option<String>,
    session_id: Option<String>,
}

impl From<PipelineMetric> for MetricForm {
    fn from(metric: PipelineMetric) -> Self {
        MetricForm {
            stage: metric.stage,
            at: metric.at,
            latency_ms: metric.latency_ms,
            success: metric.error.is_none(),
            error: metric.error,
            session_id: metric.session,
        }
    }
}

impl TryFrom<MetricForm> for PipelineMetric {
    type Error = Refused;

    fn try_from(form: MetricForm) -> Result<Self, Refused> {
        if form.latency_ms < 0.0 {
            return Err(Refused::new("latency_ms", "must not be negative"));
        }
        if form.success != form.error.is_none() {
            let problem = "must be true exactly when there is no error";
            return Err(Refused::new("success", problem));
        }
        Ok(PipelineMetric {
            stage: form.stage,
            at: form.at,
            latency_ms: form.latency_ms,
            error: form.error,
            session: form.session_id,
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
