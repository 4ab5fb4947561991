//! Enforces the retention and size limits that the opener chose.

use std::collections::BTreeMap;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;

/// Default size above which a store warns: 500 MB, as in the specification.
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

impl Lifetime {
    /// The warning for receipts if a store of this size is large, or the error if it has
    /// reached its limit.
    pub(super) fn check_space(&self, size: u64) -> Result<Option<String>> {
        if let Some(limit) = self.limit_bytes
            && size >= limit
        {
            return Err(Error::new(
                ErrorCode::Full,
                format!(
                    "the store has {size} bytes and its limit is {limit}; \
                     forget or erase events and call compact(), or raise `size_limit_bytes`"
                ),
            ));
        }
        Ok((size >= self.quota_bytes).then(|| {
            format!(
                "the store has {size} bytes, more than its quota of {}; \
                 forget or erase events and call compact(), or raise `quota_bytes`",
                self.quota_bytes
            )
        }))
    }
}
