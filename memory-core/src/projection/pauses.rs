//! The fold of pauses: the sessions and projects of which nothing is recorded.
//!
//! They are found by a hash of their names, so that a pause outlives the erasure of all
//! that was said in a session, its name included.

use serde_json::{Value, json};

use crate::model::error::Result;
use crate::model::read::words;
use crate::model::time::Timestamp;
use crate::projection::rows;
use crate::store::projected::{ProjectedMut, RowKind, Rows};

/// What stands before the key of a pause among the settings.
const PREFIX: &str = "paused/";

words! {
    /// What a pause of recording is for.
    PauseScope ("scope") {
        /// One conversation.
        Session = "session",
        /// Everything in one project; the empty name is what has no project.
        Project = "project",
    }
}

/// The key by which the pause of a session or project is found: a hash with the store's
/// secret, so that it confirms no guess of a name that was erased.
pub(crate) fn key(secret: &[u8; 32], scope: PauseScope, name: &str) -> String {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(b"pause\0");
    hasher.update(scope.as_str().as_bytes());
    hasher.update(&[0]);
    hasher.update(name.as_bytes());
    hasher.finalize().to_hex().as_str()[..32].to_owned()
}

/// Folds pauses that begin and end.
pub(crate) fn fold(rows: &mut ProjectedMut<'_>, payload: &Value, at: Timestamp) -> Result<()> {
    for pause in payload["pauses"].as_array().into_iter().flatten() {
        let (Some(key), Some(is_paused)) = (pause["key"].as_str(), pause["paused"].as_bool())
        else {
            continue;
        };
        let place = format!("{PREFIX}{key}");
        if is_paused {
            let row = json!({"scope": pause["scope"], "name": pause["name"], "at": at.millis()});
            rows::put(rows, RowKind::Setting, place.as_bytes(), &row)?;
        } else {
            rows.remove(RowKind::Setting, place.as_bytes())?;
        }
    }
    Ok(())
}

/// Whether what has this key is paused.
pub(crate) fn is_paused(rows: &dyn Rows, key: &str) -> Result<bool> {
    let place = format!("{PREFIX}{key}");
    Ok(rows.get(RowKind::Setting, place.as_bytes())?.is_some())
}

/// Whether anything is paused at all.
pub(crate) fn is_any(rows: &dyn Rows) -> Result<bool> {
    let mut is_any = false;
    rows.scan(RowKind::Setting, PREFIX.as_bytes(), None, &mut |_, _| {
        is_any = true;
        Ok(false)
    })?;
    Ok(is_any)
}

/// Everything that is paused: scope, name, and since when.
pub(crate) fn all(rows: &dyn Rows) -> Result<Vec<(PauseScope, String, Timestamp)>> {
    let mut found = Vec::new();
    rows.scan(RowKind::Setting, PREFIX.as_bytes(), None, &mut |_, row| {
        let row = rows::decode(RowKind::Setting, row)?;
        let scope = row["scope"].as_str().and_then(|scope| scope.parse().ok());
        if let Some(scope) = scope {
            let name = row["name"].as_str().unwrap_or_default().to_owned();
            let at = Timestamp::from_millis_clamped(row["at"].as_i64().unwrap_or(0));
            found.push((scope, name, at));
        }
        Ok(true)
    })?;
    Ok(found)
}
