//! The methods of `Memory` that forget, rebuild and follow.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use recallite::{Error, Selector, Seq, Timestamp};

use crate::argument::{self, Given, optional};
use crate::convert::{Object, give};
use crate::failure::raise;
use crate::fields::Fields;
use crate::generated::areas::Upkeep;
use crate::generated::{self, SELECTOR};
use crate::memory::Memory;

/// How long to wait between checks for Ctrl-C.
const SIGNAL_PAUSE: Duration = Duration::from_millis(100);

/// The selection of events as given by the caller.
pub(crate) struct Selection<'py> {
    pub(crate) events: Given<'py>,
    pub(crate) narrowed: Option<Bound<'py, PyDict>>,
}

impl<'py> Selection<'py> {
    /// Whether nothing was given.
    ///
    /// # Errors
    /// For an unknown name, whatever its value.
    pub(crate) fn is_empty(&self, py: Python<'py>) -> PyResult<bool> {
        Fields::given_to(py, self.narrowed.clone(), &Self::names())?;
        let narrowed = self.narrowed.iter().flat_map(|given| given.values());
        let mut given = narrowed.chain(self.events.clone());
        // `everything=False` selects nothing either.
        Ok(given.all(|value| {
            value.is_none()
                || value.is_exact_instance_of::<PyBool>() && !value.is_truthy().unwrap_or(true)
        }))
    }

    /// The names of a selector's fields, except for the events.
    fn names() -> Vec<&'static str> {
        let mut names = SELECTOR.to_vec();
        names.retain(|name| *name != "ids");
        names
    }

    pub(crate) fn selector(self, py: Python<'py>) -> PyResult<Selector> {
        let given = Fields::given_to(py, self.narrowed, &Self::names())?;
        let selector = generated::selector(Selector::new(), &given)?;
        let events = optional(&self.events, "events", argument::event_refs)?;
        Ok(match events {
            Some(events) => selector.ids(events),
            None => selector,
        })
    }
}

/// Names the arguments as Python calls them.
pub(crate) fn in_python(error: Error) -> Error {
    argument::renamed(error, &[("ids", "events"), ("selector", "events")])
}

fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_millis_clamped(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[pymethods]
impl Memory {
    /// Rebuilds every derived table from the log, in a new generation of the store.
    /// Everything that depends on the passing of time is evaluated at the moment `as_of`.
    /// Default: now.
    ///
    /// Growth: By store.
    #[pyo3(signature = (*, as_of=None), text_signature = "($self, *, as_of=None)")]
    fn rebuild<'py>(&self, py: Python<'py>, as_of: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "rebuild",
            || Ok(optional(&as_of, "as_of", argument::timestamp)?.unwrap_or_else(now)),
            |memory, as_of| memory.rebuild(as_of),
            give,
        )
    }

    /// Waits until the log is longer than `after` (a `seq`), for at most `timeout_ms`, and
    /// returns the log's last position. If it is not greater than `after`, the time ran
    /// out. Appends by every process count.
    ///
    /// Growth: Constant.
    #[pyo3(signature = (after, timeout_ms), text_signature = "($self, after, timeout_ms)")]
    fn wait_for_change(
        &self,
        py: Python<'_>,
        after: &Bound<'_, PyAny>,
        timeout_ms: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        self.watched(py, "wait_for_change", || {
            let memory = self.handle().map_err(|error| raise(py, &error))?;
            let after = Seq(argument::whole(after, "after")?);
            let timeout = Duration::from_millis(argument::whole(timeout_ms, "timeout_ms")?);
            let begun = Instant::now();
            // It is dropped without the interpreter: it is the last one if another thread closed
            // the memory meanwhile.
            py.detach(move || {
                loop {
                    let left = timeout.saturating_sub(begun.elapsed());
                    let step = left.min(SIGNAL_PAUSE);
                    let last = match memory.wait_for_change(after, step) {
                        Ok(last) => last,
                        Err(error) => return Err(Python::attach(|py| raise(py, &error))),
                    };
                    if last > after || step == left {
                        return Ok(last.0);
                    }
                    Python::attach(|py| py.check_signals())?;
                }
            })
        })
    }
}

/// Methods that take a selection of events.
macro_rules! selecting {
    ($($(#[$docs:meta])* $name:ident($told:literal, $of:ident) = $work:expr;)+) => {$(
        $(#[$docs])*
        pub(crate) fn $name<'py>(
            of: &$of,
            py: Python<'py>,
            events: Given<'py>,
            narrowed: Option<Bound<'py, PyDict>>,
        ) -> Object<'py> {
            of.call(
                py,
                $told,
                || Selection { events, narrowed }.selector(py),
                |memory, selector| $work(memory, &selector).map_err(in_python),
                give,
            )
        }
    )+};
}

selecting! {
    /// Forgets what the arguments select.
    forget("forget", Memory) = recallite::Memory::forget;
    /// Erases what the arguments select.
    erase("erase", Memory) = recallite::Memory::erase;
    /// Counts what the arguments select.
    count_selected("upkeep.count_selected", Upkeep) =
        |memory: &recallite::Memory, selector| memory.upkeep().count_selected(selector);
    /// Counts what erasing with the arguments would erase.
    count_erasable("upkeep.count_erasable", Upkeep) =
        |memory: &recallite::Memory, selector| memory.upkeep().count_erasable(selector);
}
