//! Calls of the program's functions from threads of the library.
//!
//! Python ends a thread that comes back to it while the interpreter ends, in the middle of Rust's
//! frames, and that aborts the process. So an interpreter that ends first waits for the calls that
//! still run, and lets no new one begin.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// A function that runs longer holds nobody up: it may hang.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How often signals are looked for meanwhile.
const SIGNALS: Duration = Duration::from_millis(50);

struct Calls {
    running: usize,
    is_ending: bool,
    /// Whose calls these are: a forked process has none of its parent's threads.
    process: u32,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls {
    running: 0,
    is_ending: false,
    process: 0,
});
static ONE_ENDED: Condvar = Condvar::new();

fn calls() -> MutexGuard<'static, Calls> {
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if calls.process != process {
        *calls = Calls {
            running: 0,
            is_ending: false,
            process,
        };
    }
    calls
}

/// A call that runs.
struct Running;

impl Running {
    fn begin() -> Option<Self> {
        let mut calls = calls();
        if calls.is_ending {
            return None;
        }
        calls.running += 1;
        Some(Running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut calls = calls();
        calls.running = calls.running.saturating_sub(1);
        ONE_ENDED.notify_all();
    }
}

/// Calls something in Python; `None` once the interpreter is ending.
pub(crate) fn attach<R>(call: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    let _running = Running::begin()?;
    Python::try_attach(call)
}

/// Waits for the calls that run, and lets no other begin. Registered to run when the interpreter ends.
#[pyfunction]
fn _end_calls(py: Python<'_>) -> PyResult<()> {
    let begun = Instant::now();
    calls().is_ending = true;
    loop {
        let is_over = py.detach(|| {
            let held = calls();
            if held.running == 0 {
                return true;
            }
            drop(ONE_ENDED.wait_timeout(held, SIGNALS));
            false
        });
        if is_over || begun.elapsed() >= LONGEST_WAIT {
            return Ok(());
        }
        py.check_signals()?;
    }
}

/// Has the interpreter wait when it ends.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let wait = wrap_pyfunction!(_end_calls, module)?;
    py.import("atexit")?.call_method1("register", (wait,))?;
    Ok(())
}
