//! The indexes: the lexical one over the words of passages, and the vectors of
//! embedders. Everything here is derived from the log and can be rebuilt; nothing
//! here touches the disk itself.

pub(crate) mod bytes;
pub(crate) mod lexical;
pub(crate) mod vector;
