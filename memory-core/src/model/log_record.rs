//! What a memory tells its program of what it does by itself.

use crate::model::read::words;

words! {
    /// How much a [`LogRecord`] matters, from what matters most on.
    LogLevel ("log_level") {
        /// Something was lost or cannot be used, and somebody has to act.
        Error = "error",
        /// An answer or a step was less than it could be.
        Warn = "warn",
        /// What upkeep and recovery did.
        Info = "info",
        /// The same, step by step.
        Debug = "debug",
    }
}

/// One line of what a memory tells of its work; see
/// [`MemoryBuilder::on_log`](crate::MemoryBuilder::on_log). It never holds stored text, a
/// question, or a name that a program gave.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogRecord {
    /// How much it matters.
    pub level: LogLevel,
    /// The part of the library that speaks: `open`, `recall`, `embed`,
    /// `upkeep`, `share`.
    pub target: String,
    /// A sentence, of one line, without a full stop.
    pub message: String,
}
