//! Graduation: which memories rise or sink, and what repeated use gives away.

use pyo3::prelude::*;
use recallite::MaintainBudget;

use crate::areas::Levels;
use crate::argument::{self, Given, number, optional};
use crate::convert::{give, rows};

#[pymethods]
impl Levels {
    /// The level of an event and how it was used. Raises `NotFound` when there is
    /// no such event.
    #[pyo3(signature = (event, /))]
    fn get<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "levels.get",
            || argument::event_ref(event, "event"),
            |memory, event| memory.levels().get(event),
            give,
        )
    }

    /// How many conversation events lie at each level.
    #[pyo3(signature = ())]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "levels.counts",
            || Ok(()),
            |memory, ()| memory.levels().counts(),
            give,
        )
    }

    /// Takes note that events were used in a session, for hosts that recall by
    /// other ways than `search`. It is written with the next append, `maintain`
    /// or `close`. `confidence` (0 to 1) is that of the recall.
    #[pyo3(
        signature = (events, session, *, confidence=None),
        text_signature = "($self, events, session, *, confidence=1.0)"
    )]
    fn record_access<'py>(
        &self,
        py: Python<'py>,
        events: &Bound<'py, PyAny>,
        session: &Bound<'py, PyAny>,
        confidence: Given<'py>,
    ) -> PyResult<()> {
        let arguments = || {
            Ok((
                argument::event_refs(events, "events")?,
                argument::text(session, "session")?,
                optional(&confidence, "confidence", number)?.unwrap_or(1.0),
            ))
        };
        self.call(
            py,
            "levels.record_access",
            arguments,
            |memory, (events, session, confidence)| {
                memory.levels().record_access(&events, &session, confidence)
            },
            |_, ()| Ok(()),
        )
    }

    /// After so many days without an access a memory's worth is halved, and it
    /// may sink a level. `None` (how a store begins) switches sinking off.
    #[pyo3(signature = (half_life_days, /))]
    fn set_half_life_days<'py>(
        &self,
        py: Python<'py>,
        half_life_days: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        self.call(
            py,
            "levels.set_half_life_days",
            || optional(&Some(half_life_days.clone()), "half_life_days", number),
            |memory, days| memory.levels().set_half_life_days(days),
            |_, ()| Ok(()),
        )
    }

    /// Judges at most `budget` events that were used since they were last judged:
    /// each rises at most one level. Then looks what those at L1 and higher,
    /// taken together, give away.
    #[pyo3(signature = (*, budget=None), text_signature = "($self, *, budget=500)")]
    fn graduate<'py>(&self, py: Python<'py>, budget: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "levels.graduate",
            || {
                let budget = optional(&budget, "budget", argument::size)?;
                Ok(budget.unwrap_or(MaintainBudget::default().graduate_events))
            },
            |memory, budget| memory.levels().graduate(budget),
            give,
        )
    }

    /// Pins an event of a conversation: until it is unpinned or forgotten, every
    /// `context` of its project begins with it, in up to half of the budget, the
    /// latest pinned first; it sinks no level, and retention leaves it alone. To pin
    /// something that was learned, pin its citation. False when it was pinned
    /// already. Raises `NotFound` when there is no such event, `Full` when 1,000
    /// events are pinned.
    #[pyo3(signature = (event, /))]
    fn pin(&self, py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.call(
            py,
            "levels.pin",
            || argument::event_ref(event, "event"),
            |memory, event| memory.levels().pin(event),
            |_, is_new| Ok(is_new),
        )
    }

    /// Takes back that an event is pinned. False when it was not.
    #[pyo3(signature = (event, /))]
    fn unpin(&self, py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.call(
            py,
            "levels.unpin",
            || argument::event_ref(event, "event"),
            |memory, event| memory.levels().unpin(event),
            |_, was_pinned| Ok(was_pinned),
        )
    }

    /// The events of a project that are pinned, the latest pinned first.
    #[pyo3(signature = (*, project=None))]
    fn pinned<'py>(&self, py: Python<'py>, project: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "levels.pinned",
            || Ok(optional(&project, "project", argument::scope)?.unwrap_or_default()),
            |memory, project| memory.levels().pinned(&project),
            rows,
        )
    }

    /// The insights that were found, by their keys.
    #[pyo3(signature = ())]
    fn insights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "levels.insights",
            || Ok(()),
            |memory, ()| memory.levels().insights(),
            rows,
        )
    }
}
