//! The log: the bytes of its records, appending, reading, scanning, and deletion.

pub(crate) mod append;
pub(crate) mod dedupe;
pub(crate) mod event_view;
pub(super) mod join;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod scan;
pub(crate) mod session;
pub(crate) mod spool;
pub(crate) mod tombstone;
