//! The byte format of a log record: a versioned envelope with the chained checksum,
//! followed by an rkyv archive that is read in place.
//!
//! ```text
//! offset  size  field
//!      0     1  record version (1)
//!      1     1  flags (bit 0: erased, bit 1: reduced)
//!      2     2  kind, little-endian
//!      4     4  archive length in bytes, little-endian
//!      8    32  checksum: BLAKE3 of the previous record's checksum, the
//!               version, the kind, the position and the digest
//!     40     8  first bytes of the digest: BLAKE3 of the archive. Of an erased
//!               or reduced record all 32, of the archive as first stored
//!     48     n  archive (erased: from 72, reduced: from 80)
//! ```
//!
//! The archive contains a random salt, so the digest kept in an erased record reveals
//! nothing about a short text.
//!
//! A *reduced* record (flag bit 1) is partly erased, but its rest still counts, for example
//! accesses of other events in the same batch. Like an erased record, it keeps the whole
//! digest of the archive as first stored; the first 8 bytes of the digest of what is left
//! are at 72, and that archive starts at 80.

use std::cell::OnceCell;
use std::ops::Deref;

use rkyv::api::high::to_bytes_in_with_alloc;
use rkyv::rancor;
use rkyv::ser::allocator::Arena;
use rkyv::string::{ArchivedString, StringResolver};
use rkyv::with::Niche;
use rkyv::{Place, SerializeUnsized};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{EventKind, PrivacyReport};

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
    fn of(flags: u8) -> Self {
        match flags {
            flags if flags & FLAG_ERASED != 0 => Form::Erased,
            flags if flags & FLAG_REDUCED != 0 => Form::Reduced,
            _ => Form::Whole,
        }
    }

    fn flags(self) -> u8 {
        match self {
            Form::Whole => 0,
            Form::Erased => FLAG_ERASED,
            Form::Reduced => FLAG_REDUCED,
        }
    }
}

/// The checksum that the first record continues.
pub(crate) const CHAIN_START: [u8; 32] = [0; 32];

/// A text of a record, in any representation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl<'a> Text<'a> {
    pub(crate) fn as_str(self) -> &'a str {
        self.0
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl rkyv::Archive for Text<'_> {
    type Archived = ArchivedString;
    type Resolver = StringResolver;

    fn resolve(&self, resolver: StringResolver, out: Place<ArchivedString>) {
        ArchivedString::resolve_from_str(self.0, resolver, out);
    }
}

impl<S> rkyv::Serialize<S> for Text<'_>
where
    S: rancor::Fallible + ?Sized,
    S::Error: rancor::Source,
    str: SerializeUnsized<S>,
{
    fn serialize(&self, serializer: &mut S) -> std::result::Result<StringResolver, S::Error> {
        ArchivedString::serialize_from_str(self.0, serializer)
    }
}

/// The content of a record, in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record<'a> {
    pub(crate) salt: [u8; 16],
    pub(crate) id: [u8; 16],
    pub(crate) timestamp_ms: i64,
    pub(crate) origin: u8,
    pub(crate) session: Text<'a>,
    pub(crate) project: Text<'a>,
    pub(crate) actor: Text<'a>,
    pub(crate) citation: Text<'a>,
    pub(crate) content: Text<'a>,
    pub(crate) metadata: Option<Text<'a>>,
    pub(crate) tool: Option<ToolFields<'a>>,
    pub(crate) privacy: PrivacyReport,
    /// The keyed hash by which a duplicate of the event is recognised.
    pub(crate) dedupe: Option<[u8; 16]>,
    /// Its origin, if another store recorded it.
    pub(crate) foreign: Option<Foreign<'a>>,
}

/// The origin of another store's record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Foreign<'a> {
    /// The store that recorded it.
    pub(crate) store: [u8; 16],
    /// Its position in the log of that store.
    pub(crate) position: u64,
    /// When that store recorded it, by its hybrid logical clock: see
    /// [`crate::store::shared::record_order`].
    pub(crate) stamp_ms: i64,
    /// Its citation there.
    pub(crate) citation: Text<'a>,
}

/// The tool call of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ToolFields<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) input: Option<Text<'a>>,
    pub(crate) output: Text<'a>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) success: bool,
    pub(crate) error: Option<Text<'a>>,
    pub(crate) prompt_index: Option<u32>,
    pub(crate) tool_index: Option<u32>,
    pub(crate) metadata: Text<'a>,
}

/// Version 1 of the archived record. From the first release on it never changes: a new
/// version is a new type. Fields that follow from the content are left out.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct RecordV1<'a> {
    salt: [u8; 16],
    id: [u8; 16],
    timestamp_ms: i64,
    origin: u8,
    session: Text<'a>,
    project: Text<'a>,
    actor: Text<'a>,
    citation: Text<'a>,
    content: Text<'a>,
    #[rkyv(with = Niche)]
    metadata: Option<Box<Text<'a>>>,
    #[rkyv(with = Niche)]
    tool: Option<Box<ToolV1<'a>>>,
    /// `None` if nothing was filtered: the length is then that of the content.
    #[rkyv(with = Niche)]
    privacy: Option<Box<PrivacyV1>>,
    /// Zero for none.
    dedupe: [u8; 16],
    #[rkyv(with = Niche)]
    foreign: Option<Box<ForeignV1<'a>>>,
}

/// Version 1 of an archived record's origin.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct ForeignV1<'a> {
    store: [u8; 16],
    position: u64,
    stamp_ms: i64,
    citation: Text<'a>,
}

impl<'a> ForeignV1<'a> {
    fn new(foreign: &Foreign<'a>) -> Self {
        ForeignV1 {
            store: foreign.store,
            position: foreign.position,
            stamp_ms: foreign.stamp_ms,
            citation: foreign.citation,
        }
    }
}

impl ArchivedForeignV1<'_> {
    fn fields(&self) -> Foreign<'_> {
        Foreign {
            store: self.store,
            position: self.position.to_native(),
            stamp_ms: self.stamp_ms.to_native(),
            citation: text(&self.citation),
        }
    }
}

/// Version 1 of an archived tool call, borrowed.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct ToolV1<'a> {
    name: Text<'a>,
    input: Option<Text<'a>>,
    output: Text<'a>,
    duration_ms: Option<u64>,
    success: bool,
    error: Option<Text<'a>>,
    prompt_index: Option<u32>,
    tool_index: Option<u32>,
    metadata: Text<'a>,
}

/// Version 1 of an archived privacy report.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct PrivacyV1 {
    private_count: u32,
    secret_count: u32,
    anonymized_count: u32,
    original_bytes: u64,
    filtered_bytes: u64,
}

impl PrivacyV1 {
    fn new(report: &PrivacyReport) -> Self {
        PrivacyV1 {
            private_count: report.private_count,
            secret_count: report.secret_count,
            anonymized_count: report.anonymized_count,
            original_bytes: report.original_bytes,
            filtered_bytes: report.filtered_bytes,
        }
    }
}

impl ArchivedPrivacyV1 {
    fn report(&self) -> PrivacyReport {
        PrivacyReport {
            private_count: self.private_count.to_native(),
            secret_count: self.secret_count.to_native(),
            anonymized_count: self.anonymized_count.to_native(),
            original_bytes: self.original_bytes.to_native(),
            filtered_bytes: self.filtered_bytes.to_native(),
        }
    }
}

/// The privacy report of a text that was not changed.
fn nothing_filtered(content: &str) -> PrivacyReport {
    PrivacyReport {
        original_bytes: content.len() as u64,
        filtered_bytes: content.len() as u64,
        ..PrivacyReport::default()
    }
}

impl<'a> ToolV1<'a> {
    fn new(tool: &ToolFields<'a>) -> Self {
        ToolV1 {
            name: tool.name,
            input: tool.input,
            output: tool.output,
            duration_ms: tool.duration_ms,
            success: tool.success,
            error: tool.error,
            prompt_index: tool.prompt_index,
            tool_index: tool.tool_index,
            metadata: tool.metadata,
        }
    }
}

impl ArchivedToolV1<'_> {
    fn fields(&self) -> ToolFields<'_> {
        ToolFields {
            name: text(&self.name),
            input: self.input.as_ref().map(text),
            output: text(&self.output),
            duration_ms: self.duration_ms.as_ref().map(|n| n.to_native()),
            success: self.success,
            error: self.error.as_ref().map(text),
            prompt_index: self.prompt_index.as_ref().map(|n| n.to_native()),
            tool_index: self.tool_index.as_ref().map(|n| n.to_native()),
            metadata: text(&self.metadata),
        }
    }
}

fn text(archived: &ArchivedString) -> Text<'_> {
    Text(archived.as_str())
}

fn put_archive(out: Vec<u8>, record: &Record<'_>) -> Result<Vec<u8>, rancor::Error> {
    let is_untouched = record.privacy == nothing_filtered(&record.content);
    let (tool, foreign) = (record.tool.as_ref(), record.foreign.as_ref());
    let archived = RecordV1 {
        salt: record.salt,
        id: record.id,
        timestamp_ms: record.timestamp_ms,
        origin: record.origin,
        session: record.session,
        project: record.project,
        actor: record.actor,
        citation: record.citation,
        content: record.content,
        metadata: record.metadata.map(Box::new),
        tool: tool.map(|tool| Box::new(ToolV1::new(tool))),
        privacy: (!is_untouched).then(|| Box::new(PrivacyV1::new(&record.privacy))),
        dedupe: record.dedupe.unwrap_or_default(),
        foreign: foreign.map(|foreign| Box::new(ForeignV1::new(foreign))),
    };
    // An arena of its own: rkyv's is gone on a thread that is ending, or in `atexit`.
    let mut arena = Arena::new();
    to_bytes_in_with_alloc(&archived, out, arena.acquire())
}

/// The offset of the checksum; the digest follows it.
const CHECKSUM: std::ops::Range<usize> = 8..40;
/// The offset of the digest.
const DIGEST: usize = CHECKSUM.end;
/// The position and length of the digest of a reduced record's own archive.
const OWN_DIGEST: std::ops::Range<usize> = 72..80;

/// The lengths of the parts of an envelope that depend on its form.
#[derive(Clone, Copy)]
struct Envelope {
    /// How many bytes of the digest are stored.
    digest_bytes: usize,
    end: usize,
}

impl Envelope {
    fn of(form: Form) -> Self {
        let (digest_bytes, end) = match form {
            Form::Whole => (8, 48),
            Form::Erased => (32, 72),
            Form::Reduced => (32, OWN_DIGEST.end),
        };
        Envelope { digest_bytes, end }
    }

    /// The range of the digest.
    fn digest(self) -> std::ops::Range<usize> {
        DIGEST..DIGEST + self.digest_bytes
    }
}

/// Appends a record to `out`, without the checksum, which depends on its place in the
/// chain. Returns its digest.
pub(crate) fn encode_body(
    out: &mut Vec<u8>,
    kind: EventKind,
    record: &Record<'_>,
) -> Result<[u8; 32]> {
    put_record(out, kind, record, Form::Whole, None)
}

fn put_record(
    out: &mut Vec<u8>,
    kind: EventKind,
    record: &Record<'_>,
    form: Form,
    first_digest: Option<&[u8; 32]>,
) -> Result<[u8; 32]> {
    let envelope = Envelope::of(form);
    let start = out.len();
    out.extend_from_slice(&[VERSION, form.flags()]);
    out.extend_from_slice(&kind.number().to_le_bytes());
    out.resize(start + envelope.end, 0);
    *out = put_archive(std::mem::take(out), record).map_err(|e| {
        Error::new(
            ErrorCode::Internal,
            format!("a record cannot be encoded: {e}"),
        )
    })?;
    let archive = &out[start + envelope.end..];
    let length = u32::try_from(archive.len())
        .map_err(|_| Error::invalid("content", "is larger than one record can hold (4 GiB)"))?;
    let own = *blake3::hash(archive).as_bytes();
    let digest = first_digest.copied().unwrap_or(own);
    let head = &mut out[start..start + envelope.end];
    head[4..8].copy_from_slice(&length.to_le_bytes());
    head[envelope.digest()].copy_from_slice(&digest[..envelope.digest_bytes]);
    if form == Form::Reduced {
        head[OWN_DIGEST].copy_from_slice(&own[..OWN_DIGEST.len()]);
    }
    Ok(digest)
}

/// Links a record made by [`encode_body`] into the chain after `previous`. Returns the
/// checksum for the next record to continue.
pub(crate) fn chain_to(
    bytes: &mut [u8],
    seq: u64,
    digest: &[u8; 32],
    previous: &[u8; 32],
) -> [u8; 32] {
    let version = bytes[0];
    let kind = u16::from_le_bytes([bytes[2], bytes[3]]);
    let checksum = chain(previous, version, kind, seq, digest);
    bytes[CHECKSUM].copy_from_slice(&checksum);
    checksum
}

/// A complete record that follows `previous` in the chain.
pub(crate) fn encode(
    seq: u64,
    kind: EventKind,
    record: &Record<'_>,
    previous: &[u8; 32],
) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(256 + record.content.len());
    let digest = encode_body(&mut bytes, kind, record)?;
    chain_to(&mut bytes, seq, &digest, previous);
    Ok(bytes)
}

/// A record of which only names and time were ever stored here.
pub(crate) fn encode_bare(
    seq: u64,
    kind: EventKind,
    names: &Record<'_>,
    previous: &[u8; 32],
) -> Result<Vec<u8>> {
    erase(seq, &encode(seq, kind, names, previous)?, &|_, _| false)
}

/// The erased form of a record: the envelope with its digest and checksum, so that the
/// chain still holds, and otherwise only the names that point to it (id and citation), its
/// time and, if `keeps_dedupe` says so, the hash of its dedupe key.
pub(crate) fn erase(
    seq: u64,
    bytes: &[u8],
    keeps_dedupe: &dyn Fn(EventKind, &Record<'_>) -> bool,
) -> Result<Vec<u8>> {
    let view = RecordView::new(seq, bytes)?;
    let record = view.archive()?;
    let bare = Record {
        dedupe: record.dedupe.filter(|_| keeps_dedupe(view.kind, &record)),
        id: record.id,
        timestamp_ms: record.timestamp_ms,
        origin: record.origin,
        citation: record.citation,
        foreign: record.foreign,
        ..Record::default()
    };
    let (digest, checksum) = (view.digest(), view.checksum());
    encode_left(view.kind, &bare, Form::Erased, &digest, &checksum)
}

/// The remaining content of a partly erased record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remainder {
    pub(crate) session: String,
    pub(crate) content: String,
    /// A JSON object.
    pub(crate) metadata: String,
}

/// The reduced form of a record: the remaining content in place of its texts, without the
/// salt and the dedupe key, which belong to the whole.
pub(crate) fn reduce(seq: u64, bytes: &[u8], left: &Remainder) -> Result<Vec<u8>> {
    let view = RecordView::new(seq, bytes)?;
    let record = view.archive()?;
    let bare = Record {
        id: record.id,
        timestamp_ms: record.timestamp_ms,
        origin: record.origin,
        session: Text(&left.session),
        project: record.project,
        actor: record.actor,
        citation: record.citation,
        content: Text(&left.content),
        metadata: Some(Text(&left.metadata)),
        foreign: record.foreign,
        ..Record::default()
    };
    let (digest, checksum) = (view.digest(), view.checksum());
    encode_left(view.kind, &bare, Form::Reduced, &digest, &checksum)
}

/// Encodes a record from what an erasure left of it: for [`erase`], [`reduce`], and
/// restoring a log.
pub(crate) fn encode_left(
    kind: EventKind,
    left: &Record<'_>,
    form: Form,
    digest: &[u8; 32],
    checksum: &[u8; 32],
) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(256);
    put_record(&mut out, kind, left, form, Some(digest))?;
    out[CHECKSUM].copy_from_slice(checksum);
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
        let record = self.access::<ArchivedRecordV1<'static>>()?;
        let content = text(&record.content);
        let privacy = match record.privacy.as_ref() {
            Some(report) => report.report(),
            None => nothing_filtered(&content),
        };
        Ok(Record {
            salt: record.salt,
            id: record.id,
            timestamp_ms: record.timestamp_ms.to_native(),
            origin: record.origin,
            session: text(&record.session),
            project: text(&record.project),
            actor: text(&record.actor),
            citation: text(&record.citation),
            content,
            metadata: record.metadata.as_ref().map(|json| text(json)),
            tool: record.tool.as_ref().map(|tool| tool.fields()),
            privacy,
            dedupe: (record.dedupe != [0; 16]).then_some(record.dedupe),
            foreign: record.foreign.as_ref().map(|foreign| foreign.fields()),
        })
    }

    fn access<T>(&self) -> Result<&'a T>
    where
        T: rkyv::Portable
            + for<'c> rkyv::bytecheck::CheckBytes<rkyv::api::high::HighValidator<'c, rancor::Error>>,
    {
        rkyv::access::<T, rancor::Error>(self.archive_bytes())
            .map_err(|_| corrupt(self.seq, "is malformed"))
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

#[cfg(test)]
mod tests {
    use crate::model::event::Origin;
    use crate::store::log::record::*;

    fn sample() -> Record<'static> {
        Record {
            salt: [7; 16],
            id: [9; 16],
            timestamp_ms: 1_769_781_900_000,
            origin: Origin::User as u8,
            session: Text("s1"),
            project: Text("p"),
            actor: Text("user"),
            citation: Text("a7Bc3x"),
            content: Text("벡터 검색! 🎉"),
            metadata: Some(Text("{\"a\":1}")),
            tool: Some(ToolFields {
                name: Text("Bash"),
                metadata: Text("{}"),
                ..ToolFields::default()
            }),
            privacy: PrivacyReport {
                secret_count: 1,
                original_bytes: 40,
                filtered_bytes: 18,
                ..PrivacyReport::default()
            },
            dedupe: Some([3; 16]),
            foreign: Some(Foreign {
                store: [5; 16],
                position: 1 << 40,
                stamp_ms: -3,
                citation: Text("b8Cd4y"),
            }),
        }
    }

    #[test]
    fn an_erased_record_keeps_its_place_in_the_chain_and_nothing_of_the_text() {
        let kind = EventKind::UserPrompt;
        let stored = encode(1, kind, &sample(), &CHAIN_START).unwrap();
        let before = RecordView::new(1, &stored).unwrap();
        let bytes = erase(1, &stored, &|_, _| false).unwrap();
        let view = RecordView::new(1, &bytes).unwrap();
        assert!(view.is_erased() && view.continues(&CHAIN_START));
        assert_eq!(view.checksum(), before.checksum());
        assert_eq!(view.digest(), before.digest());
        assert_eq!(view.archive().unwrap().foreign, sample().foreign);
        let event = view.to_event().unwrap();
        assert_eq!(event.id.as_bytes(), &[9; 16]);
        assert_eq!(event.citation.as_str(), "a7Bc3x");
        assert!(event.content.is_empty() && event.session.is_empty() && event.tool.is_none());
        for secret in ["벡터".as_bytes(), b"Bash", b"s1", &[7; 16], &[3; 16]] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret));
        }
        assert_eq!(
            erase(1, &bytes, &|_, _| true).unwrap(),
            bytes,
            "erasing twice is erasing"
        );
    }

    #[test]
    fn a_reduced_record_keeps_its_place_and_what_is_left() {
        let left = Remainder {
            session: "other".into(),
            content: "the rest".into(),
            metadata: "{\"b\":2}".into(),
        };
        let kind = EventKind::Accessed;
        let stored = encode(1, kind, &sample(), &CHAIN_START).unwrap();
        let bytes = reduce(1, &stored, &left).unwrap();
        let view = RecordView::new(1, &bytes).unwrap();
        assert!(view.is_reduced() && !view.is_erased() && view.continues(&CHAIN_START));
        let event = view.to_event().unwrap();
        assert_eq!(
            (event.session.as_str(), event.content.as_str()),
            ("other", "the rest")
        );
        assert_eq!(event.metadata.unwrap().as_str(), "{\"b\":2}");
        for secret in ["벡터".as_bytes(), b"Bash", b"s1", &[7; 16], &[3; 16]] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret));
        }
        for at in OWN_DIGEST.end..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            let view = RecordView::new(1, &broken).unwrap();
            assert!(view.archive().is_err(), "byte {at}");
        }
        let erased = erase(1, &bytes, &|_, _| true).unwrap();
        assert_eq!(erased, erase(1, &stored, &|_, _| false).unwrap());
    }

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let kind = EventKind::UserPrompt;
        for record in [
            sample(),
            Record {
                privacy: nothing_filtered(&sample().content),
                tool: None,
                metadata: None,
                dedupe: None,
                foreign: None,
                ..sample()
            },
        ] {
            let stored = encode(1, kind, &record, &CHAIN_START).unwrap();
            let view = RecordView::new(1, &stored).unwrap();
            let back = view.archive().unwrap();
            assert_eq!(back, record);
            assert_eq!(view.to_event().unwrap().canonical_key, "벡터 검색");
            assert!(view.continues(&CHAIN_START));
            assert!(!view.continues(&[1; 32]));
        }
    }

    #[test]
    fn records_that_share_a_buffer_are_each_whole() {
        let mut buffer = Vec::new();
        let mut starts = Vec::new();
        for content in ["first", "두 번째", ""] {
            starts.push(buffer.len());
            let record = Record {
                content: Text(content),
                ..sample()
            };
            encode_body(&mut buffer, EventKind::UserPrompt, &record).unwrap();
        }
        starts.push(buffer.len());
        for (cut, content) in starts.windows(2).zip(["first", "두 번째", ""]) {
            let view = RecordView::new(1, &buffer[cut[0]..cut[1]]).unwrap();
            assert_eq!(view.archive().unwrap().content.as_str(), content);
        }
    }

    #[test]
    fn every_flipped_bit_is_an_error_or_breaks_the_chain() {
        let stored = encode(3, EventKind::UserPrompt, &sample(), &[5; 32]).unwrap();
        for at in 0..stored.len() {
            for bit in 0..8 {
                let mut bytes = stored.clone();
                bytes[at] ^= 1 << bit;
                let intact = RecordView::new(3, &bytes)
                    .and_then(|view| view.to_event().map(|_| view.continues(&[5; 32])));
                // Only unused flag bits may go unnoticed.
                assert!(
                    at == 1 || !matches!(intact, Ok(true)),
                    "byte {at} bit {bit}"
                );
            }
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let kind = EventKind::UserPrompt;
        let stored = encode(1, kind, &sample(), &CHAIN_START).unwrap();
        for length in 0..stored.len() {
            assert!(RecordView::new(1, &stored[..length]).is_err());
        }
    }
}
