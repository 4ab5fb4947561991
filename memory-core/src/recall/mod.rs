//! Finding memories again and showing no more of them than helps.

pub(crate) mod cache;
pub mod citations;
pub mod context;
mod cues;
#[cfg(test)]
mod damage_test;
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
pub mod smart;
mod standing;
pub(crate) mod usage;
mod vector_graphs;
pub(crate) mod vector_index;
pub(crate) mod vectors;
pub mod weights;
pub(crate) mod windows;
