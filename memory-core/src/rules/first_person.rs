//! Recognises questions about what the person who asks said or did: "how far away do my parents
//! live?", 내가 뭐라고 했지?

/// A longer prompt tells more than it asks.
///
/// Source: of a set of assistants' dialogues, where nearly every question has the first person,
/// longer ones lose .02 nDCG@10 when their prompts are preferred; 60 words measure like 30.
const MAX_WORDS: usize = 30;
/// The same in scripts without spaces.
const MAX_LETTERS: usize = 90;

const ENGLISH: [&str; 8] = ["i", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll"];
/// Words of the first person, each followed by a space in Korean.
const KOREAN: [&str; 12] = [
    "내가",
    "내",
    "나는",
    "난",
    "나의",
    "나한테",
    "내게",
    "제가",
    "제",
    "저는",
    "전",
    "저의",
];
const JAPANESE: [&str; 6] = ["私", "わたし", "僕", "ぼく", "俺", "自分"];
/// "I" in Chinese, and the words in which it is something else.
const CHINESE: char = '我';
const CHINESE_OTHERS: [&str; 3] = ["我们", "我們", "自我"];

/// Words with which an English question begins that ends without a question mark.
const INTERROGATIVES: [&str; 22] = [
    "what", "what's", "when", "where", "which", "who", "whose", "why", "how", "did", "do", "does",
    "have", "has", "had", "was", "were", "am", "is", "are", "can", "could",
];
/// Endings of a question in Korean, Japanese and Chinese.
const ENDINGS: [&str; 12] = [
    "지", "나", "까", "니", "더라", "어", "か", "っけ", "吗", "嗎", "呢", "什么",
];

/// Whether a text is a short question in the first person singular.
pub(crate) fn asks_own_words(text: &str) -> bool {
    let text = text.trim();
    let mut words = text.split_whitespace();
    let is_long = words.nth(MAX_WORDS).is_some() || text.chars().nth(8 * MAX_LETTERS).is_some();
    !is_long && is_question(text) && (names_speaker(text) || names_speaker_unspaced(text))
}

fn is_question(text: &str) -> bool {
    if text.ends_with(['?', '？']) {
        return true;
    }
    let first = text
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let end = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    INTERROGATIVES.contains(&&*first) || ENDINGS.iter().any(|ending| end.ends_with(ending))
}

/// English and Korean, which put spaces between words.
fn names_speaker(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.to_lowercase().replace('’', "'");
        ENGLISH.contains(&&*word) || KOREAN.contains(&&*word)
    })
}

fn names_speaker_unspaced(text: &str) -> bool {
    if text.chars().nth(MAX_LETTERS).is_some() {
        return false;
    }
    let is_chinese = || {
        let others: usize = CHINESE_OTHERS
            .iter()
            .map(|other| text.matches(other).count())
            .sum();
        text.matches(CHINESE).count() > others
    };
    JAPANESE.iter().any(|word| text.contains(word)) || is_chinese()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_questions_in_the_first_person_are_recognised() {
        for text in [
            "How far away do my parents live?",
            "when did I plan to visit the shop",
            "Have I ever used a label printer?",
            "Which budget did I’ve set for the kitchen?",
            "내가 예산을 얼마로 정했지?",
            "제 생일 계획이 뭐였나요?",
            "私は予算をいくらにすると言いましたか",
            "我说过预算是多少吗？",
        ] {
            assert!(asks_own_words(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not() {
        let long = format!("{} my budget?", "word ".repeat(40));
        for text in [
            "How far away do her parents live?",
            "What did we decide about the cache?",
            "Which I/O library is used?",
            "I fixed the build.",
            "My tests fail.",
            "우리가 무엇을 정했지?",
            "我们决定了什么？",
            "",
            &long,
        ] {
            assert!(!asks_own_words(text), "{text}");
        }
    }
}
