//! The rows that folds of the log write, and which folds touched them.

pub(crate) mod copied_rows;
pub(super) mod layers;
pub(crate) mod projected;
pub(crate) mod row_digest;
pub(super) mod row_kind;
pub(crate) mod touches;
