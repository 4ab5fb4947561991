//! Counts tokens with a Python function.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use recallite::TokenCounter;

use crate::argument;
use crate::failure::wrong_type;

/// The count of a text once the function has raised: above any budget, so that the call
/// ends soon, yet sums of several do not overflow.
const TOO_MANY: usize = u32::MAX as usize;

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
    let name = format!("{name}()");
    let raised = Arc::<Mutex<Option<PyErr>>>::default();
    let first = Arc::clone(&raised);
    let count = TokenCounter::new(move |text| {
        let tokens =
            Python::try_attach(|py| argument::size(&function.bind(py).call1((text,))?, &name));
        match tokens {
            Some(Ok(tokens)) => tokens.min(TOO_MANY),
            Some(Err(error)) => {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
                TOO_MANY
            }
            None => TOO_MANY,
        }
    });
    Ok(Counter {
        count: Some(count),
        raised,
    })
}

impl Counter {
    /// Raises the function's exception, if any.
    pub(crate) fn check(&self) -> PyResult<()> {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.take().map_or(Ok(()), Err)
    }
}
