//! What the results of the learning calls have in common: their classes, and
//! the conversion of words, spans and lists.
//!
//! Each call passes the fields in the order in which the class declares them.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use recallite::EventRef;
use recallite::rules::entries::{EvidenceReport, EvidenceSpan, MissingQuote};

pub(crate) use crate::record::rows as list;
use crate::record::{Object, fields, make};

macro_rules! classes {
    ($($field:ident = $class:literal,)*) => {
        /// The classes of `recallite._learn_records`.
        pub(crate) struct Classes { $(pub(crate) $field: Py<PyAny>,)* }

        pub(crate) fn classes(py: Python<'_>) -> PyResult<&'static Classes> {
            static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
            CLASSES.get_or_try_init(py, || {
                let module = py.import("recallite._learn_records")?;
                Ok(Classes { $($field: module.getattr($class)?.unbind(),)* })
            })
        }
    };
}

classes! {
    aligned_claim = "AlignedClaim",
    aligned_quote = "AlignedQuote",
    alignment_report = "AlignmentReport",
    artifact = "Artifact",
    artifact_kind = "ArtifactKind",
    blocked_task = "BlockedTask",
    blocker_confidence = "BlockerConfidence",
    blocker_ref = "BlockerRef",
    build_run = "BuildRun",
    build_status = "BuildStatus",
    build_tools = "BuildTools",
    candidate = "Candidate",
    claims_alignment = "ClaimsAlignment",
    condition = "Condition",
    conflict = "Conflict",
    conflict_resolution = "ConflictResolution",
    consolidated_memory = "ConsolidatedMemory",
    consolidation_policy = "ConsolidationPolicy",
    consolidation_report = "ConsolidationReport",
    continuity = "Continuity",
    continuity_entry = "ContinuityEntry",
    decision = "Decision",
    decision_evidence = "DecisionEvidence",
    edge = "Edge",
    edges_replaced = "EdgesReplaced",
    effective_blocker = "EffectiveBlocker",
    effective_memory = "EffectiveMemory",
    effective_status = "EffectiveStatus",
    endless_config = "EndlessConfig",
    endless_context = "EndlessContext",
    endless_status = "EndlessStatus",
    entity_kind = "EntityKind",
    entity_ref = "EntityRef",
    entry_hit = "EntryHit",
    entry_status = "EntryStatus",
    entry_type = "EntryType",
    event_level = "EventLevel",
    evidence_kind = "EvidenceKind",
    evidence_quote = "EvidenceQuote",
    evidence_report = "EvidenceReport",
    evidence_span = "EvidenceSpan",
    failed_quote = "FailedQuote",
    failure_reason = "FailureReason",
    graduated = "Graduated",
    ingest_report = "IngestReport",
    ingested_entry = "IngestedEntry",
    ingested_task = "IngestedTask",
    injection_policy = "InjectionPolicy",
    insight = "Insight",
    insight_kind = "InsightKind",
    learned_entry = "LearnedEntry",
    level = "Level",
    level_change = "LevelChange",
    level_counts = "LevelCounts",
    lineage_step = "LineageStep",
    match_method = "MatchMethod",
    memory_mode = "MemoryMode",
    memory_resolution = "MemoryResolution",
    missing_quote = "MissingQuote",
    node_type = "NodeType",
    pipeline_metric = "PipelineMetric",
    pipeline_stage = "PipelineStage",
    placeholder = "Placeholder",
    priority = "Priority",
    promotion_record = "PromotionRecord",
    relation = "Relation",
    resolution_kind = "ResolutionKind",
    session_message = "SessionMessage",
    stage = "Stage",
    task = "Task",
    task_detail = "TaskDetail",
    task_status = "TaskStatus",
    transition_type = "TransitionType",
    usage = "Usage",
    working_item = "WorkingItem",
    working_set_policy = "WorkingSetPolicy",
}

/// The core's words for each enum of the package, for the test that compares
/// them.
pub(crate) fn words(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    use recallite::rules::{align, endless, entries, graduation, graph, ledgers, tasks};
    let all = PyDict::new(py);
    macro_rules! add {
        ($($class:literal = $type:ty,)*) => {
            $(
                let words = <$type>::ALL.iter().map(|word| word.as_str());
                all.set_item($class, PyTuple::new(py, words.collect::<Vec<_>>())?)?;
            )*
        };
    }
    add! {
        "ArtifactKind" = tasks::ArtifactKind,
        "BlockerConfidence" = tasks::BlockerConfidence,
        "EffectiveStatus" = entries::EffectiveStatus,
        "EntityKind" = tasks::EntityKind,
        "EntryType" = entries::EntryType,
        "EvidenceKind" = ledgers::EvidenceKind,
        "FailureReason" = align::FailureReason,
        "InsightKind" = graduation::InsightKind,
        "Level" = graduation::Level,
        "MatchMethod" = align::MatchMethod,
        "MemoryMode" = endless::MemoryMode,
        "NodeType" = graph::NodeType,
        "PipelineStage" = ledgers::PipelineStage,
        "Priority" = tasks::Priority,
        "Relation" = graph::Relation,
        "ResolutionKind" = entries::ResolutionKind,
        "ResolutionType" = tasks::events::ResolutionType,
        "Stage" = entries::Stage,
        "TaskStatus" = tasks::TaskStatus,
        "TransitionType" = endless::TransitionType,
    }
    Ok(all)
}

/// A word as the member of its enum.
pub(crate) fn word<'py>(py: Python<'py>, class: &Py<PyAny>, word: &str) -> Object<'py> {
    make(py, class, (word,))
}

/// A text as part of a result: its place in code points.
pub(crate) type CodePoints = (usize, usize);

/// An evidence report whose spans are counted in code points as well.
pub(crate) struct PlacedReport {
    aligned: Vec<(EvidenceSpan, Option<CodePoints>)>,
    failed: Vec<MissingQuote>,
}

/// Counts spans in code points. It keeps the texts that it read, because the
/// quotes of a session stand in few messages.
pub(crate) struct Placer<'m> {
    memory: &'m recallite::Memory,
    texts: HashMap<String, Option<String>>,
}

impl<'m> Placer<'m> {
    pub(crate) fn new(memory: &'m recallite::Memory) -> Self {
        Placer {
            memory,
            texts: HashMap::new(),
        }
    }

    pub(crate) fn place(&mut self, report: EvidenceReport) -> recallite::Result<PlacedReport> {
        let mut aligned = Vec::with_capacity(report.aligned.len());
        for span in report.aligned {
            let points = self.code_points(&span)?;
            aligned.push((span, points));
        }
        Ok(PlacedReport {
            aligned,
            failed: report.failed,
        })
    }

    fn code_points(&mut self, span: &EvidenceSpan) -> recallite::Result<Option<CodePoints>> {
        let Some(id) = &span.event_id else {
            return Ok(None);
        };
        if !self.texts.contains_key(id) {
            let event = match id.parse::<EventRef>() {
                Ok(event) => self.memory.event(event)?,
                Err(_) => None,
            };
            let text = event.map(|event| event.content);
            self.texts.insert(id.clone(), text);
        }
        let Some(Some(text)) = self.texts.get(id) else {
            return Ok(None);
        };
        Ok(code_points(text, span.span_start, span.span_end))
    }
}

/// A range of bytes counted in code points; `None` when it does not lie in the
/// text.
fn code_points(text: &str, start: u64, end: u64) -> Option<CodePoints> {
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    let before = text.get(..start)?.chars().count();
    let inside = text.get(start..end)?.chars().count();
    Some((before, before + inside))
}

pub(crate) fn evidence_report(py: Python<'_>, report: PlacedReport) -> Object<'_> {
    let classes = classes(py)?;
    let span = |(span, points): (EvidenceSpan, Option<CodePoints>)| {
        let fields = fields![py;
            span.message_index,
            span.quote_hash,
            points.map(|points| points.0),
            points.map(|points| points.1),
            span.span_start,
            span.span_end,
            span.confidence,
            word(py, &classes.match_method, span.method.as_str())?,
            span.event_id,
        ];
        make(py, &classes.evidence_span, fields)
    };
    let aligned = report.aligned.into_iter().map(span);
    let failed = report.failed.into_iter().map(|quote| {
        let fields = (quote.message_index, quote.quote_hash, quote.reason);
        make(py, &classes.missing_quote, fields)
    });
    let aligned = PyTuple::new(py, aligned.collect::<PyResult<Vec<_>>>()?)?;
    let failed = PyTuple::new(py, failed.collect::<PyResult<Vec<_>>>()?)?;
    make(py, &classes.evidence_report, (aligned, failed))
}

pub(crate) fn evidence_reports(
    py: Python<'_>,
    report: Option<PlacedReport>,
) -> PyResult<Option<Bound<'_, PyAny>>> {
    report.map(|report| evidence_report(py, report)).transpose()
}
