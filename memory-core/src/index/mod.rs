//! The indexes. The lexical one: words of passages, soft matching between words, immutable
//! segments and the in-memory tail; and the vectors of embedders. Everything here is derived from the log and
//! can be rebuilt; nothing here touches the disk itself.

pub mod analyser;
mod ascii;
pub mod block;
pub(crate) mod bytes;
pub mod filter;
pub mod forward;
pub(crate) mod gather;
pub(crate) mod inverted;
pub mod kernels;
pub mod lexical;
pub mod merge;
pub mod passages;
pub(crate) mod scorer;
pub mod segment;
pub mod segment_writer;
pub mod soft;
mod stemmer;
pub mod tail;
pub(crate) mod vector;

#[cfg(test)]
mod model_test;
