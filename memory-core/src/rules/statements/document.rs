//! Finds where a person's message stops being their own words and becomes a document that they
//! pasted: a guide, a file of rules, a plan, the prompt of a pipeline. Its sentences state what its
//! author asks of every reader, not what this person wants now.

use std::ops::Range;

use super::finding::Speaker;
use super::{cues, prose};

/// A list without headings is somebody's own up to this length.
const LONG_BYTES: usize = 1_500;
/// A text with so many headings is divided into sections.
const MANY_HEADINGS: usize = 3;
/// A title that begins with a picture is no longer than this.
const MAX_TITLE_CHARS: usize = 60;
const MAX_TITLE_WORDS: usize = 7;
/// Front matter ends within so many lines.
const MAX_FRONT_MATTER_LINES: usize = 40;

/// What hosts write before a text of their own that arrives as a prompt.
const OF_HOSTS: [&str; 4] = [
    "implement the following plan:",
    "this session is being continued from a previous conversation",
    "base directory for this skill:",
    "<teammate-message",
];

/// Where the document in a person's message begins: at its first heading, or at the first item of a
/// long list. `None` if it is all their own, such as a few wishes below a title.
pub(super) fn begins(text: &str) -> Option<usize> {
    let head: String = text.trim_start().chars().take(80).collect();
    let head = head.to_lowercase();
    if OF_HOSTS.iter().any(|begin| head.starts_with(begin)) || has_front_matter(text) {
        return Some(0);
    }
    let outline = Outline::of(text);
    outline
        .first_section(text)
        .or_else(|| outline.long_list(text))
}

/// Whether a text begins with settings between two lines of hyphens.
fn has_front_matter(text: &str) -> bool {
    let mut lines = text.trim_start().lines().map(str::trim);
    if lines.next() != Some("---") {
        return false;
    }
    let inside: Vec<&str> = lines
        .take(MAX_FRONT_MATTER_LINES)
        .take_while(|line| *line != "---")
        .collect();
    inside.len() < MAX_FRONT_MATTER_LINES && inside.first().is_some_and(|line| line.contains(':'))
}

/// The headings and list items of a text, without those in code.
struct Outline {
    headings: Vec<Range<usize>>,
    first_item: Option<usize>,
    items: usize,
    lines: usize,
}

impl Outline {
    /// Where the sections of a document begin.
    fn first_section(&self, text: &str) -> Option<usize> {
        let first = self.headings.first()?.start;
        let many = self.headings.len() >= MANY_HEADINGS;
        let is_titled = text[..first].trim().is_empty();
        let has_sections = self.headings.len() > 1 || text.len() >= LONG_BYTES;
        if !(many || is_titled && has_sections) {
            return None;
        }
        // Lists of decisions, limits and open work, each below its title, are a person's own summary.
        let are_known = self
            .headings
            .iter()
            .all(|title| cues::announced(&text[title.clone()], Speaker::User).is_some());
        (!are_known).then_some(first)
    }

    /// Where a long list without headings begins.
    fn long_list(&self, text: &str) -> Option<usize> {
        let is_list = text.len() >= LONG_BYTES && self.items * 2 >= self.lines;
        self.first_item.filter(|_| is_list)
    }

    fn of(text: &str) -> Self {
        let mut outline = Outline {
            headings: Vec::new(),
            first_item: None,
            items: 0,
            lines: 0,
        };
        let mut is_code = false;
        let mut before: Option<Range<usize>> = None;
        for line in prose::lines(text) {
            let words = text[line.clone()].trim();
            let start = line.end - text[line].trim_start().len();
            if prose::fence_mark(words).is_some() {
                is_code = !is_code;
                continue;
            }
            if is_code || words.is_empty() {
                before = None;
                continue;
            }
            outline.lines += 1;
            let span = start..start + words.len();
            let is_underline = words.len() >= 3 && words.bytes().all(|b| b == b'=');
            if is_heading(words) || before.is_none() && is_pictured(words) {
                outline.headings.push(span.clone());
            } else if let (true, Some(title)) = (is_underline, before.take()) {
                outline.headings.push(title);
            }
            if prose::list_mark(words) > 0 || is_heading(words) {
                outline.items += 1;
                outline.first_item.get_or_insert(start);
            }
            before = Some(span);
        }
        outline
    }
}

/// A heading of Markdown, or a line of nothing but strong words.
fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let is_strong = || {
        let inside = line.strip_prefix("**").and_then(|rest| {
            let rest = rest.trim_end_matches([':', '：']);
            rest.strip_suffix("**")
        });
        inside.is_some_and(|inside| !inside.is_empty() && !inside.contains("**"))
    };
    (1..=6).contains(&level) && title.starts_with(' ') || is_strong()
}

/// Whether a short line begins with a picture, as titles on web pages do: "🔄 Notes on setup".
fn is_pictured(line: &str) -> bool {
    let is_picture = |c: char| matches!(c as u32, 0x1F300..=0x1FAFF) && c != '👉' && c != '👍';
    line.starts_with(is_picture)
        && line.chars().count() <= MAX_TITLE_CHARS
        && line.split_whitespace().count() <= MAX_TITLE_WORDS
        && !line.ends_with(['.', '!', '?', ',', '。', '！', '？'])
        && line.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::super::{FindingKind, find};
    use super::*;

    fn found(text: &str) -> Vec<(FindingKind, &str)> {
        let found = find(text, Speaker::User, &[]).into_iter();
        found.map(|one| (one.kind, &text[one.span])).collect()
    }

    #[test]
    fn titles_with_pictures_divide_a_page_that_was_pasted() {
        let page = "it's from their site\nAcme Sync for Vue\n\n🔄 Notes on rows\n\
                    Rows always stay in order and attached, giving a robust experience.\n\n\
                    🧩 Plugins\nThe plugin needs to be loaded on every page you create.\n\n\
                    📚 Summary\nWe use semver.";
        assert_eq!(found(page), []);
        let own = "🔄 update: we use semver.\nI prefer short answers.";
        assert!(!found(own).is_empty());
    }

    #[test]
    fn of_a_pasted_document_nothing_is_learned() {
        let long = format!(
            "Have a look at this:\n{}",
            "- always wrap the handlers in a span\n- never call the clock twice\n".repeat(30)
        );
        for text in [
            "# Style guide\n\nAlways use four spaces.\n\n## Naming\n\n- We use snake_case for files\n- Never abbreviate names\n",
            "---\ntitle: Review rules\nlevel: strict\n---\nAlways answer in English.\nNever push to main.",
            "Implement the following plan:\n\n# Move the parser\n\nWe decided to use nom for the parser.\n",
            "Release handbook\n================\n\nWe use semver.\n\nTagging\n=======\nAlways sign the tags.\n\nRollback\n========\nNever delete a tag.\n",
            "**Context**\nWe use Postgres.\n**Approach**\nLet's go with a queue.\n**Risks**\nWe must not lose mails.",
            "## 목적\n항상 한국어로 답변해 주세요.\n\n## 규칙\n- 커밋은 작게 유지하기로 했습니다.\n- 절대 force push 하지 마세요.",
            "# 手順書\n\n必ずテストを書いてください。\n\n## 方針\n\n- Redisを使うことにしました。\n- タブは使わないでください。",
            "# 规范\n\n我们决定使用 Redis。\n\n## 提交\n\n- 请始终用中文写提交信息。\n- 不要使用 force push。",
            &long,
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn what_stands_before_a_document_is_the_persons_own() {
        let text = "Let's go with sqlx instead of diesel. The guide says:\n\n# Databases\n\nAlways use diesel.\n\n## Pools\n\nNever share a pool.\n\n## Tests\nAlways use sqlite.";
        assert_eq!(
            found(text),
            [(
                FindingKind::Decision,
                "Let's go with sqlx instead of diesel."
            )]
        );
    }

    #[test]
    fn short_lists_and_summaries_are_the_persons_own() {
        for (text, count) in [
            (
                "Rules for this repo:\n- always use tabs\n- never force-push",
                2,
            ),
            (
                "# House rules\n- always use tabs\n- never force-push to main",
                2,
            ),
            (
                "## Decisions\n- Redis for the queue\n- fly.io for hosting",
                2,
            ),
            (
                "## Decisions\n- Redis for the queue\n\n## Constraints\n- no telemetry\n\n## To-do\n- rotate the signing keys",
                3,
            ),
            ("**My conventions:**\n* readable diffs\n* small commits", 2),
            ("이 저장소 규칙:\n- 항상 탭을 사용해 주세요", 1),
        ] {
            assert_eq!(found(text).len(), count, "{text}: {:?}", found(text));
        }
        let code = "Let's go with bash for the hooks:\n```sh\n# one\n# two\n# three\n```\nNever use zsh in this repo.";
        assert_eq!(found(code).len(), 2, "{:?}", found(code));
    }
}
