//! The rows that folds of the log write, and which folds touched them.

pub(crate) mod projected;
pub(super) mod row_kind;
pub(crate) mod touches;
