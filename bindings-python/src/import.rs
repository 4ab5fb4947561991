//! Imports transcripts: options, and the progress callback to Python.

use std::path::Path;

use pyo3::prelude::*;
use pyo3::types::PyBool;
use recallite::transcript::ImportOptions;
use recallite::{ImportProgress, ImportReport};

use crate::convert::give;
use crate::failure::wrong_type;
use crate::progress::settled;

/// The argument `progress`: nothing, a callable, or `True` for a progress bar if `tqdm` is
/// installed.
pub(crate) enum Progress<'py> {
    Silent,
    Callback(Bound<'py, PyAny>),
    Bar(Bound<'py, PyAny>),
}

pub(crate) fn progress<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Progress<'py>> {
    if let Ok(asked) = value.cast::<PyBool>() {
        return Ok(if asked.is_true() {
            let bar = value.py().import("recallite._progress")?;
            Progress::Bar(bar.getattr("Bar")?.call0()?)
        } else {
            Progress::Silent
        });
    }
    if value.is_callable() {
        return Ok(Progress::Callback(value.clone()));
    }
    Err(wrong_type(name, "a callable, True or False", value))
}

/// Imports with the interpreter detached; it is attached for each callback.
pub(crate) fn run<'py>(
    py: Python<'py>,
    memory: &recallite::Memory,
    path: &Path,
    options: &ImportOptions,
    progress: Progress<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (callback, bar) = match progress {
        Progress::Silent => (None, None),
        Progress::Callback(callback) => (Some(callback.unbind()), None),
        Progress::Bar(bar) => (Some(bar.clone().unbind()), Some(bar)),
    };
    let mut raised = None;
    let outcome = py.detach(|| {
        memory.import_claude_code_with(path, options, &mut |now| match step(callback.as_ref(), now)
        {
            Ok(goes_on) => goes_on,
            Err(error) => {
                raised = Some(error);
                false
            }
        })
    });
    if let Some(bar) = bar {
        bar.call_method0("close")?;
    }
    finish(py, outcome, raised)
}

/// Whether to continue. Checks for Ctrl-C, because nothing else would notice it during a
/// long import.
fn step(callback: Option<&Py<PyAny>>, now: ImportProgress) -> PyResult<bool> {
    Python::attach(|py| {
        py.check_signals()?;
        let Some(callback) = callback else {
            return Ok(true);
        };
        let answer = callback.bind(py).call1((give(py, now)?,))?;
        Ok(!answer
            .cast::<PyBool>()
            .is_ok_and(|answer| !answer.is_true()))
    })
}

fn finish(
    py: Python<'_>,
    outcome: recallite::Result<ImportReport>,
    raised: Option<PyErr>,
) -> PyResult<Bound<'_, PyAny>> {
    if let Some(raised) = raised {
        return Err(raised);
    }
    give(py, settled(py, outcome)?)
}
