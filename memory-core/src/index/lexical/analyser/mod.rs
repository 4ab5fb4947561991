//! Splits text into words, and normalises them to the forms that are indexed.
//!
//! NFKC, lower case, Unicode words, without colours and invisible characters. English stop words
//! are dropped, other English words are reduced to their Snowball stem; identifiers are indexed
//! whole and split; scripts without spaces are indexed as pairs of letters, Hangul words whole and
//! as pairs. These rules are part of the disk format: see [`VERSION`].

mod letters;
mod stop_words;
mod vocabulary;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::index::lexical::ascii;
use crate::text::show::{is_invisible, without_colours};
use letters::{Class, Parts, classify, pairs};
use stop_words::{IS_QUESTION_STOP, IS_STOP, IS_TEMPORAL};
use vocabulary::{Key, Vector, Vocabulary};

pub(crate) use letters::is_mark;

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

/// Turns texts into terms, and caches the words it has seen. Use one per thread.
pub struct Analyser {
    vocabulary: Vocabulary,
    /// Per stem, the passage (by the analyser's count) in which it was last seen, and its index
    /// among that passage's terms.
    seen: Vec<(u32, u32)>,
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
        Analyser {
            vocabulary: Vocabulary::new(cache_bytes),
            seen: Vec::new(),
            passage: 0,
            terms: Vec::new(),
            length: 0,
            positions: 0,
            skipped: 0,
            text_from: 0,
            flags: 0,
        }
    }

    /// Analyses one passage. `header` is indexed with it (a speaker, a date, a tool) but does not
    /// count as text for [`Analyser::has_temporal`].
    pub fn analyse(&mut self, header: &str, text: &str) {
        if self.is_full() {
            self.vocabulary.clear();
            self.seen.clear();
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
            let word = self.vocabulary.known(entry.word);
            let last = entry.positions[entry.frequency as usize - 1];
            let (stem, hash) = self.stem(entry.stem);
            Term {
                stem,
                surface: self.surface(entry.word),
                hash,
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
        self.vocabulary.is_full()
    }

    /// The text of a stem, and its hash.
    pub(crate) fn stem(&self, stem: u32) -> (&[u8], u32) {
        self.vocabulary.stem(stem)
    }

    /// The text of a word.
    pub(crate) fn surface(&self, word: u32) -> &[u8] {
        self.vocabulary.surface(word)
    }

    /// The word pieces of a word.
    pub(crate) fn pieces(&self, word: u32) -> &[u16] {
        self.vocabulary.pieces(word)
    }

    /// The length of the mean of a word's pieces.
    pub(crate) fn norm(&self, word: u32) -> u16 {
        self.vocabulary.known(word).norm
    }

    /// The cell of a word, [`NO_CELL`](super::layout::NO_CELL) if it has no vector.
    pub(crate) fn cell(&mut self, word: u32) -> u16 {
        self.vocabulary.cell(word)
    }

    /// The number of words in the passage, without stop words.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Whether the text tells when something happened ("yesterday", "2023", …).
    pub fn has_temporal(&self) -> bool {
        self.flags & IS_TEMPORAL != 0
    }

    fn feed(&mut self, text: &str) {
        let text = &*without_colours(text);
        if text.is_ascii() {
            self.feed_ascii(text);
        } else if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
            self.feed_unicode(text);
        } else {
            self.feed_unicode(&normalised(text));
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
        let is_one = is_title || is_plural_of_capitals(word);
        let vector = match is_one {
            true => Vector::OfPieces,
            false => Vector::of_identifier(word),
        };
        let mut kept = self.add_word(&whole[..length], vector);
        if !is_one {
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
            // Most letters are ASCII, of which no table has to be asked.
            let next = if c.is_ascii() {
                (c.is_ascii_alphanumeric() || c == '_').then_some(Class::Spaced)
            } else if is_invisible(c) || start.is_some() && is_mark(c) {
                continue;
            } else {
                c.is_alphanumeric().then(|| classify(c))
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
        let run = if run.contains(is_invisible) {
            joined = run.chars().filter(|&c| !is_invisible(c)).collect();
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
        let word = self.vocabulary.word(surface, key, vector);
        self.flags |= word.flags;
        if word.flags & IS_STOP != 0 {
            return false;
        }
        let position = self.positions.min(255) as u8;
        if self.seen.len() <= word.stem as usize {
            self.seen.resize(word.stem as usize + 1, (0, 0));
        }
        let seen = &mut self.seen[word.stem as usize];
        if seen.0 == self.passage {
            let place = seen.1 as usize;
            let entry = &mut self.terms[place];
            if (entry.frequency as usize) < MAX_FREQUENCY {
                entry.positions[entry.frequency as usize] = position;
                entry.frequency += 1;
            }
            if entry.word != word.word
                && is_better_surface(surface, self.vocabulary.surface(entry.word))
            {
                self.terms[place].word = word.word;
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
}

/// The text in NFKC. ASCII is in it already, but for a letter with a mark behind it.
fn normalised(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.bytes().position(|byte| !byte.is_ascii()) {
        let end = rest[begin..].bytes().position(|byte| byte.is_ascii());
        let end = end.map_or(rest.len(), |length| begin + length);
        let before = begin.saturating_sub(1);
        normal.push_str(&rest[..before]);
        normal.extend(rest[before..end].nfkc());
        rest = &rest[end..];
    }
    normal.push_str(rest);
    normal
}

/// Whether a word is an abbreviation in the plural ("PDFs"), not a name of two words.
fn is_plural_of_capitals(word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|singular| {
        singular.len() > 1 && singular.bytes().all(|byte| byte.is_ascii_uppercase())
    })
}

/// The words of an identifier: `get_userName` gives `get`, `user`, `Name`.
pub(crate) fn parts(identifier: &str) -> impl Iterator<Item = &str> {
    Parts { rest: identifier }
}

/// Whether a surface represents its stem better: shorter, then bytewise smaller.
#[inline]
pub(crate) fn is_better_surface(new: &[u8], old: &[u8]) -> bool {
    (new.len(), new) < (old.len(), old)
}

fn clip(word: &str) -> &str {
    &word[..word.floor_char_boundary(MAX_TERM_BYTES)]
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
        assert_eq!(stems("PDFs, APIs and URLs"), ["pdf", "api", "url"]);
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
        fn a_text_is_normalised_as_a_whole(text in "([a-z .]{0,3}|[\u{300}-\u{36f}]{1,2}|[…ﬁ①한가각Ａé]|\\PC){0,40}") {
            prop_assert_eq!(normalised(&text), text.nfkc().collect::<String>());
        }

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
