//! The fold of pins: which events a user keeps in sight.

use serde_json::{Value, json};

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::ids::EventId;
use crate::model::time::Timestamp;
use crate::projection::rows;
use crate::store::projected::{ProjectedMut, RowKind, Rows};

/// Folds the pinning of events, or that they are pinned no more.
pub(crate) fn fold(rows: &mut ProjectedMut<'_>, event: &Event, payload: &Value) -> Result<()> {
    for pin in payload["pins"].as_array().into_iter().flatten() {
        let (Some(id), Some(is_pinned)) = (pin["event_id"].as_str(), pin["pinned"].as_bool())
        else {
            continue;
        };
        if !rows.next_part() || rows.live_seq(id)?.is_none() {
            continue;
        }
        if is_pinned {
            let row = json!({"at": event.timestamp.millis()});
            rows::put(rows, RowKind::Pin, id.as_bytes(), &row)?;
        } else {
            rows.remove(RowKind::Pin, id.as_bytes())?;
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

/// What is pinned and since when, the latest first.
pub(crate) fn all(rows: &dyn Rows) -> Result<Vec<(EventId, Timestamp)>> {
    let mut pins = Vec::new();
    rows.scan(RowKind::Pin, &[], None, &mut |key, row| {
        if let Ok(id) = String::from_utf8_lossy(key).parse::<EventId>() {
            let at = rows::decode(RowKind::Pin, row)?["at"].as_i64().unwrap_or(0);
            pins.push((id, Timestamp::from_millis_clamped(at)));
        }
        Ok(true)
    })?;
    pins.sort_by_key(|&(id, at)| std::cmp::Reverse((at, id)));
    Ok(pins)
}
