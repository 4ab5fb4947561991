//! The iterator over events: reads from the store on demand.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use recallite::EventFilter;

use crate::argument::{self, Given, optional};
use crate::arrow::{self, ArrowEvents};
use crate::convert::{Object, give};
use crate::failure::{guarded, invalid, raise};
use crate::fields::Fields;
use crate::generated::{self, EVENT_FILTER};
use crate::memory::Memory;
use crate::reading::Reading;

/// The default number of rows in an Arrow batch.
const BATCH_ROWS: usize = 1024;

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
