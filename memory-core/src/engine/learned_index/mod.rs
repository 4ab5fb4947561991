//! Indexes learned items (entries, tasks, insights and consolidated memories) by their
//! texts, so that they are searched as events are. The store keeps the index in segments
//! ([`stored`]); newer items are indexed in memory ([`group`]).

mod group;
mod pieces;
mod query;
mod snapshot;
mod stored;

use parking_lot::Mutex;

use crate::engine::lexical::LexicalIndex;
use crate::model::error::{ErrorCode, Result};
use crate::model::learned::LearnedKind;
use crate::rules::entries::EntryId;
use crate::rules::tasks::EntityId;
use crate::store::ReadTx;
use crate::store::index_tables::learned::LearnedGroup;
use crate::store::projected_rows::projected::{Projected, RowKind, Rows};
use group::GroupIndex;
pub(crate) use query::{LearnedMatch, LearnedMatches, LearnedQuery, LearnedRef};
use snapshot::{GroupSnapshot, Source};
pub(crate) use stored::Limits;

/// The learned index of this process. The lock is held while the groups catch up with the store, not
/// while they are searched.
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

impl Indexed {
    fn group(&mut self, group: LearnedGroup) -> &mut GroupIndex {
        match group {
            LearnedGroup::Entries => &mut self.entries,
            LearnedGroup::Others => &mut self.others,
        }
    }
}

/// The bits of a group's kinds.
fn kinds_of(group: LearnedGroup) -> u64 {
    let entries = LearnedKind::Entry.bit();
    match group {
        LearnedGroup::Entries => entries,
        LearnedGroup::Others => !entries,
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
        let source = Source {
            lexical,
            read,
            rows,
        };
        let Some(snapshots) = self.snapshots(source, query)? else {
            return Ok(LearnedMatches::default());
        };
        let mut found = LearnedMatches {
            matches: Vec::new(),
            is_whole: true,
        };
        for snapshot in snapshots {
            let query = LearnedQuery {
                kinds: query.kinds & kinds_of(snapshot.group),
                ..query
            };
            let (matches, is_whole) = self.search_group(source, snapshot, query)?;
            found.matches.extend(matches);
            found.is_whole &= is_whole;
        }
        Ok(found)
    }

    /// The groups with wanted kinds. `None` if another search catches up until the deadline: it may
    /// be indexing everything.
    fn snapshots(
        &self,
        source: Source<'_>,
        query: LearnedQuery<'_>,
    ) -> Result<Option<Vec<GroupSnapshot>>> {
        let index = match query.deadline {
            Some(deadline) => self.0.try_lock_until(deadline),
            None => Some(self.0.lock()),
        };
        let Some(mut index) = index else {
            return Ok(None);
        };
        let mut snapshots = Vec::new();
        for group in LearnedGroup::ALL {
            if query.kinds & kinds_of(group) != 0 {
                snapshots.push(index.group(group).snapshot(source, query.deadline)?);
            }
        }
        Ok(Some(snapshots))
    }

    /// The matches of a group, and whether all of it was searched and nothing is damaged.
    fn search_group(
        &self,
        source: Source<'_>,
        snapshot: GroupSnapshot,
        query: LearnedQuery<'_>,
    ) -> Result<(Vec<LearnedMatch>, bool)> {
        match snapshot.search(source, query) {
            // All of it can be rebuilt from the rows.
            Err(error) if error.code() == ErrorCode::Corrupt && !snapshot.is_alone => {
                let again = {
                    let mut index = self.0.lock();
                    let group = index.group(snapshot.group);
                    group.note_damage(snapshot.segment_ids());
                    group.snapshot(source, query.deadline)?
                };
                Ok((again.search(source, query)?, again.is_whole))
            }
            found => Ok((found?, snapshot.is_whole)),
        }
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
