//! Scores the passages of one leaf in windows whose match values fit the cache, and collects the
//! best events.

use std::ops::Range;
use std::time::Instant;

use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::leaf::{
    Leaf, damaged, event_count, event_row, passage_count, passage_row,
};
use crate::index::lexical::segment::{Bytes, PostingsIterator};
use crate::index::lexical::term::LeafTerm;
use crate::lazy::RaceLazy;
use crate::model::error::Result;

/// Saturation of exact matches: min(1, (K1 + 1) · tf / (tf + K1 · max(1, words / [`PLAIN_WORDS`]))).
pub const K1: f32 = 0.6;
/// Up to this many words a passage's length does not dampen exact matches.
pub const PLAIN_WORDS: f32 = 40.0;
/// The same for pairs of letters, of which a text has more than it has words. Of 40 to 80, 60 is
/// best on Japanese and Chinese documents together.
pub const PLAIN_PAIRS: f32 = 60.0;
/// The maximum number of postings of expansions that a query reads. The lists that can add least
/// are dropped, so that a store of millions of events costs no more than one of 100,000; lists of
/// exact matches never are. On the chats among 20,000 and 60,000 other events, 50,000 gives the
/// same results as 200,000, which costs a fifth more.
pub const MAX_EXPANSION_POSTINGS: u64 = 50_000;
/// Match values have 15 bits, and a flag for an exact match.
pub(crate) const FULL: f32 = 32_767.0;
/// Bytes of a window's match values: they fit the L2 cache.
const WINDOW_BYTES: usize = 256 << 10;
/// Passages of the first window; later ones double. The threshold it establishes lets later windows
/// skip lists.
const FIRST_WINDOW: u32 = 2048;
/// If at least one in this many passages of a window matched, all its match values are cleared at
/// once.
const DENSE: usize = 8;
/// Up to this many matching events are counted exactly; beyond that, events that cannot be among
/// the best are skipped.
pub(crate) const TOTAL_HITS_THRESHOLD: u64 = 1000;

/// The postings in one leaf of one stem that a query word matches.
pub(crate) struct PostingsList {
    pub(crate) column: usize,
    pub(crate) boost: f32,
    pub(crate) exact: bool,
    /// Whether the word is a pair of letters.
    pub(crate) is_pair: bool,
    pub(crate) term: LeafTerm,
    pub(crate) df: u64,
}

/// The best passage of an event, while collecting.
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

/// The number of spare events that a lazy collector keeps to replace excluded ones.
const SPARE: usize = 64;

/// Collects the best events.
pub(crate) struct TopCollector<'a> {
    limit: usize,
    filter: Filter<'a>,
    /// Whether events are checked for exclusion when offered instead of at the end.
    is_eager: bool,
    kept: Vec<ScoredPassage>,
    /// Whether events were dropped for better ones.
    is_trimmed: bool,
    threshold: f32,
    /// The number of matching events to count before any is skipped.
    total_hits_threshold: u64,
    pub(crate) total: u64,
}

impl<'a> TopCollector<'a> {
    /// Checks only the best events for exclusion, at the end; see [`TopCollector::finish`].
    pub(crate) fn lazy(limit: usize, filter: Filter<'a>, total_hits_threshold: u64) -> Self {
        TopCollector {
            is_eager: false,
            limit: limit + SPARE,
            ..TopCollector::eager(limit, filter, total_hits_threshold)
        }
    }

    /// Checks every event that would be kept for exclusion.
    pub(crate) fn eager(limit: usize, filter: Filter<'a>, total_hits_threshold: u64) -> Self {
        TopCollector {
            limit,
            filter,
            is_eager: true,
            kept: Vec::new(),
            is_trimmed: false,
            threshold: 0.0,
            total_hits_threshold,
            total: 0,
        }
    }

    /// The score that an event must exceed to matter; negative while all are counted.
    fn least(&self) -> f32 {
        if self.total < self.total_hits_threshold {
            return -1.0;
        }
        self.threshold
    }

    pub(crate) fn offer(&mut self, found: ScoredPassage, leaf: &Leaf<'_>) -> Result<()> {
        // A record filter excludes most events, so it applies before they are counted.
        let is_known = self.filter.admits_record.is_some()
            || (self.filter.counts_exactly && self.total < self.total_hits_threshold);
        if is_known {
            let counts = found.score > self.least();
            if !counts || self.filter.excludes(&event_row(leaf, found.event)?.0)? {
                return Ok(());
            }
        }
        self.total += 1;
        // A tie loses against the events kept, which are earlier in the log.
        if found.score <= self.threshold {
            return Ok(());
        }
        if self.is_eager && !is_known && self.filter.excludes(&event_row(leaf, found.event)?.0)? {
            return Ok(());
        }
        self.kept.push(found);
        // Trim often enough that the threshold rises early.
        if self.kept.len() >= self.limit + self.limit / 4 + 16 {
            self.kept
                .select_nth_unstable_by(self.limit - 1, ScoredPassage::order);
            self.kept.truncate(self.limit);
            self.threshold = self.kept[self.limit - 1].score;
            self.is_trimmed = true;
        }
        Ok(())
    }

    /// The best events, best first; `None` from a lazy collector if so many of them are excluded
    /// that events it dropped may belong to the result. If time is up (`is_cut`), what was found
    /// so far is the result.
    pub(crate) fn finish(
        mut self,
        leaves: &[Leaf<'_>],
        is_cut: bool,
    ) -> Result<Option<Vec<ScoredPassage>>> {
        self.kept.sort_unstable_by(ScoredPassage::order);
        if self.is_eager {
            self.kept.truncate(self.limit);
            return Ok(Some(self.kept));
        }
        let limit = self.limit - SPARE;
        let mut best = Vec::with_capacity(limit.min(self.kept.len()));
        // Beyond this rank, dropped events may be missing.
        let complete = if self.is_trimmed {
            self.limit
        } else {
            self.kept.len()
        };
        for found in self.kept.into_iter().take(complete) {
            if best.len() == limit {
                break;
            }
            let facts = facts_of(&leaves[found.leaf as usize], &found)?;
            if !self.filter.excludes(&facts)? {
                best.push(found);
            }
        }
        Ok((best.len() == limit || !self.is_trimmed || is_cut).then_some(best))
    }
}

/// The position in a list of one leaf.
pub(crate) enum ListCursor {
    Segment(PostingsIterator),
    Memtable {
        postings: Vec<(u32, u32)>,
        next: usize,
    },
}

impl ListCursor {
    pub(crate) fn open(leaf: &Leaf<'_>, term: LeafTerm) -> Result<Self> {
        Ok(match (leaf, term) {
            (Leaf::Segment(segment, blocks), LeafTerm::Segment(info)) => {
                ListCursor::Segment(segment.postings(*blocks, info)?)
            }
            (Leaf::Memtable(memtable), LeafTerm::Memtable(term)) => {
                let postings = memtable.inverted.postings(term);
                let postings = postings.map(|(passage, at)| (passage, at.len() as u32));
                ListCursor::Memtable {
                    postings: postings.collect(),
                    next: 0,
                }
            }
            _ => ListCursor::Memtable {
                postings: Vec::new(),
                next: 0,
            },
        })
    }

    /// Visits (passage, frequency) for passages below `limit`.
    #[inline]
    pub(crate) fn visit(
        &mut self,
        leaf: &Leaf<'_>,
        limit: u32,
        mut add: impl FnMut(u32, u32),
    ) -> Result<()> {
        match (self, leaf) {
            (ListCursor::Segment(postings), Leaf::Segment(segment, blocks)) => {
                postings.visit(segment, *blocks, limit, add)
            }
            (ListCursor::Memtable { postings, next }, _) => {
                let left = &postings[*next..];
                let below = left.partition_point(|&(passage, _)| passage < limit);
                left[..below].iter().for_each(|&(p, f)| add(p, f));
                *next += below;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Skips passages below `passage`, as far as the skip table allows.
    pub(crate) fn skip_to(&mut self, leaf: &Leaf<'_>, passage: u32) -> Result<()> {
        match (self, leaf) {
            (ListCursor::Segment(postings), Leaf::Segment(segment, blocks)) => {
                postings.skip_to(segment, *blocks, passage)
            }
            (ListCursor::Memtable { postings, next }, _) => {
                *next = (*next).max(postings.partition_point(|&(at, _)| at < passage));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The frequency of the term in `passage`, which must be at or after the cursor.
    pub(crate) fn seek(&mut self, leaf: &Leaf<'_>, passage: u32) -> Result<Option<u32>> {
        match (self, leaf) {
            (ListCursor::Segment(postings), Leaf::Segment(segment, blocks)) => {
                let found = postings.seek(segment, *blocks, passage)?;
                Ok(found.map(|(frequency, _)| frequency))
            }
            (ListCursor::Memtable { postings, .. }, _) => {
                let found = postings.binary_search_by_key(&passage, |&(p, _)| p);
                Ok(found.ok().map(|at| postings[at].1))
            }
            _ => Ok(None),
        }
    }
}

/// Records an exact match: a passage of `words` words contains the word `frequency` times.
#[inline]
pub(crate) fn put_exact(slot: &mut u16, exact: &ExactMatches, frequency: u32, words: u8) {
    let value = exact[frequency.min(15) as usize][words as usize];
    *slot = (*slot).max(value << 1) | 1;
}

/// Records a match of an expansion with this value.
#[inline]
pub(crate) fn put_expanded(slot: &mut u16, value: u16) {
    *slot = (*slot | 1).max(value << 1 | 1) - (!*slot & 1);
}

/// The match value of an expansion.
pub(crate) fn expanded_match(list: &PostingsList) -> u16 {
    (list.boost * FULL).round() as u16
}

/// The score of a passage with these match values.
#[inline]
pub(crate) fn row_score(row: &[u16], weights: &[f32]) -> f32 {
    let mut score = 0.0f32;
    for (&value, &weight) in row.iter().zip(weights) {
        score += weight * (value & !1) as f32;
    }
    score * (0.5 / FULL)
}

/// Exceeds the rounding error of a sum of [`MAX_QUERY_TERMS`] terms, so that an upper bound is
/// never below the score it bounds.
///
/// [`MAX_QUERY_TERMS`]: crate::index::lexical::expansion::MAX_QUERY_TERMS
const ROUNDING: f32 = 1.0 + 1e-5;

fn cannot_exceed(bound: f32, threshold: f32) -> bool {
    bound * ROUNDING <= threshold
}

/// The non-essential lists of MaxScore: a passage that is in no other list cannot enter the current
/// top k. Those of expansions are short, so they are still scanned; those of the query's own words,
/// which may contain nearly every passage, are only probed for candidates.
#[derive(Default)]
struct Optional {
    /// Per list, whether it is non-essential.
    is_optional: Vec<bool>,
    /// The lists that are probed, by descending weight.
    looked_up: Vec<usize>,
    /// Per word, its rank among the probed ones, from 1; 0 for words whose lists are scanned.
    turn: Vec<usize>,
}

impl Optional {
    /// `ascending` are the lists by ascending maximum contribution.
    fn choose(lists: &[PostingsList], ascending: &[usize], weights: &[f32], least: f32) -> Self {
        let mut chosen = Optional {
            is_optional: vec![false; lists.len()],
            looked_up: Vec::new(),
            turn: vec![0; weights.len()],
        };
        let mut most = vec![0.0f32; weights.len()];
        for &at in ascending {
            let list = &lists[at];
            most[list.column] = weights[list.column] * list.boost;
            if !cannot_exceed(most.iter().sum(), least) {
                break;
            }
            chosen.is_optional[at] = true;
            if list.exact {
                chosen.looked_up.insert(0, at);
            }
        }
        for (turn, &at) in chosen.looked_up.iter().enumerate() {
            chosen.turn[lists[at].column] = turn + 1;
        }
        chosen
    }

    /// Whether any list is probed instead of scanned.
    fn is_in_use(&self) -> bool {
        !self.looked_up.is_empty()
    }

    /// An upper bound of a passage's score after this many words were probed.
    #[inline]
    fn bound(&self, row: &[u16], weights: &[f32], looked_up: usize) -> f32 {
        let mut bound = 0.0f32;
        for ((&value, &weight), &turn) in row.iter().zip(weights).zip(&self.turn) {
            let value = if turn > looked_up { u16::MAX } else { value };
            bound += weight * (value & !1) as f32;
        }
        bound * (0.5 / FULL)
    }
}

/// The buffers of a window of passages.
#[derive(Default)]
pub(crate) struct Window {
    start: u32,
    end: u32,
    /// Match values per passage.
    width: usize,
    /// The match value per passage and word; 0 if neither bit is set.
    values: Vec<u16>,
    /// One bit per passage in an essential list.
    touched: Vec<u64>,
    /// One bit per passage in a scanned non-essential list.
    beside: Vec<u64>,
}

impl Window {
    fn move_to(&mut self, start: u32, end: u32, width: usize) {
        let size = (end - start) as usize;
        self.clear();
        (self.start, self.end, self.width) = (start, end, width);
        if self.values.len() < size * width {
            self.values.resize(size * width, 0);
        }
        for bits in [&mut self.touched, &mut self.beside] {
            bits.clear();
            bits.resize(size.div_ceil(64), 0);
        }
    }

    /// Resets the match values. Most queries match few passages, and zeroing every window in full
    /// would take time proportional to the store.
    fn clear(&mut self) {
        let (values, width) = (&mut self.values, self.width);
        let marked = || self.touched.iter().zip(&self.beside).map(|(a, b)| a | b);
        let rows: u32 = marked().map(u64::count_ones).sum();
        let size = (self.end - self.start) as usize;
        if rows as usize > size / DENSE {
            values[..size * width].fill(0);
            return;
        }
        for (word, mut bits) in marked().enumerate() {
            while bits != 0 {
                let row = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                values[row * width..][..width].fill(0);
            }
        }
    }
}

/// Scores the passages of one leaf, window by window.
pub(crate) struct LeafScorer<'q, 'a> {
    pub(crate) leaf: &'q Leaf<'a>,
    pub(crate) number: u32,
    pub(crate) weights: &'q [f32],
    pub(crate) window: &'q mut Window,
    /// Per list of expansions, the passages read so far.
    pub(crate) seen: &'q mut [Vec<u32>],
}

/// The next window of at most `size` of the remaining passages, trimmed to those that the filter
/// allows. Windows begin at a multiple of 64.
fn next_window(allowed: Option<&[u64]>, left: Range<u32>, size: u32) -> Option<(u32, u32)> {
    if left.is_empty() {
        return None;
    }
    let Some(bits) = allowed else {
        let end = left.start.saturating_add(size).min(left.end);
        return Some((left.start, end));
    };
    let from = left.start as usize / 64;
    let first = from + bits.get(from..)?.iter().position(|&word| word != 0)?;
    let window = bits.len().min(first + size as usize / 64);
    let last = bits[first..window].iter().rposition(|&word| word != 0)?;
    let end = ((first + last + 1) * 64).min(left.end as usize);
    Some((first as u32 * 64, end as u32))
}

/// The event whose passages are being scored.
#[derive(Clone, Copy)]
struct Current {
    event: u32,
    passage: u32,
    score: f32,
    exact: f32,
}

impl LeafScorer<'_, '_> {
    /// Scores all windows. True if the deadline stopped it.
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
        let count = passage_count(self.leaf);
        let largest = (WINDOW_BYTES / 2 / width.max(1))
            .next_power_of_two()
            .max(FIRST_WINDOW as usize) as u32;
        let mut size = FIRST_WINDOW;
        let mut cursors = Vec::with_capacity(lists.len());
        for (list, seen) in lists.iter().zip(&mut *self.seen) {
            cursors.push(ListCursor::open(self.leaf, list.term)?);
            seen.clear();
            if !list.exact {
                seen.reserve(list.df.min(MAX_EXPANSION_POSTINGS) as usize);
            }
        }
        let mut ascending: Vec<usize> = (0..lists.len()).collect();
        let most = |at: usize| self.weights[lists[at].column] * lists[at].boost;
        ascending.sort_by(|&a, &b| most(a).total_cmp(&most(b)));
        let mut event_before = 0u32;
        let mut current: Option<Current> = None;
        let mut before = 0u32;
        while let Some((start, end)) = next_window(allowed, before..count, size) {
            if is_over(deadline) {
                flush(self.leaf, self.number, &mut current, best)?;
                return Ok(true);
            }
            size = (size * 2).min(largest);
            if start > before {
                event_before = self.events_before(start)?;
            }
            self.window.move_to(start, end, width);
            let lengths = lengths(self.leaf, start, end)?;
            let optional = Optional::choose(lists, &ascending, self.weights, best.least());
            for (at, (list, cursor)) in lists.iter().zip(&mut cursors).enumerate() {
                let is_optional = optional.is_optional[at];
                if !(list.exact && is_optional) {
                    if start > before {
                        cursor.skip_to(self.leaf, start)?;
                    }
                    self.read((at, list), cursor, allowed, &lengths, is_optional)?;
                }
            }
            let mut reader = Candidates {
                leaf: self.leaf,
                weights: self.weights,
                lists,
                cursors: &mut cursors,
                optional: &optional,
                lengths: &lengths,
            };
            self.collect(&mut reader, &mut event_before, &mut current, best)?;
            before = end;
        }
        flush(self.leaf, self.number, &mut current, best)?;
        Ok(false)
    }

    /// The number of events that begin before a passage.
    fn events_before(&self, passage: u32) -> Result<u32> {
        let event = passage_row(self.leaf, passage)?.event;
        let goes_on = match passage.checked_sub(1) {
            Some(last) => passage_row(self.leaf, last)?.event == event,
            None => false,
        };
        Ok(event + u32::from(goes_on))
    }

    /// Enters a list's matches into the window.
    fn read(
        &mut self,
        (number, list): (usize, &PostingsList),
        cursor: &mut ListCursor,
        allowed: Option<&[u64]>,
        lengths: &[u8],
        is_optional: bool,
    ) -> Result<()> {
        let Window {
            start,
            end,
            values,
            touched,
            beside,
            ..
        } = &mut *self.window;
        let (start, end, width) = (*start, *end, self.weights.len());
        let marks = if is_optional { beside } else { touched };
        let size = (end - start) as usize;
        // Damaged postings must not reach outside of the window, and no passage outside of the
        // filter may score.
        let slot_of = |passage: u32| -> Option<usize> {
            let at = passage.wrapping_sub(start) as usize;
            let is_allowed =
                allowed.is_none_or(|bits| bits[passage as usize / 64] >> (passage % 64) & 1 == 1);
            (at < size && is_allowed).then_some(at)
        };
        if list.exact {
            let exact = exact_matches(list);
            cursor.visit(self.leaf, end, |passage, frequency| {
                if let Some(at) = slot_of(passage) {
                    let slot = &mut values[at * width + list.column];
                    put_exact(slot, exact, frequency, lengths[at]);
                    marks[at / 64] |= 1 << (at % 64);
                }
            })
        } else {
            let value = expanded_match(list);
            let seen = &mut self.seen[number];
            cursor.visit(self.leaf, end, |passage, _| {
                seen.push(passage);
                if let Some(at) = slot_of(passage) {
                    put_expanded(&mut values[at * width + list.column], value);
                    marks[at / 64] |= 1 << (at % 64);
                }
            })
        }
    }

    /// Offers the window's events that may be among the best.
    fn collect(
        &mut self,
        reader: &mut Candidates<'_>,
        event_before: &mut u32,
        current: &mut Option<Current>,
        best: &mut TopCollector<'_>,
    ) -> Result<()> {
        let width = self.weights.len();
        let events = event_count(self.leaf);
        let starts = self.starts(self.window.start, self.window.end)?;
        for (word, &begins) in starts.iter().enumerate() {
            let mut touched = self.window.touched[word];
            while touched != 0 {
                let bit = touched.trailing_zeros();
                touched &= touched - 1;
                let upto = begins & (u64::MAX >> (63 - bit));
                let event = (*event_before + upto.count_ones()).wrapping_sub(1);
                if event >= events {
                    return Err(damaged(self.leaf));
                }
                let at = word * 64 + bit as usize;
                let passage = self.window.start + at as u32;
                let row = &mut self.window.values[at * width..(at + 1) * width];
                if current.is_none_or(|c| c.event != event) {
                    flush(self.leaf, self.number, current, best)?;
                    *current = Some(Current {
                        event,
                        passage,
                        score: 0.0,
                        exact: 0.0,
                    });
                }
                let Some(current) = current else { continue };
                let least = best.threshold.max(current.score);
                if reader.complete(row, passage, at, least)? {
                    consider(current, passage, row, self.weights, best.threshold);
                }
            }
            *event_before += begins.count_ones();
        }
        Ok(())
    }

    /// One bit per passage from `start` (a multiple of 64) to `end` that is the first of its event.
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

/// Probes the non-essential lists for candidates, in passage order.
struct Candidates<'c> {
    leaf: &'c Leaf<'c>,
    weights: &'c [f32],
    lists: &'c [PostingsList],
    cursors: &'c mut [ListCursor],
    optional: &'c Optional,
    lengths: &'c [u8],
}

impl Candidates<'_> {
    /// Completes a passage's match values from the lists that were not scanned; false if it turns
    /// out not to be among the best.
    #[inline]
    fn complete(
        &mut self,
        row: &mut [u16],
        passage: u32,
        at: usize,
        threshold: f32,
    ) -> Result<bool> {
        if !self.optional.is_in_use() {
            return Ok(true);
        }
        for (done, &number) in self.optional.looked_up.iter().enumerate() {
            if cannot_exceed(self.optional.bound(row, self.weights, done), threshold) {
                return Ok(false);
            }
            if let Some(frequency) = self.cursors[number].seek(self.leaf, passage)? {
                let list = &self.lists[number];
                let slot = &mut row[list.column];
                put_exact(slot, exact_matches(list), frequency, self.lengths[at]);
            }
        }
        Ok(true)
    }
}

/// Updates the event with a passage whose match values are complete. `threshold` is the score that
/// an event must exceed to be among the best so far.
#[inline]
fn consider(current: &mut Current, passage: u32, row: &[u16], weights: &[f32], threshold: f32) {
    let score = row_score(row, weights);
    if current.score >= score {
        return;
    }
    let mut exact = 0.0;
    if score > threshold {
        let weights = row.iter().zip(weights);
        exact = weights
            .filter(|(value, _)| **value & 1 == 1)
            .map(|(_, weight)| weight)
            .sum();
    }
    *current = Current {
        passage,
        score,
        exact,
        ..*current
    };
}

fn flush(
    leaf: &Leaf<'_>,
    number: u32,
    current: &mut Option<Current>,
    best: &mut TopCollector<'_>,
) -> Result<()> {
    let Some(done) = current.take() else {
        return Ok(());
    };
    let found = ScoredPassage {
        score: done.score,
        leaf: number,
        event: done.event,
        passage: done.passage,
        exact: done.exact,
    };
    best.offer(found, leaf)
}

/// Whether a deadline has passed.
pub(crate) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|end| Instant::now() >= end)
}

/// The facts of a passage's event, read from its turn row if it has one.
pub(crate) fn facts_of(leaf: &Leaf<'_>, found: &ScoredPassage) -> Result<EventFacts> {
    if let Leaf::Segment(segment, blocks) = leaf {
        let place = segment.passage(*blocks, found.passage)?.place;
        if let Some(turn) = segment.turn(*blocks, place)? {
            return Ok(turn.row.facts);
        }
    }
    Ok(event_row(leaf, found.event)?.0)
}

/// The lengths in words of the passages from `start` to `end`.
pub(crate) fn lengths(leaf: &Leaf<'_>, start: u32, end: u32) -> Result<Bytes> {
    match leaf {
        Leaf::Segment(segment, blocks) => {
            let base = segment.layout.lengths;
            segment.bytes(*blocks, base + start as u64, base + end as u64)
        }
        Leaf::Memtable(memtable) => Ok(Bytes::Copy(
            memtable.inverted.passages[start as usize..end as usize]
                .iter()
                .map(|p| p.words.min(255) as u8)
                .collect(),
        )),
    }
}

/// [`exact_match`] by frequency and words, as match values without the flag.
pub(crate) type ExactMatches = [[u16; 256]; 16];

static OF_WORDS: RaceLazy<ExactMatches> = RaceLazy::new(|| table_of(PLAIN_WORDS));
static OF_PAIRS: RaceLazy<ExactMatches> = RaceLazy::new(|| table_of(PLAIN_PAIRS));

/// The table of match values for a list.
#[inline]
pub(crate) fn exact_matches(list: &PostingsList) -> &'static ExactMatches {
    match list.is_pair {
        true => &OF_PAIRS,
        false => &OF_WORDS,
    }
}

fn table_of(plain: f32) -> ExactMatches {
    let mut table = [[0; 256]; 16];
    for (frequency, row) in table.iter_mut().enumerate() {
        for (words, value) in row.iter_mut().enumerate() {
            *value = (exact_match(frequency as u32, words as u8, plain) * FULL).round() as u16;
        }
    }
    table
}

/// How well a passage of `words` words matches a word that it contains `frequency` times. Up to
/// `plain` words the length does not dampen.
pub(crate) fn exact_match(frequency: u32, words: u8, plain: f32) -> f32 {
    let tf = frequency as f32;
    let damping = K1 * (words as f32 / plain).max(1.0);
    ((K1 + 1.0) * tf / (tf + damping)).min(1.0)
}
