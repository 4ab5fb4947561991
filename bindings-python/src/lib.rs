//! The extension module `recallite._native`: converts Python's arguments, calls the core
//! with the interpreter detached, and converts the result back.
//!
//! Rules of this crate:
//! - Every function that Python can call runs inside [`failure::guarded`], so
//!   that no panic crosses as `PanicException`.
//! - Results are the frozen dataclasses of `recallite._generated`; so are the classes of
//!   errors, but for those of `recallite._errors`.
//! - No decisions are made here. A rule that another language would also need belongs in
//!   the core.

mod areas;
mod argument;
mod arrow;
mod callback;
mod convert;
mod counter;
mod embedder;
mod ending;
mod endless;
mod event_view;
mod events;
mod failure;
mod fastembed;
mod fields;
mod generated;
#[cfg(feature = "test-hooks")]
mod hooks;
mod import;
mod logging;
mod memory;
mod moving;
mod options;
mod progress;
mod reading;
mod recall;
mod references;
mod rules;
mod stored;
mod tasks;
mod upkeep;
mod watching;

use pyo3::prelude::*;

/// The classes exist once in a process, and those of a sub-interpreter end with it.
#[allow(unsafe_code, reason = "pyo3 does not wrap which interpreter this is")]
fn refuse_sub_interpreters() -> PyResult<()> {
    const MAIN: i64 = 0;
    // SAFETY: this thread is attached to an interpreter, because it imports the module.
    let current =
        unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) };
    match current {
        MAIN => Ok(()),
        _ => Err(pyo3::exceptions::PyImportError::new_err(
            "recallite can be used in the main interpreter only, not in a sub-interpreter; use \
             threads or processes, or under mod_wsgi `WSGIApplicationGroup %{GLOBAL}`",
        )),
    }
}

/// The native part of Recallite; use the package `recallite`.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::arrow::ArrowEvents;
    #[pymodule_export]
    use super::event_view::EventView;
    #[pymodule_export]
    use super::events::Events;
    #[pymodule_export]
    use super::generated::areas::{
        Citations, Endless, History, Knowledge, Levels, Pauses, Sharing, Tasks, Upkeep,
    };
    #[cfg(feature = "test-hooks")]
    #[pymodule_export]
    use super::hooks::{_panic_for_test, _raise_for_test};
    #[pymodule_export]
    use super::memory::{Memory, default_store_path, project_of};
    #[pymodule_export]
    use super::options::open;
    #[pymodule_export]
    use super::progress::_stopped_by;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        refuse_sub_interpreters()?;
        ending::register(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let codes = recallite::ErrorCode::ALL.iter().map(|code| code.as_str());
        let codes = pyo3::types::PyTuple::new(module.py(), codes.collect::<Vec<_>>())?;
        module.add("_ERROR_CODES", codes)?;
        let schema = recallite::rules::model_answer::EXTRACTION_SCHEMA;
        module.add("EXTRACTION_SCHEMA", schema)?;
        let prompt = recallite::rules::model_answer::EXTRACTION_PROMPT;
        module.add("EXTRACTION_PROMPT", prompt)?;
        let version = recallite::rules::model_answer::SCHEMA_VERSION;
        module.add("EXTRACTION_SCHEMA_VERSION", version)?;
        let tokens = recallite::text::tokens::INDEX_ITEM_TOKENS;
        module.add("INDEX_ITEM_TOKENS", tokens)?;
        let tokens = recallite::text::tokens::TIMELINE_ITEM_TOKENS;
        module.add("TIMELINE_ITEM_TOKENS", tokens)?;
        generated::rules::add(module)?;
        // The public names are those of the package.
        module.delattr("__all__")
    }
}
