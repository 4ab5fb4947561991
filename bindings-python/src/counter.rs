//! Counts tokens with a Python function.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use recallite::{Error, ErrorCode, TokenCounter};

use crate::argument;
use crate::failure::{raise, wrong_type};
use crate::stored::is_a;

/// A counter for the core, and the first exception that the function raised.
#[derive(Default)]
pub(crate) struct Counter {
    /// `None` means the estimate.
    pub(crate) count: Option<TokenCounter>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

pub(crate) fn counter(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Counter> {
    if !value.is_callable() {
        return Err(wrong_type(name, "callable", value));
    }
    let function = value.clone().unbind();
    let name = name.to_owned();
    let raised = Arc::<Mutex<Option<PyErr>>>::default();
    let first = Arc::clone(&raised);
    let count = TokenCounter::fallible(move |text| {
        let tokens = Python::try_attach(|py| {
            let given = function.bind(py).call1((text,))?;
            argument::size(&given, &name).map_err(|error| unusable(py, &name, error))
        });
        let problem = match tokens {
            Some(Ok(tokens)) => return Ok(tokens),
            Some(Err(error)) => {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
                "raised an exception"
            }
            None => "was called while Python was ending",
        };
        Err(Error::new(ErrorCode::Callback, problem).about(&name))
    });
    Ok(Counter {
        count: Some(count),
        raised,
    })
}

/// The error of a function that returned no number of tokens; what it raises itself is passed on.
fn unusable(py: Python<'_>, name: &str, cause: PyErr) -> PyErr {
    if !is_a(cause.value(py), "InvalidArgument").unwrap_or(false) {
        return cause;
    }
    let said = cause.value(py).to_string();
    let problem = said.strip_prefix(&format!("{name}: ")).unwrap_or(&said);
    let problem = format!("what the function returned {problem}");
    let error = raise(py, &Error::new(ErrorCode::Callback, problem).about(name));
    error.set_cause(py, Some(cause));
    error
}

impl Counter {
    /// Raises the function's exception, if any.
    pub(crate) fn check(&self) -> PyResult<()> {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.take().map_or(Ok(()), Err)
    }
}
