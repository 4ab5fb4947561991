//! Finding memories again and showing no more of them than helps.

pub mod citations;
mod contested;
pub mod context;
mod cues;
#[cfg(test)]
mod damage_test;
pub mod layers;
pub(crate) mod learned;
pub(crate) mod read;
mod relevance;
pub(crate) mod retrieve;
pub mod smart;
