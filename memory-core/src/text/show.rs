//! Makes stored text safe to show to an agent or on a terminal: nothing in it moves the
//! cursor, changes the reading order, or is invisible.

use std::borrow::Cow;
use std::ops::Range;

use crate::model::read::words;

words! {
    /// How a rule that lays out texts shows what is in them.
    #[derive(Default)]
    Shown ("shown") {
        /// As it was written, as the specification has it (the default).
        #[default]
        Raw = "raw",
        /// As [`harmless`] returns it. The library shows texts to agents in this form.
        Harmless = "harmless",
    }
}

impl Shown {
    /// Returns the text in this form.
    pub fn text(self, text: &str) -> Cow<'_, str> {
        match self {
            Shown::Raw => Cow::Borrowed(text),
            Shown::Harmless => harmless(text),
        }
    }
}

/// Returns the text with every line end as `\n`, and with a space or U+FFFD in place of
/// characters that control rather than show: escape and other control characters, and overrides
/// of the writing direction. Invisible characters, in which a text can be hidden, are left out:
/// Unicode's tag characters, the variation selectors beyond the first 16, blanks without width,
/// soft hyphens, and fillers. Characters that join letters or set their direction stay. The stored text stays
/// as it is; this is for showing it.
///
/// ```
/// use recallite::text::show::harmless;
/// assert_eq!(harmless("a\rb\u{1b}[2Jc"), "a\nb\u{fffd}[2Jc");
/// assert_eq!(harmless("한국어 שלום\tx"), "한국어 שלום\tx");
/// ```
pub fn harmless(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_harmful) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = text[first..].chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // CR LF is one line end, not two.
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\u{b}' | '\u{c}' => out.push(' '),
            c if is_hidden(c) => {}
            c if is_harmful(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Like [`harmless`], on one line.
pub fn harmless_line(text: &str) -> Cow<'_, str> {
    let text = harmless(text);
    if text.contains('\n') {
        return Cow::Owned(text.replace('\n', " "));
    }
    text
}

fn is_harmful(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{2028}' | '\u{2029}')
        || is_hidden(c)
}

/// Whether a character shows nothing and changes nothing that a reader could see: tags and
/// supplementary variation selectors (with what is unassigned around them), blanks without
/// width, soft hyphens, invisible operators and joiners, and fillers. A model reads them all the same.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e0fff}' | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}'
        | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
}

/// Whether a character shows nothing by itself: [`harmless`] leaves it out, or it only joins or
/// directs what stands beside it.
pub(crate) fn is_invisible(c: char) -> bool {
    is_hidden(c)
        || matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{61c}' | '\u{fe00}'..='\u{fe0f}')
}

/// The sequences that colour a text or move the cursor, in order, also as they are written in JSON
/// and in programs (`\u001b[1;32m`).
pub(crate) fn colours(text: &str) -> Vec<Range<usize>> {
    const ESCAPES: [&str; 7] = [
        "\u{1b}", "\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033", "\\e",
    ];
    let mut found = Vec::new();
    let mut looked_to = 0;
    for (open, _) in text.match_indices('[') {
        let before = &text[looked_to..open];
        let escape = ESCAPES.iter().find(|escape| before.ends_with(**escape));
        let Some(start) = escape.map(|escape| open - escape.len()) else {
            continue;
        };
        let behind = &text.as_bytes()[open + 1..];
        let parameters = behind
            .iter()
            .take_while(|b| b.is_ascii_digit() || **b == b';')
            .count();
        if behind.get(parameters).is_some_and(u8::is_ascii_alphabetic) {
            looked_to = open + 1 + parameters + 1;
            found.push(start..looked_to);
        }
    }
    found
}

/// Returns the text without [`colours`].
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    let found = colours(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied_to = 0;
    for range in found {
        out.push_str(&text[copied_to..range.start]);
        copied_to = range.end;
    }
    out.push_str(&text[copied_to..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_line_end_is_one() {
        assert_eq!(harmless("a\r\nb\rc\u{2028}d\u{85}e"), "a\nb\nc\nd\ne");
        assert_eq!(harmless_line("a\r\nb\rc"), "a b c");
    }

    #[test]
    fn colours_are_taken_out_of_the_words() {
        assert_eq!(without_colours("\u{1b}[32mok\u{1b}[0m [3m]"), "ok [3m]");
        assert_eq!(without_colours(r"\u001b[1;38;5;196mred\x1b[m"), "red");
        assert_eq!(without_colours("a\u{1b}[12"), "a\u{1b}[12");
        assert!(matches!(without_colours("a[0]"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_turns_or_hides_text_is_seen() {
        assert_eq!(
            harmless("a\u{202e}b\u{9b}c\u{7}"),
            "a\u{fffd}b\u{fffd}c\u{fffd}"
        );
        assert_eq!(harmless("a\u{e0041}\u{e0042}b"), "ab");
        for hidden in [
            '\u{ad}',
            '\u{34f}',
            '\u{115f}',
            '\u{1160}',
            '\u{200b}',
            '\u{2060}',
            '\u{2064}',
            '\u{3164}',
            '\u{feff}',
            '\u{e0100}',
            '\u{e01ef}',
        ] {
            assert_eq!(harmless(&format!("a{hidden}{hidden}b")), "ab", "{hidden:?}");
        }
        // Joined emoji and right-to-left text keep their formatting characters.
        for text in [
            "👨\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}",
            "می\u{200c}خواهم",
            "שלום\u{200f}!\u{200e}",
        ] {
            assert_eq!(harmless(text), text);
        }
    }

    proptest! {
        #[test]
        fn nothing_harmful_is_left(text in "(\\PC|[\\x00-\\x1f]|\u{202e}|\u{85}|한|\r\n){0,40}") {
            let shown = harmless(&text);
            prop_assert!(!shown.contains(is_harmful));
            prop_assert_eq!(harmless(&shown), shown.clone());
        }
    }
}
