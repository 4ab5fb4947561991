//! Rules about recall that take several lists.

use pyo3::prelude::*;
use recallite::rules::plain;

use crate::argument::{self, elements, number};
use crate::convert::give;
use crate::rules::rule;

fn numbers(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
    elements(value, name, "several float", number)
}

/// Spends a token budget on results, from best to worst. `timeline_tokens` and
/// `detail_tokens` are the costs of each result, in the order of `scores`.
#[pyfunction]
#[pyo3(signature = (scores, *, budget_tokens, index_tokens, timeline_tokens, detail_tokens))]
pub(crate) fn plan_expansion<'py>(
    py: Python<'py>,
    scores: &Bound<'py, PyAny>,
    budget_tokens: &Bound<'py, PyAny>,
    index_tokens: &Bound<'py, PyAny>,
    timeline_tokens: &Bound<'py, PyAny>,
    detail_tokens: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let scores = numbers(scores, "scores")?;
        let costs = |value: &Bound<'py, PyAny>, name: &str| {
            elements(value, name, "several int", argument::size)
        };
        let timelines = costs(timeline_tokens, "timeline_tokens")?;
        let details = costs(detail_tokens, "detail_tokens")?;
        Ok((
            scores,
            argument::size(budget_tokens, "budget_tokens")?,
            argument::size(index_tokens, "index_tokens")?,
            timelines,
            details,
        ))
    };
    rule(
        py,
        "plan_expansion",
        arguments,
        |(scores, budget, index, timelines, details)| {
            plain::plan_expansion(&scores, budget, index, &timelines, &details)
        },
        give,
    )
}
