//! The progress of operations that may take long.

use std::sync::Arc;

use crate::model::read::words;

words! {
    /// An operation whose time grows with what is stored, that reports its [`Progress`] and
    /// can be stopped.
    Operation ("operation") {
        /// [`Memory::backup`](crate::Memory::backup); counts rows and events.
        Backup = "backup",
        /// [`Memory::check`](crate::Memory::check); counts events, once for each pass over
        /// the log.
        Check = "check",
        /// [`Memory::compact`](crate::Memory::compact); counts rows.
        Compact = "compact",
        /// [`Memory::erase`](crate::Memory::erase) and
        /// [`Sharing::erase_ordered`](crate::Sharing::erase_ordered); counts rows and events,
        /// once for each pass over the log.
        Erase = "erase",
        /// [`Memory::export_jsonl`](crate::Memory::export_jsonl); counts events.
        Export = "export",
        /// [`Memory::forget`](crate::Memory::forget) and
        /// [`Upkeep::apply_retention`](crate::Upkeep::apply_retention); counts events.
        Forget = "forget",
        /// [`Memory::import_jsonl`](crate::Memory::import_jsonl) and
        /// [`Memory::import_claude_code`](crate::Memory::import_claude_code); counts events,
        /// those of an export once when it is read and once when they are stored.
        Import = "import",
        /// [`Memory::maintain`](crate::Memory::maintain); counts steps and embedding jobs.
        Maintain = "maintain",
        /// [`Memory::process_outbox`](crate::Memory::process_outbox); counts jobs.
        ProcessOutbox = "process_outbox",
        /// [`Memory::rebuild`](crate::Memory::rebuild); counts rows and events, once for each
        /// pass over the log.
        Rebuild = "rebuild",
        /// [`Memory::restore_jsonl`](crate::Memory::restore_jsonl); counts events, once for
        /// each pass over the log.
        Restore = "restore",
    }
}

/// How far an operation has come; see
/// [`Memory::set_progress_handler`](crate::Memory::set_progress_handler).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The operation.
    pub operation: Operation,
    /// How much is done, in the units of the operation: 0 at its beginning, and never less
    /// than before.
    pub done: u64,
    /// How much there is to do, in the same units; `None` if that is not known. An estimate
    /// until the end, where it equals `done`.
    pub total: Option<u64>,
}

/// A function that is called with the progress of operations, and returns whether they continue;
/// see [`Memory::set_progress_handler`](crate::Memory::set_progress_handler).
pub type ProgressHandler = Arc<dyn Fn(&Progress) -> bool + Send + Sync>;
