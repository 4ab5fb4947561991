//! The class `Memory`: its handle, the log and sessions. Its other methods are in the files
//! of their concerns.

use std::mem;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use recallite::transcript::ImportOptions;
use recallite::{Error, ErrorCode, scope};

use crate::argument::{self, Given, optional};
use crate::callback::Callback;
use crate::event_view::EventView;
use crate::failure::{closed, guarded, guarded_handle, raise};
use crate::fields::Fields;
use crate::generated::{self, IMPORT_OPTIONS};
use crate::import;
use crate::progress::{of_the_core, settled};
use crate::reading::{Reading, let_go};
use crate::stored::standard;

/// Returns the folder where a user's memory is stored unless a host chooses another.
#[pyfunction]
#[pyo3(signature = ())]
pub(crate) fn default_store_path(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    guarded(py, "default_store_path", || {
        let path = scope::default_store_path().map_err(|error| raise(py, &error))?;
        standard(py)?.path.bind(py).call1((path.as_os_str(),))
    })
}

/// Returns the project that a working folder belongs to: the root of its repository, which
/// is the same for all worktrees of one repository.
#[pyfunction]
#[pyo3(signature = (folder))]
pub(crate) fn project_of(py: Python<'_>, folder: &Bound<'_, PyAny>) -> PyResult<String> {
    guarded(py, "project_of", || {
        let folder = argument::path(folder, "folder")?;
        py.detach(|| scope::project_of(&folder))
            .map_err(|error| raise(py, &error))
    })
}

/// A memory: a searchable log of events, kept in one folder.
///
/// Created by `recallite.open`. A handle can be used by several threads at once, and
/// several processes can have the same folder open. Use it in a `with` statement, or call
/// `close()`.
#[pyclass(frozen, module = "recallite")]
pub(crate) struct Memory {
    /// `None` after `close()`. Locked only to clone or take it.
    inner: Mutex<Option<recallite::Memory>>,
    path: PathBuf,
    project: String,
    /// Set when a call panicked: the core's caches may be half changed.
    is_poisoned: AtomicBool,
    process: u32,
    /// The running reads, which `close()` ends: each of them would keep the store file open.
    readings: Mutex<Vec<Weak<Reading>>>,
    /// The program's progress handler, if there is one.
    pub(crate) progress: Callback,
    /// The functions that the core holds, until `close()`.
    callbacks: Mutex<Vec<Callback>>,
}

impl Memory {
    pub(crate) fn new(inner: recallite::Memory, callbacks: Vec<Callback>) -> Self {
        let progress = Callback::default();
        inner.set_progress_handler(Some(of_the_core(&progress)));
        Memory {
            path: inner.path().to_owned(),
            project: inner.project().to_owned(),
            inner: Mutex::new(Some(inner)),
            is_poisoned: AtomicBool::new(false),
            process: std::process::id(),
            readings: Mutex::default(),
            progress,
            callbacks: Mutex::new(callbacks),
        }
    }

    pub(crate) fn handle(&self) -> recallite::Result<recallite::Memory> {
        if self.is_poisoned.load(Ordering::Acquire) {
            return Err(Error::new(
                ErrorCode::Poisoned,
                "an earlier call panicked; close the memory and open it again",
            ));
        }
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
            .ok_or_else(closed)
    }

    /// Runs a method: `arguments` converts with the interpreter attached, `work` runs with
    /// it detached, `result` converts the result.
    pub(crate) fn call<'py, A, T, R>(
        &self,
        py: Python<'py>,
        name: &'static str,
        arguments: impl FnOnce() -> PyResult<A>,
        work: impl FnOnce(&recallite::Memory, A) -> recallite::Result<T> + Send,
        result: impl FnOnce(Python<'py>, T) -> PyResult<R>,
    ) -> PyResult<R>
    where
        A: Send,
        T: Send,
    {
        self.watched(py, name, || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            let arguments = arguments()?;
            // Moved, so that it is dropped inside: it is the last one if another thread
            // closed the memory meanwhile.
            let outcome = py.detach(move || work(&memory, arguments));
            result(py, settled(py, outcome)?)
        })
    }

    /// Like [`guarded`]; a panic also makes the handle refuse further calls.
    pub(crate) fn watched<R>(
        &self,
        py: Python<'_>,
        name: &'static str,
        body: impl FnOnce() -> PyResult<R>,
    ) -> PyResult<R> {
        guarded_handle(py, name, &self.is_poisoned, body)
    }

    /// Has `close()` end a read.
    pub(crate) fn watch(&self, reading: &Arc<Reading>) {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        readings.retain(|reading| reading.strong_count() > 0);
        readings.push(Arc::downgrade(reading));
    }

    fn take_callbacks(&self) -> Vec<Callback> {
        let mut held = self
            .callbacks
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        mem::take(&mut *held)
    }

    fn release(&self, py: Python<'_>) -> PyResult<()> {
        let inner = self
            .inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(inner) = inner else { return Ok(()) };
        if self.process != std::process::id() {
            mem::forget(inner);
            return Ok(());
        }
        // It may refer to this memory.
        self.progress.set(None);
        // The core keeps them until no operation needs them any more.
        drop(self.take_callbacks());
        py.detach(|| {
            let readings = {
                let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
                mem::take(&mut *readings)
            };
            readings
                .iter()
                .filter_map(Weak::upgrade)
                .for_each(|reading| reading.close());
            let closed = inner.close();
            drop(inner);
            closed
        })
        .map_err(|error| raise(py, &error))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = inner.take() {
            let_go(inner, self.process);
        }
    }
}

#[pymethods]
impl Memory {
    /// The folder of the memory, as a `pathlib.Path`.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, "path", || {
            standard(py)?.path.bind(py).call1((self.path.as_os_str(),))
        })
    }

    /// The project that the memory was opened for; empty if there is none.
    #[getter]
    fn project(&self) -> &str {
        &self.project
    }

    /// Whether the handle is open.
    #[getter]
    fn is_open(&self) -> bool {
        self.handle().is_ok_and(|memory| memory.is_open())
    }

    /// Returns a view of the event with this id, citation or position (`seq`) in the
    /// store's page. Its texts are memoryviews, which are not copied. Returns `None` if the
    /// event does not exist or was forgotten.
    ///
    /// Growth: Constant.
    #[pyo3(signature = (event, /), text_signature = "($self, event, /)")]
    fn event_view<'py>(
        &self,
        py: Python<'py>,
        event: &Bound<'py, PyAny>,
    ) -> PyResult<Option<EventView>> {
        self.call(
            py,
            "event_view",
            || argument::event_ref(event, "event"),
            |memory, event| memory.views().guard(event),
            |_, guard| Ok(guard.map(EventView::new)),
        )
    }

    /// Imports Claude Code transcripts from a `.jsonl` file, a project's folder, or the
    /// root of such folders. Importing the same transcript again changes nothing.
    ///
    /// `progress` is called with an `ImportProgress` after each transaction; the import
    /// ends if it returns `False`. `progress=True` shows a progress bar if `tqdm` is
    /// installed.
    ///
    /// Growth: By what is imported.
    #[pyo3(
        signature = (path, *, progress=None, **options),
        text_signature = "($self, path, *, has_tool_observations=True, keeps_blank_text=False, \
                          response_limit_utf16=None, limit=None, max_line_bytes=67108864, \
                          progress=None)"
    )]
    fn import_claude_code<'py>(
        &self,
        py: Python<'py>,
        path: &Bound<'py, PyAny>,
        progress: Given<'py>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.watched(py, "import_claude_code", || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            let path = argument::path(path, "path")?;
            let given = Fields::given_to(py, options, IMPORT_OPTIONS)?;
            let options = generated::import_options(ImportOptions::default(), &given)?;
            let progress = optional(&progress, "progress", import::progress)?
                .unwrap_or(import::Progress::Silent);
            import::run(py, memory, &path, &options, progress)
        })
    }

    /// Closes the handle. Later calls raise `Closed`. Closing it twice is harmless.
    #[pyo3(signature = (), text_signature = "($self)")]
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(py, "close", || self.release(py))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.progress.traverse(&visit)?;
        // Whoever holds the lock is using the memory, which is no garbage then.
        let Ok(callbacks) = self.callbacks.try_lock() else {
            return Ok(());
        };
        callbacks
            .iter()
            .try_for_each(|callback| callback.traverse(&visit))
    }

    fn __clear__(&self) {
        self.progress.set(None);
        let callbacks = self.take_callbacks();
        callbacks.iter().for_each(|callback| callback.set(None));
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyResult<PyRef<'_, Self>> {
        slf.handle().map_err(|error| raise(slf.py(), &error))?;
        Ok(slf)
    }

    #[pyo3(
        signature = (*_raised),
        text_signature = "($self, exc_type, exc_value, traceback, /)"
    )]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyTuple>) -> PyResult<()> {
        guarded(py, "close", || self.release(py))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, "repr", || {
            let path = self.path.as_os_str().into_pyobject(py)?;
            let mut shown = format!("<recallite.Memory {}", path.repr()?);
            if !self.project.is_empty() {
                let project = self.project.as_str().into_pyobject(py)?;
                shown.push_str(&format!(" project={}", project.repr()?));
            }
            shown.push_str(if self.is_open() { ">" } else { " closed>" });
            Ok(shown)
        })
    }

    /// Returns a table of the memory's figures, for notebooks.
    #[pyo3(signature = (), text_signature = "($self)")]
    fn _repr_html_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, "_repr_html_", || {
            let stats = if self.is_open() {
                self.stats(py)?
            } else {
                py.None().into_bound(py)
            };
            let html = py.import("recallite._base")?.getattr("memory_html")?;
            html.call1((self.__repr__(py)?, stats))
        })
    }
}
