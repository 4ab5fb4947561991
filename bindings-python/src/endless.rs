//! The endless mode: one conversation without end, over a working set and
//! consolidated memories.

use pyo3::prelude::*;
use pyo3::types::PyString;
use recallite::{Error, ErrorCode};

use crate::argument::{self, Given, optional};
use crate::convert::give;
use crate::failure::{raise, wrong_type};
use crate::generated::areas::Endless;

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
            let (outcome, raised) = py.detach(move || {
                let mut raised = None;
                let outcome = memory.endless().consolidate_with(&mut |topics, texts| {
                    let Some(summarize) = &summarize else {
                        return Ok(None);
                    };
                    summary(summarize, topics, texts).map_err(|error| {
                        raised = Some(error);
                        Error::new(ErrorCode::Callback, "summarize() raised an exception")
                    })
                });
                (outcome, raised)
            });
            if let Some(raised) = raised {
                return Err(raised);
            }
            let report = outcome.map_err(|error| raise(py, &error))?;
            give(py, report)
        })
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
