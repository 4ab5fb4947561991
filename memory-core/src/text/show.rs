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

/// Returns the text with every line end as `\n`, and with a space or U+FFFD in place of characters
/// that control rather than show: escape and other control characters, and overrides of the writing
/// direction. Invisible characters, in which a text can be hidden, are left out: Unicode's tag
/// characters, the variation selectors beyond the first 16, blanks without width, soft hyphens, and
/// fillers. Of the characters that choose the form of a letter or an emoji, join two, or set their
/// direction, one of each kind is kept after the character that it belongs to, because no real text
/// has runs of them. The stored text is not changed; this is for showing it.
///
/// ```
/// use recallite::text::show::harmless;
/// assert_eq!(harmless("a\rb\u{1b}[2Jc"), "a\nb\u{fffd}[2Jc");
/// assert_eq!(harmless("한국어 שלום\tx"), "한국어 שלום\tx");
/// assert_eq!(harmless("❤\u{fe0f}\u{fe01}\u{fe02}"), "❤\u{fe0f}");
/// ```
pub fn harmless(text: &str) -> Cow<'_, str> {
    let mut bound = Bound::default();
    let is_changed = |(_, c): &(usize, char)| is_harmful(*c) || !bound.keeps(*c);
    let Some(first) = text.char_indices().find(is_changed) else {
        return Cow::Borrowed(text);
    };
    let first = first.0;
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = text[first..].chars().peekable();
    while let Some(c) = rest.next() {
        let shown = match c {
            // CR LF is one line end, not two.
            '\r' if rest.peek() == Some(&'\n') => continue,
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            '\u{b}' | '\u{c}' => ' ',
            c if is_hidden(c) => continue,
            c if is_harmful(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        if bound.keeps(shown) {
            out.push(shown);
        }
    }
    Cow::Owned(out)
}

/// What a character does to the one before it, and shows nothing by itself.
#[derive(Clone, Copy)]
enum Binding {
    /// Chooses its form.
    Selects = 1,
    /// Joins it to the next one, or keeps them apart.
    Joins = 2,
    /// Sets the direction.
    Directs = 4,
}

impl Binding {
    fn of(c: char) -> Option<Binding> {
        match c {
            '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
                Some(Binding::Selects)
            }
            '\u{200c}' | '\u{200d}' => Some(Binding::Joins),
            '\u{200e}' | '\u{200f}' => Some(Binding::Directs),
            _ => None,
        }
    }
}

/// Which of these characters stand behind the last one that shows something.
#[derive(Default)]
struct Bound {
    to: Option<char>,
    kinds: u8,
}

impl Bound {
    /// Whether the next character of a text is shown: one that binds only behind what it can belong
    /// to, and only the first of its kind.
    fn keeps(&mut self, c: char) -> bool {
        let Some(binding) = Binding::of(c) else {
            (self.to, self.kinds) = (Some(c), 0);
            return true;
        };
        let is_sign = |to: char| to.is_ascii_digit() || matches!(to, '#' | '*');
        let fits = match binding {
            // `1`, `#` and `*` also stand on keys.
            Binding::Selects => self.to.is_some_and(|to| !to.is_ascii() || is_sign(to)),
            Binding::Joins => self.to.is_some_and(|to| !to.is_ascii()),
            Binding::Directs => true,
        };
        let is_first = self.kinds & binding as u8 == 0;
        self.kinds |= binding as u8;
        fits && is_first
    }
}

/// A text with one space in place of white space of any kind.
pub(crate) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
/// width, soft hyphens, invisible operators and joiners, fillers, and the controls of notes, of
/// shorthand and of annotations. A model reads them all the same.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e0fff}' | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
}

/// Whether a character shows nothing by itself: [`harmless`] leaves it out, or it only joins or
/// directs what stands beside it.
pub(crate) fn is_invisible(c: char) -> bool {
    is_hidden(c)
        || matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{61c}' | '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{180f}')
}

/// The sequences that colour a text, move the cursor or choose the letters of a terminal, in order,
/// also as they are written in JSON and in programs (`\u001b[1;32m`).
pub(crate) fn colours(text: &str) -> Vec<Range<usize>> {
    colours_in(text, has_controls(text))
}

/// The same in a text of which is known whether it [`has_controls`].
pub(crate) fn colours_in(text: &str, has_controls: bool) -> Vec<Range<usize>> {
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
        if let Some(length) = parameters(&text.as_bytes()[open + 1..]) {
            looked_to = open + 1 + length;
            found.push(start..looked_to);
        }
    }
    if !has_controls {
        return found;
    }
    let short = text.match_indices('\u{1b}').filter_map(|(at, _)| {
        // `ESC ( B` chooses ASCII, as `tput sgr0` does.
        match text.as_bytes().get(at + 1..at + 3)? {
            [b'(' | b')' | b'*' | b'+', set] if set.is_ascii_alphanumeric() => Some(at..at + 3),
            _ => None,
        }
    });
    let known = found.len();
    found.extend(short);
    if found.len() > known {
        found.sort_by_key(|range| range.start);
    }
    found
}

/// Whether a text has an escape or a NUL. A least byte is found many bytes at a time.
pub(crate) fn has_controls(text: &str) -> bool {
    const ESCAPE: u8 = 0x1b;
    const AT_ONCE: usize = 4096;
    let least = |part: &[u8]| {
        part.iter()
            .fold(u8::MAX, |least, b| least.min(*b).min(*b ^ ESCAPE))
    };
    let mut parts = text.as_bytes().chunks(AT_ONCE);
    parts.any(|part| least(part) == 0)
}

/// The length of the parameters of a sequence and the letter that ends it.
pub(crate) fn parameters(bytes: &[u8]) -> Option<usize> {
    let of_parameter = |b: &&u8| b.is_ascii_digit() || b";:?".contains(b);
    let length = bytes.iter().take_while(of_parameter).count();
    (bytes.get(length)?.is_ascii_alphabetic()).then_some(length + 1)
}

/// The sequences by which a terminal makes a link of the text behind them, in order: `ESC ] 8 ; ;`,
/// an address, and BEL or `ESC \`. An address that may hold a secret itself is none of them.
pub(crate) fn links(text: &str) -> impl Iterator<Item = Range<usize>> {
    const MAX_LENGTH: usize = 256;
    const OPEN: &str = "\u{1b}]8;";
    const ENDS: [&str; 2] = ["\u{7}", "\u{1b}\\"];
    // A search for one sign is faster than one for a text.
    text.match_indices('\u{1b}').filter_map(|(at, _)| {
        let begin = at + OPEN.len();
        if !text[at..].starts_with(OPEN) {
            return None;
        }
        let rest = &text[begin..text.floor_char_boundary(begin + MAX_LENGTH)];
        let ends = ENDS
            .iter()
            .filter_map(|end| Some((rest.find(end)?, end.len())));
        let (length, end) = ends.min()?;
        let is_plain = !rest[..length].contains(['@', '=', '?', '&', '\u{1b}', '\n']);
        is_plain.then_some(at..begin + length + end)
    })
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
        assert_eq!(
            without_colours("\u{1b}[1mA\u{1b}(B\u{1b}[m=\u{1b}[38:2::1:2:3mbc\u{1b}[?25l"),
            "A=bc"
        );
    }

    #[test]
    fn a_link_is_found_up_to_its_text_unless_its_address_may_hold_a_secret() {
        let found = |text| {
            let found: Vec<_> = links(text).collect();
            found
                .into_iter()
                .map(|link| (link.start, link.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(found("a\u{1b}]8;;http://x\u{7}b"), [(1, 15)]);
        assert_eq!(found("a\u{1b}]8;;http://x\u{1b}\\b"), [(1, 16)]);
        assert!(found("\u{1b}]8;;http://x?key=1\u{7}b").is_empty());
        assert!(found("\u{1b}]8;;http://x").is_empty());
    }

    #[test]
    fn no_text_is_hidden_in_what_chooses_joins_or_directs_letters() {
        let selectors: String = ('\u{fe00}'..='\u{fe0f}').collect();
        assert_eq!(harmless(&format!("😀{selectors}!")), "😀\u{fe00}!");
        assert_eq!(harmless("a\u{fe00}b\u{fe01}c"), "abc");
        let bits = "\u{200c}\u{200d}\u{200d}\u{200c}".repeat(32);
        assert_eq!(harmless(&format!("می{bits}x")), "می\u{200c}x");
        assert_eq!(harmless(&bits), "");
        assert_eq!(harmless("x\u{200e}\u{200f}\u{200e}y"), "x\u{200e}y");
        for text in ["❤\u{fe0f}\u{200d}🔥", "1\u{fe0f}\u{20e3}", "ᠠ\u{180b}ᠡ"] {
            assert_eq!(harmless(text), text);
        }
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
            '\u{17b4}',
            '\u{fff0}',
            '\u{fff9}',
            '\u{fffb}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{1d17a}',
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
