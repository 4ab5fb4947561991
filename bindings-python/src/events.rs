//! The iterator over events: reads from the store as it is asked.

use std::mem;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

use crate::failure::{guarded, raise};
use crate::record;

/// Events in the order of time, read from the store as they are asked for.
#[pyclass(frozen, module = "recallite")]
pub(crate) struct Events {
    /// `None` after the end or an error, so that the store is let go early.
    left: Mutex<Option<recallite::Events>>,
    process: u32,
}

impl Events {
    pub(crate) fn new(events: recallite::Events) -> Self {
        Events {
            left: Mutex::new(Some(events)),
            process: std::process::id(),
        }
    }

    fn step(&self) -> recallite::Result<Option<recallite::Event>> {
        // In a forked child the lock may be held by a thread that is not there.
        if self.process != std::process::id() {
            return Err(recallite::Error::new(
                recallite::ErrorCode::NeedsReopen,
                "the process was forked after the memory was opened; open it again in the child",
            ));
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let step = left.as_mut().and_then(Iterator::next).transpose();
        if !matches!(step, Ok(Some(_))) {
            *left = None;
        }
        step
    }
}

#[pymethods]
impl Events {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(py, "events", || {
            py.detach(|| self.step())
                .map_err(|error| raise(py, &error))?
                .map(|event| record::event(py, event))
                .transpose()
        })
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner);
            mem::forget(left.take());
        }
    }
}
