//! Compaction: the live data in a new generation, dense and without what
//! deletions and updates left behind.

use std::time::Duration;

use crate::memory::Memory;
use crate::model::error::Result;

/// What [`Memory::compact`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// Bytes of all files of the store before.
    pub before_bytes: u64,
    /// Bytes after.
    pub after_bytes: u64,
    /// The generation that is live now.
    pub generation: u64,
}

impl Memory {
    /// Copies the store into a new generation and puts that in place, so that
    /// space which is no longer used goes back to the disk. The log stays
    /// whole: forgotten events keep their records until they are erased.
    ///
    /// Other processes go on reading; writers wait until it is done, and all go
    /// over to the new generation in their next call. Needs free space for a
    /// second copy. A crash leaves the old generation or the new one, whole.
    ///
    /// # Errors
    /// `busy` when another writer holds the store; `full`, `io` or `corrupt`:
    /// the store then stays as it was. `needs_reopen` when the last step
    /// failed: after reopening the store is the old or the new one.
    pub fn compact(&self) -> Result<Compacted> {
        self.enter()?;
        self.rewrite_unclean()?;
        let switched = self.inner.store.next_generation(false, |old, new| {
            new.state = old.state()?;
            new.copy_tables(old)
        })?;
        self.inner.store.go_on_erasing(Duration::ZERO)?;
        Ok(Compacted {
            before_bytes: switched.before_bytes,
            after_bytes: switched.after_bytes,
            generation: switched.generation,
        })
    }
}
