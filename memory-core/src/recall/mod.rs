//! Finding memories again and showing no more of them than helps.

pub(crate) mod cache;
pub mod citations;
pub mod context;
mod cues;
#[cfg(test)]
mod damage_test;
pub mod layers;
mod relevance;
mod retrieve;
pub mod smart;
mod standing;
pub(crate) mod usage;
