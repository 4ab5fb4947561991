//! What a program asks of long operations: to be told their progress, and to stop.

use pyo3::prelude::*;

use crate::failure::{raise, wrong_type};
use crate::memory::Memory;

#[pymethods]
impl Memory {
    /// Sets the function that is called with the progress of long operations (those of
    /// `Operation`), or removes it with `None`.
    ///
    /// It is called with a `Progress`, on the thread that runs the operation: at the
    /// beginning, at most every 50 milliseconds in between, and at the end of an operation
    /// that succeeds. If it returns `False`, the operation ends with `Interrupted`; if it
    /// raises an exception, the operation ends and raises it. It may read from the same
    /// memory, but must not append, change anything or begin another long operation.
    ///
    /// Ctrl-C stops a long operation of the main thread with or without a handler.
    #[pyo3(signature = (handler, /), text_signature = "($self, handler, /)")]
    fn set_progress_handler(&self, py: Python<'_>, handler: &Bound<'_, PyAny>) -> PyResult<()> {
        self.watched(py, "set_progress_handler", || {
            self.handle().map_err(|error| raise(py, &error))?;
            if handler.is_none() {
                self.progress.set(None);
                return Ok(());
            }
            if !handler.is_callable() {
                return Err(wrong_type("handler", "callable or None", handler));
            }
            self.progress.set(Some(handler.clone().unbind()));
            Ok(())
        })
    }

    /// Stops the long operations of this memory that are running now, on any thread. Each
    /// raises `Interrupted` at its next checkpoint, usually within milliseconds; one that
    /// has begun its last step, for which writers wait, is completed. An operation that
    /// begins later is not affected.
    ///
    /// The store stays sound: nothing has changed, or the parts that were done stay done and
    /// another call continues.
    #[pyo3(signature = (), text_signature = "($self)")]
    fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        self.watched(py, "interrupt", || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            memory.interrupt();
            Ok(())
        })
    }
}
