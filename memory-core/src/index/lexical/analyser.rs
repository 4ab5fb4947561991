//! Splits text into words, and normalises them to the forms that are indexed.
//!
//! NFKC, lower case, Unicode words. English stop words are dropped, other English words are reduced
//! to their Snowball stem; identifiers are indexed whole and split; scripts without spaces are
//! indexed as pairs of letters, Hangul words whole and as pairs. These rules are part of the disk
//! format: see [`VERSION`].

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::embed::static_table;
use crate::index::bytes::term_hash;
use crate::index::lexical::ascii;
use crate::index::lexical::layout::NO_CELL;
use crate::index::lexical::stemmer::stem_into;
use crate::text::scripts::{is_hangul, is_unspaced};

/// Changes whenever the same text would result in other words.
pub const VERSION: u32 = 1;
/// Longer words are truncated to this many bytes.
pub const MAX_TERM_BYTES: usize = 64;
/// The maximum number of occurrences counted per word and passage.
pub const MAX_FREQUENCY: usize = 15;
/// The maximum number of distinct terms per passage (a passage has 150 words).
const MAX_PASSAGE_TERMS: usize = 4096;
/// The cache of known words is cleared when their text exceeds this many bytes. The cache takes six
/// times as much memory.
const CACHE_BYTES: usize = 4 << 20;

/// English function words, which are never searched for. A shorter list costs five points of recall
/// on LoCoMo.
const STOP: &str = "i me my myself we our ours ourselves you your yours yourself yourselves he him \
his himself she her hers herself it its itself they them their theirs themselves what which who whom \
this that these those am is are was were be been being have has had having do does did doing would \
should could ought a an the and but if or because as until while of at by for with about against \
between into through during before after above below to from up down in out on off over under again \
further then once here there when where why how all any both each few more most other some such no \
nor not only own same so than too very s t d m ll re ve don didn doesn isn wasn weren aren hasn haven \
hadn won wouldn shouldn couldn can cannot";

/// Words that only frame a question. They are indexed, but searched for only if nothing else is
/// left.
const QUESTION_STOP: &str = "did does doing one ones thing things something anything everything us \
get got getting go goes went gone let would could should may might must shall also even still just \
ever never yet already quite really actually exactly originally much many lot lots every else use \
used using make made say said tell told ask asked want wanted need know knew see saw look looked come \
came put take took give gave keep kept try tried turn turned two first last new old way kind sort \
like well";

/// The same for scripts that are indexed as pairs of letters: interrogatives and question endings
/// in Korean, Japanese and Chinese.
const QUESTION_STOP_PAIRS: &str = "뭐 뭐였 였지 뭐지 뭐야 뭐라 뭐가 뭘로 뭔지 무엇 엇이 엇을 엇인 무슨 어떤 어떻 떻게 \
언제 제였 제지 어디 디서 디에 디야 누가 누구 구였 구야 몇 얼마 마나 마였 했지 했더 됐지 됐더 었지 았지 더라 더라도 \
인가 인지 나요 까요 였나 했나 었나 는지 왜 뭐였지 누구였지 언제였지 어디였지 얼마였지 무엇이었지 어떻게 \
です すか でし した っけ たっ ます ませ せん すか どこ こで こに いつ なぜ どう うし どの どれ どん なに なん 何で \
何が 何を 何の 何時 誰が 誰の 誰に たか のか かな \
什么 甚么 么时 时候 怎么 么样 为什 哪里 哪儿 哪个 哪天 哪家 哪一 多少 几个 几点 几号 谁的 谁是 是谁 是什 了吗 吗 呢 \
什麼 甚麼 麼時 時候 怎麼 麼樣 為什 哪裡 哪裏 哪兒 哪個 幾個 幾點 幾號 誰是 是誰 了嗎 嗎";

/// Words that tell when something happened.
const TEMPORAL: &str = "yesterday today tonight tomorrow last next ago week weekend month year \
recently since monday tuesday wednesday thursday friday saturday sunday january february march april \
may june july august september october november december just summer winter spring fall day days \
weeks months years now soon earlier";

const IS_STOP: u8 = 1;
const IS_QUESTION_STOP: u8 = 2;
const IS_TEMPORAL: u8 = 4;

/// A known word, in half a cache line.
#[derive(Clone, Copy)]
struct Word {
    /// The first bytes of the surface. With the length, they identify a short word.
    key: u64,
    surface: u32,
    stem: u32,
    pieces: u32,
    surface_length: u8,
    pieces_length: u8,
    norm: u16,
    /// The cell of the pieces' mean, or [`CELL_UNKNOWN`] until first needed.
    cell: u16,
    flags: u8,
    vector: Vector,
}

/// The source of a word's vector. Words with the same letters may differ in it: `getName` and
/// `getname`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Vector {
    /// There is none.
    None,
    /// From its pieces.
    OfPieces,
    /// The table, if it contains the whole word (`YouTube`). Otherwise an identifier of several
    /// words has no vector: its parts have, and are in the same passage.
    OfOnePiece,
}

impl Vector {
    fn of_identifier(word: &str) -> Self {
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
struct Frequent {
    key: Key,
    word: u32,
    stem: u32,
    /// 0 for an empty slot.
    length: u8,
    flags: u8,
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
struct Key {
    first: u64,
    last: u64,
}

impl Key {
    #[inline]
    fn of(word: &[u8]) -> Key {
        Key::within(word, 0, word.len())
    }

    /// The key of a non-empty word within a text.
    #[inline]
    fn within(text: &[u8], start: usize, end: usize) -> Key {
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

/// Turns texts into terms, and caches the words it has seen. Use one per thread.
pub struct Analyser {
    cache_bytes: usize,
    arena: Vec<u8>,
    pieces: Vec<u16>,
    words: Vec<Word>,
    word_slots: Slots,
    /// Per hash slot, the word that used it last.
    frequent: Vec<Frequent>,
    stems: Vec<Stem>,
    /// Per stem, the passage (by the analyser's count) in which it was last seen, and its index
    /// among that passage's terms.
    seen: Vec<(u32, u32)>,
    stem_slots: Slots,
    passage: u32,
    terms: Vec<PassageTerm>,
    /// The number of kept words so far, and the next position. They differ after a gap of two or
    /// more stop words.
    length: u32,
    positions: u32,
    skipped: u32,
    /// The position of the first word after the header.
    text_from: u32,
    flags: u8,
    scratch: Vec<u16>,
    /// A scratch buffer for the stem.
    stem: Vec<u8>,
}

struct PassageTerm {
    stem: u32,
    word: u32,
    frequency: u8,
    positions: [u8; MAX_FREQUENCY],
}

/// A distinct term of a passage.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// The form by which words are matched: the stem, or the word itself.
    pub stem: &'a [u8],
    /// The shortest, then bytewise smallest form that occurred.
    pub surface: &'a [u8],
    /// Hash of the stem.
    pub hash: u32,
    /// The word pieces of the surface; empty if it has no vector.
    pub pieces: &'a [u16],
    /// The length of the pieces' mean: see `static_table::encoded_norm`.
    pub norm: u16,
    /// The position of each occurrence (up to 255), at most [`MAX_FREQUENCY`] of them. Two words
    /// are adjacent, with at most one stop word between them, if their positions differ by one.
    pub positions: &'a [u8],
    /// Whether the word only frames questions.
    pub is_question_stop: bool,
    /// Whether it occurs in the text, not only in the header.
    pub is_in_text: bool,
}

impl Default for Analyser {
    fn default() -> Self {
        Analyser::new()
    }
}

impl Analyser {
    /// An analyser with an empty cache.
    pub fn new() -> Self {
        Analyser::with_cache(CACHE_BYTES)
    }

    /// An analyser that caches words of up to this many bytes in total.
    pub(crate) fn with_cache(cache_bytes: usize) -> Self {
        let mut analyser = Analyser {
            cache_bytes,
            stem: Vec::new(),
            arena: Vec::new(),
            pieces: Vec::new(),
            words: Vec::new(),
            word_slots: Slots::new(),
            frequent: vec![NO_WORD; FREQUENT],
            stems: Vec::new(),
            seen: Vec::new(),
            stem_slots: Slots::new(),
            passage: 0,
            terms: Vec::new(),
            length: 0,
            positions: 0,
            skipped: 0,
            text_from: 0,
            flags: 0,
            scratch: Vec::new(),
        };
        analyser.forget_words();
        analyser
    }

    fn forget_words(&mut self) {
        self.arena.clear();
        self.pieces.clear();
        self.words.clear();
        self.stems.clear();
        self.seen.clear();
        self.word_slots = Slots::new();
        self.frequent.fill(NO_WORD);
        self.stem_slots = Slots::new();
        for (list, flag) in [
            (STOP, IS_STOP),
            (QUESTION_STOP, IS_QUESTION_STOP),
            (QUESTION_STOP_PAIRS, IS_QUESTION_STOP),
            (TEMPORAL, IS_TEMPORAL),
        ] {
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

    /// Analyses one passage. `header` is indexed with it (a speaker, a date, a tool) but does not
    /// count as text for [`Analyser::has_temporal`].
    pub fn analyse(&mut self, header: &str, text: &str) {
        if self.is_full() {
            self.forget_words();
        }
        self.terms.clear();
        (self.length, self.positions, self.skipped) = (0, 0, 0);
        self.passage += 1;
        if !header.is_empty() {
            self.feed(header);
        }
        self.text_from = self.positions;
        self.flags = 0;
        self.feed(text);
    }

    /// The distinct terms of the passage, in order of first occurrence.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = Term<'_>> {
        self.terms.iter().map(|entry| {
            let word = &self.words[entry.word as usize];
            let last = entry.positions[entry.frequency as usize - 1];
            let stem = &self.stems[entry.stem as usize];
            Term {
                stem: self.text(stem.text),
                surface: self.text(word.surface()),
                hash: stem.hash,
                pieces: self.pieces(entry.word),
                norm: word.norm,
                positions: &entry.positions[..entry.frequency as usize],
                is_question_stop: word.flags & IS_QUESTION_STOP != 0,
                is_in_text: u32::from(last) >= self.text_from,
            }
        })
    }

    /// The distinct terms of the passage by the analyser's numbers: stem, word, positions. The
    /// numbers are valid until [`Analyser::is_full`].
    pub(crate) fn numbered(&self) -> impl ExactSizeIterator<Item = (u32, u32, &[u8])> {
        self.terms.iter().map(|entry| {
            let positions = &entry.positions[..entry.frequency as usize];
            (entry.stem, entry.word, positions)
        })
    }

    /// Whether the next passage clears the cache and so invalidates all numbers.
    pub(crate) fn is_full(&self) -> bool {
        self.arena.len() > self.cache_bytes
    }

    /// The text of a stem, and its hash.
    pub(crate) fn stem(&self, stem: u32) -> (&[u8], u32) {
        let stem = &self.stems[stem as usize];
        (self.text(stem.text), stem.hash)
    }

    /// The text of a word.
    pub(crate) fn surface(&self, word: u32) -> &[u8] {
        self.text(self.words[word as usize].surface())
    }

    /// The word pieces of a word.
    pub(crate) fn pieces(&self, word: u32) -> &[u16] {
        let word = &self.words[word as usize];
        &self.pieces[word.pieces as usize..][..usize::from(word.pieces_length)]
    }

    /// The length of the mean of a word's pieces.
    pub(crate) fn norm(&self, word: u32) -> u16 {
        self.words[word as usize].norm
    }

    /// The cell of a word, [`NO_CELL`] if it has no vector.
    pub(crate) fn cell(&mut self, word: u32) -> u16 {
        let known = self.words[word as usize].cell;
        if known != CELL_UNKNOWN {
            return known;
        }
        let cell = static_table::cell(self.pieces(word)).map_or(NO_CELL, u16::from);
        self.words[word as usize].cell = cell;
        cell
    }

    /// The number of words in the passage, without stop words.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Whether the text tells when something happened ("yesterday", "2023", …).
    pub fn has_temporal(&self) -> bool {
        self.flags & IS_TEMPORAL != 0
    }

    fn text(&self, (start, length): (u32, u8)) -> &[u8] {
        &self.arena[start as usize..start as usize + length as usize]
    }

    fn feed(&mut self, text: &str) {
        if text.is_ascii() {
            self.feed_ascii(text);
        } else if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
            self.feed_unicode(text);
        } else {
            let normal: String = text.nfkc().collect();
            self.feed_unicode(&normal);
        }
    }

    fn feed_ascii(&mut self, text: &str) {
        let mut carry = 0;
        // The start of an unfinished word, and whether an earlier block contains a capital of it.
        let mut open = None;
        let mut had_upper = false;
        for (number, block) in ascii::blocks(text.as_bytes()).enumerate() {
            let base = number * 64;
            let mut from = 0;
            let mut edges = block.word ^ (block.word << 1 | carry);
            carry = block.word >> 63;
            while edges != 0 {
                let bit = edges.trailing_zeros();
                edges &= edges - 1;
                let at = base + bit as usize;
                match open.take() {
                    None => (open, from, had_upper) = (Some(at), bit, false),
                    Some(start) => {
                        let is_lower = !had_upper && block.upper & ascii::bits(from, bit) == 0;
                        self.feed_ascii_word(text, start, at, is_lower);
                    }
                }
            }
            had_upper |= open.is_some() && block.upper & ascii::bits(from, 64) != 0;
        }
        if let Some(start) = open {
            self.feed_ascii_word(text, start, text.len(), !had_upper);
        }
    }

    #[inline]
    fn feed_ascii_word(&mut self, text: &str, start: usize, end: usize, is_lower: bool) {
        if is_lower {
            let end = end.min(start + MAX_TERM_BYTES);
            let key = Key::within(text.as_bytes(), start, end);
            let kept = self.add_known_by(&text.as_bytes()[start..end], key, Vector::OfPieces);
            self.advance(kept);
        } else {
            self.feed_identifier(&text[start..end]);
        }
    }

    /// Adds an ASCII word that is not only lower-case letters and digits, and its parts.
    fn feed_identifier(&mut self, word: &str) {
        let mut lower = [0u8; MAX_TERM_BYTES];
        let mut lowered = |part: &str| -> ([u8; MAX_TERM_BYTES], usize) {
            let length = part.len().min(MAX_TERM_BYTES);
            lower[..length].copy_from_slice(&part.as_bytes()[..length]);
            lower[..length].make_ascii_lowercase();
            (lower, length)
        };
        let (whole, length) = lowered(word);
        let is_title = word.as_bytes()[1..].iter().all(u8::is_ascii_lowercase);
        let vector = match is_title {
            true => Vector::OfPieces,
            false => Vector::of_identifier(word),
        };
        let mut kept = self.add_word(&whole[..length], vector);
        if !is_title {
            let mut parts = Parts { rest: word };
            let first = parts.next();
            let mut next = parts.next();
            if let (Some(first), Some(_)) = (first, next) {
                let (part, length) = lowered(first);
                kept |= self.add_word(&part[..length], Vector::OfPieces);
                while let Some(part) = next {
                    let (part, length) = lowered(part);
                    kept |= self.add_word(&part[..length], Vector::OfPieces);
                    next = parts.next();
                }
            }
        }
        self.advance(kept);
    }

    fn feed_unicode(&mut self, text: &str) {
        let mut start = None;
        let mut class = Class::Spaced;
        for (at, c) in text.char_indices() {
            let next = if start.is_some() && (is_mark(c) || is_joiner(c)) {
                continue;
            } else if c.is_alphanumeric() || c == '_' {
                Some(classify(c))
            } else {
                None
            };
            if let Some(from) = start
                && next != Some(class)
            {
                self.feed_run(&text[from..at], class);
                start = None;
            }
            if let Some(next) = next
                && start.is_none()
            {
                start = Some(at);
                class = next;
            }
        }
        if let Some(from) = start {
            self.feed_run(&text[from..], class);
        }
    }

    fn feed_run(&mut self, run: &str, class: Class) {
        if run.is_ascii() {
            let is_lower = !run.bytes().any(|b| b.is_ascii_uppercase() || b == b'_');
            return self.feed_ascii_word(run, 0, run.len(), is_lower);
        }
        let joined: String;
        let run = if run.contains(is_joiner) {
            joined = run.chars().filter(|&c| !is_joiner(c)).collect();
            &joined
        } else {
            run
        };
        match class {
            Class::Spaced => {
                let mut kept = self.add_lowered(run, Vector::of_identifier(run));
                let mut parts = Parts { rest: run };
                if let (Some(first), Some(second)) = (parts.next(), parts.next()) {
                    kept |= self.add_lowered(first, Vector::OfPieces);
                    kept |= self.add_lowered(second, Vector::OfPieces);
                    for part in parts {
                        kept |= self.add_lowered(part, Vector::OfPieces);
                    }
                }
                self.advance(kept);
            }
            Class::Hangul => {
                let whole = clip(run);
                let mut kept = self.add_word(whole.as_bytes(), Vector::None);
                for pair in pairs(run).filter(|&pair| pair != whole) {
                    kept |= self.add_word(pair.as_bytes(), Vector::None);
                }
                self.advance(kept);
            }
            Class::Unspaced => {
                for pair in pairs(run) {
                    let kept = self.add_word(clip(pair).as_bytes(), Vector::None);
                    self.advance(kept);
                }
            }
        }
    }

    /// Ends a word. A gap of two or more stop words takes one extra position, so that words are
    /// adjacent exactly if their positions differ by one.
    fn advance(&mut self, kept: bool) {
        if kept {
            self.length += 1;
            self.positions += 1;
            self.skipped = 0;
        } else {
            self.skipped += 1;
            if self.skipped == 2 {
                self.positions += 1;
            }
        }
    }

    fn add_lowered(&mut self, word: &str, vector: Vector) -> bool {
        let lower = word.to_lowercase();
        self.add_word(clip(&lower).as_bytes(), vector)
    }

    /// Adds an occurrence of a lower-case word; false for a stop word.
    fn add_word(&mut self, surface: &[u8], vector: Vector) -> bool {
        self.add_known_by(surface, Key::of(surface), vector)
    }

    /// [`Analyser::add_word`] for a word whose key is known.
    #[inline]
    fn add_known_by(&mut self, surface: &[u8], key: Key, vector: Vector) -> bool {
        let word = self.word(surface, key, vector);
        self.flags |= word.flags;
        if word.flags & IS_STOP != 0 {
            return false;
        }
        let position = self.positions.min(255) as u8;
        let seen = &mut self.seen[word.stem as usize];
        if seen.0 == self.passage {
            let place = seen.1 as usize;
            let entry = &mut self.terms[place];
            if (entry.frequency as usize) < MAX_FREQUENCY {
                entry.positions[entry.frequency as usize] = position;
                entry.frequency += 1;
            }
            if entry.word != word.word {
                let known = self.words[entry.word as usize].surface();
                if is_better_surface(surface, self.text(known)) {
                    self.terms[place].word = word.word;
                }
            }
        } else if self.terms.len() < MAX_PASSAGE_TERMS {
            *seen = (self.passage, self.terms.len() as u32);
            let mut positions = [0; MAX_FREQUENCY];
            positions[0] = position;
            self.terms.push(PassageTerm {
                stem: word.stem,
                word: word.word,
                frequency: 1,
                positions,
            });
        }
        true
    }

    #[inline]
    fn word(&mut self, surface: &[u8], key: Key, vector: Vector) -> Frequent {
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
            .word_slots
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
            stem_into(surface, &mut made);
        } else {
            made.clear();
            made.extend_from_slice(surface);
        }
        // The forward entry has 4 bits each for the bytes that the stem drops and adds.
        let shared = shared_prefix(&made, surface);
        let fits = surface.len() - shared < 16 && made.len() - shared < 16 && !made.is_empty();
        let stem = if fits { &made[..] } else { surface };
        let stem_hash = term_hash(stem);
        let known = self.stem_slots.find(stem_hash, |id| {
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
            self.seen.push((0, 0));
            let id = self.stems.len() as u32 - 1;
            self.stem_slots.insert(stem_hash, id);
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
        self.word_slots.insert(hash, id);
        id
    }

    fn keep(&mut self, text: &[u8]) -> (u32, u8) {
        let start = self.arena.len() as u32;
        self.arena.extend_from_slice(text);
        (start, text.len() as u8)
    }
}

impl Word {
    fn surface(&self) -> (u32, u8) {
        (self.surface, self.surface_length)
    }
}

/// Whether a surface represents its stem better: shorter, then bytewise smaller.
#[inline]
pub(crate) fn is_better_surface(new: &[u8], old: &[u8]) -> bool {
    (new.len(), new) < (old.len(), old)
}

/// The length of the common prefix of two byte strings.
pub(crate) fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

fn clip(word: &str) -> &str {
    &word[..word.floor_char_boundary(MAX_TERM_BYTES)]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Spaced,
    Unspaced,
    Hangul,
}

fn classify(c: char) -> Class {
    if c < '\u{e00}' {
        Class::Spaced
    } else if is_hangul(c) {
        Class::Hangul
    } else if is_unspaced(c) {
        Class::Unspaced
    } else {
        Class::Spaced
    }
}

/// Whether the character only modifies the letter before it.
pub(crate) fn is_mark(c: char) -> bool {
    c >= '\u{300}'
        && matches!(
            get_general_category(c),
            GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
                | GeneralCategory::EnclosingMark
        )
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{ad}')
}

/// Overlapping pairs of letters (with their marks); a single letter if there is only one.
fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let mut starts = run
        .char_indices()
        .filter(|&(_, c)| !is_mark(c))
        .map(|(at, _)| at)
        .chain([run.len()]);
    let mut first = starts.next().map(|_| 0);
    let mut second = starts.next();
    let mut is_first = true;
    std::iter::from_fn(move || {
        let (from, middle) = (first?, second?);
        let third = starts.next();
        let to = match third {
            Some(to) => to,
            None if is_first => middle,
            None => return None,
        };
        is_first = false;
        (first, second) = (Some(middle), third);
        Some(&run[from..to])
    })
}

/// The parts of an identifier: `HTTPServer_v2` gives `HTTP`, `Server`, `v`, `2`.
struct Parts<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let word = self.rest.trim_start_matches('_');
        let kind = |c: char| -> u8 {
            match c {
                '_' => 0,
                c if c.is_uppercase() => 1,
                c if c.is_numeric() => 3,
                _ => 2,
            }
        };
        let mut chars = word.char_indices();
        let (_, first) = chars.next()?;
        let mut end = word.len();
        let mut now = kind(first);
        let mut last = 0;
        for (at, c) in chars {
            let next = if is_mark(c) { now } else { kind(c) };
            if next != now {
                if (now, next) == (1, 2) && last == 0 {
                    now = 2;
                    continue;
                }
                // The last of a run of capitals before a lower-case letter belongs to the next
                // part.
                end = if (now, next) == (1, 2) { last } else { at };
                break;
            }
            last = at;
        }
        let part = &word[..end];
        self.rest = &word[end..];
        Some(part)
    }
}

/// An open-addressing table of ids by hash; its owner compares the keys.
pub(crate) struct Slots {
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl Slots {
    const EMPTY: u32 = u32::MAX;

    pub(crate) fn new() -> Self {
        Slots {
            slots: vec![(0, Slots::EMPTY); 1024],
            used: 0,
        }
    }

    #[inline]
    pub(crate) fn find(&self, hash: u32, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (known, id) = self.slots[at];
            if id == Slots::EMPTY {
                return None;
            }
            if known == hash && is_it(id) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    pub(crate) fn insert(&mut self, hash: u32, id: u32) {
        if self.used * 2 >= self.slots.len() {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![(0, Slots::EMPTY); old.len() * 2];
            for (hash, id) in old {
                if id != Slots::EMPTY {
                    self.place(hash, id);
                }
            }
        }
        self.place(hash, id);
        self.used += 1;
    }

    fn place(&mut self, hash: u32, id: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != Slots::EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stems(text: &str) -> Vec<String> {
        let mut analyser = Analyser::new();
        analyser.analyse("", text);
        analyser
            .terms()
            .map(|t| String::from_utf8(t.stem.to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn english_words_are_stemmed_and_stop_words_left_out() {
        assert_eq!(
            stems("The cats were RUNNING, running happily"),
            ["cat", "run", "happili"]
        );
        assert_eq!(stems("don't you've it's"), Vec::<String>::new());
    }

    #[test]
    fn identifiers_are_kept_whole_and_split() {
        assert_eq!(stems("camelCase"), ["camelcas", "camel", "case"]);
        assert_eq!(
            stems("HTTPServer_v2"),
            ["httpserver_v2", "http", "server", "v", "2"]
        );
        assert_eq!(
            stems("src/main_loop.rs"),
            ["src", "main_loop", "main", "loop", "rs"]
        );
        assert_eq!(stems("Caroline"), ["carolin"]);
        assert_eq!(stems("__init__"), ["__init__"]);
        assert_eq!(stems("ÜberGröße"), ["übergröße", "über", "größe"]);
    }

    #[test]
    fn an_identifier_of_several_words_has_the_vectors_of_its_words() {
        let mut analyser = Analyser::new();
        let mut with_vectors = |text: &str| -> Vec<String> {
            analyser.analyse("", text);
            let terms = analyser.terms().filter(|term| !term.pieces.is_empty());
            terms
                .map(|term| String::from_utf8(term.surface.to_vec()).unwrap())
                .collect()
        };
        assert_eq!(with_vectors("retry_policy"), ["retry", "policy"]);
        assert_eq!(with_vectors("getUserName"), ["get", "user", "name"]);
        // The same letters as one word, and a name that is in the table.
        assert_eq!(with_vectors("getusername"), ["getusername"]);
        assert_eq!(with_vectors("retry_policy"), ["retry", "policy"]);
        assert_eq!(with_vectors("YouTube"), ["youtube", "tube"]);
        // One word with a number is one word.
        assert_eq!(with_vectors("S3 GPT4"), ["s3", "3", "gpt4", "gpt", "4"]);
        assert_eq!(with_vectors("ÜberGröße"), ["über", "größe"]);
    }

    #[test]
    fn words_are_forgotten_and_learned_again() {
        let text = "The retry_policy of JavaScript: 배포는 금요일, 東京タワー, yesterday at noon";
        let look = |analyser: &mut Analyser| -> Vec<(Vec<u8>, Vec<u16>, bool)> {
            analyser.analyse("Caroline", text);
            let terms = analyser.terms();
            terms
                .map(|term| {
                    (
                        term.stem.to_vec(),
                        term.pieces.to_vec(),
                        term.is_question_stop,
                    )
                })
                .collect()
        };
        let mut analyser = Analyser::new();
        let expected = look(&mut analyser);
        for word in 0.. {
            if analyser.is_full() {
                break;
            }
            analyser.analyse("", &format!("the {word:060} was what"));
        }
        assert_eq!(look(&mut analyser), expected);
        assert!(!analyser.is_full());
        assert_eq!(look(&mut analyser), expected);
    }

    #[test]
    fn asian_text_gives_pairs() {
        assert_eq!(stems("東京タワー"), ["東京", "京タ", "タワ", "ワー"]);
        assert_eq!(stems("水"), ["水"]);
        assert_eq!(
            stems("안녕하세요"),
            ["안녕하세요", "안녕", "녕하", "하세", "세요"]
        );
        assert_eq!(stems("서울"), ["서울"]);
        assert_eq!(stems("Rust로 작성"), ["rust", "로", "작성"]);
        // Decomposed Hangul is the same word.
        assert_eq!(stems("\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}"), ["서울"]);
        assert_eq!(stems("ﾃｽﾄ"), ["テス", "スト"]);
    }

    #[test]
    fn combining_marks_stay_in_their_word() {
        assert_eq!(stems("नमस्ते दुनिया"), ["नमस्ते", "दुनिया"]);
        assert_eq!(stems("مُحَمَّد"), ["مُحَمَّد"]);
        assert_eq!(stems("cafe\u{301}"), ["café"]);
        assert_eq!(stems("שלום עולם"), ["שלום", "עולם"]);
        assert!(stems("😀 🇰🇷 👩‍👩‍👧").is_empty());
    }

    #[test]
    fn positions_count_the_words_that_are_kept() {
        let mut analyser = Analyser::new();
        analyser.analyse("", "Dog and the cat saw a dog");
        let terms: Vec<_> = analyser.terms().map(|t| t.positions.to_vec()).collect();
        assert_eq!(terms, [vec![0, 4], vec![2], vec![3]]);
        assert_eq!(analyser.length(), 4);
    }

    #[test]
    fn the_representative_is_the_shortest_surface() {
        let mut analyser = Analyser::new();
        analyser.analyse("", "walking walks walked walk walker");
        let surfaces: Vec<_> = analyser.terms().map(|t| t.surface.to_vec()).collect();
        assert_eq!(surfaces, [b"walk".to_vec(), b"walker".to_vec()]);
    }

    #[test]
    fn temporal_words_are_seen_in_the_text_only() {
        let mut analyser = Analyser::new();
        analyser.analyse("2023 May", "we met at the park");
        assert!(!analyser.has_temporal());
        analyser.analyse("", "we met yesterday");
        assert!(analyser.has_temporal());
        analyser.analyse("", "that was in 2021");
        assert!(analyser.has_temporal());
    }

    proptest! {
        #[test]
        fn any_text_gives_checked_terms(text in "(\\PC|[a-zA-Z_0-9 ]{3}|[가-힣]|[ก-๎]){0,200}") {
            let mut analyser = Analyser::new();
            analyser.analyse("", &text);
            for term in analyser.terms() {
                prop_assert!(std::str::from_utf8(term.stem).is_ok());
                prop_assert!(!term.stem.is_empty() && term.stem.len() <= MAX_TERM_BYTES);
                prop_assert!(term.surface.len() <= MAX_TERM_BYTES);
                prop_assert!(!term.positions.is_empty());
            }
        }
    }
}
