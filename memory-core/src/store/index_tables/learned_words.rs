//! The words of entries and tasks as rows, so that those whose texts contain a piece of text are
//! found without reading the others.
//!
//! A word leads to the documents that contain it, and every three bytes of a word lead to the word.
//! Words of a document are written when it is indexed and removed when it goes; until then, the
//! item is among the changes (`learned.rs`).

use crate::model::error::Result;
use crate::store::index_tables::learned::{LearnedGroup, number_key};
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// A document that contains a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WordDocument {
    pub(crate) number: u64,
    /// When the item was created, as in the index.
    pub(crate) at: i64,
}

/// The distinct trigrams of a word, in bytes.
pub(crate) fn trigrams(word: &str) -> Vec<[u8; 3]> {
    let parts = word.as_bytes().windows(3);
    let mut parts: Vec<[u8; 3]> = parts.map(|part| [part[0], part[1], part[2]]).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn word_key(word: &str) -> Vec<u8> {
    [word.as_bytes(), &[0]].concat()
}

/// Visits the documents of a group that contain a word, or a word that begins with it, until
/// `visit` returns false.
pub(crate) fn documents_with(
    rows: &dyn Rows,
    group: LearnedGroup,
    (word, is_whole): (&str, bool),
    visit: &mut dyn FnMut(WordDocument) -> bool,
) -> Result<()> {
    let prefix = match is_whole {
        true => word_key(word),
        false => word.as_bytes().to_vec(),
    };
    rows.scan(RowKind::LearnedWord, &prefix, None, &mut |key, row| {
        let document = || {
            let (key, number) = key.split_last_chunk()?;
            let at = i64::from_le_bytes(row.try_into().ok()?);
            let number = u64::from_be_bytes(*number);
            (key.last() == Some(&(group as u8))).then_some(WordDocument { number, at })
        };
        Ok(document().is_none_or(&mut *visit))
    })
}

/// Visits the words that contain three bytes, until `visit` returns false.
pub(crate) fn words_with(
    rows: &dyn Rows,
    trigram: [u8; 3],
    visit: &mut dyn FnMut(&str) -> bool,
) -> Result<()> {
    rows.scan(RowKind::LearnedPiece, &trigram, None, &mut |key, _| {
        let word = std::str::from_utf8(&key[3..]);
        Ok(word.map_or(true, &mut *visit))
    })
}

impl ProjectedMut<'_> {
    /// Stores the distinct words of a document. Words contain no NUL.
    pub(crate) fn put_words(
        &mut self,
        group: LearnedGroup,
        document: WordDocument,
        words: &[&str],
    ) -> Result<()> {
        for word in words {
            let mut key = word_key(word);
            if !self.has_word(&key)? {
                for trigram in trigrams(word) {
                    self.put(RowKind::LearnedPiece, &piece_key(trigram, word), &[])?;
                }
            }
            key.extend_from_slice(&number_key(group, document.number));
            self.put(RowKind::LearnedWord, &key, &document.at.to_le_bytes())?;
        }
        let key = number_key(group, document.number);
        self.put(RowKind::LearnedWords, &key, words.join("\0").as_bytes())
    }

    /// Removes the words of a document, if it has any.
    pub(in crate::store) fn remove_words(
        &mut self,
        group: LearnedGroup,
        number: u64,
    ) -> Result<()> {
        let key = number_key(group, number);
        let Some(words) = self.get(RowKind::LearnedWords, &key)? else {
            return Ok(());
        };
        self.remove(RowKind::LearnedWords, &key)?;
        for word in String::from_utf8_lossy(&words).split('\0') {
            let word_key = word_key(word);
            self.remove(RowKind::LearnedWord, &[&*word_key, &key].concat())?;
            if !self.has_word(&word_key)? {
                for trigram in trigrams(word) {
                    self.remove(RowKind::LearnedPiece, &piece_key(trigram, word))?;
                }
            }
        }
        Ok(())
    }

    fn has_word(&self, word_key: &[u8]) -> Result<bool> {
        let mut has_any = false;
        self.scan(RowKind::LearnedWord, word_key, None, &mut |_, _| {
            has_any = true;
            Ok(false)
        })?;
        Ok(has_any)
    }
}

fn piece_key(trigram: [u8; 3], word: &str) -> Vec<u8> {
    [&trigram, word.as_bytes()].concat()
}
