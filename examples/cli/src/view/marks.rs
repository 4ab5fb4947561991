//! Marks the words of a passage that are words of the question.
//!
//! The library knows better why a passage was found (word forms, related words, neighbours); this
//! shows only the part that a person can see.

use std::collections::BTreeSet;

/// Words that share this many initial letters count as forms of one word.
const STEM_CHARS: usize = 4;
/// The maximum number of letters after the stem of a word form.
const ENDING_CHARS: usize = 3;

/// A part of a passage.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark<'a> {
    pub(super) text: &'a str,
    pub(super) is_match: bool,
}

/// A passage in parts, and the words of the question that it contains.
#[derive(Debug)]
pub(super) struct Marked<'a> {
    pub(super) parts: Vec<Mark<'a>>,
    pub(super) words: Vec<String>,
}

/// Splits a passage where a word of the question begins or ends. The concatenated parts are the
/// passage.
pub(super) fn marked<'a>(passage: &'a str, question: &str) -> Marked<'a> {
    let wanted: Vec<String> = words(question)
        .map(|(_, word)| word.to_lowercase())
        .filter(|word| carries_meaning(word))
        .collect();
    let (mut parts, mut found, mut done) = (Vec::new(), BTreeSet::new(), 0);
    for (start, word) in words(passage) {
        let lower = word.to_lowercase();
        let Some(same) = wanted.iter().find(|wanted| is_form_of(&lower, wanted)) else {
            continue;
        };
        found.insert(same.clone());
        if start > done {
            parts.push(plain(&passage[done..start]));
        }
        parts.push(Mark {
            text: word,
            is_match: true,
        });
        done = start + word.len();
    }
    if done < passage.len() {
        parts.push(plain(&passage[done..]));
    }
    Marked {
        parts,
        words: found.into_iter().collect(),
    }
}

fn plain(text: &str) -> Mark<'_> {
    Mark {
        text,
        is_match: false,
    }
}

/// The words of a text with their positions.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Short function words do not explain why a passage was found.
fn carries_meaning(word: &str) -> bool {
    const GRAMMAR: [&str; 40] = [
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "did", "do", "does", "for", "from",
        "had", "has", "have", "how", "in", "is", "it", "of", "on", "or", "our", "that", "the",
        "their", "this", "to", "was", "we", "were", "what", "when", "where", "which", "who", "why",
        "with",
    ];
    !GRAMMAR.contains(&word) && (word.chars().count() > 1 || !word.is_ascii())
}

/// Whether two words are equal, or forms of one word: `caches` and `cached`, `서버를` and `서버`.
fn is_form_of(word: &str, wanted: &str) -> bool {
    if word == wanted {
        return true;
    }
    let shared = word
        .chars()
        .zip(wanted.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let is_long = |text: &str| text.chars().count() - shared > ENDING_CHARS;
    // A syllable of Korean, Chinese or Japanese carries more than a letter.
    let stem = if wanted.is_ascii() { STEM_CHARS } else { 2 };
    shared >= stem && !is_long(word) && !is_long(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(passage: &str, question: &str) -> String {
        let marked = marked(passage, question);
        let whole: String = marked.parts.iter().map(|part| part.text).collect();
        assert_eq!(whole, passage);
        let show = |part: &Mark<'_>| match part.is_match {
            true => format!("[{}]", part.text),
            false => part.text.to_owned(),
        };
        marked.parts.iter().map(show).collect()
    }

    #[test]
    fn the_words_of_the_question_are_marked_in_their_forms() {
        assert_eq!(
            shown("The caches live in Redis.", "where is the CACHE?"),
            "The [caches] live in Redis."
        );
        assert_eq!(
            shown("결제 서버를 옮겼다", "서버는 어디에 있나?"),
            "결제 [서버를] 옮겼다"
        );
        assert_eq!(shown("", "cache"), "");
        assert_eq!(shown("cat", "category"), "cat");
        assert_eq!(
            shown("<script>x</script>", "script"),
            "<[script]>x</[script]>"
        );
    }
}
