//! The limits of the endless mode come back as they were given.

use recallite::EndlessConfig;

use crate::generated::recallite_endless_config;
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
