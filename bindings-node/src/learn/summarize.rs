//! Consolidation with the host's own summaries.
//!
//! The host's summariser is JavaScript and may call a language model: a worker waiting for
//! it would be blocked for everyone else, and for ever if the program exits meanwhile. So a
//! run that reaches a group of events without a summary is abandoned before anything is
//! stored, and asks for it; the host answers, and the run starts over with the known
//! summaries.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use napi_derive::napi;
use recallite::text::keys::content_hash;
use recallite::{ConsolidationReport, Memory, Result};

use crate::convert::give_plain;
use crate::generated::NativeConsolidationReport;
use crate::memory::NativeMemory;
use crate::methods::methods;

/// The host's words for a group; without them the summary made by rules stands.
#[napi(object, object_to_js = false)]
pub struct NativeSummary {
    pub key: String,
    pub summary: Option<String>,
}

/// A group of events that waits for its summary.
#[napi(object, object_from_js = false)]
pub struct NativeSummaryRequest {
    pub key: String,
    pub topics: Vec<String>,
    pub texts: Vec<String>,
}

/// The report of a run, or what it needs to know first.
#[napi(object, object_from_js = false)]
pub struct NativeConsolidation {
    pub report: Option<NativeConsolidationReport>,
    pub request: Option<NativeSummaryRequest>,
}

/// Carried by the unwinding that gives a run up.
struct Unanswered(NativeSummaryRequest);

/// The key of a group, the same in every run.
fn key(topics: &[String], texts: &[String]) -> String {
    // The debug form quotes each text, so different lists have different forms.
    content_hash(&format!("{topics:?} {texts:?}"))
}

fn consolidate(
    memory: &Memory,
    summaries: Option<Vec<NativeSummary>>,
) -> Result<NativeConsolidation> {
    let Some(summaries) = summaries else {
        return done(memory.endless().consolidate()?);
    };
    let known: HashMap<String, Option<String>> = summaries
        .into_iter()
        .map(|answer| (answer.key, answer.summary))
        .collect();
    let mut summarize = |topics: &[String], texts: &[String]| {
        let key = key(topics, texts);
        match known.get(&key) {
            Some(summary) => summary.clone(),
            None => resume_unwind(Box::new(Unanswered(NativeSummaryRequest {
                key,
                topics: topics.to_vec(),
                texts: texts.to_vec(),
            }))),
        }
    };
    // The core calls the summariser outside of write transactions, so that nothing is half
    // done if the run ends here.
    let run = catch_unwind(AssertUnwindSafe(|| {
        memory.endless().consolidate_with(&mut summarize)
    }));
    match run {
        Ok(report) => done(report?),
        Err(panic) => asked(panic),
    }
}

fn done(report: ConsolidationReport) -> Result<NativeConsolidation> {
    Ok(NativeConsolidation {
        report: Some(give_plain(report)?),
        request: None,
    })
}

fn asked(panic: Box<dyn Any + Send>) -> Result<NativeConsolidation> {
    match panic.downcast::<Unanswered>() {
        Ok(unanswered) => Ok(NativeConsolidation {
            report: None,
            request: Some(unanswered.0),
        }),
        Err(panic) => resume_unwind(panic),
    }
}

methods! {
    consolidate / consolidate_sync(summaries: [Option<Vec<NativeSummary>>])
        -> [NativeConsolidation] as "Promise<NativeConsolidation | Failure>" = consolidate;
}
