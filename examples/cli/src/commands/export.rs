//! `export`: memories as JSON Lines, or as a readable document.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use recallite::scope::ProjectScope;
use recallite::text::show::harmless;
use recallite::{
    EntryFilter, ErrorCode, Event, EventFilter, EventKind, ExportOptions, Memory, Selector,
    Session, TaskFilter,
};
use serde_json::json;

use crate::arguments::{Export, Form, Place};
use crate::busy::Busy;
use crate::evidence;
use crate::failure::{Failure, Outcome, is_by_io};
use crate::files::{NewFile, lies_in};
use crate::interrupt;
use crate::lines::{bytes, counted};
use crate::named::check_session;
use crate::output::{HarmlessLines, Line, Look, Output, path_json};
use crate::tasks::text as task_text;
use crate::time::local;

pub(crate) fn export(place: &Place, asked: &Export, output: &mut Output) -> Outcome {
    if asked.whole && place.project.is_some() {
        return Err(Failure::usage(
            "--whole exports every project; omit it to export only that of --project",
        ));
    }
    if asked.whole && asked.format == Form::Markdown {
        return Err(Failure::usage(
            "--whole requires --format jsonl, the only format that can be restored",
        ));
    }
    let memory = place.open()?;
    check_session(&memory, asked.session.as_deref())?;
    if output.is_json() && asked.format == Form::Markdown && asked.output.is_none() {
        // A single JSON document, as for every command.
        let mut text = Vec::new();
        write(place, &memory, asked, &mut text)?;
        output.document(&String::from_utf8_lossy(&text));
        return Ok(());
    }
    let Some(path) = &asked.output else {
        let mut stdout = Watched {
            to: std::io::stdout().lock(),
            failed: None,
        };
        let written = write(place, &memory, asked, &mut stdout);
        return match written {
            // The reader, such as `head`, has read enough.
            Err(Failure::Memory(error)) if is_by_io(&error, |it| it == ErrorKind::BrokenPipe) => {
                Ok(())
            }
            Err(failure) => Err(match stdout.failed {
                Some(failed) => Failure::said(format!("standard output: {failed}")),
                None => failure,
            }),
            Ok(_) => Ok(()),
        };
    };
    // As the library does for its own copies.
    if lies_in(path, &place.folder()?) {
        return Err(Failure::usage(format!(
            "{} is inside the store's own folder, where erasing would not reach the copy",
            path.display()
        )));
    }
    let busy = Busy::of_copy(&memory, "writing the export");
    let events = match asked.format {
        Form::Jsonl => jsonl_file(place, &memory, asked, path)?,
        Form::Markdown => markdown_file(place, &memory, asked, path)?,
    };
    drop(busy);
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if output.is_json() {
        output.json(&json!({ "events": events, "bytes": size, "path": path_json(path) }));
        return Ok(());
    }
    let what = counted(events, "event", "events");
    let line = Line::new()
        .add(Look::Good, format_args!("exported {what}"))
        .plain(format_args!(", {}, to {}", bytes(size), path.display()));
    let line = match events == 0 && !asked.whole {
        true => line.plain(format_args!(
            "; nothing found{}",
            place.where_looked(&memory)
        )),
        false => line,
    };
    output.line(line);
    if asked.whole {
        output.say(
            "the file contains the store's secret; keep it as private as the store; `recallite \
             restore` reads it",
        );
    }
    Ok(())
}

/// A stream that tells its own errors from those of the store.
struct Watched<W> {
    to: W,
    failed: Option<String>,
}

impl<W> Watched<W> {
    fn note<T>(&mut self, written: std::io::Result<T>) -> std::io::Result<T> {
        if let Err(error) = &written
            && error.kind() != ErrorKind::Interrupted
        {
            self.failed = Some(error.to_string());
        }
        written
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.to.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let flushed = self.to.flush();
        self.note(flushed)
    }
}

fn exists(path: &Path) -> Failure {
    Failure::said(format!(
        "{} already exists; choose a new file for the export",
        path.display()
    ))
}

/// Writes a new file. If the log is damaged, the file keeps what can still be read.
fn jsonl_file(place: &Place, memory: &Memory, asked: &Export, path: &Path) -> Outcome<u64> {
    let mut options = ExportOptions::new();
    options.selector = selector(place, asked);
    match memory.export_jsonl(path, &options) {
        Ok(exported) => Ok(exported.events),
        Err(error) if error.code() == ErrorCode::AlreadyExists => Err(exists(path)),
        Err(error) => Err(error.into()),
    }
}

/// Writes a new file, which has its name once it is complete: a document has no last line by which
/// half of it could be told.
fn markdown_file(place: &Place, memory: &Memory, asked: &Export, path: &Path) -> Outcome<u64> {
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    let mut file = NewFile::beside(path).map_err(|error| Failure::io(path, &error))?;
    let mut writer = BufWriter::new(&mut file);
    let count = markdown(place, memory, asked.session.as_deref(), &mut writer)?;
    drop(writer);
    file.finish().map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Failure::io(path, &error),
    })?;
    Ok(count)
}

/// Writes the export for standard output; returns how many events it contains.
fn write(place: &Place, memory: &Memory, asked: &Export, to: &mut dyn Write) -> Outcome<u64> {
    if asked.format == Form::Markdown {
        return markdown(place, memory, asked.session.as_deref(), to);
    }
    let lines = HarmlessLines::new(&mut *to);
    let selector = selector(place, asked);
    let exported = memory.upkeep().export_jsonl_to(lines, selector.as_ref())?;
    to.flush().map_err(recallite::Error::from)?;
    Ok(exported.events)
}

/// The events of a JSONL export; `None` for the whole log.
fn selector(place: &Place, asked: &Export) -> Option<Selector> {
    if asked.whole {
        return None;
    }
    let selector = match &asked.session {
        Some(session) => Selector::new().session(session),
        None => Selector::everything(),
    };
    Some(selector.project(place.scope()))
}

/// The first lines of a document, by which an import knows that it is no note.
pub(crate) const DOCUMENT: &str = "# Memory\n\n<!-- an export of recallite, to be read -->";

/// Learned entries and tasks, then conversations as chapters, oldest first, with every message in
/// full and the beginning of each tool output.
fn markdown(
    place: &Place,
    memory: &Memory,
    only: Option<&str>,
    to: &mut dyn Write,
) -> Outcome<u64> {
    // A session is listed under its first project, but may go on in another one.
    let mut sessions = memory.sessions(&ProjectScope::All, Some(usize::MAX))?;
    sessions.sort_by(|a, b| (a.started, &a.id).cmp(&(b.started, &b.id)));
    let mut count = 0;
    let mut text = format!("{DOCUMENT}\n");
    text.push_str(&learned(place, memory, only)?);
    if only.is_none() {
        text.push_str(&tasks(place, memory)?);
    }
    for session in sessions
        .iter()
        .filter(|session| only.is_none_or(|only| only == session.id))
    {
        let filter = EventFilter::new()
            .session(&session.id)
            .project(place.scope());
        for (index, event) in memory.events(filter)?.enumerate() {
            let event = event?;
            if interrupt::is_asked_for() {
                return Err(Failure::interrupted());
            }
            if index == 0 {
                text.push_str(&beginning(session, &event));
            }
            text.push_str(&chapter(&event));
            count += 1;
            to.write_all(text.as_bytes())
                .map_err(recallite::Error::from)?;
            text.clear();
        }
    }
    to.write_all(text.as_bytes())
        .map_err(recallite::Error::from)?;
    to.flush().map_err(recallite::Error::from)?;
    Ok(count)
}

/// The beginning of a conversation, whose first exported event this is. Its summary is about the
/// project in which it began.
fn beginning(session: &Session, first: &Event) -> String {
    let mut text = format!(
        "\n## {} ({})\n",
        heading(&session.id),
        local(session.started)
    );
    if !first.project.is_empty() {
        text.push_str(&format!("\nProject: {}\n", heading(&first.project)));
    }
    if let Some(summary) = session
        .summary
        .as_ref()
        .filter(|_| first.project == session.project)
    {
        text.push_str(&format!("\n{}\n", quoted(summary)));
    }
    text
}

/// The learned entries, whatever their status; empty if there are none.
fn learned(place: &Place, memory: &Memory, only: Option<&str>) -> Outcome<String> {
    let mut filter = EntryFilter::default()
        .project(place.scope())
        .limit(usize::MAX)
        .is_live(true);
    filter.session = only.map(str::to_owned);
    let entries = memory.knowledge().entries(&filter)?;
    let mut text = String::new();
    for learned in &entries {
        let entry = &learned.entry;
        text.push_str(&format!(
            "\n### {} · {} · {} · {}\n\n{}\n",
            entry.entry_type.as_str().replace('_', " "),
            heading(entry.status.as_str()),
            local(learned.created_at),
            heading(&entry.title),
            quoted(&learned.content)
        ));
        for quote in evidence::quotes(memory, learned)? {
            if let (Some(event), Some(words)) = (&quote.event, quote.words()) {
                text.push_str(&format!("\n{}:\n\n{}\n", event.citation, quoted(words)));
            }
        }
    }
    Ok(chapters("Learned", text))
}

/// Every task, whatever its status; empty if there are none.
fn tasks(place: &Place, memory: &Memory) -> Outcome<String> {
    let tasks = memory.tasks().list(
        &TaskFilter::default()
            .project(place.scope())
            .limit(usize::MAX)
            .is_live(true),
    )?;
    let lines = tasks
        .iter()
        .map(|task| format!("- {}\n", heading(&task_text(task))));
    Ok(chapters("Tasks", lines.collect()))
}

/// A part of a document; empty if it has no content.
fn chapters(title: &str, text: String) -> String {
    match text.is_empty() {
        true => text,
        false => format!("\n## {title}\n\n{}", text.trim_start()),
    }
}

fn chapter(event: &Event) -> String {
    const TOOL_CHARS: usize = 2_000;
    let body = match event.kind {
        EventKind::ToolObservation => {
            let text: String = event.content.chars().take(TOOL_CHARS).collect();
            in_quote(&code(&harmless(&text)))
        }
        _ => quoted(&event.content),
    };
    format!(
        "\n### {} · {} · {}\n\n{body}\n",
        heading(&event.actor),
        local(event.timestamp),
        event.citation,
    )
}

/// A name in a heading, made unable to begin another line or a link.
fn heading(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in recallite::text::show::harmless_line(name).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text as a block quotation, so that its content cannot end a chapter. Its code stays code, and
/// nothing else of it becomes a heading, a link, a picture or markup.
fn quoted(text: &str) -> String {
    let text = harmless(text);
    let mut parts = Vec::new();
    // The fence of the code that was begun, and its lines.
    let mut begun: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        let mark = fence_of(line);
        match &mut begun {
            Some((fence, lines)) => {
                let is_end = mark.starts_with(*fence) && line.trim() == mark;
                match is_end {
                    true => parts.extend(begun.take().map(|(_, lines)| code(&lines.join("\n")))),
                    false => lines.push(line),
                }
            }
            None if mark.is_empty() => parts.push(plain(line)),
            None => begun = Some((mark, Vec::new())),
        }
    }
    parts.extend(begun.map(|(_, lines)| code(&lines.join("\n"))));
    in_quote(&parts.join("\n"))
}

fn in_quote(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// The marks with which a line begins or ends code; empty if it does neither.
fn fence_of(line: &str) -> &str {
    const MIN: usize = 3;
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'));
    let Some(mark) = mark else { return "" };
    let length = line.len() - line.trim_start_matches(mark).len();
    // Otherwise it is code within a line.
    let is_fence = length >= MIN && !(mark == '`' && line[length..].contains('`'));
    if is_fence { &line[..length] } else { "" }
}

/// Text as code, with a fence that it cannot end.
fn code(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}

/// A line of a message, as a person reads it: code within it is kept, and what would be a heading, a
/// link, a picture or markup is shown as it was written.
fn plain(line: &str) -> String {
    let trimmed = line.trim();
    let underlines = |mark| !trimmed.is_empty() && trimmed.chars().all(|c| c == mark);
    let begins_block = trimmed.starts_with('>') || underlines('=') || underlines('-');
    let mut out = String::with_capacity(line.len());
    let (indent, mut left) = line.split_at(line.len() - line.trim_start().len());
    out.push_str(indent);
    if begins_block {
        out.push('\\');
    }
    let mut before = ' ';
    while let Some(c) = left.chars().next() {
        let run = match c {
            '`' => left.len() - left.trim_start_matches('`').len(),
            c => c.len_utf8(),
        };
        let (taken, rest) = left.split_at(run);
        if c == '`' {
            if let Some(end) = end_of_code(rest, run) {
                out.push_str(&left[..run + end]);
                left = &rest[end..];
            } else {
                taken.chars().for_each(|c| out.extend(['\\', c]));
                left = rest;
            }
            before = '`';
            continue;
        }
        let is_heading = c == '#'
            && before.is_whitespace()
            && rest
                .chars()
                .next()
                .is_none_or(|c| c == '#' || c.is_whitespace());
        if is_heading || matches!(c, '<' | '[' | '\\') {
            out.push('\\');
        }
        out.push(c);
        (before, left) = (c, rest);
    }
    out
}

/// Where code within a line ends that as many marks have begun, behind them; `None` if it does not.
fn end_of_code(text: &str, marks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let begin = at + found;
        let run = text[begin..].len() - text[begin..].trim_start_matches('`').len();
        at = begin + run;
        if run == marks {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_text_cannot_leave_its_place_in_a_document() {
        assert_eq!(
            quoted("# a\n## b\r```"),
            "> \\# a\n> \\## b\n> ```\n> \n> ```"
        );
        assert_eq!(heading("a\n# b [x](y)"), "a \\# b \\[x\\](y)");
    }

    #[test]
    fn stored_markdown_is_shown_and_its_code_stays_code() {
        for (text, shown) in [
            ("a <b> [x](y)", "> a \\<b> \\[x](y)"),
            ("![x](y) `Vec<T>` <i>", "> !\\[x](y) `Vec<T>` \\<i>"),
            ("issue #12\n- # x", "> issue #12\n> - \\# x"),
            ("a\n===\n---\n> b", "> a\n> \\===\n> \\---\n> \\> b"),
            // A mark that nothing ends could begin code in another line.
            ("a ` b\n`<i>`", "> a \\` b\n> `<i>`"),
            (
                "```rust\nlet a: Vec<T>;\n# x\n```\nb <i>",
                "> ```\n> let a: Vec<T>;\n> # x\n> ```\n> b \\<i>",
            ),
            ("~~~\n```\n~~~", "> ````\n> ```\n> ````"),
        ] {
            assert_eq!(quoted(text), shown, "{text}");
        }
        assert_eq!(code("a ```` b"), "`````\na ```` b\n`````");
    }

    /// Read by a parser of Markdown, nothing but quotes, text and code is left.
    #[test]
    fn hostile_text_is_no_markup_to_a_parser() {
        use pulldown_cmark::{Event as Mark, Options, Parser, Tag};
        let hostile = [
            "# a\n\n<script>x</script>\n\n![a](http://b) [c](d)",
            "```\nx\n````\n<b>\n```\n<i>",
            "a `\n<b> `` c\n``` d ```<u>",
            "- # a\n  - <b>\n\n    ```\n    <i>\n",
            "\\[a](b) \\\\<b> \\`<i>`",
            "a\n  ===\n\n[a]: http://b\n\n[a]",
            "<!-- a\n--> <b>",
            "> # a\n> <b>",
        ];
        for text in hostile {
            for body in [quoted(text), in_quote(&code(text))] {
                for mark in Parser::new_ext(&body, Options::all()) {
                    let is_live = match &mark {
                        Mark::Html(_) | Mark::InlineHtml(_) => true,
                        Mark::Start(tag) => matches!(
                            tag,
                            Tag::Heading { .. }
                                | Tag::Link { .. }
                                | Tag::Image { .. }
                                | Tag::HtmlBlock
                        ),
                        _ => false,
                    };
                    assert!(!is_live, "{mark:?} in {body}");
                }
            }
        }
    }
}
