//! Learned entries: one that a program writes itself, and what ends a conflict.

// Python's keyword arguments are Rust's positional ones.
#![allow(clippy::too_many_arguments)]

use pyo3::prelude::*;
use recallite::NewEntry;
use recallite::rules::entries::EntryType;

use crate::areas::Knowledge;
use crate::argument::{self, Given, optional, word as given_word};
use crate::convert::{give, give_placed, is_a};
use crate::learn_argument::entry_id;
use crate::places::Placed;

#[pymethods]
impl Knowledge {
    /// Writes an entry without an extraction: a fact that a user states, a decision
    /// that was made elsewhere.
    ///
    /// `event` is the event of the session that proves it, whose words count as its
    /// quote; without one, the content is remembered as said by the user. The same
    /// entry again gives the one that is there.
    #[pyo3(
        signature = (
            title, content, *, session, entry_type=None, project=None, valid_from=None,
            valid_to=None, event=None
        ),
        text_signature = "($self, title, content, *, session, entry_type='fact', project=None, \
                          valid_from=None, valid_to=None, event=None)"
    )]
    fn add_entry<'py>(
        &self,
        py: Python<'py>,
        title: &Bound<'py, PyAny>,
        content: &Bound<'py, PyAny>,
        session: &Bound<'py, PyAny>,
        entry_type: Given<'py>,
        project: Given<'py>,
        valid_from: Given<'py>,
        valid_to: Given<'py>,
        event: Given<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let entry_type = optional(&entry_type, "entry_type", given_word::<EntryType>)?;
            let mut entry = NewEntry::new(
                entry_type.unwrap_or(EntryType::Fact),
                argument::text(session, "session")?,
                argument::text(title, "title")?,
                argument::text(content, "content")?,
            );
            entry.project = optional(&project, "project", argument::text)?;
            entry.valid_from = optional(&valid_from, "valid_from", argument::timestamp)?;
            entry.valid_to = optional(&valid_to, "valid_to", argument::timestamp)?;
            entry.event = optional(&event, "event", argument::event_ref)?;
            Ok(entry)
        };
        self.call(
            py,
            "knowledge.add_entry",
            arguments,
            |memory, entry| memory.knowledge().add_entry(&entry)?.placed(memory),
            give_placed,
        )
    }

    /// Ends a conflict in favour of one entry; the other is taken back.
    /// `conflict` is its id or the `Conflict`. Raises `InvalidTransition` when it
    /// has ended already.
    #[pyo3(signature = (conflict, in_favour_of, resolution, resolved_by))]
    fn resolve_conflict<'py>(
        &self,
        py: Python<'py>,
        conflict: &Bound<'py, PyAny>,
        in_favour_of: &Bound<'py, PyAny>,
        resolution: &Bound<'py, PyAny>,
        resolved_by: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = || {
            let id = if is_a(conflict, "Conflict")? {
                argument::text(&conflict.getattr("conflict_id")?, "conflict")?
            } else {
                argument::text(conflict, "conflict")?
            };
            Ok((
                id,
                entry_id(in_favour_of, "in_favour_of")?,
                argument::text(resolution, "resolution")?,
                argument::text(resolved_by, "resolved_by")?,
            ))
        };
        self.call(
            py,
            "knowledge.resolve_conflict",
            arguments,
            |memory, (id, in_favour_of, resolution, resolved_by)| {
                memory
                    .knowledge()
                    .resolve_conflict(&id, &in_favour_of, &resolution, &resolved_by)
                    .map_err(|error| argument::renamed(error, &[("conflict_id", "conflict")]))
            },
            give,
        )
    }
}
