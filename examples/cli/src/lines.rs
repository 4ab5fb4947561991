//! Formats that several commands share.

use recallite::{CitationId, Event, EventKind, Timestamp};

use crate::output::{Line, Look, Output};
use crate::time::local;

/// How much of a text a list shows, in characters.
const PREVIEW_CHARS: usize = 160;

/// `mem:a7Bc3x  2026-01-30 14:05  prompt`, the beginning of most lines.
pub(crate) fn heading(citation: &CitationId, at: Timestamp, kind: EventKind) -> Line {
    Line::new()
        .add(Look::Id, citation)
        .add(Look::Faint, format_args!("  {}  ", local(at)))
        .plain(kind.display_name())
}

/// An event in a list: its heading and the beginning of its text.
pub(crate) fn listed(event: &Event) -> Line {
    heading(&event.citation, event.timestamp, event.kind)
        .plain("  ")
        .plain(shortened(&event.content))
}

/// A text on one line, truncated for lists.
pub(crate) fn shortened(text: &str) -> String {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        if words.chars().nth(PREVIEW_CHARS).is_some() {
            let cut: String = words.chars().take(PREVIEW_CHARS - 1).collect();
            return cut + "…";
        }
    }
    words
}

/// What is said below a list that shows only its first items.
pub(crate) fn more_of(shown: usize) -> String {
    format!("showing {shown}; there are more, use -n to show them")
}

/// The same if it is known how many there are.
pub(crate) fn shown_of(shown: usize, total: usize) -> String {
    format!("showing {shown} of {total}; use -n to show more")
}

/// Leaves the first items of a list that was asked for one more; returns whether there are more.
pub(crate) fn cut_list<T>(items: &mut Vec<T>, limit: usize) -> bool {
    let has_more = items.len() > limit;
    items.truncate(limit);
    has_more
}

/// A readable size in bytes.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["B", "KB", "MB", "GB"];
    let mut size = count as f64;
    let mut unit = 0;
    while size >= 1_000.0 && unit + 1 < UNITS.len() {
        size /= 1_000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{count} B"),
        _ => format!("{size:.1} {}", UNITS[unit]),
    }
}

/// `1 memory`, `2 memories`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Two columns: names on the left, descriptions on the right.
pub(crate) fn columns(output: &mut Output, rows: &[(&str, String)]) {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    for (name, value) in rows {
        let line = Line::new()
            .add(Look::Faint, format_args!("{name:<width$}  "))
            .plain(value);
        output.line(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = "한글 ".repeat(100);
        let short = shortened(&long);
        assert_eq!(short.chars().count(), PREVIEW_CHARS);
        assert!(short.ends_with('…'));
        assert_eq!(shortened(" a\n b\t c "), "a b c");
        assert_eq!(
            shortened(&"x".repeat(1 << 20)).chars().count(),
            PREVIEW_CHARS
        );
    }

    #[test]
    fn sizes_are_read_by_people() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_500), "1.5 KB");
        assert_eq!(bytes(2_000_000_000_000), "2000.0 GB");
    }
}
