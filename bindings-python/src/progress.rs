//! Progress of long operations, and stopping them: by the program's function, by Ctrl-C and by
//! the end of an asyncio task.

use std::cell::RefCell;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBool;
use recallite::{Progress, ProgressHandler};

use crate::callback::Callback;
use crate::convert::give;
use crate::failure::{guarded, raise};

thread_local! {
    /// What ended the operation of this thread: an exception of the handler, or Ctrl-C.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// What says whether the task that waits for this thread was cancelled.
    static IS_CANCELLED: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// The handler for the core, which calls the program's. It is there even when the program has none,
/// because nothing else notices Ctrl-C during a long operation.
pub(crate) fn of_the_core(handler: &Callback) -> ProgressHandler {
    let handler = handler.clone();
    Arc::new(move |progress| {
        let goes_on = Python::try_attach(|py| {
            let goes_on = step(&handler, py, progress);
            goes_on.unwrap_or_else(|raised| {
                RAISED.set(Some(raised));
                false
            })
        });
        // The interpreter is ending.
        goes_on.unwrap_or(true)
    })
}

fn step(handler: &Callback, py: Python<'_>, progress: &Progress) -> PyResult<bool> {
    py.check_signals()?;
    let is_cancelled =
        IS_CANCELLED.with_borrow(|slot| slot.as_ref().map(|asked| asked.clone_ref(py)));
    if let Some(asked) = is_cancelled
        && asked.bind(py).call0()?.is_truthy()?
    {
        return Ok(false);
    }
    let Some(handler) = handler.get(py) else {
        return Ok(true);
    };
    let answer = handler.bind(py).call1((give(py, *progress)?,))?;
    let is_false = answer
        .cast::<PyBool>()
        .is_ok_and(|answer| !answer.is_true());
    Ok(!is_false)
}

/// The result of an operation of this thread, unless an exception ended it.
pub(crate) fn settled<T>(py: Python<'_>, outcome: recallite::Result<T>) -> PyResult<T> {
    match RAISED.take() {
        Some(raised) => Err(raised),
        None => outcome.map_err(|error| raise(py, &error)),
    }
}

/// Runs `work`, whose long operations end once `is_cancelled` returns true.
#[pyfunction]
#[pyo3(signature = (is_cancelled, work, /))]
pub(crate) fn _stopped_by<'py>(
    py: Python<'py>,
    is_cancelled: Py<PyAny>,
    work: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, "_stopped_by", || {
        IS_CANCELLED.set(Some(is_cancelled));
        let result = work.call0();
        drop(IS_CANCELLED.take());
        result
    })
}
