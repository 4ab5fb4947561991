//! The methods of `Memory` that move a store: exports, restores and imports, with paths and
//! Python's binary files.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyBlockingIOError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use recallite::ExportOptions;

use crate::argument::{self, Given, optional};
use crate::convert::give;
use crate::failure::{not_of_type, raise};
use crate::memory::Memory;
use crate::progress;
use crate::upkeep::{Selection, in_python};

/// Buffer size for Python files, in bytes.
const CHUNK_BYTES: usize = 256 << 10;

/// The target of an export or the source of an import.
enum Place {
    Path(PathBuf),
    File(Py<PyAny>),
}

fn place(value: &Bound<'_, PyAny>, name: &str, method: &str) -> PyResult<Place> {
    if value.hasattr(method)? {
        return Ok(Place::File(value.clone().unbind()));
    }
    argument::path(value, name).map(Place::Path)
}

/// A Python file as the core's reader or writer. Its exceptions are kept, to be raised
/// unchanged once the core has given up.
struct PyFile {
    file: Py<PyAny>,
    name: &'static str,
    raised: Option<PyErr>,
}

impl PyFile {
    fn new(file: Py<PyAny>, name: &'static str) -> Self {
        PyFile {
            file,
            name,
            raised: None,
        }
    }

    fn attached<T>(
        &mut self,
        call: impl FnOnce(Python<'_>, &Bound<'_, PyAny>, &'static str) -> PyResult<T>,
    ) -> io::Result<T> {
        let outcome = Python::attach(|py| {
            // Nothing else would notice Ctrl-C during a long export.
            py.check_signals()?;
            call(py, self.file.bind(py), self.name)
        });
        outcome.map_err(|raised| {
            self.raised.get_or_insert(raised);
            io::Error::other("the file raised an exception")
        })
    }
}

impl Write for PyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attached(|py, file, name| {
            let answer = file.call_method1("write", (PyBytes::new(py, bytes),))?;
            // `None` means that everything was written, but of a raw stream, that nothing was.
            if answer.is_none() && file.is_instance(&py.import("io")?.getattr("RawIOBase")?)? {
                return Err(PyBlockingIOError::new_err(
                    "the stream took nothing without blocking; let it block",
                ));
            }
            let taken = optional(&Some(answer), &format!("{name}.write()"), argument::size)?;
            Ok(taken.unwrap_or(bytes.len()).min(bytes.len()))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attached(|_, file, _| {
            if file.hasattr("flush")? {
                file.call_method0("flush")?;
            }
            Ok(())
        })
    }
}

impl Read for PyFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.attached(|py, file, name| {
            let given = file.call_method1("read", (bytes.len(),))?;
            let problem = |problem: &str| Err(not_of_type(py, name, problem));
            if given.is_instance_of::<PyString>() {
                return problem("returned str; open it in binary mode");
            }
            let Ok(given) = PyBuffer::<u8>::get(&given) else {
                return problem("must return bytes when read");
            };
            let Some(bytes) = bytes.get_mut(..given.item_count()) else {
                return problem("returned more bytes than requested");
            };
            given.copy_to_slice(py, bytes)?;
            Ok(bytes.len())
        })
    }
}

/// Returns the core's result, unless a file raised an exception before.
fn settled<T>(py: Python<'_>, raised: Option<PyErr>, outcome: recallite::Result<T>) -> PyResult<T> {
    match raised {
        Some(raised) => {
            // The same, if both noticed it.
            let _ = progress::settled(py, outcome);
            Err(raised)
        }
        None => progress::settled(py, outcome),
    }
}

/// What reads an export in a file.
type OfPath<T> = fn(&recallite::Memory, &Path) -> recallite::Result<T>;
/// What reads an export from a Python file.
type OfReader<T> = fn(&recallite::Memory, &mut PyReader) -> recallite::Result<T>;
type PyReader = BufReader<PyFile>;

impl Memory {
    /// Runs an operation that reads an export from a path or a Python file.
    fn reading<'py, T: Send, R>(
        &self,
        py: Python<'py>,
        call: &'static str,
        source: &Bound<'py, PyAny>,
        (of_path, of_reader): (OfPath<T>, OfReader<T>),
        result: impl FnOnce(Python<'py>, T) -> PyResult<R>,
    ) -> PyResult<R> {
        self.watched(py, call, || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            let (raised, outcome) = match place(source, "source", "read")? {
                Place::Path(path) => (None, py.detach(move || of_path(&memory, &path))),
                Place::File(file) => py.detach(move || {
                    let file = PyFile::new(file, "source");
                    let mut reader = BufReader::with_capacity(CHUNK_BYTES, file);
                    let outcome = of_reader(&memory, &mut reader);
                    (reader.into_inner().raised, outcome)
                }),
            };
            let names = [("path", "source"), ("reader", "source")];
            let outcome = outcome.map_err(|error| argument::renamed(error, &names));
            result(py, settled(py, raised, outcome)?)
        })
    }
}

#[pymethods]
impl Memory {
    /// Writes events as JSON Lines to `target`, a path or a binary file. A file that is at
    /// the path already is refused with `AlreadyExists`; with `replace`, it is replaced once
    /// the new one is complete.
    ///
    /// Without a selection, the whole log is written with everything that an exact restore
    /// needs, including forgotten events and the store's secret: keep it as private as the
    /// store. With a selection (the arguments of `forget`), the live events that match it
    /// are written; such a file can be imported but not restored.
    ///
    /// Growth: By store; with a selection, by result.
    #[pyo3(
        signature = (target, *, replace=None, events=None, **narrowed),
        text_signature = "($self, target, *, replace=False, events=None, session=None, \
                          before=None, project=None, kinds=None, everything=False)"
    )]
    fn export_jsonl<'py>(
        &self,
        py: Python<'py>,
        target: &Bound<'py, PyAny>,
        replace: Given<'py>,
        events: Given<'py>,
        narrowed: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let selection = Selection { events, narrowed };
        self.watched(py, "export_jsonl", || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            let mut options = ExportOptions::new();
            if !selection.is_empty(py)? {
                options.selector = Some(selection.selector(py)?);
            }
            options.replace = optional(&replace, "replace", argument::boolean)?.unwrap_or_default();
            let (raised, outcome) = match place(target, "target", "write")? {
                Place::Path(path) => (None, py.detach(|| memory.export_jsonl(&path, &options))),
                Place::File(file) => py.detach(move || {
                    let file = PyFile::new(file, "target");
                    let mut writer = BufWriter::with_capacity(CHUNK_BYTES, file);
                    let selector = options.selector.as_ref();
                    let outcome = memory.upkeep().export_jsonl_to(&mut writer, selector);
                    // Dropping it would call a file again that has raised.
                    (writer.into_parts().0.raised, outcome)
                }),
            };
            let outcome = outcome.map_err(|error| argument::renamed(error, &[("path", "target")]));
            let exported = settled(py, raised, outcome.map_err(in_python))?;
            give(py, exported)
        })
    }

    /// Restores a full export into this empty store, byte for byte, and returns the number
    /// of events. `source` is a path or a binary file. An export that is truncated or
    /// modified leaves the store empty.
    ///
    /// Growth: By what is restored.
    #[pyo3(signature = (source, /), text_signature = "($self, source, /)")]
    fn restore_jsonl<'py>(&self, py: Python<'py>, source: &Bound<'py, PyAny>) -> PyResult<u64> {
        self.reading(
            py,
            "restore_jsonl",
            source,
            (
                |memory, path| memory.restore_jsonl(path),
                |memory, reader| memory.upkeep().restore_jsonl_from(reader),
            ),
            |_, events| Ok(events),
        )
    }

    /// Adds the conversation events of an export to this store, in batches between which others can
    /// write. The events pass through the privacy filter and get new ids; events that are already
    /// here are recognised. The export is read to its end first; if the disk fills up after that,
    /// importing again adds the rest. `source` is a path or a binary file.
    ///
    /// Growth: By what is imported.
    #[pyo3(signature = (source, /), text_signature = "($self, source, /)")]
    fn import_jsonl<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.reading(
            py,
            "import_jsonl",
            source,
            (
                |memory, path| memory.import_jsonl(path),
                |memory, reader| memory.upkeep().import_jsonl_from(reader),
            ),
            give,
        )
    }
}
