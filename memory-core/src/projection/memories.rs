//! Folds uncertain memories: placeholders for missing context, and the answers to questions
//! about a memory.

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::projection::rows;
use crate::rules::entries::{MemoryResolution, Placeholder, ResolutionKind};
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// The payload of an event about an uncertain memory.
pub(crate) enum MemoryPayload {
    Placeholder(PlaceholderPayload),
    Resolution(ResolutionPayload),
}

/// Missing context.
#[derive(Serialize, Deserialize)]
pub(crate) struct PlaceholderPayload {
    /// The event that lacks context.
    #[serde(deserialize_with = "codec::text")]
    placeholder_of: String,
    #[serde(deserialize_with = "codec::text")]
    id: String,
    r#type: String,
    auto_placeholder: bool,
}

impl PlaceholderPayload {
    /// Marks an event as lacking context.
    pub(crate) fn new(event_id: &str) -> Self {
        PlaceholderPayload {
            placeholder_of: event_id.to_owned(),
            id: format!("placeholder_{event_id}"),
            r#type: Placeholder::TYPE.to_owned(),
            auto_placeholder: true,
        }
    }
}

/// What an uncertain memory means.
#[derive(Serialize, Deserialize)]
pub(crate) struct ResolutionPayload {
    /// The uncertain memory.
    #[serde(deserialize_with = "codec::text")]
    pub(crate) condition_id: String,
    pub(crate) resolved_to: Option<String>,
    #[serde(rename = "resolution_type")]
    pub(crate) kind: ResolutionKind,
    #[serde(deserialize_with = "codec::unit")]
    pub(crate) confidence: f64,
}

/// Missing context and its time.
#[derive(Serialize, Deserialize)]
pub(crate) struct PlaceholderRow {
    #[serde(flatten)]
    payload: PlaceholderPayload,
    at: Timestamp,
}

impl From<PlaceholderRow> for Placeholder {
    fn from(row: PlaceholderRow) -> Self {
        Placeholder {
            id: row.payload.id,
            event_id: row.payload.placeholder_of,
            created_at: row.at,
        }
    }
}

impl MemoryPayload {
    /// Reads either of the two, told apart by a field that only a placeholder has.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub(super) fn of(name: &str, payload: &Json) -> Result<Self> {
        let value = payload.to_value();
        Ok(match value["placeholder_of"].is_null() {
            true => MemoryPayload::Resolution(codec::from_value(name, &value)?),
            false => MemoryPayload::Placeholder(codec::from_value(name, &value)?),
        })
    }
}

/// Folds an answer, or a placeholder.
pub(crate) fn fold(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: MemoryPayload,
) -> Result<()> {
    let at = event.timestamp;
    let said = match payload {
        MemoryPayload::Placeholder(payload) => {
            let event_id = payload.placeholder_of.clone();
            if rows.live_seq(&event_id)?.is_some() {
                rows::put(rows, event_id.as_bytes(), &PlaceholderRow { payload, at })?;
            }
            return Ok(());
        }
        MemoryPayload::Resolution(said) => said,
    };
    let row = MemoryResolution {
        condition_id: said.condition_id,
        resolved_to: said.resolved_to,
        kind: said.kind,
        confidence: said.confidence,
        resolved_at: at,
    };
    let memory = row.condition_id.as_bytes();
    rows::put(rows, memory, &row)?;
    if row.kind != ResolutionKind::Pending {
        rows.remove(RowKind::Placeholder, memory)?;
    }
    Ok(())
}

/// The latest answer about a memory.
pub(crate) fn resolution(rows: &dyn Rows, memory: &str) -> Result<Option<MemoryResolution>> {
    rows::get(rows, memory.as_bytes())
}
