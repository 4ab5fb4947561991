//! The lexical index: finds passages by their words and by similar words, in immutable segments and
//! a memtable of the newest events. The only files it uses are those of large segments.

pub mod analyser;
pub(crate) mod ascii;
pub(crate) mod batch_inverter;
pub mod block;
pub mod expansion;
pub(crate) mod file;
pub mod filter;
pub mod forward;
pub(crate) mod id_table;
pub(crate) mod inverted;
pub(crate) mod layout;
pub(crate) mod leaf;
pub(crate) mod matches;
pub mod memtable;
pub mod merge;
#[cfg(test)]
pub(crate) mod model_test;
pub mod passages;
pub(crate) mod pool;
#[cfg(test)]
mod pruning_test;
pub(crate) mod scorer;
pub mod search;
pub(crate) mod searchable;
pub mod segment;
pub(crate) mod segment_info;
pub mod segment_writer;
pub(crate) mod semantic;
pub(crate) mod stemmer;
pub(crate) mod term;
