//! Taking in what happened elsewhere and what was learned from it.

pub mod transcript;
