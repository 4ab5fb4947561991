//! From what recall gives to the frozen dataclasses of `recallite._recall`.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use recallite::{
    CitationDetail, CitationNeighbour, Context, ContextItem, IndexItem, PopularCitation,
    SmartSearchMeta, SmartSearchResult,
};

use crate::record::{
    self, Object, detail, each, joined, kind, make, match_class, maybe_time, origin, time,
    timeline_item,
};
use crate::stored::classes;

classes! {
    /// The classes of `recallite._recall`.
    Classes, classes, "recallite._recall";
    citation_detail = "CitationDetail",
    citation_neighbour = "CitationNeighbour",
    context = "Context",
    context_item = "ContextItem",
    expansion_reason = "ExpansionReason",
    index_item = "IndexItem",
    popular_citation = "PopularCitation",
    query = "Query",
    smart_search_meta = "SmartSearchMeta",
    smart_search_result = "SmartSearchResult",
}

/// The class `Query`.
pub(crate) fn query_class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    Ok(classes(py)?.query.bind(py))
}

/// An item with its text's place counted in code points: `(first, end)`.
pub(crate) struct PlacedItem {
    pub(crate) item: ContextItem,
    pub(crate) code_points: (usize, usize),
}

fn context_item(py: Python<'_>, placed: PlacedItem) -> Object<'_> {
    let PlacedItem {
        item,
        code_points: (start, end),
    } = placed;
    let names = (
        item.id.to_string(),
        item.seq.0,
        item.citation.as_str(),
        kind(py, item.kind)?,
        item.session,
        item.actor,
        origin(py, item.origin)?,
    );
    let rest = (
        time(py, item.timestamp)?,
        item.text,
        start,
        end,
        item.start,
        item.end,
        item.relevance.map(f64::from),
    );
    let fields = joined(names.into_pyobject(py)?, rest.into_pyobject(py)?)?;
    make(py, &classes(py)?.context_item, fields)
}

/// A context whose items were taken out and placed.
pub(crate) struct PlacedContext {
    pub(crate) items: Vec<PlacedItem>,
    pub(crate) rest: Context,
}

pub(crate) fn context(py: Python<'_>, context: PlacedContext) -> Object<'_> {
    let PlacedContext { items, rest } = context;
    make(
        py,
        &classes(py)?.context,
        (
            rest.text,
            PyTuple::new(py, rest.citations.iter().map(|citation| citation.as_str()))?,
            rest.tokens,
            match_class(py, rest.confidence)?,
            each(py, items, context_item)?,
            rest.degraded,
        ),
    )
}

fn index_item(py: Python<'_>, item: IndexItem) -> Object<'_> {
    make(
        py,
        &classes(py)?.index_item,
        (
            item.id.to_string(),
            item.seq.0,
            item.citation.as_str(),
            kind(py, item.kind)?,
            item.session,
            time(py, item.timestamp)?,
            item.summary,
            f64::from(item.score),
        ),
    )
}

fn smart_search_meta(py: Python<'_>, meta: SmartSearchMeta) -> Object<'_> {
    let classes = classes(py)?;
    let reason = (meta.expansion_reason.as_str(),);
    make(
        py,
        &classes.smart_search_meta,
        (
            meta.total_matches,
            meta.expanded_count,
            meta.estimated_tokens,
            make(py, &classes.expansion_reason, reason)?,
        ),
    )
}

pub(crate) fn smart_search_result(py: Python<'_>, found: SmartSearchResult) -> Object<'_> {
    let markdown = (
        found.index_markdown(),
        found.timeline_markdown(),
        found.details_markdown(),
        found.markdown(),
    );
    let layers = (
        each(py, found.index, index_item)?,
        each(py, found.timeline, timeline_item)?,
        each(py, found.details, detail)?,
        smart_search_meta(py, found.meta)?,
        found.hint,
        match_class(py, found.confidence)?,
        found.degraded,
    );
    let fields = joined(layers.into_pyobject(py)?, markdown.into_pyobject(py)?)?;
    make(py, &classes(py)?.smart_search_result, fields)
}

fn neighbour(py: Python<'_>, event: CitationNeighbour) -> Object<'_> {
    make(
        py,
        &classes(py)?.citation_neighbour,
        (
            event.id.to_string(),
            event.citation.as_str(),
            kind(py, event.kind)?,
            time(py, event.timestamp)?,
            event.preview,
        ),
    )
}

pub(crate) fn citation_detail(py: Python<'_>, detail: CitationDetail) -> Object<'_> {
    let beside =
        |event: Option<CitationNeighbour>| event.map(|event| neighbour(py, event)).transpose();
    make(
        py,
        &classes(py)?.citation_detail,
        (
            record::event(py, detail.event)?,
            beside(detail.previous)?,
            beside(detail.next)?,
            detail.usage_count,
            maybe_time(py, detail.last_used)?,
        ),
    )
}

pub(crate) fn popular_citation(py: Python<'_>, popular: PopularCitation) -> Object<'_> {
    make(
        py,
        &classes(py)?.popular_citation,
        (
            popular.id.to_string(),
            popular.seq.0,
            popular.citation.as_str(),
            kind(py, popular.kind)?,
            popular.session,
            popular.preview,
            popular.usage_count,
            time(py, popular.last_used)?,
        ),
    )
}
