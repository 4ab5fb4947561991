//! Learned entries that a program writes itself.

// Python's keyword arguments are Rust's positional ones.
#![allow(clippy::too_many_arguments)]

use pyo3::prelude::*;
use recallite::NewEntry;
use recallite::rules::entries::EntryType;

use crate::areas::Knowledge;
use crate::argument::{self, Given, optional, word as given_word};
use crate::convert::give_placed;
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
}
