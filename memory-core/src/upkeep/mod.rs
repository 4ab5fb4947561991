//! Deferred work: bounded steps that the host or an ordinary call runs. Nothing here starts a
//! thread.

mod anew;
pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod embed;
pub(crate) mod erase;
pub(crate) mod export;
pub(crate) mod files;
pub(crate) mod follow;
pub(crate) mod forget;
pub(crate) mod import;
pub(crate) mod jsonl;
pub mod maintain;
pub(crate) mod provenance;
pub(crate) mod rebuild;
pub(crate) mod retention;
mod rooms;
pub(crate) mod select;
pub(crate) mod stats;
pub(crate) mod words;
