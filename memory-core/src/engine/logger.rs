//! Passes log records to the program's function, never inside a transaction or with a lock
//! held.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::model::log_record::{LogLevel, LogRecord};

thread_local! {
    /// Whether this thread is inside the program's function: records of calls made there
    /// are dropped, so that the function never re-enters itself.
    static IS_TELLING: Cell<bool> = const { Cell::new(false) };
}

/// The part of the library that emits a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Open,
    Recall,
    Embed,
    Upkeep,
    Share,
}

impl Target {
    fn as_str(self) -> &'static str {
        match self {
            Target::Open => "open",
            Target::Recall => "recall",
            Target::Embed => "embed",
            Target::Upkeep => "upkeep",
            Target::Share => "share",
        }
    }
}

/// A count with its noun: "1 event", "2 events".
pub(crate) fn counted(count: u64, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

type Sink = Arc<dyn Fn(&LogRecord) + Send + Sync>;

/// The program's log function and its minimum level.
#[derive(Clone)]
pub(crate) struct Logger {
    /// Records below this level are not created.
    pub(crate) least: LogLevel,
    pub(crate) sink: Option<Sink>,
}

impl Default for Logger {
    fn default() -> Self {
        Logger {
            least: LogLevel::Info,
            sink: None,
        }
    }
}

impl fmt::Debug for Logger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logger")
            .field("least", &self.least)
            .finish_non_exhaustive()
    }
}

impl Logger {
    /// Emits a record. The message never contains stored text or a query.
    pub(crate) fn log(&self, level: LogLevel, target: Target, message: impl FnOnce() -> String) {
        let Some(sink) = self.sink.as_ref().filter(|_| level <= self.least) else {
            return;
        };
        if IS_TELLING.replace(true) {
            return;
        }
        let record = LogRecord {
            level,
            target: target.as_str().to_owned(),
            message: message(),
        };
        // A failing logger must not fail the operation being logged.
        let _ = catch_unwind(AssertUnwindSafe(|| sink(&record)));
        IS_TELLING.set(false);
    }

    pub(crate) fn warn(&self, target: Target, message: impl FnOnce() -> String) {
        self.log(LogLevel::Warn, target, message);
    }

    pub(crate) fn info(&self, target: Target, message: impl FnOnce() -> String) {
        self.log(LogLevel::Info, target, message);
    }

    pub(crate) fn debug(&self, target: Target, message: impl FnOnce() -> String) {
        self.log(LogLevel::Debug, target, message);
    }
}
