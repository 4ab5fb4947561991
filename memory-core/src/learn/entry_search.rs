//! Finding learned entries by what they say: an index in memory of their titles
//! and contents, searched as events are.

use parking_lot::Mutex;

use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{self, EventFacts, NO_TURN, Part};
use crate::index::lexical::search::{Gains, LexicalQuery, LexicalSearcher};
use crate::index::lexical::searchable::with_analyser;
use crate::index::lexical::tail::TailIndex;
use crate::learn::knowledge::{EntryFilter, LearnedEntry};
use crate::memory::Memory;
use crate::model::error::{Error, Result};
use crate::model::ids::Seq;
use crate::model::query::MAX_QUERY_BYTES;
use crate::projection::{entries, memories};
use crate::rules::entries::{EffectiveStatus, Entry, EntryId, EntryStatus, effective_memory};
use crate::store::ReadTx;
use crate::store::projected::{Rows, Shelf};

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

/// The index of the entries, kept by the process and caught up before a search.
#[derive(Default)]
pub(crate) struct EntryIndex(Mutex<Indexed>);

#[derive(Default)]
struct Indexed {
    generation: u64,
    /// The newest indexed entry: its position in the log and its id.
    newest: Option<(Seq, EntryId)>,
    /// In the order in which they were learned: entry `n` is document `n + 1`.
    ids: Vec<EntryId>,
    tail: TailIndex,
}

impl EntryIndex {
    /// Lets go of every entry: events were erased.
    pub(crate) fn clear(&self) {
        *self.0.lock() = Indexed::default();
    }
}

impl Indexed {
    /// Adds what was learned since; begins again when entries went away.
    fn catch_up(&mut self, read: &ReadTx, rows: &dyn Rows) -> Result<()> {
        let total = rows.facts(Shelf::Entry)?.rows;
        let mut newer = newer_than(rows, self.newest.as_ref())?;
        let is_current =
            self.generation == read.generation() && (self.ids.len() + newer.len()) as u64 == total;
        if !is_current {
            *self = Indexed {
                generation: read.generation(),
                ..Indexed::default()
            };
            newer = newer_than(rows, None)?;
        }
        for row in newer.into_iter().rev() {
            self.add(&row)?;
            self.newest = Some((row.seq, row.entry.id));
        }
        Ok(())
    }

    fn add(&mut self, row: &LearnedEntry) -> Result<()> {
        let facts = EventFacts {
            seq: self.ids.len() as u64 + 1,
            turn: NO_TURN,
            ..EventFacts::default()
        };
        let body = with_analyser(|analyser| {
            let part = |text| Part {
                header: "",
                text,
                offset: 0,
            };
            // The title names what the content explains: both are one text.
            let text = format!("{}\n{}", row.entry.title, row.content);
            forward::analyse(analyser, &[part(&text)])
        });
        self.tail.add(body.encode(&facts))?;
        self.ids.push(row.entry.id.clone());
        Ok(())
    }

    /// The ids and scores of the entries that match, best first.
    fn search(&self, memory: &Memory, read: &ReadTx, text: &str, most: usize) -> Result<Found> {
        let blocks = memory.inner.lexical.blocks(read);
        let searcher = LexicalSearcher::new([], &self.tail, blocks);
        let hits = with_analyser(|analyser| {
            searcher.search(
                analyser,
                &LexicalQuery {
                    text,
                    limit: most,
                    filter: Filter::default(),
                    deadline: None,
                    gains: Gains::default(),
                },
            )
        })?;
        let attainable = f64::from(hits.attainable.max(f32::MIN_POSITIVE));
        Ok(hits
            .hits
            .iter()
            .filter_map(|hit| {
                let number = usize::try_from(hit.facts.seq).ok()?.checked_sub(1)?;
                let score = f64::from(hit.score + hit.adjacency) / attainable;
                Some((self.ids.get(number)?.clone(), score.clamp(0.0, 1.0)))
            })
            .collect())
    }
}

/// The entries that were learned after a known one, the newest in front; all of
/// them when it is gone.
fn newer_than(rows: &dyn Rows, known: Option<&(Seq, EntryId)>) -> Result<Vec<LearnedEntry>> {
    let mut newer = Vec::new();
    entries::newest(rows, &mut |row| {
        let is_known = known.is_some_and(|(seq, id)| *seq == row.seq && *id == row.entry.id);
        if !is_known {
            newer.push(row);
        }
        Ok(!is_known)
    })?;
    Ok(newer)
}

/// Ids with their scores.
type Found = Vec<(EntryId, f64)>;

impl Memory {
    /// Learned entries that answer a question or hold some words, best first.
    /// Related words and other forms count, as in [`Memory::search`].
    ///
    /// Entries that were superseded or deprecated are left out unless the filter
    /// asks for their status or for a moment (`as_of`); contested ones count
    /// less. An entry that was confirmed to mean another one is replaced by it.
    /// At most 10 unless the filter says otherwise.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// let found = memory.search_entries("which database did we choose?", &Default::default())?;
    /// assert!(found.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `invalid_argument` naming `query` when it is blank, or `status`;
    /// `corrupt` or `io`.
    pub fn search_entries(&self, query: &str, filter: &EntryFilter) -> Result<Vec<EntryHit>> {
        self.enter()?;
        filter.check()?;
        if query.trim().is_empty() {
            return Err(Error::invalid("query", "must not be empty or blank"));
        }
        let query = &query[..query.floor_char_boundary(MAX_QUERY_BYTES)];
        let limit = filter.limit.unwrap_or(DEFAULT_LIMIT);
        let read = self.inner.store.read()?;
        let rows = read.projected()?;
        let found = {
            let mut index = self.inner.entry_index.0.lock();
            index.catch_up(&read, &rows)?;
            let most = limit.saturating_mul(LOOK_AT).max(LOOK_AT_LEAST);
            index.search(self, &read, query, most.min(index.ids.len()))?
        };
        let project = crate::write::prepare::wanted_project(&self.inner, &filter.project)?;
        let filter = &filter.kept(self)?;
        let text = filter.text.as_ref().map(|text| text.to_lowercase());
        let mut hits: Vec<EntryHit> = Vec::new();
        for (id, score) in found {
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
}

/// The entry that counts for another, and which one that was if not itself.
fn effective(rows: &dyn Rows, id: &EntryId) -> Result<Option<(LearnedEntry, Option<EntryId>)>> {
    let resolution = memories::resolution(rows, id.as_str())?;
    let view = effective_memory(id.as_str(), resolution.as_ref());
    if view.status == EffectiveStatus::Resolved
        && let Some(target) = entries::entry(rows, &EntryId::new(view.effective_id))?
    {
        return Ok(Some((target, Some(id.clone()))));
    }
    Ok(entries::entry(rows, id)?.map(|row| (row, None)))
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
