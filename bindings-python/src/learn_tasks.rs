//! Tasks: the lists that people ask for, one task with its history, and what a
//! caller may do to a task or a condition.

use pyo3::prelude::*;
use recallite::rules::tasks::events::ResolutionType;
use recallite::rules::tasks::{EntityId, EntityKind, Priority, TaskStatus};
use recallite::{Entity, Error, ErrorCode, NewTask, TaskFilter};

use crate::areas::Tasks;
use crate::argument::{self, Given, number, optional, renamed, word as given_word};
use crate::convert::{give, rows};
use crate::failure::raise;
use crate::learn_argument::{each, entity, entity_id};

#[pymethods]
impl Tasks {
    /// Tasks that fit every filter that is given: of each status the one changed
    /// last in front; blocked, in_progress, pending, done, cancelled.
    #[pyo3(
        signature = (*, project=None, status=None, text=None, limit=None),
        text_signature = "($self, *, project=None, status=None, text=None, limit=1000)"
    )]
    fn list<'py>(
        &self,
        py: Python<'py>,
        project: Given<'py>,
        status: Given<'py>,
        text: Given<'py>,
        limit: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok(TaskFilter {
                project: optional(&project, "project", argument::scope)?.unwrap_or_default(),
                status: optional(&status, "status", given_word::<TaskStatus>)?,
                text: optional(&text, "text", argument::text)?,
                limit: optional(&limit, "limit", argument::size)?,
            })
        };
        self.call(
            py,
            "tasks.list",
            arguments,
            |memory, filter| memory.tasks().list(&filter),
            rows,
        )
    }

    /// Makes a task. With `blocked_by`, in free words, it is blocked.
    ///
    /// Raises `AlreadyExists` when a task of the project has this title, whatever its
    /// status.
    #[pyo3(
        signature = (title, *, project=None, priority=None, description=None, blocked_by=None),
        text_signature = "($self, title, *, project=None, priority='medium', description=None, \
                          blocked_by=())"
    )]
    fn create<'py>(
        &self,
        py: Python<'py>,
        title: &Bound<'py, PyAny>,
        project: Given<'py>,
        priority: Given<'py>,
        description: Given<'py>,
        blocked_by: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok(NewTask {
                title: argument::text(title, "title")?,
                project: optional(&project, "project", argument::text)?,
                priority: optional(&priority, "priority", given_word::<Priority>)?,
                description: optional(&description, "description", argument::text)?,
                blocked_by: each(&blocked_by, "blocked_by", "several str", argument::text)?,
            })
        };
        self.call(
            py,
            "tasks.create",
            arguments,
            |memory, task| memory.tasks().create(&task),
            give,
        )
    }

    /// What tasks wait for that is neither a task nor an artifact, in the order of
    /// their ids.
    #[pyo3(
        signature = (*, project=None, limit=None),
        text_signature = "($self, *, project=None, limit=1000)"
    )]
    fn conditions<'py>(
        &self,
        py: Python<'py>,
        project: Given<'py>,
        limit: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok((
                optional(&project, "project", argument::scope)?.unwrap_or_default(),
                optional(&limit, "limit", argument::size)?,
            ))
        };
        self.call(
            py,
            "tasks.conditions",
            arguments,
            |memory, (project, limit)| memory.tasks().conditions(&project, limit),
            rows,
        )
    }

    /// Things elsewhere that tasks wait for: tickets, issues, addresses. They belong to
    /// no project; in the order of their ids.
    #[pyo3(signature = (*, limit=None), text_signature = "($self, *, limit=1000)")]
    fn artifacts<'py>(&self, py: Python<'py>, limit: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.artifacts",
            || optional(&limit, "limit", argument::size),
            |memory, limit| memory.tasks().artifacts(limit),
            rows,
        )
    }

    /// One task with what really blocks it and its history, or `None`. `id` is
    /// its id or a result that names it.
    #[pyo3(signature = (id, /))]
    fn get<'py>(&self, py: Python<'py>, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.get",
            || entity_id(id, "id"),
            |memory, id| memory.tasks().get(&id),
            give,
        )
    }

    /// A task as it stood at a moment, by its acts up to then; `None` when it was
    /// not known yet.
    #[pyo3(signature = (id, at))]
    fn get_as_of<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
        at: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.get_as_of",
            || Ok((entity_id(id, "id")?, argument::timestamp(at, "at")?)),
            |memory, (id, at)| memory.tasks().get_as_of(&id, at),
            give,
        )
    }

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

    /// The blocked tasks with what really stands in their way.
    #[pyo3(signature = (*, project=None))]
    fn blocked<'py>(&self, py: Python<'py>, project: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.blocked",
            || Ok(optional(&project, "project", argument::scope)?.unwrap_or_default()),
            |memory, project| memory.tasks().blocked(&project),
            rows,
        )
    }

    /// Blocked tasks whose every blocker is only a suggestion: worth asking about.
    #[pyo3(signature = (*, project=None))]
    fn with_only_suggested_blockers<'py>(
        &self,
        py: Python<'py>,
        project: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.with_only_suggested_blockers",
            || Ok(optional(&project, "project", argument::scope)?.unwrap_or_default()),
            |memory, project| memory.tasks().with_only_suggested_blockers(&project),
            rows,
        )
    }

    /// Blocked tasks of which nobody said what blocks them: a placeholder stands
    /// there that is not resolved yet.
    #[pyo3(signature = (*, project=None))]
    fn with_placeholder_blockers<'py>(
        &self,
        py: Python<'py>,
        project: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.with_placeholder_blockers",
            || Ok(optional(&project, "project", argument::scope)?.unwrap_or_default()),
            |memory, project| memory.tasks().with_placeholder_blockers(&project),
            rows,
        )
    }

    /// Conditions that turned out to be another entity.
    #[pyo3(signature = (*, project=None))]
    fn resolved_conditions<'py>(
        &self,
        py: Python<'py>,
        project: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.resolved_conditions",
            || Ok(optional(&project, "project", argument::scope)?.unwrap_or_default()),
            |memory, project| memory.tasks().resolved_conditions(&project),
            rows,
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

    /// Moves a task. `blocked_by` says in free words what holds it up, when it is
    /// moved to blocked; without it a placeholder stands there.
    ///
    /// Raises `InvalidTransition` when the move is not allowed and
    /// `InvariantViolation` when the task would wait for itself.
    #[pyo3(
        signature = (task, to, *, blocked_by=None),
        text_signature = "($self, task, to, *, blocked_by=())"
    )]
    fn change_status<'py>(
        &self,
        py: Python<'py>,
        task: &Bound<'py, PyAny>,
        to: &Bound<'py, PyAny>,
        blocked_by: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            Ok((
                entity_id(task, "task")?,
                given_word::<TaskStatus>(to, "to")?,
                each(&blocked_by, "blocked_by", "several str", argument::text)?,
            ))
        };
        self.call(
            py,
            "tasks.change_status",
            arguments,
            |memory, (id, to, blocked_by): (EntityId, _, Vec<String>)| {
                memory
                    .tasks()
                    .change_status(&id, to, &blocked_by)
                    .map_err(|error| renamed(error, TASK_ARGUMENTS))
            },
            give,
        )
    }

    /// Gives a task another priority.
    #[pyo3(signature = (task, priority))]
    fn set_priority<'py>(
        &self,
        py: Python<'py>,
        task: &Bound<'py, PyAny>,
        priority: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.set_priority",
            || {
                Ok((
                    entity_id(task, "task")?,
                    given_word::<Priority>(priority, "priority")?,
                ))
            },
            |memory, (id, priority)| {
                memory
                    .tasks()
                    .set_priority(&id, priority)
                    .map_err(|error| renamed(error, TASK_ARGUMENTS))
            },
            give,
        )
    }

    /// Gives a task another title; the old one still means it. Raises
    /// `AlreadyExists` when another task has it.
    #[pyo3(signature = (task, title))]
    fn rename<'py>(
        &self,
        py: Python<'py>,
        task: &Bound<'py, PyAny>,
        title: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(
            py,
            "tasks.rename",
            || Ok((entity_id(task, "task")?, argument::text(title, "title")?)),
            |memory, (id, title)| {
                memory
                    .tasks()
                    .rename(&id, &title)
                    .map_err(|error| renamed(error, TASK_ARGUMENTS))
            },
            give,
        )
    }
}

/// The core's names of arguments, and what they are called here.
const TASK_ARGUMENTS: &[(&str, &str)] = &[("task_id", "task")];
