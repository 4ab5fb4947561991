//! Searches segments and memtable together.
//!
//! score(passage) = Σ weight · m over the query's words, where m is 1 for the word's own stem,
//! dampened in long passages that contain it rarely, and otherwise the largest boost g among the
//! stems that the word expands to. An event scores as its best passage.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use crate::embed::static_table::CELLS;
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::expansion::{self, QueryTerm, QueryTerms};
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{EventFacts, NO_TURN};
use crate::index::lexical::inverted::{EventRow, NO_PLACE};
use crate::index::lexical::leaf::{
    EventHandle, Leaf, damaged, event_count, event_row, find, passage_count, passage_row,
    positions_at,
};
use crate::index::lexical::matches::{EventMatches, MatchReader};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::scorer::{
    FULL, LeafScorer, ListCursor, MAX_EXPANSION_POSTINGS, PostingsList, ScoredPassage,
    TOTAL_HITS_THRESHOLD, TopCollector, Window, is_over, lengths,
};
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::semantic::StaticEmbedding;
use crate::index::lexical::term::LeafTerm;
use crate::model::error::Result;

/// The number of top passages for which phrase proximity is computed.
pub const PHRASE_PROXIMITY_TOP: usize = 300;
/// What two adjacent query words add if they are also adjacent in the passage, as a fraction of
/// their mean idf, unless a query overrides it.
pub const PHRASE_PROXIMITY: f32 = 0.5;
/// The factor on that for two pairs of letters, which overlap and so add little information
/// together. .4 to .7 measure alike on documents.
pub const PHRASE_PROXIMITY_OF_PAIRS: f32 = 0.5;
/// After so many terms of a query, the deadline is checked.
const TERMS_PER_CHECK: usize = 64;

/// Searches the segments and the memtable of a store.
pub struct LexicalSearcher<'a> {
    leaves: Vec<Leaf<'a>>,
    /// See [`TOTAL_HITS_THRESHOLD`].
    total_hits_threshold: u64,
}

/// The parameters of a search.
#[derive(Clone, Copy)]
pub struct LexicalQuery<'a> {
    /// The question or words.
    pub text: &'a str,
    /// The maximum number of events.
    pub limit: usize,
    /// Which events may be found.
    pub filter: Filter<'a>,
    /// When to stop and return what was found so far.
    pub deadline: Option<Instant>,
    /// The weights of everything but exact matches.
    pub boosts: Boosts,
}

/// The weights of everything but exact matches.
#[derive(Clone, Copy, Debug)]
pub struct Boosts {
    /// The factor on the boosts of expansions, 0 to 1; 0 disables expansion.
    pub query_expansion: f32,
    /// Replaces [`PHRASE_PROXIMITY`].
    pub phrase_proximity: f32,
}

impl Default for Boosts {
    fn default() -> Self {
        Boosts {
            query_expansion: 1.0,
            phrase_proximity: PHRASE_PROXIMITY,
        }
    }
}

/// An event found.
#[derive(Clone, Debug)]
pub struct LexicalHit {
    /// Identifies the event in [`LexicalHits`].
    pub handle: EventHandle,
    /// The event's facts.
    pub facts: EventFacts,
    /// The byte offset of the best passage in the event's content.
    pub start: u32,
    /// Its length in bytes.
    pub length: u32,
    /// Σ weight · m of the best passage.
    pub score: f32,
    /// The part of Σ weight whose words match it with their own stem.
    pub exact: f32,
    /// What adjacent words add.
    pub phrase_proximity: f32,
    /// The embedding of that passage.
    pub(crate) embedding: StaticEmbedding,
}

/// The result of a search.
pub struct LexicalHits<'a> {
    /// The words of the query; those that are searched for have match values.
    pub terms: Vec<QueryTerm>,
    /// Per word and leaf, its list.
    own: Vec<Vec<Option<LeafTerm>>>,
    /// The score of a passage that matches every word fully: Σ weight.
    pub attainable: f32,
    /// The best events, best first, ties in log order.
    pub hits: Vec<LexicalHit>,
    /// The number of events that matched, forgotten ones included; from [`TOTAL_HITS_THRESHOLD`] on
    /// it is a lower bound.
    pub total_matches: u64,
    /// The number of passages in the index.
    pub passages: u64,
    /// The number of those that the query's filter allows.
    pub allowed_passages: u64,
    /// The deadline ended the search early.
    pub degraded: bool,
    leaves: Vec<Leaf<'a>>,
    searched: Vec<usize>,
    /// Per leaf, the lists that were searched.
    lists: Vec<Vec<PostingsList>>,
    /// Per leaf and list of expansions, its passages; empty if scoring stopped early.
    seen: Vec<Vec<Vec<u32>>>,
    /// Per leaf, one bit per passage that the filter allows; `None` for all.
    allowed: Vec<Option<Vec<u64>>>,
    /// The match values loaded so far.
    loaded: RefCell<EventMatches>,
    /// Cached event rows: nearby hits share neighbouring turns.
    rows: RefCell<HashMap<EventHandle, KnownRow, foldhash::fast::FixedState>>,
    /// Cached next (true) and previous turns of events.
    beside: RefCell<HashMap<(EventHandle, bool), Option<EventHandle>, foldhash::fast::FixedState>>,
}

/// An event's row, and its place among the turns.
#[derive(Clone, Copy)]
struct KnownRow {
    row: EventRow,
    /// Its place, and the end of its passages, if it is a turn of a segment.
    turn: Option<(u32, u32)>,
}

impl LexicalHits<'_> {
    /// The facts of an event.
    pub fn facts(&self, handle: EventHandle) -> Result<EventFacts> {
        Ok(self.row(handle)?.row.facts)
    }

    /// Notes which words stand in a passage that the filter allows: what only other projects say is
    /// unknown to this one.
    pub(crate) fn note_known(&mut self) -> Result<()> {
        for (term, own) in self.terms.iter_mut().zip(&self.own) {
            for ((leaf, leaf_term), allowed) in self.leaves.iter().zip(own).zip(&self.allowed) {
                if let Some(leaf_term) = *leaf_term
                    && !term.is_known
                {
                    term.is_known = match allowed {
                        Some(allowed) => stands_in(leaf, leaf_term, allowed)?,
                        None => true,
                    };
                }
            }
        }
        Ok(())
    }

    fn row(&self, handle: EventHandle) -> Result<KnownRow> {
        let (segment, blocks) = match &self.leaves[handle.leaf as usize] {
            Leaf::Memtable(memtable) => {
                return Ok(KnownRow {
                    row: memtable.inverted.events[handle.event as usize],
                    turn: None,
                });
            }
            Leaf::Segment(segment, blocks) => (segment, blocks),
        };
        if let Some(known) = self.rows.borrow().get(&handle) {
            return Ok(*known);
        }
        let row = segment.event(*blocks, handle.event)?;
        // A turn's place is stored in its passages.
        let place = match row.facts.turn == NO_TURN {
            true => NO_PLACE,
            false => segment.passage(*blocks, row.first_passage)?.place,
        };
        let turn = segment.turn(*blocks, place)?;
        let turn = turn.filter(|turn| turn.event == handle.event);
        let known = KnownRow {
            row,
            turn: turn.map(|turn| (place, turn.end)),
        };
        self.rows.borrow_mut().insert(handle, known);
        Ok(known)
    }

    /// Reads the turn at a place of a leaf, and caches its row.
    fn turn_at(&self, leaf: u32, place: u32) -> Result<Option<(EventHandle, EventFacts)>> {
        let Leaf::Segment(segment, blocks) = &self.leaves[leaf as usize] else {
            return Ok(None);
        };
        let Some(turn) = segment.turn(*blocks, place)? else {
            return Ok(None);
        };
        let handle = EventHandle {
            leaf,
            event: turn.event,
        };
        let known = KnownRow {
            row: turn.row,
            turn: Some((place, turn.end)),
        };
        self.rows.borrow_mut().entry(handle).or_insert(known);
        Ok(Some((handle, turn.row.facts)))
    }

    /// Loads the match values of the hits and of up to `steps` turns before and after each.
    pub fn load_turns(&self, steps: u32) -> Result<()> {
        let mut wanted: Vec<EventHandle> = Vec::with_capacity(self.hits.len() * 4);
        for hit in &self.hits {
            wanted.push(hit.handle);
            for step in [-1, 1] {
                let mut at = hit.handle;
                for _ in 0..steps {
                    match self.turn(at, step)? {
                        Some(next) => at = next,
                        None => break,
                    }
                    wanted.push(at);
                }
            }
        }
        self.load(wanted)
    }

    /// Loads the match values of these events.
    fn load(&self, mut wanted: Vec<EventHandle>) -> Result<()> {
        wanted.sort_unstable();
        wanted.dedup();
        let loaded = &mut *self.loaded.borrow_mut();
        wanted.retain(|handle| !loaded.contains(*handle));
        let weights: Vec<f32> = self.weights().collect();
        for of_leaf in wanted.chunk_by(|a, b| a.leaf == b.leaf) {
            let leaf = of_leaf[0].leaf as usize;
            let mut passages = Vec::with_capacity(of_leaf.len());
            let mut before = 0;
            for handle in of_leaf {
                let mine = self.passages_of(*handle)?;
                if mine.start < before {
                    return Err(damaged(&self.leaves[leaf]));
                }
                before = mine.end;
                passages.push((*handle, mine));
            }
            let reader = MatchReader {
                leaf: &self.leaves[leaf],
                lists: self.lists.get(leaf).map_or(&[], |lists| lists),
                seen: self.seen.get(leaf).map_or(&[], |seen| seen),
                allowed: self.allowed.get(leaf).and_then(|bits| bits.as_deref()),
                weights: &weights,
            };
            reader.load(&passages, loaded)?;
        }
        Ok(())
    }

    /// The score of a loaded event's best passage; 0 if nothing matched or the filter excludes it.
    pub fn score(&self, handle: EventHandle) -> f32 {
        self.loaded.borrow().score(handle)
    }

    /// The weights of the searched terms, in the order of [`LexicalHits::matches`].
    pub fn weights(&self) -> impl Iterator<Item = f32> + '_ {
        self.searched.iter().map(|&t| self.terms[t].weight)
    }

    /// The share of the question's weight in words that the static table contains.
    pub fn share_with_vectors(&self) -> f32 {
        let searched = || self.terms.iter().filter(|term| term.is_searched);
        let with_vectors = searched().filter(|term| !term.pieces.is_empty());
        let sum: f32 = with_vectors.map(|term| term.weight).sum();
        sum / searched()
            .map(|term| term.weight)
            .sum::<f32>()
            .max(f32::MIN_POSITIVE)
    }

    /// Per searched term, how well a loaded event matches it (0 to 1, the best of its passages),
    /// and whether it contains the term's own stem.
    pub fn matches(&self, handle: EventHandle) -> impl Iterator<Item = (f32, bool)> + use<> {
        let row = self.loaded.borrow().row(handle);
        row.into_iter()
            .map(|value| ((value >> 1) as f32 / FULL, value & 1 == 1))
    }

    /// The number of words, without stop words, in the event's passages.
    pub fn words(&self, handle: EventHandle) -> Result<u32> {
        let passages = self.passages_of(handle)?;
        if let Leaf::Memtable(memtable) = &self.leaves[handle.leaf as usize] {
            let rows = memtable.inverted.passages.iter();
            let mine = rows.skip(passages.start as usize).take(passages.len());
            return Ok(mine.map(|p| p.words as u32).sum());
        }
        let lengths = lengths(
            &self.leaves[handle.leaf as usize],
            passages.start,
            passages.end,
        )?;
        Ok(lengths.iter().map(|&n| n as u32).sum())
    }

    /// The passages of an event.
    fn passages_of(&self, handle: EventHandle) -> Result<Range<u32>> {
        let leaf = &self.leaves[handle.leaf as usize];
        let known = self.row(handle)?;
        let first = known.row.first_passage;
        let event = handle.event + 1;
        let end = match known.turn {
            Some((_, end)) => end,
            None if event < event_count(leaf) => event_row(leaf, event)?.1,
            None => passage_count(leaf),
        };
        if first > end || end > passage_count(leaf) {
            return Err(damaged(leaf));
        }
        Ok(first..end)
    }

    /// The turn of the same session `steps` turns later (negative: earlier). Only prompts and
    /// responses are turns.
    pub fn turn(&self, handle: EventHandle, steps: i32) -> Result<Option<EventHandle>> {
        let mut at = handle;
        for _ in 0..steps.unsigned_abs() {
            match self.next_turn(at, steps > 0)? {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn next_turn(&self, handle: EventHandle, forward: bool) -> Result<Option<EventHandle>> {
        let key = (handle, forward);
        if let Some(known) = self.beside.borrow().get(&key) {
            return Ok(*known);
        }
        let found = self.find_next_turn(handle, forward)?;
        self.beside.borrow_mut().insert(key, found);
        Ok(found)
    }

    fn find_next_turn(&self, handle: EventHandle, forward: bool) -> Result<Option<EventHandle>> {
        let known = self.row(handle)?;
        let facts = known.row.facts;
        if facts.turn == NO_TURN {
            return Ok(None);
        }
        if let Some((place, _)) = known.turn {
            let beside = match forward {
                true => place.checked_add(1),
                false => place.checked_sub(1),
            };
            let beside = match beside {
                Some(beside) => self.turn_at(handle.leaf, beside)?,
                None => None,
            };
            // Between them may be turns that were forgotten, which not every store had.
            if let Some((next, _)) = beside.filter(|(_, beside)| beside.session == facts.session) {
                return Ok(Some(next));
            }
        }
        self.turn_near(handle.leaf as usize, facts, forward)
    }

    /// Looks for the turn beside another one in the memtable, and at the near edge of the
    /// neighbouring leaves, since conversations continue across segment boundaries.
    fn turn_near(&self, leaf: usize, of: EventFacts, forward: bool) -> Result<Option<EventHandle>> {
        const EDGE_EVENTS: u32 = 64;
        // The memtable finds turns by their numbers; so many in a row may have been forgotten.
        const MAX_FORGOTTEN: u32 = 16;
        let (session, turn) = (of.session, of.turn);
        let others: Vec<usize> = if forward {
            (leaf..self.leaves.len().min(leaf + 3)).collect()
        } else {
            (leaf.saturating_sub(2)..=leaf).rev().collect()
        };
        for other in others {
            let found = match &self.leaves[other] {
                Leaf::Memtable(memtable) => (1..=MAX_FORGOTTEN).find_map(|steps| {
                    let turn = match forward {
                        true => turn.checked_add(steps)?,
                        false => turn.checked_sub(steps)?,
                    };
                    memtable.turns.get(&(session, turn)).copied()
                }),
                Leaf::Segment(..) if other == leaf => None,
                Leaf::Segment(segment, blocks) => {
                    let count = segment.layout.events;
                    let range = if forward {
                        0..count.min(EDGE_EVENTS)
                    } else {
                        count.saturating_sub(EDGE_EVENTS)..count
                    };
                    let mut nearest: Option<(u32, u32)> = None;
                    segment.each_event(*blocks, range, |event, row| {
                        let at = row.facts.turn;
                        let is_beyond = at != NO_TURN && at != turn && (at > turn) == forward;
                        let is_nearer = |known: u32| at.abs_diff(turn) < known.abs_diff(turn);
                        if row.facts.session == session
                            && is_beyond
                            && nearest.is_none_or(|(known, _)| is_nearer(known))
                        {
                            nearest = Some((at, event));
                        }
                    })?;
                    nearest.map(|(_, event)| event)
                }
            };
            if let Some(event) = found {
                return Ok(Some(EventHandle {
                    leaf: other as u32,
                    event,
                }));
            }
        }
        Ok(None)
    }

    /// The event at a log position, if it is indexed.
    pub fn find(&self, seq: u64) -> Result<Option<EventHandle>> {
        for (number, leaf) in self.leaves.iter().enumerate() {
            let handle = |event: usize| EventHandle {
                leaf: number as u32,
                event: event as u32,
            };
            match leaf {
                Leaf::Memtable(memtable) => {
                    let found = memtable
                        .inverted
                        .events
                        .binary_search_by_key(&seq, |e| e.facts.seq);
                    if let Ok(event) = found {
                        return Ok(Some(handle(event)));
                    }
                }
                Leaf::Segment(segment, blocks) if segment.seqs().contains(&seq) => {
                    let (mut low, mut high) = (0, segment.layout.events);
                    // An event's index in the segment is at most its distance from the segment's
                    // first position.
                    let furthest = (seq - segment.layout.seq_from).saturating_add(1);
                    high = high.min(u32::try_from(furthest).unwrap_or(high));
                    while low < high {
                        let middle = low + (high - low) / 2;
                        let at = segment.event(*blocks, middle)?.facts.seq;
                        match at.cmp(&seq) {
                            std::cmp::Ordering::Equal => return Ok(Some(handle(middle as usize))),
                            std::cmp::Ordering::Less => low = middle + 1,
                            std::cmp::Ordering::Greater => high = middle,
                        }
                    }
                }
                Leaf::Segment(..) => {}
            }
        }
        Ok(None)
    }
}

/// The result of scoring.
struct Scored {
    best: Vec<ScoredPassage>,
    /// As [`LexicalHits::seen`].
    seen: Vec<Vec<Vec<u32>>>,
    /// Whether the deadline passed.
    degraded: bool,
}

impl<'a> LexicalSearcher<'a> {
    /// A searcher over segments, in any order, and the memtable.
    pub fn new(
        segments: impl IntoIterator<Item = &'a SegmentReader>,
        memtable: &'a Memtable,
        blocks: Blocks<'a>,
    ) -> Self {
        let mut segments: Vec<&SegmentReader> = segments.into_iter().collect();
        segments.sort_by_key(|segment| segment.layout.seq_from);
        let mut leaves: Vec<Leaf<'a>> = segments
            .into_iter()
            .map(|segment| Leaf::Segment(segment, blocks))
            .collect();
        if !memtable.is_empty() {
            leaves.push(Leaf::Memtable(memtable));
        }
        LexicalSearcher {
            leaves,
            total_hits_threshold: TOTAL_HITS_THRESHOLD,
        }
    }

    /// Counts this many events exactly; with the maximum, every passage is scored.
    #[cfg(test)]
    pub(crate) fn total_hits_threshold(mut self, events: u64) -> Self {
        self.total_hits_threshold = events;
        self
    }

    /// Runs a search.
    ///
    /// # Errors
    /// `corrupt` if a required block is missing or damaged; what the source returns.
    pub fn search(
        &self,
        analyser: &mut Analyser,
        query: &LexicalQuery<'_>,
    ) -> Result<LexicalHits<'a>> {
        let mut terms = QueryTerms::new(analyser, query.text);
        let passages: u64 = self.leaves.iter().map(|s| passage_count(s) as u64).sum();
        let own = self.find_terms(&mut terms, query.deadline)?;
        terms.weigh(passages);
        let searched: Vec<usize> = (0..terms.terms.len())
            .filter(|&t| terms.terms[t].is_searched)
            .collect();
        let attainable = searched.iter().map(|&t| terms.terms[t].weight).sum();
        let (mut lists, degraded) = self.lists(&terms, &searched, &own, passages, query)?;
        if degraded {
            lists.iter_mut().for_each(Vec::clear);
        }

        let mut result = LexicalHits {
            attainable,
            hits: Vec::new(),
            total_matches: 0,
            passages,
            allowed_passages: passages,
            degraded: false,
            leaves: self.leaves.clone(),
            searched,
            lists,
            seen: Vec::new(),
            allowed: Vec::new(),
            loaded: RefCell::default(),
            terms: Vec::new(),
            own: Vec::new(),
            rows: RefCell::default(),
            beside: RefCell::default(),
        };
        let weights: Vec<f32> = result
            .searched
            .iter()
            .map(|&t| terms.terms[t].weight)
            .collect();
        for (leaf, lists) in self.leaves.iter().zip(&result.lists) {
            // Without lists nothing can match, so the filter is not needed.
            result.allowed.push(match lists.is_empty() {
                true => None,
                false => query.filter.passages(leaf)?,
            });
        }
        result.allowed_passages = self.allowed_passages(&result.allowed);
        let scored = self.score(&mut result, &weights, query, degraded)?;
        let (found, degraded) = (scored.best, scored.degraded);
        let phrase_proximity =
            self.phrase_proximity(&terms, &own, &found, query.boosts.phrase_proximity)?;
        for (found, phrase_proximity) in found.iter().zip(phrase_proximity) {
            let hit = self.hit(&result, found, phrase_proximity)?;
            result.hits.push(hit);
        }
        result.degraded = degraded;
        if !degraded {
            result.seen = scored.seen;
        }
        (result.terms, result.own) = (terms.terms, own);
        result.load_turns(0)?;
        Ok(result)
    }

    /// Looks up each query term in each leaf, and sums up their document frequencies.
    ///
    /// Terms that are not looked up before the deadline count as unknown: a pasted log has
    /// thousands, each of which reads a page per leaf.
    fn find_terms(
        &self,
        terms: &mut QueryTerms,
        deadline: Option<Instant>,
    ) -> Result<Vec<Vec<Option<LeafTerm>>>> {
        let mut own = Vec::with_capacity(terms.terms.len());
        for (index, term) in terms.terms.iter_mut().enumerate() {
            if index % TERMS_PER_CHECK == TERMS_PER_CHECK - 1 && is_over(deadline) {
                break;
            }
            let mut leaf_terms = Vec::with_capacity(self.leaves.len());
            for leaf in &self.leaves {
                let (df, leaf_term) = find(leaf, &term.stem)?;
                term.df += df;
                leaf_terms.push(leaf_term);
            }
            own.push(leaf_terms);
        }
        own.resize(terms.terms.len(), vec![None; self.leaves.len()]);
        Ok(own)
    }

    /// How many passages the filter allows.
    fn allowed_passages(&self, allowed: &[Option<Vec<u64>>]) -> u64 {
        let counts = self.leaves.iter().zip(allowed).map(|(leaf, allowed)| {
            let ones = |bits: &Vec<u64>| bits.iter().map(|word| u64::from(word.count_ones())).sum();
            allowed.as_ref().map_or(passage_count(leaf) as u64, ones)
        });
        counts.sum()
    }

    /// Scores the lists of the result; scores nothing if the deadline has already passed.
    fn score(
        &self,
        result: &mut LexicalHits<'a>,
        weights: &[f32],
        query: &LexicalQuery<'_>,
        mut degraded: bool,
    ) -> Result<Scored> {
        let limit = query.limit.max(1);
        let counted = self.total_hits_threshold;
        let mut window = Window::default();
        let lists = result.lists.iter();
        let mut seen: Vec<Vec<Vec<u32>>> = lists
            .map(|lists| lists.iter().map(|_| Vec::new()).collect())
            .collect();
        let mut found = None;
        // Nearly every search excludes nothing, so only the best events are checked. If too few
        // remain, scoring is repeated with every event checked.
        for collector in [
            TopCollector::lazy(limit, query.filter, counted),
            TopCollector::eager(limit, query.filter, counted),
        ] {
            let mut best = collector;
            for (number, lists) in result.lists.iter().enumerate() {
                if lists.is_empty() || degraded {
                    continue;
                }
                let mut scorer = LeafScorer {
                    leaf: &self.leaves[number],
                    number: number as u32,
                    weights,
                    window: &mut window,
                    seen: &mut seen[number],
                };
                let allowed = result.allowed[number].as_deref();
                degraded |= scorer.score(lists, allowed, &mut best, query.deadline)?;
            }
            result.total_matches = best.total;
            found = best.finish(&self.leaves, degraded)?;
            if found.is_some() {
                break;
            }
        }
        Ok(Scored {
            best: found.unwrap_or_default(),
            seen,
            degraded,
        })
    }

    /// The lists of all leaves, within the budget; true if the deadline passed.
    fn lists(
        &self,
        terms: &QueryTerms,
        searched: &[usize],
        own: &[Vec<Option<LeafTerm>>],
        passages: u64,
        query: &LexicalQuery<'_>,
    ) -> Result<(Vec<Vec<PostingsList>>, bool)> {
        let cell_words = self.cell_words();
        let mut degraded = false;
        let mut exact: Vec<Vec<PostingsList>> = self.leaves.iter().map(|_| Vec::new()).collect();
        let mut expanded: Vec<(f32, usize, PostingsList)> = Vec::new();
        for (column, &t) in searched.iter().enumerate() {
            let term = &terms.terms[t];
            for (number, leaf_term) in own[t].iter().enumerate() {
                if let Some(leaf_term) = *leaf_term {
                    let df = self.df(number, leaf_term);
                    exact[number].push(PostingsList {
                        column,
                        boost: 1.0,
                        exact: true,
                        is_pair: term.is_pair,
                        term: leaf_term,
                        df,
                    });
                }
            }
            degraded = degraded || is_over(query.deadline);
            if degraded || query.boosts.query_expansion == 0.0 {
                continue;
            }
            let expansions = expansion::expand(term, &self.leaves, &cell_words, passages)?;
            for (number, list) in expansions.into_iter().enumerate() {
                for (boost, leaf_term) in list {
                    let boost = boost * query.boosts.query_expansion;
                    let df = self.df(number, leaf_term);
                    let value = term.weight * boost;
                    expanded.push((
                        value,
                        number,
                        PostingsList {
                            column,
                            boost,
                            exact: false,
                            is_pair: false,
                            term: leaf_term,
                            df,
                        },
                    ));
                }
            }
        }
        let mut left = MAX_EXPANSION_POSTINGS;
        expanded.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, number, list) in expanded {
            if list.df <= left {
                left -= list.df;
                exact[number].push(list);
            }
        }
        Ok((exact, degraded))
    }

    /// How many words of the segments are in each cell.
    fn cell_words(&self) -> [usize; CELLS] {
        let mut words = [0usize; CELLS];
        for leaf in &self.leaves {
            if let Leaf::Segment(segment, _) = leaf {
                let sizes = segment.layout.cell_sizes.iter();
                for (sum, [singles, multis, _]) in words.iter_mut().zip(sizes) {
                    *sum += (singles + multis) as usize;
                }
            }
        }
        words
    }

    fn df(&self, leaf: usize, leaf_term: LeafTerm) -> u64 {
        match (leaf_term, &self.leaves[leaf]) {
            (LeafTerm::Segment(info), _) => info.df as u64,
            (LeafTerm::Memtable(term), Leaf::Memtable(memtable)) => {
                memtable.inverted.terms[term as usize].df as u64
            }
            (LeafTerm::Memtable(_), Leaf::Segment(..)) => 0,
        }
    }

    fn hit(
        &self,
        hits: &LexicalHits<'_>,
        found: &ScoredPassage,
        phrase_proximity: f32,
    ) -> Result<LexicalHit> {
        let leaf = &self.leaves[found.leaf as usize];
        let row = passage_row(leaf, found.passage)?;
        let handle = EventHandle {
            leaf: found.leaf,
            event: found.event,
        };
        hits.turn_at(found.leaf, row.place)?;
        Ok(LexicalHit {
            handle,
            facts: hits.facts(handle)?,
            start: row.start,
            length: row.length,
            score: found.score,
            exact: found.exact,
            phrase_proximity,
            embedding: match leaf {
                Leaf::Segment(segment, blocks) => segment.embedding(*blocks, found.passage)?,
                Leaf::Memtable(memtable) => memtable.inverted.embeddings[found.passage as usize],
            },
        })
    }

    /// What adjacent query words add in the best passages if they are adjacent there too.
    fn phrase_proximity(
        &self,
        terms: &QueryTerms,
        own: &[Vec<Option<LeafTerm>>],
        found: &[ScoredPassage],
        weight: f32,
    ) -> Result<Vec<f32>> {
        let mut added = vec![0.0; found.len()];
        if terms.pairs.is_empty() || weight == 0.0 {
            return Ok(added);
        }
        for (number, leaf) in self.leaves.iter().enumerate() {
            let mut targets: Vec<(u32, usize)> = found
                .iter()
                .take(PHRASE_PROXIMITY_TOP)
                .enumerate()
                .filter(|(_, f)| f.leaf as usize == number)
                .map(|(at, f)| (f.passage, at))
                .collect();
            targets.sort_unstable();
            if targets.is_empty() {
                continue;
            }
            let mut positions: Vec<Option<Vec<Vec<u8>>>> = vec![None; terms.terms.len()];
            for &(a, b) in &terms.pairs {
                let (Some(leaf_term_a), Some(leaf_term_b)) = (own[a][number], own[b][number])
                else {
                    continue;
                };
                for (term, leaf_term) in [(a, leaf_term_a), (b, leaf_term_b)] {
                    if positions[term].is_none() {
                        positions[term] = Some(positions_at(leaf, leaf_term, &targets)?);
                    }
                }
                let (Some(of_a), Some(of_b)) = (&positions[a], &positions[b]) else {
                    continue;
                };
                let share = pair_share(&terms.terms[a], &terms.terms[b]);
                let value = weight * share * (terms.terms[a].idf + terms.terms[b].idf) / 2.0;
                for (at, &(_, hit)) in targets.iter().enumerate() {
                    let near = of_a[at]
                        .iter()
                        .any(|&x| of_b[at].iter().any(|&y| x.abs_diff(y) == 1));
                    if near {
                        added[hit] += value;
                    }
                }
            }
        }
        Ok(added)
    }
}

/// Whether a term stands in an allowed passage of a leaf; true as well if that takes too long to
/// find out.
fn stands_in(leaf: &Leaf<'_>, leaf_term: LeafTerm, allowed: &[u64]) -> Result<bool> {
    const STEP: u32 = 4_096;
    const MAX_STEPS: usize = 256;
    let is_allowed = |passage: u32| {
        let word = allowed.get(passage as usize / 64).copied().unwrap_or(0);
        word >> (passage % 64) & 1 == 1
    };
    let mut cursor = ListCursor::open(leaf, leaf_term)?;
    let mut at = 0;
    for _ in 0..MAX_STEPS {
        let Some(skipped) = allowed.iter().skip(at).position(|word| *word != 0) else {
            return Ok(false);
        };
        at += skipped;
        let first = at as u32 * 64;
        cursor.skip_to(leaf, first)?;
        let mut is_found = false;
        cursor.visit(leaf, first.saturating_add(STEP), |passage, _| {
            is_found |= is_allowed(passage);
        })?;
        if is_found {
            return Ok(true);
        }
        at += STEP as usize / 64;
    }
    Ok(true)
}

/// The factor on the phrase proximity of two words.
pub(crate) fn pair_share(a: &QueryTerm, b: &QueryTerm) -> f32 {
    match a.is_pair && b.is_pair {
        true => PHRASE_PROXIMITY_OF_PAIRS,
        false => 1.0,
    }
}
