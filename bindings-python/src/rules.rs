//! The rules of the library as functions: nothing in the `rules_*` files reads or writes a
//! store.

use pyo3::prelude::*;

use crate::failure::{guarded, raise};

/// Runs a rule: `arguments` converts with the interpreter attached, `work` runs with it
/// detached, `result` converts the result.
pub(crate) fn rule<'py, A, T, R>(
    py: Python<'py>,
    name: &'static str,
    arguments: impl FnOnce() -> PyResult<A>,
    work: impl FnOnce(A) -> recallite::Result<T> + Send,
    result: impl FnOnce(Python<'py>, T) -> PyResult<R>,
) -> PyResult<R>
where
    A: Send,
    T: Send,
{
    guarded(py, name, || {
        let arguments = arguments()?;
        let found = py
            .detach(|| work(arguments))
            .map_err(|error| raise(py, &error))?;
        result(py, found)
    })
}
