//! Consolidation with the host's own summaries.
//!
//! The host's summariser is JavaScript and may call a language model: a worker waiting for
//! it would be blocked for everyone else, and for ever if the program exits meanwhile. So a
//! consolidation has two steps, between which the host summarises the groups of events.

use std::sync::Arc;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Memory, PreparedConsolidation, Result};

use crate::cancel::{NativeCancel, switch};
use crate::convert::give_plain;
use crate::generated::NativeConsolidationReport;
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::outcome::{Job, Outcome};

/// A group of events that waits for its summary.
#[napi(object, object_from_js = false)]
pub struct NativeSummaryRequest {
    pub topics: Vec<String>,
    pub texts: Vec<String>,
}

/// A consolidation that waits for its summaries.
#[napi]
pub struct NativeConsolidation(Arc<PreparedConsolidation>);

#[napi]
impl NativeConsolidation {
    /// The groups to summarise.
    #[napi(catch_unwind)]
    pub fn groups(&self) -> Vec<NativeSummaryRequest> {
        let groups = self.0.groups().iter();
        let groups = groups.map(|group| NativeSummaryRequest {
            topics: group.topics.clone(),
            texts: group.texts.clone(),
        });
        groups.collect()
    }
}

fn consolidate(memory: &Memory) -> Result<NativeConsolidationReport> {
    give_plain(memory.endless().consolidate()?)
}

fn prepare(memory: &Memory) -> Result<NativeConsolidation> {
    let prepared = memory.endless().prepare_consolidation()?;
    Ok(NativeConsolidation(Arc::new(prepared)))
}

fn store(
    memory: &Memory,
    prepared: &PreparedConsolidation,
    summaries: Vec<Option<String>>,
) -> Result<NativeConsolidationReport> {
    give_plain(memory.endless().store_consolidation(prepared, summaries)?)
}

methods! {
    consolidate / consolidate_sync()
        -> [NativeConsolidationReport] as "Promise<NativeConsolidationReport | Failure>" = consolidate;
    prepare_consolidation / prepare_consolidation_sync()
        -> [NativeConsolidation] as "Promise<NativeConsolidation | Failure>" = prepare;
}

#[napi]
impl NativeMemory {
    #[napi(
        catch_unwind,
        ts_return_type = "Promise<NativeConsolidationReport | Failure>"
    )]
    pub fn store_consolidation(
        &self,
        prepared: &NativeConsolidation,
        summaries: Vec<Option<String>>,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeConsolidationReport>> {
        let prepared = Arc::clone(&prepared.0);
        AsyncTask::new(self.later(switch(cancel), move |memory| {
            store(memory, &prepared, summaries)
        }))
    }

    #[napi(catch_unwind)]
    pub fn store_consolidation_sync(
        &self,
        prepared: &NativeConsolidation,
        summaries: Vec<Option<String>>,
    ) -> Outcome<NativeConsolidationReport> {
        self.now(|memory| store(memory, &prepared.0, summaries))
    }
}
