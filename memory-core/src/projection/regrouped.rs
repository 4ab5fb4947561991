//! Notices that what was recorded before came to be about something else: an edge leads to an entry
//! or a task from another project, or a condition is declared in a second one. A push then compares
//! what it sent with what may be sent now.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;

use super::about::{About, Subject, Subjects};
use super::edges::{self, Way};
use super::pauses::{self, ScopeKind};
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::rules::graph::Relation;
use crate::store::WriteTx;
use crate::store::log::append::{Draft, ForeignDraft};
use crate::store::shared::sharing_rows::SharingRows;

/// What the things named in new records were about before these were folded.
#[derive(Default)]
pub(crate) struct Before {
    things: HashMap<String, Subjects>,
}

impl Before {
    /// Notes what the things are about that these records may give another project.
    pub(crate) fn of<'d>(
        &mut self,
        tx: &WriteTx<'_>,
        drafts: impl IntoIterator<Item = &'d Draft>,
    ) -> Result<()> {
        let may_regroup = |draft: &&Draft| may_regroup(draft.event.kind);
        let mut drafts = drafts.into_iter().filter(may_regroup).peekable();
        if drafts.peek().is_none() || !has_sent(tx)? {
            return Ok(());
        }
        let mut names = Vec::new();
        for draft in drafts {
            names_in(draft, &mut names);
        }
        self.note(tx, names)
    }

    /// The same for records of others: what was made of one of them may have arrived before it.
    pub(crate) fn of_foreign(&mut self, tx: &WriteTx<'_>, drafts: &[ForeignDraft]) -> Result<()> {
        if !has_sent(tx)? {
            return Ok(());
        }
        let mut names = Vec::new();
        let rows = tx.projected()?;
        for foreign in drafts {
            if may_regroup(foreign.draft.event.kind) {
                names_in(&foreign.draft, &mut names);
            }
            let (id, source_of) = (foreign.id.to_string(), Some(Relation::SourceOf));
            let made = edges::at_node(&rows, Way::Out, &id, source_of, None, usize::MAX)?;
            names.extend(made.into_iter().map(|edge| edge.ends.destination_id));
        }
        drop(rows);
        self.note(tx, names)
    }

    fn note(&mut self, tx: &WriteTx<'_>, names: Vec<String>) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let mut about = About::new(tx)?;
        for name in names {
            if let Entry::Vacant(place) = self.things.entry(name) {
                let subjects = about.named(place.key())?;
                place.insert(subjects);
            }
        }
        // Nothing was recorded about what is not there.
        self.things.retain(|_, subjects| !subjects.is_empty());
        Ok(())
    }

    /// Counts it if any of the things is about more than before.
    pub(crate) fn count(self, tx: &mut WriteTx<'_>) -> Result<()> {
        if self.things.is_empty() {
            return Ok(());
        }
        let mut gained = Subjects::new();
        let mut about = About::new(tx)?;
        for (name, before) in &self.things {
            let now = about.named(name)?;
            gained.extend(now.difference(before).cloned());
        }
        drop(about);
        for subject in &gained {
            if decides_who_sees(tx, subject)? {
                return tx.count_regrouping();
            }
        }
        Ok(())
    }
}

/// Whether it matters to anyone that something is about this as well. Sessions matter if they are
/// withheld.
fn decides_who_sees(tx: &WriteTx<'_>, (scope, name): &Subject) -> Result<bool> {
    match scope {
        ScopeKind::Project => Ok(true),
        ScopeKind::Session => {
            let hash = pauses::withheld_hash(tx.store_secret(), *scope, name);
            tx.is_withheld(&hash)
        }
    }
}

/// Whether others may have been sent something: a store without an identity has sent nothing yet.
fn has_sent(tx: &WriteTx<'_>) -> Result<bool> {
    Ok(tx.identity()?.is_some())
}

/// Adds the names of what a record may give another project.
fn names_in(draft: &Draft, names: &mut Vec<String>) {
    let payload = draft.event.metadata.as_ref();
    let payload = payload.and_then(|json| serde_json::from_str(json.as_str()).ok());
    if let Some(payload) = payload {
        strings_in(payload, names);
    }
}

/// Whether records of this kind say what something else was made of, or declare it.
fn may_regroup(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::EdgeChanged
            | EventKind::TaskCreated
            | EventKind::TaskBlockersSet
            | EventKind::ConditionDeclared
            | EventKind::ArtifactDeclared
            | EventKind::ConflictChanged
            | EventKind::Consolidated
    )
}

fn strings_in(value: Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.into_iter().for_each(|item| strings_in(item, found)),
        Value::Object(fields) => fields
            .into_iter()
            .for_each(|(_, field)| strings_in(field, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
