//! Functions for tests of the boundary only: the feature `test-hooks` is off in every
//! published package, whose stubs do not know them either.

use pyo3::prelude::*;
use recallite::{Error, ErrorCode};

use crate::failure::{guarded, invalid, raise};
use crate::memory::Memory;

/// Raises the exception of a code, to test the mapping.
#[pyfunction]
#[pyo3(signature = (code, argument=None))]
pub(crate) fn _raise_for_test(py: Python<'_>, code: &str, argument: Option<&str>) -> PyResult<()> {
    guarded(py, "_raise_for_test", || {
        let Some(code) = ErrorCode::ALL.iter().find(|known| known.as_str() == code) else {
            return Err(invalid(py, "code", "is not an error code"));
        };
        let mut error = Error::new(*code, format!("a test raised {code}"));
        if let Some(argument) = argument {
            error = error.with_argument(argument);
        }
        Err(raise(py, &error))
    })
}

/// Panics inside a guarded call, to test the guard.
#[pyfunction]
#[pyo3(signature = ())]
pub(crate) fn _panic_for_test(py: Python<'_>) -> PyResult<()> {
    guarded(py, "_panic_for_test", || {
        py.detach(|| panic!("a test asked for this panic"))
    })
}

#[pymethods]
impl Memory {
    /// Panics in a call on this handle. For the tests of poisoning.
    #[pyo3(signature = (), text_signature = "($self)")]
    fn _panic_for_test(&self, py: Python<'_>) -> PyResult<()> {
        self.call(
            py,
            "_panic_for_test",
            || Ok(()),
            |_, ()| -> recallite::Result<()> { panic!("a test asked for this panic") },
            |_, ()| Ok(()),
        )
    }
}
