//! Queries, and recall that counts tokens: context and smart search.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use recallite::TextUnit::CodePoint;
use recallite::{ContextOptions, HasOffsets as _, Query};

use crate::argument::{self, Given, optional};
use crate::convert::{Class, FromPython as _, Object, give_placed};
use crate::counter::{Counter, counter};
use crate::failure::wrong_type;
use crate::fields::Fields;
use crate::generated::{self, CONTEXT_OPTIONS, SMART_SEARCH_OPTIONS};
use crate::memory::Memory;

/// A text, or a `Query` with its filters.
pub(crate) fn query(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Query> {
    if value.is_instance_of::<PyString>() {
        return argument::text(value, name).map(Query::new);
    }
    static CLASS: Class = Class::new("Query");
    if !value.is_instance(CLASS.get(value.py())?)? {
        return Err(wrong_type(name, "a str or a Query", value));
    }
    Query::from_python(value, name)
}

/// Given beside the options, and named with them where one is unknown.
const COUNT_TOKENS: &str = "count_tokens";

/// Context for a query, with tokens counted by the program's counter.
pub(crate) fn context<'py>(
    memory: &Memory,
    py: Python<'py>,
    query: &Bound<'py, PyAny>,
    count_tokens: Given<'py>,
    options: Option<Bound<'py, PyDict>>,
) -> Object<'py> {
    let mut counts = Counter::default();
    let arguments = || {
        let wanted = ContextOptions::new(self::query(query, "query")?);
        let known = [CONTEXT_OPTIONS, &[COUNT_TOKENS]].concat();
        let given = Fields::given_to(py, options, &known)?;
        let mut wanted = generated::context_options(wanted, &given)?;
        counts = optional(&count_tokens, COUNT_TOKENS, counter)?.unwrap_or_default();
        if let Some(count) = counts.count.take() {
            wanted.count_tokens = count;
        }
        Ok(wanted)
    };
    let found = memory.call(
        py,
        "context",
        arguments,
        |memory, options| memory.context(options)?.with_offsets(memory, CodePoint),
        give_placed,
    );
    counts.check()?;
    found
}

/// A smart search, with tokens counted by the program's counter.
pub(crate) fn smart_search<'py>(
    memory: &Memory,
    py: Python<'py>,
    query: &Bound<'py, PyAny>,
    count_tokens: Given<'py>,
    options: Option<Bound<'py, PyDict>>,
) -> Object<'py> {
    let mut counts = Counter::default();
    let arguments = || {
        let query = self::query(query, "query")?;
        let known = [SMART_SEARCH_OPTIONS, &[COUNT_TOKENS]].concat();
        let given = Fields::given_to(py, options, &known)?;
        let mut wanted = generated::smart_search_options(Default::default(), &given)?;
        counts = optional(&count_tokens, COUNT_TOKENS, counter)?.unwrap_or_default();
        if let Some(count) = counts.count.take() {
            wanted.count_tokens = count;
        }
        Ok((query, wanted))
    };
    let found = memory.call(
        py,
        "smart_search",
        arguments,
        |memory, (query, options)| {
            memory
                .smart_search(query, options)?
                .with_offsets(memory, CodePoint)
        },
        give_placed,
    );
    counts.check()?;
    found
}
