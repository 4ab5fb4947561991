//! Finds how a sentence begins that corrects what was said before: "No, …", "Correction: …".

use crate::rules::pattern::Pattern;

static CORRECTS: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:(?:oh|ah|hmm|ok(?:ay)?|so|and|but|well|um|uh)[,.!… ]+)*(?:(?:no|nope|wait|hold on|sorry|apologies|my (?:bad|mistake|fault)|w?oops|correction|update|edit|i (?:was|am) (?:wrong|mistaken)|i'm (?:wrong|mistaken)|i (?:misspoke|mistyped)|that(?:'s| was| is) wrong|sc(?:ratch|rap) that|on second thoughts?|(?:i|we)(?:'ve| have)? changed (?:my|our) minds?|change of plans?)(?:[,.:;!]+| ?[–—]| -) ?(?:but )?)+",
    r"|^(?:(?:아니다?|아뇨|아니요|정정(?:할게요?|합니다|해요?)?|미안(?:해요?|합니다)?|죄송(?:해요|합니다)?|잘못 (?:말했|알았|알고|적었|썼)[가-힣]*|틀렸[가-힣]*|실수[가-힣]*|착각[가-힣]*|(?:다시 )?생각해 ?보니|업데이트)[,.:：!]+ ?)+",
    r"|^(?:(?:訂正(?:です|します)?|すみません|すいません|ごめん(?:なさい)?|いや|いいえ|違(?:う|った|いました)|間違(?:え|い)(?:た|ました|でした)?|失礼しました|考え直し(?:た|ました)|更新)[、。:：,.!！]+ ?)+",
    r"|^(?:(?:更正|纠正|订正|抱歉|对不起|不好意思|不对|不是|不|错了|(?:我)?(?:刚才|之前)?(?:说|写|记|弄|搞)错了|更新|等等|等一下)[，,。.:：!！]+ ?)+",
));

/// A sentence without what says that it corrects something, and whether it says so.
pub(super) fn without_correction(text: &str) -> (&str, bool) {
    let found = CORRECTS.for_text(text).and_then(|found| found.find(text));
    match found.map(|found| &text[found.end()..]) {
        Some(rest) if !rest.trim().is_empty() => (rest, true),
        _ => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        holds_for_matches(&CORRECTS.source());
    }

    #[test]
    fn a_correction_is_told_by_how_it_begins() {
        for (text, rest) in [
            ("No, it listens on port 9191.", "it listens on port 9191."),
            ("Sorry, I was wrong: it is 9191.", "it is 9191."),
            ("Oh wait - it is 9191.", "it is 9191."),
            ("On second thought, let's use Redis.", "let's use Redis."),
            ("아니다, 포트는 9191이야.", "포트는 9191이야."),
            ("訂正：ポートは9191です。", "ポートは9191です。"),
            ("我说错了，端口是9191。", "端口是9191。"),
        ] {
            assert_eq!(without_correction(text), (rest, true), "{text}");
        }
        for text in [
            "No tabs in this repository.",
            "Wait for the certificate.",
            "Update the docs: they are old.",
            "No.",
            "不要用制表符。",
            "미안하지만 안 돼.",
        ] {
            assert_eq!(without_correction(text), (text, false), "{text}");
        }
    }
}
