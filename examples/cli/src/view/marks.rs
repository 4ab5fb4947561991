//! Marks the words of a passage that are words of the question.
//!
//! The library knows better why a passage was found (word forms, related words, neighbours); this
//! shows only the part that a person can see.

use std::collections::BTreeSet;

use crate::words::{asked, is_form_of, words};

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
    let wanted = asked(question);
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
