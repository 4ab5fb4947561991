//! Reading tasks: lists, one with its history, what blocks it.

use recallite::rules::tasks::EntityId;
use recallite::{Entity, Result, TaskFilter};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input};
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::owned::{self, Parts};
use crate::owned::{Show, shown};
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words::{self};

/// Which tasks recallite_tasks_list gives. Begin with
/// RECALLITE_INIT(recallite_task_filter); a field that is zero narrows nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_task_filter {
    /// sizeof(recallite_task_filter).
    pub struct_size: usize,
    /// The project for RECALLITE_SCOPE_NAMED; absent otherwise.
    pub project: recallite_str,
    /// With this text in the title or description, letter case ignored.
    pub text: recallite_str,
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

/// A task, condition or artifact by its id.
///
/// @param[in] memory the memory.
/// @param[in] id the entity.
/// @param[out] entity what it is, to be freed with recallite_entity_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such entity; RECALLITE_CORRUPT
///     or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_tasks_entity(
    memory: *mut recallite_memory,
    id: recallite_str,
    entity: *mut *mut recallite_entity,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (id, entity) = unsafe { (id.required("id")?, out("entity", entity)?) };
        let found = memory.tasks().entity(&EntityId::new(id))?;
        let found = input::existing("id", found)?;
        entity.set(give_one(found));
        Ok(())
    })
}

/// Frees an entity. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entity_free(entity: *mut recallite_entity) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(entity) });
}

impl recallite_task_filter {
    /// As the core has it; errors call it `name`.
    ///
    /// # Safety
    /// `given` is NULL or points to a struct whose texts are absent or readable.
    pub(crate) unsafe fn taken(name: &str, given: *const Self) -> Result<TaskFilter> {
        // SAFETY: the caller keeps the same condition.
        unsafe { task_filter(&input::read_or_default(name, given)?) }
    }
}

/// # Safety
/// The texts of `filter` are absent or readable.
unsafe fn task_filter(filter: &recallite_task_filter) -> Result<TaskFilter> {
    Ok(TaskFilter {
        // SAFETY: the caller keeps the same condition.
        project: unsafe { input::scope("scope", filter.scope, "project", filter.project) }?,
        status: words::optional("status", filter.status)?,
        // SAFETY: the caller keeps the same condition.
        text: unsafe { filter.text.optional("text") }?.map(str::to_owned),
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
