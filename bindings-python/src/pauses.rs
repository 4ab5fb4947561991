//! Pausing the recording of sessions and projects.

use pyo3::prelude::*;
use recallite::PauseScope;

use crate::areas::Pauses;
use crate::argument;
use crate::convert::rows;

type Arguments = (PauseScope, String);

fn arguments(scope: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> PyResult<Arguments> {
    Ok((
        argument::word(scope, "scope")?,
        argument::text(name, "name")?,
    ))
}

#[pymethods]
impl Pauses {
    /// Pauses the recording of a session or a project, for every process: an append to
    /// it stores nothing, and its receipt says ``paused``. It lasts until ``resume``.
    /// Gives False when it was paused already.
    #[pyo3(signature = (scope, name, /), text_signature = "($self, scope, name, /)")]
    fn pause(
        &self,
        py: Python<'_>,
        scope: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        self.call(
            py,
            "pauses.pause",
            || arguments(scope, name),
            |memory, (scope, name)| memory.pauses().pause(scope, &name),
            |_, is_new| Ok(is_new),
        )
    }

    /// Records a session or a project again. Gives False when it was not paused.
    #[pyo3(signature = (scope, name, /), text_signature = "($self, scope, name, /)")]
    fn resume(
        &self,
        py: Python<'_>,
        scope: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        self.call(
            py,
            "pauses.resume",
            || arguments(scope, name),
            |memory, (scope, name)| memory.pauses().resume(scope, &name),
            |_, was_paused| Ok(was_paused),
        )
    }

    /// Everything that is paused, the longest paused first.
    #[pyo3(signature = (), text_signature = "($self)")]
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let name = "pauses.list";
        self.call(
            py,
            name,
            || Ok(()),
            |memory, ()| memory.pauses().list(),
            rows,
        )
    }
}
