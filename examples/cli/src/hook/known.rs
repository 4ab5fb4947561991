//! The context that a session was given, and since when it is in the agent's context.

use std::collections::HashSet;

use recallite::scope::ProjectScope;
use recallite::{EventFilter, EventKind, Memory, Timestamp};
use serde_json::Value;

/// The recorded reason for context at a start after a compaction.
pub(super) const AFTER_COMPACTION: &str = "compact";
/// The recorded reason after a compaction where no context was given: nothing that such a record
/// lists was given at that time.
pub(super) const COMPACTED: &str = "compacted";

/// What a session was given since its conversation was last compacted; earlier context is no longer
/// in the agent's context.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Positions of the events.
    pub(super) given: HashSet<u64>,
    begins: Option<Timestamp>,
}

impl Known {
    pub(super) fn by(memory: &Memory, session: &str) -> recallite::Result<Known> {
        let mut known = Known::default();
        let records = EventFilter::new()
            .session(session)
            .project(ProjectScope::All)
            .kinds([EventKind::Injected])
            .newest_first();
        for record in memory.events(records)? {
            let record = record?;
            let Some(said) = record
                .metadata
                .and_then(|said| serde_json::from_str::<Value>(said.as_str()).ok())
            else {
                continue;
            };
            if said["reason"] == COMPACTED {
                let after = record.timestamp.millis().saturating_add(1);
                known.begins = Some(Timestamp::from_millis_clamped(after));
                break;
            }
            let items = said["items"].as_array().into_iter().flatten();
            known
                .given
                .extend(items.filter_map(|item| item["seq"].as_u64()));
            if said["reason"] == AFTER_COMPACTION {
                known.begins = Some(record.timestamp);
                break;
            }
        }
        Ok(known)
    }

    pub(super) fn was_given(&self, seq: u64) -> bool {
        self.given.contains(&seq)
    }
}

/// The moment since which messages and injections of a session are in its context.
pub(super) fn context_begins(memory: &Memory, session: &str) -> recallite::Result<Timestamp> {
    let known = Known::by(memory, session)?;
    Ok(known.begins.unwrap_or(Timestamp::MIN))
}
