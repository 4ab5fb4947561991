//! Events read step by step: what JavaScript's iterators pull from.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Events, Result};

use crate::cancel::{Cancel, NativeCancel, switch};
use crate::outcome::{Job, Outcome, now};
use crate::output::{self, NativeEvent};

/// A step ends when it holds so much content, however few its events are.
const STEP_BYTES: usize = 1 << 20;

/// A running read; `None` when it ended or was closed.
type Running = Mutex<Option<Events>>;

/// The running reads of one memory, which end when it is closed: each of them
/// would keep the store file open.
#[derive(Default)]
pub struct Cursors(Mutex<Vec<Weak<Running>>>);

impl Cursors {
    fn add(&self, running: &Arc<Running>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|cursor| cursor.strong_count() > 0);
        all.push(Arc::downgrade(running));
    }

    /// Ends every read. Waits for a step that a worker is in the middle of.
    pub fn close(&self) {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for running in all.iter().filter_map(Weak::upgrade) {
            *running.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

/// A running read of events. An empty step is the end.
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

fn step(events: &Running, count: u32, cancel: Option<&Cancel>) -> Result<Vec<NativeEvent>> {
    let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
    let mut read = Vec::new();
    let mut bytes = 0;
    let Some(running) = events.as_mut() else {
        return Ok(read);
    };
    while read.len() < count as usize && bytes < STEP_BYTES {
        if cancel.is_some_and(Cancel::is_cancelled) {
            break;
        }
        let Some(event) = running.next() else {
            *events = None;
            break;
        };
        let event = output::event(event?)?;
        bytes += event.content.len();
        read.push(event);
    }
    Ok(read)
}

#[napi]
impl NativeCursor {
    /// Up to `count` further events.
    #[napi(catch_unwind, ts_return_type = "Promise<Array<NativeEvent> | Failure>")]
    pub fn next(
        &self,
        count: u32,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<Vec<NativeEvent>>> {
        let events = Arc::clone(&self.events);
        let cancel = switch(cancel);
        let while_running = cancel.clone();
        AsyncTask::new(Job::new(Arc::clone(&self.poisoned), cancel, move || {
            step(&events, count, while_running.as_ref())
        }))
    }

    /// As `next`, blocking.
    #[napi(catch_unwind)]
    pub fn next_sync(&self, count: u32) -> Outcome<Vec<NativeEvent>> {
        now(&self.poisoned, || step(&self.events, count, None))
    }

    /// Ends the read and releases the store.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        if let Ok(mut events) = self.events.try_lock() {
            *events = None;
        }
    }
}
