//! The fold of accesses and levels: how an event was used, and how far it rose.

use serde_json::{Value, json};

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::projection::rows;
use crate::rules::levels::{AccessMetrics, Insight, Level};
use crate::store::projected::{ProjectedMut, RowKind, Rows};

/// More accesses than this of one batch are counted as this many.
const MOST_PER_BATCH: u64 = 100_000;

/// How an event was used; `None` when it never was.
pub(crate) fn access(rows: &dyn Rows, event_id: &str) -> Result<Option<AccessMetrics>> {
    rows::get_typed(
        rows,
        RowKind::Access,
        event_id.as_bytes(),
        AccessMetrics::from_json,
    )
}

/// How far an event rose.
pub(crate) fn level(rows: &dyn Rows, event_id: &str) -> Result<Level> {
    Ok(rows::get(rows, RowKind::Level, event_id.as_bytes())?
        .and_then(|row| row["level"].as_str()?.parse().ok())
        .unwrap_or(Level::L0))
}

/// The key under which an event lies at its level.
pub(crate) fn level_key(level: Level, event_id: &str) -> Vec<u8> {
    let mut key = vec![level as u8];
    key.extend_from_slice(event_id.as_bytes());
    key
}

/// Folds a batch of accesses. What was forgotten meanwhile is passed over.
pub(crate) fn fold_accessed(rows: &mut ProjectedMut<'_>, payload: &Value) -> Result<()> {
    for item in payload["accesses"].as_array().into_iter().flatten() {
        let (Some(id), Some(session)) = (item["event_id"].as_str(), item["session"].as_str())
        else {
            continue;
        };
        let at = Timestamp::from_millis_clamped(item["at"].as_i64().unwrap_or(0));
        let count = item["count"].as_u64().unwrap_or(1).min(MOST_PER_BATCH);
        let confidence = item["confidence"].as_f64().unwrap_or(0.0).clamp(0.0, 1.0);
        if !rows.next_part() {
            continue;
        }
        let Some(seq) = rows.live_seq(id)? else {
            continue;
        };
        let home = item["home_session"].as_str().unwrap_or_default();
        let mut metrics = access(rows, id)?.unwrap_or_else(|| AccessMetrics::new(home));
        for _ in 0..count {
            metrics.record(session, confidence, at);
        }
        rows.put(
            RowKind::Access,
            id.as_bytes(),
            metrics.to_json().as_str().as_bytes(),
        )?;
        rows.put(RowKind::LevelDue, id.as_bytes(), &[])?;
        crate::projection::endless::refresh(rows, seq, at)?;
    }
    for item in payload["memories"].as_array().into_iter().flatten() {
        if let Some(id) = item["memory_id"].as_str()
            && rows.next_part()
        {
            let at = item["at"].as_i64().unwrap_or(0);
            crate::projection::endless::memory_accessed(rows, id, at)?;
        }
    }
    Ok(())
}

/// Folds a move to another level, or an insight that was found.
pub(crate) fn fold_level(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
) -> Result<()> {
    for insight in payload["insights"].as_array().into_iter().flatten() {
        if rows.next_part() {
            fold_insight(rows, event, insight)?;
        }
    }
    for step in payload["levels"].as_array().into_iter().flatten() {
        let (Some(id), Some(to)) = (
            step["event_id"].as_str(),
            step["to"].as_str().and_then(|to| to.parse::<Level>().ok()),
        ) else {
            continue;
        };
        if !rows.next_part() || rows.live_seq(id)?.is_none() {
            continue;
        }
        let old = level(rows, id)?;
        rows.remove(RowKind::LevelOf, &level_key(old, id))?;
        let row = json!({"level": to.as_str(), "promoted_at": event.timestamp.millis()});
        rows::put(rows, RowKind::Level, id.as_bytes(), &row)?;
        rows.put(RowKind::LevelOf, &level_key(to, id), &[])?;
    }
    Ok(())
}

fn fold_insight(rows: &mut ProjectedMut<'_>, event: &Event, insight: &Value) -> Result<()> {
    let Some(key) = insight["key"].as_str() else {
        return Ok(());
    };
    for source in rows::strings(&insight["sources"]) {
        // What it says came from the events; it goes with them.
        if rows.live_seq(&source)?.is_none() {
            return Ok(());
        }
    }
    let mut row = insight.clone();
    row["at"] = event.timestamp.millis().into();
    rows::put(rows, RowKind::Insight, key.as_bytes(), &row)
}

/// An insight as the log keeps it.
pub(crate) fn insight_payload(insight: &Insight) -> Value {
    json!({
        "insight_type": insight.kind.as_str(),
        "key": insight.key,
        "content": insight.content,
        "confidence": insight.confidence,
        "sources": insight.sources,
    })
}

/// Reads an insight back.
pub(crate) fn insight_from(json: &Json) -> Result<Insight> {
    let value = json.to_value();
    let root = crate::model::read::Element::root("insight", &value);
    Ok(Insight {
        kind: root.required("insight_type")?.parse()?,
        key: root.required("key")?.string()?,
        content: root.required("content")?.string()?,
        confidence: root.required("confidence")?.unit()?,
        sources: root.strings("sources")?,
    })
}
