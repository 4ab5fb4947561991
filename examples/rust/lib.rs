//! What the example programs share: text that fits a terminal.

use recallite::{EventKind, Timestamp};

/// The width that the examples write for, in columns.
pub const WIDTH: usize = 80;

/// Wraps text to the terminal, each line behind `margin`, at most `lines` of
/// them; wide characters (Korean, Japanese, Chinese) take two columns.
pub fn wrapped(text: &str, margin: &str, lines: usize) -> String {
    let options = textwrap::Options::new(WIDTH)
        .initial_indent(margin)
        .subsequent_indent(margin);
    let text = recallite::text::show::harmless(text);
    let text = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    let mut all: Vec<String> = Vec::new();
    for line in text {
        all.extend(
            textwrap::wrap(line, &options)
                .into_iter()
                .map(|line| line.into_owned()),
        );
        if all.len() > lines {
            break;
        }
    }
    if all.len() > lines {
        all.truncate(lines);
        if let Some(last) = all.last_mut() {
            while textwrap::core::display_width(last) > WIDTH - 2 {
                last.pop();
            }
            last.push_str(" …");
        }
    }
    all.join("\n")
}

/// `2026-03-09 09:00`, in UTC.
pub fn day_and_time(at: Timestamp) -> String {
    format!("{} {}", at.date_utc(), at.time_utc())
}

/// The word that people see for a kind.
pub fn kind_word(kind: EventKind) -> &'static str {
    kind.display_name()
}

/// A line across the terminal with a title in it.
pub fn rule(title: &str) -> String {
    let used = textwrap::core::display_width(title) + 4;
    format!("── {title} {}", "─".repeat(WIDTH.saturating_sub(used)))
}
