//! Folds accesses and levels: how an event was used, and how far it rose.

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::time::Timestamp;
use crate::projection::{endless, insights_due, rows};
use crate::rules::levels::{AccessMetrics, Insight, Level};
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// A batch counts at most this many accesses.
const MAX_PER_BATCH: u64 = 100_000;

/// The payload of an event about accesses.
#[derive(Serialize, Deserialize)]
pub(crate) struct AccessPayload {
    #[serde(default)]
    pub(crate) accesses: Vec<Access>,
    #[serde(default)]
    pub(crate) memories: Vec<MemoryAccess>,
}

/// Records that an event was recalled.
#[derive(Serialize, Deserialize)]
pub(crate) struct Access {
    #[serde(deserialize_with = "codec::text")]
    pub(crate) event_id: String,
    /// The session that the event belongs to.
    #[serde(default)]
    pub(crate) home_session: String,
    /// The session that recalled it; empty if it was erased since.
    pub(crate) session: String,
    #[serde(default = "once")]
    pub(crate) count: u64,
    #[serde(default, deserialize_with = "codec::unit")]
    pub(crate) confidence: f64,
    /// The latest time.
    pub(crate) at: Timestamp,
}

fn once() -> u64 {
    1
}

/// Records that an agent was given a consolidated memory.
#[derive(Serialize, Deserialize)]
pub(crate) struct MemoryAccess {
    #[serde(deserialize_with = "codec::text")]
    pub(crate) memory_id: String,
    pub(crate) at: Timestamp,
}

/// The payload of an event about levels.
#[derive(Deserialize)]
pub(crate) struct LevelPayload {
    #[serde(default)]
    levels: Vec<LevelStep>,
    #[serde(default)]
    insights: Vec<Insight>,
}

/// A move to another level.
#[derive(Serialize, Deserialize)]
pub(crate) struct LevelStep {
    #[serde(deserialize_with = "codec::text")]
    pub(crate) event_id: String,
    pub(crate) from: Option<Level>,
    pub(crate) to: Level,
    #[serde(default)]
    pub(crate) reason: String,
}

/// How far an event rose, and when.
#[derive(Serialize, Deserialize)]
pub(crate) struct LevelRow {
    level: Level,
    promoted_at: Timestamp,
}

/// An insight and its time.
#[derive(Serialize, Deserialize)]
pub(crate) struct InsightRow {
    #[serde(flatten)]
    pub(crate) insight: Insight,
    pub(crate) at: Timestamp,
}

/// The usage of an event; `None` if it was never used.
pub(crate) fn access(rows: &dyn Rows, event_id: &str) -> Result<Option<AccessMetrics>> {
    rows::get(rows, event_id.as_bytes())
}

/// How far an event rose.
pub(crate) fn level(rows: &dyn Rows, event_id: &str) -> Result<Level> {
    let row: Option<LevelRow> = rows::get(rows, event_id.as_bytes())?;
    Ok(row.map_or(Level::L0, |row| row.level))
}

/// The key of an event under its level.
pub(crate) fn level_key(level: Level, event_id: &str) -> Vec<u8> {
    let mut key = vec![level as u8];
    key.extend_from_slice(event_id.as_bytes());
    key
}

/// Folds a batch of accesses. Events that were forgotten since are skipped.
pub(crate) fn fold_accessed(rows: &mut ProjectedMut<'_>, payload: &AccessPayload) -> Result<()> {
    for item in &payload.accesses {
        if !rows.next_part() {
            continue;
        }
        let id = item.event_id.as_str();
        let Some(seq) = rows.live_seq(id)? else {
            continue;
        };
        let home = item.home_session.as_str();
        let mut metrics = access(rows, id)?.unwrap_or_else(|| AccessMetrics::new(home));
        for _ in 0..item.count.min(MAX_PER_BATCH) {
            metrics.record(&item.session, item.confidence, item.at);
        }
        rows::put(rows, id.as_bytes(), &metrics)?;
        rows.put(RowKind::LevelDue, id.as_bytes(), &[])?;
        endless::refresh(rows, seq, item.confidence, item.at)?;
    }
    for item in &payload.memories {
        if rows.next_part() {
            endless::memory_accessed(rows, &item.memory_id, item.at)?;
        }
    }
    Ok(())
}

/// Folds a move to another level, or a new insight.
pub(crate) fn fold_level(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: LevelPayload,
) -> Result<()> {
    for insight in payload.insights {
        if rows.next_part() {
            fold_insight(rows, event, insight)?;
        }
    }
    for step in payload.levels {
        let id = step.event_id.as_str();
        if !rows.next_part() || rows.live_seq(id)?.is_none() {
            continue;
        }
        let old = level(rows, id)?;
        rows.remove(RowKind::LevelOf, &level_key(old, id))?;
        let row = LevelRow {
            level: step.to,
            promoted_at: event.timestamp,
        };
        rows::put(rows, id.as_bytes(), &row)?;
        rows.put(RowKind::LevelOf, &level_key(step.to, id), &[])?;
        insights_due::note(rows, event.seq.0)?;
    }
    Ok(())
}

fn fold_insight(rows: &mut ProjectedMut<'_>, event: &Event, insight: Insight) -> Result<()> {
    for source in &insight.sources {
        // An insight is derived from its events and goes with them.
        if rows.live_seq(source)?.is_none() {
            return Ok(());
        }
    }
    let key = insight.key.clone().into_bytes();
    let at = event.timestamp;
    rows::put(rows, &key, &InsightRow { insight, at })
}
