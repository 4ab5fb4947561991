//! Which events answer a question, in which order, and how likely each is right.

pub(super) mod candidate;
pub(super) mod cues;
pub(super) mod defined;
pub(super) mod demote;
pub(super) mod identifiers;
pub(super) mod lesson_status;
pub(super) mod levels;
pub(super) mod newer;
pub(super) mod planned;
pub(super) mod preferred;
pub(super) mod rank;
pub(super) mod recent;
pub(super) mod relevance;
pub(crate) mod retrieve;
pub(super) mod searching;
pub(super) mod sessions;
