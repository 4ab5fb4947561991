//! Derived, rebuildable indexes over the log.

pub(crate) mod vector;
