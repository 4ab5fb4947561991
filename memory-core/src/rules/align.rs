//! Evidence alignment: finds the place in a session's messages that a quote was
//! taken from, so that nobody has to trust an offset that a model made up.
//!
//! An extractor gives quotes, never offsets. [`align`] tries three steps for each quote and
//! uses the first that succeeds, even if a later one would score higher elsewhere:
//!
//! 1. **exact**: the message contains the quote; confidence 1.0.
//! 2. **normalized**: the message contains the quote after whitespace runs become one space
//!    and letters become lowercase, or after NFKC is applied and format characters are dropped
//!    as well; confidence 0.95.
//! 3. **fuzzy**: a window of n, ⌊1.1n⌋ or ⌊1.2n⌋ normalised characters (n is the quote's
//!    length) has a Levenshtein similarity of at least the threshold. The best window wins;
//!    among equally good ones the smaller, then the earlier. The space at
//!    the beginning or end of a window is no part of the span. A message shorter than the quote
//!    has no window. The confidence is the similarity, kept below 0.95.
//!
//! Everything here is a pure function. Steps 1 and 2 take time proportional to
//! message plus quote. Step 3 takes ⌈n/64⌉ machine steps per character of the
//! message, plus ⌈n/64⌉ · 1.2n for each position that may hold a match; it is not
//! tried for quotes above [`AlignOptions::max_fuzzy_quote_chars`]. Long messages
//! need no cutting into chunks.

mod claims;
mod distance;
mod facts;
mod fuzzy;
mod normalize;
mod span;

use std::cell::OnceCell;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::model::error::{Error, Result};
use crate::model::read::words;

pub use claims::{AlignedClaim, ClaimsAlignment, align_claims, check_grounding, extract_claims};
pub use distance::{levenshtein, similarity};
pub use span::{QuoteSpan, Span};

use fuzzy::Search;
use normalize::{NormalForm, Normalized};

/// The confidence of a quote that was found literally (specification).
pub const EXACT_CONFIDENCE: f64 = 1.0;
/// The confidence of a quote that was found after normalisation (specification).
pub const NORMALIZED_CONFIDENCE: f64 = 0.95;
/// The maximum confidence of a quote that was found only approximately. The specification
/// keeps it below [`NORMALIZED_CONFIDENCE`], although a long quote with one typo is more
/// similar than that.
pub const MAX_FUZZY_CONFIDENCE: f64 = 0.949;

/// A quote and the message that it is claimed to come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceQuote {
    /// The index of the message, counted from 0. Models make up indices: an index that no
    /// message has gives a failed result and does not affect the other quotes.
    pub message_index: i64,
    /// The words of the message, as returned by the extractor; 30 to 200 characters work
    /// best.
    pub quote: String,
}

impl EvidenceQuote {
    /// Creates a quote from the message with this index.
    pub fn new(message_index: i64, quote: impl Into<String>) -> Self {
        EvidenceQuote {
            message_index,
            quote: quote.into(),
        }
    }
}

/// Options for [`align`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AlignOptions {
    /// The minimum similarity of a fuzzy match, from 0.5 to 1.0. Default: 0.85
    /// (specification).
    pub fuzzy_threshold: f64,
    /// The maximum length of a quote for the fuzzy step, in normalised characters. Longer
    /// quotes are searched only exactly and normalized. Default: 500 (specification), at
    /// most 10,000.
    pub max_fuzzy_quote_chars: usize,
    /// Whether a quote that fits several places fails with [`FailureReason::Ambiguous`]
    /// instead of using the first place. Default: false.
    pub reject_ambiguous: bool,
    /// Whether a fuzzy match that says something else fails with
    /// [`FailureReason::SaysOtherwise`]: it has other numbers, more or fewer negations, or a word in
    /// the place of another one ("by Monday" for "by Friday"). Default: false (specification);
    /// answers that are ingested are held to it.
    pub same_facts: bool,
}

impl Default for AlignOptions {
    fn default() -> Self {
        AlignOptions {
            fuzzy_threshold: 0.85,
            max_fuzzy_quote_chars: 500,
            reject_ambiguous: false,
            same_facts: false,
        }
    }
}

impl AlignOptions {
    fn check(&self) -> Result<()> {
        if !(0.5..=1.0).contains(&self.fuzzy_threshold) {
            return Err(Error::invalid(
                "fuzzy_threshold",
                "must be a number from 0.5 to 1.0",
            ));
        }
        if self.max_fuzzy_quote_chars > 10_000 {
            return Err(Error::invalid(
                "max_fuzzy_quote_chars",
                "must be at most 10000",
            ));
        }
        Ok(())
    }
}

/// The step that found a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MatchMethod {
    /// The message contains the quote literally.
    Exact,
    /// The message contains the quote after normalisation.
    Normalized,
    /// The message contains something similar.
    Fuzzy,
    /// The quote was not found.
    None,
}

impl MatchMethod {
    /// Every method, best first.
    pub const ALL: &'static [MatchMethod] = &[
        MatchMethod::Exact,
        MatchMethod::Normalized,
        MatchMethod::Fuzzy,
        MatchMethod::None,
    ];

    /// Returns the stable name, for example `"normalized"`.
    pub fn as_str(self) -> &'static str {
        match self {
            MatchMethod::Exact => "exact",
            MatchMethod::Normalized => "normalized",
            MatchMethod::Fuzzy => "fuzzy",
            MatchMethod::None => "none",
        }
    }
}

impl std::fmt::Display for MatchMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for MatchMethod {
    type Err = Error;

    /// Parses a stable name; anything else is
    /// [`ErrorCode::InvalidArgument`](crate::ErrorCode::InvalidArgument).
    fn from_str(text: &str) -> Result<Self> {
        MatchMethod::ALL
            .iter()
            .copied()
            .find(|method| method.as_str() == text)
            .ok_or_else(|| {
                Error::invalid(
                    "match_method",
                    "unknown value; use one of exact, normalized, fuzzy, none",
                )
            })
    }
}

words! {
    /// Why a quote was not aligned.
    FailureReason ("reason") {
        /// There is no message with this index.
        InvalidIndex = "invalid_index",
        /// The quote is empty or only whitespace.
        EmptyQuote = "empty_quote",
        /// Nothing in the message resembles the quote.
        NotFound = "not_found",
        /// Part of the message resembles the quote (by at least 0.7), but no window reaches
        /// the threshold.
        BelowThreshold = "below_threshold",
        /// The quote fits several places and [`AlignOptions::reject_ambiguous`] is set.
        Ambiguous = "ambiguous",
        /// Part of the message resembles the quote but says something else, and
        /// [`AlignOptions::same_facts`] is set.
        SaysOtherwise = "says_otherwise",
    }
}

/// The result for one quote.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Alignment {
    /// The index of the message it was claimed to come from, as it was given.
    pub message_index: i64,
    /// The quote as it was given.
    pub quote: String,
    /// BLAKE3 of the quote as it was given, 64 hexadecimal digits.
    pub quote_hash: String,
    /// Where it was found in the message, without surrounding whitespace unless the quote
    /// has it and matches exactly.
    pub span: Option<QuoteSpan>,
    /// The text of the message that it matches.
    pub matched_text: Option<String>,
    /// The step that found it.
    pub match_method: MatchMethod,
    /// The confidence, from 0 to 1: exact 1.0, normalized 0.95, fuzzy below that; 0 if it
    /// was not found.
    pub confidence: f64,
    /// Whether other places fit equally well by the same step; the first is used.
    pub ambiguous: bool,
    /// The number of other places that fit. Exact and normalized count every position;
    /// fuzzy counts windows that do not overlap.
    pub alternative_count: usize,
    /// Why it was not found.
    pub reason: Option<FailureReason>,
}

impl Alignment {
    /// Whether the quote was found.
    pub fn is_aligned(&self) -> bool {
        self.span.is_some()
    }
}

/// The result for several quotes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AlignmentReport {
    /// Whether every quote was aligned; true if there are none. Only then can the entry be
    /// promoted to verified.
    pub evidence_aligned: bool,
    /// One result per quote, in the order given.
    pub results: Vec<Alignment>,
}

impl AlignmentReport {
    /// The number of quotes that were aligned.
    pub fn aligned_count(&self) -> usize {
        let aligned = self.results.iter().filter(|result| result.is_aligned());
        aligned.count()
    }

    /// The number of quotes that were not aligned.
    pub fn failed_count(&self) -> usize {
        self.results.len() - self.aligned_count()
    }
}

/// Finds the places in a session's messages that quotes were taken from, so that nobody
/// has to trust an offset that a model made up.
///
/// For each quote, the first of three steps that succeeds is used: exact, normalized,
/// fuzzy. A quote that is not found gives a result that says why. Each message is
/// normalised at most once, however many quotes refer to it.
///
/// ```
/// use recallite::rules::align::{AlignOptions, EvidenceQuote, MatchMethod, align};
///
/// let messages = ["JSONB를   JSON으로\n변경하세요."];
/// let quotes = [EvidenceQuote::new(0, "jsonb를 JSON으로 변경")];
/// let report = align(&messages, &quotes, &AlignOptions::default())?;
/// assert!(report.evidence_aligned);
/// let quote = &report.results[0];
/// assert_eq!(quote.match_method, MatchMethod::Normalized);
/// assert_eq!(quote.matched_text.as_deref(), Some("JSONB를   JSON으로\n변경"));
/// # Ok::<(), recallite::Error>(())
/// ```
///
/// # Errors
/// `invalid_argument` naming an option that is out of its range.
pub fn align(
    messages: &[impl AsRef<str>],
    quotes: &[EvidenceQuote],
    options: &AlignOptions,
) -> Result<AlignmentReport> {
    options.check()?;
    Ok(align_checked(messages, quotes, options))
}

/// [`align`] with options that are already checked.
pub(crate) fn align_checked(
    messages: &[impl AsRef<str>],
    quotes: &[EvidenceQuote],
    options: &AlignOptions,
) -> AlignmentReport {
    let messages: Vec<Message<'_>> = messages
        .iter()
        .map(|text| Message::new(text.as_ref()))
        .collect();
    let results: Vec<Alignment> = quotes
        .iter()
        .map(|item| {
            let message = usize::try_from(item.message_index)
                .ok()
                .and_then(|index| messages.get(index));
            let place = message
                .ok_or(FailureReason::InvalidIndex)
                .and_then(|message| locate(message, &item.quote, options));
            report(item, message, place)
        })
        .collect();
    AlignmentReport {
        evidence_aligned: results.iter().all(Alignment::is_aligned),
        results,
    }
}

fn report(
    item: &EvidenceQuote,
    message: Option<&Message<'_>>,
    place: std::result::Result<QuoteMatch, FailureReason>,
) -> Alignment {
    let reason = place.as_ref().err().copied();
    let place = place.ok();
    let span = place.as_ref().map(|place| place.span);
    let matched = message.zip(span);
    Alignment {
        message_index: item.message_index,
        quote: item.quote.clone(),
        quote_hash: blake3::hash(item.quote.as_bytes()).to_hex().to_string(),
        span,
        matched_text: matched
            .and_then(|(message, span)| message.text.get(span.bytes.range()))
            .map(str::to_owned),
        match_method: place
            .as_ref()
            .map_or(MatchMethod::None, |place| place.method),
        confidence: place.as_ref().map_or(0.0, |place| place.confidence),
        ambiguous: place.as_ref().is_some_and(|place| place.alternatives > 0),
        alternative_count: place.as_ref().map_or(0, |place| place.alternatives),
        reason,
    }
}

/// A message with its normalised forms, computed on demand.
struct Message<'a> {
    text: &'a str,
    basic: OnceCell<Prepared>,
    compatible: OnceCell<Prepared>,
}

struct Prepared {
    normalized: Normalized,
    chars: OnceCell<Vec<char>>,
}

impl<'a> Message<'a> {
    fn new(text: &'a str) -> Self {
        Message {
            text,
            basic: OnceCell::new(),
            compatible: OnceCell::new(),
        }
    }

    fn prepared(&self, form: NormalForm) -> &Prepared {
        let cell = match form {
            NormalForm::Basic => &self.basic,
            NormalForm::Compatible | NormalForm::Words => &self.compatible,
        };
        cell.get_or_init(|| Prepared {
            normalized: Normalized::new(self.text, form),
            chars: OnceCell::new(),
        })
    }
}

impl Prepared {
    fn chars(&self) -> &[char] {
        self.chars
            .get_or_init(|| self.normalized.text.chars().collect())
    }
}

/// The position of a quote in its message.
struct QuoteMatch {
    span: QuoteSpan,
    method: MatchMethod,
    confidence: f64,
    alternatives: usize,
}

fn locate(
    message: &Message<'_>,
    quote: &str,
    options: &AlignOptions,
) -> std::result::Result<QuoteMatch, FailureReason> {
    if quote.chars().all(normalize::is_space) {
        return Err(FailureReason::EmptyQuote);
    }
    let found = |bytes: Range<usize>, method, confidence, alternatives| {
        if alternatives > 0 && options.reject_ambiguous {
            return Err(FailureReason::Ambiguous);
        }
        Ok(QuoteMatch {
            span: QuoteSpan::of_bytes(message.text, bytes)
                .expect("a match lies on the character boundaries of its message"),
            method,
            confidence,
            alternatives,
        })
    };
    if let Some((bytes, alternatives)) = occurrences(message.text, quote) {
        return found(bytes, MatchMethod::Exact, EXACT_CONFIDENCE, alternatives);
    }

    let basic = Normalized::new(quote, NormalForm::Basic).text;
    let mut forms = vec![(NormalForm::Basic, basic)];
    if !message.text.is_ascii() || !quote.is_ascii() {
        let compatible = Normalized::new(quote, NormalForm::Compatible).text;
        let message_changes = || {
            message.prepared(NormalForm::Compatible).normalized.text
                != message.prepared(NormalForm::Basic).normalized.text
        };
        // A quote of nothing but format characters normalises to nothing.
        if !compatible.is_empty() && (compatible != forms[0].1 || message_changes()) {
            forms.push((NormalForm::Compatible, compatible));
        }
    }

    for (form, quote) in &forms {
        let source = &message.prepared(*form).normalized;
        if let Some((bytes, alternatives)) = occurrences(&source.text, quote) {
            let bytes = source.original_of_bytes(bytes);
            let method = MatchMethod::Normalized;
            return found(bytes, method, NORMALIZED_CONFIDENCE, alternatives);
        }
    }

    let (given, mut reason) = (quote, FailureReason::NotFound);
    for (form, quote) in &forms {
        let quote: Vec<char> = quote.chars().collect();
        if quote.len() > options.max_fuzzy_quote_chars {
            continue;
        }
        let source = message.prepared(*form);
        match fuzzy::search(source.chars(), &quote, options.fuzzy_threshold) {
            Search::Found(window) => {
                let bytes = source.normalized.original(window.start..window.end);
                if options.same_facts && !facts::says_the_same(given, message.text, bytes.clone()) {
                    return Err(FailureReason::SaysOtherwise);
                }
                let confidence = window.similarity.min(MAX_FUZZY_CONFIDENCE);
                return found(bytes, MatchMethod::Fuzzy, confidence, window.alternatives);
            }
            Search::Near => reason = FailureReason::BelowThreshold,
            Search::Far => {}
        }
    }
    Err(reason)
}

/// The first position of a non-empty needle, and the number of later ones, overlapping or
/// not. Linear in both lengths.
fn occurrences(haystack: &str, needle: &str) -> Option<(Range<usize>, usize)> {
    let first = haystack.find(needle)?;
    let needle = needle.as_bytes();
    // Knuth-Morris-Pratt: for each prefix, its longest proper border.
    let mut borders = vec![0usize; needle.len()];
    let mut border = 0;
    for at in 1..needle.len() {
        while border > 0 && needle[at] != needle[border] {
            border = borders[border - 1];
        }
        border += usize::from(needle[at] == needle[border]);
        borders[at] = border;
    }
    let (mut matched, mut count) = (0, 0);
    for byte in &haystack.as_bytes()[first..] {
        while matched > 0 && (matched == needle.len() || *byte != needle[matched]) {
            matched = borders[matched - 1];
        }
        matched += usize::from(*byte == needle[matched]);
        count += usize::from(matched == needle.len());
    }
    Some((first..first + needle.len(), count - 1))
}

#[cfg(test)]
mod tests;
