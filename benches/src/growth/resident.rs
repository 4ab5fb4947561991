//! How much memory a call adds to the process, if the system reports it. Pages of mapped files
//! are not counted: the system takes them back when it needs memory.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often the memory is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// Watches the memory of the process during a call.
pub(super) struct Resident {
    before: Option<f64>,
    is_over: Arc<AtomicBool>,
    watcher: JoinHandle<f64>,
}

impl Resident {
    pub(super) fn before() -> Resident {
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let watcher = thread::spawn(move || {
            let mut most = 0.0_f64;
            while !ends.load(Ordering::Relaxed) {
                most = most.max(anonymous_mb().unwrap_or(0.0));
                thread::sleep(PAUSE);
            }
            most
        });
        Resident {
            before: anonymous_mb(),
            is_over,
            watcher,
        }
    }

    /// The maximum added since then, in MB.
    pub(super) fn added_mb(self) -> Option<f64> {
        self.is_over.store(true, Ordering::Relaxed);
        let most = self.watcher.join().ok()?.max(anonymous_mb()?);
        Some((most - self.before?).max(0.0))
    }
}

fn anonymous_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    let kb: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kb / 1024.0)
}
