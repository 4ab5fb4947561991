//! Reads what a decision sets to which number: "change the payment timeout to 30 seconds". Two
//! settings are of the same thing only if they name it by the same words, in whatever order.

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
static SETS: Pattern = Pattern::new(concat!(
    r"(?i)\b(?:set|chang(?:e|ed|ing)|rais(?:e|ed|ing)|lower(?:ed|ing)?|increas(?:e|ed|ing)|decreas(?:e|ed|ing)|reduc(?:e|ed|ing)|bump(?:ed|ing)?|extend(?:ed|ing)?|shorten(?:ed|ing)?|cut(?:ting)?|drop(?:ped|ping)?|adjust(?:ed|ing)?|updat(?:e|ed|ing)|mov(?:e|ed|ing)|limit(?:ed|ing)?|cap(?:ped|ping)?|keep(?:ing)?|kept|retain(?:ed|ing)?|stor(?:e|ed|ing)|put|fix(?:ed)?|switch(?:ed|ing)?|turn(?:ed)?|trim(?:med)?|make|made)(?: up| down| back)? (?:the |our |my |all )?([\w][\w'/ -]{1,60}?)(?: up| down| back)?(?: from ",
    old_number!(),
    r")? (?:up to|down to|back to|to|at|as|for) (?:be )?",
    number!(),
    r"([^,;.!]*)",
));
/// "The payment timeout is 30 seconds", "… should be raised to 30 seconds".
static IS_SET: Pattern = Pattern::new(concat!(
    r"(?i)^(?:(?:ok(?:ay)?|so|and|then|no|actually|the|our|my)[,.]? )*([\w][\w'/ -]{1,60}?) (?:is|are|was|were|has been|have been|should be|shall be|will be|must be|goes|go|gets?|got|becomes?|stays?)(?: set| changed| raised| lowered| increased| decreased| reduced| bumped| extended| shortened| cut| adjusted| capped| limited| fixed| moved)?(?: up| down| back)?(?: from ",
    old_number!(),
    r")?(?: to| at)? ",
    number!(),
    r"([^,;.!]*)",
));
/// "Let's use a timeout of 30 seconds for payments".
static WITH_SETTING: Pattern = Pattern::new(concat!(
    r"(?i)\b(?:use|using|go(?:ing)? with|have|take|keep|want|need|choose|chose) (?:a |an |the |our )([\w][\w'/ -]{1,40}?) of ",
    number!(),
    r"([^,;.!]*)",
));
/// 결제 타임아웃을 15초에서 30초로 바꾸자.
static SETS_KOREAN: Pattern = Pattern::new(concat!(
    r"(?:^|[,.] ?)(?:(?:이제|그럼|그러면|그냥|다시|역시|우리|저희) )*([^,.]{2,40}?)(?:은|는|을|를|이|가)? (?:(?:이제|다시|그냥|아예|우리) )*(?:",
    old_number!(),
    r"에서 ?)?",
    number!(),
    r"(?:으로|로|까지|에)? ?(?:하|할|합|했|정|결정|설정|바꾸|바꿉|바꿀|바꿨|바꿔|변경|늘|줄|올|내리|내립|내릴|내렸|낮|높|맞|잡|조정|제한|고정|수정|확정|가자|갑시다|두|둡|둘|뒀|야|이야|이다|였|입니다|임|예요|이에요)()",
));
/// 決済のタイムアウトを15秒から30秒に変更しましょう.
static SETS_JAPANESE: Pattern = Pattern::new(concat!(
    r"(?:^|[、。] ?)(?:(?:では|じゃあ|やっぱり|やはり|これから|今後は?|もう)、?)*([^、。はを]{2,40}?)(?:は|を|も)、?(?:もう|これからは?|今後は?)?、?(?:",
    old_number!(),
    r"から)?",
    number!(),
    r"(?:です|だ|に(?:なり|なっ)|(?:に|へ|まで|で|と)(?:し|す|変更|変え|変わ|設定|決|延ば|伸ば|延長|短縮|上げ|下げ|増や|減ら|引き上げ|引き下げ|調整|制限|固定|統一|い[きくこ]|行[きくこ]))()",
));
/// 把支付超时从15秒改成30秒.
static SETS_CHINESE: Pattern = Pattern::new(concat!(
    r"(?:^|[,，。] ?)(?:那就?|就|我们|咱们|决定|还是|算了)*(?:把|将)?([^,，。把将]{2,24}?)(?:已经|都|也|就|先|统一|最终|还是|我们|决定)*(?:从\s?",
    old_number!(),
    r")?(?:改成|改为|改到|改|设为|设成|设置为|设置成|设定为|设|定为|定成|定在|定|调到|调成|调整为|调整到|调高到|调低到|提高到|提升到|升到|降到|降低到|降为|增加到|加到|减少到|减到|延长到|缩短到|上调到|下调到|限制在|限制为|控制在|换成|用|是|为)了?\s?",
    number!(),
    "()",
));

/// What is set to which number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The words that name it, sorted.
    thing: Vec<String>,
    number: String,
    unit: String,
}

impl Setting {
    /// What a sentence sets; `None` if it sets nothing to a number.
    pub(super) fn of(text: &str) -> Option<Self> {
        let patterns = [
            &SETS,
            &IS_SET,
            &WITH_SETTING,
            &SETS_KOREAN,
            &SETS_JAPANESE,
            &SETS_CHINESE,
        ];
        patterns.into_iter().find_map(|pattern| {
            let found = pattern.for_text(text)?.captures(text)?;
            let mut groups = found.iter().skip(1).flatten();
            let (thing, value, rest) = (groups.next()?, groups.next()?, groups.next()?);
            let thing = words_of(thing.as_str(), rest.as_str());
            let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
            let value = value.as_str().trim();
            let unit = value.trim_start_matches(|c: char| !c.is_ascii_digit());
            let unit = unit.trim_start_matches(digits).trim().to_lowercase();
            let number: String = value.chars().filter(|c| digits(*c)).collect();
            let number = number.trim_end_matches(['.', ',']).to_owned();
            (!thing.is_empty()).then_some(Setting {
                thing,
                number,
                unit,
            })
        })
    }

    /// Whether an older sentence sets the same thing to another value.
    pub(super) fn changes(&self, older: &str) -> bool {
        Setting::of(older).is_some_and(|older| {
            let is_unit = self.unit.starts_with(&older.unit) || older.unit.starts_with(&self.unit);
            self.thing == older.thing && !(self.number == older.number && is_unit)
        })
    }
}

/// The words that name a thing: those before its value, and those after ("for uploads"), without a
/// reason.
fn words_of(thing: &str, rest: &str) -> Vec<String> {
    const LEFT_OUT: [&str; 24] = [
        "a", "after", "again", "all", "an", "and", "at", "for", "from", "in", "instead", "its",
        "my", "now", "of", "on", "our", "please", "s", "the", "then", "to", "too", "value",
    ];
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
    words.sort_unstable();
    words.dedup();
    words
}

/// A word without what another form of it adds: a plural's "s", a Korean particle.
fn bare(word: &str) -> String {
    if word.is_ascii() {
        return match word.len() > 3 && !word.ends_with("ss") {
            true => word.trim_end_matches('s').to_owned(),
            false => word.to_owned(),
        };
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
        ] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn a_setting_names_its_thing_in_any_order_and_its_value() {
        for (text, thing, number, unit) in [
            (
                "Let's change the payment timeout from 15 to 30 seconds.",
                "payment timeout",
                "30",
                "seconds",
            ),
            (
                "We raised the timeout of the payments to 1,500 ms because of the bank.",
                "payment timeout",
                "1,500",
                "ms",
            ),
            (
                "결제 타임아웃을 15초에서 30초로 바꾸자.",
                "결제 타임아웃",
                "30",
                "초",
            ),
            (
                "決済のタイムアウトを30秒に変更しました。",
                "決済タイムアウト",
                "30",
                "秒",
            ),
            ("把支付超时从15秒改成30秒。", "支付超时", "30", "秒"),
        ] {
            let found = Setting::of(text).expect(text);
            assert_eq!(found.thing.join(" "), thing, "{text}");
            assert_eq!([found.number, found.unit], [number, unit], "{text}");
        }
        for text in ["Let's use Redis for the sessions.", "세션은 Redis로 하자."] {
            assert_eq!(Setting::of(text), None, "{text}");
        }
    }
}
