//! One group of learned items as this process knows it: the store's segments, plus in memory
//! what was learned or changed since they were written.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use crate::engine::learned_index::query::affordable;
use crate::engine::learned_index::snapshot::{GroupSnapshot, InMemory, Source, document};
use crate::engine::lexical::LexicalIndex;
use crate::index::lexical::forward::ForwardBody;
use crate::index::lexical::segment::SegmentReader;
use crate::model::error::{Error, ErrorCode, Result};
use crate::projection::learned as texts;
use crate::store::index_tables::learned::{self, LearnedChange, LearnedGroup, LearnedRow};
use crate::store::projected_rows::projected::Projected;

/// The number of a row whose last write is unknown.
const UNKNOWN: u64 = 1 << 62;

/// A group of learned items, caught up before each search.
pub(super) struct GroupIndex {
    group: LearnedGroup,
    /// The generation and write that all of this reflects.
    version: Option<(u64, u64)>,
    segments: Vec<Arc<SegmentReader>>,
    /// Whether some of their documents are stale.
    has_gone: bool,
    /// The numbers of the store's segments, open or not.
    listed: BTreeSet<u64>,
    /// The segments present when part of the store's index could not be read: while any of
    /// them remains, everything is indexed in memory.
    damaged: Option<BTreeSet<u64>>,
    /// Whether the store's segments are ignored.
    is_alone: bool,
    waiting: HashMap<LearnedRow, Waiting>,
    /// How many of those have not been read yet.
    left: usize,
    /// Searches share it.
    memory: Arc<InMemory>,
}

/// A learned item that is searched in memory, or hidden from the search.
struct Waiting {
    /// The state of the row when it was read; `None` before that.
    state: Option<u64>,
    /// Its words, if the store's index lacks them.
    words: Option<(i64, ForwardBody)>,
    /// The store's document that it replaces.
    hides: Option<u64>,
}

impl GroupIndex {
    pub(super) fn new(group: LearnedGroup) -> Self {
        GroupIndex {
            group,
            version: None,
            segments: Vec::new(),
            has_gone: false,
            listed: BTreeSet::new(),
            damaged: None,
            is_alone: false,
            waiting: HashMap::new(),
            left: 0,
            memory: Arc::default(),
        }
    }

    /// The group as `source` sees it. If there is only time to index some in memory, the latest come
    /// first.
    pub(super) fn snapshot(
        &mut self,
        source: Source<'_>,
        deadline: Option<Instant>,
    ) -> Result<GroupSnapshot> {
        match self.caught_up(source, deadline) {
            // All of it can be rebuilt from the rows.
            Err(error) if error.code() == ErrorCode::Corrupt && !self.is_alone => {
                self.note_damage(self.listed.clone());
                self.caught_up(source, deadline)
            }
            caught_up => caught_up,
        }
    }

    /// Called when a part of the store's index that has these segments could not be read.
    pub(super) fn note_damage(&mut self, segments: BTreeSet<u64>) {
        (self.damaged, self.version) = (Some(segments), None);
    }

    /// Drops every text, and the blocks of segments.
    pub(super) fn clear(&mut self, lexical: &LexicalIndex) {
        for segment in &self.segments {
            lexical.forget_blocks(segment.id());
        }
        *self = GroupIndex::new(self.group);
    }

    /// Called when the store's index was rebuilt.
    pub(super) fn forget_damage(&mut self) {
        (self.damaged, self.version) = (None, None);
    }

    /// How many segments are skipped because they are damaged.
    pub(super) fn damaged_count(&self) -> u64 {
        let damaged = self.damaged.as_ref();
        damaged.map_or(0, |segments| segments.len().max(1) as u64)
    }

    fn caught_up(
        &mut self,
        source: Source<'_>,
        deadline: Option<Instant>,
    ) -> Result<GroupSnapshot> {
        // Damage is reported even if no item is missed.
        let is_whole = self.catch_up(source, affordable(deadline))? && self.damaged.is_none();
        Ok(GroupSnapshot {
            group: self.group,
            segments: self.segments.clone(),
            has_gone: self.has_gone,
            is_alone: self.is_alone,
            memory: self.memory.clone(),
            is_whole,
        })
    }

    /// Takes in what was written since, reading at most `most` learned items. False if
    /// there are more.
    pub(super) fn catch_up(&mut self, source: Source<'_>, most: usize) -> Result<bool> {
        let version = (source.read.generation(), source.read.state()?.commits);
        if self.version != Some(version) {
            let known = self.version.take();
            match known {
                Some(known) if known.0 == version.0 => {}
                Some(_) => self.clear(source.lexical),
                // It was never caught up, or catching up failed half-way.
                None => self.forget_memory(),
            }
            self.open_segments(source, known.is_none())?;
            let changes = self.changes(source)?;
            self.take_in(source.rows, &changes, most)?;
            self.version = Some(version);
        } else if self.left > 0 {
            self.version = None;
            let changes = self.changes(source)?;
            self.take_in(source.rows, &changes, most)?;
            self.version = Some(version);
        }
        Ok(self.left == 0)
    }

    fn forget_memory(&mut self) {
        self.waiting.clear();
        self.left = 0;
        self.memory = Arc::default();
    }

    /// Opens the store's current segments; `is_again` is true directly after damage was
    /// met.
    fn open_segments(&mut self, source: Source<'_>, is_again: bool) -> Result<()> {
        self.listed.clear();
        self.has_gone = false;
        let live = match learned::segments(source.rows) {
            Err(error) if error.code() == ErrorCode::Corrupt && self.damaged.is_some() => None,
            live => Some(live?),
        };
        let mut ids = Vec::new();
        if let Some(live) = live {
            for segment in live.iter().filter(|live| live.group == self.group) {
                ids.push(segment.info.id);
                self.has_gone |= segment.gone > 0;
            }
            self.listed.extend(&ids);
            // It was rebuilt since.
            self.damaged
                .take_if(|damaged| !is_again && damaged.is_disjoint(&self.listed));
        }
        let was_alone = self.is_alone;
        self.is_alone = self.damaged.is_some() || !learned::is_whole(source.rows)?;
        if self.is_alone != was_alone {
            self.forget_memory();
        }
        let known = std::mem::take(&mut self.segments);
        if !self.is_alone {
            for id in ids {
                let open = known.iter().find(|segment| segment.id() == id);
                self.segments.push(match open {
                    Some(segment) => segment.clone(),
                    None => self.open(source, id)?,
                });
            }
        }
        for segment in known {
            if !self.segments.iter().any(|live| live.id() == segment.id()) {
                source.lexical.forget_blocks(segment.id());
            }
        }
        Ok(())
    }

    fn open(&self, source: Source<'_>, id: u64) -> Result<Arc<SegmentReader>> {
        let segment = SegmentReader::open(id, source.lexical.blocks(source.read))?;
        if !segment.is_current() {
            // Its words were cut differently from those of the question.
            return Err(Error::new(
                ErrorCode::Corrupt,
                "a segment of the learned index was built with a different analyser; run check()",
            ));
        }
        Ok(Arc::new(segment))
    }

    /// What the segments do not cover, each with a number that changes with its row; the
    /// newest first.
    fn changes(&self, source: Source<'_>) -> Result<Vec<LearnedChange>> {
        if self.is_alone {
            return self.all(source);
        }
        let mut changes = learned::changes(source.rows, self.group, usize::MAX)?;
        changes.sort_by(|a, b| b.write.cmp(&a.write).then_with(|| a.row.cmp(&b.row)));
        Ok(changes)
    }

    /// Every item of the group.
    fn all(&self, Source { read, rows, .. }: Source<'_>) -> Result<Vec<LearnedChange>> {
        let mut all = Vec::new();
        texts::each(rows, self.group, &mut |row| all.push(row))?;
        let numbered = || -> Result<Vec<LearnedChange>> {
            let changes = learned::changes(rows, self.group, usize::MAX)?;
            let changes = changes.into_iter().map(|change| (change.row, change.write));
            let known: HashMap<LearnedRow, u64> = changes.collect();
            let number = |row: &LearnedRow| -> Result<u64> {
                if let Some(write) = known.get(row) {
                    return Ok(*write);
                }
                // It was indexed in the meantime, perhaps with another text.
                let document = learned::document(rows, row)?;
                Ok(document.map_or(u64::MAX, |document| !document.number))
            };
            let numbered = all.iter().map(|row| {
                Ok(LearnedChange {
                    write: number(row)?,
                    row: row.clone(),
                })
            });
            numbered.collect()
        };
        match numbered() {
            // Any of them may have changed.
            Err(error) if error.code() == ErrorCode::Corrupt => {
                let write = UNKNOWN | read.state()?.commits;
                let all = all.into_iter();
                Ok(all.map(|row| LearnedChange { row, write }).collect())
            }
            numbered => numbered,
        }
    }

    fn take_in(&mut self, rows: &Projected, changes: &[LearnedChange], most: usize) -> Result<()> {
        let mut known = std::mem::take(&mut self.waiting);
        let mut unread = Vec::new();
        let mut is_only_more = true;
        for change in changes {
            match known.remove(&change.row) {
                Some(waiting) if waiting.state == Some(change.write) => {
                    self.waiting.insert(change.row.clone(), waiting);
                }
                old => {
                    is_only_more &= old.is_none_or(|old| old.words.is_none());
                    unread.push(change);
                }
            }
        }
        is_only_more &= known.values().all(|gone| gone.words.is_none());
        self.left = unread.len().saturating_sub(most);
        for (at, change) in unread.iter().enumerate() {
            let waiting = match at < most {
                true => self.read(rows, change)?,
                // The store's index may describe an earlier state of it.
                false => Waiting {
                    state: None,
                    words: None,
                    hides: document(rows, self.is_alone, &change.row)?.map(|known| known.number),
                },
            };
            self.waiting.insert(change.row.clone(), waiting);
        }
        unread.truncate(most);
        let new = unread.iter().map(|change| &change.row);
        self.put_in_memory(new.collect(), is_only_more)
    }

    fn read(&self, rows: &Projected, change: &LearnedChange) -> Result<Waiting> {
        let text = texts::text(rows, &change.row)?;
        let document = document(rows, self.is_alone, &change.row)?;
        let is_same = match (&text, &document) {
            (Some(text), Some(document)) => text.hash() == document.hash,
            _ => false,
        };
        Ok(match is_same {
            true => Waiting {
                state: Some(change.write),
                words: None,
                hides: None,
            },
            false => Waiting {
                state: Some(change.write),
                words: text.map(|text| (text.at, text.words())),
                hides: document.map(|document| document.number),
            },
        })
    }

    /// Indexes what is waiting in memory: only the new items, if nothing else changed and
    /// they come last.
    fn put_in_memory(&mut self, new: Vec<&LearnedRow>, is_only_more: bool) -> Result<()> {
        let hidden = self.waiting.values().filter_map(|waiting| waiting.hides);
        let hidden: HashSet<u64> = hidden.collect();
        let words = |row: &LearnedRow| -> Option<(i64, &ForwardBody)> {
            let (at, words) = self.waiting.get(row)?.words.as_ref()?;
            Some((*at, words))
        };
        let mut wanted: Vec<(i64, &LearnedRow, &ForwardBody)> = new
            .into_iter()
            .filter_map(|row| words(row).map(|(at, words)| (at, row, words)))
            .collect();
        wanted.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        let last = self.memory.documents.last();
        let comes_last = wanted
            .first()
            .zip(last)
            .is_none_or(|(first, (at, row))| (first.0, first.1) > (*at, row));
        let is_extended = is_only_more && comes_last;
        if is_extended && wanted.is_empty() && self.memory.hidden == hidden {
            return Ok(());
        }
        let mut memory = match Arc::try_unwrap(std::mem::take(&mut self.memory)) {
            Ok(own) if is_extended => own,
            // A search that still uses it must not see it change.
            _ => {
                wanted.clear();
                wanted.extend(self.waiting.iter().filter_map(|(row, waiting)| {
                    let (at, words) = waiting.words.as_ref()?;
                    Some((*at, row, words))
                }));
                wanted.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
                InMemory::default()
            }
        };
        memory.hidden = hidden;
        for (at, row, words) in wanted {
            memory.add(at, row, words)?;
        }
        self.memory = Arc::new(memory);
        Ok(())
    }
}

#[cfg(test)]
impl GroupIndex {
    /// How many documents are indexed in memory.
    pub(super) fn in_memory(&self) -> usize {
        self.memory.documents.len()
    }

    /// Indexes everything in memory, as if the store had no segments.
    pub(super) fn alone(group: LearnedGroup, read: &crate::store::ReadTx) -> Result<Self> {
        let listed = learned::segments(&read.projected()?)?;
        Ok(GroupIndex {
            damaged: Some(listed.iter().map(|segment| segment.info.id).collect()),
            ..GroupIndex::new(group)
        })
    }
}
