//! The output of a command: lines for people or one JSON document for programs, both safe for a
//! terminal whatever was stored.
//!
//! Lists are lines rather than tables: memories have no fixed width, but a terminal does, and lines
//! work with `grep` and `cut`. So there is no dependency for tables.

use std::fmt::{Display, Write as _};
use std::io::Write;
use std::path::Path;

use anstream::AutoStream;
use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use serde_json::{Value, json};

use recallite::text::show::{harmless, harmless_line};

use crate::color::choice;
use crate::exit;
use crate::failure::{Failure, Outcome};

/// The style of a part of a line where colours are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    /// The most important part.
    Strong,
    /// A less important part.
    Faint,
    /// A citation or another id that can be typed.
    Id,
    Good,
    Warning,
    Bad,
}

impl Look {
    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Look::Plain => Style::new(),
            Look::Strong => Style::new().bold(),
            Look::Faint => Style::new().dimmed(),
            Look::Id => color(AnsiColor::Cyan),
            Look::Good => color(AnsiColor::Green),
            Look::Warning => color(AnsiColor::Yellow),
            Look::Bad => color(AnsiColor::Red).bold(),
        }
    }
}

/// One line of parts. Every part is sanitised here, so that no caller can forget it.
#[derive(Debug, Default)]
pub(crate) struct Line(String);

impl Line {
    pub(crate) fn new() -> Self {
        Line::default()
    }

    pub(crate) fn add(mut self, look: Look, part: impl Display) -> Self {
        let part = part.to_string();
        let part = harmless_line(&part);
        let style = look.style();
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{style}{part}{style:#}");
        self
    }

    pub(crate) fn plain(self, part: impl Display) -> Self {
        self.add(Look::Plain, part)
    }
}

/// The output, printed when the command ends or when it is flushed.
#[derive(Debug)]
pub(crate) struct Output {
    is_json: bool,
    color: ColorChoice,
    text: String,
    /// Whether nobody reads it any more.
    is_abandoned: bool,
}

impl Output {
    pub(crate) fn new(is_json: bool, color: ColorChoice) -> Self {
        Output {
            is_json,
            color,
            text: String::new(),
            is_abandoned: false,
        }
    }

    /// Whether JSON was requested instead of lines.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    pub(crate) fn line(&mut self, line: Line) {
        self.text.push_str(&line.0);
        self.text.push('\n');
    }

    pub(crate) fn say(&mut self, text: impl Display) {
        self.line(Line::new().plain(text));
    }

    pub(crate) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Stored text of several lines, each indented, so that none can be mistaken for one of ours.
    pub(crate) fn block(&mut self, text: &str) {
        for line in harmless(text).lines() {
            self.text.push_str("    ");
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// A document that this program generated, unchanged; with JSON, a single string.
    pub(crate) fn document(&mut self, text: &str) {
        match self.is_json {
            true => self.json(&json!({ "text": text })),
            false => self.text.push_str(text),
        }
    }

    /// The one JSON document of a command.
    pub(crate) fn json(&mut self, value: &Value) {
        self.text.push_str(&harmless_json(value));
        self.text.push('\n');
    }

    /// Whether the reader was gone when something was written last: what runs until it is ended may
    /// end.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_abandoned
    }

    /// Writes the output so far. It is not an error if the reader, such as `head`, is gone.
    pub(crate) fn flush(&mut self) -> Outcome {
        let text = std::mem::take(&mut self.text);
        let mut stdout = AutoStream::new(std::io::stdout().lock(), choice(self.color));
        match stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
        {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::Said(
                exit::FAILED,
                format!("standard output: {error}"),
            )),
            written => {
                self.is_abandoned |= written.is_err();
                Ok(())
            }
        }
    }
}

/// A path in JSON, which has no bytes that are not UTF-8.
pub(crate) fn path_json(path: &Path) -> Value {
    path.display().to_string().into()
}

/// Equivalent JSON that is safe for a terminal: control characters are escaped.
pub(crate) fn harmless_json(value: &Value) -> String {
    escaped(value.to_string())
}

/// JSON text with its control characters escaped, except line ends.
fn escaped(text: String) -> String {
    if harmless(&text) == text {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        let mut own = [0; 4];
        let own: &str = c.encode_utf8(&mut own);
        if harmless(own) == own {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// Writes JSON Lines as [`harmless_json`] does, one whole line after another.
#[derive(Debug)]
pub(crate) struct HarmlessLines<W> {
    to: W,
    line: Vec<u8>,
}

impl<W: Write> HarmlessLines<W> {
    pub(crate) fn new(to: W) -> Self {
        HarmlessLines {
            to,
            line: Vec::new(),
        }
    }
}

impl<W: Write> Write for HarmlessLines<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if bytes.contains(&b'\n') {
            let end = self.line.iter().rposition(|&byte| byte == b'\n');
            let rest = self.line.split_off(end.map_or(0, |end| end + 1));
            let lines = std::mem::replace(&mut self.line, rest);
            self.to
                .write_all(escaped(String::from_utf8_lossy(&lines).into_owned()).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_harmless_and_says_the_same() {
        let stored = "a\u{1b}[2Jb\u{9b}c\u{202e}d\u{e0041}e\r한\u{7f}";
        let value = serde_json::json!({ "text": stored });
        let text = harmless_json(&value);
        assert!(!text.chars().any(|c| c.is_control() || c == '\u{202e}'));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn lines_of_json_are_harmless_however_they_are_written() {
        let stored = "한\u{1b}b\u{9b}c\u{202e}d\u{e0041}e\u{7f}";
        let line = format!("{}\n", json!({ "text": stored }));
        let mut lines = HarmlessLines::new(Vec::new());
        for bytes in line.repeat(2).as_bytes().chunks(3) {
            assert_eq!(lines.write(bytes).unwrap(), bytes.len());
        }
        let written = String::from_utf8(lines.to).unwrap();
        assert_eq!(harmless(&written), written);
        let read: Vec<Value> = written
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(read, [json!({ "text": stored }), json!({ "text": stored })]);
    }

    #[test]
    fn no_part_of_a_line_can_end_it_or_colour_it() {
        let line = Line::new().add(Look::Plain, "one\ntwo\u{1b}[31mred\rthree");
        assert_eq!(line.0, "one two\u{fffd}[31mred three");
    }
}
