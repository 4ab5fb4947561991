//! The endless mode's switch and its limits.

use recallite::{EndlessConfig, Result};

use crate::call::{guard_free, with_memory};
use crate::error::recallite_error;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned;
use crate::owned::{Parts, Show};
use crate::status::recallite_status;

/// The limits of the endless mode. Begin with
/// RECALLITE_INIT(recallite_endless_config), where a field that is zero has its
/// default, or change what recallite_endless_config_get gave and free that with
/// recallite_endless_config_free.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_endless_config {
    /// sizeof(recallite_endless_config).
    pub struct_size: usize,
    /// At most this many events are in the working set, 1 to 10,000. Default: 100.
    pub max_events: usize,
    /// How long an event stays in the working set, in milliseconds. Default: 24
    /// hours.
    pub time_window_ms: i64,
    /// Events less relevant than this, 0 to 1, do not come into the working set; read
    /// when has_min_relevance_score is set. Default: 0.5.
    pub min_relevance_score: f64,
    /// Consolidate after so long since the last time, in milliseconds. Default:
    /// 1 hour.
    pub trigger_interval_ms: i64,
    /// Consolidate at so many events in the working set. Default: 100.
    pub trigger_event_count: usize,
    /// Consolidate after so long without anything new, in milliseconds.
    /// Default: 30 minutes.
    pub trigger_idle_ms: i64,
    /// A topic with fewer events than this waits for more. Default: 10.
    pub min_events: usize,
    /// A summary is at most this many characters. Default: 1,000.
    pub max_summary_chars: usize,
    /// Events less relevant than this, 0 to 1, are not given to an agent; read
    /// when has_min_relevance is set. Default: 0.7.
    pub min_relevance: f64,
    /// At most this many events are given to an agent; read when
    /// has_max_injected_events is set. Default: 10.
    pub max_injected_events: usize,
    /// At most this many consolidated memories are given to an agent; read when
    /// has_max_injected_memories is set. Default: 3.
    pub max_injected_memories: usize,
    /// Whether min_relevance_score is given.
    pub has_min_relevance_score: c_bool,
    /// Whether min_relevance is given.
    pub has_min_relevance: c_bool,
    /// Whether max_injected_events is given.
    pub has_max_injected_events: c_bool,
    /// Whether max_injected_memories is given.
    pub has_max_injected_memories: c_bool,
}

// SAFETY: repr(C), the size comes first, and numbers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_endless_config {
    const FIRST_SIZE: usize = size_of::<recallite_endless_config>();
}

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
        let config = unsafe { input::read_or_default("config", config) }?;
        memory
            .endless()
            .set_config(&limits(&config)?)
            .map_err(|error| match error.argument() {
                // The core's limits lie in three groups.
                Some(argument) => {
                    let field = argument.rsplit('.').next().unwrap_or(argument).to_owned();
                    error.about(field)
                }
                None => error,
            })
    })
}

/// Frees limits that the library gave. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_endless_config_free(config: *mut recallite_endless_config) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(config) });
}

impl Show for EndlessConfig {
    type View = recallite_endless_config;

    fn show(self, _: &mut Parts) -> recallite_endless_config {
        view(&self)
    }
}

fn view(config: &EndlessConfig) -> recallite_endless_config {
    let (set, rule, given) = (
        &config.working_set,
        &config.consolidation,
        &config.injection,
    );
    recallite_endless_config {
        struct_size: size_of::<recallite_endless_config>(),
        max_events: set.max_events,
        time_window_ms: set.time_window_ms,
        min_relevance_score: set.min_relevance_score,
        trigger_interval_ms: rule.trigger_interval_ms,
        trigger_event_count: rule.trigger_event_count,
        trigger_idle_ms: rule.trigger_idle_ms,
        min_events: rule.min_events,
        max_summary_chars: rule.max_summary_chars,
        min_relevance: given.min_relevance,
        max_injected_events: given.max_events,
        max_injected_memories: given.max_memories,
        has_min_relevance_score: 1,
        has_min_relevance: 1,
        has_max_injected_events: 1,
        has_max_injected_memories: 1,
    }
}

fn limits(config: &recallite_endless_config) -> Result<EndlessConfig> {
    let mut limits = EndlessConfig::default();
    let set = |field: &mut usize, given: usize| {
        if given != 0 {
            *field = given;
        }
    };
    let set_ms = |field: &mut i64, given: i64| {
        if given != 0 {
            *field = given;
        }
    };
    set(&mut limits.working_set.max_events, config.max_events);
    set_ms(
        &mut limits.working_set.time_window_ms,
        config.time_window_ms,
    );
    let rule = &mut limits.consolidation;
    set_ms(&mut rule.trigger_interval_ms, config.trigger_interval_ms);
    set(&mut rule.trigger_event_count, config.trigger_event_count);
    set_ms(&mut rule.trigger_idle_ms, config.trigger_idle_ms);
    set(&mut rule.min_events, config.min_events);
    set(&mut rule.max_summary_chars, config.max_summary_chars);
    if boolean("has_min_relevance_score", config.has_min_relevance_score)? {
        limits.working_set.min_relevance_score = config.min_relevance_score;
    }
    if boolean("has_min_relevance", config.has_min_relevance)? {
        limits.injection.min_relevance = config.min_relevance;
    }
    if boolean("has_max_injected_events", config.has_max_injected_events)? {
        limits.injection.max_events = config.max_injected_events;
    }
    if boolean(
        "has_max_injected_memories",
        config.has_max_injected_memories,
    )? {
        limits.injection.max_memories = config.max_injected_memories;
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_come_back_as_they_were_given() {
        // SAFETY: zeroes are a valid value of every `Input`.
        let zero: recallite_endless_config = unsafe { std::mem::zeroed() };
        assert_eq!(limits(&zero).unwrap(), EndlessConfig::default());
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
        assert_eq!(limits(&view(&other)).unwrap(), other);
    }
}
