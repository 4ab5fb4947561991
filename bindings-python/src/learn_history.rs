//! The evidence of decisions.

use pyo3::prelude::*;
use recallite::rules::history::DecisionEvidence;

use crate::convert::{Class, FromPython};
use crate::fields::Fields;
use crate::learn_argument::any_id;

/// Its evidence may be named by a result.
impl FromPython for DecisionEvidence {
    fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        static CLASS: Class = Class::new("DecisionEvidence");
        let known = ["kind", "evidence_id", "stage", "role", "known_at"];
        let fields = Fields::of_class(value, name, &CLASS, None, &known)?;
        Ok(DecisionEvidence::new(
            fields.take("kind")?,
            fields.required("evidence_id", any_id)?,
            fields.take("stage")?,
            fields.take::<String>("role")?,
            fields.take("known_at")?,
        ))
    }
}
