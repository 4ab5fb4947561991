//! The ledgers: runs, metrics, promotions, conflicts and decisions, and the
//! questions about uncertain memories.

use pyo3::prelude::*;
use recallite::rules::entries::ResolutionKind;
use recallite::rules::history::{Decision, DecisionEvidence};

use crate::areas::{History, Knowledge};
use crate::argument::{self, Given, number, optional, word as given_word};
use crate::convert::{Class, FromPython, rows};
use crate::fields::Fields;
use crate::learn_argument::any_id;

#[pymethods]
impl History {
    /// The runs of the pipeline, the one begun first in front.
    #[pyo3(signature = ())]
    fn build_runs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "history.build_runs",
            || Ok(()),
            |memory, ()| memory.history().build_runs(),
            rows,
        )
    }

    /// How long each stage of the pipeline took, in the order of the log.
    #[pyo3(signature = ())]
    fn pipeline_metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "history.pipeline_metrics",
            || Ok(()),
            |memory, ()| memory.history().pipeline_metrics(),
            rows,
        )
    }

    /// The promotions of entries and the refusals, in the order of the log.
    #[pyo3(signature = ())]
    fn promotions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "history.promotions",
            || Ok(()),
            |memory, ()| memory.history().promotions(),
            rows,
        )
    }

    /// The decisions, the one made first in front.
    #[pyo3(signature = ())]
    fn decisions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "history.decisions",
            || Ok(()),
            |memory, ()| memory.history().decisions(),
            rows,
        )
    }

    /// Records a decision: a `Decision` or a `dict` of its fields. Its evidence
    /// must be in the store, verified or certified, and known before the decision
    /// was made. An error names the element, for example `evidence[1].known_at`.
    #[pyo3(signature = (decision, /))]
    fn record_decision(&self, py: Python<'_>, decision: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(
            py,
            "history.record_decision",
            || argument::bare::<Decision>(decision, "decision"),
            |memory, decision| memory.history().record_decision(&decision),
            |_, ()| Ok(()),
        )
    }
}

#[pymethods]
impl Knowledge {
    /// The conflicts between entries, the one found first in front.
    #[pyo3(signature = ())]
    fn conflicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "knowledge.conflicts",
            || Ok(()),
            |memory, ()| memory.knowledge().conflicts(),
            rows,
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
            "knowledge.resolve_memory",
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
            "knowledge.mark_unknown_context",
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
            "knowledge.placeholders",
            || Ok(()),
            |memory, ()| memory.knowledge().placeholders(),
            rows,
        )
    }

    /// The last answer about each uncertain memory.
    #[pyo3(signature = ())]
    fn memory_resolutions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "knowledge.memory_resolutions",
            || Ok(()),
            |memory, ()| memory.knowledge().memory_resolutions(),
            rows,
        )
    }
}

/// Its evidence may be named by a result.
impl FromPython for DecisionEvidence {
    fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        static CLASS: Class = Class::new("DecisionEvidence");
        let known = ["kind", "evidence_id", "stage", "role", "known_at"];
        let fields = Fields::of_class(value, name, &CLASS, &known)?;
        Ok(DecisionEvidence {
            kind: fields.take("kind")?,
            evidence_id: fields.required("evidence_id", any_id)?,
            stage: fields.take("stage")?,
            role: fields.take("role")?,
            known_at: fields.take("known_at")?,
        })
    }
}
