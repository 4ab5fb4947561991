//! Decisions, and the evidence that they rest on.

use recallite::Error;

use crate::call::with_memory;
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::status::recallite_status;

/// Records a decision. Its evidence must be in the store, verified or
/// certified, and known before the decision was made.
///
/// @param[in] memory the memory.
/// @param[in] decision the decision.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT naming the field, for example
///     "evidence[1].known_ms"; RECALLITE_NOT_FOUND naming
///     "evidence[1].evidence_id"; RECALLITE_INVARIANT_VIOLATION when an entry is
///     not of the stage that is claimed; RECALLITE_ALREADY_EXISTS when the
///     decision was recorded before; RECALLITE_BUSY, RECALLITE_FULL or
///     RECALLITE_IO when the store cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_history_record_decision(
    memory: *mut recallite_memory,
    decision: *const recallite_new_decision,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let decision = unsafe { recallite_new_decision::taken("decision", decision) }?;
        memory.history().record_decision(&decision).map_err(in_c)
    })
}

/// The same error with the names that the fields have in C.
fn in_c(error: Error) -> Error {
    match error.argument() {
        Some("decided_at") => error.about("decided_ms"),
        Some(argument) => match argument.strip_suffix(".known_at") {
            Some(place) => {
                let place = format!("{place}.known_ms");
                error.about(place)
            }
            None => error,
        },
        None => error,
    }
}
