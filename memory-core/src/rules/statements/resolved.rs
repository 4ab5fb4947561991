//! Decides which tasks and blockers a sentence means that says something is resolved.
//!
//! Compares identities by whole words. A bare "the review" says too little to mean "the
//! security review", and a task is not over because a part of its title is.

use crate::rules::pattern::Pattern;
use crate::rules::tasks::keys::normalize_identity;
use crate::text::scripts::is_unspaced;

/// What a sentence says is resolved.
pub(super) struct Resolved {
    identity: String,
    /// Whether the sentence names it as its subject. Otherwise this is the whole sentence, which
    /// may name it anywhere.
    is_subject: bool,
}

impl Resolved {
    pub(super) fn new(words: &str, is_subject: bool) -> Self {
        Resolved {
            identity: without_article(&bare_identity(words)).to_owned(),
            is_subject,
        }
    }

    /// Whether a blocker is gone: it, or the issue that stands behind it in brackets.
    pub(super) fn is_blocker(&self, blocker: &str) -> bool {
        let (thing, issue) = reference_of(blocker);
        self.is_gone(blocker)
            || issue.is_some_and(|issue| self.is_gone(thing) || self.is_gone(issue))
    }

    /// Whether what these words name is gone.
    fn is_gone(&self, blocker: &str) -> bool {
        let identity = bare_identity(blocker);
        let blocker = without_article(&identity);
        let resolved = self.identity.as_str();
        if blocker.is_empty() || resolved.is_empty() {
            return false;
        }
        // The fix of a bug is there when the bug is fixed.
        let fixed = ["fix-for-", "fix-of-"]
            .iter()
            .find_map(|fix| blocker.strip_prefix(fix))
            .map_or(blocker, without_article);
        match self.is_subject {
            true => {
                resolved == fixed
                    || (is_specific(fixed) && is_named_in(resolved, fixed))
                    || (is_specific(resolved) && is_named_in(fixed, resolved))
            }
            false => self.names(fixed),
        }
    }

    /// Whether a sentence without a subject names a task.
    pub(super) fn is_task(&self, title: &str) -> bool {
        self.names(without_article(&bare_identity(title)))
    }

    /// Whether a task is about the subject: its title names it whole, and nothing beside it.
    pub(super) fn is_about(&self, title: &str) -> bool {
        let (title, subject) = (bare_identity(title), self.identity.as_str());
        let is_telling = subject.chars().count() >= MIN_PART
            && !EMPTY.contains(&subject)
            && !KINDS.contains(&subject);
        let Some(at) = word_position(&title, subject).filter(|_| is_telling) else {
            return false;
        };
        let before = title[..at].trim_end_matches('-');
        let after = &title[at + subject.len()..];
        let next = after
            .trim_start_matches('-')
            .split('-')
            .next()
            .unwrap_or("");
        // "French and Dutch" is not Dutch, and the owner of the gym is not the gym.
        let is_one_of_several = AND
            .iter()
            .any(|and| before.ends_with(and) || after.starts_with(and))
            || matches!(before.rsplit('-').next(), Some("and" | "or"));
        let ends = next.is_empty() || !next.is_ascii() || AFTER_OBJECT.contains(&next);
        !is_one_of_several && ends && (is_named_in(&title, subject) || is_aim_of_verb(before))
    }

    /// Whether the sentence names something. What is not specific must not have further words
    /// before it: "the security review" is not "the review".
    fn names(&self, identity: &str) -> bool {
        let sentence = self.identity.as_str();
        let stands_alone = |at: usize| {
            let before = sentence[..at].strip_suffix('-');
            before.is_none_or(|before| ARTICLES.contains(&before.rsplit('-').next().unwrap_or("")))
        };
        identity.chars().count() >= MIN_NAMED
            && word_position(sentence, identity)
                .is_some_and(|at| is_specific(identity) || stands_alone(at))
    }
}

/// The name of an issue, and a word that refers to it behind it: "OPS-311", "#12 참고".
macro_rules! issue {
    () => {
        r"([a-z]{2,10}-[0-9]+|#[0-9]+)"
    };
}
/// A word that refers to an issue before it.
macro_rules! see {
    () => {
        r"(?:see|cf\.?|tracked (?:in|as|by)|ticket|issue|that's|it's|参见|见|參見|見|详见|詳見|참고|이슈|티켓|詳細は)[ :：]*"
    };
}
/// The same, behind it.
macro_rules! seen {
    () => {
        r"(?: ?(?:참고|참조)(?:하세요|해요|해)?| ?(?:を?参照|を?見て(?:ください)?))"
    };
}
/// The issue at the end of a text: "(OPS-311)", ", see #12", （OPS-311参照）. One that only stands in the
/// clause ("the rollback of OPS-311", "not for OPS-311") is something else.
static REFERENCE: Pattern = Pattern::lean(concat!(
    r"(?i)(?: ?[(（] ?(?:",
    see!(),
    ")?",
    issue!(),
    seen!(),
    r"? ?[)）]| ?[,，、;；:：] ?",
    see!(),
    issue!(),
    seen!(),
    r"?| ?[,，、;；:：] ?",
    issue!(),
    seen!(),
    r"| ?[–—] ?(?:",
    see!(),
    ")?",
    issue!(),
    r"| -{1,2} (?:",
    see!(),
    ")?",
    issue!(),
    ")[.。!！ ]*$",
));

/// A text without the issue at its end, and that issue.
fn reference_of(text: &str) -> (&str, Option<&str>) {
    let found = REFERENCE
        .for_text(text)
        .and_then(|found| found.captures(text));
    let whole = found.as_ref().and_then(|found| found.get(0));
    let issue = found
        .as_ref()
        .and_then(|found| found.iter().skip(1).flatten().next());
    match (whole, issue) {
        (Some(whole), Some(issue)) if whole.start() > 0 => {
            (&text[..whole.start()], Some(&text[issue.range()]))
        }
        _ => (text, None),
    }
}

/// A blocker with the issue that its sentence names behind it: "the certificate" of "The release is
/// waiting for the certificate, see OPS-311." becomes "the certificate (OPS-311)".
pub(super) fn with_reference(blocker: String, sentence: &str) -> String {
    match reference_of(sentence).1 {
        Some(issue) if !blocker.to_lowercase().contains(&issue.to_lowercase()) => {
            format!("{blocker} ({issue})")
        }
        _ => blocker,
    }
}

/// Whether these words lead from a verb to what it is for: "sign up for", "apply for the".
fn is_aim_of_verb(before: &str) -> bool {
    const VERBS: [&str; 17] = [
        "apply",
        "ask",
        "audition",
        "check",
        "enrol",
        "enroll",
        "log",
        "look",
        "opt",
        "pay",
        "plan",
        "prepare",
        "register",
        "search",
        "shop",
        "sign",
        "subscribe",
    ];
    const LEADING: [&str; 10] = [
        "about", "at", "for", "in", "into", "on", "onto", "to", "up", "with",
    ];
    let mut words = before.split('-');
    let is_verb = words.next().is_some_and(|first| VERBS.contains(&first));
    is_verb && words.all(|word| LEADING.contains(&word) || ARTICLES.contains(&word))
}

/// What joins two things in scripts where it is no word of its own.
const AND: [&str; 10] = ["와", "과", "랑", "하고", "と", "や", "和", "与", "跟", "及"];
/// What may follow the object of a task.
const AFTER_OBJECT: [&str; 22] = [
    "after", "again", "as", "at", "before", "by", "for", "from", "if", "in", "later", "next", "on",
    "once", "so", "this", "to", "today", "tomorrow", "until", "when", "with",
];
/// A shorter part of a title says too little.
const MIN_PART: usize = 3;
/// Shorter names are found in too many sentences.
const MIN_NAMED: usize = 6;

const ARTICLES: [&str; 6] = ["the", "our", "a", "an", "my", "your"];

/// The identity without the particle that joins two nouns: 法务的审批 and 法务审批 are the same.
fn bare_identity(words: &str) -> String {
    let identity = normalize_identity(words);
    match identity.contains(is_unspaced) {
        true => identity.replace(['的', 'の'], ""),
        false => identity,
    }
}

/// "the security review" and "Our security review" are the same thing.
fn without_article(identity: &str) -> &str {
    match identity.split_once('-') {
        Some((article, rest)) if ARTICLES.contains(&article) => rest,
        _ => identity,
    }
}

/// Whether `text` names a subject, not only as part of another: "the docs for the review", "the
/// bug that the review found".
fn is_named_in(text: &str, identity: &str) -> bool {
    const JOINING: [&str; 12] = [
        "about", "after", "as", "before", "by", "during", "for", "from", "in", "of", "which", "who",
    ];
    const TELLING: [&str; 10] = [
        "announce", "confirm", "glad", "happy", "know", "news", "note", "report", "say", "see",
    ];
    let Some(at) = word_position(text, identity) else {
        return false;
    };
    let mut before = text[..at]
        .rsplit('-')
        .skip_while(|word| word.is_empty() || ARTICLES.contains(word));
    match before.next() {
        Some("that") => before.next().is_some_and(|word| TELLING.contains(&word)),
        Some(word) => !JOINING.contains(&word),
        None => true,
    }
}

/// Where an identity stands in a text as whole words: "review" is not in "previewer". Scripts
/// without spaces have no such borders.
fn word_position(text: &str, identity: &str) -> Option<usize> {
    let is_inside = |a: Option<char>, b: Option<char>| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        a.is_some_and(is_letter) && b.is_some_and(is_letter)
    };
    text.match_indices(identity).find_map(|(at, found)| {
        let end = at + found.len();
        let starts_inside = is_inside(text[..at].chars().next_back(), found.chars().next());
        let ends_inside = is_inside(found.chars().next_back(), text[end..].chars().next());
        (!starts_inside && !ends_inside).then_some(at)
    })
}

/// Nouns that name a kind of thing and not which one.
const KINDS: [&str; 40] = [
    "approval",
    "audit",
    "blocker",
    "bug",
    "build",
    "change",
    "check",
    "conflict",
    "docs",
    "error",
    "failure",
    "fix",
    "incident",
    "issue",
    "leak",
    "mr",
    "outage",
    "pr",
    "problem",
    "regression",
    "request",
    "review",
    "step",
    "task",
    "test",
    "tests",
    "ticket",
    "work",
    "검토",
    "문제",
    "버그",
    "승인",
    "오류",
    "이슈",
    "작업",
    "장애",
    "점검",
    "업무",
    "에러",
    "건",
];
/// The same in scripts without spaces, where they end a word.
const KIND_ENDINGS: [&str; 22] = [
    "問題",
    "不具合",
    "バグ",
    "エラー",
    "障害",
    "審査",
    "レビュー",
    "承認",
    "作業",
    "確認",
    "件",
    "问题",
    "故障",
    "错误",
    "缺陷",
    "审查",
    "审批",
    "审核",
    "检查",
    "工作",
    "工单",
    "修复",
];
/// Words that say nothing about which one is meant.
const EMPTY: [&str; 16] = [
    "the", "our", "a", "an", "my", "your", "this", "that", "of", "in", "on", "for", "with", "at",
    "to", "all",
];

/// Whether words say which thing of its kind they mean: "the login bug", "OPS-311", "PR #341".
fn is_specific(identity: &str) -> bool {
    let words: Vec<&str> = identity
        .split('-')
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .collect();
    let is_identifier = |word: &&str| {
        word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_lowercase())
    };
    let says_which = |word: &&str| !KINDS.contains(word) && !KIND_ENDINGS.contains(word);
    words.iter().any(is_identifier)
        || words.iter().any(|word| is_specific_word(word))
        || (words.len() >= 2 && words.iter().any(says_which))
}

/// Whether a word of a script without spaces consists of several: "セキュリティ審査".
fn is_specific_word(word: &str) -> bool {
    let kind = KIND_ENDINGS.iter().find_map(|kind| {
        let rest = word.strip_suffix(kind)?;
        Some(rest.trim_end_matches(['の', '的', 'な']))
    });
    kind.is_some_and(|rest| rest.chars().count() >= 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        holds_for_matches(&REFERENCE.source());
    }

    #[test]
    fn an_issue_is_referred_to_in_brackets_behind_a_word_or_a_dash() {
        for (text, thing, issue) in [
            ("the certificate (OPS-311)", "the certificate", "OPS-311"),
            (
                "the certificate, see OPS-311.",
                "the certificate",
                "OPS-311",
            ),
            ("the certificate - #12", "the certificate", "#12"),
            ("the certificate — OPS-311", "the certificate", "OPS-311"),
            ("인증서, OPS-311 참고.", "인증서", "OPS-311"),
            ("証明書（OPS-311参照）", "証明書", "OPS-311"),
            ("证书，见OPS-311。", "证书", "OPS-311"),
        ] {
            assert_eq!(reference_of(text), (thing, Some(issue)), "{text}");
        }
        for text in [
            "OPS-311",
            "the rollback of OPS-311",
            "the certificate, not for OPS-311",
            "the certificate, OPS-311",
            "the certificate, same as OPS-311",
        ] {
            assert_eq!(reference_of(text), (text, None), "{text}");
        }
    }
}
