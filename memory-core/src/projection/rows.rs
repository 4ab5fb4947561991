//! Reading and writing rows as JSON values, keys made of parts, and the
//! payloads of events.

use serde_json::Value;

use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::Event;
use crate::model::json::Json;
use crate::store::projected::{ProjectedMut, RowKind, Rows};

/// What a system event says: its metadata, or null when there is none.
pub(crate) fn payload(event: &Event) -> Value {
    event.metadata.as_ref().map_or(Value::Null, Json::to_value)
}

/// The payload as checked JSON, for typed readers.
pub(crate) fn payload_json(event: &Event) -> Json {
    event
        .metadata
        .clone()
        .unwrap_or_else(|| Json::from_value(&Value::Null))
}

/// A row that does not say what this library writes there.
pub(crate) fn broken(row_kind: RowKind, problem: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("a {row_kind:?} row of the projections cannot be read ({problem}); run rebuild()"),
    )
}

pub(crate) fn get(rows: &dyn Rows, row_kind: RowKind, key: &[u8]) -> Result<Option<Value>> {
    rows.get(row_kind, key)?
        .map(|row| decode(row_kind, &row))
        .transpose()
}

pub(crate) fn decode(row_kind: RowKind, row: &[u8]) -> Result<Value> {
    serde_json::from_slice(row).map_err(|error| broken(row_kind, error))
}

pub(crate) fn put(
    rows: &mut ProjectedMut<'_>,
    row_kind: RowKind,
    key: &[u8],
    row: &Value,
) -> Result<()> {
    rows.put(row_kind, key, codec::to_text(row).as_bytes())
}

/// Reads a row by a type's own reader.
pub(crate) fn get_typed<T>(
    rows: &dyn Rows,
    row_kind: RowKind,
    key: &[u8],
    read: impl Fn(&Json) -> Result<T>,
) -> Result<Option<T>> {
    rows.get(row_kind, key)?
        .map(|row| typed(row_kind, &row, &read))
        .transpose()
}

pub(crate) fn typed<T>(
    row_kind: RowKind,
    row: &[u8],
    read: impl Fn(&Json) -> Result<T>,
) -> Result<T> {
    let text = std::str::from_utf8(row).map_err(|error| broken(row_kind, error))?;
    read(&Json::from_checked(text.to_owned())).map_err(|error| broken(row_kind, error.message()))
}

/// Every row of a kind below a prefix, read by a type's own reader.
pub(crate) fn all<T>(
    rows: &dyn Rows,
    row_kind: RowKind,
    prefix: &[u8],
    read: impl Fn(&Json) -> Result<T>,
) -> Result<Vec<T>> {
    let mut out = Vec::new();
    rows.scan(row_kind, prefix, None, &mut |_, row| {
        out.push(typed(row_kind, row, &read)?);
        Ok(true)
    })?;
    Ok(out)
}

/// Names with a NUL between them: none holds one itself.
pub(crate) fn joined(parts: &[&str]) -> Vec<u8> {
    parts.join("\0").into_bytes()
}

/// A number that sorts the other way round.
pub(crate) fn newest_first(number: u64) -> [u8; 8] {
    (!number).to_be_bytes()
}

/// A time that sorts the newest first; flipping the sign bit makes the byte
/// order of times before 1970 right.
pub(crate) fn time_newest_first(at: crate::model::time::Timestamp) -> [u8; 8] {
    newest_first((at.millis() as u64) ^ (1 << 63))
}

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value[name].as_str()
}

pub(crate) fn strings(value: &Value) -> Vec<String> {
    value.as_array().map_or_else(Vec::new, |items| {
        items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    })
}

/// Reads a row of any kind as its readers do, and lets it go.
#[cfg(test)]
pub(crate) fn check(row_kind: RowKind, row: &[u8]) -> Result<()> {
    use crate::projection::{edges, endless, entries, levels, memories};
    use crate::rules::history::{BuildRun, Conflict, Decision, PipelineMetric, PromotionRecord};
    use crate::rules::tasks::{Artifact, Condition, Task};

    match row_kind {
        RowKind::Task => typed(row_kind, row, Task::from_json).map(drop),
        RowKind::Condition => typed(row_kind, row, Condition::from_json).map(drop),
        RowKind::Artifact => typed(row_kind, row, Artifact::from_json).map(drop),
        RowKind::Entry => entries::read(&decode(row_kind, row)?).map(drop),
        RowKind::Edge => edges::read_row(&decode(row_kind, row)?).map(drop),
        RowKind::BuildRun => typed(row_kind, row, BuildRun::from_json).map(drop),
        RowKind::Decision => typed(row_kind, row, Decision::from_json).map(drop),
        RowKind::Conflict => typed(row_kind, row, Conflict::from_json).map(drop),
        RowKind::Promotion => typed(row_kind, row, PromotionRecord::from_json).map(drop),
        RowKind::Metric => typed(row_kind, row, PipelineMetric::from_json).map(drop),
        RowKind::Placeholder => typed(row_kind, row, memories::placeholder_from).map(drop),
        RowKind::Resolution => typed(row_kind, row, memories::resolution_from).map(drop),
        RowKind::Access => typed(
            row_kind,
            row,
            crate::rules::levels::AccessMetrics::from_json,
        )
        .map(drop),
        RowKind::Insight => typed(row_kind, row, levels::insight_from).map(drop),
        RowKind::Working => typed(row_kind, row, endless::item_from).map(drop),
        RowKind::Consolidated => typed(row_kind, row, endless::memory_from).map(drop),
        RowKind::Continuity => typed(row_kind, row, endless::continuity_from).map(drop),
        _ => Ok(()),
    }
}
