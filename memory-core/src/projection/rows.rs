//! Typed access to rows: values, composite keys, and event payloads.
//! [`row_types`](super::row_types) maps kinds to types.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::Event;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// The value of a row; serde on the type defines how it is stored.
pub(crate) trait Row: Serialize + DeserializeOwned {
    /// The kind of the rows.
    const KIND: RowKind;
}

/// The progress of an upkeep step: a position, or a time in milliseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Cursor(pub(crate) i64);

impl Cursor {
    /// A position of the log.
    pub(crate) fn at(seq: u64) -> Self {
        Cursor(i64::try_from(seq).unwrap_or(i64::MAX))
    }
}

/// The payload of a system event as checked JSON; null if it has none.
pub(crate) fn payload(event: &Event) -> Json {
    event
        .metadata
        .clone()
        .unwrap_or_else(|| Json::from_value(&Value::Null))
}

/// The error for a row that this library cannot have written.
pub(crate) fn broken(row_kind: RowKind, problem: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("cannot read a {row_kind:?} projection row ({problem}); run rebuild()"),
    )
}

/// The row under a key.
pub(crate) fn get<R: Row>(rows: &dyn Rows, key: &[u8]) -> Result<Option<R>> {
    rows.get(R::KIND, key)?.map(|row| read(&row)).transpose()
}

/// The length of a time in the key of a list.
pub(crate) const TIME_BYTES: usize = 8;

/// Visits the rows that are listed under keys with a prefix, in the order of the keys, until `visit`
/// returns false. The key of the row itself begins at `from`.
pub(crate) fn each_listed<R: Row>(
    rows: &dyn Rows,
    list: RowKind,
    prefix: &[u8],
    from: usize,
    visit: &mut dyn FnMut(R) -> Result<bool>,
) -> Result<()> {
    rows.scan(list, prefix, None, &mut |key, _| match get(
        rows,
        key.get(from..).unwrap_or_default(),
    )? {
        Some(row) => visit(row),
        None => Ok(true),
    })
}

/// Replaces the keys under which a row is listed.
pub(crate) fn list_anew(
    rows: &mut ProjectedMut<'_>,
    old: Option<Vec<(RowKind, Vec<u8>)>>,
    new: &[(RowKind, Vec<u8>)],
) -> Result<()> {
    for key in old.into_iter().flatten().filter(|key| !new.contains(key)) {
        rows.remove(key.0, &key.1)?;
    }
    for (list, key) in new {
        rows.put(*list, key, &[])?;
    }
    Ok(())
}

/// Stores a row.
pub(crate) fn put<R: Row>(rows: &mut ProjectedMut<'_>, key: &[u8], row: &R) -> Result<()> {
    rows.put(R::KIND, key, codec::to_text(row).as_bytes())
}

/// Reads the bytes of a row.
pub(crate) fn read<R: Row>(row: &[u8]) -> Result<R> {
    let text = std::str::from_utf8(row).map_err(|error| broken(R::KIND, error))?;
    codec::from_text("row", text).map_err(|error| broken(R::KIND, error.message()))
}

/// Visits the rows of a kind under a prefix until `visit` returns false.
pub(crate) fn scan<R: Row>(
    rows: &dyn Rows,
    prefix: &[u8],
    visit: &mut dyn FnMut(&[u8], R) -> Result<bool>,
) -> Result<()> {
    rows.scan(R::KIND, prefix, None, &mut |key, row| {
        visit(key, read(row)?)
    })
}

/// Every row of a kind.
pub(crate) fn all<R: Row>(rows: &dyn Rows) -> Result<Vec<R>> {
    let mut out = Vec::new();
    scan(rows, &[], &mut |_, row| {
        out.push(row);
        Ok(true)
    })?;
    Ok(out)
}

/// Joins names with NUL, which none of them contains.
pub(crate) fn joined(parts: &[&str]) -> Vec<u8> {
    parts.join("\0").into_bytes()
}

/// The start of a key in a list that is kept once for everything (`None`) and once for each project.
pub(crate) fn in_project(project: Option<&str>) -> Vec<u8> {
    match project {
        None => vec![0],
        Some(project) => [&[1], project.as_bytes(), &[0]].concat(),
    }
}

/// A number that sorts in descending order.
pub(crate) fn newest_first(number: u64) -> [u8; 8] {
    (!number).to_be_bytes()
}

/// A time that sorts newest first.
pub(crate) fn time_newest_first(at: Timestamp) -> [u8; 8] {
    newest_first(sortable(at))
}

/// A time that sorts oldest first.
pub(crate) fn time_oldest_first(at: Timestamp) -> [u8; 8] {
    sortable(at).to_be_bytes()
}

/// Flipping the sign bit orders times before 1970 correctly.
fn sortable(at: Timestamp) -> u64 {
    (at.millis() as u64) ^ (1 << 63)
}
