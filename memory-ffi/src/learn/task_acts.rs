//! What a caller may do to a task or a condition.

use recallite::rules::tasks::EntityId;

use crate::call::with_memory;
use crate::error::recallite_error;
use crate::open::recallite_memory;
use crate::status::recallite_status;
use crate::text::recallite_str;
use crate::words::{self};

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
pub unsafe extern "C" fn recallite_tasks_resolve_condition(
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
