//! Opening a memory: the function `open` and its options.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use recallite::{EventKind, MemoryBuilder, RecallWeights};

use crate::argument;
use crate::callback::Callback;
use crate::convert::FromPython;
use crate::failure::{guarded, invalid, raise, wrong_type};
use crate::fields::Fields;
use crate::generated::{OPEN_OPTIONS, open_options};
use crate::memory::Memory;
use crate::{embedder, fastembed, logging};

/// A keyword for measurements, which is no option: see `with_fixed_weights`.
const FIXED_WEIGHTS: &str = "_fixed_weights";

/// Opens the memory in the folder `path`. See `recallite.OpenOptions` for the options.
#[pyfunction]
#[pyo3(signature = (path, **options), text_signature = "(path, **options)")]
pub(crate) fn open<'py>(
    py: Python<'py>,
    path: &Bound<'py, PyAny>,
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<Memory> {
    guarded(py, "open", || {
        let path = argument::path(path, "path")?;
        let mut known = OPEN_OPTIONS.to_vec();
        known.extend([
            "embedder",
            "fastembed",
            "on_log",
            "retention_ms",
            FIXED_WEIGHTS,
        ]);
        let given = options.unwrap_or_else(|| PyDict::new(py));
        let given = Fields::keywords(given, &known)?;
        let mut builder = open_options(recallite::Memory::builder(), &given)?;
        if let Some(fixed) = given.optional(FIXED_WEIGHTS, weights_by_name)? {
            builder = with_fixed_weights(py, builder, &given, &fixed)?;
        }
        let mut callbacks = Vec::new();
        builder = with_embedder(py, builder, &given, &mut callbacks)?;
        if let Some((on_log, held)) = given.optional("on_log", logging::on_log)? {
            builder = builder.on_log(on_log);
            callbacks.push(held);
        }
        for (kind, ms) in given
            .optional("retention_ms", retention)?
            .unwrap_or_default()
        {
            builder = builder.retention_ms(kind, ms);
        }
        let inner = py
            .detach(|| builder.open(&path))
            .map_err(|error| raise(py, &error))?;
        Ok(Memory::new(inner, callbacks))
    })
}

/// Changes the parts of recall that are no options, to measure what they gain.
fn with_fixed_weights(
    py: Python<'_>,
    builder: MemoryBuilder,
    given: &Fields<'_>,
    fixed: &[(String, f32)],
) -> PyResult<MemoryBuilder> {
    let mut weights: RecallWeights = given.given("recall_weights")?.unwrap_or_default();
    for (name, weight) in fixed {
        weights
            .fixed()
            .set(name, *weight)
            .map_err(|error| raise(py, &error.with_argument(format!("{FIXED_WEIGHTS}.{name}"))))?;
    }
    Ok(builder.recall_weights(weights))
}

fn weights_by_name(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<(String, f32)>> {
    let weights = value
        .cast::<PyMapping>()
        .map_err(|_| wrong_type(name, "a dict of names and weights", value))?;
    weights
        .items()?
        .iter()
        .map(|item| {
            let (weight, value): (String, Bound<'_, PyAny>) = item.extract()?;
            let value = argument::fraction(&value, &format!("{name}.{weight}"))?;
            Ok((weight, value))
        })
        .collect()
}

/// The retention of each kind, in milliseconds.
fn retention(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<(EventKind, u64)>> {
    let kinds = value
        .cast::<PyMapping>()
        .map_err(|_| wrong_type(name, "a dict of kinds and milliseconds", value))?;
    kinds
        .items()?
        .iter()
        .map(|item| {
            let (kind, ms): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let kind = EventKind::from_python(&kind, name)?;
            Ok((kind, argument::whole(&ms, &format!("{name}[{kind}]"))?))
        })
        .collect()
}

fn with_embedder<'py>(
    py: Python<'py>,
    builder: MemoryBuilder,
    given: &Fields<'py>,
    callbacks: &mut Vec<Callback>,
) -> PyResult<MemoryBuilder> {
    let callback = given.optional("embedder", embedder::embedder)?;
    let model = given.optional("fastembed", |value, _| Ok(value.clone()))?;
    match (callback, model) {
        (None, None) => Ok(builder),
        (Some((embedder, held)), None) => {
            callbacks.push(held);
            Ok(builder.embedder(embedder))
        }
        (None, Some(options)) => fastembed::configure(builder, &options, "fastembed"),
        (Some(_), Some(_)) => Err(invalid(
            py,
            "fastembed",
            "cannot be combined with embedder; a memory has one embedder",
        )),
    }
}
