//! Pure functions and state machines that make the decisions for learning, recall and the
//! projections, and store nothing. State comes in as arguments or through small traits;
//! decisions are returned as values.

pub mod align;
pub(crate) mod asking;
pub mod disclosure;
pub mod endless;
pub mod entries;
pub(crate) mod extract;
pub mod extraction;
pub(crate) mod first_person;
pub mod format;
pub mod graph;
pub mod history;
pub(crate) mod identifiers;
pub mod levels;
pub mod matching;
pub mod outbox;
pub(crate) mod pattern;
pub(crate) mod relevance;
pub(crate) mod slice;
pub mod tasks;
pub(crate) mod times;
