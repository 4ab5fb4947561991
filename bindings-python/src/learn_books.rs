//! The ledgers: runs, metrics, promotions, conflicts and decisions, and the
//! questions about uncertain memories.

use pyo3::prelude::*;
use recallite::rules::entries::{MemoryResolution, Placeholder, ResolutionKind};
use recallite::rules::ledgers::{
    BuildOutcome, BuildRun, Conflict, Decision, DecisionEvidence, EvidenceKind, PipelineMetric,
    PromotionRecord, ProvenStage,
};

use crate::argument::{self, Given, elements, number, optional, word as given_word};
use crate::fields::Fields;
use crate::learn_argument::any_id;
use crate::learn_record::{classes, list, word};
use crate::memory::Memory;
use crate::record::{Object, each, fields, make, maybe_json, maybe_time, time};

#[pymethods]
impl Memory {
    /// The runs of the pipeline, the one begun first in front.
    #[pyo3(signature = ())]
    fn build_runs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "build_runs",
            || Ok(()),
            |memory, ()| memory.history().build_runs(),
            |py, runs| list(py, runs, build_run),
        )
    }

    /// How long each stage of the pipeline took, in the order of the log.
    #[pyo3(signature = ())]
    fn pipeline_metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "pipeline_metrics",
            || Ok(()),
            |memory, ()| memory.history().pipeline_metrics(),
            |py, metrics| list(py, metrics, pipeline_metric),
        )
    }

    /// The promotions of entries and the refusals, in the order of the log.
    #[pyo3(signature = ())]
    fn promotions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "promotions",
            || Ok(()),
            |memory, ()| memory.history().promotions(),
            |py, records| list(py, records, promotion_record),
        )
    }

    /// The conflicts between entries, the one found first in front.
    #[pyo3(signature = ())]
    fn conflicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "conflicts",
            || Ok(()),
            |memory, ()| memory.knowledge().conflicts(),
            |py, conflicts| list(py, conflicts, conflict),
        )
    }

    /// The decisions, the one made first in front.
    #[pyo3(signature = ())]
    fn decisions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "decisions",
            || Ok(()),
            |memory, ()| memory.history().decisions(),
            |py, decisions| list(py, decisions, decision),
        )
    }

    /// Records a decision: a `Decision` or a `dict` of its fields. Its evidence
    /// must be in the store, verified or certified, and known before the decision
    /// was made. An error names the element, for example `evidence[1].known_at`.
    #[pyo3(signature = (decision, /))]
    fn record_decision(&self, py: Python<'_>, decision: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(
            py,
            "record_decision",
            || given_decision(decision),
            |memory, decision| memory.history().record_decision(&decision),
            |_, ()| Ok(()),
        )
    }

    /// Answers what an uncertain memory (an event, entry or condition) means. The
    /// last answer counts. `resolved_to` is needed to confirm; `confidence` is
    /// from 0 to 1.
    #[pyo3(
        signature = (memory, kind, *, resolved_to=None, confidence=None),
        text_signature = "($self, memory, kind, *, resolved_to=None, confidence=1.0)"
    )]
    fn resolve_memory<'py>(
        &self,
        py: Python<'py>,
        memory: &Bound<'py, PyAny>,
        kind: &Bound<'py, PyAny>,
        resolved_to: Given<'py>,
        confidence: Given<'py>,
    ) -> PyResult<()> {
        let arguments = || {
            Ok((
                any_id(memory, "memory")?,
                given_word::<ResolutionKind>(kind, "kind")?,
                optional(&resolved_to, "resolved_to", any_id)?,
                optional(&confidence, "confidence", number)?.unwrap_or(1.0),
            ))
        };
        self.call(
            py,
            "resolve_memory",
            arguments,
            |store, (memory, kind, resolved_to, confidence): (String, _, Option<String>, _)| {
                store
                    .knowledge()
                    .resolve_memory(&memory, kind, resolved_to.as_deref(), confidence)
            },
            |_, ()| Ok(()),
        )
    }

    /// Marks an event whose context is missing, to be resolved later.
    #[pyo3(signature = (event, /))]
    fn mark_unknown_context(&self, py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(
            py,
            "mark_unknown_context",
            || argument::event_ref(event, "event"),
            |memory, event| memory.knowledge().mark_unknown_context(event),
            |_, ()| Ok(()),
        )
    }

    /// Events whose context is missing and not resolved yet.
    #[pyo3(signature = ())]
    fn placeholders<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "placeholders",
            || Ok(()),
            |memory, ()| memory.knowledge().placeholders(),
            |py, found| list(py, found, placeholder),
        )
    }

    /// The last answer about each uncertain memory.
    #[pyo3(signature = ())]
    fn memory_resolutions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "memory_resolutions",
            || Ok(()),
            |memory, ()| memory.knowledge().memory_resolutions(),
            |py, found| list(py, found, memory_resolution),
        )
    }
}

const DECISION_FIELDS: &[&str] = &[
    "decision_id",
    "decided_at",
    "actor",
    "action",
    "outcome",
    "confidence",
    "build_id",
    "evidence",
];

const EVIDENCE_FIELDS: &[&str] = &["kind", "evidence_id", "stage", "role", "known_at"];

fn given_decision(value: &Bound<'_, PyAny>) -> PyResult<Decision> {
    let class = classes(value.py())?.decision.bind(value.py());
    let fields = Fields::of(
        value,
        "decision",
        String::new(),
        class,
        DECISION_FIELDS,
        "a Decision or a dict",
    )?;
    let evidence = |value: &Bound<'_, PyAny>, name: &str| {
        elements(
            value,
            name,
            "several DecisionEvidence or dict",
            given_evidence,
        )
    };
    Ok(Decision {
        decision_id: fields.required("decision_id", argument::text)?,
        decided_at: fields.required("decided_at", argument::timestamp)?,
        actor: fields.required("actor", argument::text)?,
        action: fields.required("action", argument::text)?,
        outcome: fields.optional("outcome", argument::json)?,
        confidence: fields.optional("confidence", number)?,
        build_id: fields.optional("build_id", argument::text)?,
        evidence: fields.optional("evidence", evidence)?.unwrap_or_default(),
    })
}

fn given_evidence(value: &Bound<'_, PyAny>, name: &str) -> PyResult<DecisionEvidence> {
    let class = classes(value.py())?.decision_evidence.bind(value.py());
    let fields = Fields::of(
        value,
        name,
        format!("{name}."),
        class,
        EVIDENCE_FIELDS,
        "a DecisionEvidence or a dict",
    )?;
    Ok(DecisionEvidence {
        kind: fields.required("kind", given_word::<EvidenceKind>)?,
        evidence_id: fields.required("evidence_id", any_id)?,
        stage: fields.required("stage", given_word::<ProvenStage>)?,
        role: fields.required("role", argument::text)?,
        known_at: fields.required("known_at", argument::timestamp)?,
    })
}

fn build_run(py: Python<'_>, run: BuildRun) -> Object<'_> {
    let classes = classes(py)?;
    let tools = run.tools;
    let tools = make(
        py,
        &classes.build_tools,
        (
            tools.extractor_model,
            tools.extractor_prompt_hash,
            tools.embedder_model,
            tools.embedding_version,
            tools.idris_version,
            tools.schema_version,
        ),
    )?;
    let (status, finished_at, error) = match run.outcome {
        BuildOutcome::Running => ("running", None, None),
        BuildOutcome::Success { finished_at } => ("success", Some(finished_at), None),
        BuildOutcome::Failed { finished_at, error } => ("failed", Some(finished_at), Some(error)),
    };
    make(
        py,
        &classes.build_run,
        (
            run.build_id,
            time(py, run.started_at)?,
            tools,
            word(py, &classes.build_status, status)?,
            maybe_time(py, finished_at)?,
            error,
        ),
    )
}

fn pipeline_metric(py: Python<'_>, metric: PipelineMetric) -> Object<'_> {
    let classes = classes(py)?;
    make(
        py,
        &classes.pipeline_metric,
        (
            word(py, &classes.pipeline_stage, metric.stage.as_str())?,
            time(py, metric.at)?,
            metric.latency_ms,
            metric.error,
            metric.session,
        ),
    )
}

fn promotion_record(py: Python<'_>, record: PromotionRecord) -> Object<'_> {
    let classes = classes(py)?;
    make(
        py,
        &classes.promotion_record,
        (
            record.entry_id.as_str(),
            word(py, &classes.stage, record.from.as_str())?,
            word(py, &classes.stage, record.to.as_str())?,
            record.is_blocked,
            record.reason,
            record.build_id,
            time(py, record.at)?,
        ),
    )
}

pub(crate) fn conflict(py: Python<'_>, conflict: Conflict) -> Object<'_> {
    let classes = classes(py)?;
    let resolved = conflict.resolved.map(|end| {
        let at = time(py, end.resolved_at)?;
        let fields = (at, end.resolution, end.resolved_by);
        make(py, &classes.conflict_resolution, fields)
    });
    make(
        py,
        &classes.conflict,
        (
            conflict.conflict_id,
            conflict.older_id.as_str(),
            conflict.newer_id.as_str(),
            conflict.conflict_type,
            conflict.reason,
            time(py, conflict.detected_at)?,
            resolved.transpose()?,
        ),
    )
}

fn decision(py: Python<'_>, decision: Decision) -> Object<'_> {
    let fields = fields![py;
        &decision.decision_id,
        time(py, decision.decided_at)?,
        &decision.actor,
        &decision.action,
        maybe_json(py, decision.outcome.as_ref())?,
        decision.confidence,
        decision.build_id.as_ref(),
        each(py, decision.evidence, decision_evidence)?,
    ];
    make(py, &classes(py)?.decision, fields)
}

fn decision_evidence(py: Python<'_>, evidence: DecisionEvidence) -> Object<'_> {
    let classes = classes(py)?;
    make(
        py,
        &classes.decision_evidence,
        (
            word(py, &classes.evidence_kind, evidence.kind.as_str())?,
            evidence.evidence_id,
            word(py, &classes.stage, evidence.stage.as_str())?,
            evidence.role,
            time(py, evidence.known_at)?,
        ),
    )
}

fn placeholder(py: Python<'_>, found: Placeholder) -> Object<'_> {
    let created_at = time(py, found.created_at)?;
    make(
        py,
        &classes(py)?.placeholder,
        (found.id, found.event_id, created_at),
    )
}

fn memory_resolution(py: Python<'_>, found: MemoryResolution) -> Object<'_> {
    let classes = classes(py)?;
    make(
        py,
        &classes.memory_resolution,
        (
            found.condition_id,
            found.resolved_to,
            word(py, &classes.resolution_kind, found.kind.as_str())?,
            found.confidence,
            time(py, found.resolved_at)?,
        ),
    )
}
