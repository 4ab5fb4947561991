//! Loads the shared library of ONNX Runtime, once per process.
//!
//! On its own, `ort` panics if the library is missing or too old. This module checks first and
//! returns an error that says what to do.

use crate::model::error::{Error, ErrorCode, Result};
use ort::environment::Environment;
use parking_lot::Mutex;
use std::fmt;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

/// The environment variable that the `ort` crate reads by convention.
const PATH_VARIABLE: &str = "ORT_DYLIB_PATH";

struct Loaded {
    environment: Environment,
    library: PathBuf,
}

/// This process's only environment. A static is never dropped: the runtime must not be torn
/// down while other threads may still use it at exit.
static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

/// The process's environment; the first call loads the library.
pub(super) fn environment(explicit: Option<&Path>) -> Result<Environment> {
    let mut loaded = LOADED.lock();
    let library = match explicit {
        Some(path) => std::path::absolute(path)?,
        None => default_library(),
    };
    if let Some(loaded) = loaded.as_ref() {
        if explicit.is_some() && library != loaded.library {
            return Err(unsupported(format_args!(
                "this process already loaded it from {} and cannot load {} as well",
                loaded.library.display(),
                library.display()
            )));
        }
        return Ok(loaded.environment.clone());
    }
    // Only paths are checked here; a bare name is left to the system's search.
    if library.components().count() > 1 && !library.is_file() {
        return Err(unsupported(format_args!(
            "{} is not a file",
            library.display()
        )));
    }
    let environment = catch_unwind(|| load(&library)).unwrap_or_else(|_| {
        Err(unsupported(format_args!(
            "{} is not a usable ONNX Runtime library",
            library.display()
        )))
    })?;
    *loaded = Some(Loaded {
        environment: environment.clone(),
        library,
    });
    Ok(environment)
}

fn load(library: &Path) -> Result<Environment> {
    let builder = ort::init_from(library)
        .map_err(|cause| unsupported(format_args!("{cause}")).with_source(cause))?;
    builder
        .with_name("recallite")
        // The Windows build sends telemetry to Microsoft unless disabled.
        .with_telemetry(false)
        .build()
        .map_err(|cause| unsupported(format_args!("{cause}")).with_source(cause))
}

/// The library that the environment variable names, or its usual name for the system to
/// search.
fn default_library() -> PathBuf {
    match std::env::var_os(PATH_VARIABLE) {
        Some(path) if !path.is_empty() => path.into(),
        _ => format!(
            "{}onnxruntime{}",
            std::env::consts::DLL_PREFIX,
            std::env::consts::DLL_SUFFIX
        )
        .into(),
    }
}

fn unsupported(problem: fmt::Arguments<'_>) -> Error {
    Error::new(
        ErrorCode::Unsupported,
        format!(
            "ONNX Runtime: {problem}. Install ONNX Runtime 1.{} or newer and name its shared \
             library in the option `onnxruntime_library` or in {PATH_VARIABLE}; recall works \
             without it, with the lexical retriever and the built-in table",
            ort::MINOR_VERSION
        ),
    )
}
