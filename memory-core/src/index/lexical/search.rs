//! Searching segments and tail together.
//!
//! score(passage) = Σ over the query's words of weight · m, where m is 1 for the
//! word's own stem, damped in long passages that hold it once, and otherwise the
//! largest gain g among the stems that the word stands for. An event scores as
//! its best passage.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Instant;

use crate::embed::static_table::CELLS;
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{EventFacts, NO_TURN};
use crate::index::lexical::inverted::{EventRow, PassageRow};
use crate::index::lexical::scorer::{FULL, Found, Gatherer, List, ShardScorer};
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::soft::{self, CandidatePlace, QueryTerm, QueryTerms};
use crate::index::lexical::tail::TailIndex;
use crate::model::error::Result;

/// Saturation of exact matches: min(1, (K1 + 1) · tf / (tf + K1 · max(1, words / [`PLAIN_WORDS`]))).
pub const K1: f32 = 0.6;
/// Up to this many words a passage's length does not damp exact matches.
pub const PLAIN_WORDS: f32 = 40.0;
/// For how many of the best passages adjacency is looked up.
pub const ADJACENCY_TOP: usize = 300;
/// What a pair of neighbouring words of the query adds when they are neighbours
/// in the passage too, unless a query says otherwise: this much of their mean idf.
pub const ADJACENCY: f32 = 0.5;
/// Postings of expansions that a query reads at most. When there are more, the
/// lists that could add least are left out, so that a store of millions of
/// events costs no more than one of 100,000; exact matches are never left out.
/// Among 20,000 and 60,000 other events the chats give the same with 50,000 and
/// with 200,000, which costs a fifth more.
pub const MAX_EXPANSION_POSTINGS: u64 = 50_000;

/// A part of the index that is searched on its own.
#[derive(Clone, Copy)]
pub(crate) enum Shard<'a> {
    Segment(&'a SegmentReader, Blocks<'a>),
    Tail(&'a TailIndex),
}

/// Segments and tail of a store, ready to be searched.
pub struct LexicalSearcher<'a> {
    shards: Vec<Shard<'a>>,
}

/// What is searched for.
#[derive(Clone, Copy)]
pub struct LexicalQuery<'a> {
    /// The question or words.
    pub text: &'a str,
    /// How many events at most.
    pub limit: usize,
    /// Which events may be found.
    pub filter: Filter<'a>,
    /// When to stop; the result is then what was found so far.
    pub deadline: Option<Instant>,
    /// How much beside exact matches counts.
    pub gains: Gains,
}

/// How much of a search's score is not exact matches.
#[derive(Clone, Copy, Debug)]
pub struct Gains {
    /// The factor on the gain of expansions, 0 to 1; at 0 there are none.
    pub soft_words: f32,
    /// In the place of [`ADJACENCY`].
    pub word_pairs: f32,
}

impl Default for Gains {
    fn default() -> Self {
        Gains {
            soft_words: 1.0,
            word_pairs: ADJACENCY,
        }
    }
}

/// An event in the index, as one result names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventHandle {
    shard: u32,
    event: u32,
}

/// A found event.
#[derive(Clone, Debug)]
pub struct LexicalHit {
    /// Names the event in [`LexicalHits`].
    pub handle: EventHandle,
    /// What is known of it.
    pub facts: EventFacts,
    /// Where that passage begins in the event's content, in bytes.
    pub start: u32,
    /// Its length in bytes.
    pub length: u32,
    /// Σ weight · m of the best passage.
    pub score: f32,
    /// The part of Σ weight whose words occur with their own stem in it.
    pub exact: f32,
    /// What neighbouring words add.
    pub adjacency: f32,
}

/// From which shard a turn was looked for, its session and number, and whether it
/// was looked for in the shards after that one.
type DistantTurn = (usize, u32, u32, bool);

/// What a search found.
pub struct LexicalHits<'a> {
    /// The words of the query; those searched for have match values.
    pub terms: Vec<QueryTerm>,
    /// The score of a passage that matches every word: Σ weight.
    pub attainable: f32,
    /// The best events, best first; equal ones in order of the log.
    pub hits: Vec<LexicalHit>,
    /// How many events matched at all, forgotten ones included.
    pub total_matches: u64,
    /// How many passages the index holds.
    pub passages: u64,
    /// The deadline ended the search early.
    pub degraded: bool,
    shards: Vec<Shard<'a>>,
    /// For each shard, per event and searched term, the best match value.
    matches: Vec<Vec<u16>>,
    /// For each shard, per event, the best passage's score.
    scores: Vec<Vec<f32>>,
    searched: Vec<usize>,
    /// Rows of events that were asked for: turns share their neighbours.
    rows: RefCell<HashMap<EventHandle, (EventRow, [u16; 2]), foldhash::fast::FixedState>>,
    /// Turns that were looked for beyond their shard.
    distant: RefCell<HashMap<DistantTurn, Option<EventHandle>, foldhash::fast::FixedState>>,
}

impl LexicalHits<'_> {
    /// The facts of an event.
    pub fn facts(&self, handle: EventHandle) -> Result<EventFacts> {
        Ok(self.row(handle)?.0.facts)
    }

    /// The row of an event, and how far the turns before and after it are.
    fn row(&self, handle: EventHandle) -> Result<(EventRow, [u16; 2])> {
        let (segment, blocks) = match &self.shards[handle.shard as usize] {
            Shard::Tail(tail) => return Ok((tail.inverted.events[handle.event as usize], [0; 2])),
            Shard::Segment(segment, blocks) => (segment, blocks),
        };
        if let Some(known) = self.rows.borrow().get(&handle) {
            return Ok(*known);
        }
        let row = segment.event(*blocks, handle.event)?;
        self.rows.borrow_mut().insert(handle, row);
        Ok(row)
    }

    /// The score of an event's best passage, 0 when nothing matched or the filter
    /// excludes it.
    pub fn score(&self, handle: EventHandle) -> f32 {
        let scores = &self.scores[handle.shard as usize];
        scores.get(handle.event as usize).copied().unwrap_or(0.0)
    }

    /// The weights of the searched terms, in the order of
    /// [`LexicalHits::matches`].
    pub fn weights(&self) -> impl Iterator<Item = f32> + '_ {
        self.searched.iter().map(|&t| self.terms[t].weight)
    }

    /// For every searched term how well the event matches it (0 to 1, the best of
    /// its passages), and whether it holds the term's own stem.
    pub fn matches(&self, handle: EventHandle) -> impl Iterator<Item = (f32, bool)> + '_ {
        let width = self.searched.len();
        let rows = &self.matches[handle.shard as usize];
        let row = rows.get(handle.event as usize * width..(handle.event as usize + 1) * width);
        (0..width).map(move |t| {
            let value = row.map_or(0, |row| row[t]);
            ((value >> 1) as f32 / FULL, value & 1 == 1)
        })
    }

    /// How many words that are no stop words the event's passages have.
    pub fn words(&self, handle: EventHandle) -> Result<u32> {
        match &self.shards[handle.shard as usize] {
            Shard::Tail(tail) => {
                let passages = &tail.inverted.passages;
                let first = tail.inverted.events[handle.event as usize].first_passage as usize;
                let mine = passages[first..]
                    .iter()
                    .take_while(|p| p.event == handle.event);
                Ok(mine.map(|p| p.words as u32).sum())
            }
            Shard::Segment(segment, blocks) => {
                let layout = &segment.layout;
                let first = self.row(handle)?.0.first_passage;
                let end = if handle.event + 1 < layout.events {
                    let event = handle.event + 1;
                    self.row(EventHandle { event, ..handle })?.0.first_passage
                } else {
                    layout.passages
                };
                let (from, to) = (layout.lengths + first as u64, layout.lengths + end as u64);
                let lengths = segment.bytes(*blocks, from, to)?;
                Ok(lengths.iter().map(|&n| n as u32).sum())
            }
        }
    }

    /// The turn of the same session `steps` turns later (negative: earlier).
    /// Only prompts and responses are turns.
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
        let (row, links) = self.row(handle)?;
        let event = match links {
            [_, next] if forward && next > 0 => handle.event.checked_add(u32::from(next)),
            [previous, _] if !forward && previous > 0 => {
                handle.event.checked_sub(u32::from(previous))
            }
            _ => None,
        };
        if let Some(event) = event {
            return Ok(Some(EventHandle { event, ..handle }));
        }
        let facts = row.facts;
        let wanted = match forward {
            _ if facts.turn == NO_TURN => None,
            true => facts.turn.checked_add(1),
            false => facts.turn.checked_sub(1),
        };
        let Some(turn) = wanted else {
            return Ok(None);
        };
        let place = (handle.shard as usize, facts.session, turn, forward);
        if let Some(known) = self.distant.borrow().get(&place) {
            return Ok(*known);
        }
        let found = self.turn_near(place.0, facts.session, turn, forward)?;
        self.distant.borrow_mut().insert(place, found);
        Ok(found)
    }

    /// Looks for a turn in the tail, and at the near edge of the shards before or
    /// after one: conversations go on where the segment before ended.
    fn turn_near(
        &self,
        shard: usize,
        session: u32,
        turn: u32,
        forward: bool,
    ) -> Result<Option<EventHandle>> {
        const EDGE_EVENTS: u32 = 64;
        let others: Vec<usize> = if forward {
            (shard..self.shards.len().min(shard + 3)).collect()
        } else {
            (shard.saturating_sub(2)..=shard).rev().collect()
        };
        for other in others {
            let found = match &self.shards[other] {
                Shard::Tail(tail) => tail.turns.get(&(session, turn)).copied(),
                Shard::Segment(..) if other == shard => None,
                Shard::Segment(segment, blocks) => {
                    let count = segment.layout.events;
                    let range = if forward {
                        0..count.min(EDGE_EVENTS)
                    } else {
                        count.saturating_sub(EDGE_EVENTS)..count
                    };
                    let mut found = None;
                    segment.each_event(*blocks, range, |event, row| {
                        if (row.facts.session, row.facts.turn) == (session, turn) {
                            found = Some(event);
                        }
                    })?;
                    found
                }
            };
            if let Some(event) = found {
                return Ok(Some(EventHandle {
                    shard: other as u32,
                    event,
                }));
            }
        }
        Ok(None)
    }

    /// The event at a position of the log, if the index holds it.
    pub fn find(&self, seq: u64) -> Result<Option<EventHandle>> {
        for (number, shard) in self.shards.iter().enumerate() {
            let handle = |event: usize| EventHandle {
                shard: number as u32,
                event: event as u32,
            };
            match shard {
                Shard::Tail(tail) => {
                    let found = tail
                        .inverted
                        .events
                        .binary_search_by_key(&seq, |e| e.facts.seq);
                    if let Ok(event) = found {
                        return Ok(Some(handle(event)));
                    }
                }
                Shard::Segment(segment, blocks) if segment.seqs().contains(&seq) => {
                    let (mut low, mut high) = (0, segment.layout.events);
                    // Positions are dense: the event stands at most as far in the
                    // segment as in the log.
                    let furthest = (seq - segment.layout.seq_from).saturating_add(1);
                    high = high.min(u32::try_from(furthest).unwrap_or(high));
                    while low < high {
                        let middle = low + (high - low) / 2;
                        let at = segment.event(*blocks, middle)?.0.facts.seq;
                        match at.cmp(&seq) {
                            std::cmp::Ordering::Equal => return Ok(Some(handle(middle as usize))),
                            std::cmp::Ordering::Less => low = middle + 1,
                            std::cmp::Ordering::Greater => high = middle,
                        }
                    }
                }
                Shard::Segment(..) => {}
            }
        }
        Ok(None)
    }
}

impl<'a> LexicalSearcher<'a> {
    /// A searcher over segments, in any order, and the tail.
    pub fn new(
        segments: impl IntoIterator<Item = &'a SegmentReader>,
        tail: &'a TailIndex,
        blocks: Blocks<'a>,
    ) -> Self {
        let mut segments: Vec<&SegmentReader> = segments.into_iter().collect();
        segments.sort_by_key(|segment| segment.layout.seq_from);
        let mut shards: Vec<Shard<'a>> = segments
            .into_iter()
            .map(|segment| Shard::Segment(segment, blocks))
            .collect();
        if !tail.is_empty() {
            shards.push(Shard::Tail(tail));
        }
        LexicalSearcher { shards }
    }

    /// Searches.
    ///
    /// # Errors
    /// `corrupt` when a needed block is missing or damaged; what the source returns.
    pub fn search(
        &self,
        analyser: &mut Analyser,
        query: &LexicalQuery<'_>,
    ) -> Result<LexicalHits<'a>> {
        let mut terms = QueryTerms::new(analyser, query.text);
        let passages: u64 = self.shards.iter().map(|s| passage_count(s) as u64).sum();
        let mut own: Vec<Vec<Option<CandidatePlace>>> = Vec::with_capacity(terms.terms.len());
        for term in &mut terms.terms {
            let mut places = Vec::with_capacity(self.shards.len());
            for shard in &self.shards {
                let (df, place) = find(shard, &term.stem)?;
                term.df += df;
                places.push(place);
            }
            own.push(places);
        }
        terms.weigh(passages);
        let searched: Vec<usize> = (0..terms.terms.len())
            .filter(|&t| terms.terms[t].is_searched)
            .collect();
        let attainable = searched.iter().map(|&t| terms.terms[t].weight).sum();
        let (lists, mut degraded) = self.lists(&terms, &searched, &own, passages, query)?;

        let mut result = LexicalHits {
            attainable,
            hits: Vec::new(),
            total_matches: 0,
            passages,
            degraded: false,
            shards: self.shards.clone(),
            matches: Vec::new(),
            scores: Vec::new(),
            searched,
            terms: Vec::new(),
            rows: RefCell::default(),
            distant: RefCell::default(),
        };
        let weights: Vec<f32> = result
            .searched
            .iter()
            .map(|&t| terms.terms[t].weight)
            .collect();
        let limit = query.limit.max(1);
        // Nearly every search excludes nothing: only the best are looked up. When
        // that leaves too few, all is done again, and each is looked up at once.
        let mut found = None;
        for gatherer in [
            Gatherer::lazy(limit, query.filter),
            Gatherer::eager(limit, query.filter),
        ] {
            let mut best = gatherer;
            result.matches.clear();
            result.scores.clear();
            for (number, lists) in lists.iter().enumerate() {
                let shard = &self.shards[number];
                let mut scorer = ShardScorer {
                    shard,
                    number: number as u32,
                    weights: &weights,
                    matches: Vec::new(),
                    scores: Vec::new(),
                };
                if !lists.is_empty() && !degraded {
                    let allowed = query.filter.passages(shard)?;
                    degraded |=
                        scorer.score(lists, allowed.as_deref(), &mut best, query.deadline)?;
                }
                result.matches.push(scorer.matches);
                result.scores.push(scorer.scores);
            }
            result.total_matches = best.total;
            found = best.finish(&self.shards)?;
            if found.is_some() {
                break;
            }
        }
        let found = found.unwrap_or_default();
        let adjacency = self.adjacency(&terms, &own, &found, query.gains.word_pairs)?;
        for (found, adjacency) in found.iter().zip(adjacency) {
            let hit = self.hit(&result, found, adjacency)?;
            result.hits.push(hit);
        }
        result.degraded = degraded;
        result.terms = terms.terms;
        Ok(result)
    }

    /// All lists of all shards, within the budget; true when the deadline passed.
    fn lists(
        &self,
        terms: &QueryTerms,
        searched: &[usize],
        own: &[Vec<Option<CandidatePlace>>],
        passages: u64,
        query: &LexicalQuery<'_>,
    ) -> Result<(Vec<Vec<List>>, bool)> {
        let mut cell_words = [0usize; CELLS];
        for shard in &self.shards {
            if let Shard::Segment(segment, _) = shard {
                for (sum, [singles, multis, _]) in
                    cell_words.iter_mut().zip(segment.layout.cell_sizes.iter())
                {
                    *sum += (singles + multis) as usize;
                }
            }
        }
        let mut degraded = false;
        let mut exact: Vec<Vec<List>> = self.shards.iter().map(|_| Vec::new()).collect();
        let mut soft: Vec<(f32, usize, List)> = Vec::new();
        for (column, &t) in searched.iter().enumerate() {
            let term = &terms.terms[t];
            for (number, place) in own[t].iter().enumerate() {
                if let Some(place) = *place {
                    let df = self.df(number, place);
                    exact[number].push(List {
                        column,
                        gain: 1.0,
                        exact: true,
                        place,
                        df,
                    });
                }
            }
            degraded = degraded || is_over(query.deadline);
            if degraded || query.gains.soft_words == 0.0 {
                continue;
            }
            let expansions = soft::expand(term, &self.shards, &cell_words, passages)?;
            for (number, list) in expansions.into_iter().enumerate() {
                for (gain, place) in list {
                    let gain = gain * query.gains.soft_words;
                    let df = self.df(number, place);
                    let value = term.weight * gain;
                    soft.push((
                        value,
                        number,
                        List {
                            column,
                            gain,
                            exact: false,
                            place,
                            df,
                        },
                    ));
                }
            }
        }
        let mut left = MAX_EXPANSION_POSTINGS;
        soft.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, number, list) in soft {
            if list.df <= left {
                left -= list.df;
                exact[number].push(list);
            }
        }
        Ok((exact, degraded))
    }

    fn df(&self, shard: usize, place: CandidatePlace) -> u64 {
        match (place, &self.shards[shard]) {
            (CandidatePlace::Segment(place), _) => place.df as u64,
            (CandidatePlace::Tail(term), Shard::Tail(tail)) => {
                tail.inverted.terms[term as usize].df as u64
            }
            (CandidatePlace::Tail(_), Shard::Segment(..)) => 0,
        }
    }

    fn hit(&self, hits: &LexicalHits<'_>, found: &Found, adjacency: f32) -> Result<LexicalHit> {
        let row = passage_row(&self.shards[found.shard as usize], found.passage)?;
        let handle = EventHandle {
            shard: found.shard,
            event: found.event,
        };
        Ok(LexicalHit {
            handle,
            facts: hits.facts(handle)?,
            start: row.start,
            length: row.length,
            score: found.score,
            exact: found.exact,
            adjacency,
        })
    }

    /// For the best passages, what the query's neighbouring words add when they
    /// are neighbours there too.
    fn adjacency(
        &self,
        terms: &QueryTerms,
        own: &[Vec<Option<CandidatePlace>>],
        found: &[Found],
        weight: f32,
    ) -> Result<Vec<f32>> {
        let mut added = vec![0.0; found.len()];
        if terms.pairs.is_empty() || weight == 0.0 {
            return Ok(added);
        }
        for (number, shard) in self.shards.iter().enumerate() {
            let mut targets: Vec<(u32, usize)> = found
                .iter()
                .take(ADJACENCY_TOP)
                .enumerate()
                .filter(|(_, f)| f.shard as usize == number)
                .map(|(at, f)| (f.passage, at))
                .collect();
            targets.sort_unstable();
            if targets.is_empty() {
                continue;
            }
            let mut positions: Vec<Option<Vec<Vec<u8>>>> = vec![None; terms.terms.len()];
            for &(a, b) in &terms.pairs {
                let (Some(place_a), Some(place_b)) = (own[a][number], own[b][number]) else {
                    continue;
                };
                for (term, place) in [(a, place_a), (b, place_b)] {
                    if positions[term].is_none() {
                        positions[term] = Some(positions_at(shard, place, &targets)?);
                    }
                }
                let (Some(of_a), Some(of_b)) = (&positions[a], &positions[b]) else {
                    continue;
                };
                let value = weight * (terms.terms[a].idf + terms.terms[b].idf) / 2.0;
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

pub(crate) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|end| Instant::now() >= end)
}

pub(crate) fn passage_count(shard: &Shard<'_>) -> u32 {
    match shard {
        Shard::Segment(segment, _) => segment.layout.passages,
        Shard::Tail(tail) => tail.inverted.passages.len() as u32,
    }
}

pub(crate) fn event_count(shard: &Shard<'_>) -> u32 {
    match shard {
        Shard::Segment(segment, _) => segment.layout.events,
        Shard::Tail(tail) => tail.inverted.events.len() as u32,
    }
}

fn find(shard: &Shard<'_>, stem: &[u8]) -> Result<(u64, Option<CandidatePlace>)> {
    Ok(match shard {
        Shard::Segment(segment, blocks) => match segment.find(*blocks, stem)? {
            Some(place) => (place.df as u64, Some(CandidatePlace::Segment(place))),
            None => (0, None),
        },
        Shard::Tail(tail) => match tail.inverted.find(stem) {
            Some(term) => {
                let df = tail.inverted.terms[term as usize].df as u64;
                (df, Some(CandidatePlace::Tail(term)))
            }
            None => (0, None),
        },
    })
}

fn passage_row(shard: &Shard<'_>, passage: u32) -> Result<PassageRow> {
    match shard {
        Shard::Segment(segment, blocks) => segment.passage(*blocks, passage),
        Shard::Tail(tail) => Ok(tail.inverted.passages[passage as usize]),
    }
}

pub(crate) fn event_row(shard: &Shard<'_>, event: u32) -> Result<(EventFacts, u32)> {
    let row = match shard {
        Shard::Segment(segment, blocks) => segment.event(*blocks, event)?.0,
        Shard::Tail(tail) => tail.inverted.events[event as usize],
    };
    Ok((row.facts, row.first_passage))
}

/// The positions of a term in each of some passages, given in ascending order.
fn positions_at(
    shard: &Shard<'_>,
    place: CandidatePlace,
    targets: &[(u32, usize)],
) -> Result<Vec<Vec<u8>>> {
    let mut found = vec![Vec::new(); targets.len()];
    let mut next = 0;
    match (shard, place) {
        (Shard::Tail(tail), CandidatePlace::Tail(term)) => {
            for (passage, positions) in tail.inverted.postings(term) {
                if let Ok(at) = targets.binary_search_by_key(&passage, |t| t.0) {
                    found[at] = positions.to_vec();
                }
            }
        }
        (Shard::Segment(..), CandidatePlace::Segment(place)) if place.inline => {
            if let Ok(at) = targets.binary_search_by_key(&place.place, |t| t.0) {
                found[at] = vec![place.extent as u8];
            }
        }
        (Shard::Segment(segment, blocks), CandidatePlace::Segment(place)) => {
            let base = segment.layout.postings + place.place as u64 + place.extent as u64;
            let mut before = 0u64;
            let mut wanted = Vec::new();
            let limit = targets.last().map_or(0, |t| t.0 + 1);
            segment.documents(*blocks, place)?.visit(
                segment,
                *blocks,
                limit,
                |passage, count| {
                    while next < targets.len() && targets[next].0 < passage {
                        next += 1;
                    }
                    if next < targets.len() && targets[next].0 == passage {
                        wanted.push((next, before, count));
                    }
                    before += count as u64;
                },
            )?;
            for (at, before, count) in wanted {
                let start = base + before;
                let end = start + count as u64;
                if end > segment.layout.pages {
                    return Err(segment.corrupt("positions"));
                }
                found[at] = segment.bytes(*blocks, start, end)?.to_vec();
            }
        }
        _ => {}
    }
    Ok(found)
}
