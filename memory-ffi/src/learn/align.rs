//! Finding the words that prove something: quotes in messages, claims in a
//! source.

use recallite::rules::align::{Alignment, FailureReason, MatchMethod, align_with};

use crate::call::{guard, guard_free, out};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::owned::{self, Parts};
use crate::owned::{Show, recallite_quote_span, recallite_span};
use crate::text::recallite_str;
use crate::words::number;

/// What became of one quote.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_alignment {
    /// Which message it was said to come from, counted from 0.
    pub message_index: usize,
    /// The quote as it was given.
    pub quote: recallite_str,
    /// BLAKE3 of the quote as it was given, 64 hexadecimal digits.
    pub quote_hash: recallite_str,
    /// Where it lies in the message; all zero unless aligned.
    pub span: recallite_quote_span,
    /// From 0 to 1; 0 unless aligned.
    pub confidence: f64,
    /// How many other places fit equally well.
    pub alternative_count: usize,
    /// The step that found it: one of recallite_match_method.
    pub match_method: i32,
    /// Why it was not found: one of recallite_failure_reason.
    pub failure_reason: i32,
    /// Whether its place is known.
    pub aligned: bool,
    /// Whether other places fit equally well. The first was taken, unless
    /// reject_ambiguous was set.
    pub ambiguous: bool,
}

/// What became of several quotes. Free it with recallite_alignment_report_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_alignment_report {
    /// Pointers to the results, in the order of the quotes.
    pub items: *const *const recallite_alignment,
    /// How many.
    pub len: usize,
    /// How many quotes were aligned.
    pub aligned_count: usize,
    /// How many were not.
    pub failed_count: usize,
    /// Whether every quote was; true when there are none.
    pub evidence_aligned: bool,
}

/// Finds the places in a session's messages that quotes were taken from, so
/// that nobody has to trust an offset that a model made up.
///
/// Each quote is searched exactly, then normalised, then fuzzily; the first
/// step that succeeds decides. Nothing is stored.
///
/// @param[in] messages the texts of the messages.
/// @param[in] messages_len how many.
/// @param[in] quotes an array of quotes, each with the same struct_size.
/// @param[in] quotes_len how many.
/// @param[in] options how to search; NULL for the defaults.
/// @param[out] report what became of each quote, to be freed with
///     recallite_alignment_report_free. A quote that is not found is a result,
///     not an error.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for an option out of its range or text
///     that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_align(
    messages: *const recallite_str,
    messages_len: usize,
    quotes: *const recallite_evidence_quote,
    quotes_len: usize,
    options: *const recallite_align_options,
    report: *mut *mut recallite_alignment_report,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (messages, quotes, options, report) = unsafe {
            (
                input::texts("messages", messages, messages_len)?,
                // SAFETY: the texts of the quotes are absent or readable.
                input::structs(
                    "quotes",
                    quotes,
                    quotes_len,
                    |quote: &recallite_evidence_quote| quote.made(""),
                )?,
                recallite_align_options::taken("options", options)?,
                out("report", report)?,
            )
        };
        let found = align_with(&messages, &quotes, &options)?;
        report.set(owned::give(|parts| {
            let (aligned_count, failed_count) = (found.aligned_count(), found.failed_count());
            let evidence_aligned = found.evidence_aligned;
            let (items, len) = parts.list(found.results, alignment);
            recallite_alignment_report {
                items,
                len,
                aligned_count,
                failed_count,
                evidence_aligned,
            }
        }));
        Ok(())
    })
}

/// Frees what became of quotes. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_alignment_report_free(report: *mut recallite_alignment_report) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(report) });
}

const NOWHERE: recallite_span = recallite_span { start: 0, end: 0 };

fn alignment(parts: &mut Parts, result: Alignment) -> recallite_alignment {
    match result {
        Alignment::Aligned(quote) => recallite_alignment {
            message_index: quote.message_index,
            quote: parts.text(quote.quote),
            quote_hash: parts.text(quote.quote_hash),
            span: quote.span.show(parts),
            confidence: quote.confidence,
            alternative_count: quote.alternative_count,
            match_method: number(&quote.match_method),
            failure_reason: recallite_failure_reason::RECALLITE_FAILURE_REASON_UNSET as i32,
            aligned: true,
            ambiguous: quote.ambiguous,
        },
        Alignment::Failed(quote) => recallite_alignment {
            message_index: quote.message_index,
            quote: parts.text(quote.quote),
            quote_hash: parts.text(quote.quote_hash),
            span: recallite_quote_span {
                bytes: NOWHERE,
                utf16: NOWHERE,
                chars: NOWHERE,
            },
            confidence: 0.0,
            alternative_count: 0,
            match_method: number(&MatchMethod::None),
            failure_reason: number(&quote.reason),
            aligned: false,
            ambiguous: quote.reason == FailureReason::Ambiguous,
        },
    }
}
