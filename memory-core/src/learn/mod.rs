//! Learning: events and transcripts come in, quotes are aligned, tasks are
//! resolved, knowledge is graduated and consolidated. The rules here decide and
//! store nothing: state comes in through small traits, decisions go out as values.

pub(crate) mod accesses;
pub mod align;
pub mod books;
pub mod endless;
pub mod endless_mode;
pub mod entries;
pub(crate) mod entry_search;
pub mod extraction;
pub mod graduate;
pub mod graduation;
pub mod graph;
pub mod graph_queries;
pub mod import;
pub(crate) mod ingest;
pub mod knowledge;
pub mod ledgers;
pub mod pipeline;
pub mod task_queries;
pub mod tasks;
pub mod transcript;
