//! Folds pauses: the sessions and projects that are not recorded.
//!
//! They are keyed by a hash of the name, so that a pause outlives the erasure of everything
//! in a session, its name included.

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::read::words;
use crate::model::time::Timestamp;
use crate::projection::insights_due;
use crate::projection::rows::{self, Row};
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// The prefix of a pause's key among the settings.
pub(super) const PREFIX: &str = "paused/";

words! {
    /// What is paused or withheld: a session or a project.
    ScopeKind ("scope") {
        /// One conversation.
        Session = "session",
        /// Everything in one project; the empty name means what has no project.
        Project = "project",
    }
}

/// The key of the pause of a session or project: a hash with the store's secret, so that it
/// confirms no guess of an erased name.
pub(crate) fn key(secret: &[u8; 32], scope: ScopeKind, name: &str) -> String {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(b"pause\0");
    hasher.update(scope.as_str().as_bytes());
    hasher.update(&[0]);
    hasher.update(name.as_bytes());
    hasher.finalize().to_hex().as_str()[..32].to_owned()
}

/// The start or end of a pause.
#[derive(Serialize, Deserialize)]
pub(crate) struct PausePayload {
    pub(crate) scope: ScopeKind,
    #[serde(deserialize_with = "codec::text")]
    pub(crate) key: String,
    /// Empty if everything with this name was erased since.
    pub(crate) name: String,
    pub(crate) paused: bool,
}

/// What is paused, and since when.
#[derive(Serialize, Deserialize)]
pub(crate) struct PauseRow {
    pub(crate) scope: ScopeKind,
    pub(crate) name: String,
    pub(crate) at: Timestamp,
}

impl Row for PauseRow {
    const KIND: RowKind = RowKind::Setting;
}

/// Folds the start and end of pauses.
pub(crate) fn fold(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    pauses: Vec<PausePayload>,
) -> Result<()> {
    for pause in pauses {
        let place = format!("{PREFIX}{}", pause.key);
        if pause.paused {
            let (scope, name, at) = (pause.scope, pause.name, event.timestamp);
            rows::put(rows, place.as_bytes(), &PauseRow { scope, name, at })?;
        } else {
            rows.remove(RowKind::Setting, place.as_bytes())?;
            // While it lasted, what was said there gave none.
            insights_due::note(rows, event.seq.0)?;
        }
    }
    Ok(())
}

/// Whether a full key is one of a pause.
pub(super) fn is_key(key: &[u8]) -> bool {
    key.split_first().is_some_and(|(row_kind, name)| {
        *row_kind == RowKind::Setting as u8 && name.starts_with(PREFIX.as_bytes())
    })
}

/// Whether the session or project with this key is paused.
pub(crate) fn is_paused(rows: &dyn Rows, key: &str) -> Result<bool> {
    let place = format!("{PREFIX}{key}");
    Ok(rows.get(RowKind::Setting, place.as_bytes())?.is_some())
}

/// The hash by which a withheld session or project is looked up.
pub(crate) fn withheld_hash(secret: &[u8; 32], scope: ScopeKind, name: &str) -> String {
    key(
        &blake3::derive_key("recallite 2026 withheld", secret),
        scope,
        name,
    )
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

/// Everything that is paused.
pub(crate) fn all(rows: &dyn Rows) -> Result<Vec<PauseRow>> {
    let mut found = Vec::new();
    rows::scan(rows, PREFIX.as_bytes(), &mut |_, row| {
        found.push(row);
        Ok(true)
    })?;
    Ok(found)
}

/// How much is paused.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PauseCounts {
    pub(crate) sessions: u64,
    pub(crate) projects: u64,
}

/// How many sessions and projects are paused.
pub(crate) fn counts(rows: &dyn Rows) -> Result<PauseCounts> {
    let mut counts = PauseCounts::default();
    rows::scan(rows, PREFIX.as_bytes(), &mut |_, row: PauseRow| {
        match row.scope {
            ScopeKind::Session => counts.sessions += 1,
            ScopeKind::Project => counts.projects += 1,
        }
        Ok(true)
    })?;
    Ok(counts)
}
