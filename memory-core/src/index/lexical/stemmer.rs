//! The Snowball stemmer for English (Porter2), in place on bytes, since every process has to stem
//! its words anew.

/// Prefixes of words for which the rules would put the first region too early.
const LONG_STARTS: [&[u8]; 3] = [b"arsen", b"commun", b"gener"];

/// Words with irregular stems.
const EXCEPTIONS: [(&[u8], &[u8]); 18] = [
    (b"andes", b"andes"),
    (b"atlas", b"atlas"),
    (b"bias", b"bias"),
    (b"cosmos", b"cosmos"),
    (b"dying", b"die"),
    (b"early", b"earli"),
    (b"gently", b"gentl"),
    (b"howe", b"howe"),
    (b"idly", b"idl"),
    (b"lying", b"lie"),
    (b"news", b"news"),
    (b"only", b"onli"),
    (b"singly", b"singl"),
    (b"skies", b"sky"),
    (b"skis", b"ski"),
    (b"sky", b"sky"),
    (b"tying", b"tie"),
    (b"ugly", b"ugli"),
];

/// Words that are not stemmed any further after step 1a.
const KEPT: [&[u8]; 8] = [
    b"succeed", b"proceed", b"exceed", b"canning", b"inning", b"earring", b"herring", b"outing",
];

/// The suffixes of step 2 and their replacements. A longer suffix precedes those that it ends with.
const STEP_2: [(&[u8], &[u8]); 22] = [
    (b"anci", b"ance"),
    (b"enci", b"ence"),
    (b"abli", b"able"),
    (b"bli", b"ble"),
    (b"alli", b"al"),
    (b"fulli", b"ful"),
    (b"lessli", b"less"),
    (b"ousli", b"ous"),
    (b"entli", b"ent"),
    (b"aliti", b"al"),
    (b"biliti", b"ble"),
    (b"iviti", b"ive"),
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"alism", b"al"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"izer", b"ize"),
    (b"ator", b"ate"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
];

/// The same for step 3; `ative` is removed only in the second region.
const STEP_3: [(&[u8], &[u8]); 9] = [
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"ful", b""),
    (b"ness", b""),
];

/// The suffixes that step 4 removes.
const STEP_4: [&[u8]; 18] = [
    b"ic", b"ance", b"ence", b"able", b"ible", b"ate", b"ive", b"ize", b"iti", b"al", b"ism",
    b"ion", b"er", b"ous", b"ant", b"ement", b"ment", b"ent",
];

/// The longest plural of an abbreviation, in bytes.
const MAX_ABBREVIATION_BYTES: usize = 5;

/// The singular of an abbreviation without vowels ("pdfs", "jwts"), whose plural the rules of
/// Snowball keep.
pub(crate) fn singular_abbreviation(word: &[u8]) -> Option<&[u8]> {
    let (last, singular) = word.split_last()?;
    let is_consonant = |byte: &u8| byte.is_ascii_lowercase() && !is_vowel(*byte);
    let is_plural = *last == b's'
        && (3..=MAX_ABBREVIATION_BYTES).contains(&word.len())
        && singular.last() != Some(&b's')
        && singular.iter().all(is_consonant);
    is_plural.then_some(singular)
}

/// Writes the stem of a word to `stem`. The word consists of lower-case ASCII letters, digits and
/// underscores; a stem is never longer than its word.
pub(crate) fn stem_into(word: &[u8], stem: &mut Vec<u8>) {
    stem.clear();
    stem.extend_from_slice(word);
    if word.len() < 3 {
        return;
    }
    if word.len() <= 6
        && let Some((_, own)) = EXCEPTIONS.iter().find(|(known, _)| *known == word)
    {
        stem.clear();
        stem.extend_from_slice(own);
        return;
    }
    let marked = mark_consonants(stem);
    let (first, second) = regions(stem);
    let mut word = Word {
        text: stem,
        first,
        second,
    };
    word.step_1a();
    if !KEPT.contains(&word.text.as_slice()) {
        word.step_1b();
        word.step_1c();
        word.step_2();
        word.step_3();
        word.step_4();
        word.step_5();
    }
    if marked {
        stem.iter_mut()
            .filter(|byte| **byte == b'Y')
            .for_each(|byte| *byte = b'y');
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Replaces each `y` that is a consonant, at the start or after a vowel, by `Y`.
fn mark_consonants(word: &mut [u8]) -> bool {
    let mut marked = false;
    let mut after_vowel = true;
    for byte in word {
        if *byte == b'y' && after_vowel {
            *byte = b'Y';
            marked = true;
        }
        after_vowel = is_vowel(*byte);
    }
    marked
}

/// The starts of the two regions: each begins after the first consonant that follows a vowel, the
/// second within the first.
fn regions(word: &[u8]) -> (usize, usize) {
    let after = |from: usize| -> usize {
        let rest = word.get(from..).unwrap_or_default();
        let vowel = rest.iter().position(|&b| is_vowel(b));
        let consonant =
            vowel.and_then(|v| rest[v..].iter().position(|&b| !is_vowel(b)).map(|c| v + c));
        consonant.map_or(word.len(), |at| from + at + 1)
    };
    let first = LONG_STARTS
        .iter()
        .find(|start| word.starts_with(start))
        .map_or_else(|| after(0), |start| start.len());
    (first, after(first))
}

/// Whether a text ends with a short syllable.
fn ends_short(text: &[u8]) -> bool {
    match text {
        [first, second] => is_vowel(*first) && !is_vowel(*second),
        [.., first, second, third] => {
            !is_vowel(*first)
                && is_vowel(*second)
                && !is_vowel(*third)
                && !matches!(third, b'w' | b'x' | b'Y')
        }
        _ => false,
    }
}

struct Word<'w> {
    text: &'w mut Vec<u8>,
    first: usize,
    second: usize,
}

impl Word<'_> {
    /// Whether the word ends with one of the endings below, none of which is empty. The last letter
    /// rules out nearly all of them, for less than a comparison of texts.
    fn ends_with(&self, ending: &[u8]) -> bool {
        self.text.last() == ending.last() && self.text.ends_with(ending)
    }

    /// Replaces everything from `at` on by `new`.
    fn replace(&mut self, at: usize, new: &[u8]) {
        self.text.truncate(at);
        self.text.extend_from_slice(new);
    }

    fn has_vowel_before(&self, end: usize) -> bool {
        self.text[..end].iter().any(|&b| is_vowel(b))
    }

    fn step_1a(&mut self) {
        let length = self.text.len();
        if self.ends_with(b"sses") {
            self.text.truncate(length - 2);
        } else if self.ends_with(b"ied") || self.ends_with(b"ies") {
            let kept = if length >= 5 { 2 } else { 1 };
            self.text.truncate(length - kept);
        } else if self.ends_with(b"s")
            && !self.ends_with(b"us")
            && !self.ends_with(b"ss")
            && length >= 2
            && self.has_vowel_before(length - 2)
        {
            self.text.truncate(length - 1);
        }
    }

    fn step_1b(&mut self) {
        const ENDINGS: [(&[u8], bool); 6] = [
            (b"eedly", true),
            (b"ingly", false),
            (b"edly", false),
            (b"eed", true),
            (b"ing", false),
            (b"ed", false),
        ];
        if !matches!(self.text.last(), Some(b'd' | b'g' | b'y')) {
            return;
        }
        let Some((ending, is_eed)) = ENDINGS.iter().find(|(ending, _)| self.ends_with(ending))
        else {
            return;
        };
        let at = self.text.len() - ending.len();
        if *is_eed {
            if at >= self.first {
                self.replace(at, b"ee");
            }
            return;
        }
        if !self.has_vowel_before(at) {
            return;
        }
        self.text.truncate(at);
        match self.text.as_slice() {
            [.., b'a', b't'] | [.., b'b', b'l'] | [.., b'i', b'z'] => self.text.push(b'e'),
            [
                ..,
                a,
                b'b' | b'd' | b'f' | b'g' | b'm' | b'n' | b'p' | b'r' | b't',
            ] if self.text.last() == Some(a) => {
                self.text.pop();
            }
            text if at == self.first && ends_short(text) => self.text.push(b'e'),
            _ => {}
        }
    }

    fn step_1c(&mut self) {
        if let [_, .., before, last @ (b'y' | b'Y')] = self.text.as_mut_slice()
            && !is_vowel(*before)
        {
            *last = b'i';
        }
    }

    fn step_2(&mut self) {
        if !matches!(
            self.text.last(),
            Some(b'i' | b'l' | b'm' | b'n' | b'r' | b's')
        ) {
            return;
        }
        if let Some((ending, new)) = STEP_2.iter().find(|(ending, _)| self.ends_with(ending)) {
            let at = self.text.len() - ending.len();
            if at >= self.first {
                self.replace(at, new);
            }
        } else if self.ends_with(b"ogi") {
            let at = self.text.len() - 3;
            if at >= self.first && at > 0 && self.text[at - 1] == b'l' {
                self.text.pop();
            }
        } else if self.ends_with(b"li") {
            let at = self.text.len() - 2;
            let before = at.checked_sub(1).map(|before| self.text[before]);
            let fits = matches!(
                before,
                Some(b'c' | b'd' | b'e' | b'g' | b'h' | b'k' | b'm' | b'n' | b'r' | b't')
            );
            if at >= self.first && fits {
                self.text.truncate(at);
            }
        }
    }

    fn step_3(&mut self) {
        if !matches!(self.text.last(), Some(b'e' | b'i' | b'l' | b's')) {
            return;
        }
        if let Some((ending, new)) = STEP_3.iter().find(|(ending, _)| self.ends_with(ending)) {
            let at = self.text.len() - ending.len();
            let from = if *ending == b"ative" {
                self.first.max(self.second)
            } else {
                self.first
            };
            if at >= from {
                self.replace(at, new);
            }
        }
    }

    fn step_4(&mut self) {
        if let Some(ending) = STEP_4.iter().find(|ending| self.ends_with(ending)) {
            let at = self.text.len() - ending.len();
            let fits = *ending != b"ion" || at > 0 && matches!(self.text[at - 1], b's' | b't');
            if at >= self.second && fits {
                self.text.truncate(at);
            }
        }
    }

    fn step_5(&mut self) {
        let Some(at) = self.text.len().checked_sub(1) else {
            return;
        };
        let goes = match self.text[at] {
            b'e' => at >= self.second || at >= self.first && !ends_short(&self.text[..at]),
            b'l' => at >= self.second && at > 0 && self.text[at - 1] == b'l',
            _ => false,
        };
        if goes {
            self.text.truncate(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rust_stemmers::{Algorithm, Stemmer};

    #[test]
    fn plurals_of_abbreviations_have_a_singular() {
        let of = |word: &'static str| singular_abbreviation(word.as_bytes());
        for (plural, singular) in [("pdfs", "pdf"), ("jwts", "jwt"), ("dbs", "db")] {
            assert_eq!(of(plural), Some(singular.as_bytes()));
        }
        for word in ["css", "xss", "js", "cats", "s", "", "rhythms", "x2s"] {
            assert_eq!(of(word), None, "{word}");
        }
    }

    fn stem(word: &str) -> String {
        let mut stem = Vec::new();
        stem_into(word.as_bytes(), &mut stem);
        String::from_utf8(stem).unwrap()
    }

    #[test]
    fn the_vocabulary_has_the_stems_of_the_reference() {
        let reference = Stemmer::create(Algorithm::English);
        let ends = [
            "", "s", "ies", "ed", "ing", "ly", "edly", "ational", "fulness", "ement", "ization",
            "ousli", "ied", "yy", "_x", "2",
        ];
        for (_, word) in crate::embed::static_table::beginnings() {
            if word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            {
                for end in ends {
                    let word = format!("{word}{end}");
                    assert_eq!(stem(&word), reference.stem(&word), "{word}");
                }
            }
        }
        for (word, _) in EXCEPTIONS {
            let word = std::str::from_utf8(word).unwrap();
            assert_eq!(stem(word), reference.stem(word));
        }
    }

    proptest! {
        #[test]
        fn any_word_has_the_stem_of_the_reference(
            start in "[a-z0-9_]{0,4}|[aeiouy]{0,4}|(arsen|commun|gener|succe|proce|ear|can|in|out|her)",
            parts in proptest::collection::vec(
                "[bcdfgmnprtlswxy]|[aeiouy]|[a-z0-9_]|ed|eed|ing|ly|li|ogi|at|bl|iz|ational|ative|icate|ment|ion|al|ful|ness|ies|sses|ous|ll|e",
                0..7,
            ),
        ) {
            let word = format!("{start}{}", parts.concat());
            let reference = Stemmer::create(Algorithm::English);
            prop_assert_eq!(stem(&word), reference.stem(&word));
            prop_assert!(stem(&word).len() <= word.len());
        }
    }
}
