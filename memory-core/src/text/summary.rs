//! Short one-line forms of long texts, and the text of a session's summary.

use unicode_segmentation::UnicodeSegmentation;

use super::fence::{may_hold_fence, outside_fences};
use super::show::Shown;
use super::tokens::{cut_utf16, utf16_len};
use super::tool::{known_tool_summary, tool_embedding_text};
use crate::model::event::{Event, EventKind, ToolRecord};

/// The maximum length of a summary, in UTF-16 code units (specification, section 15).
pub const SUMMARY_MAX_UTF16: usize = 100;
/// The maximum length of a preview, in UTF-16 code units (specification, section 15).
pub const PREVIEW_MAX_UTF16: usize = 200;
/// How many prompts a session's summary lists.
const SESSION_TOPICS: usize = 3;
/// How much of a prompt a session's summary shows, in UTF-16 code units.
const SESSION_TOPIC_UTF16: usize = 100;

const FENCE: &str = "```";
const ELLIPSIS: &str = "...";

/// Returns the first sentence of a text on one line, with at most 100 UTF-16 code units. A
/// longer sentence is cut at a word and ends in `...`.
///
/// Fenced code becomes `[code]`. A sentence ends after `.`, `!` or `?` unless an ASCII
/// letter or digit follows (`v2.0`, `example.com`), and after the full stops of Chinese and
/// Japanese. A text without any such end is one sentence. White space with a line break in it
/// becomes one space; other white space stays, except at both ends. The result is empty only for a
/// blank text.
///
/// ```
/// use recallite::text::summary::summary;
/// assert_eq!(summary("Use this: ```sh\nnpm i\n``` now. ok"), "Use this: [code] now.");
/// ```
pub fn summary(content: &str) -> String {
    first_sentence(content, 0)
}

/// A shorter beginning says nothing: "Yes.", "Bad news.". In letters, of which a Korean, Japanese or
/// Chinese one counts as two.
const TELLING_LETTERS: usize = 12;

/// The [`summary`] of a text with the sentences after the first one, up to the first that ends
/// after so many letters.
fn first_sentence(content: &str, least_letters: usize) -> String {
    let mut line = Line::new(SUMMARY_MAX_UTF16);
    let mut has_words = false;
    let mut letters = 0;
    for segment in Segments::new(content) {
        let text = match segment {
            Segment::Text(text) => text,
            Segment::Fence { .. } => {
                has_words = true;
                letters += least_letters;
                line.push_str("[code]");
                continue;
            }
        };
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c.is_whitespace() {
                line.space(c);
                continue;
            }
            line.push(c);
            if line.is_full() {
                break;
            }
            letters += match c.is_alphanumeric() {
                true if c.is_ascii() => 1,
                true => 2,
                false => 0,
            };
            let next = chars.peek().copied();
            if !is_sentence_end(c) {
                has_words = true;
            } else if has_words && ends_here(c, next) && letters >= least_letters {
                return line.finish();
            }
        }
        if line.is_full() {
            break;
        }
    }
    line.finish()
}

/// Returns the summary of an event. That of a call of a known tool whose content the library
/// wrote says what the call did, for example `Read src/main.rs: fn main() {`; that of any other
/// event is the [`summary`] of its content, without what was recalled from the store; where the first
/// sentence says nothing ("Yes."), with those after it.
pub(crate) fn event_summary(secret: &[u8; 32], event: &Event) -> String {
    let Some(told) = event.tool.as_ref().and_then(|tool| told(event, tool)) else {
        return first_sentence(&outside_fences(secret, &event.content), TELLING_LETTERS);
    };
    let mut line = Line::new(SUMMARY_MAX_UTF16);
    for c in told.chars() {
        match c.is_whitespace() {
            true => line.one_space(),
            false => line.push(c),
        }
        if line.is_full() {
            break;
        }
    }
    line.finish()
}

/// What a call did; `None` if the host wrote the event's content. Of an unknown tool, it is the first
/// line that says what it was called with.
fn told(event: &Event, tool: &ToolRecord) -> Option<String> {
    let head = tool_embedding_text(&tool.name, &tool.metadata, tool.success);
    let rest = event.content.strip_prefix(&head)?;
    known_tool_summary(&tool.name, &tool.metadata, &tool.output, tool.success).or_else(|| {
        let mut lines = rest.lines().map(str::trim);
        let called = lines.find(|line| !line.is_empty() && !may_hold_fence(line))?;
        Some(format!("{}: {called}", tool.name))
    })
}

/// Whether this character ends a sentence before the next one. The full stop in `src/main.rs` does
/// not.
pub(crate) fn ends_sentence(c: char, next: Option<char>) -> bool {
    is_sentence_end(c) && ends_here(c, next)
}

fn is_sentence_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '｡')
}

fn ends_here(end: char, next: Option<char>) -> bool {
    !end.is_ascii() || !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the [`preview`] of an event's content, without what was recalled from the store.
pub(crate) fn event_preview(secret: &[u8; 32], event: &Event) -> String {
    preview(&outside_fences(secret, &event.content))
}

/// Returns a text on one line, with at most 200 UTF-16 code units. A longer text is cut and
/// ends in `...`.
///
/// A fenced block that names its language becomes `[language code]`, runs of line breaks
/// become one space, and whitespace at both ends is removed. The result is empty only for a
/// blank text.
pub fn preview(content: &str) -> String {
    let mut line = Line::new(PREVIEW_MAX_UTF16);
    let mut is_first = true;
    let mut after_break = false;
    for segment in Segments::new(content) {
        let text = match segment {
            Segment::Text(text) => text,
            Segment::Fence {
                language: Some(language),
                ..
            } => {
                line.push_str("[");
                line.push_str(language);
                line.push_str(" code]");
                (is_first, after_break) = (false, false);
                continue;
            }
            Segment::Fence { whole, .. } => whole,
        };
        for c in text.chars() {
            let is_break = is_line_break(c);
            if is_break && !after_break && !is_first {
                line.push(' ');
            } else if !(is_break || is_first && c.is_whitespace()) {
                line.push(c);
                is_first = false;
            }
            after_break = is_break;
            if line.is_full() {
                return line.finish();
            }
        }
    }
    line.finish()
}

fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// An event as seen by the summary of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenEvent {
    /// What kind of event it is; prompts and responses are counted.
    pub kind: EventKind,
    /// Its text.
    pub content: String,
}

/// Returns the summary of a session that has ended: how many prompts and responses it had,
/// and the beginnings of its first three prompts, with spaces in place of line feeds (of
/// line breaks of any kind, if they are [`Shown::Harmless`]).
pub fn session_summary_text(events: &[SpokenEvent], shown: Shown) -> String {
    let (mut prompts, mut responses) = (0usize, 0usize);
    let mut topics = String::new();
    for event in events {
        match event.kind {
            EventKind::UserPrompt => {
                prompts += 1;
                if prompts <= SESSION_TOPICS {
                    push_topic(&mut topics, &event.content, shown);
                }
            }
            EventKind::AgentResponse => responses += 1,
            _ => {}
        }
    }
    let mut out = format!("Session with {prompts} user prompts and {responses} responses.");
    if prompts > 0 {
        out.push_str("\nTopics discussed:");
        out.push_str(&topics);
    }
    out
}

fn push_topic(out: &mut String, prompt: &str, shown: Shown) {
    let beginning = cut_utf16(prompt, SESSION_TOPIC_UTF16);
    out.push_str("\n- ");
    let mut chars = beginning.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push(' '),
            c if shown == Shown::Raw => out.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if is_line_break(c) => out.push(' '),
            c => out.push(c),
        }
    }
    if beginning.len() < prompt.len() {
        out.push_str(ELLIPSIS);
    }
}

/// Accumulates one line until it exceeds its limit, so that a long text is not read further
/// than needed.
struct Line {
    text: String,
    units: usize,
    limit: usize,
    /// White space that is written only if something follows it.
    pending: String,
    has_pending_break: bool,
}

impl Line {
    fn new(limit: usize) -> Self {
        Line {
            text: String::new(),
            units: 0,
            limit,
            pending: String::new(),
            has_pending_break: false,
        }
    }

    /// White space that becomes one space.
    fn one_space(&mut self) {
        self.space('\n');
    }

    /// White space, which becomes one space if a line break is in it.
    fn space(&mut self, c: char) {
        if self.text.is_empty() {
            return;
        }
        self.has_pending_break |= is_line_break(c);
        // More is not shown: a blank has three bytes at most.
        if self.pending.len() <= 6 * self.limit {
            self.pending.push(c);
        }
    }

    fn push(&mut self, c: char) {
        if !self.pending.is_empty() {
            let mut pending = std::mem::take(&mut self.pending);
            match std::mem::take(&mut self.has_pending_break) {
                true => self.push(' '),
                false => pending.chars().for_each(|c| self.push(c)),
            }
            // One buffer for all.
            pending.clear();
            self.pending = pending;
        }
        self.text.push(c);
        self.units += c.len_utf16();
    }

    fn push_str(&mut self, text: &str) {
        for c in text.chars() {
            if self.is_full() {
                return;
            }
            self.push(c);
        }
    }

    /// Whether more was pushed than will be shown. One limit of slack lets `finish` see
    /// where trailing blanks begin and where a cluster ends.
    fn is_full(&self) -> bool {
        self.units > 2 * self.limit
    }

    fn finish(self) -> String {
        let text = self.text.trim_end();
        if utf16_len(text) <= self.limit {
            return text.to_owned();
        }
        let room = self.limit - ELLIPSIS.len();
        let mut kept = cut_clusters(text, room);
        // A blank in the last third is close enough to end at a word there.
        if let Some(at) = kept.rfind(char::is_whitespace)
            && utf16_len(&kept[..at]) * 3 >= room * 2
        {
            kept = &kept[..at];
        }
        format!("{}{ELLIPSIS}", kept.trim_end())
    }
}

/// Like [`cut_utf16`], but keeps grapheme clusters whole if at least one fits.
fn cut_clusters(text: &str, units: usize) -> &str {
    let mut used = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        used += utf16_len(cluster);
        if used > units {
            return if at == 0 {
                cut_utf16(text, units)
            } else {
                &text[..at]
            };
        }
    }
    text
}

enum Segment<'a> {
    Text(&'a str),
    /// A closed fenced block.
    Fence {
        whole: &'a str,
        language: Option<&'a str>,
    },
}

/// Splits a text at its fenced blocks. An unclosed fence is text.
struct Segments<'a> {
    rest: &'a str,
    /// The fence at the start of `rest`, found while the text before it was being cut.
    fence_length: Option<usize>,
}

impl<'a> Segments<'a> {
    fn new(text: &'a str) -> Self {
        Segments {
            rest: text,
            fence_length: None,
        }
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    fn next(&mut self) -> Option<Segment<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        if self.fence_length.is_none() {
            let open = self.rest.find(FENCE);
            let length = open.and_then(|at| {
                let inside = at + FENCE.len();
                self.rest[inside..]
                    .find(FENCE)
                    .map(|close| FENCE.len() + close + FENCE.len())
            });
            self.fence_length = length;
            let before = match (open, length) {
                (Some(at), Some(_)) => at,
                _ => self.rest.len(),
            };
            if before > 0 {
                let (text, rest) = self.rest.split_at(before);
                self.rest = rest;
                return Some(Segment::Text(text));
            }
        }
        let length = self.fence_length.take()?;
        let (whole, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(Segment::Fence {
            whole,
            language: fence_language(whole),
        })
    }
}

/// The word right after the opening fence, if a blank or line break ends it.
fn fence_language(whole: &str) -> Option<&str> {
    let inside = &whole[FENCE.len()..whole.len() - FENCE.len()];
    let end = inside.find(char::is_whitespace)?;
    let word = &inside[..end];
    let is_name = !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '#' | '.'));
    is_name.then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_first_sentence_that_says_nothing_is_followed_by_the_next() {
        for (text, told) in [
            (
                "Yes. We keep the orders in SQLite. And so on.",
                "Yes. We keep the orders in SQLite.",
            ),
            (
                "네. 주문은 서울 창고에서 보냅니다. 그리고",
                "네. 주문은 서울 창고에서 보냅니다.",
            ),
            (
                "はい。注文は倉庫から送ります。次に",
                "はい。注文は倉庫から送ります。",
            ),
            ("好的。订单从仓库发货。然后", "好的。订单从仓库发货。"),
            ("We keep them in SQLite. Yes.", "We keep them in SQLite."),
            ("Good.", "Good."),
        ] {
            assert_eq!(first_sentence(text, TELLING_LETTERS), told);
        }
        assert_eq!(summary("Yes. We keep them."), "Yes.");
    }

    #[test]
    fn a_summary_keeps_blanks_without_a_line_break() {
        for (text, expected) in [
            ("Fix  two spaces. x", "Fix  two spaces."),
            ("\ta\tb. c", "a\tb."),
            ("one \r\n\t two\u{2028}three", "one two three"),
            ("a  ```sh\nls\n```  b \n", "a  [code]  b"),
        ] {
            assert_eq!(summary(text), expected);
        }
        let apart = format!("a{}b. c", " ".repeat(1_000));
        assert_eq!(summary(&apart), "a...");
        let broken = format!("a{}\nb. c", " ".repeat(1_000));
        assert_eq!(summary(&broken), "a b.");
    }

    #[test]
    fn line_breaks_of_any_kind_are_spaces_in_a_session_summary() {
        for (prompt, topic) in [("10%\r90%", "- 10% 90%"), ("a\r\nb\nc", "- a b c")] {
            let event = SpokenEvent {
                kind: EventKind::UserPrompt,
                content: prompt.to_owned(),
            };
            let summary = session_summary_text(&[event], Shown::Harmless);
            assert!(summary.ends_with(topic), "{summary}");
        }
        let event = SpokenEvent {
            kind: EventKind::UserPrompt,
            content: "a\r\nb\u{2028}c".to_owned(),
        };
        let raw = session_summary_text(&[event], Shown::Raw);
        assert!(raw.ends_with("- a\r b\u{2028}c"), "{raw:?}");
    }

    #[test]
    fn dots_inside_words_do_not_end_a_sentence() {
        assert_eq!(
            summary("Upgrade to v2.0 of example.com now. Thanks."),
            "Upgrade to v2.0 of example.com now."
        );
        assert_eq!(summary(".env file is missing"), ".env file is missing");
    }

    #[test]
    fn chinese_and_japanese_full_stops_end_a_sentence() {
        assert_eq!(
            summary("ベクトル検索を実装します。次はテスト"),
            "ベクトル検索を実装します。"
        );
        assert_eq!(summary("怎么办？不知道"), "怎么办？");
    }

    #[test]
    fn a_text_without_an_end_is_one_line() {
        assert_eq!(
            summary("title line\n  body\tgoes on"),
            "title line body\tgoes on"
        );
        assert_eq!(summary("```ts\nconst a = 1;\n```"), "[code]");
        assert_eq!(summary("..."), "...");
        assert_eq!(summary(" \n "), "");
    }

    #[test]
    fn a_long_sentence_is_cut_at_a_word() {
        let text = "word ".repeat(60);
        let short = summary(&text);
        assert!(short.ends_with("word..."), "{short}");
        assert!(utf16_len(&short) <= 100);
    }

    #[test]
    fn a_family_emoji_is_not_cut_apart() {
        let family = "👨‍👩‍👧‍👦";
        let cut = preview(&family.repeat(40));
        let body = cut.strip_suffix("...").expect("it was cut");
        assert_eq!(body.replace(family, ""), "");
    }

    #[test]
    fn an_unclosed_fence_is_text() {
        assert_eq!(preview("see ```ts\nlet a"), "see ```ts let a");
        assert_eq!(preview("see ```ts x``` end"), "see [ts code] end");
    }

    #[test]
    fn a_session_without_prompts_lists_no_topics() {
        let answer = SpokenEvent {
            kind: EventKind::AgentResponse,
            content: "ok".to_owned(),
        };
        assert_eq!(
            session_summary_text(&[answer], Shown::Raw),
            "Session with 0 user prompts and 1 responses."
        );
    }

    proptest! {
        #[test]
        fn short_forms_keep_their_promises(
            text in "(?:[a-z .!?\n`]|```|[가-힣。👨\u{200d}👩\u{301}שא\u{2028}\u{3000}]|.){0,500}",
        ) {
            for (short, limit) in [(summary(&text), 100), (preview(&text), 200)] {
                prop_assert!(utf16_len(&short) <= limit);
                prop_assert_eq!(short.trim().is_empty(), text.trim().is_empty());
                prop_assert!(!short.contains(is_line_break));
            }
        }
    }
}
