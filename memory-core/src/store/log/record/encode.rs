//! Writes records: as they are first stored, and what an erasure leaves of them.

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::store::log::record::archive::{Record, Text, put_archive};
use crate::store::log::record::layout::{CHECKSUM, Envelope, Form, OWN_DIGEST, VERSION, chain};
use crate::store::log::record::view::RecordView;

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
        dedupe: record.dedupe.filter(|_| keeps_dedupe(view.kind(), &record)),
        id: record.id,
        timestamp_ms: record.timestamp_ms,
        origin: record.origin,
        citation: record.citation,
        foreign: record.foreign,
        ..Record::default()
    };
    let (digest, checksum) = (view.digest(), view.checksum());
    encode_left(view.kind(), &bare, Form::Erased, &digest, &checksum)
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
    encode_left(view.kind(), &bare, Form::Reduced, &digest, &checksum)
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
