//! Writing: what a caller gives is checked, filtered and analysed, then stored in
//! one transaction with everything that is derived from it.

pub(crate) mod accesses;
pub mod import;
pub(crate) mod prepare;
pub mod transcript;
