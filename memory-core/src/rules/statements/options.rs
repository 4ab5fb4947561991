//! Finds what a decision chooses by its label alone ("let's go with option B"): the item of a list
//! that the other speaker offered.

use std::ops::Range;

use super::elliptical::is_elliptical;
use crate::rules::pattern::Pattern;
use crate::rules::times::overlap;

/// A choice by a word for an option and its label, or by the label alone at the end.
static BY_LABEL: Pattern = Pattern::new(concat!(
    r"(?i)\b(?:option|approach|choice|variant|plan|alternative|method|solution|strategy|proposal|suggestion|number|no\.) ?#?\(?([a-h]|\d{1,2}|one|two|three|four|five)\b",
    r"|(?:방법|옵션|방안|선택지|대안|안) ?([0-9A-Ha-h])(?:번|안)?|([0-9])번(?:째)?(?: ?(?:방법|옵션|방안|안))?(?:으로|로|을|를|이|$)",
    r"|(?:オプション|案|方法|選択肢|プラン|方式) ?([0-9A-Ha-h])|([0-9A-Ha-h])案|([0-9])番(?:目)?[でをにの]",
    r"|(?:方案|选项|選項|方法|选择|选) ?([0-9A-Ha-h一二三四五])|第([一二三四五1-9])(?:个|种|項|项)",
));
/// The same, where the label is only a capital letter: "let's go with B, please".
static BY_LETTER: Pattern = Pattern::new(
    r"(?:\b[Gg]o(?:ing)? with|\b[Tt]ake|\b[Pp]ick|\b[Cc]hoose|\b[Uu]se|\b[Dd]o|\b[Pp]refer|^) ?\(?([A-H])\b\)?(?:[.!,]| please| it is| then| for now|$)",
);
/// A choice by the place in a list: "let's take the second one".
static BY_PLACE: Pattern = Pattern::new(
    r"(?i)\bthe (first|second|third|fourth|former|latter)(?: one| option| approach)?\b",
);

/// Letters of a script without spaces, or words, that a choice by its label has at most.
const MAX_KOREAN_WORDS: usize = 4;
const MAX_LETTERS: usize = 16;
/// The longest option that is quoted, in bytes.
const MAX_OPTION_BYTES: usize = 240;

/// What a decision chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    label: String,
    /// Whether it says nothing to whoever does not see the list.
    pub(crate) is_bare: bool,
}

/// What a decision chooses by its label or place; `None` if it says what it chooses.
pub(crate) fn chosen(decision: &str) -> Option<Chosen> {
    if !says_little(decision) {
        return None;
    }
    let label = |pattern: &'static Pattern| {
        let found = pattern.for_text(decision)?.captures(decision)?;
        let label = found.iter().skip(1).flatten().next()?;
        Some(numbered(&label.as_str().to_lowercase()))
    };
    let by_label = label(&BY_LABEL).or_else(|| label(&BY_LETTER));
    let is_bare = by_label.is_some();
    let label = by_label.or_else(|| label(&BY_PLACE))?;
    Some(Chosen { label, is_bare })
}

fn says_little(decision: &str) -> bool {
    if decision.is_ascii() {
        return is_elliptical(decision);
    }
    let letters = decision.chars().filter(|c| c.is_alphanumeric()).count();
    letters <= MAX_LETTERS && decision.split_whitespace().count() <= MAX_KOREAN_WORDS
}

/// A label as lists have it.
fn numbered(label: &str) -> String {
    let number = match label {
        "one" | "first" | "former" | "一" => "1",
        "two" | "second" | "latter" | "二" => "2",
        "three" | "third" | "三" => "3",
        "four" | "fourth" | "四" => "4",
        "five" | "五" => "5",
        other => other,
    };
    number.to_owned()
}

/// The option of a list that was chosen, outside the hidden ranges.
pub(crate) fn offered(
    text: &str,
    hidden: &[Range<usize>],
    chosen: &Chosen,
) -> Option<Range<usize>> {
    let mut start = 0;
    let mut found: Option<Range<usize>> = None;
    let mut is_open = false;
    for line in text.split_inclusive('\n') {
        let span = start..start + line.trim_end().len();
        start += line.len();
        if hidden.iter().any(|part| overlap(part, &span)) {
            match is_open {
                true => break,
                false => continue,
            }
        }
        if text[span.clone()].trim().is_empty() {
            continue;
        }
        // A label that stands alone is the title of what follows.
        if let (true, Some(option)) = (is_open, &mut found) {
            (option.end, is_open) = (span.end, false);
            break;
        }
        let words = text[span.clone()].trim_start();
        let begin = span.end - words.len();
        if let Some(rest) = behind_label(words, &chosen.label) {
            found = Some(begin..span.end);
            is_open = rest.trim_matches(|c: char| !c.is_alphanumeric()).is_empty();
            if !is_open {
                break;
            }
        }
    }
    // A label without words says no more than the choice.
    let mut option = found.filter(|_| !is_open)?;
    if option.len() > MAX_OPTION_BYTES {
        let most = (0..=MAX_OPTION_BYTES)
            .rev()
            .find(|at| text.is_char_boundary(option.start + at))?;
        let cut = &text[option.start..option.start + most];
        option.end = option.start + cut.rfind(char::is_whitespace).unwrap_or(most);
    }
    Some(option)
}

/// What follows the label with which an item begins: "**Option B:** …", "2. …", "(b) …", 방법 1: ….
fn behind_label<'t>(line: &'t str, label: &str) -> Option<&'t str> {
    const WORDS: [&str; 27] = [
        "option",
        "approach",
        "choice",
        "variant",
        "plan",
        "alternative",
        "method",
        "solution",
        "strategy",
        "proposal",
        "suggestion",
        "방법",
        "옵션",
        "방안",
        "선택지",
        "대안",
        "オプション",
        "案",
        "選択肢",
        "プラン",
        "方式",
        "方案",
        "选项",
        "選項",
        "方法",
        "选择",
        "第",
    ];
    let is_mark = |c: char| {
        matches!(
            c,
            '#' | '*' | '_' | '-' | '•' | '>' | '(' | '（' | ' ' | '`'
        )
    };
    let mut rest = line.trim_start_matches(is_mark);
    let lower = rest.to_lowercase();
    // Lower-casing may change the length of letters that no such word has.
    let word = WORDS.iter().find(|word| lower.starts_with(**word));
    if let Some(word) = word {
        rest = rest.get(word.len()..)?.trim_start_matches([' ', '#', '(']);
    }
    let begins = rest.get(..label.len())?;
    if !begins.eq_ignore_ascii_case(label) {
        return None;
    }
    let behind = rest[label.len()..].trim_start_matches("번");
    let ends_label = |c: char| {
        matches!(
            c,
            '.' | ')' | '）' | ':' | '：' | '*' | '-' | '–' | '—' | '、' | ']'
        )
    };
    let is_end = behind.is_empty() || behind.trim_start().starts_with(ends_label);
    // "3.5 is out" is no item, and a letter alone begins a sentence.
    let goes_on = behind.starts_with('.') && behind[1..].starts_with(|c: char| c.is_alphanumeric());
    (is_end && !goes_on && (word.is_some() || !behind.is_empty())).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [&BY_LABEL, &BY_LETTER, &BY_PLACE] {
            holds_for_matches(&pattern.source());
        }
    }

    fn chosen_of(text: &str, decision: &str) -> Option<String> {
        let span = offered(text, &[], &chosen(decision)?)?;
        Some(text[span].to_owned())
    }

    #[test]
    fn an_option_is_found_by_its_label() {
        let list =
            "There are three ways:\n\n1. Keep the cron job.\n2) Use a queue.\n3. Do nothing.";
        let lettered = "**Option A:** one table\n**Option B:** two tables\n\nWhich one?";
        let titled =
            "### Approach 1\nPoll every minute.\n\n### Approach 2: webhooks\nThey call us.";
        for (text, decision, expected) in [
            (list, "Let's go with option 3", "3. Do nothing."),
            (list, "let's take the second one", "2) Use a queue."),
            (lettered, "Option B please", "Option B:** two tables"),
            (lettered, "let's go with B", "Option B:** two tables"),
            (titled, "ok let's do approach 2", "Approach 2: webhooks"),
            (
                titled,
                "Let's go with approach one.",
                "Approach 1\nPoll every minute.",
            ),
            (
                "방법 1: 캐시를 지운다\n방법 2: 그대로 둔다",
                "방법 2로 진행하자.",
                "방법 2: 그대로 둔다",
            ),
            (
                "1. 今のまま\n2. キューを使う",
                "案2で進めましょう",
                "2. キューを使う",
            ),
            (
                "方案1：轮询\n方案2：消息队列",
                "就用方案2吧",
                "方案2：消息队列",
            ),
        ] {
            let found = chosen_of(text, decision).unwrap_or_default();
            assert!(found.ends_with(expected), "{decision}: {found}");
        }
        // What was recalled into the message is no part of what was offered.
        let recalled = "Option 2:\nAn old note.\nUse a queue.";
        let hidden = 10..22;
        assert_eq!(&recalled[hidden.clone()], "An old note.");
        let chosen = chosen("Let's go with option 2").expect("a choice");
        let hidden = std::slice::from_ref(&hidden);
        assert_eq!(offered(recalled, hidden, &chosen), None);
        assert_eq!(offered("Option 2:", &[], &chosen), None);
        assert_eq!(
            chosen_of("We could do both.", "Let's go with option 3"),
            None
        );
        assert_eq!(chosen_of("3.5 is out", "Let's go with option 3"), None);
    }

    #[test]
    fn a_decision_that_says_what_it_chooses_needs_no_list() {
        for whole in [
            "Let's use option flags for the search command instead of subcommands.",
            "We decided to use Kafka for the search index.",
            "let's go with 5",
            "캐시는 레디스로 하기로 했어.",
        ] {
            assert_eq!(chosen(whole), None, "{whole}");
        }
    }
}
