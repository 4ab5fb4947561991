//! Tasks: what one of three kinds may be, and what a condition turned out to be.

use pyo3::prelude::*;
use recallite::rules::tasks::EntityKind;
use recallite::rules::tasks::events::ResolutionType;
use recallite::{Entity, Error, ErrorCode};

use crate::areas::Tasks;
use crate::argument::{Given, number, optional, word as given_word};
use crate::convert::give;
use crate::failure::raise;
use crate::learn_argument::{entity, entity_id};

#[pymethods]
impl Tasks {
    /// The `Task`, `Condition` or `Artifact` with this id, or `None`.
    #[pyo3(signature = (id, /))]
    fn entity<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.call(
            py,
            "tasks.entity",
            || entity_id(id, "id"),
            |memory, id| memory.tasks().entity(&id),
            |py, found| {
                found
                    .map(|found| match found {
                        Entity::Task(found) => give(py, found),
                        Entity::Condition(found) => give(py, found),
                        Entity::Artifact(found) => give(py, found),
                        _ => {
                            let problem = "this kind of entity needs a newer recallite";
                            Err(raise(py, &Error::new(ErrorCode::Unsupported, problem)))
                        }
                    })
                    .transpose()
            },
        )
    }

    /// Says that a condition is in truth another entity. Saying it twice changes
    /// nothing.
    ///
    /// `target` is an id or a result that names the entity; `kind` says what it
    /// is when only an id is given, by default a task. `confidence` is from 0
    /// to 1.
    #[pyo3(
        signature = (condition, target, *, kind=None, resolution=None, confidence=None),
        text_signature = "($self, condition, target, *, kind=None, \
                          resolution='user_confirmed', confidence=1.0)"
    )]
    fn resolve_condition<'py>(
        &self,
        py: Python<'py>,
        condition: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        kind: Given<'py>,
        resolution: Given<'py>,
        confidence: Given<'py>,
    ) -> PyResult<()> {
        let arguments = || {
            let (named, id) = entity(target, "target")?;
            let kind = optional(&kind, "kind", given_word::<EntityKind>)?;
            let kind = kind.or(named).unwrap_or(EntityKind::Task);
            let resolution = optional(&resolution, "resolution", given_word::<ResolutionType>)?;
            Ok((
                entity_id(condition, "condition")?,
                (kind, id),
                resolution.unwrap_or(ResolutionType::UserConfirmed),
                optional(&confidence, "confidence", number)?.unwrap_or(1.0),
            ))
        };
        self.call(
            py,
            "tasks.resolve_condition",
            arguments,
            |memory, (condition, target, resolution, confidence)| {
                memory
                    .tasks()
                    .resolve_condition(&condition, target, resolution, confidence)
            },
            |_, ()| Ok(()),
        )
    }
}
