//! The rules: pure functions and state machines that decide and store nothing.
//! State comes in as arguments or through small traits, decisions go out as
//! values. Learning, recall and the projections all decide by them.

pub mod align;
pub(crate) mod asking;
pub mod disclosure;
pub mod endless;
pub mod entries;
pub(crate) mod extract;
pub mod extraction;
pub mod format;
pub mod graph;
pub mod history;
pub(crate) mod identifiers;
pub mod levels;
pub mod matching;
pub mod outbox;
pub(crate) mod pattern;
pub(crate) mod relevance;
pub mod tasks;
pub(crate) mod times;
