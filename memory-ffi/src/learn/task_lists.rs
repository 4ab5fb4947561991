//! Reading tasks: lists, one with its history, what blocks it.

use recallite::rules::tasks::EntityId;
use recallite::{Entity, Error, ErrorCode, Result, TaskFilter, Timestamp};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::owned::{Show, shown};
use crate::owned::{give_list, give_one};
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words::{self};

/// Which tasks recallite_tasks gives. Begin with
/// RECALLITE_INIT(recallite_task_filter); a field that is zero narrows nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_task_filter {
    /// sizeof(recallite_task_filter).
    pub struct_size: usize,
    /// The project for RECALLITE_SCOPE_NAMED; absent otherwise.
    pub project: recallite_str,
    /// At most this many. Default: 1,000.
    pub limit: usize,
    /// Which projects: one of recallite_scope.
    pub scope: i32,
    /// In this status: one of recallite_task_status.
    pub status: i32,
}

// SAFETY: repr(C), the size comes first, and numbers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_task_filter {
    const FIRST_SIZE: usize = size_of::<recallite_task_filter>();
}

/// A task, condition or artifact. Free it with recallite_entity_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_entity {
    /// The task, if it is one; else NULL.
    pub task: *const recallite_task,
    /// The condition, if it is one; else NULL.
    pub condition: *const recallite_condition,
    /// The artifact, if it is one; else NULL.
    pub artifact: *const recallite_artifact,
    /// Which of them: one of recallite_entity_kind.
    pub kind: i32,
}

/// Tasks, of each status the one changed last in front: blocked, in progress,
/// pending, done, cancelled.
///
/// @param[in] memory the memory.
/// @param[in] filter which; NULL for the tasks of the memory's project.
/// @param[out] tasks the tasks, to be freed with recallite_task_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a wrong filter; RECALLITE_CORRUPT or
///     RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_tasks(
    memory: *mut recallite_memory,
    filter: *const recallite_task_filter,
    tasks: *mut *mut recallite_task_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (filter, tasks) = unsafe {
            let filter = input::read_or_default("filter", filter)?;
            (task_filter(&filter)?, out("tasks", tasks)?)
        };
        let found = memory.tasks().list(&filter)?;
        tasks.set(give_list(found));
        Ok(())
    })
}

/// One task with what really blocks it and its history.
///
/// @param[in] memory the memory.
/// @param[in] task_id the task.
/// @param[out] detail the task, to be freed with recallite_task_detail_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such task; RECALLITE_CORRUPT or
///     RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_task_get(
    memory: *mut recallite_memory,
    task_id: recallite_str,
    detail: *mut *mut recallite_task_detail,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (task_id, detail) = unsafe { (task_id.required("task_id")?, out("detail", detail)?) };
        let found = existing(
            "task_id",
            "task",
            memory.tasks().get(&EntityId::new(task_id))?,
        )?;
        detail.set(give_one(found));
        Ok(())
    })
}

/// A task as it stood at a moment, by its acts up to then.
///
/// @param[in] memory the memory.
/// @param[in] task_id the task.
/// @param[in] at_ms the moment, in milliseconds since 1970 UTC.
/// @param[out] found the task, to be freed with recallite_task_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when the task was not known then;
///     RECALLITE_INVALID_ARGUMENT for a time outside the years 1 to 9999;
///     RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_task_as_of(
    memory: *mut recallite_memory,
    task_id: recallite_str,
    at_ms: i64,
    found: *mut *mut recallite_task,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        let at = Timestamp::from_millis(at_ms).map_err(|error| error.about("at_ms"))?;
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (task_id, found) = unsafe { (task_id.required("task_id")?, out("found", found)?) };
        let then = memory.tasks().get_as_of(&EntityId::new(task_id), at)?;
        let then = existing("task_id", "task at that moment", then)?;
        found.set(give_one(then));
        Ok(())
    })
}

/// A task, condition or artifact by its id.
///
/// @param[in] memory the memory.
/// @param[in] entity_id the entity.
/// @param[out] entity what it is, to be freed with recallite_entity_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such entity; RECALLITE_CORRUPT
///     or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entity_get(
    memory: *mut recallite_memory,
    entity_id: recallite_str,
    entity: *mut *mut recallite_entity,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (entity_id, entity) =
            unsafe { (entity_id.required("entity_id")?, out("entity", entity)?) };
        let found = memory.tasks().entity(&EntityId::new(entity_id))?;
        let found = existing("entity_id", "task, condition or artifact", found)?;
        entity.set(give_one(found));
        Ok(())
    })
}

/// The blocked tasks with what really stands in their way.
///
/// @param[in] memory the memory.
/// @param[in] scope which projects: one of recallite_scope.
/// @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
/// @param[out] tasks the tasks, to be freed with
///     recallite_blocked_task_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a wrong scope; RECALLITE_CORRUPT or
///     RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_blocked_tasks(
    memory: *mut recallite_memory,
    scope: i32,
    project: recallite_str,
    tasks: *mut *mut recallite_blocked_task_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (scope, tasks) = unsafe {
            (
                input::scope("scope", scope, "project", project)?,
                out("tasks", tasks)?,
            )
        };
        let found = memory.tasks().blocked(&scope)?;
        tasks.set(give_list(found));
        Ok(())
    })
}

/// Blocked tasks whose every blocker is only a suggestion: worth asking about.
///
/// @param[in] memory the memory.
/// @param[in] scope which projects: one of recallite_scope.
/// @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
/// @param[out] tasks the tasks, to be freed with recallite_task_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_blocked_tasks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_tasks_with_only_suggested_blockers(
    memory: *mut recallite_memory,
    scope: i32,
    project: recallite_str,
    tasks: *mut *mut recallite_task_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (scope, tasks) = unsafe {
            (
                input::scope("scope", scope, "project", project)?,
                out("tasks", tasks)?,
            )
        };
        let found = memory.tasks().with_only_suggested_blockers(&scope)?;
        tasks.set(give_list(found));
        Ok(())
    })
}

/// Blocked tasks of which nobody said what blocks them: the library put a
/// placeholder there that is not resolved yet.
///
/// @param[in] memory the memory.
/// @param[in] scope which projects: one of recallite_scope.
/// @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
/// @param[out] tasks the tasks, to be freed with recallite_task_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_blocked_tasks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_tasks_with_placeholder_blockers(
    memory: *mut recallite_memory,
    scope: i32,
    project: recallite_str,
    tasks: *mut *mut recallite_task_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (scope, tasks) = unsafe {
            (
                input::scope("scope", scope, "project", project)?,
                out("tasks", tasks)?,
            )
        };
        let found = memory.tasks().with_placeholder_blockers(&scope)?;
        tasks.set(give_list(found));
        Ok(())
    })
}

/// Conditions that turned out to be another entity.
///
/// @param[in] memory the memory.
/// @param[in] scope which projects: one of recallite_scope.
/// @param[in] project the project for RECALLITE_SCOPE_NAMED; absent otherwise.
/// @param[out] conditions the conditions, to be freed with
///     recallite_condition_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_blocked_tasks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_resolved_conditions(
    memory: *mut recallite_memory,
    scope: i32,
    project: recallite_str,
    conditions: *mut *mut recallite_condition_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (scope, conditions) = unsafe {
            (
                input::scope("scope", scope, "project", project)?,
                out("conditions", conditions)?,
            )
        };
        let found = memory.tasks().resolved_conditions(&scope)?;
        conditions.set(give_list(found));
        Ok(())
    })
}

/// Frees an entity. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entity_free(entity: *mut recallite_entity) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(entity) });
}

/// What a call looked for, or that it is not there.
pub(crate) fn existing<T>(argument: &str, what: &str, found: Option<T>) -> Result<T> {
    found.ok_or_else(|| {
        Error::new(
            ErrorCode::NotFound,
            format!("{argument}: there is no such {what}"),
        )
        .with_argument(argument)
    })
}

/// # Safety
/// The texts of `filter` are absent or readable.
unsafe fn task_filter(filter: &recallite_task_filter) -> Result<TaskFilter> {
    Ok(TaskFilter {
        // SAFETY: the caller keeps the same condition.
        project: unsafe { input::scope("scope", filter.scope, "project", filter.project) }?,
        status: words::optional("status", filter.status)?,
        limit: (filter.limit != 0).then_some(filter.limit),
    })
}

impl Show for Entity {
    type View = recallite_entity;

    fn show(self, parts: &mut Parts) -> recallite_entity {
        let mut view = recallite_entity {
            task: std::ptr::null(),
            condition: std::ptr::null(),
            artifact: std::ptr::null(),
            kind: recallite_entity_kind::RECALLITE_ENTITY_KIND_UNSET as i32,
        };
        match self {
            Entity::Task(found) => {
                view.task = shown(found, parts);
                view.kind = recallite_entity_kind::RECALLITE_ENTITY_KIND_TASK as i32;
            }
            Entity::Condition(found) => {
                view.condition = shown(found, parts);
                view.kind = recallite_entity_kind::RECALLITE_ENTITY_KIND_CONDITION as i32;
            }
            Entity::Artifact(found) => {
                view.artifact = shown(found, parts);
                view.kind = recallite_entity_kind::RECALLITE_ENTITY_KIND_ARTIFACT as i32;
            }
            // `Entity` may grow; its new kinds are unknown here.
            _ => {}
        }
        view
    }
}
