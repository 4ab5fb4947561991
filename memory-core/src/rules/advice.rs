//! Recognises requests for advice or help ("Where should I work on my essay?"), and statements of a
//! preference ("I prefer the quiet reading room"), which the advice should follow.

use crate::rules::pattern::Pattern;

/// Whether a text asks for advice or help.
pub(crate) fn asks_advice(text: &str) -> bool {
    static ENGLISH: Pattern = Pattern::new(
        r"(?i)\b(?:(?:suggest|recommend|advise)\b|(?:suggestion|recommendation|advice)s?\b|(?:can|could|would|will) you (?:please |kindly )?(?:help|show|explain|walk|give|plan|tell me how)\b|help me\b|(?:how|what|where|which|when) (?:[a-z]+ )?(?:should|could|can|do you think) (?:i|we)\b|what should\b|should i\b)",
    );
    static OTHERS: Pattern = Pattern::new(
        r"추천|제안해|조언|어떻게 하면|좋을까|좋을지|도와|おすすめ|お勧め|オススメ|アドバイス|提案して|どうすれば|したらいい|すればいい|手伝|推荐|推薦|建议|建議|怎么办|怎麼辦|我该|我該|我应该|我應該|帮我|幫我",
    );
    ENGLISH.is_match(text) || OTHERS.is_match(text)
}

/// Whether a text states a preference of the person who wrote it.
pub(crate) fn states_preference(text: &str) -> bool {
    static ENGLISH: Pattern = Pattern::new(
        r"(?i)\b(?:i(?:'d|’d| would)? (?:(?:really|much|strongly|generally|usually|always|still|also|personally|kinda|often|do) )*(?:prefer|rather)|my (?:[a-z]+ )?preferences?)\b",
    );
    static OTHERS: Pattern = Pattern::new(
        r"선호|더 좋아|더 편해|好みは|のほうが好き|の方が好き|のほうがいい|の方がいい|方が良い|偏好|更喜欢|更喜歡|比较喜欢|比較喜歡",
    );
    ENGLISH.is_match(text) || OTHERS.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_for_advice_are_recognised() {
        for text in [
            "What laptop would you suggest?",
            "Can you recommend a library for dates?",
            "How should I structure the release notes?",
            "Where do you think I should put the cache?",
            "Could you please help me plan the week?",
            "any advice on naming branches",
            "노트북을 추천해 줘",
            "이 모듈을 어떻게 하면 빠르게 만들 수 있을까?",
            "おすすめのエディタはありますか",
            "テストはどうすればいいですか",
            "推荐一个日志库",
            "我应该先做什么？",
        ] {
            assert!(asks_advice(text), "{text}");
        }
        for text in [
            "Which laptop did we order?",
            "When should the job run?",
            "How many tests failed?",
            "What did Ann like about the talk?",
            "배포가 언제였지?",
            "会議はいつですか",
            "会议是什么时候?",
            "",
        ] {
            assert!(!asks_advice(text), "{text}");
        }
    }

    #[test]
    fn preferences_are_recognised() {
        for text in [
            "I prefer tabs.",
            "For reports I usually prefer short sentences.",
            "I’d rather keep the old layout.",
            "My strong preference is a static site.",
            "저는 짧은 답을 선호해요",
            "短い文のほうが好きです",
            "我更喜欢简短的回答",
        ] {
            assert!(states_preference(text), "{text}");
        }
        for text in [
            "Ann prefers tabs.",
            "Which do you prefer?",
            "The preferred port is 8080.",
            "I would not use it.",
            "It is rather slow.",
            "",
        ] {
            assert!(!states_preference(text), "{text}");
        }
    }
}
