//! Queries, and recall that counts tokens: context and smart search.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use recallite::TextUnit::CodePoint;
use recallite::{ContextOptions, HasOffsets as _, Query, TokenCounter};

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

/// The options that are given as keywords, beside a counter.
fn given_options<'py>(
    py: Python<'py>,
    options: Option<Bound<'py, PyDict>>,
    known: &[&str],
) -> PyResult<Fields<'py>> {
    Fields::given_to(py, options, &[known, &[COUNT_TOKENS]].concat())
}

/// The program's counter, if it gave one; `counts` gets what its function raises.
fn given_counter(count_tokens: &Given<'_>, counts: &mut Counter) -> PyResult<Option<TokenCounter>> {
    *counts = optional(count_tokens, COUNT_TOKENS, counter)?.unwrap_or_default();
    Ok(counts.count.take())
}

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
        let given = given_options(py, options, CONTEXT_OPTIONS)?;
        let mut wanted = generated::context_options(wanted, &given)?;
        if let Some(count) = given_counter(&count_tokens, &mut counts)? {
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
        let given = given_options(py, options, SMART_SEARCH_OPTIONS)?;
        let mut wanted = generated::smart_search_options(Default::default(), &given)?;
        if let Some(count) = given_counter(&count_tokens, &mut counts)? {
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
