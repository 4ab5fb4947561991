//! How long events live and how large a store may grow: warnings first, limits
//! and retention only when asked for, and never a silent drop.

use std::collections::BTreeMap;

use crate::memory::{Inner, Memory, MemoryBuilder};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::scope::ProjectScope;
use crate::upkeep::forget::Forgotten;
use crate::upkeep::select::Selector;

/// Above this size a store warns, unless another size was chosen: 500 MB, as
/// the specification's quota.
const QUOTA_BYTES: u64 = 500_000_000;

/// A store's size and time limits, as its opener chose them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime {
    pub(crate) quota_bytes: u64,
    pub(crate) limit_bytes: Option<u64>,
    /// The age in milliseconds after which a kind is forgotten.
    pub(crate) retention_ms: BTreeMap<EventKind, u64>,
}

impl Default for Lifetime {
    fn default() -> Self {
        Lifetime {
            quota_bytes: QUOTA_BYTES,
            limit_bytes: None,
            retention_ms: BTreeMap::new(),
        }
    }
}

impl MemoryBuilder {
    /// The size of the store's folder, in bytes, from which on receipts carry a
    /// warning and [`crate::Stats::is_over_quota`] is true. Nothing is refused.
    /// Default: 500,000,000.
    #[must_use]
    pub fn quota_bytes(mut self, bytes: u64) -> Self {
        self.lifetime.quota_bytes = bytes;
        self
    }

    /// The size of the store's folder, in bytes, from which on appends fail
    /// with `full`. Forgetting, erasing and compacting always work. Default:
    /// no limit.
    #[must_use]
    pub fn size_limit_bytes(mut self, bytes: u64) -> Self {
        self.lifetime.limit_bytes = Some(bytes);
        self
    }

    /// How long events of a kind are kept, in milliseconds after the time they
    /// carry; [`Memory::apply_retention`] forgets older ones. Default: for ever.
    #[must_use]
    pub fn retention_ms(mut self, kind: EventKind, ms: u64) -> Self {
        self.lifetime.retention_ms.insert(kind, ms);
        self
    }
}

impl Inner {
    /// The warning for receipts when the store is large, or the refusal when it
    /// is at its limit.
    pub(crate) fn check_space(&self) -> Result<Option<String>> {
        let lifetime = &self.lifetime;
        let size = self.store.folder().size_bytes();
        if let Some(limit) = lifetime.limit_bytes
            && size >= limit
        {
            return Err(Error::new(
                ErrorCode::Full,
                format!(
                    "the store has {size} bytes and its limit is {limit}; \
                     forget or erase events and call compact(), or raise size_limit_bytes"
                ),
            ));
        }
        Ok((size >= lifetime.quota_bytes).then(|| {
            format!(
                "the store has {size} bytes, more than its quota of {}; \
                 forget or erase events and call compact(), or raise quota_bytes",
                lifetime.quota_bytes
            )
        }))
    }
}

impl Memory {
    /// Forgets the events of every project that are older than their kind is
    /// kept (see [`MemoryBuilder::retention_ms`]). Without such a setting it
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
            total.tombstone = forgotten.tombstone.or(total.tombstone);
        }
        Ok(total)
    }
}
