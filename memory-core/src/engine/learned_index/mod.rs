//! Indexes learned items (entries, tasks, insights and consolidated memories) by their
//! texts, so that they are searched as events are. The store keeps the index in segments
//! ([`stored`]); newer items are indexed in memory ([`group`]).

mod entry_words;
mod group;
mod stored;

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use crate::engine::lexical::LexicalIndex;
use crate::model::error::Result;
use crate::model::ids::Seq;
use crate::model::learned::LearnedKind;
use crate::projection::entries;
use crate::rules::entries::{EntryId, LearnedEntry};
use crate::store::ReadTx;
use crate::store::learned::{LearnedGroup, LearnedRow};
use crate::store::projected::{Projected, RowKind, Rows};
use entry_words::EntryWords;
use group::{GroupIndex, Source};
pub(crate) use stored::Limits;

/// The learned index of this process.
#[derive(Default)]
pub(crate) struct LearnedIndex(Mutex<Indexed>);

/// A learned item by its kind and id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LearnedRef {
    pub(crate) kind: LearnedKind,
    pub(crate) id: String,
}

/// A query of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LearnedQuery<'a> {
    pub(crate) text: &'a str,
    /// A bit for each wanted kind (see [`LearnedKind::bit`]).
    pub(crate) kinds: u64,
    /// Restricts the search to these items; `None` for any.
    pub(crate) listed: Option<&'a [LearnedRow]>,
    /// At most so many entries, and as many other items, are scored.
    pub(crate) most: usize,
    /// How many results to return, plus ties with the last.
    pub(crate) given: usize,
    /// If there is no time to index what the store's index lacks, the latest items come
    /// first; if another search does that until then, nothing is found.
    pub(crate) deadline: Option<Instant>,
}

/// What a search of the index found.
#[derive(Debug, Default)]
pub(crate) struct LearnedMatches {
    /// Best first: entries, then the others.
    pub(crate) matches: Vec<LearnedMatch>,
    /// False if there was no time to index everything.
    pub(crate) is_whole: bool,
}

/// A learned item that contains words of a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LearnedMatch {
    pub(crate) learned: LearnedRef,
    /// The score of its words and neighbouring words, relative to a text that contains all
    /// words of the question.
    pub(crate) score: f64,
    /// The words of the question: their stems, how well each is matched (0 to 1), and
    /// whether the exact word occurs.
    pub(crate) words: Vec<WordMatch>,
}

/// How well a learned item matches a word of the question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WordMatch {
    pub(crate) stem: Arc<[u8]>,
    /// The word's weight among learned items.
    pub(crate) weight: f32,
    pub(crate) value: f32,
    pub(crate) is_exact: bool,
}

/// Entries and other items, whose words are weighted separately, and an index of entries
/// for finding pieces of text.
struct Indexed {
    entries: GroupIndex,
    others: GroupIndex,
    /// The generation that the words were read from.
    generation: u64,
    words: EntryWords,
}

impl Default for Indexed {
    fn default() -> Self {
        Indexed {
            entries: GroupIndex::new(LearnedGroup::Entries),
            others: GroupIndex::new(LearnedGroup::Others),
            generation: 0,
            words: EntryWords::default(),
        }
    }
}

/// Microseconds to read and index one item on a machine under load.
const MICROS_EACH: u128 = 20;

/// How many items fit into half of the remaining time.
fn affordable(deadline: Option<Instant>) -> usize {
    let Some(deadline) = deadline else {
        return usize::MAX;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    usize::try_from(left.as_micros() / 2 / MICROS_EACH).unwrap_or(usize::MAX)
}

impl LearnedIndex {
    /// The matching learned items, best first.
    pub(crate) fn search(
        &self,
        lexical: &LexicalIndex,
        read: &ReadTx,
        rows: &Projected,
        query: LearnedQuery<'_>,
    ) -> Result<LearnedMatches> {
        let index = match query.deadline {
            Some(deadline) => self.0.try_lock_until(deadline),
            None => Some(self.0.lock()),
        };
        // Another search may be indexing everything.
        let Some(mut index) = index else {
            return Ok(LearnedMatches::default());
        };
        let index = &mut *index;
        let source = Source {
            lexical,
            read,
            rows,
        };
        let mut found = LearnedMatches {
            matches: Vec::new(),
            is_whole: true,
        };
        let entries = LearnedKind::Entry.bit();
        for (group, kinds) in [
            (&mut index.entries, query.kinds & entries),
            (&mut index.others, query.kinds & !entries),
        ] {
            if kinds != 0 {
                let of_group = LearnedQuery { kinds, ..query };
                let (matches, is_whole) = group.search(source, of_group)?;
                found.matches.extend(matches);
                found.is_whole &= is_whole;
            }
        }
        Ok(found)
    }

    /// The entries that may contain a lower-case text, judged by their words, latest first.
    /// `None` for a text without a word.
    pub(crate) fn entries_with(
        &self,
        read: &ReadTx,
        rows: &dyn Rows,
        text: &str,
    ) -> Result<Option<Vec<EntryId>>> {
        let mut index = self.0.lock();
        if index.generation != read.generation() {
            (index.generation, index.words) = (read.generation(), EntryWords::default());
        }
        index.catch_up_words(rows)?;
        Ok(index.words.candidates(text))
    }

    /// How many damaged segments of the store this process skips until they are rebuilt.
    pub(crate) fn damaged_count(&self) -> u64 {
        let index = self.0.lock();
        index.entries.damaged_count() + index.others.damaged_count()
    }

    /// Drops every text, because events were erased.
    pub(crate) fn clear(&self, lexical: &LexicalIndex) {
        let mut index = self.0.lock();
        index.entries.clear(lexical);
        index.others.clear(lexical);
        index.words = EntryWords::default();
    }

    fn forget_damage(&self) {
        let mut index = self.0.lock();
        index.entries.forget_damage();
        index.others.forget_damage();
    }
}

impl Indexed {
    /// Adds the words of newer entries; starts over if entries were removed.
    fn catch_up_words(&mut self, rows: &dyn Rows) -> Result<()> {
        let total = rows.facts(RowKind::Entry)?.rows;
        let mut newer = newer_than(rows, self.words.newest.as_ref())?;
        if (self.words.len() + newer.len()) as u64 != total {
            self.words = EntryWords::default();
            newer = newer_than(rows, None)?;
        }
        for row in newer.iter().rev() {
            self.words.add(row);
        }
        Ok(())
    }
}

/// The entries learned after a known one, newest first; all of them if it is gone.
fn newer_than(rows: &dyn Rows, known: Option<&(Seq, EntryId)>) -> Result<Vec<LearnedEntry>> {
    let mut newer = Vec::new();
    entries::latest(rows, entries::Group::All, &mut |row| {
        let is_known = known.is_some_and(|(seq, id)| *seq == row.seq && *id == row.entry.id);
        if !is_known {
            newer.push(row);
        }
        Ok(!is_known)
    })?;
    Ok(newer)
}

#[cfg(test)]
mod tests;
