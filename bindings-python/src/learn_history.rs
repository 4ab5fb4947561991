//! Answers to questions about uncertain memories, and the evidence of decisions.

use pyo3::prelude::*;
use recallite::rules::entries::ResolutionKind;
use recallite::rules::history::DecisionEvidence;

use crate::areas::Knowledge;
use crate::argument::{Given, number, optional, word as given_word};
use crate::convert::{Class, FromPython};
use crate::fields::Fields;
use crate::learn_argument::any_id;

#[pymethods]
impl Knowledge {
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
