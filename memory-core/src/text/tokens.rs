//! Lengths in the two units of the limits: estimated tokens and UTF-16 code units.

use std::fmt;
use std::sync::Arc;

use crate::model::error::Result;

/// The estimated number of tokens of one item of the search index (layer 1).
pub const INDEX_ITEM_TOKENS: usize = 50;
/// UTF-16 code units that count as a token.
pub(crate) const UNITS_PER_TOKEN: usize = 4;
/// The estimated number of tokens of one item of a timeline (layer 2).
pub const TIMELINE_ITEM_TOKENS: usize = 40;

/// The largest count of a caller's function: above any budget, yet sums of several do not
/// overflow, and every language has a number for it.
const MAX_TOKENS: usize = (u32::MAX >> 4) as usize;

/// Returns the estimated number of tokens of a text: a quarter of its length in UTF-16 code
/// units, rounded up (specification, section 15).
///
/// ```
/// use recallite::text::tokens::estimate_tokens;
/// assert_eq!(estimate_tokens("abcde"), 2);
/// assert_eq!(estimate_tokens("🎉🎉🎉"), 2);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    utf16_len(text).div_ceil(UNITS_PER_TOKEN)
}

/// Returns the length of a text in UTF-16 code units: one per character, two per character
/// beyond U+FFFF.
pub fn utf16_len(text: &str) -> usize {
    // Every byte that is not a continuation byte starts one unit; a lead byte from 0xF0 on
    // starts a character of two.
    text.bytes()
        .map(|b| usize::from(b & 0xC0 != 0x80) + usize::from(b >= 0xF0))
        .sum()
}

/// Returns the longest prefix of a text that has at most `units` UTF-16 code units and does
/// not split a character.
pub(crate) fn cut_utf16(text: &str, units: usize) -> &str {
    // A UTF-16 unit takes between one and three bytes of UTF-8.
    if text.len() <= units {
        return text;
    }
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > units {
            return &text[..at];
        }
    }
    text
}

/// How to count the tokens of a text: by the estimate, or by a function of the caller that
/// knows a model's vocabulary.
///
/// The function is called on the caller's thread and may be called several
/// times for one result. If it fails, so does the call, and nothing is recorded. A count
/// above 268,435,455, which is above any budget, counts as that.
///
/// ```
/// use recallite::text::tokens::TokenCounter;
/// let by_words = TokenCounter::new(|text| text.split_whitespace().count());
/// assert_eq!(by_words.count("one two three")?, 3);
/// assert_eq!(TokenCounter::default().count("abcde")?, 2);
/// # Ok::<(), recallite::Error>(())
/// ```
#[derive(Clone)]
pub struct TokenCounter(Option<Arc<Count>>);

type Count = dyn Fn(&str) -> Result<usize> + Send + Sync;

impl TokenCounter {
    /// Counts tokens with a function.
    pub fn new(count: impl Fn(&str) -> usize + Send + Sync + 'static) -> Self {
        TokenCounter::fallible(move |text| Ok(count(text)))
    }

    /// Counts tokens with a function that may fail, for example because it asks a service.
    pub fn fallible(count: impl Fn(&str) -> Result<usize> + Send + Sync + 'static) -> Self {
        TokenCounter(Some(Arc::new(count)))
    }

    /// Whether it is the estimate.
    pub(crate) fn is_estimate(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the number of tokens of a text.
    ///
    /// # Errors
    /// Those of the function.
    pub fn count(&self, text: &str) -> Result<usize> {
        match &self.0 {
            Some(count) => Ok(count(text)?.min(MAX_TOKENS)),
            None => Ok(estimate_tokens(text)),
        }
    }
}

impl Default for TokenCounter {
    /// Counts with [`estimate_tokens`].
    fn default() -> Self {
        TokenCounter(None)
    }
}

impl fmt::Debug for TokenCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "TokenCounter(function)",
            None => "TokenCounter(estimate)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_keeps_surrogate_pairs_whole() {
        assert_eq!(cut_utf16("a🎉b", 2), "a");
        assert_eq!(cut_utf16("a🎉b", 3), "a🎉");
        assert_eq!(cut_utf16("한국어", 2), "한국");
        assert_eq!(cut_utf16("", 0), "");
        assert_eq!(cut_utf16("abc", 0), "");
    }

    #[test]
    fn counts_of_a_function_can_be_added_up() {
        let dear = TokenCounter::new(|_| usize::MAX);
        let count = dear.count("text").unwrap();
        assert_eq!(count, 268_435_455);
        assert!(u32::try_from(count).unwrap().checked_mul(16).is_some());
    }

    proptest! {
        #[test]
        fn lengths_agree_with_encoding(text in ".{0,80}", units in 0usize..90) {
            let len = text.encode_utf16().count();
            prop_assert_eq!(utf16_len(&text), len);
            prop_assert_eq!(estimate_tokens(&text), len.div_ceil(4));
            let cut = cut_utf16(&text, units);
            prop_assert!(text.starts_with(cut));
            prop_assert!(utf16_len(cut) <= units);
            prop_assert!(utf16_len(cut) + 2 > units.min(len));
        }
    }
}
