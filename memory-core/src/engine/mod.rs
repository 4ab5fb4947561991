//! What the handles of one open memory share: the store, the indexes as this
//! process searches them, the privacy filter and the embedder.

pub(crate) mod embedding;
pub(crate) mod lexical;
pub(crate) mod vector_graphs;
pub(crate) mod vectors;
