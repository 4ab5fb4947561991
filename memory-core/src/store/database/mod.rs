//! The storage engine and the file under it: pages with checksums, locks, and damage that becomes
//! an error.

pub(super) mod backend;
pub(crate) mod checked;
pub(super) mod error;
pub(super) mod open_files;
pub(super) mod pages;
pub(super) mod panics;
pub(super) mod sorted;
pub(super) mod watched;
pub(super) mod writer_queue;
