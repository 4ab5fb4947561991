//! What the learned index is asked, and what it finds.

use std::sync::Arc;
use std::time::Instant;

use crate::model::learned::LearnedKind;
use crate::store::index_tables::learned::LearnedRow;

/// A learned item by its kind and id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LearnedRef {
    pub(crate) kind: LearnedKind,
    pub(crate) id: String,
}

/// A query of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LearnedQuery<'a> {
    pub(crate) text: &'a str,
    /// A bit for each wanted kind (see [`LearnedKind::bit`]).
    pub(crate) kinds: u64,
    /// Restricts the search to these items; `None` for any.
    pub(crate) listed: Option<&'a [LearnedRow]>,
    /// At most so many entries, and as many other items, are scored.
    pub(crate) most: usize,
    /// How many results to return, plus ties with the last.
    pub(crate) given: usize,
    /// If there is no time to index what the store's index lacks, the latest items come
    /// first; if another search does that until then, nothing is found.
    pub(crate) deadline: Option<Instant>,
}

/// What a search of the index found.
#[derive(Debug, Default)]
pub(crate) struct LearnedMatches {
    /// Best first: entries, then the others.
    pub(crate) matches: Vec<LearnedMatch>,
    /// False if there was no time to index everything.
    pub(crate) is_whole: bool,
}

/// A learned item that contains words of a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LearnedMatch {
    pub(crate) learned: LearnedRef,
    /// The score of its words and neighbouring words, relative to a text that contains all
    /// words of the question.
    pub(crate) score: f64,
    /// The words of the question: their stems, how well each is matched (0 to 1), and
    /// whether the exact word occurs.
    pub(crate) words: Vec<WordMatch>,
}

/// How well a learned item matches a word of the question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WordMatch {
    pub(crate) stem: Arc<[u8]>,
    /// The word's weight among learned items.
    pub(crate) weight: f32,
    pub(crate) value: f32,
    pub(crate) is_exact: bool,
}

/// Microseconds to read and index one item on a machine under load.
const MICROS_EACH: u128 = 20;

/// How many items fit into half of the remaining time.
pub(super) fn affordable(deadline: Option<Instant>) -> usize {
    let Some(deadline) = deadline else {
        return usize::MAX;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    usize::try_from(left.as_micros() / 2 / MICROS_EACH).unwrap_or(usize::MAX)
}
