//! The work that may wait: upkeep in small steps, and the outbox of texts to
//! embed.

use std::mem::offset_of;

use recallite::{MaintainBudget, Result};

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;

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
    /// Whether learn_messages is given.
    pub has_learn_messages: c_bool,
    /// Messages that rules learn from, in sessions that ended or fell silent; read
    /// when has_learn_messages is set. Default: 200.
    pub learn_messages: usize,
}

// SAFETY: repr(C), the size comes first, and integers and bytes take every bit
// pattern.
unsafe impl Input for recallite_maintain_budget {
    const FIRST_SIZE: usize = offset_of!(recallite_maintain_budget, graph_vectors);
}

/// Does what may wait, a bounded step of each: writes noted accesses, flushes and
/// merges the index, graduates, consolidates, learns by rules from sessions that ended
/// or fell silent, works off outbox jobs, builds graphs of vectors. Call it when the
/// program is idle, until has_more is false. What an embedder does wrong is counted in
/// jobs_failed.
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
            maintained.set(give_one(done));
        }
        Ok(())
    })
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
            processed.set(give_one(done));
        }
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
    if boolean("has_learn_messages", budget.has_learn_messages)? {
        wanted.learn_messages = budget.learn_messages;
    }
    wanted.time_ms = (budget.time_ms != 0).then_some(budget.time_ms);
    Ok(wanted)
}
