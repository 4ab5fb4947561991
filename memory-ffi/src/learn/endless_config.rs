//! The endless mode's switch and its limits.

use recallite::Error;

use crate::call::with_memory;
use crate::error::recallite_error;
use crate::generated::recallite_endless_config;
use crate::open::recallite_memory;
use crate::status::recallite_status;

/// Sets the limits of the endless mode, all of them.
///
/// @param[in] memory the memory.
/// @param[in] config the limits; NULL for the defaults.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT naming the limit that is out of range;
///     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot be
///     written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_endless_set_config(
    memory: *mut recallite_memory,
    config: *const recallite_endless_config,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let config = unsafe { recallite_endless_config::taken("config", config) }?;
        memory.endless().set_config(&config).map_err(in_c)
    })
}

/// The same error with the limit's name alone: the core's lie in three groups.
fn in_c(error: Error) -> Error {
    let name = error.argument().and_then(|path| path.rsplit('.').next());
    match name.map(str::to_owned) {
        Some(name) => error.about(name),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use recallite::EndlessConfig;

    use super::*;
    use crate::owned::{Parts, Show as _};

    fn read(given: &recallite_endless_config) -> EndlessConfig {
        // SAFETY: it holds numbers and points to nothing.
        unsafe { given.set("", EndlessConfig::default()) }.unwrap()
    }

    #[test]
    fn limits_come_back_as_they_were_given() {
        // SAFETY: zeroes are a valid value of every `Input`.
        let zero: recallite_endless_config = unsafe { std::mem::zeroed() };
        assert_eq!(read(&zero), EndlessConfig::default());
        let mut other = EndlessConfig::default();
        other.working_set.max_events = 7;
        other.working_set.time_window_ms = 8;
        other.working_set.min_relevance_score = 0.0;
        other.consolidation.trigger_interval_ms = 9;
        other.consolidation.trigger_event_count = 10;
        other.consolidation.trigger_idle_ms = 11;
        other.consolidation.min_events = 12;
        other.consolidation.max_summary_chars = 13;
        other.injection.min_relevance = 0.25;
        other.injection.max_events = 0;
        other.injection.max_memories = 0;
        assert_eq!(read(&other.show(&mut Parts::default())), other);
    }
}
