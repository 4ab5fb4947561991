//! The words that an analyser knows: each with its stem, its word pieces and what the lists say of
//! it, so that a word is worked out once.

use crate::embed::static_table;
use crate::index::bytes::shared_prefix;
use crate::index::bytes::term_hash;
use crate::index::lexical::analyser::letters::Parts;
use crate::index::lexical::analyser::stop_words::{IS_TEMPORAL, LISTS};
use crate::index::lexical::id_table::IdTable;
use crate::index::lexical::layout::NO_CELL;
use crate::index::lexical::stemmer::{singular_abbreviation, stem_into};

/// A known word, in half a cache line.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// The first bytes of the surface. With the length, they identify a short word.
    key: u64,
    surface: u32,
    stem: u32,
    pieces: u32,
    surface_length: u8,
    pieces_length: u8,
    pub(super) norm: u16,
    /// The cell of the pieces' mean, or [`CELL_UNKNOWN`] until first needed.
    cell: u16,
    pub(super) flags: u8,
    vector: Vector,
}

/// The source of a word's vector. Words with the same letters may differ in it: `getName` and
/// `getname`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Vector {
    /// There is none.
    None,
    /// From its pieces.
    OfPieces,
    /// The table, if it contains the whole word (`YouTube`). Otherwise an identifier of several
    /// words has no vector: its parts have, and are in the same passage.
    OfOnePiece,
}

impl Vector {
    pub(super) fn of_identifier(word: &str) -> Self {
        let mut words = Parts { rest: word }.filter(|part| part.chars().any(char::is_alphabetic));
        match (words.next(), words.next()) {
            (Some(_), Some(_)) => Vector::OfOnePiece,
            _ => Vector::OfPieces,
        }
    }
}

/// Slots for frequent words: 128 KB.
const FREQUENT: usize = 4096;

/// The data that most occurrences of a frequent word need, in half a cache line. Together they are
/// small enough to stay in the cache, unlike the full tables.
#[derive(Clone, Copy)]
pub(super) struct Frequent {
    key: Key,
    pub(super) word: u32,
    pub(super) stem: u32,
    /// 0 for an empty slot.
    length: u8,
    pub(super) flags: u8,
    vector: Vector,
}

const NO_WORD: Frequent = Frequent {
    key: Key { first: 0, last: 0 },
    word: 0,
    stem: 0,
    length: 0,
    flags: 0,
    vector: Vector::None,
};

/// The first 8 bytes of a word and, if it is longer, its last 8, as numbers, padded with 0. With
/// the length, this identifies a word of up to 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    first: u64,
    last: u64,
}

impl Key {
    #[inline]
    pub(super) fn of(word: &[u8]) -> Key {
        Key::within(word, 0, word.len())
    }

    /// The key of a non-empty word within a text.
    #[inline]
    pub(super) fn within(text: &[u8], start: usize, end: usize) -> Key {
        let length = end - start;
        let first = match text[start..].first_chunk::<8>() {
            // Avoids an unpredictable branch on the length.
            Some(bytes) => u64::from_le_bytes(*bytes) & u64::MAX >> (64 - 8 * length.clamp(1, 8)),
            None => text[start..end]
                .iter()
                .rev()
                .fold(0, |key, &byte| key << 8 | u64::from(byte)),
        };
        let last = text[..end]
            .last_chunk::<8>()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let last = if length > 8 { last } else { 0 };
        Key { first, last }
    }

    /// The hash of a word in the table of known words; never stored.
    #[inline]
    fn hash(self, word: &[u8]) -> u32 {
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        let both = self.first ^ self.last.rotate_left(29) ^ word.len() as u64;
        let mut mixed = both.wrapping_mul(FACTOR);
        mixed ^= mixed >> 32;
        if word.len() > 16 {
            mixed ^= u64::from(term_hash(word));
        }
        (mixed.wrapping_mul(FACTOR) >> 32) as u32
    }
}

/// Not a valid cell number.
const CELL_UNKNOWN: u16 = u16::MAX;

/// A known stem.
#[derive(Clone, Copy)]
struct Stem {
    text: (u32, u8),
    hash: u32,
}

/// The known words and stems, by numbers that hold until [`Vocabulary::clear`].
pub(super) struct Vocabulary {
    most_bytes: usize,
    /// The letters of words and stems.
    arena: Vec<u8>,
    pieces: Vec<u16>,
    words: Vec<Word>,
    word_ids: IdTable,
    /// Per hash slot, the word that used it last.
    frequent: Vec<Frequent>,
    stems: Vec<Stem>,
    stem_ids: IdTable,
    scratch: Vec<u16>,
    /// A scratch buffer for the stem.
    stem: Vec<u8>,
}

impl Vocabulary {
    /// The words of the lists, with room for more until their letters take `most_bytes`.
    pub(super) fn new(most_bytes: usize) -> Self {
        let mut vocabulary = Vocabulary {
            most_bytes,
            arena: Vec::new(),
            pieces: Vec::new(),
            words: Vec::new(),
            word_ids: IdTable::new(),
            frequent: vec![NO_WORD; FREQUENT],
            stems: Vec::new(),
            stem_ids: IdTable::new(),
            scratch: Vec::new(),
            stem: Vec::new(),
        };
        vocabulary.clear();
        vocabulary
    }

    /// Forgets all words but those of the lists.
    pub(super) fn clear(&mut self) {
        self.arena.clear();
        self.pieces.clear();
        self.words.clear();
        self.stems.clear();
        self.word_ids = IdTable::new();
        self.frequent.fill(NO_WORD);
        self.stem_ids = IdTable::new();
        for (list, flag) in LISTS {
            for word in list.split_whitespace() {
                let vector = match word.is_ascii() {
                    true => Vector::OfPieces,
                    false => Vector::None,
                };
                let word = self.word(word.as_bytes(), Key::of(word.as_bytes()), vector);
                self.words[word.word as usize].flags |= flag;
            }
        }
        // The entries cached so far lack the flags.
        self.frequent.fill(NO_WORD);
    }

    /// What is known of a word.
    pub(super) fn known(&self, word: u32) -> &Word {
        &self.words[word as usize]
    }

    /// The word with these letters and this source of a vector.
    #[inline]
    pub(super) fn word(&mut self, surface: &[u8], key: Key, vector: Vector) -> Frequent {
        let hash = key.hash(surface);
        let frequent = &self.frequent[hash as usize % FREQUENT];
        if frequent.key == key
            && frequent.vector == vector
            && usize::from(frequent.length) == surface.len()
            && (surface.len() <= 16 || self.surface(frequent.word) == surface)
        {
            return *frequent;
        }
        self.rare_word(surface, key, hash, vector)
    }

    fn rare_word(&mut self, surface: &[u8], key: Key, hash: u32, vector: Vector) -> Frequent {
        let is_it = |word: &Word| {
            word.key == key.first
                && word.vector == vector
                && usize::from(word.surface_length) == surface.len()
                && (surface.len() <= 8 || self.text(word.surface())[8..] == surface[8..])
        };
        let known = self
            .word_ids
            .find(hash, |id| is_it(&self.words[id as usize]));
        let id = known.unwrap_or_else(|| self.intern(surface, key, hash, vector));
        let word = &self.words[id as usize];
        let found = Frequent {
            key,
            word: id,
            stem: word.stem,
            length: word.surface_length,
            flags: word.flags,
            vector,
        };
        self.frequent[hash as usize % FREQUENT] = found;
        found
    }

    #[cold]
    fn intern(&mut self, surface: &[u8], key: Key, hash: u32, vector: Vector) -> u32 {
        let place = self.keep(surface);
        let text = std::str::from_utf8(surface).expect("words are cut at character borders");
        let mut made = std::mem::take(&mut self.stem);
        if surface.is_ascii() {
            stem_into(singular_abbreviation(surface).unwrap_or(surface), &mut made);
        } else {
            made.clear();
            made.extend_from_slice(surface);
        }
        // The forward entry has 4 bits each for the bytes that the stem drops and adds.
        let shared = shared_prefix(&made, surface);
        let fits = surface.len() - shared < 16 && made.len() - shared < 16 && !made.is_empty();
        let stem = if fits { &made[..] } else { surface };
        let stem_hash = term_hash(stem);
        let known = self.stem_ids.find(stem_hash, |id| {
            let known = &self.stems[id as usize];
            known.hash == stem_hash && self.text(known.text) == stem
        });
        let stem = known.unwrap_or_else(|| {
            let text = if stem == surface {
                place
            } else {
                self.keep(stem)
            };
            self.stems.push(Stem {
                text,
                hash: stem_hash,
            });
            let id = self.stems.len() as u32 - 1;
            self.stem_ids.insert(stem_hash, id);
            id
        });
        self.stem = made;
        let mut pieces = std::mem::take(&mut self.scratch);
        pieces.clear();
        if vector != Vector::None {
            static_table::word_pieces(text, &mut pieces);
        }
        if vector == Vector::OfOnePiece && pieces.len() > 1 {
            pieces.clear();
        }
        let is_year = surface.len() == 4
            && surface.starts_with(b"20")
            && surface.iter().all(u8::is_ascii_digit);
        self.words.push(Word {
            key: key.first,
            surface: place.0,
            stem,
            pieces: self.pieces.len() as u32,
            surface_length: place.1,
            pieces_length: pieces.len() as u8,
            norm: static_table::encoded_norm(&pieces),
            cell: CELL_UNKNOWN,
            flags: if is_year { IS_TEMPORAL } else { 0 },
            vector,
        });
        self.pieces.extend_from_slice(&pieces);
        self.scratch = pieces;
        let id = self.words.len() as u32 - 1;
        self.word_ids.insert(hash, id);
        id
    }

    fn keep(&mut self, text: &[u8]) -> (u32, u8) {
        let start = self.arena.len() as u32;
        self.arena.extend_from_slice(text);
        (start, text.len() as u8)
    }

    /// Whether it takes as much memory as it may.
    pub(super) fn is_full(&self) -> bool {
        self.arena.len() > self.most_bytes
    }

    /// The text of a stem, and its hash.
    pub(super) fn stem(&self, stem: u32) -> (&[u8], u32) {
        let stem = &self.stems[stem as usize];
        (self.text(stem.text), stem.hash)
    }

    /// The text of a word.
    pub(super) fn surface(&self, word: u32) -> &[u8] {
        self.text(self.words[word as usize].surface())
    }

    /// The word pieces of a word.
    pub(super) fn pieces(&self, word: u32) -> &[u16] {
        let word = &self.words[word as usize];
        &self.pieces[word.pieces as usize..][..usize::from(word.pieces_length)]
    }

    /// The cell of a word, [`NO_CELL`] if it has no vector.
    pub(super) fn cell(&mut self, word: u32) -> u16 {
        let known = self.words[word as usize].cell;
        if known != CELL_UNKNOWN {
            return known;
        }
        let cell = static_table::cell(self.pieces(word)).map_or(NO_CELL, u16::from);
        self.words[word as usize].cell = cell;
        cell
    }

    pub(super) fn text(&self, (start, length): (u32, u8)) -> &[u8] {
        &self.arena[start as usize..start as usize + length as usize]
    }
}

impl Word {
    fn surface(&self) -> (u32, u8) {
        (self.surface, self.surface_length)
    }
}
