//! The ledgers of learning: which run made what, what rose, how long each stage
//! took.

use crate::call::{out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::give_list;
use crate::status::recallite_status;

/// The runs of the pipeline, the one begun first in front.
///
/// @param[in] memory the memory.
/// @param[out] runs the list, to be freed with recallite_build_run_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_build_runs(
    memory: *mut recallite_memory,
    runs: *mut *mut recallite_build_run_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let runs = unsafe { out("runs", runs) }?;
        let found = memory.history().build_runs()?;
        runs.set(give_list(found));
        Ok(())
    })
}

/// How long each stage of the pipeline took, in the order of the log.
///
/// @param[in] memory the memory.
/// @param[out] metrics the list, to be freed with recallite_pipeline_metric_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_pipeline_metrics(
    memory: *mut recallite_memory,
    metrics: *mut *mut recallite_pipeline_metric_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let metrics = unsafe { out("metrics", metrics) }?;
        let found = memory.history().pipeline_metrics()?;
        metrics.set(give_list(found));
        Ok(())
    })
}

/// The promotions of entries and the refusals, in the order of the log.
///
/// @param[in] memory the memory.
/// @param[out] promotions the list, to be freed with recallite_promotion_record_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_promotions(
    memory: *mut recallite_memory,
    promotions: *mut *mut recallite_promotion_record_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let promotions = unsafe { out("promotions", promotions) }?;
        let found = memory.history().promotions()?;
        promotions.set(give_list(found));
        Ok(())
    })
}
