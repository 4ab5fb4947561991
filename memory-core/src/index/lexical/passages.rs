//! Cuts a text into passages of about 120 words that end at line or sentence boundaries, in linear
//! time for any input.

use std::ops::Range;

use crate::index::lexical::ascii;
use crate::text::scripts::is_unspaced;

/// A passage ends as soon as it has this many words (measured on LoCoMo and on coding transcripts).
pub const TARGET_WORDS: usize = 120;
/// No passage has more words than this.
pub const MAX_WORDS: usize = 150;

/// No passage has more bytes than this, however few words: a drawing of lines and emoji has none.
/// Text of 150 words is far shorter.
pub const MAX_BYTES: usize = 8_192;

/// The lengths of pieces of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// A piece ends as soon as it has this many words.
    pub target: usize,
    /// The maximum number of words in a piece. A line with more than half of that is cut at its
    /// sentence ends.
    pub most: usize,
}

/// The lengths of passages.
const PASSAGES: Lengths = Lengths {
    target: TARGET_WORDS,
    most: MAX_WORDS,
};
/// A run of letters longer than this many bytes counts as several words, so that encoded data
/// cannot make an unbounded passage.
const WORD_BYTES: usize = 32;

/// A stretch of text that is not cut further, and its number of words.
struct Unit {
    end: usize,
    words: usize,
}

/// The passages of a text as byte ranges, in order, at character boundaries. They do not overlap,
/// and there are no words between them. A text without any word is one passage: its beginning, if
/// it is long.
pub fn passages(text: &str) -> Vec<Range<usize>> {
    pieces(text, PASSAGES)
}

/// The first passage of a text, which is quoted if the whole is too long.
pub fn first(text: &str) -> Range<usize> {
    passages(text).into_iter().next().unwrap_or(0..text.len())
}

/// As [`passages`], with other lengths.
pub fn pieces(text: &str, lengths: Lengths) -> Vec<Range<usize>> {
    let mut passages = Vec::new();
    let mut start = 0;
    let mut end = 0;
    let mut words = 0;
    let mut add = |unit: Unit| {
        let is_too_long = unit.end - start > MAX_BYTES;
        let has_enough = words > 0 && words + unit.words > lengths.most || words >= lengths.target;
        if has_enough || is_too_long {
            if words > 0 {
                passages.push(start..end);
            }
            start = end;
            words = 0;
        }
        end = unit.end;
        words += unit.words;
    };
    let mut line_start = 0;
    while line_start < text.len() {
        let line_end = text[line_start..]
            .find('\n')
            .map_or(text.len(), |at| line_start + at + 1);
        line_units(text, line_start..line_end, lengths, &mut add);
        line_start = line_end;
    }
    if words > 0 {
        passages.push(start..text.len());
    } else if let Some(last) = passages.last_mut()
        && text.len() - last.start <= MAX_BYTES
    {
        last.end = text.len();
    }
    if passages.is_empty() {
        passages.push(0..text.floor_char_boundary(MAX_BYTES));
    }
    for passage in &mut passages {
        let inner = &text[passage.clone()];
        let trimmed = inner.trim();
        if !trimmed.is_empty() {
            passage.start += inner.len() - inner.trim_start().len();
            passage.end = passage.start + trimmed.len();
        }
    }
    passages
}

/// The words of one line so far. Sentence ends and cuts inside overlong sentences are recorded
/// along the way, and used only if the line turns out to be long.
struct Line {
    /// The number of words at which a sentence is cut.
    target: usize,
    cuts: Vec<Unit>,
    /// The number of words up to the last cut.
    words: usize,
    sentence_words: usize,
}

impl Line {
    fn new(target: usize) -> Self {
        Line {
            target,
            cuts: Vec::new(),
            words: 0,
            sentence_words: 0,
        }
    }

    fn cut(&mut self, end: usize) {
        self.cuts.push(Unit {
            end,
            words: self.sentence_words,
        });
        self.words += self.sentence_words;
        self.sentence_words = 0;
    }

    fn word(&mut self, at: usize) {
        if self.sentence_words >= self.target {
            self.cut(at);
        }
        self.sentence_words += 1;
    }
}

/// Emits one line: whole if short, else by sentences, and overlong sentences by words.
fn line_units(text: &str, line: Range<usize>, lengths: Lengths, add: &mut impl FnMut(Unit)) {
    let read = if text.as_bytes()[line.clone()].is_ascii() {
        ascii_line(text.as_bytes(), line.clone(), lengths.target)
    } else {
        unicode_line(text, line.clone(), lengths.target)
    };
    let words = read.words + read.sentence_words;
    let mut start = line.start;
    let mut add = |unit: Unit| {
        let end = unit.end;
        short_units(text, start, unit, add);
        start = end;
    };
    if words <= lengths.most / 2 {
        add(Unit {
            end: line.end,
            words,
        });
        return;
    }
    for cut in read.cuts {
        add(cut);
    }
    add(Unit {
        end: line.end,
        words: read.sentence_words,
    });
}

/// Emits a unit: in parts, between words where possible, if it is longer than a passage may be.
fn short_units(text: &str, mut start: usize, unit: Unit, add: &mut impl FnMut(Unit)) {
    if unit.end - start <= MAX_BYTES {
        add(unit);
        return;
    }
    while start < unit.end {
        let mut end = unit.end;
        if end - start > MAX_BYTES {
            let most = text.floor_char_boundary(start + MAX_BYTES);
            let is_between = |c: char| !(c.is_alphanumeric() || c == '_');
            let between = text[start..most].rfind(is_between).filter(|at| *at > 0);
            end = between.map_or(most, |at| start + at);
        }
        let read = unicode_line(text, start..end, usize::MAX);
        add(Unit {
            end,
            words: read.words + read.sentence_words,
        });
        start = end;
    }
}

const OTHER: u8 = 0;
const WORD: u8 = 1;
const WHITE: u8 = 2;
const ENDS: u8 = 3;
const CLOSES: u8 = 4;

static CLASS: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'.' | b'!' | b'?' => ENDS,
            b'"' | b'\'' | b')' | b']' => CLOSES,
            b'\t'..=b'\r' | b' ' => WHITE,
            b'_' => WORD,
            _ if byte.is_ascii_alphanumeric() => WORD,
            _ => OTHER,
        };
        byte += 1;
    }
    table
};

/// [`unicode_line`] for pure ASCII.
fn ascii_line(bytes: &[u8], range: Range<usize>, target: usize) -> Line {
    prose_line(bytes, range.clone(), target).unwrap_or_else(|| odd_line(bytes, range, target))
}

/// Splits a line of ASCII 64 bytes at a time; `None` if a sentence must be cut or a run of letters
/// counts as several words.
fn prose_line(bytes: &[u8], range: Range<usize>, target: usize) -> Option<Line> {
    let mut line = Line::new(target);
    let bytes = &bytes[..range.end];
    let mut carry = 0;
    // Words before the block, words before the last cut, and the end of what was scanned.
    let (mut words, mut known, mut looked) = (0, 0, range.start);
    for (number, block) in ascii::blocks(&bytes[range.start..]).enumerate() {
        let base = range.start + number * 64;
        if has_long_run(block.word) {
            return None;
        }
        let starts = block.word & !(block.word << 1 | carry);
        carry = block.word >> 63;
        let mut ends = block.ends;
        while ends != 0 {
            let bit = ends.trailing_zeros();
            ends &= ends - 1;
            let at = base + bit as usize;
            if at < looked {
                continue;
            }
            looked = bytes[at..]
                .iter()
                .position(|&b| !matches!(CLASS[usize::from(b)], ENDS | CLOSES))
                .map_or(bytes.len(), |length| at + length);
            if bytes
                .get(looked)
                .is_some_and(|&b| CLASS[usize::from(b)] == WHITE)
            {
                let before = words + (starts & ascii::bits(0, bit)).count_ones() as usize;
                line.sentence_words = before - known;
                if line.sentence_words > target {
                    return None;
                }
                line.cut(looked);
                known = before;
            }
        }
        words += starts.count_ones() as usize;
    }
    line.sentence_words = words - known;
    (line.sentence_words <= target).then_some(line)
}

/// Whether a word may be longer than [`WORD_BYTES`]: one block contains more than half of any such
/// word.
fn has_long_run(word: u64) -> bool {
    const { assert!(WORD_BYTES == 32) };
    let mut runs = word;
    for length in [1, 2, 4, 8] {
        runs &= runs >> length;
    }
    runs & word >> 16 != 0
}

/// [`ascii_line`] for any line, by a table of the 128 characters.
fn odd_line(bytes: &[u8], range: Range<usize>, target: usize) -> Line {
    let mut line = Line::new(target);
    let mut closing = false;
    let mut at = range.start;
    let bytes = &bytes[..range.end];
    while let Some(&byte) = bytes.get(at) {
        match CLASS[usize::from(byte)] {
            WORD => {
                let start = at;
                let rest = &bytes[at + 1..];
                let length = rest
                    .iter()
                    .position(|&b| CLASS[usize::from(b)] != WORD)
                    .unwrap_or(rest.len());
                at += 1 + length;
                line.word(start);
                if at - start > WORD_BYTES {
                    for more in (start..at).step_by(WORD_BYTES).skip(1) {
                        line.word(more);
                    }
                }
                closing = false;
                continue;
            }
            WHITE => {
                if closing {
                    line.cut(at);
                }
                closing = false;
            }
            ENDS => closing = true,
            CLOSES => {}
            _ => closing = false,
        }
        at += 1;
    }
    line
}

fn unicode_line(text: &str, line: Range<usize>, target: usize) -> Line {
    let mut read = Line::new(target);
    let mut run = 0;
    let mut previous = ' ';
    let mut closing = false;
    for (at, c) in text[line.clone()].char_indices() {
        let at = line.start + at;
        if closing && c.is_whitespace() || matches!(previous, '。' | '！' | '？') {
            read.cut(at);
        }
        closing = matches!(c, '.' | '!' | '?')
            || closing && matches!(c, '"' | '\'' | ')' | ']' | '”' | '’');
        if c.is_alphanumeric() || c == '_' {
            // In scripts without spaces, two letters make a word.
            let limit = if is_unspaced(c) { 2 } else { WORD_BYTES };
            if run == 0 || run >= limit {
                read.word(at);
                run = 0;
            }
            run += 1;
        } else if !crate::index::lexical::analyser::is_mark(c) {
            run = 0;
        }
        previous = c;
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<&str> {
        passages(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn a_short_text_is_one_passage() {
        assert_eq!(
            texts("Hello there, how are you?"),
            ["Hello there, how are you?"]
        );
        assert_eq!(texts("  hi \n"), ["hi"]);
        assert_eq!(texts(""), [""]);
        assert_eq!(texts("🙂🙂"), ["🙂🙂"]);
    }

    #[test]
    fn long_text_is_cut_at_lines_and_sentences() {
        let line = "one two three four five six seven eight nine ten\n".repeat(30);
        let cut = texts(&line);
        assert_eq!(cut.len(), 3);
        assert!(
            cut.iter()
                .all(|p| p.ends_with("ten") && p.starts_with("one"))
        );
        let sentences = "This sentence has exactly seven words here. ".repeat(60);
        let cut = texts(&sentences);
        assert!(cut.len() > 2);
        assert!(cut.iter().all(|p| p.ends_with("here.")), "{cut:?}");
    }

    #[test]
    fn endless_runs_are_cut() {
        let long = "x".repeat(3_000_000);
        assert!(passages(&long).len() > 500);
        let korean = "가나다라마바사아자차카타파하".repeat(2000);
        assert!(passages(&korean).len() > 5);
        let mixed = "ก".repeat(10_000);
        assert!(passages(&mixed).len() > 10);
    }

    #[test]
    fn a_text_of_few_words_has_no_endless_passage() {
        let lines = format!("zanzibar {} omega", "═══ ".repeat(100_000));
        let cut = texts(&lines);
        assert_eq!(cut.len(), 2);
        assert!(cut[0].starts_with("zanzibar") && cut[1].ends_with("omega"));
        let rows = format!("zanzibar\n{}omega", "----\n".repeat(100_000));
        let emoji = format!("{} tralfamadore", "🙂".repeat(80_000));
        for text in [
            &lines,
            &rows,
            &emoji,
            &"🙂".repeat(80_000),
            &"あ ".repeat(20_000),
        ] {
            assert!(texts(text).iter().all(|passage| passage.len() <= MAX_BYTES));
        }
        assert!(texts(&emoji)[0].ends_with("tralfamadore"));
    }

    proptest! {
        #[test]
        fn no_passage_is_too_long(parts in proptest::collection::vec((0..7, 1..3_000usize), 0..40)) {
            let part = |(kind, length): (i32, usize)| match kind {
                0 => "═".repeat(length),
                1 => "x".repeat(length),
                2 => "🙂".repeat(length),
                3 => "\n".repeat(length % 3),
                4 => "word ".repeat(length % 50),
                5 => " ".repeat(length),
                _ => "한글. ".repeat(length % 60),
            };
            let text: String = parts.into_iter().map(part).collect();
            let cut = passages(&text);
            prop_assert!(cut.iter().all(|passage| passage.len() <= MAX_BYTES));
            let ends = cut.iter().map(|passage| passage.end);
            let starts = cut.iter().map(|passage| passage.start).chain([text.len()]);
            for (end, start) in std::iter::once(0).chain(ends).zip(starts) {
                prop_assert!(!text[end..start].contains(char::is_alphanumeric));
            }
        }

        #[test]
        fn the_ascii_path_cuts_as_the_other_does(text in "([ -~\t\x0b\x0c\x1c]{0,9}|[a-z_]{30,70}|[.!?][\"')\\]]{0,2} |[a-z]{1,9} ){0,200}") {
            let (ascii, unicode) = (ascii_line(text.as_bytes(), 0..text.len(), TARGET_WORDS), unicode_line(&text, 0..text.len(), TARGET_WORDS));
            let cuts = |line: &Line| line.cuts.iter().map(|c| (c.end, c.words)).collect::<Vec<_>>();
            prop_assert_eq!(cuts(&ascii), cuts(&unicode));
            prop_assert_eq!((ascii.words, ascii.sentence_words), (unicode.words, unicode.sentence_words));
            // A part of a text, and a line whose sentences are cut.
            let part = text.len() / 3..text.len();
            for target in [2, 40] {
                let (fast, slow) = (ascii_line(text.as_bytes(), part.clone(), target), odd_line(text.as_bytes(), part.clone(), target));
                prop_assert_eq!(cuts(&fast), cuts(&slow));
                prop_assert_eq!((fast.words, fast.sentence_words), (slow.words, slow.sentence_words));
            }
        }

        #[test]
        fn passages_are_ordered_and_lose_no_word(text in "(\\PC|\n|[a-z. ]{40}){0,80}") {
            let cut = passages(&text);
            let mut at = 0;
            let mut lost = String::new();
            for passage in &cut {
                prop_assert!(passage.start >= at && passage.end >= passage.start);
                lost += &text[at..passage.start];
                at = passage.end;
            }
            lost += &text[at..];
            prop_assert!(!lost.chars().any(|c| c.is_alphanumeric()));
        }
    }
}
