//! A query as it is answered: filtered, checked, with its defaults and the end of its time.

use std::time::Instant;

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::number::share;
use crate::model::query::{MAX_SEARCH_LIMIT, Query};
use crate::recall::shown::read::FilteredQuestion;
use crate::rules::times::NamedTimes;
use crate::write::prepare::{read_session_option, recalled_scope};

/// A query whose text and names passed the privacy filter, which is done once for each call.
pub(crate) struct PreparedQuery {
    /// Its text is what is searched.
    pub(in crate::recall) query: Query,
    /// The question as it would be stored.
    pub(in crate::recall) stored: String,
    /// The times that the question names, relative to when it is asked.
    pub(in crate::recall) times: NamedTimes,
    pub(in crate::recall) limit: usize,
    pub(in crate::recall) deadline: Option<Instant>,
}

impl PreparedQuery {
    /// Prepares a query; its time begins now.
    ///
    /// # Errors
    /// `invalid_argument` naming what is wrong; `unsupported` for a vector without an embedder.
    pub(crate) fn of(engine: &Engine, mut query: Query) -> Result<Self> {
        let deadline = query
            .deadline
            .and_then(|time| Instant::now().checked_add(time));
        let limit = query.limit.unwrap_or(engine.tuning.recall.search_limit);
        check(&query, limit)?;
        if let Some(vector) = &query.vector {
            check_vector(engine, vector.len())?;
        }
        let question = FilteredQuestion::of(engine, &query.text)?;
        query.text = question.searched;
        query.session = read_session_option(engine, query.session.as_deref())?;
        query.project = recalled_scope(engine, &query.project)?;
        let asked_at = query.as_of.unwrap_or_else(|| engine.store.clock().now());
        Ok(PreparedQuery {
            times: NamedTimes::of(&query.text, asked_at, &engine.zone),
            query,
            stored: question.stored,
            limit,
            deadline,
        })
    }

    /// Whether nothing can match: the time range is empty, or all of the question is private.
    pub(in crate::recall) fn is_vain(&self) -> bool {
        let query = &self.query;
        let span = query.from.zip(query.until);
        let is_blank = query.text.trim().is_empty() && query.vector.is_none();
        is_blank || span.is_some_and(|(from, until)| from >= until)
    }
}

fn check(query: &Query, limit: usize) -> Result<()> {
    if query.text.trim().is_empty() && query.vector.is_none() {
        return Err(Error::invalid("query", "must not be empty or blank"));
    }
    if let Some(vector) = &query.vector
        && !(vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0))
    {
        return Err(Error::invalid(
            "vector",
            "must contain only finite numbers, at least one of them non-zero",
        ));
    }
    if !(1..=MAX_SEARCH_LIMIT).contains(&limit) {
        return Err(Error::invalid(
            "limit",
            format_args!("must be between 1 and {MAX_SEARCH_LIMIT}, not {limit}"),
        ));
    }
    if let Some(kind) = query.kinds.iter().find(|kind| !kind.is_conversation()) {
        return Err(Error::invalid(
            "kinds",
            format_args!(
                "{kind} events are not searchable; use prompts, responses, summaries or tool \
                 observations"
            ),
        ));
    }
    if let Some(least) = query.min_relevance {
        share("min_relevance", least.into())?;
    }
    Ok(())
}

/// Checks that the caller's vector has the embedder's dimensions.
fn check_vector(engine: &Engine, length: usize) -> Result<()> {
    let Some(embedding) = &engine.embedding else {
        return Err(Error::new(
            ErrorCode::Unsupported,
            "vector: needs an embedder, and this memory was opened without one",
        )
        .with_argument("vector"));
    };
    match embedding.dimensions() {
        dimensions if dimensions == length => Ok(()),
        dimensions => Err(Error::invalid(
            "vector",
            format_args!("has {length} dimensions, but the embedder's vectors have {dimensions}"),
        )),
    }
}
