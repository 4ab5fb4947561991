//! Compaction: the live data in a new generation, dense and without what
//! deletions and updates left behind.

use std::time::Duration;

use crate::memory::Memory;
use crate::model::error::Result;
use crate::store::changes::Rows;
use crate::store::generation::Fill;
use crate::store::{ReadTx, WriteTx};

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
    /// Others go on reading and writing meanwhile; what they write is in the new
    /// generation, to which all go over in their next call. Writers wait only while
    /// the last of it is taken over. Needs free space for a second copy. A crash
    /// leaves the old generation or the new one, whole.
    ///
    /// # Errors
    /// `busy` when another call compacts, erases, rebuilds or restores, or when
    /// writers never let the last step begin; `full`, `io` or `corrupt`: the store
    /// then stays as it was. `needs_reopen` when the last step
    /// failed: after reopening the store is the old or the new one.
    pub fn compact(&self) -> Result<Compacted> {
        self.enter()?;
        self.rewrite_unclean()?;
        let switched = self.inner.store.next_generation(false, &mut AsItIs)?;
        self.inner.store.go_on_erasing(Duration::ZERO)?;
        Ok(Compacted {
            before_bytes: switched.before_bytes,
            after_bytes: switched.after_bytes,
            generation: switched.generation,
        })
    }
}

/// A copy of every table.
struct AsItIs;

impl Fill for AsItIs {
    type Made = ();
    const HAS_END: bool = false;

    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()> {
        new.state = old.state()?;
        new.copy_tables(old)
    }

    fn catch_up(&mut self, old: &ReadTx, changed: &Rows, new: &mut WriteTx<'_>) -> Result<bool> {
        new.state = old.state()?;
        new.copy_changed(old, changed)?;
        Ok(true)
    }

    fn end(&mut self, _: &ReadTx, _: &mut WriteTx<'_>) -> Result<()> {
        Ok(())
    }
}
