//! The parts of a sentence that are compared with those of another: what it is for, its words, its
//! numbers and what it prefers.

use std::borrow::Cow;

use regex::Captures;

use super::choice::{NO_PURPOSE, SERVES_AS, SUBJECT};
use crate::rules::pattern::Pattern;
use crate::text::keys::normalize;
use crate::text::scripts::is_unspaced;

/// Words by which a sentence says that something has changed.
pub(super) static SAYS_SO: Pattern = Pattern::lean(
    r"(?i)\b(?:scrap that|instead|actually|change of plans?|new plan|on second thoughts?|changed (?:my|our) minds?|no longer|forget (?:that|it)|now|after all|back to|from (?:now|here) on|any ?more|rather than)\b|대신|말고|아니다|생각해 ?보니|역시|이제|지금은|やっぱり|やはり|やめて|代わりに|今は|もう|戻(?:し|そ|す)|다시|도로|变成|改为|还是|换回|改回|切回|迁回|回到|改用|换成|改成|改到|算了|现在",
);

/// Words of a change in any form, which are no part of what a number is said of.
static CHANGE: Pattern =
    Pattern::lean(r"(?i)\b(?:switch(?:ed|ing)|mov(?:ed|ing))\b|바꾸|바꿨|変更");

/// How one says where something is: "listens", "is".
static SERVES: Pattern = Pattern::lean(
    r"\b(?:listens|listening|runs|running|is|are|lives|sits|serves?|served|available|reachable|hosted|bound)\b",
);

/// What a time of day need not say.
static EVERY_DAY: Pattern = Pattern::lean(r"\bevery ?day\b|\bdaily\b|매일|毎日|每天|每日");

/// Words that say that it is so for the moment: what they tell is told without them too.
static FOR_NOW: Pattern = Pattern::lean(concat!(
    r"(?i)[,(]? ?\b(?:(?:right|just|as of|until|up to|for) now|(?:at|for) (?:the moment|present)|for the time being|at this (?:point|moment|stage)|as of today|these days|so far|as it stands|until further notice|currently|presently|temporarily|nowadays|still|now)\b[,)]?",
    r"|(?:今のところは?|今は|いまは|現在[はの]?|現時点で?は?|とりあえずは?|取りあえずは?|当面(?:の間)?は?|当分(?:の間)?は?|ひとまずは?|一旦は?|いったんは?|暫定的に|暫定で|しばらく(?:の間)?は?|さしあたりは?|差し当たりは?|まだ)、?",
    r"|(?:目前|暂时|暫時|暂且|暫且|现在|现阶段|現階段|眼下|当前|當前|当下|當下|这段时间|這段時間)(?:还|還|先)?[，,]?",
));

/// The same in Korean, as a word of its own.
static FOR_NOW_IN_KOREAN: Pattern = Pattern::lean(
    r"^(?:지금(?:은|으로서는|으로선|으로썬)?|현재(?:는|로서는|로선|로썬)?|당분간(?:은|만)?|일단(?:은)?|우선(?:은)?|임시로|임시적으로|요즘(?:은|에는|엔)?|아직(?:은|까지는|까진)?|당장(?:은)?|한동안(?:은)?|잠시(?:만|동안)?)$",
);

/// A text without the words that say that it is so for the moment ("for now", 当面).
pub(super) fn without_hedges(text: &str) -> Cow<'_, str> {
    let hedges = FOR_NOW.for_text(text).filter(|found| found.is_match(text));
    let may_be_korean = FOR_NOW_IN_KOREAN.may_match(text);
    let is_korean = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        may_be_korean && FOR_NOW_IN_KOREAN.is_match(bare)
    };
    if hedges.is_none() && !text.split_whitespace().any(is_korean) {
        return Cow::Borrowed(text);
    }
    let plain = match hedges {
        None => Cow::Borrowed(text),
        Some(hedges) => hedges.replace_all(text, |found: &Captures<'_>| {
            // Where no space separates the words, none does without them.
            match found[0].contains(is_unspaced) {
                true => "",
                false => " ",
            }
        }),
    };
    let words = plain.split_whitespace().filter(|word| !is_korean(word));
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// A word that may name what a decision is about: of two letters in Latin script, or written in
/// katakana.
static NAMING: Pattern = Pattern::lean(r"[A-Za-z][A-Za-z0-9.+#-]+|[ァ-ヶー]{3,}");
/// What is no name.
const NO_NAME: [&str; 58] = [
    "about", "after", "all", "also", "and", "are", "back", "because", "before", "but", "can", "do",
    "drop", "for", "forget", "from", "go", "going", "have", "it", "just", "keep", "keeping", "let",
    "ll", "mind", "minds", "need", "never", "new", "not", "now", "on", "one", "only", "our", "re",
    "scrap", "scratch", "second", "stay", "stick", "that", "the", "them", "then", "there", "this",
    "thought", "to", "use", "using", "we", "will", "with", "instead", "move", "switch",
];

/// What may follow a purpose.
const TAIL: &str = r"(?: (?:now|instead(?: of [\w.+#/ -]{1,30})?|after all|again|then|please|too|from now on|going forward|rather than [\w.+#/ -]{1,30}|(?:because|since|as|so) .*))*(?:[,;:] .*)?[.!]*$";
/// What a decision is for: "for the sessions".
static PURPOSE: Pattern = Pattern::lean_written(
    r"(?i)\bfor (?:(?:the|our|my|all) )?([\w][\w ./-]{2,60}?)",
    with_tail,
);
/// What a decision puts somewhere: "store invoices in MongoDB".
static PLACED: Pattern = Pattern::lean_written(
    r"(?i)\b(?:stor(?:e|ed|ing)|keep(?:ing)?|kept|put(?:ting)?|sav(?:e|ed|ing)|host(?:ed|ing)?|run(?:ning)?|cach(?:e|ed|ing)|log(?:ged|ging)?|send(?:ing)?|sent|writ(?:e|ing)|mov(?:e|ed|ing)|switch(?:ed|ing)?|migrat(?:e|ed|ing)|deploy(?:ed|ing)?|serv(?:e|ed|ing)|render(?:ed|ing)?|build(?:ing)?|test(?:ed|ing)?|track(?:ed|ing)?) (?:(?:the|our|my|all) )?([\w][\w-]*(?: [\w][\w-]*){0,2}?) (?:in|on|with|to|from|into|at|via|through|by|using) [\w.+#-]+(?: [\w.+#-]+){0,4}",
    with_tail,
);
/// What is changed to something else: 앱 아이콘을 빨간색으로 바꾸자.
static CHANGED_THING: Pattern = Pattern::lean(
    r"^(?:(?:그럼|그러면|이제|역시|우리|저희) )*([\p{L}\p{N} ]{2,20}?)(?:을|를) [^,. 0-9]{1,16}(?:으로|로) (?:바꾸|바꾼|바꿨|바꿉|바꿀|변경|교체|전환)",
);
fn with_tail(pattern: &str) -> String {
    format!("{pattern}{TAIL}")
}

/// Words that do not tell one rule or decision from another.
const NO_CONTENT: [&str; 41] = [
    "a",
    "actually",
    "always",
    "an",
    "any",
    "anymore",
    "be",
    "decide",
    "decided",
    "don",
    "first",
    "i",
    "in",
    "is",
    "lets",
    "longer",
    "more",
    "my",
    "of",
    "please",
    "stop",
    "t",
    "they",
    "was",
    "you",
    "이제",
    "이젠",
    "지금은",
    "현재",
    "앞으로",
    "앞으로는",
    "언제나",
    "이제부터",
    "이제부터는",
    "지금부터",
    "지금부터는",
    "항상",
    "매번",
    "늘",
    "요",
    "그냥",
];

/// The name of an issue: "OPS-77", "#12".
static NUMBERED: Pattern = Pattern::lean(r"(?i)\b[a-z]{2,10}-[0-9]+|#[0-9]+");

/// One word that is preferred to another: "tabs over spaces", "tabs, not spaces".
static SIDES: Pattern =
    Pattern::lean(r"(?i)([\w-]+),? (?:over|instead of|rather than|(?:and )?not) (?:the )?([\w-]+)");

/// What a rule prefers, and to what.
pub(super) fn sides(text: &str) -> Option<(String, String)> {
    let found = SIDES.for_text(text)?.captures(text)?;
    Some((found[1].to_lowercase(), found[2].to_lowercase()))
}

/// The words that tell a sentence from others, in their order.
pub(super) fn content(text: &str) -> Vec<String> {
    let plain = normalize(text, ' ');
    let words = plain
        .split(' ')
        .filter(|word| !word.is_empty() && !NO_NAME.contains(word) && !NO_CONTENT.contains(word));
    words
        .filter(|word| !matches!(*word, "never" | "without" | "avoid"))
        .map(str::to_owned)
        .collect()
}

/// What a sentence says something is for, or where it puts it.
pub(super) fn purpose(text: &str) -> Option<String> {
    let text = text.trim();
    let named = [&PURPOSE, &PLACED, &SERVES_AS, &CHANGED_THING, &SUBJECT]
        .into_iter()
        .find_map(|pattern| {
            let found = pattern.for_text(text)?.captures(text)?;
            let named = found.iter().skip(1).flatten().next();
            named.map(|named| normalize(named.as_str(), ' '))
        })?;
    (!named.is_empty() && !NO_PURPOSE.contains(&named.as_str())).then_some(named)
}

/// The words that may name what a sentence is about.
pub(super) fn names(text: &str) -> Vec<String> {
    let Some(pattern) = NAMING.for_text(text) else {
        return Vec::new();
    };
    let words = pattern.find_iter(text).map(|found| {
        let word = found.as_str().to_lowercase();
        word.trim_end_matches(['.', '-']).to_owned()
    });
    words
        .filter(|word| !NO_NAME.contains(&word.as_str()))
        .collect()
}

/// The issues and the like that a text names by a number.
pub(super) fn numbered(text: &str) -> Vec<String> {
    let Some(pattern) = NUMBERED.for_text(text) else {
        return Vec::new();
    };
    let found = pattern.find_iter(text);
    found.map(|found| found.as_str().to_lowercase()).collect()
}

/// A sentence without its numbers, the words that say that something has changed and those that only
/// say that it is there, and the numbers. Without spaces where the script has none.
pub(super) fn frame_of(text: &str) -> (String, Vec<String>) {
    let mut plain = text.to_lowercase();
    for pattern in [&SAYS_SO, &CHANGE, &SERVES, &EVERY_DAY] {
        if let Some(said) = pattern.for_text(&plain) {
            plain = said.replace_all(&plain, " ").into_owned();
        }
    }
    let (mut frame, mut numbers) = (String::new(), Vec::new());
    let mut rest = plain.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..].find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let end = at + end.unwrap_or(rest.len() - at);
        frame.push_str(&rest[..at]);
        frame.push('n');
        numbers.push(rest[at..end].trim_end_matches('.').to_owned());
        rest = &rest[end..];
    }
    frame.push_str(rest);
    let frame = normalize(&frame, ' ');
    match frame.chars().any(is_unspaced) {
        true => (frame.replace(' ', ""), numbers),
        false => (frame, numbers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &SAYS_SO,
            &CHANGE,
            &SERVES,
            &EVERY_DAY,
            &FOR_NOW,
            &FOR_NOW_IN_KOREAN,
            &NAMING,
            &PURPOSE,
            &PLACED,
            &CHANGED_THING,
            &NUMBERED,
            &SIDES,
        ] {
            holds_for_matches(&pattern.source());
        }
    }
}
