//! Extracts the prose of a message: runs of lines written as sentences. Skips code,
//! quotations, tables, headings, log lines, ticked list items and whatever a host puts between
//! tags.

use std::ops::Range;

use crate::rules::times::overlap;

/// What a message says in prose.
pub(super) struct Prose {
    /// The blocks, in order. A list item is a block of its own, without its marker.
    pub(super) blocks: Vec<Block>,
    /// The first lines of the list items that are ticked, without their marks.
    pub(super) ticked: Vec<Range<usize>>,
}

/// A run of lines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) span: Range<usize>,
    /// For a list item, the line before the list: a heading, or one that ends in a colon.
    pub(super) heading: Option<Range<usize>>,
    /// Whether it is a list item with a box that is not ticked.
    pub(super) is_open: bool,
}

/// Reads a message.
pub(super) fn read(text: &str, hidden: &[Range<usize>]) -> Prose {
    let (tagged, settings) = (tagged_spans(text), settings_spans(text));
    let is_hidden = |line: &Range<usize>| {
        let mut spans = hidden.iter().chain(&tagged).chain(&settings);
        spans.any(|span| overlap(span, line))
    };
    let mut blocks: Vec<Block> = Vec::new();
    let mut ticked: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Block> = None;
    let mut heading: Option<Range<usize>> = None;
    let mut fence: Option<&str> = None;
    let mut is_in_list = false;
    // Whether the list item says that it is done.
    let mut is_ticked = false;
    for line in lines(text) {
        let words = text[line.clone()].trim();
        if let Some(mark) = fence_mark(words) {
            match fence {
                Some(opening) if words.starts_with(opening) => fence = None,
                Some(_) => {}
                None => fence = Some(mark),
            }
            blocks.extend(open.take());
            heading = None;
            continue;
        }
        if fence.is_some() || words.is_empty() || is_hidden(&line) {
            blocks.extend(open.take());
            continue;
        }
        let indent = text[line.clone()]
            .bytes()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .map(|b| if b == b'\t' { 4 } else { 1 })
            .sum::<usize>();
        let mark = list_mark(words);
        is_in_list = mark > 0 || (is_in_list && indent > 0);
        let start = line.start + (text[line.clone()].len() - text[line.clone()].trim_start().len());
        let end = start + words.len();
        if !is_in_list {
            heading = is_heading(words).then_some(start..end);
        }
        is_ticked = match mark {
            0 => is_ticked && indent > 0,
            _ => ["[x] ", "[X] "]
                .iter()
                .any(|tick| words[mark..].starts_with(tick)),
        };
        if is_ticked || !is_prose(words) || (indent >= 4 && !is_in_list) {
            if is_ticked && mark > 0 && is_prose(words) {
                ticked.extend(item_of(&text[start..end], mark + "[x] ".len(), start));
            }
            blocks.extend(open.take());
            continue;
        }
        match &mut open {
            Some(block) if mark == 0 && goes_on(&text[block.span.clone()], words) => {
                block.span.end = end;
            }
            _ => {
                blocks.extend(open.take());
                open = Some(Block {
                    span: start + mark..end,
                    heading: heading.clone().filter(|_| mark > 0),
                    is_open: words[..mark].ends_with("[ ] "),
                });
            }
        }
    }
    blocks.extend(open);
    Prose { blocks, ticked }
}

/// Whether a line may say what the list below it holds.
fn is_heading(line: &str) -> bool {
    line.starts_with('#') || line.trim_end_matches(['*', ' ']).ends_with([':', '：'])
}

/// What a ticked list item is about, without marks, the label of a task and its last stop.
fn item_of(line: &str, mark: usize, start: usize) -> Option<Range<usize>> {
    let mut at = mark;
    for label in ["TODO:", "Todo:", "todo:", "할 일:", "待办：", "待办:"] {
        if line[at..].trim_start().starts_with(label) {
            at += line[at..].len() - line[at..].trim_start().len() + label.len();
        }
    }
    let words = line[at..].trim_start();
    let from = line.len() - words.len();
    let to = from
        + words
            .trim_end_matches(['.', '!', '。', ' ', '~', '*'])
            .len();
    (from < to).then_some(start + from..start + to)
}

/// The lines, without line ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end_matches(['\n', '\r']).len()
    })
}

/// The code fence that a line opens or closes.
pub(super) fn fence_mark(line: &str) -> Option<&'static str> {
    ["```", "~~~"]
        .into_iter()
        .find(|mark| line.starts_with(mark) && !line[3..].contains("```"))
}

/// The length of a line's list marker in bytes.
pub(super) fn list_mark(line: &str) -> usize {
    let bullet = ["- ", "* ", "+ ", "• ", "· "]
        .into_iter()
        .find(|mark| line.starts_with(mark));
    if let Some(bullet) = bullet {
        return bullet.len() + box_mark(&line[bullet.len()..]);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = (1..=3).contains(&digits)
        && matches!(line.as_bytes().get(digits), Some(b'.' | b')'))
        && line.as_bytes().get(digits + 1) == Some(&b' ');
    match is_numbered {
        true => digits + 2 + box_mark(&line[digits + 2..]),
        false => 0,
    }
}

/// The length of the box before an item's words, in bytes: open, begun or put off. What is ticked
/// says more than its words.
fn box_mark(words: &str) -> usize {
    let mark = ["[ ] ", "[-] ", "[~] ", "[>] ", "[/] "]
        .into_iter()
        .find(|mark| words.starts_with(mark));
    mark.map_or(0, str::len)
}

/// Whether a line consists of sentences.
fn is_prose(line: &str) -> bool {
    // "#412 is merged" is no heading.
    let number = line.strip_prefix('#').unwrap_or("");
    if line.starts_with('#') && !number.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    // A line of a file with its number: "184 | // may be empty".
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if numbered.len() < line.len() && numbered.trim_start().starts_with(['|', '│', '→']) {
        return false;
    }
    // The head of a commit.
    let is_commit = (line.starts_with("Author: ") && line.contains('@'))
        || (["Date: ", "AuthorDate: ", "CommitDate: "]
            .iter()
            .any(|begin| line.starts_with(begin))
            && line.bytes().filter(|b| *b == b':').count() >= 3);
    if is_commit {
        return false;
    }
    // A quotation, a table, a command, a tag, a line of a diff.
    if [">", "|", "$ ", "<", "@@", "+++", "---", "//", "/*"]
        .iter()
        .any(|mark| line.starts_with(mark))
    {
        return false;
    }
    let first = line.split_whitespace().next().unwrap_or("");
    let level = first.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let is_log = [
        "INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL",
    ]
    .contains(&level)
        && first.len() <= level.len() + 2;
    let is_stamped = first.len() >= 8
        && first
            .trim_start_matches('[')
            .bytes()
            .take(4)
            .all(|b| b.is_ascii_digit())
        && first.contains(['-', ':']);
    // Code and output contain more symbols than words.
    let (mut letters, mut signs) = (0, 0);
    for c in line.chars().filter(|c| !c.is_whitespace()) {
        if c.is_alphanumeric() {
            letters += 1;
        } else if matches!(
            c,
            '{' | '}' | ';' | '=' | '<' | '>' | '|' | '\\' | '$' | '&'
        ) {
            signs += 4;
        } else if c.is_ascii() {
            signs += 1;
        }
    }
    !is_log && !is_stamped && letters > signs && !line.ends_with(['{', ';', '}'])
}

/// Whether a line continues the sentence of the previous one: in hard-wrapped text, only long
/// lines are broken.
fn goes_on(block: &str, next: &str) -> bool {
    let last = block.rsplit('\n').next().unwrap_or(block);
    let is_open = !last.ends_with(['.', '!', '?', ':', '。', '！', '？', '…']);
    let goes_on = next.chars().next().is_some_and(|c| !c.is_uppercase());
    is_open && is_long(last) && goes_on && (hangs(last, next) || is_wrapped(block, next))
}

fn is_long(line: &str) -> bool {
    line.chars().count() >= 50 || (line.len() >= 75 && !line.is_ascii())
}

/// Whether a line ends, or the next one begins, where no sentence does.
fn hangs(last: &str, next: &str) -> bool {
    const NO_END: [&str; 40] = [
        "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "because",
        "been", "before", "but", "by", "every", "for", "from", "if", "in", "into", "is", "no",
        "not", "of", "on", "or", "our", "should", "than", "that", "the", "their", "to", "until",
        "when", "will", "with", "your",
    ];
    const NO_START: [&str; 16] = [
        "a", "an", "and", "are", "as", "because", "for", "from", "is", "of", "or", "than", "that",
        "to", "which", "with",
    ];
    let word = |word: Option<&str>| word.unwrap_or("").to_lowercase();
    last.ends_with([',', '、', '，', ';', '；'])
        || NO_END.contains(&word(last.split_whitespace().next_back()).as_str())
        || NO_START.contains(&word(next.split_whitespace().next()).as_str())
}

/// Whether lines look broken at a width: two of them end near the same column, or the text is
/// written in whole sentences. People who type a thought to a line leave out the full stops.
fn is_wrapped(block: &str, next: &str) -> bool {
    const NEAR: usize = 12;
    let widths: Vec<usize> = block.lines().map(|line| line.chars().count()).collect();
    let before = widths.len().checked_sub(2).map(|at| widths[at]);
    let has_column = before.is_some_and(|width| width.abs_diff(widths[widths.len() - 1]) <= NEAR);
    has_column || block.contains(". ") || next.contains(['.', '!', '?', '。', '！', '？'])
}

/// What lies between a tag at the start of a line and its end: hosts wrap text that nobody
/// said this way (`<system-reminder>…</system-reminder>`).
fn tagged_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for line in lines(text) {
        if spans.last().is_some_and(|span| line.start < span.end) {
            continue;
        }
        let words = text[line.clone()].trim_start();
        let Some(rest) = words.strip_prefix('<') else {
            continue;
        };
        let name: &str = &rest[..rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
            .count()];
        if name.is_empty() {
            continue;
        }
        let close = format!("</{name}>");
        let end = text[line.start..]
            .find(&close)
            .map_or(line.end, |at| line.start + at + close.len());
        spans.push(line.start..end);
    }
    spans
}

/// Runs of settings that nobody put between fences, such as the YAML of a workflow: names in small
/// letters with their values, of which some stand below others.
fn settings_spans(text: &str) -> Vec<Range<usize>> {
    const MIN: usize = 4;
    let mut spans = Vec::new();
    let mut run: Option<(Range<usize>, usize, bool)> = None;
    let mut close = |run: &mut Option<(Range<usize>, usize, bool)>| {
        if let Some((span, count, is_nested)) = run.take()
            && count >= MIN
            && is_nested
        {
            spans.push(span);
        }
    };
    for line in lines(text) {
        let words = text[line.clone()].trim();
        if words.is_empty() {
            continue;
        }
        let is_indented = text[line.clone()].starts_with([' ', '\t']);
        let is_setting = is_setting(words);
        match &mut run {
            Some((span, count, is_nested))
                if is_setting || is_indented || words.starts_with("- ") =>
            {
                span.end = line.end;
                *count += usize::from(is_setting);
                *is_nested |= is_setting && is_indented && !words.starts_with("- ");
            }
            _ => {
                close(&mut run);
                run = is_setting.then_some((line, 1, false));
            }
        }
    }
    close(&mut run);
    spans
}

/// `name: value`, `- name: value` or `name:`.
fn is_setting(line: &str) -> bool {
    let line = line.strip_prefix("- ").unwrap_or(line);
    let Some((name, value)) = line.split_once(':') else {
        return false;
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(is_part)
        && (value.is_empty() || value.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(text: &str) -> Vec<&str> {
        let blocks = read(text, &[]).blocks.into_iter();
        blocks.map(|block| &text[block.span]).collect()
    }

    #[test]
    fn code_quotations_tables_and_tags_are_no_prose() {
        let text = "First line.\n```sh\nlet's go with x\n```\n> we decided\n| a | b |\n# Decision\n\
                    <system-reminder>\nYou must never stop.\n</system-reminder>\n\
                    2026-01-02T10:00:00 we must\nERROR: we must\n$ make must\nlet x = 1;\n마지막 줄.";
        assert_eq!(prose(text), ["First line.", "마지막 줄."]);
    }

    #[test]
    fn settings_heads_of_commits_and_numbered_lines_are_no_prose() {
        let workflow = "Why does it fail?\nname: Check\non:\n  push:\n    branches: [main]\n\njobs:\n  test:\n    steps:\n      - name: Install\n        run: npm ci\nIt must pass.";
        assert_eq!(prose(workflow), ["Why does it fail?", "It must pass."]);
        let commit = "Author: Ada <ada@example.org>\nDate:   Mon Jun 2 10:11:12 2025 +0200\n184 | // may be empty\nSo it is.";
        assert_eq!(prose(commit), ["So it is."]);
        let own = "decisions:\n- cache: redis\n- host: fly.io\nname: recall\nstack: rust";
        assert_eq!(prose(own).len(), 5);
    }

    #[test]
    fn boxes_of_work_that_is_begun_or_put_off_are_marks() {
        let text = "- [-] first part\n* [~] second part\n- [>] third part\n1. [ ] fourth part\n- [/] fifth part";
        let parts = [
            "first part",
            "second part",
            "third part",
            "fourth part",
            "fifth part",
        ];
        assert_eq!(prose(text), parts);
        let open: Vec<bool> = read(text, &[]).blocks.iter().map(|b| b.is_open).collect();
        assert_eq!(open, [false, false, false, true, false]);
    }

    #[test]
    fn indented_code_is_left_out_and_list_items_are_not() {
        assert_eq!(prose("    TODO: code\nx y"), ["x y"]);
        assert_eq!(
            prose("- one thing\n    - two things\n1. three\n2) four"),
            ["one thing", "two things", "three", "four"]
        );
    }

    #[test]
    fn ticked_list_items_are_left_out_and_open_ones_are_not() {
        let text = "- [x] one\n  of two\n* [X] two\n  - three\n1. [x] four\n- [ ] five\nsix";
        assert_eq!(prose(text), ["three", "five", "six"]);
        let ticked = read("- [x] TODO: one.\n  more\n* [X] **two words**", &[]).ticked;
        let words: Vec<Range<usize>> = vec![12..15, 30..41];
        assert_eq!(ticked, words);
    }

    #[test]
    fn long_lines_that_were_broken_are_joined() {
        let text = "We have looked at both of the proposals for quite a while and\n\
                    decided to keep the first.\nShort\nnext";
        assert_eq!(prose(text).len(), 3);
    }

    #[test]
    fn what_is_hidden_is_not_read() {
        let text = "one.\nrecalled.\ntwo.";
        let hidden = 5..14;
        let found = read(text, std::slice::from_ref(&hidden)).blocks;
        let spans: Vec<Range<usize>> = found.into_iter().map(|block| block.span).collect();
        assert_eq!(spans, [0..4, 15..19]);
    }

    #[test]
    fn list_items_know_what_stands_above_their_list() {
        let text = "Hello.\n**Decisions:**\n\n- one\n- two\n  of it\n## Left\n1. three\n\nAnd:\nno\n- four";
        let headed: Vec<(&str, Option<&str>)> = read(text, &[])
            .blocks
            .into_iter()
            .map(|block| (&text[block.span], block.heading.map(|span| &text[span])))
            .collect();
        assert_eq!(
            headed,
            [
                ("Hello.", None),
                ("**Decisions:**", None),
                ("one", Some("**Decisions:**")),
                ("two", Some("**Decisions:**")),
                ("of it", None),
                ("three", Some("## Left")),
                ("And:", None),
                ("no", None),
                ("four", None),
            ]
        );
    }
}
