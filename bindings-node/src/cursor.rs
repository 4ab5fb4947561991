//! Reads events step by step, for JavaScript's iterators.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Events, Result};

use crate::cancel::{NativeCancel, switch};
use crate::convert::give_plain;
use crate::generated::NativeEvent;
use crate::outcome::{Job, Outcome, now};

/// A running read.
struct Running {
    /// `None` once it ended or was closed.
    events: Mutex<Option<Events>>,
    /// Whether it was closed, perhaps while a step has the lock: that step then lets it go.
    is_closed: AtomicBool,
}

impl Running {
    /// Releases the store, once a step in progress is done.
    fn end(&self) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The running reads of one memory, ended when it is closed: each of them would keep the
/// store file open.
#[derive(Default)]
pub struct Cursors(Mutex<Vec<Weak<Running>>>);

impl Cursors {
    fn add(&self, running: &Arc<Running>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|cursor| cursor.strong_count() > 0);
        all.push(Arc::downgrade(running));
    }

    /// Ends every read, waiting for a step in progress on a worker.
    pub fn close(&self) {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for running in all.iter().filter_map(Weak::upgrade) {
            running.end();
        }
    }
}

/// A running read of events. A step without an event is the end.
#[napi]
pub struct NativeCursor {
    running: Arc<Running>,
    poisoned: Arc<AtomicBool>,
}

impl NativeCursor {
    /// A cursor at the beginning of `events`.
    pub fn new(events: Events, cursors: &Cursors, poisoned: Arc<AtomicBool>) -> Self {
        let running = Arc::new(Running {
            events: Mutex::new(Some(events)),
            is_closed: AtomicBool::new(false),
        });
        cursors.add(&running);
        NativeCursor { running, poisoned }
    }
}

/// A single event: one that is read ahead may be erased before it is asked for.
fn step(running: &Running) -> Result<Option<NativeEvent>> {
    let mut events = running
        .events
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let next = events.as_mut().and_then(Iterator::next).transpose();
    if !matches!(next, Ok(Some(_))) {
        *events = None;
    }
    drop(events);
    // Looked at without the lock: whoever closes it later gets the lock.
    if running.is_closed.load(Ordering::SeqCst) {
        running.end();
    }
    give_plain(next?)
}

#[napi]
impl NativeCursor {
    /// The next event.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeEvent | null | Failure>")]
    pub fn next(&self, cancel: Option<&NativeCancel>) -> AsyncTask<Job<Option<NativeEvent>>> {
        let running = Arc::clone(&self.running);
        AsyncTask::new(Job::new(
            Some(Arc::clone(&self.poisoned)),
            switch(cancel),
            move || step(&running),
        ))
    }

    /// As `next`, blocking.
    #[napi(catch_unwind)]
    pub fn next_sync(&self) -> Outcome<Option<NativeEvent>> {
        now(Some(&self.poisoned), || step(&self.running))
    }

    /// Ends the read and releases the store; a step in progress, for which JavaScript does not
    /// wait, releases it at its end.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.running.is_closed.store(true, Ordering::SeqCst);
        if let Ok(mut events) = self.running.events.try_lock() {
            *events = None;
        }
    }
}
