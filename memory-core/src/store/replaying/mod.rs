//! Replaying the log into another file, and comparing a store with it.

pub(crate) mod compare;
pub(super) mod copied_words;
pub(crate) mod difference;
pub(super) mod hidden;
pub(crate) mod replay;
pub(super) mod replay_input;
pub(super) mod replayed_words;
pub(super) mod salvage;
