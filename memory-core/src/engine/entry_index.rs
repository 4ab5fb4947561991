//! The index of learned entries: their titles and contents in memory, searched as
//! events are.

use parking_lot::Mutex;

use crate::engine::lexical::LexicalIndex;
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{self, EventFacts, NO_TURN, Part};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::search::{Boosts, LexicalQuery, LexicalSearcher};
use crate::index::lexical::searchable::with_analyser;
use crate::model::error::Result;
use crate::model::ids::Seq;
use crate::projection::entries;
use crate::rules::entries::{EntryId, LearnedEntry};
use crate::store::ReadTx;
use crate::store::projected::{RowKind, Rows};

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
    memtable: Memtable,
}

impl EntryIndex {
    /// The ids and scores of the entries that match, best first; at most `most`.
    pub(crate) fn search(
        &self,
        lexical: &LexicalIndex,
        read: &ReadTx,
        rows: &dyn Rows,
        text: &str,
        most: usize,
    ) -> Result<Scored> {
        let mut index = self.0.lock();
        index.catch_up(read, rows)?;
        index.search(lexical, read, text, most.min(index.ids.len()))
    }

    /// Lets go of every entry: events were erased.
    pub(crate) fn clear(&self) {
        *self.0.lock() = Indexed::default();
    }
}

impl Indexed {
    /// Adds what was learned since; begins again when entries went away.
    fn catch_up(&mut self, read: &ReadTx, rows: &dyn Rows) -> Result<()> {
        let total = rows.facts(RowKind::Entry)?.rows;
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
        self.memtable.add(body.encode(&facts))?;
        self.ids.push(row.entry.id.clone());
        Ok(())
    }

    /// The ids and scores of the entries that match, best first.
    fn search(
        &self,
        lexical: &LexicalIndex,
        read: &ReadTx,
        text: &str,
        most: usize,
    ) -> Result<Scored> {
        let blocks = lexical.blocks(read);
        let searcher = LexicalSearcher::new([], &self.memtable, blocks);
        let hits = with_analyser(|analyser| {
            searcher.search(
                analyser,
                &LexicalQuery {
                    text,
                    limit: most,
                    filter: Filter::default(),
                    deadline: None,
                    boosts: Boosts::default(),
                },
            )
        })?;
        let attainable = f64::from(hits.attainable.max(f32::MIN_POSITIVE));
        Ok(hits
            .hits
            .iter()
            .filter_map(|hit| {
                let number = usize::try_from(hit.facts.seq).ok()?.checked_sub(1)?;
                let score = f64::from(hit.score + hit.phrase_proximity) / attainable;
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
pub(crate) type Scored = Vec<(EntryId, f64)>;
