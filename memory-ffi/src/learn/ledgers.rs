//! The ledgers of learning: which run made what, what rose, how long each stage
//! took.

use std::ffi::c_char;

use recallite::rules::ledgers::{
    BuildOutcome, BuildRun, PipelineMetric, PipelineStage, PromotionRecord,
};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::learn::give_list;
use crate::learn::word::{self, number, words};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// How a run of the pipeline stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_build_status {
    /// It goes on.
    RECALLITE_BUILD_RUNNING = 1,
    /// It ended well.
    RECALLITE_BUILD_SUCCESS = 2,
    /// It ended badly.
    RECALLITE_BUILD_FAILED = 3,
}

/// The stages of the pipeline that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_pipeline_stage {
    /// The messages of a session were taken in.
    RECALLITE_PIPELINE_INGEST = 1,
    /// A language model extracted.
    RECALLITE_PIPELINE_EXTRACTION = 2,
    /// Quotes were looked up.
    RECALLITE_PIPELINE_ALIGN = 3,
    /// Entries were type checked.
    RECALLITE_PIPELINE_CHECK = 4,
    /// Entries became records.
    RECALLITE_PIPELINE_MATERIALIZE = 5,
    /// Tasks were resolved.
    RECALLITE_PIPELINE_RESOLVE = 6,
    /// Events were folded into tables.
    RECALLITE_PIPELINE_PROJECT = 7,
    /// Vectors and postings were written.
    RECALLITE_PIPELINE_INDEX = 8,
}

words! {
    PipelineStage => recallite_pipeline_stage {
        Ingest = RECALLITE_PIPELINE_INGEST c"ingest",
        Extraction = RECALLITE_PIPELINE_EXTRACTION c"extraction",
        Align = RECALLITE_PIPELINE_ALIGN c"align",
        Check = RECALLITE_PIPELINE_CHECK c"check",
        Materialize = RECALLITE_PIPELINE_MATERIALIZE c"materialize",
        Resolve = RECALLITE_PIPELINE_RESOLVE c"resolve",
        Project = RECALLITE_PIPELINE_PROJECT c"project",
        Index = RECALLITE_PIPELINE_INDEX c"index",
    }
}

/// The stable name of a build status: "running", "success" or "failed";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_build_status_name(status: i32) -> *const c_char {
    let is = |known: recallite_build_status| status == known as i32;
    let name = if is(recallite_build_status::RECALLITE_BUILD_RUNNING) {
        c"running"
    } else if is(recallite_build_status::RECALLITE_BUILD_SUCCESS) {
        c"success"
    } else if is(recallite_build_status::RECALLITE_BUILD_FAILED) {
        c"failed"
    } else {
        c"unknown"
    };
    name.as_ptr()
}

/// The stable name of a stage of the pipeline, for example "materialize";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_pipeline_stage_name(stage: i32) -> *const c_char {
    word::name::<PipelineStage>(stage)
}

/// One run of the pipeline.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_build_run {
    /// Its identity; what it makes carries it.
    pub build_id: recallite_str,
    /// Which language model extracted; empty when nobody said.
    pub extractor_model: recallite_str,
    /// The hash of its prompt; empty when nobody said.
    pub extractor_prompt_hash: recallite_str,
    /// Which embedder made the vectors; empty for none.
    pub embedder_model: recallite_str,
    /// The embedder's fingerprint; empty for none.
    pub embedding_version: recallite_str,
    /// Which type checker looked at the entries; empty for none.
    pub idris_version: recallite_str,
    /// Which extraction schema was used.
    pub schema_version: recallite_str,
    /// What went wrong; absent unless it failed.
    pub error: recallite_str,
    /// When it began, in milliseconds since 1970 UTC.
    pub started_ms: i64,
    /// When it ended, in milliseconds since 1970 UTC; 0 unless has_finished.
    pub finished_ms: i64,
    /// How it stands: one of recallite_build_status.
    pub status: i32,
    /// Whether it has ended.
    pub has_finished: bool,
}

/// Several runs. Free it with recallite_build_run_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_build_run_list {
    /// Pointers to the runs.
    pub items: *const *const recallite_build_run,
    /// How many.
    pub len: usize,
}

/// How long one stage of the pipeline took.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_pipeline_metric {
    /// The session that it was about; absent for none.
    pub session: recallite_str,
    /// What went wrong; absent when it went well.
    pub error: recallite_str,
    /// When it ended, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// How long it took, in milliseconds.
    pub latency_ms: f64,
    /// The stage: one of recallite_pipeline_stage.
    pub stage: i32,
}

/// Several metrics. Free it with recallite_pipeline_metric_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_pipeline_metric_list {
    /// Pointers to the metrics.
    pub items: *const *const recallite_pipeline_metric,
    /// How many.
    pub len: usize,
}

/// An entry that rose, or was refused.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_promotion {
    /// The entry.
    pub entry_id: recallite_str,
    /// Why it rose or was refused.
    pub reason: recallite_str,
    /// The run that it belongs to; absent for none.
    pub build_id: recallite_str,
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// Where it stood: one of recallite_stage.
    pub from_stage: i32,
    /// Where it rose, or would have: one of recallite_stage.
    pub to_stage: i32,
    /// Whether it was refused.
    pub is_blocked: bool,
}

/// Several promotions. Free it with recallite_promotion_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_promotion_list {
    /// Pointers to the promotions.
    pub items: *const *const recallite_promotion,
    /// How many.
    pub len: usize,
}

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
        runs.set(give_list!(recallite_build_run_list, found, build_run));
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
        metrics.set(give_list!(
            recallite_pipeline_metric_list,
            found,
            pipeline_metric
        ));
        Ok(())
    })
}

/// The promotions of entries and the refusals, in the order of the log.
///
/// @param[in] memory the memory.
/// @param[out] promotions the list, to be freed with recallite_promotion_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_promotions(
    memory: *mut recallite_memory,
    promotions: *mut *mut recallite_promotion_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let promotions = unsafe { out("promotions", promotions) }?;
        let found = memory.history().promotions()?;
        promotions.set(give_list!(recallite_promotion_list, found, promotion));
        Ok(())
    })
}

/// Frees a list of runs and the runs in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_build_run_list_free(runs: *mut recallite_build_run_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(runs) });
}

/// Frees a list of metrics and the metrics in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_pipeline_metric_list_free(
    metrics: *mut recallite_pipeline_metric_list,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(metrics) });
}

/// Frees a list of promotions and the promotions in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_promotion_list_free(promotions: *mut recallite_promotion_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(promotions) });
}

fn build_run(parts: &mut Parts, run: BuildRun) -> recallite_build_run {
    use recallite_build_status::*;
    let (status, finished, error) = match run.outcome {
        BuildOutcome::Running => (RECALLITE_BUILD_RUNNING, None, None),
        BuildOutcome::Success { finished_at } => (RECALLITE_BUILD_SUCCESS, Some(finished_at), None),
        BuildOutcome::Failed { finished_at, error } => {
            (RECALLITE_BUILD_FAILED, Some(finished_at), Some(error))
        }
    };
    recallite_build_run {
        build_id: parts.text(run.build_id),
        extractor_model: parts.text(run.tools.extractor_model),
        extractor_prompt_hash: parts.text(run.tools.extractor_prompt_hash),
        embedder_model: parts.text(run.tools.embedder_model),
        embedding_version: parts.text(run.tools.embedding_version),
        idris_version: parts.text(run.tools.idris_version),
        schema_version: parts.text(run.tools.schema_version),
        error: parts.optional(error),
        started_ms: run.started_at.millis(),
        finished_ms: crate::learn::millis(finished),
        status: status as i32,
        has_finished: finished.is_some(),
    }
}

fn pipeline_metric(parts: &mut Parts, metric: PipelineMetric) -> recallite_pipeline_metric {
    recallite_pipeline_metric {
        session: parts.optional(metric.session),
        error: parts.optional(metric.error),
        at_ms: metric.at.millis(),
        latency_ms: metric.latency_ms,
        stage: number(metric.stage),
    }
}

fn promotion(parts: &mut Parts, record: PromotionRecord) -> recallite_promotion {
    recallite_promotion {
        entry_id: parts.text(record.entry_id.as_str()),
        reason: parts.text(record.reason),
        build_id: parts.optional(record.build_id),
        at_ms: record.at.millis(),
        from_stage: number(record.from),
        to_stage: number(record.to),
        is_blocked: record.is_blocked,
    }
}
