//! The areas of a memory: `memory.tasks`, `memory.knowledge` and so on, each with
//! its methods in the file of its concern.

use std::ops::Deref;

use pyo3::prelude::*;

use crate::failure::guarded;
use crate::memory::Memory;

/// A class for each area, which keeps the memory's handle, and the property of the
/// memory that gives it.
macro_rules! areas {
    ($($(#[$docs:meta])* $class:ident = $name:ident;)+) => {
        $(
            $(#[$docs])*
            #[pyclass(frozen, module = "recallite")]
            pub(crate) struct $class(Py<Memory>);

            impl Deref for $class {
                type Target = Memory;

                fn deref(&self) -> &Memory {
                    self.0.get()
                }
            }

            #[pymethods]
            impl $class {
                fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                    guarded(py, "repr", || {
                        let memory = self.0.bind(py).repr()?;
                        Ok(format!("<recallite.{} of {memory}>", stringify!($class)))
                    })
                }
            }
        )+

        #[pymethods]
        impl Memory {
            $(
                $(#[$docs])*
                #[getter]
                fn $name(slf: Py<Self>) -> $class {
                    $class(slf)
                }
            )+
        }
    };
}

areas! {
    /// Tasks: what is to be done, what holds it up and how it came about.
    Tasks = tasks;
    /// What was learned: entries, the edges between them, conflicts and questions.
    Knowledge = knowledge;
    /// Levels: how far events have risen, from raw (L0) to active (L4), by being used.
    Levels = levels;
    /// The endless mode: a working set, consolidated memories and continuity.
    Endless = endless;
    /// Citations in detail: an event with its neighbours and its use.
    Citations = citations;
    /// The ledgers: build runs, metrics, promotions and decisions.
    History = history;
    /// Pauses: sessions and projects of which nothing is recorded for now.
    Pauses = pauses;
    /// Sharing: one memory in several stores, on the machines of one person or of a team.
    Sharing = sharing;
    /// What is seldom needed: counting, retention, formats, hashes of the state.
    Upkeep = upkeep;
}
