//! Reads what a decision sets to which number: "change the payment timeout to 30 seconds". Two
//! settings are of the same thing only if they name it by the same words, in whatever order.

use super::choice::singular;
use super::doubt;
use crate::rules::pattern::Pattern;
use crate::text::keys::normalize;
use crate::text::scripts::is_unspaced;

/// A number with what may stand before and after it: "at most 1,500 ms", "$20", "50 %".
macro_rules! number {
    () => {
        r"(?:about |around |at most |at least |no more than |a maximum of |~ ?|최대 |최소 |약 |最大|最低|約|最多|至少|大约)?([$€£¥₩]?\d[\d.,]*\s?(?:%|[A-Za-z]{1,12}\b|밀리초|초|분|시간|일|주일?|개월|달|년|번|회|개|건|명|줄|자|글자|페이지|메가|기가|퍼센트|배|대|만 ?원|원|ミリ秒|秒間?|分間?|時間|日間?|週間?|か月|ヶ月|年間?|回|件|個|人|行|文字|ページ|倍|台|円|パーセント|毫秒|秒钟?|分钟|小时|个小时|天|周|个月|年|次|条|行|字|页|台|元|块)?)"
    };
}
/// The same, from which something is changed.
macro_rules! old_number {
    () => {
        r"[$€£¥₩]?\d[\d.,]*\s?(?:%|[^\s\d,.、。，]{1,6})?"
    };
}

/// "Let's change the payment timeout from 15 to 30 seconds".
static SETS: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:set|chang(?:e|ed|ing)|rais(?:e|ed|ing)|lower(?:ed|ing)?|increas(?:e|ed|ing)|decreas(?:e|ed|ing)|reduc(?:e|ed|ing)|bump(?:ed|ing)?|extend(?:ed|ing)?|shorten(?:ed|ing)?|cut(?:ting)?|drop(?:ped|ping)?|adjust(?:ed|ing)?|updat(?:e|ed|ing)|mov(?:e|ed|ing)|limit(?:ed|ing)?|cap(?:ped|ping)?|keep(?:ing)?|kept|retain(?:ed|ing)?|stor(?:e|ed|ing)|put|fix(?:ed)?|switch(?:ed|ing)?|turn(?:ed)?|trim(?:med)?|make|made)(?: up| down| back)? (?:the |our |my |all )?([\w][\w'/ -]{1,60}?)(?: up| down| back)?(?: from ",
    old_number!(),
    r")? (?:up to|down to|back to|to|at|as|for) (?:be )?",
    number!(),
    r"([^,;.!]*)",
));
/// "The payment timeout is 30 seconds", "… should be raised to 30 seconds".
static IS_SET: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:(?:ok(?:ay)?|so|and|then|no|actually|the|our|my)[,.]? )*([\w][\w'/ -]{1,60}?) (?:is|are|was|were|has been|have been|should be|shall be|will be|must be|goes|go|gets?|got|becomes?|stays?)(?: set| changed| raised| lowered| increased| decreased| reduced| bumped| extended| shortened| cut| adjusted| capped| limited| fixed| moved)?(?: up| down| back)?(?: from ",
    old_number!(),
    r")?(?: to| at)? ",
    number!(),
    r"([^,;.!]*)",
));
/// "Let's use a timeout of 30 seconds for payments".
static WITH_SETTING: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:use|using|go(?:ing)? with|have|take|keep|want|need|choose|chose) (?:a |an |the |our )([\w][\w'/ -]{1,40}?) of ",
    number!(),
    r"([^,;.!]*)",
));
/// 결제 타임아웃을 15초에서 30초로 바꾸자.
static SETS_KOREAN: Pattern = Pattern::lean(concat!(
    r"(?:^|[,.] ?)(?:(?:이제|그럼|그러면|그냥|다시|역시|우리|저희) )*([^,.]{2,40}?)(?:은|는|을|를|이|가)? (?:(?:이제|다시|그냥|아예|우리) )*(?:",
    old_number!(),
    r"에서 ?)?",
    number!(),
    r"(?:으로|로|까지|에)? ?(?:하|할|합|했|정|결정|설정|바꾸|바꿉|바꿀|바꿨|바꿔|변경|늘|줄|올|내리|내립|내릴|내렸|낮|높|맞|잡|조정|제한|고정|수정|확정|가자|갑시다|두|둡|둘|뒀|야|이야|이다|였|입니다|임|예요|이에요)()",
));
/// 決済のタイムアウトを15秒から30秒に変更しましょう.
static SETS_JAPANESE: Pattern = Pattern::lean(concat!(
    r"(?:^|[、。] ?)(?:(?:では|じゃあ|やっぱり|やはり|これから|今後は?|もう)、?)*([^、。はを]{2,40}?)(?:は|を|も)、?(?:もう|これからは?|今後は?)?、?(?:",
    old_number!(),
    r"から)?",
    number!(),
    r"(?:です|だ|に(?:なり|なっ)|(?:に|へ|まで|で|と)(?:し|す|変更|変え|変わ|設定|決|延ば|伸ば|延長|短縮|上げ|下げ|増や|減ら|引き上げ|引き下げ|調整|制限|固定|統一|い[きくこ]|行[きくこ]))()",
));
/// 把支付超时从15秒改成30秒.
static SETS_CHINESE: Pattern = Pattern::lean(concat!(
    r"(?:^|[,，。] ?)(?:那就?|就|我们|咱们|决定|还是|算了)*(?:把|将)?([^,，。把将]{2,24}?)(?:已经|都|也|就|先|统一|最终|还是|我们|决定)*(?:从\s?",
    old_number!(),
    r")?(?:改成|改为|改到|改|设为|设成|设置为|设置成|设定为|设|定为|定成|定在|定|调到|调成|调整为|调整到|调高到|调低到|提高到|提升到|升到|降到|降低到|降为|增加到|加到|减少到|减到|延长到|缩短到|上调到|下调到|限制在|限制为|控制在|换成|用|是|为)了?\s?",
    number!(),
    "()",
));

/// 日志保留30天.
static KEEPS_CHINESE: Pattern = Pattern::lean(concat!(
    r"(?:^|[,，。] ?)([^,，。把将]{0,20}?(?:保留|超时|缓存|重试|上限|间隔|有效期))\s?",
    number!(),
    "()",
));

/// What narrows a setting where it follows in a clause of its own: ", but only on staging".
static NARROWS: Pattern = Pattern::lean(
    r"(?i)\b(?:on|in|for|at|only|but|except|unless|until|during|while|when|if|per)\b|만(?:[ .,!]|$)|에서|에만|동안|단,|다만|だけ|のみ|では|限り|ただし|の間|只|仅|僅|但|除了|期间",
);

/// What narrows a whole sentence in its last clause: ", but only on staging", ", 주말에는".
static NARROWS_ALL: Pattern = Pattern::lean(
    r"(?i)[,;(（] ?(?:but |and )?(?:only|just|except|unless|until)\b|[,;(（] ?but (?:on|in|for|at|during)\b|[,(（] ?[^,)(.]{1,20}(?:에서는|에서만|에는|에만|동안만|만)[.!)]*\s*$|[、(（](?:ただし)?[^、。()]{1,20}(?:では|だけ|のみ|の間は?|に限り)[。.!)）]*\s*$|[,，(（](?:但)?(?:只|仅|僅)?在[^,，。()]{1,16}[。.!)）]*\s*$|[,，](?:但)?(?:只|仅|僅|除了)",
);

/// Whether the last clause of a sentence says that it is so only somewhere or at some time.
pub(super) fn is_narrowed(text: &str) -> bool {
    NARROWS_ALL.is_match(text)
}

/// What kind of value a number with a unit is: values of different kinds are not of the same setting.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// In milliseconds.
    Time(f64),
    /// In bytes.
    Size(f64),
    /// Of something else: the bare unit, and how many.
    Other(String, f64),
}

/// Units of time and their milliseconds.
const TIMES: [(&str, f64); 10] = [
    (
        "ms msec msecs millisecond milliseconds 밀리초 ミリ秒 毫秒",
        1.0,
    ),
    ("s sec secs second seconds 초 秒 秒間 秒钟", 1e3),
    ("m min mins minute minutes 분 分 分間 分钟", 6e4),
    ("h hr hrs hour hours 시간 時間 小时 个小时", 3.6e6),
    ("d day days 일 日 日間 天", 8.64e7),
    ("w week weeks 주 주일 週 週間 周", 6.048e8),
    ("month months 개월 달 か月 ヶ月 个月", 2.592e9),
    ("y year years 년 年 年間", 3.1536e10),
    ("us µs microsecond microseconds", 1e-3),
    ("ns nanosecond nanoseconds", 1e-6),
];
/// Units of size and their bytes.
const SIZES: [(&str, f64); 5] = [
    ("b byte bytes", 1.0),
    ("k kb kib kilobyte kilobytes", 1024.0),
    ("mb mib meg megabyte megabytes 메가", 1_048_576.0),
    ("g gb gib gig gigabyte gigabytes 기가", 1_073_741_824.0),
    ("tb tib terabyte terabytes", 1_099_511_627_776.0),
];

impl Value {
    /// The value of "1,500 ms", "$20" or "5".
    fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_digit = |c: char| c.is_ascii_digit();
        let start = text.find(is_digit)?;
        let end = text.rfind(is_digit)? + 1;
        let number: String = text[start..end].chars().filter(|c| *c != ',').collect();
        let number: f64 = number.parse().ok()?;
        let unit = text[end..].trim_matches(|c: char| c == '.' || c.is_whitespace());
        let unit = format!("{}{}", text[..start].trim(), unit.to_lowercase());
        let factor = |units: &[(&str, f64)]| {
            let mut units = units.iter();
            let found = units.find(|(names, _)| names.split(' ').any(|name| name == unit));
            found.map(|(_, factor)| number * factor)
        };
        Some(match (factor(&TIMES), factor(&SIZES)) {
            (Some(time), _) => Value::Time(time),
            (_, Some(size)) => Value::Size(size),
            _ => Value::Other(bare(&unit), number),
        })
    }

    /// Whether it is another value of the same kind.
    fn differs_from(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Time(one), Value::Time(other)) | (Value::Size(one), Value::Size(other)) => {
                one != other
            }
            (Value::Other(unit, one), Value::Other(other_unit, other)) => {
                unit == other_unit && one != other
            }
            _ => false,
        }
    }
}

/// What is set to which value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    /// The words that name it, sorted.
    thing: Vec<String>,
    value: Value,
}

impl Setting {
    /// What a sentence sets; `None` if it sets nothing to a number, or not here and now.
    pub(super) fn of(text: &str) -> Option<Self> {
        // Every pattern has a number; it is compared with many sentences, of which few have one.
        if !text.contains(char::is_numeric) {
            return None;
        }
        let patterns = [
            &SETS,
            &IS_SET,
            &WITH_SETTING,
            &SETS_KOREAN,
            &SETS_JAPANESE,
            &SETS_CHINESE,
            &KEEPS_CHINESE,
        ];
        let found = patterns
            .into_iter()
            .find_map(|pattern| pattern.for_text(text)?.captures(text))?;
        if doubt::is_doubtful(text) {
            return None;
        }
        let mut groups = found.iter().skip(1).flatten();
        let (thing, value, rest) = (groups.next()?, groups.next()?, groups.next()?);
        let whole = found.get(0)?;
        let after = &text[whole.end()..];
        let mut words = words_of(thing.as_str(), rest.as_str());
        words.extend(opening_words(&text[..whole.start()]));
        if NARROWS.is_match(after) {
            words.extend(words_of(after, ""));
        }
        words.sort_unstable();
        words.dedup();
        let value = Value::of(value.as_str())?;
        (!words.is_empty()).then_some(Setting {
            thing: words,
            value,
        })
    }

    /// Whether an older sentence sets the same thing to another value.
    pub(super) fn changes(&self, older: &Setting) -> bool {
        self.thing == older.thing && self.value.differs_from(&older.value)
    }
}

/// Words that do not tell one thing from another.
const LEFT_OUT: [&str; 24] = [
    "a", "after", "again", "all", "an", "and", "at", "for", "from", "in", "instead", "its", "my",
    "now", "of", "on", "our", "please", "s", "the", "then", "to", "too", "value",
];

/// The words before what is set that say where or when it is ("on staging"), without those that only
/// begin a decision.
fn opening_words(before: &str) -> Vec<String> {
    const BEGINS: &str = "actually agreed all already also and change decided finally fine going good have hey i \
        instead just let lets ll no now of ok okay plan plans please rather re really recently \
        right s scrap should simply so that then think to ve wait we well were weve will yes 그냥 \
        그래 그러면 그럼 네 역시 음 자 はい では 우리 저희 이제 아니다 생각해 보니 좋아 오케이 うん もう やっぱり やはり じゃあ 了解 那 那就 就 好 好的 行 \
        嗯 我们 决定 算了";
    let plain = normalize(before, ' ');
    let words = plain.split(' ').filter(|word| {
        let begins = || BEGINS.split(' ').any(|other| other == *word);
        !word.is_empty() && !LEFT_OUT.contains(word) && !begins()
    });
    words.map(bare).collect()
}

/// The words that name a thing: those before its value, and those after ("for uploads"), without a
/// reason.
fn words_of(thing: &str, rest: &str) -> Vec<String> {
    const REASONS: [&str; 6] = ["as", "because", "instead", "rather", "since", "so"];
    let mut words = Vec::new();
    for (part, has_reason) in [(thing, false), (rest, true)] {
        for word in normalize(part, ' ').split(' ') {
            if has_reason && REASONS.contains(&word) {
                break;
            }
            if !word.is_empty() && !LEFT_OUT.contains(&word) {
                words.push(bare(word));
            }
        }
    }
    words
}

/// A word without what another form of it adds: a plural's "s", a Korean particle.
fn bare(word: &str) -> String {
    if word.is_ascii() {
        return singular(word).to_owned();
    }
    if word.contains(is_unspaced) {
        return word.replace(['の', '的'], "");
    }
    let particle = ["은", "는", "을", "를", "의"].iter().find_map(|particle| {
        let bare = word.strip_suffix(particle)?;
        (bare.chars().count() >= 2).then_some(bare)
    });
    particle.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &SETS,
            &IS_SET,
            &WITH_SETTING,
            &SETS_KOREAN,
            &SETS_JAPANESE,
            &SETS_CHINESE,
            &KEEPS_CHINESE,
            &NARROWS,
            &NARROWS_ALL,
        ] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn a_setting_names_its_thing_in_any_order_and_its_value() {
        for (text, thing, value) in [
            (
                "Let's change the payment timeout from 15 to 30 seconds.",
                "payment timeout",
                Value::Time(3e4),
            ),
            (
                "We raised the timeout of the payments to 1,500 ms because of the bank.",
                "payment timeout",
                Value::Time(1500.0),
            ),
            (
                "결제 타임아웃을 15초에서 30초로 바꾸자.",
                "결제 타임아웃",
                Value::Time(3e4),
            ),
            (
                "決済のタイムアウトを30秒に変更しました。",
                "決済タイムアウト",
                Value::Time(3e4),
            ),
            ("把支付超时从15秒改成30秒。", "支付超时", Value::Time(3e4)),
            (
                "On staging, let's set the price to $20.",
                "price staging",
                Value::Other("$".to_owned(), 20.0),
            ),
            (
                "Let's cap uploads at 10 MB, but only for Acme.",
                "acme but only upload",
                Value::Size(10_485_760.0),
            ),
        ] {
            let found = Setting::of(text).expect(text);
            assert_eq!(found.thing.join(" "), thing, "{text}");
            assert_eq!(found.value, value, "{text}");
        }
        for text in ["Let's use Redis for the sessions.", "세션은 Redis로 하자."] {
            assert_eq!(Setting::of(text), None, "{text}");
        }
    }
}
