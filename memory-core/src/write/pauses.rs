//! Recording is paused for a session or a project: the store says so to every process.

use serde_json::json;

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::privacy::check_name;
use crate::projection::{self, pauses};
use crate::write::prepare::{SystemEvent, kept_name};

pub use crate::projection::pauses::PauseScope;

/// A session or a project whose recording is paused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// Whether it is a session or a project.
    pub scope: PauseScope,
    /// Its name; empty when everything of it was erased since.
    pub name: String,
    /// Since when.
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
    let payload = json!({"pauses": [{
        "scope": scope.as_str(),
        "key": key,
        "name": name,
        "paused": is_paused,
    }]});
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

/// [`Pauses::list`](crate::Pauses::list).
pub(crate) fn list(engine: &Engine) -> Result<Vec<Pause>> {
    let read = engine.store.read()?;
    let mut found = pauses::all(&read.projected()?)?;
    found.sort_by(|a, b| (a.2, a.0, &a.1).cmp(&(b.2, b.0, &b.1)));
    Ok(found
        .into_iter()
        .map(|(scope, name, paused_at)| Pause {
            scope,
            name,
            paused_at,
        })
        .collect())
}
