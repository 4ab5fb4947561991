//! Reads rules of Korean, Japanese and Chinese whose words have no spaces or carry particles, so
//! that they cannot be compared word by word: what is to be used or not, and how something is done.

use crate::rules::pattern::Pattern;
use crate::text::keys::normalize;

/// "Always use tabs" and "never use tabs": what, and in a second group what forbids it.
static USES_KOREAN: Pattern = Pattern::lean(
    r"^(?:(?:앞으로|이제|이제부터|항상|언제나|절대로?|꼭|반드시|가급적|되도록|제발)(?:는|은)?,? )*(.{1,20}?)(?:을|를|은|는)? (?:(?:항상|언제나|절대로?|꼭|반드시|가급적|되도록|더 ?이상)(?:은|는)? )*(?:(?:쓰|사용하)(지 ?(?:마|말|않)|면 안)|사용 ?(금지)|써|사용해|쓰|사용하)",
);
static USES_JAPANESE: Pattern = Pattern::lean(
    r"^(?:(?:今後は?|これからは?|常に|いつも|必ず|絶対に|なるべく|できるだけ|もう)、?)*([^、。をは]{1,20})(?:を|は)、?(?:常に|いつも|必ず|絶対に|なるべく|できるだけ|もう)*使(?:用し)?(わ?ない|うな|用禁止|って|う|い|て|用)",
);
static USES_CHINESE: Pattern = Pattern::lean(
    r"^(?:请|你|以后|今后|从现在起|从今以后|，|,)*(?:始终|一直|总是|一律|都|务必|一定|绝对|永远)*(不要再?|别再?|禁止|不准|不许|勿|不)?(?:再)?(?:使用|用)([^，,。用]{1,16}?)[。!！]*$",
);
/// How something is done: what, in which manner, and the rest.
static IN_JAPANESE: Pattern = Pattern::lean(
    r"^([^、。は]{2,20}は)、?([^、。でにを]{1,12})((?:で|に)[^、。]{1,16}?)[。!！]*$",
);
static IN_KOREAN: Pattern = Pattern::lean(
    r"^(?:(?:앞으로|이제|이제부터|항상|언제나|꼭|반드시)(?:는|은)?,? )*(.{1,20}?)(?:은|는) (?:(?:항상|언제나|꼭|반드시) )*([^ ,.]{2,8}?)(로 [^,.]{1,16}?)[.! ]*$",
);
static IN_CHINESE: Pattern = Pattern::lean(
    r"^([^，,。用]{0,12})用([^用，,。]{1,8}?)((?:写|回答|回复|编写|提交|命名|交流|沟通|说|讲|解释|翻译)[^，,。]{0,12}?)[。!！]*$",
);
/// Words that only say that a rule holds from now on, always, or please.
static FILLS: Pattern = Pattern::lean(
    r"今後は?|これからは?|常に|いつも|必ず|请你?|以后|今后|从现在起|从今以后|始终|一直|总是|一律|都|务必",
);

/// A rule about what is used.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Use {
    thing: String,
    forbids: bool,
}

impl Use {
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let korean = || {
            let found = USES_KOREAN.for_text(text)?.captures(text)?;
            let forbids = found.get(2).is_some() || found.get(3).is_some();
            Some((found.get(1)?.as_str(), forbids))
        };
        let japanese = || {
            let found = USES_JAPANESE.for_text(text)?.captures(text)?;
            let how = found.get(2)?.as_str();
            let forbids = ["ない", "うな", "禁止"].iter().any(|no| how.contains(no));
            Some((found.get(1)?.as_str(), forbids))
        };
        let chinese = || {
            let found = USES_CHINESE.for_text(text)?.captures(text)?;
            Some((found.get(2)?.as_str(), found.get(1).is_some()))
        };
        let (thing, forbids) = korean().or_else(japanese).or_else(chinese)?;
        Some(Use {
            thing: normalize(thing, ' '),
            forbids,
        })
    }

    /// Whether one forbids what the other asks for.
    pub(super) fn is_opposite_of(&self, older: &Use) -> bool {
        self.thing == older.thing && self.forbids != older.forbids
    }
}

/// A rule about how something is done.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Manner {
    what: String,
    how: String,
    rest: String,
}

impl Manner {
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = match FILLS.for_text(text) {
            Some(fills) => fills.replace_all(text, ""),
            None => text.into(),
        };
        let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '，' | ',' | '、'));
        let patterns = [&IN_KOREAN, &IN_JAPANESE, &IN_CHINESE];
        let found = patterns
            .into_iter()
            .find_map(|pattern| pattern.for_text(text)?.captures(text))?;
        Some(Manner {
            what: found[1].to_owned(),
            how: found[2].to_owned(),
            rest: found[3].to_owned(),
        })
    }

    /// Whether it is another language in which the same is done. Other manners may hold beside each
    /// other: in Korean, politely, in a list.
    pub(super) fn differs_from(&self, older: &Manner) -> bool {
        let are_languages = is_language(&self.how) && is_language(&older.how);
        are_languages && self.what == older.what && self.rest == older.rest && self.how != older.how
    }
}

/// Whether a word is the name of a language, with particles.
pub(super) fn is_language(word: &str) -> bool {
    const LANGUAGES: [&str; 20] = [
        "arabic",
        "chinese",
        "dutch",
        "english",
        "french",
        "german",
        "hindi",
        "italian",
        "japanese",
        "korean",
        "polish",
        "portuguese",
        "russian",
        "spanish",
        "swedish",
        "thai",
        "turkish",
        "ukrainian",
        "vietnamese",
        "中英文",
    ];
    static ELSEWHERE: Pattern = Pattern::lean(
        r"^(?:한국|영|일본|중국|프랑스|독일|스페인|러시아|베트남)어|^\p{Han}{1,4}語|^(?:中|英|日|韩|法|德|俄|西)(?:文|语)|^\p{Han}{1,4}语",
    );
    LANGUAGES.contains(&word) || ELSEWHERE.is_match(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &USES_KOREAN,
            &USES_JAPANESE,
            &USES_CHINESE,
            &IN_KOREAN,
            &IN_JAPANESE,
            &IN_CHINESE,
            &FILLS,
        ] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn what_is_used_and_what_is_not_is_read() {
        for (text, thing, forbids) in [
            ("항상 탭을 써 줘.", "탭", false),
            ("탭은 절대 쓰지 마.", "탭", true),
            ("常にタブを使ってください。", "タブ", false),
            ("タブは絶対に使わないでください。", "タブ", true),
            ("请始终使用制表符。", "制表符", false),
            ("请不要使用制表符。", "制表符", true),
        ] {
            let thing = thing.to_owned();
            assert_eq!(Use::of(text), Some(Use { thing, forbids }), "{text}");
        }
    }

    #[test]
    fn another_way_to_do_the_same_differs() {
        let differs = |old: &str, new: &str| {
            let new = Manner::of(new).unwrap_or_else(|| panic!("{new}"));
            Manner::of(old).is_some_and(|old| new.differs_from(&old))
        };
        let old = "コミットメッセージは英語で書いてください。";
        assert!(differs(
            old,
            "今後コミットメッセージは日本語で書いてください。"
        ));
        assert!(!differs(old, "今後コメントは日本語で書いてください。"));
        assert!(!differs(old, "コミットメッセージは英語で書いてください。"));
        assert!(differs("请始终用中文写注释。", "以后请用英文写注释。"));
        assert!(!differs("请始终用中文写注释。", "以后请用英文写文档。"));
        assert!(!differs("请用中文回答。", "以后请用列表回答。"));
        assert!(!differs(
            "答えは日本語でお願いします。",
            "今後答えは箇条書きでお願いします。"
        ));
        assert!(!differs(
            "답변은 항상 한국어로 해 줘.",
            "앞으로 답변은 존댓말로 해 줘."
        ));
        assert!(differs(
            "답변은 항상 한국어로 해 줘.",
            "앞으로 답변은 영어로 해 줘."
        ));
    }
}
