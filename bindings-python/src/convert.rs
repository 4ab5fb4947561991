//! Converts values between the core and Python: [`ToPython`] and [`FromPython`].
//! `generated` implements both for types declared in the core.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDateTime, PyDict, PyMapping, PyString, PyTuple};
use recallite::rules::entries::EntryId;
use recallite::rules::outbox::JobId;
use recallite::rules::tasks::EntityId;
use recallite::scope::ProjectScope;
use recallite::transcript::LineProblem;
use recallite::{CitationId, Dedupe, EventId, EventRef, Json, Offsets, Seq, TextUnit, Timestamp};

use crate::argument::{self, elements};
use crate::failure::wrong_type;
use crate::stored::{delta, raced, standard};

pub(crate) type Object<'py> = PyResult<Bound<'py, PyAny>>;

/// What conversions to Python need.
pub(crate) struct To<'py> {
    pub(crate) py: Python<'py>,
    offsets: Rc<Offsets>,
    /// The event whose content a record's places refer to.
    event: String,
}

impl<'py> To<'py> {
    pub(crate) fn new(py: Python<'py>, offsets: Offsets) -> Self {
        To {
            py,
            offsets: Rc::new(offsets),
            event: String::new(),
        }
    }

    /// The same, for records about the content of an event.
    pub(crate) fn within<I: Here>(&self, event: &I) -> To<'py> {
        To {
            py: self.py,
            offsets: Rc::clone(&self.offsets),
            event: event.here(),
        }
    }

    /// A byte offset in the event's content as code points; `None` if the event was
    /// forgotten since.
    pub(crate) fn place(&self, byte: impl TryInto<usize>) -> Object<'py> {
        let byte = byte.try_into().ok();
        let place = byte.and_then(|byte| self.offsets.counted(&self.event, byte));
        place.to_python(self)
    }
}

/// Identifies the event that places refer to.
pub(crate) trait Here {
    fn here(&self) -> String;
}

impl Here for EventId {
    fn here(&self) -> String {
        self.to_string()
    }
}

impl Here for Option<String> {
    fn here(&self) -> String {
        self.clone().unwrap_or_default()
    }
}

/// Converts to a Python object.
pub(crate) trait ToPython {
    fn to_python<'py>(self, to: &To<'py>) -> Object<'py>;
}

/// Made from an argument.
pub(crate) trait FromPython: Sized {
    /// Whether a single item counts as a list of one.
    const IS_WORD: bool = false;

    /// Reads the argument that errors call `name`.
    fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self>;
}

/// A result as a Python object.
pub(crate) fn give<T: ToPython>(py: Python<'_>, value: T) -> Object<'_> {
    give_placed(py, (value, Offsets::new(TextUnit::CodePoint)))
}

/// A result as a Python object, with its places converted to code points.
pub(crate) fn give_placed<T: ToPython>(
    py: Python<'_>,
    (value, offsets): (T, Offsets),
) -> Object<'_> {
    value.to_python(&To::new(py, offsets))
}

/// A list that notebooks show as a table.
pub(crate) fn rows<T: ToPython>(py: Python<'_>, items: Vec<T>) -> Object<'_> {
    rows_placed(py, (items, Offsets::new(TextUnit::CodePoint)))
}

/// Like [`rows`], with places converted to code points.
pub(crate) fn rows_placed<T: ToPython>(
    py: Python<'_>,
    (items, offsets): (Vec<T>, Offsets),
) -> Object<'_> {
    static ROWS: Class = Class::new("Rows");
    let to = To::new(py, offsets);
    let items = items.to_python(&to)?;
    ROWS.call(&to, &[items])
}

/// A class of the package, looked up on first use.
pub(crate) struct Class {
    name: &'static str,
    found: PyOnceLock<Py<PyAny>>,
}

impl Class {
    pub(crate) const fn new(name: &'static str) -> Self {
        Class {
            name,
            found: PyOnceLock::new(),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let found = raced(py, &self.found, || {
            Ok(py.import("recallite")?.getattr(self.name)?.unbind())
        })?;
        Ok(found.bind(py))
    }

    /// An instance with these fields, in the class's order.
    pub(crate) fn call<'py>(&self, to: &To<'py>, fields: &[Bound<'py, PyAny>]) -> Object<'py> {
        self.get(to.py)?.call1(PyTuple::new(to.py, fields)?)
    }
}

macro_rules! gives {
    ($($type:ty, $value:ident => $given:expr;)*) => {
        $(impl ToPython for $type {
            fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {
                let $value = self;
                $given.into_bound_py_any(to.py)
            }
        })*
    };
}

gives! {
    bool, value => value;
    u32, value => value;
    u64, value => value;
    usize, value => value;
    i64, value => value;
    f64, value => value;
    f32, value => f64::from(value);
    String, text => text;
    &str, text => text;
    EventId, id => id.to_string();
    EntryId, id => id.to_string();
    EntityId, id => id.to_string();
    // Without the `mem:` prefix.
    CitationId, id => id.as_str();
    LineProblem, problem => problem.to_string();
    Seq, seq => seq.0;
    JobId, job => job.0;
}

impl ToPython for Timestamp {
    fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {
        let epoch: &Bound<'py, PyDateTime> = standard(to.py)?.epoch.bind(to.py);
        epoch.as_any().add(delta(to.py, self.millis())?)
    }
}

impl ToPython for Json {
    fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {
        standard(to.py)?.loads.bind(to.py).call1((self.as_str(),))
    }
}

impl<T: ToPython> ToPython for Option<T> {
    fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {
        match self {
            Some(value) => value.to_python(to),
            None => Ok(to.py.None().into_bound(to.py)),
        }
    }
}

impl<T: ToPython + Clone> ToPython for &T {
    fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {
        self.clone().to_python(to)
    }
}

impl<T: ToPython + Clone> ToPython for &[T] {
    fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {
        self.to_vec().to_python(to)
    }
}

impl<T: ToPython> ToPython for Vec<T> {
    fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {
        let items = self.into_iter().map(|item| item.to_python(to));
        PyTuple::new(to.py, items.collect::<PyResult<Vec<_>>>()?).map(Bound::into_any)
    }
}

impl<A: ToPython, B: ToPython> ToPython for (A, B) {
    fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {
        (self.0.to_python(to)?, self.1.to_python(to)?).into_bound_py_any(to.py)
    }
}

macro_rules! from_arguments {
    ($($type:ty = $read:path,)*) => {
        $(impl FromPython for $type {
            fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
                $read(value, name)
            }
        })*
    };
}

from_arguments! {
    bool = argument::boolean,
    u32 = argument::small,
    u64 = argument::whole,
    usize = argument::size,
    i64 = argument::signed,
    f32 = argument::fraction,
    f64 = argument::number,
    String = argument::text,
    PathBuf = argument::path,
    Timestamp = argument::timestamp,
    EventRef = argument::event_ref,
    EventId = argument::word,
    ProjectScope = argument::scope,
    Dedupe = argument::dedupe,
    Duration = argument::milliseconds,
    Json = argument::json,
}

/// Several words; a single one may be given alone.
impl<T: FromPython> FromPython for Vec<T> {
    fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if T::IS_WORD && value.is_instance_of::<PyString>() {
            return Ok(vec![T::from_python(value, name)?]);
        }
        elements(value, name, "a sequence", T::from_python)
    }
}

/// Options passed as an argument of their own: errors name their bare fields.
pub(crate) fn bare<T: FromPython>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    if value.is_instance_of::<PyString>() || value.cast::<PyMapping>().is_err() && is_plain(value) {
        return Err(wrong_type(name, "options or a dict", value));
    }
    argument::check_keys(value, name)?;
    T::from_python(value, "")
}

/// Converts the keyword arguments of a call.
pub(crate) fn keywords<'py, T: FromPython>(
    py: Python<'py>,
    given: Option<Bound<'py, PyDict>>,
) -> PyResult<T> {
    T::from_python(given.unwrap_or_else(|| PyDict::new(py)).as_any(), "")
}

/// Whether a value has no fields.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    !value.hasattr("__dataclass_fields__").unwrap_or_default()
}
