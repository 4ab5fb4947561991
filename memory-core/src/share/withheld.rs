//! Decides what a store keeps to itself: records of withheld sessions and projects, and
//! what the library recorded elsewhere about them.

use std::collections::HashMap;

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::privacy::check_name;
use crate::projection::about::{About, Subject};
use crate::projection::pauses::{self, ScopeKind};
use crate::store::ReadTx;
use crate::store::log::record::Record;
use crate::store::log::tombstone::is_tombstone;
use crate::store::shared::sharing_rows::SharingRows;
use crate::write::prepare::kept_name;

/// Answers whether a record is withheld.
pub(super) struct Withheld<'a> {
    read: &'a ReadTx,
    is_any: bool,
    known: HashMap<Subject, bool>,
    about: About<'a, ReadTx>,
}

impl<'a> Withheld<'a> {
    pub(super) fn new(read: &'a ReadTx) -> Result<Self> {
        Ok(Withheld {
            read,
            is_any: read.withholds()?,
            known: HashMap::new(),
            about: About::new(read)?,
        })
    }

    /// Whether a record stays here: its session or project is withheld, or it refers to
    /// something that is. Orders belong to neither.
    pub(super) fn keeps(&mut self, kind: EventKind, record: &Record<'_>) -> Result<bool> {
        if !self.is_any || is_tombstone(kind) {
            return Ok(false);
        }
        let own = (ScopeKind::Project, record.project.to_string());
        if self.is_withheld(own)? {
            return Ok(true);
        }
        for subject in self.about.record(kind, record)? {
            if self.is_withheld(subject)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_withheld(&mut self, subject: Subject) -> Result<bool> {
        if let Some(known) = self.known.get(&subject) {
            return Ok(*known);
        }
        let hash = pauses::withheld_hash(self.read.secret(), subject.0, &subject.1);
        let is_withheld = self.read.is_withheld(&hash)?;
        self.known.insert(subject, is_withheld);
        Ok(is_withheld)
    }
}

/// [`Sharing::withhold`](crate::Sharing::withhold) and
/// [`Sharing::offer`](crate::Sharing::offer).
pub(crate) fn set_withheld(
    engine: &Engine,
    scope: ScopeKind,
    name: &str,
    is_withheld: bool,
) -> Result<bool> {
    if scope == ScopeKind::Session && name.trim().is_empty() {
        return Err(Error::invalid("name", "must not be empty or blank"));
    }
    check_name("name", name)?;
    let name = kept_name(engine, name)?;
    let hash = pauses::withheld_hash(engine.store.read()?.secret(), scope, &name);
    engine.store.write(|tx| tx.set_withheld(&hash, is_withheld))
}

/// [`Sharing::is_withheld`](crate::Sharing::is_withheld).
pub(crate) fn is_withheld(engine: &Engine, scope: ScopeKind, name: &str) -> Result<bool> {
    let name = kept_name(engine, name)?;
    let read = engine.store.read()?;
    read.is_withheld(&pauses::withheld_hash(read.secret(), scope, &name))
}
