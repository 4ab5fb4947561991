//! Long-lived handles: memories and cursors.
//!
//! A handle is a number in the form of a pointer, never an address. Handles are looked up
//! in a table and never reused, so a freed handle, a handle of another type and a wild
//! pointer are recognised, and freeing a handle while another thread uses it is safe.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use recallite::{Error, ErrorCode, Event, Events, Memory, Result};

use crate::call::{Panicked, catch, panic_error};
use crate::error::Failure;

/// The next handle, shared by all types. Handles are multiples of 16, so that they look
/// aligned; the first page is skipped, as for NULL.
static NEXT: AtomicUsize = AtomicUsize::new(4096);

/// The live handles of one type.
pub(crate) struct Handles<T> {
    type_name: &'static str,
    live: RwLock<BTreeMap<usize, Arc<T>>>,
}

pub(crate) static MEMORIES: Handles<MemoryHandle> = Handles::new("recallite_memory");
pub(crate) static CURSORS: Handles<CursorHandle> = Handles::new("recallite_event_cursor");

impl<T> Handles<T> {
    const fn new(type_name: &'static str) -> Self {
        Handles {
            type_name,
            live: RwLock::new(BTreeMap::new()),
        }
    }

    pub(crate) fn add(&self, value: T) -> Result<*mut c_void> {
        let number = NEXT
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_add(16))
            .map_err(|_| Error::new(ErrorCode::Full, "this process has run out of handles"))?;
        self.live
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(number, Arc::new(value));
        Ok(std::ptr::without_provenance_mut(number))
    }

    pub(crate) fn get(&self, argument: &str, handle: *const c_void) -> Result<Arc<T>> {
        if handle.is_null() {
            return Err(Error::invalid(argument, "must not be NULL"));
        }
        self.live
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&handle.addr())
            .cloned()
            .ok_or_else(|| {
                Error::invalid(
                    argument,
                    format_args!("is not a live {} (was it freed?)", self.type_name),
                )
            })
    }

    /// Removes a handle from the table; `None` if it is not there.
    pub(crate) fn remove(&self, handle: *const c_void) -> Option<Arc<T>> {
        self.live
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&handle.addr())
    }
}

/// The state behind a `recallite_memory`.
pub(crate) struct MemoryHandle {
    pub(crate) memory: Memory,
    /// Set by a panic: parts of the library may be in a half-changed state.
    is_poisoned: Arc<AtomicBool>,
    /// The folder and the project, each followed by a zero byte.
    pub(crate) path: String,
    pub(crate) project: String,
}

/// The state behind a `recallite_event_cursor`.
pub(crate) struct CursorHandle {
    memory: Memory,
    events: Mutex<Events>,
    is_poisoned: Arc<AtomicBool>,
}

impl MemoryHandle {
    pub(crate) fn new(memory: Memory) -> Self {
        let terminated = |text: &str| format!("{text}\0");
        MemoryHandle {
            path: terminated(&memory.path().to_string_lossy()),
            project: terminated(memory.project()),
            is_poisoned: Arc::default(),
            memory,
        }
    }

    pub(crate) fn cursor(&self, events: Events) -> CursorHandle {
        CursorHandle {
            memory: self.memory.clone(),
            events: Mutex::new(events),
            is_poisoned: Arc::clone(&self.is_poisoned),
        }
    }

    pub(crate) fn is_poisoned(&self) -> bool {
        self.is_poisoned.load(Ordering::Acquire)
    }

    pub(crate) fn run<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T, Failure> {
        run(&self.is_poisoned, body)
    }
}

impl CursorHandle {
    /// The next event; `closed` in every step after the memory was closed.
    pub(crate) fn next(&self) -> Result<Option<Event>> {
        if !self.memory.is_open() {
            return Err(Error::new(
                ErrorCode::Closed,
                "the memory was closed; free the cursor",
            ));
        }
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.next().transpose()
    }

    pub(crate) fn run<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T, Failure> {
        run(&self.is_poisoned, body)
    }
}

/// Runs `body` unless the handle is poisoned; poisons it if `body` panics.
fn run<T>(is_poisoned: &AtomicBool, body: impl FnOnce() -> Result<T>) -> Result<T, Failure> {
    if is_poisoned.load(Ordering::Acquire) {
        return Err(Error::new(
            ErrorCode::Poisoned,
            "an earlier defect left this handle unusable; free it and open the store again",
        )
        .into());
    }
    match catch(body) {
        Ok(outcome) => outcome.map_err(Failure::from),
        Err(Panicked) => {
            is_poisoned.store(true, Ordering::Release);
            Err(Failure {
                error: panic_error("free the handle and open the store again"),
                is_poisoning: true,
            })
        }
    }
}
