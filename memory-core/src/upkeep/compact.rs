//! Compaction: copies the live data to a new generation, dense and without what deletions
//! and updates left behind.

use std::time::Duration;

use crate::engine::Engine;
use crate::engine::logger::Target;
use crate::model::error::Result;
use crate::store::generations::changed_keys::ChangedKeys;
use crate::store::generations::generation::Fill;
use crate::store::running::Running;
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::{erase, forget};

/// What [`Memory::compact`](crate::Memory::compact) did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// The size of all files of the store before, in bytes.
    pub before_bytes: u64,
    /// The size of all files of the store after, in bytes.
    pub after_bytes: u64,
    /// The generation that is now live.
    pub generation: u64,
    /// Paths of former files of the store that could not be removed, because another process has
    /// them open or the disk refused it; [`Memory::maintain`](crate::Memory::maintain) tries again. Until
    /// then, the store is no smaller.
    pub left_files: Vec<String>,
}

/// [`Memory::compact`](crate::Memory::compact).
pub(crate) fn compact(engine: &Engine, running: &Running) -> Result<Compacted> {
    if !engine.store.read()?.erase_requests()?.is_empty() {
        // Its text must not be copied once more.
        erase::complete(engine, running)?;
    }
    forget::rewrite_unclean(engine, running)?;
    running.checkpoint()?;
    let swapped = engine.store.next_generation(false, &mut AsItIs, running)?;
    engine.lexical.release_all();
    engine.resume_erasures(Duration::ZERO)?;
    // What cannot be removed now is left to the next maintenance.
    let _ = engine.store.tidy_files();
    let left = engine.store.leftovers()?;
    engine.logger.info(Target::Upkeep, || {
        let (before, after) = (swapped.before_bytes, swapped.after_bytes);
        format!("compacted: {before} bytes before, {after} after")
    });
    Ok(Compacted {
        before_bytes: swapped.before_bytes,
        after_bytes: swapped.after_bytes,
        generation: swapped.generation,
        left_files: left.iter().map(|file| file.display().to_string()).collect(),
    })
}

/// A copy of every table.
struct AsItIs;

impl Fill for AsItIs {
    type Made = ();
    const HAS_END: bool = false;
    const IS_TRIMMED: bool = true;

    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()> {
        new.state = old.state()?;
        new.copy_tables(old)
    }

    fn catch_up(
        &mut self,
        old: &ReadTx,
        changed: &ChangedKeys,
        new: &mut WriteTx<'_>,
    ) -> Result<bool> {
        new.state = old.state()?;
        new.copy_changed(old, changed)?;
        Ok(true)
    }

    fn end(&mut self, _: &ReadTx, _: &mut WriteTx<'_>) -> Result<()> {
        Ok(())
    }

    fn total(&self, old: &ReadTx) -> Result<Option<u64>> {
        Ok(Some(old.all_rows()? + old.state()?.last_seq))
    }
}
