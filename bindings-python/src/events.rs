//! The iterator over events: reads from the store on demand.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use recallite::EventFilter;

use crate::argument::{self, Given, optional};
use crate::arrow::{self, ArrowEvents};
use crate::convert::{Object, give};
use crate::failure::{guarded, invalid, raise};
use crate::fields::Fields;
use crate::generated::{self, EVENT_FILTER};
use crate::memory::{Memory, closed, let_go};

/// The default number of rows in an Arrow batch.
const BATCH_ROWS: usize = 1024;

/// A running read of events, by Python's iterator or as Arrow batches.
pub(crate) struct Reading {
    left: Mutex<Left>,
    process: u32,
}

/// What is left to read.
enum Left {
    Events(Box<recallite::Events>),
    /// After the end or an error, so that the store is released early.
    Nothing,
    /// The memory was closed before the end.
    Closed,
}

impl Reading {
    pub(crate) fn new(events: recallite::Events) -> Arc<Self> {
        Arc::new(Reading {
            left: Mutex::new(Left::Events(Box::new(events))),
            process: std::process::id(),
        })
    }

    pub(crate) fn step(&self) -> recallite::Result<Option<recallite::Event>> {
        // In a forked child the lock may be held by a thread that does not exist.
        if self.process != std::process::id() {
            return Err(recallite::Error::new(
                recallite::ErrorCode::NeedsReopen,
                "the process was forked after the memory was opened; open it again in the child",
            ));
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let step = match &mut *left {
            Left::Events(events) => events.next().transpose(),
            Left::Nothing => Ok(None),
            Left::Closed => Err(closed()),
        };
        if !matches!(step, Ok(Some(_))) {
            *left = Left::Nothing;
        }
        step
    }

    /// Ends the read as if nothing were left and releases the store, once a step in progress is
    /// done. Does nothing in a forked child, which may hold a lock that nobody gives back.
    fn end(&self) {
        if self.process != std::process::id() {
            return;
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left = Left::Nothing;
    }

    /// Ends the read with an error and releases the store, once a step in progress is done.
    pub(crate) fn close(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*left, Left::Events(_)) {
            *left = Left::Closed;
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Left::Events(events) = mem::replace(left, Left::Nothing) {
            let_go(events, self.process);
        }
    }
}

/// Events that match a filter; `tool` adds one tool to it.
pub(crate) fn events<'py>(
    memory: &Memory,
    py: Python<'py>,
    tool: Given<'py>,
    filter: Option<Bound<'py, PyDict>>,
) -> Object<'py> {
    let arguments = || {
        let given = Fields::given_to(py, filter, EVENT_FILTER)?;
        let mut filter = generated::event_filter(EventFilter::new(), &given)?;
        let tool = optional(&tool, "tool", argument::text)?;
        filter.tools.extend(tool);
        Ok(filter)
    };
    memory.call(
        py,
        "events",
        arguments,
        |memory, filter| memory.events(filter),
        |py, events| {
            let reading = Reading::new(events);
            memory.watch(&reading);
            Bound::new(py, Events(reading)).map(Bound::into_any)
        },
    )
}

/// An iterator over events, in order of time, that reads them from the store as it
/// advances.
///
/// It is also a stream for everything that supports Arrow's PyCapsule interface:
/// `pyarrow.RecordBatchReader.from_stream(memory.events())`. Both read from the same
/// events, each of which is returned once.
#[pyclass(frozen, module = "recallite")]
pub(crate) struct Events(Arc<Reading>);

#[pymethods]
impl Events {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(py, "events", || {
            py.detach(|| self.0.step())
                .map_err(|error| raise(py, &error))?
                .map(|event| give(py, event))
                .transpose()
        })
    }

    /// Releases the store before the end; nothing is left to read then. The iterator can be
    /// closed again.
    #[pyo3(signature = (), text_signature = "($self)")]
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(py, "close", || {
            py.detach(|| self.0.end());
            Ok(())
        })
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(
        signature = (*_raised),
        text_signature = "($self, exc_type, exc_value, traceback, /)"
    )]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    /// Reads the remaining events as Arrow record batches, for `pyarrow.table(...)`,
    /// `polars.DataFrame(...)`, `pandas.DataFrame.from_arrow(...)` and the like. None of
    /// these packages is needed to create it.
    #[pyo3(
        signature = (*, batch_rows=None),
        text_signature = "($self, *, batch_rows=1024)"
    )]
    fn to_arrow(&self, py: Python<'_>, batch_rows: Given<'_>) -> PyResult<ArrowEvents> {
        guarded(py, "to_arrow", || {
            let rows = optional(&batch_rows, "batch_rows", argument::size)?.unwrap_or(BATCH_ROWS);
            if rows == 0 {
                return Err(invalid(py, "batch_rows", "must be at least 1"));
            }
            let mut batches = arrow::Batches::new(Arc::clone(&self.0), rows);
            let mut read = Vec::new();
            // Check for Ctrl-C between batches.
            while let Some(batch) = py
                .detach(|| batches.step())
                .map_err(|error| raise(py, &error))?
            {
                read.push(batch);
                py.check_signals()?;
            }
            Ok(ArrowEvents::new(read))
        })
    }

    /// Returns the remaining events as an `ArrowArrayStream`, which reads them as it
    /// advances. A requested schema is ignored.
    #[pyo3(
        signature = (requested_schema=None),
        text_signature = "($self, requested_schema=None)"
    )]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Given<'py>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(py, "__arrow_c_stream__", || {
            arrow::stream(py, arrow::Batches::new(Arc::clone(&self.0), BATCH_ROWS))
        })
    }

    /// Returns the schema of the stream, as an `ArrowSchema`.
    #[pyo3(signature = (), text_signature = "($self)")]
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, "__arrow_c_schema__", || arrow::schema_capsule(py))
    }
}
