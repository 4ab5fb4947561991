//! Determines the words by which an event is found: its text, cut into parts, and a few words of
//! context that are indexed with every passage but never quoted.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use parking_lot::Mutex;

use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::batch_inverter::BatchInverter;
use crate::index::lexical::forward::{self, ForwardBody, TextPart};
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::privacy::CleanEvent;
use crate::text::fence::{is_mostly_recalled, without_recalled};

/// The months in English, January first.
pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The number of words of a tool's input that are repeated with each passage of its output, since
/// an output alone rarely tells what produced it.
const HEAD_WORDS: usize = 30;
/// The head has no more bytes than this, and no word of it more than the other: a text without
/// blanks, such as encoded data, would otherwise crowd out the words of the output.
const HEAD_BYTES: usize = 2_048;
const HEAD_WORD_BYTES: usize = 256;

thread_local! {
    // The analyser caches stems; one per thread keeps it warm.
    static ANALYSER: RefCell<Option<Analyser>> = const { RefCell::new(None) };
}

/// Warm analysers of helper threads that have ended.
static SPARE: Mutex<Vec<Analyser>> = Mutex::new(Vec::new());

/// Runs `work` with this thread's analyser.
pub(crate) fn with_analyser<T>(work: impl FnOnce(&mut Analyser) -> T) -> T {
    let mut analyser = take_analyser().unwrap_or_default();
    let result = work(&mut analyser);
    // Fails on a thread that is ending, or in `atexit`, where a program may still close a memory.
    let _ = ANALYSER.try_with(|held| held.replace(Some(analyser)));
    result
}

/// Takes this thread's analyser, if it has one.
fn take_analyser() -> Option<Analyser> {
    ANALYSER.try_with(RefCell::take).ok().flatten()
}

/// Runs `work` on a thread that may be short-lived. If it has no analyser, it borrows that of an
/// earlier such thread and leaves it for the next.
pub(crate) fn with_spare_analyser<T>(work: impl FnOnce() -> T) -> T {
    let has_one = ANALYSER.try_with(|held| held.borrow().is_some());
    if has_one.unwrap_or(true) {
        return work();
    }
    // Only try the lock: in a forked child it may be held forever.
    ANALYSER.set(SPARE.try_lock().and_then(|mut spare| spare.pop()));
    let result = work();
    if let Some(mut spare) = SPARE.try_lock() {
        spare.extend(take_analyser());
    }
    result
}

/// The input from which an event's words are derived.
#[derive(Clone, Copy)]
pub(crate) struct EventText<'a> {
    pub(crate) kind: EventKind,
    pub(crate) content: &'a str,
    pub(crate) tool: Option<ToolText<'a>>,
    pub(crate) actor: &'a str,
    pub(crate) at: Timestamp,
    /// The ranges of the content that were recalled.
    pub(crate) recalled: &'a [Range<usize>],
}

impl<'a> EventText<'a> {
    /// The text of a filtered event.
    fn of(
        event: &'a CleanEvent,
        actor: &'a str,
        at: Timestamp,
        recalled: &'a [Range<usize>],
    ) -> Self {
        EventText {
            kind: event.kind,
            content: event.content.as_str(),
            tool: tool_text(event),
            actor,
            at,
            recalled,
        }
    }
}

/// The words of a filtered event; `recalled` are the ranges of its content that were recalled.
pub(crate) fn forward_body(
    event: &CleanEvent,
    actor: &str,
    at: Timestamp,
    recalled: &[Range<usize>],
) -> ForwardBody {
    body(&EventText::of(event, actor, at, recalled))
}

/// Adds a filtered event's words to those of its batch.
pub(crate) fn invert(
    into: &mut BatchInverter,
    event: &CleanEvent,
    actor: &str,
    at: Timestamp,
    recalled: &[Range<usize>],
) {
    let text = EventText::of(event, actor, at, recalled);
    with_analyser(|analyser| invert_text(into, analyser, &text));
}

fn tool_text(event: &CleanEvent) -> Option<ToolText<'_>> {
    event.tool.as_ref().map(|tool| ToolText {
        name: tool.name.as_str(),
        input: tool.input.as_ref().map(|json| json.as_str()),
        output: tool.output.as_str(),
    })
}

/// The input from which a tool call's words are derived.
#[derive(Clone, Copy)]
pub(crate) struct ToolText<'a> {
    pub(crate) name: &'a str,
    pub(crate) input: Option<&'a str>,
    pub(crate) output: &'a str,
}

/// The words of an event.
pub(crate) fn body(text: &EventText<'_>) -> ForwardBody {
    with_parts(text, |parts| {
        with_analyser(|analyser| forward::analyse(analyser, parts))
    })
}

/// Adds an event's words to a batch, with the analyser that the whole batch uses.
pub(crate) fn invert_text(into: &mut BatchInverter, analyser: &mut Analyser, text: &EventText<'_>) {
    with_parts(text, |parts| into.add(analyser, parts));
}

/// Calls `work` with the parts of an event whose words are indexed.
fn with_parts<T>(text: &EventText<'_>, work: impl FnOnce(&[TextPart<'_>]) -> T) -> T {
    let EventText {
        kind,
        content,
        tool,
        actor,
        at,
        recalled,
    } = *text;
    let own = own_text(content, recalled);
    let (whole, content) = (content, &*own);
    match (kind, tool) {
        (EventKind::ToolObservation, Some(tool)) => {
            let split = output_start(whole, tool.output);
            let (input, output) = content.split_at(split);
            let head = head(&tool);
            let output = without_line_numbers(output);
            work(&[
                TextPart {
                    header: "",
                    embeds_header: false,
                    text: input,
                    offset: 0,
                },
                TextPart {
                    header: &head,
                    embeds_header: true,
                    text: &output,
                    offset: split,
                },
            ])
        }
        _ => {
            let (year, month, _) = at.ymd_utc();
            let month = MONTHS[usize::try_from(month - 1).unwrap_or(0).min(11)];
            let header = format!("{month} {year} {actor}");
            work(&[TextPart {
                header: &header,
                embeds_header: false,
                text: content,
                offset: 0,
            }])
        }
    }
}

/// The text that is indexed, with blanks in place of what was recalled: text that comes back is
/// not a new mention. A text that is hardly more than that is indexed unchanged, since searches
/// exclude it by its origin.
pub(crate) fn own_text<'t>(content: &'t str, recalled: &[Range<usize>]) -> Cow<'t, str> {
    let own = (!is_mostly_recalled(content, recalled))
        .then(|| without_recalled(content, recalled))
        .flatten();
    own.map_or(Cow::Borrowed(content), Cow::Owned)
}

/// Where the output begins in the content of an observation. The content ends with the output.
pub(crate) fn output_start(content: &str, output: &str) -> usize {
    if content.ends_with(output) {
        content.len() - output.len()
    } else {
        content.len()
    }
}

/// The first words of a call: the tool's name and the text of its input.
pub(crate) fn head(tool: &ToolText<'_>) -> String {
    let mut head = tool.name.to_owned();
    let mut left = HEAD_WORDS.saturating_sub(1);
    if let Some(input) = tool
        .input
        .and_then(|input| serde_json::from_str(input).ok())
    {
        push_texts(&input, &mut head, &mut left);
    }
    head
}

fn push_texts(value: &serde_json::Value, head: &mut String, left: &mut usize) {
    match value {
        serde_json::Value::String(text) => {
            for word in text.split_whitespace().take(*left) {
                let space = HEAD_BYTES.saturating_sub(head.len() + 1);
                let end = word.floor_char_boundary(HEAD_WORD_BYTES.min(space));
                if end == 0 {
                    *left = 0;
                    return;
                }
                head.push(' ');
                head.push_str(&word[..end]);
                *left -= 1;
            }
        }
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| push_texts(item, head, left))
        }
        serde_json::Value::Object(map) => {
            map.values().for_each(|item| push_texts(item, head, left))
        }
        _ => {}
    }
}

/// Replaces the line numbers that file tools prepend (`   12→`) by blanks of the same length, so
/// that spans still match the stored text.
pub(crate) fn without_line_numbers(text: &str) -> Cow<'_, str> {
    const ARROW: &str = "→";
    if !text.contains(ARROW) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let number = line.trim_start_matches(' ').find(ARROW).and_then(|at| {
            let blanks = line.len() - line.trim_start_matches(' ').len();
            let digits = &line[blanks..blanks + at];
            (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
                .then_some(blanks + at + ARROW.len())
        });
        match number {
            Some(end) => {
                out.extend(std::iter::repeat_n(' ', end));
                out.push_str(&line[end..]);
            }
            None => out.push_str(line),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_become_blanks_of_the_same_length() {
        let text = "     1→fn main() {\n    22→}\nno number → here\n→\n한글 3→x";
        let cleaned = without_line_numbers(text);
        assert_eq!(cleaned.len(), text.len());
        assert!(cleaned.contains("fn main() {") && !cleaned.contains("22"));
        assert!(cleaned.contains("no number → here\n→\n한글 3→x"));
    }

    #[test]
    fn the_head_holds_the_first_words_of_a_call() {
        let long = format!(
            "{{\"a\": [\"one  two\", 3, {{\"b\": \"셋\"}}], \"c\": \"{}\"}}",
            "x ".repeat(40)
        );
        let tool = ToolText {
            name: "Bash",
            input: Some(&long),
            output: "",
        };
        let head = head(&tool);
        assert!(head.starts_with("Bash one two 셋 x x"), "{head}");
        assert_eq!(head.split_whitespace().count(), HEAD_WORDS);
    }

    #[test]
    fn a_head_without_blanks_stays_short() {
        let numbers: Vec<String> = (0..10_000).map(|number| format!("é{number}")).collect();
        for (rows, most) in [
            (numbers.join(","), HEAD_WORD_BYTES + 5),
            (numbers.join(",").replace("99,", "99 "), HEAD_BYTES),
        ] {
            let input = format!("{{\"rows\": \"{rows}\"}}");
            let tool = ToolText {
                name: "Bash",
                input: Some(&input),
                output: "",
            };
            let head = head(&tool);
            assert!(head.starts_with("Bash é0,é1,é2"), "{head}");
            assert!(head.len() <= most, "{}", head.len());
        }
    }
}
