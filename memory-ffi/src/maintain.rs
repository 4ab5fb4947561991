//! The work that may wait: upkeep in small steps, and the outbox of texts to
//! embed.

use std::mem::offset_of;

use recallite::rules::outbox::Processed;
use recallite::{MaintainBudget, Maintained, Result};

use crate::call::{guard_free, optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// How much one call of recallite_maintain does at most. Begin with
/// RECALLITE_INIT(recallite_maintain_budget); a field that is zero has its
/// default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_maintain_budget {
    /// sizeof(recallite_maintain_budget).
    pub struct_size: usize,
    /// Events that graduation judges; read when has_graduate_events is set.
    /// Default: 500.
    pub graduate_events: usize,
    /// Merges of index segments; read when has_merges is set. Default: 4.
    pub merges: usize,
    /// The largest merge, in events. Default: 100,000.
    pub merge_events: u64,
    /// Outbox jobs, when there is an embedder; read when has_jobs is set.
    /// Default: 64.
    pub jobs: usize,
    /// Nothing new is begun after so many milliseconds. Default: no limit.
    pub time_ms: u64,
    /// Whether graduate_events is given.
    pub has_graduate_events: c_bool,
    /// Whether merges is given.
    pub has_merges: c_bool,
    /// Whether jobs is given.
    pub has_jobs: c_bool,
    /// Vectors that are put into graphs, where the memory was opened with
    /// vector_graph_from; read when has_graph_vectors is set. Each takes about a
    /// millisecond, more in large graphs. Default: 500.
    pub graph_vectors: usize,
    /// Whether graph_vectors is given.
    pub has_graph_vectors: c_bool,
}

// SAFETY: repr(C), the size comes first, and integers and bytes take every bit
// pattern.
unsafe impl Input for recallite_maintain_budget {
    const FIRST_SIZE: usize = offset_of!(recallite_maintain_budget, graph_vectors);
}

/// What recallite_maintain did. Free it with recallite_maintained_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_maintained {
    /// Merges of index segments.
    pub merges: usize,
    /// Outbox jobs whose vectors were written or that needed none.
    pub jobs_done: usize,
    /// Outbox jobs that failed; they are tried again later.
    pub jobs_failed: usize,
    /// Outbox jobs that got another attempt or were taken from dead workers.
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
    /// Whether waiting events were flushed into an index segment.
    pub flushed: bool,
    /// Whether another call would find more to do.
    pub has_more: bool,
    /// Whether a compaction would pay: much of the log was forgotten, or the
    /// folder is much larger than what it holds.
    pub compaction_pays: bool,
    /// Vectors that were put into graphs.
    pub graph_vectors: usize,
    /// Earlier erasures, interrupted or hindered, that are complete now.
    pub erasures_completed: u64,
    /// Erasures that still wait for a file which another process has open; see
    /// unclean_places of recallite_stats.
    pub erasures_open: u64,
}

/// An outbox job that failed, and why.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_job_failure {
    /// The job's number.
    pub job: u64,
    /// Why.
    pub message: recallite_str,
}

/// What recallite_process_outbox did. Free it with recallite_processed_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_processed {
    /// Jobs that were claimed.
    pub processed: usize,
    /// Jobs that are done, skipped ones included.
    pub succeeded: usize,
    /// Jobs that failed; they are tried again later.
    pub failed: usize,
    /// Of those that are done, the ones that needed no vector because their
    /// event is gone or says nothing.
    pub skipped: usize,
    /// Pointers to what went wrong.
    pub errors: *const *const recallite_job_failure,
    /// How many jobs have an error.
    pub errors_len: usize,
}

/// Does what may wait, a bounded step of each: writes noted accesses, folds and
/// merges the index, graduates, consolidates, works off outbox jobs, builds graphs
/// of vectors. Call it when the program is idle, until has_more is false. What an embedder does wrong is
/// counted in jobs_failed.
///
/// @param[in] memory the memory.
/// @param[in] budget how much; NULL for the defaults.
/// @param[out] maintained what was done, to be freed with
///     recallite_maintained_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
///     be written; each step that was committed stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_maintain(
    memory: *mut recallite_memory,
    budget: *const recallite_maintain_budget,
    maintained: *mut *mut recallite_maintained,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (budget, maintained) = unsafe {
            (
                maintain_budget(&input::read_or_default("budget", budget)?)?,
                optional_out("maintained", maintained)?,
            )
        };
        let done = memory.maintain(budget)?;
        if maintained.is_wanted() {
            maintained.set(owned::give(|_| maintained_view(&done)));
        }
        Ok(())
    })
}

/// Frees what recallite_maintain did. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_maintained_free(maintained: *mut recallite_maintained) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(maintained) });
}

/// Embeds waiting events. Call it when there is time, again until processed is
/// 0; any process with the embedder may, also several at once. A failed job is
/// tried again 1, 5 and 30 seconds later, by calls after that time.
///
/// @param[in] memory the memory, opened with an embedder.
/// @param[in] limit at most this many jobs.
/// @param[out] processed what was done, to be freed with
///     recallite_processed_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_UNSUPPORTED without an embedder; RECALLITE_BUSY,
///     RECALLITE_FULL or RECALLITE_IO when the store cannot be written. What the
///     embedder does wrong is no error of this call: it stands in processed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_process_outbox(
    memory: *mut recallite_memory,
    limit: usize,
    processed: *mut *mut recallite_processed,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let processed = unsafe { optional_out("processed", processed) }?;
        let done = memory.process_outbox(limit)?;
        if processed.is_wanted() {
            processed.set(owned::give(|parts| processed_view(parts, done)));
        }
        Ok(())
    })
}

/// Frees what recallite_process_outbox did. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_processed_free(processed: *mut recallite_processed) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(processed) });
}

/// Gives failed jobs another attempt at once, for example after the embedder was
/// repaired.
///
/// @param[in] memory the memory, opened with an embedder.
/// @param[in] max_retries only jobs that were tried again fewer times than this.
/// @param[out] revived how many got an attempt.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_process_outbox.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_retry_outbox(
    memory: *mut recallite_memory,
    max_retries: u32,
    revived: *mut usize,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let revived = unsafe { out("revived", revived) }?;
        revived.set(memory.upkeep().retry_outbox(max_retries)?);
        Ok(())
    })
}

fn maintain_budget(budget: &recallite_maintain_budget) -> Result<MaintainBudget> {
    let mut wanted = MaintainBudget::default();
    if boolean("has_graduate_events", budget.has_graduate_events)? {
        wanted.graduate_events = budget.graduate_events;
    }
    if boolean("has_merges", budget.has_merges)? {
        wanted.merges = budget.merges;
    }
    if budget.merge_events != 0 {
        wanted.merge_events = budget.merge_events;
    }
    if boolean("has_jobs", budget.has_jobs)? {
        wanted.jobs = budget.jobs;
    }
    if boolean("has_graph_vectors", budget.has_graph_vectors)? {
        wanted.graph_vectors = budget.graph_vectors;
    }
    wanted.time_ms = (budget.time_ms != 0).then_some(budget.time_ms);
    Ok(wanted)
}

fn maintained_view(done: &Maintained) -> recallite_maintained {
    recallite_maintained {
        merges: done.merges,
        jobs_done: done.jobs_done,
        jobs_failed: done.jobs_failed,
        jobs_revived: done.jobs_revived,
        jobs_cleaned: done.jobs_cleaned,
        jobs_waiting: done.jobs_waiting,
        judged: done.judged,
        moved: done.moved,
        insights: done.insights,
        consolidated: done.consolidated,
        flushed: done.flushed,
        has_more: done.has_more,
        compaction_pays: done.compaction_pays,
        graph_vectors: done.graph_vectors,
        erasures_completed: done.erasures_completed,
        erasures_open: done.erasures_open,
    }
}

fn processed_view(parts: &mut Parts, done: Processed) -> recallite_processed {
    let (errors, errors_len) =
        parts.list(done.errors, |parts, (job, message)| recallite_job_failure {
            job: job.0,
            message: parts.text(message),
        });
    recallite_processed {
        processed: done.processed,
        succeeded: done.succeeded,
        failed: done.failed,
        skipped: done.skipped,
        errors,
        errors_len,
    }
}
