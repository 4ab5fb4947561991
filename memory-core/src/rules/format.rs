//! The Markdown in which memories are shown: the three layers of progressive disclosure and
//! the context for a prompt. Dates are UTC, and no text depends on the machine's locale.

use std::fmt::Write as _;

use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::rules::disclosure::DetailFacts;
use crate::text::show::{Shown, harmless, harmless_line};
use crate::text::tokens::estimate_tokens;

/// One line of the index (layer 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexLine<'a> {
    /// The id by which the reader can ask for more.
    pub id: &'a str,
    /// The one-line summary.
    pub summary: &'a str,
    /// The score, from 0 to 1.
    pub score: f64,
}

/// Formats layer 1: a table of the matches. `total_matches` may exceed the number of lines.
pub(crate) fn format_index(lines: &[IndexLine<'_>], total_matches: usize) -> String {
    let mut out = format!("## Related Memories ({total_matches} matches)\n");
    if lines.is_empty() {
        return out;
    }
    out.push_str("\n| ID | Summary | Score |\n|---|---|---|\n");
    for line in lines {
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            table_cell(line.id),
            table_cell(line.summary),
            two_decimals(line.score)
        );
    }
    out.push_str("\n*Use \"show <id>\" for details*\n");
    out
}

/// A learned item in one line, with the citation of its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LearnedLine<'a> {
    /// The citation.
    pub(crate) id: &'a str,
    /// What it is, its state and its content.
    pub(crate) text: String,
}

/// The learned items, shown above layer 1; empty without lines.
pub(crate) fn format_learned(lines: &[LearnedLine<'_>]) -> String {
    let mut out = String::new();
    for line in lines {
        if out.is_empty() {
            out.push_str("## Known\n\n");
        }
        let _ = writeln!(out, "- [mem:{}] {}", line.id, line.text);
    }
    out
}

/// One line of a timeline (layer 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineLine<'a> {
    /// The id of the item.
    pub id: &'a str,
    /// What kind of event the item is.
    pub kind: EventKind,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The one-line preview.
    pub preview: &'a str,
    /// Whether the timeline was asked for around this item.
    pub is_target: bool,
}

/// Formats layer 2: what happened around each target. The lines of one group belong to one
/// session and are in order of time. A group without a target is named after its first
/// line.
pub(crate) fn format_timeline(groups: &[&[TimelineLine<'_>]]) -> String {
    let mut out = String::from("## Related Memories with Timeline\n");
    for lines in groups {
        let Some(named) = lines.iter().find(|l| l.is_target).or(lines.first()) else {
            continue;
        };
        let _ = writeln!(
            out,
            "\n### Context around {} ({})\n",
            named.id,
            named.timestamp.date_utc()
        );
        for line in *lines {
            let _ = write!(
                out,
                "{} - {}: \"{}\"",
                line.timestamp.time_utc(),
                speaker(line.kind),
                harmless_line(line.preview)
            );
            if line.is_target {
                let _ = write!(out, " **[{}]**", line.id);
            }
            out.push('\n');
        }
    }
    out
}

fn speaker(kind: EventKind) -> &'static str {
    match kind {
        EventKind::UserPrompt => "User",
        EventKind::AgentResponse => "Assistant",
        EventKind::ToolObservation => "Tool",
        EventKind::SessionSummary => "Summary",
        other => other.as_str(),
    }
}

/// A whole memory (layer 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetailView<'a> {
    /// The id of the memory.
    pub id: &'a str,
    /// The session it belongs to.
    pub session: &'a str,
    /// When it happened.
    pub timestamp: Timestamp,
    /// What kind of event it is.
    pub kind: EventKind,
    /// The whole text.
    pub content: &'a str,
    /// What was extracted from the text.
    pub facts: &'a DetailFacts,
}

/// Formats layer 3: one memory with everything known about its text.
pub(crate) fn format_detail(detail: &DetailView<'_>) -> String {
    let mut out = format!(
        "## Memory Detail: {}\n\n**Session**: {} | **Date**: {} {} UTC | **Type**: {}\n\n### Content\n\n{}\n",
        harmless_line(detail.id),
        harmless_line(detail.session),
        detail.timestamp.date_utc(),
        detail.timestamp.time_utc(),
        detail.kind.display_name(),
        harmless(detail.content)
    );
    for (title, names) in [
        ("Related Files", &detail.facts.files),
        ("Tools Used", &detail.facts.tools),
    ] {
        if names.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n### {title}\n");
        for name in names {
            let _ = writeln!(out, "- {}", harmless_line(name));
        }
    }
    out
}

/// One memory of the context for a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextMemory {
    /// What kind of event it is.
    pub kind: EventKind,
    /// The text, which is shown in full.
    pub content: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The score, from 0 to 1.
    pub score: f64,
    /// Its neighbours, in words.
    pub session_context: Option<String>,
}

/// Formats the context for a prompt: memories in the given order until one would exceed
/// `max_tokens`. Later, smaller ones are not tried, because they matched less well.
/// Headings and separators are not counted. Empty if nothing fits.
pub fn format_context(memories: &[ContextMemory], max_tokens: usize, shown: Shown) -> String {
    let mut out = String::new();
    let mut used = 0usize;
    for memory in memories {
        let item = context_item(memory, shown);
        used = used.saturating_add(estimate_tokens(&item));
        if used > max_tokens {
            break;
        }
        out.push_str(if out.is_empty() {
            "## Relevant Memories\n\n"
        } else {
            "\n\n---\n\n"
        });
        out.push_str(&item);
    }
    out
}

fn context_item(memory: &ContextMemory, shown: Shown) -> String {
    let mut item = format!(
        "**{}** ({}, score: {})\n{}",
        memory.kind,
        memory.timestamp.date_utc(),
        two_decimals(memory.score),
        shown.text(&memory.content)
    );
    if let Some(context) = memory.session_context.as_deref().filter(|c| !c.is_empty()) {
        let _ = write!(item, "\n\n_Context:_ {}", shown.text(context));
    }
    item
}

/// Formats a number with two decimals. Exact halves are rounded away from zero (0.125
/// becomes 0.13), where Rust's formatting would round to even.
pub(crate) fn two_decimals(value: f64) -> String {
    // Only odd multiples of 1/8 lie exactly between two hundredths.
    let eighths = value * 8.0;
    let is_half = eighths.fract() == 0.0 && eighths % 2.0 != 0.0;
    let nudge = if is_half {
        0.001f64.copysign(value)
    } else {
        0.0
    };
    format!("{:.2}", value + nudge)
}

/// Escapes text so that it cannot break out of its table cell.
fn table_cell(text: &str) -> String {
    harmless_line(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a valid time")
    }

    #[test]
    fn exact_halves_are_rounded_up() {
        assert_eq!(two_decimals(0.125), "0.13");
        assert_eq!(two_decimals(0.375), "0.38");
        assert_eq!(two_decimals(0.875), "0.88");
        assert_eq!(two_decimals(0.5), "0.50");
        assert_eq!(two_decimals(0.994_9), "0.99");
        assert_eq!(two_decimals(1.0), "1.00");
        assert_eq!(two_decimals(0.145), "0.14");
        assert_eq!(two_decimals(f64::NAN), "NaN");
    }

    #[test]
    fn a_summary_cannot_break_the_table() {
        let index = format_index(
            &[IndexLine {
                id: "a7Bc3x",
                summary: "a | b\n한국어",
                score: 0.935,
            }],
            7,
        );
        assert_eq!(
            index,
            "## Related Memories (7 matches)\n\n| ID | Summary | Score |\n|---|---|---|\n\
             | a7Bc3x | a \\| b 한국어 | 0.94 |\n\n*Use \"show <id>\" for details*\n"
        );
    }

    #[test]
    fn a_context_shows_texts_as_they_are_or_without_what_hides() {
        let memory = ContextMemory {
            kind: EventKind::UserPrompt,
            content: "a\r\nb\u{200b}\u{7}".to_owned(),
            timestamp: at("2026-01-30T23:59:00Z"),
            score: 0.5,
            session_context: Some("c\u{feff}".to_owned()),
        };
        let ends = |shown| format_context(std::slice::from_ref(&memory), 100, shown);
        assert!(ends(Shown::Raw).ends_with("\na\r\nb\u{200b}\u{7}\n\n_Context:_ c\u{feff}"));
        assert!(ends(Shown::Harmless).ends_with("\na\nb\u{fffd}\n\n_Context:_ c"));
    }

    #[test]
    fn the_target_of_a_timeline_is_marked() {
        let lines = [
            TimelineLine {
                id: "first1",
                kind: EventKind::UserPrompt,
                timestamp: at("2026-01-30T23:59:00Z"),
                preview: "why?",
                is_target: false,
            },
            TimelineLine {
                id: "second",
                kind: EventKind::AgentResponse,
                timestamp: at("2026-01-31T00:01:00Z"),
                preview: "because",
                is_target: true,
            },
        ];
        assert_eq!(
            format_timeline(&[&lines, &[]]),
            "## Related Memories with Timeline\n\n### Context around second (2026-01-31)\n\n\
             23:59 - User: \"why?\"\n00:01 - Assistant: \"because\" **[second]**\n"
        );
    }

    #[test]
    fn details_leave_out_what_is_not_there() {
        let facts = DetailFacts {
            files: vec!["/a/b.rs".to_owned()],
            ..DetailFacts::default()
        };
        let text = format_detail(&DetailView {
            id: "a7Bc3x",
            session: "s1",
            timestamp: at("2026-01-30T14:05:00Z"),
            kind: EventKind::SessionSummary,
            content: "whole text",
            facts: &facts,
        });
        assert_eq!(
            text,
            "## Memory Detail: a7Bc3x\n\n**Session**: s1 | **Date**: 2026-01-30 14:05 UTC | \
             **Type**: insight\n\n### Content\n\nwhole text\n\n### Related Files\n\n- /a/b.rs\n"
        );
    }
}
