//! Cuts an event into the texts that get a vector: its passages, cut again into windows that fit a
//! small model.

use std::ops::Range;

use crate::index::lexical::passages::{Lengths, passages, pieces};
use crate::index::lexical::searchable::{
    ToolText, head, output_start, own_text, without_line_numbers,
};
use crate::model::event::EventKind;

/// The length of a window. On the development sets, whole passages lose five points on coding
/// transcripts, because a vector blurs what it averages.
const WINDOWS: Lengths = Lengths {
    target: 60,
    most: 80,
};

/// Windows of a tool's output are numbered from here; those of its input and of other events from
/// 0.
pub(crate) const OUTPUT: u16 = 0x8000;

/// A text to embed and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The window's number in its event, at least [`OUTPUT`] in a tool's output.
    pub(crate) number: u16,
    /// The byte offset in the content of the passage that holds the window.
    pub(crate) start: u32,
    /// That passage's length in bytes.
    pub(crate) length: u32,
    pub(crate) text: String,
}

/// The windows of an event, in order; `recalled` are the ranges of its content that were recalled
/// and get none. Each part of an event has at most 32,767; the rest is indexed by its words only.
pub(crate) fn windows(
    kind: EventKind,
    content: &str,
    tool: Option<ToolText<'_>>,
    actor: &str,
    recalled: &[Range<usize>],
) -> Vec<Window> {
    let mut found = Vec::new();
    let own = own_text(content, recalled);
    match (kind, tool) {
        (EventKind::ToolObservation, Some(tool)) => {
            let split = output_start(content, tool.output);
            let (input, output) = own.split_at(split);
            cut("", input, 0, 0, &mut found);
            let header = head(&tool) + "\n";
            let output = without_line_numbers(output);
            cut(&header, &output, split, OUTPUT, &mut found);
        }
        _ => {
            // Roles carry no meaning; a speaker's name does.
            let header = match actor.trim() {
                "" | "user" | "assistant" => String::new(),
                speaker => format!("{speaker}: "),
            };
            cut(&header, &own, 0, 0, &mut found);
        }
    }
    found
}

fn cut(header: &str, text: &str, offset: usize, first: u16, found: &mut Vec<Window>) {
    let mut number = first;
    for passage in passages(text) {
        let place = (
            u32::try_from(offset + passage.start).unwrap_or(u32::MAX),
            u32::try_from(passage.len()).unwrap_or(u32::MAX),
        );
        let passage = &text[passage];
        for window in pieces(passage, WINDOWS) {
            let window = passage[window].trim();
            if window.is_empty() {
                continue;
            }
            if number - first == OUTPUT - 1 {
                return;
            }
            found.push(Window {
                number,
                start: place.0,
                length: place.1,
                text: format!("{header}{window}"),
            });
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speakers_stand_before_their_text_and_roles_do_not() {
        let one = |actor| {
            windows(
                EventKind::UserPrompt,
                " 안녕, 좋은 아침! ",
                None,
                actor,
                &[],
            )
        };
        assert_eq!(one("민수")[0].text, "민수: 안녕, 좋은 아침!");
        assert_eq!(one("user")[0].text, "안녕, 좋은 아침!");
        assert!(windows(EventKind::UserPrompt, " \n", None, "user", &[]).is_empty());
    }

    #[test]
    fn long_texts_have_several_windows_that_name_their_passage() {
        let text = "one two three four five six seven eight nine ten\n".repeat(30);
        let found = windows(EventKind::AgentResponse, &text, None, "assistant", &[]);
        assert_eq!(found.len(), 5);
        for (number, window) in found.iter().enumerate() {
            assert_eq!(usize::from(window.number), number);
            let passage = &text[window.start as usize..(window.start + window.length) as usize];
            assert!(passage.contains(&window.text));
            assert!(window.text.split_whitespace().count() <= WINDOWS.most);
        }
    }

    #[test]
    fn what_is_longer_than_the_numbers_reach_has_no_more_windows() {
        let long = "word\n".repeat(33_000 * WINDOWS.most);
        let content = format!("Run\n{long}{long}");
        let tool = ToolText {
            name: "Run",
            input: None,
            output: &long,
        };
        let found = windows(
            EventKind::ToolObservation,
            &content,
            Some(tool),
            "tool",
            &[],
        );
        let numbers: Vec<u16> = found.iter().map(|window| window.number).collect();
        let most = OUTPUT - 1;
        let expected: Vec<u16> = (0..most).chain(OUTPUT..OUTPUT + most).collect();
        assert!(numbers == expected, "{} windows", numbers.len());
    }

    #[test]
    fn outputs_carry_the_head_of_their_call() {
        let output = "     1→fn main() {}";
        let content = format!("Read src/main.rs\n{output}");
        let tool = ToolText {
            name: "Read",
            input: Some("{\"path\": \"src/main.rs\"}"),
            output,
        };
        let found = windows(
            EventKind::ToolObservation,
            &content,
            Some(tool),
            "Read",
            &[],
        );
        assert_eq!(found[0].text, "Read src/main.rs");
        assert_eq!(found[0].number, 0);
        assert_eq!(found[1].text, "Read src/main.rs\nfn main() {}");
        assert_eq!(found[1].number, OUTPUT);
    }
}
