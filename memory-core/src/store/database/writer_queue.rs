//! Makes writing processes take turns: a waiting one goes before the one that has just
//! written.
//!
//! The engine's writer lock is polled, and each generation has its own. A process that
//! compacts in a loop gets the lock of the next generation before those that waited for the
//! last one; a process that writes in a loop takes its lock again between two polls of the
//! others. So a writer first takes the turn, waits with it for the lock of the live
//! generation, and then gives it back: the next in turn is always one that is waiting. Opening
//! and closing a store need the lock as well, and so the turn.
//!
//! This is a courtesy that nothing depends on: a process suspended while holding the turn
//! does not block others for long.

use std::fs;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::store::generations::folder::Folder;
use crate::store::generations::options::StoreOptions;

const PAUSE: Duration = Duration::from_millis(1);

/// How long to wait for the turn on a machine that is not busy: as long as this process's last write
/// took, because that is how long others waited for it, within these bounds.
const MIN_WAIT: Duration = Duration::from_millis(20);
const MAX_WAIT: Duration = Duration::from_secs(1);
/// The same for a process that opens the store, which has not written yet. Hooks have little time.
const OPENING: Duration = Duration::from_millis(200);
/// On a busy machine the wait ends after this many times as long, and not before so many attempts.
const MAX_WAITS: u32 = 4;
const MIN_ATTEMPTS: u128 = 8;

#[derive(Debug)]
pub(in crate::store) struct WriterQueue {
    /// `None` if only one process may write, or if there are no locks.
    file: Option<fs::File>,
    /// How long the last write took, in microseconds.
    last_us: AtomicU64,
    /// The process that holds the turn until this is dropped, and not a child that was forked
    /// meanwhile; 0 for none.
    closing_process: AtomicU32,
}

impl Drop for WriterQueue {
    fn drop(&mut self) {
        if let Some(file) = &self.file
            && *self.closing_process.get_mut() == std::process::id()
        {
            let _ = file.unlock();
        }
    }
}

/// Held while a process waits for the lock of the live generation.
#[derive(Debug)]
pub(in crate::store) struct QueueGuard<'a>(Option<&'a fs::File>);

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.0 {
            // If it cannot be released, closing the file releases it.
            let _ = file.unlock();
        }
    }
}

impl WriterQueue {
    pub(in crate::store) fn new(folder: &Folder, is_exclusive: bool) -> Self {
        WriterQueue {
            file: match is_exclusive {
                true => None,
                false => folder.turn_file(),
            },
            last_us: AtomicU64::new(0),
            closing_process: AtomicU32::new(0),
        }
    }

    /// For a process that is about to open the store.
    pub(in crate::store) fn of_opening(folder: &Folder, options: &StoreOptions) -> Self {
        let patience = OPENING.min(options.busy_timeout);
        WriterQueue {
            file: match options.exclusive {
                true => None,
                false => folder.existing_turn_file(),
            },
            last_us: AtomicU64::new(patience.as_micros() as u64),
            closing_process: AtomicU32::new(0),
        }
    }

    /// Waits for the turn, with a limit. For one thread at a time.
    pub(in crate::store) fn wait(&self) -> QueueGuard<'_> {
        let Some(file) = &self.file else {
            return QueueGuard(None);
        };
        let last = Duration::from_micros(self.last_us.load(Ordering::Relaxed));
        let patience = last.clamp(MIN_WAIT, MAX_WAIT);
        // On a busy machine a pause can last as long as all of them together. Who gave up after one
        // attempt would be passed by again and again, so attempts count, and time only far beyond.
        let begun = Instant::now();
        for attempt in 0..patience.as_millis() / PAUSE.as_millis() {
            if attempt >= MIN_ATTEMPTS && begun.elapsed() > MAX_WAITS * patience {
                break;
            }
            match file.try_lock() {
                Ok(()) => return QueueGuard(Some(file)),
                Err(fs::TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(_) => break,
            }
        }
        QueueGuard(None)
    }

    /// Waits for the turn, and keeps it until this is dropped.
    pub(in crate::store) fn wait_to_close(&self) {
        let guard = self.wait();
        if guard.0.is_some() {
            let process = std::process::id();
            self.closing_process.store(process, Ordering::Relaxed);
        }
        std::mem::forget(guard);
    }

    /// Notes how long others had to wait for a write of this process.
    pub(in crate::store) fn wrote_since(&self, begun: Instant) {
        let us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last_us.store(us, Ordering::Relaxed);
    }
}
