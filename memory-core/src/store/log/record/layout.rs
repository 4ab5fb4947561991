//! The envelope of a record: its form, the places of its parts, and the checksum that chains it.

use crate::model::error::{Error, ErrorCode};
#[cfg(any(test, feature = "testing"))]
use crate::model::event::EventKind;

/// The record version that this library reads and writes.
pub(crate) const VERSION: u8 = 1;
const FLAG_ERASED: u8 = 1;
const FLAG_REDUCED: u8 = 2;

/// How much of a record is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Whole,
    Erased,
    Reduced,
}

impl Form {
    pub(super) fn of(flags: u8) -> Self {
        match flags {
            flags if flags & FLAG_ERASED != 0 => Form::Erased,
            flags if flags & FLAG_REDUCED != 0 => Form::Reduced,
            _ => Form::Whole,
        }
    }

    pub(super) fn flags(self) -> u8 {
        match self {
            Form::Whole => 0,
            Form::Erased => FLAG_ERASED,
            Form::Reduced => FLAG_REDUCED,
        }
    }
}

/// The checksum that the first record continues.
pub(crate) const CHAIN_START: [u8; 32] = [0; 32];

/// The offset of the checksum; the digest follows it.
pub(super) const CHECKSUM: std::ops::Range<usize> = 8..40;

/// The offset of the digest.
const DIGEST: usize = CHECKSUM.end;

/// The position and length of the digest of a reduced record's own archive.
pub(super) const OWN_DIGEST: std::ops::Range<usize> = 72..80;

/// The lengths of the parts of an envelope that depend on its form.
#[derive(Clone, Copy)]
pub(super) struct Envelope {
    /// How many bytes of the digest are stored.
    pub(super) digest_bytes: usize,
    pub(super) end: usize,
}

impl Envelope {
    pub(super) fn of(form: Form) -> Self {
        let (digest_bytes, end) = match form {
            Form::Whole => (8, 48),
            Form::Erased => (32, 72),
            Form::Reduced => (32, OWN_DIGEST.end),
        };
        Envelope { digest_bytes, end }
    }

    /// The range of the digest.
    pub(super) fn digest(self) -> std::ops::Range<usize> {
        DIGEST..DIGEST + self.digest_bytes
    }
}

pub(super) fn chain(
    previous: &[u8; 32],
    version: u8,
    kind: u16,
    seq: u64,
    digest: &[u8; 32],
) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(previous);
    hasher.update(&[version]);
    hasher.update(&kind.to_le_bytes());
    hasher.update(&seq.to_le_bytes());
    hasher.update(digest);
    *hasher.finalize().as_bytes()
}

/// Turns any bytes into a record by fixing its length and digests, so that a test reaches
/// the code behind those checks. Form and kind come from the bytes; false if they are too
/// short for the envelope.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn make_right(bytes: &mut [u8]) -> bool {
    let Some(&flags) = bytes.get(1) else {
        return false;
    };
    let form = Form::of(flags);
    let envelope = Envelope::of(form);
    if bytes.len() < envelope.end {
        return false;
    }
    let kind = EventKind::ALL[usize::from(bytes[2]) % EventKind::ALL.len()];
    let (head, archive) = bytes.split_at_mut(envelope.end);
    let digest = *blake3::hash(archive).as_bytes();
    (head[0], head[1]) = (VERSION, form.flags());
    head[2..4].copy_from_slice(&kind.number().to_le_bytes());
    head[4..8].copy_from_slice(&(archive.len() as u32).to_le_bytes());
    head[envelope.digest()].copy_from_slice(&digest[..envelope.digest_bytes]);
    if form == Form::Reduced {
        head[OWN_DIGEST].copy_from_slice(&digest[..OWN_DIGEST.len()]);
    }
    true
}

pub(in crate::store) fn corrupt(seq: u64, what: &str) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("record {seq} {what}; run check() and restore a backup"),
    )
}
