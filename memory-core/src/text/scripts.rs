//! Tells scripts apart by how they write words.

/// Whether the letter is Hangul, whose words carry particles without a space.
pub(crate) fn is_hangul(c: char) -> bool {
    matches!(c as u32, 0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF)
}

/// Whether the letter is kana, which no other language than Japanese has.
pub(crate) fn is_kana(c: char) -> bool {
    matches!(c as u32, 0x3041..=0x30FF)
}

/// Whether the character is Han, which Chinese and Japanese share.
pub(crate) fn is_han(c: char) -> bool {
    matches!(c as u32,
        0x3005..=0x3007 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

/// Whether the letter belongs to a script without spaces between words: Han, kana, Thai, Lao,
/// Khmer, Myanmar.
pub(crate) fn is_unspaced(c: char) -> bool {
    is_han(c)
        || matches!(c as u32,
            0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x31F0..=0x31FF)
}
