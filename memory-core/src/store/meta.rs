//! The two sealed records of a store: the meta record, read first in every transaction
//! (format, feature bits, generation), and the state record (counters, last position,
//! chain).

use super::tables::META;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::store::database::checked::{ReadTransaction, ReadableTable as _};

/// Key of the meta record in the meta table.
pub(crate) const META_KEY: &str = "meta";
/// Key of the state record in the meta table.
pub(crate) const STATE_KEY: &str = "state";

const MAGIC: &[u8; 8] = b"RCLSTORE";
/// The magics of builds before the first release, whose tables differ.
const UNRELEASED_MAGICS: [&[u8; 8]; 3] = [b"RECALLIT", b"RECALLDB", b"RECALLED"];

/// The on-disk format that this library reads and writes. From the first release on, a
/// format never changes, and each has a committed store that a test opens.
pub(crate) const FORMAT: u32 = 1;

/// Feature bits that this library knows. A store with an unknown incompatible bit cannot be
/// opened; with an unknown read-only-compatible bit it can only be read; unknown compatible
/// bits are ignored.
const KNOWN_INCOMPATIBLE: u64 = 0;
const KNOWN_READ_ONLY_COMPATIBLE: u64 = 0;

/// The version of the word analyser that began the store. Recorded for diagnosis: each segment
/// has the version that decides whether it is current.
pub(crate) const ANALYSER_VERSION: u32 = crate::index::lexical::analyser::VERSION;
/// The version of the privacy rules that began the store. Recorded for diagnosis.
pub(crate) const PRIVACY_VERSION: u32 = 1;

/// The meta record, which every transaction reads first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) format: u32,
    pub(crate) compatible: u64,
    pub(crate) read_only_compatible: u64,
    pub(crate) incompatible: u64,
    pub(crate) generation: u64,
    /// The generation that replaced this one; 0 while this one is live.
    pub(crate) retired_to: u64,
    pub(crate) analyser: u32,
    pub(crate) unicode: [u8; 3],
    pub(crate) privacy: u32,
    pub(crate) store_id: [u8; 16],
    /// Keys the hashes of dedupe keys, so that the hash left of a short erased text cannot
    /// be guessed.
    pub(crate) secret: [u8; 32],
    pub(crate) created_ms: i64,
}

impl Meta {
    pub(crate) fn new(store_id: [u8; 16], secret: [u8; 32], created_ms: i64) -> Self {
        let (major, minor, patch) = unicode_normalization::UNICODE_VERSION;
        Meta {
            format: FORMAT,
            compatible: 0,
            read_only_compatible: 0,
            incompatible: 0,
            generation: 1,
            retired_to: 0,
            analyser: ANALYSER_VERSION,
            unicode: [major, minor, patch],
            privacy: PRIVACY_VERSION,
            store_id,
            secret,
            created_ms,
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(160);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&self.format.to_le_bytes());
        out.extend_from_slice(&self.compatible.to_le_bytes());
        out.extend_from_slice(&self.read_only_compatible.to_le_bytes());
        out.extend_from_slice(&self.incompatible.to_le_bytes());
        out.extend_from_slice(&self.generation.to_le_bytes());
        out.extend_from_slice(&self.retired_to.to_le_bytes());
        out.extend_from_slice(&self.analyser.to_le_bytes());
        out.extend_from_slice(&self.unicode);
        out.extend_from_slice(&self.privacy.to_le_bytes());
        out.extend_from_slice(&self.store_id);
        out.extend_from_slice(&self.secret);
        out.extend_from_slice(&self.created_ms.to_le_bytes());
        seal(out)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::unseal("meta record", bytes)?;
        match &from.array::<8>()? {
            MAGIC => {}
            magic if UNRELEASED_MAGICS.contains(&magic) => return Err(unreleased()),
            _ => return Err(corrupt("meta record", "was not written by this library")),
        }
        Ok(Meta {
            format: from.u32()?,
            compatible: from.u64()?,
            read_only_compatible: from.u64()?,
            incompatible: from.u64()?,
            generation: from.u64()?,
            retired_to: from.u64()?,
            analyser: from.u32()?,
            unicode: from.array()?,
            privacy: from.u32()?,
            store_id: from.array()?,
            secret: from.array()?,
            created_ms: from.i64()?,
        })
    }

    /// Whether this library may read the store.
    pub(crate) fn check_readable(&self) -> Result<()> {
        let unknown = self.incompatible & !KNOWN_INCOMPATIBLE;
        if self.format > FORMAT || unknown != 0 {
            return Err(Error::new(
                ErrorCode::NewerFormat,
                format!(
                    "the store has format {} (features {unknown:#x}), but this library reads up to format {FORMAT}; \
                     update the library",
                    self.format
                ),
            )
            .with_argument("path"));
        }
        Ok(())
    }

    /// Whether this library may write to the store.
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.check_readable()?;
        let unknown = self.read_only_compatible & !KNOWN_READ_ONLY_COMPATIBLE;
        if unknown != 0 {
            return Err(Error::new(
                ErrorCode::NewerFormat,
                format!(
                    "the store uses features {unknown:#x} that this library can read but not write; \
                     update the library"
                ),
            ));
        }
        Ok(())
    }
}

/// The counters that change with every append, in one record so that they change together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) last_seq: u64,
    pub(crate) last_checksum: [u8; 32],
    /// Live events: stored, not forgotten, not erased.
    pub(crate) live_events: u64,
    pub(crate) forgotten_events: u64,
    pub(crate) erased_events: u64,
    /// Live events of the four conversation kinds, in order of their numbers.
    pub(crate) conversation: [u64; 4],
    /// Bytes of content in live events.
    pub(crate) payload_bytes: u64,
    /// Bytes of records in the log.
    pub(crate) log_bytes: u64,
    pub(crate) private_sections: u64,
    /// Sessions with at least one private section.
    pub(crate) private_sessions: u64,
    pub(crate) secrets_masked: u64,
    pub(crate) bytes_filtered: u64,
    pub(crate) first_ms: i64,
    pub(crate) last_ms: i64,
    /// Events up to this position are in segments.
    pub(crate) flushed_seq: u64,
    pub(crate) next_segment: u64,
    pub(crate) next_job: u64,
    pub(crate) memtable_events: u64,
    pub(crate) last_append_ms: i64,
    pub(crate) last_flush_ms: i64,
    /// Committed write transactions: cached reads of the store are valid while this stays
    /// the same.
    pub(crate) commits: u64,
    /// The stamp of the last record of this store: see
    /// [`super::shared::record_order`].
    pub(crate) own_stamp_ms: i64,
    /// This store's next record gets a stamp after all stamps below this.
    pub(crate) seen_stamp_ms: i64,
}

impl State {
    /// Counts a live event that was added.
    pub(super) fn count_live(&mut self, kind: EventKind, at: i64, content_bytes: u64) {
        if self.live_events == 0 {
            (self.first_ms, self.last_ms) = (at, at);
        }
        self.live_events += 1;
        self.first_ms = self.first_ms.min(at);
        self.last_ms = self.last_ms.max(at);
        if let Some(count) = self.conversation_count(kind) {
            *count += 1;
        }
        self.payload_bytes += content_bytes;
    }

    /// Counts a live event that was forgotten. Its time is for the caller to take out.
    pub(super) fn count_forgotten(&mut self, kind: EventKind, content_bytes: u64) {
        self.live_events -= 1;
        self.forgotten_events += 1;
        if let Some(count) = self.conversation_count(kind) {
            *count = count.saturating_sub(1);
        }
        self.payload_bytes = self.payload_bytes.saturating_sub(content_bytes);
    }

    /// The number of live events of a conversation kind.
    fn conversation_count(&mut self, kind: EventKind) -> Option<&mut u64> {
        match kind.is_conversation() {
            true => self.conversation.get_mut(usize::from(kind.number()) - 1),
            false => None,
        }
    }

    /// Only the counters that depend on the log alone: the same after every rebuild.
    pub(crate) fn of_the_log(&self) -> State {
        State {
            flushed_seq: 0,
            next_segment: 0,
            next_job: 0,
            memtable_events: 0,
            last_append_ms: 0,
            last_flush_ms: 0,
            commits: 0,
            ..self.clone()
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.push(1);
        out.extend_from_slice(&self.last_checksum);
        for number in [
            self.last_seq,
            self.live_events,
            self.forgotten_events,
            self.erased_events,
            self.conversation[0],
            self.conversation[1],
            self.conversation[2],
            self.conversation[3],
            self.payload_bytes,
            self.log_bytes,
            self.private_sections,
            self.secrets_masked,
            self.bytes_filtered,
            self.first_ms as u64,
            self.last_ms as u64,
            self.flushed_seq,
            self.next_segment,
            self.next_job,
            self.memtable_events,
            self.last_append_ms as u64,
            self.last_flush_ms as u64,
            self.commits,
            self.own_stamp_ms as u64,
            self.seen_stamp_ms as u64,
            self.private_sessions,
        ] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        seal(out)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::unseal("state record", bytes)?;
        from.version(1)?;
        let last_checksum = from.array()?;
        Ok(State {
            last_checksum,
            last_seq: from.u64()?,
            live_events: from.u64()?,
            forgotten_events: from.u64()?,
            erased_events: from.u64()?,
            conversation: [from.u64()?, from.u64()?, from.u64()?, from.u64()?],
            payload_bytes: from.u64()?,
            log_bytes: from.u64()?,
            private_sections: from.u64()?,
            secrets_masked: from.u64()?,
            bytes_filtered: from.u64()?,
            first_ms: from.i64()?,
            last_ms: from.i64()?,
            flushed_seq: from.u64()?,
            next_segment: from.u64()?,
            next_job: from.u64()?,
            memtable_events: from.u64()?,
            last_append_ms: from.i64()?,
            last_flush_ms: from.i64()?,
            commits: from.u64()?,
            own_stamp_ms: from.i64()?,
            seen_stamp_ms: from.i64()?,
            private_sessions: from.u64()?,
        })
    }
}

/// The error for a store that no release wrote.
pub(super) fn unreleased() -> Error {
    Error::new(
        ErrorCode::Unsupported,
        "the store was written by a build from before the first release, which no release can read; \
         export it with that build and import the export, or move the folder away to start afresh",
    )
    .with_argument("path")
}

/// Seals a small record with the first 8 bytes of its BLAKE3 hash.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(&hash.as_bytes()[..8]);
    bytes
}

pub(super) fn corrupt(what: &str, problem: &str) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("the store's {what} {problem}; restore a backup"),
    )
}

/// Reads the fields of a small sealed record in sequence.
pub(crate) struct Reader<'a> {
    what: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Verifies the seal.
    pub(crate) fn unseal(what: &'static str, bytes: &'a [u8]) -> Result<Self> {
        let body = bytes
            .len()
            .checked_sub(8)
            .ok_or_else(|| corrupt(what, "is too short"))?;
        let (rest, sum) = bytes.split_at(body);
        if blake3::hash(rest).as_bytes()[..8] != *sum {
            return Err(corrupt(what, "does not match its checksum"));
        }
        Ok(Reader { what, rest })
    }

    /// Reads bytes whose seal was verified before.
    pub(crate) fn unsealed(what: &'static str, bytes: &'a [u8]) -> Self {
        Reader { what, rest: bytes }
    }

    /// The unread rest.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Reads the version of a row, which must be the one that this library writes.
    pub(crate) fn version(&mut self, known: u8) -> Result<()> {
        match self.u8()? == known {
            true => Ok(()),
            false => Err(corrupt(self.what, "has an unknown version")),
        }
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or_else(|| corrupt(self.what, "ends too early"))?;
        self.rest = rest;
        Ok(*head)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8]> {
        if length > self.rest.len() {
            return Err(corrupt(self.what, "ends too early"));
        }
        let (head, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(head)
    }

    pub(crate) fn text(&mut self) -> Result<String> {
        let length = self.u32()? as usize;
        let bytes = self.bytes(length)?;
        std::str::from_utf8(bytes)
            .map(str::to_owned)
            .map_err(|_| corrupt(self.what, "holds text that is not UTF-8"))
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_le_bytes(self.array()?))
    }
}

/// Appends a length-prefixed text; read back by [`Reader::text`].
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    let length = u32::try_from(text.len()).expect("names are limited to 64 KiB at the edge");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

pub(super) fn read_meta(transaction: &ReadTransaction) -> Result<Meta> {
    let table = transaction.open_table(META)?;
    let meta = table.get(META_KEY)?.ok_or_else(missing_meta)?;
    Meta::decode(meta.value())
}

pub(super) fn missing_meta() -> Error {
    Error::new(
        ErrorCode::Corrupt,
        "the store's meta record is missing; restore a backup, or move the folder away to start afresh",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_and_state_come_back_and_notice_every_flipped_byte() {
        let meta = Meta::new([1; 16], [2; 32], 5);
        let bytes = meta.encode();
        assert_eq!(Meta::decode(&bytes).unwrap(), meta);
        let state = State {
            last_seq: 9,
            conversation: [1, 2, 3, 4],
            first_ms: -7,
            ..State::default()
        };
        let encoded = state.encode();
        assert_eq!(State::decode(&encoded).unwrap(), state);
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0x40;
            assert!(Meta::decode(&broken).is_err(), "byte {at}");
        }
        for length in 0..encoded.len() {
            let error = State::decode(&encoded[..length]).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Corrupt, "{length}");
        }
    }

    #[test]
    fn a_store_from_before_the_first_release_is_refused_by_name() {
        for magic in UNRELEASED_MAGICS {
            let mut old = Meta::new([1; 16], [2; 32], 5).encode();
            old.truncate(old.len() - 8);
            old[..8].copy_from_slice(magic);
            let error = Meta::decode(&seal(old)).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Unsupported);
            assert!(
                error.message().contains("before the first release"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_newer_format_is_refused_by_name() {
        let mut meta = Meta::new([1; 16], [2; 32], 5);
        meta.format = FORMAT + 1;
        assert_eq!(
            meta.check_readable().unwrap_err().code(),
            ErrorCode::NewerFormat
        );
        meta.format = FORMAT;
        meta.read_only_compatible = 1 << 40;
        assert!(meta.check_readable().is_ok());
        assert_eq!(
            meta.check_writable().unwrap_err().code(),
            ErrorCode::NewerFormat
        );
    }
}
