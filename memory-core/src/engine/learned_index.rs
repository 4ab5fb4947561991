//! The index of what was learned: entries, tasks, insights and consolidated
//! memories, their texts in memory, searched as events are.

use std::collections::HashMap;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::Value;

use crate::engine::entry_words::EntryWords;
use crate::engine::lexical::LexicalIndex;
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{self, EventFacts, NO_TURN, Part};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::search::{Boosts, LexicalQuery, LexicalSearcher};
use crate::index::lexical::searchable::with_analyser;

use crate::model::error::Result;
use crate::model::ids::Seq;
use crate::model::learned::LearnedKind;
use crate::projection::{entries, rows};
use crate::rules::entries::{EntryId, LearnedEntry};
use crate::rules::tasks::Task;
use crate::store::ReadTx;
use crate::store::projected::{RowKind, RowKindFacts, Rows};

/// What was learned, kept by the process and caught up before a search.
#[derive(Default)]
pub(crate) struct LearnedIndex(Mutex<Indexed>);

/// A learned thing by its kind and id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LearnedRef {
    pub(crate) kind: LearnedKind,
    pub(crate) id: String,
}

/// What a search of the index found.
#[derive(Debug, Default)]
pub(crate) struct LearnedMatches {
    /// Best first: entries, then the others.
    pub(crate) matches: Vec<LearnedMatch>,
    /// False when the time was too short to index everything.
    pub(crate) is_whole: bool,
}

/// A learned thing that holds words of a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LearnedMatch {
    pub(crate) learned: LearnedRef,
    /// The score of its words and neighbouring words as a part of what a text with
    /// all words of the question has.
    pub(crate) score: f64,
    /// The words of the question: their stems, how well it matches each from 0 to
    /// 1, and whether it holds the word itself.
    pub(crate) words: Vec<WordMatch>,
}

/// How well a learned thing matches a word of the question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WordMatch {
    pub(crate) stem: Vec<u8>,
    /// The word's weight among the learned things.
    pub(crate) weight: f32,
    pub(crate) value: f32,
    pub(crate) is_exact: bool,
}

/// Two indexes: entries are only added, whereas the others also change. A third one of
/// entries finds pieces of text.
#[derive(Default)]
struct Indexed {
    generation: u64,
    words: EntryWords,
    /// The newest indexed entry: its position in the log and its id.
    newest: Option<(Seq, EntryId)>,
    entries: Documents,
    /// Older entries that there was no time for.
    left_out: u64,
    others: Documents,
    /// What the rows of the others looked like when they were indexed.
    others_at: [Vec<RowKindFacts>; 3],
}

/// About so many microseconds it takes to read and index one thing, on a machine that
/// does other work too.
const MICROS_EACH: u128 = 20;

/// How many things there is time for: until half of what is left is over.
fn affordable(deadline: Option<Instant>) -> usize {
    let Some(deadline) = deadline else {
        return usize::MAX;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    usize::try_from(left.as_micros() / 2 / MICROS_EACH).unwrap_or(usize::MAX)
}

impl LearnedIndex {
    /// The learned things of some kinds (see [`LearnedKind::bit`]) that match, best
    /// first; at most `most` entries and as many others. Where the time until a deadline
    /// is too short to index everything, the entries that were learned last come first.
    pub(crate) fn search(
        &self,
        lexical: &LexicalIndex,
        read: &ReadTx,
        rows: &dyn Rows,
        query: (&str, u64),
        most: usize,
        deadline: Option<Instant>,
    ) -> Result<LearnedMatches> {
        let mut index = self.0.lock();
        index.begin(read);
        let is_whole = index.catch_up(rows, query.1, affordable(deadline))?;
        let mut matches = Vec::new();
        if query.1 & LearnedKind::Entry.bit() != 0 {
            matches.extend(index.entries.search(lexical, read, query, most)?);
        }
        if query.1 & !LearnedKind::Entry.bit() != 0 {
            matches.extend(index.others.search(lexical, read, query, most)?);
        }
        Ok(LearnedMatches { matches, is_whole })
    }

    /// Whether an entry may hold a piece of text is known by its words: those that may, the
    /// one learned last in front. `None` for a text without a word. The text is in lower
    /// case.
    pub(crate) fn entries_with(
        &self,
        read: &ReadTx,
        rows: &dyn Rows,
        text: &str,
    ) -> Result<Option<Vec<EntryId>>> {
        let mut index = self.0.lock();
        index.begin(read);
        index.catch_up_words(rows)?;
        Ok(index.words.candidates(text))
    }

    /// Lets go of every text: events were erased.
    pub(crate) fn clear(&self) {
        *self.0.lock() = Indexed::default();
    }
}

impl Indexed {
    fn begin(&mut self, read: &ReadTx) {
        if self.generation != read.generation() {
            *self = Indexed {
                generation: read.generation(),
                ..Indexed::default()
            };
        }
    }

    /// Adds what is new of some kinds, reading so many things at most. False when there
    /// is more.
    fn catch_up(&mut self, rows: &dyn Rows, kinds: u64, most: usize) -> Result<bool> {
        let mut is_whole = true;
        if kinds & LearnedKind::Entry.bit() != 0 {
            self.catch_up_entries(rows, most)?;
            is_whole = self.left_out == 0;
        }
        if kinds & !LearnedKind::Entry.bit() != 0 {
            is_whole &= self.catch_up_others(rows, most)?;
        }
        Ok(is_whole)
    }

    /// Adds what was learned since; begins again when entries went away, or when there
    /// is time for what was left out.
    fn catch_up_entries(&mut self, rows: &dyn Rows, most: usize) -> Result<()> {
        let total = rows.facts(RowKind::Entry)?.rows;
        let mut newer = newer_than(rows, self.newest.as_ref(), most)?;
        let known = (self.entries.len() + newer.len()) as u64 + self.left_out;
        let can_complete = self.left_out > 0 && most as u64 >= total;
        if self.newest.is_some() && (known != total || can_complete) {
            (self.newest, self.entries) = (None, Documents::default());
            newer = newer_than(rows, None, most)?;
        }
        if self.newest.is_none() {
            self.left_out = total.saturating_sub(newer.len() as u64);
        }
        for row in newer.into_iter().rev() {
            let learned = LearnedRef {
                kind: LearnedKind::Entry,
                id: row.entry.id.as_str().to_owned(),
            };
            // The title names what the content explains: both are one text.
            self.entries
                .add(learned, format!("{}\n{}", row.entry.title, row.content))?;
            self.newest = Some((row.seq, row.entry.id));
        }
        Ok(())
    }

    /// As [`Indexed::catch_up_entries`], for pieces of text.
    fn catch_up_words(&mut self, rows: &dyn Rows) -> Result<()> {
        let total = rows.facts(RowKind::Entry)?.rows;
        let mut newer = newer_than(rows, self.words.newest.as_ref(), usize::MAX)?;
        if (self.words.len() + newer.len()) as u64 != total {
            self.words = EntryWords::default();
            newer = newer_than(rows, None, usize::MAX)?;
        }
        for row in newer.iter().rev() {
            self.words.add(row);
        }
        Ok(())
    }

    /// Adds what is new; begins again when a text changed or went away. False, and
    /// nothing is added, when more than `most` would have to be read.
    fn catch_up_others(&mut self, rows: &dyn Rows, most: usize) -> Result<bool> {
        let kinds: [&[RowKind]; 3] = [
            // Every act on a task is a row of its history.
            &[RowKind::Task, RowKind::History],
            &[RowKind::Insight],
            &[RowKind::Consolidated],
        ];
        let mut now: [Vec<RowKindFacts>; 3] = Default::default();
        for (facts, kinds) in now.iter_mut().zip(kinds) {
            *facts = kinds
                .iter()
                .map(|kind| rows.facts(*kind))
                .collect::<Result<_>>()?;
        }
        if now == self.others_at {
            return Ok(true);
        }
        let texts = now.iter().filter_map(|facts| facts.first());
        if texts.map(|facts| facts.rows).sum::<u64>() > most as u64 {
            return Ok(false);
        }
        let texts = other_texts(rows)?;
        let known = texts
            .iter()
            .filter(|(_, learned, text)| self.others.holds(learned, text))
            .count();
        if known != self.others.len() {
            self.others = Documents::default();
        }
        for (_, learned, text) in texts {
            if !self.others.holds(&learned, &text) {
                self.others.add(learned, text)?;
            }
        }
        self.others_at = now;
        Ok(true)
    }
}

/// Learned things in the order in which they were learned, indexed.
#[derive(Default)]
struct Documents {
    /// Thing `n` is document `n + 1`.
    learned: Vec<LearnedRef>,
    hashes: HashMap<LearnedRef, [u8; 32]>,
    memtable: Memtable,
}

impl Documents {
    fn len(&self) -> usize {
        self.learned.len()
    }

    fn holds(&self, learned: &LearnedRef, text: &str) -> bool {
        self.hashes
            .get(learned)
            .is_some_and(|hash| hash == blake3::hash(text.as_bytes()).as_bytes())
    }

    fn add(&mut self, learned: LearnedRef, text: String) -> Result<()> {
        let facts = EventFacts {
            seq: self.learned.len() as u64 + 1,
            turn: NO_TURN,
            kind: learned.kind as u16,
            ..EventFacts::default()
        };
        let body = with_analyser(|analyser| {
            let part = Part {
                header: "",
                text: &text,
                offset: 0,
            };
            forward::analyse(analyser, &[part])
        });
        self.memtable.add(body.encode(&facts))?;
        self.hashes
            .insert(learned.clone(), *blake3::hash(text.as_bytes()).as_bytes());
        self.learned.push(learned);
        Ok(())
    }

    fn search(
        &self,
        lexical: &LexicalIndex,
        read: &ReadTx,
        (text, kinds): (&str, u64),
        most: usize,
    ) -> Result<Vec<LearnedMatch>> {
        if self.learned.is_empty() {
            return Ok(Vec::new());
        }
        let searcher = LexicalSearcher::new([], &self.memtable, lexical.blocks(read));
        let hits = with_analyser(|analyser| {
            searcher.search(
                analyser,
                &LexicalQuery {
                    text,
                    limit: most.min(self.learned.len()),
                    filter: Filter {
                        kinds: Some(kinds),
                        ..Filter::default()
                    },
                    deadline: None,
                    boosts: Boosts::default(),
                },
            )
        })?;
        let attainable = f64::from(hits.attainable.max(f32::MIN_POSITIVE));
        let searched: Vec<_> = hits.terms.iter().filter(|term| term.is_searched).collect();
        Ok(hits
            .hits
            .iter()
            .filter_map(|hit| {
                let number = usize::try_from(hit.facts.seq).ok()?.checked_sub(1)?;
                let score = f64::from(hit.score + hit.phrase_proximity) / attainable;
                let words = searched.iter().zip(hits.matches(hit.handle));
                Some(LearnedMatch {
                    learned: self.learned.get(number)?.clone(),
                    score: score.clamp(0.0, 1.0),
                    words: words
                        .map(|(term, (value, is_exact))| WordMatch {
                            stem: term.stem.clone(),
                            weight: term.weight,
                            value,
                            is_exact,
                        })
                        .collect(),
                })
            })
            .collect())
    }
}

/// The texts of tasks, insights and consolidated memories, in the order in which
/// they came to be, so that a process which starts later has the same index.
fn other_texts(rows: &dyn Rows) -> Result<Vec<(i64, LearnedRef, String)>> {
    let mut texts = Vec::new();
    let mut add = |kind, at: i64, id: &str, text: String| {
        let id = id.to_owned();
        texts.push((at, LearnedRef { kind, id }, text));
    };
    for task in rows::all(rows, RowKind::Task, &[], Task::from_json)? {
        let waits_for = task.blockers().iter().chain(task.suggested_blockers());
        let named: Vec<&str> = waits_for.map(|blocker| blocker.raw_text.as_str()).collect();
        let text = format!("{}\n{}", task.search_text(), named.join("\n"));
        let at = task.created_at.millis();
        add(LearnedKind::Task, at, task.id.as_str(), text);
    }
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    each(rows, RowKind::Insight, &mut |key, row| {
        let at = row["at"].as_i64().unwrap_or(0);
        add(LearnedKind::Insight, at, key, text(&row, "content"));
    })?;
    each(rows, RowKind::Consolidated, &mut |key, row| {
        let at = row["created_at"].as_i64().unwrap_or(0);
        let topics = rows::strings(&row["topics"]).join(" ");
        let text = format!("{}\n{topics}", text(&row, "summary"));
        add(LearnedKind::Memory, at, key, text);
    })?;
    texts.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    Ok(texts)
}

fn each(rows: &dyn Rows, kind: RowKind, visit: &mut dyn FnMut(&str, Value)) -> Result<()> {
    rows.scan(kind, &[], None, &mut |key, row| {
        visit(&String::from_utf8_lossy(key), rows::decode(kind, row)?);
        Ok(true)
    })
}

/// The entries that were learned after a known one, the newest in front and so many at
/// most; all of them when it is gone.
fn newer_than(
    rows: &dyn Rows,
    known: Option<&(Seq, EntryId)>,
    most: usize,
) -> Result<Vec<LearnedEntry>> {
    let mut newer = Vec::new();
    if most == 0 {
        return Ok(newer);
    }
    entries::newest(rows, entries::Group::All, &mut |row| {
        let is_known = known.is_some_and(|(seq, id)| *seq == row.seq && *id == row.entry.id);
        if !is_known {
            newer.push(row);
        }
        Ok(!is_known && newer.len() < most)
    })?;
    Ok(newer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;
    use crate::learn::new_entry::NewEntry;
    use crate::learn::tasks::NewTask;
    use crate::model::learned::EntryType;

    fn learn(memory: &Memory, number: usize) {
        let entry = NewEntry::new(
            EntryType::Fact,
            "s",
            format!("server {number}"),
            "Its port is open.",
        );
        memory.knowledge().add_entry(&entry).unwrap();
    }

    #[test]
    fn what_there_is_no_time_for_is_found_later() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        (0..5).for_each(|number| learn(&memory, number));
        let mut index = Indexed::default();
        let mut catch_up = |most: usize| {
            let rows = memory.engine.store.read().unwrap().projected().unwrap();
            let is_whole = index
                .catch_up(&rows, LearnedKind::Entry.bit(), most)
                .unwrap();
            (index.entries.len(), is_whole)
        };
        assert_eq!(catch_up(0), (0, false));
        assert_eq!(catch_up(2), (2, false));
        learn(&memory, 5);
        assert_eq!(catch_up(2), (3, false), "what is new is added");
        (6..9).for_each(|number| learn(&memory, number));
        assert_eq!(
            catch_up(2),
            (2, false),
            "more is new than there is time for"
        );
        assert_eq!(catch_up(8), (2, false), "nothing is new");
        assert_eq!(catch_up(9), (9, true));
        assert_eq!(catch_up(0), (9, true));
    }

    #[test]
    fn a_search_without_time_says_that_it_is_not_whole() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        (0..3).for_each(|number| learn(&memory, number));
        let task = NewTask {
            title: "Open the port".to_owned(),
            ..NewTask::default()
        };
        memory.tasks().create(&task).unwrap();
        let read = memory.engine.store.read().unwrap();
        let rows = read.projected().unwrap();
        let search = |deadline| {
            let query = ("port", u64::MAX);
            let lexical = &memory.engine.lexical;
            let found = memory
                .engine
                .learned_index
                .search(lexical, &read, &rows, query, 10, deadline);
            let found = found.unwrap();
            (found.matches.len(), found.is_whole)
        };
        assert_eq!(search(Some(Instant::now())), (0, false));
        assert_eq!(search(None), (4, true));
        assert_eq!(search(Some(Instant::now())), (4, true), "it is indexed now");
    }
}
