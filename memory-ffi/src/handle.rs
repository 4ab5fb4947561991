//! Long-lived handles: memories and cursors.
//!
//! A handle is a number in the form of a pointer, never an address. Handles are looked up
//! in tables and never reused, so a freed handle, a handle of another type and a wild
//! pointer are recognised, and freeing a handle while another thread uses it is safe.
//!
//! After `fork`, the child has the parent's memory but none of its other threads. One of
//! them may have held the lock of a table, which then stays locked in the child for ever. So
//! each process has tables of its own, and a child never touches those of its parent.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use recallite::{Error, ErrorCode, Event, Events, Memory, Result};

use crate::error::Failure;
use crate::panics::{Panicked, catch, panic_error};

/// A memory: a searchable log of events, kept in one folder.
///
/// Every thread can use a handle at any time, even while another thread closes or frees it.
/// Several processes can have the same folder open. After fork(), the child must open the
/// memory itself.
pub struct recallite_memory {
    _opaque: [u8; 0],
}

/// The first handle: the first page is skipped, as for NULL.
const FIRST: usize = 4096;

/// The next handle, shared by all types. Handles are multiples of 16, so that they look
/// aligned.
static NEXT: AtomicUsize = AtomicUsize::new(FIRST);

/// The live handles of one type.
type Live<T> = RwLock<BTreeMap<usize, Arc<T>>>;

/// The live handles of one process.
struct Process {
    id: u32,
    /// The smallest handle of this process; smaller ones are those of its ancestors.
    first: usize,
    /// Not to be touched; it shows leak checkers that nothing is lost.
    _ancestor: Option<&'static Process>,
    memories: Live<MemoryHandle>,
    cursors: Live<CursorHandle>,
}

/// The tables of the process that made the latest call. They are never freed: those of a
/// child's ancestors hold stores that the child must not close.
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(null_mut());

impl Process {
    /// The tables of the process `id`, which are new after a fork.
    fn of(id: u32, latest: &AtomicPtr<Process>) -> &'static Process {
        let known = latest.load(Ordering::Acquire);
        // SAFETY: NULL or from `Box::into_raw` below, and never freed.
        let process = unsafe { known.as_ref() };
        if let Some(process) = process.filter(|process| process.id == id) {
            return process;
        }
        let new = Box::into_raw(Box::new(Process {
            id,
            first: NEXT.load(Ordering::Relaxed),
            _ancestor: process,
            memories: RwLock::default(),
            cursors: RwLock::default(),
        }));
        match latest.compare_exchange(known, new, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: it is never freed.
            Ok(_) => unsafe { &*new },
            Err(_) => {
                // SAFETY: it was not published, so nobody else has it.
                drop(unsafe { Box::from_raw(new) });
                Process::of(id, latest)
            }
        }
    }

    fn this() -> &'static Process {
        Process::of(std::process::id(), &PROCESS)
    }
}

/// The handles of one type.
pub(crate) struct Handles<T: 'static> {
    type_name: &'static str,
    live: fn(&Process) -> &Live<T>,
}

pub(crate) static MEMORIES: Handles<MemoryHandle> = Handles {
    type_name: "recallite_memory",
    live: |process| &process.memories,
};
pub(crate) static CURSORS: Handles<CursorHandle> = Handles {
    type_name: "recallite_event_cursor",
    live: |process| &process.cursors,
};

impl<T> Handles<T> {
    pub(crate) fn add(&self, value: T) -> Result<*mut c_void> {
        // First: it reads the next handle.
        let process = Process::this();
        let number = NEXT
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_add(16))
            .map_err(|_| Error::new(ErrorCode::Full, "this process has run out of handles"))?;
        (self.live)(process)
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(number, Arc::new(value));
        Ok(std::ptr::without_provenance_mut(number))
    }

    pub(crate) fn get(&self, argument: &str, handle: *const c_void) -> Result<Arc<T>> {
        if handle.is_null() {
            return Err(Error::invalid(argument, "must not be NULL"));
        }
        let process = Process::this();
        let live = (self.live)(process)
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = live.get(&handle.addr()) {
            return Ok(Arc::clone(found));
        }
        if (FIRST..process.first).contains(&handle.addr()) {
            return Err(Error::new(
                ErrorCode::NeedsReopen,
                "the process was forked after the handle was made; open the store again in the \
                 child",
            ));
        }
        Err(Error::invalid(
            argument,
            format_args!("is not a live {} (was it freed?)", self.type_name),
        ))
    }

    /// Removes a handle from the table; `None` if it is not there.
    pub(crate) fn remove(&self, handle: *const c_void) -> Option<Arc<T>> {
        (self.live)(Process::this())
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
    pub(crate) path: Result<String>,
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
            path: crate::text::of_path(memory.path()).map(terminated),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_the_parent_held_at_the_fork_does_not_stop_the_child() {
        let latest = AtomicPtr::new(null_mut());
        let parent = Process::of(1, &latest);
        assert!(std::ptr::eq(parent, Process::of(1, &latest)));
        let _held = (parent.memories.write(), parent.cursors.read());
        let child = Process::of(2, &latest);
        assert!(child.memories.try_write().is_ok() && child.cursors.try_write().is_ok());
        assert!(child.first >= parent.first);
    }
    #[test]
    #[cfg(target_os = "linux")]
    fn a_path_that_is_no_text_is_refused_where_it_is_asked_for() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
        let handle = MemoryHandle::new(Memory::open(folder).unwrap());
        let refused = handle.path.unwrap_err();
        assert_eq!(refused.code(), ErrorCode::Unsupported);
    }
}
