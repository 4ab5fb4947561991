//! Learning: events and transcripts come in, quotes are aligned, tasks are resolved, and
//! knowledge is graduated and consolidated. The rules decide and store nothing: state comes
//! in through small traits, and decisions go out as values.

pub(crate) mod by_rules;
pub mod edges;
pub mod endless;
pub mod entries;
pub(crate) mod entry_search;
pub mod extraction_request;
pub mod history;
pub mod levels;
pub mod new_entry;
pub(crate) mod pins;
pub mod pipeline;
pub mod tasks;
pub(crate) mod working_set;
