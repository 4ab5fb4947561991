//! Converts failures to a Python exception of the class for their code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyString;
use recallite::{Error, ErrorCode};

use crate::stored::errors;

/// Runs what Python called. A panic becomes `InternalError`: it is a defect of the library,
/// and `except Exception` must catch it.
pub(crate) fn guarded<T>(
    py: Python<'_>,
    call: &'static str,
    body: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    caught(body).unwrap_or_else(|Panicked| Err(panicked(py, call, "please report it")))
}

/// Like [`guarded`], for a call on a handle. A panic also sets `is_poisoned`, and its
/// exception says that the memory must be opened again.
pub(crate) fn guarded_handle<T>(
    py: Python<'_>,
    call: &'static str,
    is_poisoned: &AtomicBool,
    body: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    caught(body).unwrap_or_else(|Panicked| {
        is_poisoned.store(true, Ordering::Release);
        let error = panicked(py, call, "close the memory and open it again");
        error.value(py).setattr("needs_reopen", true)?;
        Err(error)
    })
}

/// A caught panic. Its payload is not shown, because a panic's message may quote stored
/// text.
struct Panicked;

fn caught<T>(body: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|_| Panicked)
}

fn panicked(py: Python<'_>, call: &'static str, next: &str) -> PyErr {
    let message =
        format!("{call} panicked, which is a defect in recallite (see standard error); {next}");
    raise(py, &Error::new(ErrorCode::Internal, message))
}

/// The exception for an error of the core.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    build(py, error, error.code().as_str()).unwrap_or_else(|failed| failed)
}

fn build(py: Python<'_>, error: &Error, class: &str) -> PyResult<PyErr> {
    let class = match errors(py)?.by_code.bind(py).get_item(class) {
        Ok(class) => class,
        Err(_) => errors(py)?.base.bind(py).clone(),
    };
    let exception = class.call1((error.message(),))?;
    exception.setattr("argument", error.argument())?;
    exception.setattr("retryable", error.is_retryable())?;
    exception.setattr("needs_reopen", error.needs_reopen())?;
    let mut cause: Option<&(dyn std::error::Error + 'static)> = std::error::Error::source(error);
    while let Some(error) = cause {
        let number = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::raw_os_error);
        if let Some(number) = number {
            exception.setattr("errno", number)?;
            break;
        }
        cause = error.source();
    }
    Ok(PyErr::from_value(exception))
}

/// An argument with an unacceptable value.
pub(crate) fn invalid(py: Python<'_>, argument: &str, problem: impl std::fmt::Display) -> PyErr {
    raise(py, &Error::invalid(argument, problem))
}

/// An argument with an unacceptable type.
pub(crate) fn wrong_type(argument: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let py = value.py();
    let given = value
        .get_type()
        .name()
        .unwrap_or_else(|_| PyString::new(py, "?"));
    not_of_type(
        py,
        argument,
        format_args!("must be {expected}, not {}", given.to_string_lossy()),
    )
}

/// Like [`wrong_type`], with a custom message.
pub(crate) fn not_of_type(
    py: Python<'_>,
    argument: &str,
    problem: impl std::fmt::Display,
) -> PyErr {
    build(py, &Error::invalid(argument, problem), "wrong_type").unwrap_or_else(|failed| failed)
}

/// The error of a use after closing.
pub(crate) fn closed() -> Error {
    Error::new(
        ErrorCode::Closed,
        "the memory was closed; open it again with recallite.open",
    )
}
