//! Library records that arrive after an erasure and refer to what is erased: their author made them
//! before it knew of the erasure. They are found when they arrive, and
//! [`erase_ordered`](crate::Sharing::erase_ordered) takes the erased part out of them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::ids::EventId;
use crate::projection::{entries, rows, tasks};
use crate::rules::endless::ConsolidatedMemory;
use crate::rules::entries::EntryId;
use crate::rules::history::Conflict;
use crate::share::incoming::Incoming;
use crate::store::projected_rows::projected::Rows;
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::provenance::made_by;

/// Visits every string in a value that may be an id, except `own`.
fn each_id(
    value: &Value,
    own: Option<&str>,
    visit: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<()> {
    match value {
        // No id is longer, and none contains blanks.
        Value::String(text) if text.is_empty() || text.len() > 128 || text.contains(' ') => Ok(()),
        Value::String(text) if own == Some(text.as_str()) => Ok(()),
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().try_for_each(|item| each_id(item, own, visit)),
        Value::Object(fields) => fields
            .values()
            .try_for_each(|field| each_id(field, own, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn payload(incoming: &Incoming) -> Option<(EventKind, Value)> {
    let event = &incoming.draft.draft.event;
    let metadata = event.metadata.as_ref()?;
    let payload = serde_json::from_str(metadata.as_str()).ok()?;
    (!event.kind.is_conversation()).then_some((event.kind, payload))
}

/// Whether a record that has just arrived refers to something erased.
pub(super) fn is_late(tx: &WriteTx<'_>, incoming: &Incoming) -> Result<bool> {
    let Some((kind, payload)) = payload(incoming) else {
        return Ok(false);
    };
    let mut is_late = false;
    each_id(&payload, made_by(kind, &payload), &mut |id| {
        let event = match id.parse::<EventId>() {
            Ok(event) if !is_late => tx.seq_of_id(&event)?,
            _ => None,
        };
        is_late =
            is_late || event.map_or(Ok(false), |seq| is_erased_at(tx, seq))? || tx.is_gone(id)?;
        Ok(())
    })?;
    Ok(is_late)
}

/// Whether the record at a position was erased; not one that came with no more than its names,
/// because it was to be forgotten.
pub(super) fn is_erased_at(tx: &WriteTx<'_>, seq: u64) -> Result<bool> {
    Ok(match tx.tombstone_of(seq)? {
        Some(tombstone) if tx.is_erased(seq)? => tx.kind_at(tombstone)? == Some(EventKind::Erased),
        _ => false,
    })
}

/// Notes what a record that is erased before it is stored would have made.
pub(super) fn note_refused(tx: &mut WriteTx<'_>, incoming: &Incoming) -> Result<()> {
    match payload(incoming) {
        Some((kind, payload)) => made_by(kind, &payload).map_or(Ok(()), |id| tx.note_gone(id)),
        None => Ok(()),
    }
}

/// The ids of erased things to which library records from a position on refer.
pub(super) fn erased_ids(read: &ReadTx, from: u64) -> Result<BTreeSet<String>> {
    let rows = read.projected()?;
    let mut found = BTreeSet::new();
    for seq in from..=read.state()?.last_seq {
        let payload = read.with_record(seq, |view| {
            let kind = view.kind();
            if kind.is_conversation() || view.is_erased() {
                return Ok(None);
            }
            let metadata = view.archive()?.metadata;
            let payload: Option<Value> =
                metadata.and_then(|json| serde_json::from_str(json.as_str()).ok());
            Ok(payload.map(|payload| (kind, payload)))
        })?;
        let Some((kind, payload)) = payload.flatten() else {
            continue;
        };
        each_id(&payload, made_by(kind, &payload), &mut |id| {
            if !found.contains(id) && is_erased(read, &rows, id)? {
                found.insert(id.to_owned());
            }
            Ok(())
        })?;
    }
    Ok(found)
}

fn is_erased(read: &ReadTx, rows: &dyn Rows, id: &str) -> Result<bool> {
    if let Ok(event) = id.parse::<EventId>()
        && let Some(seq) = read.seq_of(&event.into())?
        && read.with_record(seq, |view| Ok(view.is_erased()))? == Some(true)
        && let Some(tombstone) = read.tombstone_of(seq)?
        && read.with_record(tombstone, |view| Ok(view.kind()))? == Some(EventKind::Erased)
    {
        return Ok(true);
    }
    Ok(read.is_gone(id)? && !is_there(rows, id)?)
}

/// Whether something has this id: it may have been made again.
fn is_there(rows: &dyn Rows, id: &str) -> Result<bool> {
    let key = id.as_bytes();
    Ok(entries::entry(rows, &EntryId::new(id))?.is_some()
        || tasks::entity_kind(rows, id)?.is_some()
        || rows::get::<ConsolidatedMemory>(rows, key)?.is_some()
        || rows::get::<Conflict>(rows, key)?.is_some())
}
