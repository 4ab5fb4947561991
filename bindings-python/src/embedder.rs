//! Uses a Python object as the embedder. It is called with the interpreter attached, on
//! whatever thread the core uses, and its exceptions become embedder errors, so that recall
//! continues by words.

use std::error::Error as StdError;
use std::sync::Arc;

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyList, PyMemoryView, PyString, PyTuple};
use recallite::embed::{CallbackEmbedder, Embedder};

use crate::argument;
use crate::callback::Callback;
use crate::ending;
use crate::failure::{invalid, raise, wrong_type};

/// The embedder in an object with `id`, `dimensions`, `embed` and optionally `max_batch`; also
/// returns what holds its function.
pub(crate) fn embedder(
    value: &Bound<'_, PyAny>,
    name: &str,
) -> PyResult<(Arc<dyn Embedder>, Callback)> {
    let py = value.py();
    let member = |member: &str| {
        value.getattr(member).map_err(|_| {
            wrong_type(
                name,
                "an object with id, dimensions and embed, such as CallbackEmbedder",
                value,
            )
        })
    };
    let function = member("embed")?;
    if !function.is_callable() {
        return Err(wrong_type(&format!("{name}.embed"), "callable", &function));
    }
    let id = argument::text(&member("id")?, &format!("{name}.id"))?;
    let dimensions = argument::size(&member("dimensions")?, &format!("{name}.dimensions"))?;
    let callback = Callback::new(function.unbind());
    let held = callback.clone();
    let embedder = CallbackEmbedder::new(id, dimensions, move |texts| vectors(&callback, texts));
    let mut embedder = embedder.map_err(|error| raise(py, &error))?;
    if let Some(max_batch) = value.getattr_opt("max_batch")? {
        let name = format!("{name}.max_batch");
        let texts = argument::size(&max_batch, &name)?;
        if texts == 0 {
            return Err(invalid(py, &name, "must be at least 1"));
        }
        embedder = embedder.with_max_batch(texts);
    }
    Ok((Arc::new(embedder), held))
}

fn vectors(
    callback: &Callback,
    texts: &[&str],
) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> {
    // When the interpreter ends, a worker thread may be the last to notice.
    ending::attach(|py| {
        let embed = || {
            let function = callback
                .get(py)
                .ok_or_else(|| PyValueError::new_err("the memory was collected"))?;
            let texts = PyList::new(py, texts)?;
            rows(&function.bind(py).call1((texts,))?)
        };
        // Only the text: an exception must not outlive the call in another thread, and showing it
        // attaches to Python once more.
        embed().map_err(|raised: PyErr| raised.to_string())
    })
    .ok_or("the interpreter is ending")?
    .map_err(Into::into)
}

/// One vector per row of a 2-dimensional array or of a list.
fn rows(answer: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f32>>> {
    if let Some((shape, numbers)) = array(answer)? {
        return match shape[..] {
            // Rows without numbers: the guard reports what it expected.
            [rows, 0] => Ok(vec![Vec::new(); rows]),
            [_, columns] => Ok(numbers.chunks_exact(columns).map(<[f32]>::to_vec).collect()),
            _ => Err(PyValueError::new_err(format!(
                "embed must return a 2-dimensional array, not {}",
                shape.len()
            ))),
        };
    }
    each(answer)?.map(|row| row_of(&row?)).collect()
}

fn row_of(row: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
    match array(row)? {
        Some((shape, numbers)) if shape.len() == 1 => Ok(numbers),
        Some(_) => Err(not_vectors(row)),
        None => each(row)?
            .map(|number| number?.extract::<f64>().map(|number| number as f32))
            .collect(),
    }
}

/// A vector given as an argument.
pub(crate) fn vector(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f32>> {
    row_of(value).map_err(|_| {
        wrong_type(
            name,
            "an array of one dimension or a list of numbers",
            value,
        )
    })
}

fn each<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    // Bytes are no list of numbers, although Python iterates over them as such.
    let is_bytes = value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>() && argument::holds_bytes(value);
    if value.is_instance_of::<PyString>() || is_bytes {
        return Err(not_vectors(value));
    }
    value.try_iter().map_err(|_| not_vectors(value))
}

fn not_vectors(answer: &Bound<'_, PyAny>) -> PyErr {
    let class = answer.get_type();
    PyTypeError::new_err(format!(
        "embed must return an array or a list of vectors, not {}",
        class
            .name()
            .map_or_else(|_| "?".to_owned(), |name| name.to_string())
    ))
}

/// The shape and the numbers, row by row, of an array or tensor; `None` for a list or
/// anything else.
fn array(value: &Bound<'_, PyAny>) -> PyResult<Option<(Vec<usize>, Vec<f32>)>> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    if let Some(found) = floats(value)? {
        return Ok(Some(found));
    }
    // A tensor becomes a NumPy array; half precision and integers become floats.
    let Some(convert) = value.getattr_opt("__array__")? else {
        return Ok(None);
    };
    let converted = convert.call0()?;
    if let Some(found) = floats(&converted)? {
        return Ok(Some(found));
    }
    floats(&converted.call_method1("astype", ("float32",))?)
}

fn floats(value: &Bound<'_, PyAny>) -> PyResult<Option<(Vec<usize>, Vec<f32>)>> {
    if let Some((shape, numbers)) = buffer::<f32>(value)? {
        return Ok(Some((shape, numbers)));
    }
    let found = buffer::<f64>(value)?;
    Ok(found.map(|(shape, numbers)| {
        let numbers = numbers.into_iter().map(|number| number as f32);
        (shape, numbers.collect())
    }))
}

fn buffer<T: Element>(value: &Bound<'_, PyAny>) -> PyResult<Option<(Vec<usize>, Vec<T>)>> {
    match PyBuffer::<T>::get(value) {
        Ok(buffer) => Ok(Some((buffer.shape().to_vec(), buffer.to_vec(value.py())?))),
        Err(_) => Ok(None),
    }
}
