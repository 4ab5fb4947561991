//! The indexes: the lexical one over the words of passages, and the vectors of
//! embedders. Everything here is derived from the log and can be rebuilt. Of the disk it
//! knows the side files alone, which are mapped and never change.

pub(crate) mod bytes;
pub(crate) mod lexical;
pub(crate) mod side_file;
pub(crate) mod vector;
