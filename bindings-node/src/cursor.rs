//! Reads events step by step, for JavaScript's iterators.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Events, Result};

use crate::cancel::{NativeCancel, switch};
use crate::convert::give_plain;
use crate::generated::NativeEvent;
use crate::outcome::{Job, Outcome, now};

/// A running read; `None` once it ended or was closed.
type Running = Mutex<Option<Events>>;

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
            *running.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

/// A running read of events. A step without an event is the end.
#[napi]
pub struct NativeCursor {
    events: Arc<Running>,
    poisoned: Arc<AtomicBool>,
}

impl NativeCursor {
    /// A cursor at the beginning of `events`.
    pub fn new(events: Events, cursors: &Cursors, poisoned: Arc<AtomicBool>) -> Self {
        let events = Arc::new(Mutex::new(Some(events)));
        cursors.add(&events);
        NativeCursor { events, poisoned }
    }
}

/// A single event: one that is read ahead may be erased before it is asked for.
fn step(events: &Running) -> Result<Option<NativeEvent>> {
    let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
    let next = events.as_mut().and_then(Iterator::next).transpose();
    if !matches!(next, Ok(Some(_))) {
        *events = None;
    }
    give_plain(next?)
}

#[napi]
impl NativeCursor {
    /// The next event.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeEvent | null | Failure>")]
    pub fn next(&self, cancel: Option<&NativeCancel>) -> AsyncTask<Job<Option<NativeEvent>>> {
        let events = Arc::clone(&self.events);
        AsyncTask::new(Job::new(
            Some(Arc::clone(&self.poisoned)),
            switch(cancel),
            move || step(&events),
        ))
    }

    /// As `next`, blocking.
    #[napi(catch_unwind)]
    pub fn next_sync(&self) -> Outcome<Option<NativeEvent>> {
        now(Some(&self.poisoned), || step(&self.events))
    }

    /// Ends the read and releases the store.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        if let Ok(mut events) = self.events.try_lock() {
            *events = None;
        }
    }
}
