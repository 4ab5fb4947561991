//! Learning: events and transcripts come in, quotes are aligned, tasks are
//! resolved, knowledge is graduated and consolidated. The rules here decide and
//! store nothing: state comes in through small traits, decisions go out as values.

pub mod align;
pub mod endless;
pub mod entries;
pub mod extraction;
pub mod graduate;
pub mod graph;
pub mod import;
pub(crate) mod ingest;
pub mod ledgers;
pub mod tasks;
pub mod transcript;
