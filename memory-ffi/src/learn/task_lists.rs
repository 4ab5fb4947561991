//! A task, a condition or an artifact by its id.

use recallite::Entity;
use recallite::rules::tasks::EntityId;

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::owned::{self, Parts};
use crate::owned::{Show, shown};
use crate::text::recallite_str;

/// A task, condition or artifact. Free it with recallite_entity_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_entity {
    /// The task, if it is one; otherwise NULL.
    pub task: *const recallite_task,
    /// The condition, if it is one; otherwise NULL.
    pub condition: *const recallite_condition,
    /// The artifact, if it is one; otherwise NULL.
    pub artifact: *const recallite_artifact,
    /// Which of them it is: one of recallite_entity_kind.
    pub kind: i32,
}

/// Returns a task, condition or artifact by its id.
///
/// Growth: Constant.
///
/// @param[in] memory the memory.
/// @param[in] id the id of the entity.
/// @param[out] entity the entity, to be freed with recallite_entity_free.
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

/// Frees an entity. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entity_free(entity: *mut recallite_entity) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(entity) });
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
