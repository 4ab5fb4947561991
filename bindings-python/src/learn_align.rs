//! Evidence alignment: where the quotes of an extractor stand in the messages
//! that they were taken from.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple};
use recallite::rules::align::{
    self as aligner, AlignOptions, AlignedQuote, Alignment, AlignmentReport, EvidenceQuote,
    FailedQuote,
};

use crate::argument::{self, Given, elements, number, optional};
use crate::convert::{Class, Object, To, ToPython, give};
use crate::failure::wrong_type;
use crate::fields::Fields;
use crate::places::Places;
use crate::rules::{plain, rule};

/// A quote with the index as the caller gave it, which may lie anywhere.
struct NumberedQuote {
    index: Py<PyAny>,
    quote: EvidenceQuote,
}

/// Aligns quotes with the messages of a session: finds the place that each was
/// taken from, exactly, else without regard to case and spacing, else by
/// similarity.
///
/// `quotes` are `EvidenceQuote`s, dicts of its fields, or pairs of message index
/// and text. `fuzzy_threshold` (0.5 to 1) is the least similarity;
/// `max_fuzzy_quote_chars` (at most 10,000) bounds the quotes that are searched
/// by similarity; with `reject_ambiguous` a quote that fits several places fails.
#[pyfunction]
#[pyo3(
    signature = (
        messages, quotes, *, fuzzy_threshold=None, max_fuzzy_quote_chars=None,
        reject_ambiguous=None
    ),
    text_signature = "(messages, quotes, *, fuzzy_threshold=0.85, max_fuzzy_quote_chars=500, \
                      reject_ambiguous=False)"
)]
pub(crate) fn align<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    quotes: &Bound<'py, PyAny>,
    fuzzy_threshold: Given<'py>,
    max_fuzzy_quote_chars: Given<'py>,
    reject_ambiguous: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let messages = argument::texts(messages, "messages")?;
        let quotes = elements(quotes, "quotes", "several quotes", quote)?;
        let mut options = AlignOptions::default();
        if let Some(given) = optional(&fuzzy_threshold, "fuzzy_threshold", number)? {
            options.fuzzy_threshold = given;
        }
        let name = "max_fuzzy_quote_chars";
        if let Some(given) = optional(&max_fuzzy_quote_chars, name, argument::size)? {
            options.max_fuzzy_quote_chars = given;
        }
        if let Some(given) = optional(&reject_ambiguous, "reject_ambiguous", argument::boolean)? {
            options.reject_ambiguous = given;
        }
        Ok((messages, quotes, options))
    };
    rule(
        py,
        "align",
        arguments,
        |(messages, given, options)| {
            let texts: Vec<&str> = messages.iter().map(String::as_str).collect();
            let (indices, quotes): (Vec<_>, Vec<_>) =
                given.into_iter().map(|one| (one.index, one.quote)).unzip();
            let report = aligner::align_with(&texts, &quotes, &options)?;
            Ok((messages, indices, report))
        },
        alignment_report,
    )
}

const QUOTE_FIELDS: &[&str] = &["message_index", "quote"];

fn quote(value: &Bound<'_, PyAny>, name: &str) -> PyResult<NumberedQuote> {
    let py = value.py();
    let (index, text) =
        if let Ok((index, text)) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
            let index = message_index(&index, &format!("{name}[0]"))?;
            (index, argument::text(&text, &format!("{name}[1]"))?)
        } else {
            static CLASS: Class = Class::new("EvidenceQuote");
            let class = CLASS.get(py)?;
            let expected = "an EvidenceQuote, a dict, or a pair of message index and text";
            let prefix = format!("{name}.");
            let fields = Fields::of(value, name, prefix, class, QUOTE_FIELDS, expected)?;
            (
                fields.required("message_index", message_index)?,
                fields.required("quote", argument::text)?,
            )
        };
    // An index that no list can have names no message either.
    let message = index.bind(py).extract().unwrap_or(usize::MAX);
    Ok(NumberedQuote {
        quote: EvidenceQuote::new(message, text),
        index,
    })
}

/// Any whole number: extractors make up indices, and that is a result.
fn message_index(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Py<PyAny>> {
    if value.is_instance_of::<PyBool>() || !value.is_instance_of::<PyInt>() {
        return Err(wrong_type(name, "an int", value));
    }
    Ok(value.clone().unbind())
}

fn alignment_report(
    py: Python<'_>,
    (messages, indices, report): (Vec<String>, Vec<Py<PyAny>>, AlignmentReport),
) -> Object<'_> {
    let to = To::new(py, Places::default());
    let results = report.results.into_iter().zip(indices);
    let results = results.map(|(result, index)| match result {
        Alignment::Aligned(quote) => {
            let message = messages.get(quote.message_index).map_or("", String::as_str);
            aligned_quote(&to, quote, index, message)
        }
        Alignment::Failed(quote) => failed_quote(&to, quote, index),
    });
    let results = PyTuple::new(py, results.collect::<PyResult<Vec<_>>>()?)?;
    static CLASS: Class = Class::new("AlignmentReport");
    CLASS.get(py)?.call1((report.evidence_aligned, results))
}

fn aligned_quote<'py>(
    to: &To<'py>,
    quote: AlignedQuote,
    index: Py<PyAny>,
    message: &str,
) -> Object<'py> {
    static CLASS: Class = Class::new("AlignedQuote");
    let matched_text = quote.matched_text(message).unwrap_or_default();
    let fields = [
        index.into_bound(to.py),
        quote.quote.as_str().to_python(to)?,
        quote.quote_hash.as_str().to_python(to)?,
        matched_text.to_python(to)?,
        quote.span.chars.start.to_python(to)?,
        quote.span.chars.end.to_python(to)?,
        quote.span.bytes.start.to_python(to)?,
        quote.span.bytes.end.to_python(to)?,
        quote.span.utf16.start.to_python(to)?,
        quote.span.utf16.end.to_python(to)?,
        quote.match_method.to_python(to)?,
        quote.confidence.to_python(to)?,
        quote.ambiguous.to_python(to)?,
        quote.alternative_count.to_python(to)?,
    ];
    CLASS.call(to, &fields)
}

/// The index as it was given: extractors make up indices that no list has.
fn failed_quote<'py>(to: &To<'py>, quote: FailedQuote, index: Py<PyAny>) -> Object<'py> {
    static CLASS: Class = Class::new("FailedQuote");
    let fields = [
        index.into_bound(to.py),
        quote.quote.to_python(to)?,
        quote.quote_hash.to_python(to)?,
        quote.reason.to_python(to)?,
    ];
    CLASS.call(to, &fields)
}

/// Looks for each claim in a source. Case, punctuation and spacing do not count,
/// and the words may stand in another order. Claims of fewer than 10 characters
/// are skipped. For evidence use `align`, which is strict.
#[pyfunction]
#[pyo3(signature = (claims, source))]
pub(crate) fn align_claims<'py>(
    py: Python<'py>,
    claims: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    rule(
        py,
        "align_claims",
        || {
            Ok((
                argument::texts(claims, "claims")?,
                argument::text(source, "source")?,
            ))
        },
        |(claims, source)| {
            let claims: Vec<&str> = claims.iter().map(String::as_str).collect();
            Ok(aligner::align_claims(&claims, &source))
        },
        give,
    )
}

/// The claims of a response: its sentences of at least 10 characters that are no
/// questions.
#[pyfunction]
#[pyo3(signature = (response, /))]
pub(crate) fn extract_claims<'py>(
    py: Python<'py>,
    response: &Bound<'py, PyAny>,
) -> PyResult<Vec<String>> {
    rule(
        py,
        "extract_claims",
        || argument::text(response, "response"),
        |response| {
            let claims = aligner::extract_claims(&response).into_iter();
            Ok(claims.map(str::to_owned).collect())
        },
        plain,
    )
}

/// Whether a response is grounded: aligns its claims with all contexts, joined
/// by a space. Places count in that joined text.
#[pyfunction]
#[pyo3(signature = (response, contexts))]
pub(crate) fn check_grounding<'py>(
    py: Python<'py>,
    response: &Bound<'py, PyAny>,
    contexts: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    rule(
        py,
        "check_grounding",
        || {
            Ok((
                argument::text(response, "response")?,
                argument::texts(contexts, "contexts")?,
            ))
        },
        |(response, contexts)| {
            let contexts: Vec<&str> = contexts.iter().map(String::as_str).collect();
            Ok(aligner::check_grounding(&response, &contexts))
        },
        give,
    )
}

/// How many characters must be inserted, deleted or replaced to make one text
/// of the other.
#[pyfunction]
#[pyo3(signature = (a, b, /))]
pub(crate) fn levenshtein<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> PyResult<usize> {
    rule(
        py,
        "levenshtein",
        || Ok((argument::text(a, "a")?, argument::text(b, "b")?)),
        |(a, b)| Ok(aligner::levenshtein(&a, &b)),
        plain,
    )
}

/// How similar two texts are, 0 to 1: one minus the Levenshtein distance divided
/// by the longer length in code points.
#[pyfunction]
#[pyo3(signature = (a, b, /))]
pub(crate) fn similarity<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> PyResult<f64> {
    rule(
        py,
        "similarity",
        || Ok((argument::text(a, "a")?, argument::text(b, "b")?)),
        |(a, b)| Ok(aligner::similarity(&a, &b)),
        plain,
    )
}
