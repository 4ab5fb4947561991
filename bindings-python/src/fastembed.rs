//! The option `fastembed`: a model in a folder, and where ONNX Runtime is.

use std::path::PathBuf;

use pyo3::prelude::*;
use recallite::embed::FastembedOptions;
use recallite::{Error, ErrorCode, MemoryBuilder};

use crate::argument;
use crate::convert::FromPython;
use crate::failure::raise;

const NOT_INSTALLED: &str = "ONNX Runtime is not installed: pip install \
    'recallite[fastembed]', or name its shared library in onnxruntime_library or in \
    ORT_DYLIB_PATH";

pub(crate) fn configure(
    builder: MemoryBuilder,
    value: &Bound<'_, PyAny>,
    name: &str,
) -> PyResult<MemoryBuilder> {
    let py = value.py();
    let mut wanted = FastembedOptions::from_python(value, name)?;
    // The core reads the variable, which takes precedence over the package.
    let is_named = std::env::var_os("ORT_DYLIB_PATH").is_some_and(|path| !path.is_empty());
    if cfg!(feature = "fastembed") && wanted.onnxruntime_library.is_none() && !is_named {
        wanted.onnxruntime_library = Some(installed_runtime(py)?);
    }
    builder.fastembed(wanted).map_err(|error| {
        let field = error.argument().filter(|field| *field != name);
        match field.map(|field| format!("{name}.{field}")) {
            Some(place) => raise(py, &error.about(place)),
            None => raise(py, &error),
        }
    })
}

/// The library in the installed package `onnxruntime`.
fn installed_runtime(py: Python<'_>) -> PyResult<PathBuf> {
    let options = py.import("recallite._options")?;
    let found = options.getattr("find_onnxruntime")?.call0()?;
    if found.is_none() {
        let error = Error::new(ErrorCode::Unsupported, NOT_INSTALLED);
        return Err(raise(
            py,
            &error.with_argument("fastembed.onnxruntime_library"),
        ));
    }
    argument::path(&found, "fastembed.onnxruntime_library")
}
