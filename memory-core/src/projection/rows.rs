//! Rows as typed values, keys made of parts, and the payloads of events. Which kind of
//! row holds which type is in [`row_types`](super::row_types).

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::Event;
use crate::model::json::Json;
use crate::store::projected::{ProjectedMut, RowKind, Rows};

/// What rows of a kind hold. How it is kept is declared with serde on the type.
pub(crate) trait Row: Serialize + DeserializeOwned {
    /// The kind of the rows.
    const KIND: RowKind;
}

/// How far a step of the upkeep has come: a position, or a time in milliseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Cursor(pub(crate) i64);

/// What a system event says, as checked JSON: null when it says nothing.
pub(crate) fn payload(event: &Event) -> Json {
    event
        .metadata
        .clone()
        .unwrap_or_else(|| Json::from_value(&Value::Null))
}

/// A row that does not say what this library writes there.
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

/// Stores a row.
pub(crate) fn put<R: Row>(rows: &mut ProjectedMut<'_>, key: &[u8], row: &R) -> Result<()> {
    rows.put(R::KIND, key, codec::to_text(row).as_bytes())
}

/// Reads the bytes of a row.
pub(crate) fn read<R: Row>(row: &[u8]) -> Result<R> {
    let text = std::str::from_utf8(row).map_err(|error| broken(R::KIND, error))?;
    codec::from_text("row", text).map_err(|error| broken(R::KIND, error.message()))
}

/// Visits the rows of a kind below a prefix, until `visit` says false.
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
