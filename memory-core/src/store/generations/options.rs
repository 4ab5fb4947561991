//! How a store is opened.

use std::time::Duration;

/// How a store is opened.
#[derive(Clone, Debug)]
pub(crate) struct StoreOptions {
    pub(crate) create: bool,
    pub(crate) exclusive: bool,
    pub(crate) cache_bytes: usize,
    pub(crate) busy_timeout: Duration,
    pub(crate) allow_network_folder: bool,
}
