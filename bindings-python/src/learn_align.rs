//! Evidence alignment: where the quotes of an extractor stand in the messages
//! that they were taken from.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyTuple};
use recallite::rules::align::{
    self as aligner, AlignOptions, AlignedQuote, Alignment, AlignmentReport, EvidenceQuote,
    FailedQuote,
};

use crate::argument::{self, elements};
use crate::convert::{Class, Object, To, ToPython};
use crate::failure::wrong_type;
use crate::fields::Fields;
use crate::generated::{self, ALIGN_OPTIONS};
use crate::places::Places;
use crate::rules::rule;

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
    signature = (messages, quotes, **options),
    text_signature = "(messages, quotes, *, fuzzy_threshold=0.85, max_fuzzy_quote_chars=500, \
                      reject_ambiguous=False)"
)]
pub(crate) fn align<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    quotes: &Bound<'py, PyAny>,
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let messages = argument::texts(messages, "messages")?;
        let quotes = elements(quotes, "quotes", "several quotes", quote)?;
        let given = Fields::given_to(py, options, ALIGN_OPTIONS)?;
        let options = generated::align_options(AlignOptions::default(), &given)?;
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
            let fields = Fields::of(value, name, prefix, &[class], QUOTE_FIELDS, expected)?;
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
