//! Recognises a decision that is understood only with the question that it answers ("let's go with
//! 5"), and that question.

use std::ops::Range;

use crate::rules::pattern::Pattern;
use crate::text::scripts::{is_hangul, is_unspaced};

/// A sentence with more words, or more letters of a script without spaces, says enough.
const MOST_WORDS: usize = 8;
const MOST_CONTENT_WORDS: usize = 2;
const MOST_KOREAN_WORDS: usize = 2;
const MOST_LETTERS: usize = 8;

/// A question of fewer characters asks for nothing by itself ("right?"); of more bytes it is none
/// that one would remember.
const SHORTEST_QUESTION: usize = 12;
const SHORTEST_QUESTION_OF_LETTERS: usize = 6;
const LONGEST_QUESTION: usize = 240;

/// Words that decide, agree or point, and say nothing of what is decided.
const FRAME: [&str; 56] = [
    "a", "agree", "agreed", "alright", "an", "be", "choose", "decide", "decided", "do", "fine",
    "first", "for", "former", "go", "going", "gonna", "i", "instead", "is", "it", "just", "last",
    "latter", "let", "lets", "ll", "now", "ok", "okay", "on", "one", "ones", "option", "pick",
    "please", "right", "s", "second", "settle", "settled", "so", "sure", "take", "that", "the",
    "then", "third", "this", "to", "us", "use", "we", "will", "with", "yes",
];

/// Whether a decision says too little to be understood by itself.
pub(crate) fn is_elliptical(sentence: &str) -> bool {
    if sentence.chars().any(is_hangul) {
        return sentence.split_whitespace().count() <= MOST_KOREAN_WORDS;
    }
    let letters = sentence.chars().filter(|c| is_letter(*c)).count();
    if letters > 0 {
        return letters <= MOST_LETTERS;
    }
    let words: Vec<String> = sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let content = words.iter().filter(|word| !FRAME.contains(&word.as_str()));
    words.len() <= MOST_WORDS && content.count() <= MOST_CONTENT_WORDS
}

fn is_letter(c: char) -> bool {
    is_unspaced(c) || is_hangul(c)
}

/// What asks for a choice, and not whether something is so.
static CHOICE: Pattern = Pattern::new(
    r"(?i)\b(?:which|what|how|where|when|who|whom|should|shall|prefer|want|or)\b|어떻|어떤|어느|무엇|뭐|뭘|뭔|몇|얼마|언제|어디|누구|누가|까요?\s*[?？]|아니면|どう|どちら|どっち|どの|どれ|何|いくつ|いくら|いつ|どこ|誰|ましょうか|それとも|什么|哪|多少|几|怎么|怎样|何时|谁|还是|要不要|好不好",
);

/// The last question of a message that asks for a choice, outside the hidden ranges.
pub(crate) fn last_question(text: &str, hidden: &[Range<usize>]) -> Option<Range<usize>> {
    let end = text.trim_end().len();
    let mark = text[..end].rfind(['?', '？'])?;
    let end = mark + text[mark..].chars().next().map_or(0, char::len_utf8);
    let begins = text[..mark]
        .rmatch_indices(['.', '!', '?', '。', '！', '？', '\n', '>', '`'])
        .map(|(at, sign)| at + sign.len())
        // "v1.2" and "README.md" go on.
        .find(|at| !text[*at..].starts_with(|c: char| c.is_ascii_alphanumeric()))
        .unwrap_or(0);
    let question = &text[begins..end];
    let begin = end - question.trim_start().len();
    let length = text[begin..end].chars().count();
    let least = match text[begin..end].chars().any(is_letter) {
        true => SHORTEST_QUESTION_OF_LETTERS,
        false => SHORTEST_QUESTION,
    };
    let is_hidden = hidden
        .iter()
        .any(|part| part.start < end && begin < part.end);
    let is_answerable = length >= least && end - begin <= LONGEST_QUESTION && !is_hidden;
    (is_answerable && CHOICE.is_match(&text[begin..end])).then_some(begin..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_without_its_subject_is_elliptical() {
        for short in [
            "let's go with 5",
            "Let's go with the second one.",
            "beach it is",
            "ok, we'll use Redis",
            "30분으로 하자",
            "それでいこう",
        ] {
            assert!(is_elliptical(short), "{short}");
        }
        for whole in [
            "We decided to use Kafka for the search index.",
            "let's go with Redis for the tariff cache",
            "결제 게이트웨이 타임아웃은 15초로 정하자.",
            "키를 SKU로 통일하겠습니다.",
            "ログはLokiを使うことにした",
        ] {
            assert!(!is_elliptical(whole), "{whole}");
        }
    }

    #[test]
    fn the_question_is_the_last_one_that_asks_something() {
        let of = |text: &str| last_question(text, &[]).map(|span| text[span].to_owned());
        let retries = "how many retries should the payment client make?";
        for text in [
            retries.to_owned(),
            format!("I looked at v1.2 of README.md. {retries}\n"),
            format!("Hello!\n- {retries} Common values are 3 or 5."),
        ] {
            let found = of(&text).unwrap_or_default();
            assert!(found.trim_start_matches("- ") == retries, "{found}");
        }
        assert_eq!(
            of("세션 시간은 어떻게 할까?").as_deref(),
            Some("세션 시간은 어떻게 할까?")
        );
        assert_eq!(of("ok?"), None);
        assert_eq!(of("왜 깨지는 거지? 시계를 안 돌려서 그런가?"), None);
        assert_eq!(of("Is the server up again?"), None);
        assert_eq!(of("No question here."), None);
        let hidden = Range { start: 0, end: 4 };
        assert_eq!(last_question(retries, std::slice::from_ref(&hidden)), None);
    }
}
