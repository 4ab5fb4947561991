//! Passes log records to a Python function. It is called with the interpreter attached, on
//! whatever thread works, and its exceptions go to `sys.unraisablehook`.

use pyo3::prelude::*;
use recallite::LogRecord;

use crate::callback::Callback;
use crate::convert::give;
use crate::ending;
use crate::failure::wrong_type;

/// The function for the core.
pub(crate) type OnLog = Box<dyn Fn(&LogRecord) + Send + Sync>;

/// Converts a callable for the core; also returns what holds it.
pub(crate) fn on_log(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(OnLog, Callback)> {
    if !value.is_callable() {
        return Err(wrong_type(name, "callable", value));
    }
    let callback = Callback::new(value.clone().unbind());
    let held = callback.clone();
    let on_log: OnLog = Box::new(move |record| {
        // Records are dropped once the interpreter is ending.
        let _ = ending::attach(|py| {
            let Some(function) = callback.get(py) else {
                return;
            };
            let function = function.bind(py);
            let told = give(py, record.clone()).and_then(|record| function.call1((record,)));
            if let Err(raised) = told {
                raised.write_unraisable(py, Some(function));
            }
        });
    });
    Ok((on_log, held))
}
