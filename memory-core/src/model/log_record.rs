//! What a memory reports to its program about its own work.

use crate::model::read::words;

words! {
    /// The severity of a [`LogRecord`], most severe first.
    LogLevel ("log_level") {
        /// Something was lost or cannot be used, and somebody has to act.
        Error = "error",
        /// An answer or a step was not as good as it could be.
        Warn = "warn",
        /// What upkeep and recovery did.
        Info = "info",
        /// The same, in detail.
        Debug = "debug",
    }
}

/// One line that a memory reports about its work; see
/// [`MemoryBuilder::on_log`](crate::MemoryBuilder::on_log). It never contains stored text,
/// a question, or a name that a program gave.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogRecord {
    /// How severe it is.
    pub level: LogLevel,
    /// The part of the library that reports it: `open`, `recall`, `embed`, `upkeep` or
    /// `share`.
    pub target: String,
    /// The message: one sentence on one line, without a full stop.
    pub message: String,
}
