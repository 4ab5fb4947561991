//! Deferred work: bounded steps that the host or an ordinary call runs. Nothing here starts a
//! thread.

pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod embed;
pub(crate) mod erase;
mod erasure_targets;
pub(crate) mod export;
pub(crate) mod export_file;
pub(crate) mod files;
pub(crate) mod follow;
pub(crate) mod forget;
pub(crate) mod import;
pub(crate) mod jsonl;
pub(crate) mod maintain;
mod next_generation;
pub(crate) mod provenance;
pub(crate) mod rebuild;
pub(crate) mod replay;
pub(crate) mod retention;
pub(crate) mod select;
pub(crate) mod stats;
pub(crate) mod words;

use std::time::Duration;

/// How long an operation waits for another process that writes side files.
pub(crate) const TURN_WAIT: Duration = Duration::from_secs(1);
