//! Learns from events: ingests transcripts, aligns quotes, resolves tasks, and graduates and
//! consolidates knowledge. The decisions are made by [`crate::rules`], which stores nothing.

pub(crate) mod by_rules;
pub mod edges;
pub mod endless;
pub mod entries;
pub(crate) mod entry_search;
pub mod extraction_request;
pub mod history;
mod known;
mod late;
pub mod levels;
mod namesakes;
pub mod new_entry;
pub(crate) mod pins;
pub mod pipeline;
mod speaker;
pub(crate) mod task_records;
mod task_times;
pub mod tasks;
mod unread;
pub(crate) mod working_set;
