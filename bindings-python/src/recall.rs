//! The methods of `Memory` that recall: search, context, smart search, and how
//! citations were used.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use recallite::{ContextOptions, Query};

use crate::argument::{self, Given, optional};
use crate::convert::{Class, FromPython as _, give_placed};
use crate::counter::{Counter, counter};
use crate::failure::wrong_type;
use crate::fields::Fields;
use crate::generated::{self, CONTEXT_OPTIONS, QUERY, SMART_SEARCH_OPTIONS};
use crate::memory::Memory;
use crate::places::Placed;

/// A text, or a `Query` with its filters.
fn query(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Query> {
    if value.is_instance_of::<PyString>() {
        return argument::text(value, name).map(Query::new);
    }
    static CLASS: Class = Class::new("Query");
    if !value.is_instance(CLASS.get(value.py())?)? {
        return Err(wrong_type(name, "a str or a Query", value));
    }
    Query::from_python(value, name)
}

#[pymethods]
impl Memory {
    /// Finds events for a question or some words, best first. `query` is a `str`
    /// or a `Query`, whose fields the other arguments replace.
    ///
    /// `min_relevance` (0 to 1) drops what is below it; without it nothing is
    /// dropped. After `deadline_ms` the result so far is given, marked
    /// `degraded`. `include_recalled` finds recalled text that came back too.
    /// `vector` (a NumPy array or a list of numbers) is what the memory's embedder
    /// would say of the query; it is not asked then, and the text may be left out.
    /// `learned=False` leaves out what was learned, `learned_kinds` and
    /// `entry_types` narrow it, and `as_of` asks for what was known at a moment.
    /// `tools` (a name or several), `file_contains` (a part of a path) and
    /// `tool_outcome` leave only such calls of tools, `min_level` only events that have
    /// risen so far, and what was learned from one of these.
    #[pyo3(
        signature = (query=None, **narrowed),
        text_signature = "($self, query='', *, limit=10, session=None, project=None, kinds=None, \
                          from_=None, until=None, min_relevance=None, deadline_ms=None, \
                          include_recalled=False, vector=None, learned=True, \
                          learned_kinds=None, entry_types=None, as_of=None, tools=None, \
                          file_contains=None, tool_outcome=None, min_level=None)"
    )]
    fn search<'py>(
        &self,
        py: Python<'py>,
        query: Given<'py>,
        narrowed: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let wanted = optional(&query, "query", self::query)?.unwrap_or_default();
            // All but the text.
            generated::query(wanted, &Fields::given_to(py, narrowed, &QUERY[1..])?)
        };
        self.call(
            py,
            "search",
            arguments,
            |memory, query| memory.search(query)?.placed(memory),
            give_placed,
        )
    }

    /// The memories that help with a query, as text for an agent's prompt:
    /// fenced, cited, and within `budget_tokens`.
    ///
    /// `query` is a `str` or a `Query` with filters. `session` is the session that
    /// the context is for. `limit` (1 to 64, by default the query's or 5) is the most
    /// memories, `min_relevance` leaves out what is below it. `pinned` events come
    /// first whatever the search finds. `count_tokens` is a function from `str` to
    /// `int`; without it tokens are estimated. `format` is a `CitationFormat`.
    /// `skip_known_since` leaves out what the session knows: what was said in it and
    /// what it was given from this moment on.
    /// `recording` says when the record is written that this was given, and `reason`
    /// stands in it.
    #[pyo3(
        signature = (query, *, count_tokens=None, **options),
        text_signature = "($self, query, *, session=None, budget_tokens=2000, format='inline', \
                          limit=None, min_relevance=None, pinned=None, \
                          skip_known_since=None, count_tokens=None, recording='later', reason=None)"
    )]
    fn context<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        count_tokens: Given<'py>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut counts = Counter::default();
        let arguments = || {
            let wanted = ContextOptions::new(self::query(query, "query")?);
            let given = Fields::given_to(py, options, CONTEXT_OPTIONS)?;
            let mut wanted = generated::context_options(wanted, &given)?;
            counts = optional(&count_tokens, "count_tokens", counter)?.unwrap_or_default();
            if let Some(count) = counts.count.take() {
                wanted.count_tokens = count;
            }
            Ok(wanted)
        };
        let found = self.call(
            py,
            "context",
            arguments,
            |memory, options| memory.context(options)?.placed(memory),
            give_placed,
        );
        counts.check()?;
        found
    }

    /// Searches, and adds the timeline around the results or their details when
    /// the results are clear enough, within `max_total_tokens`.
    ///
    /// `query` is a `str` or a `Query` with filters. `limit` is by default the query's, or 10.
    /// `min_score` leaves out results of a lower relevance. At most
    /// `max_auto_expand_count` results are expanded, timelines by `window` events
    /// on each side.
    #[pyo3(
        signature = (query, *, count_tokens=None, **options),
        text_signature = "($self, query, *, limit=None, min_score=0.0, auto_expand_timeline=True, \
                          auto_expand_details=True, max_auto_expand_count=3, \
                          max_total_tokens=2000, window=3, count_tokens=None)"
    )]
    fn smart_search<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        count_tokens: Given<'py>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut counts = Counter::default();
        let arguments = || {
            let query = self::query(query, "query")?;
            let given = Fields::given_to(py, options, SMART_SEARCH_OPTIONS)?;
            let mut wanted = generated::smart_search_options(Default::default(), &given)?;
            counts = optional(&count_tokens, "count_tokens", counter)?.unwrap_or_default();
            if let Some(count) = counts.count.take() {
                wanted.count_tokens = count;
            }
            Ok((query, wanted))
        };
        let found = self.call(
            py,
            "smart_search",
            arguments,
            |memory, (query, options)| memory.smart_search(query, options)?.placed(memory),
            give_placed,
        );
        counts.check()?;
        found
    }
}
