//! Scoring the passages of one leaf: windows of match values that stay in the
//! cache, and the best events so far.

use std::sync::LazyLock;
use std::time::Instant;

use crate::index::lexical::expansion::LeafTerm;
use crate::index::lexical::filter::Filter;
use crate::index::lexical::search::{
    K1, Leaf, PLAIN_WORDS, event_count, event_row, is_over, passage_count,
};
use crate::index::lexical::segment::PostingsIterator;
use crate::model::error::Result;

/// Match values are kept as 15 bits and a flag for an exact match.
pub(crate) const FULL: f32 = 32_767.0;
/// Bytes of the match values of one window of passages: they stay in the L2 cache.
const WINDOW_BYTES: usize = 256 << 10;

/// A list of passages that a word of the query matches in one leaf.
pub(crate) struct PostingsList {
    pub(crate) column: usize,
    pub(crate) boost: f32,
    pub(crate) exact: bool,
    pub(crate) term: LeafTerm,
    pub(crate) df: u64,
}

/// The best passage of an event while the best are collected.
#[derive(Clone, Copy)]
pub(crate) struct ScoredPassage {
    pub(crate) score: f32,
    pub(crate) leaf: u32,
    pub(crate) event: u32,
    pub(crate) passage: u32,
    pub(crate) exact: f32,
}

impl ScoredPassage {
    fn order(&self, other: &ScoredPassage) -> std::cmp::Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then((self.leaf, self.event).cmp(&(other.leaf, other.event)))
    }
}

/// More than the best that a lazy collector keeps, for those that turn out to be
/// excluded.
const SPARE: usize = 64;

/// Keeps the best events.
pub(crate) struct TopCollector<'a> {
    limit: usize,
    filter: Filter<'a>,
    /// Whether every event is looked up when it is offered, not at the end.
    is_eager: bool,
    kept: Vec<ScoredPassage>,
    /// Whether good ones were let go for better ones.
    is_trimmed: bool,
    threshold: f32,
    pub(crate) total: u64,
}

impl<'a> TopCollector<'a> {
    /// Looks up only the best, at the end; see [`TopCollector::finish`].
    pub(crate) fn lazy(limit: usize, filter: Filter<'a>) -> Self {
        TopCollector {
            is_eager: false,
            limit: limit + SPARE,
            ..TopCollector::eager(limit, filter)
        }
    }

    /// Looks up every event that would be kept.
    pub(crate) fn eager(limit: usize, filter: Filter<'a>) -> Self {
        TopCollector {
            limit,
            filter,
            is_eager: true,
            kept: Vec::new(),
            is_trimmed: false,
            threshold: 0.0,
            total: 0,
        }
    }

    pub(crate) fn offer(&mut self, found: ScoredPassage, leaf: &Leaf<'_>) -> Result<()> {
        self.total += 1;
        // Equal scores lose against those kept: they are later in the log.
        if found.score <= self.threshold {
            return Ok(());
        }
        if self.is_eager && self.filter.excludes(&event_row(leaf, found.event)?.0) {
            return Ok(());
        }
        self.kept.push(found);
        if self.kept.len() >= self.limit * 2 + 64 {
            self.kept
                .select_nth_unstable_by(self.limit - 1, ScoredPassage::order);
            self.kept.truncate(self.limit);
            self.threshold = self.kept[self.limit - 1].score;
            self.is_trimmed = true;
        }
        Ok(())
    }

    /// The best, best first; `None` from a lazy collector when so many of them
    /// are excluded that others must take their places.
    pub(crate) fn finish(mut self, leaves: &[Leaf<'_>]) -> Result<Option<Vec<ScoredPassage>>> {
        self.kept.sort_unstable_by(ScoredPassage::order);
        if self.is_eager {
            self.kept.truncate(self.limit);
            return Ok(Some(self.kept));
        }
        let limit = self.limit - SPARE;
        let mut best = Vec::with_capacity(limit.min(self.kept.len()));
        // Behind this many some may be missing.
        let complete = if self.is_trimmed {
            self.limit
        } else {
            self.kept.len()
        };
        for found in self.kept.into_iter().take(complete) {
            if best.len() == limit {
                break;
            }
            let (facts, _) = event_row(&leaves[found.leaf as usize], found.event)?;
            if !self.filter.excludes(&facts) {
                best.push(found);
            }
        }
        Ok((best.len() == limit || !self.is_trimmed).then_some(best))
    }
}

/// Scores the passages of one leaf, a window of them after the other.
pub(crate) struct LeafScorer<'q, 'a> {
    pub(crate) leaf: &'q Leaf<'a>,
    pub(crate) number: u32,
    pub(crate) weights: &'q [f32],
    pub(crate) matches: Vec<u16>,
    pub(crate) scores: Vec<f32>,
}

/// An event whose passages are being looked at.
#[derive(Clone, Copy)]
struct Current {
    event: u32,
    passage: u32,
    score: f32,
    exact: f32,
}

impl LeafScorer<'_, '_> {
    /// True when the deadline ended it early.
    pub(crate) fn score(
        &mut self,
        lists: &[PostingsList],
        allowed: Option<&[u64]>,
        best: &mut TopCollector<'_>,
        deadline: Option<Instant>,
    ) -> Result<bool> {
        if allowed.is_some_and(|bits| bits.iter().all(|&word| word == 0)) {
            return Ok(false);
        }
        let width = self.weights.len();
        let exact = &*EXACT;
        let count = passage_count(self.leaf);
        let events = event_count(self.leaf);
        self.matches = vec![0; events as usize * width];
        self.scores = vec![0.0; events as usize];
        let window = (WINDOW_BYTES / 2 / width.max(1))
            .next_power_of_two()
            .max(2048) as u32;
        let window = window.min(count.next_multiple_of(64));
        let mut values = vec![0u16; window as usize * width];
        let mut cursors = Vec::with_capacity(lists.len());
        for list in lists {
            cursors.push(match (self.leaf, list.term) {
                (Leaf::Segment(segment, blocks), LeafTerm::Segment(info)) => {
                    Some(segment.postings(*blocks, info)?)
                }
                _ => None,
            });
        }
        let mut event_before = 0u32;
        let mut current: Option<Current> = None;
        let mut start = 0u32;
        while start < count {
            let end = (start + window).min(count);
            if is_over(deadline) {
                self.flush(&mut current, best)?;
                return Ok(true);
            }
            values.fill(0);
            let lengths = self.lengths(start, end)?;
            for (list, cursor) in lists.iter().zip(&mut cursors) {
                let column = list.column;
                let plain = (list.boost * FULL).round() as u16;
                // Damaged postings must not reach outside the window, nor any
                // outside the filter.
                let size = (end - start) as usize;
                let slot_of = |passage: u32| -> Option<usize> {
                    let at = passage.wrapping_sub(start) as usize;
                    let is_allowed = allowed
                        .is_none_or(|bits| bits[passage as usize / 64] >> (passage % 64) & 1 == 1);
                    (at < size && is_allowed).then_some(at)
                };
                if list.exact {
                    self.visit(list, cursor, end, &mut |passage, frequency| {
                        if let Some(at) = slot_of(passage) {
                            let value = exact[frequency.min(15) as usize][lengths[at] as usize];
                            let slot = &mut values[at * width + column];
                            *slot = (*slot).max(value << 1) | 1;
                        }
                    })?;
                } else {
                    self.visit(list, cursor, end, &mut |passage, _| {
                        if let Some(at) = slot_of(passage) {
                            let slot = &mut values[at * width + column];
                            *slot = (*slot | 1).max(plain << 1 | 1) - (!*slot & 1);
                        }
                    })?;
                }
            }
            let starts = self.starts(start, end)?;
            for (word, &begins) in starts.iter().enumerate() {
                let rows = values.chunks_exact(width).skip(word * 64).take(64);
                for (bit, row) in rows.enumerate() {
                    if row.iter().all(|&value| value == 0) {
                        continue;
                    }
                    let upto = begins & (u64::MAX >> (63 - bit));
                    let event = (event_before + upto.count_ones()).wrapping_sub(1);
                    if event >= events {
                        return Err(self.damaged());
                    }
                    if current.is_none_or(|c| c.event != event) {
                        self.flush(&mut current, best)?;
                    }
                    let passage = start + (word * 64 + bit) as u32;
                    self.passage(event, passage, row, best.threshold, &mut current);
                }
                event_before += begins.count_ones();
            }
            start = end;
        }
        self.flush(&mut current, best)?;
        Ok(false)
    }

    /// Takes in a passage that matches something. `threshold` is the score that
    /// an event needs to be among the best so far.
    #[inline]
    fn passage(
        &mut self,
        event: u32,
        passage: u32,
        row: &[u16],
        threshold: f32,
        current: &mut Option<Current>,
    ) {
        let width = row.len();
        let kept = &mut self.matches[event as usize * width..(event as usize + 1) * width];
        let mut score = 0.0f32;
        for ((&value, &weight), kept) in row.iter().zip(self.weights).zip(kept) {
            score += weight * (value & !1) as f32;
            *kept = (*kept & !1).max(value & !1) | ((*kept | value) & 1);
        }
        score *= 0.5 / FULL;
        if current.is_some_and(|best| best.score >= score) {
            return;
        }
        let mut exact = 0.0;
        if score > threshold {
            let weights = row.iter().zip(self.weights);
            exact = weights
                .filter(|(value, _)| **value & 1 == 1)
                .map(|(_, weight)| weight)
                .sum();
        }
        *current = Some(Current {
            event,
            passage,
            score,
            exact,
        });
    }

    fn flush(&mut self, current: &mut Option<Current>, best: &mut TopCollector<'_>) -> Result<()> {
        let Some(done) = current.take() else {
            return Ok(());
        };
        self.scores[done.event as usize] = done.score;
        let found = ScoredPassage {
            score: done.score,
            leaf: self.number,
            event: done.event,
            passage: done.passage,
            exact: done.exact,
        };
        best.offer(found, self.leaf)
    }

    #[inline]
    fn visit(
        &self,
        list: &PostingsList,
        cursor: &mut Option<PostingsIterator>,
        end: u32,
        add: &mut impl FnMut(u32, u32),
    ) -> Result<()> {
        match (self.leaf, cursor, list.term) {
            (Leaf::Segment(segment, blocks), Some(postings), _) => {
                postings.visit(segment, *blocks, end, add)
            }
            (Leaf::Memtable(memtable), _, LeafTerm::Memtable(term)) => {
                // Tails are small: a later window reads its lists again.
                for (passage, positions) in memtable.inverted.postings(term) {
                    add(passage, positions.len() as u32);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn damaged(&self) -> crate::model::error::Error {
        match self.leaf {
            Leaf::Segment(segment, _) => segment.corrupt("event bitmap"),
            Leaf::Memtable(_) => crate::model::error::Error::new(
                crate::model::error::ErrorCode::Internal,
                "the lexical memtable counts its events wrongly",
            ),
        }
    }

    /// Lengths in words of the passages from `start` to `end`.
    fn lengths(&self, start: u32, end: u32) -> Result<Vec<u8>> {
        match self.leaf {
            Leaf::Segment(segment, blocks) => {
                let base = segment.layout.lengths;
                Ok(segment
                    .bytes(*blocks, base + start as u64, base + end as u64)?
                    .to_vec())
            }
            Leaf::Memtable(memtable) => Ok(memtable.inverted.passages
                [start as usize..end as usize]
                .iter()
                .map(|p| p.words.min(255) as u8)
                .collect()),
        }
    }

    /// A bit per passage from `start` (a multiple of 64) to `end` that is its
    /// event's first.
    fn starts(&self, start: u32, end: u32) -> Result<Vec<u64>> {
        let words = (end - start).div_ceil(64) as u64;
        match self.leaf {
            Leaf::Segment(segment, blocks) => {
                let base = segment.layout.starts + start as u64 / 8;
                let bytes = segment.bytes(*blocks, base, base + words * 8)?;
                Ok(bytes
                    .as_chunks::<8>()
                    .0
                    .iter()
                    .map(|w| u64::from_le_bytes(*w))
                    .collect())
            }
            Leaf::Memtable(memtable) => {
                let mut bits = vec![0u64; words as usize];
                let passages = &memtable.inverted.passages;
                for passage in start..end {
                    let mine = passages[passage as usize].event;
                    if passage == 0 || passages[passage as usize - 1].event != mine {
                        let at = (passage - start) as usize;
                        bits[at / 64] |= 1 << (at % 64);
                    }
                }
                Ok(bits)
            }
        }
    }
}

/// [`exact_match`] by frequency and words, as match values without the flag.
static EXACT: LazyLock<Box<[[u16; 256]; 16]>> = LazyLock::new(|| {
    let mut table = Box::new([[0; 256]; 16]);
    for (frequency, row) in table.iter_mut().enumerate() {
        for (words, value) in row.iter_mut().enumerate() {
            *value = (exact_match(frequency as u32, words as u8) * FULL).round() as u16;
        }
    }
    table
});

/// How well a passage of so many words matches a word that it holds so often.
pub(crate) fn exact_match(frequency: u32, words: u8) -> f32 {
    let tf = frequency as f32;
    let damping = K1 * (words as f32 / PLAIN_WORDS).max(1.0);
    ((K1 + 1.0) * tf / (tf + damping)).min(1.0)
}
