//! Finds memories and shows no more of them than helps.

mod by_time;
mod candidate;
pub mod citations;
pub(crate) mod compose;
mod contested;
pub mod context;
mod cues;
#[cfg(test)]
mod damage_test;
mod defined;
mod demote;
mod given;
mod hits;
mod identifiers;
mod known;
pub mod layers;
pub(crate) mod learned;
mod levels;
mod named;
mod narrowing;
pub mod pins;
mod planned;
pub(crate) mod prepared;
pub(crate) mod present;
mod rank;
pub(crate) mod read;
mod relevance;
mod resolved;
pub(crate) mod retrieve;
mod searching;
pub mod smart;
pub(crate) mod visit;
#[cfg(test)]
mod weights_test;
