//! Values that are made on first use without anybody ever waiting for another thread.

use std::ops::Deref;

use once_cell::race::OnceBox;

/// A value that is made on first use. Two threads may both make it, and one result is dropped. A
/// lock would be held for ever in a child process that is forked meanwhile, because the thread
/// that holds it does not exist there.
pub(crate) struct RaceLazy<T> {
    value: OnceBox<T>,
    make: fn() -> T,
}

impl<T> RaceLazy<T> {
    pub(crate) const fn new(make: fn() -> T) -> Self {
        RaceLazy {
            value: OnceBox::new(),
            make,
        }
    }
}

impl<T> Deref for RaceLazy<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value.get_or_init(|| Box::new((self.make)()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn nobody_waits_for_a_thread_that_never_ends() {
        static MADE: AtomicU32 = AtomicU32::new(0);
        static VALUE: RaceLazy<u32> = RaceLazy::new(|| {
            if MADE.fetch_add(1, Ordering::SeqCst) == 0 {
                // As in a child process: the first thread is gone.
                std::thread::park_timeout(Duration::from_secs(3_600));
            }
            7
        });
        std::thread::spawn(|| *VALUE);
        while MADE.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || send.send(*VALUE));
        assert_eq!(receive.recv_timeout(Duration::from_secs(60)), Ok(7));
    }
}
