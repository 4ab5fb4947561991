//! Recognises conversational messages, which say more than they ask: "Good morning! The draft reads
//! well. What is left to do?" A question that is looked up is a single sentence, at most with one
//! that explains it.

/// Of a longer text, its beginning decides.
const MAX_BYTES: usize = 4_000;
/// A part with fewer letters is no sentence: "1.", "e.g."
const SENTENCE_LETTERS: usize = 4;

/// Whether a text is a message rather than a question: of its sentences, two tell something, or
/// one does after a question.
pub(crate) fn is_message(text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let is_sentence = |sentence: &&str| {
        let letters = sentence.chars().filter(|c| c.is_alphabetic());
        letters.count() >= SENTENCE_LETTERS
    };
    let (mut asks, mut tells) = (0, 0);
    for sentence in sentences_of(text).filter(is_sentence) {
        match sentence.ends_with(['?', '？']) {
            true => asks += 1,
            false if asks > 0 => return true,
            false => tells += 1,
        }
    }
    tells > 1
}

/// The sentences of a text: each ends at a mark that white space or the end follows, or at a
/// full-width mark.
fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .find_map(|(at, c)| {
                let end = at + c.len_utf8();
                let goes_on = || !rest[end..].chars().next().is_none_or(char::is_whitespace);
                let ends = match c {
                    '。' | '！' | '？' => true,
                    '.' | '!' | '?' => !goes_on(),
                    _ => false,
                };
                ends.then_some(end)
            })
            .unwrap_or(rest.len());
        let (sentence, further) = rest.split_at(end);
        rest = further;
        Some(sentence.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_more_than_it_asks_is_a_message() {
        for text in [
            "Good morning! The draft reads well. What is left to do?",
            "Ready for the next step? I have the numbers now",
            "I moved the parser. Let us go on with the tests.",
            "안녕하세요. 초안이 좋네요. 다음은 뭐죠?",
            "おはようございます。下書きは良いです。次は何ですか？",
            "早上好同学们。草稿写得不错。下一步是什么？",
        ] {
            assert!(is_message(text), "{text}");
        }
    }

    #[test]
    fn a_question_is_none_even_with_a_sentence_that_explains_it() {
        for text in [
            "What is left to do?",
            "Who wrote it? And when?",
            "The build fails on macOS. What did we change?",
            "What changed in v1.2.3 of the parser, e.g. the lexer?",
            "1. parse a date in python",
            "次は何ですか？",
            "Done.",
            "",
        ] {
            assert!(!is_message(text), "{text}");
        }
        let long = "word ".repeat(2_000);
        assert!(!is_message(&long));
    }
}
