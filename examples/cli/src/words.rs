//! The words that a text shares with a question, as a person sees them.

/// Words that share this many initial letters count as forms of one word.
const STEM_CHARS: usize = 4;
/// The maximum number of letters after the stem of a word form.
const ENDING_CHARS: usize = 3;

/// The words of a text with their positions.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The words of a question that carry meaning, in lower case.
pub(crate) fn asked(question: &str) -> Vec<String> {
    words(question)
        .map(|(_, word)| word.to_lowercase())
        .filter(|word| carries_meaning(word))
        .collect()
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
pub(crate) fn is_form_of(word: &str, wanted: &str) -> bool {
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

/// Whether a text has one of these words of a question in one of its forms. Chinese and Japanese
/// are written without spaces, so two characters in a row count there.
pub(crate) fn has_one_of(text: &str, wanted: &[String]) -> bool {
    let text = text.to_lowercase();
    let has = |wanted: &String| {
        words(&text).any(|(_, word)| is_form_of(word, wanted))
            || pairs(wanted).any(|pair| text.contains(&pair))
    };
    wanted.iter().any(has)
}

/// The pairs of neighbouring characters that carry meaning in Chinese and Japanese.
fn pairs(word: &str) -> impl Iterator<Item = String> {
    let chars: Vec<char> = word.chars().collect();
    let pairs: Vec<String> = chars
        .windows(2)
        .filter(|pair| {
            pair.iter()
                .all(|c| matches!(c, '\u{30a1}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'))
        })
        .map(|pair| pair.iter().collect())
        .collect();
    pairs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shares_words_in_their_forms() {
        for (text, question) in [
            ("The caches live in Redis.", "where is the CACHE?"),
            ("결제 서버를 옮겼다", "서버는 어디에 있나?"),
            ("把缓存从Redis换成Valkey", "缓存放在哪里"),
            ("セッションはRedisに置く", "どこにセッションを置く？"),
        ] {
            assert!(has_one_of(text, &asked(question)), "{question}");
        }
        for (text, question) in [
            ("The caches live in Redis.", "zebra"),
            ("What is it?", "what is it?"),
            ("결제 서버를 옮겼다", "점심은 어디서 먹나?"),
        ] {
            assert!(!has_one_of(text, &asked(question)), "{question}");
        }
    }
}
