//! Looks up in the postings what single events match: the hits and the turns around them, most of
//! which scoring skipped.

use std::collections::HashMap;
use std::ops::Range;

use crate::index::lexical::leaf::{EventHandle, Leaf, passage_count};
use crate::index::lexical::scorer::{
    ListCursor, PostingsList, exact_matches, expanded_match, lengths, put_exact, put_expanded,
    row_score,
};
use crate::model::error::Result;

/// Match values and scores of events.
#[derive(Default)]
pub(crate) struct EventMatches {
    /// The score of an event's best passage, and the start of its row.
    events: HashMap<EventHandle, (f32, usize), foldhash::fast::FixedState>,
    /// Per event and searched term, the best match value of its passages.
    rows: Vec<u16>,
    width: usize,
}

impl EventMatches {
    pub(crate) fn contains(&self, handle: EventHandle) -> bool {
        self.events.contains_key(&handle)
    }

    pub(crate) fn score(&self, handle: EventHandle) -> f32 {
        debug_assert!(self.contains(handle), "{handle:?} was not loaded");
        self.events.get(&handle).map_or(0.0, |(score, _)| *score)
    }

    pub(crate) fn row(&self, handle: EventHandle) -> Vec<u16> {
        debug_assert!(self.contains(handle), "{handle:?} was not loaded");
        match self.events.get(&handle) {
            Some(&(_, at)) => self.rows[at..at + self.width].to_vec(),
            None => vec![0; self.width],
        }
    }
}

/// Looks up the match values of events of one leaf.
pub(crate) struct MatchReader<'q, 'a> {
    pub(crate) leaf: &'q Leaf<'a>,
    pub(crate) lists: &'q [PostingsList],
    /// Per list, its passages, if it is a list of expansions that was read completely; otherwise
    /// empty.
    pub(crate) seen: &'q [Vec<u32>],
    pub(crate) allowed: Option<&'q [u64]>,
    pub(crate) weights: &'q [f32],
}

impl MatchReader<'_, '_> {
    /// Adds the matches of these events, given in order with their passages.
    pub(crate) fn load(
        &self,
        events: &[(EventHandle, Range<u32>)],
        into: &mut EventMatches,
    ) -> Result<()> {
        let width = self.weights.len();
        into.width = width;
        let is_allowed = |passage: &u32| {
            self.allowed
                .is_none_or(|bits| bits[*passage as usize / 64] >> (*passage % 64) & 1 == 1)
        };
        let passages: Vec<u32> = events
            .iter()
            .flat_map(|(_, passages)| passages.clone().filter(is_allowed))
            .collect();
        let values = self.values(&passages)?;
        let mut rows = values.chunks_exact(width.max(1)).zip(&passages).peekable();
        for (handle, mine) in events {
            let at = into.rows.len();
            into.rows.resize(at + width, 0);
            let kept = &mut into.rows[at..];
            let mut best = 0.0f32;
            while let Some((row, _)) = rows.next_if(|(_, passage)| mine.contains(passage)) {
                best = best.max(row_score(row, self.weights));
                for (kept, &value) in kept.iter_mut().zip(row) {
                    *kept = (*kept & !1).max(value & !1) | ((*kept | value) & 1);
                }
            }
            into.events.insert(*handle, (best, at));
        }
        Ok(())
    }

    /// The match value of each of these passages, ascending, for each word.
    fn values(&self, passages: &[u32]) -> Result<Vec<u16>> {
        let width = self.weights.len();
        let mut values = vec![0u16; passages.len() * width];
        if passages.is_empty() || self.lists.is_empty() {
            return Ok(values);
        }
        let slots = Slots::new(passages, passage_count(self.leaf));
        let words = self.words(passages)?;
        let limit = passages.last().map_or(0, |last| last + 1);
        for (number, list) in self.lists.iter().enumerate() {
            let column = list.column;
            if let Some(seen) = self.seen.get(number).filter(|_| !list.exact) {
                let value = expanded_match(list);
                for at in seen.iter().filter_map(|passage| slots.get(*passage)) {
                    put_expanded(&mut values[at * width + column], value);
                }
                continue;
            }
            let mut cursor = ListCursor::open(self.leaf, list.term)?;
            if list.exact {
                let exact = exact_matches(list);
                for (at, &passage) in passages.iter().enumerate() {
                    if let Some(frequency) = cursor.seek(self.leaf, passage)? {
                        let slot = &mut values[at * width + column];
                        put_exact(slot, exact, frequency, words[at]);
                    }
                }
            } else {
                let value = expanded_match(list);
                cursor.visit(self.leaf, limit, |passage, _| {
                    if let Some(at) = slots.get(passage) {
                        put_expanded(&mut values[at * width + column], value);
                    }
                })?;
            }
        }
        Ok(values)
    }

    /// The number of words in each of these passages, ascending.
    fn words(&self, passages: &[u32]) -> Result<Vec<u8>> {
        /// Passages within this distance are read together.
        const NEAR: u32 = 1024;
        let mut words = Vec::with_capacity(passages.len());
        for near in passages.chunk_by(|a, b| a / NEAR == b / NEAR) {
            let (first, last) = (near[0], near[near.len() - 1]);
            let all = lengths(self.leaf, first, last + 1)?;
            words.extend(near.iter().map(|passage| {
                let at = (passage - first) as usize;
                all.get(at).copied().unwrap_or(0)
            }));
        }
        Ok(words)
    }
}

/// Numbers some passages of a leaf by a bit set with ranks.
struct Slots {
    bits: Vec<u64>,
    /// The number of bits set before each word of `bits`.
    before: Vec<u32>,
}

impl Slots {
    fn new(passages: &[u32], count: u32) -> Self {
        let mut bits = vec![0u64; count.div_ceil(64) as usize];
        for &passage in passages {
            bits[passage as usize / 64] |= 1 << (passage % 64);
        }
        let mut sum = 0;
        let before = bits
            .iter()
            .map(|word| {
                let before = sum;
                sum += word.count_ones();
                before
            })
            .collect();
        Slots { bits, before }
    }

    #[inline]
    fn get(&self, passage: u32) -> Option<usize> {
        let word = *self.bits.get(passage as usize / 64)?;
        let bit = passage % 64;
        if word >> bit & 1 == 0 {
            return None;
        }
        let below = (word & ((1 << bit) - 1)).count_ones();
        Some((self.before[passage as usize / 64] + below) as usize)
    }
}
