//! Recognises a sentence that gives another answer to the question that was just answered: "actually
//! make it 7". It says nothing by itself, so it is none of the cues.

use std::ops::Range;

use super::finding::{Finding, FindingKind, Speaker};
use super::{cues, doubt, prose, quotations, sentences, staged};
use crate::rules::pattern::Pattern;

/// A longer message says more than another answer.
const MAX_MESSAGE_LENGTH: usize = 240;

/// Numbers that are written out.
macro_rules! number_words {
    () => {
        "two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|hundred"
    };
}

/// A number that is answered.
macro_rules! number {
    () => {
        concat!(
            r"(?P<number>[$€£¥]?\d[\d.,]*\s?(?:%|[A-Za-z]{1,12}|밀리초|초|분|시간|일|번|회|개|명|ミリ秒|秒|分|時間|日|回|件|個|人|毫秒|秒钟?|分钟|小时|天|次|个|条|行)?|",
            number_words!(),
            ")"
        )
    };
}

/// "Actually make it 7", "no, 7", "make that 7 instead".
static ENGLISH: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:(?:oh|ah|hmm+|ok(?:ay)?|well|um|uh|hm|and|but|so)[,.… ]+)*(?:",
    r"(?P<corrects>(?:(?:actually|no|nope|nah|wait|sorry|hold on|on second thoughts?|scratch that|correction|oops|my bad|never ?mind)\b[,.:;!… –—-]*)+)(?:no[, ]+)?(?:(?:(?:let's|lets|we'll|we should|i'd rather|i'll|please|just|rather) )*(?P<verb>make (?:it|that)|go with|go for|use|take|pick|do|set it to|change (?:it|that) to|switch (?:it |that )?to|raise it to|lower it to|bump it to|i meant|i mean) (?:the )?)?",
    r"|(?P<changes>(?:(?:let's|lets|we'll|please|just) )*(?:change (?:it|that) to|make (?:it|that)|switch (?:it|that) to|bump (?:it|that)(?: up)? to|raise (?:it|that) to|lower (?:it|that) to)) (?:the )?)",
    r"(?:",
    number!(),
    r"|(?P<other>[\w.+#/-]+(?: [\w.+#/-]+){0,2}?))(?P<instead>,? instead)?(?:,? (?:then|please|after all|thanks|thank you|not [\w.]+))*[.! ]*$",
));
/// 아니 7로 하자, 역시 7로 가자, 7로 바꾸자.
static KOREAN: Pattern = Pattern::lean(concat!(
    r"^(?:(?:음+|어|아|앗|오)[,.… ]+)*(?:",
    r"(?P<corrects>(?:(?:아니(?:다|야|요)?|아뇨|역시|다시 ?생각해 ?보니까?|생각해 ?보니까?|미안|정정|아무래도|차라리)[,.!… ]+)+)(?:(?:그냥|다시)[,… ]+)?|(?P<changes>))",
    r"(?:",
    number!(),
    r"|(?P<other>[가-힣A-Za-z0-9.+#_-]{1,16}?))",
    r"(?:으?로)(?: ?(?P<verb>하자|하죠|합시다|할게요?|하겠습니다|하는 게 (?:좋겠|낫겠)[가-힣]*|해 ?줘|해 ?주세요|가자|가죠|갑시다|갈게요?|부탁해요?|바꾸자|바꾸죠|바꿀게요?|바꿔 ?줘|바꿔 ?주세요|변경하자|변경해 ?줘|변경해 ?주세요|정정할게요?|쓰자|둘게요?|두자))?[.! ]*$",
));
/// やっぱり7にしよう, いや、7で, 7に変えよう.
static JAPANESE: Pattern = Pattern::lean(concat!(
    r"^(?:(?:あ|え|うーん|んー|えっと|ごめん(?:なさい)?|すみません|すいません)[、。,… ]+)*(?:",
    r"(?P<corrects>(?:(?:やっぱり?|やはり|いや(?:いや)?|いいえ|違う|違った|訂正(?:です|します)?|(?:ちょっと)?待って|考え直して)[、。:：,… ]*)+)|(?P<changes>))",
    r"(?:",
    number!(),
    r"|(?P<other>[ァ-ヶーA-Za-z0-9.+#_-]{2,16}?))",
    r"(?P<verb>に(?:しよう|しましょう|します|して(?:ください)?|する|変え(?:よう|ましょう|ます|て(?:ください)?)|変更(?:しよう|しましょう|します|して(?:ください)?))|で(?:いこう|行こう|いきましょう|行きましょう|お願い(?:します)?)?|を使(?:おう|いましょう|います)|です|だ)(?:か?な?ね|よ)?[。！!. ]*$",
));
/// 还是用7吧, 不，改成7, 改成7吧.
static CHINESE: Pattern = Pattern::lean(concat!(
    r"^(?:(?:嗯+|哦|啊|呃|抱歉|不好意思)[，,。… ]+)*(?:",
    r"(?P<corrects>(?:(?:还是|不(?:[，,。 ])|不对|不是|等等|等一下|算了|更正|说错了|我说错了|再想想)[，,。:： ]*)+)|(?P<changes>))",
    r"(?:(?:我们?|就|那就?|还是|应该)*(?P<verb>用|选|选用|改成|改为|改用|改到|换成|换到|设成|设为|设置为|定为|定成|调到|调成|是)\s?)?",
    r"(?:",
    number!(),
    r"|(?P<other>[A-Za-z][A-Za-z0-9.+#_-]{1,15}))",
    r"(?:吧|好了|了吧|了)?[。！!. ]*$",
));

/// What says only that an answer was heard.
static TAKES_NOTE: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:(?:ok(?:ay)?|sure|understood|got it|noted|will do|done|great|perfect|alright|thanks|thank you|sounds good",
    r"|네|넵|알겠(?:습니다|어요?)|좋(?:습니다|아요?)|はい|了解(?:です|しました)?|承知(?:しました|です)?|(?:分|わ)かりました|好的?|明白了?|收到|知道了)[,.!。，、！ ]*)+$",
));

/// What is no answer, though it stands where one does: "wait a minute", "no problem".
const NO_ANSWERS: [&str; 30] = [
    "better", "bigger", "clear", "clearer", "easier", "fast", "faster", "good", "happen", "it",
    "later", "nicer", "now", "once", "pop", "problem", "quick", "quicker", "readable", "right",
    "simple", "simpler", "smaller", "so", "sure", "that", "this", "thing", "what", "work",
];
/// Words of which an answer has none: it is a clause, a proposal or about nothing.
const IN_NO_ANSWER: [&str; 26] = [
    "a", "and", "are", "because", "but", "can", "could", "fail", "fails", "if", "is", "maybe",
    "minute", "moment", "more", "not", "perhaps", "sec", "second", "should", "was", "when",
    "whether", "would", "you", "your",
];

/// The sentence of a message that gives another answer, after a first one.
pub(crate) fn find(
    text: &str,
    speaker: Speaker,
    hidden: &[Range<usize>],
    first: &str,
) -> Option<Finding> {
    if text.len() > MAX_MESSAGE_LENGTH || staged::is_staged(text, speaker) {
        return None;
    }
    let quoted = quotations::spans(text);
    let blocks = prose::read(text, hidden).blocks.into_iter();
    let mut spans = blocks.flat_map(|block| sentences::split(text, block.span, &quoted));
    let span = spans.find(|span| is_another(&text[span.clone()], first))?;
    Some(Finding {
        kind: FindingKind::Decision,
        span,
        subject: None,
        blocker: None,
        verb: None,
        confidence: cues::LIKELY,
    })
}

/// Whether a sentence gives another answer than a first one, of the same kind: a number for a number.
pub(crate) fn is_another(sentence: &str, first: &str) -> bool {
    Answer::of(sentence).is_some_and(|answer| (answer == Answer::Number) == has_number(first))
}

/// Whether a message between two answers says nothing else that the second may be about.
pub(crate) fn only_takes_note(text: &str) -> bool {
    TAKES_NOTE.is_match(text.trim())
}

/// Whether a sentence has the form of another answer.
pub(crate) fn is_form_of_one(sentence: &str) -> bool {
    Answer::of(sentence).is_some()
}

fn has_number(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let mut digits = text.char_indices().filter(|(_, c)| c.is_ascii_digit());
    // "S3" is a name.
    digits.any(|(at, _)| !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()))
        || words.any(|word| {
            let word = word.to_lowercase();
            number_words!().split('|').any(|number| number == word)
        })
}

/// What kind of answer a sentence gives instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Number,
    Other,
}

impl Answer {
    fn of(sentence: &str) -> Option<Self> {
        let sentence = sentence.trim();
        let patterns = [&ENGLISH, &KOREAN, &JAPANESE, &CHINESE].into_iter();
        let found = patterns.filter_map(|pattern| pattern.for_text(sentence)?.captures(sentence));
        let mut answers = found.filter_map(|found| {
            let text = |name: &str| found.name(name).map_or("", |group| group.as_str());
            let has = |name: &str| !text(name).is_empty();
            let says_change = says_change(text("verb"));
            let is_change = has("changes") || says_change;
            let is_number = has("number") && (has("corrects") || is_change || has("instead"));
            // "Make it async" is more work, and no other answer.
            let is_other = may_answer(text("other"))
                && (says_change || (has("corrects") && chooses(text("verb"))));
            match (is_number, is_other) {
                (true, _) => Some(Answer::Number),
                (false, true) => Some(Answer::Other),
                (false, false) => None,
            }
        });
        let answer = answers.next()?;
        (!doubt::is_doubtful(sentence)).then_some(answer)
    }
}

/// Whether a verb takes one thing of several: "use Valkey", not "make it async" or "do nothing".
fn chooses(verb: &str) -> bool {
    const OTHERS: [&str; 6] = ["make it", "make that", "do", "です", "だ", "是"];
    !verb.is_empty() && !OTHERS.contains(&verb.to_lowercase().as_str())
}

/// Whether a verb alone says that something is changed.
fn says_change(verb: &str) -> bool {
    const CHANGING: [&str; 9] = [
        "바꾸", "바꿀", "바꿔", "변경", "に変", "改成", "改为", "改用", "换成",
    ];
    CHANGING.iter().any(|change| verb.starts_with(change))
}

/// Whether some words may be an answer.
fn may_answer(words: &str) -> bool {
    if words.is_empty() {
        return false;
    }
    let lower = words.to_lowercase();
    let is_no_answer = |word: &str| NO_ANSWERS.contains(&word);
    let ends = lower.rsplit(' ').next().is_some_and(is_no_answer);
    !ends && !lower.split(' ').any(|word| IN_NO_ANSWER.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [&ENGLISH, &KOREAN, &JAPANESE, &CHINESE, &TAKES_NOTE] {
            holds_for_matches(&pattern.source());
        }
    }

    fn answers_again(first: &str, text: &str) -> bool {
        find(text, Speaker::User, &[], first).is_some()
    }

    #[test]
    fn another_answer_is_of_the_same_kind() {
        for (first, text) in [
            ("let's go with 5", "Actually make it 7"),
            ("let's go with 5", "Hmm, actually let's do 7."),
            ("let's go with 5", "no, 7"),
            ("let's go with 5", "wait, make that 7 please"),
            ("let's go with five", "Actually, seven."),
            ("let's go with 5 seconds", "make it 10 seconds instead"),
            ("let's go with Redis", "Actually, let's use Valkey."),
            ("let's go with Redis", "sorry, I meant Valkey"),
            (
                "let's go with the dark theme",
                "no wait, go with the light theme",
            ),
            ("5로 하자", "아니 7로 하자"),
            ("5로 하자", "아니다, 그냥 7로 가자."),
            ("5로 하자", "역시 7로 할게"),
            ("5로 하자", "7로 바꾸자"),
            ("Redis로 하자", "아니 Valkey로 하자"),
            ("5にしよう", "やっぱり7にしよう"),
            ("5にしましょう", "いや、7でお願いします。"),
            ("5にしよう", "7に変えよう"),
            ("Redisにしよう", "やっぱりValkeyにします"),
            ("用5吧", "还是用7吧"),
            ("用5吧", "不，改成7。"),
            ("用5吧", "改成7吧"),
            ("用Redis吧", "还是用Valkey吧"),
            // A digit in a name is no number.
            ("let's go with S3", "Actually, let's use GCS."),
            ("let's go with EC2", "no, use Lambda"),
        ] {
            assert!(answers_again(first, text), "{first} | {text}");
        }
    }

    #[test]
    fn only_an_acknowledgement_may_stand_between_two_answers() {
        for text in [
            "Understood.",
            "OK, done!",
            "Got it, thanks.",
            "Sure",
            "네, 알겠습니다.",
            "はい、承知しました。",
            "好的，明白了。",
        ] {
            assert!(only_takes_note(text), "{text}");
        }
        for text in [
            "",
            "Done, Redis is set up. Next I write the Dockerfile on Alpine.",
            "Done. Is 3 retries ok?",
            "Did all tests pass?",
            "네, 도커 이미지도 만들까요?",
            "はい。テストも書きますか？",
            "好的，用哪个端口？",
        ] {
            assert!(!only_takes_note(text), "{text}");
        }
    }

    #[test]
    fn what_only_begins_like_another_answer_is_none() {
        for (first, text) in [
            ("let's go with 5", "7"),
            ("let's go with 5", "7 tests fail"),
            ("let's go with 5", "no problem"),
            ("let's go with 5", "wait a second"),
            ("let's go with 5", "Actually make it 7?"),
            ("let's go with 5", "actually 7 is too many"),
            ("let's go with 5", "Actually, should we make it 7?"),
            ("let's go with 5", "if it is slow make it 7"),
            ("let's go with 5", "maybe make it 7"),
            ("let's go with 5", "no, don't make it 7"),
            ("let's go with 5", "Bob said make it 7"),
            ("let's go with 5", "\"actually make it 7\""),
            ("let's go with 5", "> actually make it 7"),
            ("let's go with 5", "actually let's use the dark theme"),
            ("let's go with 5", "make it faster"),
            ("let's go with Redis", "make it readable"),
            ("let's go with Redis", "actually make it work"),
            ("let's go with Redis", "actually make it 7"),
            ("let's go with Redis", "sorry, use what?"),
            ("let's go with Redis", "no, it works"),
            // More work, and no other answer.
            ("let's go with Postgres", "Make it async."),
            ("let's go with Postgres", "just make it private"),
            ("let's go with Postgres", "Make it short."),
            ("let's go with Postgres", "make it idempotent"),
            ("let's go with Postgres", "make that clickable"),
            ("let's go with Postgres", "Actually, make it pass"),
            ("let's go with Postgres", "actually do nothing"),
            ("let's go with Postgres", "nope, do it again"),
            ("let's go with Postgres", "no, do the docs"),
            ("let's go with Postgres", "change it to dark mode"),
            ("Redisにしよう", "いや、バグです"),
            ("Redisにしよう", "いや、ダメです"),
            ("用Redis吧", "不是，是bug"),
            ("Redis로 하자", "그냥 영어로 해줘"),
            ("Redis로 하자", "다시 한국어로 해줘"),
            ("5로 하자", "다시 3번으로"),
            ("let's go with S3", "no, 7"),
            ("let's go with v2", "no, 7"),
            ("5로 하자", "7로 하자고?"),
            ("5로 하자", "7로 하면 어때?"),
            ("5로 하자", "아니 7로 하지 마"),
            ("5로 하자", "팀장님이 7로 하자고 했어"),
            ("5로 하자", "아니 그게 아니라"),
            ("5로 하자", "아니 7로 하자는 건 아니야"),
            ("5にしよう", "やっぱり7にする？"),
            ("5にしよう", "やっぱり7はやめよう"),
            ("5にしよう", "7にしようと言っていた"),
            ("5にしよう", "やっぱり難しい"),
            ("用5吧", "还是用7吗？"),
            ("用5吧", "还是算了吧"),
            ("用5吧", "还是不行"),
            ("用5吧", "他说还是用7吧"),
            ("用5吧", "不，不要改成7"),
        ] {
            assert!(!answers_again(first, text), "{first} | {text}");
        }
    }
}
