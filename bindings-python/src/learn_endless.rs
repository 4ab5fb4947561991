//! The endless mode: one conversation without end, over a working set and
//! consolidated memories.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pyo3::prelude::*;
use pyo3::types::PyString;
use recallite::ConsolidationReport;

use crate::areas::Endless;
use crate::argument::{self, Given, optional};
use crate::convert::give;
use crate::failure::{raise, wrong_type};

#[pymethods]
impl Endless {
    /// Consolidates the working set into memories now, whether or not it is due.
    ///
    /// `summarize(topics, texts)` summarises a group of events: it gets two lists of `str`
    /// and returns a `str`, or `None` to use the summary made by rules. It runs outside of
    /// any transaction, and its text passes through the privacy filter. If it raises,
    /// nothing is written and its exception is raised from here.
    ///
    /// Growth: By the events of the working set and the consolidated memories.
    #[pyo3(signature = (*, summarize=None))]
    fn consolidate<'py>(
        &self,
        py: Python<'py>,
        summarize: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.watched(py, "endless.consolidate", || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            let summarize = optional(&summarize, "summarize", |value, name| {
                if value.is_callable() {
                    Ok(value.clone().unbind())
                } else {
                    Err(wrong_type(name, "a callable", value))
                }
            })?;
            let summarize = summarize.as_ref();
            let outcome = py.detach(move || match summarize {
                None => Ok(memory.endless().consolidate()),
                Some(summarize) => consolidate_with(&memory, summarize),
            });
            let report = outcome?.map_err(|error| raise(py, &error))?;
            give(py, report)
        })
    }
}

/// A summariser's exception on its way through the core.
struct Raised(PyErr);

/// The core's callback cannot fail, so the exception leaves it by unwinding. The core holds
/// no lock and has written nothing while the callback runs.
fn consolidate_with(
    memory: &recallite::Memory,
    summarize: &Py<PyAny>,
) -> PyResult<recallite::Result<ConsolidationReport>> {
    let run = AssertUnwindSafe(|| {
        memory.endless().consolidate_with(&mut |topics, texts| {
            summary(summarize, topics, texts)
                .unwrap_or_else(|error| resume_unwind(Box::new(Raised(error))))
        })
    });
    match catch_unwind(run) {
        Ok(outcome) => Ok(outcome),
        Err(payload) => match payload.downcast::<Raised>() {
            Ok(raised) => Err(raised.0),
            Err(panic) => resume_unwind(panic),
        },
    }
}

fn summary(summarize: &Py<PyAny>, topics: &[String], texts: &[String]) -> PyResult<Option<String>> {
    Python::attach(|py| {
        let answer = summarize.bind(py).call1((topics, texts))?;
        optional(&Some(answer), "summarize", |answer, _| {
            if answer.is_instance_of::<PyString>() {
                argument::text(answer, "summarize")
            } else {
                Err(wrong_type(
                    "summarize",
                    "a callable that returns a str or None",
                    answer,
                ))
            }
        })
    })
}
