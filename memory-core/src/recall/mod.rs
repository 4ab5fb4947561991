//! Finding memories again and showing no more of them than helps.

mod cues;
pub mod disclose;
pub mod format;
pub(crate) mod index;
pub mod layers;
pub mod query;
mod relevance;
mod retrieve;
pub mod scores;
pub(crate) mod searchable;
mod semantic;
pub(crate) mod vector_index;
pub(crate) mod vectors;
pub(crate) mod windows;
