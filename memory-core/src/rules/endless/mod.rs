//! The endless mode: one conversation that never ends, over a sliding working set and
//! consolidated memories, with a score for how far the current context continues the
//! previous one.

pub(crate) mod config;
pub mod consolidate;
pub mod continuity;
pub mod inject;
pub mod migrate;
pub mod snapshot;
pub mod working_set;

pub use config::EndlessConfig;
pub use consolidate::{
    ConsolidatedMemory, ConsolidationPolicy, ConsolidationTrigger, MemoryDraft, TopicEvent,
    is_consolidation_due,
};
pub use continuity::{
    ContextSnapshot, Continuity, ContinuityEntry, ContinuityPolicy, TransitionType, continuity,
};
pub use inject::InjectionPolicy;
pub(crate) use inject::{select_consolidated, select_working_set};
pub use working_set::{WorkingItem, WorkingSet, WorkingSetPolicy};

pub use crate::model::session::ENDLESS_SESSION;

use crate::model::read::words;
use crate::model::time::Timestamp;

words! {
    /// How a memory treats conversations.
    MemoryMode ("mode") {
        /// Each conversation is a session of its own (the default).
        Session = "session",
        /// All conversations are a single one.
        Endless = "endless",
    }
}

/// The field in an event's metadata that names the working set the event belongs to.
pub const WORKING_SET_FIELD: &str = "workingSetId";

/// Returns the session under which the endless mode stores what happens at a moment:
/// `endless_YYYY-MM-DD`, by the local calendar day. `utc_offset_seconds` is how far local
/// time is ahead of UTC at that moment; it is limited to one day.
pub(crate) fn day_session_id(at: Timestamp, utc_offset_seconds: i32) -> String {
    let offset = i64::from(utc_offset_seconds.clamp(-86_399, 86_399)) * 1000;
    let local = Timestamp::from_millis_clamped(at.millis().saturating_add(offset));
    format!("{ENDLESS_SESSION}_{}", local.date_utc())
}

/// Returns the name to show for a session: `endless` for each day of the endless mode.
pub fn outside_session_name(session: &str) -> &str {
    crate::model::session::outside_name(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_is_the_local_one() {
        let at: Timestamp = "2026-01-30T16:30:00Z".parse().expect("a time");
        assert_eq!(day_session_id(at, 0), "endless_2026-01-30");
        assert_eq!(day_session_id(at, 9 * 3600), "endless_2026-01-31");
        assert_eq!(day_session_id(at, -17 * 3600), "endless_2026-01-29");
        assert_eq!(day_session_id(Timestamp::MIN, -3600), "endless_0001-01-01");
    }

    #[test]
    fn every_day_is_called_endless_outside() {
        assert_eq!(outside_session_name("endless_2026-01-30"), "endless");
        assert_eq!(
            outside_session_name("endless_weekend_trip"),
            "endless_weekend_trip"
        );
        assert_eq!(outside_session_name("s1"), "s1");
    }
}
