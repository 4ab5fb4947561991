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
    other.consolidation.is_left_to_host = true;
    other.continuity.topic_weight = 0.0;
    other.continuity.file_weight = 0.125;
    other.continuity.time_weight = 1.0;
    other.continuity.entity_weight = 0.5;
    other.continuity.time_decay_ms = 14;
    other.continuity.min_score_for_seamless = 0.0;
    other.continuity.min_score_for_topic_shift = 0.25;
    assert_eq!(read(&other.show(&mut Parts::default())), other);
}
