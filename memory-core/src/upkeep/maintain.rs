//! `maintain`: one call that moves everything that may wait a bounded step, and
//! the small slice of it that ordinary appends run.

use crate::learn::accesses::Flushing;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::project::jobs::Jobs;
use crate::store::WriteTx;
use crate::store::projected::{Rows as _, Shelf};
use crate::upkeep::outbox;

/// How much one call of [`Memory::maintain`] does at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaintainBudget {
    /// Events that graduation judges; 500 by default.
    pub graduate_events: usize,
    /// Merges of index segments; 4 by default.
    pub merges: usize,
    /// The largest merge, in events; 100,000 by default.
    pub merge_events: u64,
}

impl Default for MaintainBudget {
    fn default() -> Self {
        MaintainBudget {
            graduate_events: 500,
            merges: 4,
            merge_events: 100_000,
        }
    }
}

/// What [`Memory::maintain`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintained {
    /// Whether waiting events were folded into an index segment.
    pub folded: bool,
    /// Merges of index segments.
    pub merges: usize,
    /// Outbox jobs that got another attempt or were given back.
    pub jobs_revived: usize,
    /// Outbox jobs that were done long ago and are gone now.
    pub jobs_cleaned: usize,
    /// Outbox jobs that wait for an embedder.
    pub jobs_waiting: usize,
    /// Events that graduation judged.
    pub judged: usize,
    /// Events that rose or sank.
    pub moved: usize,
    /// Insights that were found.
    pub insights: usize,
    /// Memories that consolidation made.
    pub consolidated: usize,
    /// Whether another call would find more to do.
    pub has_more: bool,
    /// Whether a compaction would pay: much of the log was forgotten, or the
    /// folder is much larger than what it holds.
    pub compaction_pays: bool,
}

/// A folder may be so many times as large as its log before a compaction pays.
const WORTHWHILE_GROWTH: u64 = 4;
/// Below this size a compaction is not worth its trouble, in bytes.
const WORTHWHILE_BYTES: u64 = 16 << 20;
/// Events that an append's slice of graduation judges.
const SLICE_EVENTS: usize = 16;

impl Memory {
    /// Does what may wait, a bounded step of each: writes noted accesses, folds
    /// and merges the index, revives outbox jobs, graduates, consolidates. Call
    /// it when the host is idle, until `has_more` is false.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written; each step that
    /// was committed stays.
    pub fn maintain(&self, budget: MaintainBudget) -> Result<Maintained> {
        self.enter()?;
        let mut done = Maintained::default();
        let inner = &self.inner;
        let flushing = Flushing::new(inner);
        inner.store.write(|tx| {
            flushing.write(tx)?;
            // A segment of a handful of events would only be merged again.
            if tx.state.tail_events >= MIN_FOLD {
                done.folded = inner.lexical.fold(tx)?;
            }
            self.tend_jobs(tx, &mut done)?;
            let graduated = self.graduate_in(tx, budget.graduate_events, true)?;
            done.judged = graduated.judged;
            done.moved = graduated.promoted.len() + graduated.demoted.len();
            done.insights = graduated.insights.len();
            done.has_more = graduated.waiting > 0 && budget.graduate_events > 0;
            done.consolidated = self.consolidate_if_due(tx)?.memories.len();
            Ok(())
        })?;
        flushing.done();
        while done.merges < budget.merges
            && inner
                .store
                .write(|tx| inner.lexical.merge_once(tx, budget.merge_events))?
        {
            done.merges += 1;
        }
        done.has_more |= budget.merges > 0 && done.merges == budget.merges;
        done.compaction_pays = self.compaction_pays()?;
        Ok(done)
    }

    fn tend_jobs(&self, tx: &WriteTx<'_>, done: &mut Maintained) -> Result<()> {
        let now = self.inner.store.clock().now();
        let mut rows = tx.projected()?;
        if rows.facts(Shelf::Job)?.rows == 0 {
            return Ok(());
        }
        let jobs = &mut Jobs(&mut rows);
        done.jobs_revived = outbox::recover_stuck(jobs, outbox::STUCK_AFTER_MS, now)?
            + outbox::reconcile_failed(jobs, outbox::MAX_RETRIES, true, now)?;
        done.jobs_cleaned = outbox::cleanup_done(jobs, outbox::KEEP_DONE_MS, now)?;
        done.jobs_waiting = crate::project::jobs::metrics(&mut rows, now)?.pending;
        rows.finish(now.millis())
    }

    fn compaction_pays(&self) -> Result<bool> {
        let stats = self.stats()?;
        let gone = stats.forgotten + stats.erased;
        let is_hollow = gone > 100 && gone * 2 > stats.events;
        let is_bloated = stats.size_bytes > WORTHWHILE_BYTES
            && stats.size_bytes > stats.log_bytes.saturating_mul(WORTHWHILE_GROWTH);
        Ok(is_hollow || is_bloated)
    }

    /// The small slice of upkeep that an append runs in its own transaction.
    pub(crate) fn slice(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        let (is_due, is_endless) = {
            let rows = tx.projected()?;
            (
                rows.facts(Shelf::LevelDue)?.rows > 0,
                crate::project::endless::mode(&rows)? == crate::learn::endless::MemoryMode::Endless,
            )
        };
        if is_due {
            self.graduate_in(tx, SLICE_EVENTS, false)?;
        }
        if is_endless {
            self.consolidate_if_due(tx)?;
        }
        Ok(())
    }
}

/// Fewer waiting events than this are left in the tail.
const MIN_FOLD: u64 = 32;
