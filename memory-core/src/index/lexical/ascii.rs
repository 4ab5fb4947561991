//! Classifies ASCII text 64 bytes at a time, one bit per byte.

#[cfg(target_arch = "x86_64")]
use crate::embed::kernels;

/// The classes of 64 bytes of ASCII text; the lowest bit is the first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteClasses {
    /// Letters, digits and underscores.
    pub(crate) word: u64,
    /// Capitals and underscores.
    pub(crate) upper: u64,
    /// `.`, `!` and `?`.
    pub(crate) ends: u64,
}

/// The blocks of an ASCII text. Bits past the end are 0.
pub(crate) fn blocks(text: &[u8]) -> impl Iterator<Item = ByteClasses> {
    let (whole, rest) = text.as_chunks::<64>();
    let last = (!rest.is_empty()).then(|| {
        let mut padded = [0; 64];
        padded[..rest.len()].copy_from_slice(rest);
        block(&padded)
    });
    whole.iter().map(block).chain(last)
}

/// A mask of the bits from `from` up to `to`, which is at most 64.
#[inline]
pub(crate) fn bits(from: u32, to: u32) -> u64 {
    let below = |bit: u32| if bit >= 64 { u64::MAX } else { (1 << bit) - 1 };
    below(to) & !below(from)
}

#[inline]
fn block(bytes: &[u8; 64]) -> ByteClasses {
    #[cfg(target_arch = "x86_64")]
    {
        let [word, upper, ends] = kernels::word_bits(bytes);
        ByteClasses { word, upper, ends }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        block_portable(bytes)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn block_portable(bytes: &[u8; 64]) -> ByteClasses {
    let mut block = ByteClasses::default();
    for (at, byte) in bytes.iter().enumerate() {
        let is_word = byte.is_ascii_alphanumeric() || *byte == b'_';
        let is_upper = byte.is_ascii_uppercase() || *byte == b'_';
        block.word |= u64::from(is_word) << at;
        block.upper |= u64::from(is_upper) << at;
        block.ends |= u64::from(matches!(byte, b'.' | b'!' | b'?')) << at;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_has_its_bits() {
        for place in 0..64 {
            for byte in 0..128u8 {
                // Other bytes on both sides would reveal a carry.
                for other in [0u8, b'a', b'_', b'.', 127] {
                    let mut text = [other; 64];
                    text[place] = byte;
                    let found = blocks(&text).next().unwrap();
                    assert_eq!(found, block_portable(&text));
                    for (at, byte) in text.iter().enumerate() {
                        let bit = |bits: u64| bits >> at & 1 == 1;
                        let is_word = byte.is_ascii_alphanumeric() || *byte == b'_';
                        assert_eq!(bit(found.word), is_word);
                        let is_upper = byte.is_ascii_uppercase() || *byte == b'_';
                        assert_eq!(bit(found.upper), is_upper);
                        assert_eq!(bit(found.ends), matches!(byte, b'.' | b'!' | b'?'));
                    }
                }
            }
        }
    }

    #[test]
    fn a_last_block_ends_with_nothing() {
        let text = [b'x'; 70];
        let found: Vec<ByteClasses> = blocks(&text).collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].word, found[1].word), (u64::MAX, 63));
        assert_eq!(blocks(&text[..64]).count(), 1);
        assert_eq!(blocks(b"").count(), 0);
    }

    #[test]
    fn bits_are_those_of_the_range() {
        assert_eq!(bits(0, 0), 0);
        assert_eq!(bits(0, 64), u64::MAX);
        assert_eq!(bits(3, 5), 0b11000);
        assert_eq!(bits(63, 64), 1 << 63);
    }
}
