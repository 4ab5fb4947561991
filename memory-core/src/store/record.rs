//! The bytes of one log record: a versioned envelope with the chained checksum,
//! then an rkyv archive that is read in place.
//!
//! ```text
//! offset  size  field
//!      0     1  record version (1)
//!      1     1  flags (bit 0: erased)
//!      2     2  kind, little-endian
//!      4     4  archive length in bytes, little-endian
//!      8    32  digest: BLAKE3 of the archive as it was first stored
//!     40    32  checksum: BLAKE3 of the previous record's checksum, the
//!               version, the kind, the position and the digest
//!     72     n  archive
//! ```
//!
//! The archive holds a random salt, so the digest that an erased record keeps
//! tells nothing about a short text that was in it.

use rkyv::rancor;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Event, EventKind, Origin, PrivacyReport, ToolRecord};
use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::json::Json;
use crate::model::time::Timestamp;

/// The version of the record that this library writes.
pub(crate) const RECORD_VERSION: u8 = 1;

const ENVELOPE: usize = 72;
const FLAG_ERASED: u8 = 1;

/// The checksum that the first record continues.
pub(crate) const CHAIN_START: [u8; 32] = [0; 32];

/// Version 1 of the archived record. It never changes: a new version is a new
/// type with an upgrade function.
#[derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct RecordV1 {
    pub(crate) salt: [u8; 16],
    pub(crate) id: [u8; 16],
    pub(crate) timestamp_ms: i64,
    pub(crate) origin: u8,
    pub(crate) session: String,
    pub(crate) project: String,
    pub(crate) actor: String,
    pub(crate) citation: String,
    pub(crate) canonical_key: String,
    pub(crate) content: String,
    pub(crate) metadata: Option<String>,
    pub(crate) tool: Option<ToolV1>,
    pub(crate) privacy: PrivacyV1,
    /// The keyed hash under which the event is recognised when it comes again.
    pub(crate) dedupe: Option<[u8; 16]>,
}

/// Version 1 of an archived tool call.
#[derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct ToolV1 {
    pub(crate) name: String,
    pub(crate) input: Option<String>,
    pub(crate) output: String,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) success: bool,
    pub(crate) error: Option<String>,
    pub(crate) prompt_index: Option<u32>,
    pub(crate) tool_index: Option<u32>,
    pub(crate) metadata: String,
}

/// Version 1 of an archived privacy report.
#[derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct PrivacyV1 {
    pub(crate) private_count: u32,
    pub(crate) secret_count: u32,
    pub(crate) anonymized_count: u32,
    pub(crate) original_bytes: u64,
    pub(crate) filtered_bytes: u64,
}

/// A record's bytes and the checksum that the next record continues.
pub(crate) struct Encoded {
    pub(crate) bytes: Vec<u8>,
    pub(crate) checksum: [u8; 32],
}

/// Encodes a record that follows `previous` in the chain.
pub(crate) fn encode(
    seq: u64,
    kind: EventKind,
    record: &RecordV1,
    previous: &[u8; 32],
) -> Result<Encoded> {
    let archive = rkyv::to_bytes::<rancor::Error>(record).map_err(|e| {
        Error::new(
            ErrorCode::Internal,
            format!("record {seq} cannot be encoded: {e}"),
        )
    })?;
    let digest = *blake3::hash(&archive).as_bytes();
    let checksum = chain(previous, RECORD_VERSION, kind.number(), seq, &digest);
    let length = u32::try_from(archive.len())
        .map_err(|_| Error::invalid("content", "is larger than one record can hold (4 GiB)"))?;
    let mut bytes = Vec::with_capacity(ENVELOPE + archive.len());
    bytes.push(RECORD_VERSION);
    bytes.push(0);
    bytes.extend_from_slice(&kind.number().to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&digest);
    bytes.extend_from_slice(&checksum);
    bytes.extend_from_slice(&archive);
    Ok(Encoded { bytes, checksum })
}

/// The erased form of a record: the envelope with its digest and checksum, so
/// that the chain still holds, and of the rest only the names that point to it
/// (id and citation) and its time.
pub(crate) fn erase(seq: u64, bytes: &[u8]) -> Result<Vec<u8>> {
    let view = RecordView::new(seq, bytes)?;
    let record = view.archive()?;
    let bare = RecordV1 {
        id: record.id,
        timestamp_ms: record.timestamp_ms.to_native(),
        origin: record.origin,
        citation: record.citation.as_str().to_owned(),
        ..RecordV1::default()
    };
    encode_erased(seq, view.kind, &bare, &view.digest(), &view.checksum())
}

/// An erased record from what is left of it: used by [`erase`], and when a log
/// is restored.
pub(crate) fn encode_erased(
    seq: u64,
    kind: EventKind,
    bare: &RecordV1,
    digest: &[u8; 32],
    checksum: &[u8; 32],
) -> Result<Vec<u8>> {
    let archive = rkyv::to_bytes::<rancor::Error>(bare).map_err(|e| {
        Error::new(
            ErrorCode::Internal,
            format!("erased record {seq} cannot be encoded: {e}"),
        )
    })?;
    let length = u32::try_from(archive.len()).expect("a record without texts is small");
    let mut out = Vec::with_capacity(ENVELOPE + archive.len());
    out.push(RECORD_VERSION);
    out.push(FLAG_ERASED);
    out.extend_from_slice(&kind.number().to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(digest);
    out.extend_from_slice(checksum);
    out.extend_from_slice(&archive);
    Ok(out)
}

fn chain(previous: &[u8; 32], version: u8, kind: u16, seq: u64, digest: &[u8; 32]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(previous);
    hasher.update(&[version]);
    hasher.update(&kind.to_le_bytes());
    hasher.update(&seq.to_le_bytes());
    hasher.update(digest);
    *hasher.finalize().as_bytes()
}

/// A record as it lies in the store's page: the envelope's fields are read at
/// once, the archive in place when asked for.
pub(crate) struct RecordView<'a> {
    seq: u64,
    bytes: &'a [u8],
    kind: EventKind,
}

impl<'a> RecordView<'a> {
    /// Reads the envelope.
    pub(crate) fn new(seq: u64, bytes: &'a [u8]) -> Result<Self> {
        if bytes.len() < ENVELOPE {
            return Err(corrupt(seq, "is shorter than its envelope"));
        }
        if bytes[0] != RECORD_VERSION {
            return Err(Error::new(
                ErrorCode::NewerFormat,
                format!(
                    "record {seq} has version {}, this library reads up to {RECORD_VERSION}",
                    bytes[0]
                ),
            ));
        }
        let number = u16::from_le_bytes([bytes[2], bytes[3]]);
        let kind = EventKind::from_number(number).ok_or_else(|| {
            Error::new(
                ErrorCode::NewerFormat,
                format!("record {seq} has the unknown kind {number}; a newer library wrote it"),
            )
        })?;
        let length = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]) as usize;
        if bytes.len() != ENVELOPE + length {
            return Err(corrupt(seq, "has another length than its envelope says"));
        }
        Ok(RecordView { seq, bytes, kind })
    }

    pub(crate) fn kind(&self) -> EventKind {
        self.kind
    }

    pub(crate) fn is_erased(&self) -> bool {
        self.bytes[1] & FLAG_ERASED != 0
    }

    pub(crate) fn checksum(&self) -> [u8; 32] {
        self.field(40)
    }

    pub(crate) fn digest(&self) -> [u8; 32] {
        self.field(8)
    }

    fn field(&self, at: usize) -> [u8; 32] {
        self.bytes[at..at + 32]
            .try_into()
            .expect("a slice of 32 bytes was taken")
    }

    fn archive_bytes(&self) -> &'a [u8] {
        &self.bytes[ENVELOPE..]
    }

    /// The archive, after its digest and its structure were checked.
    pub(crate) fn archive(&self) -> Result<&'a ArchivedRecordV1> {
        if !self.is_erased() && *blake3::hash(self.archive_bytes()).as_bytes() != self.digest() {
            return Err(corrupt(self.seq, "does not match its digest"));
        }
        rkyv::access::<ArchivedRecordV1, rancor::Error>(self.archive_bytes())
            .map_err(|_| corrupt(self.seq, "has a broken structure"))
    }

    /// Whether this record continues a chain whose last checksum is `previous`.
    pub(crate) fn continues(&self, previous: &[u8; 32]) -> bool {
        self.checksum()
            == chain(
                previous,
                self.bytes[0],
                self.kind.number(),
                self.seq,
                &self.digest(),
            )
    }

    /// The record as an owned event.
    pub(crate) fn to_event(&self) -> Result<Event> {
        let record = self.archive()?;
        let origin = Origin::from_number(record.origin)
            .ok_or_else(|| corrupt(self.seq, "has an unknown origin"))?;
        let text = |field: &rkyv::string::ArchivedString| field.as_str().to_owned();
        Ok(Event {
            id: EventId::from_bytes(record.id),
            seq: Seq(self.seq),
            citation: CitationId::from_checked(text(&record.citation)),
            kind: self.kind,
            session: text(&record.session),
            project: text(&record.project),
            actor: text(&record.actor),
            origin,
            timestamp: Timestamp::from_millis_clamped(record.timestamp_ms.to_native()),
            content: text(&record.content),
            canonical_key: text(&record.canonical_key),
            metadata: record
                .metadata
                .as_ref()
                .map(|json| Json::from_checked(text(json))),
            tool: record.tool.as_ref().map(|tool| ToolRecord {
                name: text(&tool.name),
                input: tool
                    .input
                    .as_ref()
                    .map(|json| Json::from_checked(text(json))),
                output: text(&tool.output),
                duration_ms: tool.duration_ms.as_ref().map(|n| n.to_native()),
                success: tool.success,
                error: tool.error.as_ref().map(text),
                prompt_index: tool.prompt_index.as_ref().map(|n| n.to_native()),
                tool_index: tool.tool_index.as_ref().map(|n| n.to_native()),
                metadata: Json::from_checked(text(&tool.metadata)),
            }),
            privacy: PrivacyReport {
                private_count: record.privacy.private_count.to_native(),
                secret_count: record.privacy.secret_count.to_native(),
                anonymized_count: record.privacy.anonymized_count.to_native(),
                original_bytes: record.privacy.original_bytes.to_native(),
                filtered_bytes: record.privacy.filtered_bytes.to_native(),
            },
        })
    }
}

fn corrupt(seq: u64, what: &str) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("record {seq} {what}; run check() and restore it from a backup"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> RecordV1 {
        RecordV1 {
            salt: [7; 16],
            id: [9; 16],
            timestamp_ms: 1_769_781_900_000,
            origin: Origin::User as u8,
            session: "s1".into(),
            project: "p".into(),
            actor: "user".into(),
            citation: "a7Bc3x".into(),
            canonical_key: "벡터 검색".into(),
            content: "벡터 검색! 🎉".into(),
            metadata: Some("{\"a\":1}".into()),
            tool: Some(ToolV1 {
                name: "Bash".into(),
                metadata: "{}".into(),
                ..ToolV1::default()
            }),
            privacy: PrivacyV1::default(),
            dedupe: Some([3; 16]),
        }
    }

    #[test]
    fn an_erased_record_keeps_its_place_in_the_chain_and_nothing_of_the_text() {
        let encoded = encode(1, EventKind::UserPrompt, &sample(), &CHAIN_START).unwrap();
        let bytes = erase(1, &encoded.bytes).unwrap();
        let view = RecordView::new(1, &bytes).unwrap();
        assert!(view.is_erased() && view.continues(&CHAIN_START));
        assert_eq!(view.checksum(), encoded.checksum);
        let event = view.to_event().unwrap();
        assert_eq!(event.id.as_bytes(), &[9; 16]);
        assert_eq!(event.citation.as_str(), "a7Bc3x");
        assert!(event.content.is_empty() && event.session.is_empty() && event.tool.is_none());
        for secret in ["벡터".as_bytes(), b"Bash", b"s1", &[7; 16], &[3; 16]] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret));
        }
        assert_eq!(erase(1, &bytes).unwrap(), bytes, "erasing twice is erasing");
    }

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let encoded = encode(1, EventKind::UserPrompt, &sample(), &CHAIN_START).unwrap();
        let view = RecordView::new(1, &encoded.bytes).unwrap();
        let event = view.to_event().unwrap();
        assert_eq!(event.content, "벡터 검색! 🎉");
        assert_eq!(event.tool.unwrap().name, "Bash");
        assert!(view.continues(&CHAIN_START));
        assert!(!view.continues(&[1; 32]));
    }

    #[test]
    fn every_flipped_bit_is_an_error_or_breaks_the_chain() {
        let encoded = encode(3, EventKind::UserPrompt, &sample(), &[5; 32]).unwrap();
        for at in 0..encoded.bytes.len() {
            for bit in 0..8 {
                let mut bytes = encoded.bytes.clone();
                bytes[at] ^= 1 << bit;
                let intact = RecordView::new(3, &bytes)
                    .and_then(|view| view.to_event().map(|_| view.continues(&[5; 32])));
                // Only unused flag bits may pass unseen.
                assert!(
                    at == 1 || !matches!(intact, Ok(true)),
                    "byte {at} bit {bit}"
                );
            }
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let encoded = encode(1, EventKind::UserPrompt, &sample(), &CHAIN_START).unwrap();
        for length in 0..encoded.bytes.len() {
            assert!(RecordView::new(1, &encoded.bytes[..length]).is_err());
        }
    }
}
