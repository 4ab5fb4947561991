//! The option `fastembed`: a model in a folder, and where ONNX Runtime lies.

#[cfg(not(feature = "fastembed"))]
use pyo3::prelude::*;

#[cfg(feature = "fastembed")]
pub(crate) use built_in::configure;

#[cfg(feature = "fastembed")]
mod built_in {
    use std::path::PathBuf;

    use pyo3::prelude::*;
    use recallite::embed::fastembed::FastembedOptions;
    use recallite::{Error, ErrorCode, MemoryBuilder};

    use crate::argument;
    use crate::convert::Class;
    use crate::failure::{invalid, raise};
    use crate::fields::Fields;

    static OPTIONS: Class = Class::new("FastembedOptions");

    const FIELDS: &[&str] = &[
        "model_dir",
        "onnxruntime_library",
        "max_tokens",
        "threads",
        "id",
    ];

    const NOT_INSTALLED: &str = "ONNX Runtime is not installed: pip install \
        'recallite[fastembed]', or name its shared library in onnxruntime_library or in \
        ORT_DYLIB_PATH";

    pub(crate) fn configure(
        builder: MemoryBuilder,
        value: &Bound<'_, PyAny>,
        name: &str,
    ) -> PyResult<MemoryBuilder> {
        let py = value.py();
        let fields = Fields::of_class(value, name, &OPTIONS, None, FIELDS)?;
        let mut wanted = FastembedOptions::new(fields.take::<PathBuf>("model_dir")?);
        wanted.onnxruntime_library = match fields.given("onnxruntime_library")? {
            Some(library) => Some(library),
            // The variable is the core's; what it names comes before the package.
            None if std::env::var_os("ORT_DYLIB_PATH").is_some_and(|path| !path.is_empty()) => None,
            None => Some(installed_runtime(py)?),
        };
        fields.replace("max_tokens", &mut wanted.max_tokens)?;
        wanted.threads = fields.given("threads")?;
        wanted.id = fields.given("id")?;
        builder.fastembed(wanted).map_err(|error| {
            let Some(field) = error.argument().filter(|field| FIELDS.contains(field)) else {
                return raise(py, &error);
            };
            let name = fields.name(field);
            if error.code() == ErrorCode::InvalidArgument {
                return invalid(py, &name, error.problem());
            }
            raise(py, &error.with_argument(name))
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
}

#[cfg(not(feature = "fastembed"))]
pub(crate) fn configure(
    _: recallite::MemoryBuilder,
    value: &Bound<'_, PyAny>,
    name: &str,
) -> PyResult<recallite::MemoryBuilder> {
    Err(crate::failure::raise(
        value.py(),
        &recallite::Error::new(
            recallite::ErrorCode::Unsupported,
            "this build has no fastembed; build it with `--features fastembed`",
        )
        .with_argument(name),
    ))
}
