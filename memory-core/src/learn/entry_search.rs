//! Searches learned entries by their words.

use crate::engine::Engine;
use crate::engine::learned_index::{LearnedMatch, LearnedQuery};
use crate::learn::entries::EntryFilter;
use crate::model::error::{Error, Result};
use crate::model::learned::{LearnedKind, LearnedState};
use crate::model::lists::{on_page, page};
use crate::model::time::Timestamp;
use crate::recall::asked::present::Present;
use crate::recall::learned::entries::{as_it_counts, effective, state_now};
use crate::recall::learned::quoted;
use crate::recall::shown::read::FilteredQuestion;
use crate::rules::entries::{CONTESTED_PENALTY, Entry, EntryId, EntryStatus, LearnedEntry};
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Projected;

/// The default number of entries that a search returns.
const DEFAULT_LIMIT: usize = 10;
/// How many times the limit are scored, because a filter may reject some.
const LOOK_AT: usize = 8;
/// The minimum number of entries scored.
const LOOK_AT_LEAST: usize = 200;
/// How many times the limit are read first: usually no filter rejects any.
const READ_FIRST: usize = 2;

/// An entry found by a search.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EntryHit {
    /// The entry.
    pub learned: LearnedEntry,
    /// How much of the question it covers, from 0 to 1. For a contested entry this is
    /// multiplied by [`CONTESTED_PENALTY`](crate::rules::entries::CONTESTED_PENALTY).
    pub score: f64,
    /// The entry that the words were found in, if it was confirmed to mean this one.
    pub resolved_from: Option<EntryId>,
}

/// [`Knowledge::search`](crate::Knowledge::search).
pub(crate) fn search(engine: &Engine, query: &str, filter: &EntryFilter) -> Result<Vec<EntryHit>> {
    filter.check()?;
    if query.trim().is_empty() {
        return Err(Error::invalid("query", "must not be empty or blank"));
    }
    // What is hidden is not searched, as in any other question.
    let query = &FilteredQuestion::of(engine, query)?.searched;
    if query.trim().is_empty() {
        return Ok(Vec::new());
    }
    let page = page(filter.offset, filter.limit.or(Some(DEFAULT_LIMIT)));
    let limit = page.end;
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let search = Search {
        engine,
        read: &read,
        rows: &rows,
        query,
        most: limit.saturating_mul(LOOK_AT).max(LOOK_AT_LEAST),
        filter: &filter.kept(engine)?,
        project: crate::write::prepare::wanted_project(engine, &filter.project)?,
        now: engine.store.clock().now(),
    };
    let first = search.best(limit.saturating_mul(READ_FIRST).min(search.most))?;
    let hits = match first.is_settled(limit) {
        true => first.hits,
        false => search.best(search.most)?.hits,
    };
    Ok(on_page(hits, &page))
}

struct Search<'a> {
    engine: &'a Engine,
    read: &'a ReadTx,
    rows: &'a Projected,
    query: &'a str,
    /// The number of entries to score.
    most: usize,
    filter: &'a EntryFilter,
    /// The project that an entry must belong to.
    project: Option<String>,
    now: Timestamp,
}

/// The best matching entries.
struct Best {
    /// Those that pass the filter, best first.
    hits: Vec<EntryHit>,
    /// The lowest score examined; `None` if nothing is left to examine.
    least: Option<f64>,
}

impl Best {
    /// Whether no other entry can be among the best `limit`.
    fn is_settled(&self, limit: usize) -> bool {
        let Some(least) = self.least else {
            return true;
        };
        // An entry's status can only lower its score.
        let last = limit.checked_sub(1).and_then(|last| self.hits.get(last));
        last.is_some_and(|last| last.score > least)
    }
}

impl Search<'_> {
    fn best(&self, given: usize) -> Result<Best> {
        let found = self.engine.learned_index.search(
            &self.engine.lexical,
            self.read,
            self.rows,
            LearnedQuery {
                text: self.query,
                kinds: LearnedKind::Entry.bit(),
                listed: None,
                most: self.most,
                given,
                deadline: None,
            },
        )?;
        let text = self.filter.text.as_ref().map(|text| text.to_lowercase());
        let is_all = found.matches.len() < given || given == self.most;
        let scores = found.matches.iter().map(|found| found.score);
        let least = scores.min_by(f64::total_cmp).filter(|_| !is_all);
        let present = Present::at(self.now);
        let mut hits: Vec<EntryHit> = Vec::new();
        for LearnedMatch { learned, score, .. } in found.matches {
            let id = EntryId::new(learned.id);
            let (learned, resolved_from) = match effective(self.rows, &id, self.filter.as_of)? {
                Some(found) => found,
                None => continue,
            };
            let learned = as_it_counts(self.read, self.rows, learned, &present)?;
            let weight = self.weight_of(&learned.entry)?;
            if weight > 0.0
                && self
                    .filter
                    .fits(self.project.as_deref(), text.as_deref(), &learned)
                && hits
                    .iter()
                    .all(|hit| hit.learned.entry.id != learned.entry.id)
                && quoted::is_entry_live(self.read, &learned)?
            {
                hits.push(EntryHit {
                    learned,
                    score: score * weight,
                    resolved_from,
                });
            }
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(Best { hits, least })
    }

    /// The factor on an entry's score; 0 if it does not count.
    fn weight_of(&self, entry: &Entry) -> Result<f64> {
        // A filter for a status, or for the past, asks for it.
        if self.filter.status.is_some() || self.filter.as_of.is_some() {
            return Ok(match entry.status {
                EntryStatus::Deprecated | EntryStatus::Superseded { .. } => 1.0,
                ref status => status.search_weight(),
            });
        }
        let state = state_now(self.read, self.rows, entry, &Present::at(self.now))?;
        Ok(match state {
            Some((LearnedState::Contested, _)) => CONTESTED_PENALTY,
            Some((LearnedState::InForce, _)) => 1.0,
            _ => 0.0,
        })
    }
}
