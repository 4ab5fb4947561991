//! Where a part of a message lies, counted in the three units that programs use: bytes,
//! UTF-16 code units and code points.

use std::ops::Range;

/// A half-open range: it includes `start` and excludes `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first position inside the range.
    pub start: usize,
    /// The first position after the range.
    pub end: usize,
}

impl Span {
    /// Returns the number of units that the span covers.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns true if the span covers nothing.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns the span as a range, for slicing.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A part of a message in every unit; all three spans cover the same characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuoteSpan {
    /// The span in bytes of the UTF-8 text, on character boundaries (Rust, C).
    pub bytes: Span,
    /// The span in UTF-16 code units (JavaScript).
    pub utf16: Span,
    /// The span in Unicode code points (Python).
    pub chars: Span,
}

impl QuoteSpan {
    /// Returns the span of `bytes` in `text`, or `None` if the range is not within the text
    /// or splits a character.
    pub fn of_bytes(text: &str, bytes: Range<usize>) -> Option<QuoteSpan> {
        let before = text.get(..bytes.start)?;
        let inside = text.get(bytes.clone())?;
        let (utf16_start, char_start) = measure(before);
        let (utf16_len, char_len) = measure(inside);
        Some(QuoteSpan {
            bytes: Span {
                start: bytes.start,
                end: bytes.end,
            },
            utf16: Span {
                start: utf16_start,
                end: utf16_start + utf16_len,
            },
            chars: Span {
                start: char_start,
                end: char_start + char_len,
            },
        })
    }
}

/// The length of a text in UTF-16 code units and in code points.
fn measure(text: &str) -> (usize, usize) {
    if text.is_ascii() {
        return (text.len(), text.len());
    }
    let chars = text.chars().count();
    // Exactly the characters outside the basic plane take four bytes in UTF-8 and two units
    // in UTF-16.
    let astral = text.bytes().filter(|byte| *byte >= 0xF0).count();
    (chars + astral, chars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_units_name_the_same_characters() {
        let text = "a 🎉 검색 é";
        let start = text.find("검색").unwrap();
        let span = QuoteSpan::of_bytes(text, start..start + 6).unwrap();
        assert_eq!(&text[span.bytes.range()], "검색");
        let utf16: Vec<u16> = text.encode_utf16().collect();
        assert_eq!(
            String::from_utf16(&utf16[span.utf16.range()]).unwrap(),
            "검색"
        );
        let chars: Vec<char> = text.chars().collect();
        assert_eq!(chars[span.chars.range()].iter().collect::<String>(), "검색");
    }

    #[test]
    fn a_range_that_cuts_a_character_has_no_span() {
        assert_eq!(QuoteSpan::of_bytes("검색", 1..3), None);
        assert_eq!(QuoteSpan::of_bytes("ab", 1..9), None);
    }
}
