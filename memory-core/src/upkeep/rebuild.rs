//! Rebuilding: recreates every derived table from the log, with a hash that proves that the
//! result is the same.

use std::time::Duration;

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::time::Timestamp;
use crate::store::generations::changed_keys::ChangedKeys;
use crate::store::generations::erasing::Erasure;
use crate::store::generations::generation::Fill;
use crate::store::index_tables::word_files::FilesLock;
use crate::store::running::Running;
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::TURN_WAIT;
use crate::upkeep::forget;
use crate::upkeep::next_generation;

/// What [`Memory::rebuild`](crate::Memory::rebuild) did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rebuilt {
    /// The number of records of the log that were replayed.
    pub events: u64,
    /// The state hash before, as 64 hexadecimal digits; empty if the tables could not be
    /// read.
    pub hash_before: String,
    /// The state hash after. It differs from the one before only if the tables had been
    /// damaged.
    pub hash_after: String,
}

/// The log as it is, and everything else derived from it.
struct FromTheLog<'a> {
    engine: &'a Engine,
    /// The lock for writing segment files.
    turn: FilesLock,
    /// What is left out: nothing, or jobs and vectors.
    kept: Erasure,
    /// Whether learned items are marked as to be embedded.
    embeds: bool,
}

impl Fill for FromTheLog<'_> {
    /// The last position of the log.
    type Made = u64;

    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()> {
        new.use_files(&self.turn);
        self.embeds = next_generation::begin(self.engine, old, new, &self.kept)?;
        Ok(())
    }

    fn catch_up(
        &mut self,
        old: &ReadTx,
        changed: &ChangedKeys,
        new: &mut WriteTx<'_>,
    ) -> Result<bool> {
        new.use_files(&self.turn);
        next_generation::catch_up(self.engine, old, changed, new, (&self.kept, self.embeds))?;
        Ok(true)
    }

    fn end(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<u64> {
        next_generation::end(old, new, &self.kept, self.embeds)?;
        new.set_erase_orders(&old.erase_orders()?)?;
        new.set_erase_requests(&old.erase_requests()?)?;
        Ok(new.state.last_seq)
    }

    fn total(&self, old: &ReadTx) -> Result<Option<u64>> {
        next_generation::total(old).map(Some)
    }
}

/// The public form of a state hash: bound to the moment that the caller passed.
pub(crate) fn hash_at(as_of: Timestamp, tables: &[u8; 32]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&as_of.millis().to_le_bytes());
    hasher.update(tables);
    hasher.finalize().to_hex().to_string()
}

/// Tries the next approach if this one met damage.
fn if_damaged<T>(error: Error, next: impl FnOnce() -> Result<T>) -> Result<T> {
    match error.code() {
        ErrorCode::Corrupt => next(),
        _ => Err(error),
    }
}

/// Derives everything but the log in a new generation, and returns the last position of the log.
/// Jobs and vectors are kept unless they are damaged.
fn from_the_log(engine: &Engine, without_vectors: bool, running: &Running) -> Result<u64> {
    // A damaged state is one of the things that are rebuilt.
    let events = engine.store.read()?.state();
    let events = events.map_or(u64::MAX, |state| state.last_seq);
    let mut filling = FromTheLog {
        engine,
        turn: engine.store.lock_files_for(events, TURN_WAIT),
        kept: Erasure {
            without_vectors,
            ..Erasure::default()
        },
        embeds: false,
    };
    let swapped = engine.store.next_generation(false, &mut filling, running);
    engine.lexical.release_all();
    if filling.turn.is_held() {
        // Segment files that were merged again while building, that the previous generation used,
        // or that an abandoned copy left behind.
        let _ = engine.store.clean_files(&filling.turn, Duration::ZERO);
    }
    drop(filling);
    let last = swapped?.result;
    if let Some(embedding) = &engine.embedding {
        // Where its rows were damaged, opening could not do it.
        embedding.ensure_active(&engine.store)?;
    }
    if without_vectors {
        // All side files of vectors have to go: their versions are unknown now, and which of their
        // vectors were already removed from the store is not known any more.
        if let Some(embedding) = &engine.embedding {
            embedding.index.release();
        }
        engine.store.take_out_vectors(TURN_WAIT)?;
    }
    Ok(last)
}

/// [`Memory::rebuild`](crate::Memory::rebuild).
pub(crate) fn rebuild(engine: &Engine, as_of: Timestamp, running: &Running) -> Result<Rebuilt> {
    let read = || engine.store.read().map(|read| read.run_by(running));
    let before = match read()?.state_hash() {
        Ok(hash) => hash_at(as_of, &hash),
        Err(error) if error.code() == ErrorCode::Corrupt => String::new(),
        Err(error) => return Err(error),
    };
    let work_is_sound = match read()?.check_work() {
        Ok(found) => found.is_none(),
        Err(error) if error.code() == ErrorCode::Corrupt => false,
        Err(error) => return Err(error),
    };
    let events = match work_is_sound {
        true => from_the_log(engine, false, running)
            .or_else(|error| if_damaged(error, || from_the_log(engine, true, running)))?,
        false => from_the_log(engine, true, running)?,
    };
    // It is done, so it cannot be stopped any more; but its progress is told.
    let unstoppable = running.unstoppable();
    forget::rewrite_unclean(engine, &unstoppable)?;
    engine.resume_erasures(Duration::ZERO)?;
    let read = engine.store.read()?.run_by(&unstoppable);
    let after = hash_at(as_of, &read.state_hash()?);
    engine.logger.info(Target::Upkeep, || {
        let outcome = match before == after {
            true => "with the same result",
            false => "with a different result: the tables had been damaged",
        };
        format!("rebuilt from {}, {outcome}", counted(events, "record"))
    });
    Ok(Rebuilt {
        events,
        hash_before: before,
        hash_after: after,
    })
}

/// [`Upkeep::state_hash`](crate::Upkeep::state_hash).
pub(crate) fn state_hash(engine: &Engine, as_of: Timestamp) -> Result<String> {
    Ok(hash_at(as_of, &engine.store.read()?.state_hash()?))
}
