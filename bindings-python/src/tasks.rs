//! Tasks: entities of one of three kinds.

use pyo3::prelude::*;
use recallite::{Entity, Error, ErrorCode};

use crate::convert::give;
use crate::failure::raise;
use crate::generated::areas::Tasks;
use crate::references::entity_id;

#[pymethods]
impl Tasks {
    /// Returns the `Task`, `Condition` or `Artifact` with this id, or `None` if there is
    /// none.
    ///
    /// Growth: Constant.
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
}
