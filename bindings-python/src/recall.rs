//! The methods of `Memory` that recall: search, context, smart search, and how
//! citations were used.

// Python's keyword arguments are Rust's positional ones.
#![allow(clippy::too_many_arguments)]

use pyo3::prelude::*;
use pyo3::types::PyString;
use recallite::{ContextOptions, Query, SmartSearchOptions};

use crate::argument::{self, Given, optional};
use crate::convert::{Class, FromPython as _, give_placed};
use crate::counter::{Counter, counter};
use crate::embedder;
use crate::failure::wrong_type;
use crate::fields::Fields;
use crate::memory::Memory;
use crate::places::Placed;

const QUERY_FIELDS: &[&str] = &[
    "text",
    "limit",
    "session",
    "project",
    "kinds",
    "from_",
    "until",
    "min_relevance",
    "deadline_ms",
    "include_recalled",
    "vector",
    "learned",
    "learned_kinds",
    "entry_types",
    "as_of",
    "tools",
    "file_contains",
    "tool_outcome",
    "min_level",
];

/// A text, or a `Query` with its filters.
fn query(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Query> {
    if value.is_instance_of::<PyString>() {
        return argument::text(value, name).map(Query::new);
    }
    static CLASS: Class = Class::new("Query");
    let class = CLASS.get(value.py())?;
    if !value.is_instance(class)? {
        return Err(wrong_type(name, "a str or a Query", value));
    }
    let prefix = format!("{name}.");
    let fields = Fields::of(value, name, prefix, class, QUERY_FIELDS, "a Query")?;
    let mut wanted = Query::new(fields.required("text", argument::text)?);
    wanted.limit = fields.optional("limit", argument::size)?;
    wanted.session = fields.optional("session", argument::text)?;
    wanted.project = fields
        .optional("project", argument::scope)?
        .unwrap_or_default();
    wanted.kinds = fields
        .optional("kinds", argument::kinds)?
        .unwrap_or_default();
    wanted.from = fields.optional("from_", argument::timestamp)?;
    wanted.until = fields.optional("until", argument::timestamp)?;
    wanted.min_relevance = fields.optional("min_relevance", argument::fraction)?;
    if let Some(ms) = fields.optional("deadline_ms", argument::whole)? {
        wanted = wanted.deadline_ms(ms);
    }
    wanted.include_recalled = fields
        .optional("include_recalled", argument::boolean)?
        .unwrap_or_default();
    wanted.vector = fields.optional("vector", embedder::vector)?;
    wanted.learned = fields
        .optional("learned", argument::boolean)?
        .unwrap_or(true);
    wanted.learned_kinds = fields
        .optional("learned_kinds", Vec::from_python)?
        .unwrap_or_default();
    wanted.entry_types = fields
        .optional("entry_types", Vec::from_python)?
        .unwrap_or_default();
    wanted.as_of = fields.optional("as_of", argument::timestamp)?;
    wanted.tools = fields
        .optional("tools", argument::names)?
        .unwrap_or_default();
    wanted.file_contains = fields.optional("file_contains", argument::text)?;
    wanted.tool_outcome = fields.optional("tool_outcome", argument::word)?;
    wanted.min_level = fields.optional("min_level", argument::word)?;
    Ok(wanted)
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
        signature = (
            query=None, *, limit=None, session=None, project=None, kinds=None, from_=None, until=None,
            min_relevance=None, deadline_ms=None, include_recalled=None, vector=None, learned=None,
            learned_kinds=None, entry_types=None, as_of=None, tools=None, file_contains=None,
            tool_outcome=None, min_level=None
        ),
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
        limit: Given<'py>,
        session: Given<'py>,
        project: Given<'py>,
        kinds: Given<'py>,
        from_: Given<'py>,
        until: Given<'py>,
        min_relevance: Given<'py>,
        deadline_ms: Given<'py>,
        include_recalled: Given<'py>,
        vector: Given<'py>,
        learned: Given<'py>,
        learned_kinds: Given<'py>,
        entry_types: Given<'py>,
        as_of: Given<'py>,
        tools: Given<'py>,
        file_contains: Given<'py>,
        tool_outcome: Given<'py>,
        min_level: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let given = optional(&query, "query", self::query)?;
            let mut wanted = given.unwrap_or_default();
            if let Some(limit) = optional(&limit, "limit", argument::size)? {
                wanted = wanted.limit(limit);
            }
            if let Some(session) = optional(&session, "session", argument::text)? {
                wanted = wanted.session(session);
            }
            if let Some(project) = optional(&project, "project", argument::scope)? {
                wanted = wanted.project(project);
            }
            if let Some(kinds) = optional(&kinds, "kinds", argument::kinds)? {
                wanted = wanted.kinds(kinds);
            }
            if let Some(from) = optional(&from_, "from_", argument::timestamp)? {
                wanted = wanted.from(from);
            }
            if let Some(until) = optional(&until, "until", argument::timestamp)? {
                wanted = wanted.until(until);
            }
            if let Some(least) = optional(&min_relevance, "min_relevance", argument::fraction)? {
                wanted = wanted.min_relevance(least);
            }
            if let Some(ms) = optional(&deadline_ms, "deadline_ms", argument::whole)? {
                wanted = wanted.deadline_ms(ms);
            }
            let name = "include_recalled";
            if let Some(include) = optional(&include_recalled, name, argument::boolean)? {
                wanted.include_recalled = include;
            }
            if let Some(vector) = optional(&vector, "vector", embedder::vector)? {
                wanted = wanted.vector(vector);
            }
            if let Some(learned) = optional(&learned, "learned", argument::boolean)? {
                wanted = wanted.learned(learned);
            }
            let name = "learned_kinds";
            if let Some(kinds) = optional(&learned_kinds, name, Vec::from_python)? {
                wanted = wanted.learned_kinds(kinds);
            }
            if let Some(types) = optional(&entry_types, "entry_types", Vec::from_python)? {
                wanted = wanted.entry_types(types);
            }
            if let Some(at) = optional(&as_of, "as_of", argument::timestamp)? {
                wanted = wanted.as_of(at);
            }
            if let Some(tools) = optional(&tools, "tools", argument::names)? {
                wanted = wanted.tools(tools);
            }
            if let Some(part) = optional(&file_contains, "file_contains", argument::text)? {
                wanted = wanted.file_contains(part);
            }
            if let Some(outcome) = optional(&tool_outcome, "tool_outcome", argument::word)? {
                wanted = wanted.tool_outcome(outcome);
            }
            if let Some(level) = optional(&min_level, "min_level", argument::word)? {
                wanted = wanted.min_level(level);
            }
            Ok(wanted)
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
        signature = (
            query, *, session=None, budget_tokens=None, format=None, limit=None, min_relevance=None,
            pinned=None, skip_known_since=None, count_tokens=None, recording=None, reason=None
        ),
        text_signature = "($self, query, *, session=None, budget_tokens=2000, format='inline', \
                          limit=None, min_relevance=None, pinned=None, \
                          skip_known_since=None, count_tokens=None, recording='later', reason=None)"
    )]
    fn context<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        session: Given<'py>,
        budget_tokens: Given<'py>,
        format: Given<'py>,
        limit: Given<'py>,
        min_relevance: Given<'py>,
        pinned: Given<'py>,
        skip_known_since: Given<'py>,
        count_tokens: Given<'py>,
        recording: Given<'py>,
        reason: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut counts = Counter::default();
        let arguments = || {
            let mut wanted = ContextOptions::new(self::query(query, "query")?);
            wanted.session = optional(&session, "session", argument::text)?;
            wanted.budget_tokens = optional(&budget_tokens, "budget_tokens", argument::size)?;
            wanted.format = optional(&format, "format", argument::word)?;
            wanted.limit = optional(&limit, "limit", argument::size)?;
            wanted.min_relevance = optional(&min_relevance, "min_relevance", argument::fraction)?;
            wanted.pinned = optional(&pinned, "pinned", argument::event_refs)?.unwrap_or_default();
            wanted.skip_known_since =
                optional(&skip_known_since, "skip_known_since", argument::timestamp)?;
            counts = optional(&count_tokens, "count_tokens", counter)?.unwrap_or_default();
            if let Some(count) = counts.count.take() {
                wanted.count_tokens = count;
            }
            wanted.recording = optional(&recording, "recording", argument::word)?;
            wanted.reason = optional(&reason, "reason", argument::text)?;
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
        signature = (
            query, *, limit=None, min_score=None, auto_expand_timeline=None,
            auto_expand_details=None, max_auto_expand_count=None, max_total_tokens=None,
            window=None, count_tokens=None
        ),
        text_signature = "($self, query, *, limit=None, min_score=0.0, auto_expand_timeline=True, \
                          auto_expand_details=True, max_auto_expand_count=3, \
                          max_total_tokens=2000, window=3, count_tokens=None)"
    )]
    fn smart_search<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        limit: Given<'py>,
        min_score: Given<'py>,
        auto_expand_timeline: Given<'py>,
        auto_expand_details: Given<'py>,
        max_auto_expand_count: Given<'py>,
        max_total_tokens: Given<'py>,
        window: Given<'py>,
        count_tokens: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut counts = Counter::default();
        let arguments = || {
            let query = self::query(query, "query")?;
            let mut wanted = SmartSearchOptions::default();
            wanted.limit = optional(&limit, "limit", argument::size)?;
            wanted.min_score = optional(&min_score, "min_score", argument::fraction)?;
            let name = "auto_expand_timeline";
            wanted.auto_expand_timeline = optional(&auto_expand_timeline, name, argument::boolean)?;
            let name = "auto_expand_details";
            wanted.auto_expand_details = optional(&auto_expand_details, name, argument::boolean)?;
            let name = "max_auto_expand_count";
            wanted.max_auto_expand_count = optional(&max_auto_expand_count, name, argument::size)?;
            let name = "max_total_tokens";
            wanted.max_total_tokens = optional(&max_total_tokens, name, argument::size)?;
            if let Some(window) = optional(&window, "window", argument::size)? {
                wanted.window = window;
            }
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
