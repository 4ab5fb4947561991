//! Where the quotes of an entry or a task stand, as the store keeps it.

use recallite::rules::entries::{EvidenceReport, EvidenceSpan, MissingQuote};

use crate::learn::word::number;
use crate::owned::Parts;
use crate::text::recallite_str;

/// Where a quote stands in its message, without its text.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_evidence_span {
    /// BLAKE3 of the quote as it was given, 64 hexadecimal digits.
    pub quote_hash: recallite_str,
    /// The id of the event that holds the message; absent when it is not known.
    pub event_id: recallite_str,
    /// First byte of the quote in the UTF-8 message.
    pub span_start: u64,
    /// The byte after the last.
    pub span_end: u64,
    /// How sure, from 0 to 1.
    pub confidence: f64,
    /// Which message of the session, counted from 0.
    pub message_index: u32,
    /// How it was found: one of recallite_match_method.
    pub match_method: i32,
}

/// A quote that was not found, without its text.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_missing_quote {
    /// BLAKE3 of the quote as it was given, 64 hexadecimal digits.
    pub quote_hash: recallite_str,
    /// Why, for example "not_found": the name of a recallite_failure_reason.
    pub reason: recallite_str,
    /// Which message of the session, counted from 0.
    pub message_index: u32,
}

/// What looking up the quotes of an entry or a task gave. It lives as long as
/// the result that holds it.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_evidence_report {
    /// Pointers to the quotes that were found.
    pub aligned: *const *const recallite_evidence_span,
    /// How many.
    pub aligned_len: usize,
    /// Pointers to the quotes that were not found.
    pub failed: *const *const recallite_missing_quote,
    /// How many.
    pub failed_len: usize,
}

/// Puts a report among the parts of a result.
pub(crate) fn evidence(
    parts: &mut Parts,
    report: &EvidenceReport,
) -> *const recallite_evidence_report {
    let (aligned, aligned_len) = parts.list(report.aligned.clone(), span);
    let (failed, failed_len) = parts.list(report.failed.clone(), missing);
    parts.one(recallite_evidence_report {
        aligned,
        aligned_len,
        failed,
        failed_len,
    })
}

fn span(parts: &mut Parts, quote: EvidenceSpan) -> recallite_evidence_span {
    recallite_evidence_span {
        quote_hash: parts.text(quote.quote_hash),
        event_id: parts.optional(quote.event_id),
        span_start: quote.span_start,
        span_end: quote.span_end,
        confidence: quote.confidence,
        message_index: quote.message_index,
        match_method: number(quote.method),
    }
}

fn missing(parts: &mut Parts, quote: MissingQuote) -> recallite_missing_quote {
    recallite_missing_quote {
        quote_hash: parts.text(quote.quote_hash),
        reason: parts.text(quote.reason),
        message_index: quote.message_index,
    }
}
