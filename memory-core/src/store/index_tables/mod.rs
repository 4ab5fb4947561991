//! The tables by which events and learned items are found, and the jobs that fill them.

pub(crate) mod calls;
pub(crate) mod embedding_versions;
pub(super) mod files;
pub(crate) mod learned;
pub(super) mod learned_rows;
pub(crate) mod learned_vectors;
pub(crate) mod learned_words;
pub(crate) mod lexical;
pub(crate) mod outbox;
pub(super) mod rows;
pub(crate) mod usage;
pub(crate) mod vectors;
pub(crate) mod word_files;
