//! Learns from events: ingests transcripts, aligns quotes, resolves tasks, and graduates and
//! consolidates knowledge. The decisions are made by [`crate::rules`], which stores nothing.

pub(crate) mod by_rules;
pub(crate) mod edges;
pub(crate) mod endless;
pub(crate) mod entries;
pub(crate) mod entry_search;
pub(crate) mod extraction_request;
pub(crate) mod history;
mod known;
mod late;
pub(crate) mod levels;
mod namesakes;
pub(crate) mod new_entry;
pub(crate) mod pins;
pub(crate) mod pipeline;
mod speaker;
pub(crate) mod task_records;
mod task_times;
pub(crate) mod tasks;
mod unread;
pub(crate) mod working_set;
