//! Following a store: waiting for another process's or thread's append, and
//! moving a store to this library's format.

use std::time::{Duration, Instant};

use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::ids::Seq;
use crate::store::FORMAT;

/// The shortest and longest pause between two looks at the store.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(25);

/// What [`Memory::upgrade`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upgraded {
    /// The format that the store had.
    pub from_format: u32,
    /// The format that it has now.
    pub to_format: u32,
    /// Whether anything was changed.
    pub changed: bool,
}

impl Memory {
    /// Waits until the log is longer than `after`, at most `timeout`, and gives
    /// its last position: greater than `after` when there is something new for
    /// [`Memory::changes_since`], not greater when the time ran out. Appends of
    /// every process count. It looks at the store every 1 to 25 milliseconds
    /// and sleeps between.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// # memory.append(recallite::NewEvent::new(recallite::EventKind::UserPrompt, "s", "new"))?;
    /// use recallite::Seq;
    /// use std::time::Duration;
    ///
    /// let last = memory.wait_for_change(Seq(0), Duration::from_secs(1))?;
    /// assert_eq!(last, Seq(1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `closed` when the handle is closed meanwhile; `io`, `corrupt` or
    /// `needs_reopen` when the store cannot be read.
    pub fn wait_for_change(&self, after: Seq, timeout: Duration) -> Result<Seq> {
        let begun = Instant::now();
        let mut pause = SHORTEST_PAUSE;
        loop {
            self.enter()?;
            let last = Seq(self.inner.store.read()?.state()?.last_seq);
            let left = timeout.saturating_sub(begun.elapsed());
            if last > after || left.is_zero() {
                return Ok(last);
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Moves the store to the newest format that this library writes. Until it
    /// is called, a newer library keeps writing the store's own format, so that
    /// updating one program breaks no other that shares the store.
    ///
    /// Format 2 needs fewer bytes for each event than format 1. What
    /// is there already stays as it is; libraries that know format 1 only can no
    /// longer open the store.
    ///
    /// # Errors
    /// `newer_format` when the store is newer than this library; `busy`, `full`
    /// or `io` when it cannot be written.
    pub fn upgrade(&self) -> Result<Upgraded> {
        self.enter()?;
        let format = self.inner.store.read()?.meta().format;
        let changed = format < FORMAT && self.inner.store.write(|tx| tx.upgrade())?;
        Ok(Upgraded {
            from_format: format,
            to_format: FORMAT.max(format),
            changed,
        })
    }
}
