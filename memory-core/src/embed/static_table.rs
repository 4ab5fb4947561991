//! The built-in static embedding table: word pieces and their vectors, with nothing to
//! download and nothing to build at start.
//!
//! The table was distilled from all-MiniLM-L6-v2 (see NOTICE) by
//! `scripts/make_static_table.py`, which documents the file's layout. The vocabulary is a
//! hash table used in place, so that a process that lives for milliseconds pays nothing for
//! it.

use std::cell::Cell;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use crate::embed::kernels;

/// Dimensions of every vector.
pub const DIMENSIONS: usize = 128;
/// Cells of the coarse quantiser over word vectors.
pub const CELLS: usize = 256;
/// Words with more pieces have no vector: they are hashes, keys and encoded data, whose
/// mean is noise.
pub const MAX_PIECES: usize = 12;

const TOKENS: usize = 30_522;
const SLOTS: usize = 65_536;
const UNKNOWN: u16 = 100;
/// BERT's word length limit; longer words are unknown.
const MAX_WORD_CHARS: usize = 100;
const MAX_PIECE_BYTES: usize = 64;
const CONTINUATION: u32 = 0x9E37_79B9;
const ROW: usize = DIMENSIONS / 2;

static FILE: &[u8] = include_bytes!("../../data/static_table.bin");

const CODES: usize = 64;
const SCALES: usize = CODES + TOKENS * ROW;
const NORMS: usize = SCALES + TOKENS * 4;
const TOKEN_CELLS: usize = NORMS + TOKENS * 4;
const CENTROIDS: usize = TOKEN_CELLS + TOKENS;
const CENTROID_SCALES: usize = CENTROIDS + CELLS * DIMENSIONS;
const SLOT_TABLE: usize = CENTROID_SCALES + CELLS * 4;
const OFFSETS: usize = SLOT_TABLE + SLOTS * 2;
const POOL: usize = OFFSETS + (TOKENS + 1) * 4;

// The file is compiled in, so a wrong one must not compile.
const _: () = assert!(FILE.len() > POOL, "the static table is too short");
const _: () = assert!(
    FILE[0] == b'R' && FILE[8] == 1 && read_u32_const(12) == TOKENS as u32,
    "the static table has another version"
);

const fn read_u32_const(at: usize) -> u32 {
    u32::from_le_bytes([FILE[at], FILE[at + 1], FILE[at + 2], FILE[at + 3]])
}

#[inline]
fn u32_at(at: usize) -> u32 {
    u32::from_le_bytes([FILE[at], FILE[at + 1], FILE[at + 2], FILE[at + 3]])
}

#[inline]
fn f32_at(at: usize) -> f32 {
    f32::from_bits(u32_at(at))
}

/// Whether the embedded bytes are those that the script wrote (takes about 1 ms).
#[cfg(test)]
pub fn verify() -> bool {
    blake3::hash(&FILE[64..]).as_bytes()[..] == FILE[32..64]
}

/// The 64 bytes of packed codes of a piece: low nibble = even dimension,
/// value = code − 8. Unknown ids give the row of the unknown piece.
#[inline]
pub fn row(piece: u16) -> &'static [u8; ROW] {
    let piece = if (piece as usize) < TOKENS {
        piece
    } else {
        UNKNOWN
    };
    let at = CODES + piece as usize * ROW;
    FILE[at..at + ROW]
        .try_into()
        .expect("the slice has the row's length")
}

/// The factor of a piece's codes.
#[inline]
pub fn scale(piece: u16) -> f32 {
    let piece = if (piece as usize) < TOKENS {
        piece
    } else {
        UNKNOWN
    };
    f32_at(SCALES + piece as usize * 4)
}

/// The norm of a piece's decoded row.
#[inline]
pub fn norm(piece: u16) -> f32 {
    let piece = if (piece as usize) < TOKENS {
        piece
    } else {
        UNKNOWN
    };
    f32_at(NORMS + piece as usize * 4)
}

/// The mean of the pieces' rows, not normalised; zero without pieces.
pub fn mean(pieces: &[u16]) -> [f32; DIMENSIONS] {
    // Even dimensions first, then odd ones, to match the nibble order of a row.
    let mut split = [0.0; DIMENSIONS];
    for &piece in pieces {
        kernels::add_row(&mut split, row(piece), scale(piece));
    }
    if pieces.len() > 1 {
        let factor = 1.0 / pieces.len() as f32;
        split.iter_mut().for_each(|x| *x *= factor);
    }
    let mut mean = [0.0; DIMENSIONS];
    let (even, odd) = split.split_at(ROW);
    for (pair, (even, odd)) in mean
        .as_chunks_mut::<2>()
        .0
        .iter_mut()
        .zip(even.iter().zip(odd))
    {
        *pair = [*even, *odd];
    }
    mean
}

/// The mean of a text's pieces, not normalised; `None` if it has none.
pub fn text_vector(text: &str) -> Option<[f32; DIMENSIONS]> {
    let mut found = Vec::new();
    pieces(text, &mut found);
    (!found.is_empty()).then(|| mean(&found))
}

/// The norm of the mean of the pieces' rows, as fixed point: see [`decode_norm`].
///
/// Stored with a word's pieces, so that a cosine needs only the dot products of the pieces.
pub fn encoded_norm(pieces: &[u16]) -> u16 {
    let norm = match pieces {
        [] => 0.0,
        [one] => norm(*one),
        many => {
            let mean = mean(many);
            mean.iter().map(|x| x * x).sum::<f32>().sqrt()
        }
    };
    ((norm / MAX_NORM * 65535.0).round()).clamp(1.0, 65535.0) as u16
}

/// The longest row has the norm 9.82.
const MAX_NORM: f32 = 10.0;

/// Decodes the norm stored by [`encoded_norm`].
#[inline]
pub fn decode_norm(norm: u16) -> f32 {
    norm.max(1) as f32 * (MAX_NORM / 65535.0)
}

/// The unit vector of a word: the normalised mean of its pieces. `None` if the table does
/// not know it.
#[cfg(test)]
pub fn word_vector(word: &str) -> Option<[f32; DIMENSIONS]> {
    let mut pieces = Vec::new();
    if !word_pieces(word, &mut pieces) {
        return None;
    }
    let mut vector = mean(&pieces);
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if norm <= f32::EPSILON {
        return None;
    }
    vector.iter_mut().for_each(|x| *x /= norm);
    Some(vector)
}

/// Writes the pieces by which a word is compared with others to `out`; false (and `out`
/// empty) if it has no meaningful vector: not in Latin script, unknown characters, or more
/// than [`MAX_PIECES`] pieces.
pub fn word_pieces(word: &str, out: &mut Vec<u16>) -> bool {
    out.clear();
    // The vocabulary knows other scripts only letter by letter, and the mean of letters
    // would match everything.
    if !word.is_ascii() && !word.chars().all(|c| c < '\u{250}' || is_mark(c)) {
        return false;
    }
    pieces(word, out);
    if out.is_empty() || out.len() > MAX_PIECES || out.contains(&UNKNOWN) {
        out.clear();
        return false;
    }
    true
}

/// The digits of a word, in order, from its pieces.
pub fn digits(pieces: impl Iterator<Item = u16>) -> impl Iterator<Item = u8> {
    let texts = pieces.map(text_of);
    texts.flatten().copied().filter(u8::is_ascii_digit)
}

/// The text of a piece, without the continuation mark.
fn text_of(piece: u16) -> &'static [u8] {
    let piece = usize::from(piece).min(TOKENS - 1);
    let place = |id: usize| (u32_at(OFFSETS + id * 4) & 0x7FFF_FFFF) as usize;
    FILE.get(POOL + place(piece)..POOL + place(piece + 1))
        .unwrap_or_default()
}

/// The WordPiece ids of a text, appended to `out`, as BERT's uncased tokenizer
/// gives them without special tokens.
pub fn pieces(text: &str, out: &mut Vec<u16>) {
    if text.is_ascii() {
        let mut word = [0u8; MAX_WORD_CHARS];
        let mut length = 0;
        for &byte in text.as_bytes() {
            if byte.is_ascii_alphanumeric() {
                if length < MAX_WORD_CHARS {
                    word[length] = byte.to_ascii_lowercase();
                }
                length += 1;
                continue;
            }
            flush_ascii(&word, &mut length, out);
            if byte.is_ascii_punctuation() {
                word_piece(&[byte], out);
            }
        }
        flush_ascii(&word, &mut length, out);
        return;
    }
    let mut cleaned = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c == '\0' || c == '\u{fffd}' || is_control(c) {
            continue;
        }
        if c.is_whitespace() {
            cleaned.push(' ');
        } else if is_chinese(c) {
            cleaned.extend([' ', c, ' ']);
        } else {
            cleaned.push(c);
        }
    }
    let normal: String = cleaned
        .nfd()
        .filter(|&c| !is_accent(c))
        .flat_map(char::to_lowercase)
        .collect();
    let mut start = 0;
    for (at, c) in normal.char_indices() {
        let white = c.is_whitespace();
        if white || is_punctuation(c) {
            flush(&normal[start..at], out);
            start = at + c.len_utf8();
            if !white {
                word_piece(&normal.as_bytes()[at..start], out);
            }
        }
    }
    flush(&normal[start..], out);
}

fn flush_ascii(word: &[u8; MAX_WORD_CHARS], length: &mut usize, out: &mut Vec<u16>) {
    match *length {
        0 => {}
        n if n <= MAX_WORD_CHARS => word_piece(&word[..n], out),
        _ => out.push(UNKNOWN),
    }
    *length = 0;
}

fn flush(word: &str, out: &mut Vec<u16>) {
    if word.is_empty() {
    } else if word.chars().count() > MAX_WORD_CHARS {
        out.push(UNKNOWN);
    } else {
        word_piece(word.as_bytes(), out);
    }
}

/// Greedy longest match; a single unknown piece if any part is not in the vocabulary.
fn word_piece(word: &[u8], out: &mut Vec<u16>) {
    let begin = out.len();
    let mut start = 0;
    while start < word.len() {
        let continuation = start > 0;
        let rest = &word[start..];
        let longest = rest.len().min(MAX_PIECE_BYTES);
        let mut hashes = [0u32; MAX_PIECE_BYTES];
        let mut hash = 0x811C_9DC5 ^ if continuation { CONTINUATION } else { 0 };
        for (slot, &byte) in hashes.iter_mut().zip(&rest[..longest]) {
            hash = (hash ^ byte as u32).wrapping_mul(0x0100_0193);
            *slot = hash;
        }
        let found = (1..=longest)
            .rev()
            .find_map(|n| find_piece(&rest[..n], hashes[n - 1], continuation).map(|id| (id, n)));
        let Some((id, length)) = found else {
            out.truncate(begin);
            out.push(UNKNOWN);
            return;
        };
        out.push(id);
        start += length;
    }
}

/// The pieces that can start a word, with their ids, in id order: from id 1996 on, the most
/// frequent words come first.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn beginnings() -> impl Iterator<Item = (usize, &'static str)> {
    (0..TOKENS).filter_map(|id| {
        let (start, end) = (
            u32_at(OFFSETS + id * 4),
            u32_at(OFFSETS + id * 4 + 4) & 0x7FFF_FFFF,
        );
        let is_continuation = start >> 31 == 1;
        let bytes = FILE
            .get(POOL + start as usize..POOL + end as usize)
            .filter(|_| !is_continuation)?;
        Some((id, std::str::from_utf8(bytes).ok()?))
    })
}

#[inline]
fn find_piece(bytes: &[u8], hash: u32, continuation: bool) -> Option<u16> {
    let mut slot = hash as usize % SLOTS;
    loop {
        let at = SLOT_TABLE + slot * 2;
        let id = u16::from_le_bytes([FILE[at], FILE[at + 1]]).checked_sub(1)?;
        let offsets = OFFSETS + id as usize * 4;
        let (start, end) = (u32_at(offsets), u32_at(offsets + 4) & 0x7FFF_FFFF);
        let is_continuation = start >> 31 == 1;
        let start = start & 0x7FFF_FFFF;
        if is_continuation == continuation
            && &FILE[POOL + start as usize..POOL + end as usize] == bytes
        {
            return Some(id);
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// The cell of a word: the centroid nearest to the mean of its pieces. `None` without
/// pieces.
pub fn cell(pieces: &[u16]) -> Option<u8> {
    match pieces {
        [] => None,
        [one] if (*one as usize) < TOKENS => Some(FILE[TOKEN_CELLS + *one as usize]),
        many => {
            let dots = centroid_dots(&quantise(&mean(many)).0);
            // Maximum of each of 8 columns first, so that vector units can be used.
            let mut best = [f32::NEG_INFINITY; 8];
            for row in dots.as_chunks::<8>().0 {
                for (best, &dot) in best.iter_mut().zip(row) {
                    *best = if dot > *best { dot } else { *best };
                }
            }
            let best = best.into_iter().fold(f32::NEG_INFINITY, f32::max);
            let nearest = dots.iter().position(|&dot| dot == best);
            Some(nearest.unwrap_or(0) as u8)
        }
    }
}

/// All cells, nearest to the vector first.
pub fn nearest_cells(vector: &[i8; DIMENSIONS]) -> [u8; CELLS] {
    let mut near: Vec<(f32, u8)> = centroid_dots(vector).into_iter().zip(0..=255).collect();
    near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut cells = [0; CELLS];
    for (cell, (_, c)) in cells.iter_mut().zip(near) {
        *cell = c;
    }
    cells
}

/// The similarity of each cell's centroid to a vector.
fn centroid_dots(vector: &[i8; DIMENSIONS]) -> [f32; CELLS] {
    let rows = FILE[CENTROIDS..CENTROID_SCALES].as_chunks::<DIMENSIONS>().0;
    let mut dots = [0; CELLS];
    kernels::dot_codes(vector, rows, |cell, dot| dots[cell] = dot);
    let scales = FILE[CENTROID_SCALES..SLOT_TABLE].as_chunks::<4>().0;
    let mut near = [0.0; CELLS];
    for ((near, &dot), scale) in near.iter_mut().zip(&dots).zip(scales) {
        *near = dot as f32 * f32::from_le_bytes(*scale);
    }
    near
}

/// A vector as 8-bit codes and the factor that restores it.
pub fn quantise(vector: &[f32; DIMENSIONS]) -> ([i8; DIMENSIONS], f32) {
    let top = vector.iter().fold(0.0f32, |m, x| m.max(x.abs()));
    if top <= f32::MIN_POSITIVE {
        return ([0; DIMENSIONS], 0.0);
    }
    let factor = 127.0 / top;
    let mut codes = [0i8; DIMENSIONS];
    for (code, x) in codes.iter_mut().zip(vector) {
        // Rounds half away from zero like `round`, without a call per value: the summand is
        // the largest number below one half.
        let x = x * factor;
        *code = (x + 0.499_999_97f32.copysign(x)) as i8;
    }
    (codes, top / 127.0)
}

/// One word, prepared for comparing it with many: its quantised unit vector, and cached dot
/// products with pieces.
pub struct WordProbe {
    codes: kernels::Split,
    plain: [i8; DIMENSIONS],
    factor: f32,
    /// The products with pieces seen so far; NaN for the others. Empty until
    /// [`WordProbe::remember_pieces`].
    memo: Vec<Cell<f32>>,
}

impl WordProbe {
    /// The probe of a word with these pieces; `None` if it has no vector.
    pub fn new(pieces: &[u16]) -> Option<Self> {
        if pieces.is_empty() {
            return None;
        }
        let mut vector = mean(pieces);
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if norm <= f32::EPSILON {
            return None;
        }
        vector.iter_mut().for_each(|x| *x /= norm);
        let (plain, factor) = quantise(&vector);
        Some(WordProbe {
            codes: kernels::Split::new(&plain),
            plain,
            factor,
            memo: Vec::new(),
        })
    }

    /// Caches the product with each piece from now on; worthwhile before comparing with
    /// more than a few thousand words.
    pub fn remember_pieces(&mut self) {
        self.memo = vec![Cell::new(f32::NAN); TOKENS];
    }

    /// The quantised unit vector.
    pub fn codes(&self) -> &[i8; DIMENSIONS] {
        &self.plain
    }

    /// Dot product of the word's unit vector with a piece's row.
    #[inline]
    fn dot(&self, piece: u16) -> f32 {
        let piece = if (piece as usize) < TOKENS {
            piece
        } else {
            UNKNOWN
        };
        let product = || self.codes.dot(row(piece)) as f32 * (self.factor * scale(piece));
        match self.memo.get(piece as usize) {
            Some(known) if known.get().is_nan() => {
                known.set(product());
                known.get()
            }
            Some(known) => known.get(),
            None => product(),
        }
    }

    /// Cosine to a word of one piece.
    #[inline]
    pub fn cosine_of_piece(&self, piece: u16) -> f32 {
        self.dot(piece) / norm(piece)
    }

    /// Cosine to a word of several pieces, given the encoded norm of their mean.
    #[inline]
    pub fn cosine(&self, pieces: impl ExactSizeIterator<Item = u16>, norm: u16) -> f32 {
        let count = pieces.len().max(1) as f32;
        let sum: f32 = pieces.map(|piece| self.dot(piece)).sum();
        sum / (count * decode_norm(norm))
    }
}

fn is_control(c: char) -> bool {
    if matches!(c, '\t' | '\n' | '\r') {
        return false;
    }
    matches!(
        get_general_category(c),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::PrivateUse
            | GeneralCategory::Surrogate
            | GeneralCategory::Unassigned
    )
}

fn is_accent(c: char) -> bool {
    c >= '\u{300}' && get_general_category(c) == GeneralCategory::NonspacingMark
}

fn is_mark(c: char) -> bool {
    ('\u{300}'..'\u{370}').contains(&c)
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || (!c.is_ascii()
            && matches!(
                get_general_category(c),
                GeneralCategory::ConnectorPunctuation
                    | GeneralCategory::DashPunctuation
                    | GeneralCategory::OpenPunctuation
                    | GeneralCategory::ClosePunctuation
                    | GeneralCategory::InitialPunctuation
                    | GeneralCategory::FinalPunctuation
                    | GeneralCategory::OtherPunctuation
            ))
}

fn is_chinese(c: char) -> bool {
    matches!(c as u32,
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cell_of_several_pieces_is_the_nearest_one() {
        for n in 0..2000u16 {
            let pieces = [2000 + n * 7, 3000 + n * 13, 1000 + n];
            let pieces = &pieces[..2 + usize::from(n % 2)];
            let codes = quantise(&mean(pieces)).0;
            let rows = FILE[CENTROIDS..CENTROID_SCALES].as_chunks::<DIMENSIONS>().0;
            let near = rows.iter().zip(0..).map(|(row, cell)| {
                let dot = |(&a, &b): (&i8, &u8)| i32::from(a) * i32::from(b as i8);
                let dot: i32 = codes.iter().zip(row).map(dot).sum();
                dot as f32 * f32_at(CENTROID_SCALES + cell * 4)
            });
            let near: Vec<f32> = near.collect();
            let best = near.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let first = near.iter().position(|&dot| dot == best).unwrap();
            assert_eq!(cell(pieces), Some(first as u8));
            assert_eq!(nearest_cells(&codes)[0], first as u8);
        }
    }

    #[test]
    fn the_embedded_file_is_the_one_that_was_written() {
        assert!(verify());
        assert_eq!(&FILE[..8], b"RCSTATIC");
        let pool = u32_at(28) as usize;
        assert_eq!(FILE.len(), POOL + pool);
    }

    #[test]
    fn word_pieces_agree_with_the_reference_tokenizer() {
        let fixture = include_str!("../../tests/fixtures/wordpieces.json");
        let cases: Vec<serde_json::Value> = serde_json::from_str(fixture).unwrap();
        assert!(cases.len() > 100);
        for case in cases {
            let text = case["text"].as_str().unwrap();
            let expected: Vec<u16> = case["pieces"]
                .as_array()
                .unwrap()
                .iter()
                .map(|id| id.as_u64().unwrap() as u16)
                .collect();
            let mut got = Vec::new();
            pieces(text, &mut got);
            assert_eq!(got, expected, "pieces of {text:?}");
        }
    }

    #[test]
    fn related_words_are_nearer_than_unrelated_ones() {
        let near = |a: &str, b: &str| -> f32 {
            let (a, b) = (word_vector(a).unwrap(), word_vector(b).unwrap());
            a.iter().zip(&b).map(|(x, y)| x * y).sum()
        };
        assert!((near("dog", "dog") - 1.0).abs() < 1e-5);
        assert!(near("dog", "puppy") > near("dog", "parliament") + 0.2);
        assert!(near("database", "sql") > near("database", "mountain"));
    }

    #[test]
    fn a_probe_gives_the_cosine_of_the_vectors() {
        let words = ["kubernetes", "dog", "tokenization", "recallite", "x86_64"];
        for a in words {
            let mut pieces_a = Vec::new();
            assert!(word_pieces(a, &mut pieces_a));
            let probe = WordProbe::new(&pieces_a).unwrap();
            let va = word_vector(a).unwrap();
            for b in words {
                let mut pieces_b = Vec::new();
                word_pieces(b, &mut pieces_b);
                let vb = word_vector(b).unwrap();
                let exact: f32 = va.iter().zip(&vb).map(|(x, y)| x * y).sum();
                let got = probe.cosine(pieces_b.iter().copied(), encoded_norm(&pieces_b));
                assert!((exact - got).abs() < 0.01, "{a} {b} {exact} {got}");
            }
        }
    }

    #[test]
    fn words_of_other_scripts_have_no_vector() {
        for word in ["привет", "안녕", "東京", "नमस्ते", "😀", "", "שלום"]
        {
            assert!(word_vector(word).is_none(), "{word}");
        }
        assert!(word_vector("café").is_some());
        assert!(word_vector(&"ab9f0c".repeat(9)).is_none());
    }

    #[test]
    fn nearby_cells_hold_the_nearest_words() {
        // Whole words of the vocabulary; every 97th serves as a query.
        let words: Vec<u16> = (0..TOKENS as u16)
            .filter(|&id| {
                let at = OFFSETS + id as usize * 4;
                let (start, end) = (u32_at(at), u32_at(at + 4) & 0x7FFF_FFFF);
                start >> 31 == 0
                    && FILE[POOL + start as usize..POOL + end as usize]
                        .iter()
                        .all(u8::is_ascii_lowercase)
            })
            .collect();
        // Weighted by their contribution, cos², so that the nearest count most.
        let (mut found, mut wanted) = (0.0, 0.0);
        for &query in words.iter().step_by(97) {
            let probe = WordProbe::new(&[query]).unwrap();
            let mut near: Vec<(f32, u16)> = words
                .iter()
                .map(|&id| (probe.cosine_of_piece(id), id))
                .filter(|(cosine, id)| *cosine >= 0.2 && *id != query)
                .collect();
            near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            near.truncate(crate::index::lexical::expansion::MAX_EXPANSIONS - 1);
            let cells = nearest_cells(probe.codes());
            let probed = &cells[..crate::index::lexical::expansion::MIN_PROBED_CELLS];
            for (cosine, id) in near {
                let gain = cosine * cosine;
                wanted += gain;
                if probed.contains(&cell(&[id]).unwrap()) {
                    found += gain;
                }
            }
        }
        assert!(found >= 0.95 * wanted, "{found} of {wanted} gained");
    }
}
