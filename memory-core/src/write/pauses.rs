//! Pauses the recording of a session or project, in the store and therefore for every
//! process.

use crate::engine::Engine;
use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::event::{Event, EventKind};
use crate::model::lists::LIST_LIMIT;
use crate::model::time::Timestamp;
use crate::privacy::check_name;
use crate::projection::endless::SettingPayload;
use crate::projection::pauses::PausePayload;
use crate::projection::{self, pauses};
use crate::store::ReadTx;
use crate::store::log::append::Draft;
use crate::store::projected_rows::projected::Rows;
use crate::write::prepare::{SystemEvent, kept_name};
use crate::write::transcript::PARENT_SESSION;

pub use crate::projection::pauses::PauseScope;

/// A session or a project whose recording is paused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// Whether it is a session or a project.
    pub scope: PauseScope,
    /// Its name; empty if everything in it has been erased since.
    pub name: String,
    /// When it was paused.
    pub paused_at: Timestamp,
}

/// [`Pauses::pause`](crate::Pauses::pause) and [`Pauses::resume`](crate::Pauses::resume).
pub(crate) fn set(engine: &Engine, scope: PauseScope, name: &str, is_paused: bool) -> Result<bool> {
    if scope == PauseScope::Session && name.trim().is_empty() {
        return Err(Error::invalid("name", "must not be empty or blank"));
    }
    check_name("name", name)?;
    let name = kept_name(engine, name)?;
    let key = pauses::key(engine.store.read()?.secret(), scope, &name);
    let payload = codec::to_value(&SettingPayload {
        pauses: vec![PausePayload {
            scope,
            key: key.clone(),
            name,
            paused: is_paused,
        }],
        ..SettingPayload::default()
    });
    let word = if is_paused {
        "recording paused"
    } else {
        "recording resumed"
    };
    let draft = SystemEvent::new(engine, EventKind::SettingChanged, word, payload).draft(engine);
    engine.store.write(|tx| {
        if pauses::is_paused(&tx.projected()?, &key)? == is_paused {
            return Ok(false);
        }
        projection::append(tx, &[draft])?;
        Ok(true)
    })
}

/// The error for learning from a session or project that is paused.
pub(crate) fn refusal(paused: PauseScope) -> Error {
    let argument = match paused {
        PauseScope::Session => "session",
        PauseScope::Project => "project",
    };
    Error::invalid(argument, "recording is paused for it; resume it first")
}

/// What must not be paused for something to be learned: a session and a project.
pub(crate) struct PauseKeys(Vec<(PauseScope, String)>);

impl PauseKeys {
    /// The names are as stored.
    pub(crate) fn new(read: &ReadTx, session: Option<&str>, project: &str) -> Self {
        PauseKeys::with_secret(read.secret(), session, project)
    }

    pub(crate) fn with_secret(secret: &[u8; 32], session: Option<&str>, project: &str) -> Self {
        let session = session.map(|session| (PauseScope::Session, session));
        let names = session.into_iter().chain([(PauseScope::Project, project)]);
        let key = |(scope, name)| (scope, pauses::key(secret, scope, name));
        PauseKeys(names.map(key).collect())
    }

    /// The keys of something to be stored, with that of the session that started its own.
    pub(crate) fn of_draft(secret: &[u8; 32], draft: &Draft) -> Self {
        let mut keys = PauseKeys::with_secret(secret, Some(&draft.event.session), &draft.project);
        let metadata = draft.event.metadata.as_ref();
        if let Some(parent) = metadata.and_then(|metadata| parent_session(metadata.as_str())) {
            let scope = PauseScope::Session;
            keys.0.push((scope, pauses::key(secret, scope, &parent)));
        }
        keys
    }

    /// The same and these projects.
    pub(crate) fn and_projects<'n>(
        mut self,
        read: &ReadTx,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let key = |name| pauses::key(read.secret(), PauseScope::Project, name);
        self.0
            .extend(names.map(|name| (PauseScope::Project, key(name))));
        self
    }

    /// Which of them is paused, if any. What is learned is written in the transaction that
    /// asks: another process may pause recording at any time.
    pub(crate) fn paused(&self, rows: &dyn Rows) -> Result<Option<PauseScope>> {
        for (scope, key) in &self.0 {
            if pauses::is_paused(rows, key)? {
                return Ok(Some(*scope));
            }
        }
        Ok(None)
    }
}

/// The session that an event's metadata names as the one that started its own: what a subagent does
/// belongs to a conversation, too.
pub(super) fn parent_session(metadata: &str) -> Option<String> {
    if !metadata.contains(PARENT_SESSION) {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(metadata).ok()?;
    let name = value[PARENT_SESSION].as_str()?;
    (!name.trim().is_empty()).then(|| name.to_owned())
}

/// Whether the session or the project of an event is paused: nothing new is learned from it then.
pub(crate) fn is_event_paused(rows: &dyn Rows, secret: &[u8; 32], event: &Event) -> Result<bool> {
    let keys = PauseKeys::with_secret(secret, Some(&event.session), &event.project);
    Ok(keys.paused(rows)?.is_some())
}

/// [`Pauses::list`](crate::Pauses::list).
pub(crate) fn list(engine: &Engine, limit: Option<usize>) -> Result<Vec<Pause>> {
    let read = engine.store.read()?;
    let mut found = pauses::all(&read.projected()?)?;
    found.sort_by(|a, b| (a.at, a.scope, &a.name).cmp(&(b.at, b.scope, &b.name)));
    found.truncate(limit.unwrap_or(LIST_LIMIT));
    Ok(found
        .into_iter()
        .map(|row| Pause {
            scope: row.scope,
            name: row.name,
            paused_at: row.at,
        })
        .collect())
}
