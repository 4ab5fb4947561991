//! Lets the TypeScript layer cancel a call on a worker.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use napi_derive::napi;

const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const CANCELLED: u8 = 2;

/// The state of one call: waiting, started or cancelled.
#[derive(Clone, Default)]
pub struct Cancel(Arc<AtomicU8>);

impl Cancel {
    /// Called by the worker before it runs the call; false if it must not.
    pub fn begin(&self) -> bool {
        self.0
            .compare_exchange(WAITING, BEGUN, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Whether a started call was asked to end early.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire) == CANCELLED
    }
}

thread_local! {
    /// That of the call that this thread runs.
    static OF_THIS_CALL: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Runs a call, for which [`is_this_call_cancelled`] asks.
pub fn cancellable<T>(cancel: Option<&Cancel>, call: impl FnOnce() -> T) -> T {
    OF_THIS_CALL.set(cancel.cloned());
    let result = call();
    OF_THIS_CALL.set(None);
    result
}

/// Whether the call that this thread runs was asked to end early.
pub fn is_this_call_cancelled() -> bool {
    OF_THIS_CALL.with_borrow(|cancel| cancel.as_ref().is_some_and(Cancel::is_cancelled))
}

/// Cancels one call.
#[napi]
pub struct NativeCancel {
    inner: Cancel,
}

#[napi]
impl NativeCancel {
    /// A switch for one call.
    #[napi(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        NativeCancel {
            inner: Cancel::default(),
        }
    }

    /// Cancels the call. True when it had not begun, and so never will.
    #[napi]
    pub fn cancel(&self) -> bool {
        self.inner.0.swap(CANCELLED, Ordering::AcqRel) == WAITING
    }
}

/// The cancellation state behind an optional argument.
pub fn switch(cancel: Option<&NativeCancel>) -> Option<Cancel> {
    cancel.map(|cancel| cancel.inner.clone())
}
