//! How much of an agent's context a text takes.

/// The estimated number of tokens of a text: one for each Chinese, Japanese or Korean character, as
/// in the vocabularies of most models, and one for four UTF-16 code units of any other text, as the
/// library counts.
pub(crate) fn estimate_tokens(text: &str) -> usize {
    text.chars().map(quarters).sum::<usize>().div_ceil(4)
}

/// The longest beginning of a text that is within a number of tokens.
pub(crate) fn cut_tokens(text: &str, tokens: usize) -> &str {
    let mut left = tokens.saturating_mul(4);
    for (at, c) in text.char_indices() {
        match left.checked_sub(quarters(c)) {
            Some(rest) => left = rest,
            None => return &text[..at],
        }
    }
    text
}

/// The quarters of a token that a character counts.
fn quarters(c: char) -> usize {
    match c {
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}' => 4,
        c => c.len_utf16(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_of_east_asia_is_a_token() {
        for (text, tokens) in [
            ("", 0),
            ("abcde", 2),
            ("캐시는 레디스", 7),
            ("キャッシュ", 5),
            ("缓存。", 3),
            ("🎉🎉", 1),
        ] {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
        assert_eq!(cut_tokens("캐시는 레디스", 3), "캐시는");
        assert_eq!(cut_tokens("abcdefgh", 1), "abcd");
        assert_eq!(cut_tokens("a", usize::MAX), "a");
    }
}
