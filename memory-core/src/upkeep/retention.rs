//! How long events live and how large a store may grow: warnings first, limits
//! and retention only when asked for, and never a silent drop.

use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::time::Timestamp;
use crate::scope::ProjectScope;
use crate::upkeep::forget::Forgotten;
use crate::upkeep::select::Selector;

impl Memory {
    /// Forgets the events of every project that are older than their kind is
    /// kept (see [`MemoryBuilder::retention_ms`](crate::MemoryBuilder::retention_ms)). Without such a setting it
    /// does nothing. The tombstones say what went.
    ///
    /// # Errors
    /// As [`Memory::forget`].
    pub fn apply_retention(&self) -> Result<Forgotten> {
        self.enter()?;
        let mut total = Forgotten::default();
        let now = self.inner.store.clock().now().millis();
        for (kind, age) in &self.inner.lifetime.retention_ms {
            let age = i64::try_from(*age).unwrap_or(i64::MAX);
            let before = Timestamp::from_millis_clamped(now.saturating_sub(age));
            let selector = Selector::new()
                .kinds([*kind])
                .before(before)
                .project(ProjectScope::All);
            let forgotten = self.forget(&selector)?;
            total.count += forgotten.count;
            total.content_bytes += forgotten.content_bytes;
            total.sessions += forgotten.sessions;
            total.jobs += forgotten.jobs;
            total.segments += forgotten.segments;
            total.segments_waiting += forgotten.segments_waiting;
            total.tombstone = forgotten.tombstone.or(total.tombstone);
        }
        Ok(total)
    }
}
