//! Folds pins: which events a user keeps in sight.

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::ids::EventId;
use crate::model::time::Timestamp;
use crate::projection::rows;
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// The payload of an event about pins.
#[derive(Serialize, Deserialize)]
pub(crate) struct PinPayload {
    #[serde(default)]
    pub(crate) pins: Vec<PinItem>,
}

/// An event that is pinned or unpinned.
#[derive(Serialize, Deserialize)]
pub(crate) struct PinItem {
    #[serde(deserialize_with = "codec::text")]
    pub(crate) event_id: String,
    pub(crate) pinned: bool,
}

/// A pinned event.
#[derive(Serialize, Deserialize)]
pub(crate) struct PinRow {
    at: Timestamp,
}

/// Folds the pinning and unpinning of events.
pub(crate) fn fold(rows: &mut ProjectedMut<'_>, event: &Event, payload: &PinPayload) -> Result<()> {
    for pin in &payload.pins {
        if !rows.next_part() || rows.live_seq(&pin.event_id)?.is_none() {
            continue;
        }
        let key = pin.event_id.as_bytes();
        if pin.pinned {
            let at = event.timestamp;
            rows::put(rows, key, &PinRow { at })?;
        } else {
            rows.remove(RowKind::Pin, key)?;
        }
    }
    Ok(())
}

/// Whether an event is pinned.
pub(crate) fn is_pinned(rows: &dyn Rows, event_id: &str) -> Result<bool> {
    Ok(rows.get(RowKind::Pin, event_id.as_bytes())?.is_some())
}

/// How many events are pinned.
pub(crate) fn count(rows: &dyn Rows) -> Result<u64> {
    Ok(rows.facts(RowKind::Pin)?.rows)
}

/// The pinned events with their times, the latest first.
pub(crate) fn all(rows: &dyn Rows) -> Result<Vec<(EventId, Timestamp)>> {
    let mut pins = Vec::new();
    rows::scan(rows, &[], &mut |key, row: PinRow| {
        if let Ok(id) = String::from_utf8_lossy(key).parse::<EventId>() {
            pins.push((id, row.at));
        }
        Ok(true)
    })?;
    pins.sort_by_key(|&(id, at)| std::cmp::Reverse((at, id)));
    Ok(pins)
}
