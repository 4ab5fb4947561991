//! What is shown of the answers: hits, layers, contexts within a token budget, and events by their
//! names.

pub(crate) mod citations;
pub(crate) mod compose;
pub(crate) mod context;
pub(super) mod hits;
pub(super) mod known;
pub(crate) mod layers;
pub(crate) mod pins;
pub(crate) mod read;
pub(crate) mod smart;
pub(crate) mod visit;
