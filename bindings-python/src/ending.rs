//! Calls of the program's functions from threads of the library.
//!
//! Python ends a thread that comes back to it while the interpreter ends (3.14 hangs it), in the
//! middle of Rust's frames, and that aborts the process. So an interpreter that ends first
//! waits for the calls that still run, and lets no other thread begin one.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// A function that runs longer holds nobody up: it may hang.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// How often it is looked whether they have ended.
const LOOK: Duration = Duration::from_millis(5);

/// A process (upper half), and how many calls run in it. Numbers and no lock: a process may be
/// forked while another thread would hold it, and has none of its parent's threads.
static RUNNING: AtomicU64 = AtomicU64::new(0);
/// The process whose interpreter is ending.
static ENDING: AtomicU32 = AtomicU32::new(0);
/// The thread that ends it, in which functions may still be called.
static ENDED_BY: OnceLock<ThreadId> = OnceLock::new();

/// How many calls run in this process.
fn running(now: u64) -> u32 {
    match now >> 32 == u64::from(std::process::id()) {
        true => now as u32,
        false => 0,
    }
}

fn change(by: impl Fn(u32) -> u32) {
    let process = u64::from(std::process::id());
    let _ = RUNNING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
        Some(process << 32 | u64::from(by(running(now))))
    });
}

/// A call that runs.
struct Running;

impl Running {
    fn begin() -> Option<Self> {
        change(|calls| calls.saturating_add(1));
        let begun = Running;
        let is_ending = ENDING.load(Ordering::SeqCst) == std::process::id()
            && ENDED_BY.get() != Some(&std::thread::current().id());
        (!is_ending).then_some(begun)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        change(|calls| calls.saturating_sub(1));
    }
}

/// Calls something in Python, from any thread; `None` once the interpreter is ending.
pub(crate) fn attach<R>(call: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    let _running = Running::begin()?;
    Python::try_attach(call)
}

/// Waits for the calls that run, and lets no other thread begin one. Registered to run when the
/// interpreter ends.
#[pyfunction]
fn _end_calls(py: Python<'_>) -> PyResult<()> {
    let begun = Instant::now();
    let _ = ENDED_BY.set(std::thread::current().id());
    ENDING.store(std::process::id(), Ordering::SeqCst);
    while running(RUNNING.load(Ordering::SeqCst)) > 0 && begun.elapsed() < MAX_WAIT {
        py.detach(|| std::thread::sleep(LOOK));
        py.check_signals()?;
    }
    Ok(())
}

/// Has the interpreter wait when it ends.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ENDING.store(0, Ordering::SeqCst);
    let wait = wrap_pyfunction!(_end_calls, module)?;
    let atexit = module.py().import("atexit")?;
    atexit.call_method1("register", (wait,))?;
    Ok(())
}
