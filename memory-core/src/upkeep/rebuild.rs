//! Rebuilding: every derived table made again from the log, and the hash that
//! proves that it came out the same.

use crate::engine::lexical::LexicalIndex;
use crate::index::lexical::forward::ForwardBody;
use crate::index::lexical::searchable::{self, ToolText};
use crate::memory::Memory;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::projection;
use crate::projection::usage::refold_usage;
use crate::store::WriteTx;
use crate::store::erasing::Erasure;
use crate::store::record::Record;
use crate::store::replay::{Log, Replay};
use crate::text::fence::recalled_spans;

/// What [`Memory::rebuild`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rebuilt {
    /// Records of the log that were replayed.
    pub events: u64,
    /// The state hash before, as 64 hexadecimal digits; empty when the tables
    /// could not be read.
    pub hash_before: String,
    /// The state hash after. It differs from the one before only when the
    /// tables had been damaged.
    pub hash_after: String,
}

/// A replay that makes the search index as well.
pub(crate) struct WithSearch<'a>(pub(crate) &'a LexicalIndex);

impl Replay for WithSearch<'_> {
    fn forward(
        &self,
        kind: EventKind,
        record: &Record<'_>,
        secret: &[u8; 32],
    ) -> Option<ForwardBody> {
        let tool = record.tool.as_ref().map(|tool| ToolText {
            name: tool.name.as_str(),
            input: tool.input.map(|json| json.as_str()),
            output: tool.output.as_str(),
        });
        Some(searchable::body(
            kind,
            record.content.as_str(),
            tool,
            record.actor.as_str(),
            Timestamp::from_millis_clamped(record.timestamp_ms),
            &recalled_spans(secret, record.content.as_str()),
        ))
    }

    fn pause(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        self.0.fold_if_due(tx)
    }
}

/// The public form of a state hash: bound to the moment it was asked for.
pub(crate) fn hash_at(as_of: Timestamp, tables: &[u8; 32]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&as_of.millis().to_le_bytes());
    hasher.update(tables);
    hasher.finalize().to_hex().to_string()
}

/// The next way, when this one met damage.
fn if_damaged<T>(error: Error, next: impl FnOnce() -> Result<T>) -> Result<T> {
    match error.code() {
        ErrorCode::Corrupt => next(),
        _ => Err(error),
    }
}

impl Memory {
    /// Makes every derived table again from the log, in one transaction:
    /// indexes, names, sessions, tombstones, counters and the search index.
    /// Other processes go on reading; writers wait.
    ///
    /// `as_of` is the moment at which everything that depends on the passing of
    /// time is judged, and part of the hash. Jobs that wait, and vectors that a
    /// model made, are kept as they are, unless they are damaged: then there are
    /// none, and the embedder makes them again.
    ///
    /// Pages of the file that are damaged do not hinder it: everything is then made
    /// in a new file, of which [`Memory::compact`] says more.
    ///
    /// # Errors
    /// `corrupt` when the log itself is damaged (nothing is changed then; use
    /// [`Memory::check`] to learn where, and restore a backup); `busy`, `full`,
    /// `io` or `needs_reopen`.
    pub fn rebuild(&self, as_of: Timestamp) -> Result<Rebuilt> {
        self.enter()?;
        let store = &self.inner.store;
        let before = match store.read()?.state_hash() {
            Ok(hash) => hash_at(as_of, &hash),
            Err(error) if error.code() == ErrorCode::Corrupt => String::new(),
            Err(error) => return Err(error),
        };
        let events = self
            .rebuild_in_place()
            .or_else(|error| if_damaged(error, || self.rebuild_beside(false)))
            .or_else(|error| if_damaged(error, || self.rebuild_beside(true)))?;
        let after = store.read()?.state_hash()?;
        Ok(Rebuilt {
            events,
            hash_before: before,
            hash_after: hash_at(as_of, &after),
        })
    }

    fn rebuild_in_place(&self) -> Result<u64> {
        let inner = &self.inner;
        if let Some(found) = inner.store.read()?.check_work()? {
            return Err(Error::new(ErrorCode::Corrupt, found.problem));
        }
        inner.store.write(|tx| {
            let acknowledged = tx.state.clone();
            tx.replay(&Log::Own, &acknowledged, &WithSearch(&inner.lexical))?;
            projection::refold(tx)?;
            refold_usage(tx)?;
            Ok(tx.state.last_seq)
        })
    }

    /// Makes everything again in a new generation, of which only the log, the jobs
    /// and the vectors are copied: no damaged page of the tables that are made again
    /// is read, and none of the old file is used again.
    fn rebuild_beside(&self, without_vectors: bool) -> Result<u64> {
        let inner = &self.inner;
        let kept = Erasure {
            without_vectors,
            ..Erasure::default()
        };
        let switched = inner.store.next_generation(false, |old, new| {
            let before = old.state()?;
            new.state.last_append_ms = before.last_append_ms;
            new.state.next_job = before.next_job;
            new.copy_erasing(old, &kept)?;
            new.copy_notes(old)?;
            new.replay(&Log::Own, &before, &WithSearch(&inner.lexical))?;
            projection::refold(new)?;
            refold_usage(new)?;
            Ok(new.state.last_seq)
        })?;
        Ok(switched.result)
    }

    /// A hash of all that was made from the log: the same log gives the same
    /// hash at the same `as_of`, in every process, after every rebuild and
    /// compaction. 64 hexadecimal digits.
    ///
    /// It covers ids, citations, dedupe keys, times, facets, names, sessions,
    /// turns, tombstones and the log's counters. It does not cover how the
    /// search index is cut into segments, jobs that wait, vectors (floating
    /// point), and when the last append and fold took place. Erasing changes
    /// it, because the log changes.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn state_hash(&self, as_of: Timestamp) -> Result<String> {
        self.enter()?;
        Ok(hash_at(as_of, &self.inner.store.read()?.state_hash()?))
    }
}
