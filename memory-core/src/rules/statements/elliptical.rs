//! Recognises a decision that is understood only with the question that it answers ("let's go with
//! 5"), that question, and whether the one answers the other.

use std::ops::Range;

use crate::rules::pattern::Pattern;
use crate::rules::times::overlap;
use crate::text::scripts::{is_hangul, is_unspaced};

/// A sentence with more words, or more letters of a script without spaces, says enough.
const MAX_WORDS: usize = 8;
const MAX_CONTENT_WORDS: usize = 2;
const MAX_KOREAN_WORDS: usize = 2;
const MAX_LETTERS: usize = 8;

/// A question of fewer characters asks for nothing by itself ("right?"); of more bytes it is none
/// that one would remember.
const MIN_QUESTION_LENGTH: usize = 12;
const MIN_QUESTION_LETTERS: usize = 6;
const MAX_QUESTION_LENGTH: usize = 240;

/// Words that decide, agree or point, and say nothing of what is decided.
const FRAME: [&str; 56] = [
    "a", "agree", "agreed", "alright", "an", "be", "choose", "decide", "decided", "do", "fine",
    "first", "for", "former", "go", "going", "gonna", "i", "instead", "is", "it", "just", "last",
    "latter", "let", "lets", "ll", "now", "ok", "okay", "on", "one", "ones", "option", "pick",
    "please", "right", "s", "second", "settle", "settled", "so", "sure", "take", "that", "the",
    "then", "third", "this", "to", "us", "use", "we", "will", "with", "yes",
];

/// Words that join what is decided to what it is decided for, or say that something is not wanted:
/// such a decision names its subject ("use Mollie for payments", "against GraphQL").
const JOINING: [&str; 3] = ["for", "on", "to"];
const REFUSING: &str = "against";

/// Whether a decision says too little to be understood by itself.
pub(crate) fn is_elliptical(sentence: &str) -> bool {
    if sentence.chars().any(is_hangul) {
        return sentence.split_whitespace().count() <= MAX_KOREAN_WORDS;
    }
    let letters = sentence.chars().filter(|c| is_letter(*c)).count();
    if letters > 0 {
        return letters <= MAX_LETTERS && !NAMES_TOPIC.is_match(sentence);
    }
    let words = words_of(sentence);
    let is_content = |word: &String| !FRAME.contains(&word.as_str());
    let content = words.iter().filter(|word| is_content(word)).count();
    let begins = words.iter().position(is_content).unwrap_or(words.len());
    let is_subject = |word: &String| word == "the" || is_content(word) && !is_number(word);
    let joined = words[begins..]
        .windows(2)
        .any(|pair| JOINING.contains(&pair[0].as_str()) && is_subject(&pair[1]));
    let names_subject = joined || words.iter().any(|word| word == REFUSING);
    words.len() <= MAX_WORDS && content <= MAX_CONTENT_WORDS && !names_subject
}

/// What is decided for what: "地図はLeafletを使います".
static NAMES_TOPIC: Pattern = Pattern::lean(r"^[^、。,]*[^、。,れこ]は、?[^、。]+[をで]");

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// The words of a sentence in lower case.
fn words_of(sentence: &str) -> Vec<String> {
    sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn is_letter(c: char) -> bool {
    is_unspaced(c) || is_hangul(c)
}

/// What asks for one of several things, or for a number, a name, a place or a time.
static OPEN: Pattern = Pattern::lean(
    r"(?i)\b(?:which|what|how (?:many|much|long|often|big|large|small|high|old|far|soon|fast|strict|deep|do|should|shall|would|can|could)|where|when|who|whom|or)\b|어떻|어떤|어느|무엇|뭐|뭘|뭔|몇|얼마|언제|어디|누구|누가|아니면|どう|どちら|どっち|どの|どれ|何|いくつ|いくら|いつ|どこ|誰|それとも|什么|哪|多少|几|怎么|怎样|何时|谁|还是",
);

/// What asks whether to do one thing.
static CLOSED: Pattern =
    Pattern::lean(r"(?i)\b(?:should|shall|prefer|want)\b|까요?\s*[?？]|ましょうか|要不要|好不好");

/// The last question of a message that asks for a choice, outside the hidden ranges.
pub(crate) fn last_question(text: &str, hidden: &[Range<usize>]) -> Option<Range<usize>> {
    let end = text.trim_end().len();
    let mark = text[..end].rfind(['?', '？'])?;
    let end = mark + text[mark..].chars().next().map_or(0, char::len_utf8);
    let begins = text[..mark]
        .rmatch_indices(['.', '!', '?', '。', '！', '？', '\n'])
        .map(|(at, sign)| at + sign.len())
        // "v1.2" and "README.md" go on, and so does code that ends in such a sign.
        .find(|at| {
            let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '`';
            text[..*at].ends_with('\n') || !text[*at..].starts_with(goes_on)
        })
        .unwrap_or(0);
    // In a quotation, or as an item of a list.
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '>' | '-' | '*' | '•');
    let question = text[begins..end].trim_start_matches(is_mark);
    let begin = end - question.len();
    let length = question.chars().count();
    let least = match question.chars().any(is_letter) {
        true => MIN_QUESTION_LETTERS,
        false => MIN_QUESTION_LENGTH,
    };
    let is_hidden = hidden.iter().any(|part| overlap(part, &(begin..end)));
    let is_answerable = length >= least && question.len() <= MAX_QUESTION_LENGTH && !is_hidden;
    (is_answerable && (OPEN.is_match(question) || CLOSED.is_match(question))).then_some(begin..end)
}

/// Words of a question that asks how to go on, and names nothing that could be decided.
const ASKING: [&str; 67] = [
    "about",
    "ahead",
    "and",
    "any",
    "anything",
    "approach",
    "are",
    "begin",
    "best",
    "better",
    "can",
    "choose",
    "clarify",
    "clear",
    "continue",
    "could",
    "did",
    "direction",
    "does",
    "else",
    "feel",
    "forward",
    "from",
    "good",
    "help",
    "helpful",
    "here",
    "how",
    "in",
    "like",
    "look",
    "looks",
    "make",
    "me",
    "more",
    "need",
    "next",
    "of",
    "or",
    "other",
    "path",
    "prefer",
    "preference",
    "proceed",
    "questions",
    "ready",
    "sense",
    "shall",
    "should",
    "sound",
    "sounds",
    "start",
    "steps",
    "suggest",
    "there",
    "these",
    "think",
    "thoughts",
    "those",
    "want",
    "way",
    "what",
    "which",
    "work",
    "would",
    "you",
    "your",
];
/// The same in Korean, Japanese and Chinese.
static ASKS_HOW_TO_GO_ON: Pattern = Pattern::new(concat!(
    r"^(?:그럼|그러면|자|이제|다음은?|[,， ])*(?:어떻게|어느 (?:쪽|것|방법)(?:으로|을|를)?|어떤 (?:방법|것|방식)(?:으로|을|를)?|뭘|무엇을|뭐부터) ?(?:할까요?|진행(?:할까요?|하시겠어요|하시겠습니까|을? 원하시나요)|하시겠(?:어요|습니까)|하는 (?:게|것이) 좋을까요?|원하(?:세요|시나요|십니까)|선호하(?:세요|시나요))[?？]$",
    r"|^(?:では|それでは|じゃあ|次は?|、)*(?:どう|どのように|どれ|どちら|何から)[にをでが]?(?:しますか|しましょうか|進めますか|進めましょうか|いいですか|よいですか|いきますか)[?？]$",
    r"|^(?:那么?|接下来|下一步|[，,])*(?:怎么(?:办|做|样|进行)|如何(?:进行|继续|处理)|你?(?:觉得|想|希望|认为)(?:呢|怎么样|怎么做|如何|选哪个|用哪个)|选哪个|要?(?:继续|开始)吗|做什么)[?？]$",
));

/// Whether a question only asks how to go on.
fn names_nothing_to_decide(question: &str) -> bool {
    let words = words_of(question);
    let is_empty =
        |word: &String| FRAME.contains(&word.as_str()) || ASKING.contains(&word.as_str());
    words.iter().all(is_empty) || ASKS_HOW_TO_GO_ON.is_match(question)
}

/// Whether a decision only points at something: "let's do that", "let's go with 5".
pub(crate) fn only_points(decision: &str) -> bool {
    let is_frame = |word: &String| FRAME.contains(&word.as_str()) || is_number(word);
    words_of(decision).iter().all(is_frame) || POINTS.is_match(decision)
}

/// The same in Korean, Japanese and Chinese.
static POINTS: Pattern = Pattern::new(
    r"^(?:좋아요?|네|그래요?|그럼|[,. ])*(?:그렇게|그걸로|그거로|이걸로|이렇게|그대로) ?(?:하자|해요|하죠|합시다|갑시다|가자|진행하자|진행합시다|할게요?)[.!]*$|^(?:はい|では|じゃあ|[、。])*(?:それで|これで|そう|そのまま|その方向で)(?:いこう|いきましょう|しよう|しましょう|お願いします|進めましょう|進めて(?:ください)?)[。!！]*$|^(?:好的?|行|嗯|那|[，,])*(?:就)?(?:这样|这么办|这么做|按这个|用这个|那样)(?:吧|做吧|来吧|办吧|了)?[。!！]*$",
);

/// Whether an elliptical decision may answer a question: what asks whether to do one thing is
/// answered by a decision that names nothing else, or another number, and what asks how to go on by
/// none.
pub(crate) fn answers(decision: &str, question: &str) -> bool {
    if names_nothing_to_decide(question) {
        return false;
    }
    if OPEN.is_match(question) || decision.chars().any(is_letter) {
        return true;
    }
    let asked = words_of(question);
    let asks_for_number = asked.iter().any(|word| is_number(word));
    words_of(decision).iter().all(|word| {
        let is_frame = FRAME.contains(&word.as_str());
        is_frame || asked.contains(word) || asks_for_number && is_number(word)
    })
}

/// What stands between a question and the decision that answers it.
const ANSWERED_BY: &str = " → ";

/// A decision behind the question that it answers.
pub(crate) fn with_question(question: &str, decision: &str) -> String {
    format!("{question}{ANSWERED_BY}{decision}")
}

/// Whether a text is a decision behind the question that it answers.
pub(crate) fn is_with_question(text: &str, decision: &str) -> bool {
    text.strip_suffix(decision)
        .is_some_and(|before| before.ends_with(ANSWERED_BY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_recognised_behind_its_question() {
        let text = with_question("How many?", "let's go with 5");
        assert_eq!(text, "How many? → let's go with 5");
        assert!(is_with_question(&text, "let's go with 5"));
        assert!(!is_with_question(&text, "How many?"));
        assert!(!is_with_question("let's go with 5", "let's go with 5"));
    }

    #[test]
    fn a_decision_without_its_subject_is_elliptical() {
        for short in [
            "let's go with 5",
            "Let's go with the second one.",
            "beach it is",
            "ok, we'll use Redis",
            "let's go with the dark theme",
            "let's go with 5 to 10",
            "let's go with Postgres with pgvector",
            "30분으로 하자",
            "それでいこう",
        ] {
            assert!(is_elliptical(short), "{short}");
        }
        for whole in [
            "We decided to use Kafka for the search index.",
            "let's go with Redis for the tariff cache",
            "We decided to use Mollie for payments.",
            "Let's use SQLite for the orders.",
            "We decided against GraphQL.",
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
            assert_eq!(found, retries);
        }
        for before in ["Two plans\n", "- redis\n- memcached\n", "1. a\n* "] {
            let asked = format!("{before}Which one do we take?");
            assert_eq!(of(&asked).as_deref(), Some("Which one do we take?"));
        }
        for coded in [
            "Should we use `redis` or memcached?",
            "Should we use `redis` or `memcached`?",
            "Should it be Vec<T> or a -> b?",
            "Which one, `a.b` or `what?`, do we take?",
        ] {
            assert_eq!(
                of(&format!("I saw both.\n> {coded}")).as_deref(),
                Some(coded)
            );
        }
        assert_eq!(
            of("세션 시간은 어떻게 할까?").as_deref(),
            Some("세션 시간은 어떻게 할까?")
        );
        assert_eq!(of("ok?"), None);
        assert_eq!(of("왜 깨지는 거지? 시계를 안 돌려서 그런가?"), None);
        assert_eq!(of("Is the server up again?"), None);
        assert_eq!(of("How was your weekend?"), None);
        assert_eq!(of("No question here."), None);
        let hidden = Range { start: 0, end: 4 };
        assert_eq!(last_question(retries, std::slice::from_ref(&hidden)), None);
    }

    #[test]
    fn a_question_of_how_to_go_on_is_answered_by_nothing() {
        for question in [
            "How would you like to proceed?",
            "What's your preference for how to proceed?",
            "Which approach do you prefer?",
            "Does this help clarify?",
            "Any questions or anything else you want to do next?",
            "그럼 어떻게 진행할까요?",
            "では、どうしますか？",
            "接下来怎么做？",
        ] {
            assert!(!answers("ok, we'll use Redis", question), "{question}");
        }
        for question in [
            "Which cache do you prefer?",
            "How many retries would you like?",
            "세션 시간은 어떻게 할까?",
            "キャッシュはどうしますか？",
            "缓存怎么做？",
        ] {
            assert!(answers("ok, we'll use Redis", question), "{question}");
        }
    }

    #[test]
    fn what_only_points_names_nothing() {
        for pointing in [
            "let's do that",
            "ok, let's go with this one",
            "let's go with 5",
            "그렇게 하자",
            "それでいきましょう",
            "就这样吧",
        ] {
            assert!(only_points(pointing), "{pointing}");
        }
        for naming in [
            "let's go with redis",
            "beach it is",
            "캐시는 그대로 두자",
            "Redisでいきましょう",
            "就用Redis吧",
        ] {
            assert!(!only_points(naming), "{naming}");
        }
    }

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [&OPEN, &CLOSED, &ASKS_HOW_TO_GO_ON, &POINTS, &NAMES_TOPIC] {
            crate::rules::pattern::tests::holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn a_decision_that_names_its_subject_says_enough() {
        assert!(!is_elliptical("地図はMapLibreを使います。"));
        assert!(is_elliptical("それはMapLibreで行きます"));
        assert!(is_elliptical("Bを使います。"));
    }

    #[test]
    fn what_names_something_else_is_no_answer_to_yes_or_no() {
        for (question, decision) in [
            ("Should we go with Redis?", "let's go with redis"),
            ("Should we go with Redis?", "yes, let's do that"),
            ("Should we use Redis or Memcached?", "let's go with Valkey"),
            ("Should we set the retries to 3?", "let's go with 5"),
            ("내일 할까요?", "그렇게 하자"),
        ] {
            assert!(answers(decision, question), "{question} {decision}");
        }
        for (question, decision) in [
            ("Shall I order lunch?", "let's use Redis"),
            ("Do you want a summary?", "we'll go with the dark theme"),
        ] {
            assert!(!answers(decision, question), "{question} {decision}");
        }
    }
}
