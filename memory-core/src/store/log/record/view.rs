//! Reads a record in the store's page: the envelope at once, the archive in place on demand.

use std::cell::OnceCell;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::store::log::record::archive::{Record, read_archive};
use crate::store::log::record::layout::{
    CHECKSUM, Envelope, Form, OWN_DIGEST, VERSION, chain, corrupt,
};

/// A record in the store's page: the envelope is read immediately, the archive in place on
/// demand.
pub(crate) struct RecordView<'a> {
    seq: u64,
    bytes: &'a [u8],
    kind: EventKind,
    envelope: Envelope,
    digest: OnceCell<[u8; 32]>,
}

impl<'a> RecordView<'a> {
    /// Reads the envelope.
    pub(crate) fn new(seq: u64, bytes: &'a [u8]) -> Result<Self> {
        if bytes.len() < 8 {
            return Err(corrupt(seq, "is shorter than its envelope"));
        }
        if bytes[0] != VERSION {
            // A library that writes other versions has raised the store's format.
            return Err(corrupt(seq, "has a version unknown to its store"));
        }
        let number = u16::from_le_bytes([bytes[2], bytes[3]]);
        let kind = EventKind::from_number(number)
            .ok_or_else(|| corrupt(seq, "has a kind unknown to its store"))?;
        let length = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]) as usize;
        let envelope = Envelope::of(Form::of(bytes[1]));
        if bytes.len() != envelope.end + length {
            return Err(corrupt(seq, "does not have the length in its envelope"));
        }
        Ok(RecordView {
            seq,
            bytes,
            kind,
            envelope,
            digest: OnceCell::new(),
        })
    }

    pub(crate) fn kind(&self) -> EventKind {
        self.kind
    }

    /// The position in the log.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    /// The version of the record.
    pub(crate) fn version(&self) -> u8 {
        self.bytes[0]
    }

    pub(crate) fn is_erased(&self) -> bool {
        Form::of(self.bytes[1]) == Form::Erased
    }

    /// Whether the record was erased in part.
    pub(crate) fn is_reduced(&self) -> bool {
        Form::of(self.bytes[1]) == Form::Reduced
    }

    pub(crate) fn checksum(&self) -> [u8; 32] {
        self.bytes[CHECKSUM]
            .try_into()
            .expect("a slice of 32 bytes was taken")
    }

    /// The digest of the archive: as stored if stored in full, otherwise recomputed.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let stored = self.stored_digest();
        match stored.try_into() {
            Ok(whole) => whole,
            Err(_) => self.made_digest(),
        }
    }

    fn stored_digest(&self) -> &'a [u8] {
        &self.bytes[self.envelope.digest()]
    }

    fn made_digest(&self) -> [u8; 32] {
        *self
            .digest
            .get_or_init(|| *blake3::hash(self.archive_bytes()).as_bytes())
    }

    fn archive_bytes(&self) -> &'a [u8] {
        &self.bytes[self.envelope.end..]
    }

    /// The content of the record, after verifying its digest and structure.
    pub(crate) fn archive(&self) -> Result<Record<'a>> {
        let stored = match Form::of(self.bytes[1]) {
            Form::Whole => self.stored_digest(),
            Form::Reduced => &self.bytes[OWN_DIGEST],
            // No digest covers what is left: the names and the time.
            Form::Erased => &[],
        };
        if self.made_digest()[..stored.len()] != *stored {
            return Err(corrupt(self.seq, "does not match its digest"));
        }
        self.archive_of_known_digest()
    }

    /// Like [`RecordView::archive`], for bytes whose digest was verified before.
    pub(in crate::store) fn archive_of_known_digest(&self) -> Result<Record<'a>> {
        read_archive(self.archive_bytes()).ok_or_else(|| corrupt(self.seq, "is malformed"))
    }

    /// Whether this record continues a chain whose last checksum is `previous`.
    pub(crate) fn continues(&self, previous: &[u8; 32]) -> bool {
        self.checksum()
            == chain(
                previous,
                self.version(),
                self.kind.number(),
                self.seq,
                &self.digest(),
            )
    }
}
