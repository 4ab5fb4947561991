//! The context that a session was given, and since when it is in the agent's context.

use std::collections::BTreeMap;
use std::ops::Range;

use recallite::scope::ProjectScope;
use recallite::{Event, EventFilter, EventKind, Memory, Timestamp};
use serde_json::Value;

/// The recorded reason for context at a start after a compaction.
pub(super) const AFTER_COMPACTION: &str = "compact";
/// The recorded reason after a compaction where no context was given: nothing that such a record
/// lists was given at that time.
pub(super) const COMPACTED: &str = "compacted";

/// An event of which no more bytes are left than these is known.
pub(super) const HARDLY_MORE: usize = 80;

/// What a session was given since its conversation was last compacted; earlier context is no longer
/// in the agent's context.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What was given of events, by position; of a record of something else, such as a task, no words.
    pub(super) given: BTreeMap<u64, Vec<Range<usize>>>,
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
            for item in items {
                known.add(item);
            }
            if said["reason"] == AFTER_COMPACTION {
                known.begins = Some(record.timestamp);
                break;
            }
        }
        Ok(known)
    }

    fn add(&mut self, item: &Value) {
        let place = |at: &Value| at.as_u64().and_then(|at| usize::try_from(at).ok());
        if let Some(seq) = item["seq"].as_u64() {
            let parts = item["parts"].as_array().into_iter().flatten();
            let parts = parts.filter_map(|part| Some(place(&part[0])?..place(&part[1])?));
            self.given.entry(seq).or_default().extend(parts);
        }
    }

    /// Whether the session was given an event, or nearly all of it.
    pub(super) fn was_given(&self, event: &Event) -> bool {
        let Some(parts) = self.given.get(&event.seq.0) else {
            return false;
        };
        let mut parts: Vec<&Range<usize>> = parts.iter().collect();
        parts.sort_by_key(|part| part.start);
        let (mut missing, mut known_to) = (0, 0);
        for part in parts {
            missing += part.start.saturating_sub(known_to);
            known_to = known_to.max(part.end);
        }
        missing + event.content.len().saturating_sub(known_to) <= HARDLY_MORE
    }
}

/// The moment since which messages and injections of a session are in its context.
pub(super) fn context_begins(memory: &Memory, session: &str) -> recallite::Result<Timestamp> {
    let known = Known::by(memory, session)?;
    Ok(known.begins.unwrap_or(Timestamp::MIN))
}
