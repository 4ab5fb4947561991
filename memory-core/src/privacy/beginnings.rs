//! Finds the few places of a text where one of many words may begin, by three bytes each.

/// The beginnings of words to look for: one bit for the low 5 bits of each of their first three
/// bytes, which are equal for lower and upper case. Rejects nearly every place of a text.
pub(super) struct Beginnings([u64; 512]);

impl Beginnings {
    /// Those of no words.
    pub(super) const NONE: Beginnings = Beginnings([0; 512]);

    /// Adds the beginning of a word. A word of two bytes is found only before another byte.
    pub(super) const fn with(mut self, word: &[u8]) -> Self {
        let two = low_bits(low_bits(0, word[0]), word[1]);
        let (mut third, end) = match word.len() {
            2 => (0, 31),
            _ => (word[2], word[2]),
        };
        while third <= end {
            let three = low_bits(two, third);
            self.0[three / 64] |= 1 << (three % 64);
            third += 1;
        }
        self
    }

    /// How many bytes to skip before the next three that may begin a word.
    pub(super) fn next(&self, bytes: &[u8]) -> Option<usize> {
        let (&[a, b], rest) = bytes.split_first_chunk()?;
        let mut three = low_bits(low_bits(0, a), b);
        rest.iter().position(|&byte| {
            three = low_bits(three, byte);
            self.0[three / 64] >> (three % 64) & 1 == 1
        })
    }
}

/// The low bits of the last three bytes, from the previous ones and the next byte.
const fn low_bits(three: usize, next: u8) -> usize {
    (three << 5 | (next & 31) as usize) & 0x7FFF
}

/// Whether a word begins at a position, in any letter case.
pub(super) fn begins_with(bytes: &[u8], at: usize, word: &[u8]) -> bool {
    bytes
        .get(at..at + word.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(word))
}
