//! Pure functions and state machines that make the decisions for learning, recall and the
//! projections, and store nothing. State comes in as arguments or through small traits;
//! decisions are returned as values.
//!
//! They follow a specification. `docs/specification.md` in the repository lists where they
//! differ, and how to get the specified form.

pub(crate) mod advice;
pub mod align;
pub(crate) mod asking;
pub(crate) mod batch_size;
pub mod disclosure;
pub(crate) mod doc_comments;
pub mod endless;
pub mod entries;
pub(crate) mod first_person;
pub mod format;
pub mod graph;
pub mod history;
pub(crate) mod identifiers;
pub mod levels;
pub mod matching;
pub(crate) mod message;
pub mod model_answer;
pub mod outbox;
pub(crate) mod pattern;
pub mod plain;
pub(crate) mod relevance;
pub mod small_talk;
pub(crate) mod statements;
pub mod tasks;
pub(crate) mod times;
