//! Finds what is listed under a title that says what the items are: "Decisions:" above a list, or
//! "ground rules: small commits, tests first" in one sentence.

use std::ops::Range;

use super::cues;
use super::finding::{Finding, FindingKind, Speaker};
use crate::rules::pattern::Pattern;

/// What the first sentence of a list item says, below a heading of this kind. What it says by its own
/// words wins where a heading tells less: a task may be listed among decisions, or be done.
pub(super) fn listed(
    text: &str,
    span: Range<usize>,
    kind: FindingKind,
    speaker: Speaker,
    quoted: &[Range<usize>],
) -> Vec<Finding> {
    let own = cues::judge(text, span.clone(), speaker, quoted);
    let is_told = |finding: &Finding| match kind {
        FindingKind::Task => matches!(
            finding.kind,
            FindingKind::Done
                | FindingKind::GivenUp
                | FindingKind::Resolution
                | FindingKind::Blocker
        ),
        _ => !matches!(
            finding.kind,
            FindingKind::Decision
                | FindingKind::Preference
                | FindingKind::Constraint
                | FindingKind::Fact
        ),
    };
    if own
        .iter()
        .any(|finding| finding.kind == kind || is_told(finding))
    {
        return own;
    }
    match cues::item(text, span, kind, quoted) {
        Some(item) => vec![item],
        None => own,
    }
}

/// What a sentence lists behind a title; `None` if it has no such title.
pub(super) fn in_line(
    text: &str,
    span: Range<usize>,
    speaker: Speaker,
    quoted: &[Range<usize>],
) -> Option<Vec<Finding>> {
    let sentence = &text[span.clone()];
    let (title, rest) = split_title(sentence)?;
    let kind = cues::announced(&sentence[..title], speaker)?;
    let found: Vec<Finding> = pieces(sentence, rest)
        .into_iter()
        .filter_map(|piece| {
            let piece = span.start + piece.start..span.start + piece.end;
            cues::item(text, piece, kind, quoted)
        })
        .collect();
    (!found.is_empty()).then_some(found)
}

/// The end of a sentence's title, and where the rest begins.
fn split_title(sentence: &str) -> Option<(usize, usize)> {
    let marks = [": ", "：", " - ", " – ", " — "];
    let first = |mark: &&str| sentence.find(*mark).map(|at| (at, at + mark.len()));
    marks.iter().filter_map(first).min()
}

/// The items after `start`, which commas separate; only one where some would be no more than a word.
fn pieces(sentence: &str, start: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = start;
    let mut depth = 0usize;
    for (at, c) in sentence[start..].char_indices() {
        let at = start + at;
        match c {
            '(' | '[' | '（' | '「' => depth += 1,
            ')' | ']' | '）' | '」' => depth = depth.saturating_sub(1),
            ',' | ';' | '、' | '，' | '；' if depth == 0 => {
                found.push(from..at);
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    found.push(from..sentence.len());
    let found: Vec<Range<usize>> = found
        .into_iter()
        .map(|piece| without_conjunction(sentence, piece))
        .filter(|piece| !is_remark(&sentence[piece.clone()]))
        .collect();
    if found.is_empty() {
        return found;
    }
    match found
        .iter()
        .all(|piece| says_something(&sentence[piece.clone()]))
    {
        true => found,
        false => {
            let end = found.last().map_or(sentence.len(), |last| last.end);
            vec![without_conjunction(sentence, start..end)]
        }
    }
}

/// A piece without spaces around it, or the word that joins it to the others.
fn without_conjunction(sentence: &str, piece: Range<usize>) -> Range<usize> {
    let mut words = sentence[piece.clone()].trim_start();
    for joining in ["and ", "also ", "then ", "그리고 ", "また", "以及", "还有"] {
        words = words.strip_prefix(joining).unwrap_or(words).trim_start();
    }
    let from = piece.end - words.len();
    from..from + words.trim_end().len()
}

/// Whether a piece says only when or how urgently something is to be done.
fn is_remark(piece: &str) -> bool {
    static REMARK: Pattern = Pattern::lean(
        r"(?i)^(?:(?:but |just |maybe |definitely )*not (?:now|today|yet|tonight|tomorrow|urgent|right now|right away|immediately|this (?:week|month|sprint|time)|before \w+)|(?:there's |there is )?no (?:rush|hurry|pressure)|(?:but )?(?:only )?(?:if|when|once|as soon as) (?:possible|needed|necessary|there(?:'s| is) time|(?:i|we|you) (?:have|find|get) (?:the )?time)|(?:some ?time |maybe )?(?:later|soon|asap|eventually|next time)|please|(?:지금|오늘|당장)(?:은|이)? ?(?:말고|아니고|아님|아니야|아니에요)|(?:나중에|천천히)(?: ?해도 ?(?:돼|됨|됩니다))?|급하지(?:는)? ?않(?:아|음|아요|습니다)|급한 ?(?:건|것은) ?아(?:님|니야|니에요)|(?:今|今日|今すぐ)(?:では?|じゃ)な(?:い|く)(?:て(?:いい|よい)?|です)?|(?:後|あと)で(?:いい|よい)?|急(?:ぎではない|ぎじゃない|がない|ぎません|がなくて(?:いい|よい))|不是(?:现在|今天|马上)|(?:现在|今天)(?:先)?不(?:做|弄|急)|以后再(?:说|做)|不(?:着)?急|不紧急|有空再(?:说|做))(?:です|。|[.!])*$",
    );
    REMARK.is_match(piece)
}

fn says_something(piece: &str) -> bool {
    match piece.is_ascii() {
        true => piece.split_whitespace().nth(1).is_some(),
        false => piece.chars().filter(|c| c.is_alphanumeric()).count() >= 5,
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    fn found(text: &str, speaker: Speaker) -> Vec<(FindingKind, &str)> {
        let found = find(text, speaker, &[]).into_iter();
        found.map(|one| (one.kind, &text[one.span])).collect()
    }

    #[test]
    fn items_are_what_the_title_of_their_list_says() {
        use FindingKind::{Blocker, Constraint, Decision, Preference, Task};
        let text = "Decisions so far:\n- we use Postgres 16\n- no ORM\n\nTodo for later:\n1. write the \
                    migration guide\n2. bump node to 22?\n3. the release is blocked by OPS-77\n";
        assert_eq!(
            found(text, Speaker::User),
            [
                (Decision, "we use Postgres 16"),
                (Decision, "no ORM"),
                (Task, "write the migration guide"),
                (Blocker, "the release is blocked by OPS-77"),
            ]
        );
        for (text, kind, item) in [
            ("## Constraints\n- no telemetry", Constraint, "no telemetry"),
            (
                "**My conventions:**\n* readable diffs",
                Preference,
                "readable diffs",
            ),
            ("결정 사항:\n- 캐시는 Redis", Decision, "캐시는 Redis"),
            ("남은 작업:\n- 문서 정리", Task, "문서 정리"),
            (
                "決定事項：\n- キャッシュはRedis",
                Decision,
                "キャッシュはRedis",
            ),
            ("残りの作業:\n- 文書の整理", Task, "文書の整理"),
            ("目前的决定：\n- 缓存用 Redis", Decision, "缓存用 Redis"),
            ("剩下的工作：\n- 整理一下文档", Task, "整理一下文档"),
        ] {
            assert_eq!(found(text, Speaker::User), [(kind, item)], "{text}");
        }
    }

    #[test]
    fn a_title_in_the_same_sentence_announces_what_commas_separate() {
        use FindingKind::{Preference, Task};
        let text =
            "some ground rules: use tabs, no default exports (ever, really), and small commits";
        assert_eq!(
            found(text, Speaker::User),
            [
                (Preference, "use tabs"),
                (Preference, "no default exports (ever, really)"),
                (Preference, "small commits"),
            ]
        );
        // One word is no item.
        let text = "Still to do: the flag in the config, docs.";
        assert_eq!(
            found(text, Speaker::Agent),
            [(Task, "the flag in the config, docs.")]
        );
    }

    #[test]
    fn what_an_agent_advises_is_not_announced_and_templates_have_no_items() {
        for text in [
            "Decisions:\n- keep the sneakers",
            "Follow-up:\n- take notes during the meeting",
            "Remaining work:\n- **Remaining share**: 5 percent",
            "Next steps:\n- summarise the discussion",
        ] {
            assert_eq!(found(text, Speaker::Agent), [], "{text}");
        }
        assert_eq!(
            found("TODO comments:\n- keep the sneakers", Speaker::User),
            []
        );
    }
}
