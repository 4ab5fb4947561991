//! Imports transcripts: options, and the progress callback to Python.

use std::path::Path;

use pyo3::prelude::*;
use pyo3::types::PyBool;
use recallite::ImportProgress;
use recallite::transcript::ImportOptions;

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
    memory: recallite::Memory,
    path: &Path,
    options: &ImportOptions,
    progress: Progress<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (callback, bar) = match progress {
        Progress::Silent => (None, None),
        Progress::Callback(callback) => (Some(callback.unbind()), None),
        Progress::Bar(bar) => (Some(bar.clone().unbind()), Some(bar)),
    };
    let callback = callback.as_ref();
    let (outcome, raised) = py.detach(move || {
        let mut raised = None;
        let outcome =
            memory.import_claude_code_with(path, options, &mut |now| match step(callback, now) {
                Ok(goes_on) => goes_on,
                Err(error) => {
                    raised = Some(error);
                    false
                }
            });
        (outcome, raised)
    });
    // First: the progress handler of the memory may have raised too, at the end of the import.
    let outcome = settled(py, outcome);
    if let Some(bar) = bar {
        bar.call_method0("close")?;
    }
    match raised {
        Some(raised) => Err(raised),
        None => give(py, outcome?),
    }
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
