//! What a session has in its context already: what it said itself, and what it
//! was given.

use std::collections::HashSet;

use recallite::scope::ProjectScope;
use recallite::{EventFilter, EventKind, Hit, Memory, Timestamp};
use serde_json::Value;

/// Why context was given at a start, as the record of it says.
pub(super) const AFTER_COMPACTION: &str = "compact";

/// So many of the latest records are looked at.
const MOST_RECORDS: usize = 200;

/// What one session knows.
#[derive(Debug, Default)]
pub(super) struct Known {
    session: String,
    /// Positions of the events that it was given.
    given: HashSet<u64>,
    /// When its conversation was compacted: what was before is no longer in its
    /// context.
    since: Option<Timestamp>,
}

impl Known {
    pub(super) fn by(memory: &Memory, session: &str) -> recallite::Result<Known> {
        let mut known = Known {
            session: session.to_owned(),
            ..Known::default()
        };
        let records = EventFilter::new()
            .session(session)
            .project(ProjectScope::All)
            .kinds([EventKind::Injected])
            .newest_first()
            .limit(MOST_RECORDS);
        for record in memory.events(records)? {
            let record = record?;
            let Some(said) = record
                .metadata
                .and_then(|said| serde_json::from_str::<Value>(said.as_str()).ok())
            else {
                continue;
            };
            let items = said["items"].as_array().into_iter().flatten();
            known
                .given
                .extend(items.filter_map(|item| item["seq"].as_u64()));
            if said["reason"] == AFTER_COMPACTION {
                known.since = Some(record.timestamp);
                break;
            }
        }
        Ok(known)
    }

    /// Whether a hit would repeat what the session has in its context.
    pub(super) fn has(&self, hit: &Hit) -> bool {
        let is_own =
            hit.session == self.session && self.since.is_none_or(|since| hit.timestamp >= since);
        is_own || self.was_given(hit.seq.0)
    }

    pub(super) fn was_given(&self, seq: u64) -> bool {
        self.given.contains(&seq)
    }
}
