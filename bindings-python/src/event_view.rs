//! Events read in place: their texts are memoryviews of the store's page.

use std::ffi::{c_int, c_void};
use std::mem;
use std::sync::Arc;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;
use recallite::{ErrorCode, EventGuard};

use crate::convert::give;
use crate::failure::{guarded, raise};

/// The page shared by views. A forked child does not free it, because the store belongs to
/// its parent.
struct Page {
    guard: Option<EventGuard>,
    process: u32,
}

impl Page {
    fn view(&self, py: Python<'_>) -> PyResult<recallite::EventView<'_>> {
        let gone = || recallite::Error::new(ErrorCode::Internal, "the page was already released");
        let view = self
            .guard
            .as_ref()
            .ok_or_else(gone)
            .and_then(EventGuard::view);
        view.map_err(|error| raise(py, &error))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            mem::forget(self.guard.take());
        }
    }
}

/// A text of an event.
type Field = for<'v> fn(&recallite::EventView<'v>) -> Option<&'v str>;

/// The buffer behind a memoryview of a text.
#[pyclass(frozen, module = "recallite")]
struct PageText {
    page: Arc<Page>,
    field: Field,
}

#[allow(unsafe_code, reason = "Python's buffers are a C interface")]
#[pymethods]
impl PageText {
    /// # Safety
    /// Called only by the interpreter, with a buffer to fill.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let this = slf.get();
        let event = this.page.view(slf.py())?;
        let text = (this.field)(&event).unwrap_or_default();
        let (start, bytes) = (text.as_ptr(), text.len() as ffi::Py_ssize_t);
        // SAFETY: `view` is the interpreter's. The bytes never change, and live as long as
        // the page, which is kept by `slf`, which is kept by the buffer.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start as *mut c_void, bytes, 1, flags)
        };
        match filled {
            0 => Ok(()),
            _ => Err(PyErr::take(slf.py())
                .unwrap_or_else(|| PyBufferError::new_err("the text cannot fill this buffer"))),
        }
    }
}

/// A view of an event in the store's page. Created by `memory.event_view`.
///
/// `content`, `metadata`, `tool_input` and `tool_output` are read-only memoryviews of UTF-8
/// bytes, which are not copied; `str(view.content, "utf-8")` copies them. They do not
/// change when the event is forgotten or erased, or when the memory is closed. As long as
/// one of them exists, space that others free is not reused.
#[pyclass(frozen, module = "recallite")]
pub(crate) struct EventView(Arc<Page>);

impl EventView {
    pub(crate) fn new(guard: EventGuard) -> Self {
        EventView(Arc::new(Page {
            guard: Some(guard),
            process: std::process::id(),
        }))
    }

    fn see<'py, T>(
        &self,
        py: Python<'py>,
        name: &'static str,
        field: impl FnOnce(&recallite::EventView<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        guarded(py, name, || field(&self.0.view(py)?))
    }

    fn text<'py>(
        &self,
        py: Python<'py>,
        name: &'static str,
        field: Field,
    ) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
        if !self.see(py, name, |event| Ok(field(event).is_some()))? {
            return Ok(None);
        }
        let page = Arc::clone(&self.0);
        let text = Bound::new(py, PageText { page, field })?;
        PyMemoryView::from(text.as_any()).map(Some)
    }
}

#[pymethods]
impl EventView {
    /// What it names, as the classes of the package say it.
    #[classattr]
    fn _recallite_names() -> (&'static str, &'static str) {
        ("event", "id")
    }

    /// The event's id.
    #[getter]
    fn id(&self, py: Python<'_>) -> PyResult<String> {
        self.see(py, "id", |event| Ok(event.id().to_string()))
    }

    /// Its position in the log.
    #[getter]
    fn seq(&self, py: Python<'_>) -> PyResult<u64> {
        self.see(py, "seq", |event| Ok(event.seq().0))
    }

    /// Its citation.
    #[getter]
    fn citation(&self, py: Python<'_>) -> PyResult<String> {
        self.see(py, "citation", |event| Ok(event.citation().to_owned()))
    }

    /// What kind of event it is.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.see(py, "kind", |event| give(py, event.kind()))
    }

    /// The session it belongs to.
    #[getter]
    fn session(&self, py: Python<'_>) -> PyResult<String> {
        self.see(py, "session", |event| Ok(event.session().to_owned()))
    }

    /// The project it belongs to; empty if there is none.
    #[getter]
    fn project(&self, py: Python<'_>) -> PyResult<String> {
        self.see(py, "project", |event| Ok(event.project().to_owned()))
    }

    /// When it happened.
    #[getter]
    fn timestamp<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.see(py, "timestamp", |event| give(py, event.timestamp()))
    }

    /// The complete text, after filtering.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
        self.text(py, "content", |event| Some(event.content()))
    }

    /// The metadata that the caller attached, as the text of a JSON object.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
        self.text(py, "metadata", |event| event.metadata())
    }

    /// The name of the tool of a tool observation.
    #[getter]
    fn tool_name(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let name = |tool: recallite::ToolView<'_>| tool.name().to_owned();
        self.see(py, "tool_name", |event| Ok(event.tool().map(name)))
    }

    /// The tool's masked arguments, as JSON text.
    #[getter]
    fn tool_input<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
        self.text(py, "tool_input", |event| event.tool()?.input())
    }

    /// The tool's masked output.
    #[getter]
    fn tool_output<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
        self.text(py, "tool_output", |event| Some(event.tool()?.output()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.see(py, "__repr__", |event| {
            Ok(format!(
                "<recallite.EventView {} of {} bytes>",
                event.citation(),
                event.content().len()
            ))
        })
    }
}
