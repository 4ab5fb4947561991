//! What a caller may do to a task or a condition.

use recallite::rules::tasks::EntityId;

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words::{self};

/// Moves a task to another status.
///
/// @param[in] memory the memory.
/// @param[in] task_id the task.
/// @param[in] to where it moves: one of recallite_task_status.
/// @param[in] blocked_by what holds it up, in free words, when it moves to
///     RECALLITE_TASK_STATUS_BLOCKED. With none, a placeholder stands there.
/// @param[in] blocked_by_len how many.
/// @param[out] changed the task as it is now, to be freed with
///     recallite_task_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such task;
///     RECALLITE_INVALID_TRANSITION when the move is not allowed;
///     RECALLITE_INVARIANT_VIOLATION when the task would wait for itself;
///     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot be
///     written. Nothing is changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_change_task_status(
    memory: *mut recallite_memory,
    task_id: recallite_str,
    to: i32,
    blocked_by: *const recallite_str,
    blocked_by_len: usize,
    changed: *mut *mut recallite_task,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (task_id, blocked_by, changed) = unsafe {
            (
                task_id.required("task_id")?,
                input::texts("blocked_by", blocked_by, blocked_by_len)?,
                optional_out("changed", changed)?,
            )
        };
        let to = words::word("to", to)?;
        let blocked_by: Vec<String> = blocked_by.into_iter().map(str::to_owned).collect();
        let now = memory
            .tasks()
            .change_status(&EntityId::new(task_id), to, &blocked_by)?;
        if changed.is_wanted() {
            changed.set(give_one(now));
        }
        Ok(())
    })
}

/// Gives a task another title; the old one still means it.
///
/// @param[in] memory the memory.
/// @param[in] task_id the task.
/// @param[in] title the new title.
/// @param[out] changed the task as it is now, to be freed with
///     recallite_task_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such task;
///     RECALLITE_INVALID_ARGUMENT for a blank title; RECALLITE_ALREADY_EXISTS
///     when another task has it; RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO
///     when the store cannot be written. Nothing is changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_rename_task(
    memory: *mut recallite_memory,
    task_id: recallite_str,
    title: recallite_str,
    changed: *mut *mut recallite_task,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (task_id, title, changed) = unsafe {
            (
                task_id.required("task_id")?,
                title.required("title")?,
                optional_out("changed", changed)?,
            )
        };
        let now = memory.tasks().rename(&EntityId::new(task_id), title)?;
        if changed.is_wanted() {
            changed.set(give_one(now));
        }
        Ok(())
    })
}

/// Says that a condition is in truth another entity. Saying it twice changes
/// nothing.
///
/// @param[in] memory the memory.
/// @param[in] condition_id the condition.
/// @param[in] target_kind what it turned out to be: one of
///     recallite_entity_kind.
/// @param[in] target_id the entity that it is.
/// @param[in] resolution why: one of recallite_resolution_type.
/// @param[in] confidence how sure, from 0 to 1.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when the condition or the target does not exist;
///     RECALLITE_INVALID_ARGUMENT when they are the same or confidence is out
///     of range; RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store
///     cannot be written. Nothing is changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_resolve_condition(
    memory: *mut recallite_memory,
    condition_id: recallite_str,
    target_kind: i32,
    target_id: recallite_str,
    resolution: i32,
    confidence: f64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (condition_id, target_id) = unsafe {
            (
                condition_id.required("condition_id")?,
                target_id.required("target_id")?,
            )
        };
        let target = (
            words::word("target_kind", target_kind)?,
            EntityId::new(target_id),
        );
        let resolution = words::word("resolution", resolution)?;
        let condition = EntityId::new(condition_id);
        memory
            .tasks()
            .resolve_condition(&condition, target, resolution, confidence)
            .map_err(|error| match error.argument() {
                Some("condition") => error.about("condition_id"),
                Some("target") => error.about("target_id"),
                _ => error,
            })
    })
}
