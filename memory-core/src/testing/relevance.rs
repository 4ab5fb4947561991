//! Exposes the features of relevance to the benches that fit its models. Not part of the library's
//! interface.

use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::query::{Query, SearchResult};
use crate::recall::asked::prepared::PreparedQuery;
use crate::recall::ranking::retrieve;
use crate::rules::relevance::Features;

/// The names of the features, in order of their values.
pub fn feature_names() -> &'static [&'static str] {
    Features::NAMES
}

/// A search, and the features of each of its hits.
///
/// # Errors
/// As [`Memory::search`].
pub fn search_with_features(
    memory: &Memory,
    query: Query,
) -> Result<(SearchResult, Vec<Vec<f32>>)> {
    let engine = memory.enter()?;
    let found = retrieve::recall_with_features(engine, &PreparedQuery::of(engine, query)?)?;
    let features = found.features.iter().map(|f| f.values().to_vec()).collect();
    Ok((found.result, features))
}
