//! From the core's results to the frozen dataclasses of `recallite._records`.
//!
//! Each call passes the fields in the order in which the class declares them.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyDateTime, PyTuple};
use recallite::{
    Appended, Detail, EmbeddingStats, Event, EventId, EventKind, Hit, InjectionStats, Json,
    LayerStats, LexicalStats, MatchClass, Origin, PrivacyReport, PrivacyTotals, Relations,
    SearchResult, Session, Stats, TimelineItem, Timestamp, ToolRecord,
};
use recallite::{ImportProgress, ImportReport};

use crate::stored::{delta, records, standard};

pub(crate) type Object<'py> = PyResult<Bound<'py, PyAny>>;

/// The positional arguments of a class, however many they are.
macro_rules! fields {
    ($py:expr; $($value:expr),* $(,)?) => {
        pyo3::types::PyTuple::new(
            $py,
            [$(pyo3::IntoPyObjectExt::into_bound_py_any($value, $py)?),*],
        )?
    };
}
pub(crate) use fields;

pub(crate) fn make<'py>(
    py: Python<'py>,
    class: &Py<PyAny>,
    fields: impl PyCallArgs<'py>,
) -> Object<'py> {
    class.bind(py).call1(fields)
}

/// Two groups of fields, for classes with more fields than a Rust tuple may have.
pub(crate) fn joined<'py>(
    first: Bound<'py, PyTuple>,
    second: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    first.as_sequence().concat(second.as_sequence())?.to_tuple()
}

pub(crate) fn time<'py>(py: Python<'py>, at: Timestamp) -> Object<'py> {
    let epoch: &Bound<'py, PyDateTime> = standard(py)?.epoch.bind(py);
    epoch.as_any().add(delta(py, at.millis())?)
}

pub(crate) fn maybe_time(
    py: Python<'_>,
    at: Option<Timestamp>,
) -> PyResult<Option<Bound<'_, PyAny>>> {
    at.map(|at| time(py, at)).transpose()
}

pub(crate) fn json<'py>(py: Python<'py>, value: &Json) -> Object<'py> {
    standard(py)?.loads.bind(py).call1((value.as_str(),))
}

pub(crate) fn maybe_json<'py>(
    py: Python<'py>,
    value: Option<&Json>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    value.map(|value| json(py, value)).transpose()
}

pub(crate) fn kind(py: Python<'_>, kind: EventKind) -> Object<'_> {
    make(py, &records(py)?.event_kind, (kind.as_str(),))
}

pub(crate) fn origin(py: Python<'_>, origin: Origin) -> Object<'_> {
    make(py, &records(py)?.origin, (origin.as_str(),))
}

pub(crate) fn match_class(py: Python<'_>, class: MatchClass) -> Object<'_> {
    make(py, &records(py)?.match_class, (class.as_str(),))
}

fn maybe_id(id: Option<EventId>) -> Option<String> {
    id.map(|id| id.to_string())
}

pub(crate) fn each<'py, T>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T>,
    convert: impl Fn(Python<'py>, T) -> Object<'py>,
) -> PyResult<Bound<'py, PyTuple>> {
    let items = items
        .into_iter()
        .map(|item| convert(py, item))
        .collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, items)
}

/// A list that notebooks show as a table.
pub(crate) fn rows<'py, T>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T>,
    convert: impl Fn(Python<'py>, T) -> Object<'py>,
) -> Object<'py> {
    make(py, &records(py)?.rows, (each(py, items, convert)?,))
}

pub(crate) fn privacy_report(py: Python<'_>, report: PrivacyReport) -> Object<'_> {
    make(
        py,
        &records(py)?.privacy_report,
        (
            report.private_count,
            report.secret_count,
            report.anonymized_count,
            report.original_bytes,
            report.filtered_bytes,
        ),
    )
}

pub(crate) fn appended(py: Python<'_>, receipt: Appended) -> Object<'_> {
    make(
        py,
        &records(py)?.appended,
        (
            receipt.id.to_string(),
            receipt.seq.0,
            receipt.citation.as_str(),
            receipt.duplicate,
            privacy_report(py, receipt.privacy)?,
            receipt.truncated_bytes,
            PyTuple::new(py, receipt.warnings)?,
        ),
    )
}

fn tool_record(py: Python<'_>, tool: ToolRecord) -> Object<'_> {
    make(
        py,
        &records(py)?.tool_record,
        (
            tool.name,
            maybe_json(py, tool.input.as_ref())?,
            tool.output,
            tool.duration_ms,
            tool.success,
            tool.error,
            tool.prompt_index,
            tool.tool_index,
            json(py, &tool.metadata)?,
        ),
    )
}

pub(crate) fn event(py: Python<'_>, event: Event) -> Object<'_> {
    let tool = event.tool.map(|tool| tool_record(py, tool)).transpose()?;
    let names = (
        event.id.to_string(),
        event.seq.0,
        event.citation.as_str(),
        kind(py, event.kind)?,
        event.session,
        event.project,
        event.actor,
    );
    let rest = (
        origin(py, event.origin)?,
        time(py, event.timestamp)?,
        event.content,
        event.canonical_key,
        maybe_json(py, event.metadata.as_ref())?,
        tool,
        privacy_report(py, event.privacy)?,
    );
    let fields = joined(names.into_pyobject(py)?, rest.into_pyobject(py)?)?;
    make(py, &records(py)?.event, fields)
}

/// A hit with its passage's place counted in code points: `(first, end)`.
pub(crate) struct PlacedHit {
    pub(crate) hit: Hit,
    pub(crate) code_points: (usize, usize),
}

fn hit(py: Python<'_>, placed: PlacedHit) -> Object<'_> {
    let PlacedHit {
        hit,
        code_points: (start, end),
    } = placed;
    let records = records(py)?;
    let passage = make(
        py,
        &records.passage,
        (
            hit.passage.text,
            start,
            end,
            hit.passage.start,
            hit.passage.end,
        ),
    )?;
    let names = (
        hit.id.to_string(),
        hit.seq.0,
        hit.citation.as_str(),
        kind(py, hit.kind)?,
        hit.session,
        hit.project,
        hit.actor,
    );
    let rest = (
        origin(py, hit.origin)?,
        time(py, hit.timestamp)?,
        hit.summary,
        passage,
        f64::from(hit.rank_score),
        f64::from(hit.match_score),
        f64::from(hit.relevance),
    );
    let fields = joined(names.into_pyobject(py)?, rest.into_pyobject(py)?)?;
    make(py, &records.hit, fields)
}

/// What a search found, with the query for display.
pub(crate) struct PlacedResult {
    pub(crate) hits: Vec<PlacedHit>,
    /// The result that the hits were taken from.
    pub(crate) rest: SearchResult,
}

pub(crate) fn search_result(py: Python<'_>, result: PlacedResult) -> Object<'_> {
    make(
        py,
        &records(py)?.search_result,
        (
            each(py, result.hits, hit)?,
            match_class(py, result.rest.confidence)?,
            result.rest.degraded,
            result.rest.total_matches,
        ),
    )
}

pub(crate) fn timeline_item(py: Python<'_>, item: TimelineItem) -> Object<'_> {
    make(
        py,
        &records(py)?.timeline_item,
        (
            item.id.to_string(),
            item.seq.0,
            item.citation.as_str(),
            kind(py, item.kind)?,
            item.session,
            item.actor,
            time(py, item.timestamp)?,
            item.preview,
            item.is_target,
        ),
    )
}

fn relations(py: Python<'_>, relations: Relations) -> Object<'_> {
    make(
        py,
        &records(py)?.relations,
        (
            maybe_id(relations.parent),
            PyTuple::new(py, relations.children.iter().map(EventId::to_string))?,
            maybe_id(relations.previous),
            maybe_id(relations.next),
        ),
    )
}

pub(crate) fn detail(py: Python<'_>, detail: Detail) -> Object<'_> {
    make(
        py,
        &records(py)?.detail,
        (
            event(py, detail.event)?,
            detail.token_count,
            detail.has_code,
            PyTuple::new(py, detail.files)?,
            PyTuple::new(py, detail.tools)?,
            relations(py, detail.relations)?,
        ),
    )
}

pub(crate) fn session(py: Python<'_>, session: Session) -> Object<'_> {
    make(
        py,
        &records(py)?.session,
        (
            session.id,
            session.project,
            time(py, session.started)?,
            maybe_time(py, session.ended)?,
            time(py, session.last_event)?,
            session.summary,
            PyTuple::new(py, session.tags)?,
            session.events,
            session.prompts,
            session.responses,
            session.tools,
        ),
    )
}

fn privacy_totals(py: Python<'_>, totals: PrivacyTotals) -> Object<'_> {
    make(
        py,
        &records(py)?.privacy_totals,
        (
            totals.private_sections,
            totals.secrets_masked,
            totals.bytes_filtered,
        ),
    )
}

fn lexical_stats(py: Python<'_>, stats: LexicalStats) -> Object<'_> {
    make(
        py,
        &records(py)?.lexical_stats,
        (
            stats.segments,
            stats.folded_events,
            stats.tail_events,
            maybe_time(py, stats.last_fold)?,
            stats.damaged_segments,
            stats.damaged_events,
        ),
    )
}

fn embedding_stats(py: Python<'_>, stats: EmbeddingStats) -> Object<'_> {
    let fields = fields![py;
        stats.version,
        stats.dimensions,
        stats.vectors,
        stats.pending,
        stats.processing,
        stats.done,
        stats.failed,
        stats.to_enqueue,
        stats.average_processing_ms,
        maybe_time(py, stats.last_processed)?,
        maybe_time(py, stats.oldest_pending)?,
        stats.graph_vectors,
        stats.graph_waiting,
    ];
    make(py, &records(py)?.embedding_stats, fields)
}

fn layer_stats(py: Python<'_>, stats: LayerStats) -> Object<'_> {
    make(
        py,
        &records(py)?.layer_stats,
        (
            stats.name,
            stats.size,
            stats.backlog,
            maybe_time(py, stats.last_moved)?,
        ),
    )
}

fn injection_stats(py: Python<'_>, stats: InjectionStats) -> Object<'_> {
    make(
        py,
        &records(py)?.injection_stats,
        (
            stats.injections,
            stats.memories,
            stats.tokens,
            stats.judged,
            stats.reused,
            stats.judged_memories,
            stats.reused_memories,
            maybe_time(py, stats.last)?,
        ),
    )
}

pub(crate) fn stats(py: Python<'_>, stats: Stats) -> Object<'_> {
    let counts = (
        stats.events,
        stats.prompts,
        stats.responses,
        stats.summaries,
        stats.tools,
        stats.sessions,
        stats.projects,
        stats.forgotten,
        stats.erased,
        stats.last_seq,
    );
    let rest = (
        maybe_time(py, stats.oldest)?,
        maybe_time(py, stats.newest)?,
        stats.payload_bytes,
        stats.log_bytes,
        stats.size_bytes,
        stats.quota_bytes,
        stats.is_over_quota,
    );
    let layers = (
        maybe_time(py, stats.last_append)?,
        privacy_totals(py, stats.privacy)?,
        lexical_stats(py, stats.lexical)?,
        stats
            .embedding
            .map(|stats| embedding_stats(py, stats))
            .transpose()?,
        each(py, stats.layers, layer_stats)?,
        injection_stats(py, stats.injections)?,
        stats.open_erasures,
        PyTuple::new(py, stats.unclean_places)?,
    );
    let fields = joined(counts.into_pyobject(py)?, rest.into_pyobject(py)?)?;
    let fields = joined(fields, layers.into_pyobject(py)?)?;
    make(py, &records(py)?.stats, fields)
}

pub(crate) fn import_progress(py: Python<'_>, progress: ImportProgress) -> Object<'_> {
    make(
        py,
        &records(py)?.import_progress,
        (
            progress.files_done,
            progress.files_total,
            progress.bytes_done,
            progress.bytes_total,
            progress.events_stored,
        ),
    )
}

pub(crate) fn import_report(py: Python<'_>, report: ImportReport) -> Object<'_> {
    let records = records(py)?;
    let found = report.counters;
    let problems = found
        .error_lines
        .iter()
        .map(|(line, problem)| (*line, problem.to_string()));
    let counters = make(
        py,
        &records.import_counters,
        (
            found.total_messages,
            found.imported_prompts,
            found.imported_responses,
            found.imported_tools,
            found.skipped_duplicates,
            found.errors,
            PyTuple::new(py, problems.collect::<Vec<_>>())?,
        ),
    )?;
    make(
        py,
        &records.import_report,
        (
            report.files,
            counters,
            PyTuple::new(py, report.failed_files)?,
            PyTuple::new(py, report.refused)?,
        ),
    )
}
