//! What this store has for others: its own records behind a position, signed.

use std::collections::HashMap;
use std::ops::Range;

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::event::{Dedupe, EventKind, Origin};
use crate::model::ids::EventId;
use crate::model::sharing::SharedBatch;
use crate::projection::pauses::PauseScope;
use crate::share::is_shared;
use crate::share::keys::{Signer, public_key, signer, store_key};
use crate::share::lines::{self, BatchHeader, SharedRecord, SharedTool};
use crate::share::members::hash_of;
use crate::store::ReadTx;
use crate::store::append::dedupe_hash;
use crate::store::ordered::Collected;
use crate::store::origin::Rank;
use crate::store::record::{Record, RecordView, Text};
use crate::store::tombstone::{is_tombstone, named_ranges};

/// The most records of one batch.
const MAX_BATCH: usize = lines::MAX_RECORDS as usize;
/// A batch ends with the record whose text brings it to this many bytes.
const BATCH_BYTES: usize = 4 << 20;
/// So many positions are looked at for one batch at most, however few are sent.
const LOOKED_AT: u64 = 100_000;

/// Whether a batch tells how far this store has come with the others' records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// Records alone: the same whenever it is made, while they are.
    Records,
    /// Also up to where orders are carried out.
    HowFar,
}

/// [`Sharing::changes_since`](crate::Sharing::changes_since).
pub(crate) fn changes_since(
    engine: &Engine,
    position: u64,
    limit: usize,
    says: Says,
) -> Result<SharedBatch> {
    if limit == 0 || limit > MAX_BATCH {
        return Err(Error::invalid(
            "limit",
            format_args!("must be between 1 and {MAX_BATCH}"),
        ));
    }
    let signer = signer(engine)?;
    let read = engine.store.read()?;
    let last = read.state()?.last_seq;
    if position > last {
        return Err(Error::invalid(
            "position",
            format_args!("is {position}, and the last record of this store is {last}"),
        ));
    }
    let is_full = |records: usize, bytes: usize, looked_at: u64| {
        records >= limit || bytes >= BATCH_BYTES || looked_at >= LOOKED_AT
    };
    batch(&read, &signer, position..last, says, is_full)
}

/// The next batch for a file, which goes on where the last file ended: behind `from`.
/// Up to `nothing_until` nothing is shared.
///
/// # Errors
/// As [`changes_since`].
pub(crate) fn batch_from(
    engine: &Engine,
    from: u64,
    nothing_until: u64,
    limit: usize,
) -> Result<SharedBatch> {
    let signer = signer(engine)?;
    let read = engine.store.read()?;
    let last = read.state()?.last_seq;
    let start = nothing_until.max(from).min(last);
    let is_full = |records: usize, bytes: usize, looked_at: u64| {
        records >= limit || bytes >= BATCH_BYTES || looked_at >= LOOKED_AT
    };
    batch_of(&read, &signer, from, start..last, Says::Records, is_full)
}

/// The batch of exactly these positions: behind `from` and up to `through`.
///
/// # Errors
/// As [`changes_since`].
pub(crate) fn batch_through(
    engine: &Engine,
    from: u64,
    through: u64,
    says: Says,
) -> Result<SharedBatch> {
    let signer = signer(engine)?;
    let read = engine.store.read()?;
    let last = read.state()?.last_seq;
    batch(&read, &signer, from..through.min(last), says, |_, _, _| {
        false
    })
}

/// What is sent of the positions behind the start and up to the end, until `is_full`
/// says so of the records, their bytes and the positions that were looked at.
fn batch(
    read: &ReadTx,
    signer: &Signer,
    positions: Range<u64>,
    says: Says,
    is_full: impl Fn(usize, usize, u64) -> bool,
) -> Result<SharedBatch> {
    batch_of(read, signer, positions.start, positions, says, is_full)
}

/// As [`batch`]; the batch says that it begins behind `from`.
fn batch_of(
    read: &ReadTx,
    signer: &Signer,
    from: u64,
    positions: Range<u64>,
    says: Says,
    is_full: impl Fn(usize, usize, u64) -> bool,
) -> Result<SharedBatch> {
    let Range { start, end: last } = positions;
    let mut sending = Sending {
        read,
        signer,
        withheld: HashMap::new(),
    };
    let mut records = Vec::new();
    let (mut through, mut bytes) = (start, 0);
    while through < last && !is_full(records.len(), bytes, through - start) {
        through += 1;
        if let Some(record) = sending.record(through)? {
            bytes += record.content.len() + record.metadata.as_ref().map_or(0, String::len);
            bytes += record.tool.as_ref().map_or(0, |tool| tool.output.len());
            records.push(record);
        }
    }
    Ok(SharedBatch {
        lines: lines::write(
            signer,
            BatchHeader {
                from,
                through,
                carried_out: match says {
                    Says::Records => Vec::new(),
                    Says::HowFar => carried_out(read)?,
                },
                ..BatchHeader::default()
            },
            &records,
        )?,
        records: records.len() as u64,
        through,
        has_more: through < last,
    })
}

/// By identity, up to which position of each other store its orders are carried out.
fn carried_out(read: &ReadTx) -> Result<Vec<(String, u64)>> {
    let mut open = Vec::new();
    for seq in read.orders_to_erase()? {
        open.push(read.ranks_of(&[seq])?[0]);
    }
    let mut positions = Vec::new();
    for member in read.members()? {
        let key = store_key(&public_key("identity", &member.identity)?);
        let first_open = open
            .iter()
            .filter(|order| order.store == key)
            .map(|order| order.position)
            .min();
        let received = read.received(&key)?;
        let position = first_open.map_or(received, |first| received.min(first - 1));
        positions.push((member.identity, position));
    }
    Ok(positions)
}

struct Sending<'a> {
    read: &'a ReadTx,
    signer: &'a Signer,
    /// By scope and name, whether it is kept back.
    withheld: HashMap<(PauseScope, String), bool>,
}

impl Sending<'_> {
    /// A record as others get it; `None` for what stays here.
    fn record(&mut self, seq: u64) -> Result<Option<SharedRecord>> {
        if self.read.is_hidden(seq)? {
            return Ok(None);
        }
        let rank = self.read.ranks_of(&[seq])?[0];
        let shared = self.read.with_record(seq, |view| {
            if view.is_erased() || !is_shared(view.kind()) {
                return Ok(None);
            }
            let record = view.archive()?;
            if record.foreign.is_some() {
                return Ok(None);
            }
            let names = (record.session.to_string(), record.project.to_string());
            let shared = shared_record(self.read, view, &record, rank)?;
            Ok(shared.map(|shared| (names, shared)))
        })?;
        let Some(Some(((session, project), mut shared))) = shared else {
            return Ok(None);
        };
        let is_kept_back = (!session.is_empty()
            && self.is_withheld(PauseScope::Session, session)?)
            || (!is_order_name(&shared.kind) && self.is_withheld(PauseScope::Project, project)?);
        if is_kept_back {
            return Ok(None);
        }
        shared.sign(self.signer);
        Ok(Some(shared))
    }

    fn is_withheld(&mut self, scope: PauseScope, name: String) -> Result<bool> {
        if let Some(known) = self.withheld.get(&(scope, name.clone())) {
            return Ok(*known);
        }
        let hash = hash_of(self.read.secret(), scope, &name);
        let is_withheld = self.read.is_withheld(&hash)?;
        self.withheld.insert((scope, name), is_withheld);
        Ok(is_withheld)
    }
}

fn is_order_name(kind: &str) -> bool {
    kind.parse::<EventKind>().is_ok_and(is_tombstone)
}

fn shared_record(
    read: &ReadTx,
    view: &RecordView<'_>,
    record: &Record<'_>,
    rank: Rank,
) -> Result<Option<SharedRecord>> {
    let text = |text: &Text<'_>| text.as_str().to_owned();
    let metadata = match is_tombstone(view.kind()) {
        true => match order_metadata(read, rank.position, record)? {
            Some(metadata) => Some(metadata),
            None => return Ok(None),
        },
        false => record.metadata.as_ref().map(text),
    };
    let content = record.content.as_str();
    let by_content = dedupe_hash(read.secret(), &record.session, &Dedupe::Content, content);
    let privacy = &record.privacy;
    let origin = Origin::from_number(record.origin).unwrap_or(Origin::System);
    Ok(Some(SharedRecord {
        position: rank.position,
        stamp: rank.stamp_ms,
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
        privacy: [
            u64::from(privacy.private_count),
            u64::from(privacy.secret_count),
            u64::from(privacy.anonymized_count),
            privacy.original_bytes,
            privacy.filtered_bytes,
        ],
        by_content: record.dedupe.is_some() && record.dedupe == by_content,
        signature: String::new(),
    }))
}

/// What an order of this store says to others; `None` when it names nothing.
fn order_metadata(read: &ReadTx, seq: u64, record: &Record<'_>) -> Result<Option<String>> {
    let metadata = record.metadata.map(|json| json.as_str());
    let stays = metadata
        .and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok())
        .is_some_and(|json| json["stays"] == true);
    let Ok(ranges) = named_ranges(seq, record) else {
        return Ok(None);
    };
    if stays {
        // The limits of this store are no orders to others.
        return Ok(None);
    }
    let mut collected = Collected::default();
    for (from, to) in &ranges {
        for target in *from..=*to {
            let rank = read.ranks_of(&[target])?[0];
            collected.add(rank.store, rank.position);
        }
    }
    Ok((!ranges.is_empty()).then(|| collected.metadata()))
}
