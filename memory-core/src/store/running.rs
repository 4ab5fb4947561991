//! A long operation while it runs: it counts its progress, tells it to the program, and has
//! checkpoints at which it can be stopped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::progress::{Operation, Progress, ProgressHandler};

/// The least time between two calls of a progress handler, except the first and the last.
const INTERVAL: Duration = Duration::from_millis(50);
/// Rows between two looks at the time, which costs as much as copying a row.
const ROWS: u64 = 256;

/// Starts the operations of one memory, and interrupts those that run.
#[derive(Default)]
pub(crate) struct Operations {
    handler: Mutex<Option<ProgressHandler>>,
    /// How often operations were interrupted.
    interrupts: Arc<AtomicU64>,
    /// Whether every row is a checkpoint, and every checkpoint tells the progress.
    #[cfg(test)]
    pub(crate) is_eager: std::sync::atomic::AtomicBool,
}

impl Operations {
    pub(crate) fn set_handler(&self, handler: Option<ProgressHandler>) {
        let before = std::mem::replace(&mut *self.handler.lock(), handler);
        // It may own anything, so it is dropped without the lock.
        drop(before);
    }

    /// Stops every operation that runs now.
    pub(crate) fn interrupt(&self) {
        self.interrupts.fetch_add(1, Ordering::AcqRel);
    }

    /// Begins an operation.
    ///
    /// # Errors
    /// As [`Running::checkpoint`].
    pub(crate) fn begin(&self, operation: Operation) -> Result<Running> {
        let state = State {
            operation,
            handler: self.handler.lock().clone(),
            interrupts: self.interrupts.clone(),
            interrupts_before: self.interrupts.load(Ordering::Acquire),
            done: AtomicU64::new(0),
            total: AtomicU64::new(UNKNOWN),
            rows: AtomicU64::new(0),
            reported: Mutex::new(Instant::now()),
            interval: self.interval(),
        };
        state.report()?;
        Ok(Running {
            state: Some(Arc::new(state)),
            is_unstoppable: false,
        })
    }

    #[cfg(not(test))]
    fn interval(&self) -> Duration {
        INTERVAL
    }

    #[cfg(test)]
    fn interval(&self) -> Duration {
        match self.is_eager.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => INTERVAL,
        }
    }
}

/// The total of an operation that does not know it.
const UNKNOWN: u64 = u64::MAX;

/// A running operation. The default one tells nothing and is never stopped: it is for short
/// work, and for steps that must be completed once they have begun.
#[derive(Clone, Default)]
pub(crate) struct Running {
    state: Option<Arc<State>>,
    is_unstoppable: bool,
}

/// Only the thread of the operation changes it, so plain loads and stores are enough.
struct State {
    operation: Operation,
    handler: Option<ProgressHandler>,
    interrupts: Arc<AtomicU64>,
    /// Their number when the operation began.
    interrupts_before: u64,
    done: AtomicU64,
    total: AtomicU64,
    /// Rows since the beginning.
    rows: AtomicU64,
    /// When the handler was last called.
    reported: Mutex<Instant>,
    interval: Duration,
}

impl Running {
    /// Counts a row, of which there are very many.
    ///
    /// # Errors
    /// As [`Running::checkpoint`].
    #[inline]
    pub(crate) fn count_row(&self) -> Result<()> {
        if let Some(state) = &self.state {
            add(&state.done, 1);
        }
        self.tick()
    }

    /// Like [`Running::count_row`], but counts nothing.
    ///
    /// # Errors
    /// As [`Running::checkpoint`].
    #[inline]
    pub(crate) fn tick(&self) -> Result<()> {
        match &self.state {
            Some(state) if state.is_due() => self.checkpoint(),
            _ => Ok(()),
        }
    }

    /// Counts events or other larger units.
    ///
    /// # Errors
    /// As [`Running::checkpoint`].
    pub(crate) fn count_units(&self, units: u64) -> Result<()> {
        if let Some(state) = &self.state {
            add(&state.done, units);
        }
        self.checkpoint()
    }

    /// A checkpoint. The program is called, so no transaction of the live store should be open
    /// for writing.
    ///
    /// # Errors
    /// `interrupted` if the operation was stopped; `callback` if the handler panicked.
    pub(crate) fn checkpoint(&self) -> Result<()> {
        match &self.state {
            Some(state) if self.is_unstoppable => {
                if state.is_told_again() {
                    let _ = state.call();
                }
                Ok(())
            }
            Some(state) => state.checkpoint(),
            None => Ok(()),
        }
    }

    /// Sets how much is left to do.
    pub(crate) fn set_total(&self, units: u64) {
        if let Some(state) = &self.state {
            let total = state.done.load(Ordering::Relaxed).saturating_add(units);
            state.total.store(total, Ordering::Relaxed);
        }
    }

    /// The same for work that must be completed: it tells its progress, but is not stopped.
    pub(crate) fn unstoppable(&self) -> Running {
        Running {
            state: self.state.clone(),
            is_unstoppable: true,
        }
    }

    /// Tells that the operation has succeeded. It cannot be stopped any more.
    pub(crate) fn end(&self) {
        if let Some(state) = &self.state {
            let total = state.total.load(Ordering::Relaxed);
            let mut done = state.done.load(Ordering::Relaxed);
            if total != UNKNOWN {
                done = done.max(total);
            }
            state.done.store(done, Ordering::Relaxed);
            state.total.store(done, Ordering::Relaxed);
            let _ = state.call();
        }
    }
}

fn add(number: &AtomicU64, more: u64) {
    number.store(number.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}

impl State {
    /// Counts a row. Whether it is time for a checkpoint.
    #[inline]
    fn is_due(&self) -> bool {
        let rows = self.rows.load(Ordering::Relaxed) + 1;
        self.rows.store(rows, Ordering::Relaxed);
        rows.is_multiple_of(ROWS) || cfg!(test) && self.interval.is_zero()
    }

    /// Whether it is time to call the handler.
    fn is_told_again(&self) -> bool {
        self.handler.is_some() && self.reported.lock().elapsed() >= self.interval
    }

    fn checkpoint(&self) -> Result<()> {
        if self.interrupts.load(Ordering::Acquire) != self.interrupts_before {
            return Err(self.interrupted("it was interrupted"));
        }
        match self.is_told_again() {
            true => self.report(),
            false => Ok(()),
        }
    }

    /// Calls the handler.
    fn report(&self) -> Result<()> {
        if !self.call()? {
            return Err(self.interrupted("its progress handler stopped it"));
        }
        // The handler may have interrupted it.
        if self.interrupts.load(Ordering::Acquire) != self.interrupts_before {
            return Err(self.interrupted("it was interrupted"));
        }
        Ok(())
    }

    fn call(&self) -> Result<bool> {
        let Some(handler) = &self.handler else {
            return Ok(true);
        };
        let done = self.done.load(Ordering::Relaxed);
        let total = self.total.load(Ordering::Relaxed);
        let progress = Progress {
            operation: self.operation,
            done: done.min(total),
            total: (total != UNKNOWN).then_some(total),
        };
        let called = catch_unwind(AssertUnwindSafe(|| handler(&progress)));
        *self.reported.lock() = Instant::now();
        called.map_err(|_| Error::new(ErrorCode::Callback, "the progress handler panicked"))
    }

    #[cold]
    fn interrupted(&self, why: &str) -> Error {
        let operation = self.operation.as_str();
        Error::new(
            ErrorCode::Interrupted,
            format!("{operation} did not finish: {why}; call it again"),
        )
    }
}
