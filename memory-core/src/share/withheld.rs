//! Decides what a store keeps to itself: records of withheld sessions and projects, and
//! what the library recorded elsewhere about them.

use std::collections::HashMap;

use serde_json::Value;

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::ids::{CitationId, EventId, parse_citation};
use crate::privacy::check_name;
use crate::projection::pauses::{self, PauseScope};
use crate::projection::{entries, rows, tasks};
use crate::rules::endless::ConsolidatedMemory;
use crate::rules::entries::EntryId;
use crate::rules::history::Conflict;
use crate::rules::tasks::EntityId;
use crate::store::ReadTx;
use crate::store::record::Record;
use crate::store::tombstone::is_tombstone;
use crate::write::prepare::kept_name;

/// A memory made of memories made of events: nothing is derived more deeply.
const MOST_STEPS: u32 = 4;

/// Answers whether a record is withheld.
pub(super) struct Withheld<'a> {
    read: &'a ReadTx,
    is_any: bool,
    /// By scope and name.
    names: HashMap<(PauseScope, String), bool>,
    /// By the name of a session: whether its project is withheld.
    sessions: HashMap<String, bool>,
    /// By the id of an event, entry, task and so on.
    things: HashMap<String, bool>,
}

impl<'a> Withheld<'a> {
    pub(super) fn new(read: &'a ReadTx) -> Result<Self> {
        Ok(Withheld {
            read,
            is_any: read.withholds()?,
            names: HashMap::new(),
            sessions: HashMap::new(),
            things: HashMap::new(),
        })
    }

    /// Whether a record stays here: its session or project is withheld, or it refers to
    /// something that is. Orders belong to neither.
    pub(super) fn keeps(&mut self, kind: EventKind, record: &Record<'_>) -> Result<bool> {
        if !self.is_any || is_tombstone(kind) {
            return Ok(false);
        }
        if self.is_of_withheld(record.session.as_str(), record.project.as_str())? {
            return Ok(true);
        }
        if !is_said(kind) && self.is_of_withheld_session(record.session.as_str())? {
            return Ok(true);
        }
        // Conversation events are judged by what they belong to, whatever they mention.
        if kind.is_conversation() {
            return Ok(false);
        }
        let payload = record
            .metadata
            .and_then(|json| serde_json::from_str(json.as_str()).ok());
        match payload {
            Some(payload) => self.names_withheld(&payload, MOST_STEPS),
            None => Ok(false),
        }
    }

    fn is_of_withheld(&mut self, session: &str, project: &str) -> Result<bool> {
        Ok(
            (!session.is_empty() && self.is_withheld(PauseScope::Session, session)?)
                || self.is_withheld(PauseScope::Project, project)?,
        )
    }

    /// Whether a session belongs to a withheld project. What the library records about a
    /// session names the project of whoever asked for it, which may be another one.
    fn is_of_withheld_session(&mut self, session: &str) -> Result<bool> {
        if session.is_empty() {
            return Ok(false);
        }
        if let Some(known) = self.sessions.get(session) {
            return Ok(*known);
        }
        let is_withheld = match self.read.session_project(session)? {
            Some(project) => self.is_withheld(PauseScope::Project, &project)?,
            None => false,
        };
        self.sessions.insert(session.to_owned(), is_withheld);
        Ok(is_withheld)
    }

    fn is_withheld(&mut self, scope: PauseScope, name: &str) -> Result<bool> {
        let key = (scope, name.to_owned());
        if let Some(known) = self.names.get(&key) {
            return Ok(*known);
        }
        let hash = hash_of(self.read.secret(), scope, name);
        let is_withheld = self.read.is_withheld(&hash)?;
        self.names.insert(key, is_withheld);
        Ok(is_withheld)
    }

    /// Whether a value contains the name of something that is withheld.
    fn names_withheld(&mut self, value: &Value, steps: u32) -> Result<bool> {
        match value {
            Value::String(name) => self.is_about_withheld(name, steps),
            Value::Array(items) => self.any(items.iter(), steps),
            Value::Object(fields) => self.any(fields.values(), steps),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(false),
        }
    }

    fn any<'v>(&mut self, values: impl Iterator<Item = &'v Value>, steps: u32) -> Result<bool> {
        for value in values {
            if self.names_withheld(value, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_about_withheld(&mut self, name: &str, steps: u32) -> Result<bool> {
        // No id is longer, and none contains blanks.
        if steps == 0 || name.is_empty() || name.len() > 128 || name.contains(' ') {
            return Ok(false);
        }
        if let Some(known) = self.things.get(name) {
            return Ok(*known);
        }
        self.things.insert(name.to_owned(), false);
        let is_withheld = self.is_withheld_thing(name, steps - 1)?;
        self.things.insert(name.to_owned(), is_withheld);
        Ok(is_withheld)
    }

    fn is_withheld_thing(&mut self, name: &str, steps: u32) -> Result<bool> {
        if let Some(seq) = self.event_named(name)? {
            return self.is_withheld_record(seq);
        }
        let projected = self.read.projected()?;
        if let Some(entry) = entries::entry(&projected, &EntryId::new(name))? {
            return Ok(self.is_of_withheld(&entry.session, &entry.project)?
                || self.is_of_withheld_session(&entry.session)?);
        }
        if let Some(task) = tasks::task(&projected, &EntityId::new(name))?
            && self.is_withheld(PauseScope::Project, &task.project)?
        {
            return Ok(true);
        }
        if let Some(first) = tasks::history(&projected, name)?.first() {
            return self.is_withheld_record(*first);
        }
        if let Some(memory) = rows::get::<ConsolidatedMemory>(&projected, name.as_bytes())? {
            let sources = memory.source_events.into_iter().map(Value::String);
            return self.names_withheld(&Value::Array(sources.collect()), steps);
        }
        if let Some(conflict) = rows::get::<Conflict>(&projected, name.as_bytes())? {
            let conflict = crate::model::codec::to_value(&conflict);
            return self.names_withheld(&conflict, steps);
        }
        Ok(false)
    }

    fn event_named(&self, name: &str) -> Result<Option<u64>> {
        if let Ok(id) = name.parse::<EventId>() {
            return self.read.seq_of(&id.into());
        }
        match parse_citation(name).filter(|_| name.starts_with("mem:")) {
            Some(citation) => self.read.seq_of(&CitationId::from_checked(citation).into()),
            None => Ok(None),
        }
    }

    fn is_withheld_record(&mut self, seq: u64) -> Result<bool> {
        let of = self.read.with_record(seq, |view| {
            let record = view.archive()?;
            let is_said = is_said(view.kind());
            Ok((
                record.session.to_string(),
                record.project.to_string(),
                is_said,
            ))
        })?;
        match of {
            Some((session, project, is_said)) => Ok(self.is_of_withheld(&session, &project)?
                || (!is_said && self.is_of_withheld_session(&session)?)),
            None => Ok(false),
        }
    }
}

/// Whether records of this kind are said in a session, and belong to the project they name.
/// What is recorded about a session belongs to that of the session as well.
fn is_said(kind: EventKind) -> bool {
    kind.is_conversation() && kind != EventKind::SessionSummary
}

/// The hash by which a withheld session or project is looked up.
pub(crate) fn hash_of(secret: &[u8; 32], scope: PauseScope, name: &str) -> String {
    pauses::key(
        &blake3::derive_key("recallite 2026 withheld", secret),
        scope,
        name,
    )
}

/// [`Sharing::withhold`](crate::Sharing::withhold) and
/// [`Sharing::offer`](crate::Sharing::offer).
pub(crate) fn set_withheld(
    engine: &Engine,
    scope: PauseScope,
    name: &str,
    is_withheld: bool,
) -> Result<bool> {
    if scope == PauseScope::Session && name.trim().is_empty() {
        return Err(Error::invalid("name", "must not be empty or blank"));
    }
    check_name("name", name)?;
    let name = kept_name(engine, name)?;
    let hash = hash_of(engine.store.read()?.secret(), scope, &name);
    engine.store.write(|tx| tx.set_withheld(&hash, is_withheld))
}

/// [`Sharing::is_withheld`](crate::Sharing::is_withheld).
pub(crate) fn is_withheld(engine: &Engine, scope: PauseScope, name: &str) -> Result<bool> {
    let name = kept_name(engine, name)?;
    let read = engine.store.read()?;
    read.is_withheld(&hash_of(read.secret(), scope, &name))
}
