//! Finds where quotes stand in messages: functions that need no memory.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use napi::Either;
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::Result;
use recallite::rules::align::{self, AlignOptions, Alignment, EvidenceQuote, QuoteSpan};

use super::each;
use crate::cancel::{NativeCancel, switch};
use crate::convert::take;
use crate::generated::NativeAlignOptions;
use crate::input;
use crate::outcome::{Job, Outcome, now};
use crate::output::size;

/// A quote and the number of the message that it is said to come from.
#[napi(object, object_to_js = false)]
pub struct NativeEvidenceQuote {
    pub message_index: f64,
    pub quote: String,
}

/// A quote whose place is known; `start` and `end` count UTF-16 code units.
#[napi(object, object_from_js = false)]
pub struct NativeAlignedQuote {
    pub is_aligned: bool,
    pub message_index: f64,
    pub quote: String,
    pub quote_hash: String,
    pub start: f64,
    pub end: f64,
    pub start_byte: f64,
    pub end_byte: f64,
    pub match_method: String,
    pub confidence: f64,
    pub ambiguous: bool,
    pub alternative_count: f64,
}

/// A quote whose place was not found.
#[napi(object, object_from_js = false)]
pub struct NativeFailedQuote {
    pub is_aligned: bool,
    pub message_index: f64,
    pub quote: String,
    pub quote_hash: String,
    pub reason: String,
}

#[napi(object, object_from_js = false)]
pub struct NativeAlignmentReport {
    pub evidence_aligned: bool,
    pub results: Vec<Either<NativeAlignedQuote, NativeFailedQuote>>,
}

/// A message's number. What is no whole number names no message, as models
/// make such numbers up: the report says so, and the other quotes go on.
fn message_index(given: f64) -> usize {
    input::size("message_index", given).unwrap_or(usize::MAX)
}

/// Start and end in UTF-16 code units, then in bytes.
fn places(span: &QuoteSpan) -> Result<[f64; 4]> {
    Ok([
        size(span.utf16.start)?,
        size(span.utf16.end)?,
        size(span.bytes.start)?,
        size(span.bytes.end)?,
    ])
}

fn run(
    messages: &[String],
    evidence: Vec<NativeEvidenceQuote>,
    options: NativeAlignOptions,
) -> Result<NativeAlignmentReport> {
    let options: AlignOptions = take("", options)?;
    let given: Vec<f64> = evidence.iter().map(|item| item.message_index).collect();
    let evidence: Vec<EvidenceQuote> = evidence
        .into_iter()
        .map(|item| EvidenceQuote::new(message_index(item.message_index), item.quote))
        .collect();
    let report = align::align_with(&borrowed(messages), &evidence, &options)?;
    let results = each(
        report.results.into_iter().zip(given),
        |(result, message_index)| {
            Ok(match result {
                Alignment::Aligned(quote) => {
                    let [start, end, start_byte, end_byte] = places(&quote.span)?;
                    Either::A(NativeAlignedQuote {
                        is_aligned: true,
                        message_index,
                        quote: quote.quote,
                        quote_hash: quote.quote_hash,
                        start,
                        end,
                        start_byte,
                        end_byte,
                        match_method: quote.match_method.as_str().to_owned(),
                        confidence: quote.confidence,
                        ambiguous: quote.ambiguous,
                        alternative_count: size(quote.alternative_count)?,
                    })
                }
                Alignment::Failed(quote) => Either::B(NativeFailedQuote {
                    is_aligned: false,
                    message_index,
                    quote: quote.quote,
                    quote_hash: quote.quote_hash,
                    reason: quote.reason.as_str().to_owned(),
                }),
            })
        },
    )?;
    Ok(NativeAlignmentReport {
        evidence_aligned: report.evidence_aligned,
        results,
    })
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Looks up quotes in messages, on a worker.
#[napi(
    catch_unwind,
    ts_return_type = "Promise<NativeAlignmentReport | Failure>"
)]
pub fn align(
    messages: Vec<String>,
    evidence: Vec<NativeEvidenceQuote>,
    options: NativeAlignOptions,
    cancel: Option<&NativeCancel>,
) -> AsyncTask<Job<NativeAlignmentReport>> {
    AsyncTask::new(Job::new(Arc::default(), switch(cancel), move || {
        run(&messages, evidence, options)
    }))
}

/// Looks up quotes in messages, blocking.
#[napi(catch_unwind)]
pub fn align_sync(
    messages: Vec<String>,
    evidence: Vec<NativeEvidenceQuote>,
    options: NativeAlignOptions,
) -> Outcome<NativeAlignmentReport> {
    now(&AtomicBool::new(false), || {
        run(&messages, evidence, options)
    })
}
