//! Finding the words that prove something: quotes in messages, claims in a
//! source.

use std::ffi::c_char;

use recallite::Result;
use recallite::rules::align::{
    AlignOptions, AlignedClaim, Alignment, ClaimsAlignment, EvidenceQuote, FailureReason,
    MatchMethod, QuoteSpan, Span, align_claims, align_with, check_grounding, extract_claims,
};

use crate::call::{guard, guard_free, out};
use crate::error::recallite_error;
use crate::input::{self, Input, boolean, c_bool};
use crate::learn::word::{self, number, words};
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::{recallite_str, recallite_string_list};

/// Which step found a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_match_method {
    /// No step did.
    RECALLITE_MATCH_NONE = 0,
    /// The quote stands literally in the message; confidence 1.
    RECALLITE_MATCH_EXACT = 1,
    /// It does once whitespace, letter case and Unicode forms are evened out;
    /// confidence 0.95.
    RECALLITE_MATCH_NORMALIZED = 2,
    /// Something similar stands there; confidence below 0.95.
    RECALLITE_MATCH_FUZZY = 3,
}

/// Why a quote was not aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_failure_reason {
    /// It was aligned.
    RECALLITE_FAILURE_NONE = 0,
    /// There is no message with this index.
    RECALLITE_FAILURE_INVALID_INDEX = 1,
    /// The quote is empty or only whitespace.
    RECALLITE_FAILURE_EMPTY_QUOTE = 2,
    /// Nothing in the message resembles the quote.
    RECALLITE_FAILURE_NOT_FOUND = 3,
    /// Some piece of the message resembles the quote, but not enough.
    RECALLITE_FAILURE_BELOW_THRESHOLD = 4,
    /// The quote fits several places, and reject_ambiguous is set.
    RECALLITE_FAILURE_AMBIGUOUS = 5,
}

words! {
    MatchMethod => recallite_match_method {
        None = RECALLITE_MATCH_NONE c"none",
        Exact = RECALLITE_MATCH_EXACT c"exact",
        Normalized = RECALLITE_MATCH_NORMALIZED c"normalized",
        Fuzzy = RECALLITE_MATCH_FUZZY c"fuzzy",
    }
    FailureReason => recallite_failure_reason {
        InvalidIndex = RECALLITE_FAILURE_INVALID_INDEX c"invalid_index",
        EmptyQuote = RECALLITE_FAILURE_EMPTY_QUOTE c"empty_quote",
        NotFound = RECALLITE_FAILURE_NOT_FOUND c"not_found",
        BelowThreshold = RECALLITE_FAILURE_BELOW_THRESHOLD c"below_threshold",
        Ambiguous = RECALLITE_FAILURE_AMBIGUOUS c"ambiguous",
    }
}

/// The stable name of a match method, for example "normalized";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_match_method_name(method: i32) -> *const c_char {
    word::name::<MatchMethod>(method)
}

/// The stable name of a failure reason, for example "below_threshold";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_failure_reason_name(reason: i32) -> *const c_char {
    word::name::<FailureReason>(reason)
}

/// A quote and the message that it is said to come from. Begin with
/// RECALLITE_INIT(recallite_evidence_quote); quote must be given.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_evidence_quote {
    /// sizeof(recallite_evidence_quote).
    pub struct_size: usize,
    /// Which message, counted from 0.
    pub message_index: usize,
    /// The words of the message, as an extractor gives them; 30 to 200
    /// characters are best.
    pub quote: recallite_str,
}

// SAFETY: repr(C), the size comes first, and numbers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_evidence_quote {
    const FIRST_SIZE: usize = size_of::<recallite_evidence_quote>();
}

/// How quotes are searched. Begin with RECALLITE_INIT(recallite_align_options);
/// a field that is zero has its default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_align_options {
    /// sizeof(recallite_align_options).
    pub struct_size: usize,
    /// The smallest similarity of a fuzzy match, 0.5 to 1. Default: 0.85.
    pub fuzzy_threshold: f64,
    /// Quotes with more characters than this are only searched exactly and
    /// normalised, at most 10,000; read when has_max_fuzzy_quote_chars is set.
    /// Default: 500.
    pub max_fuzzy_quote_chars: usize,
    /// Whether max_fuzzy_quote_chars is given.
    pub has_max_fuzzy_quote_chars: c_bool,
    /// Refuse a quote that fits several places instead of taking the first.
    pub reject_ambiguous: c_bool,
}

// SAFETY: repr(C), the size comes first, and numbers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_align_options {
    const FIRST_SIZE: usize = size_of::<recallite_align_options>();
}

/// A half-open range: start belongs to it, end does not.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_span {
    /// The first position inside.
    pub start: usize,
    /// The first position after.
    pub end: usize,
}

/// A piece of a text, counted in three units; all name the same characters.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_quote_span {
    /// In bytes of UTF-8 (C, C++, Rust).
    pub bytes: recallite_span,
    /// In UTF-16 code units (JavaScript, Java, Windows).
    pub utf16: recallite_span,
    /// In Unicode code points (Python).
    pub chars: recallite_span,
}

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

/// A claim that the source supports.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_aligned_claim {
    /// Which claim, counted from 0 in the list given.
    pub claim_index: usize,
    /// Where the source supports it.
    pub span: recallite_quote_span,
    /// 1 for exact, otherwise the share of common words.
    pub confidence: f64,
    /// RECALLITE_MATCH_EXACT or RECALLITE_MATCH_FUZZY.
    pub match_method: i32,
}

/// What became of several claims. Free it with
/// recallite_claims_alignment_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_claims_alignment {
    /// Pointers to the supported claims, in the order given.
    pub items: *const *const recallite_aligned_claim,
    /// How many.
    pub len: usize,
    /// The claims without support, each by its index in the list given.
    pub missing: *const usize,
    /// How many such claims.
    pub missing_len: usize,
    /// Aligned claims divided by claims given; 1 when there are none.
    pub confidence: f64,
    /// Whether at most two claims are missing.
    pub is_aligned: bool,
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
                input::structs("quotes", quotes, quotes_len, |quote| {
                    // SAFETY: the quote's text is absent or readable.
                    let text = quote.quote.required("quote")?;
                    Ok(EvidenceQuote::new(quote.message_index, text))
                })?,
                input::read_or_default("options", options)?,
                out("report", report)?,
            )
        };
        let found = align_with(&messages, &quotes, &align_options(&options)?)?;
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

/// Looks for each claim in a source. Letter case, punctuation and whitespace do
/// not count, and a claim of fewer than 10 characters is passed over.
///
/// @param[in] claims the claims.
/// @param[in] claims_len how many.
/// @param[in] source the text that should support them.
/// @param[out] result which claims are supported and where, to be freed with
///     recallite_claims_alignment_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_align_claims(
    claims: *const recallite_str,
    claims_len: usize,
    source: recallite_str,
    result: *mut *mut recallite_claims_alignment,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (claims, source, result) = unsafe {
            (
                input::texts("claims", claims, claims_len)?,
                source.required("source")?,
                out("result", result)?,
            )
        };
        let found = align_claims(&claims, source);
        result.set(owned::give(|parts| claims_alignment(parts, found)));
        Ok(())
    })
}

/// The claims of a response: its sentences of at least 10 characters that are
/// no questions.
///
/// @param[in] response the response.
/// @param[out] claims the sentences, to be freed with
///     recallite_string_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_extract_claims(
    response: recallite_str,
    claims: *mut *mut recallite_string_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (response, claims) =
            unsafe { (response.required("response")?, out("claims", claims)?) };
        let found = extract_claims(response);
        claims.set(owned::give(|parts| {
            let (items, len) = parts.texts(found.into_iter().map(str::to_owned));
            recallite_string_list { items, len }
        }));
        Ok(())
    })
}

/// Whether a response is grounded: aligns its claims with the contexts.
///
/// @param[in] response the response.
/// @param[in] contexts the texts that it should rest on.
/// @param[in] contexts_len how many.
/// @param[out] result as recallite_align_claims; spans lie in the contexts
///     joined by a space.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_check_grounding(
    response: recallite_str,
    contexts: *const recallite_str,
    contexts_len: usize,
    result: *mut *mut recallite_claims_alignment,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (response, contexts, result) = unsafe {
            (
                response.required("response")?,
                input::texts("contexts", contexts, contexts_len)?,
                out("result", result)?,
            )
        };
        let found = check_grounding(response, &contexts);
        result.set(owned::give(|parts| claims_alignment(parts, found)));
        Ok(())
    })
}

/// Frees what became of quotes. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_alignment_report_free(report: *mut recallite_alignment_report) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(report) });
}

/// Frees what became of claims. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_claims_alignment_free(result: *mut recallite_claims_alignment) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(result) });
}

fn align_options(options: &recallite_align_options) -> Result<AlignOptions> {
    let mut wanted = AlignOptions::default();
    if options.fuzzy_threshold != 0.0 {
        wanted.fuzzy_threshold = options.fuzzy_threshold;
    }
    if boolean(
        "has_max_fuzzy_quote_chars",
        options.has_max_fuzzy_quote_chars,
    )? {
        wanted.max_fuzzy_quote_chars = options.max_fuzzy_quote_chars;
    }
    wanted.reject_ambiguous = boolean("reject_ambiguous", options.reject_ambiguous)?;
    Ok(wanted)
}

const NOWHERE: recallite_span = recallite_span { start: 0, end: 0 };

fn quote_span(span: QuoteSpan) -> recallite_quote_span {
    let view = |span: Span| recallite_span {
        start: span.start,
        end: span.end,
    };
    recallite_quote_span {
        bytes: view(span.bytes),
        utf16: view(span.utf16),
        chars: view(span.chars),
    }
}

fn alignment(parts: &mut Parts, result: Alignment) -> recallite_alignment {
    match result {
        Alignment::Aligned(quote) => recallite_alignment {
            message_index: quote.message_index,
            quote: parts.text(quote.quote),
            quote_hash: parts.text(quote.quote_hash),
            span: quote_span(quote.span),
            confidence: quote.confidence,
            alternative_count: quote.alternative_count,
            match_method: number(quote.match_method),
            failure_reason: recallite_failure_reason::RECALLITE_FAILURE_NONE as i32,
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
            match_method: number(MatchMethod::None),
            failure_reason: number(quote.reason),
            aligned: false,
            ambiguous: quote.reason == FailureReason::Ambiguous,
        },
    }
}

fn claim(_: &mut Parts, claim: AlignedClaim) -> recallite_aligned_claim {
    recallite_aligned_claim {
        claim_index: claim.claim_index,
        span: quote_span(claim.span),
        confidence: claim.confidence,
        match_method: number(claim.match_method),
    }
}

fn claims_alignment(parts: &mut Parts, found: ClaimsAlignment) -> recallite_claims_alignment {
    let (items, len) = parts.list(found.aligned, claim);
    recallite_claims_alignment {
        items,
        len,
        missing_len: found.missing.len(),
        missing: parts.array(found.missing),
        confidence: found.confidence,
        is_aligned: found.is_aligned,
    }
}
