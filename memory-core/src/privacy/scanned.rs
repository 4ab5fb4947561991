//! Counts the bytes that the filter scans, so that tests can show that its work is linear.

#[cfg(any(test, feature = "testing"))]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static SCANNED: Cell<u64> = const { Cell::new(0) };
    }

    /// Counts bytes that part of the filter scans.
    pub(in crate::privacy) fn visit(bytes: usize) {
        SCANNED.with(|scanned| scanned.set(scanned.get() + bytes as u64));
    }

    /// Begins to count from 0.
    pub(in crate::privacy) fn reset() {
        SCANNED.with(|scanned| scanned.set(0));
    }

    /// How many bytes this thread has scanned since then.
    pub(in crate::privacy) fn count() -> u64 {
        SCANNED.with(Cell::get)
    }
}

#[cfg(any(test, feature = "testing"))]
pub(super) use counted::{count, reset, visit};

/// Counts scanned bytes, in tests only.
#[cfg(not(any(test, feature = "testing")))]
pub(super) fn visit(_bytes: usize) {}
