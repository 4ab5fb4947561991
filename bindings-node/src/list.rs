//! Transfers long lists across the boundary in parts.
//!
//! JavaScript's thread creates the objects on both sides, and nothing else runs on it
//! meanwhile. So a list that may have a hundred thousand members is transferred in parts,
//! between which the event loop runs.

use std::sync::{Mutex, PoisonError};

use napi_derive::napi;
use recallite::{Appended, Event, Result};

use crate::convert::give_plain;
use crate::generated::{NativeAppended, NativeEvent, NativeNewEvent};
use crate::outcome::{Failure, Outcome};

/// The members of a list that were not taken yet.
struct Parts<T>(Mutex<std::vec::IntoIter<T>>);

impl<T> Parts<T> {
    fn new(all: Vec<T>) -> Self {
        Parts(Mutex::new(all.into_iter()))
    }

    fn take<V>(&self, count: u32, convert: impl Fn(T) -> Result<V>) -> Outcome<Vec<V>> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let part: Result<Vec<V>> = left.by_ref().take(count as usize).map(convert).collect();
        match part {
            Ok(part) => Outcome::A(part),
            Err(error) => Outcome::B(Failure::from(error)),
        }
    }
}

/// Events of a result, in its order.
#[napi]
pub struct NativeEvents(Parts<Event>);

impl NativeEvents {
    pub fn new(events: Vec<Event>) -> Self {
        NativeEvents(Parts::new(events))
    }
}

#[napi]
impl NativeEvents {
    /// The next events, at most `count`; none at the end.
    #[napi(catch_unwind)]
    pub fn take(&self, count: u32) -> Outcome<Vec<NativeEvent>> {
        self.0.take(count, give_plain)
    }
}

/// The receipts of a batch, in the order of its events.
#[napi]
pub struct NativeReceipts(Parts<Appended>);

impl NativeReceipts {
    pub fn new(receipts: Vec<Appended>) -> Self {
        NativeReceipts(Parts::new(receipts))
    }
}

#[napi]
impl NativeReceipts {
    /// The next receipts, at most `count`; none at the end.
    #[napi(catch_unwind)]
    pub fn take(&self, count: u32) -> Outcome<Vec<NativeAppended>> {
        self.0.take(count, give_plain)
    }
}

/// Events that are to be appended together.
#[napi]
pub struct NativeBatch {
    events: Mutex<Vec<NativeNewEvent>>,
}

#[napi]
impl NativeBatch {
    /// An empty batch.
    #[napi(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        NativeBatch {
            events: Mutex::default(),
        }
    }

    /// Adds events at the end.
    #[napi(catch_unwind)]
    pub fn push(&self, events: Vec<NativeNewEvent>) {
        self.lock().extend(events);
    }
}

impl NativeBatch {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<NativeNewEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was added.
    pub fn take(&self) -> Vec<NativeNewEvent> {
        std::mem::take(&mut *self.lock())
    }
}
