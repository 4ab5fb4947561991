//! What is shown of the answers: hits, layers, contexts within a token budget, and events by their
//! names.

pub mod citations;
pub(crate) mod compose;
pub mod context;
pub(super) mod hits;
pub(super) mod known;
pub mod layers;
pub mod pins;
pub(crate) mod read;
pub mod smart;
pub(crate) mod visit;
