//! One group of learned items at a moment: the store's segments and what is indexed in memory,
//! searched without a lock.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::engine::learned_index::query::{LearnedMatch, LearnedQuery, LearnedRef, WordMatch};
use crate::engine::lexical::LexicalIndex;
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{EventFacts, ForwardBody, NO_TURN};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::search::{
    Boosts, LexicalHit, LexicalHits, LexicalQuery, LexicalSearcher,
};
use crate::index::lexical::searchable::with_analyser;
use crate::index::lexical::segment::SegmentReader;
use crate::model::error::Result;
use crate::projection::learned as texts;
use crate::store::ReadTx;
use crate::store::index_tables::learned::{self, LearnedGroup, LearnedRow};
use crate::store::projected_rows::projected::Projected;

/// In-memory documents are numbered from here on, after those of the store.
const IN_MEMORY: u64 = 1 << 62;

/// What a search needs of the process and the store.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) lexical: &'a LexicalIndex,
    pub(super) read: &'a ReadTx,
    pub(super) rows: &'a Projected,
}

/// Documents in memory.
#[derive(Default)]
pub(super) struct InMemory {
    pub(super) memtable: Memtable,
    /// Document `IN_MEMORY + n` is the one at `n`, in learning order.
    pub(super) documents: Vec<(i64, LearnedRow)>,
    /// Documents of the store that must no longer be found.
    pub(super) hidden: HashSet<u64>,
}

impl InMemory {
    pub(super) fn add(&mut self, at: i64, row: &LearnedRow, words: &ForwardBody) -> Result<()> {
        let number = IN_MEMORY + self.documents.len() as u64;
        self.memtable.add(words.encode(&facts(number, row, at)))?;
        self.documents.push((at, row.clone()));
        Ok(())
    }
}

/// What the index keeps about a document besides its words; `at` is when it came to be, as
/// in [`texts::LearnedText`].
pub(super) fn facts(number: u64, row: &LearnedRow, at: i64) -> EventFacts {
    EventFacts {
        seq: number,
        turn: NO_TURN,
        timestamp: at,
        kind: texts::kind_of(row.row_kind) as u16,
        ..EventFacts::default()
    }
}

/// The document of a learned item in the store's index, which is ignored if the group is `is_alone`.
pub(super) fn document(
    rows: &Projected,
    is_alone: bool,
    row: &LearnedRow,
) -> Result<Option<learned::LearnedDocument>> {
    match is_alone {
        true => Ok(None),
        false => learned::document(rows, row),
    }
}

/// A group of learned items as one state of the store has them.
pub(super) struct GroupSnapshot {
    pub(super) group: LearnedGroup,
    pub(super) segments: Vec<Arc<SegmentReader>>,
    /// Whether some of their documents are stale.
    pub(super) has_gone: bool,
    /// Whether the store's segments are ignored.
    pub(super) is_alone: bool,
    pub(super) memory: Arc<InMemory>,
    /// Whether nothing is damaged and there was time to index everything.
    pub(super) is_whole: bool,
}

impl GroupSnapshot {
    /// The numbers of its segments.
    pub(super) fn segment_ids(&self) -> BTreeSet<u64> {
        self.segments.iter().map(|segment| segment.id()).collect()
    }

    /// The matching learned items of some kinds, best first.
    pub(super) fn search(
        &self,
        source: Source<'_>,
        query: LearnedQuery<'_>,
    ) -> Result<Vec<LearnedMatch>> {
        let stored: usize = self.segments.iter().map(|segment| segment.events()).sum();
        let total = stored + self.memory.documents.len();
        if total == 0 {
            return Ok(Vec::new());
        }
        // An unreadable row is not skipped: reading it later reports the damage.
        let is_gone = |number: u64| {
            self.memory.hidden.contains(&number)
                || (self.has_gone
                    && number < IN_MEMORY
                    && matches!(
                        learned::learned_of(source.rows, self.group, number),
                        Ok(None)
                    ))
        };
        let searcher = LexicalSearcher::new(
            self.segments.iter().map(|segment| &**segment),
            &self.memory.memtable,
            source.lexical.blocks(source.read),
        );
        let listed = query
            .listed
            .map(|listed| self.documents(source.rows, listed))
            .transpose()?;
        if listed.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let given = query.given;
        let query = LexicalQuery {
            text: query.text,
            limit: query.most.min(total),
            filter: Filter {
                // A group of a single kind needs no filter.
                kinds: (self.group.row_kinds().len() > 1).then_some(query.kinds),
                seqs: listed.as_deref(),
                is_deleted: Some(&is_gone),
                ..Filter::default()
            },
            // Only catching up may take long.
            deadline: None,
            boosts: Boosts::default(),
        };
        let hits = with_analyser(|analyser| searcher.search(analyser, &query))?;
        let attainable = f64::from(hits.attainable.max(f32::MIN_POSITIVE));
        let score = |hit: &LexicalHit| f64::from(hit.score + hit.phrase_proximity) / attainable;
        let least = least_given(hits.hits.iter().map(score).collect(), given);
        let mut found = Vec::with_capacity(hits.hits.len().min(given));
        for hit in hits.hits.iter().filter(|hit| score(hit) >= least) {
            if let Some(row) = self.row(source.rows, hit.facts.seq)? {
                found.push((hit, row));
            }
        }
        // The order of indexing must not affect the result.
        found.sort_by(|(a, a_row), (b, b_row)| {
            let by_score = b.score.total_cmp(&a.score);
            by_score.then((a.facts.timestamp, a_row).cmp(&(b.facts.timestamp, b_row)))
        });
        let searched = hits.terms.iter().filter(|term| term.is_searched);
        let stems: Vec<Arc<[u8]>> = searched.map(|term| term.stem.as_slice().into()).collect();
        let matches = found.iter().map(|(hit, row)| {
            let words = words_of(&hits, hit, &stems);
            matched(row, score(hit).clamp(0.0, 1.0), words)
        });
        Ok(matches.collect())
    }

    /// The documents of some learned items of this group or another, ascending.
    fn documents(&self, rows: &Projected, wanted: &[LearnedRow]) -> Result<Vec<u64>> {
        let wanted = wanted
            .iter()
            .filter(|row| LearnedGroup::of(row.row_kind) == self.group);
        let wanted: HashSet<&LearnedRow> = wanted.collect();
        let in_memory = self.memory.documents.iter().zip(IN_MEMORY..);
        let mut documents: Vec<u64> = in_memory
            .filter(|((_, row), _)| wanted.contains(row))
            .map(|(_, number)| number)
            .collect();
        for row in wanted {
            documents.extend(document(rows, self.is_alone, row)?.map(|known| known.number));
        }
        documents.sort_unstable();
        Ok(documents)
    }

    /// The item that a document stands for.
    fn row(&self, rows: &Projected, number: u64) -> Result<Option<LearnedRow>> {
        let Some(at) = number.checked_sub(IN_MEMORY) else {
            return learned::learned_of(rows, self.group, number);
        };
        let found = usize::try_from(at).ok();
        let found = found.and_then(|at| self.memory.documents.get(at));
        Ok(found.map(|(_, row)| row.clone()))
    }
}

/// The last of the top scores.
fn least_given(mut scores: Vec<f64>, given: usize) -> f64 {
    match given.checked_sub(1) {
        Some(last) if last < scores.len() => {
            *scores.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1
        }
        _ => f64::NEG_INFINITY,
    }
}

fn matched(row: &LearnedRow, score: f64, words: Vec<WordMatch>) -> LearnedMatch {
    LearnedMatch {
        learned: LearnedRef {
            kind: texts::kind_of(row.row_kind),
            id: row.id.clone(),
        },
        score,
        words,
    }
}

fn words_of(hits: &LexicalHits<'_>, hit: &LexicalHit, stems: &[Arc<[u8]>]) -> Vec<WordMatch> {
    let matches = hits.weights().zip(hits.matches(hit.handle));
    stems
        .iter()
        .zip(matches)
        .map(|(stem, (weight, (value, is_exact)))| WordMatch {
            stem: stem.clone(),
            weight,
            value,
            is_exact,
        })
        .collect()
}
