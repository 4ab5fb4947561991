//! Finding memories again and showing no more of them than helps.

pub mod disclose;
pub mod format;
pub mod scores;
