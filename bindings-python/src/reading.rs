//! Running reads of the store, and letting go of it.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;

use crate::failure::closed;

/// A running read of events, by Python's iterator or as Arrow batches.
pub(crate) struct Reading {
    left: Mutex<Left>,
    process: u32,
}

/// What is left to read.
enum Left {
    Events(Box<recallite::Events>),
    /// After the end or an error, so that the store is released early.
    Nothing,
    /// The memory was closed before the end.
    Closed,
}

impl Reading {
    pub(crate) fn new(events: recallite::Events) -> Arc<Self> {
        Arc::new(Reading {
            left: Mutex::new(Left::Events(Box::new(events))),
            process: std::process::id(),
        })
    }

    pub(crate) fn step(&self) -> recallite::Result<Option<recallite::Event>> {
        // In a forked child the lock may be held by a thread that does not exist.
        if self.process != std::process::id() {
            return Err(recallite::Error::new(
                recallite::ErrorCode::NeedsReopen,
                "the process was forked after the memory was opened; open it again in the child",
            ));
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let step = match &mut *left {
            Left::Events(events) => events.next().transpose(),
            Left::Nothing => Ok(None),
            Left::Closed => Err(closed()),
        };
        if !matches!(step, Ok(Some(_))) {
            *left = Left::Nothing;
        }
        step
    }

    /// Ends the read as if nothing were left and releases the store, once a step in progress is
    /// done. Does nothing in a forked child, which may hold a lock that nobody gives back.
    pub(crate) fn end(&self) {
        if self.process != std::process::id() {
            return;
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left = Left::Nothing;
    }

    /// Ends the read with an error and releases the store, once a step in progress is done.
    pub(crate) fn close(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*left, Left::Events(_)) {
            *left = Left::Closed;
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Left::Events(events) = mem::replace(left, Left::Nothing) {
            let_go(events, self.process);
        }
    }
}

/// Drops what may be the last to hold a store of the process `process`, which closes the
/// store's file: with the interpreter detached, because that writes. A forked child leaks
/// it: it must not write to the parent's file or release the parent's locks.
pub(crate) fn let_go<T: Send>(held: T, process: u32) {
    if process != std::process::id() {
        mem::forget(held);
        return;
    }
    let mut held = Some(held);
    // While the interpreter ends, it cannot be detached.
    Python::try_attach(|py| py.detach(|| drop(held.take())));
}
