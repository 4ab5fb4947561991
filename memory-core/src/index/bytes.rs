//! Checked reading and writing of the small integers that the index is made of.

use crate::model::error::{Error, ErrorCode, Result};

/// Appends an unsigned LEB128 integer.
#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Maps a signed integer to an unsigned one that is small when its magnitude is.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// A cursor over bytes from the disk. Every read is bounds-checked.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    place: &'static str,
}

impl<'a> Reader<'a> {
    /// Reads `bytes`; errors name `place`.
    pub(crate) fn new(bytes: &'a [u8], place: &'static str) -> Self {
        Reader { rest: bytes, place }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn corrupt(&self) -> Error {
        Error::new(
            ErrorCode::Corrupt,
            format!(
                "the lexical index holds a damaged {}; rebuild the index",
                self.place
            ),
        )
    }

    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(length) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(self.corrupt()),
        }
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8> {
        match self.rest.split_first() {
            Some((&byte, rest)) => {
                self.rest = rest;
                Ok(byte)
            }
            None => Err(self.corrupt()),
        }
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                return Err(self.corrupt());
            }
            value |= ((byte & 0x7F) as u64) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
            if shift > 63 {
                return Err(self.corrupt());
            }
        }
    }

    /// A varint that must fit in 32 bits.
    #[inline]
    pub(crate) fn varint32(&mut self) -> Result<u32> {
        let value = self.varint()?;
        u32::try_from(value).map_err(|_| self.corrupt())
    }

    /// The count of a list whose elements take at least `least` bytes each. Checking it against the
    /// remaining bytes keeps a damaged count from causing a huge allocation.
    pub(crate) fn count(&mut self, least: usize) -> Result<usize> {
        let count = self.varint()?;
        if count > (self.rest.len() / least.max(1)) as u64 {
            return Err(self.corrupt());
        }
        Ok(count as usize)
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        let b = self.take(2)?;
        Ok(u16::from_le_bytes([b[0], b[1]]))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        let b = self.take(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }
}

/// Hashes a stem. Segments compare stems by this hash.
#[inline]
pub(crate) fn term_hash(stem: &[u8]) -> u32 {
    xxhash_rust::xxh3::xxh3_64(stem) as u32
}

/// The length of the common prefix of two byte strings.
pub(crate) fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}
