//! Converts Python arguments for the core: each conversion knows the argument's name and
//! reports what was given.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyException, PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyDateTime, PyDelta, PyDeltaAccess, PyDict, PyFloat, PyInt, PyMapping, PyString,
};
use recallite::scope::ProjectScope;
use recallite::{Dedupe, Error, EventRef, Json, Seq, Timestamp};

use crate::failure::{invalid, not_of_type, raise, wrong_type};
use crate::stored::{is_a, standard};

/// An optional argument; `None` counts as omitted.
pub(crate) type Given<'py> = Option<Bound<'py, PyAny>>;

/// Converts an optional argument.
pub(crate) fn optional<'py, T>(
    value: &Given<'py>,
    name: &str,
    convert: impl FnOnce(&Bound<'py, PyAny>, &str) -> PyResult<T>,
) -> PyResult<Option<T>> {
    value
        .as_ref()
        .filter(|value| !value.is_none())
        .map(|value| convert(value, name))
        .transpose()
}

pub(crate) fn text(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    let text = value
        .cast::<PyString>()
        .map_err(|_| wrong_type(name, "a str", value))?;
    text.to_str().map(str::to_owned).map_err(|_| {
        invalid(
            value.py(),
            name,
            "contains a lone surrogate, which UTF-8 cannot encode; \
             replace it, for example with text.encode('utf-8', 'replace').decode()",
        )
    })
}

pub(crate) fn boolean(value: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    value
        .cast::<PyBool>()
        .map(|value| value.is_true())
        .map_err(|_| wrong_type(name, "a bool", value))
}

/// An integer, anything with `__index__` except `bool`; `range` is what fits into `T`.
fn integer<'py, T>(value: &Bound<'py, PyAny>, name: &str, range: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let py = value.py();
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, "an int", value));
    }
    value.extract::<T>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(py) {
            invalid(py, name, range)
        } else if error.is_instance_of::<PyTypeError>(py) {
            wrong_type(name, "an int", value)
        } else {
            error
        }
    })
}

/// A non-negative integer.
pub(crate) fn whole(value: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
    integer(value, name, "must be from 0 to 2**64 - 1")
}

pub(crate) fn size(value: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    usize::try_from(whole(value, name)?)
        .map_err(|_| invalid(value.py(), name, "is too large for this machine"))
}

pub(crate) fn small(value: &Bound<'_, PyAny>, name: &str) -> PyResult<u32> {
    u32::try_from(whole(value, name)?)
        .map_err(|_| invalid(value.py(), name, "must be from 0 to 2**32 - 1"))
}

/// A position in the log.
pub(crate) fn position(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Seq> {
    whole(value, name).map(Seq)
}

/// A duration in whole milliseconds.
pub(crate) fn milliseconds(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Duration> {
    whole(value, name).map(Duration::from_millis)
}

/// A double-precision number.
pub(crate) fn number(value: &Bound<'_, PyAny>, name: &str) -> PyResult<f64> {
    if value.is_instance_of::<PyBool>()
        || !(value.is_instance_of::<PyFloat>()
            || value.is_instance_of::<PyInt>()
            || value.hasattr("__float__")? && !value.is_instance_of::<PyString>())
    {
        return Err(wrong_type(name, "a float", value));
    }
    value
        .extract::<f64>()
        .map_err(|_| invalid(value.py(), name, "is too large for a float"))
}

/// A fraction; the core stores fractions in single precision.
pub(crate) fn fraction(value: &Bound<'_, PyAny>, name: &str) -> PyResult<f32> {
    let number = number(value, name)?;
    match number as f32 {
        // The number as it was given, and not the infinity that single precision makes of it.
        single if single.is_infinite() && number.is_finite() => Err(invalid(
            value.py(),
            name,
            format_args!("{number:e} is too large"),
        )),
        single => Ok(single),
    }
}

/// An integer that may be negative.
pub(crate) fn signed(value: &Bound<'_, PyAny>, name: &str) -> PyResult<i64> {
    integer(value, name, "must be from -2**63 to 2**63 - 1")
}

/// An index that a model may have made up: -1, which names nothing, for a number that is none.
pub(crate) fn made_up_index(value: &Bound<'_, PyAny>, name: &str) -> PyResult<i64> {
    match signed(value, name) {
        Ok(index) => Ok(index),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            value.cast::<PyFloat>().map(|_| -1).map_err(|_| error)
        }
        // Beyond any index; what an `__index__` raises is another error.
        Err(error) => match is_a(error.value(value.py()), "InvalidArgument")? {
            true => Ok(-1),
            false => Err(error),
        },
    }
}

/// One of the core's stable words, for example `blocked`.
pub(crate) fn word<T: FromStr<Err = Error>>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    text(value, name)?
        .parse()
        .map_err(|error: Error| invalid(value.py(), name, error.problem()))
}

/// An aware `datetime`, truncated to milliseconds.
pub(crate) fn timestamp(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Timestamp> {
    let py = value.py();
    let given = value
        .cast::<PyDateTime>()
        .map_err(|_| wrong_type(name, "a datetime", value))?;
    if given.call_method0("utcoffset")?.is_none() {
        return Err(invalid(
            py,
            name,
            "is a naive datetime; give it a time zone, \
             for example with .astimezone() or .replace(tzinfo=timezone.utc)",
        ));
    }
    let since = given
        .as_any()
        .sub(standard(py)?.epoch.bind(py))?
        .cast_into::<PyDelta>()?;
    let millis = i64::from(since.get_days()) * 86_400_000
        + i64::from(since.get_seconds()) * 1000
        + i64::from(since.get_microseconds()) / 1000;
    Timestamp::from_millis(millis)
        .map_err(|_| invalid(py, name, "is outside 0001-01-01 to 9999-12-30T00:00:00Z"))
}

/// Any value that the `json` module can serialise.
pub(crate) fn json(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Json> {
    let py = value.py();
    let options = PyDict::new(py);
    options.set_item("ensure_ascii", false)?;
    options.set_item("allow_nan", false)?;
    let written = standard(py)?
        .dumps
        .bind(py)
        .call((value,), Some(&options))
        .map_err(|error| {
            let problem = format!("cannot be written as JSON: {}", error.value(py));
            if error.is_instance_of::<PyTypeError>(py) {
                not_of_type(py, name, problem)
            } else if error.is_instance_of::<PyException>(py) {
                invalid(py, name, problem)
            } else {
                error
            }
        })?;
    Json::parse(name, &text(&written, name)?).map_err(|error| raise(py, &error))
}

/// A `dict` as a JSON object.
pub(crate) fn json_object(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Json> {
    if !value.is_instance_of::<PyDict>() {
        return Err(wrong_type(name, "a dict", value));
    }
    json(value, name)
}

/// One text or several.
pub(crate) fn names(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() {
        return Ok(vec![text(value, name)?]);
    }
    elements(value, name, "a str or several", text)
}

/// What a result names and the field with its name, where a field says what it is with that one
/// behind a dot; `None` for anything else. The classes of the package say it.
pub(crate) fn what_is_named(value: &Bound<'_, PyAny>) -> PyResult<Option<(String, String)>> {
    let names = value.getattr_opt("_recallite_names")?;
    names.map(|names| names.extract()).transpose()
}

/// The name of an event: an id, a citation, a position, or a result that has one.
pub(crate) fn event_ref(value: &Bound<'_, PyAny>, name: &str) -> PyResult<EventRef> {
    let py = value.py();
    if value.is_instance_of::<PyString>() {
        return text(value, name)?
            .parse()
            .map_err(|error: Error| invalid(py, name, error.problem()));
    }
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        return Ok(Seq(whole(value, name)?).into());
    }
    if let Some((what, field)) = what_is_named(value)?
        && what == "event"
    {
        return event_ref(&value.getattr(field)?, name);
    }
    Err(wrong_type(
        name,
        "an event's id, citation or position, or a result that holds one",
        value,
    ))
}

/// Names of events: one or several.
pub(crate) fn event_refs(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<EventRef>> {
    if value.is_instance_of::<PyString>() || holds_bytes(value) || !value.hasattr("__iter__")? {
        return Ok(vec![event_ref(value, name)?]);
    }
    elements(value, name, "one event or several", event_ref)
}

/// `True`: by content. `False`: never. A `str`: by this key.
pub(crate) fn dedupe(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Dedupe> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(if value.is_true() {
            Dedupe::Content
        } else {
            Dedupe::None
        });
    }
    if value.is_instance_of::<PyString>() {
        return text(value, name).map(Dedupe::Key);
    }
    Err(wrong_type(name, "True, False or a key (str)", value))
}

/// A project's name, or a `ProjectScope`.
pub(crate) fn scope(value: &Bound<'_, PyAny>, name: &str) -> PyResult<ProjectScope> {
    if value.is_instance_of::<PyString>() {
        return text(value, name).map(ProjectScope::Named);
    }
    if is_a(value, "ProjectScope")? {
        return Ok(match text(&value.getattr("value")?, name)?.as_str() {
            "all" => ProjectScope::All,
            _ => ProjectScope::Own,
        });
    }
    Err(wrong_type(
        name,
        "a project's name or a ProjectScope",
        value,
    ))
}

/// A `str`, `bytes` or `os.PathLike`.
pub(crate) fn path(value: &Bound<'_, PyAny>, name: &str) -> PyResult<PathBuf> {
    let py = value.py();
    let standard = standard(py)?;
    let given = standard
        .fspath
        .bind(py)
        .call1((value,))
        .map_err(|_| wrong_type(name, "a path (str, bytes or os.PathLike)", value))?;
    let given = standard.fsdecode.bind(py).call1((given,))?;
    let path: PathBuf = given.extract().map_err(|_| {
        invalid(
            py,
            name,
            "contains a character that the file system cannot encode",
        )
    })?;
    if path.as_os_str().is_empty() {
        return Err(invalid(py, name, "must not be empty"));
    }
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(invalid(py, name, "must not contain a NUL character"));
    }
    Ok(path)
}

/// The name of a field. If it is none, the error is about `name`, which has this key.
pub(crate) fn key_of(key: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    let problem = match key.cast::<PyString>() {
        Ok(text) => match text.to_str() {
            Ok(text) => return Ok(text.to_owned()),
            Err(_) => "has a key with a lone surrogate, which UTF-8 cannot encode".to_owned(),
        },
        Err(_) => format!(
            "has a key that is not a str, but {}",
            key.get_type().name()?.to_string_lossy()
        ),
    };
    Err(not_of_type(key.py(), name, problem))
}

/// Refuses a mapping with a key that is no field's name.
pub(crate) fn check_keys(value: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
    let Ok(mapping) = value.cast::<PyMapping>() else {
        return Ok(());
    };
    for key in mapping.keys()? {
        key_of(&key, name)?;
    }
    Ok(())
}

/// Whether a value is bytes: `bytes`, `bytearray`, or anything else whose buffer has items of one
/// byte. Python iterates over them as numbers, but they are no list of numbers: each would be
/// taken for an event's position.
pub(crate) fn holds_bytes(value: &Bound<'_, PyAny>) -> bool {
    PyUntypedBuffer::get(value).is_ok_and(|buffer| buffer.item_size() == 1)
}

/// The elements of an iterable. A `str`, bytes or a mapping count as a single item.
pub(crate) fn elements<'py, T>(
    value: &Bound<'py, PyAny>,
    name: &str,
    expected: &str,
    convert: impl Fn(&Bound<'py, PyAny>, &str) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    if value.is_instance_of::<PyString>() || holds_bytes(value) || value.cast::<PyMapping>().is_ok()
    {
        return Err(wrong_type(name, expected, value));
    }
    let items = value.try_iter().map_err(|error| {
        if error.is_instance_of::<PyTypeError>(value.py()) {
            wrong_type(name, expected, value)
        } else {
            error
        }
    })?;
    items
        .enumerate()
        .map(|(index, item)| convert(&item?, &format!("{name}[{index}]")))
        .collect()
}

/// Renames the argument of a core error as in Python, or the list that it is an item of; `names`
/// are pairs of the core's name and Python's.
pub(crate) fn renamed(error: Error, names: &[(&str, &str)]) -> Error {
    let argument = error.argument().unwrap_or_default();
    let (list, index) = argument.split_at(argument.find('[').unwrap_or(argument.len()));
    match names.iter().find(|(core, _)| *core == list) {
        Some((_, name)) => {
            let name = format!("{name}{index}");
            error.with_argument(name)
        }
        None => error,
    }
}
