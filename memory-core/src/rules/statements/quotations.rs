//! Finds the quotations of a whole message before anything else reads it: what stands in them
//! was said by someone else, even if it consists of several sentences, lines or paragraphs.
//!
//! One pass with a stack; a mark without its partner hides nothing.

use std::ops::Range;

/// Marks that look different at both ends.
const PAIRS: [(char, char); 5] = [
    ('“', '”'),
    ('„', '“'),
    ('「', '」'),
    ('『', '』'),
    ('«', '»'),
];

/// The quotations in a message with their marks, in order; none lies in another.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = paired(text);
    spans.extend(straight(text));
    spans.extend(single(text));
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut outer: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match outer.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => outer.push(span),
        }
    }
    outer
}

/// Between marks that look different at both ends, over any distance.
fn paired(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut depth = [0usize; PAIRS.len()];
    for (at, c) in text.char_indices() {
        // `“` also closes `„`.
        let closes = (0..PAIRS.len()).find(|&pair| PAIRS[pair].1 == c && depth[pair] > 0);
        if let Some(pair) = closes {
            while let Some((opened, start)) = open.pop() {
                depth[opened] -= 1;
                if opened == pair {
                    spans.push(start..at + c.len_utf8());
                    break;
                }
            }
        } else if let Some(pair) = PAIRS.iter().position(|(mark, _)| *mark == c) {
            // A quotation of several paragraphs opens again with each of them.
            let opens_again = c == '“' && depth[pair] > 0 && begins_paragraph(text, at);
            if !opens_again {
                open.push((pair, at));
                depth[pair] += 1;
            }
        }
    }
    spans
}

fn begins_paragraph(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t', '\r']);
    let Some(line_before) = before.strip_suffix('\n') else {
        return false;
    };
    line_before
        .trim_end_matches([' ', '\t', '\r'])
        .ends_with('\n')
}

/// A straight mark that may begin a quotation.
struct Opening {
    at: usize,
    /// After a colon or at the beginning of a paragraph, a quotation may have several paragraphs; it
    /// then ends with a line.
    may_be_long: bool,
    is_in_paragraph: bool,
}

/// Between straight double quotation marks: in one paragraph, or from a colon to a line's end.
fn straight(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open: Option<Opening> = None;
    let mut last_word_end = None;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        if c == '\n' && (is_blank_line(rest) || rest.starts_with("```")) {
            open = open.filter(|opening| opening.may_be_long);
            if let Some(opening) = &mut open {
                opening.is_in_paragraph = false;
            }
        }
        if c == '"' {
            let is_near = |opening: &Opening| {
                let rest = rest.trim_start_matches([' ', '\t']);
                opening.is_in_paragraph || rest.is_empty() || rest.starts_with(['\n', '\r'])
            };
            match &open {
                Some(opening) if closes(text, at) && is_near(opening) => {
                    spans.push(opening.at..at + 1);
                    open = None;
                }
                _ if opens(text, at) => {
                    let follows_colon = last_word_end.is_some_and(|c| matches!(c, ':' | '：'));
                    let begins_text = last_word_end.is_none() || begins_paragraph(text, at);
                    open = Some(Opening {
                        at,
                        may_be_long: follows_colon || begins_text,
                        is_in_paragraph: true,
                    });
                }
                _ => {}
            }
        }
        if !c.is_whitespace() {
            last_word_end = Some(c);
        }
    }
    spans
}

fn is_blank_line(rest: &str) -> bool {
    rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
}

/// Whether a straight mark can begin a quotation: not after a letter or a number, as in `5"`.
fn opens(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + 1..].chars().next();
    before.is_none_or(|c| c.is_whitespace() || "([{<:=-/,;*_".contains(c) || !c.is_ascii())
        && after.is_some_and(|c| !c.is_whitespace())
}

fn closes(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + 1..].chars().next();
    before.is_some_and(|c| !c.is_whitespace()) && after.is_none_or(|c| !c.is_ascii_alphanumeric())
}

/// Whole sentences between single marks, in one paragraph. The end of a sentence before the
/// last one tells it from an apostrophe.
fn single(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open: Option<usize> = None;
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next();
        match c {
            '\n' if before == Some('\n') => open = None,
            '\'' | '’' | '‘' => {
                let ends_sentence =
                    before.is_some_and(|c| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'));
                let begins = before.is_none_or(|c| c.is_whitespace() || c == ':')
                    && after.is_some_and(|c| c.is_alphabetic() && !c.is_lowercase());
                if let Some(start) = open
                    && ends_sentence
                    && c != '‘'
                    && after.is_none_or(|c| !c.is_alphanumeric())
                {
                    spans.push(start..at + c.len_utf8());
                    open = None;
                } else if begins && c != '’' {
                    open = Some(at);
                }
            }
            _ => {}
        }
        before = Some(c);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quoted(text: &str) -> Vec<&str> {
        spans(text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn quotations_reach_from_mark_to_mark() {
        let cases: [(&str, &[&str]); 12] = [
            ("He wrote: \"No. We stop.\" Fine", &["\"No. We stop.\""]),
            ("use \"a\" and \"b\".", &["\"a\"", "\"b\""]),
            ("그는 “하나. 둘.”이라고", &["“하나. 둘.”"]),
            ("„Ja. Nein.“ x", &["„Ja. Nein.“"]),
            ("「a『b』c。」と", &["「a『b』c。」"]),
            ("« A. B. » c", &["« A. B. »"]),
            ("“one\n\n“two.” three", &["“one\n\n“two.”"]),
            ("名前は\"orders\"に", &["\"orders\""]),
            (
                "\"One.\n\nTwo.\n\nThree.\"\n\nFour.",
                &["\"One.\n\nTwo.\n\nThree.\""],
            ),
            ("Draft\n\n\"One.\n\nTwo.\" \n", &["\"One.\n\nTwo.\""]),
            ("He said: 'No. It's over.' Then", &["'No. It's over.'"]),
            (
                "It says: \"Hi.\n\nWe stop.\n\nBye.\"\nx",
                &["\"Hi.\n\nWe stop.\n\nBye.\""],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(quoted(text), expected, "{text}");
        }
    }

    #[test]
    fn a_mark_alone_hides_nothing() {
        for text in [
            "A 5\" screen and a 7\" one.",
            "one \" only",
            "“never closed. We go on.",
            "「閉じない。次",
            "\"open in one paragraph\n\nand closed\" in another",
            "The users' own words. It's theirs.",
            "an end ” and » and 」",
        ] {
            assert_eq!(quoted(text), [""; 0], "{text}");
        }
        assert_eq!(quoted("A 5\" screen \"x\" it"), ["\"x\""]);
    }

    proptest! {
        #[test]
        fn quotations_are_in_order_and_apart(text in "[a-c가。.:\n \"'“”„「」『』«»‘’]{0,40}") {
            let spans = spans(&text);
            prop_assert!(spans.windows(2).all(|w| w[0].end <= w[1].start));
            prop_assert!(spans.iter().all(|s| text.get(s.clone()).is_some()));
        }
    }
}
