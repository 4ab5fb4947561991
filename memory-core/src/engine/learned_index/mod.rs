//! Indexes learned items (entries, tasks, insights and consolidated memories) by their
//! texts, so that they are searched as events are. The store keeps the index in segments
//! ([`stored`]); newer items are indexed in memory ([`group`]).

mod group;
mod pieces;
mod query;
mod stored;

use parking_lot::Mutex;

use crate::engine::lexical::LexicalIndex;
use crate::model::error::Result;
use crate::model::learned::LearnedKind;
use crate::rules::entries::EntryId;
use crate::rules::tasks::EntityId;
use crate::store::ReadTx;
use crate::store::index_tables::learned::LearnedGroup;
use crate::store::projected_rows::projected::{Projected, RowKind, Rows};
use group::{GroupIndex, Source};
pub(crate) use query::{LearnedMatch, LearnedMatches, LearnedQuery, LearnedRef};
pub(crate) use stored::Limits;

/// The learned index of this process.
#[derive(Default)]
pub(crate) struct LearnedIndex(Mutex<Indexed>);

/// Entries and other items, whose words are weighted separately.
struct Indexed {
    entries: GroupIndex,
    others: GroupIndex,
}

impl Default for Indexed {
    fn default() -> Self {
        Indexed {
            entries: GroupIndex::new(LearnedGroup::Entries),
            others: GroupIndex::new(LearnedGroup::Others),
        }
    }
}

/// The entries whose title or content may contain a lower-case text, latest first. `None` if all
/// must be read.
pub(crate) fn entries_with(rows: &dyn Rows, lower: &str) -> Result<Option<Vec<EntryId>>> {
    let ids = pieces::candidates(rows, RowKind::Entry, lower)?;
    Ok(ids.map(|ids| ids.into_iter().map(EntryId::new).collect()))
}

/// Like [`entries_with`], for the titles and descriptions of tasks.
pub(crate) fn tasks_with(rows: &dyn Rows, lower: &str) -> Result<Option<Vec<EntityId>>> {
    let ids = pieces::candidates(rows, RowKind::Task, lower)?;
    Ok(ids.map(|ids| ids.into_iter().map(EntityId::new).collect()))
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
    }

    fn forget_damage(&self) {
        let mut index = self.0.lock();
        index.entries.forget_damage();
        index.others.forget_damage();
    }
}

#[cfg(test)]
mod tests;
