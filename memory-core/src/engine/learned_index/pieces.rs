//! Finds the learned items whose texts may contain a piece of text, ignoring letter case, by the
//! words in the store.

use std::cmp::Reverse;

use crate::model::error::Result;
use crate::projection::learned as texts;
use crate::store::index_tables::learned::{self, LearnedGroup};
use crate::store::index_tables::learned_words::{
    WordDocument, documents_with, trigrams, words_with,
};
use crate::store::projected_rows::projected::{RowKind, Rows};

/// Longer words are stored as windows of this many bytes, each overlapping the next one.
const MAX_WORD_BYTES: usize = 96;
const OVERLAP: usize = 48;
/// Of a longer part of a text, so many bytes are looked up; a window contains them.
const MAX_LOOKED_UP: usize = 32;
/// How many results are listed at first to find the rarest of several, and how many times as many
/// after that.
const FIRST_LISTED: usize = 64;
const LISTED_FACTOR: usize = 4;

/// The distinct words of a text as they are stored, in order.
pub(super) fn stored_words(lower: &str) -> Vec<&str> {
    let mut words: Vec<&str> = words_of(lower).flat_map(windows).collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// A word, or its windows if it is long.
fn windows(word: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let end = word.floor_char_boundary(start + MAX_WORD_BYTES);
        next = (end < word.len()).then(|| word.floor_char_boundary(end - OVERLAP));
        Some(&word[start..end])
    })
}

/// How a part of a text is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'t> {
    /// The item contains this word.
    Word(&'t str),
    /// The item contains a word that begins like this.
    Start(&'t str),
    /// The item contains a word with this in it, of at least three bytes.
    Piece(&'t str),
}

/// What to look up of a lower-case text; nothing if its words say too little.
fn parts_of(text: &str) -> Vec<Part<'_>> {
    let part = |word| {
        let start = str::as_ptr(word).addr() - text.as_ptr().addr();
        let (is_first, is_last) = (start == 0, start + word.len() == text.len());
        let piece = &word[..word.floor_char_boundary(MAX_LOOKED_UP)];
        match (is_first, is_last) {
            (false, false) if word.len() <= MAX_WORD_BYTES => Some(Part::Word(word)),
            (false, true) => Some(Part::Start(piece)),
            _ => (piece.len() >= 3).then_some(Part::Piece(piece)),
        }
    };
    words_of(text).filter_map(part).collect()
}

/// The shortest of several lists. Each lists at most so many, or returns `None`.
fn shortest<T>(
    count: usize,
    list: &mut dyn FnMut(usize, usize) -> Result<Option<Vec<T>>>,
) -> Result<Vec<T>> {
    let mut most = FIRST_LISTED;
    loop {
        for at in 0..count {
            if let Some(found) = list(at, most)? {
                return Ok(found);
            }
        }
        most = most.saturating_mul(LISTED_FACTOR);
    }
}

/// The documents that may contain a part, at most so many; `None` if there are more.
fn documents(
    rows: &dyn Rows,
    group: LearnedGroup,
    part: Part<'_>,
    most: usize,
) -> Result<Option<Vec<WordDocument>>> {
    let mut found = Vec::new();
    let mut add = |word: (&str, bool)| {
        documents_with(rows, group, word, &mut |document| {
            found.push(document);
            found.len() <= most
        })
    };
    match part {
        Part::Word(word) => add((word, true))?,
        Part::Start(word) => add((word, false))?,
        Part::Piece(piece) => {
            let parts = trigrams(piece);
            let words = shortest(parts.len(), &mut |at, most| {
                let mut words = Vec::new();
                words_with(rows, parts[at], &mut |word| {
                    words.push(word.to_owned());
                    words.len() <= most
                })?;
                Ok((words.len() <= most).then_some(words))
            })?;
            for word in words.iter().filter(|word| word.contains(piece)) {
                add((word, true))?;
            }
        }
    }
    Ok((found.len() <= most).then_some(found))
}

/// The ids of the entries or tasks whose texts may contain a lower-case text, latest first, with no
/// false negatives. `None` if all must be read, because the text has too few letters or the index
/// is not whole.
pub(super) fn candidates(
    rows: &dyn Rows,
    row_kind: RowKind,
    lower: &str,
) -> Result<Option<Vec<String>>> {
    let parts = parts_of(lower);
    if parts.is_empty() || !learned::is_whole(rows)? {
        return Ok(None);
    }
    let group = LearnedGroup::of(row_kind);
    let documents = shortest(parts.len(), &mut |at, most| {
        documents(rows, group, parts[at], most)
    })?;
    let mut found = Vec::new();
    for document in documents {
        let row = learned::learned_of(rows, group, document.number)?;
        let row = row.filter(|row| row.row_kind == row_kind);
        found.extend(row.map(|row| (Reverse(document.at), row.id)));
    }
    for change in learned::changes(rows, group, usize::MAX)? {
        if change.row.row_kind == row_kind
            && let Some(text) = texts::text(rows, &change.row)?
        {
            found.push((Reverse(text.at), change.row.id));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(Some(found.into_iter().map(|(_, id)| id).collect()))
}
