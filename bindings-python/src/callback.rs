//! The program's functions, which the core holds and the garbage collector must see: they may refer
//! to the memory that holds them.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

/// A function of the program, or none.
#[derive(Clone, Default)]
pub(crate) struct Callback(Arc<Mutex<Option<Py<PyAny>>>>);

impl Callback {
    pub(crate) fn new(function: Py<PyAny>) -> Self {
        Callback(Arc::new(Mutex::new(Some(function))))
    }

    pub(crate) fn set(&self, function: Option<Py<PyAny>>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *held, function);
        // Dropping it may run any code, also code that sets another one.
        drop(held);
        drop(before);
    }

    pub(crate) fn get(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map(|function| function.clone_ref(py))
    }

    /// Shows the collector the function.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Whoever holds the lock is using the memory, which is no garbage then.
        match self.0.try_lock() {
            Ok(held) => visit.call(held.as_ref()),
            Err(_) => Ok(()),
        }
    }
}
