//! Graduation: which memories rise or sink, and what repeated use gives away.

use pyo3::prelude::*;
use recallite::MaintainBudget;

use crate::areas::Levels;
use crate::argument::{self, Given, optional};
use crate::convert::give;

#[pymethods]
impl Levels {
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
}
