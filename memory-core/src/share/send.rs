//! Builds batches: this store's own signed records after a position.

use std::collections::HashMap;

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::event::Origin;
use crate::model::hex::hex;
use crate::model::ids::EventId;
use crate::model::sharing::SharedBatch;
use crate::share::keys::{Signer, signer, with_keys};
use crate::share::lines::{self, Answer, BatchHeader, SharedRecord, SharedTool};
use crate::share::order::order_metadata;
use crate::share::withheld::Withheld;
use crate::share::{RECORDS_PER_THREAD, is_shared};
use crate::store::ReadTx;
use crate::store::database::checked::ReadOnlyTable;
use crate::store::log::record::{Record, RecordView, Text};
use crate::store::log::tombstone::is_tombstone;
use crate::store::shared::record_order::RecordOrders;
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::threads::in_threads;

/// Maximum number of records in a batch.
const MAX_BATCH: usize = lines::MAX_RECORDS as usize;
/// A batch ends with the record that brings its texts to this many bytes.
const BATCH_BYTES: usize = 4 << 20;
/// A batch with a fixed end has more only if something in between is shared that was not before.
const MAX_BATCH_BYTES: usize = 64 << 20;
/// Maximum number of positions examined for one batch, however few are sent.
const LOOKED_AT: u64 = 100_000;

/// Which batch to make.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// The position after which it starts.
    pub(crate) from: u64,
    /// The position up to which nothing is known to be shared.
    pub(crate) nothing_until: u64,
    /// Its last position; without it, the batch ends once it is long enough. It is not reached if
    /// a batch cannot hold that much.
    pub(crate) through: Option<u64>,
    /// Maximum number of records in a batch without a fixed end.
    pub(crate) limit: usize,
    /// Whether it says how far this store has come with the orders of others, if it reaches the end
    /// or has no records. Without that, the same records give the same batch until withheld ones are
    /// offered again.
    pub(crate) says_how_far: bool,
}

/// [`Sharing::batch_since`](crate::Sharing::batch_since).
pub(crate) fn batch_since(engine: &Engine, position: u64, limit: usize) -> Result<SharedBatch> {
    if limit > MAX_BATCH {
        return Err(Error::invalid(
            "limit",
            format_args!("must be at most {MAX_BATCH}"),
        ));
    }
    let last = engine.store.read()?.state()?.last_seq;
    if position > last {
        return Err(too_far(position, last));
    }
    batch(
        engine,
        &Wanted {
            from: position,
            limit,
            says_how_far: true,
            ..Wanted::default()
        },
    )
}

fn too_far(position: u64, last: u64) -> Error {
    Error::invalid(
        "position",
        format_args!("must be at most {last}, the last position of this store, not {position}"),
    )
}

/// [`Sharing::log_checksum`](crate::Sharing::log_checksum).
pub(crate) fn log_checksum(read: &ReadTx, position: u64) -> Result<String> {
    if position == 0 {
        return Ok(hex(&[0; 32]));
    }
    let checksum = read.with_record(position, |view| Ok(hex(&view.checksum())))?;
    let last = read.state()?.last_seq;
    checksum.ok_or_else(|| too_far(position, last))
}

/// The shared records of the requested positions.
///
/// # Errors
/// `corrupt` or `io`.
pub(crate) fn batch(engine: &Engine, wanted: &Wanted) -> Result<SharedBatch> {
    let signer = signer(engine)?;
    let read = engine.store.read()?;
    let log_end = read.state()?.last_seq;
    let last = wanted.through.map_or(log_end, |end| end.min(log_end));
    let start = wanted.from.max(wanted.nothing_until).min(last);
    let mut sending = Sending {
        read: &read,
        orders: read.record_orders()?,
        withheld: Withheld::new(&read)?,
    };
    let mut records = Vec::new();
    let (mut through, mut bytes) = (start, 0);
    let (most, most_bytes, most_positions) = match wanted.through {
        Some(_) => (MAX_BATCH, MAX_BATCH_BYTES, u64::MAX),
        None => (wanted.limit, BATCH_BYTES, LOOKED_AT),
    };
    while through < last {
        if records.len() >= most || bytes >= most_bytes || through - start >= most_positions {
            break;
        }
        through += 1;
        if let Some(record) = sending.record(through)? {
            bytes += record.text_len();
            records.push(record);
        }
    }
    let sign = |share: &[SharedRecord]| -> Vec<String> {
        share
            .iter()
            .map(|record| record.signed_by(&signer))
            .collect()
    };
    let signatures = in_threads(&records, RECORDS_PER_THREAD, sign);
    for (record, signature) in records.iter_mut().zip(signatures.into_iter().flatten()) {
        record.signature = signature;
    }
    let has_more = through < last;
    // More batches follow one that does not reach the end.
    let answers = match wanted.says_how_far && (!has_more || wanted.limit == 0) {
        true => answers(engine, &read, &signer)?,
        false => Vec::new(),
    };
    let header = BatchHeader {
        from: wanted.from,
        through,
        offers: read.offers(&read.store_key()?)?,
        ..BatchHeader::default()
    };
    Ok(SharedBatch {
        lines: lines::write(&signer, header, &answers, &records)?,
        records: records.len() as u64,
        through,
        has_more,
    })
}

/// [`Sharing::retraction_mark`](crate::Sharing::retraction_mark).
pub(crate) fn retraction_mark(read: &ReadTx) -> Result<String> {
    let state = read.state()?;
    let mut hasher = blake3::Hasher::new();
    // An erased event may have been hidden before: one of the two counts grows either way.
    hasher.update(&state.forgotten_events.to_le_bytes());
    hasher.update(&state.erased_events.to_le_bytes());
    hasher.update(&read.withheld_hash()?);
    // What a record is about depends on the projects of sessions, and on later edges.
    hasher.update(&read.regroupings()?.to_le_bytes());
    // Every file says how often something was offered again.
    hasher.update(&read.offers(&read.store_key()?)?.to_le_bytes());
    Ok(hex(&hasher.finalize().as_bytes()[..16]))
}

/// The header of a store: a batch without records that says how often it has offered again what it
/// had withheld.
pub(super) fn offers(read: &ReadTx, signer: &Signer, answers: &[Answer]) -> Result<String> {
    let header = BatchHeader {
        offers: read.offers(&signer.store)?,
        ..BatchHeader::default()
    };
    lines::write(signer, header, answers, &[])
}

/// How far this store has come with the erasures of each store that ordered some.
pub(super) fn answers(engine: &Engine, read: &ReadTx, signer: &Signer) -> Result<Vec<Answer>> {
    let open = read.record_orders_of(&read.orders_to_erase()?)?;
    let declined_changes = read.declined_changes(&read.store_key()?)?;
    let mut answers = Vec::new();
    for (key, member) in with_keys(read)? {
        // A store that ordered nothing expects no answer.
        let Some(last) = read.last_ordered_erasure(&key)? else {
            continue;
        };
        let own = open.iter().filter(|order| order.store == key);
        let first_open = own.map(|order| order.position).min();
        // What else such a store sends changes no answer.
        let received = read.received(&key)?.min(last);
        answers.push(Answer {
            answer_to: member.identity,
            carried_out: first_open.map_or(received, |first| received.min(first - 1)),
            declined: read.declined(&key)?,
            declined_changes,
            signature: String::new(),
        });
    }
    sign(engine, signer, &mut answers);
    Ok(answers)
}

/// Signs answers. There may be one to each of many members, and most are the same each time: only those
/// that have changed are signed again.
fn sign(engine: &Engine, signer: &Signer, answers: &mut [Answer]) {
    let public = signer.public_key();
    let mut known = engine.signed_answers.lock();
    let mut signed = HashMap::with_capacity(answers.len());
    for answer in answers {
        let bytes = answer.to_be_signed(&public);
        let hash = *blake3::hash(&bytes).as_bytes();
        let signature = known.remove(&hash).unwrap_or_else(|| signer.sign(&bytes));
        answer.signature.clone_from(&signature);
        signed.insert(hash, signature);
    }
    *known = signed;
}

struct Sending<'a> {
    read: &'a ReadTx,
    orders: RecordOrders<ReadOnlyTable<u64, i64>>,
    withheld: Withheld<'a>,
}

impl Sending<'_> {
    /// A record in the form to be signed; `None` if it stays local.
    fn record(&mut self, seq: u64) -> Result<Option<SharedRecord>> {
        if self.read.is_hidden(seq)? {
            return Ok(None);
        }
        let shared = self.read.with_record(seq, |view| {
            if view.is_erased() || !is_shared(view.kind()) {
                return Ok(None);
            }
            let record = view.archive()?;
            match record.foreign.is_some() || self.withheld.keeps(view.kind(), &record)? {
                true => Ok(None),
                false => self.shared_record(view, &record),
            }
        })?;
        Ok(shared.flatten())
    }

    fn shared_record(
        &self,
        view: &RecordView<'_>,
        record: &Record<'_>,
    ) -> Result<Option<SharedRecord>> {
        let read = self.read;
        let place = self.orders.of(view.seq(), record)?;
        let text = |text: &Text<'_>| text.as_str().to_owned();
        let metadata = match is_tombstone(view.kind()) {
            true => match order_metadata(read, place.position, record)? {
                Some(metadata) => Some(metadata),
                None => return Ok(None),
            },
            false => record.metadata.as_ref().map(text),
        };
        let content = record.content.as_str();
        let origin = Origin::from_number(record.origin).unwrap_or(Origin::System);
        Ok(Some(SharedRecord {
            position: place.position,
            stamp: place.stamp_ms,
            kind: view.kind().as_str().to_owned(),
            id: EventId::from_bytes(record.id).to_string(),
            citation: text(&record.citation),
            timestamp: record.timestamp_ms,
            origin: origin.as_str().to_owned(),
            session: text(&record.session),
            project: text(&record.project),
            actor: text(&record.actor),
            content: content.to_owned(),
            metadata,
            tool: record.tool.as_ref().map(|tool| SharedTool {
                name: text(&tool.name),
                input: tool.input.as_ref().map(text),
                output: text(&tool.output),
                duration_ms: tool.duration_ms,
                success: tool.success,
                error: tool.error.as_ref().map(text),
                prompt_index: tool.prompt_index,
                tool_index: tool.tool_index,
                metadata: text(&tool.metadata),
            }),
            privacy: record.privacy.figures(),
            signature: String::new(),
        }))
    }
}
