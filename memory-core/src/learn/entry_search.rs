//! Finding learned entries by what they say.

use crate::engine::Engine;
use crate::engine::learned_index::LearnedMatch;
use crate::learn::entries::EntryFilter;
use crate::model::error::{Error, Result};
use crate::model::learned::LearnedKind;
use crate::model::query::MAX_QUERY_BYTES;
use crate::recall::learned::entries::effective;
use crate::rules::entries::LearnedEntry;
use crate::rules::entries::{Entry, EntryId, EntryStatus};

/// How many entries a search gives unless it is told otherwise.
const DEFAULT_LIMIT: usize = 10;
/// So many times the limit are looked at, because a filter may refuse some.
const LOOK_AT: usize = 8;
/// At least so many are looked at.
const LOOK_AT_LEAST: usize = 200;

/// An entry that a search found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EntryHit {
    /// The entry that counts.
    pub learned: LearnedEntry,
    /// How much of the question it covers, from 0 to 1. A contested entry gets
    /// [`CONTESTED_PENALTY`](crate::rules::entries::CONTESTED_PENALTY) times that.
    pub score: f64,
    /// The entry whose words were found, when that one was confirmed to mean
    /// this one.
    pub resolved_from: Option<EntryId>,
}

/// [`Knowledge::search`](crate::Knowledge::search).
pub(crate) fn search(engine: &Engine, query: &str, filter: &EntryFilter) -> Result<Vec<EntryHit>> {
    filter.check()?;
    if query.trim().is_empty() {
        return Err(Error::invalid("query", "must not be empty or blank"));
    }
    let query = &query[..query.floor_char_boundary(MAX_QUERY_BYTES)];
    let limit = filter.limit.unwrap_or(DEFAULT_LIMIT);
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let most = limit.saturating_mul(LOOK_AT).max(LOOK_AT_LEAST);
    let found = engine.learned_index.search(
        &engine.lexical,
        &read,
        &rows,
        (query, LearnedKind::Entry.bit()),
        most,
        None,
    )?;
    let project = crate::write::prepare::wanted_project(engine, &filter.project)?;
    let filter = &filter.kept(engine)?;
    let text = filter.text.as_ref().map(|text| text.to_lowercase());
    let mut hits: Vec<EntryHit> = Vec::new();
    for LearnedMatch { learned, score, .. } in found.matches {
        let id = EntryId::new(learned.id);
        let (learned, resolved_from) = match effective(&rows, &id)? {
            Some(found) => found,
            None => continue,
        };
        let weight = weight_of(&learned.entry, filter);
        if weight > 0.0
            && filter.fits(project.as_deref(), text.as_deref(), &learned)
            && hits
                .iter()
                .all(|hit| hit.learned.entry.id != learned.entry.id)
        {
            hits.push(EntryHit {
                learned,
                score: score * weight,
                resolved_from,
            });
        }
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits.truncate(limit);
    Ok(hits)
}

fn weight_of(entry: &Entry, filter: &EntryFilter) -> f64 {
    match entry.status {
        // Whoever asks for it by name, or for the past, means it.
        EntryStatus::Deprecated | EntryStatus::Superseded { .. }
            if filter.status.is_some() || filter.as_of.is_some() =>
        {
            1.0
        }
        ref status => status.search_weight(),
    }
}
