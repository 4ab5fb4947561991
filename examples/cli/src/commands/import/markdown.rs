//! Notes of people and coding agents in Markdown: each bullet, and the text of each section,
//! becomes an event with its file and line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, Read as _};
use std::ops::Range;
use std::path::Path;

use pulldown_cmark::{Event as Mark, OffsetIter, Options, Parser, Tag, TagEnd};
use recallite::privacy::PrivacyFilter;
use recallite::scope::project_of;
use recallite::{EventKind, Json, Memory, NewEvent, Timestamp};
use serde_json::json;

use super::broken::Broken;
use super::found::{Found, is_memory, is_memory_of_claude_code};
use super::projects::project_at;
use super::storing::{OF_NOTES, Storing};
use crate::agent_folders::is_agent_folder;
use crate::agents::NOTE;
use crate::commands::export::DOCUMENT;
use crate::lines::shortened;
use crate::transcript_lines::{Lines, Unread};

/// The largest file, in bytes: an agent reads its notes completely.
const MAX_BYTES: u64 = 1 << 20;
/// The maximum number of notes in a file.
const MAX_NOTES: usize = 2_000;
/// How often a document is parsed to find text within tags. What is left then is kept with its tags.
const MAX_PASSES: usize = 4;
/// A tag is not longer.
const MAX_TAG_BYTES: usize = 500;
/// The maximum length of a list's introduction, in bytes.
const INTRODUCTION_BYTES: usize = 160;
/// How many lines of a transcript are searched for its working folder.
const LOOKED_AT: usize = 50;

/// Stores the notes of a file.
pub(super) fn read(
    memory: &Memory,
    file: &Found,
    input: impl BufRead,
    storing: &mut Storing<'_>,
) -> Result<Unread, Broken> {
    let text = text_of(input)?;
    if text.replace("\r\n", "\n").starts_with(DOCUMENT) {
        let problem = "a document that `recallite export` made to be read; import what `recallite \
                       export -o FILE.jsonl` writes";
        return Err(Broken::Reading(problem.to_owned()));
    }
    let document = Document::filtered(memory, &text, storing)?;
    let path = std::fs::canonicalize(&file.path)?;
    let shown = path.display().to_string();
    let (kind, actor) = match is_memory(&path) {
        true => (EventKind::SessionSummary, "assistant"),
        false => (EventKind::UserPrompt, "user"),
    };
    let project = memory.project().is_empty().then(|| project(&path));
    let is_index =
        is_memory_of_claude_code(&path) && path.file_name().is_some_and(|name| name == "MEMORY.md");
    let mut notes = notes(&document.text, is_index);
    for note in &mut notes {
        note.line = document.line_in_file(note.line);
    }
    if notes.len() > MAX_NOTES {
        storing.refused.add(|| {
            format!(
                "{shown}: has more than {MAX_NOTES} notes; skipped those from line {} on",
                notes[MAX_NOTES].line
            )
        });
        notes.truncate(MAX_NOTES);
    }
    for note in notes {
        let mut event =
            NewEvent::new(kind, format!("{OF_NOTES}{shown}"), note.content()).actor(actor);
        let place = json!({
            "file": shown,
            "line": note.line,
            "headings": note.headings,
            // Each has its headings, and needs nothing else of the file.
            NOTE: true,
        });
        event.metadata = Json::parse("metadata", &place.to_string()).ok();
        event.timestamp = file.modified_ms().map(Timestamp::from_millis_clamped);
        event.project = project.clone();
        storing.push(event)?;
    }
    storing.flush()?;
    Ok(Unread::default())
}

fn text_of(input: impl BufRead) -> Result<String, Broken> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let problem = format!("larger than {MAX_BYTES} bytes, too large for agent notes");
        return Err(Broken::Reading(problem));
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err(Broken::Reading("not UTF-8 text".to_owned())),
    }
}

/// A document after the memory's privacy filter. It is filtered before it is split, because a
/// private section may span headings and items, and parsing drops its tags.
struct Document {
    text: String,
    /// The line of the file that each line of the text comes from.
    lines: Vec<usize>,
}

impl Document {
    fn filtered(
        memory: &Memory,
        text: &str,
        storing: &mut Storing<'_>,
    ) -> Result<Document, Broken> {
        let config = memory
            .privacy_filter()
            .config()
            .clone()
            .preserve_line_count(true);
        let filter = PrivacyFilter::new(config).map_err(|e| Broken::Storing(e.into()))?;
        let filtered = filter.text(text);
        for warning in filtered.warnings {
            storing.warn(warning, 0);
        }
        Ok(Document {
            lines: lines_in_file(text, filtered.text.as_str()),
            text: filtered.text.into_string(),
        })
    }

    fn line_in_file(&self, line: usize) -> usize {
        self.lines.get(line - 1).copied().unwrap_or(line)
    }
}

/// The line of the file that each line of its filtered text comes from. A section or a key of
/// several lines may become fewer, so the lines behind it are found by their text.
fn lines_in_file(file: &str, filtered: &str) -> Vec<usize> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, line) in (1..).zip(file.lines()) {
        if !line.trim().is_empty() {
            places.entry(line).or_default().push(number);
        }
    }
    let mut missing = file
        .lines()
        .count()
        .saturating_sub(filtered.lines().count());
    let mut next = 1;
    let place = |line: &str| {
        let found = places.get(line).and_then(|places| {
            let first = places.partition_point(|place| *place < next);
            places.get(first).filter(|place| **place - next <= missing)
        });
        let number = found.copied().unwrap_or(next);
        missing -= number - next;
        next = number + 1;
        number
    };
    filtered.lines().map(place).collect()
}

/// The project of a notes file: that of its folder; for a memory folder of Claude Code, that of the
/// transcripts beside it; none for a user's own notes.
fn project(path: &Path) -> String {
    let Some(folder) = path.parent() else {
        return String::new();
    };
    if is_memory_of_claude_code(path)
        && let Some(beside) = folder.parent()
        && let Some(project) = project_of_transcripts(beside)
    {
        return project;
    }
    let is_of_user = folder.ancestors().any(is_agent_folder);
    match is_of_user {
        true => String::new(),
        false => project_of(folder).unwrap_or_default(),
    }
}

/// The project of the working folder that is recorded in a folder's transcripts.
fn project_of_transcripts(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let is_transcript = |entry: &std::fs::DirEntry| {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        is_file
            && entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "jsonl")
    };
    let mut transcripts: Vec<_> = entries.filter(is_transcript).map(|it| it.path()).collect();
    transcripts.sort();
    transcripts.iter().find_map(|path| {
        let file = std::fs::File::open(path).ok()?;
        let mut lines = Lines::new(std::io::BufReader::new(file));
        for _ in 0..LOOKED_AT {
            let line = lines.next_value().ok()??;
            if let Some(folder) = line["cwd"].as_str() {
                return Some(project_at(folder));
            }
        }
        None
    })
}

/// A bullet or the text of a section.
#[derive(Debug, PartialEq)]
struct Note {
    /// The line on which it begins, from 1.
    line: usize,
    /// The headings above it, outermost first.
    headings: Vec<String>,
    text: String,
}

impl Note {
    /// The text with its headings, without which a bullet is often meaningless.
    fn content(&self) -> String {
        match self.headings.is_empty() {
            true => self.text.clone(),
            false => format!("{}\n\n{}", self.headings.join(" > "), self.text),
        }
    }
}

/// The notes of a document, in order. In an index, bullets that link to other files of the same
/// folder are left out, because those files are imported themselves.
fn notes(text: &str, is_index: bool) -> Vec<Note> {
    let text = &*without_tags(text);
    let mut reader = Reader {
        text,
        is_index,
        notes: Vec::new(),
        headings: Vec::new(),
        section: None,
        line: 1,
        counted: 0,
    };
    let mut marks = parser(text);
    while let Some((mark, range)) = marks.next() {
        let Mark::Start(tag) = mark else { continue };
        match tag {
            Tag::Heading { level, .. } => {
                let mut heading = String::new();
                for (mark, _) in marks.by_ref() {
                    match mark {
                        Mark::End(TagEnd::Heading(_)) => break,
                        Mark::Text(part) | Mark::Code(part) => heading.push_str(&part),
                        Mark::SoftBreak | Mark::HardBreak => heading.push(' '),
                        _ => {}
                    }
                }
                reader.heading(level as usize, &heading);
            }
            Tag::List(_) => {
                let introduction = reader.introduction();
                list(&mut marks, |range, is_link| {
                    reader.bullet(range, is_link, introduction.as_deref());
                });
            }
            Tag::MetadataBlock(_) => skip(&mut marks),
            Tag::HtmlBlock if is_hidden(&text[range.clone()]) => skip(&mut marks),
            _ => {
                reader.block(range);
                skip(&mut marks);
            }
        }
    }
    reader.end_section();
    reader.notes
}

fn parser(text: &str) -> OffsetIter<'_> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    Parser::new_ext(text, options).into_offset_iter()
}

/// Whether a block of HTML is nothing that a reader is meant to see: a comment, a declaration, a
/// script.
fn is_hidden(block: &str) -> bool {
    let begin = block.trim_start();
    ["<!", "<?"].iter().any(|mark| begin.starts_with(mark))
        || tag(begin).is_some_and(|(name, _)| is_of_program(name))
}

/// Whether what is within a tag is for a program.
fn is_of_program(tag: &str) -> bool {
    let hidden = ["script", "style"];
    hidden.iter().any(|hidden| tag.eq_ignore_ascii_case(hidden))
}

/// The name of the tag with which a text begins, and what follows the tag.
fn tag(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('<')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let behind = inner.trim_start_matches(is_of_name);
    let name = &inner[..inner.len() - behind.len()];
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && behind.starts_with(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    let mut attributes = behind.bytes().take(MAX_TAG_BYTES);
    let end = attributes
        .position(|byte| byte == b'>')
        .filter(|_| is_name)?;
    Some((name, &behind[end + 1..]))
}

/// A document without comments, scripts and the tags around its text, in as many lines. To Markdown, a line with nothing
/// but a tag, such as `<important>`, makes all text up to the next empty line HTML, and agents'
/// instructions are full of such tags.
fn without_tags(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    // Tags in what was HTML may begin blocks of their own.
    for _ in 0..MAX_PASSES {
        let mut blocks = Vec::new();
        let mut depth = 0;
        for (mark, range) in parser(&text) {
            match mark {
                Mark::Start(tag) => {
                    if depth == 0 && tag == Tag::HtmlBlock {
                        blocks.push(range);
                    }
                    depth += 1;
                }
                Mark::End(_) => depth -= 1,
                _ => {}
            }
        }
        if blocks.is_empty() {
            break;
        }
        let mut kept = String::with_capacity(text.len());
        let mut end = 0;
        for block in blocks {
            kept.push_str(&text[end..block.start]);
            match &text[block.clone()] {
                hidden if is_hidden(hidden) => {
                    kept.extend(hidden.chars().filter(|c| *c == '\n'));
                }
                shown => push_without_tags(shown, &mut kept),
            }
            end = block.end;
        }
        kept.push_str(&text[end..]);
        text = Cow::Owned(kept);
    }
    text
}

/// Adds a block of HTML without the tags with which its lines begin and end. Code is left as it is.
fn push_without_tags(block: &str, out: &mut String) {
    let mut rest = block;
    let mut is_code = false;
    while !rest.is_empty() {
        if !is_code {
            while let Some((name, behind)) = tag(rest.trim_start_matches([' ', '\t'])) {
                if is_of_program(name) {
                    break;
                }
                // An opening tag may have several lines.
                let tag = &rest[..rest.len() - behind.len()];
                out.extend(tag.chars().filter(|c| *c == '\n'));
                rest = behind;
            }
        }
        let (line, behind) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
        let mut shown = line;
        if ["```", "~~~"]
            .iter()
            .any(|fence| line.trim_start().starts_with(fence))
        {
            is_code = !is_code;
        } else if !is_code {
            let closed = |line: &str| {
                let at = line.rfind("</")?;
                let (name, rest) = tag(&line[at..])?;
                (rest.is_empty() && !is_of_program(name)).then_some(at)
            };
            while let Some(at) = closed(shown.trim_end()) {
                shown = &shown[..at];
            }
        }
        out.push_str(shown);
        let newline = behind.len().min(1);
        out.push_str(&behind[..newline]);
        rest = &behind[newline..];
    }
}

/// Skips to the end of the element that has begun.
fn skip<'a>(marks: &mut impl Iterator<Item = (Mark<'a>, Range<usize>)>) {
    let mut depth = 1;
    for (mark, _) in marks {
        match mark {
            Mark::Start(_) => depth += 1,
            Mark::End(_) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// Visits each item of a list that has begun, with whether it begins with a link to another
/// document.
fn list<'a>(
    marks: &mut impl Iterator<Item = (Mark<'a>, Range<usize>)>,
    mut item: impl FnMut(Range<usize>, bool),
) {
    let mut depth = 1;
    let mut current: Option<(Range<usize>, bool, bool)> = None;
    for (mark, range) in marks {
        match &mark {
            Mark::Start(Tag::Item) if depth == 1 => current = Some((range, false, false)),
            Mark::Start(Tag::Link { dest_url, .. }) => {
                if let Some((_, is_link, has_text)) = &mut current {
                    *is_link |= !*has_text && dest_url.ends_with(".md") && !dest_url.contains(':');
                }
            }
            Mark::Text(_) | Mark::Code(_) => {
                if let Some((_, _, has_text)) = &mut current {
                    *has_text = true;
                }
            }
            _ => {}
        }
        match mark {
            Mark::Start(_) => depth += 1,
            Mark::End(_) => depth -= 1,
            _ => {}
        }
        if depth == 1
            && let Some((range, is_link, _)) = current.take()
        {
            item(range, is_link);
        }
        if depth == 0 {
            return;
        }
    }
}

/// The state of reading a document.
struct Reader<'a> {
    text: &'a str,
    is_index: bool,
    notes: Vec<Note>,
    /// The headings above, with their levels.
    headings: Vec<(usize, String)>,
    /// Blocks since the last heading or list.
    section: Option<Range<usize>>,
    /// The line number of the last byte whose line was counted.
    line: usize,
    counted: usize,
}

impl Reader<'_> {
    fn heading(&mut self, level: usize, text: &str) {
        self.end_section();
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, shortened(text)));
    }

    fn block(&mut self, range: Range<usize>) {
        match &mut self.section {
            Some(section) => section.end = range.end,
            None => self.section = Some(range),
        }
    }

    /// Ends the section before a list. A short text that ends with a colon belongs to the items of
    /// the list instead.
    fn introduction(&mut self) -> Option<String> {
        let section = self.section.clone()?;
        let text = self.text[section].trim();
        let is_one = text.ends_with([':', '：']) && text.len() <= INTRODUCTION_BYTES;
        if is_one && !text.contains("\n\n") {
            self.section = None;
            return Some(shortened(text.trim_end_matches([':', '：'])));
        }
        self.end_section();
        None
    }

    fn end_section(&mut self) {
        if let Some(range) = self.section.take() {
            self.note(range.start, self.text[range].trim().to_owned(), None);
        }
    }

    fn bullet(&mut self, range: Range<usize>, is_link: bool, introduction: Option<&str>) {
        if self.is_index && is_link {
            return;
        }
        let text = without_marker(&self.text[range.clone()]);
        self.note(range.start, text, introduction);
    }

    fn note(&mut self, at: usize, text: String, introduction: Option<&str>) {
        if !text.contains(char::is_alphanumeric) {
            return;
        }
        let headings = self.headings.iter().map(|(_, heading)| heading.as_str());
        let headings = headings.chain(introduction).map(str::to_owned).collect();
        let line = self.line_of(at);
        self.notes.push(Note {
            line,
            headings,
            text,
        });
    }

    /// The line of a byte; must be called in ascending order of bytes.
    fn line_of(&mut self, at: usize) -> usize {
        let between = self
            .text
            .as_bytes()
            .get(self.counted..at)
            .unwrap_or_default();
        self.line += between.iter().filter(|byte| **byte == b'\n').count();
        self.counted = at.max(self.counted);
        self.line
    }
}

/// An item without its marker, and its continuation lines without their indentation.
fn without_marker(item: &str) -> String {
    let item = item.trim();
    let rest = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = match rest.len() < item.len() {
        true => &['.', ')'],
        false => &['-', '*', '+'],
    };
    let text = rest.strip_prefix(marks).unwrap_or(item).trim_start();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let further = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let least = further.map(indent).min().unwrap_or(0);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |mut all, line| {
        all.push('\n');
        all.push_str(line.get(least..).unwrap_or_default());
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, String)> {
        let notes = notes(text, false);
        notes
            .iter()
            .map(|note| (note.line, note.content()))
            .collect()
    }

    #[test]
    fn sections_and_bullets_are_notes_below_their_headings() {
        let text = "---\ntype: rule\n---\n# Shop\n\nPrices are in cents.\nAlways.\n\n```sh\n# no heading\n- no bullet\n```\n\n## Tests\n\n<!-- hidden -->\n\nBefore a commit:\n\n- run `cargo test`\n  with every feature\n  - and the slow ones\n1. 한글도 된다\n\n# Deploy\nOn Fridays.\n";
        assert_eq!(
            read(text),
            [
                (
                    6,
                    "Shop\n\nPrices are in cents.\nAlways.\n\n```sh\n# no heading\n- no bullet\n```"
                        .to_owned()
                ),
                (
                    20,
                    "Shop > Tests > Before a commit\n\nrun `cargo test`\nwith every feature\n- and the slow ones"
                        .to_owned()
                ),
                (23, "Shop > Tests\n\n한글도 된다".to_owned()),
                (26, "Deploy\n\nOn Fridays.".to_owned()),
            ]
        );
    }

    #[test]
    fn text_within_tags_is_read_like_any_other() {
        let text = "<important>\n- Use pnpm, never npm.\n<!-- not this -->\n- Tests first.\n\
                    </important>\n\n<div\n  class=\"rules\">\n\n## Style\nTabs.\n\n</div>\n\
                    <details><summary>Deploy</summary>\nOn Fridays.\n\n</details>\n\
                    <example>\n```rust\nlet x: Vec<String>;\n</a>\n```\n</example>\n\
                    <script>\nlet y;\n</script>\n\n<p>No <b>tests</b> on Mondays.</p>\n";
        let style = |text: &str| format!("Style\n\n{text}");
        assert_eq!(
            read(text),
            [
                (2, "Use pnpm, never npm.".to_owned()),
                (4, "Tests first.".to_owned()),
                (
                    11,
                    style(
                        "Tabs.\n\n\nDeploy\nOn Fridays.\n\n\n\n```rust\n\
                         let x: Vec<String>;\n</a>\n```\n\n\n\n\n\nNo <b>tests</b> on Mondays."
                    )
                ),
            ]
        );
    }

    #[test]
    fn lines_keep_their_numbers_behind_what_was_hidden() {
        let file = "# A\n\nkey\nof\nthree\n\n- one\n\n- one\n";
        let numbers = lines_in_file(file, "# A\n\n[REDACTED]\n\n- one\n\n- one\n");
        assert_eq!(numbers, [1, 2, 3, 4, 7, 8, 9]);
        assert_eq!(lines_in_file(file, file), (1..10).collect::<Vec<_>>());
    }

    #[test]
    fn an_index_leads_to_files_that_are_read_themselves() {
        let text =
            "- [Style](style.md): how we write\n- Use tabs.\n- [Docs](https://example.com/x.md)\n";
        let texts: Vec<String> = notes(text, true)
            .into_iter()
            .map(|note| note.text)
            .collect();
        assert_eq!(texts, ["Use tabs.", "[Docs](https://example.com/x.md)"]);
    }

    #[test]
    fn odd_documents_are_read_to_their_end() {
        for text in [
            "",
            "\u{feff}# \u{0}",
            "- ",
            "-\n-\n-",
            "# \n\n---\n***\n",
            "```\nnever closed",
            "| a |\n| - |",
            "---\nnever: closed",
        ] {
            assert!(read(text).len() <= 1, "{text:?}");
        }
        for deep in [
            ">", "- ", "[", "*", "`", "<", "&", "<a>", "<a>\n", "</a>", "<a \n", "<p\n",
        ] {
            let text = deep.repeat(100_000 / deep.len());
            assert!(read(&text).len() <= 1, "{deep}");
        }
        let crlf = read("# A\r\n- one\r\n- two\r\n");
        assert_eq!(crlf[1], (3, "A\n\ntwo".to_owned()));
    }
}
