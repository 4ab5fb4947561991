//! The indexes: a lexical one over the words of passages, and a vector one over their embeddings.
//! Both are derived from the log and can be rebuilt. The only files they use are the side files,
//! which are immutable and mmapped.

pub(crate) mod bytes;
pub(crate) mod lexical;
pub(crate) mod side_file;
pub(crate) mod vector;
