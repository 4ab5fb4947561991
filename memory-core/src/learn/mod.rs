//! Taking in what happened elsewhere and what was learned from it.

pub mod align;
pub mod graph;
pub mod transcript;
