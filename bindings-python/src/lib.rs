//! The extension module `recallite._native`: converts Python's arguments, calls
//! the core with the interpreter released, and converts back.
//!
//! Rules of this crate:
//! - Every function that Python can call runs inside [`failure::guarded`], so
//!   that no panic crosses as `PanicException`.
//! - Results are the frozen dataclasses of `recallite._records`; errors are the
//!   classes of `recallite._errors`.
//! - Nothing is decided here. A rule that another language would need as well
//!   belongs in the core.

mod argument;
mod events;
mod failure;
mod import;
mod memory;
mod new_event;
mod record;
mod stored;

use pyo3::prelude::*;

/// The native part of Recallite; use the package `recallite`.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::events::Events;
    #[pymodule_export]
    use super::failure::{_panic_for_test, _raise_for_test};
    #[pymodule_export]
    use super::memory::{Memory, default_store_path, open, project_of};
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let names = |all: Vec<&'static str>| pyo3::types::PyTuple::new(module.py(), all);
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add(
            "_ERROR_CODES",
            names(
                recallite::ErrorCode::ALL
                    .iter()
                    .map(|c| c.as_str())
                    .collect(),
            )?,
        )?;
        module.add(
            "_EVENT_KINDS",
            names(
                recallite::EventKind::ALL
                    .iter()
                    .map(|k| k.as_str())
                    .collect(),
            )?,
        )?;
        module.add(
            "_ORIGINS",
            names(recallite::Origin::ALL.iter().map(|o| o.as_str()).collect())?,
        )?;
        // The public names are those of the package.
        module.delattr("__all__")
    }
}
