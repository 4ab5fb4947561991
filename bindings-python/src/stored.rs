//! Cached Python objects: the package's own classes and the few functions of the standard
//! library that conversions need.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDateTime, PyDelta, PyTzInfo};

/// The value of a cell, made on first use. Two threads may both make it, and one result is dropped:
/// while one is made, Python code runs and may fork, and the child must not wait for a thread that
/// it does not have.
pub(crate) fn raced<'c, T>(
    py: Python<'_>,
    cell: &'c PyOnceLock<T>,
    make: impl FnOnce() -> PyResult<T>,
) -> PyResult<&'c T> {
    if let Some(known) = cell.get(py) {
        return Ok(known);
    }
    let _ = cell.set(py, make()?);
    cell.get(py)
        .ok_or_else(|| pyo3::exceptions::PySystemError::new_err("a cached value is missing"))
}

/// The classes of `recallite._errors`.
pub(crate) struct Errors {
    /// The base class.
    pub(crate) base: Py<PyAny>,
    /// Maps codes to classes.
    pub(crate) by_code: Py<PyAny>,
}

pub(crate) fn errors(py: Python<'_>) -> PyResult<&'static Errors> {
    static ERRORS: PyOnceLock<Errors> = PyOnceLock::new();
    raced(py, &ERRORS, || {
        let module = py.import("recallite._errors")?;
        Ok(Errors {
            base: module.getattr("Error")?.unbind(),
            by_code: module.getattr("_BY_CODE")?.unbind(),
        })
    })
}

/// Whether a value is an instance of a class of the package.
pub(crate) fn is_a(value: &Bound<'_, PyAny>, class: &str) -> PyResult<bool> {
    value.is_instance(&value.py().import("recallite")?.getattr(class)?)
}

/// The functions and constants of the standard library.
pub(crate) struct Standard {
    pub(crate) dumps: Py<PyAny>,
    pub(crate) loads: Py<PyAny>,
    pub(crate) path: Py<PyAny>,
    pub(crate) fspath: Py<PyAny>,
    pub(crate) fsdecode: Py<PyAny>,
    /// 1970-01-01T00:00:00Z.
    pub(crate) epoch: Py<PyDateTime>,
}

pub(crate) fn standard(py: Python<'_>) -> PyResult<&'static Standard> {
    static STANDARD: PyOnceLock<Standard> = PyOnceLock::new();
    raced(py, &STANDARD, || {
        let json = py.import("json")?;
        let os = py.import("os")?;
        let utc = PyTzInfo::utc(py)?;
        Ok(Standard {
            dumps: json.getattr("dumps")?.unbind(),
            loads: json.getattr("loads")?.unbind(),
            path: py.import("pathlib")?.getattr("Path")?.unbind(),
            fspath: os.getattr("fspath")?.unbind(),
            fsdecode: os.getattr("fsdecode")?.unbind(),
            epoch: PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, Some(&utc))?.unbind(),
        })
    })
}

/// `milliseconds` as a `timedelta`.
pub(crate) fn delta(py: Python<'_>, milliseconds: i64) -> PyResult<Bound<'_, PyDelta>> {
    const DAY: i64 = 86_400_000;
    let of_day = milliseconds.rem_euclid(DAY);
    let days = i32::try_from(milliseconds.div_euclid(DAY))?;
    let seconds = i32::try_from(of_day / 1000)?;
    let micros = i32::try_from(of_day % 1000 * 1000)?;
    PyDelta::new(py, days, seconds, micros, false)
}
